//! Sets of very many objects.
//!
//! A pointer that may point into more than [`Limits::objects`] objects says next to nothing, but
//! such sets are most of the work in a large program: each of them is copied, shifted, loaded from
//! and stored through. They are one set here, the *wide* one, which has any byte of each object
//! of which one of them has a place. So the solution only becomes larger.
//!
//! What is loaded through it comes from one variable, which has the contents of all its objects;
//! what is stored through it goes to one variable, which each of its objects contains anywhere.

use super::{Constraint, Solver, VarId};
use crate::pointsto::object::{Target, Targets};
use crate::pointsto::offset::Offset;
use roaring::RoaringBitmap;
use rustc_hash::FxHashSet;
use selvedge_base::Id;

/// Bounds of what a solution tells apart.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// The maximum number of objects of a set that stands alone.
    pub objects: u64,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits { objects: 300 }
    }
}

/// The wide set, once there is one.
#[derive(Clone, Copy)]
pub(super) struct Wide {
    /// The set.
    all: VarId,
    /// What its objects contain.
    contents: VarId,
    /// What may be stored anywhere in its objects: whole addresses, and what is smaller.
    stored: [VarId; 2],
    /// Whether anything is stored so.
    used: [bool; 2],
}

/// The widths of what is stored: see [`Wide::stored`].
const WIDTHS: [u64; 2] = [8, 1];

impl Solver {
    /// The wide set: any byte of each of its objects.
    pub fn wide_set(&self) -> Option<&RoaringBitmap> {
        self.wide.map(|wide| self.set(wide.all))
    }

    /// Whether a variable has the wide set.
    pub fn is_wide(&self, variable: VarId) -> bool {
        self.wide
            .is_some_and(|wide| self.find(wide.all) == self.find(variable))
    }

    /// Whether a set that has grown has too many objects to stand alone.
    pub(super) fn has_too_many(&mut self, variable: VarId) -> bool {
        let node = &self.nodes[variable];
        let places = node.set.len();
        if places <= node.counted.max(self.limits.objects) || self.is_wide(variable) {
            return false;
        }
        let objects: FxHashSet<u32> = node.set.iter().map(|target| self.object(target)).collect();
        // Not again before it is larger by an eighth.
        self.nodes[variable].counted = places + places / 8;
        objects.len() as u64 > self.limits.objects
    }

    /// Lets a variable have the wide set.
    pub(super) fn widen(&mut self, variable: VarId) {
        let wide = match self.wide {
            Some(wide) => wide,
            None => {
                let [all, contents, whole, parts] = [(); 4].map(|()| self.variable());
                *self.wide.insert(Wide {
                    all,
                    contents,
                    stored: [whole, parts],
                    used: [false; 2],
                })
            }
        };
        let all = self.find(wide.all);
        self.merge(all, variable);
    }

    /// The places of a set, each as any byte of its object.
    pub(super) fn anywhere(&mut self, places: &RoaringBitmap) -> RoaringBitmap {
        let mut found = places & &self.anys;
        for target in places - &self.anys {
            let any = self.any(target);
            found.insert(any);
        }
        found
    }

    fn any(&mut self, target: u32) -> u32 {
        let object = self.targets.place(Targets::target_id(target)).object;
        let offset = Offset::ANY;
        let known = self.memory[object.index()].any;
        known
            .unwrap_or_else(|| self.target(Target { object, offset }, 0))
            .index() as u32
    }

    fn object(&self, target: u32) -> u32 {
        self.targets.place(Targets::target_id(target)).object.index() as u32
    }

    /// Objects have joined the wide set.
    pub(super) fn join(&mut self, joined: &RoaringBitmap) {
        let Some(wide) = self.wide else { return };
        for target in joined {
            let object = self.targets.place(Targets::target_id(target)).object;
            let bytes = self.bytes(object.index());
            self.copy(bytes, wide.contents);
            for which in (0..WIDTHS.len()).filter(|&which| wide.used[which]) {
                let cell = self.cell(object, Offset::ANY, WIDTHS[which]);
                self.copy(wide.stored[which], cell);
            }
        }
    }

    /// A constraint about a variable that has the wide set. True if nothing is left to be done for
    /// objects that join.
    pub(super) fn answer_wide(&mut self, number: u32) -> bool {
        let Some(wide) = self.wide else { return false };
        match self.constraints[number as usize] {
            Constraint::Address { .. } | Constraint::Copy { .. } => true,
            Constraint::Shift { to, .. } => {
                self.copy(wide.all, to);
                true
            }
            Constraint::Load { to, .. } => {
                self.copy(wide.contents, to);
                true
            }
            Constraint::Store { width, from, .. } => {
                self.store_wide(width, from);
                true
            }
            Constraint::Call { .. } => false,
            Constraint::Move { to, from, .. } => {
                let between = self.between(number, to, from);
                if self.is_wide(from) {
                    self.copy(wide.contents, between);
                }
                if self.is_wide(to) {
                    self.store_wide(1, between);
                }
                true
            }
        }
    }

    /// Something is stored through the wide set.
    fn store_wide(&mut self, width: u64, from: VarId) {
        let Some(wide) = &mut self.wide else { return };
        let which = usize::from(width < WIDTHS[0]);
        let first = !std::mem::replace(&mut wide.used[which], true);
        let (all, to) = (wide.all, wide.stored[which]);
        self.copy_bytes(from, to);
        if first {
            for target in self.nodes[self.find(all)].set.clone() {
                let object = self.targets.place(Targets::target_id(target)).object;
                let cell = self.cell(object, Offset::ANY, WIDTHS[which]);
                self.copy(to, cell);
            }
        }
    }
}

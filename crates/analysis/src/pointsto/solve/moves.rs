//! Copies of memory of which source and destination are sets.

use super::{Constraint, MOST_PAIRS, Solver, VarId};
use crate::pointsto::object::{TargetId, Targets};
use crate::pointsto::offset::{Offset, gcd};
use roaring::RoaringBitmap;
use selvedge_base::Id;

impl Solver {
    pub(super) fn move_more(
        &mut self,
        number: u32,
        variable: VarId,
        to: VarId,
        from: VarId,
        fresh: &RoaringBitmap,
    ) {
        let (to, from) = (self.find(to), self.find(from));
        let pairs = self.nodes[to].set.len() * self.nodes[from].set.len();
        if pairs > MOST_PAIRS && !self.between.contains_key(&number) {
            self.between(number, to, from);
            return;
        }
        if variable == from {
            for source in fresh {
                let source = Targets::target_id(source);
                self.read_at(number, source);
            }
        }
        if variable != to {
            return;
        }
        if let Some(&between) = self.between.get(&number) {
            return fresh.iter().for_each(|t| self.fill(t, between));
        }
        for source in self.nodes[from].set.clone() {
            let source = Targets::target_id(source);
            let place = self.targets.place(source);
            let Constraint::Move { length, .. } = self.constraints[number as usize] else {
                continue;
            };
            for t in fresh {
                let t = Targets::target_id(t);
                if !self.moved.insert((number, source, t)) {
                    continue;
                }
                for i in 0..self.memory[place.object.index()].cells.len() {
                    let cell = self.memory[place.object.index()].cells[i];
                    if place.offset.overlaps(length, cell.0, Some(cell.1)) {
                        self.move_cell(place.offset, t, cell);
                    }
                }
            }
        }
    }

    /// There are many pairs: the contents of the source may be anywhere in the destination. The
    /// variable between them.
    pub(super) fn between(&mut self, number: u32, to: VarId, from: VarId) -> VarId {
        if let Some(&between) = self.between.get(&number) {
            return between;
        }
        let between = self.variable();
        self.between.insert(number, between);
        let (to, from) = (self.find(to), self.find(from));
        if !self.is_wide(from) {
            for source in self.nodes[from].set.clone() {
                self.read_between(number, Targets::target_id(source));
            }
        }
        if !self.is_wide(to) {
            for t in self.nodes[to].set.clone() {
                self.fill(t, between);
            }
        }
        between
    }

    fn read_between(&mut self, number: u32, source: TargetId) {
        self.read.insert((number, source));
        let object = self.targets.place(source).object.index();
        if !self.memory[object].readers.contains(&(number, source)) {
            self.memory[object].readers.push((number, source));
        }
        for i in 0..self.memory[object].cells.len() {
            let cell = self.memory[object].cells[i];
            self.read_cell(number, source, cell);
        }
    }

    fn fill(&mut self, target: u32, with: VarId) {
        let object = self.targets.place(Targets::target_id(target)).object;
        let cell = self.cell(object, Offset::ANY, 1);
        self.copy(with, cell);
    }

    /// Moves one stored value from an object, relative to `source`, to a place.
    pub(super) fn move_cell(
        &mut self,
        source: Offset,
        to: TargetId,
        (offset, width, cell): (Offset, u64, VarId),
    ) {
        let (start, source_stride) = source.parts();
        let (at, stride) = offset.parts();
        let distance = at.wrapping_sub(start);
        let mut stride = gcd(stride, source_stride);
        if distance < 0 && stride == 0 {
            stride = 1; // the value begins before the moved bytes: only its last bytes are moved
        }
        let place = self.targets.place(to);
        let there = place.offset.plus(distance, stride);
        let moved = self.cell(place.object, there, width);
        match stride == 1 {
            true => self.copy_bytes(cell, moved),
            false => self.copy(cell, moved),
        }
    }
}

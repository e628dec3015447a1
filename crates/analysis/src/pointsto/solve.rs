//! Inclusion constraints over sets of places, and their least solution (Andersen 1994).
//!
//! Sets grow by differences: each member of a set is processed once. Variables on a cycle of copies
//! have one set and are merged (`cycles.rs`).
//! The memory of an object is a variable for each pair of an offset and a width with which
//! something was stored; a load reads all variables that overlap with it.
//!
//! Bounds keep the solution finite and small. They only make it larger. A place gets a stride if it
//! arises from more than [`MOST_SHIFTS`] shifts, or is in an object with more than [`MOST_PLACES`]
//! places. With more than [`FEW_MORE`] times as many places, it becomes any byte. An object with
//! more than [`MOST_CELLS`] stored values has one variable from then on. If a set contains any byte
//! of an object, it contains no other place in it. Sets of very many objects are one (`wide.rs`).

mod cycles;
mod moves;
mod numbers;
mod wide;

pub use wide::Limits;

use super::object::{Object, ObjectId, Target, TargetId, Targets};
use super::offset::{Offset, gcd};
use roaring::RoaringBitmap;
use rustc_hash::{FxHashMap, FxHashSet};
use selvedge_base::{Id, IdVec, id_type};
use std::collections::VecDeque;
use wide::Wide;

id_type! {
    /// A variable: a set of places.
    pub struct VarId(u32), "v";
}

/// The maximum number of shifts by constant offsets from which a place may arise. Fields within
/// fields need few; a pointer that moves in a loop needs as many as the loop has iterations.
const MOST_SHIFTS: u8 = 6;
/// The maximum number of places in one object that shifts find and that are distinguished.
const MOST_PLACES: u32 = 24;
/// See [`MOST_PLACES`].
const FEW_MORE: u32 = 3;
/// The maximum number of distinguished stored values of one object.
const MOST_CELLS: usize = 200;
/// The maximum number of distinguished pairs of source and destination of one copy of memory.
const MOST_PAIRS: u64 = 4_096;

/// What a set must contain.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Constraint {
    /// A place.
    Address {
        /// Of this set.
        to: VarId,
        /// A member.
        target: TargetId,
    },
    /// All of another set.
    Copy {
        /// The smaller set.
        from: VarId,
        /// The larger one.
        to: VarId,
    },
    /// All of another set, moved by `offset` and any multiple of `stride` bytes.
    Shift {
        /// What is moved.
        from: VarId,
        /// What contains it then.
        to: VarId,
        /// In bytes.
        offset: i64,
        /// In bytes; 0: none.
        stride: u64,
    },
    /// What `width` bytes of memory contain (`None`: any number).
    Load {
        /// Where.
        pointer: VarId,
        /// In bytes.
        width: Option<u64>,
        /// What contains it.
        to: VarId,
    },
    /// `width` bytes of memory contain a set.
    Store {
        /// Where.
        pointer: VarId,
        /// In bytes.
        width: u64,
        /// What is stored.
        from: VarId,
    },
    /// Memory contains what other memory does.
    Move {
        /// Where to.
        to: VarId,
        /// Where from.
        from: VarId,
        /// How many bytes; `None`: any number.
        length: Option<u64>,
    },
    /// Functions of the set are called: [`Solver::solve`] tells which.
    Call {
        /// The set.
        callee: VarId,
        /// What the caller calls it.
        site: u32,
    },
}

#[derive(Default)]
struct Node {
    /// The members that were processed.
    set: RoaringBitmap,
    /// The members that are still to be processed.
    fresh: RoaringBitmap,
    copies: Vec<VarId>,
    /// The constraints that read this set, by number.
    asked: Vec<u32>,
    /// Its objects need not be counted before it has more places than this.
    counted: u64,
    queued: bool,
}

#[derive(Default)]
struct Memory {
    cells: Vec<(Offset, u64, VarId)>,
    /// The constraints that read it, and the places.
    readers: Vec<(u32, TargetId)>,
    /// Its only variable, if its variables were merged.
    merged: Option<VarId>,
    /// The place that represents any byte of it.
    any: Option<TargetId>,
    /// What a load at any byte of it gives, if there is one.
    bytes: Option<VarId>,
    /// True if something was stored in its only variable that is smaller than an address.
    merged_parts: bool,
    /// The number of places that shifts have found.
    places: u32,
}

/// Constraints, and the solution so far.
#[derive(Default)]
pub struct Solver {
    limits: Limits,
    /// See `wide.rs`.
    wide: Option<Wide>,

    /// Objects and places.
    pub targets: Targets,
    nodes: IdVec<VarId, Node>,
    /// The variable with which each variable was merged; a variable itself if it represents the
    /// merged ones.
    merged: IdVec<VarId, VarId>,
    constraints: Vec<Constraint>,
    /// For a move with many pairs, the variable between source and destination.
    between: FxHashMap<u32, VarId>,
    memory: Vec<Memory>,
    cells: FxHashMap<(ObjectId, Offset, u64), VarId>,
    shifts: Vec<u8>,
    /// The places that represent any byte of their object.
    anys: RoaringBitmap,
    edges: FxHashSet<(VarId, VarId)>,
    shifted: FxHashSet<(VarId, VarId, i64, u64)>,
    read: FxHashSet<(u32, TargetId)>,
    moved: FxHashSet<(u32, TargetId, TargetId)>,
    work: VecDeque<VarId>,
    found: Vec<(u32, TargetId)>,
    /// The number of sets processed since cycles were last searched for, and when to search again.
    since: usize,
}

impl Solver {
    /// No constraints, and other bounds than usual.
    pub fn with_limits(limits: Limits) -> Solver {
        Solver {
            limits,
            ..Solver::default()
        }
    }

    /// A new variable: the empty set.
    pub fn variable(&mut self) -> VarId {
        let id = self.nodes.push(Node::default());
        self.merged.push(id);
        id
    }

    /// How many variables there are.
    pub fn variables(&self) -> usize {
        self.nodes.len()
    }

    /// How many constraints there are.
    pub fn len(&self) -> usize {
        self.constraints.len()
    }

    /// Whether there is no constraint.
    pub fn is_empty(&self) -> bool {
        self.constraints.is_empty()
    }

    /// The number of a place in an object.
    pub fn place(&mut self, object: Object, offset: Offset) -> TargetId {
        let object = self.targets.object(object);
        self.target(Target { object, offset }, 0)
    }

    /// The set of a variable, once [`Solver::solve`] is done.
    pub fn set(&self, variable: VarId) -> &RoaringBitmap {
        &self.nodes[self.find(variable)].set
    }

    /// Adds a constraint.
    pub fn add(&mut self, constraint: Constraint) {
        let number = self.constraints.len() as u32;
        self.constraints.push(constraint);
        let asks = |solver: &mut Solver, variable: VarId| {
            let variable = solver.find(variable);
            let known = solver.nodes[variable].set.clone();
            solver.ask(number, variable, &known);
        };
        match constraint {
            Constraint::Address { to, target } => {
                let one = RoaringBitmap::from_iter([target.index() as u32]);
                self.grow(to, &one);
            }
            Constraint::Copy { from, to } => self.copy(from, to),
            Constraint::Shift { from, .. } => asks(self, from),
            Constraint::Load { pointer, .. } | Constraint::Store { pointer, .. } => asks(self, pointer),
            Constraint::Call { callee, .. } => asks(self, callee),
            Constraint::Move { from, to, .. } => {
                asks(self, from);
                asks(self, to);
            }
        }
    }

    /// Solves the constraints. Returns the calls found since the last time: the number of the site,
    /// and a place that is called.
    pub fn solve(&mut self) -> Vec<(u32, TargetId)> {
        while let Some(variable) = self.work.pop_front() {
            let variable = self.find(variable);
            let node = &mut self.nodes[variable];
            node.queued = false;
            if node.fresh.is_empty() {
                continue;
            }
            let fresh = std::mem::take(&mut node.fresh);
            node.set |= &fresh;
            if self.has_too_many(variable) {
                self.widen(variable);
                continue;
            }
            if self.is_wide(variable) {
                self.join(&fresh);
            }
            let mut copies = std::mem::take(&mut self.nodes[variable].copies);
            copies.retain(|&to| self.find(to) != variable);
            for &to in &copies {
                self.grow(to, &fresh);
            }
            self.nodes[variable].copies = copies;
            for i in 0..self.nodes[variable].asked.len() {
                let number = self.nodes[variable].asked[i];
                self.answer(number, variable, &fresh);
            }
            self.since += 1;
            if self.since > self.nodes.len() {
                self.since = 0;
                self.merge_cycles();
            }
        }
        std::mem::take(&mut self.found)
    }

    /// The variable that represents a variable.
    fn find(&self, mut variable: VarId) -> VarId {
        while self.merged[variable] != variable {
            variable = self.merged[variable];
        }
        variable
    }

    fn grow(&mut self, variable: VarId, by: &RoaringBitmap) {
        let variable = self.find(variable);
        if by.is_subset(&self.nodes[variable].set) {
            return;
        }
        let anywhere;
        let by = match self.is_wide(variable) {
            true => {
                anywhere = self.anywhere(by);
                &anywhere
            }
            false => by,
        };
        let node = &mut self.nodes[variable];
        let mut more = by - &node.set;
        more -= &node.fresh;
        let exact = &more - &self.anys;
        if !exact.is_empty() {
            let within_any = |t: &u32| {
                let id = Targets::target_id(*t);
                let any = self.memory[self.targets.place(id).object.index()].any;
                any.is_some_and(|any| {
                    let any = any.index() as u32;
                    node.set.contains(any) || node.fresh.contains(any) || by.contains(any)
                })
            };
            let needless: RoaringBitmap = exact.iter().filter(within_any).collect();
            more -= needless;
        }
        if more.is_empty() {
            return;
        }
        node.fresh |= more;
        if !node.queued {
            node.queued = true;
            self.work.push_back(variable);
        }
    }

    fn copy(&mut self, from: VarId, to: VarId) {
        let (from, to) = (self.find(from), self.find(to));
        if from == to || !self.edges.insert((from, to)) {
            return;
        }
        self.nodes[from].copies.push(to);
        let set = std::mem::take(&mut self.nodes[from].set);
        self.grow(to, &set);
        self.nodes[from].set = set;
    }

    /// Adds a copy of a value of which only some bytes may be taken.
    fn copy_bytes(&mut self, from: VarId, to: VarId) {
        let (from, to) = (self.find(from), self.find(to));
        if self.shifted.insert((from, to, 0, 1)) {
            let (offset, stride) = (0, 1);
            self.add(Constraint::Shift {
                from,
                to,
                offset,
                stride,
            });
        }
    }

    /// Adds a constraint to those that read a set, of which these members are known.
    fn ask(&mut self, number: u32, variable: VarId, known: &RoaringBitmap) {
        if self.is_wide(variable) && self.answer_wide(number) {
            return;
        }
        self.nodes[variable].asked.push(number);
        self.answer(number, variable, known);
    }

    /// Processes new members of a constraint's set.
    fn answer(&mut self, number: u32, variable: VarId, fresh: &RoaringBitmap) {
        if fresh.is_empty() {
            return;
        }
        match self.constraints[number as usize] {
            Constraint::Address { .. } | Constraint::Copy { .. } => {}
            Constraint::Shift {
                to, offset, stride, ..
            } => {
                // What is anywhere in its object stays so.
                let mut shifted = match self.find(to) == self.find(variable) {
                    true => RoaringBitmap::new(),
                    false => fresh & &self.anys,
                };
                for target in fresh - &self.anys {
                    shifted.insert(self.shift(target, offset, stride));
                }
                self.grow(to, &shifted);
            }
            Constraint::Load { .. } => {
                for target in fresh {
                    self.read_at(number, Targets::target_id(target));
                }
            }
            Constraint::Store { width, from, .. } => {
                for target in fresh {
                    let place = self.targets.place(Targets::target_id(target));
                    let cell = self.cell(place.object, place.offset, width);
                    self.copy(from, cell);
                }
            }
            Constraint::Move { to, from, .. } => self.move_more(number, variable, to, from, fresh),
            Constraint::Call { site, .. } => {
                let targets = fresh.iter().map(Targets::target_id);
                let calls = targets.filter(|&t| self.targets.is_function(t));
                self.found.extend(calls.map(|target| (site, target)));
            }
        }
    }

    fn target(&mut self, target: Target, shifts: u8) -> TargetId {
        let id = self.targets.target(target);
        if id.index() == self.shifts.len() {
            self.shifts.push(shifts);
        }
        while self.memory.len() < self.targets.objects() {
            self.memory.push(Memory::default());
        }
        let memory = &mut self.memory[target.object.index()];
        if target.offset == Offset::ANY {
            memory.any = Some(id);
            self.anys.insert(id.index() as u32);
        }
        id
    }

    fn shift(&mut self, target: u32, offset: i64, stride: u64) -> u32 {
        let id = Targets::target_id(target);
        if offset == 0 && stride == 0 {
            return target;
        }
        let place = self.targets.place(id);
        let object = place.object;
        if stride == 1
            && let Some(any) = self.memory[object.index()].any
        {
            return any.index() as u32;
        }
        let shifts = self.shifts[id.index()].saturating_add(1);
        let stride = match self.memory[object.index()].places {
            places if places > MOST_PLACES * FEW_MORE => 1,
            places if places > MOST_PLACES || shifts > MOST_SHIFTS => gcd(stride, offset.unsigned_abs()),
            _ => stride,
        };
        let offset = place.offset.plus(offset, stride);
        let known = self.targets.len();
        let target = self.target(Target { object, offset }, shifts);
        self.memory[object.index()].places += (self.targets.len() - known) as u32;
        target.index() as u32
    }

    /// Processes a load, or the source of a move, at a place.
    fn read_at(&mut self, number: u32, target: TargetId) {
        if !self.read.insert((number, target)) {
            return;
        }
        let place = self.targets.place(target);
        let object = place.object.index();
        // So there are as many edges as loads and stored values, and not a product of them.
        if let Constraint::Load { width, to, .. } = self.constraints[number as usize]
            && (width.is_none() || place.offset == Offset::ANY && width != Some(1))
        {
            let bytes = self.bytes(object);
            return self.copy(bytes, to);
        }
        self.memory[object].readers.push((number, target));
        if let Some(all) = self.memory[object].merged {
            return self.read_cell(number, target, (Offset::ANY, 1, all));
        }
        for i in 0..self.memory[object].cells.len() {
            let cell = self.memory[object].cells[i];
            self.read_cell(number, target, cell);
        }
    }

    /// All values stored in an object, of which any bytes may be taken.
    fn bytes(&mut self, object: usize) -> VarId {
        if let Some(bytes) = self.memory[object].bytes {
            return bytes;
        }
        let bytes = self.variable();
        self.memory[object].bytes = Some(bytes);
        for i in 0..self.memory[object].cells.len() {
            let (.., cell) = self.memory[object].cells[i];
            self.copy_bytes(cell, bytes);
        }
        bytes
    }

    fn read_cell(&mut self, number: u32, target: TargetId, (offset, width, cell): (Offset, u64, VarId)) {
        let place = self.targets.place(target);
        match self.constraints[number as usize] {
            Constraint::Load { width: bytes, to, .. } => {
                if !place.offset.overlaps(bytes, offset, Some(width)) {
                    return;
                }
                match bytes == Some(width) && aligned(place.offset, offset, width) {
                    true => self.copy(cell, to),
                    false => self.copy_bytes(cell, to),
                }
            }
            Constraint::Move { to, length, .. } => {
                if !place.offset.overlaps(length, offset, Some(width)) {
                    return;
                }
                if let Some(&between) = self.between.get(&number) {
                    return self.copy_bytes(cell, between);
                }
                let to = self.find(to);
                for t in self.nodes[to].set.clone() {
                    self.move_cell(place.offset, Targets::target_id(t), (offset, width, cell));
                }
            }
            _ => {}
        }
    }

    /// The variable for what is stored at an offset.
    fn cell(&mut self, object: ObjectId, offset: Offset, width: u64) -> VarId {
        if let Some(merged) = self.memory[object.index()].merged {
            self.memory[object.index()].merged_parts |= width < 8;
            return merged;
        }
        if let Some(&cell) = self.cells.get(&(object, offset, width)) {
            return cell;
        }
        if self.memory[object.index()].cells.len() >= MOST_CELLS {
            let has_parts = self.memory[object.index()].parts().next().is_some();
            self.memory[object.index()].merged_parts = width < 8 || has_parts;
            return self.merge_memory(object);
        }
        self.new_cell(object, offset, width)
    }

    fn new_cell(&mut self, object: ObjectId, offset: Offset, width: u64) -> VarId {
        let cell = self.variable();
        self.cells.insert((object, offset, width), cell);
        self.memory[object.index()].cells.push((offset, width, cell));
        if let Some(bytes) = self.memory[object.index()].bytes {
            self.copy_bytes(cell, bytes);
        }
        for i in 0..self.memory[object.index()].readers.len() {
            let (number, target) = self.memory[object.index()].readers[i];
            self.read_cell(number, target, (offset, width, cell));
        }
        cell
    }

    /// Merges everything that is stored in an object into one variable.
    fn merge_memory(&mut self, object: ObjectId) -> VarId {
        let all = self.new_cell(object, Offset::ANY, 1);
        self.memory[object.index()].merged = Some(all);
        for i in 0..self.memory[object.index()].cells.len() {
            let (.., cell) = self.memory[object.index()].cells[i];
            self.copy(cell, all);
            self.copy(all, cell);
        }
        all
    }
}

/// True if a load of a value's width reads the value either completely or not at all.
fn aligned(load: Offset, cell: Offset, width: u64) -> bool {
    let ((a, s), (b, t)) = (load.parts(), cell.parts());
    match gcd(s, t) {
        0 => a == b,
        stride => stride >= width && a.wrapping_sub(b).rem_euclid(stride as i64) == 0,
    }
}

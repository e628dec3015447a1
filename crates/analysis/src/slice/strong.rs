//! Strong updates: which writes may be the last one before a read, where the read and an earlier
//! store of the same call surely access the same cell.
//!
//! From the read, all paths are followed backwards to stores that surely write all its bytes (they
//! *kill* what was there). Whatever is written before these stores is not read. What remains:
//!
//! - *A variable whose address stays in its function* belongs to the call at hand. Only the
//!   statements that were passed on the way back, and the stores that kill, may have written it. A
//!   path that comes to the function's entry finds it undefined.
//! - *A global variable* (not thread-local): each path has to come to such a store, or nothing is
//!   known. Then only these may have written it: the stores that kill and the statements that were
//!   passed; functions that the passed calls run; and statements that another thread may execute
//!   while this thread is at a passed statement or at the read.
//!
//! Each cell is one of the machine: the points-to set of the pointer is one place, at a constant
//! offset, in a global variable or in a variable of the own call. A pointer with this set that led
//! elsewhere would be a fault. Functions with `setjmp` are left out, for control may come back to
//! them in the middle of a block, as are calls that call back.

use super::{Slicer, Statement};
use crate::cfg::lands;
use crate::library::{self, Special};
use crate::pointsto::{Object, ObjectId, Target};
use crate::{Cfg, Place};
use rustc_hash::{FxHashMap, FxHashSet};
use selvedge_base::Id;
use selvedge_ir::{BlockId, FuncId, InstKind, Operand};
use std::rc::Rc;

/// If a way back is longer, in statements, nothing is known.
const LONGEST: usize = 400;

/// Whether two threads may execute two statements at the same time.
pub(crate) type Parallel<'a> = Box<dyn Fn(Statement, Statement) -> bool + 'a>;

/// What strong updates need to know.
pub(super) struct Strong<'a> {
    parallel: Parallel<'a>,
    /// Variables whose address stays in their function.
    own: FxHashSet<ObjectId>,
    /// By function: its control flow; none if it has `setjmp`.
    flow: FxHashMap<FuncId, Option<Rc<Cfg>>>,
    /// The functions that a function may run, with itself; none if the library may call back.
    runs: FxHashMap<FuncId, Option<Rc<FxHashSet<FuncId>>>>,
}

/// The writes that may be the last one before a read.
pub(super) struct Last {
    /// Statements of the same function: passed, or a store that kills.
    here: FxHashSet<Statement>,
    /// Of a global variable: functions that passed calls run, and what was passed, with the read.
    elsewhere: Option<(FxHashSet<FuncId>, Vec<Statement>)>,
}

impl<'a> Slicer<'a> {
    /// From now on, slices leave out writes that are surely overwritten before the read.
    /// `parallel`: whether two threads may execute two statements at the same time.
    pub fn with_strong_updates(&mut self, parallel: impl Fn(Statement, Statement) -> bool + 'a) {
        self.strong = Some(Strong {
            parallel: Box::new(parallel),
            own: self.own_variables(),
            flow: FxHashMap::default(),
            runs: FxHashMap::default(),
        });
    }

    /// The writes that may be the last one before a read; none if it is not known.
    pub(super) fn last_writes(
        &mut self,
        read: Statement,
        operand: Operand,
        bytes: Option<u64>,
    ) -> Option<Last> {
        let strong = self.strong.as_ref()?;
        let (cell, bytes) = (self.cell(read.0, operand)?, bytes?);
        let is_own = strong.own.contains(&cell.object);
        let global = match self.points_to.targets().what(cell.object) {
            Object::Global(global) => !self.module.globals[global].thread_local,
            _ => false,
        };
        if !is_own && !global || self.is_wide_object(cell.object) {
            return None;
        }
        let cfg = self.flow(read.0)?;
        let back = self.back(&cfg, read, cell, bytes)?;
        if is_own {
            return Some(Last {
                here: back.passed.into_iter().chain(back.kills).collect(),
                elsewhere: None,
            });
        }
        if back.comes_to_the_entry {
            return None;
        }
        let mut functions = FxHashSet::default();
        for &statement in &back.passed {
            if matches!(self.kind(statement), Some(InstKind::Call { .. })) {
                for callee in self.callees(statement)? {
                    functions.extend(self.runs(callee)?.iter().copied());
                }
            }
        }
        let mut passed = back.passed.clone();
        passed.push(read);
        Some(Last {
            here: back.passed.into_iter().chain(back.kills).collect(),
            elsewhere: Some((functions, passed)),
        })
    }

    /// Whether a write may be the last one.
    pub(super) fn may_be_last(&self, last: &Last, write: Statement) -> bool {
        let Some(strong) = &self.strong else { return true };
        last.here.contains(&write)
            || last.elsewhere.as_ref().is_some_and(|(functions, passed)| {
                functions.contains(&write.0) || passed.iter().any(|&at| (strong.parallel)(write, at))
            })
    }

    /// The only place that a pointer may have.
    fn cell(&self, function: FuncId, pointer: Operand) -> Option<Target> {
        if self.points_to.is_wide(function, pointer) || self.points_to.is_number(function, pointer) {
            return None;
        }
        match self.points_to.of_operand(function, pointer)[..] {
            [cell] => cell.offset.byte().map(|_| cell),
            _ => None,
        }
    }

    /// Whether a statement surely writes all bytes of a cell.
    fn kills(&self, statement: Statement, cell: Target, bytes: u64) -> bool {
        let Some(InstKind::Store { ptr, ty, .. }) = self.kind(statement) else {
            return false;
        };
        let stored = self
            .cell(statement.0, *ptr)
            .filter(|stored| stored.object == cell.object);
        let at = |target: Target| target.offset.byte().map(i128::from);
        let Some((to, from)) = stored.and_then(at).zip(at(cell)) else {
            return false;
        };
        to <= from && from + i128::from(bytes) <= to + i128::from(ty.bytes())
    }

    /// Follows all paths from a read back to the stores that kill, or to the entry.
    fn back(&self, cfg: &Cfg, read: Statement, cell: Target, bytes: u64) -> Option<Back> {
        let mut back = Back::default();
        let mut seen: FxHashSet<u32> = FxHashSet::default();
        let mut work: Vec<Place> = vec![read.1];
        while let Some(from) = work.pop() {
            let mut killed = false;
            for index in (0..from.index).rev() {
                let statement = (read.0, Place { index, ..from });
                if self.kills(statement, cell, bytes) {
                    back.kills.push(statement);
                    killed = true;
                    break;
                }
                back.passed.push(statement);
            }
            if back.passed.len() > LONGEST {
                return None;
            }
            if killed {
                continue;
            }
            back.comes_to_the_entry |= from.block == 0;
            for before in cfg.predecessors(BlockId::from_index(from.block as usize)) {
                if seen.insert(before.index() as u32) {
                    let end = self.module.functions[read.0].blocks[before].insts.len() as u32;
                    work.push(Place {
                        block: before.index() as u32,
                        index: end,
                    });
                }
            }
        }
        Some(back)
    }

    fn flow(&mut self, id: FuncId) -> Option<Rc<Cfg>> {
        let module = self.module;
        let strong = self.strong.as_mut()?;
        let flow = strong.flow.entry(id).or_insert_with(|| {
            let function = &module.functions[id];
            let mut insts = function.blocks.iter().flat_map(|block| &block.insts);
            let straight = !insts.any(|inst| lands(module, &inst.kind));
            straight.then(|| Rc::new(Cfg::of(module, function, |_| false)))
        });
        flow.clone()
    }

    /// The functions of the program that a call may run; none if the library calls back.
    fn callees(&self, call: Statement) -> Option<Vec<FuncId>> {
        let mut found = Vec::new();
        for callee in self.points_to.callees(call.0, call.1) {
            let function = &self.module.functions[callee];
            if function.is_defined() {
                found.push(callee);
                continue;
            }
            let special = library::effect(&function.name).map(|effect| effect.special);
            if matches!(
                special,
                Some(
                    Special::Calls(_)
                        | Special::CallsWith(..)
                        | Special::CallsStored(_)
                        | Special::CallsOnceCall
                )
            ) {
                return None;
            }
        }
        Some(found)
    }

    /// The functions that a function may run in its thread, with itself.
    fn runs(&mut self, id: FuncId) -> Option<Rc<FxHashSet<FuncId>>> {
        if let Some(known) = self.strong.as_ref()?.runs.get(&id) {
            return known.clone();
        }
        let found = self.reached(id).map(Rc::new);
        self.strong.as_mut()?.runs.insert(id, found.clone());
        found
    }

    fn reached(&self, id: FuncId) -> Option<FxHashSet<FuncId>> {
        let mut reached = FxHashSet::from_iter([id]);
        let mut work = vec![id];
        while let Some(id) = work.pop() {
            for (statement, kind) in super::instructions(id, &self.module.functions[id]) {
                if let InstKind::Call { .. } = kind {
                    for callee in self.callees(statement)? {
                        if reached.insert(callee) {
                            work.push(callee);
                        }
                    }
                }
            }
        }
        Some(reached)
    }
}

/// The paths from a read backwards.
#[derive(Default)]
struct Back {
    kills: Vec<Statement>,
    passed: Vec<Statement>,
    comes_to_the_entry: bool,
}

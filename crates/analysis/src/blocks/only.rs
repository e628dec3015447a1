//! Global variables that are touched in atomic blocks only, and else while the thread is the only
//! one (docs/algorithms.md, "Memory of blocks").
//!
//! This is a guess, like the classes: the machine checks each access.

use super::{ATOMIC, BEGIN, END, Finder, Touched};
use crate::cfg::successors;
use crate::threads::Threads;
use crate::{Place, PointsTo};
use selvedge_base::Id;
use selvedge_ir::{BlockId, FuncId, GlobalId, Module};
use std::collections::BTreeSet;

/// The variables of `globals` that no statement outside of blocks may touch while other threads
/// may run.
pub(super) fn only_in_blocks(
    finder: &Finder<'_>,
    globals: impl Iterator<Item = GlobalId>,
    entry: Option<FuncId>,
) -> BTreeSet<GlobalId> {
    let (module, points_to) = (finder.module, finder.points_to);
    let threads = Threads::of(module, points_to, entry);
    if !threads.is_known() {
        return BTreeSet::new();
    }
    let mut outside = Outside {
        finder,
        threads: &threads,
        entered: BTreeSet::new(),
        work: Vec::new(),
        touched: BTreeSet::new(),
    };
    outside.enter_all(module, points_to, entry);
    while let Some(function) = outside.work.pop() {
        outside.walk(function);
    }
    globals
        .filter(|&global| !outside.touched.contains(&Touched::Global(global)))
        .collect()
}

/// What runs outside of blocks.
struct Outside<'a> {
    finder: &'a Finder<'a>,
    threads: &'a Threads<'a>,
    /// Functions that may be entered outside of blocks.
    entered: BTreeSet<FuncId>,
    work: Vec<FuncId>,
    /// What is touched there while other threads may run.
    touched: BTreeSet<Touched>,
}

impl Outside<'_> {
    fn enter_all(&mut self, module: &Module, points_to: &PointsTo, entry: Option<FuncId>) {
        let first = entry.into_iter().chain(points_to.called_by_library());
        let first: Vec<FuncId> = first.filter(|&f| module.functions[f].is_defined()).collect();
        first.into_iter().for_each(|function| self.enter(function));
    }

    /// A function is entered outside of blocks. The call of some functions is a block.
    fn enter(&mut self, function: FuncId) {
        let is_block = self.finder.module.functions[function].name.starts_with(ATOMIC);
        if !is_block && self.entered.insert(function) {
            self.work.push(function);
        }
    }

    /// Follows a function from its entry, outside of blocks. Functions that are called are taken to
    /// return outside of blocks if they were called outside.
    fn walk(&mut self, id: FuncId) {
        let function = &self.finder.module.functions[id];
        let entry = (BlockId::from_index(0), false);
        let mut seen = BTreeSet::from([(entry.0.index(), entry.1)]);
        let mut work = vec![entry];
        while let Some((block, mut inside)) = work.pop() {
            let what = &function.blocks[block];
            for (index, inst) in what.insts.iter().enumerate() {
                let named = |name: &str| {
                    self.finder
                        .calls_any(id, block, index, inst, |called| called == name)
                };
                if named(BEGIN) {
                    inside = true;
                } else if named(END) {
                    inside = false;
                }
                if inside {
                    continue;
                }
                let (mut touched, mut calls) = (BTreeSet::new(), BTreeSet::new());
                self.finder
                    .instruction(id, (block, index), inst, &mut touched, &mut calls);
                calls.into_iter().for_each(|callee| self.enter(callee));
                touched.retain(|what| !self.touched.contains(what));
                let place = Place {
                    block: block.index() as u32,
                    index: index as u32,
                };
                if !touched.is_empty() && !self.threads.beside((id, place)).is_empty() {
                    self.touched.extend(touched);
                }
            }
            successors(&what.term, |next| {
                if seen.insert((next.index(), inside)) {
                    work.push((next, inside));
                }
            });
        }
    }
}

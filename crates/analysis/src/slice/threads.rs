//! Slices in which data flows through memory only within a thread, for the published rules.

use super::Slicer;
use crate::library::{self, Special};
use crate::{Place, PointsTo};
use selvedge_base::Id;
use selvedge_ir::{FuncId, Module};
use std::collections::BTreeSet;

impl Slicer<'_> {
    /// From now on, a value read from memory depends only on writes by functions that the same
    /// thread may run.
    pub(crate) fn leave_out_other_threads(&mut self) {
        let (module, points_to) = (self.module, self.points_to);
        let mut threads = vec![BTreeSet::new(); module.functions.len()];
        let defined = |f: &FuncId| module.functions[*f].is_defined();
        for root in points_to.called_by_library().filter(defined) {
            let mut work = vec![root];
            while let Some(function) = work.pop() {
                if threads[function.index()].insert(root) {
                    work.extend(callees(module, points_to, function));
                }
            }
        }
        self.threads = Some(threads);
    }

    /// Whether some thread may run both functions, as far as that is asked for.
    pub(super) fn may_share_a_thread(&self, a: FuncId, b: FuncId) -> bool {
        let of = |threads: &Vec<BTreeSet<FuncId>>| !threads[a.index()].is_disjoint(&threads[b.index()]);
        self.threads.as_ref().is_none_or(of)
    }
}

/// The functions that a function may call in its own thread. What the library calls back may be any
/// function that it calls at all.
fn callees(module: &Module, points_to: &PointsTo, caller: FuncId) -> BTreeSet<FuncId> {
    let mut found = BTreeSet::new();
    for (block, what) in module.functions[caller].blocks.iter_ids() {
        for index in 0..what.insts.len() {
            let place = Place {
                block: block.index() as u32,
                index: index as u32,
            };
            for callee in points_to.callees(caller, place) {
                let called = &module.functions[callee];
                let effect = library::effect(&called.name).filter(|_| !called.is_defined());
                let calls_back = matches!(
                    effect.map(|effect| effect.special),
                    Some(
                        Special::Calls(_)
                            | Special::CallsWith(..)
                            | Special::CallsStored(_)
                            | Special::CallsOnceCall
                    )
                );
                found.insert(callee);
                if calls_back {
                    found.extend(points_to.called_by_library());
                }
            }
        }
    }
    found
}

//! The slice of predicate dependence as Kusano and Wang print it (ASE 2014, Sections 3.2 and 4.1).
//! It is there for the run counts of their tables: what is explored with it loses errors
//! (docs/algorithms.md, "As published").
//!
//! The essential statements are assertions, error calls and, where deadlocks are asked for, calls
//! that lock and unlock mutexes. Their slices are closed under control dependence and under data
//! dependence within a thread. What other threads write is added from the accesses that executions
//! show (their `UpdateSlice`), without what decides about these.
//!
//! Deviations: the facts about aliases within a thread are points-to sets, and what a joined thread
//! returns is in the slice.

use crate::essential::accesses;
use crate::slice::{Callers, Criterion, Ending, Slicer};
use crate::{Place, PointsTo};
use selvedge_base::{Id, StmtId};
use selvedge_ir::{InstKind, Module};
use std::collections::BTreeSet;

/// The functions whose calls are essential statements.
const ASSERTIONS: [&str; 4] = ["__assert_fail", "abort", "reach_error", "__VERIFIER_error"];

/// Those about deadlocks.
const LOCKS: [&str; 2] = ["pthread_mutex_lock", "pthread_mutex_unlock"];

/// The statements of the published slice, before any execution, and those of the model library.
/// `deadlocks`: whether deadlocks are asked for.
pub fn slice(module: &Module, points_to: &PointsTo, deadlocks: bool) -> BTreeSet<StmtId> {
    let locks: &[&str] = if deadlocks { &LOCKS } else { &[] };
    let essential = |name: &str| ASSERTIONS.contains(&name) || locks.contains(&name);
    let mut criterion = Criterion::default();
    let running = module.functions.iter_ids();
    for (id, function) in running.filter(|(id, _)| points_to.may_run(*id)) {
        for (block, what) in function.blocks.iter_ids() {
            for (index, inst) in what.insts.iter().enumerate() {
                let place = Place {
                    block: block.index() as u32,
                    index: index as u32,
                };
                let call = matches!(inst.kind, InstKind::Call { .. });
                let mut callees = points_to.callees(id, place);
                if call && callees.any(|f| essential(&module.functions[f].name)) {
                    criterion.whole.push((id, place));
                }
            }
        }
    }
    let mut slicer = Slicer::new(module, points_to, Ending::Excluded, Callers::Merged);
    slicer.leave_out_other_threads();
    accesses(module, points_to, &slicer.of_criterion(&criterion))
}

//! Counts of thread choices: states of which more than one thread is taken (Parízek, *Hybrid
//! Analysis for Partial Order Reduction of Programs with Arrays*, VMCAI 2016, section 5).
//!
//! A choice belongs to the action before which the thread that moved last has stopped. If that
//! thread cannot go on, the choice is of the kind [`Kind::Other`].
//!
//! Deviation: the paper's tool decides for that thread only. Here a state has no thread choice if
//! *any* thread may go first alone.

use crate::Config;
use crate::report::{Kind, ThreadChoices};
use selvedge_base::{Id, ThreadId};
use selvedge_model::{Choice, Machine, Op};

/// The kind of a thread choice at the machine's state; `None` if choices are not counted. `last`:
/// the thread that moved last.
pub(super) fn kind<M: Machine>(config: &Config, machine: &M, last: Option<ThreadId>) -> Option<Kind> {
    if !config.counts_choices {
        return None;
    }
    let pending = last.map(|last| &machine.pending()[last.index()]);
    let action = pending.filter(|pending| pending.is_enabled()).map(|p| &p.action);
    Some(match action {
        Some(action) if matches!(action.op, Op::Read | Op::Write | Op::Rmw | Op::Add) => {
            match machine.is_of_element(action) {
                true => Kind::Element,
                false => Kind::Field,
            }
        }
        _ => Kind::Other,
    })
}

/// Counts the state if more than one thread is taken of it.
pub(super) fn count(counts: &mut ThreadChoices, kind: Option<Kind>, taken: &[Choice]) {
    let Some(kind) = kind else { return };
    if taken.iter().any(|choice| choice.thread != taken[0].thread) {
        *counts.of(kind) += 1;
    }
}

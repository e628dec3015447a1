//! Reachability with stored states.

use super::{Inspect, TooLarge};
use crate::{Choice, Notice};
use selvedge_base::{Id, ThreadId};
use std::collections::{BTreeSet, HashSet};

/// The results of a system.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Ends<E: Ord> {
    /// Every state in which nothing is enabled.
    pub ends: BTreeSet<E>,
    /// Noted assertions: (thread, position).
    pub asserts: BTreeSet<(ThreadId, u32)>,
    /// The number of visited states.
    pub states: usize,
}

/// Visits every reachable state.
///
/// # Errors
/// If there are more than `limit` states.
pub fn ends<M: Inspect>(machine: &mut M, limit: usize) -> Result<Ends<M::End>, TooLarge> {
    let mut all = Ends {
        ends: BTreeSet::new(),
        asserts: BTreeSet::new(),
        states: 0,
    };
    note(machine, &mut all.asserts);
    let mut seen = HashSet::new();
    visit(machine, limit, &mut seen, &mut all)?;
    all.states = seen.len();
    Ok(all)
}

/// Adds the assertions that the last step noted.
pub(super) fn note<M: Inspect>(machine: &M, asserts: &mut BTreeSet<(ThreadId, u32)>) {
    for notice in machine.notices() {
        if let Notice::AssertNoted(thread, position) = notice {
            asserts.insert((*thread, *position));
        }
    }
}

fn visit<M: Inspect>(
    machine: &mut M,
    limit: usize,
    seen: &mut HashSet<M::State>,
    all: &mut Ends<M::End>,
) -> Result<(), TooLarge> {
    if !seen.insert(machine.state()) {
        return Ok(());
    }
    if seen.len() > limit {
        return Err(TooLarge);
    }
    let choices = choices(machine);
    if choices.is_empty() {
        all.ends.insert(machine.ending());
    }
    let mark = machine.mark();
    for choice in choices {
        machine.step(choice);
        note(machine, &mut all.asserts);
        visit(machine, limit, seen, all)?;
        machine.undo(mark);
    }
    Ok(())
}

/// All choices of the present state. While an action is incomplete, no other thread moves.
pub(super) fn choices<M: Inspect>(machine: &M) -> Vec<Choice> {
    let mut choices = all_choices(machine);
    let incomplete = |choice: &Choice| machine.is_incomplete(choice.thread);
    if choices.iter().any(incomplete) {
        choices.retain(incomplete);
    }
    choices
}

/// All choices of the present state, including those between an action and the data choice that
/// completes it.
pub(super) fn all_choices<M: Inspect>(machine: &M) -> Vec<Choice> {
    let enabled = machine
        .pending()
        .iter()
        .enumerate()
        .filter(|(_, p)| p.is_enabled());
    enabled
        .flat_map(|(t, p)| {
            (0..p.alternatives).map(move |alternative| Choice {
                thread: ThreadId::from_index(t),
                alternative,
            })
        })
        .collect()
}

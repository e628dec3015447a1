//! Definition 1 for events with their outcomes, checked in every reachable state.

use super::{EventLabel, Inspect, TooLarge};
use crate::Fingerprint;
use selvedge_base::Digest;
use std::collections::{HashMap, HashSet};

/// Two events that the relation calls independent although they are not.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LabelViolation {
    /// The first event.
    pub first: EventLabel,
    /// The second event.
    pub second: EventLabel,
    /// The effect of the first on the second.
    pub what: &'static str,
}

/// The enabled events in a state, each with the fingerprint after it.
type Moves = HashMap<EventLabel, Digest>;

/// Checks from every reachable state, for each event `a` enabled there and each `b` independent of
/// it: `b`, with the same label, is enabled before `a` if and only if it is enabled after it; and
/// then both orders lead to the same state.
///
/// # Errors
/// If there are more than `limit` states.
pub fn check_labels<M: Inspect + Fingerprint>(
    machine: &mut M,
    limit: usize,
    related: impl Fn(&EventLabel, &EventLabel) -> bool,
) -> Result<Vec<LabelViolation>, TooLarge> {
    let (mut seen, mut bad) = (HashSet::new(), Vec::new());
    visit(machine, limit, &related, &mut seen, &mut bad)?;
    Ok(bad)
}

fn visit<M: Inspect + Fingerprint>(
    machine: &mut M,
    limit: usize,
    related: &impl Fn(&EventLabel, &EventLabel) -> bool,
    seen: &mut HashSet<M::State>,
    bad: &mut Vec<LabelViolation>,
) -> Result<(), TooLarge> {
    if !seen.insert(machine.state()) {
        return Ok(());
    }
    if seen.len() > limit {
        return Err(TooLarge);
    }
    let (mut here, mut after) = (HashSet::new(), HashMap::new());
    let mut visited = Ok(());
    EventLabel::steps(machine, related, |machine, _, label| {
        after.insert(label.clone(), moves(machine, related));
        here.insert(label);
        if visited.is_ok() {
            visited = visit(machine, limit, related, seen, bad);
        }
    });
    visited?;
    for (first, then) in &after {
        let independent = |second: &&EventLabel| !related(first, second);
        let mut violation = |second: &EventLabel, what| {
            bad.push(LabelViolation {
                first: first.clone(),
                second: second.clone(),
                what,
            });
        };
        for second in then.keys().filter(independent) {
            if !here.contains(second) {
                violation(second, "enables");
            }
        }
        for second in here.iter().filter(independent) {
            match (then.get(second), after[second].get(first)) {
                (None, _) => violation(second, "disables"),
                (one, other) if one != other => violation(second, "does not commute with"),
                _ => {}
            }
        }
    }
    Ok(())
}

fn moves<M: Inspect + Fingerprint>(
    machine: &mut M,
    related: &impl Fn(&EventLabel, &EventLabel) -> bool,
) -> Moves {
    let mut moves = Moves::new();
    EventLabel::steps(machine, related, |machine, _, label| {
        moves.insert(label, machine.fingerprint());
    });
    moves
}

//! Definition 1: the conditions for a dependence relation on operations, checked in every reachable
//! state.

use super::ends::choices;
use super::{Inspect, TooLarge};
use crate::{Action, Choice, Event, Outcome, Pending, Status};
use selvedge_base::{Id, ThreadId};
use std::collections::{BTreeMap, HashSet};

/// Two actions that the relation calls independent although they are not.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Violation {
    /// The first action.
    pub first: Action,
    /// The second action.
    pub second: Action,
    /// The effect of the first on the second.
    pub what: &'static str,
}

/// Checks, from every reachable state and for each two threads: if the first's action is
/// independent of the second's, then taking it neither enables nor disables the second's, nor
/// changes its alternatives, and both orders lead to the same state. An operation that *names* the
/// thread whose pending action it changes (the target of a signal, the threads that a barrier or
/// broadcast releases, the child of a spawn) orders the two by that name.
///
/// # Errors
/// If there are more than `limit` states.
pub fn check_dependence<M: Inspect>(
    machine: &mut M,
    limit: usize,
    dependent: impl Fn(&Action, &Action) -> bool,
) -> Result<Vec<Violation>, TooLarge> {
    let (mut seen, mut bad) = (HashSet::new(), Vec::new());
    visit(machine, limit, &dependent, &mut seen, &mut bad)?;
    Ok(bad)
}

fn visit<M: Inspect>(
    machine: &mut M,
    limit: usize,
    dependent: &impl Fn(&Action, &Action) -> bool,
    seen: &mut HashSet<M::State>,
    bad: &mut Vec<Violation>,
) -> Result<(), TooLarge> {
    if !seen.insert(machine.state()) {
        return Ok(());
    }
    if seen.len() > limit {
        return Err(TooLarge);
    }
    let mark = machine.mark();
    for choice in choices(machine) {
        let before = machine.pending().to_vec();
        let event = machine.step(choice);
        let after = machine.pending().to_vec();
        for (q, (old, new)) in before.iter().zip(&after).enumerate() {
            if q == choice.thread.index()
                || matches!(old.status, Status::Finished)
                || dependent(&event.action, &old.action)
            {
                continue;
            }
            if let Some(what) = changed(machine, &event, ThreadId::from_index(q), old, new) {
                bad.push(Violation {
                    first: event.action,
                    second: old.action,
                    what,
                });
            }
        }
        machine.undo(mark);
        for (q, other) in before.iter().enumerate() {
            let independent =
                q != choice.thread.index() && other.is_enabled() && !dependent(&event.action, &other.action);
            if independent
                && both_orders(machine, mark, choice, q, |second| {
                    dependent(&event.action, second)
                })
            {
                bad.push(Violation {
                    first: event.action,
                    second: other.action,
                    what: "orders differ",
                });
            }
        }
        machine.step(choice);
        visit(machine, limit, dependent, seen, bad)?;
        machine.undo(mark);
    }
    Ok(())
}

/// The change that an independent event made to another thread's pending action, if any.
fn changed<M: Inspect>(
    machine: &M,
    event: &Event,
    thread: ThreadId,
    old: &Pending,
    new: &Pending,
) -> Option<&'static str> {
    let named = match event.outcome {
        Outcome::Thread(t) => t == thread,
        Outcome::Threads(set) => machine.waiters(set).contains(&thread),
        _ => false,
    };
    if named {
        None
    } else if old.action != new.action {
        Some("changes")
    } else if old.is_enabled() != new.is_enabled() {
        Some(if new.is_enabled() { "enables" } else { "disables" })
    } else if old.alternatives != new.alternatives {
        Some("changes the alternatives of")
    } else {
        None
    }
}

/// True if the state after the choice and then thread `q` differs from the state after the opposite
/// order. Alternatives of `q`, and those of the choice, are matched by number, because independence
/// preserves them.
///
/// `dependent`: whether the choice's event is dependent on an event of `q`. More is known of the
/// event than before it: whether the thread ended with it.
fn both_orders<M: Inspect>(
    machine: &mut M,
    mark: M::Mark,
    choice: Choice,
    q: usize,
    dependent: impl Fn(&Action) -> bool,
) -> bool {
    let second = ThreadId::from_index(q);
    for alternative in 0..machine.pending()[q].alternatives {
        let other = Choice {
            thread: second,
            alternative,
        };
        let taken = machine.step(other).action;
        machine.undo(mark);
        if dependent(&taken) {
            continue;
        }
        let mut state_after = |order: [Choice; 2]| {
            let mut names = BTreeMap::new();
            for c in order {
                let p = &machine.pending()[c.thread.index()];
                if !p.is_enabled() || c.alternative >= p.alternatives {
                    machine.undo(mark);
                    return None;
                }
                machine.step(c);
            }
            for (t, p) in machine.pending().iter().enumerate() {
                let named = Action {
                    thread: ThreadId(0),
                    ..p.action
                };
                names.insert(
                    machine.name(ThreadId::from_index(t)),
                    (named, p.status, p.alternatives),
                );
            }
            let state = names.into_iter().collect::<Vec<_>>();
            let ending = machine.ending();
            machine.undo(mark);
            Some((state, ending))
        };
        if state_after([choice, other]) != state_after([other, choice]) {
            return true;
        }
    }
    false
}

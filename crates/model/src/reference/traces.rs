//! Mazurkiewicz traces, by visiting every prefix of every trace.
//!
//! A trace is identified by its Foata normal form: the set of its labels, each with the length of
//! the longest chain of dependent events before it. Two executions have the same form exactly if
//! one becomes the other by swapping independent neighbours.

use super::ends::choices;
use super::{Inspect, TooLarge};
use crate::{Action, Event, Op, Outcome};
use std::collections::{BTreeSet, HashSet};

/// An event, in names that do not depend on the order of independent events: the thread, the number
/// of its earlier events, the operation, the outcome.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Label {
    /// The thread's [name](Inspect::name).
    pub thread: u32,
    /// The number of earlier events of the thread.
    pub number: u32,
    /// The operation.
    pub op: Op,
    /// A number for the outcome: 0 for the only possible one, otherwise distinct.
    pub outcome: u64,
}

/// A Foata normal form.
pub type Form = BTreeSet<(u32, Label)>;

/// The execution so far, with each event's depth in its form. Tests of explorers keep one beside
/// the machine.
#[derive(Clone, Default, Debug)]
pub struct Trace {
    events: Vec<(u32, Label, Action, Vec<u32>)>,
    values_only: bool,
}

impl Trace {
    /// No event.
    pub const fn new() -> Self {
        Trace {
            events: Vec::new(),
            values_only: false,
        }
    }

    /// No event, where only values count ([`Event::as_used`]).
    pub const fn of_values() -> Self {
        Trace {
            events: Vec::new(),
            values_only: true,
        }
    }

    /// The number of events.
    pub fn len(&self) -> usize {
        self.events.len()
    }

    /// True if there is no event.
    pub fn is_empty(&self) -> bool {
        self.events.is_empty()
    }

    /// Returns to the first `len` events.
    pub fn truncate(&mut self, len: usize) {
        self.events.truncate(len);
    }

    /// Adds the event that the machine just took. `dependent` is called for actions of different
    /// threads. An event also comes before the next events of the threads that its outcome names.
    pub fn push<M: Inspect>(
        &mut self,
        machine: &M,
        event: &Event,
        dependent: impl Fn(&Action, &Action) -> bool,
    ) {
        let thread = machine.name(event.action.thread);
        let named = |t: &_| u64::from(machine.name(*t)) + 2;
        let outcome = match event.outcome {
            Outcome::Done => 0,
            // The reason why a wait ends.
            Outcome::Failed => 1 | u64::from(event.alternative) << 1,
            Outcome::Thread(t) => named(&t) << 8,
            Outcome::Threads(set) => machine
                .waiters(set)
                .iter()
                .fold(1 << 32, |all, t| all | 1 << (named(t) + 31)),
            Outcome::Value(v) => u64::from(v) << 16,
            Outcome::Incomplete => 1 << 48,
        };
        let chosen = match event.completes {
            true => 1 << 49 | u64::from(event.alternative) << 50,
            false => 0,
        };
        let outcome = outcome | chosen;
        let used = event.as_used(self.values_only);
        let number = self.events.iter().filter(|(_, l, ..)| l.thread == thread).count() as u32;
        let label = Label {
            thread,
            number,
            op: event.action.op,
            outcome,
        };
        let depth = self
            .events
            .iter()
            .filter(|(_, l, action, named)| {
                l.thread == thread || named.contains(&thread) || dependent(action, &used)
            })
            .map(|(depth, ..)| depth + 1)
            .max()
            .unwrap_or(0);
        let named = match event.outcome {
            Outcome::Thread(t) => vec![machine.name(t)],
            Outcome::Threads(set) => machine.waiters(set).iter().map(|&t| machine.name(t)).collect(),
            _ => Vec::new(),
        };
        self.events.push((depth, label, used, named));
    }

    /// Its normal form.
    pub fn form(&self) -> Form {
        self.events
            .iter()
            .map(|&(depth, label, ..)| (depth, label))
            .collect()
    }
}

/// The traces of all maximal executions under a relation on operations. `begun`: no event.
///
/// # Errors
/// If more than `limit` prefixes were visited.
pub fn traces<M: Inspect>(
    machine: &mut M,
    limit: usize,
    mut begun: Trace,
    dependent: impl Fn(&Action, &Action) -> bool,
) -> Result<BTreeSet<Form>, TooLarge> {
    let (mut seen, mut maximal) = (HashSet::new(), BTreeSet::new());
    visit(machine, limit, &dependent, &mut begun, &mut seen, &mut maximal)?;
    Ok(maximal)
}

fn visit<M: Inspect>(
    machine: &mut M,
    limit: usize,
    dependent: &impl Fn(&Action, &Action) -> bool,
    trace: &mut Trace,
    seen: &mut HashSet<Form>,
    maximal: &mut BTreeSet<Form>,
) -> Result<(), TooLarge> {
    let form = trace.form();
    if !seen.insert(form.clone()) {
        return Ok(());
    }
    if seen.len() > limit {
        return Err(TooLarge);
    }
    let choices = choices(machine);
    if choices.is_empty() {
        maximal.insert(form);
    }
    let mark = machine.mark();
    for choice in choices {
        let event = machine.step(choice);
        trace.push(machine, &event, dependent);
        visit(machine, limit, dependent, trace, seen, maximal)?;
        trace.truncate(trace.len() - 1);
        machine.undo(mark);
    }
    Ok(())
}

//! Mazurkiewicz traces, by visiting every prefix of every trace.
//!
//! A trace is told by its Foata normal form: the set of its labels, each with the length of the
//! longest chain of dependent events before it. Two executions have the same form iff one becomes
//! the other by swapping independent neighbours.

use super::ends::choices;
use super::{Inspect, TooLarge};
use crate::{Action, Event, Op, Outcome};
use std::collections::{BTreeSet, HashSet};

/// What happened, in names that do not depend on the order of independent events: thread, how many
/// of its events came before, operation, outcome.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Label {
    /// The thread's [name](Inspect::name).
    pub thread: u32,
    /// How many events of the thread came before.
    pub number: u32,
    /// What it did.
    pub op: Op,
    /// What came of it: 0 for the only way, else told apart.
    pub outcome: u64,
}

/// A Foata normal form.
pub type Form = BTreeSet<(u32, Label)>;

/// The execution so far, with each event's depth in its form. Explorers' tests keep one beside the
/// machine.
#[derive(Clone, Default, Debug)]
pub struct Trace {
    events: Vec<(u32, Label, Action, Vec<u32>)>,
}

impl Trace {
    /// No event.
    pub const fn new() -> Self {
        Trace { events: Vec::new() }
    }

    /// How many events there are.
    pub fn len(&self) -> usize {
        self.events.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.events.is_empty()
    }

    /// Goes back to the first `len` events.
    pub fn truncate(&mut self, len: usize) {
        self.events.truncate(len);
    }

    /// Adds the event that the machine just took; `dependent` is asked for actions of different
    /// threads. An event also comes before what the threads that its outcome names do next.
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
            // Why a wait ends.
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
                l.thread == thread || named.contains(&thread) || dependent(action, &event.action)
            })
            .map(|(depth, ..)| depth + 1)
            .max()
            .unwrap_or(0);
        let named = match event.outcome {
            Outcome::Thread(t) => vec![machine.name(t)],
            Outcome::Threads(set) => machine.waiters(set).iter().map(|&t| machine.name(t)).collect(),
            _ => Vec::new(),
        };
        self.events.push((depth, label, event.action, named));
    }

    /// Its normal form.
    pub fn form(&self) -> Form {
        self.events
            .iter()
            .map(|&(depth, label, ..)| (depth, label))
            .collect()
    }
}

/// The traces of all maximal executions under a relation on operations.
///
/// # Errors
/// If more than `limit` prefixes were seen.
pub fn traces<M: Inspect>(
    machine: &mut M,
    limit: usize,
    dependent: impl Fn(&Action, &Action) -> bool,
) -> Result<BTreeSet<Form>, TooLarge> {
    let (mut seen, mut maximal) = (HashSet::new(), BTreeSet::new());
    visit(
        machine,
        limit,
        &dependent,
        &mut Trace::new(),
        &mut seen,
        &mut maximal,
    )?;
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

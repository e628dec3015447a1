//! Labels of events, and the dependence relation on them.

use super::Inspect;
use super::ends::all_choices;
use crate::{Action, Choice, Effect, Event, Op, Outcome, for_each_effect};
use selvedge_base::{Id, ThreadId};
use std::collections::hash_map::DefaultHasher;
use std::fmt;
use std::hash::{Hash, Hasher};

/// The action of an event and how it ended, in names that do not depend on the order of independent
/// events.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct EventLabel {
    /// The action, its threads under the machine's [names](Inspect::name).
    pub action: Action,
    /// True if the outcome was [`Outcome::Failed`].
    pub failed: bool,
    /// The decision: [`Machine::decision`](crate::Machine::decision), or the outcome's value.
    pub decision: u128,
    /// The threads that its outcome names, sorted.
    pub named: Vec<ThreadId>,
    /// For a data choice that completes another action: that action. The event has the uses of
    /// both. Whether the other action fails follows from the decision.
    pub completed: Option<Action>,
}

impl EventLabel {
    /// The label of the event that the machine just took. `pending` and `decision` are the thread's
    /// pending action and the choice's decision, read before the step.
    fn new<M: Inspect>(machine: &M, event: &Event, pending: &Action, decision: u128) -> EventLabel {
        let name = |thread| ThreadId::from_index(machine.name(thread) as usize);
        let mut named: Vec<ThreadId> = match event.outcome {
            Outcome::Thread(thread) => vec![name(thread)],
            Outcome::Threads(set) => machine.waiters(set).iter().map(|&thread| name(thread)).collect(),
            _ => Vec::new(),
        };
        named.sort_unstable();
        let taken = Action {
            ends: event.action.ends,
            size: match pending.op {
                Op::Channel => event.action.size,
                _ => pending.size,
            },
            ..*pending
        };
        let completed = Action {
            ends: false,
            ..event.action
        };
        EventLabel {
            action: taken.renamed(name),
            failed: event.outcome == Outcome::Failed && !event.completes,
            decision: match event.outcome {
                Outcome::Value(value) => u128::from(value),
                _ => decision,
            },
            named,
            completed: event.completes.then(|| completed.renamed(name)),
        }
    }

    /// The label of the action that a thread has begun and not completed.
    fn begun<M: Inspect>(machine: &M, thread: ThreadId) -> Option<EventLabel> {
        let name = |thread| ThreadId::from_index(machine.name(thread) as usize);
        let action = machine.begun(thread)?.renamed(name);
        Some(EventLabel {
            action,
            failed: false,
            decision: 0,
            named: Vec::new(),
            completed: None,
        })
    }

    /// The steps that can be taken in the machine's state, each with its label. Between an action
    /// and the data choice that completes it, only events that are not related to the action are
    /// taken. The machine is undone after each step.
    pub(super) fn steps<M: Inspect>(
        machine: &mut M,
        related: impl Fn(&EventLabel, &EventLabel) -> bool,
        mut each: impl FnMut(&mut M, Choice, EventLabel),
    ) {
        let threads = (0..machine.pending().len()).map(ThreadId::from_index);
        let begun: Vec<EventLabel> = threads
            .filter_map(|thread| EventLabel::begun(machine, thread))
            .collect();
        let mark = machine.mark();
        for choice in all_choices(machine) {
            let label = EventLabel::of_step(machine, choice);
            let comes_between = |begun: &EventLabel| !begun.same_thread(&label) && related(begun, &label);
            if !begun.iter().any(comes_between) {
                each(machine, choice, label);
            }
            machine.undo(mark);
        }
    }

    /// Takes a step and gives the event's label.
    pub fn of_step<M: Inspect>(machine: &mut M, choice: Choice) -> EventLabel {
        let decision = machine.decision(choice);
        let pending = machine.pending()[choice.thread.index()].action;
        let event = machine.step(choice);
        EventLabel::new(machine, &event, &pending, decision)
    }

    /// Whether two events may not commute, by [`Effect::dependent`].
    pub fn dependent(&self, other: &EventLabel) -> bool {
        self.same_thread(other) || self.names(other) || self.share(other, |_, a, b| a.dependent(b))
    }

    /// True if both are of one thread.
    pub fn same_thread(&self, other: &EventLabel) -> bool {
        self.action.thread == other.action.thread
    }

    /// Whether the outcome of one names the thread of the other.
    pub fn names(&self, other: &EventLabel) -> bool {
        self.named.contains(&other.action.thread) || other.named.contains(&self.action.thread)
    }

    /// True if they use a common byte of an object in ways that are related. The first argument of
    /// `related` is the object.
    pub fn share(&self, other: &EventLabel, related: impl Fn(u64, Effect, Effect) -> bool) -> bool {
        let mut found = false;
        self.for_each_effect(|object, bytes, effect| {
            other.for_each_effect(|o, b, e| {
                found |= object == o && bytes & b != 0 && related(object, effect, e);
            });
        });
        found
    }

    fn for_each_effect(&self, mut f: impl FnMut(u64, u8, Effect)) {
        if let Some(completed) = &self.completed {
            for_each_effect(completed, false, &[], &mut f);
        }
        for_each_effect(&self.action, self.failed, &self.named, f);
    }
}

impl fmt::Display for EventLabel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Action {
            thread,
            op,
            object,
            stmt,
            ..
        } = self.action;
        write!(f, "{}:{op:?}({:x})@{}", thread.0, object.0, stmt.0 & 0xffff)?;
        if let Some(completed) = &self.completed {
            write!(f, " completing {:?}({:x})", completed.op, completed.object.0)?;
        }
        if self.failed {
            write!(f, " failed")?;
        }
        if self.decision != 0 {
            write!(f, " ={}", self.decision)?;
        }
        if !self.named.is_empty() {
            write!(f, " {:?}", self.named)?;
        }
        Ok(())
    }
}

/// The name of an event: a hash of its label and, recursively, of its causes. It is the same for
/// the same event however events are stored, so two stores can be compared by their sets of names.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct EventName(pub u128);

impl EventName {
    /// The name of the event with this label whose immediate causes (the maximal ones) have these
    /// names, in any order.
    pub fn new(label: &EventLabel, immediate_causes: impl IntoIterator<Item = EventName>) -> EventName {
        let mut causes: Vec<EventName> = immediate_causes.into_iter().collect();
        causes.sort_unstable();
        let half = |which: u8| {
            let mut hasher = DefaultHasher::new();
            (which, label, &causes).hash(&mut hasher);
            u128::from(hasher.finish())
        };
        EventName(half(0) << 64 | half(1))
    }
}

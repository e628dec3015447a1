//! Labels of events, and the dependence relation on them.

use super::Inspect;
use crate::{Action, Choice, Effect, Event, Outcome, for_each_effect};
use selvedge_base::{Id, ThreadId};
use std::collections::hash_map::DefaultHasher;
use std::fmt;
use std::hash::{Hash, Hasher};

/// What an event did and how it ended, in names that do not depend on the order of independent
/// events.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct EventLabel {
    /// The action, its threads under the machine's [names](Inspect::name).
    pub action: Action,
    /// It failed: [`Outcome::Failed`].
    pub failed: bool,
    /// What was decided: [`Machine::decision`](crate::Machine::decision), or the outcome's value.
    pub decision: u128,
    /// The threads that its outcome names, sorted.
    pub named: Vec<ThreadId>,
}

impl EventLabel {
    /// The label of the event that the machine just took; `decision` is what the choice decided,
    /// asked before the step.
    pub fn new<M: Inspect>(machine: &M, event: &Event, decision: u128) -> EventLabel {
        let name = |thread| ThreadId::from_index(machine.name(thread) as usize);
        let mut named: Vec<ThreadId> = match event.outcome {
            Outcome::Thread(thread) => vec![name(thread)],
            Outcome::Threads(set) => machine.waiters(set).iter().map(|&thread| name(thread)).collect(),
            _ => Vec::new(),
        };
        named.sort_unstable();
        EventLabel {
            action: event.action.renamed(name),
            failed: event.outcome == Outcome::Failed,
            decision: match event.outcome {
                Outcome::Value(value) => u128::from(value),
                _ => decision,
            },
            named,
        }
    }

    /// Takes a step and gives the event's label.
    pub fn of_step<M: Inspect>(machine: &mut M, choice: Choice) -> EventLabel {
        let decision = machine.decision(choice);
        let event = machine.step(choice);
        EventLabel::new(machine, &event, decision)
    }

    /// Whether two events may not commute, by [`Effect::dependent`].
    pub fn dependent(&self, other: &EventLabel) -> bool {
        self.same_thread(other) || self.names(other) || self.share(other, |_, a, b| a.dependent(b))
    }

    /// Whether one thread does both.
    pub fn same_thread(&self, other: &EventLabel) -> bool {
        self.action.thread == other.action.thread
    }

    /// Whether the outcome of one names the thread of the other.
    pub fn names(&self, other: &EventLabel) -> bool {
        self.named.contains(&other.action.thread) || other.named.contains(&self.action.thread)
    }

    /// Whether they use a common byte of an object in ways that are related; the object is given
    /// first.
    pub fn share(&self, other: &EventLabel, related: impl Fn(u64, Effect, Effect) -> bool) -> bool {
        let mut found = false;
        for_each_effect(&self.action, self.failed, &self.named, |object, bytes, effect| {
            for_each_effect(&other.action, other.failed, &other.named, |o, b, e| {
                found |= object == o && bytes & b != 0 && related(object, effect, e);
            });
        });
        found
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

/// The name of an event: a hash of its label and, recursively, of its causes. The same for the same
/// event, in whatever way events are stored; so two stores can be compared by their sets of names.
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

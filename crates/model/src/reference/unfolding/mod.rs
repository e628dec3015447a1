//! The complete unfolding of a small system (Rodríguez, Sousa, Sharma and Kroening, CONCUR 2015):
//! the slow oracle of the exploration by unfolding.
//!
//! An event is ⟨label, causes⟩. Every configuration is visited, by every path that leads there. All
//! sets are bit sets. What an explorer derives by an algorithm is computed here from its
//! definition: conflicts from dependence and causality, conflicting extensions from every
//! sub-configuration.
//!
//! The construction also checks the relation: for each configuration, however it was reached, the
//! state is the same, each event adds the same to the fingerprint, and the same events are enabled.
//! [`Unfolding::verify`] checks more: every configuration by the definition was reached.

mod build;
mod set;
mod verify;

pub use set::EventSet;

use super::{EventLabel, EventName};
use crate::Choice;
use selvedge_base::{Digest, ThreadId};
use std::collections::{BTreeSet, HashMap, HashSet};

/// The reason why there is no unfolding.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Refused {
    /// Too many configurations.
    TooLarge,
    /// The relation calls two events independent although they are not.
    Broken(String),
}

/// An event.
#[derive(Clone, Debug)]
pub struct UnfoldingEvent {
    /// The action and how it ended.
    pub label: EventLabel,
    /// All its causes, without itself.
    pub causes: EventSet,
    /// All events in conflict with it, inherited or immediate.
    pub conflicts: EventSet,
    /// Its name, which does not depend on the numbers of events.
    pub name: EventName,
    /// The change that it makes to the state's fingerprint.
    pub delta: Digest,
}

/// A configuration.
#[derive(Clone, Debug)]
pub struct Configuration {
    /// Its events.
    pub events: EventSet,
    /// The events that extend it to a larger configuration.
    pub enabled: EventSet,
    /// The state's fingerprint.
    pub fingerprint: Digest,
    /// A path to this configuration from the initial state.
    pub path: Vec<Choice>,
}

/// The unfolding of a system that always ends.
#[derive(Clone, Debug)]
pub struct Unfolding<E> {
    events: Vec<UnfoldingEvent>,
    configurations: Vec<Configuration>,
    index: HashMap<EventSet, usize>,
    ends: BTreeSet<E>,
    asserts: BTreeSet<(ThreadId, u32)>,
}

impl<E> Unfolding<E> {
    /// All events; the causes of one have smaller numbers.
    pub fn events(&self) -> &[UnfoldingEvent] {
        &self.events
    }

    /// All configurations, each after some smaller one.
    pub fn configurations(&self) -> &[Configuration] {
        &self.configurations
    }

    /// The configuration with these events, if they are one.
    pub fn configuration(&self, events: &EventSet) -> Option<&Configuration> {
        self.index.get(events).map(|&at| &self.configurations[at])
    }

    /// The maximal configurations: as many as there are Mazurkiewicz traces of maximal executions.
    pub fn maximal(&self) -> impl Iterator<Item = &Configuration> {
        self.configurations.iter().filter(|c| c.enabled.is_empty())
    }

    /// Every state in which nothing is enabled: the states of maximal configurations.
    pub fn ends(&self) -> &BTreeSet<E> {
        &self.ends
    }

    /// Noted assertions: (thread, position).
    pub fn asserts(&self) -> &BTreeSet<(ThreadId, u32)> {
        &self.asserts
    }

    /// `[e]`: the event with its causes.
    pub fn local(&self, event: usize) -> EventSet {
        self.events[event].causes.with(event)
    }

    /// The maximal causes of an event: those that are no causes of another cause.
    pub fn immediate_causes(&self, event: usize) -> EventSet {
        let causes = &self.events[event].causes;
        let mut further = EventSet::new();
        for cause in causes.iter() {
            further.extend(&self.events[cause].causes);
        }
        causes.without(&further)
    }

    /// True if the events are causally closed and without conflict.
    pub fn is_configuration(&self, events: &EventSet) -> bool {
        events.iter().all(|event| {
            let UnfoldingEvent {
                causes, conflicts, ..
            } = &self.events[event];
            causes.is_subset(events) && !conflicts.meets(events)
        })
    }

    /// True if two events are in immediate conflict: they are dependent, neither is a cause of the
    /// other, and each of them forms a configuration with the other's causes.
    pub fn immediate_conflict(&self, a: usize, b: usize) -> bool {
        let beside = |event: usize, other: usize| {
            let mut both = self.local(event);
            both.extend(&self.events[other].causes);
            self.is_configuration(&both)
        };
        self.events[a].conflicts.contains(b) && beside(a, b) && beside(b, a)
    }

    /// ex(C): every event whose causes are in a configuration, by trying every smaller one.
    pub fn extensions(&self, events: &EventSet) -> EventSet {
        let (mut seen, mut todo) = (HashSet::new(), vec![EventSet::new()]);
        let mut found = EventSet::new();
        while let Some(part) = todo.pop() {
            let Some(configuration) = self.configuration(&part) else {
                continue;
            };
            found.extend(&configuration.enabled);
            let inside = configuration.enabled.iter().filter(|&e| events.contains(e));
            let larger = inside.map(|event| part.with(event));
            todo.extend(larger.filter(|larger| seen.insert(larger.clone())));
        }
        found.without(events)
    }

    /// cex(C), the conflicting extensions: those of ex(C) that do not extend C to a configuration.
    pub fn conflicting_extensions(&self, events: &EventSet) -> EventSet {
        let enabled = self.configuration(events).map(|c| c.enabled.clone());
        self.extensions(events).without(&enabled.unwrap_or_default())
    }

    /// The number of the event with a name, if there is one.
    pub fn by_name(&self, name: EventName) -> Option<usize> {
        self.events.iter().position(|event| event.name == name)
    }

    /// The events of a set by their names.
    pub fn names(&self, events: &EventSet) -> BTreeSet<EventName> {
        events.iter().map(|event| self.events[event].name).collect()
    }

    /// The labels of a set's events, for people.
    pub fn show(&self, events: &EventSet) -> String {
        let labels: Vec<String> = events.iter().map(|e| self.events[e].label.to_string()).collect();
        labels.join(", ")
    }
}

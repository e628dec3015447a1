//! Visits every configuration and finds its events.

use super::{Configuration, EventSet, Refused, Unfolding, UnfoldingEvent};
use crate::reference::ends::note;
use crate::reference::{EventLabel, EventName, Inspect};
use crate::{Choice, Fingerprint};
use selvedge_base::Digest;
use std::collections::hash_map::Entry;
use std::collections::{BTreeSet, HashMap};

impl<E: Ord> Unfolding<E> {
    /// The unfolding of the machine, which is in its initial state, under
    /// [`EventLabel::dependent`].
    ///
    /// # Errors
    /// If there are more than `limit` configurations, or if the relation is no dependence relation.
    pub fn of<M>(machine: &mut M, limit: usize) -> Result<Unfolding<E>, Refused>
    where
        M: Inspect<End = E> + Fingerprint,
    {
        Unfolding::under(machine, limit, EventLabel::dependent)
    }

    /// The unfolding under another dependence relation: one that relates all labels of one thread,
    /// and each thread to its creation.
    ///
    /// # Errors
    /// If there are more than `limit` configurations, or if the relation is no dependence relation.
    pub fn under<M, R>(machine: &mut M, limit: usize, related: R) -> Result<Unfolding<E>, Refused>
    where
        M: Inspect<End = E> + Fingerprint,
        R: Fn(&EventLabel, &EventLabel) -> bool,
    {
        let mut builder = Builder {
            unfolding: Unfolding {
                events: Vec::new(),
                configurations: Vec::new(),
                index: HashMap::new(),
                ends: BTreeSet::new(),
                asserts: BTreeSet::new(),
            },
            known: HashMap::new(),
            path: Vec::new(),
            limit,
            related,
        };
        note(machine, &mut builder.unfolding.asserts);
        builder.visit(machine, &EventSet::new(), machine.fingerprint())?;
        let Builder {
            mut unfolding,
            related,
            ..
        } = builder;
        let conflicts = conflicts(&unfolding.events, related);
        for (event, conflicts) in unfolding.events.iter_mut().zip(conflicts) {
            event.conflicts = conflicts;
        }
        Ok(unfolding)
    }
}

struct Builder<E, R> {
    unfolding: Unfolding<E>,
    known: HashMap<(EventLabel, EventSet), usize>,
    path: Vec<Choice>,
    limit: usize,
    related: R,
}

impl<E: Ord, R: Fn(&EventLabel, &EventLabel) -> bool> Builder<E, R> {
    /// Visits all configurations that contain this one, whose state the machine is in.
    /// `fingerprint` is the expected fingerprint.
    fn visit<M>(&mut self, machine: &mut M, events: &EventSet, fingerprint: Digest) -> Result<(), Refused>
    where
        M: Inspect<End = E> + Fingerprint,
    {
        if machine.fingerprint() != fingerprint {
            return Err(self.broken("what it adds to the fingerprint is not the event's own", events));
        }
        let seen = self.unfolding.index.get(events).copied();
        let (mut enabled, mut after) = (EventSet::new(), Vec::new());
        let mark = machine.mark();
        let (mut steps, asserts) = (Vec::new(), &mut self.unfolding.asserts);
        EventLabel::steps(machine, &self.related, |machine, choice, label| {
            note(machine, asserts);
            steps.push((choice, label, machine.delta()));
        });
        for (choice, label, delta) in steps {
            let event = self.event(label, events, delta)?;
            enabled.insert(event);
            after.push((choice, event));
        }
        if let Some(at) = seen {
            let known = &self.unfolding.configurations[at];
            return if known.fingerprint != fingerprint {
                Err(self.broken("two ways lead to two states", events))
            } else if known.enabled != enabled {
                Err(self.broken("two ways lead to different events", events))
            } else {
                Ok(())
            };
        }
        if enabled.is_empty() {
            self.unfolding.ends.insert(machine.ending());
        }
        let at = self.unfolding.configurations.len();
        if at == self.limit {
            return Err(Refused::TooLarge);
        }
        self.unfolding.index.insert(events.clone(), at);
        self.unfolding.configurations.push(Configuration {
            events: events.clone(),
            enabled,
            fingerprint,
            path: self.path.clone(),
        });
        for (choice, event) in after {
            machine.step(choice);
            self.path.push(choice);
            let there = fingerprint.with(self.unfolding.events[event].delta);
            self.visit(machine, &events.with(event), there)?;
            self.path.pop();
            machine.undo(mark);
        }
        Ok(())
    }

    /// The only event with this label whose causes are in the configuration.
    fn event(
        &mut self,
        label: EventLabel,
        configuration: &EventSet,
        delta: Digest,
    ) -> Result<usize, Refused> {
        let mut causes = EventSet::new();
        for event in configuration.iter().rev() {
            if !causes.contains(event) && (self.related)(&label, &self.unfolding.events[event].label) {
                causes.extend(&self.unfolding.local(event));
            }
        }
        let next = self.unfolding.events.len();
        let event = match self.known.entry((label.clone(), causes.clone())) {
            Entry::Occupied(known) => *known.get(),
            Entry::Vacant(free) => *free.insert(next),
        };
        if event < next {
            return if self.unfolding.events[event].delta == delta {
                Ok(event)
            } else {
                Err(self.broken(
                    &format!("what {label} adds to the fingerprint varies"),
                    configuration,
                ))
            };
        }
        self.unfolding.events.push(UnfoldingEvent {
            label,
            causes,
            conflicts: EventSet::new(),
            name: EventName(0),
            delta,
        });
        let causes = self.unfolding.immediate_causes(event);
        let names = self.unfolding.names(&causes);
        let new = &mut self.unfolding.events[event];
        new.name = EventName::new(&new.label, names);
        Ok(event)
    }

    fn broken(&self, what: &str, events: &EventSet) -> Refused {
        Refused::Broken(format!("{what}: after {}", self.unfolding.show(events)))
    }
}

/// For each event the events in conflict with it. Two events are in conflict if they, or causes of
/// theirs, are dependent and unordered.
fn conflicts(events: &[UnfoldingEvent], related: impl Fn(&EventLabel, &EventLabel) -> bool) -> Vec<EventSet> {
    let local = |e: usize| events[e].causes.with(e);
    let ordered = |a: usize, b: usize| events[a].causes.contains(b) || events[b].causes.contains(a);
    // The effects of each event.
    let mut above = vec![EventSet::new(); events.len()];
    for event in 0..events.len() {
        local(event).iter().for_each(|cause| above[cause].insert(event));
    }
    // The events that cannot follow an event because of this event alone.
    let mut excluded = vec![EventSet::new(); events.len()];
    for a in 0..events.len() {
        for b in 0..a {
            if !ordered(a, b) && related(&events[a].label, &events[b].label) {
                excluded[a].extend(&above[b]);
                excluded[b].extend(&above[a]);
            }
        }
    }
    let all = |event: usize| {
        let mut all = EventSet::new();
        local(event).iter().for_each(|cause| all.extend(&excluded[cause]));
        all
    };
    (0..events.len()).map(all).collect()
}

//! Alternatives: what shows that some maximal configuration contains C and none of the events of D.
//!
//! A k-partial alternative to D after C (Nguyen et al., CAV 2018, Section 5) is a configuration J,
//! causally closed and without events of D, that forms one configuration with C and in which each
//! of the last k events of D has an event in conflict with it. All events of D are enabled at C
//! (those that are not any more were dropped), so the conflicts are immediate ones, and these are
//! known of each event. For k = 1 one conflicting event does, found in polynomial time. For k = |D|
//! the search goes back over its choices, and whoever follows such an alternative never comes to
//! where everything enabled is in D.

use super::event::{EventId, Store, last};
use super::path::Path;
use super::weaken::Weaken;
use selvedge_model::{Detector, Fingerprint, Undo};

/// How many of the disabled events an alternative must be in conflict with.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Partial {
    /// The newest this many.
    Last(u32),
    /// Each of them: exploration is optimal.
    All,
}

/// A search for alternatives at one node.
pub struct Search<'a, M: Undo, D: Detector<M>> {
    /// All known events.
    pub store: &'a Store,
    /// The configuration C.
    pub path: &'a Path<M, D>,
    /// The events D, oldest first.
    pub disabled: &'a [EventId],
}

impl<M: Undo + Fingerprint, D: Detector<M>> Search<'_, M, D> {
    /// The events of an alternative that C has not, in the order of their numbers, and from where
    /// to go on. `from`: candidates for the newest event of D before this one were refused before.
    pub fn find(&self, partial: Partial, from: usize) -> Option<(Vec<EventId>, usize)> {
        let (&newest, older) = self.disabled.split_last()?;
        let mut most = match partial {
            Partial::Last(k) => k as usize - 1,
            Partial::All => usize::MAX,
        };
        most = most.min(older.len());
        let older = &older[older.len() - most..];
        let candidates = &self.store[newest].conflicts;
        let most = if self.store.weaken.is(Weaken::FirstCandidate) {
            1
        } else {
            candidates.len()
        };
        for (number, &candidate) in candidates.iter().enumerate().take(most).skip(from) {
            let mut chosen = Vec::new();
            let mut events = Vec::new();
            if self.add(candidate, &mut chosen, &mut events) && self.rest(older, &mut chosen, &mut events) {
                events.sort_unstable();
                return Some((events, number + 1));
            }
        }
        None
    }

    /// Finds events in conflict with each of `older`, the newest first.
    fn rest(&self, older: &[EventId], chosen: &mut Vec<EventId>, events: &mut Vec<EventId>) -> bool {
        let Some((&next, older)) = older.split_last() else {
            return true;
        };
        let conflicts = &self.store[next].conflicts;
        if conflicts.iter().any(|c| events.contains(c)) {
            return self.rest(older, chosen, events);
        }
        for &candidate in conflicts {
            let (chosen_before, events_before) = (chosen.len(), events.len());
            if self.add(candidate, chosen, events) && self.rest(older, chosen, events) {
                return true;
            }
            chosen.truncate(chosen_before);
            events.truncate(events_before);
        }
        false
    }

    /// Adds an event and its causes to a partial alternative; false, and nothing is added, if it is
    /// no candidate or does not go with the rest.
    fn add(&self, candidate: EventId, chosen: &mut Vec<EventId>, events: &mut Vec<EventId>) -> bool {
        let store = self.store;
        let event = &store[candidate];
        if event.cutoff || self.disabled.iter().any(|&d| store.contains(&event.clock, d)) {
            return false;
        }
        // Most candidates fail by themselves.
        if !self.goes_with_configuration(candidate, candidate) {
            return false;
        }
        let missing = store.difference(&event.clock, self.path.clock());
        let new: Vec<EventId> = missing.into_iter().filter(|e| !events.contains(e)).collect();
        if !new.iter().all(|&e| self.goes_with_configuration(e, candidate))
            || !new.iter().all(|&e| self.goes_with(e, candidate, chosen, events))
        {
            return false;
        }
        chosen.push(candidate);
        events.extend(new);
        true
    }

    /// Whether an event of a local configuration, itself not in C, is in conflict with none of C's
    /// events.
    fn goes_with_configuration(&self, e: EventId, of: EventId) -> bool {
        let (store, path) = (self.store, self.path);
        let (event, local) = (&store[e], &store[of].clock);
        if event.cutoff {
            return false;
        }
        let thread = event.thread;
        if last(path.clock(), thread).depth() >= event.depth {
            return false; // another event is at its place
        }
        for mine in &event.uses {
            for used in path.history(mine.slot).iter().rev() {
                let labels = || (&*event.what, &*store[used.event].what);
                let depends = used.thread != thread && store.relation.uses_depend(mine, &used.what, labels);
                let total = store.relation.is_total(used.what.effect) && mine.bytes & !used.what.bytes == 0;
                if !depends && !total {
                    continue;
                }
                let within = store.contains(local, used.event);
                if depends && !within {
                    return false;
                }
                if within && total {
                    break;
                }
            }
        }
        // Who was woken in C by an event that this one does not know of will not do this.
        if last(path.clock(), thread).depth() + 1 == event.depth
            && let Some(waker) = path.waker(thread)
            && !store.contains(local, waker)
        {
            return false;
        }
        event
            .ending
            .named
            .iter()
            .all(|&named| last(path.clock(), named).depth() <= last(local, named).depth())
    }

    /// Whether an event is in conflict with none of those chosen already.
    fn goes_with(&self, e: EventId, of: EventId, chosen: &[EventId], events: &[EventId]) -> bool {
        let store = self.store;
        let (event, local) = (&store[e], &store[of].clock);
        if chosen.is_empty() || store.weaken.is(Weaken::Together) {
            return true;
        }
        events.iter().all(|&other| {
            let there = &store[other];
            if store.contains(local, other) || others_contain(store, chosen, e) {
                return true;
            }
            if there.thread == event.thread {
                return false;
            }
            !store.dependent(e, other)
        })
    }
}

fn others_contain(store: &Store, chosen: &[EventId], e: EventId) -> bool {
    chosen.iter().any(|&c| store.contains(&store[c].clock, e))
}

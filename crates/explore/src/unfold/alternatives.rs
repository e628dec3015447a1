//! Alternatives: sets of events which show that some maximal configuration contains C and no event
//! of D.
//!
//! A k-partial alternative to D after C (Nguyen et al., CAV 2018, Section 5) is a configuration J
//! without events of D. J and C together form a configuration, and each of the last k events of D
//! has an event of J in conflict with it. All events of D are enabled at C (others were dropped),
//! so these conflicts are immediate, and each event stores its immediate conflicts. For k = 1, one
//! conflicting event is enough, and it is found in polynomial time. For k = |D| the search
//! backtracks over its choices. An exploration that follows such an alternative never reaches a
//! point where all enabled events are in D.

use super::event::{EventId, Store, last};
use super::path::Path;
use super::weaken::Weaken;
use selvedge_model::{Detector, Fingerprint, Undo};

/// The number of disabled events with which an alternative must be in conflict.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Partial {
    /// This many of the newest events.
    Last(u32),
    /// Each event: the exploration is optimal.
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
    /// The events of an alternative that are not in C, in ascending order, and the candidate from
    /// which a later search continues. `from`: the candidates for the newest event of D before this
    /// one were refused before.
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

    /// Finds events in conflict with each of `older`, beginning with the newest.
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

    /// Adds an event and its causes to a partial alternative. Returns false, and adds nothing, if
    /// the event is no candidate or is in conflict with the rest.
    fn add(&self, candidate: EventId, chosen: &mut Vec<EventId>, events: &mut Vec<EventId>) -> bool {
        let store = self.store;
        let event = &store[candidate];
        if event.cutoff || self.disabled.iter().any(|&d| store.contains(&event.clock, d)) {
            return false;
        }
        // Most candidates fail this test, without the others.
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

    /// True if an event is in conflict with no event of C. The event lies in the local
    /// configuration of `of` and is not in C.
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
        // If the thread was woken in C by an event that is not a cause of this one, the thread
        // cannot do this any more.
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

    /// True if an event is in conflict with no event chosen so far.
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

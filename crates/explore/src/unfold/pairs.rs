//! Races of cutoffs that no other event subsumes.
//!
//! A fault that ends the process does not end the executions without it: in these the other threads
//! go on. So it counts as a cutoff. But no other event has its state, and an event with which it
//! races may be on no path together with it. Then the race is on no path. Therefore each such fault
//! is paired with each known event (including other such faults) that is concurrent and in no
//! conflict with it. Pairs that may race are executed, and the detector follows.
//!
//! Tests do this for all cutoffs: it is the oracle for the argument of [`races`](super::races).

use super::event::{EventId, Store, last};
use super::races::Classes;
use rustc_hash::FxHashMap;
use selvedge_base::Id;

/// Pairs of a cutoff and another event that are concurrent, in no conflict, and may race.
pub fn find_pairs(
    classes: &Classes,
    store: &Store,
    paired: impl Fn(EventId) -> bool,
    stopped: impl Fn() -> bool,
    mut found: impl FnMut(EventId, EventId) -> bool,
) {
    let rivals_of = classes.rivals(store);
    let mut after: Vec<Vec<EventId>> = vec![Vec::new(); store.len()];
    let mut first = Vec::new();
    for id in store.ids().filter(|&id| store[id].judged) {
        match store[id].parent {
            parent if store[id].depth > 1 => after[parent.index()].push(id),
            _ => first.push(id),
        }
    }
    let mut members: Vec<Vec<EventId>> = vec![Vec::new(); rivals_of.len()];
    for id in store.ids() {
        if let Some(class) = classes.of(id) {
            members[class].push(id);
        }
    }
    for cutoff in store.ids().filter(|&id| paired(id) && classes.has_rivals(id)) {
        if stopped() {
            return;
        }
        let local = &store[cutoff].clock;
        let Some(class) = classes.of(cutoff) else { continue };
        let may_race = |event| {
            classes
                .of(event)
                .is_some_and(|other| rivals_of[class].contains(&other))
        };
        let rivals = || rivals_of[class].iter().flat_map(|&rival| &members[rival]);
        if rivals().take(FEW).count() < FEW {
            // In most cases it comes after all of them.
            let apart: Vec<EventId> = rivals().copied().filter(|&e| !store.contains(local, e)).collect();
            if apart.is_empty() {
                continue;
            }
            let mut beside = Beside::new(store, cutoff);
            for event in apart {
                if beside.goes_with(event) && !found(cutoff, event) {
                    return;
                }
            }
            continue;
        }
        let mut beside = Beside::new(store, cutoff);
        let mut next = first.clone();
        while let Some(event) = next.pop() {
            if store[event].action.thread == store[cutoff].action.thread {
                continue;
            }
            if !store.contains(&store[cutoff].clock, event) {
                if !beside.goes_with(event) {
                    continue; // so is what comes after it
                }
                if may_race(event) && !found(cutoff, event) {
                    return;
                }
            }
            next.extend_from_slice(&after[event.index()]);
        }
    }
}

/// Up to this number, events are examined one by one. If there are more, they are examined along
/// their threads, and events after a conflict are skipped.
const FEW: usize = 200;

/// The events that form a configuration with a given event and its causes.
struct Beside<'a> {
    store: &'a Store,
    event: EventId,
    uses: FxHashMap<u64, Vec<EventId>>,
    naming: Vec<EventId>,
    known: FxHashMap<EventId, bool>,
}

impl<'a> Beside<'a> {
    fn new(store: &'a Store, event: EventId) -> Self {
        let (mut uses, mut naming): (FxHashMap<u64, Vec<EventId>>, _) = Default::default();
        let local = store.difference(&store[event].clock, &[]);
        for &e in &local {
            for used in &store[e].uses {
                uses.entry(used.object).or_default().push(e);
            }
        }
        Vec::extend(
            &mut naming,
            local.into_iter().filter(|&e| !store[e].ending.named.is_empty()),
        );
        Beside {
            store,
            event,
            uses,
            naming,
            known: FxHashMap::default(),
        }
    }

    fn goes_with(&mut self, other: EventId) -> bool {
        if let Some(&known) = self.known.get(&other) {
            return known;
        }
        let store = self.store;
        let mut goes = store.contains(&store[self.event].clock, other);
        if !goes {
            let own = store[other].action.thread.index();
            let below = store[other].clock.iter().enumerate().map(|(thread, l)| {
                if thread != own {
                    l.event()
                } else if store[other].depth > 1 {
                    store[other].parent
                } else {
                    EventId::NONE
                }
            });
            let below: Vec<EventId> = below.filter(|e| e.is_some()).collect();
            goes = self.by_itself(other) && below.into_iter().all(|e| self.goes_with(e));
        }
        self.known.insert(other, goes);
        goes
    }

    /// True if the event itself, without its causes, is in conflict with no event of the
    /// configuration.
    fn by_itself(&self, other: EventId) -> bool {
        let (store, local) = (self.store, &self.store[self.event].clock);
        let event = &store[other];
        if last(local, event.action.thread).depth() >= event.depth {
            return false;
        }
        for mine in &event.uses {
            for &e in self.uses.get(&mine.object).map_or(&[][..], Vec::as_slice) {
                let depends = store[e].action.thread != event.action.thread
                    && store[e].uses.iter().any(|theirs| {
                        let labels = || (&*event.what, &*store[e].what);
                        store.relation.uses_depend(mine, theirs, labels)
                    });
                if depends && !store.contains(&event.clock, e) {
                    return false;
                }
            }
        }
        let named = &event.ending.named;
        named
            .iter()
            .all(|&t| last(local, t).depth() <= last(&event.clock, t).depth())
            && self.naming.iter().all(|&e| {
                !store[e].ending.named.contains(&event.action.thread)
                    || store.contains(&event.clock, e)
                    || last(local, event.action.thread).depth() + 1 != event.depth
            })
    }
}

//! Data races where cutoffs are.
//!
//! Along each path the detector sees every race of its trace. What it does not see by itself:
//!
//! 1. *Races of a cutoff event* with an event that is on no path together with it. Each pair of a
//!    cutoff and a known event (other cutoffs included) that are concurrent and in no conflict is
//!    looked at; pairs that may race are executed, before the detector.
//! 2. *Races of what comes after a cutoff* with what came before it. What comes after is explored
//!    elsewhere, after another past with the same state. The last step of each thread is part of
//!    the state (its [footprint](super::footprint) is). An access further back is known to all that
//!    comes after a cutoff if every dependence is a synchronisation, as with mutexes, condition
//!    variables, barriers and joins. With atomics, failing tries or signals outside the mutex it
//!    need not be ([unsynchronised](super::unsynchronised)): if there are accesses that may race,
//!    then who knows of which access has to be part of the state as well.
//!
//! Accesses under a common mutex do not race. So only pairs of [classes](Class) are looked at: few
//! in a program without races.

use super::event::{EventId, Last, Level, Store, last};
use super::footprint::{Footprint, MOST_SIGNALS};
use super::unsynchronised::any_unsynchronised;
use rustc_hash::{FxHashMap, FxHashSet};
use selvedge_base::{Id, ThreadId};
use selvedge_model::{Action, Effect, Op};

/// Events that touch the same memory under the same mutexes, between the same creations and ends of
/// threads.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct Class {
    thread: ThreadId,
    footprint: Footprint,
    /// The number of the set of mutexes that its thread holds.
    held: u32,
    /// How many threads its thread has created.
    spawned: u32,
    /// Threads of which it knows the end.
    ended: Vec<ThreadId>,
}

impl Class {
    /// Whether it comes before the creation of the other one's thread, or of who created that.
    fn is_before(&self, other: &Class, creators: &[(Option<ThreadId>, u32)]) -> bool {
        let mut thread = other.thread;
        while let Some(&(Some(creator), ordinal)) = creators.get(thread.index()) {
            if creator == self.thread {
                return ordinal >= self.spawned;
            }
            thread = creator;
        }
        false
    }
}

/// The classes of events, and which may race.
pub struct Classes {
    /// By event; none if it touches nothing, or was not executed.
    of: Vec<Option<u32>>,
    /// By class the classes with which it may race.
    rivals: Vec<FxHashSet<u32>>,
    /// By class whether it may race with some other, whatever is known of ends.
    wild: Vec<bool>,
    /// Whether two classes may race, whatever is known of ends.
    contested: bool,
    /// By event the number of what its thread holds after it; and these sets.
    held: Vec<u32>,
    sets: Vec<Vec<u64>>,
}

impl Classes {
    /// Of all known events.
    pub fn new(store: &Store) -> Self {
        let (mut of, mut held): (Vec<Option<u32>>, Vec<u32>) = (Vec::new(), Vec::new());
        let (mut numbers, mut sets) = (FxHashMap::default(), vec![Vec::new()]);
        let mut set_numbers: FxHashMap<Vec<u64>, u32> = [(Vec::new(), 0)].into_iter().collect();
        let mut changes: FxHashMap<(u32, u64, bool), u32> = FxHashMap::default();
        let mut classes: Vec<Class> = Vec::new();
        let creators = store.creators();
        for id in store.ids() {
            let event = &store[id];
            let before = if event.depth > 1 {
                held[event.parent.index()]
            } else {
                0
            };
            let mut now = before;
            for mine in event.uses.iter().filter(|u| u.effect == Effect::Own) {
                let taken = event.mutex == Level::Taken;
                now = *changes.entry((now, mine.object, taken)).or_insert_with(|| {
                    let mut set: Vec<u64> = sets[now as usize].clone();
                    set.retain(|&m| m != mine.object);
                    if taken {
                        set.push(mine.object);
                        set.sort_unstable();
                    }
                    *set_numbers.entry(set.clone()).or_insert_with(|| {
                        sets.push(set);
                        sets.len() as u32 - 1
                    })
                });
            }
            held.push(now);
            if event.footprint == Footprint::default() || !event.judged {
                of.push(None);
                continue;
            }
            let class = Class {
                thread: event.action.thread,
                footprint: event.footprint,
                held: now,
                spawned: event.spawned,
                ended: ended(store, id),
            };
            let next = classes.len() as u32;
            let number = *numbers.entry(class.clone()).or_insert(next);
            if number == next {
                classes.push(class);
            }
            of.push(Some(number));
        }
        let mut rivals = vec![FxHashSet::default(); classes.len()];
        let (mut contested, mut wild) = (false, vec![false; classes.len()]);
        let mut pairs: FxHashMap<(Footprint, Footprint), bool> = FxHashMap::default();
        let share = |a: &Class, b: &Class| {
            let other = &sets[b.held as usize];
            sets[a.held as usize].iter().any(|m| other.contains(m))
        };
        for (i, a) in classes.iter().enumerate() {
            for (j, b) in classes.iter().enumerate().skip(i + 1) {
                let apart = a.is_before(b, &creators) || b.is_before(a, &creators);
                if a.thread == b.thread || apart || share(a, b) {
                    continue;
                }
                let race = *pairs
                    .entry((a.footprint, b.footprint))
                    .or_insert_with(|| store.footprints.may_race(a.footprint, b.footprint));
                contested |= race;
                wild[i] |= race;
                wild[j] |= race;
                if race && !a.ended.contains(&b.thread) && !b.ended.contains(&a.thread) {
                    rivals[i].insert(j as u32);
                    rivals[j].insert(i as u32);
                }
            }
        }
        Classes {
            of,
            rivals,
            wild,
            contested,
            held,
            sets,
        }
    }

    fn has_rivals(&self, event: EventId) -> bool {
        self.of[event.index()].is_some_and(|class| !self.rivals[class as usize].is_empty())
    }

    fn may_race(&self, a: EventId, b: EventId) -> bool {
        match (self.of[a.index()], self.of[b.index()]) {
            (Some(a), Some(b)) => self.rivals[a as usize].contains(&b),
            _ => false,
        }
    }

    /// Whether who knows of which access may differ between executions that lead to one state, and
    /// make a race.
    pub fn depends_on_knowledge(&self, store: &Store) -> bool {
        let held = |id: EventId| {
            let mut held = self.sets[self.held[id.index()] as usize].clone();
            held.extend(self.given_back(store, id));
            held
        };
        (self.contested && any_unsynchronised(store, held)) || self.is_any_unordered(store)
    }

    /// The mutex that a thread gave back just before it signalled, if it did nothing since that may
    /// race: who waits with that mutex later has taken it after that, and so knows of everything
    /// else.
    fn given_back(&self, store: &Store, signal: EventId) -> Option<u64> {
        let mut at = signal;
        for _ in 0..MOST_SIGNALS {
            at = store[at].parent;
            let is_quiet = at.is_some()
                && !self.of[at.index()].is_some_and(|class| self.wild[class as usize])
                && store[at].action.thread == store[signal].action.thread;
            if !is_quiet {
                return None;
            }
            if !matches!(store[at].action.op, Op::Signal | Op::Broadcast) {
                break;
            }
        }
        let event = &store[at];
        let own = event.uses.iter().find(|u| u.effect == Effect::Own)?;
        (event.mutex == Level::Free && event.judged).then_some(own.object)
    }

    /// Whether an event does not know by synchronisation of all its causes that touch what may
    /// race.
    fn is_any_unordered(&self, store: &Store) -> bool {
        store.ids().any(|id| {
            let event = &store[id];
            event.judged
                && event.clock.iter().enumerate().any(|(thread, last)| {
                    let known = event.knows.get(thread).copied().unwrap_or(0);
                    thread != event.action.thread.index()
                        && last.depth() > known + 1
                        && self.touches(store, *last, known)
                })
        })
    }

    /// Whether an event of a thread before its last one there and after the first `known` may race.
    fn touches(&self, store: &Store, last: Last, known: u32) -> bool {
        let mut at = store[last.event()].parent;
        for _ in known + 1..last.depth() {
            if self.has_rivals(at) {
                return true;
            }
            at = store[at].parent;
        }
        false
    }

    /// Pairs of a cutoff and another event that are concurrent, in no conflict, and may race.
    pub fn pairs(
        &self,
        store: &Store,
        stopped: impl Fn() -> bool,
        mut found: impl FnMut(EventId, EventId) -> bool,
    ) {
        let mut after: Vec<Vec<EventId>> = vec![Vec::new(); store.len()];
        let mut first = Vec::new();
        for id in store.ids().filter(|&id| store[id].judged) {
            match store[id].parent {
                parent if store[id].depth > 1 => after[parent.index()].push(id),
                _ => first.push(id),
            }
        }
        let mut members: Vec<Vec<EventId>> = vec![Vec::new(); self.rivals.len()];
        for id in store.ids() {
            if let Some(class) = self.of[id.index()] {
                members[class as usize].push(id);
            }
        }
        for cutoff in store.ids().filter(|&id| store[id].cutoff && self.has_rivals(id)) {
            if stopped() {
                return;
            }
            let local = &store[cutoff].clock;
            let class = self.of[cutoff.index()].map_or(0, |class| class as usize);
            let rivals = || {
                self.rivals[class]
                    .iter()
                    .flat_map(|&rival| &members[rival as usize])
            };
            if rivals().take(FEW).count() < FEW {
                // Most often it comes after all of them.
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
                    if self.may_race(cutoff, event) && !found(cutoff, event) {
                        return;
                    }
                }
                next.extend_from_slice(&after[event.index()]);
            }
        }
    }
}

/// The threads of which an event knows the end.
fn ended(store: &Store, id: EventId) -> Vec<ThreadId> {
    let event = &store[id];
    // A cause need not be known: an atomic store may be the last that a thread does.
    let known = event
        .clock
        .iter()
        .zip(&event.knows)
        .filter(|(last, knows)| last.depth() <= **knows);
    let last = known.map(|(last, _)| last.event());
    let ended = last.filter(|&e| e.is_some() && e != id && is_end(&store[e].action));
    ended.map(|e| store[e].action.thread).collect()
}

fn is_end(action: &Action) -> bool {
    action.op == Op::Exit || action.ends
}

/// So many events are looked at one by one; more along the threads, leaving out what comes after a
/// conflict.
const FEW: usize = 200;

/// Which events form a configuration with a given one and its causes.
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

    /// Whether the event, its causes aside, is in conflict with none of the configuration.
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

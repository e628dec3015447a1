//! Data races where cutoffs are: which events may race, and what of the past has to be a part of
//! cutoffs' keys so that no race is lost ([`Knowledge`](super::cutoff::Knowledge)). The argument is
//! in docs/algorithms.md, "Races where cutoffs are".
//!
//! What is said here of known events holds of all: for each event of any execution one was executed
//! with the same thread, footprint and mutexes, after as many creations.

use super::event::{Event, EventId, Last, Level, Store};
use super::footprint::{Footprint, Touch};
use super::unsynchronised::{any_unsynchronised, unsettled};
use rustc_hash::{FxHashMap, FxHashSet};
use selvedge_base::{Id, ThreadId};
use selvedge_model::{Action, Effect, Op, Places};
use std::collections::BTreeMap;
use std::ops::Range;

/// Events that touch the same memory in the same surroundings.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
struct Class {
    footprint: Footprint,
    /// The number of its [`Around`].
    around: u32,
}

/// What orders an event, apart from what it does: its thread, between creations, joins and ends of
/// others, with some mutexes.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct Around {
    thread: ThreadId,
    /// The number of the set of mutexes that its thread holds.
    held: u32,
    /// How many threads its thread has created.
    spawned: u32,
    /// The number of the set of threads that its thread has joined.
    joined: u32,
    /// Threads of which it knows the end.
    ended: Vec<ThreadId>,
}

/// Of two [`Around`]s, what orders one after the other.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Related {
    /// A mutex, the creation of a thread, a join, or the thread.
    Apart,
    /// One knows of the end of the other.
    Ended,
    /// Nothing.
    Rivals,
}

impl Around {
    /// Whether it comes before the creation of the other one's thread, or of who created that.
    fn is_before(&self, other: &Around, creators: &[(Option<ThreadId>, u32)]) -> bool {
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
    all: Vec<Class>,
    /// By class whether it may race with some other.
    rivalled: Vec<bool>,
    /// Some two may race, whatever is known of ends.
    contested: bool,
    /// Bytes where some two may, and that do not count for cutoffs.
    uncounted: Vec<Range<u64>>,
    arounds: Vec<Around>,
    creators: Vec<(Option<ThreadId>, u32)>,
    /// Objects that order nothing: somebody sets them up while others run.
    unsettled: FxHashSet<u64>,
    /// By event the number of what its thread holds after it; and these sets, also those of threads
    /// that were joined.
    held: Vec<u32>,
    sets: Vec<Vec<u64>>,
    /// By thread who joins it; none if several may.
    joiners: FxHashMap<ThreadId, Option<ThreadId>>,
}

impl Classes {
    /// Of all known events.
    pub fn new(store: &Store) -> Self {
        Self::beyond(&Places::default(), store)
    }

    /// Of all known events; which may race is asked only where not all bytes are among these.
    pub fn beyond(places: &Places, store: &Store) -> Self {
        let (mut of, mut held): (Vec<Option<u32>>, Vec<u32>) = (Vec::new(), Vec::new());
        let mut joined: Vec<u32> = Vec::new();
        let (mut numbers, mut sets) = (FxHashMap::<Class, u32>::default(), vec![Vec::new()]);
        let mut set_numbers: FxHashMap<Vec<u64>, u32> = [(Vec::new(), 0)].into_iter().collect();
        let mut changes: FxHashMap<(u32, u64, bool), u32> = FxHashMap::default();
        let (mut all, mut arounds): (Vec<Class>, Vec<Around>) = Default::default();
        let mut around_numbers: FxHashMap<Around, u32> = FxHashMap::default();
        for id in store.ids() {
            let event = &store[id];
            let (mut now, mut ended_by_it) = match event.depth > 1 {
                true => (held[event.parent.index()], joined[event.parent.index()]),
                false => (0, 0),
            };
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
            if let Some(other) = joins(event).filter(|_| !event.ending.failed) {
                let mut set = sets[ended_by_it as usize].clone();
                set.push(other.index() as u64);
                ended_by_it = *set_numbers.entry(set.clone()).or_insert_with(|| {
                    sets.push(set);
                    sets.len() as u32 - 1
                });
            }
            joined.push(ended_by_it);
            if event.footprint == Footprint::default() || !event.judged {
                of.push(None);
                continue;
            }
            let around = Around {
                thread: event.action.thread,
                held: now,
                spawned: event.spawned,
                joined: ended_by_it,
                ended: ended(store, id),
            };
            let next = arounds.len() as u32;
            let around = match around_numbers.get(&around) {
                Some(&known) => known,
                None => {
                    around_numbers.insert(around.clone(), next);
                    arounds.push(around);
                    next
                }
            };
            let class = Class {
                footprint: event.footprint,
                around,
            };
            let next = all.len() as u32;
            let number = *numbers.entry(class).or_insert(next);
            if number == next {
                all.push(class);
            }
            of.push(Some(number));
        }
        let mut classes = Classes {
            of,
            contested: false,
            uncounted: Vec::new(),
            rivalled: vec![false; all.len()],
            all,
            arounds,
            creators: store.creators(),
            unsettled: unsettled(store),
            held,
            sets,
            joiners: joiners(store),
        };
        classes.look_for_rivals(store, places);
        classes
    }

    /// Finds which classes may race: those that touch the same bytes.
    fn look_for_rivals(&mut self, store: &Store, without: &Places) {
        // By what is touched the classes that touch it, by what is known around them.
        let mut places: BTreeMap<Touch, BTreeMap<u32, Vec<u32>>> = BTreeMap::new();
        for (number, class) in self.all.iter().enumerate() {
            for &touch in store.footprints.touches(class.footprint) {
                let users = places.entry(touch).or_default();
                users.entry(class.around).or_default().push(number as u32);
            }
        }
        let mut relations: FxHashMap<(u32, u32), Related> = FxHashMap::default();
        let counted = &store.past.places;
        let places: Vec<_> = places.into_iter().collect();
        for (i, (touch, users)) in places.iter().enumerate() {
            // Sorted by address: what overlaps and does not come before comes next.
            let after = places[i..].iter();
            let after = after.take_while(|(other, _)| other.begins_below_end_of(touch));
            for (other, rivals) in after.filter(|(other, _)| touch.races_with(other)) {
                let common = touch.common(other);
                if without.has(common.clone()) {
                    continue;
                }
                let mut is_counted = counted.has(common.clone());
                for (one, ones) in users {
                    for (two, twos) in rivals {
                        let key = (*one.min(two), *one.max(two));
                        let related = *relations.entry(key).or_insert_with(|| self.relate(*one, *two));
                        if related == Related::Apart {
                            continue;
                        }
                        self.contested = true;
                        if !is_counted {
                            self.uncounted.push(common.clone());
                            is_counted = true;
                        }
                        for &class in ones.iter().chain(twos) {
                            self.rivalled[class as usize] |= related == Related::Rivals;
                        }
                    }
                }
            }
        }
    }

    /// Whether something orders what is done in these surroundings.
    fn relate(&self, one: u32, two: u32) -> Related {
        let (a, b) = (&self.arounds[one as usize], &self.arounds[two as usize]);
        let (mine, theirs) = (&self.sets[a.held as usize], &self.sets[b.held as usize]);
        if a.thread == b.thread
            || a.is_before(b, &self.creators)
            || b.is_before(a, &self.creators)
            || self.has_joined(a, b.thread)
            || self.has_joined(b, a.thread)
            || mine
                .iter()
                .any(|m| theirs.contains(m) && !self.unsettled.contains(m))
        {
            Related::Apart
        } else if a.ended.contains(&b.thread) || b.ended.contains(&a.thread) {
            Related::Ended
        } else {
            Related::Rivals
        }
    }

    /// Whether somebody has joined a thread that nobody else joins: then that follows from the
    /// state, which has who was joined.
    fn has_joined(&self, around: &Around, thread: ThreadId) -> bool {
        let joined = &self.sets[around.joined as usize];
        joined.contains(&(thread.index() as u64)) && self.joiners.get(&thread) == Some(&Some(around.thread))
    }

    /// Whether an event may race with some other.
    pub fn has_rivals(&self, event: EventId) -> bool {
        self.of(event).is_some_and(|class| self.rivalled[class])
    }

    /// The class of an event; none if it touches nothing, or was not executed.
    pub fn of(&self, event: EventId) -> Option<usize> {
        self.of[event.index()].map(|class| class as usize)
    }

    /// By class those with which it may race. All pairs are looked at.
    pub fn rivals(&self, store: &Store) -> Vec<FxHashSet<usize>> {
        let mut rivals = vec![FxHashSet::default(); self.all.len()];
        let all = || self.all.iter().enumerate().filter(|&(i, _)| self.rivalled[i]);
        for (i, a) in all() {
            for (j, b) in all().filter(|&(j, _)| j > i) {
                if self.relate(a.around, b.around) == Related::Rivals
                    && store.footprints.may_race(a.footprint, b.footprint)
                {
                    rivals[i].insert(j);
                    rivals[j].insert(i);
                }
            }
        }
        rivals
    }

    /// Where two events may race, and what is done there does not count for cutoffs.
    pub fn uncounted(&self) -> &[Range<u64>] {
        &self.uncounted
    }

    /// Whether two events may race, whatever is known of ends.
    pub fn is_contested(&self) -> bool {
        self.contested
    }

    /// Whether who knows of which access may differ between executions that lead to one state, and
    /// make a race. `whole`: the exploration is finished.
    pub fn depends_on_knowledge(&self, store: &Store, whole: bool) -> bool {
        let held = |id: EventId| self.sets[self.held[id.index()] as usize].clone();
        self.is_contested() && (any_unsynchronised(store, whole, held) || self.is_any_unordered(store))
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
}

/// The thread that an event joins.
fn joins(event: &Event) -> Option<ThreadId> {
    let thread = event.action.object.as_thread();
    thread.filter(|_| event.action.op == Op::Join && event.executed)
}

/// By thread who joins it; none if several may.
fn joiners(store: &Store) -> FxHashMap<ThreadId, Option<ThreadId>> {
    let mut joiners = FxHashMap::default();
    for event in store.ids().map(|id| &store[id]) {
        if let Some(thread) = joins(event) {
            let joiner = joiners.entry(thread).or_insert(Some(event.thread));
            *joiner = joiner.filter(|&one| one == event.thread);
        }
    }
    joiners
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

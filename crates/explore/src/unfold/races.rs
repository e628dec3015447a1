//! Data races in the presence of cutoffs: which events may race, and how much of the past has to be
//! a part of cutoffs' keys so that no race is lost ([`Knowledge`](super::past::Knowledge)). The
//! argument is in docs/algorithms.md, "Races where cutoffs are".
//!
//! Statements about known events here hold for all events. For each event of any execution, an
//! event with the same thread, footprint and mutexes, and with the same number of created threads,
//! was executed.

use super::event::{Event, EventId, Last, Level, Store};
use super::footprint::{Footprint, Touch};
use super::set_ups::{SetUps, Standing};
use super::unsynchronised::any_unsynchronised;
use rustc_hash::{FxHashMap, FxHashSet};
use selvedge_base::{Id, ThreadId};
use selvedge_model::{Effect, Op, Places};
use std::collections::BTreeMap;
use std::ops::Range;

/// Events with the same accesses in the same surroundings.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
struct Class {
    footprint: Footprint,
    /// The number of its [`Around`].
    around: u32,
}

/// The surroundings of an event, which order it independently of its action: its thread, the
/// threads created and joined so far, the known ends of threads, and the held mutexes.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct Around {
    thread: ThreadId,
    /// The number of the set of mutexes that its thread holds.
    held: u32,
    /// The number of threads that its thread has created.
    spawned: u32,
    /// The number of the set of threads that its thread has joined, and has not begun again.
    joined: u32,
    /// The threads whose end happens before it.
    ended: Vec<ThreadId>,
}

/// What orders two [`Around`]s.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Related {
    /// They are always ordered: by a mutex, the creation of a thread, a join, or because they are
    /// of one thread.
    Apart,
    /// The end of one thread happens before the other event.
    Ended,
    /// Nothing orders them.
    Rivals,
}

impl Around {
    fn standing(&self) -> Standing {
        Standing {
            thread: self.thread,
            spawned: self.spawned,
            joined: self.joined,
        }
    }
}

/// The classes of events, and which of them may race.
pub struct Classes {
    /// For each event its class; `None` if it accesses nothing, or was not executed.
    of: Vec<Option<u32>>,
    all: Vec<Class>,
    /// For each class, true if it may race with another one.
    rivalled: Vec<bool>,
    /// True if two classes may race, if the known ends of threads are not taken into account.
    contested: bool,
    /// Bytes for which two classes may race, and that do not count for cutoffs.
    uncounted: Vec<Range<u64>>,
    arounds: Vec<Around>,
    creators: Vec<(Option<ThreadId>, u32)>,
    /// Objects that do not order events, because a thread initialises them while others use them.
    set_ups: SetUps,
    /// For each event, the number of the set of mutexes that its thread holds after it. `sets` has
    /// these sets, and the sets of joined threads.
    held: Vec<u32>,
    sets: Vec<Vec<u64>>,
    /// For each thread the thread that joins it; `None` if several may.
    joiners: FxHashMap<ThreadId, Option<ThreadId>>,
    /// The threads that are begun again after their end.
    begun_again: FxHashSet<ThreadId>,
}

impl Classes {
    /// The classes of all known events.
    pub fn new(store: &Store) -> Self {
        Self::beyond(&Places::default(), store)
    }

    /// The classes of all known events. Possible races are searched for only if not all their bytes
    /// are in `places`.
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
            let others = || sets[ended_by_it as usize].iter().copied();
            let changed = match joins(event).filter(|_| !event.ending.failed) {
                Some(other) => Some(others().chain([other.index() as u64]).collect()),
                None => begins_again(event, &sets[ended_by_it as usize])
                    .map(|again| others().filter(|&other| other != again).collect()),
            };
            if let Some(set) = changed {
                let set: Vec<u64> = set;
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
            set_ups: SetUps::default(),
            held,
            sets,
            joiners: joiners(store),
            begun_again: begun_again(store),
        };
        let standing = |id: EventId| Standing {
            thread: store[id].action.thread,
            spawned: store[id].spawned,
            joined: joined[id.index()],
        };
        let has_joined = |of: &Standing, thread| classes.has_joined(of, thread);
        classes.set_ups = SetUps::new(store, &classes.creators, standing, has_joined);
        classes.look_for_rivals(store, places);
        classes
    }

    /// Finds which classes may race, among those that access common bytes.
    fn look_for_rivals(&mut self, store: &Store, without: &Places) {
        // For each access the classes that have it, by their surroundings.
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
            // The accesses are sorted by address. So those that overlap this one, and do not come
            // before it, come next.
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

    /// What orders events in these surroundings.
    fn relate(&self, one: u32, two: u32) -> Related {
        let (a, b) = (&self.arounds[one as usize], &self.arounds[two as usize]);
        let (mine, theirs) = (&self.sets[a.held as usize], &self.sets[b.held as usize]);
        if a.thread == b.thread
            || a.standing().is_before(b.thread, &self.creators)
            || b.standing().is_before(a.thread, &self.creators)
            || self.has_joined(&a.standing(), b.thread)
            || self.has_joined(&b.standing(), a.thread)
            || mine
                .iter()
                .any(|m| theirs.contains(m) && !self.set_ups.is_unsettled(*m))
        {
            Related::Apart
        } else if self.knows_end(a, b.thread) || self.knows_end(b, a.thread) {
            Related::Ended
        } else {
            Related::Rivals
        }
    }

    /// True if the end of a thread happens before these surroundings. One that is begun again has
    /// several.
    fn knows_end(&self, around: &Around, thread: ThreadId) -> bool {
        around.ended.contains(&thread) && !self.begun_again.contains(&thread)
    }

    /// True if a thread was joined in these surroundings and no other thread ever joins it. Then
    /// this follows from the state, which contains the joined threads. Whoever begins it again has
    /// joined it: what it does then comes after these surroundings.
    fn has_joined(&self, of: &Standing, thread: ThreadId) -> bool {
        let joined = &self.sets[of.joined as usize];
        joined.contains(&(thread.index() as u64)) && self.joiners.get(&thread) == Some(&Some(of.thread))
    }

    /// True if an event may race with another one.
    pub fn has_rivals(&self, event: EventId) -> bool {
        self.of(event).is_some_and(|class| self.rivalled[class])
    }

    /// The class of an event; `None` if it accesses nothing, or was not executed.
    pub fn of(&self, event: EventId) -> Option<usize> {
        self.of[event.index()].map(|class| class as usize)
    }

    /// For each class the classes with which it may race. All pairs are examined.
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

    /// The bytes for which two events may race and that do not count for cutoffs.
    pub fn uncounted(&self) -> &[Range<u64>] {
        &self.uncounted
    }

    /// True if two events may race, if the known ends of threads are not taken into account.
    pub fn is_contested(&self) -> bool {
        self.contested
    }

    /// True if executions that lead to the same state may differ in which clocks cover which
    /// access, and if this difference may make a race. `whole`: the exploration is finished.
    pub fn depends_on_knowledge(&self, store: &Store, whole: bool) -> bool {
        let held = |id: EventId| self.sets[self.held[id.index()] as usize].clone();
        self.is_contested()
            && (any_unsynchronised(store, whole, &self.set_ups, held) || self.is_any_unordered(store))
    }

    /// True if some event does not know, by synchronisation, all those of its causes that may race.
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

    /// True if an event of a thread may race, among those after the first `known` and before
    /// `last`.
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

/// The thread that an event begins again, of those that its thread has joined.
fn begins_again(event: &Event, joined: &[u64]) -> Option<u64> {
    let named = event.ending.named.iter().map(|named| named.index() as u64);
    let mut again = named.filter(|named| event.action.op == Op::Spawn && joined.contains(named));
    again.next()
}

/// The threads that are begun again after their end.
fn begun_again(store: &Store) -> FxHashSet<ThreadId> {
    let starts = store.ids().map(|id| &store[id]);
    let again = starts.filter(|event| event.action.op == Op::Start && event.depth > 1);
    again.map(|event| event.thread).collect()
}

/// For each thread the thread that joins it; `None` if several may.
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

/// The threads whose end happens before an event.
fn ended(store: &Store, id: EventId) -> Vec<ThreadId> {
    let event = &store[id];
    // A cause need not be known by synchronisation: an atomic store may be the last action of a
    // thread.
    let known = event
        .clock
        .iter()
        .zip(&event.knows)
        .filter(|(last, knows)| last.depth() <= **knows);
    let last = known.map(|(last, _)| last.event());
    let ended = last.filter(|&e| e.is_some() && e != id && store[e].ends_thread());
    ended.map(|e| store[e].action.thread).collect()
}

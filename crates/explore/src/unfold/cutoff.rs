//! Which events are cutoffs: those whose state is known from a smaller configuration.
//!
//! Any *adequate* order may say what is smaller: one that is well-founded, holds between a set and
//! its subset, and is kept when both sides are extended in the same way (Esparza, Römer and Vogler,
//! TACAS 1996, FMSD 2002). The paper compares numbers of events; then of two configurations of one
//! size, such as the same critical sections in another order, neither is cut off. Here the order is
//! theirs, total but for coincidence: first the number of events; then the sum of their weights,
//! which are a number for each label; then the sums by level of the Foata normal form, the lowest
//! level that differs. Where dependence follows from labels it is adequate: an event that extends
//! both of two configurations at a level up to the first that differs has all its causes in what
//! they have in common, for it is independent of the rest of one, which has the same labels as the
//! rest of the other; so it is the same event, and adds the same to both.
//!
//! Where something of the past counts, one configuration stands for another if both lead to one
//! state and whatever races after the other one's past races after its own: with less knowledge
//! and more accesses ([`Held::includes`]).
//!
//! No order of exploration is assumed: let a state be reachable, and C the least configuration that
//! reaches it. A cutoff e in C could be replaced, with all that follows, by the smaller
//! configuration with its state; so there is none.

use super::event::{EventId, Last, Store, last};
use super::weaken::Weaken;
use indexmap::IndexSet;
use rustc_hash::{FxBuildHasher, FxHashMap};
use selvedge_base::{Digest, Domain, Id, ThreadId};
use selvedge_model::{Held, Places, Threat};
use smallvec::{SmallVec, smallvec};
use std::cmp::Ordering;
use std::ops::Range;

/// How much of the past counts as a part of a state; see `races.rs`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub enum Knowledge {
    /// Nothing.
    #[default]
    State,
    /// What each thread did last, and what the event itself does, if that touches the places.
    Trails,
    /// What the detector remembers of the places.
    Detector,
}

/// What of the past counts as a part of a state.
#[derive(Clone, Debug, Default)]
pub struct Past {
    /// How much.
    pub knowledge: Knowledge,
    /// Accesses to these bytes.
    pub places: Places,
    /// How often that became more.
    rises: u32,
}

/// If more counts so often, all places do.
const MOST_RISES: u32 = 16;

impl Past {
    /// So much, wherever it is.
    pub fn of_all_places(knowledge: Knowledge) -> Self {
        Past {
            knowledge,
            places: match knowledge {
                Knowledge::State => Places::default(),
                Knowledge::Trails | Knowledge::Detector => Places::All,
            },
            rises: 0,
        }
    }

    /// This, and so much at least, and these places.
    pub fn and(&self, knowledge: Knowledge, places: impl IntoIterator<Item = Range<u64>>) -> Self {
        let mut more = self.clone();
        more.knowledge = more.knowledge.max(knowledge);
        more.rises += 1;
        places.into_iter().for_each(|bytes| more.places.add(bytes));
        if more.rises >= MOST_RISES {
            more.places = Places::All;
        }
        more
    }
}

/// What counts of the past of an event and its causes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Counts {
    /// What the event itself does; empty, if that does not count.
    own: Digest,
    /// The number of what is held against events to come.
    held: u32,
}

/// An event that stands for others with the same state.
#[derive(Clone, Copy, Debug)]
struct Known {
    event: EventId,
    counts: Counts,
}

/// The least known configurations of each state: one for each past that none of a smaller one
/// includes.
#[derive(Debug)]
pub struct States {
    initial: Digest,
    known: FxHashMap<Digest, SmallVec<[Known; 1]>>,
    /// How many they are.
    len: usize,
    /// What is held by some; first nothing. Whether one includes another, as far as it was asked.
    held: IndexSet<Held, FxBuildHasher>,
    includes: FxHashMap<(u32, u32), bool>,
}

impl States {
    /// Only the initial state is known, with this fingerprint.
    pub fn new(initial: Digest) -> Self {
        let mut states = States {
            initial,
            known: FxHashMap::default(),
            len: 1,
            held: IndexSet::default(),
            includes: FxHashMap::default(),
        };
        let first = Known {
            event: EventId::NONE,
            counts: Counts {
                own: Digest::EMPTY,
                held: states.number(Held::default()),
            },
        };
        states.known.insert(initial, smallvec![first]);
        states
    }

    /// How many states are known, each with what counts of the past.
    pub const fn len(&self) -> usize {
        self.len
    }

    fn number(&mut self, held: Held) -> u32 {
        self.held.insert_full(held).0 as u32
    }

    /// The state after an event and its causes, and what counts of these; `beyond`: what else of
    /// the state there is, and what the detector holds.
    fn look(&mut self, store: &Store, event: EventId, beyond: (Digest, Held)) -> (Digest, Counts) {
        let (inputs, mut held) = beyond;
        let last = store[event].clock.iter().map(|l: &Last| l.event());
        let last = last.filter(|e| e.is_some());
        let state: Digest = last.clone().map(|e| store[e].print).sum();
        let mut own = Digest::EMPTY;
        if store.past.knowledge == Knowledge::Trails {
            let trails = last.map(|e| store[e].history);
            let threats = trails.filter(|&h| h != Digest::EMPTY).map(|what| Threat {
                what,
                bytes: 1,
                known_by: SmallVec::new(),
            });
            held = Held::new(threats.collect());
            let counts = store.footprints.count(store[event].footprint);
            if counts && !store.weaken.is(Weaken::CutoffLabel) {
                own = own_part(store, event);
            }
        }
        let held = self.number(held);
        (state.with(self.initial).with(inputs), Counts { own, held })
    }

    /// Whether whatever races after one past does after another.
    fn stands_for(&mut self, store: &Store, this: Counts, other: Counts) -> bool {
        if other.own != Digest::EMPTY && this.own != other.own {
            return false;
        }
        if this.held == other.held || other.held == 0 {
            return true;
        }
        let (this, other) = match store.weaken.is(Weaken::Held) {
            true => (other, this),
            false => (this, other),
        };
        let held = &self.held;
        *self
            .includes
            .entry((this.held, other.held))
            .or_insert_with(|| held[this.held as usize].includes(&held[other.held as usize]))
    }

    /// The event of the least known configuration that stands for an event with its causes; none:
    /// the initial state does.
    pub fn least(&mut self, store: &Store, event: EventId, beyond: (Digest, Held)) -> Option<EventId> {
        let (state, counts) = self.look(store, event, beyond);
        let known = self.known.get(&state).cloned().unwrap_or_default();
        let standing = known
            .into_iter()
            .filter(|known| self.stands_for(store, known.counts, counts));
        let standing: SmallVec<[EventId; 4]> = standing.map(|known| known.event).collect();
        if standing.iter().any(|e| !e.is_some()) {
            return None;
        }
        standing.into_iter().min_by(|&a, &b| compare(store, a, b))
    }

    /// Notes the state after an event; whether it is known from a smaller configuration.
    pub fn is_known(&mut self, store: &Store, event: EventId, beyond: (Digest, Held)) -> bool {
        let (state, counts) = self.look(store, event, beyond);
        let mut known = self.known.remove(&state).unwrap_or_default();
        let mut is_equal = false;
        let mut is_known = false;
        for one in &known {
            if self.stands_for(store, one.counts, counts) {
                if !one.event.is_some() || store.weaken.is(Weaken::AnyState) {
                    is_known = true;
                    break;
                }
                match compare(store, one.event, event) {
                    Ordering::Less => {
                        is_known = true;
                        break;
                    }
                    Ordering::Equal => is_equal = true,
                    Ordering::Greater => {}
                }
            }
        }
        if !is_known && !is_equal {
            let before = known.len();
            known.retain(|one| {
                !one.event.is_some()
                    || !self.stands_for(store, counts, one.counts)
                    || compare(store, one.event, event) != Ordering::Greater
            });
            known.push(Known { event, counts });
            self.len += known.len();
            self.len -= before;
        }
        self.known.insert(state, known);
        is_known
    }
}

static OWN: Domain = Domain::new("cutoff event");

/// What an event does to which objects, as a hash: events with the same are independent of the same
/// others.
fn own_part(store: &Store, event: EventId) -> Digest {
    let event = &store[event];
    let mut words: SmallVec<[u64; 24]> = SmallVec::new();
    // Numbers of threads are names within a run.
    words.extend([event.thread.index() as u64, u64::from(event.ending.failed)]);
    words.extend(event.ending.named.iter().map(|thread| thread.index() as u64));
    words.push(u64::MAX);
    let uses = event.uses.iter();
    words.extend(uses.flat_map(|used| [used.object, u64::from(used.bytes) << 8 | used.effect as u64]));
    Digest::of_words(&OWN, &words)
}

/// Compares two local configurations.
fn compare(store: &Store, a: EventId, b: EventId) -> Ordering {
    let (one, other) = (&store[a], &store[b]);
    one.size
        .cmp(&other.size)
        .then_with(|| weights(store, a).cmp(&weights(store, b)))
        .then_with(|| levels(store, a, b))
}

fn weights(store: &Store, event: EventId) -> u128 {
    let last = store[event].clock.iter().map(|l: &Last| l.event());
    last.filter(|e| e.is_some()).map(|e| store[e].weights).sum()
}

/// Compares the sums of the weights of each level, the lowest level first.
fn levels(store: &Store, a: EventId, b: EventId) -> Ordering {
    let (one, other) = (&store[a], &store[b]);
    // What the first has more.
    let mut sums = vec![0i128; one.level.max(other.level) as usize];
    let above = |last: Last| match last.depth() {
        1 => Last::default(),
        depth => Last::new(store[last.event()].parent, depth - 1),
    };
    for thread in 0..one.clock.len().max(other.clock.len()) {
        let thread = ThreadId::from_index(thread);
        let (mut mine, mut theirs) = (last(&one.clock, thread), last(&other.clock, thread));
        while mine != theirs {
            let depths = (mine.depth(), theirs.depth());
            if depths.0 >= depths.1 {
                let event = &store[mine.event()];
                sums[event.level as usize - 1] += i128::from(event.weight);
                mine = above(mine);
            }
            if depths.1 >= depths.0 {
                let event = &store[theirs.event()];
                sums[event.level as usize - 1] -= i128::from(event.weight);
                theirs = above(theirs);
            }
        }
    }
    sums.into_iter()
        .find(|&sum| sum != 0)
        .map_or(Ordering::Equal, |sum| sum.cmp(&0))
}

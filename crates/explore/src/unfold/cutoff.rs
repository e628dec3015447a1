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
//! No order of exploration is assumed: let a state be reachable, and C the least configuration that
//! reaches it. A cutoff e in C could be replaced, with all that follows, by the smaller
//! configuration with its state; so there is none.

use super::event::{EventId, Last, Store, last};
use super::weaken::Weaken;
use rustc_hash::FxHashMap;
use selvedge_base::{Digest, Domain, Id, ThreadId};
use selvedge_model::Places;
use smallvec::SmallVec;
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

/// The least known configuration of each state.
#[derive(Debug)]
pub struct States {
    initial: Digest,
    least: FxHashMap<Digest, EventId>,
}

impl States {
    /// Only the initial state is known, with this fingerprint.
    pub fn new(initial: Digest) -> Self {
        States {
            initial,
            least: [(initial, EventId::NONE)].into_iter().collect(),
        }
    }

    /// How many states are known.
    pub fn len(&self) -> usize {
        self.least.len()
    }

    /// The fingerprint of the state after an event and its causes, with what of these counts beside
    /// it.
    fn print(&self, store: &Store, event: EventId, memory: Digest) -> Digest {
        let last = store[event].clock.iter().map(|l: &Last| l.event());
        let last = last.filter(|e| e.is_some());
        let state = |parts: Digest| parts.with(self.initial).with(memory);
        match store.past.knowledge {
            Knowledge::State | Knowledge::Detector => state(last.map(|e| store[e].print).sum()),
            Knowledge::Trails => {
                let parts = last.map(|e| store[e].print.with(store[e].history));
                let counts = store.footprints.count(store[event].footprint);
                let own = match counts && !store.weaken.is(Weaken::CutoffLabel) {
                    true => own(store, event),
                    false => Digest::EMPTY,
                };
                state(parts.sum()).with(own)
            }
        }
    }

    /// The event of the least known configuration with the state after an event; none: the initial
    /// state is the same.
    pub fn least(&self, store: &Store, event: EventId, memory: Digest) -> Option<EventId> {
        let print = self.print(store, event, memory);
        let known = self.least.get(&print).copied();
        known.filter(|e| e.is_some())
    }

    /// Notes the state after an event; whether it is known from a smaller configuration.
    ///
    /// `memory`: what else of the past counts, as a hash.
    pub fn is_known(&mut self, store: &Store, event: EventId, memory: Digest) -> bool {
        let print = self.print(store, event, memory);
        match self.least.entry(print) {
            std::collections::hash_map::Entry::Vacant(place) => {
                place.insert(event);
                false
            }
            std::collections::hash_map::Entry::Occupied(mut place) => {
                let known = *place.get();
                if !known.is_some() || store.weaken.is(Weaken::AnyState) {
                    return true;
                }
                match compare(store, known, event) {
                    Ordering::Less => true,
                    Ordering::Equal => false,
                    Ordering::Greater => {
                        place.insert(event);
                        false
                    }
                }
            }
        }
    }
}

static OWN: Domain = Domain::new("cutoff event");

/// What an event does to which objects, as a hash: events with the same are independent of the same
/// others.
fn own(store: &Store, event: EventId) -> Digest {
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

//! Cutoffs: events whose state is known from a smaller configuration.
//!
//! The order that says "smaller" may be any *adequate* order: one that is well-founded, holds
//! between a set and its proper supersets, and is preserved when both sides are extended in the
//! same way (Esparza, Römer and Vogler, TACAS 1996, FMSD 2002). The paper compares numbers of
//! events. Then, of two configurations of equal size, such as the same critical sections in another
//! order, neither is cut off. Here the order is the one of Esparza, Römer and Vogler, which is
//! total except for hash collisions. It compares the number of events; then the sum of their
//! weights, which are a number for each label; then the sums for each level of the Foata normal
//! form, at the lowest level that differs.
//!
//! The order is adequate if dependence follows from labels. Consider an event that extends both of
//! two configurations at a level up to the first that differs. It is independent of the rest of one
//! configuration, which has the same labels as the rest of the other. So all its causes are in the
//! part that both have in common, it is the same event in both, and it adds the same to both sums.
//!
//! If the past is a part of states, a configuration subsumes another one under two conditions: both
//! lead to the same state, and every later access that races after the other configuration races
//! after this one as well. The second condition holds if this one has at least the other's
//! accesses, and each is covered by no more clocks ([`Held::includes`]).
//!
//! No order of exploration is assumed. Let a state be reachable, and let C be the least
//! configuration that reaches it. If C contained a cutoff e, then e and its causes could be
//! replaced by the smaller configuration with the same state, and the rest of C could follow it.
//! The result would be smaller than C. So C contains no cutoff.

use super::event::{EventId, Last, Store, last};
use super::held_sets::HeldSets;
use super::past::Knowledge;
use super::weaken::Weaken;
use rustc_hash::FxHashMap;
use selvedge_base::{Digest, Domain, Id, ThreadId};
use selvedge_model::{Held, RaceCandidate};
use smallvec::{SmallVec, smallvec};
use std::cmp::Ordering;
use std::rc::Rc;

/// The part of the past of an event and its causes that counts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Counts {
    /// The operation of the event itself; empty if it does not count.
    own: Digest,
    /// The number of the set of held accesses.
    held: u32,
    /// What they are, as bits: [`kinds`].
    kinds: u64,
}

/// A known event that may subsume others with the same state.
#[derive(Clone, Copy, Debug)]
struct Known {
    event: EventId,
    counts: Counts,
}

/// For each state, the least known configurations: those that no smaller configuration subsumes.
#[derive(Debug)]
pub struct States {
    initial: Digest,
    known: FxHashMap<Digest, SmallVec<[Known; 1]>>,
    /// The number of known configurations.
    len: usize,
    /// The sets of held accesses; the first one is empty.
    held: HeldSets,
}

impl States {
    /// Only the initial state is known, with this fingerprint.
    pub fn new(initial: Digest) -> Self {
        let mut states = States {
            initial,
            known: FxHashMap::default(),
            len: 1,
            held: HeldSets::default(),
        };
        let first = Known {
            event: EventId::NONE,
            counts: Counts {
                own: Digest::EMPTY,
                held: states.held.number(Held::default()),
                kinds: 0,
            },
        };
        states.known.insert(initial, smallvec![first]);
        states
    }

    /// The number of known states, each counted with its part of the past.
    pub const fn len(&self) -> usize {
        self.len
    }

    /// The state after an event and its causes, and the part of their past that counts. `beyond`:
    /// the rest of the state, and the accesses that the detector holds.
    fn look(&mut self, store: &Store, event: EventId, beyond: (Digest, Held)) -> (Digest, Counts) {
        let (inputs, mut held) = beyond;
        let last = store[event].clock.iter().map(|l: &Last| l.event());
        let last = last.filter(|e| e.is_some());
        let state: Digest = last.clone().map(|e| store[e].print).sum();
        let mut own = Digest::EMPTY;
        if store.past.knowledge == Knowledge::LastActions {
            let histories = last.map(|e| store[e].history);
            let candidates = histories
                .filter(|&h| h != Digest::EMPTY)
                .map(|what| RaceCandidate {
                    what,
                    bytes: 1,
                    covered_by: Rc::from([]),
                });
            held = Held::new(candidates.collect());
            let counts = store.footprints.count(store[event].footprint);
            if counts && !store.weaken.is(Weaken::CutoffLabel) {
                own = own_part(store, event);
            }
        }
        let kinds = kinds(&held);
        let held = self.held.number(held);
        (state.with(self.initial).with(inputs), Counts { own, held, kinds })
    }

    /// True if every access that races after the other past races after this one.
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
        if other.kinds & !this.kinds != 0 {
            return false;
        }
        self.held.includes(this.held, other.held)
    }

    /// The event of the least known configuration that subsumes an event with its causes. `None` if
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

    /// Records the state after an event. Returns true if it is known from a smaller configuration.
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

/// A bit for each access of a set. Where a bit is missing, [`Held::includes`] says no.
fn kinds(held: &Held) -> u64 {
    let accessed = held.candidates().iter().filter(|candidate| candidate.bytes != 0);
    accessed.fold(0, |bits, candidate| bits | 1 << (candidate.what.words()[0] % 64))
}

static OWN: Domain = Domain::new("cutoff event");

/// A digest of the event's operation, objects and thread. Events with the same digest are
/// independent of the same other events.
fn own_part(store: &Store, event: EventId) -> Digest {
    let event = &store[event];
    let mut words: SmallVec<[u64; 24]> = SmallVec::new();
    // Numbers of threads serve as names within a run.
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

/// Compares the sums of the weights at each level, beginning with the lowest level.
fn levels(store: &Store, a: EventId, b: EventId) -> Ordering {
    let (one, other) = (&store[a], &store[b]);
    // The first sum minus the second, for each level.
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

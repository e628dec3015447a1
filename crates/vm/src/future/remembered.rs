//! Predictions that were made before, by everything on which they depend.
//!
//! A prediction is a function of the states of the followed threads, of what the observed thread
//! holds, and of what following has looked at in memory and in synchronisation objects. The first
//! two are the key. What was looked at is noted while threads are followed ([`Look`]): where it has
//! the same contents, following again looks at the same places and predicts the same.

use super::options::Elements;
use super::prediction::Future;
use super::shared::Goal;
use super::value::Span;
use super::weaken::Weaken;
use crate::memory::Life;
use crate::program::Program;
use crate::state::State;
use crate::sync::{self, SyncObject};
use crate::thread::Stage;
use crate::value::Value;
use crate::word::WordKey;
use rustc_hash::{FxHashMap, FxHashSet};
use selvedge_base::{Digest, Domain, ForTests, Id, ThreadId};

static STANDS: Domain = Domain::new("future stands");
static CONTENTS: Domain = Domain::new("future contents");
static GOAL: Domain = Domain::new("future goal");

/// The maximum number of sets of places for one key.
const MOST_SETS: usize = 8;
/// The size at which everything is forgotten, as a number of places and accesses (about 20 MiB).
const MOST: usize = 400_000;

/// Something at which following has looked.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Look {
    /// So many bytes at each of the addresses.
    Bytes(Span, u64),
    /// Whether there is an object at an address, its size and whether it lives.
    Object(u64),
    /// A synchronisation object.
    Sync(u64),
    /// The thread of a handle.
    Thread(u64),
}

/// What following has looked at, in order.
#[derive(Debug, Default)]
pub(super) struct Looks {
    list: Vec<Look>,
    seen: FxHashSet<Look>,
}

impl Looks {
    pub(super) fn note(&mut self, look: Look) {
        if self.seen.insert(look) {
            self.list.push(look);
        }
    }

    pub(super) fn into_list(self) -> Vec<Look> {
        self.list
    }
}

/// What is found where following has looked.
fn contents(state: &State, looks: &[Look], weaken: ForTests<Weaken>) -> Digest {
    if weaken.is(Weaken::Contents) {
        return Digest::EMPTY;
    }
    let memory = &state.memory;
    let mut words: Vec<u64> = Vec::with_capacity(2 * looks.len());
    for &look in looks {
        match look {
            Look::Bytes(span, size) => {
                for n in 0..=span.steps() {
                    let at = span.lo + n * span.stride;
                    match memory.check(at, size, false) {
                        Ok(_) => value(&mut words, memory.peek_checked(at, size)),
                        Err(_) => words.extend([2, 0]),
                    }
                }
            }
            Look::Object(address) => match memory.object_at(address) {
                Some((base, object)) => {
                    words.extend([base, object.size, u64::from(object.life == Life::Live)]);
                }
                None => words.extend([0, 0, 0]),
            },
            Look::Sync(address) => words.extend(match state.sync(address) {
                None => [0, 0, 0],
                Some(&SyncObject::Barrier { count, leaving, .. }) => [1, count.into(), leaving.into()],
                Some(SyncObject::Mutex(_)) => [2, 0, 0],
                Some(SyncObject::RwLock { .. }) => [3, 0, 0],
                Some(SyncObject::Spin { .. }) => [4, 0, 0],
                Some(_) => [5, 0, 0],
            }),
            Look::Thread(handle) => {
                let thread = sync::thread_of(state, handle);
                words.push(thread.map_or(u64::MAX, |thread| thread.index() as u64));
            }
        }
    }
    Digest::of_words(&CONTENTS, &words)
}

/// A number, or that it is none.
fn value(words: &mut Vec<u64>, value: Value) {
    let known = value.is_concrete();
    words.extend([u64::from(!known), if known { value.bits } else { 0 }]);
}

/// The states of the followed threads, and what the observed thread contributes.
fn stands(
    (program, state): (&Program, &State),
    still: ThreadId,
    elements: Elements,
    weaken: ForTests<Weaken>,
) -> Digest {
    let observed = state.thread(still);
    let enabled = state.pending()[still.index()].is_enabled();
    let mut words = vec![
        still.index() as u64,
        state.threads().len() as u64,
        elements as u64,
        u64::from(enabled) | u64::from(observed.core.detached) << 1,
    ];
    if !weaken.is(Weaken::Holder) {
        words.push(observed.held.len() as u64);
        let held = observed.held.iter();
        words.extend(held.flat_map(|held| [held.object.0, u64::from(held.shared)]));
    }
    for index in 0..state.threads().len() {
        let thread = ThreadId::from_index(index);
        if thread != still && !weaken.is(Weaken::Position) {
            stand((program, state), thread, &mut words);
        }
    }
    Digest::of_words(&STANDS, &words)
}

/// The state of a followed thread.
fn stand((program, state): (&Program, &State), thread: ThreadId, words: &mut Vec<u64>) {
    let t = state.thread(thread);
    let core = &t.core;
    words.push(core.stage as u64);
    if matches!(core.stage, Stage::Finished | Stage::Parked) {
        return;
    }
    let action = state.pending()[thread.index()].action;
    words.extend([
        core.atomic.into(),
        core.depth.into(),
        core.errno,
        t.start.0,
        state.word(WordKey::CxxState(thread)),
        action.op as u64,
        action.object.0,
        action.object2.0,
        t.held.len() as u64,
        t.tls.len() as u64,
        t.locals.len() as u64,
    ]);
    value(words, t.start.1);
    words.extend(t.held.iter().map(|held| held.object.0));
    words.extend(t.tls.iter().chain(&t.locals));
    for index in 0..core.depth as usize {
        let frame = t.frame(index);
        let slots = &t.regs[frame.base as usize..];
        words.extend([
            frame.func.index() as u64,
            u64::from(frame.ip) | u64::from(frame.call) << 32,
            frame.locals.into(),
        ]);
        match program.live_slots(t, index) {
            Some(live) => live
                .iter()
                .for_each(|&slot| value(words, slots[usize::from(slot)])),
            None => {
                let all = program.code[frame.func.index()].slots as usize;
                slots[..all].iter().for_each(|&slot| value(words, slot));
            }
        }
    }
}

/// Predictions by what following has looked at, and what it found there.
#[derive(Debug)]
struct Set {
    looks: Vec<Look>,
    futures: FxHashMap<Digest, Future>,
}

/// The predictions that were made.
#[derive(Debug, Default)]
pub(super) struct Remembered {
    sets: FxHashMap<Digest, Vec<Set>>,
    size: usize,
}

/// What identifies a question.
#[derive(Clone, Copy, Debug)]
pub(super) struct Question {
    all: Digest,
    goal: Option<Digest>,
}

impl Question {
    pub(super) fn of(
        (program, state): (&Program, &State),
        still: ThreadId,
        (elements, goal): (Elements, Option<Goal>),
        weaken: ForTests<Weaken>,
    ) -> Question {
        let all = stands((program, state), still, elements, weaken);
        let words = |goal: Goal| [goal.address, goal.size, u64::from(goal.write)];
        let goal = goal.map(|goal| all.with(Digest::of_words(&GOAL, &words(goal))));
        Question { all, goal }
    }
}

impl Remembered {
    /// The prediction that was made in an equal state.
    pub(super) fn find(&self, state: &State, question: Question, weaken: ForTests<Weaken>) -> Option<Future> {
        let keys = [Some(question.all), question.goal];
        let mut sets = keys.into_iter().flatten().filter_map(|key| self.sets.get(&key));
        sets.find_map(|sets| {
            let mut sets = sets.iter();
            sets.find_map(|set| set.futures.get(&contents(state, &set.looks, weaken)).cloned())
        })
    }

    /// Remembers a prediction.
    pub(super) fn add(
        &mut self,
        state: &State,
        question: Question,
        (looks, future): (Vec<Look>, Future),
        weaken: ForTests<Weaken>,
    ) {
        let key = match (future.is_of_one(), question.goal) {
            (true, Some(goal)) => goal,
            _ => question.all,
        };
        if self.size > MOST {
            self.sets.clear();
            self.size = 0;
        }
        self.size += future.size() + 4;
        let found = contents(state, &looks, weaken);
        let sets = self.sets.entry(key).or_default();
        if let Some(set) = sets.iter_mut().find(|set| set.looks == looks) {
            set.futures.insert(found, future);
            return;
        }
        if sets.len() >= MOST_SETS {
            sets.remove(0);
        }
        self.size += looks.len();
        sets.push(Set {
            looks,
            futures: FxHashMap::from_iter([(found, future)]),
        });
    }
}

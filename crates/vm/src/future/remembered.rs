//! What threads may do, as it was found out before, by everything on which it depends.
//!
//! What a thread may do is a function of its own state and of the answers to the questions that
//! following it asks: what is in memory and in synchronisation objects, what the observed thread
//! holds, and what other threads store ([`Look`]). Which question comes next depends on the answers
//! so far, so the questions make a tree of decisions. There is one for each state of a thread.
//!
//! So a thread is followed again only where something has changed *for this thread*, whatever the
//! positions of other threads are and whichever thread is observed.

use super::effects::Effects;
use super::options::Elements;
use super::others::Others;
use super::touch::Goal;
use super::value::{Abstract, Span};
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
use smallvec::SmallVec;
use std::sync::Arc;

static STANDS: Domain = Domain::new("future stands");
static GOAL: Domain = Domain::new("future goal");
static VALUES: Domain = Domain::new("future values");

/// The size at which everything is forgotten, as a number of questions, accesses and stores (about
/// 200 MiB).
const MOST: usize = 2_000_000;

/// A question that following asks.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Look {
    /// So many bytes at each of the addresses.
    Bytes(Span, u64),
    /// Whether there is an object at an address, its size and whether it lives.
    Object(u64),
    /// A synchronisation object.
    Sync(u64),
    /// Whether the observed thread holds a lock.
    Held(u64),
    /// Whether the observed thread is enabled.
    Enabled,
    /// The thread of a handle is the observed one, and a join waits for its end.
    Joins(u64),
    /// What other threads may store in so many bytes at each of the addresses.
    Stored(Span, u64),
    /// Whether enough threads arrive at a barrier.
    Opened(u64),
}

impl Look {
    /// True if it is about other threads.
    const fn is_about_others(self) -> bool {
        matches!(self, Look::Stored(..) | Look::Opened(_))
    }
}

/// The questions that were asked, in order, each once.
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

/// The answer to a question: what it says, or a digest of that.
type Answer = [u64; 2];

/// Who asks.
#[derive(Clone, Copy)]
pub(super) struct Asking<'a> {
    pub(super) state: &'a State,
    /// The followed thread.
    pub(super) thread: ThreadId,
    /// The observed thread.
    pub(super) still: ThreadId,
    /// What is known of the others.
    pub(super) others: &'a Others,
    pub(super) weaken: ForTests<Weaken>,
}

impl Asking<'_> {
    /// True if a join of this handle waits for the observed thread's end. The join of a detached
    /// thread does not wait.
    pub(super) fn joins(self, handle: u64) -> bool {
        let thread = sync::thread_of(self.state, handle);
        thread == Some(self.still) && !self.state.thread(self.still).core.detached
    }

    fn answer(self, look: Look) -> Answer {
        let ignored = match look {
            _ if look.is_about_others() => Weaken::Answers,
            Look::Held(_) => Weaken::Holder,
            _ => Weaken::Contents,
        };
        if self.weaken.is(ignored) {
            return [0, 0];
        }
        let state = self.state;
        match look {
            Look::Bytes(span, size) => match span.as_one() {
                Some(at) => bytes(state, at, size),
                None => digest(&all_bytes(state, span, size)),
            },
            Look::Object(address) => match state.memory.object_at(address) {
                Some((base, object)) => [base, object.size << 1 | u64::from(object.life == Life::Live)],
                None => [0, 0],
            },
            Look::Sync(address) => match state.sync(address) {
                None => [0, 0],
                Some(&SyncObject::Barrier { count, leaving, .. }) => {
                    [1, u64::from(count) << 32 | u64::from(leaving)]
                }
                Some(SyncObject::Mutex(_)) => [2, 0],
                Some(SyncObject::RwLock { .. }) => [3, 0],
                Some(SyncObject::Spin { .. }) => [4, 0],
                Some(_) => [5, 0],
            },
            Look::Held(lock) => {
                let held = state.thread(self.still).held.iter();
                let mut held = held.filter(|held| held.object.0 == lock).map(|held| held.shared);
                let first = held.next();
                [
                    u64::from(first.is_some()),
                    u64::from(first.is_some_and(|s| s) && held.all(|s| s)),
                ]
            }
            Look::Enabled => [state.pending()[self.still.index()].is_enabled().into(), 0],
            Look::Joins(handle) => [self.joins(handle).into(), 0],
            Look::Stored(at, size) => match self.others.load(self.thread, (at, size)) {
                None => [0, 0],
                Some(Abstract::Any) => [1, 0],
                Some(Abstract::New { moved }) => [2, u64::from(moved)],
                Some(Abstract::Number(span)) => match span.as_one() {
                    Some(number) => [3, number],
                    None => digest(&[4, u64::from(span.out), span.lo, span.hi, span.stride]),
                },
                Some(Abstract::Either(span)) => {
                    digest(&[5, u64::from(span.out), span.lo, span.hi, span.stride])
                }
            },
            Look::Opened(barrier) => [u64::from(self.others.has_opened(barrier)), 0],
        }
    }
}

fn digest(words: &[u64]) -> Answer {
    Digest::of_words(&VALUES, words).words()
}

/// What following sees in bytes: a number, that it is none, or that they cannot be read.
fn bytes(state: &State, at: u64, size: u64) -> Answer {
    match state.memory.check(at, size, false) {
        Ok(_) => readable_bytes(state, at, size),
        Err(_) => [2, 0],
    }
}

fn readable_bytes(state: &State, at: u64, size: u64) -> Answer {
    match state.memory.peek_checked(at, size) {
        value if value.is_concrete() => [0, value.bits],
        _ => [1, 0],
    }
}

/// [`bytes`] at each of the addresses.
fn all_bytes(state: &State, span: Span, size: u64) -> SmallVec<[u64; 64]> {
    let all = (span.hi - span.lo).saturating_add(size);
    let readable = state.memory.check(span.lo, all, false).is_ok();
    let mut words = SmallVec::new();
    for n in 0..=span.steps() {
        let at = span.lo + n * span.stride;
        let answer = match readable {
            true => readable_bytes(state, at, size),
            false => bytes(state, at, size),
        };
        words.extend_from_slice(&answer);
    }
    words
}

/// A register: a number, or that it is none.
fn value(words: &mut Vec<u64>, value: Value) {
    let known = value.is_concrete();
    words.extend([u64::from(!known), if known { value.bits } else { 0 }]);
}

/// The digest of a followed thread's state.
pub(super) fn stands(
    place: (&Program, &State),
    thread: ThreadId,
    elements: Elements,
    weaken: ForTests<Weaken>,
) -> Digest {
    let mut words = vec![thread.index() as u64, elements as u64];
    if !weaken.is(Weaken::Position) {
        stand(place, thread, &mut words);
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

fn with_goal(stands: Digest, goal: Goal) -> Digest {
    let words = [goal.address, goal.size, u64::from(goal.write)];
    stands.with(Digest::of_words(&GOAL, &words))
}

/// What a thread may do as long as other threads do what was asked of them.
#[derive(Clone, Debug)]
pub(super) struct Known {
    pub(super) effects: Arc<Effects>,
    /// What was asked of other threads, with the answers.
    asked: Arc<[(Look, Answer)]>,
}

impl Known {
    /// True if what was asked of other threads still has the same answers.
    pub(super) fn holds(&self, asking: Asking<'_>) -> bool {
        let mut asked = self.asked.iter();
        asked.all(|&(look, answer)| asking.answer(look) == answer)
    }
}

/// The questions that following asks from one state of a thread, and what it then finds.
#[derive(Debug, Default)]
struct Tree {
    nodes: Vec<Node>,
    found: Vec<Known>,
    /// What comes first; `None` as long as nothing is known.
    first: Option<Next>,
}

/// A question with what comes after each answer.
#[derive(Debug)]
struct Node {
    look: Look,
    answers: SmallVec<[(Answer, Next); 1]>,
}

impl Node {
    fn after(&self, answer: Answer) -> Option<Next> {
        let mut answers = self.answers.iter();
        answers.find(|(other, _)| *other == answer).map(|(_, next)| *next)
    }
}

/// What comes next in a tree, by number.
#[derive(Clone, Copy, Debug)]
enum Next {
    Question(u32),
    Found(u32),
}

impl Tree {
    fn find(&self, asking: Asking<'_>) -> Option<&Known> {
        let mut next = self.first?;
        loop {
            let node = match next {
                Next::Found(number) => return self.found.get(number as usize),
                Next::Question(number) => &self.nodes[number as usize],
            };
            next = node.after(asking.answer(node.look))?;
        }
    }

    /// Adds a path. Returns false if another question has come after the same answers before.
    fn add(&mut self, looks: &[(Look, Answer)], known: Known) -> bool {
        // The answer to the question before.
        let mut before: Option<(u32, Answer)> = None;
        for &(look, answer) in looks {
            let next = match before {
                None => self.first,
                Some((node, answer)) => self.nodes[node as usize].after(answer),
            };
            let number = match next {
                Some(Next::Question(number)) if self.nodes[number as usize].look == look => number,
                Some(_) => return false,
                None => {
                    let number = self.nodes.len() as u32;
                    let answers = SmallVec::new();
                    self.nodes.push(Node { look, answers });
                    self.goes_on(before, Next::Question(number));
                    number
                }
            };
            before = Some((number, answer));
        }
        let number = self.found.len() as u32;
        self.found.push(known);
        self.goes_on(before, Next::Found(number));
        true
    }

    fn goes_on(&mut self, before: Option<(u32, Answer)>, next: Next) {
        match before {
            None => self.first = Some(next),
            Some((node, answer)) => self.nodes[node as usize].answers.push((answer, next)),
        }
    }
}

/// What was found out.
#[derive(Debug, Default)]
pub(super) struct Remembered {
    /// By the thread's state; and by the goal, too, where following has ended early because of it.
    trees: FxHashMap<Digest, Tree>,
    /// What was found, each once: other answers mostly lead to the same.
    effects: FxHashSet<Arc<Effects>>,
    size: usize,
}

impl Remembered {
    /// What was found out where all answers were the same. `stands`: the digest of the thread's
    /// state.
    pub(super) fn find(&self, (stands, goal): (Digest, Option<Goal>), asking: Asking<'_>) -> Option<Known> {
        let keys = [Some(stands), goal.map(|goal| with_goal(stands, goal))];
        let mut trees = keys.into_iter().flatten().filter_map(|key| self.trees.get(&key));
        trees.find_map(|tree| tree.find(asking)).cloned()
    }

    /// Remembers what was found out with these questions.
    pub(super) fn add(
        &mut self,
        (stands, goal): (Digest, Option<Goal>),
        asking: Asking<'_>,
        (looks, effects): (Vec<Look>, Effects),
    ) -> Known {
        if self.size > MOST {
            self.trees.clear();
            self.effects.clear();
            self.size = 0;
        }
        let looks: Vec<(Look, Answer)> = looks
            .into_iter()
            .map(|look| (look, asking.answer(look)))
            .collect();
        let known = Known {
            effects: self.shared(effects),
            asked: looks
                .iter()
                .filter(|(look, _)| look.is_about_others())
                .copied()
                .collect(),
        };
        let key = match goal.filter(|_| known.effects.met) {
            Some(goal) => with_goal(stands, goal),
            None => stands,
        };
        self.size += known.asked.len() + 4;
        let tree = self.trees.entry(key).or_default();
        let before = tree.nodes.len();
        if !tree.add(&looks, known.clone()) {
            *tree = Tree::default();
            tree.add(&looks, known.clone());
        }
        self.size += tree.nodes.len().saturating_sub(before);
        known
    }

    fn shared(&mut self, effects: Effects) -> Arc<Effects> {
        if let Some(known) = self.effects.get(&effects) {
            return Arc::clone(known);
        }
        self.size += effects.size();
        let effects = Arc::new(effects);
        self.effects.insert(Arc::clone(&effects));
        effects
    }
}

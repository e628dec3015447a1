//! Threads that wait for ever beside others that run for ever.
//!
//! At the end of an execution, the detector sees which threads wait. An execution that never ends
//! has no such point. With cutoffs it is given up where only known states follow. A thread that is
//! blocked there may be unblocked later, or never. It is *stuck* if it moves in no continuation,
//! and no continuation ends the execution or the process. (At an end, the detector judges.)
//!
//! This is asked at each leaf of the exploration after which only cutoffs are left. That is enough.
//! Being stuck is stable: a thread that is stuck in a configuration is stuck in each larger one.
//! Every reachable state is the state of a configuration without cutoffs (`unfold::cutoff`), and
//! each such configuration is a part of some leaf's configuration.
//!
//! - If a thread waits for a certain thread to release something or to end, that thread unblocks
//!   it, or it starves. So there is nothing to ask. [`waiting`] returns the other cases: threads
//!   that wait for no certain thread (for a signal, a post, a barrier), for a thread that has
//!   ended, or in a cycle. Such a wait is over when it turns into a wait for a certain thread, as
//!   when a woken thread waits for its mutex.
//! - For such a thread, a few random walks search for a continuation that unblocks it. In most
//!   cases they find one soon.
//! - If they do not, all states that follow are visited, depth first (`Search`). A thread whose
//!   next action is independent of everything goes first, unless it leads to a known state. Then
//!   the other threads get their turn, too (the cycle proviso of ample sets; Peled, CAV 1994).
//! - If there are too many states, the question remains open, and the verdict is unknown.
//!
//! A state in which a thread has stopped at a false assumption does not count as a continuation. If
//! there is one, the thread is stuck only if some execution goes on for ever without it (`fair`).
//!
//! Where plain accesses are no actions, this holds for programs without data races. If accesses in
//! the continuations might race, the finding waits for the end of the exploration, and is dropped
//! if there is a race ([`Fate::StuckIfOrdered`]).
//!
//! A spurious wakeup is possible but not guaranteed. It is an alternative of the action that begins
//! the wait. So a thread that has begun to wait without this alternative is stuck if no signal ever
//! comes.

mod fair;
mod touched;

use crate::Control;
use crate::unfold::Weaken;
use fair::Graph;
use rustc_hash::{FxHashMap, FxHashSet};
use selvedge_base::{Digest, ForTests, Id, ThreadId};
use selvedge_model::{Action, Choice, Fingerprint, Machine, Notice, Op, OpClass, Pending, Status, Undo};
use touched::Touched;

/// The maximum number of states that are visited for one question.
const MOST_STATES: usize = 100_000;
/// The number of random walks before that, and their length in steps.
const WALKS: usize = 8;
const STEPS: usize = 400;
/// The number of open questions after which no more are asked.
const MOST_OPEN: u32 = 8;

/// A blocked thread that may be stuck. For a cycle, its first thread.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Waiting {
    /// The thread.
    pub thread: ThreadId,
    /// True if it is in a cycle that no thread outside can break.
    pub firm: bool,
}

/// The blocked threads that do not just wait for certain other threads.
pub fn waiting<M: Machine + ?Sized>(machine: &M) -> Vec<Waiting> {
    let threads = (0..machine.pending().len()).map(ThreadId::from_index);
    threads.filter_map(|thread| waits(machine, thread)).collect()
}

fn waits<M: Machine + ?Sized>(machine: &M, thread: ThreadId) -> Option<Waiting> {
    let pending = machine.pending();
    let mine = &pending[thread.index()];
    // The process may end at any time, and somebody outside may end a wait at any time.
    let from_outside = mine.action.op == Op::HiddenWait && mine.action.may_fail;
    if mine.status != Status::Blocked || mine.action.op == Op::ProcessExit || from_outside {
        return None;
    }
    let others = machine.waits_for(thread);
    let ended = |other: &ThreadId| pending[other.index()].status == Status::Finished;
    if others.is_empty() || others.iter().any(ended) {
        return Some(Waiting { thread, firm: false });
    }
    let mut members = ahead(machine, thread);
    // The members of the cycle: each of them waits for each of the others.
    members.retain(|&other| ahead(machine, other).contains(&thread));
    if members.iter().min() != Some(&thread) {
        return None;
    }
    let holds = |member: &ThreadId| {
        let action = &pending[member.index()].action;
        // A thread that detaches the joined thread ends the join.
        !action.cancelable && action.op != Op::Join
    };
    let firm = members.iter().all(holds);
    Some(Waiting { thread, firm })
}

/// The threads for which a thread waits, directly or indirectly.
fn ahead<M: Machine + ?Sized>(machine: &M, thread: ThreadId) -> Vec<ThreadId> {
    let (mut found, mut open) = (Vec::new(), vec![thread]);
    while let Some(at) = open.pop() {
        for other in machine.waits_for(at) {
            if !found.contains(&other) {
                found.push(other);
                open.push(other);
            }
        }
    }
    found
}

/// The message for a thread whose fate is unknown.
pub(crate) fn too_many(thread: &str, action: &Action) -> String {
    format!(
        "thread {thread} waits for {}, and too many states follow to tell whether it waits for ever",
        awaited(action)
    )
}

/// What a blocked thread waits for, in words.
const fn awaited(action: &Action) -> &'static str {
    match action.op {
        Op::WaitAcquire | Op::WaitTimeout | Op::FutexWoken => "a wakeup",
        Op::SemWait | Op::SemTimedWait => "a post to a semaphore",
        Op::BarrierLeave => "others at a barrier",
        Op::Join => "the end of a thread",
        Op::HiddenWait => "a file",
        Op::Claim => "a lock",
        Op::Channel => "a channel",
        op if matches!(op.class(), OpClass::Acquire | OpClass::AcquireShared) => "a lock",
        _ => "another thread",
    }
}

/// The future of a blocked thread.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fate {
    /// Some continuation unblocks it, or ends the execution or the process. Or the machine reported
    /// something on the way, so that the verdict is not `true` in any case.
    Open,
    /// No continuation does, and some execution goes on for ever.
    Stuck,
    /// The same, if accesses in the continuations are in no data race. If they are, there are more
    /// continuations than those of whole steps.
    StuckIfOrdered,
    /// There are too many states.
    Unknown,
}

/// Known answers for threads at states.
#[derive(Debug, Default)]
pub struct Fates {
    /// By fingerprint and name of the thread: open, stuck, stuck if accesses are ordered.
    known: [FxHashSet<(Digest, ThreadId, bool)>; 3],
    open: u32,
    weaken: ForTests<Weaken>,
}

impl Fates {
    /// With a deliberate mistake.
    #[cfg(feature = "laboratory")]
    pub(crate) fn weakened(weaken: ForTests<Weaken>) -> Self {
        Fates {
            weaken,
            ..Fates::default()
        }
    }

    /// The future of a blocked thread at the machine's state. The machine is returned to this
    /// state. `name`: the thread's name, equal in each interleaving.
    ///
    /// For a firm cycle, the question is only whether the execution may end, because the cycle is
    /// judged at the end.
    pub fn of<M: Undo + Fingerprint>(
        &mut self,
        machine: &mut M,
        waiting: Waiting,
        name: ThreadId,
        control: &Control,
    ) -> Fate {
        let count = |machine: &M| {
            let parked = machine.pending().iter().filter(|p| p.status == Status::Parked);
            parked.count()
        };
        let mut search = Search {
            key: |print: Digest| (print, name, waiting.firm),
            waiting,
            parked: count(machine),
            fates: self,
            control,
        };
        if search.parked > 0 && !waiting.firm {
            return Fate::Open;
        }
        let start = machine.mark();
        let fate = search.fate(machine);
        machine.undo(start);
        fate
    }

    /// True if so many questions remained open that asking more is useless.
    pub fn gave_up(&self) -> bool {
        self.open >= MOST_OPEN
    }
}

/// What a state shows.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Here {
    /// The thread's fate is open.
    Open,
    /// Nothing: the states that follow decide.
    Nothing,
    /// Nothing, and its successors do not count: a thread has stopped there.
    Pruned,
}

/// The search for the answer to one question.
struct Search<'a, K> {
    key: K,
    waiting: Waiting,
    /// The number of threads that had stopped when the search began.
    parked: usize,
    fates: &'a mut Fates,
    control: &'a Control,
}

/// A state of the search path.
struct Frame<T> {
    mark: T,
    print: Digest,
    number: u32,
    choices: Vec<Choice>,
    next: usize,
    /// The number of first choices that are enough if they lead to new states.
    ample: usize,
}

impl<K: Fn(Digest) -> (Digest, ThreadId, bool)> Search<'_, K> {
    fn fate<M: Undo + Fingerprint>(&mut self, machine: &mut M) -> Fate {
        let print = digest(machine);
        if self.fates.known[0].contains(&(self.key)(print)) || self.here(machine, true) == Here::Open {
            return Fate::Open;
        }
        if self.fates.known[1].contains(&(self.key)(print)) {
            return Fate::Stuck;
        }
        if self.fates.known[2].contains(&(self.key)(print)) {
            return Fate::StuckIfOrdered;
        }
        if (0..WALKS).any(|walk| self.walk(machine, walk as u64)) {
            return Fate::Open;
        }
        let fate = self.visit_all(machine);
        self.fates.open += u32::from(fate == Fate::Unknown);
        fate
    }

    /// What the machine's state shows. `first`: no step was taken yet.
    fn here<M: Undo + Fingerprint>(&self, machine: &M, first: bool) -> Here {
        let pending = machine.pending();
        let noted = |notice: &Notice| matches!(notice, Notice::AssertNoted(..));
        if !first && !machine.notices().iter().all(noted) {
            return Here::Open;
        }
        let parked = pending.iter().filter(|p| p.status == Status::Parked).count();
        if parked > self.parked && !self.waiting.firm {
            return Here::Pruned;
        }
        if !pending.iter().any(Pending::is_enabled) {
            // Where a thread is held, this is no end.
            return if holds(machine) { Here::Pruned } else { Here::Open };
        }
        if self.waiting.firm {
            return Here::Nothing;
        }
        let exits = |p: &Pending| p.action.op == Op::ProcessExit && p.status != Status::Finished;
        if pending.iter().any(exits) || waits(machine, self.waiting.thread).is_none() {
            return Here::Open;
        }
        Here::Nothing
    }

    /// Takes random steps. Returns true if they showed that the fate is open.
    fn walk<M: Undo + Fingerprint>(&mut self, machine: &mut M, seed: u64) -> bool {
        let mut random = fastrand::Rng::with_seed(seed);
        let start = machine.mark();
        let mut prints = vec![digest(machine)];
        let mut found = false;
        for _ in 0..STEPS {
            if self.control.is_stopped() {
                break;
            }
            let (choices, _) = moves(machine, 0, None, is_local(machine));
            if choices.is_empty() {
                break;
            }
            machine.step(choices[random.usize(..choices.len())]);
            match self.here(machine, false) {
                Here::Open => found = true,
                Here::Pruned => break,
                Here::Nothing => {
                    let print = digest(machine);
                    found = self.fates.known[0].contains(&(self.key)(print));
                    prints.push(print);
                }
            }
            if found {
                let keys = prints.into_iter().map(&self.key);
                self.fates.known[0].extend(keys);
                break;
            }
        }
        machine.undo(start);
        found
    }

    /// Visits all states that follow.
    fn visit_all<M: Undo + Fingerprint>(&mut self, machine: &mut M) -> Fate {
        let mut seen: FxHashMap<Digest, u32> = FxHashMap::default();
        let mut graph = Graph::default();
        let mut touched = Touched::default();
        let threads = machine.pending().len();
        let (mut pruned, mut grown, mut held) = (false, false, holds(machine));
        let mut stack: Vec<Frame<M::Mark>> = Vec::new();
        let frame = |machine: &mut M, graph: &mut Graph, print: Digest, depth: usize| {
            let (choices, ample) = moves(machine, depth, None, is_local(machine));
            let pending = machine.pending().iter().enumerate();
            let enabled = pending.filter(|(_, p)| p.is_enabled()).map(|(t, _)| t);
            Frame {
                print,
                number: graph.add(enabled),
                choices,
                next: 0,
                ample,
                mark: machine.mark(),
            }
        };
        let print = digest(machine);
        seen.insert(print, 0);
        stack.push(frame(machine, &mut graph, print, 0));
        while let Some(top) = stack.last_mut() {
            if top.next == top.ample {
                stack.pop();
                continue;
            }
            if seen.len() > MOST_STATES || self.control.is_stopped() {
                return Fate::Unknown;
            }
            let choice = top.choices[top.next];
            top.next += 1;
            machine.undo(top.mark);
            let event = machine.step(choice);
            touched.step(machine, &event);
            let print = digest(machine);
            grown |= machine.pending().len() > threads;
            held |= holds(machine);
            match self.here(machine, false) {
                Here::Nothing if !self.fates.known[0].contains(&(self.key)(print)) => {
                    let from = top.number;
                    let to = seen.get(&print).copied();
                    if to.is_none() {
                        let depth = stack.len();
                        let next = frame(machine, &mut graph, print, depth);
                        seen.insert(print, next.number);
                        stack.push(next);
                    } else if !self.fates.weaken.is(Weaken::Proviso) {
                        top.ample = top.choices.len();
                    }
                    let to = to.unwrap_or(graph.last());
                    graph.step(from, choice.thread.index(), to);
                }
                Here::Pruned => {
                    pruned = true;
                    if !self.fates.weaken.is(Weaken::StopProviso) {
                        top.ample = top.choices.len();
                    }
                }
                _ => {
                    let keys = stack.iter().map(|frame| (self.key)(frame.print));
                    self.fates.known[0].extend(keys);
                    return Fate::Open;
                }
            }
        }
        if held {
            // That thread could move, and let the waiting one go on.
            machine.refuse_turns();
            return Fate::Open;
        }
        if pruned && grown {
            // The same thread may have several numbers.
            return Fate::Unknown;
        }
        if pruned && !graph.goes_on() && !self.fates.weaken.is(Weaken::Fair) {
            return Fate::Open;
        }
        // A firm cycle is never left, whatever happens.
        let may_race = touched.may_race() && !self.waiting.firm;
        if !pruned {
            let keys = seen.into_keys().map(&self.key);
            self.fates.known[1 + usize::from(may_race)].extend(keys);
        }
        match may_race {
            true => Fate::StuckIfOrdered,
            false => Fate::Stuck,
        }
    }
}

/// Whether a thread is held at the machine's state.
fn holds<M: Machine>(machine: &M) -> bool {
    machine.pending().iter().any(|p| p.status == Status::Held)
}

fn is_local<M: Machine>(machine: &M) -> impl Fn(ThreadId) -> bool {
    |thread| machine.pending()[thread.index()].action.is_local()
}

/// All choices of the machine's state, and the number of first choices that are enough if they lead
/// to new states. `turn`: rotates the choices. `first`: true for a thread whose next action is
/// independent of all actions of others before it. `last`: the thread of which that is asked first.
pub(crate) fn moves<M: Machine>(
    machine: &M,
    turn: usize,
    last: Option<ThreadId>,
    first: impl Fn(ThreadId) -> bool,
) -> (Vec<Choice>, usize) {
    let pending = machine.pending();
    let of = |t: usize| {
        let thread = ThreadId::from_index(t);
        (0..pending[t].alternatives).map(move |alternative| Choice { thread, alternative })
    };
    let enabled: Vec<usize> = (0..pending.len()).filter(|&t| pending[t].is_enabled()).collect();
    // No thread runs between an incomplete action and the data choice that completes it.
    let incomplete =
        |&&t: &&usize| pending[t].action.op == Op::Choose && machine.is_incomplete(ThreadId::from_index(t));
    if let Some(&t) = enabled.iter().find(incomplete) {
        let choices: Vec<Choice> = of(t).collect();
        let count = choices.len();
        return (choices, count);
    }
    let mut choices: Vec<Choice> = enabled.iter().copied().flat_map(of).collect();
    if !choices.is_empty() {
        // Multiplied by a large odd number, so that threads and alternatives are combined in many
        // ways.
        let at = turn.wrapping_mul(0x9e37_79b9) >> 8;
        let count = choices.len();
        choices.rotate_left(at % count);
    }
    // A data choice belongs to the transition before it.
    let chooses = |&&t: &&usize| pending[t].action.op == Op::Choose;
    let goes_first = |&&t: &&usize| first(ThreadId::from_index(t));
    let local = enabled.iter().find(chooses).or_else(|| {
        let is_last = |&&t: &&usize| last.is_some_and(|last| last.index() == t);
        let asked = enabled.iter().filter(is_last);
        let asked = asked.chain(enabled.iter().filter(|t| !is_last(t)));
        asked.filter(|_| enabled.len() > 1).find(goes_first)
    });
    let Some(&local) = local else {
        let count = choices.len();
        return (choices, count);
    };
    choices.sort_by_key(|choice| choice.thread.index() != local);
    let ample = choices.iter().filter(|choice| choice.thread.index() == local);
    let ample = ample.count();
    (choices, ample)
}

/// The key of a state. States that differ only in the names of inputs have the same key.
pub(crate) fn digest<M: Fingerprint>(machine: &M) -> Digest {
    match machine.has_inputs() {
        true => machine.fingerprint().with(machine.without_names()),
        false => machine.fingerprint(),
    }
}

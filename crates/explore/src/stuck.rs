//! Threads that wait for ever beside others that run for ever.
//!
//! Where an execution ends, the detector sees who waits. An execution that never ends has no such
//! place; with cutoffs it is left where only known states are ahead. There a blocked thread may be
//! one that is let go on later, or one that never is. It is *stuck* if it moves in no continuation,
//! and none of them ends the execution or the process: an end is judged where it is.
//!
//! That is asked at each leaf of the exploration where only cutoffs are left, and it is enough
//! there. Being stuck is stable: whoever is stuck in a configuration is so in each larger one.
//! Every reachable state is that of a configuration without cutoff events (`unfold::cutoff`), and
//! each such configuration is a part of some leaf's.
//!
//! - Who waits for another thread to give something back or to end is let go on by that one, or
//!   starves: that is no question. [`waiting`] names who waits for nobody in particular (a signal,
//!   a post, a barrier), for a thread that has ended, or in a cycle. If a wait of one of these
//!   kinds turns into one for a certain thread, as that of a woken thread for its mutex, it is
//!   over.
//! - For one of these a few random walks look for a continuation that lets it go on. Mostly they
//!   find one soon.
//! - If they do not, all states that follow are visited, depth first (`Search`). A thread whose
//!   next action is independent of everything goes first, unless that leads to a state that is
//!   known: then the others have their turn, too (the cycle proviso of ample sets; Peled, CAV
//!   1994).
//! - If there are too many, the question stays open, and so does the verdict.
//!
//! A state where a thread has stopped at a false assumption counts as no continuation. If there is
//! one, the thread is stuck only if some execution goes on for ever without it (`fair`).
//!
//! A spurious wakeup is possible and never promised. It is an alternative of the action that begins
//! to wait, so a thread that has begun to wait without it is stuck if no signal ever comes.

mod fair;

use crate::Control;
use crate::unfold::Weaken;
use fair::Graph;
use rustc_hash::{FxHashMap, FxHashSet};
use selvedge_base::{Digest, ForTests, Id, ThreadId};
use selvedge_model::{Action, Choice, Fingerprint, Machine, Notice, Op, Pending, Status, Undo};

/// States that are visited for one question.
const MOST_STATES: usize = 100_000;
/// Random walks before that, and their steps.
const WALKS: usize = 8;
const STEPS: usize = 400;
/// Questions that may stay open before no more are asked.
const MOST_OPEN: u32 = 8;

/// A blocked thread that may be stuck. Of a cycle the first thread.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Waiting {
    /// The thread.
    pub thread: ThreadId,
    /// It is in a cycle that nobody outside can break.
    pub firm: bool,
}

/// The blocked threads that do not just wait for others.
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
    // Those of which each waits for each of the others.
    members.retain(|&other| ahead(machine, other).contains(&thread));
    if members.iter().min() != Some(&thread) {
        return None;
    }
    let holds = |member: &ThreadId| {
        let action = &pending[member.index()].action;
        // A join may be ended by whoever detaches the thread.
        !action.cancelable && action.op != Op::Join
    };
    let firm = members.iter().all(holds);
    Some(Waiting { thread, firm })
}

/// The threads for which a thread waits, directly or by way of others.
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

/// What is said of a thread whose fate is unknown.
pub(crate) fn too_many(thread: &str, action: &Action) -> String {
    format!(
        "thread {thread} waits for {}, and too many states follow to tell whether it waits for ever",
        awaited(action)
    )
}

/// What a blocked thread waits for.
const fn awaited(action: &Action) -> &'static str {
    match action.op {
        Op::WaitAcquire | Op::WaitTimeout => "a wakeup",
        Op::SemWait | Op::SemTimedWait => "a post to a semaphore",
        Op::BarrierLeave => "others at a barrier",
        Op::Join => "the end of a thread",
        Op::HiddenWait => "a file",
        _ => "a lock",
    }
}

/// What is ahead of a thread.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fate {
    /// Some continuation lets it go on, or ends the execution or the process; or the machine had
    /// something to report on the way, so that the verdict is not `true` anyway.
    Open,
    /// None does, and some execution goes on for ever.
    Stuck,
    /// There are too many states.
    Unknown,
}

/// What was learned about threads at states.
#[derive(Debug, Default)]
pub struct Fates {
    /// By fingerprint and name of the thread.
    known: [FxHashSet<(Digest, ThreadId, bool)>; 2],
    open: u32,
    weaken: ForTests<Weaken>,
}

impl Fates {
    /// With a mistake.
    #[cfg(feature = "laboratory")]
    pub(crate) fn weakened(weaken: ForTests<Weaken>) -> Self {
        Fates {
            weaken,
            ..Fates::default()
        }
    }

    /// What is ahead of a blocked thread at the machine's state, to which the machine comes back.
    /// `name`: the same in each interleaving.
    ///
    /// Of a firm cycle it is only asked whether the execution may end: there the cycle is judged.
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

    /// Whether so many questions stayed open that more of them are of no use.
    pub fn gave_up(&self) -> bool {
        self.open >= MOST_OPEN
    }
}

/// What a state says.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Here {
    /// That the thread's fate is open.
    Open,
    /// Nothing: what comes after it decides.
    Nothing,
    /// Nothing, and nothing comes after it: a thread has stopped there.
    Pruned,
}

/// A question.
struct Search<'a, K> {
    key: K,
    waiting: Waiting,
    /// How many threads had stopped where it began.
    parked: usize,
    fates: &'a mut Fates,
    control: &'a Control,
}

/// A state on the way.
struct Frame<T> {
    mark: T,
    print: Digest,
    number: u32,
    choices: Vec<Choice>,
    next: usize,
    /// So many of the choices are enough if they lead to new states.
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
        if (0..WALKS).any(|walk| self.walk(machine, walk as u64)) {
            return Fate::Open;
        }
        let fate = self.visit_all(machine);
        self.fates.open += u32::from(fate == Fate::Unknown);
        fate
    }

    /// What the machine's state says. `first`: nothing was stepped yet.
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
            return Here::Open;
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

    /// Steps at random; whether that showed that the fate is open.
    fn walk<M: Undo + Fingerprint>(&mut self, machine: &mut M, seed: u64) -> bool {
        let mut random = fastrand::Rng::with_seed(seed);
        let start = machine.mark();
        let mut prints = vec![digest(machine)];
        let mut found = false;
        for _ in 0..STEPS {
            if self.control.is_stopped() {
                break;
            }
            let (choices, _) = moves(machine, 0, is_local(machine));
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

    /// Visits all that follows.
    fn visit_all<M: Undo + Fingerprint>(&mut self, machine: &mut M) -> Fate {
        let mut seen: FxHashMap<Digest, u32> = FxHashMap::default();
        let mut graph = Graph::default();
        let threads = machine.pending().len();
        let (mut pruned, mut grown) = (false, false);
        let mut stack: Vec<Frame<M::Mark>> = Vec::new();
        let frame = |machine: &mut M, graph: &mut Graph, print: Digest, depth: usize| {
            let (choices, ample) = moves(machine, depth, is_local(machine));
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
            machine.step(choice);
            let print = digest(machine);
            grown |= machine.pending().len() > threads;
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
        if pruned && grown {
            // The same thread may have several numbers.
            return Fate::Unknown;
        }
        if pruned && !graph.goes_on() && !self.fates.weaken.is(Weaken::Fair) {
            return Fate::Open;
        }
        if !pruned {
            let keys = seen.into_keys().map(&self.key);
            self.fates.known[1].extend(keys);
        }
        Fate::Stuck
    }
}

fn is_local<M: Machine>(machine: &M) -> impl Fn(ThreadId) -> bool {
    |thread| machine.pending()[thread.index()].action.is_local()
}

/// All choices of the machine's state, and how many of them are enough if they lead to new states.
/// `turn`: with which to begin.
///
/// `first`: whether a thread's next action is independent of all that others do before it.
pub(crate) fn moves<M: Machine>(
    machine: &M,
    turn: usize,
    first: impl Fn(ThreadId) -> bool,
) -> (Vec<Choice>, usize) {
    let pending = machine.pending();
    let of = |t: usize| {
        let thread = ThreadId::from_index(t);
        (0..pending[t].alternatives).map(move |alternative| Choice { thread, alternative })
    };
    let enabled: Vec<usize> = (0..pending.len()).filter(|&t| pending[t].is_enabled()).collect();
    // Nobody comes between an action and the data choice without which it has no effect.
    let incomplete =
        |&&t: &&usize| pending[t].action.op == Op::Choose && machine.is_incomplete(ThreadId::from_index(t));
    if let Some(&t) = enabled.iter().find(incomplete) {
        let choices: Vec<Choice> = of(t).collect();
        let count = choices.len();
        return (choices, count);
    }
    let mut choices: Vec<Choice> = enabled.iter().copied().flat_map(of).collect();
    if !choices.is_empty() {
        // Multiplied by an odd number without pattern, so that threads and alternatives take turns
        // in many ways.
        let at = turn.wrapping_mul(0x9e37_79b9) >> 8;
        let count = choices.len();
        choices.rotate_left(at % count);
    }
    // A data choice is part of the transition before it.
    let chooses = |&&t: &&usize| pending[t].action.op == Op::Choose;
    let goes_first = |&&t: &&usize| first(ThreadId::from_index(t));
    let local = enabled
        .iter()
        .find(chooses)
        .or_else(|| enabled.iter().filter(|_| enabled.len() > 1).find(goes_first));
    let Some(&local) = local else {
        let count = choices.len();
        return (choices, count);
    };
    choices.sort_by_key(|choice| choice.thread.index() != local);
    let ample = choices.iter().filter(|choice| choice.thread.index() == local);
    let ample = ample.count();
    (choices, ample)
}

/// What a state is told by: states that differ only in the names of inputs are one.
fn digest<M: Fingerprint>(machine: &M) -> Digest {
    match machine.has_inputs() {
        true => machine.fingerprint().with(machine.without_names()),
        false => machine.fingerprint(),
    }
}

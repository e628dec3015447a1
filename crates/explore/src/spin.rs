//! Threads that wait in loops for ever: every enabled thread runs in a loop without effect
//! (liveness under fairness). GenMC's awaits (Kokologiannakis and Vafeiadis, *Dynamic Partial Order
//! Reductions for Spinloops*, FMCAD 2021) identify such loops in the syntax; here the states
//! decide.
//!
//! A *round* is the execution of a thread alone from a state back to the same state. No thread
//! makes progress from a state if:
//!
//! - each enabled thread, run alone, has no choice and returns to that state. A timed wait times
//!   out in its round: nobody wakes it, and a wakeup without a signal is not to be relied on;
//! - in its round it does not look at a clock that stands still by request
//!   ([`Machine::waits_for_time`]);
//! - in its round it does nothing that unblocks or ends other threads: no signal, no creation, no
//!   input or output. It takes locks only to release them. It writes only values that leave the
//!   memory unchanged, or places that no other round accesses;
//! - no other round accesses what a round writes, locks or tries, in a way that would observe it.
//!   Then every interleaving of the rounds' steps keeps each thread in its round;
//! - no two rounds are in a data race, where plain accesses are no actions of their own. Such a
//!   step may write a value and take it back, and another thread may read in between;
//! - no blocked thread waits for a lock that a round takes and releases;
//! - no thread has stopped at a false assumption, and the process is not about to end.
//!
//! From such a state, all continuations stay among the states through which these rounds pass. So
//! it is enough to ask where an exploration reaches known states: each set of states that is never
//! left again contains such a point.
//!
//! It is a finding if one of the threads reads or tries something in its round, and its end could
//! be reached if the result were different ([`Machine::may_end`]). A server that polls for ever is
//! no finding. Deliberately absent: rounds with an effect that other threads observe (livelocks).

use selvedge_base::{ContextId, Digest, Id, ThreadId};
use selvedge_model::{
    Access, Action, Choice, Detector, Event, Fault, Fingerprint, Limit, LimitKind, Look, Machine,
    MemoryOrder, Needs, Notice, ObjectId, Op, OpClass, Outcome, Pending, Spin, Status, Undo,
};

/// The maximum number of steps in a round.
const MOST_STEPS: usize = 1_000;

/// How a round uses an object, as far as other threads can observe it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Use {
    Read,
    Write,
    /// Takes or releases a lock. A thread that needs it waits, and observes nothing.
    Lock,
    /// Takes a lock if it is free.
    Try,
}

/// A use of an object by a round.
#[derive(Clone, Debug)]
struct Touch {
    object: ObjectId,
    size: u64,
    how: Use,
    /// The number, from 1, of the step with which a lock was released.
    back: usize,
    access: Option<Accessed>,
}

/// What makes an access to memory race with another one.
#[derive(Clone, Debug)]
struct Accessed {
    write: bool,
    /// True if it is no action of its own, and not atomic.
    plain: bool,
    /// The locks that the round held.
    locks: Vec<Held>,
}

/// A lock that a round has taken.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Held {
    object: ObjectId,
    shared: bool,
}

/// The round of a thread.
struct Round {
    thread: ThreadId,
    touches: Vec<Touch>,
    looks: Vec<Look>,
    /// The locks taken and not yet released. No other round takes a lock that was held when the
    /// round began: its thread would have to wait.
    held: Vec<Held>,
}

/// What a state shows.
enum Here {
    /// Some thread may make progress.
    Open,
    /// A thread waits for a lock that another thread releases after this number of steps.
    Behind(ThreadId, usize),
    /// A thread goes round in other states; the machine is in one of these now.
    Elsewhere,
    /// All enabled threads run in rounds.
    Rounds(Vec<Round>),
}

/// Reports to the detector if all enabled threads spin for ever. The machine may be in another
/// state afterwards. `print`: distinguishes states.
pub fn find_spins<M: Machine, D: Detector<M>>(
    machine: &mut M,
    print: impl Fn(&M) -> Digest,
    (detector, faults): (&mut D, &mut Vec<Fault>),
) {
    find(machine, print, &mut |machine, rounds| {
        let spins: Vec<Spin> = rounds.into_iter().map(|round| spin(machine, round)).collect();
        if spins.iter().any(|spin| spin.may_end && !spin.looks.is_empty()) {
            detector.spin(machine, &spins, faults);
        }
    });
}

/// Calls `f` with the rounds if all enabled threads spin for ever.
fn find<M: Machine>(machine: &mut M, print: impl Fn(&M) -> Digest, f: &mut dyn FnMut(&mut M, Vec<Round>)) {
    for _ in 0..=machine.pending().len() {
        match here(machine, &print) {
            Here::Open => return,
            Here::Elsewhere => {}
            Here::Behind(thread, steps) => {
                for _ in 0..steps {
                    machine.step(Choice {
                        thread,
                        alternative: 0,
                    });
                }
            }
            Here::Rounds(rounds) => return f(machine, rounds),
        }
    }
}

/// The same where a round comes back to its state but for the time and the names of inputs. A
/// replay has other values in each round, so this is no finding, but the verdict is open.
pub(crate) fn spins_in_time<M: Undo + Fingerprint>(machine: &mut M) -> Option<Limit> {
    let state = |machine: &M| machine.fingerprint().with(machine.without_names());
    let start = machine.mark();
    let mut spins = Vec::new();
    find(machine, state, &mut |machine, rounds| {
        spins = rounds.into_iter().map(|round| spin(machine, round)).collect();
    });
    machine.undo(start);
    let endless = spins.iter().find(|spin| spin.may_end && !spin.looks.is_empty())?;
    Some(Limit {
        kind: LimitKind::Endless,
        detail: "a loop that waits with a deadline, or looks at a clock, may go round for ever".to_owned(),
        stmt: machine.pending()[endless.thread.index()].action.stmt,
    })
}

/// True if all enabled threads spin for ever, whether that is a finding or not. The machine may
/// be in another state afterwards. `print`: distinguishes states.
pub(crate) fn all_spin<M: Machine>(machine: &mut M, print: impl Fn(&M) -> Digest) -> bool {
    for _ in 0..=machine.pending().len() {
        match here(machine, &print) {
            Here::Open => return false,
            Here::Elsewhere => {}
            Here::Behind(thread, steps) => {
                for _ in 0..steps {
                    machine.step(Choice {
                        thread,
                        alternative: 0,
                    });
                }
            }
            Here::Rounds(_) => return true,
        }
    }
    // Nothing was found out.
    true
}

/// True if the pending actions do not exclude that no thread makes progress.
pub(crate) fn may_spin(pending: &[Pending]) -> bool {
    let goes_round = |p: &Pending| match p.status {
        Status::Enabled => (p.alternatives == 1 || is_wait(&p.action)) && is_quiet(&p.action),
        Status::Blocked => p.action.op != Op::ProcessExit,
        // It can move.
        Status::Held => false,
        Status::Finished => true,
        Status::Parked => false,
    };
    pending.iter().any(Pending::is_enabled) && pending.iter().all(goes_round)
}

fn here<M: Machine>(machine: &mut M, print: &impl Fn(&M) -> Digest) -> Here {
    if !may_spin(machine.pending()) {
        return Here::Open;
    }
    let start = print(machine);
    let enabled = machine
        .pending()
        .iter()
        .enumerate()
        .filter(|(_, p)| p.is_enabled());
    let mut enabled: Vec<ThreadId> = enabled.map(|(t, _)| ThreadId::from_index(t)).collect();
    // One that does not come back is enough for an answer: rounds begin with a look more often than
    // with anything else.
    enabled.sort_by_key(|t| machine.pending()[t.index()].action.op.class() == OpClass::Read);
    let mut rounds: Vec<Round> = Vec::new();
    for thread in enabled {
        let round = match go_round(machine, thread, start, print) {
            Alone::Returns(round) => round,
            Alone::Elsewhere => return Here::Elsewhere,
            Alone::Open => return Here::Open,
        };
        let met = |other: &Round| meet(&other.touches, &round.touches);
        if rounds.iter().any(met) {
            return Here::Open;
        }
        rounds.push(round);
    }
    rounds.sort_by_key(|round| round.thread);
    for waiting in machine.pending().iter().filter(|p| p.status == Status::Blocked) {
        let action = &waiting.action;
        for round in &rounds {
            let wanted = |touch: &&Touch| {
                touch.how != Use::Read
                    && [action.object, action.object2]
                        .iter()
                        .any(|&object| overlap(touch, object, action.object_size().max(1)))
            };
            let mut wanted = round.touches.iter().filter(wanted).map(|touch| touch.back);
            if let Some(first) = wanted.next() {
                return match std::iter::once(first).chain(wanted).find(|&steps| steps > 0) {
                    Some(steps) => Here::Behind(round.thread, steps),
                    None => Here::Open,
                };
            }
        }
    }
    Here::Rounds(rounds)
}

/// What a thread does that runs alone.
enum Alone {
    /// It returns to the state in which it began.
    Returns(Round),
    /// It goes round without that state. The machine is in one that comes again.
    Elsewhere,
    /// It does not return, or does something with an effect.
    Open,
}

/// Runs a thread alone until the machine is back in a state in which it was.
fn go_round<M: Machine>(
    machine: &mut M,
    thread: ThreadId,
    start: Digest,
    print: &impl Fn(&M) -> Digest,
) -> Alone {
    let mut round = Round {
        thread,
        touches: Vec::new(),
        looks: Vec::new(),
        held: Vec::new(),
    };
    // A state that comes again before the first one does: from there on the thread goes round
    // without it. Compared with the state after the last power of two of steps (R. P. Brent, *An
    // Improved Monte Carlo Factorization Algorithm*, BIT 1980).
    let mut passed = start;
    for number in 1..=MOST_STEPS {
        let pending = &machine.pending()[thread.index()];
        if !pending.is_enabled() || pending.alternatives != 1 && !is_wait(&pending.action) {
            return Alone::Open;
        }
        let event = machine.step(Choice {
            thread,
            alternative: 0,
        });
        if !round.takes(machine, &event, number) || machine.waits_for_time(thread) {
            return Alone::Open;
        }
        let here = print(machine);
        if here == start {
            return Alone::Returns(round);
        }
        if here == passed {
            return Alone::Elsewhere;
        }
        if number.is_power_of_two() {
            passed = here;
        }
    }
    Alone::Open
}

impl Round {
    /// Records a step of the thread. Returns false if the step has an effect that excludes a round.
    fn takes<M: Machine>(&mut self, machine: &M, event: &Event, number: usize) -> bool {
        let noted = |notice: &Notice| matches!(notice, Notice::AssertNoted(..));
        if !machine.notices().iter().all(noted) || event.completes || event.outcome == Outcome::Incomplete {
            return false;
        }
        let accesses = machine.accesses();
        let mut next = 0;
        if !self.acts(machine, (&event.action, event.context, event.outcome), number) {
            return false;
        }
        for part in machine.parts() {
            let before = (part.accesses as usize).clamp(next, accesses.len());
            self.accesses(machine, &accesses[next..before]);
            next = before;
            if !self.acts(machine, (&part.action, part.context, part.outcome), number) {
                return false;
            }
        }
        self.accesses(machine, &accesses[next..]);
        true
    }

    /// Records an action or a part. Returns false if it has an effect that excludes a round.
    fn acts<M: Machine>(
        &mut self,
        machine: &M,
        (action, context, outcome): (&Action, ContextId, Outcome),
        number: usize,
    ) -> bool {
        let Some(how) = used(machine, action, outcome) else {
            return false;
        };
        if action.thread != self.thread || action.ends {
            return false;
        }
        let Some(how) = how else { return true };
        let object = match action.op {
            Op::FutexWait => action.object2,
            _ => action.object,
        };
        self.waits(action, number);
        let class = action.op.info().class;
        let gives_back = matches!(class, OpClass::Release | OpClass::ReleaseShared);
        let access = action.is_memory().then(|| Accessed {
            write: action.writes_memory() && outcome != Outcome::Failed,
            plain: false,
            locks: self.held.clone(),
        });
        self.touches.push(Touch {
            object,
            size: action.object_size().max(1),
            how,
            back: if gives_back { number } else { 0 },
            access,
        });
        match class {
            OpClass::Acquire | OpClass::AcquireShared if outcome != Outcome::Failed => {
                let shared = class == OpClass::AcquireShared;
                self.held.push(Held { object, shared });
            }
            _ if gives_back => {
                let last = self.held.iter().rposition(|held| held.object == object);
                last.map(|at| self.held.remove(at));
            }
            _ => {}
        }
        if how == Use::Read && action.op != Op::Write {
            self.looks.push(Look {
                object,
                size: action.size,
                waits: is_wait(action) && action.op != Op::FutexWait,
                stmt: action.stmt,
                context,
            });
        }
        true
    }

    /// Records what a wait does with its lock.
    fn waits(&mut self, action: &Action, number: usize) {
        let lock = action.object2;
        let (how, back, size) = match action.op {
            Op::WaitRelease => (Use::Lock, number, Op::Lock.info().object_size),
            Op::WaitAcquire => (Use::Lock, 0, Op::Lock.info().object_size),
            Op::WaitReleaseWord => (Use::Write, number, 4),
            _ => return,
        };
        self.touches.push(Touch {
            object: lock,
            size: u64::from(size),
            how,
            back,
            access: None,
        });
        let lock = Held {
            object: lock,
            shared: false,
        };
        match action.op {
            Op::WaitAcquire => self.held.push(lock),
            _ => self.held.retain(|held| *held != lock),
        }
    }

    /// Records accesses within a step.
    fn accesses<M: Machine>(&mut self, machine: &M, accesses: &[Access]) {
        for access in accesses.iter().filter(|access| !access.is_fence()) {
            let object = ObjectId(access.address);
            let size = u64::from(access.size);
            let writes = access.write && machine.has_changed(object, size);
            self.touches.push(Touch {
                object,
                size,
                how: if writes { Use::Write } else { Use::Read },
                back: 0,
                access: Some(Accessed {
                    write: access.write,
                    plain: access.order == MemoryOrder::NotAtomic && !machine.interleaves_plain(),
                    locks: self.held.clone(),
                }),
            });
            if !access.write {
                self.looks.push(Look {
                    object,
                    size: access.size,
                    waits: false,
                    stmt: access.stmt,
                    context: access.context,
                });
            }
        }
    }
}

impl Accessed {
    /// True if no lock orders two accesses of different rounds to the same bytes, and they race.
    fn races_with(&self, other: &Accessed) -> bool {
        let excludes = |a: &Held| {
            let mut others = other.locks.iter();
            others.any(|b| a.object == b.object && !(a.shared && b.shared))
        };
        (self.plain || other.plain) && (self.write || other.write) && !self.locks.iter().any(excludes)
    }
}

/// True if an operation may be part of a round, as far as this is known before it is taken.
fn is_quiet(action: &Action) -> bool {
    let info = action.op.info();
    let alone = info.class2 == OpClass::Local;
    // What an operation of a channel does are its accesses.
    if is_own(action) || is_wait(action) || action.op == Op::Channel {
        return true;
    }
    match info.class {
        OpClass::Local => alone && info.needs == Needs::Nothing,
        OpClass::Read
        | OpClass::Write
        | OpClass::Add
        | OpClass::Acquire
        | OpClass::AcquireShared
        | OpClass::Release
        | OpClass::ReleaseShared
        | OpClass::Try
        | OpClass::Take => alone,
        OpClass::Wait
        | OpClass::Notified
        | OpClass::Notify
        | OpClass::Arrive
        | OpClass::Leave
        | OpClass::Post
        | OpClass::Value
        | OpClass::Join
        | OpClass::Exit
        | OpClass::Cancel
        | OpClass::Channel
        | OpClass::Total => false,
    }
}

/// Whether an operation changes only the cancellation state of its own thread. No round asks for
/// that state, and the thread ends its round with the state it began with.
fn is_own(action: &Action) -> bool {
    action.op == Op::Hidden && action.object == ObjectId::thread(action.thread)
}

/// Whether an operation is part of a wait on a condition variable or a futex. The end of a wait
/// that has no deadline is blocked.
fn is_wait(action: &Action) -> bool {
    matches!(
        action.op,
        Op::WaitRelease
            | Op::WaitReleaseWord
            | Op::FutexWait
            | Op::WaitTimeout
            | Op::WaitAcquire
            | Op::FutexWoken
    )
}

/// How an operation of the last step used its object. `None` if it excludes a round, `Some(None)`
/// if there is no object.
fn used<M: Machine>(machine: &M, action: &Action, outcome: Outcome) -> Option<Option<Use>> {
    if !is_quiet(action) {
        return None;
    }
    let failed = outcome == Outcome::Failed;
    if is_own(action) || action.op == Op::Channel {
        return Some(None);
    }
    // Who waits there is woken by nobody else's wait.
    if is_wait(action) {
        return Some(Some(Use::Read));
    }
    match action.op.info().class {
        OpClass::Local => Some(None),
        OpClass::Read => Some(Some(Use::Read)),
        OpClass::Write | OpClass::Add => {
            let same = failed || !machine.has_changed(action.object, action.object_size());
            Some(Some(if same { Use::Read } else { Use::Write }))
        }
        OpClass::Try | OpClass::Take if failed => Some(Some(Use::Read)),
        OpClass::Try => Some(Some(Use::Try)),
        OpClass::Acquire | OpClass::AcquireShared | OpClass::Release | OpClass::ReleaseShared => {
            Some(Some(Use::Lock))
        }
        _ => None,
    }
}

/// True if one round may observe an action of the other, or an access within one.
fn meet(one: &[Touch], other: &[Touch]) -> bool {
    let unseen = |a: Use, b: Use| a == b && matches!(a, Use::Read | Use::Lock);
    let races = |a: &Touch, b: &Touch| match (&a.access, &b.access) {
        (Some(a), Some(b)) => a.races_with(b),
        _ => false,
    };
    let meets = |a: &Touch| {
        let mut others = other.iter();
        others.any(|b| (!unseen(a.how, b.how) || races(a, b)) && overlap(a, b.object, b.size))
    };
    one.iter().any(meets)
}

fn overlap(touch: &Touch, object: ObjectId, size: u64) -> bool {
    if object == ObjectId::NONE {
        return false;
    }
    if !object.is_address() || !touch.object.is_address() {
        return object == touch.object;
    }
    let (a, b) = (touch.object.0, object.0);
    a < b.saturating_add(size) && b < a.saturating_add(touch.size)
}

fn spin<M: Machine>(machine: &M, round: Round) -> Spin {
    let mut looks = round.looks;
    looks.sort_by_key(|look| (look.stmt, look.object, look.context, look.size));
    looks.dedup();
    Spin {
        thread: round.thread,
        looks,
        may_end: machine.may_end(round.thread),
    }
}

//! Steps: what each thread can do in a state, and the resulting state.
//!
//! One step is one access to shared memory or one operation of a library, followed by all
//! thread-local computation up to the next step.

use crate::code::{Code, Op};
use crate::program::{Expr, MutexKind, Order, Place, Program, Stmt};
use crate::state::{Clock, DONE, Layout, NOBODY, State, Status};
use std::cell::{Cell as Shared, RefCell};
use std::collections::BTreeSet;

mod perform;

/// A fault of a program. The numbers are those of statements.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Wrong {
    /// The kind of the fault, with the product's name, and the statement.
    Fault(&'static str, u32),
    /// A data race on this variable.
    Race(String),
    /// A deadlock of some or of all threads.
    Deadlock,
}

/// Which of the events that POSIX and C allow can happen.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs)]
pub struct Allowed {
    pub spurious_wakeups: bool,
    pub weak_failures: bool,
    pub timeouts: bool,
}

/// A program with its code, ready to take steps.
pub struct Machine<'a> {
    pub program: &'a Program,
    pub allowed: Allowed,
    code: Vec<Code>,
    pub layout: Layout,
    acquire_fences: bool,
    release_fences: bool,
    /// The faults that were seen.
    pub wrong: RefCell<BTreeSet<Wrong>>,
    /// Something happened that the enumerator does not model; the program is skipped.
    pub odd: Shared<bool>,
}

/// A possible step of a thread: an alternative of its next action. `spurious`: a spurious wakeup,
/// which is possible but never guaranteed.
#[derive(Clone, Copy, Debug)]
pub struct Move {
    pub thread: usize,
    pub alternative: u8,
    pub spurious: bool,
}

/// Alternatives of a wait on a condition variable.
const SPURIOUS: u8 = 0;
const TIMEOUT: u8 = 1;
const CANCELLED: u8 = 2;

impl<'a> Machine<'a> {
    /// The machine for a program.
    pub fn new(program: &'a Program, allowed: Allowed) -> Self {
        let atomics: Vec<bool> = (0..program.globals.len())
            .map(|g| {
                program.any(&|s| match s {
                    Stmt::AtomicLoad(_, p, _)
                    | Stmt::AtomicStore(p, ..)
                    | Stmt::AtomicRmw(_, _, p, ..)
                    | Stmt::Cas(_, p, ..) => p.global == g,
                    _ => false,
                })
            })
            .collect();
        let fence = |test: fn(Order) -> bool| program.any(&|s| matches!(s, Stmt::Fence(o) if test(*o)));
        let layout = Layout::new(program, &atomics);
        Machine {
            program,
            allowed,
            code: crate::code::functions(program),
            acquire_fences: fence(Order::acquires),
            release_fences: fence(Order::releases),
            wrong: RefCell::default(),
            odd: Shared::new(layout.bits > 63),
            layout,
        }
    }

    /// The code of each function.
    pub fn code(&self) -> &[Code] {
        &self.code
    }

    /// The state before the first step of main.
    pub fn first(&self) -> State {
        let mut state = State::first(self.program);
        self.run_on(&mut state, 0);
        state
    }

    fn op<'s>(&'s self, state: &State, t: usize) -> (&'s Op, u32) {
        let (function, _) = self.program.threads[t];
        let inst = &self.code[function].insts[usize::from(state.threads[t].pc)];
        (&inst.op, inst.id)
    }

    fn bit(&self, clock: Clock) -> u64 {
        self.layout.bit(clock)
    }

    /// All possible steps.
    pub fn moves(&self, state: &State) -> Vec<Move> {
        let mut all = Vec::new();
        if state.ended {
            return all;
        }
        for t in 0..state.threads.len() {
            if state.holder != NOBODY && usize::from(state.holder) != t {
                continue;
            }
            self.moves_of(state, t, &mut all);
        }
        all
    }

    fn moves_of(&self, state: &State, t: usize, all: &mut Vec<Move>) {
        let me = &state.threads[t];
        let mut add = |alternative, spurious| {
            all.push(Move {
                thread: t,
                alternative,
                spurious,
            });
        };
        match me.status {
            Status::Running => {
                for alternative in 0..self.alternatives(state, t) {
                    add(alternative, false);
                }
            }
            Status::Waiting => {
                let timed = matches!(self.op(state, t).0, Op::Do(Stmt::TimedWait(..)));
                if me.cancel && !me.uncancellable {
                    add(CANCELLED, false);
                }
                if timed && self.allowed.timeouts {
                    add(TIMEOUT, false);
                }
                if self.allowed.spurious_wakeups {
                    add(SPURIOUS, true);
                }
            }
            Status::Woken => {
                let (Op::Do(Stmt::Wait(_, m) | Stmt::TimedWait(_, m, _)), _) = self.op(state, t) else {
                    unreachable!("a thread that waits is at a wait");
                };
                if state.mutexes[*m].0 == NOBODY {
                    add(0, false);
                }
            }
            Status::Released(_) => add(0, false),
            Status::NotStarted | Status::Arrived(_) | Status::Finished | Status::Parked => {}
        }
    }

    /// Whether an operation is a cancellation point.
    fn is_cancellation_point(op: &Op) -> bool {
        matches!(
            op,
            Op::Do(
                Stmt::Join(_)
                    | Stmt::JoinAt(_)
                    | Stmt::Wait(..)
                    | Stmt::TimedWait(..)
                    | Stmt::SemWait(_)
                    | Stmt::SemTry(_, _, true)
                    | Stmt::TestCancel
            )
        )
    }

    /// Whether the thread is at a cancellation point and will act on a pending cancellation.
    fn acts_on_cancel(&self, state: &State, t: usize) -> bool {
        let me = &state.threads[t];
        me.cancel && !me.uncancellable && Self::is_cancellation_point(self.op(state, t).0)
    }

    /// The number of alternatives of a running thread's next step; 0 if it is blocked.
    fn alternatives(&self, state: &State, t: usize) -> u8 {
        if self.acts_on_cancel(state, t) {
            return 1;
        }
        let enabled = |yes: bool| u8::from(yes);
        let me = t as u8;
        match self.op(state, t).0 {
            Op::OnceEnter(o, _) => enabled(matches!(state.onces[*o], DONE | 254)),
            Op::Do(stmt) => match stmt {
                Stmt::Input(_, most) => most + 1 + u8::from(!matches!(most, 1 | 3)),
                Stmt::Lock(m) => enabled(self.lockable(state, t, *m)),
                Stmt::TryLock(m, _, true) if !self.allowed.timeouts => enabled(self.lockable(state, t, *m)),
                Stmt::ReadLock(w) => {
                    enabled(matches!(state.rwlocks[*w].writer, NOBODY) || state.rwlocks[*w].writer == me)
                }
                Stmt::WriteLock(w) => enabled(writable(state, t, *w)),
                Stmt::TryRw(w, write, _, true) if !self.allowed.timeouts => enabled(if *write {
                    writable(state, t, *w)
                } else {
                    state.rwlocks[*w].writer == NOBODY || state.rwlocks[*w].writer == me
                }),
                Stmt::SemWait(s) => enabled(state.semaphores[*s] > 0),
                Stmt::SemTry(s, _, true) if !self.allowed.timeouts => enabled(state.semaphores[*s] > 0),
                Stmt::SpinLock(l) => enabled(state.spins[*l] == NOBODY),
                Stmt::Join(_) | Stmt::JoinAt(_) => enabled(
                    self.target(state, t)
                        .is_none_or(|u| state.threads[u].status == Status::Finished),
                ),
                Stmt::Signal(c) => (self.waiting(state, *c).len() as u8).max(1),
                Stmt::Barrier(b, _) => {
                    let arrived = arrived(state, *b);
                    let completes = arrived.len() + 1 == usize::from(self.program.barriers[*b]);
                    let asked = |t: usize| matches!(self.op(state, t).0, Op::Do(Stmt::Barrier(_, Some(_))));
                    if completes && (asked(t) || arrived.iter().any(|&u| asked(u))) {
                        arrived.len() as u8 + 1
                    } else {
                        1
                    }
                }
                Stmt::Cas(true, place, expected, ..) if self.allowed.weak_failures => {
                    let locals = &state.threads[t].locals;
                    let matches = self
                        .location(state, t, place)
                        .is_some_and(|l| state.values[usize::from(l)] == expected.value(locals) & 3);
                    1 + u8::from(matches)
                }
                _ => 1,
            },
            _ => 1,
        }
    }

    fn lockable(&self, state: &State, t: usize, m: usize) -> bool {
        let (owner, _) = state.mutexes[m];
        owner == NOBODY || usize::from(owner) == t && self.program.mutexes[m] != MutexKind::Normal
    }

    /// The threads that wait on a condition variable.
    fn waiting(&self, state: &State, c: usize) -> Vec<usize> {
        let waits = |t: &usize| {
            state.threads[*t].status == Status::Waiting
                && matches!(self.op(state, *t).0, Op::Do(Stmt::Wait(d, _) | Stmt::TimedWait(d, ..)) if *d == c)
        };
        (0..state.threads.len()).filter(waits).collect()
    }

    /// The location of a place; `None` if the index is out of bounds.
    fn location(&self, state: &State, t: usize, place: &Place) -> Option<u8> {
        let index = place
            .index
            .as_ref()
            .map_or(0, |e| e.value(&state.threads[t].locals));
        let len = self.program.globals[place.global].len() as i16;
        (0..len)
            .contains(&index)
            .then(|| self.layout.globals[place.global] + index as u8)
    }

    /// The threads that a blocked thread waits for. Each of them alone is enough to keep it
    /// blocked.
    pub fn waits_for(&self, state: &State, t: usize) -> Vec<usize> {
        let one = |u: u8| if u < 250 { vec![usize::from(u)] } else { Vec::new() };
        let op = self.op(state, t).0;
        match (state.threads[t].status, op) {
            (Status::Woken, Op::Do(Stmt::Wait(_, m) | Stmt::TimedWait(_, m, _))) => one(state.mutexes[*m].0),
            (Status::Running, Op::OnceEnter(o, _)) => one(state.onces[*o]),
            (Status::Running, Op::Do(stmt)) => match stmt {
                Stmt::Lock(m) | Stmt::TryLock(m, _, true) => one(state.mutexes[*m].0),
                Stmt::ReadLock(w) | Stmt::WriteLock(w) | Stmt::TryRw(w, _, _, true) => {
                    let lock = &state.rwlocks[*w];
                    let mut all = one(lock.writer);
                    if matches!(stmt, Stmt::WriteLock(_) | Stmt::TryRw(_, true, ..)) {
                        all.extend((0..state.threads.len()).filter(|&u| lock.readers[u] > 0));
                    }
                    all
                }
                Stmt::SpinLock(l) => one(state.spins[*l]),
                Stmt::Join(_) | Stmt::JoinAt(_) => self.target(state, t).into_iter().collect(),
                _ => Vec::new(),
            },
            _ => Vec::new(),
        }
    }

    /// The thread that a creation or a join refers to. `None` unless it is not yet created (for a
    /// creation) or created (for a join).
    pub fn target(&self, state: &State, t: usize) -> Option<usize> {
        let at = |e: &Expr| {
            usize::try_from(e.value(&state.threads[t].locals))
                .ok()
                .map(|n| n + 1)
        };
        let (target, joins) = match self.op(state, t).0 {
            Op::Do(Stmt::Join(u)) => (Some(*u), true),
            Op::Do(Stmt::JoinAt(e)) => (at(e), true),
            Op::Do(Stmt::Create(u)) => (Some(*u), false),
            Op::Do(Stmt::CreateAt(e)) => (at(e), false),
            _ => (None, false),
        };
        let fits = |u: &usize| {
            let there = state.threads.get(*u).map(|thread| thread.status);
            there.is_some_and(|status| (status == Status::NotStarted) != joins)
        };
        target.filter(fits)
    }

    /// The state after a move.
    pub fn step(&self, state: &State, choice: Move) -> State {
        let mut next = state.clone();
        let t = choice.thread;
        self.perform(&mut next, t, choice.alternative);
        if next.threads[t].status == Status::Running {
            self.run_on(&mut next, t);
        }
        next.prune();
        next
    }

    fn fault(&self, state: &mut State, t: usize, kind: &'static str, id: u32) {
        self.wrong.borrow_mut().insert(Wrong::Fault(kind, id));
        state.threads[t].status = Status::Parked;
    }

    /// Runs thread-local computation up to the thread's next step.
    fn run_on(&self, state: &mut State, t: usize) {
        for _ in 0..10_000 {
            let (op, id) = self.op(state, t);
            let me = &mut state.threads[t];
            let mut next = me.pc + 1;
            match op {
                Op::Let(r, n) => me.locals[usize::from(*r)] = *n,
                Op::Next(r) => me.locals[usize::from(*r)] += 1,
                Op::Jump(to) => next = *to as u16,
                Op::Unless(e, to) => {
                    if e.value(&me.locals) == 0 {
                        next = *to as u16;
                    }
                }
                Op::UnlessPointer(to) => {
                    if me.pointer == 0 {
                        next = *to as u16;
                    }
                }
                Op::TakeKey(to) => {
                    if me.key == 0 {
                        next = *to as u16;
                    }
                    me.key = 0;
                }
                Op::Do(Stmt::Set(r, e)) => me.locals[usize::from(*r)] = e.value(&me.locals) & 3,
                Op::Do(Stmt::Assert(e)) if e.value(&me.locals) == 0 => {
                    return self.fault(state, t, "assertion", id);
                }
                Op::Do(Stmt::Reach(e)) if e.value(&me.locals) == 0 => {
                    return self.fault(state, t, "assertion.reach-error", id);
                }
                Op::Do(Stmt::Abort(e)) if e.value(&me.locals) == 0 => {
                    return self.fault(state, t, "assertion.abort", id);
                }
                Op::Do(Stmt::Assume(e)) if e.value(&me.locals) == 0 => {
                    me.status = Status::Parked;
                    return;
                }
                Op::Do(Stmt::Assert(_) | Stmt::Reach(_) | Stmt::Abort(_) | Stmt::Assume(_)) => {}
                Op::Do(Stmt::SetLocal(e)) => me.own = e.value(&me.locals) & 3,
                Op::Do(Stmt::GetLocal(r)) => me.locals[usize::from(*r)] = me.own,
                Op::Do(Stmt::SetKey(e)) => me.key = e.value(&me.locals) & 3,
                Op::Do(Stmt::GetKey(r)) => me.locals[usize::from(*r)] = me.key,
                Op::Do(Stmt::CancelState(on)) => me.uncancellable = !on,
                _ => return,
            }
            state.threads[t].pc = next;
        }
        self.odd.set(true); // a loop without a step
        state.threads[t].status = Status::Parked;
    }

    fn perform(&self, state: &mut State, t: usize, alternative: u8) {
        let (op, id) = self.op(state, t);
        match state.threads[t].status {
            Status::Waiting => {
                let me = &mut state.threads[t];
                me.status = Status::Woken;
                me.timed_out = alternative == TIMEOUT;
                me.cancelled = alternative == CANCELLED;
                return;
            }
            Status::Woken => return self.woken(state, t),
            Status::Released(serial) => return self.leave_barrier(state, t, serial),
            _ => {}
        }
        if self.acts_on_cancel(state, t) {
            return self.leave(state, t);
        }
        let mut next = state.threads[t].pc + 1;
        match op {
            Op::AtomicBegin => {
                state.holder = t as u8;
                state.learn(self.bit(Clock::Thread(t)), self.bit(Clock::Blocks));
            }
            Op::AtomicEnd => {
                state.holder = NOBODY;
                state.learn(self.bit(Clock::Blocks), self.bit(Clock::Thread(t)));
            }
            Op::OnceEnter(o, over) => {
                if state.onces[*o] == DONE {
                    state.learn(self.bit(Clock::Thread(t)), self.bit(Clock::Once(*o)));
                    next = *over as u16;
                } else {
                    state.onces[*o] = t as u8;
                }
            }
            Op::OnceDone(o) => {
                state.onces[*o] = DONE;
                state.learn(self.bit(Clock::Once(*o)), self.bit(Clock::Thread(t)));
            }
            Op::End => {
                state.threads[t].status = Status::Finished;
                return;
            }
            Op::Exit => {
                state.ended = true;
                return;
            }
            Op::Do(stmt) => {
                self.statement(state, t, stmt, id, alternative);
                if state.threads[t].status != Status::Running {
                    return;
                }
            }
            other => unreachable!("{other:?} is no step"),
        }
        state.threads[t].pc = next;
    }

    /// Moves the thread to the code that runs when it exits.
    fn leave(&self, state: &mut State, t: usize) {
        let (function, _) = self.program.threads[t];
        let me = &mut state.threads[t];
        me.uncancellable = true;
        me.cancelled = false;
        me.status = Status::Running;
        me.pc = self.code[function].exit(usize::from(me.pc)) as u16;
    }

    fn woken(&self, state: &mut State, t: usize) {
        let (Op::Do(stmt), _) = self.op(state, t) else {
            unreachable!("a thread that waits is at a wait");
        };
        let (m, result) = match stmt {
            Stmt::Wait(_, m) => (*m, None),
            Stmt::TimedWait(_, m, r) => (*m, Some(*r)),
            other => unreachable!("{other:?} is no wait"),
        };
        state.mutexes[m] = (t as u8, 1);
        let (me, wakeup) = (self.bit(Clock::Thread(t)), self.bit(Clock::Wakeup(t)));
        state.learn(me, self.bit(Clock::Mutex(m)) | wakeup);
        state.forget(wakeup);
        if state.threads[t].cancelled {
            return self.leave(state, t);
        }
        let me = &mut state.threads[t];
        if let Some(r) = result {
            me.locals[usize::from(r)] = i16::from(me.timed_out);
        }
        me.timed_out = false;
        me.status = Status::Running;
        me.pc += 1;
    }

    fn leave_barrier(&self, state: &mut State, t: usize, serial: bool) {
        let (me, wakeup) = (self.bit(Clock::Thread(t)), self.bit(Clock::Wakeup(t)));
        state.learn(me, wakeup);
        state.forget(wakeup);
        if let (Op::Do(Stmt::Barrier(_, Some(r))), _) = self.op(state, t) {
            state.threads[t].locals[usize::from(*r)] = i16::from(serial);
        }
        state.threads[t].status = Status::Running;
        state.threads[t].pc += 1;
    }
}

fn writable(state: &State, t: usize, w: usize) -> bool {
    let lock = &state.rwlocks[w];
    usize::from(lock.writer) == t || lock.writer == NOBODY && lock.readers.iter().all(|&n| n == 0)
}

/// The threads that have arrived at a barrier.
fn arrived(state: &State, b: usize) -> Vec<usize> {
    let here = |t: &usize| state.threads[*t].status == Status::Arrived(b as u8);
    (0..state.threads.len()).filter(here).collect()
}

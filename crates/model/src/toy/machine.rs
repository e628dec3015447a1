//! A toy as a machine that can undo steps. The whole state is one flat memory; the undo log
//! contains (slot, old value).

mod fingerprint;

pub use fingerprint::ToyState;

use super::compile::{Code, Compiled, DONE, NEW, Slot, Turn, compile, object};
use super::program::Toy;
use crate::reference::Inspect;
use crate::{
    Access, Action, Choice, Event, Fingerprint, Limit, LimitKind, Machine, MemoryOrder, Notice, Op, Outcome,
    Pending, Silent, Status, Undo, Waiters, WaitsFor,
};
use fingerprint::Hashing;
use selvedge_base::{ContextId, Digest, Id, StmtId, ThreadId};
use serde_json::{Value as Json, json};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Phases of a thread: the part of its operation that is done already.
pub(super) const RUN: i32 = 0;
pub(super) const WAITING: i32 = 1;
pub(super) const NOTIFIED: i32 = 2;
pub(super) const TIMED_OUT: i32 = 3;
pub(super) const ARRIVED: i32 = 4;
pub(super) const RELEASED: i32 = 6;
pub(super) const STARTING: i32 = 8;
pub(super) const PARKED: i32 = 9;
pub(super) const CANCELLED: i32 = 10;
/// Its pending action is a data choice on an input: before its operation; within it; within an
/// atomic block.
pub(super) const ASKING: i32 = 11;
pub(super) const INCOMPLETE: i32 = 12;
pub(super) const IN_BLOCK: i32 = 13;

/// The slot for whether the program has ended by a fault.
const CRASHED: Slot = 0;

/// The address of plain cells: far from all objects, whose sizes count as larger than their
/// distances.
const CELLS: u64 = 1 << 16;

/// A running toy.
#[derive(Clone)]
pub struct ToyMachine {
    pub(super) toy: Arc<Compiled>,
    pub(super) memory: Vec<i32>,
    pub(super) log: Vec<(Slot, i32)>,
    pending: Vec<Pending>,
    /// The toy's thread of each machine thread.
    pub(super) order: Vec<u32>,
    pub(super) notices: Vec<Notice>,
    pub(super) accesses: Vec<Access>,
    pub(super) waiters: Vec<Vec<ThreadId>>,
    hashing: Arc<Hashing>,
    /// The fingerprint of `memory`.
    pub(super) hash: Digest,
    /// The change that the last step made to it.
    pub(super) delta: Digest,
    /// True if a thread decides about an input that another thread has decided.
    pub(super) alone: bool,
    /// An explorer could not tell something because threads take turns.
    refused: Arc<AtomicBool>,
}

/// The result of an operation that may be invisible.
pub(super) enum Passed {
    /// It was invisible; the next operation.
    Next(i32),
    /// A false assumption.
    Parked,
    /// It is visible.
    Visible,
}

/// The end of an execution of a toy: variables and registers, and each thread's position, unless
/// every started thread has exited.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct ToyEnd {
    /// Every started thread has exited.
    pub finished: bool,
    /// True if some thread is parked for good.
    pub parked: bool,
    /// Variables in order of name, then each thread's registers in order of name.
    pub values: Vec<i32>,
    /// Each thread's pc; empty if `finished`.
    pub at: Vec<i32>,
}

impl ToyMachine {
    /// The toy at its initial state.
    ///
    /// # Errors
    /// Names what is undeclared.
    pub fn new(toy: &Toy) -> Result<ToyMachine, String> {
        let compiled = Arc::new(compile(toy)?);
        let mut machine = ToyMachine {
            memory: compiled.memory.clone(),
            hashing: Arc::new(Hashing::new(compiled.linear.clone())),
            toy: compiled,
            log: Vec::new(),
            pending: Vec::new(),
            order: Vec::new(),
            notices: Vec::new(),
            accesses: Vec::new(),
            waiters: Vec::new(),
            hash: Digest::EMPTY,
            delta: Digest::EMPTY,
            alone: true,
            refused: Arc::default(),
        };
        machine.hash = machine.fingerprint_from_scratch();
        for t in 0..machine.toy.code.len() {
            if machine.toy.started[t] {
                machine.order.push(t as u32);
                machine.settle(t, 0);
            }
        }
        machine.log.clear();
        machine.refresh();
        Ok(machine)
    }

    /// What says, now and later, whether an explorer of this machine could not tell something
    /// because threads take turns.
    pub fn turns_refused(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.refused)
    }

    /// The toy's number of a machine thread.
    pub fn toy_thread(&self, thread: ThreadId) -> usize {
        self.order[thread.index()] as usize
    }

    /// The present state as an end.
    pub fn end(&self) -> ToyEnd {
        let pcs = || self.toy.base.iter().map(|&b| self.get(b));
        let finished = pcs().all(|pc| pc == NEW || pc == DONE);
        let registers = self.toy.registers.iter().flat_map(|r| r.values());
        ToyEnd {
            finished,
            parked: self.toy.base.iter().any(|&b| self.get(b + 1) == PARKED),
            values: self
                .toy
                .vars
                .values()
                .chain(registers)
                .map(|&slot| self.shown(self.get(slot)))
                .collect(),
            at: if finished { Vec::new() } else { pcs().collect() },
        }
    }

    /// An end in the oracle's format.
    pub fn show(&self, end: &ToyEnd) -> Json {
        let mut values = end.values.iter();
        let mut take = |names: Vec<&String>| -> Json {
            Json::Object(
                names
                    .into_iter()
                    .map(|name| (name.clone(), json!(values.next())))
                    .collect(),
            )
        };
        let vars = take(self.toy.vars.keys().collect());
        let regs: Vec<Json> = self
            .toy
            .registers
            .iter()
            .map(|r| take(r.keys().collect()))
            .collect();
        let mut shown = json!({ "vars": vars, "regs": regs });
        if !end.finished {
            let place = |&pc: &i32| match pc {
                NEW => json!("new"),
                DONE => json!("done"),
                _ => json!(pc),
            };
            shown["at"] = end.at.iter().map(place).collect();
        }
        shown
    }

    #[inline]
    pub(super) fn get(&self, slot: Slot) -> i32 {
        self.memory[slot as usize]
    }

    #[inline]
    pub(super) fn set(&mut self, slot: Slot, value: i32) {
        let old = self.put(slot, value);
        self.log.push((slot, old));
    }

    /// Sets a slot and updates the fingerprint. Returns the old value.
    #[inline]
    fn put(&mut self, slot: Slot, value: i32) -> i32 {
        let old = std::mem::replace(&mut self.memory[slot as usize], value);
        if old != value {
            let change = self.hashing.fragment(slot, value);
            let change = change.without(self.hashing.fragment(slot, old));
            self.hash = self.hash.with(change);
        }
        old
    }

    pub(super) fn pc(&self, t: usize) -> i32 {
        self.get(self.toy.base[t])
    }

    pub(super) fn phase(&self, t: usize) -> i32 {
        self.get(self.toy.base[t] + 1)
    }

    /// The position after a thread's last operation: its end.
    fn end_of(&self, t: usize) -> i32 {
        self.toy.code[t].len() as i32
    }

    pub(super) fn code(&self, t: usize, pc: i32) -> Code {
        self.toy.code[t].get(pc as usize).copied().unwrap_or(Code::Exit)
    }

    /// Runs a thread's invisible operations from `pc` on, up to just before its next visible one.
    pub(super) fn settle(&mut self, t: usize, mut pc: i32) {
        let mut phase = RUN;
        for steps in 0.. {
            if self.asks(t, self.code(t, pc)).is_some() {
                phase = ASKING;
                break;
            }
            match self.pass(t, pc) {
                Passed::Next(next) => pc = next,
                Passed::Parked => phase = PARKED,
                Passed::Visible => break,
            }
            if steps == 1000 && phase == RUN {
                self.loops(t, pc);
                phase = PARKED;
            }
            if phase == PARKED {
                break;
            }
        }
        self.stand(t, pc, phase);
    }

    /// Sets a thread's position and phase.
    pub(super) fn stand(&mut self, t: usize, pc: i32, phase: i32) {
        let base = self.toy.base[t];
        self.set(base, pc);
        self.set(base + 1, phase);
    }

    /// Reports a loop without a visible operation.
    pub(super) fn loops(&mut self, t: usize, pc: i32) {
        self.notices.push(Notice::Limit(Limit {
            kind: LimitKind::Steps,
            detail: "loop without a visible operation".to_owned(),
            stmt: stmt(t, pc),
        }));
    }

    /// Runs an operation if it is invisible. Everything that it has to know is decided.
    pub(super) fn pass(&mut self, t: usize, pc: i32) -> Passed {
        let next = pc + 1;
        Passed::Next(match self.code(t, pc) {
            Code::If(r, n, skip) => next + if self.known(t, r) == n { skip as i32 } else { 0 },
            Code::Assert(r, n) => {
                if self.known(t, r) != n {
                    self.notices
                        .push(Notice::AssertNoted(ThreadId::from_index(t), pc as u32));
                }
                next
            }
            Code::Assume(r, n) if self.known(t, r) != n => return Passed::Parked,
            Code::Assume(..) => next,
            Code::Set(r, n) => {
                self.set(r, n);
                next
            }
            Code::Input(input, r) => {
                self.ask_for(t, input, r);
                next
            }
            Code::Touch(cell, write) => {
                self.touch(t, pc, CELLS + 8 * u64::from(cell), write);
                next
            }
            Code::Get(cell, r) => {
                self.touch(t, pc, CELLS + 8 * u64::from(cell), false);
                self.set(r, self.get(cell));
                next
            }
            Code::Put(cell, n) => {
                self.touch(t, pc, CELLS + 8 * u64::from(cell), true);
                self.set(cell, n);
                next
            }
            Code::Crash => {
                self.notices
                    .push(Notice::AssertNoted(ThreadId::from_index(t), pc as u32));
                self.set(CRASHED, 1);
                return Passed::Parked;
            }
            Code::Smash(m) => {
                self.touch(t, pc, object(m).0, true);
                next
            }
            Code::Goto(to) => to as i32,
            _ => return Passed::Visible,
        })
    }

    /// Accesses plain memory.
    fn touch(&mut self, t: usize, pc: i32, address: u64, write: bool) {
        self.accesses.push(Access {
            address,
            context: ContextId(0),
            stmt: stmt(t, pc),
            size: 4,
            write,
            order: MemoryOrder::NotAtomic,
        });
    }

    /// The machine threads that are at condition variable or barrier `slot` in one of two phases,
    /// in toy order.
    pub(super) fn standing(&self, slot: Slot, phases: [i32; 2]) -> impl Iterator<Item = usize> {
        (0..self.toy.code.len()).filter(move |&t| {
            self.pc(t) >= 0
                && phases.contains(&self.phase(t))
                && matches!(self.code(t, self.pc(t)), Code::Wait(o, ..) | Code::Barrier(o, ..) | Code::FutexWait(o, ..) | Code::WaitWord(o, ..) if o == slot)
        })
    }

    /// True if no thread holds a read-write lock.
    pub(super) fn is_unused(&self, w: Slot) -> bool {
        let count = self.toy.code.len() as u32;
        self.get(w) == -1 && (0..count).all(|u| self.get(w + 1 + u) == 0)
    }

    pub(super) fn machine_thread(&self, t: usize) -> ThreadId {
        ThreadId::from_index(
            self.order
                .iter()
                .position(|&o| o as usize == t)
                .expect("a started thread"),
        )
    }

    /// Takes a visible operation and returns its outcome.
    pub(super) fn perform(&mut self, t: usize, op: Op, alternative: u16) -> Outcome {
        let pc = self.pc(t);
        match op {
            Op::Start => {
                self.settle(t, 0);
                Outcome::Done
            }
            Op::Exit => {
                self.set(self.toy.base[t], DONE);
                Outcome::Done
            }
            Op::CancelPoint if self.is_cancelled(t) => {
                self.settle(t, self.end_of(t));
                Outcome::Done
            }
            Op::AtomicBlock => {
                self.run_block(t, pc + 1);
                Outcome::Done
            }
            op => {
                let cancelled = self.phase(t) == CANCELLED;
                let (outcome, stay) = self.act(t, op, alternative);
                match stay {
                    Some(phase) => self.set(self.toy.base[t] + 1, phase),
                    None if cancelled => self.settle(t, self.end_of(t)),
                    None => self.settle(t, pc + 1),
                }
                outcome
            }
        }
    }

    #[inline(never)]
    pub(super) fn refresh(&mut self) {
        self.pending.clear();
        for (i, &t) in self.order.iter().enumerate() {
            let mut next = self.next(t as usize, ThreadId::from_index(i));
            if self.get(CRASHED) != 0 {
                next.status = Status::Blocked;
            }
            self.pending.push(next);
        }
    }
}

pub(super) fn stmt(t: usize, pc: i32) -> StmtId {
    StmtId((t as u32) << 16 | (pc & 0xffff) as u32)
}

impl Machine for ToyMachine {
    #[inline]
    fn pending(&self) -> &[Pending] {
        &self.pending
    }

    #[inline(never)]
    fn step(&mut self, choice: Choice) -> Event {
        let Pending {
            action,
            status,
            alternatives,
        } = self.pending[choice.thread.index()];
        assert!(
            status == Status::Enabled && choice.alternative < alternatives,
            "{choice:?} is not enabled"
        );
        let t = self.toy_thread(choice.thread);
        let base = self.toy.base[t];
        self.notices.clear();
        self.accesses.clear();
        let (before, log) = (self.hash, self.log.len());
        if let Some(turn) = self.turn(t).filter(|_| self.would_have_turn(t)) {
            self.set(turn.had, 1);
        }
        let completes = self.is_incomplete(choice.thread);
        let passing = self.before_passing(t, &action);
        let (mut action, outcome) = match self.decision_pending(t) {
            Some(_) => self.decide(t, &action, choice),
            None => (action, self.perform(t, action.op, choice.alternative)),
        };
        if let Some(before) = passing {
            action = self.having_passed(action, before);
        }
        let is_last = matches!(self.code(t, self.pc(t)), Code::Exit) && self.phase(t) == RUN;
        let ends = self.toy.ends && action.op != Op::Exit && is_last;
        if ends {
            self.set(base, DONE);
        }
        self.delta = self.hash.without(before);
        self.refresh();
        let unchanged = matches!(action.op, Op::Write | Op::Rmw)
            && outcome == Outcome::Done
            && self.log[log..]
                .iter()
                .all(|&(slot, old)| object(slot) != action.object || self.get(slot) == old);
        // All accesses of toys are atomic and release.
        let silent = match unchanged {
            true => Silent::Values,
            false => Silent::No,
        };
        Event {
            action: Action { ends, ..action },
            context: ContextId(0),
            alternative: choice.alternative,
            alternatives,
            outcome,
            completes,
            silent,
        }
    }

    fn accesses(&self) -> &[Access] {
        &self.accesses
    }

    #[inline]
    fn notices(&self) -> &[Notice] {
        &self.notices
    }

    fn waiters(&self, set: Waiters) -> &[ThreadId] {
        &self.waiters[set.0 as usize]
    }

    /// The outcome determines everything, except for data choices and the reason why a wait ends.
    fn decision(&self, choice: Choice) -> u128 {
        let pending = &self.pending[choice.thread.index()];
        match pending.action.op {
            Op::Choose => {
                let t = self.toy_thread(choice.thread);
                self.chosen(t, choice.alternative) as u128
            }
            Op::WaitRelease | Op::WaitReleaseWord | Op::FutexWait | Op::WaitTimeout | Op::Rmw
                if pending.alternatives > 1 =>
            {
                u128::from(choice.alternative)
            }
            _ => 0,
        }
    }

    fn takes_turns(&self, action: &Action) -> bool {
        let turns = self.toy.turns.iter().enumerate();
        let at = |(t, turn): (usize, &Option<Turn>)| turn.is_some_and(|turn| stmt(t, turn.at) == action.stmt);
        turns.into_iter().any(at)
    }

    fn refuse_turns(&self) {
        self.refused.store(true, Ordering::Relaxed);
    }

    fn is_incomplete(&self, thread: ThreadId) -> bool {
        matches!(self.phase(self.toy_thread(thread)), INCOMPLETE | IN_BLOCK)
    }

    fn waits_for(&self, thread: ThreadId) -> WaitsFor {
        let pending = &self.pending[thread.index()];
        if pending.status != Status::Blocked {
            return WaitsFor::new();
        }
        let t = self.toy_thread(thread);
        let holds = |u: u32| match self.code(t, self.pc(t)) {
            Code::Lock(m) | Code::SpinLock(m) => self.get(m) == u as i32,
            Code::Wait(_, m, _) if self.phase(t) != WAITING => self.get(m) == u as i32,
            Code::RdLock(w) => self.get(w) == u as i32,
            Code::WrLock(w) => self.get(w) == u as i32 || self.get(w + 1 + u) > 0,
            Code::Join(other, _) | Code::JoinOnce(other, ..) => other == u,
            _ => false,
        };
        let threads = self.order.iter().enumerate();
        let held = threads.filter(|&(_, &u)| holds(u));
        held.map(|(number, _)| ThreadId::from_index(number)).collect()
    }
}

impl Undo for ToyMachine {
    type Mark = (u32, u16);

    #[inline]
    fn mark(&mut self) -> (u32, u16) {
        (self.log.len() as u32, self.order.len() as u16)
    }

    #[inline(never)]
    fn undo(&mut self, (log, threads): (u32, u16)) {
        while self.log.len() > log as usize {
            if let Some((slot, old)) = self.log.pop() {
                self.put(slot, old);
            }
        }
        self.order.truncate(usize::from(threads));
        self.delta = Digest::EMPTY;
        self.notices.clear();
        self.accesses.clear();
        self.refresh();
    }
}

impl Inspect for ToyMachine {
    type State = (Vec<i32>, Vec<u32>);
    type End = ToyEnd;

    fn state(&self) -> Self::State {
        (self.memory.clone(), self.order.clone())
    }

    fn ending(&self) -> ToyEnd {
        self.end()
    }

    fn name(&self, thread: ThreadId) -> u32 {
        self.order[thread.index()]
    }

    fn begun(&self, thread: ThreadId) -> Option<Action> {
        self.begun_at(self.toy_thread(thread), thread)
    }
}

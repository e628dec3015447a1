//! A toy as a machine that can go back. The whole state is one flat memory; the undo log holds (slot, old value).

use super::compile::{Code, Compiled, DONE, NEW, Slot, Value, compile, object};
use super::fingerprint::Hashing;
use super::program::Toy;
use crate::reference::Inspect;
use crate::{
    Access, Action, Choice, Event, Fingerprint, Limit, LimitKind, Machine, MemoryOrder, Notice, ObjectId, Op,
    Outcome, Pending, Status, Undo, Waiters,
};
use selvedge_base::{ContextId, Id, StmtId, ThreadId};
use serde_json::{Value as Json, json};
use std::sync::Arc;

/// Phases of a thread: what of its operation is done already.
const RUN: i32 = 0;
const WAITING: i32 = 1;
const NOTIFIED: i32 = 2;
const TIMED_OUT: i32 = 3;
const ARRIVED: i32 = 4;
const RELEASED: i32 = 6;
const STARTING: i32 = 8;
const PARKED: i32 = 9;

/// A running toy.
#[derive(Clone)]
pub struct ToyMachine {
    toy: Arc<Compiled>,
    pub(super) memory: Vec<i32>,
    pub(super) log: Vec<(Slot, i32)>,
    pending: Vec<Pending>,
    /// The toy's thread of each machine thread.
    pub(super) order: Vec<u32>,
    pub(super) notices: Vec<Notice>,
    waiters: Vec<Vec<ThreadId>>,
    pub(super) hashing: Arc<Hashing>,
    /// The fingerprint of `memory`.
    pub(super) hash: u128,
    /// What the last step added to it.
    pub(super) delta: u128,
}

/// Where an execution of a toy ended: variables and registers, and, unless every started thread has exited, each
/// thread's place.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct ToyEnd {
    /// Every started thread has exited.
    pub finished: bool,
    /// Some thread is parked for good.
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
            waiters: Vec::new(),
            hash: 0,
            delta: 0,
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

    /// The toy's number of a machine thread.
    pub fn toy_thread(&self, thread: ThreadId) -> usize {
        self.order[thread.index()] as usize
    }

    /// Where it stands now.
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
                .map(|&slot| self.get(slot))
                .collect(),
            at: if finished { Vec::new() } else { pcs().collect() },
        }
    }

    /// An end as the oracle writes it.
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
    fn get(&self, slot: Slot) -> i32 {
        self.memory[slot as usize]
    }

    #[inline]
    fn set(&mut self, slot: Slot, value: i32) {
        let old = self.put(slot, value);
        self.log.push((slot, old));
    }

    /// Sets a slot, with the fingerprint; its old value.
    #[inline]
    fn put(&mut self, slot: Slot, value: i32) -> i32 {
        let old = std::mem::replace(&mut self.memory[slot as usize], value);
        if old != value {
            let change = self.hashing.fragment(slot, value);
            let change = change.wrapping_sub(self.hashing.fragment(slot, old));
            self.hash = self.hash.wrapping_add(change);
        }
        old
    }

    fn value(&self, value: Value) -> i32 {
        match value {
            Value::Number(n) => n,
            Value::Register(slot) => self.get(slot),
        }
    }

    fn pc(&self, t: usize) -> i32 {
        self.get(self.toy.base[t])
    }

    fn phase(&self, t: usize) -> i32 {
        self.get(self.toy.base[t] + 1)
    }

    fn code(&self, t: usize, pc: i32) -> Code {
        self.toy.code[t].get(pc as usize).copied().unwrap_or(Code::Exit)
    }

    /// Runs a thread's invisible operations from `pc` on, up to just before its next visible one.
    fn settle(&mut self, t: usize, mut pc: i32) {
        let base = self.toy.base[t];
        let mut phase = RUN;
        for steps in 0.. {
            let next = pc + 1;
            pc = match self.code(t, pc) {
                Code::If(r, n, skip) => next + if self.get(r) == n { skip as i32 } else { 0 },
                Code::Assert(r, n) => {
                    if self.get(r) != n {
                        self.notices
                            .push(Notice::AssertNoted(ThreadId::from_index(t), pc as u32));
                    }
                    next
                }
                Code::Assume(r, n) if self.get(r) != n => {
                    phase = PARKED;
                    break;
                }
                Code::Assume(..) => next,
                Code::Set(r, n) => {
                    self.set(r, n);
                    next
                }
                Code::Goto(to) => to as i32,
                _ => break,
            };
            if steps == 1000 {
                phase = PARKED;
                self.notices.push(Notice::Limit(Limit {
                    kind: LimitKind::Steps,
                    detail: "loop without a visible operation".to_owned(),
                    stmt: stmt(t, pc),
                }));
                break;
            }
        }
        self.set(base, pc);
        self.set(base + 1, phase);
    }

    /// The machine threads that stand at condition variable or barrier `slot` in one of two phases, in toy order.
    fn standing(&self, slot: Slot, phases: [i32; 2]) -> impl Iterator<Item = usize> {
        (0..self.toy.code.len()).filter(move |&t| {
            self.pc(t) >= 0
                && phases.contains(&self.phase(t))
                && matches!(self.code(t, self.pc(t)), Code::Wait(o, ..) | Code::Barrier(o, ..) if o == slot)
        })
    }

    /// Whether nobody has a read-write lock.
    fn is_unused(&self, w: Slot) -> bool {
        let count = self.toy.code.len() as u32;
        self.get(w) == -1 && (0..count).all(|u| self.get(w + 1 + u) == 0)
    }

    fn machine_thread(&self, t: usize) -> ThreadId {
        ThreadId::from_index(
            self.order
                .iter()
                .position(|&o| o as usize == t)
                .expect("a started thread"),
        )
    }

    fn next(&self, t: usize, id: ThreadId) -> Pending {
        let (pc, phase) = (self.pc(t), self.phase(t));
        let mut alternatives = 1;
        let (op, on, when) = if pc == DONE {
            (Op::Exit, None, None)
        } else if phase == STARTING {
            (Op::Start, None, Some(true))
        } else {
            let value = |slot| self.get(slot);
            match self.code(t, pc) {
                Code::Lock(m) => (Op::Lock, Some(m), Some(value(m) == -1)),
                Code::Unlock(m) => (Op::Unlock, Some(m), Some(value(m) == t as i32)),
                Code::TryLock(m, _) => (Op::TryLock, Some(m), Some(true)),
                Code::Wait(c, m, result) => match phase {
                    WAITING if result.is_some() => (Op::WaitTimeout, Some(c), Some(true)),
                    WAITING => (Op::WaitAcquire, Some(c), Some(false)),
                    NOTIFIED | TIMED_OUT => (Op::WaitAcquire, Some(c), Some(value(m) == -1)),
                    _ => (Op::WaitRelease, Some(c), Some(value(m) == t as i32)),
                },
                Code::Signal(c) => {
                    alternatives = self.standing(c, [WAITING; 2]).count().max(1) as u16;
                    (Op::Signal, Some(c), Some(true))
                }
                Code::Broadcast(c) => (Op::Broadcast, Some(c), Some(true)),
                Code::SemPost(s) => (Op::SemPost, Some(s), Some(true)),
                Code::SemWait(s) => (Op::SemWait, Some(s), Some(value(s) > 0)),
                Code::SemTryWait(s, _) => (Op::SemTryWait, Some(s), Some(true)),
                Code::SemValue(s, _) => (Op::SemGetValue, Some(s), Some(true)),
                Code::RdLock(w) => (Op::RdLock, Some(w), Some(value(w) == -1)),
                Code::WrLock(w) => (Op::WrLock, Some(w), Some(self.is_unused(w))),
                Code::TryRdLock(w, _) => (Op::TryRdLock, Some(w), Some(true)),
                Code::TryWrLock(w, _) => (Op::TryWrLock, Some(w), Some(true)),
                Code::RwUnlock(w) if value(w) == t as i32 => (Op::WrUnlock, Some(w), Some(true)),
                Code::RwUnlock(w) => (Op::RdUnlock, Some(w), Some(value(w + 1 + t as u32) > 0)),
                Code::Barrier(b, ..) if phase >= ARRIVED => {
                    (Op::BarrierLeave, Some(b), Some(phase >= RELEASED))
                }
                Code::Barrier(b, ..) => (Op::BarrierArrive, Some(b), Some(true)),
                Code::Once(o, _) => (Op::OnceEnter, Some(o), Some(true)),
                Code::Read(x, _) => (Op::Read, Some(x), Some(true)),
                Code::Write(x, _) => (Op::Write, Some(x), Some(true)),
                Code::Add(x, ..) | Code::Cas(x, ..) => (Op::Rmw, Some(x), Some(true)),
                Code::Choose(k, _) => {
                    alternatives = k;
                    (Op::Choose, None, Some(true))
                }
                Code::Spawn(u) => (Op::Spawn, None, Some(self.pc(u as usize) == NEW)),
                Code::Join(u) => (Op::Join, None, Some(self.pc(u as usize) == DONE)),
                Code::Yield => (Op::Yield, None, Some(true)),
                Code::Exit => (Op::Exit, None, Some(true)),
                // A parked thread stands at what parked it.
                Code::If(..) | Code::Assert(..) | Code::Assume(..) | Code::Set(..) | Code::Goto(..) => {
                    (Op::Assume, None, None)
                }
            }
        };
        let mut action = Action {
            stmt: stmt(t, pc),
            ..Action::new(id, op)
        };
        match (op, self.code(t, pc)) {
            (Op::Join, Code::Join(u)) => action.object = ObjectId(1 << 63 | 0x8000 | u64::from(u)),
            (Op::Exit, _) => action.object = ObjectId(1 << 63 | 0x8000 | t as u64),
            (Op::WaitRelease | Op::WaitAcquire | Op::WaitTimeout, Code::Wait(_, m, _)) => {
                action.object2 = object(m)
            }
            _ => {}
        }
        if let Some(slot) = on {
            action.object = object(slot);
        }
        if action.is_memory() {
            action.may_fail = matches!(self.code(t, pc), Code::Cas(..));
            action.size = 4;
            action.order = MemoryOrder::SeqCst;
        }
        let status = match when {
            _ if pc == DONE => Status::Finished,
            _ if phase == PARKED => Status::Parked,
            Some(true) => Status::Enabled,
            _ => Status::Blocked,
        };
        Pending {
            action,
            status,
            alternatives,
        }
    }

    #[inline(never)]
    pub(super) fn refresh(&mut self) {
        self.pending.clear();
        for (i, &t) in self.order.iter().enumerate() {
            let next = self.next(t as usize, ThreadId::from_index(i));
            self.pending.push(next);
        }
    }

    fn intern(&mut self, mut set: Vec<ThreadId>) -> Waiters {
        set.sort_unstable();
        let at = self.waiters.iter().position(|w| *w == set).unwrap_or_else(|| {
            self.waiters.push(set);
            self.waiters.len() - 1
        });
        Waiters(at as u32)
    }

    /// Does the visible operation: its outcome, and the phase to stay in if it is only half done.
    fn act(&mut self, t: usize, op: Op, alternative: u16) -> (Outcome, Option<i32>) {
        let me = t as i32;
        let phase = self.phase(t);
        let (mut outcome, mut stay) = (Outcome::Done, None);
        match self.code(t, self.pc(t)) {
            Code::Lock(m) => self.set(m, me),
            Code::Unlock(m) => self.set(m, -1),
            Code::TryLock(m, r) => {
                let free = self.get(m) == -1;
                if free {
                    self.set(m, me);
                } else {
                    outcome = Outcome::Failed;
                }
                self.set(r, i32::from(free));
            }
            Code::Wait(_, m, result) => match op {
                Op::WaitRelease => {
                    self.set(m, -1);
                    stay = Some(WAITING);
                }
                Op::WaitTimeout => {
                    stay = Some(TIMED_OUT);
                    outcome = Outcome::Failed;
                }
                _ => {
                    self.set(m, me);
                    if let Some(r) = result {
                        self.set(r, i32::from(phase == NOTIFIED));
                    }
                }
            },
            Code::Signal(c) => {
                let target = self.standing(c, [WAITING; 2]).nth(usize::from(alternative));
                outcome = Outcome::Failed;
                if let Some(u) = target {
                    self.set(self.toy.base[u] + 1, NOTIFIED);
                    outcome = Outcome::Thread(self.machine_thread(u));
                }
            }
            Code::Broadcast(c) => {
                let woken: Vec<usize> = self.standing(c, [WAITING; 2]).collect();
                for &u in &woken {
                    self.set(self.toy.base[u] + 1, NOTIFIED);
                }
                let set = woken.iter().map(|&u| self.machine_thread(u)).collect();
                outcome = Outcome::Threads(self.intern(set));
            }
            Code::SemPost(s) => self.set(s, self.get(s) + 1),
            Code::SemWait(s) => self.set(s, self.get(s) - 1),
            Code::SemTryWait(s, r) => {
                let works = self.get(s) > 0;
                if works {
                    self.set(s, self.get(s) - 1);
                } else {
                    outcome = Outcome::Failed;
                }
                self.set(r, i32::from(works));
            }
            Code::SemValue(s, r) => self.set(r, self.get(s)),
            Code::RdLock(w) => self.set(w + 1 + t as u32, self.get(w + 1 + t as u32) + 1),
            Code::WrLock(w) => self.set(w, me),
            Code::TryRdLock(w, r) | Code::TryWrLock(w, r) => {
                let shared = op == Op::TryRdLock;
                let works = if shared {
                    self.get(w) == -1
                } else {
                    self.is_unused(w)
                };
                match (works, shared) {
                    (true, true) => self.set(w + 1 + t as u32, self.get(w + 1 + t as u32) + 1),
                    (true, false) => self.set(w, me),
                    (false, _) => outcome = Outcome::Failed,
                }
                self.set(r, i32::from(works));
            }
            Code::RwUnlock(w) if op == Op::WrUnlock => self.set(w, -1),
            Code::RwUnlock(w) => self.set(w + 1 + t as u32, self.get(w + 1 + t as u32) - 1),
            Code::Barrier(..) if op == Op::BarrierLeave => {}
            Code::Barrier(b, size, r) => {
                let round = self.get(b);
                stay = Some(ARRIVED + round);
                let mut here: Vec<usize> = self.standing(b, [ARRIVED, ARRIVED + 1]).collect();
                if here.len() as i32 + 1 == size {
                    self.set(b, 1 - round);
                    for &u in &here {
                        self.set(self.toy.base[u] + 1, RELEASED + round);
                    }
                    stay = Some(RELEASED + round);
                    here.push(t);
                    let set = here.iter().map(|&u| self.machine_thread(u)).collect();
                    outcome = Outcome::Threads(self.intern(set));
                    if let Some(r) = r {
                        self.set(r, 1);
                    }
                }
            }
            Code::Once(o, r) => {
                self.set(r, 1 - self.get(o));
                self.set(o, 1);
            }
            Code::Read(x, r) => self.set(r, self.get(x)),
            Code::Write(x, v) => self.set(x, self.value(v)),
            Code::Add(x, v, r) => {
                let old = self.get(x);
                self.set(x, old.wrapping_add(self.value(v)));
                if let Some(r) = r {
                    self.set(r, old);
                }
            }
            Code::Cas(x, expected, new, r) => {
                let works = self.get(x) == self.value(expected);
                if works {
                    self.set(x, self.value(new));
                } else {
                    outcome = Outcome::Failed;
                }
                self.set(r, i32::from(works));
            }
            Code::Choose(_, r) => {
                self.set(r, i32::from(alternative));
                outcome = Outcome::Value(alternative);
            }
            Code::Spawn(u) => {
                let base = self.toy.base[u as usize];
                self.set(base, 0);
                self.set(base + 1, STARTING);
                self.order.push(u);
                outcome = Outcome::Thread(ThreadId::from_index(self.order.len() - 1));
            }
            _ => {}
        }
        (outcome, stay)
    }
}

fn stmt(t: usize, pc: i32) -> StmtId {
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
        let before = self.hash;
        let pc = self.pc(t);
        let outcome = match action.op {
            Op::Start => {
                self.settle(t, 0);
                Outcome::Done
            }
            Op::Exit => {
                self.set(base, DONE);
                Outcome::Done
            }
            op => {
                let (outcome, stay) = self.act(t, op, choice.alternative);
                match stay {
                    Some(phase) => self.set(base + 1, phase),
                    None => self.settle(t, pc + 1),
                }
                outcome
            }
        };
        self.delta = self.hash.wrapping_sub(before);
        self.refresh();
        Event {
            action,
            context: ContextId(0),
            alternative: choice.alternative,
            alternatives,
            outcome,
        }
    }

    fn accesses(&self) -> &[Access] {
        &[]
    }

    #[inline]
    fn notices(&self) -> &[Notice] {
        &self.notices
    }

    fn waiters(&self, set: Waiters) -> &[ThreadId] {
        &self.waiters[set.0 as usize]
    }

    /// But for data choices the outcome tells everything.
    fn decision(&self, choice: Choice) -> u64 {
        match self.pending[choice.thread.index()].action.op {
            Op::Choose => u64::from(choice.alternative),
            _ => 0,
        }
    }

    fn waits_for(&self, thread: ThreadId) -> Option<ThreadId> {
        let t = self.toy_thread(thread);
        let owner = match self.code(t, self.pc(t)) {
            Code::Lock(m) => self.get(m),
            Code::Join(u) => u as i32,
            _ => -1,
        };
        self.order
            .iter()
            .position(|&o| o as i32 == owner)
            .map(ThreadId::from_index)
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
        self.delta = 0;
        self.notices.clear();
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
}

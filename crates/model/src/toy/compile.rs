//! From names to slots: every pc, register and object of a toy gets a position in one flat memory.

use super::program::{Operand, Toy, ToyOp};
use crate::ObjectId;
use std::collections::BTreeMap;

/// A position in the toy's flat memory.
pub(super) type Slot = u32;

/// A number, or a register's position.
#[derive(Clone, Copy)]
pub(super) enum Value {
    Number(i32),
    Register(Slot),
}

/// An operation with its names resolved.
#[derive(Clone, Copy)]
pub(super) enum Code {
    Lock(Slot),
    Unlock(Slot),
    /// The flag: whether it is a try with a deadline.
    TryLock(Slot, Slot, bool),
    SpinLock(Slot),
    SpinTryLock(Slot, Slot),
    SpinUnlock(Slot),
    /// Condition variable, mutex, and the result register of a timed wait.
    Wait(Slot, Slot, Option<Slot>),
    Signal(Slot),
    Broadcast(Slot),
    SemPost(Slot),
    SemWait(Slot),
    SemTryWait(Slot, Slot, bool),
    SemValue(Slot, Slot),
    RdLock(Slot),
    WrLock(Slot),
    TryRdLock(Slot, Slot, bool),
    TryWrLock(Slot, Slot, bool),
    RwUnlock(Slot),
    /// Barrier, its size, result register.
    Barrier(Slot, i32, Option<Slot>),
    Once(Slot, Slot),
    Read(Slot, Slot),
    Write(Slot, Value),
    Add(Slot, Value, Option<Slot>),
    Cas(Slot, Value, Value, Slot),
    Choose(u16, Slot),
    Spawn(u32),
    /// The thread, and the slot for whether this thread has joined it.
    Join(u32, Slot),
    Exit,
    Yield,
    If(Slot, i32, u32),
    Assert(Slot, i32),
    Assume(Slot, i32),
    Set(Slot, i32),
    Goto(u32),
    Cancel(u32, Slot),
    TestCancel,
    /// The slot for whether the thread refuses cancellation, and whether it does from now on.
    Refuse(Slot, i32),
    /// The thread's slot for whether it was claimed, and the result register.
    Detach(Slot, Slot),
    JoinOnce(u32, Slot, Slot),
    /// The object, and its new value.
    Init(Slot, i32),
    /// A plain cell, and whether it is written.
    Touch(Slot, bool),
    /// A plain cell, and the slot for its value.
    Get(Slot, Slot),
    /// A plain cell, and the written value.
    Put(Slot, i32),
    /// A mutex.
    Smash(Slot),
    Crash,
    Destroy(Slot, Slot),
    /// The input's number, and its slot.
    Input(u32, Slot),
    Atomic,
    /// The variable, the value with which to wait, the result register, and whether the wait may
    /// time out.
    FutexWait(Slot, i32, Slot, bool),
    /// The variable whose queue is waited in, the written variable with its new value, and the
    /// register for how a wait ends that may time out.
    WaitWord(Slot, Slot, i32, Option<Slot>),
    /// The variable, and whether each waiting thread is woken.
    FutexWake(Slot, bool),
    /// Wait until a variable has a value; the new value.
    Claim(Slot, i32, i32),
    /// The [channel](CHANNEL), the message, and the result register of a try.
    Send(Slot, Value, Option<Slot>),
    /// The channel, the register for the message, and whether it is a try.
    Receive(Slot, Slot, bool),
    HangUp(Slot),
}

/// The slots of a channel: how far receivers and senders have come (modulo twice the number of
/// places), whether it has ended, and its places.
pub(super) const CHANNEL: u32 = 3 + PLACES as u32;
/// The number of places of a channel.
pub(super) const PLACES: i32 = 2;

/// A mutex that was destroyed.
pub(super) const DESTROYED: i32 = -2;

/// The pc of a thread before its start.
pub(super) const NEW: i32 = -1;
/// The pc of a thread after its exit.
pub(super) const DONE: i32 = -2;
/// The knowledge of a thread about an input that it has not decided.
pub(super) const UNKNOWN: i32 = -1;
/// The first object's name; objects lie 4 bytes apart, so that two of them share a granule.
const FIRST_OBJECT: u64 = 0x1000;

/// A compiled toy: immutable, shared by all machines that run it.
pub(super) struct Compiled {
    /// The flat memory at the start.
    pub memory: Vec<i32>,
    /// Code by thread.
    pub code: Vec<Vec<Code>>,
    /// Where each thread's pc lies; its phase is the next slot.
    pub base: Vec<Slot>,
    /// Registers of each thread by name.
    pub registers: Vec<BTreeMap<String, Slot>>,
    /// Variables by name.
    pub vars: BTreeMap<String, Slot>,
    /// Which slots of the memory are semaphores, or variables to which threads add.
    pub linear: Vec<bool>,
    /// Threads that run from the start.
    pub started: Vec<bool>,
    /// For each thread, the slots for whether its cancellation was requested, and whether it
    /// refuses cancellation.
    pub requested: Vec<Option<Slot>>,
    pub refused: Vec<Option<Slot>>,
    /// True if threads are joined and cancelled only by their creators, or run from the start. Then
    /// each thread that is about to join or cancel a thread has its number.
    pub numbered: bool,
    /// True if a thread's end comes with its last action.
    pub ends: bool,
    /// True if waits may end without a signal.
    pub spurious: bool,
    /// True if a compare-and-swap may fail although the values are equal.
    pub weak: bool,
    /// True if inputs are written to memory before they are decided.
    pub shares: bool,
    /// True if additions whose old value nobody asks for are operations of their own.
    pub adds: bool,
    /// For each input, the number of its possible values.
    pub inputs: Vec<u16>,
    /// For each input, the slot for the first thread's knowledge of it; those of the other threads
    /// follow.
    pub known: Vec<Slot>,
    /// For each thread and operation, the atomic block that contains the operation, if any: its
    /// beginning, and the operation after it.
    pub blocks: Vec<Vec<Option<(u32, u32)>>>,
    /// True if there are atomic blocks.
    pub has_blocks: bool,
    /// By thread, if it takes turns: at which operation, the slot that says whether it has had its
    /// turn, and that of the thread that comes before it.
    pub turns: Vec<Option<Turn>>,
}

/// Where a thread takes turns with identical ones.
#[derive(Clone, Copy)]
pub(super) struct Turn {
    /// The operation.
    pub at: i32,
    /// Says whether it has had its turn.
    pub had: Slot,
    /// The same of the thread before it.
    pub before: Option<Slot>,
}

/// The name of the object at a slot.
pub(super) fn object(slot: Slot) -> ObjectId {
    ObjectId(FIRST_OBJECT + 4 * u64::from(slot))
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Sort {
    Mutex,
    Condition,
    RwLock,
    Semaphore,
    Barrier,
    Once,
    Spin,
    Requested,
    Refused,
    Claimed,
    Joined,
    Cell,
    Channel,
}

struct Compiler<'a> {
    toy: &'a Toy,
    out: Compiled,
    objects: BTreeMap<(Sort, String), Slot>,
}

/// Resolves the names.
///
/// # Errors
/// Names what is undeclared or out of range.
pub(super) fn compile(toy: &Toy) -> Result<Compiled, String> {
    let count = toy.threads.len();
    let out = Compiled {
        memory: vec![0; 1],
        linear: vec![false; 1],
        code: Vec::new(),
        base: Vec::new(),
        registers: Vec::new(),
        vars: BTreeMap::new(),
        started: vec![true; count],
        requested: vec![None; count],
        refused: vec![None; count],
        numbered: is_numbered(toy),
        ends: toy.ends,
        spurious: toy.spurious,
        weak: toy.weak,
        shares: toy.shares,
        adds: toy.adds,
        inputs: Vec::new(),
        known: Vec::new(),
        blocks: toy.threads.iter().map(|ops| blocks(ops)).collect(),
        has_blocks: toy
            .threads
            .iter()
            .flatten()
            .any(|op| matches!(op, ToyOp::Atomic(_))),
        turns: vec![None; count],
    };
    let cancels = toy
        .threads
        .iter()
        .flatten()
        .any(|op| matches!(op, ToyOp::Cancel(..)));
    if !out.numbered && (toy.ends || cancels) {
        return Err("a thread is joined or cancelled by who does not know its number".to_owned());
    }
    let claims = toy
        .threads
        .iter()
        .flatten()
        .any(|op| matches!(op, ToyOp::JoinOnce(..)));
    if toy.ends && (cancels || claims) {
        return Err(
            "a thread's end comes with its last action where only joins depend on it, that wait for it"
                .to_owned(),
        );
    }
    let asks = |op: &ToyOp| matches!(op, ToyOp::Input(..));
    if toy.adds && toy.threads.iter().flatten().any(asks) {
        return Err("an addition of an input does not commute before it is decided".to_owned());
    }
    let loops = |op: &ToyOp| matches!(op, ToyOp::Goto(_));
    if toy.shares && toy.threads.iter().flatten().any(loops) {
        return Err("an input that others may have is asked for again".to_owned());
    }
    let mut compiler = Compiler {
        toy,
        out,
        objects: BTreeMap::new(),
    };
    for (x, &value) in &toy.vars {
        let slot = compiler.slot(value);
        compiler.out.vars.insert(x.clone(), slot);
    }
    for ops in &toy.threads {
        let base = compiler.slot(NEW);
        compiler.slot(0);
        compiler.out.base.push(base);
        let mut registers = BTreeMap::new();
        let mut names: Vec<&str> = ops.iter().flat_map(|op| op.registers()).collect();
        names.sort_unstable();
        for name in names {
            if !registers.contains_key(name) {
                registers.insert(name.to_owned(), compiler.slot(0));
            }
        }
        compiler.out.registers.push(registers);
    }
    for (t, ops) in toy.threads.iter().enumerate() {
        let code = ops
            .iter()
            .map(|op| compiler.code(t, op))
            .collect::<Result<_, _>>()?;
        compiler.out.code.push(code);
    }
    compiler.turns()?;
    Ok(compiler.out)
}

/// For each operation, the atomic block that contains it: its beginning, and the operation after
/// it.
fn blocks(ops: &[ToyOp]) -> Vec<Option<(u32, u32)>> {
    let mut blocks = vec![None; ops.len()];
    for (start, op) in ops.iter().enumerate() {
        let ToyOp::Atomic(most) = op else { continue };
        let inside = |op: &&ToyOp| {
            let memory = matches!(
                op,
                ToyOp::Read(..) | ToyOp::Write(..) | ToyOp::Add(..) | ToyOp::Cas(..) | ToyOp::Choose(..)
            );
            memory || op.is_invisible()
        };
        let length = ops[start + 1..].iter().take(*most).take_while(inside).count();
        let end = start + 1 + length;
        for block in &mut blocks[start..end] {
            *block = Some((start as u32, end as u32));
        }
    }
    blocks
}

/// True if each thread that joins or cancels a thread has created it, and no other thread does; or
/// if the thread runs from the start.
fn is_numbered(toy: &Toy) -> bool {
    let mut creators: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for (t, ops) in toy.threads.iter().enumerate() {
        for op in ops {
            if let ToyOp::Spawn(u) = op {
                creators.entry(*u).or_default().push(t);
            }
        }
    }
    toy.threads.iter().enumerate().all(|(t, ops)| {
        ops.iter().enumerate().all(|(at, op)| match op {
            ToyOp::Join(u) | ToyOp::JoinOnce(u, _) | ToyOp::Cancel(u, _) => match creators.get(u) {
                None => true,
                Some(by) => by[..] == [t] && ops[..at].contains(&ToyOp::Spawn(*u)),
            },
            _ => true,
        })
    })
}

impl Compiler<'_> {
    /// Where identical threads take turns.
    fn turns(&mut self) -> Result<(), String> {
        for (at, group) in &self.toy.turns {
            let mut before = None;
            for &t in group {
                self.thread(t)?;
                let had = self.slot(0);
                let at = *at as i32;
                self.out.turns[t] = Some(Turn { at, had, before });
                before = Some(had);
            }
        }
        Ok(())
    }

    fn slot(&mut self, value: i32) -> Slot {
        self.out.memory.push(value);
        self.out.linear.push(false);
        (self.out.memory.len() - 1) as Slot
    }

    fn object(&mut self, sort: Sort, name: &str) -> Result<Slot, String> {
        if let Some(&slot) = self.objects.get(&(sort, name.to_owned())) {
            return Ok(slot);
        }
        let value = match sort {
            Sort::Mutex | Sort::RwLock | Sort::Spin => -1,
            Sort::Semaphore => *self
                .toy
                .sems
                .get(name)
                .ok_or_else(|| format!("semaphore {name} is not declared"))?,
            Sort::Barrier | Sort::Condition | Sort::Once => 0,
            Sort::Requested | Sort::Refused | Sort::Claimed | Sort::Joined => 0,
            Sort::Cell | Sort::Channel => 0,
        };
        let slot = self.slot(value);
        self.out.linear[slot as usize] = sort == Sort::Semaphore;
        if sort == Sort::RwLock {
            for _ in 0..self.toy.threads.len() {
                self.slot(0); // the number of times that each thread holds it shared
            }
        }
        if sort == Sort::Channel {
            (1..CHANNEL).for_each(|_| _ = self.slot(0));
        }
        self.objects.insert((sort, name.to_owned()), slot);
        Ok(slot)
    }

    fn var(&self, name: &str) -> Result<Slot, String> {
        self.out
            .vars
            .get(name)
            .copied()
            .ok_or_else(|| format!("variable {name} is not declared"))
    }

    fn thread(&self, thread: usize) -> Result<u32, String> {
        if thread < self.toy.threads.len() {
            Ok(thread as u32)
        } else {
            Err(format!("there is no thread {thread}"))
        }
    }

    fn code(&mut self, t: usize, op: &ToyOp) -> Result<Code, String> {
        let registers = self.out.registers[t].clone();
        let r = |name: &String| registers[name];
        let o = |name: &Option<String>| name.as_ref().map(r);
        let v = |value: &Operand| match value {
            Operand::Number(n) => Value::Number(*n),
            Operand::Register(name) => Value::Register(registers[name]),
        };
        Ok(match op {
            ToyOp::Lock(m) => Code::Lock(self.object(Sort::Mutex, m)?),
            ToyOp::Unlock(m) => Code::Unlock(self.object(Sort::Mutex, m)?),
            ToyOp::TryLock(m, x) => Code::TryLock(self.object(Sort::Mutex, m)?, r(x), false),
            ToyOp::TimedLock(m, x) => Code::TryLock(self.object(Sort::Mutex, m)?, r(x), true),
            ToyOp::SpinLock(p) => Code::SpinLock(self.object(Sort::Spin, p)?),
            ToyOp::SpinTryLock(p, x) => Code::SpinTryLock(self.object(Sort::Spin, p)?, r(x)),
            ToyOp::SpinUnlock(p) => Code::SpinUnlock(self.object(Sort::Spin, p)?),
            ToyOp::Wait(c, m) => Code::Wait(
                self.object(Sort::Condition, c)?,
                self.object(Sort::Mutex, m)?,
                None,
            ),
            ToyOp::TimedWait(c, m, x) => Code::Wait(
                self.object(Sort::Condition, c)?,
                self.object(Sort::Mutex, m)?,
                Some(r(x)),
            ),
            ToyOp::Signal(c) => Code::Signal(self.object(Sort::Condition, c)?),
            ToyOp::Broadcast(c) => Code::Broadcast(self.object(Sort::Condition, c)?),
            ToyOp::SemPost(s) => Code::SemPost(self.object(Sort::Semaphore, s)?),
            ToyOp::SemWait(s) => Code::SemWait(self.object(Sort::Semaphore, s)?),
            ToyOp::SemTryWait(s, x) => Code::SemTryWait(self.object(Sort::Semaphore, s)?, r(x), false),
            ToyOp::SemTimedWait(s, x) => Code::SemTryWait(self.object(Sort::Semaphore, s)?, r(x), true),
            ToyOp::SemValue(s, x) => Code::SemValue(self.object(Sort::Semaphore, s)?, r(x)),
            ToyOp::RdLock(w) => Code::RdLock(self.object(Sort::RwLock, w)?),
            ToyOp::WrLock(w) => Code::WrLock(self.object(Sort::RwLock, w)?),
            ToyOp::TryRdLock(w, x) => Code::TryRdLock(self.object(Sort::RwLock, w)?, r(x), false),
            ToyOp::TryWrLock(w, x) => Code::TryWrLock(self.object(Sort::RwLock, w)?, r(x), false),
            ToyOp::TimedRdLock(w, x) => Code::TryRdLock(self.object(Sort::RwLock, w)?, r(x), true),
            ToyOp::TimedWrLock(w, x) => Code::TryWrLock(self.object(Sort::RwLock, w)?, r(x), true),
            ToyOp::RwUnlock(w) => Code::RwUnlock(self.object(Sort::RwLock, w)?),
            ToyOp::Barrier(b, x) => {
                let size = *self
                    .toy
                    .barriers
                    .get(b)
                    .ok_or_else(|| format!("barrier {b} is not declared"))?;
                Code::Barrier(self.object(Sort::Barrier, b)?, size, o(x))
            }
            ToyOp::Once(n, x) => Code::Once(self.object(Sort::Once, n)?, r(x)),
            ToyOp::Read(x, y) => Code::Read(self.var(x)?, r(y)),
            ToyOp::Write(x, y) => Code::Write(self.var(x)?, v(y)),
            ToyOp::Add(x, y, z) => {
                let x = self.var(x)?;
                self.out.linear[x as usize] |= z.is_none() && self.toy.adds;
                Code::Add(x, v(y), o(z))
            }
            ToyOp::Cas(x, y, z, w) => Code::Cas(self.var(x)?, v(y), v(z), r(w)),
            ToyOp::Choose(0, _) => return Err("a choice of nothing".to_owned()),
            ToyOp::Choose(k, x) => Code::Choose(*k, r(x)),
            ToyOp::Spawn(u) => {
                let u = self.thread(*u)?;
                self.out.started[u as usize] = false;
                Code::Spawn(u)
            }
            ToyOp::Join(u) => {
                let joined = self.object(Sort::Joined, &format!("{t} {u}"))?;
                Code::Join(self.thread(*u)?, joined)
            }
            ToyOp::Exit => Code::Exit,
            ToyOp::Yield => Code::Yield,
            ToyOp::If(x, n, skip) => Code::If(r(x), *n, *skip as u32),
            ToyOp::Assert(x, n) => Code::Assert(r(x), *n),
            ToyOp::Assume(x, n) => Code::Assume(r(x), *n),
            ToyOp::Set(x, n) => Code::Set(r(x), *n),
            ToyOp::Goto(i) => Code::Goto(*i as u32),
            ToyOp::Cancel(u, x) => {
                let thread = self.thread(*u)?;
                let slot = self.object(Sort::Requested, &u.to_string())?;
                self.out.requested[*u] = Some(slot);
                Code::Cancel(thread, r(x))
            }
            ToyOp::TestCancel => Code::TestCancel,
            ToyOp::CancelState(n) => {
                let slot = self.object(Sort::Refused, &t.to_string())?;
                self.out.refused[t] = Some(slot);
                Code::Refuse(slot, i32::from(*n == 0))
            }
            ToyOp::Detach(u, x) => {
                self.thread(*u)?;
                Code::Detach(self.object(Sort::Claimed, &u.to_string())?, r(x))
            }
            ToyOp::JoinOnce(u, x) => {
                let claimed = self.object(Sort::Claimed, &u.to_string())?;
                Code::JoinOnce(self.thread(*u)?, claimed, r(x))
            }
            ToyOp::Touch(x, writes) => Code::Touch(self.object(Sort::Cell, x)?, *writes),
            ToyOp::Get(x, y) => Code::Get(self.object(Sort::Cell, x)?, r(y)),
            ToyOp::Put(x, n) => Code::Put(self.object(Sort::Cell, x)?, *n),
            ToyOp::Crash => Code::Crash,
            ToyOp::Smash(m) => Code::Smash(self.object(Sort::Mutex, m)?),
            ToyOp::Input(0, _) => return Err("an input of nothing".to_owned()),
            ToyOp::Input(k, x) => {
                let first = self.slot(UNKNOWN);
                (1..self.toy.threads.len()).for_each(|_| _ = self.slot(UNKNOWN));
                self.out.inputs.push(*k);
                self.out.known.push(first);
                Code::Input(self.out.inputs.len() as u32 - 1, r(x))
            }
            ToyOp::Atomic(_) => Code::Atomic,
            ToyOp::FutexWait(..) | ToyOp::FutexTimedWait(..) | ToyOp::Claim(..) if self.toy.shares => {
                return Err("a futex wait may read an input that is not decided".to_owned());
            }
            ToyOp::Claim(x, n, m) => Code::Claim(self.var(x)?, *n, *m),
            ToyOp::Send(..) | ToyOp::TrySend(..) if self.toy.shares => {
                return Err("a message may be an input that is not decided".to_owned());
            }
            ToyOp::Send(h, n) => Code::Send(self.object(Sort::Channel, h)?, v(n), None),
            ToyOp::TrySend(h, n, x) => Code::Send(self.object(Sort::Channel, h)?, v(n), Some(r(x))),
            ToyOp::Receive(h, x) => Code::Receive(self.object(Sort::Channel, h)?, r(x), false),
            ToyOp::TryReceive(h, x) => Code::Receive(self.object(Sort::Channel, h)?, r(x), true),
            ToyOp::HangUp(h) => Code::HangUp(self.object(Sort::Channel, h)?),
            ToyOp::FutexWait(x, n, y) => Code::FutexWait(self.var(x)?, *n, r(y), false),
            ToyOp::FutexTimedWait(x, n, y) => Code::FutexWait(self.var(x)?, *n, r(y), true),
            ToyOp::WaitWord(x, y, n) => Code::WaitWord(self.var(x)?, self.var(y)?, *n, None),
            ToyOp::TimedWaitWord(x, y, n, z) => Code::WaitWord(self.var(x)?, self.var(y)?, *n, Some(r(z))),
            ToyOp::FutexWake(x) => Code::FutexWake(self.var(x)?, false),
            ToyOp::FutexWakeAll(x) => Code::FutexWake(self.var(x)?, true),
            ToyOp::Init(m) => Code::Init(self.object(Sort::Mutex, m)?, -1),
            ToyOp::Destroy(m, x) => Code::Destroy(self.object(Sort::Mutex, m)?, r(x)),
            ToyOp::SemInit(s, n) => Code::Init(self.object(Sort::Semaphore, s)?, *n),
            ToyOp::CondInit(c) => Code::Init(self.object(Sort::Condition, c)?, 0),
        })
    }
}

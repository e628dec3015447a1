//! Toy programs as data, in the JSON format of the independent oracle (`oracle.py`), with six more
//! operations: `assume r n` parks the thread if the condition does not hold, `yield` does nothing,
//! `sem_value s r` reads a semaphore, `once o r` is 1 for the first thread, `tryrdlock w r` and
//! `trywrlock w r` are 1 if they took the lock.
//!
//! The following is not in the oracle's toys:
//!
//! - `timedlock m r`, `timedrdlock w r`, `timedwrlock w r`, `sem_timedwait s r`: like the tries;
//! - `futexwait x n r`: waits on variable x if its value is n, until another thread wakes it. The
//!   register is 0 if x had another value, and 1 after the wait; `futextimedwait x n r`: the
//!   register is 2 if the wait timed out. `futexwake x` wakes one thread that waits on x, and
//!   `futexwakeall x` each;
//! - `claim x n m`: waits until variable x is n, and makes it m;
//! - `send h v`, `trysend h v r`, `receive h r`, `tryreceive h r`: of a channel with two places;
//!   the register gets 1 if the message was sent, and the message, or -1 if there is none. `hangup
//!   h` ends the channel: nothing is sent any more, and who receives does not wait;
//! - `spinlock p`, `spintrylock p r`, `spinunlock p`;
//! - `cancel t r` requests the end of a thread, 0 if it has ended; `testcancel`; `cancelstate 0`
//!   delays requests to the thread itself, `cancelstate 1` does not. Waits, joins and waits for
//!   semaphores are cancellation points, if some thread cancels;
//! - `detach t r` and `joinonce t r`: 1 for the first of these on a thread. A `joinonce` waits for
//!   the thread's end, or until another thread has claimed it; in the second case it is the last
//!   operation of its own thread;
//! - `init m`, `destroy m r` of mutexes (0 if a thread holds it; a thread that locks a destroyed
//!   mutex waits), `sem_init s n`, `cond_init c`;
//! - `touch x 0`, `touch x 1`: reads or writes plain memory, as a part of the visible operation
//!   before it; `get x r` and `put x n` do the same with the value of that memory, and `smash m`
//!   writes to a mutex as to plain memory (its only effect is a race);
//! - `crash` ends the program, as a part of the visible operation before it, like a fault;
//! - `"spurious": true`: a wait may end at once, without a signal;
//! - `"weak": true`: a compare-and-swap that would succeed may fail;
//! - `input k r`: a register gets an input, any number below k. A data choice of the first thread
//!   that has to know the number decides it: before the operation if only the thread's own
//!   registers are concerned (`if`, `assert`, `assume`, a value to write), and within it if memory
//!   is compared or added to (`cas`, `add`). Such an action is incomplete until then;
//! - `"shares": true`: inputs are written to memory undecided. Each thread decides for itself,
//!   consistently with the decisions of others;
//! - `"adds": true`: an `add` without a register is an operation of its own (`Op::Add`), which
//!   commutes with others. No toy with inputs has it;
//! - `atomic n`: the next n operations as one action, as far as they are accesses to memory, data
//!   choices and invisible operations;
//! - `"turns": [[i, t, u]]`: thread u does its operation i for the first time after thread t;
//! - `"ends": true`: a thread's end comes with its last action, if no thread is cancelled or joined
//!   once.

use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

/// A toy program: shared objects with their initial values, and straight-line code (with skips) for
/// each thread.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Toy {
    /// Shared variables with their initial values.
    pub vars: BTreeMap<String, i32>,
    /// Semaphores with their initial values.
    pub sems: BTreeMap<String, i32>,
    /// Barriers with the number of threads for which they wait.
    pub barriers: BTreeMap<String, i32>,
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
    /// Threads that take turns, each group with the operation: the first time that one of them
    /// does it (a compare-and-swap: with success) waits for that of the one before it.
    pub turns: Vec<(usize, Vec<usize>)>,
    /// Each thread's operations. Threads that no `Spawn` names run from the start.
    pub threads: Vec<Vec<ToyOp>>,
}

/// A number or a register of the thread.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Operand {
    /// A number.
    Number(i32),
    /// A register.
    Register(String),
}

/// The operation's name, object and register names first, as in the JSON format.
#[derive(Clone, PartialEq, Eq, Debug)]
#[allow(missing_docs)]
pub enum ToyOp {
    Lock(String),
    Unlock(String),
    TryLock(String, String),
    Wait(String, String),
    TimedWait(String, String, String),
    Signal(String),
    Broadcast(String),
    SemPost(String),
    SemWait(String),
    SemTryWait(String, String),
    SemValue(String, String),
    RdLock(String),
    WrLock(String),
    TryRdLock(String, String),
    TryWrLock(String, String),
    RwUnlock(String),
    Barrier(String, Option<String>),
    Once(String, String),
    Read(String, String),
    Write(String, Operand),
    Add(String, Operand, Option<String>),
    Cas(String, Operand, Operand, String),
    Choose(u16, String),
    Spawn(usize),
    Join(usize),
    Exit,
    Yield,
    If(String, i32, usize),
    Assert(String, i32),
    Assume(String, i32),
    Set(String, i32),
    Goto(usize),
    TimedLock(String, String),
    TimedRdLock(String, String),
    TimedWrLock(String, String),
    SemTimedWait(String, String),
    SpinLock(String),
    SpinTryLock(String, String),
    SpinUnlock(String),
    Cancel(usize, String),
    TestCancel,
    CancelState(i32),
    Detach(usize, String),
    JoinOnce(usize, String),
    Init(String),
    Destroy(String, String),
    SemInit(String, i32),
    CondInit(String),
    Touch(String, bool),
    Get(String, String),
    Put(String, i32),
    Smash(String),
    Crash,
    Input(u16, String),
    Atomic(usize),
    FutexWait(String, i32, String),
    FutexTimedWait(String, i32, String),
    /// Writes a number to the second variable, and waits in the queue of the first one.
    WaitWord(String, String, i32),
    TimedWaitWord(String, String, i32, String),
    FutexWake(String),
    FutexWakeAll(String),
    Claim(String, i32, i32),
    Send(String, Operand),
    TrySend(String, Operand, String),
    Receive(String, String),
    TryReceive(String, String),
    HangUp(String),
}

impl ToyOp {
    /// Whether it runs as a part of the visible operation before it.
    pub fn is_invisible(&self) -> bool {
        matches!(
            self,
            ToyOp::If(..)
                | ToyOp::Assert(..)
                | ToyOp::Assume(..)
                | ToyOp::Set(..)
                | ToyOp::Goto(..)
                | ToyOp::Touch(..)
                | ToyOp::Get(..)
                | ToyOp::Put(..)
                | ToyOp::Smash(..)
                | ToyOp::Crash
                | ToyOp::Input(..)
        )
    }

    /// The registers that it mentions.
    pub fn registers(&self) -> Vec<&str> {
        use ToyOp::*;
        let mut names = Vec::new();
        match self {
            TryLock(_, r)
            | TimedWait(_, _, r)
            | SemTryWait(_, r)
            | TryRdLock(_, r)
            | TryWrLock(_, r)
            | TimedLock(_, r)
            | TimedRdLock(_, r)
            | TimedWrLock(_, r)
            | SemTimedWait(_, r)
            | SpinTryLock(_, r)
            | Cancel(_, r)
            | Detach(_, r)
            | JoinOnce(_, r)
            | Destroy(_, r)
            | SemValue(_, r)
            | Once(_, r)
            | Read(_, r)
            | Get(_, r)
            | Choose(_, r)
            | Input(_, r)
            | FutexWait(_, _, r)
            | TimedWaitWord(_, _, _, r)
            | FutexTimedWait(_, _, r)
            | Receive(_, r)
            | TryReceive(_, r)
            | If(r, ..)
            | Assert(r, _)
            | Assume(r, _)
            | Set(r, _) => names.push(r.as_str()),
            Barrier(_, r) => names.extend(r.as_deref()),
            Write(_, v) | Send(_, v) => names.extend(v.register()),
            TrySend(_, v, r) => {
                names.extend(v.register());
                names.push(r);
            }
            Add(_, v, r) => {
                names.extend(v.register());
                names.extend(r.as_deref());
            }
            Cas(_, a, b, r) => {
                names.extend(a.register());
                names.extend(b.register());
                names.push(r);
            }
            _ => {}
        }
        names
    }
}

impl Operand {
    fn register(&self) -> Option<&str> {
        match self {
            Operand::Number(_) => None,
            Operand::Register(r) => Some(r),
        }
    }

    fn json(&self) -> Value {
        match self {
            Operand::Number(n) => json!(n),
            Operand::Register(r) => json!(r),
        }
    }
}

impl Toy {
    /// Reads the JSON form. Unknown keys (`about`, `expect`) are ignored.
    ///
    /// # Errors
    /// Says which part is not understood.
    pub fn from_json(value: &Value) -> Result<Toy, String> {
        let numbers = |key: &str| -> Result<BTreeMap<String, i32>, String> {
            let empty = Map::new();
            let map = value
                .get(key)
                .map_or(Some(&empty), Value::as_object)
                .ok_or(format!("{key} is no object"))?;
            map.iter().map(|(k, v)| Ok((k.clone(), number(v)?))).collect()
        };
        let flag = |key: &str| value.get(key).and_then(Value::as_bool).unwrap_or(false);
        let threads = value
            .get("threads")
            .and_then(Value::as_array)
            .ok_or("no threads")?;
        Ok(Toy {
            vars: numbers("vars")?,
            sems: numbers("sems")?,
            barriers: numbers("barriers")?,
            ends: flag("ends"),
            spurious: flag("spurious"),
            weak: flag("weak"),
            shares: flag("shares"),
            adds: flag("adds"),
            turns: turns(value)?,
            threads: threads
                .iter()
                .map(|ops| {
                    ops.as_array()
                        .ok_or("a thread is no list")?
                        .iter()
                        .map(operation)
                        .collect()
                })
                .collect::<Result<_, String>>()?,
        })
    }

    /// Reads the JSON form from text.
    ///
    /// # Errors
    /// Says what is not understood.
    pub fn parse(text: &str) -> Result<Toy, String> {
        Toy::from_json(&serde_json::from_str(text).map_err(|e| e.to_string())?)
    }

    /// The JSON form.
    pub fn to_json(&self) -> Value {
        let mut value = json!({
            "vars": self.vars,
            "sems": self.sems,
            "barriers": self.barriers,
            "threads": self.threads.iter().map(|ops| ops.iter().map(ToyOp::json).collect()).collect::<Vec<Vec<Value>>>(),
        });
        if self.ends {
            value["ends"] = json!(true);
        }
        if self.spurious {
            value["spurious"] = json!(true);
        }
        if self.weak {
            value["weak"] = json!(true);
        }
        if self.shares {
            value["shares"] = json!(true);
        }
        if self.adds {
            value["adds"] = json!(true);
        }
        if !self.turns.is_empty() {
            let turn = |(at, group): &(usize, Vec<usize>)| {
                std::iter::once(at).chain(group).copied().collect::<Vec<usize>>()
            };
            value["turns"] = json!(self.turns.iter().map(turn).collect::<Vec<_>>());
        }
        value
    }
}

fn turns(value: &Value) -> Result<Vec<(usize, Vec<usize>)>, String> {
    let none = Vec::new();
    let all = match value.get("turns") {
        None => &none,
        Some(turns) => turns.as_array().ok_or("turns is no list")?,
    };
    let turn = |turn: &Value| {
        let numbers = turn.as_array().ok_or("a turn is no list")?;
        let numbers = numbers.iter().map(index).collect::<Result<Vec<_>, _>>()?;
        let (&at, group) = numbers.split_first().ok_or("a turn is empty")?;
        Ok((at, group.to_vec()))
    };
    all.iter().map(turn).collect()
}

fn number(value: &Value) -> Result<i32, String> {
    value
        .as_i64()
        .and_then(|n| i32::try_from(n).ok())
        .ok_or_else(|| format!("{value} is no number"))
}

fn index(value: &Value) -> Result<usize, String> {
    value
        .as_u64()
        .map(|n| n as usize)
        .ok_or_else(|| format!("{value} is no index"))
}

fn operand(value: &Value) -> Result<Operand, String> {
    match value.as_str() {
        Some(name) => Ok(Operand::Register(name.to_owned())),
        None => number(value).map(Operand::Number),
    }
}

fn operation(value: &Value) -> Result<ToyOp, String> {
    use ToyOp::*;
    let list = value
        .as_array()
        .ok_or_else(|| format!("{value} is no operation"))?;
    let name = list
        .first()
        .and_then(Value::as_str)
        .ok_or_else(|| format!("{value} has no name"))?;
    let at = |i: usize| list.get(i).ok_or_else(|| format!("{value} is too short"));
    let text = |i: usize| {
        at(i)?
            .as_str()
            .map(str::to_owned)
            .ok_or_else(|| format!("{value}: {i} is no name"))
    };
    let option = |i: usize| {
        if i < list.len() {
            text(i).map(Some)
        } else {
            Ok(None)
        }
    };
    Ok(match name {
        "lock" => Lock(text(1)?),
        "unlock" => Unlock(text(1)?),
        "trylock" => TryLock(text(1)?, text(2)?),
        "wait" => Wait(text(1)?, text(2)?),
        "timedwait" => TimedWait(text(1)?, text(2)?, text(3)?),
        "signal" => Signal(text(1)?),
        "broadcast" => Broadcast(text(1)?),
        "sem_post" => SemPost(text(1)?),
        "sem_wait" => SemWait(text(1)?),
        "sem_trywait" => SemTryWait(text(1)?, text(2)?),
        "sem_value" => SemValue(text(1)?, text(2)?),
        "rdlock" => RdLock(text(1)?),
        "wrlock" => WrLock(text(1)?),
        "tryrdlock" => TryRdLock(text(1)?, text(2)?),
        "trywrlock" => TryWrLock(text(1)?, text(2)?),
        "rwunlock" => RwUnlock(text(1)?),
        "barrier" => Barrier(text(1)?, option(2)?),
        "once" => Once(text(1)?, text(2)?),
        "read" => Read(text(1)?, text(2)?),
        "write" => Write(text(1)?, operand(at(2)?)?),
        "add" => Add(text(1)?, operand(at(2)?)?, option(3)?),
        "cas" => Cas(text(1)?, operand(at(2)?)?, operand(at(3)?)?, text(4)?),
        "choose" => Choose(index(at(1)?)? as u16, text(2)?),
        "spawn" => Spawn(index(at(1)?)?),
        "join" => Join(index(at(1)?)?),
        "exit" => Exit,
        "yield" => Yield,
        "if" => If(text(1)?, number(at(2)?)?, index(at(3)?)?),
        "assert" => Assert(text(1)?, number(at(2)?)?),
        "assume" => Assume(text(1)?, number(at(2)?)?),
        "set" => Set(text(1)?, number(at(2)?)?),
        "goto" => Goto(index(at(1)?)?),
        "timedlock" => TimedLock(text(1)?, text(2)?),
        "timedrdlock" => TimedRdLock(text(1)?, text(2)?),
        "timedwrlock" => TimedWrLock(text(1)?, text(2)?),
        "sem_timedwait" => SemTimedWait(text(1)?, text(2)?),
        "spinlock" => SpinLock(text(1)?),
        "spintrylock" => SpinTryLock(text(1)?, text(2)?),
        "spinunlock" => SpinUnlock(text(1)?),
        "cancel" => Cancel(index(at(1)?)?, text(2)?),
        "testcancel" => TestCancel,
        "cancelstate" => CancelState(number(at(1)?)?),
        "detach" => Detach(index(at(1)?)?, text(2)?),
        "joinonce" => JoinOnce(index(at(1)?)?, text(2)?),
        "init" => Init(text(1)?),
        "destroy" => Destroy(text(1)?, text(2)?),
        "sem_init" => SemInit(text(1)?, number(at(2)?)?),
        "cond_init" => CondInit(text(1)?),
        "touch" => Touch(text(1)?, number(at(2)?)? != 0),
        "get" => Get(text(1)?, text(2)?),
        "put" => Put(text(1)?, number(at(2)?)?),
        "smash" => Smash(text(1)?),
        "crash" => Crash,
        "input" => Input(index(at(1)?)? as u16, text(2)?),
        "atomic" => Atomic(index(at(1)?)?),
        "futexwait" => FutexWait(text(1)?, number(at(2)?)?, text(3)?),
        "futextimedwait" => FutexTimedWait(text(1)?, number(at(2)?)?, text(3)?),
        "waitword" => WaitWord(text(1)?, text(2)?, number(at(3)?)?),
        "timedwaitword" => TimedWaitWord(text(1)?, text(2)?, number(at(3)?)?, text(4)?),
        "futexwake" => FutexWake(text(1)?),
        "futexwakeall" => FutexWakeAll(text(1)?),
        "claim" => Claim(text(1)?, number(at(2)?)?, number(at(3)?)?),
        "send" => Send(text(1)?, operand(at(2)?)?),
        "trysend" => TrySend(text(1)?, operand(at(2)?)?, text(3)?),
        "receive" => Receive(text(1)?, text(2)?),
        "tryreceive" => TryReceive(text(1)?, text(2)?),
        "hangup" => HangUp(text(1)?),
        other => return Err(format!("unknown operation {other}")),
    })
}

impl ToyOp {
    fn json(&self) -> Value {
        use ToyOp::*;
        let optional = |mut list: Vec<Value>, r: &Option<String>| {
            list.extend(r.as_ref().map(|r| json!(r)));
            Value::Array(list)
        };
        match self {
            Lock(m) => json!(["lock", m]),
            Unlock(m) => json!(["unlock", m]),
            TryLock(m, r) => json!(["trylock", m, r]),
            Wait(c, m) => json!(["wait", c, m]),
            TimedWait(c, m, r) => json!(["timedwait", c, m, r]),
            Signal(c) => json!(["signal", c]),
            Broadcast(c) => json!(["broadcast", c]),
            SemPost(s) => json!(["sem_post", s]),
            SemWait(s) => json!(["sem_wait", s]),
            SemTryWait(s, r) => json!(["sem_trywait", s, r]),
            SemValue(s, r) => json!(["sem_value", s, r]),
            RdLock(w) => json!(["rdlock", w]),
            WrLock(w) => json!(["wrlock", w]),
            TryRdLock(w, r) => json!(["tryrdlock", w, r]),
            TryWrLock(w, r) => json!(["trywrlock", w, r]),
            RwUnlock(w) => json!(["rwunlock", w]),
            Barrier(b, r) => optional(vec![json!("barrier"), json!(b)], r),
            Once(o, r) => json!(["once", o, r]),
            Read(x, r) => json!(["read", x, r]),
            Write(x, v) => json!(["write", x, v.json()]),
            Add(x, v, r) => optional(vec![json!("add"), json!(x), v.json()], r),
            Cas(x, a, b, r) => json!(["cas", x, a.json(), b.json(), r]),
            Choose(k, r) => json!(["choose", k, r]),
            Spawn(t) => json!(["spawn", t]),
            Join(t) => json!(["join", t]),
            Exit => json!(["exit"]),
            Yield => json!(["yield"]),
            If(r, n, skip) => json!(["if", r, n, skip]),
            Assert(r, n) => json!(["assert", r, n]),
            Assume(r, n) => json!(["assume", r, n]),
            Set(r, n) => json!(["set", r, n]),
            Goto(i) => json!(["goto", i]),
            TimedLock(m, r) => json!(["timedlock", m, r]),
            TimedRdLock(w, r) => json!(["timedrdlock", w, r]),
            TimedWrLock(w, r) => json!(["timedwrlock", w, r]),
            SemTimedWait(s, r) => json!(["sem_timedwait", s, r]),
            SpinLock(p) => json!(["spinlock", p]),
            SpinTryLock(p, r) => json!(["spintrylock", p, r]),
            SpinUnlock(p) => json!(["spinunlock", p]),
            Cancel(t, r) => json!(["cancel", t, r]),
            TestCancel => json!(["testcancel"]),
            CancelState(n) => json!(["cancelstate", n]),
            Detach(t, r) => json!(["detach", t, r]),
            JoinOnce(t, r) => json!(["joinonce", t, r]),
            Init(m) => json!(["init", m]),
            Destroy(m, r) => json!(["destroy", m, r]),
            SemInit(s, n) => json!(["sem_init", s, n]),
            CondInit(c) => json!(["cond_init", c]),
            Touch(x, writes) => json!(["touch", x, i32::from(*writes)]),
            Get(x, r) => json!(["get", x, r]),
            Put(x, n) => json!(["put", x, n]),
            Smash(m) => json!(["smash", m]),
            Crash => json!(["crash"]),
            Input(k, r) => json!(["input", k, r]),
            Atomic(n) => json!(["atomic", n]),
            FutexWait(x, n, r) => json!(["futexwait", x, n, r]),
            FutexTimedWait(x, n, r) => json!(["futextimedwait", x, n, r]),
            WaitWord(x, y, n) => json!(["waitword", x, y, n]),
            TimedWaitWord(x, y, n, r) => json!(["timedwaitword", x, y, n, r]),
            FutexWake(x) => json!(["futexwake", x]),
            FutexWakeAll(x) => json!(["futexwakeall", x]),
            Claim(x, n, m) => json!(["claim", x, n, m]),
            Send(h, v) => json!(["send", h, v.json()]),
            TrySend(h, v, r) => json!(["trysend", h, v.json(), r]),
            Receive(h, r) => json!(["receive", h, r]),
            TryReceive(h, r) => json!(["tryreceive", h, r]),
            HangUp(h) => json!(["hangup", h]),
        }
    }
}

//! The system call futex: waiting until a word of memory is woken, if it has an expected value.
//!
//! `crates/frontend/lib/futex.c` has the call itself, and calls the functions of this file. A wait
//! is two actions (three with a time-out), as one on a condition variable (`cond.rs`): `FutexWait`
//! compares the word and joins the queue of the word, in one step. A signal or a broadcast of the
//! queue, or the thread's own `WaitTimeout`, takes it out. `FutexWoken` ends the call. The queue is
//! not stored: it is the set of threads whose `Core` says that they wait on this word.
//!
//! Each word has a queue of its own. So waking a thread that waits on one word does not depend on
//! what happens to another word, and waking nobody does not depend on other such calls. Calls with
//! FUTEX_PRIVATE_FLAG and calls without it do not meet: they use two queues of one word.
//!
//! A wakeup of several threads is one action, as in the kernel, which holds the lock of the queue
//! meanwhile: a thread that begins to wait again cannot take the turn of another one.
//!
//! With [`Options::futexes_poll`](crate::Options::futexes_poll) a wait is one action, a read of the
//! word, and there are no queues.
//!
//! A spurious wakeup is an alternative of `FutexWait`, for the reason that `cond.rs` gives.

use super::errno::{EAGAIN, ETIMEDOUT};
use super::operation::{Answer, done};
use super::refresh;
use super::wait_set::{KNOWN, TIMED_OUT, WORD, waiting};
use crate::native::{Cx, Flow, Native, Performed, Prepared, Stop, Visible};
use crate::phase::Phase;
use crate::state::State;
use crate::value::Value;
use selvedge_base::{Id, ThreadId};
use selvedge_expr::CmpOp;
use selvedge_model::{Action, FaultKind, MemoryOrder, ObjectId, Op, Outcome};

/// [`Visible::numbers`] of a wait: all but the expected value, which may be any value.
const ALL_BUT_VALUE: u8 = 0b1101;

/// The models of this file.
pub(super) fn find(name: &str) -> Option<Native> {
    let (prepare, perform): super::operation::Model = match name {
        "__selvedge_futex_wait" => (wait_prepare, wait),
        "__selvedge_futex_wake" => (|cx| wake_prepare(cx, Op::Signal), wake),
        "__selvedge_futex_wake_many" => (|cx| wake_prepare(cx, Op::Broadcast), wake_many),
        "__selvedge_futexes_poll" => {
            return Some(Native::Plain(|cx| {
                Flow::int(cx.program.options.futexes_poll.into())
            }));
        }
        _ => return None,
    };
    Some(Native::Visible(Visible {
        prepare,
        perform,
        numbers: ALL_BUT_VALUE,
    }))
}

/// The queue of a word: argument 3 says whether it is the one of FUTEX_PRIVATE_FLAG. Addresses of
/// words are multiples of [`WORD`], so their lowest bits are free.
fn queue(cx: &mut Cx<'_>, address: u64) -> Result<ObjectId, Stop> {
    Ok(ObjectId::queue(address | u64::from(cx.word(3)? != 0)))
}

/// The address of the word whose queue an object is.
pub(crate) fn word_of(object: ObjectId) -> Option<u64> {
    object.as_queue().map(|word| word - word % WORD)
}

/// Checks that the address is one of a word. The system call refuses others.
fn word(cx: &mut Cx<'_>) -> Result<u64, Stop> {
    let address = cx.word(0)?;
    if address % WORD != 0 {
        let text = "the system call futex on a word that is not aligned";
        return Err(cx.fault_on(FaultKind::PthreadOther, text, ObjectId(address)));
    }
    Ok(address)
}

fn wait_prepare(cx: &mut Cx<'_>) -> Prepared {
    match cx.state.thread(cx.thread).core.phase {
        Phase::First => {
            let (address, queue) = match word(cx).and_then(|address| Ok((address, queue(cx, address)?))) {
                Ok(found) => found,
                Err(flow) => return Prepared::Immediate(flow),
            };
            if cx.program.options.futexes_poll {
                return look_prepare(cx, address);
            }
            let expected = cx.args.get(1).copied().unwrap_or(Value::UNDEF);
            if expected.is_concrete() {
                let note = KNOWN | u64::from(expected.bits as u32);
                cx.state.own_core(cx.thread).note = note;
            }
            Prepared::Visible(Action {
                object: queue,
                object2: ObjectId(address),
                size: WORD as u32,
                order: MemoryOrder::SeqCst,
                blocks: cx.program.blocks_at(address),
                ..cx.action(Op::FutexWait, 0)
            })
        }
        _ => later_prepare(cx),
    }
}

/// A wait that ends at once.
fn look_prepare(cx: &mut Cx<'_>, address: u64) -> Prepared {
    match cx.word(2) {
        Ok(0) => Prepared::Visible(Action {
            size: WORD as u32,
            order: MemoryOrder::SeqCst,
            blocks: cx.program.blocks_at(address),
            ..cx.action(Op::Read, address)
        }),
        Ok(_) => {
            let text = "a wait on a futex with a deadline in a schedule";
            Prepared::Immediate(Flow::Unsupported(text.into()))
        }
        Err(flow) => Prepared::Immediate(flow),
    }
}

/// Whether the word has the expected value: 0, or [`EAGAIN`].
fn look(cx: &mut Cx<'_>) -> Answer {
    let address = cx.word(0)?;
    if let Err(error) = cx.state.memory.check(address, WORD, false) {
        return Err(cx.memory_fault(error, address, WORD, false));
    }
    let found = cx.state.memory.peek_checked(address, WORD);
    let expected = cx.args.get(1).copied().unwrap_or(Value::UNDEF);
    Ok(match are_equal(cx, found, expected)? {
        true => (0, Outcome::Done),
        false => (EAGAIN, Outcome::Done),
    })
}

/// The action of a thread that has begun to wait.
pub(super) fn later_prepare(cx: &mut Cx<'_>) -> Prepared {
    let core = cx.state.thread(cx.thread).core;
    let op = match core.phase {
        Phase::Waiting if core.timed => Op::WaitTimeout,
        _ => Op::FutexWoken,
    };
    Prepared::Visible(cx.action(op, core.wait[0].0))
}

fn wait(cx: &mut Cx<'_>, alternative: u16) -> Performed {
    if cx.program.options.futexes_poll {
        return done(look(cx));
    }
    match cx.state.thread(cx.thread).core.phase {
        Phase::First => match start_waiting(cx, alternative != 0) {
            Ok(false) => {
                cx.state.own_core(cx.thread).note = 0;
                done(Ok((EAGAIN, Outcome::Failed)))
            }
            Ok(true) if alternative == 0 => Performed::Again(Outcome::Done),
            Ok(true) => Performed::Again(Outcome::Value(alternative)),
            Err(flow) => Performed::Done(flow, Outcome::Failed),
        },
        _ => go_on(cx),
    }
}

/// What a thread does that has begun to wait: it times out, or its wait ends.
pub(super) fn go_on(cx: &mut Cx<'_>) -> Performed {
    match cx.state.thread(cx.thread).core.phase {
        Phase::Waiting => {
            let core = cx.state.own_core(cx.thread);
            core.phase = Phase::Woken;
            core.note = TIMED_OUT;
            Performed::Again(Outcome::Failed)
        }
        _ => {
            let core = cx.state.own_core(cx.thread);
            core.wait = [ObjectId::NONE; 2];
            let code = if core.note == TIMED_OUT { ETIMEDOUT } else { 0 };
            done(Ok((code, Outcome::Done)))
        }
    }
}

/// Begins to wait if the word has the expected value. `wakes`: the wait ends spuriously, at once.
fn start_waiting(cx: &mut Cx<'_>, wakes: bool) -> Result<bool, Stop> {
    let address = cx.word(0)?;
    if let Err(error) = cx.state.memory.check(address, WORD, false) {
        return Err(cx.memory_fault(error, address, WORD, false));
    }
    let found = cx.state.memory.peek_checked(address, WORD);
    let expected = cx.args.get(1).copied().unwrap_or(Value::UNDEF);
    if !are_equal(cx, found, expected)? {
        return Ok(false);
    }
    let timed = cx.word(2)? != 0 && cx.program.options.timeouts;
    let queue = queue(cx, address)?;
    join_queue(cx, (queue, ObjectId::NONE), timed, wakes);
    Ok(true)
}

/// The thread joins a queue. `lock`: the word that it gave back for that, if any. `wakes`: it
/// leaves the queue spuriously, at once.
pub(super) fn join_queue(cx: &mut Cx<'_>, (queue, lock): (ObjectId, ObjectId), timed: bool, wakes: bool) {
    let core = cx.state.own_core(cx.thread);
    core.phase = if wakes { Phase::Woken } else { Phase::Waiting };
    core.note = 0;
    core.wait = [queue, lock];
    core.timed = timed;
}

/// Whether the word has the expected value. If inputs decide that, the decision is a data choice
/// within the action.
fn are_equal(cx: &Cx<'_>, found: Value, expected: Value) -> Result<bool, Stop> {
    if found.is_concrete() && expected.is_concrete() {
        return Ok(found.bits as u32 == expected.bits as u32);
    }
    let tags = &cx.state.memory.tags;
    let open = |value: Value| tags.symbol(value.tag).is_some_and(|symbol| symbol.undefined == 0);
    for (value, what) in [
        (found, "a futex word"),
        (expected, "argument of the system call futex"),
    ] {
        if !value.is_concrete() && !open(value) {
            cx.concrete(value, what)?;
        }
    }
    let (found, expected) = (tags.expr(found, 32), tags.expr(expected, 32));
    cx.holds(tags.arena.compare(CmpOp::Eq, found, expected))
}

fn wake_prepare(cx: &mut Cx<'_>, op: Op) -> Prepared {
    if cx.program.options.futexes_poll {
        return Prepared::Immediate(word(cx).map_or_else(|flow| flow, |_| Flow::int(0)));
    }
    match word(cx).and_then(|address| queue(cx, address)) {
        Ok(queue) => Prepared::Visible(cx.action(op, queue.0)),
        Err(flow) => Prepared::Immediate(flow),
    }
}

/// Wakes one thread. Returns how many it woke.
fn wake(cx: &mut Cx<'_>, alternative: u16) -> Performed {
    let queue = cx.pending().object;
    let target = waiting(cx.state, queue).nth(usize::from(alternative));
    let answer: Answer = Ok(match target {
        Some(target) => {
            let_go(cx.state, target);
            (1, Outcome::Thread(target))
        }
        None => (0, Outcome::Failed),
    });
    done(answer)
}

/// Wakes all threads, of which there may be as many as argument 1 says. Returns how many they were.
fn wake_many(cx: &mut Cx<'_>, _: u16) -> Performed {
    let queue = cx.pending().object;
    let most = match cx.word(1) {
        Ok(most) => most,
        Err(flow) => return Performed::Done(flow, Outcome::Failed),
    };
    let all: Vec<ThreadId> = waiting(cx.state, queue).collect();
    if all.len() as u64 > most {
        // Each choice of threads would be an alternative.
        let text = "the system call futex that wakes several of still more threads";
        return Performed::Done(Flow::Unsupported(text.into()), Outcome::Failed);
    }
    if all.is_empty() {
        return done(Ok((0, Outcome::Failed)));
    }
    for &target in &all {
        let_go(cx.state, target);
    }
    let count = all.len() as i32;
    done(Ok((count, Outcome::Threads(cx.state.intern_set(all)))))
}

/// A thread that was in a queue goes on.
fn let_go(state: &mut State, target: ThreadId) {
    state.core_mut(target).phase = Phase::Woken;
    let action = state.pending()[target.index()].action;
    let op = Op::FutexWoken;
    refresh(state, target, Action { op, ..action });
}

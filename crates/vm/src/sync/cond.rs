//! Condition variables.
//!
//! A wait is two actions (three with a time-out): `WaitRelease` gives the mutex back and joins the
//! wait set; a signal, a broadcast, or the thread's own `WaitTimeout` takes it out; `WaitAcquire`
//! takes the mutex again. `Core::phase` says where the thread stands, `Core::wait` on what,
//! `Core::note` why it woke.
//!
//! A spurious wakeup is an alternative of `WaitRelease`: the mutex is given back, and the thread is
//! out of the wait set at once. Nothing is lost by that: whoever wakes spuriously later was in the
//! wait set in vain until then. Every signal in between has woken another thread, which it can also
//! do if this one is not there; and what it means to others that it is there (that the condition
//! variable is destroyed, or used with another mutex) they see where it does not wake. Nor is
//! anything promised: who has chosen to wait is there until a signal comes, and if none does that
//! is a deadlock.
//!
//! A request to cancel a thread that has been woken already, but does not have its mutex yet, may
//! act there or at the next cancellation point (POSIX, 2.9.5.2, leaves it open). If it acts, a
//! signal that has woken the thread is not lost: it wakes another one.
//!
//! A recursive mutex that is locked more than once is unlocked once by a wait, as glibc does (POSIX
//! warns of it).

use super::attr;
use super::cancel;
use super::errno::ETIMEDOUT;
use super::known::{check, destroy, get, init};
use super::mutex;
use super::object::{Kind, SyncObject};
use super::operation::{Answer, Model, SUCCESS, bad_unlock, done, prepare, prepare_whole};
use super::refresh;
use super::wait_set::{CANCELLED, SIGNALLED, TIMED_OUT, WOKEN, wait_ends_by};
use crate::libc::deadline::Deadline;
use crate::native::{ALL_ARGUMENTS, Cx, Native, Performed, Prepared, Stop, Visible};
use crate::phase::Phase;
use crate::state::State;
use selvedge_base::{Id, ThreadId};
use selvedge_model::{Action, FaultKind, ObjectId, Op, Outcome};

/// The models of this file.
pub(super) fn find(name: &str) -> Option<Native> {
    let (prepare, perform): Model = match name {
        "pthread_cond_wait" => (wait_prepare, wait),
        "pthread_cond_timedwait" => (wait_prepare, wait_until_2),
        "pthread_cond_clockwait" => (wait_prepare, wait_until_3),
        "pthread_cond_signal" => (signal_prepare, signal),
        "pthread_cond_broadcast" => (broadcast_prepare, broadcast),
        "pthread_cond_init" => (init_prepare, initialise),
        "pthread_cond_destroy" => (destroy_prepare, end),
        _ => return None,
    };
    Some(Native::Visible(Visible {
        prepare,
        perform,
        numbers: ALL_ARGUMENTS,
    }))
}

/// Whether a function of this name waits on a condition variable or a futex.
pub fn is_wait(name: &str) -> bool {
    matches!(
        name,
        "pthread_cond_wait"
            | "pthread_cond_timedwait"
            | "pthread_cond_clockwait"
            | "cnd_wait"
            | "cnd_timedwait"
            | "_ZNSt18condition_variable4waitERSt11unique_lockISt5mutexE"
            | "__selvedge_futex_wait"
            | selvedge_ir::WAIT_WITH_WORD
    )
}

fn cond(cx: &Cx<'_>, address: u64) -> Result<(u32, u64), Stop> {
    match get(cx, address, Kind::Cond)? {
        SyncObject::Cond { waiters, mutex } => Ok((waiters, mutex)),
        _ => Ok((0, 0)),
    }
}

pub(super) fn init_prepare(cx: &mut Cx<'_>) -> Prepared {
    prepare_whole(cx, Op::Init, Kind::Cond, initialise)
}

fn initialise(cx: &mut Cx<'_>, _: u16) -> Performed {
    let answer = (|| {
        let address = cx.word(0)?;
        if cx.args.len() > 1 {
            let attributes = cx.word(1)?;
            attr::ignored(cx, attributes)?;
        }
        init(cx, address, SyncObject::Cond { waiters: 0, mutex: 0 })?;
        Ok(SUCCESS)
    })();
    done(answer)
}

/// Initialises whatever further arguments there are.
pub(super) fn initialise_plain(cx: &mut Cx<'_>, _: u16) -> Performed {
    let answer = cx.word(0).and_then(|address| {
        init(cx, address, SyncObject::Cond { waiters: 0, mutex: 0 })?;
        Ok(SUCCESS)
    });
    done(answer)
}

pub(super) fn destroy_prepare(cx: &mut Cx<'_>) -> Prepared {
    prepare_whole(cx, Op::Destroy, Kind::Cond, end)
}

pub(super) fn end(cx: &mut Cx<'_>, _: u16) -> Performed {
    let answer = cx.word(0).and_then(|address| {
        if cond(cx, address)?.0 > 0 {
            let text = "destruction of a condition variable on which a thread waits";
            return Err(cx.fault_on(FaultKind::CondDestroyWaiting, text, ObjectId(address)));
        }
        destroy(cx, address, Kind::Cond);
        Ok(SUCCESS)
    });
    done(answer)
}

// ---- waiting
// -------------------------------------------------------------------------------------------------

/// The thread's next action in a wait whose condition variable and mutex are the first two
/// arguments.
pub(super) fn wait_prepare(cx: &mut Cx<'_>) -> Prepared {
    let core = cx.state.thread(cx.thread).core;
    match core.phase {
        Phase::First => {
            let (cond, mutex) = match (cx.word(0), cx.word(1)) {
                (Ok(cond), Ok(mutex)) => (cond, mutex),
                (Err(flow), _) | (_, Err(flow)) => return Prepared::Immediate(flow),
            };
            let mine = mutex::known(cx.state, mutex).is_some_and(|m| m.owner == Some(cx.thread));
            if !mine {
                return Prepared::Visible(bad_unlock(cx, mutex, Kind::Mutex));
            }
            Prepared::Visible(Action {
                object2: ObjectId(mutex),
                ..cx.action(Op::WaitRelease, cond)
            })
        }
        Phase::Waiting => {
            let op = if core.timed {
                Op::WaitTimeout
            } else {
                Op::WaitAcquire
            };
            Prepared::Visible(Action {
                object2: core.wait[1],
                ..cx.action(op, core.wait[0].0)
            })
        }
        Phase::PassesOn => Prepared::Visible(cx.action(Op::Signal, core.wait[0].0)),
        _ => Prepared::Visible(Action {
            object2: core.wait[1],
            ..cx.action(Op::WaitAcquire, core.wait[0].0)
        }),
    }
}

pub(super) fn wait(cx: &mut Cx<'_>, alternative: u16) -> Performed {
    perform_wait(cx, alternative, None)
}

/// A wait with a deadline in argument 2.
pub(super) fn wait_until_2(cx: &mut Cx<'_>, alternative: u16) -> Performed {
    perform_wait(cx, alternative, Some(2))
}

fn wait_until_3(cx: &mut Cx<'_>, alternative: u16) -> Performed {
    if let Err(stop) = attr::known_clock(cx, 2) {
        return done(Err(stop));
    }
    perform_wait(cx, alternative, Some(3))
}

fn perform_wait(cx: &mut Cx<'_>, alternative: u16, deadline: Option<usize>) -> Performed {
    match (cx.state.thread(cx.thread).core.phase, cx.pending().op) {
        (Phase::First, Op::BadUnlock) => {
            let answer = cx.word(1).and_then(|mutex| mutex::wait_without(cx, mutex));
            done(answer)
        }
        (Phase::First, _) => match start_waiting(cx, deadline, alternative != 0) {
            Ok(()) if alternative == 0 => Performed::Again(Outcome::Done),
            Ok(()) => Performed::Again(Outcome::Value(alternative)),
            Err(flow) => Performed::Done(flow, Outcome::Failed),
        },
        (Phase::Waiting, _) => {
            stop_waiting(cx, alternative);
            Performed::Again(Outcome::Failed)
        }
        (Phase::PassesOn, _) => {
            let outcome = wake_one(cx, cx.state.thread(cx.thread).core.wait[0].0, alternative);
            cx.state.own_core(cx.thread).wait = [ObjectId::NONE; 2];
            Performed::Done(cancel::act(cx), outcome)
        }
        _ if alternative > 0 => acquire_to_end(cx),
        _ => done(reacquire(cx)),
    }
}

/// The thread takes the mutex again, and is then cancelled.
fn acquire_to_end(cx: &mut Cx<'_>) -> Performed {
    let core = cx.state.thread(cx.thread).core;
    let outcome = match reacquire(cx) {
        Ok((_, outcome)) => outcome,
        Err(flow) => return Performed::Done(flow, Outcome::Failed),
    };
    if core.note == WOKEN {
        return Performed::Done(cancel::act(cx), outcome);
    }
    let own = cx.state.own_core(cx.thread);
    (own.phase, own.wait) = (Phase::PassesOn, core.wait);
    Performed::Again(outcome)
}

/// `wakes`: it ends spuriously, at once.
fn start_waiting(cx: &mut Cx<'_>, deadline: Option<usize>, wakes: bool) -> Result<(), Stop> {
    let (address, mutex) = (cx.word(0)?, cx.word(1)?);
    let (waiters, bound) = cond(cx, address)?;
    check(cx, mutex, Kind::Mutex)?;
    let mut timed = false;
    if let Some(i) = deadline {
        let until = attr::valid_time(cx, i)?;
        until.keep(cx);
        timed = until.comes() && cx.program.options.timeouts;
    }
    if waiters > 0 && bound != mutex {
        let text = "wait on a condition variable with another mutex than the threads that wait on it now";
        return Err(cx.fault_on(FaultKind::CondTwoMutexes, text, ObjectId(address)));
    }
    if let Some(m) = mutex::known(cx.state, mutex) {
        mutex::release(cx, mutex, m);
    }
    let now = if wakes {
        SyncObject::Cond {
            waiters,
            mutex: bound,
        }
    } else {
        SyncObject::Cond {
            waiters: waiters + 1,
            mutex,
        }
    };
    cx.state.set_sync(address, now);
    let note = no_signal(cx);
    let core = cx.state.own_core(cx.thread);
    (core.phase, core.note) = if wakes {
        (Phase::Woken, note)
    } else {
        (Phase::Waiting, 0)
    };
    core.wait = [ObjectId(address), ObjectId(mutex)];
    core.timed = timed;
    Ok(())
}

/// Why a thread woke that has taken no signal. Where nobody is cancelled that makes no difference,
/// and states should not differ in it.
fn no_signal(cx: &Cx<'_>) -> u64 {
    if cx.program.cancels { WOKEN } else { SIGNALLED }
}

/// The thread leaves the wait set by itself.
fn stop_waiting(cx: &mut Cx<'_>, alternative: u16) {
    let reason = wait_ends_by(cx.state, cx.thread, alternative).unwrap_or(0);
    let core = cx.state.thread(cx.thread).core;
    leave(cx.state, core.wait[0].0);
    let core = cx.state.own_core(cx.thread);
    core.phase = Phase::Woken;
    core.note = reason;
}

fn leave(state: &mut State, cond: u64) {
    if let Some(SyncObject::Cond { waiters, mutex }) = state.sync(cond).copied() {
        let waiters = waiters.saturating_sub(1);
        let mutex = if waiters == 0 { 0 } else { mutex };
        state.set_sync(cond, SyncObject::Cond { waiters, mutex });
    }
}

fn reacquire(cx: &mut Cx<'_>) -> Answer {
    let core = cx.state.thread(cx.thread).core;
    let address = core.wait[1].0;
    check(cx, address, Kind::Mutex)?;
    let Some(m) = mutex::known(cx.state, address) else {
        let text = "the mutex of a wait was destroyed meanwhile";
        return Err(cx.fault_on(FaultKind::UseDestroyed, text, ObjectId(address)));
    };
    cx.state.own_core(cx.thread).wait = [ObjectId::NONE; 2];
    let (code, outcome) = mutex::acquire(cx, address, m)?;
    Deadline::take(cx).over(cx, core.note == TIMED_OUT);
    match core.note {
        CANCELLED => Err(cancel::act(cx)),
        TIMED_OUT if code == 0 => Ok((ETIMEDOUT, outcome)),
        _ => Ok((code, outcome)),
    }
}

// ---- waking
// -------------------------------------------------------------------------------------------------

/// The threads in the wait set of a condition variable, in their order.
fn waiting(state: &State, cond: u64) -> impl Iterator<Item = ThreadId> + '_ {
    let here = move |t: &crate::thread::Thread| {
        t.core.phase == Phase::Waiting && t.core.wait == [ObjectId(cond), t.core.wait[1]]
    };
    let mutex = |t: &crate::thread::Thread| t.core.wait[1] != ObjectId::NONE;
    let threads = state.threads().iter().enumerate();
    threads
        .filter(move |(_, t)| here(t) && mutex(t))
        .map(|(i, _)| ThreadId::from_index(i))
}

pub(super) fn signal_prepare(cx: &mut Cx<'_>) -> Prepared {
    prepare(cx, Op::Signal)
}

pub(super) fn signal(cx: &mut Cx<'_>, alternative: u16) -> Performed {
    let answer = cx.word(0).and_then(|address| {
        cond(cx, address)?;
        Ok((0, wake_one(cx, address, alternative)))
    });
    done(answer)
}

/// Wakes one of the threads that wait, if there are any.
fn wake_one(cx: &mut Cx<'_>, address: u64, alternative: u16) -> Outcome {
    let target = waiting(cx.state, address).nth(usize::from(alternative));
    let Some(target) = target else {
        return Outcome::Failed;
    };
    leave(cx.state, address);
    wake(cx.state, target, SIGNALLED);
    Outcome::Thread(target)
}

pub(super) fn broadcast_prepare(cx: &mut Cx<'_>) -> Prepared {
    prepare(cx, Op::Broadcast)
}

pub(super) fn broadcast(cx: &mut Cx<'_>, _: u16) -> Performed {
    let answer = cx.word(0).and_then(|address| {
        let (waiters, _) = cond(cx, address)?;
        if waiters == 0 {
            return Ok((0, Outcome::Failed));
        }
        let all: Vec<ThreadId> = waiting(cx.state, address).collect();
        cx.state
            .set_sync(address, SyncObject::Cond { waiters: 0, mutex: 0 });
        let note = no_signal(cx);
        for &target in &all {
            wake(cx.state, target, note);
        }
        Ok((0, Outcome::Threads(cx.state.intern_set(all))))
    });
    done(answer)
}

/// A thread that was in the wait set now wants its mutex.
fn wake(state: &mut State, target: ThreadId, why: u64) {
    let core = state.core_mut(target);
    core.phase = Phase::Woken;
    core.note = why;
    let action = state.pending()[target.index()].action;
    refresh(
        state,
        target,
        Action {
            op: Op::WaitAcquire,
            ..action
        },
    );
}

//! Read-write locks. Readers are admitted unless a writer holds the lock (no preference).
//!
//! As in glibc, the writer that asks for the lock again gets `EDEADLK`; a reader that asks to write
//! blocks for ever, which is a deadlock.

use super::attr;
use super::errno::{EBUSY, EDEADLK, EINVAL, ETIMEDOUT};
use super::known::{destroy, get, init};
use super::object::{Kind, SyncObject};
use super::operation::{
    Answer, Model, SUCCESS, bad_unlock, done, failed, find_held, held_fault, prepare, prepare_whole,
};
use crate::libc::deadline::Deadline;
use crate::native::{ALL_ARGUMENTS, Cx, Flow, Native, Performed, Prepared, Stop, Visible};
use crate::state::State;
use crate::thread::Held;
use selvedge_base::{Id, ThreadId};
use selvedge_model::{Action, FaultKind, ObjectId, Op, Status, WaitsFor};

/// The models of this file.
pub(super) fn find(name: &str) -> Option<Native> {
    let (prepare, perform): Model = match name {
        "pthread_rwlock_rdlock" => (
            |cx| prepare(cx, Op::RdLock),
            |cx, _| lock(cx, false, None, EDEADLK),
        ),
        "pthread_rwlock_wrlock" => (
            |cx| prepare(cx, Op::WrLock),
            |cx, _| lock(cx, true, None, EDEADLK),
        ),
        "pthread_rwlock_tryrdlock" => (
            |cx| prepare(cx, Op::TryRdLock),
            |cx, _| lock(cx, false, None, EBUSY),
        ),
        "pthread_rwlock_trywrlock" => (
            |cx| prepare(cx, Op::TryWrLock),
            |cx, _| lock(cx, true, None, EBUSY),
        ),
        "pthread_rwlock_timedrdlock" => (timed_read, |cx, _| lock(cx, false, Some(1), ETIMEDOUT)),
        "pthread_rwlock_timedwrlock" => (timed_write, |cx, _| lock(cx, true, Some(1), ETIMEDOUT)),
        "pthread_rwlock_clockrdlock" => (timed_read, |cx, _| lock_by_clock(cx, false)),
        "pthread_rwlock_clockwrlock" => (timed_write, |cx, _| lock_by_clock(cx, true)),
        "pthread_rwlock_unlock" => (unlock_prepare, unlock),
        "pthread_rwlock_init" => (
            |cx| prepare_whole(cx, Op::Init, Kind::RwLock, initialise),
            initialise,
        ),
        "pthread_rwlock_destroy" => (|cx| prepare_whole(cx, Op::Destroy, Kind::RwLock, end), end),
        _ => return None,
    };
    Some(Native::Visible(Visible {
        prepare,
        perform,
        numbers: ALL_ARGUMENTS,
    }))
}

fn timed_read(cx: &mut Cx<'_>) -> Prepared {
    let op = match attr::may_give_up(cx) {
        Ok(true) => Op::TimedRdLock,
        Ok(false) => Op::RdLock,
        Err(flow) => return Prepared::Immediate(flow),
    };
    prepare(cx, op)
}

fn timed_write(cx: &mut Cx<'_>) -> Prepared {
    let op = match attr::may_give_up(cx) {
        Ok(true) => Op::TimedWrLock,
        Ok(false) => Op::WrLock,
        Err(flow) => return Prepared::Immediate(flow),
    };
    prepare(cx, op)
}

fn rwlock(cx: &Cx<'_>, address: u64) -> Result<(Option<ThreadId>, u32), Stop> {
    match get(cx, address, Kind::RwLock)? {
        SyncObject::RwLock { writer, readers } => Ok((writer, readers)),
        _ => Ok((None, 0)),
    }
}

fn known(state: &State, address: u64) -> (Option<ThreadId>, u32) {
    match state.sync(address) {
        Some(SyncObject::RwLock { writer, readers }) => (*writer, *readers),
        _ => (None, 0),
    }
}

/// Whether a blocking lock is enabled.
pub(super) fn status(state: &State, action: &Action) -> Status {
    let (writer, readers) = known(state, action.object.0);
    let free = match writer {
        Some(writer) => writer == action.thread,
        None => action.op == Op::RdLock || readers == 0,
    };
    if free { Status::Enabled } else { Status::Blocked }
}

/// The threads that hold the lock so that an operation has to wait for each of them: its writer, or
/// all readers.
pub(super) fn holders(state: &State, address: u64) -> WaitsFor {
    let (writer, readers) = known(state, address);
    if writer.is_some() || readers == 0 {
        return writer.into_iter().collect();
    }
    let holds = |t: &crate::thread::Thread| t.held.iter().any(|h| h.object.0 == address);
    let readers = state.threads().iter().enumerate().filter(|(_, t)| holds(t));
    readers.map(|(i, _)| ThreadId::from_index(i)).collect()
}

/// Takes the lock, or gives up at a time of the clock that argument 1 names.
fn lock_by_clock(cx: &mut Cx<'_>, write: bool) -> Performed {
    match attr::known_clock(cx, 1) {
        Ok(()) => lock(cx, write, Some(2), ETIMEDOUT),
        Err(stop) => done(Err(stop)),
    }
}

/// Takes the lock; `busy` is the answer if it is not to be had.
fn lock(cx: &mut Cx<'_>, write: bool, deadline: Option<usize>, busy: i32) -> Performed {
    let answer = cx
        .word(0)
        .and_then(|address| take(cx, address, write, deadline, busy));
    done(answer)
}

fn take(cx: &mut Cx<'_>, address: u64, write: bool, deadline: Option<usize>, busy: i32) -> Answer {
    let (me, site) = (cx.thread, cx.site);
    let (writer, readers) = rwlock(cx, address)?;
    let time = deadline.map(|i| attr::time(cx, i)).transpose()?;
    let is_valid = time.as_ref().is_none_or(|time| time.is_valid);
    let deadline = time.map_or(Deadline::NONE, |time| time.deadline(cx));
    // The deadline is looked at first.
    if (writer.is_some() || write && readers > 0) && !is_valid {
        return Ok(failed(EINVAL));
    }
    if writer == Some(me) && busy != EBUSY {
        return Ok(failed(EDEADLK));
    }
    if writer.is_some() || write && readers > 0 {
        deadline.over(cx, true);
        return Ok(failed(busy));
    }
    deadline.over(cx, false);
    if !is_valid {
        return Err(Flow::Unsupported(attr::INVALID.into()));
    }
    let object = if write {
        SyncObject::RwLock {
            writer: Some(me),
            readers,
        }
    } else {
        SyncObject::RwLock {
            writer,
            readers: readers + 1,
        }
    };
    cx.state.set_sync(address, object);
    match find_held(cx.state, me, address) {
        Some(position) => {
            let held = cx.state.thread(me).held[position];
            cx.state.change_held(
                me,
                position,
                Held {
                    count: held.count + 1,
                    ..held
                },
            );
        }
        None => cx.state.push_held(
            me,
            Held {
                object: ObjectId(address),
                count: 1,
                shared: !write,
                site,
            },
        ),
    }
    Ok(SUCCESS)
}

fn unlock_prepare(cx: &mut Cx<'_>) -> Prepared {
    let address = match cx.word(0) {
        Ok(address) => address,
        Err(flow) => return Prepared::Immediate(flow),
    };
    let me = cx.thread;
    let op = match known(cx.state, address) {
        (Some(writer), _) if writer == me => Op::WrUnlock,
        (None, _) if find_held(cx.state, me, address).is_some() => Op::RdUnlock,
        _ => return Prepared::Visible(bad_unlock(cx, address, Kind::RwLock)),
    };
    Prepared::Visible(cx.action(op, address))
}

fn unlock(cx: &mut Cx<'_>, _: u16) -> Performed {
    let answer = cx.word(0).and_then(|address| give_back(cx, address));
    done(answer)
}

fn give_back(cx: &mut Cx<'_>, address: u64) -> Answer {
    let me = cx.thread;
    let (writer, readers) = rwlock(cx, address)?;
    let Some(position) = find_held(cx.state, me, address) else {
        let text = "unlock of a read-write lock that the thread does not hold";
        let other = holders(cx.state, address).first().copied();
        return Err(held_fault(
            cx,
            FaultKind::RwlockUnlockUnheld,
            text,
            address,
            other,
        ));
    };
    let held = cx.state.thread(me).held[position];
    if held.count > 1 {
        cx.state.change_held(
            me,
            position,
            Held {
                count: held.count - 1,
                ..held
            },
        );
    } else {
        cx.state.remove_held(me, position);
    }
    let object = if writer == Some(me) {
        SyncObject::RwLock {
            writer: None,
            readers,
        }
    } else {
        SyncObject::RwLock {
            writer,
            readers: readers.saturating_sub(1),
        }
    };
    cx.state.set_sync(address, object);
    Ok(SUCCESS)
}

fn initialise(cx: &mut Cx<'_>, _: u16) -> Performed {
    let answer = (|| {
        let (address, attributes) = (cx.word(0)?, cx.word(1)?);
        attr::ignored(cx, attributes)?;
        init(
            cx,
            address,
            SyncObject::RwLock {
                writer: None,
                readers: 0,
            },
        )?;
        Ok(SUCCESS)
    })();
    done(answer)
}

fn end(cx: &mut Cx<'_>, _: u16) -> Performed {
    let answer = cx.word(0).and_then(|address| {
        let (writer, readers) = rwlock(cx, address)?;
        if writer.is_some() || readers > 0 {
            let text = "destruction of a read-write lock that is held";
            let by = holders(cx.state, address).first().copied();
            return Err(held_fault(cx, FaultKind::RwlockDestroyHeld, text, address, by));
        }
        destroy(cx, address, Kind::RwLock);
        Ok(SUCCESS)
    });
    done(answer)
}

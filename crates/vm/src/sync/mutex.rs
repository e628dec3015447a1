//! Mutexes: normal, recursive, errorcheck and robust, with the POSIX outcome of every misuse.
//!
//! A normal mutex that its owner locks again blocks for ever: that is a deadlock, found by the
//! detector. A timed lock may time out only while the mutex is held, and only if time-outs are
//! modelled; else it is an ordinary lock.

use super::attr;
use super::errno::{EBUSY, EDEADLK, EINVAL, ENOTRECOVERABLE, EOWNERDEAD, EPERM, ETIMEDOUT};
use super::known::{destroy, get, init, mutex_kind};
use super::object::{Kind, Mutex, MutexKind, Robust, SyncObject};
use super::operation::{
    Answer, Model, SUCCESS, bad_unlock, done, failed, find_held, held_fault, prepare, prepare_whole,
};
use crate::native::{ALL_ARGUMENTS, Cx, Native, Performed, Prepared, Stop, Visible};
use crate::phase::Phase;
use crate::state::State;
use crate::thread::Held;
use selvedge_base::ThreadId;
use selvedge_model::{Action, FaultKind, ObjectId, Op, Outcome, Status};

/// The models of this file.
pub(super) fn find(name: &str) -> Option<Native> {
    let (prepare, perform): Model = match name {
        "pthread_mutex_lock" => (lock_prepare, lock),
        "pthread_mutex_trylock" => (trylock_prepare, trylock),
        "pthread_mutex_timedlock" => (timedlock_prepare, lock_at_1),
        "pthread_mutex_clocklock" => (timedlock_prepare, lock_at_2),
        "pthread_mutex_unlock" => (unlock_prepare, unlock),
        "pthread_mutex_init" => (
            |cx| prepare_whole(cx, Op::Init, Kind::Mutex, initialise),
            initialise,
        ),
        "pthread_mutex_destroy" => (destroy_prepare, end),
        "pthread_mutex_consistent" | "pthread_mutex_consistent_np" => {
            (|cx| prepare(cx, Op::Consistent), consistent)
        }
        _ => return None,
    };
    Some(Native::Visible(Visible {
        prepare,
        perform,
        numbers: ALL_ARGUMENTS,
    }))
}

fn mutex(cx: &Cx<'_>, address: u64) -> Result<Mutex, Stop> {
    match get(cx, address, Kind::Mutex)? {
        SyncObject::Mutex(mutex) => Ok(mutex),
        _ => Err(cx.fault_on(
            FaultKind::PthreadOther,
            "use of something else as a mutex",
            ObjectId(address),
        )),
    }
}

/// The mutex at an address, if it is known.
#[inline]
pub(super) fn known(state: &State, address: u64) -> Option<Mutex> {
    match state.sync(address) {
        Some(SyncObject::Mutex(mutex)) => Some(*mutex),
        _ => None,
    }
}

/// Whether a thread could take the mutex now, or be refused at once.
#[inline]
pub(super) fn available(state: &State, address: u64, thread: ThreadId) -> bool {
    match known(state, address) {
        Some(Mutex {
            owner: Some(owner),
            kind,
            ..
        }) => owner == thread && kind != MutexKind::Normal,
        _ => true,
    }
}

/// Whether a lock is enabled.
#[inline]
pub(super) fn lock_status(state: &State, action: &Action) -> Status {
    if available(state, action.object.0, action.thread) {
        Status::Enabled
    } else {
        Status::Blocked
    }
}

/// Takes a free mutex, or once more one that the thread holds.
pub(super) fn acquire(cx: &mut Cx<'_>, address: u64, mutex: Mutex) -> Answer {
    let me = cx.thread;
    if mutex.robust == Robust::NotRecoverable {
        return Ok(failed(ENOTRECOVERABLE));
    }
    if mutex.owner == Some(me) {
        if let Some(position) = find_held(cx.state, me, address) {
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
        return Ok(SUCCESS);
    }
    cx.state.set_sync(
        address,
        SyncObject::Mutex(Mutex {
            owner: Some(me),
            ..mutex
        }),
    );
    let site = cx.site;
    cx.state.push_held(
        me,
        Held {
            object: ObjectId(address),
            count: 1,
            shared: false,
            site,
        },
    );
    if mutex.robust == Robust::OwnerDied {
        return Ok((EOWNERDEAD, Outcome::Done));
    }
    Ok(SUCCESS)
}

/// Gives back a mutex that the thread holds.
pub(super) fn release(cx: &mut Cx<'_>, address: u64, mutex: Mutex) {
    let me = cx.thread;
    if let Some(position) = find_held(cx.state, me, address) {
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
            return;
        }
        cx.state.remove_held(me, position);
    }
    let robust = if mutex.robust == Robust::OwnerDied {
        Robust::NotRecoverable
    } else {
        mutex.robust
    };
    cx.state.set_sync(
        address,
        SyncObject::Mutex(Mutex {
            owner: None,
            robust,
            ..mutex
        }),
    );
}

pub(super) fn lock_prepare(cx: &mut Cx<'_>) -> Prepared {
    prepare(cx, Op::Lock)
}

pub(super) fn lock(cx: &mut Cx<'_>, _: u16) -> Performed {
    let answer = cx.word(0).and_then(|address| lock_with(cx, address, EDEADLK));
    done(answer)
}

/// Locks; `busy` is the answer where the mutex is held and waiting for it is over.
fn lock_with(cx: &mut Cx<'_>, address: u64, busy: i32) -> Answer {
    let m = mutex(cx, address)?;
    match (m.owner, m.kind) {
        (Some(owner), MutexKind::ErrorCheck) if owner == cx.thread => Ok(failed(EDEADLK)),
        (Some(owner), MutexKind::Recursive) if owner == cx.thread => acquire(cx, address, m),
        (Some(_), _) => Ok(failed(busy)),
        (None, _) => acquire(cx, address, m),
    }
}

pub(super) fn timedlock_prepare(cx: &mut Cx<'_>) -> Prepared {
    let op = match attr::may_give_up(cx) {
        Ok(true) => Op::TimedLock,
        Ok(false) => Op::Lock,
        Err(flow) => return Prepared::Immediate(flow),
    };
    prepare(cx, op)
}

/// A timed lock whose deadline is argument 1.
pub(super) fn lock_at_1(cx: &mut Cx<'_>, _: u16) -> Performed {
    done(timed(cx, 1))
}

fn lock_at_2(cx: &mut Cx<'_>, _: u16) -> Performed {
    done(attr::known_clock(cx, 1).and_then(|()| timed(cx, 2)))
}

fn timed(cx: &mut Cx<'_>, deadline: usize) -> Answer {
    let address = cx.word(0)?;
    // Only a thread that has to wait looks at the deadline's value.
    let time = attr::time(cx, deadline)?;
    let busy = if time.is_valid { ETIMEDOUT } else { EINVAL };
    let answer = lock_with(cx, address, busy)?;
    time.deadline(cx).over(cx, answer.0 == ETIMEDOUT);
    Ok(answer)
}

pub(super) fn trylock_prepare(cx: &mut Cx<'_>) -> Prepared {
    prepare(cx, Op::TryLock)
}

pub(super) fn trylock(cx: &mut Cx<'_>, _: u16) -> Performed {
    let answer = cx.word(0).and_then(|address| {
        let m = mutex(cx, address)?;
        match m.owner {
            Some(owner) if owner != cx.thread || m.kind != MutexKind::Recursive => Ok(failed(EBUSY)),
            _ => acquire(cx, address, m),
        }
    });
    done(answer)
}

pub(super) fn unlock_prepare(cx: &mut Cx<'_>) -> Prepared {
    let address = match cx.word(0) {
        Ok(address) => address,
        Err(flow) => return Prepared::Immediate(flow),
    };
    // Nobody else can change whether this thread holds it.
    let mine = known(cx.state, address).is_some_and(|m| m.owner == Some(cx.thread));
    Prepared::Visible(match mine {
        true => cx.action(Op::Unlock, address),
        false => bad_unlock(cx, address, Kind::Mutex),
    })
}

pub(super) fn unlock(cx: &mut Cx<'_>, _: u16) -> Performed {
    let answer = cx.word(0).and_then(|address| {
        let m = mutex(cx, address)?;
        if m.owner != Some(cx.thread) {
            return not_owner(cx, address, m);
        }
        release(cx, address, m);
        Ok(SUCCESS)
    });
    done(answer)
}

/// Errorcheck, recursive and robust mutexes refuse; for others the behaviour is undefined.
fn not_owner(cx: &Cx<'_>, address: u64, m: Mutex) -> Answer {
    if m.kind != MutexKind::Normal || m.robust != Robust::No {
        return Ok(failed(EPERM));
    }
    Err(match m.owner {
        None => cx.fault_on(
            FaultKind::MutexUnlockUnlocked,
            "unlock of a mutex that is not locked",
            ObjectId(address),
        ),
        Some(owner) => {
            let text = "unlock of a mutex that another thread holds";
            held_fault(cx, FaultKind::MutexUnlockNotOwner, text, address, Some(owner))
        }
    })
}

/// A wait on a condition variable by a thread that does not hold the mutex.
pub(super) fn wait_without(cx: &Cx<'_>, address: u64) -> Answer {
    let m = mutex(cx, address)?;
    if m.kind == MutexKind::ErrorCheck || m.robust != Robust::No {
        return Ok(failed(EPERM));
    }
    let text = "wait on a condition variable with a mutex that the thread does not hold";
    Err(held_fault(
        cx,
        FaultKind::CondWaitUnlocked,
        text,
        address,
        m.owner,
    ))
}

fn initialise(cx: &mut Cx<'_>, _: u16) -> Performed {
    done(initialise_with_attributes(cx))
}

fn initialise_with_attributes(cx: &mut Cx<'_>) -> Answer {
    let (address, attributes) = (cx.word(0)?, cx.word(1)?);
    let (kind, robust) = attr::mutex_attributes(cx, attributes)?;
    let robust = if robust { Robust::Consistent } else { Robust::No };
    make(cx, address, mutex_kind(kind), robust)
}

/// Makes a mutex.
pub(super) fn make(cx: &mut Cx<'_>, address: u64, kind: MutexKind, robust: Robust) -> Answer {
    init(
        cx,
        address,
        SyncObject::Mutex(Mutex {
            owner: None,
            kind,
            robust,
        }),
    )?;
    Ok(SUCCESS)
}

pub(super) fn destroy_prepare(cx: &mut Cx<'_>) -> Prepared {
    prepare_whole(cx, Op::Destroy, Kind::Mutex, end)
}

pub(super) fn end(cx: &mut Cx<'_>, _: u16) -> Performed {
    let answer = cx.word(0).and_then(|address| {
        let m = mutex(cx, address)?;
        if let Some(owner) = m.owner {
            let text = "destruction of a locked mutex";
            return Err(held_fault(
                cx,
                FaultKind::MutexDestroyLocked,
                text,
                address,
                Some(owner),
            ));
        }
        if cx.state.threads().iter().any(|t| {
            matches!(t.core.phase, Phase::Waiting | Phase::Woken) && t.core.wait[1] == ObjectId(address)
        }) {
            let text = "destruction of a mutex with which a thread waits on a condition variable";
            return Err(cx.fault_on(FaultKind::MutexDestroyLocked, text, ObjectId(address)));
        }
        destroy(cx, address, Kind::Mutex);
        Ok(SUCCESS)
    });
    done(answer)
}

fn consistent(cx: &mut Cx<'_>, _: u16) -> Performed {
    let answer = cx.word(0).and_then(|address| {
        let m = mutex(cx, address)?;
        if m.robust != Robust::OwnerDied || m.owner != Some(cx.thread) {
            return Ok(failed(EINVAL));
        }
        cx.state.set_sync(
            address,
            SyncObject::Mutex(Mutex {
                robust: Robust::Consistent,
                ..m
            }),
        );
        Ok(SUCCESS)
    });
    done(answer)
}

/// The thread ends and holds this robust mutex.
pub(super) fn owner_died(cx: &mut Cx<'_>, address: u64) {
    let me = cx.thread;
    if let Some(position) = find_held(cx.state, me, address) {
        cx.state.remove_held(me, position);
    }
    if let Some(m) = known(cx.state, address) {
        let m = Mutex {
            owner: None,
            robust: Robust::OwnerDied,
            ..m
        };
        cx.state.set_sync(address, SyncObject::Mutex(m));
    }
}

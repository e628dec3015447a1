//! Spin locks. Busy waiting is blocking: a thread that waits for ever is a deadlock, also if it is
//! its own.

use super::errno::EBUSY;
use super::known::{destroy, get, init};
use super::object::{Kind, SyncObject};
use super::operation::{
    Answer, Model, SUCCESS, bad_unlock, done, failed, find_held, held_fault, prepare, prepare_whole,
};
use crate::native::{ALL_ARGUMENTS, Cx, Native, Performed, Prepared, Stop, Visible};
use crate::state::State;
use crate::thread::Held;
use selvedge_base::ThreadId;
use selvedge_model::{Action, FaultKind, ObjectId, Op, Status};

/// The models of this file.
pub(super) fn find(name: &str) -> Option<Native> {
    let (prepare, perform): Model = match name {
        "pthread_spin_lock" => (|cx| prepare(cx, Op::SpinLock), lock),
        "pthread_spin_trylock" => (|cx| prepare(cx, Op::SpinTryLock), lock),
        "pthread_spin_unlock" => (unlock_prepare, unlock),
        "pthread_spin_init" => (
            |cx| prepare_whole(cx, Op::Init, Kind::Spin, initialise),
            initialise,
        ),
        "pthread_spin_destroy" => (|cx| prepare_whole(cx, Op::Destroy, Kind::Spin, end), end),
        _ => return None,
    };
    Some(Native::Visible(Visible {
        prepare,
        perform,
        numbers: ALL_ARGUMENTS,
    }))
}

/// Who holds a spin lock.
pub(super) fn owner(state: &State, address: u64) -> Option<ThreadId> {
    match state.sync(address) {
        Some(SyncObject::Spin { owner }) => *owner,
        _ => None,
    }
}

/// Whether a blocking lock is enabled.
pub(super) fn status(state: &State, action: &Action) -> Status {
    if owner(state, action.object.0).is_none() {
        Status::Enabled
    } else {
        Status::Blocked
    }
}

fn spin(cx: &Cx<'_>, address: u64) -> Result<Option<ThreadId>, Stop> {
    match get(cx, address, Kind::Spin)? {
        SyncObject::Spin { owner } => Ok(owner),
        _ => Ok(None),
    }
}

fn lock(cx: &mut Cx<'_>, _: u16) -> Performed {
    let answer = cx.word(0).and_then(|address| take(cx, address));
    done(answer)
}

fn take(cx: &mut Cx<'_>, address: u64) -> Answer {
    if spin(cx, address)?.is_some() {
        return Ok(failed(EBUSY));
    }
    let (me, site) = (cx.thread, cx.site);
    cx.state.set_sync(address, SyncObject::Spin { owner: Some(me) });
    cx.state.push_held(
        me,
        Held {
            object: ObjectId(address),
            count: 1,
            shared: false,
            site,
        },
    );
    Ok(SUCCESS)
}

fn unlock_prepare(cx: &mut Cx<'_>) -> Prepared {
    let address = match cx.word(0) {
        Ok(address) => address,
        Err(flow) => return Prepared::Immediate(flow),
    };
    let mine = owner(cx.state, address) == Some(cx.thread);
    Prepared::Visible(match mine {
        true => cx.action(Op::SpinUnlock, address),
        false => bad_unlock(cx, address, Kind::Spin),
    })
}

fn unlock(cx: &mut Cx<'_>, _: u16) -> Performed {
    let answer = cx.word(0).and_then(|address| {
        let owner = spin(cx, address)?;
        if owner != Some(cx.thread) {
            let text = match owner {
                None => "unlock of a spin lock that is not locked",
                Some(_) => "unlock of a spin lock that another thread holds",
            };
            return Err(held_fault(cx, FaultKind::SpinUnlockUnheld, text, address, owner));
        }
        if let Some(position) = find_held(cx.state, cx.thread, address) {
            cx.state.remove_held(cx.thread, position);
        }
        cx.state.set_sync(address, SyncObject::Spin { owner: None });
        Ok(SUCCESS)
    });
    done(answer)
}

fn initialise(cx: &mut Cx<'_>, _: u16) -> Performed {
    let answer = cx.word(0).and_then(|address| {
        init(cx, address, SyncObject::Spin { owner: None })?;
        Ok(SUCCESS)
    });
    done(answer)
}

fn end(cx: &mut Cx<'_>, _: u16) -> Performed {
    let answer = cx.word(0).and_then(|address| {
        let owner = spin(cx, address)?;
        if owner.is_some() {
            let text = "destruction of a spin lock that is held";
            return Err(held_fault(cx, FaultKind::SpinDestroyHeld, text, address, owner));
        }
        destroy(cx, address, Kind::Spin);
        Ok(SUCCESS)
    });
    done(answer)
}

//! `flock`: locks of whole files.
//!
//! A lock belongs to an open file, so two that a program has opened from one file exclude each
//! other, and descriptors made by `dup` share one. Other processes hold no locks. A lock of another
//! kind is given up before the new one is asked for, as in Linux: another thread may get it in
//! between. Giving a lock up, also by closing the last descriptor, happens before getting a lock.
//!
//! Unsupported: locks of anything but regular files.

use super::condition::Condition;
use super::errno::{EAGAIN, EBADF, EINVAL};
use super::locks::{Lock, is_free, lock_of, set_lock};
use super::lookup::{look, look_part, pinned};
use super::operation::{After, Part, Parted, Performs, operation, phase, refused, refused_at_once};
use super::table::Kind;
use super::wait::wait_for;
use crate::hidden::HiddenObject;
use crate::native::{Cx, Flow, Native};
use crate::phase::Phase;
use selvedge_model::{Action, MemoryOrder, Op, Outcome};

/// The models of this file.
pub(super) fn find(name: &str) -> Option<Native> {
    Some(match name {
        "flock" => operation!(part, perform),
        _ => return None,
    })
}

const SHARED: i32 = 1;
const EXCLUSIVE: i32 = 2;
const DO_NOT_WAIT: i32 = 4;
const UNLOCK: i32 = 8;

/// The lock that a call asks for; `None` if it is invalid.
fn wanted(operation: i32) -> Option<Lock> {
    match operation & !DO_NOT_WAIT {
        SHARED => Some(Lock::Shared),
        EXCLUSIVE => Some(Lock::Exclusive),
        UNLOCK => Some(Lock::None),
        _ => None,
    }
}

fn part(cx: &mut Cx<'_>) -> Parted {
    let (fd, operation) = (cx.int(0)?, cx.int(1)?);
    let Some(wanted) = wanted(operation) else {
        return refused_at_once(cx, EINVAL);
    };
    if phase(cx) == Phase::First {
        return look_part(cx, fd);
    }
    let open = pinned(cx)?;
    if open.kind != Kind::Regular {
        let what = open.description().what();
        return Err(Flow::Unsupported(format!("flock of {what}")));
    }
    let gets = phase(cx) == Phase::LockGivenUp;
    let waits = gets && operation & DO_NOT_WAIT == 0;
    if waits {
        wait_for(cx, Condition::Lock(wanted == Lock::Exclusive));
    }
    let (op, order) = match (gets, waits) {
        (true, true) => (Op::HiddenWait, MemoryOrder::Acquire),
        (true, false) => (Op::Hidden, MemoryOrder::Acquire),
        (false, _) => (Op::Hidden, MemoryOrder::Release),
    };
    Ok(Part::Act(Action {
        order,
        ..cx.action(op, HiddenObject::File(open.file).id().0)
    }))
}

fn perform(cx: &mut Cx<'_>) -> Performs {
    let (fd, operation) = (cx.int(0)?, cx.int(1)?);
    let Some(wanted) = wanted(operation) else {
        return refused(cx, EINVAL);
    };
    match phase(cx) {
        Phase::First => match look(cx, fd) {
            Some(_) => Ok(After::Next(Phase::LookedUp, Outcome::Done)),
            None => refused(cx, EBADF),
        },
        Phase::LookedUp => {
            let open = pinned(cx)?;
            let held = lock_of(cx.state, open.number);
            // What gives nothing up releases nothing.
            let gives_up = held != Lock::None && held != wanted;
            let outcome = if gives_up { Outcome::Done } else { Outcome::Failed };
            if held == wanted {
                return Ok(After::Done(0, outcome));
            }
            set_lock(cx.state, &open, Lock::None);
            match wanted {
                Lock::None => Ok(After::Done(0, outcome)),
                _ => Ok(After::Next(Phase::LockGivenUp, outcome)),
            }
        }
        _ => {
            let open = pinned(cx)?;
            if !is_free(cx.state, &open, wanted == Lock::Exclusive) {
                return refused(cx, EAGAIN);
            }
            set_lock(cx.state, &open, wanted);
            Ok(After::Done(0, Outcome::Done))
        }
    }
}

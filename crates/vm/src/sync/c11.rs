//! `<threads.h>` on top of the POSIX models, with its own result codes.

use super::object::{Kind, MutexKind, Robust};
use super::operation::{Model, done, prepare_whole};
use super::{cond, creation, errno, join, key, mutex};
use crate::native::{ALL_ARGUMENTS, Cx, Flow, Native, Performed, Visible};
use selvedge_model::Op;

/// The models of this file.
pub(super) fn find(name: &str) -> Option<Native> {
    let (prepare, perform): Model = match name {
        "mtx_lock" => (mutex::lock_prepare, |cx, a| code(mutex::lock(cx, a))),
        "mtx_trylock" => (mutex::trylock_prepare, |cx, a| code(mutex::trylock(cx, a))),
        "mtx_timedlock" => (mutex::timedlock_prepare, |cx, a| code(mutex::lock_at_1(cx, a))),
        "mtx_unlock" => (mutex::unlock_prepare, |cx, a| code(mutex::unlock(cx, a))),
        "mtx_init" => (
            |cx| prepare_whole(cx, Op::Init, Kind::Mutex, mutex_init),
            mutex_init,
        ),
        "mtx_destroy" => (mutex::destroy_prepare, mutex::end),
        "cnd_wait" => (cond::wait_prepare, |cx, a| code(cond::wait(cx, a))),
        "cnd_timedwait" => (cond::wait_prepare, |cx, a| code(cond::wait_until_2(cx, a))),
        "cnd_signal" => (cond::signal_prepare, |cx, a| code(cond::signal(cx, a))),
        "cnd_broadcast" => (cond::broadcast_prepare, |cx, a| code(cond::broadcast(cx, a))),
        "cnd_init" => (
            |cx| prepare_whole(cx, Op::Init, Kind::Cond, cond::initialise_plain),
            cond::initialise_plain,
        ),
        "cnd_destroy" => (cond::destroy_prepare, cond::end),
        "thrd_create" => (creation::create_early_prepare, |cx, a| {
            code(creation::create_c11(cx, a))
        }),
        "thrd_join" => (join::join_prepare, |cx, a| code(join::join_c11(cx, a))),
        "thrd_detach" => (join::detach_prepare, |cx, a| code(join::detach(cx, a))),
        "tss_create" => (key::hidden_prepare, |cx, _| code(done(key::create(cx)))),
        "tss_delete" => (key::hidden_prepare, |cx, a| code(key::delete(cx, a))),
        "tss_set" => return Some(Native::Plain(|cx| thrd(super::operation::plain(key::set(cx))))),
        _ => return None,
    };
    // The argument of a new thread is data.
    let numbers = if name == "thrd_create" {
        0b011
    } else {
        ALL_ARGUMENTS
    };
    Some(Native::Visible(Visible {
        prepare,
        perform,
        numbers,
    }))
}

fn mutex_init(cx: &mut Cx<'_>, _: u16) -> Performed {
    let answer = (|| {
        let (address, kind) = (cx.word(0)?, cx.word(1)? as u32);
        let kind = if kind & 1 != 0 {
            MutexKind::Recursive
        } else {
            MutexKind::Normal
        };
        mutex::make(cx, address, kind, Robust::No)
    })();
    code(done(answer))
}

fn code(performed: Performed) -> Performed {
    match performed {
        Performed::Done(flow, outcome) => Performed::Done(thrd(flow), outcome),
        again => again,
    }
}

/// `thrd_*` for an error number.
fn thrd(flow: Flow) -> Flow {
    let Flow::Return(value) = flow else { return flow };
    Flow::int(match value.bits as u32 as i32 {
        0 => 0,
        errno::EBUSY => 1,
        errno::ENOMEM => 3,
        errno::ETIMEDOUT => 4,
        _ => 2,
    })
}

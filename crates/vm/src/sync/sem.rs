//! POSIX semaphores without a name.

use super::attr;
use super::errno::{EAGAIN, EINVAL, ETIMEDOUT};
use super::known::{destroy, get, init};
use super::object::{Kind, SyncObject};
use super::operation::{Answer, Model, SUCCESS, done, prepare, prepare_whole};
use crate::libc::deadline::Deadline;
use crate::native::{ALL_ARGUMENTS, Cx, Flow, Native, Performed, Prepared, Stop, Visible};
use crate::state::State;
use crate::value::Value;
use selvedge_model::{Action, FaultKind, ObjectId, Op, Outcome, Status};

const SEM_VALUE_MAX: u32 = i32::MAX as u32;

/// The models of this file.
pub(super) fn find(name: &str) -> Option<Native> {
    let (prepare, perform): Model = match name {
        "sem_wait" => (|cx| prepare(cx, Op::SemWait), |cx, _| take(cx, None, EAGAIN)),
        "sem_trywait" => (|cx| prepare(cx, Op::SemTryWait), |cx, _| take(cx, None, EAGAIN)),
        "sem_timedwait" => (timed_prepare, |cx, _| take(cx, Some(1), ETIMEDOUT)),
        "sem_clockwait" => (timed_prepare, |cx, _| match attr::known_clock(cx, 1) {
            Ok(()) => take(cx, Some(2), ETIMEDOUT),
            Err(stop) => done(Err(stop)),
        }),
        "sem_post" => (|cx| prepare(cx, Op::SemPost), post),
        "sem_getvalue" => (value_prepare, get_value),
        "sem_init" => (
            |cx| prepare_whole(cx, Op::Init, Kind::Sem, initialise),
            initialise,
        ),
        "sem_destroy" => (|cx| prepare_whole(cx, Op::Destroy, Kind::Sem, end), end),
        _ => return None,
    };
    Some(Native::Visible(Visible {
        prepare,
        perform,
        numbers: ALL_ARGUMENTS,
    }))
}

fn timed_prepare(cx: &mut Cx<'_>) -> Prepared {
    let op = match attr::may_give_up(cx) {
        Ok(true) => Op::SemTimedWait,
        Ok(false) => Op::SemWait,
        Err(flow) => return Prepared::Immediate(flow),
    };
    prepare(cx, op)
}

/// Whether a blocking wait is enabled.
pub(super) fn status(state: &State, action: &Action) -> Status {
    match state.sync(action.object.0) {
        Some(SyncObject::Sem { value: 0 }) => Status::Blocked,
        _ => Status::Enabled,
    }
}

fn value(cx: &Cx<'_>, address: u64) -> Result<u32, Stop> {
    match get(cx, address, Kind::Sem)? {
        SyncObject::Sem { value } => Ok(value),
        _ => Ok(0),
    }
}

/// -1 and errno.
fn refuse(cx: &mut Cx<'_>, error: i32) -> Answer {
    cx.set_errno(error)?;
    Ok((-1, Outcome::Failed))
}

fn take(cx: &mut Cx<'_>, deadline: Option<usize>, empty: i32) -> Performed {
    let answer = (|| {
        let address = cx.word(0)?;
        let value = value(cx, address)?;
        let time = deadline.map(|i| attr::time(cx, i)).transpose()?;
        let is_valid = time.as_ref().is_none_or(|time| time.is_valid);
        let deadline = time.map_or(Deadline::NONE, |time| time.deadline(cx));
        deadline.over(cx, value == 0);
        if value == 0 {
            return refuse(cx, if is_valid { empty } else { EINVAL });
        }
        if !is_valid {
            return Err(Flow::Unsupported(attr::INVALID.into()));
        }
        cx.state.set_sync(address, SyncObject::Sem { value: value - 1 });
        Ok(SUCCESS)
    })();
    done(answer)
}

fn post(cx: &mut Cx<'_>, _: u16) -> Performed {
    let answer = cx.word(0).and_then(|address| {
        let value = value(cx, address)?;
        if value == SEM_VALUE_MAX {
            let text = "sem_post on a semaphore that has the greatest value already";
            return Err(cx.fault_on(FaultKind::SemOverflow, text, ObjectId(address)));
        }
        cx.state.set_sync(address, SyncObject::Sem { value: value + 1 });
        Ok(SUCCESS)
    });
    done(answer)
}

fn value_prepare(cx: &mut Cx<'_>) -> Prepared {
    let object2 = cx
        .word(1)
        .map_or(ObjectId::NONE, |out| super::creation::written(cx, out));
    match prepare(cx, Op::SemGetValue) {
        Prepared::Visible(action) => Prepared::Visible(Action { object2, ..action }),
        other => other,
    }
}

fn get_value(cx: &mut Cx<'_>, _: u16) -> Performed {
    let answer = (|| {
        let (address, out) = (cx.word(0)?, cx.word(1)?);
        let value = value(cx, address)?;
        cx.store(out, 4, Value::new(u64::from(value)))?;
        Ok(SUCCESS)
    })();
    done(answer)
}

fn initialise(cx: &mut Cx<'_>, _: u16) -> Performed {
    let answer = (|| {
        let (address, value) = (cx.word(0)?, cx.word(2)? as u32);
        cx.word(1)?;
        if value > SEM_VALUE_MAX {
            return refuse(cx, EINVAL);
        }
        init(cx, address, SyncObject::Sem { value })?;
        Ok(SUCCESS)
    })();
    done(answer)
}

fn end(cx: &mut Cx<'_>, _: u16) -> Performed {
    let answer = cx.word(0).and_then(|address| {
        let value = value(cx, address)?;
        let waits = |a: &Action| matches!(a.op, Op::SemWait | Op::SemTimedWait) && a.object.0 == address;
        if value == 0
            && cx
                .state
                .pending()
                .iter()
                .any(|p| p.status.is_alive() && waits(&p.action))
        {
            let text = "destruction of a semaphore on which a thread waits";
            return Err(cx.fault_on(FaultKind::SemDestroyWaiting, text, ObjectId(address)));
        }
        destroy(cx, address, Kind::Sem);
        Ok(SUCCESS)
    });
    done(answer)
}

//! Barriers: arriving and leaving are actions of their own.
//!
//! The serial thread is the last to arrive. That loses no outcome: arrivals are dependent, so all
//! their orders are explored, and nothing else tells the orders of one round's arrivals apart; each
//! thread of the round is the last in some of them. As in glibc, destroying a barrier waits until
//! the threads that were released have left.

use super::attr;
use super::errno::EINVAL;
use super::known::{check, destroy, get, init};
use super::object::{Kind, SyncObject};
use super::operation::{Answer, Model, SUCCESS, done, failed, prepare, prepare_whole};
use crate::native::{ALL_ARGUMENTS, Cx, Native, Performed, Prepared, Stop, Visible};
use crate::phase::Phase;
use crate::state::State;
use selvedge_base::{Id, ThreadId};
use selvedge_model::{Action, FaultKind, ObjectId, Op, Outcome, Status};

/// `Core::note`: all of its round have arrived, so it may leave.
const RELEASED: u64 = 1;
/// In `Core::note`, beside that: this is the serial thread.
const SERIAL: u64 = 2;

/// The models of this file.
pub(super) fn find(name: &str) -> Option<Native> {
    let (prepare, perform): Model = match name {
        "pthread_barrier_wait" => (wait_prepare, wait),
        "pthread_barrier_init" => (
            |cx| prepare_whole(cx, Op::Init, Kind::Barrier, initialise),
            initialise,
        ),
        "pthread_barrier_destroy" => (|cx| prepare_whole(cx, Op::Destroy, Kind::Barrier, end), end),
        _ => return None,
    };
    Some(Native::Visible(Visible {
        prepare,
        perform,
        numbers: ALL_ARGUMENTS,
    }))
}

fn wait_prepare(cx: &mut Cx<'_>) -> Prepared {
    let phase = cx.state.thread(cx.thread).core.phase;
    prepare(
        cx,
        if phase == Phase::Arrived {
            Op::BarrierLeave
        } else {
            Op::BarrierArrive
        },
    )
}

/// Whether a thread that has arrived may leave.
pub(super) fn leave_status(state: &State, action: &Action) -> Status {
    match state.sync(action.object.0) {
        Some(SyncObject::Barrier { .. }) if state.thread(action.thread).core.note & RELEASED == 0 => {
            Status::Blocked
        }
        _ => Status::Enabled,
    }
}

/// Whether a `Destroy` has to wait for threads that leave.
pub(super) fn destroy_status(state: &State, action: &Action) -> Status {
    match state.sync(action.object.0) {
        Some(SyncObject::Barrier { leaving, .. }) if *leaving > 0 => Status::Blocked,
        _ => Status::Enabled,
    }
}

fn wait(cx: &mut Cx<'_>, _: u16) -> Performed {
    if cx.state.thread(cx.thread).core.phase == Phase::Arrived {
        return done(leave(cx));
    }
    match arrive(cx) {
        Ok(outcome) => Performed::Again(outcome),
        Err(flow) => Performed::Done(flow, Outcome::Failed),
    }
}

fn arrive(cx: &mut Cx<'_>) -> Result<Outcome, Stop> {
    let (me, address) = (cx.thread, cx.word(0)?);
    let SyncObject::Barrier {
        count,
        arrived,
        leaving,
    } = get(cx, address, Kind::Barrier)?
    else {
        return Ok(Outcome::Failed);
    };
    let last = arrived + 1 == count;
    let core = cx.state.own_core(me);
    core.phase = Phase::Arrived;
    core.wait = [ObjectId(address), ObjectId::NONE];
    core.note = if last { RELEASED | SERIAL } else { 0 };
    if !last {
        cx.state.set_sync(
            address,
            SyncObject::Barrier {
                count,
                arrived: arrived + 1,
                leaving,
            },
        );
        return Ok(Outcome::Done);
    }
    let here = |t: &crate::thread::Thread| {
        t.core.phase == Phase::Arrived
            && t.core.wait == [ObjectId(address), ObjectId::NONE]
            && t.core.note & RELEASED == 0
    };
    let threads = cx.state.threads().iter().enumerate();
    let mut all: Vec<ThreadId> = threads
        .filter(|(_, t)| here(t))
        .map(|(i, _)| ThreadId::from_index(i))
        .collect();
    for &other in &all {
        cx.state.core_mut(other).note = RELEASED;
    }
    all.push(me);
    all.sort_unstable();
    let next = SyncObject::Barrier {
        count,
        arrived: 0,
        leaving: leaving + count,
    };
    cx.state.set_sync(address, next);
    Ok(Outcome::Threads(cx.state.intern_set(all)))
}

fn leave(cx: &mut Cx<'_>) -> Answer {
    let core = cx.state.own_core(cx.thread);
    let address = core.wait[0].0;
    let serial = core.note & SERIAL != 0;
    core.wait = [ObjectId::NONE; 2];
    if let Some(SyncObject::Barrier {
        count,
        arrived,
        leaving,
    }) = cx.state.sync(address).copied()
    {
        let leaving = leaving.saturating_sub(1);
        cx.state.set_sync(
            address,
            SyncObject::Barrier {
                count,
                arrived,
                leaving,
            },
        );
    }
    Ok((if serial { -1 } else { 0 }, Outcome::Done))
}

fn initialise(cx: &mut Cx<'_>, _: u16) -> Performed {
    let answer = (|| {
        let (address, attributes, count) = (cx.word(0)?, cx.word(1)?, cx.word(2)? as u32);
        attr::ignored(cx, attributes)?;
        check(cx, address, Kind::Barrier)?;
        if count == 0 || count > i32::MAX as u32 {
            return Ok(failed(EINVAL));
        }
        init(
            cx,
            address,
            SyncObject::Barrier {
                count,
                arrived: 0,
                leaving: 0,
            },
        )?;
        Ok(SUCCESS)
    })();
    done(answer)
}

fn end(cx: &mut Cx<'_>, _: u16) -> Performed {
    let answer = cx.word(0).and_then(|address| {
        if let SyncObject::Barrier { arrived: 1.., .. } = get(cx, address, Kind::Barrier)? {
            let text = "destruction of a barrier at which a thread waits";
            return Err(cx.fault_on(FaultKind::BarrierDestroyWaiting, text, ObjectId(address)));
        }
        destroy(cx, address, Kind::Barrier);
        Ok(SUCCESS)
    });
    done(answer)
}

//! `pthread_once`, `call_once`, and the guards of local statics in C++.
//!
//! While the routine runs, the control stands among what its thread holds (`Thread::held`, with the
//! depth of the call as its count): so the end of the routine is told from a call made by the
//! routine itself, which waits for ever. A thread that ends inside the routine leaves the control
//! as if it had never been called.

use super::known::get;
use super::object::{Kind, Once, SyncObject};
use super::operation::{Model, SUCCESS, done, find_held, prepare};
use crate::libc::unwind;
use crate::native::{ALL_ARGUMENTS, Cx, Flow, Native, Performed, Prepared, Stop, Visible};
use crate::phase::Phase;
use crate::state::State;
use crate::thread::Held;
use crate::value::Value;
use selvedge_base::ThreadId;
use selvedge_model::{Action, MemoryOrder, ObjectId, Op, Outcome};
use smallvec::SmallVec;

/// The models of this file.
pub(super) fn find(name: &str) -> Option<Native> {
    let (prepare, perform): Model = match name {
        "pthread_once" | "call_once" => (once_prepare, once),
        "__cxa_guard_acquire" => (|cx| prepare(cx, Op::OnceEnter), guard_acquire),
        "__cxa_guard_release" => (guard_release_prepare, guard_release),
        "__cxa_guard_abort" => (|cx| prepare(cx, Op::OnceDone), guard_abort),
        _ => return None,
    };
    Some(Native::Visible(Visible {
        prepare,
        perform,
        numbers: ALL_ARGUMENTS,
    }))
}

/// Who runs the routine of a control now.
pub(super) fn runner(state: &State, address: u64) -> Option<ThreadId> {
    match state.sync(address) {
        Some(SyncObject::Once(Once::Running(thread))) => Some(*thread),
        _ => None,
    }
}

/// The thread has ended while it ran the routine.
pub(super) fn abandon(cx: &mut Cx<'_>, address: u64) {
    let_go(cx, address);
    cx.state.set_sync(address, SyncObject::Once(Once::New));
}

fn hold(cx: &mut Cx<'_>, address: u64) {
    let (me, site) = (cx.thread, cx.site);
    let count = cx.state.thread(me).core.depth;
    cx.state.set_sync(address, SyncObject::Once(Once::Running(me)));
    cx.state.push_held(
        me,
        Held {
            object: ObjectId(address),
            count,
            shared: false,
            site,
        },
    );
}

fn let_go(cx: &mut Cx<'_>, address: u64) {
    if let Some(position) = find_held(cx.state, cx.thread, address) {
        cx.state.remove_held(cx.thread, position);
    }
}

/// Whether the routine that this very call started has returned.
fn returned(cx: &Cx<'_>, address: u64) -> bool {
    let t = cx.state.thread(cx.thread);
    find_held(cx.state, cx.thread, address)
        .is_some_and(|i| t.held[i].count == t.core.depth && t.held[i].site == cx.site)
}

fn once_prepare(cx: &mut Cx<'_>) -> Prepared {
    let address = match cx.word(0) {
        Ok(address) => address,
        Err(flow) => return Prepared::Immediate(flow),
    };
    let thrown = cx.state.thread(cx.thread).core.phase == Phase::Thrown;
    let op = if thrown || returned(cx, address) {
        Op::OnceDone
    } else {
        Op::OnceEnter
    };
    Prepared::Visible(cx.action(op, address))
}

fn once(cx: &mut Cx<'_>, _: u16) -> Performed {
    if cx.state.thread(cx.thread).core.phase == Phase::Thrown {
        let flow = cx.word(0).and_then(|address| {
            abandon(cx, address);
            unwind::leave_model(cx)
        });
        return Performed::Done(flow.unwrap_or_else(|flow| flow), Outcome::Done);
    }
    if cx.pending().op == Op::OnceDone {
        let answer = cx.word(0).map(|address| {
            let_go(cx, address);
            cx.state.set_sync(address, SyncObject::Once(Once::Done));
            SUCCESS
        });
        return done(answer);
    }
    match enter(cx) {
        Ok(flow) => Performed::Done(flow, Outcome::Done),
        Err(flow) => Performed::Done(flow, Outcome::Failed),
    }
}

fn enter(cx: &mut Cx<'_>) -> Result<Flow, Stop> {
    let (address, routine) = (cx.word(0)?, cx.word(1)?);
    if get(cx, address, Kind::Once)? == SyncObject::Once(Once::Done) {
        return Ok(Flow::int(0));
    }
    let routine = super::cxx::once_routine(cx, routine)?;
    hold(cx, address);
    Ok(Flow::Call(routine, SmallVec::new()))
}

// ---- guards of local statics
// -------------------------------------------------------------------------------------

fn guard_acquire(cx: &mut Cx<'_>, _: u16) -> Performed {
    let answer = cx.word(0).and_then(|address| {
        if get(cx, address, Kind::Once)? == SyncObject::Once(Once::Done) {
            return Ok((0, Outcome::Done));
        }
        hold(cx, address);
        Ok((1, Outcome::Done))
    });
    done(answer)
}

/// Two actions: the guard's first byte is set with release order, for the check that the compiler
/// puts before the call of `__cxa_guard_acquire`; then waiting threads go on.
fn guard_release_prepare(cx: &mut Cx<'_>) -> Prepared {
    let address = match cx.word(0) {
        Ok(address) => address,
        Err(flow) => return Prepared::Immediate(flow),
    };
    if cx.state.thread(cx.thread).core.phase == Phase::First {
        let action = cx.action(Op::Write, address);
        return Prepared::Visible(Action {
            size: 1,
            order: MemoryOrder::Release,
            ..action
        });
    }
    Prepared::Visible(cx.action(Op::OnceDone, address))
}

fn guard_release(cx: &mut Cx<'_>, _: u16) -> Performed {
    let address = match cx.word(0) {
        Ok(address) => address,
        Err(flow) => return Performed::Done(flow, Outcome::Failed),
    };
    if cx.state.thread(cx.thread).core.phase == Phase::First {
        cx.state.memory.poke_checked(address, 1, Value::new(1));
        cx.state.own_core(cx.thread).phase = Phase::GuardMarked;
        return Performed::Again(Outcome::Done);
    }
    let_go(cx, address);
    cx.state.set_sync(address, SyncObject::Once(Once::Done));
    Performed::Done(Flow::void(), Outcome::Done)
}

fn guard_abort(cx: &mut Cx<'_>, _: u16) -> Performed {
    let answer = cx.word(0).map(|address| {
        abandon(cx, address);
        SUCCESS
    });
    done(answer)
}

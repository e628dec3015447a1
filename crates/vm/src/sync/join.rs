//! Joining and detaching threads.

use super::attr;
use super::creation::out_action;
use super::errno::{EBUSY, ESRCH, ETIMEDOUT};
use super::fuse;
use super::handle::thread_of;
use super::operation::{Answer, SUCCESS, done};
use crate::libc::deadline::Deadline;
use crate::native::{Cx, Flow, Performed, Prepared, Stop};
use crate::phase::Phase;
use crate::thread::Stage;
use crate::value::Value;
use selvedge_base::ThreadId;
use selvedge_model::{Action, FaultKind, ObjectId, Op, Outcome};
use std::sync::atomic::Ordering;

/// Prepares an operation on the thread whose handle is the first argument.
pub(super) fn prepare_on_thread(cx: &mut Cx<'_>, op: Op) -> Prepared {
    match cx.word(0) {
        Ok(target) => on_thread(cx, op, target),
        Err(flow) => Prepared::Immediate(flow),
    }
}

/// Prepares an operation on the thread with a handle.
pub(super) fn on_thread(cx: &mut Cx<'_>, op: Op, target: u64) -> Prepared {
    match thread_of(cx.state, target) {
        Some(t) if t == cx.thread && op == Op::Join => {
            Prepared::Immediate(cx.fault(FaultKind::JoinSelf, "a thread joins itself"))
        }
        Some(t) => {
            // Joins share the thread itself; only detaches and looks at a thread share more.
            let only_joins = op == Op::Join && cx.program.fusible.has_only_joins();
            let object2 = if only_joins {
                ObjectId::NONE
            } else {
                ObjectId::joinable(t)
            };
            Prepared::Visible(Action {
                object2,
                ..cx.action(op, ObjectId::thread(t).0)
            })
        }
        None => {
            Prepared::Immediate(cx.fault(FaultKind::InvalidThread, "use of a thread that does not exist"))
        }
    }
}

pub(super) fn join_prepare(cx: &mut Cx<'_>) -> Prepared {
    if cx.state.thread(cx.thread).core.phase == Phase::Joined {
        return result_prepare(cx);
    }
    prepare_on_thread(cx, Op::Join)
}

/// After a join: the thread's result is written.
fn result_prepare(cx: &mut Cx<'_>) -> Prepared {
    match cx.word(1) {
        Ok(out) => match out_action(cx, out, 8) {
            Some(action) => Prepared::Visible(action),
            None => Prepared::Visible(cx.action(Op::Write, out)),
        },
        Err(flow) => Prepared::Immediate(flow),
    }
}

pub(super) fn detach_prepare(cx: &mut Cx<'_>) -> Prepared {
    prepare_on_thread(cx, Op::Detach)
}

pub(super) fn join(cx: &mut Cx<'_>, _: u16) -> Performed {
    join_into(cx, 8)
}

/// `thrd_join`: the result is an int.
pub(super) fn join_c11(cx: &mut Cx<'_>, _: u16) -> Performed {
    join_into(cx, 4)
}

/// Joins, then writes the result: at once if no other thread minds, else as an action of its own.
fn join_into(cx: &mut Cx<'_>, size: u64) -> Performed {
    let joined = (|| {
        let out = cx.word(1)?;
        if cx.state.thread(cx.thread).core.phase == Phase::Joined {
            let handle = cx.word(0)?;
            let value = thread_of(cx.state, handle).map_or(Value::new(0), |t| cx.state.thread(t).core.result);
            cx.store(out, size, value)?;
            return Ok(true);
        }
        let value = finish_join(cx)?;
        if out != 0 && out_action(cx, out, size as u32).is_some() {
            cx.state.own_core(cx.thread).phase = Phase::Joined;
            return Ok(false);
        }
        if out != 0 {
            cx.store(out, size, value)?;
        }
        Ok(true)
    })();
    match joined {
        Ok(false) => Performed::Again(Outcome::Done),
        Ok(true) => done(Ok(SUCCESS)),
        Err(stop) => done(Err(stop)),
    }
}

/// Joins a thread as a part of the present step, if it has ended, nobody minds ([`super::fuse`])
/// and no result is to be written; whether it did. The same as `join_prepare` and `join` in that
/// case, which is what mostly happens at the end of a program.
pub(crate) fn join_at_once(cx: &mut Cx<'_>) -> bool {
    let [target, out] = *cx.args else { return false };
    let core = &cx.state.thread(cx.thread).core;
    let simple =
        target.is_concrete() && out == Value::new(0) && core.phase == Phase::First && core.atomic == 0;
    if !simple || !cx.program.fusible.has_only_joins() {
        return false;
    }
    let Some(ended) = thread_of(cx.state, target.bits).filter(|&t| t != cx.thread) else {
        return false;
    };
    let action = cx.action(Op::Join, ObjectId::thread(ended).0);
    if !fuse::fuses(cx.state, cx.program.fusible, &action) {
        return false;
    }
    fuse::begin(cx.state, action);
    cx.state.join(ended, cx.thread);
    cx.state.join_clock(ended, cx.thread);
    cx.state.tell(ended, cx.thread);
    true
}

/// Joins the thread of the action that is performed, the pending one or the last part of the step;
/// its result.
pub(super) fn finish_join(cx: &mut Cx<'_>) -> Result<Value, Stop> {
    let performed = match cx.state.parts().last() {
        Some(part) => part.action.object,
        None => cx.pending().object,
    };
    let Some(target) = performed.as_thread() else {
        return Ok(Value::new(0));
    };
    let core = &cx.state.thread(target).core;
    let result = core.result;
    if core.joined {
        cx.program.spoiled.store(true, Ordering::Relaxed);
        return Err(cx.fault_on(
            FaultKind::JoinTwice,
            "join of a thread that was joined",
            ObjectId::thread(target),
        ));
    }
    if core.detached {
        return Err(cx.fault_on(
            FaultKind::JoinDetached,
            "join of a detached thread",
            ObjectId::thread(target),
        ));
    }
    cx.state.join(target, cx.thread);
    cx.state.join_clock(target, cx.thread);
    cx.state.tell(target, cx.thread);
    Ok(result)
}

pub(super) fn detach(cx: &mut Cx<'_>, _: u16) -> Performed {
    done(detach_pending(cx))
}

/// Detaches the thread of the pending action.
pub(super) fn detach_pending(cx: &mut Cx<'_>) -> Answer {
    let Some(target) = cx.pending().object.as_thread() else {
        return Ok((ESRCH, Outcome::Failed));
    };
    let core = cx.state.thread(target).core;
    if core.joined {
        let text = "detach of a thread that was joined";
        return Err(cx.fault_on(FaultKind::InvalidThread, text, ObjectId::thread(target)));
    }
    if core.detached {
        let text = "detach of a detached thread";
        return Err(cx.fault_on(FaultKind::DetachTwice, text, ObjectId::thread(target)));
    }
    cx.state.core_mut(target).detached = true;
    Ok(SUCCESS)
}

/// Two actions: a look at the thread, then the join if it has ended.
pub(super) fn try_join_prepare(cx: &mut Cx<'_>) -> Prepared {
    match cx.state.thread(cx.thread).core.phase {
        Phase::First => prepare_on_thread(cx, Op::Hidden),
        Phase::Joined => result_prepare(cx),
        _ => prepare_on_thread(cx, Op::Join),
    }
}

/// The same, of a join that may wait until a time: a cancellation point.
pub(super) fn timed_join_prepare(cx: &mut Cx<'_>) -> Prepared {
    let looks = cx.state.thread(cx.thread).core.phase == Phase::First;
    match try_join_prepare(cx) {
        Prepared::Visible(action) if looks => Prepared::Visible(Action {
            cancelable: cx.program.cancels,
            ..action
        }),
        prepared => prepared,
    }
}

pub(super) fn try_join(cx: &mut Cx<'_>, _: u16) -> Performed {
    join_unless(cx, EBUSY)
}

/// A join until a time of the clock that argument 2 names.
pub(super) fn clock_join(cx: &mut Cx<'_>) -> Performed {
    match attr::known_clock(cx, 2) {
        Ok(()) => timed_join(cx, 3),
        Err(stop) => done(Err(stop)),
    }
}

/// A join with its deadline in argument `deadline`, which may be null: then there is none.
pub(super) fn timed_join(cx: &mut Cx<'_>, deadline: usize) -> Performed {
    if cx.state.thread(cx.thread).core.phase == Phase::First {
        let read = cx.word(deadline).and_then(|address| match address {
            0 => Ok(Deadline::NONE),
            _ => attr::valid_time(cx, deadline),
        });
        match read {
            Ok(until) => until.keep(cx),
            Err(stop) => return done(Err(stop)),
        }
    }
    if !cx.program.options.timeouts && cx.state.thread(cx.thread).core.phase == Phase::First {
        // Without time-outs it is a join; the look at the thread means nothing.
        cx.state.own_core(cx.thread).phase = Phase::Joins;
        return Performed::Again(Outcome::Done);
    }
    let performed = join_unless(cx, ETIMEDOUT);
    if let Performed::Done(..) = performed {
        let timed_out = cx.state.thread(cx.thread).core.phase == Phase::First;
        Deadline::take(cx).over(cx, timed_out);
    }
    performed
}

/// Whether a thread blocks a signal that is sent to it, or has ended: a look at the thread, since
/// after a join it is none any more.
pub(super) fn blocks(cx: &mut Cx<'_>, _: u16) -> Performed {
    let answer = (|| {
        let number = cx.int(1)?;
        let thread = existing(cx, "a signal for a thread that does not exist any more")?;
        let over = cx.state.thread(thread).core.stage == Stage::Finished;
        let blocks = over || crate::libc::signal::blocks(cx.state, thread, number);
        Ok((blocks.into(), Outcome::Done))
    })();
    done(answer)
}

/// Checks that a thread exists: it was not joined, and if it is detached, it has not ended.
pub(super) fn exists(cx: &mut Cx<'_>, _: u16) -> Performed {
    let thread = existing(cx, "use of a thread that does not exist any more");
    done(thread.map(|_| (0, Outcome::Done)))
}

/// The thread of the pending action. A fault if it does not exist any more.
fn existing(cx: &mut Cx<'_>, text: &str) -> Result<ThreadId, Stop> {
    let Some(thread) = cx.pending().object.as_thread() else {
        return Err(cx.fault(FaultKind::InvalidThread, text));
    };
    let core = &cx.state.thread(thread).core;
    if core.joined || core.detached && core.stage == Stage::Finished {
        return Err(cx.fault_on(FaultKind::InvalidThread, text, ObjectId::thread(thread)));
    }
    Ok(thread)
}

fn join_unless(cx: &mut Cx<'_>, running: i32) -> Performed {
    if cx.state.thread(cx.thread).core.phase != Phase::First {
        return join_into(cx, 8);
    }
    let core = cx.pending().object.as_thread().map(|t| cx.state.thread(t).core);
    if core.is_some_and(|c| c.stage != Stage::Finished && !c.joined && !c.detached) {
        return Performed::Done(Flow::int(running), Outcome::Failed);
    }
    cx.state.own_core(cx.thread).phase = Phase::ThreadEnded;
    Performed::Again(Outcome::Done)
}

// ---- small things
// -------------------------------------------------------------------------------------------------

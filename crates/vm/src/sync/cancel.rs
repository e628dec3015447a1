//! Deferred cancellation, cleanup handlers, and the non-local jumps that they are made of.
//!
//! In C, `pthread_cleanup_push` expands to a `__sigsetjmp` whose second return runs the handler and calls
//! `__pthread_unwind_next`; the buffers form a list for each thread. Ending a thread resumes the innermost buffer's frame,
//! until none is left.
//!
//! A cancellation acts at the thread's next cancellation point, or at the one where it waits. The pending action turns into
//! `CancelPoint`; a wait on a condition variable is left by the thread's own `WaitTimeout`, takes the mutex again, and then acts.

use super::cond::{CANCELED, WAITING};
use super::errno::EINVAL;
use super::object::{Answer, Model, SUCCESS, done, failed};
use super::{lifecycle, refresh, words};
use crate::native::{ALL_ARGUMENTS, Cx, Flow, Native, Performed, Prepared, Stop, Visible};
use crate::state::State;
use crate::thread::{Frame, Stage};
use crate::value::Value;
use selvedge_base::{ContextId, Id, ThreadId};
use selvedge_model::{Action, FaultKind, ObjectId, Op, Outcome, Status};

/// Size of `__pthread_unwind_buf_t`, and where in it the next outer buffer is kept.
const BUFFER: u64 = 104;
const OUTER: u64 = 72;

/// The models of this file.
pub(super) fn find(name: &str) -> Option<Native> {
    let (prepare, perform): Model = match name {
        "pthread_cancel" => (cancel_prepare, cancel),
        "pthread_testcancel" => (test_prepare, |_, _| Performed::Done(Flow::void(), Outcome::Done)),
        "pthread_setcancelstate" => (state_prepare, |cx, _| done(set_state(cx))),
        "pthread_setcanceltype" => return Some(Native::Plain(set_type)),
        "pthread_exit" => return Some(Native::Plain(exit)),
        "thrd_exit" => return Some(Native::Plain(exit)),
        "_setjmp" | "setjmp" | "__sigsetjmp" | "sigsetjmp" => return Some(Native::Plain(set_jump)),
        "longjmp" | "_longjmp" | "siglongjmp" | "__longjmp_chk" => return Some(Native::Plain(long_jump)),
        "__pthread_register_cancel" => return Some(Native::Plain(register)),
        "__pthread_unregister_cancel" => return Some(Native::Plain(unregister)),
        "__pthread_unwind_next" => return Some(Native::Plain(unwind_next)),
        _ => return None,
    };
    Some(Native::Visible(Visible {
        prepare,
        perform,
        numbers: ALL_ARGUMENTS,
    }))
}

// ---- cancellation ------------------------------------------------------------------------------------------------

/// Whether an action is a cancellation point by its operation. (Sleeping is one, too, and says so itself.)
pub fn is_cancellation_point(action: &Action) -> bool {
    let op = action.op;
    matches!(
        op,
        Op::WaitRelease | Op::WaitTimeout | Op::WaitAcquire | Op::Join | Op::SemWait | Op::SemTimedWait
    )
}

/// What a thread's next action becomes if its cancellation was requested.
pub fn arm(state: &State, thread: ThreadId, action: Action) -> Action {
    let core = &state.thread(thread).core;
    if !action.cancelable || !core.cancel.pending() || core.stage != Stage::Running {
        return action;
    }
    match action.op {
        Op::WaitAcquire if core.phase == WAITING => Action {
            op: Op::WaitTimeout,
            ..action
        },
        Op::WaitAcquire | Op::WaitTimeout | Op::CancelPoint => action,
        _ => Action {
            op: Op::CancelPoint,
            object: ObjectId::thread(thread),
            object2: ObjectId::NONE,
            ..action
        },
    }
}

/// Whether the pending action of the acting thread is to be performed as the end of the thread.
pub fn acts(state: &State, thread: ThreadId) -> bool {
    let core = &state.thread(thread).core;
    state.pending[thread.index()].action.op == Op::CancelPoint
        && core.cancel.pending()
        && core.stage == Stage::Running
}

/// The cancelled thread ends.
pub fn act(cx: &mut Cx<'_>) -> Flow {
    end_thread(cx, CANCELED)
}

fn cancel_prepare(cx: &mut Cx<'_>) -> Prepared {
    lifecycle::prepare_on_thread(cx, Op::Cancel)
}

fn cancel(cx: &mut Cx<'_>, _: u16) -> Performed {
    let Some(target) = cx.pending().object.as_thread() else {
        return Performed::Done(Flow::int(super::errno::ESRCH), Outcome::Failed);
    };
    let core = cx.state.thread(target).core;
    if core.joined || core.detached && core.stage == Stage::Finished {
        let flow = cx.fault(
            FaultKind::InvalidThread,
            "cancellation of a thread whose life has ended",
        );
        return Performed::Done(flow, Outcome::Failed);
    }
    cx.state.core_mut(target).cancel.requested = true;
    let pending = cx.state.pending[target.index()];
    if target != cx.thread && matches!(pending.status, Status::Enabled | Status::Blocked) {
        let action = arm(cx.state, target, pending.action);
        refresh(cx.state, target, action);
    }
    Performed::Done(Flow::int(0), Outcome::Done)
}

fn test_prepare(cx: &mut Cx<'_>) -> Prepared {
    if !cx.program.cancels {
        return Prepared::Immediate(Flow::void());
    }
    let action = cx.action(Op::CancelPoint, ObjectId::thread(cx.thread).0);
    Prepared::Visible(Action {
        cancelable: true,
        ..action
    })
}

fn state_prepare(cx: &mut Cx<'_>) -> Prepared {
    if !cx.program.cancels {
        return match set_state(cx) {
            Ok((code, _)) => Prepared::Immediate(Flow::int(code)),
            Err(flow) => Prepared::Immediate(flow),
        };
    }
    Prepared::Visible(cx.action(Op::Hidden, ObjectId::thread(cx.thread).0))
}

fn set_state(cx: &mut Cx<'_>) -> Answer {
    let (new, out) = (cx.word(0)? as u32, cx.word(1)?);
    if new > 1 {
        return Ok(failed(EINVAL));
    }
    let old = cx.state.thread(cx.thread).core.cancel.disabled;
    cx.state.own_core(cx.thread).cancel.disabled = new == 1;
    if out != 0 {
        cx.store(out, 4, Value::new(u64::from(old)))?;
    }
    Ok(SUCCESS)
}

fn set_type(cx: &mut Cx<'_>) -> Flow {
    let answer = (|| {
        let (new, out) = (cx.word(0)? as u32, cx.word(1)?);
        if new == 1 && cx.program.cancels {
            return Err(Flow::Unsupported("asynchronous cancellation".into()));
        }
        if new > 1 {
            return Ok(EINVAL);
        }
        let old = cx.state.thread(cx.thread).core.cancel.asynchronous;
        cx.state.own_core(cx.thread).cancel.asynchronous = new == 1;
        if out != 0 {
            cx.store(out, 4, Value::new(u64::from(old)))?;
        }
        Ok(0)
    })();
    super::object::plain(answer)
}

// ---- the end of a thread -----------------------------------------------------------------------------------------

fn exit(cx: &mut Cx<'_>) -> Flow {
    let result = cx.args.first().copied().unwrap_or(Value::new(0));
    end_thread(cx, result)
}

/// Ends the acting thread: runs the innermost cleanup handler, or unwinds at once if there is none.
pub(super) fn end_thread(cx: &mut Cx<'_>, result: Value) -> Flow {
    let word = words::cleanup(cx.thread);
    let buffer = cx.state.word(word);
    if buffer == 0 {
        return Flow::ExitThread(result);
    }
    let Some((depth, ip)) = saved_frame(cx, buffer) else {
        return cx.fault(
            FaultKind::CleanupMismatch,
            "a function returned between pthread_cleanup_push and pthread_cleanup_pop",
        );
    };
    let outer = cx.state.memory.peek_checked(buffer + OUTER, 8).bits;
    cx.state.set_word(word, outer);
    let core = cx.state.own_core(cx.thread);
    core.result = result;
    if core.stage == Stage::Running {
        core.stage = Stage::Unwinding;
    }
    Flow::Resume {
        depth,
        ip,
        value: Value::new(1),
    }
}

fn unwind_next(cx: &mut Cx<'_>) -> Flow {
    let result = cx.state.thread(cx.thread).core.result;
    end_thread(cx, result)
}

fn register(cx: &mut Cx<'_>) -> Flow {
    let flow = (|| {
        let buffer = cx.word(0)?;
        if let Err(error) = cx.state.memory.check(buffer, BUFFER, true) {
            return Err(cx.memory_fault(error, buffer, BUFFER, true));
        }
        let word = words::cleanup(cx.thread);
        let outer = cx.state.word(word);
        cx.state.memory.poke_checked(buffer + OUTER, 8, Value::new(outer));
        cx.state.set_word(word, buffer);
        Ok(Flow::void())
    })();
    flow.unwrap_or_else(|flow| flow)
}

fn unregister(cx: &mut Cx<'_>) -> Flow {
    let buffer = match cx.word(0) {
        Ok(buffer) => buffer,
        Err(flow) => return flow,
    };
    let word = words::cleanup(cx.thread);
    if cx.state.word(word) != buffer {
        return cx.fault(
            FaultKind::CleanupMismatch,
            "pthread_cleanup_pop does not match the last pthread_cleanup_push",
        );
    }
    let outer = cx.state.memory.peek_checked(buffer + OUTER, 8).bits;
    cx.state.set_word(word, outer);
    Flow::void()
}

// ---- non-local jumps ---------------------------------------------------------------------------------------------

const MAGIC: u64 = 0x5e1b_ed6e;

/// Keeps the caller's frame in the buffer: depth and instruction, function and registers, context.
fn set_jump(cx: &mut Cx<'_>) -> Flow {
    let buffer = match cx.word(0) {
        Ok(buffer) => buffer,
        Err(flow) => return flow,
    };
    if let Err(error) = cx.state.memory.check(buffer, OUTER, true) {
        return cx.memory_fault(error, buffer, OUTER, true);
    }
    let core = cx.state.thread(cx.thread).core;
    let words = frame_words(cx.state, core.depth, &core.frame);
    for (i, word) in words.into_iter().enumerate() {
        cx.state
            .memory
            .poke_checked(buffer + 8 * i as u64, 8, Value::new(word));
    }
    Flow::int(0)
}

fn frame_words(state: &State, depth: u32, frame: &Frame) -> [u64; 3] {
    [
        u64::from(depth) | u64::from(frame.ip) << 32,
        frame.func.index() as u64 | u64::from(frame.base) << 32,
        MAGIC << 32 | u64::from(context_hash(state, frame.context)),
    ]
}

/// A calling context by the statements on its way: its number depends on the order of first calls, in all threads.
fn context_hash(state: &State, context: ContextId) -> u32 {
    let (mut hash, mut at) = (0x811c_9dc5u32, context);
    while at != ContextId(0) {
        let (caller, stmt) = *state.contexts.get(at);
        for byte in stmt.0.to_le_bytes() {
            hash = (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193);
        }
        at = caller;
    }
    hash
}

/// The depth and instruction that a buffer holds, if its frame is still active.
fn saved_frame(cx: &Cx<'_>, buffer: u64) -> Option<(u32, u32)> {
    cx.state.memory.check(buffer, 24, false).ok()?;
    let words = [0, 1, 2].map(|i| cx.state.memory.peek_checked(buffer + 8 * i, 8));
    if words.iter().any(|w| !w.is_concrete()) {
        return None;
    }
    let (depth, ip) = (words[0].bits as u32, (words[0].bits >> 32) as u32);
    let t = cx.state.thread(cx.thread);
    if depth == 0 || depth > t.core.depth {
        return None;
    }
    let frame = if depth == t.core.depth {
        t.core.frame
    } else {
        t.frames[depth as usize - 1]
    };
    (frame_words(cx.state, depth, &Frame { ip, ..frame }) == words.map(|w| w.bits)).then_some((depth, ip))
}

/// A jump back to an active frame. Locals keep the values they have now, which the standard allows.
fn long_jump(cx: &mut Cx<'_>) -> Flow {
    let flow: Result<Flow, Stop> = (|| {
        let (buffer, value) = (cx.word(0)?, cx.int(1)?);
        match saved_frame(cx, buffer) {
            Some((depth, ip)) => {
                let value = if value == 0 { 1 } else { value };
                Ok(Flow::Resume {
                    depth,
                    ip,
                    value: Value::new(u64::from(value as u32)),
                })
            }
            None => Err(cx.fault(
                FaultKind::PthreadOther,
                "longjmp to a function that has returned, or of another thread",
            )),
        }
    })();
    flow.unwrap_or_else(|flow| flow)
}

//! Deferred cancellation, cleanup handlers, and the non-local jumps that they are made of.
//!
//! In C, `pthread_cleanup_push` expands to a `__sigsetjmp` whose second return runs the handler and
//! calls `__pthread_unwind_next`; the buffers form a list for each thread. Ending a thread resumes
//! the innermost buffer's frame, until none is left.
//!
//! A cancellation acts at the thread's next cancellation point, or at the one where it waits. The
//! pending action turns into `CancelPoint`; a wait on a condition variable is left by the thread's
//! own `WaitTimeout`, takes the mutex again, and then acts.

use super::errno::EINVAL;
use super::known::runs_once_above;
use super::operation::{Answer, Model, SUCCESS, done, failed};
use super::wait_set::CANCELED;
use super::{join, refresh};
use crate::native::{ALL_ARGUMENTS, Cx, Flow, Native, Performed, Prepared, Stop, Visible};
use crate::phase::Phase;
use crate::program::Program;
use crate::state::State;
use crate::thread::{Frame, Stage};
use crate::value::Value;
use crate::word::WordKey;
use selvedge_base::{ContextId, Id, ThreadId};
use selvedge_model::{Action, FaultKind, ObjectId, Op, Outcome};

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
        // With glibc `setjmp` does not keep the mask of signals.
        "_setjmp" | "setjmp" => return Some(Native::Plain(set_jump)),
        "__sigsetjmp" | "sigsetjmp" => return Some(Native::Plain(set_jump_with_mask)),
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

// ---- cancellation
// -------------------------------------------------------------------------------------------------

/// Whether an action is a cancellation point by its operation. (Sleeping is one, too, and says so
/// itself.)
pub fn is_cancellation_point(state: &State, action: &Action) -> bool {
    let point = match action.op {
        Op::WaitRelease | Op::WaitTimeout | Op::WaitAcquire | Op::SemWait | Op::SemTimedWait => true,
        // The second half of a join that was to wait for a limited time only.
        Op::Join => state.thread(action.thread).core.phase != Phase::ThreadEnded,
        _ => false,
    };
    // A futex wait is none.
    point && action.object.as_queue().is_none()
}

/// What a thread's next action becomes if its cancellation was requested.
pub fn arm(state: &State, thread: ThreadId, action: Action) -> Action {
    let core = &state.thread(thread).core;
    if !action.cancelable || !core.is_cancelled() {
        return action;
    }
    match action.op {
        Op::WaitAcquire if core.phase == Phase::Waiting => Action {
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
    state.pending()[thread.index()].action.op == Op::CancelPoint && core.is_cancelled()
}

/// The cancelled thread ends.
pub fn act(cx: &mut Cx<'_>) -> Flow {
    end_thread(cx, CANCELED)
}

fn cancel_prepare(cx: &mut Cx<'_>) -> Prepared {
    join::prepare_on_thread(cx, Op::Cancel)
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
    if core.cancel.was_asynchronous {
        return Performed::Done(Flow::Unsupported(ASYNCHRONOUS.into()), Outcome::Failed);
    }
    cx.state.core_mut(target).cancel.requested = true;
    let pending = cx.state.pending()[target.index()];
    if target != cx.thread && pending.status.is_alive() {
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

/// A thread that ends between any two of its instructions.
const ASYNCHRONOUS: &str = "cancelling a thread whose cancellation is asynchronous";

fn set_type(cx: &mut Cx<'_>) -> Flow {
    let answer = (|| {
        let (new, out) = (cx.word(0)? as u32, cx.word(1)?);
        if new > 1 {
            return Ok(EINVAL);
        }
        let cancel = cx.state.thread(cx.thread).core.cancel;
        if new == 1 && cancel.requested {
            return Err(Flow::Unsupported(ASYNCHRONOUS.into()));
        }
        let old = cancel.asynchronous;
        let cancel = &mut cx.state.own_core(cx.thread).cancel;
        cancel.asynchronous = new == 1;
        cancel.was_asynchronous |= cancel.asynchronous && cx.program.cancels;
        if out != 0 {
            cx.store(out, 4, Value::new(u64::from(old)))?;
        }
        Ok(0)
    })();
    super::operation::plain(answer)
}

// ---- the end of a thread
// -----------------------------------------------------------------------------------------

fn exit(cx: &mut Cx<'_>) -> Flow {
    if crate::arrived::acts_for(cx.state, cx.thread) != cx.thread {
        return Flow::Unsupported("the end of a thread in a handler that runs while it waits".into());
    }
    let result = cx.args.first().copied().unwrap_or(Value::new(0));
    end_thread(cx, result)
}

/// Ends the acting thread: runs the innermost cleanup handler, or unwinds at once if there is none.
pub(super) fn end_thread(cx: &mut Cx<'_>, result: Value) -> Flow {
    let word = WordKey::Cleanup(cx.thread);
    let buffer = cx.state.word(word);
    if cx.state.thread(cx.thread).core.cancel.returned {
        cx.state.own_core(cx.thread).cancel.returned = false;
    }
    if crate::libc::unwind::has_pads(cx) {
        if buffer != 0 {
            return Flow::Unsupported("the end of a thread with cleanup handlers of C and of C++".into());
        }
        let core = cx.state.own_core(cx.thread);
        (core.result, core.phase, core.note) = (result, Phase::First, 0);
        if core.stage == Stage::Running {
            core.stage = Stage::Unwinding;
        }
        return crate::libc::unwind_thread(cx);
    }
    if buffer == 0 {
        return Flow::ExitThread(result);
    }
    let Some((depth, ip)) = saved_frame(cx, buffer) else {
        return cx.fault(
            FaultKind::CleanupMismatch,
            "a function returned between pthread_cleanup_push and pthread_cleanup_pop",
        );
    };
    if runs_once_above(cx.state, cx.thread, depth) {
        let what = "a cleanup handler outside of the routine of pthread_once whose thread ends in it";
        return Flow::Unsupported(what.into());
    }
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
        let word = WordKey::Cleanup(cx.thread);
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
    let word = WordKey::Cleanup(cx.thread);
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

// ---- non-local jumps
// -------------------------------------------------------------------------------------------------

const MAGIC: u64 = 0x5e1b_ed6e;

/// Words of a buffer in which a frame is kept, and the word with the mask of signals behind them.
const FRAME_WORDS: usize = 4;
const MASK: u64 = 8 * FRAME_WORDS as u64;

fn set_jump(cx: &mut Cx<'_>) -> Flow {
    keep_jump(cx, false)
}

fn set_jump_with_mask(cx: &mut Cx<'_>) -> Flow {
    match cx.int(1) {
        Ok(mask) => keep_jump(cx, mask != 0),
        Err(flow) => flow,
    }
}

/// Keeps the caller's frame in the buffer: depth and instruction, function and registers, context,
/// thread; and whether that restores the mask of signals, and which.
fn keep_jump(cx: &mut Cx<'_>, mask: bool) -> Flow {
    let buffer = match cx.word(0) {
        Ok(buffer) => buffer,
        Err(flow) => return flow,
    };
    if let Err(flow) = cx.access_in_a_step(buffer, OUTER, true, JUMP) {
        return flow;
    }
    let t = cx.state.thread(cx.thread);
    let core = t.core;
    let Some(landing) = landing(cx.program, &core.frame, core.frame.ip) else {
        // Registers share slots in the function that calls it, and a jump back could not find them.
        return Flow::Unsupported("setjmp called through a pointer".into());
    };
    let words = frame_words(cx.state, cx.thread, core.depth, &core.frame);
    let mask = if mask {
        crate::libc::signal::mask(cx.state, cx.thread) | SAVED
    } else {
        0
    };
    for (i, word) in words.into_iter().chain([mask]).enumerate() {
        cx.state
            .memory
            .poke_checked(buffer + 8 * i as u64, 8, Value::new(word));
    }
    cx.state
        .set_own_register(cx.thread, usize::from(landing), Value::new(1));
    Flow::int(0)
}

/// What is said of a buffer that several threads may reach.
const JUMP: &str = "setjmp or longjmp with a buffer";

/// Marks a mask of signals that a jump restores: the bit of SIGKILL, which no mask has.
const SAVED: u64 = 1 << (9 - 1);

/// The slot that says whether an activation has called the `setjmp` at an instruction.
fn landing(program: &Program, frame: &Frame, ip: u32) -> Option<u16> {
    let code = &program.code[frame.func.index()];
    if !code.landings.contains(&ip) {
        return None;
    }
    Some(code.calls[code.insts[ip as usize].long() as usize].landing)
}

fn frame_words(state: &State, thread: ThreadId, depth: u32, frame: &Frame) -> [u64; FRAME_WORDS] {
    [
        u64::from(depth) | u64::from(frame.ip) << 32,
        frame.func.index() as u64 | u64::from(frame.base) << 32,
        MAGIC << 32 | u64::from(context_hash(state, frame.context)),
        u64::from(state.thread(thread).region),
    ]
}

/// A calling context by the statements on its way: its number depends on the order of first calls,
/// in all threads.
fn context_hash(state: &State, context: ContextId) -> u32 {
    let (mut hash, mut at) = (0x811c_9dc5u32, context);
    while at != ContextId(0) {
        let (caller, stmt) = state.caller(at);
        for byte in stmt.0.to_le_bytes() {
            hash = (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193);
        }
        at = caller;
    }
    hash
}

/// The depth and instruction that a buffer holds, if its frame is still active and has called
/// `setjmp` there. An older activation of the same function, called from the same place at the same
/// depth, is not told from a new one that has called that `setjmp`, too: what a processor does then
/// is the same.
fn saved_frame(cx: &Cx<'_>, buffer: u64) -> Option<(u32, u32)> {
    cx.state.memory.check(buffer, MASK + 8, false).ok()?;
    let words = [0, 1, 2, 3].map(|i| cx.state.memory.peek_checked(buffer + 8 * i, 8));
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
    let frame = Frame { ip, ..frame };
    if frame_words(cx.state, cx.thread, depth, &frame) != words.map(|w| w.bits) {
        return None;
    }
    let landing = usize::from(landing(cx.program, &frame, ip)?);
    let called = t.regs[frame.base as usize + landing];
    (called.is_concrete() && called.bits == 1).then_some((depth, ip))
}

/// A jump back to an active frame. Locals have the values that memory has now: what the standard
/// leaves open for those that are not volatile and changed since `setjmp`, code of `-O0` does so.
fn long_jump(cx: &mut Cx<'_>) -> Flow {
    let flow: Result<Flow, Stop> = (|| {
        let (buffer, value) = (cx.word(0)?, cx.int(1)?);
        if crate::arrived::acts_for(cx.state, cx.thread) != cx.thread {
            return Err(Flow::Unsupported(
                "longjmp from a handler that runs while its thread waits".into(),
            ));
        }
        if cx.state.memory.check(buffer, MASK + 8, false).is_ok() {
            cx.access_in_a_step(buffer, MASK + 8, false, JUMP)?;
        }
        match saved_frame(cx, buffer) {
            Some((depth, _)) if runs_once_above(cx.state, cx.thread, depth) => Err(Flow::Unsupported(
                "longjmp out of the routine of pthread_once".into(),
            )),
            Some((depth, ip)) => {
                let mask = cx.state.memory.peek_checked(buffer + MASK, 8);
                if mask.is_concrete() && mask.bits & SAVED != 0 {
                    crate::libc::signal::change_mask(cx, mask.bits & !SAVED)?;
                }
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

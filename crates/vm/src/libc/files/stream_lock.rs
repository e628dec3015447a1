//! The lock of a stream: flockfile, ftrylockfile, funlockfile, and the locking within each call on
//! a stream.

use super::condition::Condition;
use super::operation::{After, Part, Parted, Performs, alone, operation};
use super::stream_fields::{Field, get, is_free, region, set};
use super::streams::{check, is_output, of_argument};
use super::wait::wait_for;
use crate::hidden::HiddenObject;
use crate::native::{Cx, Flow, Native, Stop};
use selvedge_model::{Action, FaultKind, MemoryOrder, Op, Outcome};

/// The models of this file.
pub(super) fn find(name: &str) -> Option<Native> {
    Some(match name {
        "flockfile" => operation!(lock_part, lock),
        "ftrylockfile" => operation!(unlock_part, try_lock),
        "funlockfile" => operation!(unlock_part, unlock),
        _ => return None,
    })
}

/// Whether the acting thread holds a stream.
pub(super) fn is_mine(cx: &Cx<'_>, stream: u32) -> bool {
    get(cx.state, stream, Field::Holder) == region(cx.state, cx.thread)
}

pub(super) fn take(cx: &mut Cx<'_>, stream: u32) {
    let (me, depth) = (region(cx.state, cx.thread), get(cx.state, stream, Field::Depth));
    set(cx.state, stream, Field::Holder, me);
    set(cx.state, stream, Field::Depth, depth + 1);
}

pub(super) fn give_back(cx: &mut Cx<'_>, stream: u32) {
    let depth = get(cx.state, stream, Field::Depth).saturating_sub(1);
    set(cx.state, stream, Field::Depth, depth);
    if depth == 0 {
        set(cx.state, stream, Field::Holder, 0);
    }
}

/// An action on a stream. It orders like a mutex.
pub(super) fn on_stream(cx: &Cx<'_>, stream: u32, op: Op) -> Action {
    Action {
        order: MemoryOrder::AcqRel,
        ..cx.action(op, HiddenObject::Stream(stream).id().0)
    }
}

/// Whether an argument is an output stream. Locking it is supported only while there is one thread,
/// since prints do not check locks.
fn output_lock(cx: &mut Cx<'_>) -> Result<bool, Stop> {
    match is_output(cx, 0)? {
        true if alone(cx) => Ok(true),
        true => Err(Flow::Unsupported("locking an output stream".into())),
        false => Ok(false),
    }
}

fn lock_part(cx: &mut Cx<'_>) -> Parted {
    if output_lock(cx)? {
        return Ok(Part::Done(0));
    }
    let stream = of_argument(cx, 0)?;
    if is_mine(cx, stream) {
        return Ok(Part::Now);
    }
    wait_for(cx, Condition::Stream(stream));
    Ok(Part::Act(on_stream(cx, stream, Op::HiddenWait)))
}

fn lock(cx: &mut Cx<'_>) -> Performs {
    let stream = of_argument(cx, 0)?;
    check(cx, stream)?;
    take(cx, stream);
    Ok(After::Done(0, Outcome::Done))
}

fn unlock_part(cx: &mut Cx<'_>) -> Parted {
    if output_lock(cx)? {
        return Ok(Part::Done(0));
    }
    let stream = of_argument(cx, 0)?;
    Ok(Part::Act(on_stream(cx, stream, Op::Hidden)))
}

fn try_lock(cx: &mut Cx<'_>) -> Performs {
    let stream = of_argument(cx, 0)?;
    check(cx, stream)?;
    if !is_free(cx.state, stream, cx.thread) {
        return Ok(After::Done(u64::MAX, Outcome::Failed));
    }
    take(cx, stream);
    Ok(After::Done(0, Outcome::Done))
}

fn unlock(cx: &mut Cx<'_>) -> Performs {
    let stream = of_argument(cx, 0)?;
    check(cx, stream)?;
    if !is_mine(cx, stream) {
        let text = "funlockfile by a thread that has not locked the stream";
        return Err(cx.fault(FaultKind::PthreadOther, text));
    }
    give_back(cx, stream);
    Ok(After::Done(0, Outcome::Done))
}

//! Atomic blocks: `__VERIFIER_atomic_begin` … `__VERIFIER_atomic_end`. (Functions named
//! `__VERIFIER_atomic_*` are entered by the interpreter.)
//!
//! A block is one action. What it touches is not known before it runs, so it is dependent on every
//! access of other threads to memory of its class, and on other blocks of that class ([`blocks`]).
//!
//! [`blocks`]: crate::blocks
//!
//! Its end is a scheduling point without effect, so that what follows is not part of it.
//!
//! A thread that is stopped within a block (by a false assumption), or ends the process there,
//! never leaves it. No other thread runs then. What is independent of the block might have come
//! before it, so it may still come; whatever depends on the block is blocked.

use crate::native::{Cx, Flow, NO_ARGUMENT, Native, Performed, Prepared, Visible};
use crate::state::State;
use crate::thread::{Stage, Thread};
use selvedge_base::{Id, ThreadId};
use selvedge_model::{BlockClass, Op, Outcome, Pending};

/// The models of this file.
pub fn find(name: &str) -> Option<Native> {
    Some(Native::Visible(match name {
        "__VERIFIER_atomic_begin" => Visible {
            prepare: begin_prepare,
            perform: begin,
            numbers: NO_ARGUMENT,
        },
        "__VERIFIER_atomic_end" => Visible {
            prepare: end_prepare,
            perform: end,
            numbers: NO_ARGUMENT,
        },
        _ => return None,
    }))
}

/// The thread that was stopped within a block of a class, if there is one.
pub(super) fn stopped(state: &State, class: BlockClass) -> Option<ThreadId> {
    let is_within = |(thread, pending): &(&Thread, &Pending)| {
        let core = &thread.core;
        let stops = core.stage == Stage::Parked || pending.action.op == Op::ProcessExit;
        stops && core.atomic != 0 && core.block == class
    };
    let mut threads = state.threads().iter().zip(state.pending());
    threads
        .position(|thread| is_within(&thread))
        .map(ThreadId::from_index)
}

fn begin_prepare(cx: &mut Cx<'_>) -> Prepared {
    let core = cx.state.thread(cx.thread).core;
    if core.atomic != 0 {
        return Prepared::Immediate(Flow::Unsupported("an atomic block within another".into()));
    }
    if cx.state.is_lone() {
        cx.state.own_core(cx.thread).lone_block = u32::MAX;
        return Prepared::Immediate(Flow::void());
    }
    let object = cx.program.begun_block(cx.site.stmt);
    Prepared::Visible(cx.action(Op::AtomicBlock, object.0))
}

fn begin(cx: &mut Cx<'_>, _: u16) -> Performed {
    let action = cx.state.pending()[cx.thread.index()].action;
    cx.state.own_core(cx.thread).enter_block(u32::MAX, action);
    Performed::Done(Flow::void(), Outcome::Done)
}

fn end_prepare(cx: &mut Cx<'_>) -> Prepared {
    let core = cx.state.own_core(cx.thread);
    if core.lone_block == u32::MAX {
        core.lone_block = 0;
    }
    if core.atomic != u32::MAX {
        return Prepared::Immediate(Flow::void());
    }
    core.leave_block();
    Prepared::Visible(cx.action(Op::Yield, 0))
}

fn end(_: &mut Cx<'_>, _: u16) -> Performed {
    Performed::Done(Flow::void(), Outcome::Done)
}

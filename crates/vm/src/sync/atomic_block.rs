//! Atomic blocks: `__VERIFIER_atomic_begin` … `__VERIFIER_atomic_end`. (Functions named
//! `__VERIFIER_atomic_*` are entered by the interpreter.)
//!
//! A block is one action. What it touches is not known before it runs, so it is dependent on every
//! access of other threads to memory of its class, and on other blocks of that class ([`blocks`]).
//!
//! [`blocks`]: crate::blocks
//!
//! Its end is a scheduling point without
//! effect, so that what follows is not part of it.

use crate::native::{Cx, Flow, NO_ARGUMENT, Native, Performed, Prepared, Visible};
use selvedge_model::{Op, Outcome};

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

fn begin_prepare(cx: &mut Cx<'_>) -> Prepared {
    let core = cx.state.thread(cx.thread).core;
    if core.atomic != 0 {
        return Prepared::Immediate(Flow::Unsupported("an atomic block within another".into()));
    }
    if cx.state.is_lone() {
        return Prepared::Immediate(Flow::void());
    }
    let object = cx.program.begun_block(cx.site.stmt);
    Prepared::Visible(cx.action(Op::AtomicBlock, object.0))
}

fn begin(cx: &mut Cx<'_>, _: u16) -> Performed {
    cx.state.own_core(cx.thread).atomic = u32::MAX;
    Performed::Done(Flow::void(), Outcome::Done)
}

fn end_prepare(cx: &mut Cx<'_>) -> Prepared {
    let core = cx.state.own_core(cx.thread);
    if core.atomic != u32::MAX {
        return Prepared::Immediate(Flow::void());
    }
    core.atomic = 0;
    Prepared::Visible(cx.action(Op::Yield, 0))
}

fn end(_: &mut Cx<'_>, _: u16) -> Performed {
    Performed::Done(Flow::void(), Outcome::Done)
}

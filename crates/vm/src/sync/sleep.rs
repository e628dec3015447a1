//! Yielding and sleeping: scheduling points without effect. Time is not modelled: every sleep ends
//! when it is scheduled.

use super::operation::{SUCCESS, done};
use crate::native::{Cx, Flow, NO_ARGUMENT, Native, Performed, Prepared, Visible};
use selvedge_model::{Action, Op};

/// The models of this file.
pub(super) fn find(name: &str) -> Option<Native> {
    let prepare: fn(&mut Cx<'_>) -> Prepared = match name {
        "sched_yield" | "pthread_yield" | "thrd_yield" => |cx| pause(cx, false),
        "sleep" | "usleep" | "nanosleep" | "clock_nanosleep" | "thrd_sleep" => |cx| pause(cx, true),
        _ => return None,
    };
    Some(Native::Visible(Visible {
        prepare,
        numbers: NO_ARGUMENT,
        perform: |_, _| -> Performed { done(Ok(SUCCESS)) },
    }))
}

fn pause(cx: &mut Cx<'_>, cancelable: bool) -> Prepared {
    if cx.state.unjoined() == 0 {
        return Prepared::Immediate(Flow::int(0));
    }
    let cancelable = cancelable && cx.program.cancels;
    Prepared::Visible(Action {
        cancelable,
        ..cx.action(Op::Yield, 0)
    })
}

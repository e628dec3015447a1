//! Places of the program that a set of schedules orders: scheduling points without effect, before
//! and behind an instruction. A pass over the ir puts them there (`crates/analysis/src/places.rs`).

use crate::native::{ALL_ARGUMENTS, Cx, Flow, Native, Performed, Prepared, Visible};
use selvedge_ir::{BEHIND, PLACE};
use selvedge_model::{Action, ObjectId, Op, Outcome};

/// The models of this file.
pub(super) fn find(name: &str) -> Option<Native> {
    let prepare = match name {
        PLACE => before,
        BEHIND => |cx: &mut Cx<'_>| at(cx, ObjectId::BEHIND),
        _ => return None,
    };
    Some(Native::Visible(Visible {
        prepare,
        perform: |_, _| Performed::Done(Flow::void(), Outcome::Done),
        numbers: ALL_ARGUMENTS,
    }))
}

fn before(cx: &mut Cx<'_>) -> Prepared {
    match cx.word(0) {
        Ok(number) => at(cx, ObjectId::place(number as u32)),
        Err(flow) => Prepared::Immediate(flow),
    }
}

fn at(cx: &Cx<'_>, object: ObjectId) -> Prepared {
    Prepared::Visible(Action {
        object,
        ..cx.action(Op::Yield, 0)
    })
}

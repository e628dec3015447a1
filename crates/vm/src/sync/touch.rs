//! Accesses to the word of a lock that order nothing: what a library's code may still do to a lock
//! that it has given back. Passes over the ir put them in the place of that code
//! (`crates/analysis/src/rust_rwlocks.rs`, `rust_crates.rs`).

use super::lock_word::read_at;
use super::operation::done;
use crate::native::{ALL_ARGUMENTS, Cx, Flow, Native, Prepared, Stop, Visible};
use crate::visible;
use selvedge_ir::TOUCH;
use selvedge_model::{Access, Action, MemoryOrder, Outcome};

/// The model of this file: `__selvedge_touch(word, size)`.
pub(super) fn find(name: &str) -> Option<Native> {
    (name == TOUCH).then_some(Native::Visible(Visible {
        prepare,
        perform: |cx, _| done(touch(cx).map(|()| (0, Outcome::Done))),
        numbers: ALL_ARGUMENTS,
    }))
}

/// It is a scheduling point where the ends of objects are.
fn prepare(cx: &mut Cx<'_>) -> Prepared {
    let shows = visible::shows_lives(cx.program, cx.state, cx.thread);
    match (cx.word(0), cx.word(1)) {
        (Ok(address), Ok(size)) if shows => Prepared::Visible(Action {
            order: MemoryOrder::Relaxed,
            ..read_at(cx, (address, size))
        }),
        _ => Prepared::Immediate(touch(cx).map_or_else(|stop| stop, |()| Flow::void())),
    }
}

fn touch(cx: &mut Cx<'_>) -> Result<(), Stop> {
    let (address, size) = (cx.word(0)?, cx.word(1)?);
    if let Err(error) = cx.state.memory.check(address, size, false) {
        return Err(cx.memory_fault(error, address, size, false));
    }
    let (stmt, context) = (cx.site.stmt, cx.site.context);
    if !visible::shows_lives(cx.program, cx.state, cx.thread) {
        cx.state.memory.record_access(Access {
            address,
            context,
            stmt,
            size: size as u32,
            write: false,
            order: MemoryOrder::Relaxed,
        });
    }
    Ok(())
}

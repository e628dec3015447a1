//! Which thread a new one is identical to.

use crate::native::Cx;
use crate::value::Value;
use selvedge_base::{Id, ThreadId};

/// The thread created just before the one that is created now, if the two are identical.
pub(crate) fn twin(cx: &Cx<'_>, start: u64, argument: Value, detached: bool) -> Option<ThreadId> {
    if !cx.state.modes().turns || detached {
        return None;
    }
    let turns = cx.program.turns.get()?;
    turns.starts.get(&start)?;
    let core = &cx.state.thread(cx.thread).core;
    if !core.has_just_created {
        return None;
    }
    let mut threads = cx.state.threads().iter().enumerate();
    let (number, before) =
        threads.find(|(_, t)| t.parent == cx.thread && t.ordinal == core.last_child && t.ordinal > 0)?;
    let alike = before.start.0 == start && turns.are_alike(start, before.start.1, argument);
    (alike && !before.core.detached).then(|| ThreadId::from_index(number))
}

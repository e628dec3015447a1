//! The open file that a call has looked up and keeps until its end.

use super::polled;
use super::table::{self, OpenFile};
use crate::native::Cx;
use crate::state::State;
use selvedge_base::{Id, ThreadId};
use selvedge_model::{ObjectId, Op, Pending};

/// Marks an open file in `Core::wait[0]`. Bits 32 to 47 are the second file that an action reaches
/// ([`keep_reached`]), or 0.
pub(super) const PIN: u64 = 0x66 << 48;
const REACHED: u32 = 32;

/// The open file that a thread's current call has looked up.
pub(super) fn pinned_by(state: &State, thread: ThreadId) -> Option<OpenFile> {
    let word = state.thread(thread).core.wait[0].0;
    (word >> 48 == PIN >> 48).then(|| table::open_file(state, word as u32))
}

/// Stores the second file that the next action is made for.
pub(super) fn keep_reached(cx: &mut Cx<'_>, file: Option<u32>) {
    let word = &mut cx.state.own_core(cx.thread).wait[0];
    let open = if word.0 >> 48 == PIN >> 48 {
        word.0 as u32
    } else {
        0
    };
    *word = ObjectId(PIN | u64::from(file.unwrap_or(0)) << REACHED | u64::from(open));
}

/// The second file that the current action was made for.
pub(super) fn reached(cx: &Cx<'_>) -> Option<u32> {
    let word = cx.state.thread(cx.thread).core.wait[0].0;
    let file = (word >> REACHED & 0xffff) as u32;
    (word >> 48 == PIN >> 48 && file != 0).then_some(file)
}

/// Whether another thread is in an operation on an open file that can wait, or polls it.
pub(super) fn in_use(cx: &Cx<'_>, open: u32) -> bool {
    waiting(cx).any(|thread| {
        pinned_by(cx.state, thread).is_some_and(|it| it.number == open)
            || polled::has_pinned(cx.state, thread, open)
    })
}

/// Whether another thread is in an operation on an open file that can wait.
pub(super) fn waits_in(cx: &Cx<'_>, open: u32) -> bool {
    waiting(cx).any(|thread| pinned_by(cx.state, thread).is_some_and(|it| it.number == open))
}

/// The other threads that are in an operation that can wait.
fn waiting<'a>(cx: &'a Cx<'_>) -> impl Iterator<Item = ThreadId> + 'a {
    let me = cx.thread.index();
    let within =
        move |(i, p): &(usize, &Pending)| *i != me && p.action.op == Op::HiddenWait && p.status.is_alive();
    let threads = cx.state.pending().iter().enumerate().filter(within);
    threads.map(|(i, _)| ThreadId::from_index(i))
}

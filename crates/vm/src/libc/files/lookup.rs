//! Open files that a call has looked up: it keeps them, whoever closes their descriptors meanwhile.

use super::action::looking;
use super::errno::EBADF;
use super::operation::{Part, Parted, refused_at_once};
use super::poll;
use super::table::{self, OpenFile};
use crate::native::{Cx, Flow, Stop};
use crate::state::State;
use crate::word::MAX_DESCRIPTORS;
use selvedge_base::{Id, ThreadId};
use selvedge_model::{ObjectId, Op, Pending};

/// Marks an open file in `Core::wait[0]`. Bits 32 to 47 are the file that an action reaches beside
/// its own ([`keep_reached`]), 0 for none.
const PIN: u64 = 0x66 << 48;
const REACHED: u32 = 32;

/// The part that looks up a descriptor; -1 and EBADF if it cannot be one.
pub(super) fn look_part(cx: &mut Cx<'_>, fd: i32) -> Parted {
    match u32::try_from(fd) {
        Ok(fd) if fd < MAX_DESCRIPTORS => Ok(Part::Act(looking(cx, fd))),
        _ => refused_at_once(cx, EBADF),
    }
}

/// Looks up a descriptor and keeps its open file for the rest of the call.
pub(super) fn look(cx: &mut Cx<'_>, fd: i32) -> Option<OpenFile> {
    let fd = u32::try_from(fd).ok()?;
    let open = table::descriptor(cx.state, fd)?;
    cx.state.own_core(cx.thread).wait[0] = ObjectId(PIN | u64::from(open));
    Some(table::open_file(cx.state, open))
}

/// The open file that a thread's present call has looked up.
pub(super) fn pinned_by(state: &State, thread: ThreadId) -> Option<OpenFile> {
    let word = state.thread(thread).core.wait[0].0;
    (word >> 48 == PIN >> 48).then(|| table::open_file(state, word as u32))
}

/// Keeps which other file the action that comes next is made for.
pub(super) fn keep_reached(cx: &mut Cx<'_>, file: Option<u32>) {
    let word = &mut cx.state.own_core(cx.thread).wait[0];
    let open = if word.0 >> 48 == PIN >> 48 {
        word.0 as u32
    } else {
        0
    };
    *word = ObjectId(PIN | u64::from(file.unwrap_or(0)) << REACHED | u64::from(open));
}

/// The file that the present action was made for.
pub(super) fn reached(cx: &Cx<'_>) -> Option<u32> {
    let word = cx.state.thread(cx.thread).core.wait[0].0;
    let file = (word >> REACHED & 0xffff) as u32;
    (word >> 48 == PIN >> 48 && file != 0).then_some(file)
}

/// Stops if an action was made for another file than it would now reach: a socket that another
/// thread has connected meanwhile.
pub(super) fn still_reaches(cx: &Cx<'_>, file: u32) -> Result<(), Stop> {
    let now = table::kind(cx.state, file).description().reaches(cx.state, file);
    if now == reached(cx) {
        return Ok(());
    }
    let what = "connecting a socket that another thread is using";
    Err(Flow::Unsupported(what.into()))
}

/// The open file that the present call has looked up.
pub(super) fn pinned(cx: &Cx<'_>) -> Result<OpenFile, Stop> {
    pinned_by(cx.state, cx.thread)
        .ok_or_else(|| Flow::Unsupported("an operation on a file within another one".into()))
}

/// Whether another thread is within an operation on an open file that may wait.
pub(super) fn in_use(cx: &Cx<'_>, open: u32) -> bool {
    let within = |(i, p): &(usize, &Pending)| {
        *i != cx.thread.index() && p.action.op == Op::HiddenWait && p.status.is_alive()
    };
    let mut threads = cx.state.pending().iter().enumerate().filter(within);
    threads.any(|(i, _)| {
        let thread = ThreadId::from_index(i);
        pinned_by(cx.state, thread).is_some_and(|it| it.number == open)
            || poll::has_pinned(cx.state, thread, open)
    })
}

//! Open files that a call has looked up. The call keeps them even if another thread closes their
//! descriptors.

use super::action::looking;
use super::errno::EBADF;
use super::operation::{Part, Parted, refused_at_once};
use super::pin::{PIN, pinned_by, reached};
use super::table::{self, OpenFile};
use crate::native::{Cx, Flow, Stop};
use crate::word::{MAX_DESCRIPTORS, MAX_PEER_DESCRIPTORS};
use selvedge_model::ObjectId;

/// The part that looks up a descriptor. Returns -1 with EBADF if the number cannot be a descriptor.
pub(super) fn look_part(cx: &mut Cx<'_>, fd: i32) -> Parted {
    match u32::try_from(fd) {
        Ok(fd) if fd < MAX_DESCRIPTORS => Ok(Part::Act(looking(cx, fd))),
        // Nobody else closes it, or makes it stand for something else.
        Ok(fd) if fd < MAX_PEER_DESCRIPTORS && is_of_peer(cx) => Ok(Part::Now),
        _ => refused_at_once(cx, EBADF),
    }
}

/// Whether a peer from outside makes the call, or the function of the model library that starts
/// peers: descriptors of peers exist only for these.
pub(super) fn is_of_peer(cx: &Cx<'_>) -> bool {
    let thread = cx.state.thread(cx.thread);
    cx.program.is_peer(thread) || cx.program.starts_peers.contains(&thread.core.frame.func)
}

/// Looks up a descriptor and keeps its open file for the rest of the call.
pub(super) fn look(cx: &mut Cx<'_>, fd: i32) -> Option<OpenFile> {
    let fd = u32::try_from(fd).ok()?;
    let open = table::descriptor(cx.state, fd)?;
    cx.state.own_core(cx.thread).wait[0] = ObjectId(PIN | u64::from(open));
    Some(table::open_file(cx.state, open))
}

/// Keeps an open file that has no descriptor for the rest of the call.
pub(super) fn pin(cx: &mut Cx<'_>, open: u32) {
    cx.state.own_core(cx.thread).wait[0] = ObjectId(PIN | u64::from(open));
}

/// Unsupported if the file that the action was made for is not the file that it reaches now. This
/// happens if another thread has connected the socket after the action was prepared.
pub(super) fn still_reaches(cx: &Cx<'_>, file: u32) -> Result<(), Stop> {
    let now = table::kind(cx.state, file).description().reaches(cx.state, file);
    if now == reached(cx) {
        return Ok(());
    }
    let what = "connecting a socket that another thread is using";
    Err(Flow::Unsupported(what.into()))
}

/// The open file that the current call has looked up.
pub(super) fn pinned(cx: &Cx<'_>) -> Result<OpenFile, Stop> {
    pinned_by(cx.state, cx.thread)
        .ok_or_else(|| Flow::Unsupported("an operation on a file within another one".into()))
}

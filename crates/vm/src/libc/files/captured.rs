//! What formatted output goes to: the captured output, or another file.

use super::errno::EBADF;
use super::operation::alone;
use super::table::{self, Kind};
use crate::native::{Cx, Flow, Stop};

/// Whether a descriptor is the captured output. What descriptors 1 and 2 refer to changes only
/// while there is one thread.
pub(in crate::libc) fn is_output(cx: &Cx<'_>, fd: i32) -> bool {
    matches!(fd, 1 | 2)
        && table::descriptor(cx.state, fd as u32)
            .is_some_and(|open| table::open_file(cx.state, open).kind == Kind::Output)
}

/// Writes a text to a descriptor other than the captured output. Only while there is one thread,
/// and not to a file that can wait.
pub(in crate::libc) fn put_text(cx: &mut Cx<'_>, fd: i32, text: &[u8]) -> Result<bool, Stop> {
    let what = || Flow::Unsupported(format!("formatted output to descriptor {fd}"));
    if !alone(cx) {
        return Err(what());
    }
    let open = u32::try_from(fd)
        .ok()
        .filter(|&fd| fd < table::MAX_DESCRIPTORS)
        .and_then(|fd| table::descriptor(cx.state, fd))
        .map(|open| table::open_file(cx.state, open));
    let Some(open) = open.filter(|open| open.writable) else {
        cx.set_errno(EBADF)?;
        return Ok(false);
    };
    open.description().print(cx, &open, text)?;
    Ok(true)
}

//! Accesses of operations on files to the program's memory.

use crate::memory::Kind;
use crate::native::{Cx, Flow, Stop};
use crate::value::Value;
use crate::visible;

/// Checks that an operation may access memory of the program within its action.
pub(super) fn may_access(cx: &Cx<'_>, address: u64) -> Result<(), Stop> {
    if !visible::shows(cx.program, cx.state, cx.thread, cx.site.stmt) {
        return Ok(());
    }
    match cx.state.memory.object_at(address) {
        Some((_, object)) if matches!(object.kind, Kind::PrivateStack | Kind::Constant) => Ok(()),
        _ => {
            let what = "files, to or from memory that threads may share, under visibility memory";
            Err(Flow::Unsupported(what.into()))
        }
    }
}

/// Checks and records an access to the program's memory.
pub(super) fn access(cx: &mut Cx<'_>, address: u64, size: u64, write: bool) -> Result<(), Stop> {
    if size > 0 {
        may_access(cx, address)?;
    }
    cx.access(address, size, write)
}

/// The string at an address; all of its bytes must be defined.
pub(super) fn string(cx: &mut Cx<'_>, address: u64, what: &str) -> Result<Vec<u8>, Stop> {
    may_access(cx, address)?;
    crate::libc::bytes::string(cx, address, what)
}

/// Stores a word in the program's memory.
pub(super) fn store(cx: &mut Cx<'_>, address: u64, size: u64, value: u64) -> Result<(), Stop> {
    may_access(cx, address)?;
    cx.store(address, size, Value::new(value))
}

//! Symbolic links. No open file ever refers to one; their contents are the path that they lead to.

use crate::libc::files::description::{FileDescription, Status};
use crate::libc::files::table;
use crate::native::Stop;
use crate::state::State;
use selvedge_model::ObjectId;

/// The kind of symbolic links.
pub(in crate::libc::files) const LINK: Link = Link;

/// Symbolic links; see the documentation of the module.
pub(in crate::libc::files) struct Link;

impl FileDescription for Link {
    fn what(&self) -> &'static str {
        "a symbolic link"
    }

    fn woken_by(&self, _: u32) -> Option<ObjectId> {
        None
    }

    fn status(&self, state: &State, file: u32) -> Result<Status, Stop> {
        Ok(Status {
            format: 0o120_000,
            length: table::length(state, file),
        })
    }
}

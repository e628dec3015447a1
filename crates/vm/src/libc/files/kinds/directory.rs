//! Directories, as open files: they are neither read nor written as bytes.
//!
//! The position of an open directory is the place of the next entry in the order of the
//! [entries](crate::libc::files::entries).

use crate::libc::files::description::{Answer, FileDescription, Readiness, Status};
use crate::libc::files::entries;
use crate::libc::files::errno::{EINVAL, EISDIR};
use crate::libc::files::table::{self, OpenFile};
use crate::native::{Cx, Stop};
use crate::state::State;
use selvedge_model::ObjectId;

/// The kind of directories.
pub(in crate::libc::files) const DIRECTORY: Directory = Directory;

/// Directories; see the documentation of the module.
pub(in crate::libc::files) struct Directory;

/// Flags of a directory that a 64-bit program opened: `O_LARGEFILE`, `O_DIRECTORY`.
const FLAGS: u64 = 0o300_000;

impl FileDescription for Directory {
    fn what(&self) -> &'static str {
        "a directory"
    }

    fn woken_by(&self, _: u32) -> Option<ObjectId> {
        None
    }

    fn ready(&self, _: &State, _: &OpenFile) -> Result<Readiness, Stop> {
        Ok(Readiness {
            readable: true,
            writable: true,
            ..Readiness::default()
        })
    }

    fn constant_flags(&self) -> u64 {
        FLAGS
    }

    fn takes_positions(&self) -> bool {
        true
    }

    fn available(&self, _: &State, _: &OpenFile, _: u64, _: Option<u64>) -> Answer<u64> {
        Ok(Err(EISDIR))
    }

    fn seek(&self, cx: &mut Cx<'_>, open: &OpenFile, offset: i64, whence: i32) -> Answer<u64> {
        let base = match whence {
            0 => 0,
            1 => table::position(cx.state, open.number),
            _ => return Err(self.unsupported("lseek from the end")),
        };
        let position = (base as i64).checked_add(offset);
        let Some(position) = position.and_then(|position| u64::try_from(position).ok()) else {
            return Ok(Err(EINVAL));
        };
        table::set_position(cx.state, open.number, position);
        Ok(Ok(position))
    }

    fn synchronise(&self) -> Answer<()> {
        Ok(Ok(()))
    }

    fn status(&self, _: &State, _: u32) -> Result<Status, Stop> {
        Ok(Status {
            format: 0o40_000,
            length: 4096,
        })
    }
}

/// The number of links of a directory: its name, `.`, and the `..` of each directory in it.
pub(in crate::libc::files) fn links(state: &State, directory: u32) -> u64 {
    match entries::parent(state, directory) {
        Some(_) => 2 + entries::subdirectories(state, directory),
        None => 0,
    }
}

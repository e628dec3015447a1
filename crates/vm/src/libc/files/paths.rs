//! Paths in the arguments of calls, and the directories from which they start.
//!
//! A relative path starts from the working directory, or from the directory of a descriptor
//! (`openat` and its like). Such a descriptor is looked up first, as in a kernel, and the path is
//! followed in a later action: in between, others may close the descriptor and change names.

use super::buffer::string;
use super::entries::working_directory;
use super::errno::{EBADF, ENOTDIR};
use super::lookup::{look, look_part, pinned};
use super::names::{self, Found, Link};
use super::operation::{After, Part, phase, refused};
use super::table::Kind;
use crate::native::{Cx, Stop};
use crate::phase::Phase;
use selvedge_model::Outcome;
use smallvec::SmallVec;

/// A path in the arguments of a call.
#[derive(Clone, Copy)]
pub(super) struct PathArgument {
    /// The argument with the descriptor of a directory.
    directory: Option<usize>,
    /// The argument with the path.
    path: usize,
}

/// A path that starts from the working directory.
pub(super) const fn plain(path: usize) -> PathArgument {
    PathArgument {
        directory: None,
        path,
    }
}

/// A path that starts from the directory of a descriptor.
pub(super) const fn below(directory: usize, path: usize) -> PathArgument {
    PathArgument {
        directory: Some(directory),
        path,
    }
}

/// `AT_FDCWD`.
const WORKING_DIRECTORY: i32 = -100;

/// The text of a path.
pub(super) fn text(cx: &mut Cx<'_>, path: PathArgument) -> Result<Vec<u8>, Stop> {
    let address = cx.word(path.path)?;
    string(cx, address, "character of a path")
}

/// The paths that start from a descriptor, with that descriptor.
fn needed(cx: &mut Cx<'_>, paths: &[PathArgument]) -> Result<SmallVec<[(usize, i32); 2]>, Stop> {
    let mut needed = SmallVec::new();
    for (index, path) in paths.iter().enumerate() {
        let text = text(cx, *path)?;
        let Some(argument) = path.directory else {
            continue;
        };
        let fd = cx.int(argument)?;
        if fd != WORKING_DIRECTORY && !matches!(text.first(), None | Some(b'/')) {
            needed.push((index, fd));
        }
    }
    Ok(needed)
}

/// The descriptor that the next part looks up; `None`: all are looked up.
fn next(cx: &mut Cx<'_>, paths: &[PathArgument]) -> Result<Option<i32>, Stop> {
    let needed = needed(cx, paths)?;
    let index = match phase(cx) {
        Phase::First => 0,
        Phase::LookedUp => 1,
        _ => return Ok(None),
    };
    Ok(needed.get(index).map(|(_, fd)| *fd))
}

/// The part that looks up a descriptor; `None`: all are looked up.
pub(super) fn look_up_part(cx: &mut Cx<'_>, paths: &[PathArgument]) -> Result<Option<Part>, Stop> {
    match next(cx, paths)? {
        Some(fd) => look_part(cx, fd).map(Some),
        None => Ok(None),
    }
}

/// Performs the part that looks up a descriptor; `None`: all are looked up.
pub(super) fn look_up(cx: &mut Cx<'_>, paths: &[PathArgument]) -> Result<Option<After>, Stop> {
    let Some(fd) = next(cx, paths)? else {
        return Ok(None);
    };
    let first = phase(cx) == Phase::First;
    match look(cx, fd) {
        Some(open) if open.kind == Kind::Directory && first => {
            cx.state.own_core(cx.thread).note = u64::from(open.file);
            Ok(Some(After::Next(Phase::LookedUp, Outcome::Done)))
        }
        Some(open) if open.kind == Kind::Directory => {
            Ok(Some(After::Next(Phase::DirectoryFound, Outcome::Done)))
        }
        Some(_) => refused(cx, ENOTDIR).map(Some),
        None => refused(cx, EBADF).map(Some),
    }
}

/// Follows a path, after all descriptors were looked up. `Core::note` is still what
/// [`look_up`] has left there.
pub(super) fn find(cx: &mut Cx<'_>, paths: &[PathArgument], index: usize, link: Link) -> Result<Found, Stop> {
    let from = start(cx, paths, index)?;
    let text = text(cx, paths[index])?;
    names::resolve_from(cx, from, &text, link)
}

/// The directory from which a path starts.
pub(super) fn start(cx: &mut Cx<'_>, paths: &[PathArgument], index: usize) -> Result<u32, Stop> {
    let needed = needed(cx, paths)?;
    match needed.iter().position(|(path, _)| *path == index) {
        None => Ok(working_directory(cx.state)),
        Some(0) => Ok(cx.state.thread(cx.thread).core.note as u32),
        Some(_) => Ok(pinned(cx)?.file),
    }
}

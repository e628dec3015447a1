//! The status and attributes of files by their paths: stat, truncate, chmod.

use super::action::{hidden, on_file};
use super::buffer;
use super::description::Status;
use super::entries;
use super::errno::{EACCES, EINVAL, EISDIR, ENOENT, EPERM};
use super::kinds;
use super::names::{self, Found, Link};
use super::operation::{After, Part, Parted, Performs, operation, phase, refused};
use super::paths::{self, PathArgument, below, plain};
use super::system;
use super::table::{self, Kind};
use crate::hidden::HiddenObject;
use crate::native::{Cx, Flow, Native, Stop};
use crate::phase::Phase;
use crate::value::Value;
use selvedge_model::{Action, MemoryOrder, Op, Outcome};

/// The models of this file.
pub(super) fn find(name: &str) -> Option<Native> {
    Some(match name {
        "stat" | "stat64" => operation!(|cx| part(cx, plain(0)), |cx| stat(cx, plain(0), 1, Link::Follow)),
        "lstat" | "lstat64" => operation!(|cx| part(cx, plain(0)), |cx| stat(cx, plain(0), 1, Link::Keep)),
        "fstatat" | "fstatat64" => operation!(|cx| part(cx, below(0, 1)), stat_at),
        "truncate" | "truncate64" => operation!(|cx| part(cx, plain(0)), truncate),
        "chmod" => operation!(|cx| part(cx, plain(0)), |cx| chmod(cx, plain(0), 1)),
        "fchmodat" => operation!(|cx| part(cx, below(0, 1)), chmod_at),
        _ => return None,
    })
}

/// Looks up the path first, then acts on its file.
fn part(cx: &mut Cx<'_>, path: PathArgument) -> Parted {
    if phase(cx) == Phase::FileFound {
        let file = cx.state.thread(cx.thread).core.note as u32;
        return Ok(Part::Act(status_action(cx, file)));
    }
    match paths::look_up_part(cx, &[path])? {
        Some(part) => Ok(part),
        None => Ok(Part::Act(hidden(cx, HiddenObject::Descriptors))),
    }
}

/// The action that reads the status of a file and the number of its names.
pub(super) fn status_action(cx: &Cx<'_>, file: u32) -> Action {
    let kind = table::kind(cx.state, file);
    let action = on_file(cx, kind, file, Op::Hidden, MemoryOrder::NotAtomic);
    if kind.description().woken_by(file).is_some() {
        // Files of this kind have no names.
        return action;
    }
    Action {
        object2: HiddenObject::Descriptors.id(),
        ..action
    }
}

/// The first parts: `Core::note` gets the number of the file. `None`: it has it already.
fn find_file(cx: &mut Cx<'_>, path: PathArgument, link: Link) -> Result<Option<After>, Stop> {
    if phase(cx) == Phase::FileFound {
        return Ok(None);
    }
    if let Some(after) = paths::look_up(cx, &[path])? {
        return Ok(Some(after));
    }
    let file = match paths::find(cx, &[path], 0, link)? {
        Found::File(file, ..) | Found::Directory(file, _) => file,
        Found::Device(_) => return Err(Flow::Unsupported("the status of a device".into())),
        found => return refused(cx, names::no_file(&found).unwrap_or(ENOENT)).map(Some),
    };
    cx.state.own_core(cx.thread).note = u64::from(file);
    Ok(Some(After::Next(Phase::FileFound, Outcome::Done)))
}

fn found(cx: &Cx<'_>) -> u32 {
    cx.state.thread(cx.thread).core.note as u32
}

fn stat(cx: &mut Cx<'_>, path: PathArgument, out: usize, link: Link) -> Performs {
    if let Some(after) = find_file(cx, path, link)? {
        return Ok(after);
    }
    let (file, out) = (found(cx), cx.word(out)?);
    write_status(cx, file, out)?;
    Ok(After::Done(0, Outcome::Done))
}

/// `AT_SYMLINK_NOFOLLOW`, and `AT_NO_AUTOMOUNT`, which makes no difference.
pub(super) const KEEP_LINK: i32 = 0x100;
const NO_AUTOMOUNT: i32 = 0x800;

fn stat_at(cx: &mut Cx<'_>) -> Performs {
    let flags = cx.int(3)?;
    if flags & !(KEEP_LINK | NO_AUTOMOUNT) != 0 {
        return Err(Flow::Unsupported(format!("fstatat with flags {flags:#x}")));
    }
    let link = match flags & KEEP_LINK {
        0 => Link::Follow,
        _ => Link::Keep,
    };
    stat(cx, below(0, 1), 2, link)
}

fn chmod(cx: &mut Cx<'_>, path: PathArgument, mode: usize) -> Performs {
    if let Some(after) = find_file(cx, path, Link::Follow)? {
        return Ok(after);
    }
    let (file, mode) = (found(cx), cx.int(mode)?);
    match change_mode(cx, file, mode)? {
        Ok(()) => Ok(After::Done(0, Outcome::Done)),
        Err(error) => refused(cx, error),
    }
}

fn chmod_at(cx: &mut Cx<'_>) -> Performs {
    let flags = cx.int(3)?;
    if flags != 0 {
        return Err(Flow::Unsupported(format!("fchmodat with flags {flags:#x}")));
    }
    chmod(cx, below(0, 1), 2)
}

/// Changes the permission bits of a file. The inner error is an error number.
pub(super) fn change_mode(cx: &mut Cx<'_>, file: u32, mode: i32) -> Result<Result<(), i32>, Stop> {
    if system::owner(file) == 0 {
        return Ok(Err(EPERM));
    }
    if !table::set_mode(cx.state, file, mode as u32 & 0o7777) {
        let what = "a change of the mode of a standard stream's file";
        return Err(Flow::Unsupported(what.into()));
    }
    Ok(Ok(()))
}

fn truncate(cx: &mut Cx<'_>) -> Performs {
    if let Some(after) = find_file(cx, plain(0), Link::Follow)? {
        return Ok(after);
    }
    let (file, length) = (found(cx), cx.word(1)? as i64);
    let Ok(length) = u64::try_from(length) else {
        return refused(cx, EINVAL);
    };
    match table::kind(cx.state, file) {
        Kind::Regular => {}
        Kind::Directory => return refused(cx, EISDIR),
        _ => return refused(cx, EINVAL),
    }
    if entries::rights(cx.state, file) & 2 == 0 {
        return refused(cx, EACCES);
    }
    kinds::truncate(cx, file, length)?;
    Ok(After::Done(0, Outcome::Done))
}

/// The size of a `struct stat` on x86-64, in bytes.
const STATUS: u64 = 144;

/// Writes the status of a file as a `struct stat`.
pub(super) fn write_status(cx: &mut Cx<'_>, file: u32, out: u64) -> Result<(), Stop> {
    let kind = table::kind(cx.state, file);
    let Status { format, length } = kind.description().status(cx.state, file)?;
    let mode = u64::from(table::mode(cx.state, file)) | format;
    let owner = u64::from(system::owner(file));
    let links = match kind {
        Kind::Directory => kinds::directory_links(cx.state, file),
        _ => table::links(cx.state, file),
    };
    buffer::access(cx, out, STATUS, true)?;
    cx.state.memory.fill(out, STATUS, Value::new(0));
    let fields = [
        (0, 1),                          // st_dev
        (8, u64::from(file)),            // st_ino
        (16, links),                     // st_nlink
        (24, mode | owner << 32),        // st_mode, st_uid
        (32, owner),                     // st_gid
        (48, length),                    // st_size
        (56, 4096),                      // st_blksize
        (64, length.div_ceil(4096) * 8), // st_blocks
    ];
    for (at, value) in fields {
        cx.state.memory.poke_checked(out + at, 8, Value::new(value));
    }
    Ok(())
}

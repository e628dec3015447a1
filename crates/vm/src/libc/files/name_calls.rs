//! Calls that change or ask for names: unlink, rename, link, mkdir, rmdir, symlink, readlink,
//! access, chdir, and their variants below a directory's descriptor.

use super::action::hidden;
use super::buffer;
use super::description::Answer;
use super::entries;
use super::errno::{EACCES, EBUSY, EEXIST, EINVAL, EISDIR, ENOENT, ENOTDIR, ENOTEMPTY, EPERM, ERANGE};
use super::lookup::{look, look_part, pinned};
use super::names::{self, Found, Last, Link, Place};
use super::operation::{After, Part, Parted, Performs, operation, phase, refused};
use super::paths::{self, PathArgument, below, plain};
use super::status::KEEP_LINK;
use super::table::{self, Kind};
use crate::hidden::HiddenObject;
use crate::native::{Cx, Flow, Native, Stop};
use crate::phase::Phase;
use selvedge_model::Outcome;

/// The model of a call with these paths. Once the descriptors of their directories are looked up,
/// it is one action on the table of names.
macro_rules! names {
    ($paths:expr, $perform:expr) => {
        operation!(
            |cx| named_part(cx, &$paths),
            |cx| match paths::look_up(cx, &$paths)? {
                Some(after) => Ok(after),
                None => $perform(cx, &$paths),
            }
        )
    };
}

/// The models of this file.
pub(super) fn find(name: &str) -> Option<Native> {
    Some(match name {
        "unlink" => names!([plain(0)], unlink),
        "rmdir" => names!([plain(0)], rmdir),
        "unlinkat" => names!([below(0, 1)], unlink_at),
        "rename" => names!([plain(0), plain(1)], rename),
        "renameat" => names!([below(0, 1), below(2, 3)], rename),
        "link" => names!([plain(0), plain(1)], |cx, p| link(cx, p, Link::Keep)),
        "linkat" => names!([below(0, 1), below(2, 3)], link_at),
        "mkdir" => names!([plain(0)], |cx, p| mkdir(cx, p, 1)),
        "mkdirat" => names!([below(0, 1)], |cx, p| mkdir(cx, p, 2)),
        "symlink" => names!([plain(1)], |cx, p| symlink(cx, p)),
        "symlinkat" => names!([below(1, 2)], |cx, p| symlink(cx, p)),
        "readlink" => names!([plain(0)], |cx, p| readlink(cx, p, 1)),
        "readlinkat" => names!([below(0, 1)], |cx, p| readlink(cx, p, 2)),
        "access" | "eaccess" | "euidaccess" => names!([plain(0)], |cx, p| access(cx, p, 1)),
        "faccessat" => names!([below(0, 1)], access_at),
        "chdir" => names!([plain(0)], chdir),
        "fchdir" => operation!(fchdir_part, fchdir),
        "__selvedge_getcwd" => names!([], getcwd),
        "umask" => crate::libc::plain!(umask),
        _ => return None,
    })
}

fn named_part(cx: &mut Cx<'_>, paths: &[PathArgument]) -> Parted {
    match paths::look_up_part(cx, paths)? {
        Some(part) => Ok(part),
        None => Ok(Part::Act(hidden(cx, HiddenObject::Descriptors))),
    }
}

const DONE: After = After::Done(0, Outcome::Done);

// ---- removing
// -------------------------------------------------------------------------------------------------

fn unlink(cx: &mut Cx<'_>, paths: &[PathArgument]) -> Performs {
    match paths::find(cx, paths, 0, Link::Name)? {
        Found::File(..) | Found::Device(_) if has_slash(cx, paths, 0)? => refused(cx, ENOTDIR),
        Found::File(_, number, directory) => match names::may_change(cx.state, directory) {
            None => {
                entries::take(cx.state, number);
                Ok(DONE)
            }
            Some(error) => refused(cx, error),
        },
        Found::Device(_) => refused(cx, EACCES),
        found => refused(cx, names::no_file(&found).unwrap_or(EPERM)),
    }
}

/// Whether a slash follows the last name of a path.
fn has_slash(cx: &mut Cx<'_>, paths: &[PathArgument], index: usize) -> Result<bool, Stop> {
    Ok(paths::text(cx, paths[index])?.ends_with(b"/"))
}

fn rmdir(cx: &mut Cx<'_>, paths: &[PathArgument]) -> Performs {
    let (number, within, file) = match paths::find(cx, paths, 0, Link::Name)? {
        Found::Directory(_, Last::Dot) => return refused(cx, EINVAL),
        Found::Directory(_, Last::DotDot) => return refused(cx, ENOTEMPTY),
        Found::Directory(file, Last::Name(number, within)) => (number, within, file),
        Found::File(..) | Found::Device(_) => return refused(cx, ENOTDIR),
        found => return refused(cx, names::no_file(&found).unwrap_or(EPERM)),
    };
    if let Some(error) = names::may_change(cx.state, within) {
        return refused(cx, error);
    }
    if !entries::is_empty(cx.state, file) {
        return refused(cx, ENOTEMPTY);
    }
    let Some(number) = number else {
        let what = "removing the working directory of the start";
        return Err(Flow::Unsupported(what.into()));
    };
    entries::take(cx.state, number);
    Ok(DONE)
}

/// `AT_REMOVEDIR`.
const DIRECTORY: i32 = 0x200;

fn unlink_at(cx: &mut Cx<'_>, paths: &[PathArgument]) -> Performs {
    match cx.int(2)? {
        0 => unlink(cx, paths),
        DIRECTORY => rmdir(cx, paths),
        _ => refused(cx, EINVAL),
    }
}

// ---- renaming and linking
// -------------------------------------------------------------------------------------------------

/// What a path names, for a call that renames: all but what makes any renaming fail.
enum Named {
    File(u32, u32, u32),
    /// The entry is `None` for a directory that always exists.
    Directory(u32, Option<u32>, u32),
    Nothing(Place),
}

impl Named {
    /// The file, its entry and the directory of that.
    fn file(&self) -> Option<(u32, Option<u32>, u32)> {
        match *self {
            Named::File(file, number, within) => Some((file, Some(number), within)),
            Named::Directory(file, number, within) => Some((file, number, within)),
            Named::Nothing(_) => None,
        }
    }
}

/// What a path names. The inner error is an error number.
fn named(found: Found) -> Answer<Named> {
    Ok(Ok(match found {
        Found::File(file, number, within) => Named::File(file, number, within),
        Found::Directory(file, Last::Name(number, within)) => Named::Directory(file, number, within),
        Found::Directory(_, Last::Dot | Last::DotDot) => return Ok(Err(EBUSY)),
        Found::Nothing(place) => Named::Nothing(place),
        Found::Device(_) => return Err(Flow::Unsupported("renaming a device".into())),
        Found::Error(error) => return Ok(Err(error)),
    }))
}

fn rename(cx: &mut Cx<'_>, paths: &[PathArgument]) -> Performs {
    let old = paths::find(cx, paths, 0, Link::Name)?;
    let new = paths::find(cx, paths, 1, Link::Name)?;
    for found in [&old, &new] {
        if let Found::Error(error) = found {
            return refused(cx, *error);
        }
    }
    let slashes = has_slash(cx, paths, 0)? || has_slash(cx, paths, 1)?;
    match change_name(cx, paths, (old, new), slashes)? {
        Ok(()) => Ok(DONE),
        Err(error) => refused(cx, error),
    }
}

/// Renames what was found, with the checks in the order of Linux.
fn change_name(
    cx: &mut Cx<'_>,
    paths: &[PathArgument],
    (old, new): (Found, Found),
    slashes: bool,
) -> Answer<()> {
    let (old, new) = match (named(old)?, named(new)?) {
        (Ok(old), Ok(new)) => (old, new),
        (Err(error), _) | (_, Err(error)) => return Ok(Err(error)),
    };
    let Some((file, number, within)) = old.file() else {
        return Ok(Err(ENOENT));
    };
    let directory = matches!(old, Named::Directory(..));
    if slashes && !directory {
        return Ok(Err(ENOTDIR));
    }
    let (to, name) = match &new {
        Named::Nothing(place) => (place.directory, place.name.clone()),
        Named::File(_, _, within) | Named::Directory(_, _, within) => (*within, name_of(cx, paths)?),
    };
    if directory && entries::is_below(cx.state, to, file) {
        return Ok(Err(EINVAL));
    }
    if let Named::Directory(other, ..) = new
        && entries::is_below(cx.state, within, other)
    {
        return Ok(Err(ENOTEMPTY));
    }
    if new.file().is_some_and(|(other, ..)| other == file) {
        return Ok(Ok(()));
    }
    for changed in [within, to] {
        if let Some(error) = names::may_change(cx.state, changed) {
            return Ok(Err(error));
        }
    }
    match new {
        Named::File(..) if directory => return Ok(Err(ENOTDIR)),
        Named::Directory(..) if !directory => return Ok(Err(EISDIR)),
        Named::Directory(other, ..) if !entries::is_empty(cx.state, other) => return Ok(Err(ENOTEMPTY)),
        _ => {}
    }
    let always = || Flow::Unsupported("renaming a directory that always exists".into());
    if let Some((_, replaced, _)) = new.file() {
        entries::take(cx.state, replaced.ok_or_else(always)?);
    }
    entries::take(cx.state, number.ok_or_else(always)?);
    entries::give(cx, to, &name, file)?;
    Ok(Ok(()))
}

/// The last component of the second path.
fn name_of(cx: &mut Cx<'_>, paths: &[PathArgument]) -> Result<Vec<u8>, Stop> {
    let text = paths::text(cx, paths[1])?;
    let mut parts = text.rsplit(|&byte| byte == b'/');
    Ok(parts.find(|part| !part.is_empty()).unwrap_or_default().to_vec())
}

fn link(cx: &mut Cx<'_>, paths: &[PathArgument], link: Link) -> Performs {
    let old = paths::find(cx, paths, 0, link)?;
    if let Found::Nothing(_) | Found::Error(_) = old {
        return refused(cx, names::no_file(&old).unwrap_or(ENOENT));
    }
    let place = match new_place(cx, paths, 1)? {
        Ok(place) if place.slash => return refused(cx, ENOENT),
        Ok(place) => place,
        Err(error) => return refused(cx, error),
    };
    let file = match old {
        Found::File(file, ..) => file,
        Found::Device(_) => return Err(Flow::Unsupported("a link to a device".into())),
        _ => return refused(cx, EPERM),
    };
    if let Some(error) = names::may_change(cx.state, place.directory) {
        return refused(cx, error);
    }
    entries::give(cx, place.directory, &place.name, file)?;
    Ok(DONE)
}

/// `AT_SYMLINK_FOLLOW`.
const FOLLOW_LINK: i32 = 0x400;

fn link_at(cx: &mut Cx<'_>, paths: &[PathArgument]) -> Performs {
    match cx.int(4)? {
        0 => link(cx, paths, Link::Keep),
        FOLLOW_LINK => link(cx, paths, Link::Follow),
        flags => Err(Flow::Unsupported(format!("linkat with flags {flags:#x}"))),
    }
}

// ---- creating
// -------------------------------------------------------------------------------------------------

/// The place of a name that is to be created. The inner error is an error number.
fn new_place(cx: &mut Cx<'_>, paths: &[PathArgument], index: usize) -> Answer<Place> {
    Ok(match paths::find(cx, paths, index, Link::Name)? {
        Found::Nothing(place) => Ok(place),
        Found::File(..) | Found::Directory(..) | Found::Device(_) => Err(EEXIST),
        Found::Error(error) => Err(error),
    })
}

fn mkdir(cx: &mut Cx<'_>, paths: &[PathArgument], mode: usize) -> Performs {
    let mode = cx.int(mode)? as u32 & 0o1777 & !super::open::mask(cx.state);
    let place = match new_place(cx, paths, 0)? {
        Ok(place) => place,
        Err(error) => return refused(cx, error),
    };
    match names::create(cx, &place, Kind::Directory, mode)? {
        Ok(_) => Ok(DONE),
        Err(error) => refused(cx, error),
    }
}

fn symlink(cx: &mut Cx<'_>, paths: &[PathArgument]) -> Performs {
    let target = paths::text(cx, plain(0))?;
    if target.is_empty() {
        return refused(cx, ENOENT);
    }
    if target.len() >= names::PATH_MAX {
        return refused(cx, super::errno::ENAMETOOLONG);
    }
    let place = match new_place(cx, paths, 0)? {
        Ok(place) if place.slash => return refused(cx, ENOENT),
        Ok(place) => place,
        Err(error) => return refused(cx, error),
    };
    match names::create(cx, &place, Kind::Link, 0o777)? {
        Ok(file) => {
            names::set_target(cx, file, &target)?;
            Ok(DONE)
        }
        Err(error) => refused(cx, error),
    }
}

// ---- asking
// -------------------------------------------------------------------------------------------------

fn readlink(cx: &mut Cx<'_>, paths: &[PathArgument], out: usize) -> Performs {
    let (to, size) = (cx.word(out)?, cx.word(out + 1)?);
    if size as i64 <= 0 {
        return refused(cx, EINVAL);
    }
    let file = match paths::find(cx, paths, 0, Link::Keep)? {
        Found::File(file, ..) if table::kind(cx.state, file) == Kind::Link => file,
        Found::File(..) | Found::Device(_) | Found::Directory(..) => return refused(cx, EINVAL),
        found => return refused(cx, names::no_file(&found).unwrap_or(ENOENT)),
    };
    let mut target = names::target(cx.state, file);
    target.truncate(size as usize);
    write_bytes(cx, to, &target)?;
    Ok(After::Done(target.len() as u64, Outcome::Done))
}

fn write_bytes(cx: &mut Cx<'_>, to: u64, bytes: &[u8]) -> Result<(), Stop> {
    buffer::access(cx, to, bytes.len() as u64, true)?;
    entries::poke(cx.state, to, bytes);
    Ok(())
}

fn access(cx: &mut Cx<'_>, paths: &[PathArgument], wanted: usize) -> Performs {
    let wanted = cx.int(wanted)? as u32;
    if wanted > 7 {
        return refused(cx, EINVAL);
    }
    let granted = match paths::find(cx, paths, 0, Link::Follow)? {
        Found::File(file, ..) | Found::Directory(file, _) => entries::rights(cx.state, file),
        Found::Device(_) => 6,
        found => return refused(cx, names::no_file(&found).unwrap_or(ENOENT)),
    };
    match wanted & !granted {
        0 => Ok(DONE),
        _ => refused(cx, EACCES),
    }
}

/// `AT_EACCESS`: real and effective users are the same.
const EFFECTIVE: i32 = 0x200;

fn access_at(cx: &mut Cx<'_>, paths: &[PathArgument]) -> Performs {
    match cx.int(3)? {
        0 | EFFECTIVE => access(cx, paths, 2),
        flags if flags & !(EFFECTIVE | KEEP_LINK) != 0 => refused(cx, EINVAL),
        flags => Err(Flow::Unsupported(format!("faccessat with flags {flags:#x}"))),
    }
}

fn umask(cx: &mut Cx<'_>) -> crate::libc::Answer {
    let (before, mask) = (super::open::mask(cx.state), cx.int(0)? as u32 & 0o777);
    // It belongs to the process, and other threads may create files.
    if mask != before && !super::operation::alone(cx) {
        let what = format!("umask({mask:#o}) while there are several threads");
        return Err(Flow::Unsupported(what));
    }
    super::open::set_mask(cx.state, mask);
    Ok(Flow::int(before as i32))
}

// ---- the working directory
// -------------------------------------------------------------------------------------------------

fn chdir(cx: &mut Cx<'_>, paths: &[PathArgument]) -> Performs {
    match paths::find(cx, paths, 0, Link::Follow)? {
        Found::Directory(file, _) => enter(cx, file),
        Found::File(..) | Found::Device(_) => refused(cx, ENOTDIR),
        found => refused(cx, names::no_file(&found).unwrap_or(ENOENT)),
    }
}

fn enter(cx: &mut Cx<'_>, directory: u32) -> Performs {
    if entries::rights(cx.state, directory) & 1 == 0 {
        return refused(cx, EACCES);
    }
    entries::set_working_directory(cx.state, directory);
    Ok(DONE)
}

/// Looks up the descriptor, then changes the working directory.
fn fchdir_part(cx: &mut Cx<'_>) -> Parted {
    if phase(cx) == Phase::First {
        let fd = cx.int(0)?;
        return look_part(cx, fd);
    }
    Ok(Part::Act(hidden(cx, HiddenObject::Descriptors)))
}

fn fchdir(cx: &mut Cx<'_>) -> Performs {
    if phase(cx) == Phase::First {
        let fd = cx.int(0)?;
        return match look(cx, fd) {
            Some(open) if open.kind == Kind::Directory => Ok(After::Next(Phase::LookedUp, Outcome::Done)),
            Some(_) => refused(cx, ENOTDIR),
            None => refused(cx, super::errno::EBADF),
        };
    }
    let file = pinned(cx)?.file;
    enter(cx, file)
}

/// `__selvedge_getcwd(char *buffer, size_t size)`: the length of the path, without its end.
fn getcwd(cx: &mut Cx<'_>, _: &[PathArgument]) -> Performs {
    let (to, size) = (cx.word(0)?, cx.word(1)?);
    let Some(mut path) = entries::path(cx.state, entries::working_directory(cx.state)) else {
        return refused(cx, ENOENT);
    };
    path.push(0);
    if path.len() as u64 > size {
        return refused(cx, ERANGE);
    }
    write_bytes(cx, to, &path)?;
    Ok(After::Done(path.len() as u64 - 1, Outcome::Done))
}

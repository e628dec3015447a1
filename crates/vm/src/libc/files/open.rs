//! Operations that add and remove names and descriptors: open, unlink, rename, access, stat.

use super::action::{cancelable, hidden, on_file};
use super::buffer::{self, string};
use super::content::{APPEND, NONBLOCK};
use super::description::{Answer, Status};
use super::errno::{EACCES, EEXIST, EINVAL, EISDIR, EMFILE, ENOENT, ENXIO, EPERM};
use super::kinds;
use super::names::{self, Found};
use super::operation::{After, Part, Parted, Performs, operation, phase, refused};
use super::table::{self, Kind};
use crate::hidden::HiddenObject;
use crate::native::{Cx, Flow, Native, Stop};
use crate::phase::Phase;
use crate::value::Value;
use selvedge_model::{Action, MemoryOrder, Op, Outcome};

/// The models of this file.
pub(super) fn find(name: &str) -> Option<Native> {
    Some(match name {
        "open" | "open64" => operation!(|cx| open_part(cx, 0), |cx| open(cx, 0, Mode::Flags(1))),
        "openat" | "openat64" => operation!(|cx| open_part(cx, 1), |cx| open(cx, 1, Mode::Flags(2))),
        "creat" | "creat64" => operation!(|cx| open_part(cx, 0), |cx| open(cx, 0, Mode::Create(1))),
        "unlink" => operation!(|cx| name_part(cx, 0), unlink),
        "remove" => operation!(|cx| name_part(cx, 0), unlink),
        "rename" => operation!(|cx| name_part(cx, 1), rename),
        "access" | "eaccess" | "euidaccess" => operation!(|cx| name_part(cx, 0), access),
        "stat" | "stat64" | "lstat" | "lstat64" => operation!(stat_part, stat),
        "truncate" | "truncate64" => operation!(stat_part, truncate),
        "chmod" => operation!(stat_part, chmod),
        "umask" => crate::libc::plain!(umask),
        _ => return None,
    })
}

// ---- open
// -------------------------------------------------------------------------------------------------

const CREATE: u32 = 0o100;
const EXCLUSIVE: u32 = 0o200;
const TRUNCATE: u32 = 0o1000;
const DIRECTORY: u32 = 0o200_000;
const PATH_ONLY: u32 = 0o10_000_000;
const TEMPORARY: u32 = 0o20_000_000;
const WORKING_DIRECTORY: i32 = -100;
/// The default file mode mask of the process.
pub(super) const MASK: u32 = 0o022;

/// The positions of the flags and of the mode in the arguments.
#[derive(Clone, Copy)]
enum Mode {
    /// The flags are in this argument; the mode, if needed, is in the next one.
    Flags(usize),
    /// The flags of creat; the mode is in this argument.
    Create(usize),
}

/// The way to open a file.
#[derive(Clone, Copy)]
pub(super) struct How {
    /// For reading.
    pub readable: bool,
    /// For writing.
    pub writable: bool,
    /// Create it with this mode if it does not exist.
    pub create: Option<u32>,
    /// Fail if it exists.
    pub exclusive: bool,
    /// Truncate it to length 0.
    pub truncate: bool,
    /// `O_APPEND`, `O_NONBLOCK`.
    pub flags: u64,
}

fn how(cx: &mut Cx<'_>, mode: Mode) -> Result<How, Stop> {
    let (flags, mode) = match mode {
        Mode::Flags(at) => {
            let flags = cx.int(at)? as u32;
            let mode = if flags & CREATE != 0 {
                cx.int(at + 1)? as u32
            } else {
                0
            };
            (flags, mode)
        }
        Mode::Create(at) => (0o1 | CREATE | TRUNCATE, cx.int(at)? as u32),
    };
    if flags & (PATH_ONLY | TEMPORARY) == PATH_ONLY || flags & TEMPORARY != 0 {
        return Err(Flow::Unsupported(format!("open with flags {flags:#o}")));
    }
    Ok(How {
        readable: matches!(flags & 3, 0 | 2),
        writable: matches!(flags & 3, 1 | 2),
        create: (flags & CREATE != 0).then_some(mode & 0o7777 & !MASK),
        exclusive: flags & (CREATE | EXCLUSIVE) == CREATE | EXCLUSIVE,
        truncate: flags & TRUNCATE != 0,
        flags: u64::from(flags) & (APPEND | NONBLOCK),
    })
}

/// The first and the last part of an operation that opens a file. For the last part, `Core::note`
/// has the descriptor and the open file.
pub(super) fn open_part(cx: &mut Cx<'_>, path: usize) -> Parted {
    if phase(cx) == Phase::First {
        let address = cx.word(path)?;
        string(cx, address, "character of a path")?;
        return Ok(cancelable(cx, hidden(cx, HiddenObject::Descriptors)));
    }
    install_part(cx)
}

/// The last part of an operation that makes an open file.
pub(super) fn install_part(cx: &mut Cx<'_>) -> Parted {
    let (fd, open) = noted(cx);
    let file = table::open_file(cx.state, open).file;
    Ok(Part::Act(Action {
        object2: HiddenObject::File(file).id(),
        ..hidden(cx, HiddenObject::Descriptor(fd))
    }))
}

/// The descriptor and the open file in `Core::note`.
fn noted(cx: &Cx<'_>) -> (u32, u32) {
    let note = cx.state.thread(cx.thread).core.note;
    (note as u32 & 0xffff, (note >> 16) as u32)
}

/// The open file to be installed.
pub(super) fn opened(cx: &Cx<'_>) -> u32 {
    noted(cx).1
}

fn open(cx: &mut Cx<'_>, path: usize, mode: Mode) -> Performs {
    if phase(cx) != Phase::First {
        let how = how(cx, mode)?;
        let fd = install(cx, how.truncate && how.writable)?;
        return Ok(After::Done(u64::from(fd), Outcome::Done));
    }
    let address = cx.word(path)?;
    let text = string(cx, address, "character of a path")?;
    if path == 1 && cx.int(0)? != WORKING_DIRECTORY && text.first() != Some(&b'/') {
        return Err(Flow::Unsupported("openat below a directory".into()));
    }
    if let Mode::Flags(at) = mode
        && cx.int(at)? as u32 & DIRECTORY != 0
    {
        return Err(Flow::Unsupported("opening a directory".into()));
    }
    let how = how(cx, mode)?;
    match begin(cx, &text, how)? {
        Ok(()) => Ok(After::Next(Phase::Reserved, Outcome::Done)),
        Err(error) => refused(cx, error),
    }
}

/// Finds or creates the file and reserves a descriptor. Stores the descriptor and the open file in
/// `Core::note`. The inner error is an error number.
pub(super) fn begin(cx: &mut Cx<'_>, path: &[u8], how: How) -> Answer<()> {
    let found = names::resolve(cx, path)?;
    let file = match found {
        Found::File(..) | Found::Device(_) if how.exclusive => return Ok(Err(EEXIST)),
        Found::File(file, _) if table::kind(cx.state, file) != Kind::Regular => return Ok(Err(ENXIO)),
        Found::File(file, _) => {
            let mode = table::mode(cx.state, file);
            if how.readable && mode & 0o400 == 0 || how.writable && mode & 0o200 == 0 {
                return Ok(Err(EACCES));
            }
            file
        }
        Found::Device(kind) => table::new_file(cx.state, kind, 0o666).ok_or_else(names::too_many)?,
        Found::Directory if how.writable || how.create.is_some() => return Ok(Err(EISDIR)),
        Found::Directory => return Err(Flow::Unsupported("opening a directory".into())),
        Found::Nothing(name) => match how.create {
            Some(mode) => names::create(cx, &name, mode)?,
            None => return Ok(Err(ENOENT)),
        },
        Found::Error(error) => {
            return Ok(Err(if how.create.is_some() {
                error
            } else {
                missing(error)
            }));
        }
    };
    reserve(cx, file, how)
}

/// Reserves a descriptor for a file and opens the file. Stores both in `Core::note`. The inner
/// error is an error number.
pub(super) fn reserve(cx: &mut Cx<'_>, file: u32, how: How) -> Answer<()> {
    let Some(fd) = table::reserve(cx.state, 0) else {
        return Ok(Err(EMFILE));
    };
    let open =
        table::new_open_file(cx.state, file, how.readable, how.writable).ok_or_else(names::too_many)?;
    if how.flags != 0 {
        table::set_flags(cx.state, open, how.flags);
    }
    cx.state.own_core(cx.thread).note = u64::from(fd) | u64::from(open) << 16;
    Ok(Ok(()))
}

/// The error for a missing file: a file that may not be created does not exist either.
fn missing(error: i32) -> i32 {
    if error == EACCES { ENOENT } else { error }
}

/// The last part: makes the descriptor refer to the open file.
pub(super) fn install(cx: &mut Cx<'_>, truncate: bool) -> Result<u32, Stop> {
    let (fd, open) = noted(cx);
    let it = table::open_file(cx.state, open);
    if truncate {
        it.description().emptied(cx, it.file)?;
    }
    table::set_descriptor(cx.state, fd, Some(open));
    Ok(fd)
}

// ---- names
// -------------------------------------------------------------------------------------------------

/// An operation on the table of names only. The arguments up to `last` are paths.
fn name_part(cx: &mut Cx<'_>, last: usize) -> Parted {
    for path in 0..=last {
        let address = cx.word(path)?;
        string(cx, address, "character of a path")?;
    }
    Ok(Part::Act(hidden(cx, HiddenObject::Descriptors)))
}

fn path(cx: &mut Cx<'_>, at: usize) -> Result<Vec<u8>, Stop> {
    let address = cx.word(at)?;
    string(cx, address, "character of a path")
}

fn unlink(cx: &mut Cx<'_>) -> Performs {
    let path = path(cx, 0)?;
    match names::resolve(cx, &path)? {
        Found::File(_, number) => {
            names::take_name(cx, number);
            Ok(After::Done(0, Outcome::Done))
        }
        Found::Device(_) => refused(cx, EACCES),
        Found::Directory => Err(Flow::Unsupported("removing a directory".into())),
        found => refused(cx, names::no_file(&found).unwrap_or(EPERM)),
    }
}

fn rename(cx: &mut Cx<'_>) -> Performs {
    let (old, new) = (path(cx, 0)?, path(cx, 1)?);
    let (file, number) = match names::resolve(cx, &old)? {
        Found::File(file, number) => (file, number),
        Found::Device(_) | Found::Directory => {
            return Err(Flow::Unsupported("renaming a directory or device".into()));
        }
        found => return refused(cx, names::no_file(&found).unwrap_or(EPERM)),
    };
    let name = match names::resolve(cx, &new)? {
        Found::File(other, _) if other == file => return Ok(After::Done(0, Outcome::Done)),
        Found::File(_, other) => {
            names::take_name(cx, other);
            None
        }
        Found::Nothing(name) => Some(name),
        Found::Directory => return refused(cx, EISDIR),
        Found::Device(_) => return refused(cx, EACCES),
        Found::Error(error) => return refused(cx, error),
    };
    let name = match name {
        Some(name) => name,
        None => match names::resolve(cx, &new)? {
            Found::Nothing(name) => name,
            _ => return refused(cx, EPERM),
        },
    };
    names::take_name(cx, number);
    names::give_name(cx, &name, file)?;
    table::set_links(cx.state, file, 1);
    Ok(After::Done(0, Outcome::Done))
}

fn access(cx: &mut Cx<'_>) -> Performs {
    let (path, wanted) = (path(cx, 0)?, cx.int(1)? as u32);
    if wanted > 7 {
        return refused(cx, EINVAL);
    }
    let mode = match names::resolve(cx, &path)? {
        Found::File(file, _) => table::mode(cx.state, file),
        Found::Device(_) => 0o666,
        Found::Directory => 0o777,
        found => return refused(cx, names::no_file(&found).unwrap_or(ENOENT)),
    };
    let granted = if matches!(mode, 0o666 | 0o777) {
        mode
    } else {
        mode >> 6
    } & 7;
    if wanted & !granted == 0 {
        Ok(After::Done(0, Outcome::Done))
    } else {
        refused(cx, EACCES)
    }
}

fn umask(cx: &mut Cx<'_>) -> crate::libc::Answer {
    // The mask belongs to the process. A mask other than the default would be shared state.
    match cx.int(0)? as u32 & 0o777 {
        MASK => Ok(Flow::int(MASK as i32)),
        mask => Err(Flow::Unsupported(format!("umask({mask:#o})"))),
    }
}

// ---- stat
// -------------------------------------------------------------------------------------------------

/// Looks up the path first, then reads the status of its file.
fn stat_part(cx: &mut Cx<'_>) -> Parted {
    if phase(cx) == Phase::First {
        return name_part(cx, 0);
    }
    let file = cx.state.thread(cx.thread).core.note as u32;
    Ok(Part::Act(status_action(cx, file)))
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

/// The first part of `stat` and `truncate`: stores the number of the file in `Core::note`.
fn find_file(cx: &mut Cx<'_>) -> Performs {
    let path = path(cx, 0)?;
    let file = match names::resolve(cx, &path)? {
        Found::File(file, _) => file,
        Found::Device(_) | Found::Directory => {
            return Err(Flow::Unsupported("the status of a directory or device".into()));
        }
        found => return refused(cx, names::no_file(&found).unwrap_or(ENOENT)),
    };
    cx.state.own_core(cx.thread).note = u64::from(file);
    Ok(After::Next(Phase::FileFound, Outcome::Done))
}

fn stat(cx: &mut Cx<'_>) -> Performs {
    if phase(cx) == Phase::First {
        return find_file(cx);
    }
    let (file, out) = (cx.state.thread(cx.thread).core.note as u32, cx.word(1)?);
    write_status(cx, file, out)?;
    Ok(After::Done(0, Outcome::Done))
}

fn chmod(cx: &mut Cx<'_>) -> Performs {
    if phase(cx) == Phase::First {
        return find_file(cx);
    }
    let (file, mode) = (cx.state.thread(cx.thread).core.note as u32, cx.int(1)?);
    change_mode(cx, file, mode)?;
    Ok(After::Done(0, Outcome::Done))
}

/// Changes the permission bits of a file. All files belong to the process, so it may do this.
pub(super) fn change_mode(cx: &mut Cx<'_>, file: u32, mode: i32) -> Result<(), Stop> {
    if !table::set_mode(cx.state, file, mode as u32 & 0o7777) {
        let what = "a change of the mode of a standard stream's file";
        return Err(Flow::Unsupported(what.into()));
    }
    Ok(())
}

fn truncate(cx: &mut Cx<'_>) -> Performs {
    if phase(cx) == Phase::First {
        return find_file(cx);
    }
    let (file, length) = (cx.state.thread(cx.thread).core.note as u32, cx.word(1)? as i64);
    let Ok(length) = u64::try_from(length) else {
        return refused(cx, EINVAL);
    };
    if table::mode(cx.state, file) & 0o200 == 0 {
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
    let (user, group) = (1000u64, 1000u64);
    buffer::access(cx, out, STATUS, true)?;
    cx.state.memory.fill(out, STATUS, Value::new(0));
    let fields = [
        (0, 1),                             // st_dev
        (8, u64::from(file)),               // st_ino
        (16, table::links(cx.state, file)), // st_nlink
        (24, mode | user << 32),            // st_mode, st_uid
        (32, group),                        // st_gid
        (48, length),                       // st_size
        (56, 4096),                         // st_blksize
        (64, length.div_ceil(4096) * 8),    // st_blocks
    ];
    for (at, value) in fields {
        cx.state.memory.poke_checked(out + at, 8, Value::new(value));
    }
    Ok(())
}

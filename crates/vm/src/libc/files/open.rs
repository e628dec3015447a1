//! Opening files: open, openat, creat, and files without a name.

use super::action::{cancelable, hidden};
use super::content::{APPEND, CLOSE_ON_EXEC, NONBLOCK, too_many};
use super::description::Answer;
use super::entries;
use super::errno::{EACCES, EEXIST, EISDIR, ELOOP, EMFILE, ENOENT, ENOTDIR, ENXIO};
use super::names::{self, Found, Link};
use super::operation::{After, Part, Parted, Performs, operation, phase, refused};
use super::paths::{self, PathArgument, below, plain};
use super::table::{self, Kind};
use crate::hidden::HiddenObject;
use crate::native::{Cx, Flow, Native, Stop};
use crate::phase::Phase;
use crate::state::State;
use crate::word::WordKey;
use selvedge_model::{Action, Outcome};

/// The models of this file.
pub(super) fn find(name: &str) -> Option<Native> {
    Some(match name {
        "open" | "open64" => operation!(|cx| open_part(cx, plain(0)), |cx| open(
            cx,
            plain(0),
            Mode::Flags(1)
        )),
        "openat" | "openat64" => operation!(|cx| open_part(cx, below(0, 1)), |cx| open(
            cx,
            below(0, 1),
            Mode::Flags(2)
        )),
        "creat" | "creat64" => operation!(|cx| open_part(cx, plain(0)), |cx| open(
            cx,
            plain(0),
            Mode::Create(1)
        )),
        "__selvedge_unnamed_file" => operation!(unnamed_part, unnamed),
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
const NO_LINK: u32 = 0o400_000;
/// The file mode mask of the process at the start.
const MASK: u32 = 0o022;

/// The rights that files are created without.
pub(super) fn mask(state: &State) -> u32 {
    state.word(WordKey::FileMask) as u32 ^ MASK
}

/// Sets them.
pub(super) fn set_mask(state: &mut State, mask: u32) {
    state.set_word(WordKey::FileMask, u64::from(mask ^ MASK));
}

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
    /// Fail if it is no directory.
    pub directory: bool,
    /// Fail if it is a symbolic link.
    pub no_link: bool,
    /// `O_APPEND`, `O_NONBLOCK`, `O_CLOEXEC`.
    pub flags: u64,
}

impl How {
    /// For what has no name: for reading and writing, with these flags.
    pub const fn unnamed(flags: u64) -> How {
        How {
            readable: true,
            writable: true,
            create: None,
            exclusive: false,
            truncate: false,
            directory: false,
            no_link: false,
            flags,
        }
    }
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
        create: (flags & CREATE != 0).then_some(mode & 0o7777 & !mask(cx.state)),
        exclusive: flags & (CREATE | EXCLUSIVE) == CREATE | EXCLUSIVE,
        truncate: flags & TRUNCATE != 0,
        directory: flags & DIRECTORY != 0,
        no_link: flags & NO_LINK != 0,
        flags: u64::from(flags) & (APPEND | NONBLOCK | CLOSE_ON_EXEC),
    })
}

/// The parts of an operation that opens a file. For the last part, `Core::note` has the descriptor
/// and the open file.
pub(super) fn open_part(cx: &mut Cx<'_>, path: PathArgument) -> Parted {
    if phase(cx) == Phase::Reserved {
        return install_part(cx);
    }
    let part = match paths::look_up_part(cx, &[path])? {
        Some(part) => part,
        None => Part::Act(hidden(cx, HiddenObject::Descriptors)),
    };
    match part {
        Part::Act(action) if phase(cx) == Phase::First => Ok(cancelable(cx, action)),
        part => Ok(part),
    }
}

/// The last part of an operation that makes an open file.
pub(super) fn install_part(cx: &mut Cx<'_>) -> Parted {
    let (fd, open) = noted(cx);
    if fd >= table::MAX_DESCRIPTORS {
        // Nobody else knows the number yet.
        return Ok(Part::Now);
    }
    let file = table::open_file(cx.state, open).file;
    Ok(Part::Act(Action {
        object2: HiddenObject::File(file).id(),
        ..hidden(cx, HiddenObject::Descriptor(fd))
    }))
}

/// The descriptor and the open file in `Core::note`.
/// The place in `Core::note` of whether the descriptor is closed by exec.
const NOTED_CLOSES: u32 = 63;

fn noted(cx: &Cx<'_>) -> (u32, u32) {
    let note = cx.state.thread(cx.thread).core.note;
    (note as u32 & 0xffff, (note >> 16) as u32)
}

/// The open file to be installed.
pub(super) fn opened(cx: &Cx<'_>) -> u32 {
    noted(cx).1
}

fn open(cx: &mut Cx<'_>, path: PathArgument, mode: Mode) -> Performs {
    if phase(cx) == Phase::Reserved {
        let how = how(cx, mode)?;
        let fd = install(cx, how.truncate && how.writable)?;
        return Ok(After::Done(u64::from(fd), Outcome::Done));
    }
    if let Some(after) = paths::look_up(cx, &[path])? {
        return Ok(after);
    }
    let how = how(cx, mode)?;
    match begin(cx, path, how)? {
        Ok(()) => Ok(After::Next(Phase::Reserved, Outcome::Done)),
        Err(error) => refused(cx, error),
    }
}

fn unnamed_part(cx: &mut Cx<'_>) -> Parted {
    match phase(cx) {
        Phase::Reserved => install_part(cx),
        _ => Ok(Part::Act(hidden(cx, HiddenObject::Descriptors))),
    }
}

/// `__selvedge_unnamed_file(flags)`: a descriptor of an empty regular file that has no name.
fn unnamed(cx: &mut Cx<'_>) -> Performs {
    if phase(cx) == Phase::Reserved {
        let fd = install(cx, false)?;
        return Ok(After::Done(u64::from(fd), Outcome::Done));
    }
    let how = How::unnamed(cx.int(0)? as u32 as u64 & CLOSE_ON_EXEC);
    let file = table::new_file(cx.state, Kind::Regular, 0o777).ok_or_else(too_many)?;
    match reserve(cx, file, how)? {
        Ok(()) => Ok(After::Next(Phase::Reserved, Outcome::Done)),
        Err(error) => refused(cx, error),
    }
}

/// Finds or creates the file and reserves a descriptor. Stores the descriptor and the open file in
/// `Core::note`. The inner error is an error number.
pub(super) fn begin(cx: &mut Cx<'_>, path: PathArgument, how: How) -> Answer<()> {
    if how.directory && how.create.is_some() {
        return Err(Flow::Unsupported("open with O_CREAT and O_DIRECTORY".into()));
    }
    if how.create.is_some() && paths::text(cx, path)?.ends_with(b"/") {
        return Ok(Err(match paths::find(cx, &[path], 0, Link::Name)? {
            Found::Error(error) => error,
            _ => EISDIR,
        }));
    }
    let link = match how.exclusive || how.no_link {
        true => Link::Keep,
        false => Link::Follow,
    };
    let file = match paths::find(cx, &[path], 0, link)? {
        Found::File(..) | Found::Device(_) | Found::Directory(..) if how.exclusive => {
            return Ok(Err(EEXIST));
        }
        Found::File(file, ..) => match openable(cx, file, how) {
            Some(error) => return Ok(Err(error)),
            None => file,
        },
        Found::Device(_) if how.directory => return Ok(Err(ENOTDIR)),
        Found::Device(kind) => table::new_file(cx.state, kind, 0o666).ok_or_else(too_many)?,
        Found::Directory(..) if how.writable || how.create.is_some() => return Ok(Err(EISDIR)),
        Found::Directory(file, _) if entries::rights(cx.state, file) & 4 == 0 => return Ok(Err(EACCES)),
        Found::Directory(file, _) => file,
        Found::Nothing(place) => match how.create {
            Some(mode) => match names::create(cx, &place, Kind::Regular, mode)? {
                Ok(file) => file,
                Err(error) => return Ok(Err(error)),
            },
            None => return Ok(Err(ENOENT)),
        },
        Found::Error(error) => return Ok(Err(error)),
    };
    reserve(cx, file, how)
}

/// The error number if a file that is neither a directory nor a device cannot be opened.
fn openable(cx: &Cx<'_>, file: u32, how: How) -> Option<i32> {
    let kind = table::kind(cx.state, file);
    let wanted = u32::from(how.readable) * 4 + u32::from(how.writable) * 2;
    match kind {
        Kind::Link => Some(if how.directory { ENOTDIR } else { ELOOP }),
        _ if how.directory => Some(ENOTDIR),
        _ if entries::rights(cx.state, file) & wanted != wanted => Some(EACCES),
        Kind::Regular => None,
        _ => Some(ENXIO),
    }
}

/// Reserves a descriptor for a file and opens the file. Stores both in `Core::note`. The inner
/// error is an error number.
pub(super) fn reserve(cx: &mut Cx<'_>, file: u32, how: How) -> Answer<()> {
    reserve_from(cx, file, how, 0)
}

/// The same with a descriptor that is at least `least`.
pub(super) fn reserve_from(cx: &mut Cx<'_>, file: u32, how: How, least: u32) -> Answer<()> {
    let Some(fd) = table::reserve(cx.state, least) else {
        return Ok(Err(EMFILE));
    };
    let open = table::new_open_file(cx.state, file, how.readable, how.writable).ok_or_else(too_many)?;
    let (flags, closes) = (how.flags & !CLOSE_ON_EXEC, how.flags & CLOSE_ON_EXEC != 0);
    if flags != 0 {
        table::set_flags(cx.state, open, flags);
    }
    let note = u64::from(fd) | u64::from(open) << 16;
    cx.state.own_core(cx.thread).note = note | u64::from(closes) << NOTED_CLOSES;
    Ok(Ok(()))
}

/// The last part: makes the descriptor refer to the open file.
pub(super) fn install(cx: &mut Cx<'_>, truncate: bool) -> Result<u32, Stop> {
    let (fd, open) = noted(cx);
    let it = table::open_file(cx.state, open);
    if truncate {
        it.description().emptied(cx, it.file)?;
    }
    table::set_descriptor(cx.state, fd, Some(open));
    if cx.state.thread(cx.thread).core.note >> NOTED_CLOSES != 0 {
        table::set_closes_on_exec(cx.state, fd, true);
    }
    Ok(fd)
}

//! Operations on streams: fopen, fclose, fread, fwrite, fputs, fputc, fflush, fseek, ftell, setvbuf
//! and similar functions. C code in the model library reads characters, lines and formatted input
//! by `fread`. Writing is in `stream_write`.

use super::action::hidden;
use super::buffer::{access, string};
use super::descriptors;
use super::errno::{EBADF, EINVAL};
use super::lookup::{look, look_part, pinned};
use super::open::{self, How};
use super::operation::{After, Part, Parted, Performs, alone, operation, phase};
use super::paths::plain;
use super::stream_calls::{self, Work};
use super::stream_fields;
use super::stream_fields::{
    APPENDS, AT_END, BY_LINE, FAILED, Field, UNBUFFERED, descriptor, get, has, lower, raise, set, unread,
};
use super::stream_lock;
use super::streams::{self, PUSH_BACK, make};
use super::table::{self, Kind};
use crate::hidden::HiddenObject;
use crate::memory::{Kind as MemoryKind, Life};
use crate::native::{Cx, Flow, Native, Stop};
use crate::phase::Phase;
use crate::program::STREAMS;
use crate::word::WordKey;
use selvedge_model::{FaultKind, ObjectId, Outcome};

/// The size of the buffer that `setbuf` is given.
const BUFSIZ: u64 = 8192;

/// The result of a function that failed: EOF or -1.
pub(super) const EOF: u64 = u64::MAX;

/// The model of a call on the stream in an argument.
macro_rules! on_stream {
    ($argument:literal, $worker:expr) => {
        operation!(
            |cx| stream_calls::part(cx, $argument),
            |cx| stream_calls::perform(cx, $argument, $worker)
        )
    };
}

/// Like `on_stream`, but does nothing and returns 0 for output streams.
macro_rules! unless_output {
    ($argument:literal, $worker:expr) => {
        operation!(
            |cx| match streams::is_output(cx, $argument)? {
                true => Ok(Part::Done(0)),
                false => stream_calls::part(cx, $argument),
            },
            |cx| stream_calls::perform(cx, $argument, $worker)
        )
    };
}

/// Like `unless_output` on the first argument, without locking.
macro_rules! unlocked_unless_output {
    ($worker:expr) => {
        operation!(
            |cx| match streams::is_output(cx, 0)? {
                true => Ok(Part::Done(0)),
                false => held_part(cx, 0),
            },
            |cx| stream_calls::perform(cx, 0, $worker)
        )
    };
}

/// The models of this file.
pub(super) fn find(name: &str) -> Option<Native> {
    Some(match name {
        "fopen" | "fopen64" => operation!(fopen_part, fopen),
        "fdopen" => operation!(fdopen_part, fdopen),
        "fclose" => operation!(fclose_part, close_stream),
        "fread" => on_stream!(3, fread),
        "fread_unlocked" => operation!(|cx| held_part(cx, 3), |cx| stream_calls::perform(cx, 3, fread)),
        "__selvedge_unread" => on_stream!(1, unread_byte),
        "fflush" => operation!(fflush_part, |cx| stream_calls::perform(cx, 0, fflush)),
        "fflush_unlocked" => operation!(
            |cx| match cx.word(0)? != 0 && !streams::is_output(cx, 0)? {
                true => held_part(cx, 0),
                false => fflush_part(cx),
            },
            |cx| stream_calls::perform(cx, 0, fflush)
        ),
        // Printed data is written at once, so nothing is pending.
        "__fpending" => {
            unlocked_unless_output!(|cx, stream, _| Ok(Work::Done(get(cx.state, stream, Field::Pending))))
        }
        "__freading" => unlocked_unless_output!(freading),
        "fseek" | "fseeko" | "fseeko64" => on_stream!(0, fseek),
        "ftell" | "ftello" | "ftello64" => on_stream!(0, ftell),
        "rewind" => on_stream!(0, rewind),
        "setvbuf" => operation!(
            |cx| {
                let size = cx.word(3)?;
                buffer_part(cx, size)
            },
            |cx| stream_calls::perform(cx, 0, setvbuf)
        ),
        "setbuf" => operation!(|cx| buffer_part(cx, BUFSIZ), |cx| stream_calls::perform(
            cx, 0, setbuf
        )),
        "setlinebuf" => unless_output!(0, setlinebuf),
        "feof" => unless_output!(0, feof),
        "ferror" => unless_output!(0, ferror),
        "clearerr" => unless_output!(0, clearerr),
        "feof_unlocked" => unlocked_unless_output!(feof),
        "ferror_unlocked" => unlocked_unless_output!(ferror),
        "clearerr_unlocked" => unlocked_unless_output!(clearerr),
        "fileno" => operation!(fileno_part, |cx| stream_calls::perform(cx, 0, fileno)),
        _ => return None,
    })
}

/// The next part of a call that does not lock. It would race with other threads unless the thread
/// holds the stream.
pub(super) fn held_part(cx: &mut Cx<'_>, argument: usize) -> Parted {
    let stream = streams::of_argument(cx, argument)?;
    if alone(cx) || stream_lock::is_mine(cx, stream) {
        return stream_calls::part(cx, argument);
    }
    Err(Flow::Unsupported(
        "an unlocked operation on a stream while there are several threads".into(),
    ))
}

pub(super) fn progress(cx: &Cx<'_>) -> u64 {
    cx.state.thread(cx.thread).core.note
}

pub(super) fn set_progress(cx: &mut Cx<'_>, progress: u64) {
    cx.state.own_core(cx.thread).note = progress;
}

// ---- opening and closing
// -----------------------------------------------------------------------------------------

/// The meaning of a mode such as `r+`, with the rights that files are created without; `None` if it
/// is invalid.
pub(super) fn mode(text: &[u8], mask: u32) -> Option<How> {
    let plus = text.contains(&b'+');
    let (readable, writable, create, truncate, flags) = match text.first()? {
        b'r' => (true, plus, false, false, 0),
        b'w' => (plus, true, true, true, 0),
        b'a' => (plus, true, true, false, super::content::APPEND),
        _ => return None,
    };
    let closes = if text.contains(&b'e') {
        super::content::CLOSE_ON_EXEC
    } else {
        0
    };
    Some(How {
        readable,
        writable,
        create: create.then_some(0o666 & !mask),
        exclusive: create && text.contains(&b'x'),
        truncate,
        directory: false,
        no_link: false,
        flags: flags | closes,
    })
}

fn mode_argument(cx: &mut Cx<'_>) -> Result<Option<How>, Stop> {
    let address = cx.word(1)?;
    let text = string(cx, address, "character of a mode")?;
    Ok(mode(&text, open::mask(cx.state)))
}

fn fopen_part(cx: &mut Cx<'_>) -> Parted {
    if phase(cx) == Phase::First && mode_argument(cx)?.is_none() {
        cx.set_errno(EINVAL)?;
        return Ok(Part::Done(0));
    }
    open::open_part(cx, plain(0))
}

fn fopen(cx: &mut Cx<'_>) -> Performs {
    let Some(how) = mode_argument(cx)? else {
        return null(cx, EINVAL);
    };
    if phase(cx) != Phase::First {
        open::install(cx, how.truncate)?;
        let file = cx.state.thread(cx.thread).core.wait[1].0;
        return Ok(After::Done(file, Outcome::Done));
    }
    if let Err(error) = open::begin(cx, plain(0), how)? {
        return null(cx, error);
    }
    let fd = progress(cx) as u32 & 0xffff;
    let file = make(cx, fd, &how)?;
    cx.state.own_core(cx.thread).wait[1] = ObjectId(file);
    Ok(After::Next(Phase::Reserved, Outcome::Done))
}

/// Returns NULL and sets errno.
pub(super) fn null(cx: &mut Cx<'_>, error: i32) -> Performs {
    cx.set_errno(error)?;
    Ok(After::Done(0, Outcome::Failed))
}

fn fdopen_part(cx: &mut Cx<'_>) -> Parted {
    if phase(cx) != Phase::First {
        return Ok(Part::Act(hidden(cx, HiddenObject::Descriptors)));
    }
    let fd = cx.int(0)?;
    match mode_argument(cx)? {
        Some(how) if how.flags & super::content::APPEND != 0 => {
            Err(Flow::Unsupported("fdopen to append".into()))
        }
        Some(_) => match look_part(cx, fd)? {
            Part::Done(_) => Ok(Part::Done(0)),
            part => Ok(part),
        },
        None => {
            cx.set_errno(EINVAL)?;
            Ok(Part::Done(0))
        }
    }
}

fn fdopen(cx: &mut Cx<'_>) -> Performs {
    let (fd, Some(how)) = (cx.int(0)?, mode_argument(cx)?) else {
        return null(cx, EINVAL);
    };
    if phase(cx) == Phase::First {
        return match look(cx, fd) {
            None => null(cx, EBADF),
            Some(open) if how.readable && !open.readable || how.writable && !open.writable => {
                null(cx, EINVAL)
            }
            Some(_) => Ok(After::Next(Phase::LookedUp, Outcome::Done)),
        };
    }
    let file = make(cx, fd as u32, &how)?;
    if pinned(cx)?.kind == Kind::Output {
        // At exit, the stream would not be flushed, but its output must be visible.
        let stream = cx.state.memory.peek_checked(file, 8).bits as u32;
        raise(cx.state, stream, UNBUFFERED);
    }
    Ok(After::Done(file, Outcome::Done))
}

fn fclose_part(cx: &mut Cx<'_>) -> Parted {
    match streams::output_descriptor(cx, 0)? {
        Some(fd) => {
            if phase(cx) == Phase::First {
                streams::is_output(cx, 0)?;
            }
            descriptors::close_part_of(cx, fd)
        }
        None => stream_calls::part(cx, 0),
    }
}

/// A standard output stream consists only of its descriptor. Closing the stream closes the
/// descriptor; later uses of the stream find it closed.
fn close_stream(cx: &mut Cx<'_>) -> Performs {
    match streams::output_descriptor(cx, 0)? {
        Some(fd) => descriptors::close_of(cx, fd),
        None => stream_calls::perform(cx, 0, fclose),
    }
}

fn fclose(cx: &mut Cx<'_>, stream: u32, failed: bool) -> Result<Work, Stop> {
    if get(cx.state, stream, Field::Pending) > 0 {
        return Ok(Work::Flush);
    }
    Ok(Work::Close(if failed { EOF } else { 0 }))
}

// ---- reading
// -------------------------------------------------------------------------------------------------

/// The work that must be done before reading, if any. The stream must be readable, and no buffered
/// data may wait to be written.
fn before_reading(cx: &mut Cx<'_>, stream: u32) -> Result<Option<Work>, Stop> {
    if !stream_fields::is_readable(cx.state, stream) {
        cx.set_errno(EBADF)?;
        raise(cx.state, stream, FAILED);
        return Ok(Some(Work::Done(0)));
    }
    Ok((get(cx.state, stream, Field::Pending) > 0).then_some(Work::Flush))
}

fn fread(cx: &mut Cx<'_>, stream: u32, failed: bool) -> Result<Work, Stop> {
    let (to, size, count) = (cx.word(0)?, cx.word(1)?, cx.word(2)?);
    let Some(total) = size.checked_mul(count) else {
        return Err(too_large(cx, "fread"));
    };
    if total == 0 {
        return Ok(Work::Done(0));
    }
    if let Some(work) = before_reading(cx, stream)? {
        return Ok(work);
    }
    loop {
        let (done, here) = (progress(cx), unread(cx.state, stream));
        if done == total {
            return Ok(Work::Done(count));
        }
        if here == 0 {
            if failed || has(cx.state, stream, AT_END) {
                return Ok(Work::Done(done / size));
            }
            return Ok(Work::Fill);
        }
        let bytes = here.min(total - done);
        access(cx, to + done, bytes, true)?;
        let begin = get(cx.state, stream, Field::Begin);
        let from = streams::buffer(cx, stream)? + begin;
        cx.state.memory.copy(to + done, from, bytes);
        set(cx.state, stream, Field::Begin, begin + bytes);
        set_progress(cx, done + bytes);
    }
}

/// Pushes the byte at an address back, so that it is read next. Returns 0, or -1 if there is no
/// room.
fn unread_byte(cx: &mut Cx<'_>, stream: u32, _: bool) -> Result<Work, Stop> {
    let from = cx.word(0)?;
    let base = streams::buffer(cx, stream)?;
    let begin = get(cx.state, stream, Field::Begin);
    if begin == 0 || get(cx.state, stream, Field::Pending) > 0 {
        return Ok(Work::Done(EOF));
    }
    access(cx, from, 1, false)?;
    cx.state.memory.copy(base + begin - 1, from, 1);
    set(cx.state, stream, Field::Begin, begin - 1);
    lower(cx.state, stream, AT_END);
    Ok(Work::Done(0))
}

pub(super) fn too_large(cx: &Cx<'_>, what: &str) -> Stop {
    cx.fault(
        FaultKind::OutOfBounds,
        format!("{what} of more bytes than there are addresses"),
    )
}

// ---- flushing and seeking
// ----------------------------------------------------------------------------------------

fn fflush_part(cx: &mut Cx<'_>) -> Parted {
    if cx.word(0)? == 0 {
        return flush_all(cx);
    }
    if streams::is_output(cx, 0)? {
        return Ok(Part::Done(0));
    }
    stream_calls::part(cx, 0)
}

/// `fflush(NULL)`. Output streams need no flush.
fn flush_all(cx: &mut Cx<'_>) -> Parted {
    let opens = |name: &&str| cx.program.module.function(name).is_some();
    let openers = ["fopen", "fopen64", "fdopen", "open_memstream", "fmemopen"];
    let none = !openers.iter().any(opens);
    let made = cx.state.word(WordKey::StreamCount) as u32;
    let pending = |stream: u32| get(cx.state, stream + 3, Field::Pending) > 0;
    if none || alone(cx) && !(0..made).any(pending) {
        return Ok(Part::Done(0));
    }
    Err(Flow::Unsupported("fflush of all streams".into()))
}

/// Whether a stream can only be read. Unsupported for a stream that can be read and written.
fn freading(cx: &mut Cx<'_>, stream: u32, _: bool) -> Result<Work, Stop> {
    let (reads, writes) = (
        stream_fields::is_readable(cx.state, stream),
        stream_fields::is_writable(cx.state, stream),
    );
    if reads && writes {
        let what = "__freading of a stream that can be read and written";
        return Err(Flow::Unsupported(what.into()));
    }
    Ok(Work::Done(u64::from(reads)))
}

fn fflush(cx: &mut Cx<'_>, stream: u32, failed: bool) -> Result<Work, Stop> {
    if progress(cx) == 0 {
        if get(cx.state, stream, Field::Pending) > 0 {
            return Ok(Work::Flush);
        }
        if stream_fields::is_in_memory(cx.state, stream) {
            let open = table::open_file(cx.state, descriptor(cx.state, stream));
            open.description().flushed(cx, &open)?;
        }
        let ahead = unread(cx.state, stream);
        if failed || ahead == 0 {
            return Ok(Work::Done(if failed { EOF } else { 0 }));
        }
        // Move the file's position back over data that was read ahead, if the file can seek.
        set_progress(cx, 1);
        return Ok(Work::Seek(-(ahead as i64), 1));
    }
    if !failed {
        discard(cx, stream);
    }
    Ok(Work::Done(0))
}

/// Discards data that was read ahead.
pub(super) fn discard(cx: &mut Cx<'_>, stream: u32) {
    set(cx.state, stream, Field::Begin, PUSH_BACK);
    set(cx.state, stream, Field::End, PUSH_BACK);
}

fn fseek(cx: &mut Cx<'_>, stream: u32, failed: bool) -> Result<Work, Stop> {
    let (offset, whence) = (cx.word(1)? as i64, cx.int(2)?);
    seek(cx, stream, failed, offset, whence)
}

fn seek(cx: &mut Cx<'_>, stream: u32, failed: bool, offset: i64, whence: i32) -> Result<Work, Stop> {
    if failed {
        return Ok(Work::Done(EOF));
    }
    if progress(cx) == 0 {
        if get(cx.state, stream, Field::Pending) > 0 {
            return Ok(Work::Flush);
        }
        let ahead = if whence == 1 { unread(cx.state, stream) } else { 0 };
        set_progress(cx, 1);
        return Ok(Work::Seek(offset.saturating_sub(ahead as i64), whence));
    }
    discard(cx, stream);
    lower(cx.state, stream, AT_END);
    Ok(Work::Done(0))
}

fn rewind(cx: &mut Cx<'_>, stream: u32, failed: bool) -> Result<Work, Stop> {
    let work = seek(cx, stream, failed, 0, 0)?;
    if matches!(work, Work::Done(_)) {
        lower(cx.state, stream, FAILED);
    }
    Ok(work)
}

fn ftell(cx: &mut Cx<'_>, stream: u32, failed: bool) -> Result<Work, Stop> {
    if failed {
        return Ok(Work::Done(EOF));
    }
    let waiting = get(cx.state, stream, Field::Pending);
    if progress(cx) == 0 {
        set_progress(cx, 1);
        let appends = get(cx.state, stream, Field::Descriptor) & APPENDS != 0;
        // Buffered data of an appending stream goes to the end of the file, independent of the
        // position.
        return Ok(Work::Seek(0, if appends && waiting > 0 { 2 } else { 1 }));
    }
    let position = get(cx.state, stream, Field::Position) + waiting;
    Ok(Work::Done(position.saturating_sub(unread(cx.state, stream))))
}

// ---- modes, indicators, descriptor
// --------------------------------------------------------------------------------

fn set_mode(cx: &mut Cx<'_>, stream: u32, flag: u64, size: u64) -> Result<Work, Stop> {
    if size != 0 && size != stream_fields::size(cx.state, stream) && get(cx.state, stream, Field::Buffer) != 0
    {
        let what = "another buffer for a stream that was used already";
        return Err(Flow::Unsupported(what.into()));
    }
    lower(cx.state, stream, BY_LINE | UNBUFFERED);
    raise(cx.state, stream, flag);
    if size != 0 {
        set(cx.state, stream, Field::Size, size);
    }
    Ok(Work::Done(0))
}

/// A call that gives a stream a buffer of so many bytes, the second argument, before it acts. The
/// model does not use the buffer, so only one that lasts as long as the program is supported.
fn buffer_part(cx: &mut Cx<'_>, size: u64) -> Parted {
    let at = cx.word(1)?;
    if at != 0 && size != 0 {
        let end = at.saturating_add(size);
        let object = cx.state.memory.object_at(at);
        let whole = object.filter(|(base, object)| object.life == Life::Live && end <= base + object.size);
        match whole {
            Some((_, object)) if object.kind == MemoryKind::Global => {}
            Some(_) => {
                let what = "a stream's buffer that is no global variable";
                return Err(Flow::Unsupported(what.into()));
            }
            None => access(cx, at, size, true)?,
        }
    }
    match streams::is_output(cx, 0)? {
        true => Ok(Part::Done(0)),
        false => stream_calls::part(cx, 0),
    }
}

fn setvbuf(cx: &mut Cx<'_>, stream: u32, _: bool) -> Result<Work, Stop> {
    let (given, mode, size) = (cx.word(1)?, cx.int(2)?, cx.word(3)?);
    // Without a buffer from the program, glibc uses its default size.
    let size = if given == 0 { 0 } else { size };
    match mode {
        0 => set_mode(cx, stream, 0, size),
        1 => set_mode(cx, stream, BY_LINE, size),
        2 => set_mode(cx, stream, UNBUFFERED, 0),
        _ => Ok(Work::Done(EOF)),
    }
}

fn setbuf(cx: &mut Cx<'_>, stream: u32, _: bool) -> Result<Work, Stop> {
    match cx.word(1)? {
        0 => set_mode(cx, stream, UNBUFFERED, 0),
        _ => set_mode(cx, stream, 0, BUFSIZ),
    }
}

fn setlinebuf(cx: &mut Cx<'_>, stream: u32, _: bool) -> Result<Work, Stop> {
    set_mode(cx, stream, BY_LINE, 0)
}

fn feof(cx: &mut Cx<'_>, stream: u32, _: bool) -> Result<Work, Stop> {
    Ok(Work::Done(u64::from(has(cx.state, stream, AT_END))))
}

fn ferror(cx: &mut Cx<'_>, stream: u32, _: bool) -> Result<Work, Stop> {
    Ok(Work::Done(u64::from(has(cx.state, stream, FAILED))))
}

fn clearerr(cx: &mut Cx<'_>, stream: u32, _: bool) -> Result<Work, Stop> {
    lower(cx.state, stream, AT_END | FAILED);
    Ok(Work::Done(0))
}

fn fileno_part(cx: &mut Cx<'_>) -> Parted {
    let handle = cx.word(0)?;
    match STREAMS.iter().position(|(_, stream)| *stream == handle) {
        Some(fd) => Ok(Part::Done(fd as u64)),
        None => stream_calls::part(cx, 0),
    }
}

fn fileno(cx: &mut Cx<'_>, stream: u32, _: bool) -> Result<Work, Stop> {
    if stream_fields::is_in_memory(cx.state, stream) {
        cx.set_errno(EBADF)?;
        return Ok(Work::Done(u64::from(u32::MAX)));
    }
    Ok(Work::Done(u64::from(descriptor(cx.state, stream))))
}

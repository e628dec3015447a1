//! Streams: `FILE`, its buffer and its lock.
//!
//! A stream is a descriptor with a buffer of 4,096 bytes, as in glibc. Other threads see written
//! data after a flush, and data is read from the file in blocks. One thread holds a stream at a
//! time, for a call or from `flockfile` to `funlockfile`. Taking and releasing the stream are
//! actions on the stream, which order like a mutex. Everything in between belongs to the holder. A
//! call has these parts, and most calls need only the first:
//!
//! 1. take the stream, and do the call's work as far as the buffer allows;
//! 2. fill or flush the buffer, or seek: look up the descriptor, then perform the action on the
//!    file, which may wait;
//! 3. continue the work, and release the stream at its end.
//!
//! `FILE` objects are heap objects that end with `fclose`; using one afterwards is a use after
//! free. `stdin` is an ordinary stream; `stdout` and `stderr` are captured output (`print`).
//! Missed: at `fclose`, the position of a shared descriptor is not moved back over data that was
//! read ahead.

use super::captured;
use super::content::{self, APPEND};
use super::open::How;
use super::stream_fields::{
    APPENDS, BUFFER, CLOSED, Field, IN_MEMORY, READABLE, STDIN, WRITABLE, get, has, raise, set, size,
};
use super::table::{self, OpenFile};
use crate::memory::Life;
use crate::native::{Cx, Flow, Stop};
use crate::program::STREAMS;
use crate::value::Value;
use selvedge_model::{FaultKind, ObjectId};

/// The size of a `FILE` on x86-64 Linux.
const FILE_SIZE: u64 = 216;
/// Marks a `FILE`; the word also contains the stream's number.
const MAGIC: u64 = 0x5e1f_0000_0000_0000;
/// The number of bytes before a buffer, for bytes that are pushed back.
pub(super) const PUSH_BACK: u64 = 8;

const STDOUT: u64 = STREAMS[1].1;
const STDERR: u64 = STREAMS[2].1;

/// The address of a stream's buffer. Makes the buffer if there is none.
pub(super) fn buffer(cx: &mut Cx<'_>, stream: u32) -> Result<u64, Stop> {
    let known = get(cx.state, stream, Field::Buffer);
    if known != 0 {
        return Ok(known);
    }
    let size = size(cx.state, stream).max(BUFFER);
    let base = content::allocate(cx, PUSH_BACK + size)?;
    set(cx.state, stream, Field::Buffer, base);
    set(cx.state, stream, Field::Begin, PUSH_BACK);
    set(cx.state, stream, Field::End, PUSH_BACK);
    Ok(base)
}

// ---- making and finding
// -------------------------------------------------------------------------------------------------

/// Makes a stream for a descriptor; returns the address of its `FILE`.
pub(super) fn make(cx: &mut Cx<'_>, fd: u32, how: &How) -> Result<u64, Stop> {
    make_of(cx, u64::from(fd), how)
}

/// Makes a stream in memory, for an open file without a descriptor.
pub(super) fn make_in_memory(cx: &mut Cx<'_>, open: &OpenFile, how: &How) -> Result<u64, Stop> {
    make_of(cx, IN_MEMORY | u64::from(open.number), how)
}

fn make_of(cx: &mut Cx<'_>, number: u64, how: &How) -> Result<u64, Stop> {
    let Some(stream) = table::new_stream(cx.state) else {
        return Err(content::too_many());
    };
    let Some(file) = cx.malloc(FILE_SIZE, 16, false)? else {
        return Err(content::too_many());
    };
    let name = Value::new(MAGIC | u64::from(stream));
    cx.state.memory.poke_checked(file, 8, name);
    let mut descriptor = number;
    for (holds, bit) in [
        (how.readable, READABLE),
        (how.writable, WRITABLE),
        (how.flags & APPEND != 0, APPENDS),
    ] {
        if holds {
            descriptor |= bit;
        }
    }
    set(cx.state, stream, Field::Address, file);
    set(cx.state, stream, Field::Descriptor, descriptor);
    Ok(file)
}

/// Ends a stream's `FILE`. That of `stdin` is no object of the program.
pub(super) fn end(cx: &mut Cx<'_>, stream: u32) {
    if stream == 0 {
        return raise(cx.state, stream, CLOSED);
    }
    let (file, site) = (get(cx.state, stream, Field::Address), cx.site);
    cx.state.memory.end_object(file, Life::Freed, site);
}

/// Whether an argument is stdout or stderr, and the stream is still the captured output.
pub(in crate::libc) fn is_output(cx: &mut Cx<'_>, argument: usize) -> Result<bool, Stop> {
    let handle = cx.word(argument)?;
    if !matches!(handle, STDOUT | STDERR) {
        return Ok(false);
    }
    if captured::is_output(cx, (handle - STDIN) as i32) {
        return Ok(true);
    }
    Err(Flow::Unsupported(
        "printing to a standard stream whose descriptor was closed or redirected".into(),
    ))
}

/// The descriptor of stdout or stderr, if the argument is one of them.
pub(super) fn output_descriptor(cx: &mut Cx<'_>, argument: usize) -> Result<Option<i32>, Stop> {
    let handle = cx.word(argument)?;
    Ok(matches!(handle, STDOUT | STDERR).then(|| (handle - STDIN) as i32))
}

/// The stream that an argument refers to, even if it was closed.
pub(super) fn of_argument(cx: &mut Cx<'_>, argument: usize) -> Result<u32, Stop> {
    let handle = cx.word(argument)?;
    match handle {
        STDIN => return Ok(0),
        STDOUT | STDERR => return Err(Flow::Unsupported("reading or seeking in an output stream".into())),
        0 => return Err(cx.fault(FaultKind::NullDereference, "use of a null stream")),
        _ => {}
    }
    let name = match cx.state.memory.object_at(handle) {
        Some((base, _)) if base == handle => cx.state.memory.peek_checked(handle, 8),
        _ => Value::new(0),
    };
    let stream = name.bits as u32;
    let known = name.is_concrete()
        && name.bits & !0xffff_ffff == MAGIC
        && stream < table::MAX_FILE_NUMBERS
        && get(cx.state, stream, Field::Address) == handle;
    if known {
        Ok(stream)
    } else {
        let message = format!("use of {handle:#x} as a stream, which it is not");
        Err(cx.fault_on(FaultKind::InvalidPointer, message, ObjectId(handle)))
    }
}

/// Checks that a stream was not closed.
pub(super) fn check(cx: &Cx<'_>, stream: u32) -> Result<(), Stop> {
    let file = get(cx.state, stream, Field::Address);
    if stream == 0 {
        return match has(cx.state, stream, CLOSED) {
            true => Err(cx.fault(FaultKind::UseAfterFree, "use of stdin, which was closed")),
            false => Ok(()),
        };
    }
    match cx.state.memory.object_at(file) {
        Some((base, object)) if object.life != Life::Live => {
            let mut flow = cx.fault_on(
                FaultKind::UseAfterFree,
                "use of a stream that was closed",
                ObjectId(base),
            );
            if let Flow::Fault(fault) = &mut flow {
                let places = [
                    ("it was opened here", object.made),
                    ("it was closed here", object.ended),
                ];
                for (text, place) in places {
                    fault.related.push((text.into(), place.stmt, place.context));
                }
            }
            Err(flow)
        }
        _ => Ok(()),
    }
}

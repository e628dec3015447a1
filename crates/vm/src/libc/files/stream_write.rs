//! Writing to streams. Data goes through the buffer. The buffer is flushed when it is full, at the
//! end of a line or of the call (according to the stream's mode), and by `fflush` and `fclose`.
//! Output streams (stdout, stderr) belong to `print`; each call determines which case it is.

use super::buffer::{access, may_access};
use super::content;
use super::errno::EBADF;
use super::operation::{self, Operation};
use super::stream_calls::{self, Work};
use super::stream_fields;
use super::stream_fields::{BY_LINE, FAILED, FLUSH, Field, UNBUFFERED, get, has, raise, set, unread};
use super::stream_ops::{EOF, held_part, progress, set_progress, too_large};
use super::streams::{self, PUSH_BACK};
use crate::libc::{Answer, bytes, print, stepped};
use crate::memory::Life;
use crate::native::{Cx, Flow, Performed, Prepared, Stop};
use crate::visible;

/// The data to be written.
enum Source {
    /// Bytes in checked memory of the program.
    Memory(u64, u64),
    /// One byte.
    Byte(u8),
}

impl Source {
    fn len(&self) -> u64 {
        match self {
            Source::Memory(_, len) => *len,
            Source::Byte(_) => 1,
        }
    }

    /// The number of bytes up to the end of the last line. An undefined byte is no end of a line.
    fn whole_lines(&self, cx: &Cx<'_>) -> Result<u64, Stop> {
        let (from, len) = match self {
            Source::Memory(from, len) => (*from, *len),
            Source::Byte(byte) => return Ok(u64::from(*byte == b'\n')),
        };
        for at in (0..len).rev() {
            let byte = cx.state.memory.peek_checked(from + at, 1);
            if byte.is_symbolic() {
                let what = "symbolic bytes in a stream that is flushed at the ends of lines";
                return Err(Flow::Unsupported(what.into()));
            }
            if byte.is_concrete() && byte.bits as u8 == b'\n' {
                return Ok(at + 1);
            }
        }
        Ok(0)
    }
}

/// Writes through the buffer. The final result is the number of bytes written.
fn put(cx: &mut Cx<'_>, stream: u32, failed: bool, source: &Source) -> Result<Work, Stop> {
    let total = source.len();
    if !stream_fields::is_writable(cx.state, stream) {
        cx.set_errno(EBADF)?;
        raise(cx.state, stream, FAILED);
        return Ok(Work::Done(0));
    }
    if unread(cx.state, stream) > 0 {
        let what = "writing to a stream after reading from it, without fseek between";
        return Err(Flow::Unsupported(what.into()));
    }
    if failed {
        return Ok(Work::Done(progress(cx).saturating_sub(1)));
    }
    let base = streams::buffer(cx, stream)? + PUSH_BACK;
    let size = stream_fields::size(cx.state, stream);
    // The number of bytes that are flushed before the call returns.
    let at_once = if has(cx.state, stream, UNBUFFERED) {
        total
    } else if has(cx.state, stream, BY_LINE) {
        source.whole_lines(cx)?
    } else {
        0
    };
    loop {
        let (done, held) = (progress(cx), get(cx.state, stream, Field::Pending));
        let flush = has(cx.state, stream, FLUSH) && (done == at_once || done == total);
        if held > 0 && (flush || held == size && done < total) {
            return Ok(Work::Flush);
        }
        if done == total {
            return Ok(Work::Done(total));
        }
        if done > total {
            return Err(Flow::Unsupported(super::transfer::CHANGED.into()));
        }
        let end = if done < at_once { at_once } else { total };
        let bytes = (size - held).min(end - done);
        match source {
            Source::Memory(from, _) => cx.state.memory.copy(base + held, from + done, bytes),
            Source::Byte(byte) => super::entries::poke(cx.state, base + held, &[*byte]),
        }
        set(cx.state, stream, Field::Pending, held + bytes);
        set_progress(cx, done + bytes);
        if done + bytes == at_once {
            raise(cx.state, stream, FLUSH);
        }
    }
}

/// An operation that writes to the stream in an argument.
pub(in crate::libc) struct Writer {
    argument: usize,
    operation: Operation,
}

/// The next action of a call that writes. If its stream is the captured output, the call prints by
/// `print`; otherwise it writes to its stream.
pub(in crate::libc) fn prepare(
    cx: &mut Cx<'_>,
    writer: &Writer,
    print: fn(&mut Cx<'_>) -> Answer,
) -> Prepared {
    match streams::is_output(cx, writer.argument) {
        Ok(true) => stepped::prepare(cx, print),
        Ok(false) => operation::prepare(cx, &writer.operation),
        Err(flow) => Prepared::Immediate(flow),
    }
}

/// Performs the action that `prepare` returned.
pub(in crate::libc) fn perform(
    cx: &mut Cx<'_>,
    writer: &Writer,
    print: fn(&mut Cx<'_>) -> Answer,
) -> Performed {
    match streams::is_output(cx, writer.argument) {
        Ok(true) => stepped::perform(cx, print),
        _ => operation::perform(cx, &writer.operation),
    }
}

pub(in crate::libc) const FWRITE: Writer = Writer {
    argument: 3,
    operation: Operation {
        part: |cx| stream_calls::part(cx, 3),
        perform: |cx| stream_calls::perform(cx, 3, fwrite),
    },
};

/// Like `FWRITE`, for a thread that has locked the stream or is the only thread.
pub(in crate::libc) const FWRITE_UNLOCKED: Writer = Writer {
    argument: 3,
    operation: Operation {
        part: |cx| held_part(cx, 3),
        perform: |cx| stream_calls::perform(cx, 3, fwrite),
    },
};

fn fwrite(cx: &mut Cx<'_>, stream: u32, failed: bool) -> Result<Work, Stop> {
    let (from, size, count) = (cx.word(0)?, cx.word(1)?, cx.word(2)?);
    let Some(total) = size.checked_mul(count) else {
        return Err(too_large(cx, "fwrite"));
    };
    if size == 0 {
        return Ok(Work::Done(0));
    }
    let done = progress(cx);
    let Some(left) = total.checked_sub(done) else {
        return Err(Flow::Unsupported(super::transfer::CHANGED.into()));
    };
    access(cx, from.wrapping_add(done), left, false)?;
    let work = put(cx, stream, failed, &Source::Memory(from, total))?;
    Ok(map(work, |written| written / size))
}

pub(in crate::libc) const FPUTS: Writer = Writer {
    argument: 1,
    operation: Operation {
        part: |cx| stream_calls::part(cx, 1),
        perform: |cx| stream_calls::perform(cx, 1, fputs),
    },
};

/// Like `FPUTS`, for a thread that has locked the stream or is the only thread.
pub(in crate::libc) const FPUTS_UNLOCKED: Writer = Writer {
    argument: 1,
    operation: Operation {
        part: |cx| held_part(cx, 1),
        perform: |cx| stream_calls::perform(cx, 1, fputs),
    },
};

fn fputs(cx: &mut Cx<'_>, stream: u32, failed: bool) -> Result<Work, Stop> {
    let text = cx.word(0)?;
    may_access(cx, text)?;
    let length = bytes::length(cx, text)?;
    let work = put(cx, stream, failed, &Source::Memory(text, length))?;
    Ok(map(work, |written| if written == length { 1 } else { EOF }))
}

pub(in crate::libc) const FPUTC: Writer = Writer {
    argument: 1,
    operation: Operation {
        part: |cx| stream_calls::part(cx, 1),
        perform: |cx| stream_calls::perform(cx, 1, fputc),
    },
};

/// Like `FPUTC`, for a thread that has locked the stream or is the only thread.
pub(in crate::libc) const FPUTC_UNLOCKED: Writer = Writer {
    argument: 1,
    operation: Operation {
        part: |cx| held_part(cx, 1),
        perform: |cx| stream_calls::perform(cx, 1, fputc),
    },
};

fn fputc(cx: &mut Cx<'_>, stream: u32, failed: bool) -> Result<Work, Stop> {
    let byte = cx.int(0)? as u8;
    let work = put(cx, stream, failed, &Source::Byte(byte))?;
    Ok(map(
        work,
        |written| {
            if written == 1 { u64::from(byte) } else { EOF }
        },
    ))
}

/// A formatted print to the stream in argument 0, with the position of its format, and whether a
/// `va_list` follows.
pub(in crate::libc) const fn formatted<const FORMAT: usize, const LIST: bool>() -> Writer {
    Writer {
        argument: 0,
        operation: Operation {
            part: |cx| stream_calls::part(cx, 0),
            perform: |cx| stream_calls::perform(cx, 0, fprintf::<FORMAT, LIST>),
        },
    }
}

/// The text is formatted once, because that advances a `va_list`. It is kept until all of it is
/// written.
fn fprintf<const FORMAT: usize, const LIST: bool>(
    cx: &mut Cx<'_>,
    stream: u32,
    failed: bool,
) -> Result<Work, Stop> {
    if visible::shows(cx.program, cx.state, cx.thread, cx.site.stmt) {
        let what = "formatted output to a stream under visibility memory";
        return Err(Flow::Unsupported(what.into()));
    }
    if get(cx.state, stream, Field::Text) == 0 {
        let (text, _) = print::formatted_text(cx, FORMAT, LIST, false)?;
        if text.is_empty() {
            return Ok(Work::Done(0));
        }
        let base = content::allocate(cx, text.len() as u64)?;
        super::entries::poke(cx.state, base, &text);
        set(cx.state, stream, Field::Text, base);
    }
    let base = get(cx.state, stream, Field::Text);
    let length = cx
        .state
        .memory
        .object_at(base)
        .map_or(0, |(_, object)| object.size);
    let work = put(cx, stream, failed, &Source::Memory(base, length))?;
    if let Work::Done(written) = work {
        let site = cx.site;
        cx.state.memory.end_object(base, Life::Freed, site);
        set(cx.state, stream, Field::Text, 0);
        return Ok(Work::Done(if written == length { length } else { EOF }));
    }
    Ok(work)
}

fn map(work: Work, result: impl FnOnce(u64) -> u64) -> Work {
    match work {
        Work::Done(written) => Work::Done(result(written)),
        work => work,
    }
}

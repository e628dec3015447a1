//! `open_memstream`, `fmemopen`, and the part of `freopen` that changes a stream.

use super::action::hidden;
use super::buffer;
use super::content::{self, too_many};
use super::errno::EINVAL;
use super::kinds::{Growing, Lent, LentBuffer, refuse_predicate};
use super::open::{self, How};
use super::operation::{After, Part, Parted, Performs, operation};
use super::stream_calls::{self, Work};
use super::stream_fields::{
    APPENDS, AT_END, BY_LINE, FAILED, Field, READABLE, UNBUFFERED, WRITABLE, get, lower, set,
};
use super::stream_ops;
use super::streams;
use super::table::{self, Kind, OpenFile};
use crate::hidden::HiddenObject;
use crate::native::{Cx, Native, Stop};
use crate::value::Value;
use selvedge_model::Outcome;

/// The models of this file.
pub(super) fn find(name: &str) -> Option<Native> {
    Some(match name {
        "open_memstream" => operation!(part, open_growing),
        "fmemopen" => operation!(part, open_lent),
        "__selvedge_reopen" => operation!(|cx| stream_calls::part(cx, 0), |cx| stream_calls::perform(
            cx, 0, reopen
        )),
        _ => return None,
    })
}

/// Numbers of files are taken, as where a file is opened.
fn part(cx: &mut Cx<'_>) -> Parted {
    Ok(Part::Act(hidden(cx, HiddenObject::Descriptors)))
}

fn opened(cx: &mut Cx<'_>, kind: Kind, how: &How) -> Result<OpenFile, Stop> {
    let file = table::new_file(cx.state, kind, 0o600).ok_or_else(too_many)?;
    let open = table::new_open_file(cx.state, file, how.readable, how.writable).ok_or_else(too_many)?;
    Ok(table::open_file(cx.state, open))
}

fn open_growing(cx: &mut Cx<'_>) -> Performs {
    refuse_predicate(cx, "open_memstream")?;
    let (block_at, size_at) = (cx.word(0)?, cx.word(1)?);
    if block_at == 0 || size_at == 0 {
        return stream_ops::null(cx, EINVAL);
    }
    let how = How {
        readable: false,
        ..How::unnamed(0)
    };
    let open = opened(cx, Kind::Growing, &how)?;
    Growing::set_up(cx.state, open.file, block_at, size_at);
    let stream = streams::make_in_memory(cx, &open, &how)?;
    Ok(After::Done(stream, Outcome::Done))
}

/// The number of bytes before the first null byte, and at most `most`.
fn length(cx: &mut Cx<'_>, at: u64, most: u64) -> Result<u64, Stop> {
    for length in 0..most {
        buffer::may_access(cx, at + length)?;
        if cx.load_defined(at + length, 1, "byte of a buffer that fmemopen appends to")? == 0 {
            return Ok(length);
        }
    }
    Ok(most)
}

fn open_lent(cx: &mut Cx<'_>) -> Performs {
    refuse_predicate(cx, "fmemopen")?;
    let (at, size, mode_at) = (cx.word(0)?, cx.word(1)?, cx.word(2)?);
    let text = buffer::string(cx, mode_at, "character of a mode")?;
    let Some(how) = stream_ops::mode(&text, open::mask(cx.state)) else {
        return stream_ops::null(cx, EINVAL);
    };
    let appends = how.flags & content::APPEND != 0;
    let own = at == 0;
    let base = match own {
        true => {
            // It begins with a null byte; the rest is unknown.
            let base = content::allocate(cx, size.max(1))?;
            cx.state.memory.fill(base, size.max(1), Value::new(0));
            base
        }
        false => at,
    };
    let end = match () {
        () if how.create.is_none() => size,
        () if appends && !own => length(cx, at, size)?,
        () => 0,
    };
    if !own && how.truncate && how.readable && size > 0 {
        buffer::store(cx, at, 1, 0)?;
    }
    let open = opened(cx, Kind::Lent, &how)?;
    let buffer = LentBuffer {
        at: base,
        size,
        end,
        appends,
        own,
    };
    Lent::set_up(cx.state, &open, &buffer);
    let how = How { flags: 0, ..how };
    let stream = streams::make_in_memory(cx, &open, &how)?;
    Ok(After::Done(stream, Outcome::Done))
}

/// `__selvedge_reopen(stream, how)`: the descriptor of a flushed stream is another file now, which
/// may be read (1), written (2) and is appended to (4). Returns 0.
fn reopen(cx: &mut Cx<'_>, stream: u32, _: bool) -> Result<Work, Stop> {
    if get(cx.state, stream, Field::Pending) > 0 {
        return Ok(Work::Flush);
    }
    let how = cx.int(1)?;
    let fd = get(cx.state, stream, Field::Descriptor) & 0xffff_ffff;
    let bits = [(1, READABLE), (2, WRITABLE), (4, APPENDS)];
    let bits = bits.iter().filter(|(bit, _)| how & bit != 0);
    let descriptor = bits.fold(fd, |descriptor, (_, bit)| descriptor | bit);
    set(cx.state, stream, Field::Descriptor, descriptor);
    lower(cx.state, stream, AT_END | FAILED | BY_LINE | UNBUFFERED);
    stream_ops::discard(cx, stream);
    Ok(Work::Done(0))
}

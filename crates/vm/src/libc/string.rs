//! Frequently called memory and string functions: `memcpy`, `strlen`, `strcmp` and similar ones,
//! with their fortified variants.
//!
//! Comparisons return the difference of the first bytes that differ, as glibc on x86-64 does.
//! Rarely called functions are C code in the model library.

use super::bytes::{self, Cursor};
use super::stepped::{access, copy as copy_checked, fill};
use super::{Answer, by_element};
use crate::native::{Cx, Flow, Native, Stop};
use crate::value::{Tag, Value};
use selvedge_model::FaultKind;

/// The models of this file.
pub fn find(name: &str) -> Option<Native> {
    Some(match name {
        "memcpy" | "__memcpy_chk" => by_element!(|cx: &mut Cx<'_>| memcpy(cx, false)),
        "mempcpy" | "__mempcpy" | "__mempcpy_chk" => by_element!(|cx: &mut Cx<'_>| memcpy(cx, true)),
        "memmove" | "__memmove_chk" => by_element!(memmove),
        "memset" | "__memset_chk" => by_element!(memset),
        "bzero" | "explicit_bzero" => by_element!(bzero),
        "memcmp" | "bcmp" => by_element!(memcmp),
        "memchr" => by_element!(memchr),
        "memrchr" => by_element!(memrchr),
        "strlen" => by_element!(strlen),
        "strnlen" => by_element!(strnlen),
        "strcpy" | "__strcpy_chk" => by_element!(|cx: &mut Cx<'_>| strcpy(cx, false)),
        "stpcpy" | "__stpcpy" | "__stpcpy_chk" => by_element!(|cx: &mut Cx<'_>| strcpy(cx, true)),
        "strncpy" | "__strncpy_chk" => by_element!(strncpy),
        "strcat" | "__strcat_chk" => by_element!(strcat),
        "strncat" | "__strncat_chk" => by_element!(strncat),
        "strcmp" | "strcoll" => by_element!(strcmp),
        "strncmp" => by_element!(strncmp),
        "strchr" | "index" => by_element!(strchr),
        "strrchr" | "rindex" => by_element!(strrchr),
        "strstr" => by_element!(strstr),
        _ => return None,
    })
}

/// Checks the additional argument of a fortified variant: the size of the destination. A larger
/// number of bytes is the overflow that the variant exists to detect.
fn fortified(cx: &mut Cx<'_>, at: usize, needed: u64) -> Result<(), Stop> {
    if cx.args.len() <= at {
        return Ok(());
    }
    let size = cx.word(at)?;
    if needed > size {
        return Err(cx.fault(
            FaultKind::OutOfBounds,
            format!("write of {needed} bytes to a destination of {size}"),
        ));
    }
    Ok(())
}

/// Checks that two ranges do not overlap. Equal ranges are harmless, and compilers generate them.
fn apart(cx: &Cx<'_>, to: u64, from: u64, len: u64, what: &str) -> Result<(), Stop> {
    if to != from && len > 0 && to < from.saturating_add(len) && from < to.saturating_add(len) {
        let message = format!("{what} of {len} bytes between ranges that overlap");
        return Err(cx.fault(FaultKind::OverlappingCopy, message));
    }
    Ok(())
}

/// Copies a range; records one read and one write.
pub fn copy(cx: &mut Cx<'_>, to: u64, from: u64, len: u64) -> Result<(), Stop> {
    access(cx, from, len, false)?;
    access(cx, to, len, true)?;
    copy_checked(cx, to, from, len)?;
    Ok(())
}

fn memcpy(cx: &mut Cx<'_>, end: bool) -> Answer {
    let (to, from, len) = (cx.word(0)?, cx.word(1)?, cx.word(2)?);
    fortified(cx, 3, len)?;
    apart(cx, to, from, len, "memcpy")?;
    copy(cx, to, from, len)?;
    Ok(Flow::word(if end { to + len } else { to }))
}

fn memmove(cx: &mut Cx<'_>) -> Answer {
    let (to, from, len) = (cx.word(0)?, cx.word(1)?, cx.word(2)?);
    fortified(cx, 3, len)?;
    copy(cx, to, from, len)?;
    Ok(Flow::word(to))
}

fn memset(cx: &mut Cx<'_>) -> Answer {
    let (to, len) = (cx.word(0)?, cx.word(2)?);
    let given = cx.args[1];
    fortified(cx, 3, len)?;
    access(cx, to, len, true)?;
    let tags = &cx.state.memory.tags;
    let byte = match tags.undefined_bits(given.tag) & 0xff {
        _ if given.is_symbolic() => crate::arithmetic::truncate(tags, given, 8),
        0xff => Value {
            bits: 0,
            tag: Tag::UNDEF,
        },
        undefined => tags.value(given.bits & 0xff, undefined),
    };
    fill(cx, to, len, byte)?;
    Ok(Flow::word(to))
}

fn bzero(cx: &mut Cx<'_>) -> Answer {
    let (to, len) = (cx.word(0)?, cx.word(1)?);
    access(cx, to, len, true)?;
    fill(cx, to, len, Value::new(0))?;
    Ok(Flow::void())
}

/// Compares at most `limit` bytes of two ranges; strings only up to a NUL. Reads and records the
/// bytes that the result depends on.
fn compare(cx: &mut Cx<'_>, limit: u64, strings: bool) -> Answer {
    let (a, b) = (cx.word(0)?, cx.word(1)?);
    // memcmp reads all given bytes, whatever the result is. String functions read only up to the
    // difference.
    let sure = if strings { 0 } else { limit };
    let (mut left, mut right) = (Cursor::over(a, sure), Cursor::over(b, sure));
    let (mut read, mut difference) = (0, 0);
    while read < limit {
        let (x, y) = (left.next(cx)?, right.next(cx)?);
        if (x.undefined | y.undefined) != 0 {
            return Err(cx.undefined(Value::UNDEF, "byte of a comparison"));
        }
        read += 1;
        difference = i32::from(x.bits) - i32::from(y.bits);
        if difference != 0 || (strings && x.bits == 0) {
            break;
        }
    }
    left.finish(cx)?;
    right.finish(cx)?;
    let read = read.max(sure);
    access(cx, a, read, false)?;
    access(cx, b, read, false)?;
    Ok(Flow::int(difference))
}

fn memcmp(cx: &mut Cx<'_>) -> Answer {
    let len = cx.word(2)?;
    compare(cx, len, false)
}

fn strcmp(cx: &mut Cx<'_>) -> Answer {
    compare(cx, u64::MAX, true)
}

fn strncmp(cx: &mut Cx<'_>) -> Answer {
    let limit = cx.word(2)?;
    compare(cx, limit, true)
}

fn memchr(cx: &mut Cx<'_>) -> Answer {
    let (address, wanted, limit) = (cx.word(0)?, cx.int(1)? as u8, cx.word(2)?);
    let found = bytes::find(cx, address, limit, &[wanted])?;
    access(cx, address, found.map_or(limit, |(at, _)| at + 1), false)?;
    Ok(Flow::word(found.map_or(0, |(at, _)| address + at)))
}

fn memrchr(cx: &mut Cx<'_>) -> Answer {
    let (address, wanted, len) = (cx.word(0)?, cx.int(1)? as u8, cx.word(2)?);
    let bytes = bytes::range(cx, address, len, "byte of a search")?;
    Ok(Flow::word(
        bytes
            .iter()
            .rposition(|&b| b == wanted)
            .map_or(0, |at| address + at as u64),
    ))
}

fn strlen(cx: &mut Cx<'_>) -> Answer {
    let address = cx.word(0)?;
    Ok(Flow::word(bytes::length(cx, address)?))
}

fn strnlen(cx: &mut Cx<'_>) -> Answer {
    let (address, limit) = (cx.word(0)?, cx.word(1)?);
    Ok(Flow::word(bytes::bounded_length(cx, address, limit)?))
}

fn strcpy(cx: &mut Cx<'_>, end: bool) -> Answer {
    let (to, from) = (cx.word(0)?, cx.word(1)?);
    let len = bytes::length(cx, from)?;
    fortified(cx, 2, len + 1)?;
    apart(cx, to, from, len + 1, "strcpy")?;
    copy(cx, to, from, len + 1)?;
    Ok(Flow::word(if end { to + len } else { to }))
}

fn strncpy(cx: &mut Cx<'_>) -> Answer {
    let (to, from, size) = (cx.word(0)?, cx.word(1)?, cx.word(2)?);
    fortified(cx, 3, size)?;
    let len = bytes::bounded_length(cx, from, size)?;
    apart(cx, to, from, len, "strncpy")?;
    access(cx, to, size, true)?;
    copy_checked(cx, to, from, len)?;
    fill(cx, to + len, size - len, Value::new(0))?;
    Ok(Flow::word(to))
}

fn strcat(cx: &mut Cx<'_>) -> Answer {
    let (to, from) = (cx.word(0)?, cx.word(1)?);
    let old = bytes::length(cx, to)?;
    let len = bytes::length(cx, from)?;
    fortified(cx, 2, old + len + 1)?;
    apart(cx, to + old, from, len + 1, "strcat")?;
    copy(cx, to + old, from, len + 1)?;
    Ok(Flow::word(to))
}

fn strncat(cx: &mut Cx<'_>) -> Answer {
    let (to, from, limit) = (cx.word(0)?, cx.word(1)?, cx.word(2)?);
    let old = bytes::length(cx, to)?;
    let len = bytes::bounded_length(cx, from, limit)?;
    fortified(cx, 3, old + len + 1)?;
    apart(cx, to + old, from, len, "strncat")?;
    access(cx, to + old, len + 1, true)?;
    copy_checked(cx, to + old, from, len)?;
    fill(cx, to + old + len, 1, Value::new(0))?;
    Ok(Flow::word(to))
}

fn strchr(cx: &mut Cx<'_>) -> Answer {
    let (address, wanted) = (cx.word(0)?, cx.int(1)? as u8);
    let (at, found) = bytes::find(cx, address, u64::MAX, &[wanted, 0])?.unwrap_or((0, 0));
    access(cx, address, at + 1, false)?;
    Ok(Flow::word(if found == wanted { address + at } else { 0 }))
}

fn strrchr(cx: &mut Cx<'_>) -> Answer {
    let (address, wanted) = (cx.word(0)?, cx.int(1)? as u8);
    let mut text = bytes::string(cx, address, "character of a string")?;
    text.push(0);
    Ok(Flow::word(
        text.iter()
            .rposition(|&b| b == wanted)
            .map_or(0, |at| address + at as u64),
    ))
}

fn strstr(cx: &mut Cx<'_>) -> Answer {
    let (address, part) = (cx.word(0)?, cx.word(1)?);
    let text = bytes::string(cx, address, "character of a string")?;
    let part = bytes::string(cx, part, "character of a string")?;
    let found = if part.is_empty() {
        Some(0)
    } else {
        text.windows(part.len()).position(|w| w == part)
    };
    Ok(Flow::word(found.map_or(0, |at| address + at as u64)))
}

//! Text that is read from memory for printing. Its symbolic bytes stay symbolic.

use super::holes::{CHARACTER, Hole, MARK};
use super::stepped;
use crate::arithmetic;
use crate::native::{Cx, Stop};
use crate::value::Value;
use selvedge_expr::CmpOp;

/// A text with holes.
#[derive(Default)]
pub(super) struct OpenText {
    /// The bytes, with marks in place of symbolic ones.
    pub bytes: Vec<u8>,
    /// The symbolic bytes, in order.
    pub holes: Vec<Hole>,
}

impl OpenText {
    /// The number of bytes that the program prints.
    pub fn len(&self) -> usize {
        self.bytes.len() - self.holes.len() * (MARK.len() - 1)
    }

    fn push(&mut self, cx: &Cx<'_>, value: Value, what: &str) -> Result<(), Stop> {
        if is_open(cx, value) {
            self.holes.push(Hole {
                at: self.bytes.len(),
                spec: CHARACTER,
                value,
            });
            self.bytes.extend_from_slice(MARK);
        } else {
            self.bytes.push(cx.concrete(value, what)? as u8);
        }
        Ok(())
    }
}

/// Whether a value is symbolic, completely defined, and not known to be a single number.
fn is_open(cx: &Cx<'_>, value: Value) -> bool {
    let symbol = cx.state.memory.tags.symbol(value.tag);
    symbol.is_some_and(|s| s.undefined == 0 && cx.state.known(cx.thread, s.expr).is_none())
}

/// The bytes of a range; records the read. The accesses have the same sizes for all contents and on
/// all machines, so that a schedule of one machine is valid on all.
pub(super) fn range(cx: &mut Cx<'_>, address: u64, len: u64, what: &str) -> Result<OpenText, Stop> {
    let mut text = OpenText::default();
    stepped::access(cx, address, len, false)?;
    for (at, size) in stepped::elements(address, len) {
        let word = stepped::read(cx, address + at, size)?;
        if word.is_concrete() {
            text.bytes
                .extend_from_slice(&word.bits.to_le_bytes()[..size as usize]);
            continue;
        }
        for byte in 0..size {
            let value = arithmetic::byte(&cx.state.memory.tags, word, byte);
            text.push(cx, value, what)?;
        }
    }
    Ok(text)
}

/// The string at an address without its terminator; at most `limit` bytes are examined. Records the
/// read. If bytes are symbolic, the end of the string is a decision.
pub(super) fn string(cx: &mut Cx<'_>, address: u64, limit: u64, what: &str) -> Result<OpenText, Stop> {
    let mut text = OpenText::default();
    let (mut read, mut room) = (0, 0);
    while read < limit {
        if room == 0 {
            room = stepped::readable(cx, address + read)?;
        }
        let value = stepped::read(cx, address + read, 1)?;
        read += 1;
        room -= 1;
        let is_end = if is_open(cx, value) {
            let tags = &cx.state.memory.tags;
            let (byte, zero) = (tags.expr(value, 8), tags.arena.constant(8, 0));
            cx.holds(tags.arena.compare(CmpOp::Eq, byte, zero))?
        } else {
            cx.concrete(value, what)? as u8 == 0
        };
        if is_end {
            break;
        }
        text.push(cx, value, what)?;
    }
    stepped::access(cx, address, read, false)?;
    Ok(text)
}

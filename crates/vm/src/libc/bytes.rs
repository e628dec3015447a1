//! Reading bytes of the program's memory one after the other, with their undefined bits, checked
//! but not yet recorded.

use super::stepped;
use crate::native::{Cx, Flow, Stop};
use crate::value::Value;

/// A byte of memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Byte {
    /// Its bits; undefined ones are 0.
    pub bits: u8,
    /// Its undefined bits.
    pub undefined: u8,
}

impl Byte {
    /// Whether the byte is a certain value; `None` if that depends on undefined bits.
    pub fn is(self, value: u8) -> Option<bool> {
        if (self.bits ^ value) & !self.undefined != 0 {
            Some(false)
        } else {
            (self.undefined == 0).then_some(true)
        }
    }
}

/// A position in memory that moves on byte by byte. Each byte is checked when it is asked for, so a
/// search may be given a limit beyond the object's end as long as it stops before.
pub struct Cursor {
    address: u64,
    /// Bytes from `address` on that are read whatever they are.
    sure: u64,
    /// Bytes from `address` on that are known to be readable.
    room: u64,
    /// Up to eight bytes from `address` on.
    bits: u64,
    undefined: u64,
    cached: u64,
}

impl Cursor {
    /// A cursor at an address, of which it is not known how far it will go.
    pub fn new(address: u64) -> Cursor {
        Cursor::over(address, 0)
    }

    /// A cursor over a range of which all bytes are read, whatever they are.
    pub fn over(address: u64, len: u64) -> Cursor {
        Cursor {
            address,
            sure: len,
            room: 0,
            bits: 0,
            undefined: 0,
            cached: 0,
        }
    }

    /// The byte at the cursor; moves on.
    pub fn next(&mut self, cx: &mut Cx<'_>) -> Result<Byte, Stop> {
        if self.cached == 0 {
            self.fill(cx)?;
        }
        let byte = Byte {
            bits: self.bits as u8,
            undefined: self.undefined as u8,
        };
        self.bits >>= 8;
        self.undefined >>= 8;
        self.cached -= 1;
        self.room -= 1;
        self.sure = self.sure.saturating_sub(1);
        self.address += 1;
        Ok(byte)
    }

    /// Reads the rest of the range; what is in it does not matter.
    pub fn finish(self, cx: &mut Cx<'_>) -> Result<(), Stop> {
        let (from, len) = (self.address + self.cached, self.sure.saturating_sub(self.cached));
        if stepped::is_step(cx, from) {
            for (at, size) in stepped::elements(from, len) {
                stepped::read(cx, from + at, size)?;
            }
        }
        Ok(())
    }

    fn fill(&mut self, cx: &mut Cx<'_>) -> Result<(), Stop> {
        look_at_stop(cx, self.address)?;
        if self.room == 0 {
            self.room = stepped::readable(cx, self.address)?;
        }
        // Another thread may write behind the end of a string: what is a step of its own reads no
        // byte that might lie there.
        let most = match stepped::is_step(cx, self.address) {
            true => self.sure.max(1),
            false => 8,
        };
        self.cached = (8 - self.address % 8).min(self.room).min(most);
        let mut value = stepped::read(cx, self.address, self.cached)?;
        if value.is_symbolic() {
            // Byte by byte: only those that are looked at must be known.
            let byte = crate::arithmetic::truncate(&cx.state.memory.tags, value, 8);
            self.cached = 1;
            value = Value::new(cx.concrete(byte, "byte of memory")? & 0xff);
        }
        self.bits = value.bits;
        self.undefined = cx.state.memory.tags.undefined_bits(value.tag);
        Ok(())
    }
}

/// Bytes after which a loop over memory looks whether the run has to stop.
const LOOK: u64 = 1 << 16;

/// In a loop over memory that is at this byte: ends the step, which is cut short, if the run has to
/// stop.
fn look_at_stop(cx: &mut Cx<'_>, at: u64) -> Result<(), Stop> {
    match at % LOOK < 8 && cx.state.memory.is_cut() {
        true => Err(Flow::Park),
        false => Ok(()),
    }
}

/// Looks for the first byte that is one of `targets`, among at most `limit` bytes: how many bytes
/// lie before it, and which it is.
pub fn find(cx: &mut Cx<'_>, address: u64, limit: u64, targets: &[u8]) -> Result<Option<(u64, u8)>, Stop> {
    let mut cursor = Cursor::new(address);
    for at in 0..limit {
        let byte = cursor.next(cx)?;
        for &target in targets {
            match byte.is(target) {
                Some(true) => return Ok(Some((at, target))),
                Some(false) => {}
                None => return Err(cx.undefined(Value::UNDEF, "character of a string")),
            }
        }
    }
    Ok(None)
}

/// The length of the string at an address, recorded as read with its terminator.
pub fn length(cx: &mut Cx<'_>, address: u64) -> Result<u64, Stop> {
    bounded_length(cx, address, u64::MAX)
}

/// The length of the string at an address, of which at most `limit` bytes are looked at; recorded
/// as read.
pub fn bounded_length(cx: &mut Cx<'_>, address: u64, limit: u64) -> Result<u64, Stop> {
    let found = find(cx, address, limit, &[0])?;
    let (length, read) = found.map_or((limit, limit), |(at, _)| (at, at + 1));
    stepped::access(cx, address, read, false)?;
    Ok(length)
}

/// The bytes of a range, which must be defined; recorded as read.
pub fn range(cx: &mut Cx<'_>, address: u64, len: u64, what: &str) -> Result<Vec<u8>, Stop> {
    stepped::access(cx, address, len, false)?;
    let mut cursor = Cursor::over(address, len);
    let mut bytes = Vec::new();
    for _ in 0..len {
        let byte = cursor.next(cx)?;
        if byte.undefined != 0 {
            return Err(cx.undefined(Value::UNDEF, what));
        }
        bytes.push(byte.bits);
    }
    Ok(bytes)
}

/// The string at an address of which at most `limit` bytes are looked at, without terminator, all
/// defined; recorded as read.
pub fn bounded_string(cx: &mut Cx<'_>, address: u64, limit: u64, what: &str) -> Result<Vec<u8>, Stop> {
    let mut cursor = Cursor::new(address);
    let (mut bytes, mut read) = (Vec::new(), 0);
    while read < limit {
        let byte = cursor.next(cx)?;
        if byte.undefined != 0 {
            return Err(cx.undefined(Value::UNDEF, what));
        }
        read += 1;
        if byte.bits == 0 {
            break;
        }
        bytes.push(byte.bits);
    }
    stepped::access(cx, address, read, false)?;
    Ok(bytes)
}

/// The string at an address, without terminator, all defined; recorded as read.
pub fn string(cx: &mut Cx<'_>, address: u64, what: &str) -> Result<Vec<u8>, Stop> {
    bounded_string(cx, address, u64::MAX, what)
}

/// Writes bytes to memory; recorded as one access.
pub fn write(cx: &mut Cx<'_>, address: u64, bytes: &[u8]) -> Result<(), Stop> {
    stepped::access(cx, address, bytes.len() as u64, true)?;
    for (at, size) in stepped::elements(address, bytes.len() as u64) {
        look_at_stop(cx, address + at)?;
        let mut word = [0; 8];
        word[..size as usize].copy_from_slice(&bytes[at as usize..(at + size) as usize]);
        stepped::write(cx, address + at, size, Value::new(u64::from_le_bytes(word)))?;
    }
    Ok(())
}

/// Writes bytes to an object that was just made, which no other thread knows.
pub fn write_new(cx: &mut Cx<'_>, address: u64, bytes: &[u8]) -> Result<(), Stop> {
    cx.access(address, bytes.len() as u64, true)?;
    for (i, chunk) in bytes.chunks(8).enumerate() {
        let mut word = [0; 8];
        word[..chunk.len()].copy_from_slice(chunk);
        let at = address + 8 * i as u64;
        look_at_stop(cx, at)?;
        cx.state
            .memory
            .poke_checked(at, chunk.len() as u64, Value::new(u64::from_le_bytes(word)));
    }
    Ok(())
}

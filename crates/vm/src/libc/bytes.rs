//! Reads bytes of the program's memory one after another, with their undefined bits. The bytes are
//! checked but not recorded as accesses.

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
    /// Whether the byte equals `value`; `None` if that depends on undefined bits.
    pub fn is(self, value: u8) -> Option<bool> {
        if (self.bits ^ value) & !self.undefined != 0 {
            Some(false)
        } else {
            (self.undefined == 0).then_some(true)
        }
    }
}

/// A position in memory that advances byte by byte. Each byte is checked when it is read. So the
/// limit of a search may exceed the end of the object if the search stops before the end.
pub struct Cursor {
    address: u64,
    /// The number of bytes from `address` that are read in any case.
    sure: u64,
    /// The number of bytes from `address` that are known to be readable.
    room: u64,
    /// Cached bytes from `address` on (at most eight).
    bits: u64,
    undefined: u64,
    cached: u64,
}

impl Cursor {
    /// A cursor at an address, without a known end.
    pub fn new(address: u64) -> Cursor {
        Cursor::over(address, 0)
    }

    /// A cursor over a range. All bytes of the range are read, whatever they contain.
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

    /// Returns the byte at the cursor and advances.
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

    /// Reads the rest of the range. The contents do not matter.
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
        // Another thread may write after the end of a string. So if the read is a separate step, it
        // reads no byte that may be after the end.
        let most = match stepped::is_step(cx, self.address) {
            true => self.sure.max(1),
            false => 8,
        };
        self.cached = (8 - self.address % 8).min(self.room).min(most);
        let mut value = stepped::read(cx, self.address, self.cached)?;
        if value.is_symbolic() {
            // Continue byte by byte: only the bytes that are used must be known.
            let byte = crate::arithmetic::truncate(&cx.state.memory.tags, value, 8);
            self.cached = 1;
            value = Value::new(cx.concrete(byte, "byte of memory")? & 0xff);
        }
        self.bits = value.bits;
        self.undefined = cx.state.memory.tags.undefined_bits(value.tag);
        Ok(())
    }
}

/// The number of bytes between two polls of the request to stop, in a loop over memory.
const LOOK: u64 = 1 << 16;

/// Polls the request to stop at byte `at` of a loop over memory. If there is one, cuts the step
/// short.
fn look_at_stop(cx: &mut Cx<'_>, at: u64) -> Result<(), Stop> {
    match at % LOOK < 8 && cx.state.memory.is_cut() {
        true => Err(Flow::Park),
        false => Ok(()),
    }
}

/// Searches at most `limit` bytes for the first byte that is in `targets`. Returns the number of
/// bytes before it, and the byte.
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

/// The length of the string at an address. Records a read of the string with its terminator.
pub fn length(cx: &mut Cx<'_>, address: u64) -> Result<u64, Stop> {
    bounded_length(cx, address, u64::MAX)
}

/// The length of the string at an address, of which at most `limit` bytes are examined. Records the
/// read.
pub fn bounded_length(cx: &mut Cx<'_>, address: u64, limit: u64) -> Result<u64, Stop> {
    let found = find(cx, address, limit, &[0])?;
    let (length, read) = found.map_or((limit, limit), |(at, _)| (at, at + 1));
    stepped::access(cx, address, read, false)?;
    Ok(length)
}

/// The bytes of a range, which must be defined. Records the read.
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

/// The string at an address without its terminator; at most `limit` bytes are examined. All bytes
/// must be defined. Records the read.
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

/// The string at an address without its terminator. All bytes must be defined. Records the read.
pub fn string(cx: &mut Cx<'_>, address: u64, what: &str) -> Result<Vec<u8>, Stop> {
    bounded_string(cx, address, u64::MAX, what)
}

/// Writes bytes to memory and records one access.
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

/// Writes bytes to a new object, which no other thread can reach.
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

//! The target of a module, read from the file itself.
//!
//! The process that reads a foreign module silently replaces its target and data layout by its own.
//! A module for another processor would then be reinterpreted. So its triple is read before, from
//! the text or with a minimal bitstream reader (LLVM's Bitcode File Format: blocks are skipped by
//! their length, records are read unabbreviated).

use crate::Error;
use std::path::Path;

/// Refuses modules for other processors. A module that states none is accepted.
pub(crate) fn check(path: &Path, triple: Option<String>) -> Result<(), Error> {
    match triple {
        Some(triple) if !triple.is_empty() && (!triple.starts_with("x86_64") || triple.ends_with("x32")) => {
            Err(Error::OtherTarget {
                path: path.to_owned(),
                triple,
            })
        }
        _ => Ok(()),
    }
}

/// The target triple in IR text, if it states one.
pub(crate) fn of_text(text: &[u8]) -> Option<String> {
    let text = String::from_utf8_lossy(text);
    let line = text
        .lines()
        .find_map(|l| l.trim_start().strip_prefix("target triple"))?;
    Some(line.split('"').nth(1)?.to_owned())
}

/// The target triple in bitcode, if it states one that can be found.
pub(crate) fn of_bitcode(bytes: &[u8]) -> Option<String> {
    let word = |at: usize| Some(u32::from_le_bytes(bytes.get(at..at + 4)?.try_into().ok()?) as usize);
    let bytes = if word(0)? == 0x0b17_c0de {
        bytes.get(word(8)?..)?
    } else {
        bytes
    };
    // The magic number is followed by blocks, with abbreviation identifiers of two bits.
    let mut bits = Bits { bytes, at: 32 };
    while bits.read(2)? == ENTER {
        let block = bits.variable(8)?;
        let width = u32::try_from(bits.variable(4)?).ok()?;
        bits.align();
        let words = bits.read(32)?;
        if block == MODULE {
            return triple(&mut bits, width);
        }
        bits.skip_words(words)?;
    }
    None
}

const ENTER: u64 = 1;
const UNABBREVIATED: u64 = 3;
const MODULE: u64 = 8;
const TRIPLE: u64 = 2;

/// The triple in a module block whose contents begin here.
fn triple(bits: &mut Bits<'_>, width: u32) -> Option<String> {
    loop {
        match bits.read(width)? {
            ENTER => {
                bits.variable(8)?;
                bits.variable(4)?;
                bits.align();
                let words = bits.read(32)?;
                bits.skip_words(words)?;
            }
            UNABBREVIATED => {
                let code = bits.variable(6)?;
                let count = bits.variable(6)?;
                let mut text = String::new();
                for _ in 0..count {
                    let value = bits.variable(6)?;
                    if code == TRIPLE {
                        text.push(char::from(u8::try_from(value).ok()?));
                    }
                }
                if code == TRIPLE {
                    return Some(text);
                }
            }
            // Abbreviations are defined after the triple only.
            _ => return None,
        }
    }
}

/// A reader of bits, the lowest of each byte first.
struct Bits<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl Bits<'_> {
    fn read(&mut self, width: u32) -> Option<u64> {
        if width > 64 {
            return None;
        }
        let mut value = 0;
        for i in 0..width {
            let byte = *self.bytes.get(self.at / 8)?;
            value |= u64::from(byte >> (self.at % 8) & 1) << i;
            self.at += 1;
        }
        Some(value)
    }

    /// A number in groups of `width` bits, the highest of which says that another follows.
    fn variable(&mut self, width: u32) -> Option<u64> {
        let (mut value, mut shift) = (0u64, 0);
        loop {
            let group = self.read(width)?;
            let more = 1 << (width - 1);
            value |= (group & (more - 1)).checked_shl(shift)?;
            if group & more == 0 {
                return Some(value);
            }
            shift += width - 1;
        }
    }

    fn align(&mut self) {
        self.at = self.at.next_multiple_of(32);
    }

    fn skip_words(&mut self, words: u64) -> Option<()> {
        let bits = usize::try_from(words).ok()?.checked_mul(32)?;
        self.at = self.at.checked_add(bits)?;
        (self.at / 8 <= self.bytes.len()).then_some(())
    }
}

#[cfg(test)]
mod tests {
    use super::{of_bitcode, of_text};

    #[test]
    fn triple_of_text() {
        let text = b"; ModuleID = 'x'\ntarget triple = \"aarch64-linux-gnu\"\n";
        assert_eq!(of_text(text).as_deref(), Some("aarch64-linux-gnu"));
        assert_eq!(of_text(b"define void @f()"), None);
    }

    #[test]
    fn nonsense_is_no_bitcode() {
        for len in 0..64 {
            assert_eq!(of_bitcode(&vec![0xff; len]), None);
            assert_eq!(of_bitcode(&vec![0x55; len]), None);
        }
    }
}

//! KLEE's files of inputs (`.ktest`, version 3), so that its tools read our test cases and we read
//! its.
//!
//! ```text
//! "KTEST"  version  number of arguments  (length bytes)*  sym-argvs  sym-argv-len
//! number of objects  (length of name, name, length, bytes)*
//! ```
//!
//! Numbers are 32 bits, big-endian. KLEE knows one thread: inputs of other threads than main have
//! `@` and the thread's name behind theirs, and inputs of one thread are in the order in which it
//! asks for them.

use selvedge_base::Location;
use selvedge_model::{Input, InputKind};

/// What such a file says.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Ktest {
    /// The program's name and arguments.
    pub args: Vec<String>,
    /// The inputs; read back, they are plain bytes without a place.
    pub inputs: Vec<Input>,
}

/// Why a file is no `.ktest`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum KtestError {
    /// It begins with something else.
    #[error("not a .ktest file")]
    Magic,
    /// A version later than 3.
    #[error("version {0} of the .ktest format is not known")]
    Version(u32),
    /// It ends too early.
    #[error("the .ktest file is cut off")]
    Short,
    /// A number of arguments or objects that cannot be.
    #[error("the .ktest file is damaged")]
    Damaged,
}

const MAGIC: &[u8] = b"KTEST";
const VERSION: u32 = 3;

impl Ktest {
    /// The file's bytes.
    pub fn write(&self) -> Vec<u8> {
        let mut out = MAGIC.to_vec();
        number(&mut out, VERSION as usize);
        number(&mut out, self.args.len());
        for arg in &self.args {
            block(&mut out, arg.as_bytes());
        }
        number(&mut out, 0);
        number(&mut out, 0);
        number(&mut out, self.inputs.len());
        for input in &self.inputs {
            if input.thread == "0" {
                block(&mut out, input.name.as_bytes());
            } else {
                block(&mut out, format!("{}@{}", input.name, input.thread).as_bytes());
            }
            block(&mut out, &input.bytes);
        }
        out
    }

    /// Reads a file of version 1 to 3.
    ///
    /// # Errors
    /// If the bytes are no such file.
    pub fn read(bytes: &[u8]) -> Result<Ktest, KtestError> {
        let mut rest = bytes.strip_prefix(MAGIC).ok_or(KtestError::Magic)?;
        let version = take_number(&mut rest)?;
        if !(1..=VERSION).contains(&version) {
            return Err(KtestError::Version(version));
        }
        let mut ktest = Ktest::default();
        for _ in 0..count(&mut rest)? {
            ktest
                .args
                .push(String::from_utf8_lossy(take_block(&mut rest)?).into_owned());
        }
        if version >= 2 {
            take_number(&mut rest)?;
            take_number(&mut rest)?;
        }
        for _ in 0..count(&mut rest)? {
            let name = String::from_utf8_lossy(take_block(&mut rest)?).into_owned();
            let bytes = take_block(&mut rest)?.to_vec();
            let (name, thread) = match name.rsplit_once('@') {
                Some((name, thread)) if selvedge_schedule::is_thread_name(thread) => {
                    (name.to_owned(), thread.to_owned())
                }
                _ => (name, "0".to_owned()),
            };
            ktest.inputs.push(Input {
                name,
                thread,
                bytes,
                kind: InputKind::Bytes,
                location: Location::default(),
            });
        }
        Ok(ktest)
    }
}

fn number(out: &mut Vec<u8>, value: usize) {
    // Longer things cannot be: an input lies in the machine's memory, whose objects are smaller.
    out.extend(u32::try_from(value).unwrap_or(u32::MAX).to_be_bytes());
}

fn block(out: &mut Vec<u8>, bytes: &[u8]) {
    number(out, bytes.len());
    out.extend(bytes);
}

fn take_number(rest: &mut &[u8]) -> Result<u32, KtestError> {
    let (number, behind) = rest.split_first_chunk().ok_or(KtestError::Short)?;
    *rest = behind;
    Ok(u32::from_be_bytes(*number))
}

/// A number of blocks: each takes four bytes at least.
fn count(rest: &mut &[u8]) -> Result<u32, KtestError> {
    let count = take_number(rest)?;
    if count as usize > rest.len() / 4 {
        return Err(KtestError::Damaged);
    }
    Ok(count)
}

fn take_block<'a>(rest: &mut &'a [u8]) -> Result<&'a [u8], KtestError> {
    let length = take_number(rest)? as usize;
    let (block, behind) = rest.split_at_checked(length).ok_or(KtestError::Short)?;
    *rest = behind;
    Ok(block)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn input(name: &str, thread: &str, bytes: &[u8]) -> Input {
        Input {
            name: name.into(),
            thread: thread.into(),
            bytes: bytes.into(),
            kind: InputKind::Bytes,
            location: Location::default(),
        }
    }

    fn example() -> Ktest {
        Ktest {
            args: vec!["prog".into(), "-v".into()],
            inputs: vec![
                input("x", "0", &[1, 2, 3, 4]),
                input("y", "0.2", &[]),
                input("z@a", "0", b"z"),
            ],
        }
    }

    #[test]
    fn bytes_are_those_of_klee() {
        let bytes = example().write();
        let mut expected = b"KTEST\0\0\0\x03\0\0\0\x02\0\0\0\x04prog\0\0\0\x02-v".to_vec();
        expected.extend(b"\0\0\0\0\0\0\0\0\0\0\0\x03\0\0\0\x01x\0\0\0\x04\x01\x02\x03\x04");
        expected.extend(b"\0\0\0\x05y@0.2\0\0\0\0\0\0\0\x03z@a\0\0\0\x01z");
        assert_eq!(bytes, expected);
        assert_eq!(Ktest::read(&bytes), Ok(example()));
    }

    #[test]
    fn damaged_files_are_refused() {
        let whole = example().write();
        for length in 0..whole.len() {
            assert!(Ktest::read(&whole[..length]).is_err(), "{length}");
        }
        for at in 0..whole.len() {
            let mut damaged = whole.clone();
            damaged[at] ^= 0xff;
            let _ = Ktest::read(&damaged); // whatever it says, it ends
        }
        assert_eq!(Ktest::read(b"KTEST\0\0\0\x04"), Err(KtestError::Version(4)));
        assert_eq!(Ktest::read(b"BOUT\n"), Err(KtestError::Magic));
    }
}

//! The protocol between the process that was asked to load a program and the one that reads it.
//!
//! To the reader, on its standard input: the length of the head (four bytes, the lowest first), the
//! head, and the modules one after another. From the reader, on its standard output: marks of what
//! it does next, then its answer. The answer is controlled by the author of the module, who may
//! have taken over the reader: see [`super::load`] for the checks.

use crate::lower::Lowered;
use crate::request::{Refusal, Request};
use std::io::{self, Read, Write};

/// The reader's answer.
pub(crate) type Answer = Result<Lowered, Refusal>;

/// Marks before the answer, one byte each; the first is followed by the number of a unit in four
/// bytes.
const UNIT: u8 = b'u';
const PROGRAM: u8 = b'p';
const UNCONFINED: u8 = b'!';
const ANSWER: u8 = b'a';

/// The reader's last reported activity.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Stage {
    /// Nothing yet.
    Start,
    /// Reading a unit.
    Unit(u32),
    /// Linking and lowering.
    Program,
}

/// The request as bytes, without the modules.
pub(crate) fn head(request: &Request) -> io::Result<Vec<u8>> {
    let head = postcard::to_allocvec(request).map_err(io::Error::other)?;
    let length = u32::try_from(head.len()).map_err(io::Error::other)?;
    let mut bytes = length.to_le_bytes().to_vec();
    bytes.extend(head);
    Ok(bytes)
}

/// Reads a request and its modules.
pub(crate) fn receive(mut from: impl Read) -> io::Result<(Request, Vec<Vec<u8>>)> {
    let mut length = [0; 4];
    from.read_exact(&mut length)?;
    let head = bytes(&mut from, u32::from_le_bytes(length).into())?;
    let request: Request = postcard::from_bytes(&head).map_err(io::Error::other)?;
    let mut units = Vec::new();
    for &(_, _, length) in &request.units {
        units.push(bytes(&mut from, length)?);
    }
    Ok((request, units))
}

/// Reads exactly this number of bytes.
fn bytes(from: &mut impl Read, length: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    from.take(length).read_to_end(&mut bytes)?;
    if bytes.len() as u64 == length {
        Ok(bytes)
    } else {
        Err(io::ErrorKind::UnexpectedEof.into())
    }
}

/// Says what comes next.
pub(crate) fn mark(to: &mut impl Write, stage: Stage) -> io::Result<()> {
    let mut bytes = Vec::new();
    match stage {
        Stage::Start => {}
        Stage::Unit(number) => {
            bytes.push(UNIT);
            bytes.extend(number.to_le_bytes());
        }
        Stage::Program => bytes.push(PROGRAM),
    }
    to.write_all(&bytes)?;
    to.flush()
}

/// Says that the reader could not be confined.
pub(crate) fn unconfined(to: &mut impl Write) -> io::Result<()> {
    to.write_all(&[UNCONFINED])
}

/// Writes the answer.
pub(crate) fn answer(to: &mut impl Write, answer: &Answer) -> io::Result<()> {
    let bytes = postcard::to_allocvec(answer).map_err(io::Error::other)?;
    to.write_all(&[ANSWER])?;
    to.write_all(&bytes)?;
    to.flush()
}

/// What a reader wrote.
pub(crate) struct Written {
    /// What it did last.
    pub stage: Stage,
    /// Whether it was confined, as it says.
    pub confined: bool,
    /// Its answer, if there is a whole one.
    pub answer: Option<Answer>,
}

/// Takes apart what a reader wrote.
pub(crate) fn written(mut bytes: &[u8]) -> Written {
    let mut written = Written {
        stage: Stage::Start,
        confined: true,
        answer: None,
    };
    loop {
        match bytes {
            [UNIT, a, b, c, d, rest @ ..] => {
                written.stage = Stage::Unit(u32::from_le_bytes([*a, *b, *c, *d]));
                bytes = rest;
            }
            [PROGRAM, rest @ ..] => {
                written.stage = Stage::Program;
                bytes = rest;
            }
            [UNCONFINED, rest @ ..] => {
                written.confined = false;
                bytes = rest;
            }
            [ANSWER, rest @ ..] => {
                written.answer = postcard::from_bytes(rest).ok();
                return written;
            }
            _ => return written,
        }
    }
}

/// Sorts LLVM's linking errors.
pub(super) fn link_refusal(message: &str) -> Refusal {
    let duplicate = message
        .split_once("Linking globals named '")
        .and_then(|(_, rest)| rest.split_once("': symbol multiply defined"));
    match duplicate {
        Some((symbol, _)) => Refusal::Duplicate(symbol.to_owned()),
        None => Refusal::Link(message.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::request::{Form, Role};

    #[test]
    fn requests_arrive() {
        let request = Request {
            entry: "main".to_owned(),
            library: true,
            symbolic: false,
            serving: true,
            memory: 1 << 40,
            seconds: 7,
            machine_code: vec!["f".to_owned()],
            open: false,
            units: vec![(Form::Own, Role::Program, 3), (Form::Text, Role::Library(1), 0)],
        };
        let mut sent = head(&request).unwrap();
        sent.extend(b"abc");
        assert_eq!(
            receive(&sent[..]).unwrap(),
            (request, vec![b"abc".to_vec(), Vec::new()])
        );
        sent.pop();
        assert!(receive(&sent[..]).is_err());
    }

    #[test]
    fn answers_arrive() {
        let mut sent = Vec::new();
        unconfined(&mut sent).unwrap();
        mark(&mut sent, Stage::Unit(300)).unwrap();
        assert_eq!(written(&sent).stage, Stage::Unit(300));
        mark(&mut sent, Stage::Program).unwrap();
        answer(&mut sent, &Err(Refusal::NoEntry)).unwrap();
        let got = written(&sent);
        assert!(!got.confined && got.stage == Stage::Program);
        assert!(matches!(got.answer, Some(Err(Refusal::NoEntry))));
        for length in 0..sent.len() {
            assert!(written(&sent[..length]).answer.is_none());
        }
    }
}

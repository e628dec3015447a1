//! Panics of Rust: their messages, for faults. `crates/analysis/src/rust_panics.rs` makes the
//! library tell them.
//!
//! A panic is a fault where it ends the process. Then the library has printed the message, in most
//! cases, and calls `abort`, or the exception that it raises leaves `main` (`unwind.rs`).

use super::{Answer, cxx, plain};
use crate::native::{Cx, Flow, Native};
use crate::word::{PanicField, WordKey};
use selvedge_ir::PANICS;
use selvedge_model::FaultKind;

/// The maximum number of bytes of a message that a fault repeats.
const LONGEST: u64 = 1000;

/// The models of this file.
pub(super) fn find(name: &str) -> Option<Native> {
    Some(match name {
        PANICS => plain!(begin),
        "abort" => plain!(abort),
        _ => return None,
    })
}

fn begin(cx: &mut Cx<'_>) -> Answer {
    let (address, length) = (cx.word(0)?, cx.word(1)?);
    set(cx, address, length);
    Ok(Flow::int(0))
}

/// The panic of the thread is caught.
pub(super) fn end(cx: &mut Cx<'_>) {
    set(cx, 0, 0);
}

fn set(cx: &mut Cx<'_>, address: u64, length: u64) {
    let thread = cx.thread;
    let mut set = |field, value| cx.state.set_word(WordKey::Panic(thread, field), value);
    set(PanicField::Address, address);
    set(PanicField::Length, length);
}

fn abort(cx: &mut Cx<'_>) -> Answer {
    Ok(match message(cx) {
        Some(message) => fault(cx, format!("panic: {message}")),
        None => cx.fault(FaultKind::Abort, "abort was called"),
    })
}

/// The fault, where the program's own code calls Rust's library.
pub(super) fn fault(cx: &mut Cx<'_>, text: String) -> Flow {
    cxx::fault_outside(cx, (FaultKind::Abort, text), |program, stmt| {
        program.in_library(stmt) || program.location(stmt).is_of_system()
    })
}

/// The message of the panic of this thread in one line, if it has begun to panic. Bytes that depend
/// on inputs are question marks: when a finding is reported, its inputs are fixed.
pub(super) fn message(cx: &Cx<'_>) -> Option<String> {
    let word = |field| cx.state.word(WordKey::Panic(cx.thread, field));
    let address = word(PanicField::Address);
    if address == 0 {
        return None;
    }
    let length = word(PanicField::Length);
    let shown = length.min(LONGEST);
    if shown > 0 {
        cx.state.memory.check(address, shown, false).ok()?;
    }
    let byte = |at| {
        let byte = cx.state.memory.peek_checked(at, 1);
        if byte.is_concrete() { byte.bits as u8 } else { b'?' }
    };
    let bytes: Vec<u8> = (address..address + shown).map(byte).collect();
    let text = String::from_utf8_lossy(&bytes);
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    let mut text = lines.collect::<Vec<_>>().join("; ");
    if shown < length {
        text.push('…');
    }
    Some(text)
}

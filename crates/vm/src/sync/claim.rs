//! Claims: waiting until a word of memory has a value, or lacks some bits, and changing it, in one
//! action.
//!
//! This is what taking a lock comes to whose state is a word of memory, if the waiting is left out:
//! `rust_locks.rs` and `rust_crates.rs` of `crates/analysis/src` put claims in the place of such
//! code. The state is the word alone. So a claim and any other code that uses the word understand
//! each other.

use super::claim_shared;
use super::lock_word::{WORD, found, prepare_at, read, write};
use super::operation::{Answer, Model, SUCCESS, done};
use crate::native::{ALL_ARGUMENTS, Cx, Flow, Native, Prepared, Visible};
use crate::state::State;
use crate::value::mask;
use selvedge_ir::{CLAIM, CLAIM_BITS, Callee, InstKind};
use selvedge_model::{Action, Status};

impl crate::program::Program {
    /// Whether there are claims in the place of the program's own code. The model library has some
    /// that stand for nothing else.
    pub fn claims(&self) -> bool {
        use selvedge_ir::{CLAIM_EXCLUSIVE, CLAIM_SHARED};
        let names = [CLAIM, CLAIM_BITS, CLAIM_SHARED, CLAIM_EXCLUSIVE];
        let claims = names.map(|name| self.module.function(name));
        let own = self.module.functions.iter().filter(|function| !function.library);
        let mut insts = own.flat_map(|function| function.blocks.iter().flat_map(|block| &block.insts));
        insts.any(|inst| {
            matches!(
                inst.kind,
                InstKind::Call { callee: Callee::Direct(callee), .. } if claims.contains(&Some(callee))
            )
        })
    }
}

/// In `Core::note`, that a claim waits for bits: the number of the first one and how many there are
/// are bytes of the note.
const BITS: u64 = 1 << 63;

/// The bits of a note.
const fn awaited(note: u64) -> u64 {
    let (first, count) = (note >> 8 & 63, note & 63);
    mask(count as u8) << first
}

/// The models of this file: `__selvedge_claim(word, when, then)` waits until the word is `when`,
/// and makes it `then`. `__selvedge_claim_bits(word, first, count, add, size)` waits until
/// none of so many bits from the first one is set, and adds to the word.
pub(super) fn find(name: &str) -> Option<Native> {
    let (prepare, perform): Model = match name {
        CLAIM => (prepare_value, |cx, _| done(take_value(cx))),
        CLAIM_BITS => (prepare_bits, |cx, _| done(take_bits(cx))),
        _ => return None,
    };
    Some(Native::Visible(Visible {
        prepare,
        perform,
        numbers: ALL_ARGUMENTS,
    }))
}

fn prepare_value(cx: &mut Cx<'_>) -> Prepared {
    match (cx.word(0), cx.word(1)) {
        (Ok(address), Ok(when)) => prepare_at(cx, (address, WORD), u64::from(when as u32)),
        (Err(flow), _) | (_, Err(flow)) => Prepared::Immediate(flow),
    }
}

fn prepare_bits(cx: &mut Cx<'_>) -> Prepared {
    let asked = (|| Ok((cx.word(0)?, cx.word(1)?, cx.word(2)?, cx.word(4)?)))();
    match asked {
        Ok((address, first, count, size)) => prepare_at(cx, (address, size), BITS | first << 8 | count),
        Err(flow) => Prepared::Immediate(flow),
    }
}

/// Whether a claim is enabled, and in how many ways: also where the access is a fault, or the value
/// unknown, which the step then says.
pub(super) fn status(state: &State, action: &Action) -> (Status, u16) {
    let note = state.thread(action.thread).core.note;
    let word = match found(state, action) {
        Some(value) if value.is_concrete() => value.bits,
        _ => return (Status::Enabled, 1),
    };
    let alternatives = match claim_shared::Kind::of(note) {
        _ if note & BITS != 0 => u16::from(word & awaited(note) == 0),
        Some(kind) => kind.alternatives(word as u32),
        None => u16::from(word == note),
    };
    match alternatives {
        0 => (Status::Blocked, 1),
        _ => (Status::Enabled, alternatives),
    }
}

fn take_value(cx: &mut Cx<'_>) -> Answer {
    let (address, when, then) = (cx.word(0)?, cx.word(1)?, cx.word(2)?);
    cx.state.own_core(cx.thread).note = 0;
    if read(cx, (address, WORD))? != u64::from(when as u32) {
        return Err(Flow::Unsupported(OTHER.into()));
    }
    write(cx, (address, WORD), u64::from(then as u32));
    Ok(SUCCESS)
}

fn take_bits(cx: &mut Cx<'_>) -> Answer {
    let (address, add, size) = (cx.word(0)?, cx.word(3)?, cx.word(4)?);
    let note = std::mem::take(&mut cx.state.own_core(cx.thread).note);
    let word = read(cx, (address, size))?;
    if word & awaited(note) != 0 {
        return Err(Flow::Unsupported(OTHER.into()));
    }
    write(cx, (address, size), word.wrapping_add(add) & mask(8 * size as u8));
    Ok(SUCCESS)
}

/// What a step says that the relation or the state was wrong about.
const OTHER: &str = "a claim of a word that has another value";

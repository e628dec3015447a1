//! Claims: waiting until a word of memory has a value, and changing it, in one action.
//!
//! This is what taking a lock comes to whose state is a word of memory, if the waiting is left out:
//! `crates/analysis/src/rust_locks.rs` puts claims in the place of such code. The state is the word
//! alone. So a claim and any other code that uses the word understand each other.

use super::claim_shared;
use super::lock_word::{found, prepare_at, read, write};
use super::operation::done;
use crate::native::{Cx, Flow, Native, Performed, Prepared, Stop, Visible};
use crate::state::State;
use selvedge_ir::{Callee, InstKind};
use selvedge_model::{Action, Outcome, Status};

impl crate::program::Program {
    /// Whether there are claims in the place of the program's own code. The model library has some
    /// that stand for nothing else.
    pub fn claims(&self) -> bool {
        use selvedge_ir::{CLAIM, CLAIM_EXCLUSIVE, CLAIM_SHARED};
        let names = [CLAIM, CLAIM_SHARED, CLAIM_EXCLUSIVE];
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

/// The models of this file: `__selvedge_claim(word, when, then)` waits until the word is `when`,
/// and makes it `then`.
pub(super) fn find(name: &str) -> Option<Native> {
    (name == selvedge_ir::CLAIM).then_some(Native::Visible(Visible {
        prepare,
        perform,
        numbers: crate::native::ALL_ARGUMENTS,
    }))
}

fn prepare(cx: &mut Cx<'_>) -> Prepared {
    match (cx.word(0), cx.word(1)) {
        (Ok(address), Ok(when)) => prepare_at(cx, address, u64::from(when as u32)),
        (Err(flow), _) | (_, Err(flow)) => Prepared::Immediate(flow),
    }
}

/// Whether a claim is enabled, and in how many ways: also where the access is a fault, or the value
/// unknown, which the step then says.
pub(super) fn status(state: &State, action: &Action) -> (Status, u16) {
    let note = state.thread(action.thread).core.note;
    let word = match found(state, action.object.0) {
        Some(value) if value.is_concrete() => value.bits as u32,
        _ => return (Status::Enabled, 1),
    };
    let alternatives = match claim_shared::Kind::of(note) {
        Some(kind) => kind.alternatives(word),
        None => u16::from(word == note as u32),
    };
    match alternatives {
        0 => (Status::Blocked, 1),
        _ => (Status::Enabled, alternatives),
    }
}

fn perform(cx: &mut Cx<'_>, _: u16) -> Performed {
    done(take(cx).map(|()| (0, Outcome::Done)))
}

fn take(cx: &mut Cx<'_>) -> Result<(), Stop> {
    let (address, when, then) = (cx.word(0)?, cx.word(1)?, cx.word(2)?);
    cx.state.own_core(cx.thread).note = 0;
    if read(cx, address)? != when as u32 {
        return Err(Flow::Unsupported(
            "a claim of a word that has another value".into(),
        ));
    }
    write(cx, address, then as u32);
    Ok(())
}

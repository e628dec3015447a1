//! Which signals a thread blocks.
//!
//! No signal is delivered, so a mask changes nothing but what the program is told about it: each thread has its own, and a new
//! thread has its creator's. Sets of signals are plain memory (`crates/frontend/lib/signal.c`).

use super::{Answer, by_element, bytes};
use crate::native::{Cx, Flow, Native};
use crate::state::State;
use crate::value::Value;
use selvedge_base::ThreadId;

/// The models of this file.
pub fn find(name: &str) -> Option<Native> {
    Some(match name {
        "pthread_sigmask" => by_element!(|cx: &mut Cx<'_>| change(cx, false)),
        "sigprocmask" => by_element!(|cx: &mut Cx<'_>| change(cx, true)),
        _ => return None,
    })
}

/// Hidden words: the blocked signals of the thread with a region, which is the same in every interleaving.
const MASKS: u32 = 0x7300_0000;
const EINVAL: i32 = 22;
/// What cannot be blocked: SIGKILL, SIGSTOP, and the two that the C library keeps for itself.
const NEVER: u64 = 1 << (9 - 1) | 1 << (19 - 1) | 1 << (32 - 1) | 1 << (33 - 1);

fn mask_word(state: &State, thread: ThreadId) -> u32 {
    MASKS + state.thread(thread).region
}

/// A new thread blocks what its creator does.
pub(crate) fn inherit(state: &mut State, parent: ThreadId, child: ThreadId) {
    let mask = state.word(mask_word(state, parent));
    if mask != 0 {
        state.set_word(mask_word(state, child), mask);
    }
}

/// The signals that a thread blocks.
pub(crate) fn mask(state: &State, thread: ThreadId) -> u64 {
    state.word(mask_word(state, thread))
}

/// Makes a thread block these signals.
pub(crate) fn set_mask(state: &mut State, thread: ThreadId, mask: u64) {
    state.set_word(mask_word(state, thread), mask);
}

fn change(cx: &mut Cx<'_>, by_errno: bool) -> Answer {
    let (how, new, old) = (cx.int(0)?, cx.word(1)?, cx.word(2)?);
    let word = mask_word(cx.state, cx.thread);
    let before = cx.state.word(word);
    if new != 0 {
        let bytes = bytes::range(cx, new, 8, "set of signals")?;
        let set = bytes
            .iter()
            .rev()
            .fold(0, |set, &byte| set << 8 | u64::from(byte));
        let after = match how {
            0 => before | set,  // SIG_BLOCK
            1 => before & !set, // SIG_UNBLOCK
            2 => set,           // SIG_SETMASK
            _ if by_errno => {
                cx.set_errno(EINVAL)?;
                return Ok(Flow::int(-1));
            }
            _ => return Ok(Flow::int(EINVAL)),
        };
        cx.state.set_word(word, after & !NEVER);
    }
    if old != 0 {
        super::stepped::store(cx, old, 8, Value::new(before))?;
    }
    Ok(Flow::int(0))
}

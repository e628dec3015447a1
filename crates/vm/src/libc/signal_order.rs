//! Changes of signals' actions, and looks at them, while there are several threads.
//!
//! They are no actions of the machine, so their order must be the same in each schedule. It is so
//! for the thread that made the change, and for threads that it, or one of these, created later. If
//! any other thread looks before or after, the verdict is unknown. Each of the two then finds the
//! other, whichever comes first.

use crate::native::{Flow, Stop};
use crate::state::State;
use crate::word::{SignalField, WordKey};
use selvedge_base::ThreadId;

/// Several threads have looked.
const MANY: u64 = u64::MAX;

fn word(state: &State, number: i32, field: SignalField) -> u64 {
    state.word(WordKey::SignalAction(number as u32, field))
}

/// One more than the region of a thread, which does not depend on the schedule.
fn known_as(state: &State, thread: ThreadId) -> u64 {
    u64::from(state.thread(thread).region) + 1
}

/// Whether what a thread does now comes after the last change.
fn is_after_change(state: &State, mut thread: ThreadId, number: i32) -> bool {
    let changed = word(state, number, SignalField::ChangedBy);
    if changed == 0 || changed == known_as(state, thread) {
        return true;
    }
    let children = word(state, number, SignalField::ChangedAt);
    loop {
        let of = state.thread(thread);
        if of.parent == thread {
            return false;
        }
        if known_as(state, of.parent) == changed {
            return u64::from(of.ordinal) > children;
        }
        thread = of.parent;
    }
}

fn unordered() -> Stop {
    let what = "an action of a signal that one thread changes, and another one uses";
    Flow::Unsupported(what.into())
}

/// A thread looks at the action of a signal.
pub(crate) fn look(state: &mut State, thread: ThreadId, number: i32) -> Result<(), Stop> {
    if state.unjoined() == 0 {
        return Ok(());
    }
    if !is_after_change(state, thread, number) {
        return Err(unordered());
    }
    let (before, now) = (
        word(state, number, SignalField::LookedAtBy),
        known_as(state, thread),
    );
    let all = if before == 0 || before == now { now } else { MANY };
    state.set_word(WordKey::SignalAction(number as u32, SignalField::LookedAtBy), all);
    Ok(())
}

/// Whether a thread has looked at the action of a signal, or changed it, since it was last changed
/// while there was one thread.
pub(crate) fn was_used(state: &State, number: i32) -> bool {
    word(state, number, SignalField::LookedAtBy) != 0
}

/// A thread changes the action of a signal.
pub(crate) fn change(state: &mut State, thread: ThreadId, number: i32) -> Result<(), Stop> {
    let (mut by, mut at) = (0, 0);
    if state.unjoined() > 0 {
        by = known_as(state, thread);
        at = u64::from(state.thread(thread).core.children);
        let looked = word(state, number, SignalField::LookedAtBy);
        if !is_after_change(state, thread, number) || (looked != 0 && looked != by) {
            return Err(unordered());
        }
    }
    for (field, value) in [
        (SignalField::ChangedBy, by),
        (SignalField::ChangedAt, at),
        (SignalField::LookedAtBy, by),
    ] {
        state.set_word(WordKey::SignalAction(number as u32, field), value);
    }
    Ok(())
}

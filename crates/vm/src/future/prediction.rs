//! A prediction, and the questions that it answers.

use super::effects::Effects;
use super::touch::{Goal, Touch};
use crate::memory::Memory;
use crate::reach::Reached;
use crate::state::State;
use selvedge_model::{Action, ObjectId, Op};
use std::sync::Arc;

/// What all other threads may do to memory before the observed thread moves.
#[derive(Clone, Debug)]
pub(crate) struct Future {
    pub(super) known: Known,
    /// What the question has cost, as a number of instructions followed.
    pub(super) followed: u32,
    /// How many threads had been created.
    pub(super) creations: usize,
    /// The only access of which something is known.
    pub(super) goal: Option<Goal>,
}

/// What is known of the other threads.
#[derive(Clone, Debug)]
pub(super) enum Known {
    /// They may do anything.
    Nothing,
    /// They may do this.
    Accesses(Arc<[Arc<Effects>]>),
    /// They may do anything to these objects.
    Reached(Arc<Reached>),
}

impl Future {
    /// True if it answers the question about an access, or about anything.
    pub(crate) fn answers(&self, goal: Option<Goal>) -> bool {
        self.goal.is_none() || self.goal == goal
    }

    /// True if another thread may access these bytes, and this access or the other one writes.
    pub(crate) fn conflicts(&self, state: &State, address: u64, size: u64, write: bool) -> bool {
        let goal = Goal { address, size, write };
        match &self.known {
            Known::Nothing => true,
            Known::Reached(reached) => reached.has(state, address),
            Known::Accesses(threads) => threads.iter().any(|effects| effects.conflict(goal)),
        }
    }
}

impl Future {
    /// True if the prediction holds after the observed thread's step that the machine has just
    /// taken, too, because nothing has changed of what it depends on. `action`: the step's action.
    /// `began`: the position of the memory's undo log at which it began.
    pub(crate) fn survives(&self, state: &State, action: &Action, began: usize) -> bool {
        let Known::Accesses(effects) = &self.known else {
            return false;
        };
        let memory = &state.memory;
        let plain = matches!(action.op, Op::Read | Op::Write) && !action.cancelable;
        plain
            && state.creations() == self.creations
            && state.notices().is_empty()
            && !memory.has_changed_objects(began)
            && effects
                .iter()
                .flat_map(|effects| &effects.reads)
                .all(|&(from, to)| !memory.has_changed(began, from, to - from))
    }

    /// True if another thread may access these bytes of a synchronisation object other than by an
    /// operation on the object.
    pub(crate) fn conflicts_with_operation(&self, address: u64, size: u64) -> bool {
        let Known::Accesses(threads) = &self.known else {
            return true;
        };
        let meets = |touch: &Touch| !touch.sync && touch.meets(address, size);
        threads
            .iter()
            .any(|effects| effects.anything || effects.reads_anywhere || effects.touches.iter().any(meets))
    }

    /// True if another thread may use the barrier at an address for anything but waiting there, so
    /// that leaving it does not commute with that.
    pub(crate) fn conflicts_with_leaving(&self, address: u64) -> bool {
        let Known::Accesses(threads) = &self.known else {
            return true;
        };
        let meets = |touch: &Touch| !touch.barrier && touch.meets(address, 1);
        threads
            .iter()
            .any(|effects| effects.reads_anywhere || effects.touches.iter().any(meets))
    }
}

/// The bytes that an action accesses, and whether it writes; the end of an object's life is a write
/// of all of it. `None` if the action does more than this.
pub(crate) fn bytes(memory: &Memory, action: &Action) -> Option<(u64, u64, bool)> {
    if action.cancelable || action.may_fail {
        return None;
    }
    if action.op == Op::Destroy
        && let Some(base) = action.object.as_heap()
    {
        let (_, object) = memory.object_at(base)?;
        return (object.size > 0).then_some((base, object.size, true));
    }
    // An access to an object that may end reads the name of the object, too.
    let names_object = action.is_memory() && action.object2.as_heap().is_some();
    if action.object2 != ObjectId::NONE && !names_object {
        return None;
    }
    let (address, size) = (action.object.0, u64::from(action.size));
    match action.op {
        Op::Read if size > 0 => Some((address, size, false)),
        Op::Write | Op::Rmw | Op::Add if size > 0 => Some((address, size, true)),
        Op::Lock
        | Op::Unlock
        | Op::TryLock
        | Op::RdLock
        | Op::WrLock
        | Op::RdUnlock
        | Op::WrUnlock
        | Op::TryRdLock
        | Op::TryWrLock
        | Op::SpinLock
        | Op::SpinUnlock
        | Op::SpinTryLock
        | Op::SemPost
        | Op::SemWait
        | Op::SemTryWait
            if action.object.is_address() =>
        {
            Some((address, 1, true))
        }
        _ => None,
    }
}

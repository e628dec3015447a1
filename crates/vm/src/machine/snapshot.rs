//! Kept states of the machine: copy-on-write, to be returned to in any order.
//!
//! Memory shares its pages, the tables of synchronisation objects and hidden words and the output
//! are shared until they are written, and threads are copied: O(threads). Interned contexts, sets
//! and masks only grow, so that numbers in a kept state stay valid.

use crate::fingerprint::Cache;
use crate::memory::MemoryState;
use crate::state::Kept;
use crate::vm::Vm;
use selvedge_model::Snapshot;

/// A kept state of a [`Vm`].
#[derive(Clone)]
pub struct VmState {
    memory: MemoryState,
    state: Kept,
    fingerprints: Option<Cache>,
}

impl Snapshot for Vm {
    type State = VmState;

    fn save(&mut self) -> VmState {
        VmState {
            memory: self.state.memory.save(),
            state: self.state.keep(),
            fingerprints: self.fingerprints.as_ref().map(|f| f.cache().clone()),
        }
    }

    fn restore(&mut self, state: &VmState) {
        self.state.memory.restore(&state.memory);
        self.state.restore(&state.state);
        if let (Some(prints), Some(cache)) = (&mut self.fingerprints, &state.fingerprints) {
            prints.restore(cache);
        }
    }
}

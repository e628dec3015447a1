//! Saved states of the machine: copy-on-write, restored in any order.
//!
//! Memory shares its pages. The tables of synchronisation objects and hidden words and the output
//! are shared until they are written. Threads are copied: O(threads). Interned contexts, sets and
//! masks only grow, so numbers in a saved state stay valid.

use crate::fingerprint::Cache;
use crate::memory::MemoryState;
use crate::state::Kept;
use crate::vm::Vm;
use selvedge_model::Snapshot;

/// A saved state of a [`Vm`].
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

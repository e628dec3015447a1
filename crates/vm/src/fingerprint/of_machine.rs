//! The fingerprint of a machine.

use super::inputs;
use super::{Keys, from_scratch};
use crate::vm::Vm;
use selvedge_base::Digest;
use selvedge_model::Fingerprint;
use std::collections::BTreeSet;

/// All empty while the options do not ask for fingerprints, but for `fingerprint_from_scratch`.
impl Fingerprint for Vm {
    fn fingerprint(&self) -> Digest {
        self.fingerprints
            .as_ref()
            .map_or(Digest::EMPTY, |f| f.cache.total)
    }

    fn delta(&self) -> Digest {
        self.fingerprints.as_ref().map_or(Digest::EMPTY, |f| f.delta)
    }

    fn stop_fingerprints(&mut self) {
        self.fingerprints = None;
    }

    fn fingerprint_from_scratch(&self) -> Digest {
        #[cfg(feature = "laboratory")]
        assert!(self.state.memory.notes_symbolic_pages(), "a symbolic byte");
        match &self.fingerprints {
            Some(f) => from_scratch(&self.program, &self.state, &f.cache.users, &f.keys),
            None => from_scratch(&self.program, &self.state, &BTreeSet::new(), &Keys::SOUND),
        }
    }

    fn has_inputs(&self) -> bool {
        self.state.path().is_used() && self.program.options.inputs.is_none() || self.state.has_read_clock()
    }

    fn without_names(&self) -> Digest {
        match self.has_inputs() {
            true => {
                let path = self.state.path();
                let all = path.constraints().len() + path.decided().count() + self.state.threads().len();
                self.renamed.set(self.renamed.get() + all as u64);
                inputs::without_names(&self.program, &self.state, self.forgets)
            }
            false => Digest::EMPTY,
        }
    }
}

impl Vm {
    /// True if the fingerprint is correct: the self-check after a step or after undoing.
    ///
    /// # Errors
    /// The two fingerprints if they differ: the incremental one, and the one from scratch.
    pub fn check_fingerprint(&self) -> Result<(), (Digest, Digest)> {
        let (kept, scratch) = (self.fingerprint(), self.fingerprint_from_scratch());
        if self.fingerprints.is_none() || kept == scratch {
            Ok(())
        } else {
            Err((kept, scratch))
        }
    }
}

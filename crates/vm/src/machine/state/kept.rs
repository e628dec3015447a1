//! Saved states, which can be restored in any order.

use super::State;
use super::place::Place;
use crate::libc::holes::Hole;
use crate::machine::thread::Thread;
use crate::symbolic::Path;
use crate::sync::{SyncObject, needed};
use crate::word::WordNumber;
use rustc_hash::FxHashMap;
use selvedge_base::ThreadId;
use selvedge_model::Pending;
use std::collections::BTreeMap;
use std::rc::Rc;

/// The state without memory. Threads are copied; the rest is shared until it is written.
#[derive(Clone)]
pub(crate) struct Kept {
    threads: Vec<Thread>,
    pending: Vec<Pending>,
    syncs: Rc<FxHashMap<u64, SyncObject>>,
    words: Rc<FxHashMap<WordNumber, u64>>,
    output: Rc<Vec<u8>>,
    holes: Rc<Vec<Hole>>,
    unjoined: u32,
    path: Path,
    dead: Rc<FxHashMap<Place, Vec<u64>>>,
    labels: BTreeMap<ThreadId, Rc<str>>,
}

impl State {
    /// Saves the state without memory.
    pub(in crate::machine) fn keep(&self) -> Kept {
        Kept {
            threads: self.threads.clone(),
            pending: self.pending.clone(),
            syncs: self.syncs.clone(),
            words: self.words.clone(),
            output: self.output.clone(),
            holes: self.holes.clone(),
            unjoined: self.unjoined,
            path: self.path.clone(),
            dead: self.dead.clone(),
            labels: self.labels.clone(),
        }
    }

    /// Restores a saved state and empties the log.
    pub(in crate::machine) fn restore(&mut self, kept: &Kept) {
        self.threads.clone_from(&kept.threads);
        self.pending.clone_from(&kept.pending);
        self.needs.clear();
        self.needs.extend(kept.pending.iter().map(needed));
        self.syncs.clone_from(&kept.syncs);
        self.words.clone_from(&kept.words);
        self.output.clone_from(&kept.output);
        self.holes.clone_from(&kept.holes);
        self.unjoined = kept.unjoined;
        self.path.clone_from(&kept.path);
        self.dead.clone_from(&kept.dead);
        self.labels.clone_from(&kept.labels);
        self.path.commit();
        self.log.clear();
        self.notices.clear();
        self.parts.clear();
    }
}

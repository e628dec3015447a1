//! Toys whose states can be kept and hashed: what strategies with cutoffs and distant jumps need.
//!
//! A fragment is one slot of the toy's memory: a variable, a register, a thread's place, a mutex's
//! owner, how often one thread holds a read-write lock shared. The hash of a state is the sum of
//! its fragments' hashes. Independent operations never write one slot, but for semaphores, where
//! posts are independent of each other: their hash is linear in the value, so that what a post adds
//! is the same whatever the value was.
//!
//! Threads are named by the toy, so the order in which they were created is left out.

use super::compile::Slot;
use super::machine::ToyMachine;
use crate::{Fingerprint, Snapshot};
use selvedge_base::{Digest, Domain};
use std::sync::Arc;

/// A slot and its value.
static SLOT: Domain = Domain::new("toy slot");
/// One unit of a slot's value.
static UNIT: Domain = Domain::new("toy unit");

/// How slots are hashed.
#[derive(Clone, Debug)]
pub(super) struct Hashing {
    /// Slots of semaphores.
    linear: Vec<bool>,
    /// How many bits of each hash count: 128 unless it is to be weak.
    bits: u32,
}

impl Hashing {
    /// For a memory in which just the slots that `linear` tells are semaphores.
    pub fn new(linear: Vec<bool>) -> Hashing {
        Hashing { linear, bits: 128 }
    }

    /// The hash of a slot that holds a value.
    pub fn fragment(&self, slot: Slot, value: i32) -> Digest {
        let hash = if self.linear[slot as usize] {
            Digest::of_words(&UNIT, &[u64::from(slot)])
                .weakened(self.bits)
                .times(i64::from(value) as u64)
        } else {
            Digest::of_words(&SLOT, &[u64::from(slot), i64::from(value) as u64])
        };
        hash.weakened(self.bits)
    }

    fn whole(&self, memory: &[i32]) -> Digest {
        let slots = memory.iter().zip(0..);
        slots.map(|(&value, slot)| self.fragment(slot, value)).sum()
    }
}

impl ToyMachine {
    /// The same toy, at its present state, with fingerprints of only so many bits (1 to 128): to
    /// see what collisions do.
    #[must_use]
    pub fn with_weak_fingerprints(mut self, bits: u32) -> ToyMachine {
        self.hashing = Arc::new(Hashing {
            bits: bits.clamp(1, 128),
            ..Hashing::clone(&self.hashing)
        });
        self.hash = self.fingerprint_from_scratch();
        self.delta = Digest::EMPTY;
        self
    }
}

impl Fingerprint for ToyMachine {
    fn fingerprint(&self) -> Digest {
        self.hash
    }

    fn delta(&self) -> Digest {
        self.delta
    }

    fn fingerprint_from_scratch(&self) -> Digest {
        self.hashing.whole(&self.memory)
    }
}

/// A kept state of a toy.
#[derive(Clone, Debug)]
pub struct ToyState(Arc<Kept>);

#[derive(Debug)]
struct Kept {
    memory: Vec<i32>,
    order: Vec<u32>,
    hash: Digest,
}

impl Snapshot for ToyMachine {
    type State = ToyState;

    fn save(&mut self) -> ToyState {
        ToyState(Arc::new(Kept {
            memory: self.memory.clone(),
            order: self.order.clone(),
            hash: self.hash,
        }))
    }

    fn restore(&mut self, state: &ToyState) {
        self.memory.clone_from(&state.0.memory);
        self.order.clone_from(&state.0.order);
        (self.hash, self.delta) = (state.0.hash, Digest::EMPTY);
        self.log.clear();
        self.notices.clear();
        self.accesses.clear();
        self.refresh();
    }
}

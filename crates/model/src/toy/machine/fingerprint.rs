//! Toys whose states can be saved and hashed, as strategies with cutoffs and distant jumps need it.
//!
//! A fragment is one slot of the toy's memory: a variable, a register, a thread's position, a
//! mutex's owner, the number of times that one thread holds a read-write lock shared. The hash of a
//! state is the sum of its fragments' hashes. Independent operations never write the same slot,
//! with two exceptions: posts to a semaphore are independent of each other, and so are additions to
//! a variable. The hash of such a slot is linear in its value, so each post adds the same.
//!
//! The toy names its threads, so the order in which they were created is left out.

use super::ToyMachine;
use crate::toy::compile::Slot;
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
    /// Slots of semaphores and counters.
    linear: Vec<bool>,
    /// The number of bits of each hash that count: 128, unless the hash has to be weak.
    bits: u32,
}

impl Hashing {
    /// For a memory in which the slots that `linear` selects are counters.
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
    /// The same toy, in its present state, with fingerprints of only `bits` bits (1 to 128), to
    /// show the effect of collisions.
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

/// A saved state of a toy.
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

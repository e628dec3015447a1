//! Toys whose states can be kept and hashed: what strategies with cutoffs and distant jumps need.
//!
//! A fragment is one slot of the toy's memory: a variable, a register, a thread's place, a mutex's owner, how often one
//! thread holds a read-write lock shared. The hash of a state is the sum of its fragments' hashes. Independent operations
//! never write one slot, but for semaphores, where posts are independent of each other: their hash is linear in the value,
//! so that what a post adds is the same whatever the value was.
//!
//! Threads are named by the toy, so the order in which they were created is left out.

use super::compile::Slot;
use super::machine::ToyMachine;
use crate::{Fingerprint, Snapshot};
use std::sync::Arc;

/// How slots are hashed.
#[derive(Clone, Debug)]
pub(super) struct Hashing {
    /// The name of each slot, hashed.
    keys: Vec<u128>,
    /// Slots of semaphores.
    linear: Vec<bool>,
    /// How far a hash is shifted to the left: 0 unless it is to be weak. The low bits of a sum are then always 0, so that
    /// sums and differences of weak hashes are weak as well.
    shift: u32,
}

impl Hashing {
    /// For a memory in which just the slots that `linear` tells are semaphores.
    pub fn new(linear: Vec<bool>) -> Hashing {
        let key = |slot: u64| u128::from(mix(2 * slot)) << 64 | u128::from(mix(2 * slot + 1));
        Hashing {
            // Odd: a multiple of it is 0 for the value 0 only.
            keys: (1..=linear.len() as u64).map(|slot| key(slot) | 1).collect(),
            linear,
            shift: 0,
        }
    }

    /// The hash of a slot that holds a value.
    pub fn fragment(&self, slot: Slot, value: i32) -> u128 {
        let (key, value) = (self.keys[slot as usize], i128::from(value) as u128);
        let hash = if self.linear[slot as usize] {
            key.wrapping_mul(value)
        } else {
            let half = |key: u64| u128::from(mix(key ^ mix(value as u64)));
            half((key >> 64) as u64) << 64 | half(key as u64)
        };
        hash << self.shift
    }

    fn whole(&self, memory: &[i32]) -> u128 {
        memory
            .iter()
            .zip(0..)
            .map(|(&value, slot)| self.fragment(slot, value))
            .fold(0, u128::wrapping_add)
    }
}

/// The finalizer of splitmix64.
fn mix(x: u64) -> u64 {
    let x = x.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let x = (x ^ x >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let x = (x ^ x >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ x >> 31
}

impl ToyMachine {
    /// The same toy, at its present state, with fingerprints of only so many bits (1 to 128): to see what collisions do.
    #[must_use]
    pub fn with_weak_fingerprints(mut self, bits: u32) -> ToyMachine {
        self.hashing = Arc::new(Hashing {
            shift: 128 - bits.clamp(1, 128),
            ..Hashing::clone(&self.hashing)
        });
        self.hash = self.fingerprint_from_scratch();
        self.delta = 0;
        self
    }
}

impl Fingerprint for ToyMachine {
    fn fingerprint(&self) -> u128 {
        self.hash
    }

    fn delta(&self) -> u128 {
        self.delta
    }

    fn fingerprint_from_scratch(&self) -> u128 {
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
    hash: u128,
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
        (self.hash, self.delta) = (state.0.hash, 0);
        self.log.clear();
        self.notices.clear();
        self.accesses.clear();
        self.refresh();
    }
}

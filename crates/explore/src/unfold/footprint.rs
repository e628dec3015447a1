//! What events touch in memory, for races that involve cutoffs.
//!
//! A footprint is the set of accesses that an event makes to memory, its own action included; equal ones share a number. Two footprints of
//! different threads may race if they overlap, one writes, and not both accesses are atomic.

use rustc_hash::{FxHashMap, FxHasher};
use selvedge_model::{Access, Action, MemoryOrder, Op};
use std::hash::{Hash, Hasher};

/// An access to memory, without its place in the program.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Touch {
    address: u64,
    size: u32,
    write: bool,
    atomic: bool,
}

/// The bytes of a mutex.
const MUTEX: u64 = 40;

/// The number of a footprint; 0: none.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Footprint(pub u32);

/// What a thread did last: the operation and the footprint of its last event; if that was a signal, also those of the event before, so
/// that a signal right after its mutex was given back is told from others.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Trail {
    /// A hash of it.
    pub hash: u64,
    /// How many signals it ends with.
    pub signals: u8,
}

/// So many signals after a mutex was given back are told apart.
pub const MOST_SIGNALS: u8 = 3;

impl Trail {
    /// The trail after an event.
    pub fn after(self, action: &Action, footprint: Footprint) -> Trail {
        let mut hasher = FxHasher::default();
        (action.op, action.object, footprint).hash(&mut hasher);
        if !matches!(action.op, Op::Signal | Op::Broadcast) {
            return Trail {
                hash: hasher.finish(),
                signals: 0,
            };
        }
        let signals = (self.signals + 1).min(MOST_SIGNALS + 1);
        if signals <= MOST_SIGNALS {
            self.hash.hash(&mut hasher);
        }
        Trail {
            hash: hasher.finish(),
            signals,
        }
    }
}

/// All footprints.
#[derive(Debug, Default)]
pub struct Footprints {
    index: FxHashMap<Box<[Touch]>, Footprint>,
    all: Vec<Box<[Touch]>>,
    buffer: Vec<Touch>,
}

impl Footprints {
    /// The footprint of an action and the accesses that came with it.
    pub fn of(&mut self, action: &Action, accesses: &[Access]) -> Footprint {
        self.buffer.clear();
        self.buffer.extend(accesses.iter().map(|a| Touch {
            address: a.address,
            size: a.size,
            write: a.write,
            atomic: a.order != MemoryOrder::NotAtomic,
        }));
        if action.is_memory() {
            self.buffer.push(Touch {
                address: action.object.0,
                size: action.size,
                write: action.op != Op::Read,
                atomic: action.order != MemoryOrder::NotAtomic,
            });
        } else if action.object.is_address() && action.object.0 != 0 {
            // Operations on an object count as atomic accesses to its bytes.
            let mut touch = |address: u64, size: u64| {
                self.buffer.push(Touch {
                    address,
                    size: size as u32,
                    write: true,
                    atomic: true,
                });
            };
            if action.object_size() != 0 {
                touch(action.object.0, action.object_size());
            }
            if matches!(action.op, Op::WaitRelease | Op::WaitAcquire) {
                touch(action.object2.0, MUTEX);
            }
        }
        if self.buffer.is_empty() {
            return Footprint::default();
        }
        self.buffer.sort_unstable();
        self.buffer.dedup();
        if let Some(&known) = self.index.get(self.buffer.as_slice()) {
            return known;
        }
        let touches: Box<[Touch]> = self.buffer.as_slice().into();
        self.all.push(touches.clone());
        let number = Footprint(self.all.len() as u32);
        self.index.insert(touches, number);
        number
    }

    fn touches(&self, footprint: Footprint) -> &[Touch] {
        match footprint.0.checked_sub(1) {
            Some(at) => &self.all[at as usize],
            None => &[],
        }
    }

    /// Whether unordered events with these footprints race.
    pub fn may_race(&self, a: Footprint, b: Footprint) -> bool {
        self.touches(a).iter().any(|x| {
            self.touches(b).iter().any(|y| {
                (x.write || y.write)
                    && !(x.atomic && y.atomic)
                    && x.address < y.address + u64::from(y.size)
                    && y.address < x.address + u64::from(x.size)
            })
        })
    }
}

//! How actions use locations.
//!
//! A *location* is a shared object, or some bytes of memory that are always accessed together.
//!
//! - A read, and an attempt that fails, *reads*.
//! - A write to memory, and the end of a thread, *writes*.
//! - Everything else is an *update*: it reads one write, and no two updates read the same one. The
//!   updates of a location are a chain.
//! - Who wakes a thread writes the thread's own part of the condition variable or barrier. This is
//!   all that a woken thread reads of it.
//!
//! Two actions that the relation [`Conflict`](selvedge_model::Conflict) calls dependent share a
//! location that one of them writes. If both only write it, no later action can tell their order
//! without reading it.

use super::graph::{Location, Part, Source};
use super::reason::Uncovered;
use rustc_hash::FxHashMap;
use selvedge_base::{Id, ThreadId};
use selvedge_model::{Action, ObjectId, Op, OpClass};
use smallvec::SmallVec;

/// A use of a location by an action that was not taken yet.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Use {
    pub location: Location,
    pub reads: bool,
    pub class: OpClass,
}

/// The uses of an action.
pub type Uses = SmallVec<[Use; 2]>;

/// Marks a thread's own part of a condition variable or barrier.
const OWN: u64 = 1 << 59;
const ALL_BYTES: u8 = 0xff;

/// The numbers of locations.
#[derive(Default, Debug)]
pub struct Locations {
    numbers: FxHashMap<(u64, u64, u8), Location>,
    /// The bytes with which an object was used.
    bytes: FxHashMap<u64, SmallVec<[u8; 4]>>,
}

impl Locations {
    /// The uses of a pending action, which has names of threads.
    ///
    /// # Errors
    /// If this strategy does not cover such an action.
    pub fn uses(&mut self, action: &Action) -> Result<Uses, Uncovered> {
        covered(action)?;
        let mut uses = Uses::new();
        let mut sizes = Ok(());
        let waits = matches!(action.op, Op::WaitRelease);
        action.for_each_use(|object, bytes, class| {
            // All waits of a condition variable are in one chain, so the order of waits with
            // different mutexes needs no objects of its own.
            if waits && matches!(class, OpClass::Value | OpClass::Post) {
                return;
            }
            let own = matches!(class, OpClass::Notified | OpClass::Leave);
            let location = match own {
                true => Ok(self.own(object, action.thread)),
                false => self.number(object, bytes),
            };
            match location {
                Err(why) => sizes = Err(why),
                // One action may use an object in two ways.
                Ok(location) => match uses.iter_mut().find(|earlier| earlier.location == location) {
                    Some(earlier) => {
                        *earlier = Use {
                            reads: true,
                            class: OpClass::Total,
                            ..*earlier
                        }
                    }
                    None => uses.push(Use {
                        location,
                        reads: reads(action.op, class),
                        class,
                    }),
                },
            }
        });
        sizes.map(|()| uses)
    }

    /// The parts of an event. `sources`: what its reading parts read, in order. `named`: the
    /// threads that its outcome names.
    pub fn parts(
        &mut self,
        action: &Action,
        uses: &Uses,
        sources: &[Source],
        (failed, named): (bool, &[ThreadId]),
    ) -> SmallVec<[Part; 2]> {
        let mut sources = sources.iter();
        let part = |used: &Use| Part {
            location: used.location,
            reads: used.reads.then(|| sources.next().copied().flatten()),
            writes: writes(action.op, used.class, failed),
        };
        let mut parts: SmallVec<[Part; 2]> = uses.iter().map(part).collect();
        let end = action
            .ends
            .then(|| self.intern((ObjectId::thread(action.thread).0, 0, ALL_BYTES)));
        let mut write = |location| match parts.iter_mut().find(|part| part.location == location) {
            Some(part) => part.writes = true,
            None => parts.push(Part {
                location,
                reads: None,
                writes: true,
            }),
        };
        end.into_iter().for_each(&mut write);
        match action.op.class() {
            OpClass::Notify | OpClass::Arrive => {
                for &thread in named {
                    write(self.own(action.object.0, thread));
                }
            }
            _ => {}
        }
        if matches!(action.op.class(), OpClass::Wait | OpClass::Arrive) {
            write(self.own(action.object.0, action.thread));
        }
        parts
    }

    /// The locations with some of these bytes of memory, as far as actions use them.
    pub fn overlapping(&self, address: u64, size: u64) -> SmallVec<[Location; 2]> {
        let mut found = SmallVec::new();
        let end = address.saturating_add(size.max(1));
        let mut granule = address & !7;
        while granule < end {
            for &bytes in self.bytes.get(&granule).into_iter().flatten() {
                let touches =
                    |byte: u64| bytes >> byte & 1 != 0 && (address..end).contains(&(granule + byte));
                if (0..8).any(touches) {
                    found.extend(self.numbers.get(&(granule, 0, bytes)).copied());
                }
            }
            granule += 8;
        }
        found
    }

    /// A thread's own part of a condition variable or barrier.
    fn own(&mut self, object: u64, thread: ThreadId) -> Location {
        self.intern((object ^ OWN, thread.index() as u64 + 1, ALL_BYTES))
    }

    fn number(&mut self, object: u64, bytes: u8) -> Result<Location, Uncovered> {
        let known = self.bytes.entry(object).or_default();
        if !known.contains(&bytes) {
            if known.iter().any(|other| other & bytes != 0) {
                return Err(Uncovered::Sizes);
            }
            known.push(bytes);
        }
        Ok(self.intern((object, 0, bytes)))
    }

    fn intern(&mut self, key: (u64, u64, u8)) -> Location {
        let next = self.numbers.len() as Location;
        *self.numbers.entry(key).or_insert(next)
    }
}

/// Says whether this strategy covers an action.
fn covered(action: &Action) -> Result<(), Uncovered> {
    if action.cancelable || matches!(action.op, Op::Cancel | Op::CancelPoint) {
        return Err(Uncovered::Cancel);
    }
    if action.blocks.is_some() || matches!(action.op, Op::AtomicBlock | Op::Channel) {
        return Err(Uncovered::Blocks);
    }
    if action.op == Op::WaitTimeout {
        return Err(Uncovered::Timeout);
    }
    if action.op == Op::HiddenWait && action.may_fail {
        return Err(Uncovered::Outside);
    }
    Ok(())
}

/// True if an operation reads an object that it uses in this class.
fn reads(op: Op, class: OpClass) -> bool {
    match class {
        OpClass::Local | OpClass::Exit => false,
        OpClass::Write => matches!(op, Op::Rmw | Op::Claim),
        OpClass::Read
        | OpClass::Add
        | OpClass::Acquire
        | OpClass::Release
        | OpClass::Try
        | OpClass::AcquireShared
        | OpClass::ReleaseShared
        | OpClass::Wait
        | OpClass::Notified
        | OpClass::Notify
        | OpClass::Arrive
        | OpClass::Leave
        | OpClass::Post
        | OpClass::Take
        | OpClass::Value
        | OpClass::Join
        | OpClass::Cancel
        | OpClass::Channel
        | OpClass::Total => true,
    }
}

/// True if an operation with a known outcome writes an object that it uses in this class.
fn writes(op: Op, class: OpClass, failed: bool) -> bool {
    match class {
        OpClass::Local
        | OpClass::Read
        | OpClass::Value
        | OpClass::Join
        | OpClass::Notified
        | OpClass::Leave => false,
        OpClass::Try | OpClass::Take => !failed,
        OpClass::Write => !(failed && op == Op::Rmw),
        OpClass::Add
        | OpClass::Acquire
        | OpClass::Release
        | OpClass::AcquireShared
        | OpClass::ReleaseShared
        | OpClass::Wait
        | OpClass::Notify
        | OpClass::Arrive
        | OpClass::Post
        | OpClass::Exit
        | OpClass::Cancel
        | OpClass::Channel
        | OpClass::Total => true,
    }
}

//! Which memory several threads access in the continuations of a state.
//!
//! Where plain accesses are no actions, all continuations were visited only if none of them has a
//! data race. Whether two accesses are ordered is not asked here, only whether there are two that
//! might race.

use rustc_hash::FxHashMap;
use selvedge_base::ThreadId;
use selvedge_model::{Event, Machine, MemoryOrder, ObjectId};

/// How aligned words of memory were accessed.
#[derive(Default, Debug)]
pub(super) struct Touched {
    words: FxHashMap<u64, Uses>,
    conflicts: bool,
}

#[derive(Clone, Copy, Debug)]
struct Uses {
    /// A thread that accessed it, and whether another one did.
    thread: ThreadId,
    several: bool,
    written: bool,
    plain: bool,
}

impl Touched {
    /// Records the last step of a machine.
    pub fn step<M: Machine>(&mut self, machine: &M, event: &Event) {
        if machine.interleaves_plain() || self.conflicts {
            return;
        }
        let parts = machine.parts().iter().map(|part| part.action);
        for action in std::iter::once(event.action).chain(parts) {
            if action.is_memory() {
                let how = (action.writes_memory(), false);
                self.touch(action.thread, (action.object.0, u64::from(action.size)), how);
            }
        }
        for access in machine.accesses() {
            if ObjectId(access.address).is_address() {
                let how = (access.write, access.order == MemoryOrder::NotAtomic);
                let bytes = (access.address, u64::from(access.size));
                self.touch(event.action.thread, bytes, how);
            }
        }
    }

    fn touch(&mut self, thread: ThreadId, (address, size): (u64, u64), (write, plain): (bool, bool)) {
        for word in address >> 3..=address.saturating_add(size.max(1) - 1) >> 3 {
            let uses = self.words.entry(word).or_insert(Uses {
                thread,
                several: false,
                written: false,
                plain: false,
            });
            uses.several |= uses.thread != thread;
            uses.written |= write;
            uses.plain |= plain;
            self.conflicts |= uses.several && uses.written && uses.plain;
        }
    }

    /// True if two accesses of different threads might race.
    pub fn may_race(&self) -> bool {
        self.conflicts
    }
}

//! Actions: what a thread does to an object in one visible operation (design: semantics,
//! "Operations").

use crate::{Needs, Op, OpClass, Varies};
use selvedge_base::{Id, StmtId, ThreadId};
use serde::{Deserialize, Serialize};

/// The name of a shared object: its address; for threads and hidden objects a number in a range no
/// address has.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default, Serialize, Deserialize)]
pub struct ObjectId(pub u64);

impl ObjectId {
    /// No object.
    pub const NONE: ObjectId = ObjectId(0);
    const THREAD: u64 = 1 << 63;
    const HIDDEN: u64 = 1 << 62;
    const HEAP: u64 = 1 << 61;

    /// The object that stands for a thread itself (its start, end and cancellation).
    #[inline]
    pub fn thread(thread: ThreadId) -> Self {
        ObjectId(Self::THREAD | thread.index() as u64)
    }

    /// The thread that this object stands for, if it does.
    #[inline]
    pub fn as_thread(self) -> Option<ThreadId> {
        (self.0 & Self::THREAD != 0).then(|| ThreadId::from_index((self.0 & 0xffff) as usize))
    }

    /// What all atomic blocks act on.
    pub const ATOMIC: ObjectId = ObjectId::hidden(0xa70);

    /// A hidden shared object of a model (an output stream, the process).
    pub const fn hidden(number: u32) -> Self {
        ObjectId(Self::HIDDEN | number as u64)
    }

    /// A heap object as a whole, by its base address: what `free` destroys.
    pub const fn heap(base: u64) -> Self {
        ObjectId(Self::HEAP | base)
    }

    /// The base address of the heap object that this stands for, if it does.
    pub const fn as_heap(self) -> Option<u64> {
        if self.0 >> 61 == 1 {
            Some(self.0 & !Self::HEAP)
        } else {
            None
        }
    }

    /// Whether a thread may still be joined: what joins and detaches of it share.
    pub fn joinable(thread: ThreadId) -> Self {
        ObjectId(Self::HIDDEN | 1 << 32 | thread.index() as u64)
    }

    /// The thread of which this says whether it may be joined, if it does.
    pub fn as_joinable(self) -> Option<ThreadId> {
        (self.0 >> 32 == Self::HIDDEN >> 32 | 1).then(|| ThreadId::from_index((self.0 & 0xffff) as usize))
    }

    /// Whether this is an address in the program's memory.
    pub const fn is_address(self) -> bool {
        self.0 >> 61 == 0
    }
}

/// C11 memory order of an access; `NotAtomic` for plain ones.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
#[repr(u8)]
pub enum MemoryOrder {
    /// A plain access.
    #[default]
    NotAtomic,
    /// Atomic without order.
    Relaxed,
    /// Acquire.
    Acquire,
    /// Release.
    Release,
    /// Both.
    AcqRel,
    /// Sequentially consistent.
    SeqCst,
}

impl MemoryOrder {
    /// Whether a read with this order synchronises with a release.
    pub const fn acquires(self) -> bool {
        matches!(
            self,
            MemoryOrder::Acquire | MemoryOrder::AcqRel | MemoryOrder::SeqCst
        )
    }
    /// Whether a write with this order releases.
    pub const fn releases(self) -> bool {
        matches!(
            self,
            MemoryOrder::Release | MemoryOrder::AcqRel | MemoryOrder::SeqCst
        )
    }
}

/// One visible operation of a thread. Copy, at most 32 bytes.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Action {
    /// What it acts on.
    pub object: ObjectId,
    /// The mutex of a condition wait; for an access to a heap object the object's own name
    /// ([`ObjectId::heap`]), so that `free` (a `Destroy` of that name) depends on it; else
    /// [`ObjectId::NONE`].
    pub object2: ObjectId,
    /// The statement.
    pub stmt: StmtId,
    /// Bytes touched, for memory accesses; else 0.
    pub size: u32,
    /// Who acts.
    pub thread: ThreadId,
    /// What it does.
    pub op: Op,
    /// Memory order, for memory accesses and fences.
    pub order: MemoryOrder,
    /// This is a cancellation point, or changes the thread's cancel state: dependent on `Cancel` of
    /// the thread.
    pub cancelable: bool,
    /// An access to memory in a program with atomic blocks: dependent on every block of another
    /// thread, since what a block touches is not known before it runs.
    pub atomic: bool,
    /// A read-modify-write that may fail (compare-and-swap): then it only reads. A `HiddenWait`
    /// that somebody outside the program could end: it does so, and fails, once no other thread
    /// can move.
    pub may_fail: bool,
    /// The thread ended within the transition of this action (known only of events, not of pending
    /// actions): it is the thread's `Exit` as well.
    pub ends: bool,
}

impl Action {
    /// An action of a thread without an object.
    pub fn new(thread: ThreadId, op: Op) -> Self {
        Action {
            object: ObjectId::NONE,
            object2: ObjectId::NONE,
            stmt: StmtId(0),
            size: 0,
            thread,
            op,
            order: MemoryOrder::NotAtomic,
            cancelable: false,
            atomic: false,
            may_fail: false,
            ends: false,
        }
    }

    /// The same on an object.
    pub fn on(thread: ThreadId, op: Op, object: ObjectId) -> Self {
        Action {
            object,
            ..Action::new(thread, op)
        }
    }

    /// Whether this is an access to memory.
    #[inline]
    pub const fn is_memory(&self) -> bool {
        matches!(self.op, Op::Read | Op::Write | Op::Rmw)
    }

    /// The bytes of its object that an operation counts as touching: those of a memory access, or
    /// of a synchronisation object on x86-64 Linux; 0 if it cannot be told.
    pub const fn object_size(&self) -> u64 {
        match self.size {
            0 => self.op.info().object_size as u64,
            size => size as u64,
        }
    }

    /// Whether no action of another thread is dependent on it (but the creation of its own thread):
    /// it can be run at once, without considering anything else.
    #[inline]
    pub const fn is_local(&self) -> bool {
        let info = self.op.info();
        matches!(info.class, OpClass::Local)
            && matches!(info.class2, OpClass::Local)
            && matches!(info.needs, Needs::Nothing)
            && !self.cancelable
    }

    /// Whether its effect on its object depends on the state in which it is taken.
    #[inline]
    pub const fn effect_varies(&self) -> bool {
        let varies = match self.op.info().effect {
            Varies::Varies => true,
            Varies::IfMayFail => self.may_fail,
            Varies::Same => false,
        };
        varies || self.cancelable || self.atomic
    }
}

const _: () = assert!(size_of::<Action>() <= 32);

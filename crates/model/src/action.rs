//! Actions: what a thread does to an object in one visible operation.

use crate::{Needs, Op, OpClass, Varies};
use selvedge_base::{Id, StmtId, ThreadId};
use serde::{Deserialize, Serialize};

/// The name of a shared object. For memory it is the address. Threads and hidden objects have
/// numbers in ranges that contain no address.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default, Serialize, Deserialize)]
pub struct ObjectId(pub u64);

impl ObjectId {
    /// No object.
    pub const NONE: ObjectId = ObjectId(0);
    const THREAD: u64 = 1 << 63;
    const HIDDEN: u64 = 1 << 62;
    const HEAP: u64 = 1 << 61;
    /// Numbers of hidden objects from here on are those of classes of atomic blocks.
    const BLOCKS: u32 = 0xa700;
    /// Behind a place ([`ObjectId::place`]): the thread has done what is there.
    pub const BEHIND: ObjectId = ObjectId(Self::HIDDEN | 3 << 32);

    /// The object that represents a thread itself (its start, end and cancellation).
    #[inline]
    pub fn thread(thread: ThreadId) -> Self {
        ObjectId(Self::THREAD | thread.index() as u64)
    }

    /// The thread that this object represents, if any.
    #[inline]
    pub fn as_thread(self) -> Option<ThreadId> {
        (self.0 & Self::THREAD != 0).then(|| ThreadId::from_index((self.0 & 0xffff) as usize))
    }

    /// What the atomic blocks of a class act on.
    pub const fn blocks(class: BlockClass) -> Self {
        ObjectId::hidden(Self::BLOCKS | class.0 as u32)
    }

    /// The class of atomic blocks of which this is the object, if it is.
    pub const fn as_blocks(self) -> Option<BlockClass> {
        let first = Self::HIDDEN | Self::BLOCKS as u64;
        match self.0 & !0xff == first {
            true => Some(BlockClass(self.0 as u8)),
            false => None,
        }
    }

    /// A hidden shared object of a model (an output stream, the process).
    pub const fn hidden(number: u32) -> Self {
        ObjectId(Self::HIDDEN | number as u64)
    }

    /// The queue of the threads that wait on the futex word at an address. It has a name of its
    /// own, so that waking a thread does not depend on accesses to the word.
    pub const fn queue(word: u64) -> Self {
        ObjectId(Self::HIDDEN | Self::HEAP | word)
    }

    /// The address of the futex word whose queue this is, if it is one.
    pub const fn as_queue(self) -> Option<u64> {
        if self.0 >> 61 == 3 {
            Some(self.0 & !(Self::HIDDEN | Self::HEAP))
        } else {
            None
        }
    }

    /// A heap object as a whole, by its base address: what `free` destroys.
    pub const fn heap(base: u64) -> Self {
        ObjectId(Self::HEAP | base)
    }

    /// The base address of the heap object that this name represents, if any.
    pub const fn as_heap(self) -> Option<u64> {
        if self.0 >> 61 == 1 {
            Some(self.0 & !Self::HEAP)
        } else {
            None
        }
    }

    /// The object that joins and detaches of a thread use: whether the thread may still be joined.
    pub fn joinable(thread: ThreadId) -> Self {
        ObjectId(Self::HIDDEN | 1 << 32 | thread.index() as u64)
    }

    /// The thread whose joinability this object represents, if any.
    pub fn as_joinable(self) -> Option<ThreadId> {
        (self.0 >> 32 == Self::HIDDEN >> 32 | 1).then(|| ThreadId::from_index((self.0 & 0xffff) as usize))
    }

    /// A place of the program, by number: where a thread comes to an instruction that a set of
    /// schedules orders.
    pub const fn place(number: u32) -> Self {
        ObjectId(Self::HIDDEN | 2 << 32 | number as u64)
    }

    /// The place that this object is, if it is one.
    pub const fn as_place(self) -> Option<u32> {
        if self.0 >> 32 == Self::HIDDEN >> 32 | 2 {
            Some(self.0 as u32)
        } else {
            None
        }
    }

    /// True if this is an address in the program's memory.
    pub const fn is_address(self) -> bool {
        self.0 >> 61 == 0
    }
}

/// A class of atomic blocks (docs/algorithms.md, "Atomic blocks"): memory that blocks may touch is
/// divided into classes, and each block touches memory of one class only.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct BlockClass(pub u8);

impl BlockClass {
    /// No class: of memory that no block touches.
    pub const NONE: BlockClass = BlockClass(0);
    /// The first class, and the only one where nothing is known of what blocks touch.
    pub const FIRST: BlockClass = BlockClass(1);

    /// Whether it is a class.
    #[inline]
    pub const fn is_some(self) -> bool {
        self.0 != 0
    }
}

/// What an operation of a channel has done, and to the message in which place. One that has done
/// anything else, or for which more than the place counts, says nothing.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Passed {
    /// Sent it.
    Sent(u32),
    /// Received it.
    Received(u32),
    /// Said that the last sender, or the last receiver, is gone.
    Disconnected,
}

/// The C11 memory order of an access; `NotAtomic` for plain accesses.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
#[repr(u8)]
pub enum MemoryOrder {
    /// A plain access.
    #[default]
    NotAtomic,
    /// Atomic, without ordering.
    Relaxed,
    /// Acquire.
    Acquire,
    /// Release.
    Release,
    /// Acquire and release.
    AcqRel,
    /// Sequentially consistent.
    SeqCst,
}

impl MemoryOrder {
    /// True if a read with this order synchronises with a release.
    pub const fn acquires(self) -> bool {
        matches!(
            self,
            MemoryOrder::Acquire | MemoryOrder::AcqRel | MemoryOrder::SeqCst
        )
    }
    /// True if a write with this order is a release.
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
    /// The object that the action uses.
    pub object: ObjectId,
    /// A second object. For a condition wait it is the mutex. For an access to a heap object it is
    /// the object's own name ([`ObjectId::heap`]), so that `free` (a `Destroy` of that name)
    /// depends on the access. Otherwise [`ObjectId::NONE`].
    pub object2: ObjectId,
    /// The statement.
    pub stmt: StmtId,
    /// The number of bytes accessed, for memory accesses; for an event of a channel, what it has
    /// [passed](Action::passed) on; otherwise 0.
    pub size: u32,
    /// The acting thread.
    pub thread: ThreadId,
    /// The operation.
    pub op: Op,
    /// Memory order, for memory accesses.
    pub order: MemoryOrder,
    /// True if this is a cancellation point or changes the thread's cancel state. Then it is
    /// dependent on a `Cancel` of the thread.
    pub cancelable: bool,
    /// The class of atomic blocks that may touch the memory of this access. The access is
    /// dependent on every block of this class of another thread, because the accesses of a block
    /// are not known before the block runs.
    pub blocks: BlockClass,
    /// True for a read-modify-write that may fail (compare-and-swap). If it fails, it only reads. A
    /// `HiddenWait` with this flag may be ended from outside the program: it is enabled, and fails,
    /// once no other thread can move.
    pub may_fail: bool,
    /// True if the thread ended within the transition of this action. Then the action is the
    /// thread's `Exit` as well. Only events have this flag; pending actions do not.
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
            blocks: BlockClass::NONE,
            may_fail: false,
            ends: false,
        }
    }

    /// An action of a thread on an object.
    pub fn on(thread: ThreadId, op: Op, object: ObjectId) -> Self {
        Action {
            object,
            ..Action::new(thread, op)
        }
    }

    /// True if this is an access to memory.
    #[inline]
    pub const fn is_memory(&self) -> bool {
        self.reads_memory() || self.writes_memory()
    }

    /// True if it reads the memory at its object.
    #[inline]
    pub const fn reads_memory(&self) -> bool {
        matches!(self.op, Op::Read | Op::Rmw | Op::Add | Op::Claim)
    }

    /// True if it writes the memory at its object, unless it fails.
    #[inline]
    pub const fn writes_memory(&self) -> bool {
        matches!(self.op, Op::Write | Op::Rmw | Op::Add | Op::Claim)
    }

    /// The number of bytes of its object that the operation is assumed to touch: the size of a
    /// memory access, or of the synchronisation object on x86-64 Linux. 0 if the size is not known.
    pub const fn object_size(&self) -> u64 {
        match self.size {
            0 => self.op.info().object_size as u64,
            _ if matches!(self.op, Op::Channel) => self.op.info().object_size as u64,
            size => size as u64,
        }
    }

    /// The same operation of a channel, which has passed on a message.
    #[must_use]
    pub const fn having(self, passed: Passed) -> Action {
        let size = match passed {
            Passed::Disconnected => 1,
            Passed::Sent(number) => 2 * number + 2,
            Passed::Received(number) => 2 * number + 3,
        };
        Action { size, ..self }
    }

    /// The message that an operation of a channel has passed on, if that is known.
    #[inline]
    pub const fn passed(&self) -> Option<Passed> {
        match (self.op, self.size) {
            (Op::Channel, 0) => None,
            (Op::Channel, 1) => Some(Passed::Disconnected),
            (Op::Channel, size) if size % 2 == 0 => Some(Passed::Sent(size / 2 - 1)),
            (Op::Channel, size) => Some(Passed::Received(size / 2 - 1)),
            _ => None,
        }
    }

    /// True if no action of another thread is dependent on this action, except the creation of its
    /// own thread. Such an action can be run at once, without considering other threads.
    #[inline]
    pub const fn is_local(&self) -> bool {
        let info = self.op.info();
        matches!(info.class, OpClass::Local)
            && matches!(info.class2, OpClass::Local)
            && matches!(info.needs, Needs::Nothing)
            && !self.cancelable
    }

    /// The operation that does the same as this one where it fails, if that is to read its object:
    /// whether it fails follows from the object, and if it does, it changes nothing.
    #[inline]
    pub const fn read_if_it_fails(&self) -> Option<Op> {
        let info = self.op.info();
        match info.class {
            OpClass::Write if self.may_fail && matches!(self.op, Op::Rmw) => Some(Op::Read),
            OpClass::Try | OpClass::Take if matches!(info.effect, Varies::Varies) => Some(Op::Look),
            _ => None,
        }
    }

    /// Whether it may store the value that is there, and would be a read then
    /// ([`Event::as_used`](crate::Event::as_used)).
    #[inline]
    pub const fn may_be_silent(&self, values_only: bool) -> bool {
        match self.op {
            Op::Write => values_only || matches!(self.order, MemoryOrder::NotAtomic),
            // It does not end a release sequence.
            Op::Rmw => values_only || !self.order.releases(),
            _ => false,
        }
    }

    /// True if the effect on the object depends on the state in which the action is taken.
    #[inline]
    pub const fn effect_varies(&self) -> bool {
        let varies = match self.op.info().effect {
            Varies::Varies => true,
            Varies::IfMayFail => self.may_fail,
            Varies::Same => false,
        };
        varies || self.cancelable || self.blocks.is_some()
    }
}

const _: () = assert!(size_of::<Action>() <= 32);

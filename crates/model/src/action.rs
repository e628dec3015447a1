//! Actions: what a thread does to an object in one visible operation (design: semantics, "Operations").

use selvedge_base::{Id, StmtId, ThreadId};

/// The name of a shared object: its address; for threads and hidden objects a number in a range no address has.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
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

/// Visible operations. The object is `Action::object` unless the variant says otherwise.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[repr(u8)]
pub enum Op {
    /// The first action of a thread: runs its code up to its first visible operation. Independent of everything.
    Start,
    /// Creates a thread. Object: the process-wide hidden object of nothing; the new thread is in the event's outcome.
    Spawn,
    /// Waits for the end of thread `object`.
    Join,
    /// Makes thread `object` unjoinable.
    Detach,
    /// The end of the acting thread; object: itself.
    Exit,
    /// exit, abort, return from main: enabled only once every other thread is finished, blocked or parked.
    ProcessExit,
    /// Continues only if a condition holds (the machine parks the thread where it does not).
    Assume,
    /// A data choice: one alternative for each value.
    Choose,
    /// sched_yield, sleep, pause: a scheduling point without effect.
    Yield,
    /// Takes mutex `object`.
    Lock,
    /// Takes it if it is free.
    TryLock,
    /// Takes it, or times out while it is held.
    TimedLock,
    /// Gives it back.
    Unlock,
    /// Any kind of unlock or wait by a thread that does not hold the lock: it fails, or is a fault, at once. Never use
    /// the real operation's name for it: those are known to exclude a `Lock` of another thread, this one does not.
    BadUnlock,
    /// Takes spin lock `object`.
    SpinLock,
    /// Takes it if it is free.
    SpinTryLock,
    /// Gives it back.
    SpinUnlock,
    /// Takes read-write lock `object` for reading.
    RdLock,
    /// The same if no writer has it.
    TryRdLock,
    /// The same, or a time-out while a writer has it.
    TimedRdLock,
    /// A reader gives it back.
    RdUnlock,
    /// Takes it for writing.
    WrLock,
    /// The same if nobody has it.
    TryWrLock,
    /// The same, or a time-out while somebody has it.
    TimedWrLock,
    /// The writer gives it back.
    WrUnlock,
    /// First half of a condition wait: releases mutex `object2` and starts waiting on `object`. If it has alternatives: with the second
    /// one the wait is over at once, a spurious wakeup.
    WaitRelease,
    /// A waiting thread that may time out or is cancelled (its alternatives). Object: the condition variable, object2: the mutex.
    WaitTimeout,
    /// Second half: re-acquires mutex `object2`. Also the (blocked) pending action of a thread that waits without time-out.
    WaitAcquire,
    /// Wakes one waiter: one alternative a waiter; lost if there is none.
    Signal,
    /// Wakes all waiters.
    Broadcast,
    /// Arrives at barrier `object`.
    BarrierArrive,
    /// Leaves it once all have arrived.
    BarrierLeave,
    /// Adds one to semaphore `object`.
    SemPost,
    /// Takes one, waiting while there is none.
    SemWait,
    /// Takes one if there is one.
    SemTryWait,
    /// Takes one, or times out while there is none.
    SemTimedWait,
    /// Reads the semaphore's value.
    SemGetValue,
    /// `pthread_once` on `object`: runs the routine, waits for it, or passes.
    OnceEnter,
    /// The end of the routine.
    OnceDone,
    /// Initialises an object of any kind.
    Init,
    /// Destroys it.
    Destroy,
    /// The owner of robust mutex `object` ends without unlocking it.
    OwnerDied,
    /// pthread_mutex_consistent.
    Consistent,
    /// Requests the cancellation of thread `object`.
    Cancel,
    /// Acts on, enables or disables a cancellation of the acting thread; object: itself.
    CancelPoint,
    /// Waits on the futex word at `object`, if it has the expected value.
    FutexWait,
    /// Wakes those who wait on it.
    FutexWake,
    /// Reads `size` bytes of memory at `object`.
    Read,
    /// Writes them.
    Write,
    /// Reads and writes them in one step.
    Rmw,
    /// A fence. Object: none.
    Fence,
    /// An atomic block (`__VERIFIER_atomic_begin` … `end`): all its accesses in one action. Object: [`ObjectId::ATOMIC`].
    AtomicBlock,
    /// An operation of a model on a hidden object (the process's exit handlers, a file): all on one object are dependent. With
    /// an order it releases, or acquires, what a pipe hands on: of `object2`, if there is one.
    Hidden,
    /// The same, while what it waits for is not there (data in a pipe, a stream that another thread holds) blocked.
    HiddenWait,
    /// An operation of a model that only looks at a hidden object (what a descriptor stands for): independent of other looks.
    Look,
}

/// How an operation uses its object, as far as dependence of *operations* (not outcomes) goes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[repr(u8)]
pub enum OpClass {
    /// Touches no shared object.
    Local,
    /// Reads: independent of other reads.
    Read,
    /// Writes: dependent on reads and writes.
    Write,
    /// Takes a lock exclusively, blocking.
    Acquire,
    /// Gives an exclusive lock back.
    Release,
    /// Takes or tests a lock without blocking for ever.
    Try,
    /// Takes a read-write lock shared, blocking.
    AcquireShared,
    /// Gives a shared lock back.
    ReleaseShared,
    /// Starts to wait on a condition variable, or stops waiting by itself.
    Wait,
    /// Ends a wait after it was notified.
    Notified,
    /// Wakes waiters.
    Notify,
    /// Arrives at a barrier.
    Arrive,
    /// Leaves a barrier.
    Leave,
    /// Adds to a semaphore.
    Post,
    /// Takes from a semaphore.
    Take,
    /// Reads a semaphore's value.
    Value,
    /// Waits for a thread's end.
    Join,
    /// A thread's end.
    Exit,
    /// Cancels a thread.
    Cancel,
    /// Dependent on every use of the object.
    Total,
}

/// One visible operation of a thread. Copy, at most 32 bytes.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Action {
    /// What it acts on.
    pub object: ObjectId,
    /// The mutex of a condition wait; for an access to a heap object the object's own name ([`ObjectId::heap`]), so that
    /// `free` (a `Destroy` of that name) depends on it; else [`ObjectId::NONE`].
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
    /// This is a cancellation point, or changes the thread's cancel state: dependent on `Cancel` of the thread.
    pub cancelable: bool,
    /// An access to memory in a program with atomic blocks: dependent on every block of another thread, since what a
    /// block touches is not known before it runs.
    pub atomic: bool,
    /// A read-modify-write that may fail (compare-and-swap): then it only reads.
    pub may_fail: bool,
    /// The thread ended within the transition of this action (known only of events, not of pending actions): it is the
    /// thread's `Exit` as well.
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

    /// The bytes of its object that an operation counts as touching: those of a memory access, or of a synchronisation object on
    /// x86-64 Linux; 0 if it cannot be told.
    pub const fn object_size(&self) -> u64 {
        if self.size != 0 {
            return self.size as u64;
        }
        match self.op {
            Op::Lock | Op::TryLock | Op::TimedLock | Op::Unlock | Op::OwnerDied | Op::Consistent => 40,
            Op::SpinLock | Op::SpinTryLock | Op::SpinUnlock | Op::OnceEnter | Op::OnceDone => 4,
            Op::FutexWait | Op::FutexWake => 4,
            Op::RdLock | Op::TryRdLock | Op::TimedRdLock | Op::RdUnlock => 56,
            Op::WrLock | Op::TryWrLock | Op::TimedWrLock | Op::WrUnlock => 56,
            Op::WaitRelease | Op::Signal | Op::Broadcast => 48,
            Op::BarrierArrive
            | Op::SemPost
            | Op::SemWait
            | Op::SemTryWait
            | Op::SemTimedWait
            | Op::SemGetValue => 32,
            _ => 0,
        }
    }

    /// Whether no action of another thread is dependent on it (but the creation of its own thread): it can be run at
    /// once, without considering anything else.
    #[inline]
    pub const fn is_local(&self) -> bool {
        matches!(
            self.op,
            Op::Start | Op::Assume | Op::Choose | Op::Yield | Op::Fence
        ) && !self.cancelable
    }
}

const _: () = assert!(size_of::<Action>() <= 32);

//! The visible operations: one table defines them.
//!
//! Every property of an operation as such that a strategy, a detector or the machine needs is a
//! column of this table. A new operation is a new row. Elsewhere, no decision may list operations
//! with a wildcard for the rest, if the wildcard could lose behaviour. `tests/operations.rs`
//! compares the columns with each other.

/// The properties of an operation that hold for every object and outcome.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct OpInfo {
    /// Its name in schedules and reports, before the object's name.
    pub text: &'static str,
    /// How it uses `Action::object`.
    pub class: OpClass,
    /// How it uses `Action::object2`.
    pub class2: OpClass,
    /// The size of the synchronisation object on x86-64 Linux, in bytes; 0 if the action gives the
    /// size, or if there is no such object.
    pub object_size: u8,
    /// The happens-before edges that it makes.
    pub synchronises: Synchronises,
    /// The changes that may enable or disable it while it is pending, or change its alternatives.
    pub needs: Needs,
    /// Whether its effect depends on the state in which it is taken.
    pub effect: Varies,
    /// True if it may change which action another thread takes next. If false, the machine
    /// guarantees that it does not; the random programs of `cli` check this at every step. A
    /// creation may put a new thread in the place of one that has ended, which its outcome names,
    /// but never in an exploration by `dpor`.
    pub changes_pending: bool,
}

/// The happens-before edges that a successful operation makes. This list serves all code that
/// follows happens-before: the race detector, the clocks of events in the unfolding, the
/// quarantine. "Acquires from" means: the thread's clock is joined with a clock that another thread
/// released.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Synchronises {
    /// None.
    Nothing,
    /// The new thread, which the outcome names, acquires from this thread.
    Creation,
    /// Acquires from the end of thread `object`.
    ThreadEnd,
    /// Takes a lock: acquires from the last exclusive unlock.
    Taken,
    /// Releases an exclusive lock: the next thread that takes the lock acquires.
    GivenBack,
    /// Takes a read-write lock shared: acquires from its writers.
    TakenShared,
    /// Releases a shared lock: the next writer acquires.
    SharedGivenBack,
    /// Takes a read-write lock exclusively: acquires from its writers and its readers.
    TakenFromAll,
    /// Releases mutex `object2`.
    WaitBegins,
    /// Takes mutex `object2`, and acquires from the thread that woke it.
    WaitEnds,
    /// The threads that the outcome names acquire when they go on.
    Notification,
    /// Releases to the barrier's round. If it ends the round, it acquires from all arrivals of the
    /// round, and the threads that the outcome names acquire when they go on.
    Arrival,
    /// Acquires from the barrier's round, or from the thread that ended the futex wait.
    Departure,
    /// Reads the futex word `object2`: acquires from its release sequences.
    Sleeps,
    /// Writes the word `object2`: releases.
    WordGivenBack,
    /// Each thread that later takes from the semaphore acquires.
    Post,
    /// Acquires from all earlier posts.
    Take,
    /// Acquires from the thread that completed the routine.
    OnceEntered,
    /// Each thread that enters later acquires.
    OnceDone,
    /// The clocks of the object are dropped: the operation begins or ends its life.
    SetUp,
    /// Depends on the memory order.
    Memory,
    /// Acquires from the earlier atomic blocks at its beginning, and releases to the later blocks
    /// at its end.
    Block,
    /// Depends on the memory order. The edge goes through `object2`, or through `object` if there
    /// is no `object2`: data that passes through a pipe.
    HandedOn,
}

/// The changes that may enable or disable a pending operation, or change its alternatives.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Needs {
    /// None: it is always enabled.
    Nothing,
    /// Changes of `Action::object`.
    Object,
    /// Changes of more than one object.
    Anything,
    /// For a compare-and-swap, changes of the memory; otherwise none.
    IfMayFail,
}

/// Whether an operation's effect on its object depends on the state in which it is taken.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Varies {
    /// It always has the same effect.
    Same,
    /// It may fail, or it affects the threads that it finds waiting.
    Varies,
    /// As `Varies` for a compare-and-swap, otherwise as `Same`.
    IfMayFail,
}

impl Op {
    /// True if the threads that the outcome names acquire the clock of this operation's thread.
    #[inline]
    pub const fn teaches_named(self) -> bool {
        matches!(
            self.info().synchronises,
            Synchronises::Creation | Synchronises::Notification | Synchronises::Arrival
        )
    }
    /// True if the operation waits for a limited time: it fails where it would have to wait.
    #[inline]
    pub const fn has_deadline(self) -> bool {
        matches!(
            self,
            Op::TimedLock | Op::TimedRdLock | Op::TimedWrLock | Op::SemTimedWait
        )
    }
}

macro_rules! operations {
    ($($(#[$doc:meta])* $name:ident: $text:literal, $class:ident, $class2:ident, $size:literal,
       $synchronises:ident, $needs:ident, $effect:ident, $changes:literal;)*) => {
        /// Visible operations. The object is `Action::object` unless the variant says otherwise.
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        #[repr(u8)]
        pub enum Op {
            $($(#[$doc])* $name,)*
        }

        impl Op {
            /// All operations, in order.
            pub const ALL: &'static [Op] = &[$(Op::$name,)*];

            /// The operation's row.
            #[inline(always)]
            pub const fn info(self) -> &'static OpInfo {
                const TABLE: &[OpInfo] = &[$(OpInfo {
                    text: $text,
                    class: OpClass::$class,
                    class2: OpClass::$class2,
                    object_size: $size,
                    synchronises: Synchronises::$synchronises,
                    needs: Needs::$needs,
                    effect: Varies::$effect,
                    changes_pending: $changes,
                },)*];
                &TABLE[self as usize]
            }
        }
    };
}

// The columns: text, class, class2, object_size, synchronises, needs, effect, changes_pending.
operations! {
    /// The first action of a thread: runs its code up to its first visible operation. Independent
    /// of every action.
    Start: "start", Local, Local, 0, Nothing, Nothing, Same, false;
    /// Creates a thread. The outcome of the event names the new thread. There is no object;
    /// `object2` is memory that it writes in the same action, if any.
    Spawn: "create a thread", Local, Write, 0, Creation, Nothing, Same, false;
    /// Waits for the end of thread `object`.
    Join: "join", Join, Total, 0, ThreadEnd, Object, Same, false;
    /// Makes thread `object` unjoinable.
    Detach: "detach", Local, Total, 0, Nothing, Nothing, Same, false;
    /// The end of the acting thread; object: itself. `object2`: what the last thread's end starts,
    /// which is ordered after all other ends.
    Exit: "end of", Exit, Total, 0, HandedOn, Nothing, Same, false;
    /// exit, abort, return from main: enabled only once every other thread is finished, blocked or
    /// parked.
    ProcessExit: "end of the process", Local, Local, 0, Nothing, Anything, Same, false;
    /// Continues only if a condition holds. If it does not hold, the machine parks the thread.
    Assume: "assume", Local, Local, 0, Nothing, Nothing, Same, false;
    /// A data choice: one alternative for each value.
    Choose: "choose", Local, Local, 0, Nothing, Nothing, Same, false;
    /// sched_yield, sleep, pause: a scheduling point without effect. An object is a place of the
    /// program ([`place`](crate::ObjectId::place), [`BEHIND`](crate::ObjectId::BEHIND)).
    Yield: "yield", Local, Local, 0, Nothing, Nothing, Same, false;
    /// Takes mutex `object`.
    Lock: "lock", Acquire, Local, 40, Taken, Object, Same, false;
    /// Takes the mutex if it is free.
    TryLock: "try to lock", Try, Local, 40, Taken, Nothing, Varies, false;
    /// Takes the mutex, or times out while it is held.
    TimedLock: "lock with a deadline", Try, Local, 40, Taken, Nothing, Varies, false;
    /// Releases the mutex.
    Unlock: "unlock", Release, Local, 40, GivenBack, Nothing, Same, false;
    /// Any kind of unlock or wait by a thread that does not hold the lock. It fails, or is a fault,
    /// at once. The real operation's name must not be used for it: the search relies on the fact
    /// that an unlock is never enabled together with a `Lock` of another thread, and this does not
    /// hold here.
    BadUnlock: "unlock without holding", Try, Local, 0, Nothing, Nothing, Varies, false;
    /// Takes spin lock `object`.
    SpinLock: "spin-lock", Acquire, Local, 4, Taken, Object, Same, false;
    /// Takes the spin lock if it is free.
    SpinTryLock: "try to spin-lock", Try, Local, 4, Taken, Nothing, Varies, false;
    /// Releases the spin lock.
    SpinUnlock: "spin-unlock", Release, Local, 4, GivenBack, Nothing, Same, false;
    /// Takes read-write lock `object` for reading.
    RdLock: "read-lock", AcquireShared, Local, 56, TakenShared, Object, Same, false;
    /// Takes the lock for reading if no writer has it.
    TryRdLock: "try to read-lock", Try, Local, 56, TakenShared, Nothing, Varies, false;
    /// Takes the lock for reading, or times out while a writer has it.
    TimedRdLock: "read-lock with a deadline", Try, Local, 56, TakenShared, Nothing, Varies, false;
    /// A reader releases the lock.
    RdUnlock: "read-unlock", ReleaseShared, Local, 56, SharedGivenBack, Nothing, Same, false;
    /// Takes the lock for writing.
    WrLock: "write-lock", Acquire, Local, 56, TakenFromAll, Object, Same, false;
    /// Takes the lock for writing if no thread has it.
    TryWrLock: "try to write-lock", Try, Local, 56, TakenFromAll, Nothing, Varies, false;
    /// Takes the lock for writing, or times out while another thread has it.
    TimedWrLock: "write-lock with a deadline", Try, Local, 56, TakenFromAll, Nothing, Varies, false;
    /// The writer releases the lock.
    WrUnlock: "write-unlock", Release, Local, 56, GivenBack, Nothing, Same, false;
    /// First half of a condition wait: releases mutex `object2` and starts to wait on `object`. It
    /// may have a second alternative: the wait ends at once (a spurious wakeup).
    WaitRelease: "wait on", Wait, Release, 48, WaitBegins, Nothing, Same, false;
    /// The pending action of a waiting thread that may time out or is cancelled (its alternatives).
    /// Object: the condition variable; object2: the mutex.
    WaitTimeout: "stop waiting on", Wait, Local, 0, Nothing, Anything, Varies, false;
    /// Second half of a condition wait: takes mutex `object2` again. It is also the (blocked)
    /// pending action of a thread that waits without a time-out.
    WaitAcquire: "woken on", Notified, Acquire, 0, WaitEnds, Anything, Varies, false;
    /// Wakes one waiter, with one alternative for each waiter. Without a waiter the signal is lost.
    Signal: "signal", Notify, Local, 48, Notification, Object, Varies, true;
    /// Wakes all waiters.
    Broadcast: "broadcast", Notify, Local, 48, Notification, Nothing, Varies, true;
    /// Reads the futex word `object2` and waits on `object`, the word's queue, if the word has
    /// the expected value. Fails otherwise. It may have a second alternative: the wait ends at
    /// once (a spurious wakeup). A wait with a time-out goes on as `WaitTimeout`; who wakes is
    /// a `Signal` or `Broadcast` of the queue.
    FutexWait: "futex wait on", Wait, Read, 0, Sleeps, Anything, Varies, false;
    /// First half of a condition wait whose lock is the word of memory `object2`: writes the word,
    /// which releases, and starts to wait on `object`, a queue. It may have a second alternative:
    /// the wait ends at once (a spurious wakeup). The wait goes on as one on a futex does.
    WaitReleaseWord: "wait on", Wait, Write, 0, WordGivenBack, Nothing, Same, false;
    /// The end of a futex wait. It is also the (blocked) pending action of a thread that waits
    /// without a time-out.
    FutexWoken: "woken from a futex wait on", Notified, Local, 0, Departure, Object, Same, false;
    /// Arrives at barrier `object`.
    BarrierArrive: "arrive at barrier", Arrive, Local, 32, Arrival, Nothing, Same, true;
    /// Leaves the barrier after all threads have arrived.
    BarrierLeave: "leave barrier", Leave, Local, 32, Departure, Object, Same, false;
    /// Adds one to semaphore `object`.
    SemPost: "post", Post, Local, 32, Post, Nothing, Varies, false;
    /// Takes one; blocks while there is none.
    SemWait: "semaphore wait", Take, Local, 32, Take, Object, Same, false;
    /// Takes one if there is one.
    SemTryWait: "try semaphore", Take, Local, 32, Take, Nothing, Varies, false;
    /// Takes one, or times out while there is none.
    SemTimedWait: "semaphore wait with a deadline", Take, Local, 32, Take, Nothing, Varies, false;
    /// Reads the semaphore's value.
    SemGetValue: "read semaphore", Value, Write, 32, Nothing, Nothing, Same, false;
    /// `pthread_once` on `object`: runs the routine, waits for it, or passes.
    OnceEnter: "enter once", Total, Local, 4, OnceEntered, Object, Same, false;
    /// The end of the once routine.
    OnceDone: "once done", Total, Local, 4, OnceDone, Nothing, Same, true;
    /// Initialises an object of any kind.
    Init: "initialise", Total, Local, 0, SetUp, Nothing, Same, false;
    /// Destroys an object of any kind.
    Destroy: "destroy", Total, Local, 0, SetUp, Object, Same, false;
    /// The owner of robust mutex `object` ends without unlocking it.
    OwnerDied: "end while holding", Total, Local, 40, GivenBack, Nothing, Same, true;
    /// pthread_mutex_consistent.
    Consistent: "make consistent", Total, Local, 40, Nothing, Nothing, Same, false;
    /// Requests the cancellation of thread `object`.
    Cancel: "cancel", Cancel, Total, 0, Nothing, Nothing, Same, true;
    /// Acts on, enables or disables a cancellation of the acting thread; object: itself.
    CancelPoint: "cancellation point of", Local, Local, 0, Nothing, Nothing, Same, false;
    /// Reads `size` bytes of memory at `object`.
    Read: "read", Read, Local, 0, Memory, Nothing, Same, false;
    /// Writes `size` bytes of memory at `object`.
    Write: "write", Write, Local, 0, Memory, Nothing, Same, false;
    /// Reads and writes `size` bytes of memory at `object` in one step.
    Rmw: "read-modify-write", Write, Local, 0, Memory, IfMayFail, IfMayFail, false;
    /// Adds to the `size` bytes of memory at `object`, atomically and modulo their width, and
    /// nobody asks what they were: such additions commute, and acquire nothing. All additions to
    /// one of these bytes are to the same `size` bytes.
    Add: "add to", Add, Local, 0, Memory, Nothing, Same, false;
    /// Waits until the `size` bytes of memory at `object` have a certain value, and changes them,
    /// in one step: how a model takes a lock that is a word of memory.
    Claim: "take", Write, Local, 0, Memory, Anything, Same, false;
    /// An operation of a channel of Rust's standard library, as a whole. The objects are the two
    /// words that say how far receivers and senders have come. An event says in its
    /// [`size`](crate::Action::size) which [message](crate::Passed) it has passed on, if it is
    /// known. What orders it for races are the atomic accesses that it contains.
    Channel: "use the channel in", Channel, Channel, 0, HandedOn, Anything, Varies, false;
    /// An atomic block (`__VERIFIER_atomic_begin` … `end`): all its accesses in one action. Object:
    /// its class ([`blocks`](crate::ObjectId::blocks)). It is blocked once a thread was stopped
    /// within a block of this class.
    AtomicBlock: "atomic block", Total, Local, 0, Block, Object, Same, false;
    /// An operation of a model on a hidden object (the process's exit handlers, a file). All such
    /// operations on one object are dependent. If it has a memory order, it releases or acquires
    /// data that passes through a pipe: `object2`, if there is one.
    Hidden: "library operation", Total, Total, 0, HandedOn, Nothing, Same, true;
    /// Like `Hidden`, but blocked while something is missing: data in a pipe, or a stream that
    /// another thread holds.
    HiddenWait: "library operation", Total, Total, 0, HandedOn, Anything, Same, false;
    /// An operation of a model that only reads a hidden object (for example what a descriptor
    /// refers to). Independent of other reads.
    Look: "look-up", Read, Local, 0, Nothing, Nothing, Same, false;
}

/// How an operation uses its object, for the dependence of *operations* (not outcomes).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[repr(u8)]
pub enum OpClass {
    /// Touches no shared object.
    Local,
    /// Reads: independent of other reads.
    Read,
    /// Writes: dependent on reads and writes.
    Write,
    /// Adds without looking: as a write, but independent of other additions.
    Add,
    /// Takes a lock exclusively, blocking.
    Acquire,
    /// Releases an exclusive lock.
    Release,
    /// Takes or tests a lock, and never blocks for ever.
    Try,
    /// Takes a read-write lock shared, blocking.
    AcquireShared,
    /// Releases a shared lock.
    ReleaseShared,
    /// Starts to wait on a condition variable, or stops waiting without being woken.
    Wait,
    /// Ends a wait after it was notified.
    Notified,
    /// Wakes waiters.
    Notify,
    /// Arrives at a barrier.
    Arrive,
    /// Leaves a barrier.
    Leave,
    /// Adds to a semaphore. Posts are independent, so no post should make another one fail. At the
    /// greatest value of a semaphore it does, and then only one of the orders is explored.
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
    /// Sends or receives: dependent on every use of the object, as long as nobody knows which
    /// message it is.
    Channel,
    /// Dependent on every use of the object.
    Total,
}

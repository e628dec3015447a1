//! The visible operations: what each one is, in one table.
//!
//! All that a strategy, a detector or the machine asks about an operation as such is a column here.
//! A new operation is a new row; nothing else may decide by a list of operations with a wildcard on
//! the side that loses behaviour. `tests/operations.rs` compares the columns with each other.

/// What an operation is, whatever its object and outcome.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct OpInfo {
    /// Its name in schedules and reports, before the object's name.
    pub text: &'static str,
    /// How it uses `Action::object`.
    pub class: OpClass,
    /// How it uses `Action::object2`.
    pub class2: OpClass,
    /// Bytes of a synchronisation object on x86-64 Linux; 0 if the action says it, or it has none.
    pub object_size: u8,
    /// Whom it orders after whom.
    pub synchronises: Synchronises,
    /// Whose changes may enable or disable it while it is pending, or change its alternatives.
    pub needs: Needs,
    /// Whether its effect depends on the state in which it is taken.
    pub effect: Varies,
    /// Whether it may change which action another thread takes next. All others must not: a
    /// machine's promise, which the random programs of `cli` check at every step.
    pub changes_pending: bool,
}

/// Happens-before: what an operation that succeeds adds. The one list for all who follow
/// happens-before: the race detector, the knowledge of events in the unfolding, the quarantine.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Synchronises {
    /// Adds nothing.
    Nothing,
    /// The new thread, which the outcome names, knows what this one knows.
    Creation,
    /// Learns all that thread `object` knew at its end.
    ThreadEnd,
    /// Takes a lock: learns from who gave it back exclusively.
    Taken,
    /// Gives an exclusive lock back: the next one who takes it learns.
    GivenBack,
    /// Takes a read-write lock shared: learns from its writers.
    TakenShared,
    /// Gives a shared lock back: the next writer learns.
    SharedGivenBack,
    /// Takes a read-write lock exclusively: learns from its writers and its readers.
    TakenFromAll,
    /// Gives mutex `object2` back.
    WaitBegins,
    /// Takes mutex `object2`, and learns from who woke it.
    WaitEnds,
    /// The threads that the outcome names learn when they go on.
    Notification,
    /// Adds what it knows to the barrier's round; if it ends the round it learns the others', and
    /// the threads that the outcome names learn when they go on.
    Arrival,
    /// Learns what the round knew.
    Departure,
    /// Whoever takes from the semaphore later learns.
    Post,
    /// Learns from all earlier posts.
    Take,
    /// Learns from who ended the routine.
    OnceEntered,
    /// Whoever enters later learns.
    OnceDone,
    /// The object has no past from here on, or no future.
    SetUp,
    /// By its memory order.
    Memory,
    /// By its memory order, with the atomic accesses before and after it.
    Fence,
    /// Learns from the earlier atomic blocks at its begin, and teaches the later ones at its end.
    Block,
    /// By its memory order, through `object2`, or `object` if it has none: what a pipe hands on.
    HandedOn,
}

/// Whose changes may enable or disable a pending operation, or change its alternatives.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Needs {
    /// Nobody's: it is enabled.
    Nothing,
    /// Those of `Action::object`.
    Object,
    /// Those of more than one object.
    Anything,
    /// A compare-and-swap: of memory. Else nobody's.
    IfMayFail,
}

/// Whether an operation's effect on its object depends on the state in which it is taken.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Varies {
    /// It has one effect.
    Same,
    /// It may fail, or concerns those whom it finds there.
    Varies,
    /// As `Varies` for a compare-and-swap, else as `Same`.
    IfMayFail,
}

impl Op {
    /// Whether the threads that the outcome names know by happens-before of all that its thread
    /// knew.
    #[inline]
    pub const fn teaches_named(self) -> bool {
        matches!(
            self.info().synchronises,
            Synchronises::Creation | Synchronises::Notification | Synchronises::Arrival
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
    /// of everything.
    Start: "start", Local, Local, 0, Nothing, Nothing, Same, false;
    /// Creates a thread. Object: the process-wide hidden object of nothing; the new thread is in
    /// the event's outcome.
    Spawn: "create a thread", Local, Write, 0, Creation, Nothing, Same, false;
    /// Waits for the end of thread `object`.
    Join: "join", Join, Total, 0, ThreadEnd, Object, Same, false;
    /// Makes thread `object` unjoinable.
    Detach: "detach", Local, Total, 0, Nothing, Nothing, Same, false;
    /// The end of the acting thread; object: itself.
    Exit: "end of", Exit, Total, 0, Nothing, Nothing, Same, false;
    /// exit, abort, return from main: enabled only once every other thread is finished, blocked or
    /// parked.
    ProcessExit: "end of the process", Local, Local, 0, Nothing, Anything, Same, false;
    /// Continues only if a condition holds (the machine parks the thread where it does not).
    Assume: "assume", Local, Local, 0, Nothing, Nothing, Same, false;
    /// A data choice: one alternative for each value.
    Choose: "choose", Local, Local, 0, Nothing, Nothing, Same, false;
    /// sched_yield, sleep, pause: a scheduling point without effect.
    Yield: "yield", Local, Local, 0, Nothing, Nothing, Same, false;
    /// Takes mutex `object`.
    Lock: "lock", Acquire, Local, 40, Taken, Object, Same, false;
    /// Takes it if it is free.
    TryLock: "try to lock", Try, Local, 40, Taken, Nothing, Varies, false;
    /// Takes it, or times out while it is held.
    TimedLock: "lock with a deadline", Try, Local, 40, Taken, Nothing, Varies, false;
    /// Gives it back.
    Unlock: "unlock", Release, Local, 40, GivenBack, Nothing, Same, false;
    /// Any kind of unlock or wait by a thread that does not hold the lock: it fails, or is a fault,
    /// at once. Never use the real operation's name for it: those are known to exclude a `Lock` of
    /// another thread, this one does not.
    BadUnlock: "unlock without holding", Try, Local, 0, Nothing, Nothing, Varies, false;
    /// Takes spin lock `object`.
    SpinLock: "spin-lock", Acquire, Local, 4, Taken, Object, Same, false;
    /// Takes it if it is free.
    SpinTryLock: "try to spin-lock", Try, Local, 4, Taken, Nothing, Varies, false;
    /// Gives it back.
    SpinUnlock: "spin-unlock", Release, Local, 4, GivenBack, Nothing, Same, false;
    /// Takes read-write lock `object` for reading.
    RdLock: "read-lock", AcquireShared, Local, 56, TakenShared, Object, Same, false;
    /// The same if no writer has it.
    TryRdLock: "try to read-lock", Try, Local, 56, TakenShared, Nothing, Varies, false;
    /// The same, or a time-out while a writer has it.
    TimedRdLock: "read-lock with a deadline", Try, Local, 56, TakenShared, Nothing, Varies, false;
    /// A reader gives it back.
    RdUnlock: "read-unlock", ReleaseShared, Local, 56, SharedGivenBack, Nothing, Same, false;
    /// Takes it for writing.
    WrLock: "write-lock", Acquire, Local, 56, TakenFromAll, Object, Same, false;
    /// The same if nobody has it.
    TryWrLock: "try to write-lock", Try, Local, 56, TakenFromAll, Nothing, Varies, false;
    /// The same, or a time-out while somebody has it.
    TimedWrLock: "write-lock with a deadline", Try, Local, 56, TakenFromAll, Nothing, Varies, false;
    /// The writer gives it back.
    WrUnlock: "write-unlock", Release, Local, 56, GivenBack, Nothing, Same, false;
    /// First half of a condition wait: releases mutex `object2` and starts waiting on `object`. If
    /// it has alternatives: with the second one the wait is over at once, a spurious wakeup.
    WaitRelease: "wait on", Wait, Release, 48, WaitBegins, Nothing, Same, false;
    /// A waiting thread that may time out or is cancelled (its alternatives). Object: the condition
    /// variable, object2: the mutex.
    WaitTimeout: "stop waiting on", Wait, Local, 0, Nothing, Anything, Varies, false;
    /// Second half: re-acquires mutex `object2`. Also the (blocked) pending action of a thread that
    /// waits without time-out.
    WaitAcquire: "woken on", Notified, Acquire, 0, WaitEnds, Anything, Varies, false;
    /// Wakes one waiter: one alternative a waiter; lost if there is none.
    Signal: "signal", Notify, Local, 48, Notification, Object, Varies, true;
    /// Wakes all waiters.
    Broadcast: "broadcast", Notify, Local, 48, Notification, Nothing, Varies, true;
    /// Arrives at barrier `object`.
    BarrierArrive: "arrive at barrier", Arrive, Local, 32, Arrival, Nothing, Same, true;
    /// Leaves it once all have arrived.
    BarrierLeave: "leave barrier", Leave, Local, 0, Departure, Object, Same, false;
    /// Adds one to semaphore `object`.
    SemPost: "post", Post, Local, 32, Post, Nothing, Varies, false;
    /// Takes one, waiting while there is none.
    SemWait: "semaphore wait", Take, Local, 32, Take, Object, Same, false;
    /// Takes one if there is one.
    SemTryWait: "try semaphore", Take, Local, 32, Take, Nothing, Varies, false;
    /// Takes one, or times out while there is none.
    SemTimedWait: "semaphore wait with a deadline", Take, Local, 32, Take, Nothing, Varies, false;
    /// Reads the semaphore's value.
    SemGetValue: "read semaphore", Value, Write, 32, Nothing, Nothing, Same, false;
    /// `pthread_once` on `object`: runs the routine, waits for it, or passes.
    OnceEnter: "enter once", Total, Local, 4, OnceEntered, Object, Same, false;
    /// The end of the routine.
    OnceDone: "once done", Total, Local, 4, OnceDone, Nothing, Same, true;
    /// Initialises an object of any kind.
    Init: "initialise", Total, Local, 0, SetUp, Nothing, Same, false;
    /// Destroys it.
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
    /// Writes them.
    Write: "write", Write, Local, 0, Memory, Nothing, Same, false;
    /// Reads and writes them in one step.
    Rmw: "read-modify-write", Write, Local, 0, Memory, IfMayFail, IfMayFail, false;
    /// A fence. Object: none.
    Fence: "fence", Local, Local, 0, Fence, Nothing, Same, false;
    /// An atomic block (`__VERIFIER_atomic_begin` … `end`): all its accesses in one action. Object:
    /// its class ([`blocks`](crate::ObjectId::blocks)).
    AtomicBlock: "atomic block", Total, Local, 0, Block, Nothing, Same, false;
    /// An operation of a model on a hidden object (the process's exit handlers, a file): all on one
    /// object are dependent. With an order it releases, or acquires, what a pipe hands on: of
    /// `object2`, if there is one.
    Hidden: "library operation", Total, Total, 0, HandedOn, Nothing, Same, true;
    /// The same, while what it waits for is not there (data in a pipe, a stream that another thread
    /// holds) blocked.
    HiddenWait: "library operation", Total, Total, 0, HandedOn, Anything, Same, false;
    /// An operation of a model that only looks at a hidden object (what a descriptor stands for):
    /// independent of other looks.
    Look: "look-up", Read, Local, 0, Nothing, Nothing, Same, false;
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

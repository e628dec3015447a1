//! The outcomes that are never mixed: findings (the program is at fault), and limits and
//! unsupported features (the verdict is unknown). Our own errors are `Result`s elsewhere.

use crate::{Choice, ObjectId};
use selvedge_base::{ContextId, Location, StmtId, ThreadId};
use serde::{Deserialize, Serialize};

/// The properties that can be checked (docs/semantics.md, "Properties").
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub enum Property {
    /// Assertions, abort, uncaught exceptions.
    Assertion,
    /// A call of `reach_error`.
    ErrorCall,
    /// Deadlocks, global and partial, and threads that wait in loops for ever.
    Deadlock,
    /// Data races.
    DataRace,
    /// Accesses to memory that does not exist, or exists no more.
    Deref,
    /// Invalid frees.
    Free,
    /// Other memory errors: uninitialised values, overlapping copies, …
    Memory,
    /// Memory that no pointer leads to (off by default).
    Leak,
    /// Memory that is not freed when the process ends (off by default).
    Cleanup,
    /// Misuse of the threading API.
    Pthread,
    /// Division by zero and shifts.
    Arithmetic,
    /// Signed overflow (off by default).
    Overflow,
    /// Termination (off by default).
    Termination,
}

/// An error of the program that a machine found in one step.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub struct Fault {
    /// The kind.
    pub kind: FaultKind,
    /// The description, lower case, without a full stop: `write of 4 bytes 8 bytes past the end of
    /// heap object of 40 bytes`.
    pub message: String,
    /// The statement.
    pub stmt: StmtId,
    /// The calling context of the statement.
    pub context: ContextId,
    /// Places that explain the fault: allocation, free, first lock, …
    pub related: Vec<(String, StmtId, ContextId)>,
    /// The object concerned, if there is one.
    pub object: ObjectId,
}

/// Kinds of faults and findings. Their dotted names are used in reports and corpus expectations.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[allow(missing_docs)]
pub enum FaultKind {
    AssertionFailed,
    Abort,
    ErrorReached,
    UncaughtException,
    Unreachable,
    DataRace,
    Deadlock,
    PartialDeadlock,
    LostWakeup,
    Spin,
    OutOfBounds,
    UseAfterFree,
    UseAfterScope,
    UseAfterReturn,
    NullDereference,
    InvalidPointer,
    DoubleFree,
    InvalidFree,
    UninitializedValue,
    WriteToConstant,
    OverlappingCopy,
    Misaligned,
    StackOverflow,
    Leak,
    NotFreed,
    MutexUnlockNotOwner,
    MutexUnlockUnlocked,
    MutexDestroyLocked,
    MutexRelock,
    MutexOwnerExited,
    DoubleInit,
    UseUninitialized,
    UseDestroyed,
    CondTwoMutexes,
    CondWaitUnlocked,
    CondDestroyWaiting,
    RwlockUnlockUnheld,
    RwlockDestroyHeld,
    RwlockRelock,
    SpinUnlockUnheld,
    SpinRelock,
    SpinDestroyHeld,
    BarrierDestroyWaiting,
    BarrierInvalidCount,
    SemOverflow,
    SemDestroyWaiting,
    JoinTwice,
    JoinDetached,
    JoinSelf,
    DetachTwice,
    InvalidThread,
    KeyInvalid,
    CleanupMismatch,
    PthreadOther,
    DivisionByZero,
    SignedOverflow,
    ShiftOutOfRange,
}

/// The kind of a finding is the kind of its fault.
pub type FindingKind = FaultKind;

impl FaultKind {
    /// The dotted name: `data-race`, `memory.out-of-bounds`, `pthread.unlock-not-owner`.
    pub const fn name(self) -> &'static str {
        use FaultKind::*;
        match self {
            AssertionFailed => "assertion",
            Abort => "assertion.abort",
            ErrorReached => "assertion.reach-error",
            UncaughtException => "assertion.uncaught-exception",
            Unreachable => "assertion.unreachable",
            DataRace => "data-race",
            Deadlock => "deadlock",
            PartialDeadlock => "deadlock.partial",
            LostWakeup => "deadlock.lost-wakeup",
            Spin => "liveness.spin",
            OutOfBounds => "memory.out-of-bounds",
            UseAfterFree => "memory.use-after-free",
            UseAfterScope => "memory.use-after-scope",
            UseAfterReturn => "memory.use-after-return",
            NullDereference => "memory.null-dereference",
            InvalidPointer => "memory.invalid-pointer",
            DoubleFree => "memory.double-free",
            InvalidFree => "memory.invalid-free",
            UninitializedValue => "memory.uninitialized",
            WriteToConstant => "memory.write-to-constant",
            OverlappingCopy => "memory.overlapping-copy",
            Misaligned => "memory.misaligned",
            StackOverflow => "memory.stack-overflow",
            Leak => "memory.leak",
            NotFreed => "memory.not-freed",
            MutexUnlockNotOwner => "pthread.unlock-not-owner",
            MutexUnlockUnlocked => "pthread.unlock-unlocked",
            MutexDestroyLocked => "pthread.destroy-locked",
            MutexRelock => "pthread.relock",
            MutexOwnerExited => "pthread.owner-exited",
            DoubleInit => "pthread.double-init",
            UseUninitialized => "pthread.uninitialized",
            UseDestroyed => "pthread.use-destroyed",
            CondTwoMutexes => "pthread.cond-two-mutexes",
            CondWaitUnlocked => "pthread.cond-wait-unlocked",
            CondDestroyWaiting => "pthread.cond-destroy-waiting",
            RwlockUnlockUnheld => "pthread.rwlock-unlock-unheld",
            RwlockDestroyHeld => "pthread.rwlock-destroy-held",
            RwlockRelock => "pthread.rwlock-relock",
            SpinUnlockUnheld => "pthread.spin-unlock-unheld",
            SpinRelock => "pthread.spin-relock",
            SpinDestroyHeld => "pthread.spin-destroy-held",
            BarrierDestroyWaiting => "pthread.barrier-destroy-waiting",
            BarrierInvalidCount => "pthread.barrier-invalid-count",
            SemOverflow => "pthread.sem-overflow",
            SemDestroyWaiting => "pthread.sem-destroy-waiting",
            JoinTwice => "pthread.join-twice",
            JoinDetached => "pthread.join-detached",
            JoinSelf => "pthread.join-self",
            DetachTwice => "pthread.detach-twice",
            InvalidThread => "pthread.invalid-thread",
            KeyInvalid => "pthread.key-invalid",
            CleanupMismatch => "pthread.cleanup-mismatch",
            PthreadOther => "pthread.misuse",
            DivisionByZero => "arithmetic.division-by-zero",
            SignedOverflow => "arithmetic.signed-overflow",
            ShiftOutOfRange => "arithmetic.shift",
        }
    }

    /// True if the fault ends the program in a way that C defines. If its property is not
    /// requested, such a fault is an ordinary end of the process.
    pub const fn ends_process(self) -> bool {
        use FaultKind::*;
        matches!(self, AssertionFailed | Abort | UncaughtException)
    }

    /// The property that this violates.
    pub const fn property(self) -> Property {
        use FaultKind::*;
        match self {
            AssertionFailed | Abort | UncaughtException | Unreachable => Property::Assertion,
            ErrorReached => Property::ErrorCall,
            DataRace => Property::DataRace,
            Deadlock | PartialDeadlock | LostWakeup | Spin => Property::Deadlock,
            OutOfBounds | UseAfterFree | UseAfterScope | UseAfterReturn | NullDereference
            | InvalidPointer | WriteToConstant | StackOverflow => Property::Deref,
            DoubleFree | InvalidFree => Property::Free,
            UninitializedValue | OverlappingCopy | Misaligned => Property::Memory,
            Leak => Property::Leak,
            NotFreed => Property::Cleanup,
            DivisionByZero | ShiftOutOfRange => Property::Arithmetic,
            SignedOverflow => Property::Overflow,
            _ => Property::Pthread,
        }
    }
}

/// Something that the machine cannot do. The verdict becomes unknown.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub struct Unsupported {
    /// What is unsupported: `function dlopen`, `inline assembly "cpuid"`.
    pub what: String,
    /// The statement.
    pub stmt: StmtId,
}

/// A limit that was reached. The verdict becomes unknown.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub struct Limit {
    /// The kind of limit.
    pub kind: LimitKind,
    /// The description: `loop without a visible action`, `thread 0.1 called itself 10000 times`.
    pub detail: String,
    /// The statement, if the limit has a place.
    pub stmt: StmtId,
}

impl Limit {
    /// A path that was given up because the run was told to stop. The reason for stopping is
    /// recorded elsewhere.
    pub fn stopped(stmt: StmtId) -> Limit {
        Limit {
            kind: LimitKind::Interrupted,
            detail: "told to stop".to_owned(),
            stmt,
        }
    }
}

/// Limits that can end a path or a run.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[allow(missing_docs)]
pub enum LimitKind {
    Time,
    Memory,
    Executions,
    Events,
    Depth,
    Steps,
    /// A loop that goes round for ever within one step, and reads what others might change.
    Endless,
    Recursion,
    Threads,
    Unroll,
    Interrupted,
    Solver,
    Values,
}

/// What one step of a machine reports.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Notice {
    /// The program is at fault. The thread is parked.
    Fault(Fault),
    /// Something unsupported was reached. The thread is parked.
    Unsupported(Unsupported),
    /// A limit of the path was reached. The thread is parked.
    Limit(Limit),
    /// A toy's assertion that does not stop its thread: (thread, position).
    AssertNoted(ThreadId, u32),
}

/// A fault of the program with all data that a report needs.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Finding {
    /// The kind.
    pub kind: FindingKind,
    /// The description.
    pub message: String,
    /// The place.
    pub location: Location,
    /// The call stack at that place, innermost caller first.
    pub stack: Vec<Location>,
    /// The thread at fault.
    pub thread: String,
    /// Other places, with their meaning and thread.
    pub related: Vec<Related>,
    /// The choices that lead to the finding from the initial state.
    pub choices: Vec<Choice>,
    /// How often a finding of the same kind at the same places was seen.
    pub count: u64,
}

/// A place that helps to explain a finding.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Related {
    /// The meaning of the place: `the other access: write of 4 bytes`, `mutex &a was taken here`.
    pub message: String,
    /// The place.
    pub location: Location,
    /// The call stack at that place.
    pub stack: Vec<Location>,
    /// The hierarchical name of the thread; empty if the thread does not matter.
    pub thread: String,
}

/// Why an exploration stopped.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum StopReason {
    /// Everything was explored.
    Complete,
    /// A finding, with `--stop first`.
    Finding,
    /// A limit of the run.
    Limit(Limit),
}

/// The verdict of a run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// The exploration finished; nothing was found, unsupported or limited.
    Verified,
    /// There is at least one finding.
    Violated,
    /// All other cases.
    Unknown,
}

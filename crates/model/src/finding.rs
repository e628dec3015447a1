//! The three outcomes that are never mixed: findings (the program's fault), limits and unsupported
//! things (the verdict is unknown), and errors (ours; those are `Result`s elsewhere).

use crate::{Choice, ObjectId};
use selvedge_base::{ContextId, Location, StmtId, ThreadId};
use serde::{Deserialize, Serialize};

/// What a user asks to be checked (design: semantics, "Properties").
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub enum Property {
    /// Assertions, abort, exceptions that nobody catches.
    Assertion,
    /// A call of `reach_error`.
    ErrorCall,
    /// Deadlocks, global and partial, and threads that wait in loops for ever.
    Deadlock,
    /// Data races.
    DataRace,
    /// Accesses to memory that there is not, or not any more.
    Deref,
    /// Freeing what cannot be freed.
    Free,
    /// Other memory errors: values that are not initialised, copies that overlap, …
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

/// What a machine found wrong in one step.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub struct Fault {
    /// What it is.
    pub kind: FaultKind,
    /// In words, lower case, no full stop: `write of 4 bytes 8 bytes past the end of heap object of
    /// 40 bytes`.
    pub message: String,
    /// Where.
    pub stmt: StmtId,
    /// Called from where.
    pub context: ContextId,
    /// Places that explain it: allocation, free, first lock, …
    pub related: Vec<(String, StmtId, ContextId)>,
    /// The object concerned, if there is one.
    pub object: ObjectId,
}

/// Kinds of faults and findings: dotted names as reports and corpus expectations use them.
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

    /// Whether the program ends by it, in a way that C defines: what is not asked for is then an
    /// end like any other.
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

/// Something the machine cannot do: the verdict becomes unknown.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub struct Unsupported {
    /// What: `function dlopen`, `inline assembly "cpuid"`.
    pub what: String,
    /// Where.
    pub stmt: StmtId,
}

/// A bound that was hit: the verdict becomes unknown.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub struct Limit {
    /// Which.
    pub kind: LimitKind,
    /// In words: `loop without a visible action`, `thread 0.1 called itself 10000 times`.
    pub detail: String,
    /// Where, if it has a place.
    pub stmt: StmtId,
}

impl Limit {
    /// A path that was left since the run was told to stop; why it was told to is known elsewhere.
    pub fn stopped(stmt: StmtId) -> Limit {
        Limit {
            kind: LimitKind::Interrupted,
            detail: "told to stop".to_owned(),
            stmt,
        }
    }
}

/// Bounds that can end a path or a run.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[allow(missing_docs)]
pub enum LimitKind {
    Time,
    Memory,
    Executions,
    Events,
    Depth,
    Steps,
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
    /// The program is at fault; the thread is parked.
    Fault(Fault),
    /// Something unsupported was reached; the thread is parked.
    Unsupported(Unsupported),
    /// A per-path bound was hit; the thread is parked.
    Limit(Limit),
    /// A toy's assertion that does not stop its thread: (thread, position).
    AssertNoted(ThreadId, u32),
}

/// A fault of the program with everything a report needs.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Finding {
    /// What.
    pub kind: FindingKind,
    /// In words.
    pub message: String,
    /// Where.
    pub location: Location,
    /// The call stack there, innermost caller first.
    pub stack: Vec<Location>,
    /// The thread at fault.
    pub thread: String,
    /// Other places with their meaning and thread.
    pub related: Vec<Related>,
    /// The choices that lead to it from the initial state.
    pub choices: Vec<Choice>,
    /// How often the same finding (kind and places) was seen.
    pub count: u64,
}

/// A place that helps to understand a finding.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Related {
    /// What is there: `the other access: write of 4 bytes`, `mutex &a was taken here`.
    pub message: String,
    /// Where.
    pub location: Location,
    /// The call stack there.
    pub stack: Vec<Location>,
    /// The thread, by hierarchical name; empty if it does not matter.
    pub thread: String,
}

/// Why an exploration stopped.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum StopReason {
    /// Everything was explored.
    Complete,
    /// A finding, with `--stop first`.
    Finding,
    /// A bound of the run.
    Limit(Limit),
}

/// What a run says in the end.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// Exploration finished, nothing was found, nothing was unsupported or bounded.
    Verified,
    /// At least one finding.
    Violated,
    /// Anything else.
    Unknown,
}

//! The dependence relation on *operations*: what must be tried in both orders (design: semantics, "Dependence", and
//! algorithms 1).
//!
//! This is the coarse relation for strategies that reverse operations. Two operations are independent only if no pair
//! of their outcomes conflicts and neither changes the other's set of alternatives. The per-outcome table comes with
//! the unfolding.

use crate::{Action, Op, OpClass};

/// Which pairs of actions need both orders.
pub trait Dependence {
    /// Whether two actions, of different threads, may not commute. Symmetric.
    fn dependent(&self, a: &Action, b: &Action) -> bool;
    /// Whether there may be a state where both are enabled. `true` is always sound.
    fn may_be_coenabled(&self, a: &Action, b: &Action) -> bool;
}

/// The relation `conflict`: two uses of one object, unless both only read it.
#[derive(Clone, Copy, Default, Debug)]
pub struct Conflict;

impl Op {
    /// How the operation uses `Action::object`. The mutex of a wait (`object2`) is used as `class2`.
    #[inline]
    pub const fn class(self) -> OpClass {
        use OpClass as C;
        match self {
            Op::Start | Op::Spawn | Op::Assume | Op::Choose | Op::Yield | Op::Fence | Op::CancelPoint => C::Local,
            Op::ProcessExit => C::Local,
            Op::Join => C::Join,
            Op::Exit => C::Exit,
            Op::Detach => C::Total,
            Op::Cancel => C::Cancel,
            Op::Lock | Op::SpinLock => C::Acquire,
            Op::Unlock | Op::SpinUnlock => C::Release,
            Op::TryLock | Op::TimedLock | Op::SpinTryLock => C::Try,
            Op::TryRdLock | Op::TimedRdLock | Op::TryWrLock | Op::TimedWrLock => C::Try,
            Op::RdLock => C::AcquireShared,
            Op::RdUnlock => C::ReleaseShared,
            Op::WrLock => C::Acquire,
            Op::WrUnlock => C::Release,
            Op::WaitRelease | Op::WaitTimeout => C::Wait,
            Op::WaitAcquire => C::Notified,
            Op::Signal | Op::Broadcast => C::Notify,
            Op::BarrierArrive => C::Arrive,
            Op::BarrierLeave => C::Leave,
            Op::SemPost => C::Post,
            Op::SemWait | Op::SemTryWait | Op::SemTimedWait => C::Take,
            Op::SemGetValue => C::Value,
            Op::Read => C::Read,
            Op::Write | Op::Rmw => C::Write,
            Op::OnceEnter | Op::OnceDone | Op::Init | Op::Destroy | Op::OwnerDied | Op::Consistent => C::Total,
            Op::FutexWait | Op::FutexWake | Op::Hidden => C::Total,
        }
    }

    /// How the operation uses `Action::object2`.
    #[inline]
    pub const fn class2(self) -> OpClass {
        match self {
            Op::WaitRelease => OpClass::Release,
            Op::WaitAcquire => OpClass::Acquire,
            _ => OpClass::Local,
        }
    }
}

impl OpClass {
    /// Whether two uses of one object in these classes may not commute.
    #[inline]
    pub const fn dependent(self, other: OpClass) -> bool {
        use OpClass::*;
        match (self, other) {
            (Local, _) | (_, Local) => false,
            (Read, Read) | (Value, Value) | (Post, Post) | (Join, Join) => false,
            (AcquireShared | ReleaseShared, AcquireShared | ReleaseShared) => false,
            (Wait | Notified, Wait | Notified) => false,
            (Leave, Leave) => false,
            _ => true,
        }
    }

    /// Whether two uses of one object in these classes may be enabled in one state.
    #[inline]
    pub const fn may_be_coenabled(self, other: OpClass) -> bool {
        use OpClass::*;
        !matches!(
            (self, other),
            (Acquire, Release | ReleaseShared)
                | (Release | ReleaseShared, Acquire)
                | (AcquireShared, Release)
                | (Release, AcquireShared)
                | (Release, Release)
                | (Join, Exit)
                | (Exit, Join)
        )
    }
}

impl Action {
    /// Calls `f` with each object that the action uses and how. Memory accesses use the 8-byte granules they touch.
    /// Two dependent actions of different threads share an object here, or one is the `Spawn` of the other's thread.
    #[inline]
    pub fn for_each_use(&self, mut f: impl FnMut(u64, OpClass)) {
        if self.is_memory() {
            let class = self.op.class();
            let mut granule = self.object.0 & !7;
            let end = self.object.0 + u64::from(self.size);
            while granule < end {
                f(granule, class);
                granule += 8;
            }
        } else {
            let class = self.op.class();
            if class as u8 != OpClass::Local as u8 {
                f(self.object.0, class);
            }
            let class2 = self.op.class2();
            if class2 as u8 != OpClass::Local as u8 {
                f(self.object2.0, class2);
            }
        }
        if self.cancelable {
            f(crate::ObjectId::thread(self.thread).0, OpClass::Total);
        }
    }

    /// Whether two memory accesses touch a common byte.
    #[inline]
    pub const fn overlaps(&self, other: &Action) -> bool {
        self.object.0 < other.object.0 + other.size as u64 && other.object.0 < self.object.0 + self.size as u64
    }
}

impl Dependence for Conflict {
    #[inline]
    fn dependent(&self, a: &Action, b: &Action) -> bool {
        if a.is_memory() && b.is_memory() {
            return a.overlaps(b) && a.op.class().dependent(b.op.class());
        }
        let mut found = false;
        a.for_each_use(|object, class| {
            b.for_each_use(|other, other_class| found |= object == other && class.dependent(other_class));
        });
        found
    }

    #[inline]
    fn may_be_coenabled(&self, a: &Action, b: &Action) -> bool {
        let mut apart = false;
        a.for_each_use(|object, class| {
            b.for_each_use(|other, other_class| apart |= object == other && !class.may_be_coenabled(other_class));
        });
        !apart
    }
}

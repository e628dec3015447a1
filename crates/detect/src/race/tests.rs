//! Rules that tests can break.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[rustfmt::skip]
pub(crate) enum Rule {
    Spawn, Join, Lock, Unlock, RdLock, WrLockAfterReaders, WaitReleases, WaitAcquires, Signal, Barrier, Post, SemWait, Once,
    Release, Acquire, ReleaseSequence, SameThreadStore, Fence,
}

//! The state of each kind of synchronisation object.

use selvedge_base::ThreadId;

/// The state of a synchronisation object. Counts of recursion lie with the thread (`Held::count`).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum SyncObject {
    /// A mutex.
    Mutex(Mutex),
    /// A condition variable.
    Cond {
        /// How many threads wait and were not woken.
        waiters: u32,
        /// The mutex they use.
        mutex: u64,
    },
    /// A read-write lock.
    RwLock {
        /// Who holds it for writing.
        writer: Option<ThreadId>,
        /// How often it is held for reading, over all threads.
        readers: u32,
    },
    /// A barrier.
    Barrier {
        /// How many threads make a round.
        count: u32,
        /// How many have arrived in this round.
        arrived: u32,
        /// How many of earlier rounds have not left yet.
        leaving: u32,
    },
    /// A spin lock.
    Spin {
        /// Who holds it.
        owner: Option<ThreadId>,
    },
    /// A semaphore.
    Sem {
        /// Its value.
        value: u32,
    },
    /// `pthread_once_t`, or the guard of a local static of C++.
    Once(Once),
    /// Anything that was destroyed.
    Destroyed {
        /// What it was.
        kind: Kind,
    },
}

/// The state of a mutex.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Mutex {
    /// Who holds it.
    pub owner: Option<ThreadId>,
    /// Which kind of mutex it is.
    pub kind: MutexKind,
    /// What happened to its owners.
    pub robust: Robust,
}

/// Kinds of mutexes.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum MutexKind {
    /// `PTHREAD_MUTEX_NORMAL`, `_DEFAULT`, `_ADAPTIVE_NP`, `mtx_plain`.
    Normal,
    /// `PTHREAD_MUTEX_RECURSIVE`.
    Recursive,
    /// `PTHREAD_MUTEX_ERRORCHECK`.
    ErrorCheck,
}

/// Robustness of a mutex.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Robust {
    /// Not robust.
    No,
    /// Robust and consistent.
    Consistent,
    /// An owner died; nobody has called `pthread_mutex_consistent` since.
    OwnerDied,
    /// Unlocked without having been made consistent: never usable again.
    NotRecoverable,
}

/// The state of a once control.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Once {
    /// The routine did not run.
    New,
    /// It runs in this thread.
    Running(ThreadId),
    /// It ran.
    Done,
}

/// Families of synchronisation objects.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Kind {
    /// `pthread_mutex_t`.
    Mutex,
    /// `pthread_cond_t`.
    Cond,
    /// `pthread_rwlock_t`.
    RwLock,
    /// `pthread_barrier_t`.
    Barrier,
    /// `pthread_spinlock_t`.
    Spin,
    /// `sem_t`.
    Sem,
    /// `pthread_once_t`.
    Once,
}

const _: () = assert!(size_of::<SyncObject>() <= 24);

impl Kind {
    /// Size in bytes on x86-64 Linux.
    pub const fn size(self) -> u64 {
        match self {
            Kind::Mutex => 40,
            Kind::Cond => 48,
            Kind::RwLock => 56,
            Kind::Barrier | Kind::Sem => 32,
            Kind::Spin | Kind::Once => 4,
        }
    }

    /// In words.
    pub const fn name(self) -> &'static str {
        match self {
            Kind::Mutex => "mutex",
            Kind::Cond => "condition variable",
            Kind::RwLock => "read-write lock",
            Kind::Barrier => "barrier",
            Kind::Spin => "spin lock",
            Kind::Sem => "semaphore",
            Kind::Once => "once control",
        }
    }
}

impl SyncObject {
    /// Which family it belongs to.
    pub const fn kind(&self) -> Kind {
        match self {
            SyncObject::Mutex(_) => Kind::Mutex,
            SyncObject::Cond { .. } => Kind::Cond,
            SyncObject::RwLock { .. } => Kind::RwLock,
            SyncObject::Barrier { .. } => Kind::Barrier,
            SyncObject::Spin { .. } => Kind::Spin,
            SyncObject::Sem { .. } => Kind::Sem,
            SyncObject::Once(_) => Kind::Once,
            SyncObject::Destroyed { kind } => *kind,
        }
    }
}

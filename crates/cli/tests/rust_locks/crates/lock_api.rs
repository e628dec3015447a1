//! The traits of locks, as far as the tests need them.
pub mod mutex {
    pub trait RawMutex {
        fn lock(&self);
        fn try_lock(&self) -> bool;
        fn unlock(&self);
    }
}

pub mod rwlock {
    pub trait RawRwLock {
        fn lock_shared(&self);
        fn try_lock_shared(&self) -> bool;
        fn unlock_shared(&self);
        fn lock_exclusive(&self);
        fn try_lock_exclusive(&self) -> bool;
        fn unlock_exclusive(&self);
    }
}

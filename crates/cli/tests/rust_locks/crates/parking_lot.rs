//! Locks with the words of the crate, whose threads wait by looking again.
pub mod raw_mutex {
    use std::sync::atomic::{AtomicU8, Ordering::*};

    pub struct RawMutex(AtomicU8);

    impl RawMutex {
        pub const fn new() -> RawMutex {
            RawMutex(AtomicU8::new(0))
        }
    }

    impl lock_api::mutex::RawMutex for RawMutex {
        fn lock(&self) {
            if self.0.compare_exchange_weak(0, 1, Acquire, Relaxed).is_err() {
                while self.0.compare_exchange(0, 1, Acquire, Relaxed).is_err() {}
            }
        }

        fn try_lock(&self) -> bool {
            self.0.compare_exchange(0, 1, Acquire, Relaxed).is_ok()
        }

        fn unlock(&self) {
            self.0.fetch_and(!1, Release);
        }
    }
}

pub mod raw_rwlock {
    use std::sync::atomic::{AtomicUsize, Ordering::*};

    const UPGRADABLE: usize = 4;
    const WRITER: usize = 8;
    const READER: usize = 16;

    pub struct RawRwLock(AtomicUsize);

    impl RawRwLock {
        pub const fn new() -> RawRwLock {
            RawRwLock(AtomicUsize::new(0))
        }

        fn take(&self, unless: usize, add: usize) -> bool {
            let word = self.0.load(Relaxed);
            word & unless == 0 && self.0.compare_exchange(word, word + add, Acquire, Relaxed).is_ok()
        }
    }

    impl lock_api::rwlock::RawRwLock for RawRwLock {
        fn lock_shared(&self) {
            while !self.take(WRITER, READER) {}
        }

        fn try_lock_shared(&self) -> bool {
            loop {
                match self.take(WRITER, READER) {
                    true => return true,
                    false if self.0.load(Relaxed) & WRITER != 0 => return false,
                    false => {}
                }
            }
        }

        fn unlock_shared(&self) {
            self.0.fetch_sub(READER, Release);
        }

        fn lock_exclusive(&self) {
            if self.0.compare_exchange_weak(0, WRITER, Acquire, Relaxed).is_err() {
                while !self.take(WRITER | UPGRADABLE, WRITER) {}
                while self.0.load(Acquire) >= READER {}
            }
        }

        fn try_lock_exclusive(&self) -> bool {
            self.0.compare_exchange(0, WRITER, Acquire, Relaxed).is_ok()
        }

        fn unlock_exclusive(&self) {
            self.0.fetch_and(!WRITER, Release);
        }
    }
}

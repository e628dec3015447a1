//! A lock with the word of the crate, whose threads wait by looking again.
pub mod lock {
    use std::sync::atomic::{AtomicUsize, Ordering::*};

    const READER: usize = 4;
    const WRITER: usize = !3;

    pub struct RawRwLock(AtomicUsize);

    impl RawRwLock {
        pub const fn new() -> RawRwLock {
            RawRwLock(AtomicUsize::new(0))
        }

        fn reads(&self) -> bool {
            let word = self.0.load(Relaxed);
            word < WRITER && self.0.compare_exchange(word, word + READER, Acquire, Relaxed).is_ok()
        }
    }

    impl lock_api::rwlock::RawRwLock for RawRwLock {
        fn lock_shared(&self) {
            while !self.reads() {}
        }

        fn try_lock_shared(&self) -> bool {
            loop {
                match self.reads() {
                    true => return true,
                    false if self.0.load(Relaxed) >= WRITER => return false,
                    false => {}
                }
            }
        }

        fn unlock_shared(&self) {
            self.0.fetch_sub(READER, Release);
        }

        fn lock_exclusive(&self) {
            if self.0.compare_exchange_weak(0, WRITER, Acquire, Relaxed).is_err() {
                while self.0.compare_exchange(0, WRITER, Acquire, Relaxed).is_err() {}
            }
        }

        fn try_lock_exclusive(&self) -> bool {
            self.0.compare_exchange(0, WRITER, Acquire, Relaxed).is_ok()
        }

        fn unlock_exclusive(&self) {
            self.0.fetch_sub(WRITER, Release);
        }
    }
}

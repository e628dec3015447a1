//! A lock with the word of the crate's own, whose threads wait by looking again.
pub mod word_lock {
    use std::sync::atomic::{AtomicUsize, Ordering::*};

    pub struct WordLock(AtomicUsize);

    impl WordLock {
        pub const fn new() -> WordLock {
            WordLock(AtomicUsize::new(0))
        }

        pub fn lock(&self) {
            if self.0.compare_exchange_weak(0, 1, Acquire, Relaxed).is_err() {
                while self.0.compare_exchange(0, 1, Acquire, Relaxed).is_err() {}
            }
        }

        pub fn unlock(&self) {
            self.0.fetch_sub(1, Release);
        }
    }
}

//! The request to stop, shared by all code that may make it and by every loop that can take long.

use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::{Acquire, Release};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

/// A flag that is set when the run has to end: its time or memory is used up, or the user
/// interrupts it. Clones share one flag. Long loops poll it and give up when it is set. Their
/// partial work is then incomplete and must not be used as a result.
///
/// Two flags always compare equal, because options that contain a flag are compared only by their
/// effect on a program.
#[derive(Clone, Default, Debug)]
pub struct StopFlag {
    own: Arc<AtomicBool>,
    /// The flags that are set together with this one.
    parts: Arc<Mutex<Vec<Weak<AtomicBool>>>>,
}

impl StopFlag {
    /// A flag that is not set.
    pub fn new() -> Self {
        StopFlag::default()
    }

    /// A flag for a part of the work. It is set and cleared together with this one, and can also be
    /// set alone.
    pub fn part(&self) -> Self {
        let part = StopFlag::new();
        let mut parts = self.parts();
        parts.retain(|part| part.strong_count() > 0);
        parts.push(Arc::downgrade(&part.own));
        part.own.store(self.is_set(), Release);
        drop(parts);
        part
    }

    /// Requests all users of the flag to stop.
    pub fn set(&self) {
        self.store(true);
    }

    /// Withdraws the request, after all work that had to stop has ended. Later work (the replay of
    /// a finding) may then run.
    pub fn clear(&self) {
        self.store(false);
    }

    fn store(&self, value: bool) {
        let parts = self.parts();
        self.own.store(value, Release);
        for part in parts.iter().filter_map(Weak::upgrade) {
            part.store(value, Release);
        }
    }

    fn parts(&self) -> MutexGuard<'_, Vec<Weak<AtomicBool>>> {
        self.parts.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// True if the run has to stop. A thread that sees the flag set also sees all writes made
    /// before it was set.
    #[inline]
    pub fn is_set(&self) -> bool {
        self.own.load(Acquire)
    }

    /// The flag itself, for code that does not use this type.
    pub fn shared(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.own)
    }
}

impl PartialEq for StopFlag {
    fn eq(&self, _: &StopFlag) -> bool {
        true
    }
}

impl Eq for StopFlag {}

#[cfg(test)]
mod tests {
    use super::StopFlag;

    #[test]
    fn clones_share_the_flag() {
        let flag = StopFlag::new();
        let other = flag.clone();
        flag.set();
        assert!(other.is_set());
        other.clear();
        assert!(!flag.is_set());
    }

    #[test]
    fn a_part_ends_with_the_whole_or_alone() {
        let flag = StopFlag::new();
        let (part, other) = (flag.part(), flag.part());
        part.set();
        assert!(part.is_set() && !flag.is_set() && !other.is_set());
        flag.set();
        assert!(other.is_set());
    }
}

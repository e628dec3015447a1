//! The request to end, shared by whoever may make it and by every loop that can take long.

use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::{Acquire, Release};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

/// Set once the run has to end: its time or memory is used up, or the user interrupts it. Clones
/// share one flag. Long loops look at it now and then, and give up; what they have computed so far
/// is then incomplete, and must not be taken for a result.
///
/// Two flags are always equal: options with a flag are compared by what they make a program do.
#[derive(Clone, Default, Debug)]
pub struct StopFlag {
    own: Arc<AtomicBool>,
    /// Those that are set with this one.
    parts: Arc<Mutex<Vec<Weak<AtomicBool>>>>,
}

impl StopFlag {
    /// Not set.
    pub fn new() -> Self {
        StopFlag::default()
    }

    /// A flag for a part of the work: it is set and cleared with this one, and may be set alone.
    pub fn part(&self) -> Self {
        let part = StopFlag::new();
        let mut parts = self.parts();
        parts.retain(|part| part.strong_count() > 0);
        parts.push(Arc::downgrade(&part.own));
        part.own.store(self.is_set(), Release);
        drop(parts);
        part
    }

    /// Asks all who share it to end.
    pub fn set(&self) {
        self.store(true);
    }

    /// Takes the request back, once all who were to follow it have ended: what comes after
    /// (replaying a finding) may run.
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

    /// Whether to end. Who sees the flag set sees all that was written before it was set.
    #[inline]
    pub fn is_set(&self) -> bool {
        self.own.load(Acquire)
    }

    /// The flag itself, for code that knows nothing of this type.
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

//! Confined variables, by address.

use selvedge_base::{Id, ThreadId};
use std::sync::Mutex;
use std::sync::atomic::AtomicU32;

/// The most accesses to confined variables that a step makes beside its action. With more, the next
/// one is an action: a loop that does nothing else must not be one endless step.
pub(crate) const MOST_IN_A_STEP: u32 = 32;

/// How a variable is used while there are several threads.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Use {
    /// By the main thread only.
    OfMain,
    /// Nobody writes it.
    Fixed,
}

impl Use {
    /// Whether an access is of this kind.
    pub(crate) fn allows(self, thread: ThreadId, write: bool) -> bool {
        match self {
            Use::OfMain => thread.index() == 0,
            Use::Fixed => !write,
        }
    }
}

/// Bytes of a variable.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Bytes {
    pub(crate) start: u64,
    pub(crate) end: u64,
    pub(crate) how: Use,
}

/// The variables that are confined, by address.
#[derive(Debug)]
pub(crate) struct Confined {
    /// In order, without common bytes. There is at least one.
    pub(super) bytes: Vec<Bytes>,
}

impl Confined {
    /// How each variable is used that has one of these bytes.
    #[inline]
    pub(crate) fn uses(&self, address: u64, size: u64) -> impl Iterator<Item = Use> {
        let end = address.saturating_add(size.max(1));
        let (first, last) = (self.bytes.first(), self.bytes.last());
        let outside = first.is_none_or(|b| end <= b.start) || last.is_none_or(|b| b.end <= address);
        let from = match outside {
            true => self.bytes.len(),
            false => self.bytes.partition_point(|b| b.end <= address),
        };
        let among = self.bytes[from..].iter();
        among.take_while(move |b| b.start < end).map(|b| b.how)
    }

    /// How the variable is used that has all of these bytes, if there is one.
    #[inline]
    pub(crate) fn whole(&self, address: u64, size: u64) -> Option<Use> {
        let at = self.bytes.partition_point(|b| b.end <= address);
        let bytes = self.bytes.get(at)?;
        let within = bytes.start <= address && address.saturating_add(size) <= bytes.end;
        within.then_some(bytes.how)
    }
}

/// What is known of a program's confined variables.
#[derive(Debug, Default)]
pub(crate) struct Confinement {
    /// Addresses that turned out to be used otherwise.
    pub(super) refused: Mutex<Vec<(u64, u64)>>,
    /// Their number.
    pub(super) wrong: AtomicU32,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_found_by_any_part_and_variables_as_a_whole() {
        let bytes = |start, end, how| Bytes { start, end, how };
        let confined = Confined {
            bytes: vec![
                bytes(8, 12, Use::OfMain),
                bytes(12, 16, Use::Fixed),
                bytes(32, 40, Use::Fixed),
            ],
        };
        let uses = |address, size| confined.uses(address, size).collect::<Vec<_>>();
        assert_eq!(uses(0, 8), []);
        assert_eq!(uses(7, 2), [Use::OfMain]);
        assert_eq!(uses(11, 2), [Use::OfMain, Use::Fixed]);
        assert_eq!(uses(0, 100), [Use::OfMain, Use::Fixed, Use::Fixed]);
        assert_eq!((uses(16, 16), uses(40, 8)), (vec![], vec![]));
        assert_eq!(confined.whole(8, 4), Some(Use::OfMain));
        assert_eq!(confined.whole(36, 4), Some(Use::Fixed));
        assert_eq!(
            (confined.whole(8, 8), confined.whole(0, 4), confined.whole(38, 4)),
            (None, None, None)
        );
    }

    #[test]
    fn what_is_allowed_depends_on_the_thread_or_on_writing() {
        let (main, other) = (ThreadId::from_index(0), ThreadId::from_index(1));
        let allowed = |how: Use| {
            [(main, false), (main, true), (other, false), (other, true)].map(|(t, w)| how.allows(t, w))
        };
        assert_eq!(allowed(Use::OfMain), [true, true, false, false]);
        assert_eq!(allowed(Use::Fixed), [true, false, true, false]);
    }
}

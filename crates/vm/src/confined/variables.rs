//! Confined variables, by address.

use selvedge_base::{Id, ThreadId};
use std::sync::atomic::AtomicU32;
use std::sync::{Mutex, OnceLock};

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
    pub(super) start: u64,
    pub(super) end: u64,
    pub(super) how: Use,
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
    /// What a few executions have shown.
    pub(super) found: OnceLock<Vec<Bytes>>,
    /// Addresses that turned out to be used otherwise.
    pub(super) refused: Mutex<Vec<(u64, u64)>>,
    /// Their number.
    pub(super) wrong: AtomicU32,
}

//! The bytes that threads may access.

use super::value::Span;

/// An access that may happen: `size` bytes at each of the addresses.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) struct Touch {
    pub(super) at: Span,
    pub(super) size: u64,
    pub(super) write: bool,
    /// By an operation on a synchronisation object, which does not change the kind of the object.
    pub(super) sync: bool,
    /// It is a wait at a barrier, which commutes with leaving the barrier.
    pub(super) barrier: bool,
}

impl Touch {
    /// True if it may access one of `size` bytes from an address.
    pub(super) fn meets(&self, address: u64, size: u64) -> bool {
        let (first, end) = (self.at.lo, self.at.hi.saturating_add(self.size));
        if end <= address || address.saturating_add(size) <= first {
            return false;
        }
        if self.at.stride == 0 {
            return true;
        }
        if address <= first {
            return true; // the first of them does
        }
        let behind = (address - first) % self.at.stride;
        // The last access that begins at or before the address, and the next one, if there is one.
        let last = address - behind;
        last <= self.at.hi && behind < self.size
            || last.saturating_add(self.at.stride) <= self.at.hi && self.at.stride - behind < size
            || last > self.at.hi && address - self.at.hi < self.size
    }
}

/// An access about which a question is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Goal {
    pub(crate) address: u64,
    pub(crate) size: u64,
    pub(crate) write: bool,
}

impl Goal {
    /// True if another thread's access meets this one, and one of them writes.
    pub(super) fn meets(&self, touch: &Touch) -> bool {
        (self.write || touch.write) && touch.meets(self.address, self.size)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accesses_meet_where_they_have_a_byte_in_common() {
        let mut rng = fastrand::Rng::with_seed(5);
        let mut met = [0; 2];
        for _ in 0..50_000 {
            let (lo, steps) = (rng.u64(..60), rng.u64(..5));
            let stride = rng.u64(1..20);
            let at = Span::new(lo, lo + steps * stride, stride);
            let (size, address, bytes) = (rng.u64(1..12), rng.u64(..120), rng.u64(1..12));
            let touch = Touch {
                at,
                size,
                write: true,
                sync: false,
                barrier: false,
            };
            let mut starts = (0..=steps).map(|n| lo + n * stride);
            let expected = starts.any(|from| from < address + bytes && address < from + size);
            assert_eq!(
                touch.meets(address, bytes),
                expected,
                "{touch:?} {address} {bytes}"
            );
            met[usize::from(expected)] += 1;
        }
        assert!(met.iter().all(|&n| n > 5_000), "{met:?}");
    }
}

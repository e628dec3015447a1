//! Sets of places in memory.

use rangemap::RangeSet;
use std::ops::Range;

/// A set of bytes of memory.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Places {
    /// Every byte.
    All,
    /// The bytes in these ranges.
    Of(RangeSet<u64>),
}

impl Default for Places {
    fn default() -> Self {
        Places::Of(RangeSet::default())
    }
}

impl Places {
    /// True if the set is empty.
    pub fn is_empty(&self) -> bool {
        matches!(self, Places::Of(bytes) if bytes.is_empty())
    }

    /// True if the set contains at least one of these bytes.
    pub fn meets(&self, bytes: Range<u64>) -> bool {
        match self {
            _ if bytes.is_empty() => false,
            Places::All => true,
            Places::Of(mine) => mine.overlaps(&bytes),
        }
    }

    /// True if the set contains all of these bytes.
    pub fn has(&self, bytes: Range<u64>) -> bool {
        match self {
            Places::All => true,
            Places::Of(mine) => bytes.is_empty() || mine.gaps(&bytes).next().is_none(),
        }
    }

    /// Its ranges in increasing order, which neither overlap nor touch. `None` if it has every
    /// byte.
    pub fn ranges(&self) -> Option<impl Iterator<Item = &Range<u64>>> {
        match self {
            Places::All => None,
            Places::Of(mine) => Some(mine.iter()),
        }
    }

    /// Adds these bytes.
    pub fn add(&mut self, bytes: Range<u64>) {
        if let (Places::Of(mine), false) = (self, bytes.is_empty()) {
            mine.insert(bytes);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_set_has_what_was_added_byte_by_byte() {
        let mut random = fastrand::Rng::with_seed(7);
        for _ in 0..200 {
            let (mut places, mut bytes) = (Places::default(), [false; 64]);
            for _ in 0..random.usize(0..8) {
                let start = random.usize(0..64);
                let end = random.usize(start..=64);
                places.add(start as u64..end as u64);
                bytes[start..end].fill(true);
            }
            assert_eq!(places.is_empty(), !bytes.contains(&true));
            let mut listed = [false; 64];
            for range in places.ranges().into_iter().flatten() {
                listed[range.start as usize..range.end as usize].fill(true);
            }
            assert_eq!(listed, bytes);
            for start in 0..64 {
                for end in start..=64 {
                    let asked = start as u64..end as u64;
                    assert_eq!(places.meets(asked.clone()), bytes[start..end].contains(&true));
                    assert_eq!(places.has(asked), !bytes[start..end].contains(&false));
                }
            }
        }
        assert!(Places::All.has(0..u64::MAX) && Places::All.meets(5..6) && !Places::All.is_empty());
        assert!(Places::All.ranges().is_none());
        assert!(!Places::All.meets(5..5));
    }
}

//! Sets of numbers as sorted, disjoint intervals that do not touch.

use smallvec::{SmallVec, smallvec};

/// A set of numbers of some width.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Intervals {
    /// Lowest and highest member of each interval; ascending, with a gap between neighbours.
    parts: SmallVec<[(u128, u128); 2]>,
}

/// The highest number of a width.
pub(crate) fn highest(width: u8) -> u128 {
    u128::MAX >> (128 - u32::from(width.clamp(1, 128)))
}

impl Intervals {
    pub(crate) fn empty() -> Intervals {
        Intervals { parts: smallvec![] }
    }

    /// Numbers from `low` to `high`; nothing if `low > high`.
    pub(crate) fn range(low: u128, high: u128) -> Intervals {
        if low > high {
            return Intervals::empty();
        }
        Intervals {
            parts: smallvec![(low, high)],
        }
    }

    /// All numbers of a width.
    pub(crate) fn all(width: u8) -> Intervals {
        Intervals::range(0, highest(width))
    }

    /// The union of intervals in any order.
    pub(crate) fn union(mut parts: SmallVec<[(u128, u128); 2]>) -> Intervals {
        parts.sort_unstable();
        let mut joined: SmallVec<[(u128, u128); 2]> = smallvec![];
        for (low, high) in parts {
            match joined.last_mut() {
                // Overlapping or touching; `low` is not 0 unless the last one begins at 0, too.
                Some(last) if low <= last.1 || low - 1 == last.1 => last.1 = last.1.max(high),
                _ => joined.push((low, high)),
            }
        }
        Intervals { parts: joined }
    }

    pub(crate) fn parts(&self) -> &[(u128, u128)] {
        &self.parts
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.parts.is_empty()
    }

    #[cfg(test)]
    fn contains(&self, value: u128) -> bool {
        let after = self.parts.partition_point(|&(low, _)| low <= value);
        after > 0 && value <= self.parts[after - 1].1
    }

    /// The member nearest to a number from below, else the lowest.
    pub(crate) fn near(&self, value: u128) -> Option<u128> {
        let after = self.parts.partition_point(|&(low, _)| low <= value);
        match after.checked_sub(1) {
            Some(index) => Some(self.parts[index].1.min(value)),
            None => self.parts.first().map(|&(low, _)| low),
        }
    }

    pub(crate) fn intersection(&self, other: &Intervals) -> Intervals {
        let mut parts = smallvec![];
        let (mut ours, mut theirs) = (self.parts.iter().peekable(), other.parts.iter().peekable());
        while let (Some(&&(a, b)), Some(&&(c, d))) = (ours.peek(), theirs.peek()) {
            let (low, high) = (a.max(c), b.min(d));
            if low <= high {
                parts.push((low, high));
            }
            if b < d {
                ours.next();
            } else {
                theirs.next();
            }
        }
        Intervals { parts }
    }

    /// The numbers of a width that are not in the set.
    pub(crate) fn complement(&self, width: u8) -> Intervals {
        let mut parts = smallvec![];
        let mut next = Some(0);
        for &(low, high) in &self.parts {
            if let Some(start) = next
                && start < low
            {
                parts.push((start, low - 1));
            }
            next = high.checked_add(1);
        }
        if let Some(start) = next
            && start <= highest(width)
        {
            parts.push((start, highest(width)));
        }
        Intervals { parts }
    }

    /// All members plus a number, modulo two to the width.
    pub(crate) fn rotate(&self, by: u128, width: u8) -> Intervals {
        let mask = highest(width);
        let mut parts = smallvec![];
        for &(low, high) in &self.parts {
            let (from, to) = (low.wrapping_add(by) & mask, high.wrapping_add(by) & mask);
            if from <= to {
                parts.push((from, to));
            } else {
                parts.push((from, mask));
                parts.push((0, to));
            }
        }
        Intervals::union(parts)
    }

    /// The bitwise negation of all members: `highest - member`.
    pub(crate) fn reflect(&self, width: u8) -> Intervals {
        let mask = highest(width);
        Intervals {
            parts: self
                .parts
                .iter()
                .rev()
                .map(|&(low, high)| (mask - high, mask - low))
                .collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A set of numbers of five bits.
    fn set(members: u32) -> Intervals {
        Intervals::union(
            (0..32)
                .filter(|bit| members >> bit & 1 != 0)
                .map(|bit| (bit, bit))
                .collect(),
        )
    }

    fn members(set: &Intervals) -> u32 {
        for pair in set.parts().windows(2) {
            assert!(pair[0].1 + 1 < pair[1].0, "sorted, and not touching");
        }
        (0..32)
            .filter(|&value| set.contains(value))
            .map(|bit| 1 << bit)
            .sum()
    }

    #[test]
    fn sets_of_five_bits_are_what_masks_are() {
        let mut random = fastrand::Rng::with_seed(1);
        for _ in 0..5_000 {
            let (a, b) = (random.u32(..) & random.u32(..), random.u32(..) | random.u32(..));
            let (x, y) = (set(a), set(b));
            assert_eq!(members(&x), a);
            assert_eq!(members(&x.intersection(&y)), a & b);
            assert_eq!(members(&x.complement(5)), !a);
            let by = random.u32(..32);
            assert_eq!(members(&x.rotate(by.into(), 5)), a.rotate_left(by));
            assert_eq!(members(&x.reflect(5)), a.reverse_bits());
            let near = x.near(by.into());
            assert_eq!(near.is_none(), a == 0);
            if let Some(near) = near {
                assert!(x.contains(near));
            }
        }
    }

    #[test]
    fn the_widest_numbers() {
        assert_eq!(Intervals::all(128).complement(128), Intervals::empty());
        assert_eq!(Intervals::empty().complement(128), Intervals::all(128));
        let top = Intervals::range(u128::MAX, u128::MAX);
        assert_eq!(top.rotate(1, 128), Intervals::range(0, 0));
        assert_eq!(top.complement(128), Intervals::range(0, u128::MAX - 1));
    }
}

//! What a followed thread has stored on its only path so far.
//!
//! As long as each branch is decided, a thread is followed on one path, and its stores come in the
//! order of its program. So a load sees its own last store, or a store of another thread, and
//! neither the present contents of memory nor its own earlier stores.

use super::value::Abstract;
use std::collections::BTreeMap;

/// The bytes that were stored, and their values.
#[derive(Debug, Default)]
pub(super) struct Own {
    /// By the first address: the end and the value. They do not overlap.
    places: BTreeMap<u64, (u64, Abstract)>,
    /// The number of times that a place got another value.
    pub(super) changes: u32,
}

impl Own {
    /// Records that these bytes have been stored.
    pub(super) fn set(&mut self, from: u64, size: u64, value: Abstract) {
        let Some(end) = from.checked_add(size).filter(|_| size > 0) else {
            return;
        };
        if self.places.get(&from) == Some(&(end, value)) {
            return;
        }
        self.changes += 1;
        while let Some((&first, &(last, _))) = self.places.range(..end).next_back() {
            if last <= from {
                break;
            }
            self.places.remove(&first);
            // The rest of a number is none.
            if first < from {
                self.places.insert(first, (from, Abstract::Any));
            }
            if end < last {
                self.places.insert(end, (last, Abstract::Any));
            }
            if first < from {
                break;
            }
        }
        self.places.insert(from, (end, value));
    }

    /// The value of these bytes; `None` if none of them was stored.
    pub(super) fn get(&self, from: u64, size: u64) -> Option<Abstract> {
        let end = from.saturating_add(size);
        let (&first, &(last, value)) = self.places.range(..end).next_back()?;
        if last <= from {
            return None;
        }
        let all = (first, last) == (from, end);
        Some(if all { value } else { Abstract::Any })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Against one value for each byte.
    #[test]
    fn stored_bytes_are_found() {
        let mut rng = fastrand::Rng::with_seed(6);
        let mut found = [0; 3];
        for _ in 0..500 {
            let mut own = Own::default();
            let mut bytes = [0; 40];
            for number in 1..15 {
                let (from, size) = (rng.u64(..30), rng.u64(1..9));
                own.set(from, size, Abstract::one(number));
                bytes[from as usize..][..size as usize].fill(number);
                let (at, size) = match rng.u8(..4) {
                    0 => (from, size),
                    _ => (rng.u64(..30), rng.u64(1..9)),
                };
                let here = &bytes[at as usize..][..size as usize];
                let kind = match own.get(at, size) {
                    None => {
                        assert!(here.iter().all(|&n| n == 0));
                        0
                    }
                    Some(Abstract::Any) => 1,
                    Some(value) => {
                        assert!(here.iter().all(|&n| Some(n) == value.as_one()));
                        2
                    }
                };
                found[kind] += 1;
            }
        }
        assert!(found.iter().all(|&n| n > 100), "{found:?}");
    }
}

//! The positions to which a waiting thread may return, as states keep them.

use rustc_hash::FxHashMap;
use selvedge_base::Digest;

/// A stand to which a thread may return: its place (depth, function, instruction), and the hash of
/// the thread's state.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Stand {
    pub(super) place: (u32, u32, u32),
    pub(super) hash: Digest,
}

/// Lists of stands, by number. Number 0 is the empty list.
#[derive(Default)]
pub(crate) struct Stands {
    lists: Vec<Vec<Stand>>,
    numbers: FxHashMap<Vec<Stand>, u32>,
}

impl Stands {
    /// The stands of a list.
    pub(crate) fn list(&self, number: u32) -> &[Stand] {
        match number.checked_sub(1) {
            Some(index) => &self.lists[index as usize],
            None => &[],
        }
    }

    /// The list as words, for fingerprints.
    pub(crate) fn words(&self, number: u32) -> impl Iterator<Item = u64> + '_ {
        self.list(number).iter().flat_map(|stand| stand.hash.words())
    }

    pub(crate) fn number(&mut self, list: Vec<Stand>) -> u32 {
        if list.is_empty() {
            return 0;
        }
        if let Some(&number) = self.numbers.get(&list) {
            return number;
        }
        self.lists.push(list.clone());
        let number = self.lists.len() as u32;
        self.numbers.insert(list, number);
        number
    }
}

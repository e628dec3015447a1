//! Sets of threads: one word for threads 0 to 63, more words only for programs with more threads.

use crate::{Id, ThreadId};
use smallvec::{SmallVec, smallvec};

/// A set of threads. Cheap for thread numbers below 64; any number is allowed.
#[derive(Clone, Debug, Eq)]
pub struct ThreadSet {
    words: SmallVec<[u64; 1]>,
}

impl ThreadSet {
    /// The empty set.
    #[inline]
    pub fn new() -> Self {
        ThreadSet { words: smallvec![0] }
    }

    /// The set with one member.
    pub fn of(thread: ThreadId) -> Self {
        let mut set = ThreadSet::new();
        set.insert(thread);
        set
    }

    /// Adds a thread. Returns true if it was not in the set.
    #[inline]
    pub fn insert(&mut self, thread: ThreadId) -> bool {
        let (word, bit) = (thread.index() / 64, 1u64 << (thread.index() % 64));
        if word >= self.words.len() {
            self.words.resize(word + 1, 0);
        }
        let new = self.words[word] & bit == 0;
        self.words[word] |= bit;
        new
    }

    /// Removes a thread.
    #[inline]
    pub fn remove(&mut self, thread: ThreadId) {
        if let Some(word) = self.words.get_mut(thread.index() / 64) {
            *word &= !(1u64 << (thread.index() % 64));
        }
    }

    /// Whether the thread is a member.
    #[inline]
    pub fn contains(&self, thread: ThreadId) -> bool {
        self.words
            .get(thread.index() / 64)
            .is_some_and(|w| w >> (thread.index() % 64) & 1 == 1)
    }

    /// Whether there is no member.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.words.iter().all(|&w| w == 0)
    }

    /// How many members there are.
    pub fn len(&self) -> usize {
        self.words.iter().map(|w| w.count_ones() as usize).sum()
    }

    /// Whether the two sets share a member.
    #[inline]
    pub fn intersects(&self, other: &ThreadSet) -> bool {
        self.words.iter().zip(&other.words).any(|(a, b)| a & b != 0)
    }

    /// Adds all members of the other set.
    pub fn union_with(&mut self, other: &ThreadSet) {
        if self.words.len() < other.words.len() {
            self.words.resize(other.words.len(), 0);
        }
        for (mine, theirs) in self.words.iter_mut().zip(&other.words) {
            *mine |= theirs;
        }
    }

    /// Removes all members of the other set.
    pub fn subtract(&mut self, other: &ThreadSet) {
        for (mine, theirs) in self.words.iter_mut().zip(&other.words) {
            *mine &= !theirs;
        }
    }

    /// The member with the lowest number.
    pub fn first(&self) -> Option<ThreadId> {
        self.iter().next()
    }

    /// The members, lowest number first.
    pub fn iter(&self) -> impl Iterator<Item = ThreadId> + '_ {
        self.words.iter().enumerate().flat_map(|(i, &word)| {
            let mut rest = word;
            std::iter::from_fn(move || {
                (rest != 0).then(|| {
                    let bit = rest.trailing_zeros() as usize;
                    rest &= rest - 1;
                    ThreadId::from_index(i * 64 + bit)
                })
            })
        })
    }
}

impl PartialEq for ThreadSet {
    fn eq(&self, other: &Self) -> bool {
        let longest = self.words.len().max(other.words.len());
        let word = |s: &ThreadSet, i: usize| s.words.get(i).copied().unwrap_or(0);
        (0..longest).all(|i| word(self, i) == word(other, i))
    }
}

impl Default for ThreadSet {
    fn default() -> Self {
        Self::new()
    }
}

impl FromIterator<ThreadId> for ThreadSet {
    fn from_iter<I: IntoIterator<Item = ThreadId>>(iter: I) -> Self {
        let mut set = ThreadSet::new();
        for thread in iter {
            set.insert(thread);
        }
        set
    }
}

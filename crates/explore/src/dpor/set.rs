//! Sets of threads as words: one for programs with up to 64 threads, sixteen for the others.

use std::fmt::Debug;
use std::hash::Hash;

/// A set of small thread numbers that is copied like a number.
pub(super) trait Set: Copy + Default + PartialEq + Eq + Hash + Debug + Send {
    /// All members are less than this.
    const CAPACITY: usize;
    fn insert(&mut self, thread: usize);
    fn remove(&mut self, thread: usize);
    fn contains(self, thread: usize) -> bool;
    fn is_empty(self) -> bool;
    fn and(self, other: Self) -> Self;
    fn minus(self, other: Self) -> Self;
    fn first(self) -> Option<usize>;

    /// The set of the threads with these bits.
    fn from_bits(bits: u64) -> Self;

    /// Adds or removes a thread.
    #[inline]
    fn assign(&mut self, thread: usize, member: bool) {
        if member {
            self.insert(thread);
        } else {
            self.remove(thread);
        }
    }

    /// The indices of the items for which `is_so` is true.
    #[inline]
    fn of<T>(things: &[T], is_so: impl Fn(&T) -> bool) -> Self {
        let mut set = Self::default();
        for (number, thing) in things.iter().enumerate() {
            if is_so(thing) {
                set.insert(number);
            }
        }
        set
    }

    /// Removes and returns the lowest member.
    fn pop(&mut self) -> Option<usize> {
        let first = self.first()?;
        self.remove(first);
        Some(first)
    }
}

impl Set for u64 {
    const CAPACITY: usize = 64;

    #[inline]
    fn insert(&mut self, thread: usize) {
        *self |= 1 << thread;
    }
    #[inline]
    fn remove(&mut self, thread: usize) {
        *self &= !(1 << thread);
    }
    #[inline]
    fn contains(self, thread: usize) -> bool {
        self >> thread & 1 != 0
    }
    #[inline]
    fn is_empty(self) -> bool {
        self == 0
    }
    #[inline]
    fn and(self, other: Self) -> Self {
        self & other
    }
    #[inline]
    fn minus(self, other: Self) -> Self {
        self & !other
    }
    #[inline]
    fn from_bits(bits: u64) -> u64 {
        bits
    }
    #[inline]
    fn first(self) -> Option<usize> {
        (self != 0).then(|| self.trailing_zeros() as usize)
    }
    #[inline]
    fn assign(&mut self, thread: usize, member: bool) {
        *self = *self & !(1 << thread) | u64::from(member) << thread;
    }
    #[inline]
    fn of<T>(things: &[T], is_so: impl Fn(&T) -> bool) -> u64 {
        things
            .iter()
            .rev()
            .fold(0, |set, thing| set << 1 | u64::from(is_so(thing)))
    }
}

/// For many threads.
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash, Debug)]
pub(super) struct Wide([u64; 16]);

impl Set for Wide {
    const CAPACITY: usize = 1024;

    fn insert(&mut self, thread: usize) {
        self.0[thread / 64].insert(thread % 64);
    }
    fn remove(&mut self, thread: usize) {
        self.0[thread / 64].remove(thread % 64);
    }
    fn contains(self, thread: usize) -> bool {
        self.0[thread / 64].contains(thread % 64)
    }
    fn is_empty(self) -> bool {
        self.0.iter().all(|&w| w == 0)
    }
    fn and(mut self, other: Self) -> Self {
        self.0.iter_mut().zip(other.0).for_each(|(a, b)| *a &= b);
        self
    }
    fn minus(mut self, other: Self) -> Self {
        self.0.iter_mut().zip(other.0).for_each(|(a, b)| *a &= !b);
        self
    }
    fn from_bits(bits: u64) -> Self {
        let mut set = Wide::default();
        set.0[0] = bits;
        set
    }
    fn first(self) -> Option<usize> {
        let word = self.0.iter().position(|&w| w != 0)?;
        Some(word * 64 + self.0[word].trailing_zeros() as usize)
    }
}

/// The thread that moved last if it is in the set, otherwise the first thread.
#[inline]
pub(super) fn nearest<S: Set>(awake: S, last: usize) -> usize {
    if awake.contains(last) {
        last
    } else {
        awake.first().unwrap_or(last)
    }
}

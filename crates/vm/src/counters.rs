//! Variables to which threads add without asking what was there: counters. The order of such
//! additions cannot be seen, so they are an operation of their own (`Op::Add`) that commutes
//! (docs/algorithms.md, "Additions that nobody looks at").
//!
//! Two things make an atomic addition one of these. Nothing depends on the value that it returns:
//! that follows from the code of its function and of those that called it
//! (`machine/additions.rs`). And it is made to a variable of which a few executions have shown that
//! several threads add to it ([`crate::sample`]). The second is no assumption. The set is fixed
//! before the exploration, so that states can be hashed accordingly; additions to other variables
//! are read-modify-writes.

//!
//! *Reads that acquire nothing.* A thread that has read another one's addition knows that its own
//! comes later, and then its own acquires from it. With a read that acquires it does so already.
//! After one that does not (a relaxed one), an addition with an order that acquires is no blind
//! one. So a variable with both is no counter: the machine looks for that in each step
//! (`machine/additions.rs`), and the exploration begins again without the variable.

use rustc_hash::{FxHashMap, FxHashSet};
use selvedge_base::ThreadId;
use std::sync::Mutex;
use std::sync::atomic::AtomicU32;

/// What is known of a variable.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Seen {
    /// An addition to it has an order that acquires.
    Acquires = 1,
    /// It is read atomically with an order that does not.
    ReadWeakly = 2,
    /// A thread may wait for it in a loop, and the explorer needs an order of its changes.
    Awaited = 4,
}

/// What was found out about a program's counters.
#[derive(Debug, Default)]
pub(crate) struct Counted {
    /// For each counter, by address, what was [`Seen`] of it, as bits.
    pub(crate) seen: Mutex<FxHashMap<u64, u32>>,
    /// The number of variables that turned out to be none.
    pub(crate) wrong: AtomicU32,
}

/// Whether a variable of which this was [`Seen`], as bits, is no counter.
pub(crate) fn is_refuted(seen: u32) -> bool {
    const BOTH: u32 = Seen::Acquires as u32 | Seen::ReadWeakly as u32;
    seen & BOTH == BOTH || seen & Seen::Awaited as u32 != 0
}

/// The bytes of a variable.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct Word {
    pub address: u64,
    /// 4 or 8.
    pub size: u64,
}

/// Variables to which additions commute.
#[derive(Clone, Debug)]
pub(crate) enum Counters {
    /// Every variable, for executions that find out which there are. Their states are not hashed.
    All,
    /// By address, without common bytes.
    These(Vec<Word>),
}

impl Counters {
    /// Those to which several threads have added, unless threads add to parts of them, too.
    pub fn among(additions: FxHashMap<Word, FxHashSet<ThreadId>>) -> Vec<Word> {
        let mut words: Vec<(Word, usize)> = additions.into_iter().map(|(w, by)| (w, by.len())).collect();
        words.sort_unstable();
        let meets = |a: &Word, b: &Word| a.address < b.address + b.size && b.address < a.address + a.size;
        let alone = |at: usize| {
            let near = [at.checked_sub(1), Some(at + 1)].into_iter().flatten();
            let near = near.filter_map(|other| words.get(other));
            near.into_iter().all(|(other, _)| !meets(&words[at].0, other))
        };
        let counted = (0..words.len()).filter(|&at| words[at].1 > 1 && alone(at));
        counted.map(|at| words[at].0).collect()
    }

    /// Whether it is one of them.
    pub fn has(&self, word: Word) -> bool {
        match self {
            Counters::All => true,
            Counters::These(words) => words.binary_search(&word).is_ok(),
        }
    }

    /// The addresses of all their bytes.
    #[cfg(feature = "laboratory")]
    pub fn bytes(&self) -> impl Iterator<Item = u64> {
        let words = match self {
            Counters::All => &[],
            Counters::These(words) => &words[..],
        };
        words
            .iter()
            .flat_map(|word| word.address..word.address + word.size)
    }

    /// The address of the variable to which a byte belongs.
    pub fn start(&self, address: u64) -> Option<u64> {
        let Counters::These(words) = self else { return None };
        let after = words.partition_point(|word| word.address <= address);
        let word = words[..after].last()?;
        (address < word.address + word.size).then_some(word.address)
    }
}

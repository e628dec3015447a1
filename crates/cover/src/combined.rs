//! Parts for schedules that lead to one of several states.
//!
//! What a request changes may show only later: a flag that is set under no lock makes a difference
//! when the next request is read. Then one schedule leads to one of several parts, and no thread
//! can know to which. But each thread knows which schedules were followed. So parts are *combined*,
//! as by the subset construction for finite automata: a combined part is the set of all parts to
//! which the schedules followed so far may have led, and its schedules are those of all of them.
//!
//! The exploration is then made once more, with the combined part as part of what is compared at a
//! junction. So each schedule of the set was followed by an execution from its own combined part.

use crate::parts::{Key, key};
use rustc_hash::FxHashMap;
use selvedge_schedule::cover::{Cover, Part, Step};
use std::collections::{BTreeMap, BTreeSet};

/// More combined parts are not computed.
const MOST_COMBINED: usize = 1000;

/// A schedule and where threads stand after it: all that threads know of it.
type Word = (Vec<Key>, Option<Part>);

/// Which combined part a schedule leads to.
#[derive(Default)]
pub(crate) struct Combined {
    /// The combined parts but for the first one, part 0.
    pub(crate) parts: Vec<Part>,
    words: FxHashMap<Word, usize>,
    leads: FxHashMap<(usize, usize), usize>,
}

/// There are too many combined parts.
#[derive(Debug)]
pub(crate) struct TooMany;

impl Combined {
    /// Combines the parts of a set. `None`: each schedule leads to one part.
    pub(crate) fn of(cover: &Cover) -> Result<Option<Combined>, TooMany> {
        let mut made = Combined::default();
        let mut of: Vec<Vec<(usize, usize)>> = vec![Vec::new(); cover.parts.len() + 1];
        for order in &cover.schedules {
            let Some(to) = order.to else { continue };
            let word = (key(&order.steps), cover.part(to).cloned());
            let next = made.words.len();
            let word = *made.words.entry(word).or_insert(next);
            of[order.from].push((word, to));
        }
        let mut numbers = BTreeMap::from([(BTreeSet::from([0]), 0)]);
        let mut todo = vec![BTreeSet::from([0])];
        let mut several = false;
        while let Some(from) = todo.pop() {
            let number = numbers[&from];
            let mut leads: BTreeMap<usize, BTreeSet<usize>> = BTreeMap::new();
            for &(word, to) in from.iter().flat_map(|&part| &of[part]) {
                leads.entry(word).or_default().insert(to);
            }
            for (word, to) in leads {
                several |= to.len() > 1;
                let next = numbers.len();
                let part = *numbers.entry(to.clone()).or_insert(next);
                made.leads.insert((number, word), part);
                if part == next {
                    if next > MOST_COMBINED {
                        return Err(TooMany);
                    }
                    // Where threads stand is part of the word, so it is the same in all of them.
                    let stands = to.first().and_then(|&part| cover.part(part));
                    made.parts.push(stands.cloned().unwrap_or_default());
                    todo.push(to);
                }
            }
        }
        Ok(several.then_some(made))
    }

    /// The combined part to which a schedule leads.
    pub(crate) fn next(&self, from: usize, steps: &[Step], stands: &Part) -> Option<usize> {
        let word = self.words.get(&(key(steps), Some(stands.clone())))?;
        self.leads.get(&(from, *word)).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The first request leads to one of two parts; the second one shows to which.
    const SEVERAL: &str = "selvedge-cover 2\nobject 0 global 0 s\n\
        part 1\nstands 0 request -\npart 2\nstands 0 request -\npart 3\nstands 0 request -\n\
        schedule 1 from 0 to 1\nop 0 post o0 done\n\
        schedule 1 from 1 to 2\nop 0 request - done\n\
        schedule 1 from 1 to 3\nop 0 request - done\n\
        schedule 1 from 2 to 2\nop 0 request - done\nop 0 post o0 done\n\
        schedule 1 from 3 to 3\nop 0 request - done\nop 0 wait o0 done\n\
        schedule 1 from 3\nop 0 request - done\nop 0 exit - done\n";

    #[test]
    fn parts_are_combined_until_a_schedule_tells_them_apart() {
        let cover: Cover = SEVERAL.parse().unwrap();
        let said = crate::Trie::of(&cover).unwrap_err();
        assert_eq!(said, "schedule 3 leads to several parts");
        let combined = Combined::of(&cover).unwrap().unwrap();
        // 1, then 2 and 3 together, then each alone.
        assert_eq!(combined.parts.len(), 4);
        let steps = |schedule: usize| &cover.schedules[schedule].steps[..];
        let stands = &cover.parts[0];
        let both = combined.next(1, steps(1), stands).unwrap();
        let [posts, waits] = [3, 4].map(|schedule| combined.next(both, steps(schedule), stands).unwrap());
        assert_ne!(posts, waits);
        assert_eq!(combined.next(posts, steps(3), stands), Some(posts));
        assert_eq!(combined.next(posts, steps(4), stands), None);
    }

    #[test]
    fn nothing_is_combined_without_need() {
        let text = SEVERAL.replacen("from 1 to 3", "from 3 to 1", 1);
        assert!(Combined::of(&text.parse().unwrap()).unwrap().is_none());
    }
}

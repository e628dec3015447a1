//! The sets of held accesses of known states ([`Held`]), by number. Each access is kept once: most
//! sets have most of their accesses in common, and there are as many sets as states.

use indexmap::IndexSet;
use rustc_hash::{FxBuildHasher, FxHashMap};
use selvedge_model::{Held, RaceCandidate};

/// Sets of held accesses.
#[derive(Debug, Default)]
pub(super) struct HeldSets {
    accesses: IndexSet<RaceCandidate, FxBuildHasher>,
    /// The sets: numbers of accesses, in the order of the accesses themselves.
    sets: IndexSet<Box<[u32]>, FxBuildHasher>,
    /// Which sets were found to include each other.
    includes: FxHashMap<(u32, u32), bool>,
}

impl HeldSets {
    /// The number of a set.
    pub fn number(&mut self, held: Held) -> u32 {
        let accesses = held.into_candidates().into_iter();
        let set = accesses.map(|access| self.accesses.insert_full(access).0 as u32);
        self.sets.insert_full(set.collect()).0 as u32
    }

    /// What [`Held::includes`] says of the sets with these numbers.
    pub fn includes(&mut self, one: u32, other: u32) -> bool {
        let (sets, accesses) = (&self.sets, &self.accesses);
        *self.includes.entry((one, other)).or_insert_with(|| {
            let access = |number: &u32| &accesses[*number as usize];
            let (mut mine, theirs) = (&*sets[one as usize], &sets[other as usize]);
            theirs.iter().all(|number| {
                if mine.first() == Some(number) {
                    return true;
                }
                let theirs = access(number);
                let before = mine
                    .iter()
                    .take_while(|mine| access(mine).what < theirs.what)
                    .count();
                mine = &mine[before..];
                theirs.is_among(mine.iter().map(access))
            })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fastrand::Rng;
    use selvedge_base::{Digest, Domain};
    use selvedge_model::CoveringClock;

    static DOMAIN: Domain = Domain::new("held sets test");

    fn random(rng: &mut Rng) -> Held {
        let name = |n: u64| Digest::of_words(&DOMAIN, &[n]);
        let candidates = (0..rng.usize(0..6)).map(|_| RaceCandidate {
            what: name(rng.u64(0..4)),
            bytes: rng.u32(1..4),
            covered_by: (0..rng.u64(0..3))
                .map(|n| CoveringClock {
                    name: name(n),
                    beyond: rng.bool().then(|| name(rng.u64(0..3))),
                })
                .collect(),
        });
        Held::new(candidates.collect())
    }

    #[test]
    fn numbered_sets_include_each_other_as_the_sets_do() {
        let mut rng = Rng::with_seed(7);
        let (mut sets, mut counts) = (HeldSets::default(), [0; 2]);
        for _ in 0..20_000 {
            let (one, other) = (random(&mut rng), random(&mut rng));
            let numbers = [&one, &other].map(|held| sets.number(held.clone()));
            let expected = one.includes(&other);
            assert_eq!(
                sets.includes(numbers[0], numbers[1]),
                expected,
                "{one:?} {other:?}"
            );
            assert_eq!(numbers[0] == numbers[1], one == other);
            counts[usize::from(expected)] += 1;
        }
        assert!(counts[0] > 1_000 && counts[1] > 1_000, "{counts:?}");
    }
}

//! The accesses that a detector remembers because later accesses may race with them. Two executions
//! can be compared by these: if one remembers at least what the other does, then the same later
//! events bring at least the same faults after it.

use selvedge_base::Digest;
use std::rc::Rc;

/// A clock that covers accesses and that threads may acquire: the clock of a thread or of a
/// synchronisation object.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct CoveringClock {
    /// The name of the clock's owner.
    pub name: Digest,
    /// The name of another clock that this one includes: a thread that acquires this clock has
    /// acquired the other one by then, too.
    pub beyond: Option<Digest>,
}

/// An access that a later one may race with.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct RaceCandidate {
    /// A digest of the place, the kind of access, the thread and the statement.
    pub what: Digest,
    /// The bytes of the place that it accessed, one bit each.
    pub bytes: u32,
    /// The clocks that cover it, sorted. A clock that includes another one of them is left out. The
    /// accesses of one thread between two synchronisations share them.
    pub covered_by: Rc<[CoveringClock]>,
}

impl RaceCandidate {
    /// True if every clock that covers this access covers the other access as well.
    fn is_covered_by_no_more(&self, other: &RaceCandidate) -> bool {
        let knows = |name: Digest| other.covered_by.iter().any(|clock| clock.name == name);
        let mut mine = self.covered_by.iter();
        mine.all(|clock| knows(clock.name) || clock.beyond.is_some_and(knows))
    }

    /// True if each later access that races with this one races with one of `others` as well. They
    /// are sorted and begin with those of this place, if there are any.
    pub fn is_among<'a>(&self, others: impl Iterator<Item = &'a RaceCandidate>) -> bool {
        let same = others.take_while(|other| other.what == self.what);
        let known = same.filter(|other| other.is_covered_by_no_more(self));
        let bytes = known.fold(0, |bytes, other| bytes | other.bytes);
        self.bytes & !bytes == 0
    }
}

/// A set of accesses that later ones may race with.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Held(Vec<RaceCandidate>);

impl Held {
    /// The set of these accesses.
    pub fn new(mut candidates: Vec<RaceCandidate>) -> Self {
        candidates.sort_unstable();
        candidates.dedup();
        Held(candidates)
    }

    /// The union of both sets.
    #[must_use]
    pub fn and(mut self, other: Held) -> Held {
        self.0.extend(other.0);
        Held::new(self.0)
    }

    /// The accesses, sorted.
    pub fn into_candidates(self) -> Vec<RaceCandidate> {
        self.0
    }

    /// The accesses, sorted.
    pub fn candidates(&self) -> &[RaceCandidate] {
        &self.0
    }

    /// True if each later access that races with one of the other set races with one of this set as
    /// well, whatever events come before it.
    pub fn includes(&self, other: &Held) -> bool {
        other.0.iter().all(|theirs| {
            let first = self.0.partition_point(|mine| mine.what < theirs.what);
            theirs.is_among(self.0[first..].iter())
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use selvedge_base::Domain;

    static DOMAIN: Domain = Domain::new("held test");

    fn name(n: u64) -> Digest {
        Digest::of_words(&DOMAIN, &[n])
    }

    fn candidate(what: u64, bytes: u32, covered_by: &[(u64, Option<u64>)]) -> RaceCandidate {
        RaceCandidate {
            what: name(what),
            bytes,
            covered_by: covered_by
                .iter()
                .map(|&(n, beyond)| CoveringClock {
                    name: name(n),
                    beyond: beyond.map(name),
                })
                .collect(),
        }
    }

    #[test]
    fn less_knowledge_and_more_accesses_include_more_and_less() {
        let held = |candidates: &[RaceCandidate]| Held::new(candidates.to_vec());
        let nothing = Held::default();
        let unknown = held(&[candidate(1, 1, &[])]);
        let known = held(&[candidate(1, 1, &[(7, None)])]);
        assert!(unknown.includes(&nothing) && !nothing.includes(&unknown) && nothing.includes(&nothing));
        assert!(unknown.includes(&known) && !known.includes(&unknown) && known.includes(&known));
        // A clock that includes a clock which covers the access covers it, too.
        let fence = held(&[candidate(1, 1, &[(8, Some(7))])]);
        assert!(fence.includes(&known) && !known.includes(&fence));
        // Bytes may come from several.
        let both = held(&[candidate(1, 3, &[(7, None)])]);
        let parts = held(&[candidate(1, 1, &[]), candidate(1, 2, &[(7, None)])]);
        assert!(parts.includes(&both) && !both.includes(&parts));
        assert!(!held(&[candidate(2, 3, &[])]).includes(&both));
        assert!(parts.clone().and(fence).includes(&parts));
    }
}

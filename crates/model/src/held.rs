//! What a detector holds against events to come, so that two executions can be compared: after one
//! of them at least the faults come that come after the other.

use selvedge_base::Digest;
use smallvec::SmallVec;

/// Something that knows of accesses by happens-before, and that threads may learn from.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Knower {
    /// Its name.
    pub name: Digest,
    /// The name of another one, if whoever learns from this one knows all of that one by then.
    pub beyond: Option<Digest>,
}

/// An access that one to come may race with.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Threat {
    /// Where it was, of what kind, by whom, at which statement.
    pub what: Digest,
    /// Which bytes of the place it touched, one bit each.
    pub bytes: u32,
    /// Who knows of it, sorted; but nobody who is beyond another one of them.
    pub known_by: SmallVec<[Knower; 2]>,
}

impl Threat {
    /// Whether whoever knows of this one knows of the other one.
    fn is_known_to_no_more(&self, other: &Threat) -> bool {
        let knows = |name: Digest| other.known_by.iter().any(|knower| knower.name == name);
        let mut mine = self.known_by.iter();
        mine.all(|knower| knows(knower.name) || knower.beyond.is_some_and(knows))
    }
}

/// What is held against events to come.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Held(Vec<Threat>);

impl Held {
    /// These.
    pub fn new(mut threats: Vec<Threat>) -> Self {
        threats.sort_unstable();
        threats.dedup();
        Held(threats)
    }

    /// Both.
    #[must_use]
    pub fn and(mut self, other: Held) -> Held {
        self.0.extend(other.0);
        Held::new(self.0)
    }

    /// What it is, sorted.
    pub fn threats(&self) -> &[Threat] {
        &self.0
    }

    /// Whether each access that races with one of the other's races with one of these as well,
    /// whatever comes before it.
    pub fn includes(&self, other: &Held) -> bool {
        other.0.iter().all(|theirs| {
            let first = self.0.partition_point(|mine| mine.what < theirs.what);
            let same = self.0[first..].iter().take_while(|mine| mine.what == theirs.what);
            let known = same.filter(|mine| mine.is_known_to_no_more(theirs));
            let bytes = known.fold(0, |bytes, mine| bytes | mine.bytes);
            theirs.bytes & !bytes == 0
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

    fn threat(what: u64, bytes: u32, known_by: &[(u64, Option<u64>)]) -> Threat {
        Threat {
            what: name(what),
            bytes,
            known_by: known_by
                .iter()
                .map(|&(n, beyond)| Knower {
                    name: name(n),
                    beyond: beyond.map(name),
                })
                .collect(),
        }
    }

    #[test]
    fn less_knowledge_and_more_accesses_include_more_and_less() {
        let held = |threats: &[Threat]| Held::new(threats.to_vec());
        let nothing = Held::default();
        let unknown = held(&[threat(1, 1, &[])]);
        let known = held(&[threat(1, 1, &[(7, None)])]);
        assert!(unknown.includes(&nothing) && !nothing.includes(&unknown) && nothing.includes(&nothing));
        assert!(unknown.includes(&known) && !known.includes(&unknown) && known.includes(&known));
        // Who is beyond one who knows, knows.
        let fence = held(&[threat(1, 1, &[(8, Some(7))])]);
        assert!(fence.includes(&known) && !known.includes(&fence));
        // Bytes may come from several.
        let both = held(&[threat(1, 3, &[(7, None)])]);
        let parts = held(&[threat(1, 1, &[]), threat(1, 2, &[(7, None)])]);
        assert!(parts.includes(&both) && !both.includes(&parts));
        assert!(!held(&[threat(2, 3, &[])]).includes(&both));
        assert!(parts.clone().and(fence).includes(&parts));
    }
}

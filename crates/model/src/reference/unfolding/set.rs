//! Sets of events as bits.

/// A set of small numbers.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Debug)]
pub struct EventSet {
    /// The last word is not 0, so equal sets have equal words.
    words: Vec<u64>,
}

impl EventSet {
    /// No event.
    pub const fn new() -> EventSet {
        EventSet { words: Vec::new() }
    }

    /// Adds an event.
    pub fn insert(&mut self, event: usize) {
        if self.words.len() <= event / 64 {
            self.words.resize(event / 64 + 1, 0);
        }
        self.words[event / 64] |= 1 << (event % 64);
    }

    /// The set with one more event.
    #[must_use]
    pub fn with(&self, event: usize) -> EventSet {
        let mut larger = self.clone();
        larger.insert(event);
        larger
    }

    /// Adds all events of another set.
    pub fn extend(&mut self, other: &EventSet) {
        if self.words.len() < other.words.len() {
            self.words.resize(other.words.len(), 0);
        }
        for (word, more) in self.words.iter_mut().zip(&other.words) {
            *word |= more;
        }
    }

    /// The set without the events of another one.
    #[must_use]
    pub fn without(&self, other: &EventSet) -> EventSet {
        let mut words = self.words.clone();
        for (word, less) in words.iter_mut().zip(&other.words) {
            *word &= !less;
        }
        while words.last() == Some(&0) {
            words.pop();
        }
        EventSet { words }
    }

    /// True if the set contains the event.
    pub fn contains(&self, event: usize) -> bool {
        self.words
            .get(event / 64)
            .is_some_and(|word| word >> (event % 64) & 1 == 1)
    }

    /// True if the sets have an event in common.
    pub fn meets(&self, other: &EventSet) -> bool {
        self.words.iter().zip(&other.words).any(|(a, b)| a & b != 0)
    }

    /// True if all its events are in another set.
    pub fn is_subset(&self, other: &EventSet) -> bool {
        self.without(other).is_empty()
    }

    /// True if the set is empty.
    pub fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    /// The number of events.
    pub fn len(&self) -> usize {
        self.words.iter().map(|word| word.count_ones() as usize).sum()
    }

    /// The events, in ascending order; the iterator can also go backwards.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = usize> + '_ {
        (0..64 * self.words.len()).filter(|&event| self.contains(event))
    }
}

impl FromIterator<usize> for EventSet {
    fn from_iter<I: IntoIterator<Item = usize>>(events: I) -> EventSet {
        let mut set = EventSet::new();
        events.into_iter().for_each(|event| set.insert(event));
        set
    }
}

//! The part of the past that belongs to a state.

use crate::Assumption;
use selvedge_model::Places;
use std::ops::Range;

/// How much of the past is a part of a state; see `races.rs`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub enum Knowledge {
    /// Nothing.
    #[default]
    State,
    /// The last action of each thread, and the event itself if it accesses the places.
    LastActions,
    /// The accesses to the places that the detector remembers.
    Detector,
}

/// The part of the past that belongs to a state.
#[derive(Clone, Debug, Default)]
pub struct Past {
    /// How much of the past.
    pub knowledge: Knowledge,
    /// The bytes whose accesses count.
    pub places: Places,
    /// The number of times that more was added.
    rises: u32,
}

/// After this number of additions, all bytes count.
const MOST_RISES: u32 = 16;

/// A state with more of the past is distinguished from more others. After [`MOST_RISES`] all bytes
/// count, and then the level can rise twice.
impl Assumption for Past {
    fn weaker(&self) -> u32 {
        (MOST_RISES + 2).saturating_sub(self.rises)
    }
}

impl Past {
    /// This level, with all places.
    pub fn of_all_places(knowledge: Knowledge) -> Self {
        Past {
            knowledge,
            places: match knowledge {
                Knowledge::State => Places::default(),
                Knowledge::LastActions | Knowledge::Detector => Places::All,
            },
            rises: 0,
        }
    }

    /// This, with at least the given level and with additional places.
    pub fn and(&self, knowledge: Knowledge, places: impl IntoIterator<Item = Range<u64>>) -> Self {
        let mut more = self.clone();
        more.knowledge = more.knowledge.max(knowledge);
        more.rises += 1;
        places.into_iter().for_each(|bytes| more.places.add(bytes));
        if more.rises >= MOST_RISES {
            more.places = Places::All;
        }
        more
    }
}

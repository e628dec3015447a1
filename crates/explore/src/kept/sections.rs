//! Of which mutexes a search assumes that their sections can be one event each.

use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// How often an exploration begins again with fewer mutexes before it does so without any.
const ROUNDS: u32 = 8;

/// The mutexes of which it is assumed that their sections can be one event each: all but some.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Sections {
    /// Those for which it does not hold, by [`ObjectId`](selvedge_model::ObjectId).
    pub refused: BTreeSet<u64>,
    /// How often the search may begin again with fewer of them.
    pub rounds: u32,
}

impl Sections {
    /// It is assumed of all mutexes.
    pub fn all() -> Sections {
        Sections {
            refused: BTreeSet::new(),
            rounds: ROUNDS,
        }
    }

    /// What is assumed next if it does not hold for some mutexes; `None` if nothing.
    pub fn without(&self, refused: &BTreeSet<u64>) -> Option<Sections> {
        Some(Sections {
            refused: self.refused.union(refused).copied().collect(),
            rounds: self.rounds.checked_sub(1)?,
        })
    }
}

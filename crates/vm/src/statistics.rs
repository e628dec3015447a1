//! The counts of a run about symbolic values. Each machine adds its counts to those of its program
//! when it is dropped.

use serde::{Deserialize, Serialize};

/// Counts of branches on symbolic values and of solver queries.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct SolverStatistics {
    /// Branches on symbolic values of which both sides were possible.
    pub branches: u64,
    /// The number of queries, whichever layer answered them.
    pub queries: u64,
    /// Seconds spent on them.
    pub seconds: f64,
    /// The layers, then the backends, in the order in which they are queried, with the number of
    /// answers of each.
    pub layers: Vec<LayerStatistics>,
}

/// Counts of one layer or backend.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct LayerStatistics {
    /// Its name.
    pub name: String,
    /// Queries that reached it.
    pub queries: u64,
    /// Those that it answered by itself.
    pub answered: u64,
    /// Seconds spent in it, without those spent in later ones.
    pub seconds: f64,
}

impl SolverStatistics {
    /// True if all counts are below a bound, and all times are possible.
    pub(crate) fn is_below(&self, bound: u64) -> bool {
        let time = |seconds: f64| seconds.abs() < 1e12;
        let layer =
            |layer: &LayerStatistics| layer.queries.max(layer.answered) < bound && time(layer.seconds);
        self.branches.max(self.queries) < bound && time(self.seconds) && self.layers.iter().all(layer)
    }

    /// Adds another machine's counts.
    pub fn add(&mut self, other: &SolverStatistics) {
        self.branches += other.branches;
        self.queries += other.queries;
        self.seconds += other.seconds;
        for theirs in &other.layers {
            match self.layers.iter_mut().find(|mine| mine.name == theirs.name) {
                Some(mine) => {
                    mine.queries += theirs.queries;
                    mine.answered += theirs.answered;
                    mine.seconds += theirs.seconds;
                }
                None => self.layers.push(theirs.clone()),
            }
        }
    }

    /// Subtracts the earlier counts of the same machine.
    pub(crate) fn subtract(&mut self, before: &SolverStatistics) {
        self.branches = self.branches.saturating_sub(before.branches);
        self.queries = self.queries.saturating_sub(before.queries);
        self.seconds -= before.seconds;
        for then in &before.layers {
            if let Some(now) = self.layers.iter_mut().find(|now| now.name == then.name) {
                now.queries = now.queries.saturating_sub(then.queries);
                now.answered = now.answered.saturating_sub(then.answered);
                now.seconds -= then.seconds;
            }
        }
    }
}

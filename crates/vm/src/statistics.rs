//! What a run counts about symbolic values. Each machine adds its counts to its program's when it
//! is dropped.

use serde::{Deserialize, Serialize};

/// Counts of branches on symbolic values and of solver queries.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct SolverStatistics {
    /// Branches on symbolic values of which both sides were possible.
    pub branches: u64,
    /// Queries asked, whoever answered them.
    pub queries: u64,
    /// Seconds spent on them.
    pub seconds: f64,
    /// Who answered how many, in the order in which they are asked: layers, then backends.
    pub layers: Vec<LayerStatistics>,
}

/// Counts of one layer or backend.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct LayerStatistics {
    /// Its name.
    pub name: String,
    /// Queries that came to it.
    pub queries: u64,
    /// Those that it answered by itself.
    pub answered: u64,
    /// Seconds spent in it, not counting those behind it.
    pub seconds: f64,
}

impl SolverStatistics {
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

    /// Takes off what the same machine had counted before.
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

//! Statistics of the layers of a solver.

use crate::Answer;
use std::fmt;
use std::time::Duration;

/// Numbers of one layer.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct LayerStatistics {
    /// Name of the layer.
    pub name: &'static str,
    /// Queries that it was asked.
    pub queries: u64,
    /// Of these, answered here: satisfiable.
    pub sat: u64,
    /// Answered here: unsatisfiable.
    pub unsat: u64,
    /// Given up here.
    pub unknown: u64,
    /// Time spent; measured in backends only.
    pub time: Duration,
    /// Conflicts of a backend's search.
    pub conflicts: u64,
}

impl LayerStatistics {
    pub(crate) fn new(name: &'static str) -> LayerStatistics {
        LayerStatistics {
            name,
            ..LayerStatistics::default()
        }
    }

    /// Counts an answer given by the layer itself, and returns it.
    pub(crate) fn answer(&mut self, answer: Answer) -> Answer {
        match answer {
            Answer::Sat(_) => self.sat += 1,
            Answer::Unsat => self.unsat += 1,
            Answer::Unknown(_) => self.unknown += 1,
        }
        answer
    }
}

/// Numbers of all layers, the outermost first.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Statistics {
    /// One entry a layer.
    pub layers: Vec<LayerStatistics>,
}

impl Statistics {
    /// The numbers of one layer and of what is below.
    pub(crate) fn above(layer: &LayerStatistics, mut below: Statistics) -> Statistics {
        below.layers.insert(0, layer.clone());
        below
    }

    /// The layer with this name.
    pub fn layer(&self, name: &str) -> Option<&LayerStatistics> {
        self.layers.iter().find(|layer| layer.name == name)
    }

    /// Adds the numbers of another solver, for instance of another worker.
    pub fn add(&mut self, other: &Statistics) {
        for theirs in &other.layers {
            match self.layers.iter_mut().find(|ours| ours.name == theirs.name) {
                Some(ours) => {
                    ours.queries += theirs.queries;
                    ours.sat += theirs.sat;
                    ours.unsat += theirs.unsat;
                    ours.unknown += theirs.unknown;
                    ours.time += theirs.time;
                    ours.conflicts += theirs.conflicts;
                }
                None => self.layers.push(theirs.clone()),
            }
        }
    }
}

impl fmt::Display for Statistics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "{:<14}{:>10}{:>10}{:>10}{:>10}{:>12}",
            "layer", "queries", "sat", "unsat", "unknown", "time"
        )?;
        for layer in &self.layers {
            writeln!(
                f,
                "{:<14}{:>10}{:>10}{:>10}{:>10}{:>12}",
                layer.name,
                layer.queries,
                layer.sat,
                layer.unsat,
                layer.unknown,
                format!("{:.1?}", layer.time)
            )?;
        }
        Ok(())
    }
}

//! What is divided: a search, or a sample, which has one part only.

use selvedge_base::Id;
use selvedge_explore::kept::{Common, Counts, Misfit, Next, ROOT, RecordState, SampleState, Tree, UnitHalt};
use selvedge_explore::{Report, Statistics};
use selvedge_model::{Limit, StopReason};
use selvedge_session::apart::{Outcome, Task};
use serde::{Deserialize, Serialize};

/// An exploration that is divided.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Plot {
    /// A search.
    Search(Box<Tree>),
    /// A sample.
    Sample(Box<Sample>),
}

/// A sample.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Sample {
    state: Option<SampleState>,
    done: Option<(RecordState, UnitHalt)>,
    out: bool,
}

impl Plot {
    /// A search that nobody has begun.
    pub fn search(common: Common) -> Plot {
        Plot::Search(Box::new(Tree::new(common)))
    }

    /// A sample that nobody has begun.
    pub fn sample() -> Plot {
        Plot::Sample(Box::default())
    }

    /// Checks what comes from elsewhere.
    pub(crate) fn check(&self) -> Result<(), Misfit> {
        match self {
            Plot::Search(tree) => tree.check(),
            Plot::Sample(sample) => {
                sample.state.iter().try_for_each(SampleState::check)?;
                sample.done.iter().try_for_each(|(record, _)| record.check())
            }
        }
    }

    /// So many of the units that can be explored now.
    pub(crate) fn ready(&self, most: usize) -> Vec<u64> {
        match self {
            _ if most == 0 => Vec::new(),
            Plot::Search(tree) => tree.ready().take(most).collect(),
            Plot::Sample(sample) if sample.out || sample.done.is_some() => Vec::new(),
            Plot::Sample(_) => vec![ROOT],
        }
    }

    pub(crate) fn common(&self) -> Common {
        match self {
            Plot::Search(tree) => tree.common().clone(),
            Plot::Sample(_) => Common::default(),
        }
    }

    pub(crate) fn hand_out(&mut self, unit: u64) -> Option<Task> {
        match self {
            Plot::Search(tree) => tree.hand_out(unit).map(Task::Part),
            Plot::Sample(sample) => {
                sample.out = true;
                Some(Task::Sample(sample.state.clone()))
            }
        }
    }

    /// A unit as it was handed out.
    pub(crate) fn task(&self, unit: u64) -> Option<Task> {
        match self {
            Plot::Search(tree) => tree.part(unit).map(Task::Part),
            Plot::Sample(sample) => Some(Task::Sample(sample.state.clone())),
        }
    }

    pub(crate) fn give_up(&mut self, unit: u64) {
        match self {
            Plot::Search(tree) => tree.give_up(unit),
            Plot::Sample(sample) => sample.out = false,
        }
    }

    /// Takes back all that is handed out: those who have it belong to a process that is gone.
    pub fn give_up_all(&mut self) {
        match self {
            Plot::Search(tree) => {
                let out: Vec<u64> = tree.out().collect();
                out.into_iter().for_each(|unit| tree.give_up(unit));
            }
            Plot::Sample(sample) => sample.out = false,
        }
    }

    pub(crate) fn put(&mut self, unit: u64, outcome: Outcome, common: &Common) -> Result<Next, Misfit> {
        match (self, outcome) {
            (Plot::Search(tree), Outcome::Part(progress)) => {
                let put = tree.put(unit, progress, common);
                if put.is_err() {
                    tree.give_up(unit);
                }
                put
            }
            (Plot::Sample(sample), Outcome::Sample(state)) => {
                sample.out = false;
                sample.state = Some(state);
                Ok(Next::GoOn(Vec::new()))
            }
            (Plot::Sample(sample), Outcome::Sampled(record, halt)) => {
                sample.out = false;
                sample.done = Some((record, halt));
                Ok(Next::Ended)
            }
            (plot, _) => {
                plot.give_up(unit);
                Err(Misfit("it is of another strategy"))
            }
        }
    }

    /// Leaves a unit out, for a reason. The verdict is then unknown, unless something is found.
    pub(crate) fn leave_out(&mut self, unit: u64, why: Limit) -> Result<Next, Misfit> {
        match self {
            Plot::Search(tree) => tree.leave_out(unit, why),
            Plot::Sample(sample) => {
                let record = sample.state.as_ref().map(|state| state.record.clone());
                sample.done = Some((record.unwrap_or_default(), UnitHalt::Limit(why)));
                Ok(Next::Ended)
            }
        }
    }

    /// The choices that lead to a unit, as text: each is a thread, and its alternative if that is
    /// not the first.
    pub(crate) fn prefix(&self, unit: u64) -> String {
        let Plot::Search(tree) = self else {
            return "a sample".to_owned();
        };
        let Some((path, thread)) = tree.prefix(unit) else {
            return "unknown".to_owned();
        };
        if unit == ROOT {
            return "the beginning".to_owned();
        }
        let mut words: Vec<String> = path
            .iter()
            .map(|choice| match choice.alternative {
                0 => choice.thread.index().to_string(),
                alternative => format!("{}/{alternative}", choice.thread.index()),
            })
            .collect();
        words.push(thread.to_string());
        format!("threads {}", words.join(" "))
    }

    /// The results so far. `stop`: why it ended, if nothing else has ended it.
    pub fn report(&self, stop: Limit) -> Report {
        match self {
            Plot::Search(tree) => tree.report(StopReason::Limit(stop)),
            Plot::Sample(sample) => match (&sample.done, &sample.state) {
                (Some((record, UnitHalt::Limit(limit))), _) => {
                    record.report(StopReason::Limit(limit.clone()))
                }
                (Some((record, _)), _) => record.report(StopReason::Finding),
                (None, Some(state)) => state.record.report(StopReason::Limit(stop)),
                (None, None) => RecordState::default().report(StopReason::Limit(stop)),
            },
        }
    }

    /// The counts so far.
    pub fn statistics(&self) -> Statistics {
        match self {
            Plot::Search(tree) => tree.statistics(),
            Plot::Sample(sample) => match (&sample.done, &sample.state) {
                (Some((record, _)), _) => record.statistics,
                (None, Some(state)) => state.record.statistics,
                (None, None) => Statistics::default(),
            },
        }
    }

    /// Counts of units.
    pub fn counts(&self) -> Counts {
        match self {
            Plot::Search(tree) => tree.counts(),
            Plot::Sample(sample) => Counts {
                out: usize::from(sample.out),
                ready: usize::from(!sample.out && sample.done.is_none()),
                open: usize::from(sample.done.is_none()),
            },
        }
    }
}

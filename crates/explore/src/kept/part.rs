//! Parts of a search that workers without common memory explore, and the exchange with those who
//! hand them out.
//!
//! A part is explored for a while, by a function of the part alone: the same part always comes to
//! the same results, however often it is interrupted, and whatever is given away of it.

use super::{Begun, Done, RecordState, Sections, Unit};
use crate::record::Record;
use crate::{Config, Control, Report};
use selvedge_model::StopReason;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// What all parts of one search have in common. The first execution decides it.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Common {
    /// As [`SearchState::wide`](super::SearchState::wide).
    pub wide: bool,
    /// As [`SearchState::contended`](super::SearchState::contended).
    pub contended: Vec<u64>,
    /// As [`SearchState::classes`](super::SearchState::classes).
    pub classes: u32,
    /// The mutexes whose sections are one event each; `None`: those of no mutex.
    pub sections: Option<Sections>,
}

/// A part of a search, as it is handed to a worker. A unit that it has given away and that is not
/// [`Done`](super::UnitState::Done) is explored elsewhere; its state is not looked at.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub enum Part {
    /// The whole search, if nobody has begun it.
    Whole,
    /// The whole search, from a state between two executions.
    Rest(Begun),
    /// An entry that was given away.
    Unit(Unit),
}

/// What a worker has made of a part.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub enum Progress {
    /// It can go on. What it has given away is [`Waiting`](super::UnitState::Waiting).
    Begun(Begun),
    /// It is explored.
    Done(Done),
    /// There are more threads than its sets have room for.
    TooManyThreads,
    /// The run was stopped; nothing is known of the part.
    Stopped,
}

/// Where a worker gets its parts from.
pub trait Parts: Sync {
    /// The next part; `None` ends the worker.
    fn next(&self) -> Option<Part>;

    /// Takes what was made of the part that [`next`](Parts::next) returned last. `common` is that
    /// of the search; the whole search has found it out if it is not [`Progress::Stopped`].
    ///
    /// # Errors
    /// The part does not fit.
    fn made(&self, progress: Result<Progress, super::Misfit>, common: &Common);

    /// The number of units that should be given away now. It is asked between two executions.
    fn wanted(&self) -> usize;

    /// Units were given away.
    fn gave(&self, units: usize);

    /// True if the part should be returned now. It is asked between two executions.
    fn is_due(&self) -> bool;
}

impl Common {
    /// What a search begins with. `peeks`: see [`Config::peek`].
    pub fn first(peeks: bool) -> Common {
        Common {
            sections: peeks.then(Sections::all),
            ..Common::default()
        }
    }

    /// What the search begins with again if it has more threads than its sets have room for.
    pub(super) fn widened(&self) -> Common {
        Common {
            wide: true,
            sections: self.sections.clone(),
            ..Common::default()
        }
    }

    /// What the search begins with again if some mutexes are refused.
    pub(super) fn without(&self, refused: &BTreeSet<u64>) -> Common {
        Common {
            wide: self.wide,
            sections: self
                .sections
                .as_ref()
                .and_then(|sections| sections.without(refused)),
            ..Common::default()
        }
    }
}

impl RecordState {
    /// Adds results that come after these in depth-first order.
    pub fn merge(&mut self, later: &RecordState) {
        let (config, control) = (Config::default(), Control::new());
        let mut all = Record::restored(self, &config, &control);
        all.merge(Record::restored(later, &config, &control));
        *self = all.state();
    }

    /// The report of an exploration with these results.
    pub fn report(&self, stop: StopReason) -> Report {
        Record::restored(self, &Config::default(), &Control::new()).finish(stop)
    }
}

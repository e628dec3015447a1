//! The state of a run, from which another process continues it.

use crate::plot::Plot;
use crate::wire::Unreadable;
use selvedge_explore::Report;
use selvedge_explore::kept::{Misfit, RecordState, UnitHalt};
use selvedge_model::StopReason;
use selvedge_session::apart::Failure;
use selvedge_vm::Carried;
use serde::{Deserialize, Serialize};

/// The version of the form.
const VERSION: u8 = 1;

/// The state of a run.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Saved {
    /// The explorations that are at their end, by the hash of their terms, with their results.
    pub ended: Vec<(String, Ended)>,
    /// The exploration that is not.
    pub present: Option<Present>,
}

/// The result of an exploration.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub enum Ended {
    /// An assumption has failed.
    Failed(Failure),
    /// Its results, why it ended early, if it did, and what was learned of the program.
    Results(Box<RecordState>, Option<UnitHalt>, Box<Carried>),
}

/// An exploration that is not at its end.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Present {
    /// The hash of its terms.
    pub terms: String,
    /// What is explored of it.
    pub plot: Plot,
    /// The regions where the search began.
    pub regions: Option<Vec<(u32, u32)>>,
    /// What was learned of the program.
    pub learned: Carried,
}

impl Saved {
    /// The state as bytes.
    ///
    /// # Errors
    /// If there is no room for it.
    pub fn bytes(&self) -> Result<Vec<u8>, Unreadable> {
        postcard::to_extend(self, vec![VERSION]).map_err(|_| Unreadable::Damaged)
    }

    /// Reads a state.
    ///
    /// # Errors
    /// If it is none.
    pub fn read(bytes: &[u8]) -> Result<Saved, Unreadable> {
        match bytes.split_first() {
            Some((&VERSION, rest)) => {
                let saved: Saved = postcard::from_bytes(rest).map_err(|_| Unreadable::Damaged)?;
                saved.check().map_err(|_| Unreadable::Damaged)?;
                Ok(saved)
            }
            _ => Err(Unreadable::OtherVersion),
        }
    }

    /// Whoever may write to the server may have written it.
    fn check(&self) -> Result<(), Misfit> {
        for (_, ended) in &self.ended {
            if let Ended::Results(record, _, learned) = ended {
                record.check()?;
                learned.check().map_err(Misfit)?;
            }
        }
        if let Some(present) = &self.present {
            present.plot.check()?;
            present.learned.check().map_err(Misfit)?;
        }
        Ok(())
    }

    /// The result of an exploration, if it is at its end.
    pub fn result(&self, terms: &str) -> Option<&Ended> {
        self.ended
            .iter()
            .find(|(of, _)| of == terms)
            .map(|(_, ended)| ended)
    }
}

impl Ended {
    /// From a report.
    pub fn of(report: &Report, learned: Carried) -> Ended {
        let record = RecordState {
            statistics: report.statistics,
            faults: report.faults.clone(),
            unsupported: report.unsupported.clone(),
            limits: report.limits.clone(),
        };
        let halt = match &report.stop {
            StopReason::Complete => None,
            StopReason::Finding => Some(UnitHalt::Finding),
            StopReason::Limit(limit) => Some(UnitHalt::Limit(limit.clone())),
        };
        Ended::Results(Box::new(record), halt, Box::new(learned))
    }

    /// The report of results.
    pub fn report(record: &RecordState, halt: Option<&UnitHalt>) -> Report {
        record.report(match halt {
            None => StopReason::Complete,
            Some(UnitHalt::Limit(limit)) => StopReason::Limit(limit.clone()),
            Some(_) => StopReason::Finding,
        })
    }
}

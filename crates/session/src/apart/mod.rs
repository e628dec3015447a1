//! Explorations that are made in parts, by workers without common memory, in other processes or on
//! other machines.
//!
//! A session divides nothing itself. It gives each of its explorations, as a [`Phase`], to an
//! [`Elsewhere`], which has the parts explored by [`PartsWorker`](crate::PartsWorker)s. What a
//! worker is given is plain data: the program's module, the [`Terms`], what the parts have in
//! common, and a [`Task`]. What it returns is plain data, too ([`Made`]). Everything else is as in
//! any session: an assumption that fails in some part lets the session begin again without it, and
//! findings are replayed here.

mod terms;

pub use terms::{Terms, hash};

use crate::assumed::Failed;
use crate::error::Error;
use selvedge_explore::kept::{Common, Part, Progress, RecordState, SampleState, UnitHalt};
use selvedge_explore::{Control, Findings, Report};
use selvedge_ir::Module;
use selvedge_vm::{Carried, Program};
use serde::{Deserialize, Serialize};

/// Explores elsewhere.
pub trait Elsewhere: Sync {
    /// Explores a phase to its end, or until its control is stopped.
    ///
    /// # Errors
    /// If it cannot be explored there.
    fn explore(&self, phase: &Phase<'_>) -> Result<Explored, Error>;
}

/// The result of a phase.
pub enum Explored {
    /// The report.
    Report(Box<Report>),
    /// An assumption has failed, so nothing else is of use.
    Failed(Failure),
}

/// An assumption that has failed in some part.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Failure(pub(crate) Failed);

/// One exploration of a session.
pub struct Phase<'a> {
    /// What decides what is explored.
    pub terms: Terms,
    /// The program.
    pub module: &'a Module,
    /// True if sections of mutexes may be one event each.
    pub(crate) peeks: bool,
    /// Stops it, and gets its counts.
    pub control: &'a Control,
    /// Gets its findings.
    pub findings: &'a Findings,
    pub(crate) program: &'a Program,
    /// What was known of the program before.
    pub(crate) before: Carried,
}

impl Phase<'_> {
    /// True if it takes samples, which have only one part.
    pub fn samples(&self) -> bool {
        self.terms.samples()
    }

    /// What the parts of its search have in common at first.
    pub fn common(&self) -> Common {
        Common::first(self.peeks)
    }

    /// Takes what was learned of the program where a part was explored. Each part that counts is
    /// taken once.
    pub fn learn(&self, learned: &Carried) {
        self.program.learn(learned);
    }

    /// What was learned of the program so far, in this phase.
    pub fn learned(&self) -> Carried {
        self.program.carried().since(&self.before)
    }

    /// Takes note of an assumption that has failed.
    pub fn fail(&self, failure: Failure) -> Explored {
        match failure.0 {
            Failed::Identical => self.program.tell_apart(),
            Failed::Fused => self.program.learn(&Carried {
                spoiled: true,
                ..Carried::default()
            }),
            _ => {}
        }
        Explored::Failed(failure)
    }
}

/// What a worker explores.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub enum Task {
    /// A part of a search.
    Part(Part),
    /// A sample, from its beginning or from a state.
    Sample(Option<SampleState>),
}

/// What was made of a task.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Made {
    /// What was explored.
    pub outcome: Outcome,
    /// What the parts of the search have in common, as far as it is known here.
    pub common: Common,
    /// What was learned of the program. Its regions are all that there are.
    pub learned: Carried,
}

/// What was explored of a task.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub enum Outcome {
    /// Of a part.
    Part(Progress),
    /// Of a sample that can go on.
    Sample(SampleState),
    /// All of a sample.
    Sampled(RecordState, UnitHalt),
    /// An assumption has failed.
    Failed(Failure),
    /// The task does not fit the program, for a reason.
    Misfit(String),
}

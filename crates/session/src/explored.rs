//! What an exploration leaves: its report, with the plan and the program that it was made with.

use crate::plan::Plan;
use crate::setup::Setup;
use selvedge_explore::{Control, Progress, Report};
use selvedge_report::Turns;
use selvedge_vm::Program;
use std::sync::Arc;

/// An exploration, and what was explored.
pub(crate) struct Explored {
    pub(crate) plan: Plan,
    pub(crate) setup: Setup,
    pub(crate) program: Arc<Program>,
    pub(crate) report: Report,
    /// The part of the search tree that was explored.
    pub(crate) estimate: Estimate,
}

impl AsMut<Report> for Explored {
    fn as_mut(&mut self) -> &mut Report {
        &mut self.report
    }
}

/// The result of an exploration, or of several.
pub(crate) struct Outcome {
    /// The exploration that decides.
    pub(crate) decided: Explored,
    /// The explorations that ran beside it.
    pub(crate) also: Vec<Turns>,
    /// The live counters at the end: of all explorations together.
    pub(crate) all: Option<Progress>,
}

impl Outcome {
    /// The result of the only exploration.
    pub(crate) fn alone(decided: Explored) -> Outcome {
        Outcome {
            decided,
            also: Vec::new(),
            all: None,
        }
    }
}

/// The explored part of a search tree, as an estimate.
#[derive(Clone, Copy)]
pub(crate) struct Estimate {
    /// From 0 to 1.
    pub(crate) part: f64,
    /// If the exploration is complete: the mean error of the estimates during it, and their number.
    pub(crate) error: Option<(f64, usize)>,
}

impl Estimate {
    pub(crate) fn of(control: &Control) -> Estimate {
        Estimate {
            part: control.progress().part,
            error: control.estimate_error(),
        }
    }
}

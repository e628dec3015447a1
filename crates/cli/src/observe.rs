//! What the command shows of a session while it works.

use crate::output::note;
use crate::progress;
use crate::watch::{Place, Watch};
use selvedge_explore::{Control, Findings};
use selvedge_report::RunReport;
use selvedge_session::{Observer, Stage};
use selvedge_vm::Program;
use std::sync::Arc;

/// How many functions without a model are named before the run.
const NAMED: usize = 12;

impl Observer for Watch<'_> {
    fn enter(&self, stage: Stage) {
        self.enter(match stage {
            Stage::Preparing => Place::Preparing,
            Stage::Concluding => Place::Concluding,
        });
    }

    fn note(&self, text: &str) {
        note(text);
    }

    fn missing(&self, functions: &[String]) {
        if self.args.quiet {
            return;
        }
        let named = functions[..functions.len().min(NAMED)].join(", ");
        let more = match functions.len() - functions.len().min(NAMED) {
            0 => String::new(),
            more => format!(", and {more} more"),
        };
        note(&format!(
            "note: these functions are neither defined nor modelled; calling one makes the verdict unknown: {named}{more}"
        ));
    }

    fn knows(&self, report: RunReport) {
        self.knows(report);
    }

    fn finds(&self, program: &Arc<Program>, findings: &Findings) {
        self.finds(program, findings);
    }

    fn explores(&self, control: &Arc<Control>, work: &mut dyn FnMut()) {
        self.explores(control);
        progress::beside(self, control, work);
    }
}

//! Observers of a session: they show its progress, and know its results if the process has to be
//! ended.

use selvedge_explore::{Control, Findings};
use selvedge_report::RunReport;
use selvedge_vm::Program;
use std::sync::Arc;

/// The stages of a session.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stage {
    /// Preparing the program.
    Preparing,
    /// Replaying the findings. All code that follows the stop flag has ended by now, so the flag
    /// may be cleared to let replays finish.
    Concluding,
}

/// Observes a session. The methods are called by the thread that called
/// [`check()`](crate::check()). Exceptions are `note` and `finds`, which explorations call from
/// their own threads, too.
pub trait Observer: Sync {
    /// The session enters this stage.
    fn enter(&self, _stage: Stage) {}

    /// A message for the user before the report.
    fn note(&self, _text: &str) {}

    /// Functions that the program may reach and that have neither a body nor a model; each with the
    /// file that has its machine code, if there is one.
    fn missing(&self, _functions: &[String]) {}

    /// The report if nothing more becomes known.
    fn knows(&self, _report: RunReport) {}

    /// An exploration begins. It adds its findings to `findings`.
    fn finds(&self, _program: &Arc<Program>, _findings: &Findings) {}

    /// Calls `work`, which is all explorations. `control` shows their progress, and can stop them.
    fn explores(&self, _control: &Arc<Control>, work: &mut dyn FnMut()) {
        work();
    }
}

/// An observer that does nothing.
#[derive(Clone, Copy, Debug)]
pub struct Unobserved;

impl Observer for Unobserved {}

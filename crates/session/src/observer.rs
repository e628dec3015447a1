//! Who looks on while a session works: shows how far it is, and knows what is left if the process
//! has to be ended.

use selvedge_explore::{Control, Findings};
use selvedge_report::RunReport;
use selvedge_vm::Program;
use std::sync::Arc;

/// What a session does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stage {
    /// Making the program ready to run.
    Preparing,
    /// Replaying what was found. All that followed the stop flag has ended by now, so the flag may
    /// be cleared to let replays come to their end.
    Concluding,
}

/// Looks on. Methods are called by the thread that called [`check()`](crate::check()), but for
/// `note` and `finds`, which explorations call from their own threads, too.
pub trait Observer: Sync {
    /// The session goes on with this.
    fn enter(&self, _stage: Stage) {}

    /// Something that the user should know before the report.
    fn note(&self, _text: &str) {}

    /// Functions that the program may reach, and that have neither a body nor a model; with the
    /// file that has their machine code, if there is one.
    fn missing(&self, _functions: &[String]) {}

    /// What the report says if nothing more becomes known.
    fn knows(&self, _report: RunReport) {}

    /// An exploration begins. What it finds is added to `findings`.
    fn finds(&self, _program: &Arc<Program>, _findings: &Findings) {}

    /// Does `work`, which is all explorations. `control` shows how far they are, and stops them.
    fn explores(&self, _control: &Arc<Control>, work: &mut dyn FnMut()) {
        work();
    }
}

/// Nobody looks on.
#[derive(Clone, Copy, Debug)]
pub struct Unobserved;

impl Observer for Unobserved {}

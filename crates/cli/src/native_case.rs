//! `selvedge build --case`: the native program of one test case or finding.

use crate::exit::Exit;
use crate::native_replay::sanitizer;
use crate::native_schedule::Scheduled;
use crate::native_sources::unsupported;
use crate::program;
use crate::saved;
use crate::watch::MemoryLimit;
use selvedge_frontend::files;
use selvedge_report::CaseFile;
use selvedge_session::steps_of;
use std::path::Path;

/// Builds the program.
///
/// # Errors
/// How the command ends if there is none.
pub(crate) fn make(case: &Path, trusts: bool, output: &Path) -> Result<(), Exit> {
    let path = case.display();
    let text = files::read_text(case, files::LARGEST)
        .map_err(|error| Exit::input(&format!("cannot read {path}: {error}")))?;
    let mut read = CaseFile::read(&text).map_err(|error| Exit::input(&format!("{path}: {error}")))?;
    let mut setup = saved::setup(&mut read.schedule, case, trusts)?;
    if read.fixed {
        setup.vm.inputs = Some(read.inputs.clone());
    }
    let sanitizer = match read.kind.as_deref() {
        None => "",
        Some(kind) => sanitizer(kind).map_err(|what| unsupported(&what))?,
    };
    let loaded = program::load(&setup, MemoryLimit::new(None)).map_err(|error| program::exit(&error))?;
    let steps = steps_of(&read.schedule, &setup, loaded).map_err(|error| Exit::of(&error))?;
    let scheduled = Scheduled {
        setup: &setup,
        inputs: &read.inputs,
        steps: &steps,
        sanitizer,
    };
    scheduled.build(output)
}

//! Saved findings, read for `replay` and `debug`.

use crate::exit::Exit;
use selvedge_frontend::files;
use selvedge_report::FindingFile;
use selvedge_session::{Setup, trust};
use std::path::Path;

/// Reads a saved finding, and what its program is made from. Without `trusts`, what it asks for is
/// checked first.
pub(crate) fn read(finding: &Path, trusts: bool) -> Result<(FindingFile, Setup), Exit> {
    let path = finding.display();
    let text = files::read_text(finding, files::LARGEST)
        .map_err(|error| Exit::input(&format!("cannot read {path}: {error}")))?;
    let saved = FindingFile::read(&text).map_err(|error| Exit::input(&format!("{path}: {error}")))?;
    if !trusts && let Err(reason) = trust(&saved.schedule, finding) {
        return Err(Exit::input(&format!(
            "{path}: {reason}; if you trust whoever made the finding, replay it with --trust"
        )));
    }
    let mut setup = Setup::from_schedule(&saved.schedule)
        .map_err(|message| Exit::input(&format!("{path}: {message}")))?;
    setup.frontend.trust = trusts;
    if setup.vm.inputs.is_some() {
        setup.vm.inputs = Some(saved.inputs.clone());
    }
    Ok((saved, setup))
}

//! Saved findings, read for `replay` and `debug`.

use crate::exit::Exit;
use crate::output::note;
use selvedge_frontend::files;
use selvedge_report::{FindingFile, digest};
use selvedge_schedule::Schedule;
use selvedge_session::{Replay, Setup, trust};
use std::collections::BTreeMap;
use std::path::Path;

/// Reads a saved finding, and what its program is made from. Without `trusts`, what it asks for is
/// checked first.
pub(crate) fn read(finding: &Path, trusts: bool) -> Result<(FindingFile, Setup), Exit> {
    let path = finding.display();
    let text = files::read_text(finding, files::LARGEST)
        .map_err(|error| Exit::input(&format!("cannot read {path}: {error}")))?;
    let mut saved = FindingFile::read(&text).map_err(|error| Exit::input(&format!("{path}: {error}")))?;
    let mut setup = setup(&mut saved.schedule, finding, trusts)?;
    if setup.vm.inputs.is_some() {
        setup.vm.inputs = Some(saved.inputs.clone());
    }
    Ok((saved, setup))
}

/// How the program of a schedule is made and run. `file`: where the schedule stands; files are
/// looked for beside it, too.
///
/// # Errors
/// How the command ends if the schedule asks for what is not trusted, or for what there is not.
pub(crate) fn setup(schedule: &mut Schedule, file: &Path, trusts: bool) -> Result<Setup, Exit> {
    let path = file.display();
    beside(schedule, file);
    if !trusts && let Err(reason) = trust(schedule, file) {
        return Err(Exit::input(&format!(
            "{path}: {reason}; if you trust whoever made the finding, replay it with --trust"
        )));
    }
    let mut setup =
        Setup::from_schedule(schedule).map_err(|message| Exit::input(&format!("{path}: {message}")))?;
    setup.frontend.trust = trusts;
    Ok(setup)
}

/// Files that are not where a schedule names them, from the current directory, but beside the
/// finding: they are named there.
fn beside(schedule: &mut Schedule, finding: &Path) {
    let Some(directory) = finding.parent().filter(|parent| !parent.as_os_str().is_empty()) else {
        return;
    };
    let found = |path: &str| {
        let there = directory.join(path);
        let missing = !path.is_empty() && Path::new(path).is_relative() && !Path::new(path).exists();
        (missing && there.exists()).then(|| there.display().to_string())
    };
    for input in &mut schedule.inputs {
        if let Some(there) = found(input) {
            *input = there;
        }
    }
    for (name, value) in &mut schedule.options {
        let changed = match name.as_str() {
            "include" | "stdin" | "client" | "server" => found(value),
            // What the program calls a file stays.
            "file" => match value.split_once('=') {
                Some((called, path)) => found(path).map(|there| format!("{called}={there}")),
                None => found(value).map(|there| format!("{value}={there}")),
            },
            "dir" => match value.split_once('=') {
                Some((host, called)) => found(host).map(|there| format!("{there}={called}")),
                None => found(value).map(|there| format!("{there}={value}")),
            },
            "cflag" => value
                .strip_prefix("-I")
                .and_then(found)
                .map(|there| format!("-I{there}")),
            "file-cflags" => value
                .split_once('=')
                .and_then(|(file, flags)| Some(format!("{}={flags}", found(file)?))),
            _ => None,
        };
        if let Some(changed) = changed {
            *value = changed;
        }
    }
}

/// The inputs that can be read, each as [`digest`] has it.
pub(crate) fn digests(inputs: &[String]) -> BTreeMap<String, String> {
    let bytes = inputs.iter().filter_map(|path| {
        let bytes = files::read(Path::new(path), files::LARGEST).ok()?;
        Some((path.clone(), digest(&bytes)))
    });
    bytes.collect()
}

/// Says that a finding was not seen again, and what was changed in the program: without a change
/// that is an error of this program.
pub(crate) fn not_seen(finding: &Path, replay: &Replay) -> Exit {
    let path = finding.display();
    let why = match &replay.failure {
        Some(failure) => format!("the schedule does not fit the program: {failure}"),
        None => "the schedule ran to its end, and the finding was not seen".to_owned(),
    };
    let changed = match &replay.changes {
        Some(changes) if changes.is_empty() => {
            return Exit::internal(&format!(
                "{why}, though nothing was changed since {path} was saved"
            ));
        }
        Some(changes) => changes.join("; "),
        None => format!("{path} does not say what it was found in"),
    };
    let mut text = format!("error: {why}\nsince {path} was saved: {changed}");
    for difference in &replay.differences {
        text.push_str(&format!("\n  {difference}"));
    }
    text.push_str("\nwhether the program is right now, only a new `selvedge check` can say");
    note(&text);
    Exit::Code(Exit::INCONCLUSIVE)
}

/// What to say of a finding that was seen again in a program that was changed.
pub(crate) fn tell_changes(replay: &Replay) {
    if let Some(changes) = replay.changes.iter().find(|changes| !changes.is_empty()) {
        note(&format!(
            "note: since the finding was saved: {}",
            changes.join("; ")
        ));
    }
    for difference in &replay.differences {
        note(&format!("note: {difference}"));
    }
    if replay.elsewhere {
        note("note: this is the same kind of finding in the same function, at another statement");
    }
}

//! `--validate`: a violation witness, run.

use crate::exit::Exit;
use crate::output::print;
use crate::watch::Watch;
use selvedge_frontend::{Loaded, files};
use selvedge_report::{Claim, FindingReport, HumanOptions, finding_text, property_word, sha256};
use selvedge_session::{Options, claimed_inputs, properties, sources, validate};
use std::collections::BTreeMap;
use std::path::Path;

/// Runs what a witness says on its program.
pub(crate) fn run(path: &Path, loaded: &Loaded, options: &Options, watch: &Watch<'_>) -> Exit {
    let text = match files::read_text(path, files::LARGEST) {
        Ok(text) => text,
        Err(error) => return Exit::input(&format!("cannot read {}: {error}", path.display())),
    };
    let claim = match Claim::read(&text) {
        Ok(claim) => claim,
        Err(error) => return Exit::input(&format!("{}: {error}", path.display())),
    };
    let result = match belongs(&claim, options) {
        Err(why) => Ok(Err(why)),
        Ok(()) => match &claim.steps {
            Some(steps) => validate(loaded, options, &claim, steps),
            None => search(&claim, loaded, options, watch),
        },
    };
    let out = match result {
        Ok(Ok(report)) => {
            let text = finding_text(&report, &sources(loaded), HumanOptions::default());
            let word = property_word(report.finding.kind);
            (
                format!("{text}\nthe witness holds\nfalse({word})\n"),
                Exit::VIOLATED,
            )
        }
        Ok(Err(why)) => (format!("unknown(witness: {why})\n"), Exit::INCONCLUSIVE),
        Err(error) => return Exit::of(&error),
    };
    match print(&out.0) {
        Ok(()) => Exit::Code(out.1),
        Err(error) => Exit::output(&format!("cannot write the report: {error}")),
    }
}

/// Whether a witness is one of these inputs and of a property that is asked for.
fn belongs(claim: &Claim, options: &Options) -> Result<(), String> {
    let inputs = options.setup.inputs.iter();
    let digests: Vec<String> = inputs
        .filter_map(|input| files::read(input, files::LARGEST).ok())
        .map(|bytes| sha256(&bytes))
        .collect();
    for (name, hash) in &claim.hashes {
        if !digests.contains(&hash.to_ascii_lowercase()) {
            return Err(format!(
                "it is of another program: no input has the hash of `{name}`"
            ));
        }
    }
    let asked =
        properties::from_prp(&claim.specification).map_err(|error| format!("its property: {error}"))?;
    match asked.is_subset(&options.properties) {
        true => Ok(()),
        false => Err("it is of a property that is not asked for (--property)".to_owned()),
    }
}

/// Explores the schedules with the inputs of a witness that says nothing of threads, and looks for
/// a violation at its target. Inputs that it does not give are 0.
fn search(
    claim: &Claim,
    loaded: &Loaded,
    options: &Options,
    watch: &Watch<'_>,
) -> Result<Result<FindingReport, String>, selvedge_session::Error> {
    let mut options = options.clone();
    let names = BTreeMap::from([(0, "0".to_owned())]);
    options.setup.vm.inputs = Some(claimed_inputs(claim, &names));
    let checked = selvedge_session::check(loaded, &options, watch)?;
    let found = checked.report.findings.into_iter();
    let mut here = found.filter(|report| claim.line == 0 || line(report) == claim.line);
    let none = || {
        format!(
            "with its inputs, and 0 for those that it does not give, no violation was found at line {}",
            claim.line
        )
    };
    Ok(here.next().ok_or_else(none))
}

/// The line of a finding in the program's own code.
fn line(report: &FindingReport) -> u32 {
    let finding = &report.finding;
    let mut own = std::iter::once(&finding.location).chain(&finding.stack);
    own.find(|at| !at.is_of_system()).map_or(0, |at| at.line)
}

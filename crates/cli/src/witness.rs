//! `--witness`: a finding as SV-COMP's other tools read it.

use crate::args::CheckArgs;
use crate::output::note;
use selvedge_frontend::files;
use selvedge_model::Verdict;
use selvedge_report::{FindingReport, RunReport, WitnessForm, WitnessTask, property_word, witness};
use selvedge_session::{properties, write_file};
use std::path::Path;
use std::time::SystemTime;

/// The form that a file's name asks for.
///
/// # Errors
/// In words, which names there are.
pub(crate) fn form(path: &Path) -> Result<WitnessForm, String> {
    let extension = path.extension().and_then(|extension| extension.to_str());
    match extension {
        Some("yml" | "yaml") => Ok(WitnessForm::Yaml),
        Some("graphml" | "xml") => Ok(WitnessForm::GraphMl),
        _ => Err(format!(
            "--witness {}: expected a name that ends in .yml or .graphml",
            path.display()
        )),
    }
}

/// Writes the witness, if there is something to witness.
///
/// # Errors
/// If it cannot be written.
pub(crate) fn write(args: &CheckArgs, path: &Path, run: &RunReport) -> Result<(), String> {
    let form = form(path)?;
    let findings = run.findings.iter();
    let mut known = findings.filter_map(|finding| Some((finding, specification(args, finding)?)));
    let Some((finding, specification)) = known.next() else {
        let why = match run.findings.first() {
            Some(finding) => format!(
                "SV-COMP has no property for a finding of {}",
                finding.finding.kind.name()
            ),
            None if run.verdict == Verdict::Verified => {
                "an exploration proves no invariants, which is what a correctness witness says".to_owned()
            }
            None => "only violations have one".to_owned(),
        };
        note(&format!("note: no witness is written: {why}"));
        return Ok(());
    };
    let bytes = run.inputs.iter().filter_map(|name| {
        let bytes = files::read(Path::new(name), files::LARGEST).ok()?;
        Some((name.clone(), bytes))
    });
    let task = WitnessTask {
        files: &bytes.collect::<Vec<_>>(),
        specification: &specification,
        version: &run.version,
        time: &humantime::format_rfc3339_seconds(SystemTime::now()).to_string(),
    };
    write_file(path, witness(finding, &task, form))
        .map_err(|error| format!("cannot write {}: {error}", path.display()))
}

/// The property that a finding violates, as SV-COMP writes it: that of the property file, if it is
/// one.
fn specification(args: &CheckArgs, finding: &FindingReport) -> Option<String> {
    let formula = properties::formula(property_word(finding.finding.kind))?;
    let given = args.property.as_deref().filter(|given| given.ends_with(".prp"));
    let text = given.and_then(|given| files::read_text(Path::new(given), files::LARGEST).ok());
    let text = text.map(|text| text.trim().to_owned());
    // A file of several properties is no name of one of them.
    let one = text.filter(|text| text.matches("CHECK").count() == 1);
    Some(one.unwrap_or_else(|| format!("CHECK( init(main()), LTL({formula}) )")))
}

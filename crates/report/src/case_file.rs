//! Schedules with their inputs, read from test cases (`--emit-tests`) or saved findings.

use crate::finding_file::{FindingFile, FindingFileError};
use crate::inputs::inputs_from_json;
use selvedge_model::Input;
use selvedge_schedule::Schedule;
use serde_json::Value;

/// A test case, or what a finding has in common with one.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CaseFile {
    /// The schedule with inputs and options.
    pub schedule: Schedule,
    /// The inputs.
    pub inputs: Vec<Input>,
    /// The schedule has no steps that choose inputs: the program is run on `inputs`.
    pub fixed: bool,
    /// The kind of the first finding, by its dotted name.
    pub kind: Option<String>,
}

impl CaseFile {
    /// Reads the text of a test case or a saved finding.
    ///
    /// # Errors
    /// If it is neither.
    pub fn read(text: &str) -> Result<CaseFile, FindingFileError> {
        let value: Value = serde_json::from_str(text)?;
        let Some(version) = value.get("selvedge-test").and_then(Value::as_u64) else {
            let finding = FindingFile::read(text)?;
            let is_fixed = |(name, value): &(String, String)| name == "inputs" && value == "fixed";
            return Ok(CaseFile {
                fixed: finding.schedule.options.iter().any(is_fixed),
                schedule: finding.schedule,
                inputs: finding.inputs,
                kind: Some(finding.kind),
            });
        };
        if version != 1 {
            return Err(FindingFileError::Version(version));
        }
        let shape = FindingFileError::Shape;
        let schedule = value.get("schedule").and_then(Value::as_str);
        let inputs = value.get("inputs").and_then(inputs_from_json);
        let faults = value.get("faults").and_then(Value::as_array);
        let faults = faults.ok_or(shape("no list of faults"))?;
        let first = faults
            .first()
            .map(|kind| kind.as_str().ok_or(shape("a fault is no text")));
        let kind = first.transpose()?.map(str::to_owned);
        Ok(CaseFile {
            schedule: schedule.ok_or(shape("no schedule"))?.parse()?,
            inputs: inputs.ok_or(shape("broken inputs"))?,
            fixed: true,
            kind,
        })
    }
}

//! Saved findings: everything `replay` needs, as JSON.

use crate::inputs::inputs_from_json;
use crate::{FindingReport, json};
use selvedge_model::Input;
use selvedge_schedule::Schedule;
use serde_json::{Value, json};

/// A finding read back.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FindingFile {
    /// The kind, by its dotted name.
    pub kind: String,
    /// What it says.
    pub message: String,
    /// Where: file, line, column.
    pub location: (String, u32, u32),
    /// The inputs that lead to it; empty if the program has none.
    pub inputs: Vec<Input>,
    /// The schedule with inputs and options.
    pub schedule: Schedule,
}

/// Why a file is no saved finding.
#[derive(Debug, thiserror::Error)]
pub enum FindingFileError {
    /// Not JSON.
    #[error("not a saved finding: {0}")]
    Json(#[from] serde_json::Error),
    /// JSON of another shape.
    #[error("not a saved finding: {0}")]
    Shape(&'static str),
    /// Of another version.
    #[error("saved by another version of selvedge (format {0}; this program reads 1)")]
    Version(u64),
    /// Its schedule is broken.
    #[error("its schedule: {0}")]
    Schedule(#[from] selvedge_schedule::ParseError),
}

impl FindingFile {
    /// The text of a finding's file.
    pub fn write(report: &FindingReport) -> String {
        let value = json!({"selvedge-finding": 1, "finding": json::finding(report)});
        format!("{value:#}\n")
    }

    /// Reads it back.
    ///
    /// # Errors
    /// If the text is no saved finding of a known version.
    pub fn read(text: &str) -> Result<FindingFile, FindingFileError> {
        let value: Value = serde_json::from_str(text)?;
        match value.get("selvedge-finding").and_then(Value::as_u64) {
            Some(1) => {}
            Some(other) => return Err(FindingFileError::Version(other)),
            None => return Err(FindingFileError::Shape("it has no `selvedge-finding` version")),
        }
        let finding = value
            .get("finding")
            .ok_or(FindingFileError::Shape("it has no `finding`"))?;
        let text = |name: &'static str| finding.get(name).and_then(Value::as_str).map(str::to_owned);
        let location = &finding["location"];
        let number = |name: &str| {
            location[name]
                .as_u64()
                .and_then(|n| u32::try_from(n).ok())
                .unwrap_or(0)
        };
        Ok(FindingFile {
            kind: text("kind").ok_or(FindingFileError::Shape("the finding has no `kind`"))?,
            message: text("message").unwrap_or_default(),
            location: (
                location["file"].as_str().unwrap_or_default().to_owned(),
                number("line"),
                number("column"),
            ),
            inputs: match finding.get("inputs") {
                None => Vec::new(),
                Some(inputs) => inputs_from_json(inputs)
                    .ok_or(FindingFileError::Shape("its `inputs` are of another shape"))?,
            },
            schedule: text("schedule")
                .ok_or(FindingFileError::Shape("the finding has no `schedule`"))?
                .parse()?,
        })
    }
}

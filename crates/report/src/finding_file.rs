//! Saved findings: everything `replay` needs, as JSON.

use crate::inputs::inputs_from_json;
use crate::{FindingReport, Sources, json};
use selvedge_base::Location;
use selvedge_model::Input;
use selvedge_schedule::Schedule;
use serde_json::{Value, json};
use std::collections::BTreeMap;

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
    /// Where: the function and the text of the line, which other edits leave alone.
    pub place: Place,
    /// The thread that shows it; empty if that is none in particular.
    pub thread: String,
    /// Of each step of the schedule, where it is; shorter than the schedule if that is not known.
    pub places: Vec<Place>,
    /// The source files by path, each as [`digest`] has it.
    pub files: BTreeMap<String, String>,
    /// The version of this program that has saved it; empty if that is not known.
    pub version: String,
    /// Whether the finding is as it was saved: nobody has edited it.
    pub is_intact: bool,
}

/// A place in the source that stays what it is when lines move.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub struct Place {
    /// The function.
    pub function: String,
    /// The text of its line, without white space around it; empty if it is not known.
    pub statement: String,
}

impl Place {
    /// The place of a location.
    pub fn new(at: &Location, sources: &Sources) -> Place {
        let text = sources.get(&at.file);
        let line = text.and_then(|text| text.lines().nth((at.line as usize).checked_sub(1)?));
        Place {
            function: at.function.clone(),
            statement: line.unwrap_or_default().trim().to_owned(),
        }
    }
}

/// What tells whether a file is the same: a hash of its bytes, in hexadecimal digits.
pub fn digest(bytes: &[u8]) -> String {
    format!("{:032x}", xxhash_rust::xxh3::xxh3_128(bytes))
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

/// The files that are no headers of the system.
pub fn own_files(sources: &Sources) -> impl Iterator<Item = (&str, &str)> {
    let is_of_system = |path: &str| {
        let at = Location {
            file: path.to_owned(),
            ..Location::default()
        };
        at.is_of_system()
    };
    sources.iter().filter(move |(path, _)| !is_of_system(path))
}

impl FindingFile {
    /// The text of a finding's file. `files`: further files that the program is made of, each as
    /// [`digest`] has it.
    pub fn write(report: &FindingReport, sources: &Sources, files: &BTreeMap<String, String>) -> String {
        let mut all = files.clone();
        all.extend(own_files(sources).map(|(path, text)| (path.to_owned(), digest(text.as_bytes()))));
        let finding = &report.finding;
        let mut places: Vec<Place> = Vec::new();
        let mut steps: Vec<usize> = Vec::new();
        for row in report.rows.iter().filter(|row| row.step.is_some()) {
            let place = Place::new(&row.location, sources);
            let known = places.iter().position(|known| *known == place);
            steps.push(known.unwrap_or(places.len()));
            if known.is_none() {
                places.push(place);
            }
        }
        let place = |place: &Place| json!([place.function, place.statement]);
        let mut value = json!({
            "selvedge-finding": 1,
            "finding": json::finding(report),
            "program": {
                "version": env!("CARGO_PKG_VERSION"),
                "files": all,
                "place": place(&Place::new(&finding.location, sources)),
                "places": places.iter().map(place).collect::<Vec<_>>(),
                "steps": steps,
            },
        });
        value["program"]["whole"] = Value::from(digest_of_document(&value));
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
            place: place(&value["program"]["place"]).unwrap_or_else(|| Place {
                function: location["function"].as_str().unwrap_or_default().to_owned(),
                statement: String::new(),
            }),
            thread: text("thread").unwrap_or_default(),
            is_intact: value["program"]["whole"].as_str() == Some(&digest_of_document(&value)),
            places: places(&value["program"]).unwrap_or_default(),
            files: files(&value["program"]["files"]),
            version: value["program"]["version"]
                .as_str()
                .unwrap_or_default()
                .to_owned(),
        })
    }
}

/// The digest of a whole document, but for the digest that it contains itself.
fn digest_of_document(document: &Value) -> String {
    let mut document = document.clone();
    if let Some(program) = document.get_mut("program").and_then(Value::as_object_mut) {
        program.remove("whole");
    }
    digest(document.to_string().as_bytes())
}

fn place(value: &Value) -> Option<Place> {
    let [function, statement] = value.as_array()?.as_slice() else {
        return None;
    };
    Some(Place {
        function: function.as_str()?.to_owned(),
        statement: statement.as_str()?.to_owned(),
    })
}

/// The places of the steps.
fn places(program: &Value) -> Option<Vec<Place>> {
    let all: Option<Vec<Place>> = program["places"].as_array()?.iter().map(place).collect();
    let all = all?;
    let steps = program["steps"].as_array()?.iter();
    steps
        .map(|step| all.get(usize::try_from(step.as_u64()?).ok()?).cloned())
        .collect()
}

fn files(value: &Value) -> BTreeMap<String, String> {
    let files = value.as_object().into_iter().flatten();
    files
        .filter_map(|(path, digest)| Some((path.clone(), digest.as_str()?.to_owned())))
        .collect()
}

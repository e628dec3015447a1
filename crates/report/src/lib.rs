//! What a run says, for people and for programs: the terminal, JSON, SARIF, JUnit, and saved
//! findings.
//!
//! A [`RunReport`] is plain data with every name resolved; the writers only arrange it. Nothing
//! here does I/O.

mod case_file;
mod covered;
mod data;
mod finding_file;
mod github;
mod human;
mod inputs;
mod json;
mod junit;
mod ktest;
mod lcov;
mod page;
mod paths;
mod sarif;
mod schedule_text;
mod snippet;
mod witness;
mod words;

pub use case_file::CaseFile;
pub use covered::{Covered, CoveredUnfolding};
pub use data::{
    AccessSite, AssertionReport, FindingReport, Layer, Reason, Row, RowKind, RunReport, Statistics,
    ThreadReport, Turns,
};
pub use finding_file::{FindingFile, FindingFileError, Place, digest, own_files};
pub use github::github;
pub use human::{HumanOptions, finding_text, human};
pub use inputs::{hex, inputs_json, inputs_text};
pub use json::json;
pub use junit::junit;
pub use ktest::{Ktest, KtestError};
pub use lcov::lcov;
pub use page::Page;
pub use sarif::sarif;
pub use schedule_text::schedule_text;
pub use snippet::Sources;
pub use witness::{Claim, ClaimedStep, WitnessError, WitnessForm, WitnessTask, sha256, witness};
pub use words::{harmless, property_help, property_word, reason_word, verdict_line};

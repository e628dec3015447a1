//! What a run says, for people and for programs: the terminal, JSON, SARIF, JUnit, and saved
//! findings.
//!
//! A [`RunReport`] is plain data with every name resolved; the writers only arrange it. Nothing
//! here does I/O.

mod covered;
mod data;
mod finding_file;
mod human;
mod inputs;
mod json;
mod junit;
mod ktest;
mod lcov;
mod sarif;
mod snippet;
mod words;

pub use covered::{Covered, CoveredUnfolding};
pub use data::{AssertionReport, FindingReport, Layer, Reason, Row, RunReport, Statistics, Turns};
pub use finding_file::{FindingFile, FindingFileError};
pub use human::{HumanOptions, finding_text, human, schedule_table};
pub use inputs::{hex, inputs_json, inputs_text};
pub use json::json;
pub use junit::junit;
pub use ktest::{Ktest, KtestError};
pub use lcov::lcov;
pub use sarif::sarif;
pub use snippet::Sources;
pub use words::{property_word, reason_word, verdict_line};

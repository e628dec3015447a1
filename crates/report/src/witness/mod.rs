//! Violation witnesses of SV-COMP: a finding as other tools read it, in YAML (format 2.0) or
//! GraphML (format 1.0).
//!
//! A witness contains only what the schedule shows: which thread moves, at which lines, where
//! threads are created and begin, which values the inputs have, and where the property is violated.
//! Calls within a thread are left out. There are no correctness witnesses: an exploration has no
//! invariants to show.

mod graphml;
mod read;
mod yaml;

pub use read::{Claim, ClaimedStep, WitnessError};

use crate::{FindingReport, Row, RowKind};
use selvedge_base::Location;
use selvedge_model::{Input, InputKind};
use sha2::{Digest, Sha256};
use std::fmt::Write;

/// The form of a witness.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum WitnessForm {
    /// Format 2.0, a `violation_sequence`.
    Yaml,
    /// Format 1.0, an automaton.
    GraphMl,
}

/// What a witness says beside its finding.
#[derive(Clone, Debug)]
pub struct WitnessTask<'a> {
    /// The files of the program by the names they were given by, with their bytes.
    pub files: &'a [(String, Vec<u8>)],
    /// The property as `CHECK( init(main()), LTL(…) )`.
    pub specification: &'a str,
    /// The version of this program.
    pub version: &'a str,
    /// When it was made: `2026-01-31T12:00:00Z`.
    pub time: &'a str,
}

/// A finding as a witness.
pub fn witness(finding: &FindingReport, task: &WitnessTask<'_>, form: WitnessForm) -> String {
    match form {
        WitnessForm::Yaml => yaml::write(finding, task),
        WitnessForm::GraphMl => graphml::write(finding, task),
    }
}

/// The SHA-256 of a file, as witnesses name it.
pub fn sha256(bytes: &[u8]) -> String {
    Sha256::digest(bytes)
        .iter()
        .fold(String::new(), |mut text, byte| {
            let _ = write!(text, "{byte:02x}");
            text
        })
}

/// A step of a witness.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Waypoint<'a> {
    /// The thread by its number in the witness: 0 is the main thread, others are numbered as they
    /// are created.
    thread: usize,
    location: &'a Location,
    /// The function that a thread begins with.
    enters: Option<&'a str>,
    /// The number of the thread that is created.
    creates: Option<usize>,
    /// What an input's function returns: the function and the value as C writes it.
    returns: Option<(&'a str, String)>,
}

/// The steps of a schedule in their order, with inputs where they are asked for, up to the
/// violation.
fn waypoints(finding: &FindingReport) -> Vec<Waypoint<'_>> {
    let mut threads = vec!["0"];
    let mut given: Vec<usize> = vec![0];
    let mut points = Vec::new();
    let mut begun: Vec<usize> = Vec::new();
    for row in finding.rows.iter().filter(|row| row.step.is_some()) {
        let thread = number(&mut threads, &mut given, &row.thread);
        let enters = (!begun.contains(&thread)).then(|| {
            begun.push(thread);
            routine(finding, &row.thread)
        });
        let creates = row
            .created
            .as_deref()
            .map(|created| number(&mut threads, &mut given, created));
        points.push(Waypoint {
            thread,
            location: &row.location,
            enters: enters.flatten(),
            creates,
            returns: None,
        });
        let own = finding.inputs.iter().filter(|input| input.thread == row.thread);
        let asked = own.skip(given[thread]).take(row.asked);
        for input in asked.filter(|input| !input.was_there()) {
            points.push(Waypoint {
                thread,
                location: &input.location,
                enters: None,
                creates: None,
                returns: value(input).map(|value| (input.name.as_str(), value)),
            });
        }
        given[thread] += row.asked;
    }
    points
}

fn number<'a>(threads: &mut Vec<&'a str>, given: &mut Vec<usize>, name: &'a str) -> usize {
    let known = threads.iter().position(|known| *known == name);
    known.unwrap_or_else(|| {
        threads.push(name);
        given.push(0);
        threads.len() - 1
    })
}

fn routine<'a>(finding: &'a FindingReport, name: &str) -> Option<&'a str> {
    let thread = finding.threads.iter().find(|thread| thread.name == name)?;
    (!thread.runs.is_empty()).then_some(thread.runs.as_str())
}

/// An input as C writes it; `None` if it is no integer of at most 64 bits.
fn value(input: &Input) -> Option<String> {
    let InputKind::Scalar { bits, signed } = input.kind else {
        return None;
    };
    if bits > 64 || input.bytes.len() > 8 {
        return None;
    }
    let mut bytes = [0; 8];
    bytes[..input.bytes.len()].copy_from_slice(&input.bytes);
    let unused = 64 - u32::from(bits);
    let raw = u64::from_le_bytes(bytes) << unused;
    Some(match signed {
        true => match raw.cast_signed() >> unused {
            // No literal of C has this value.
            i64::MIN => "(-9223372036854775807LL - 1)".to_owned(),
            value => value.to_string(),
        },
        false if raw >> unused > i64::MAX as u64 => format!("{}ULL", raw >> unused),
        false => (raw >> unused).to_string(),
    })
}

/// Where the property is violated, and by which thread's number.
fn target(finding: &FindingReport) -> (usize, &Location) {
    let mut threads = vec!["0"];
    let mut given = vec![0];
    for row in finding.rows.iter().filter(|row| row.step.is_some()) {
        number(&mut threads, &mut given, &row.thread);
        if let Some(created) = &row.created {
            number(&mut threads, &mut given, created);
        }
    }
    let fault: Option<&Row> = finding.rows.iter().rev().find(|row| row.kind == RowKind::Fault);
    let name = match finding.finding.thread.as_str() {
        "" => fault.map_or("0", |row| row.thread.as_str()),
        name => name,
    };
    let thread = threads.iter().position(|known| *known == name).unwrap_or(0);
    let (location, _) = crate::snippet::own(&finding.finding.location, &finding.finding.stack);
    (thread, location)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn input(bits: u16, signed: bool, bytes: &[u8]) -> Input {
        Input {
            name: "__VERIFIER_nondet_int".into(),
            thread: "0".into(),
            bytes: bytes.to_vec(),
            kind: InputKind::Scalar { bits, signed },
            location: Location::default(),
        }
    }

    #[test]
    fn values_are_written_as_in_c() {
        let text = |bits, signed, bytes: &[u8]| value(&input(bits, signed, bytes));
        assert_eq!(text(32, true, &[0xfe, 0xff, 0xff, 0xff]).as_deref(), Some("-2"));
        assert_eq!(
            text(32, false, &[0xfe, 0xff, 0xff, 0xff]).as_deref(),
            Some("4294967294")
        );
        assert_eq!(text(1, false, &[1]).as_deref(), Some("1"));
        assert_eq!(
            text(64, false, &[0xff; 8]).as_deref(),
            Some("18446744073709551615ULL")
        );
        let least = text(64, true, &[0, 0, 0, 0, 0, 0, 0, 0x80]);
        assert_eq!(least.as_deref(), Some("(-9223372036854775807LL - 1)"));
        assert_eq!(text(128, true, &[0; 16]), None);
    }

    #[test]
    fn files_are_named_by_their_hash() {
        assert_eq!(
            sha256(b"abc"),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
        );
    }
}

//! What the tests of the reference unfolding share.
#![allow(dead_code, missing_docs, reason = "each test uses a part of it")]

use selvedge_base::usual_or_long;
use selvedge_model::reference::{EventLabel, Refused, Unfolding, ends};
use selvedge_model::toy::{Toy, ToyEnd, ToyMachine};
use serde_json::Value;
use std::path::Path;

pub type Related<'a> = &'a dyn Fn(&EventLabel, &EventLabel) -> bool;

/// As many configurations as recorded toys have: all have at most 2,000 prefixes without the events
/// that start threads.
pub const LARGE: usize = 20_000;

pub fn machine(toy: &Toy) -> ToyMachine {
    ToyMachine::new(toy).expect("a toy that compiles")
}

pub fn unfold(toy: &Toy, limit: usize, related: Related) -> Result<Unfolding<ToyEnd>, Refused> {
    Unfolding::under(&mut machine(toy), limit, related)
}

/// Whether an object only tells with which mutex a condition variable is used.
pub fn is_binding(object: u64) -> bool {
    object >> 60 == 1
}

/// What is wrong with the unfolding under a relation, if anything: it has none, it is none, or it
/// has other ends.
pub fn complaint(toy: &Toy, limit: usize, related: Related) -> Option<String> {
    let unfolding = match unfold(toy, limit, related) {
        Ok(unfolding) => unfolding,
        Err(Refused::TooLarge) => return None,
        Err(Refused::Broken(what)) => return Some(what),
    };
    if let Err(what) = unfolding.verify() {
        return Some(what);
    }
    let found = ends(&mut machine(toy), LARGE).ok()?;
    if *unfolding.ends() != found.ends {
        return Some("other ends".to_owned());
    }
    (*unfolding.asserts() != found.asserts).then(|| "other failed assertions".to_owned())
}

fn parse(text: &str) -> Value {
    serde_json::from_str(text).expect("JSON")
}

/// The toys with the independent oracle's answers.
pub fn recorded() -> Vec<(String, Value)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests");
    let mut toys = Vec::new();
    for entry in std::fs::read_dir(folder.join("toys")).expect("the toys") {
        let path = entry.expect("an entry").path();
        let text = std::fs::read_to_string(&path).expect("a toy");
        toys.push((path.display().to_string(), parse(&text)));
    }
    assert_eq!(toys.len(), 49);
    let random = include_str!("../random-toys.jsonl").lines().zip(1..);
    toys.extend(random.map(|(line, n)| (format!("random toy {n}"), parse(line))));
    toys
}

/// Those of them with barriers whose results are not used, with results: the oracle's counts of
/// traces.
pub fn ordered_barriers() -> Vec<(String, Value)> {
    let lines = include_str!("../ordered-barriers.jsonl").lines().zip(1..);
    lines
        .map(|(line, n)| (format!("ordered barrier {n}"), parse(line)))
        .collect()
}

/// Toys from the oracle itself, with its answers; none where it does not lie beside the checkout.
/// They are the same ones each time, and new ones each time in the long tests.
pub fn fresh(count: usize) -> Vec<(String, Value)> {
    let oracle = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/tools/oracle.py");
    if !oracle.exists() {
        eprintln!(
            "{} is not there: only recorded toys were checked",
            oracle.display()
        );
        return Vec::new();
    }
    let now = std::time::UNIX_EPOCH.elapsed();
    let seed = usual_or_long(37_000, now.map_or(0, |now| now.as_secs() % 100_000));
    let output = std::process::Command::new("python3")
        .arg(&oracle)
        .args(["--random", &seed.to_string(), &count.to_string()])
        .output()
        .expect("python3 runs");
    assert!(output.status.success(), "the oracle failed");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let lines = text.lines().zip(1..);
    lines
        .map(|(line, n)| (format!("oracle seed {seed}, toy {n}"), parse(line)))
        .collect()
}

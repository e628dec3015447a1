//! What a run covered that a limit ended: in words, and as JSON.

use crate::paths::location;
use crate::snippet::place;
use selvedge_base::Location;
use serde_json::{Value, json};
use std::fmt::Write;

/// Places and threads named in words, at most.
const NAMED: usize = 8;

/// What is sure although not everything was explored.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Covered {
    /// Executions that came to their end.
    pub executions: u64,
    /// The part of the search tree that is done, from 0 to 1, as far as the tree is known; for
    /// `dpor`.
    pub part: Option<f64>,
    /// What only `unfold` knows.
    pub unfolding: Option<CoveredUnfolding>,
}

/// What `unfold` knows of what it left.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct CoveredUnfolding {
    /// Executions up to where only cutoffs were left.
    pub cut: u64,
    /// Alternatives that are known, and that nobody explored.
    pub open: u64,
    /// Events of which it is not known whether there is an alternative.
    pub undecided: u64,
    /// For each thread by its name its longest known past, in events.
    pub threads: Vec<(String, u32)>,
    /// Where data choices have alternatives that were never taken, and how many.
    pub not_taken: Vec<(Location, u64)>,
}

pub(crate) fn covered_text(out: &mut String, covered: &Covered) {
    let done = format!("  covered: {} executions to their end", covered.executions);
    let Some(unfolding) = &covered.unfolding else {
        let part = covered.part.map(|part| {
            let percent = part * 100.0;
            format!(", about {percent:.1} % of the search tree as far as it is known")
        });
        let _ = writeln!(out, "{done}{}", part.unwrap_or_default());
        return;
    };
    let _ = writeln!(
        out,
        "{done}, {} up to states known from elsewhere\n  left: {} known alternatives not explored, {} events not yet tried without",
        unfolding.cut, unfolding.open, unfolding.undecided
    );
    let threads = unfolding.threads.iter();
    let _ = writeln!(
        out,
        "  events of each thread: {}",
        some(threads.map(|(name, depth)| format!("thread {name} {depth}")))
    );
    if !unfolding.not_taken.is_empty() {
        let all: u64 = unfolding.not_taken.iter().map(|(_, count)| count).sum();
        let places = unfolding
            .not_taken
            .iter()
            .map(|(at, count)| format!("{count} at {}", place(at)));
        let _ = writeln!(
            out,
            "  alternatives of branches on data not taken so far: {all}: {}",
            some(places)
        );
    }
}

/// The first few, and how many more there are.
fn some(all: impl Iterator<Item = String>) -> String {
    let mut all: Vec<String> = all.collect();
    let more = all.len().saturating_sub(NAMED);
    all.truncate(NAMED);
    if more > 0 {
        all.push(format!("and {more} more"));
    }
    all.join(", ")
}

pub(crate) fn covered_json(covered: &Covered) -> Value {
    let unfolding = covered.unfolding.as_ref();
    let threads = |u: &CoveredUnfolding| {
        let threads = u.threads.iter();
        threads
            .map(|(name, depth)| json!({"thread": name, "events": depth}))
            .collect::<Vec<_>>()
    };
    let not_taken = |u: &CoveredUnfolding| {
        let places = u.not_taken.iter();
        places
            .map(|(at, count)| json!({"location": location(at), "alternatives": count}))
            .collect::<Vec<_>>()
    };
    json!({
        "executions": covered.executions,
        "part": covered.part,
        "cut_executions": unfolding.map(|u| u.cut),
        "open": unfolding.map(|u| u.open),
        "undecided": unfolding.map(|u| u.undecided),
        "threads": unfolding.map(threads),
        "branches_not_taken": unfolding.map(not_taken),
    })
}

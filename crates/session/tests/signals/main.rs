//! Signals between threads: random programs, and an enumerator of their executions that shares no
//! code with the product: the same final values and deadlocks.
//!
//! `SELVEDGE_SIGNALS_SEEDS=FROM..TO` runs other seeds; `SELVEDGE_SIGNALS_SEEDS_KEEP=1` goes on
//! after a failure and shows all of them.

#[path = "../compared/mod.rs"]
mod compared;
mod reference;
mod text;
mod toy;

use compared::{Seen, setup};
use reference::Possible;
use selvedge_model::Property;
use selvedge_session::{Options, Strategy, Unobserved, check};
use std::ops::Range;
use toy::Toy;

const SEEDS: Range<u64> = 0..40;
const MOST_STATES: usize = 100_000;

#[derive(Default, Debug)]
struct Counts {
    compared: u32,
    too_large: u32,
    /// Programs that change actions in a way that is unsupported.
    refused: u32,
    deadlocks: u32,
    /// Programs with more than one final value.
    several: u32,
}

/// What is unsupported where the action of a signal changes (docs/semantics.md).
fn is_about_actions(reason: &str) -> bool {
    [
        "an action of a signal that one thread changes, and another one uses",
        "ignoring a signal that was sent",
        "a handler of a signal that was ignored while there were several threads",
        "a signal that is sent while it is ignored and blocked",
    ]
    .iter()
    .any(|what| reason.contains(what))
}

fn compare(seed: u64, counts: &mut Counts) -> Result<(), String> {
    let toy = Toy::random(seed);
    let Some(expected) = reference::explore(&toy, MOST_STATES) else {
        counts.too_large += 1;
        return Ok(());
    };
    let (text, first) = text::c(&toy);
    let (path, program) = compared::load("signals", &seed.to_string(), &text)?;
    // States are too many for `stateful`.
    let (strategy, most) = match seed % 3 {
        0 => (Strategy::Unfold, 200),
        _ => (Strategy::Dpor, 3_000),
    };
    let options = Options {
        strategy: Some(strategy),
        stop: selvedge_explore::Stop::Never,
        jobs: Some(1),
        max_executions: Some(most),
        max_events: Some(2_000),
        setup: setup(&path),
        properties: [Property::Assertion, Property::Deadlock].into(),
        ..Options::default()
    };
    let report = check(&program, &options, &Unobserved)
        .map_err(|e| format!("{}: {e}", path.display()))?
        .report;
    let mut found = Possible::default();
    for (kind, line) in Seen::of(&report).found {
        match kind {
            "assertion" => _ = found.values.insert(line - first),
            kind if kind.starts_with("deadlock") => found.deadlock = true,
            kind => return Err(format!("{toy:?}\nfound {kind}")),
        }
    }
    // What was found exists, also if not all was explored.
    if !found.values.is_subset(&expected.values) || found.deadlock && !expected.deadlock {
        return Err(format!("{toy:#?}\nfound {found:?}\nexpected {expected:?}"));
    }
    if report.reasons.iter().any(|reason| reason.limit.is_some()) {
        counts.too_large += 1;
        return Ok(());
    }
    if let Some(reason) = report.reasons.first()
        && toy.sets_actions()
        && is_about_actions(&reason.detail)
    {
        counts.refused += 1;
        return Ok(());
    }
    if let Some(reason) = report.reasons.first() {
        return Err(format!("{toy:?}\n{}", reason.detail));
    }
    if found != expected {
        return Err(format!("{toy:#?}\nfound {found:?}\nexpected {expected:?}"));
    }
    counts.compared += 1;
    counts.deadlocks += u32::from(expected.deadlock);
    counts.several += u32::from(expected.values.len() > 1);
    Ok(())
}

fn main() {
    let counts = compared::all("SELVEDGE_SIGNALS_SEEDS", SEEDS, compare);
    assert!(
        counts.compared * 2 > counts.too_large,
        "most programs are too large"
    );
    assert!(counts.deadlocks * 20 > counts.compared, "hardly any deadlock");
    assert!(counts.several * 6 > counts.compared, "hardly any choice");
}

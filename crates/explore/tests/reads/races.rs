//! Races: the detector runs on one execution of each class, and that is enough.

use crate::common::never;
use selvedge_base::usual_or_long;
use selvedge_detect::RaceDetector;
use selvedge_explore::reads;
use selvedge_explore::{Config, Control, Report, dpor};
use selvedge_model::toy::{Toy, ToyMachine, ToyOp, mixed_toy, random_toy, waking_toy, with_touches};
use selvedge_model::{Conflict, FaultKind, StopReason};
use std::collections::BTreeSet;

/// The pairs of statements that race.
fn races(report: &Report) -> BTreeSet<Vec<u32>> {
    let races = report
        .faults
        .iter()
        .filter(|found| found.fault.kind == FaultKind::DataRace);
    let places = races.map(|found| {
        let related = found.fault.related.iter().map(|(_, stmt, _)| stmt.0);
        let mut places: Vec<u32> = related.chain([found.fault.stmt.0]).collect();
        places.sort_unstable();
        places
    });
    places.collect()
}

/// True if machines number the threads that are joined: each by its creator only.
fn joins_its_own(toy: &Toy) -> bool {
    toy.threads.iter().all(|ops| {
        ops.iter().all(|op| match op {
            ToyOp::Join(u) | ToyOp::JoinOnce(u, _) => ops.contains(&ToyOp::Spawn(*u)),
            _ => true,
        })
    })
}

/// Whether a toy is covered and has a race. The two strategies have to agree.
fn hold(name: &str, toy: &Toy) -> (bool, bool) {
    if !joins_its_own(toy) {
        return (false, false);
    }
    let make = || (ToyMachine::new(toy).expect("compiles"), RaceDetector::new());
    let config = Config {
        max_executions: Some(200),
        ..never()
    };
    let Ok(report) = reads::explore(&make, &config, &Control::new()) else {
        return (false, false);
    };
    let expected = dpor::explore_with(&make, &Conflict, &config, &Control::new());
    let limited = |report: &Report| matches!(report.stop, StopReason::Limit(_));
    if limited(&report) || limited(&expected) {
        return (false, false);
    }
    assert_eq!(races(&report), races(&expected), "{name}: {}", toy.to_json());
    (true, !races(&report).is_empty())
}

#[test]
fn the_same_races_as_by_traces() {
    let (mut covered, mut racy) = (0, 0);
    let seeds = usual_or_long(300, 20_000);
    for seed in 0..seeds {
        let toy = match seed % 3 {
            0 => random_toy(seed),
            1 => mixed_toy(seed),
            _ => waking_toy(seed),
        };
        let (covers, races) = hold(&format!("seed {seed}"), &with_touches(toy, seed));
        covered += u64::from(covers);
        racy += u64::from(races);
    }
    println!("{covered} covered, {racy} with races, of {seeds}");
    assert!(covered > seeds / 4 && racy > seeds / 10, "{covered} {racy}");
}

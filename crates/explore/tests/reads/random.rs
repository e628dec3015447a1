//! Random toys of all families that the strategy covers.

use crate::common::{Collector, Seen, asserts, never, truth};
use selvedge_base::usual_or_long;
use selvedge_explore::reads::{self, GivenUp, Uncovered, Weaken};
use selvedge_explore::{Config, Control, Report};
use selvedge_model::StopReason;
use selvedge_model::toy::{
    Toy, ToyEnd, ToyMachine, input_toy, mixed_toy, random_toy, sharing_toy, shrink, waking_toy,
};
use std::collections::{BTreeSet, HashSet};
use std::sync::Mutex;

/// More executions are too many for a test.
const MOST: u64 = 300;

/// What an exploration comes to.
pub struct Explored {
    pub seen: Seen,
    pub report: Report,
    /// Whether two executions had the same graph.
    pub repeats: bool,
}

pub fn run(toy: &Toy, weaken: Weaken) -> Result<Explored, GivenUp> {
    let seen = Mutex::new(Seen::default());
    let make = || {
        let machine = ToyMachine::new(toy).expect("a toy that compiles");
        let collector = Collector {
            seen: &seen,
            trace: None,
            length: 0,
        };
        (machine, collector)
    };
    let config = Config {
        max_executions: Some(MOST),
        ..never()
    };
    let (mut graphs, mut repeats) = (HashSet::new(), false);
    let mut ended = |graph| repeats |= !graphs.insert(graph);
    let report = reads::explore_weakened(&make, &config, &Control::new(), weaken, &mut ended)?;
    Ok(Explored {
        seen: seen.into_inner().expect("no panic"),
        report,
        repeats,
    })
}

/// An end without the values of variables: two writes that nobody reads have no order.
fn without_variables(toy: &Toy, end: &ToyEnd) -> ToyEnd {
    ToyEnd {
        values: end.values[toy.vars.len()..].to_vec(),
        ..end.clone()
    }
}

/// How a toy was explored.
#[derive(PartialEq, Eq, Debug)]
pub enum Outcome {
    Same(u64),
    TooLarge,
    Uncovered(Uncovered),
    Wrong(String),
}

pub fn outcome(toy: &Toy, weaken: Weaken) -> Outcome {
    let Some((ends, failed)) = truth(toy) else {
        return Outcome::TooLarge;
    };
    let Explored {
        seen,
        report,
        repeats,
    } = match run(toy, weaken) {
        Ok(explored) => explored,
        Err(given_up) => return Outcome::Uncovered(given_up.why),
    };
    if matches!(report.stop, StopReason::Limit(_)) || !report.limits.is_empty() {
        return Outcome::TooLarge;
    }
    let strip = |ends: &BTreeSet<ToyEnd>| -> BTreeSet<ToyEnd> {
        ends.iter().map(|end| without_variables(toy, end)).collect()
    };
    if strip(&seen.ends) != strip(&ends) {
        return Outcome::Wrong(format!(
            "ends {:?}, expected {:?}",
            strip(&seen.ends),
            strip(&ends)
        ));
    }
    if asserts(&report) != failed {
        return Outcome::Wrong(format!("assertions {:?}, expected {failed:?}", asserts(&report)));
    }
    if repeats {
        return Outcome::Wrong("a graph was explored twice".to_owned());
    }
    Outcome::Same(report.statistics.executions)
}

fn hold(name: &str, toy: &Toy) -> bool {
    let wrong = |toy: &Toy| matches!(outcome(toy, Weaken::Nothing), Outcome::Wrong(_));
    match outcome(toy, Weaken::Nothing) {
        Outcome::Wrong(what) => {
            let small = shrink(toy, |toy| ToyMachine::new(toy).is_ok() && wrong(toy));
            panic!(
                "{name}: {what}\n{}\nsmallest: {}\n{:?}",
                toy.to_json(),
                small.to_json(),
                outcome(&small, Weaken::Nothing)
            );
        }
        Outcome::Same(_) => true,
        Outcome::TooLarge | Outcome::Uncovered(_) => false,
    }
}

/// Each kind of toy is explored often enough.
fn hold_all(kind: &str, make: fn(u64) -> Toy, seeds: u64, least: u64) {
    let covered = (0..seeds).filter(|&seed| hold(&format!("{kind} seed {seed}"), &make(seed)));
    let covered = covered.count() as u64;
    println!("{kind}: {covered} of {seeds}");
    assert!(
        covered * 100 >= seeds * least,
        "{kind}: only {covered} of {seeds} are covered"
    );
}

#[test]
fn random_toys() {
    hold_all("random", random_toy, usual_or_long(300, 50_000), 50);
}

#[test]
fn mixed_toys() {
    hold_all("mixed", mixed_toy, usual_or_long(300, 20_000), 10);
    hold_all("waking", waking_toy, usual_or_long(300, 20_000), 10);
}

#[test]
fn toys_with_inputs() {
    hold_all("input", input_toy, usual_or_long(300, 20_000), 10);
    hold_all("sharing", sharing_toy, usual_or_long(300, 20_000), 10);
}

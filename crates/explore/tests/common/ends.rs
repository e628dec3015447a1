//! Explorations by `unfold` against brute force: ends, failed assertions, and each maximal
//! configuration once.

use super::{Collector, Seen, asserts, never, truth};
use selvedge_explore::unfold::oracle::Weaken;
use selvedge_explore::unfold::{self, Partial};
use selvedge_explore::{Config, Control, Report};
use selvedge_model::toy::{Toy, ToyMachine, ToyOp};
use selvedge_model::{Limit, StopReason};
use std::sync::Mutex;

/// What an exploration comes to, with fingerprints of so many bits.
pub fn run(toy: &Toy, config: &Config, weaken: Weaken, bits: u32) -> (Seen, Report) {
    let seen = Mutex::new(Seen::default());
    let make = || {
        let machine = ToyMachine::new(toy).expect("a toy that compiles");
        let machine = machine.with_weak_fingerprints(bits);
        let collector = Collector {
            seen: &seen,
            trace: None,
            length: 0,
        };
        (machine, collector)
    };
    let report = unfold::explore_watched(&make, config, &Control::new(), weaken).0;
    (seen.into_inner().expect("no panic"), report)
}

/// What is wrong with an exploration of the toy, if anything. `expected`: how many traces it has.
pub fn complaint(toy: &Toy, config: &Config, weaken: Weaken, expected: Option<u64>) -> Option<String> {
    complaint_with(toy, config, weaken, 128, expected)
}

/// The same with fingerprints of so many bits.
pub fn complaint_with(
    toy: &Toy,
    config: &Config,
    weaken: Weaken,
    bits: u32,
    expected: Option<u64>,
) -> Option<String> {
    let (ends, failed) = truth(toy)?;
    let (seen, report) = run(toy, config, weaken, bits);
    if let StopReason::Limit(limit) = &report.stop {
        return (limit.detail != "400 executions").then(|| format!("{limit:?}"));
    }
    // Where threads stop at false assumptions and others are created, it may stay open whether one
    // waits for ever (`stuck.rs`): the verdict is unknown. All ends are explored nevertheless.
    let has = |is: fn(&ToyOp) -> bool| toy.threads.iter().flatten().any(is);
    let may_stay_open = has(|op| matches!(op, ToyOp::Assume(..))) && has(|op| matches!(op, ToyOp::Spawn(..)));
    let stays_open = |limit: &Limit| may_stay_open && limit.detail.contains("too many states follow");
    if !report.limits.iter().all(stays_open) {
        return Some(format!("{:?}", report.limits));
    }
    if seen.ends != ends {
        return Some(format!("ends {:?}, expected {:?}", seen.ends, ends));
    }
    if asserts(&report) != failed {
        return Some(format!("assertions {:?}, expected {failed:?}", asserts(&report)));
    }
    let redundant = report.statistics.redundant_executions;
    // Where inputs are at odds shows only when what they lead to is executed.
    if config.partial == Partial::All && redundant > 0 && !toy.shares {
        return Some(format!(
            "{redundant} redundant executions of an optimal exploration"
        ));
    }
    if let Some(traces) = expected.filter(|_| !config.cutoffs)
        && report.statistics.executions != traces
    {
        return Some(format!(
            "{} executions of {traces} traces",
            report.statistics.executions
        ));
    }
    None
}

/// Each answer to what can be asked, but for the order.
pub fn configurations() -> Vec<Config> {
    let mut all = Vec::new();
    for partial in [Partial::Last(1), Partial::All] {
        for cutoffs in [false, true] {
            all.push(Config {
                partial,
                cutoffs,
                max_executions: Some(400),
                ..never()
            });
        }
    }
    all
}

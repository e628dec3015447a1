//! What the tests of strategies share: a collector of what an exploration of a toy comes to.
#![allow(dead_code, missing_docs, reason = "each test uses a part of it")]

pub mod ends;
pub mod events;

use selvedge_explore::dpor::{self, Weaken};
use selvedge_explore::{Config, Control, Report, Stop};
use selvedge_model::reference::{Form, Trace, ends};
use selvedge_model::toy::{Toy, ToyEnd, ToyMachine};
use selvedge_model::{Conflict, Dependence, Detector, Event, Fault, StopReason};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Mutex;

/// What executions came to: ends, and traces with how often each was finished.
#[derive(Default, PartialEq, Eq, Debug)]
pub struct Seen {
    pub ends: BTreeSet<ToyEnd>,
    pub traces: BTreeMap<Form, u32>,
}

/// Keeps the trace beside the machine.
pub struct Collector<'a> {
    pub seen: &'a Mutex<Seen>,
    pub trace: Option<Trace>,
    pub length: usize,
}

impl Detector<ToyMachine> for Collector<'_> {
    type Mark = usize;

    fn mark(&mut self) -> usize {
        self.length
    }

    fn undo(&mut self, mark: usize) {
        self.length = mark;
        if let Some(trace) = &mut self.trace {
            trace.truncate(mark);
        }
    }

    fn event(&mut self, machine: &ToyMachine, event: &Event, _: &mut Vec<Fault>) {
        self.length += 1;
        if let Some(trace) = &mut self.trace {
            trace.push(machine, event, |a, b| Conflict.dependent(a, b));
        }
    }

    fn end(&mut self, machine: &ToyMachine, _: &mut Vec<Fault>) {
        let mut seen = self.seen.lock().expect("no panic");
        seen.ends.insert(machine.end());
        if let Some(trace) = &self.trace {
            *seen.traces.entry(trace.form()).or_default() += 1;
        }
    }
}

/// Toys with more executions are left out.
const MOST: u64 = 400;

pub fn never() -> Config {
    Config {
        stop: Stop::Never,
        ..Config::default()
    }
}

pub fn run<P: Dependence + Sync>(
    toy: &Toy,
    traces: bool,
    relation: &P,
    config: &Config,
    weaken: Weaken,
) -> (Seen, Report) {
    let seen = Mutex::new(Seen::default());
    let make = || {
        let machine = ToyMachine::new(toy).expect("a toy that compiles");
        (
            machine.with_known_inputs(),
            Collector {
                seen: &seen,
                trace: traces.then(match config.values_only {
                    true => Trace::of_values,
                    false => Trace::new,
                }),
                length: 0,
            },
        )
    };
    let report = dpor::explore_weakened(&make, relation, config, &Control::new(), weaken);
    (seen.into_inner().expect("no panic"), report)
}

/// The noted assertions of a report, as (thread, position).
pub fn asserts(report: &Report) -> BTreeSet<(u32, u32)> {
    report
        .faults
        .iter()
        .map(|f| (f.fault.stmt.0 >> 16, f.fault.stmt.0 & 0xffff))
        .collect()
}

/// Ends and failed assertions.
pub type Truth = (BTreeSet<ToyEnd>, BTreeSet<(u32, u32)>);

/// What brute force finds; none if there is too much.
pub fn truth(toy: &Toy) -> Option<Truth> {
    let found = ends(&mut ToyMachine::new(toy).ok()?, 3_000).ok()?;
    let asserts = found
        .asserts
        .iter()
        .map(|(t, position)| (u32::from(t.0), *position))
        .collect();
    Some((found.ends, asserts))
}

/// What is wrong with an exploration of the toy, if anything.
pub fn complaint<P: Dependence + Sync>(
    toy: &Toy,
    relation: &P,
    sleep_sets: bool,
    weaken: Weaken,
) -> Option<String> {
    let (ends, failed) = truth(toy)?;
    let config = Config {
        sleep_sets,
        max_executions: Some(MOST),
        values_only: true,
        ..never()
    };
    let (seen, report) = run(toy, false, relation, &config, weaken);
    if matches!(report.stop, StopReason::Limit(_)) {
        return None; // too many executions for a test, above all without sleep sets
    }
    if seen.ends != ends {
        return Some(format!("ends {:?}, expected {:?}", seen.ends, ends));
    }
    if asserts(&report) != failed {
        return Some(format!("assertions {:?}, expected {failed:?}", asserts(&report)));
    }
    None
}

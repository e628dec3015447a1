//! `stateful` against brute force: ends, failed assertions, threads that wait for ever, races.

use crate::common::{Collector, Seen, asserts, never, truth};
use selvedge_base::ThreadId;
use selvedge_base::usual_or_long;
use selvedge_detect::RaceDetector;
use selvedge_explore::stateful::{self, Weaken};
use selvedge_explore::{Config, Control, Report, dpor};
use selvedge_model::reference::{Inspect, stuck};
use selvedge_model::toy::{
    Toy, ToyMachine, endless, endless_input_toy, forgetting_toy, input_toy, mixed_toy, ordered_toy,
    random_toy, set_up_toy, shrink, waking_toy, with_touches,
};
use selvedge_model::{Detector, Event, Fault, FaultKind, Machine, Status, StopReason};
use std::collections::BTreeSet;
use std::sync::Mutex;

/// More steps are too many for a test.
const MOST: u64 = 3_000;

#[derive(PartialEq, Eq, Debug)]
enum Result {
    /// As it should be; whether there was something to see.
    Same(bool),
    TooLarge,
    Wrong(String),
}

fn machine(toy: &Toy) -> ToyMachine {
    ToyMachine::new(toy).expect("a toy that compiles")
}

fn is_whole(report: &Report) -> bool {
    !matches!(report.stop, StopReason::Limit(_)) && report.limits.is_empty()
}

fn config() -> Config {
    Config {
        max_executions: Some(MOST),
        ..never()
    }
}

/// Ends and failed assertions, with a store that keeps `most` states.
fn of_ends(toy: &Toy, weaken: Weaken, most: Option<usize>) -> Result {
    let Some((ends, failed)) = truth(toy) else {
        return Result::TooLarge;
    };
    let seen = Mutex::new(Seen::default());
    let make = || {
        let collector = Collector {
            seen: &seen,
            trace: None,
            length: 0,
        };
        (machine(toy), collector)
    };
    let report = stateful::explore_weakened(&make, &config(), &Control::new(), weaken, most);
    if !is_whole(&report) {
        return Result::TooLarge;
    }
    let seen = seen.into_inner().expect("no panic");
    if seen.ends != ends {
        Result::Wrong(format!("ends {:?}, expected {ends:?}", seen.ends))
    } else if asserts(&report) != failed {
        Result::Wrong(format!("assertions {:?}, expected {failed:?}", asserts(&report)))
    } else {
        Result::Same(report.statistics.forgotten_states > 0 || most.is_none() && !failed.is_empty())
    }
}

/// Notes who is stuck.
struct Notes<'a>(&'a Mutex<BTreeSet<u32>>);

impl Detector<ToyMachine> for Notes<'_> {
    type Mark = ();
    fn mark(&mut self) {}
    fn undo(&mut self, (): ()) {}
    fn event(&mut self, _: &ToyMachine, _: &Event, _: &mut Vec<Fault>) {}
    fn end(&mut self, _: &ToyMachine, _: &mut Vec<Fault>) {}
    fn stuck(&mut self, machine: &ToyMachine, thread: ThreadId, _: &mut Vec<Fault>) {
        // A cycle counts also where a thread has stopped, which the reference leaves out.
        if machine.pending().iter().all(|p| p.status != Status::Parked) {
            self.0.lock().expect("no panic").insert(machine.name(thread));
        }
    }
}

fn of_stuck(toy: &Toy, weaken: Weaken) -> Result {
    let Ok(expected) = stuck(&mut machine(toy), 3_000) else {
        return Result::TooLarge;
    };
    let seen = Mutex::new(BTreeSet::new());
    let make = || (machine(toy), Notes(&seen));
    let report = stateful::explore_weakened(&make, &config(), &Control::new(), weaken, None);
    if !is_whole(&report) {
        return Result::TooLarge;
    }
    let seen = seen.into_inner().expect("no panic");
    match seen == expected {
        true => Result::Same(!seen.is_empty()),
        false => Result::Wrong(format!("stuck {seen:?}, expected {expected:?}")),
    }
}

/// Whether there are races: as `dpor` says, which keeps no states.
fn of_races(toy: &Toy, weaken: Weaken) -> Result {
    let make = || (machine(toy), RaceDetector::new());
    let few = Config {
        max_executions: Some(400),
        ..never()
    };
    let without = dpor::explore(
        &|| (machine(toy).with_known_inputs(), RaceDetector::new()),
        &few,
        &Control::new(),
    );
    let found = stateful::explore_weakened(&make, &config(), &Control::new(), weaken, None);
    if !is_whole(&found) || !is_whole(&without) {
        return Result::TooLarge;
    }
    let races = |report: &Report| {
        let mut faults = report.faults.iter();
        faults.any(|found| found.fault.kind == FaultKind::DataRace)
    };
    match (races(&without), races(&found)) {
        (there, seen) if there == seen => Result::Same(there),
        differ => Result::Wrong(format!("race {differ:?}")),
    }
}

/// How many toys are small enough, and in how many of these there is something to see.
fn hold(toys: impl Iterator<Item = (String, Toy)>, result: impl Fn(&Toy) -> Result) -> (usize, usize) {
    let (mut same, mut some) = (0, 0);
    for (name, toy) in toys {
        match result(&toy) {
            Result::Same(seen) => (same, some) = (same + 1, some + usize::from(seen)),
            Result::TooLarge => {}
            Result::Wrong(what) => {
                let wrong =
                    |toy: &Toy| ToyMachine::new(toy).is_ok() && matches!(result(toy), Result::Wrong(_));
                let small = shrink(&toy, wrong);
                panic!(
                    "{name}: {what}\nsmallest: {}\n{:?}",
                    small.to_json(),
                    result(&small)
                );
            }
        }
    }
    println!("{same} toys, {some} with something to see");
    (same, some)
}

fn toys(count: u64) -> impl Iterator<Item = (String, Toy)> {
    (0..count).flat_map(|seed| {
        let toys = [
            ("random", random_toy(seed)),
            ("endless random", endless(random_toy(seed), seed)),
            ("mixed", mixed_toy(seed)),
            ("endless mixed", endless(mixed_toy(seed), seed)),
            ("waking", waking_toy(seed)),
            ("input", input_toy(seed)),
            ("endless input", endless_input_toy(seed)),
        ];
        toys.map(|(name, toy)| (format!("{name} seed {seed}"), toy))
    })
}

#[test]
fn toys_have_the_ends_and_assertions_of_brute_force() {
    let (same, some) = hold(toys(usual_or_long(150, 1_500)), |toy| {
        of_ends(toy, Weaken::Nothing, None)
    });
    assert!(same > 450 && some > 25, "{same}, {some}");
}

#[test]
fn steps_lead_where_it_was_foreseen() {
    let (same, _) = hold(toys(usual_or_long(100, 500)), |toy| {
        of_ends(toy, Weaken::Foreseen, None)
    });
    assert!(same > 280, "{same}");
}

#[test]
fn a_store_that_forgets_loses_nothing() {
    let (same, some) = hold(toys(usual_or_long(75, 300)), |toy| {
        of_ends(toy, Weaken::Nothing, Some(8))
    });
    assert!(same > 110 && some > 20, "{same}, {some}");
}

#[test]
fn toys_have_the_stuck_threads_of_brute_force() {
    let (same, some) = hold(toys(usual_or_long(110, 500)), |toy| {
        of_stuck(toy, Weaken::Nothing)
    });
    assert!(same > 330 && some > 18, "{same}, {some}");
}

fn racing_toys(count: u64) -> impl Iterator<Item = (String, Toy)> {
    (0..count).flat_map(|seed| {
        let toys = [
            ("mixed", with_touches(mixed_toy(seed), seed)),
            // Made of mixed toys: detectors need the numbers of threads.
            ("input", with_touches(input_toy(seed | 2), seed)),
            ("ordered", ordered_toy(seed)),
            ("forgetting", forgetting_toy(seed)),
            ("set up", set_up_toy(seed)),
        ];
        toys.map(|(name, toy)| (format!("{name} seed {seed}"), toy))
    })
}

#[test]
fn no_race_is_lost() {
    let (same, some) = hold(racing_toys(usual_or_long(500, 3_000)), |toy| {
        of_races(toy, Weaken::Nothing)
    });
    assert!(some > 110 && same - some > 45, "{same}, {some}");
}

/// An oracle counts only once it was seen to fail.
#[test]
fn mistakes_are_noticed() {
    let wrong = |result: Result| matches!(result, Result::Wrong(_));
    let ends = |weaken| toys(1_500).any(|(_, toy)| wrong(of_ends(&toy, weaken, None)));
    let stuck = |weaken| toys(500).any(|(_, toy)| wrong(of_stuck(&toy, weaken)));
    assert!(ends(Weaken::Proviso));
    assert!(stuck(Weaken::Stuck));
    assert!(ends(Weaken::Commuting));
    assert!(stuck(Weaken::Circle));
    let mut forgetting = (0..3_000).map(forgetting_toy);
    assert!(forgetting.any(|toy| wrong(of_races(&toy, Weaken::Synchronised))));
    let mut set_up = (0..3_000).map(set_up_toy);
    assert!(set_up.any(|toy| wrong(of_races(&toy, Weaken::SetUps))));
}

/// The first thread's access is known to the second one if that has read after the first one's
/// write; both orders of these two lead to one state, and then a try fails, which orders nothing.
#[test]
fn what_is_no_synchronisation_is_seen() {
    let toy = r#"{"vars": {"x": 0}, "threads": [[["yield"], ["touch", "u", 1], ["write", "x", 1], ["lock", "m"]],
        [["read", "x", "r"], ["set", "r", 0], ["trylock", "m", "r"], ["if", "r", 1, 1], ["touch", "u", 1]]]}"#;
    let toy = Toy::parse(toy).expect("a toy");
    assert_eq!(of_races(&toy, Weaken::Nothing), Result::Same(true));
    for weaken in [Weaken::Synchronised, Weaken::Memory] {
        assert!(matches!(of_races(&toy, weaken), Result::Wrong(_)), "{weaken:?}");
    }
}

/// The second thread touches `u` only if it reads before the first one writes, and then forgets
/// that. The two states differ in nothing but what floats.
#[test]
fn what_floats_is_part_of_the_state() {
    let toy = r#"{"vars": {"x": 0, "y": 0}, "threads": [
        [["write", "x", 1], ["read", "y", "q"], ["touch", "u", 1]],
        [["read", "x", "r"], ["if", "r", 1, 1], ["touch", "u", 1], ["set", "r", 0], ["write", "y", 0]]]}"#;
    let toy = Toy::parse(toy).expect("a toy");
    assert_eq!(of_races(&toy, Weaken::Nothing), Result::Same(true));
    assert!(matches!(of_races(&toy, Weaken::Memory), Result::Wrong(_)));
}

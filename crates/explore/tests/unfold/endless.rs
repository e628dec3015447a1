//! `unfold` with cutoffs on toys that run for ever: the same ends and failed assertions as brute
//! force over states.

use crate::common::{Collector, Seen, asserts, never, truth};
use selvedge_base::usual_or_long;
use selvedge_explore::unfold::{self, Partial};
use selvedge_explore::{Config, Control};
use selvedge_model::StopReason;
use selvedge_model::toy::{Toy, ToyMachine, endless, endless_input_toy, mixed_toy, random_toy, shrink};
use std::sync::Mutex;

#[derive(PartialEq, Eq, Debug)]
enum Result {
    Same,
    /// Too many states, or executions.
    TooLarge,
    Wrong(String),
}

fn result(toy: &Toy, partial: Partial) -> Result {
    let Some((ends, failed)) = truth(toy) else {
        return Result::TooLarge;
    };
    let config = Config {
        partial,
        cutoffs: true,
        max_executions: Some(400),
        ..never()
    };
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
    let report = unfold::explore(&make, &config, &Control::new());
    if matches!(report.stop, StopReason::Limit(_)) || !report.limits.is_empty() {
        return Result::TooLarge;
    }
    let seen = seen.into_inner().expect("no panic");
    if seen.ends != ends {
        Result::Wrong(format!("ends {:?}, expected {ends:?}", seen.ends))
    } else if asserts(&report) != failed {
        Result::Wrong(format!("assertions {:?}, expected {failed:?}", asserts(&report)))
    } else {
        Result::Same
    }
}

fn hold(name: &str, toy: &Toy) -> usize {
    let mut same = 0;
    for partial in [Partial::Last(1), Partial::All] {
        let found = result(toy, partial);
        same += usize::from(found == Result::Same);
        if let Result::Wrong(what) = found {
            let wrong = |toy: &Toy| matches!(result(toy, partial), Result::Wrong(_));
            let small = shrink(toy, |toy| ToyMachine::new(toy).is_ok() && wrong(toy));
            panic!(
                "{name} ({partial:?}): {what}\nsmallest: {}\n{:?}",
                small.to_json(),
                result(&small, partial)
            );
        }
    }
    same
}

#[test]
fn what_never_waits_but_is_blocked_is_blocked_for_ever() {
    // Unlocking what one does not hold blocks.
    let toy = r#"{"threads": [[["unlock", "n"]], [["lock", "n"]]]}"#;
    assert_eq!(hold("unlock", &Toy::parse(toy).expect("a toy")), 2);
}

#[test]
fn where_every_alternative_of_a_choice_is_cut_off_others_go_on() {
    let toy = r#"{"sems": {"s": 1}, "vars": {"x": 0}, "threads": [
        [["write", "x", 1], ["lock", "m"], ["sem_wait", "s"], ["choose", 2, "q"], ["sem_post", "s"], ["unlock", "m"],
         ["goto", 1]],
        [["sem_trywait", "s", "r"]]]}"#;
    let found = result(&Toy::parse(toy).expect("a toy"), Partial::All);
    assert_eq!(found, Result::Same);
}

#[test]
fn endless_toys_have_the_ends_and_assertions_of_brute_force() {
    let mut same = 0;
    for seed in 0..usual_or_long(130, 1_500) {
        let toy = endless(random_toy(seed), seed);
        same += hold(&format!("seed {seed}"), &toy);
    }
    assert!(same > 80, "only {same} were small enough");
}

#[test]
fn endless_mixed_toys_have_the_ends_and_assertions_of_brute_force() {
    let mut same = 0;
    for seed in 0..usual_or_long(130, 1_500) {
        let toy = endless(mixed_toy(seed), seed);
        same += hold(&format!("mixed seed {seed}"), &toy);
    }
    assert!(same > 80, "only {same} were small enough");
}

#[test]
fn endless_toys_with_inputs_have_the_ends_and_assertions_of_brute_force() {
    let mut same = 0;
    for seed in 0..usual_or_long(280, 3_000) {
        same += hold(&format!("input seed {seed}"), &endless_input_toy(seed));
    }
    assert!(same > 170, "only {same} were small enough");
}

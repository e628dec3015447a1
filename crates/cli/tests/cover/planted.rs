//! Planted mistakes: sets, plans and runtimes that are wrong in one way, and native programs of
//! them. Each has to be noticed.

use super::PROGRAMS;
use super::support::{Place, followed};
use selvedge_cover::{Plan, State};
use selvedge_schedule::cover::{Operation, Order, Outcome};

/// The text of a program.
fn text_of(name: &str) -> &'static str {
    let found = PROGRAMS.into_iter().find(|program| program.0 == name);
    found.unwrap().1
}

/// Runs a program with a set that was changed until something is noticed: a deviation, or an order
/// that is none of the true set.
fn notices(name: &str, word: &str, change: impl Fn(&mut Order)) -> bool {
    let place = Place::new();
    let cover = place.cover_and_build(text_of(name));
    let mut changed = cover.clone();
    changed.schedules.iter_mut().for_each(change);
    assert_ne!(cover, changed, "{name}: nothing to change");
    place.write("changed", &changed.to_string());
    place.build("changed");
    (0..400).any(|seed| {
        let (ended, done) = place.native("program", word, seed);
        ended.code != Some(0) || followed(&cover, &done).is_none()
    })
}

#[test]
fn a_wakeup_that_does_not_wait_for_its_signal_is_noticed() {
    let forget = |order: &mut Order| {
        let steps = order.steps.iter_mut();
        steps
            .filter(|s| s.label.operation == Operation::Wake)
            .for_each(|s| s.after.clear());
    };
    assert!(notices("conditions", "4", forget));
}

#[test]
fn a_reader_that_does_not_wait_for_the_writer_is_noticed() {
    let forget = |order: &mut Order| {
        let steps = order.steps.iter_mut();
        steps
            .filter(|s| s.label.operation == Operation::ReadLock)
            .for_each(|s| s.after.clear());
    };
    assert!(notices("others", "w", forget));
}

#[test]
fn a_thread_that_leaves_a_barrier_too_early_is_noticed() {
    let forget = |order: &mut Order| {
        let steps = order.steps.iter_mut();
        steps
            .filter(|s| s.label.operation == Operation::Leave)
            .for_each(|s| s.after.clear());
    };
    assert!(notices("partners", "x", forget));
}

/// Runtimes with a mistake: who arrives at a barrier is counted where others may arrive, too; and
/// who leaves waits for one time less.
#[test]
fn a_mistake_in_counting_arrivals_is_noticed() {
    let early = "atomic_load(&meeting->complete.value) + 1";
    let changes = [
        ("partners", "arrivers[object] == size", "size"),
        ("barriers", early, &early[..early.len() - 4]),
    ];
    for (name, right, wrong) in changes {
        let place = Place::new();
        let cover = place.cover_and_build(text_of(name));
        let change = |runtime: String| {
            assert!(runtime.contains(right), "{right}");
            runtime.replace(right, wrong)
        };
        place.build_with(&cover, &Plan::of(&cover).unwrap(), change);
        let noticed = (0..400).any(|seed| {
            let (ended, done) = place.native("program", "x", seed);
            ended.code != Some(0) || followed(&cover, &done).is_none()
        });
        assert!(noticed, "{name}");
    }
}

#[test]
fn a_routine_that_should_not_run_is_noticed() {
    let forget = |order: &mut Order| {
        let steps = order.steps.iter_mut();
        steps
            .filter(|s| s.label.operation == Operation::Once)
            .for_each(|s| s.after.clear());
    };
    assert!(notices("others", "a", forget));
}

#[test]
fn a_time_out_that_is_none_is_noticed() {
    let no_time_out = |order: &mut Order| {
        let steps = order.steps.iter_mut();
        steps
            .filter(|s| s.label.operation == Operation::Wake)
            .for_each(|s| s.outcome = Outcome::Done);
    };
    assert!(notices("timed", "a", no_time_out));
}

/// Threads that take no notice of what others decide: each goes on as if the first case were
/// theirs.
#[test]
fn a_decision_that_is_not_asked_for_is_noticed() {
    for (name, words) in [("queue", ["0", "3"]), ("branch", ["a", "x"])] {
        let place = Place::new();
        let cover = place.cover_and_build(text_of(name));
        let mut plan = Plan::of(&cover).unwrap();
        let asks: Vec<usize> = (0..plan.states.len())
            .filter(|&at| matches!(plan.states[at], State::Ask(..)))
            .collect();
        assert!(!asks.is_empty(), "{name}: nobody asks");
        for at in asks {
            let State::Ask(_, _, cases) = &plan.states[at] else {
                unreachable!()
            };
            plan.states[at] = plan.states[cases[0].1].clone();
        }
        place.build_by(&cover, &plan);
        let noticed = words.iter().any(|word| {
            let (ended, done) = place.native("program", word, 1);
            ended.code != Some(0) || followed(&cover, &done).is_none()
        });
        assert!(noticed, "{name}");
    }
}

//! Threads that wait for ever beside others that run for ever: `unfold` with cutoffs against the
//! graph of all states.
//!
//! Beside the mistakes of `Weaken`, these were planted by hand in `src/stuck.rs` and
//! `stuck/fair.rs`:
//!
//! | mistake | seen to fail |
//! | --- | --- |
//! | a thread that goes on is asked no longer | the random toys |
//! | states where a thread has stopped count | the random toys |
//! | an end of the execution does not count | the random toys |
//! | a lock whose owner has ended is waited for like any other | `a_cycle_of_three_…` |
//! | each thread of a cycle is asked, or each that waits | the random toys |
//! | any circle of states is fair | the random toys |
//! | the end of the process does not count | `corpus/endless/safe/end_before_a_post.c` |
//! | who asks where a thread has stopped gets an answer | `post_behind_a_false_assumption.c`, there |
//!
//! Nobody notices yet: a cycle that cannot be broken is treated like any other wait; threads that
//! are created on the way to where one stops. What was reported on the way, and what is remembered
//! of states after which a thread stops, makes no difference: a finding is there already.

use selvedge_base::{ThreadId, usual_or_long};
use selvedge_explore::unfold::oracle::Weaken;
use selvedge_explore::unfold::{self, Partial};
use selvedge_explore::{Config, Control, Stop};
use selvedge_model::reference::{Inspect, stuck};
use selvedge_model::toy::{Toy, ToyMachine, endless, endless_input_toy, mixed_toy, random_toy, shrink};
use selvedge_model::{Detector, Event, Fault, Machine, Status, StopReason};
use std::collections::BTreeSet;
use std::sync::Mutex;

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

#[derive(PartialEq, Eq, Debug)]
enum Result {
    /// What both say.
    Same(BTreeSet<u32>),
    /// Too many states, or executions.
    TooLarge,
    Wrong(String),
}

fn result(toy: &Toy, partial: Partial, weaken: Weaken) -> Result {
    let machine = || ToyMachine::new(toy).expect("a toy that compiles");
    let Ok(expected) = stuck(&mut machine(), 3_000) else {
        return Result::TooLarge;
    };
    let config = Config {
        stop: Stop::Never,
        partial,
        max_executions: Some(400),
        ..Config::default()
    };
    let seen = Mutex::new(BTreeSet::new());
    let make = || (machine(), Notes(&seen));
    let (report, _) = unfold::explore_watched(&make, &config, &Control::new(), weaken);
    if matches!(report.stop, StopReason::Limit(_)) || !report.limits.is_empty() {
        return Result::TooLarge;
    }
    let seen = seen.into_inner().expect("no panic");
    if seen == expected {
        Result::Same(seen)
    } else {
        Result::Wrong(format!("stuck {seen:?}, expected {expected:?}"))
    }
}

/// Who is stuck, if that can be told.
fn hold(name: &str, toy: &Toy) -> Option<BTreeSet<u32>> {
    let mut all = None;
    for partial in [Partial::Last(1), Partial::All] {
        match result(toy, partial, Weaken::Nothing) {
            Result::Same(found) => all = Some(found),
            Result::TooLarge => {}
            Result::Wrong(what) => {
                let wrong = |toy: &Toy| matches!(result(toy, partial, Weaken::Nothing), Result::Wrong(_));
                let small = shrink(toy, |toy| ToyMachine::new(toy).is_ok() && wrong(toy));
                panic!(
                    "{name} ({partial:?}): {what}\nsmallest: {}\n{:?}",
                    small.to_json(),
                    result(&small, partial, Weaken::Nothing)
                );
            }
        }
    }
    all
}

fn toys(count: u64) -> impl Iterator<Item = (String, Toy)> {
    let random = (0..count).map(|seed| (format!("seed {seed}"), endless(random_toy(seed), seed)));
    let mixed = (0..count).map(|seed| (format!("mixed seed {seed}"), endless(mixed_toy(seed), seed)));
    let inputs = (0..count).map(|seed| (format!("input seed {seed}"), endless_input_toy(seed)));
    random.chain(mixed).chain(inputs)
}

#[test]
fn endless_toys_have_the_stuck_threads_of_brute_force() {
    let (mut same, mut some) = (0, 0);
    let count = usual_or_long(60, 600);
    for (name, toy) in toys(count) {
        if let Some(found) = hold(&name, &toy) {
            same += 1;
            some += u64::from(!found.is_empty());
        }
    }
    println!("{same} toys, in {some} of which threads are stuck");
    assert!(same >= count, "only {same} were small enough");
    assert!(some > count / 12, "only {some} had stuck threads");
}

/// Begins a thread that goes on only if four choices of ten come out right, as they hardly ever do
/// in a random walk.
fn lock() -> String {
    let digit = |i: usize| {
        format!(
            r#"["choose", 10, "d"], ["if", "d", 7, 1], ["goto", 0]{}"#,
            ["", ","][usize::from(i < 3)]
        )
    };
    (0..4).map(digit).collect()
}

/// Begins a thread that goes on only if ten values that another one writes come in the right order,
/// as they hardly ever do in a random walk. Nothing of it is local.
fn combination() -> String {
    let value = |i: usize| format!(r#"["read", "y", "r"], ["if", "r", {}, 1], ["goto", 0]"#, i % 2);
    (0..10).map(value).collect::<Vec<_>>().join(", ")
}

/// A mistake, and a toy that shows it: in none of them anybody is stuck.
fn mistakes() -> Vec<(Weaken, String)> {
    let vars = r#""vars": {"x": 0, "y": 0}, "sems": {"s": 0}"#;
    let waiter = r#"[["sem_wait", "s"]]"#;
    let (rare, combination) = (lock(), combination());
    vec![
        // The one that yields comes back to the same state at once: the other one posts some time.
        (
            Weaken::Proviso,
            format!(
                r#"{{{vars}, "threads": [{waiter}, [["yield"], ["goto", 0]],
                [["write", "y", 1], ["write", "y", 0], ["write", "y", 2], ["goto", 0]], [{combination}, ["sem_post", "s"]]]}}"#
            ),
        ),
        // Between the write to `y` and its false assumption, a thread gives way to the one that
        // posts.
        (
            Weaken::StopProviso,
            format!(
                r#"{{{vars}, "threads": [{waiter},
                [["read", "x", "r"], ["if", "r", 1, 1], ["goto", 0], ["write", "y", 1], ["yield"], ["assume", "r", 0]],
                [["read", "y", "r"], ["if", "r", 1, 1], ["goto", 0], ["sem_post", "s"]],
                [{rare}, ["write", "x", 1]]]}}"#
            ),
        ),
        // Whoever gets the semaphore, the second thread stops some time: nothing goes on for ever
        // but what leaves it out.
        (
            Weaken::Fair,
            r#"{"vars": {"x": 0, "y": 0}, "sems": {"s": 1}, "threads": [[["write", "x", 1], ["sem_wait", "s"]],
                [["read", "x", "r"], ["assume", "r", 0], ["write", "y", 1], ["goto", 0]], [["sem_wait", "s"]]]}"#
                .to_owned(),
        ),
    ]
}

/// An oracle counts only once it was seen to fail.
#[test]
fn mistakes_are_noticed() {
    let wrong = |toy: &Toy, weaken| matches!(result(toy, Partial::Last(1), weaken), Result::Wrong(_));
    assert!(toys(600).any(|(_, toy)| wrong(&toy, Weaken::Stuck)));
    for (weaken, toy) in mistakes() {
        let toy = Toy::parse(&toy).unwrap_or_else(|e| panic!("{e}: {toy}"));
        assert_eq!(hold("lock", &toy), Some(BTreeSet::new()), "{weaken:?}");
        assert!(wrong(&toy, weaken), "{weaken:?}");
    }
}

#[test]
fn a_cycle_of_three_beside_a_thread_that_runs_for_ever() {
    let toy = r#"{"vars": {"x": 0}, "threads": [
        [["lock", "a"], ["lock", "b"]], [["lock", "b"], ["lock", "c"]], [["lock", "c"], ["lock", "a"]],
        [["write", "x", 1], ["goto", 0]]]}"#;
    let found = hold("cycle", &Toy::parse(toy).expect("a toy"));
    assert!(found.expect("it is small").contains(&0));
}

#[test]
fn waiting_for_a_thread_that_runs_for_ever_is_no_deadlock() {
    let toy = r#"{"vars": {"x": 0}, "threads": [
        [["lock", "a"], ["write", "x", 1], ["goto", 1]], [["lock", "a"]], [["join", 0]]]}"#;
    assert_eq!(
        hold("join", &Toy::parse(toy).expect("a toy")),
        Some(BTreeSet::new())
    );
}

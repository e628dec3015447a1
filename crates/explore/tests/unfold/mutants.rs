//! An oracle counts only once it was seen to fail: each part of `unfold` is left out in turn, and
//! some random toy has to notice. `--nocapture` prints by what.

use crate::common::{ends, events, never};
use selvedge_explore::unfold::Partial;
use selvedge_explore::unfold::oracle::Weaken;
use selvedge_explore::{Config, Order};
use selvedge_model::OpClass;
use selvedge_model::toy::{Toy, input_toy, mixed_toy, random_toy};

/// Toys that noticed a mistake that few notice: they are tried first.
const NOTICING: [u64; 8] = [117, 118, 205, 259, 968, 1_227, 1_249, 3_400];

/// Toys, with their numbers.
fn toys() -> impl Iterator<Item = (usize, Toy)> {
    NOTICING.into_iter().chain(0..4_000).map(|number| {
        let toy = match number % 4 {
            0 | 2 => random_toy(30_000 + number),
            1 => mixed_toy(30_000 + number),
            _ => input_toy(30_000 + number),
        };
        (number as usize, toy)
    })
}

/// Who notices a mistake first: the events that are known, or the ends.
fn noticed_by(weaken: Weaken) -> Option<String> {
    let (for_events, for_ends) = (events::configurations(), ends::configurations());
    toys().find_map(|(at, toy)| {
        let config = &for_ends[at / 2 % for_ends.len()];
        if let Some(what) = ends::complaint(&toy, config, weaken, None) {
            return Some(format!("toy {at}: {what}"));
        }
        let config = &for_events[at / 2 % for_events.len()];
        let what = events::complaint(&toy, config, weaken).err()?;
        Some(format!("toy {at}: {what}"))
    })
}

fn all_are_noticed(all: impl IntoIterator<Item = Weaken>) {
    let mut unnoticed = Vec::new();
    for weaken in all {
        match noticed_by(weaken) {
            Some(by) => println!("{weaken:?}: {by}"),
            None => unnoticed.push(weaken),
        }
    }
    assert_eq!(unnoticed, []);
}

#[test]
fn every_scheme_left_out_is_noticed() {
    use OpClass::*;
    let classes = [
        Read,
        Write,
        Acquire,
        Release,
        Try,
        AcquireShared,
        ReleaseShared,
        Wait,
        Notified,
        Notify,
        Arrive,
        Leave,
        Post,
        Take,
        Value,
        Join,
        Exit,
        Cancel,
        Total,
        Local,
    ];
    all_are_noticed(classes.map(Weaken::Class));
}

#[test]
fn every_omission_in_extensions_is_noticed() {
    use Weaken::*;
    all_are_noticed([
        OnlyEmpty, Blocked, Cut, Between, Completed, Again, Since, Beside, Timeouts, Cancelled, OneSided,
    ]);
}

#[test]
fn every_omission_in_the_search_is_noticed() {
    use Weaken::*;
    all_are_noticed([Disabled, Sweep, FirstCandidate, Together]);
}

/// Of two events with one state the one with the smaller past goes on, in whatever order they are
/// found: else each of several could wait for what comes after another one. Few toys show that.
#[test]
fn cutting_off_whatever_comes_later_is_noticed() {
    let toys = [
        r#"{"vars": {"x": 0}, "threads": [[["write", "x", 2], ["wrlock", "w"]], [["write", "x", "q"], ["add", "x", 1, "r"], ["rdlock", "w"]],
            [["rdlock", "w"], ["rwunlock", "w"], ["read", "x", "r"], ["goto", 0]]]}"#,
        r#"{"threads": [[["cond_init", "c"], ["destroy", "m", "q"], ["lock", "n"]],
            [["cancel", 0, "k"], ["lock", "m"], ["signal", "c"], ["unlock", "m"], ["lock", "n"], ["unlock", "n"], ["goto", 0]]]}"#,
        r#"{"sems": {"s": 0}, "threads": [[["destroy", "m", "r"]], [["lock", "m"]],
            [["lock", "m"], ["unlock", "m"], ["sem_init", "s", 1], ["lock", "m"], ["timedwait", "c", "m", "q"], ["unlock", "m"], ["goto", 0]]]}"#,
        r#"{"vars": {"x": 0, "y": 0}, "threads": [[["read", "x", "r"], ["write", "y", "q"]],
            [["cancel", 2, "k"], ["add", "y", 1, "r"], ["cancel", 2, "k"], ["set", "r", 2], ["write", "x", "r"]],
            [["add", "y", 1], ["testcancel"]]]}"#,
    ];
    let mut noticed = 0;
    for toy in toys {
        let toy = Toy::parse(toy).expect("a toy");
        for partial in [Partial::Last(1), Partial::All] {
            for order in [
                Order::DepthFirst,
                Order::BreadthFirst,
                Order::Random,
                Order::Coverage,
            ] {
                let config = Config {
                    partial,
                    order,
                    ..never()
                };
                assert_eq!(ends::complaint(&toy, &config, Weaken::Nothing, None), None);
                noticed += usize::from(ends::complaint(&toy, &config, Weaken::AnyState, None).is_some());
            }
        }
    }
    assert!(noticed > 0);
}

/// Where different states have one fingerprint, ends are lost that are there without cutoffs.
#[test]
fn a_weak_fingerprint_is_noticed() {
    let config = |cutoffs| Config {
        cutoffs,
        max_executions: Some(400),
        ..never()
    };
    let mut lost = [0; 3];
    for seed in 0..300 {
        let toy = random_toy(seed);
        let complaint =
            |cutoffs, bits| ends::complaint_with(&toy, &config(cutoffs), Weaken::Nothing, bits, None);
        assert_eq!(complaint(false, 4), None, "seed {seed}, without cutoffs");
        for (lost, bits) in lost.iter_mut().zip([4, 8, 128]) {
            *lost += u32::from(complaint(true, bits).is_some());
        }
    }
    println!("{lost:?}");
    assert!(lost[0] > lost[1] && lost[1] > 0, "{lost:?}");
    assert_eq!(lost[2], 0, "128 bits");
}

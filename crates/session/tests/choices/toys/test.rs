//! What each visibility finds in random toys is what all schedules and inputs make: the assertions
//! that fail, deadlocks, and the ends.
//!
//! `SELVEDGE_TOYS=FROM..TO` runs other seeds; `SELVEDGE_TOYS_KEEP=1` goes on after a failure.

use super::every::Outcomes;
use super::{Op, Toy, emitted};
use crate::compared;
use selvedge_explore::Stop;
use selvedge_model::Property;
use selvedge_session::{Options, Strategy, Symmetry, Unobserved, Visibility, check};
use std::collections::BTreeSet;
use std::panic::catch_unwind;

/// Toys with more states than this are left out.
const MAX_STATES: usize = 40_000;
/// So many ends of a toy are told apart.
const MAX_ENDS: usize = 10;

#[derive(Default, Debug)]
struct Counts {
    compared: u32,
    too_large: u32,
    fail: u32,
    deadlock: u32,
    several_ends: u32,
    /// Thread choices that are made with each visibility.
    choices: [u64; 4],
}

#[derive(PartialEq, Eq, Debug)]
struct Found {
    lines: BTreeSet<usize>,
    deadlock: bool,
    /// Some threads can wait for ever, all of them or not.
    stuck: bool,
}

fn found(path: &std::path::Path, options: &Options) -> Result<(Found, u64), String> {
    let program = options
        .setup
        .load()
        .map_err(|e| format!("{}: {e}", path.display()))?;
    let report = check(&program, options, &Unobserved)
        .map_err(|e| e.to_string())?
        .report;
    if !report.reasons.is_empty() {
        return Err(format!("{:?}", report.reasons));
    }
    let mut found = Found {
        lines: BTreeSet::new(),
        deadlock: false,
        stuck: false,
    };
    for finding in &report.findings {
        match finding.finding.kind.name() {
            "assertion" => {
                found.lines.insert(finding.finding.location.line as usize);
            }
            "deadlock" => (found.deadlock, found.stuck) = (true, true),
            "deadlock.partial" => found.stuck = true,
            other => return Err(format!("{other} is found")),
        }
    }
    Ok((found, report.statistics.thread_choices))
}

fn compare(seed: u64, counts: &mut Counts) -> Result<(), String> {
    let toy = Toy::random(seed);
    let Some(outcomes) = Outcomes::of(&toy, MAX_STATES) else {
        counts.too_large += 1;
        return Ok(());
    };
    let ends: Vec<_> = outcomes.ends.iter().copied().take(MAX_ENDS).collect();
    let path = compared::written("toys", &format!("{seed}.ll"), &toy.emit(&ends));
    let mut expected = Found {
        lines: (0..ends.len()).map(|end| emitted::ENDS + end).collect(),
        deadlock: outcomes.deadlock,
        stuck: outcomes.circle,
    };
    for &(thread, at) in &outcomes.failing {
        expected.lines.insert(emitted::line(thread, at));
    }
    if outcomes.ends.len() > ends.len() {
        expected.lines.insert(emitted::OTHER);
    }
    let visibilities = [
        Visibility::Memory,
        Visibility::Reachable,
        Visibility::Fields,
        Visibility::Hybrid,
    ];
    for (number, visibility) in visibilities.into_iter().enumerate() {
        let options = Options {
            strategy: Some(Strategy::Stateful),
            visibility,
            counts_choices: true,
            stop: Stop::Never,
            symmetry: Symmetry::Off,
            setup: compared::setup(&path),
            properties: [Property::Assertion, Property::Deadlock, Property::Deref].into(),
            ..Options::default()
        };
        let run = || found(&path, &options);
        let (found, choices) = catch_unwind(run)
            .unwrap_or_else(|_| Err("a panic".to_owned()))
            .map_err(|e| format!("{}: {e}", visibility.word()))?;
        if found != expected {
            return Err(format!(
                "{}: {found:?} instead of {expected:?}",
                visibility.word()
            ));
        }
        counts.choices[number] += choices;
    }
    let _ = std::fs::remove_file(&path);
    counts.compared += 1;
    counts.fail += u32::from(!outcomes.failing.is_empty());
    counts.deadlock += u32::from(outcomes.deadlock);
    counts.several_ends += u32::from(outcomes.ends.len() > 1);
    Ok(())
}

#[test]
fn toys_come_to_the_same_ends_with_few_choices() {
    let most = if std::env::var_os("SELVEDGE_LONG").is_some() {
        20_000
    } else {
        100
    };
    let counts: Counts = compared::all("SELVEDGE_TOYS", 0..most, compare);
    if compared::chosen("SELVEDGE_TOYS").is_none() {
        assert!(
            counts.fail > 2 && counts.deadlock > 2 && counts.several_ends > 20,
            "{counts:?}"
        );
        let [all, reachable, fields, hybrid] = counts.choices;
        assert!(hybrid < fields && fields < reachable && reachable <= all);
    }
}

/// The enumerator knows a lost update, an assertion of one schedule only, and a lock that is taken
/// twice.
#[test]
fn the_enumerator_knows_small_toys() {
    use super::{INDEX, Number, Place, VALUE};
    let add = vec![
        Op::Load(VALUE, Place::Scalar),
        Op::Store(Place::Scalar, Number::Plus(VALUE, 1)),
    ];
    let main = vec![Op::Create(1), Op::Create(2), Op::Join(1), Op::Join(2)];
    let toy = |first: Vec<Op>, second: Vec<Op>| Toy {
        threads: vec![main.clone(), first, second],
    };
    let lost = Outcomes::of(&toy(add.clone(), add.clone()), 1_000).unwrap();
    let scalars: Vec<u8> = lost.ends.iter().map(|end| end[14]).collect();
    assert_eq!(scalars, [1, 2]);
    let lock = |body: &[Op]| {
        let mut ops = vec![Op::Lock(INDEX)];
        ops.extend(body);
        ops.push(Op::Unlock(INDEX));
        ops
    };
    let kept = Outcomes::of(&toy(lock(&add), lock(&add)), 1_000).unwrap();
    assert_eq!(kept.ends.len(), 1);
    assert!(!kept.deadlock);
    let twice = Outcomes::of(&toy(lock(&lock(&add)), add.clone()), 1_000).unwrap();
    assert!(twice.deadlock && twice.ends.is_empty());
    let mut sees = add;
    sees.push(Op::Load(VALUE, Place::Scalar));
    sees.push(Op::Assert(VALUE, 2));
    let failing = Outcomes::of(
        &toy(sees, vec![Op::Store(Place::Scalar, Number::Constant(2))]),
        1_000,
    );
    assert_eq!(failing.unwrap().failing.into_iter().collect::<Vec<_>>(), [(1, 3)]);
}

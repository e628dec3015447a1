//! Predicate dependence against conflict dependence, on random C programs: the same assertions
//! fail, and deadlocks are found or not, whatever was left out.
//!
//! `SELVEDGE_PREDICATE=FROM..TO` runs other seeds; `SELVEDGE_PREDICATE_KEEP=1` goes on after a
//! failure and shows all of them.

mod cases;
#[path = "../compared/mod.rs"]
mod compared;
mod generate;
mod hidden;
mod observers;
mod order;
mod sections;

use compared::{Seen, setup};
use selvedge_explore::Stop;
use selvedge_frontend::Loaded;
use selvedge_model::{Property, Verdict};
use selvedge_session::{Dependence, Options, Strategy, Unobserved, Visibility, check};
use std::collections::BTreeSet;
use std::ops::Range;
use std::path::Path;

const SEEDS: Range<u64> = 0..130;

/// Explorations of more executions than this are left out.
const MAX_EXECUTIONS: u64 = 40_000;

/// Executions of more steps than this wait in a loop, and are cut off.
const MAX_EVENTS: u32 = 3_000;

#[derive(Default, Debug)]
struct Counts {
    programs: u32,
    too_large: u32,
    violated: u32,
    verified: u32,
    open: u32,
    /// Executions under conflict, and under predicate dependence.
    conflict: u64,
    predicate: u64,
    unfold: u64,
    fewer: u32,
    unfold_fewer: u32,
    not_sliced: u32,
    /// Explored by another strategy in the end, or under conflict dependence.
    not_unfolded: u32,
}

/// What a session says.
struct Explored {
    seen: Seen,
    executions: u64,
    /// A bound cut executions off.
    limited: bool,
    /// A fault about which nobody has asked ended executions.
    faulty: bool,
    by: String,
    strategy: String,
}

/// What a session says of a program; none if it is too large.
///
/// Misuse of mutexes is asked about in every second program: locks that can be no part of a
/// deadlock matter only there.
fn seen(
    path: &Path,
    program: &Loaded,
    dependence: Dependence,
    strategy: Strategy,
    misuse: bool,
) -> Option<Explored> {
    seen_with(path, program, (dependence, strategy, Also::Peek), misuse)
}

/// What `dpor` leaves out under predicate dependence, beside accesses.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Also {
    Nothing,
    /// Orders of sections.
    Peek,
    /// Orders of writes.
    Prune,
}

/// The same, with what is left out.
fn seen_with(
    path: &Path,
    program: &Loaded,
    (dependence, strategy, also): (Dependence, Strategy, Also),
    misuse: bool,
) -> Option<Explored> {
    let options = Options {
        properties: match misuse {
            true => [Property::Assertion, Property::Deadlock, Property::Pthread].into(),
            false => [Property::Assertion, Property::Deadlock].into(),
        },
        strategy: Some(strategy),
        dependence,
        visibility: match dependence {
            Dependence::Conflict => Visibility::Memory,
            _ => Visibility::Auto,
        },
        stop: Stop::Never,
        peek: also == Also::Peek,
        write_write_pruning: also == Also::Prune,
        jobs: Some(1),
        max_executions: Some(MAX_EXECUTIONS),
        max_events: Some(MAX_EVENTS),
        setup: setup(path),
        ..Options::default()
    };
    let report = check(program, &options, &Unobserved)
        .unwrap_or_else(|e| panic!("{}: {e}", path.display()))
        .report;
    let too_large = report
        .reasons
        .iter()
        .any(|reason| reason.detail.contains("executions"));
    (!too_large).then(|| Explored {
        seen: Seen::of(&report),
        executions: report.statistics.executions + report.statistics.redundant_executions,
        limited: report.reasons.iter().any(|reason| reason.limit.is_some()),
        faulty: report.reasons.iter().any(|reason| {
            reason
                .detail
                .contains("after a violation of a property that was not asked for")
        }),
        by: report.dependence.clone(),
        strategy: report.strategy.clone(),
    })
}

/// A random program under both relations.
fn compare(seed: u64, counts: &mut Counts) -> Result<(), String> {
    let misuse = seed.is_multiple_of(2);
    compare_text(&seed.to_string(), &generate::program(seed), misuse, counts)
}

/// A program under both relations.
fn compare_text(name: &str, text: &str, misuse: bool, counts: &mut Counts) -> Result<(), String> {
    let (path, program) = compared::load("predicate", name, text).unwrap_or_else(|e| panic!("{e}"));
    let Some(all) = seen(&path, &program, Dependence::Conflict, Strategy::Dpor, misuse) else {
        counts.too_large += 1;
        return Ok(());
    };
    let Some(few) = seen(&path, &program, Dependence::Predicate, Strategy::Dpor, misuse) else {
        return Err(format!("{name}: too large under predicate dependence only"));
    };
    let Some(events) = seen(&path, &program, Dependence::Predicate, Strategy::Unfold, misuse) else {
        return Err(format!("{name}: too large for unfold only"));
    };
    counts.programs += 1;
    counts.conflict += all.executions;
    counts.predicate += few.executions;
    counts.unfold += events.executions;
    counts.fewer += u32::from(few.executions < all.executions);
    counts.unfold_fewer += u32::from(events.executions < all.executions);
    counts.not_sliced += u32::from(few.by != "predicate");
    counts.not_unfolded +=
        u32::from(few.by == "predicate" && (&*events.by, &*events.strategy) != ("predicate", "unfold"));
    match all.seen.verdict {
        Verdict::Violated => counts.violated += 1,
        Verdict::Verified => counts.verified += 1,
        Verdict::Unknown => counts.open += 1,
    }
    agree(&path, "dpor", &all, &few)?;
    agree(&path, "unfold", &all, &events)?;
    let verified = [&few, &events]
        .iter()
        .any(|seen| seen.seen.verdict == Verdict::Verified);
    if all.seen.verdict == Verdict::Unknown && verified {
        return ends(&path, &program, misuse);
    }
    Ok(())
}

/// What `dpor` left open, and predicate dependence did not, must be no thread that waits in a loop
/// for ever: `stateful` looks for these.
fn ends(path: &Path, program: &Loaded, misuse: bool) -> Result<(), String> {
    let states = seen(path, program, Dependence::Conflict, Strategy::Stateful, misuse);
    match states {
        Some(states) if states.seen.verdict == Verdict::Violated => {
            Err(format!("{}: stateful: {:?}", path.display(), states.seen.found))
        }
        _ => Ok(()),
    }
}

/// Findings, each partial deadlock as a whole one. Beside a thread that was stopped by a fault
/// about which nobody has asked a deadlock is partial; in another order it is a whole one.
fn whole(found: &BTreeSet<(&'static str, u32)>) -> BTreeSet<(&'static str, u32)> {
    let kinds = found.iter().map(|&(kind, place)| match kind {
        "deadlock.partial" => ("deadlock", place),
        other => (other, place),
    });
    kinds.collect()
}

/// Whether a relation that leaves something out has missed nothing, or invented something.
fn agree(path: &Path, strategy: &str, all: &Explored, few: &Explored) -> Result<(), String> {
    let verdicts = (all.seen.verdict, few.seen.verdict);
    let found = (&all.seen.found, &few.seen.found);
    let same = match verdicts {
        (Verdict::Verified, Verdict::Verified) => true,
        // A loop that has no end ends a search that keeps no states before it is found.
        (Verdict::Violated, Verdict::Violated) => {
            found.0 == found.1
                || all.limited && found.0.is_subset(found.1)
                || all.faulty && whole(found.0) == whole(found.1)
        }
        // What did not matter may have been what left it open.
        (Verdict::Unknown, Verdict::Unknown | Verdict::Verified) => true,
        // A loop that has no end is one step if it does not matter.
        (Verdict::Unknown, Verdict::Violated) => all.limited,
        _ => false,
    };
    match same {
        true => Ok(()),
        false => Err(format!("{}: {strategy}: {verdicts:?} {found:?}", path.display())),
    }
}

#[test]
fn what_predicate_dependence_leaves_out_does_not_matter() {
    let counts = compared::all("SELVEDGE_PREDICATE", SEEDS, compare);
    let enough = counts.violated > 20 && counts.verified > 20 && counts.fewer > 15;
    // Where an event is another one when it is executed again, the slice was too small.
    let enough = enough && counts.not_unfolded == 0;
    assert!(
        compared::chosen("SELVEDGE_PREDICATE").is_some() || enough,
        "{counts:?}"
    );
}

#[test]
fn each_rule_of_the_slice_matters_in_a_small_program() {
    let (mut counts, mut wrong) = (Counts::default(), Vec::new());
    for case in cases::CASES {
        for (variant, misuse) in [(0, false), (1, false), (0, true), (1, true)] {
            let name = format!("{}-{variant}-{misuse}", case.name);
            let compared = compare_text(&name, &case.program(variant), misuse, &mut counts);
            wrong.extend(compared.err());
        }
    }
    println!("{counts:?}");
    assert!(wrong.is_empty(), "{wrong:#?}");
    // A program that nothing is found in, or that has no slice, would show nothing.
    let shown = counts.too_large == 0
        && (counts.not_sliced, counts.not_unfolded) == (0, 0)
        && counts.violated == counts.programs;
    assert!(shown, "{counts:?}");
}

/// The explored order leaves the loop at once, and another one never does.
#[test]
fn whether_a_loop_that_waits_ends_is_noticed_to_matter() {
    let text = "#include <pthread.h>\n#include <stdatomic.h>\nstatic atomic_int x;\n\
                static void *set(void *arg) { x = 1; return arg; }\n\
                int main(void) { pthread_t t; pthread_create(&t, 0, set, 0); while (x == 1); pthread_join(t, 0); }\n";
    let mut counts = Counts::default();
    for misuse in [false, true] {
        let compared = compare_text(&format!("waits-{misuse}"), text, misuse, &mut counts);
        assert_eq!(compared, Ok(()));
    }
    assert_eq!(counts.open, 2, "{counts:?}");
}

/// A program that makes an address in some way, under both relations; whether there was a slice in
/// the end.
fn compare_hidden(program: &hidden::Hidden, counts: &mut Counts) -> Result<bool, String> {
    let before = counts.not_sliced;
    compare_text(&program.name, &program.text, false, counts)?;
    Ok(counts.not_sliced == before)
}

#[test]
fn each_access_at_a_hidden_address_is_noticed() {
    let (mut counts, mut wrong) = (Counts::default(), Vec::new());
    for program in hidden::each_use(&["bits", "chosen_bits"]) {
        match compare_hidden(&program, &mut counts) {
            Ok(false) => {}
            other => wrong.push((program.name, other)),
        }
    }
    let shown = counts.violated == counts.programs;
    assert!(wrong.is_empty() && shown, "{counts:?} {wrong:#?}");
}

/// The usual ways to compute an address with numbers are followed, so that the exploration need
/// not begin again.
#[test]
fn each_way_to_make_an_address_is_followed_or_noticed() {
    let (mut counts, mut wrong) = (Counts::default(), Vec::new());
    for program in hidden::each_way() {
        match compare_hidden(&program, &mut counts) {
            Ok(sliced) if sliced || !program.followed => {}
            other => wrong.push((program.name, other)),
        }
    }
    assert!(wrong.is_empty(), "{counts:?} {wrong:#?}");
}

/// A pointer to one element whose set has only another one of the same object.
#[test]
fn a_place_beside_the_one_in_the_set_is_noticed() {
    let program = hidden::each_way().find(|program| program.name.starts_with("hidden-offset-"));
    let program = program.expect("there is such a way");
    assert_eq!(compare_hidden(&program, &mut Counts::default()), Ok(false));
}

/// `SELVEDGE_HIDDEN=FROM..TO` runs other seeds.
#[test]
fn hidden_addresses_are_noticed_in_random_programs() {
    compared::all("SELVEDGE_HIDDEN", 0..15, |seed, counts: &mut Counts| {
        let program = hidden::program(seed);
        let name = format!("{seed}-{}", program.name);
        compare_text(&name, &program.text, false, counts)
    });
}

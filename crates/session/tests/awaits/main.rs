//! Threads that wait in loops: random C programs with `--awaits on` and `off`, and by
//! `stateful`: the same final states, failed assertions, deadlocks, races and loops that are
//! never left. And by `reads-from` and `dpor`: the same findings.
//!
//! `SELVEDGE_AWAITS_SEEDS=FROM..TO` runs other seeds; `SELVEDGE_AWAITS_SEEDS_KEEP=1` goes on after
//! a failure and shows all of them.

#[path = "../compared/mod.rs"]
mod compared;
mod generate;

use compared::{Seen, setup};
use selvedge_frontend::Loaded;
use selvedge_model::Property;
use selvedge_session::{Options, Strategy, Unobserved, check};
use std::collections::BTreeMap;
use std::ops::Range;
use std::path::Path;

const SEEDS: Range<u64> = 0..40;

/// Explorations of more executions than this are left out.
const MAX_EXECUTIONS: u64 = 20_000;

#[derive(Default, Debug)]
struct Counts {
    compared: u32,
    too_large: u32,
    /// Programs that `dpor` explores to the end, too.
    by_dpor: u32,
    /// Explorations with fewer events where threads are held.
    fewer: u32,
    /// Events without and with.
    off: u64,
    on: u64,
    by_kind: BTreeMap<&'static str, u32>,
}

/// What a session says of a program, and how many events it took; none if it is too large.
fn seen(path: &Path, program: &Loaded, strategy: Strategy, awaits: bool) -> Option<(Seen, u64)> {
    let options = Options {
        strategy: Some(strategy),
        awaits,
        stop: selvedge_explore::Stop::Never,
        jobs: Some(1),
        max_executions: Some(MAX_EXECUTIONS),
        max_events: Some(300),
        setup: setup(path),
        properties: [Property::Assertion, Property::Deadlock, Property::DataRace].into(),
        ..Options::default()
    };
    let report = check(program, &options, &Unobserved)
        .unwrap_or_else(|e| panic!("{}: {e}", path.display()))
        .report;
    let limited = report.reasons.iter().any(|reason| reason.limit.is_some());
    let statistics = &report.statistics;
    (!limited).then(|| (Seen::of(&report), statistics.events))
}

fn compare(seed: u64, counts: &mut Counts) -> Result<(), String> {
    let (path, program) = compared::load("awaits", &seed.to_string(), &generate::program(seed))?;
    let on = seen(&path, &program, Strategy::Unfold, true);
    let off = seen(&path, &program, Strategy::Unfold, false);
    let states = seen(&path, &program, Strategy::Stateful, false);
    let Some((on, after)) = on else {
        counts.too_large += 1;
        return match off {
            Some(_) => Err("it is too large only with awaits".to_owned()),
            None => Ok(()),
        };
    };
    // Beside a data race, plain accesses are not interleaved in all ways, and which assertions fail
    // differs.
    let races = |seen: &Seen| seen.found.iter().any(|found| found.0 == "data-race");
    if let Some((states, _)) = &states
        && *states != on
        && !(races(states) && races(&on) && states.verdict == on.verdict)
    {
        return Err(format!("by states: {states:?}, with awaits: {on:?}"));
    }
    let Some((off, before)) = off.or_else(|| states.map(|(seen, _)| (seen, after))) else {
        counts.too_large += 1;
        return Ok(());
    };
    // What it does not cover is explored as before.
    let reads = seen(&path, &program, Strategy::ReadsFrom, true);
    if let Some((reads, _)) = &reads
        && (reads.verdict != on.verdict || !races(reads) && reads.found != on.found)
    {
        return Err(format!("by reads-from: {reads:?}, with awaits: {on:?}"));
    }
    // `dpor` does not find loops that are never left, and says so.
    let orders = seen(&path, &program, Strategy::Dpor, true);
    if let Some((orders, _)) = &orders {
        if orders.verdict != on.verdict || !races(orders) && orders.found != on.found {
            return Err(format!("by dpor: {orders:?}, with awaits: {on:?}"));
        }
        counts.by_dpor += 1;
    }
    if off != on {
        return Err(format!("without: {off:?}, with: {on:?}"));
    }
    counts.compared += 1;
    counts.fewer += u32::from(after < before);
    counts.off += before;
    counts.on += after;
    for (kind, _) in on.found {
        *counts.by_kind.entry(kind).or_default() += 1;
    }
    Ok(())
}

fn main() {
    let counts = compared::all("SELVEDGE_AWAITS_SEEDS", SEEDS, compare);
    assert!(counts.compared > counts.too_large, "most programs are too large");
    assert!(counts.fewer * 5 > counts.compared, "threads are hardly held");
    assert!(counts.by_dpor * 4 > counts.compared * 3, "dpor comes to no end");
    assert!(counts.on < counts.off, "holding threads saves nothing");
    for kind in ["assertion", "data-race", "liveness.spin"] {
        assert!(counts.by_kind.contains_key(kind), "no {kind}");
    }
}

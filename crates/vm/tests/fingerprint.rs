//! Fingerprints against their oracles: recomputation, exact fragments, Mazurkiewicz traces; and
//! kept states.
//!
//! Each check is also run on damaged fingerprints, to show that it would notice.

#[path = "fingerprint/channels.rs"]
mod channels;
#[path = "../../cli/tests/random_programs/generate.rs"]
mod concrete;
#[path = "fingerprint/random.rs"]
mod random;

use selvedge_base::{Digest, Id, ThreadId};
use selvedge_model::{
    Action, Choice, Effect, Event, Fingerprint, Machine, Op, Outcome, Pending, Snapshot, Undo,
    for_each_effect,
};
use selvedge_vm::fingerprint::{Damage, FragmentKind};
use selvedge_vm::{Options, Program, Visibility, Vm, VmState};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

const PROGRAMS: [&str; 19] = [
    "heap",
    "cond",
    "sem",
    "atomics",
    "nested",
    "rwlock",
    "barrier",
    "hidden",
    "undefined",
    "fault",
    "files",
    "symbolic",
    "pointers",
    "recycled",
    "finer",
    "exchanged",
    "scopes",
    "counters",
    "protected",
];

fn program(name: &str) -> Arc<Program> {
    let path: PathBuf = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/fingerprint")
        .join(format!("{name}.c"));
    let path = if path.exists() {
        path
    } else {
        path.with_extension("ll")
    };
    at(path, Visibility::Sync)
}

fn at(path: PathBuf, visibility: Visibility) -> Arc<Program> {
    let load = selvedge_frontend::Options {
        rust_claims: true,
        rust_threads_kept: true,
        ..selvedge_frontend::Options::default()
    };
    let loaded = selvedge_frontend::load(&[path], &load).unwrap_or_else(|e| panic!("{e}"));
    let options = Options {
        fingerprints: true,
        quarantine: Some(0),
        visibility,
        ..Options::default()
    };
    Program::new(loaded.module, options).unwrap_or_else(|e| panic!("{e}"))
}

fn machine(program: &Arc<Program>) -> Vm {
    let vm = Vm::canonical(program.clone()).unwrap_or_else(|e| panic!("{e}"));
    vm.with_counters()
}

fn choices(vm: &Vm) -> Vec<Choice> {
    let enabled = vm.pending().iter().enumerate().filter(|(_, p)| p.is_enabled());
    let choice = |thread, alternative| Choice {
        thread: ThreadId::from_index(thread),
        alternative,
    };
    // Nobody comes between an action and the data choice that its effect comes with; nor before
    // any, if the machine is not canonical.
    let mut pending = vm.pending().iter().enumerate();
    let only = pending.position(|(i, p)| {
        p.action.op == Op::Choose
            && p.is_enabled()
            && (!vm.is_canonical() || vm.is_incomplete(ThreadId::from_index(i)))
    });
    enabled
        .filter(|(thread, _)| only.is_none_or(|only| only == *thread))
        .flat_map(|(i, p)| (0..p.alternatives).map(move |a| choice(i, a)))
        .collect()
}

/// Walks at random, going back now and then; how often the fingerprint was wrong.
fn walk(vm: &mut Vm, seed: u64, steps: usize) -> usize {
    let mut random = fastrand::Rng::with_seed(seed);
    let mut path = Vec::new();
    let mut wrong = 0;
    for _ in 0..steps {
        let next = choices(vm);
        if next.is_empty() || random.u8(..) < 16 {
            if path.is_empty() {
                continue;
            }
            path.truncate(random.usize(..path.len()) + 1);
            let Some((mark, before)) = path.pop() else { break };
            vm.undo(mark);
            wrong += usize::from(vm.fingerprint() != before);
        } else {
            path.push((vm.mark(), vm.fingerprint()));
            let before = vm.fingerprint();
            vm.step(next[random.usize(..next.len())]);
            wrong += usize::from(vm.fingerprint().without(vm.delta()) != before);
        }
        wrong += usize::from(vm.check_fingerprint().is_err());
    }
    wrong
}

#[test]
fn kept_fingerprint_is_that_of_the_state() {
    for name in PROGRAMS {
        let program = program(name);
        for seed in 0..8 {
            assert_eq!(walk(&mut machine(&program), seed, 300), 0, "{name}, seed {seed}");
        }
    }
}

#[test]
fn forgotten_kinds_are_noticed() {
    let programs: Vec<_> = PROGRAMS.iter().map(|name| program(name)).collect();
    for kind in FragmentKind::ALL {
        let noticed = programs.iter().any(|program| {
            (0..4).any(|seed| {
                let mut vm = machine(program);
                vm.damage_fingerprints(Damage {
                    bits: 128,
                    forget: Some(kind),
                });
                walk(&mut vm, seed, 300) > 0
            })
        });
        assert!(noticed, "{kind:?}");
    }
}

/// `Arena` and `FreeSlot` tell no states apart, so that no program notices if they are left out:
/// each used slot of an arena has an object, and locals end in the reverse order of their
/// beginnings, so that the free slot used next is always the lowest one.
#[test]
fn arenas_and_free_slots_follow_from_objects() {
    let mut free = 0;
    for name in PROGRAMS {
        let mut vm = machine(&program(name));
        let mut random = fastrand::Rng::with_seed(0);
        let start = vm.mark();
        for _ in 0..300 {
            let next = choices(&vm);
            if next.is_empty() {
                vm.undo(start);
                continue;
            }
            vm.step(next[random.usize(..next.len())]);
            let fragments = vm.fragments();
            let of = |kind| fragments.iter().filter(move |f| f.0 == kind).map(|f| &f.1);
            let used: u64 = of(FragmentKind::Arena).map(|words| words[1]).sum();
            assert_eq!(used, of(FragmentKind::Object).count() as u64, "{name}");
            let slots: BTreeMap<(u64, u64), u64> =
                of(FragmentKind::FreeSlot).map(|w| ((w[0], w[1]), w[2])).collect();
            for ((arena, at), slot) in &slots {
                let above = slots.get(&(*arena, at + 1));
                assert!(above.is_none_or(|above| above < slot), "{name}: {slots:?}");
                free += usize::from(above.is_some());
            }
        }
    }
    assert!(free > 100, "only {free} free slots above another one");
}

// ---- traces
// -------------------------------------------------------------------------------------------------

/// An event with its place in the normal form of its trace.
#[derive(Clone)]
struct Placed {
    depth: usize,
    thread: u32,
    number: usize,
    action: Action,
    /// What it did to which bytes of which objects.
    uses: Vec<(u64, u8, Effect)>,
    /// Its effect comes with the data choice at which its thread stands now.
    incomplete: bool,
    /// What was decided, if there was a choice; and whether it failed.
    decision: (u128, bool),
    /// Regions of the threads that the outcome names.
    named: Vec<u32>,
    delta: Digest,
}

fn region(vm: &Vm, thread: ThreadId) -> u32 {
    vm.state.thread(thread).region
}

/// Takes a step, and places the event.
fn step(vm: &mut Vm, choice: Choice, before: &[Placed]) -> Placed {
    let several = vm.pending()[choice.thread.index()].alternatives > 1;
    let decision = vm.decision(choice);
    let event = vm.step(choice);
    let decides = several || event.is_data_choice();
    place(vm, &event, before, if decides { decision } else { 0 })
}

fn place(vm: &Vm, event: &Event, before: &[Placed], decision: u128) -> Placed {
    let thread = region(vm, event.action.thread);
    let named = match event.outcome {
        Outcome::Thread(t) => vec![t],
        Outcome::Threads(set) => vm.waiters(set).to_vec(),
        _ => Vec::new(),
    };
    let failed = event.outcome == Outcome::Failed;
    let mut own = before.iter().rev().filter(|p| p.thread == thread);
    let mut uses = Vec::new();
    match own.next() {
        Some(last) if last.incomplete => uses.clone_from(&last.uses),
        _ => for_each_effect(&event.action, failed, &named, |object, bytes, effect| {
            uses.push((object, bytes, effect))
        }),
    }
    let mut named: Vec<u32> = named.into_iter().map(|t| region(vm, t)).collect();
    named.sort_unstable();
    let precedes = |p: &&Placed| {
        p.thread == thread
            || p.named.contains(&thread)
            || named.contains(&p.thread)
            || p.uses.iter().any(|a| {
                uses.iter()
                    .any(|b| a.0 == b.0 && a.1 & b.1 != 0 && a.2.dependent(b.2))
            })
    };
    Placed {
        depth: before
            .iter()
            .filter(precedes)
            .map(|p| p.depth + 1)
            .max()
            .unwrap_or(0),
        thread,
        number: before.iter().filter(|p| p.thread == thread).count(),
        action: event.action,
        incomplete: vm.is_incomplete(event.action.thread),
        uses,
        decision: (decision, failed),
        named,
        delta: vm.delta(),
    }
}

/// One event of a normal form.
type Label = (usize, u32, usize, (u128, bool), Vec<u32>);
type Fragments = Vec<(FragmentKind, Vec<u64>)>;

#[derive(Default)]
struct Seen {
    ends: usize,
    traces: HashMap<Vec<Label>, (Digest, Vec<Digest>)>,
    states: HashMap<Digest, Fragments>,
    /// Pairs of different states with one fingerprint.
    collisions: usize,
    /// Events or ends of one trace that differ.
    differences: Vec<String>,
}

/// Visits all interleavings, up to a number of ends.
fn explore(vm: &mut Vm, path: &mut Vec<Placed>, seen: &mut Seen, limit: usize) {
    let next = choices(vm);
    if next.is_empty() {
        seen.ends += 1;
        end(vm, path, seen);
        return;
    }
    for choice in next {
        if seen.ends >= limit {
            return;
        }
        let mark = vm.mark();
        let placed = step(vm, choice, path);
        path.push(placed);
        explore(vm, path, seen, limit);
        path.pop();
        vm.undo(mark);
    }
}

fn end(vm: &Vm, path: &[Placed], seen: &mut Seen) {
    let mut events: Vec<&Placed> = path.iter().collect();
    events.sort_by_key(|p| (p.depth, p.thread));
    let form = events
        .iter()
        .map(|p| (p.depth, p.thread, p.number, p.decision, p.named.clone()))
        .collect();
    let deltas: Vec<Digest> = events.iter().map(|p| p.delta).collect();
    let new = (vm.fingerprint(), deltas);
    let known = seen.traces.entry(form).or_insert_with(|| new.clone());
    if *known != new {
        let event = known.1.iter().zip(&new.1).position(|(a, b)| a != b);
        let text = event.map(|i| format!("{:?} of thread {}", events[i].action.op, events[i].thread));
        seen.differences
            .push(text.unwrap_or_else(|| "the end".to_owned()));
    }
    let fragments = vm.fragments();
    if *seen
        .states
        .entry(vm.fingerprint())
        .or_insert_with(|| fragments.clone())
        != fragments
    {
        seen.collisions += 1;
    }
}

/// Runs to the end at random: other interleavings than the first ones of `explore`.
fn sample(vm: &mut Vm, seed: u64, seen: &mut Seen) {
    let mut random = fastrand::Rng::with_seed(seed);
    let start = vm.mark();
    let mut path = Vec::new();
    loop {
        let next = choices(vm);
        if next.is_empty() {
            break;
        }
        let choice = next[random.usize(..next.len())];
        let placed = step(vm, choice, &path);
        path.push(placed);
    }
    seen.ends += 1;
    end(vm, &path, seen);
    vm.undo(start);
}

#[test]
fn one_trace_has_one_fingerprint() {
    for name in PROGRAMS {
        let seen = traces(name, &mut machine(&program(name)), 3000, 1000);
        assert!(
            seen.ends > seen.traces.len() || seen.ends == 1,
            "{name} has no two interleavings of one trace"
        );
    }
}

/// Visits interleavings: the first ones and some at random. One trace has one fingerprint, and one
/// state has one.
fn traces(name: &str, vm: &mut Vm, first: usize, random: u64) -> Seen {
    let mut seen = Seen::default();
    explore(vm, &mut Vec::new(), &mut seen, first);
    (0..random).for_each(|seed| sample(vm, seed, &mut seen));
    println!(
        "{name}: {} ends, {} traces, {} states",
        seen.ends,
        seen.traces.len(),
        seen.states.len()
    );
    seen.differences.sort();
    seen.differences.dedup();
    assert!(seen.differences.is_empty(), "{name}: {:?}", seen.differences);
    assert_eq!(seen.collisions, 0, "{name}");
    seen
}

/// What programs have come to, whatever was decided by whom on the way.
fn results(seen: &Seen) -> BTreeSet<Fragments> {
    let memory = |fragments: &Fragments| {
        let all = fragments.iter();
        all.filter(|(kind, _)| *kind == FragmentKind::Byte)
            .cloned()
            .collect()
    };
    seen.states.values().map(memory).collect()
}

/// The seeds to try: these, or those in `SELVEDGE_TRACES=FROM..TO`.
fn seeds(usual: Range<u64>) -> Range<u64> {
    let Ok(text) = std::env::var("SELVEDGE_TRACES") else {
        return usual;
    };
    let number = |n: &str| n.parse().unwrap_or_else(|_| panic!("{n} is no number"));
    let (from, to) = text
        .split_once("..")
        .unwrap_or_else(|| panic!("expected FROM..TO, not {text}"));
    number(from)..number(to)
}

/// A program made from a seed, and a name for it.
fn written(what: &str, seed: u64, text: &str, visibility: Visibility) -> (Arc<Program>, String) {
    let language = if text.contains("fn main") { "rs" } else { "c" };
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{what}-{seed}.{language}"));
    std::fs::write(&path, text).unwrap_or_else(|e| panic!("{e}"));
    let name = path.display().to_string();
    (at(path, visibility), name)
}

#[test]
fn random_programs() {
    for seed in seeds(0..40) {
        let made = concrete::program(seed);
        let (program, name) = written("traces", seed, &made.text, Visibility::Memory);
        println!("{:?}, runs natively: {}", made.themes, made.native);
        traces(&name, &mut machine(&program), 400, 200);
    }
}

/// Operations on a channel commute unless they pass on the same message.
#[test]
fn random_channels() {
    let mut commute = 0;
    for seed in seeds(0..6) {
        let (program, name) = written("channels", seed, &channels::program(seed), Visibility::Sync);
        let seen = traces(&name, &mut machine(&program), 120, 60);
        commute += usize::from(seen.ends > seen.traces.len());
    }
    assert!(
        commute > 2,
        "only {commute} programs have two interleavings of one trace"
    );
}

#[test]
fn random_symbolic_programs() {
    let mut compared = 0;
    for seed in seeds(0..40) {
        let (program, name) = written("symbolic", seed, &random::program(seed), Visibility::Sync);
        let canonical = traces(&name, &mut machine(&program), 1500, 100);
        // Decisions that are events of their own lose no result.
        let mut plain = Seen::default();
        let mut vm = Vm::new(program).unwrap_or_else(|e| panic!("{e}"));
        explore(&mut vm, &mut Vec::new(), &mut plain, 1500);
        if plain.ends < 1500 && canonical.ends < 1600 {
            compared += 1;
            assert_eq!(results(&plain), results(&canonical), "{name}");
        }
    }
    println!("{compared} compared");
}

#[test]
fn weak_hashes_are_noticed() {
    let mut vm = machine(&program("atomics"));
    vm.damage_fingerprints(Damage {
        bits: 1,
        forget: None,
    });
    let mut seen = Seen::default();
    explore(&mut vm, &mut Vec::new(), &mut seen, 3000);
    assert!(seen.collisions > 0);
}

#[test]
fn different_values_have_different_fingerprints() {
    // The end's exit code is the counter, which depends on who wrote last.
    let mut vm = machine(&program("atomics"));
    let start = vm.mark();
    let mut codes: HashMap<Digest, u64> = HashMap::new();
    for seed in 0..2000 {
        let mut random = fastrand::Rng::with_seed(seed);
        loop {
            let next = choices(&vm);
            if next.is_empty() {
                break;
            }
            vm.step(next[random.usize(..next.len())]);
        }
        let code = vm.state.thread(ThreadId(0)).core.result.bits;
        assert_eq!(*codes.entry(vm.fingerprint()).or_insert(code), code);
        vm.undo(start);
    }
    let values: BTreeSet<u64> = codes.values().copied().collect();
    assert!(values.len() > 3, "{values:?}");
}

// ---- kept states
// -------------------------------------------------------------------------------------------------

struct Kept {
    state: VmState,
    pending: Vec<Pending>,
    fragments: Fragments,
    fingerprint: Digest,
    /// What was done next, and what came of it.
    next: Option<(Choice, Event, Digest)>,
}

#[test]
fn kept_states_come_back() {
    for name in PROGRAMS {
        let program = program(name);
        for seed in 0..4 {
            let mut vm = machine(&program);
            let mut random = fastrand::Rng::with_seed(seed);
            let mut kept: Vec<Kept> = Vec::new();
            for _ in 0..200 {
                let next = choices(&vm);
                if next.is_empty() || (random.u8(..) < 40 && !kept.is_empty()) {
                    if kept.is_empty() {
                        break;
                    }
                    let one = &kept[random.usize(..kept.len())];
                    vm.restore(&one.state);
                    assert_eq!(vm.pending(), &one.pending, "{name}");
                    assert_eq!(vm.fingerprint(), one.fingerprint, "{name}");
                    assert_eq!(vm.fragments(), one.fragments, "{name}");
                    assert!(vm.accesses().is_empty() && vm.notices().is_empty());
                    if let Some((choice, event, after)) = &one.next {
                        let mark = vm.mark();
                        assert_eq!(vm.step(*choice), *event, "{name}");
                        assert_eq!(vm.fingerprint(), *after, "{name}");
                        vm.undo(mark);
                        assert_eq!(vm.fragments(), one.fragments, "{name}");
                    }
                } else {
                    let choice = next[random.usize(..next.len())];
                    let keep = random.u8(..) < 100;
                    if keep {
                        let state = vm.save();
                        kept.push(Kept {
                            state,
                            pending: vm.pending().to_vec(),
                            fragments: vm.fragments(),
                            fingerprint: vm.fingerprint(),
                            next: None,
                        });
                    }
                    let event = vm.step(choice);
                    if keep && let Some(last) = kept.last_mut() {
                        last.next = Some((choice, event, vm.fingerprint()));
                    }
                }
                assert_eq!(vm.check_fingerprint(), Ok(()), "{name}");
            }
        }
    }
}

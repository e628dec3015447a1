//! Every execution is a test of what is foreseen: the programs of the corpus run with random
//! schedules and inputs; at random states, one thread is left standing while the others go on, and
//! each of their accesses to what lives already must be among those that were foreseen.
//!
//! Seen to fail while these were missing: the time that a timed wait reads, the deletion of what a
//! thread of C++ has run, the texts that a failed assertion reads.

#[allow(dead_code, reason = "shared by several tests")]
mod walks;

use selvedge_base::{Id, ThreadId, usual_or_long};
use selvedge_model::{Choice, Machine, Status, Undo};
use selvedge_vm::{Elements, Foresight, Options, Program, Visibility, Vm};
use std::path::{Path, PathBuf};
use std::sync::Arc;

const STEPS: usize = 200;
const BESIDE: usize = 60;

/// Programs in which what must be foreseen happens rarely: they always run, and more often.
const OFTEN: [&str; 3] = [
    "assertion/wait_refused.c",
    "assertion/robust_owner_ends.c",
    "safe/system_random.c",
];

#[derive(Default, Debug)]
struct Counts {
    programs: usize,
    /// Questions to which the answer was not "anything".
    known: usize,
    unknown: usize,
    /// Accesses of others that were compared.
    accesses: usize,
    /// Next actions of threads that stood still with which nothing conflicts.
    free: usize,
}

/// Walks on without a thread, and compares.
fn compare(
    vm: &mut Vm,
    still: ThreadId,
    elements: Elements,
    rng: &mut fastrand::Rng,
    counts: &mut Counts,
) -> Result<(), String> {
    let foresight = Foresight::of(vm, still, elements);
    if foresight.is_anything() {
        counts.unknown += 1;
        return Ok(());
    }
    counts.known += 1;
    let here = vm.mark();
    let mut accesses: Vec<(u64, u64, bool, String)> = Vec::new();
    for _ in 0..BESIDE {
        let choices: Vec<Choice> = walks::choices(vm)
            .into_iter()
            .filter(|c| c.thread != still)
            .collect();
        if choices.is_empty() {
            break;
        }
        let event = vm.step(choices[rng.usize(..choices.len())]);
        let action = &event.action;
        let bytes = match (action.is_memory(), action.object.is_address()) {
            (true, _) => Some((u64::from(action.size), action.op != selvedge_model::Op::Read)),
            (false, true) => Some((1, true)),
            (false, false) => None,
        };
        let who = |what: &str| format!("{what} by thread {}: {action:?}", action.thread);
        if let Some((size, write)) = bytes {
            accesses.push((action.object.0, size, write, who("action")));
        }
        for access in vm.accesses() {
            accesses.push((
                access.address,
                u64::from(access.size),
                access.write,
                who("access"),
            ));
        }
    }
    vm.undo(here);
    for (address, size, write, what) in accesses {
        if vm.state.memory.check(address, size, false).is_err() {
            continue; // it does not live yet
        }
        counts.accesses += 1;
        if !foresight.expects(vm, address, size, write) {
            return Err(format!(
                "{size} bytes at {address:#x}, write: {write}: {what}, while {still} stands"
            ));
        }
    }
    let action = vm.pending()[still.index()].action;
    let (address, size) = (action.object.0, u64::from(action.size));
    counts.free += usize::from(action.is_memory() && !foresight.expects(vm, address, size, false));
    Ok(())
}

fn run(program: &Arc<Program>, seed: u64, counts: &mut Counts) -> Result<(), String> {
    let mut vm = Vm::canonical(Arc::clone(program)).map_err(|e| e.to_string())?;
    let mut rng = fastrand::Rng::with_seed(seed);
    for _ in 0..STEPS {
        let choices = walks::choices(&vm);
        if choices.is_empty() {
            break;
        }
        let several = vm
            .pending()
            .iter()
            .filter(|p| matches!(p.status, Status::Enabled | Status::Blocked))
            .count()
            > 1;
        let incomplete = (0..vm.pending().len()).any(|t| vm.is_incomplete(ThreadId::from_index(t)));
        if several && !incomplete && rng.u8(..3) == 0 {
            let still = choices[rng.usize(..choices.len())].thread;
            let elements = if rng.u8(..3) == 0 {
                Elements::Reachable
            } else if rng.bool() {
                Elements::Apart
            } else {
                Elements::Together
            };
            compare(&mut vm, still, elements, &mut rng, counts)?;
        }
        vm.step(choices[rng.usize(..choices.len())]);
    }
    Ok(())
}

fn programs(folder: &Path, found: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(folder) else {
        return;
    };
    let mut entries: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    entries.sort();
    for path in entries {
        match path.extension().and_then(|e| e.to_str()) {
            None => programs(&path, found),
            Some("c" | "cc" | "cpp") => found.push(path),
            Some(_) => {}
        }
    }
}

/// One of so many programs of the corpus runs; `EVERY=1`, or at length: all.
#[test]
fn what_happens_was_foreseen() {
    let number = |name: &str| std::env::var(name).ok().and_then(|n| n.parse::<usize>().ok());
    let (every, seeds) = (
        number("EVERY").unwrap_or(usual_or_long(12, 1) as usize).max(1),
        number("SEEDS").unwrap_or(3),
    );
    let mut paths = Vec::new();
    for folder in ["corpus", "benches"] {
        programs(
            &Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(folder),
            &mut paths,
        );
    }
    let (mut counts, mut wrong) = (Counts::default(), Vec::new());
    for (index, path) in paths.iter().enumerate() {
        let often = OFTEN.iter().any(|name| path.ends_with(name));
        if index % every != 0 && !often {
            continue;
        }
        let seeds = if often { 20 * seeds } else { seeds };
        let options = selvedge_frontend::Options::default();
        let Ok(loaded) = selvedge_frontend::load(std::slice::from_ref(path), &options) else {
            continue;
        };
        counts.programs += 1;
        for visibility in [Visibility::Memory, Visibility::Sync] {
            let options = Options {
                visibility,
                ..Options::default()
            };
            let Ok(program) = Program::new(loaded.module.clone(), options) else {
                continue;
            };
            if !Foresight::is_possible(&program) {
                continue;
            }
            for seed in 0..seeds as u64 {
                if let Err(what) = run(&program, seed, &mut counts) {
                    wrong.push(format!("{} {visibility:?} {seed}: {what}", path.display()));
                }
            }
        }
    }
    println!("{counts:?}");
    assert!(wrong.is_empty(), "{}\n{}", wrong.len(), wrong.join("\n"));
    assert!(
        counts.known > counts.unknown && counts.accesses > 10_000 && counts.free > counts.known / 10,
        "{counts:?}"
    );
}

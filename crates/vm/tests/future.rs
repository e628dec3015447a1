//! Every execution is a test of what is foreseen: the programs of the corpus run with random
//! schedules and inputs; at random states, one thread is left standing while the others go on, and
//! each of their accesses to what lives already must be among those that were foreseen.
//!
//! Seen to fail while these were missing: the time that a timed wait reads, the deletion of what a
//! thread of C++ has run, the texts that a failed assertion reads.

#[allow(dead_code, reason = "shared by several tests")]
mod walks;

use selvedge_base::{Id, ThreadId, turn, usual_or_long};
use selvedge_model::{Choice, Machine, Status, Undo};
use selvedge_vm::{Elements, Foresight, Options, Program, Visibility, Vm, Weaken};
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
    (elements, weaken): (Elements, Weaken),
    rng: &mut fastrand::Rng,
    counts: &mut Counts,
) -> Result<(), String> {
    let foresight = Foresight::weakened(vm, still, elements, weaken);
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
        if let (selvedge_model::Op::Destroy, Some(base)) = (action.op, action.object.as_heap()) {
            accesses.push((base, 1, true, format!("end by thread {}", action.thread)));
        }
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

fn run(program: &Arc<Program>, seed: u64, weaken: Weaken, counts: &mut Counts) -> Result<(), String> {
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
            let elements = match (weaken, rng.u8(..3)) {
                (Weaken::Reach, _) | (Weaken::Nothing, 0) => Elements::Reachable,
                (Weaken::Nothing, 1) => Elements::Together,
                _ => Elements::Apart,
            };
            compare(&mut vm, still, (elements, weaken), &mut rng, counts)?;
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
    for path in &paths {
        let often = OFTEN.iter().any(|name| path.ends_with(name));
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        if turn(&name, every as u64) != 0 && !often {
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
                if let Err(what) = run(&program, seed, Weaken::Nothing, &mut counts) {
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

/// A mistake, and a program with which it is noticed: global variables, what the first thread runs,
/// what the second one runs, and what main does beside them.
type Planted = (Weaken, &'static str, &'static str, &'static str, &'static str);

const PLANTED: &[Planted] = &[
    (
        Weaken::Join,
        "int a[4]; volatile int c, x;",
        "int k = c; for (int i = 0; i < k && i < 4; i++) a[i] = x;",
        "c = 1; c = 2; return (void *)(long)a[0];",
        "a[2] = 2;",
    ),
    (
        Weaken::Branch,
        "int a[4]; volatile int c;",
        "if (c) a[0] = 1; else a[1] = 1;",
        "c = 1; return (void *)(long)a[0];",
        "a[1] = 2;",
    ),
    (
        Weaken::Store,
        "int a[4]; volatile int i;",
        "a[i] = 1;",
        "i = 1; return (void *)(long)a[1];",
        "a[0] = 2;",
    ),
    (
        Weaken::Round,
        "int a[4]; volatile int i;",
        "i = 1; i = 2;",
        "a[i] = 1;",
        "a[1] = a[2];",
    ),
    (
        Weaken::Read,
        "int a[4]; volatile int r;",
        "r = a[1];",
        "a[1] = 2;",
        "a[1] = 3;",
    ),
    (
        Weaken::Call,
        "int a[4]; __attribute__((noinline)) void put(int *to) { *to = 1; }",
        "put(a); put(a + 1);",
        "return (void *)(long)a[1];",
        "a[0] = 3;",
    ),
    (
        Weaken::Recursion,
        "int a[8]; __attribute__((noinline)) int depth(int n) { return n ? 1 + depth(n - 1) : 0; } volatile int n = 2;",
        "int d = depth(n & 1 ? 2 : 6); a[d & 7] = 1;",
        "n = 1; return (void *)(long)a[2];",
        "a[3] = 3;",
    ),
    (
        Weaken::Held,
        "int a[4]; pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;",
        "pthread_mutex_lock(&m); a[0] = 1; pthread_mutex_unlock(&m);",
        "pthread_mutex_lock(&m); a[0] = 2; pthread_mutex_unlock(&m);",
        "a[0] = 3;",
    ),
    (
        Weaken::Readers,
        "int a[4], r; pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;",
        "pthread_rwlock_rdlock(&l); r = a[0]; pthread_rwlock_unlock(&l);",
        "pthread_rwlock_rdlock(&l); a[0] = 2; pthread_rwlock_unlock(&l);",
        "",
    ),
    (
        Weaken::Relied,
        "int a[4]; pthread_barrier_t barrier;",
        "pthread_barrier_destroy(&barrier); pthread_barrier_init(&barrier, 0, 1); pthread_barrier_wait(&barrier); a[0] = 1;",
        "a[1] = 1;",
        "a[0] = 3;",
    ),
    (
        Weaken::Locals,
        "int *volatile p;",
        "int here = 1; p = &here; here = 2;",
        "int *q = p; if (q) *q = 1;",
        "int *q = p; if (q) *q = 3;",
    ),
    (Weaken::Free, "int *p;", "free(p);", "*p = 1;", ""),
    (
        Weaken::Copy,
        "int a[16], b[16];",
        "memcpy(a, b, sizeof a);",
        "a[1] = 1;",
        "",
    ),
    (
        Weaken::Barrier,
        "int a[4]; pthread_barrier_t barrier;",
        "pthread_barrier_wait(&barrier); a[0] = 1;",
        "pthread_barrier_wait(&barrier); a[1] = 1;",
        "a[0] = 3; a[1] = 2;",
    ),
    (
        Weaken::Create,
        "int a[4]; void *third(void *p) { a[0] = 1; return p; }",
        "pthread_t t; pthread_create(&t, 0, third, 0);",
        "a[0] = 2; a[0] = 3;",
        "",
    ),
    (
        Weaken::Index,
        "int a[4]; volatile long i;",
        "long k = i * i; if (k >= 0 && k < 4) a[k] = 1;",
        "i = 1; a[1] = 2;",
        "a[1] = 3; i = i + 1;",
    ),
    (
        Weaken::Objects,
        "int a[4], b[4]; int *volatile p = a; volatile long i;",
        "long k = i * i; if (k >= 0 && k < 4) p[k] = 1;",
        "p = b; i = 1; b[1] = 2;",
        "a[1] = b[1];",
    ),
    (
        Weaken::Either,
        "int a[4]; int *volatile p = a;",
        "int *q = p; q[1] = 1;",
        "int *mine = malloc(16); p = mine;",
        "a[1] = 3;",
    ),
    (
        Weaken::Surely,
        "int a[4]; volatile int x; volatile int *volatile p = &x;",
        "volatile int *q = p; *q = 1; a[x] = 1;",
        "int *mine = malloc(16); p = mine;",
        "a[1] = 3;",
    ),
    (
        Weaken::Straight,
        "int a[4]; volatile int c, x;",
        "if (c) x = 1; a[x] = 1;",
        "c = 1;",
        "a[1] = 3;",
    ),
    (
        Weaken::Stands,
        "int a[4]; volatile int x;",
        "while (x < 2) x = x + 1; a[x] = 1;",
        "",
        "a[1] = 3;",
    ),
    (
        Weaken::Moved,
        "int a[4];",
        "char *q = malloc(8); q -= (long)q; a[!q] = 1;",
        "a[1] = 2;",
        "a[1] = 3;",
    ),
    (
        Weaken::Contents,
        "int a[4]; volatile int i;",
        "a[i] = 1;",
        "",
        "i = 1; a[1] = 3;",
    ),
    (
        Weaken::Position,
        "int a[4]; volatile int i;",
        "for (int n = 0; n < 8; n++) { int k = i; a[k] = 1; }",
        "",
        "for (int n = 0; n < 8; n++) { i = 1; i = 0; } a[1] = 3;",
    ),
    (
        Weaken::Holder,
        "int a[4]; pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;",
        "pthread_mutex_lock(&m); a[0] = 1; pthread_mutex_unlock(&m);",
        "",
        "pthread_mutex_lock(&m); a[0] = 2; pthread_mutex_unlock(&m); a[0] = 3;",
    ),
    (
        Weaken::Answers,
        "int a[4]; volatile int c, i;",
        "for (int n = 0; n < 8; n++) { int k = i; a[k] = 1; }",
        "for (int n = 0; n < 8; n++) { if (c) i = 2; }",
        "c = 1; a[2] = 3; a[2] = 4;",
    ),
    (
        Weaken::Reach,
        "int *p;",
        "int *q = p; p = 0; if (q) { q[0] = 1; q[0] = 2; }",
        "int *q = p; if (q) { q[0] = 3; q[0] = 4; }",
        "",
    ),
];

fn planted(&(_, globals, first, second, main): &Planted) -> String {
    format!(
        "#include <pthread.h>
#include <stdlib.h>
#include <string.h>
{globals}
static void *one(void *argument) {{ {first} return argument; }}
static void *two(void *argument) {{ {second} return argument; }}
int main(void) {{
    pthread_t t[2];
    {}
    pthread_create(&t[0], 0, one, 0);
    pthread_create(&t[1], 0, two, 0);
    {main}
    pthread_join(t[0], 0);
    pthread_join(t[1], 0);
    return 0;
}}
",
        match (globals.contains("barrier"), globals.contains("int *p;")) {
            (true, _) => "pthread_barrier_init(&barrier, 0, 2);",
            (_, true) => "p = malloc(16);",
            _ => "",
        }
    )
}

#[test]
fn planted_mistakes_are_noticed() {
    let mut missed = Vec::new();
    for (number, planted_here) in PLANTED.iter().enumerate() {
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("planted-{number}.c"));
        std::fs::write(&path, planted(planted_here)).expect("the temporary directory is writable");
        let loaded = selvedge_frontend::load(&[path], &selvedge_frontend::Options::default())
            .unwrap_or_else(|e| panic!("{:?}: {e}", planted_here.0));
        let options = Options {
            visibility: Visibility::Memory,
            fingerprints: true,
            record_accesses: true,
            ..Options::default()
        };
        let program = Program::new(loaded.module, options).unwrap_or_else(|e| panic!("{e}"));
        let mut counts = Counts::default();
        let mut seen = |weaken| (0..60).find_map(|seed| run(&program, seed, weaken, &mut counts).err());
        assert_eq!(seen(Weaken::Nothing), None, "{:?}", planted_here.0);
        if seen(planted_here.0).is_none() {
            missed.push(planted_here.0);
        }
    }
    assert!(missed.is_empty(), "not noticed: {missed:?}");
}

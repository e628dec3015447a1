//! Programs that never end and have finitely many states come back to old fingerprints: what
//! cutoffs need to end.

use selvedge_base::Digest;
use selvedge_base::{Id, ThreadId};
use selvedge_model::{Choice, Fingerprint, Machine};
use selvedge_vm::{Options, Program, Visibility, Vm};
use std::collections::HashSet;
use std::path::Path;
use std::sync::Arc;

fn program(name: &str, visibility: Visibility) -> Arc<Program> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/endless")
        .join(format!("{name}.c"));
    let loaded = selvedge_frontend::load(&[path], &selvedge_frontend::Options::default())
        .unwrap_or_else(|e| panic!("{e}"));
    let options = Options {
        fingerprints: true,
        visibility,
        quarantine: Some(1),
        ..Options::default()
    };
    Program::new(loaded.module, options).unwrap_or_else(|e| panic!("{e}"))
}

/// Which thread moves next, given those that can.
type Schedule<'a> = &'a mut dyn FnMut(&[Choice]) -> usize;

/// Runs for so many steps; after which of them a fingerprint was new.
fn run(vm: &mut Vm, steps: usize, seen: &mut HashSet<Digest>, schedule: Schedule<'_>) -> usize {
    let mut newest = 0;
    for step in 0..steps {
        let pending = vm.pending().iter().enumerate().filter(|(_, p)| p.is_enabled());
        let next: Vec<Choice> = pending
            .flat_map(|(i, p)| {
                (0..p.alternatives).map(move |alternative| Choice {
                    thread: ThreadId::from_index(i),
                    alternative,
                })
            })
            .collect();
        assert!(!next.is_empty(), "{:?}", vm.notices());
        let before = vm.fingerprint();
        vm.step(next[schedule(&next)]);
        assert_eq!(vm.notices(), &[], "step {step}");
        assert_eq!(before.with(vm.delta()), vm.fingerprint());
        if step % 16 == 0 {
            assert_eq!(vm.check_fingerprint(), Ok(()), "step {step}");
        }
        if seen.insert(vm.fingerprint()) {
            newest = step;
        }
    }
    newest
}

fn comes_back(name: &str, visibility: Visibility) {
    let program = program(name, visibility);
    let machine = || Vm::canonical(program.clone()).unwrap_or_else(|e| panic!("{e}"));
    // In turns: a cycle after few steps.
    let (mut turn, mut seen) = (0, HashSet::new());
    let newest = run(&mut machine(), 3000, &mut seen, &mut |next| {
        turn += 1;
        turn % next.len()
    });
    assert!(
        newest < 2000,
        "{name}, in turns: a new state after {newest} steps"
    );
    // At random: less and less that is new.
    let mut counts = Vec::new();
    for seed in 0..24 {
        let mut random = fastrand::Rng::with_seed(seed);
        run(&mut machine(), 2000, &mut seen, &mut |next| {
            random.usize(..next.len())
        });
        counts.push(seen.len());
    }
    println!("{name}, {visibility:?}: {counts:?} states");
    let (half, all) = (counts[11], counts[23]);
    assert!(
        all - half <= half / 5,
        "{name}: {half} states, then {all}: {counts:?}"
    );
}

macro_rules! tests {
    ($($name:ident),*) => {$(
        #[test]
        fn $name() {
            for visibility in [Visibility::Sync, Visibility::Memory] {
                comes_back(stringify!($name), visibility);
            }
        }
    )*};
}

tests!(
    server,
    posts,
    readers,
    spin,
    peterson,
    dekker,
    queue,
    rounds,
    heap,
    own_heap,
    posted_heap,
    passed_by_exchange
);

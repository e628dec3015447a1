//! What happens without cause, once instead of again and again (`causeless.rs`): small programs of
//! which all interleavings are executed, without any reduction, by a machine that is bounded; and
//! all states visited by one that is not. Both must come to the same ends and the same faults.
//!
//! An oracle counts only once it was seen to fail. Planted by hand in `src/causeless.rs`:
//!
//! | mistake | seen to fail |
//! | --- | --- |
//! | a round may change memory | `counting` |
//! | a round may change hidden words | `random` |
//! | where a thread stands is no part of its state | `two_places` |
//! | locals that come and go are a change | `indexing` |
//!
//! Planted, and noticed by nobody, since something else stands for it or nothing comes of it:
//!
//! - A round may change synchronisation objects, other threads or the threads there are, or have
//!   parts: what does that is no read, or changes memory as well.
//! - Dead slots may move: a second round moves none.
//! - Inputs may be decided on: a second round meets the same decisions, and they are taken.
//! - Locks that are held are no part of the state: between two waits at one place with one memory
//!   only their order changes.
//! - A wait that was woken changes nothing, nor does whatever leaves all objects as they were: the
//!   round before it may be left out instead.

mod walks;

use selvedge_base::Digest;
use selvedge_model::{Fingerprint, Machine, Status, Undo};
use selvedge_vm::{Options, Program, Visibility, Vm};
use std::collections::{BTreeSet, HashSet};
use std::sync::Arc;
use walks::{choices, told};

/// What a program prints until it ends, or what is wrong with it.
type Results = BTreeSet<String>;

/// So many steps are too many for a bounded machine, and so many in one execution.
const MOST_STEPS: usize = 200_000;
const MOST_DEEP: usize = 500;

fn load(name: &str, text: &str) -> Arc<Program> {
    let options = Options {
        fingerprints: true,
        quarantine: Some(0),
        visibility: Visibility::Sync,
        spurious_wakeups: true,
        weak_failures: true,
        ..Options::default()
    };
    walks::load(walks::write("causeless", name, text), options)
}

/// A walk along all interleavings, or all states.
struct Walk {
    results: Results,
    steps: usize,
    /// The states that were met, with what was printed before; none if states are not asked for.
    states: Option<HashSet<(Digest, Vec<u8>)>>,
}

impl Walk {
    fn of(mut vm: Vm, by_states: bool) -> Walk {
        let mut walk = Walk {
            results: Results::new(),
            steps: 0,
            states: by_states.then(HashSet::new),
        };
        walk.visit(&mut vm, 0);
        walk
    }

    fn visit(&mut self, vm: &mut Vm, depth: usize) {
        let printed = vm.state.output().to_vec();
        if let Some(states) = &mut self.states
            && !states.insert((vm.fingerprint(), printed.clone()))
        {
            return;
        }
        let choices = choices(vm);
        if choices.is_empty() {
            let blocked = vm
                .pending()
                .iter()
                .filter(|p| p.status == Status::Blocked)
                .count();
            let printed = String::from_utf8_lossy(&printed).into_owned();
            self.results.insert(format!("{printed}, {blocked} blocked"));
        }
        for choice in choices {
            self.steps += 1;
            if self.steps > MOST_STEPS || depth > MOST_DEEP {
                self.steps = MOST_STEPS + 1;
                return;
            }
            let mark = vm.mark();
            vm.step(choice);
            self.results.extend(vm.notices().iter().map(told));
            self.visit(vm, depth + 1);
            vm.undo(mark);
        }
    }
}

/// The results of a program by its states, which a bounded machine must have without knowing them.
fn holds(name: &str, text: &str) -> Results {
    let program = load(name, text);
    let machine = || Vm::canonical(program.clone()).unwrap_or_else(|e| panic!("{e}"));
    let expected = Walk::of(machine(), true);
    assert!(expected.steps <= MOST_STEPS, "{name} has too many states");
    let bounded = Walk::of(machine().bounded(), false);
    assert!(bounded.steps <= MOST_STEPS, "{name} does not end");
    assert_eq!(bounded.results, expected.results, "{name}\n{text}");
    println!("{name}: {} steps, {:?}", bounded.steps, bounded.results);
    expected.results
}

/// A program that exchanges until it comes off.
fn exchanging(globals: &str, body: &str, then: &str) -> String {
    format!(
        "#include <stdatomic.h>\n#include <stdio.h>\n#include <stdlib.h>\n\
         static atomic_int v, other;\n{globals}\n\
         int main(void)\n{{\n    int e = 0;\n\
         \x20   while (!atomic_compare_exchange_weak(&v, &e, 1)) {{ {body} }}\n    {then}\n    return 0;\n}}\n"
    )
}

#[test]
fn rounds_that_change_nothing_end() {
    for (name, globals, body) in [
        ("empty", "", ""),
        ("reading", "", "(void)atomic_load(&other);"),
        (
            "calling",
            "static void relax(int n) { int k = n; (void)k; }",
            "relax(3);",
        ),
        (
            "indexing",
            "static int relax(int n) { int k[2] = {n, n}; return k[n & 1]; }",
            "relax(3);",
        ),
    ] {
        let results = holds(name, &exchanging(globals, body, "puts(\"done\");"));
        assert_eq!(results.len(), 1, "{name}: {results:?}");
    }
}

#[test]
fn rounds_that_change_something_are_all_there() {
    for (name, globals, body, then, ends) in [
        (
            "counting",
            "static int rounds;",
            "if (++rounds == 3) break;",
            "printf(\"%d\", rounds);",
            4,
        ),
        // The state of the generator is nowhere in memory.
        (
            "random",
            "",
            "if (rand() % 4 == 0) break;",
            "printf(\"%d\", rand());",
            3,
        ),
    ] {
        let results = holds(name, &exchanging(globals, body, then));
        assert!(results.len() >= ends, "{name}: {results:?}");
    }
}

/// Two places, and nothing but where the thread stands is different.
#[test]
fn failing_here_is_not_failing_there() {
    let text = "target triple = \"x86_64-unknown-linux-gnu\"
@v = global i32 0
declare void @abort()
define i32 @main() {
  %a = cmpxchg weak ptr @v, i32 0, i32 1 seq_cst seq_cst
  %first = extractvalue { i32, i1 } %a, 1
  br i1 %first, label %done, label %again
again:
  %b = cmpxchg weak ptr @v, i32 0, i32 1 seq_cst seq_cst
  %second = extractvalue { i32, i1 } %b, 1
  br i1 %second, label %done, label %bad
bad:
  call void @abort()
  unreachable
done:
  ret i32 0
}
";
    let results = holds("two_places", text);
    assert_eq!(results.len(), 2, "{results:?}");
}

/// A thread that waits in a loop, and one that does some of what could wake it.
fn waiting(seed: u64) -> String {
    let random = &mut fastrand::Rng::with_seed(seed);
    let condition = ["!go", "go < 2", "!go && other"][random.usize(..3)];
    let mut sections = String::new();
    for _ in 0..2 + random.usize(..2) {
        let work = [
            "go++;",
            "other = !other;",
            "pthread_cond_signal(&c);",
            "go++; pthread_cond_signal(&c);",
            "pthread_cond_broadcast(&c);",
        ];
        let work = work[random.usize(..work.len())];
        sections += &match random.bool() && work.contains("cond") {
            true => format!("    {}\n", work.replace("go++; ", "")),
            false => format!("    pthread_mutex_lock(&m); {work} pthread_mutex_unlock(&m);\n"),
        };
    }
    format!(
        "#include <pthread.h>\n#include <stdio.h>\n\
         static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;\n\
         static pthread_cond_t c = PTHREAD_COND_INITIALIZER;\n\
         static int go, other = 1;\n\
         static void *work(void *unused)\n{{\n{sections}    return unused;\n}}\n\
         int main(void)\n{{\n    pthread_t t;\n    pthread_create(&t, 0, work, 0);\n\
         \x20   pthread_mutex_lock(&m);\n    while ({condition}) pthread_cond_wait(&c, &m);\n\
         \x20   printf(\"%d %d\", go, other);\n    pthread_mutex_unlock(&m);\n    return 0;\n}}\n"
    )
}

#[test]
fn waits_that_end_without_a_signal() {
    let mut stuck = 0;
    for seed in 0..24 {
        let results = holds(&format!("waiting_{seed}"), &waiting(seed));
        stuck += usize::from(results.len() > 1);
    }
    assert!(stuck > 8, "only {stuck} come to several ends");
}

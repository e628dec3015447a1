//! What stands for a state, against the obvious way: states that are taken for one must have the
//! same futures.
//!
//! All states of small programs are visited, without any reduction. What follows a state is
//! computed from the state itself: which outputs and notices can come of it, and what each thread
//! is about to do, with how many alternatives. Names of inputs are no part of a state: random
//! programs of two threads ask for inputs, compare, overwrite and forget them.
//!
//! Then each part of the fingerprint is left out in turn, and some program has to notice.

mod times;
mod unwritten;
mod walks;

use selvedge_base::{Digest, Id, ThreadId};
use selvedge_model::{Fingerprint, Machine, Op, Undo};
use selvedge_vm::fingerprint::{Damage, Forget, FragmentKind};
use selvedge_vm::{Options, Program, Visibility, Vm};
use std::collections::{BTreeSet, HashMap};
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::Arc;
use walks::{choices, told};

/// What each thread is about to do.
type Standing = Vec<(u32, Op, u64, u8, u16)>;
type Outputs = Rc<BTreeSet<String>>;

const MOST_STATES: usize = 4_000;

fn pick<'a>(random: &mut fastrand::Rng, list: &[&'a str]) -> &'a str {
    list[random.usize(..list.len())]
}

fn condition(random: &mut fastrand::Rng) -> String {
    let g = pick(random, &["g[0]", "g[1]", "x"]);
    let other = pick(random, &["g[0]", "g[1]", "x", "3", "200", "5"]);
    format!("{g} {} {other}", pick(random, &["<", "==", ">"]))
}

fn section(random: &mut fastrand::Rng) -> String {
    let value = pick(random, &["nondet()", "nondet()", "g[0]", "g[1]", "x", "7"]);
    let place = pick(random, &["g[0]", "g[1]", "x"]);
    let flag = 1 << random.u32(..3);
    let statement = match random.u8(..8) {
        0..3 => format!("{place} = {value};"),
        3..6 => format!("if ({}) seen = 1; else seen = 2; seen = 0;", condition(random)),
        6 => format!("if ({}) out |= {flag};", condition(random)),
        _ => format!("{place} = (unsigned char)({place} + {value});"),
    };
    format!("    pthread_mutex_lock(&m); {statement} pthread_mutex_unlock(&m);\n")
}

fn program(seed: u64) -> String {
    let random = &mut fastrand::Rng::with_seed(seed);
    let mut text = String::from(
        "#include <pthread.h>\n#include <stdio.h>\nunsigned char __VERIFIER_nondet_uchar(void);\n\
         #define nondet __VERIFIER_nondet_uchar\n\
         static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;\nstatic unsigned char g[2];\nstatic volatile int seen;\n\
         static volatile int out;\n\
         static void *other(void *unused)\n{\n    unsigned char x = 4;\n",
    );
    (0..1 + random.u8(..2)).for_each(|_| text += &section(random));
    text += "    return unused;\n}\n\nint main(void)\n{\n    unsigned char x = 4;\n    pthread_t t;\n    g[0] = nondet();\n";
    if random.bool() {
        text += "    g[1] = nondet();\n";
    }
    text += "    pthread_create(&t, 0, other, 0);\n";
    (0..2 + random.u8(..2)).for_each(|_| text += &section(random));
    text += "    pthread_join(t, 0);\n";
    for i in 0..2 {
        let _ = writeln!(
            text,
            "    if ({}) puts(\"{i} yes\"); else puts(\"{i} no\");",
            condition(random)
        );
    }
    text + "    for (int i = 0; i < 3; i++)\n        if (out >> i & 1) puts(\"set\"); else puts(\"clear\");\n    return 0;\n}\n"
}

/// Who of two threads looks first knows the outcome; both look again.
const WHO_KNOWS: &str = "#include <pthread.h>
unsigned char __VERIFIER_nondet_uchar(void);
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static unsigned char g;
static volatile int looked, seen;

static void *look(void *unused)
{
    pthread_mutex_lock(&m);
    if (!looked) {
        looked = 1;
        if (g < 10) seen = 1; else seen = 2;
    }
    pthread_mutex_unlock(&m);
    pthread_mutex_lock(&m);
    if (g < 10) seen = 1; else seen = 2;
    pthread_mutex_unlock(&m);
    return unused;
}

int main(void)
{
    pthread_t t;
    g = __VERIFIER_nondet_uchar();
    pthread_create(&t, 0, look, 0);
    look(0);
    pthread_join(t, 0);
    return 0;
}
";

fn random(seed: u64) -> Arc<Program> {
    written(&seed.to_string(), &program(seed))
}

fn written(name: &str, text: &str) -> Arc<Program> {
    load(walks::write("states", name, text))
}

fn load(path: PathBuf) -> Arc<Program> {
    let options = Options {
        fingerprints: true,
        quarantine: Some(0),
        visibility: Visibility::Sync,
        ..Options::default()
    };
    walks::load(path, options)
}

fn standing(vm: &Vm) -> Standing {
    let threads = vm.pending().iter().enumerate().map(|(i, p)| {
        let region = vm.state.thread(ThreadId::from_index(i)).region;
        let object = match p.action.object.as_thread() {
            Some(thread) => u64::from(vm.state.thread(thread).region),
            None => p.action.object.0,
        };
        (region, p.action.op, object, p.status as u8, p.alternatives)
    });
    let mut all: Standing = threads.collect();
    all.sort_unstable_by_key(|t| t.0);
    all
}

/// What is done wrong.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Mistake {
    Nothing,
    /// Where names of inputs are taken out.
    Inputs(Forget),
    /// A kind of fragment is no part of the state.
    Without(FragmentKind),
}

/// All states of a program.
struct Walk {
    mistake: Mistake,
    /// Whether states that are taken for one have to lead to states that are taken for one. If not,
    /// it is enough that the same outputs can come of them.
    compares_next: bool,
    /// By what a state is, names of inputs included.
    exact: HashMap<(Digest, Standing), Outputs>,
    /// By what it is without them: what each thread is about to do, and what outputs can come of
    /// it.
    states: HashMap<Digest, (Standing, Outputs)>,
    /// By a state, who goes on and with which alternative: the state after that.
    next: HashMap<(Digest, u32, u16), Digest>,
    /// States taken for one that are not.
    wrong: Option<String>,
    /// What can come of the program; `None` if not all states were visited.
    all: Option<Outputs>,
}

impl Walk {
    /// And whether they were few enough to visit all of them.
    fn of(program: &Arc<Program>, mistake: Mistake) -> (Walk, bool) {
        Walk::comparing(program, mistake, true)
    }

    fn comparing(program: &Arc<Program>, mistake: Mistake, compares_next: bool) -> (Walk, bool) {
        let vm = Vm::canonical(program.clone()).unwrap_or_else(|e| panic!("{e}"));
        let mut vm = vm.with_relative_clocks();
        match mistake {
            Mistake::Nothing => {}
            Mistake::Inputs(forget) => vm.forget_inputs(forget),
            Mistake::Without(kind) => vm.damage_fingerprints(Damage {
                bits: 128,
                forget: Some(kind),
            }),
        }
        let mut walk = Walk {
            mistake,
            compares_next,
            exact: HashMap::new(),
            states: HashMap::new(),
            next: HashMap::new(),
            wrong: None,
            all: None,
        };
        walk.all = walk.visit(&mut vm);
        let complete = walk.all.is_some();
        (walk, complete)
    }

    /// What the machine's state is taken for. An event that has no effect yet leads to no other
    /// state: nobody asks for it.
    fn state(&self, vm: &Vm) -> Option<Digest> {
        if (0..vm.pending().len()).any(|thread| vm.is_incomplete(ThreadId::from_index(thread))) {
            return None;
        }
        Some(match self.mistake {
            // It is in what is taken out as well.
            Mistake::Without(FragmentKind::Decision) => vm.fingerprint(),
            _ => vm.fingerprint().with(vm.without_names()),
        })
    }

    fn visit(&mut self, vm: &mut Vm) -> Option<Outputs> {
        let standing = standing(vm);
        // With nothing left out.
        let exact = (vm.fingerprint_from_scratch(), standing.clone());
        if let Some(known) = self.exact.get(&exact) {
            return Some(Rc::clone(known));
        }
        if self.exact.len() > MOST_STATES {
            return None;
        }
        let mut outputs = BTreeSet::new();
        let choices = choices(vm);
        if choices.is_empty() {
            outputs.insert(String::new());
        }
        let here = self.state(vm);
        for choice in choices {
            let (mark, printed) = (vm.mark(), vm.state.output().len());
            let chooses = vm.pending()[choice.thread.index()].action.op == Op::Choose;
            let region = vm.state.thread(choice.thread).region;
            vm.step(choice);
            if let (Some(here), Some(next)) = (here, self.state(vm)) {
                let known = *self
                    .next
                    .entry((here, region, choice.alternative))
                    .or_insert(next);
                if known != next && self.compares_next {
                    self.wrong = Some(format!("{choice:?} leads to two states\n{standing:?}"));
                }
            }
            outputs.extend(vm.notices().iter().map(told));
            // What was printed before is no part of the state.
            let mut prints = String::from_utf8_lossy(&vm.state.output()[printed..]).into_owned();
            if chooses {
                // That there is a decision to come, and whose, is part of the future.
                prints += &format!("{}?", vm.state.thread(choice.thread).region);
            }
            let after = self.visit(vm);
            vm.undo(mark);
            outputs.extend(after?.iter().map(|later| prints.clone() + later));
            if self.wrong.is_some() {
                return None;
            }
        }
        let outputs = Rc::new(outputs);
        let Some(state) = here else {
            self.exact.insert(exact, Rc::clone(&outputs));
            return Some(outputs);
        };
        let (known, come) = self
            .states
            .entry(state)
            .or_insert_with(|| (standing.clone(), Rc::clone(&outputs)));
        if (&*known, &*come) != (&standing, &outputs) {
            self.wrong = Some(format!("{known:?} {come:?}\n{standing:?} {outputs:?}"));
        }
        self.exact.insert(exact, Rc::clone(&outputs));
        Some(outputs)
    }
}

#[test]
fn states_taken_for_one_have_the_same_futures() {
    let (mut compared, mut exact, mut states) = (0, 0, 0);
    for seed in 0..60 {
        let (walk, complete) = Walk::of(&random(seed), Mistake::Nothing);
        if let Some(wrong) = walk.wrong {
            panic!("seed {seed}: {wrong}\n{}", program(seed));
        }
        if !complete {
            continue;
        }
        compared += 1;
        exact += walk.exact.len();
        states += walk.states.len();
    }
    println!("{compared} programs, {exact} states, {states} without names");
    assert!(
        compared > 30 && states * 10 < exact * 9,
        "{compared} programs, {exact} states, {states} without names"
    );
}

/// No slot is reused: the bytes of reused memory have no value that could be an input.
fn with_unwritten(seed: u64, memory: unwritten::Memory) -> Arc<Program> {
    let kind = match memory {
        unwritten::Memory::Unwritten => "unwritten",
        unwritten::Memory::Inputs => "inputs",
    };
    let options = Options {
        fingerprints: true,
        visibility: Visibility::Sync,
        unwritten_inputs: memory == unwritten::Memory::Unwritten,
        ..Options::default()
    };
    let text = unwritten::program(seed, memory);
    let name = format!("{kind}{seed}");
    walks::load(walks::write("states", &name, &text), options)
}

/// What can come of a program, without its decisions.
fn without_decisions(outputs: Option<&Outputs>) -> BTreeSet<Vec<String>> {
    let said = |line: &str| line.rsplit('?').next().map(str::to_owned);
    let plain = |text: &String| {
        text.lines()
            .filter_map(said)
            .filter(|line| !line.is_empty())
            .collect()
    };
    outputs
        .into_iter()
        .flat_map(|all| all.iter().map(plain))
        .collect()
}

/// Memory that was never written is like memory that is set to inputs where its life begins.
#[test]
fn what_was_never_written_is_an_input() {
    let (mut compared, mut exact, mut states) = (0, 0, 0);
    for seed in 0..60 {
        // States of seed 10 that are taken for one lead to states that are told apart, needlessly,
        // with ordinary inputs as well. So what can come of them is compared.
        let walks = [unwritten::Memory::Unwritten, unwritten::Memory::Inputs].map(|memory| {
            let program = with_unwritten(seed, memory);
            Walk::comparing(&program, Mistake::Nothing, false)
        });
        let text = unwritten::program(seed, unwritten::Memory::Unwritten);
        let [(walk, complete), (expected, is_comparable)] = walks;
        assert_eq!(
            (&walk.wrong, &expected.wrong),
            (&None, &None),
            "seed {seed}\n{text}"
        );
        if !complete || !is_comparable {
            continue;
        }
        let [came, should_come] = [&walk, &expected].map(|walk| without_decisions(walk.all.as_ref()));
        assert_eq!(came, should_come, "seed {seed}\n{text}");
        compared += 1;
        exact += walk.exact.len();
        states += walk.states.len();
    }
    println!("{compared} programs, {exact} states, {states} without names");
    assert!(compared > 55, "{compared} programs");
}

#[test]
fn unwritten_bytes_that_are_left_out_are_noticed() {
    let programs = (0..60).map(|seed| with_unwritten(seed, unwritten::Memory::Unwritten));
    all_are_noticed(vec![Mistake::Inputs(Forget::Unwritten)], programs);
}

fn with_times(seed: u64) -> Arc<Program> {
    written(&format!("times{seed}"), &times::program(seed))
}

#[test]
fn states_are_the_same_whatever_the_time_is() {
    let (mut compared, mut refused, mut exact, mut states) = (0, 0, 0, 0);
    let seeds = match std::env::var_os("SELVEDGE_LONG") {
        None => 150,
        Some(_) => 10_000,
    };
    for seed in 0..seeds {
        let program = with_times(seed);
        let (walk, complete) = Walk::of(&program, Mistake::Nothing);
        if program.refuses_relative_clocks() {
            refused += 1;
            continue;
        }
        if let Some(wrong) = walk.wrong {
            panic!("seed {seed}: {wrong}\n{}", times::program(seed));
        }
        if complete {
            compared += 1;
            exact += walk.exact.len();
            states += walk.states.len();
        }
    }
    println!("{compared} programs, {refused} refused, {exact} states, {states} without the time");
    assert!(
        compared > seeds / 3 && refused > seeds / 20 && states * 10 < exact * 9,
        "{compared} programs, {refused} refused, {exact} states, {states} without the time"
    );
}

#[test]
fn what_tells_states_with_times_apart_is_kept() {
    let mut refused = Vec::new();
    for (number, text) in times::by_hand().iter().enumerate() {
        let program = written(&format!("times_by_hand{number}"), text);
        let (walk, complete) = Walk::of(&program, Mistake::Nothing);
        refused.push(program.refuses_relative_clocks());
        if !program.refuses_relative_clocks() {
            assert!(complete);
            assert_eq!(walk.wrong, None, "{text}");
        }
    }
    assert_eq!(refused, [false, true, true], "times of another thread");
}

#[test]
fn times_that_are_left_out_are_noticed() {
    let programs = (0..150).map(with_times);
    all_are_noticed(vec![Mistake::Inputs(Forget::Times)], programs);
}

/// Programs that use what the machine has.
fn by_hand() -> impl Iterator<Item = Arc<Program>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fingerprint");
    let files = std::fs::read_dir(folder).expect("the folder is there");
    let mut files: Vec<PathBuf> = files.map(|file| file.expect("it can be listed").path()).collect();
    files.retain(|file| file.extension().is_some_and(|extension| extension == "c"));
    files.sort_unstable();
    files.into_iter().map(load)
}

#[test]
fn states_of_programs_by_hand_have_the_same_futures() {
    for (number, program) in by_hand().enumerate() {
        let (walk, _) = Walk::of(&program, Mistake::Nothing);
        assert_eq!(walk.wrong, None, "program {number}");
    }
}

/// An oracle counts only once it was seen to fail.
fn all_are_noticed(mut left: Vec<Mistake>, programs: impl Iterator<Item = Arc<Program>>) {
    for (number, program) in programs.enumerate() {
        left.retain(|&mistake| {
            let noticed = Walk::of(&program, mistake).0.wrong.is_some();
            if noticed {
                println!("{mistake:?}: program {number}");
            }
            !noticed
        });
        if left.is_empty() {
            return;
        }
    }
    panic!("nobody notices {left:?}");
}

#[test]
fn whatever_of_inputs_is_left_out_is_noticed() {
    let all = [
        Forget::Constraints,
        Forget::Links,
        Forget::Knowledge,
        Forget::Identity,
        Forget::Values,
    ];
    let who_knows = std::iter::once_with(|| written("who_knows", WHO_KNOWS));
    let programs = who_knows.chain((50..150).map(random));
    all_are_noticed(all.map(Mistake::Inputs).to_vec(), programs);
}

/// Main does one thing or another before it meets a lock, and then something that shows which:
/// nothing but one kind of fragment differs where it has the lock.
const DIFFERENCES: [(FragmentKind, &str, &str, &str); 12] = [
    (
        FragmentKind::Byte,
        "g = 1;",
        "g = 2;",
        "if (g == 1) puts(\"one\");",
    ),
    (
        FragmentKind::Object,
        "p = malloc(5);",
        "p = malloc(8);",
        "p[6] = 1;",
    ),
    (FragmentKind::Count, "sem_post(&s);", "", "sem_wait(&s);"),
    (
        FragmentKind::Held,
        "pthread_rwlock_rdlock(&rw);",
        "",
        "pthread_rwlock_wrlock(&rw);",
    ),
    (
        FragmentKind::Birth,
        "pthread_create(&t, 0, one, 0);",
        "pthread_create(&t, 0, two, 0);",
        "pthread_join(t, 0);",
    ),
    (
        FragmentKind::Flag,
        "pthread_detach(t0);",
        "",
        "pthread_join(t0, 0);",
    ),
    (FragmentKind::Word, "atexit(bye);", "", ""),
    (
        FragmentKind::Core,
        "errno = 1;",
        "errno = 2;",
        "if (errno == 1) puts(\"one\");",
    ),
    (
        FragmentKind::Frame,
        "local = 1;",
        "local = 2;",
        "if (local == 1) puts(\"one\");",
    ),
    (
        FragmentKind::Sync,
        "pthread_barrier_init(&b, 0, 1);",
        "pthread_barrier_init(&b, 0, 2);",
        "pthread_barrier_wait(&b);",
    ),
    // Who used a lock that nobody has initialised shows that it is there.
    (
        FragmentKind::User,
        "pthread_rwlock_rdlock(&zero); pthread_rwlock_unlock(&zero);",
        "",
        "pthread_rwlock_init(&zero, 0);",
    ),
    (
        FragmentKind::Dead,
        "p = malloc(5); q = malloc(5); free(p); free(q);",
        "p = malloc(5); q = malloc(5); free(q); free(p);",
        "if (malloc(5) == p) puts(\"one\");",
    ),
];

fn different(kind: FragmentKind, one: &str, other: &str, then: &str) -> Arc<Program> {
    let text = format!(
        "#include <errno.h>\n#include <pthread.h>\n#include <semaphore.h>\n#include <stdio.h>\n#include <stdlib.h>\n\
         _Bool __VERIFIER_nondet_bool(void);\n\
         static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;\nstatic pthread_rwlock_t rw, zero;\nstatic pthread_barrier_t b;\n\
         static sem_t s;\nstatic volatile int g;\nstatic char *volatile p, *volatile q;\nstatic pthread_t t, t0;\n\
         static void bye(void) {{ puts(\"bye\"); }}\n\
         static void *one(void *x) {{ puts(\"one\"); return x; }}\n\
         static void *two(void *x) {{ puts(\"two\"); return x; }}\n\
         static void *none(void *x) {{ pthread_mutex_lock(&m); pthread_mutex_unlock(&m); return x; }}\n\
         int main(void)\n{{\n    int local = 0;\n    (void)bye; (void)one; (void)two; (void)zero; (void)q;\n    sem_init(&s, 0, 0);\n\
         pthread_rwlock_init(&rw, 0);\n    pthread_rwlock_rdlock(&rw);\n    pthread_rwlock_unlock(&rw);\n\
         pthread_create(&t0, 0, none, 0);\n\
         if (__VERIFIER_nondet_bool()) {{ {one} }} else {{ {other} }}\n\
         pthread_mutex_lock(&m);\n    pthread_mutex_unlock(&m);\n    {then}\n    return 0;\n}}\n"
    );
    written(&format!("{kind:?}"), &text)
}

/// `Arena` and `FreeSlot` follow from the other kinds: `fingerprint.rs` says why, and that each is
/// kept up to date.
#[test]
fn every_kind_of_fragment_left_out_is_noticed() {
    let mut missed = Vec::new();
    for (kind, one, other, then) in DIFFERENCES {
        let program = different(kind, one, other, then);
        assert_eq!(Walk::of(&program, Mistake::Nothing).0.wrong, None, "{kind:?}");
        if Walk::of(&program, Mistake::Without(kind)).0.wrong.is_none() {
            missed.push(kind);
        }
    }
    assert!(missed.is_empty(), "nobody notices {missed:?}");
    all_are_noticed(
        vec![Mistake::Without(FragmentKind::Decision)],
        by_hand().chain((0..40).map(random)),
    );
}

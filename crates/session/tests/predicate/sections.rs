//! Sections of a mutex as one event (`--peek`), on random C programs whose threads mostly access
//! what a lock guards with that lock: the same findings as under conflict dependence.
//!
//! `SELVEDGE_SECTIONS=FROM..TO` runs other seeds.

use crate::{Also, agree, compared, seen_with};
use selvedge_model::Verdict;
use selvedge_session::{Dependence, Strategy};
use std::fmt::Write;
use std::ops::Range;

const SEEDS: Range<u64> = 0..60;

const START: &str = r"#include <assert.h>
#include <pthread.h>
void __VERIFIER_assume(int);
static int a, b, c, table[4];
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, n = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t *const of_table = &n;
static pthread_cond_t g = PTHREAD_COND_INITIALIZER;
static void put(pthread_mutex_t *lock, int *at, int value)
{
    pthread_mutex_lock(lock);
    *at = value;
    pthread_mutex_unlock(lock);
}
static int get(pthread_mutex_t *lock, const int *at)
{
    pthread_mutex_lock(lock);
    int value = *at;
    pthread_mutex_unlock(lock);
    return value;
}
";

#[derive(Default, Debug)]
struct Counts {
    programs: u32,
    violated: u32,
    verified: u32,
    fewer: u32,
}

struct Writer {
    random: fastrand::Rng,
    text: String,
    /// One program in two has what sections must not meet.
    strange: bool,
}

/// A program by its number.
fn program(seed: u64) -> String {
    let mut writer = Writer {
        random: fastrand::Rng::with_seed(seed ^ 0x5ec7),
        text: START.to_owned(),
        strange: seed % 2 == 1,
    };
    let threads = 2 + usize::from(seed % 3 == 2);
    for thread in 0..threads {
        let _ = writeln!(
            writer.text,
            "static void *t{thread}(void *arg)\n{{\n    int r = 0;"
        );
        for _ in 0..writer.random.u32(1..=5 - threads as u32) {
            writer.piece(thread);
        }
        writer.text += "    (void)r;\n    return arg;\n}\n";
    }
    writer.text += "int main(void)\n{\n    pthread_t id[3];\n    int r = 0;\n    b = 1;\n";
    for thread in 0..threads {
        let _ = writeln!(writer.text, "    pthread_create(&id[{thread}], 0, t{thread}, 0);");
    }
    if writer.random.u32(..3) == 0 {
        writer.piece(3);
    }
    for thread in 0..threads {
        let _ = writeln!(writer.text, "    pthread_join(id[{thread}], 0);");
    }
    let place = writer.place(0).0;
    let value = writer.random.u32(0..3);
    let _ = writeln!(
        writer.text,
        "    assert({place} != {value} || r);\n    return 0;\n}}"
    );
    writer.text
}

impl Writer {
    /// A place in memory, mostly one of the thread's own, and the lock that guards it.
    fn place(&mut self, thread: usize) -> (String, &'static str) {
        match self.random.u32(..8) {
            0..4 => (format!("table[{thread}]"), "of_table"),
            4 => (format!("table[{}]", self.random.u32(..4)), "of_table"),
            5 => ("a".to_owned(), "&m"),
            6 => ("b".to_owned(), "&m"),
            _ => ("c".to_owned(), "&n"),
        }
    }

    fn piece(&mut self, thread: usize) {
        let (place, lock) = self.place(thread);
        let value = self.random.u32(1..3);
        if self.strange && self.random.u32(..3) == 0 {
            return self.strange_piece((&place, lock, value));
        }
        let text = match self.random.u32(..8) {
            0 | 1 => format!("    put({lock}, &{place}, {value});\n"),
            2 => format!("    r = get({lock}, &{place});\n"),
            3 => format!("    assert(get({lock}, &{place}) != {value});\n"),
            _ => {
                let inside = self.inside(&place, lock, thread);
                format!("    pthread_mutex_lock({lock});\n{inside}    pthread_mutex_unlock({lock});\n")
            }
        };
        self.text += &text;
    }

    /// What a section does, to places with the same lock.
    fn inside(&mut self, place: &str, lock: &str, thread: usize) -> String {
        let value = self.random.u32(1..3);
        let (other, guard) = self.place(thread);
        let other = if guard == lock { &other } else { place };
        match self.random.u32(..7) {
            0 => format!("    {place}++;\n"),
            1 => format!("    if ({place} == {value})\n        {other} = r;\n"),
            2 => format!("    r = {place};\n    {other} = r + 1;\n"),
            3 => format!("    for (int i = 0; i < {value}; i++)\n        {place} += i;\n"),
            4 => format!("    r = {place};\n    assert({other} != {value});\n"),
            5 => format!("    {place} = {value};\n    {other} = 0;\n"),
            _ => format!("    *(r ? &{place} : &{other}) = {value};\n"),
        }
    }

    /// What must not be taken for a section that is one event.
    fn strange_piece(&mut self, (place, lock, value): (&str, &str, u32)) {
        let text = match self.random.u32(..9) {
            0 => format!("    {place} = {value};\n"),
            1 => format!("    assert({place} != {value});\n"),
            2 => format!(
                "    pthread_mutex_lock({lock});\n    if ({place} == {value})\n        return arg_or_zero;\n    pthread_mutex_unlock({lock});\n"
            ),
            3 => format!(
                "    pthread_mutex_lock(&m);\n    put(&n, &{place}, {value});\n    pthread_mutex_unlock(&m);\n"
            ),
            4 => format!(
                "    pthread_mutex_lock(&n);\n    put(&m, &{place}, {value});\n    pthread_mutex_unlock(&n);\n"
            ),
            5 => format!(
                "    if (pthread_mutex_trylock({lock}) == 0) {{\n        {place} = {value};\n        pthread_mutex_unlock({lock});\n    }} else\n        a = 2;\n"
            ),
            6 => format!(
                "    pthread_mutex_lock({lock});\n    __VERIFIER_assume({place} != {value});\n    pthread_mutex_unlock({lock});\n"
            ),
            7 => format!(
                "    pthread_mutex_lock({lock});\n    {place} = {value};\n    pthread_cond_signal(&g);\n    pthread_mutex_unlock({lock});\n"
            ),
            _ => format!(
                "    pthread_mutex_lock({lock});\n    if (!{place})\n        pthread_cond_wait(&g, {lock});\n    pthread_mutex_unlock({lock});\n"
            ),
        };
        self.text += &text.replace("arg_or_zero", "0");
    }
}

fn compare(seed: u64, counts: &mut Counts) -> Result<(), String> {
    let name = format!("section{seed}");
    let (path, program) =
        compared::load("predicate", &name, &program(seed)).unwrap_or_else(|e| panic!("{e}"));
    let misuse = true;
    let all = seen_with(
        &path,
        &program,
        (Dependence::Conflict, Strategy::Dpor, Also::Nothing),
        misuse,
    );
    let Some(all) = all else { return Ok(()) };
    let explored = |also| {
        let by = (Dependence::Predicate, Strategy::Dpor, also);
        seen_with(&path, &program, by, misuse).ok_or(format!("{name}: too large"))
    };
    let (whole, few) = (explored(Also::Nothing)?, explored(Also::Peek)?);
    counts.programs += 1;
    counts.violated += u32::from(all.seen.verdict == Verdict::Violated);
    counts.verified += u32::from(all.seen.verdict == Verdict::Verified);
    counts.fewer += u32::from(few.executions < whole.executions);
    if few.executions > whole.executions {
        return Err(format!(
            "{name}: {} > {} executions",
            few.executions, whole.executions
        ));
    }
    agree(&path, "peek", &all, &few)
}

#[test]
fn sections_as_one_event_lose_nothing() {
    let counts = compared::all("SELVEDGE_SECTIONS", SEEDS, compare);
    let enough = counts.violated > 10 && counts.verified > 10 && counts.fewer > 20;
    assert!(
        compared::chosen("SELVEDGE_SECTIONS").is_some() || enough,
        "{counts:?}"
    );
}

/// Two threads for each condition that random programs show too rarely. What is lost if it is left
/// out may be found first by chance, so the threads are also created the other way round.
const CASES: &[(&str, &str)] = &[
    // An access beside a section sees what is between two accesses in it.
    (
        "L(m); a = 1; a = 2; U(m);",
        "L(m); c = 1; U(m); assert(a != 1); assert(a != 2); assert(a);",
    ),
    // A lock that is tried while a section holds it, and while none does.
    (
        "L(m); a = 1; U(m);",
        "if (pthread_mutex_trylock(&m)) assert(0); else { c = 1; U(m); assert(!c); }",
    ),
    // A section that stops inside, before the other one or after it. (If only one order were
    // explored, no finding would be lost here: toys show it, by their ends.)
    (
        "L(m); __VERIFIER_assume(table[1] == 1); U(m); assert(0);",
        "L(m); c = 1; U(m); assert(!c);",
    ),
    (
        "L(m); if (c == 0) c = 2; __VERIFIER_assume(c != 1); U(m); assert(c == 1);",
        "L(m); table[2] = 1; U(m); assert(!table[2]);",
    ),
    // A section that has no end.
    ("L(m); a = 1;", "L(m); c = 1; U(m); assert(!c);"),
    // Another lock inside.
    ("L(m); L(n); U(n); U(m);", "L(n); L(m); U(m); U(n);"),
    // Nothing in common, and accesses beside.
    (
        "a = b; L(m); U(m); assert(a);",
        "L(m); U(m); b = 2; assert(b != 2);",
    ),
];

#[test]
fn each_condition_matters_in_a_small_program() {
    let mut wrong = Vec::new();
    for (number, (one, other)) in CASES.iter().enumerate() {
        for swapped in [false, true] {
            let (first, second) = if swapped { (other, one) } else { (one, other) };
            let text = format!(
                "{START}#define L(x) pthread_mutex_lock(&x)\n#define U(x) pthread_mutex_unlock(&x)\n\
                 static void *t0(void *arg)\n{{\n    {}\n    return arg;\n}}\n\
                 static void *t1(void *arg)\n{{\n    {}\n    return arg;\n}}\n\
                 int main(void)\n{{\n    pthread_t id[2];\n    pthread_create(&id[0], 0, t0, 0);\n    \
                 pthread_create(&id[1], 0, t1, 0);\n    pthread_join(id[0], 0);\n    pthread_join(id[1], 0);\n    return 0;\n}}\n",
                lines(first),
                lines(second)
            );
            let name = format!("case{number}-{swapped}");
            let (path, program) = compared::load("predicate", &name, &text).unwrap_or_else(|e| panic!("{e}"));
            let explored = |by, also| seen_with(&path, &program, (by, Strategy::Dpor, also), true);
            let all = explored(Dependence::Conflict, Also::Nothing).expect("it is small");
            let few = explored(Dependence::Predicate, Also::Peek).expect("it is small");
            wrong.extend(agree(&path, "peek", &all, &few).err());
            assert!(all.seen.verdict == Verdict::Violated, "{name} shows nothing");
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// Each statement in a line of its own, so that assertions are told apart.
fn lines(text: &str) -> String {
    text.replace("; ", ";\n    ")
}

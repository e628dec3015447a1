//! Thread choices of `stateful`: how many are counted, of which kinds, and whether as much is found
//! with few of them as with all (`--visibility memory`). In random programs with arrays each thread
//! that goes first is compared with brute force, too. Toys with arrays are compared with an
//! enumerator of their own (`toys`).
//!
//! `SELVEDGE_CHOICES=FROM..TO` runs other seeds; `SELVEDGE_CHOICES_KEEP=1` goes on after a failure
//! and shows all of them.

#[path = "../compared/mod.rs"]
#[allow(dead_code, reason = "shared by several tests")]
mod compared;
mod generate;
mod toys;

use compared::Seen;
use selvedge_explore::Stop;
use selvedge_model::{Property, Verdict};
use selvedge_report::{RunReport, Statistics};
use selvedge_session::{Options, Strategy, Symmetry, Unobserved, Visibility, check};
use std::panic::catch_unwind;

/// Explorations of more executions than this are left out.
const MAX_EXECUTIONS: u64 = 20_000;

/// Two threads that run the same function, with the numbers 0 and 1.
fn program(globals: &str, body: &str) -> String {
    format!(
        "#include <assert.h>
#include <pthread.h>
{globals}
static void *run(void *argument) {{
    int me = (int)(long)argument;
    (void)me;
    {body}
    return 0;
}}
int main(void) {{
    pthread_t threads[2];
    for (long i = 0; i < 2; i++)
        pthread_create(&threads[i], 0, run, (void *)i);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], 0);
    return 0;
}}
"
    )
}

/// What a session says with everything that is counted.
fn report(folder: &str, name: &str, text: &str, visibility: Visibility, races: bool) -> RunReport {
    let (path, program) = compared::load(folder, name, text).unwrap_or_else(|e| panic!("{e}"));
    let mut options = Options {
        strategy: Some(Strategy::Stateful),
        visibility,
        counts_choices: true,
        necessary_choices: true,
        stop: Stop::Never,
        symmetry: Symmetry::Off,
        max_executions: Some(MAX_EXECUTIONS),
        setup: compared::setup(&path),
        properties: [Property::Assertion, Property::Deadlock, Property::Deref].into(),
        ..Options::default()
    };
    if races {
        options.properties.insert(Property::DataRace);
    }
    let checked = check(&program, &options, &Unobserved).unwrap_or_else(|e| panic!("{name}: {e}"));
    checked.report
}

fn statistics(name: &str, text: &str, visibility: Visibility) -> Statistics {
    let report = report("choices", name, text, visibility, false);
    assert_eq!(report.verdict, Verdict::Verified, "{name}: {:?}", report.reasons);
    report.statistics
}

/// The numbers of choices at fields, elements and others.
fn counted(name: &str, text: &str, visibility: Visibility) -> (u64, u64, u64) {
    let s = statistics(name, text, visibility);
    assert_eq!(
        s.thread_choices,
        s.field_choices + s.element_choices + s.other_choices
    );
    (s.field_choices, s.element_choices, s.other_choices)
}

#[test]
fn choices_are_counted_by_kind() {
    // Two threads, one write each: the only state with two enabled threads whose next actions are
    // not local is the one before both writes.
    let field = program("int x;", "x = me;");
    assert_eq!(counted("field", &field, Visibility::Memory), (1, 0, 0));
    let element = program("int x[4];", "x[me & 0] = me;");
    assert_eq!(counted("element", &element, Visibility::Memory), (0, 1, 0));
    // The index is constant, but the type of the object says that it is an element.
    let constant = program("int x[4];", "x[2] = me;");
    assert_eq!(counted("constant", &constant, Visibility::Memory), (0, 1, 0));
    let lock = program(
        "pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;",
        "pthread_mutex_lock(&m); pthread_mutex_unlock(&m);",
    );
    let (fields, elements, other) = counted("lock", &lock, Visibility::Memory);
    assert!(fields == 0 && elements == 0 && other > 0, "{other}");
}

#[test]
fn nothing_is_counted_where_only_one_thread_is_taken() {
    let own = program("int x[2];", "x[me] = 1;");
    let (_, elements, _) = counted("own", &own, Visibility::Memory);
    assert!(elements > 0);
    assert_eq!(counted("own", &own, Visibility::Hybrid), (0, 0, 0));
}

/// The examples of Parízek (VMCAI 2016), section 3, in which the paper's analysis keeps a choice
/// without need: a loop over elements of which the active thread's is none, and outer dimensions.
#[test]
fn examples_of_the_paper_make_no_choice() {
    let examples = [
        (
            "loop",
            "int data[16], x = 1;",
            "data[12] = x;",
            "int y = 0; for (int v = 0; v < 10; v++) y += data[v]; return (void *)(long)y;",
        ),
        (
            "innermost",
            "int data[3][4], row = 1, other = 1, x = 1;",
            "data[row][0] = x;",
            "return (void *)(long)data[other][1];",
        ),
        (
            "outer",
            "int data[3][4], column = 2, other = 2, x = 1;",
            "data[0][column] = x;",
            "return (void *)(long)data[1][other];",
        ),
        (
            "rows",
            "int first[4], second[4], *data[2] = {first, second}, column = 2, other = 2, x = 1;",
            "data[0][column] = x;",
            "return (void *)(long)data[1][other];",
        ),
    ];
    for (name, globals, active, other) in examples {
        let text = format!(
            "#include <pthread.h>
{globals}
static void *run(void *argument) {{ {other} return argument; }}
int main(void) {{
    pthread_t thread;
    pthread_create(&thread, 0, run, 0);
    {active}
    pthread_join(thread, 0);
    return 0;
}}
"
        );
        let all = statistics(name, &text, Visibility::Memory);
        let few = statistics(name, &text, Visibility::Hybrid);
        assert!(all.element_choices > 0, "{name}");
        assert_eq!(all.necessary_choices, 0, "{name}");
        assert_eq!(few.thread_choices, 0, "{name}");
    }
}

#[test]
fn objects_that_no_other_thread_reaches_make_no_choice() {
    let own = program(
        "#include <stdlib.h>\nint *volatile given;",
        "int *p = malloc(8); p[me] = 1; p[0] = me; free(p);",
    );
    let all = statistics("own_block", &own, Visibility::Memory);
    let few = statistics("own_block", &own, Visibility::Reachable);
    assert!(
        all.element_choices > 0 && few.element_choices == 0,
        "{all:?} {few:?}"
    );
    // From the statement that gives it away on, each access is a choice.
    let given = program(
        "#include <stdlib.h>\nint *volatile given;",
        "int *p = calloc(2, 4); p[me] = 1; given = p; p[0] = me;",
    );
    let few = statistics("given_block", &given, Visibility::Reachable);
    assert!(few.element_choices > 0, "{few:?}");
}

/// Addresses that threads hide in numbers and compute again.
#[test]
fn hidden_addresses_are_no_verdict() {
    let hides = [
        (
            "xor",
            "hidden[0] = (long)p ^ 0x5555555555;",
            "(int *)(hidden[0] ^ 0x5555555555)",
        ),
        ("complement", "hidden[0] = ~(long)p;", "(int *)~hidden[0]"),
        (
            "halves",
            "hidden[0] = (long)p >> 20; hidden[1] = (long)p & 0xfffff;",
            "(int *)(hidden[0] << 20 | hidden[1])",
        ),
    ];
    for (name, hide, show) in hides {
        let text = format!(
            "#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
int *volatile given;
static volatile long hidden[2];
static volatile int told;
static void *run(void *argument) {{
    int *p = given;
    {hide}
    given = 0;
    while (!told)
        ;
    int *q = {show};
    *q = 1;
    return argument;
}}
int main(void) {{
    pthread_t thread;
    volatile int *block = calloc(1, sizeof(int));
    given = (int *)block;
    pthread_create(&thread, 0, run, 0);
    while (given)
        ;
    *block = 2;
    told = 1;
    assert(*block == 2);
    pthread_join(thread, 0);
    return 0;
}}
"
        );
        let all = report("hidden", name, &text, Visibility::Memory, false);
        assert_eq!(all.verdict, Verdict::Violated, "{name}");
        let few = report("hidden", name, &text, Visibility::Reachable, false);
        let says = few.reasons.iter().any(|reason| reason.detail.contains("hidden"));
        assert!(
            few.verdict != Verdict::Verified && says,
            "{name}: {:?}",
            few.reasons
        );
    }
}

/// `true` was wrong here while only the first of several objects was considered to which a pointer
/// leads that is moved by an unknown index.
#[test]
fn a_pointer_may_lead_to_one_of_several_objects() {
    for read in ["first[0]", "second[0]", "second[1]"] {
        let text = format!(
            "#include <assert.h>
#include <pthread.h>
long __VERIFIER_nondet_long(void);
static int first[2], second[2];
static int *arrays[2] = {{first, second}};
static long which, element;
static void *work(void *unused) {{
    arrays[which & 1][element] = 1;
    return unused;
}}
int main(void) {{
    pthread_t thread;
    which = __VERIFIER_nondet_long();
    element = __VERIFIER_nondet_long();
    if (element < 0 || element > 1)
        return 0;
    pthread_create(&thread, 0, work, 0);
    int seen = {read};
    assert(seen == 0);
    pthread_join(thread, 0);
    return 0;
}}
"
        );
        for visibility in [Visibility::Memory, Visibility::Fields, Visibility::Hybrid] {
            let report = report("choices", "several", &text, visibility, false);
            assert_eq!(report.verdict, Verdict::Violated, "{read}, {}", visibility.word());
        }
    }
}

#[derive(Default, Debug)]
struct Counts {
    compared: u32,
    too_large: u32,
    verified: u32,
    violated: u32,
    /// Thread choices that are made, and those that are necessary, for each visibility.
    choices: [(u64, u64); 4],
}

fn compare(seed: u64, counts: &mut Counts) -> Result<(), String> {
    let text = generate::program(seed);
    let races = seed.is_multiple_of(3);
    let mut expected: Option<Seen> = None;
    let visibilities = [
        Visibility::Memory,
        Visibility::Reachable,
        Visibility::Fields,
        Visibility::Hybrid,
    ];
    for (number, visibility) in visibilities.into_iter().enumerate() {
        let run = || report("random_choices", &seed.to_string(), &text, visibility, races);
        let report = catch_unwind(run).map_err(|_| format!("{}: a panic", visibility.word()))?;
        if report.reasons.iter().any(|reason| reason.limit.is_some()) {
            counts.too_large += 1;
            return Ok(());
        }
        let (made, necessary) = &mut counts.choices[number];
        *made += report.statistics.thread_choices;
        *necessary += report.statistics.necessary_choices;
        let seen = Seen::of(&report);
        let expected = expected.get_or_insert_with(|| Seen::of(&report));
        if seen != *expected {
            return Err(format!("{}: {seen:?} instead of {expected:?}", visibility.word()));
        }
    }
    counts.compared += 1;
    let verified = expected.is_some_and(|seen| seen.verdict == Verdict::Verified);
    counts.verified += u32::from(verified);
    counts.violated += u32::from(!verified);
    Ok(())
}

#[test]
fn as_much_is_found_with_few_choices_as_with_all() {
    // `cargo xtask nightly` sets the variable.
    let most = if std::env::var_os("SELVEDGE_LONG").is_some() {
        3_000
    } else {
        20
    };
    let counts: Counts = compared::all("SELVEDGE_CHOICES", 0..most, compare);
    if compared::chosen("SELVEDGE_CHOICES").is_none() {
        assert!(counts.verified > 5 && counts.violated > 5);
        let [all, reachable, fields, hybrid] = counts.choices.map(|(made, _)| made);
        assert!(hybrid < fields && fields < reachable && reachable <= all);
    }
}

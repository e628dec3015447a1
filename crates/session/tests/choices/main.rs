//! Thread choices of `stateful`: how many are counted, and of which kinds.

#[path = "../compared/mod.rs"]
#[allow(dead_code, reason = "shared by several tests")]
mod compared;

use selvedge_explore::Stop;
use selvedge_model::{Property, Verdict};
use selvedge_report::Statistics;
use selvedge_session::{Options, Strategy, Symmetry, Unobserved, Visibility, check};

/// Two threads that run the same function, with the numbers 0 and 1.
fn program(globals: &str, body: &str) -> String {
    format!(
        "#include <assert.h>
#include <pthread.h>
{globals}
static void *run(void *p) {{
    int me = (int)(long)p;
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

fn statistics(name: &str, text: &str, visibility: Visibility) -> Statistics {
    let (path, program) = compared::load("choices", name, text).unwrap_or_else(|e| panic!("{e}"));
    let options = Options {
        strategy: Some(Strategy::Stateful),
        visibility,
        counts_choices: true,
        stop: Stop::Never,
        symmetry: Symmetry::Off,
        setup: compared::setup(&path),
        properties: [Property::Assertion, Property::Deadlock].into(),
        ..Options::default()
    };
    let checked = check(&program, &options, &Unobserved).unwrap_or_else(|e| panic!("{name}: {e}"));
    assert_eq!(checked.report.verdict, Verdict::Verified, "{name}");
    checked.report.statistics
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

//! The real program on the schedule of a finding.

use crate::{STATS, found, run};
use std::path::Path;

/// A lost wakeup: nobody sees one in a hundred plain runs.
const LOST: &str = r#"#include <pthread.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static void *announce(void *p) {
    pthread_mutex_lock(&m);
    pthread_cond_signal(&c);
    pthread_mutex_unlock(&m);
    return p;
}
int main(void) {
    pthread_t a;
    pthread_create(&a, 0, announce, 0);
    pthread_mutex_lock(&m);
    pthread_cond_wait(&c, &m);
    pthread_mutex_unlock(&m);
    pthread_join(a, 0);
    return 0;
}
"#;

/// An assertion that fails for one input of one thread, and in one order.
const INPUT: &str = r#"#include <assert.h>
#include <pthread.h>
extern int __VERIFIER_nondet_int(void);
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int x;
static void *setter(void *p) {
    int k = __VERIFIER_nondet_int();
    pthread_mutex_lock(&m);
    x = k;
    pthread_mutex_unlock(&m);
    return p;
}
int main(void) {
    pthread_t a;
    pthread_create(&a, 0, setter, 0);
    pthread_mutex_lock(&m);
    int seen = x;
    pthread_mutex_unlock(&m);
    pthread_join(a, 0);
    assert(seen != -77);
    return 0;
}
"#;

/// A use after free that needs an order.
const FREED: &str = r#"#include <pthread.h>
#include <stdlib.h>
static pthread_mutex_t m;
static int *shared;
static void *frees(void *p) {
    pthread_mutex_lock(&m);
    free(shared);
    pthread_mutex_unlock(&m);
    return p;
}
int main(void) {
    pthread_t a;
    pthread_mutex_init(&m, 0); // what comes before threads is no step
    pthread_mutex_lock(&m);
    shared = malloc(sizeof *shared);
    *shared = 1;
    pthread_mutex_unlock(&m);
    pthread_create(&a, 0, frees, 0);
    pthread_mutex_lock(&m);
    int seen = *shared;
    pthread_mutex_unlock(&m);
    pthread_join(a, 0);
    return seen - 1;
}
"#;

fn natively(directory: &Path) -> (i32, String) {
    let (code, out, err) = run(directory, &["replay", "FINDING.json", "--native"]);
    (code, format!("{out}{err}"))
}

#[test]
fn the_native_program_shows_the_finding() {
    for (program, says) in [
        (LOST, "all threads wait"),
        (INPUT, "Assertion `seen != -77' failed"),
        (FREED, "heap-use-after-free"),
        (STATS, "ThreadSanitizer: data race"),
    ] {
        // The name of a thread is no call that is ordered.
        let program = program.replace("    prctl(PR_SET_NAME, \"reader with a long name\");\n", "");
        let (directory, _) = found(&program, &[]);
        let (code, text) = natively(directory.path());
        assert_eq!(code, 10, "{says}: {text}");
        assert!(text.contains(says), "{says}: {text}");
        assert!(text.contains("the native program shows it, too"), "{text}");
    }
}

#[test]
fn another_program_is_told_from_it() {
    let (directory, _) = found(INPUT, &[]);
    let file = directory.path().join("program.c");
    // The environment is empty in the machine, and is not for the native program.
    let native = INPUT.replace("seen != -77", "seen != -77 || getenv(\"SELVEDGE_INPUTS\")");
    let native = format!("#include <stdlib.h>\n{native}");
    std::fs::write(&file, native).unwrap();
    let (code, out, err) = run(directory.path(), &["check", "program.c"]);
    assert_eq!(code, 10, "{out}{err}");
    let (code, text) = natively(directory.path());
    assert_eq!(code, 5, "{text}");
    assert!(
        text.contains("unknown(the native program: it does not show the finding)\n"),
        "{text}"
    );
}

#[test]
fn what_cannot_be_ordered_is_named() {
    let atomic = r#"#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
static atomic_int x;
static void *set(void *p) { x = 1; return p; }
int main(void) {
    pthread_t a;
    pthread_create(&a, 0, set, 0);
    assert(x == 0);
    pthread_join(a, 0);
    return 0;
}
"#;
    let (directory, _) = found(atomic, &[]);
    let (code, text) = natively(directory.path());
    assert_eq!(code, 5, "{text}");
    assert!(
        text.contains("unknown(a native run with accesses to memory as steps (program.c:"),
        "{text}"
    );
}

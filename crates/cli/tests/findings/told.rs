//! The schedule as people read it.

use crate::{STATS, found};

#[test]
fn threads_have_the_names_that_the_program_gives_them() {
    let (_, out) = found(STATS, &[]);
    assert!(out.contains("thread 0.2 \"writer\" (writer)"), "{out}");
    // Longer names are cut as Linux does.
    assert!(out.contains("thread 0.1 \"reader with a l\" (reader)"), "{out}");
}

#[test]
fn steps_that_do_not_matter_are_left_out() {
    let (directory, out) = found(STATS, &[]);
    assert!(!out.contains("`other`"), "{out}");
    let left_out = out
        .lines()
        .find(|line| line.contains("do not matter are left out"));
    let number: usize = left_out
        .and_then(|line| line.trim().split(' ').next()?.parse().ok())
        .unwrap_or_else(|| panic!("{out}"));
    let arguments = ["check", "--strategy", "dpor", "--trace", "all", "program.c"];
    let (_, all, _) = crate::run(directory.path(), &arguments);
    assert_eq!(all.matches("lock `other`").count(), 4, "{all}");
    assert!(!all.contains("left out"), "{all}");
    let steps = |text: &str| {
        text.lines()
            .filter(|line| line.starts_with("    program.c:"))
            .count()
    };
    assert_eq!(steps(&out) + number, steps(&all), "{out}{all}");
    // Each unlock is shown with its lock.
    let count = |word: &str| out.matches(&format!("  {word} `m`")).count();
    assert!(count("lock") >= count("unlock"), "{out}");
}

#[test]
fn the_cause_of_a_race_counts_the_places_with_the_lock() {
    let (_, out) = found(STATS, &[]);
    let cause = out
        .lines()
        .find(|line| line.starts_with("cause: "))
        .unwrap_or_default();
    assert!(
        cause.contains("of the 3 places that were seen to use it hold `m`")
            || cause.contains("holds no lock"),
        "{out}"
    );
    if out.contains("where it is used") {
        assert!(out.contains("holding no lock"), "{out}");
        assert!(out.contains("holding `m`"), "{out}");
    }
}

#[test]
fn a_read_that_comes_too_early_is_kept() {
    let text = "#include <assert.h>\n#include <pthread.h>\n#include <stdatomic.h>\natomic_int ready;\n\
        pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;\n\
        static void *setter(void *p) { atomic_store(&ready, 1); return p; }\n\
        int main(void) {\n  pthread_t t;\n  pthread_create(&t, 0, setter, 0);\n  int seen = atomic_load(&ready);\n\
        pthread_mutex_lock(&m);\n  pthread_mutex_unlock(&m);\n  pthread_join(t, 0);\n  assert(seen);\n  return 0;\n}\n";
    let (_, out) = found(text, &["--property", "assertion"]);
    assert!(
        out.contains("atomic read `ready`: 0") || out.contains("read `ready`: 0"),
        "{out}"
    );
    assert!(!out.contains("`m`"), "{out}");
}

/// A queue that is closed: one of two workers is told.
const CLOSED: &str = r#"#include <pthread.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static int items, closed;
static void *worker(void *p) {
    pthread_mutex_lock(&m);
    while (items == 0 && !closed)
        pthread_cond_wait(&c, &m);
    if (items > 0)
        items--;
    pthread_mutex_unlock(&m);
    return p;
}
int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, worker, 0);
    pthread_create(&b, 0, worker, 0);
    pthread_mutex_lock(&m);
    closed = 1;
    pthread_cond_signal(&c);
    pthread_mutex_unlock(&m);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
"#;

#[test]
fn a_cause_says_what_the_execution_shows() {
    let (_, out) = found(CLOSED, &["--spurious-wakeups", "off"]);
    let cause = out.lines().find(|line| line.starts_with("cause: ")).unwrap();
    assert!(
        cause.contains("the last signal of `c` (thread 0, program.c:20) wakes thread 0."),
        "{cause}"
    );
    // The condition is tested in a loop, and the signal is not too early.
    assert!(!cause.contains("`while`") && !cause.contains("before"), "{cause}");
    // One that tests with `if`, takes what is not there, and is woken without a signal.
    let untested = CLOSED.replace("while (items", "if (items").replace(
        "    if (items > 0)\n        items--;",
        "    int left = 1 / (items + closed);\n    (void)left;",
    );
    let (_, out) = found(&untested, &["--property", "arithmetic,data-race"]);
    let cause = out.lines().find(|line| line.starts_with("cause: ")).unwrap();
    assert!(
        cause.contains("does not test its condition again: `while` is needed"),
        "{cause}"
    );
    // One that tests again at another place, and says that it may be tried again.
    let (_, out) = found(TESTED_ELSEWHERE, &[]);
    let cause = out.lines().find(|line| line.starts_with("cause: ")).unwrap();
    let says = "cause: the wait of thread 0 on `c` at program.c:9 ends without a signal (--spurious-wakeups off leaves that out)";
    assert_eq!(cause, says);
    // One that frees what others use, because it did not test again.
    let (_, out) = found(FREED_TOO_EARLY, &[]);
    let cause = out.lines().find(|line| line.starts_with("cause: ")).unwrap();
    assert!(
        cause.contains("while thread 0.1 still uses it; thread 0 waits on ")
            && cause.ends_with(
                "wakes without a signal, and does not test its condition again: `while` is needed, not `if`"
            ),
        "{cause}"
    );
}

const TESTED_ELSEWHERE: &str = "#include <assert.h>
#include <pthread.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static int full;
static int take(void) {
    pthread_mutex_lock(&m);
    if (!full) {
        pthread_cond_wait(&c, &m);
        if (!full) {
            pthread_mutex_unlock(&m);
            return 1;
        }
    }
    full = 0;
    pthread_mutex_unlock(&m);
    return 0;
}
static void *put(void *p) {
    pthread_mutex_lock(&m);
    full = 1;
    pthread_cond_signal(&c);
    pthread_mutex_unlock(&m);
    return p;
}
int main(void) {
    pthread_t t;
    pthread_create(&t, 0, put, 0);
    assert(take() == 0);
    pthread_join(t, 0);
}
";

const FREED_TOO_EARLY: &str = "#include <pthread.h>
#include <stdlib.h>
struct pool {
    pthread_mutex_t m;
    pthread_cond_t done;
    int threads;
};
static void *work(void *p) {
    struct pool *q = p;
    pthread_mutex_lock(&q->m);
    if (--q->threads == 0)
        pthread_cond_signal(&q->done);
    pthread_mutex_unlock(&q->m);
    return 0;
}
int main(void) {
    struct pool *q = malloc(sizeof *q);
    pthread_t t;
    pthread_mutex_init(&q->m, 0);
    pthread_cond_init(&q->done, 0);
    q->threads = 1;
    pthread_create(&t, 0, work, q);
    pthread_detach(t);
    pthread_mutex_lock(&q->m);
    if (q->threads)
        pthread_cond_wait(&q->done, &q->m);
    pthread_mutex_unlock(&q->m);
    free(q);
}
";

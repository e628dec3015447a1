//! Condition variables.

use crate::explorer::{run, run_with};
use selvedge_model::FaultKind;
use selvedge_vm::Options;

const WAITER: &str = "
    pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER; pthread_cond_t c = PTHREAD_COND_INITIALIZER; int ready, result;
    void *f(void *x) { pthread_mutex_lock(&m); WAIT pthread_mutex_unlock(&m); return x; }
    int main(void) { pthread_t a; pthread_create(&a, 0, f, 0); pthread_mutex_lock(&m); ready = 1; pthread_cond_signal(&c);
        pthread_mutex_unlock(&m); pthread_join(a, 0); SAY(\"%d\", result); }";

#[test]
fn waiting_for_a_predicate() {
    run(&WAITER.replace("WAIT", "while (!ready) pthread_cond_wait(&c, &m);")).prints(&["0"]);
}

#[test]
fn a_lost_wakeup_blocks() {
    run(&WAITER.replace("WAIT", "pthread_cond_wait(&c, &m);")).deadlocks();
}

#[test]
fn a_wait_may_time_out() {
    let body = WAITER.replace(
        "WAIT",
        "if (!ready) result = pthread_cond_timedwait(&c, &m, &later) + 1000 * ready;",
    );
    // Not waiting; woken; timed out before the signal and after it.
    run(&body).prints(&["0", "1000", "110", "1110"]);
    run_with(
        &body,
        Options {
            timeouts: false,
            ..Options::default()
        },
    )
    .prints(&["0", "1000"]);
}

#[test]
fn a_wait_may_wake_without_reason() {
    let body = WAITER.replace(
        "WAIT",
        "if (!ready) { pthread_cond_wait(&c, &m); result = 1 + ready; }",
    );
    run(&body).prints(&["0", "2"]);
    run_with(
        &body,
        Options {
            spurious_wakeups: true,
            ..Options::default()
        },
    )
    .prints(&["0", "1", "2"]);
}

#[test]
fn a_signal_wakes_any_one_waiter() {
    let body = "
        pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER; pthread_cond_t c = PTHREAD_COND_INITIALIZER; int n, w; char s[4];
        void *f(void *x) { pthread_mutex_lock(&m); w++; while (w < 3) pthread_cond_wait(&c, &m); s[n++] = *(char *)x;
            pthread_mutex_unlock(&m); return 0; }
        int main(void) { pthread_t a, b; pthread_create(&a, 0, f, \"a\"); pthread_create(&b, 0, f, \"b\");
            pthread_mutex_lock(&m); if (w == 2) { w = 3; WAKE } else { w = 3; } pthread_mutex_unlock(&m);
            pthread_join(a, 0); pthread_join(b, 0); SAY(\"%s\", s); }";
    let both = run(&body.replace("WAKE", "pthread_cond_broadcast(&c);"));
    assert!(
        both.outputs.contains("ab") && both.outputs.contains("ba"),
        "{both:?}"
    );
    assert!(
        both.deadlock,
        "one waiter, and the other is woken by nobody: {both:?}"
    );
    let one = run(&body.replace(
        "WAKE",
        "pthread_cond_signal(&c); pthread_mutex_unlock(&m); pthread_mutex_lock(&m); pthread_cond_signal(&c);",
    ));
    assert!(
        one.outputs.contains("ab") && one.outputs.contains("ba"),
        "{one:?}"
    );
}

#[test]
fn wrong_uses() {
    run("pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER; pthread_cond_t c = PTHREAD_COND_INITIALIZER; int main(void) { pthread_cond_wait(&c, &m); }")
        .faults(FaultKind::CondWaitUnlocked);
    run("pthread_mutex_t m = PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP; pthread_cond_t c = PTHREAD_COND_INITIALIZER;
         int main(void) { SAY(\"%d\", pthread_cond_wait(&c, &m)); }")
    .prints(&["1"]);
    let two = run("
        pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, k = PTHREAD_MUTEX_INITIALIZER; pthread_cond_t c = PTHREAD_COND_INITIALIZER;
        void *f(void *x) { pthread_mutex_lock(x); pthread_cond_wait(&c, x); pthread_mutex_unlock(x); return 0; }
        int main(void) { pthread_t a, b; pthread_create(&a, 0, f, &m); pthread_create(&b, 0, f, &k); pthread_join(a, 0); }");
    assert!(two.faults.contains(&FaultKind::CondTwoMutexes), "{two:?}");
    let destroyed = run("
        pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER; pthread_cond_t c; int w;
        void *f(void *x) { pthread_mutex_lock(&m); w = 1; pthread_cond_wait(&c, &m); pthread_mutex_unlock(&m); return x; }
        int main(void) { pthread_t a; pthread_cond_init(&c, 0); pthread_create(&a, 0, f, 0); pthread_mutex_lock(&m);
            if (w) pthread_cond_destroy(&c); pthread_mutex_unlock(&m); }");
    assert!(
        destroyed.faults.contains(&FaultKind::CondDestroyWaiting),
        "{destroyed:?}"
    );
    run("
        pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER; pthread_cond_t c = PTHREAD_COND_INITIALIZER; int w;
        void *f(void *x) { pthread_mutex_lock(&m); while (!w) pthread_cond_wait(&c, &m); pthread_mutex_unlock(&m); return x; }
        int main(void) { pthread_t a; pthread_create(&a, 0, f, 0); pthread_mutex_lock(&m); w = 1; pthread_cond_broadcast(&c);
            pthread_cond_destroy(&c); pthread_mutex_unlock(&m); pthread_join(a, 0); SAY(\"ok\"); }")
    .prints(&["ok"]);
}

#[test]
fn attributes() {
    run("int main(void) { pthread_condattr_t a; pthread_cond_t c; clockid_t k; pthread_condattr_init(&a); pthread_condattr_setclock(&a, CLOCK_MONOTONIC);
         pthread_condattr_getclock(&a, &k); pthread_cond_init(&c, &a); pthread_condattr_destroy(&a); SAY(\"%d\", (int)k); pthread_cond_destroy(&c); }")
    .prints(&["1"]);
}

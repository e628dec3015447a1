//! Cancellation, cleanup handlers, non-local jumps.

use crate::explorer::run;
use selvedge_model::FaultKind;

#[test]
fn cleanup_handlers_run_innermost_first() {
    run("
        void h(void *x) { SAY(\"%s\", (char *)x); }
        void g(void) { pthread_cleanup_push(h, \"c\"); pthread_exit((void *)1); pthread_cleanup_pop(0); }
        void *f(void *x) { pthread_cleanup_push(h, \"a\"); pthread_cleanup_push(h, \"b\"); g(); pthread_cleanup_pop(0); pthread_cleanup_pop(0); return x; }
        int main(void) { pthread_t a; void *r; pthread_create(&a, 0, f, 0); pthread_join(a, &r); SAY(\"%d\", (int)(long)r); }")
    .prints(&["cba1"]);
    run("
        void h(void *x) { SAY(\"%s\", (char *)x); }
        int main(void) { pthread_cleanup_push(h, \"a\"); pthread_cleanup_pop(1); pthread_cleanup_push(h, \"b\"); pthread_cleanup_pop(0); }")
    .prints(&["a"]);
}

#[test]
fn returning_between_push_and_pop() {
    run("
        void h(void *x) {} void *f(void *x) { pthread_cleanup_push(h, 0); return x; pthread_cleanup_pop(0); }
        int main(void) { pthread_t a; pthread_create(&a, 0, f, 0); pthread_join(a, 0); }")
    .faults(FaultKind::CleanupMismatch);
}

#[test]
fn a_blocked_thread_is_cancelled() {
    let body = "
        sem_t s; pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER; pthread_cond_t c = PTHREAD_COND_INITIALIZER;
        void h(void *x) { SAY(\"h\"); if (x) pthread_mutex_unlock(x); }
        void *f(void *x) { BODY return x; }
        int main(void) { pthread_t a; void *r; sem_init(&s, 0, 0); pthread_create(&a, 0, f, 0); pthread_cancel(a); pthread_join(a, &r);
            SAY(\"%d\", r == PTHREAD_CANCELED); }";
    run(&body.replace("BODY", "sem_wait(&s);")).prints(&["1"]);
    run(&body.replace(
        "BODY",
        "pthread_cleanup_push(h, 0); sem_wait(&s); pthread_cleanup_pop(0);",
    ))
    .prints(&["h1"]);
    run(&body.replace("BODY", "pthread_mutex_lock(&m); pthread_cleanup_push(h, &m); pthread_cond_wait(&c, &m); pthread_cleanup_pop(0);"))
        .prints(&["h1"]);
    run(&body
        .replace("BODY", "for (;;) pthread_testcancel();")
        .replace("for (;;)", "for (int i = 0; i < 2; i++)"))
    .prints(&["0", "1"]);
    run(&body.replace(
        "BODY",
        "int o; pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &o); sleep(1); pthread_testcancel();
        pthread_setcancelstate(o, 0);",
    ))
    .prints(&["0"]);
    run(&body.replace("BODY", "usleep(1);")).prints(&["0", "1"]);
}

#[test]
fn a_cancelled_wait_consumes_no_signal() {
    run("
        pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER; pthread_cond_t c = PTHREAD_COND_INITIALIZER; int w;
        void u(void *x) { pthread_mutex_unlock(&m); }
        void *f(void *x) { pthread_mutex_lock(&m); pthread_cleanup_push(u, 0); while (!w) pthread_cond_wait(&c, &m); pthread_cleanup_pop(1); return x; }
        int main(void) { pthread_t a, b; pthread_create(&a, 0, f, 0); pthread_create(&b, 0, f, 0); pthread_cancel(a); pthread_join(a, 0);
            pthread_mutex_lock(&m); w = 1; pthread_cond_signal(&c); pthread_mutex_unlock(&m); pthread_join(b, 0); SAY(\"ok\"); }")
    .prints(&["ok"]);
}

#[test]
fn jumps() {
    run("
        #include <setjmp.h>
        jmp_buf b; void g(int n) { if (n == 0) longjmp(b, 5); g(n - 1); }
        int main(void) { volatile int n = 0; int r = setjmp(b); n++; if (r == 0) g(3); SAY(\"%d %d\", r, n); }")
    .prints(&["5 2"]);
    run("
        #include <setjmp.h>
        jmp_buf b; void g(void) { setjmp(b); } int main(void) { g(); longjmp(b, 1); }")
    .faults(FaultKind::PthreadOther);
}

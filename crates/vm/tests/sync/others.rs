//! Barriers, semaphores, once, keys.

use crate::explorer::{run, run_with};
use selvedge_model::FaultKind;
use selvedge_vm::Options;

#[test]
fn barriers() {
    run("
        pthread_barrier_t b; int n, serial;
        void *f(void *x) { __atomic_fetch_add(&n, 1, __ATOMIC_SEQ_CST); int r = pthread_barrier_wait(&b);
            if (r == PTHREAD_BARRIER_SERIAL_THREAD) __atomic_fetch_add(&serial, x ? 10 : 1, __ATOMIC_SEQ_CST); if (n != 2) SAY(\"early\"); return 0; }
        int main(void) { pthread_t a; pthread_barrier_init(&b, 0, 2); pthread_create(&a, 0, f, 0); f(&b); pthread_barrier_destroy(&b);
            pthread_join(a, 0); SAY(\"%d\", serial); }")
    .prints(&["1", "10"]);
    run("pthread_barrier_t b; int main(void) { pthread_barrier_init(&b, 0, 2); pthread_barrier_wait(&b); }")
        .deadlocks();
    run("pthread_barrier_t b; int main(void) { SAY(\"%d\", pthread_barrier_init(&b, 0, 0) == EINVAL); }")
        .prints(&["1"]);
    run("pthread_barrier_t b; int main(void) { pthread_barrier_init(&b, 0, 1); SAY(\"%d\", pthread_barrier_wait(&b)); SAY(\"%d\", pthread_barrier_wait(&b)); }")
        .prints(&["-1-1"]);
    run("pthread_barrier_t b; int main(void) { pthread_barrier_wait(&b); }")
        .faults(FaultKind::UseUninitialized);
    let destroyed = run("pthread_barrier_t b; void *f(void *x) { pthread_barrier_wait(&b); return x; }
        int main(void) { pthread_t a; pthread_barrier_init(&b, 0, 2); pthread_create(&a, 0, f, 0); pthread_barrier_destroy(&b); }");
    assert!(
        destroyed.faults.contains(&FaultKind::BarrierDestroyWaiting),
        "{destroyed:?}"
    );
}

#[test]
fn a_barrier_serves_several_rounds() {
    run("
        pthread_barrier_t b; int n; void *f(void *x) { for (int i = 0; i < 2; i++) { if (x) n++; pthread_barrier_wait(&b);
            if (n != i + 1) SAY(\"bad\"); pthread_barrier_wait(&b); } return 0; }
        int main(void) { pthread_t a; pthread_barrier_init(&b, 0, 2); pthread_create(&a, 0, f, 0); f(&b); pthread_join(a, 0);
            pthread_barrier_destroy(&b); SAY(\"%d\", n); }")
    .prints(&["2"]);
}

#[test]
fn semaphores() {
    run("
        sem_t s; int n; void *f(void *x) { n = 1; sem_post(&s); return x; }
        int main(void) { pthread_t a; sem_init(&s, 0, 0); pthread_create(&a, 0, f, 0); sem_wait(&s); SAY(\"%d\", n); pthread_join(a, 0);
            int v; sem_getvalue(&s, &v); SAY(\"%d\", v); sem_destroy(&s); }")
    .prints(&["10"]);
    run("
        sem_t s; void *f(void *x) { sem_post(&s); return x; }
        int main(void) { pthread_t a; sem_init(&s, 0, 0); pthread_create(&a, 0, f, 0); int r = sem_trywait(&s);
            SAY(\"%d%d\", r, r ? errno == EAGAIN : 0); pthread_join(a, 0); }")
    .prints(&["-11", "00"]);
    let timed = "
        sem_t s; void *f(void *x) { sem_post(&s); return x; }
        int main(void) { pthread_t a; sem_init(&s, 0, 0); pthread_create(&a, 0, f, 0); int r = sem_timedwait(&s, &later);
            SAY(\"%d%d\", r, r ? errno == ETIMEDOUT : 0); pthread_join(a, 0); }";
    run(timed).prints(&["-11", "00"]);
    run_with(
        timed,
        Options {
            timeouts: false,
            ..Options::default()
        },
    )
    .prints(&["00"]);
    run("sem_t s; int main(void) { sem_init(&s, 0, 0); sem_wait(&s); }").deadlocks();
    run("sem_t s; int main(void) { sem_init(&s, 0, SEM_VALUE_MAX); sem_post(&s); }")
        .faults(FaultKind::SemOverflow);
    run("sem_t s; int main(void) { SAY(\"%d\", sem_init(&s, 0, -1u)); SAY(\"%d\", errno == EINVAL); }")
        .prints(&["-11"]);
    run("sem_t s; int main(void) { sem_post(&s); }").faults(FaultKind::UseUninitialized);
    let destroyed = run("sem_t s; void *f(void *x) { sem_wait(&s); return x; }
        int main(void) { pthread_t a; sem_init(&s, 0, 0); pthread_create(&a, 0, f, 0); sched_yield(); sem_destroy(&s); }");
    assert!(
        destroyed.faults.contains(&FaultKind::SemDestroyWaiting),
        "{destroyed:?}"
    );
}

#[test]
fn once_runs_once() {
    run("
        pthread_once_t o = PTHREAD_ONCE_INIT; int n; void r(void) { n++; sched_yield(); n++; }
        void *f(void *x) { pthread_once(&o, r); if (n != 2) SAY(\"early\"); return x; }
        int main(void) { pthread_t a; pthread_create(&a, 0, f, 0); f(0); pthread_join(a, 0); pthread_once(&o, r); SAY(\"%d\", n); }")
    .prints(&["2"]);
    run("pthread_once_t o = PTHREAD_ONCE_INIT; void r(void) { pthread_once(&o, r); } int main(void) { pthread_once(&o, r); }")
        .deadlocks();
    run("
        once_flag o = ONCE_FLAG_INIT, p = ONCE_FLAG_INIT; int n; void q(void) { n += 10; } void r(void) { call_once(&p, q); n++; }
        int main(void) { call_once(&o, r); call_once(&o, r); SAY(\"%d\", n); }")
    .prints(&["11"]);
    run("
        pthread_once_t o = PTHREAD_ONCE_INIT; int n; void r(void) { if (n++ == 0) pthread_exit(0); }
        void *f(void *x) { pthread_once(&o, r); return x; }
        int main(void) { pthread_t a; pthread_create(&a, 0, f, 0); pthread_join(a, 0); pthread_once(&o, r); SAY(\"%d\", n); }")
    .prints(&["2"]);
}

#[test]
fn keys() {
    run("
        pthread_key_t k, l; void d(void *p) { SAY(\"%d\", *(int *)p); if (*(int *)p < 3) { ++*(int *)p; pthread_setspecific(k, p); } }
        void *f(void *x) { int *p = malloc(sizeof *p); *p = 1; SAY(\"%d\", pthread_getspecific(k) == 0); pthread_setspecific(k, p); pthread_setspecific(l, p);
            SAY(\"%d,\", pthread_getspecific(k) == p); return x; }
        int main(void) { pthread_t a; pthread_key_create(&k, d); pthread_key_create(&l, 0); pthread_create(&a, 0, f, 0); pthread_join(a, 0);
            SAY(\",%d%d\", pthread_getspecific(k) == 0, pthread_key_delete(k)); }")
    .prints(&["11,123,10"]);
    run("int main(void) { pthread_key_t k; pthread_key_create(&k, 0); pthread_key_delete(k); pthread_setspecific(k, &k); }")
        .faults(FaultKind::KeyInvalid);
    run("
        pthread_key_t k; void *f(void *x) { pthread_setspecific(k, malloc(8)); return x; }
        int main(void) { pthread_t a; pthread_key_create(&k, free); pthread_create(&a, 0, f, 0); pthread_join(a, 0); SAY(\"ok\"); }")
    .prints(&["ok"]);
    run("int main(void) { pthread_getspecific(5); }").faults(FaultKind::KeyInvalid);
    run("
        tss_t k; void d(void *p) { SAY(\"d%d\", (int)(long)p); } int f(void *x) { tss_set(k, x); SAY(\"%d\", tss_get(k) == x); return 7; }
        int main(void) { thrd_t a; int r; tss_create(&k, d); thrd_create(&a, f, (void *)5); thrd_join(a, &r); SAY(\"r%d\", r); tss_delete(k); }")
    .prints(&["1d5r7"]);
}

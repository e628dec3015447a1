//! Mutexes, read-write locks, spin locks.

use crate::explorer::{run, run_with};
use selvedge_model::FaultKind;
use selvedge_vm::Options;

const NO_TIMEOUTS: fn() -> Options = || Options {
    timeouts: false,
    ..Options::default()
};

fn mutex(kind: &str, body: &str) -> String {
    format!(
        "pthread_mutex_t m; pthread_t t;
         static void setup(void) {{ pthread_mutexattr_t a; pthread_mutexattr_init(&a); {kind} pthread_mutex_init(&m, &a); pthread_mutexattr_destroy(&a); }}
         {body}"
    )
}

const ERRORCHECK: &str = "pthread_mutexattr_settype(&a, PTHREAD_MUTEX_ERRORCHECK);";
const RECURSIVE: &str = "pthread_mutexattr_settype(&a, PTHREAD_MUTEX_RECURSIVE);";
const ROBUST: &str = "pthread_mutexattr_setrobust(&a, PTHREAD_MUTEX_ROBUST);";

#[test]
fn a_mutex_excludes() {
    let outcomes = run("
        pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER; int n;
        void *f(void *x) { pthread_mutex_lock(&m); int v = n; sched_yield(); n = v + 1; pthread_mutex_unlock(&m); return x; }
        int main(void) { pthread_t a, b; pthread_create(&a, 0, f, 0); pthread_create(&b, 0, f, 0); pthread_join(a, 0);
            pthread_join(b, 0); pthread_mutex_destroy(&m); SAY(\"%d\", n); }");
    outcomes.prints(&["2"]);
    assert!(outcomes.executions >= 2);
}

#[test]
fn opposite_orders_deadlock() {
    run("
        pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, k = PTHREAD_MUTEX_INITIALIZER;
        void *f(void *x) { pthread_mutex_lock(&m); pthread_mutex_lock(&k); pthread_mutex_unlock(&k); pthread_mutex_unlock(&m); return x; }
        int main(void) { pthread_t a; pthread_create(&a, 0, f, 0); pthread_mutex_lock(&k); pthread_mutex_lock(&m);
            pthread_mutex_unlock(&m); pthread_mutex_unlock(&k); pthread_join(a, 0); }")
    .deadlocks();
}

#[test]
fn a_normal_mutex_locked_twice_blocks_for_ever() {
    run("pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER; int main(void) { pthread_mutex_lock(&m); pthread_mutex_lock(&m); }")
        .deadlocks();
}

#[test]
fn recursive_and_errorcheck_kinds() {
    run(&mutex(
        RECURSIVE,
        "int main(void) { setup(); pthread_mutex_lock(&m); int a = pthread_mutex_lock(&m), b = pthread_mutex_trylock(&m);
         pthread_mutex_unlock(&m); pthread_mutex_unlock(&m); pthread_mutex_unlock(&m); int c = pthread_mutex_unlock(&m);
         SAY(\"%d %d %d\", a, b, c == EPERM); pthread_mutex_destroy(&m); }",
    ))
    .prints(&["0 0 1"]);
    run(&mutex(
        ERRORCHECK,
        "int main(void) { setup(); int z = pthread_mutex_unlock(&m); pthread_mutex_lock(&m); int a = pthread_mutex_lock(&m);
         int b = pthread_mutex_trylock(&m); int c = pthread_mutex_timedlock(&m, &later);
         SAY(\"%d %d %d %d\", z == EPERM, a == EDEADLK, b == EBUSY, c == EDEADLK); pthread_mutex_unlock(&m); pthread_mutex_destroy(&m); }",
    ))
    .prints(&["1 1 1 1"]);
    run("pthread_mutex_t m = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP, e = PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP;
         int main(void) { pthread_mutex_lock(&m); SAY(\"%d\", pthread_mutex_lock(&m)); pthread_mutex_lock(&e);
         SAY(\"%d\", pthread_mutex_lock(&e) == EDEADLK); }")
    .prints(&["01"]);
}

#[test]
fn trylock_and_timedlock() {
    let body = "
        pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
        void *f(void *x) { pthread_mutex_lock(&m); sched_yield(); pthread_mutex_unlock(&m); return x; }
        int main(void) { pthread_t a; pthread_create(&a, 0, f, 0); int r = LOCK;
            SAY(\"%d\", r); if (!r) pthread_mutex_unlock(&m); pthread_join(a, 0); }";
    run(&body.replace("LOCK", "pthread_mutex_trylock(&m)")).prints(&["0", "16"]);
    let timed = body.replace("LOCK", "pthread_mutex_timedlock(&m, &later)");
    run(&timed).prints(&["0", "110"]);
    run_with(&timed, NO_TIMEOUTS()).prints(&["0"]);
    run(&body.replace("LOCK", "pthread_mutex_clocklock(&m, CLOCK_MONOTONIC, &later)")).prints(&["0", "110"]);
}

#[test]
fn wrong_unlocks() {
    run("pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER; int main(void) { pthread_mutex_unlock(&m); }")
        .faults(FaultKind::MutexUnlockUnlocked);
    let outcomes = run("
        pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER; void *f(void *x) { pthread_mutex_unlock(&m); return x; }
        int main(void) { pthread_t a; pthread_mutex_lock(&m); pthread_create(&a, 0, f, 0); pthread_join(a, 0); }");
    outcomes.faults(FaultKind::MutexUnlockNotOwner);
    let both = run("
        pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER; void *f(void *x) { pthread_mutex_unlock(&m); return x; }
        int main(void) { pthread_t a; pthread_create(&a, 0, f, 0); pthread_mutex_lock(&m); pthread_join(a, 0); }");
    let found: Vec<_> = both.faults.into_iter().collect();
    assert_eq!(
        found,
        [FaultKind::MutexUnlockNotOwner, FaultKind::MutexUnlockUnlocked]
    );
}

#[test]
fn life_of_a_mutex() {
    run("int main(void) { pthread_mutex_t m; pthread_mutex_init(&m, 0); pthread_mutex_lock(&m); pthread_mutex_destroy(&m); }")
        .faults(FaultKind::MutexDestroyLocked);
    run("int main(void) { pthread_mutex_t m; pthread_mutex_init(&m, 0); pthread_mutex_init(&m, 0); }")
        .faults(FaultKind::DoubleInit);
    run("int main(void) { pthread_mutex_t m; pthread_mutex_lock(&m); }").faults(FaultKind::UseUninitialized);
    run("int main(void) { pthread_mutex_t m; memset(&m, 7, sizeof m); pthread_mutex_lock(&m); }")
        .faults(FaultKind::UseUninitialized);
    run("int main(void) { pthread_mutex_t m; pthread_mutex_init(&m, 0); pthread_mutex_destroy(&m); pthread_mutex_lock(&m); }")
        .faults(FaultKind::UseDestroyed);
    run("int main(void) { pthread_mutex_t *m = malloc(sizeof *m); pthread_mutex_init(m, 0); free(m); pthread_mutex_lock(m); }")
        .faults(FaultKind::UseAfterFree);
    run("int main(void) { pthread_mutex_lock(0); }").faults(FaultKind::NullDereference);
    run("int main(void) { pthread_mutex_t *m = calloc(1, sizeof *m); pthread_mutex_lock(m); pthread_mutex_unlock(m); free(m); }")
        .prints(&[""]);
    run("int main(void) { for (int i = 0; i < 3; i++) { pthread_mutex_t m; pthread_mutex_init(&m, 0); pthread_mutex_lock(&m);
         pthread_mutex_unlock(&m); } pthread_mutex_t k; pthread_mutex_init(&k, 0); pthread_mutex_destroy(&k); pthread_mutex_init(&k, 0); SAY(\"ok\"); }")
        .prints(&["ok"]);
    run("sem_t s; int main(void) { sem_init(&s, 0, 1); pthread_mutex_lock((pthread_mutex_t *)(void *)&s); }")
        .faults(FaultKind::OutOfBounds);
}

#[test]
fn robust_mutexes() {
    let body = "
        void *f(void *x) { pthread_mutex_lock(&m); return x; }
        int main(void) { setup(); pthread_create(&t, 0, f, 0); pthread_join(t, 0); int a = pthread_mutex_lock(&m);
            CONSISTENT int b = pthread_mutex_unlock(&m); int c = pthread_mutex_lock(&m);
            SAY(\"%d %d %d\", a == EOWNERDEAD, b, c == WANT); }";
    run(&mutex(
        ROBUST,
        &body
            .replace("CONSISTENT", "pthread_mutex_consistent(&m);")
            .replace("WANT", "0"),
    ))
    .prints(&["1 0 1"]);
    run(&mutex(
        ROBUST,
        &body.replace("CONSISTENT", "").replace("WANT", "ENOTRECOVERABLE"),
    ))
    .prints(&["1 0 1"]);
    // Not robust: locked for ever.
    run(&mutex(
        "",
        "void *f(void *x) { pthread_mutex_lock(&m); return x; }
        int main(void) { setup(); pthread_create(&t, 0, f, 0); pthread_join(t, 0); pthread_mutex_lock(&m); }",
    ))
    .deadlocks();
}

#[test]
fn read_write_locks() {
    run("
        pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER; int n;
        void *w(void *x) { pthread_rwlock_wrlock(&l); n++; sched_yield(); n++; pthread_rwlock_unlock(&l); return x; }
        int main(void) { pthread_t a; pthread_create(&a, 0, w, 0); pthread_rwlock_rdlock(&l); int r = pthread_rwlock_rdlock(&l);
            SAY(\"%d%d\", n, r); pthread_rwlock_unlock(&l); pthread_rwlock_unlock(&l); pthread_join(a, 0); pthread_rwlock_destroy(&l); }")
    .prints(&["00", "20"]);
    run("pthread_rwlock_t l; int main(void) { pthread_rwlock_init(&l, 0); pthread_rwlock_wrlock(&l);
         SAY(\"%d %d %d\", pthread_rwlock_wrlock(&l) == EDEADLK, pthread_rwlock_rdlock(&l) == EDEADLK, pthread_rwlock_tryrdlock(&l) == EBUSY); }")
    .prints(&["1 1 1"]);
    run("pthread_rwlock_t l; int main(void) { pthread_rwlock_init(&l, 0); pthread_rwlock_rdlock(&l); pthread_rwlock_wrlock(&l); }")
        .deadlocks();
    run("pthread_rwlock_t l; int main(void) { pthread_rwlock_init(&l, 0); pthread_rwlock_unlock(&l); }")
        .faults(FaultKind::RwlockUnlockUnheld);
    run("pthread_rwlock_t l; int main(void) { pthread_rwlock_init(&l, 0); pthread_rwlock_rdlock(&l); pthread_rwlock_destroy(&l); }")
        .faults(FaultKind::RwlockDestroyHeld);
    run("
        pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;
        void *w(void *x) { pthread_rwlock_wrlock(&l); sched_yield(); pthread_rwlock_unlock(&l); return x; }
        int main(void) { pthread_t a; pthread_create(&a, 0, w, 0); int r = pthread_rwlock_timedrdlock(&l, &later);
            SAY(\"%d\", r); if (!r) pthread_rwlock_unlock(&l); pthread_join(a, 0); }")
    .prints(&["0", "110"]);
}

#[test]
fn spin_locks() {
    run("
        pthread_spinlock_t l; int n; void *f(void *x) { pthread_spin_lock(&l); n++; pthread_spin_unlock(&l); return x; }
        int main(void) { pthread_t a; pthread_spin_init(&l, 0); pthread_create(&a, 0, f, 0); f(0); pthread_join(a, 0);
            pthread_spin_destroy(&l); SAY(\"%d\", n); }")
    .prints(&["2"]);
    run("pthread_spinlock_t l; int main(void) { pthread_spin_init(&l, 0); pthread_spin_lock(&l); SAY(\"%d\", pthread_spin_trylock(&l)); pthread_spin_lock(&l); }")
        .deadlocks();
    run("pthread_spinlock_t l; int main(void) { pthread_spin_init(&l, 0); pthread_spin_unlock(&l); }")
        .faults(FaultKind::SpinUnlockUnheld);
    run("pthread_spinlock_t l; int main(void) { pthread_spin_lock(&l); }")
        .faults(FaultKind::UseUninitialized);
    run("pthread_spinlock_t l; int main(void) { pthread_spin_init(&l, 0); pthread_spin_lock(&l); pthread_spin_destroy(&l); }")
        .faults(FaultKind::SpinDestroyHeld);
}

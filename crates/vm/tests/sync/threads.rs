//! Threads: creation, join, detach, exit, the end of the process; C11 threads.

use crate::explorer::run;
use selvedge_model::FaultKind;

#[test]
fn create_and_join() {
    run("
        void *f(void *x) { return (char *)x + 1; }
        int main(void) { pthread_t a; pthread_attr_t t; size_t s; int d; void *r; pthread_attr_init(&t); pthread_attr_setstacksize(&t, 65536);
            pthread_attr_getstacksize(&t, &s); pthread_attr_getdetachstate(&t, &d); pthread_create(&a, &t, f, (void *)41); pthread_attr_destroy(&t);
            pthread_setname_np(a, \"worker\"); pthread_join(a, &r); SAY(\"%d %d %d %d\", (int)(long)r, (int)s, d, pthread_equal(a, pthread_self())); }")
    .prints(&["42 65536 0 0"]);
}

#[test]
fn misuse_of_handles() {
    const THREAD: &str =
        "void *f(void *x) { return x; } int main(void) { pthread_t a; pthread_create(&a, 0, f, 0); BODY }";
    let with = |body: &str| run(&THREAD.replace("BODY", body));
    with("pthread_join(a, 0); pthread_join(a, 0);").faults(FaultKind::JoinTwice);
    with("pthread_detach(a); pthread_join(a, 0);").faults(FaultKind::JoinDetached);
    with("pthread_detach(a); pthread_detach(a);").faults(FaultKind::DetachTwice);
    with("pthread_join(pthread_self(), 0);").faults(FaultKind::JoinSelf);
    with("pthread_join(a + 5, 0);").faults(FaultKind::InvalidThread);
    with("pthread_detach(a);").prints(&[""]);
    run("void *f(void *x) { return x; } int main(void) { pthread_t a; pthread_attr_t t; pthread_attr_init(&t);
         pthread_attr_setdetachstate(&t, PTHREAD_CREATE_DETACHED); pthread_create(&a, &t, f, 0); pthread_join(a, 0); }")
    .faults(FaultKind::JoinDetached);
    run("void *f(void *x) { return x; } int main(void) { pthread_t a; pthread_join(a, 0); }")
        .faults(FaultKind::UninitializedValue);
}

#[test]
fn looking_whether_a_thread_has_ended() {
    run("
        void *f(void *x) { return x; }
        int main(void) { pthread_t a; pthread_create(&a, 0, f, 0); int r = pthread_tryjoin_np(a, 0); if (r) pthread_join(a, 0); SAY(\"%d\", r); }")
    .prints(&["0", "16"]);
}

#[test]
fn exits() {
    run("
        void *f(void *x) { SAY(\"f\"); pthread_exit((void *)7); }
        int main(void) { pthread_t a; void *r; pthread_create(&a, 0, f, 0); pthread_join(a, &r); SAY(\"%d\", (int)(long)r); }")
    .prints(&["f7"]);
    // The process lives until the last thread ends; then exit handlers run.
    run("
        void h(void) { SAY(\"h\"); } void *f(void *x) { SAY(\"f\"); return x; }
        int main(void) { pthread_t a; atexit(h); pthread_create(&a, 0, f, 0); pthread_exit(0); }")
    .prints(&["fh"]);
    run("void g(void) { SAY(\"g\"); } void h(void) { SAY(\"h\"); } int main(void) { atexit(g); atexit(h); exit(3); }").prints(&["hg"]);
    run("void g(void) { SAY(\"g\"); } int main(void) { atexit(g); _exit(3); }").prints(&[""]);
}

#[test]
fn the_process_ends_when_nothing_else_can_happen() {
    run("
        sem_t s; void *f(void *x) { SAY(\"f\"); sem_wait(&s); return x; }
        int main(void) { pthread_t a; sem_init(&s, 0, 0); pthread_create(&a, 0, f, 0); return 0; }")
    .outputs
    .iter()
    .for_each(|o| assert_eq!(o, "f"));
}

#[test]
fn c11_threads() {
    run("
        mtx_t m; cnd_t c; int ready;
        int f(void *x) { mtx_lock(&m); while (!ready) cnd_wait(&c, &m); mtx_unlock(&m); thrd_exit(*(int *)x); }
        int main(void) { thrd_t a; int v = 9, r; mtx_init(&m, mtx_plain); cnd_init(&c); thrd_create(&a, f, &v); mtx_lock(&m); ready = 1;
            cnd_signal(&c); mtx_unlock(&m); thrd_join(a, &r); SAY(\"%d\", r); mtx_lock(&m); SAY(\"%d%d\", mtx_trylock(&m) == thrd_busy,
            mtx_timedlock(&m, &later) == thrd_timedout); mtx_unlock(&m); cnd_destroy(&c); mtx_destroy(&m); thrd_yield(); thrd_sleep(&later, 0);
            SAY(\"%d\", thrd_equal(a, thrd_current())); }")
    .prints(&["9110"]);
    run(
        "mtx_t m; int main(void) { mtx_init(&m, mtx_recursive); SAY(\"%d%d\", mtx_lock(&m), mtx_lock(&m)); }",
    )
    .prints(&["00"]);
}

#[test]
fn names_of_threads_are_read_back() {
    run(r#"
#include <sys/prctl.h>
static void *name(void *p) {
    char mine[16];
    pthread_setname_np(pthread_self(), "worker");
    pthread_getname_np(pthread_self(), mine, sizeof mine);
    return (void *)(long)strcmp(mine, "worker");
}
int main(void) {
    pthread_t t; void *r; char text[20], mine[16];
    int short_ = pthread_getname_np(pthread_self(), text, 15) == ERANGE;
    pthread_getname_np(pthread_self(), text, sizeof text);
    prctl(PR_SET_NAME, "a name that is too long");
    prctl(PR_GET_NAME, mine);
    pthread_create(&t, NULL, name, NULL);
    int long_ = pthread_setname_np(t, "0123456789abcdef") == ERANGE;
    pthread_join(t, &r);
    SAY("%d %d %s %s %d", short_, long_, text, mine, (int)(long)r);
}"#)
    .prints(&["1 1 program a name that is  0"]);
}

#[test]
fn a_thread_may_be_named_before_or_after_it_looks() {
    // A new thread has its creator's name.
    run(r#"
#include <sys/prctl.h>
static void *look(void *p) {
    static char mine[16];
    pthread_getname_np(pthread_self(), mine, sizeof mine);
    return mine;
}
int main(void) {
    pthread_t t; void *r;
    prctl(PR_SET_NAME, "parent");
    pthread_create(&t, NULL, look, NULL);
    pthread_setname_np(t, "child");
    pthread_join(t, &r);
    SAY("%s", (char *)r);
}"#)
    .prints(&["child", "parent"]);
}

#[test]
fn names_that_a_creation_depends_on_are_unsupported() {
    // Whatever comes first, one of the two is.
    let outcomes = run(r#"
static void *nothing(void *p) { return p; }
static void *create(void *p) { pthread_t u; pthread_create(&u, NULL, nothing, NULL); pthread_join(u, NULL); return p; }
int main(void) {
    pthread_t t; char text[16];
    pthread_create(&t, NULL, create, NULL);
    pthread_setname_np(t, "x");
    pthread_getname_np(pthread_self(), text, sizeof text);
    pthread_join(t, NULL);
    SAY("named");
}"#);
    let named = |what: &str| outcomes.unsupported.iter().any(|it| it.contains(what));
    assert!(
        named("naming another thread that has created threads")
            || named("creating a thread after another thread has named this one"),
        "{outcomes:?}"
    );
    // After the end of the thread, there is no name.
    assert!(
        outcomes
            .outputs
            .iter()
            .all(|text| text.is_empty() || text == "named"),
        "{outcomes:?}"
    );
}

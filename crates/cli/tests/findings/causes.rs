//! What the command says of the cause of a finding.

use crate::run;

/// Programs with the causes that are told of what is wrong with them.
const CAUSES: [(&str, &str); 9] = [
    (
        "static pthread_mutex_t a, b;
         static void *f(void *p) { pthread_mutex_lock(&b); pthread_mutex_lock(&a); pthread_mutex_unlock(&a); pthread_mutex_unlock(&b); return p; }
         int main(void) { pthread_t t; pthread_mutex_init(&a, 0); pthread_mutex_init(&b, 0); pthread_create(&t, 0, f, 0);
           pthread_mutex_lock(&a); pthread_mutex_lock(&b); pthread_mutex_unlock(&b); pthread_mutex_unlock(&a); return pthread_join(t, 0); }",
        "cause: locks are taken in different orders: thread 0 takes `b` while it holds `a`; thread 0.1 takes `a` while it holds `b`",
    ),
    (
        "static pthread_mutex_t a;
         static void *f(void *p) { pthread_mutex_lock(&a); pthread_mutex_unlock(&a); return p; }
         int main(void) { pthread_t t; pthread_mutex_init(&a, 0); pthread_create(&t, 0, f, 0);
           pthread_mutex_lock(&a); return pthread_join(t, 0); }",
        "cause: thread 0 joins thread 0.1 while it holds `a`; thread 0.1 takes `a`",
    ),
    (
        "static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER; static pthread_cond_t c = PTHREAD_COND_INITIALIZER; static _Atomic int ready;
         static void *f(void *p) { ready = 1; pthread_cond_signal(&c); return p; }
         int main(void) { pthread_t t; pthread_create(&t, 0, f, 0);
           pthread_mutex_lock(&m); while (!ready) pthread_cond_wait(&c, &m); pthread_mutex_unlock(&m); return pthread_join(t, 0); }",
        "cause: thread 0.1 signals without `m`, while thread 0 holds it and is about to wait",
    ),
    (
        "static int x; static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
         static void *f(void *p) { x++; return p; }
         int main(void) { pthread_t t; pthread_create(&t, 0, f, 0);
           pthread_mutex_lock(&m); x++; pthread_mutex_unlock(&m); return pthread_join(t, 0); }",
        "cause: thread 0.1 holds no lock, thread 0 holds `m`",
    ),
    // It gives back the lock that it holds at the access.
    (
        "static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER;
         static void *f(void *p) { pthread_mutex_t copy = a; (void)copy; return p; }
         int main(void) { pthread_t t; pthread_create(&t, 0, f, 0);
           pthread_mutex_lock(&a); pthread_mutex_unlock(&a); return pthread_join(t, 0); }",
        "holds no lock, thread 0 holds `a`",
    ),
    // The mutex would not help: the signal is too early.
    (
        "static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER; static pthread_cond_t c = PTHREAD_COND_INITIALIZER; static int ready;
         static void *f(void *p) { pthread_mutex_lock(&m); while (!ready) pthread_cond_wait(&c, &m); pthread_mutex_unlock(&m); return p; }
         int main(void) { pthread_t t; pthread_cond_signal(&c); pthread_create(&t, 0, f, 0); return pthread_join(t, 0); }",
        "cause: thread 0 signals before thread 0.1 waits, and thread 0.1 waits all the same",
    ),
    (
        "static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER; static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
         int main(void) { pthread_mutex_lock(&m); pthread_cond_signal(&c); return pthread_cond_wait(&c, &m); }",
        "cause: thread 0 signals before it waits itself",
    ),
    (
        "static void *f(void *p) { *(int *)p = 1; return 0; }
         int main(void) { pthread_t t; int *p = malloc(sizeof *p); free(p); pthread_create(&t, 0, f, p); return pthread_join(t, 0); }",
        "cause: thread 0 frees the object, always before thread 0.1 uses it",
    ),
    (
        "static void *f(void *p) { free(p); return 0; }
         int main(void) { pthread_t t; int *p = malloc(sizeof *p); pthread_create(&t, 0, f, p); free(p); return pthread_join(t, 0); }",
        "both free the object",
    ),
];

/// A thread that reads a variable and writes it later loses what another one has written in
/// between, unless it has joined that one.
#[test]
fn no_update_is_lost_by_who_has_joined() {
    let directory = tempfile::tempdir().unwrap();
    let (join, lost) = ("pthread_join(t, 0);", "cause: lost update: ");
    for (between, after, is_lost) in [("", join, true), (join, "", false)] {
        let program = format!(
            "#include <assert.h>
             #include <pthread.h>
             static int x; static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
             static void *f(void *p) {{ pthread_mutex_lock(&m); x = 1; pthread_mutex_unlock(&m); return p; }}
             int main(int argc, char **argv) {{ pthread_t t; pthread_create(&t, 0, f, 0);
               pthread_mutex_lock(&m); int read = x; pthread_mutex_unlock(&m); {between}
               pthread_mutex_lock(&m); x = read + 2; pthread_mutex_unlock(&m); {after}
               pthread_mutex_lock(&m); assert(read != 0 || x != 2); return 0; }}"
        );
        std::fs::write(directory.path().join("a.c"), program).unwrap();
        let (code, out, err) = run(directory.path(), &["check", "--finding", "none", "a.c"]);
        assert!(code == 10 && out.contains(lost) == is_lost, "{out}{err}");
    }
}

#[test]
fn findings_have_their_causes() {
    let directory = tempfile::tempdir().unwrap();
    for (program, cause) in CAUSES {
        let text = format!("#include <pthread.h>\n#include <stdlib.h>\n{program}");
        std::fs::write(directory.path().join("a.c"), text).unwrap();
        for strategy in ["dpor", "unfold"] {
            let (code, out, err) = run(
                directory.path(),
                &["check", "--finding", "none", "--strategy", strategy, "a.c"],
            );
            assert!(
                code == 10 && out.contains(cause),
                "{strategy}: no {cause} in\n{out}{err}"
            );
        }
    }
}

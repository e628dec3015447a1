//! Random C programs that create and join threads in rounds: what a thread leaves behind must not
//! reach the one that takes its place.

use std::fmt::Write as _;

/// The program of a seed.
pub fn program(seed: u64) -> String {
    let mut rng = fastrand::Rng::with_seed(seed);
    let mut kinds: Vec<usize> = (0..INSIDE.len()).collect();
    rng.shuffle(&mut kinds);
    kinds.truncate(3);
    let mut text = PRELUDE.to_owned();
    let functions = 2 + rng.usize(0..2);
    for function in 0..functions {
        let _ = writeln!(
            text,
            "static void *f{function}(void *arg) {{\n    int r = (long)arg;"
        );
        if rng.u8(0..4) == 0 {
            text.push_str("    pthread_t child[2];\n");
            for own in 0..1 + rng.usize(0..2) {
                let _ = writeln!(text, "    pthread_create(&child[{own}], 0, idle, 0);");
                let end = ["join(child[N], 0)", "detach(child[N])"][usize::from(rng.u8(0..4) == 0)];
                let _ = writeln!(text, "    pthread_{};", end.replace('N', &own.to_string()));
            }
        }
        statements(&mut rng, &mut text, &kinds, 1);
        text.push_str("    return 0;\n}\n");
    }
    text.push_str(
        "int main(void) {\n    int r = 0;\n    pthread_t t[2];\n    pthread_key_create(&key, dies);\n",
    );
    // Two joined threads: from now on there is one to begin again.
    text.push_str(
        "    for (int i = 0; i < 2; i++) { pthread_create(&t[i], 0, idle, 0); pthread_join(t[i], 0); }\n",
    );
    let function = |rng: &mut fastrand::Rng| rng.usize(0..functions);
    // One that stays beside the others.
    let stays = rng.bool();
    if stays {
        let _ = writeln!(
            text,
            "    pthread_t long_one; pthread_create(&long_one, 0, f{}, (void *)3);",
            function(&mut rng)
        );
    }
    for round in 0..2 + usize::from(!stays) {
        let both = !stays && rng.u8(0..3) == 0;
        let mut order = vec![0];
        order.extend(both.then_some(1));
        for &which in &order {
            let _ = writeln!(
                text,
                "    pthread_create(&t[{which}], 0, f{}, (void *){round});",
                function(&mut rng)
            );
        }
        if rng.bool() {
            statements(&mut rng, &mut text, &kinds, 1);
        }
        rng.shuffle(&mut order);
        for which in order {
            match rng.u8(0..10) {
                0 => _ = writeln!(text, "    pthread_detach(t[{which}]);"),
                1 => {
                    _ = writeln!(
                        text,
                        "    pthread_create(&t[{which}], 0, joins, (void *)t[{which}]); pthread_join(t[{which}], 0);"
                    )
                }
                _ => _ = writeln!(text, "    pthread_join(t[{which}], 0);"),
            }
        }
    }
    if stays {
        text.push_str("    pthread_join(long_one, 0);\n");
    }
    text.push_str("    printf(\"%d %d %d %d\\n\", (int)x, y, z, r);\n    return 0;\n}\n");
    text
}

fn statements(rng: &mut fastrand::Rng, text: &mut String, kinds: &[usize], depth: usize) {
    for _ in 0..1 + rng.usize(0..2) {
        let kind = kinds[rng.usize(0..kinds.len())];
        let choices = INSIDE[kind];
        let statement = choices[rng.usize(0..choices.len())];
        if depth > 0 && rng.u8(0..6) == 0 {
            let _ = writeln!(text, "    if (r & 1) {{");
            statements(rng, text, kinds, depth - 1);
            text.push_str("    }\n");
        } else {
            let _ = writeln!(text, "    {statement}");
        }
    }
}

const PRELUDE: &str = "#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
extern void __VERIFIER_assume(int);
extern _Bool __VERIFIER_nondet_bool(void);
extern void __assert_fail(const char *, const char *, unsigned, const char *);
#define assert(c) do { if (!(c)) __assert_fail(#c, \"\", 0, \"\"); } while (0)
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, n = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static pthread_key_t key;
static atomic_int x;
static int y, z;
static _Thread_local int own;
static _Thread_local pthread_mutex_t own_lock = PTHREAD_MUTEX_INITIALIZER;
static int *published;
static void dies(void *value) { pthread_mutex_lock(&m); z = z * 2 + 1 & 7; pthread_mutex_unlock(&m); }
static void *idle(void *arg) { return 0; }
static void *joins(void *arg) { pthread_join((pthread_t)arg, 0); return 0; }
";

/// Statements, by what could be left behind.
const INSIDE: &[&[&str]] = &[
    // The value of an atomic variable, release sequences, fences.
    &[
        "atomic_store_explicit(&x, 1 + (r & 1), memory_order_relaxed);",
        "y = 1; atomic_store_explicit(&x, 2, memory_order_release);",
        "if (atomic_load_explicit(&x, memory_order_acquire) == 2) r += y;",
        "y = 2; atomic_thread_fence(memory_order_release);",
        "if (atomic_load_explicit(&x, memory_order_relaxed) == 1) { atomic_thread_fence(memory_order_acquire); r += y; }",
        "atomic_fetch_add_explicit(&x, 1, memory_order_relaxed);",
        "r += atomic_load_explicit(&x, memory_order_relaxed);",
        "atomic_thread_fence(memory_order_acquire); r += y;",
    ],
    // Accesses that may race.
    &["y = 3;", "r += y;", "z = r & 3;", "if (x == 1) y = 4;", "x = 1;"],
    // Thread-local variables and errno.
    &[
        "assert(own == 0); own = 1;",
        "own += 2; r += own;",
        "r += errno; errno = 1;",
        "assert(errno == 0); errno = 2;",
        "r += pthread_mutex_trylock(&own_lock) != 0;",
    ],
    // Thread-specific data.
    &[
        "r += pthread_getspecific(key) != 0;",
        "pthread_setspecific(key, &x);",
        "assert(pthread_getspecific(key) == 0); pthread_setspecific(key, &x);",
    ],
    // Locks, also such that are left locked.
    &[
        "pthread_mutex_lock(&m); y = y * 2 + r & 7; pthread_mutex_unlock(&m);",
        "pthread_mutex_lock(&m); if (y & 1) z++; pthread_mutex_unlock(&m);",
        "r += pthread_mutex_trylock(&n) != 0;",
        "if (pthread_mutex_trylock(&n) == 0) { z++; pthread_mutex_unlock(&n); }",
        "pthread_mutex_lock(&n); pthread_mutex_lock(&m); z = r & 3; pthread_mutex_unlock(&m); pthread_mutex_unlock(&n);",
    ],
    // Condition variables.
    &[
        "pthread_mutex_lock(&m); z = 1; pthread_cond_signal(&changed); pthread_mutex_unlock(&m);",
        "pthread_mutex_lock(&m); while (z == 0) pthread_cond_wait(&changed, &m); z = 0; pthread_mutex_unlock(&m);",
        "pthread_mutex_lock(&m); z = 2; pthread_mutex_unlock(&m);",
    ],
    // Memory.
    &[
        "{ int *p = malloc(4); *p = 1; r += *p; free(p); }",
        "{ int *p = malloc(4); *p = 2; pthread_mutex_lock(&m); free(published); published = p; pthread_mutex_unlock(&m); }",
        "pthread_mutex_lock(&m); if (published) y = *published; pthread_mutex_unlock(&m);",
        "{ int v = r; int *p = &v; pthread_mutex_lock(&m); z = *p & 3; pthread_mutex_unlock(&m); }",
    ],
    // Inputs.
    &[
        "{ _Bool b = __VERIFIER_nondet_bool(); pthread_mutex_lock(&m); y = y * 2 + b & 7; pthread_mutex_unlock(&m); }",
        "if (__VERIFIER_nondet_bool()) x = 1;",
        "pthread_mutex_lock(&m); assert(y != 5); pthread_mutex_unlock(&m);",
    ],
];

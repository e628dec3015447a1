//! Random C programs that create and join threads in rounds: what a thread leaves behind must not
//! reach the one that takes its place.

use std::fmt::Write as _;

/// The program of a seed; the first ones are written by hand.
pub fn program(seed: u64) -> String {
    if let Some(text) = DIRECTED.get(seed as usize) {
        return PRELUDE.to_owned() + text;
    }
    let mut rng = fastrand::Rng::with_seed(seed);
    let mut kinds: Vec<usize> = (0..INSIDE.len()).collect();
    rng.shuffle(&mut kinds);
    kinds.truncate(2 + rng.usize(0..2));
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
    text.push_str("int main(void) {\n    int r = 0;\n    pthread_t t[2];\n    BEGIN\n");
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
        if round > 0 && rng.u8(0..4) > 0 {
            // The next one takes the place of the last one.
            text.push_str("    IDLE;\n");
        }
        let both = !stays && rng.u8(0..3) == 0;
        let mut order = vec![0];
        order.extend(both.then_some(1));
        for &which in &order {
            let (one, other) = (function(&mut rng), function(&mut rng));
            let _ = match rng.u8(0..6) {
                0 => writeln!(
                    text,
                    "    if (__VERIFIER_nondet_bool()) pthread_create(&t[{which}], 0, f{one}, (void *){round}); else pthread_create(&t[{which}], 0, f{other}, 0);"
                ),
                _ => writeln!(
                    text,
                    "    pthread_create(&t[{which}], 0, f{one}, (void *){round});"
                ),
            };
        }
        if rng.bool() {
            statements(&mut rng, &mut text, &kinds, 1);
        }
        rng.shuffle(&mut order);
        for which in order {
            match rng.u8(0..10) {
                0 => _ = writeln!(text, "    pthread_detach(t[{which}]);"),
                1 => {
                    let end = ["join(j, 0)", "detach(j)"][rng.usize(0..2)];
                    let _ = writeln!(
                        text,
                        "    {{ pthread_t j; pthread_create(&j, 0, joins, (void *)t[{which}]); pthread_{end}; }}"
                    );
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
static pthread_key_t key, plain;
static atomic_int x, seen;
static int y, z;
static _Thread_local int own = 5;
static _Thread_local pthread_mutex_t own_lock = PTHREAD_MUTEX_INITIALIZER;
static int *published;
static void dies(void *value) { pthread_mutex_lock(&m); z = z * 2 + 1 & 7; pthread_mutex_unlock(&m); }
static void *idle(void *arg) { return 0; }
#define IDLE do { pthread_t i; pthread_create(&i, 0, idle, 0); pthread_join(i, 0); } while (0)
/* Two joined threads: from now on there is one to begin again. */
#define BEGIN pthread_key_create(&key, dies); pthread_key_create(&plain, 0); IDLE; IDLE;
/* Three of them. */
#define BEGIN_TWO BEGIN { pthread_t a, b; pthread_create(&a, 0, idle, 0); pthread_create(&b, 0, idle, 0); pthread_join(a, 0); pthread_join(b, 0); }
#define START(f) do { pthread_t i; pthread_create(&i, 0, f, 0); pthread_join(i, 0); } while (0)
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
        "assert(own == 5); own = 1;",
        "own += 2; r += own;",
        "r += errno; errno = 1;",
        "assert(errno == 0); errno = 2;",
        "r += pthread_mutex_trylock(&own_lock) != 0;",
        "{ pthread_mutexattr_t a; pthread_mutexattr_init(&a); pthread_mutexattr_settype(&a, PTHREAD_MUTEX_RECURSIVE); pthread_mutex_init(&own_lock, &a); }",
        "pthread_mutex_lock(&own_lock); r += pthread_mutex_trylock(&own_lock) != 0; pthread_mutex_unlock(&own_lock);",
    ],
    // Thread-specific data.
    &[
        "r += pthread_getspecific(key) != 0;",
        "pthread_setspecific(key, &x);",
        "r += pthread_getspecific(plain) != 0; pthread_setspecific(plain, &x);",
        "assert(pthread_getspecific(plain) == 0); pthread_setspecific(plain, &x);",
        "assert(pthread_getspecific(key) == 0); pthread_setspecific(key, &x);",
    ],
    // Locks, also such that are left locked.
    &[
        "pthread_mutex_lock(&m); y = y * 2 + r & 7; pthread_mutex_unlock(&m);",
        "pthread_mutex_lock(&m); if (y & 1) z++; pthread_mutex_unlock(&m);",
        "r += pthread_mutex_trylock(&n) != 0;",
        "pthread_mutex_unlock(&n);",
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
        "{ int b = 0; if (__VERIFIER_nondet_bool()) b = 1; pthread_mutex_lock(&m); y = y * 2 + b & 7; pthread_mutex_unlock(&m); }",
        "if (__VERIFIER_nondet_bool()) x = 1;",
        "pthread_mutex_lock(&m); assert(y != 5); pthread_mutex_unlock(&m);",
    ],
];

/// Programs for single mistakes.
const DIRECTED: &[&str] = &[
    // The fence of the old thread is none of the new one.
    "static void *reads(void *arg) { if (atomic_load_explicit(&x, memory_order_acquire) == 1) z = y; return 0; }
static void *fences(void *arg) { y = 1; atomic_thread_fence(memory_order_release); return 0; }
static void *stores(void *arg) { atomic_store_explicit(&x, 1, memory_order_relaxed); return 0; }
int main(void) { BEGIN; IDLE; pthread_t t; pthread_create(&t, 0, reads, 0); START(fences); IDLE; START(stores); pthread_join(t, 0); }
",
    // What the old thread has read relaxed, a fence of the new one does not acquire.
    "static void *writes(void *arg) { y = 1; atomic_store_explicit(&x, 1, memory_order_release); return 0; }
static void *reads(void *arg) { if (atomic_load_explicit(&x, memory_order_relaxed) == 1) atomic_store_explicit(&seen, 1, memory_order_relaxed); return 0; }
static void *fences(void *arg) { atomic_thread_fence(memory_order_acquire); if (atomic_load_explicit(&seen, memory_order_relaxed) == 1) z = y; return 0; }
int main(void) { BEGIN; IDLE; pthread_t t; pthread_create(&t, 0, writes, 0); START(reads); IDLE; START(fences); pthread_join(t, 0); }
",
    // A store of the new thread ends the release sequence of the old one.
    "static void *reads(void *arg) { if (atomic_load_explicit(&x, memory_order_acquire) == 2) z = y; return 0; }
static void *releases(void *arg) { y = 1; atomic_store_explicit(&x, 1, memory_order_release); return 0; }
static void *stores(void *arg) { atomic_store_explicit(&x, 2, memory_order_relaxed); return 0; }
int main(void) { BEGIN; IDLE; pthread_t t; pthread_create(&t, 0, reads, 0); START(releases); IDLE; START(stores); pthread_join(t, 0); }
",
    // The same with a read-modify-write of a third thread between.
    "static void *reads(void *arg) { if (atomic_load_explicit(&x, memory_order_acquire) == 4) z = y; return 0; }
static void *releases(void *arg) { y = 1; atomic_store_explicit(&x, 1, memory_order_release); return 0; }
static void *adds(void *arg) { atomic_fetch_add_explicit(&x, 1, memory_order_release); return 0; }
static void *stores(void *arg) { atomic_store_explicit(&x, 4, memory_order_relaxed); return 0; }
int main(void) { BEGIN; IDLE; pthread_t t; pthread_create(&t, 0, reads, 0); START(releases); START(adds); START(stores); pthread_join(t, 0); }
",
    // The sequence of the old thread goes on without a head, and another thread ends it.
    "static void *reads(void *arg) { if (atomic_load_explicit(&x, memory_order_acquire) == 4) z = y; return 0; }
static void *releases(void *arg) { y = 1; atomic_store_explicit(&x, 1, memory_order_release); return 0; }
static void *both(void *arg) { if (atomic_load_explicit(&seen, memory_order_relaxed)) { atomic_fetch_add_explicit(&x, 1, memory_order_release); atomic_store_explicit(&x, 4, memory_order_relaxed); } return 0; }
int main(void) { BEGIN; IDLE; pthread_t t, u; pthread_create(&t, 0, reads, 0); pthread_create(&u, 0, both, 0); START(releases); IDLE; START(idle); atomic_store_explicit(&seen, 1, memory_order_relaxed); pthread_join(t, 0); pthread_join(u, 0); }
",
    // Two states that differ in what a new thread will do.
    "static void *one(void *arg) { return 0; }
static void *other(void *arg) { assert(0); return 0; }
int main(void) { BEGIN_TWO; pthread_t t, u; pthread_create(&u, 0, one, 0); pthread_create(&t, 0, __VERIFIER_nondet_bool() ? one : other, 0); pthread_join(t, 0); pthread_join(u, 0); }
",
    // The same, where nothing else tells them apart.
    "static void *sets(void *arg) { atomic_store(&x, 1); return 0; }
static void *one(void *arg) { assert(y); return 0; }
static void *other(void *arg) {
    assert(z); return 0; }
int main(void) { BEGIN_TWO; pthread_t t, u; pthread_create(&u, 0, sets, 0); pthread_create(&t, 0, atomic_load(&x) ? one : other, 0); pthread_join(t, 0); pthread_join(u, 0); }
",
    "static void *sets(void *arg) { atomic_store(&x, 1); return 0; }
static void *one(void *arg) { assert(y); return 0; }
static void *other(void *arg) {
    assert(z); return 0; }
int main(void) { BEGIN_TWO; pthread_t t, u; pthread_create(&u, 0, sets, 0); pthread_create(&t, 0, atomic_load(&x) ? other : one, 0); pthread_join(t, 0); pthread_join(u, 0); }
",
    // What main knows of the end of the first thread says nothing about the one in its place.
    "static void *reads(void *arg) { int r = 3; { int v = r; int *p = &v; pthread_mutex_lock(&m); z = *p & 3; pthread_mutex_unlock(&m); }
pthread_mutex_lock(&m); if (published) y = *published; pthread_mutex_unlock(&m);
if (atomic_load_explicit(&x, memory_order_relaxed) == 1) { atomic_thread_fence(memory_order_acquire); r += y; } return 0; }
static void *adds(void *arg) { atomic_fetch_add_explicit(&x, 1, memory_order_relaxed); return 0; }
int main(void) { BEGIN; pthread_t t, u; int r = 0; pthread_create(&u, 0, reads, 0); pthread_create(&t, 0, adds, 0); pthread_join(t, 0); IDLE; pthread_create(&t, 0, adds, 0);
y = 2; atomic_thread_fence(memory_order_release); { int v = r; int *p = &v; pthread_mutex_lock(&m); z = *p & 3; pthread_mutex_unlock(&m); } pthread_join(t, 0); pthread_join(u, 0); }
",
    // What a thread has acquired is no part of the program's state.
    "static void *writes(void *arg) { y = 1; atomic_store_explicit(&x, 1, memory_order_release); return 0; }
static void *reads(void *arg) { atomic_load_explicit(&x, memory_order_acquire); atomic_fetch_add_explicit(&seen, 1, memory_order_relaxed); z = y; return 0; }
int main(void) { BEGIN_TWO; pthread_t t, u; pthread_create(&t, 0, reads, 0); pthread_create(&u, 0, writes, 0); pthread_join(t, 0); pthread_join(u, 0); }
",
    // Two states that differ in what a new thread is told.
    "static void *one(void *arg) { assert(arg == 0); return 0; }
int main(void) { BEGIN_TWO; pthread_t t, u; pthread_create(&u, 0, idle, 0); pthread_create(&t, 0, one, __VERIFIER_nondet_bool() ? &x : 0); pthread_join(t, 0); pthread_join(u, 0); }
",
    // Two inputs, each of a thread of its own.
    "static void *asks(void *arg) { int b = 0; if (__VERIFIER_nondet_bool()) b = 1; y = y * 2 + b; return 0; }
int main(void) { BEGIN; START(asks); IDLE; START(asks); assert(y != 1); }
",
    // The mutex of a dead thread is not that of a new one.
    "static void *leaves(void *arg) { pthread_mutex_lock(&n); return 0; }
static void *takes(void *arg) { pthread_mutex_unlock(&n); return 0; }
int main(void) { BEGIN; START(leaves); IDLE; START(takes); }
",
    // What the old thread has made of its mutex.
    "static void *makes(void *arg) { pthread_mutexattr_t a; pthread_mutexattr_init(&a); pthread_mutexattr_settype(&a, PTHREAD_MUTEX_RECURSIVE); pthread_mutex_init(&own_lock, &a); return 0; }
static void *takes(void *arg) { pthread_mutex_lock(&own_lock); assert(pthread_mutex_trylock(&own_lock) != 0); pthread_mutex_unlock(&own_lock); return 0; }
int main(void) { BEGIN; START(makes); IDLE; START(takes); }
",
    // A thread that another one joins, at the same time as the next one is created.
    "static void *adds(void *arg) { pthread_mutex_lock(&m); y = y * 2 + 1; pthread_mutex_unlock(&m); return 0; }
int main(void) { BEGIN_TWO; pthread_t t, j; pthread_create(&t, 0, adds, 0); pthread_create(&j, 0, joins, (void *)t); START(adds); START(adds); pthread_mutex_lock(&m); assert(y != 3); pthread_mutex_unlock(&m); pthread_join(j, 0); printf(\"%d\\n\", y); }
",
    // Identical threads, one of which is joined before another thread is created.
    "static void *adds(void *arg) { pthread_mutex_lock(&m); y = y * 2 + 1; pthread_mutex_unlock(&m); return 0; }
static void *other(void *arg) { pthread_mutex_lock(&m); y = y * 2; pthread_mutex_unlock(&m); return 0; }
int main(void) { BEGIN_TWO; pthread_t t, u, v; pthread_create(&t, 0, adds, 0); pthread_create(&u, 0, adds, 0); pthread_join(t, 0); IDLE; pthread_create(&v, 0, adds, 0); IDLE; pthread_join(v, 0); pthread_join(u, 0); printf(\"%d\\n\", y); }
",
    // Pairs of identical threads, in rounds.
    "static void *adds(void *arg) { pthread_mutex_lock(&m); y = y * 2 + (long)pthread_getspecific(plain) & 7; pthread_mutex_unlock(&m); return 0; }
int main(void) { BEGIN_TWO; pthread_t t, u; for (int i = 0; i < 3; i++) { pthread_create(&t, 0, adds, 0); pthread_create(&u, 0, adds, 0); pthread_join(t, 0); pthread_join(u, 0); } printf(\"%d\\n\", y); }
",
];

//! Random programs with threads and two inputs of one bit: `a` is read by main before there are
//! other threads, `b` by one of them. Both are indexes of arrays, of locks, of handles, and values
//! that decide. With `-DA=… -DB=…` they are numbers instead.

use super::generate::Random;

/// Indexes that main may use, and the thread that has read `b`.
const OF_MAIN: &[&str] = &["0", "1", "a", "!a", "a"];
const OF_WORKER: &[&str] = &["0", "a", "b", "!b", "b"];

fn access(random: &mut Random, indexes: &[&str]) -> String {
    let (i, k) = (random.pick(indexes), random.below(3));
    match random.below(8) {
        0..3 => format!("x[{i}] = {k};"),
        3 => format!("x[{i}]++;"),
        4 => format!("y = x[{i}];"),
        5 => format!("memcpy(&x[{i}], &z, sizeof z);"),
        6 => format!("memset(&x[{i}], {k}, 1 + {});", random.pick(indexes)),
        _ => format!("assert(x[{i}] != {k});"),
    }
}

fn statement(random: &mut Random, indexes: &[&str]) -> String {
    let (i, j) = (random.pick(indexes), random.pick(indexes));
    let one = access(random, indexes);
    let other = access(random, indexes);
    match random.below(14) {
        0..4 => format!("pthread_mutex_lock(&m[{i}]); {one} {other} pthread_mutex_unlock(&m[{i}]);"),
        4 => format!("if (!pthread_mutex_trylock(&m[{i}])) {{ {one} pthread_mutex_unlock(&m[{i}]); }}"),
        5 => format!(
            "if (!pthread_mutex_timedlock(&m[{i}], &ts[{j}])) {{ {one} pthread_mutex_unlock(&m[{i}]); }}"
        ),
        6 => format!("sem_post(&s[{i}]);"),
        7 => format!("sem_wait(&s[{i}]); {one}"),
        8 => format!("if (!sem_trywait(&s[{i}])) {{ {one} }}"),
        9 => format!("atomic_store(&f[{i}], {j} + 1);"),
        10 => format!("if (atomic_load(&f[{i}]) == {j} + 1) {{ {one} }}"),
        11 => {
            format!("{{ int old = {i}; if (atomic_compare_exchange_strong(&f[{j}], &old, 2)) {{ {one} }} }}")
        }
        12 => format!("if ({i}) {{ {one} }} else {{ {other} }}"),
        _ => format!("pthread_rwlock_rdlock(&w[{i}]); {one} pthread_rwlock_unlock(&w[{i}]);"),
    }
}

fn statements(random: &mut Random, indexes: &[&str]) -> String {
    let count = 1 + random.below(2);
    (0..count)
        .map(|_| format!("    {}\n", statement(random, indexes)))
        .collect()
}

/// A program.
pub fn program(seed: u64) -> String {
    let random = &mut Random(seed ^ 0x7468_7265_6164);
    let (worker, rest) = (statements(random, OF_WORKER), statements(random, OF_MAIN));
    let (first, second) = (random.pick(&["0", "a", "!a"]), random.pick(&["0", "1", "a"]));
    let main = statements(random, OF_MAIN);
    let last = match random.below(3) {
        0 => format!(
            "    pthread_join(t[{second}], {});\n",
            random.pick(&["0", "&r[a]"])
        ),
        1 => format!("    pthread_join(t[{first}], &r[!a]);\n"),
        _ => String::new(),
    };
    let after = statements(random, OF_MAIN);
    let both = random.below(2) == 0;
    let create = if both {
        format!("    pthread_create(&t[!({first})], 0, rest, 0);\n")
    } else {
        String::new()
    };
    format!(
        "{HEAD}static void *worker(void *arg)\n{{\n    int b = INPUT_B;\n{worker}    return arg;\n}}\n\n\
         static void *rest(void *arg)\n{{\n{rest}    return arg;\n}}\n\n\
         int main(void)\n{{\n    a = INPUT_A;\n    sem_init(&s[0], 0, 0);\n    sem_init(&s[1], 0, 1);\n    \
         pthread_create(&t[{first}], 0, worker, 0);\n{create}{main}{last}{after}    return 0;\n}}\n"
    )
}

const HEAD: &str = r"#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <string.h>
#include <time.h>

unsigned __VERIFIER_nondet_uint(void);
#ifdef A
#define INPUT_A A
#define INPUT_B B
#else
#define INPUT_A (int)(__VERIFIER_nondet_uint() & 1)
#define INPUT_B (int)(__VERIFIER_nondet_uint() & 1)
#endif

static int a, x[3], y, z = 1;
static pthread_mutex_t m[2] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
static pthread_rwlock_t w[2] = {PTHREAD_RWLOCK_INITIALIZER, PTHREAD_RWLOCK_INITIALIZER};
static const struct timespec ts[2];
static sem_t s[2];
static atomic_int f[2];
static pthread_t t[2];
static void *r[2];

";

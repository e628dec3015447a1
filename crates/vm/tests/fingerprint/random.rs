//! Random programs of a few threads that share symbolic inputs.

use fastrand::Rng;
use std::fmt::Write;

/// A condition on the inputs, and on what the thread knows.
fn condition(random: &mut Rng) -> String {
    let left = ["x", "y", "r", "x + y", "x ^ r", "x * 2 - y"][random.usize(..6)];
    let op = ["<", ">", "==", "!=", ">="][random.usize(..5)];
    format!("{left} {op} {}", random.i32(-1..6))
}

/// One statement of a thread.
fn statement(random: &mut Rng, text: &mut String) {
    let (k, c) = (random.i32(1..5), condition(random));
    let line = match random.u8(..14) {
        0..4 => format!("if ({c}) r += {k};"),
        4 => format!("r = {c} ? r + 1 : x;"),
        5 => {
            format!(
                "switch (x) {{ case 0: case 1: r += 2; break; case {k} + 1: r--; break; default: r ^= 1; }}"
            )
        }
        6 => format!("r += table[(x + {k}) & 3];"),
        7 => format!("__VERIFIER_assume({c});"),
        8 => "r = y ? x / y : 7;".to_owned(),
        9 => format!("pthread_mutex_lock(&m); if ({c}) shared += r; pthread_mutex_unlock(&m);"),
        10 => format!(
            "pthread_mutex_lock(&m); shared = shared * 2 + {k}; r += shared > x; pthread_mutex_unlock(&m);"
        ),
        11 => format!("{{ int old = {k}; if (atomic_compare_exchange_strong(&a, &old, r)) r++; }}"),
        12 => format!("atomic_fetch_add(&a, {c} ? 1 : x);"),
        _ => format!("{{ int own = __VERIFIER_nondet_int(); if (own > {k}) r += own & 1; }}"),
    };
    writeln!(text, "    {line}").unwrap_or_else(|e| panic!("{e}"));
}

/// The text of a program.
pub fn program(seed: u64) -> String {
    let mut random = Rng::with_seed(seed);
    let mut text = String::from(
        "#include <pthread.h>\n#include <stdatomic.h>\n\
         int __VERIFIER_nondet_int(void);\nvoid __VERIFIER_assume(int);\n\
         static int x, y, shared, table[4] = {3, 1, 4, 1}, ends[3];\nstatic atomic_int a;\n\
         static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;\n",
    );
    let threads = 2 + usize::from(random.u8(..4) == 0);
    for thread in 0..threads {
        text += &format!("static void *f{thread}(void *arg) {{\n    int r = {thread};\n");
        for _ in 0..random.usize(1..6 - threads) {
            statement(&mut random, &mut text);
        }
        text += &format!("    ends[{thread}] = r;\n    return 0;\n}}\n");
    }
    text += "int main(void) {\n    int r = 0;\n    pthread_t t[3];\n    x = __VERIFIER_nondet_int(); y = __VERIFIER_nondet_int();\n    \
             __VERIFIER_assume(x >= 0 && x < 6 && y >= 0 && y < 3);\n";
    if random.bool() {
        statement(&mut random, &mut text);
    }
    if random.u8(..4) == 0 {
        text += "    a = x;\n";
    }
    for thread in 0..threads {
        text += &format!("    pthread_create(&t[{thread}], 0, f{thread}, 0);\n");
    }
    for thread in 0..threads {
        text += &format!("    pthread_join(t[{thread}], 0);\n");
    }
    statement(&mut random, &mut text);
    text + "    return r == ends[0];\n}\n"
}

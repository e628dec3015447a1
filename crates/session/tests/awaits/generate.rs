//! Random C programs with threads that wait in loops, and loops that look like it.

use fastrand::Rng;
use std::fmt::Write;

const ORDERS: [&str; 3] = [
    "memory_order_seq_cst",
    "memory_order_relaxed",
    "memory_order_acquire",
];

/// A read of an atomic variable.
fn read(rng: &mut Rng) -> String {
    let variable = variable(rng);
    let order = ORDERS[if rng.usize(..3) == 0 { rng.usize(..3) } else { 0 }];
    format!("atomic_load_explicit(&{variable}, {order})")
}

fn variable(rng: &mut Rng) -> &'static str {
    ["a", "b", "c"][rng.usize(..3)]
}

/// A loop.
fn waits(rng: &mut Rng) -> String {
    let (x, n, m) = (variable(rng), rng.u32(..3), rng.u32(..3));
    let (one, two) = (read(rng), read(rng));
    match rng.usize(..18) {
        0 | 1 => format!("while ({one} == {n}) {{ }}"),
        2 => format!("while ({one} != {n}) {{ }}"),
        3 => format!("while ({one} == {n} && {two} == {m}) {{ }}"),
        4 => format!("while ({one} == {n}) sched_yield();"),
        5 => format!("do {{ r = {one}; s = {two}; }} while (r != atomic_load(&{x}));"),
        6 => format!("do {{ r = {one}; }} while (r == {two});"),
        7 => format!("while (atomic_exchange(&{x}, 1)) {{ }}"),
        8 => format!("e = {n}; while (!atomic_compare_exchange_strong(&{x}, &e, {m})) e = {n};"),
        9 => format!("e = {one}; while (!atomic_compare_exchange_strong(&{x}, &e, (e + 1) & 3)) {{ }}"),
        10 => format!("for (;;) {{ while ({one} == {n}) {{ }} if (!atomic_exchange(&{x}, 1)) break; }}"),
        11 => format!("for (;;) {{ if ({one} == {n}) break; if ({two} == {m}) break; }}"),
        12 => format!("while ({one} == {n}) s = plain;"),
        13 => format!("for (int i = 0; i < 2; i++) while ({one} == {n}) {{ }}"),
        14 => format!("for (int i = 0; i < 3 && {one} == {n}; i++) {{ }}"),
        15 => format!("while ({one} == {n}) {{ atomic_fetch_or(&{x}, 1); atomic_fetch_and(&{x}, 2); }}"),
        16 => format!("while ({one} == {n}) {{ r = (r + 1) & 3; if (r == {m}) s = {two}; }}"),
        _ => format!(
            "while ({one} == {n}) {{ pthread_mutex_lock(&m); s = guarded; pthread_mutex_unlock(&m); }}"
        ),
    }
}

fn statement(rng: &mut Rng) -> String {
    let (x, n) = (variable(rng), rng.u32(..3));
    match rng.usize(..17) {
        14 | 15 => format!("atomic_fetch_add(&{x}, {});", rng.u32(1..=3)),
        16 if rng.usize(..2) == 0 => format!(
            "atomic_store((_Atomic unsigned char *)&{x} + {}, {n});",
            rng.u32(..2)
        ),
        0..=3 => format!("atomic_store(&{x}, {n});"),
        4 => format!("atomic_store_explicit(&{x}, {n}, memory_order_relaxed);"),
        5 => format!("r = {};", read(rng)),
        6 => format!("atomic_fetch_xor(&{x}, {n});"),
        7 => "atomic_store(&seen, (r + s) & 3);".to_owned(),
        8 => "pthread_mutex_lock(&m); guarded++; pthread_mutex_unlock(&m);".to_owned(),
        9 => format!("if ({} == {n}) plain = 1;", read(rng)),
        10 if rng.usize(..3) == 0 => format!("*(int *)&{x} = {n};"),
        11 => format!(
            "e = {n}; atomic_compare_exchange_strong(&{x}, &e, {});",
            rng.u32(..3)
        ),
        12 => format!("if ({} == {n}) {{ {} }}", read(rng), waits(rng)),
        _ => format!("assert({} != {n} || {} != 3);", read(rng), read(rng)),
    }
}

/// What a thread does: mostly it waits for something that another one does at its end.
fn body(rng: &mut Rng, number: usize) -> String {
    let mut text = "    int r = 0, s = 0, e = 0;\n".to_owned();
    let own = ["a", "b", "c"][number];
    let mut waited = false;
    for _ in 0..rng.usize(2..=3) {
        let line = match rng.usize(..4) {
            0 if !waited && number > 0 => {
                waited = true;
                for_earlier(rng, number)
            }
            1 => "while (atomic_load(&lock) || atomic_exchange(&lock, 1)) { } guarded++; atomic_store(&lock, 0);"
                .to_owned(),
            2 if rng.usize(..3) == 0 => waits(rng),
            _ => statement(rng),
        };
        let _ = writeln!(text, "    {line}");
    }
    if rng.usize(..2) == 0 {
        text += "    atomic_store(&seen, (r + s) & 3);\n";
    }
    let _ = writeln!(text, "    atomic_store(&{own}, {});", rng.u32(1..=2));
    text + "    (void)e; (void)s; (void)r;\n    return arg;\n"
}

/// A loop that waits for what an earlier thread does last.
fn for_earlier(rng: &mut Rng, number: usize) -> String {
    let v = ["a", "b"][rng.usize(..number)];
    let w = variable(rng);
    match rng.usize(..6) {
        0 => format!("while (!atomic_load(&{v})) {{ }}"),
        1 => format!("while (!atomic_load_explicit(&{v}, memory_order_relaxed)) atomic_load(&{w});"),
        2 => format!("while (!atomic_load(&{v}) && !atomic_load(&{w})) {{ }}"),
        3 => {
            format!("do {{ r = atomic_load(&{v}); s = atomic_load(&{w}); }} while (r != atomic_load(&{v}));")
        }
        4 => format!(
            "do {{ e = atomic_load(&{v}); }} while (!atomic_compare_exchange_strong(&{v}, &e, (e + 1) & 3));"
        ),
        _ => format!("while (!atomic_load(&{v})) sched_yield();"),
    }
}

/// The program of a seed. Each line at its end fails for one final state.
pub fn program(seed: u64) -> String {
    let mut rng = Rng::with_seed(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0xa3a1);
    let mut text = "#include <assert.h>\n#include <pthread.h>\n#include <sched.h>\n#include <stdatomic.h>\n\
                    static atomic_int a, b, c, lock, seen;\nstatic int plain, guarded;\n\
                    static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;\n\
                    static int low(int n) { return (n ^ n >> 8) & 3; }\n"
        .to_owned();
    let threads = rng.usize(2..=3);
    let same = rng.usize(..4) == 0;
    let mut functions = Vec::new();
    for number in 0..threads {
        if number > 0 && same {
            functions.push(0);
            continue;
        }
        let body = body(&mut rng, number);
        let _ = write!(text, "static void *f{number}(void *arg)\n{{\n{body}}}\n");
        functions.push(number);
    }
    text += "int main(void)\n{\n    pthread_t t[3];\n";
    for (number, function) in functions.iter().enumerate() {
        let _ = writeln!(text, "    pthread_create(&t[{number}], 0, f{function}, 0);");
    }
    for number in 0..threads {
        let _ = writeln!(text, "    pthread_join(t[{number}], 0);");
    }
    text += "    int state = low(a) | low(b) << 2 | low(c) << 4 | seen << 6;\n    switch (state) {\n";
    for state in 0..256 {
        let _ = writeln!(text, "    case {state}: assert(state != {state}); break;");
    }
    text + "    }\n    return 0;\n}\n"
}

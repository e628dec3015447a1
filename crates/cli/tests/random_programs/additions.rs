//! Programs whose threads add to the same variables, mostly without looking at what was there.

use crate::generate::{Program, Random, Theme};

const PRELUDE: &str = "#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
static atomic_int a;
static atomic_long b = 2;
static int x;
static pthread_t t1, t2;
";

fn pick<'a>(random: &mut Random, from: &[&'a str]) -> &'a str {
    from[random.below(from.len())]
}

/// What a thread does, at most `most` things.
fn body(random: &mut Random, most: usize) -> String {
    let mut text = String::new();
    for _ in 0..1 + random.below(most) {
        let v = pick(random, &["a", "a", "b"]);
        let k = 1 + random.below(3);
        let order = pick(
            random,
            &[
                "relaxed", "relaxed", "acquire", "release", "acq_rel", "seq_cst", "seq_cst",
            ],
        );
        let line = match random.below(14) {
            0..4 => format!("atomic_fetch_add_explicit(&{v}, {k}, memory_order_{order});"),
            4 => format!("atomic_fetch_sub_explicit(&{v}, {k}, memory_order_{order});"),
            5 => format!("add(&b, {k});"),
            6 => format!("r = (int)atomic_fetch_add_explicit(&{v}, {k}, memory_order_{order});"),
            7 => format!("if ({v} == {k}) r = 9;"),
            8 => format!("{v} = {k};"),
            9 => format!("assert({v} != {});", k + 2),
            10 => "x = x + 1;".to_owned(),
            11 => format!("{{ int e = {k}; if (atomic_compare_exchange_strong(&a, &e, 7)) r = e; }}"),
            12 => format!("if (r == {k}) x = 5;"),
            _ => format!("{v}++;"),
        };
        text += &format!("    {line}\n");
    }
    text
}

/// The program of a seed.
pub fn program(seed: u64) -> Program {
    let mut random = Random::new(seed);
    let mut text = PRELUDE.to_owned();
    // Its result is read in some programs only.
    text += "static long add(atomic_long *v, long k) {\n    long old = atomic_fetch_add(v, k);\n    return old + k;\n}\n";
    for f in ["f1", "f2"] {
        let body = body(&mut random, 4);
        text += &format!(
            "static void *{f}(void *arg) {{\n    int r = 0, v = 3; (void)v;\n{body}    return NULL;\n}}\n"
        );
    }
    let second = pick(&mut random, &["f1", "f2", "f2"]);
    let body = body(&mut random, 2);
    let last = [
        "    printf(\"%d %ld %d %d\\n\", a, b, x, r);\n",
        "    assert(a + b != 7);\n",
    ][random.below(2)];
    text += &format!(
        "int main(void) {{
    int r = 0, v = 5; (void)v;
    pthread_create(&t1, NULL, f1, NULL);
    pthread_create(&t2, NULL, {second}, NULL);
{body}    pthread_join(t1, NULL);
    pthread_join(t2, NULL);
{last}    return 0;
}}
"
    );
    Program {
        text,
        themes: vec![Theme::Atomics],
        native: true,
    }
}

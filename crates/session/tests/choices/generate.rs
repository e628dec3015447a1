//! Random C programs with arrays: pointers to elements and fields, loops with strides, indexes from
//! memory, from the thread's number and from inputs, objects on the heap that are handed over.

use fastrand::Rng;
use std::fmt::Write;

const GLOBALS: &str = "#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
unsigned char __VERIFIER_nondet_uchar(void);
struct s { int f; int g[3]; };
int a[4];
struct s o[2];
int *volatile p = a;
int *cells[2];
int n = 2;
pthread_mutex_t m[2] = { PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER };
static int first(const int *from) { return from[0]; }
static void put(int *to, int i, int value) { to[i] = value; }
static int sum(const int *from, int i) { return i <= 0 ? from[0] : from[i] + sum(from, i - 1); }
static void fill(int *to, int i, int value) { to[i] = value; if (i > 0) fill(to, i - 1, value); }
struct list { struct list *next; int *to; };
static void go(const struct list *at, int value) { if (at->next) go(at->next, value + 1); else *at->to = value; }
";

/// The program of a seed.
pub fn program(seed: u64) -> String {
    let mut rng = Rng::with_seed(seed);
    let mut text = GLOBALS.to_owned();
    let threads = 2 + usize::from(rng.u8(..4) == 0);
    let bodies = if rng.bool() { 1 } else { threads };
    for body in 0..bodies {
        let _ = writeln!(
            text,
            "static void *run{body}(void *argument) {{\n    int me = (int)(long)argument, r = 0, k = me;\n    int *q = &a[me & 1], *h = 0;"
        );
        let inputs = rng.u8(..5) == 0;
        if inputs {
            text += "    k = __VERIFIER_nondet_uchar() & 1;\n";
        }
        for _ in 0..rng.usize(2..5) {
            text += &statement(&mut rng, 0);
        }
        text += "    if (h && cells[me & 1] != h) free(h);\n    (void)q; (void)k;\n    return (void *)(long)r;\n}\n";
    }
    text += "int main(void) {\n    pthread_t t[3];\n    cells[0] = calloc(2, sizeof(int));\n    cells[1] = calloc(2, sizeof(int));\n";
    if rng.bool() {
        text += "    o[1].g[1] = 1;\n    a[2] = 2;\n";
    }
    for thread in 0..threads {
        let _ = writeln!(
            text,
            "    pthread_create(&t[{thread}], 0, run{}, (void *){thread}L);",
            thread % bodies
        );
    }
    if rng.bool() {
        text += "    int me = 2, r = 0, k = 1, *q = a, *h = 0;\n";
        text += &statement(&mut rng, 1);
        text += "    (void)me; (void)r; (void)k; (void)q; (void)h;\n";
    }
    for thread in 0..threads {
        let _ = writeln!(text, "    pthread_join(t[{thread}], 0);");
    }
    let (i, value) = (rng.u8(..4), rng.u8(..3));
    let _ = writeln!(text, "    assert(a[{i}] != {});\n    return 0;\n}}", value + 3);
    text
}

/// A number below `limit`, which is 2 or 4.
fn index(rng: &mut Rng, limit: u32) -> String {
    let mask = limit - 1;
    match rng.u8(..9) {
        0..=2 => rng.u32(..limit).to_string(),
        3 => "(me & 1)".to_owned(),
        4 => format!("((2 * me + {}) & {mask})", rng.u8(..2)),
        5 => format!("(k & {mask})"),
        6 => format!("(r & {mask})"),
        7 => format!("(o[{}].f & {mask})", rng.u8(..2)),
        _ => format!("(n & {mask})"),
    }
}

fn value(rng: &mut Rng) -> String {
    match rng.u8(..5) {
        0 => rng.u8(..4).to_string(),
        1 => "me + 1".to_owned(),
        2 => "r".to_owned(),
        3 => "k".to_owned(),
        _ => "r + 1".to_owned(),
    }
}

/// A place that can be assigned.
fn place(rng: &mut Rng) -> String {
    match rng.u8(..10) {
        0 | 1 => format!("a[{}]", index(rng, 4)),
        2 => format!("o[{}].f", index(rng, 2)),
        3 => format!("o[{}].g[{}]", index(rng, 2), index(rng, 2)),
        4 => "(*p)".to_owned(),
        5 => format!("q[{}]", rng.u8(..2)),
        6 => format!("cells[{}][{}]", index(rng, 2), index(rng, 2)),
        7 => "n".to_owned(),
        8 => format!("(&o[{}].g[1])[{}]", index(rng, 2), rng.i8(-1..2)),
        _ => format!("(*(a + {}))", index(rng, 4)),
    }
}

fn statement(rng: &mut Rng, depth: u32) -> String {
    let mut text = String::new();
    let most = if depth < 2 { 22 } else { 8 };
    let _ = match rng.u8(..most) {
        0..=2 => writeln!(text, "    {} = {};", place(rng), value(rng)),
        3 | 4 => writeln!(text, "    r = {};", place(rng)),
        5 => writeln!(text, "    {}++;", place(rng)),
        6 => writeln!(text, "    r = first(&a[{}]);", index(rng, 4)),
        7 => writeln!(
            text,
            "    put(o[{}].g, {}, {});",
            index(rng, 2),
            index(rng, 2),
            value(rng)
        ),
        8 => writeln!(text, "    q = {};", pointer(rng)),
        9 => writeln!(text, "    p = {};", pointer(rng)),
        10 => {
            let (from, step) = (rng.u8(..2), rng.u8(1..3));
            let to = ["4", "n", "2 * me + 2"][rng.usize(..3)];
            writeln!(
                text,
                "    for (int i = {from}; i < {to} && i < 4; i += {step})\n        a[i] = {};",
                value(rng)
            )
        }
        11 => {
            let lock = index(rng, 2);
            let inner = statement(rng, depth + 1);
            writeln!(
                text,
                "    {{ pthread_mutex_t *l = &m[{lock}];\n    pthread_mutex_lock(l);\n{inner}    pthread_mutex_unlock(l); }}"
            )
        }
        12 => {
            let inner = statement(rng, depth + 1);
            writeln!(
                text,
                "    if ({} == {}) {{\n{inner}    }}",
                place(rng),
                rng.u8(..3)
            )
        }
        13 => writeln!(
            text,
            "    if (!h) {{ h = malloc(2 * sizeof(int)); h[0] = {}; h[1] = r; if ({}) cells[me & 1] = h; r = h[0]; }}",
            value(rng),
            ["0", "1", "r"][rng.usize(..3)]
        ),
        15 => writeln!(text, "    r = sum(o[{}].g, {});", index(rng, 2), index(rng, 2)),
        16 => writeln!(text, "    fill(a, {}, {});", index(rng, 4), value(rng)),
        17 => writeln!(
            text,
            "    {{ struct list last = {{ 0, {} }}, more = {{ &last, &a[{}] }}; go({} ? &more : &last, {}); }}",
            pointer(rng),
            index(rng, 4),
            ["me", "k", "r", "n"][rng.usize(..4)],
            value(rng)
        ),
        18 => writeln!(
            text,
            "    if (h) {{ int *l = malloc(4 * sizeof(int)); l[0] = h[0]; l[3] = {}; free(h); h = l; }}",
            value(rng)
        ),
        14 => match rng.bool() {
            true => writeln!(
                text,
                "    memcpy(&a[2], o[{}].g, {});",
                index(rng, 2),
                4 * rng.u8(1..3)
            ),
            false => writeln!(
                text,
                "    memset(o[{}].g, 0, {});",
                index(rng, 2),
                4 * rng.u8(1..3)
            ),
        },
        20 => writeln!(
            text,
            "    {{ int e = {}; r = __atomic_compare_exchange_n(&a[{}], &e, {}, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST) + e; }}",
            rng.u8(..3),
            index(rng, 4),
            rng.u8(..4)
        ),
        21 => {
            let counter = format!("o[{}].f", rng.u8(..2));
            writeln!(
                text,
                "    for ({counter} = 0; {counter} < 2; {counter}++)\n        {} = {counter};",
                place(rng)
            )
        }
        _ => writeln!(text, "    assert({} != {});", place(rng), rng.u8(2..4)),
    };
    text
}

/// An address from which two numbers can be reached.
fn pointer(rng: &mut Rng) -> String {
    match rng.u8(..4) {
        0 => format!("&a[{}]", index(rng, 2)),
        1 => format!("o[{}].g", index(rng, 2)),
        2 => format!("cells[{}]", index(rng, 2)),
        _ => "a + 2".to_owned(),
    }
}

//! Random C programs with atomic blocks whose memory is hard to tell apart: pointers, addresses as
//! numbers and in unions, elements by computed indexes, allocated objects, locals of others, calls.

use std::fmt::Write as _;

/// The program of a seed, and whether it has an input.
pub fn program(seed: u64) -> (String, bool) {
    let mut rng = fastrand::Rng::with_seed(seed);
    let with_input = seed % 6 == 5;
    let threads = 2 + usize::from(rng.u8(0..4) == 0);
    let mut text = PRELUDE.to_owned();
    // Few of the ways to touch memory at a time: otherwise all blocks touch the same memory.
    let mut kinds: Vec<usize> = (0..INSIDE.len()).collect();
    rng.shuffle(&mut kinds);
    kinds.truncate(2 + rng.usize(0..2));
    kinds.push(0);
    match rng.u8(0..6) {
        0 | 1 => kinds.push(SCRATCH),
        2 | 3 => kinds = vec![SIDES, SIDES, 0],
        _ => {}
    }
    let input = match with_input {
        true => "__VERIFIER_nondet_uchar() < 100",
        false => "0",
    };
    let _ = writeln!(text, "static int given(void) {{ return {input}; }}");
    for thread in 1..threads {
        let _ = writeln!(
            text,
            "static void *f{thread}(void *arg) {{\n    int r = 0, v = {thread};"
        );
        statements(&mut rng, &mut text, thread, &kinds);
        text.push_str("    return 0;\n}\n");
    }
    text.push_str("int main(void) {\n    int r = 0, v = 7;\n    pthread_t t[3];\n");
    for set_up in [
        "p = &y;",
        "hp = malloc(4); *hp = 1;",
        "number = (uintptr_t)&z;",
        "hidden = scrambled(&w);",
        "hidden = scrambled(&o);",
    ] {
        if rng.bool() {
            let _ = writeln!(text, "    {set_up}");
        }
    }
    for thread in 1..threads {
        let _ = writeln!(text, "    pthread_create(&t[{thread}], 0, f{thread}, 0);");
    }
    statements(&mut rng, &mut text, 0, &kinds);
    for thread in 1..threads {
        let _ = writeln!(text, "    pthread_join(t[{thread}], 0);");
    }
    if rng.bool() {
        text.push_str("    x = x + o;\n");
    }
    let all = "x, y, z, w, list[0] + 10 * list[1], a, r, m + 10 * n";
    let _ = writeln!(text, "    printf(\"%d %d %d %d %d %d %d %d\\n\", {all});");
    if text.contains("flag()") {
        for _ in 0..3 {
            let (m, n) = (rng.u32(0..4), rng.u32(0..3));
            let _ = writeln!(text, "    assert(m != {m} || n != {n});");
        }
    }
    let value = rng.u32(0..5);
    let _ = writeln!(text, "    assert(x + y != {value});\n    return 0;\n}}");
    let with_input = with_input || text.contains("flag()");
    (text, with_input)
}

fn statements(rng: &mut fastrand::Rng, text: &mut String, thread: usize, kinds: &[usize]) {
    for _ in 0..1 + rng.u32(0..3) {
        if rng.u8(0..3) == 0 {
            let line = OUTSIDE[rng.usize(0..OUTSIDE.len())];
            let _ = writeln!(text, "    {line}");
            continue;
        }
        if rng.u8(0..8) == 0 {
            let line = [
                "__VERIFIER_atomic_add(&x);",
                "__VERIFIER_atomic_add(&z);",
                "__VERIFIER_atomic_w();",
            ];
            let _ = writeln!(text, "    {}", line[rng.usize(0..line.len())]);
            continue;
        }
        text.push_str("    __VERIFIER_atomic_begin();\n");
        for _ in 0..1 + rng.u32(0..2) {
            let kind = INSIDE[kinds[rng.usize(0..kinds.len())]];
            let line = kind[(thread + rng.usize(0..2)) % kind.len()];
            let _ = writeln!(text, "        {line}");
        }
        text.push_str("    __VERIFIER_atomic_end();\n");
    }
}

const PRELUDE: &str = "#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
void __VERIFIER_atomic_begin(void);
void __VERIFIER_atomic_end(void);
void __VERIFIER_assume(int);
unsigned char __VERIFIER_nondet_uchar(void);
static int x, y, z, w, list[2];
static int s, q, o, m, n = 1;
static atomic_int a, b;
static int *p = &x, *hp, *local;
static uintptr_t number, hidden;
static union { int *pointer; uintptr_t number; unsigned char bytes[8]; } u;
static int flag(void) { return __VERIFIER_nondet_uchar() & 1; }
static void add(int *to) { (*to)++; }
static void both(void) { add(&y); z = y; }
static void __VERIFIER_atomic_add(int *to) { *to = *to + 2; }
static void __VERIFIER_atomic_w(void) { w++; }
/* The address goes through branches alone. */
static uintptr_t scrambled(int *of) {
    uintptr_t from = (uintptr_t)of, to = 0;
    for (int i = 0; i < 48; i++) if (from >> i & 1) to |= (uintptr_t)1 << i;
    return to;
}
";

/// The number of the kind that uses scratch variables.
const SCRATCH: usize = 15;

/// The number of the kind that branches on inputs.
const SIDES: usize = 16;

/// What blocks do, by kinds; each thread prefers another one of a kind.
const INSIDE: &[&[&str]] = &[
    &["x++;", "y++;", "z++;", "w = w + 1;"],
    &[
        "if (x) y = 2; else x = 1;",
        "r = x;",
        "z = r + 1;",
        "if (r) w = 3;",
    ],
    &["*p = 4;", "z = *p;", "p = &z;", "w++;", "p = r ? &x : &y;"],
    &["list[r & 1]++;", "list[1] = 2;", "list[0]++;", "x = list[v & 1];"],
    &[
        "if (number) *(int *)number = 5;",
        "number = (uintptr_t)&y;",
        "z++;",
        "y++;",
    ],
    &[
        "if (hidden) *(int *)hidden = 6;",
        "w++;",
        "x = w;",
        "hidden = scrambled(&x);",
    ],
    &[
        "u.pointer = &w;",
        "if (u.number) *(int *)u.number = 1;",
        "w++;",
        "memcpy(&u.bytes, &p, sizeof p);",
    ],
    &[
        "if (hp) *hp = *hp + 1;",
        "if (hp) x = *hp;",
        "free(hp); hp = 0;",
        "y++;",
        "hp = malloc(4); *hp = 3;",
    ],
    &["local = &v;", "if (local) *local = 3;", "z = v;", "local = 0;"],
    &["add(&x);", "both();", "add(p);", "{ int l = 1; add(&l); y = l; }"],
    &["a = 1;", "a++;", "b = a;", "x = b;"],
    &[
        "list[given()] = 7;",
        "if (given()) x++; else z++;",
        "r = given();",
        "y++;",
    ],
    &["o++;", "o = o + 2; x = o;", "y = o;", "if (o > 1) z = 1;"],
    &["assert(x != 2);", "x++;", "assert(y != 1);", "y++;"],
    &[
        "x = 3; __VERIFIER_assume(y); x = 1;",
        "y++;",
        "y = 2; if (x == 1) _Exit(0); y = 0;",
        "x = y;",
    ],
    &[
        "s = x; y = s + 1;",
        "s = v; if (s & 1) z = s;",
        "x = s;",
        "if (given()) s = 1; else s = y; w = s;",
        "q = y; add(&x); z = q;",
        "q = x; x = s; y = q;",
        "if (r) s = 2; w = s;",
        "q = 3; __VERIFIER_atomic_end(); __VERIFIER_atomic_begin(); z = q;",
    ],
    &[
        "m = flag() ? m : n;",
        "n = flag() ? (m ? n : 1) : n; x = n;",
        "m = flag() ? m + n : n + m; n = 0;",
        "{ int f = flag(), g = flag() ? 1 : 0; n = f ? n : (g ? n : m); }",
        "{ int f = flag(), g = flag(); n = f ? n : (g ? n : m); }",
        "{ int f = flag(), g = flag(); m = f ? (g ? m : n) : (g ? n : m); }",
        "{ int f = flag() ? 1 : 0; n = f ? (f ? n : x) : n; }",
        "{ int f = flag(); n = f ? (f ? n : x) : n; }",
        "{ int f = flag(); m = f ? (f ? m : list[0]) : (f ? y : m); }",
        "{ int f = flag(); m = f ? n : (m || n ? m : 2); z = f ? m : n; }",
        "r = flag() ? m : n; assert(m != 2);",
        "n = flag() ? x : n;",
        "m = flag() ? list[0] : list[1];",
        "n = flag() && m ? n : n;",
        "m = flag() ? n > 0 && m < 2 : m; x = m;",
    ],
];

/// What threads do between blocks.
const OUTSIDE: &[&str] = &[
    "x = 1;",
    "r = y;",
    "z = 2;",
    "a = 2;",
    "r = a;",
    "a++;",
    "b = 1;",
    "r = atomic_load_explicit(&b, memory_order_relaxed);",
    "if (hp) r = *hp;",
    "if (r) w = 1;",
    "list[1]++;",
    "v++;",
    "p = &w;",
    "r = *p;",
    "r = o;",
    "if (hidden) r = *(int *)hidden;",
    "if (hidden) *(int *)hidden = 8;",
];

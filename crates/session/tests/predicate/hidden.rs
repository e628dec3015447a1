//! Random programs that hide addresses: a thread makes the address of a variable in some way that
//! points-to sets may not follow, and accesses the variable through it. So an access that matters
//! looks as if it did not. The way, or which variable it comes to, may depend on what another
//! thread writes.

use std::fmt::Write;

const START: &str = r#"#include <assert.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
typedef uintptr_t word;
static int w, x, y, z, b, sel, tmp;
static int *kept;
static unsigned char same[256] = { $SAME };
static word number;
static unsigned char bytes[8];
static int ends[2];
static int *table[2];
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, n = PTHREAD_MUTEX_INITIALIZER;
extern unsigned long __VERIFIER_nondet_ulong(void);
struct both { int first; int *second; };
union mixed { int *pointer; unsigned char bytes[8]; word number; };
static void set_y(void) { y = 1; }
static void set_z(void) { z = 1; }
"#;

/// A way to make an address.
struct Way {
    name: &'static str,
    /// Points-to sets follow it.
    followed: bool,
    make: &'static str,
}

const fn way(name: &'static str, make: &'static str) -> Way {
    Way {
        name,
        followed: true,
        make,
    }
}

const fn hidden(name: &'static str, make: &'static str) -> Way {
    Way {
        name,
        followed: false,
        make,
    }
}

/// How the address of a variable is made. `$P` is the pointer, `$A` the variable, `$O` another one,
/// `$C` what decides, if something does.
const WAYS: &[Way] = &[
    way("plain", "int *$P = &$A;"),
    way(
        "xor",
        "word k$P = (word)&$O ^ (word)&$A; int *$P = (int *)((word)&$O ^ k$P);",
    ),
    way(
        "tag",
        "word k$P = (word)&$A | 1; int *$P = (int *)(k$P & ~(word)1);",
    ),
    way(
        "bytes",
        "int *q$P = &$A, *$P = &$O; for (int i = 0; i < 8; i++) ((char *)&$P)[i] = ((char *)&q$P)[i];",
    ),
    hidden(
        "bits",
        "word k$P = 0; for (int i = 0; i < 64; i++) if ((word)&$A >> i & 1) k$P |= (word)1 << i; int *$P = (int *)k$P;",
    ),
    way(
        "difference",
        "word k$P = (word)&$A - (word)&$O; int *$P = (int *)((word)&$O + k$P);",
    ),
    hidden(
        "walk",
        "word k$P = (word)&$O; if (k$P < (word)&$A) while (k$P != (word)&$A) k$P += 4; else while (k$P != (word)&$A) k$P -= 4; int *$P = (int *)k$P;",
    ),
    hidden("ahead", "int *$P = (int *)((word)&$O + 16);"),
    hidden("behind", "int *$P = (int *)((word)&$O - 16);"),
    way(
        "union",
        "union mixed u$P; u$P.pointer = &$O; u$P.number += (word)&$A - (word)&$O; int *$P = u$P.pointer;",
    ),
    way(
        "union_bytes",
        "union mixed u$P; word k$P = (word)&$A; for (int i = 0; i < 8; i++) u$P.bytes[i] = k$P >> 8 * i; int *$P = u$P.pointer;",
    ),
    hidden(
        "counted",
        "union mixed u$P; for (int i = 0; i < 8; i++) { unsigned char n = 0; while (n != (unsigned char)((word)&$A >> 8 * i)) n++; u$P.bytes[i] = n; } int *$P = u$P.pointer;",
    ),
    way(
        "pipe",
        "int *$P = &$A; pipe(ends); write(ends[1], &$P, 8); $P = &$O; read(ends[0], &$P, 8);",
    ),
    way(
        "text",
        "char t$P[32]; sprintf(t$P, \"%lu\", (word)&$A); int *$P = (int *)strtoul(t$P, 0, 10);",
    ),
    way(
        "digits",
        "char t$P[32]; sprintf(t$P, \"%lu\", (word)&$A); word k$P = 0; for (char *c = t$P; *c; c++) k$P = k$P * 10 + (*c - '0'); int *$P = (int *)k$P;",
    ),
    hidden(
        "known_digits",
        "char t$P[32]; sprintf(t$P, \"%lu\", (word)&$A); word k$P = 0; for (char *c = t$P; *c; c++) k$P = k$P * 10 + (*c == '0' ? 0 : *c == '1' ? 1 : *c == '2' ? 2 : *c == '3' ? 3 : *c == '4' ? 4 : *c == '5' ? 5 : *c == '6' ? 6 : *c == '7' ? 7 : *c == '8' ? 8 : 9); int *$P = (int *)k$P;",
    ),
    way(
        "global_number",
        "number = (word)&$O; number += (word)&$A - number; int *$P = (int *)number;",
    ),
    way(
        "global_bytes",
        "kept = &$A; memcpy(bytes, &kept, 8); int *$P; memcpy(&$P, bytes, 8);",
    ),
    way(
        "heap",
        "struct both *h$P = malloc(sizeof *h$P); h$P->second = &$A; word *k$P = (word *)h$P; int *$P = (int *)k$P[1];",
    ),
    hidden("index", "int *$P = &((int *)0)[(word)&$A / 4];"),
    way(
        "two_ends",
        "word k$P = (word)(uint32_t)(word)&$A; k$P |= (word)&$O & ~(word)0xffffffff; int *$P = (int *)k$P;",
    ),
    // What another thread writes decides where the pointer points.
    way("chosen", "int *$P = $C ? &$A : &$O;"),
    way(
        "chosen_xor",
        "word k$P = (word)&$O; if ($C) k$P ^= (word)&$O ^ (word)&$A; int *$P = (int *)k$P;",
    ),
    way(
        "chosen_product",
        "int *$P = (int *)((word)&$O + ((word)&$A - (word)&$O) * (word)$C);",
    ),
    hidden(
        "chosen_bits",
        "word k$P = (word)&$O; if ($C) { k$P = 0; for (int i = 0; i < 64; i++) if ((word)&$A >> i & 1) k$P |= (word)1 << i; } int *$P = (int *)k$P;",
    ),
    hidden("chosen_ahead", "int *$P = (int *)((word)&$O + 16 * (word)$C);"),
    hidden("chosen_behind", "int *$P = (int *)((word)&$O - 16 * (word)$C);"),
    hidden(
        "chosen_number",
        "word k$P[2] = { (word)&$O, 0 }; for (int i = 0; i < 64; i++) if ((word)&$A >> i & 1) k$P[1] |= (word)1 << i; int *$P = (int *)k$P[$C];",
    ),
    // Both variables are in one object.
    hidden(
        "offset",
        "int *$P = &$O; word k$P = 0; for (int i = 0; i < 64; i++) if ((word)&$A >> i & 1) k$P |= (word)1 << i; $P = (int *)k$P;",
    ),
    hidden(
        "chosen_bytes",
        "int *q$P = &$A, *$P = &$O; if ($C) for (int i = 0; i < 8; i++) ((unsigned char *)&$P)[i] = same[((unsigned char *)&q$P)[i]];",
    ),
    hidden(
        "chosen_shifted",
        "word k$P = 0; int zero = 0, *$P = &$O; if ($C) { for (int i = 0; i < 64; i++) if ((word)&$A >> i & 1) k$P |= (word)1 << i; $P = (int *)k$P + zero; }",
    ),
    hidden(
        "chosen_input",
        "int *$P = &$O; if ($C) { word k$P = __VERIFIER_nondet_ulong(); if (k$P == (word)&$A) $P = (int *)k$P; }",
    ),
    hidden(
        "chosen_null",
        "int *$P = &$O; if ($C) $P = &((int *)0)[(word)&$A / 4];",
    ),
    hidden(
        "chosen_step",
        "char *k$P = (char *)&$O; long d$P = 0; if ($C) while ((word)k$P + d$P != (word)&$A) d$P += (word)k$P < (word)&$A ? 4 : -4; int *$P = (int *)((word)k$P + d$P);",
    ),
    way(
        "chosen_table",
        "table[0] = &$O; table[1] = &$A; int *$P = table[$C];",
    ),
];

/// What is done through the pointer.
const USES: &[(&str, &str)] = &[
    ("store", "*$P = 1;"),
    ("load", "b = *$P;"),
    ("both", "*$P = *$P + 1;"),
    ("atomic_store", "__atomic_store_n($P, 1, __ATOMIC_SEQ_CST);"),
    ("atomic_load", "b = __atomic_load_n($P, __ATOMIC_SEQ_CST);"),
    ("add", "__atomic_fetch_add($P, 1, __ATOMIC_SEQ_CST);"),
    (
        "exchange",
        "{ int old = 0; __atomic_compare_exchange_n($P, &old, 1, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST); }",
    ),
    ("fill", "memset($P, 1, 4);"),
    ("copy_to", "tmp = 1; memcpy($P, &tmp, 4);"),
    ("copy_from", "memcpy(&b, $P, 4);"),
    (
        "wide",
        "{ struct { char c[4]; } v = { { 1 } }; *(__typeof__(v) *)$P = v; }",
    ),
    ("read_text", "b = strlen((char *)$P);"),
    ("passed", "kept = $P; *kept = 1;"),
];

/// What is done through the pointer to something else: the thing, another one of the kind, what is
/// done, and what the other thread does.
const OTHER_USES: &[(&str, [&str; 4])] = &[
    ("call", ["set_y", "set_z", "((void (*)(void))$P)();", ""]),
    ("known", ["y", "x", "$K", "y = 2;"]),
    (
        "lock",
        [
            "m",
            "n",
            "pthread_mutex_lock((pthread_mutex_t *)$P);",
            "pthread_mutex_lock(&m); y = 1; pthread_mutex_unlock(&m);",
        ],
    ),
];

/// The ways that make an address of anything.
const OF_ANYTHING: [&str; 3] = ["bits", "chosen_bits", "difference"];

/// A program, and the name of what is in it.
pub struct Hidden {
    pub name: String,
    pub text: String,
    /// Points-to sets follow how its address is made.
    pub followed: bool,
}

/// The program of a seed.
pub fn program(seed: u64) -> Hidden {
    let mut random = fastrand::Rng::with_seed(seed);
    let way = random.usize(..WAYS.len());
    let used = random.usize(..USES.len() + OTHER_USES.len());
    build(&mut Pick::Random(random), way, used)
}

/// Each way with one use.
pub fn each_way() -> impl Iterator<Item = Hidden> {
    (0..WAYS.len()).map(|way| build(&mut Pick::First, way, 0))
}

/// Each use with the ways of these names.
pub fn each_use(ways: &[&str]) -> impl Iterator<Item = Hidden> {
    let ways = WAYS
        .iter()
        .enumerate()
        .filter(|(_, way)| ways.contains(&way.name));
    let uses = || 0..USES.len() + OTHER_USES.len();
    let pairs: Vec<(usize, usize)> = ways
        .flat_map(|(way, _)| uses().map(move |used| (way, used)))
        .collect();
    let build = |(way, used)| build(&mut Pick::First, way, used);
    pairs.into_iter().map(build)
}

/// Stores at the addresses that the first variables have, as numbers.
fn known_places() -> String {
    let place = |number: u64| {
        let address = (1_u64 << 46) + 16 * number;
        format!("if ((word)&y == {address:#x}) *(int *){address:#x} = 1; ")
    };
    (0..40).map(place).collect()
}

/// How the rest of a program is chosen.
enum Pick {
    /// So that the access matters.
    First,
    Random(fastrand::Rng),
}

impl Pick {
    fn one<T: Copy, const N: usize>(&mut self, of: [T; N]) -> T {
        match self {
            Pick::First => of[0],
            Pick::Random(random) => of[random.usize(..N)],
        }
    }
}

fn build(random: &mut Pick, way: usize, used: usize) -> Hidden {
    let Way { name, followed, make } = WAYS[way];
    // The neighbours of a variable are its neighbours in the source.
    let (mut target, mut other) = match name {
        "ahead" | "chosen_ahead" | "offset" => ("y", "x"),
        "behind" | "chosen_behind" => ("y", "z"),
        _ => ("y", random.one(["x", "z", "w"])),
    };
    let mut second = random.one(["", "y = 2;", "z = 2;", "x = 1;"]);
    let (name, make, used, apply) = match USES.get(used) {
        Some(&(used, apply)) => (name, make, used, apply),
        None => {
            let (used, [thing, another, apply, beside]) = OTHER_USES[used - USES.len()];
            (target, other, second) = (thing, another, beside);
            let fits = |way: &&Way| OF_ANYTHING.contains(&way.name);
            let fitting = WAYS.iter().filter(fits).nth(way % OF_ANYTHING.len());
            let way = fitting.filter(|_| !fits(&&WAYS[way])).unwrap_or(&WAYS[way]);
            (way.name, way.make, used, apply)
        }
    };
    let reads = matches!(used, "load" | "atomic_load" | "copy_from" | "read_text");
    if reads {
        second = "y = 1;";
    }
    let decides = random.one(["sel", "(sel == 1)", "(sel != 0)"]);
    let fill = |text: &str| {
        text.replace("$P", "p")
            .replace("$A", target)
            .replace("$O", other)
            .replace("$C", decides)
            .replace("$K", &known_places())
    };
    let (make, apply) = (fill(make), fill(apply));
    let first = random.one(["sel = 1;", "sel = 1; sel = 0;"]);
    let asked = match (reads, used) {
        (true, _) => random.one(["b != 1", "b != 1", "b == 0"]),
        (false, "fill") => "y == 0",
        (false, _) => random.one(["y != 1", "y != 1", "y != 2", "y == 0"]),
    };
    let joins = random.one([
        "pthread_join(s, 0); pthread_join(t, 0);",
        "pthread_join(t, 0);",
        "",
    ]);
    let mut text = START.replace("$SAME", &(0..256).map(|n| format!("{n}, ")).collect::<String>());
    if name == "offset" {
        text = text.replace(
            "static int w, x, y,",
            "static int pair[2];\n#define x pair[0]\n#define y pair[1]\nstatic int w,",
        );
    }
    let _ = write!(
        text,
        "static void *hides(void *arg)\n{{\n    {make}\n    {apply}\n    return arg;\n}}\n\
         static void *other(void *arg)\n{{\n    {first}\n    {second}\n    return arg;\n}}\n\
         int main(void)\n{{\n    pthread_t s, t;\n    pthread_create(&s, 0, hides, 0);\n    \
         pthread_create(&t, 0, other, 0);\n    {joins}\n    assert({asked});\n    return 0;\n}}\n"
    );
    Hidden {
        name: format!("hidden-{name}-{used}"),
        text,
        followed,
    }
}

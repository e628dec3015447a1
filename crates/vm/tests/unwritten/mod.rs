//! Programs of two threads that read memory which was never written, write and copy it, and get new
//! memory.

use std::fmt::Write;

/// What the memory is that the program has not written.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Memory {
    /// It was never written.
    Unwritten,
    /// Each byte was set to an input where its life began.
    Inputs,
}

fn pick<'a>(random: &mut fastrand::Rng, list: &[&'a str]) -> &'a str {
    list[random.usize(..list.len())]
}

fn condition(random: &mut fastrand::Rng) -> String {
    let one = pick(random, &["h[0]", "h[1]", "x"]);
    let other = pick(random, &["h[0]", "h[1]", "x", "3", "200"]);
    format!("{one} {} {other}", pick(random, &["<", "==", ">"]))
}

fn section(random: &mut fastrand::Rng) -> String {
    let value = pick(random, &["h[0]", "h[1]", "x", "7"]);
    let place = pick(random, &["h[0]", "h[1]", "x", "x"]);
    let flag = 1 << random.u32(..3);
    let statement = match random.u8(..12) {
        0..3 => format!("{place} = {value};"),
        3..6 => format!("if ({}) seen = 1; else seen = 2; seen = 0;", condition(random)),
        6..9 => format!("if ({}) out |= {flag};", condition(random)),
        9 => "memcpy(h, h + 1, 1);".to_owned(),
        10 => "free(h); h = new();".to_owned(),
        _ => "x = local();".to_owned(),
    };
    format!("    pthread_mutex_lock(&m); {statement} pthread_mutex_unlock(&m);\n")
}

pub fn program(seed: u64, memory: Memory) -> String {
    let random = &mut fastrand::Rng::with_seed(seed);
    let (set, set_local) = match memory {
        Memory::Unwritten => ("", ""),
        Memory::Inputs => ("p[0] = nondet(); p[1] = nondet();", " = nondet()"),
    };
    let mut text = format!(
        "#include <pthread.h>\n#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n\
         unsigned char __VERIFIER_nondet_uchar(void);\n#define nondet __VERIFIER_nondet_uchar\n\
         static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;\nstatic unsigned char *h;\n\
         static volatile int seen, out;\n\
         static unsigned char *new(void)\n{{\n    unsigned char *p = malloc(2);\n    {set}\n    return p;\n}}\n\
         static unsigned char local(void)\n{{\n    unsigned char y{set_local};\n    return y;\n}}\n\
         static void *other(void *unused)\n{{\n    unsigned char x = 4;\n"
    );
    (0..1 + random.u8(..2)).for_each(|_| text += &section(random));
    text += "    return unused;\n}\n\nint main(void)\n{\n    unsigned char x = 4;\n    pthread_t t;\n    h = new();\n    \
             pthread_create(&t, 0, other, 0);\n";
    (0..2 + random.u8(..2)).for_each(|_| text += &section(random));
    text += "    pthread_join(t, 0);\n";
    for i in 0..2 {
        let _ = writeln!(
            text,
            "    if ({}) puts(\"{i} yes\"); else puts(\"{i} no\");",
            condition(random)
        );
    }
    text + "    for (int i = 0; i < 3; i++)\n        if (out >> i & 1) puts(\"set\"); else puts(\"clear\");\n    return 0;\n}\n"
}

//! A random program in which threads also pass blocks of memory on, and may lose them.
//!
//! Each thread has a block of its own; there is one place to leave a block at. Whoever takes one
//! from there has it alone, so that nothing is freed twice.

use crate::generate::Random;

/// What a thread may do with its block and the one at the place.
const MOVES: [&str; 8] = [
    "own = atomic_exchange(&place, own);",
    "free(atomic_exchange(&place, (int *)0));",
    "free(own); own = 0;",
    "if (!own) own = malloc(8);",
    "own = atomic_exchange(&place, (int *)0);",
    "if (!atomic_load(&place)) { free(atomic_exchange(&place, own)); own = 0; }",
    "if (!atomic_load(&place)) { int *old = atomic_exchange(&place, own); own = 0; (void)old; }",
    "own = realloc(own, 24);",
];

/// The program with such statements in between.
pub fn with_blocks(text: &str, seed: u64) -> String {
    let mut random = Random::new(seed.wrapping_add(1 << 40));
    let mut out = String::new();
    let (mut inside, mut started) = (false, false);
    for line in text.lines() {
        let begins = line.trim_start();
        let ends = begins.starts_with("return ");
        if inside && !begins.starts_with("else") && begins.ends_with(';') && (ends || random.below(4) == 0) {
            if ends && random.below(3) > 0 {
                out.push_str("    free(own); own = 0;\n");
            } else {
                out.push_str(&format!("    {}\n", MOVES[random.below(MOVES.len())]));
            }
            if begins.starts_with("return 0") && random.below(3) > 0 {
                out.push_str("    free(atomic_exchange(&place, (int *)0));\n");
            }
        }
        if !started && line.starts_with("static void *f1") {
            out.push_str("static _Atomic(int *) place;\n");
            started = true;
        }
        out.push_str(line);
        out.push('\n');
        if begins.starts_with("int r = 0, v = ") {
            let made = if random.below(2) == 0 { "malloc(4)" } else { "0" };
            out.push_str(&format!("    int *own = {made};\n"));
            inside = true;
        }
        inside &= line != "}";
    }
    out
}

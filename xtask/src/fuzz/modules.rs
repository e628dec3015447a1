//! Doors for programs: modules as bitcode and as text, and C sources.

use super::mutation::{self, one};
use super::seeds::{file, words};
use super::{Case, Door};
use fastrand::Rng;

/// Words of LLVM's assembly.
const ASSEMBLY: [&str; 60] = [
    "i1",
    "i8",
    "i32",
    "i64",
    "i65",
    "i128",
    "i129",
    "i8388607",
    "ptr",
    "float",
    "double",
    "half",
    "bfloat",
    "x86_fp80",
    "fp128",
    "<4 x i32>",
    "<vscale x 2 x i64>",
    "[0 x i8]",
    "[4611686018427387904 x i64]",
    "{ i32, ptr }",
    "void",
    "label",
    "token",
    "metadata",
    "undef",
    "poison",
    "null",
    "zeroinitializer",
    "add nsw",
    "udiv",
    "sdiv",
    "shl",
    "freeze",
    "alloca",
    "load",
    "store",
    "load atomic",
    "store volatile",
    "cmpxchg",
    "atomicrmw",
    "fence",
    "getelementptr inbounds",
    "phi",
    "select",
    "br",
    "switch",
    "indirectbr",
    "invoke",
    "callbr",
    "unreachable",
    "ret",
    "va_arg",
    "seq_cst",
    "unordered",
    "align 3",
    "align 4294967296",
    "addrspace(3)",
    "thread_local",
    "@main",
    "!0",
];

/// Words of C.
const C: [&str; 56] = [
    "int",
    "char",
    "long",
    "short",
    "unsigned",
    "float",
    "double",
    "void",
    "struct",
    "union",
    "enum",
    "static",
    "const",
    "volatile",
    "_Atomic",
    "_Thread_local",
    "_Bool",
    "__int128",
    "long double",
    "_Complex",
    "if",
    "else",
    "while",
    "for",
    "do",
    "goto",
    "return",
    "break",
    "continue",
    "switch",
    "case",
    "sizeof",
    "*",
    "&",
    "+",
    "-",
    "/",
    "%",
    "<<",
    ">>",
    "==",
    "&&",
    "||",
    "!",
    "~",
    "++",
    "--",
    "->",
    "NULL",
    "(void*)1",
    "main",
    "pthread_create",
    "pthread_join",
    "malloc",
    "free",
    "__builtin_alloca(1 << 20)",
];

/// The options of every check.
fn check(input: &str) -> Vec<Vec<u8>> {
    words(&[
        "check",
        "--max-time",
        "2",
        "--max-memory",
        "1G",
        "--progress",
        "never",
        input,
    ])
}

/// Bitcode with changed bytes.
pub struct Bitcode {
    /// Modules.
    pub seeds: Vec<Vec<u8>>,
}

impl Door for Bitcode {
    fn name(&self) -> &'static str {
        "bitcode"
    }

    fn case(&self, random: &mut Rng) -> Case {
        let mut bytes = self.seeds[random.usize(..self.seeds.len())].clone();
        let other = &self.seeds[random.usize(..self.seeds.len())];
        match random.u8(..8) {
            // Changes a few bits, so that most modules can still be read.
            0..=5 => {
                for _ in 0..random.usize(1..=3) {
                    let at = random.usize(4..bytes.len());
                    bytes[at] ^= 1 << random.u8(..8);
                }
            }
            _ => mutation::bytes(random, &mut bytes, other),
        }
        Case {
            files: vec![file("m.bc", bytes)],
            arguments: check("m.bc"),
        }
    }
}

/// Assembly with changed words and lines.
pub struct Assembly {
    /// Modules.
    pub seeds: Vec<String>,
}

impl Door for Assembly {
    fn name(&self) -> &'static str {
        "assembly"
    }

    fn case(&self, random: &mut Rng) -> Case {
        let seed = &self.seeds[random.usize(..self.seeds.len())];
        let other = &self.seeds[random.usize(..self.seeds.len())];
        let mut text = mutation::text(random, seed, other, &ASSEMBLY).into_bytes();
        if random.u8(..16) == 0 {
            mutation::bytes(random, &mut text, other.as_bytes());
        }
        Case {
            files: vec![file("m.ll", text)],
            arguments: check("m.ll"),
        }
    }
}

/// C with changed words and lines.
pub struct Source {
    /// Programs.
    pub seeds: Vec<String>,
}

impl Door for Source {
    fn name(&self) -> &'static str {
        "source"
    }

    fn case(&self, random: &mut Rng) -> Case {
        let seed = &self.seeds[random.usize(..self.seeds.len())];
        let other = &self.seeds[random.usize(..self.seeds.len())];
        let mut text = mutation::text(random, seed, other, &C).into_bytes();
        if random.u8(..32) == 0 {
            mutation::bytes(random, &mut text, other.as_bytes());
        }
        let mut arguments = check("p.c");
        let level = one(random, &["-w", "-w -O1", "-w -O2", "-w -std=c99", "-w -x c++"]);
        arguments.insert(1, format!("--cflags={level}").into_bytes());
        Case {
            files: vec![file("p.c", text)],
            arguments,
        }
    }
}

//! Doors for settings: the command line, `selvedge.toml`, property files. Also the list of all
//! doors.

use super::findings::{Finding, Ktest};
use super::modules::{Assembly, Bitcode, Source};
use super::mutation::{self, NUMBERS, one};
use super::seeds::{Seeds, file};
use super::{Case, Door};
use fastrand::Rng;

/// All doors.
pub fn all(seeds: &Seeds) -> Vec<Box<dyn Door>> {
    vec![
        Box::new(Bitcode {
            seeds: seeds.bitcode.clone(),
        }),
        Box::new(Assembly {
            seeds: seeds.assembly.clone(),
        }),
        Box::new(Source {
            seeds: seeds.sources.clone(),
        }),
        Box::new(Options {
            names: seeds.options.clone(),
        }),
        Box::new(Toml {
            names: seeds.options.clone(),
        }),
        Box::new(Finding {
            seeds: seeds.findings.clone(),
        }),
        Box::new(Property),
        Box::new(Ktest {
            seeds: seeds.cases.clone(),
        }),
    ]
}

/// A program with two threads and an input, so that every option has an effect.
const PROGRAM: &str = "#include <pthread.h>\n#include <stdio.h>\nint __VERIFIER_nondet_int(void);\n\
    static int x;\nstatic void *f(void *p) { x = 1; return p; }\n\
    int main(int c, char **v) { pthread_t t; pthread_create(&t, 0, f, 0); int i = __VERIFIER_nondet_int();\n\
    if (i > 3 && c > 1) x = v[1][0]; char b[4]; FILE *g = fopen(\"in\", \"r\"); if (g) fgets(b, 4, g);\n\
    pthread_join(t, 0); return 0; }\n";

/// Values that some options accept, and values that none accepts. Paths stay in the current
/// directory.
const VALUES: [&str; 85] = [
    "on",
    "off",
    "auto",
    "first",
    "never",
    "always",
    "none",
    "true",
    "false",
    "yes",
    "main",
    "f",
    "nothing",
    "dpor",
    "unfold",
    "random",
    "pct",
    "stateful",
    "sync",
    "memory",
    "reachable",
    "dfs",
    "bfs",
    "coverage",
    "conflict",
    "predicate",
    "human",
    "json",
    "sarif",
    "junit",
    "github",
    "optimal",
    "1s",
    "0s",
    "1ms",
    "1.5m",
    "1e9h",
    "-1s",
    "NaN",
    "inf",
    "1M",
    "4G",
    "0",
    "99999999T",
    "data-race",
    "deadlock,leak",
    "assertion,assertion",
    "termination",
    "p.prp",
    "a.toml",
    "in",
    "in=in",
    "=in",
    "in=",
    "in:4",
    ":4",
    "in:-1",
    "1:4",
    "64:1048576",
    "65:1",
    "1:0,2:2",
    "split",
    "none,split",
    "out",
    "out.dot",
    "out.json",
    "out.info",
    "out/deep",
    ".",
    "..",
    "",
    " ",
    "-",
    "--",
    "@in",
    "@p.c",
    "-o",
    "-o x",
    "-O1",
    "-Wall -Wextra",
    "-x c++",
    "-DX=1 -UX",
    "c11",
    "\u{1f980}",
    "%s%n",
];

/// Random options with random values.
struct Options {
    names: Vec<String>,
}

impl Options {
    fn value(random: &mut Rng) -> Vec<u8> {
        let mut value = match random.u8(..4) {
            0 => one(random, &NUMBERS).as_bytes().to_vec(),
            _ => one(random, &VALUES).as_bytes().to_vec(),
        };
        if random.u8(..8) == 0 {
            mutation::bytes(random, &mut value, b"--max-time");
            // Arguments contain no zero bytes and name no other directories.
            value.retain(|&byte| byte != 0 && byte != b'/');
        }
        value
    }
}

/// The files that the values name.
fn files() -> Vec<super::File> {
    vec![
        file("p.c", PROGRAM),
        file("in", "12\n"),
        file("p.prp", "CHECK( init(main()), LTL(G ! data-race) )\n"),
        file("a.toml", "stop = \"never\"\n"),
    ]
}

/// Limits at the end of the command line. The last occurrence of an option is in effect.
fn limits(arguments: &mut Vec<Vec<u8>>) {
    for limit in ["--max-time=2", "--max-memory=1G"] {
        arguments.push(limit.into());
    }
}

impl Door for Options {
    fn name(&self) -> &'static str {
        "options"
    }

    fn case(&self, random: &mut Rng) -> Case {
        let commands = [
            "check", "check", "check", "check", "check", "replay", "solve", "runtime", "man", "help",
            "__read",
        ];
        let command = one(random, &commands);
        let mut arguments = vec![command.as_bytes().to_vec()];
        for _ in 0..random.usize(0..4) {
            let mut word = match random.u8(..8) {
                0 => one(
                    random,
                    &["-o", "-I", "-D", "-j", "-q", "-v", "-std=c11", "-std=", "-h"],
                )
                .as_bytes()
                .to_vec(),
                _ => self.names[random.usize(..self.names.len())].as_bytes().to_vec(),
            };
            let value = Options::value(random);
            match random.u8(..4) {
                0 => arguments.push(word),
                1 => {
                    arguments.push(word);
                    arguments.push(value);
                }
                _ => {
                    word.push(b'=');
                    word.extend(value);
                    arguments.push(word);
                }
            }
        }
        if command == "check" {
            limits(&mut arguments);
            arguments.push(b"p.c".to_vec());
        }
        if random.u8(..4) == 0 {
            arguments.push(b"--".to_vec());
            arguments.push(Options::value(random));
        }
        Case {
            files: files(),
            arguments,
        }
    }
}

/// Random settings in `selvedge.toml`.
struct Toml {
    names: Vec<String>,
}

impl Door for Toml {
    fn name(&self) -> &'static str {
        "toml"
    }

    fn case(&self, random: &mut Rng) -> Case {
        let mut text = String::new();
        for _ in 0..random.usize(0..5) {
            let name = self.names[random.usize(..self.names.len())].trim_start_matches('-');
            let value = one(random, &VALUES);
            let line = match random.u8(..7) {
                0 => format!("{name} = {}\n", one(random, &NUMBERS)),
                1 => format!("{name} = {}\n", random.bool()),
                2 => format!("{name} = [\"{value}\", \"{}\"]\n", one(random, &VALUES)),
                3 => format!("{name} = {{ a = \"{value}\" }}\n"),
                4 => format!("[{name}]\nx = 1979-05-27T07:32:00Z\n"),
                _ => format!("{name} = \"{value}\"\n"),
            };
            text.push_str(&line);
        }
        let mut bytes = text.into_bytes();
        if random.u8(..3) == 0 {
            mutation::bytes(random, &mut bytes, b"[[x]]\nstop = '''never'''\n");
            bytes.retain(|&byte| byte != b'/');
        }
        let mut files = files();
        files.push(file("selvedge.toml", bytes));
        let mut arguments = vec![b"check".to_vec()];
        limits(&mut arguments);
        arguments.push(b"p.c".to_vec());
        Case { files, arguments }
    }
}

/// Property files.
struct Property;

const PROPERTIES: [&str; 24] = [
    "CHECK(",
    "CHECK",
    " init(main()), ",
    "LTL(",
    "G ",
    "F ",
    "! ",
    "call(",
    "reach_error()",
    "data-race",
    "deadlock",
    "valid-free",
    "valid-deref",
    "valid-memtrack",
    "valid-memcleanup",
    "overflow",
    "end",
    ")",
    " )",
    "\n",
    "CHECK( init(main()), LTL(G ! data-race) )",
    "COVER( init(main()), FQL(COVER EDGES(@DECISIONEDGE)) )",
    "\u{feff}",
    "//",
];

impl Door for Property {
    fn name(&self) -> &'static str {
        "property"
    }

    fn case(&self, random: &mut Rng) -> Case {
        let mut text = String::new();
        for _ in 0..random.usize(0..14) {
            text.push_str(one(random, &PROPERTIES));
        }
        let mut bytes = text.into_bytes();
        if random.u8(..3) == 0 {
            mutation::bytes(random, &mut bytes, b"CHECK( init(main()), LTL(G valid-free) )");
        }
        let mut arguments = vec![b"check".to_vec(), b"--property=q.prp".to_vec()];
        limits(&mut arguments);
        arguments.push(b"p.c".to_vec());
        let mut files = files();
        files.push(file("q.prp", bytes));
        Case { files, arguments }
    }
}

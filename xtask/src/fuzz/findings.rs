//! Doors for the outputs of a run: saved findings and test cases.

use super::mutation::{self, NUMBERS, one};
use super::seeds::{file, words};
use super::{Case, Door};
use fastrand::Rng;
use serde_json::Value;

/// A saved finding with changed values.
pub struct Finding {
    /// Findings, each with its program.
    pub seeds: Vec<(String, String)>,
}

/// Lines for a schedule: options with large effects, and steps that are impossible.
const LINES: [&str; 32] = [
    "option visibility memory",
    "option visibility sync",
    "option timeouts off",
    "option entry f",
    "option entry main",
    "option unroll 0",
    "option unroll 18446744073709551615",
    "option quarantine 0",
    "option quarantine 4294967295",
    "option input-size 18446744073709551615",
    "option input-size 1048576",
    "option symbolic-arg 18446744073709551615",
    "option symbolic-arg 3",
    "option symbolic-stdin 18446744073709551615",
    "option symbolic-file in:99999999999",
    "option stdin p.c",
    "option file in=p.c",
    "option file =",
    "option cflag -O1",
    "option cflag -DX",
    "option cflag @p.c",
    "option include",
    "option define",
    "option std c99",
    "option arg x",
    "option inputs fixed",
    "input p.c",
    "input -o x.c",
    "step 0 0 x",
    "step 0.1 0 x",
    "step 0.1.1.1.1 4294967295 x",
    "step 99999999999 0 x",
];

impl Door for Finding {
    fn name(&self) -> &'static str {
        "finding"
    }

    fn case(&self, random: &mut Rng) -> Case {
        let (finding, program) = &self.seeds[random.usize(..self.seeds.len())];
        let bytes = match serde_json::from_str::<Value>(finding) {
            Ok(mut value) if random.u8(..8) != 0 => {
                for _ in 0..random.usize(1..=4) {
                    change(random, &mut value);
                }
                value.to_string().into_bytes()
            }
            _ => {
                let mut bytes = finding.clone().into_bytes();
                mutation::bytes(random, &mut bytes, b"{\"schedule\": \"\\u0000\"}");
                bytes
            }
        };
        Case {
            files: vec![file("p.c", program.clone()), file("FINDING.json", bytes)],
            arguments: words(&["replay", "FINDING.json"]),
        }
    }
}

/// Changes one value somewhere in a document.
fn change(random: &mut Rng, value: &mut Value) {
    let deeper = random.u8(..8) != 0;
    match value {
        Value::Object(map) if deeper && !map.is_empty() => {
            let keys: Vec<String> = map.keys().cloned().collect();
            let key = &keys[random.usize(..keys.len())];
            if random.u8(..16) == 0 {
                map.remove(key);
            } else if let Some(inner) = map.get_mut(key) {
                change(random, inner);
            }
        }
        Value::Array(list) if deeper && !list.is_empty() => {
            let at = random.usize(..list.len());
            match random.u8(..8) {
                0 => _ = list.remove(at),
                1 => list.push(list[at].clone()),
                _ => change(random, &mut list[at]),
            }
        }
        Value::String(text) if text.contains('\n') => {
            *text = mutation::text(random, text, &LINES.join("\n"), &LINES)
        }
        Value::String(text) if deeper => {
            let mut bytes = std::mem::take(text).into_bytes();
            mutation::bytes(random, &mut bytes, b"../x");
            *text = String::from_utf8_lossy(&bytes).replace('/', "");
        }
        _ => {
            *value = match random.u8(..6) {
                0 => Value::Null,
                1 => Value::Bool(random.bool()),
                2 => Value::Array(vec![Value::Null]),
                3 => Value::String(one(random, &LINES).to_owned()),
                _ => serde_json::from_str(one(random, &NUMBERS)).unwrap_or(Value::Null),
            }
        }
    }
}

/// A test case with changed bytes.
pub struct Ktest {
    /// Test cases, each with its program.
    pub seeds: Vec<(Vec<u8>, String)>,
}

impl Door for Ktest {
    fn name(&self) -> &'static str {
        "ktest"
    }

    fn case(&self, random: &mut Rng) -> Case {
        let (case, program) = &self.seeds[random.usize(..self.seeds.len())];
        let mut bytes = case.clone();
        mutation::bytes(random, &mut bytes, b"KTEST\x00\x00\x00\x03\xff\xff\xff\xff");
        Case {
            files: vec![file("p.c", program.clone()), file("t.ktest", bytes)],
            arguments: words(&[
                "check",
                "--max-time",
                "2",
                "--max-memory",
                "1G",
                "--progress",
                "never",
                "--input",
                "t.ktest",
                "p.c",
            ]),
        }
    }
}

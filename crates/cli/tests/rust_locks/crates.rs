//! Locks of crates as claims, and with threads that look again: random programs have the same
//! outcomes. The crates are small ones with the names and the words of the real ones.
//!
//! Each program adds up what its threads have seen, and has a line that fails for each sum. All
//! findings of both explorations are compared: those lines, deadlocks and threads that wait for
//! ever, and data races.

use crate::outcomes::{complete, report};
use fastrand::Rng;
use selvedge_base::usual_or_long;
use std::collections::BTreeSet;
use std::fmt::Write;
use std::path::Path;
use std::process::Command;

const CRATES: [(&str, &str); 4] = [
    ("lock_api", include_str!("crates/lock_api.rs")),
    ("parking_lot_core", include_str!("crates/parking_lot_core.rs")),
    ("parking_lot", include_str!("crates/parking_lot.rs")),
    ("dashmap", include_str!("crates/dashmap.rs")),
];

/// Ways to take a lock, to give it back, and whether it may fail.
const MUTEX: [(&str, &str, bool); 2] = [("lock", "unlock", false), ("try_lock", "unlock", true)];
const WORD: [(&str, &str, bool); 1] = [("lock", "unlock", false)];
const RWLOCK: [(&str, &str, bool); 4] = [
    ("lock_shared", "unlock_shared", false),
    ("lock_exclusive", "unlock_exclusive", false),
    ("try_lock_shared", "unlock_shared", true),
    ("try_lock_exclusive", "unlock_exclusive", true),
];

type Ways = &'static [(&'static str, &'static str, bool)];

const TYPES: [(&str, Ways); 4] = [
    ("parking_lot::raw_mutex::RawMutex", &MUTEX),
    ("parking_lot_core::word_lock::WordLock", &WORD),
    ("parking_lot::raw_rwlock::RawRwLock", &RWLOCK),
    ("dashmap::lock::RawRwLock", &RWLOCK),
];

/// The body of a thread. `first`: the way in which it takes the first lock, if that is not random;
/// then it takes another one in the other of the first two ways.
fn thread(rng: &mut Rng, (ways, locks): (Ways, u32), first: Option<usize>, sums: &mut u32) -> String {
    let mut text = String::new();
    let times = if first.is_some() { 2 } else { 1 + rng.usize(0..2) };
    for number in 0..times {
        let way = first.map(|first| (first + number) % 2);
        let way = way.unwrap_or_else(|| rng.usize(0..ways.len()));
        let (take, give, may_fail) = ways[way.min(ways.len() - 1)];
        let (lock, inner) = (rng.u32(0..locks), rng.u32(0..locks));
        let changes = match rng.u32(0..3) {
            0 => "unsafe { *CELL.0.get() += 1 };",
            1 => "unsafe { CELL.0.get().read() };",
            _ => "",
        };
        // Whether somebody has come in between, and how many have been there.
        let mut seen = format!(
            "let before = COUNT.fetch_add(1, Relaxed);\n\
             sum += {sums} * u32::from(COUNT.fetch_add(1, Relaxed) != before + 1);"
        );
        *sums *= 2;
        if *sums < 20 {
            let _ = write!(seen, " sum += {sums} * before.min(2);");
            *sums *= 3;
        }
        let nested = match locks > 1 && inner != lock && rng.u32(0..3) == 0 {
            true => {
                let (take, give, may_fail) = ways[rng.usize(0..ways.len())];
                match may_fail {
                    true => format!("if LOCKS[{inner}].{take}() {{ LOCKS[{inner}].{give}(); }}"),
                    false => format!("LOCKS[{inner}].{take}(); LOCKS[{inner}].{give}();"),
                }
            }
            false => String::new(),
        };
        let body = format!("{changes} {seen} {nested} LOCKS[{lock}].{give}();");
        let _ = match may_fail {
            true => writeln!(
                text,
                "let got{number} = LOCKS[{lock}].{take}(); if got{number} {{ {body} }} else {{ sum += 1000 }}"
            ),
            false => writeln!(text, "LOCKS[{lock}].{take}(); {body}"),
        };
    }
    text
}

fn program(seed: u64) -> String {
    let mut rng = Rng::with_seed(seed);
    let (name, ways) = TYPES[seed as usize % TYPES.len()];
    let locks = if seed < 8 { 1 } else { 1 + rng.u32(0..2) };
    let mut text = String::from(
        "#![allow(unused)]\nuse lock_api::{mutex::RawMutex as _, rwlock::RawRwLock as _};\n\
         use std::cell::UnsafeCell;\nuse std::sync::atomic::{AtomicU32, Ordering::Relaxed};\n\
         extern \"C\" {\n    fn abort() -> !;\n}\n\
         struct Cell(UnsafeCell<u32>);\nunsafe impl Sync for Cell {}\n\
         static CELL: Cell = Cell(UnsafeCell::new(0));\nstatic COUNT: AtomicU32 = AtomicU32::new(0);\n",
    );
    let made = vec![format!("{name}::new()"); locks as usize].join(", ");
    let _ = writeln!(text, "static LOCKS: [{name}; {locks}] = [{made}];");
    let mut sums = 1;
    for number in 0..2_usize {
        // In the first programs threads read and write in turns.
        let first = (seed < 8).then_some(1 - number);
        let body = thread(&mut rng, (ways, locks), first, &mut sums);
        let _ = writeln!(
            text,
            "fn thread{number}() -> u32 {{\nlet mut sum = 0;\n{body}sum\n}}"
        );
    }
    text += "fn main() {\nlet other = std::thread::spawn(thread1);\n\
             let sum = thread0() + other.join().unwrap();\n";
    for sum in (0..sums).flat_map(|sum| [sum, sum + 1000, sum + 2000]) {
        let _ = writeln!(text, "if sum == {sum} {{ unsafe {{ abort() }} }}");
    }
    text + "}\n"
}

/// Runs rustc in a directory.
fn rustc(directory: &Path, words: &[&str]) {
    let output = Command::new("rustc")
        .args(["--edition=2021", "-Awarnings", "-g", "-Cpanic=abort", "-L", "."])
        .args(words)
        .current_dir(directory)
        .output()
        .unwrap();
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
}

/// What a complete exploration finds. Who looks again for ever waits for ever.
fn found(module: &Path, locks: &str) -> Option<BTreeSet<String>> {
    let report = report(module, locks);
    let assumed = report["assumptions"].to_string().contains("parking_lot");
    assert_eq!(assumed, locks == "modelled", "the option counts: {report}");
    let names = complete(&report)?.into_iter().map(|name| match name.as_str() {
        "liveness.spin" | "deadlock" => "waits for ever".to_owned(),
        _ => name,
    });
    Some(names.collect())
}

#[test]
fn claims_have_the_outcomes_of_looking_again() {
    let directory = tempfile::tempdir().unwrap();
    let at = |name: &str| directory.path().join(name);
    for (name, text) in CRATES {
        let file = format!("{name}.rs");
        std::fs::write(at(&file), text).unwrap();
        let uses: &[&str] = if name == "lock_api" {
            &[]
        } else {
            &["--extern", "lock_api"]
        };
        let words = ["--crate-type=rlib", "-Cembed-bitcode=yes", &file];
        rustc(directory.path(), &[&words[..], uses].concat());
    }
    let mut compared = 0;
    let programs = usual_or_long(4, 200);
    for seed in 0..programs {
        let text = program(seed);
        std::fs::write(at("program.rs"), &text).unwrap();
        let lto = [
            "-Clto=fat",
            "-Ccodegen-units=1",
            "-Csave-temps",
            "-Clinker=true",
            "-Clinker-flavor=gcc",
        ];
        let externs = [
            "--extern",
            "lock_api",
            "--extern",
            "parking_lot",
            "--extern",
            "dashmap",
        ];
        let core = ["--extern", "parking_lot_core", "program.rs"];
        rustc(directory.path(), &[&lto[..], &externs, &core].concat());
        let mut files = directory
            .path()
            .read_dir()
            .unwrap()
            .map(|entry| entry.unwrap().path());
        let module = files.find(|file| file.to_string_lossy().ends_with(".lto.after-restriction.bc"));
        let module = module.expect("rustc keeps its modules");
        let modelled = found(&module, "modelled");
        if let (Some(modelled), Some(executed)) = (&modelled, found(&module, "executed")) {
            assert_eq!(*modelled, executed, "seed {seed}:\n{text}");
            compared += 1;
        }
        std::fs::remove_file(module).unwrap();
    }
    assert!(
        compared * 2 > programs,
        "{compared} of {programs} programs were compared"
    );
}

//! Random programs of csmith, run natively and in the machine: the same checksum.
//!
//! The seeds are fixed, and so are those that are left out because their native run takes longer
//! than a second or does not end. What the machine does not support may stop at most one program in
//! twenty, and each such program is named.
//!
//! `SELVEDGE_CSMITH=first..last` runs other seeds.

use selvedge_base::{ThreadId, usual_or_long};
use selvedge_frontend as frontend;
use selvedge_model::{Choice, Machine, Notice};
use selvedge_vm::{Options, Program, Vm};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

/// Instructions after which a program is given up; those that end natively in a second stay far
/// below.
const MAX_STEPS: u64 = 50_000_000;

/// Seeds whose native run takes more than a second.
#[rustfmt::skip]
const SLOW: [u64; 30] = [
    20, 22, 50, 60, 66, 73, 81, 88, 112, 114, 118, 123, 124, 126, 134, 137, 145, 146, 148, 162, 163, 165, 169, 191, 195, 197, 203, 206,
    207, 218,
];

/// What became of one program.
enum Verdict {
    /// The same output.
    Same,
    /// Its native run takes too long.
    Slow,
    /// The machine stopped at something it does not support, or at a limit.
    Unknown(String),
    /// The machine is wrong, or so it seems.
    Wrong(String),
}

fn headers() -> PathBuf {
    let found = ["/usr/include/csmith", "/usr/include/csmith-2.3.0", "/usr/include"].map(PathBuf::from);
    found
        .into_iter()
        .find(|p| p.join("csmith.h").exists())
        .expect("csmith's headers (libcsmith-dev) are installed")
}

fn native(source: &Path, binary: &Path, headers: &Path) -> Option<Vec<u8>> {
    let compiled = Command::new("clang-22")
        .args(["-O0", "-w", "-I"])
        .arg(headers)
        .arg(source)
        .arg("-o")
        .arg(binary)
        .status();
    assert!(compiled.expect("clang-22 runs").success(), "{}", source.display());
    let output = Command::new("timeout")
        .arg("20")
        .arg(binary)
        .output()
        .expect("the program runs");
    let _ = std::fs::remove_file(binary);
    output.status.success().then_some(output.stdout)
}

fn machine(source: &Path, headers: &Path) -> Result<Vec<u8>, Verdict> {
    let options = frontend::Options {
        include: vec![headers.to_owned()],
        ..frontend::Options::default()
    };
    let loaded = frontend::load(&[source.to_owned()], &options).map_err(|e| Verdict::Wrong(e.to_string()))?;
    let options = Options {
        max_steps: MAX_STEPS,
        ..Options::default()
    };
    let program = Program::new(loaded.module, options).map_err(|e| Verdict::Wrong(e.to_string()))?;
    let mut vm = Vm::new(program).map_err(|e| Verdict::Wrong(e.to_string()))?;
    while vm.pending()[0].is_enabled() {
        vm.step(Choice {
            thread: ThreadId(0),
            alternative: 0,
        });
        if let Some(notice) = vm.notices().first() {
            return Err(match notice {
                Notice::Unsupported(u) => Verdict::Unknown(u.what.clone()),
                Notice::Limit(l) => Verdict::Unknown(format!("{l:?}")),
                Notice::Fault(f) => Verdict::Wrong(format!("{:?}: {}", f.kind, f.message)),
                other => Verdict::Wrong(format!("{other:?}")),
            });
        }
    }
    Ok(vm.state.output().to_vec())
}

fn check(seed: u64, directory: &Path, headers: &Path) -> Verdict {
    let source = directory.join(format!("{seed}.c"));
    // A directory of its own: csmith writes a file of the platform's sizes where it is, and others
    // read it half written.
    let own = directory.join(seed.to_string());
    std::fs::create_dir_all(&own).expect("a directory");
    let made = Command::new("csmith")
        .current_dir(&own)
        .args(["--seed", &seed.to_string(), "-o"])
        .arg(&source)
        .status();
    assert!(made.expect("csmith is installed").success());
    let verdict = match native(&source, &directory.join(format!("{seed}.out")), headers) {
        None => Verdict::Slow,
        Some(expected) => match machine(&source, headers) {
            Err(verdict) => verdict,
            Ok(output) if output == expected => Verdict::Same,
            Ok(output) => {
                let text = String::from_utf8_lossy;
                Verdict::Wrong(format!(
                    "{} instead of {}",
                    text(&output).trim(),
                    text(&expected).trim()
                ))
            }
        },
    };
    if matches!(verdict, Verdict::Same | Verdict::Slow) {
        let _ = std::fs::remove_file(source);
    }
    verdict
}

fn seeds() -> std::ops::Range<u64> {
    let given = std::env::var("SELVEDGE_CSMITH").ok();
    let given = given.as_deref().and_then(|text| text.split_once(".."));
    match given {
        Some((first, last)) => first.parse().expect("a seed")..last.parse().expect("a seed"),
        None => 1..usual_or_long(41, 231),
    }
}

#[test]
fn checksums_as_native() {
    let (directory, headers) = (
        PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("csmith"),
        headers(),
    );
    std::fs::create_dir_all(&directory).expect("a directory");
    let (seeds, results) = (seeds(), Mutex::new(Vec::new()));
    let next = AtomicU64::new(seeds.start);
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(2, usize::from).min(8) {
            scope.spawn(|| {
                loop {
                    let seed = next.fetch_add(1, Ordering::Relaxed);
                    if seed >= seeds.end {
                        break;
                    }
                    if SLOW.contains(&seed) {
                        continue;
                    }
                    let verdict = check(seed, &directory, &headers);
                    results.lock().expect("no panic").push((seed, verdict));
                }
            });
        }
    });
    let mut results = results.into_inner().expect("no panic");
    results.sort_by_key(|(seed, _)| *seed);
    let (mut same, mut slow, mut unknown, mut wrong) = (0, Vec::new(), 0, 0);
    for (seed, verdict) in &results {
        match verdict {
            Verdict::Same => same += 1,
            Verdict::Slow => slow.push(seed),
            Verdict::Unknown(what) => {
                unknown += 1;
                println!("seed {seed}: unknown: {what}");
            }
            Verdict::Wrong(what) => {
                wrong += 1;
                println!("seed {seed}: wrong: {what}");
            }
        }
    }
    println!("{same} the same, {unknown} unknown, {wrong} wrong, slow: {slow:?}");
    assert_eq!(wrong, 0);
    assert!(
        unknown * 20 <= same + unknown,
        "{unknown} of {} unknown",
        same + unknown
    );
    assert!(
        same + unknown >= results.len() * 3 / 4,
        "too few that end: {same}"
    );
}

//! C++20: waiting on atomics, semaphores, latches, barriers, threads that join themselves. The
//! library spins before it waits: `stateful` decides these, and the other searches take minutes.

use std::path::Path;
use std::process::Command;

/// The exit code of a check of a file, with what it prints.
fn check(file: &str, options: &[&str]) -> (Option<i32>, String) {
    let source = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/atomic_wait")
        .join(file);
    let output = Command::new(env!("CARGO_BIN_EXE_selvedge"))
        .args([
            "check",
            "--finding",
            "none",
            "--progress",
            "never",
            "--std",
            "c++20",
        ])
        .args(["--max-time", "120s"])
        .args(options)
        .arg(source)
        .output()
        .expect("the command runs");
    let said = [output.stdout, output.stderr].concat();
    (output.status.code(), String::from_utf8_lossy(&said).into_owned())
}

#[test]
fn what_waits_goes_on() {
    for how in 0..5 {
        let (code, said) = check("waits.cc", &["--strategy", "stateful", &format!("-DHOW={how}")]);
        assert_eq!(code, Some(0), "HOW={how}: {said}");
    }
}

#[test]
fn who_is_not_notified_waits_for_ever() {
    let (code, said) = check("one_of_two.cc", &["--strategy", "dpor"]);
    assert_eq!(code, Some(10), "{said}");
    assert!(said.contains("deadlock"), "{said}");
}

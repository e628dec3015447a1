//! Ends of Rust's threads and scopes, as they are explored and as the library has them: random
//! programs have the same outcomes.
//!
//! What is compared is who waits for scopes, what the last owner of the library's own data does,
//! and variables that only one thread uses. Each program has a line that fails for each number to
//! which its threads may have come, in a scope or beside `main`.

use crate::outcomes::{complete, report_with};
use fastrand::Rng;
use selvedge_base::usual_or_long;
use std::fmt::Write;

/// The greatest number, and one more.
const NUMBERS: u32 = 64;

/// What the threads of a program do: each digit is added to a number that all share.
fn steps(rng: &mut Rng, most: u32) -> String {
    (0..1 + rng.u32(0..most))
        .map(|_| format!("add({});\n", 1 + rng.u32(0..3)))
        .collect()
}

/// The result of a thread: nothing, or something whose destructor does a step.
fn result(rng: &mut Rng) -> &'static str {
    ["", "Drops(1)\n", "Drops(2)\n"][rng.usize(0..3)]
}

fn program(seed: u64) -> String {
    let mut rng = Rng::with_seed(seed);
    let mut text = "use std::sync::Arc;\nuse std::sync::atomic::{AtomicU32, Ordering::SeqCst};\n\
         use std::thread;\n\
         extern \"C\" {\n    fn abort() -> !;\n}\n\
         static NUMBER: AtomicU32 = AtomicU32::new(0);\n\
         static OWN: AtomicU32 = AtomicU32::new(0);\n\
         fn add(digit: u32) {\n    let number = NUMBER.load(SeqCst);\n\
         NUMBER.store((number * 4 + digit) % 64, SeqCst);\n}\n\
         struct Drops(u32);\n\
         impl Drop for Drops {\n    fn drop(&mut self) {\n        add(self.0);\n    }\n}\n\
         fn main() {\n"
        .to_owned();
    let (scoped, threads) = (rng.u32(0..3) > 0, 1 + rng.u32(0..2));
    if rng.bool() {
        text += "let shared = Arc::new(Drops(3));\n";
    } else {
        text += "let shared = Arc::new(());\n";
    }
    text += "OWN.store(1, SeqCst);\n";
    if scoped {
        text += "thread::scope(|scope| {\n";
    }
    let spawn = if scoped { "scope.spawn" } else { "thread::spawn" };
    for number in 0..threads {
        let (steps, result) = (steps(&mut rng, 2), result(&mut rng));
        let _ = write!(
            text,
            "let own = Arc::clone(&shared);\nlet t{number} = {spawn}(move || {{\nlet _own = own;\n{steps}{result}}});\n"
        );
        match rng.u32(0..3) {
            0 => _ = writeln!(text, "drop(t{number});"),
            1 => _ = writeln!(text, "let _ = t{number}.join();"),
            _ => {}
        }
    }
    if rng.bool() {
        text += "add(OWN.swap(2, SeqCst));\n";
    }
    if scoped {
        text += "});\n";
    }
    text += "drop(shared);\nlet number = NUMBER.load(SeqCst);\n";
    for number in 0..NUMBERS {
        let _ = writeln!(text, "if number == {number} {{ unsafe {{ abort() }} }}");
    }
    text + "}\n"
}

#[test]
fn threads_and_scopes_end_as_in_the_library() {
    let directory = tempfile::tempdir().expect("a directory");
    let (mut compared, mut several) = (0, 0);
    for seed in 0..usual_or_long(5, 200) {
        let path = directory.path().join(format!("scopes{seed}.rs"));
        std::fs::write(&path, program(seed)).expect("a file");
        let found = |words: &[&str]| complete(&report_with(&path, words));
        let (usual, library) = (
            found(&["--max-time", "60s"]),
            found(&[
                "--rust-locks",
                "executed",
                "--confined",
                "off",
                "--max-time",
                "30s",
            ]),
        );
        let Some(library) = library else { continue };
        assert_eq!(usual.as_ref(), Some(&library), "seed {seed}");
        compared += 1;
        several += usize::from(library.len() > 2);
    }
    assert!(
        compared > 3 && several > 1,
        "{compared} programs, {several} with several outcomes"
    );
}

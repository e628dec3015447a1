//! Traps that no C program can be relied on to set, because clang decides what reaches the machine: LLVM programs.
//! The others are programs of the corpus.

use std::process::Command;

/// Checks an LLVM program of this name and text; its exit code and report.
fn check(name: &str, text: &str) -> (Option<i32>, String) {
    let place = std::env::temp_dir().join(format!("selvedge-trap-{name}-{}", std::process::id()));
    std::fs::create_dir_all(&place).unwrap();
    let file = format!("{name}.ll");
    std::fs::write(place.join(&file), text).unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_selvedge"))
        .args(["check", "--finding", "none", &file])
        .current_dir(&place)
        .output()
        .unwrap();
    std::fs::remove_dir_all(&place).unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (output.status.code(), text(&output.stdout) + &text(&output.stderr))
}

/// A program whose `φ(1, undef)` comes from the defined side if its argument is 1, and decides the branch `%used`.
fn phi(from_first: u8) -> String {
    format!(
        "target triple = \"x86_64-pc-linux-gnu\"\n\
         @which = global i32 {from_first}\n\
         define i32 @main() {{\n\
         entry:\n  %w = load volatile i32, ptr @which\n  %c = icmp eq i32 %w, 1\n  br i1 %c, label %one, label %other\n\
         one:\n  br label %both\n\
         other:\n  br label %both\n\
         both:\n  %v = phi i32 [ 1, %one ], [ undef, %other ]\n  %used = icmp eq i32 %v, 1\n  br i1 %used, label %yes, label %no\n\
         yes:\n  ret i32 0\n\
         no:\n  ret i32 0\n}}\n"
    )
}

/// Folding φ(1, undef) to 1, as an optimiser may, would hide that an undefined value decides a branch.
#[test]
fn phi_of_1_and_undef_is_not_1() {
    let (code, report) = check("undefined", &phi(0));
    assert_eq!(code, Some(10), "{report}");
    assert!(
        report.contains("memory.uninitialized") || report.contains("undefined"),
        "{report}"
    );
    let (code, report) = check("defined", &phi(1));
    assert_eq!(code, Some(0), "{report}");
}

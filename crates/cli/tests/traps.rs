//! Traps that verifiers fell into before. Most are programs of the corpus, which run as its tests;
//! one is an LLVM program, because for C it is clang that decides what reaches the machine.

use std::path::Path;
use std::process::Command;

/// Each trap with the program of `corpus/c` that sets it.
const TRAPS: [(&str, &str); 16] = [
    (
        "a signal with a second waiter arriving later",
        "assertion/signal_reaches_later_waiter",
    ),
    (
        "ETIMEDOUT with the predicate true",
        "assertion/timed_out_although_ready",
    ),
    ("data behind a relaxed flag", "race/relaxed_flag"),
    ("read after a failed trylock", "race/read_after_failed_trylock"),
    (
        "assume before another thread's assertion",
        "assertion/assume_before_other_assertion",
    ),
    (
        "exit before another thread's assertion",
        "assertion/exit_before_other_assertion",
    ),
    (
        "a plain-flag spin before another thread's assertion",
        "assertion/spin_before_other_assertion",
    ),
    ("the race on a plain flag that is spun on", "race/plain_flag_spin"),
    (
        "three threads at a barrier for two",
        "deadlock/barrier_three_threads_for_two",
    ),
    ("two posts against none", "race/two_posts_one_wait"),
    ("struct padding passed by value", "safe/padding_by_value"),
    ("the first bit-field store", "safe/bit_fields"),
    ("an index into the next object", "memory/index_into_next_object"),
    ("use after the slot's reuse", "memory/use_after_slot_reuse"),
    ("a robust mutex's owner exits", "safe/mutex_robust_owner_exits"),
    ("memcpy torn by a second thread", "assertion/copy_torn"),
];

#[test]
fn every_trap_is_set() {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus/c");
    for (trap, program) in TRAPS {
        assert!(
            corpus.join(program).with_extension("c").exists(),
            "{trap}: {program}"
        );
    }
}

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

/// A program whose `φ(1, undef)` comes from the defined side if its argument is 1, and decides the
/// branch `%used`.
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

/// Folding φ(1, undef) to 1, as an optimiser may, would hide that an undefined value decides a
/// branch.
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

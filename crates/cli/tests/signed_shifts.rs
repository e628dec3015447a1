//! Which shifts are of signed numbers is known of C sources only. Where it is not known, a verdict
//! on `overflow` says what it assumes.

use std::process::Command;

const SHIFTS: &str = "int main(int argc, char **argv) { return (argc << 31) != 0; }\n";

/// What `--property overflow` says of a text under a name.
fn said(name: &str, text: &str, options: &[&str]) -> String {
    let place = tempfile::tempdir().unwrap();
    let path = place.path().join(name);
    std::fs::write(&path, text).unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_selvedge"));
    command.args(["check", "--property", "overflow", "--finding", "none"]);
    let output = command.args(options).arg(&path).output().unwrap();
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn what_is_not_marked_is_an_assumption() {
    let exempt = format!("__attribute__((no_sanitize(\"undefined\"))) {SHIFTS}");
    let unmarked = [
        ("program.cpp", SHIFTS, &[][..]),
        ("program.c", SHIFTS, &["--language", "c++"]),
        ("program.c", &exempt, &[]),
    ];
    for (name, text, options) in unmarked {
        let said = said(name, text, options);
        assert!(said.ends_with("\ntrue\n"), "{name} {options:?}: {said}");
        let assumed = "assuming no shift to the left overflows that clang has not marked";
        assert!(said.contains(assumed), "{name} {options:?}: {said}");
    }
    let marked = said("program.c", SHIFTS, &[]);
    assert!(marked.ends_with("\nfalse(no-overflow)\n"), "{marked}");
    let none = said("program.c", "int main(void) { return 0; }\n", &[]);
    assert!(none.ends_with("\ntrue\n") && !none.contains("shift"), "{none}");
}

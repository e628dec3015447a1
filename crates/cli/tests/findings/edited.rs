//! Replays of programs that were edited since the finding was saved.

use crate::{STATS, found, run};
use std::fs;

/// Replays the finding of [`STATS`] on an edited program: the exit code and what is said.
fn replayed(edit: impl Fn(&str) -> String) -> (i32, String) {
    let (directory, _) = found(STATS, &[]);
    let edited = edit(STATS);
    assert_ne!(edited, STATS, "the edit changes something");
    fs::write(directory.path().join("program.c"), edited).unwrap();
    let (code, out, err) = run(directory.path(), &["replay", "FINDING.json"]);
    (code, format!("{out}{err}"))
}

#[test]
fn a_comment_changes_nothing() {
    let (code, text) =
        replayed(|text| format!("// one\n// two\n{text}").replace("hits++;", "\n\n    hits++;"));
    assert_eq!(code, 10, "{text}");
    assert!(text.contains("false(no-data-race)"), "{text}");
    assert!(!text.contains("new: "), "{text}");
}

#[test]
fn a_new_function_with_new_steps_is_gone_through() {
    let more =
        "static void more(void) {\n    pthread_mutex_lock(&other);\n    pthread_mutex_unlock(&other);\n}\n";
    let (code, text) = replayed(|text| {
        text.replace("static void *reader", &format!("{more}static void *reader"))
            .replace("    hit();\n", "    more();\n    hit();\n")
    });
    assert_eq!(code, 10, "{text}");
    assert!(text.contains("new: thread 0.2 does `lock `other``"), "{text}");
    assert!(!text.contains("create a thread"), "{text}");
}

#[test]
fn steps_that_are_gone_are_left_out() {
    let (code, text) = replayed(|text| text.replacen("    unrelated();\n", "", 2));
    assert_eq!(code, 10, "{text}");
}

#[test]
fn a_changed_statement_is_told() {
    let (code, text) = replayed(|text| {
        text.replace("hits = 0;", "hits = 1;")
            .replace("hits++;", "hits += 2;")
    });
    assert_eq!(code, 10, "{text}");
    assert!(text.contains("at another statement"), "{text}");
}

#[test]
fn a_removed_statement_is_no_error_of_ours() {
    let (code, text) = replayed(|text| text.replace("    hits = 0;\n", ""));
    assert_eq!(code, 5, "{text}");
    assert!(text.contains("program.c has been changed"), "{text}");
    let (code, text) = replayed(|text| {
        text.replace("hit()", "count()")
            .replace("hit(void)", "count(void)")
            .replace("    hits = 0;\n", "")
    });
    assert_eq!(code, 5, "{text}");
    assert!(text.contains("there is no function `hit` any more"), "{text}");
    // What cannot be compiled, or is not there, is said as for `check`.
    let (code, text) = replayed(|text| text.replace("int main", "int main("));
    assert_eq!(code, 2, "{text}");
}

#[test]
fn a_program_that_does_nothing_any_more() {
    let (code, text) = replayed(|_| "int main(void) { return 0; }\n".to_owned());
    assert_eq!(code, 5, "{text}");
    assert!(text.contains("there is no function"), "{text}");
}

#[test]
fn an_edited_finding_is_told() {
    let (directory, _) = found(STATS, &[]);
    let file = directory.path().join("FINDING.json");
    let text = fs::read_to_string(&file).unwrap();
    fs::write(&file, text.replace("\\nstep 0.1 ", "\\nstep 0.3 ")).unwrap();
    let mut value: serde_json::Value = serde_json::from_str(&fs::read_to_string(&file).unwrap()).unwrap();
    value["finding"]["kind"] = "memory.leak".into();
    fs::write(&file, value.to_string()).unwrap();
    let (code, out, err) = run(directory.path(), &["replay", "FINDING.json"]);
    assert_eq!(code, 5, "{out}{err}");
    assert!(err.contains("the finding itself has been edited"), "{err}");
}

#[test]
fn inputs_are_found_beside_the_finding() {
    let (directory, _) = found(STATS, &[]);
    let elsewhere = directory.path().join("elsewhere");
    fs::create_dir(&elsewhere).unwrap();
    let (code, out, err) = run(&elsewhere, &["replay", "../FINDING.json"]);
    assert_eq!(code, 10, "{out}{err}");
    assert!(!err.contains("changed"), "{err}");
    fs::remove_file(directory.path().join("program.c")).unwrap();
    let (code, _, err) = run(&elsewhere, &["replay", "../FINDING.json"]);
    assert_eq!(code, 2, "{err}");
}

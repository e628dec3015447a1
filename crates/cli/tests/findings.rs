//! What becomes of a finding: its schedule as people read it, its cause, replays of programs that
//! were edited since, witnesses, and diagnostics in an editor.

#[path = "findings/assumed.rs"]
mod assumed;
#[path = "findings/causes.rs"]
mod causes;
#[path = "findings/edited.rs"]
mod edited;
#[path = "findings/editor.rs"]
mod editor;
#[path = "findings/native.rs"]
mod native;
#[path = "findings/progress.rs"]
mod progress;
#[path = "findings/told.rs"]
mod told;
#[path = "findings/witness.rs"]
mod witness;

use std::path::Path;
use std::process::Command;
use tempfile::TempDir;

/// A race in which most of what the threads do does not matter.
const STATS: &str = r#"#define _GNU_SOURCE
#include <pthread.h>
#include <sys/prctl.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t other = PTHREAD_MUTEX_INITIALIZER;
static int hits, misses;
static void hit(void) {
    pthread_mutex_lock(&m);
    hits++;
    pthread_mutex_unlock(&m);
}
static int shown(void) {
    pthread_mutex_lock(&m);
    int now = hits;
    pthread_mutex_unlock(&m);
    return now;
}
static void unrelated(void) {
    pthread_mutex_lock(&other);
    misses++;
    pthread_mutex_unlock(&other);
}
static void *reader(void *p) {
    prctl(PR_SET_NAME, "reader with a long name");
    hit();
    return p;
}
static void *writer(void *p) {
    pthread_setname_np(pthread_self(), "writer");
    unrelated();
    unrelated();
    hit();
    shown();
    hits = 0;
    return p;
}
int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, reader, 0);
    pthread_create(&b, 0, writer, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
"#;

/// Runs the command in a directory: its exit code and what it says.
fn run(directory: &Path, arguments: &[&str]) -> (i32, String, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_selvedge"))
        .args(arguments)
        .current_dir(directory)
        .output()
        .unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (
        output.status.code().unwrap_or(-1),
        text(&output.stdout),
        text(&output.stderr),
    )
}

/// A directory with a program and its saved finding, and what `check` printed.
fn found(text: &str, options: &[&str]) -> (TempDir, String) {
    let directory = tempfile::tempdir().unwrap();
    std::fs::write(directory.path().join("program.c"), text).unwrap();
    let mut arguments = vec!["check", "--strategy", "dpor", "program.c"];
    arguments.extend(options);
    let (code, out, err) = run(directory.path(), &arguments);
    assert_eq!(code, 10, "{out}{err}");
    (directory, out)
}

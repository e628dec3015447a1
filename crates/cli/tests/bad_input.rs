//! What is no good program, or more than the machine can do: a clear message, its exit code, never
//! a panic, and nothing left behind in the current directory.
//!
//! `command.rs` has the ordinary uses of the command; the frontend's own tests have the errors of
//! single files.

use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// An empty current directory for one test, removed at the end.
struct Place(PathBuf);

impl Place {
    fn new(name: &str) -> Place {
        let path = std::env::temp_dir().join(format!("selvedge-bad-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        Place(path)
    }

    fn write(&self, name: &str, text: impl AsRef<[u8]>) {
        std::fs::write(self.0.join(name), text).unwrap();
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_selvedge"));
        command.args(arguments).current_dir(&self.0);
        command
    }

    /// Runs `selvedge check`.
    fn check(&self, arguments: &[&str]) -> Outcome {
        let all: Vec<&str> = ["check"].into_iter().chain(arguments.iter().copied()).collect();
        Outcome::of(&mut self.command(&all))
    }

    fn names(&self) -> Vec<String> {
        let entries = std::fs::read_dir(&self.0).unwrap();
        let mut names: Vec<String> = entries
            .map(|e| e.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }

    /// Bitcode of a C program.
    fn bitcode(&self, source: &str, flags: &[&str]) -> Vec<u8> {
        let mut clang = Command::new("clang-22")
            .args(["-emit-llvm", "-c", "-x", "c", "-o", "-"])
            .args(flags)
            .arg("-")
            .current_dir(&self.0)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("clang-22 runs");
        clang.stdin.take().unwrap().write_all(source.as_bytes()).unwrap();
        let output = clang.wait_with_output().unwrap();
        assert!(output.status.success());
        output.stdout
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// How a run ended. Death by a signal has no code.
struct Outcome {
    code: Option<i32>,
    out: String,
    err: String,
}

impl Outcome {
    fn of(command: &mut Command) -> Outcome {
        let output = command.output().unwrap();
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        Outcome {
            code: output.status.code(),
            out: text(&output.stdout),
            err: text(&output.stderr),
        }
    }

    fn verdict(&self) -> &str {
        self.out.lines().last().unwrap_or("")
    }

    /// It ended with this code, and standard error says this.
    #[track_caller]
    fn fails(&self, code: i32, says: &[&str]) {
        assert_eq!(self.code, Some(code), "{}{}", self.out, self.err);
        assert!(!self.err.contains("panicked"), "{}", self.err);
        for text in says {
            assert!(self.err.contains(text), "{text:?} is not in: {}", self.err);
        }
        assert_eq!(self.out, "", "an error is no report");
    }

    /// The verdict is unknown, for these reasons.
    #[track_caller]
    fn unknown(&self, says: &[&str]) {
        assert_eq!(self.code, Some(5), "{}{}", self.out, self.err);
        assert!(!self.err.contains("panicked"), "{}", self.err);
        let verdict = self.verdict();
        assert!(verdict.starts_with("unknown("), "{verdict}");
        for text in says {
            assert!(verdict.contains(text), "{text:?} is not in: {verdict}");
        }
    }

    #[track_caller]
    fn verified(&self) {
        assert_eq!(
            (self.code, self.verdict()),
            (Some(0), "true"),
            "{}{}",
            self.out,
            self.err
        );
    }
}

const SAFE: &str = "int main(void) { return 0; }\n";

/// Two threads under a lock: all that a mutation can hurt.
const THREADS: &str = "#include <pthread.h>\n#include <stdio.h>\n\
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;\nstatic int total;\n\
    static void *worker(void *p) {\n    for (int i = 0; i < 2; i++) {\n        pthread_mutex_lock(&lock);\n\
    total += *(int *)p;\n        pthread_mutex_unlock(&lock);\n    }\n    return p;\n}\n\
    int main(void) {\n    pthread_t t[2];\n    int n[2] = {1, 2};\n\
    for (int i = 0; i < 2; i++) pthread_create(&t[i], 0, worker, &n[i]);\n\
    for (int i = 0; i < 2; i++) pthread_join(t[i], 0);\n    printf(\"%d\\n\", total);\n    return total != 6;\n}\n";

/// More executions than any test has time for.
const LONG: &str = "#include <stdatomic.h>\n#include <pthread.h>\nstatic atomic_int x;\n\
    static void *worker(void *p) { for (int i = 0; i < 30; i++) atomic_fetch_xor(&x, i); return p; }\n\
    int main(void) {\n    pthread_t t[6];\n    for (int i = 0; i < 6; i++) pthread_create(&t[i], 0, worker, 0);\n\
    for (int i = 0; i < 6; i++) pthread_join(t[i], 0);\n    return 0;\n}\n";

#[test]
fn no_file_and_a_directory() {
    let place = Place::new("nothing");
    place.check(&[]).fails(1, &["INPUT"]);
    place
        .check(&["nothing.c"])
        .fails(2, &["cannot read nothing.c", "No such file"]);
    place.check(&["nothing.bc"]).fails(2, &["cannot read nothing.bc"]);
    std::fs::create_dir(place.0.join("folder")).unwrap();
    place.check(&["folder"]).fails(2, &["folder is a directory"]);
    std::fs::create_dir(place.0.join("folder.c")).unwrap();
    place.check(&["folder.c"]).fails(2, &["folder.c is a directory"]);
    assert_eq!(place.names(), ["folder", "folder.c"]);
}

#[test]
fn text_and_empty_and_truncated_bitcode() {
    let place = Place::new("truncated");
    place.write("text.bc", "this is no bitcode");
    place
        .check(&["text.bc"])
        .fails(2, &["text.bc is not LLVM bitcode"]);
    place.write("empty.bc", "");
    place
        .check(&["empty.bc"])
        .fails(2, &["empty.bc is not LLVM bitcode"]);
    let whole = place.bitcode(THREADS, &["-g"]);
    place.write("whole.bc", &whole);
    place.check(&["whole.bc"]).verified();
    for part in [1, 3, 10, 50, 90, 99] {
        place.write("cut.bc", &whole[..whole.len() * part / 100]);
        place
            .check(&["cut.bc"])
            .fails(2, &["cut.bc is not a valid LLVM module"]);
    }
    assert_eq!(place.names(), ["cut.bc", "empty.bc", "text.bc", "whole.bc"]);
}

#[test]
fn mutated_bitcode_ends_in_an_error_or_a_verdict() {
    let place = Place::new("mutated");
    let originals = [
        place.bitcode(THREADS, &["-g"]),
        place.bitcode(THREADS, &[]),
        place.bitcode(THREADS, &["-O1"]),
    ];
    let mut state = 0x5e1f_ed9e_u64;
    let mut below = |bound: usize| {
        state = state
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        (state >> 33) as usize % bound
    };
    let mut codes = std::collections::BTreeMap::new();
    for number in 0..150 {
        let mut bytes = originals[number % originals.len()].clone();
        for _ in 0..[1, 1, 2, 4, 16][below(5)] {
            let at = below(bytes.len());
            bytes[at] ^= 1 << below(8);
        }
        if number % 10 == 0 {
            bytes.truncate(below(bytes.len()));
        }
        place.write("mutated.bc", &bytes);
        let limits = ["--jobs", "1", "--max-time", "5", "--max-executions", "50"];
        let outcome = place.check(&[&limits[..], &["--finding", "none", "mutated.bc"]].concat());
        let fine = matches!(outcome.code, Some(0 | 2 | 5 | 10)) && !outcome.err.contains("panicked");
        if !fine {
            let kept = std::env::temp_dir().join(format!("selvedge-mutated-{number}.bc"));
            std::fs::write(&kept, &bytes).unwrap();
            panic!("{:?} for {}: {}", outcome.code, kept.display(), outcome.err);
        }
        assert!(outcome.code != Some(2) || !outcome.err.is_empty());
        assert_eq!(place.names(), ["mutated.bc"]);
        *codes.entry(outcome.code).or_insert(0) += 1;
    }
    assert!(
        codes.len() > 1,
        "mutations that all end alike test little: {codes:?}"
    );
}

#[test]
fn llvm_text_of_another_target_or_version() {
    let place = Place::new("llvm");
    place.write(
        "other.ll",
        "target triple = \"aarch64-unknown-linux-gnu\"\ndefine i32 @main() { ret i32 0 }\n",
    );
    place
        .check(&["other.ll"])
        .fails(2, &["other.ll was compiled for `aarch64", "only x86-64"]);
    // Loads had no type of their own before LLVM 3.7.
    place.write(
        "old.ll",
        "define i32 @main() {\n  %p = alloca i32\n  %v = load i32* %p\n  ret i32 %v\n}\n",
    );
    place
        .check(&["old.ll"])
        .fails(2, &["old.ll is not a valid LLVM module", "old.ll:3:"]);
    place.write(
        "new.ll",
        "define i32 @main() {\n  %v = frobnicate i32 1\n  ret i32 0\n}\n",
    );
    place.check(&["new.ll"]).fails(2, &["new.ll:2:"]);
    assert_eq!(place.names(), ["new.ll", "old.ll", "other.ll"]);
}

#[test]
fn no_main_and_two() {
    let place = Place::new("main");
    place.write("library.c", "int helper(void) { return 1; }\n");
    place
        .check(&["library.c"])
        .fails(2, &["no function `main`", "--entry"]);
    place.write("a.c", SAFE);
    place.write("b.c", SAFE);
    place
        .check(&["a.c", "b.c"])
        .fails(2, &["`main` is defined by more than one input"]);
    place
        .check(&["--entry", "begin", "a.c"])
        .fails(2, &["no function `begin`"]);
}

#[test]
fn undefined_functions_matter_where_they_are_called() {
    let place = Place::new("undefined");
    place.write(
        "a.c",
        "int mystery(int n);\nint main(int argc, char **argv) {\n    return argc > 1 ? mystery(3) : 0;\n}\n",
    );
    let outcome = place.check(&["a.c"]);
    outcome.verified();
    assert!(
        outcome.err.contains("neither defined nor modelled") && outcome.err.contains("mystery"),
        "{}",
        outcome.err
    );
    place
        .check(&["a.c", "--", "x"])
        .unknown(&["unsupported", "mystery", "a.c:3"]);
}

#[test]
fn what_clang_says_is_passed_on() {
    let place = Place::new("clang");
    place.write("a.c", "int main(void) {\n    return missing;\n}\n");
    place.check(&["a.c"]).fails(
        2,
        &[
            "a.c does not compile",
            "a.c:2:12: error:",
            "undeclared identifier",
        ],
    );
    place.write("b.c", SAFE);
    place
        .check(&["--cflags", "--no-such-flag", "b.c"])
        .fails(2, &["no-such-flag"]);
    place.write("c.c", "#include \"nowhere.h\"\nint main(void) { return 0; }\n");
    place.check(&["c.c"]).fails(2, &["'nowhere.h' file not found"]);
    assert_eq!(place.names(), ["a.c", "b.c", "c.c"]);
}

#[test]
fn limits_of_the_machine_are_named() {
    let place = Place::new("limits");
    place.write(
        "recursion.c",
        "static int down(int n) {\n    return down(n + 1) + 1;\n}\nint main(void) { return down(0); }\n",
    );
    place
        .check(&["recursion.c"])
        .unknown(&["recursion", "recursion.c:2"]);
    place.write(
        "loop.c",
        "int main(void) {\n    volatile unsigned n = 0;\n    for (;;)\n        n = n + 1;\n}\n",
    );
    place
        .check(&["loop.c"])
        .unknown(&["steps", "loop", "without a visible action", "loop.c:3"]);
    place.write(
        "threads.c",
        "#include <pthread.h>\nstatic void *work(void *p) { return p; }\nint main(void) {\n\
        static pthread_t t[10000];\n    for (int i = 0; i < 10000; i++) pthread_create(&t[i], 0, work, 0);\n\
        for (int i = 0; i < 10000; i++) pthread_join(t[i], 0);\n    return 0;\n}\n",
    );
    place.check(&["threads.c"]).unknown(&["threads", "more than"]);
    place.write(
        "huge.c",
        "#include <stdlib.h>\nint main(void) {\n    char *p = malloc(1ul << 40);\n    if (p) p[(1ul << 40) - 1] = 2;\n\
        free(p);\n    return 0;\n}\n",
    );
    place
        .check(&["huge.c"])
        .unknown(&["memory", "1099511627776 bytes", "huge.c:3"]);
    assert_eq!(place.names(), ["huge.c", "loop.c", "recursion.c", "threads.c"]);
}

#[test]
fn memory_that_does_not_exist() {
    let place = Place::new("memory");
    place.write(
        "global.c",
        "static char big[1ul << 40];\nint main(void) { return big[6]; }\n",
    );
    place
        .check(&["global.c"])
        .fails(2, &["global variable `big` of 1099511627776 bytes"]);
    place.write(
        "local.c",
        "int main(void) {\n    volatile char a[1ul << 33];\n    a[0] = 1;\n    return a[0] - 1;\n}\n",
    );
    place
        .check(&["local.c"])
        .unknown(&["memory", "8589934592 bytes", "local.c:1"]);
    place.write(
        "leak.c",
        "#include <stdlib.h>\nint main(void) {\n    for (;;) *(char *)malloc(1 << 20) = 1;\n}\n",
    );
    place.check(&["leak.c"]).unknown(&["memory", "leak.c:3"]);
    // More than an address can say: these fail for every malloc.
    place.write(
        "impossible.c",
        "#include <stdlib.h>\nint main(void) { return calloc(1ul << 62, 8) || malloc((size_t)-1); }\n",
    );
    place.check(&["impossible.c"]).verified();
}

#[test]
fn threads_without_end() {
    let place = Place::new("forks");
    place.write(
        "a.c",
        "#include <pthread.h>\nstatic void *work(void *p) { pthread_t t; pthread_create(&t, 0, work, 0); return p; }\n\
        int main(void) { work(0); pthread_exit(0); }\n",
    );
    place.check(&["a.c"]).unknown(&["threads", "more than"]);
}

#[test]
fn findings_that_are_none_are_not_replayed() {
    let place = Place::new("replay");
    std::fs::create_dir(place.0.join("folder.json")).unwrap();
    place.write("bytes.json", [0xff, 0xfe, 0x00]);
    place.write("empty.json", "");
    place.write("hollow.json", "{\"selvedge-finding\": 1, \"finding\": {}}");
    place.write("later.json", "{\"selvedge-finding\": 99, \"finding\": {}}");
    for file in [
        "missing.json",
        "folder.json",
        "bytes.json",
        "empty.json",
        "hollow.json",
        "later.json",
    ] {
        Outcome::of(&mut place.command(&["replay", file])).fails(2, &[file]);
    }
}

#[test]
fn a_stack_of_one_byte_is_einval() {
    let place = Place::new("stack");
    place.write(
        "a.c",
        "#include <assert.h>\n#include <errno.h>\n#include <pthread.h>\nint main(void) {\n    pthread_attr_t a;\n\
        pthread_attr_init(&a);\n    assert(pthread_attr_setstacksize(&a, 1) == EINVAL);\n\
        assert(pthread_attr_setstacksize(&a, 1 << 20) == 0);\n    pthread_attr_destroy(&a);\n    return 0;\n}\n",
    );
    place.check(&["a.c"]).verified();
}

#[test]
fn output_that_cannot_be_written_is_refused_before_the_run() {
    let place = Place::new("output");
    place.write("long.c", LONG);
    // The program would run for hours.
    for (file, says) in [
        ("missing/report", "No such file"),
        ("/proc/report", "/proc/report"),
        ("long.c/report", "Not a directory"),
        (".", "directory"),
    ] {
        place.check(&["-o", file, "long.c"]).fails(1, &["-o", says]);
    }
    assert_eq!(place.names(), ["long.c"]);
    place.write("a.c", SAFE);
    let outcome = place.check(&["-o", "/dev/null", "a.c"]);
    assert_eq!(
        (outcome.code, outcome.out.as_str()),
        (Some(0), ""),
        "{}",
        outcome.err
    );
    assert!(
        !std::fs::metadata("/dev/null").unwrap().is_file(),
        "a device is not replaced"
    );
    // A finding that cannot be saved does not change what was found.
    place.write("bad.c", "#include <stdlib.h>\nint main(void) { abort(); }\n");
    let outcome = place.check(&["--finding", "missing/FINDING.json", "bad.c"]);
    assert_eq!(outcome.code, Some(10), "{}", outcome.err);
    assert!(outcome.err.contains("not saved"), "{}", outcome.err);
    assert_eq!(place.names(), ["a.c", "bad.c", "long.c"]);
}

#[test]
fn a_reader_that_goes_away_is_said_and_no_mistake_of_ours() {
    let place = Place::new("pipe");
    place.write("a.c", SAFE);
    // Who asks for a report and does not take it must not take the exit code for one.
    for (arguments, code) in [
        (&["check", "--verbose", "a.c"][..], 2),
        (&["man"], 2),
        (&["check", "--help"], 0),
    ] {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let output = place.command(arguments).stdout(writer).output().unwrap();
        let err = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(code), "{arguments:?}: {err}");
        assert!(
            !err.contains("panicked") && !err.contains("internal error"),
            "{err}"
        );
        assert_eq!(err.contains("Broken pipe"), code == 2, "{err}");
    }
}

#[test]
fn ctrl_c_gives_the_partial_result() {
    let place = Place::new("interrupt");
    place.write("long.c", LONG);
    let mut child = place
        .command(&["check", "--progress", "always", "--format", "json", "long.c"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // The first line of progress: the exploration is under way.
    let mut progress = BufReader::new(child.stderr.take().unwrap());
    let mut line = String::new();
    while !line.contains("executions") {
        line.clear();
        assert_ne!(progress.read_line(&mut line).unwrap(), 0, "no progress was shown");
    }
    let killed = Command::new("kill")
        .args(["-INT", &child.id().to_string()])
        .status()
        .unwrap();
    assert!(killed.success());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(5));
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(report["verdict"], "unknown");
    assert_eq!(report["reason"]["kind"], "interrupted");
    assert!(report["statistics"]["executions"].as_u64() > Some(0));
    assert_eq!(place.names(), ["long.c"]);
}

#[test]
fn without_clang_only_llvm_files_can_be_checked() {
    let place = Place::new("noclang");
    place.write("a.c", SAFE);
    place.write("a.bc", place.bitcode(SAFE, &[]));
    let run = |file: &str| Outcome::of(place.command(&["check", file]).env("PATH", "/nonexistent"));
    run("a.bc").verified();
    // Debian's clang is found where its package puts it, in PATH or not.
    if Path::new("/usr/lib/llvm-22/bin/clang").exists() {
        run("a.c").verified();
    } else {
        run("a.c").fails(2, &["clang 22 was not found", "PATH"]);
    }
}

#[test]
fn unknown_options_and_later_features() {
    let place = Place::new("options");
    place.write("a.c", SAFE);
    for arguments in [
        &["--no-such-option"][..],
        &["--jobs", "many"],
        &["--strategy", "luck"],
        &["--stop", "later"],
        &["--max-time", "-1"],
    ] {
        let last = arguments[arguments.len() - 1];
        place
            .check(&[arguments, &["a.c"]].concat())
            .fails(1, &["error:", last]);
    }
    for arguments in [
        ["--strategy", "guarded"],
        ["--malloc-failures", "on"],
        ["--property", "termination"],
    ] {
        place
            .check(&[&arguments[..], &["a.c"]].concat())
            .fails(1, &["not available yet"]);
    }
    let outcome = Outcome::of(&mut place.command(&["view", "a.c"]));
    outcome.fails(1, &["view", "not available yet"]);
    place
        .check(&["--allow-external=f=skip", "a.c"])
        .fails(1, &["--allow-external", "not available yet"]);
    let of_accesses = "--property=assertion,deadlock";
    for (arguments, says) in [
        (&[][..], "add --property"),
        (&["--property=data-race"], "add --property"),
        (
            &[of_accesses, "--strategy=stateful"],
            "--strategy dpor and unfold only",
        ),
        (&[of_accesses, "--visibility=sync"], "leave --visibility out"),
        (&[of_accesses, "--checkpoint=c"], "checkpoints"),
    ] {
        place
            .check(&[&["--dependence=predicate"], arguments, &["a.c"]].concat())
            .fails(1, &[says]);
    }
    assert_eq!(place.names(), ["a.c"]);
}

//! Programs, findings and settings of somebody else: none of them runs code, reaches the network,
//! or shows a file that was not given; and a crash of LLVM is no crash of the command.

use std::os::unix::net::UnixListener;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// An empty directory, removed at the end.
struct Place(PathBuf);

impl Place {
    fn new(name: &str) -> Place {
        let path = std::env::temp_dir().join(format!("selvedge-given-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        Place(path.canonicalize().unwrap())
    }

    fn write(&self, name: &str, text: impl AsRef<[u8]>) {
        std::fs::write(self.0.join(name), text).unwrap();
    }

    fn run(&self, arguments: &[&str]) -> (Option<i32>, String, String) {
        let output = Command::new(env!("CARGO_BIN_EXE_selvedge"))
            .args(arguments)
            .current_dir(&self.0)
            .stdin(Stdio::null())
            .output()
            .unwrap();
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        (output.status.code(), text(&output.stdout), text(&output.stderr))
    }

    #[track_caller]
    fn fails(&self, arguments: &[&str], code: i32, says: &str) {
        let started = Instant::now();
        let (ended, out, err) = self.run(arguments);
        assert_eq!(ended, Some(code), "{arguments:?}: {out}{err}");
        assert!(err.contains(says), "{arguments:?}: {err}");
        assert!(!err.contains("panicked"), "{err}");
        assert!(started.elapsed() < Duration::from_secs(60), "{arguments:?}");
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

const SAFE: &str = "int main(void) { return 0; }\n";

#[test]
fn a_crash_of_llvm_is_an_unreadable_input() {
    let place = Place::new("crash");
    place.write("good.c", SAFE);
    // The parser recurses on types: more than any stack holds.
    let depth = 4_000_000;
    let mut text = "@x = global ".to_owned();
    text.push_str(&"[1 x ".repeat(depth));
    text.push_str("i8");
    text.push_str(&"]".repeat(depth));
    text.push_str(" zeroinitializer\n");
    place.write("deep.ll", text);
    place.fails(
        &["check", "good.c", "deep.ll"],
        2,
        "reading deep.ll failed: LLVM crashed",
    );
}

/// What the system says of a process.
fn told(process: u32, what: &str) -> String {
    std::fs::read_to_string(format!("/proc/{process}/{what}")).unwrap_or_default()
}

/// A process that another one has started, and all of whose threads the system filters.
fn confined_child(of: u32) -> Option<u32> {
    let started = std::fs::read_dir(format!("/proc/{of}/task")).ok()?;
    let lists = started.flatten().map(|task| task.path().join("children"));
    let lists: String = lists
        .filter_map(|list| std::fs::read_to_string(list).ok())
        .collect();
    let mut children = lists.split_whitespace().filter_map(|child| child.parse().ok());
    children.find(|&child| {
        let Ok(tasks) = std::fs::read_dir(format!("/proc/{child}/task")) else {
            return false;
        };
        let status = |task: &Path| std::fs::read_to_string(task.join("status")).unwrap_or_default();
        let filtered = |task: &Path| status(task).lines().any(|line| line == "Seccomp:\t2");
        let tasks: Vec<PathBuf> = tasks.flatten().map(|task| task.path()).collect();
        !tasks.is_empty() && tasks.iter().all(|task| filtered(task))
    })
}

#[test]
fn the_reader_is_confined_while_it_reads() {
    let place = Place::new("confined");
    let functions: String = (0..60_000)
        .map(|n| format!("define i32 @f{n}(i32 %x) {{\n  %y = add i32 %x, {n}\n  ret i32 %y\n}}\n"))
        .collect();
    place.write("large.ll", functions + "define i32 @main() {\n  ret i32 0\n}\n");
    let mut command = Command::new(env!("CARGO_BIN_EXE_selvedge"))
        .args(["check", "--max-memory", "2G", "--finding", "none", "large.ll"])
        .current_dir(&place.0)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut seen = None;
    while seen.is_none() && command.try_wait().unwrap().is_none() {
        let limits = confined_child(command.id()).map(|reader| told(reader, "limits"));
        seen = limits.filter(|limits| !limits.is_empty());
        std::thread::sleep(Duration::from_millis(1));
    }
    assert_eq!(command.wait().unwrap().code(), Some(0));
    let limits = seen.expect("no process was confined");
    let limit = |name: &str| -> u64 {
        let line = limits
            .lines()
            .find(|line| line.starts_with(name))
            .unwrap_or_default();
        let limit = line[name.len()..].split_whitespace().next();
        limit
            .and_then(|limit| limit.parse().ok())
            .unwrap_or_else(|| panic!("{limits}"))
    };
    // The bounds of docs/safety.md.
    assert_eq!(limit("Max core file size"), 0);
    assert!((60..200).contains(&limit("Max cpu time")), "{limits}");
    assert_eq!(limit("Max address space"), 3 << 30);
}

#[test]
fn damaged_bitcode_is_read_or_refused() {
    let place = Place::new("damaged");
    place.write(
        "p.c",
        "#include <stdio.h>\nint main(int c, char **v) { printf(\"%d\", c); return v[0] == 0; }\n",
    );
    let made = Command::new("clang-22")
        .args(["-g", "-emit-llvm", "-c", "p.c", "-o", "p.bc"])
        .current_dir(&place.0)
        .status()
        .unwrap();
    assert!(made.success());
    let good = std::fs::read(place.0.join("p.bc")).unwrap();
    let mut random = 0x9e37_79b9_7f4a_7c15_u64;
    for round in 0..60 {
        let mut bad = good.clone();
        for _ in 0..1 + round % 4 {
            random = random
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            let at = 4 + (random >> 33) as usize % (bad.len() - 4);
            bad[at] ^= 1 << (random >> 20 & 7);
        }
        place.write("bad.bc", &bad);
        let (code, out, err) = place.run(&["check", "--max-time", "5", "--finding", "none", "bad.bc"]);
        assert!(
            matches!(code, Some(0 | 2 | 5 | 10)),
            "round {round}: {code:?} {out}{err}"
        );
        assert!(!err.contains("panicked"), "round {round}: {err}");
    }
}

#[test]
fn settings_of_a_directory_above_are_not_read() {
    let place = Place::new("above");
    place.write("selvedge.toml", "define = [\"BAD\"]\n");
    let inner = Place(place.0.join("project"));
    std::fs::create_dir(&inner.0).unwrap();
    inner.write(
        "p.c",
        "#include <assert.h>\nint main(void) {\n#ifdef BAD\nassert(0);\n#endif\nreturn 0; }\n",
    );
    let (code, _, err) = inner.run(&["check", "--finding", "none", "p.c"]);
    assert_eq!(code, Some(0), "{err}");
    assert!(err.contains("is not read"), "{err}");
    let (code, _, err) = inner.run(&[
        "check",
        "--finding",
        "none",
        "--config",
        "../selvedge.toml",
        "p.c",
    ]);
    assert_eq!(code, Some(10), "{err}");
    let (code, _, err) = inner.run(&["check", "--finding", "none", "--config=../selvedge.toml", "p.c"]);
    assert_eq!(code, Some(10), "{err}");
    inner.fails(&["check", "--config", "nothing.toml", "p.c"], 1, "nothing.toml");
    // No file sends the reader to another one.
    inner.write("selvedge.toml", "config = \"../selvedge.toml\"\n");
    inner.fails(&["check", "p.c"], 1, "no option `config`");
    inner.write("selvedge.toml", "define = [\"BAD\"]\n");
    assert_eq!(inner.run(&["check", "--finding", "none", "p.c"]).0, Some(10));
}

#[test]
fn names_of_files_are_no_options() {
    let place = Place::new("names");
    place.write("-fsyntax-only.c", SAFE);
    place.write("@x.c", SAFE);
    place.write("x.c", "-fplugin=./evil.so\n");
    for name in ["./-fsyntax-only.c", "./@x.c", "@x.c"] {
        let (code, out, err) = place.run(&["check", "--finding", "none", name]);
        assert_eq!(code, Some(0), "{name}: {out}{err}");
    }
    // As `*.c` would give it.
    place.fails(
        &["check", "-fsyntax-only.c", "@x.c"],
        1,
        "the name of a file here",
    );
    // A value that looks like a response file is a value.
    place.write("flags", "-DX=0\n");
    place.write("y.c", "#ifndef X\nint main(void) { return 0; }\n#endif\n");
    let (_, _, err) = place.run(&["check", "--finding", "none", "-D", "@flags", "y.c"]);
    assert!(err.contains("macro name"), "{err}");
    place.fails(&["check", "-I", "", "y.c"], 1, "directory");
    place.fails(&["check", "-D", "", "y.c"], 1, "define");
}

#[test]
fn what_is_no_file_is_no_input() {
    let place = Place::new("pipes");
    place.write("good.c", SAFE);
    for name in ["p.c", "p.bc", "p.ll", "p.prp", "p.ktest", "p.json", "p.toml"] {
        let made = Command::new("mkfifo").arg(place.0.join(name)).status().unwrap();
        assert!(made.success());
    }
    let _socket = UnixListener::bind(place.0.join("s.ll")).unwrap();
    for name in ["p.c", "p.bc", "p.ll"] {
        place.fails(&["check", name], 2, "it is a pipe, not a regular file");
    }
    place.fails(&["check", "s.ll"], 2, "it is a socket, not a regular file");
    place.fails(&["check", "--stdin", "p.c", "good.c"], 1, "a pipe");
    place.fails(&["check", "--stdin", "/dev/zero", "good.c"], 1, "a device");
    place.fails(
        &["check", "--stdin", "/proc/self/environ", "good.c"],
        1,
        "a view of the system",
    );
    place.fails(&["check", "--file", "x=p.c", "good.c"], 1, "a pipe");
    place.fails(&["check", "--file", "x=.", "good.c"], 1, "a directory");
    place.fails(&["check", "--property", "p.prp", "good.c"], 1, "a pipe");
    place.fails(&["check", "--input", "p.ktest", "good.c"], 2, "a pipe");
    place.fails(&["check", "--config", "p.toml", "good.c"], 1, "a pipe");
    place.fails(&["replay", "p.json"], 2, "a pipe");
    place.fails(&["solve", "p.json"], 2, "a pipe");
    assert!(
        Command::new("mv")
            .arg("p.toml")
            .arg("selvedge.toml")
            .current_dir(&place.0)
            .status()
            .unwrap()
            .success()
    );
    place.fails(&["check", "good.c"], 1, "a pipe");
}

#[test]
fn only_files_that_were_given_are_quoted() {
    let place = Place::new("quoted");
    place.write("secret.txt", "first\nthe secret word\nthird\n");
    place.write(
        "helper.h",
        "static inline void fail(int *p) {\n    *p = 1; /* in the header */\n}\n",
    );
    let program =
        "#include \"helper.h\"\nint main(void) {\n    fail(0); /* in the program */\n    return 0;\n}\n";
    place.write("plain.c", program);
    let (code, out, err) = place.run(&["check", "--finding", "none", "plain.c"]);
    assert_eq!(code, Some(10), "{err}");
    assert!(out.contains("/* in the header */"), "{out}");
    let renamed =
        "int main(void) {\n    int *p = 0;\n#line 2 \"secret.txt\"\n    *p = 1;\n    return 0;\n}\n";
    place.write("renamed.c", renamed);
    let path = place.0.join("secret.txt").display().to_string();
    place.write("absolute.c", renamed.replace("secret.txt", &path));
    place.write("preprocessed.i", renamed.replace("#line 2", "# 2"));
    for flags in [&["-c", "-o", "module.bc"], &["-S", "-o", "module.ll"]] {
        let made = Command::new("clang-22")
            .args(["-g", "-emit-llvm", "renamed.c"])
            .args(flags)
            .current_dir(&place.0)
            .status()
            .unwrap();
        assert!(made.success());
    }
    for name in [
        "renamed.c",
        "absolute.c",
        "preprocessed.i",
        "module.bc",
        "module.ll",
    ] {
        for format in ["human", "json", "sarif", "junit"] {
            let (code, out, err) = place.run(&["check", "--format", format, name]);
            assert_eq!(code, Some(10), "{name}: {err}");
            assert!(out.contains("secret.txt"), "{name}: the place is named: {out}");
            assert!(
                !out.contains("secret word") && !err.contains("secret word"),
                "{name}: {out}{err}"
            );
        }
        let (code, out, err) = place.run(&["replay", "FINDING.json"]);
        assert_eq!(code, Some(10), "{name}: {err}");
        assert!(!out.contains("secret word"), "{name}: {out}");
    }
    // If it is included, it is shown.
    place.write(
        "included.c",
        format!("#if 0\n#include \"secret.txt\"\n#endif\n{renamed}"),
    );
    assert!(
        !place
            .run(&["check", "--finding", "none", "included.c"])
            .1
            .contains("secret word")
    );
}

#[test]
fn a_finding_may_not_ask_for_everything() {
    let place = Place::new("finding");
    place.write(
        "p.c",
        "#include <assert.h>\nint main(void) { assert(X); return 0; }\n",
    );
    let (code, _, err) = place.run(&["check", "-DX=0", "--cflags=-O0 -Wall", "p.c"]);
    assert_eq!(code, Some(10), "{err}");
    let finding = std::fs::read_to_string(place.0.join("FINDING.json")).unwrap();
    assert_eq!(place.run(&["replay", "FINDING.json"]).0, Some(10));
    for option in [
        "cflag -fplugin=./evil.so",
        "cflag -Xclang",
        "cflag @flags",
        "cflag -B.",
        "cflag -include",
        "cflag --config=x",
        "include /usr",
        "stdin /etc/passwd",
        "file x=/etc/passwd",
        "file x=../../../../../../../../etc/passwd",
        "include ",
        "define ",
    ] {
        let other = finding.replacen("\\noption ", &format!("\\noption {option}\\noption "), 1);
        assert_ne!(other, finding);
        place.write("other.json", other);
        place.fails(&["replay", "other.json"], 2, "--trust");
    }
    let other = finding.replacen("input p.c", "input /dev/../etc/passwd", 1);
    place.write("other.json", other);
    place.fails(&["replay", "other.json"], 2, "--trust");
    // With trust, the compiler gets it.
    place.write(
        "other.json",
        finding.replacen("\\noption ", "\\noption cflag -fplugin=./evil.so\\noption ", 1),
    );
    place.fails(&["replay", "--trust", "other.json"], 2, "evil.so");
    // A program elsewhere: only if it is trusted.
    let elsewhere = Place::new("elsewhere");
    let program = place.0.join("p.c").display().to_string();
    assert_eq!(elsewhere.run(&["check", "-DX=0", &program]).0, Some(10));
    elsewhere.fails(&["replay", "FINDING.json"], 2, "--trust");
    assert_eq!(elsewhere.run(&["replay", "--trust", "FINDING.json"]).0, Some(10));
}

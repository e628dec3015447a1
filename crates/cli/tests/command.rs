//! The command as users and scripts see it: exit codes, verdict lines, bad inputs, nothing
//! half-written.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// A directory of its own for one test, removed at the end.
struct Place(PathBuf);

impl Place {
    fn new(name: &str) -> Place {
        let path = std::env::temp_dir().join(format!("selvedge-cli-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        Place(path)
    }

    fn write(&self, name: &str, text: &str) {
        std::fs::write(self.0.join(name), text).unwrap();
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_selvedge"));
        command
            .args(arguments)
            .current_dir(&self.0)
            .env_remove("SELVEDGE_FORMAT");
        command
    }

    fn run(&self, arguments: &[&str]) -> (i32, String, String) {
        let Output {
            status,
            stdout,
            stderr,
        } = self.command(arguments).output().unwrap();
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
        (status.code().unwrap_or(-1), text(stdout), text(stderr))
    }

    fn names(&self) -> Vec<String> {
        let mut names: Vec<String> = std::fs::read_dir(&self.0)
            .unwrap()
            .map(|e| e.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

const SAFE: &str = "int main(void) { return 0; }\n";
const RACE: &str = "#include <pthread.h>\nint counter;\nstatic void *worker(void *p) { counter++; return p; }\n\
    int main(void) {\n    pthread_t a;\n    pthread_create(&a, 0, worker, 0);\n    counter++;\n    pthread_join(a, 0);\n    return 0;\n}\n";

fn last_line(text: &str) -> &str {
    text.lines().last().unwrap_or("")
}

#[test]
fn usage_errors_exit_with_1() {
    let place = Place::new("usage");
    place.write("a.c", SAFE);
    for (arguments, says) in [
        (&[][..], "Usage"),
        (&["check"], "INPUT"),
        (&["frob"], "frob"),
        (&["check", "--speed", "a.c"], "--speed"),
        (&["check", "--strategy", "guarded", "a.c"], "not available yet"),
        (
            &["check", "--strategy", "stateful", "--emit-tests", "d", "a.c"],
            "--strategy stateful has no execution of its own for each test case",
        ),
        (
            &["check", "--strategy", "reads-from", "--emit-tests", "d", "a.c"],
            "--emit-tests is not available with --strategy reads-from",
        ),
        (
            &["check", "--strategy", "reads-from", "--jobs", "2", "a.c"],
            "--strategy reads-from uses one core",
        ),
        (
            &["check", "--strategy", "reads-from", "--checkpoint", "f", "a.c"],
            "checkpoints of --strategy unfold, stateful and reads-from are not available yet",
        ),
        (
            &[
                "check",
                "--strategy",
                "reads-from",
                "--visibility",
                "hybrid",
                "a.c",
            ],
            "--visibility reachable, fields and hybrid are available with --strategy stateful only",
        ),
        (
            &[
                "check",
                "--strategy",
                "reads-from",
                "--dependence",
                "predicate",
                "--property",
                "assertion",
                "a.c",
            ],
            "--dependence predicate is available with --strategy dpor and unfold only",
        ),
        (
            &[
                "check",
                "--dependence",
                "predicate-published",
                "--strategy",
                "unfold",
                "--property",
                "assertion",
                "a.c",
            ],
            "--dependence predicate-published is available with --strategy dpor only",
        ),
        (
            &[
                "check",
                "--dependence",
                "predicate-published",
                "--jobs",
                "2",
                "--property",
                "assertion",
                "a.c",
            ],
            "--dependence predicate-published uses one core",
        ),
        (
            &[
                "check",
                "--dependence",
                "predicate-published",
                "--emit-tests",
                "d",
                "--property",
                "assertion",
                "a.c",
            ],
            "--dependence predicate-published is not available with --emit-tests",
        ),
        (
            &["check", "--visibility", "reachable", "a.c"],
            "--visibility reachable, fields and hybrid are available with --strategy stateful only",
        ),
        (
            &["check", "--visibility", "hybrid", "a.c"],
            "--visibility reachable, fields and hybrid are available with --strategy stateful only",
        ),
        (
            &["check", "--strategy", "dpor", "--statistics", "choices", "a.c"],
            "--statistics choices is available with --strategy stateful only",
        ),
        (&["check", "--malloc-failures", "on", "a.c"], "not available yet"),
        (
            &[
                "check",
                "--strategy",
                "unfold",
                "--dump-unfolding",
                "u.png",
                "a.c",
            ],
            ".dot, .json or .html",
        ),
        (
            &[
                "check",
                "--strategy",
                "unfold",
                "--dump-unfolding",
                "none/u.dot",
                "a.c",
            ],
            "cannot be written",
        ),
        (
            &["check", "--strategy", "dpor", "--dump-unfolding", "u.dot", "a.c"],
            "--strategy unfold",
        ),
        (&["check", "--k", "0", "a.c"], "from 1, or optimal"),
        (
            &["check", "--property", "termination", "a.c"],
            "not available yet",
        ),
        (&["check", "--property", "beauty", "a.c"], "beauty"),
        (&["check", "--property", "missing.prp", "a.c"], "missing.prp"),
        (&["check", "--max-time", "soon", "a.c"], "expected a time"),
        (&["check", "--max-memory", "much", "a.c"], "expected a size"),
        (&["check", "--jobs", "0", "a.c"], "0"),
        (&["check", "-o", ".", "a.c"], "directory"),
        (&["check", "--quiet", "--verbose", "a.c"], "--verbose"),
    ] {
        let (code, out, err) = place.run(arguments);
        assert_eq!(code, 1, "{arguments:?}: {out}{err}");
        assert!(err.contains(says), "{arguments:?}: {err}");
    }
    assert_eq!(place.names(), ["a.c"]);
}

#[test]
fn help_version_and_man_exit_with_0() {
    let place = Place::new("help");
    for arguments in [
        &["--help"][..],
        &["--version"],
        &["check", "--help"],
        &["replay", "--help"],
        &["facts", "--help"],
        &["slice", "--help"],
    ] {
        assert_eq!(place.run(arguments).0, 0, "{arguments:?}");
    }
    let (code, page, _) = place.run(&["man"]);
    let help = place.run(&["check", "--help"]).1;
    assert_eq!(code, 0);
    for shell in ["bash", "zsh", "fish"] {
        let (code, script, _) = place.run(&["completions", shell]);
        assert!(code == 0 && script.contains("visibility"), "{shell}: {script}");
    }
    assert_eq!(place.run(&["completions", "none"]).0, 1);
    for option in ["visibility", "stop", "property"] {
        assert!(
            page.contains(option) && help.contains(&format!("--{option}")),
            "{option}"
        );
    }
}

#[test]
fn a_slice_says_for_each_line_why() {
    let place = Place::new("slice");
    place.write(
        "sum.c",
        "#include <assert.h>\n\
         static int all, rounds;\n\
         static void add(int n) { all += n; }\n\
         int main(int argc, char **argv) {\n\
         \u{20}   for (int i = 0; i < argc; i++) {\n\
         \u{20}       add(i);\n\
         \u{20}       rounds++;\n\
         \u{20}   }\n\
         \u{20}   assert(all < 9);\n\
         \u{20}   return argv == 0;\n\
         }\n",
    );
    let (code, text, err) = place.run(&["slice", "sum.c"]);
    assert_eq!(code, 0, "{err}");
    let why = |number: &str| {
        let line = text.lines().find(|l| l.trim_start().starts_with(number));
        line.unwrap_or_default().to_owned()
    };
    assert!(why("9 ").ends_with("asked for"), "{text}");
    assert!(why("3 ").ends_with("may write what line 9 reads"), "{text}");
    assert!(why("6 ").contains("line 3"), "{text}");
    assert!(why("5 ").contains("decides whether"), "{text}");
    assert_eq!(why("7 "), "", "{text}");
    let arguments = [
        "slice",
        "--at",
        "sum.c:7",
        "--json",
        "--html",
        "page.html",
        "sum.c",
    ];
    let (code, text, err) = place.run(&arguments);
    assert_eq!(code, 0, "{err}");
    let slice: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    let lines = slice["lines"].as_array().expect("lines");
    let lines: Vec<u64> = lines.iter().filter_map(|l| l["line"].as_u64()).collect();
    assert!(lines.contains(&7) && !lines.contains(&9), "{text}");
    let page = std::fs::read_to_string(place.0.join("page.html")).expect("the page");
    assert!(page.contains("rounds++") && !page.contains("http"), "{page}");
    for bad in ["99", "other.c:7", "seven"] {
        let (code, _, err) = place.run(&["slice", "--at", bad, "sum.c"]);
        assert_eq!(code, 2, "{err}");
        assert!(err.contains(bad), "{err}");
    }
}

#[test]
fn facts_name_the_lines_of_the_source() {
    let place = Place::new("facts");
    place.write(
        "sum.c",
        "int next(void);\n\
         static int sum(int n) {\n\
         \u{20}   int all = 0;\n\
         \u{20}   for (int i = 0; i < n; i++) {\n\
         \u{20}       if (i & 1) all += i;\n\
         \u{20}   }\n\
         \u{20}   return all;\n\
         }\n\
         int main(void) { return sum(4); }\n",
    );
    let (code, text, err) = place.run(&["facts", "sum.c"]);
    assert_eq!(code, 0, "{err}");
    for line in [
        "sum (sum.c:2)",
        "loop at block 1 (line 4), depth 1",
        "may run sum",
    ] {
        assert!(text.contains(line), "{line} in {text}");
    }
    let (_, again, _) = place.run(&["facts", "sum.c"]);
    assert_eq!(again, text);
    let asked = [
        "facts",
        "--json",
        "--function",
        "sum",
        "--what",
        "cfg,definitions",
        "sum.c",
    ];
    let (code, text, err) = place.run(&asked);
    assert_eq!(code, 0, "{err}");
    let facts: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    let sum = &facts["functions"][0];
    // The branch of line 5 decides the addition; the loop's condition decides that branch.
    let blocks = sum["blocks"].as_array().expect("blocks");
    let on_line = |line: u64| blocks.iter().filter(move |b| b["lines"][0] == line);
    assert!(
        on_line(5).any(|b| b["decided_by"].as_array().is_some_and(|d| !d.is_empty())),
        "{text}"
    );
    let uses = sum["definitions"].as_array().expect("definitions");
    let of_all = uses.iter().filter(|u| u["variable"] == "all");
    let most = of_all.map(|u| u["from"].as_array().map_or(0, Vec::len)).max();
    assert_eq!(most, Some(2), "from line 3 and from line 5: {text}");
    let (code, _, err) = place.run(&["facts", "--function", "product", "sum.c"]);
    assert_eq!(code, 2, "{err}");
    assert!(err.contains("product"), "{err}");
    assert_eq!(place.run(&["facts", "none.c"]).0, 2);
    assert_eq!(place.run(&["facts", "--what", "beauty", "sum.c"]).0, 1);
}

#[test]
fn bad_inputs_exit_with_2() {
    let place = Place::new("inputs");
    place.write("text.bc", "this is no bitcode");
    place.write("short.bc", "BC\u{0}");
    place.write("library.c", "int helper(void) { return 1; }\n");
    place.write("main.c", SAFE);
    place.write("other.c", SAFE);
    place.write("broken.c", "int main(void) { return x; }\n");
    place.write("notes.txt", "hello");
    std::fs::create_dir(place.0.join("folder")).unwrap();
    for (arguments, says) in [
        (&["nothing.c"][..], "nothing.c"),
        (&["folder"], "directory"),
        (&["text.bc"], "bitcode"),
        (&["short.bc"], "short.bc"),
        (&["library.c"], "main"),
        (&["main.c", "other.c"], "main"),
        (&["broken.c"], "undeclared"),
        (&["notes.txt"], "notes.txt"),
        (&["--entry", "start", "main.c"], "start"),
    ] {
        let all: Vec<&str> = ["check"].into_iter().chain(arguments.iter().copied()).collect();
        let (code, out, err) = place.run(&all);
        assert_eq!(code, 2, "{arguments:?}: {out}{err}");
        assert!(err.contains(says), "{arguments:?}: {err}");
    }
    assert_eq!(place.run(&["replay", "nothing.json"]).0, 2);
    assert_eq!(place.run(&["replay", "notes.txt"]).0, 2);
}

#[test]
fn a_safe_program_is_verified() {
    let place = Place::new("safe");
    place.write("a.c", SAFE);
    let (code, out, err) = place.run(&["check", "a.c"]);
    assert_eq!((code, last_line(&out)), (0, "true"), "{out}{err}");
    assert_eq!(place.names(), ["a.c"]);
    let (code, out, _) = place.run(&["check", "--strategy", "random", "--max-executions", "3", "a.c"]);
    assert_eq!(code, 5, "{out}");
    assert!(last_line(&out).starts_with("unknown(executions"), "{out}");
}

#[test]
fn a_race_is_found_saved_and_replayed() {
    let place = Place::new("race");
    place.write("race.c", RACE);
    let (code, out, err) = place.run(&["check", "race.c"]);
    assert_eq!((code, last_line(&out)), (10, "false(no-data-race)"), "{out}{err}");
    assert_eq!(place.names(), ["FINDING.json", "race.c"]);
    let (code, out, err) = place.run(&["replay", "FINDING.json"]);
    assert_eq!((code, last_line(&out)), (10, "false(no-data-race)"), "{out}{err}");
    assert!(out.contains("thread 0.1"), "{out}");
    place.write("race.c", SAFE);
    let (code, _, err) = place.run(&["replay", "FINDING.json"]);
    assert_eq!(code, 5);
    assert!(err.contains("race.c has been changed"), "{err}");
}

#[test]
fn findings_are_told_in_the_words_of_the_source() {
    let place = Place::new("told");
    place.write(
        "told.c",
        "#include <pthread.h>\n#include <stdlib.h>\nstruct node { int value; pthread_mutex_t lock; };\nstatic struct node *made;\n\
         static struct { pthread_mutex_t lock; int hits[3]; } all[2];\n\
         static void *worker(void *unused) {\n  pthread_mutex_lock(&all[1].lock);\n  all[1].hits[2]++;\n  pthread_mutex_unlock(&all[1].lock);\n  return unused;\n}\n\
         int main(void) {\n  pthread_t t;\n  made = malloc(sizeof *made);\n  pthread_mutex_init(&made->lock, 0);\n  pthread_create(&t, 0, worker, 0);\n\
         pthread_mutex_lock(&made->lock);\n  all[1].hits[2] = 1;\n  pthread_mutex_unlock(&made->lock);\n  return pthread_join(t, 0);\n}\n",
    );
    let (code, out, err) = place.run(&["check", "--strategy", "dpor", "--html", "page.html", "told.c"]);
    assert_eq!((code, last_line(&out)), (10, "false(no-data-race)"), "{out}{err}");
    for text in [
        "`all[1].hits[2]`",
        "told.c:16  create thread 0.1, which runs worker",
        "thread 0.1 (worker)",
        "lock `all[1].lock`",
        "lock `.lock` of the `struct node` made at told.c:",
        "↳ the other access: ",
        "cause: the accesses are under different locks: ",
        "✗ ",
    ] {
        assert!(out.contains(text), "no {text} in\n{out}");
    }
    let page = std::fs::read_to_string(place.0.join("page.html")).unwrap();
    assert!(
        page.contains("all[1].hits[2]") && page.contains("which runs worker"),
        "{page}"
    );
    let (code, out, err) = place.run(&["replay", "FINDING.json", "--html", "again.html"]);
    assert_eq!((code, last_line(&out)), (10, "false(no-data-race)"), "{out}{err}");
    let again = std::fs::read_to_string(place.0.join("again.html")).unwrap();
    assert!(
        again.contains("the other access") && again.contains("which runs worker"),
        "{again}"
    );
    let (code, out, _) = place.run(&["check", "--format", "github", "--finding", "none", "told.c"]);
    assert!(
        code == 10 && out.starts_with("::error file=told.c,line="),
        "{out}"
    );
    let (code, _, err) = place.run(&["check", "--html", "nowhere/page.html", "told.c"]);
    assert!(code == 1 && err.contains("--html nowhere/page.html"), "{err}");
}

#[test]
fn races_that_nobody_asks_about_need_visibility_memory() {
    let place = Place::new("auto");
    place.write("race.c", RACE);
    let (code, out, err) = place.run(&["check", "--property", "assertion", "race.c"]);
    assert_eq!((code, last_line(&out)), (0, "true"), "{out}{err}");
    assert!(
        err.contains("--visibility memory") && out.contains("visibility memory"),
        "{out}{err}"
    );
    let (code, out, _) = place.run(&[
        "check",
        "--property",
        "assertion",
        "--visibility",
        "sync",
        "race.c",
    ]);
    assert_eq!(code, 5, "{out}");
    place.write(
        "reach.prp",
        "CHECK( init(main()), LTL(G ! call(reach_error())) )\n",
    );
    assert_eq!(place.run(&["check", "--property", "reach.prp", "race.c"]).0, 0);
}

#[test]
fn formats_and_files() {
    let place = Place::new("formats");
    place.write("race.c", RACE);
    let (code, out, _) = place.run(&["check", "--format", "json", "--finding", "none", "race.c"]);
    let value: serde_json::Value = serde_json::from_str(&out).unwrap();
    assert_eq!((code, value["verdict"].as_str()), (10, Some("violated")));
    assert_eq!(value["findings"][0]["kind"], "data-race");
    let (code, out, _) = place.run(&[
        "check",
        "--format",
        "sarif",
        "-o",
        "out.sarif",
        "--finding",
        "none",
        "race.c",
    ]);
    assert_eq!((code, out.as_str()), (10, ""));
    assert_eq!(place.names(), ["out.sarif", "race.c"]);
    let (code, _, err) = place.run(&["check", "-o", "missing/out", "--finding", "none", "race.c"]);
    assert_eq!(code, 1, "{err}");
}

#[test]
fn configuration_file_environment_and_command_line() {
    let place = Place::new("config");
    place.write("a.c", SAFE);
    place.write(
        "selvedge.toml",
        "format = \"json\"\nmax-events = 100\nquiet = true\ndefine = [\"A=1\", \"B\"]\n",
    );
    assert!(place.run(&["check", "a.c"]).1.starts_with('{'));
    assert_eq!(
        last_line(&place.run(&["check", "--format", "human", "a.c"]).1),
        "true"
    );
    let output = place
        .command(&["check", "a.c"])
        .env("SELVEDGE_FORMAT", "junit")
        .output()
        .unwrap();
    assert!(output.stdout.starts_with(b"<?xml"));
    place.write("selvedge.toml", "speed = 3\n");
    let (code, _, err) = place.run(&["check", "a.c"]);
    assert_eq!(code, 1);
    assert!(err.contains("speed"), "{err}");
    place.write("selvedge.toml", "[");
    assert_eq!(place.run(&["check", "a.c"]).0, 1);
}

#[test]
fn standard_input_and_files_are_those_given() {
    const READS: &str = "#include <assert.h>\n#include <stdio.h>\n#include <string.h>\nint main(void) {\n\
        char a[8] = \"\", b[8] = \"\";\n    scanf(\"%7s\", a);\n    FILE *f = fopen(\"data/x\", \"r\");\n\
        if (f) fgets(b, 8, f);\n    fopen(\"made\", \"w\");\n    assert(strcmp(a, \"one\") || strcmp(b, \"two\"));\n    return 0;\n}\n";
    let place = Place::new("given");
    place.write("reads.c", READS);
    place.write("1", "one\n");
    place.write("2", "two");
    let given = ["--stdin", "1", "--file", "data/x=2"];
    let (code, out, _) = place.run(&[&["check", "-q", "reads.c"], &given[..]].concat());
    assert_eq!((code, last_line(&out)), (10, "false(unreach-call)"), "{out}");
    let (code, out, _) = place.run(&["replay", "FINDING.json"]);
    assert_eq!(code, 10, "{out}");
    for fewer in [&given[..2], &given[2..], &[]] {
        let (code, out, _) = place.run(&[&["check", "-q", "--finding", "none", "reads.c"], fewer].concat());
        assert_eq!((code, last_line(&out)), (0, "true"), "{out}");
    }
    let (code, _, err) = place.run(&["check", "--stdin", "missing", "reads.c"]);
    assert!(code == 1 && err.contains("cannot read missing"), "{err}");
    // What the program writes stays in the model.
    assert_eq!(place.names(), ["1", "2", "FINDING.json", "reads.c"]);
}

#[test]
fn a_directory_is_copied_with_all_that_is_in_it() {
    const READS: &str = "#include <assert.h>\n#include <dirent.h>\n#include <stdio.h>\n#include <string.h>\nint main(void) {\n\
        char all[64] = \"\", text[8] = \"\";\n    struct dirent *e;\n    DIR *d = opendir(\"data\");\n    FILE *f = fopen(\"data/in/link\", \"r\");\n\
        while (d && (e = readdir(d))) if (e->d_name[0] != '.') strcat(all, e->d_name);\n    if (f) fgets(text, 8, f);\n\
        assert(strcmp(all, \"ainz\") || strcmp(text, \"two\"));\n    return 0;\n}\n";
    let place = Place::new("directory");
    place.write("reads.c", READS);
    std::fs::create_dir_all(place.0.join("tree/in")).unwrap();
    place.write("tree/z", "");
    place.write("tree/a", "two");
    std::os::unix::fs::symlink("../a", place.0.join("tree/in/link")).unwrap();
    let (code, out, _) = place.run(&["check", "-q", "--dir", "tree=data", "reads.c"]);
    assert_eq!((code, last_line(&out)), (10, "false(unreach-call)"), "{out}");
    let (code, out, _) = place.run(&["replay", "FINDING.json"]);
    assert_eq!(code, 10, "{out}");
    let (code, out, _) = place.run(&["check", "--finding", "none", "--dir", "tree", "reads.c"]);
    assert_eq!((code, last_line(&out)), (0, "true"), "{out}");
    assert!(
        out.contains("the entries of a directory come in the order"),
        "{out}"
    );
    std::os::unix::fs::symlink("/etc", place.0.join("tree/out")).unwrap();
    let refused = [
        (["--dir", "tree"], "tree/out: a symbolic link"),
        (["--dir", "missing"], "cannot read missing"),
        (["--dir", "reads.c"], "cannot read reads.c"),
    ];
    for (given, why) in refused {
        let (code, _, err) = place.run(&[&["check", "reads.c"], &given[..]].concat());
        assert!(code == 1 && err.contains(why), "{err}");
    }
    let (code, _, err) = place.run(&["check", "--file", "x=reads.c", "--file", "x/y=reads.c", "reads.c"]);
    assert!(code != 0 && err.contains("`x/y`"), "{code} {err}");
}

#[test]
fn a_closed_pipe_is_no_mistake_of_ours() {
    let place = Place::new("pipe");
    place.write("race.c", RACE);
    let script = format!(
        "{} check --verbose --finding none race.c | true",
        Path::new(env!("CARGO_BIN_EXE_selvedge")).display()
    );
    let output = Command::new("sh")
        .args(["-c", &script])
        .current_dir(&place.0)
        .output()
        .unwrap();
    let err = String::from_utf8_lossy(&output.stderr);
    assert!(
        !err.contains("panicked") && !err.contains("internal error"),
        "{err}"
    );
}

#[test]
fn solve_decides_a_query() {
    let place = Place::new("solve");
    let query = |bound: &str| {
        format!(
            "(declare-const i_0_0_0 (_ BitVec 8))\n(declare-const i_0_1_0 (_ BitVec 8))\n\
             (assert (bvult i_0_0_0 i_0_1_0))\n(assert (bvult i_0_1_0 {bound}))\n(check-sat)\n"
        )
    };
    place.write("sat.smt2", &query("#x03"));
    place.write("unsat.smt2", &query("#x01"));
    place.write("bad.smt2", "(assert (frobnicate");
    for backend in ["both", "bits", "z3"] {
        let (code, out, _) = place.run(&["solve", "sat.smt2", "--backend", backend]);
        assert_eq!((code, out.lines().next()), (0, Some("sat")), "{backend}");
        assert!(
            out.contains("(define-fun i_0_1_0 () (_ BitVec 8) #b000000"),
            "{out}"
        );
        let (code, out, _) = place.run(&["solve", "unsat.smt2", "--backend", backend]);
        assert_eq!((code, out.as_str()), (0, "unsat\n"), "{backend}");
    }
    let (code, out, err) = place.run(&["solve", "bad.smt2"]);
    assert_eq!((code, out.as_str()), (2, ""));
    assert!(err.contains("bad.smt2: line 1"), "{err}");
    assert_eq!(place.run(&["solve", "none.smt2"]).0, 2);
    assert_eq!(place.run(&["solve", "sat.smt2", "--layers", "cache,cash"]).0, 1);
    let (code, out, _) = place.run(&["solve", "unsat.smt2", "--layers", "cross-check"]);
    assert_eq!((code, out.as_str()), (0, "unsat\n"));
}

/// Without spurious wakeups, a verdict says so of each kind of wait.
#[test]
fn an_excluded_spurious_wakeup_is_an_assumption() {
    let place = Place::new("spurious");
    let text = "waits on condition variables and futexes end only when signalled (--spurious-wakeups off)";
    for (program, waits) in [
        ("futex_of_other_words.c", true),
        ("cond_predicate_loop.c", true),
        ("mutex_errorcheck.c", false),
    ] {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../corpus/c/safe/").to_owned() + program;
        let arguments = ["check", "--spurious-wakeups", "off", "--finding", "none", &path];
        let (code, output, errors) = place.run(&arguments);
        assert_eq!(code, 0, "{program}: {output}{errors}");
        assert_eq!(
            output.contains(text) || errors.contains(text),
            waits,
            "{program}: {output}{errors}"
        );
    }
}

#[test]
fn facts_name_threads_and_locks() {
    let place = Place::new("threads");
    place.write(
        "two.c",
        "#include <pthread.h>\n\
         static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;\n\
         static int shared;\n\
         static void *work(void *arg) {\n\
         \u{20}   pthread_mutex_lock(&m);\n\
         \u{20}   shared++;\n\
         \u{20}   pthread_mutex_unlock(&m);\n\
         \u{20}   return arg;\n\
         }\n\
         int main(void) {\n\
         \u{20}   pthread_t t[2];\n\
         \u{20}   for (int i = 0; i < 2; i++) pthread_create(&t[i], 0, work, 0);\n\
         \u{20}   for (int i = 0; i < 2; i++) pthread_join(t[i], 0);\n\
         \u{20}   return shared;\n\
         }\n",
    );
    let (code, text, err) = place.run(&["facts", "--what", "threads,locks", "two.c"]);
    assert_eq!(code, 0, "{err}");
    for line in [
        "work of two.c:12, perhaps more than one: all joined at two.c:13;",
        "b0.2 two.c:6 holds m\n",
        "beside the first thread, work of two.c:12\n",
        "b10.0 two.c:14 to b10.2 two.c:14 beside -\n",
    ] {
        assert!(text.contains(line), "{line} in {text}");
    }
}

/// A program of which nothing can go on is verified, but hardly what somebody wanted to know.
#[test]
fn assumptions_that_stop_every_execution_are_said() {
    let place = Place::new("assumed");
    let program = |condition: &str, end: &str| {
        format!(
            "extern void __VERIFIER_assume(int); extern int __VERIFIER_nondet_int(void);\n\
             #include <pthread.h>\n\
             static void *work(void *arg) {{ __VERIFIER_assume({condition}); return arg; }}\n\
             int main(void) {{ pthread_t t; pthread_create(&t, 0, work, 0); {end} }}\n"
        )
    };
    let (join, exit) = ("pthread_join(t, 0); return 0;", "pthread_exit(0);");
    let cases = [
        ("0", join, true),
        ("0", exit, true),
        ("1", join, false),
        ("__VERIFIER_nondet_int() == 3", join, false),
        ("__VERIFIER_nondet_int() == 3", exit, false),
    ];
    for (condition, end, warns) in cases {
        place.write("assumed.c", &program(condition, end));
        for strategy in ["auto", "dpor", "stateful"] {
            let (code, stdout, stderr) = place.run(&["check", "assumed.c", "--strategy", strategy]);
            assert_eq!(
                (code, last_line(&stdout)),
                (0, "true"),
                "{condition} {end} {stderr}"
            );
            let says = stderr.contains("no execution came to the end of the program");
            assert_eq!(says, warns, "{condition} {end} {strategy}: {stderr}");
        }
    }
}

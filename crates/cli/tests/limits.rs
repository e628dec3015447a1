//! Limits hold wherever a run is: each program below keeps the checker busy in another place. The
//! bounds are generous, since the machine may be; what a run takes beyond its limit is printed
//! (`--nocapture`).

use std::os::unix::process::ExitStatusExt;
use std::path::PathBuf;
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

/// What a loaded machine may add to any bound.
const SLACK: Duration = Duration::from_secs(4);

/// A directory of its own for one test, removed at the end.
struct Place(PathBuf);

impl Place {
    fn new(name: &str) -> Place {
        let path = std::env::temp_dir().join(format!("selvedge-limits-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        Place(path)
    }

    fn write(&self, name: &str, text: &str) {
        std::fs::write(self.0.join(name), text).unwrap();
    }

    fn check(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_selvedge"));
        command.args(["check", "--progress", "never"]);
        command.args(arguments).current_dir(&self.0);
        command
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        command
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Exit code 5 and a last line that is a verdict for this reason.
fn is_unknown(output: &Output, reason: &str) {
    let (out, err) = (text(&output.stdout), text(&output.stderr));
    let last = out.lines().last().unwrap_or_default();
    assert_eq!(output.status.code(), Some(5), "{out}\n{err}");
    assert!(last.starts_with(&format!("unknown({reason}")), "{out}\n{err}");
    assert!(!err.contains("panicked"), "{err}");
}

/// The same for the limit of time, or that of instructions within one step.
fn ends_early(output: &Output) {
    match text(&output.stdout).contains("\nunknown(steps") {
        true => is_unknown(output, "steps"),
        false => is_unknown(output, "time"),
    }
}

/// Runs with a limit of time, which is kept.
fn in_time(name: &str, program: &str, options: &[&str]) -> Output {
    let place = Place::new(name);
    place.write("a.c", program);
    let started = Instant::now();
    let output = place
        .check(options)
        .args(["--max-time", "2", "--finding", "none", "a.c"])
        .output()
        .unwrap();
    let took = started.elapsed();
    println!(
        "{name}: {took:.2?} of 2 s: {}",
        text(&output.stdout).lines().last().unwrap_or("")
    );
    assert!(took < Duration::from_secs(3) + SLACK, "{took:?}");
    output
}

#[test]
fn time_is_kept_within_one_step() {
    let plain = "int main(void) { unsigned x = 1; for (;;) x = x * 3 + 1; }\n";
    // A fast machine comes to the limit of instructions within a step before.
    ends_early(&in_time("plain", plain, &[]));
    let calls = "static unsigned f(unsigned x) { return x * 3 + 1; }\n\
        int main(void) { unsigned x = 1; for (;;) x = f(x); }\n";
    ends_early(&in_time("calls", calls, &[]));
    let copies = "#include <string.h>\nstatic char a[1 << 26], b[1 << 26];\n\
        int main(void) { for (;;) memcpy(a, b, sizeof a); }\n";
    is_unknown(&in_time("copies", copies, &[]), "time");
    let prints = "#include <stdio.h>\nint main(void) { for (long i = 0;; i++) printf(\"%ld a line of some length\\n\", i); }\n";
    is_unknown(&in_time("prints", prints, &[]), "time");
    let recurses = "#include <string.h>\n\
        static int r(int n) { char b[4000]; memset(b, n, sizeof b); return n == 0 ? 0 : r(n - 1) + b[5]; }\n\
        static volatile unsigned rounds;\n\
        int main(void) { int s = 0; for (;; rounds++) s += r(9000); }\n";
    is_unknown(&in_time("recurses", recurses, &[]), "time");
}

#[test]
fn time_is_kept_by_every_strategy() {
    let spins = "#include <stdatomic.h>\natomic_int x;\nint main(void) { while (x != 42) ; }\n";
    for strategy in ["auto", "dpor", "unfold", "stateful", "random", "pct"] {
        let output = in_time(strategy, spins, &["--strategy", strategy, "--cutoffs", "off"]);
        let code = output.status.code();
        assert_eq!(code, Some(5), "{strategy}: {}", text(&output.stdout));
    }
}

#[test]
fn time_is_kept_on_symbolic_values() {
    let grows = "unsigned __VERIFIER_nondet_uint(void); void abort(void);\n\
        int main(void) { unsigned x = __VERIFIER_nondet_uint(), y = x;\n\
        for (int i = 0; i < 100000000; i++) y = y * x + (y >> 3) ^ i; if (y == 5) abort(); return 0; }\n";
    is_unknown(&in_time("grows", grows, &[]), "time");
    // One query after 30 products: bit-blasting, then the SAT solver, then Z3.
    let hard = "unsigned long __VERIFIER_nondet_ulong(void); void abort(void);\n\
        int main(void) { unsigned long x = __VERIFIER_nondet_ulong(), y = __VERIFIER_nondet_ulong();\n\
        if (x > 1 && y > 1 && x < y && x * y == 1000000016000000063UL && x % 3 == 2) abort(); return 0; }\n";
    for layers in [
        "split,trivial",
        "split,trivial,domain,independence,cache,validate",
    ] {
        let output = in_time("hard", hard, &["--solver-layers", layers]);
        assert!(
            matches!(output.status.code(), Some(0 | 5 | 10)),
            "{}",
            text(&output.stderr)
        );
    }
    let paths = "int __VERIFIER_nondet_int(void); void abort(void);\n\
        int main(void) { int s = 0; for (int i = 0; i < 40; i++) { int x = __VERIFIER_nondet_int(); if (x > i) s += x * x; else s ^= x * 3; }\n\
        if (s == 77) abort(); return 0; }\n";
    let output = in_time("paths", paths, &[]);
    assert!(
        matches!(output.status.code(), Some(5 | 10)),
        "{}",
        text(&output.stderr)
    );
}

/// The same, and nothing had to be ended for not looking at the limit.
fn reacts(name: &str, program: &str, options: &[&str]) {
    let out = text(&in_time(name, program, options).stdout);
    assert!(out.contains("--max-time of 2 s"), "{name} ended too early: {out}");
    assert!(!out.contains("did not react"), "{name}: {out}");
}

#[test]
fn time_is_kept_where_long_executions_are_looked_through() {
    let begin = "#include <pthread.h>\n#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n#include <time.h>\n\
        static const struct timespec later = { 1, 0 }; static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;\n\
        static pthread_cond_t c = PTHREAD_COND_INITIALIZER;\n";
    // The thread is blocked at the end: what it could have done before each of main's sections.
    let polls = "static void *f(void *p) { pthread_mutex_lock(&m); for (;;) pthread_cond_wait(&c, &m); return p; }\n\
        int main(void) { pthread_t t; pthread_create(&t, 0, f, 0); pthread_mutex_lock(&m);\n\
        for (;;) pthread_cond_timedwait(&c, &m, &later); return 0; }\n";
    let polls = format!("{begin}{polls}");
    reacts("polls", &polls, &["--strategy", "dpor", "--max-events", "60000"]);
    // What each event has to do with all others.
    let sections = "static void *f(void *p) { for (int i = 0; i < 100000; i++) { pthread_mutex_lock(&m); printf(\"%d\\n\", i); pthread_mutex_unlock(&m); } return p; }\n\
        int main(void) { pthread_t t; pthread_create(&t, 0, f, 0); f(0); pthread_join(t, 0); return 0; }\n";
    let sections = format!("{begin}{sections}");
    reacts(
        "sections",
        &sections,
        &["--strategy", "unfold", "--max-events", "60000"],
    );
    // One call of a library function.
    let copies = "int main(void) { char *p = malloc(100000001); memset(p, 'a', 100000000); p[100000000] = 0;\n\
        for (;;) { char *q = strdup(p); if (strcmp(p, q)) abort(); free(q); } }\n";
    reacts("strings", &format!("{begin}{copies}"), &[]);
}

/// A header that clang reads for a long time: macros that double 2^40 times.
const SLOW_HEADER: &str = "#define A(x) B(B(B(B(x))))\n#define B(x) C(C(C(C(x))))\n#define C(x) D(D(D(D(x))))\n\
    #define D(x) E(E(E(E(x))))\n#define E(x) F(F(F(F(x))))\n#define F(x) x + x + x + x\n\
    int main(void) { return A(1); }\n";

fn living_clangs(place: &Place) -> usize {
    let at = place.0.to_string_lossy().into_owned();
    let all = std::fs::read_dir("/proc").unwrap().flatten();
    all.filter(|process| {
        let is_there =
            std::fs::read_link(process.path().join("cwd")).is_ok_and(|cwd| cwd.to_string_lossy() == at);
        let line = std::fs::read(process.path().join("cmdline")).unwrap_or_default();
        is_there && text(&line).contains("clang")
    })
    .count()
}

fn until(what: impl Fn() -> bool) {
    let started = Instant::now();
    while !what() {
        assert!(
            started.elapsed() < Duration::from_secs(20),
            "it does not come to that"
        );
        std::thread::sleep(Duration::from_millis(10));
    }
}

#[test]
fn time_is_kept_by_the_compiler() {
    is_unknown(&in_time("compiler", SLOW_HEADER, &[]), "time");
}

#[test]
fn the_compiler_dies_with_us() {
    let place = Place::new("dies");
    place.write("a.c", SLOW_HEADER);
    let mut child = place.check(&["a.c"]).spawn().unwrap();
    until(|| living_clangs(&place) > 0);
    child.kill().unwrap(); // SIGKILL: nothing of ours runs any more
    child.wait().unwrap();
    until(|| living_clangs(&place) == 0);
}

fn signal(child: &Child, name: &str) {
    let id = child.id().to_string();
    assert!(
        Command::new("kill")
            .args(["-s", name, &id])
            .status()
            .unwrap()
            .success()
    );
}

/// One step that never ends, and comes to no limit of instructions for minutes.
const ENDLESS: &str = "#include <string.h>\nstatic char a[1 << 16], b[1 << 16];\n\
    int main(void) { for (;;) memcpy(a, b, sizeof a); }\n";

#[test]
fn signals_end_a_run_with_its_verdict() {
    for name in ["INT", "TERM", "HUP"] {
        for (program, slow) in [(ENDLESS, false), (SLOW_HEADER, true)] {
            let place = Place::new(&format!("signal-{name}-{slow}"));
            place.write("a.c", program);
            let child = place.check(&["a.c"]).spawn().unwrap();
            std::thread::sleep(Duration::from_millis(700));
            signal(&child, name);
            let told = Instant::now();
            let output = child.wait_with_output().unwrap();
            println!("SIG{name}: {:.2?}", told.elapsed());
            assert!(told.elapsed() < Duration::from_secs(1) + SLACK);
            is_unknown(&output, "interrupted");
        }
    }
}

#[test]
fn the_second_signal_ends_it_at_once() {
    let place = Place::new("twice");
    place.write("a.c", ENDLESS);
    let mut command = place.check(&["--max-time", "60", "a.c"]);
    let child = command.env("SELVEDGE_TEST_DEAF", "exploring").spawn().unwrap();
    std::thread::sleep(Duration::from_millis(700));
    signal(&child, "INT");
    std::thread::sleep(Duration::from_millis(100));
    signal(&child, "INT");
    let told = Instant::now();
    is_unknown(&child.wait_with_output().unwrap(), "interrupted");
    assert!(told.elapsed() < SLACK);
}

#[test]
fn ignored_signals_stay_ignored() {
    let place = Place::new("nohup");
    place.write("a.c", ENDLESS);
    let shell = format!(
        "trap '' HUP; exec {} check --max-time 3 a.c",
        env!("CARGO_BIN_EXE_selvedge")
    );
    let mut nohup = Command::new("sh");
    nohup
        .args(["-c", &shell])
        .current_dir(&place.0)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let child = nohup.spawn().unwrap();
    std::thread::sleep(Duration::from_millis(700));
    signal(&child, "HUP");
    is_unknown(&child.wait_with_output().unwrap(), "time");
}

/// The most memory that was resident, from the report.
fn peak(output: &Output) -> u64 {
    let out = text(&output.stdout);
    let json: serde_json::Value = serde_json::from_str(&out).unwrap_or_else(|error| panic!("{error}: {out}"));
    json["statistics"]["peak_memory_bytes"].as_u64().unwrap()
}

#[test]
fn memory_is_kept_wherever_it_goes() {
    let programs = [
        (
            "heap",
            "#include <stdlib.h>\n#include <string.h>\nint main(void) { for (;;) { char *p = malloc(50000000); memset(p, 1, 50000000); } }\n",
        ),
        (
            "output",
            "#include <stdio.h>\nint main(void) { for (long i = 0;; i++) printf(\"%ld a line that is rather long and goes on and on and on\\n\", i); }\n",
        ),
        (
            "file",
            "#include <stdio.h>\nint main(void) { FILE *f = fopen(\"x\", \"w\"); for (long i = 0;; i++) fprintf(f, \"%ld a line that is rather long\\n\", i); }\n",
        ),
        (
            "expressions",
            "unsigned __VERIFIER_nondet_uint(void); void abort(void);\n\
             int main(void) { unsigned x = __VERIFIER_nondet_uint(), y = x;\n\
             for (int i = 0; i < 100000000; i++) y = y * x + (y >> 3) ^ i; if (y == 5) abort(); return 0; }\n",
        ),
    ];
    for (name, program) in programs {
        let place = Place::new(&format!("memory-{name}"));
        place.write("a.c", program);
        let most: u64 = 250 << 20;
        let mut command = place.check(&[
            "--max-memory",
            "250M",
            "--max-time",
            "40",
            "--format",
            "json",
            "a.c",
        ]);
        let output = command.output().unwrap();
        let out = text(&output.stdout);
        println!("{name}: {} MiB of 250", peak(&output) >> 20);
        assert_eq!(output.status.code(), Some(5), "{out}");
        assert!(
            out.contains("\"kind\": \"memory\"") || out.contains("\"kind\": \"time\""),
            "{out}"
        );
        assert!(
            peak(&output) < most + most / 10,
            "{name}: {} MiB",
            peak(&output) >> 20
        );
    }
}

#[test]
fn a_system_without_memory_gets_a_verdict() {
    let place = Place::new("ulimit");
    place.write(
        "a.c",
        "#include <stdlib.h>\n#include <string.h>\nint main(void) { for (;;) { char *p = malloc(50000000); memset(p, 1, 50000000); } }\n",
    );
    // Large tables grow in one allocation that the system refuses; else it is the small ones that
    // find nothing left. 1300: an allocator that reserves 1 GiB leaves nothing for LLVM.
    for (mebibytes, jobs) in [(1000, "1"), (1300, "1"), (1800, "2")] {
        let shell = format!(
            "ulimit -v {}; exec {} check --jobs {jobs} --max-time 100 a.c",
            mebibytes * 1024,
            env!("CARGO_BIN_EXE_selvedge")
        );
        let output = Command::new("sh")
            .args(["-c", &shell])
            .current_dir(&place.0)
            .output()
            .unwrap();
        assert_eq!(output.status.signal(), None, "{}", text(&output.stderr));
        is_unknown(&output, "memory");
    }
}

#[test]
fn a_place_that_does_not_react_is_ended() {
    let race = "#include <pthread.h>\nint x;\nstatic void *f(void *p) { x++; return p; }\n\
        int main(void) { pthread_t t; pthread_create(&t, 0, f, 0); x++; pthread_join(t, 0); return 0; }\n";
    for (deaf, program, code) in [
        ("loading", ENDLESS, 5),
        ("preparing", ENDLESS, 5),
        ("exploring", ENDLESS, 5),
        ("concluding", race, 10), // what was found is not lost
    ] {
        let place = Place::new(&format!("deaf-{deaf}"));
        place.write("a.c", program);
        let started = Instant::now();
        let output = place
            .check(&["--max-time", "2", "--finding", "F.json", "a.c"])
            .env("SELVEDGE_TEST_DEAF", deaf)
            .output()
            .unwrap();
        let (took, out) = (started.elapsed(), text(&output.stdout));
        println!("{deaf}: {took:.2?} of 2 s: {}", out.lines().last().unwrap_or(""));
        assert!(
            took >= Duration::from_secs(2) && took < Duration::from_secs(3) + SLACK,
            "{took:?}"
        );
        assert_eq!(output.status.code(), Some(code), "{deaf}: {out}");
        if code == 5 {
            is_unknown(&output, "time");
            assert!(out.contains("did not react"), "{out}");
        } else {
            assert!(
                out.ends_with("false(no-data-race)\n") && out.contains("not replayed"),
                "{out}"
            );
            assert!(!place.0.join("F.json").exists(), "it has no schedule");
        }
    }
}

#[test]
fn what_cannot_be_written_is_said() {
    let place = Place::new("full");
    place.write("safe.c", "int main(void) { return 0; }\n");
    place.write(
        "fails.c",
        "#include <assert.h>\nint main(void) { assert(0); return 0; }\n",
    );
    let run = |shell: &str| {
        let tool = env!("CARGO_BIN_EXE_selvedge");
        let shell = format!("tool={tool}; {shell}");
        let output = Command::new("bash")
            .args(["-c", &shell])
            .current_dir(&place.0)
            .output()
            .unwrap();
        (output.status.code(), text(&output.stdout), text(&output.stderr))
    };
    for file in ["safe.c", "fails.c"] {
        for form in ["human", "json", "sarif", "junit"] {
            let tool = format!("$tool check --format {form} --finding none {file}");
            for (shell, cause) in [
                (format!("{tool} -o /dev/full"), "No space left"),
                (format!("{tool} >/dev/full"), "No space left"),
                (format!("{tool} >&-"), "standard output is closed"),
                (
                    format!("{tool} | head -c0 >/dev/null; exit ${{PIPESTATUS[0]}}"),
                    "",
                ),
            ] {
                let (code, _, err) = run(&shell);
                assert!(!err.contains("panicked"), "{shell}: {err}");
                if cause.is_empty() {
                    // `head` may be gone before anything is written, or not.
                    assert!(matches!(code, Some(0 | 2 | 10)), "{shell}: {code:?} {err}");
                } else {
                    assert!(code == Some(2) && err.contains(cause), "{shell}: {code:?} {err}");
                }
            }
        }
    }
    // The report has the finding: that it cannot be saved does not change what it is.
    let (code, out, err) = run("$tool check --finding /dev/full fails.c");
    assert!(
        code == Some(10) && out.ends_with("false(unreach-call)\n"),
        "{code:?} {out} {err}"
    );
    assert!(err.contains("the finding is not saved: /dev/full"), "{err}");
    let (code, _, err) = run("$tool check --coverage=/dev/full safe.c");
    assert!(code == Some(2) && err.contains("No space left"), "{code:?} {err}");
    let (code, _, err) =
        run("$tool check --finding F.json fails.c >/dev/null; $tool replay F.json >/dev/full");
    assert!(code == Some(2) && err.contains("No space left"), "{code:?} {err}");
}

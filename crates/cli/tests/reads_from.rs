//! `--strategy reads-from` on C programs: how many executions there are, that the last writes
//! count, what is handed over to `unfold`, with the reason, and when `auto` uses it.

use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Command;

/// What a check says.
struct Checked {
    verdict: String,
    strategy: String,
    executions: u64,
    /// The number of events of all explorations.
    all_events: u64,
    /// What took turns with it, with the work of each.
    also: Vec<(String, u64)>,
    /// What was said beside the report.
    notes: String,
}

fn check(program: &Path, options: &[&str]) -> Checked {
    check_by("reads-from", program, options)
}

fn check_by(strategy: &str, program: &Path, options: &[&str]) -> Checked {
    let fixed = [
        "check",
        "--strategy",
        strategy,
        "--format",
        "json",
        "--finding",
        "none",
    ];
    let output = Command::new(env!("CARGO_BIN_EXE_selvedge"))
        .args(fixed)
        .args(options)
        .arg(program)
        .output()
        .expect("the command runs");
    let notes = String::from_utf8_lossy(&output.stderr).into_owned();
    let json: Value =
        serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {notes}"));
    Checked {
        verdict: json["verdict"].as_str().unwrap_or_default().to_owned(),
        strategy: json["strategy"].as_str().unwrap_or_default().to_owned(),
        executions: json["statistics"]["executions"].as_u64().unwrap_or_default(),
        all_events: json["statistics"]["all_events"].as_u64().unwrap_or_default(),
        also: json["also"].as_array().into_iter().flatten().map(turns).collect(),
        notes,
    }
}

fn turns(of: &Value) -> (String, u64) {
    let strategy = of["strategy"].as_str().unwrap_or_default();
    (strategy.to_owned(), of["work"].as_u64().unwrap_or_default())
}

#[test]
fn one_execution_for_each_class() {
    let programs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../benches/lockfree");
    for (program, size, executions) in [
        ("lastwriter", "-DN=5", 5),
        ("sigma", "-DN=4", 64),
        ("ticket_lock", "-DN=3", 6),
        ("cas_rotation", "-DN=5", 43),
    ] {
        let checked = check(&programs.join(program).with_extension("c"), &[size]);
        assert_eq!(
            (
                checked.verdict.as_str(),
                checked.strategy.as_str(),
                checked.executions
            ),
            ("verified", "reads-from", executions),
            "{program}: {}",
            checked.notes
        );
    }
}

/// A program in a file of its own, which is removed at the end.
struct Written(PathBuf);

impl Written {
    fn new(name: &str, main: &str) -> Written {
        let text = format!(
            "#include <assert.h>\n#include <pthread.h>\n#include <stdatomic.h>\n#include <string.h>\n\
             static atomic_int x, y;\nstatic pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;\n\
             static pthread_cond_t c = PTHREAD_COND_INITIALIZER;\n{main}"
        );
        let file = format!("selvedge-reads-{name}-{}.c", std::process::id());
        let path = std::env::temp_dir().join(file);
        std::fs::write(&path, text).expect("the program is written");
        Written(path)
    }
}

impl Drop for Written {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

const TWO_WRITERS: &str = "static void *one(void *p) { x = 1; return p; }\n\
    static void *two(void *p) { x = 2; return p; }\n\
    static void both(void)\n{\n    pthread_t a, b;\n    pthread_create(&a, 0, one, 0);\n    pthread_create(&b, 0, two, 0);\n\
    pthread_join(a, 0);\n    pthread_join(b, 0);\n}\n";

/// Nothing orders the two writes but what is read when both threads have been joined.
#[test]
fn who_reads_alone_reads_each_last_write() {
    for (name, value, verdict) in [
        ("first", 1, "violated"),
        ("second", 2, "violated"),
        ("none", 0, "verified"),
    ] {
        let main = format!("{TWO_WRITERS}int main(void) {{ both(); assert(x != {value}); return 0; }}\n");
        let program = Written::new(name, &main);
        let checked = check(&program.0, &[]);
        assert_eq!(
            (checked.verdict.as_str(), checked.strategy.as_str()),
            (verdict, "reads-from"),
            "{value}: {}",
            checked.notes
        );
    }
}

#[test]
fn what_is_not_covered_is_handed_over() {
    let timed = "int main(void)\n{\n    struct timespec t = {1, 0};\n    pthread_mutex_lock(&m);\n\
        pthread_cond_timedwait(&c, &m, &t);\n    pthread_mutex_unlock(&m);\n    return 0;\n}\n";
    let unseen = |value: u32| {
        format!(
            "{TWO_WRITERS}int main(void) {{ int v; both(); memcpy(&v, (void *)&x, 4); assert(v != {value}); return 0; }}\n"
        )
    };
    for (name, main, options, verdict, reason) in [
        (
            "timed",
            timed.to_owned(),
            &[][..],
            "verified",
            "waits that may time out",
        ),
        ("unseen1", unseen(1), &[], "violated", "plain reads of variables"),
        ("unseen2", unseen(2), &[], "violated", "plain reads of variables"),
        (
            "leaks",
            format!("{TWO_WRITERS}int main(void) {{ both(); return 0; }}\n"),
            &["--property", "leak"],
            "verified",
            "properties of the last values of variables",
        ),
    ] {
        let program = Written::new(name, &main);
        let checked = check(&program.0, options);
        let note = format!("--strategy reads-from does not cover {reason}");
        assert!(checked.notes.contains(&note), "{name}: {}", checked.notes);
        assert_eq!(
            (checked.verdict.as_str(), checked.strategy.as_str()),
            (verdict, "unfold"),
            "{name}"
        );
    }
}

fn lock_free(program: &str) -> PathBuf {
    let programs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../benches/lockfree");
    programs.join(program).with_extension("c")
}

/// Where threads write the same variable, and as much is left after the first turn of `unfold`.
#[test]
fn auto_uses_it_where_the_order_of_writes_is_not_read() {
    for (program, size, strategy) in [
        ("lastwriter", "-DN=9", "reads-from"),
        ("sigma", "-DN=5", "reads-from"),
        ("lastwriter", "-DN=4", "unfold"),
        ("readers", "-DN=9", "stateful"),
        ("cas_counter", "-DN=5", "stateful"),
    ] {
        let [one, two] =
            ["1", "2"].map(|jobs| check_by("auto", &lock_free(program), &[size, "--jobs", jobs]));
        let what = |checked: &Checked| (checked.verdict.clone(), checked.strategy.clone());
        assert_eq!(
            what(&one),
            ("verified".to_owned(), strategy.to_owned()),
            "{program}"
        );
        assert_eq!(what(&two), what(&one), "{program}");
        assert_eq!(
            (two.executions, two.all_events, &two.also),
            (one.executions, one.all_events, &one.also),
            "{program}: the same with any number of jobs"
        );
    }
}

/// Another search decides, and nothing is said.
#[test]
fn auto_goes_on_where_it_does_not_cover_the_program() {
    let main = "static union { atomic_int all; _Atomic char part; } u;\n\
        static void *work(void *p) { u.all = (int)(long)p; return p; }\n\
        int main(void)\n{\n    pthread_t t[7];\n    for (long i = 0; i < 7; i++)\n\
        pthread_create(&t[i], 0, work, (void *)(i + 1));\n\
        for (int i = 0; i < 7; i++)\n        pthread_join(t[i], 0);\n\
        assert(u.part VALUE);\n    return 0;\n}\n";
    for (name, condition, verdict) in [("sizes", ">= 1", "verified"), ("last", "!= 7", "violated")] {
        let program = Written::new(name, &main.replace("VALUE", condition));
        let alone = check(&program.0, &[]);
        assert!(alone.notes.contains("different sizes"), "{name}: {}", alone.notes);
        let checked = check_by("auto", &program.0, &[]);
        assert_eq!(checked.verdict, verdict, "{name}: {}", checked.notes);
        assert_ne!(checked.strategy, "reads-from", "{name}");
        assert!(!checked.notes.contains("reads-from"), "{name}: {}", checked.notes);
    }
}

/// Rounds of a wait are left out only if nobody can tell them apart.
#[test]
fn whoever_tries_a_lock_tells_rounds_of_a_wait_apart() {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus/endless/assertion");
    let program = corpus.join("rounds_told_by_trylock.c");
    let options = [
        "--spurious-wakeups",
        "on",
        "--property",
        "assertion",
        "--max-events",
        "30",
    ];
    for strategy in ["reads-from", "dpor"] {
        let checked = check_by(strategy, &program, &options);
        assert_eq!(checked.verdict, "violated", "{strategy}: {}", checked.notes);
    }
}

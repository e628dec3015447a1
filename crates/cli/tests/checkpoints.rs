//! Runs that are killed and gone on with say what an uninterrupted run says. The processes are real
//! ones, killed by SIGKILL at random moments.

use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

/// How often one run is killed at the most.
const KILLS: u32 = 8;
/// How often a run may be over before it could be killed.
const TRIES: u32 = 100;

/// A directory of its own for one test, removed at the end.
struct Place(PathBuf);

impl Place {
    fn new(name: &str) -> Place {
        let path = std::env::temp_dir().join(format!("selvedge-checkpoints-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        Place(path)
    }

    fn file(&self) -> PathBuf {
        self.0.join("checkpoint")
    }

    fn check(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_selvedge"));
        command.args([
            "check",
            "--progress",
            "never",
            "--finding",
            "none",
            "--format",
            "json",
        ]);
        // Checkpoints do not have it, so it must make no difference to what is not interrupted.
        command.env("SELVEDGE_SYMMETRY", "off");
        command.args(arguments).current_dir(&self.0);
        command
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        command
    }

    fn run(&self, arguments: &[&str]) -> Output {
        self.check(arguments).output().unwrap()
    }

    /// Runs with checkpoints, kills the process again and again, and goes on; the last output, and
    /// how often it was killed.
    fn killed(&self, arguments: &[&str], random: &mut u64) -> (Output, u32) {
        let file = self.file();
        let _ = std::fs::remove_file(&file);
        let mut kills = 0;
        loop {
            let mut command = self.check(arguments);
            command.args(["--checkpoint", "checkpoint", "--checkpoint-interval", "1ms"]);
            let before = std::fs::read(&file).ok();
            if before.is_some() {
                command.args(["--resume", "checkpoint"]);
            }
            let mut child = command.spawn().unwrap();
            let started = Instant::now();
            let over = loop {
                if child.try_wait().unwrap().is_some() || kills == KILLS {
                    break true;
                }
                assert!(started.elapsed() < Duration::from_secs(120), "{arguments:?}");
                // Only then is it further than the process before.
                if std::fs::read(&file).ok() != before {
                    break false;
                }
                std::thread::sleep(Duration::from_millis(1));
            };
            if !over {
                *random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                std::thread::sleep(Duration::from_micros(*random >> 49));
                if child.try_wait().unwrap().is_none() {
                    child.kill().unwrap();
                    child.wait().unwrap();
                    kills += 1;
                    continue;
                }
            }
            return (child.wait_with_output().unwrap(), kills);
        }
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// A program of the repository.
fn program(name: &str) -> String {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    root.join(name).canonicalize().unwrap().display().to_string()
}

/// What a report says, without what depends on the machine, on the number of processes, and, with
/// several workers, on who did what.
fn said(output: &Output, jobs: &str) -> Value {
    let text = String::from_utf8_lossy(&output.stdout);
    let errors = String::from_utf8_lossy(&output.stderr);
    let mut report: Value =
        serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error}: {text}\n{errors}"));
    let statistics = report["statistics"].as_object_mut().unwrap();
    statistics.retain(|name, _| {
        // Live counters and estimates are those of one process.
        let live = name.starts_with("all_") || name.starts_with("estimate");
        let work = live || name.starts_with("solver") || (jobs != "1" && name == "instructions");
        !work && !name.contains("seconds") && !name.contains("memory")
    });
    report.as_object_mut().unwrap().remove("solver");
    report["code"] = output.status.code().into();
    report
}

/// Compares runs of a program that are killed with one that is not.
fn holds(name: &str, options: &[&str], file: &str) {
    holds_at(&Place::new(name), name, options, &program(file));
}

/// The same for a program anywhere; leaves its last checkpoint.
fn holds_at(place: &Place, name: &str, options: &[&str], file: &str) {
    let mut random = name.bytes().fold(1, |sum, byte| sum * 31 + u64::from(byte));
    for jobs in ["1", "2"] {
        let mut arguments = options.to_vec();
        arguments.extend(["--jobs", jobs, file]);
        let whole = said(&place.run(&arguments), jobs);
        let was_killed = (0..TRIES).any(|_| {
            let (output, kills) = place.killed(&arguments, &mut random);
            println!("{name}, {jobs} jobs: killed {kills} times");
            assert_eq!(
                said(&output, jobs),
                whole,
                "{name}, {jobs} jobs, killed {kills} times"
            );
            kills > 0
        });
        assert!(was_killed, "{name} was always over before it could be killed");
    }
}

#[test]
fn a_verified_program() {
    holds("mutex", &["--strategy", "dpor", "-DN=8"], "benches/one_mutex.c");
}

#[test]
fn without_recall() {
    let options = ["--strategy", "dpor", "--recall", "off", "-DN=8"];
    holds("recall", &options, "benches/one_mutex.c");
}

#[test]
fn without_sleep_sets() {
    let options = ["--strategy", "dpor", "--sleep-sets", "off", "-DN=7"];
    holds("sleep", &options, "benches/one_mutex.c");
}

#[test]
fn all_findings() {
    let options = [
        "--strategy",
        "dpor",
        "--stop",
        "never",
        "--visibility",
        "memory",
        "-DN=5",
    ];
    holds("findings", &options, "benches/unprotected.c");
}

/// Races about which nobody asked: the exploration is made again with all accesses visible.
#[test]
fn an_exploration_that_begins_anew() {
    let options = ["--strategy", "dpor", "--property", "assertion", "-DN=5"];
    holds("anew", &options, "benches/unprotected.c");
}

#[test]
fn condition_variables() {
    holds(
        "conditions",
        &["--strategy", "dpor", "-DK=2"],
        "benches/producers_consumers.c",
    );
}

#[test]
fn inputs() {
    holds(
        "inputs",
        &["--strategy", "dpor", "--stop", "never"],
        "benches/maze.c",
    );
}

/// Threads that threads make get their memory on demand, and what is learned of the first execution
/// names addresses.
#[test]
fn threads_of_threads() {
    let place = Place::new("nested");
    let text = r#"
        #include <pthread.h>
        #include <stdlib.h>
        static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
        static int sum;
        static void *leaf(void *cell) {
            pthread_mutex_lock(&lock);
            sum += ++*(int *)cell;
            pthread_mutex_unlock(&lock);
            return 0;
        }
        static void *inner(void *unused) {
            int *cell = calloc(1, sizeof(int));
            pthread_mutex_t own = PTHREAD_MUTEX_INITIALIZER;
            pthread_t one;
            pthread_create(&one, 0, leaf, cell);
            pthread_mutex_lock(&own);
            pthread_mutex_unlock(&own);
            leaf(calloc(1, sizeof(int)));
            pthread_join(one, 0);
            return unused;
        }
        int main(void) {
            pthread_t threads[3];
            for (int i = 0; i < 3; i++)
                pthread_create(&threads[i], 0, inner, 0);
            for (int i = 0; i < 3; i++)
                pthread_join(threads[i], 0);
            return sum == 6 ? 0 : 1;
        }
    "#;
    std::fs::write(place.0.join("nested.c"), text).unwrap();
    holds_at(
        &place,
        "nested",
        &["--strategy", "dpor", "--stop", "never"],
        "nested.c",
    );
}

/// A mutex is destroyed while threads run: the exploration is made again, with each action an
/// event.
#[test]
fn without_parts_of_events() {
    let place = Place::new("stepping");
    let text = r#"
        #include <pthread.h>
        static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER, other = PTHREAD_MUTEX_INITIALIZER;
        static int sum;
        static void *add(void *unused) {
            pthread_mutex_lock(&lock);
            sum++;
            pthread_mutex_unlock(&lock);
            return unused;
        }
        int main(void) {
            pthread_t threads[6];
            for (int i = 0; i < 6; i++)
                pthread_create(&threads[i], 0, add, 0);
            add(0);
            pthread_mutex_destroy(&other);
            for (int i = 0; i < 6; i++)
                pthread_join(threads[i], 0);
            return 0;
        }
    "#;
    std::fs::write(place.0.join("stepping.c"), text).unwrap();
    holds_at(&place, "stepping", &["--strategy", "dpor"], "stepping.c");
    let last = std::fs::read_to_string(place.file()).unwrap();
    assert!(
        last.contains(r#""stepping":true"#),
        "the exploration was not spoiled"
    );
}

#[test]
fn samples() {
    for strategy in ["random", "pct"] {
        let options = ["--strategy", strategy, "--max-executions", "20000", "-DN=6"];
        holds(strategy, &options, "benches/one_mutex.c");
    }
}

/// The exit code, and what standard error says.
fn refused(output: &Output, code: i32, word: &str) {
    let text = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(code), "{text}");
    assert!(
        text.contains(word) && !text.contains("panicked"),
        "{word}: {text}"
    );
}

#[test]
fn what_does_not_go_together_is_wrong_usage() {
    let place = Place::new("usage");
    let file = program("benches/one_mutex.c");
    for arguments in [
        &["--strategy", "unfold", "--checkpoint", "checkpoint"][..],
        &["--strategy", "unfold", "--resume", "checkpoint"],
        &["--emit-tests", "cases", "--checkpoint", "checkpoint"],
        &["--checkpoint", "nowhere/checkpoint"],
        &["--checkpoint", "checkpoint", "--checkpoint-interval", "soon"],
    ] {
        let mut all = arguments.to_vec();
        all.extend(["-DN=2", &file]);
        refused(&place.run(&all), 1, "checkpoint");
    }
}

#[test]
fn a_checkpoint_of_something_else_is_refused() {
    let place = Place::new("refused");
    let file = program("benches/one_mutex.c");
    let run = |options: &[&str]| {
        let mut all = options.to_vec();
        all.push(&file);
        place.run(&all)
    };
    let resume = ["--resume", "checkpoint"];
    refused(&run(&["-DN=6", "--resume", "checkpoint"]), 2, "cannot be read");
    // The first checkpoint is written at once.
    let written = run(&["-DN=6", "--checkpoint", "checkpoint"]);
    assert_eq!(written.status.code(), Some(0));
    // Only work of dpor can be kept, so that is what suits.
    assert_eq!(said(&written, "2")["strategy"], "dpor");
    let with = |options: &[&str]| run(&[options, &resume].concat());
    assert_eq!(said(&with(&["-DN=6"]), "2"), said(&written, "2"));
    assert_eq!(with(&["-DN=6", "--jobs", "1"]).status.code(), Some(0));
    refused(&with(&["-DN=7"]), 2, "another define");
    refused(&with(&["-DN=6", "--stop", "never"]), 2, "another stop");
    refused(&with(&["-DN=6", "--strategy", "random"]), 2, "another strategy");
    refused(
        &with(&["-DN=6", "--visibility", "memory"]),
        2,
        "another visibility",
    );
    let source = std::fs::read_to_string(&file).unwrap();
    std::fs::write(
        place.0.join("changed.c"),
        source.replace("counter++", "counter += 2"),
    )
    .unwrap();
    refused(
        &place.run(&["-DN=6", "--resume", "checkpoint", "changed.c"]),
        2,
        "another program",
    );
    let text = std::fs::read(place.file()).unwrap();
    std::fs::write(place.file(), &text[..text.len() / 2]).unwrap();
    refused(&with(&["-DN=6"]), 2, "damaged");
    std::fs::write(place.file(), "selvedge-checkpoint 0 x\n{}\n").unwrap();
    refused(&with(&["-DN=6"]), 2, "another version");
    std::fs::write(place.file(), "what").unwrap();
    refused(&with(&["-DN=6"]), 2, "no checkpoint");
}

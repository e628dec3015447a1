//! Rust programs as they are, with the standard library: from the source to a verdict.

use selvedge_base::{turn, usual_or_long};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn corpus() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus/rust")
}

fn check(arguments: &[&str], program: &Path) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_selvedge"));
    command.args(["check", "--quiet", "--finding", "none"]);
    command.args(arguments).arg(program);
    command.output().unwrap()
}

fn last_line(output: &Output) -> String {
    let text = String::from_utf8_lossy(&output.stdout);
    text.lines().last().unwrap_or_default().to_owned()
}

/// Each program of a folder has this verdict. Every other one is tried, all with `SELVEDGE_LONG`.
fn all(folder: &str, verdict: &str) {
    let mut programs: Vec<PathBuf> = corpus()
        .join(folder)
        .read_dir()
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    programs.retain(|program| {
        let name = program.file_name().unwrap_or_default();
        turn(&name.to_string_lossy(), usual_or_long(2, 1)) == 0
    });
    assert!(!programs.is_empty());
    for program in programs {
        let output = check(&[], &program);
        assert_eq!(last_line(&output), verdict, "{program:?}: {output:?}");
    }
}

#[test]
fn safe_programs() {
    all("safe", "true");
}

#[test]
fn races() {
    all("race", "false(no-data-race)");
}

#[test]
fn deadlocks() {
    all("deadlock", "false(no-deadlock)");
}

#[test]
fn assertions() {
    all("assertion", "false(unreach-call)");
}

/// What people read of the check of a program. By one strategy: of several, which one finds it
/// first depends on time.
fn printed(program: &str) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_selvedge"))
        .args(["check", "--finding", "none", "--strategy", "unfold"])
        .arg(corpus().join(program))
        .output()
        .unwrap();
    String::from_utf8_lossy(&output.stdout).into_owned()
}

#[test]
fn places_are_the_programs_own() {
    let text = printed("assertion/read_then_written.rs");
    assert!(
        text.contains("assertion/read_then_written.rs:17:5") && text.contains("assert_eq!(counter"),
        "{text}"
    );
    assert!(text.contains("assertion `left == right` failed"), "{text}");
}

/// The first line of a report on a program whose `main` is this, and the place below it.
fn title(body: &str) -> String {
    let directory = tempfile::tempdir().unwrap();
    let program = directory.path().join("titled.rs");
    std::fs::write(&program, format!("fn main() {{\n{body}\n}}\n")).unwrap();
    let output = check(&["--strategy", "unfold"], &program);
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let mut lines = text.lines();
    let title = lines.next().unwrap_or_default().to_owned();
    let place = lines
        .next()
        .unwrap_or_default()
        .rsplit('/')
        .next()
        .unwrap_or_default()
        .to_owned();
    assert!(output.status.code() == Some(10), "{output:?}");
    format!("{title} @ {place}")
}

/// A panic is titled with its message, and is at the program's own place.
#[test]
fn panics_say_their_messages() {
    let panics = [
        ("panic!(\"lost {} of {}\", 1, 2);", "lost 1 of 2"),
        (
            "assert!(std::env::args().count() > 9);",
            "assertion failed: std::env::args().count() > 9",
        ),
        (
            "assert_eq!(std::hint::black_box(1), 2, \"no; none\");",
            "assertion `left == right` failed: no; none; left: 1; right: 2",
        ),
        (
            "std::hint::black_box(None::<u8>).unwrap();",
            "called `Option::unwrap()` on a `None` value",
        ),
        (
            "std::hint::black_box(Err::<u8, u8>(3)).unwrap();",
            "called `Result::unwrap()` on an `Err` value: 3",
        ),
        (
            "std::hint::black_box(vec![1])[2];",
            "index out of bounds: the len is 1 but the index is 2",
        ),
        (
            "let _ = std::hint::black_box(u8::MAX) + 1;",
            "attempt to add with overflow",
        ),
        (
            "let cell = std::cell::RefCell::new(1); let _a = cell.borrow_mut(); cell.borrow_mut();",
            "RefCell already borrowed",
        ),
        (
            "std::panic::set_hook(Box::new(|_| {})); panic!(\"unseen\");",
            "unseen",
        ),
        ("std::panic::panic_any(1);", "Box<dyn Any>"),
    ];
    for (body, message) in panics {
        let title = title(body);
        let expected = format!("error[assertion.abort]: panic: {message} @ titled.rs:2:");
        assert!(title.starts_with(&expected), "{title} instead of {expected}");
    }
    let aborts = title("std::process::abort();");
    assert!(
        aborts.starts_with("error[assertion.abort]: abort was called @ titled.rs:2:"),
        "{aborts}"
    );
}

/// Panics at two places are two findings.
#[test]
fn panics_at_two_places_are_told_apart() {
    let directory = tempfile::tempdir().unwrap();
    let program = directory.path().join("two.rs");
    let source = r#"
        extern "C" { fn __VERIFIER_nondet_int() -> i32; }
        fn main() {
            let n = unsafe { __VERIFIER_nondet_int() };
            assert!(n != 3, "three");
            if n > 7 {
                panic!("more than seven");
            }
        }
    "#;
    std::fs::write(&program, source).unwrap();
    let output = check(&["--stop", "never"], &program);
    let text = String::from_utf8_lossy(&output.stdout);
    for message in ["panic: three", "panic: more than seven"] {
        assert!(text.contains(message), "{message}: {output:?}");
    }
}

/// A thread is named by the closure or function that it runs, or by its own name.
#[test]
fn threads_are_named_by_what_they_run() {
    let text = printed("deadlock/two_orders.rs");
    assert!(
        text.contains("which runs program::main::{{closure}} at two_orders.rs:")
            && !text.contains("thread_start"),
        "{text}"
    );
    let directory = tempfile::tempdir().unwrap();
    let program = directory.path().join("threads.rs");
    let source = "
        use std::thread;
        static DONE: std::sync::Mutex<i32> = std::sync::Mutex::new(0);
        fn work() { *DONE.lock().unwrap() += 1 }
        fn main() {
            let a = thread::spawn(work);
            let b = thread::Builder::new().name(\"second\".into()).spawn(|| work()).unwrap();
            thread::scope(|scope| { scope.spawn(|| work()); });
            a.join().unwrap();
            b.join().unwrap();
            panic!();
        }
    ";
    std::fs::write(&program, source).unwrap();
    let output = check(&["--trace", "all", "--strategy", "unfold"], &program);
    let text = String::from_utf8_lossy(&output.stdout);
    for part in [
        "which runs program::work\n",
        "which runs program::main::{{closure}} at threads.rs:7",
        "which runs program::main::{{closure}}::{{closure}} at threads.rs:8",
        "\"second\" (program::main::{{closure}} at threads.rs:7)",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
}

/// Functions that only the backtrace of a panic needs are no news. It has no frames.
#[test]
fn missing_functions_of_backtraces_are_told_where_they_matter() {
    let directory = tempfile::tempdir().unwrap();
    let program = directory.path().join("program.rs");
    let noted = |body: &str| {
        std::fs::write(&program, format!("fn main() {{ {body} }}")).unwrap();
        let mut command = Command::new(env!("CARGO_BIN_EXE_selvedge"));
        command.args(["check", "--finding", "none"]).arg(&program);
        let output = command.output().unwrap();
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        (
            String::from_utf8_lossy(&output.stderr).contains("_Unwind_GetIP"),
            text,
        )
    };
    assert!(!noted("std::thread::spawn(|| {}).join().unwrap();").0);
    assert!(noted("std::hint::black_box(std::backtrace::Backtrace::force_capture());").0);
    let (noted, text) = noted("unsafe { std::env::set_var(\"RUST_BACKTRACE\", \"1\") }; panic!();");
    assert!(
        !noted && text.contains("panic: explicit panic") && text.contains("stack backtrace:"),
        "{text}"
    );
}

/// Two threads that wait for each other's locks are told so, with the places where they took them.
#[test]
fn threads_that_wait_for_each_other_are_told_so() {
    let text = printed("deadlock/two_orders.rs");
    for part in [
        "wait for each other",
        "took `program::LEFT",
        "took `program::RIGHT",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
}

/// Strategies agree; the deadlock is found under each.
#[test]
fn strategies_agree() {
    let program = corpus().join("safe/message_published.rs");
    for strategy in ["unfold", "stateful", "dpor"] {
        let output = check(&["--strategy", strategy], &program);
        assert_eq!(last_line(&output), "true", "{strategy}: {output:?}");
    }
    let program = corpus().join("race/published_without_release.rs");
    for strategy in ["unfold", "stateful", "dpor"] {
        let output = check(&["--strategy", strategy], &program);
        assert_eq!(
            last_line(&output),
            "false(no-data-race)",
            "{strategy}: {output:?}"
        );
    }
}

/// How a thread waits for a mutex or a condition variable makes no difference to what is found.
#[test]
fn locks_that_are_executed_have_the_same_verdicts() {
    let all = [
        ("safe/counter_under_a_mutex.rs", "true"),
        ("deadlock/two_orders.rs", "false(no-deadlock)"),
        ("assertion/lost_between_two_locks.rs", "false(unreach-call)"),
        ("race/counter_without_a_mutex.rs", "false(no-data-race)"),
        ("safe/condvar_queue.rs", "true"),
        ("deadlock/one_of_two_woken.rs", "false(no-deadlock)"),
        ("assertion/timed_out.rs", "false(unreach-call)"),
        ("race/end_orders_nothing.rs", "false(no-data-race)"),
        ("deadlock/sender_is_kept.rs", "false(no-deadlock)"),
        ("safe/polled_channel.rs", "true"),
        ("deadlock/read_twice.rs", "false(no-deadlock)"),
        ("safe/read_twice_without_a_writer.rs", "true"),
        ("assertion/tried_to_read_a_free_lock.rs", "false(unreach-call)"),
        ("safe/tried_to_read_without_readers.rs", "true"),
        ("race/written_by_readers.rs", "false(no-data-race)"),
        ("deadlock/print_beside_a_mutex.rs", "false(no-deadlock)"),
        ("safe/once_lock.rs", "true"),
        ("deadlock/two_onces.rs", "false(no-deadlock)"),
        ("race/once_told_early.rs", "false(no-data-race)"),
        ("safe/lazy_lock_of_three.rs", "true"),
        ("race/rwlock_freed_by_next_writer.rs", "false(no-data-race)"),
    ];
    for (program, verdict) in all.into_iter().step_by(usual_or_long(2, 1) as usize) {
        let output = check(&["--rust-locks", "executed"], &corpus().join(program));
        assert_eq!(last_line(&output), verdict, "{program}: {output:?}");
    }
}

/// A claim is put where a thread waits for a mutex. So its steps are in the schedule.
#[test]
fn waiting_for_a_mutex_is_one_step() {
    let text = printed("deadlock/two_orders.rs");
    assert!(text.contains("take `program::LEFT"), "{text}");
    assert!(
        text.contains("waits until the lock `program::LEFT") && !text.contains("futex wait on"),
        "{text}"
    );
}

/// An operation on a channel is one step, which waits for a message.
#[test]
fn receiving_is_one_step() {
    let text = printed("deadlock/sender_is_kept.rs");
    for part in [
        "use the channel in the object made at sender_is_kept.rs:6",
        "waits for a message of the channel in the object made at sender_is_kept.rs:6",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    assert!(!text.contains("futex wait on"), "{text}");
}

/// The end of a scope waits for its threads in one step.
#[test]
fn waiting_for_a_scope_is_one_step() {
    let text = printed("deadlock/scope_waits_for_its_thread.rs");
    assert!(
        text.contains("thread 0: waits for the threads of a scope"),
        "{text}"
    );
}

/// Which thread prints first makes no difference to what comes later.
#[test]
fn printing_makes_few_events() {
    let program = corpus().join("safe/prints_in_three_threads.rs");
    let events = |more: &[&str]| -> u64 {
        let json = ["--strategy", "unfold", "--format", "json"];
        let output = check(&[&json[..], more].concat(), &program);
        let report: serde_json::Value = serde_json::from_slice(&output.stdout).expect("a report");
        report["statistics"]["events"].as_u64().expect("a number")
    };
    let few = events(&[]);
    assert!(few < 500, "{few} events");
    // Where lost memory is looked for, all is as in the library.
    let many = events(&["--property", "leak,assertion"]);
    assert!(many > few, "{many} events");
}

/// A writer that finds readers says that it waits, and waits. A reader waits for it.
#[test]
fn waiting_for_a_read_write_lock_is_one_step() {
    let text = printed("deadlock/read_twice.rs");
    for part in [
        "take `program::VALUE.inner.state.v.value`: not free, says that it waits",
        "waits until the lock `program::VALUE.inner.state.v.value` is free",
        "waits until no writer has or waits for the lock `program::VALUE",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    assert!(!text.contains("futex wait on"), "{text}");
}

/// A wait for a condition variable is two actions, as in POSIX.
#[test]
fn waiting_for_a_condition_variable_is_no_futex_call() {
    let text = printed("deadlock/one_of_two_woken.rs");
    assert!(text.contains("wait on `program::CHANGED`"), "{text}");
    assert!(
        text.contains("waits on condition variable `program::CHANGED`"),
        "{text}"
    );
    assert!(!text.contains("futex wait on"), "{text}");
}

#[test]
fn what_does_not_compile_is_refused() {
    let directory = tempfile::tempdir().unwrap();
    let program = directory.path().join("broken.rs");
    std::fs::write(&program, "fn main() { let x: i32 = \"text\"; }").unwrap();
    let output = check(&[], &program);
    assert_eq!(output.status.code(), Some(2), "{output:?}");
    let text = String::from_utf8_lossy(&output.stderr);
    assert!(
        text.contains("does not compile") && text.contains("mismatched types"),
        "{text}"
    );
}

/// Compiles a program whose panics unwind to one module.
fn unwinding(source: &str, directory: &Path) -> PathBuf {
    let program = directory.join("program.rs");
    std::fs::write(&program, source).unwrap();
    let output = Command::new("rustc")
        .current_dir(directory)
        .args([
            "--edition=2021",
            "-g",
            "-Awarnings",
            "-Cpanic=unwind",
            "-Clto=fat",
            "-Ccodegen-units=1",
        ])
        .args([
            "-Csave-temps",
            "-Clinker=true",
            "-Clinker-flavor=gcc",
            "program.rs",
        ])
        .output()
        .unwrap();
    assert!(output.status.success(), "{output:?}");
    let files = directory.read_dir().unwrap().map(|entry| entry.unwrap().path());
    files
        .into_iter()
        .find(|path| path.to_string_lossy().ends_with(".lto.after-restriction.bc"))
        .unwrap()
}

/// A panic runs destructors, is what `join` returns, and is caught.
#[test]
fn panics_unwind() {
    const SOURCE: &str = r#"
        use std::sync::atomic::{AtomicI32, Ordering::Relaxed};
        static DROPPED: AtomicI32 = AtomicI32::new(0);
        struct Counts;
        impl Drop for Counts {
            fn drop(&mut self) {
                DROPPED.fetch_add(1, Relaxed);
            }
        }
        fn main() {
            let thread = std::thread::spawn(|| {
                let _counts = Counts;
                panic!("in a thread");
            });
            assert!(thread.join().is_err());
            assert_eq!(DROPPED.load(Relaxed), 1);
            assert!(std::panic::catch_unwind(|| panic!("caught")).is_err());
        }
    "#;
    let directory = tempfile::tempdir().unwrap();
    let output = check(&[], &unwinding(SOURCE, directory.path()));
    assert_eq!(last_line(&output), "true", "{output:?}");
}

/// A panic that leaves `main` is a finding, also if it is that of a thread, handed on.
#[test]
fn a_panic_that_leaves_main_is_found() {
    const SOURCE: &str = r#"
        fn main() {
            let caught = std::panic::catch_unwind(|| panic!("caught"));
            assert!(caught.is_err());
            std::thread::spawn(|| panic!("in a thread")).join().unwrap();
        }
    "#;
    let directory = tempfile::tempdir().unwrap();
    let output = check(&[], &unwinding(SOURCE, directory.path()));
    assert_eq!(last_line(&output), "false(unreach-call)", "{output:?}");
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(
        text.contains("a panic leaves main: called `Result::unwrap()` on an `Err` value"),
        "{text}"
    );
}

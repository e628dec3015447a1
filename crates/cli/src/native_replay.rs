//! `selvedge replay --native`: the real program on the schedule and inputs of a finding.
//!
//! The sources are compiled as they are, with the sanitizer that shows this kind of finding, and
//! are kept to the schedule (`native_schedule.rs`).

use crate::exit::Exit;
use crate::native_schedule::Scheduled;
use crate::native_sources::unsupported;
use crate::output::{note, print};
use selvedge_model::{FaultKind, Property};
use selvedge_report::{FindingFile, property_word};
use selvedge_session::{ReplayStep, Setup};
use std::fmt::Write;
use std::os::unix::process::ExitStatusExt;
use std::process::{Command, Stdio};

/// The code with which a program ends whose threads all wait, and one that leaves the schedule.
const STUCK: i32 = 121;
const DEVIATION: i32 = 120;

/// How a kind of finding shows in a native program.
struct Shows {
    /// The sanitizer, as the compiler names it; empty for none.
    sanitizer: &'static str,
    /// One of these is what it then writes; empty if the end of the process says it.
    texts: &'static [&'static str],
}

/// Builds and runs the program of a finding.
pub(crate) fn run(saved: &FindingFile, setup: &Setup, steps: &[ReplayStep], kind: FaultKind) -> Exit {
    match native(saved, setup, steps, kind) {
        Ok(exit) | Err(exit) => exit,
    }
}

fn native(saved: &FindingFile, setup: &Setup, steps: &[ReplayStep], kind: FaultKind) -> Result<Exit, Exit> {
    let shows = shows(kind.name()).map_err(|what| unsupported(&what))?;
    let directory =
        tempfile::tempdir().map_err(|error| Exit::output(&format!("no temporary directory: {error}")))?;
    let program = directory.path().join("program");
    let scheduled = Scheduled {
        setup,
        inputs: &saved.inputs,
        steps,
        sanitizer: shows.sanitizer,
    };
    scheduled.build(&program)?;
    note("note: the native program runs now, on the schedule of the finding");
    let mut command = Command::new(&program);
    command
        .args(&setup.vm.args)
        .env_remove("SELVEDGE_INPUTS")
        .env("TSAN_OPTIONS", "halt_on_error=1")
        .env("ASAN_OPTIONS", "detect_leaks=0:detect_stack_use_after_return=1")
        .stdin(Stdio::null());
    let output = command
        .output()
        .map_err(|error| Exit::output(&format!("the program cannot be run: {error}")))?;
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    let printed = String::from_utf8_lossy(&output.stdout).into_owned();
    let (code, signal) = (output.status.code(), output.status.signal());
    let ended = match (code, signal) {
        (Some(code), _) => format!("exit code {code}"),
        (_, Some(signal)) => format!("signal {signal}"),
        _ => "an unknown end".to_owned(),
    };
    let shown = match kind.property() {
        Property::Deadlock => code == Some(STUCK),
        Property::Assertion | Property::ErrorCall => signal == Some(libc::SIGABRT),
        _ => {
            shows.texts.iter().any(|text| said.contains(text))
                || matches!(signal, Some(libc::SIGSEGV | libc::SIGFPE))
        }
    };
    let indented = |text: &str| text.lines().map(|line| format!("  {line}\n")).collect::<String>();
    let mut text = format!("\nnatively ({ended}):\n{}{}", indented(&printed), indented(&said));
    let exit = if shown {
        let _ = write!(
            text,
            "the native program shows it, too\nfalse({})\n",
            property_word(kind)
        );
        Exit::VIOLATED
    } else {
        let why = match code {
            Some(DEVIATION) => "it leaves the schedule",
            _ => "it does not show the finding",
        };
        let _ = writeln!(text, "unknown(the native program: {why})");
        Exit::INCONCLUSIVE
    };
    match print(&text) {
        Ok(()) => Ok(Exit::Code(exit)),
        Err(error) => Err(Exit::output(&format!("cannot write the report: {error}"))),
    }
}

/// How a kind of finding, by its dotted name, shows natively.
///
/// # Errors
/// It does not, in words.
fn shows(kind: &str) -> Result<Shows, String> {
    let with = |sanitizer, texts| Ok(Shows { sanitizer, texts });
    match (kind, kind.split('.').next().unwrap_or_default()) {
        ("memory.uninitialized", _) => {
            Err("a native run that shows values which are not initialised".to_owned())
        }
        ("liveness.spin", _) => Err("a native run of threads that spin for ever".to_owned()),
        ("memory.leak" | "memory.not-freed", _) => Err(format!("a native run that shows `{kind}`")),
        (_, "deadlock" | "assertion") => with("", &[]),
        (_, "data-race") => {
            // A race with `free` has a name of its own.
            with(
                "thread",
                &[
                    "ThreadSanitizer: data race",
                    "ThreadSanitizer: heap-use-after-free",
                ],
            )
        }
        (_, "memory") => with("address", &["AddressSanitizer"]),
        (_, "arithmetic") => with("undefined", &["runtime error"]),
        _ => Err(format!("a native run that shows `{kind}`")),
    }
}

/// The sanitizer that shows a kind of finding, by its dotted name, natively; empty if none is
/// needed.
///
/// # Errors
/// It does not show, in words.
pub(crate) fn sanitizer(kind: &str) -> Result<&'static str, String> {
    Ok(shows(kind)?.sanitizer)
}

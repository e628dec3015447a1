//! `selvedge replay --native`: the real program on the schedule and inputs of a finding.
//!
//! The sources are compiled as they are, with the sanitizer that shows this kind of finding. The
//! linker leads calls of pthreads to wrappers (`runtime/replay.c`), which wait for their turn in
//! the schedule. What no wrapper can order is refused by name.

use crate::exit::Exit;
use crate::native::{RUNTIME, compile, compiler, flags, unsupported};
use crate::output::{note, print};
use selvedge_model::{FaultKind, Op, Property};
use selvedge_report::{FindingFile, Ktest, property_word};
use selvedge_session::{ReplayStep, Setup, write_file};
use std::fmt::Write;
use std::os::unix::process::ExitStatusExt;
use std::process::{Command, Stdio};

/// The wrappers.
const WRAPPERS: &str = include_str!("../runtime/replay.c");

/// The functions that have a wrapper.
const WRAPPED: [&str; 30] = [
    "pthread_create",
    "pthread_join",
    "pthread_detach",
    "pthread_mutex_lock",
    "pthread_mutex_unlock",
    "pthread_mutex_trylock",
    "pthread_mutex_init",
    "pthread_mutex_destroy",
    "pthread_cond_init",
    "pthread_cond_destroy",
    "pthread_cond_wait",
    "pthread_cond_signal",
    "pthread_cond_broadcast",
    "pthread_rwlock_rdlock",
    "pthread_rwlock_wrlock",
    "pthread_rwlock_tryrdlock",
    "pthread_rwlock_trywrlock",
    "pthread_rwlock_unlock",
    "pthread_rwlock_init",
    "pthread_rwlock_destroy",
    "pthread_spin_lock",
    "pthread_spin_trylock",
    "pthread_spin_unlock",
    "pthread_spin_init",
    "pthread_spin_destroy",
    "sem_wait",
    "sem_trywait",
    "sem_post",
    "sem_init",
    "sem_destroy",
];

/// The code with which a program ends whose threads all wait, and one that leaves the schedule.
const STUCK: i32 = 121;
const DEVIATION: i32 = 120;

/// How a kind of finding shows in a native program.
struct Shows {
    /// The sanitizer, as the compiler names it; empty for none.
    sanitizer: &'static str,
    /// What it then writes; empty if the end of the process says it.
    text: &'static str,
}

/// Builds and runs the program of a finding.
pub(crate) fn run(saved: &FindingFile, setup: &Setup, steps: &[ReplayStep], kind: FaultKind) -> Exit {
    match native(saved, setup, steps, kind) {
        Ok(exit) | Err(exit) => exit,
    }
}

fn native(saved: &FindingFile, setup: &Setup, steps: &[ReplayStep], kind: FaultKind) -> Result<Exit, Exit> {
    let shows = shows(kind).map_err(|what| unsupported(&what))?;
    program(saved, setup).map_err(|what| unsupported(&what))?;
    let tables = tables(steps).map_err(|what| unsupported(&what))?;
    let directory =
        tempfile::tempdir().map_err(|error| Exit::output(&format!("no temporary directory: {error}")))?;
    let at = |name: &str| directory.path().join(name);
    let write = |name: &str, bytes: Vec<u8>| {
        write_file(&at(name), bytes).map_err(|error| Exit::output(&format!("cannot write {name}: {error}")))
    };
    write("replay.c", format!("{WRAPPERS}\n{tables}").into_bytes())?;
    let mut clang = compiler()?;
    clang.args(["-O1", "-g", "-pthread", "-c"]).arg(at("replay.c"));
    compile(clang.arg("-o").arg(at("replay.o")))?;
    let mut clang = compiler()?;
    flags(&mut clang, setup);
    clang.args(["-O0", "-g", "-pthread"]).args(&setup.inputs);
    if !shows.sanitizer.is_empty() {
        clang.arg(format!("-fsanitize={}", shows.sanitizer));
        clang.arg("-fno-sanitize-recover=all");
    }
    clang.arg(at("replay.o"));
    if !saved.inputs.is_empty() {
        write("inputs.c", RUNTIME.into())?;
        let test = Ktest {
            args: Vec::new(),
            inputs: saved.inputs.clone(),
        };
        write("inputs.ktest", test.write())?;
        clang.arg(at("inputs.c"));
    }
    clang.args(WRAPPED.iter().map(|name| format!("-Wl,--wrap={name}")));
    compile(clang.args(["-lm", "-o"]).arg(at("program")))?;
    note("note: the native program runs now, on the schedule of the finding");
    let mut command = Command::new(at("program"));
    command
        .args(&setup.vm.args)
        .env("SELVEDGE_INPUTS", at("inputs.ktest"))
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
        _ => said.contains(shows.text) || matches!(signal, Some(libc::SIGSEGV | libc::SIGFPE)),
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

/// How a kind of finding shows natively.
///
/// # Errors
/// It does not, in words.
fn shows(kind: FaultKind) -> Result<Shows, String> {
    let with = |sanitizer, text| Ok(Shows { sanitizer, text });
    match kind {
        FaultKind::UninitializedValue => {
            Err("a native run that shows values which are not initialised".to_owned())
        }
        FaultKind::Spin => Err("a native run of threads that spin for ever".to_owned()),
        _ => match kind.property() {
            Property::Deadlock | Property::Assertion | Property::ErrorCall => with("", ""),
            Property::DataRace => with("thread", "ThreadSanitizer: data race"),
            Property::Deref | Property::Free | Property::Memory => with("address", "AddressSanitizer"),
            Property::Arithmetic | Property::Overflow => with("undefined", "runtime error"),
            Property::Leak | Property::Cleanup | Property::Pthread | Property::Termination => {
                Err(format!("a native run that shows `{}`", kind.name()))
            }
        },
    }
}

/// Whether there is a native program for a finding.
fn program(saved: &FindingFile, setup: &Setup) -> Result<(), String> {
    for input in &setup.inputs {
        let extension = input.extension().unwrap_or_default().to_string_lossy();
        if !matches!(&*extension, "c" | "i") {
            return Err(format!("a native run of {}: only sources in C", input.display()));
        }
    }
    if setup.vm.entry != "main" {
        return Err("a native run that begins elsewhere than in main".to_owned());
    }
    if setup.vm.stdin.is_some() || !setup.vm.files.is_empty() {
        return Err("a native run with files or a standard input of its own".to_owned());
    }
    // Only calls ask the runtime.
    let outside = |name: &str| name == "stdin" || name.starts_with("argv[") || name.starts_with("file:");
    match saved.inputs.iter().find(|input| outside(&input.name)) {
        Some(input) => Err(format!("a native run with the input {}", input.name)),
        None => Ok(()),
    }
}

/// The schedule as tables in C.
fn tables(steps: &[ReplayStep]) -> Result<String, String> {
    let mut names = vec!["0"];
    let mut rows = String::new();
    let mut count = 0;
    for step in steps {
        let Some(what) = word(step.op).map_err(|what| {
            let at = &step.location;
            format!(
                "a native run with {what} ({}:{}: {})",
                at.file, at.line, step.text
            )
        })?
        else {
            continue;
        };
        let thread = names
            .iter()
            .position(|name| *name == step.thread)
            .unwrap_or_else(|| {
                names.push(&step.thread);
                names.len() - 1
            });
        let _ = writeln!(rows, "    {{{thread}, \"{what}\", {}}},", u8::from(step.failed));
        count += 1;
    }
    // The text of a name is digits and dots.
    let names: Vec<String> = names.iter().map(|name| format!("\"{name}\"")).collect();
    Ok(format!(
        "const struct step selvedge_order[] = {{\n{rows}    {{0, \"\", 0}},\n}};\nconst unsigned selvedge_steps = {count};\n\
         const char *const selvedge_names[] = {{{}}};\nconst unsigned selvedge_threads = {};\n",
        names.join(", "),
        names.len()
    ))
}

/// What the wrappers call an operation; `None` if no call makes it.
///
/// # Errors
/// No wrapper orders it, in words.
fn word(op: Op) -> Result<Option<&'static str>, &'static str> {
    Ok(Some(match op {
        Op::Start => "start",
        Op::Spawn => "create",
        Op::Join => "join",
        Op::Detach => "detach",
        Op::Exit => "end",
        Op::Lock => "lock",
        Op::Unlock => "unlock",
        Op::TryLock => "trylock",
        Op::Init => "init",
        Op::Destroy => "destroy",
        Op::SpinLock => "spinlock",
        Op::SpinTryLock => "spintrylock",
        Op::SpinUnlock => "spinunlock",
        Op::RdLock => "rdlock",
        Op::TryRdLock => "tryrdlock",
        Op::WrLock => "wrlock",
        Op::TryWrLock => "trywrlock",
        Op::RdUnlock | Op::WrUnlock => "rwunlock",
        Op::WaitRelease => "wait",
        Op::WaitAcquire => "wake",
        Op::Signal => "signal",
        Op::Broadcast => "broadcast",
        Op::SemPost => "sempost",
        Op::SemWait => "semwait",
        Op::SemTryWait => "semtrywait",
        // They say which execution it is, and are decided by the inputs; nothing waits for the end.
        Op::Assume | Op::Choose | Op::ProcessExit => return Ok(None),
        Op::Read | Op::Write | Op::Rmw | Op::Fence => return Err("accesses to memory as steps"),
        Op::AtomicBlock => return Err("an atomic block"),
        Op::BarrierArrive | Op::BarrierLeave => return Err("a barrier"),
        Op::OnceEnter | Op::OnceDone => return Err("pthread_once"),
        Op::TimedLock | Op::TimedRdLock | Op::TimedWrLock | Op::SemTimedWait | Op::WaitTimeout => {
            return Err("an operation with a deadline");
        }
        Op::Cancel | Op::CancelPoint => return Err("cancellation"),
        _ => return Err("an operation that cannot be ordered"),
    }))
}

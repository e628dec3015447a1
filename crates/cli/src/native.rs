//! The native program that keeps to a set of schedules, and `selvedge run`, which runs it.

#![expect(unsafe_code, reason = "signals")]

use crate::args::{Deviation, RunArgs};
use crate::cover::{self, Purpose};
use crate::exit::Exit;
use crate::native_sources::{Refusal, Texts, Warnings, compile, compiler, is_cxx};
use selvedge_cover::Without;
use selvedge_instrument::{Native, OnDeviation};
use selvedge_schedule::cover::Cover;
use selvedge_session::write_file;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicI32, Ordering};

/// Runs a program natively on a test case.
pub(crate) const RUNTIME: &str = include_str!("../runtime/inputs.c");

/// Runs `run`.
pub(crate) fn run(mut args: RunArgs) -> Exit {
    let inputs = args.check.inputs.clone();
    let words = args.check.args.clone();
    let environment = args.check.given.env.clone();
    // The set is for all arguments, or for those that are given.
    if !args.check.given.symbolic_args.is_empty() {
        args.check.args.clear();
    }
    let directory = match tempfile::tempdir() {
        Ok(directory) => directory,
        Err(error) => return Exit::output(&format!("no temporary directory: {error}")),
    };
    let program = directory.path().join("program");
    args.check.quiet = true;
    let native = (args.on_deviation, args.stream.without.as_ref());
    let made = cover::collect(args.check, &args.stream, &Purpose::default())
        .and_then(|collected| make(&inputs, &collected.cover, &program, native));
    if let Err(exit) = made {
        return exit;
    }
    let variables = environment.iter().filter_map(|variable| variable.split_once('='));
    let child = Command::new(&program).args(words).envs(variables).spawn();
    let ended = child.and_then(|mut child| {
        hand_on(child.id());
        child.wait()
    });
    match ended {
        Ok(status) => {
            let code = status
                .code()
                .or_else(|| status.signal().map(|signal| 128 + signal));
            Exit::Code(code.and_then(|code| u8::try_from(code).ok()).unwrap_or(1))
        }
        Err(error) => Exit::output(&format!("the program cannot be run: {error}")),
    }
}

/// Hands SIGTERM and SIGHUP on to a process from now on. SIGINT and SIGQUIT come from a terminal
/// mostly, which sends them to the process, too.
fn hand_on(process: u32) {
    static TO: AtomicI32 = AtomicI32::new(0);
    extern "C" fn send(signal: libc::c_int) {
        // SAFETY: sending a signal touches no memory.
        unsafe { libc::kill(TO.load(Ordering::Relaxed), signal) };
    }
    let Ok(process) = i32::try_from(process) else {
        return;
    };
    TO.store(process, Ordering::Relaxed);
    let send: extern "C" fn(libc::c_int) = send;
    // SAFETY: the handler only sends a signal, which a handler may do.
    unsafe {
        libc::signal(libc::SIGTERM, send as libc::sighandler_t);
        libc::signal(libc::SIGHUP, send as libc::sighandler_t);
        libc::signal(libc::SIGINT, libc::SIG_IGN);
        libc::signal(libc::SIGQUIT, libc::SIG_IGN);
    }
}

/// Compiles sources for a set of schedules.
///
/// # Errors
/// How the command ends if there is no program.
pub(crate) fn make(
    inputs: &[PathBuf],
    cover: &Cover,
    output: &Path,
    (on, without): (Deviation, Option<&Without>),
) -> Result<(), Exit> {
    let nothing = Without::default();
    let native = Native {
        on: match on {
            Deviation::Stop => OnDeviation::Stop,
            Deviation::Free => OnDeviation::Free,
        },
        without: without.unwrap_or(&nothing),
    };
    let texts = Texts::of(inputs, cover, &native, Warnings::Shown).map_err(Refusal::exit)?;
    let directory =
        tempfile::tempdir().map_err(|error| Exit::output(&format!("no temporary directory: {error}")))?;
    let at = |name: &str| directory.path().join(name);
    let write = |file: &Path, text: &str| {
        write_file(file, text)
            .map_err(|error| Exit::output(&format!("cannot write {}: {error}", file.display())))
    };
    let tables = at("runtime.c");
    write(&tables, &texts.runtime)?;
    let mut files = Vec::new();
    for (number, text) in texts.modules.iter().enumerate() {
        files.push(at(&format!("ours{number}.ll")));
        write(&files[number], text)?;
    }
    let objects = [(tables, at("runtime.o")), (at("inputs.c"), at("inputs.o"))];
    let needed = if texts.asks { 2 } else { 1 };
    if texts.asks {
        write(&objects[1].0, RUNTIME)?;
    }
    for (text, object) in &objects[..needed] {
        let mut clang = compiler(false)?;
        clang
            .args(["-O2", "-g", "-pthread", "-fexceptions", "-c"])
            .arg(text);
        compile(clang.arg("-o").arg(object))?;
        files.push(object.clone());
    }
    let mut clang = compiler(inputs.iter().any(|input| is_cxx(input)))?;
    clang.args(["-O2", "-g", "-pthread"]).args(&files);
    clang.arg("-lm");
    if texts
        .modules
        .iter()
        .any(|module| module.lines().any(is_wide_atomic))
    {
        clang.arg("-latomic");
    }
    compile(clang.arg("-o").arg(output))
}

/// Whether an atomic access is a call of the compiler's library.
fn is_wide_atomic(line: &str) -> bool {
    let accesses = [" load atomic ", " store atomic ", " atomicrmw ", " cmpxchg "];
    line.contains("@__atomic_")
        || line.contains(" i128") && accesses.iter().any(|access| line.contains(access))
}

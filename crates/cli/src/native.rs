//! The native program that keeps to a set of schedules, and `selvedge run`, which runs it.

use crate::args::{Deviation, RunArgs};
use crate::cover;
use crate::exit::Exit;
use crate::output::{note, print};
use selvedge_cover::Plan;
use selvedge_frontend::{LENIENT, files, wrap};
use selvedge_instrument::{OnDeviation, Refused, rewritten, runtime};
use selvedge_schedule::Schedule;
use selvedge_schedule::cover::Cover;
use selvedge_session::{Setup, write_file};
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::Command;

/// Runs a program natively on a test case.
pub(crate) const RUNTIME: &str = include_str!("../runtime/inputs.c");

/// Runs `run`.
pub(crate) fn run(mut args: RunArgs) -> Exit {
    let [input] = args.check.inputs.as_slice() else {
        return Exit::usage("`run` takes one source");
    };
    let input = input.clone();
    let words = args.check.args.clone();
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
    let made = cover::collect(args.check, false, false)
        .and_then(|cover| make(&input, &cover, &program, args.on_deviation));
    if let Err(exit) = made {
        return exit;
    }
    match Command::new(&program).args(words).status() {
        Ok(status) => {
            let code = status
                .code()
                .or_else(|| status.signal().map(|signal| 128 + signal));
            Exit::Code(code.and_then(|code| u8::try_from(code).ok()).unwrap_or(1))
        }
        Err(error) => Exit::output(&format!("the program cannot be run: {error}")),
    }
}

/// Compiles a source for a set of schedules.
///
/// # Errors
/// How the command ends if there is no program.
pub(crate) fn make(input: &Path, cover: &Cover, output: &Path, on: Deviation) -> Result<(), Exit> {
    let extension = input.extension().unwrap_or_default().to_string_lossy();
    if !matches!(&*extension, "c" | "i") {
        return Err(unsupported("a native program of anything but one C source"));
    }
    let schedule = Schedule {
        inputs: cover.inputs.clone(),
        options: cover.options.clone(),
        steps: Vec::new(),
    };
    let setup = Setup::from_schedule(&schedule).map_err(|message| Exit::input(&message))?;
    if setup.vm.entry != "main" {
        return Err(unsupported("a native program that begins elsewhere than in main"));
    }
    if !setup.vm.files.is_empty() || !setup.vm.symbolic_files.is_empty() {
        return Err(unsupported("a native program with files of its own"));
    }
    let plan = Plan::of(cover).map_err(|message| Exit::input(&message))?;
    let directory =
        tempfile::tempdir().map_err(|error| Exit::output(&format!("no temporary directory: {error}")))?;
    let at = |name: &str| directory.path().join(name);
    let (module, ours, tables, inputs) = (at("module.ll"), at("ours.ll"), at("runtime.c"), at("inputs.c"));
    let mut clang = compiler()?;
    flags(&mut clang, &setup);
    clang.args([
        "-O2",
        "-g",
        "-pthread",
        "-Xclang",
        "-disable-llvm-passes",
        "-S",
        "-emit-llvm",
    ]);
    compile(clang.arg(input).arg("-o").arg(&module))?;
    let text = files::read_text(&module, files::LARGEST)
        .map_err(|error| Exit::output(&format!("cannot read what was compiled: {error}")))?;
    let text = rewritten(&text, cover).map_err(|refused| match refused {
        Refused::Unsupported(what) => unsupported(&what),
        Refused::Misfit(what) => Exit::input(&format!("the schedules are of another program: {what}")),
    })?;
    let on = match on {
        Deviation::Stop => OnDeviation::Stop,
        Deviation::Free => OnDeviation::Free,
    };
    let source = input.file_name().unwrap_or_default().to_string_lossy();
    let with_tables = runtime(cover, &plan, &source, on).map_err(|message| Exit::input(&message))?;
    let asks = text
        .lines()
        .any(|line| line.starts_with("declare ") && is_input(line));
    let write = |file: &Path, text: &str| {
        write_file(file, text)
            .map_err(|error| Exit::output(&format!("cannot write {}: {error}", file.display())))
    };
    write(&ours, &text)?;
    write(&tables, &with_tables)?;
    let mut clang = compiler()?;
    clang.args(["-O2", "-g", "-pthread"]).arg(&ours).arg(&tables);
    if asks {
        write(&inputs, RUNTIME)?;
        clang.arg(&inputs);
    }
    compile(clang.args(["-lm", "-o"]).arg(output))
}

/// Whether a declaration is of a function that makes inputs.
pub(crate) fn is_input(line: &str) -> bool {
    [
        "@klee_",
        "@__VERIFIER_",
        "@nondet_",
        "@__CPROVER_",
        "@reach_error",
    ]
    .iter()
    .any(|name| line.contains(name))
}

/// The options that the sources were compiled with for the set.
pub(crate) fn flags(clang: &mut Command, setup: &Setup) {
    let frontend = &setup.frontend;
    if frontend.lenient {
        clang.args(LENIENT);
    }
    clang.args(&frontend.cflags);
    for directory in &frontend.include {
        clang.arg("-I").arg(directory);
    }
    for define in &frontend.define {
        clang.arg(format!("-D{define}"));
    }
    if let Some(std) = &frontend.std {
        clang.arg(format!("-std={std}"));
    }
    for (_, flags) in &frontend.file_flags {
        clang.args(flags);
    }
}

pub(crate) fn compiler() -> Result<Command, Exit> {
    wrap::compiler(false).map_err(|error| Exit::input(&error.to_string()))
}

pub(crate) fn compile(clang: &mut Command) -> Result<(), Exit> {
    match clang.status() {
        Ok(status) if status.success() => Ok(()),
        Ok(_) => Err(Exit::input("the compiler has failed")),
        Err(error) => Err(Exit::input(&format!("clang could not be run: {error}"))),
    }
}

/// Says what there is no native form of.
pub(crate) fn unsupported(what: &str) -> Exit {
    note(&format!("error: not supported: {what}"));
    match print(&format!("unknown({what})\n")) {
        Ok(()) => Exit::Code(Exit::INCONCLUSIVE),
        Err(error) => Exit::output(&format!("cannot write: {error}")),
    }
}

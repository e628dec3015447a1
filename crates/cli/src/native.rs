//! The native program that keeps to a set of schedules, and `selvedge run`, which runs it.

use crate::args::{Deviation, RunArgs};
use crate::cover;
use crate::exit::Exit;
use crate::output::{note, print};
use selvedge_cover::Plan;
use selvedge_frontend::{LENIENT, files, wrap};
use selvedge_instrument::{OnDeviation, Refused, Source, rewritten, runtime};
use selvedge_schedule::Schedule;
use selvedge_schedule::cover::Cover;
use selvedge_session::{Setup, write_file};
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Runs a program natively on a test case.
pub(crate) const RUNTIME: &str = include_str!("../runtime/inputs.c");

/// Runs `run`.
pub(crate) fn run(mut args: RunArgs) -> Exit {
    let inputs = args.check.inputs.clone();
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
    let made = cover::collect(args.check, &args.stream, false, false)
        .and_then(|cover| make(&inputs, &cover, &program, args.on_deviation));
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

/// Compiles sources for a set of schedules.
///
/// # Errors
/// How the command ends if there is no program.
pub(crate) fn make(inputs: &[PathBuf], cover: &Cover, output: &Path, on: Deviation) -> Result<(), Exit> {
    for input in inputs {
        if !is_c(input) && !is_cxx(input) {
            let what = format!(
                "a native program of {}: only sources in C and C++",
                input.display()
            );
            return Err(unsupported(&what));
        }
    }
    if cover.inputs.len() != inputs.len() {
        return Err(Exit::input("the schedules are of another number of sources"));
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
    if !setup.vm.files.is_empty() || !setup.vm.tree.is_empty() || !setup.vm.symbolic_files.is_empty() {
        return Err(unsupported("a native program with files of its own"));
    }
    if !setup.vm.clients.is_empty() {
        return Err(unsupported("a native program with clients"));
    }
    if setup.frontend.language.is_some() {
        return Err(unsupported("a native program of sources with a given language"));
    }
    let plan = Plan::of(cover).map_err(|message| Exit::input(&message))?;
    let directory =
        tempfile::tempdir().map_err(|error| Exit::output(&format!("no temporary directory: {error}")))?;
    let at = |name: &str| directory.path().join(name);
    let modules = modules(inputs, &setup, directory.path())?;
    let rewritten = rewritten(&modules, cover).map_err(|refused| match refused {
        Refused::Unsupported(what) => unsupported(&what),
        Refused::Misfit(what) => Exit::input(&format!("the schedules are of another program: {what}")),
    })?;
    let on = match on {
        Deviation::Stop => OnDeviation::Stop,
        Deviation::Free => OnDeviation::Free,
    };
    let source = match modules.iter().any(|module| selvedge_instrument::is_cxx(module)) {
        true => Source::Cxx,
        false => Source::C,
    };
    let with_tables = runtime(cover, &plan, source, on).map_err(|message| Exit::input(&message))?;
    let mut lines = modules.iter().flat_map(|module| module.lines());
    let asks = lines.any(|line| line.starts_with("declare ") && is_input(line));
    let write = |file: &Path, text: &str| {
        write_file(file, text)
            .map_err(|error| Exit::output(&format!("cannot write {}: {error}", file.display())))
    };
    let tables = at("runtime.c");
    write(&tables, &with_tables)?;
    let mut files = Vec::new();
    for (number, text) in rewritten.iter().enumerate() {
        files.push(at(&format!("ours{number}.ll")));
        write(&files[number], text)?;
    }
    let objects = [(tables, at("runtime.o")), (at("inputs.c"), at("inputs.o"))];
    let needed = if asks { 2 } else { 1 };
    if asks {
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
    compile(clang.args(["-lm", "-o"]).arg(output))
}

/// The sources as modules in LLVM's text form, before any optimisation.
fn modules(inputs: &[PathBuf], setup: &Setup, directory: &Path) -> Result<Vec<String>, Exit> {
    let module = directory.join("module.ll");
    let mut texts = Vec::new();
    for input in inputs {
        let mut clang = compiler(is_cxx(input))?;
        flags(&mut clang, setup, input);
        clang.args(["-O2", "-g", "-pthread", "-Xclang", "-disable-llvm-passes"]);
        clang.args(["-S", "-emit-llvm"]);
        compile(clang.arg(input).arg("-o").arg(&module))?;
        let text = files::read_text(&module, files::LARGEST)
            .map_err(|error| Exit::output(&format!("cannot read what was compiled: {error}")))?;
        texts.push(text);
    }
    Ok(texts)
}

/// Whether a source is in C.
pub(crate) fn is_c(input: &Path) -> bool {
    let extension = input.extension().unwrap_or_default().to_string_lossy();
    matches!(&*extension, "c" | "i")
}

/// Whether a source is in C++.
pub(crate) fn is_cxx(input: &Path) -> bool {
    let extension = input.extension().unwrap_or_default().to_string_lossy();
    matches!(&*extension, "cc" | "cpp" | "cxx" | "C" | "ii")
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

/// The options that a source was compiled with for the set.
pub(crate) fn flags(clang: &mut Command, setup: &Setup, input: &Path) {
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
    // A standard of one language is not valid for the other.
    if let Some(std) = frontend
        .std
        .as_ref()
        .filter(|std| std.contains("++") == is_cxx(input))
    {
        clang.arg(format!("-std={std}"));
    }
    let own = frontend
        .file_flags
        .iter()
        .filter(|(file, _)| is_same(file, input));
    clang.args(own.flat_map(|(_, flags)| flags));
}

/// Whether two names lead to one file.
fn is_same(a: &Path, b: &Path) -> bool {
    a == b || matches!((a.canonicalize(), b.canonicalize()), (Ok(a), Ok(b)) if a == b)
}

pub(crate) fn compiler(cxx: bool) -> Result<Command, Exit> {
    wrap::compiler(cxx).map_err(|error| Exit::input(&error.to_string()))
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

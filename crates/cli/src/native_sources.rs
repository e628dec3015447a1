//! What native programs are made of: sources, their options, and the texts that `build` compiles.
//! Or why it refuses them, which `cover` asks, too.

use crate::exit::Exit;
use crate::output::{note, print};
use selvedge_cover::Plan;
use selvedge_frontend::{LENIENT, files, wrap};
use selvedge_instrument::{Lacking, Native, Refused, Source, is_cxx as is_module_of_cxx};
use selvedge_instrument::{lacking, rewritten, runtime};
use selvedge_schedule::Schedule;
use selvedge_schedule::cover::Cover;
use selvedge_session::Setup;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Why there is no native program.
#[derive(Debug)]
pub(crate) enum Refusal {
    /// There is no native form of these.
    Unsupported(Vec<Lacking>),
    /// The sources or the set cannot be used.
    Input(String),
    /// Something cannot be written or read back.
    Output(String),
}

/// What a native program is compiled from.
pub(crate) struct Texts {
    /// The sources as modules, rewritten.
    pub(crate) modules: Vec<String>,
    /// The runtime in C, with the set as its tables.
    pub(crate) runtime: String,
    /// Whether the program asks for inputs by functions.
    pub(crate) asks: bool,
}

/// Whether the compiler's messages are shown.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Warnings {
    Shown,
    Hidden,
}

impl Refusal {
    fn one(what: &str) -> Refusal {
        Refusal::Unsupported(vec![Lacking {
            what: what.to_owned(),
            place: None,
        }])
    }

    /// What is refused, each in one line.
    pub(crate) fn lines(&self) -> Vec<String> {
        let lines: Vec<String> = match self {
            Refusal::Unsupported(all) => all.iter().map(Lacking::to_string).collect(),
            Refusal::Input(what) | Refusal::Output(what) => vec![what.clone()],
        };
        lines
            .into_iter()
            .map(|line| line.replace(['\n', '\r'], " "))
            .collect()
    }

    /// Says it. How the command ends.
    pub(crate) fn exit(self) -> Exit {
        match self {
            Refusal::Unsupported(_) => all_unsupported(&self.lines()),
            Refusal::Input(what) => Exit::input(&what),
            Refusal::Output(what) => Exit::output(&what),
        }
    }
}

impl Texts {
    /// The texts of a program that keeps to a set.
    ///
    /// # Errors
    /// Why there is none.
    pub(crate) fn of(
        inputs: &[PathBuf],
        cover: &Cover,
        native: &Native<'_>,
        warnings: Warnings,
    ) -> Result<Texts, Refusal> {
        let others: Vec<Lacking> = inputs
            .iter()
            .filter(|input| !is_c(input) && !is_cxx(input))
            .map(|input| Lacking {
                what: format!(
                    "a native program of {}: only sources in C and C++",
                    input.display()
                ),
                place: None,
            })
            .collect();
        if !others.is_empty() {
            return Err(Refusal::Unsupported(others));
        }
        if cover.inputs.len() != inputs.len() {
            let what = "the schedules are of another number of sources";
            return Err(Refusal::Input(what.to_owned()));
        }
        let schedule = Schedule {
            inputs: cover.inputs.clone(),
            options: cover.options.clone(),
            steps: Vec::new(),
        };
        let setup = Setup::from_schedule(&schedule).map_err(Refusal::Input)?;
        if let Some(what) = surroundings(&setup) {
            return Err(Refusal::one(what));
        }
        let plan = Plan::without(cover, native.without).map_err(Refusal::Input)?;
        // `cover` has asked this of the plan from which nothing is left out.
        let is_other = native.without.iter().next().is_some();
        if is_other && cover.parts.is_empty() && plan.ambiguous(cover).is_some() {
            let what = "a native program without this, which could confuse objects that no call initialises";
            return Err(Refusal::one(what));
        }
        let modules = modules(inputs, &setup, warnings)?;
        let all = lacking(&modules);
        if !all.is_empty() {
            return Err(Refusal::Unsupported(all));
        }
        let rewritten = rewritten(&modules, cover).map_err(|refused| match refused {
            Refused::Unsupported(what) => Refusal::one(&what),
            Refused::Misfit(what) => Refusal::Input(format!("the schedules are of another program: {what}")),
        })?;
        let source = match modules.iter().any(|module| is_module_of_cxx(module)) {
            true => Source::Cxx,
            false => Source::C,
        };
        let mut lines = modules.iter().flat_map(|module| module.lines());
        Ok(Texts {
            runtime: runtime(cover, &plan, source, native).map_err(Refusal::Input)?,
            asks: lines.any(|line| line.starts_with("declare ") && is_input(line)),
            modules: rewritten,
        })
    }
}

/// What a native program cannot be given.
fn surroundings(setup: &Setup) -> Option<&'static str> {
    let vm = &setup.vm;
    let own_files = !vm.files.is_empty() || !vm.tree.is_empty() || !vm.symbolic_files.is_empty();
    let all = [
        (
            vm.entry != "main",
            "a native program that begins elsewhere than in main",
        ),
        (own_files, "a native program with files of its own"),
        (!vm.peers.is_empty(), "a native program with peers from outside"),
        (
            setup.frontend.language.is_some(),
            "a native program of sources with a given language",
        ),
    ];
    all.into_iter().find(|one| one.0).map(|one| one.1)
}

/// The sources as modules in LLVM's text form, before any optimisation.
fn modules(inputs: &[PathBuf], setup: &Setup, warnings: Warnings) -> Result<Vec<String>, Refusal> {
    let directory =
        tempfile::tempdir().map_err(|error| Refusal::Output(format!("no temporary directory: {error}")))?;
    let module = directory.path().join("module.ll");
    let mut texts = Vec::new();
    for input in inputs {
        let clang = wrap::compiler(is_cxx(input));
        let mut clang = clang.map_err(|error| Refusal::Input(error.to_string()))?;
        flags(&mut clang, setup, input);
        clang.args(["-O2", "-g", "-pthread", "-Xclang", "-disable-llvm-passes"]);
        clang.args(["-S", "-emit-llvm"]);
        if warnings == Warnings::Hidden {
            clang.stderr(Stdio::null());
        }
        compiled(clang.arg(input).arg("-o").arg(&module)).map_err(Refusal::Input)?;
        let text = files::read_text(&module, files::LARGEST)
            .map_err(|error| Refusal::Output(format!("cannot read what was compiled: {error}")))?;
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
    compiled(clang).map_err(|message| Exit::input(&message))
}

fn compiled(clang: &mut Command) -> Result<(), String> {
    match clang.status() {
        Ok(status) if status.success() => Ok(()),
        Ok(_) => Err("the compiler has failed".to_owned()),
        Err(error) => Err(format!("clang could not be run: {error}")),
    }
}

/// Says what there is no native form of.
pub(crate) fn unsupported(what: &str) -> Exit {
    all_unsupported(&[what.to_owned()])
}

/// Says what there is no native form of; the verdict has the first of it.
fn all_unsupported(all: &[String]) -> Exit {
    for what in all {
        note(&format!("error: not supported: {what}"));
    }
    let what = all.first().map_or("", String::as_str);
    match print(&format!("unknown({what})\n")) {
        Ok(()) => Exit::Code(Exit::INCONCLUSIVE),
        Err(error) => Exit::output(&format!("cannot write: {error}")),
    }
}

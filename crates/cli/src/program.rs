//! From options to a program that machines can run: compiled, linked, lowered; and the options as a
//! schedule keeps them.

use crate::args::{
    CheckArgs, GivenFile, InputArgs, MOST_ARGS, MOST_BYTES, ThreadHandles, given_file, stdin_file,
    symbolic_file,
};
use crate::exit::Exit;
use crate::output::note;
use crate::watch::MemoryLimit;
use selvedge_detect::{DeadlockDetector, Detectors, LeakDetector, RaceDetector};
use selvedge_frontend::{Loaded, Reader};
use selvedge_model::Property;
use selvedge_report::Sources;
use selvedge_schedule::Schedule;
use selvedge_vm::{Program, SolverOptions, Visibility, Vm};
use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;

/// Everything that decides what a program does under a given schedule.
#[derive(Clone, Debug)]
pub(crate) struct Setup {
    pub(crate) inputs: Vec<PathBuf>,
    pub(crate) frontend: selvedge_frontend::Options,
    pub(crate) vm: selvedge_vm::Options,
    /// Standard input and files as the command line names them; `vm` has their bytes.
    pub(crate) given: Given,
    /// Weak symbols of the program, once it is loaded, that nothing defines.
    pub(crate) absent: Vec<String>,
}

/// The command that reads modules (see [`selvedge_frontend::serve`]): it is no command for people.
pub(crate) const READ: &str = "__read";

/// This program, also if its file was replaced or removed since it started.
const OWN_PROGRAM: &str = "/proc/self/exe";

/// The files that the program is given.
#[derive(Clone, Default, Debug)]
pub(crate) struct Given {
    stdin: Option<GivenFile>,
    files: Vec<GivenFile>,
}

impl Given {
    /// Gives them to a machine's options.
    fn fill(&self, vm: &mut selvedge_vm::Options) {
        vm.stdin = self.stdin.as_ref().map(|file| file.bytes.clone());
        let files = self.files.iter();
        vm.files = files
            .map(|file| (file.name.clone(), file.bytes.clone()))
            .collect();
    }
}

/// Why there is no program: exit code 2, or 6 if the mistake is ours.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Error {
    #[error(transparent)]
    Frontend(#[from] selvedge_frontend::Error),
    #[error(transparent)]
    Machine(#[from] selvedge_vm::Error),
}

impl Error {
    /// How a command ends for this reason.
    pub(crate) fn exit(&self) -> Exit {
        match self {
            Error::Frontend(error) if error.is_internal() => Exit::internal(&error.to_string()),
            error => Exit::input(&error.to_string()),
        }
    }
}

/// Compiles inputs in a confined process, which may have this much memory.
pub(crate) fn read_with(
    inputs: &[PathBuf],
    options: &selvedge_frontend::Options,
    memory: MemoryLimit,
) -> Result<Loaded, selvedge_frontend::Error> {
    let reader = Reader {
        program: OWN_PROGRAM.into(),
        arguments: vec![READ.to_owned()],
        memory: memory.bytes(),
    };
    let loaded = selvedge_frontend::load_isolated(inputs, options, &reader)?;
    if !loaded.confined {
        note("warning: the system does not permit to confine the process that reads LLVM modules");
    }
    Ok(loaded)
}

impl Setup {
    /// What the command line says.
    pub(crate) fn new(args: &CheckArgs, properties: &BTreeSet<Property>) -> Setup {
        let frontend = args.source.frontend();
        let mut vm = selvedge_vm::Options {
            timeouts: args.timeouts.on(),
            spurious_wakeups: args.spurious_wakeups.on(),
            weak_failures: args.weak_cas_failures.on(),
            early_handles: args.thread_handles == ThreadHandles::Early,
            args: args.args.clone(),
            entry: args.source.entry.clone(),
            unroll: args.unroll,
            check_overflow: properties.contains(&Property::Overflow),
            error_calls: properties.contains(&Property::ErrorCall),
            leaks: properties.contains(&Property::Leak) || properties.contains(&Property::Cleanup),
            input_size: args.given.input_size,
            symbolic_args: args.given.argument_sizes(),
            symbolic_stdin: args.given.symbolic_stdin,
            symbolic_files: args.given.symbolic_file.clone(),
            solver: solver(&args.given),
            coverage: args.given.coverage.is_some() || args.given.emit_tests.is_some(),
            ..Default::default()
        };
        let given = Given {
            stdin: args.given.stdin.clone(),
            files: args.given.file.clone(),
        };
        given.fill(&mut vm);
        Setup {
            inputs: args.inputs.clone(),
            frontend,
            vm,
            given,
            absent: Vec::new(),
        }
    }

    /// Compiles the inputs; LLVM runs in a confined process, which may have this much memory.
    pub(crate) fn load(&self, memory: MemoryLimit) -> Result<Loaded, Error> {
        let from_outside = !self.vm.symbolic_args.is_empty()
            || self.vm.symbolic_stdin.is_some()
            || !self.vm.symbolic_files.is_empty();
        let options = selvedge_frontend::Options {
            symbolic: from_outside,
            ..self.frontend.clone()
        };
        Ok(read_with(&self.inputs, &options, memory)?)
    }

    /// The schedule with inputs and options, and without steps.
    pub(crate) fn schedule(&self) -> Schedule {
        let mut options: Vec<(String, String)> = Vec::new();
        let mut add = |name: &str, value: String| options.push((name.to_owned(), value));
        let switch = |on: bool| if on { "on" } else { "off" }.to_owned();
        add(
            "visibility",
            if self.vm.visibility == Visibility::Sync {
                "sync"
            } else {
                "memory"
            }
            .to_owned(),
        );
        add("timeouts", switch(self.vm.timeouts));
        add("spurious-wakeups", switch(self.vm.spurious_wakeups));
        add("weak-cas-failures", switch(self.vm.weak_failures));
        if self.vm.early_handles {
            add("thread-handles", "early".to_owned());
        }
        add("overflow", switch(self.vm.check_overflow));
        if !self.vm.error_calls {
            add("error-calls", switch(false));
        }
        if self.vm.leaks {
            add("leaks", switch(true));
        }
        add("entry", self.vm.entry.clone());
        if let Some(unroll) = self.vm.unroll {
            add("unroll", unroll.to_string());
        }
        if let Some(length) = self.vm.quarantine {
            add("quarantine", length.to_string());
        }
        self.frontend
            .cflags
            .iter()
            .for_each(|flag| add("cflag", flag.clone()));
        self.frontend
            .include
            .iter()
            .for_each(|dir| add("include", dir.display().to_string()));
        self.frontend
            .define
            .iter()
            .for_each(|name| add("define", name.clone()));
        self.frontend.std.iter().for_each(|name| add("std", name.clone()));
        self.vm.args.iter().for_each(|arg| add("arg", arg.clone()));
        if self.vm.inputs.is_some() {
            add("inputs", "fixed".to_owned());
        }
        add("input-size", self.vm.input_size.to_string());
        let sizes = &self.vm.symbolic_args;
        sizes
            .iter()
            .for_each(|size| add("symbolic-arg", size.to_string()));
        let given = self.given.stdin.iter().map(|file| ("stdin", file));
        for (name, file) in given.chain(self.given.files.iter().map(|file| ("file", file))) {
            add(name, file.text.clone());
        }
        let stdin = self.vm.symbolic_stdin;
        stdin
            .iter()
            .for_each(|size| add("symbolic-stdin", size.to_string()));
        let files = &self.vm.symbolic_files;
        files
            .iter()
            .for_each(|(name, size)| add("symbolic-file", format!("{name}:{size}")));
        let inputs = self
            .inputs
            .iter()
            .map(|path| path.display().to_string())
            .collect();
        Schedule {
            inputs,
            options,
            steps: Vec::new(),
        }
    }

    /// The setup that a schedule was made with.
    pub(crate) fn from_schedule(schedule: &Schedule) -> Result<Setup, String> {
        let mut setup = Setup {
            inputs: schedule.inputs.iter().map(PathBuf::from).collect(),
            frontend: selvedge_frontend::Options::default(),
            vm: selvedge_vm::Options::default(),
            given: Given::default(),
            absent: Vec::new(),
        };
        let given = &mut setup.given;
        let (frontend, vm) = (&mut setup.frontend, &mut setup.vm);
        for (name, value) in &schedule.options {
            let number = || {
                value
                    .parse()
                    .map_err(|_| format!("option {name}: expected a number"))
            };
            let bounded = |most: u64| match value.parse() {
                Ok(number) if number <= most => Ok(number),
                _ => Err(format!("option {name}: expected a number of at most {most}")),
            };
            let on = || match value.as_str() {
                "on" => Ok(true),
                "off" => Ok(false),
                _ => Err(format!("option {name}: expected on or off")),
            };
            match name.as_str() {
                "visibility" if value == "sync" => vm.visibility = Visibility::Sync,
                "visibility" if value == "memory" => vm.visibility = Visibility::Memory,
                "timeouts" => vm.timeouts = on()?,
                "spurious-wakeups" => vm.spurious_wakeups = on()?,
                "weak-cas-failures" => vm.weak_failures = on()?,
                "thread-handles" if value == "early" => vm.early_handles = true,
                "overflow" => vm.check_overflow = on()?,
                "error-calls" => vm.error_calls = on()?,
                "leaks" => vm.leaks = on()?,
                "entry" => {
                    vm.entry.clone_from(value);
                    frontend.entry.clone_from(value);
                }
                "quarantine" => {
                    let length = value.parse();
                    vm.quarantine = Some(length.map_err(|_| "option quarantine: expected a number")?);
                }
                "unroll" => vm.unroll = Some(number()?),
                "inputs" if value == "fixed" => vm.inputs = Some(Vec::new()),
                "input-size" => vm.input_size = bounded(MOST_BYTES)?,
                "symbolic-arg" if vm.symbolic_args.len() as u64 >= MOST_ARGS => {
                    return Err(format!("option {name}: more than {MOST_ARGS}"));
                }
                "symbolic-arg" => vm.symbolic_args.push(bounded(MOST_BYTES)?),
                "symbolic-stdin" => vm.symbolic_stdin = Some(bounded(MOST_BYTES)?),
                "symbolic-file" => vm.symbolic_files.push(symbolic_file(value)?),
                "stdin" => given.stdin = Some(stdin_file(value)?),
                "file" => given.files.push(given_file(value)?),
                "cflag" => frontend.cflags.push(value.clone()),
                "include" => frontend.include.push(value.into()),
                "define" => frontend.define.push(value.clone()),
                "std" => frontend.std = Some(value.clone()),
                "arg" => vm.args.push(value.clone()),
                _ => return Err(format!("option {name} {value} is not known")),
            }
        }
        setup.given.fill(&mut setup.vm);
        Ok(setup)
    }
}

fn solver(given: &InputArgs) -> SolverOptions {
    let mut options = SolverOptions::default();
    if let Some(timeout) = given.solver_timeout {
        options.timeout = timeout.0;
    }
    options.layers.clone_from(&given.solver_layers);
    if let Some(layers) = &mut options.layers {
        layers.retain(|layer| layer != "none");
    }
    options.log_queries.clone_from(&given.log_queries);
    options
}

/// The source texts of a loaded program by path.
pub(crate) fn sources(loaded: &Loaded) -> Sources {
    let files = loaded.module.files.iter().zip(loaded.sources.iter());
    files
        .filter_map(|(path, text)| Some((path.clone(), text.clone()?)))
        .collect()
}

/// A machine at the beginning that shows each visible action as an event, with its detectors: for
/// replays.
///
/// # Panics
/// If the machine cannot be made; the caller has made one before, and nothing has changed since.
pub(crate) fn machine(program: &Arc<Program>) -> (Vm, Detectors) {
    with_detectors(program, Vm::new(Arc::clone(program)))
}

/// The same for explorers: with as few events as possible.
///
/// # Panics
/// As [`machine`].
pub(crate) fn fusing_machine(program: &Arc<Program>) -> (Vm, Detectors) {
    with_detectors(program, Vm::fusing(Arc::clone(program)).map(Vm::bounded))
}

/// The same with each visible action as an event.
///
/// # Panics
/// As [`machine`].
pub(crate) fn stepping_machine(program: &Arc<Program>) -> (Vm, Detectors) {
    with_detectors(program, Vm::new(Arc::clone(program)).map(Vm::bounded))
}

/// The same for the unfolding: events do not depend on what others decided beside them.
///
/// # Panics
/// As [`machine`].
pub(crate) fn canonical_machine(program: &Arc<Program>) -> (Vm, Detectors) {
    with_detectors(program, Vm::canonical(Arc::clone(program)))
}

fn with_detectors(program: &Program, vm: Result<Vm, selvedge_vm::Error>) -> (Vm, Detectors) {
    match vm {
        Ok(vm) => {
            let races = program.options.record_accesses.then(RaceDetector::new);
            let leaks = program.options.leaks.then(LeakDetector::new);
            (vm, (races, (DeadlockDetector::new(), leaks)))
        }
        Err(error) => panic!("a machine could be made once and not again: {error}"),
    }
}

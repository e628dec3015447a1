//! From options to a program that machines can run: compiled, linked and lowered. And the options
//! in the form in which a schedule stores them.

use crate::given::{Given, MOST_ARGS, MOST_BYTES, given_file, requests, stdin_file, symbolic_file, variable};
use crate::given_tree::given_tree;
use crate::peer::{MOST_PEERS, given_client, given_server, symbolic_packet};
use selvedge_analysis::essential::{LeafLocks, Names, Purpose, Waits};
use selvedge_base::StmtId;
use selvedge_frontend::{Language, Loaded};
use selvedge_ir::FuncId;
use selvedge_report::Sources;
use selvedge_schedule::Schedule;
use selvedge_vm::{Requests, Visibility};
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

/// Everything that decides what a program does under a given schedule.
#[derive(Clone, Default, Debug)]
pub struct Setup {
    /// The files that the program is made of.
    pub inputs: Vec<PathBuf>,
    /// How they are compiled.
    pub frontend: selvedge_frontend::Options,
    /// How the program is run.
    pub vm: selvedge_vm::Options,
    /// Standard input and files as the command line names them; `vm` has their contents.
    pub given: Given,
    /// True if all atomic blocks have one class, whatever is known of what they touch.
    pub one_block_class: bool,
    /// True if executions are divided where loops go round, for a set of schedules.
    pub epochs: bool,
    /// If set, only accesses that can affect a requested property are scheduling points.
    pub predicate: Option<Purpose>,
    /// Weak symbols of the loaded program that have no definition.
    pub absent: Vec<String>,
    /// Functions without a body whose machine code is in an input, with the input's name.
    pub machine_code: BTreeMap<FuncId, String>,
}

impl Setup {
    /// The options with which the front end loads the inputs.
    pub fn loading(&self) -> selvedge_frontend::Options {
        let from_outside = !self.vm.symbolic_args.is_empty()
            || self.vm.symbolic_stdin.is_some()
            || self.vm.requests.is_some()
            || !self.vm.symbolic_files.is_empty()
            || self.given.peers.iter().any(|peer| peer.symbolic);
        selvedge_frontend::Options {
            symbolic: from_outside,
            serving: !self.vm.peers.is_empty(),
            ..self.frontend.clone()
        }
    }

    /// Compiles the inputs, with LLVM in this process. This is for programs that the caller trusts.
    /// Others are loaded by [`load_isolated`](selvedge_frontend::load_isolated).
    ///
    /// # Errors
    /// If an input cannot be read, compiled or linked.
    pub fn load(&self) -> Result<Loaded, selvedge_frontend::Error> {
        selvedge_frontend::load(&self.inputs, &self.loading())
    }

    /// The schedule with inputs and options, without steps.
    pub fn schedule(&self) -> Schedule {
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
        if let Some(predicate) = &self.predicate {
            add("dependence", "predicate".to_owned());
            add("leaf-locks", switch(predicate.leaf == LeafLocks::Matter));
            if predicate.names == Names::Exact {
                add("exact-names", switch(true));
            }
            if predicate.waits == Waits::Matter {
                add("waits", switch(true));
            }
            predicate
                .also
                .iter()
                .for_each(|stmt| add("essential", stmt.0.to_string()));
        }
        if self.one_block_class {
            add("one-block-class", switch(true));
        }
        add("timeouts", switch(self.vm.timeouts));
        if let Some(steps) = self.vm.clock_steps {
            add("clock-steps", steps.to_string());
        }
        add("spurious-wakeups", switch(self.vm.spurious_wakeups));
        add("weak-cas-failures", switch(self.vm.weak_failures));
        if self.vm.early_handles {
            add("thread-handles", "early".to_owned());
        }
        if !self.vm.other_peers {
            add("other-peers", switch(false));
        }
        add("overflow", switch(self.vm.check_overflow));
        if self.vm.unwritten_inputs {
            add("unwritten-inputs", switch(true));
        }
        if !self.vm.error_calls {
            add("error-calls", switch(false));
        }
        if self.vm.record_dead_accesses {
            add("dead-accesses", switch(true));
        }
        if self.vm.leaks {
            add("leaks", switch(true));
        }
        if self.vm.visible_setup {
            add("visible-setup", switch(true));
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
        if let Some(language) = self.frontend.language {
            add("language", language.word().to_owned());
        }
        for (file, flags) in &self.frontend.file_flags {
            add("file-cflags", format!("{}={}", file.display(), flags.join(" ")));
        }
        if !self.frontend.poll_once {
            add("bounded-polling", "all".to_owned());
        }
        if !self.frontend.rust_claims {
            add("rust-locks", "executed".to_owned());
        } else if !self.frontend.rust_threads_kept {
            add("rust-threads", "destroyed".to_owned());
        }
        if self.frontend.asks_guards {
            add("static-guards", "asked".to_owned());
        }
        if self.frontend.lenient {
            add("lenient", switch(true));
        }
        for target in &self.frontend.targets {
            add("target", target.clone());
        }
        self.vm.args.iter().for_each(|arg| add("arg", arg.clone()));
        if self.vm.inputs.is_some() {
            add("inputs", "fixed".to_owned());
        }
        add("input-size", self.vm.input_size.to_string());
        let sizes = &self.vm.symbolic_args;
        sizes
            .iter()
            .for_each(|size| add("symbolic-arg", size.to_string()));
        let environment = self.vm.environment.iter();
        environment.for_each(|variable| add("env", variable.clone()));
        let given = self.given.stdin.iter().map(|file| ("stdin", file));
        for (name, file) in given.chain(self.given.files.iter().map(|file| ("file", file))) {
            add(name, file.text.clone());
        }
        for peer in &self.given.peers {
            add(peer.text.0, peer.text.1.clone());
        }
        let trees = self.given.trees.iter();
        trees.for_each(|tree| add("dir", tree.text.clone()));
        let stdin = self.vm.symbolic_stdin;
        stdin
            .iter()
            .for_each(|size| add("symbolic-stdin", size.to_string()));
        if let Some(Requests { size, most }) = self.vm.requests {
            let most = most.map_or_else(String::new, |most| format!(":{most}"));
            add("symbolic-requests", format!("{size}{most}"));
        }
        if self.epochs {
            add("epochs", switch(true));
        }
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

    /// The setup with which a schedule was made.
    ///
    /// # Errors
    /// The option that is not known, as text.
    pub fn from_schedule(schedule: &Schedule) -> Result<Setup, String> {
        let mut setup = Setup {
            inputs: schedule.inputs.iter().map(PathBuf::from).collect(),
            ..Setup::default()
        };
        setup.frontend.poll_once = true;
        setup.frontend.scratch_registers = true;
        setup.frontend.rust_claims = true;
        setup.frontend.rust_threads_kept = true;
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
                "dependence" if value == "predicate" => {
                    setup.predicate = Some(Purpose {
                        also: BTreeSet::new(),
                        leaf: LeafLocks::Matter,
                        names: Names::PerExecution,
                        waits: Waits::LeftOut,
                    });
                }
                "leaf-locks" => {
                    let predicate = setup.predicate.as_mut();
                    let predicate =
                        predicate.ok_or("option leaf-locks: no dependence predicate before it")?;
                    predicate.leaf = match on()? {
                        true => LeafLocks::Matter,
                        false => LeafLocks::LeftOut,
                    };
                }
                "exact-names" => {
                    let predicate = setup.predicate.as_mut();
                    let predicate =
                        predicate.ok_or("option exact-names: no dependence predicate before it")?;
                    predicate.names = match on()? {
                        true => Names::Exact,
                        false => Names::PerExecution,
                    };
                }
                "waits" => {
                    let predicate = setup.predicate.as_mut();
                    let predicate = predicate.ok_or("option waits: no dependence predicate before it")?;
                    predicate.waits = match on()? {
                        true => Waits::Matter,
                        false => Waits::LeftOut,
                    };
                }
                "essential" => {
                    let stmt = value.parse().map_err(|_| "option essential: expected a number")?;
                    let predicate = setup.predicate.as_mut();
                    let predicate = predicate.ok_or("option essential: no dependence predicate before it")?;
                    predicate.also.insert(StmtId(stmt));
                }
                "one-block-class" => setup.one_block_class = on()?,
                "visible-setup" => vm.visible_setup = on()?,
                "timeouts" => vm.timeouts = on()?,
                "clock-steps" => {
                    let steps = value.parse();
                    vm.clock_steps = Some(steps.map_err(|_| "option clock-steps: expected a number")?);
                }
                "spurious-wakeups" => vm.spurious_wakeups = on()?,
                "weak-cas-failures" => vm.weak_failures = on()?,
                "thread-handles" if value == "early" => vm.early_handles = true,
                "other-peers" => vm.other_peers = on()?,
                "overflow" => vm.check_overflow = on()?,
                "unwritten-inputs" => vm.unwritten_inputs = on()?,
                "error-calls" => vm.error_calls = on()?,
                "dead-accesses" => vm.record_dead_accesses = on()?,
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
                "symbolic-requests" => vm.requests = Some(requests(value)?),
                "epochs" => setup.epochs = on()?,
                "symbolic-file" => vm.symbolic_files.push(symbolic_file(value)?),
                "env" => vm.environment.push(variable(value)?),
                "stdin" => given.stdin = Some(stdin_file(value)?),
                "file" => given.files.push(given_file(value)?),
                "client" | "server" | "symbolic-packet" if given.peers.len() >= MOST_PEERS => {
                    return Err(format!("option {name}: more than {MOST_PEERS}"));
                }
                "client" => given.peers.push(given_client(value)?),
                "server" => given.peers.push(given_server(value)?),
                "symbolic-packet" => given.peers.push(symbolic_packet(value)?),
                "dir" => given.trees.push(given_tree(value)?),
                "cflag" => frontend.cflags.push(value.clone()),
                "include" => frontend.include.push(value.into()),
                "define" => frontend.define.push(value.clone()),
                "language" if value == "c" => frontend.language = Some(Language::C),
                "language" if value == "c++" => frontend.language = Some(Language::Cxx),
                "file-cflags" => {
                    let flags = file_flags(value);
                    frontend
                        .file_flags
                        .push(flags.ok_or("option file-cflags: expected FILE=FLAGS")?);
                }
                "bounded-polling" if value == "all" => frontend.poll_once = false,
                "rust-locks" if value == "executed" => frontend.rust_claims = false,
                "rust-threads" if value == "destroyed" => frontend.rust_threads_kept = false,
                "static-guards" if value == "asked" => frontend.asks_guards = true,
                "lenient" => frontend.lenient = on()?,
                "target" => frontend.targets.push(value.clone()),
                "std" => frontend.std = Some(value.clone()),
                "arg" => vm.args.push(value.clone()),
                _ => return Err(format!("option {name} {value} is not known")),
            }
        }
        setup.given.fill(&mut setup.vm);
        Ok(setup)
    }
}

/// `FILE=FLAGS`: compiler arguments for one source, separated by white space.
pub fn file_flags(text: &str) -> Option<(PathBuf, Vec<String>)> {
    let (file, flags) = text.split_once('=')?;
    (!file.is_empty()).then(|| (file.into(), flags.split_whitespace().map(str::to_owned).collect()))
}

/// The source texts of a loaded program, by path.
pub fn sources(loaded: &Loaded) -> Sources {
    let files = loaded.module.files.iter().zip(loaded.sources.iter());
    files
        .filter_map(|(path, text)| Some((path.clone(), text.clone()?)))
        .collect()
}

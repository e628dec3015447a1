//! Makes a program ready to run: decides what each function's name means, places the globals, and
//! compiles the code.

use super::bind::{bind, entry_name, is_reported, symbolic_bodies};
use super::globals::place_globals;
use super::{Binding, Error, Program, errno};
use crate::compile;
use crate::confined::variables::Confinement;
use crate::counters::Counted;
use crate::libc::files::POLLS;
use crate::libc::signal;
use crate::names::{self, Name};
use crate::options::Options;
use crate::sync::{Fusible, is_wait, polls_end, tries_mutexes};
use selvedge_analysis::{PrivateLocals, rust_start};
use selvedge_base::Id;
use selvedge_ir::{FuncId, Function, InstKind, LocalId, Module, Operand, Reg, Terminator, Type};
use selvedge_solver::Sink;
use std::sync::atomic::{AtomicBool, AtomicU64};
use std::sync::{Arc, Mutex, OnceLock};

impl Program {
    /// Compiles a module.
    ///
    /// # Errors
    /// If it has no entry function or a global is too large.
    pub fn new(module: impl Into<Arc<Module>>, options: Options) -> Result<Arc<Program>, Error> {
        let module = module.into();
        let entry = match module.function(entry_name(&module, &options)) {
            Some(f) if module.functions[f].is_defined() => f,
            _ => return Err(Error::NoEntry(options.entry)),
        };
        let symbolic_bodies = symbolic_bodies(&module);
        let solver_options = solver_options(&options)?;
        let bindings = bind(&module, &options);
        let missing = module
            .functions
            .ids()
            .filter(|f| {
                matches!(bindings[f.index()], Binding::Missing) && is_reported(&module.functions[*f].name)
            })
            .collect();
        let (globals, thread_locals) = place_globals(&module)?;
        let mut names = vec![Name::default()];
        names.extend(module.globals.iter().map(|g| Name {
            text: names::of_global(&module, g).to_owned(),
            shape: g.shape,
        }));
        let mapping = names.len() as u32;
        names.push(Name {
            text: "mapping".to_owned(),
            shape: None,
        });
        let is_atomic = |name: &str| name.starts_with("__VERIFIER_atomic_");
        let atomic = module
            .functions
            .iter()
            .map(|f| f.is_defined() && is_atomic(&f.name))
            .collect();
        let of_peers = |what: fn(&str) -> bool| -> Vec<FuncId> {
            let functions = module.functions.ids();
            functions.filter(|&id| what(&module.functions[id].name)).collect()
        };
        let peers = of_peers(|name| matches!(name, "__selvedge_client" | "__selvedge_server"));
        let mut program = Program {
            atomic,
            executed: AtomicU64::new(0),
            points: Vec::new(),
            reached: Mutex::default(),
            solver: Mutex::default(),
            classes: None,
            strayed: AtomicBool::new(false),
            hidden_addresses: AtomicBool::new(false),
            locals: Vec::new(),
            atomic_blocks: module.functions.iter().any(|f| is_atomic(&f.name)),
            exit_handlers: !peers.is_empty()
                || !module.destructors.is_empty()
                || module
                    .functions
                    .iter()
                    .any(|f| matches!(f.name.as_str(), "atexit" | "__cxa_atexit")),
            peers,
            starts_peers: of_peers(|name| name == "__selvedge_peer_listen"),
            polls_ends: module.functions.iter().any(|f| polls_end(&f.name)),
            weak_exchanges: has(&module, |kind| {
                matches!(kind, InstKind::CompareExchange { weak: true, .. })
            }),
            fences: has(&module, |kind| matches!(kind, InstKind::Fence { .. })),
            numbers_of_addresses: makes_numbers_of_addresses(&module),
            addresses: Mutex::default(),
            handlers: Mutex::default(),
            begun: AtomicU64::new(0),
            timed_out: AtomicBool::new(false),
            ended: AtomicBool::new(false),
            assumed: AtomicBool::new(false),
            longest_time: AtomicU64::new(0),
            handles_signals: module.functions.iter().any(|f| signal::sets_handlers(&f.name)),
            cancels: module.functions.iter().any(|f| f.name == "pthread_cancel"),
            reads_clocks: module.functions.iter().any(|f| crate::libc::reads_clock(&f.name)),
            fusible: Fusible::of(&module),
            tries_mutexes: module.functions.iter().any(|f| tries_mutexes(&f.name)),
            starts_rust: rust_start::starts(&module),
            spoiled: AtomicBool::new(false),
            turns: OnceLock::new(),
            awaits: OnceLock::new(),
            told_apart: AtomicBool::new(false),
            absolute_times: AtomicBool::new(false),
            confinement: Confinement::default(),
            counted: Counted::default(),
            sampled: OnceLock::new(),
            polls: module.functions.iter().any(|f| POLLS.contains(&f.name.as_str())),
            code: Vec::new(),
            liveness: OnceLock::new(),
            indexed: OnceLock::new(),
            open: Mutex::default(),
            bindings,
            symbolic_bodies,
            solver_options,
            entry,
            globals,
            thread_locals,
            names,
            mapping,
            own_operators: has_own_operators(&module),
            regions: Mutex::default(),
            signals: None,
            errno_kept: errno::kept(&module),
            missing,
            module,
            options,
        };
        program.classes = program.class_map();
        program.signals = signal::at_points(&program);
        let private = match &program.options.private_locals {
            Some(known) => Arc::clone(known),
            None => Arc::new(PrivateLocals::of(&program.module)),
        };
        let mut codes = Vec::with_capacity(program.module.functions.len());
        for func in program.module.functions.ids() {
            if program.options.stop.is_set() {
                return Err(Error::Stopped);
            }
            let mut names = std::mem::take(&mut program.names);
            let mut points = std::mem::take(&mut program.points);
            codes.push(compile::function(
                (&program, &private),
                func,
                &mut names,
                &mut points,
            ));
            program.names = names;
            program.points = points;
        }
        program.code = codes;
        program.locals = locals_by_name(&program);
        Ok(Arc::new(program))
    }

    /// Whether it may wait on condition variables or futexes.
    pub fn waits(&self) -> bool {
        let functions = self.module.functions.iter();
        functions.filter(|f| !f.is_defined()).any(|f| is_wait(&f.name))
    }
}

/// The locals in the order of their names, if each has one.
fn locals_by_name(program: &Program) -> Vec<(FuncId, LocalId)> {
    if program.options.explained.is_none() {
        return Vec::new();
    }
    let functions = program.module.functions.iter_ids();
    functions
        .flat_map(|(id, function)| function.locals.ids().map(move |local| (id, local)))
        .filter(|(id, _)| program.module.functions[*id].is_defined())
        .collect()
}

fn has(module: &Module, is: impl Fn(&InstKind) -> bool) -> bool {
    let mut insts = module
        .functions
        .iter()
        .flat_map(|f| f.blocks.iter())
        .flat_map(|b| &b.insts);
    insts.any(|inst| is(&inst.kind))
}

/// Whether some instruction makes a number of an address. Only then does the hot loop look for
/// results that depend on where objects are.
fn makes_numbers_of_addresses(module: &Module) -> bool {
    let is_address = |operand: &Operand| matches!(operand, Operand::Global(..) | Operand::Func(_));
    let makes = |function: &Function, kind: &InstKind| {
        let is_number = |dst: &Reg| function.regs[*dst].ty != Type::Ptr;
        match kind {
            InstKind::Cast { dst, a, from, .. } => (*from == Type::Ptr || is_address(a)) && is_number(dst),
            InstKind::Bin { a, b, .. } => is_address(a) || is_address(b),
            InstKind::Store { value, ty, .. } => *ty != Type::Ptr && is_address(value),
            InstKind::Copy { dst, value } => is_address(value) && is_number(dst),
            InstKind::Select { dst, a, b, .. } => (is_address(a) || is_address(b)) && is_number(dst),
            InstKind::Call { args, types, .. } => args
                .iter()
                .zip(types)
                .any(|(argument, ty)| *ty != Type::Ptr && is_address(argument)),
            _ => false,
        }
    };
    module.functions.iter().any(|function| {
        function.blocks.iter().any(|block| {
            let returns = matches!(&block.term, Terminator::Return(values) if values.iter().any(is_address));
            returns || block.insts.iter().any(|inst| makes(function, &inst.kind))
        })
    })
}

/// Whether a program has a global `operator new` or `delete` of its own.
fn has_own_operators(module: &Module) -> bool {
    let mut own = module.functions.iter().filter(|f| f.is_defined());
    let operators = ["_Znw", "_Zna", "_Zdl", "_Zda"];
    own.any(|f| operators.iter().any(|operator| f.name.starts_with(operator)))
}

/// The options of all solvers of a program. Those that write queries share one directory.
fn solver_options(of: &Options) -> Result<selvedge_solver::Options, Error> {
    let options = &of.solver;
    let mut all = selvedge_solver::Options {
        time: options.timeout,
        stop: Some(of.stop.shared()),
        ..selvedge_solver::Options::default()
    };
    if let Some(layers) = &options.layers {
        all = all
            .with_layers(layers)
            .map_err(|e| Error::SolverOptions(e.to_string()))?;
    }
    if let Some(directory) = &options.log_queries {
        let failed = |e| Error::SolverOptions(format!("{}: {e}", directory.display()));
        all.log = Some(Sink::directory(directory).map_err(failed)?);
    }
    Ok(all)
}

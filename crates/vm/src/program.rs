//! A program that is ready to run: compiled code, addresses, and the meaning of each function name.
//! It is immutable and shared by all machines that run it.

mod binding;
mod globals;

pub(crate) use binding::{Binding, FUZZ_TARGET};
pub use globals::STREAMS;
pub(crate) use globals::{ENVIRON, PROGRAM_NAMES};

use binding::{bind, entry_name, is_reported, symbolic_bodies};
use globals::place_globals;

use crate::awaits::Awaits;
use crate::blocks::ClassMap;
use crate::code::Code;
use crate::compile;
use crate::compile::liveness::Liveness;
use crate::coverage::{Point, Reached};
use crate::memory::{Kind, Object};
use crate::names::Name;
use crate::options::Options;
use crate::statistics::SolverStatistics;
use crate::symbolic::solver_options;
use crate::sync::fuse::Fusible;
use crate::turns::Turns;
use rustc_hash::FxHashMap;
use selvedge_base::{Id, Location, StmtId};
use selvedge_ir::{FuncId, GlobalId, InstKind, Module};
use selvedge_model::{Property, Unsupported};
use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock};

const FUNC_BASE: u64 = 1 << 44;
const BLOCK_BASE: u64 = 1 << 45;
/// Thread regions that are computed. Those above are assigned on demand to threads that are not
/// main's children.
pub(crate) const DIRECT_REGIONS: u32 = 3072;

/// Why a module cannot be run at all.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Error {
    /// The options of the solver cannot be satisfied.
    #[error("the solver: {0}")]
    SolverOptions(String),
    /// The run was told to stop.
    #[error("told to stop while the program was compiled")]
    Stopped,
    /// There is no function to start with.
    #[error("the program has no function `{0}`")]
    NoEntry(String),
    /// A global is larger than any object of the machine.
    #[error("global variable `{0}` of {1} bytes is larger than the machine can hold")]
    GlobalTooLarge(String, u64),
}

/// A program. See the module's documentation.
pub struct Program {
    /// The program in the IR.
    pub module: Module,
    /// How it is run.
    pub options: Options,
    pub(crate) code: Vec<Code>,
    pub(crate) bindings: Vec<Binding>,
    /// For native models: the function in code with the same meaning. It is executed if symbolic
    /// values decide what the model does.
    pub(crate) symbolic_bodies: Vec<Option<FuncId>>,
    /// How the machines' solvers work.
    pub(crate) solver_options: selvedge_solver::Options,
    pub(crate) entry: FuncId,
    /// Address of each global; of thread-locals: their number.
    pub(crate) globals: Vec<u64>,
    pub(crate) thread_locals: Vec<GlobalId>,
    pub(crate) names: Vec<Name>,
    /// The number of the name that objects made by `mmap` have, and no others.
    pub(crate) mapping: u32,
    /// True if the program defines C++'s `new` or `delete` itself.
    pub(crate) own_operators: bool,
    pub(crate) regions: Mutex<FxHashMap<(u32, u32), u32>>,
    missing: Vec<FuncId>,
    /// Functions whose calls are atomic blocks.
    pub(crate) atomic: Vec<bool>,
    /// True if there are atomic blocks.
    pub(crate) atomic_blocks: bool,
    /// The classes of atomic blocks by address. `None` if there is one class.
    pub(crate) classes: Option<ClassMap>,
    /// See [`Program::has_strayed`].
    pub(crate) strayed: AtomicBool,
    /// Instructions executed by all dropped machines of this program.
    pub(crate) executed: AtomicU64,
    /// The places whose reaching is recorded; none unless the options request coverage.
    pub(crate) points: Vec<Point>,
    /// The places that dropped machines have reached.
    reached: Mutex<Reached>,
    /// The counts of all dropped machines of this program.
    solver: Mutex<SolverStatistics>,
    /// True if some thread may be cancelled.
    pub(crate) cancels: bool,
    /// True if some thread may wait for several pipes at once. Then all pipes count as one object.
    pub(crate) polls: bool,
    /// Whether there are weak compare-exchanges.
    pub(crate) weak_exchanges: bool,
    /// Statements that use addresses as numbers.
    addresses: Mutex<BTreeSet<StmtId>>,
    /// Statements that set handlers of signals.
    pub(crate) handlers: Mutex<BTreeSet<StmtId>>,
    /// True if functions may be registered to run at the process's exit.
    pub(crate) exit_handlers: bool,
    /// True if some thread may test whether another has ended, without waiting for it.
    pub(crate) polls_ends: bool,
    pub(crate) fusible: Fusible,
    /// Whether Rust's standard library starts the program's `main`.
    pub(crate) starts_rust: bool,
    /// True if the exploration with parts of events is incomplete.
    pub(crate) spoiled: AtomicBool,
    /// Where identical threads take turns, if they do.
    pub(crate) turns: OnceLock<Turns>,
    /// The loops in which threads are held while they wait, if they are.
    pub(crate) awaits: OnceLock<Awaits>,
    /// Threads that took turns were told apart after all.
    pub(crate) told_apart: AtomicBool,
    liveness: OnceLock<Vec<Liveness>>,
    /// The questions about properties that its machines could not decide.
    open: Mutex<BTreeSet<(Property, Unsupported)>>,
}

fn has_weak_exchanges(module: &Module) -> bool {
    let mut insts = module
        .functions
        .iter()
        .flat_map(|f| f.blocks.iter())
        .flat_map(|b| &b.insts);
    insts.any(|inst| matches!(inst.kind, InstKind::CompareExchange { weak: true, .. }))
}

impl Program {
    /// Compiles a module.
    ///
    /// # Errors
    /// If it has no entry function or a global is too large.
    pub fn new(module: Module, options: Options) -> Result<Arc<Program>, Error> {
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
            text: crate::names::of_global(&module, g).to_owned(),
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
        let mut program = Program {
            atomic,
            executed: AtomicU64::new(0),
            points: Vec::new(),
            reached: Mutex::default(),
            solver: Mutex::default(),
            classes: None,
            strayed: AtomicBool::new(false),
            atomic_blocks: module.functions.iter().any(|f| is_atomic(&f.name)),
            exit_handlers: !module.destructors.is_empty()
                || module
                    .functions
                    .iter()
                    .any(|f| matches!(f.name.as_str(), "atexit" | "__cxa_atexit")),
            polls_ends: module
                .functions
                .iter()
                .any(|f| crate::sync::join::polls_end(&f.name)),
            weak_exchanges: has_weak_exchanges(&module),
            addresses: Mutex::default(),
            handlers: Mutex::default(),
            cancels: module.functions.iter().any(|f| f.name == "pthread_cancel"),
            fusible: Fusible::of(&module),
            starts_rust: starts_rust(&module),
            spoiled: AtomicBool::new(false),
            turns: OnceLock::new(),
            awaits: OnceLock::new(),
            told_apart: AtomicBool::new(false),
            polls: module
                .functions
                .iter()
                .any(|f| crate::libc::files::POLLS.contains(&f.name.as_str())),
            code: Vec::new(),
            liveness: OnceLock::new(),
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
            missing,
            module,
            options,
        };
        program.classes = program.class_map();
        let escape = selvedge_analysis::Escape::of(&program.module);
        let mut codes = Vec::with_capacity(program.module.functions.len());
        for func in program.module.functions.ids() {
            if program.options.stop.is_set() {
                return Err(Error::Stopped);
            }
            let mut names = std::mem::take(&mut program.names);
            let mut points = std::mem::take(&mut program.points);
            codes.push(compile::function(
                (&program, &escape),
                func,
                &mut names,
                &mut points,
            ));
            program.names = names;
            program.points = points;
        }
        program.code = codes;
        Ok(Arc::new(program))
    }

    /// True if some [fusing](crate::Vm::fusing) machine of this program reached an action that its
    /// reduction had excluded. Then the exploration with such machines is incomplete, and has to be
    /// repeated with plain machines.
    #[inline]
    pub fn is_spoiled(&self) -> bool {
        self.spoiled.load(Ordering::Relaxed)
    }

    /// The questions about properties that its machines could not decide. They leave the verdict
    /// open.
    pub fn open_questions(&self) -> BTreeSet<(Property, Unsupported)> {
        self.open
            .lock()
            .unwrap_or_else(|poisoned| poisoned.into_inner())
            .clone()
    }

    /// Records a question about a property that a machine cannot decide.
    pub(crate) fn leave_open(&self, property: Property, what: Unsupported) {
        self.open
            .lock()
            .unwrap_or_else(|poisoned| poisoned.into_inner())
            .insert((property, what));
    }

    /// The statements at which addresses of different objects were compared, or an address became a
    /// number. Decisions there depend on where the machine places objects.
    pub fn address_uses(&self) -> BTreeSet<StmtId> {
        self.addresses
            .lock()
            .unwrap_or_else(|poisoned| poisoned.into_inner())
            .clone()
    }

    /// Records such a statement.
    pub(crate) fn note_address_use(&self, stmt: StmtId) {
        self.addresses
            .lock()
            .unwrap_or_else(|poisoned| poisoned.into_inner())
            .insert(stmt);
    }

    /// Whether it has weak compare-exchanges.
    pub fn has_weak_exchanges(&self) -> bool {
        self.weak_exchanges
    }

    /// Whether Rust's standard library starts its `main`.
    pub fn starts_rust(&self) -> bool {
        self.starts_rust
    }

    /// Whether it may wait on condition variables or futexes.
    pub fn waits(&self) -> bool {
        let functions = self.module.functions.iter();
        functions
            .filter(|f| !f.is_defined())
            .any(|f| crate::sync::is_wait(&f.name))
    }

    /// Instructions executed so far by all dropped machines of this program.
    pub fn executed(&self) -> u64 {
        self.executed.load(Ordering::Relaxed)
    }

    /// The counts about symbolic values of all dropped machines of this program.
    pub fn solver_statistics(&self) -> SolverStatistics {
        self.solver
            .lock()
            .unwrap_or_else(|poisoned| poisoned.into_inner())
            .clone()
    }

    /// The places that dropped machines have reached.
    pub(crate) fn reached(&self) -> Reached {
        self.reached
            .lock()
            .unwrap_or_else(|poisoned| poisoned.into_inner())
            .clone()
    }

    /// Adds the places that a machine has reached.
    pub(crate) fn add_reached(&self, reached: &Reached) {
        if !self.points.is_empty() {
            self.reached
                .lock()
                .unwrap_or_else(|poisoned| poisoned.into_inner())
                .add(reached);
        }
    }

    /// Adds what a machine has counted.
    pub fn add_solver_statistics(&self, counts: &SolverStatistics) {
        self.solver
            .lock()
            .unwrap_or_else(|poisoned| poisoned.into_inner())
            .add(counts);
    }

    /// Functions that the program declares and that have no body and no model, with their names.
    pub fn missing(&self) -> impl Iterator<Item = (FuncId, &str)> {
        self.missing
            .iter()
            .map(|&f| (f, self.module.functions[f].display.as_str()))
    }

    /// The live slots of a function; those of all functions are computed at the first call.
    pub(crate) fn liveness(&self, func: FuncId) -> &Liveness {
        let all = || {
            let code = self.code.iter();
            code.map(|code| Liveness::of(code, self.options.leaks)).collect()
        };
        &self.liveness.get_or_init(all)[func.index()]
    }

    /// The address of a function.
    pub fn function_address(&self, func: FuncId) -> u64 {
        FUNC_BASE + func.index() as u64 * 16
    }

    /// The function at an address.
    pub fn function_at(&self, address: u64) -> Option<FuncId> {
        let index = address.checked_sub(FUNC_BASE)? / 16;
        (address.is_multiple_of(16) && index < self.module.functions.len() as u64)
            .then(|| FuncId::from_index(index as usize))
    }

    /// The address of a block, for computed goto.
    pub(crate) fn block_address(&self, func: FuncId, block: usize) -> u64 {
        BLOCK_BASE | (func.index() as u64) << 20 | block as u64
    }

    /// The block of a function at an address.
    pub(crate) fn block_at(&self, func: FuncId, address: u64) -> Option<usize> {
        let first = self.block_address(func, 0);
        let blocks = self.module.functions[func].blocks.len() as u64;
        (address >= first && address - first < blocks).then(|| (address - first) as usize)
    }

    /// The memory region (owner number) of the `ordinal`-th thread created by the thread with
    /// region `parent`: the same in every interleaving. Main's is 1.
    pub fn region(&self, parent: u32, ordinal: u32) -> Option<u32> {
        if parent == 1 {
            return Some(1 + ordinal).filter(|&r| r < DIRECT_REGIONS);
        }
        let mut regions = self
            .regions
            .lock()
            .unwrap_or_else(|poisoned| poisoned.into_inner());
        let next = DIRECT_REGIONS + regions.len() as u32;
        Some(*regions.entry((parent, ordinal)).or_insert(next))
    }

    /// The name with a number, as in `Object::name`.
    pub fn name(&self, number: u32) -> &str {
        &self.names[number as usize].text
    }

    /// An object in words: `global \`x\` of 4 bytes`.
    pub fn object_text(&self, object: &Object) -> String {
        let size = if object.size == 1 {
            "1 byte".to_owned()
        } else {
            format!("{} bytes", object.size)
        };
        let name = self.name(object.name);
        let what = match object.kind {
            Kind::Global | Kind::Constant | Kind::Missing => "global",
            Kind::ThreadLocal => "thread-local variable",
            Kind::PrivateStack | Kind::Stack => "local variable",
            Kind::Heap => "heap object",
        };
        if name.is_empty() {
            match self.type_name(object) {
                "" => format!("a {what} of {size}"),
                ty => format!("a {what} of {size} (`{ty}`)"),
            }
        } else {
            format!("{what} `{name}` of {size}")
        }
    }

    /// The place of a statement.
    pub fn location(&self, stmt: StmtId) -> Location {
        let Some(s) = self.module.stmts.get(stmt) else {
            return Location::default();
        };
        let function = self
            .module
            .functions
            .get(s.func)
            .map(|f| f.display.clone())
            .unwrap_or_default();
        let file = self.module.files.get(s.span.file).cloned().unwrap_or_default();
        Location {
            file,
            line: s.span.line,
            column: s.span.column,
            function,
        }
    }

    /// Whether a statement is in the model library.
    pub(crate) fn in_library(&self, stmt: StmtId) -> bool {
        let function = self.module.stmts.get(stmt).map(|s| s.func);
        function.is_some_and(|f| self.module.functions.get(f).is_some_and(|f| f.library))
    }
}

/// Whether a program has a global `operator new` or `delete` of its own.
fn has_own_operators(module: &Module) -> bool {
    let mut own = module.functions.iter().filter(|f| f.is_defined());
    let operators = ["_Znw", "_Zna", "_Zdl", "_Zda"];
    own.any(|f| operators.iter().any(|operator| f.name.starts_with(operator)))
}

/// Whether a module has the start of Rust's standard library.
fn starts_rust(module: &Module) -> bool {
    let starts = |name: &str| {
        name.contains("lang_start") && selvedge_ir::demangle(name) == crate::machine::rust_start::START
    };
    module.functions.iter().any(|f| starts(&f.name))
}

//! A program that is ready to run: compiled code, addresses, and the meaning of each function name.
//! It is immutable and shared by all machines that run it.

mod assumption;
mod bind;
mod binding;
mod blocks;
mod counted;
mod coverage;
mod errno;
mod globals;
mod load;
mod names;
mod signals;

pub(crate) use binding::{Binding, FUZZ_TARGET};
pub use globals::STREAMS;
pub(crate) use globals::{ENVIRON, PROGRAM_NAMES};
pub(crate) use signals::Signals;

use crate::awaits::Awaits;
use crate::blocks::ClassMap;
use crate::code::Code;
use crate::compile::liveness::Liveness;
use crate::confined::variables::Confinement;
use crate::counters::Counted;
use crate::coverage::{Point, Reached};
use crate::memory::{Kind, Object};
use crate::names::Name;
use crate::options::Options;
use crate::sample::sampled::Sampled;
use crate::statistics::SolverStatistics;
use crate::sync::Fusible;
use crate::thread::{NO_CALL, Thread};
use crate::turns::Turns;
use rustc_hash::{FxHashMap, FxHashSet};
use selvedge_base::{Id, Location, StmtId};
use selvedge_ir::{FuncId, GlobalId, LocalId, Module};
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
    /// The options name two files by one path, or a file where a directory has to be.
    #[error("the given file `{0}` has the name of another one, or is below a file")]
    NameTaken(String),
    /// The options name too many peers.
    #[error("more than {MOST_PEERS} peers")]
    TooManyPeers,
}

/// The maximum number of peers.
pub(crate) const MOST_PEERS: usize = 64;

/// A program. See the module's documentation.
pub struct Program {
    /// The program in the IR.
    pub module: Arc<Module>,
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
    /// If handlers run at points.
    pub(crate) signals: Option<Signals>,
    /// The statement that keeps the address of `errno`, if one does.
    pub(crate) errno_kept: Option<StmtId>,
    missing: Vec<FuncId>,
    /// Functions whose calls are atomic blocks.
    pub(crate) atomic: Vec<bool>,
    /// True if there are atomic blocks.
    pub(crate) atomic_blocks: bool,
    /// The classes of atomic blocks by address. `None` if there is one class.
    pub(crate) classes: Option<ClassMap>,
    /// See [`Program::has_strayed`].
    pub(crate) strayed: AtomicBool,
    /// See [`Program::has_hidden_addresses`].
    pub(crate) hidden_addresses: AtomicBool,
    /// The locals by the numbers of their names, from the first one on; only with
    /// `Options::explained`.
    pub(crate) locals: Vec<(FuncId, LocalId)>,
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
    /// True if some thread may read a clock.
    pub(crate) reads_clocks: bool,
    /// Whether it may set handlers of signals.
    pub(crate) handles_signals: bool,
    /// True if some thread may wait for several pipes at once. Then all pipes count as one object.
    pub(crate) polls: bool,
    /// Whether there are weak compare-exchanges.
    pub(crate) weak_exchanges: bool,
    /// Whether there are fences.
    pub(crate) fences: bool,
    /// Whether the code makes numbers of addresses.
    pub(crate) numbers_of_addresses: bool,
    /// Statements that use addresses as numbers.
    addresses: Mutex<BTreeSet<StmtId>>,
    /// Statements that set handlers of signals.
    pub(crate) handlers: Mutex<BTreeSet<StmtId>>,
    /// Which peers have begun, one bit each.
    pub(crate) begun: AtomicU64,
    /// A wait has timed out in some execution.
    pub(crate) timed_out: AtomicBool,
    /// The process has come to its end in some execution.
    pub(crate) ended: AtomicBool,
    /// A thread has stopped at a false assumption in some execution.
    pub(crate) assumed: AtomicBool,
    /// The most seconds by which a clock has gone on.
    pub(crate) longest_time: AtomicU64,
    /// What the threads of peers from outside run.
    peers: Vec<FuncId>,
    /// The functions of the model library that start peers.
    pub(crate) starts_peers: Vec<FuncId>,
    /// True if there may be something to do at the process's exit: functions that are registered,
    /// or peers that go on without it.
    pub(crate) exit_handlers: bool,
    /// True if some thread may test whether another has ended, without waiting for it.
    pub(crate) polls_ends: bool,
    pub(crate) fusible: Fusible,
    /// True if there are operations that tell whether a mutex is held.
    pub(crate) tries_mutexes: bool,
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
    /// A time was used absolutely where clocks are relative.
    pub(crate) absolute_times: AtomicBool,
    pub(crate) confinement: Confinement,
    /// What was found out about counters.
    pub(crate) counted: Counted,
    /// What a few executions have shown.
    pub(crate) sampled: OnceLock<Sampled>,
    liveness: OnceLock<Vec<Liveness>>,
    /// The statements whose accesses have an index ([`crate::elements`]).
    indexed: OnceLock<FxHashSet<StmtId>>,
    /// The questions about properties that its machines could not decide.
    open: Mutex<BTreeSet<(Property, Unsupported)>>,
}

impl Program {
    /// The statements that make accesses at addresses that are computed with an index.
    pub(crate) fn indexed(&self) -> &FxHashSet<StmtId> {
        self.indexed
            .get_or_init(|| crate::elements::indexed(&self.module))
    }

    /// True if some [fusing](crate::Vm::fusing) machine of this program reached an action that its
    /// reduction had excluded. Then the exploration with such machines is incomplete, and has to be
    /// repeated with plain machines.
    #[inline]
    pub fn is_spoiled(&self) -> bool {
        self.spoiled.load(Ordering::Relaxed)
    }

    /// Whether a pointer pointed to what its points-to set does not have, so that nothing that was
    /// explored with [`Options::points`](crate::Options::points) stands.
    #[inline]
    pub fn has_hidden_addresses(&self) -> bool {
        self.hidden_addresses.load(Ordering::Relaxed)
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

    /// The slots of a thread's frame that are live: they may be read again. `None` means all slots;
    /// this happens only at places where threads are not expected to be.
    pub(crate) fn live_slots(&self, thread: &Thread, index: usize) -> Option<&[u16]> {
        let frame = thread.frame(index);
        let above = (index + 1 < thread.core.depth as usize).then(|| thread.frame(index + 1));
        let liveness = self.liveness(frame.func);
        match above {
            Some(above) if above.call != NO_CALL => liveness.suspended(above.call),
            _ => liveness.standing(frame.ip),
        }
    }

    /// The address of a function.
    pub fn function_address(&self, func: FuncId) -> u64 {
        FUNC_BASE + func.index() as u64 * 16
    }

    /// Whether there may be peers from outside.
    pub(crate) fn has_peers(&self) -> bool {
        !self.peers.is_empty()
    }

    /// Whether a thread is no part of the process but a peer from outside.
    pub(crate) fn is_peer(&self, thread: &Thread) -> bool {
        self.has_peers() && (self.function_at(thread.start.0)).is_some_and(|runs| self.peers.contains(&runs))
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

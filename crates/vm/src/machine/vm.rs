//! The machine: a program at one state, stepped by choices.

use crate::awaits::Awaiting;
use crate::confined::variables::Confined;
use crate::counters::Seen;
use crate::coverage::Reached;
use crate::fingerprint::{Fingerprints, Forget};
use crate::future::Foreseen;
use crate::machine::lines::Watch;
use crate::machine::long_step::LongStep;
use crate::program::Program;
use crate::state::State;
use crate::statistics::SolverStatistics;
use crate::symbolic::LazySolver;
use crate::value::Value;
use rustc_hash::{FxHashMap, FxHashSet};
use selvedge_base::{ForTests, StmtId};
use selvedge_expr::Evaluator;
use selvedge_ir::FuncId;
use selvedge_model::Outcome;
use smallvec::SmallVec;
use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::sync::Arc;

/// A program that several machines share.
pub(crate) struct Shared(pub(super) Arc<Program>);

impl std::ops::Deref for Shared {
    type Target = Program;
    fn deref(&self) -> &Program {
        &self.0
    }
}

/// A running program. It stays in its thread; other threads receive sequences of choices.
pub struct Vm {
    /// Behind an `Rc` of its own, so that a call can hold it without an atomic instruction.
    pub(crate) program: Rc<Shared>,
    /// The state.
    pub state: State,
    /// The outcome of the present step.
    pub(crate) outcome: Outcome,
    /// The alternative of the present step.
    pub(crate) alternative: u16,
    /// argc, argv, envp.
    pub(crate) main_args: SmallVec<[Value; 3]>,
    /// Instructions executed so far, over all steps, undone or not, and not
    /// [published](selvedge_model::Machine::publish_counts).
    pub instructions: u64,
    /// How many constraints, decisions and threads were hashed without names of inputs.
    pub(crate) renamed: Cell<u64>,
    /// The number of times that each backward jump was taken in this step; only with
    /// `Options::unroll`.
    pub(crate) jumps: FxHashMap<(FuncId, u32), u64>,
    /// Whether the present step has no end.
    pub(super) long_step: LongStep,
    /// The places that were reached, undone or not; only with `Options::coverage`.
    pub(crate) reached: Reached,
    /// Kept only if the options ask for them.
    pub(crate) fingerprints: Option<Box<Fingerprints>>,
    /// A deliberate mistake in removing names of inputs from fingerprints.
    pub(crate) forgets: ForTests<Forget>,
    /// Decides which outcomes of a decision on symbolic values are possible.
    pub(crate) solver: LazySolver,
    /// The solver's counts when counts were last published.
    pub(crate) published: SolverStatistics,
    /// Evaluates expressions.
    pub(crate) evaluator: Evaluator,
    /// Statements for which the program's use of addresses as numbers was reported.
    pub(crate) addresses: FxHashSet<StmtId>,
    /// What other threads may do in the present state before a given thread moves, if it was
    /// computed.
    pub(crate) foreseen: RefCell<Foreseen>,
    /// What is known of threads that wait in loops, if they are held.
    pub(crate) awaiting: Option<Box<Awaiting>>,
    /// The position in the memory's undo log at which the last step began.
    pub(crate) began: usize,
    /// The addresses of the synchronisation objects that the present step has made anew.
    pub(crate) anew: Vec<u64>,
    /// The atomic variables whose accesses are no actions.
    pub(crate) confined: Option<Rc<Confined>>,
    /// The accesses to these that the present step has made and that would have been actions.
    pub(crate) left_out: u32,
    /// What this machine has said of counters.
    pub(crate) noted_counters: FxHashSet<(u64, Seen)>,
    /// If true, a request to stop does not interrupt steps.
    pub(crate) deaf: bool,
    /// The data that a debugger collects in the present step.
    pub(super) watch: Option<Box<Watch>>,
}

/// The cost of a query to the solver, in instructions: the approximate cost on a path of some
/// thousand branches.
const QUERY: u64 = 20_000;

/// What it costs to hash a constraint, a decision or a thread without names of inputs, in
/// instructions: each is hashed anew in every state.
const RENAMED: u64 = 500;

impl Vm {
    /// The work of all steps so far, undone or not: instructions of the program, a price for each
    /// query to the solver, and one for what is hashed without names of inputs.
    #[inline]
    pub fn work(&self) -> u64 {
        self.instructions + QUERY * self.solver.queries() + RENAMED * self.renamed.get()
    }

    /// The instructions of all steps so far, undone or not.
    pub const fn instructions(&self) -> u64 {
        self.instructions
    }

    /// Whether it was made by [`Vm::canonical`].
    pub fn is_canonical(&self) -> bool {
        self.state.modes().canonical
    }

    /// True if so many objects of one thread and size were ever dead, or so many threads were
    /// joined by one creator, in an execution undone or not, that their places have to be used
    /// again if states are to return (see [`Options::many_dead`](crate::Options::many_dead)).
    #[inline]
    pub fn has_many_dead(&self) -> bool {
        self.state.has_many_dead()
    }

    /// See [`Program::is_spoiled`].
    #[inline]
    pub fn is_spoiled(&self) -> bool {
        self.program.is_spoiled()
    }

    /// Whether it was made by [`Vm::fusing`].
    pub fn is_fusing(&self) -> bool {
        self.state.modes().fuses
    }

    /// The program.
    pub fn program(&self) -> &Arc<Program> {
        &self.program.0
    }

    /// The places that were reached, undone or not; empty without `Options::coverage`.
    pub fn reached(&self) -> &Reached {
        &self.reached
    }

    /// Sets whether a request to stop interrupts steps. A step that was executed before is executed
    /// again completely; otherwise the resulting state would be a different one.
    pub(crate) fn set_deaf(&mut self, deaf: bool) {
        self.deaf = deaf;
        self.state.memory.set_deaf(deaf);
    }

    /// True if steps are interrupted now.
    #[inline]
    pub(crate) fn has_to_stop(&self) -> bool {
        self.program.options.stop.is_set() && !self.deaf
    }
}

impl Drop for Vm {
    fn drop(&mut self) {
        self.publish();
    }
}

/// A position in the undo log of a [`Vm`].
#[derive(Clone, Copy, Debug)]
pub struct Mark {
    pub(crate) state: usize,
    pub(crate) memory: usize,
}

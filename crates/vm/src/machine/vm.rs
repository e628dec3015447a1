//! The machine: a program at one state, stepped by choices.

use crate::awaits::Awaiting;
use crate::coverage::Reached;
use crate::fingerprint::{Fingerprints, Forget};
use crate::future::{self, Foreseen, Future};
use crate::machine::watch::Watch;
use crate::program::Program;
use crate::state::State;
use crate::statistics::SolverStatistics;
use crate::symbolic::LazySolver;
use crate::sync::{self, fuse, lifecycle};
use crate::thread::Stage;
use crate::value::Value;
use rustc_hash::{FxHashMap, FxHashSet};
use selvedge_base::{ForTests, Id, StmtId, ThreadId};
use selvedge_expr::Evaluator;
use selvedge_ir::FuncId;
use selvedge_model::{
    Access, Action, Choice, Event, Machine, Notice, ObjectId, Op, Outcome, Part, Pending, Status, Undo,
    Waiters, WaitsFor,
};
use smallvec::SmallVec;
use std::cell::RefCell;
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
    /// [published](Machine::publish_counts).
    pub instructions: u64,
    /// The number of times that each backward jump was taken in this step; only with
    /// `Options::unroll`.
    pub(crate) jumps: FxHashMap<(FuncId, u32), u64>,
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
    /// If true, a request to stop does not interrupt steps.
    pub(crate) deaf: bool,
    /// The data that a debugger collects in the present step.
    pub(super) watch: Option<Box<Watch>>,
}

/// The cost of a query to the solver, in instructions: the approximate cost on a path of some
/// thousand branches.
const QUERY: u64 = 20_000;

impl Vm {
    /// The work of all steps so far, undone or not: instructions of the program, and a price for
    /// each query to the solver.
    #[inline]
    pub fn work(&self) -> u64 {
        self.instructions + QUERY * self.solver.queries()
    }

    /// Whether it was made by [`Vm::canonical`].
    pub fn is_canonical(&self) -> bool {
        self.state.modes().canonical
    }

    /// True if a dead object's memory was ever reused, in an execution undone or not (see
    /// [`Options::quarantine`](crate::Options::quarantine)).
    #[inline]
    pub fn has_reused(&self) -> bool {
        self.state.has_reused()
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

impl Machine for Vm {
    fn publish_counts(&mut self) {
        self.publish();
    }

    fn drop_counts(&mut self) {
        self.drop_unpublished();
    }

    fn pending(&self) -> &[Pending] {
        self.state.pending()
    }

    fn step(&mut self, choice: Choice) -> Event {
        self.foreseen.get_mut().known = None;
        let thread = choice.thread;
        let pending = &self.state.pending()[thread.index()];
        assert!(
            pending.is_enabled() && choice.alternative < pending.alternatives,
            "thread {thread} cannot take alternative {} now",
            choice.alternative
        );
        let (mut action, alternatives) = (pending.action, pending.alternatives);
        let mark = Mark {
            state: self.state.position(),
            memory: self.state.memory.mark(),
        };
        self.began = mark.memory;
        self.state.memory.begin_step();
        self.state.clear_notices();
        self.state.clear_parts();
        self.outcome = Outcome::Done;
        self.alternative = choice.alternative;
        let constraints = self.state.path().constraints().len();
        let mut completes = false;
        if action.op == Op::Choose {
            self.choose(thread, choice.alternative);
            if let Some(begun) = self.state.path().begun(thread) {
                action = self.go_on_with(begun);
                completes = true;
            }
        }
        self.state.pass_on(&action);
        let has_turn = self.state.modes().turns && self.has_turn(&action, choice.alternative);
        let stands = self.before_causeless(&action, self.alternative);
        let core = self.state.begin_step(thread);
        let context = core.frame.context;
        core.had_turn |= has_turn;
        core.site = crate::memory::Site {
            stmt: action.stmt,
            context,
        };
        if core.depth > 0 {
            let at = !std::mem::take(&mut core.before);
            self.run_to_visible(thread, at);
        } else if action.op == Op::Start {
            if thread.index() > 0 && self.make_thread_locals(thread).is_err() {
                self.park(thread);
            } else {
                match self.start_thread(thread) {
                    None => self.run_to_visible(thread, false),
                    Some(_) => self.park(thread),
                }
            }
        } else {
            let program = self.program.clone();
            self.outcome = lifecycle::perform(&mut self.cx(&program, thread), &action);
            if self.state.thread(thread).core.stage == Stage::Finished {
                self.state.set_pending(
                    thread,
                    Pending {
                        action,
                        status: Status::Finished,
                        alternatives: 0,
                    },
                );
            } else {
                self.run_to_visible(thread, false);
            }
        }
        if self.is_undone(thread) {
            self.outcome = Outcome::Incomplete;
        }
        action.ends = self.state.thread(thread).core.stage == Stage::Finished
            && !matches!(action.op, Op::Exit | Op::ProcessExit)
            && self.state.pending()[thread.index()].action.op == Op::Exit;
        if action.ends && self.state.modes().fuses && !self.program.options.fingerprints {
            self.join_ended(thread);
        }
        if self.state.memory.was_cut() {
            self.give_up(thread, action.stmt);
        }
        self.check_block(&action);
        if self.state.modes().bounded {
            self.note_idle(&action, stands, mark);
        }
        if self.state.modes().turns {
            self.look_for_differences(&action);
        }
        if self.state.modes().awaits {
            self.note_round(&action, mark);
        }
        self.refresh(&action);
        // Other threads may have pending data choices in a canonical machine, or where a canonical
        // machine's steps are replayed.
        if self.state.path().constraints().len() != constraints {
            self.recheck_choices(thread);
        }
        if let Some(prints) = &mut self.fingerprints {
            prints.step_ended(&self.program, &self.state, thread, mark.state, mark.memory);
        }
        if self.state.modes().awaits {
            self.hold_rounds(thread, mark);
        }
        Event {
            action,
            context,
            alternative: choice.alternative,
            alternatives,
            outcome: self.outcome,
            completes,
        }
    }

    fn accesses(&self) -> &[Access] {
        self.state.memory.accesses()
    }

    fn parts(&self) -> &[Part] {
        self.state.parts()
    }

    fn notices(&self) -> &[Notice] {
        self.state.notices()
    }

    fn waiters(&self, set: Waiters) -> &[ThreadId] {
        self.state.set(set)
    }

    fn decision(&self, choice: Choice) -> u128 {
        let action = &self.state.pending()[choice.thread.index()].action;
        let named = match action.op {
            Op::Choose => self.arm_name(choice.thread, choice.alternative),
            Op::Signal => Some(0),
            Op::WaitTimeout => {
                sync::wait_ends_by(&self.state, choice.thread, choice.alternative).map(u128::from)
            }
            _ => None,
        };
        named.unwrap_or(u128::from(choice.alternative))
    }

    fn is_incomplete(&self, thread: ThreadId) -> bool {
        self.begun(thread).is_some()
    }

    fn goes_first(&self, thread: ThreadId) -> bool {
        let action = &self.state.pending()[thread.index()].action;
        action.is_local()
            || self.state.modes().left_movers && fuse::moves_left(&self.state, self.program.fusible, action)
            || self.is_foreseen(thread, action)
    }

    fn may_meet(&self, thread: ThreadId, accesses: &[Access]) -> bool {
        let stmt = self.state.pending()[thread.index()].action.stmt;
        self.foresee(thread, stmt, |future| {
            let meets = |a: &Access| future.conflicts(a.address, u64::from(a.size), a.write);
            !accesses.iter().any(meets)
        }) != Some(true)
    }

    fn takes_turns(&self, action: &Action) -> bool {
        self.state.modes().turns && self.program.is_turn(action.stmt)
    }

    fn refuse_turns(&self) {
        if self.state.modes().turns {
            self.program.tell_apart();
        }
        self.refuse_awaits();
    }

    fn refuse_awaits(&self) {
        if self.state.modes().awaits {
            self.program.refuse_awaits();
        }
    }

    fn may_wait(&self, thread: ThreadId) -> bool {
        self.may_complete_round(thread)
    }

    fn complete_rounds(&mut self) -> bool {
        self.complete_held_rounds()
    }

    fn has_changed(&self, object: ObjectId, size: u64) -> bool {
        !object.is_address() || self.state.memory.has_changed(self.began, object.0, size)
    }

    fn may_end(&self, thread: ThreadId) -> bool {
        crate::ends::may_end(&self.program, self.state.thread(thread))
    }

    fn waits_for(&self, thread: ThreadId) -> WaitsFor {
        sync::waits_for(&self.state, thread)
    }
}

impl Vm {
    /// True if no other thread may do anything dependent on an action before it happens.
    fn is_foreseen(&self, thread: ThreadId, action: &Action) -> bool {
        let Some((address, size, write)) = future::bytes(action) else {
            return false;
        };
        // Where there is no live object, one may be created.
        let memory = &self.state.memory;
        if self.state.thread(thread).core.atomic != 0 || memory.check(address, size, false).is_err() {
            return false;
        }
        self.foresee(thread, action.stmt, |future| {
            !future.conflicts(address, size, write)
        }) == Some(true)
    }

    /// The answer to a question about what other threads may do before a thread moves that is about
    /// to execute a statement. `None` if the question is not asked.
    fn foresee(&self, thread: ThreadId, stmt: StmtId, question: impl Fn(&Future) -> bool) -> Option<bool> {
        let mode = self.state.modes().futures?;
        let mut foreseen = self.foreseen.borrow_mut();
        if foreseen.known.as_ref().is_none_or(|(still, _)| *still != thread) {
            if mode.sparing && !foreseen.pays(stmt) {
                return None;
            }
            foreseen.look(self, thread, stmt, mode.elements);
        }
        let answer = foreseen.known.as_ref().map(|(_, future)| question(future));
        if answer == Some(true) {
            foreseen.was_useful(stmt);
        }
        answer
    }
}

/// A position in the undo log of a [`Vm`].
#[derive(Clone, Copy, Debug)]
pub struct Mark {
    pub(crate) state: usize,
    pub(crate) memory: usize,
}

impl Undo for Vm {
    type Mark = Mark;

    #[inline]
    fn mark(&mut self) -> Mark {
        Mark {
            state: self.state.position(),
            memory: self.state.memory.mark(),
        }
    }

    #[inline]
    fn undo(&mut self, mark: Mark) {
        self.foreseen.get_mut().known = None;
        if let Some(awaiting) = &mut self.awaiting {
            awaiting.suspended = false;
        }
        self.state.undo(mark.state);
        self.state.memory.undo(mark.memory);
        if let Some(prints) = &mut self.fingerprints {
            prints.undo(mark.state);
        }
    }
}

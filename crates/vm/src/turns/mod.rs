//! Identical threads take turns: those that have the same creator and function, and arguments with
//! which that does the same, and that the program cannot tell apart.
//!
//! If such threads change places in an execution, that is an execution, too, with the same faults
//! by other names. So it is enough to explore, of each set of executions that differ in this way,
//! one. Let S be a statement. Of the executions of a set, there is one in which identical threads
//! execute S for the first time in the order of their creation, those that never do at the end. So
//! a thread that is about to do so, and of which the one before it has not done so, is
//! [held](selvedge_model::Status::Held). A compare-and-exchange counts only where it succeeds.
//!
//! That restricts the program, whatever the strategy: [`Vm::with_turns`] is another system, of
//! which each execution is one of the program. Its dependence is that of the program, since whoever
//! lets another go on by its turn has used the same object in a dependent way: S is a write, or
//! takes a lock, always of the same object.
//!
//! What must hold of the program as a text is known before (`Identical`); what must hold of its
//! executions is looked at here: the threads are created with nothing between that others may see,
//! and joined so, by their creator; addresses are not compared but for equality. Else they are
//! *told apart*, and the exploration has to be made again without turns. That is enough: up to the
//! first such event all that was said holds, so if some execution has one, one that is explored has
//! one.
//!
//! Where S is, is a question of cost only. One execution, in which each thread runs as far as it
//! can, says which statements all identical threads execute once on one object.

mod places;
mod twin;

pub use places::Identical;
pub(crate) use places::Turns;
pub(crate) use twin::twin;

use crate::code::Op as Code;
use crate::program::{Error, Program};
use crate::value::Value;
use crate::vm::Vm;
use places::{At, Start};
use rustc_hash::{FxHashMap, FxHashSet};
use selvedge_base::{Id, StmtId, ThreadId};
use selvedge_ir::InstKind;
use selvedge_model::{Access, Action, Choice, Machine, MemoryOrder, Op, Outcome};
use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::OnceLock;
use std::sync::atomic::Ordering;

/// Steps of the execution that says where threads take turns, and steps of one thread in a row.
const MOST_STEPS: usize = 4_000;
const MOST_IN_A_ROW: usize = 200;
/// Decisions on inputs in it: each takes longer than the one before.
const MOST_DECISIONS: usize = 50;
/// What it may cost, as [`Vm::work`] counts.
const MOST_WORK: u64 = 4_000_000;

impl Program {
    /// Finds out where identical threads can take turns, if there are some that can.
    ///
    /// # Errors
    /// If no machine can be made.
    pub fn learn_turns(self: &Arc<Program>, identical: &Identical) -> Result<(), Error> {
        let starts = identical.starts.iter();
        let turns = Turns {
            starts: starts
                .map(|(&function, given)| (self.function_address(function), given.clone()))
                .collect(),
            handles: identical.handles.iter().copied().collect(),
            at: OnceLock::new(),
        };
        let turns = self.turns.get_or_init(|| turns);
        let found = places(
            Vm::new(Arc::clone(self))?.with_all_counters().with_turns(),
            identical.place,
        );
        turns.at.get_or_init(|| found);
        Ok(())
    }

    /// Whether machines let identical threads take turns: it is known where, and they were not told
    /// apart.
    pub fn takes_turns(&self) -> bool {
        let at = self.turns.get().and_then(|turns| turns.at.get());
        at.is_some_and(|at| !at.is_empty()) && !self.told_apart()
    }

    /// Where identical threads take turns: their statements, in order.
    pub fn turns(&self) -> BTreeSet<StmtId> {
        let at = self.turns.get().and_then(|turns| turns.at.get());
        at.into_iter()
            .flat_map(FxHashMap::values)
            .map(|at| at.stmt)
            .collect()
    }

    /// Whether threads that took turns were told apart: what was explored with turns is then
    /// incomplete, and has to be explored again without.
    pub fn told_apart(&self) -> bool {
        self.told_apart.load(Ordering::Relaxed)
    }

    /// Records that threads that took turns were told apart.
    #[cold]
    pub fn tell_apart(&self) {
        self.told_apart.store(true, Ordering::Relaxed);
    }

    fn at(&self, start: (u64, Value)) -> Option<At> {
        let turns = self.turns.get()?;
        turns.at.get()?.get(&turns.start(start)).copied()
    }

    /// Whether threads take turns at a statement.
    pub(crate) fn is_turn(&self, stmt: StmtId) -> bool {
        let at = self.turns.get().and_then(|turns| turns.at.get());
        at.is_some_and(|at| at.values().any(|at| at.stmt == stmt))
    }
}

impl Vm {
    /// The same, where identical threads take turns, if it was found out where
    /// ([`Program::learn_turns`]): an exploration may rely on that unless they were
    /// [told apart](Program::told_apart).
    pub fn with_turns(mut self) -> Vm {
        let knows = self.program.turns.get().is_some();
        self.set_turns(knows);
        self
    }

    /// Whether a thread is at the place where it has its turn, and has not had it: whether what it
    /// does there now is that.
    fn stands_at_turn(&self, action: &Action) -> bool {
        let thread = self.state.thread(action.thread);
        if thread.core.had_turn {
            return false;
        }
        let Some(at) = self.program.at(thread.start).filter(|at| at.stmt == action.stmt) else {
            return false;
        };
        if at != At::of(action) || action.blocks.is_some() || action.cancelable {
            self.program.tell_apart();
            return false;
        }
        if !action.may_fail {
            return true;
        }
        match self.succeeds(action) {
            Some(succeeds) => succeeds,
            None => {
                self.program.tell_apart();
                false
            }
        }
    }

    /// Whether a thread that could do its action has to leave the turn to the one before it.
    pub(crate) fn is_held(&self, action: &Action) -> bool {
        let Some(before) = self.state.thread(action.thread).twin else {
            return false;
        };
        !self.state.thread(before).core.had_turn && self.stands_at_turn(action)
    }

    /// Whether an action that is about to be taken, with this alternative, is a thread's turn.
    pub(crate) fn has_turn(&self, action: &Action, alternative: u16) -> bool {
        alternative == 0 && self.stands_at_turn(action)
    }

    /// Whether a pending compare-and-exchange would store its new value; `None` if that depends on
    /// inputs.
    fn succeeds(&self, action: &Action) -> Option<bool> {
        let core = &self.state.thread(action.thread).core;
        if core.depth == 0 || core.before {
            return None;
        }
        let code = &self.program.code[core.frame.func.index()];
        let inst = code.insts[core.frame.ip as usize];
        if inst.op != Code::Complex {
            return None;
        }
        let number = inst.long() as usize;
        let InstKind::CompareExchange { ty, .. } = code.complex[number] else {
            return None;
        };
        self.compares_equal(action.thread, ty, &code.operands[number], action.object.0)
    }

    /// After a step: whether it shows a difference between identical threads. And whether all that
    /// its thread did lately was to create one.
    pub(crate) fn look_for_differences(&mut self, action: &Action) {
        let thread = action.thread;
        let creates = action.op == Op::Spawn
            && matches!(self.outcome, Outcome::Thread(_))
            && self.state.parts().is_empty()
            && self.state.pending()[thread.index()].action.op == Op::Spawn
            && self
                .state
                .memory
                .accesses()
                .iter()
                .all(|access| self.is_quiet(access));
        if creates != self.state.thread(thread).core.has_just_created {
            self.state.own_core(thread).has_just_created = creates;
        }
        if self.joins_visibly(action) {
            self.program.tell_apart();
        }
    }

    fn is_quiet(&self, access: &Access) -> bool {
        let turns = self.program.turns.get();
        access.order == MemoryOrder::NotAtomic
            && turns.is_some_and(|turns| turns.handles.contains(&access.stmt))
    }

    /// Whether a thread does something that others may see while it has joined some of several
    /// identical threads, but not all; or who joins did not create.
    fn joins_visibly(&self, action: &Action) -> bool {
        let threads = self.state.threads();
        let is_twin = |thread: ThreadId| {
            let follows = |t: &crate::thread::Thread| t.twin == Some(thread);
            threads.get(thread.index()).is_some_and(|t| t.twin.is_some()) || threads.iter().any(follows)
        };
        let joins = |action: &Action| {
            let joined = action.object.as_thread().filter(|_| action.op == Op::Join);
            joined.filter(|&joined| is_twin(joined))
        };
        // How many accesses came before each join of the step.
        let own = joins(action).map(|joined| (joined, action.thread, 0));
        let parts = self.state.parts().iter();
        let parts = parts.filter_map(|part| Some((joins(&part.action)?, part.action.thread, part.accesses)));
        let (mut first, mut last, mut by) = (None, None, None);
        for (joined, joiner, accesses) in own.into_iter().chain(parts) {
            if threads[joined.index()].parent != joiner {
                return true;
            }
            first = first.or(Some(accesses));
            (last, by) = (Some(accesses), Some(joiner));
        }
        // Who has joined some, but not all.
        let between = threads.iter().find_map(|t| {
            let other = &threads[t.twin?.index()];
            (t.core.joined != other.core.joined).then_some(t.parent)
        });
        let accesses = self.state.memory.accesses();
        let visible = |from: u32, to: usize| {
            let within = accesses.get(from as usize..to.min(accesses.len()));
            within.is_none_or(|within| within.iter().any(|access| !self.is_quiet(access)))
        };
        match (between, first, last) {
            (None, Some(first), Some(last)) => visible(first, last as usize),
            (None, ..) => false,
            (Some(parent), first, _) => {
                let pending = &self.state.pending()[parent.index()];
                let goes_on = pending.status.is_alive() && joins(&pending.action).is_some();
                !goes_on || by == Some(parent) && first.is_some_and(|first| visible(first, accesses.len()))
            }
        }
    }
}

/// Where threads can take turns, as one execution shows.
fn places(mut vm: Vm, place: usize) -> FxHashMap<Start, At> {
    let program = vm.program.clone();
    let Some(turns) = program.turns.get() else {
        return FxHashMap::default();
    };
    let mut done: Vec<Vec<At>> = Vec::new();
    let (mut current, mut in_a_row, mut decisions) = (0, 0, 0);
    for _ in 0..MOST_STEPS {
        let pending = vm.pending();
        let enabled: Vec<usize> = (0..pending.len()).filter(|&t| pending[t].is_enabled()).collect();
        let goes_on = in_a_row < MOST_IN_A_ROW && enabled.contains(&current);
        if !goes_on {
            let later = enabled.iter().find(|&&t| t > current);
            let Some(&next) = later.or(enabled.first()) else {
                break;
            };
            (current, in_a_row) = (next, 0);
        }
        in_a_row += 1;
        let event = vm.step(Choice {
            thread: ThreadId::from_index(current),
            alternative: 0,
        });
        if vm.has_to_stop() {
            return FxHashMap::default();
        }
        decisions += usize::from(event.is_data_choice());
        if decisions > MOST_DECISIONS || vm.work() > MOST_WORK {
            break;
        }
        done.resize_with(vm.pending().len(), Vec::new);
        if may_be_turn(&event.action) && event.outcome == Outcome::Done && !event.is_data_choice() {
            done[current].push(At::of(&event.action));
        }
    }
    let threads = vm.state.threads();
    let mut found: FxHashMap<Start, At> = FxHashMap::default();
    let mut differ: FxHashSet<Start> = FxHashSet::default();
    for (number, first) in threads.iter().enumerate() {
        let mut group = vec![number];
        for (other, thread) in threads.iter().enumerate() {
            if thread
                .twin
                .is_some_and(|twin| group.last() == Some(&twin.index()))
            {
                group.push(other);
            }
        }
        if first.twin.is_some() || group.len() < 2 {
            continue;
        }
        let by_all = |at: &&At| group.iter().all(|&t| done[t].contains(at));
        let mut places: Vec<At> = Vec::new();
        for at in done[number].iter().filter(by_all) {
            if !places.contains(at) {
                places.push(*at);
            }
        }
        match places.get(place).or(places.last()) {
            Some(&at) => {
                let known = *found.entry(turns.start(first.start)).or_insert(at);
                if known != at {
                    differ.insert(turns.start(first.start));
                }
            }
            None => _ = differ.insert(turns.start(first.start)),
        }
    }
    found.retain(|start, _| !differ.contains(start));
    found
}

/// Whether threads may take turns at an action: whatever comes of it, as long as it does not fail,
/// two of them on one object are dependent. Additions that nobody looks at are not.
fn may_be_turn(action: &Action) -> bool {
    let takes = matches!(
        action.op,
        Op::Write | Op::Rmw | Op::Lock | Op::SpinLock | Op::WrLock
    );
    takes && !action.blocks.is_some() && !action.cancelable
}

//! Steps of the machine, and how they are undone: what explorers ask of it.

use super::vm::{Mark, Vm};
use crate::future::{self, Future, Goal};
use crate::sync::{self, channel, fuse, lifecycle};
use crate::thread::Stage;
use selvedge_base::{Id, StmtId, ThreadId};
use selvedge_model::{
    Access, Action, Choice, Conflict, Dependence, Event, Machine, Notice, ObjectId, Op, Outcome, Part,
    Pending, Silent, Status, Undo, Waiters, WaitsFor,
};

impl Machine for Vm {
    #[inline]
    fn has_short_release_sequences(&self) -> bool {
        self.program.starts_rust
    }

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
        let thread = choice.thread;
        let foreseen = match &mut self.foreseen.get_mut().known {
            None => None,
            known => known.take().filter(|(still, _)| *still == thread),
        };
        let pending = &self.state.pending()[thread.index()];
        assert!(
            pending.is_enabled() && choice.alternative < pending.alternatives,
            "thread {thread} cannot take alternative {} now",
            choice.alternative
        );
        let (mut action, alternatives) = (pending.action, pending.alternatives);
        let reaches = self.reaches(thread);
        let unjoined = self.state.unjoined();
        let mark = Mark {
            state: self.state.position(),
            memory: self.state.memory.mark(),
        };
        self.began = mark.memory;
        self.state.memory.begin_step();
        self.state.clear_notices();
        self.state.clear_parts();
        self.anew.clear();
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
        if action.op == Op::Destroy
            && let Some(base) = action.object.as_heap()
        {
            self.look_for_objects_in(base, action.stmt);
        }
        self.state.pass_on(&action);
        let passing = match action.op {
            Op::Channel if !completes => channel::before(&self.state, &action),
            _ => None,
        };
        let has_turn = self.state.modes().turns && self.has_turn(&action, choice.alternative);
        let stands = self.before_causeless(&action, self.alternative);
        self.left_out = 0;
        let core = self.state.begin_step(thread);
        let context = core.frame.context;
        core.had_turn |= has_turn;
        core.clock_stopped = false;
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
                self.note_end(&action);
            } else {
                self.run_to_visible(thread, false);
            }
        }
        if self.is_undone(thread) {
            self.outcome = Outcome::Incomplete;
        }
        if let Some(before) = passing
            && self.outcome == Outcome::Done
            && let Some(passed) = channel::passed(&self.state, &action, before, self.state.memory.accesses())
        {
            action = action.having(passed);
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
        if self.state.memory.has_written()
            && !self.forget_overwritten()
            && self.state.pending()[thread.index()].status.is_alive()
        {
            self.park(thread);
        }
        self.check_block(&action, unjoined);
        self.check_confined(&action, unjoined);
        self.check_counters(&action, unjoined);
        if self.state.modes().bounded {
            self.note_idle(&action, stands, mark);
        }
        if self.state.modes().turns {
            self.look_for_differences(&action);
        }
        if self.state.modes().awaits {
            self.note_round(&action, mark);
        }
        if let Some((_, future)) = foreseen
            && future.survives(&self.state, &action, self.began)
        {
            self.foreseen.get_mut().known = Some((thread, future));
        }
        if let Some(before) = reaches {
            self.check_reached(thread, &before, action.stmt);
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
        if self.state.absolute_time.get() {
            self.program.refuse_relative_clocks();
        }
        let silent = self.silent(&action);
        self.leave_out_accesses(&action);
        Event {
            action,
            context,
            alternative: choice.alternative,
            alternatives,
            outcome: self.outcome,
            completes,
            silent,
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

    fn is_of_element(&self, action: &Action) -> bool {
        self.accesses_element(action)
    }

    fn may_meet(&self, thread: ThreadId, accesses: &[Access], operations: &[Access]) -> bool {
        let stmt = self.state.pending()[thread.index()].action.stmt;
        self.foresee((thread, stmt), None, |future| {
            let meets = |a: &Access| future.conflicts(&self.state, a.address, u64::from(a.size), a.write);
            let mixes = |a: &Access| future.conflicts_with_operation(a.address, u64::from(a.size));
            !accesses.iter().any(meets) && !operations.iter().any(mixes)
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

    fn goes_round_for_ever(&mut self) -> bool {
        self.held_for_ever()
    }

    fn has_changed(&self, object: ObjectId, size: u64) -> bool {
        !object.is_address() || self.state.memory.has_changed(self.began, object.0, size)
    }

    /// Accesses that predicate dependence leaves out do not matter.
    fn interleaves_plain(&self) -> bool {
        let options = &self.program.options;
        options.visibility.includes_plain() || options.points.is_some()
    }

    fn waits_for_time(&self, thread: ThreadId) -> bool {
        self.state.thread(thread).core.clock_stopped
    }

    fn may_end(&self, thread: ThreadId) -> bool {
        crate::ends::may_end(&self.program, self.state.thread(thread))
    }

    fn waits_for(&self, thread: ThreadId) -> WaitsFor {
        sync::waits_for(&self.state, thread)
    }
}

impl Vm {
    /// Whether the last step's action was a write that has changed nothing. After a fence that
    /// releases, a relaxed read-modify-write releases.
    #[inline]
    fn silent(&self, action: &Action) -> Silent {
        let stores = matches!(action.op, Op::Write | Op::Rmw) && self.outcome == Outcome::Done;
        if !stores || self.has_changed(action.object, u64::from(action.size)) {
            return Silent::No;
        }
        match action.may_be_silent(false) && (action.op == Op::Write || !self.program.fences) {
            true => Silent::Wholly,
            false => Silent::Values,
        }
    }

    /// True if no other thread may do anything dependent on an action before it happens.
    fn is_foreseen(&self, thread: ThreadId, action: &Action) -> bool {
        let memory = &self.state.memory;
        if action.op == Op::BarrierLeave && !action.cancelable && action.object.is_address() {
            let barrier = action.object.0;
            return self.foresee((thread, action.stmt), None, |future| {
                !future.conflicts_with_leaving(barrier)
            }) == Some(true);
        }
        let Some((address, size, write)) = future::bytes(memory, action) else {
            return false;
        };
        // Where there is no live object, one may be created.
        if self.state.thread(thread).core.atomic != 0 || memory.check(address, size, false).is_err() {
            return false;
        }
        // Another thread may do so now.
        let meets = |other: &Pending| {
            let other = (other.is_enabled() && other.action.thread != thread).then_some(&other.action);
            other.is_some_and(|other| Conflict.dependent(action, other))
        };
        if self.state.pending().iter().any(meets) {
            return false;
        }
        let goal = Goal { address, size, write };
        self.foresee((thread, action.stmt), Some(goal), |future| {
            !future.conflicts(&self.state, address, size, write)
        }) == Some(true)
    }

    /// The answer to a question about what other threads may do before a thread moves that is about
    /// to execute a statement. `goal`: the access about which the question is, if it is one.
    /// `None` if the question is not asked.
    fn foresee(
        &self,
        (thread, stmt): (ThreadId, StmtId),
        goal: Option<Goal>,
        question: impl Fn(&Future) -> bool,
    ) -> Option<bool> {
        let mode = self.state.modes().futures?;
        let mut foreseen = self.foreseen.borrow_mut();
        let known = foreseen.known.as_ref();
        if known.is_none_or(|(still, future)| *still != thread || !future.answers(goal)) {
            if !foreseen.pays(stmt, mode.sparing) {
                return None;
            }
            future::look(&mut foreseen, self, (thread, stmt), mode.elements, goal);
        }
        let answer = foreseen.known.as_ref().map(|(_, future)| question(future));
        if answer == Some(true) {
            foreseen.was_useful(stmt);
        }
        answer
    }
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
        if mark.state != self.state.position() || mark.memory != self.state.memory.mark() {
            self.foreseen.get_mut().known = None;
        }
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

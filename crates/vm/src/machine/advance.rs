//! How a thread gets from one visible action to its next one, within a step, and what this changes
//! for the other threads.

use crate::interp::stop::Stop;
use crate::memory::{Life, Site};
use crate::native::Cx;
use crate::program::Program;
use crate::symbolic::Begun;
use crate::sync::{self, SyncObject, fuse, lifecycle};
use crate::thread::{NO_CALL, Stage};
use crate::visible;
use crate::vm::Vm;
use selvedge_base::{ContextId, Id, StmtId, ThreadId};
use selvedge_model::{Action, Limit, Notice, ObjectId, Op, Outcome, Pending, Status, Unsupported};
use std::sync::atomic::Ordering;

impl Vm {
    /// The acting thread's model context, outside of a call.
    pub(super) fn cx<'a>(&'a mut self, program: &'a Program, thread: ThreadId) -> Cx<'a> {
        let site = self.state.thread(thread).core.site;
        Cx {
            program,
            state: &mut self.state,
            thread,
            site,
            args: &[],
            types: &[],
            replay: Default::default(),
        }
    }

    /// Runs a thread to its next visible action and makes that its pending one.
    pub(super) fn run_to_visible(&mut self, thread: ThreadId, performing: bool) {
        let mut stop = self.run(thread, performing);
        loop {
            match stop {
                Stop::Visible(mut action) => {
                    if self.program.cancels {
                        action.cancelable |= sync::is_cancellation_point(&self.state, &action);
                        action = sync::arm(&self.state, thread, action);
                    }
                    return self.wait_at(thread, action);
                }
                Stop::Parked if self.was_left() => return,
                Stop::Parked => return self.park(thread),
                Stop::Bottom => {
                    let program = self.program.clone();
                    match lifecycle::next(&mut self.cx(&program, thread)) {
                        lifecycle::Next::Visible(action) if self.ends_at_once(&action) => {
                            if action.op == Op::ProcessExit {
                                fuse::begin(&mut self.state, action);
                            }
                            return self.finish(thread, action);
                        }
                        lifecycle::Next::Visible(action) => return self.wait_at(thread, action),
                        lifecycle::Next::Call(address, args) => {
                            let Some(func) = program.function_at(address) else {
                                return self.park(thread);
                            };
                            let stmt = self.state.thread(thread).core.site.stmt;
                            if self.refuses_callback(thread, func, stmt) {
                                return self.park(thread);
                            }
                            self.push_frame(thread, func, &args, &[], NO_CALL, ContextId(0));
                            stop = self.run(thread, false);
                        }
                    }
                }
            }
        }
    }

    /// True if the end of a thread or of the process belongs to the transition before it. Only a
    /// join depends on a thread's end, and finds it there. But the last thread's end may start the
    /// handlers of the process's exit, and is then an action of its own.
    fn ends_at_once(&self, action: &Action) -> bool {
        let program = &self.program;
        let may = !program.polls_ends && !program.cancels && !program.exit_handlers;
        match action.op {
            Op::Exit => may && !fuse::has_joined(&self.state),
            Op::ProcessExit => {
                may && self.state.modes().fuses && fuse::all_others_ended(&self.state, action.thread)
            }
            _ => false,
        }
    }

    /// After a thread has ended: a thread that waits only for this end continues at once, within
    /// the same step.
    pub(super) fn join_ended(&mut self, ended: ThreadId) {
        let object = ObjectId::thread(ended).0;
        let Some(waiting) = self.state.needs().iter().position(|&need| need == object) else {
            return;
        };
        let joiner = ThreadId::from_index(waiting);
        let action = self.state.pending()[waiting].action;
        if action.op != Op::Join
            || self.state.thread(joiner).core.depth == 0
            || !fuse::fuses(&self.state, self.program.fusible, &action)
        {
            return;
        }
        let outcome = std::mem::replace(&mut self.outcome, Outcome::Done);
        self.alternative = 0;
        let core = self.state.begin_step(joiner);
        core.site = Site {
            stmt: action.stmt,
            context: core.frame.context,
        };
        fuse::begin(&mut self.state, action);
        let part = self.state.parts().len() - 1;
        self.run_to_visible(joiner, true);
        let came = std::mem::replace(&mut self.outcome, outcome);
        if let Some(part) = self.state.part_mut(part) {
            part.outcome = came;
        }
    }

    /// The action that a thread's pending data choice belongs to.
    pub(super) fn begun(&self, thread: ThreadId) -> Option<Begun> {
        let pending = &self.state.pending()[thread.index()];
        if pending.action.op != Op::Choose || !pending.is_enabled() {
            return None;
        }
        self.state.path().begun(thread)
    }

    /// True if the action that a thread has begun has no effect yet.
    #[inline]
    pub(super) fn is_undone(&self, thread: ThreadId) -> bool {
        self.state.pending()[thread.index()].action.op == Op::Choose
            && self.begun(thread).is_some_and(|begun| begun.undone)
    }

    /// A thread that has taken a data choice continues the action that it had begun. For all
    /// observers, this action is the thread's step.
    pub(super) fn go_on_with(&mut self, begun: Begun) -> Action {
        let (status, alternatives) = (Status::Enabled, 1);
        self.state.set_pending(
            begun.action.thread,
            Pending {
                action: begun.action,
                status,
                alternatives,
            },
        );
        self.alternative = begun.alternative;
        begun.action
    }

    /// Ends a thread with this action.
    fn finish(&mut self, thread: ThreadId, action: Action) {
        let site = self.state.thread(thread).core.site;
        lifecycle::finish(&mut self.state, site, &action);
        let ended = Pending {
            action,
            status: Status::Finished,
            alternatives: 0,
        };
        self.state.put_pending(thread, ended);
        self.note_end(&action);
    }

    /// After a thread has ended by an action: records it if this was the end of the process.
    pub(super) fn note_end(&self, action: &Action) {
        let mut pending = self.state.pending().iter();
        if action.op == Op::ProcessExit || pending.all(|p| p.status == Status::Finished) {
            self.program.note_end();
        }
    }

    #[inline(always)]
    fn wait_at(&mut self, thread: ThreadId, action: Action) {
        let modes = self.state.modes();
        if (modes.fuses || modes.left_movers) && fuse::spoils(&self.state, &action) {
            self.program.spoiled.store(true, Ordering::Relaxed);
        }
        if self.program.options.points.is_some() {
            self.look_for_hidden_locks(thread, &action);
        }
        let (status, alternatives) = self.status(&action);
        self.state.put_pending(
            thread,
            Pending {
                action,
                status,
                alternatives,
            },
        );
    }

    /// Reports if locks whose operations were assumed to be no scheduling points turn out to
    /// matter: their holder reaches an action, or another thread has to wait for one.
    #[cold]
    fn look_for_hidden_locks(&mut self, thread: ThreadId, action: &Action) {
        self.look_for_hidden_decisions(action);
        let held = self.state.thread(thread).held.iter().map(|held| held.site.stmt);
        let found = held
            .chain([action.stmt])
            .find(|&stmt| visible::hides_lock(&self.program, stmt));
        if let Some(stmt) = found {
            let what = "a scheduling point where a lock is held that was taken to matter to nothing";
            self.state.notify(Notice::Unsupported(Unsupported {
                what: what.into(),
                stmt,
            }));
        }
    }

    /// Reports, in a canonical machine, a decision on an input that was assumed to matter to
    /// nothing. There, decisions are events, so they have to follow from the causes of events.
    #[cold]
    fn look_for_hidden_decisions(&mut self, action: &Action) {
        let points = self.program.options.points.as_ref();
        let hidden = action.op == Op::Choose
            && self.is_canonical()
            && points.is_some_and(|points| !points.accesses.contains(&action.stmt));
        if hidden {
            self.state.notify(Notice::Unsupported(Unsupported {
                what: "a decision on an input that was taken to matter to nothing".into(),
                stmt: action.stmt,
            }));
        }
    }

    pub(super) fn park(&mut self, thread: ThreadId) {
        self.state.own_core(thread).stage = Stage::Parked;
        let action = self.state.pending()[thread.index()].action;
        self.state.set_pending(
            thread,
            Pending {
                action,
                status: Status::Parked,
                alternatives: 0,
            },
        );
    }

    /// Where memory ends, an access of another thread to it is dependent on that, but an operation
    /// on a synchronisation object there is not: only one of the two orders may be explored. So if
    /// such an object has been used, and was not destroyed, the verdict is unknown. If it was not
    /// used before, the operation comes after the end, which is a fault. Where the order is open,
    /// that is also a data race, in each order; so nothing is lost if these are looked for.
    pub(super) fn look_for_objects_in(&mut self, base: u64, stmt: StmtId) {
        if self.program.options.sees_races {
            return;
        }
        let Some((_, object)) = self.state.memory.object_at(base) else {
            return;
        };
        let within = |&(address, _): &(u64, &SyncObject)| (base..base + object.size).contains(&address);
        let used = |sync: &SyncObject| !matches!(sync, SyncObject::Destroyed { .. });
        let mut objects = self.state.syncs().filter(within).map(|(_, sync)| sync);
        let kind = objects.find(|sync| used(sync)).map(|sync| sync.kind().name());
        drop(objects);
        if object.life == Life::Live
            && let Some(kind) = kind
        {
            let what = format!(
                "the end of memory with a {kind} in it while other threads run, under visibility memory"
            );
            self.state.notify(Notice::Unsupported(Unsupported { what, stmt }));
        }
    }

    /// Handles a step that was interrupted by a request to stop. The thread's registers and memory
    /// are partly old and partly new. What they seem to show is no fault.
    #[cold]
    pub(super) fn give_up(&mut self, thread: ThreadId, stmt: StmtId) {
        self.state.clear_notices();
        self.state.notify(Notice::Limit(Limit::stopped(stmt)));
        self.forget_accesses();
        self.park(thread);
    }

    /// Drops the accesses of the step since its last visible part. The step is incomplete and the
    /// last one. It may have been long, so processing its accesses would cost detectors too much
    /// time.
    #[cold]
    pub(crate) fn forget_accesses(&mut self) {
        let keep = self.state.parts().last().map_or(0, |part| part.accesses);
        self.state.memory.forget_accesses(keep as usize);
    }

    /// Updates whether threads that use the same objects can move.
    #[inline]
    pub(super) fn refresh(&mut self, event: &Action) {
        // The objects that the step may have changed for other threads: usually one, but as many
        // more as the step had parts.
        let memory = event.is_memory();
        let one = if memory { sync::NOTHING } else { event.object.0 };
        let two = if memory { sync::NOTHING } else { event.object2.0 };
        let ended = if event.ends {
            ObjectId::thread(event.thread).0
        } else {
            sync::NOTHING
        };
        // A lock may have changed without an action.
        let points = self.program.options.points.as_ref();
        // Or a signal may have arrived.
        let hidden = points.is_some_and(|points| !points.locks.is_empty()) || self.program.signals.is_some();
        for i in 0..self.state.needs().len() {
            let need = self.state.needs()[i];
            if need == sync::NOTHING || i == event.thread.index() {
                continue;
            }
            let concerned = need == one
                || need == two
                || need == ended
                || need == sync::ANYTHING
                || hidden
                || self.anew.contains(&need)
                || fuse::changed(&self.state).any(|object| object.0 == need);
            if !concerned {
                continue;
            }
            self.renew_status(ThreadId::from_index(i));
        }
        // A thread that stays in its atomic block has blocked others: now the process may end.
        if event.op == Op::AtomicBlock {
            for i in 0..self.state.pending().len() {
                if self.state.pending()[i].action.op == Op::ProcessExit {
                    self.renew_status(ThreadId::from_index(i));
                }
            }
        }
    }

    /// Computes anew whether a thread can move.
    fn renew_status(&mut self, thread: ThreadId) {
        let pending = &self.state.pending()[thread.index()];
        let action = pending.action;
        let (status, alternatives) = self.status(&action);
        if (status, alternatives) != (pending.status, pending.alternatives) {
            let changed = Pending {
                action,
                status,
                alternatives,
            };
            self.state.set_pending(thread, changed);
        }
    }
}

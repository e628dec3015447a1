//! Straight-line replay: runs a list of choices on a fresh machine, checks each choice against what
//! the machine offers, and collects the faults. It is independent of every strategy. Each finding
//! passes it before it is reported.

use crate::step_text::Before;
use selvedge_base::{ContextId, Id, StmtId, ThreadId};
use selvedge_explore::spin::find_spins;
use selvedge_explore::stuck::waiting;
use selvedge_model::{
    Access, Action, Choice, Describe, Detector, Event, Fault, FaultKind, Fingerprint, Notice, ObjectId, Op,
    Outcome, Status, Undo,
};

/// The thread that moves, and its alternative.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Move {
    /// The hierarchical name of the thread.
    pub(crate) thread: String,
    pub(crate) alternative: u16,
}

impl Move {
    pub(crate) fn of(step: &selvedge_schedule::Step) -> Move {
        Move {
            thread: step.thread.clone(),
            alternative: step.alternative,
        }
    }
}

/// A step that was made.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Made {
    pub(crate) step: Move,
    pub(crate) action: Action,
    /// True if it was a data choice. With fixed inputs there are none.
    pub(crate) chosen: bool,
    /// It failed: a lock that was only tried, a signal without a waiter.
    pub(crate) failed: bool,
    /// The thread that it created.
    pub(crate) created: Option<ThreadId>,
    /// The threads that it woke from waits on a condition variable.
    pub(crate) woke: Vec<ThreadId>,
    pub(crate) text: String,
    /// The locks that the thread holds after it. They are not recorded for executions with very
    /// many steps.
    pub(crate) held: Vec<String>,
    /// The calling context of the action.
    pub(crate) context: ContextId,
    /// The statements of interest that the action, or an access after it, was at.
    pub(crate) touched: Vec<StmtId>,
    /// How many inputs its thread asked for in it.
    pub(crate) asked: usize,
    /// The accesses to memory that it made, unless there are very many.
    pub(crate) accesses: Vec<Access>,
}

/// The access that an action is, beside those of its step: with visibility `memory`.
pub(crate) fn own_access(made: &Made) -> Option<Access> {
    let action = &made.action;
    (action.is_memory() && action.object.is_address()).then_some(Access {
        address: action.object.0,
        context: made.context,
        stmt: action.stmt,
        size: action.size,
        write: action.writes_memory(),
        order: action.order,
    })
}

#[cfg(test)]
impl Made {
    /// A step of a thread on four bytes of an object, for tests of what looks at steps.
    pub(crate) fn example(thread: u16, op: Op, object: u64) -> Made {
        let action = Action {
            object: ObjectId(object),
            size: 4,
            ..Action::new(ThreadId(thread), op)
        };
        Made {
            step: Move {
                thread: format!("0.{thread}"),
                alternative: 0,
            },
            action,
            chosen: false,
            failed: false,
            created: None,
            woke: Vec::new(),
            text: String::new(),
            held: Vec::new(),
            context: ContextId(0),
            touched: Vec::new(),
            asked: 0,
            accesses: Vec::new(),
        }
    }
}

/// The number of steps up to which the held locks are recorded.
pub(crate) const MOST_WITH_LOCKS: usize = 10_000;

/// The maximum number of accesses that are kept of all steps together.
const MOST_ACCESSES: usize = 200_000;

/// A fault with the number of the step that showed it; `None` if the end of the execution (or its
/// beginning) did.
pub(crate) type At = (Option<usize>, Fault);

/// Why choices cannot be replayed.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub(crate) enum Error {
    #[error("step {0}: there is no thread {1}")]
    NoThread(usize, String),
    #[error("step {0}: thread {1} cannot move")]
    NotEnabled(usize, String),
    #[error("step {0}: thread {1} has only {2} alternatives")]
    NoAlternative(usize, String, u16),
}

/// A machine that runs a list of choices.
pub(crate) struct Trace<M, D> {
    pub(crate) machine: M,
    detector: D,
    names: Vec<String>,
    pub(crate) made: Vec<Made>,
    pub(crate) faults: Vec<At>,
    /// See [`Made::touched`].
    interest: Vec<StmtId>,
    /// How many accesses are kept.
    kept: usize,
}

impl<M: Describe + Undo + Fingerprint, D: Detector<M>> Trace<M, D> {
    pub(crate) fn new(machine: M, detector: D, interest: Vec<StmtId>) -> Self {
        let mut trace = Trace {
            machine,
            detector,
            names: Vec::new(),
            made: Vec::new(),
            faults: Vec::new(),
            interest,
            kept: 0,
        };
        trace.notices(None);
        trace
    }

    /// Makes a step by thread number, as explorers do.
    pub(crate) fn choose(&mut self, choice: Choice) -> Result<(), Error> {
        let thread = choice.thread.index();
        if thread >= self.machine.pending().len() {
            return Err(Error::NoThread(self.made.len(), choice.thread.to_string()));
        }
        self.learn_names();
        self.step(choice, self.names[thread].clone())
    }

    /// Makes a step by the thread's name.
    pub(crate) fn make(&mut self, step: &Move) -> Result<(), Error> {
        self.learn_names();
        let Some(thread) = self.names.iter().position(|name| *name == step.thread) else {
            return Err(Error::NoThread(self.made.len(), step.thread.clone()));
        };
        let choice = Choice {
            thread: ThreadId::from_index(thread),
            alternative: step.alternative,
        };
        self.step(choice, step.thread.clone())
    }

    fn step(&mut self, choice: Choice, name: String) -> Result<(), Error> {
        let number = self.made.len();
        let pending = self.machine.pending()[choice.thread.index()];
        if pending.status != Status::Enabled {
            return Err(Error::NotEnabled(number, name));
        }
        if choice.alternative >= pending.alternatives {
            return Err(Error::NoAlternative(number, name, pending.alternatives));
        }
        let before = Before::new(&self.machine, &pending.action);
        let asked = self.machine.inputs_asked();
        let event = self.machine.step(choice);
        let mut faults = Vec::new();
        self.detector.event(&self.machine, &event, &mut faults);
        let touched = self.touched(&event);
        let created = match event.outcome {
            Outcome::Thread(new) if event.action.op == Op::Spawn => Some(new),
            _ => None,
        };
        let woke = match (event.action.op, event.outcome) {
            (Op::Signal, Outcome::Thread(woken)) => vec![woken],
            (Op::Broadcast, Outcome::Threads(woken)) => self.machine.waiters(woken).to_vec(),
            _ => Vec::new(),
        };
        let step = Move {
            thread: name,
            alternative: choice.alternative,
        };
        let held = match number < MOST_WITH_LOCKS {
            true => self.machine.locks_held(choice.thread),
            false => Vec::new(),
        };
        let name_of = |&(lock, ..): &(ObjectId, StmtId, ContextId)| self.machine.object_name(lock);
        let mut accesses = Vec::new();
        let all = self.machine.accesses();
        if number < MOST_WITH_LOCKS && self.kept + all.len() <= MOST_ACCESSES {
            accesses.extend_from_slice(all);
            self.kept += all.len();
        }
        self.made.push(Made {
            held: held.iter().map(name_of).collect(),
            step,
            action: event.action,
            chosen: event.is_data_choice(),
            failed: event.outcome == Outcome::Failed,
            created,
            woke,
            text: before.text(&self.machine, &event),
            context: event.context,
            touched,
            asked: self.machine.inputs_asked() - asked,
            accesses,
        });
        if let Some(made) = self.made.last_mut() {
            made.accesses.extend(own_access(made));
        }
        self.notices(Some(number));
        self.faults
            .extend(faults.into_iter().map(|fault| (Some(number), fault)));
        Ok(())
    }

    fn touched(&self, event: &Event) -> Vec<StmtId> {
        let accesses = self.machine.accesses();
        let touches =
            |stmt: &StmtId| event.action.stmt == *stmt || accesses.iter().any(|access| access.stmt == *stmt);
        self.interest.iter().copied().filter(touches).collect()
    }

    /// After the last step: collects the faults that only the end of an execution shows, or the
    /// point where an execution was left.
    pub(crate) fn finish(&mut self) {
        let mut faults = Vec::new();
        if self.machine.pending().iter().all(|p| p.status != Status::Enabled) {
            self.detector.end(&self.machine, &mut faults);
        } else {
            self.detector.cut(&self.machine, &mut faults);
            // The exploration has shown that they wait for ever; the replay only shows that they
            // wait.
            for waiting in waiting(&self.machine) {
                self.detector.stuck(&self.machine, waiting.thread, &mut faults);
            }
            let last = self.machine.mark();
            let found = (&mut self.detector, &mut faults);
            find_spins(&mut self.machine, M::fingerprint_from_scratch, found);
            self.machine.undo(last);
        }
        self.faults.extend(faults.into_iter().map(|fault| (None, fault)));
    }

    fn notices(&mut self, step: Option<usize>) {
        for notice in self.machine.notices() {
            if let Notice::Fault(fault) = notice {
                self.faults.push((step, fault.clone()));
            }
        }
    }

    fn learn_names(&mut self) {
        for thread in self.names.len()..self.machine.pending().len() {
            self.names
                .push(self.machine.thread_name(ThreadId::from_index(thread)));
        }
    }
}

/// True if two faults are the same finding: the same kind and place. For a race, both places are
/// compared, in either order.
pub(crate) fn same(a: &Fault, b: &Fault) -> bool {
    let places = |fault: &Fault| {
        let mut places = vec![fault.stmt];
        if fault.kind == FaultKind::DataRace {
            places.extend(fault.related.iter().map(|r| r.1));
            places.sort_unstable();
        }
        places
    };
    a.kind == b.kind && places(a) == places(b)
}

//! Depth-first search over states: what follows a state is explored once, however it is reached
//! (Holzmann, *The SPIN Model Checker*, 2003, chapter 8).
//!
//! The key of a state is its fingerprint, without the names of inputs, together with the part of
//! the past that counts. The past counts because a race is between two accesses, and one of them
//! may lie long before the state. If every dependence is synchronisation, the floating accesses are
//! enough (`floating.rs`). If the search sees that this does not hold (`synchronised.rs`), it
//! starts again with everything that detectors remember ([`Detector::digest`]). States with equal
//! keys have equal futures, and equal findings in them.
//!
//! - *Fewer orders.* If a thread's next action is independent of all actions of other threads
//!   before it, the thread [goes first](selvedge_model::Machine::goes_first), alone: it is a
//!   persistent set. If this step closes a cycle on the path, reports something, or stops a thread,
//!   the other threads get their turn, too. Otherwise they might never get one (the cycle proviso;
//!   Peled, CAV 1994), or not before the process ends.
//! - *Incomplete actions.* An action that takes effect only with the data choice after it has no
//!   state of its own: no key is computed between the two.
//! - *Threads that wait for ever* beside others that run for ever: a stuck thread stays stuck. An
//!   execution without end returns to a state of its path. At that point the search asks for each
//!   waiting thread whether it is stuck ([`stuck`](crate::stuck)).
//! - *Threads that wait in loops for ever*: asked at the same points ([`spin`](crate::spin)).
//! - *Commuting steps* (`commuting.rs`): the state to which the second of two independent steps
//!   leads is known before the step is taken. The step is left out if everything that follows that
//!   state is known.
//!
//! Deliberately absent: sleep sets and dynamic partial-order reduction. A state that was finished
//! under a sleep set is not explored completely. And when a state is reached again, it is not known
//! which backtrack points its future requires (Yang, Chen, Gopalakrishnan and Kirby, SPIN 2008).

mod choices;
mod commuting;
#[cfg(test)]
mod fakes;
mod floating;
mod known;
mod names;
mod necessary;
mod synchronised;
mod waits;
mod weaken;

pub use weaken::Weaken;

use crate::estimate::explored_part;
use crate::record::Record;
use crate::report::Kind;
use crate::stuck::{Fates, moves, waiting};
use crate::{Assumption, Attempt, Config, Control, Report, Stop, until_it_holds};
use commuting::{Commuting, Steps};
use floating::Floating;
use known::{Known, Seen};
use names::Names;
use necessary::Necessary;
use rustc_hash::FxHashSet;
use selvedge_base::{Digest, ForTests, Id, StmtId};
use selvedge_model::{
    Choice, Detector, Event, Fault, Fingerprint, Limit, LimitKind, Notice, Op, Pending, Status, StopReason,
    Undo,
};
use std::convert::Infallible;
use synchronised::{Lacks, Operations, Places, Synchronised};

/// The cost of an access that the detector's digest looks at, in units of a budget.
const LOOKED_AT: u64 = 4;

/// The number of steps between two updates of the live counters.
const SHOW_EVERY: u64 = 4096;

/// Visits every state. `make` makes a machine at its initial state.
pub fn explore<M, D, F>(make: &F, config: &Config, control: &Control) -> Report
where
    M: Undo + Fingerprint,
    D: Detector<M>,
    F: Fn() -> (M, D),
{
    explored(make, config, control, ForTests::default(), None)
}

/// [`explore`] with a deliberate mistake, and with a limited number of stored states.
#[cfg(feature = "laboratory")]
pub fn explore_weakened<M, D, F>(
    make: &F,
    config: &Config,
    control: &Control,
    weaken: Weaken,
    most: Option<usize>,
) -> Report
where
    M: Undo + Fingerprint,
    D: Detector<M>,
    F: Fn() -> (M, D),
{
    explored(make, config, control, ForTests::new(weaken), most)
}

fn explored<M, D, F>(
    make: &F,
    config: &Config,
    control: &Control,
    weaken: ForTests<Weaken>,
    most: Option<usize>,
) -> Report
where
    M: Undo + Fingerprint,
    D: Detector<M>,
    F: Fn() -> (M, D),
{
    let first = match config.digests {
        false => Counts::Floating {
            watched: Places::default(),
            more: MORE,
        },
        true => Counts::Detectors,
    };
    let Ok(report) = until_it_holds(first, |counts, again| {
        let mut search = Search::new(make(), config, control, (weaken, most), counts);
        if again {
            search.detector.forget();
        }
        let run = search.run();
        control.free(search);
        Ok::<_, Infallible>(run)
    });
    report
}

/// How many times operations on further objects may begin to float.
const MORE: u32 = 3;

/// The part of the past that is assumed to be enough for data races.
#[derive(Clone, PartialEq, Eq, Debug)]
enum Counts {
    /// The floating accesses, and operations on objects in these places.
    Floating {
        watched: Places,
        /// How many times there may be more places.
        more: u32,
    },
    /// Everything that detectors remember.
    Detectors,
}

impl Assumption for Counts {
    fn weaker(&self) -> u32 {
        match self {
            Counts::Floating { more, .. } => 1 + more,
            Counts::Detectors => 0,
        }
    }
}

/// A state of the path.
struct Frame<M, D> {
    marks: (M, D),
    /// The key; `None` while an action is incomplete.
    key: Option<Digest>,
    /// True if the state has inputs. Then its key contains the value that replaces their names.
    named: bool,
    /// The steps whose contribution to the key is known here.
    steps: Steps,
    /// The number of stored steps when the state was reached.
    commuting: usize,
    choices: Vec<Choice>,
    next: usize,
    /// The number of first choices that are enough if they lead to new states.
    ample: usize,
    /// True if a thread has a pending data choice, which goes first.
    chooses: bool,
    /// The kind of a thread choice here, if these are counted.
    before: Option<Kind>,
}

/// Where a step led.
enum Leads {
    /// To a new state.
    On,
    /// To a state at which the search goes back.
    Back,
    /// To a state of the path.
    Round,
}

/// When the threads that were left out at a state get their turn.
enum Turn {
    /// At later states.
    Later,
    /// At this state.
    Here,
    /// Before the transition to which the step belongs.
    Before,
}

struct Search<'a, M: Undo, D: Detector<M>> {
    config: &'a Config,
    control: &'a Control,
    machine: M,
    detector: D,
    /// True if keys are sums.
    adds: bool,
    commuting: Commuting,
    known: Known,
    /// Which thread choices are necessary, if that is asked for.
    necessary: Option<Necessary>,
    names: Names,
    /// The floating accesses, if these are enough.
    floating: Option<Floating>,
    synchronised: Synchronised,
    /// How many times more operations may float.
    more: u32,
    /// Why what floats turned out not to be enough.
    lacks: Option<Lacks>,
    path: Vec<Frame<M::Mark, D::Mark>>,
    /// The choices that lead to the machine's present state.
    choices: Vec<Choice>,
    faults: Vec<Fault>,
    fates: Fates,
    /// The states at which the search asked whether all enabled threads spin.
    spins: FxHashSet<Digest>,
    record: Record,
    /// The executions and events that were added to the live counters.
    shown: (u64, u64),
    weaken: ForTests<Weaken>,
}

impl<'a, M, D> Search<'a, M, D>
where
    M: Undo + Fingerprint,
    D: Detector<M>,
{
    fn new(
        (machine, detector): (M, D),
        config: &'a Config,
        control: &'a Control,
        (weaken, most): (ForTests<Weaken>, Option<usize>),
        counts: Counts,
    ) -> Self {
        // Only the race detector remembers anything.
        let races = detector.digest(&machine).is_some();
        let (floats, watched, more) = match counts {
            Counts::Floating { watched, more } => (true, watched, more),
            Counts::Detectors => (false, Places::default(), 0),
        };
        Search {
            adds: floats || !races,
            floating: (floats && races).then(Floating::default),
            synchronised: Synchronised::watching(watched),
            more,
            lacks: None,
            config,
            control,
            names: Names::new(machine.pending().len()),
            machine,
            detector,
            commuting: Commuting::default(),
            known: Known::new(most),
            necessary: config.necessary_choices.then(Necessary::default),
            path: Vec::new(),
            choices: Vec::new(),
            faults: Vec::new(),
            fates: Fates::default(),
            spins: FxHashSet::default(),
            record: Record::default(),
            shown: (0, 0),
            weaken,
        }
    }

    /// Searches. The assumption fails if floating accesses are not enough.
    fn run(&mut self) -> Attempt<Report, Counts> {
        let faulty = self.record.notice(self.config, self.machine.notices(), &[]);
        let stop = match faulty && self.config.stop == Stop::First {
            true => StopReason::Finding,
            false => self.search(),
        };
        self.show();
        if let Some(lacks) = self.lacks
            && stop != StopReason::Finding
            && !self.control.is_stop_requested()
        {
            let next = match lacks {
                Lacks::Operations if self.more > 0 => Counts::Floating {
                    watched: self.synchronised.places(),
                    more: self.more - 1,
                },
                _ => Counts::Detectors,
            };
            return Attempt::Fails {
                next,
                findings: std::mem::take(&mut self.record)
                    .finish(StopReason::Complete)
                    .faults,
            };
        }
        if let Some(necessary) = &self.necessary
            && stop == StopReason::Complete
            && !self.record.has_unsupported()
        {
            necessary.conclude();
        }
        self.record.statistics.forgotten_states = self.known.forgotten();
        Attempt::Holds(std::mem::take(&mut self.record).finish(stop))
    }

    fn search(&mut self) -> StopReason {
        if matches!(self.arrive(None), (_, true)) {
            return StopReason::Finding;
        }
        loop {
            let depth = self.path.len().saturating_sub(1);
            let Some(top) = self.path.last_mut() else {
                return StopReason::Complete;
            };
            if top.next == top.ample {
                if let Some(key) = top.key {
                    self.known.leave(key);
                }
                self.commuting.truncate(top.commuting);
                self.path.pop();
                continue;
            }
            if self.control.is_stopped() {
                return StopReason::Limit(self.control.limit());
            }
            if self.control.is_saving() {
                self.known.save();
            }
            let choice = top.choices[top.next];
            top.next += 1;
            // All threads get their turn here, except at a data choice.
            let all = top.ample == top.choices.len() && !top.chooses;
            if all {
                let first = top.next == 1 && !self.weaken.is(Weaken::Circle);
                let known = |to| self.known.has_left(to) || !first && self.known.is_on_path(to);
                let leads_to = |from| self.commuting.leads_to(&top.steps, choice, from);
                if top.key.and_then(leads_to).is_some_and(known) {
                    continue;
                }
            }
            self.machine.undo(top.marks.0);
            self.detector.undo(top.marks.1);
            self.choices.truncate(depth);
            if let Some(floating) = &mut self.floating {
                floating.undo(depth);
            }
            let (turn, faulty) = self.step(choice);
            if self.lacks.is_some() {
                return StopReason::Complete; // this search is complete; another one follows
            }
            if faulty && self.config.stop == Stop::First {
                return StopReason::Finding;
            }
            self.give_turn(turn, depth);
            let statistics = &self.record.statistics;
            let done = statistics.executions + statistics.cut_executions + statistics.bounded_executions;
            if self.config.max_executions.is_some_and(|most| done >= most) {
                return StopReason::Limit(Limit {
                    kind: LimitKind::Executions,
                    detail: format!("{done} executions"),
                    stmt: StmtId(0),
                });
            }
            if statistics.events.is_multiple_of(SHOW_EVERY) {
                self.show();
            }
        }
    }

    /// After a step from the state at `depth`: gives other threads their turn, here or at an
    /// earlier state.
    fn give_turn(&mut self, turn: Turn, depth: usize) {
        let mut at = depth;
        match turn {
            Turn::Later => return,
            Turn::Here => {}
            // A data choice belongs to the transition before it, so other threads go before that
            // transition.
            Turn::Before => {
                while at > 0 && self.path[at].chooses {
                    at -= 1;
                }
            }
        }
        if !self.weaken.is(Weaken::Proviso) {
            let frame = &mut self.path[at];
            if frame.ample != frame.choices.len() {
                frame.ample = frame.choices.len();
                choices::count(
                    &mut self.record.statistics.thread_choices,
                    frame.before,
                    &frame.choices,
                );
            }
        }
    }

    /// Takes a step from the last state of the path. Returns when other threads get their turn, and
    /// true if it found a fault of a requested property.
    fn step(&mut self, choice: Choice) -> (Turn, bool) {
        let parked = self.parked();
        let several = self.machine.pending()[choice.thread.index()].alternatives > 1;
        let event = self.machine.step(choice);
        self.choices.push(choice);
        self.names.follow(
            self.choices.len() - 1,
            choice.thread,
            self.machine.pending().len(),
        );
        let statistics = &mut self.record.statistics;
        statistics.events += 1;
        statistics.choices += u64::from(several);
        self.detector.event(&self.machine, &event, &mut self.faults);
        if let Some(floating) = &mut self.floating {
            let operations = match floating.knows_all(&self.machine, choice.thread) {
                true => Ok(Operations::new()),
                false => self.synchronised.follow(&self.machine, &event, floating),
            };
            let operations = operations.unwrap_or_else(|lacks| {
                let ignored = self.weaken.is(Weaken::Synchronised)
                    || self.weaken.is(Weaken::SetUps) && lacks.is_of_set_up(&event);
                if !ignored {
                    self.lacks.get_or_insert(lacks);
                }
                Operations::new()
            });
            floating.follow(&self.machine, &event, &operations, self.choices.len());
        }
        let mut faulty = self
            .record
            .notice(self.config, self.machine.notices(), &self.choices);
        let noted = |notice: &Notice| matches!(notice, Notice::AssertNoted(..));
        let silent = self.machine.notices().iter().all(noted) && self.parked() == parked;
        faulty |= self.note_faults();
        if faulty && self.config.stop == Stop::First {
            return (Turn::Later, true);
        }
        let (leads, found) = self.arrive(Some((choice, &event)));
        // No thread gets a turn where an execution ends.
        let ends = !self.machine.pending().iter().any(Pending::is_enabled);
        let turn = match leads {
            Leads::Round => Turn::Here,
            _ if silent && !ends => Turn::Later,
            _ => Turn::Before,
        };
        (turn, faulty | found)
    }

    /// Handles the machine's present state, which becomes the last one of the path if it must be
    /// expanded. Also returns true if a fault of a requested property was found. `by`: the step
    /// that led here.
    fn arrive(&mut self, by: Option<(Choice, &Event)>) -> (Leads, bool) {
        let depth = self.choices.len();
        let statistics = &mut self.record.statistics;
        statistics.max_depth = statistics.max_depth.max(depth as u64);
        statistics.threads = statistics.threads.max(self.machine.pending().len() as u64);
        let key = self.key();
        let steps = by.map(|(choice, event)| self.note_step(choice, event, key));
        if let Some(key) = key {
            match self.known.enter(key) {
                Seen::New => self.record.statistics.states += 1,
                seen => {
                    self.record.statistics.cut_executions += 1;
                    self.detector.cut(&self.machine, &mut self.faults);
                    if seen == Seen::OnPath {
                        self.find_spins(key);
                        self.find_stuck();
                    }
                    let leads = match seen {
                        Seen::OnPath => Leads::Round,
                        _ => Leads::Back,
                    };
                    return (leads, self.note_faults());
                }
            }
        }
        let last = by.map(|(choice, _)| choice.thread);
        let (choices, ample) = moves(&self.machine, 0, last, |thread| {
            let pending = &self.machine.pending()[thread.index()];
            let floats = |floating: &Floating| floating.goes_first(&self.machine, pending);
            self.machine.goes_first(thread) && self.floating.as_ref().is_none_or(floats)
        });
        let bounded = depth >= self.config.max_events as usize;
        let held = |p: &Pending| p.status == Status::Held;
        if choices.is_empty() && self.machine.pending().iter().any(held) {
            // It goes on, by another thread's name.
            self.record.statistics.redundant_executions += 1;
        } else if choices.is_empty() {
            self.record.statistics.executions += 1;
            self.detector.end(&self.machine, &mut self.faults);
        } else if bounded {
            self.record.statistics.bounded_executions += 1;
            self.record.limit(&Limit {
                kind: LimitKind::Depth,
                detail: format!("an execution of more than {} events", self.config.max_events),
                stmt: StmtId(0),
            });
            for waiting in waiting(&self.machine).into_iter().filter(|w| w.firm) {
                self.detector
                    .stuck(&self.machine, waiting.thread, &mut self.faults);
            }
        }
        if choices.is_empty() || bounded {
            if let Some(key) = key {
                self.known.leave(key);
            }
            return (Leads::Back, self.note_faults());
        }
        let before = choices::kind(self.config, &self.machine, last);
        let counts = &mut self.record.statistics;
        choices::count(&mut counts.thread_choices, before, &choices[..ample]);
        if let (Some(kind), Some(necessary)) = (before, &mut self.necessary) {
            let name = |thread| self.names.of(thread);
            let is_one = necessary.judge(&mut self.machine, (&choices, ample), name, self.control);
            *counts.necessary_choices.of(kind) += u64::from(is_one);
        }
        let chooses = |choice: &Choice| {
            let pending = &self.machine.pending()[choice.thread.index()];
            pending.action.op == Op::Choose
        };
        self.path.push(Frame {
            before,
            chooses: choices.first().is_some_and(chooses),
            marks: (self.machine.mark(), self.detector.mark()),
            key,
            named: self.machine.has_inputs(),
            steps: steps.unwrap_or_default(),
            commuting: self.commuting.len(),
            choices,
            next: 0,
            ample,
        });
        (Leads::On, false)
    }

    /// Records the contribution to the key of a step from the last state of the path. Returns the
    /// steps whose contribution is known after it.
    fn note_step(&mut self, choice: Choice, event: &Event, to: Option<Digest>) -> Steps {
        let named = self.machine.has_inputs();
        let Some(frame) = self.path.last_mut().filter(|_| self.adds && !named) else {
            return Steps::new();
        };
        let (Some(from), Some(to)) = (frame.key.filter(|_| !frame.named), to) else {
            return Steps::new();
        };
        if self.weaken.is(Weaken::Foreseen)
            && let Some(foreseen) = self.commuting.leads_to(&frame.steps, choice, from)
        {
            assert_eq!(to, foreseen, "{choice:?} leads elsewhere: {event:?}");
        }
        self.commuting.note(
            &self.machine,
            (choice, event),
            (from, to),
            &mut frame.steps,
            self.weaken,
        )
    }

    /// The key of the machine's state; `None` while an action is incomplete.
    fn key(&self) -> Option<Digest> {
        let pending = self.machine.pending();
        let mut threads = (0..pending.len()).map(Id::from_index);
        if threads.any(|thread| self.machine.is_incomplete(thread)) {
            return None;
        }
        let mut key = self.machine.fingerprint();
        if self.machine.has_inputs() {
            key = key.with(self.machine.without_names());
        }
        let past = match &self.floating {
            Some(floating) => Some(floating.digest(|thread| self.names.of(thread))),
            None => {
                let before = self.detector.looked_at();
                let digest = self.detector.digest(&self.machine);
                let looked_at = self.detector.looked_at() - before;
                self.control.pay(looked_at * LOOKED_AT);
                digest
            }
        };
        let past = past.filter(|_| !self.weaken.is(Weaken::Memory));
        Some(key.with(past.unwrap_or_default()))
    }

    fn parked(&self) -> usize {
        let pending = self.machine.pending().iter();
        pending.filter(|p| p.status == Status::Parked).count()
    }

    fn note_faults(&mut self) -> bool {
        let mut faulty = false;
        for fault in self.faults.drain(..) {
            faulty |= self.record.fault(self.config, fault, &self.choices);
        }
        faulty
    }

    /// Updates the live counters.
    fn show(&mut self) {
        let statistics = &self.record.statistics;
        let now = (
            statistics.executions + statistics.cut_executions,
            statistics.events,
        );
        let (executions, events) = self.shown;
        let depth = self.path.len() as u64;
        self.control.add(now.0 - executions, 0, now.1 - events, depth);
        self.shown = now;
        let frames = self.path.iter();
        let shares = frames.map(|frame| (frame.next.saturating_sub(1) as f64, frame.ample.max(1) as f64));
        self.control.set_part(match self.path.is_empty() {
            true => 1.0,
            false => explored_part(shares),
        });
    }
}

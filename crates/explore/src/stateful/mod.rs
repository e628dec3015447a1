//! Depth-first search over states: what follows a state is explored once, however it is reached
//! (Holzmann, *The SPIN Model Checker*, 2003, chapter 8).
//!
//! A state is told by its fingerprint, without the names of inputs, and by what counts of the past:
//! a race is between two accesses, of which one may lie long before the state. That is what
//! `floats` if every dependence is synchronisation; if the search sees that this does
//! not hold, it begins anew with all that detectors remember ([`Detector::digest`]). Equal keys
//! stand for equal futures and equal findings in them.
//!
//! - *Fewer orders.* A thread whose next action is independent of all that others do before it
//!   [goes first](selvedge_model::Machine::goes_first) and alone: it is a persistent set. If that
//!   closes a circle on the path, or had something to report, or stops a thread, the others have
//!   their turn too: else they might never have one (the cycle proviso; Peled, CAV 1994), or not
//!   before the process ends.
//! - *Incomplete actions.* An action that has its effect only with the data choice after it has no
//!   state of its own: no key is asked for between the two.
//! - *Threads that wait for ever* beside others that run for ever: whoever is stuck stays so. An
//!   execution without end comes back to a state of its path, and there each waiting thread is
//!   asked about ([`stuck`](crate::stuck)).
//!
//! - *Threads that wait in loops for ever*: asked at the same places ([`spin`](crate::spin)).
//! - *Steps that commute* (`commuting.rs`): where the second of two independent steps leads is
//!   known before it is taken. It is left out if all that follows is known.
//!
//! Deliberately absent: sleep sets and dynamic partial-order reduction. A state that was left under
//! a sleep set is not explored whole, and what a race reversal adds after a state is not known when
//! the state is met again (Yang, Chen, Gopalakrishnan and Kirby, SPIN 2008).

mod commuting;
mod floating;
mod known;
mod names;
mod weaken;

pub use weaken::Weaken;

use crate::record::Record;
use crate::spin::{find_spins, may_spin};
use crate::stuck::{Fate, Fates, Waiting, moves, waiting};
use crate::{Config, Control, Report, Stop};
use commuting::{Commuting, Steps};
use floating::{Floating, Synchronised};
use known::{Known, Seen};
use names::Names;
use rustc_hash::FxHashSet;
use selvedge_base::{Digest, ForTests, Id, StmtId};
use selvedge_model::{
    Choice, Detector, Event, Fault, Fingerprint, Limit, LimitKind, Notice, Op, Pending, Property, Status,
    StopReason, Undo,
};

/// Steps between two updates of the live counters.
const SHOW_EVERY: u64 = 4096;

/// Visits every state of the machine that `make` makes, at its initial state.
pub fn explore<M, D, F>(make: &F, config: &Config, control: &Control) -> Report
where
    M: Undo + Fingerprint,
    D: Detector<M>,
    F: Fn() -> (M, D),
{
    explored(make, config, control, ForTests::default(), None)
}

/// [`explore`] with a mistake, and with a store of so many states.
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
    let search = |floats| Search::new(make(), config, control, (weaken, most, floats));
    let Search {
        record,
        unsynchronised,
        ..
    } = match search(!config.digests).run() {
        Ok(report) => return report,
        Err(search) => *search,
    };
    debug_assert!(unsynchronised);
    let faults = record.finish(StopReason::Complete).faults;
    let mut again = search(false);
    again.detector.forget();
    match again.run() {
        Ok(mut report) => {
            // A limit may end this run before it comes to them.
            report.add_faults(faults);
            report
        }
        Err(_) => unreachable!("a search with digests stands"),
    }
}

/// A state of the path.
struct Frame<M, D> {
    marks: (M, D),
    /// None where an action is incomplete.
    key: Option<Digest>,
    /// It has inputs, and its key what stands for their names.
    named: bool,
    /// What steps from here add to the key: those that were taken here, or before.
    steps: Steps,
    /// So many steps were kept when the state was reached.
    commuting: usize,
    choices: Vec<Choice>,
    next: usize,
    /// So many of the choices are enough if they lead on.
    ample: usize,
    /// A thread stands at a data choice, and goes first.
    chooses: bool,
}

/// What a step led to.
enum Leads {
    /// A state that was not known.
    On,
    /// Somewhere where the search goes back.
    Back,
    /// A state of the path.
    Round,
}

/// When those have their turn whose turn it was not at a state.
enum Turn {
    /// At later states.
    Later,
    /// There.
    Here,
    /// Before the transition that the step was a part of.
    Before,
}

struct Search<'a, M: Undo, D: Detector<M>> {
    config: &'a Config,
    control: &'a Control,
    machine: M,
    detector: D,
    /// Keys are sums.
    adds: bool,
    commuting: Commuting,
    known: Known,
    names: Names,
    /// What floats, if that is enough.
    floating: Option<Floating>,
    synchronised: Synchronised,
    /// It is not enough.
    unsynchronised: bool,
    path: Vec<Frame<M::Mark, D::Mark>>,
    /// The choices that lead to the machine's state.
    choices: Vec<Choice>,
    faults: Vec<Fault>,
    fates: Fates,
    /// Where it was asked whether all go round for ever.
    spins: FxHashSet<Digest>,
    record: Record,
    /// Executions and events that were shown.
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
        (weaken, most, floats): (ForTests<Weaken>, Option<usize>, bool),
    ) -> Self {
        // Only of data races anything is remembered.
        let races = detector.digest(&machine).is_some();
        Search {
            adds: floats || !races,
            floating: (floats && races).then(Floating::default),
            synchronised: Synchronised::default(),
            unsynchronised: false,
            config,
            control,
            names: Names::new(machine.pending().len()),
            machine,
            detector,
            commuting: Commuting::default(),
            known: Known::new(most),
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

    /// The report; the search itself, if it has to begin anew with digests.
    fn run(mut self) -> Result<Report, Box<Self>> {
        let faulty = self.record.notice(self.config, self.machine.notices(), &[]);
        let stop = match faulty && self.config.stop == Stop::First {
            true => StopReason::Finding,
            false => self.search(),
        };
        self.show();
        if self.unsynchronised && stop != StopReason::Finding && !self.control.is_stop_requested() {
            return Err(Box::new(self));
        }
        self.record.statistics.forgotten_states = self.known.forgotten();
        Ok(self.record.finish(stop))
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
            // Where all have their turn, data choices of a thread apart.
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
            if self.unsynchronised {
                return StopReason::Complete; // so it is for this search: another one begins
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

    /// After a step from the state at a depth: who else has a turn, and where.
    fn give_turn(&mut self, turn: Turn, depth: usize) {
        let mut at = depth;
        match turn {
            Turn::Later => return,
            Turn::Here => {}
            // A data choice is a part of the transition before it: others come before that one.
            Turn::Before => {
                while at > 0 && self.path[at].chooses {
                    at -= 1;
                }
            }
        }
        if !self.weaken.is(Weaken::Proviso) {
            let frame = &mut self.path[at];
            frame.ample = frame.choices.len();
        }
    }

    /// Takes a step from the last state of the path. When others have their turn, and whether
    /// something asked for was found.
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
            floating.follow(&self.machine, &event, self.choices.len());
            self.unsynchronised |= !self.weaken.is(Weaken::Synchronised)
                && !floating.knows_all(&self.machine, choice.thread)
                && !self.synchronised.holds(&self.machine, &event, several);
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
        // Nobody has a turn where an execution ends.
        let ends = !self.machine.pending().iter().any(Pending::is_enabled);
        let turn = match leads {
            Leads::Round => Turn::Here,
            _ if silent && !ends => Turn::Later,
            _ => Turn::Before,
        };
        (turn, faulty | found)
    }

    /// What the machine's state is; it becomes the last one of the path if it is to be expanded.
    /// And whether something asked for was found there. `by`: the step that led there.
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
        let (choices, ample) = moves(&self.machine, 0, |thread| {
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
        let chooses = |choice: &Choice| {
            let pending = &self.machine.pending()[choice.thread.index()];
            pending.action.op == Op::Choose
        };
        self.path.push(Frame {
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

    /// Notes what a step from the last state of the path adds to its key; what steps add after it.
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

    /// What tells the machine's state; none where an action is incomplete.
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
            None => self.detector.digest(&self.machine),
        };
        let past = past.filter(|_| !self.weaken.is(Weaken::Memory));
        Some(key.with(past.unwrap_or_default()))
    }

    fn parked(&self) -> usize {
        let pending = self.machine.pending().iter();
        pending.filter(|p| p.status == Status::Parked).count()
    }

    /// Tells the detector of each thread that never moves again, whatever the others do.
    fn find_stuck(&mut self) {
        let asked = self.config.properties.contains(&Property::Deadlock);
        if !asked || self.fates.gave_up() || self.weaken.is(Weaken::Stuck) {
            return;
        }
        for waiting in waiting(&self.machine) {
            if self.control.is_stop_requested() {
                return;
            }
            let name = self.names.of(waiting.thread);
            match self.fates.of(&mut self.machine, waiting, name, self.control) {
                Fate::Open => {}
                Fate::Unknown if !waiting.firm => self.stays_open(waiting),
                Fate::Stuck | Fate::Unknown => {
                    self.detector
                        .stuck(&self.machine, waiting.thread, &mut self.faults);
                }
            }
        }
    }

    /// Tells the detector if all go round for ever, if that was not asked here before.
    fn find_spins(&mut self, key: Digest) {
        let asked = self.config.properties.contains(&Property::Deadlock);
        if !asked || !may_spin(self.machine.pending()) {
            return;
        }
        if self.spins.insert(key) {
            let start = self.machine.mark();
            let found = (&mut self.detector, &mut self.faults);
            find_spins(&mut self.machine, M::fingerprint, found);
            self.machine.undo(start);
        }
    }

    #[cold]
    fn stays_open(&mut self, waiting: Waiting) {
        let action = &self.machine.pending()[waiting.thread.index()].action;
        let (name, stmt) = (self.names.text(waiting.thread), action.stmt);
        self.record.limit(&Limit {
            kind: LimitKind::Events,
            detail: crate::stuck::too_many(&name, action),
            stmt,
        });
    }

    fn note_faults(&mut self) -> bool {
        let mut faulty = false;
        for fault in self.faults.drain(..) {
            faulty |= self.record.fault(self.config, fault, &self.choices);
        }
        faulty
    }

    /// Shows the counters.
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
    }
}

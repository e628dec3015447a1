//! The machine, at the end of an order of a graph's events.

use super::graph::{At, Decision, Event, Graph};
use super::reason::Uncovered;
use super::weaken::Weaken;
use crate::record::Record;
use crate::{Config, Stop};
use rustc_hash::FxHashMap;
use selvedge_base::{Digest, Domain, ForTests, Id, ThreadId};
use selvedge_model::{Action, Choice, Detector, Fault, Needs, Op, Outcome, Pending, Status, Undo};

/// Sets of threads that an outcome names.
static NAMED: Domain = Domain::new("threads that an outcome names");

/// An event that the machine has taken.
struct Step<M, D> {
    digest: Digest,
    marks: (M, D),
}

/// What came of a step.
pub struct Taken {
    pub decision: Decision,
    pub failed: bool,
    /// The threads that the outcome names.
    pub named: Vec<ThreadId>,
    /// The event's action, with names of threads.
    pub action: Action,
}

/// See the module's documentation.
pub struct Runner<'a, M: Undo, D: Detector<M>> {
    pub machine: M,
    pub detector: D,
    pub record: Record,
    config: &'a Config,
    weaken: ForTests<Weaken>,
    steps: Vec<Step<M::Mark, D::Mark>>,
    /// The digests of the events taken.
    path: Vec<Digest>,
    choices: Vec<Choice>,
    /// The name of each thread by the machine's number.
    names: Vec<u32>,
    /// The name of its creator.
    creators: Vec<u32>,
    /// Names, by creator and how many threads it has created before.
    known: FxHashMap<(u32, u32), u32>,
    faults: Vec<Fault>,
    /// A fault of a requested property was found, and the search stops at the first.
    pub found: bool,
}

/// The creator of the threads that run from the start.
const NOBODY: u32 = u32::MAX;

impl<'a, M: Undo, D: Detector<M>> Runner<'a, M, D> {
    pub fn new((machine, detector): (M, D), config: &'a Config, weaken: ForTests<Weaken>) -> Self {
        let mut runner = Runner {
            detector,
            record: Record::default(),
            config,
            weaken,
            steps: Vec::new(),
            path: Vec::new(),
            choices: Vec::new(),
            names: Vec::new(),
            creators: Vec::new(),
            known: FxHashMap::default(),
            faults: Vec::new(),
            found: false,
            machine,
        };
        for number in 0..runner.machine.pending().len() {
            assert_eq!(number, runner.names.len());
            runner.add_thread(NOBODY);
        }
        runner.report();
        runner
    }

    /// The digests of the events taken.
    pub fn path(&self) -> &[Digest] {
        &self.path
    }

    /// Names a thread: by its creator, and how many threads that has created before.
    fn add_thread(&mut self, creator: u32) {
        let nth = self.creators.iter().filter(|&&other| other == creator).count() as u32;
        let next = self.known.len() as u32;
        self.names.push(*self.known.entry((creator, nth)).or_insert(next));
        self.creators.push(creator);
    }

    /// The machine's number of a thread.
    pub fn number(&self, name: u32) -> Option<ThreadId> {
        let at = self.names.iter().position(|&other| other == name)?;
        Some(ThreadId::from_index(at))
    }

    /// The threads created so far, by name, with their next actions.
    pub fn threads(&self) -> impl Iterator<Item = (u32, &Pending)> {
        self.names.iter().copied().zip(self.machine.pending())
    }

    /// The next action of a thread.
    pub fn pending(&self, name: u32) -> Option<Pending> {
        Some(self.machine.pending()[self.number(name)?.index()])
    }

    /// An action with names of threads.
    pub fn named(&self, action: Action) -> Action {
        action.renamed(|thread| match self.names.get(thread.index()) {
            Some(&name) => ThreadId::from_index(name as usize),
            None => thread,
        })
    }

    /// Brings the machine to the end of these events of a graph.
    ///
    /// # Errors
    /// If an event does not happen as it did before.
    pub fn run(&mut self, graph: &Graph, order: &[At]) -> Result<(), Uncovered> {
        let events = || order.iter().filter_map(|&at| graph.event(at));
        let same = events()
            .zip(&self.path)
            .take_while(|(event, digest)| event.digest == **digest);
        let same = same.count();
        self.return_to(same);
        for event in events().skip(same) {
            if self.found {
                return Ok(());
            }
            self.repeat(event)?;
        }
        Ok(())
    }

    /// Takes steps back until so many are left.
    pub fn return_to(&mut self, length: usize) {
        if let Some(step) = self.steps.get(length) {
            let (machine, detector) = (step.marks.0, step.marks.1);
            self.machine.undo(machine);
            self.detector.undo(detector);
            self.steps.truncate(length);
            self.path.truncate(length);
            self.choices.truncate(length);
            self.names.truncate(self.machine.pending().len());
            self.creators.truncate(self.names.len());
        }
    }

    /// The number of steps taken.
    pub fn len(&self) -> usize {
        self.steps.len()
    }

    fn repeat(&mut self, event: &Event) -> Result<(), Uncovered> {
        let pending = self.pending(event.at.thread).ok_or(Uncovered::Strays)?;
        let action = self.named(pending.action);
        let expected = Action {
            ends: action.ends,
            ..event.action
        };
        if !pending.is_enabled() || action != expected {
            return Err(Uncovered::Strays);
        }
        for alternative in 0..pending.alternatives {
            let length = self.len();
            let taken = self.step(event.at.thread, alternative, event.digest)?;
            if taken.decision == event.decision || self.found || self.weaken.is(Weaken::StaleDecision) {
                return Ok(());
            }
            self.return_to(length);
        }
        Err(Uncovered::Strays)
    }

    /// Takes a step. The digest of its event may be set later ([`Runner::is_event`]).
    ///
    /// # Errors
    /// If this strategy does not cover what happens.
    pub fn step(&mut self, name: u32, alternative: u16, digest: Digest) -> Result<Taken, Uncovered> {
        let thread = self.number(name).ok_or(Uncovered::Strays)?;
        let choice = Choice { thread, alternative };
        let decides = self.machine.pending()[thread.index()].alternatives > 1
            || self.machine.pending()[thread.index()].action.op == Op::Choose;
        let decision = if decides { self.machine.decision(choice) } else { 0 };
        let marks = (self.machine.mark(), self.detector.mark());
        let event = self.machine.step(choice);
        self.steps.push(Step { digest, marks });
        self.path.push(digest);
        self.choices.push(choice);
        self.record.statistics.events += 1;
        self.record.statistics.choices += u64::from(decides);
        while self.names.len() < self.machine.pending().len() {
            self.add_thread(name);
        }
        self.detector.event(&self.machine, &event, &mut self.faults);
        let ends_process = self.ends_process();
        self.report();
        if self.found {
            return Ok(self.taken(&event, decision));
        }
        if ends_process {
            return Err(Uncovered::EndsByFault);
        }
        if !self.machine.parts().is_empty() {
            return Err(Uncovered::Parts);
        }
        if event.completes || event.outcome == Outcome::Incomplete || self.machine.is_incomplete(thread) {
            return Err(Uncovered::Incomplete);
        }
        Ok(self.taken(&event, decision))
    }

    fn taken(&self, event: &selvedge_model::Event, decision: u128) -> Taken {
        let name = |thread: &ThreadId| match self.names.get(thread.index()) {
            Some(&name) => ThreadId::from_index(name as usize),
            None => *thread,
        };
        let mut named = Vec::new();
        let outcome = match event.outcome {
            Outcome::Done => 0,
            Outcome::Failed => 1,
            Outcome::Incomplete => 2,
            Outcome::Value(value) => 3 << 64 | u128::from(value),
            Outcome::Thread(thread) => {
                named.push(name(&thread));
                4 << 64 | u128::from(named[0].0)
            }
            Outcome::Threads(set) => {
                named.extend(self.machine.waiters(set).iter().map(name));
                named.sort_unstable();
                let words: Vec<u64> = named.iter().map(|thread| u64::from(thread.0)).collect();
                let [low, high] = Digest::of_words(&NAMED, &words).words();
                u128::from(high) << 64 | u128::from(low)
            }
        };
        Taken {
            decision: Decision { decision, outcome },
            failed: event.outcome == Outcome::Failed,
            named,
            action: self.named(event.action),
        }
    }

    /// The last step was this event.
    pub fn is_event(&mut self, digest: Digest) {
        if let (Some(step), Some(last)) = (self.steps.last_mut(), self.path.last_mut()) {
            step.digest = digest;
            *last = digest;
        }
    }

    /// True if the last step has ended the process, whatever the other threads were about to do.
    fn ends_process(&self) -> bool {
        let pending = self.machine.pending();
        let blocked = |p: &Pending| p.status == Status::Blocked && p.action.op.info().needs == Needs::Nothing;
        !self.machine.notices().is_empty() && pending.iter().any(blocked)
    }

    /// Records what the last step reported.
    fn report(&mut self) {
        let mut faulty = false;
        if !self.machine.notices().is_empty() {
            faulty = self
                .record
                .notice(self.config, self.machine.notices(), &self.choices);
        }
        faulty |= self.note_faults();
        self.found |= faulty && self.config.stop == Stop::First;
    }

    fn note_faults(&mut self) -> bool {
        let mut faulty = false;
        for fault in std::mem::take(&mut self.faults) {
            faulty |= self.record.fault(self.config, fault, &self.choices);
        }
        faulty
    }

    /// Records the end of an execution: the machine's state is one.
    pub fn end(&mut self) {
        let statistics = &mut self.record.statistics;
        statistics.executions += 1;
        self.detector.end(&self.machine, &mut self.faults);
        let faulty = self.note_faults();
        self.found |= faulty && self.config.stop == Stop::First;
    }
}

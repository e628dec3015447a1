//! A race detector that caches steps without a race.
//!
//! A machine that recalls its steps ([`Recall`]) takes many executions through few states, and at
//! each state the accesses that the race detector holds have few values. So the detector's steps
//! are cached as a graph, too. A node is a state of the machine together with the detector's
//! [digest](super::digest), in which threads have their numbers, as in the machine's states. An
//! edge is a step of the machine. For a known edge the detector has nothing to do. For any other
//! step, the detector first processes the steps of the present path that it has skipped, and then
//! this one. Only steps without a race become edges, and no step is looked up after a race. So
//! reports, their texts and their counts are those of a detector that processes every step.
//!
//! Computing a digest costs as much as processing many steps. The detector soon finds out whether
//! this pays ([`Trial`]). If it does not, no digest is computed for a long time.
//!
//! Two paths with the same digest may differ in accesses that others subsume. Every access that
//! races with these races with the others, too. So this makes no difference for the existence of a
//! race. After a race it could make one. Of several accesses of one thread to one place, the
//! detector checks only those that exceed its earlier checks since the thread's last release, and
//! which these are may depend on the events in between.

use super::digest::{About, Names, numbers};
use super::{RaceDetector, RaceMark};
use selvedge_base::{Digest, ForTests};
use selvedge_model::recall::{NONE, StepGraph};
use selvedge_model::{Describe, Detector, Event, Fault, Recall, Seen};
use std::rc::Rc;

/// This number of words of the detector's state makes a digest as expensive as one processed step.
const WORDS: usize = 64;

/// The cost of digests, in processed steps, after which the trial checks for the first time whether
/// they pay.
const TRIAL: u64 = 2048;

/// After a trial that did not pay, this many times as many steps are processed without a digest.
const REST: u64 = 64;

/// The maximum size of the graph in bytes. When it is full, nothing more is cached.
const MOST_BYTES: usize = 16 << 20;

/// A step of the present path.
struct Taken {
    /// The machine's number of the step; `NONE` if it has none, and then the step was processed.
    step: u32,
    /// The node before the step, or `NONE`.
    from: u32,
}

/// Decides whether caching pays.
#[derive(Default)]
struct Trial {
    learned: u64,
    known: u64,
    /// The cost of caching, in processed steps.
    paid: u64,
    /// The number of checks so far.
    looks: u32,
}

impl Trial {
    /// A step was cached at this cost. Returns false if caching does not pay. States return more
    /// often as depth-first search goes on, so the first checks require little.
    fn pay(&mut self, price: u64) -> bool {
        self.learned += 1;
        self.paid += price;
        if self.paid < TRIAL << self.looks {
            return true;
        }
        let asked = self.learned * price.min(1 << self.looks.min(32)) / 8;
        self.looks += 1;
        self.known >= asked.max(1)
    }
}

/// A [`RaceDetector`] with a cache. See the module's documentation.
pub struct RecallingRaces {
    real: RaceDetector,
    /// The marks of `real` before each step that it has processed; never more than the path has
    /// steps.
    marks: Vec<RaceMark>,
    path: Vec<Taken>,
    /// The present node; `NONE` if it is not known, and then `real` has processed the whole path.
    here: u32,
    /// The position of the path's first step with a race; the length of the path or more if there
    /// is none.
    racy: usize,
    /// States by the machine's state and the digest; the machine's steps without a race.
    graph: StepGraph<(u32, Digest), u32, (), ()>,
    /// The names of as many threads as there were so far.
    numbers: Rc<[Digest]>,
    trial: Trial,
    /// The number of steps to be processed before the next trial.
    rest: u64,
    /// True if there is room for more.
    room: bool,
    /// If set, each recalled step is also processed and compared.
    checked: ForTests<bool>,
    /// The part that is left out of digests.
    without: ForTests<Option<About>>,
}

impl Default for RecallingRaces {
    fn default() -> Self {
        Self::new()
    }
}

impl RecallingRaces {
    /// A detector at the beginning of an execution.
    pub fn new() -> Self {
        Self::of(RaceDetector::new())
    }

    /// A detector with a cache around this one, which has processed nothing yet.
    pub fn of(real: RaceDetector) -> Self {
        RecallingRaces {
            real,
            marks: Vec::new(),
            path: Vec::new(),
            here: NONE,
            racy: usize::MAX,
            graph: StepGraph::new(MOST_BYTES),
            numbers: Rc::new([]),
            trial: Trial::default(),
            rest: 0,
            room: true,
            checked: ForTests::default(),
            without: ForTests::default(),
        }
    }

    /// A detector for tests: it also processes recalled steps, and compares.
    ///
    /// # Panics
    /// Its events panic if a recalled step brings a different result.
    #[cfg(feature = "laboratory")]
    pub fn checked() -> Self {
        RecallingRaces {
            checked: ForTests::new(true),
            ..Self::new()
        }
    }

    /// A checked detector with a mistake: digests leave something out.
    #[cfg(feature = "laboratory")]
    pub fn weakened(without: About) -> Self {
        RecallingRaces {
            without: ForTests::new(Some(without)),
            ..Self::checked()
        }
    }

    /// Processes the skipped ones among the first steps of the path.
    fn catch_up<M: Recall>(&mut self, machine: &M, steps: usize) {
        for taken in &self.path[self.marks.len()..steps] {
            self.marks.push(self.real.here());
            self.real.see(machine, &machine.seen(taken.step));
            self.real.races.clear();
        }
    }

    /// Processes the step that the machine just took, which is the path's last. Returns true if it
    /// brings races.
    fn see<M: Recall + Describe>(&mut self, machine: &M, event: &Event, faults: &mut Vec<Fault>) -> bool {
        self.catch_up(machine, self.path.len() - 1);
        self.marks.push(self.real.here());
        self.real.see(machine, &Seen::last(machine, event));
        let races = !self.real.races.is_empty();
        if races {
            self.real.report(machine, faults);
            self.racy = self.racy.min(self.path.len() - 1);
        }
        races
    }

    fn digest<M: Recall>(&mut self, machine: &M) -> Digest {
        let pending = machine.pending();
        if self.numbers.len() < pending.len() {
            self.numbers = numbers(pending.len());
        }
        self.real
            .remembered(pending, Names::numbers(Rc::clone(&self.numbers), self.without))
    }

    /// Processes a step that is not cached. `step`: its number, if it has one.
    #[inline(never)]
    fn see_anew<M: Recall + Describe>(
        &mut self,
        machine: &M,
        event: &Event,
        step: u32,
        faults: &mut Vec<Fault>,
    ) {
        let from = self.here;
        self.see(machine, event, faults);
        self.here = NONE;
        if self.racy != usize::MAX {
            return;
        }
        let Some(state) = machine.state_number() else {
            return;
        };
        if self.rest > 0 {
            self.rest -= 1;
            return;
        }
        if !self.room {
            return;
        }
        let to = self.node(state, machine);
        self.here = to;
        if from != NONE && step != NONE {
            self.graph.learn((from, step, to), ());
        }
        self.weigh();
    }

    /// The node of the present state. `state`: the number of the machine's state.
    fn node<M: Recall>(&mut self, state: u32, machine: &M) -> u32 {
        let key = (state, self.digest(machine));
        self.graph.enter(key, |()| true, || ())
    }

    /// After a step was cached: decides whether to continue.
    fn weigh(&mut self) {
        let price = 1 + (self.real.words() / WORDS) as u64;
        if !self.trial.pay(price) && !self.checked.is(true) {
            self.rest = REST * self.trial.paid;
            self.trial = Trial::default();
        }
        self.room = self.graph.has_room(0);
    }

    /// Processes a recalled step, for comparison. (Its digest may differ: of subsumed accesses, one
    /// path keeps some that another has dropped.)
    #[cold]
    fn see_again<M: Recall + Describe>(&mut self, machine: &M, event: &Event, faults: &mut Vec<Fault>) {
        let races = self.see(machine, event, faults);
        assert!(!races, "a known step brings a race: {event:?}");
    }
}

impl<M: Describe + Recall> Detector<M> for RecallingRaces {
    /// The number of steps of the path.
    type Mark = usize;

    #[inline]
    fn mark(&mut self) -> usize {
        self.path.len()
    }

    #[inline]
    fn undo(&mut self, mark: usize) {
        if let Some(taken) = self.path.get(mark) {
            self.here = taken.from;
            self.path.truncate(mark);
        }
        if self.racy >= mark {
            self.racy = usize::MAX;
        }
        if let Some(&real) = self.marks.get(mark) {
            self.real.back_to(real);
            self.marks.truncate(mark);
        }
    }

    #[inline]
    fn event(&mut self, machine: &M, event: &Event, faults: &mut Vec<Fault>) {
        let step = machine.step_number().unwrap_or(NONE);
        let from = self.here;
        self.path.push(Taken { step, from });
        let known = if from == NONE || step == NONE {
            NONE
        } else {
            self.graph.find(from, step)
        };
        if known == NONE {
            self.see_anew(machine, event, step, faults);
            return;
        }
        self.trial.known += 1;
        self.here = self.graph.edge(known).to;
        if self.checked.is(true) {
            self.see_again(machine, event, faults);
        }
    }

    fn end(&mut self, _: &M, _: &mut Vec<Fault>) {}
}

//! A race detector that does not look again at what it knows.
//!
//! A machine that recalls its steps ([`Recall`]) takes many executions along few states, and what
//! the race detector holds against later events takes few values at each of these. So its steps are
//! kept as a graph, too: a node is a state of the machine with the detector's
//! [digest](super::digest), in which threads go by their numbers as they do in the machine's
//! states; an edge is a step of the machine. Along an edge that is known there is nothing to do.
//! For any other step the detector first sees those of the present path that it has not seen yet,
//! then this one. Only steps without races are edges, and nothing is known after a race: so
//! reports, their words and their counts are those of a detector that sees every step.
//!
//! A digest costs as much as many steps. Whether it pays shows soon ([`Trial`]); if it does not,
//! steps are only seen for a long while.
//!
//! Two paths with one digest may differ in accesses that others stand for. Whatever races with
//! these races with the others, too: it makes no difference to whether there is a race. After one
//! it could: of several accesses of one thread to one place, the detector looks only at those that
//! are more than it has looked at since the thread's last release, and which these are may depend
//! on what came between.

use super::digest::{About, Names, numbers};
use super::{RaceDetector, RaceMark};
use rustc_hash::FxHashMap;
use selvedge_base::{Digest, ForTests};
use selvedge_model::{Describe, Detector, Event, Fault, Recall, Seen};
use std::rc::Rc;

/// No node, no step.
const NONE: u32 = u32::MAX;

/// So many words of the detector's state make a digest as expensive as seeing a step.
const WORDS: usize = 64;

/// After digests as expensive as so many seen steps, there is a first look at whether they pay.
const TRIAL: u64 = 2048;

/// How many times as many steps are seen without a digest after a trial that did not pay.
const REST: u64 = 64;

/// Bytes that the graph may have. Once it is full nothing more is learned.
const MOST_BYTES: usize = 16 << 20;

/// A step of the machine from a node, without a race.
struct Edge {
    step: u32,
    next: u32,
    to: u32,
}

/// A step of the present path.
struct Taken {
    /// The machine's number of it; `NONE` if it has none, and then it was seen.
    step: u32,
    /// The node before it, or `NONE`.
    from: u32,
}

/// Whether learning pays.
#[derive(Default)]
struct Trial {
    learned: u64,
    known: u64,
    /// What learning cost, in seen steps.
    paid: u64,
    /// How often it was looked at.
    looks: u32,
}

impl Trial {
    /// A step was learned for this price; false if it does not pay. States come back more and more
    /// as depth-first search goes on, so little is asked for at first.
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

/// A [`RaceDetector`] that remembers. See the module's documentation.
pub struct RecallingRaces {
    real: RaceDetector,
    /// Where `real` was before each step that it has seen: never more of them than the path has.
    marks: Vec<RaceMark>,
    path: Vec<Taken>,
    /// The present node; `NONE` if it is not known, and then `real` has seen the whole path.
    here: u32,
    /// The first step of the path that brought a race, by its place; the path's end and more, if
    /// none has.
    racy: usize,
    /// The edge learned last at each node; the others follow.
    nodes: Vec<u32>,
    edges: Vec<Edge>,
    /// By the machine's state and the digest.
    by_key: FxHashMap<(u32, Digest), u32>,
    /// Of as many threads as there were so far.
    numbers: Rc<[Digest]>,
    trial: Trial,
    /// So many steps are to be seen before the next trial.
    rest: u64,
    /// There is room for more.
    room: bool,
    /// Each recalled step is also seen, and compared.
    checked: ForTests<bool>,
    /// What is left out of digests.
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

    /// The same with this detector, which has seen nothing yet.
    pub fn of(real: RaceDetector) -> Self {
        RecallingRaces {
            real,
            marks: Vec::new(),
            path: Vec::new(),
            here: NONE,
            racy: usize::MAX,
            nodes: Vec::new(),
            edges: Vec::new(),
            by_key: FxHashMap::default(),
            numbers: Rc::new([]),
            trial: Trial::default(),
            rest: 0,
            room: true,
            checked: ForTests::default(),
            without: ForTests::default(),
        }
    }

    /// The same for tests: sees what it knows, too, and compares.
    ///
    /// # Panics
    /// Its events do, if a step that is known brings something else.
    #[cfg(feature = "laboratory")]
    pub fn checked() -> Self {
        RecallingRaces {
            checked: ForTests::new(true),
            ..Self::new()
        }
    }

    /// A checked one that is wrong: digests leave something out.
    #[cfg(feature = "laboratory")]
    pub fn weakened(without: About) -> Self {
        RecallingRaces {
            without: ForTests::new(Some(without)),
            ..Self::checked()
        }
    }

    /// The edge of a step at the present node.
    #[inline]
    fn find(&self, step: u32) -> u32 {
        let mut at = self.nodes[self.here as usize];
        while at != NONE {
            let edge = &self.edges[at as usize];
            if edge.step == step {
                break;
            }
            at = edge.next;
        }
        at
    }

    /// Sees what it has not seen of the first steps of the path.
    fn catch_up<M: Recall>(&mut self, machine: &M, steps: usize) {
        for taken in &self.path[self.marks.len()..steps] {
            self.marks.push(self.real.here());
            self.real.see(machine, &machine.seen(taken.step));
            self.real.races.clear();
        }
    }

    /// Sees the step that the machine just took, which is the path's last; whether it brings races.
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

    /// A step that is not known; `step` is its number, if it has one.
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
            let next = std::mem::replace(&mut self.nodes[from as usize], self.edges.len() as u32);
            self.edges.push(Edge { step, next, to });
        }
        self.weigh();
    }

    /// The node of the present state, in which the machine's state has this number.
    fn node<M: Recall>(&mut self, state: u32, machine: &M) -> u32 {
        let key = (state, self.digest(machine));
        *self.by_key.entry(key).or_insert_with(|| {
            self.nodes.push(NONE);
            self.nodes.len() as u32 - 1
        })
    }

    /// After a step was learned: whether to go on.
    fn weigh(&mut self) {
        let price = 1 + (self.real.words() / WORDS) as u64;
        if !self.trial.pay(price) && !self.checked.is(true) {
            self.rest = REST * self.trial.paid;
            self.trial = Trial::default();
        }
        let node = size_of::<u32>() + 2 * size_of::<(u32, Digest, u32)>();
        self.room = self.nodes.len() * node + size_of_val(&self.edges[..]) <= MOST_BYTES;
    }

    /// A known step, to compare. (Its digest may differ: of accesses that others stand for, one
    /// path keeps some that another has forgotten.)
    #[cold]
    fn see_again<M: Recall + Describe>(&mut self, machine: &M, event: &Event, faults: &mut Vec<Fault>) {
        let races = self.see(machine, event, faults);
        assert!(!races, "a known step brings a race: {event:?}");
    }
}

impl<M: Describe + Recall> Detector<M> for RecallingRaces {
    /// How many steps the path has.
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
            self.find(step)
        };
        if known == NONE {
            self.see_anew(machine, event, step, faults);
            return;
        }
        self.trial.known += 1;
        self.here = self.edges[known as usize].to;
        if self.checked.is(true) {
            self.see_again(machine, event, faults);
        }
    }

    fn end(&mut self, _: &M, _: &mut Vec<Fault>) {}
}

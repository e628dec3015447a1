//! The next event of a node: the first event of its lead, or an action of some thread.

use super::{Explorer, Leaf};
use crate::unfold::between::{Between, between, came_between};
use crate::unfold::event::{Clock, EventId, Store, join, last};
use crate::unfold::label::Ending;
use crate::unfold::tree::NodeId;
use selvedge_base::{Id, ThreadId};
use selvedge_model::{Choice, Detector, Fingerprint, Op, Status, Undo};
use std::rc::Rc;

/// After this number of consecutive events of one thread, other enabled threads get a turn. After
/// this number of events of a thread, its data choices begin with another alternative.
const PATIENCE: usize = 64;

/// The result of looking for the next event of a node.
pub(super) enum Next {
    Event(EventId),
    Nothing(Leaf),
}

/// The result of trying a step.
enum Attempt {
    Taken(EventId),
    Disabled,
    Cut,
    Halted,
}

impl<M, D> Explorer<'_, M, D>
where
    M: Undo + Fingerprint,
    D: Detector<M>,
{
    /// Takes the next event at a node, if there is one.
    pub(super) fn next(&mut self, at: NodeId) -> Next {
        if let Some(choosing) = self.choosing() {
            match self.next_choice(at, choosing) {
                // Only this thread ends here.
                Next::Nothing(Leaf::Cut) => {}
                next => return next,
            }
        }
        if let Some(&event) = self.tree[at].lead.last() {
            let len = self.path.len();
            if !self.path.follow(&mut self.store, event) {
                self.not_followed(event);
                return Next::Nothing(Leaf::Infeasible);
            }
            if self.settle(event) {
                return Next::Event(event);
            }
            // The events found through other configurations end in a known state.
            self.extensions.extend(&mut self.store, &mut self.path, &[]);
            self.path.undo(&self.store, len);
            return Next::Nothing(Leaf::Known);
        }
        let nearest = self.path.choices().last().map_or(0, |c| c.thread.index());
        let threads = self.path.machine.pending().len();
        let (mut asleep, mut enabled) = (false, false);
        let turns = self.turns(nearest);
        for i in 0..threads {
            // The thread that moved last comes first, for fewer context switches.
            let number = match i {
                _ if !turns.is_empty() => turns[i],
                0 => nearest,
                _ if i <= nearest => i - 1,
                _ => i,
            };
            let pending = self.path.machine.pending()[number];
            if !pending.is_enabled() {
                continue;
            }
            enabled = true;
            let thread = self.path.name(ThreadId::from_index(number));
            let of_thread = |list: &[EventId], store: &Store| list.iter().any(|&d| store[d].thread == thread);
            if pending.alternatives == 1 {
                // Its next event is the disabled one or the cutoff.
                if of_thread(&self.tree[at].disabled, &self.store) {
                    asleep = true;
                    continue;
                }
                if of_thread(&self.tree[at].cut, &self.store) {
                    continue;
                }
            }
            if pending.action.op == Op::Choose {
                match self.next_choice(at, number) {
                    Next::Event(event) => return Next::Event(event),
                    Next::Nothing(leaf) => asleep |= matches!(leaf, Leaf::Redundant),
                }
                continue;
            }
            let number = ThreadId::from_index(number);
            if between(&self.store, &self.path, number) == Between::Yes {
                continue;
            }
            for alternative in 0..pending.alternatives {
                let choice = Choice {
                    thread: number,
                    alternative,
                };
                match self.attempt(at, choice, None) {
                    Attempt::Taken(event) => return Next::Event(event),
                    Attempt::Disabled => asleep = true,
                    Attempt::Cut => {}
                    Attempt::Halted => return Next::Nothing(Leaf::Redundant),
                }
            }
        }
        Next::Nothing(match (enabled, asleep) {
            (false, _) => Leaf::Maximal,
            (_, false) => Leaf::Cut,
            (_, true) => Leaf::Redundant,
        })
    }

    /// If one thread has had all turns for long: the threads, ordered by number of events, fewest
    /// first. That thread may poll for an action of the others. Otherwise an empty list.
    fn turns(&self, nearest: usize) -> Vec<usize> {
        let newest = self.path.choices().iter().rev().take(PATIENCE);
        if newest.len() < PATIENCE || newest.into_iter().any(|c| c.thread.index() != nearest) {
            return Vec::new();
        }
        let mut turns: Vec<usize> = (0..self.path.machine.pending().len()).collect();
        turns.sort_by_key(|&number| {
            let name = self.path.name(ThreadId::from_index(number));
            (number == nearest, last(self.path.clock(), name).depth())
        });
        turns
    }

    /// Handles an event that cannot be executed, although its causes were executed and nothing in
    /// conflict with it. This is correct if inputs contradict each other. Then the event is a
    /// decision that contradicts another thread's decisions; or its thread has stopped, or still
    /// has to decide, after some decision on the path. Otherwise there is an error, and the verdict
    /// is unknown.
    pub(super) fn not_followed(&mut self, event: EventId) {
        let decided = |e: EventId| self.store[e].action.op == Op::Choose;
        if decided(event) {
            return;
        }
        let chooses = (0..self.path.len()).any(|at| decided(self.path.event(at)));
        let goes_on = self
            .path
            .number(self.store[event].action.thread)
            .is_none_or(|number| {
                let pending = &self.path.machine.pending()[number.index()];
                pending.status != Status::Parked && pending.action.op != Op::Choose
            });
        if !chooses || goes_on {
            let limit = self.differs();
            self.record.limit(&limit);
        }
    }

    /// The thread whose pending data choice belongs to the event just taken.
    fn choosing(&self) -> Option<usize> {
        let newest = self.path.choices().last()?.thread.index();
        let pending = &self.path.machine.pending()[newest];
        (pending.is_enabled() && pending.action.op == Op::Choose).then_some(newest)
    }

    /// Takes an alternative of a data choice. All its alternatives become known.
    fn next_choice(&mut self, at: NodeId, number: usize) -> Next {
        let number = ThreadId::from_index(number);
        let arms = self.siblings(number);
        let lead = self.tree[at].lead.iter().copied();
        let led = lead.rev().find_map(|l| arms.iter().position(|&arm| arm == l));
        // A loop that continues because of one alternative gets another alternative at some time.
        let first = last(self.path.clock(), self.path.name(number)).depth() as usize / PATIENCE;
        let turns = (0..arms.len()).map(|turn| (first + turn) % arms.len());
        let order = led.into_iter().chain(turns.filter(|a| Some(*a) != led));
        let mut asleep = false;
        for alternative in order {
            let choice = Choice {
                thread: number,
                alternative: alternative as u16,
            };
            match self.attempt(at, choice, Some(arms[alternative])) {
                Attempt::Taken(event) => return Next::Event(event),
                Attempt::Halted => return Next::Nothing(Leaf::Redundant),
                Attempt::Cut if Some(usize::from(choice.alternative)) == led => {
                    let cut = self.tree[at].cut.clone();
                    self.extensions.extend(&mut self.store, &mut self.path, &cut);
                    return Next::Nothing(Leaf::Known);
                }
                Attempt::Disabled => asleep = true,
                Attempt::Cut => {}
            }
        }
        Next::Nothing(if asleep { Leaf::Redundant } else { Leaf::Cut })
    }

    /// The events of all alternatives of a data choice, each in conflict with the others.
    fn siblings(&mut self, number: ThreadId) -> Vec<EventId> {
        let action = self.path.pending(number);
        let alternatives = self.path.machine.pending()[number.index()].alternatives;
        let mut clock = Clock::new();
        let before = last(self.path.clock(), action.thread).event();
        let waker = self.path.waker(action.thread).unwrap_or(EventId::NONE);
        for below in [before, waker] {
            if below.is_some() {
                join(&mut clock, &self.store[below].clock);
            }
        }
        let parent = if before.is_some() { before } else { waker };
        let incomplete = before.is_some() && self.store[before].incomplete;
        let mut arms = Vec::new();
        for alternative in 0..alternatives {
            let choice = Choice {
                thread: number,
                alternative,
            };
            let ending = Ending {
                decision: self.path.machine.decision(choice),
                ..Ending::default()
            };
            let what = if incomplete {
                let other = Rc::clone(&self.store[before].what);
                self.store.labels.continuing(&action, &ending, &other)
            } else {
                self.store.labels.of(&action, &ending)
            };
            let (event, _) = self.store.intern(parent, &what, &clock);
            for &other in &arms {
                self.store.link(event, other);
            }
            arms.push(event);
        }
        arms
    }

    /// Takes a step, unless its event is disabled or turns out to be a cutoff. `named`: the event,
    /// if it is known already.
    fn attempt(&mut self, at: NodeId, choice: Choice, named: Option<EventId>) -> Attempt {
        let len = self.path.len();
        let (event, _) = self.path.take(&mut self.store, choice);
        if named.is_some_and(|named| named != event) {
            // In this case conflicts were recorded for another event, and alternatives to this one
            // may be missing.
            let limit = self.differs();
            self.record.limit(&limit);
        }
        let node = &self.tree[at];
        if node.disabled.contains(&event) {
            self.path.undo(&self.store, len);
            self.path.faults.clear();
            return Attempt::Disabled;
        }
        if node.cut.contains(&event) || came_between(&self.store, &self.path, event) {
            self.path.undo(&self.store, len);
            self.path.faults.clear();
            return Attempt::Cut;
        }
        let goes_on = self.settle(event);
        if self.halt.is_some() {
            return Attempt::Halted;
        }
        if goes_on {
            return Attempt::Taken(event);
        }
        self.path.undo(&self.store, len);
        self.tree[at].cut.push(event);
        Attempt::Cut
    }
}

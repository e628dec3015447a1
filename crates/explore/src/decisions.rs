//! What the strategy `ordered` decides, and how it decides otherwise where something went wrong.
//!
//! A decision is known by what all inputs that come to it have in common: the operations so far,
//! and those that threads stand at. So inputs whose operations are the same so far are decided
//! alike, and the schedules of a set hang together.
//!
//! Where executions are divided into parts, only the operations of the part count, with the *shape*
//! of the state at its begin: where threads stand, and their order. Several ways lead to that
//! state, and the decisions behind it must not depend on the way. They must not depend on the rest
//! of the state either: schedules may lead to one of several states (`cover/src/combined.rs`), and
//! a program that comes there does not know to which.
//!
//! States of one shape may differ in who can move: a semaphore may have another value. If a native
//! program cannot tell them apart either, one thread has to move in all of them. Then decisions are
//! *alike*: a thread that cannot move in one of the states does not move in the others, if these
//! have another one. What is noticed too late makes the exploration begin again.
//!
//! To avoid a fault the last decision before it that has another alternative is changed, and the
//! exploration begins again: a search, depth first, for decisions with which nothing goes wrong.
//! One decision may lie on several paths, and be changed because of one of them and again because
//! of another one. So with each alternative that is given up the decisions are kept because of
//! which it is bad. If all alternatives are given up, one of the decisions that are kept with them
//! is changed, and what was given up because of a decision is not given up any more when that one
//! is changed (*dynamic backtracking*, as for constraint satisfaction).

use rustc_hash::{FxHashMap, FxHasher};
use selvedge_base::Id;
use selvedge_model::{Action, Pending};
use std::collections::BTreeSet;
use std::hash::{Hash, Hasher};

/// A name of a decision. If two have the same one, they are decided alike; the set of schedules
/// notices where that does not fit.
type Name = u64;

/// A decision on the present path.
#[derive(Clone, Copy, Debug)]
struct Decision {
    name: Name,
    /// How long the path was.
    depth: usize,
    /// The thread that moved.
    taken: usize,
}

/// A decision that was met, also in an earlier exploration.
#[derive(Clone, Debug)]
struct Met {
    /// How many others were met before it in the last exploration in which it was.
    number: usize,
    /// In which exploration that was.
    exploration: u64,
    taken: usize,
    /// The threads that could move.
    alternatives: Vec<usize>,
}

/// An alternative that was given up.
#[derive(Clone, Debug)]
struct GivenUp {
    thread: usize,
    /// As long as these decisions stay as they are, something goes wrong with it.
    why: BTreeSet<Name>,
}

/// Decisions that were changed, and those on the present path.
#[derive(Default, Debug)]
pub struct Decisions {
    given_up: FxHashMap<Name, Vec<GivenUp>>,
    /// The same thread moves in all states that come to a decision, as far as it can.
    alike: bool,
    /// The threads that do not move because they cannot in another state.
    barred: FxHashMap<Name, BTreeSet<usize>>,
    /// A thread has moved in this exploration that is barred now.
    unsettled: bool,
    met: FxHashMap<Name, Met>,
    exploration: u64,
    /// How many decisions were met in this exploration.
    number: usize,
    path: Vec<Decision>,
    /// The operations on the path, of the present part: how long it was, and a hash of all so far.
    past: Vec<(usize, u64)>,
}

impl Decisions {
    /// Decisions that are alike in all states of a shape.
    pub fn alike() -> Decisions {
        Decisions {
            alike: true,
            ..Decisions::default()
        }
    }

    /// Whether states of one shape were decided otherwise in the last exploration. It has to be
    /// made once more.
    pub const fn is_unsettled(&self) -> bool {
        self.unsettled
    }

    /// The next exploration begins.
    pub(crate) fn begin(&mut self) {
        self.truncate(0);
        self.exploration += 1;
        self.number = 0;
        self.unsettled = false;
    }

    /// The path is so long now.
    pub(crate) fn truncate(&mut self, depth: usize) {
        self.path.retain(|decision| decision.depth < depth);
        self.past.retain(|&(at, _)| at < depth);
    }

    /// An operation is taken at this length of the path.
    pub(crate) fn operation(&mut self, depth: usize, action: &Action) {
        let mut hasher = FxHasher::default();
        self.past().hash(&mut hasher);
        name(action, &mut hasher);
        self.past.push((depth, hasher.finish()));
    }

    /// A part begins at this length of the path, with such an order of threads.
    pub(crate) fn part(&mut self, depth: usize, pending: &[Pending], order: &[u64]) {
        let mut hasher = FxHasher::default();
        "part".hash(&mut hasher);
        let alive = pending.iter().filter(|p| p.status.is_alive());
        alive.for_each(|p| name(&p.action, &mut hasher));
        order.hash(&mut hasher);
        self.past.push((depth, hasher.finish()));
    }

    fn past(&self) -> u64 {
        self.past.last().map_or(0, |&(_, hash)| hash)
    }

    /// Which of the threads moves, the best one first.
    pub(crate) fn decide(&mut self, depth: usize, pending: &[Pending], ranked: &[usize]) -> Option<usize> {
        let &first = ranked.first()?;
        if ranked.len() == 1 && !self.alike {
            return Some(first);
        }
        let mut hasher = FxHasher::default();
        self.past().hash(&mut hasher);
        pending.iter().for_each(|p| name(&p.action, &mut hasher));
        let name = hasher.finish();
        let barred = self.barred.get(&name);
        let may = |thread: &usize| barred.is_none_or(|barred| !barred.contains(thread));
        let mut may_move: Vec<usize> = ranked.iter().copied().filter(may).collect();
        if may_move.is_empty() {
            may_move = ranked.to_vec();
        }
        let given_up = self.given_up.get(&name);
        let is_left = |thread: usize| given_up.is_none_or(|all| all.iter().all(|one| one.thread != thread));
        let taken = may_move.iter().copied().find(|&thread| is_left(thread));
        let mut taken = taken.unwrap_or(may_move[0]);
        if self.alike {
            taken = self.as_before(name, taken, ranked);
        }
        self.meet(name, taken, &may_move);
        self.path.push(Decision { name, depth, taken });
        Some(taken)
    }

    /// The thread that has moved in another state that came to a decision in this exploration. If
    /// it cannot move now, it will not move there either when the exploration begins again.
    fn as_before(&mut self, name: Name, taken: usize, ranked: &[usize]) -> usize {
        let before = self.met.get(&name);
        let before = before.filter(|met| met.exploration == self.exploration);
        let Some(before) = before.map(|met| met.taken).filter(|&before| before != taken) else {
            return taken;
        };
        let can_move = ranked.contains(&before);
        let (barred, taken) = match can_move {
            true => (taken, before),
            false => (before, taken),
        };
        if self.barred.entry(name).or_default().insert(barred) {
            self.unsettled |= !can_move;
            self.forget(name);
        }
        taken
    }

    /// A decision is another one now: nothing is given up because of it any more.
    fn forget(&mut self, name: Name) {
        for all in self.given_up.values_mut() {
            all.retain(|one| !one.why.contains(&name));
        }
    }

    fn meet(&mut self, name: Name, taken: usize, alternatives: &[usize]) {
        let before = self.met.get(&name);
        let before = before.filter(|met| met.exploration == self.exploration);
        let number = before.map_or(self.number, |met| met.number);
        self.number += usize::from(before.is_none());
        let met = Met {
            number,
            exploration: self.exploration,
            taken,
            alternatives: alternatives.to_vec(),
        };
        self.met.insert(name, met);
    }

    /// Changes the last decision on the present path that has another alternative. False if no
    /// decisions are left with which this path does not go wrong.
    pub fn avoid(&mut self) -> bool {
        let mut why: BTreeSet<Name> = self.path.iter().map(|decision| decision.name).collect();
        loop {
            let last = why
                .iter()
                .filter_map(|name| Some((self.met.get(name)?, *name)))
                .max_by_key(|(met, name)| (met.number, *name));
            let Some((met, name)) = last else {
                return false;
            };
            why.remove(&name);
            let on_path = self.path.iter().rev().find(|decision| decision.name == name);
            let thread = on_path.map_or(met.taken, |decision| decision.taken);
            let given_up = self.given_up.entry(name).or_default();
            given_up.push(GivenUp { thread, why });
            let mut alternatives = met.alternatives.iter();
            let is_left = alternatives.any(|&other| given_up.iter().all(|one| one.thread != other));
            why = match is_left {
                true => BTreeSet::new(),
                false => given_up.drain(..).flat_map(|one| one.why).collect(),
            };
            self.forget(name);
            if is_left {
                return true;
            }
        }
    }
}

fn name(action: &Action, hasher: &mut FxHasher) {
    (
        action.thread.index(),
        action.op as u8,
        action.object.0,
        action.object2.0,
    )
        .hash(hasher);
}

#[cfg(test)]
mod tests {
    use super::*;
    use selvedge_base::ThreadId;
    use selvedge_model::{ObjectId, Op, Status};

    fn stands(thread: usize, op: Op) -> Pending {
        Pending {
            action: Action::on(ThreadId::from_index(thread), op, ObjectId(8)),
            status: Status::Enabled,
            alternatives: 1,
        }
    }

    #[test]
    fn every_combination_of_decisions_is_tried_once() {
        let mut decisions = Decisions::default();
        let pending = [stands(0, Op::Lock), stands(1, Op::Lock)];
        let mut seen = Vec::new();
        loop {
            decisions.begin();
            let path: Vec<usize> = (0..3)
                .map(|depth| {
                    let thread = decisions.decide(depth, &pending, &[0, 1]).unwrap();
                    decisions.operation(depth, &pending[thread].action);
                    thread
                })
                .collect();
            assert!(!seen.contains(&path), "{path:?}");
            seen.push(path);
            if !decisions.avoid() {
                break;
            }
        }
        assert_eq!(seen.len(), 8);
    }

    /// Three inputs go through a graph of decisions, each in its own way.
    struct Game {
        nodes: usize,
        /// For each input, node and thread: the node that follows. None: the end.
        next: Vec<Vec<[Option<usize>; 2]>>,
        /// For each input: the nodes where something goes wrong.
        bad: Vec<Vec<bool>>,
    }

    impl Game {
        fn random(rng: &mut fastrand::Rng) -> Game {
            let nodes = rng.usize(2..7);
            let mut next = || {
                let to = rng.usize(0..nodes + 2);
                (to < nodes).then_some(to)
            };
            let next = (0..3)
                .map(|_| (0..nodes).map(|_| [next(), next()]).collect())
                .collect();
            let mut bad = || (0..nodes).map(|node| node > 0 && rng.u32(0..3) == 0).collect();
            let bad = (0..3).map(|_| bad()).collect();
            Game { nodes, next, bad }
        }

        /// Whether an input comes to no bad node. `choose` may be asked twice at a node.
        fn goes_well(&self, input: usize, mut choose: impl FnMut(usize, usize) -> usize) -> bool {
            let mut at = Some(0);
            for depth in 0..2 * self.nodes {
                let Some(node) = at else { break };
                if self.bad[input][node] {
                    return false;
                }
                at = self.next[input][node][choose(depth, node)];
            }
            true
        }

        fn has_decisions(&self) -> bool {
            let all =
                |choices: usize| (0..3).all(|input| self.goes_well(input, |_, node| (choices >> node) & 1));
            (0..1 << self.nodes).any(all)
        }

        /// In how many explorations decisions are found with which nothing goes wrong.
        fn search(&self) -> Option<usize> {
            let mut decisions = Decisions::default();
            let pending = [stands(0, Op::Lock), stands(1, Op::Lock)];
            for explorations in 1.. {
                assert!(explorations < 1000);
                decisions.begin();
                let all = (0..3).all(|input| {
                    decisions.truncate(0);
                    self.goes_well(input, |depth, node| {
                        decisions.part(depth, &[], &[node as u64]);
                        decisions.decide(depth, &pending, &[0, 1]).unwrap()
                    })
                });
                if all {
                    return Some(explorations);
                }
                if !decisions.avoid() {
                    return None;
                }
            }
            None
        }
    }

    #[test]
    fn decisions_that_several_paths_share_are_found_if_there_are_any() {
        let mut rng = fastrand::Rng::with_seed(1);
        let (mut found, mut none, mut most) = (0, 0, 0);
        for number in 0..3000 {
            let game = Game::random(&mut rng);
            let explorations = game.search();
            assert_eq!(explorations.is_some(), game.has_decisions(), "{number}");
            match explorations {
                Some(explorations) => {
                    found += usize::from(explorations > 1);
                    most = most.max(explorations);
                }
                None => none += 1,
            }
        }
        assert!(found > 300 && none > 300 && most > 5, "{found} {none} {most}");
    }

    /// In one state only one of two threads can move. Whichever state comes first, that thread
    /// moves in both.
    #[test]
    fn a_thread_that_can_move_in_all_states_of_a_shape_moves_in_all() {
        let pending = [stands(0, Op::Lock), stands(1, Op::Lock)];
        let states: [&[usize]; 2] = [&[0, 1], &[1]];
        for (states, explorations) in [(states, 2), ([states[1], states[0]], 1)] {
            let mut decisions = Decisions::alike();
            for number in 1.. {
                decisions.begin();
                let taken = states.map(|ranked| {
                    decisions.truncate(0);
                    decisions.decide(0, &pending, ranked)
                });
                if !decisions.is_unsettled() {
                    assert_eq!((taken, number), ([Some(1); 2], explorations));
                    break;
                }
            }
            // A run that comes to one of the states only decides as the exploration has.
            decisions.begin();
            assert_eq!(decisions.decide(0, &pending, &[0, 1]), Some(1));
        }
    }

    #[test]
    fn where_no_thread_can_move_in_all_states_each_moves_in_its_own() {
        let pending = [stands(0, Op::Lock), stands(1, Op::Lock)];
        let mut decisions = Decisions::alike();
        for number in 0..3 {
            decisions.begin();
            let taken = [0, 1].map(|thread| decisions.decide(0, &pending, &[thread]));
            assert_eq!(taken, [Some(0), Some(1)]);
            assert_eq!(decisions.is_unsettled(), number == 0);
        }
    }

    #[test]
    fn a_decision_depends_on_the_shape_of_its_part_and_not_on_the_way_there() {
        let mut decisions = Decisions::default();
        let pending = [stands(0, Op::Lock), stands(1, Op::Lock)];
        let mut along = |way: usize, order: &[u64]| {
            decisions.begin();
            decisions.operation(0, &pending[way].action);
            decisions.part(1, &pending, order);
            let taken = decisions.decide(1, &pending, &[0, 1]);
            (taken, way == 0 && taken == Some(0) && decisions.avoid())
        };
        assert_eq!(along(0, &[0, 1]), (Some(0), true));
        assert_eq!(along(1, &[0, 1]), (Some(1), false));
        assert_eq!(along(1, &[1, 0]), (Some(0), false));
    }
}

//! What the strategy `ordered` decides, and how it decides otherwise where something went wrong.
//!
//! A decision is known by what all inputs that come to it have in common: the operations so far,
//! and those that threads stand at. So inputs whose operations are the same so far are decided
//! alike, and the schedules of a set hang together. To avoid a fault the last decision before it
//! that has another alternative is changed, and the exploration begins again: a search, depth
//! first, for decisions with which nothing goes wrong.

use rustc_hash::{FxHashMap, FxHasher};
use selvedge_base::Id;
use selvedge_model::{Action, Pending};
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
    taken: usize,
    alternatives: usize,
}

/// Decisions that were changed, and those on the present path.
#[derive(Default, Debug)]
pub struct Decisions {
    changed: FxHashMap<Name, usize>,
    path: Vec<Decision>,
    /// The operations on the path: how long it was, and a hash of all so far.
    past: Vec<(usize, u64)>,
}

impl Decisions {
    /// The next exploration begins.
    pub(crate) fn begin(&mut self) {
        self.truncate(0);
    }

    /// The path is so long now.
    pub(crate) fn truncate(&mut self, depth: usize) {
        self.path.retain(|decision| decision.depth < depth);
        self.past.retain(|&(at, _)| at < depth);
    }

    /// An operation is taken at this length of the path.
    pub(crate) fn operation(&mut self, depth: usize, action: &Action) {
        let mut hasher = FxHasher::default();
        self.past.last().map_or(0, |&(_, hash)| hash).hash(&mut hasher);
        name(action, &mut hasher);
        self.past.push((depth, hasher.finish()));
    }

    /// Which of the threads moves, the best one first.
    pub(crate) fn decide(&mut self, depth: usize, pending: &[Pending], ranked: &[usize]) -> Option<usize> {
        let &first = ranked.first()?;
        if ranked.len() == 1 {
            return Some(first);
        }
        let mut hasher = FxHasher::default();
        self.past.last().map_or(0, |&(_, hash)| hash).hash(&mut hasher);
        pending.iter().for_each(|p| name(&p.action, &mut hasher));
        let name = hasher.finish();
        let taken = self.changed.get(&name).copied().unwrap_or(0);
        let taken = taken.min(ranked.len() - 1);
        self.path.push(Decision {
            name,
            depth,
            taken,
            alternatives: ranked.len(),
        });
        Some(ranked[taken])
    }

    /// Changes the last decision on the present path that has another alternative. False if none
    /// has.
    pub fn avoid(&mut self) -> bool {
        while let Some(last) = self.path.pop() {
            if last.taken + 1 < last.alternatives {
                self.changed.insert(last.name, last.taken + 1);
                return true;
            }
            // The change of an earlier decision changes this name, too: it is not met again.
            self.changed.remove(&last.name);
        }
        false
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
}

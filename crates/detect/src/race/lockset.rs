//! Interned lists of held locks: the locks that a thread held at an access, as one number.

use rustc_hash::FxHashMap;
use selvedge_base::{ContextId, StmtId};
use selvedge_model::ObjectId;

/// A lock with the place where it was taken.
pub(crate) type Held = (ObjectId, StmtId, ContextId);

/// All lists seen so far, as a tree: each list extends its parent by one lock. 0 is the empty list.
#[derive(Clone, Debug)]
pub(crate) struct Locksets {
    nodes: Vec<(u32, Option<Held>)>,
    /// For each list, the list that was last made by adding a lock to it; 0 means none.
    last_pushed: Vec<u32>,
    pushed: FxHashMap<(u32, Held), u32>,
    popped: FxHashMap<(u32, ObjectId), u32>,
}

impl Locksets {
    pub(crate) fn new() -> Self {
        Locksets {
            nodes: vec![(0, None)],
            last_pushed: vec![0],
            pushed: FxHashMap::default(),
            popped: FxHashMap::default(),
        }
    }

    /// The list with one more lock.
    #[inline]
    pub(crate) fn push(&mut self, set: u32, lock: Held) -> u32 {
        let last = self.last_pushed[set as usize];
        if self.nodes[last as usize].1 == Some(lock) {
            return last;
        }
        let next = self.pushed.get(&(set, lock)).copied().unwrap_or_else(|| {
            let next = self.nodes.len() as u32;
            self.nodes.push((set, Some(lock)));
            self.last_pushed.push(0);
            self.pushed.insert((set, lock), next);
            next
        });
        self.last_pushed[set as usize] = next;
        next
    }

    /// The list without the newest entry of a lock.
    #[inline]
    pub(crate) fn pop(&mut self, set: u32, lock: ObjectId) -> u32 {
        let (parent, top) = self.nodes[set as usize];
        if top.is_none_or(|(object, ..)| object == lock) {
            return parent; // of the empty list: itself
        }
        if let Some(&next) = self.popped.get(&(set, lock)) {
            return next;
        }
        let mut rest = self.list(set);
        if let Some(at) = rest.iter().rposition(|&(object, ..)| object == lock) {
            rest.remove(at);
        }
        let next = rest.into_iter().fold(0, |set, held| self.push(set, held));
        self.popped.insert((set, lock), next);
        next
    }

    /// The locks, in the order in which they were taken.
    pub(crate) fn list(&self, mut set: u32) -> Vec<Held> {
        let mut locks = Vec::new();
        while let (parent, Some(held)) = self.nodes[set as usize] {
            locks.push(held);
            set = parent;
        }
        locks.reverse();
        locks
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn locks_come_and_go_in_any_order() {
        let lock = |n: u64| (ObjectId(n), StmtId(n as u32), ContextId(0));
        let mut sets = Locksets::new();
        let one = sets.push(0, lock(1));
        let both = sets.push(one, lock(2));
        assert_eq!(sets.list(both), [lock(1), lock(2)]);
        let second = sets.pop(both, ObjectId(1));
        assert_eq!(sets.list(second), [lock(2)]);
        assert_eq!(sets.pop(both, ObjectId(2)), one);
        assert_eq!(sets.pop(second, ObjectId(2)), 0);
        assert_eq!(sets.pop(0, ObjectId(9)), 0);
        assert_eq!(sets.pop(both, ObjectId(9)), both);
    }
}

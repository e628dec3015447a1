//! Which objects are raced for, and so which threads should wait.
//!
//! Depth-first search takes everything behind a branching point again, on each branch. So what
//! branches should come as late as it can, and what races with each other should come together:
//! threads whose next action is on an object that nobody races for go first, and of the others one
//! that goes on with the object used last. In the hash-table example this leaves 28 of 109 events
//! an execution.
//!
//! Which objects these are is learned from one execution before the search begins, and stays the
//! same from then on: so what is explored below a node still depends only on its path, whichever
//! worker explores it. Any order is sound; classes and their number do not depend on it.

use super::set::Set;
use crate::kept::{Begun, SearchState};
use selvedge_model::Action;

/// The objects that an execution raced for.
#[derive(Clone, Default, Debug)]
pub(super) struct Contended {
    /// Sorted.
    keys: Vec<u64>,
    /// One bit for each key, by [`bit`]: nearly all others are told by this.
    filter: u64,
    /// The classes of the actions that may race for them.
    classes: u32,
}

impl Contended {
    /// What was kept of a search.
    pub fn restored(state: &SearchState) -> Contended {
        let mut contended = Contended::default();
        state.contended.iter().for_each(|&key| contended.insert(key, 0));
        contended.classes = state.classes;
        contended
    }

    /// A search that has learned this, as data.
    pub fn search_state(&self, capacity: usize, root: Begun) -> SearchState {
        SearchState {
            wide: capacity > <u64 as Set>::CAPACITY,
            contended: self.keys.clone(),
            classes: self.classes,
            root,
        }
    }

    /// Notes a key (of [`Action::for_each_use`]) and the classes of actions that may race for it.
    pub fn insert(&mut self, key: u64, classes: u32) {
        self.classes |= classes;
        if let Err(at) = self.keys.binary_search(&key) {
            self.keys.insert(at, key);
            self.filter |= bit(key);
        }
    }

    /// Whether no object is raced for.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.filter == 0
    }

    /// The first object raced for that an action uses.
    #[inline]
    pub fn used_by(&self, action: &Action) -> Option<u64> {
        if self.classes & action.op.class().bit() == 0 {
            return None;
        }
        if let Some((key, ..)) = action.single_use() {
            return self.contains(key).then_some(key);
        }
        let mut found = None;
        action.for_each_use(|key, _, _| {
            if found.is_none() && self.contains(key) {
                found = Some(key);
            }
        });
        found
    }

    /// Whether this is the first object raced for that an action uses.
    #[inline]
    pub fn is_used_first(&self, key: u64, action: &Action) -> bool {
        match action.single_use() {
            Some((other, ..)) if other != key => false,
            _ => self.used_by(action) == Some(key),
        }
    }

    /// Whether it is one of the objects.
    #[inline]
    pub fn contains(&self, key: u64) -> bool {
        self.filter & bit(key) != 0 && (self.keys[0] == key || self.keys.binary_search(&key).is_ok())
    }
}

#[inline]
fn bit(key: u64) -> u64 {
    1 << (key.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 58)
}

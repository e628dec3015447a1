//! Interning: equal values get equal, dense ids, in the order in which they were first seen.

use crate::{Id, IdVec};
use rustc_hash::FxHashMap;
use std::hash::Hash;

/// A table of distinct values. Ids are dense and never reused.
#[derive(Clone, Debug)]
pub struct Interner<I, T> {
    ids: FxHashMap<T, I>,
    values: IdVec<I, T>,
}

impl<I: Id, T: Clone + Eq + Hash> Interner<I, T> {
    /// An empty table.
    pub fn new() -> Self {
        Interner {
            ids: FxHashMap::default(),
            values: IdVec::new(),
        }
    }

    /// The id of a value; a new one if the value was not seen before.
    pub fn intern(&mut self, value: T) -> I {
        if let Some(&id) = self.ids.get(&value) {
            return id;
        }
        let id = self.values.push(value.clone());
        self.ids.insert(value, id);
        id
    }

    /// The value with this id.
    pub fn get(&self, id: I) -> &T {
        &self.values[id]
    }

    /// The id of a value, if it was interned.
    pub fn find(&self, value: &T) -> Option<I> {
        self.ids.get(value).copied()
    }

    /// How many distinct values there are.
    pub fn len(&self) -> usize {
        self.values.len()
    }

    /// Whether nothing was interned yet.
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }
}

impl<I: Id, T: Clone + Eq + Hash> Default for Interner<I, T> {
    fn default() -> Self {
        Self::new()
    }
}

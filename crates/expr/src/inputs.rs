//! Interned sets of inputs: which inputs an expression depends on, shared between all expressions
//! with the same set.

use crate::node::InputId;
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// The number of an interned set; 0 is the empty set.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct InputSet(pub u32);

/// The sets of one arena.
#[derive(Debug)]
pub(crate) struct InputSets {
    sets: Vec<Rc<[InputId]>>,
    ids: FxHashMap<Rc<[InputId]>, InputSet>,
    unions: FxHashMap<(InputSet, InputSet), InputSet>,
}

impl Default for InputSets {
    fn default() -> Self {
        let empty: Rc<[InputId]> = Rc::from([]);
        InputSets {
            sets: vec![empty.clone()],
            ids: FxHashMap::from_iter([(empty, InputSet::EMPTY)]),
            unions: FxHashMap::default(),
        }
    }
}

impl InputSet {
    /// The set without inputs.
    pub const EMPTY: InputSet = InputSet(0);
}

impl InputSets {
    /// The set of one input.
    pub(crate) fn single(&mut self, input: InputId) -> InputSet {
        self.intern(Rc::from([input]))
    }

    /// The inputs of a set, sorted.
    pub(crate) fn get(&self, set: InputSet) -> &Rc<[InputId]> {
        &self.sets[set.0 as usize]
    }

    /// The union of two sets; remembered.
    pub(crate) fn union(&mut self, a: InputSet, b: InputSet) -> InputSet {
        if a == b || b == InputSet::EMPTY {
            return a;
        }
        if a == InputSet::EMPTY {
            return b;
        }
        let key = (a.min(b), a.max(b));
        if let Some(&known) = self.unions.get(&key) {
            return known;
        }
        let merged = merge(self.get(a), self.get(b));
        let set = self.intern(merged.into());
        self.unions.insert(key, set);
        set
    }

    /// Roughly how many bytes the sets take.
    pub(crate) fn bytes(&self) -> usize {
        let members: usize = self.sets.iter().map(|set| size_of_val(&**set) + 16).sum();
        members + self.sets.len() * 40 + self.unions.len() * 13
    }

    fn intern(&mut self, members: Rc<[InputId]>) -> InputSet {
        if let Some(&known) = self.ids.get(&members) {
            return known;
        }
        let set = InputSet(self.sets.len() as u32);
        self.sets.push(members.clone());
        self.ids.insert(members, set);
        set
    }
}

fn merge(a: &[InputId], b: &[InputId]) -> Vec<InputId> {
    let mut merged = Vec::with_capacity(a.len() + b.len());
    let (mut i, mut j) = (0, 0);
    while let (Some(&x), Some(&y)) = (a.get(i), b.get(j)) {
        merged.push(x.min(y));
        i += usize::from(x <= y);
        j += usize::from(y <= x);
    }
    merged.extend_from_slice(&a[i..]);
    merged.extend_from_slice(&b[j..]);
    merged
}

//! Hashes of expressions under other names of their inputs: numbers, in the order in which the
//! inputs are found.
//!
//! Consider lists of expressions whose inputs are found in the same order. They have the same
//! hashes exactly if one list becomes the other by a one-to-one renaming of inputs. Operands of
//! commutative operations are in the order of their own hashes, which depend on the old names. So
//! two lists that are equal up to renaming may have different hashes, but different lists never
//! have the same.

use crate::arena::{Arena, hash_of, table_hash};
use crate::node::{Expr, InputId, Node, TableId};
use rustc_hash::{FxHashMap, FxHashSet};
use selvedge_base::{Digest, Domain};

static NUMBERED: Domain = Domain::new("numbered input");
static UNKNOWN: Domain = Domain::new("input without number");

/// Numbers for inputs. See the module's documentation.
pub struct Renaming<'a> {
    arena: &'a Arena,
    numbers: FxHashMap<InputId, u64>,
    met: FxHashSet<Expr>,
    hashes: FxHashMap<Expr, Digest>,
}

impl<'a> Renaming<'a> {
    /// No input has a number yet.
    #[must_use]
    pub fn new(arena: &'a Arena) -> Self {
        Renaming {
            arena,
            numbers: FxHashMap::default(),
            met: FxHashSet::default(),
            hashes: FxHashMap::default(),
        }
    }

    /// Numbers the inputs of an expression that have no number yet.
    pub fn meet(&mut self, e: Expr) {
        let mut next = vec![e];
        while let Some(e) = next.pop() {
            if !self.met.insert(e) {
                continue;
            }
            let node = self.arena.node(e);
            if let Node::Input(input) = node {
                let number = self.numbers.len() as u64;
                self.numbers.entry(input).or_insert(number);
                self.hashes.clear();
            }
            let from = next.len();
            next.extend(node.children());
            if let Node::Select(table, _) = node {
                next.extend(self.arena.table(table).iter());
            }
            next[from..].reverse();
        }
    }

    /// Whether an input has a number.
    #[must_use]
    pub fn has_met(&self, input: InputId) -> bool {
        self.numbers.contains_key(&input)
    }

    /// The hash of an expression. All inputs without a number count as equal.
    pub fn hash(&mut self, e: Expr) -> Digest {
        let mut next = vec![e];
        while let Some(&e) = next.last() {
            if self.hashes.contains_key(&e) {
                next.pop();
                continue;
            }
            let node = self.arena.node(e);
            let table = match node {
                Node::Select(table, _) => Some(table),
                _ => None,
            };
            let before = next.len();
            next.extend(node.children().filter(|child| !self.hashes.contains_key(child)));
            if let Some(table) = table {
                let elements = self.arena.table(table);
                let missing = elements.iter().filter(|child| !self.hashes.contains_key(child));
                next.extend(missing.copied());
            }
            if next.len() == before {
                let hash = self.hash_above(e, node, table);
                self.hashes.insert(e, hash);
                next.pop();
            }
        }
        self.hashes[&e]
    }

    /// The hash of a node when the hashes of all nodes below are known.
    fn hash_above(&self, e: Expr, node: Node, table: Option<TableId>) -> Digest {
        let width = self.arena.width(e);
        let child = |e: Expr| self.hashes[&e];
        if let Node::Input(input) = node {
            return match self.numbers.get(&input) {
                Some(&number) => Digest::of_words(&NUMBERED, &[number, u64::from(width)]),
                None => Digest::of_words(&UNKNOWN, &[u64::from(width)]),
            };
        }
        let table = table.map_or(Digest::EMPTY, |table| {
            table_hash(self.arena.table(table).iter().map(|&e| child(e)))
        });
        hash_of(node, width, table, child)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{BinOp, CmpOp, InputKey};

    fn input(arena: &Arena, ordinal: u32, width: u8) -> Expr {
        let key = InputKey {
            thread: 1,
            ordinal,
            byte: 0,
        };
        arena.input(key, width)
    }

    fn hashes(arena: &Arena, list: &[Expr]) -> Vec<Digest> {
        let mut renaming = Renaming::new(arena);
        list.iter().for_each(|&e| renaming.meet(e));
        list.iter().map(|&e| renaming.hash(e)).collect()
    }

    #[test]
    fn names_do_not_count_and_which_are_the_same_does() {
        let arena = Arena::new();
        let [a, b, c, d] = [3, 9, 4, 27].map(|n| input(&arena, n, 8));
        let less = |x, y| arena.compare(CmpOp::Ult, x, y);
        assert_eq!(hashes(&arena, &[a, less(a, b)]), hashes(&arena, &[c, less(c, d)]));
        assert_ne!(hashes(&arena, &[a, less(a, b)]), hashes(&arena, &[c, less(d, c)]));
        assert_ne!(hashes(&arena, &[a, less(a, b)]), hashes(&arena, &[c, less(d, a)]));
        assert_ne!(hashes(&arena, &[a]), hashes(&arena, &[input(&arena, 5, 16)]));
        assert_eq!(hashes(&arena, &[a, b, a]), hashes(&arena, &[d, c, d]));
        assert_ne!(hashes(&arena, &[a, b, a]), hashes(&arena, &[d, c, c]));
    }

    #[test]
    fn tables_are_looked_into_and_depth_needs_no_stack() {
        let arena = Arena::new();
        let [a, b, c, d] = [3, 9, 4, 27].map(|n| input(&arena, n, 8));
        let select = |x, index| arena.select(&[x, arena.constant(8, 7), arena.constant(8, 1)], index);
        assert_eq!(
            hashes(&arena, &[b, select(a, b)]),
            hashes(&arena, &[c, select(d, c)])
        );
        assert_ne!(
            hashes(&arena, &[b, select(a, b)]),
            hashes(&arena, &[c, select(c, c)])
        );
        let deep = |mut e, low| {
            for i in 0..200_000u32 {
                let other = input(&arena, low + i % 2, 8);
                e = arena.binary(BinOp::UDiv, other, e);
            }
            e
        };
        assert_eq!(hashes(&arena, &[deep(a, 50)]), hashes(&arena, &[deep(c, 60)]));
    }
}

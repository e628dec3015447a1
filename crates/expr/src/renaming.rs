//! Hashes of expressions under other names of their inputs: numbers, in the order in which the
//! inputs are found.
//!
//! Consider lists of expressions whose inputs are found in the same order. They have the same
//! hashes exactly if one list becomes the other by a one-to-one renaming of inputs. Operands of
//! commutative operations are in the order of their own hashes, which depend on the old names. So
//! two lists that are equal up to renaming may have different hashes, but different lists never
//! have the same.

use crate::arena::{Arena, hash_of, table_hash};
use crate::node::{Expr, InputId, Node};
use crate::renamings::{MOST, Renamings};
use rustc_hash::FxHashMap;
use selvedge_base::{Digest, Domain};
use smallvec::SmallVec;
use std::cell::RefMut;
use std::rc::Rc;

static NUMBERED: Domain = Domain::new("numbered input");
static UNKNOWN: Domain = Domain::new("input without number");

/// The inputs of an expression in the order in which a traversal from its root finds them.
fn order_of(kept: &mut Renamings, arena: &Arena, e: Expr) -> Rc<[InputId]> {
    if let Some(order) = kept.orders.get(&e) {
        return Rc::clone(order);
    }
    if kept.orders.len() >= MOST {
        kept.orders.clear();
    }
    let mut next = vec![e];
    while let Some(&e) = next.last() {
        if kept.orders.contains_key(&e) {
            next.pop();
            continue;
        }
        let parts = parts_of(arena, e);
        let before = next.len();
        next.extend(parts.iter().filter(|part| !kept.orders.contains_key(part)));
        if next.len() > before {
            continue;
        }
        let mut order: Vec<InputId> = Vec::new();
        if let Node::Input(input) = arena.node(e) {
            order.push(input);
        }
        for part in &parts {
            let more = kept.orders[part].iter();
            let new: Vec<InputId> = more.filter(|&input| !order.contains(input)).copied().collect();
            order.extend(new);
        }
        // Most have the same inputs as one of their parts.
        let same = parts.iter().map(|part| &kept.orders[part]);
        let same = same.clone().find(|same| ***same == *order).cloned();
        kept.orders.insert(e, same.unwrap_or_else(|| order.into()));
        next.pop();
    }
    Rc::clone(&kept.orders[&e])
}

/// The children of a node, and the elements of its table.
fn parts_of(arena: &Arena, e: Expr) -> SmallVec<[Expr; 4]> {
    let node = arena.node(e);
    let mut parts: SmallVec<[Expr; 4]> = node.children().collect();
    if let Node::Select(table, _) = node {
        parts.extend(arena.table(table).iter().copied());
    }
    parts
}

/// Numbers for inputs. See the module's documentation.
pub struct Renaming<'a> {
    arena: &'a Arena,
    earlier: RefMut<'a, Renamings>,
    numbers: FxHashMap<InputId, u64>,
    /// The inputs that have numbers, in the order of these.
    sequence: Vec<InputId>,
    /// With these numbers; `None`: not taken yet.
    hashes: Option<FxHashMap<Expr, Digest>>,
}

impl<'a> Renaming<'a> {
    /// No input has a number yet.
    ///
    /// # Panics
    /// If there is another renaming of this arena.
    #[must_use]
    pub fn new(arena: &'a Arena) -> Self {
        Renaming {
            arena,
            earlier: arena.renamings.borrow_mut(),
            numbers: FxHashMap::default(),
            sequence: Vec::new(),
            hashes: None,
        }
    }

    /// Numbers the inputs of an expression that have no number yet.
    pub fn meet(&mut self, e: Expr) {
        let order = order_of(&mut self.earlier, self.arena, e);
        for &input in order.iter() {
            if !self.numbers.contains_key(&input) {
                self.give_back();
                self.numbers.insert(input, self.sequence.len() as u64);
                self.sequence.push(input);
            }
        }
    }

    /// Whether an input has a number.
    #[must_use]
    pub fn has_met(&self, input: InputId) -> bool {
        self.numbers.contains_key(&input)
    }

    fn give_back(&mut self) {
        if let Some(hashes) = self.hashes.take() {
            self.earlier.give_back(&self.sequence, hashes);
        }
    }

    /// The hash of an expression. All inputs without a number count as equal.
    pub fn hash(&mut self, e: Expr) -> Digest {
        let earlier = &mut *self.earlier;
        let sequence = &self.sequence;
        let mut hashes = self.hashes.take().unwrap_or_else(|| earlier.take(sequence));
        let hash = self.hash_with(e, &mut hashes);
        self.hashes = Some(hashes);
        hash
    }

    fn hash_with(&self, e: Expr, hashes: &mut FxHashMap<Expr, Digest>) -> Digest {
        if let Some(&hash) = hashes.get(&e) {
            return hash;
        }
        let mut next = vec![e];
        while let Some(&e) = next.last() {
            if hashes.contains_key(&e) {
                next.pop();
                continue;
            }
            let before = next.len();
            let parts = parts_of(self.arena, e);
            next.extend(parts.into_iter().filter(|part| !hashes.contains_key(part)));
            if next.len() == before {
                let hash = self.hash_above(e, hashes);
                hashes.insert(e, hash);
                next.pop();
            }
        }
        hashes[&e]
    }

    /// The hash of a node when the hashes of all nodes below are known.
    fn hash_above(&self, e: Expr, hashes: &FxHashMap<Expr, Digest>) -> Digest {
        let (node, width) = (self.arena.node(e), self.arena.width(e));
        let child = |e: Expr| hashes[&e];
        if let Node::Input(input) = node {
            return match self.numbers.get(&input) {
                Some(&number) => Digest::of_words(&NUMBERED, &[number, u64::from(width)]),
                None => Digest::of_words(&UNKNOWN, &[u64::from(width)]),
            };
        }
        let table = match node {
            Node::Select(table, _) => table_hash(self.arena.table(table).iter().map(|&e| child(e))),
            _ => Digest::EMPTY,
        };
        hash_of(node, width, table, child)
    }
}

impl Drop for Renaming<'_> {
    fn drop(&mut self) {
        self.give_back();
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

    /// The numbers that a traversal of the expressions gives, of which `order_of` keeps parts.
    fn traversed(arena: &Arena, list: &[Expr]) -> Vec<InputId> {
        let (mut found, mut next) = (Vec::new(), Vec::new());
        for &e in list {
            next.push(e);
            while let Some(e) = next.pop() {
                if let Node::Input(input) = arena.node(e)
                    && !found.contains(&input)
                {
                    found.push(input);
                }
                next.extend(parts_of(arena, e).into_iter().rev());
            }
        }
        found
    }

    #[test]
    fn what_earlier_renamings_have_computed_makes_no_difference() {
        let arena = Arena::new();
        let mut rng = fastrand::Rng::with_seed(7);
        let mut all: Vec<Expr> = (0..6).map(|n| input(&arena, n, 8)).collect();
        for _ in 0..60 {
            let [a, b] = [(); 2].map(|()| all[rng.usize(0..all.len())]);
            all.push(match rng.usize(0..4) {
                0 => arena.binary(BinOp::Sub, a, b),
                1 => arena.binary(BinOp::UDiv, a, b),
                2 => arena.zext(arena.compare(CmpOp::Ult, a, b), 8),
                _ => arena.select(&[a, b, arena.constant(8, 3)], b),
            });
        }
        let anew = |arena: &Arena| arena.renamings.take();
        for _ in 0..3_000 {
            let list: Vec<Expr> = (0..rng.usize(1..5))
                .map(|_| all[rng.usize(0..all.len())])
                .collect();
            // Something is hashed before all inputs have numbers, as linked constraints are.
            let half = |arena: &Arena| {
                let mut renaming = Renaming::new(arena);
                renaming.meet(list[0]);
                let first = renaming.hash(all[all.len() - 1]);
                list.iter().for_each(|&e| renaming.meet(e));
                assert_eq!(renaming.sequence, traversed(arena, &list));
                (first, renaming.hash(all[all.len() - 1]))
            };
            let after = (hashes(&arena, &list), half(&arena));
            let earlier = anew(&arena);
            assert_eq!((hashes(&arena, &list), half(&arena)), after);
            let count = earlier.hashes.values().map(FxHashMap::len).sum();
            assert_eq!(earlier.count, count);
            arena.renamings.replace(earlier);
        }
        assert!(anew(&arena).count > 1_000);
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

//! Replacement of parts of expressions. It is iterative. New expressions are made by the
//! constructors, so they are simplified.

use crate::arena::Arena;
use crate::node::{Expr, Node};
use rustc_hash::FxHashMap;

impl Arena {
    /// The expression in which each first expression of a pair is replaced by the second, wherever
    /// it occurs. The replacements are not searched again.
    ///
    /// # Panics
    /// If the widths of a pair differ.
    pub fn substitute(&self, e: Expr, pairs: &[(Expr, Expr)]) -> Expr {
        let pairs: FxHashMap<Expr, Expr> = pairs.iter().copied().collect();
        self.rewrite(e, |part| pairs.get(&part).copied())
    }

    /// The expression with every part for which `replace` gives something replaced by that, from
    /// the top downwards: what is below a replaced part is not asked for.
    ///
    /// # Panics
    /// If the width of a replacement differs.
    pub fn rewrite(&self, e: Expr, mut replace: impl FnMut(Expr) -> Option<Expr>) -> Expr {
        let mut done: FxHashMap<Expr, Expr> = FxHashMap::default();
        let mut stack = vec![(e, false)];
        while let Some((part, children_done)) = stack.pop() {
            if done.contains_key(&part) {
                continue;
            }
            if children_done {
                let rebuilt = self.rebuilt(part, &done);
                done.insert(part, rebuilt);
                continue;
            }
            if let Some(replacement) = replace(part) {
                assert_eq!(
                    self.width(part),
                    self.width(replacement),
                    "the widths of a replacement"
                );
                done.insert(part, replacement);
                continue;
            }
            let node = self.node(part);
            stack.push((part, true));
            stack.extend(node.children().map(|child| (child, false)));
            if let Node::Select(table, _) = node {
                stack.extend(self.table(table).iter().map(|&child| (child, false)));
            }
        }
        done[&e]
    }

    /// The node of `e` on the new children.
    fn rebuilt(&self, e: Expr, done: &FxHashMap<Expr, Expr>) -> Expr {
        let node = self.node(e);
        let of = |child: Expr| done[&child];
        if let Node::Select(table, index) = node {
            let old = self.table(table);
            if of(index) == index && old.iter().all(|&child| of(child) == child) {
                return e;
            }
            let elements: Vec<Expr> = old.iter().map(|&child| of(child)).collect();
            return self.select(&elements, of(index));
        }
        if node.children().all(|child| of(child) == child) {
            return e;
        }
        let width = self.width(e);
        match node {
            Node::Const(_) | Node::Input(_) | Node::Select(..) => e,
            Node::Unary(op, a) => self.unary(op, of(a)),
            Node::Binary(op, a, b) => self.binary(op, of(a), of(b)),
            Node::Compare(op, a, b) => self.compare(op, of(a), of(b)),
            Node::Ite(c, a, b) => self.ite(of(c), of(a), of(b)),
            Node::Extract(a, low) => self.extract(of(a), low, width),
            Node::Concat(a, b) => self.concat(of(a), of(b)),
            Node::Zext(a) => self.zext(of(a), width),
            Node::Sext(a) => self.sext(of(a), width),
            Node::MulOverflows(signed, a, b) => self.mul_overflows(signed, of(a), of(b)),
            Node::FBinary(op, a, b) => self.fbinary(op, of(a), of(b)),
            Node::FUnary(op, a) => self.funary(op, of(a)),
            Node::FCompare(op, a, b) => self.fcompare(op.pred(), of(a), of(b)),
            Node::Fma(a, b, c) => self.fma(of(a), of(b), of(c)),
            Node::FConvert(a) => self.fconvert(of(a), width),
            Node::ToInt(signed, a) => self.to_int(signed, of(a), width),
            Node::FromInt(signed, a) => self.from_int(signed, of(a), width),
        }
    }
}

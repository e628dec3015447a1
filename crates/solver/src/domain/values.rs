//! The set of values of a constraint's only input that satisfy the constraint.
//!
//! The set is computed from the shape of the constraint, if it is a comparison with a constant and
//! inverse images of intervals are intervals again (sums with constants, extensions, complements,
//! the upper bits). Otherwise, if the input is narrow, each value is evaluated.

use crate::intervals::{Intervals, highest};
use rustc_hash::FxHashMap;
use selvedge_expr::{Arena, Assignment, BinOp, CmpOp, Evaluator, Expr, InputId, Node, UnOp};
use smallvec::smallvec;
use std::rc::Rc;

/// Inputs up to this width are evaluated value by value.
const NARROW: u8 = 8;
/// Sets of more parts than this are not kept.
const MOST_PARTS: usize = 1024;
/// How many negations and conjunctions, or sums and extensions, are looked into.
const DEPTH: u32 = 64;

/// Computes the sets, and remembers them.
#[derive(Default)]
pub(super) struct Valuation {
    known: FxHashMap<Expr, Option<Rc<Intervals>>>,
    evaluator: Evaluator,
    scratch: Assignment,
}

impl Valuation {
    /// The values of `input` for which `e` holds; it has no other input. Nothing if the shape is
    /// not known.
    pub(super) fn of(&mut self, arena: &Arena, e: Expr, input: InputId) -> Option<Rc<Intervals>> {
        if let Some(known) = self.known.get(&e) {
            return known.clone();
        }
        let width = arena.width(arena.input_expr(input));
        let values = by_shape(arena, e, width, DEPTH)
            .or_else(|| (width <= NARROW).then(|| self.enumerate(arena, e, input, width)));
        let values = values.filter(|set| set.parts().len() <= MOST_PARTS).map(Rc::new);
        self.known.insert(e, values.clone());
        values
    }

    fn enumerate(&mut self, arena: &Arena, e: Expr, input: InputId, width: u8) -> Intervals {
        let mut parts = smallvec![];
        for value in 0..=highest(width) {
            self.scratch.set(input, value);
            if self.evaluator.eval(arena, e, &self.scratch) != 0 {
                parts.push((value, value));
            }
        }
        Intervals::union(parts)
    }
}

/// The set by the shape of the constraint.
fn by_shape(arena: &Arena, e: Expr, width: u8, depth: u32) -> Option<Intervals> {
    let depth = depth.checked_sub(1)?;
    match arena.node(e) {
        Node::Const(0) => Some(Intervals::empty()),
        Node::Const(_) => Some(Intervals::all(width)),
        Node::Unary(UnOp::Not, a) => Some(by_shape(arena, a, width, depth)?.complement(width)),
        Node::Binary(BinOp::And, a, b) => {
            let a = by_shape(arena, a, width, depth)?;
            Some(a.intersection(&by_shape(arena, b, width, depth)?))
        }
        Node::Compare(op, a, b) => {
            if let Some(c) = arena.as_const(b) {
                inverse(arena, a, compared(op, c, arena.width(a), false)?)
            } else {
                let c = arena.as_const(a)?;
                inverse(arena, b, compared(op, c, arena.width(b), true)?)
            }
        }
        _ => None,
    }
}

/// The values `x` of a width with `x op c`, or `c op x` if `flipped`.
fn compared(op: CmpOp, c: u128, width: u8, flipped: bool) -> Option<Intervals> {
    // Signed order is unsigned order with the sign bit inverted, that is, half a turn away.
    let half = 1 << (width - 1);
    let mask = highest(width);
    let below = |c: u128, or_equal: bool, flipped: bool| match (or_equal, flipped) {
        (true, false) => Intervals::range(0, c),
        (true, true) => Intervals::range(c, mask),
        (false, false) => c
            .checked_sub(1)
            .map_or(Intervals::empty(), |c| Intervals::range(0, c)),
        (false, true) => match c.checked_add(1) {
            Some(c) => Intervals::range(c, mask),
            None => Intervals::empty(),
        },
    };
    let signed = |or_equal| below(c ^ half, or_equal, flipped).rotate(half, width);
    match op {
        CmpOp::Eq => Some(Intervals::range(c, c)),
        CmpOp::Ult => Some(below(c, false, flipped)),
        CmpOp::Ule => Some(below(c, true, flipped)),
        CmpOp::Slt => Some(signed(false)),
        CmpOp::Sle => Some(signed(true)),
        // Not in nodes.
        CmpOp::Ne | CmpOp::Ugt | CmpOp::Uge | CmpOp::Sgt | CmpOp::Sge => None,
    }
}

/// The values of the input for which the value of `term` is in the set.
fn inverse(arena: &Arena, term: Expr, set: Intervals) -> Option<Intervals> {
    let (mut term, mut set) = (term, set);
    for _ in 0..DEPTH {
        let width = arena.width(term);
        (term, set) = match arena.node(term) {
            Node::Input(_) => return Some(set),
            Node::Zext(a) => (a, set.intersection(&Intervals::all(arena.width(a)))),
            Node::Sext(a) => {
                // The values that are extensions, half a turn away: one interval.
                let inner = arena.width(a);
                let half = 1 << (inner - 1);
                let turned = set.rotate(half, width);
                let kept = turned.intersection(&Intervals::all(inner));
                (a, kept.rotate(half, inner))
            }
            Node::Unary(UnOp::Not, a) => (a, set.reflect(width)),
            Node::Unary(UnOp::Neg, a) => (a, set.reflect(width).rotate(1, width)),
            Node::Binary(op @ (BinOp::Add | BinOp::Sub), a, b) => {
                match (op, arena.as_const(a), arena.as_const(b)) {
                    (BinOp::Add, Some(c), _) => (b, set.rotate(c.wrapping_neg(), width)),
                    (BinOp::Add, _, Some(c)) => (a, set.rotate(c.wrapping_neg(), width)),
                    (_, Some(c), _) => {
                        // c - b is in the set if b is in c - set.
                        let negated = set.reflect(width).rotate(1, width);
                        (b, negated.rotate(c, width))
                    }
                    (_, _, Some(c)) => (a, set.rotate(c, width)),
                    _ => return None,
                }
            }
            Node::Extract(a, low) if low + width == arena.width(a) => {
                let parts = set.parts().iter();
                let parts = parts.map(|&(from, to)| (from << low, (to << low) | ((1 << low) - 1)));
                (a, Intervals::union(parts.collect()))
            }
            _ => return None,
        };
    }
    None
}

//! Facts: what a generalised state says of the numbers that it leaves open.
//!
//! Candidates come from templates: the least and the greatest number that a cell had, and the
//! conditions of paths in which only a constant differs, by as much as a cell does. Each is only a
//! candidate: every state that a generalised one stands for has to imply it, and what one does not
//! imply is dropped (Houdini; Flanagan and Leino, FME 2001).

use super::cell::{Contents, example};
use super::{Class, GENERAL, NAMES};
use crate::memory::Memory;
use selvedge_expr::{Arena, BinOp, CmpOp, Expr, Node};
use std::collections::BTreeSet;

/// More facts are not tried.
const MOST_FACTS: usize = 200;

/// The least and the greatest number of a class in some states, as signed numbers.
pub(super) fn bounds(memory: &Memory, states: &[Contents], class: &Class, facts: &mut Vec<Expr>) {
    let arena = &memory.tags.arena;
    let width = class.width();
    let number = |state: &Contents| example(memory, state, class.first()?);
    let numbers: Vec<u128> = states.iter().filter_map(number).collect();
    let signed = |&number: &u128| {
        let shift = 128 - u32::from(width);
        ((number << shift) as i128) >> shift
    };
    if let (Some(&least), Some(&most)) = (
        numbers.iter().min_by_key(|number| signed(number)),
        numbers.iter().max_by_key(|number| signed(number)),
    ) {
        let [least, most] = [least, most].map(|number| arena.constant(width, number));
        facts.push(arena.compare(CmpOp::Sle, least, class.name));
        facts.push(arena.compare(CmpOp::Sle, class.name, most));
    }
}

/// Conditions with the names of classes in the place of their numbers: those that all states have,
/// those that have one form in two states, and all others that have a name.
pub(super) fn conditions(memory: &Memory, states: &[Contents], classes: &[Class], facts: &mut Vec<Expr>) {
    let arena = &memory.tags.arena;
    let in_names = |state: &Contents| {
        let pairs = named(memory, state, classes);
        let conditions = state.constraints.iter();
        conditions
            .map(|&condition| arena.substitute(condition, &pairs))
            .collect()
    };
    let lists: Vec<BTreeSet<Expr>> = states.iter().map(in_names).collect();
    let mut found = BTreeSet::new();
    for (last, list) in states.iter().zip(&lists) {
        for &condition in list {
            found.insert(condition);
            if lists.iter().all(|list| list.contains(&condition)) {
                continue;
            }
            // An older condition says less.
            let before = states
                .iter()
                .zip(&lists)
                .filter(|(_, list)| !list.contains(&condition));
            for (before, others) in before {
                found.extend(common(memory, classes, (before, others), (last, condition)));
            }
        }
    }
    // What is in no cell decides nothing any more.
    let only_names = |&fact: &Expr| {
        let inputs = arena.inputs_of(fact);
        inputs.iter().all(|&input| arena.input_key(input).thread == NAMES)
    };
    facts.extend(found.into_iter().filter(only_names).take(MOST_FACTS));
}

/// The common forms of a condition of one state and the conditions of another one.
fn common(
    memory: &Memory,
    classes: &[Class],
    (before, others): (&Contents, &BTreeSet<Expr>),
    (last, condition): (&Contents, Expr),
) -> Vec<Expr> {
    let mut found = Vec::new();
    for class in classes {
        let number = |state: &Contents| example(memory, state, class.first()?);
        let (Some(old), Some(new)) = (number(before), number(last)) else {
            continue;
        };
        let varies = Varies {
            arena: &memory.tags.arena,
            class,
            numbers: (old, new),
        };
        found.extend(
            others
                .iter()
                .filter_map(|&other| varies.template(other, condition))
                .take(1),
        );
    }
    found
}

/// What stands for what in conditions of a state: the name of each class for its number. If the
/// number is a symbol of a general state and a constant, the name without the constant stands for
/// the symbol.
fn named(memory: &Memory, state: &Contents, classes: &[Class]) -> Vec<(Expr, Expr)> {
    let arena = &memory.tags.arena;
    let pair = |class: &Class| {
        let number = state.number(memory, class.first()?)?;
        let (rest, by) = match arena.node(number) {
            Node::Const(_) => return None,
            Node::Binary(BinOp::Add, a, b) if arena.as_const(b).is_some() => (a, b),
            Node::Binary(BinOp::Add, a, b) if arena.as_const(a).is_some() => (b, a),
            _ => return Some((number, class.name)),
        };
        let is_general = arena
            .inputs_of(rest)
            .iter()
            .any(|&input| arena.input_key(input).thread == GENERAL);
        Some(match arena.node(rest) {
            Node::Input(_) if is_general => (rest, arena.binary(BinOp::Sub, class.name, by)),
            _ => (number, class.name),
        })
    };
    classes.iter().filter_map(pair).collect()
}

/// A class, and its numbers in two states.
struct Varies<'a> {
    arena: &'a Arena,
    class: &'a Class,
    numbers: (u128, u128),
}

impl Varies<'_> {
    /// The common form of two comparisons of fewer bits than the class has, with a constant on one
    /// side: as one of the class.
    fn narrow(&self, op: CmpOp, old: (Expr, Expr), new: (Expr, Expr)) -> Option<Expr> {
        let (arena, width) = (self.arena, self.class.width());
        if !matches!(op, CmpOp::Ult | CmpOp::Ule) || arena.width(new.0) >= width {
            return None;
        }
        let by = |was: Expr, is: Expr| {
            let (was, is) = (arena.as_const(was)?, arena.as_const(is)?);
            let fits = is.wrapping_sub(was) == self.numbers.1.wrapping_sub(self.numbers.0) && is != was;
            let rest = arena.constant(width, is.wrapping_sub(self.numbers.1));
            fits.then(|| arena.binary(BinOp::Add, self.class.name, rest))
        };
        let wide = |e: Expr| arena.zext(e, width);
        match () {
            () if old.1 == new.1 => Some(arena.compare(op, by(old.0, new.0)?, wide(new.1))),
            () if old.0 == new.0 => Some(arena.compare(op, wide(new.0), by(old.1, new.1)?)),
            () => None,
        }
    }

    /// The common form of two expressions: where constants differ by as much as the class does, the
    /// class stands in their place.
    fn template(&self, old: Expr, new: Expr) -> Option<Expr> {
        let arena = self.arena;
        if old == new {
            return Some(new);
        }
        let width = arena.width(new);
        if width != arena.width(old) {
            return None;
        }
        let of = |old, new| self.template(old, new);
        Some(match (arena.node(old), arena.node(new)) {
            (Node::Const(was), Node::Const(is)) => {
                let all = u128::MAX >> (128 - u32::from(width));
                let by = is.wrapping_sub(was) & all;
                let class = self.numbers.1.wrapping_sub(self.numbers.0) & all;
                if width != self.class.width() || by != class {
                    return None;
                }
                let rest = arena.constant(width, is.wrapping_sub(self.numbers.1) & all);
                arena.binary(BinOp::Add, self.class.name, rest)
            }
            (Node::Unary(op, a), Node::Unary(same, b)) if op == same => arena.unary(op, of(a, b)?),
            (Node::Binary(op, a, b), Node::Binary(same, c, d)) if op == same => {
                arena.binary(op, of(a, c)?, of(b, d)?)
            }
            (Node::Compare(op, a, b), Node::Compare(same, c, d)) if op == same => {
                match self.narrow(op, (a, b), (c, d)) {
                    Some(wide) => wide,
                    None => arena.compare(op, of(a, c)?, of(b, d)?),
                }
            }
            (Node::Zext(a), Node::Zext(b)) => arena.zext(of(a, b)?, width),
            (Node::Sext(a), Node::Sext(b)) => arena.sext(of(a, b)?, width),
            (Node::Extract(a, low), Node::Extract(b, same)) if low == same => {
                arena.extract(of(a, b)?, low, width)
            }
            (Node::Concat(a, b), Node::Concat(c, d)) => arena.concat(of(a, c)?, of(b, d)?),
            _ => return None,
        })
    }
}

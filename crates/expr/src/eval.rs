//! Values of expressions under an assignment. The evaluation is iterative, because expressions may
//! be a million nodes deep.

use crate::arena::{Arena, View};
use crate::node::{Expr, InputId, Node};
use crate::{bits, float};

/// Values for inputs; an input without one counts as 0.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Assignment {
    values: Vec<Option<u128>>,
}

impl Assignment {
    /// An assignment without values.
    pub fn new() -> Assignment {
        Assignment::default()
    }

    /// The value of an input, if it has one.
    #[inline]
    pub fn get(&self, input: InputId) -> Option<u128> {
        self.values.get(input.0 as usize).copied().flatten()
    }

    /// The value of an input; 0 if it has none.
    #[inline]
    pub fn value(&self, input: InputId) -> u128 {
        self.get(input).unwrap_or(0)
    }

    /// Gives an input a value; bits above its width must be 0.
    pub fn set(&mut self, input: InputId, value: u128) {
        let index = input.0 as usize;
        if index >= self.values.len() {
            self.values.resize(index + 1, None);
        }
        self.values[index] = Some(value);
    }

    /// Takes an input's value away.
    pub fn unset(&mut self, input: InputId) {
        if let Some(value) = self.values.get_mut(input.0 as usize) {
            *value = None;
        }
    }

    /// The inputs that have a value, in order, with it.
    pub fn iter(&self) -> impl Iterator<Item = (InputId, u128)> + '_ {
        (0..)
            .zip(&self.values)
            .filter_map(|(i, v)| v.map(|v| (InputId(i), v)))
    }
}

impl FromIterator<(InputId, u128)> for Assignment {
    fn from_iter<T: IntoIterator<Item = (InputId, u128)>>(iter: T) -> Self {
        let mut assignment = Assignment::new();
        for (input, value) in iter {
            assignment.set(input, value);
        }
        assignment
    }
}

/// The value of an expression. For many calls keep an [`Evaluator`].
pub fn eval(arena: &Arena, e: Expr, assignment: &Assignment) -> u128 {
    Evaluator::new().eval(arena, e, assignment)
}

/// Evaluates; keeps its scratch memory between calls.
#[derive(Clone, Debug, Default)]
pub struct Evaluator {
    /// For each node the round in which its value was computed.
    rounds: Vec<u32>,
    values: Vec<u128>,
    round: u32,
    stack: Vec<Expr>,
}

impl Evaluator {
    /// An evaluator without scratch memory.
    pub fn new() -> Evaluator {
        Evaluator::default()
    }

    /// The value of an expression.
    pub fn eval(&mut self, arena: &Arena, e: Expr, assignment: &Assignment) -> u128 {
        if let Some(value) = arena.as_const(e) {
            return value;
        }
        self.forget();
        self.eval_same(arena, e, assignment)
    }

    /// Forgets the values that were computed.
    pub fn forget(&mut self) {
        self.round = self.round.wrapping_add(1);
        if self.round == 0 {
            self.rounds.fill(0);
            self.round = 1;
        }
    }

    /// The value of an expression under the same assignment, in the same arena, as in the calls
    /// since the last [`forget`](Self::forget) or [`eval`](Self::eval). The values computed by
    /// these calls are reused.
    pub fn eval_same(&mut self, arena: &Arena, e: Expr, assignment: &Assignment) -> u128 {
        if self.round == 0 {
            self.forget();
        }
        let nodes = arena.len();
        let view = arena.view();
        if self.rounds.len() < nodes {
            self.rounds.resize(nodes, 0);
            self.values.resize(nodes, 0);
        }
        self.stack.clear();
        self.stack.push(e);
        while let Some(&top) = self.stack.last() {
            if self.known(top).is_some() {
                self.stack.pop();
                continue;
            }
            let node = view.node(top);
            let before = self.stack.len();
            if let Some(value) = self.value(&view, top, node, assignment) {
                self.rounds[top.index() as usize] = self.round;
                self.values[top.index() as usize] = value;
                self.stack.pop();
            } else {
                assert!(self.stack.len() > before);
            }
        }
        self.values[e.index() as usize]
    }

    fn known(&self, e: Expr) -> Option<u128> {
        let i = e.index() as usize;
        (self.rounds[i] == self.round).then(|| self.values[i])
    }

    /// The value of a child. If it is not known, the child is put on the stack.
    fn need(&mut self, e: Expr) -> Option<u128> {
        let known = self.known(e);
        if known.is_none() {
            self.stack.push(e);
        }
        known
    }

    fn need_two(&mut self, a: Expr, b: Expr) -> Option<(u128, u128)> {
        let (a, b) = (self.need(a), self.need(b));
        Some((a?, b?))
    }

    /// The value of a node if its children's values are known; otherwise the unknown children are
    /// put on the stack.
    #[inline]
    fn value(&mut self, arena: &View<'_>, e: Expr, node: Node, assignment: &Assignment) -> Option<u128> {
        let width = || arena.width(e);
        Some(match node {
            Node::Const(value) => value,
            Node::Input(id) => assignment.value(id),
            Node::Unary(op, a) => bits::unary(op, width(), self.need(a)?),
            Node::Binary(op, a, b) => {
                let (a, b) = self.need_two(a, b)?;
                bits::binary(op, width(), a, b)
            }
            Node::Compare(op, a, b) => {
                let (x, y) = self.need_two(a, b)?;
                u128::from(bits::compare(op, arena.width(a), x, y))
            }
            Node::Ite(c, a, b) => {
                let c = self.need(c)?;
                self.need(if c != 0 { a } else { b })?
            }
            Node::Extract(a, low) => self.need(a)? >> low & bits::mask(width()),
            Node::Concat(a, b) => {
                let low_width = arena.width(b);
                let (a, b) = self.need_two(a, b)?;
                a << low_width | b
            }
            Node::Zext(a) => self.need(a)?,
            Node::Sext(a) => bits::signed(self.need(a)?, arena.width(a)) as u128 & bits::mask(width()),
            Node::Select(table, index) => {
                let index = self.need(index)?;
                let element = arena.table_element(table, index);
                self.need(element)?
            }
            Node::MulOverflows(signed, a, b) => {
                let (x, y) = self.need_two(a, b)?;
                u128::from(bits::mul_overflows(signed, arena.width(a), x, y))
            }
            Node::FBinary(op, a, b) => {
                let (a, b) = self.need_two(a, b)?;
                float::binary(op, width(), a, b)
            }
            Node::FUnary(op, a) => float::unary(op, width(), self.need(a)?),
            Node::FCompare(op, a, b) => {
                let (x, y) = self.need_two(a, b)?;
                u128::from(float::compare(op, arena.width(a), x, y))
            }
            Node::Fma(a, b, c) => {
                let c = self.need(c);
                let (a, b) = self.need_two(a, b)?;
                float::fma(width(), a, b, c?)
            }
            Node::FConvert(a) => float::convert(width(), self.need(a)?),
            Node::ToInt(signed, a) => float::to_int(signed, arena.width(a), width(), self.need(a)?),
            Node::FromInt(signed, a) => float::from_int(signed, arena.width(a), width(), self.need(a)?),
        })
    }
}

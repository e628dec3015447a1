//! From expressions to wires.
//!
//! Each expression becomes a word of wires once; later queries look it up. There is no recursion,
//! because expressions can be deep.

use super::gates::{Circuit, Lit};
use super::words::{self, Word};
use rustc_hash::FxHashMap;
use selvedge_expr::{Arena, BinOp, CmpOp, Expr, InputId, Node, UnOp};
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Why an expression has no circuit.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum NoCircuit {
    /// An operation of floating-point arithmetic: there is none here.
    Float,
    /// It was told to stop.
    Stopped,
}

/// The circuit of all expressions lowered so far.
pub(super) struct Lowering {
    pub(super) circuit: Circuit,
    words: FxHashMap<Expr, Rc<[Lit]>>,
    inputs: FxHashMap<InputId, Rc<[Lit]>>,
    /// Which bit of which input a free gate is.
    owners: FxHashMap<usize, (InputId, u32)>,
    stop: Option<Arc<AtomicBool>>,
}

impl Lowering {
    pub(super) fn new(stop: Option<Arc<AtomicBool>>) -> Lowering {
        Lowering {
            circuit: Circuit::new(),
            words: FxHashMap::default(),
            inputs: FxHashMap::default(),
            owners: FxHashMap::default(),
            stop,
        }
    }

    /// The wires of an input, if an expression with it was lowered.
    pub(super) fn input(&self, input: InputId) -> Option<&[Lit]> {
        self.inputs.get(&input).map(|word| &**word)
    }

    /// Which bit of which input a free gate is; none if it belongs to a division.
    pub(super) fn owner(&self, gate: usize) -> Option<(InputId, u32)> {
        self.owners.get(&gate).copied()
    }

    /// The wire of a constraint.
    pub(super) fn truth(&mut self, arena: &Arena, e: Expr) -> Result<Lit, NoCircuit> {
        let word = self.word(arena, e)?;
        Ok(word.first().copied().unwrap_or(Lit::FALSE))
    }

    /// The wires of an expression.
    fn word(&mut self, arena: &Arena, root: Expr) -> Result<Rc<[Lit]>, NoCircuit> {
        let mut stack = vec![(root, false)];
        while let Some((e, ready)) = stack.pop() {
            if self.words.contains_key(&e) {
                continue;
            }
            let node = arena.node(e);
            if !ready {
                stack.push((e, true));
                stack.extend(node.children().map(|child| (child, false)));
                if let Node::Select(table, _) = node {
                    stack.extend(arena.table(table).iter().map(|&element| (element, false)));
                }
                continue;
            }
            if self
                .stop
                .as_ref()
                .is_some_and(|stop| stop.load(Ordering::Relaxed))
            {
                return Err(NoCircuit::Stopped);
            }
            let word = self.build(arena, e, node)?;
            assert_eq!(word.len(), usize::from(arena.width(e)));
            self.words.insert(e, word);
        }
        Ok(self.done(root))
    }

    /// The wires of an expression lowered before.
    fn done(&self, e: Expr) -> Rc<[Lit]> {
        self.words[&e].clone()
    }

    fn build(&mut self, arena: &Arena, e: Expr, node: Node) -> Result<Rc<[Lit]>, NoCircuit> {
        let width = usize::from(arena.width(e));
        let word: Word = match node {
            Node::Const(value) => words::constant(width, value),
            Node::Input(input) => return Ok(self.new_input(input, width)),
            Node::Unary(op, a) => self.unary(op, a),
            Node::Binary(op, a, b) => self.binary(op, a, b),
            Node::Compare(op, a, b) => vec![self.compare(op, a, b)],
            Node::Ite(condition, a, b) => {
                let (condition, a, b) = (self.done(condition), self.done(a), self.done(b));
                self.circuit.choose(condition[0], &a, &b)
            }
            Node::Extract(a, low) => self.done(a)[usize::from(low)..][..width].to_vec(),
            Node::Concat(high, low) => [self.done(low), self.done(high)].concat(),
            Node::Zext(a) => words::zext(&self.done(a), width),
            Node::Sext(a) => words::sext(&self.done(a), width),
            Node::Select(table, index) => {
                let table: Vec<Word> = arena
                    .table(table)
                    .iter()
                    .map(|&e| self.done(e).to_vec())
                    .collect();
                let index = self.done(index);
                self.circuit.select(&table, &index)
            }
            Node::MulOverflows(signed, a, b) => vec![self.mul_overflows(signed, a, b)],
            Node::FBinary(..)
            | Node::FUnary(..)
            | Node::FCompare(..)
            | Node::Fma(..)
            | Node::FConvert(_)
            | Node::ToInt(..)
            | Node::FromInt(..) => return Err(NoCircuit::Float),
        };
        Ok(word.into())
    }

    fn new_input(&mut self, input: InputId, width: usize) -> Rc<[Lit]> {
        let word: Rc<[Lit]> = (0..width).map(|_| self.circuit.free()).collect();
        for (bit, lit) in word.iter().enumerate() {
            self.owners.insert(lit.gate(), (input, bit as u32));
        }
        self.inputs.insert(input, word.clone());
        word
    }

    fn unary(&mut self, op: UnOp, a: Expr) -> Word {
        let a = self.done(a);
        let reversed = || a.iter().rev().copied().collect::<Word>();
        match op {
            UnOp::Not => words::not(&a),
            UnOp::Neg => self.circuit.neg(&a),
            UnOp::Ctpop => self.circuit.count_ones(&a),
            UnOp::Ctlz => self.circuit.trailing_zeros(&reversed()),
            UnOp::Cttz => self.circuit.trailing_zeros(&a),
            UnOp::BitReverse => reversed(),
            UnOp::Bswap => a.chunks(8).rev().flatten().copied().collect(),
        }
    }

    fn binary(&mut self, op: BinOp, a: Expr, b: Expr) -> Word {
        let (a, b) = (self.done(a), self.done(b));
        let circuit = &mut self.circuit;
        match op {
            BinOp::Add => circuit.add(&a, &b),
            BinOp::Sub => circuit.sub(&a, &b),
            BinOp::Mul => circuit.mul(&a, &b),
            BinOp::UDiv => circuit.divide(&a, &b).0,
            BinOp::URem => circuit.divide(&a, &b).1,
            BinOp::SDiv => circuit.divide_signed(&a, &b).0,
            BinOp::SRem => circuit.divide_signed(&a, &b).1,
            BinOp::Shl => circuit.shl(&a, &b),
            BinOp::LShr => circuit.lshr(&a, &b),
            BinOp::AShr => circuit.ashr(&a, &b),
            BinOp::And => circuit.zip(&a, &b, Circuit::and),
            BinOp::Or => circuit.zip(&a, &b, Circuit::or),
            BinOp::Xor => circuit.zip(&a, &b, Circuit::xor),
        }
    }

    fn compare(&mut self, op: CmpOp, a: Expr, b: Expr) -> Lit {
        let (a, b) = (self.done(a), self.done(b));
        let circuit = &mut self.circuit;
        match op {
            CmpOp::Eq => circuit.equal(&a, &b),
            CmpOp::Ne => !circuit.equal(&a, &b),
            CmpOp::Ult => circuit.below(&a, &b, false),
            CmpOp::Ule => circuit.below(&a, &b, true),
            CmpOp::Ugt => circuit.below(&b, &a, false),
            CmpOp::Uge => circuit.below(&b, &a, true),
            CmpOp::Slt => circuit.less(&a, &b, false),
            CmpOp::Sle => circuit.less(&a, &b, true),
            CmpOp::Sgt => circuit.less(&b, &a, false),
            CmpOp::Sge => circuit.less(&b, &a, true),
        }
    }

    /// Whether the product of the magnitudes, in twice the width, is more than fits.
    fn mul_overflows(&mut self, signed: bool, a: Expr, b: Expr) -> Lit {
        let (a, b) = (self.done(a), self.done(b));
        let width = a.len();
        let circuit = &mut self.circuit;
        if !signed {
            let product = circuit.mul(&words::zext(&a, 2 * width), &words::zext(&b, 2 * width));
            return circuit.any(&product[width..]);
        }
        let negative = circuit.xor(words::sign(&a), words::sign(&b));
        let (a, b) = (
            circuit.neg_if(words::sign(&a), &a),
            circuit.neg_if(words::sign(&b), &b),
        );
        let product = circuit.mul(&words::zext(&a, 2 * width), &words::zext(&b, 2 * width));
        // At most 2^(width-1) if the result is negative, else one less.
        let mut most = vec![!negative; width - 1];
        most.push(negative);
        circuit.below(&words::zext(&most, 2 * width), &product, false)
    }
}

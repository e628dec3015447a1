//! From expressions to Z3's terms. No recursion: expressions can be deep.

use super::floats;
use super::unsupported::Unsupported;
use ::z3::Model;
use ::z3::ast::{BV, Bool};
use rustc_hash::FxHashMap;
use selvedge_expr::{Arena, BinOp, CmpOp, Expr, InputId, Node, UnOp};

/// A term; what has width 1 is a truth value.
#[derive(Clone)]
enum Term {
    Truth(Bool),
    Word(BV),
}

impl Term {
    /// As a truth value; of a word, its lowest bit.
    fn truth(&self) -> Bool {
        match self {
            Term::Truth(truth) => truth.clone(),
            Term::Word(word) => word.extract(0, 0).eq(1u64),
        }
    }

    fn word(&self) -> BV {
        match self {
            Term::Truth(truth) => truth.ite(&BV::from_u64(1, 1), &BV::from_u64(0, 1)),
            Term::Word(word) => word.clone(),
        }
    }
}

/// The terms made so far.
#[derive(Default)]
pub(super) struct Lowering {
    terms: FxHashMap<Expr, Term>,
}

impl Lowering {
    pub(super) fn len(&self) -> usize {
        self.terms.len()
    }

    /// The term of a constraint.
    pub(super) fn truth(&mut self, arena: &Arena, root: Expr) -> Result<Bool, Unsupported> {
        let mut stack = vec![(root, false)];
        while let Some((e, ready)) = stack.pop() {
            if self.terms.contains_key(&e) {
                continue;
            }
            let node = arena.node(e);
            if ready {
                let term = self.build(arena, e, node)?;
                self.terms.insert(e, term);
                continue;
            }
            stack.push((e, true));
            stack.extend(node.children().map(|child| (child, false)));
            if let Node::Select(table, _) = node {
                stack.extend(arena.table(table).iter().map(|&element| (element, false)));
            }
        }
        Ok(self.terms[&root].truth())
    }

    /// The value that a model gives to an input.
    pub(super) fn value(&self, arena: &Arena, model: &Model, input: InputId) -> Option<u128> {
        let e = arena.input_expr(input);
        let Some(term) = self.terms.get(&e) else {
            // No constraint needed it.
            return Some(0);
        };
        let word = term.word();
        let width = u32::from(arena.width(e));
        let part = |high: u32, low: u32| model.eval(&word.extract(high, low), true)?.simplify_u64();
        if width <= 64 {
            return part(width - 1, 0).map(u128::from);
        }
        let (high, low) = (part(width - 1, 64)?, part(63, 0)?);
        Some(u128::from(high) << 64 | u128::from(low))
    }

    /// The term of an expression lowered before, as a word.
    fn word(&self, e: Expr) -> BV {
        self.terms[&e].word()
    }

    fn build(&self, arena: &Arena, e: Expr, node: Node) -> Result<Term, Unsupported> {
        let width = arena.width(e);
        let bits = u32::from(width);
        let truth = |e: Expr| self.terms[&e].truth();
        let word: BV = match node {
            Node::Const(value) if width == 1 => return Ok(Term::Truth(Bool::from_bool(value != 0))),
            Node::Const(value) => constant(bits, value),
            Node::Input(input) => {
                let key = arena.input_key(input);
                let name = format!("i_{}_{}_{}", key.thread, key.ordinal, key.byte);
                if width == 1 {
                    return Ok(Term::Truth(Bool::new_const(name)));
                }
                BV::new_const(name, bits)
            }
            Node::Unary(UnOp::Not, a) if width == 1 => return Ok(Term::Truth(truth(a).not())),
            Node::Unary(op, a) => unary(op, bits, &self.word(a)),
            Node::Binary(BinOp::And, a, b) if width == 1 => {
                return Ok(Term::Truth(Bool::and(&[truth(a), truth(b)])));
            }
            Node::Binary(op, a, b) => binary(op, &self.word(a), &self.word(b)),
            Node::Compare(CmpOp::Eq, a, b) if arena.width(a) == 1 => {
                return Ok(Term::Truth(truth(a).iff(truth(b))));
            }
            Node::Compare(op, a, b) => return Ok(Term::Truth(compare(op, &self.word(a), &self.word(b)))),
            Node::Ite(condition, a, b) if width == 1 => {
                return Ok(Term::Truth(truth(condition).ite(&truth(a), &truth(b))));
            }
            Node::Ite(condition, a, b) => truth(condition).ite(&self.word(a), &self.word(b)),
            Node::Extract(a, low) => self.word(a).extract(u32::from(low) + bits - 1, u32::from(low)),
            Node::Concat(high, low) => self.word(high).concat(self.word(low)),
            Node::Zext(a) => self.word(a).zero_ext(bits - u32::from(arena.width(a))),
            Node::Sext(a) => self.word(a).sign_ext(bits - u32::from(arena.width(a))),
            Node::Select(table, index) => {
                let table: Vec<BV> = arena.table(table).iter().map(|&e| self.word(e)).collect();
                select(&table, &self.word(index))
            }
            Node::MulOverflows(signed, a, b) => {
                return Ok(Term::Truth(mul_overflows(signed, &self.word(a), &self.word(b))));
            }
            _ => return self.float(arena, width, node),
        };
        Ok(if width == 1 {
            Term::Truth(word.eq(1u64))
        } else {
            Term::Word(word)
        })
    }

    /// Floating-point arithmetic.
    fn float(&self, arena: &Arena, width: u8, node: Node) -> Result<Term, Unsupported> {
        let float = |e: Expr| floats::from_bits(&self.word(e), arena.width(e));
        Ok(match node {
            Node::FBinary(op, a, b) => {
                Term::Word(floats::bits(&floats::binary(op, &float(a), &float(b))?, width))
            }
            Node::FUnary(op, a) => Term::Word(floats::bits(&floats::unary(op, &float(a)), width)),
            Node::FCompare(op, a, b) => Term::Truth(floats::compare(op, &float(a), &float(b))),
            Node::Fma(a, b, c) => Term::Word(floats::bits(&float(a).fma(float(b), float(c)), width)),
            Node::FConvert(a) => Term::Word(floats::bits(&floats::convert(&float(a), width), width)),
            Node::ToInt(signed, a) => {
                let word = floats::to_int(signed, &float(a), arena.width(a), width);
                if width == 1 {
                    Term::Truth(word.eq(1u64))
                } else {
                    Term::Word(word)
                }
            }
            Node::FromInt(signed, a) => Term::Word(floats::bits(
                &floats::from_int(signed, &self.word(a), width),
                width,
            )),
            _ => return Err("an unknown operation"),
        })
    }
}

/// A number; up to 256 bits wide, the upper ones zero.
fn constant(bits: u32, value: u128) -> BV {
    let word = BV::from_u64(value as u64, bits.min(64));
    if bits <= 64 {
        return word;
    }
    BV::from_u64((value >> 64) as u64, bits - 64).concat(word)
}

fn unary(op: UnOp, bits: u32, a: &BV) -> BV {
    let bit = |at: u32| a.extract(at, at);
    // The number of zeros before the first bit set, in the order of `at`.
    let zeros = |at: &dyn Fn(u32) -> u32| {
        (0..bits).rev().fold(constant(bits, bits.into()), |count, place| {
            bit(at(place)).eq(1u64).ite(&constant(bits, place.into()), &count)
        })
    };
    match op {
        UnOp::Not => a.bvnot(),
        UnOp::Neg => a.bvneg(),
        UnOp::Ctpop => (1..bits).fold(extend(&bit(0), bits), |sum, at| sum.bvadd(extend(&bit(at), bits))),
        UnOp::Ctlz => zeros(&|place| bits - 1 - place),
        UnOp::Cttz => zeros(&|place| place),
        UnOp::BitReverse => (1..bits).fold(bit(0), |word, at| word.concat(bit(at))),
        UnOp::Bswap => {
            let byte = |at: u32| a.extract(8 * at + 7, 8 * at);
            (1..bits / 8).fold(byte(0), |word, at| word.concat(byte(at)))
        }
    }
}

fn extend(a: &BV, bits: u32) -> BV {
    a.zero_ext(bits - a.get_size())
}

fn binary(op: BinOp, a: &BV, b: &BV) -> BV {
    match op {
        BinOp::Add => a.bvadd(b),
        BinOp::Sub => a.bvsub(b),
        BinOp::Mul => a.bvmul(b),
        BinOp::UDiv => a.bvudiv(b),
        BinOp::URem => a.bvurem(b),
        BinOp::SDiv => a.bvsdiv(b),
        BinOp::SRem => a.bvsrem(b),
        BinOp::Shl => a.bvshl(b),
        BinOp::LShr => a.bvlshr(b),
        BinOp::AShr => a.bvashr(b),
        BinOp::And => a.bvand(b),
        BinOp::Or => a.bvor(b),
        BinOp::Xor => a.bvxor(b),
    }
}

fn compare(op: CmpOp, a: &BV, b: &BV) -> Bool {
    match op {
        CmpOp::Eq => a.eq(b),
        CmpOp::Ne => a.eq(b).not(),
        CmpOp::Ult => a.bvult(b),
        CmpOp::Ule => a.bvule(b),
        CmpOp::Ugt => a.bvugt(b),
        CmpOp::Uge => a.bvuge(b),
        CmpOp::Slt => a.bvslt(b),
        CmpOp::Sle => a.bvsle(b),
        CmpOp::Sgt => a.bvsgt(b),
        CmpOp::Sge => a.bvsge(b),
    }
}

/// Element `index`, the last one beyond the end.
fn select(table: &[BV], index: &BV) -> BV {
    let bits = index.get_size();
    let last = &table[table.len() - 1];
    let reachable = |place: &usize| bits >= 64 || (*place as u64) < 1 << bits;
    (0..table.len() - 1)
        .filter(reachable)
        .fold(last.clone(), |rest, place| {
            index.eq(constant(bits, place as u128)).ite(&table[place], &rest)
        })
}

fn mul_overflows(signed: bool, a: &BV, b: &BV) -> Bool {
    let bits = a.get_size();
    let extend = |word: &BV| {
        if signed {
            word.sign_ext(bits)
        } else {
            word.zero_ext(bits)
        }
    };
    let product = extend(a).bvmul(extend(b));
    product.eq(extend(&product.extract(bits - 1, 0))).not()
}

/// Reading numerals.
trait Numeral {
    fn simplify_u64(&self) -> Option<u64>;
}

impl Numeral for BV {
    fn simplify_u64(&self) -> Option<u64> {
        use ::z3::ast::Ast;
        self.as_u64().or_else(|| self.simplify().as_u64())
    }
}

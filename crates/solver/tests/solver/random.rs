//! Random expressions, and their truth tables.

use fastrand::Rng;
use selvedge_expr::{
    Arena, Assignment, BinOp, CmpOp, Evaluator, Expr, FBinOp, FPred, FUnOp, InputId, InputKey, UnOp, Width,
    eval,
};
use selvedge_solver::{Answer, Query, Solver};

const BINARY: [BinOp; 13] = [
    BinOp::Add,
    BinOp::Sub,
    BinOp::Mul,
    BinOp::UDiv,
    BinOp::URem,
    BinOp::SDiv,
    BinOp::SRem,
    BinOp::Shl,
    BinOp::LShr,
    BinOp::AShr,
    BinOp::And,
    BinOp::Or,
    BinOp::Xor,
];

const UNARY: [UnOp; 6] = [
    UnOp::Not,
    UnOp::Neg,
    UnOp::Ctpop,
    UnOp::Ctlz,
    UnOp::Cttz,
    UnOp::BitReverse,
];

const COMPARE: [CmpOp; 10] = [
    CmpOp::Eq,
    CmpOp::Ne,
    CmpOp::Ult,
    CmpOp::Ule,
    CmpOp::Ugt,
    CmpOp::Uge,
    CmpOp::Slt,
    CmpOp::Sle,
    CmpOp::Sgt,
    CmpOp::Sge,
];

pub(crate) fn mask(width: Width) -> u128 {
    u128::MAX >> (128 - u32::from(width))
}

/// A number of a width; small ones, powers of two and those next to the bounds more often than
/// others.
pub(crate) fn number(random: &mut Rng, width: Width) -> u128 {
    let value = match random.u8(..5) {
        0 => random.u128(..4),
        1 => mask(width) - random.u128(..3).min(mask(width)),
        2 => 1 << random.u8(..width),
        _ => random.u128(..),
    };
    value & mask(width)
}

/// The bits of a float: zeros, infinities, NaNs, small integers, the least and the greatest ones.
fn special(random: &mut Rng, width: Width) -> u128 {
    let number = [
        0.0,
        -0.0,
        1.0,
        -1.5,
        2.5,
        f64::INFINITY,
        f64::NAN,
        1e-310,
        -3e38,
        4e9,
        0.1,
    ][random.usize(..11)];
    let bits = if width == 32 {
        u128::from((number as f32).to_bits())
    } else {
        u128::from(number.to_bits())
    };
    bits ^ random.u128(..2)
}

/// New inputs of these widths.
pub(crate) fn inputs(arena: &Arena, widths: &[Width]) -> Vec<Expr> {
    (0..)
        .zip(widths)
        .map(|(ordinal, &width)| {
            let key = InputKey {
                thread: 0,
                ordinal,
                byte: 0,
            };
            arena.input(key, width)
        })
        .collect()
}

/// Makes random expressions out of those in its pool.
pub(crate) struct Generator<'a> {
    pub(crate) arena: &'a Arena,
    pub(crate) pool: Vec<Expr>,
    /// Widths of what it makes.
    pub(crate) widths: Vec<Width>,
}

impl<'a> Generator<'a> {
    pub(crate) fn pick(&self, random: &mut Rng) -> Expr {
        if random.u8(..8) == 0 {
            let width = self.widths[random.usize(..self.widths.len())];
            return self.arena.constant(width, number(random, width));
        }
        self.pool[random.usize(..self.pool.len())]
    }

    /// Something of the pool, brought to a width.
    pub(crate) fn pick_wide(&self, random: &mut Rng, width: Width) -> Expr {
        let e = self.pick(random);
        let arena = self.arena;
        let has = arena.width(e);
        if has > width {
            arena.extract(e, random.u8(..=has - width), width)
        } else if has == width {
            e
        } else if random.bool() {
            arena.zext(e, width)
        } else {
            arena.sext(e, width)
        }
    }

    /// A new expression, put into the pool.
    pub(crate) fn grow(&mut self, random: &mut Rng) -> Expr {
        let arena = self.arena;
        let width = self.widths[random.usize(..self.widths.len())];
        let a = self.pick_wide(random, width);
        let b = self.pick_wide(random, width);
        let e = match random.u8(..12) {
            0 => arena.unary(UNARY[random.usize(..UNARY.len())], a),
            1..=5 => arena.binary(BINARY[random.usize(..BINARY.len())], a, b),
            6 => self.truth(random),
            7 => arena.ite(self.truth(random), a, b),
            8 => {
                let low = self.pick(random);
                if u32::from(arena.width(low)) + u32::from(width) <= 128 {
                    arena.concat(a, low)
                } else {
                    a
                }
            }
            9 => {
                let table: Vec<Expr> = (0..random.usize(1..9))
                    .map(|_| self.pick_wide(random, width))
                    .collect();
                arena.select(&table, self.pick(random))
            }
            10 => arena.mul_overflows(random.bool(), a, b),
            _ => {
                let low = random.u8(..width);
                arena.extract(a, low, random.u8(1..=width - low))
            }
        };
        self.pool.push(e);
        e
    }

    /// A new expression with floating-point arithmetic in it, put into the pool.
    pub(crate) fn grow_float(&mut self, random: &mut Rng) -> Expr {
        let arena = self.arena;
        let width = if random.bool() { 32 } else { 64 };
        let float = |random: &mut Rng| {
            if random.u8(..3) == 0 {
                arena.constant(width, special(random, width))
            } else {
                self.pick_wide(random, width)
            }
        };
        let (a, b, c) = (float(random), float(random), float(random));
        let binary = [FBinOp::Add, FBinOp::Sub, FBinOp::Mul, FBinOp::Div];
        let unary = [
            FUnOp::Sqrt,
            FUnOp::Floor,
            FUnOp::Ceil,
            FUnOp::Trunc,
            FUnOp::Round,
            FUnOp::RoundEven,
        ];
        let predicates = [
            FPred::Oeq,
            FPred::Olt,
            FPred::Ole,
            FPred::Uno,
            FPred::One,
            FPred::Uge,
        ];
        let to = [1, 8, 32, 33, 64, 128][random.usize(..6)];
        let e = match random.u8(..10) {
            0..=3 => arena.fbinary(binary[random.usize(..4)], a, b),
            4 => arena.funary(unary[random.usize(..6)], a),
            5 => arena.fcompare(predicates[random.usize(..6)], a, b),
            6 => arena.fma(a, b, c),
            7 => arena.fconvert(a, 96 - width),
            8 => arena.to_int(random.bool(), a, to),
            _ => {
                let word = self.pick(random);
                arena.from_int(random.bool(), word, width)
            }
        };
        self.pool.push(e);
        e
    }

    /// A new constraint.
    pub(crate) fn truth(&self, random: &mut Rng) -> Expr {
        let a = self.pick(random);
        let b = self.pick_wide(random, self.arena.width(a));
        let e = self.arena.compare(COMPARE[random.usize(..COMPARE.len())], a, b);
        match random.u8(..6) {
            0 => {
                let c = self.pick_wide(random, 1);
                self.arena.and(e, c)
            }
            1 => {
                let c = self.pick_wide(random, 1);
                self.arena.or(e, c)
            }
            _ => e,
        }
    }
}

/// With all inputs fixed, an expression has its value and no other.
pub(crate) fn compute_what_evaluation_does(
    seed: u64,
    rounds: u64,
    solver: fn() -> Box<dyn Solver>,
    grow: fn(&mut Generator<'_>, &mut Rng) -> Expr,
) {
    let mut random = Rng::with_seed(seed);
    for round in 0..rounds as usize {
        let arena = Arena::new();
        let widths: &[u8] = [
            &[64, 64][..],
            &[128, 32],
            &[33, 65],
            &[32, 32, 8],
            &[16, 100],
            &[7, 1, 127],
        ][round % 6];
        let pool = inputs(&arena, widths);
        let values: Assignment = (0..)
            .zip(widths)
            .map(|(id, &width)| (InputId(id), number(&mut random, width)))
            .collect();
        let equal = |e: Expr, value: u128| arena.compare(CmpOp::Eq, e, arena.constant(arena.width(e), value));
        let path: Vec<Expr> = values
            .iter()
            .map(|(id, value)| equal(pool[id.0 as usize], value))
            .collect();
        let mut generator = Generator {
            arena: &arena,
            pool,
            widths: widths.iter().copied().chain([1, 8, 32, 64, 128]).collect(),
        };
        let mut solver = solver();
        for _ in 0..10 {
            let e = grow(&mut generator, &mut random);
            let same = equal(e, eval(&arena, e, &values));
            for (goal, possible) in [(same, true), (arena.not(same), false)] {
                let query = Query {
                    path: &path,
                    goal: &[goal],
                    hint: None,
                };
                let answer = solver.check(&arena, &query);
                assert!(
                    matches!(
                        (&answer, possible),
                        (Answer::Sat(_), true) | (Answer::Unsat, false)
                    ),
                    "{answer:?}, but {possible}: {:?} {values:x?}",
                    arena.node(e)
                );
            }
        }
    }
}

/// Whether a constraint holds, for all values of narrow inputs.
pub(crate) struct Tables {
    pub(crate) assignments: Vec<Assignment>,
    evaluator: Evaluator,
}

impl Tables {
    pub(crate) fn new(arena: &Arena, inputs: &[Expr]) -> Tables {
        let mut assignments = vec![Assignment::new()];
        for (number, &input) in inputs.iter().enumerate() {
            assignments = assignments
                .iter()
                .flat_map(|assignment| {
                    (0..=mask(arena.width(input))).map(move |value| {
                        let mut assignment = assignment.clone();
                        assignment.set(InputId(number as u32), value);
                        assignment
                    })
                })
                .collect();
        }
        Tables {
            assignments,
            evaluator: Evaluator::new(),
        }
    }

    /// Numbers of the assignments with which all constraints hold.
    pub(crate) fn satisfying(&mut self, arena: &Arena, constraints: &[Expr]) -> Vec<usize> {
        (0..self.assignments.len())
            .filter(|&row| {
                self.evaluator.forget();
                constraints
                    .iter()
                    .all(|&e| self.evaluator.eval_same(arena, e, &self.assignments[row]) != 0)
            })
            .collect()
    }
}

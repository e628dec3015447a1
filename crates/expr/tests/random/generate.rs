//! Random straight-line programs over a few inputs, with the constants and shapes that
//! simplifications look for.

use selvedge_expr::{Arena, BinOp, CmpOp, Expr, FBinOp, FPred, FUnOp, InputKey, UnOp, Width};

/// What a program is like.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// All integer operations.
    Bits,
    /// Mostly bytes: extensions, extractions, concatenations, masks, comparisons with constants,
    /// tables.
    Memory,
    /// Floats too.
    Floats,
}

/// One operation on earlier steps, as written.
#[derive(Clone, Debug)]
pub enum Step {
    Constant(u128),
    Input(usize),
    Unary(UnOp, usize),
    Binary(BinOp, usize, usize),
    Compare(CmpOp, usize, usize),
    Ite(usize, usize, usize),
    Extract(usize, Width),
    Truncate(usize),
    Concat(usize, usize),
    Zext(usize),
    Sext(usize),
    Select(Vec<usize>, usize),
    Overflow(BinOp, bool, usize, usize),
    Saturating(BinOp, bool, usize, usize),
    MinMax(bool, bool, usize, usize),
    Abs(usize),
    Funnel(bool, usize, usize, usize),
    FBinary(FBinOp, usize, usize),
    FUnary(FUnOp, usize),
    FCompare(FPred, usize, usize),
    Fma(usize, usize, usize),
    FConvert(usize),
    ToInt(bool, usize),
    ToIntFits(bool, Width, usize),
    FromInt(bool, usize),
    FSign(u8, usize, usize),
    FMinMax(bool, usize, usize),
}

/// Operations with the widths of their results, and the widths of the inputs.
#[derive(Clone, Debug)]
pub struct Program {
    pub inputs: Vec<Width>,
    pub steps: Vec<(Step, Width)>,
}

const UNARY: [UnOp; 7] = [
    UnOp::Not,
    UnOp::Neg,
    UnOp::Ctpop,
    UnOp::Ctlz,
    UnOp::Cttz,
    UnOp::Bswap,
    UnOp::BitReverse,
];

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

const PREDICATES: [FPred; 16] = [
    FPred::False,
    FPred::Oeq,
    FPred::Ogt,
    FPred::Oge,
    FPred::Olt,
    FPred::Ole,
    FPred::One,
    FPred::Ord,
    FPred::Uno,
    FPred::Ueq,
    FPred::Ugt,
    FPred::Uge,
    FPred::Ult,
    FPred::Ule,
    FPred::Une,
    FPred::True,
];

const FBINARY: [FBinOp; 5] = [FBinOp::Add, FBinOp::Sub, FBinOp::Mul, FBinOp::Div, FBinOp::Rem];

const FUNARY: [FUnOp; 6] = [
    FUnOp::Sqrt,
    FUnOp::Floor,
    FUnOp::Ceil,
    FUnOp::Trunc,
    FUnOp::Round,
    FUnOp::RoundEven,
];

pub fn key(input: usize) -> InputKey {
    InputKey {
        thread: input as u32 % 2,
        ordinal: input as u32,
        byte: 0,
    }
}

pub fn mask(width: Width) -> u128 {
    u128::MAX >> (128 - width)
}

/// A value at which something may go wrong, or any.
pub fn interesting(rng: &mut fastrand::Rng, width: Width) -> u128 {
    let value = match rng.u8(..12) {
        0 => 0,
        1 => 1,
        2 => u128::MAX,
        3 => 1 << (width - 1),
        4 => mask(width) >> 1,
        5 => 1 << rng.u8(..width),
        6 => (1 << rng.u8(..width)) - 1,
        7 => u128::from(rng.u8(..)),
        8 => u128::from(rng.u8(..10)).wrapping_neg(),
        9 => match (width, rng.u8(..4)) {
            (32, 0) => f32::NAN.to_bits().into(),
            (32, 1) => f32::NEG_INFINITY.to_bits().into(),
            (32, _) => (rng.i16(..) as f32 / 4.0).to_bits().into(),
            (64, 0) => f64::NAN.to_bits().into(),
            (64, 1) => f64::INFINITY.to_bits().into(),
            (64, _) => (f64::from(rng.i32(..)) / 8.0).to_bits().into(),
            _ => u128::from(width),
        },
        10 => u128::from(rng.u8(..10)),
        _ => rng.u128(..),
    };
    value & mask(width)
}

impl Program {
    /// The same program on inputs with other names.
    pub fn with_inputs_from(mut self, first: usize) -> Program {
        for (step, _) in &mut self.steps {
            if let Step::Input(i) = step {
                *i += first;
            }
        }
        self
    }

    fn width(&self, step: usize) -> Width {
        self.steps[step].1
    }

    fn push(&mut self, step: Step, width: Width) -> usize {
        self.steps.push((step, width));
        self.steps.len() - 1
    }

    /// An earlier step of this width: the later the likelier; a constant or an input if there is
    /// none.
    fn pick(&mut self, rng: &mut fastrand::Rng, width: Width) -> usize {
        if rng.u8(..5) == 0 {
            let value = interesting(rng, width);
            return self.push(Step::Constant(value), width);
        }
        for _ in 0..12 {
            let back = rng.usize(..self.steps.len()).min(rng.usize(..self.steps.len()));
            let i = self.steps.len() - 1 - back;
            if self.width(i) == width {
                return i;
            }
        }
        if let Some(i) = (0..self.steps.len()).rev().find(|&i| self.width(i) == width) {
            return i;
        }
        // Made from what there is.
        let from = rng.usize(..self.steps.len());
        let has = self.width(from);
        if has > width {
            let low = rng.u8(..=has - width);
            self.push(Step::Extract(from, low), width)
        } else if rng.bool() {
            self.push(Step::Zext(from), width)
        } else {
            self.push(Step::Sext(from), width)
        }
    }
}

pub fn program(rng: &mut fastrand::Rng, widths: &[Width], kind: Kind) -> Program {
    let mut program = Program {
        inputs: Vec::new(),
        steps: Vec::new(),
    };
    for i in 0..rng.usize(1..4) {
        let width = widths[rng.usize(..widths.len())];
        program.inputs.push(width);
        program.push(Step::Input(i), width);
    }
    for _ in 0..rng.usize(4..24) {
        let width = widths[rng.usize(..widths.len())];
        match kind {
            Kind::Memory => memory_step(&mut program, rng, width),
            Kind::Floats if rng.bool() => float_step(&mut program, rng),
            _ => bits_step(&mut program, rng, width, widths),
        }
    }
    program
}

fn bits_step(p: &mut Program, rng: &mut fastrand::Rng, width: Width, widths: &[Width]) {
    match rng.u8(..17) {
        0 | 1 => {
            let op = UNARY[rng.usize(..UNARY.len())];
            if op != UnOp::Bswap || width.is_multiple_of(8) {
                let a = p.pick(rng, width);
                p.push(Step::Unary(op, a), width);
            }
        }
        2..=6 => {
            let (a, b) = (p.pick(rng, width), p.pick(rng, width));
            p.push(Step::Binary(BINARY[rng.usize(..BINARY.len())], a, b), width);
        }
        7..=9 => {
            let (a, b) = (p.pick(rng, width), p.pick(rng, width));
            p.push(Step::Compare(COMPARE[rng.usize(..COMPARE.len())], a, b), 1);
        }
        10 | 11 => {
            let (c, a, b) = (p.pick(rng, 1), p.pick(rng, width), p.pick(rng, width));
            p.push(Step::Ite(c, a, b), width);
        }
        12 => slice_step(p, rng, width),
        13 => {
            let op = [BinOp::Add, BinOp::Sub, BinOp::Mul][rng.usize(..3)];
            let (a, b) = (p.pick(rng, width), p.pick(rng, width));
            p.push(Step::Overflow(op, rng.bool(), a, b), 1);
        }
        14 => {
            let op = [BinOp::Add, BinOp::Sub, BinOp::Shl][rng.usize(..3)];
            let (a, b) = (p.pick(rng, width), p.pick(rng, width));
            p.push(Step::Saturating(op, rng.bool(), a, b), width);
        }
        15 => {
            let (a, b, c) = (p.pick(rng, width), p.pick(rng, width), p.pick(rng, width));
            match rng.u8(..3) {
                0 => p.push(Step::Funnel(rng.bool(), a, b, c), width),
                1 => p.push(Step::MinMax(rng.bool(), rng.bool(), a, b), width),
                _ => p.push(Step::Abs(a), width),
            };
        }
        _ => {
            let index_width = widths[rng.usize(..widths.len())];
            select_step(p, rng, width, index_width);
        }
    }
}

fn select_step(p: &mut Program, rng: &mut fastrand::Rng, width: Width, index_width: Width) {
    let few: Vec<usize> = (0..rng.usize(1..4)).map(|_| p.pick(rng, width)).collect();
    let table = (0..rng.usize(1..20))
        .map(|_| few[rng.usize(..few.len())])
        .collect();
    let index = p.pick(rng, index_width);
    p.push(Step::Select(table, index), width);
}

fn slice_step(p: &mut Program, rng: &mut fastrand::Rng, width: Width) {
    let from = rng.usize(..p.steps.len());
    let has = p.width(from);
    match rng.u8(..3) {
        0 => {
            let part = rng.u8(1..=has);
            if rng.bool() {
                p.push(Step::Truncate(from), part);
                return;
            }
            let low = rng.u8(..=has - part);
            p.push(Step::Extract(from, low), part);
        }
        1 => {
            let other = rng.usize(..p.steps.len());
            let both = u32::from(has) + u32::from(p.width(other));
            if both <= 128 {
                p.push(Step::Concat(from, other), both as Width);
            }
        }
        _ => {
            let wide = rng.u8(has..=128).min(has.saturating_add(width)).min(128);
            let step = if rng.bool() {
                Step::Zext(from)
            } else {
                Step::Sext(from)
            };
            p.push(step, wide);
        }
    }
}

fn memory_step(p: &mut Program, rng: &mut fastrand::Rng, width: Width) {
    match rng.u8(..14) {
        12 => conditions_step(p, rng, width),
        13 => signs_step(p, rng),
        // Extensions of bytes.
        0 | 1 => {
            let byte = p.pick(rng, 8);
            let step = if rng.bool() {
                Step::Zext(byte)
            } else {
                Step::Sext(byte)
            };
            p.push(step, [16, 32, 64][rng.usize(..3)]);
        }
        // One byte of a word.
        2 => {
            let word = p.pick(rng, 32);
            if rng.bool() {
                p.push(Step::Truncate(word), 8);
                return;
            }
            p.push(Step::Extract(word, rng.u8(..4) * 8), 8);
        }
        // Two neighbours.
        3 | 4 => {
            let part = [8, 16][rng.usize(..2)];
            let (high, low) = (p.pick(rng, part), p.pick(rng, part));
            p.push(Step::Concat(high, low), part * 2);
        }
        // Shifts, masks and sums with constants.
        5 | 6 => {
            let op = [
                BinOp::Shl,
                BinOp::LShr,
                BinOp::AShr,
                BinOp::And,
                BinOp::Or,
                BinOp::Xor,
                BinOp::Add,
                BinOp::Sub,
                BinOp::Mul,
                BinOp::UDiv,
                BinOp::URem,
            ][rng.usize(..11)];
            let a = p.pick(rng, width);
            let value = if matches!(op, BinOp::Shl | BinOp::LShr | BinOp::AShr) {
                u128::from(rng.u8(..=width)) & mask(width)
            } else {
                interesting(rng, width)
            };
            let b = p.push(Step::Constant(value), width);
            p.push(Step::Binary(op, a, b), width);
        }
        7 => {
            let (a, b) = (p.pick(rng, width), p.pick(rng, width));
            let op = [BinOp::Or, BinOp::Add, BinOp::Xor, BinOp::And][rng.usize(..4)];
            p.push(Step::Binary(op, a, b), width);
        }
        // Comparisons with constants.
        8 | 9 => {
            let a = p.pick(rng, width);
            let value = interesting(rng, width);
            let b = p.push(Step::Constant(value), width);
            let op = COMPARE[rng.usize(..COMPARE.len())];
            let step = if rng.bool() {
                Step::Compare(op, a, b)
            } else {
                Step::Compare(op, b, a)
            };
            p.push(step, 1);
        }
        // An alternative, mostly between constants.
        10 => {
            let c = p.pick(rng, 1);
            let arm = |p: &mut Program, rng: &mut fastrand::Rng| {
                if rng.u8(..3) == 0 {
                    p.pick(rng, width)
                } else {
                    let value = interesting(rng, width);
                    p.push(Step::Constant(value), width)
                }
            };
            let (a, b) = (arm(p, rng), arm(p, rng));
            p.push(Step::Ite(c, a, b), width);
        }
        _ => select_step(p, rng, width, 8),
    }
}

/// Two comparisons of one value with constants near each other, joined.
fn conditions_step(p: &mut Program, rng: &mut fastrand::Rng, width: Width) {
    let a = p.pick(rng, width);
    let value = interesting(rng, width);
    let mut compared = |p: &mut Program| {
        let near = value.wrapping_add(u128::from(rng.u8(..3))) & mask(width);
        let k = p.push(Step::Constant(near), width);
        let op = COMPARE[rng.usize(..COMPARE.len())];
        p.push(Step::Compare(op, a, k), 1)
    };
    let (b, c) = (compared(p), compared(p));
    let op = [BinOp::And, BinOp::Or, BinOp::Xor][rng.usize(..3)];
    p.push(Step::Binary(op, b, c), 1);
}

/// Copies of a condition or its negation between pieces that depend on it.
fn signs_step(p: &mut Program, rng: &mut fastrand::Rng) {
    let c = p.pick(rng, 1);
    let sign = if rng.bool() {
        p.push(Step::Unary(UnOp::Not, c), 1)
    } else {
        c
    };
    let rest = p.pick(rng, 8);
    let top = p.push(Step::Concat(sign, rest), 9);
    let low = p.push(Step::Sext(top), 16);
    let arms = [(); 2].map(|()| {
        let value = interesting(rng, 8);
        p.push(Step::Constant(value), 8)
    });
    let high = p.push(Step::Ite(c, arms[0], arms[1]), 8);
    p.push(Step::Concat(high, low), 24);
}

fn float_step(p: &mut Program, rng: &mut fastrand::Rng) {
    let width = if rng.bool() { 32 } else { 64 };
    let (a, b) = (p.pick(rng, width), p.pick(rng, width));
    match rng.u8(..10) {
        0 | 1 => p.push(Step::FBinary(FBINARY[rng.usize(..5)], a, b), width),
        2 => p.push(Step::FUnary(FUNARY[rng.usize(..6)], a), width),
        3 => p.push(Step::FCompare(PREDICATES[rng.usize(..16)], a, b), 1),
        4 => {
            let c = p.pick(rng, width);
            p.push(Step::Fma(a, b, c), width)
        }
        5 => p.push(Step::FConvert(a), 96 - width),
        6 => p.push(
            Step::ToInt(rng.bool(), a),
            [8, 16, 32, 64, 128, 1][rng.usize(..6)],
        ),
        7 => {
            let to = [1, 8, 16, 31, 32, 64, 128][rng.usize(..7)];
            p.push(Step::ToIntFits(rng.bool(), to, a), 1)
        }
        8 => {
            let from = rng.usize(..p.steps.len());
            p.push(Step::FromInt(rng.bool(), from), width)
        }
        _ if rng.bool() => p.push(Step::FMinMax(rng.bool(), a, b), width),
        _ => p.push(Step::FSign(rng.u8(..3), a, b), width),
    };
}

impl Step {
    /// The expression of the step, by the constructors.
    pub fn build(&self, arena: &Arena, width: Width, earlier: &[Expr]) -> Expr {
        let e = |i: usize| earlier[i];
        match *self {
            Step::Constant(value) => arena.constant(width, value),
            Step::Input(i) => arena.input(key(i), width),
            Step::Unary(op, a) => arena.unary(op, e(a)),
            Step::Binary(op, a, b) => arena.binary(op, e(a), e(b)),
            Step::Compare(op, a, b) => arena.compare(op, e(a), e(b)),
            Step::Ite(c, a, b) => arena.ite(e(c), e(a), e(b)),
            Step::Extract(a, low) => arena.extract(e(a), low, width),
            Step::Truncate(a) => arena.truncate(e(a), width),
            Step::Concat(a, b) => arena.concat(e(a), e(b)),
            Step::Zext(a) => arena.zext(e(a), width),
            Step::Sext(a) => arena.sext(e(a), width),
            Step::Select(ref table, i) => {
                let table: Vec<Expr> = table.iter().map(|&i| e(i)).collect();
                arena.select(&table, e(i))
            }
            Step::Overflow(BinOp::Add, signed, a, b) => arena.add_overflows(signed, e(a), e(b)),
            Step::Overflow(BinOp::Sub, signed, a, b) => arena.sub_overflows(signed, e(a), e(b)),
            Step::Overflow(_, signed, a, b) => arena.mul_overflows(signed, e(a), e(b)),
            Step::Saturating(BinOp::Add, signed, a, b) => arena.add_saturating(signed, e(a), e(b)),
            Step::Saturating(BinOp::Sub, signed, a, b) => arena.sub_saturating(signed, e(a), e(b)),
            Step::Saturating(_, signed, a, b) => arena.shl_saturating(signed, e(a), e(b)),
            Step::MinMax(signed, greatest, a, b) => arena.min_max(signed, greatest, e(a), e(b)),
            Step::Abs(a) => arena.abs(e(a)),
            Step::Funnel(left, a, b, c) => arena.funnel(left, e(a), e(b), e(c)),
            Step::FBinary(op, a, b) => arena.fbinary(op, e(a), e(b)),
            Step::FUnary(op, a) => arena.funary(op, e(a)),
            Step::FCompare(pred, a, b) => arena.fcompare(pred, e(a), e(b)),
            Step::Fma(a, b, c) => arena.fma(e(a), e(b), e(c)),
            Step::FConvert(a) => arena.fconvert(e(a), width),
            Step::ToInt(signed, a) => arena.to_int(signed, e(a), width),
            Step::ToIntFits(signed, to, a) => arena.to_int_fits(signed, e(a), to),
            Step::FromInt(signed, a) => arena.from_int(signed, e(a), width),
            Step::FSign(0, a, _) => arena.fneg(e(a)),
            Step::FSign(1, a, _) => arena.fabs(e(a)),
            Step::FSign(_, a, b) => arena.fcopysign(e(a), e(b)),
            Step::FMinMax(true, a, b) => arena.fmax(e(a), e(b)),
            Step::FMinMax(false, a, b) => arena.fmin(e(a), e(b)),
        }
    }
}

impl std::fmt::Display for Program {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        for (i, (step, width)) in self.steps.iter().enumerate() {
            writeln!(f, "{i}: i{width} = {step:?}")?;
        }
        Ok(())
    }
}

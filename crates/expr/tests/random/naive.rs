//! The plain meaning of the operations, written without the crate: numbers as vectors of bits where
//! that is the definition.

use crate::generate::{Program, Step, mask};
use selvedge_expr::{BinOp, CmpOp, FBinOp, FPred, FUnOp, UnOp, Width};

/// The values of all steps.
pub fn run(program: &Program, inputs: &[u128]) -> Vec<u128> {
    let mut values: Vec<u128> = Vec::new();
    for (step, width) in &program.steps {
        let value = value(program, step, *width, inputs, &values);
        assert_eq!(value & !mask(*width), 0, "{step:?}");
        values.push(value);
    }
    values
}

fn bit(value: u128, i: u32) -> bool {
    value >> i & 1 == 1
}

fn from_bits(bits: impl Iterator<Item = bool>) -> u128 {
    bits.enumerate()
        .fold(0, |value, (i, b)| value | u128::from(b) << i)
}

fn negative(value: u128, width: Width) -> bool {
    bit(value, u32::from(width) - 1)
}

/// The absolute value of a signed number; that of the least one is 2^(width-1).
fn magnitude(value: u128, width: Width) -> u128 {
    if negative(value, width) {
        (!value).wrapping_add(1) & mask(width)
    } else {
        value
    }
}

/// Ripple-carry addition.
fn add(a: u128, b: u128, width: Width) -> (u128, bool) {
    let mut carry = false;
    let sum = from_bits((0..u32::from(width)).map(|i| {
        let (x, y) = (bit(a, i), bit(b, i));
        let sum = x ^ y ^ carry;
        carry = x && y || carry && (x || y);
        sum
    }));
    (sum, carry)
}

fn negate(a: u128, width: Width) -> u128 {
    add(!a & mask(width), 1, width).0
}

/// The product as two words: low and high.
fn multiply(a: u128, b: u128, width: Width) -> (u128, u128) {
    // Schoolbook on 64-bit halves, then cut at the width.
    let (a0, a1) = (a & u128::from(u64::MAX), a >> 64);
    let (b0, b1) = (b & u128::from(u64::MAX), b >> 64);
    let middle = a1 * b0;
    let (middle, carry) = middle.overflowing_add(a0 * b1);
    let (low, carry_low) = (a0 * b0).overflowing_add(middle << 64);
    let high = a1 * b1 + (middle >> 64) + (u128::from(carry) << 64) + u128::from(carry_low);
    if width == 128 {
        (low, high)
    } else {
        (low & mask(width), low >> width | high << (128 - width))
    }
}

fn unary(op: UnOp, width: Width, a: u128) -> u128 {
    let bits = || (0..u32::from(width)).map(|i| bit(a, i));
    match op {
        UnOp::Not => from_bits(bits().map(|b| !b)),
        UnOp::Neg => negate(a, width),
        UnOp::Ctpop => bits().filter(|&b| b).count() as u128,
        UnOp::Ctlz => bits().rev().take_while(|&b| !b).count() as u128,
        UnOp::Cttz => bits().take_while(|&b| !b).count() as u128,
        UnOp::Bswap => (0..width / 8).fold(0, |r, i| r << 8 | a >> (i * 8) & 0xff),
        UnOp::BitReverse => from_bits(bits().rev()),
    }
}

fn binary(op: BinOp, width: Width, a: u128, b: u128) -> u128 {
    let all = mask(width);
    let w = u32::from(width);
    let past = b >= u128::from(width);
    match op {
        BinOp::Add => add(a, b, width).0,
        BinOp::Sub => add(a, negate(b, width), width).0,
        BinOp::Mul => multiply(a, b, width).0,
        BinOp::UDiv => a.checked_div(b).unwrap_or(all),
        BinOp::URem => a.checked_rem(b).unwrap_or(a),
        BinOp::SDiv => {
            let (x, y) = (magnitude(a, width), magnitude(b, width));
            if b == 0 {
                return if negative(a, width) { 1 } else { all };
            }
            let quotient = (x / y) & all;
            if negative(a, width) != negative(b, width) {
                negate(quotient, width)
            } else {
                quotient
            }
        }
        BinOp::SRem => {
            if b == 0 {
                return a;
            }
            let rest = magnitude(a, width) % magnitude(b, width);
            if negative(a, width) {
                negate(rest, width)
            } else {
                rest
            }
        }
        BinOp::Shl if past => 0,
        BinOp::LShr if past => 0,
        BinOp::AShr if past => {
            if negative(a, width) {
                all
            } else {
                0
            }
        }
        BinOp::Shl => from_bits((0..w).map(|i| i >= b as u32 && bit(a, i - b as u32))),
        BinOp::LShr => from_bits((0..w).map(|i| i + (b as u32) < w && bit(a, i + b as u32))),
        BinOp::AShr => from_bits((0..w).map(|i| bit(a, (i + b as u32).min(w - 1)))),
        BinOp::And => from_bits((0..w).map(|i| bit(a, i) && bit(b, i))),
        BinOp::Or => from_bits((0..w).map(|i| bit(a, i) || bit(b, i))),
        BinOp::Xor => from_bits((0..w).map(|i| bit(a, i) != bit(b, i))),
    }
}

fn less(signed: bool, width: Width, a: u128, b: u128) -> bool {
    if signed && negative(a, width) != negative(b, width) {
        return negative(a, width);
    }
    (0..u32::from(width))
        .rev()
        .find(|&i| bit(a, i) != bit(b, i))
        .is_some_and(|i| bit(b, i))
}

fn compare(op: CmpOp, width: Width, a: u128, b: u128) -> bool {
    match op {
        CmpOp::Eq => a == b,
        CmpOp::Ne => a != b,
        CmpOp::Ult => less(false, width, a, b),
        CmpOp::Ule => !less(false, width, b, a),
        CmpOp::Ugt => less(false, width, b, a),
        CmpOp::Uge => !less(false, width, a, b),
        CmpOp::Slt => less(true, width, a, b),
        CmpOp::Sle => !less(true, width, b, a),
        CmpOp::Sgt => less(true, width, b, a),
        CmpOp::Sge => !less(true, width, a, b),
    }
}

/// Whether the exact result does not fit.
fn overflows(op: BinOp, signed: bool, width: Width, a: u128, b: u128) -> bool {
    let (na, nb) = (negative(a, width), negative(b, width));
    match (op, signed) {
        (BinOp::Add, false) => add(a, b, width).1,
        (BinOp::Sub, false) => a < b,
        (BinOp::Add, true) => na == nb && negative(binary(op, width, a, b), width) != na,
        (BinOp::Sub, true) => na != nb && negative(binary(op, width, a, b), width) != na,
        (_, false) => multiply(a, b, width).1 != 0,
        (_, true) => {
            let (low, high) = multiply(magnitude(a, width), magnitude(b, width), width);
            let limit = if na != nb {
                1 << (width - 1)
            } else {
                mask(width) >> 1
            };
            high != 0 || low > limit
        }
    }
}

fn saturating(op: BinOp, signed: bool, width: Width, a: u128, b: u128) -> u128 {
    let least = 1 << (width - 1);
    let bound = match (signed, op) {
        (true, _) => {
            if negative(a, width) {
                least
            } else {
                least - 1
            }
        }
        (false, BinOp::Sub) => 0,
        (false, _) => mask(width),
    };
    let passes = match op {
        BinOp::Shl => {
            // Doubling step by step.
            let steps = b.min(130) as u32;
            (0..steps)
                .try_fold(a, |x, _| {
                    let passes = if signed {
                        negative(x, width) != bit(x << 1, u32::from(width) - 1)
                    } else {
                        negative(x, width)
                    };
                    (!passes).then(|| x << 1 & mask(width))
                })
                .is_none()
        }
        _ => overflows(op, signed, width, a, b),
    };
    if passes { bound } else { binary(op, width, a, b) }
}

const CANONICAL: [u128; 2] = [0x7fc0_0000, 0x7ff8_0000_0000_0000];

fn canonical32(x: f32) -> u128 {
    if x.is_nan() {
        CANONICAL[0]
    } else {
        x.to_bits().into()
    }
}

fn canonical64(x: f64) -> u128 {
    if x.is_nan() {
        CANONICAL[1]
    } else {
        x.to_bits().into()
    }
}

fn single(a: u128) -> f32 {
    f32::from_bits(a as u32)
}

fn double(a: u128) -> f64 {
    f64::from_bits(a as u64)
}

fn number(width: Width, a: u128) -> f64 {
    if width == 32 { single(a).into() } else { double(a) }
}

fn fbinary(op: FBinOp, width: Width, a: u128, b: u128) -> u128 {
    if width == 64 {
        let (x, y) = (double(a), double(b));
        return canonical64(match op {
            FBinOp::Add => x + y,
            FBinOp::Sub => x - y,
            FBinOp::Mul => x * y,
            FBinOp::Div => x / y,
            FBinOp::Rem => x % y,
        });
    }
    // Doubles have more than twice the bits of singles, so rounding twice is rounding once
    // (Figueroa).
    let (x, y) = (f64::from(single(a)), f64::from(single(b)));
    canonical32(match op {
        FBinOp::Add => x + y,
        FBinOp::Sub => x - y,
        FBinOp::Mul => x * y,
        FBinOp::Div => x / y,
        FBinOp::Rem => x % y,
    } as f32)
}

fn funary(op: FUnOp, width: Width, a: u128) -> u128 {
    let x = number(width, a);
    let result = match op {
        FUnOp::Sqrt => x.sqrt(),
        FUnOp::Floor => x.floor(),
        FUnOp::Ceil => x.ceil(),
        FUnOp::Trunc => x.trunc(),
        FUnOp::Round => x.round(),
        FUnOp::RoundEven => x.round_ties_even(),
    };
    if width == 32 {
        canonical32(result as f32)
    } else {
        canonical64(result)
    }
}

fn fcompare(pred: FPred, width: Width, a: u128, b: u128) -> bool {
    use std::cmp::Ordering::{Equal, Greater, Less};
    let order = number(width, a).partial_cmp(&number(width, b));
    match pred {
        FPred::False => false,
        FPred::True => true,
        FPred::Oeq => order == Some(Equal),
        FPred::Ogt => order == Some(Greater),
        FPred::Oge => matches!(order, Some(Greater | Equal)),
        FPred::Olt => order == Some(Less),
        FPred::Ole => matches!(order, Some(Less | Equal)),
        FPred::One => matches!(order, Some(Less | Greater)),
        FPred::Ord => order.is_some(),
        FPred::Uno => order.is_none(),
        FPred::Ueq => matches!(order, None | Some(Equal)),
        FPred::Ugt => matches!(order, None | Some(Greater)),
        FPred::Uge => matches!(order, None | Some(Greater | Equal)),
        FPred::Ult => matches!(order, None | Some(Less)),
        FPred::Ule => matches!(order, None | Some(Less | Equal)),
        FPred::Une => order != Some(Equal),
    }
}

/// The integer part of a float as sign and magnitude, if it is finite and below 2^128.
fn integer_part(width: Width, a: u128) -> Option<(bool, u128)> {
    let x = number(width, a).trunc();
    let bits = x.abs().to_bits();
    if !x.is_finite() || x.abs() >= 2f64.powi(128) {
        return None;
    }
    let exponent = (bits >> 52) as i32 - 1075;
    let fraction = u128::from(bits & ((1 << 52) - 1) | 1 << 52);
    let magnitude = if x == 0.0 {
        0
    } else if exponent >= 0 {
        fraction << exponent
    } else {
        fraction >> -exponent
    };
    Some((x < 0.0, magnitude))
}

fn fits(signed: bool, to: Width, value: Option<(bool, u128)>) -> bool {
    match (value, signed) {
        (None, _) => false,
        (Some((_, 0)), _) => true,
        (Some((true, m)), true) => m <= 1 << (to - 1),
        (Some((false, m)), true) => m <= mask(to) >> 1,
        (Some((negative, m)), false) => !negative && m <= mask(to),
    }
}

fn to_int(signed: bool, from: Width, to: Width, a: u128) -> u128 {
    let part = integer_part(from, a);
    if let Some((negative, m)) = part
        && fits(signed, to, part)
    {
        return if negative { negate(m, to) } else { m };
    }
    let x = number(from, a);
    match (x.is_nan(), x < 0.0, signed) {
        (true, ..) => 0,
        (_, true, true) => 1 << (to - 1),
        (_, true, false) => 0,
        (_, false, true) => mask(to) >> 1,
        (_, false, false) => mask(to),
    }
}

fn from_int(signed: bool, from: Width, to: Width, a: u128) -> u128 {
    let is_negative = signed && negative(a, from);
    let m = if is_negative { magnitude(a, from) } else { a };
    let (digits, bias, size) = if to == 32 { (24, 127, 23) } else { (53, 1023, 52) };
    if m == 0 {
        return 0;
    }
    let length = 128 - m.leading_zeros();
    let mut exponent = length - 1;
    let mut fraction = m;
    if length > digits {
        // Round the bits that do not fit to the nearest, halves to even.
        let drop = length - digits;
        let (rest, half) = (m & ((1 << drop) - 1), 1u128 << (drop - 1));
        fraction = m >> drop;
        if rest > half || rest == half && fraction & 1 == 1 {
            fraction += 1;
        }
        if fraction >> digits != 0 {
            fraction >>= 1;
            exponent += 1;
        }
    } else {
        fraction <<= digits - length;
    }
    let sign = u128::from(is_negative) << (to - 1);
    if exponent > bias {
        return sign | u128::from(2 * bias + 1) << size;
    }
    sign | u128::from(exponent + bias) << size | fraction & ((1 << size) - 1)
}

fn value(program: &Program, step: &Step, width: Width, inputs: &[u128], values: &[u128]) -> u128 {
    let v = |i: usize| values[i];
    let w = |i: usize| program.steps[i].1;
    match *step {
        Step::Constant(value) => value,
        Step::Input(i) => inputs[i],
        Step::Unary(op, a) => unary(op, width, v(a)),
        Step::Binary(op, a, b) => binary(op, width, v(a), v(b)),
        Step::Compare(op, a, b) => compare(op, w(a), v(a), v(b)).into(),
        Step::Ite(c, a, b) => {
            if v(c) == 1 {
                v(a)
            } else {
                v(b)
            }
        }
        Step::Extract(a, low) => from_bits((0..u32::from(width)).map(|i| bit(v(a), i + u32::from(low)))),
        Step::Truncate(a) => v(a) & mask(width),
        Step::Concat(a, b) => v(a) * (1 << (w(b) - 1)) * 2 + v(b),
        Step::Zext(a) => v(a),
        Step::Sext(a) => from_bits((0..u32::from(width)).map(|i| bit(v(a), i.min(u32::from(w(a)) - 1)))),
        Step::Select(ref table, i) => {
            let last = table.len() - 1;
            v(table[if v(i) > last as u128 { last } else { v(i) as usize }])
        }
        Step::Overflow(op, signed, a, b) => overflows(op, signed, w(a), v(a), v(b)).into(),
        Step::Saturating(op, signed, a, b) => saturating(op, signed, width, v(a), v(b)),
        Step::MinMax(signed, greatest, a, b) => {
            if less(signed, width, v(a), v(b)) == greatest {
                v(b)
            } else {
                v(a)
            }
        }
        Step::Abs(a) => magnitude(v(a), width),
        Step::Funnel(left, a, b, c) => {
            let n = (v(c) % u128::from(width)) as u32;
            let w = u32::from(width);
            // Bit i of the word b:a, low word first.
            let both = |i: u32| if i < w { bit(v(b), i) } else { bit(v(a), i - w) };
            from_bits((0..w).map(|i| if left { both(i + w - n) } else { both(i + n) }))
        }
        Step::FBinary(op, a, b) => fbinary(op, width, v(a), v(b)),
        Step::FUnary(op, a) => funary(op, width, v(a)),
        Step::FCompare(pred, a, b) => fcompare(pred, w(a), v(a), v(b)).into(),
        Step::Fma(a, b, c) => {
            if width == 32 {
                canonical32(single(v(a)).mul_add(single(v(b)), single(v(c))))
            } else {
                canonical64(double(v(a)).mul_add(double(v(b)), double(v(c))))
            }
        }
        Step::FConvert(a) => {
            if width == 32 {
                canonical32(double(v(a)) as f32)
            } else {
                canonical64(single(v(a)).into())
            }
        }
        Step::ToInt(signed, a) => to_int(signed, w(a), width, v(a)),
        Step::ToIntFits(signed, to, a) => {
            let part = integer_part(w(a), v(a));
            u128::from(fits(signed, to, part))
        }
        Step::FromInt(signed, a) => from_int(signed, w(a), width, v(a)),
        Step::FSign(0, a, _) => v(a) ^ 1 << (width - 1),
        Step::FSign(1, a, _) => v(a) & mask(width - 1),
        Step::FSign(_, a, b) => v(a) & mask(width - 1) | v(b) & 1 << (width - 1),
        Step::FMinMax(greatest, a, b) => {
            let (x, y) = (number(width, v(a)), number(width, v(b)));
            let first = if greatest { x >= y } else { x <= y };
            if first || y.is_nan() { v(a) } else { v(b) }
        }
    }
}

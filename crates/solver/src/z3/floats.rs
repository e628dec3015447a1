//! Floats in Z3. This is the only place with `unsafe`, for three conversions that the crate `z3`
//! does not have.
//!
//! Our floats are bits, and operations give one canonical NaN (`selvedge_expr::float`). Z3's floats
//! have one NaN, whose bits are not defined. So bits become a float before each operation, and its
//! result becomes bits, with the canonical NaN written explicitly. Other numbers have the same bits
//! in both.

#![expect(unsafe_code, reason = "conversions that the crate z3 does not offer")]

use super::unsupported::Unsupported;
use ::z3::Sort;
use ::z3::ast::{Ast, BV, Bool, Float, RoundingMode};
use selvedge_expr::{FBinOp, FCmpOp, FUnOp, float};
use z3_sys::{
    Z3_ast, Z3_context, Z3_mk_fpa_to_fp_bv, Z3_mk_fpa_to_fp_signed, Z3_mk_fpa_to_fp_unsigned, Z3_sort,
};

fn sort(width: u8) -> Sort {
    if width == 32 {
        Sort::float32()
    } else {
        Sort::double()
    }
}

fn nearest() -> RoundingMode {
    RoundingMode::round_nearest_ties_to_even()
}

/// The float with these bits.
pub(super) fn from_bits(bits: &BV, width: u8) -> Float {
    let sort = sort(width);
    let context = bits.get_ctx();
    // SAFETY: context, term and sort live during the call and belong together; the bits have the
    // width of the sort. The result is a term of that context, which `wrap` takes a reference of.
    unsafe {
        let term = Z3_mk_fpa_to_fp_bv(context.get_z3_context(), bits.get_z3_ast(), sort.get_z3_sort());
        Float::wrap(context, term.expect("bits as wide as the float"))
    }
}

/// The float nearest to an integer.
pub(super) fn from_int(signed: bool, word: &BV, width: u8) -> Float {
    type Convert = unsafe extern "C" fn(Z3_context, Z3_ast, Z3_ast, Z3_sort) -> Option<Z3_ast>;
    let convert: Convert = if signed {
        Z3_mk_fpa_to_fp_signed
    } else {
        Z3_mk_fpa_to_fp_unsigned
    };
    let (sort, mode) = (sort(width), nearest());
    let context = word.get_ctx();
    // SAFETY: as above; the first term is a rounding mode, the second a bit vector of any width.
    unsafe {
        let term = convert(
            context.get_z3_context(),
            mode.get_z3_ast(),
            word.get_z3_ast(),
            sort.get_z3_sort(),
        );
        Float::wrap(context, term.expect("an integer to convert"))
    }
}

/// The bits of a result.
pub(super) fn bits(result: &Float, width: u8) -> BV {
    let nan = BV::from_u64(float::nan(width) as u64, width.into());
    result.is_nan().ite(&nan, &result.to_ieee_bv())
}

pub(super) fn binary(op: FBinOp, a: &Float, b: &Float) -> Result<Float, Unsupported> {
    let mode = nearest();
    Ok(match op {
        FBinOp::Add => a.add_with_rounding_mode(b, &mode),
        FBinOp::Sub => a.sub_with_rounding_mode(b, &mode),
        FBinOp::Mul => a.mul_with_rounding_mode(b, &mode),
        FBinOp::Div => a.div_with_rounding_mode(b, &mode),
        // Z3's remainder is IEEE's, rounded to the nearest; C's fmod is rounded towards zero.
        FBinOp::Rem => return Err("fmod of symbolic values"),
    })
}

pub(super) fn unary(op: FUnOp, a: &Float) -> Float {
    let mode = match op {
        FUnOp::Sqrt => return a.sqrt(),
        FUnOp::Floor => RoundingMode::round_towards_negative(),
        FUnOp::Ceil => RoundingMode::round_towards_positive(),
        FUnOp::Trunc => RoundingMode::round_towards_zero(),
        FUnOp::Round => RoundingMode::round_nearest_ties_to_away(),
        FUnOp::RoundEven => nearest(),
    };
    a.round_to_integral_with_rounding_mode(&mode)
}

pub(super) fn compare(op: FCmpOp, a: &Float, b: &Float) -> Bool {
    match op {
        FCmpOp::Eq => a.eq_fpa(b),
        FCmpOp::Lt => a.lt(b),
        FCmpOp::Le => a.le(b),
    }
}

/// A float of the other width.
pub(super) fn convert(a: &Float, width: u8) -> Float {
    a.to_fp_with_rounding_mode(&nearest(), &sort(width))
}

/// Rounded towards zero, saturating; a NaN gives 0. Z3 leaves open what does not fit, so those
/// cases are taken out.
pub(super) fn to_int(signed: bool, a: &Float, from: u8, width: u8) -> BV {
    let bits = u32::from(width);
    // The first number that is too large, and the last that is too small or the least; powers of
    // two, so exact (or infinite).
    let (above, below) = if signed {
        (
            2f64.powi(i32::from(width) - 1),
            -(2f64.powi(i32::from(width) - 1)),
        )
    } else {
        (2f64.powi(i32::from(width)), 0.0)
    };
    let number = |value: f64| {
        if from == 32 {
            Float::from_f32(value as f32)
        } else {
            Float::from_f64(value)
        }
    };
    let zero = BV::from_u64(0, bits);
    let ones = zero.bvnot();
    let (greatest, least) = if signed {
        let least = BV::from_u64(1, bits).bvshl(BV::from_u64(u64::from(bits) - 1, bits));
        (least.bvnot(), least)
    } else {
        (ones, zero.clone())
    };
    let mode = RoundingMode::round_towards_zero();
    let inside = if signed {
        a.to_sbv_with_rounding_mode(&mode, bits)
    } else {
        a.to_ubv_with_rounding_mode(&mode, bits)
    };
    let high = a.ge(number(above)).ite(&greatest, &inside);
    let both = a.le(number(below)).ite(&least, &high);
    a.is_nan().ite(&zero, &both)
}

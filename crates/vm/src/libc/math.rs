//! `math.h` for float and double. It uses Rust's standard library, which calls the functions of the
//! host's libm, and the crate `libm` for what that lacks. (`cbrt`, and what comes from the crate,
//! may differ from glibc's in the last bit.)
//!
//! errno is set as in glibc: EDOM if the result is NaN although no argument is, ERANGE if the
//! result is infinite although all arguments are finite (but for `logb`). `long double`, Bessel
//! functions and `lgamma`, which sets a variable, are missing.

use super::{Answer, by_element, bytes, plain};
use crate::native::{Cx, Flow, Native, Stop};
use crate::value::Value;

const EDOM: i32 = 33;
const ERANGE: i32 = 34;

macro_rules! family {
    ($name:expr, $unary:ident, $binary:ident,
     unary: $($u:literal $uf:literal => $uop:ident;)*
     binary: $($b:literal $bf:literal => $bop:expr, $bfop:expr;)*) => {
        match $name {
            $($u => Some(plain!(|cx: &mut Cx<'_>| $unary(cx, f64::$uop))),
              $uf => Some(plain!(|cx: &mut Cx<'_>| single_unary(cx, f32::$uop))),)*
            $($b => Some(plain!(|cx: &mut Cx<'_>| $binary(cx, $bop))),
              $bf => Some(plain!(|cx: &mut Cx<'_>| single_binary(cx, $bfop))),)*
            _ => None,
        }
    };
}

/// The models of this file.
pub fn find(name: &str) -> Option<Native> {
    let found = family!(name, unary, binary,
        unary:
            "sin" "sinf" => sin;
            "cos" "cosf" => cos;
            "tan" "tanf" => tan;
            "asin" "asinf" => asin;
            "acos" "acosf" => acos;
            "atan" "atanf" => atan;
            "sinh" "sinhf" => sinh;
            "cosh" "coshf" => cosh;
            "tanh" "tanhf" => tanh;
            "exp" "expf" => exp;
            "exp2" "exp2f" => exp2;
            "expm1" "expm1f" => exp_m1;
            "log" "logf" => ln;
            "log2" "log2f" => log2;
            "log10" "log10f" => log10;
            "log1p" "log1pf" => ln_1p;
            "sqrt" "sqrtf" => sqrt;
            "cbrt" "cbrtf" => cbrt;
            "floor" "floorf" => floor;
            "ceil" "ceilf" => ceil;
            "round" "roundf" => round;
            "trunc" "truncf" => trunc;
            "rint" "rintf" => round_ties_even;
            "nearbyint" "nearbyintf" => round_ties_even;
            "fabs" "fabsf" => abs;
        binary:
            "pow" "powf" => f64::powf, f32::powf;
            "atan2" "atan2f" => f64::atan2, f32::atan2;
            "hypot" "hypotf" => f64::hypot, f32::hypot;
            "fmod" "fmodf" => |x, y| x % y, |x, y| x % y;
            "fmin" "fminf" => f64::min, f32::min;
            "fmax" "fmaxf" => f64::max, f32::max;
            "copysign" "copysignf" => f64::copysign, f32::copysign;
            "fdim" "fdimf" => |x, y| if x <= y { 0.0 } else { x - y }, |x, y| if x <= y { 0.0 } else { x - y };
    );
    found.or_else(|| other(name))
}

fn other(name: &str) -> Option<Native> {
    Some(match name {
        "acosh" => plain!(|cx: &mut Cx<'_>| unary(cx, libm::acosh)),
        "acoshf" => plain!(|cx: &mut Cx<'_>| single_unary(cx, libm::acoshf)),
        "asinh" => plain!(|cx: &mut Cx<'_>| unary(cx, libm::asinh)),
        "asinhf" => plain!(|cx: &mut Cx<'_>| single_unary(cx, libm::asinhf)),
        "atanh" => plain!(|cx: &mut Cx<'_>| unary(cx, libm::atanh)),
        "atanhf" => plain!(|cx: &mut Cx<'_>| single_unary(cx, libm::atanhf)),
        "erf" => plain!(|cx: &mut Cx<'_>| unary(cx, libm::erf)),
        "erff" => plain!(|cx: &mut Cx<'_>| single_unary(cx, libm::erff)),
        "erfc" => plain!(|cx: &mut Cx<'_>| unary(cx, libm::erfc)),
        "erfcf" => plain!(|cx: &mut Cx<'_>| single_unary(cx, libm::erfcf)),
        "tgamma" => plain!(|cx: &mut Cx<'_>| unary(cx, libm::tgamma)),
        "tgammaf" => plain!(|cx: &mut Cx<'_>| single_unary(cx, libm::tgammaf)),
        "exp10" => plain!(|cx: &mut Cx<'_>| unary(cx, libm::exp10)),
        "exp10f" => plain!(|cx: &mut Cx<'_>| single_unary(cx, libm::exp10f)),
        "logb" => plain!(|cx: &mut Cx<'_>| Ok(return_double(exponent(double(cx, 0)?)))),
        "logbf" => plain!(|cx: &mut Cx<'_>| {
            let x = single(cx, 0)?;
            Ok(return_single(exponent(x.into()) as f32))
        }),
        "ilogb" => plain!(|cx: &mut Cx<'_>| whole_exponent(cx, false)),
        "ilogbf" => plain!(|cx: &mut Cx<'_>| whole_exponent(cx, true)),
        "remainder" | "drem" => plain!(|cx: &mut Cx<'_>| binary(cx, libm::remainder)),
        "remainderf" | "dremf" => plain!(|cx: &mut Cx<'_>| single_binary(cx, libm::remainderf)),
        "nextafter" => plain!(|cx: &mut Cx<'_>| binary(cx, libm::nextafter)),
        "nextafterf" => plain!(|cx: &mut Cx<'_>| single_binary(cx, libm::nextafterf)),
        "remquo" => by_element!(remquo),
        "remquof" => by_element!(remquof),
        "sincos" => by_element!(sincos),
        "sincosf" => by_element!(sincosf),
        "nan" => plain!(|cx: &mut Cx<'_>| no_number(cx).map(return_double)),
        "nanf" => plain!(|cx: &mut Cx<'_>| no_number(cx).map(|nan| return_single(nan as f32))),
        "scalbln" => plain!(|cx: &mut Cx<'_>| ldexp(cx, false)),
        "scalblnf" => plain!(|cx: &mut Cx<'_>| ldexp(cx, true)),
        "fma" => plain!(fma),
        "fmaf" => plain!(fmaf),
        "ldexp" | "scalbn" => plain!(|cx: &mut Cx<'_>| ldexp(cx, false)),
        "ldexpf" | "scalbnf" => plain!(|cx: &mut Cx<'_>| ldexp(cx, true)),
        "frexp" => by_element!(frexp),
        "frexpf" => by_element!(frexpf),
        "modf" => by_element!(modf),
        "modff" => by_element!(modff),
        "lround" | "llround" => plain!(|cx: &mut Cx<'_>| to_long(cx, false, f64::round)),
        "lroundf" | "llroundf" => plain!(|cx: &mut Cx<'_>| to_long(cx, true, f64::round)),
        "lrint" | "llrint" => plain!(|cx: &mut Cx<'_>| to_long(cx, false, f64::round_ties_even)),
        "lrintf" | "llrintf" => plain!(|cx: &mut Cx<'_>| to_long(cx, true, f64::round_ties_even)),
        "difftime" => plain!(difftime),
        "__isnan" | "isnan" => plain!(|cx: &mut Cx<'_>| test(cx, |x| x.is_nan().into())),
        "__isinf" | "isinf" => {
            plain!(|cx: &mut Cx<'_>| test(cx, |x| i32::from(x.is_infinite()) * x.signum() as i32))
        }
        "__finite" | "finite" => plain!(|cx: &mut Cx<'_>| test(cx, |x| x.is_finite().into())),
        "__signbit" => plain!(|cx: &mut Cx<'_>| test(cx, |x| x.is_sign_negative().into())),
        "__fpclassify" => plain!(|cx: &mut Cx<'_>| test(cx, classify)),
        _ => return None,
    })
}

fn double(cx: &mut Cx<'_>, at: usize) -> Result<f64, Stop> {
    Ok(f64::from_bits(cx.word(at)?))
}

fn single(cx: &mut Cx<'_>, at: usize) -> Result<f32, Stop> {
    Ok(f32::from_bits(cx.word(at)? as u32))
}

fn return_double(value: f64) -> Flow {
    Flow::word(value.to_bits())
}

fn return_single(value: f32) -> Flow {
    Flow::word(u64::from(value.to_bits()))
}

/// Sets errno if the result shows a domain error or a range error.
fn check(cx: &mut Cx<'_>, arguments: &[f64], result: f64) -> Result<(), Stop> {
    if result.is_nan() && !arguments.iter().any(|x| x.is_nan()) {
        cx.set_errno(EDOM)?;
    } else if result.is_infinite() && arguments.iter().all(|x| x.is_finite()) {
        cx.set_errno(ERANGE)?;
    }
    Ok(())
}

fn unary(cx: &mut Cx<'_>, function: fn(f64) -> f64) -> Answer {
    let x = double(cx, 0)?;
    let result = function(x);
    check(cx, &[x], result)?;
    Ok(return_double(result))
}

fn single_unary(cx: &mut Cx<'_>, function: fn(f32) -> f32) -> Answer {
    let x = single(cx, 0)?;
    let result = function(x);
    check(cx, &[x.into()], result.into())?;
    Ok(return_single(result))
}

fn binary(cx: &mut Cx<'_>, function: fn(f64, f64) -> f64) -> Answer {
    let (x, y) = (double(cx, 0)?, double(cx, 1)?);
    let result = function(x, y);
    check(cx, &[x, y], result)?;
    Ok(return_double(result))
}

fn single_binary(cx: &mut Cx<'_>, function: fn(f32, f32) -> f32) -> Answer {
    let (x, y) = (single(cx, 0)?, single(cx, 1)?);
    let result = function(x, y);
    check(cx, &[x.into(), y.into()], result.into())?;
    Ok(return_single(result))
}

fn fma(cx: &mut Cx<'_>) -> Answer {
    let (x, y, z) = (double(cx, 0)?, double(cx, 1)?, double(cx, 2)?);
    Ok(return_double(x.mul_add(y, z)))
}

fn fmaf(cx: &mut Cx<'_>) -> Answer {
    let (x, y, z) = (single(cx, 0)?, single(cx, 1)?, single(cx, 2)?);
    Ok(return_single(x.mul_add(y, z)))
}

/// x · 2^n, rounded once.
fn scale(x: f64, n: i32) -> f64 {
    if x == 0.0 || !x.is_finite() {
        return x;
    }
    let (fraction, exponent) = split(x);
    let n = n.clamp(-5000, 5000) + exponent;
    if n >= -1021 {
        fraction * 2f64.powi(n / 2) * 2f64.powi(n - n / 2)
    } else {
        // The first product is exact, so only the last one rounds.
        fraction * 2f64.powi(-1021) * 2f64.powi(n + 1021)
    }
}

fn ldexp(cx: &mut Cx<'_>, narrow: bool) -> Answer {
    // An int or, for scalbln, a long.
    let n = match cx.types.get(1).map(|ty| ty.bits()) {
        Some(64) => (cx.word(1)? as i64).clamp(-5000, 5000) as i32,
        _ => cx.int(1)?,
    };
    if narrow {
        let x = single(cx, 0)?;
        let result = scale(x.into(), n) as f32;
        check(cx, &[x.into()], result.into())?;
        return Ok(return_single(result));
    }
    let x = double(cx, 0)?;
    let result = scale(x, n);
    check(cx, &[x], result)?;
    Ok(return_double(result))
}

/// A fraction in [0.5, 1) and an exponent of two. Returns (x, 0) for zero, infinities and NaN.
fn split(x: f64) -> (f64, i32) {
    if x == 0.0 || !x.is_finite() {
        return (x, 0);
    }
    let (x, shift) = if x.abs() < f64::MIN_POSITIVE {
        (x * 2f64.powi(54), 54)
    } else {
        (x, 0)
    };
    let bits = x.to_bits();
    let exponent = (bits >> 52) as i32 & 0x7ff;
    (
        f64::from_bits(bits & !(0x7ff << 52) | 1022 << 52),
        exponent - 1022 - shift,
    )
}

fn frexp(cx: &mut Cx<'_>) -> Answer {
    let (fraction, exponent) = split(double(cx, 0)?);
    let out = cx.word(1)?;
    super::stepped::store(cx, out, 4, Value::new(u64::from(exponent as u32)))?;
    Ok(return_double(fraction))
}

fn frexpf(cx: &mut Cx<'_>) -> Answer {
    let (fraction, exponent) = split(single(cx, 0)?.into());
    let out = cx.word(1)?;
    super::stepped::store(cx, out, 4, Value::new(u64::from(exponent as u32)))?;
    Ok(return_single(fraction as f32))
}

fn modf(cx: &mut Cx<'_>) -> Answer {
    let (x, out) = (double(cx, 0)?, cx.word(1)?);
    super::stepped::store(cx, out, 8, Value::new(x.trunc().to_bits()))?;
    let rest = if x.is_infinite() { 0.0 } else { x - x.trunc() };
    Ok(return_double(rest.copysign(x)))
}

fn modff(cx: &mut Cx<'_>) -> Answer {
    let (x, out) = (single(cx, 0)?, cx.word(1)?);
    super::stepped::store(cx, out, 4, Value::new(u64::from(x.trunc().to_bits())))?;
    let rest = if x.is_infinite() { 0.0 } else { x - x.trunc() };
    Ok(return_single(rest.copysign(x)))
}

/// `nan` of a text, which may say which of them.
fn no_number(cx: &mut Cx<'_>) -> Result<f64, Stop> {
    let address = cx.word(0)?;
    if !bytes::string(cx, address, "text of a NaN")?.is_empty() {
        return Err(Flow::Unsupported("a NaN with a payload".into()));
    }
    Ok(f64::NAN)
}

/// The exponent of a number as a number.
fn exponent(x: f64) -> f64 {
    match x.classify() {
        std::num::FpCategory::Nan => x,
        std::num::FpCategory::Infinite => f64::INFINITY,
        std::num::FpCategory::Zero => f64::NEG_INFINITY,
        _ => f64::from(split(x).1 - 1),
    }
}

/// `ilogb`: what is no finite number but 0 has the exponents of glibc.
fn whole_exponent(cx: &mut Cx<'_>, narrow: bool) -> Answer {
    let x = if narrow {
        single(cx, 0)?.into()
    } else {
        double(cx, 0)?
    };
    let result = match x.classify() {
        std::num::FpCategory::Nan | std::num::FpCategory::Zero => i32::MIN,
        std::num::FpCategory::Infinite => i32::MAX,
        _ => return Ok(Flow::int(split(x).1 - 1)),
    };
    cx.set_errno(EDOM)?;
    Ok(Flow::int(result))
}

/// What glibc gives of a quotient: the lowest three bits of its whole part, one more if it was
/// rounded up, and its sign. (C asks that it be right modulo 8.)
const fn low_bits(quotient: i32, rounded_up: bool) -> u64 {
    let more = rounded_up as u32;
    let bits = ((quotient.unsigned_abs() - more) & 7) + more;
    (if quotient < 0 {
        0u32.wrapping_sub(bits)
    } else {
        bits
    }) as u64
}

fn remquo(cx: &mut Cx<'_>) -> Answer {
    let (x, y, out) = (double(cx, 0)?, double(cx, 1)?, cx.word(2)?);
    let (rest, quotient) = libm::remquo(x, y);
    let bits = low_bits(quotient, rest != 0.0 && (rest < 0.0) != (x < 0.0));
    super::stepped::store(cx, out, 4, Value::new(bits))?;
    check(cx, &[x, y], rest)?;
    Ok(return_double(rest))
}

fn remquof(cx: &mut Cx<'_>) -> Answer {
    let (x, y, out) = (single(cx, 0)?, single(cx, 1)?, cx.word(2)?);
    let (rest, quotient) = libm::remquof(x, y);
    let bits = low_bits(quotient, rest != 0.0 && (rest < 0.0) != (x < 0.0));
    super::stepped::store(cx, out, 4, Value::new(bits))?;
    check(cx, &[x.into(), y.into()], rest.into())?;
    Ok(return_single(rest))
}

fn sincos(cx: &mut Cx<'_>) -> Answer {
    let (x, sine, cosine) = (double(cx, 0)?, cx.word(1)?, cx.word(2)?);
    super::stepped::store(cx, sine, 8, Value::new(x.sin().to_bits()))?;
    super::stepped::store(cx, cosine, 8, Value::new(x.cos().to_bits()))?;
    check(cx, &[x], x.sin())?;
    Ok(Flow::void())
}

fn sincosf(cx: &mut Cx<'_>) -> Answer {
    let (x, sine, cosine) = (single(cx, 0)?, cx.word(1)?, cx.word(2)?);
    super::stepped::store(cx, sine, 4, Value::new(u64::from(x.sin().to_bits())))?;
    super::stepped::store(cx, cosine, 4, Value::new(u64::from(x.cos().to_bits())))?;
    check(cx, &[x.into()], x.sin().into())?;
    Ok(Flow::void())
}

fn to_long(cx: &mut Cx<'_>, narrow: bool, round: fn(f64) -> f64) -> Answer {
    let x = if narrow {
        single(cx, 0)?.into()
    } else {
        double(cx, 0)?
    };
    let rounded = round(x);
    // A number that does not fit gives the smallest integer, like the processor's conversion.
    let fits = (-9_223_372_036_854_775_808.0..9_223_372_036_854_775_808.0).contains(&rounded);
    Ok(Flow::word(if fits {
        rounded as i64 as u64
    } else {
        i64::MIN as u64
    }))
}

fn difftime(cx: &mut Cx<'_>) -> Answer {
    let (end, start) = (cx.word(0)? as i64, cx.word(1)? as i64);
    Ok(return_double(end.wrapping_sub(start) as f64))
}

fn test(cx: &mut Cx<'_>, function: fn(f64) -> i32) -> Answer {
    Ok(Flow::int(function(double(cx, 0)?)))
}

fn classify(x: f64) -> i32 {
    match x.classify() {
        std::num::FpCategory::Nan => 0,
        std::num::FpCategory::Infinite => 1,
        std::num::FpCategory::Zero => 2,
        std::num::FpCategory::Subnormal => 3,
        std::num::FpCategory::Normal => 4,
    }
}

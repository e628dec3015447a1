//! The functions of `<math.h>` that only compute numbers.

/// Functions that only compute numbers.
pub(super) fn is_mathematical(name: &str) -> bool {
    let base = name.strip_suffix('f').unwrap_or(name);
    let one = |n: &str| {
        matches!(
            n,
            "acos"
                | "acosh"
                | "asin"
                | "asinh"
                | "atan"
                | "atan2"
                | "atanh"
                | "cbrt"
                | "ceil"
                | "copysign"
                | "cos"
                | "cosh"
                | "drem"
                | "erf"
                | "erfc"
                | "exp"
                | "exp10"
                | "exp2"
                | "expm1"
                | "fabs"
                | "fdim"
                | "floor"
                | "fmax"
                | "fmin"
                | "fmod"
                | "hypot"
                | "ilogb"
                | "ldexp"
                | "log"
                | "log10"
                | "log1p"
                | "log2"
                | "logb"
                | "nearbyint"
                | "nextafter"
                | "pow"
                | "remainder"
                | "rint"
                | "round"
                | "scalbln"
                | "scalbn"
                | "sin"
                | "sinh"
                | "sqrt"
                | "tan"
                | "tanh"
                | "tgamma"
                | "trunc"
        )
    };
    one(name) || one(base)
}

//! The functions that the text defines for itself, by name, with their definitions.

use crate::bits::mask;
use crate::node::{FBinOp, FCmpOp, FUnOp, UnOp, Width};
use std::fmt::Write;

/// What all of their names begin with.
pub(super) const PREFIX: &str = "selvedge_";

/// A function of the text.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Helper {
    /// A count or reversal of a value of this width.
    Unary(UnOp, Width),
    /// `mul_overflows` of values of this width, signed or not.
    MulOverflows(bool, Width),
    /// The element of a table: so many elements of this width, then the index of that width.
    Select(usize, Width, Width),
    FBinary(FBinOp, Width),
    FUnary(FUnOp, Width),
    FCompare(FCmpOp, Width),
    Fma(Width),
    /// From, to.
    FConvert(Width, Width),
    ToInt(bool, Width, Width),
    FromInt(bool, Width, Width),
}

const UNARY: [(UnOp, &str); 4] = [
    (UnOp::Ctpop, "ctpop"),
    (UnOp::Ctlz, "ctlz"),
    (UnOp::Cttz, "cttz"),
    (UnOp::BitReverse, "bitreverse"),
];
const FBINARY: [(FBinOp, &str); 5] = [
    (FBinOp::Add, "fadd"),
    (FBinOp::Sub, "fsub"),
    (FBinOp::Mul, "fmul"),
    (FBinOp::Div, "fdiv"),
    (FBinOp::Rem, "fmod"),
];
const FUNARY: [(FUnOp, &str); 6] = [
    (FUnOp::Sqrt, "fsqrt"),
    (FUnOp::Floor, "ffloor"),
    (FUnOp::Ceil, "fceil"),
    (FUnOp::Trunc, "ftrunc"),
    (FUnOp::Round, "fround"),
    (FUnOp::RoundEven, "froundeven"),
];
const FCOMPARE: [(FCmpOp, &str); 3] = [(FCmpOp::Eq, "feq"), (FCmpOp::Lt, "flt"), (FCmpOp::Le, "fle")];
const SIGNED: [(bool, &str); 2] = [(true, "s"), (false, "u")];

fn name_in<T: PartialEq + Copy>(table: &[(T, &'static str)], op: T) -> &'static str {
    table
        .iter()
        .find(|(o, _)| *o == op)
        .map_or("unknown", |(_, name)| name)
}

fn op_in<T: PartialEq + Copy>(table: &[(T, &'static str)], name: &str) -> Option<T> {
    table.iter().find(|(_, n)| *n == name).map(|(op, _)| *op)
}

impl Helper {
    /// Its name in the text.
    pub(super) fn name(self) -> String {
        match self {
            Helper::Unary(op, w) => format!("{PREFIX}{}_{w}", name_in(&UNARY, op)),
            Helper::MulOverflows(s, w) => format!("{PREFIX}{}mulo_{w}", name_in(&SIGNED, s)),
            Helper::Select(n, w, i) => format!("{PREFIX}select_{n}_{w}_{i}"),
            Helper::FBinary(op, w) => format!("{PREFIX}{}_{w}", name_in(&FBINARY, op)),
            Helper::FUnary(op, w) => format!("{PREFIX}{}_{w}", name_in(&FUNARY, op)),
            Helper::FCompare(op, w) => format!("{PREFIX}{}_{w}", name_in(&FCOMPARE, op)),
            Helper::Fma(w) => format!("{PREFIX}fma_{w}"),
            Helper::FConvert(from, to) => format!("{PREFIX}fconvert_{from}_{to}"),
            Helper::ToInt(s, from, to) => format!("{PREFIX}to{}_{from}_{to}", name_in(&SIGNED, s)),
            Helper::FromInt(s, from, to) => format!("{PREFIX}from{}_{from}_{to}", name_in(&SIGNED, s)),
        }
    }

    /// The function with this name.
    pub(super) fn from_name(name: &str) -> Option<Helper> {
        let mut parts = name.strip_prefix(PREFIX)?.split('_');
        let kind = parts.next()?;
        let numbers: Vec<usize> = parts.map(|p| p.parse().ok()).collect::<Option<_>>()?;
        let width = |i: usize| {
            let w = *numbers.get(i)?;
            (1..=128).contains(&w).then_some(w as Width)
        };
        let float = |i: usize| width(i).filter(|w| [32, 64].contains(w));
        let (first, second) = (width(0), width(1));
        let helper = match (kind, numbers.len()) {
            ("select", 3) if numbers[0] > 0 => Helper::Select(numbers[0], second?, width(2)?),
            ("smulo" | "umulo", 1) => Helper::MulOverflows(kind == "smulo", first?),
            ("fma", 1) => Helper::Fma(float(0)?),
            ("fconvert", 2) => Helper::FConvert(float(0)?, float(1)?),
            ("tos" | "tou", 2) => Helper::ToInt(kind == "tos", float(0)?, second?),
            ("froms" | "fromu", 2) => Helper::FromInt(kind == "froms", first?, float(1)?),
            (_, 1) => {
                if let Some(op) = op_in(&UNARY, kind) {
                    Helper::Unary(op, first?)
                } else if let Some(op) = op_in(&FBINARY, kind) {
                    Helper::FBinary(op, float(0)?)
                } else if let Some(op) = op_in(&FUNARY, kind) {
                    Helper::FUnary(op, float(0)?)
                } else {
                    Helper::FCompare(op_in(&FCOMPARE, kind)?, float(0)?)
                }
            }
            _ => return None,
        };
        Some(helper)
    }

    /// How many parameters it has.
    pub(super) fn arity(self) -> usize {
        match self {
            Helper::Unary(..)
            | Helper::FUnary(..)
            | Helper::FConvert(..)
            | Helper::ToInt(..)
            | Helper::FromInt(..) => 1,
            Helper::MulOverflows(..) | Helper::FBinary(..) | Helper::FCompare(..) => 2,
            Helper::Fma(_) => 3,
            Helper::Select(n, ..) => n.saturating_add(1),
        }
    }

    /// The widths of its parameters.
    pub(super) fn parameters(self) -> Vec<Width> {
        match self {
            Helper::Unary(_, w) | Helper::FUnary(_, w) => vec![w],
            Helper::MulOverflows(_, w) | Helper::FBinary(_, w) | Helper::FCompare(_, w) => vec![w, w],
            Helper::Select(n, w, i) => (0..n).map(|_| w).chain([i]).collect(),
            Helper::Fma(w) => vec![w, w, w],
            Helper::FConvert(from, _) | Helper::ToInt(_, from, _) | Helper::FromInt(_, from, _) => vec![from],
        }
    }

    /// The width of its result; `None`: it is a Bool.
    fn result(self) -> Option<Width> {
        match self {
            Helper::Unary(_, w)
            | Helper::Select(_, w, _)
            | Helper::FBinary(_, w)
            | Helper::FUnary(_, w)
            | Helper::Fma(w)
            | Helper::FConvert(_, w)
            | Helper::ToInt(_, _, w)
            | Helper::FromInt(_, _, w) => Some(w),
            Helper::MulOverflows(..) | Helper::FCompare(..) => None,
        }
    }

    /// Whether its result is a Bool.
    pub(super) fn is_bool(self) -> bool {
        self.result().is_none()
    }

    /// Its definition, one command.
    pub(super) fn definition(self) -> String {
        let name = self.name();
        let widths = self.parameters();
        let result = self
            .result()
            .map_or("Bool".to_owned(), |w| format!("(_ BitVec {w})"));
        let Some(body) = self.body() else {
            let sorts: Vec<String> = widths.iter().map(|w| format!("(_ BitVec {w})")).collect();
            return format!("(declare-fun {name} ({}) {result})\n", sorts.join(" "));
        };
        let parameters: Vec<String> = widths
            .iter()
            .enumerate()
            .map(|(i, w)| format!("(x{i} (_ BitVec {w}))"))
            .collect();
        format!(
            "(define-fun {name} ({}) {result}\n  {body})\n",
            parameters.join(" ")
        )
    }

    fn body(self) -> Option<String> {
        Some(match self {
            Helper::Unary(op, w) => unary_body(op, w),
            Helper::MulOverflows(signed, w) => mul_overflows_body(signed, w),
            Helper::Select(n, _, index) => select_body(n, index),
            Helper::FBinary(FBinOp::Rem, _) => return None,
            Helper::FBinary(op, w) => {
                let op = match op {
                    FBinOp::Add => "add",
                    FBinOp::Sub => "sub",
                    FBinOp::Mul => "mul",
                    _ => "div",
                };
                to_bits(&format!("(fp.{op} RNE {} {})", float("x0", w), float("x1", w)), w)
            }
            Helper::FUnary(op, w) => {
                let x = float("x0", w);
                let result = match op {
                    FUnOp::Sqrt => format!("(fp.sqrt RNE {x})"),
                    FUnOp::Floor => format!("(fp.roundToIntegral RTN {x})"),
                    FUnOp::Ceil => format!("(fp.roundToIntegral RTP {x})"),
                    FUnOp::Trunc => format!("(fp.roundToIntegral RTZ {x})"),
                    FUnOp::Round => format!("(fp.roundToIntegral RNA {x})"),
                    FUnOp::RoundEven => format!("(fp.roundToIntegral RNE {x})"),
                };
                to_bits(&result, w)
            }
            Helper::FCompare(op, w) => {
                let op = match op {
                    FCmpOp::Eq => "eq",
                    FCmpOp::Lt => "lt",
                    FCmpOp::Le => "leq",
                };
                format!("(fp.{op} {} {})", float("x0", w), float("x1", w))
            }
            Helper::Fma(w) => {
                let [a, b, c] = ["x0", "x1", "x2"].map(|x| float(x, w));
                to_bits(&format!("(fp.fma RNE {a} {b} {c})"), w)
            }
            Helper::FConvert(from, to) => to_bits(&format!("({} RNE {})", to_fp(to), float("x0", from)), to),
            Helper::ToInt(signed, from, to) => to_int_body(signed, from, to),
            Helper::FromInt(signed, _, to) => {
                let convert = if signed {
                    to_fp(to)
                } else {
                    to_fp(to).replace("to_fp", "to_fp_unsigned")
                };
                to_bits(&format!("({convert} RNE x0)"), to)
            }
        })
    }
}

/// A constant.
pub(super) fn constant(value: u128, width: Width) -> String {
    if width.is_multiple_of(4) {
        format!("#x{value:0digits$x}", digits = usize::from(width) / 4)
    } else {
        format!("#b{value:0digits$b}", digits = usize::from(width))
    }
}

fn unary_body(op: UnOp, w: Width) -> String {
    let bit = |i: Width| format!("((_ extract {i} {i}) x0)");
    let extended = |i: Width| match w {
        1 => bit(i),
        _ => format!("((_ zero_extend {}) {})", w - 1, bit(i)),
    };
    match op {
        UnOp::Ctpop if w == 1 => "x0".to_owned(),
        UnOp::Ctpop => (0..w).fold("(bvadd".to_owned(), |s, i| s + " " + &extended(i)) + ")",
        UnOp::Ctlz => (0..w).fold(constant(u128::from(w), w), |s, i| {
            format!(
                "(ite (= {} #b1) {} {s})",
                bit(i),
                constant(u128::from(w - 1 - i), w)
            )
        }),
        UnOp::Cttz => (0..w).rev().fold(constant(u128::from(w), w), |s, i| {
            format!("(ite (= {} #b1) {} {s})", bit(i), constant(u128::from(i), w))
        }),
        _ if w == 1 => "x0".to_owned(),
        _ => (0..w).fold("(concat".to_owned(), |s, i| s + " " + &bit(i)) + ")",
    }
}

fn mul_overflows_body(signed: bool, w: Width) -> String {
    let extend = if signed { "sign_extend" } else { "zero_extend" };
    let product = format!("(bvmul ((_ {extend} {w}) x0) ((_ {extend} {w}) x1))");
    let low = format!("((_ {extend} {w}) (bvmul x0 x1))");
    format!("(not (= {product} {low}))")
}

fn select_body(n: usize, index: Width) -> String {
    let mut body = String::new();
    for i in 0..n - 1 {
        // A constant wider than the index cannot be met.
        if i as u128 > mask(index) {
            break;
        }
        let _ = write!(body, "(ite (= x{n} {}) x{i} ", constant(i as u128, index));
    }
    let opened = body.matches("(ite").count();
    body + &format!("x{}", n - 1) + &")".repeat(opened)
}

fn to_fp(w: Width) -> String {
    if w == 32 {
        "(_ to_fp 8 24)"
    } else {
        "(_ to_fp 11 53)"
    }
    .to_owned()
}

fn float(x: &str, w: Width) -> String {
    format!("({} {x})", to_fp(w))
}

/// The bits of a float, of a NaN the canonical ones.
fn to_bits(value: &str, w: Width) -> String {
    let nan = constant(crate::float::nan(w), w);
    format!("(let ((r {value})) (ite (fp.isNaN r) {nan} (fp.to_ieee_bv r)))")
}

fn to_int_body(signed: bool, from: Width, to: Width) -> String {
    let power = |exponent: u32, negative: bool| {
        let sign = if negative { -1.0 } else { 1.0 };
        let bits = if from == 32 {
            u128::from((sign as f32 * 2f32.powi(exponent as i32)).to_bits())
        } else {
            u128::from((sign * 2f64.powi(exponent as i32)).to_bits())
        };
        float(&constant(bits, from), from)
    };
    let w = u32::from(to);
    let (least, beyond, bottom, top, convert) = if signed {
        (
            power(w - 1, true),
            power(w - 1, false),
            1 << (to - 1),
            mask(to) >> 1,
            "to_sbv",
        )
    } else {
        (
            float(&constant(0, from), from),
            power(w, false),
            0,
            mask(to),
            "to_ubv",
        )
    };
    format!(
        "(let ((r {})) (ite (fp.isNaN r) {} (ite (fp.leq r {least}) {} (ite (fp.geq r {beyond}) {} ((_ fp.{convert} {to}) RTZ r)))))",
        float("x0", from),
        constant(0, to),
        constant(bottom, to),
        constant(top, to),
    )
}

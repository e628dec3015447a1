//! Symbolic values in the output of a program. The output keeps them as symbolic values. They
//! become text only when the output is displayed, by the inputs of the path's model. So printing
//! never splits the values of an input.

use super::format::{self, Count, Layout, Length, Spec};
use super::format_float;
use crate::value::Value;

/// A conversion whose argument is symbolic.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Hole {
    /// The position of its mark in the output.
    pub at: usize,
    /// The conversion: of one number or character, with literal width and precision.
    pub spec: Spec,
    /// The argument.
    pub value: Value,
}

/// The placeholder of a symbolic value in the output.
pub(crate) const MARK: &[u8] = b"<symbolic>";

/// A single character.
pub(super) const CHARACTER: Spec = Spec {
    layout: Layout {
        left: false,
        plus: false,
        space: false,
        alternate: false,
        zero: false,
        width: 0,
        precision: None,
    },
    width: Count::Number(0),
    precision: None,
    length: Length::Int,
    conversion: b'c',
    len: 1,
};

/// Whether width and precision of a conversion are literal.
pub(super) fn is_fixed(spec: &Spec) -> bool {
    matches!(spec.width, Count::Number(_)) && !matches!(spec.precision, Some(Count::Argument))
}

/// Whether a conversion takes exactly one number or character.
pub(super) fn is_numeric(spec: &Spec) -> bool {
    is_fixed(spec)
        && match spec.conversion {
            b'd' | b'i' | b'u' | b'x' | b'X' | b'o' | b'b' | b'B' | b'p' => true,
            b'c' => spec.length == Length::Int,
            _ => is_float(spec) && spec.length != Length::LongDouble,
        }
}

/// Whether a conversion takes a `double`.
pub(super) fn is_float(spec: &Spec) -> bool {
    matches!(spec.conversion.to_ascii_lowercase(), b'f' | b'e' | b'g' | b'a')
}

/// The number of bits of an integer argument that a conversion uses.
pub(super) fn bits(spec: &Spec) -> u32 {
    match (spec.conversion, spec.length) {
        (b'c', _) | (_, Length::Char) => 8,
        (b'p', _) | (_, Length::Long | Length::LongDouble) => 64,
        (_, Length::Short) => 16,
        (_, Length::Int) => 32,
    }
}

/// The text of a number or character.
pub(super) fn number(spec: &Spec, layout: &Layout, value: u64) -> Vec<u8> {
    let bits = bits(spec);
    let masked = value & (u64::MAX >> (64 - bits));
    match spec.conversion {
        b'c' => format::pad(layout, "", &[masked as u8], false),
        b'p' => format::pointer(layout, value),
        _ if is_float(spec) => format_float::float(layout, spec.conversion, f64::from_bits(value)),
        _ => format::integer(layout, spec.conversion, masked, bits),
    }
}

/// Replaces the marks in the output by text. `holes` are in order.
pub(crate) fn fill(output: &[u8], holes: &[Hole], mut evaluate: impl FnMut(Value) -> u64) -> Vec<u8> {
    let (mut text, mut from) = (Vec::with_capacity(output.len()), 0);
    for hole in holes {
        text.extend_from_slice(&output[from..hole.at]);
        let mut layout = hole.spec.layout;
        if let Count::Number(width) = hole.spec.width {
            layout.width = width;
        }
        if let Some(Count::Number(precision)) = hole.spec.precision {
            layout.precision = Some(precision);
        }
        text.extend(number(&hole.spec, &layout, evaluate(hole.value)));
        from = hole.at + MARK.len();
    }
    text.extend_from_slice(&output[from..]);
    text
}

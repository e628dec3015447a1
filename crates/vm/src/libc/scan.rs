//! Parses floating-point numbers (strtod and related functions), and helps the C code of the model
//! library where C cannot express something.

use super::{Answer, by_element, bytes, plain, stepped};
use crate::native::{Cx, Flow, Native, Stop};
use crate::value::Value;

const ERANGE: i32 = 34;

/// The models of this file.
pub fn find(name: &str) -> Option<Native> {
    Some(match name {
        "strtod" => by_element!(|cx: &mut Cx<'_>| parse(cx, true, Width::Double)),
        "strtof" => by_element!(|cx: &mut Cx<'_>| parse(cx, true, Width::Float)),
        "atof" => by_element!(|cx: &mut Cx<'_>| parse(cx, false, Width::Double)),
        // Reports that something is unsupported, with a text.
        "__selvedge_unsupported" => plain!(unsupported),
        _ => return None,
    })
}

fn unsupported(cx: &mut Cx<'_>) -> Answer {
    let text = cx.word(0)?;
    let text = bytes::string(cx, text, "text")?;
    Err(Flow::Unsupported(String::from_utf8_lossy(&text).into_owned()))
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Width {
    Float,
    Double,
}

/// The number at the start of a text. If `end` is set, there is an argument for the address after
/// it, which is stored.
fn parse(cx: &mut Cx<'_>, end: bool, width: Width) -> Answer {
    let address = cx.word(0)?;
    let text = bytes::string(cx, address, "character of a number")?;
    let begin = text.iter().take_while(|b| b" \t\n\r\x0b\x0c".contains(b)).count();
    let number = number_length(&text[begin..])?;
    if end && cx.word(1)? != 0 {
        let (out, behind) = (cx.word(1)?, if number == 0 { 0 } else { begin + number });
        stepped::store(cx, out, 8, Value::new(address + behind as u64))?;
    }
    let digits = std::str::from_utf8(&text[begin..begin + number]).unwrap_or_default();
    let nonzero = digits
        .bytes()
        .take_while(|b| !b"eE".contains(b))
        .any(|b| b.is_ascii_digit() && b != b'0');
    let named = digits.bytes().any(|b| b"iInN".contains(&b));
    let (bits, out_of_range) = match width {
        Width::Double => {
            let value: f64 = digits.parse().unwrap_or(0.0);
            let small = nonzero && value.abs() < f64::MIN_POSITIVE;
            (value.to_bits(), small || value.is_infinite() && !named)
        }
        Width::Float => {
            let value: f32 = digits.parse().unwrap_or(0.0);
            let small = nonzero && value.abs() < f32::MIN_POSITIVE;
            (u64::from(value.to_bits()), small || value.is_infinite() && !named)
        }
    };
    if out_of_range {
        cx.set_errno(ERANGE)?;
    }
    Ok(Flow::word(bits))
}

/// The number of bytes of the number at the start of a text.
fn number_length(text: &[u8]) -> Result<usize, Stop> {
    let at = |i: usize| text.get(i).copied().unwrap_or(0).to_ascii_lowercase();
    let sign = usize::from(matches!(at(0), b'+' | b'-'));
    if at(sign) == b'0' && at(sign + 1) == b'x' && (at(sign + 2).is_ascii_hexdigit() || at(sign + 2) == b'.')
    {
        return Err(Flow::Unsupported("a hexadecimal number with a fraction".into()));
    }
    let word = |word: &[u8]| (0..word.len()).all(|i| at(sign + i) == word[i]);
    for name in [&b"infinity"[..], b"inf", b"nan"] {
        if word(name) {
            if name == b"nan" && at(sign + 3) == b'(' {
                return Err(Flow::Unsupported("nan with a payload".into()));
            }
            return Ok(sign + name.len());
        }
    }
    let digits = |from: usize| (from..).take_while(|&i| at(i).is_ascii_digit()).count();
    let whole = digits(sign);
    let mut end = sign + whole;
    let mut fraction = 0;
    if at(end) == b'.' {
        fraction = digits(end + 1);
        if whole + fraction > 0 {
            end += 1 + fraction;
        }
    }
    if whole + fraction == 0 {
        return Ok(0);
    }
    if at(end) == b'e' {
        let sign = usize::from(matches!(at(end + 1), b'+' | b'-'));
        let exponent = digits(end + 1 + sign);
        if exponent > 0 {
            end += 1 + sign + exponent;
        }
    }
    Ok(end)
}

//! printf's conversions of doubles: `f F e E g G a A`.
//!
//! Decimal digits come from Rust's formatter. It is exact at every precision and rounds to even, as
//! glibc does.

use super::format::{Layout, pad, sign};

/// A floating conversion.
pub fn float(layout: &Layout, conversion: u8, value: f64) -> Vec<u8> {
    let upper = conversion.is_ascii_uppercase();
    let head = sign(layout, value.is_sign_negative());
    let magnitude = value.abs();
    if !magnitude.is_finite() {
        let text = match (magnitude.is_nan(), upper) {
            (true, true) => "NAN",
            (true, false) => "nan",
            (false, true) => "INF",
            (false, false) => "inf",
        };
        return pad(layout, head, text.as_bytes(), false);
    }
    let kind = conversion.to_ascii_lowercase();
    let mut text = match kind {
        b'f' => fixed(magnitude, layout.precision.unwrap_or(6), layout.alternate),
        b'e' => exponential(magnitude, layout.precision.unwrap_or(6), layout.alternate),
        b'g' => general(magnitude, layout.precision.unwrap_or(6), layout.alternate),
        _ => hexadecimal(magnitude, layout.precision, layout.alternate),
    };
    if upper {
        text.make_ascii_uppercase();
    }
    if kind == b'a' {
        let head = format!("{head}{}", if upper { "0X" } else { "0x" });
        return pad(layout, &head, text.as_bytes(), layout.zero);
    }
    pad(layout, head, text.as_bytes(), layout.zero)
}

fn fixed(value: f64, precision: usize, point: bool) -> String {
    let mut text = format!("{value:.precision$}");
    if precision == 0 && point {
        text.push('.');
    }
    text
}

/// The digits, with the point after the first one, and the decimal exponent.
fn scientific(value: f64, precision: usize) -> (String, i32) {
    let text = format!("{value:.precision$e}");
    match text.split_once('e') {
        Some((digits, exponent)) => (digits.to_owned(), exponent.parse().unwrap_or(0)),
        None => (text, 0),
    }
}

fn with_exponent(digits: &str, exponent: i32) -> String {
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("{digits}e{sign}{:02}", exponent.unsigned_abs())
}

fn exponential(value: f64, precision: usize, point: bool) -> String {
    let (mut digits, exponent) = scientific(value, precision);
    if precision == 0 && point {
        digits.push('.');
    }
    with_exponent(&digits, exponent)
}

fn general(value: f64, precision: usize, keep: bool) -> String {
    let precision = precision.max(1);
    let (digits, exponent) = scientific(value, precision - 1);
    let decimal = exponent >= -4 && i64::from(exponent) < precision as i64;
    let mut text = if decimal {
        fixed(value, (precision as i64 - 1 - i64::from(exponent)) as usize, keep)
    } else {
        digits
    };
    if keep && !text.contains('.') {
        text.push('.');
    }
    if !keep && text.contains('.') {
        text.truncate(text.trim_end_matches('0').trim_end_matches('.').len());
    }
    if decimal {
        text
    } else {
        with_exponent(&text, exponent)
    }
}

/// The number of hexadecimal digits in the fraction of a double.
const DIGITS: usize = 13;

fn hexadecimal(value: f64, precision: Option<usize>, point: bool) -> String {
    let bits = value.to_bits();
    let (biased, fraction) = ((bits >> 52) as i32 & 0x7ff, bits & ((1 << 52) - 1));
    let exponent = match (biased, fraction) {
        (0, 0) => 0,
        (0, _) => -1022,
        _ => biased - 1023,
    };
    let whole = u64::from(biased != 0) << 52 | fraction;
    let kept = precision.unwrap_or(DIGITS).min(DIGITS);
    let dropped = 4 * (DIGITS - kept) as u32;
    let mut rounded = whole >> dropped;
    if dropped > 0 {
        let (rest, half) = (whole & ((1 << dropped) - 1), 1u64 << (dropped - 1));
        if rest > half || (rest == half && rounded & 1 == 1) {
            rounded += 1;
        }
    }
    let lead = rounded >> (4 * kept);
    let mut digits = if kept == 0 {
        String::new()
    } else {
        format!("{:0kept$x}", rounded & ((1u64 << (4 * kept)) - 1))
    };
    match precision {
        None => digits.truncate(digits.trim_end_matches('0').len()),
        Some(precision) => digits.push_str(&"0".repeat(precision.saturating_sub(DIGITS))),
    }
    let dot = if digits.is_empty() && !point { "" } else { "." };
    format!("{lead}{dot}{digits}p{exponent:+}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(conversion: u8, precision: Option<usize>, value: f64) -> String {
        String::from_utf8(float(
            &Layout {
                precision,
                ..Layout::default()
            },
            conversion,
            value,
        ))
        .expect("ASCII")
    }

    #[test]
    fn rounds_to_even_and_exactly() {
        assert_eq!(text(b'f', Some(0), 0.5), "0");
        assert_eq!(text(b'f', Some(0), 1.5), "2");
        assert_eq!(text(b'f', Some(20), 0.1), "0.10000000000000000555");
        assert_eq!(text(b'e', None, 12345.678), "1.234568e+04");
    }

    #[test]
    fn general_chooses_the_shorter() {
        assert_eq!(text(b'g', None, 0.0001), "0.0001");
        assert_eq!(text(b'g', None, 0.00001), "1e-05");
        assert_eq!(text(b'g', None, 999999.5), "1e+06");
        assert_eq!(text(b'G', Some(0), 1e10), "1E+10");
    }

    #[test]
    fn hexadecimal_as_glibc() {
        assert_eq!(text(b'a', None, 1.0), "0x1p+0");
        assert_eq!(text(b'a', Some(1), 1.999), "0x2.0p+0");
        assert_eq!(text(b'a', None, 0.1), "0x1.999999999999ap-4");
        assert_eq!(text(b'a', None, -0.0), "-0x0p+0");
    }
}

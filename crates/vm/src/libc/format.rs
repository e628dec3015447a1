//! The conversions of printf, independent of the source of their arguments: parsing of
//! specifications, integers, padding.
//!
//! Supports C23 and glibc's extensions `%m`, `%b` and the flag `'`, which has no effect in the "C"
//! locale. Missing: `%n`, positional arguments (`%1$d`), wide characters and `long double`.

/// A width or precision.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Count {
    /// As written.
    Number(usize),
    /// `*`: the next argument.
    Argument,
}

/// The length modifier.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Length {
    /// None.
    Int,
    /// `hh`
    Char,
    /// `h`
    Short,
    /// `l`, `ll`, `j`, `z`, `t`, `q`: 64 bits.
    Long,
    /// `L`
    LongDouble,
}

/// Flags, width and precision.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Layout {
    /// `-`
    pub left: bool,
    /// `+`
    pub plus: bool,
    /// A space.
    pub space: bool,
    /// `#`
    pub alternate: bool,
    /// `0`
    pub zero: bool,
    /// The minimum number of bytes.
    pub width: usize,
    /// The precision: digits or bytes.
    pub precision: Option<usize>,
}

/// A conversion specification: everything after the `%`, including the conversion letter.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Spec {
    /// The flags. Width and precision are filled in later.
    pub layout: Layout,
    /// The width.
    pub width: Count,
    /// The precision.
    pub precision: Option<Count>,
    /// The length modifier.
    pub length: Length,
    /// The conversion letter.
    pub conversion: u8,
    /// The length of the specification in bytes.
    pub len: usize,
}

/// Parses a specification (`text` begins after the `%`). `None` if it is invalid.
pub fn parse(text: &[u8]) -> Option<Spec> {
    let mut at = 0;
    let mut layout = Layout::default();
    loop {
        match text.get(at)? {
            b'-' => layout.left = true,
            b'+' => layout.plus = true,
            b' ' => layout.space = true,
            b'#' => layout.alternate = true,
            b'0' => layout.zero = true,
            b'\'' => {}
            _ => break,
        }
        at += 1;
    }
    let width = count(text, &mut at)?;
    let precision = if text.get(at) == Some(&b'.') {
        at += 1;
        Some(count(text, &mut at)?)
    } else {
        None
    };
    let (length, skip) = match (text.get(at)?, text.get(at + 1)) {
        (b'h', Some(b'h')) => (Length::Char, 2),
        (b'h', _) => (Length::Short, 1),
        (b'l', Some(b'l')) => (Length::Long, 2),
        (b'l' | b'j' | b'z' | b't' | b'q', _) => (Length::Long, 1),
        (b'L', _) => (Length::LongDouble, 1),
        _ => (Length::Int, 0),
    };
    at += skip;
    let conversion = *text.get(at)?;
    Some(Spec {
        layout,
        width,
        precision,
        length,
        conversion,
        len: at + 1,
    })
}

/// A larger width or precision is reduced to this value, which exceeds that of any program.
const LARGEST: usize = 1 << 24;

fn count(text: &[u8], at: &mut usize) -> Option<Count> {
    if text.get(*at)? == &b'*' {
        *at += 1;
        return Some(Count::Argument);
    }
    let mut number = 0usize;
    while let Some(digit) = text.get(*at).filter(|b| b.is_ascii_digit()) {
        number = (number * 10 + usize::from(digit - b'0')).min(LARGEST);
        *at += 1;
    }
    Some(Count::Number(number))
}

/// Pads to the width. `head` (sign, `0x`) stays before padding zeros.
pub fn pad(layout: &Layout, head: &str, body: &[u8], zeros: bool) -> Vec<u8> {
    let missing = layout.width.saturating_sub(head.len() + body.len());
    let mut out = Vec::with_capacity(head.len() + body.len() + missing);
    if !layout.left && !zeros {
        out.resize(missing, b' ');
    }
    out.extend_from_slice(head.as_bytes());
    if !layout.left && zeros {
        out.resize(out.len() + missing, b'0');
    }
    out.extend_from_slice(body);
    if layout.left {
        out.resize(out.len() + missing, b' ');
    }
    out
}

/// The sign to print.
pub fn sign(layout: &Layout, negative: bool) -> &'static str {
    match (negative, layout.plus, layout.space) {
        (true, ..) => "-",
        (_, true, _) => "+",
        (.., true) => " ",
        _ => "",
    }
}

/// An integer conversion: `d i u x X o b B`. `bits` is zero-extended from `width` bits.
pub fn integer(layout: &Layout, conversion: u8, bits: u64, width: u32) -> Vec<u8> {
    let signed = matches!(conversion, b'd' | b'i');
    let negative = signed && bits >> (width - 1) & 1 == 1;
    let magnitude = if negative {
        bits.wrapping_neg() & (u64::MAX >> (64 - width))
    } else {
        bits
    };
    let mut digits = match conversion {
        b'x' => format!("{magnitude:x}"),
        b'X' => format!("{magnitude:X}"),
        b'o' => format!("{magnitude:o}"),
        b'b' | b'B' => format!("{magnitude:b}"),
        _ => magnitude.to_string(),
    };
    if magnitude == 0 && layout.precision == Some(0) {
        digits.clear();
    }
    if let Some(precision) = layout.precision
        && digits.len() < precision
    {
        digits.insert_str(0, &"0".repeat(precision - digits.len()));
    }
    if layout.alternate && conversion == b'o' && !digits.starts_with('0') {
        digits.insert(0, '0');
    }
    let head = match conversion {
        _ if signed => sign(layout, negative),
        b'x' if layout.alternate && magnitude != 0 => "0x",
        b'X' if layout.alternate && magnitude != 0 => "0X",
        b'b' if layout.alternate && magnitude != 0 => "0b",
        b'B' if layout.alternate && magnitude != 0 => "0B",
        _ => "",
    };
    pad(
        layout,
        head,
        digits.as_bytes(),
        layout.zero && layout.precision.is_none(),
    )
}

/// A pointer conversion.
pub fn pointer(layout: &Layout, address: u64) -> Vec<u8> {
    if address == 0 {
        return pad(layout, "", b"(nil)", false);
    }
    integer(
        &Layout {
            alternate: true,
            ..*layout
        },
        b'x',
        address,
        64,
    )
}

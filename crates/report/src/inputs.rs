//! Inputs in words and as JSON.

use selvedge_base::Location;
use selvedge_model::{Input, InputKind};
use serde_json::{Value, json};
use std::fmt::Write;

/// Objects of more bytes are shown by their beginning.
const SHOWN_BYTES: usize = 48;

/// The inputs, one a line: `  x = -7 (int, thread 0, a.c:5)`.
pub fn inputs_text(inputs: &[Input]) -> String {
    let mut out = String::new();
    for input in inputs {
        let mut about = vec![type_text(input), format!("thread {}", input.thread)];
        let Location { file, line, .. } = &input.location;
        if !file.is_empty() {
            about.push(format!("{file}:{line}"));
        }
        let _ = writeln!(
            out,
            "  {} = {} ({})",
            input.name,
            value_text(input),
            about.join(", ")
        );
    }
    out
}

/// The value, as C would write it.
fn value_text(input: &Input) -> String {
    match (input.kind, number(&input.bytes)) {
        (InputKind::Scalar { bits, signed }, Some(value)) => {
            let shift = 128 - u32::from(bits.clamp(1, 128));
            if signed && bits > 1 {
                (((value << shift) as i128) >> shift).to_string()
            } else {
                ((value << shift) >> shift).to_string()
            }
        }
        (InputKind::Float { bits: 32 }, Some(value)) => format!("{:?}", f32::from_bits(value as u32)),
        (InputKind::Float { bits: 64 }, Some(value)) => format!("{:?}", f64::from_bits(value as u64)),
        _ => bytes_text(&input.bytes),
    }
}

fn number(bytes: &[u8]) -> Option<u128> {
    let mut whole = [0; 16];
    whole.get_mut(..bytes.len())?.copy_from_slice(bytes);
    Some(u128::from_le_bytes(whole))
}

/// `"ab\x00\xff"`.
fn bytes_text(bytes: &[u8]) -> String {
    let mut out = String::from("\"");
    for &byte in &bytes[..bytes.len().min(SHOWN_BYTES)] {
        match byte {
            b'"' | b'\\' => out.extend(['\\', char::from(byte)]),
            b'\n' => out.push_str("\\n"),
            b'\t' => out.push_str("\\t"),
            b' '..=b'~' => out.push(char::from(byte)),
            _ => {
                let _ = write!(out, "\\x{byte:02x}");
            }
        }
    }
    out.push('"');
    if bytes.len() > SHOWN_BYTES {
        out.push('…');
    }
    out
}

fn type_text(input: &Input) -> String {
    match input.kind {
        InputKind::Scalar { bits: 1, .. } => "bool".to_owned(),
        InputKind::Scalar { bits, signed } => {
            let name = match bits {
                8 => "char",
                16 => "short",
                32 => "int",
                64 => "long",
                128 => "__int128",
                _ => return format!("{}{bits}", if signed { "i" } else { "u" }),
            };
            match (signed, bits) {
                (true, 8) => "signed char".to_owned(),
                (true, _) => name.to_owned(),
                (false, _) => format!("unsigned {name}"),
            }
        }
        InputKind::Float { bits: 32 } => "float".to_owned(),
        InputKind::Float { bits: 64 } => "double".to_owned(),
        InputKind::Float { bits } => format!("float of {bits} bits"),
        InputKind::Bytes if input.bytes.len() == 1 => "1 byte".to_owned(),
        InputKind::Bytes => format!("{} bytes", input.bytes.len()),
    }
}

/// The inputs as JSON.
pub fn inputs_json(inputs: &[Input]) -> Value {
    let one = |input: &Input| {
        json!({
            "name": input.name,
            "bytes": hex(&input.bytes),
            "thread": input.thread,
            "type": match input.kind {
                InputKind::Scalar { bits, signed: true } => format!("i{bits}"),
                InputKind::Scalar { bits, signed: false } => format!("u{bits}"),
                InputKind::Float { bits } => format!("f{bits}"),
                InputKind::Bytes => "bytes".to_owned(),
            },
            "value": value_text(input),
            "location": crate::paths::location(&input.location),
        })
    };
    inputs.iter().map(one).collect()
}

/// Reads [`inputs_json`] back; `None` if it has another shape.
pub(crate) fn inputs_from_json(value: &Value) -> Option<Vec<Input>> {
    value.as_array()?.iter().map(input_from_json).collect()
}

fn input_from_json(value: &Value) -> Option<Input> {
    let text = |name: &str| value[name].as_str().map(str::to_owned);
    let kind = text("type")?;
    let bits = || kind.get(1..)?.parse().ok();
    let kind = match kind.as_bytes().first()? {
        b'i' => InputKind::Scalar {
            bits: bits()?,
            signed: true,
        },
        b'u' => InputKind::Scalar {
            bits: bits()?,
            signed: false,
        },
        b'f' => InputKind::Float { bits: bits()? },
        _ => InputKind::Bytes,
    };
    let at = &value["location"];
    let number = |name: &str| at[name].as_u64().and_then(|n| u32::try_from(n).ok());
    Some(Input {
        name: text("name")?,
        thread: text("thread")?,
        bytes: unhex(&text("bytes")?)?,
        kind,
        location: Location {
            file: at["file"].as_str().unwrap_or_default().to_owned(),
            line: number("line").unwrap_or(0),
            column: number("column").unwrap_or(0),
            function: at["function"].as_str().unwrap_or_default().to_owned(),
        },
    })
}

/// Two hexadecimal digits a byte.
pub fn hex(bytes: &[u8]) -> String {
    let mut out = String::with_capacity(2 * bytes.len());
    for byte in bytes {
        let _ = write!(out, "{byte:02x}");
    }
    out
}

fn unhex(text: &str) -> Option<Vec<u8>> {
    if !text.is_ascii() || text.len() % 2 == 1 {
        return None;
    }
    let digits = |at: usize| u8::from_str_radix(&text[at..at + 2], 16).ok();
    (0..text.len()).step_by(2).map(digits).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn input(bytes: &[u8], kind: InputKind) -> Input {
        Input {
            name: "x".into(),
            thread: "0.1".into(),
            bytes: bytes.into(),
            kind,
            location: Location {
                file: "a.c".into(),
                line: 5,
                column: 2,
                function: "main".into(),
            },
        }
    }

    #[test]
    fn values_read_as_c() {
        let signed = |bits| InputKind::Scalar { bits, signed: true };
        let unsigned = |bits| InputKind::Scalar { bits, signed: false };
        for (bytes, kind, text) in [
            (
                &[0xf9, 0xff, 0xff, 0xff][..],
                signed(32),
                "x = -7 (int, thread 0.1, a.c:5)",
            ),
            (
                &[0xf9, 0xff, 0xff, 0xff],
                unsigned(32),
                "x = 4294967289 (unsigned int, thread 0.1, a.c:5)",
            ),
            (&[1], unsigned(1), "x = 1 (bool, thread 0.1, a.c:5)"),
            (&[0x80], signed(8), "x = -128 (signed char, thread 0.1, a.c:5)"),
            (&[7, 0, 0], unsigned(24), "x = 7 (u24, thread 0.1, a.c:5)"),
            (&[0xff; 16], signed(128), "x = -1 (__int128, thread 0.1, a.c:5)"),
            (
                &1.5f64.to_le_bytes(),
                InputKind::Float { bits: 64 },
                "x = 1.5 (double, thread 0.1, a.c:5)",
            ),
            (
                b"a\"\n\0",
                InputKind::Bytes,
                "x = \"a\\\"\\n\\x00\" (4 bytes, thread 0.1, a.c:5)",
            ),
        ] {
            let input = input(bytes, kind);
            assert_eq!(inputs_text(std::slice::from_ref(&input)).trim(), text);
            let json = inputs_json(std::slice::from_ref(&input));
            assert_eq!(inputs_from_json(&json), Some(vec![input]));
        }
    }

    #[test]
    fn other_shapes_are_refused() {
        for text in [
            "3",
            "[{}]",
            r#"[{"name":"x","thread":"0","type":"i32","bytes":"f"}]"#,
            r#"[{"name":"x","thread":"0","type":"i32","bytes":"zz"}]"#,
            r#"[{"name":"x","thread":"0","type":"ié","bytes":"00"}]"#,
        ] {
            let value: Value = serde_json::from_str(text).unwrap();
            assert_eq!(inputs_from_json(&value), None, "{text}");
        }
    }
}

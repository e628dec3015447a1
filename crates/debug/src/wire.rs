//! The encoding of messages: a header with the length in bytes, an empty line, JSON.

use serde_json::Value;
use std::io::{self, BufRead, Read, Write};

/// The maximum length of a message. Typical messages have some hundred bytes.
const MOST_BYTES: u64 = 16 << 20;

/// The maximum length of a header, all its lines together.
const MOST_HEADER: u64 = 8 << 10;

/// Why a message cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum WireError {
    /// Reading failed.
    #[error("cannot read a message: {0}")]
    Io(#[from] io::Error),
    /// The end of the message is unknown, so nothing after it can be read.
    #[error("a message has no usable header: {0}")]
    Header(String),
    /// The message was read to its end but is not JSON. The next message can be read.
    #[error("a message is no JSON: {0}")]
    Json(String),
}

/// Reads a message; `None` at the end of the stream.
///
/// # Errors
/// After any error except [`WireError::Json`], the stream is unusable.
pub(crate) fn read(from: &mut impl BufRead) -> Result<Option<Value>, WireError> {
    let Some(length) = header(from)? else {
        return Ok(None);
    };
    let mut text = Vec::new();
    from.take(length).read_to_end(&mut text)?;
    if (text.len() as u64) < length {
        let what = format!(
            "it says {length} bytes, and the stream ended after {}",
            text.len()
        );
        return Err(WireError::Header(what));
    }
    serde_json::from_slice(&text)
        .map(Some)
        .map_err(|error| WireError::Json(error.to_string()))
}

/// Reads a header and returns the length that it gives. `None` at the end of the stream.
fn header(from: &mut impl BufRead) -> Result<Option<u64>, WireError> {
    let fails = |what: &str| Err(WireError::Header(what.to_owned()));
    let mut header = from.take(MOST_HEADER);
    let mut length = None;
    loop {
        let mut line = Vec::new();
        let bytes = header.read_until(b'\n', &mut line)?;
        let ended = line.last() != Some(&b'\n');
        if bytes == 0 && length.is_none() && header.limit() == MOST_HEADER {
            return Ok(None);
        }
        if ended && header.limit() == 0 {
            return fails("it is too long");
        }
        if ended {
            return fails("the stream ends within it");
        }
        let line = String::from_utf8_lossy(&line);
        let line = line.trim_end();
        if line.is_empty() {
            return match length {
                Some(length) => Ok(Some(length)),
                None => fails("it has no Content-Length"),
            };
        }
        let Some((name, value)) = line.split_once(':') else {
            return fails("a line has no colon");
        };
        if !name.trim().eq_ignore_ascii_case("content-length") {
            continue;
        }
        let given = value.trim().parse::<u64>();
        length = match given {
            Ok(bytes) if bytes <= MOST_BYTES => Some(bytes),
            Ok(bytes) => return fails(&format!("{bytes} bytes are more than {MOST_BYTES}")),
            Err(_) => return fails("its Content-Length is no number of bytes"),
        };
    }
}

/// Writes a message.
///
/// # Errors
/// If the connection is closed.
pub(crate) fn write(to: &mut impl Write, message: &Value) -> io::Result<()> {
    let text = message.to_string();
    write!(to, "Content-Length: {}\r\n\r\n{text}", text.len())?;
    to.flush()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn all(mut bytes: &[u8]) -> Vec<Result<Value, String>> {
        let mut messages = Vec::new();
        loop {
            match read(&mut bytes) {
                Ok(None) => return messages,
                Ok(Some(message)) => messages.push(Ok(message)),
                Err(error) => {
                    messages.push(Err(error.to_string()));
                    if !matches!(error, WireError::Json(_)) {
                        return messages;
                    }
                }
            }
        }
    }

    #[test]
    fn what_is_written_is_read() -> io::Result<()> {
        let mut bytes = Vec::new();
        write(&mut bytes, &json!({"seq": 1, "text": "ä"}))?;
        write(&mut bytes, &json!([]))?;
        let expected = vec![Ok(json!({"seq": 1, "text": "ä"})), Ok(json!([]))];
        assert_eq!(all(&bytes), expected);
        Ok(())
    }

    #[test]
    fn other_fields_and_line_ends_are_fine() {
        let bytes = b"Content-Type: x\ncontent-length:  2\n\n{}";
        assert_eq!(all(bytes), vec![Ok(json!({}))]);
    }

    #[test]
    fn broken_json_does_not_end_the_stream() {
        let bytes = b"Content-Length: 1\r\n\r\n{Content-Length: 2\r\n\r\n{}";
        let messages = all(bytes);
        assert!(messages[0].is_err());
        assert_eq!(messages[1], Ok(json!({})));
    }

    #[test]
    fn broken_headers_end_the_stream() {
        let long = vec![b'x'; 1 << 20];
        let cases: [&[u8]; 8] = [
            b"Content-Length: 99999999999999999999\r\n\r\n",
            b"Content-Length: 999999999999\r\n\r\n{}",
            b"Content-Length: -1\r\n\r\n{}",
            b"Content-Length: 2\r\n\r\n{",
            b"Content-Length: 2\r\n",
            b"\r\n\r\n{}",
            b"hello\r\n\r\n",
            &long,
        ];
        for case in cases {
            let messages = all(case);
            assert_eq!(messages.len(), 1, "{messages:?}");
            assert!(messages[0].is_err());
        }
    }
}

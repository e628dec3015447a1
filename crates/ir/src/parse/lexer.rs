//! Tokens of the text format.

use super::ParseError;

/// A token; text borrows from the input.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum Token<'t> {
    /// Letters, digits and underscores, not starting with a digit: keywords, mnemonics, types and
    /// ids.
    Word(&'t str),
    /// A number without sign, decimal or `0x` hexadecimal.
    Number(u128),
    /// The text between quotes; escapes are not yet resolved.
    Quoted(&'t str),
    /// Any other character. (`->` and `..` are two tokens.)
    Sign(char),
    /// The end of the text.
    End,
}

/// Cuts the text into tokens, one at a time.
pub(super) struct Lexer<'t> {
    text: &'t str,
    position: usize,
}

impl<'t> Lexer<'t> {
    pub(super) fn new(text: &'t str) -> Self {
        Lexer { text, position: 0 }
    }

    /// The next token and the byte offset at which it starts.
    pub(super) fn next(&mut self) -> Result<(Token<'t>, usize), ParseError> {
        self.skip_space();
        let start = self.position;
        let rest = &self.text[start..];
        let Some(first) = rest.chars().next() else {
            return Ok((Token::End, start));
        };
        let token = if first == '"' {
            self.quoted(start)?
        } else if is_word(first) {
            let length = rest.find(|c| !is_word(c)).unwrap_or(rest.len());
            self.position += length;
            let word = &rest[..length];
            if first.is_ascii_digit() {
                let number = number(word);
                Token::Number(
                    number
                        .ok_or_else(|| self.error(start, format!("`{word}` is not a number of 128 bits")))?,
                )
            } else {
                Token::Word(word)
            }
        } else {
            self.position += first.len_utf8();
            Token::Sign(first)
        };
        Ok((token, start))
    }

    /// An error at a byte offset.
    pub(super) fn error(&self, offset: usize, message: String) -> ParseError {
        let before = self.text.get(..offset).unwrap_or(self.text);
        let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
        ParseError {
            line: before.matches('\n').count() + 1,
            column: before[line_start..].chars().count() + 1,
            message,
        }
    }

    fn skip_space(&mut self) {
        loop {
            let rest = &self.text[self.position..];
            let space = rest.find(|c: char| !c.is_whitespace()).unwrap_or(rest.len());
            self.position += space;
            let rest = &rest[space..];
            if !rest.starts_with(';') {
                return;
            }
            self.position += rest.find('\n').unwrap_or(rest.len());
        }
    }

    fn quoted(&mut self, start: usize) -> Result<Token<'t>, ParseError> {
        let inside = &self.text[start + 1..];
        let mut escaped = false;
        for (offset, c) in inside.char_indices() {
            match c {
                '"' if !escaped => {
                    self.position = start + 1 + offset + 1;
                    return Ok(Token::Quoted(&inside[..offset]));
                }
                // A missing quote is reported at its line, not at the end of the file.
                '\n' => break,
                _ => escaped = c == '\\' && !escaped,
            }
        }
        Err(self.error(start, "the closing quote is missing".to_owned()))
    }
}

fn is_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

fn number(word: &str) -> Option<u128> {
    match word.strip_prefix("0x") {
        Some(hex) if !hex.starts_with('+') => u128::from_str_radix(hex, 16).ok(),
        Some(_) => None,
        None => word.parse().ok(),
    }
}

/// Resolves the escapes of quoted bytes: `\" \\ \n \0 \xNN`.
pub(super) fn unescape_bytes(quoted: &str, out: &mut Vec<u8>) -> Result<(), String> {
    let mut rest = quoted;
    while let Some((plain, after)) = rest.split_once('\\') {
        out.extend_from_slice(plain.as_bytes());
        let (byte, length) = match after.as_bytes().first() {
            Some(b'"') => (b'"', 1),
            Some(b'\\') => (b'\\', 1),
            Some(b'n') => (b'\n', 1),
            Some(b'0') => (0, 1),
            Some(b'x') => {
                let digits = after.get(1..3).filter(|digits| !digits.starts_with('+'));
                let byte = digits.and_then(|digits| u8::from_str_radix(digits, 16).ok());
                (byte.ok_or("`\\x` needs two hexadecimal digits")?, 3)
            }
            _ => return Err(r#"unknown escape: \" \\ \n \0 \xNN are known"#.to_owned()),
        };
        out.push(byte);
        rest = &after[length..];
    }
    out.extend_from_slice(rest.as_bytes());
    Ok(())
}

/// Resolves the escapes of quoted text: `\" \\ \n \u{…}`.
pub(super) fn unescape_text(quoted: &str) -> Result<String, String> {
    let mut out = String::with_capacity(quoted.len());
    let mut rest = quoted;
    while let Some((plain, after)) = rest.split_once('\\') {
        out.push_str(plain);
        let (c, length) = match after.as_bytes().first() {
            Some(b'"') => ('"', 1),
            Some(b'\\') => ('\\', 1),
            Some(b'n') => ('\n', 1),
            Some(b'u') => {
                let digits = after.strip_prefix("u{").and_then(|digits| digits.split_once('}'));
                let digits = digits
                    .map(|(digits, _)| digits)
                    .filter(|digits| !digits.starts_with('+'));
                let c = digits.and_then(|digits| u32::from_str_radix(digits, 16).ok());
                let c = c
                    .and_then(char::from_u32)
                    .ok_or("`\\u{…}` needs the hexadecimal number of a character")?;
                (c, digits.map_or(0, str::len) + 3)
            }
            _ => return Err(r#"unknown escape: \" \\ \n \u{…} are known"#.to_owned()),
        };
        out.push(c);
        rest = &after[length..];
    }
    out.push_str(rest);
    Ok(out)
}

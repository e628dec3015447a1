//! Scripts of peers, as `--client` and `--server` read them.
//!
//! A line is a step; empty lines and lines that begin with `#` are left out:
//!
//! | line | the peer |
//! | --- | --- |
//! | `port N` | its port: where a client connects, or a server listens; only as the first line |
//! | `send "TEXT"` | sends the text |
//! | `symbolic N` | sends N bytes of any value |
//! | `expect "TEXT"` | receives exactly this text; anything else violates an assertion |
//! | `receive N` | receives N bytes, whatever they are |
//! | `end` | will send nothing more |
//! | `drain` | receives up to the end |
//! | `on "TEXT"` | a server's: what follows is done each time that this text has come |
//!
//! A client connects first, and closes at the end. A server does what stands before the first `on`
//! as soon as somebody has connected. Then it does the lines of the first `on` whose text is what
//! has come last, and so on, until nothing more comes; then it closes. Without `on` it closes at
//! the end. A text has the escapes `\n`, `\r`, `\t`, `\0`, `\\`, `\"` and `\xHH`.

use selvedge_frontend::files;
use std::path::Path;

/// The maximum number of peers.
pub const MOST_PEERS: usize = 64;
/// The maximum size of a script, of what it sends at once, and of what it receives at once.
const MOST_BYTES: u64 = 1 << 16;

/// A peer that the program is given.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct GivenPeer {
    /// The option and its text, as on the command line.
    pub text: (&'static str, String),
    /// The steps, in the form that the machine reads.
    pub script: Vec<u8>,
    /// Whether it sends bytes of any value.
    pub symbolic: bool,
}

// The steps in `crates/frontend/lib/peer.h`.
const PORT: u8 = 1;
const SEND: u8 = 2;
const SYMBOLIC: u8 = 3;
const EXPECT: u8 = 4;
const RECEIVE: u8 = 5;
const END: u8 = 6;
const DRAIN: u8 = 7;
const SERVE: u8 = 8;
const ON: u8 = 9;

fn step(script: &mut Vec<u8>, kind: u8, number: u64) {
    script.push(kind);
    script.extend(number.to_le_bytes());
}

/// A client that connects to the first socket that listens, sends a packet of any value and nothing
/// more, and receives what comes.
///
/// # Errors
/// The expected form, as text.
pub fn symbolic_packet(text: &str) -> Result<GivenPeer, String> {
    let size = text.parse().ok().filter(|size| (1..=MOST_BYTES).contains(size));
    let size = size.ok_or_else(|| format!("expected a number of bytes from 1 to {MOST_BYTES}"))?;
    let mut script = Vec::new();
    for (kind, number) in [(PORT, 0), (SYMBOLIC, size), (END, 0), (DRAIN, 0)] {
        step(&mut script, kind, number);
    }
    Ok(GivenPeer {
        text: ("symbolic-packet", text.to_owned()),
        script,
        symbolic: true,
    })
}

/// Reads the script of a client.
///
/// # Errors
/// Why it cannot be read, or the line that is wrong, as text.
pub fn given_client(path: &str) -> Result<GivenPeer, String> {
    given("client", path)
}

/// Reads the script of a server.
///
/// # Errors
/// Why it cannot be read, or the line that is wrong, as text.
pub fn given_server(path: &str) -> Result<GivenPeer, String> {
    given("server", path)
}

fn given(option: &'static str, path: &str) -> Result<GivenPeer, String> {
    let text = files::read_text(Path::new(path), MOST_BYTES);
    let text = text.map_err(|error| format!("cannot read {path}: {error}"))?;
    let (script, symbolic) =
        parse(&text, option == "server").map_err(|(line, why)| format!("{path}:{line}: {why}"))?;
    Ok(GivenPeer {
        text: (option, path.to_owned()),
        script,
        symbolic,
    })
}

/// The steps of a script, and whether some byte is symbolic; or the number of a line and what is
/// wrong there.
fn parse(text: &str, serves: bool) -> Result<(Vec<u8>, bool), (usize, String)> {
    let (mut steps, mut symbolic, mut port) = (Vec::new(), false, None);
    for (number, line) in (1..).zip(text.lines()) {
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        let wrong = |why: &str| (number, why.to_owned());
        let bytes = |most: u64| {
            let number = rest.trim().parse().ok().filter(|n| (1..=most).contains(n));
            number.ok_or_else(|| wrong(&format!("expected a number from 1 to {most}")))
        };
        let text = |rest: &str| quoted(rest.trim()).ok_or_else(|| wrong("expected a text such as \"a\\n\""));
        match word {
            "port" if port.is_some() || !steps.is_empty() => {
                return Err(wrong("port must be the first step"));
            }
            "port" => port = Some(bytes(u64::from(u16::MAX))?),
            "send" | "expect" => {
                let text = text(rest)?;
                let kind = if word == "send" { SEND } else { EXPECT };
                step(&mut steps, kind, text.len() as u64);
                steps.extend(text);
            }
            "on" if serves => {
                let text = Some(text(rest)?).filter(|text| !text.is_empty());
                let text = text.ok_or_else(|| wrong("an empty text never comes"))?;
                step(&mut steps, ON, text.len() as u64);
                steps.extend(text);
            }
            "symbolic" => {
                symbolic = true;
                step(&mut steps, SYMBOLIC, bytes(MOST_BYTES)?);
            }
            "receive" => step(&mut steps, RECEIVE, bytes(MOST_BYTES)?),
            "end" | "drain" if rest.is_empty() => {
                step(&mut steps, if word == "end" { END } else { DRAIN }, 0);
            }
            _ => {
                let section = if serves { ", on \"TEXT\"" } else { "" };
                return Err(wrong(&format!(
                    "expected port N, send \"TEXT\", symbolic N, expect \"TEXT\", receive N, end{section} or drain"
                )));
            }
        }
    }
    let mut script = Vec::new();
    match (serves, port) {
        (false, _) => step(&mut script, PORT, port.unwrap_or(0)),
        (true, Some(port)) => step(&mut script, SERVE, port),
        (true, None) => return Err((1, "a server's script begins with its port: port N".to_owned())),
    }
    script.extend(steps);
    Ok((script, symbolic))
}

/// A text in quotes, without its escapes.
fn quoted(text: &str) -> Option<Vec<u8>> {
    let inside = text.strip_prefix('"')?.strip_suffix('"')?;
    let (mut out, mut rest) = (Vec::new(), inside.bytes());
    while let Some(byte) = rest.next() {
        out.push(match byte {
            b'"' => return None,
            b'\\' => match rest.next()? {
                b'n' => b'\n',
                b'r' => b'\r',
                b't' => b'\t',
                b'0' => 0,
                b'x' => {
                    let digit = |byte: u8| (byte as char).to_digit(16);
                    let (high, low) = (digit(rest.next()?)?, digit(rest.next()?)?);
                    (high * 16 + low) as u8
                }
                byte @ (b'\\' | b'"') => byte,
                _ => return None,
            },
            byte => byte,
        });
    }
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_of_a_script() {
        let text = "# a comment\n\nport 80\nsend \"a\\n\\x41\\\"\\0\"\nsymbolic 3\nexpect \"\"\nreceive 2\nend\ndrain\n";
        let mut expected = Vec::new();
        step(&mut expected, PORT, 80);
        step(&mut expected, SEND, 5);
        expected.extend(b"a\nA\"\0");
        for (kind, number) in [(SYMBOLIC, 3), (EXPECT, 0), (RECEIVE, 2), (END, 0), (DRAIN, 0)] {
            step(&mut expected, kind, number);
        }
        assert_eq!(parse(text, false), Ok((expected, true)));
        assert!(parse("send \"a\"", false).is_ok_and(|(_, symbolic)| !symbolic));
    }

    #[test]
    fn wrong_lines_are_named() {
        for line in [
            "say \"x\"",
            "send x",
            "send \"x",
            "send \"\\q\"",
            "send \"\\x4\"",
            "send \"a\"b\"",
            "symbolic 0",
            "symbolic 65537",
            "receive",
            "end now",
            "port 65536",
        ] {
            assert_eq!(
                parse(&format!("\n{line}"), false).map_err(|(line, _)| line),
                Err(2),
                "{line}"
            );
        }
        assert_eq!(
            parse("send \"a\"\nport 80", false).map_err(|(line, _)| line),
            Err(2)
        );
        assert!(symbolic_packet("0").is_err() && symbolic_packet("x").is_err());
        assert!(symbolic_packet("2").is_ok_and(|client| client.symbolic));
    }

    #[test]
    fn sections_of_a_server() {
        let mut expected = Vec::new();
        step(&mut expected, SERVE, 80);
        step(&mut expected, SEND, 1);
        expected.extend(b"a");
        step(&mut expected, ON, 2);
        expected.extend(b"bc");
        step(&mut expected, END, 0);
        let text = "port 80\nsend \"a\"\non \"bc\"\nend\n";
        assert_eq!(parse(text, true), Ok((expected, false)));
        assert_eq!(parse(text, false).map_err(|(line, _)| line), Err(3));
        for text in ["send \"a\"", "port 80\non \"\"", "port 80\non a"] {
            assert!(parse(text, true).is_err(), "{text}");
        }
    }
}

//! Archives of objects (`ar`), as GNU and BSD write them.

use crate::{Malformed, part};
use std::ops::Range;

/// The first bytes of an archive that contains its members.
pub const MAGIC: [u8; 8] = *b"!<arch>\n";
/// The first bytes of a thin archive, which contains only the names of its members.
pub const THIN: [u8; 8] = *b"!<thin>\n";

const HEADER: usize = 60;

/// A member.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Member {
    /// Its name; in a thin archive, its path from the archive's directory.
    pub name: String,
    /// Its position in the archive; `None` in a thin archive.
    pub place: Option<Range<usize>>,
}

/// The members in order, without the tables of symbols and of names.
///
/// # Errors
/// If the archive is truncated or the bytes are no archive.
pub fn members(bytes: &[u8]) -> Result<Vec<Member>, Malformed> {
    let thin = bytes.starts_with(&THIN);
    if !thin && !bytes.starts_with(&MAGIC) {
        return Err(Malformed::new("it is no archive"));
    }
    let short = || Malformed::new("it is cut short or damaged");
    let (mut at, mut names, mut members) = (MAGIC.len(), &bytes[..0], Vec::new());
    while at < bytes.len() {
        let header = part(bytes, at as u64, HEADER as u64).ok_or_else(short)?;
        if header[58..] != *b"`\n" {
            return Err(short());
        }
        let field = |range: Range<usize>| String::from_utf8_lossy(&header[range]).trim_end().to_owned();
        let length: usize = field(48..58).parse().map_err(|_| short())?;
        let name = field(0..16);
        let mut from = at + HEADER;
        let special = matches!(name.as_str(), "/" | "//" | "/SYM64/");
        let to = match thin && !special {
            true => from,
            false => from
                .checked_add(length)
                .filter(|&to| to <= bytes.len())
                .ok_or_else(short)?,
        };
        at = to + to % 2;
        if name == "//" {
            names = &bytes[from..to];
        }
        if special {
            continue;
        }
        let name = if let Some(length) = name.strip_prefix("#1/") {
            let length: usize = length.parse().map_err(|_| short())?;
            let name = bytes
                .get(from..to)
                .and_then(|member| member.get(..length))
                .ok_or_else(short)?;
            from += length;
            String::from_utf8_lossy(name).trim_end_matches('\0').to_owned()
        } else if let Some(place) = name.strip_prefix('/') {
            let place: usize = place.parse().map_err(|_| short())?;
            let rest = names.get(place..).ok_or_else(short)?;
            let line = rest.split(|&byte| byte == b'\n').next().unwrap_or_default();
            String::from_utf8_lossy(line).trim_end_matches('/').to_owned()
        } else {
            name.trim_end_matches('/').to_owned()
        };
        if name.starts_with("__.SYMDEF") {
            continue;
        }
        members.push(Member {
            name,
            place: (!thin).then_some(from..to),
        });
    }
    Ok(members)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn member(name: &str, contents: &str) -> Vec<u8> {
        let mut bytes = format!(
            "{name:<16}{:<12}{:<6}{:<6}{:<8}{:<10}`\n{contents}",
            0,
            0,
            0,
            644,
            contents.len()
        );
        if contents.len() % 2 == 1 {
            bytes.push('\n');
        }
        bytes.into_bytes()
    }

    #[test]
    fn names_long_and_short() {
        let parts = [
            MAGIC.to_vec(),
            member("/", "index"),
            member("//", "a_very_long_name_indeed.o/\nanother_rather_long_name.o/\n"),
            member("a.o/", "abc"),
            member("/27", "defg"),
            member("#1/8", "bsd.o\0\0\0xyz"),
        ];
        let bytes = parts.concat();
        let members = members(&bytes).unwrap();
        let read: Vec<(&str, &[u8])> = members
            .iter()
            .map(|m| (m.name.as_str(), &bytes[m.place.clone().unwrap()]))
            .collect();
        assert_eq!(
            read,
            [
                ("a.o", &b"abc"[..]),
                ("another_rather_long_name.o", b"defg"),
                ("bsd.o", b"xyz")
            ]
        );
        for length in 0..bytes.len() {
            let _ = super::members(&bytes[..length]);
        }
        assert!(super::members(&bytes[..bytes.len() - 2]).is_err());
    }
}

//! Changes to well-formed data: to bytes, to lines, and to the words of a text.

use fastrand::Rng;

/// Numbers at which programs often have defects.
pub const NUMBERS: [&str; 22] = [
    "0",
    "1",
    "-1",
    "2",
    "7",
    "8",
    "63",
    "64",
    "65",
    "127",
    "128",
    "255",
    "256",
    "65535",
    "65536",
    "2147483647",
    "-2147483648",
    "4294967295",
    "4294967296",
    "9223372036854775807",
    "18446744073709551615",
    "340282366920938463463374607431768211456",
];

/// A random element of a list.
pub fn one<'a, T: ?Sized>(random: &mut Rng, of: &[&'a T]) -> &'a T {
    of[random.usize(..of.len())]
}

/// Changes bytes at one to eight positions.
pub fn bytes(random: &mut Rng, data: &mut Vec<u8>, other: &[u8]) {
    for _ in 0..random.usize(1..=8) {
        let at = random.usize(..=data.len());
        let end = (at + random.usize(..=64)).min(data.len());
        match random.u8(..8) {
            _ if data.is_empty() => data.push(random.u8(..)),
            0..=2 if at < data.len() => data[at] ^= 1 << random.u8(..8),
            3 if at < data.len() => data[at] = one(random, &[&0, &1, &0x7f, &0x80, &0xff]).to_owned(),
            4 => _ = data.drain(at..end),
            5 => {
                let part = data[at..end].to_vec();
                data.splice(at..at, part);
            }
            6 if !other.is_empty() => {
                let from = random.usize(..other.len());
                let to = (from + random.usize(1..=64)).min(other.len());
                data.splice(at..end, other[from..to].iter().copied());
            }
            7 if random.u8(..8) == 0 => data.truncate(at),
            _ => data.insert(at, random.u8(..)),
        }
    }
}

/// Changes some words or lines of a text, mostly one or two. Some words are replaced by `words`.
pub fn text(random: &mut Rng, text: &str, other: &str, words: &[&str]) -> String {
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    let others: Vec<&str> = other.lines().collect();
    for _ in 0..one(random, &[&1, &1, &1, &2, &2, &4]).to_owned() {
        if lines.is_empty() {
            lines.push(String::new());
        }
        let at = random.usize(..lines.len());
        match random.u8(..16) {
            0 => _ = lines.remove(at),
            1 => lines.insert(at, lines[at].clone()),
            2 => {
                let with = random.usize(..lines.len());
                lines.swap(at, with);
            }
            3 if !others.is_empty() => {
                let line = others[random.usize(..others.len())];
                lines.insert(at, line.to_owned());
            }
            4 => {
                let moved = lines.remove(at);
                let to = random.usize(..=lines.len());
                lines.insert(to, moved);
            }
            _ => lines[at] = line(random, &lines[at], words),
        }
    }
    lines.join("\n") + "\n"
}

/// Changes one word of a line.
fn line(random: &mut Rng, line: &str, words: &[&str]) -> String {
    let mut parts = split(line);
    let full: Vec<usize> = (0..parts.len())
        .filter(|&i| !parts[i].trim().is_empty())
        .collect();
    if full.is_empty() {
        return one(random, words).to_owned();
    }
    let at = full[random.usize(..full.len())];
    let number = parts[at].chars().all(|c| c.is_ascii_digit());
    match random.u8(..8) {
        0 => parts[at].clear(),
        1 => {
            let with = full[random.usize(..full.len())];
            parts.swap(at, with);
        }
        2 => {
            let copy = parts[at].clone();
            parts.insert(at, format!("{copy} "));
        }
        3..=5 if number => parts[at] = one(random, &NUMBERS).to_owned(),
        _ => parts[at] = one(random, words).to_owned(),
    }
    parts.concat()
}

/// A line as words, blanks and single characters.
fn split(line: &str) -> Vec<String> {
    let mut parts: Vec<String> = Vec::new();
    let class = |c: char| match c {
        c if c.is_alphanumeric() || c == '_' || c == '.' => 1,
        c if c.is_whitespace() => 2,
        _ => 0,
    };
    let mut before = 0;
    for c in line.chars() {
        match parts.last_mut() {
            Some(last) if class(c) == before && before != 0 => last.push(c),
            _ => parts.push(c.to_string()),
        }
        before = class(c);
    }
    parts
}

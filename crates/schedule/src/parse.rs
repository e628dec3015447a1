//! Parses the format.

use crate::{MAGIC, Schedule, Step, VERSION, is_thread_name};
use std::str::FromStr;

/// Why a text is not a schedule.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("line {line}: {problem}")]
pub struct ParseError {
    /// The line, from 1.
    pub line: usize,
    /// What is wrong with it.
    pub problem: Problem,
}

/// What can be wrong with a line.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Problem {
    /// The first line is not the format's name with a version.
    #[error("a schedule begins with `selvedge-schedule {VERSION}`")]
    NotASchedule,
    /// A version of the format other than [`VERSION`].
    #[error("version {0} of the format is not known; this program reads version {VERSION}")]
    Version(u32),
    /// A line that begins with an unknown word.
    #[error("expected `input`, `option` or `step`, found `{0}`")]
    UnknownItem(String),
    /// An option without a name.
    #[error("an option needs a name")]
    NoOptionName,
    /// A step's thread is not a hierarchical name.
    #[error("`{0}` is not the name of a thread (such as `0` or `0.2.1`)")]
    BadThread(String),
    /// A step's alternative is not a number below 65536.
    #[error("`{0}` is not the number of an alternative")]
    BadAlternative(String),
    /// A backslash before a character other than `n`, `r` or `\`.
    #[error("unknown escape after `\\`")]
    BadEscape,
}

impl FromStr for Schedule {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<Self, ParseError> {
        let mut lines = text
            .split('\n')
            .enumerate()
            .map(|(i, line)| (i + 1, line.strip_suffix('\r').unwrap_or(line)));
        let at = |line: usize| move |problem: Problem| ParseError { line, problem };
        let (number, first) = lines.next().unwrap_or((1, ""));
        header(first).map_err(at(number))?;
        let mut schedule = Schedule::default();
        for (number, line) in lines {
            if line.trim().is_empty() || line.starts_with('#') {
                continue;
            }
            item(line, &mut schedule).map_err(at(number))?;
        }
        Ok(schedule)
    }
}

fn header(line: &str) -> Result<(), Problem> {
    let version = line.strip_prefix(MAGIC).ok_or(Problem::NotASchedule)?;
    let version: u32 = version.trim().parse().map_err(|_| Problem::NotASchedule)?;
    if version == VERSION {
        Ok(())
    } else {
        Err(Problem::Version(version))
    }
}

fn item(line: &str, schedule: &mut Schedule) -> Result<(), Problem> {
    let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
    match word {
        "input" => schedule.inputs.push(unescape(rest)?),
        "option" => {
            let (name, value) = rest.split_once(' ').unwrap_or((rest, ""));
            if name.is_empty() {
                return Err(Problem::NoOptionName);
            }
            schedule.options.push((unescape(name)?, unescape(value)?));
        }
        "step" => schedule.steps.push(step(rest)?),
        _ => return Err(Problem::UnknownItem(word.to_owned())),
    }
    Ok(())
}

fn step(text: &str) -> Result<Step, Problem> {
    let (thread, rest) = text.split_once(' ').unwrap_or((text, ""));
    if !is_thread_name(thread) {
        return Err(Problem::BadThread(thread.to_owned()));
    }
    let (alternative, note) = rest.split_once(' ').unwrap_or((rest, ""));
    Ok(Step {
        thread: thread.to_owned(),
        alternative: alternative
            .parse()
            .map_err(|_| Problem::BadAlternative(alternative.to_owned()))?,
        note: unescape(note)?,
    })
}

pub(crate) fn unescape(text: &str) -> Result<String, Problem> {
    if !text.contains('\\') {
        return Ok(text.to_owned());
    }
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        out.push(match c {
            '\\' => match chars.next() {
                Some('\\') => '\\',
                Some('n') => '\n',
                Some('r') => '\r',
                _ => return Err(Problem::BadEscape),
            },
            other => other,
        });
    }
    Ok(out)
}

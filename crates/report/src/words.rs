//! Words that scripts rely on: BenchExec's verdicts and the kinds of reasons.

use crate::{Reason, RunReport};
use selvedge_model::{FaultKind, LimitKind, Property, Verdict};
use std::borrow::Cow;

/// The property a kind of finding violates, in BenchExec's words.
pub fn property_word(kind: FaultKind) -> &'static str {
    match kind.property() {
        Property::Free => "valid-free",
        Property::Assertion | Property::ErrorCall => "unreach-call",
        Property::Deadlock => "no-deadlock",
        Property::DataRace => "no-data-race",
        Property::Deref | Property::Memory => "valid-deref",
        Property::Leak => "valid-memtrack",
        Property::Cleanup => "valid-memcleanup",
        Property::Pthread => "pthread",
        Property::Arithmetic | Property::Overflow => "no-overflow",
        Property::Termination => "termination",
    }
}

/// What a kind of finding means, in one sentence.
pub fn property_help(kind: FaultKind) -> &'static str {
    match kind.property() {
        Property::Assertion | Property::ErrorCall => {
            "In some schedule, with some input, the program reaches an error: an assertion that fails, an abort, an exception that nobody catches."
        }
        Property::Deadlock => {
            "In some schedule, threads wait for ever for each other or for a signal that is lost."
        }
        Property::DataRace => {
            "Two threads access the same memory, at least one of them writes, and nothing orders the accesses: undefined behaviour (C11 5.1.2.4)."
        }
        Property::Deref => "In some schedule, memory is accessed that there is not, or not any more.",
        Property::Free => {
            "In some schedule, memory is freed that cannot be freed: twice, or what malloc did not make."
        }
        Property::Memory => {
            "In some schedule, a value that is not initialised decides something, or a copy overlaps."
        }
        Property::Leak => "In some schedule, no pointer leads to some memory any more.",
        Property::Cleanup => "In some schedule, memory is not freed when the process ends.",
        Property::Pthread => "In some schedule, the threading API is misused, which POSIX leaves undefined.",
        Property::Arithmetic => {
            "In some schedule, with some input, a number is divided by zero or shifted too far."
        }
        Property::Overflow => "In some schedule, with some input, a signed operation overflows.",
        Property::Termination => "In some schedule, the program does not end.",
    }
}

/// The kind of a reason, in one word.
pub fn reason_word(reason: &Reason) -> &'static str {
    match reason.limit {
        None => "unsupported",
        Some(LimitKind::Time) => "time",
        Some(LimitKind::Memory) => "memory",
        Some(LimitKind::Executions) => "executions",
        Some(LimitKind::Events) => "events",
        Some(LimitKind::Depth) => "depth",
        Some(LimitKind::Steps | LimitKind::Endless) => "steps",
        Some(LimitKind::Recursion) => "recursion",
        Some(LimitKind::Threads) => "threads",
        Some(LimitKind::Unroll) => "unroll",
        Some(LimitKind::Interrupted) => "interrupted",
        Some(LimitKind::Solver) => "solver",
        Some(LimitKind::Values) => "values",
    }
}

/// The last line of the human output: `true`, `false(PROPERTY)` or `unknown(REASON)`.
pub fn verdict_line(report: &RunReport) -> String {
    match report.verdict {
        Verdict::Verified => "true".to_owned(),
        Verdict::Violated => {
            let word = report
                .findings
                .first()
                .map_or("unreach-call", |f| property_word(f.finding.kind));
            format!("false({word})")
        }
        Verdict::Unknown => match report.reasons.first() {
            None => "unknown(incomplete)".to_owned(),
            Some(reason) => {
                let mut text = format!("{}: {}", reason_word(reason), reason.detail);
                if let Some(place) = reason.location.as_ref().filter(|l| !l.file.is_empty()) {
                    text.push_str(&format!(" at {}:{}", place.file, place.line));
                }
                format!("unknown({})", text.replace(['\n', '\r'], " "))
            }
        },
    }
}

/// A text that is shown to people, without what a terminal or a browser would obey: control
/// characters but line feeds and tabs, and marks that change the direction of writing. They are
/// replaced by characters that can be seen.
pub fn harmless(text: &str) -> Cow<'_, str> {
    let replaced = |c: char| match c {
        '\n' | '\t' => None,
        '\0'..='\x1f' => char::from_u32(0x2400 + u32::from(c)),
        '\x7f' => Some('\u{2421}'),
        '\u{80}'..='\u{9f}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => {
            Some('\u{fffd}')
        }
        _ => None,
    };
    match text.chars().any(|c| replaced(c).is_some()) {
        true => text.chars().map(|c| replaced(c).unwrap_or(c)).collect(),
        false => text.into(),
    }
}

#[cfg(test)]
mod tests {
    use super::harmless;

    #[test]
    fn what_a_terminal_would_obey_is_shown() {
        assert_eq!(harmless("\u{1b}[2J\u{7}\ta\nö"), "␛[2J␇\ta\nö");
        assert_eq!(harmless("a\u{202e}b\u{9b}"), "a\u{fffd}b\u{fffd}");
        assert!(matches!(harmless("plain"), std::borrow::Cow::Borrowed(_)));
    }
}

//! Sentences that several detectors use.

use selvedge_base::{ContextId, Location, StmtId};
use selvedge_model::{Describe, ObjectId};

/// Splits `thread 0.1: waits …` into the thread's name and the rest. The name is empty if there is
/// none.
pub fn split_thread(text: &str) -> (&str, &str) {
    let Some((name, rest)) = text.strip_prefix("thread ").and_then(|t| t.split_once(": ")) else {
        return ("", text);
    };
    if name.bytes().all(|b| b.is_ascii_digit() || b == b'.') {
        (name, rest)
    } else {
        ("", text)
    }
}

/// `bank.c:12:5`, or the known part of it.
pub(crate) fn place(location: &Location) -> String {
    match (location.file.as_str(), location.line, location.column) {
        ("", _, _) => "an unknown place".to_owned(),
        (file, 0, _) => file.to_owned(),
        (file, line, 0) => format!("{file}:{line}"),
        (file, line, column) => format!("{file}:{line}:{column}"),
    }
}

/// `no lock`, or the locks with the places where they were taken.
pub(crate) fn locks<M: Describe + ?Sized>(machine: &M, held: &[(ObjectId, StmtId, ContextId)]) -> String {
    if held.is_empty() {
        return "no lock".to_owned();
    }
    let one = |&(object, stmt, context): &(ObjectId, StmtId, ContextId)| {
        format!(
            "{} (taken at {})",
            machine.object_name(object),
            place(&machine.own_location(stmt, context))
        )
    };
    held.iter().map(one).collect::<Vec<_>>().join(", ")
}

/// `0.1, 0.2 and 0.3`.
pub(crate) fn list(items: &[String]) -> String {
    match items {
        [] => String::new(),
        [one] => one.clone(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}

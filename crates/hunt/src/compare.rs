//! Compares the expected results of the enumerator with the report of a run.

use crate::product::{Said, Way};
use crate::spins::Spins;
use crate::step::Wrong;
use crate::truth::{Stranded, Truth};
use selvedge_model::Verdict;
use std::collections::BTreeSet;

/// A disagreement: its class and its details.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Disagreement {
    /// The class has no places, so similar disagreements have the same class.
    pub class: String,
    pub detail: String,
}

/// The expected words, in the form of [`Said::found`].
pub fn words(truth: &Truth, way: &Way) -> BTreeSet<String> {
    let asked = |property: &str| way.asked.as_ref().is_none_or(|all| all.contains(&property));
    let wanted = |wrong: &&Wrong| {
        asked(match wrong {
            Wrong::Race(_) => "data-race",
            Wrong::Deadlock => "deadlock",
            Wrong::Fault(kind, _) => kind.split('.').next().unwrap_or(kind),
        })
    };
    let word = |wrong: &Wrong| match wrong {
        Wrong::Race(name) if way.level == 0 => format!("race {name}"),
        Wrong::Race(_) => "race".to_owned(),
        Wrong::Deadlock => "deadlock".to_owned(),
        Wrong::Fault(kind, id) if way.level == 0 => format!("{kind}@{id}"),
        Wrong::Fault(kind, _) => (*kind).to_owned(),
    };
    truth.wrong.iter().filter(wanted).map(word).collect()
}

/// A word without its place.
fn kind(word: &str) -> &str {
    word.split([' ', '@']).next().unwrap_or(word)
}

fn kinds<'a>(words: impl Iterator<Item = &'a String>) -> String {
    let all: BTreeSet<&str> = words.map(|w| kind(w)).collect();
    all.into_iter().collect::<Vec<_>>().join("+")
}

/// Compares the results. `None` if they agree, as far as the run gives any.
pub fn compare(truth: &Truth, way: &Way, said: &Result<Said, String>) -> Option<Disagreement> {
    let expected = words(truth, way);
    let asked = way.asked.as_ref().is_none_or(|all| all.contains(&"deadlock"));
    let stranded = if asked { truth.stranded } else { Stranded::No };
    let spins = match truth.spins {
        _ if !asked => Spins::No,
        // The compiler may remove a loop exit that no value reaches. What remains is an endless
        // loop as in a server, which waits for nothing.
        Spins::Certainly if way.level > 0 => Spins::Perhaps,
        spins => spins,
    };
    let report = |class: String, found: &BTreeSet<String>| {
        Some(Disagreement {
            class,
            detail: format!(
                "expected {expected:?}{}{}, found {found:?}",
                match stranded {
                    Stranded::No => "",
                    Stranded::Perhaps => " and perhaps threads that are stranded",
                    Stranded::Certainly => " and threads that are stranded",
                },
                match spins {
                    Spins::No => "",
                    Spins::Perhaps => " and perhaps threads that go round for ever",
                    Spins::Certainly => " and threads that go round for ever",
                }
            ),
        })
    };
    let said = match said {
        Ok(said) => said,
        Err(message) => return report(format!("no report: {message}"), &BTreeSet::new()),
    };
    let found = &said.found;
    // Everything that was found must be expected. Stranded threads may be reported as a deadlock.
    let extra: Vec<&String> = found
        .iter()
        .filter(|&word| !(expected.contains(word) || stranded != Stranded::No && word == "deadlock"))
        .filter(|&word| match word.as_str() {
            "race" => !truth.races(),
            // A thread that waits on a condition variable for ever leaves it by a spurious wakeup
            // only, and no program can rely on that. So stranded threads may be reported as `spin`.
            "spin" => spins == Spins::No && stranded == Stranded::No,
            _ => true,
        })
        .collect();
    if !extra.is_empty() {
        return report(format!("extra: {}", kinds(extra.into_iter())), found);
    }
    match said.verdict {
        Verdict::Verified if way.samples => report("true by samples".to_owned(), found),
        Verdict::Verified if !expected.is_empty() => {
            report(format!("wrong true: {}", kinds(expected.iter())), found)
        }
        Verdict::Verified if stranded == Stranded::Certainly => {
            report("wrong true: stranded".to_owned(), found)
        }
        Verdict::Verified if spins == Spins::Certainly => report("wrong true: spin".to_owned(), found),
        Verdict::Violated if way.first || way.samples => None,
        Verdict::Violated => {
            // With visibility `sync`, a program with races is explored only up to its races. In
            // addition, a fault stops a thread before it can race.
            if truth.races() && !way.memory {
                return None;
            }
            let missing: Vec<&String> = expected.difference(found).collect();
            if missing.is_empty() || !said.reasons.is_empty() {
                return None;
            }
            // Freeing is a scheduling point only if every access is one from the start. Otherwise
            // the two orders of a free and another use are not both explored, so the behaviour of
            // the thread after the other order is missing too.
            let explicit = way.options.iter().any(|option| option == "--visibility");
            if !explicit && found.iter().any(|word| word.starts_with("memory.")) {
                return None;
            }
            report(format!("missing: {}", kinds(missing.into_iter())), found)
        }
        _ => None,
    }
}

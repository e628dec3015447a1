//! The values of options: what can be given, and how it is read.

use clap::ValueEnum;
use clap::error::{ContextKind, ContextValue};
use selvedge_explore::unfold::Partial;
use selvedge_frontend::Language;
use selvedge_session::{Dependence, Strategy, Symmetry, Visibility};
use std::path::PathBuf;
use std::time::Duration;

#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum SolverBackend {
    Both,
    Bits,
    Z3,
}

#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Switch {
    On,
    Off,
}

impl Switch {
    pub(crate) fn on(self) -> bool {
        self == Switch::On
    }
}

#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum BoundedPolling {
    /// The first round of the loop reads
    Once,
    /// Each round reads
    All,
}

#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum RustLocks {
    /// As a step that is possible once the lock is free, or the condition variable notified
    Modelled,
    /// As the standard library does it
    Executed,
}

#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum ThreadHandles {
    Late,
    Early,
}

#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum MoreStatistics {
    /// Thread choices, by kind
    Choices,
    /// Also by brute force which of them are necessary
    NecessaryChoices,
}

#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum SearchOrder {
    /// Depth-first
    Dfs,
    /// Breadth-first
    Bfs,
    /// A random path
    Random,
    /// Where code is new first
    Coverage,
}

#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum StopAt {
    First,
    Never,
}

#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Format {
    Human,
    Json,
    Sarif,
    Junit,
    Github,
}

#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum When {
    Auto,
    Always,
    Never,
}

/// Which steps of a schedule are printed.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Steps {
    Short,
    All,
}

/// A strategy, or the one that suits the rest.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum StrategyOption {
    Auto,
    Given(Strategy),
}

/// Commands and options of versions to come.
const LATER: [&str; 4] = ["view", "--peek", "--write-write-pruning", "--allow-external"];

/// What to say of a command line that asks for a feature to come.
pub(crate) fn not_yet(error: &clap::Error) -> Option<String> {
    let word = [ContextKind::InvalidSubcommand, ContextKind::InvalidArg]
        .into_iter()
        .find_map(|kind| match error.get(kind) {
            Some(ContextValue::String(word)) => Some(word.as_str()),
            _ => None,
        })?;
    LATER.contains(&word).then(|| later(word))
}

fn later(value: &str) -> String {
    format!("`{value}` is not available yet")
}

pub(super) fn strategy(text: &str) -> Result<StrategyOption, String> {
    Ok(StrategyOption::Given(match text {
        "auto" => return Ok(StrategyOption::Auto),
        "dpor" => Strategy::Dpor,
        "random" => Strategy::Random,
        "pct" => Strategy::Pct,
        "unfold" => Strategy::Unfold,
        "stateful" => Strategy::Stateful,
        "reads-from" => Strategy::ReadsFrom,
        "guarded" | "optimal" => return Err(later(text)),
        _ => return Err("expected auto, dpor, unfold, stateful, reads-from, random or pct".to_owned()),
    }))
}

pub(super) fn dependence(text: &str) -> Result<Dependence, String> {
    match text {
        "auto" => Ok(Dependence::Auto),
        "conflict" => Ok(Dependence::Conflict),
        "predicate" => Ok(Dependence::Predicate),
        "predicate-published" => Ok(Dependence::PredicatePublished),
        _ => Err("expected auto, conflict, predicate or predicate-published".to_owned()),
    }
}

pub(super) fn symmetry(text: &str) -> Result<Symmetry, String> {
    match text {
        "auto" => Ok(Symmetry::Auto),
        "on" => Ok(Symmetry::On),
        "off" => Ok(Symmetry::Off),
        _ => Err("expected on, off or auto".to_owned()),
    }
}

pub(super) fn visibility(text: &str) -> Result<Visibility, String> {
    match text {
        "auto" => Ok(Visibility::Auto),
        "sync" => Ok(Visibility::Sync),
        "memory" => Ok(Visibility::Memory),
        "fields" => Ok(Visibility::Fields),
        "hybrid" => Ok(Visibility::Hybrid),
        "reachable" => Ok(Visibility::Reachable),
        _ => Err("expected auto, sync, memory, reachable, fields or hybrid".to_owned()),
    }
}

pub(super) fn partial(text: &str) -> Result<Partial, String> {
    match text {
        "optimal" => Ok(Partial::All),
        _ => match text.parse() {
            Ok(k) if k > 0 => Ok(Partial::Last(k)),
            _ => Err("expected a number from 1, or optimal".to_owned()),
        },
    }
}

/// A directory that has a name: the compiler would take its next argument for one without.
pub(super) fn directory(text: &str) -> Result<PathBuf, String> {
    if text.is_empty() {
        return Err("expected a directory".to_owned());
    }
    Ok(text.into())
}

pub(super) fn language(text: &str) -> Result<Language, String> {
    match text {
        "c" => Ok(Language::C),
        "c++" => Ok(Language::Cxx),
        _ => Err("expected c or c++".to_owned()),
    }
}

pub(super) fn file_flags(text: &str) -> Result<(PathBuf, Vec<String>), String> {
    selvedge_session::file_flags(text).ok_or_else(|| "expected FILE=FLAGS, such as a.c=-DX".to_owned())
}

pub(super) fn malloc_failures(text: &str) -> Result<Switch, String> {
    match text {
        "off" => Ok(Switch::Off),
        "on" => Err("failing allocations are not available yet".to_owned()),
        _ => Err("expected off".to_owned()),
    }
}

/// `90`, `90s`, `1.5m`, `2h`.
pub(crate) fn duration(text: &str) -> Result<Duration, String> {
    let unit = text.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.');
    let factor = match unit {
        "" | "s" => 1.0,
        "ms" => 1e-3,
        "m" | "min" => 60.0,
        "h" => 3600.0,
        _ => return Err("expected a time such as 90, 90s, 5m or 2h".to_owned()),
    };
    let number: f64 = text[..text.len() - unit.len()]
        .parse()
        .map_err(|_| "expected a time such as 90s".to_owned())?;
    Duration::try_from_secs_f64(number * factor).map_err(|_| "the time is out of range".to_owned())
}

/// `1048576`, `500M`, `4G`, `4GiB`.
pub(crate) fn size(text: &str) -> Result<u64, String> {
    let unit = text.trim_start_matches(|c: char| c.is_ascii_digit());
    let shift = match unit.trim_end_matches("iB").trim_end_matches('B') {
        "" => 0,
        "k" | "K" => 10,
        "M" => 20,
        "G" => 30,
        "T" => 40,
        _ => return Err("expected a size such as 500M or 4G".to_owned()),
    };
    let number: u64 = text[..text.len() - unit.len()]
        .parse()
        .map_err(|_| "expected a size such as 500M".to_owned())?;
    number
        .checked_mul(1 << shift)
        .ok_or_else(|| "the size is out of range".to_owned())
}

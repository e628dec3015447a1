//! Faults of a server, and of the way to it.

/// What the server, or the way to it, could not do. Most of it passes.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{0}")]
pub struct Fault(pub String);

impl Fault {
    pub(crate) fn of(what: &str, error: impl std::fmt::Display) -> Fault {
        Fault(format!("{what}: {error}"))
    }
}

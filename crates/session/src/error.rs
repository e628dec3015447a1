//! The reasons why a session has no report.

use selvedge_explore::kept::Misfit;

/// Why there is no report.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Error {
    /// It was told to end before there was anything to explore.
    #[error("told to end before there was anything to explore")]
    Stopped,
    /// Options that contradict each other.
    #[error("{0}")]
    Usage(String),
    /// The program cannot be run, or the checkpoint does not belong to it.
    #[error("{0}")]
    Program(String),
    /// There is no slice of the program.
    #[error("no slice of the program, for {0}")]
    NoSlice(String),
    /// A strategy that takes turns with others does not cover the program, which has this.
    #[error("not covered: {0}")]
    Uncovered(&'static str),
    /// Requested output cannot be written, or the system cannot create a thread.
    #[error("{0}")]
    Output(String),
    /// An internal error.
    #[error("{0}")]
    Internal(String),
}

impl From<Misfit> for Error {
    fn from(misfit: Misfit) -> Error {
        Error::Program(misfit.to_string())
    }
}

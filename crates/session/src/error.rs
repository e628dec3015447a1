//! Why a session has no report.

/// Why there is no report.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Error {
    /// It was told to end before there was anything to explore.
    #[error("told to end before there was anything to explore")]
    Stopped,
    /// Options do not go together.
    #[error("{0}")]
    Usage(String),
    /// The program cannot be run, or the checkpoint does not belong to it.
    #[error("{0}")]
    Program(String),
    /// There is no slice of the program.
    #[error("no slice of the program, for {0}")]
    NoSlice(String),
    /// Something that was asked for cannot be written, or the system gives no thread.
    #[error("{0}")]
    Output(String),
    /// Our mistake.
    #[error("{0}")]
    Internal(String),
}

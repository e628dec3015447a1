//! Why there is no native program.

/// Why a module cannot be rewritten.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Refused {
    /// There is no native form of this.
    Unsupported(String),
    /// The set is one of another program.
    Misfit(String),
}

//! What an exploration assumes of a program, so that it explores less; see `again.rs`.

/// What an exploration assumes.
pub trait Assumption {
    /// The maximum number of weaker assumptions that may follow this one.
    fn weaker(&self) -> u32;
}

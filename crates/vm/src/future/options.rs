//! How precisely the future of other threads is computed.

/// How the future of other threads is computed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Futures {
    /// How precisely accesses are distinguished.
    pub elements: Elements,
    /// If true, the question is not asked before statements where it was hardly useful so far;
    /// otherwise only if it has cost very much there.
    pub sparing: bool,
}

/// How precisely the accesses of other threads are distinguished.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Elements {
    /// No thread is followed: it may do anything to each object that it reaches
    /// (`reach.rs`).
    Reachable,
    /// All elements of an array are treated as one.
    Together,
    /// Elements are distinguished by index.
    #[default]
    Apart,
}

//! Deliberate mistakes, to show that tests find them.

/// A deliberate mistake.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Weaken {
    /// No mistake.
    #[default]
    Nothing,
    /// A write that comes before a read need not come before the read's source.
    EarlierWrites,
    /// A write that comes after a read's source need not come after the read.
    LaterWrites,
    /// Two updates may read from the same write.
    Atomicity,
    /// A write that is found later is no source of earlier reads.
    Revisits,
    /// An update that cannot be kept is no source of earlier reads either.
    Dropped,
    /// A read keeps what was decided when it read something else.
    StaleDecision,
    /// What waits is left out, and nothing is explored without it.
    Waiting,
    /// A thread that is blocked waits for ever, whatever came after what it has read.
    LastWrite,
    /// A source is tried once, whatever came before it.
    SourceByPlace,
    /// Only the first decision is explored.
    Decisions,
    /// Which order two stores have does not matter for what a read acquires.
    Sequences,
}

//! Deliberate mistakes, to show that tests find them.

/// A deliberate mistake, to show that tests find it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Weaken {
    /// No mistake.
    #[default]
    Nothing,
    /// Sleeping threads never wake up.
    Wakeups,
    /// Blocked threads are not searched for.
    BlockedSearch,
    /// If no thread leads to the action, only the first enabled thread is added.
    AddAll,
    /// Woken threads are not ordered after the event that woke them, and are not compared with it.
    OldPending,
    /// Only the first alternative is taken.
    Alternatives,
    /// The search for races of the thread that moved is left out.
    OwnSearch,
}

//! Deliberate mistakes, to show that tests find them.

/// A deliberate mistake.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Weaken {
    /// No mistake.
    #[default]
    Nothing,
    /// An independent action that goes first is always enough, wherever it leads.
    Proviso,
    /// What detectors remember is not part of the state.
    Memory,
    /// Every dependence is treated as synchronisation.
    Synchronised,
    /// Whoever uses a synchronisation object is treated as knowing how it was set up.
    SetUps,
    /// Threads that wait for ever beside others that run for ever are not searched for.
    Stuck,
    /// No mistake: checks that each step leads to the predicted state.
    Foreseen,
    /// All steps of other threads are treated as independent.
    Commuting,
    /// A step that leads to a state of the path is left out even if it is the first one of its
    /// state.
    Circle,
}

//! Deliberate mistakes, to see that tests notice them.

/// A deliberate mistake.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Weaken {
    /// As it should be.
    #[default]
    Nothing,
    /// An independent action that goes first is enough, whatever it leads to.
    Proviso,
    /// What detectors remember is no part of the state.
    Memory,
    /// Every dependence is taken for synchronisation.
    Synchronised,
    /// Threads that wait for ever beside others that run for ever are not looked for.
    Stuck,
    /// No mistake: that a step leads where it was foreseen to lead is checked.
    Foreseen,
    /// All steps of other threads are taken for independent.
    Commuting,
    /// A step that leads to a state of the path is left out even if it is the first one there.
    Circle,
}

//! Deliberate mistakes, to see that tests notice them.

use selvedge_model::OpClass;

/// A deliberate mistake.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Weaken {
    /// As it should be.
    #[default]
    Nothing,
    /// No other events where a thread is held.
    HeldThreads,
    /// Where threads take turns, the machine is not asked whose turn it is.
    Turns,
    /// What uses its object in this way has no other events at its position.
    Class(OpClass),
    /// The other events at a position come right after what is before it.
    OnlyEmpty,
    /// No other events where a thread is blocked.
    Blocked,
    /// None in the place of cutoffs.
    Cut,
    /// None where a thread must not come between an action and what completes it.
    Between,
    /// What a data choice completes is no event on which others depend, where the machine is asked.
    Completed,
    /// Positions are looked at once, whatever comes later.
    Again,
    /// Of two paths one after the other, only what is new in the second is looked at.
    Since,
    /// What other events depend on lies below the event.
    Beside,
    /// A woken wait could not have ended by itself.
    Timeouts,
    /// What a cancelled thread would have done is not looked for.
    Cancelled,
    /// Only the later of two events in conflict knows of it.
    OneSided,
    /// Events that are not enabled any more stay disabled.
    Disabled,
    /// What was not decided where an execution ended is not decided later.
    Sweep,
    /// Only the first candidate for an alternative is tried.
    FirstCandidate,
    /// Whether events of an alternative go together is not asked.
    Together,
    /// A known state cuts off whatever reaches it later, be it smaller.
    AnyState,
    /// What a cutoff itself does is no part of what counts.
    CutoffLabel,
    /// A mutex guards what is done with it, whoever sets it up meanwhile.
    SetUp,
    /// Faults that end the process are not paired with what may race with them.
    BesideFaults,
    /// A fault that ends the process is cut off where its state is known.
    KnownFaults,
    /// What detectors remember is no part of the state, even where it counts.
    Memory,
    /// Where it counts, a known past stands for one after which more is held.
    Held,
    /// It never counts.
    NeverAnew,
    /// What is done at the first places that count is all that ever does.
    Places,
    /// Threads that wait for ever beside others that run for ever are not looked for.
    Stuck,
    /// Where these are looked for, an independent action that goes first is enough, though the
    /// state after it is known.
    Proviso,
    /// It is enough, though a thread has stopped after it.
    StopProviso,
    /// No execution needs to go on for ever.
    Fair,
    /// What threads touched last is no part of the state.
    History,
    /// Whose history it is, is no part of it.
    HistoryOwner,
    /// What the last event touched is no part of a history.
    HistoryFootprint,
}

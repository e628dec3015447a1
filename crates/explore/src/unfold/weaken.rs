//! Deliberate mistakes, to show that tests find them.

use selvedge_model::OpClass;

/// A deliberate mistake.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Weaken {
    /// No mistake.
    #[default]
    Nothing,
    /// There are no other events where a thread is held.
    HeldThreads,
    /// The machine is not asked whose turn it is where threads take turns.
    Turns,
    /// An operation of this class has no other events at its position.
    Class(OpClass),
    /// The other events at a position have no causes beyond those of the position's predecessor.
    OnlyEmpty,
    /// No other events at positions where a thread is blocked.
    Blocked,
    /// No other events in the place of cutoffs.
    Cut,
    /// No other events for a thread that must not come between an action and the choice that
    /// completes it.
    Between,
    /// When the machine is queried, the action that a data choice completes is not considered as a
    /// dependent event.
    Completed,
    /// Each position is examined only once, whatever comes later.
    Again,
    /// Of two consecutive paths, only the new events of the second are examined.
    Since,
    /// The other events of a position depend only on events below its event.
    Beside,
    /// A woken wait could not have ended without being woken.
    Timeouts,
    /// The actions that a cancelled thread would have taken are not searched for.
    Cancelled,
    /// Only the later of two events in conflict stores the conflict.
    OneSided,
    /// Events that are not enabled any more stay in D.
    Disabled,
    /// A decision that was open where an execution ended is not made later.
    Sweep,
    /// Only the first candidate for an alternative is tried.
    FirstCandidate,
    /// Conflicts between events of an alternative are not checked.
    Together,
    /// A known state cuts off every event that reaches it later, even with a smaller configuration.
    AnyState,
    /// The operation of a cutoff itself does not count.
    CutoffLabel,
    /// A mutex orders its critical sections even if a thread initialises it meanwhile.
    SetUp,
    /// Faults that end the process are not paired with events with which they may race.
    BesideFaults,
    /// A fault that ends the process is a cutoff if its state is known.
    KnownFaults,
    /// What detectors remember is not part of the state, even if it counts.
    Memory,
    /// A past with fewer held accesses subsumes one with more.
    Held,
    /// The past never counts.
    NeverAnew,
    /// Only the first places that count are ever added.
    Places,
    /// Threads that wait for ever beside others that run for ever are not searched for.
    Stuck,
    /// In that search, an independent action that goes first is enough even if the state after it
    /// is known.
    Proviso,
    /// In that search, such an action is enough even if a thread has stopped after it.
    StopProviso,
    /// In that search, no execution needs to go on for ever.
    Fair,
    /// The last action of each thread is not part of the state.
    History,
    /// A history does not contain its thread.
    HistoryOwner,
    /// A history does not contain the footprint of the last event.
    HistoryFootprint,
}

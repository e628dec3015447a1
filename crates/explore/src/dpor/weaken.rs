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
    /// Accesses outside of sections are not checked against those inside.
    SectionAccesses,
    /// A section ends before an action that it must not hold.
    SectionContents,
    /// What else is done with a mutex is not checked against its sections.
    SectionMutex,
    /// A section that stopped inside, or that is blocked, counts as known.
    SectionStops,
    /// Each section happens before the next one of its mutex.
    SectionClocks,
    /// A section that sleeps is compared by its mutex alone.
    SectionSleep,
    /// Each compare-and-swap counts as one that fails.
    AnyOutcome,
    /// Each compare-and-swap of a sleeping thread counts as one that fails.
    AsleepOutcome,
    /// Each attempt to take a lock or a semaphore counts as one that fails.
    AnyTry,
    /// Each store that may change nothing does so.
    AnySilent,
    /// Each such store of a sleeping thread does so.
    AsleepSilent,
    /// A signal depends on the thread that it wakes, and on no other one that waits.
    SignalOutcome,
    /// No read is looked at for the order of two writes.
    Observers,
    /// What reads and writes in one step is not looked at.
    ObserversRmw,
    /// Of the writes that a read could have seen instead, only the last one is asked for.
    ObserversLatest,
    /// Two writes are ordered by happens-before, although their order is not reversed.
    ObserversClocks,
}

//! Deliberate mistakes in predictions, to show that tests find them.

/// A deliberate mistake.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Weaken {
    /// No mistake.
    #[default]
    Nothing,
    /// Where control-flow paths meet, the values of the first one stay.
    Join,
    /// Only the first way of an undecided branch is followed.
    Branch,
    /// What other threads store is not loaded.
    Store,
    /// Values that are stored later do not make another round.
    Round,
    /// A read is not recorded.
    Read,
    /// Called functions do nothing.
    Call,
    /// A recursive call returns nothing, whatever it turns out to return.
    Recursion,
    /// Locks that the observed thread does not hold are taken for held.
    Held,
    /// A lock that is held for reading is not taken for reading.
    Readers,
    /// A lock that the observed thread holds stays one, whatever is written there.
    Relied,
    /// The end of a stack object is no write.
    Locals,
    /// `free` is no write.
    Free,
    /// `memcpy` and `memset` are no writes.
    Copy,
    /// Barriers never open.
    Barrier,
    /// Threads that are created later are not followed.
    Create,
    /// An address that was moved by an unknown index stays where it was.
    Index,
    /// Of a pointer to one of several objects, only the first object is considered.
    Objects,
    /// Of a pointer to an object or to a new one, only the new one is considered.
    Either,
    /// A store that may be elsewhere replaces what was stored before.
    Surely,
    /// A thread is on one path even where a branch is not decided.
    Straight,
    /// A thread that returns to an instruction with equal registers goes round for ever.
    Stands,
    /// A new object's address that was moved anywhere is not null.
    Moved,
    /// A prediction is made once for all contents of memory.
    Contents,
    /// A prediction is made once for all positions of the followed threads.
    Position,
    /// A prediction is made once for all locks that the observed thread holds.
    Holder,
    /// What a thread may do is found out once for all that other threads store.
    Answers,
    /// What the registers and stack objects of threads contain is not reached.
    Reach,
}

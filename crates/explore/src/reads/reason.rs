//! Why an exploration does not go on by reads-from.

use serde::{Deserialize, Serialize};

/// What this strategy does not cover: the program has to be explored by another one.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Uncovered {
    /// Accesses of different sizes share bytes.
    Sizes,
    /// An atomic block.
    Blocks,
    /// A wait that may time out.
    Timeout,
    /// A thread is cancelled, or may be.
    Cancel,
    /// A wait that somebody outside of the program may end.
    Outside,
    /// An action takes effect only with a data choice after it.
    Incomplete,
    /// A step contains actions of its own.
    Parts,
    /// A thread does something else if other threads' independent actions come in another order.
    Strays,
    /// The process ends by a fault, and the search goes on.
    EndsByFault,
    /// A thread is blocked by something that is no object.
    NoObject,
    /// An execution has too many events.
    Long,
    /// Whether an execution graph is consistent was not found out.
    Hard,
    /// A read has too many sources.
    Wide,
    /// The values that variables have in the end, of which the order of writes decides.
    LastValues,
    /// What is read by no action of its own, and has several last writes.
    Unseen,
    /// Loops wait for each other, or plain accesses are in them.
    Loops,
    /// The order of stores decides what a read acquires.
    Sequences,
}

impl Uncovered {
    /// The reason, in words: what the program has.
    pub const fn text(self) -> &'static str {
        match self {
            Uncovered::Sizes => "accesses of different sizes to the same bytes",
            Uncovered::Blocks => "atomic blocks",
            Uncovered::Timeout => "waits that may time out",
            Uncovered::Cancel => "threads that may be cancelled",
            Uncovered::Outside => "waits that end from outside",
            Uncovered::Incomplete => "actions that end with a decision about an input",
            Uncovered::Parts => "steps of several actions",
            Uncovered::Strays => "threads whose actions depend on more than what they read",
            Uncovered::EndsByFault => "a fault that ends the process while the search goes on",
            Uncovered::NoObject => "a thread that is blocked by no object",
            Uncovered::Long => "executions of too many events",
            Uncovered::Hard => "an execution graph whose consistency is too hard to decide",
            Uncovered::Wide => "a read of too many sources",
            Uncovered::Unseen => "plain reads of variables that several threads write atomically",
            Uncovered::LastValues => "properties of the last values of variables (leaks)",
            Uncovered::Loops => "threads that wait for each other in loops",
            Uncovered::Sequences => "release sequences that other threads' stores may end",
        }
    }
}

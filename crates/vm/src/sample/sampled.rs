//! What executions have shown of variables, as data.

use crate::confined::variables::Bytes;
use crate::counters::Word;

/// What two executions have shown.
#[derive(Clone, Default, Debug)]
pub(crate) struct Sampled {
    /// The bytes of atomic variables that are used as if they were confined.
    pub confined: Vec<Bytes>,
    /// The variables to which several threads add without looking, by address.
    pub counters: Vec<Word>,
}

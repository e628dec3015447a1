//! Where dead slots wait; see `quarantine.rs`.

/// A place for dead slots.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) enum Place {
    /// Returned to their thread (its region), for this size class, in the order of arrival.
    Waiting(u32, u32),
    /// Carried by a thread (its region).
    Carried(u32),
    /// Left at a synchronisation object.
    Left(u64),
}

impl Place {
    /// The place as two words.
    pub fn words(self) -> [u64; 2] {
        match self {
            Place::Waiting(owner, class) => [0, u64::from(owner) << 8 | u64::from(class)],
            Place::Carried(region) => [1, u64::from(region)],
            Place::Left(object) => [2, object],
        }
    }
}

/// A change of the dead slots at a place, as far as it takes to undo it. Most changes are of one
/// slot, and a step that frees much makes many of them.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum DeadChange {
    /// All slots were replaced; these were there before.
    Replaced(Vec<u64>),
    /// A slot was added at this index.
    Added(usize),
    /// This slot was removed from the front.
    Taken(u64),
}

impl DeadChange {
    /// Undoes the change of a list of slots.
    pub(super) fn undo(self, slots: &mut Vec<u64>) {
        match self {
            DeadChange::Replaced(old) => *slots = old,
            DeadChange::Added(index) => {
                slots.remove(index);
            }
            DeadChange::Taken(slot) => slots.insert(0, slot),
        }
    }
}

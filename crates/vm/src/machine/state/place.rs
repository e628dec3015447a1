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

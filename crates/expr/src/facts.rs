//! What is known of a value without asking a solver: bits that are certain and an unsigned interval. Computed once, when
//! the node is made, from what is known of its children.

use crate::bits::mask;
use crate::node::Width;

/// Certain bits and an unsigned interval; each is sound alone, and [`Facts::refine`] makes them agree.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Facts {
    /// Bits that are certainly 0, among those of the width.
    pub zeros: u128,
    /// Bits that are certainly 1.
    pub ones: u128,
    /// The least possible value or less.
    pub low: u128,
    /// The greatest possible value or more.
    pub high: u128,
}

impl Facts {
    /// Nothing known.
    pub const fn any(width: Width) -> Facts {
        Facts {
            zeros: 0,
            ones: 0,
            low: 0,
            high: mask(width),
        }
    }

    /// Exactly this value.
    pub const fn exactly(value: u128, width: Width) -> Facts {
        Facts {
            zeros: !value & mask(width),
            ones: value,
            low: value,
            high: value,
        }
    }
}

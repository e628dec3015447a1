//! Which library functions have a native model, by name.

use super::{PlainFn, Visible};

/// A native model.
#[derive(Clone, Copy)]
pub enum Native {
    /// Runs at once.
    Plain(PlainFn),
    /// A scheduling point.
    Visible(Visible),
    /// The join of a thread: a scheduling point that is mostly a part of the step before it.
    Join(Visible),
}

/// The native model of a function.
pub fn find(name: &str) -> Option<Native> {
    super::atomic::find(name)
        .or_else(|| crate::sync::find(name))
        .or_else(|| crate::libc::find(name))
}

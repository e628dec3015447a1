//! Which library functions have a native model, by name.

use crate::native::Native;
use crate::{libc, sync};

/// The native model of a function.
pub fn find(name: &str) -> Option<Native> {
    sync::find(name).or_else(|| libc::find(name))
}

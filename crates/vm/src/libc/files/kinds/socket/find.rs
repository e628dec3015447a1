//! The functions for sockets.

use super::{calls, connect, message, option};
use crate::native::Native;

/// The models of this folder.
pub(in crate::libc::files) fn find(name: &str) -> Option<Native> {
    calls::find(name)
        .or_else(|| connect::find(name))
        .or_else(|| message::find(name))
        .or_else(|| option::find(name))
}

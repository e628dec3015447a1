//! The kinds of files, one file each.

mod device;
mod event;
mod output;
mod pipe;
mod regular;

pub(super) use device::{NULL, ZERO};
pub(super) use event::{EVENT, SEMAPHORE, find};
pub(super) use output::OUTPUT;
pub(super) use pipe::{PIPE, make as make_pipe};
pub(super) use regular::{REGULAR, truncate};

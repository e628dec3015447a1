//! The kinds of files, one file each.

mod device;
mod event;
mod output;
mod pipe;
mod regular;
mod ring;
mod socket;

pub(super) use device::{NULL, ZERO};
pub(super) use event::{EVENT, SEMAPHORE};
pub(super) use output::OUTPUT;
pub(super) use pipe::{PIPE, make as make_pipe};
pub(super) use regular::{REGULAR, truncate};
pub(super) use socket::{DATAGRAM, STREAM, has_connection, has_place};

/// The functions that make files of these kinds, or that only one kind has.
pub(super) fn find(name: &str) -> Option<crate::native::Native> {
    event::find(name).or_else(|| socket::find(name))
}

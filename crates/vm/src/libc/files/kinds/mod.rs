//! The kinds of files (one file for each), and the description of each kind.

mod device;
mod directory;
mod epoll;
mod epoll_calls;
mod event;
mod eventfd;
mod link;
mod memory;
mod output;
mod pipe;
mod queue;
mod regular;
mod requests;
mod ring;
mod signals;
mod socket;
mod timer;
mod timer_calls;

pub(super) use directory::links as directory_links;
pub(super) use epoll::{forget, report};
pub(super) use epoll_calls::find as find_epoll;
pub(super) use eventfd::find as find_event;
pub(super) use memory::{Growing, Lent, LentBuffer, refuse_predicate};
pub(super) use pipe::make as make_pipe;
pub(super) use queue::find as find_queue;
pub(super) use regular::{MAPPED, MAPPED_FOR_WRITING, truncate};
pub(super) use requests::{declare as declare_requests, read as read_request};
pub(super) use signals::find as find_signals;
pub(super) use socket::find::find as find_socket;
pub(super) use socket::{has_connection, has_place};
pub(super) use timer_calls::find as find_timer;

use super::description::FileDescription;
use super::table::{Kind, OpenFile};
use device::{NULL, RANDOM, ZERO};
use directory::DIRECTORY;
use epoll::EPOLL;
use event::{EVENT, SEMAPHORE};
use link::LINK;
use memory::{GROWING, LENT};
use output::OUTPUT;
use pipe::PIPE;
use queue::QUEUE;
use regular::REGULAR;
use requests::REQUESTS;
use signals::SIGNALS;
use socket::description::{DATAGRAM, STREAM};
use timer::TIMER;

impl Kind {
    /// The description of this kind.
    pub fn description(self) -> &'static dyn FileDescription {
        match self {
            Kind::Regular => &REGULAR,
            Kind::Pipe => &PIPE,
            Kind::Output => &OUTPUT,
            Kind::Null => &NULL,
            Kind::Zero => &ZERO,
            Kind::Event => &EVENT,
            Kind::Semaphore => &SEMAPHORE,
            Kind::Stream => &STREAM,
            Kind::Datagram => &DATAGRAM,
            Kind::Epoll => &EPOLL,
            Kind::Requests => &REQUESTS,
            Kind::Directory => &DIRECTORY,
            Kind::Link => &LINK,
            Kind::Queue => &QUEUE,
            Kind::Timer => &TIMER,
            Kind::Signals => &SIGNALS,
            Kind::Random => &RANDOM,
            Kind::Growing => &GROWING,
            Kind::Lent => &LENT,
        }
    }
}

impl OpenFile {
    /// The description of the file's kind.
    pub fn description(&self) -> &'static dyn FileDescription {
        self.kind.description()
    }
}

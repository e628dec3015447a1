//! The descriptors of message queues. The queues are C code of the model library; nothing can be
//! done with a descriptor here but to close it.

use crate::hidden::HiddenObject;
use crate::libc::files::action::hidden;
use crate::libc::files::content::too_many;
use crate::libc::files::description::FileDescription;
use crate::libc::files::open::{self, How};
use crate::libc::files::operation::{After, Part, Parted, Performs, operation, phase, refused};
use crate::libc::files::table::{self, Kind};
use crate::native::{Cx, Native};
use crate::phase::Phase;
use selvedge_model::{ObjectId, Outcome};

/// The kind of message queues.
pub(in crate::libc::files) const QUEUE: Queue = Queue;

/// Message queues; see the documentation of the module.
pub(in crate::libc::files) struct Queue;

impl FileDescription for Queue {
    fn what(&self) -> &'static str {
        "a message queue"
    }

    fn woken_by(&self, _: u32) -> Option<ObjectId> {
        None
    }
}

/// The models of this file.
pub(in crate::libc::files) fn find(name: &str) -> Option<Native> {
    Some(match name {
        "__selvedge_queue_descriptor" => operation!(part, perform),
        _ => return None,
    })
}

fn part(cx: &mut Cx<'_>) -> Parted {
    if phase(cx) == Phase::First {
        return Ok(Part::Act(hidden(cx, HiddenObject::Descriptors)));
    }
    open::install_part(cx)
}

fn perform(cx: &mut Cx<'_>) -> Performs {
    if phase(cx) != Phase::First {
        let fd = open::install(cx, false)?;
        return Ok(After::Done(u64::from(fd), Outcome::Done));
    }
    let file = table::new_file(cx.state, Kind::Queue, 0o600).ok_or_else(too_many)?;
    let how = How::unnamed(0);
    match open::reserve(cx, file, how)? {
        Ok(()) => Ok(After::Next(Phase::Reserved, Outcome::Done)),
        Err(error) => refused(cx, error),
    }
}

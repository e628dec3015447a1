//! `eventfd`: makes an event counter (`event.rs`).

use crate::hidden::HiddenObject;
use crate::libc::files::action::hidden;
use crate::libc::files::content::{self, NONBLOCK, too_many};
use crate::libc::files::errno::EINVAL;
use crate::libc::files::open::{self, How};
use crate::libc::files::operation::{After, Part, Parted, Performs, operation, phase, refused};
use crate::libc::files::table::{self, Kind};
use crate::native::{Cx, Native};
use crate::phase::Phase;
use crate::word::FileField;
use selvedge_model::Outcome;

/// The models of this file.
pub(in crate::libc::files) fn find(name: &str) -> Option<Native> {
    Some(match name {
        "eventfd" => operation!(part, perform),
        _ => return None,
    })
}

const SEMAPHORE_FLAG: u32 = 1;
const CLOSE_ON_EXEC: u32 = content::CLOSE_ON_EXEC as u32;

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
    let (value, flags) = (cx.int(0)? as u32, cx.int(1)? as u32);
    if flags & !(SEMAPHORE_FLAG | CLOSE_ON_EXEC | NONBLOCK as u32) != 0 {
        return refused(cx, EINVAL);
    }
    let kind = if flags & SEMAPHORE_FLAG != 0 {
        Kind::Semaphore
    } else {
        Kind::Event
    };
    let file = table::new_file(cx.state, kind, 0o600).ok_or_else(too_many)?;
    if value > 0 {
        table::set_field(cx.state, file, FileField::Counter, u64::from(value));
    }
    let how = How::unnamed(u64::from(flags & (CLOSE_ON_EXEC | NONBLOCK as u32)));
    match open::reserve(cx, file, how)? {
        Ok(()) => Ok(After::Next(Phase::Reserved, Outcome::Done)),
        Err(error) => refused(cx, error),
    }
}

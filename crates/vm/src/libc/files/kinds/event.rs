//! Event counters: `eventfd`.
//!
//! A counter of 64 bits. A write of 8 bytes adds to it. A read takes the whole value, or 1 from a
//! semaphore (`EFD_SEMAPHORE`), and waits while the counter is 0. A write happens before the read
//! that follows it, as for a pipe.
//!
//! Unsupported: a write that would wait because the sum is too large, and a write of more than 8
//! bytes. (Linux takes the first 8 bytes or, from 6.10 on, none.)

use crate::hidden::HiddenObject;
use crate::libc::files::content::NONBLOCK;
use crate::libc::files::description::{Answer, Bytes, FileDescription, Readiness, Status, Written};
use crate::libc::files::errno::{EAGAIN, EINVAL};
use crate::libc::files::table::{self, OpenFile};
use crate::native::{Cx, Flow, Stop};
use crate::state::State;
use crate::value::Value;
use crate::word::FileField;
use selvedge_model::ObjectId;

/// Counters whose whole value is taken by a read.
pub(in crate::libc::files) const EVENT: Event = Event { semaphore: false };

/// Counters from which a read takes 1.
pub(in crate::libc::files) const SEMAPHORE: Event = Event { semaphore: true };

/// Event counters; see the documentation of the module.
pub(in crate::libc::files) struct Event {
    semaphore: bool,
}

/// The size of each read and write in bytes.
const SIZE: u64 = 8;
/// The largest value.
const MOST: u64 = u64::MAX - 1;

fn counter(state: &State, open: &OpenFile) -> u64 {
    table::field(state, open.file, FileField::Counter)
}

impl FileDescription for Event {
    fn what(&self) -> &'static str {
        "an event counter"
    }

    fn status(&self, _: &State, _: u32) -> Result<Status, Stop> {
        Ok(Status::ANONYMOUS)
    }

    fn woken_by(&self, file: u32) -> Option<ObjectId> {
        Some(HiddenObject::File(file).id())
    }

    fn ready(&self, state: &State, open: &OpenFile) -> Result<Readiness, Stop> {
        let value = counter(state, open);
        Ok(Readiness {
            readable: value > 0,
            writable: value < MOST,
            ..Readiness::default()
        })
    }

    fn refuses(&self, count: u64) -> Option<i32> {
        (count < SIZE).then_some(EINVAL)
    }

    fn can_read(&self, state: &State, open: &OpenFile) -> bool {
        counter(state, open) > 0
    }

    fn waits_to_read(&self) -> &'static str {
        "waits for an event counter that is 0"
    }

    fn available(&self, state: &State, open: &OpenFile, count: u64, _: Option<u64>) -> Answer<u64> {
        if count < SIZE {
            return Ok(Err(EINVAL));
        }
        if counter(state, open) == 0 {
            return Ok(Err(EAGAIN));
        }
        Ok(Ok(SIZE))
    }

    fn read(&self, cx: &mut Cx<'_>, open: &OpenFile, to: u64, _: u64, _: Option<u64>) -> Result<(), Stop> {
        let value = counter(cx.state, open);
        let taken = if self.semaphore { 1 } else { value };
        cx.state.memory.poke_checked(to, SIZE, Value::new(taken));
        table::set_field(cx.state, open.file, FileField::Counter, value - taken);
        Ok(())
    }

    fn write(&self, cx: &mut Cx<'_>, open: &OpenFile, bytes: Bytes, _: Option<u64>) -> Answer<Written> {
        if bytes.count < SIZE {
            return Ok(Err(EINVAL));
        }
        if bytes.count > SIZE {
            let what = "a write of more than 8 bytes to an event counter";
            return Err(Flow::Unsupported(what.into()));
        }
        let value = cx.state.memory.peek_checked(bytes.from, SIZE);
        let more = cx.concrete(value, "value written to an event counter")?;
        if more > MOST {
            return Ok(Err(EINVAL));
        }
        match counter(cx.state, open).checked_add(more) {
            Some(sum) if sum <= MOST => {
                table::set_field(cx.state, open.file, FileField::Counter, sum);
                Ok(Ok(Written::All(SIZE)))
            }
            _ if table::flags(cx.state, open.number) & NONBLOCK != 0 => Ok(Err(EAGAIN)),
            _ => Err(Flow::Unsupported("waiting for room in an event counter".into())),
        }
    }
}

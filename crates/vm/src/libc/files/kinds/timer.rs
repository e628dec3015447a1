//! Timers that are files: `timerfd`.
//!
//! A timer is disarmed, armed or expired. Time passes as it likes: an armed timer may have expired
//! at any moment after it was armed, or not yet. Nothing can be observed of that but by operations
//! on the timer, so each of them decides it (`ripe.rs`), by an input. A thread that waits for
//! nothing else goes on: the timer expires in the end. Nothing is read from one that is disarmed.
//!
//! `FileField::Counter` is the timer's state, `Length` the longest time until it expires, and
//! `Start` its period, in nanoseconds. An absolute time is at most so far away as it was when the
//! machine's clocks began.
//!
//! A read gives 1, or of a periodic timer 1 or 2, which is an input. Assumed: no more than two
//! periods pass between two reads.
//!
//! Happens-before: setting a timer happens before the read or poll that finds it expired, as the
//! timer's lock orders them.

use crate::hidden::HiddenObject;
use crate::libc::files::description::{Answer, Bytes, FileDescription, Readiness, Status, Written};
use crate::libc::files::errno::{EAGAIN, EINVAL};
use crate::libc::files::table::{self, OpenFile};
use crate::libc::limited;
use crate::native::{Cx, Stop};
use crate::state::State;
use crate::symbolic::Source;
use crate::value::Value;
use crate::word::FileField;
use selvedge_model::{InputKind, ObjectId};

/// Timers; see the documentation of the module.
pub(in crate::libc::files) const TIMER: Timer = Timer;

/// Timers; see the documentation of the module.
pub(in crate::libc::files) struct Timer;

/// What a timer does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Stage {
    /// It never expires.
    Disarmed,
    /// It expires at some moment.
    Armed,
    /// It has expired, and was not read since.
    Expired,
}

/// The size of each read in bytes.
const SIZE: u64 = 8;
/// The most periods that pass between two reads.
const PERIODS: u64 = 2;
pub(super) const SECOND: u64 = 1_000_000_000;

/// What a timer does now.
pub(super) fn stage(state: &State, file: u32) -> Stage {
    match table::field(state, file, FileField::Counter) {
        0 => Stage::Disarmed,
        1 => Stage::Armed,
        _ => Stage::Expired,
    }
}

/// Sets what a timer does.
fn set_stage(state: &mut State, file: u32, stage: Stage) {
    table::set_field(state, file, FileField::Counter, stage as u64);
}

/// Sets a timer: its stage, the longest time until it expires, and its period; 0 for none.
pub(super) fn set(state: &mut State, file: u32, stage: Stage, longest: u64, period: u64) {
    set_stage(state, file, stage);
    table::set_length(state, file, longest);
    table::set_field(state, file, FileField::Start, period);
}

/// The period of a timer; 0 if it has none.
pub(super) fn period(state: &State, file: u32) -> u64 {
    table::field(state, file, FileField::Start)
}

/// The time until a timer expires next, as seconds and nanoseconds: any that may be left.
pub(super) fn left(cx: &mut Cx<'_>, file: u32) -> [Value; 2] {
    let period = period(cx.state, file);
    let longest = match stage(cx.state, file) {
        Stage::Disarmed => 0,
        Stage::Armed => table::length(cx.state, file),
        Stage::Expired => period,
    };
    if longest == 0 {
        return [Value::new(0); 2];
    }
    let most = [longest / SECOND, longest % SECOND];
    let seconds = match most[0] {
        0 => Value::new(0),
        _ => cx.input(&number("seconds left"))[0],
    };
    let fraction = cx.input(&number("nanoseconds left"))[0];
    limited::time(cx, [seconds, fraction], most);
    [seconds, fraction]
}

/// An unsigned number of 64 bits.
fn number(name: &'static str) -> Source<'static> {
    Source {
        name,
        kind: InputKind::Scalar {
            bits: 64,
            signed: false,
        },
        size: 8,
    }
}

impl FileDescription for Timer {
    fn what(&self) -> &'static str {
        "a timer"
    }

    fn status(&self, _: &State, _: u32) -> Result<Status, Stop> {
        Ok(Status::ANONYMOUS)
    }

    fn woken_by(&self, file: u32) -> Option<ObjectId> {
        Some(HiddenObject::File(file).id())
    }

    fn ready(&self, state: &State, open: &OpenFile) -> Result<Readiness, Stop> {
        Ok(Readiness {
            readable: stage(state, open.file) == Stage::Expired,
            ..Readiness::default()
        })
    }

    fn ripens(&self, state: &State, open: &OpenFile) -> bool {
        stage(state, open.file) == Stage::Armed
    }

    fn ripen(&self, state: &mut State, open: &OpenFile) {
        set_stage(state, open.file, Stage::Expired);
    }

    fn refuses(&self, count: u64) -> Option<i32> {
        (count < SIZE).then_some(EINVAL)
    }

    fn can_read(&self, state: &State, open: &OpenFile) -> bool {
        stage(state, open.file) != Stage::Disarmed
    }

    fn waits_to_read(&self) -> &'static str {
        "waits for a timer that is disarmed"
    }

    fn available(&self, state: &State, open: &OpenFile, _: u64, _: Option<u64>) -> Answer<u64> {
        Ok(match stage(state, open.file) {
            Stage::Expired => Ok(SIZE),
            _ => Err(EAGAIN),
        })
    }

    fn read(&self, cx: &mut Cx<'_>, open: &OpenFile, to: u64, _: u64, _: Option<u64>) -> Result<(), Stop> {
        let period = period(cx.state, open.file);
        if period == 0 {
            cx.state.memory.poke_checked(to, SIZE, Value::new(1));
            set_stage(cx.state, open.file, Stage::Disarmed);
            return Ok(());
        }
        let count = cx.input(&number("expirations"))[0];
        limited::within(cx, count, 1, PERIODS);
        cx.state.memory.poke_checked(to, SIZE, count);
        set(cx.state, open.file, Stage::Armed, period, period);
        Ok(())
    }

    fn write(&self, _: &mut Cx<'_>, _: &OpenFile, _: Bytes, _: Option<u64>) -> Answer<Written> {
        Ok(Err(EINVAL))
    }
}

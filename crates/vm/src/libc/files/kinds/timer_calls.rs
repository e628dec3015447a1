//! `timerfd_create`, `timerfd_settime`, `timerfd_gettime`: make, set and read timers (`timer.rs`).

use super::timer::{self, SECOND, Stage};
use crate::hidden::HiddenObject;
use crate::libc::files::action::{hidden, on_file};
use crate::libc::files::buffer::{access, may_access};
use crate::libc::files::content::{self, NONBLOCK, too_many};
use crate::libc::files::errno::{EBADF, EINVAL, EPERM};
use crate::libc::files::lookup::{look, look_part, pinned};
use crate::libc::files::open::{self, How};
use crate::libc::files::operation::{
    After, Part, Parted, Performs, operation, phase, refused, refused_at_once,
};
use crate::libc::files::ripe;
use crate::libc::files::table::{self, Kind};
use crate::libc::time::origin;
use crate::native::{Cx, Native, Stop};
use crate::phase::Phase;
use crate::value::Value;
use crate::word::FileField;
use selvedge_model::{MemoryOrder, Op, Outcome};

/// The models of this file.
pub(in crate::libc::files) fn find(name: &str) -> Option<Native> {
    Some(match name {
        "timerfd_create" => operation!(create_part, create),
        "timerfd_settime" => operation!(set_part, set),
        "timerfd_gettime" => operation!(get_part, get),
        _ => return None,
    })
}

// ---- timerfd_create
// -------------------------------------------------------------------------------------------------

const CLOSE_ON_EXEC: u32 = content::CLOSE_ON_EXEC as u32;

fn create_part(cx: &mut Cx<'_>) -> Parted {
    if phase(cx) == Phase::First {
        return Ok(Part::Act(hidden(cx, HiddenObject::Descriptors)));
    }
    open::install_part(cx)
}

fn create(cx: &mut Cx<'_>) -> Performs {
    if phase(cx) != Phase::First {
        let fd = open::install(cx, false)?;
        return Ok(After::Done(u64::from(fd), Outcome::Done));
    }
    let (clock, flags) = (cx.int(0)?, cx.int(1)? as u32);
    if flags & !(CLOSE_ON_EXEC | NONBLOCK as u32) != 0 {
        return refused(cx, EINVAL);
    }
    match clock {
        0 | 1 | 7 => {}                     // CLOCK_REALTIME, CLOCK_MONOTONIC, CLOCK_BOOTTIME
        8 | 9 => return refused(cx, EPERM), // clocks that wake a system that is suspended
        _ => return refused(cx, EINVAL),
    }
    let file = table::new_file(cx.state, Kind::Timer, 0o600).ok_or_else(too_many)?;
    if clock != 0 {
        table::set_field(cx.state, file, FileField::Content, clock as u64);
    }
    let how = How::unnamed(u64::from(flags & (CLOSE_ON_EXEC | NONBLOCK as u32)));
    match open::reserve(cx, file, how)? {
        Ok(()) => Ok(After::Next(Phase::Reserved, Outcome::Done)),
        Err(error) => refused(cx, error),
    }
}

/// The time at which the clock of a timer began, in seconds.
fn beginning(cx: &Cx<'_>, file: u32) -> u64 {
    let clock = table::field(cx.state, file, FileField::Content);
    origin(clock as i32).unwrap_or(0)
}

// ---- timerfd_settime
// -------------------------------------------------------------------------------------------------

const ABSOLUTE: i32 = 1;
/// Only a change of the clock makes a difference.
const CANCEL_ON_SET: i32 = 2;
/// The size of a `struct itimerspec`: a period, and the time until the timer expires.
const SIZE: u64 = 32;
/// The longest time that Linux knows, in nanoseconds.
const LONGEST: u64 = i64::MAX as u64;

/// The period and the time in a `struct itimerspec`, in nanoseconds; `None` if it is invalid.
fn times(words: [u64; 4]) -> Option<[u64; 2]> {
    let [period, time] = [0, 2].map(|at| {
        let (seconds, fraction) = (words[at], words[at + 1]);
        if seconds > i64::MAX as u64 || fraction >= SECOND {
            return None;
        }
        let all = seconds
            .checked_mul(SECOND)
            .and_then(|all| all.checked_add(fraction));
        Some(all.unwrap_or(LONGEST).min(LONGEST))
    });
    Some([period?, time?])
}

fn set_part(cx: &mut Cx<'_>) -> Parted {
    let (fd, flags, from) = (cx.int(0)?, cx.int(1)?, cx.word(2)?);
    if phase(cx) == Phase::First {
        // Read the program's memory now, before the release.
        may_access(cx, from)?;
        let mut words = [0; 4];
        for (at, word) in (from..).step_by(8).zip(&mut words) {
            *word = cx.load_defined(at, 8, "time of a timer")?;
        }
        if flags & !(ABSOLUTE | CANCEL_ON_SET) != 0 || times(words).is_none() {
            return refused_at_once(cx, EINVAL);
        }
        return look_part(cx, fd);
    }
    let open = pinned(cx)?;
    if open.kind != Kind::Timer {
        return refused_at_once(cx, EINVAL);
    }
    let action = on_file(cx, open.kind, open.file, Op::Hidden, MemoryOrder::Release);
    Ok(Part::Act(action))
}

fn set(cx: &mut Cx<'_>) -> Performs {
    if phase(cx) == Phase::First {
        return looks(cx);
    }
    let (open, flags, from, old) = (pinned(cx)?, cx.int(1)?, cx.word(2)?, cx.word(3)?);
    let mut words = [0; 4];
    for (at, word) in (from..).step_by(8).zip(&mut words) {
        let value = cx.state.memory.peek_checked(at, 8);
        *word = cx.concrete(value, "time of a timer")?;
    }
    let Some([period, time]) = times(words) else {
        return refused(cx, EINVAL);
    };
    if old != 0 {
        if open.description().ripens(cx.state, &open) {
            ripe::decide(cx, vec![open], false)?;
        }
        tell(cx, open.file, old)?;
    }
    let begins = beginning(cx, open.file).saturating_mul(SECOND);
    let (stage, longest) = match time {
        0 => (Stage::Disarmed, 0),
        _ if flags & ABSOLUTE == 0 => (Stage::Armed, time),
        _ if time <= begins => (Stage::Expired, 0),
        _ => (Stage::Armed, time - begins),
    };
    timer::set(cx.state, open.file, stage, longest, period);
    Ok(After::Done(0, Outcome::Done))
}

/// Looks the descriptor in argument 0 up.
fn looks(cx: &mut Cx<'_>) -> Performs {
    let fd = cx.int(0)?;
    match look(cx, fd) {
        Some(_) => Ok(After::Next(Phase::LookedUp, Outcome::Done)),
        None => refused(cx, EBADF),
    }
}

// ---- timerfd_gettime
// -------------------------------------------------------------------------------------------------

fn get_part(cx: &mut Cx<'_>) -> Parted {
    let fd = cx.int(0)?;
    if phase(cx) == Phase::First {
        return look_part(cx, fd);
    }
    let open = pinned(cx)?;
    if open.kind != Kind::Timer {
        return refused_at_once(cx, EINVAL);
    }
    let action = on_file(cx, open.kind, open.file, Op::Hidden, MemoryOrder::NotAtomic);
    Ok(Part::Act(action))
}

fn get(cx: &mut Cx<'_>) -> Performs {
    if phase(cx) == Phase::First {
        return looks(cx);
    }
    let (open, to) = (pinned(cx)?, cx.word(1)?);
    if open.description().ripens(cx.state, &open) {
        ripe::decide(cx, vec![open], false)?;
    }
    tell(cx, open.file, to)?;
    Ok(After::Done(0, Outcome::Done))
}

/// Stores the period of a timer and the time until it expires next.
fn tell(cx: &mut Cx<'_>, file: u32, to: u64) -> Result<(), Stop> {
    access(cx, to, SIZE, true)?;
    let period = timer::period(cx.state, file);
    let left = timer::left(cx, file);
    let values = [
        Value::new(period / SECOND),
        Value::new(period % SECOND),
        left[0],
        left[1],
    ];
    for (at, value) in (to..).step_by(8).zip(values) {
        cx.state.memory.poke_checked(at, 8, value);
    }
    Ok(())
}

//! Clocks. Each thread has its own clock, which advances by one second at each read. The first
//! thread's starts at a fixed time, another one's at the time of the thread that creates it. Who
//! joins a thread goes on from the later time of the two.
//!
//! What waits and sleeps say of clocks is in `deadline.rs`.
//!
//! *A limit.* With [`Options::clock_steps`](crate::Options), a thread's clock stands still once it
//! has gone on so often. Then states repeat that otherwise differ in the time only.
//!
//! *Relative clocks.* Where the machine is asked for it, what a clock says is an expression, so
//! that such states are one (`symbolic/clock.rs`).
//!
//! So programs are deterministic, no clock is shared, and a thread that waits for a point in time
//! reaches it. Missed: times that threads read and pass on in another way than by creation and join
//! can go backwards. Calendar functions are unsupported.

use super::stepped::store;
use super::{Answer, by_element};
use crate::clocks::{EPOCH, UPTIME};
use crate::native::{Cx, Flow, Native, Stop};
use crate::value::Value;
use crate::word::WordKey;

/// The models of this file.
pub fn find(name: &str) -> Option<Native> {
    Some(match name {
        "time" => by_element!(time),
        "clock" => by_element!(clock),
        "clock_gettime" | "__clock_gettime" => by_element!(clock_gettime),
        "clock_getres" => by_element!(clock_getres),
        "gettimeofday" => by_element!(gettimeofday),
        "timespec_get" => by_element!(timespec_get),
        "times" => by_element!(times),
        _ => return None,
    })
}

/// Whether a function of this name reads a clock.
pub(crate) fn reads_clock(name: &str) -> bool {
    matches!(
        name,
        "time" | "clock" | "clock_gettime" | "__clock_gettime" | "gettimeofday" | "timespec_get" | "times"
    )
}

const EINVAL: i32 = 22;

/// Seconds since the start of the first thread's clock. Advances the thread's clock.
fn elapsed(cx: &mut Cx<'_>) -> u64 {
    tell_apart(cx);
    use_clock(cx);
    let word = WordKey::Clock(cx.thread);
    let core = cx.state.own_core(cx.thread);
    let (least, stays) = (u64::from(core.time), core.clock_stays);
    (core.time, core.clock_stays) = (0, stays.saturating_sub(1));
    let next = cx.state.word(word);
    if let Some(told) = next.checked_sub(1)
        && least == 0
        && (stays > 0 || !goes_on(cx))
    {
        return told;
    }
    let seconds = next.max(least);
    cx.state.reaches(seconds + 1);
    cx.program.note_clock(seconds + 1);
    cx.state.set_word(word, seconds + 1);
    seconds
}

/// Reads the thread's clock, which counts from `origin`.
fn read(cx: &mut Cx<'_>, origin: u64) -> Value {
    let seconds = origin + elapsed(cx);
    cx.state.says(cx.thread, seconds)
}

/// The thread's clock is used, and may be another one than at the thread's creation.
pub(super) fn use_clock(cx: &mut Cx<'_>) {
    if cx.state.modes().relative_clocks {
        let core = cx.state.own_core(cx.thread);
        core.clock_moved = true;
        if core.clock_joined {
            cx.state.use_absolute_time();
        }
    }
}

/// Whether the thread's clock may go on, and counts that.
pub(super) fn goes_on(cx: &mut Cx<'_>) -> bool {
    let Some(most) = cx.program.options.clock_steps else {
        return true;
    };
    let core = cx.state.own_core(cx.thread);
    let goes = core.clock_steps < most;
    core.clock_steps += u32::from(goes);
    core.clock_stopped |= !goes;
    goes
}

/// A thread's time can tell which one of identical threads it has created, or joined, first.
pub(super) fn tell_apart(cx: &Cx<'_>) {
    if cx.state.thread(cx.thread).core.children > 0 {
        cx.program.tell_apart();
    }
}

/// Stores seconds and a fraction of a second.
fn store_pair(cx: &mut Cx<'_>, at: u64, seconds: Value, fraction: u64) -> Result<(), Stop> {
    store(cx, at, 8, seconds)?;
    store(cx, at + 8, 8, Value::new(fraction))
}

fn time(cx: &mut Cx<'_>) -> Answer {
    let out = cx.word(0)?;
    let now = read(cx, EPOCH);
    if out != 0 {
        store(cx, out, 8, now)?;
    }
    Ok(Flow::Return(now))
}

fn clock(cx: &mut Cx<'_>) -> Answer {
    cx.state.use_absolute_time();
    Ok(Flow::word(elapsed(cx) * 1_000_000))
}

/// The initial value of a clock; `None` if there is no clock with this number.
pub(super) fn origin(number: i32) -> Option<u64> {
    match number {
        0 | 5 | 11 => Some(EPOCH),     // CLOCK_REALTIME, its coarse variant, CLOCK_TAI
        1 | 4 | 6 | 7 => Some(UPTIME), // CLOCK_MONOTONIC, its raw and coarse variants, CLOCK_BOOTTIME
        2 | 3 => Some(0),              // processor time of the process and the thread
        _ => None,
    }
}

fn clock_gettime(cx: &mut Cx<'_>) -> Answer {
    let (number, out) = (cx.int(0)?, cx.word(1)?);
    let Some(origin) = origin(number) else {
        cx.set_errno(EINVAL)?;
        return Ok(Flow::int(-1));
    };
    if origin == 0 {
        // Less than what an expression may stand for.
        cx.state.use_absolute_time();
    }
    let seconds = read(cx, origin);
    store_pair(cx, out, seconds, 0)?;
    Ok(Flow::int(0))
}

fn clock_getres(cx: &mut Cx<'_>) -> Answer {
    let (number, out) = (cx.int(0)?, cx.word(1)?);
    if origin(number).is_none() {
        cx.set_errno(EINVAL)?;
        return Ok(Flow::int(-1));
    }
    if out != 0 {
        store_pair(cx, out, Value::new(0), 1)?;
    }
    Ok(Flow::int(0))
}

fn gettimeofday(cx: &mut Cx<'_>) -> Answer {
    let (out, zone) = (cx.word(0)?, cx.word(1)?);
    let seconds = read(cx, EPOCH);
    if out != 0 {
        store_pair(cx, out, seconds, 0)?;
    }
    if zone != 0 {
        store(cx, zone, 8, Value::new(0))?;
    }
    Ok(Flow::int(0))
}

fn timespec_get(cx: &mut Cx<'_>) -> Answer {
    let (out, base) = (cx.word(0)?, cx.int(1)?);
    if base != 1 {
        return Ok(Flow::int(0));
    }
    let seconds = read(cx, EPOCH);
    store_pair(cx, out, seconds, 0)?;
    Ok(Flow::int(base))
}

fn times(cx: &mut Cx<'_>) -> Answer {
    let out = cx.word(0)?;
    cx.state.use_absolute_time();
    let ticks = elapsed(cx) * 100;
    if out != 0 {
        store_pair(cx, out, Value::new(ticks), 0)?;
        store_pair(cx, out + 16, Value::new(0), 0)?;
    }
    Ok(Flow::word(UPTIME * 100 + ticks))
}

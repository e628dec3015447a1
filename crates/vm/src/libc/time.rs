//! Clocks. Each thread has its own clock, which advances by one second at each read. The first
//! thread's starts at a fixed time, another one's at the time of the thread that creates it. Who
//! joins a thread goes on from the later time of the two.
//!
//! So programs are deterministic, no clock is shared, and a thread that waits for a point in time
//! reaches it. Missed: times that threads read and pass on in another way than by creation and join
//! can go backwards. Calendar functions are unsupported.

use super::stepped::store;
use super::{Answer, by_element};
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

/// 14 November 2023.
const EPOCH: u64 = 1_700_000_000;
/// The initial value of monotonic clocks: seconds since the start of the machine.
const UPTIME: u64 = 10_000;
const EINVAL: i32 = 22;

/// Seconds since the start of the first thread's clock. Advances the thread's clock.
fn elapsed(cx: &mut Cx<'_>) -> u64 {
    // Its time can tell which one of identical threads it has created, or joined, first.
    if cx.state.thread(cx.thread).core.children > 0 {
        cx.program.tell_apart();
    }
    let word = WordKey::Clock(cx.thread);
    let seconds = cx.state.word(word);
    cx.state.set_word(word, seconds + 1);
    seconds
}

/// Stores seconds and a fraction of a second.
fn store_pair(cx: &mut Cx<'_>, at: u64, seconds: u64, fraction: u64) -> Result<(), Stop> {
    store(cx, at, 8, Value::new(seconds))?;
    store(cx, at + 8, 8, Value::new(fraction))
}

fn time(cx: &mut Cx<'_>) -> Answer {
    let out = cx.word(0)?;
    let now = EPOCH + elapsed(cx);
    if out != 0 {
        store(cx, out, 8, Value::new(now))?;
    }
    Ok(Flow::word(now))
}

fn clock(cx: &mut Cx<'_>) -> Answer {
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
    let seconds = origin + elapsed(cx);
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
        store_pair(cx, out, 0, 1)?;
    }
    Ok(Flow::int(0))
}

fn gettimeofday(cx: &mut Cx<'_>) -> Answer {
    let (out, zone) = (cx.word(0)?, cx.word(1)?);
    let seconds = EPOCH + elapsed(cx);
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
    let seconds = EPOCH + elapsed(cx);
    store_pair(cx, out, seconds, 0)?;
    Ok(Flow::int(base))
}

fn times(cx: &mut Cx<'_>) -> Answer {
    let out = cx.word(0)?;
    let ticks = elapsed(cx) * 100;
    if out != 0 {
        store_pair(cx, out, ticks, 0)?;
        store_pair(cx, out + 16, 0, 0)?;
    }
    Ok(Flow::word(UPTIME * 100 + ticks))
}

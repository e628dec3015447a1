//! Yielding and sleeping: scheduling points. A sleep ends when it is scheduled; then its thread's
//! clock is not before the time that it was to sleep. Its argument is refused if it is no time.

use super::attr;
use super::errno::{EINVAL, ENOTSUP};
use super::operation::{Answer, Model, SUCCESS, done};
use crate::libc::deadline::Deadline;
use crate::native::{Cx, Flow, NO_ARGUMENT, Native, Prepared, Visible};
use selvedge_model::{Action, Op, Outcome};

/// The models of this file.
pub(super) fn find(name: &str) -> Option<Native> {
    let ((prepare, perform), numbers): (Model, u8) = match name {
        "sched_yield" | "pthread_yield" | "thrd_yield" => (
            (|cx| pause(cx, false, ended), |cx, _| done(ended(cx))),
            NO_ARGUMENT,
        ),
        "sleep" => (
            (|cx| pause(cx, true, sleep), |cx, _| done(sleep(cx))),
            NO_ARGUMENT,
        ),
        "usleep" => (
            (|cx| pause(cx, true, usleep), |cx, _| done(usleep(cx))),
            NO_ARGUMENT,
        ),
        "nanosleep" => (
            (|cx| pause(cx, true, nanosleep), |cx, _| done(nanosleep(cx))),
            0b1,
        ),
        "clock_nanosleep" => (
            (
                |cx| pause(cx, true, clock_nanosleep),
                |cx, _| done(clock_nanosleep(cx)),
            ),
            0b111,
        ),
        "thrd_sleep" => (
            (|cx| pause(cx, true, thrd_sleep), |cx, _| done(thrd_sleep(cx))),
            0b1,
        ),
        _ => return None,
    };
    Some(Native::Visible(Visible {
        prepare,
        numbers,
        perform,
    }))
}

/// Of `clock_nanosleep`: its time is the point in time at which the sleep ends.
const TIMER_ABSTIME: i32 = 1;

fn pause(cx: &mut Cx<'_>, cancelable: bool, sleep: fn(&mut Cx<'_>) -> Answer) -> Prepared {
    let cancelled = cancelable && cx.state.thread(cx.thread).core.is_cancelled();
    if cx.state.unjoined() == 0 && !cancelled {
        return Prepared::Immediate(match sleep(cx) {
            Ok((code, _)) => Flow::int(code),
            Err(flow) => flow,
        });
    }
    let cancelable = cancelable && cx.program.cancels;
    Prepared::Visible(Action {
        cancelable,
        ..cx.action(Op::Yield, 0)
    })
}

fn ended(_: &mut Cx<'_>) -> Answer {
    Ok(SUCCESS)
}

/// Whether the time in this argument is one that a thread can sleep; it is how long, or until when.
fn can_sleep(cx: &mut Cx<'_>, time: usize, until: bool) -> Result<bool, Flow> {
    let time = attr::time(cx, time)?;
    let seconds = match time.seconds(cx, until) {
        Some(seconds) => seconds,
        None => cx.load_defined(time.address, 8, "time")?,
    } as i64;
    let valid = time.is_valid && seconds >= 0;
    if valid {
        let deadline = if until {
            time.deadline(cx)
        } else {
            time.after_now(cx)
        };
        deadline.slept(cx);
    }
    Ok(valid)
}

/// `sleep`, whose argument is a number of seconds.
fn sleep(cx: &mut Cx<'_>) -> Answer {
    Ok(slept(cx, 1))
}

/// `usleep`, whose argument is a number of microseconds.
fn usleep(cx: &mut Cx<'_>) -> Answer {
    Ok(slept(cx, 1_000_000))
}

/// The end of a sleep whose argument is its length, in parts of a second. One that inputs decide
/// says nothing of clocks.
fn slept(cx: &mut Cx<'_>, in_a_second: u64) -> (i32, Outcome) {
    let length = cx.args.first().copied();
    if let Some(length) = length.and_then(|length| cx.state.seconds(cx.thread, length, false)) {
        let length = length & 0xffff_ffff;
        Deadline::after(cx, length / in_a_second, length % in_a_second).slept(cx);
    }
    SUCCESS
}

fn nanosleep(cx: &mut Cx<'_>) -> Answer {
    if can_sleep(cx, 0, false)? {
        return Ok(SUCCESS);
    }
    cx.set_errno(EINVAL)?;
    Ok((-1, Outcome::Done))
}

fn clock_nanosleep(cx: &mut Cx<'_>) -> Answer {
    let until = cx.int(1)? & TIMER_ABSTIME != 0;
    let error = match cx.int(0)? {
        // CLOCK_REALTIME, CLOCK_MONOTONIC, CLOCK_PROCESS_CPUTIME_ID, CLOCK_BOOTTIME, CLOCK_TAI.
        0 | 1 | 2 | 7 | 11 if can_sleep(cx, 2, until)? => 0,
        // CLOCK_MONOTONIC_RAW and the coarse clocks.
        4..=6 => ENOTSUP,
        8 | 9 => {
            return Err(Flow::Unsupported(
                "a sleep by a clock that wakes the machine".into(),
            ));
        }
        _ => EINVAL,
    };
    Ok((error, Outcome::Done))
}

/// -2: an error that is no interruption.
fn thrd_sleep(cx: &mut Cx<'_>) -> Answer {
    let code = if can_sleep(cx, 0, false)? { 0 } else { -2 };
    Ok((code, Outcome::Done))
}

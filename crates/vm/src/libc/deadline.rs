//! When waits end, and what that says of clocks.
//!
//! Whether a timed wait times out is a choice of the schedule. The clock agrees with it: after a
//! time-out it is not before the deadline, and a wait that ends in time leaves it before the
//! deadline, where it may be. So who looks at the clock to find out whether the wait has timed out,
//! as `std::condition_variable::wait_for` does, finds what was chosen. Of several sleeps or
//! relative time-outs since the clock was read the longest one counts, not their sum: a loop that
//! sleeps comes back to the same state.

use super::time::{goes_on, tell_apart, use_clock};
use super::{Answer, by_element};
use crate::clocks::{BETWEEN, EPOCH, LAST, MIDDLE, UPTIME};
use crate::native::{Cx, Flow, Native};
use crate::word::WordKey;

/// The model of this file.
pub fn find(name: &str) -> Option<Native> {
    Some(match name {
        // After a wait that ended: seconds and nanoseconds of its time, whether they count from now
        // on, and whether it has timed out.
        "__selvedge_wait_ended" => by_element!(wait_ended),
        _ => return None,
    })
}

/// How often a clock tells the same time after a wait that ended in time: when the wait asks
/// whether it was in time, and once more, for a loop that waits again comes back to the same state
/// then.
const STAYS: u8 = 2;

/// The end of a wait, in seconds of the thread's clock, rounded up. 0 if that does not matter.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Deadline(u32);

impl Deadline {
    /// No wait that has to do with clocks.
    pub(crate) const NONE: Deadline = Deadline(0);
    /// One that does not come.
    const NEVER: Deadline = Deadline(u32::MAX);

    /// A point in time, on the clock that is nearest to it.
    pub(crate) fn at(cx: &Cx<'_>, seconds: u64, nanoseconds: u64) -> Deadline {
        if seconds.abs_diff(BETWEEN) < 2 * MIDDLE {
            cx.state.use_absolute_time();
        }
        let start = if seconds >= BETWEEN { EPOCH } else { UPTIME };
        let is_past = seconds > i64::MAX as u64;
        let seconds = seconds.checked_sub(start).filter(|_| !is_past);
        Deadline::of(cx, seconds, nanoseconds)
    }

    /// A time from now on: from the last time that the thread's clock has told.
    pub(crate) fn after(cx: &Cx<'_>, seconds: u64, nanoseconds: u64) -> Deadline {
        let told = cx.state.word(WordKey::Clock(cx.thread)).checked_sub(1);
        let end = told.and_then(|told| seconds.checked_add(told));
        Deadline::of(cx, end, nanoseconds)
    }

    fn of(cx: &Cx<'_>, seconds: Option<u64>, nanoseconds: u64) -> Deadline {
        let is_joined = cx.state.thread(cx.thread).core.clock_joined;
        // Whether a time is one that does not come must not depend on where the clock stands.
        if seconds.is_some_and(|seconds| is_joined || seconds.abs_diff(LAST) < 2 * MIDDLE) {
            cx.state.use_absolute_time();
        }
        match seconds {
            Some(seconds) if seconds >= LAST => Deadline::NEVER,
            Some(seconds) if cx.program.reads_clocks => Deadline(seconds as u32 + u32::from(nanoseconds > 0)),
            _ => Deadline::NONE,
        }
    }

    /// Whether a wait until then may time out.
    pub(crate) fn comes(self) -> bool {
        self != Deadline::NEVER
    }

    /// Keeps it while the thread waits.
    pub(crate) fn keep(self, cx: &mut Cx<'_>) {
        cx.state.own_core(cx.thread).deadline = self.0;
    }

    /// What was kept.
    pub(crate) fn take(cx: &mut Cx<'_>) -> Deadline {
        Deadline(std::mem::take(&mut cx.state.own_core(cx.thread).deadline))
    }

    /// The wait is over: the thread's clock agrees with that.
    pub(crate) fn over(self, cx: &mut Cx<'_>, timed_out: bool) {
        if timed_out {
            cx.program.note_time_out();
        }
        self.pass(cx, timed_out);
    }

    /// The thread has slept until then.
    pub(crate) fn slept(self, cx: &mut Cx<'_>) {
        self.pass(cx, true);
    }

    fn pass(self, cx: &mut Cx<'_>, timed_out: bool) {
        if self == Deadline::NEVER {
            return;
        }
        let word = WordKey::Clock(cx.thread);
        let next = cx.state.word(word);
        let time = cx.state.thread(cx.thread).core.time;
        if timed_out && self.0 > time && u64::from(self.0) >= next {
            // Also if the clock would say so by itself: it must not tell the same time once more.
            tell_apart(cx);
            if time > 0 || goes_on(cx) {
                use_clock(cx);
                cx.state.reaches(u64::from(self.0));
                cx.state.own_core(cx.thread).time = self.0;
            }
        } else if !timed_out && self.0 > 0 && u64::from(self.0) == next {
            tell_apart(cx);
            use_clock(cx);
            cx.state.own_core(cx.thread).clock_stays = STAYS;
        }
    }
}

fn wait_ended(cx: &mut Cx<'_>) -> Answer {
    let (from_now, timed_out) = (cx.int(2)? != 0, cx.int(3)? != 0);
    let given = cx.args.first().copied();
    let seconds = match given.and_then(|seconds| cx.state.seconds(cx.thread, seconds, !from_now)) {
        Some(seconds) => seconds,
        None => cx.word(0)?,
    };
    let nanoseconds = cx.word(1)?;
    let deadline = match from_now {
        true => Deadline::after(cx, seconds, nanoseconds),
        false => Deadline::at(cx, seconds, nanoseconds),
    };
    deadline.over(cx, timed_out);
    Ok(Flow::int(0))
}

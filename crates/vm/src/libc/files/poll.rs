//! Waits for several descriptors: poll, select and related functions.
//!
//! The descriptors are looked up one by one. Then one action checks all of them. (Linux checks them
//! one by one too; POSIX leaves this open.) It is an action on all files that can wait, so in
//! programs that poll, all of these count as one object. With a time-out other than 0, the call may
//! time out whenever nothing is ready. Without a time-out, it waits.

use super::action::{cancelable, looking, on_file};
use super::buffer::{access, may_access, store};
use super::condition::Condition;
use super::errno::{EBADF, EINVAL};
use super::kinds;
use super::operation::{After, Part, Parted, Performs, alone, operation, refused};
use super::polled::{ERROR, HANGUP, IN, INVALID, OUT, Pin, READ_NORMAL, WRITE_NORMAL, pin};
use super::ripe;
use super::table::{self, Kind, MAX_DESCRIPTORS, OpenFile};
use super::wait::{self, wait_for};
use crate::hidden::HiddenObject;
use crate::libc::deadline::Deadline;
use crate::native::{Cx, Flow, Native, Stop};
use crate::phase::Phase;
use crate::value::Value;
use crate::word::{MAX_PINNED, WordKey};
use selvedge_model::{Action, MemoryOrder, Op, Outcome};

/// The models of this file; [`NAMES`] has their names.
pub(super) fn find(name: &str) -> Option<Native> {
    Some(match name {
        "poll" => operation!(|cx| part(cx, Call::Poll), |cx| perform(cx, Call::Poll)),
        "ppoll" => operation!(|cx| part(cx, Call::PPoll), |cx| perform(cx, Call::PPoll)),
        "select" => operation!(|cx| part(cx, Call::Select), |cx| perform(cx, Call::Select)),
        "epoll_wait" | "epoll_pwait" => operation!(|cx| part(cx, Call::Epoll), |cx| perform(cx, Call::Epoll)),
        "pselect" => operation!(|cx| part(cx, Call::PSelect), |cx| perform(cx, Call::PSelect)),
        _ => return None,
    })
}

/// The functions that wait for several files at once.
pub(crate) const NAMES: [&str; 6] = ["poll", "ppoll", "select", "pselect", "epoll_wait", "epoll_pwait"];

#[derive(Clone, Copy, PartialEq, Eq)]
enum Call {
    Poll,
    PPoll,
    Select,
    PSelect,
    /// `epoll_wait`: a poll of the set of descriptors.
    Epoll,
}

/// One entry of the call: a descriptor and the requested events.
#[derive(Clone, Copy)]
struct Entry {
    fd: i32,
    events: u16,
    /// The address of the result: a `revents`, or the word of a set (select).
    at: u64,
}

// ---- arguments
// -------------------------------------------------------------------------------------------------

/// The time-out: none, zero, a positive time from now on, or one that the call refuses (EINVAL).
#[derive(Clone, Copy, PartialEq, Eq)]
enum Timeout {
    Never,
    AtOnce,
    Later(Deadline),
    Invalid,
}

impl Timeout {
    /// Whether the call waits until something is ready.
    fn waits(self, cx: &Cx<'_>) -> bool {
        match self {
            Timeout::Never => true,
            Timeout::Later(_) => !cx.program.options.timeouts,
            Timeout::AtOnce | Timeout::Invalid => false,
        }
    }
}

fn timeout(cx: &mut Cx<'_>, call: Call) -> Result<Timeout, Stop> {
    let at = match call {
        Call::Poll | Call::Epoll => {
            if call == Call::Epoll && cx.args.len() > 4 && cx.word(4)? != 0 {
                return Err(Flow::Unsupported("a signal mask".into()));
            }
            let argument = if call == Call::Poll { 2 } else { 3 };
            let milliseconds = cx.int(argument)?;
            return Ok(match u64::try_from(milliseconds) {
                Err(_) => Timeout::Never,
                Ok(0) => Timeout::AtOnce,
                Ok(time) => Timeout::Later(Deadline::after(cx, time / 1000, time % 1000)),
            });
        }
        Call::PPoll => 2,
        Call::Select | Call::PSelect => 4,
    };
    let masked = match call {
        Call::PPoll => cx.word(3)?,
        Call::PSelect => cx.word(5)?,
        _ => 0,
    };
    if masked != 0 {
        return Err(Flow::Unsupported("a signal mask".into()));
    }
    let address = cx.word(at)?;
    if address == 0 {
        return Ok(Timeout::Never);
    }
    may_access(cx, address)?;
    let seconds = cx.load_defined(address, 8, "time-out")? as i64;
    let parts = cx.load_defined(address + 8, 8, "time-out")? as i64;
    let in_a_second = if call == Call::Select {
        1_000_000
    } else {
        1_000_000_000
    };
    if call == Call::Select && parts >= in_a_second {
        // POSIX lets the call fail, Linux adds the whole seconds.
        let what = "a time-out with a second or more of microseconds";
        return Err(Flow::Unsupported(what.into()));
    }
    Ok(if seconds < 0 || !(0..in_a_second).contains(&parts) {
        Timeout::Invalid
    } else if seconds == 0 && parts == 0 {
        Timeout::AtOnce
    } else {
        Timeout::Later(Deadline::after(cx, seconds as u64, parts as u64))
    })
}

fn entries(cx: &mut Cx<'_>, call: Call) -> Result<Vec<Entry>, Stop> {
    let mut entries = Vec::new();
    match call {
        Call::Poll | Call::PPoll => {
            let (array, count) = (cx.word(0)?, cx.word(1)?);
            few(count as usize)?;
            access(cx, array, 8 * count, false)?;
            for at in (0..count).map(|i| array + 8 * i) {
                let fd = cx.load_defined(at, 4, "descriptor of a poll")? as u32 as i32;
                let events = cx.load_defined(at + 4, 2, "events of a poll")? as u16;
                entries.push(Entry {
                    fd,
                    events,
                    at: at + 6,
                });
            }
        }
        Call::Select | Call::PSelect => {
            let count = cx.int(0)?.clamp(0, MAX_DESCRIPTORS as i32);
            for (argument, events) in [(1, IN | READ_NORMAL), (2, OUT | WRITE_NORMAL)] {
                let set = cx.word(argument)?;
                for fd in 0..if set == 0 { 0 } else { count } {
                    let at = set + fd as u64 / 64 * 8;
                    if fd % 64 == 0 {
                        may_access(cx, at)?;
                    }
                    if cx.load_defined(at, 8, "set of descriptors")? >> (fd % 64) & 1 != 0 {
                        entries.push(Entry { fd, events, at });
                    }
                }
            }
            few(entries.len())?;
        }
        Call::Epoll => entries.push(Entry {
            fd: cx.int(0)?,
            events: IN,
            at: 0,
        }),
    }
    Ok(entries)
}

fn few(count: usize) -> Result<(), Stop> {
    if count > MAX_PINNED as usize {
        return Err(Flow::Unsupported(format!(
            "waiting for {count} descriptors at once"
        )));
    }
    Ok(())
}

// ---- the call
// -------------------------------------------------------------------------------------------------

/// Before [`Phase::LookedUp`], `Core::note` is the number of descriptors that were looked up.
fn part(cx: &mut Cx<'_>, call: Call) -> Parted {
    let core = cx.state.thread(cx.thread).core;
    let timeout = timeout(cx, call)?;
    if timeout == Timeout::Invalid {
        return Ok(Part::Now);
    }
    let entries = entries(cx, call)?;
    if core.phase != Phase::LookedUp {
        return Ok(match entries.get(core.note as usize) {
            Some(entry) if (0..MAX_DESCRIPTORS as i32).contains(&entry.fd) => {
                Part::Act(looking(cx, entry.fd as u32))
            }
            _ => Part::Now,
        });
    }
    if call == Call::Epoll {
        return epoll_part(cx, timeout);
    }
    let state = &*cx.state;
    let looked: Vec<Pin> = (0..entries.len() as u32)
        .map(|index| pin(state, cx.thread, index))
        .collect();
    let (mut change, mut others) = (false, false);
    for pin in &looked {
        // An entry without readiness is unsupported. Report this before any wait.
        let answer = pin.answer(state)?;
        if pin.may_change(state) {
            change = true;
        } else {
            others |= answer != 0;
        }
    }
    let waits = timeout.waits(cx);
    let action = if waits && !others {
        wait_for(cx, Condition::Ready);
        Action {
            may_fail: wait::is_open_to_others(cx.state, cx.thread),
            ..cx.action(Op::HiddenWait, HiddenObject::Polled.id().0)
        }
    } else if change {
        cx.action(Op::Hidden, HiddenObject::Polled.id().0)
    } else if (others || timeout == Timeout::AtOnce || alone(cx)) && !cx.program.cancels {
        return Ok(Part::Now);
    } else {
        // The call is only a pause.
        cx.action(Op::Yield, 0)
    };
    Ok(cancelable(cx, action))
}

/// The action of an `epoll_wait`. It acquires what changes of the set have released.
fn epoll_part(cx: &mut Cx<'_>, timeout: Timeout) -> Parted {
    let looked = pin(cx.state, cx.thread, 0);
    let Ok(file) = set_of(cx, Some(looked))? else {
        return Ok(Part::Now);
    };
    looked.answer(cx.state)?;
    let waits = timeout.waits(cx);
    let op = if waits { Op::HiddenWait } else { Op::Hidden };
    let mut action = on_file(cx, Kind::Epoll, file, op, MemoryOrder::Acquire);
    if waits {
        wait_for(cx, Condition::Ready);
        action.may_fail = wait::is_open_to_others(cx.state, cx.thread);
    }
    Ok(cancelable(cx, action))
}

fn perform(cx: &mut Cx<'_>, call: Call) -> Performs {
    let core = cx.state.thread(cx.thread).core;
    // Linux looks at the time before it looks at the descriptors.
    let timeout = timeout(cx, call)?;
    if timeout == Timeout::Invalid {
        return refused(cx, EINVAL);
    }
    let entries = entries(cx, call)?;
    let region = cx.state.thread(cx.thread).region;
    if core.phase != Phase::LookedUp {
        let Some(entry) = entries.get(core.note as usize) else {
            return Ok(After::Next(Phase::LookedUp, Outcome::Done));
        };
        let descriptor = u32::try_from(entry.fd)
            .ok()
            .map(|fd| Some(fd).filter(|&fd| fd < MAX_DESCRIPTORS));
        let pin = match descriptor {
            None => Pin::Ignored,
            Some(fd) => match fd.and_then(|fd| table::descriptor(cx.state, fd)) {
                Some(open) => Pin::Open(open, entry.events),
                None => Pin::Closed,
            },
        };
        cx.state
            .set_word(WordKey::Pinned(region, core.note as u32), pin.word());
        cx.state.own_core(cx.thread).note += 1;
        return Ok(After::Next(Phase::First, Outcome::Done));
    }
    let looked: Vec<Pin> = (0..entries.len() as u32)
        .map(|index| pin(cx.state, cx.thread, index))
        .collect();
    let waits = timeout.waits(cx);
    let refused = call == Call::Epoll && set_of(cx, looked.first().copied())?.is_err();
    if !refused {
        let nothing = all_answers(cx, &looked)?.iter().all(|&answer| answer == 0);
        let ripening: Vec<OpenFile> = looked.iter().flat_map(|pin| pin.ripening(cx.state)).collect();
        ripe::decide(cx, ripening, waits && nothing)?;
    }
    let answers = all_answers(cx, &looked)?;
    if let Timeout::Later(deadline) = timeout {
        deadline.over(cx, answers.iter().all(|&answer| answer == 0));
    }
    if waits && !refused && answers.iter().all(|&answer| answer == 0) {
        return Err(wait::for_others(cx));
    }
    for index in 0..entries.len() as u32 {
        let word = WordKey::Pinned(region, index);
        if cx.state.word(word) != 0 {
            cx.state.set_word(word, 0);
        }
    }
    match call {
        Call::Poll | Call::PPoll => {
            for (entry, &answer) in entries.iter().zip(&answers) {
                store(cx, entry.at, 2, u64::from(answer))?;
            }
            let count = answers.iter().filter(|&&answer| answer != 0).count();
            Ok(After::Done(count as u64, Outcome::Done))
        }
        Call::Select | Call::PSelect => select_answers(cx, call, &entries, &answers),
        Call::Epoll => epoll_answers(cx, looked.first().copied()),
    }
}

fn all_answers(cx: &Cx<'_>, looked: &[Pin]) -> Result<Vec<u16>, Stop> {
    looked.iter().map(|pin| pin.answer(cx.state)).collect()
}

/// The set of descriptors that an `epoll_wait` waits for; an error number if it has none.
fn set_of(cx: &mut Cx<'_>, looked: Option<Pin>) -> Result<Result<u32, i32>, Stop> {
    let Some(Pin::Open(open, _)) = looked else {
        return Ok(Err(EBADF));
    };
    let open = table::open_file(cx.state, open);
    let fits = open.kind == Kind::Epoll && cx.int(2)? > 0;
    Ok(if fits { Ok(open.file) } else { Err(EINVAL) })
}

/// Writes the events of an `epoll_wait`: each 4 bytes, and 8 that the program gave with the entry.
fn epoll_answers(cx: &mut Cx<'_>, looked: Option<Pin>) -> Performs {
    let file = match set_of(cx, looked)? {
        Ok(file) => file,
        Err(error) => return refused(cx, error),
    };
    let (to, most) = (cx.word(1)?, cx.int(2)? as usize);
    let ready = kinds::report(cx.state, file, most)?;
    for (index, &(data, events)) in ready.iter().enumerate() {
        let at = to + 12 * index as u64;
        access(cx, at, 12, true)?;
        cx.store(at, 4, Value::new(u64::from(events)))?;
        cx.state.memory.copy(at + 4, data, 8);
    }
    Ok(After::Done(ready.len() as u64, Outcome::Done))
}

/// Writes the sets of a select. Only ready descriptors remain in them.
fn select_answers(cx: &mut Cx<'_>, call: Call, entries: &[Entry], answers: &[u16]) -> Performs {
    if answers.iter().any(|answer| answer & INVALID != 0) {
        return refused(cx, EBADF);
    }
    if cx.int(0)? < 0 {
        return refused(cx, EINVAL);
    }
    let mut count = 0;
    for (entry, &answer) in entries.iter().zip(answers) {
        let wanted = if entry.events & IN != 0 {
            IN | HANGUP | ERROR
        } else {
            OUT | ERROR
        };
        if answer & wanted != 0 {
            count += 1;
            continue;
        }
        let word = cx.load_defined(entry.at, 8, "set of descriptors")?;
        cx.store(entry.at, 8, Value::new(word & !(1 << (entry.fd % 64))))?;
    }
    // No file has exceptional conditions.
    let (exceptional, bits) = (cx.word(3)?, cx.int(0)?.clamp(0, MAX_DESCRIPTORS as i32));
    for word in 0..if exceptional == 0 {
        0
    } else {
        (bits as u64).div_ceil(64)
    } {
        store(cx, exceptional + 8 * word, 8, 0)?;
    }
    // Linux stores the remaining time, which is 0 after a time-out.
    let left = cx.word(4)?;
    if count == 0 && call == Call::Select && left != 0 {
        store(cx, left, 8, 0)?;
        store(cx, left + 8, 8, 0)?;
    }
    Ok(After::Done(count, Outcome::Done))
}

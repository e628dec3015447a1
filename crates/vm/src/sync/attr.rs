//! Attribute objects. They are plain memory of the program, in a layout of ours, read and written
//! like other data.

use super::errno::{EINVAL, ENOTSUP, ESRCH};
use super::handle::thread_of;
use super::known::{PREFERENCE, PREFERS_WRITERS};
use super::operation::plain;
use crate::libc::deadline::Deadline;
use crate::memory::{Kind, beyond_objects};
use crate::native::{Cx, Flow, Native, Stop};
use crate::value::Value;
use crate::visible;

/// `PTHREAD_PRIO_INHERIT`.
const INHERITS: u64 = 1 << 29;
const ROBUST: u64 = 1 << 30;
const SHARED: u64 = 1 << 31;
const TYPE: u64 = 3;
/// `pthread_attr_t`: where its parts lie (all of 8 bytes).
const DETACHED: u64 = 0;
const STACK_SIZE: u64 = 8;
const GUARD_SIZE: u64 = 16;
const SCHEDULING: u64 = 24;
/// The handle of the thread whose attributes these are; 0 if nobody's.
const OF: u64 = 32;
const POLICY: u64 = 40;
const PRIORITY: u64 = 48;
const DEFAULT_STACK: u64 = 8 << 20;

/// The models of this file.
pub(super) fn find(name: &str) -> Option<Native> {
    let model: fn(&mut Cx<'_>) -> Flow = match name {
        "pthread_mutexattr_init" | "pthread_condattr_init" | "pthread_barrierattr_init" => {
            |cx| plain(write(cx, 4, 0))
        }
        "pthread_rwlockattr_init" => |cx| plain(write(cx, 8, 0)),
        "pthread_mutexattr_destroy"
        | "pthread_condattr_destroy"
        | "pthread_barrierattr_destroy"
        | "pthread_rwlockattr_destroy" => {
            |cx| plain(cx.word(0).and_then(|a| cx.access(a, 4, true)).map(|()| 0))
        }
        "pthread_mutexattr_settype" => |cx| plain(change(cx, TYPE, 0, 3)),
        "pthread_mutexattr_gettype" => |cx| plain(read(cx, TYPE, 0)),
        "pthread_mutexattr_setrobust" | "pthread_mutexattr_setrobust_np" => {
            |cx| plain(change(cx, ROBUST, 30, 1))
        }
        "pthread_mutexattr_getrobust" | "pthread_mutexattr_getrobust_np" => |cx| plain(read(cx, ROBUST, 30)),
        "pthread_mutexattr_setpshared"
        | "pthread_condattr_setpshared"
        | "pthread_barrierattr_setpshared"
        | "pthread_rwlockattr_setpshared" => |cx| plain(change(cx, SHARED, 31, 1)),
        "pthread_mutexattr_getpshared"
        | "pthread_condattr_getpshared"
        | "pthread_barrierattr_getpshared"
        | "pthread_rwlockattr_getpshared" => |cx| plain(read(cx, SHARED, 31)),
        "pthread_mutexattr_setprotocol" => set_protocol,
        "pthread_mutexattr_getprotocol" => |cx| plain(read(cx, INHERITS, 29)),
        "pthread_condattr_setclock" => |cx| plain(change(cx, TYPE, 0, 1)),
        "pthread_condattr_getclock" => |cx| plain(read(cx, TYPE, 0)),
        "pthread_rwlockattr_setkind_np" => set_preference,
        "pthread_rwlockattr_getkind_np" => |cx| plain(read(cx, TYPE, 0)),
        "pthread_attr_init" => |cx| plain(thread_init(cx)),
        "pthread_attr_destroy" => |cx| plain(cx.word(0).and_then(|a| cx.access(a, 56, true)).map(|()| 0)),
        "pthread_attr_setdetachstate" => |cx| plain(set(cx, DETACHED, |v| v <= 1)),
        "pthread_attr_getdetachstate" => |cx| plain(get_detach_state(cx)),
        "pthread_attr_setstacksize" => |cx| plain(set(cx, STACK_SIZE, |v| v >= 16384)),
        "pthread_attr_getstacksize" => |cx| plain(get(cx, STACK_SIZE, 8)),
        "pthread_attr_setguardsize" => |cx| plain(set(cx, GUARD_SIZE, |_| true)),
        "pthread_attr_getguardsize" => |cx| plain(get(cx, GUARD_SIZE, 8)),
        "pthread_attr_setinheritsched" => |cx| plain(set(cx, SCHEDULING, |v| v <= 1)),
        "pthread_attr_getinheritsched" => |cx| plain(get(cx, SCHEDULING, 4)),
        "pthread_attr_setschedpolicy" => |cx| plain(set(cx, POLICY, |v| v <= 2)),
        "pthread_attr_getschedpolicy" => |cx| plain(get(cx, POLICY, 4)),
        "pthread_attr_setschedparam" => |cx| plain(set_priority(cx)),
        "pthread_attr_getschedparam" => |cx| plain(get(cx, PRIORITY, 4)),
        "pthread_attr_getscope" => |cx| {
            plain(
                cx.word(1)
                    .and_then(|out| cx.store(out, 4, Value::new(0)))
                    .map(|()| 0),
            )
        },
        "pthread_getattr_np" => |cx| plain(attributes_of(cx)),
        "pthread_attr_getstack" => |cx| plain(stack(cx)),
        "pthread_attr_setscope" => set_scope,
        _ => return None,
    };
    Some(Native::Plain(model))
}

fn write(cx: &mut Cx<'_>, size: u64, bits: u64) -> Result<i32, Stop> {
    let address = cx.word(0)?;
    cx.store(address, size, Value::new(bits))?;
    Ok(0)
}

fn change(cx: &mut Cx<'_>, mask: u64, shift: u32, most: u64) -> Result<i32, Stop> {
    let (address, value) = (cx.word(0)?, cx.word(1)? & 0xffff_ffff);
    let old = cx.load_defined(address, 4, "attribute object")?;
    if value > most {
        return Ok(EINVAL);
    }
    cx.store(address, 4, Value::new(old & !mask | value << shift))?;
    Ok(0)
}

fn read(cx: &mut Cx<'_>, mask: u64, shift: u32) -> Result<i32, Stop> {
    let (address, out) = (cx.word(0)?, cx.word(1)?);
    let bits = cx.load_defined(address, 4, "attribute object")?;
    cx.store(out, 4, Value::new((bits & mask) >> shift))?;
    Ok(0)
}

fn set_preference(cx: &mut Cx<'_>) -> Flow {
    match cx.word(1) {
        Ok(kind) if kind as u32 == PREFERS_WRITERS => Flow::Unsupported(PREFERENCE.into()),
        Ok(_) => plain(change(cx, TYPE, 0, 1)),
        Err(flow) => flow,
    }
}

/// Who inherits a priority only runs sooner, which is one of the schedules that are explored
/// anyway. Ceilings are unsupported: locking such a mutex may fail for a priority (`EINVAL`).
fn set_protocol(cx: &mut Cx<'_>) -> Flow {
    match cx.word(1) {
        Ok(2) => Flow::Unsupported("a mutex with a priority ceiling".into()),
        Ok(_) => plain(change(cx, INHERITS, 29, 1)),
        Err(flow) => flow,
    }
}

fn set_scope(cx: &mut Cx<'_>) -> Flow {
    match cx.word(1) {
        Ok(0) => Flow::int(0),
        Ok(1) => Flow::int(ENOTSUP),
        Ok(_) => Flow::int(EINVAL),
        Err(flow) => flow,
    }
}

fn thread_init(cx: &mut Cx<'_>) -> Result<i32, Stop> {
    let address = cx.word(0)?;
    init(cx, address)
}

fn init(cx: &mut Cx<'_>, address: u64) -> Result<i32, Stop> {
    for offset in (0..56).step_by(8) {
        let value = match offset {
            STACK_SIZE => DEFAULT_STACK,
            GUARD_SIZE => 4096,
            _ => 0,
        };
        cx.store(address + offset, 8, Value::new(value))?;
    }
    Ok(0)
}

/// The attributes of a thread. Which it was made with is not known: all have stacks of the usual
/// size.
fn attributes_of(cx: &mut Cx<'_>) -> Result<i32, Stop> {
    let (thread, address) = (cx.word(0)?, cx.word(1)?);
    if thread_of(cx.state, thread).is_none() {
        return Ok(ESRCH);
    }
    init(cx, address)?;
    cx.store(address + OF, 8, Value::new(thread))?;
    cx.store(address + DETACHED, 8, Value::new(NOT_KNOWN))?;
    Ok(0)
}

/// Of a thread that runs, whose detach state other threads may change at any time.
const NOT_KNOWN: u64 = 2;

/// The detach state in attributes.
fn detach_state(cx: &mut Cx<'_>, address: u64) -> Result<u64, Stop> {
    let state = cx.load_defined(address + DETACHED, 8, "attribute object")? & 0xffff_ffff;
    match state {
        NOT_KNOWN => Err(Flow::Unsupported(
            "the detach state in attributes of a thread (pthread_getattr_np)".into(),
        )),
        state => Ok(state),
    }
}

fn get_detach_state(cx: &mut Cx<'_>) -> Result<i32, Stop> {
    let (address, out) = (cx.word(0)?, cx.word(1)?);
    let state = detach_state(cx, address)?;
    cx.store(out, 4, Value::new(state))?;
    Ok(0)
}

/// Where a thread's stack is: among its addresses, where none of its objects can be.
fn stack(cx: &mut Cx<'_>) -> Result<i32, Stop> {
    let (address, out, out_size) = (cx.word(0)?, cx.word(1)?, cx.word(2)?);
    let thread = cx.load_defined(address + OF, 8, "attribute object")?;
    let size = cx.load_defined(address + STACK_SIZE, 8, "attribute object")?;
    if thread == 0 {
        return Err(Flow::Unsupported(
            "the stack of attributes that are no thread's".into(),
        ));
    }
    cx.store(out, 8, Value::new(beyond_objects(thread as u32)))?;
    cx.store(out_size, 8, Value::new(size))?;
    Ok(0)
}

fn set(cx: &mut Cx<'_>, offset: u64, valid: fn(u64) -> bool) -> Result<i32, Stop> {
    let (address, value) = (cx.word(0)?, cx.word(1)?);
    cx.load_defined(address + offset, 8, "attribute object")?;
    if !valid(value) {
        return Ok(EINVAL);
    }
    cx.store(address + offset, 8, Value::new(value))?;
    Ok(0)
}

fn get(cx: &mut Cx<'_>, offset: u64, size: u64) -> Result<i32, Stop> {
    let (address, out) = (cx.word(0)?, cx.word(1)?);
    let value = cx.load_defined(address + offset, 8, "attribute object")?;
    cx.store(out, size, Value::new(value))?;
    Ok(0)
}

/// Sets the priority, which has to be one of the policy.
fn set_priority(cx: &mut Cx<'_>) -> Result<i32, Stop> {
    let (address, parameters) = (cx.word(0)?, cx.word(1)?);
    let priority = cx.load_defined(parameters, 4, "scheduling parameters")?;
    let policy = cx.load_defined(address + POLICY, 8, "attribute object")?;
    let known = match policy {
        0 => priority == 0,
        _ => (1..=99).contains(&priority),
    };
    if !known {
        return Ok(EINVAL);
    }
    cx.store(address + PRIORITY, 8, Value::new(priority))?;
    Ok(0)
}

/// Kind and robustness that a mutex attribute object asks for.
pub(super) fn mutex_attributes(cx: &mut Cx<'_>, attributes: u64) -> Result<(u32, bool), Stop> {
    if attributes == 0 {
        return Ok((0, false));
    }
    let bits = cx.load_defined(attributes, 4, "attribute object")?;
    Ok(((bits & TYPE) as u32, bits & ROBUST != 0))
}

/// Reads an attribute object that changes nothing in the model: it must have been initialised.
pub(super) fn ignored(cx: &mut Cx<'_>, attributes: u64) -> Result<(), Stop> {
    if attributes != 0 {
        cx.load_any(attributes, 4, "attribute object")?;
    }
    Ok(())
}

/// Whether thread attributes ask for a detached thread. A creation reads all of them, also those
/// that change nothing in the model.
pub(super) fn detached(cx: &mut Cx<'_>, attributes: u64) -> Result<bool, Stop> {
    if attributes == 0 {
        return Ok(false);
    }
    for offset in [STACK_SIZE, GUARD_SIZE, OF, PRIORITY] {
        cx.load_any(attributes + offset, 8, "attribute object")?;
    }
    let explicit = cx.load_defined(attributes + SCHEDULING, 8, "attribute object")? & 0xffff_ffff == 1;
    if explicit && cx.load_defined(attributes + POLICY, 8, "attribute object")? != 0 {
        let what = "a thread with a real-time policy, for which privileges are needed";
        return Err(Flow::Unsupported(what.into()));
    }
    Ok(detach_state(cx, attributes)? == 1)
}

/// Looks at the clock, argument `i`, by which a call waits. Others are refused by some calls at
/// once, and by some only where they would wait.
pub(super) fn known_clock(cx: &mut Cx<'_>, i: usize) -> Result<(), Stop> {
    match cx.word(i)? as u32 {
        0 | 1 => Ok(()),
        _ => Err(Flow::Unsupported(
            "a deadline by another clock than CLOCK_REALTIME and CLOCK_MONOTONIC".into(),
        )),
    }
}

/// Reads the time that argument `i` points to. Calls refuse one whose nanoseconds are a second or
/// more, or below 0; otherwise it matters to clocks only.
pub(super) fn time(cx: &mut Cx<'_>, i: usize) -> Result<Time, Stop> {
    let address = cx.word(i)?;
    may_depend_on(cx, address)?;
    let seconds = cx.load_any(address, 8, "time")?;
    let nanoseconds = cx.load_defined(address + 8, 8, "time")? as i64;
    Ok(Time {
        address,
        seconds,
        nanoseconds,
        is_valid: is_fraction(nanoseconds),
    })
}

/// Whether a call whose last argument is a deadline may end without what it waits for: at the
/// deadline, or because it refuses this deadline.
pub(super) fn may_give_up(cx: &mut Cx<'_>) -> Result<bool, Stop> {
    if cx.program.options.timeouts {
        return Ok(true);
    }
    let nanoseconds = |cx: &mut Cx<'_>| {
        let address = cx.word(cx.args.len().checked_sub(1)?).ok()?;
        let (start, object) = cx.state.memory.object_at(address)?;
        let is_within = address.checked_add(16)? <= start + object.size;
        is_within.then(|| cx.state.memory.peek_checked(address + 8, 8))
    };
    match nanoseconds(cx) {
        Some(number) if number.is_symbolic() => {
            let what = "a deadline that may be refused, by inputs, with --timeouts off";
            Err(Flow::Unsupported(what.into()))
        }
        Some(number) => Ok(number.is_concrete() && !is_fraction(number.bits as i64)),
        None => Ok(false),
    }
}

/// Whether nanoseconds are fewer than a second.
fn is_fraction(nanoseconds: i64) -> bool {
    (0..1_000_000_000).contains(&nanoseconds)
}

/// Checks that what a call answers may depend on this memory. The read is no action of its own, so
/// no other thread may write there, unless that is found as a data race.
fn may_depend_on(cx: &Cx<'_>, address: u64) -> Result<(), Stop> {
    let options = &cx.program.options;
    let races = !options.visibility.includes_plain() && options.points.is_none();
    if races || visible::runs_alone(cx.state, cx.thread) {
        return Ok(());
    }
    match cx.state.memory.object_at(address) {
        Some((_, object)) if matches!(object.kind, Kind::PrivateStack | Kind::Constant) => Ok(()),
        None => Ok(()), // a fault
        _ => {
            let what = "a time in memory that threads may share, under visibility memory";
            Err(Flow::Unsupported(what.into()))
        }
    }
}

/// A time that a call was given.
pub(super) struct Time {
    pub(super) address: u64,
    seconds: Value,
    pub(super) nanoseconds: i64,
    /// Whether the nanoseconds are fewer than a second.
    pub(super) is_valid: bool,
}

impl Time {
    /// The seconds, of a point in time or of a time from now on. `None` if inputs decide them: then
    /// they say nothing of clocks.
    pub(super) fn seconds(&self, cx: &Cx<'_>, is_point: bool) -> Option<u64> {
        cx.state.seconds(cx.thread, self.seconds, is_point)
    }

    /// As a point in time until which the thread waits.
    pub(super) fn deadline(&self, cx: &Cx<'_>) -> Deadline {
        let seconds = self.seconds(cx, true).filter(|_| self.is_valid);
        seconds.map_or(Deadline::NONE, |seconds| {
            Deadline::at(cx, seconds, self.nanoseconds as u64)
        })
    }

    /// As a time from now on.
    pub(super) fn after_now(&self, cx: &Cx<'_>) -> Deadline {
        let seconds = self.seconds(cx, false).filter(|_| self.is_valid);
        seconds.map_or(Deadline::NONE, |seconds| {
            Deadline::after(cx, seconds, self.nanoseconds as u64)
        })
    }
}

/// Reads a deadline that must be valid.
pub(super) fn valid_time(cx: &mut Cx<'_>, i: usize) -> Result<Deadline, Stop> {
    let time = time(cx, i)?;
    match time.is_valid {
        true => Ok(time.deadline(cx)),
        false => Err(Flow::Unsupported(INVALID.into())),
    }
}

/// What is said of a deadline that is not valid, where the answer depends on more than that.
pub(super) const INVALID: &str = "a deadline with a second or more of nanoseconds (EINVAL)";

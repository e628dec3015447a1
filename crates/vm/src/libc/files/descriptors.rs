//! Descriptors: close, dup and related functions, pipe, fcntl.

use super::action::{cancelable, hidden, object_of, on_file, on_reached};
use super::buffer::store;
use super::content::{APPEND, CLOSE_ON_EXEC, NONBLOCK};
use super::errno::{EBADF, EINVAL, EMFILE};
use super::kinds;
use super::locks;
use super::lookup::{is_of_peer, look, look_part, pinned, still_reaches};
use super::operation::{After, Part, Parted, Performs, alone, operation, phase, refused, refused_at_once};
use super::pin::{in_use, waits_in};
use super::table::{self, Kind, OpenFile};
use crate::hidden::HiddenObject;
use crate::native::{Cx, Flow, Native, Stop};
use crate::phase::Phase;
use selvedge_model::{Action, MemoryOrder, Op, Outcome};

/// The models of this file.
pub(super) fn find(name: &str) -> Option<Native> {
    Some(match name {
        "close" => operation!(|cx| close_part(cx, 0), |cx| close(cx, 0)),
        "dup" => operation!(dup_part, |cx| dup(cx, 0, false)),
        "dup2" => operation!(|cx| dup2_part(cx), |cx| dup2(cx, false)),
        "dup3" => operation!(|cx| dup2_part(cx), |cx| dup2(cx, true)),
        "pipe" => operation!(pipe_part, |cx| pipe(cx, false)),
        "pipe2" => operation!(pipe_part, |cx| pipe(cx, true)),
        "fcntl" | "fcntl64" => operation!(fcntl_part, fcntl),
        _ => return None,
    })
}

fn note(cx: &Cx<'_>) -> u64 {
    cx.state.thread(cx.thread).core.note
}

fn set_note(cx: &mut Cx<'_>, note: u64) {
    cx.state.own_core(cx.thread).note = note;
}

/// Standard output must not be redirected while there are several threads, since threads that print
/// check it without an action.
fn may_redirect(cx: &Cx<'_>, fd: u32) -> Result<(), Stop> {
    if matches!(fd, 1 | 2) && !alone(cx) {
        let what = "closing or redirecting standard output while there are several threads";
        return Err(Flow::Unsupported(what.into()));
    }
    Ok(())
}

// ---- close
// -------------------------------------------------------------------------------------------------

/// Releases the number first, then the open file.
pub(super) fn close_part(cx: &mut Cx<'_>, argument: usize) -> Parted {
    let fd = cx.int(argument)?;
    close_part_of(cx, fd)
}

pub(super) fn close_part_of(cx: &mut Cx<'_>, fd: i32) -> Parted {
    match phase(cx) {
        Phase::First => {}
        Phase::Refusing => return Ok(Part::Act(refusing_action(cx))),
        _ => return Ok(Part::Act(drop_action(cx, note(cx) as u32))),
    }
    match u32::try_from(fd) {
        Ok(fd) if fd < table::MAX_DESCRIPTORS || fd < table::MAX_PEER_DESCRIPTORS && is_of_peer(cx) => {
            let action = hidden(cx, HiddenObject::Descriptors);
            Ok(cancelable(
                cx,
                Action {
                    object2: HiddenObject::Descriptor(fd).id(),
                    ..action
                },
            ))
        }
        _ => refused_at_once(cx, EBADF),
    }
}

pub(super) fn close(cx: &mut Cx<'_>, argument: usize) -> Performs {
    let fd = cx.int(argument)?;
    close_of(cx, fd)
}

pub(super) fn close_of(cx: &mut Cx<'_>, fd: i32) -> Performs {
    match phase(cx) {
        Phase::First => {}
        Phase::Refusing => return refuse(cx),
        _ => {
            let open = note(cx) as u32;
            let it = table::open_file(cx.state, open);
            let closed = close_open_file(cx, open)?;
            if closed && it.description().unaccepted(cx.state, it.file).is_some() {
                set_note(cx, u64::from(it.file));
                return Ok(After::Next(Phase::Refusing, Outcome::Done));
            }
            return Ok(After::Done(0, Outcome::Done));
        }
    }
    match give_up(cx, fd as u32)? {
        Some(open) => {
            set_note(cx, u64::from(open));
            Ok(After::Next(Phase::GivenUp, Outcome::Done))
        }
        None => refused(cx, EBADF),
    }
}

// Who has connected to a listening socket and was not accepted is refused in an action of its own,
// after the socket is closed: the action is one on that connection.

fn refusing_action(cx: &mut Cx<'_>) -> Action {
    let listener = note(cx) as u32;
    let first = Kind::Stream.description().unaccepted(cx.state, listener);
    on_reached(cx, Kind::Stream, first.unwrap_or(listener), Op::Hidden)
}

fn refuse(cx: &mut Cx<'_>) -> Performs {
    let listener = note(cx) as u32;
    if let Some(first) = Kind::Stream.description().unaccepted(cx.state, listener) {
        still_reaches(cx, first)?;
        Kind::Stream.description().refuse(cx.state, listener);
    }
    Ok(match Kind::Stream.description().unaccepted(cx.state, listener) {
        Some(_) => After::Next(Phase::Refusing, Outcome::Done),
        None => After::Done(0, Outcome::Done),
    })
}

/// Makes a descriptor refer to nothing. Returns the open file that it referred to.
pub(super) fn give_up(cx: &mut Cx<'_>, fd: u32) -> Result<Option<u32>, Stop> {
    let Some(open) = table::descriptor(cx.state, fd) else {
        return Ok(None);
    };
    may_redirect(cx, fd)?;
    table::set_descriptor(cx.state, fd, None);
    table::release_number(cx.state, fd);
    Ok(Some(open))
}

/// The action that releases an open file. It can end waits of other threads.
pub(super) fn drop_action(cx: &mut Cx<'_>, open: u32) -> Action {
    let it = table::open_file(cx.state, open);
    let action = on_reached(cx, it.kind, it.file, Op::Hidden);
    if it.kind == Kind::Regular && locks::is_held(cx.state, open) {
        return Action {
            order: MemoryOrder::Release,
            ..action
        };
    }
    if it.description().gives_name_back(cx.state, it.file) {
        return Action {
            object2: HiddenObject::Descriptors.id(),
            order: MemoryOrder::NotAtomic,
            ..action
        };
    }
    action
}

/// Counts one descriptor less of an open file, and closes it if that was the last one. All in one
/// action.
pub(super) fn drop_open_file(cx: &mut Cx<'_>, open: u32) -> Result<(), Stop> {
    let it = table::open_file(cx.state, open);
    let description = it.description();
    if !close_open_file(cx, open)? {
        return Ok(());
    }
    while description.unaccepted(cx.state, it.file).is_some() {
        if cx.state.unjoined() != 0 {
            let what = "replacing the descriptor of a socket while connections wait to be accepted, with several threads";
            return Err(Flow::Unsupported(what.into()));
        }
        description.refuse(cx.state, it.file);
    }
    Ok(())
}

/// Counts one descriptor less of an open file, and closes it if that was the last one. Whether it
/// did; connections that nobody has accepted are still to be refused then.
fn close_open_file(cx: &mut Cx<'_>, open: u32) -> Result<bool, Stop> {
    let it = table::open_file(cx.state, open);
    let description = it.description();
    still_reaches(cx, it.file)?;
    if !table::unshare(cx.state, open) {
        return Ok(false);
    }
    let awaited = match description.woken_by(it.file) {
        Some(_) => in_use(cx, open),
        None => waits_in(cx, open),
    };
    if awaited {
        let what = description.what();
        return Err(Flow::Unsupported(format!(
            "closing {what} that another thread is reading from, writing to or polling"
        )));
    }
    if description.woken_by(it.file).is_some() {
        kinds::forget(cx.state, open);
    }
    if it.kind == Kind::Regular {
        locks::give_up(cx.state, &it);
    }
    description.closed(cx, &it)?;
    Ok(true)
}

// ---- dup
// -------------------------------------------------------------------------------------------------

/// The second part of a duplication: shares the open file and reserves a number.
fn share_action(cx: &Cx<'_>) -> Result<Action, Stop> {
    let open = pinned(cx)?;
    Ok(Action {
        object2: object_of(cx, open.kind, open.file),
        ..hidden(cx, HiddenObject::Descriptors)
    })
}

fn dup_part(cx: &mut Cx<'_>) -> Parted {
    match phase(cx) {
        Phase::First => {
            let fd = cx.int(0)?;
            look_part(cx, fd)
        }
        Phase::LookedUp => Ok(Part::Act(share_action(cx)?)),
        _ => Ok(Part::Act(hidden(cx, HiddenObject::Descriptor(note(cx) as u32)))),
    }
}

/// `dup`, and `fcntl` with `F_DUPFD`: uses the lowest free number that is at least `least`.
/// `closes`: exec closes the new descriptor.
fn dup(cx: &mut Cx<'_>, least: u32, closes: bool) -> Performs {
    match phase(cx) {
        Phase::First => {
            let fd = cx.int(0)?;
            look_or_refuse(cx, fd)
        }
        Phase::LookedUp => {
            let open = pinned(cx)?;
            let Some(fd) = table::reserve(cx.state, least) else {
                return refused(cx, EMFILE);
            };
            table::share(cx.state, open.number);
            set_note(cx, u64::from(fd));
            Ok(After::Next(Phase::Reserved, Outcome::Done))
        }
        _ => {
            let (open, fd) = (pinned(cx)?, note(cx));
            table::set_descriptor(cx.state, fd as u32, Some(open.number));
            table::set_closes_on_exec(cx.state, fd as u32, closes);
            Ok(After::Done(fd, Outcome::Done))
        }
    }
}

fn look_or_refuse(cx: &mut Cx<'_>, fd: i32) -> Performs {
    match look(cx, fd) {
        Some(_) => Ok(After::Next(Phase::LookedUp, Outcome::Done)),
        None => refused(cx, EBADF),
    }
}

fn dup2_part(cx: &mut Cx<'_>) -> Parted {
    let (old, new) = (cx.int(0)?, cx.int(1)?);
    match phase(cx) {
        Phase::First if !(0..table::MAX_DESCRIPTORS as i32).contains(&new) => refused_at_once(cx, EBADF),
        Phase::First => look_part(cx, old),
        Phase::LookedUp => Ok(Part::Act(share_action(cx)?)),
        Phase::Reserved => Ok(Part::Act(hidden(cx, HiddenObject::Descriptor(new as u32)))),
        _ => Ok(Part::Act(drop_action(cx, note(cx) as u32))),
    }
}

fn dup2(cx: &mut Cx<'_>, distinct: bool) -> Performs {
    let (old, new) = (cx.int(0)?, cx.int(1)?);
    let done = After::Done(new as u64, Outcome::Done);
    let flags = if distinct { cx.int(2)? as u32 as u64 } else { 0 };
    match phase(cx) {
        Phase::First if distinct && (old == new || flags & !CLOSE_ON_EXEC != 0) => refused(cx, EINVAL),
        Phase::First if old == new => match look(cx, old) {
            Some(_) => Ok(done),
            None => refused(cx, EBADF),
        },
        Phase::First => look_or_refuse(cx, old),
        Phase::LookedUp => {
            may_redirect(cx, new as u32)?;
            let open = pinned(cx)?;
            table::reserve_number(cx.state, new as u32);
            table::share(cx.state, open.number);
            Ok(After::Next(Phase::Reserved, Outcome::Done))
        }
        Phase::Reserved => {
            let open = pinned(cx)?;
            let before = table::descriptor(cx.state, new as u32);
            table::set_descriptor(cx.state, new as u32, Some(open.number));
            table::set_closes_on_exec(cx.state, new as u32, flags != 0);
            match before {
                Some(before) => {
                    set_note(cx, u64::from(before));
                    Ok(After::Next(Phase::Replaced, Outcome::Done))
                }
                None => Ok(done),
            }
        }
        _ => {
            drop_open_file(cx, note(cx) as u32)?;
            Ok(done)
        }
    }
}

// ---- pipe
// -------------------------------------------------------------------------------------------------

fn pipe_part(cx: &mut Cx<'_>) -> Parted {
    if phase(cx) == Phase::First {
        return Ok(Part::Act(hidden(cx, HiddenObject::Descriptors)));
    }
    let [reader, writer, ..] = numbers(cx);
    Ok(Part::Act(Action {
        object2: HiddenObject::Descriptor(writer).id(),
        ..hidden(cx, HiddenObject::Descriptor(reader))
    }))
}

/// The contents of `Core::note`: two descriptors and the first open file. The second open file has
/// the next number.
fn numbers(cx: &Cx<'_>) -> [u32; 3] {
    let note = note(cx);
    [
        note as u32 & 0xffff,
        (note >> 16) as u32 & 0xffff,
        (note >> 32) as u32,
    ]
}

fn pipe(cx: &mut Cx<'_>, with_flags: bool) -> Performs {
    let out = cx.word(0)?;
    if phase(cx) != Phase::First {
        let [reader, writer, open] = numbers(cx);
        table::set_descriptor(cx.state, reader, Some(open));
        table::set_descriptor(cx.state, writer, Some(open + 1));
        let closes = with_flags && cx.int(1)? as u32 as u64 & CLOSE_ON_EXEC != 0;
        table::set_closes_on_exec(cx.state, reader, closes);
        table::set_closes_on_exec(cx.state, writer, closes);
        store(cx, out, 4, u64::from(reader))?;
        store(cx, out + 4, 4, u64::from(writer))?;
        return Ok(After::Done(0, Outcome::Done));
    }
    let flags = if with_flags { cx.int(1)? as u32 as u64 } else { 0 };
    if flags & !(NONBLOCK | CLOSE_ON_EXEC) != 0 {
        return refused(cx, EINVAL);
    }
    let Some(reader) = table::reserve(cx.state, 0) else {
        return refused(cx, EMFILE);
    };
    let Some(writer) = table::reserve(cx.state, 0) else {
        table::release_number(cx.state, reader);
        return refused(cx, EMFILE);
    };
    let file = kinds::make_pipe(cx)?;
    let mut ends = [0; 2];
    for (end, writable) in ends.iter_mut().zip([false, true]) {
        *end =
            table::new_open_file(cx.state, file, !writable, writable).ok_or_else(super::content::too_many)?;
        if flags & NONBLOCK != 0 {
            table::set_flags(cx.state, *end, NONBLOCK);
        }
    }
    let note = u64::from(reader) | u64::from(writer) << 16 | u64::from(ends[0]) << 32;
    set_note(cx, note);
    Ok(After::Next(Phase::Reserved, Outcome::Done))
}

// ---- fcntl
// -------------------------------------------------------------------------------------------------

const DUPLICATE: i32 = 0;
const GET_DESCRIPTOR_FLAGS: i32 = 1;
const SET_DESCRIPTOR_FLAGS: i32 = 2;
const GET_FLAGS: i32 = 3;
const SET_FLAGS: i32 = 4;
const DUPLICATE_CLOSE_ON_EXEC: i32 = 1030;
const PIPE_SIZE_OF: i32 = 1032;
const SET_LOCK: i32 = 6;
const SET_LOCK_AND_WAIT: i32 = 7;

fn fcntl_part(cx: &mut Cx<'_>) -> Parted {
    let (fd, command) = (cx.int(0)?, cx.int(1)?);
    match phase(cx) {
        Phase::First
            if !matches!(
                command,
                DUPLICATE
                    | DUPLICATE_CLOSE_ON_EXEC
                    | GET_DESCRIPTOR_FLAGS
                    | SET_DESCRIPTOR_FLAGS
                    | GET_FLAGS
                    | SET_FLAGS
                    | PIPE_SIZE_OF
                    | SET_LOCK
                    | SET_LOCK_AND_WAIT
            ) =>
        {
            Err(Flow::Unsupported(format!("fcntl command {command}")))
        }
        Phase::First if command == SET_DESCRIPTOR_FLAGS => match u32::try_from(fd) {
            Ok(fd) if fd < table::MAX_DESCRIPTORS => Ok(Part::Act(hidden(cx, HiddenObject::Descriptor(fd)))),
            _ => refused_at_once(cx, EBADF),
        },
        // Who has looked the descriptor up before may wait in an operation by then.
        Phase::First if command == SET_FLAGS => Ok(match look_part(cx, fd)? {
            Part::Act(look) => Part::Act(Action {
                op: Op::Hidden,
                ..look
            }),
            part => part,
        }),
        Phase::First => look_part(cx, fd),
        _ if matches!(command, DUPLICATE | DUPLICATE_CLOSE_ON_EXEC) => dup_part(cx),
        _ => {
            let open = pinned(cx)?;
            if open.kind == Kind::Requests {
                return Err(Flow::Unsupported("fcntl on a stream of requests".into()));
            }
            let action = on_file(cx, open.kind, open.file, Op::Hidden, MemoryOrder::NotAtomic);
            Ok(Part::Act(action))
        }
    }
}

fn fcntl(cx: &mut Cx<'_>) -> Performs {
    let (fd, command) = (cx.int(0)?, cx.int(1)?);
    if matches!(command, DUPLICATE | DUPLICATE_CLOSE_ON_EXEC) {
        let least = cx.int(2)?;
        return match u32::try_from(least) {
            Ok(least) if least < table::MAX_DESCRIPTORS => dup(cx, least, command == DUPLICATE_CLOSE_ON_EXEC),
            _ => refused(cx, EINVAL),
        };
    }
    if matches!(command, GET_DESCRIPTOR_FLAGS | SET_DESCRIPTOR_FLAGS) {
        return descriptor_flags(cx, fd as u32, command == SET_DESCRIPTOR_FLAGS);
    }
    if phase(cx) == Phase::First {
        return look_or_refuse(cx, fd);
    }
    let open = pinned(cx)?;
    let flags = table::flags(cx.state, open.number);
    let result = match command {
        GET_FLAGS => {
            let access = match (open.readable, open.writable) {
                (true, true) => 2,
                (false, true) => 1,
                _ => 0,
            };
            access | flags | open.description().constant_flags()
        }
        SET_FLAGS => {
            let new = cx.int(2)? as u32 as u64 & (APPEND | NONBLOCK);
            // Whoever sleeps there sleeps on, and whoever is about to may do either.
            if (new ^ flags) & NONBLOCK != 0 && waits_in(cx, open.number) {
                let what = "a change of O_NONBLOCK while another thread is in an operation that can wait";
                return Err(Flow::Unsupported(what.into()));
            }
            table::set_flags(cx.state, open.number, new);
            0
        }
        SET_LOCK | SET_LOCK_AND_WAIT => match record_lock(cx, &open)? {
            None => 0,
            Some(error) => return refused(cx, error),
        },
        PIPE_SIZE_OF => match open.description().pipe_size() {
            Some(size) => size,
            None => return refused(cx, EBADF),
        },
        _ => return refused(cx, EBADF),
    };
    Ok(After::Done(result, Outcome::Done))
}

/// Gets or sets the flags of a descriptor, of which there is one: FD_CLOEXEC.
fn descriptor_flags(cx: &mut Cx<'_>, fd: u32, sets: bool) -> Performs {
    if table::descriptor(cx.state, fd).is_none() {
        return refused(cx, EBADF);
    }
    let mut result = u64::from(table::closes_on_exec(cx.state, fd));
    if sets {
        let closes = cx.int(2)? & 1 != 0;
        table::set_closes_on_exec(cx.state, fd, closes);
        result = 0;
    }
    Ok(After::Done(result, Outcome::Done))
}

/// Locks a range of a file against other processes. There are none, so the lock is granted; it is
/// checked only. Returns the error number.
fn record_lock(cx: &mut Cx<'_>, open: &OpenFile) -> Result<Option<i32>, Stop> {
    let address = cx.word(2)?;
    Ok(match cx.load_defined(address, 2, "kind of a lock")? {
        0 if !open.readable => Some(EBADF),
        1 if !open.writable => Some(EBADF),
        0..=2 => None,
        _ => Some(EINVAL),
    })
}

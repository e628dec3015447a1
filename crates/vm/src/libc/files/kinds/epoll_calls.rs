//! `epoll_create` and `epoll_ctl`: make and change sets of descriptors (`epoll.rs`).

use super::epoll::{self, Interest, MOST, ONE_SHOT};
use crate::hidden::HiddenObject;
use crate::libc::files::action::{hidden, looking, on_file};
use crate::libc::files::buffer::access;
use crate::libc::files::content::{self, too_many};
use crate::libc::files::errno::{EBADF, EEXIST, EINVAL, ENOENT, EPERM};
use crate::libc::files::open::{self, How};
use crate::libc::files::operation::{After, Part, Parted, Performs, operation, phase, refused};
use crate::libc::files::polled::{ERROR, HANGUP, IN, OUT, Pin, READ_HANGUP, READ_NORMAL, WRITE_NORMAL, pin};
use crate::libc::files::table::{self, Kind, MAX_DESCRIPTORS, OpenFile};
use crate::native::{Cx, Flow, Native, Stop};
use crate::phase::Phase;
use crate::word::WordKey;
use selvedge_model::{MemoryOrder, Op, Outcome};

/// The models of this file.
pub(in crate::libc::files) fn find(name: &str) -> Option<Native> {
    Some(match name {
        "epoll_create" => operation!(create_part, |cx| create(cx, false)),
        "epoll_create1" => operation!(create_part, |cx| create(cx, true)),
        "epoll_ctl" => operation!(change_part, change),
        _ => return None,
    })
}

// ---- epoll_create
// -------------------------------------------------------------------------------------------------

const CLOSE_ON_EXEC: i32 = content::CLOSE_ON_EXEC as i32;

fn create_part(cx: &mut Cx<'_>) -> Parted {
    if phase(cx) == Phase::First {
        return Ok(Part::Act(hidden(cx, HiddenObject::Descriptors)));
    }
    open::install_part(cx)
}

fn create(cx: &mut Cx<'_>, flags: bool) -> Performs {
    if phase(cx) != Phase::First {
        let fd = open::install(cx, false)?;
        return Ok(After::Done(u64::from(fd), Outcome::Done));
    }
    let argument = cx.int(0)?;
    // Without flags, it is a size, which has no effect.
    if flags && argument & !CLOSE_ON_EXEC != 0 || !flags && argument <= 0 {
        return refused(cx, EINVAL);
    }
    let file = table::new_file(cx.state, Kind::Epoll, 0o600).ok_or_else(too_many)?;
    epoll::make(cx, file)?;
    let how = How::unnamed(if flags { argument as u32 as u64 } else { 0 });
    match open::reserve(cx, file, how)? {
        Ok(()) => Ok(After::Next(Phase::Reserved, Outcome::Done)),
        Err(error) => refused(cx, error),
    }
}

// ---- epoll_ctl
// -------------------------------------------------------------------------------------------------

const ADD: i32 = 1;
const DELETE: i32 = 2;
const MODIFY: i32 = 3;

/// Which arguments are descriptors: the set, and the file.
const DESCRIPTORS: [usize; 2] = [0, 2];

/// Looks both descriptors up, one after the other. `Core::note` is the number of those that were.
fn change_part(cx: &mut Cx<'_>) -> Parted {
    let core = cx.state.thread(cx.thread).core;
    if core.phase == Phase::LookedUp {
        let Pin::Open(set, _) = pin(cx.state, cx.thread, 0) else {
            return Ok(Part::Now);
        };
        let set = table::open_file(cx.state, set);
        return Ok(match set.kind {
            Kind::Epoll => Part::Act(on_file(cx, set.kind, set.file, Op::Hidden, MemoryOrder::Release)),
            _ => Part::Now,
        });
    }
    let fd = cx.int(DESCRIPTORS[core.note as usize])?;
    Ok(match u32::try_from(fd) {
        Ok(fd) if fd < MAX_DESCRIPTORS => Part::Act(looking(cx, fd)),
        _ => Part::Now,
    })
}

fn change(cx: &mut Cx<'_>) -> Performs {
    let core = cx.state.thread(cx.thread).core;
    let region = cx.state.thread(cx.thread).region;
    if core.phase != Phase::LookedUp {
        let fd = cx.int(DESCRIPTORS[core.note as usize])?;
        let fd = u32::try_from(fd).ok().filter(|&fd| fd < MAX_DESCRIPTORS);
        let found = match fd.and_then(|fd| table::descriptor(cx.state, fd)) {
            Some(open) => Pin::Open(open, 0),
            None => Pin::Closed,
        };
        let word = WordKey::Pinned(region, core.note as u32);
        cx.state.set_word(word, found.word());
        cx.state.own_core(cx.thread).note += 1;
        let phase = match core.note {
            0 => Phase::First,
            _ => Phase::LookedUp,
        };
        return Ok(After::Next(phase, Outcome::Done));
    }
    let [set, member] = [0, 1].map(|index| pin(cx.state, cx.thread, index));
    for index in [0, 1] {
        cx.state.set_word(WordKey::Pinned(region, index), 0);
    }
    let (Pin::Open(set, _), Pin::Open(member, _)) = (set, member) else {
        return refused(cx, EBADF);
    };
    let [set, member] = [set, member].map(|open| table::open_file(cx.state, open));
    match changed(cx, &set, &member)? {
        Ok(()) => Ok(After::Done(0, Outcome::Done)),
        Err(error) => refused(cx, error),
    }
}

/// Changes a set. The result is an error number if that is refused.
fn changed(cx: &mut Cx<'_>, set: &OpenFile, member: &OpenFile) -> Result<Result<(), i32>, Stop> {
    let (operation, fd) = (cx.int(1)?, cx.int(2)? as u32);
    if member.description().woken_by(member.file).is_none() {
        return Ok(Err(EPERM));
    }
    if set.kind != Kind::Epoll || set.number == member.number {
        return Ok(Err(EINVAL));
    }
    if member.kind == Kind::Epoll {
        return Err(Flow::Unsupported(
            "a set of descriptors (epoll) in another one".into(),
        ));
    }
    if table::is_gone(cx.state, member.number) {
        let what = "epoll_ctl of a descriptor that another thread closes";
        return Err(Flow::Unsupported(what.into()));
    }
    let mut all = epoll::interests(cx.state, set.file);
    let known = all.find(|(_, it)| it.fd == fd && it.open == member.number);
    drop(all);
    let index = match (operation, known) {
        (ADD, Some(_)) => return Ok(Err(EEXIST)),
        (DELETE | MODIFY, None) => return Ok(Err(ENOENT)),
        (ADD, None) => epoll::interests(cx.state, set.file).count() as u32,
        (DELETE, Some((index, _))) => {
            epoll::remove(cx.state, set.file, index);
            return Ok(Ok(()));
        }
        (MODIFY, Some((index, _))) => index,
        _ => return Ok(Err(EINVAL)),
    };
    if index == MOST {
        return Err(Flow::Unsupported(format!(
            "more than {MOST} descriptors in a set (epoll)"
        )));
    }
    let event = cx.word(3)?;
    access(cx, event, 12, false)?;
    let events = cx.load_defined(event, 4, "events of a set of descriptors")? as u32;
    let plain = IN | OUT | ERROR | HANGUP | READ_HANGUP | READ_NORMAL | WRITE_NORMAL;
    if events & !(u32::from(plain) | ONE_SHOT) != 0 {
        return Err(Flow::Unsupported(format!(
            "epoll_ctl with the events {events:#x}"
        )));
    }
    // A file whose readiness is not known is unsupported from the start.
    member.description().ready(cx.state, member)?;
    let interest = Interest {
        fd,
        open: member.number,
        // An entry without events still reports errors.
        events: match events & !ONE_SHOT {
            0 => events | u32::from(ERROR),
            _ => events,
        },
    };
    epoll::set_interest(cx.state, set.file, index, Some(interest));
    let to = epoll::data(cx.state, set.file, index);
    cx.state.memory.copy(to, event + 4, 8);
    Ok(Ok(()))
}

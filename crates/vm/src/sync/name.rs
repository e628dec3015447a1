//! The names of threads: `pthread_setname_np`, `pthread_getname_np` and `prctl`.
//!
//! In most programs names are for reports only, and no state. Where the program may read them
//! (`pthread_getname_np`, `prctl`), a name is two hidden words of its thread, and setting and
//! reading it are actions on that. A new thread has the name of the one that creates it.
//!
//! Unsupported: naming a thread that has created others, and creating threads after another one has
//! named the thread. For a creation is no action on the name.

use super::errno::ERANGE;
use super::handle::thread_of;
use super::operation::{Answer, SUCCESS, done};
use crate::hidden::HiddenObject;
use crate::memory::Kind;
use crate::native::{Cx, Flow, Native, Prepared, Stop, Visible};
use crate::program::Program;
use crate::state::State;
use crate::thread::Stage;
use crate::value::Value;
use crate::visible;
use crate::word::WordKey;
use selvedge_base::ThreadId;
use selvedge_model::{Action, FaultKind, ObjectId, Op, Outcome};

/// The models of this file.
pub(super) fn find(name: &str) -> Option<Native> {
    let (prepare, perform): super::operation::Model = match name {
        "pthread_setname_np" => (prepare_set, |cx, _| done(set(cx))),
        "pthread_getname_np" => (prepare_get, |cx, _| done(get(cx))),
        "prctl" => (prepare_control, |cx, _| done(control(cx))),
        _ => return None,
    };
    Some(Native::Visible(Visible {
        prepare,
        perform,
        numbers: crate::native::ALL_ARGUMENTS,
    }))
}

/// The most bytes of a thread's name.
const LONGEST: usize = 15;
/// The size of a name with its end.
const SIZE: u64 = 16;
/// What a program is called.
const PROGRAM: &[u8] = b"program";

/// Bits of the last byte of a name's second word, which no name has.
mod is {
    /// The thread has a name of its own.
    pub const NAMED: u64 = 1 << 56;
    /// Another thread has named it.
    pub const NAMED_BY_OTHERS: u64 = 1 << 57;
    /// It has created threads.
    pub const PARENT: u64 = 1 << 58;
    pub const ALL: u64 = 0xff << 56;
}

/// Whether threads of a program can read a name that another one sets.
pub(super) fn shares(program: &Program) -> bool {
    let has = |name| program.module.function(name).is_some();
    has("pthread_getname_np") || has("prctl") && has("pthread_setname_np")
}

/// Whether names are a part of the state.
fn keeps(program: &Program) -> bool {
    shares(program) || program.module.function("prctl").is_some()
}

fn words(state: &State, thread: ThreadId) -> [u64; 2] {
    let region = state.thread(thread).region;
    [0, 1].map(|half| state.word(WordKey::ThreadName(region, half)))
}

fn set_words(state: &mut State, thread: ThreadId, words: [u64; 2]) {
    let region = state.thread(thread).region;
    for (half, word) in (0..).zip(words) {
        state.set_word(WordKey::ThreadName(region, half), word);
    }
}

/// The bytes of a thread's name.
fn name_of(state: &State, thread: ThreadId) -> [u8; SIZE as usize] {
    let mut bytes = [0; SIZE as usize];
    let [low, high] = words(state, thread);
    if high & is::NAMED == 0 {
        bytes[..PROGRAM.len()].copy_from_slice(PROGRAM);
        return bytes;
    }
    bytes[..8].copy_from_slice(&low.to_le_bytes());
    bytes[8..].copy_from_slice(&(high & !is::ALL).to_le_bytes());
    bytes
}

/// A new thread has its creator's name.
pub(super) fn inherit(cx: &mut Cx<'_>, child: ThreadId) {
    if !keeps(cx.program) {
        return;
    }
    let [low, high] = words(cx.state, cx.thread);
    if shares(cx.program) && high & is::PARENT == 0 {
        set_words(cx.state, cx.thread, [low, high | is::PARENT]);
    }
    if high & is::NAMED != 0 {
        set_words(cx.state, child, [low, high & !is::ALL | is::NAMED]);
    }
}

/// Unsupported if the name of a new thread depends on what another thread does at the same time.
pub(super) fn may_create(cx: &Cx<'_>) -> Result<(), Stop> {
    if keeps(cx.program) && words(cx.state, cx.thread)[1] & is::NAMED_BY_OTHERS != 0 {
        let what = "creating a thread after another thread has named this one, where names are read";
        return Err(Flow::Unsupported(what.into()));
    }
    Ok(())
}

/// An operation on the name of a thread: an action if others may set or read it.
fn prepare(cx: &mut Cx<'_>, thread: ThreadId, perform: fn(&mut Cx<'_>) -> Answer) -> Prepared {
    if shares(cx.program) && !cx.state.is_lone() {
        let region = cx.state.thread(thread).region;
        // The end of a thread matters to who asks for its name.
        return Prepared::Visible(Action {
            object2: ObjectId::thread(thread),
            ..cx.action(Op::Hidden, HiddenObject::ThreadName(region).id().0)
        });
    }
    match perform(cx) {
        Ok((code, _)) => Prepared::Immediate(Flow::int(code)),
        Err(flow) => Prepared::Immediate(flow),
    }
}

/// The thread in the first argument.
fn target(cx: &mut Cx<'_>) -> Result<ThreadId, Stop> {
    let handle = cx.word(0)?;
    thread_of(cx.state, handle)
        .ok_or_else(|| cx.fault(FaultKind::InvalidThread, "use of a thread that does not exist"))
}

fn prepare_set(cx: &mut Cx<'_>) -> Prepared {
    match target(cx) {
        Ok(thread) => prepare(cx, thread, set),
        Err(flow) => Prepared::Immediate(flow),
    }
}

fn set(cx: &mut Cx<'_>) -> Answer {
    let (thread, name) = (target(cx)?, cx.word(1)?);
    let name = cx.string(name)?;
    if name.len() > LONGEST {
        return Ok((ERANGE, Outcome::Done));
    }
    if shares(cx.program) && has_ended(cx, thread) {
        return Ok((ENOENT, Outcome::Done));
    }
    call(cx, thread, &name)?;
    Ok(SUCCESS)
}

/// Whether a thread has ended. glibc finds no file with its name then.
fn has_ended(cx: &Cx<'_>, thread: ThreadId) -> bool {
    cx.state.thread(thread).core.stage == Stage::Finished
}

const ENOENT: i32 = 2;

/// Gives a thread a name.
fn call(cx: &mut Cx<'_>, thread: ThreadId, name: &[u8]) -> Result<(), Stop> {
    cx.state.set_label(thread, &String::from_utf8_lossy(name));
    if !keeps(cx.program) {
        return Ok(());
    }
    let mut marks = words(cx.state, thread)[1] & is::ALL | is::NAMED;
    if thread != cx.thread {
        if marks & is::PARENT != 0 {
            let what = "naming another thread that has created threads, where names are read";
            return Err(Flow::Unsupported(what.into()));
        }
        marks |= is::NAMED_BY_OTHERS;
    }
    let mut bytes = [0; SIZE as usize];
    bytes[..name.len()].copy_from_slice(name);
    let half = |at: usize| u64::from_le_bytes(std::array::from_fn(|i| bytes[at + i]));
    set_words(cx.state, thread, [half(0), half(8) | marks]);
    Ok(())
}

fn prepare_get(cx: &mut Cx<'_>) -> Prepared {
    match target(cx) {
        Ok(thread) => prepare(cx, thread, get),
        Err(flow) => Prepared::Immediate(flow),
    }
}

fn get(cx: &mut Cx<'_>) -> Answer {
    let (thread, to, size) = (target(cx)?, cx.word(1)?, cx.word(2)?);
    if size < SIZE {
        return Ok((ERANGE, Outcome::Done));
    }
    if has_ended(cx, thread) {
        return Ok((ENOENT, Outcome::Done));
    }
    let name = name_of(cx.state, thread);
    let length = name.iter().take_while(|&&byte| byte != 0).count();
    put(cx, to, &name[..=length])?;
    Ok(SUCCESS)
}

/// Writes a name to the program's memory, within the action.
fn put(cx: &mut Cx<'_>, to: u64, bytes: &[u8]) -> Result<(), Stop> {
    let object = cx.state.memory.object_at(to);
    let own = object.is_some_and(|(_, object)| object.kind == Kind::PrivateStack);
    if !own && visible::shows(cx.program, cx.state, cx.thread, cx.site.stmt) {
        let what = "the name of a thread, to memory that threads may share, under visibility memory";
        return Err(Flow::Unsupported(what.into()));
    }
    cx.access(to, bytes.len() as u64, true)?;
    for (at, &byte) in (to..).zip(bytes) {
        cx.state.memory.poke_checked(at, 1, Value::new(u64::from(byte)));
    }
    Ok(())
}

// ---- prctl
// -------------------------------------------------------------------------------------------------

const SET_NAME: i32 = 15;
const GET_NAME: i32 = 16;

fn prepare_control(cx: &mut Cx<'_>) -> Prepared {
    prepare(cx, cx.thread, control)
}

/// Linux's call that does several things to a thread or a process. Only the name of the own thread
/// is supported; a longer name is cut.
fn control(cx: &mut Cx<'_>) -> Answer {
    match cx.int(0)? {
        SET_NAME => {
            let name = cx.word(1)?;
            let name = cx.string(name)?;
            call(cx, cx.thread, &name[..name.len().min(LONGEST)])?;
        }
        // The table of effects (`analysis::library`) does not know that prctl writes.
        GET_NAME if cx.program.options.points.is_some() => {
            let what = "prctl(PR_GET_NAME) with --dependence predicate";
            return Err(Flow::Unsupported(what.into()));
        }
        GET_NAME => {
            let (to, name) = (cx.word(1)?, name_of(cx.state, cx.thread));
            put(cx, to, &name)?;
        }
        operation => return Err(Flow::Unsupported(format!("prctl({operation})"))),
    }
    Ok(SUCCESS)
}

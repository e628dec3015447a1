//! The creation of threads, and their handles.

use super::attr;
use super::handle::handle;
use super::name;
use crate::memory::{Kind as MemoryKind, OWNERS};
use crate::native::{Cx, Flow, Performed, Prepared, Stop};
use crate::phase::Phase;
use crate::thread::{Core, Thread};
use crate::value::Value;
use crate::visible;
use selvedge_base::{Id, ThreadId};
use selvedge_model::{Action, FaultKind, LimitKind, ObjectId, Op, Outcome, Pending, Status};

/// Creates a thread that will run `start(argument)`. Its pending action is `Start`.
pub fn spawn(cx: &mut Cx<'_>, start: u64, argument: Value, detached: bool) -> Result<ThreadId, Flow> {
    name::may_create(cx)?;
    let parent = cx.thread;
    let (ordinal, again) = next_child(cx);
    let Some(region) = cx
        .program
        .region(cx.state.thread(parent).region, ordinal)
        .filter(|&r| r < OWNERS)
    else {
        return Err(Flow::Limit(
            LimitKind::Threads,
            format!("more than {} threads", OWNERS - 2),
        ));
    };
    let twin = crate::turns::twin(cx, start, argument, detached);
    let core = cx.state.own_core(parent);
    core.last_child = ordinal;
    core.children = core.children.max(ordinal);
    cx.state.count_joined(parent);
    let id = again.unwrap_or(ThreadId::from_index(cx.state.threads().len()));
    let thread = Thread {
        parent,
        ordinal,
        region,
        start: (start, argument),
        twin,
        again: again.is_some(),
        created: cx.site,
        core: Core::created(detached),
        regs: Vec::new(),
        frames: Vec::new(),
        locals: Vec::new(),
        held: Vec::new(),
        tls: Vec::new(),
        low_depth: 0,
    };
    let action = Action {
        stmt: cx.site.stmt,
        ..Action::on(id, Op::Start, ObjectId::thread(id))
    };
    let pending = Pending {
        action,
        status: Status::Enabled,
        alternatives: 1,
    };
    match again {
        Some(id) => cx.state.begin_again(id, thread, pending),
        None => _ = cx.state.push_thread(thread, pending),
    }
    let unjoined = cx.state.unjoined() + 1;
    cx.state.set_unjoined(unjoined);
    cx.state.tell(parent, id);
    crate::libc::signal::inherit(cx.state, parent, id);
    name::inherit(cx, id);
    Ok(id)
}

/// Which of the acting thread's children its next one is, and the thread that is begun again, if
/// one is. None is where signals are sent, since who may send one to whom goes by ordinals, and
/// where others may ask for names: the one of a joined thread is asked for beside the next
/// creation.
fn next_child(cx: &Cx<'_>) -> (u32, Option<ThreadId>) {
    match cx.program.signals.is_some() || name::shares(cx.program) {
        true => (cx.state.thread(cx.thread).core.children + 1, None),
        false => cx.state.next_child(cx.thread),
    }
}

pub(super) fn create_prepare(cx: &mut Cx<'_>) -> Prepared {
    prepare_spawn(cx, Handle::Late)
}

/// When a new thread finds its handle where its creator wants it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Handle {
    /// From its start: the completion of `thrd_create`, and of the constructor of `std::thread`,
    /// synchronises with it (C11 7.26.5.1, C++ [thread.thread.constr]).
    Early,
    /// At some time: POSIX does not require that the ID be available before the new thread starts.
    Late,
}

/// The creation of a thread by `thrd_create` or the constructor of `std::thread`.
pub(super) fn create_early_prepare(cx: &mut Cx<'_>) -> Prepared {
    prepare_spawn(cx, Handle::Early)
}

/// The creation of a thread whose handle goes where the first argument points to.
fn prepare_spawn(cx: &mut Cx<'_>, when: Handle) -> Prepared {
    if cx.state.thread(cx.thread).core.lone_block != 0 {
        return Prepared::Immediate(Flow::Unsupported("creating a thread in an atomic block".into()));
    }
    let phase = cx.state.thread(cx.thread).core.phase;
    let early = when == Handle::Early || cx.program.options.early_handles;
    if phase == Phase::Created || phase == Phase::First && early {
        let out = match cx.word(0) {
            Ok(out) => out,
            Err(flow) => return Prepared::Immediate(flow),
        };
        if let Some(action) = out_action(cx, out, 8) {
            return Prepared::Visible(action);
        }
        if phase == Phase::Created {
            return Prepared::Visible(cx.action(Op::Write, out));
        }
        let next = next_handle(cx);
        if let Err(flow) = cx.store(out, 8, Value::new(next)) {
            return Prepared::Immediate(flow);
        }
    }
    Prepared::Visible(cx.action(Op::Spawn, 0))
}

/// The handle of the thread that this one creates next.
fn next_handle(cx: &Cx<'_>) -> u64 {
    let (ordinal, _) = next_child(cx);
    let region = cx.program.region(cx.state.thread(cx.thread).region, ordinal);
    region.map_or(0, u64::from)
}

/// What an operation that is a scheduling point anyway writes beside, as `Action::object2`; none if
/// no other thread minds.
pub(super) fn written(cx: &Cx<'_>, out: u64) -> ObjectId {
    match out_action(cx, out, 8) {
        Some(_) => ObjectId(out & !7),
        None => ObjectId::NONE,
    }
}

/// The scheduling point of a result's write to `out`, if it must be one.
pub(super) fn out_action(cx: &Cx<'_>, out: u64, size: u32) -> Option<Action> {
    if !visible::shows(cx.program, cx.state, cx.thread, cx.site.stmt) {
        return None;
    }
    let (base, object) = cx.state.memory.object_at(out)?;
    let object2 = match object.kind {
        MemoryKind::PrivateStack | MemoryKind::Constant => return None,
        MemoryKind::Heap | MemoryKind::Stack => ObjectId::heap(base),
        _ => ObjectId::NONE,
    };
    Some(Action {
        object2,
        size,
        blocks: cx.program.blocks_at(out),
        ..cx.action(Op::Write, out)
    })
}

pub(super) fn create(cx: &mut Cx<'_>, _: u16) -> Performed {
    perform_spawn(cx, Handle::Late, |cx| {
        let (attributes, start) = (cx.word(1)?, cx.word(2)?);
        let argument = cx.args.get(3).copied().unwrap_or(Value::new(0));
        let detached = attr::detached(cx, attributes)?;
        create_with(cx, start, argument, detached)
    })
}

/// `thrd_create`: handle, start routine, argument.
pub(super) fn create_c11(cx: &mut Cx<'_>, _: u16) -> Performed {
    perform_spawn(cx, Handle::Early, |cx| {
        let start = cx.word(1)?;
        let argument = cx.args.get(2).copied().unwrap_or(Value::new(0));
        create_with(cx, start, argument, false)
    })
}

/// Performs the part of a creation whose turn it is: `spawn` makes the thread.
fn perform_spawn(
    cx: &mut Cx<'_>,
    when: Handle,
    spawn: impl FnOnce(&mut Cx<'_>) -> Result<ThreadId, Stop>,
) -> Performed {
    match perform_part(cx, when, spawn) {
        Ok(performed) => performed,
        Err(flow) => Performed::Done(flow, Outcome::Failed),
    }
}

fn perform_part(
    cx: &mut Cx<'_>,
    when: Handle,
    spawn: impl FnOnce(&mut Cx<'_>) -> Result<ThreadId, Stop>,
) -> Result<Performed, Stop> {
    let out = cx.word(0)?;
    let core = cx.state.thread(cx.thread).core;
    let early = when == Handle::Early || cx.program.options.early_handles;
    if core.phase == Phase::Created {
        cx.store(out, 8, Value::new(core.note))?;
        return Ok(Performed::Done(Flow::int(0), Outcome::Done));
    }
    if early && core.phase == Phase::First && cx.pending().op == Op::Write {
        let next = next_handle(cx);
        cx.store(out, 8, Value::new(next))?;
        cx.state.own_core(cx.thread).phase = Phase::Named;
        return Ok(Performed::Again(Outcome::Done));
    }
    // Nothing may fail any more once there is a thread.
    if !early && let Err(error) = cx.state.memory.check(out, 8, true) {
        return Err(cx.memory_fault(error, out, 8, true));
    }
    let id = spawn(cx)?;
    if early {
        return Ok(Performed::Done(Flow::int(0), Outcome::Thread(id)));
    }
    let handle = handle(cx.state, id);
    if out_action(cx, out, 8).is_some() {
        let core = cx.state.own_core(cx.thread);
        (core.phase, core.note) = (Phase::Created, handle);
        return Ok(Performed::Again(Outcome::Thread(id)));
    }
    cx.store(out, 8, Value::new(handle))?;
    Ok(Performed::Done(Flow::int(0), Outcome::Thread(id)))
}

fn create_with(cx: &mut Cx<'_>, start: u64, argument: Value, detached: bool) -> Result<ThreadId, Stop> {
    if cx.program.function_at(start).is_none() {
        return Err(cx.fault(
            FaultKind::InvalidPointer,
            "the start routine of a new thread is no function",
        ));
    }
    spawn(cx, start, argument, detached)
}

/// The constructor of `std::thread`: `start` makes the thread.
pub(super) fn create_cxx(
    cx: &mut Cx<'_>,
    start: impl FnOnce(&mut Cx<'_>) -> Result<ThreadId, Stop>,
) -> Performed {
    perform_spawn(cx, Handle::Early, start)
}

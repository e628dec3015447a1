//! The life of threads and of the process: creation, join, exit, and what runs at the end.

use crate::memory::{OWNERS, Site};
use crate::native::{Cx, Flow, Native, Performed, Prepared, Visible};
use crate::state::State;
use crate::thread::{Core, Stage, Thread};
use crate::value::Value;
use selvedge_base::{Id, ThreadId};
use selvedge_model::{Action, FaultKind, LimitKind, ObjectId, Op, Outcome, Pending, Status};
use smallvec::SmallVec;

/// What a thread does once its last frame is gone.
pub enum Next {
    /// Calls a function (address, arguments), then asks again.
    Call(u64, SmallVec<[Value; 2]>),
    /// Its next visible action: `OwnerDied`, `Exit` or `ProcessExit`.
    Visible(Action),
}

/// Asked whenever a thread's last frame has returned or been unwound; `Core::stage` says why, `Core::epilogue` is this
/// module's own counter of what already ran.
pub fn next(cx: &mut Cx<'_>) -> Next {
    let core = cx.state.thread(cx.thread).core;
    match core.stage {
        Stage::Exiting => Next::Visible(cx.action(Op::ProcessExit, 0)),
        _ => Next::Visible(cx.action(Op::Exit, ObjectId::thread(cx.thread).0)),
    }
}

/// Performs the visible action that `next` named.
pub fn perform(cx: &mut Cx<'_>, action: &Action) -> Outcome {
    if matches!(action.op, Op::Exit | Op::ProcessExit) {
        cx.state.own_core(cx.thread).stage = Stage::Finished;
    }
    Outcome::Done
}

/// Creates a thread that will run `start(argument)`. Its pending action is `Start`.
pub fn spawn(cx: &mut Cx<'_>, start: u64, argument: Value, detached: bool) -> Result<ThreadId, Flow> {
    let parent = cx.thread;
    let ordinal = cx.state.thread(parent).core.children + 1;
    let Some(region) = cx.program.region(cx.state.thread(parent).region, ordinal).filter(|&r| r < OWNERS) else {
        return Err(Flow::Limit(LimitKind::Threads, format!("more than {} threads", OWNERS - 2)));
    };
    cx.state.own_core(parent).children = ordinal;
    let id = ThreadId::from_index(cx.state.threads.len());
    let thread = Thread {
        parent,
        ordinal,
        region,
        start: (start, argument),
        created: cx.site,
        core: Core::created(detached),
        regs: Vec::new(),
        frames: Vec::new(),
        locals: Vec::new(),
        held: Vec::new(),
        tls: Vec::new(),
        low_depth: 0,
    };
    let action = Action { stmt: cx.site.stmt, ..Action::on(id, Op::Start, ObjectId::thread(id)) };
    cx.state.push_thread(thread, Pending { action, status: Status::Enabled, alternatives: 1 });
    let unjoined = cx.state.unjoined() + 1;
    cx.state.set_unjoined(unjoined);
    Ok(id)
}

/// A `pthread_t`: one more than the thread's number, so that 0 is none.
pub fn handle(thread: ThreadId) -> u64 {
    thread.index() as u64 + 1
}

/// The thread of a `pthread_t`.
pub fn thread_of(state: &State, handle: u64) -> Option<ThreadId> {
    (handle >= 1 && handle <= state.threads.len() as u64).then(|| ThreadId::from_index(handle as usize - 1))
}

/// Whether a join can go on.
pub fn join_status(state: &State, action: &Action) -> (Status, u16) {
    let finished = action.object.as_thread().is_none_or(|t| state.thread(t).core.stage == Stage::Finished);
    (if finished { Status::Enabled } else { Status::Blocked }, 1)
}

/// The models of this file.
pub fn find(name: &str) -> Option<Native> {
    Some(match name {
        "pthread_create" => Native::Visible(Visible { prepare: create_prepare, perform: create }),
        "pthread_join" => Native::Visible(Visible { prepare: join_prepare, perform: join }),
        "pthread_exit" => Native::Plain(|cx| Flow::ExitThread(cx.args.first().copied().unwrap_or(Value::new(0)))),
        "pthread_self" => Native::Plain(|cx| Flow::word(handle(cx.thread))),
        _ => return None,
    })
}

fn create_prepare(cx: &mut Cx<'_>) -> Prepared {
    Prepared::Visible(cx.action(Op::Spawn, 0))
}

fn create(cx: &mut Cx<'_>, _: u16) -> Performed {
    match create_result(cx) {
        Ok(id) => Performed::Done(Flow::int(0), Outcome::Thread(id)),
        Err(flow) => Performed::Done(flow, Outcome::Failed),
    }
}

fn create_result(cx: &mut Cx<'_>) -> Result<ThreadId, Flow> {
    let (out, start, argument) = (cx.word(0)?, cx.word(2)?, cx.args.get(3).copied().unwrap_or(Value::new(0)));
    let id = spawn(cx, start, argument, false)?;
    cx.store(out, 8, Value::new(handle(id)))?;
    Ok(id)
}

fn join_prepare(cx: &mut Cx<'_>) -> Prepared {
    let target = match cx.word(0) {
        Ok(word) => word,
        Err(flow) => return Prepared::Immediate(flow),
    };
    match thread_of(cx.state, target) {
        Some(t) => Prepared::Visible(cx.action(Op::Join, ObjectId::thread(t).0)),
        None => Prepared::Immediate(cx.fault(FaultKind::InvalidThread, "join of a thread that does not exist")),
    }
}

fn join(cx: &mut Cx<'_>, _: u16) -> Performed {
    let result = (|| {
        let out = cx.word(1)?;
        let target = cx.pending().object.as_thread().unwrap_or(cx.thread);
        let value = cx.state.thread(target).core.result;
        cx.state.core_mut(target).joined = true;
        let unjoined = cx.state.unjoined() - 1;
        cx.state.set_unjoined(unjoined);
        if out != 0 {
            cx.store(out, 8, value)?;
        }
        Ok(())
    })();
    match result {
        Ok(()) => Performed::Done(Flow::int(0), Outcome::Done),
        Err(flow) => Performed::Done(flow, Outcome::Done),
    }
}

/// The site that stands for no place.
pub const NOWHERE: Site = Site { stmt: selvedge_base::StmtId(0), context: selvedge_base::ContextId(0) };

//! The end of threads and of the process, and what runs then.
//!
//! A thread that ends runs, in this order: cleanup handlers (`cancel`), the destructors of its
//! thread-local variables, those of its thread-specific data, one `OwnerDied` for each robust mutex
//! it holds, and `Exit`. A mutex of another kind stays locked for ever, which is no error by
//! itself. A process that exits runs its exit handlers, last registered first, then its global
//! destructors, then `ProcessExit`. If the last thread ends without the process having exited, it
//! goes on as exit(0). Peers from outside are threads of the machine, but not of the process.

use super::creation::{create, create_prepare};
use super::errno::EINVAL;
use super::handle::handle;
use super::join::{
    blocks, clock_join, detach, detach_prepare, exists, join, join_prepare, prepare_on_thread, timed_join,
    timed_join_prepare, try_join, try_join_prepare,
};
use super::object::{Robust, SyncObject};
use super::operation::{Answer, Model, SUCCESS, done};
use super::{cancel, key, mutex, once};
use crate::hidden::HiddenObject;
use crate::memory::{Life, Site};
use crate::native::{ALL_ARGUMENTS, Cx, Flow, Native, Performed, Prepared, Stop, Visible};
use crate::phase::Phase;
use crate::program::Binding;
use crate::state::State;
use crate::thread::Stage;
use crate::value::Value;
use crate::word::{self, Callback, WordKey};
use selvedge_base::{Id, ThreadId};
use selvedge_model::{
    Action, FaultKind, Limit, LimitKind, MemoryOrder, Notice, ObjectId, Op, Outcome, Unsupported,
};
use smallvec::SmallVec;

/// `Core::epilogue` of a process that exits at once.
const QUICK: u32 = u32::MAX;

/// The site that stands for no place.
pub const NOWHERE: Site = Site {
    stmt: selvedge_base::StmtId(0),
    context: selvedge_base::ContextId(0),
};

/// What a thread does once its last frame is gone.
pub enum Next {
    /// Calls a function (address, arguments), then asks again.
    Call(u64, SmallVec<[Value; 2]>),
    /// Its next visible action: `OwnerDied`, `Exit`, `ProcessExit`, or one on what it leaves
    /// behind.
    Visible(Action),
}

/// Asked whenever a thread's last frame has returned or been unwound; `Core::stage` says why,
/// `Core::epilogue` is this module's own counter of what already ran.
pub fn next(cx: &mut Cx<'_>) -> Next {
    loop {
        let stage = cx.state.thread(cx.thread).core.stage;
        let left = if stage == Stage::Exiting {
            next_of_process(cx)
        } else {
            next_of_thread(cx)
        };
        match left {
            Left::Visible(action) => return Next::Visible(action),
            Left::Run(function, argument) => {
                if let Some(next) = run(cx, function, argument) {
                    return next;
                }
            }
        }
    }
}

/// What is left to do for a thread without frames.
enum Left {
    /// Call a function with an argument.
    Run(u64, u64),
    /// A visible action.
    Visible(Action),
}

/// Runs a function with an argument; `None` if that is done already: it was a native model.
fn run(cx: &mut Cx<'_>, function: u64, argument: u64) -> Option<Next> {
    let call = |address: u64| Some(Next::Call(address, SmallVec::from_slice(&[Value::new(argument)])));
    let native = match cx
        .program
        .function_at(function)
        .map(|f| (f, cx.program.bindings[f.index()]))
    {
        Some((_, Binding::Code)) => return call(function),
        Some((_, Binding::Other(other))) => return call(cx.program.function_address(other)),
        Some((_, Binding::Native(native))) => native,
        Some((f, Binding::Missing)) => {
            let what = format!("function {}", cx.program.module.functions[f].display);
            let unsupported = Unsupported {
                what,
                stmt: cx.site.stmt,
            };
            cx.state.notify(Notice::Unsupported(unsupported));
            return None;
        }
        None => {
            let text = format!("{function:#x}, which is to run at the end, is no function");
            note(cx, cx.fault(FaultKind::InvalidPointer, text));
            return None;
        }
    };
    let args = [Value::new(argument)];
    let flow = match native {
        Native::Plain(model) => cx.with_args(&args, model),
        Native::Visible(model) | Native::Join(model) => match cx.with_args(&args, model.prepare) {
            Prepared::Immediate(flow) => flow,
            Prepared::Visible(action) => {
                remember(cx, Phase::ModelToRun, function, argument);
                return Some(Next::Visible(action));
            }
        },
    };
    note(cx, flow);
    None
}

/// Keeps a function and its argument until the visible action named with them was performed.
fn remember(cx: &mut Cx<'_>, phase: Phase, function: u64, argument: u64) {
    let core = cx.state.own_core(cx.thread);
    core.phase = phase;
    core.note = function;
    core.wait[0] = ObjectId(argument);
}

/// Reports what a model answered that runs at the end of a thread.
fn note(cx: &mut Cx<'_>, flow: Flow) {
    let stmt = cx.site.stmt;
    let notice = match flow {
        Flow::Fault(fault) => Notice::Fault(*fault),
        Flow::Unsupported(what) => Notice::Unsupported(Unsupported { what, stmt }),
        Flow::Limit(kind, detail) => Notice::Limit(Limit { kind, detail, stmt }),
        Flow::Return(_) | Flow::ReturnMany(_) => return,
        _ => Notice::Unsupported(Unsupported {
            what: "a library function that ends a thread as a destructor".into(),
            stmt,
        }),
    };
    cx.state.notify(notice);
}

fn next_of_thread(cx: &mut Cx<'_>) -> Left {
    let me = cx.thread;
    if cx.state.word(WordKey::Cleanup(me)) != 0 {
        cx.state.set_word(WordKey::Cleanup(me), 0);
        let text = "the start routine returned between pthread_cleanup_push and pthread_cleanup_pop";
        note(cx, cx.fault(FaultKind::CleanupMismatch, text));
    }
    // The thread has left the routine of `pthread_once` before what runs at its end.
    for held in &cx.state.thread(me).held {
        if let Some(SyncObject::Once(_)) = cx.state.sync(held.object.0) {
            return Left::Visible(cx.action(Op::OnceDone, held.object.0));
        }
    }
    if let Some((function, argument)) = super::cxx::delete_state(cx).or_else(|| thread_destructor(cx)) {
        return Left::Run(function, argument);
    }
    let mut position = cx.state.thread(me).core.epilogue;
    let destructor = key::next_destructor(cx, &mut position);
    cx.state.own_core(me).epilogue = position;
    if let Some((function, argument)) = destructor {
        no_more_thread_destructors(cx);
        return Left::Run(function, argument);
    }
    for held in &cx.state.thread(me).held {
        match cx.state.sync(held.object.0) {
            Some(SyncObject::Mutex(m)) if m.robust != Robust::No => {
                return Left::Visible(cx.action(Op::OwnerDied, held.object.0));
            }
            _ => {}
        }
    }
    // Which thread is the last, and so runs the exit handlers, depends on the order of ends. The
    // process exits after the last one (POSIX, pthread_exit), so what is run then comes after all.
    let (object2, order) = if cx.program.exit_handlers && !cx.program.is_peer(cx.state.thread(me)) {
        (HiddenObject::ExitHandlers.id(), MemoryOrder::Release)
    } else {
        (ObjectId::NONE, MemoryOrder::NotAtomic)
    };
    Left::Visible(Action {
        object2,
        order,
        ..cx.action(Op::Exit, ObjectId::thread(me).0)
    })
}

/// What the count of a thread's destructors is once they are over.
const OVER: u64 = u64::MAX;

/// From now on the acting thread runs what comes after destructors of its thread-local variables.
/// An object that is made then is not destroyed (glibc: `__call_tls_dtors` is called once).
fn no_more_thread_destructors(cx: &mut Cx<'_>) {
    cx.state.set_word(WordKey::ThreadDestructorCount(cx.thread), OVER);
}

/// The last registered destructor of a thread-local variable.
fn thread_destructor(cx: &mut Cx<'_>) -> Option<(u64, u64)> {
    let me = cx.thread;
    let left = cx.state.word(WordKey::ThreadDestructorCount(me));
    if left == OVER {
        return None;
    }
    let last = (left as u32).checked_sub(1)?;
    cx.state
        .set_word(WordKey::ThreadDestructorCount(me), u64::from(last));
    let part = |part| cx.state.word(WordKey::ThreadDestructor(me, last, part));
    Some((part(Callback::Function), part(Callback::Argument)))
}

fn next_of_process(cx: &mut Cx<'_>) -> Left {
    let me = cx.thread;
    let core = &cx.state.thread(me).core;
    let (epilogue, phase) = (core.epilogue, core.phase);
    if epilogue != QUICK {
        if phase == Phase::HandlerTaken {
            // Taken by the visible action just performed.
            let taken = Left::Run(core.note, core.wait[0].0);
            cx.state.own_core(me).phase = Phase::First;
            return taken;
        }
        if let Some((function, argument)) = thread_destructor(cx) {
            return Left::Run(function, argument);
        }
        // Whether there are any is looked at in the action: other threads may register some until
        // then.
        if epilogue == 0 && phase != Phase::NoHandlerLeft && cx.program.exit_handlers {
            if cx.state.unjoined() > 0 {
                return Left::Visible(Action {
                    object: HiddenObject::ExitHandlers.id(),
                    order: match phase {
                        Phase::LastEnded => MemoryOrder::Acquire,
                        _ => MemoryOrder::NotAtomic,
                    },
                    ..cx.action(Op::Hidden, 0)
                });
            }
            if let Some((function, argument)) = take_exit_handler(cx) {
                return Left::Run(function, argument);
            }
        }
        if let Some(&destructor) = cx.program.module.destructors.get(epilogue as usize) {
            no_more_thread_destructors(cx);
            cx.state.own_core(me).epilogue = epilogue + 1;
            return Left::Run(cx.program.function_address(destructor), 0);
        }
    }
    Left::Visible(cx.action(Op::ProcessExit, 0))
}

fn take_exit_handler(cx: &mut Cx<'_>) -> Option<(u64, u64)> {
    let last = (cx.state.word(WordKey::ExitHandlerCount) as u32).checked_sub(1)?;
    cx.state.set_word(WordKey::ExitHandlerCount, u64::from(last));
    no_more_thread_destructors(cx);
    let part = |part| cx.state.word(WordKey::ExitHandler(last, part));
    Some((part(Callback::Function), part(Callback::Argument)))
}

/// Performs the visible action that `next` named.
pub fn perform(cx: &mut Cx<'_>, action: &Action) -> Outcome {
    let me = cx.thread;
    let core = cx.state.thread(me).core;
    if core.phase == Phase::ModelToRun {
        cx.state.own_core(me).phase = Phase::First;
        return perform_model(cx, core.note, core.wait[0].0);
    }
    match action.op {
        Op::OwnerDied => mutex::owner_died(cx, action.object.0),
        Op::OnceDone => once::abandon(cx, action.object.0),
        Op::Hidden => match take_exit_handler(cx) {
            Some((function, argument)) => remember(cx, Phase::HandlerTaken, function, argument),
            None => cx.state.own_core(me).phase = Phase::NoHandlerLeft,
        },
        Op::Exit if is_last(cx) => {
            let core = cx.state.own_core(me);
            core.stage = Stage::Exiting;
            core.epilogue = 0;
            core.phase = Phase::LastEnded;
            core.result = Value::new(0);
        }
        _ => finish(cx.state, cx.site, action),
    }
    Outcome::Done
}

/// A thread has ended by this action, and the process with it if it is the process's exit.
pub(crate) fn finish(state: &mut State, site: Site, action: &Action) {
    let left_locks = !state.thread(action.thread).held.is_empty();
    let core = state.own_core(action.thread);
    core.stage = Stage::Finished;
    core.left_locks = left_locks;
    match action.op {
        Op::ProcessExit => core.phase = Phase::ProcessEnded,
        _ => end_thread_locals(state, action.thread, site),
    }
}

/// Ends the thread-local variables of a thread. For the race detector that is a write of all their
/// bytes, as `free` is.
fn end_thread_locals(state: &mut State, thread: ThreadId, site: Site) {
    let t = state.thread(thread);
    let errno = Some(t.core.errno).filter(|&base| base != 0);
    let bases: SmallVec<[u64; 8]> = t.tls.iter().copied().chain(errno).collect();
    for base in bases {
        if let Some((base, object)) = state.memory.object_at(base) {
            state.memory.record(base, object.size, true, site);
            state.memory.end_object(base, Life::Returned, site);
        }
    }
}

/// Performs a visible model that runs at the end.
fn perform_model(cx: &mut Cx<'_>, function: u64, argument: u64) -> Outcome {
    let binding = cx
        .program
        .function_at(function)
        .map(|f| cx.program.bindings[f.index()]);
    let Some(Binding::Native(Native::Visible(model) | Native::Join(model))) = binding else {
        return Outcome::Failed;
    };
    match cx.with_args(&[Value::new(argument)], |cx| (model.perform)(cx, 0)) {
        Performed::Done(flow, outcome) => {
            note(cx, flow);
            outcome
        }
        Performed::Again(_) => {
            note(
                cx,
                Flow::Unsupported("a library function of several actions as a destructor".into()),
            );
            Outcome::Failed
        }
    }
}

/// Whether the process ends with this thread and has something left to run, or peers from outside
/// that would go on without it.
fn is_last(cx: &Cx<'_>) -> bool {
    let left = cx.state.word(WordKey::ExitHandlerCount) > 0
        || !cx.program.module.destructors.is_empty()
        || cx.program.has_peers();
    let others = cx.state.threads().iter().enumerate();
    let mut others = others.filter(|(i, t)| *i != cx.thread.index() && !cx.program.is_peer(t));
    left && !cx.program.is_peer(cx.state.thread(cx.thread))
        && others.all(|(_, t)| t.core.stage == Stage::Finished)
}

/// The models of this file.
pub(super) fn find(name: &str) -> Option<Native> {
    let (prepare, perform): Model = match name {
        "pthread_create" => (create_prepare, create),
        "pthread_join" => {
            let (prepare, perform) = (join_prepare, join);
            return Some(Native::Join(Visible {
                prepare,
                perform,
                numbers: ALL_ARGUMENTS,
            }));
        }
        "pthread_tryjoin_np" => (try_join_prepare, try_join),
        "__selvedge_blocks" => (|cx| prepare_on_thread(cx, Op::Hidden), blocks),
        "__selvedge_exists" => (|cx| prepare_on_thread(cx, Op::Hidden), exists),
        "pthread_timedjoin_np" => (timed_join_prepare, |cx, _| timed_join(cx, 2)),
        "pthread_clockjoin_np" => (timed_join_prepare, |cx, _| clock_join(cx)),
        "pthread_detach" => (detach_prepare, detach),
        "atexit" | "__cxa_atexit" => (at_exit_prepare, |cx, _| done(at_exit(cx))),
        "__cxa_thread_atexit" | "__cxa_thread_atexit_impl" => {
            return Some(Native::Plain(|cx| super::operation::plain(at_thread_exit(cx))));
        }
        "pthread_self" | "thrd_current" => {
            return Some(Native::Plain(|cx| {
                let who = crate::arrived::acts_for(cx.state, cx.thread);
                Flow::word(handle(cx.state, who))
            }));
        }
        "pthread_equal" | "thrd_equal" => return Some(Native::Plain(equal)),
        "pthread_setconcurrency" | "pthread_getconcurrency" => return Some(Native::Plain(|_| Flow::int(0))),
        _ => return None,
    };
    // The argument of a new thread is data.
    let numbers = if name == "pthread_create" {
        0b0111
    } else {
        ALL_ARGUMENTS
    };
    Some(Native::Visible(Visible {
        prepare,
        perform,
        numbers,
    }))
}

fn equal(cx: &mut Cx<'_>) -> Flow {
    match (cx.word(0), cx.word(1)) {
        (Ok(a), Ok(b)) => Flow::int(i32::from(a == b)),
        (Err(flow), _) | (_, Err(flow)) => flow,
    }
}

fn at_exit_prepare(cx: &mut Cx<'_>) -> Prepared {
    if cx.state.unjoined() > 0 {
        return Prepared::Visible(Action {
            object: HiddenObject::ExitHandlers.id(),
            ..cx.action(Op::Hidden, 0)
        });
    }
    match at_exit(cx) {
        Ok((code, _)) => Prepared::Immediate(Flow::int(code)),
        Err(flow) => Prepared::Immediate(flow),
    }
}

fn at_exit(cx: &mut Cx<'_>) -> Answer {
    let function = cx.word(0)?;
    let argument = if cx.args.len() > 1 { cx.word(1)? } else { 0 };
    let count = cx.state.word(WordKey::ExitHandlerCount) as u32;
    if count >= word::MAX_EXIT_HANDLERS {
        return Err(Flow::Limit(
            LimitKind::Memory,
            format!("more than {count} exit handlers"),
        ));
    }
    if cx.program.function_at(function).is_none() {
        return Ok((EINVAL, Outcome::Failed));
    }
    let handler = |part| WordKey::ExitHandler(count, part);
    cx.state.set_word(handler(Callback::Function), function);
    cx.state.set_word(handler(Callback::Argument), argument);
    cx.state.set_word(WordKey::ExitHandlerCount, u64::from(count) + 1);
    Ok(SUCCESS)
}

fn at_thread_exit(cx: &mut Cx<'_>) -> Result<i32, Stop> {
    let (function, object, me) = (cx.word(0)?, cx.word(1)?, cx.thread);
    let count = cx.state.word(WordKey::ThreadDestructorCount(me));
    if count == OVER {
        return Ok(0);
    }
    let count = count as u32;
    if count >= word::MAX_THREAD_DESTRUCTORS {
        return Err(Flow::Limit(
            LimitKind::Memory,
            format!("more than {count} destructors of one thread"),
        ));
    }
    let destructor = |part| WordKey::ThreadDestructor(me, count, part);
    cx.state.set_word(destructor(Callback::Function), function);
    cx.state.set_word(destructor(Callback::Argument), object);
    cx.state
        .set_word(WordKey::ThreadDestructorCount(me), u64::from(count) + 1);
    Ok(0)
}

/// Ends the thread whatever it is doing: pthread_exit for models in other rooms.
pub fn end(cx: &mut Cx<'_>, result: Value) -> Flow {
    cancel::end_thread(cx, result)
}

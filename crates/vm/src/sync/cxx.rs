//! The out-of-line entry points of libstdc++ (gcc 12) that thread support in its headers calls.

use super::errno::{EDEADLK, EINVAL};
use super::object::Kind;
use super::operation::{Answer, Model, SUCCESS, done, prepare_whole};
use super::{cond, creation, join};
use crate::libc::throw_system_error;
use crate::native::{ALL_ARGUMENTS, Cx, Flow, Native, Performed, Prepared, Stop, Visible};
use crate::value::Value;
use crate::word::WordKey;
use selvedge_base::{Id, ThreadId};
use selvedge_ir::Symbol;
use selvedge_model::{FaultKind, Op, Outcome};

/// The models of this file.
pub(super) fn find(name: &str) -> Option<Native> {
    let (prepare, perform): Model = match name {
        "_ZNSt6thread15_M_start_threadESt10unique_ptrINS_6_StateESt14default_deleteIS1_EEPFvvE" => {
            (creation::create_early_prepare, start_thread)
        }
        "_ZNSt6thread4joinEv" => (|cx| on_this(cx, Op::Join), |cx, _| done(join(cx))),
        "_ZNSt6thread6detachEv" => (|cx| on_this(cx, Op::Detach), |cx, _| done(detach(cx))),
        "_ZNSt18condition_variableC1Ev" | "_ZNSt18condition_variableC2Ev" => (
            |cx| prepare_whole(cx, Op::Init, Kind::Cond, cond::initialise_plain),
            cond::initialise_plain,
        ),
        "_ZNSt18condition_variableD1Ev" | "_ZNSt18condition_variableD2Ev" => {
            (cond::destroy_prepare, cond::end)
        }
        "_ZNSt18condition_variable10notify_oneEv" => (cond::signal_prepare, cond::signal),
        "_ZNSt18condition_variable10notify_allEv" => (cond::broadcast_prepare, cond::broadcast),
        "_ZNSt18condition_variable4waitERSt11unique_lockISt5mutexE" => (wait_prepare, wait),
        "_ZNSt6thread20hardware_concurrencyEv" => return Some(Native::Plain(|_| Flow::int(2))),
        "_ZNSt6thread6_StateD1Ev" | "_ZNSt6thread6_StateD2Ev" => {
            return Some(Native::Plain(|_| Flow::void()));
        }
        "__cxa_pure_virtual" => {
            return Some(Native::Plain(|cx| {
                cx.fault(FaultKind::Abort, "a pure virtual function is called")
            }));
        }
        _ => return None,
    };
    Some(Native::Visible(Visible {
        prepare,
        perform,
        numbers: ALL_ARGUMENTS,
    }))
}

// ---- std::thread
// -------------------------------------------------------------------------------------------------

/// `thread::_M_start_thread(this, unique_ptr<_State>, …)`: the new thread calls the state's
/// `_M_run` (the third virtual function, after the two destructors) and deletes it.
fn start_thread(cx: &mut Cx<'_>, _: u16) -> Performed {
    creation::create_cxx(cx, start)
}

fn start(cx: &mut Cx<'_>) -> Result<ThreadId, Stop> {
    let owner = cx.word(1)?;
    let state = cx.load_defined(owner, 8, "std::thread's state")?;
    // The new thread looks at the virtual table, not this one: no access of the creator, who would
    // race with its destructor.
    let table = peek(cx, state, "virtual table")?;
    let run = peek(cx, table.wrapping_add(16), "virtual function")?;
    let id = creation::spawn(cx, run, Value::new(state), false)?;
    cx.state.set_word(WordKey::CxxState(id), state);
    cx.store(owner, 8, Value::new(0))?;
    Ok(id)
}

/// Eight defined bytes, without an access of the acting thread.
fn peek(cx: &mut Cx<'_>, address: u64, what: &str) -> Result<u64, Stop> {
    let valid = cx.state.memory.check(address, 8, false).is_ok();
    let value = cx.state.memory.peek_checked(address, 8);
    if valid && value.is_concrete() {
        Ok(value.bits)
    } else {
        cx.load_defined(address, 8, what)
    }
}

/// The deleting destructor of the state that this thread ran, once.
pub(super) fn delete_state(cx: &mut Cx<'_>) -> Option<(u64, u64)> {
    let word = WordKey::CxxState(cx.thread);
    let state = cx.state.word(word);
    if state == 0 {
        return None;
    }
    cx.state.set_word(word, 0);
    let table = cx.state.memory.peek_checked(state, 8).bits;
    Some((cx.state.memory.peek_checked(table + 8, 8).bits, state))
}

fn on_this(cx: &mut Cx<'_>, op: Op) -> Prepared {
    let target = match cx
        .word(0)
        .and_then(|this| cx.load_defined(this, 8, "std::thread"))
    {
        Ok(target) => target,
        Err(flow) => return Prepared::Immediate(flow),
    };
    if target == 0 {
        return Prepared::Immediate(throw_system_error(cx, EINVAL));
    }
    if op == Op::Join && super::handle::thread_of(cx.state, target) == Some(cx.thread) {
        return Prepared::Immediate(throw_system_error(cx, EDEADLK));
    }
    join::on_thread(cx, op, target)
}

fn join(cx: &mut Cx<'_>) -> Answer {
    let this = cx.word(0)?;
    join::finish_join(cx)?;
    cx.store(this, 8, Value::new(0))?;
    Ok(SUCCESS)
}

fn detach(cx: &mut Cx<'_>) -> Answer {
    let this = cx.word(0)?;
    join::detach_pending(cx)?;
    cx.store(this, 8, Value::new(0))?;
    Ok(SUCCESS)
}

// ---- std::condition_variable
// -------------------------------------------------------------------------------------

/// Runs a model of condition variables with the mutex that a `unique_lock` holds in the place of
/// the lock.
fn with_mutex<T>(cx: &mut Cx<'_>, model: impl FnOnce(&mut Cx<'_>) -> T) -> Result<T, Stop> {
    let lock = cx.word(1)?;
    let mutex = cx.load_defined(lock, 8, "std::unique_lock")?;
    let args = [cx.args[0], Value::new(mutex)];
    let (program, thread, site, types) = (cx.program, cx.thread, cx.site, cx.types);
    let replay = Default::default();
    Ok(model(&mut Cx {
        program,
        state: cx.state,
        thread,
        site,
        args: &args,
        types,
        replay,
    }))
}

fn wait_prepare(cx: &mut Cx<'_>) -> Prepared {
    with_mutex(cx, cond::wait_prepare).unwrap_or_else(Prepared::Immediate)
}

fn wait(cx: &mut Cx<'_>, alternative: u16) -> Performed {
    with_mutex(cx, |cx| cond::wait(cx, alternative))
        .unwrap_or_else(|flow| Performed::Done(flow, Outcome::Failed))
}

// ---- std::call_once
// -------------------------------------------------------------------------------------------------

/// The routine to run: `__once_proxy` stands for what the thread-local `std::__once_call` points
/// to.
pub(super) fn once_routine(cx: &mut Cx<'_>, routine: u64) -> Result<u64, Stop> {
    let proxy = cx
        .program
        .function_at(routine)
        .is_some_and(|f| cx.program.module.functions[f].name == "__once_proxy");
    if !proxy {
        return Ok(routine);
    }
    let Some(global) = cx.program.module.global("_ZSt11__once_call") else {
        return Err(Flow::Unsupported(
            "std::call_once without std::__once_call".into(),
        ));
    };
    let number = cx.program.globals[global.index()] as usize;
    match cx.state.thread(cx.thread).tls.get(number) {
        Some(&base) if cx.program.module.globals[global].thread_local => {
            cx.load_defined(base, 8, "std::__once_call")
        }
        _ => Err(Flow::Unsupported(format!(
            "{:?} that is not thread-local",
            Symbol::Global(global)
        ))),
    }
}

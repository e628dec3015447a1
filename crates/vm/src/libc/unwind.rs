//! C++ exceptions on their way: `_Unwind_RaiseException` and `_Unwind_Resume`.
//!
//! What is above that (`__cxa_throw` and its kin, exceptions of the library) is C++ of the model
//! library (`cxx_exception.cc`), whose exceptions begin with four words: a mark, the type, the
//! object, and what the handler is given.
//!
//! The Itanium C++ ABI has two phases: the first looks for a handler, the second runs what is
//! between. Here the calls of the thread are looked at anew whenever an exception goes on. That
//! finds the same handler: the calls below do not change meanwhile. If there is none, nothing is
//! run and the exception is not thrown, as with libgcc: `std::terminate` is called with all frames
//! in place.
//!
//! A thread that ends by `pthread_exit` or cancellation is unwound by an exception of its own, if
//! there is a landing pad in one of its calls. That has no first phase: it goes from pad to pad.
//!
//! A panic of Rust is an exception of another kind: its first word says so. It has no type, so it
//! is caught by pads that catch everything, and by filters. Rust's own code makes and frees it. A
//! panic that leaves the program's `main` is a finding: the library would catch it, and the process would
//! end with code 101. A panic of another thread is the result of joining it.
//!
//! A landing pad says first what its clauses say, in order; if none holds, it is a cleanup or is
//! passed by. What clang makes of `noexcept` is a pad that catches everything and calls
//! `std::terminate`: what is above has been cleaned up then.

use super::Answer;
use super::cxx::is_thrower;
use super::type_info::{Tables, Types};
use crate::code::{CallSite, Clause, Op, Pad};
use crate::native::{Cx, Flow, Native, Stop};
use crate::phase::Phase;
use crate::thread::{Frame, NO_CALL};
use crate::value::Value;
use crate::word::{LandingField, WordKey};
use selvedge_base::Id;
use selvedge_ir::Callee;
use selvedge_model::FaultKind;

/// What an exception of the model library begins with; and one that unwinds a thread which ends.
const MARK: u64 = 0x5345_4c56_432b_2b00;
const FORCED: u64 = MARK + 1;
const TYPE: u64 = 8;
const OBJECT: u64 = 16;
const CAUGHT: u64 = 24;
const SIZE: u64 = 32;

/// The first word of a panic of Rust, in the byte orders of its releases.
const PANIC: [u64; 2] = [
    u64::from_be_bytes(*b"MOZ\0RUST"),
    u64::from_le_bytes(*b"MOZ\0RUST"),
];

/// `_URC_END_OF_STACK`: nobody catches it.
const END_OF_STACK: i32 = 5;

/// The models of this file.
pub(super) fn find(name: &str) -> Option<Native> {
    Some(match name {
        "_Unwind_RaiseException" => super::plain!(raise),
        "_Unwind_Resume" => super::plain!(resume),
        _ => return None,
    })
}

fn raise(cx: &mut Cx<'_>) -> Answer {
    let exception = cx.word(0)?;
    Ok(match search(cx, exception)? {
        Some(landing) if is_panic(cx, exception) && leaves_main(cx, landing.caught_at) => {
            cx.fault(FaultKind::Abort, "a panic leaves main")
        }
        Some(landing) => land(cx, exception, landing),
        None if word(cx, exception) == FORCED => Flow::ExitThread(cx.state.thread(cx.thread).core.result),
        None => Flow::int(END_OF_STACK),
    })
}

fn resume(cx: &mut Cx<'_>) -> Answer {
    let exception = cx.word(0)?;
    go_on(cx, exception)
}

/// The exception that left what a model has called: the model is in [`Phase::Thrown`], has done
/// what it does then, and is itself left.
pub(crate) fn leave_model(cx: &mut Cx<'_>) -> Answer {
    let word = WordKey::Landing(cx.thread, LandingField::Exception);
    let exception = cx.state.word(word);
    cx.state.set_word(word, 0);
    go_on(cx, exception)
}

fn go_on(cx: &mut Cx<'_>, exception: u64) -> Answer {
    match search(cx, exception)? {
        Some(landing) => Ok(land(cx, exception, landing)),
        None if word(cx, exception) == FORCED => Ok(Flow::ExitThread(cx.state.thread(cx.thread).core.result)),
        None => Err(Flow::Unsupported(
            "a C++ exception that has lost its handler".into(),
        )),
    }
}

fn is_panic(cx: &Cx<'_>, exception: u64) -> bool {
    PANIC.contains(&word(cx, exception))
}

/// Whether an exception that the `depth`-th frame catches leaves the `main` of a program in Rust:
/// the library calls it from a closure of `std::rt::lang_start`.
fn leaves_main(cx: &Cx<'_>, depth: u32) -> bool {
    let thread = cx.state.thread(cx.thread);
    let calls_main = |depth: u32| {
        let name = &cx.program.module.functions[thread.frame(depth as usize).func].name;
        name.contains("lang_start") && {
            let name = selvedge_ir::demangle(name);
            name.starts_with("std::rt::lang_start::") && name.contains("closure")
        }
    };
    cx.program.starts_rust && (depth..thread.core.depth).any(calls_main)
}

/// Where an exception goes on.
struct Landing {
    /// The frame, the outermost being 1.
    depth: u32,
    /// Its landing pad; of a model its call.
    target: u32,
    /// Of a model: it has to do something.
    phase: Phase,
    /// What the pad's clauses say, and what the handler is given; none for a cleanup.
    handler: Option<(i32, u64)>,
    /// The frame that catches it in the end; 0 if that is not known.
    caught_at: u32,
}

/// The next landing pad on the way to the handler; none if there is no handler.
fn search(cx: &mut Cx<'_>, exception: u64) -> Result<Option<Landing>, Stop> {
    let known = cx.state.memory.check(exception, SIZE, true).is_ok()
        && (matches!(word(cx, exception), MARK | FORCED) || is_panic(cx, exception));
    if !known {
        return Err(Flow::Unsupported(
            "an exception that is neither one of C++ nor a panic of Rust, or was freed".into(),
        ));
    }
    let (ty, object) = match is_panic(cx, exception) {
        true => (0, exception),
        false => (word(cx, exception + TYPE), word(cx, exception + OBJECT)),
    };
    let forced = word(cx, exception) == FORCED;
    let program = cx.program;
    let tables = Tables::of(program);
    let mut cleanup = None;
    let mut above: Option<Frame> = None;
    for depth in (1..=cx.state.thread(cx.thread).core.depth).rev() {
        let frame = cx.state.thread(cx.thread).frame(depth as usize - 1);
        let code = &program.code[frame.func.index()];
        let site = match above.map(|frame| frame.call) {
            // A model that throws.
            Some(NO_CALL) if above.is_some_and(|frame| is_thrower(cx, frame.func)) => at_its_call(cx, &frame),
            Some(NO_CALL) if is_once(cx, &frame) => {
                cleanup = cleanup.or(Some(Landing {
                    depth,
                    target: frame.ip,
                    phase: Phase::Thrown,
                    handler: None,
                    caught_at: 0,
                }));
                at_its_call(cx, &frame)
            }
            Some(NO_CALL) => return Err(Flow::Unsupported(leaves_model(cx, &frame))),
            Some(call) => code.calls.get(call as usize),
            None => at_its_call(cx, &frame),
        };
        above = Some(frame);
        if forced && cleanup.is_some() {
            return Ok(cleanup);
        }
        let pad = site.and_then(|site| code.pads.get((site.pad as usize).checked_sub(1)?));
        let Some(pad) = pad else { continue };
        let target = pad.target;
        if let Some(handler) = asked(&mut Types::new(cx, &tables), pad, ty, object)? {
            let handles = Landing {
                depth,
                target,
                phase: Phase::First,
                handler: Some(handler),
                caught_at: depth,
            };
            return Ok(Some(Landing {
                caught_at: depth,
                ..cleanup.unwrap_or(handles)
            }));
        }
        if pad.cleanup && cleanup.is_none() {
            cleanup = Some(Landing {
                depth,
                target,
                phase: Phase::First,
                handler: None,
                caught_at: 0,
            });
        }
    }
    Ok(cleanup.filter(|_| forced))
}

/// What the clauses of a pad say about an exception, and what its handler is given.
fn asked(types: &mut Types<'_, '_>, pad: &Pad, ty: u64, object: u64) -> Result<Option<(i32, u64)>, Stop> {
    for clause in &pad.clauses {
        match clause {
            Clause::Catch { ty: caught, selector } => {
                if let Some(given) = types.catches(*caught, ty, object)? {
                    return Ok(Some((*selector, given)));
                }
            }
            Clause::Filter {
                types: allowed,
                selector,
            } => {
                let mut is_allowed = false;
                for &allowed in allowed {
                    is_allowed |= types.catches(allowed, ty, object)?.is_some();
                }
                if !is_allowed {
                    return Ok(Some((*selector, object)));
                }
            }
        }
    }
    Ok(None)
}

fn land(cx: &mut Cx<'_>, exception: u64, landing: Landing) -> Flow {
    // What the handler of a panic is given is the exception itself.
    if let Some((_, given)) = landing.handler.filter(|_| !is_panic(cx, exception)) {
        let caught = exception + CAUGHT;
        cx.state.memory.poke_checked(caught, 8, Value::new(given));
    }
    let selector = landing.handler.map_or(0, |(selector, _)| selector);
    let thread = cx.thread;
    let mut set = |field, value| cx.state.set_word(WordKey::Landing(thread, field), value);
    set(LandingField::Exception, exception);
    set(LandingField::Selector, u64::from(selector as u32));
    Flow::Land {
        depth: landing.depth,
        ip: landing.target,
        phase: landing.phase,
    }
}

fn word(cx: &Cx<'_>, address: u64) -> u64 {
    cx.state.memory.peek_checked(address, 8).bits
}

/// The call that a frame stands at, if it stands at one.
fn at_its_call<'p>(cx: &Cx<'p>, frame: &Frame) -> Option<&'p CallSite> {
    let code = &cx.program.code[frame.func.index()];
    let inst = code.insts.get(frame.ip as usize)?;
    (inst.op == Op::Call).then(|| &code.calls[inst.long() as usize])
}

/// Whether a frame stands at a call of `pthread_once`.
fn is_once(cx: &Cx<'_>, frame: &Frame) -> bool {
    let callee = at_its_call(cx, frame).and_then(|site| site.callee);
    matches!(callee, Some(Callee::Direct(model)) if cx.program.module.functions[model].name == "pthread_once")
}

/// What is unsupported where an exception leaves a function that a native model has called.
fn leaves_model(cx: &Cx<'_>, frame: &Frame) -> String {
    let functions = &cx.program.module.functions;
    match at_its_call(cx, frame).and_then(|site| site.callee) {
        Some(Callee::Direct(model)) => {
            format!(
                "a C++ exception that leaves what {} calls",
                functions[model].display
            )
        }
        _ => "a C++ exception that leaves what a library function calls".into(),
    }
}

/// Whether a landing pad would be entered if the thread ended here, as it is unwound then.
pub(crate) fn has_pads(cx: &Cx<'_>) -> bool {
    let thread = cx.state.thread(cx.thread);
    let mut above: Option<u32> = None;
    (1..=thread.core.depth as usize).rev().any(|depth| {
        let frame = thread.frame(depth - 1);
        let site = match above {
            Some(call) if call != NO_CALL => cx.program.code[frame.func.index()].calls.get(call as usize),
            _ => at_its_call(cx, &frame),
        };
        above = Some(frame.call);
        site.is_some_and(|site| site.pad != 0)
    })
}

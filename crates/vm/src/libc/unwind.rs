//! Unwinding of C++ exceptions: `_Unwind_RaiseException` and `_Unwind_Resume`.
//!
//! The layer above (`__cxa_throw` and related functions, exceptions of the library) is C++ code of
//! the model library (`cxx_exception.cc`). Its exceptions begin with four words: a mark, the type,
//! the object, and the value for the handler.
//!
//! The Itanium C++ ABI has two phases: the first finds a handler, the second runs the landing pads
//! up to it. Here, the calls of the thread are searched again whenever an exception continues. The
//! search finds the same handler, because the calls below do not change. If there is no handler, no
//! landing pad runs and the exception is not thrown. As with libgcc, `std::terminate` is then
//! called with all frames in place.
//!
//! A thread that ends by `pthread_exit` or cancellation is unwound by a special exception, if one
//! of its calls has a landing pad. This exception has no first phase: it goes from pad to pad.
//!
//! A panic of Rust is another kind of exception, which its first word marks. It has no type, so it
//! is caught by pads that catch everything, and by filters. Rust's own code makes and frees it. A
//! panic that leaves the program's `main` is a finding, although the library would catch it and the
//! process would end with code 101. A panic of another thread is the result of joining the thread.
//!
//! A landing pad first tests its clauses, in order. If none matches, the pad runs if it is a
//! cleanup; otherwise it is skipped. For `noexcept`, clang makes a pad that catches everything and
//! calls `std::terminate`. Then the frames above are already cleaned up.

use super::cxx::is_thrower;
use super::type_info::{Tables, Types};
use super::{Answer, panic};
use crate::code::{CallSite, Clause, Op, Pad};
use crate::native::{Cx, Flow, Native, Stop};
use crate::phase::Phase;
use crate::thread::{Frame, NO_CALL};
use crate::value::Value;
use crate::word::{LandingField, WordKey};
use selvedge_base::Id;
use selvedge_ir::Callee;

/// The first word of an exception of the model library; the first word of an exception that unwinds
/// a thread that ends.
const MARK: u64 = 0x5345_4c56_432b_2b00;
const FORCED: u64 = MARK + 1;
const TYPE: u64 = 8;
const OBJECT: u64 = 16;
const CAUGHT: u64 = 24;
const SIZE: u64 = 32;

/// The first word of a panic of Rust, in the byte orders of different releases.
const PANIC: [u64; 2] = [
    u64::from_be_bytes(*b"MOZ\0RUST"),
    u64::from_le_bytes(*b"MOZ\0RUST"),
];

/// `_URC_END_OF_STACK`: there is no handler.
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
            let message = panic::message(cx).map_or_else(String::new, |message| format!(": {message}"));
            panic::fault(cx, format!("a panic leaves main{message}"))
        }
        Some(landing) => {
            if is_panic(cx, exception) {
                panic::end(cx);
            }
            land(cx, exception, landing)
        }
        None if word(cx, exception) == FORCED => Flow::ExitThread(cx.state.thread(cx.thread).core.result),
        None => Flow::int(END_OF_STACK),
    })
}

fn resume(cx: &mut Cx<'_>) -> Answer {
    let exception = cx.word(0)?;
    go_on(cx, exception)
}

/// Continues an exception that left a function called by a model. The model is in [`Phase::Thrown`]
/// and has finished its cleanup; now the exception leaves the model too.
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

/// Whether an exception that the `depth`-th frame catches leaves the `main` of a Rust program. The
/// library calls `main` from a closure of `std::rt::lang_start`.
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

/// The place at which an exception continues.
struct Landing {
    /// The number of the frame, counted from 1 for the outermost one.
    depth: u32,
    /// Its landing pad; for a model, its call.
    target: u32,
    /// For a model: the phase in which it cleans up.
    phase: Phase,
    /// The matching clause's selector and the value for the handler; `None` for a cleanup.
    handler: Option<(i32, u64)>,
    /// The frame that finally catches the exception; 0 if unknown.
    caught_at: u32,
}

/// The next landing pad on the path to the handler; `None` if there is no handler.
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
            // The frame of a model that throws.
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

/// The selector of the first clause that matches an exception, and the value for its handler.
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
    // For a panic, the value for the handler is the exception itself.
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

/// The call instruction at which a frame is, if it is at one.
fn at_its_call<'p>(cx: &Cx<'p>, frame: &Frame) -> Option<&'p CallSite> {
    let code = &cx.program.code[frame.func.index()];
    let inst = code.insts.get(frame.ip as usize)?;
    (inst.op == Op::Call).then(|| &code.calls[inst.long() as usize])
}

/// Whether a frame is at a call of `pthread_once`.
fn is_once(cx: &Cx<'_>, frame: &Frame) -> bool {
    let callee = at_its_call(cx, frame).and_then(|site| site.callee);
    matches!(callee, Some(Callee::Direct(model)) if cx.program.module.functions[model].name == "pthread_once")
}

/// The text for the unsupported case that an exception leaves a function that a native model has
/// called.
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

/// Whether unwinding the thread here would enter a landing pad.
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

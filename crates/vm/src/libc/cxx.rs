//! Entry points of the C++ run-time library that have no body in headers: exceptions and the
//! start-up of streams.
//!
//! Unwinding is unsupported. But an exception that nobody catches ends the program without it: so
//! where one is thrown, by the program or by the library (`vector::at`, `std::function` without
//! target), the thread's calls are looked at. It is a finding if none of them has a handler, or the
//! innermost one is the end of a function that must not throw. Types are not compared: where there
//! is any other handler, the exception may be caught, and what happens then is unsupported.

use super::{Answer, plain};
use crate::code::Op;
use crate::native::{Cx, Flow, Native};
use crate::thread::{Frame, NO_CALL};
use selvedge_base::Id;
use selvedge_ir::Handler;
use selvedge_model::FaultKind;

/// The models of this file.
pub fn find(name: &str) -> Option<Native> {
    Some(match name {
        // Never freed: what is thrown ends the program, or is unsupported.
        "__cxa_allocate_exception" => {
            plain!(|cx: &mut Cx<'_>| -> Answer {
                let size = cx.word(0)?;
                Ok(Flow::word(cx.own_memory(size)?))
            })
        }
        "__cxa_throw" => plain!(|cx: &mut Cx<'_>| -> Answer { Ok(throw(cx, "an exception is thrown")) }),
        "__cxa_free_exception"
        | "__cxa_rethrow"
        | "__cxa_begin_catch"
        | "__cxa_end_catch"
        | "__cxa_get_exception_ptr"
        | "__cxa_current_exception_type"
        | "_Unwind_Resume" => {
            plain!(|_: &mut Cx<'_>| -> Answer { Ok(Flow::Unsupported("a C++ exception".into())) })
        }
        "__clang_call_terminate" => plain!(terminate),
        "_ZNSt8ios_base4InitC1Ev"
        | "_ZNSt8ios_base4InitD1Ev"
        | "_ZNSt8ios_base4InitC2Ev"
        | "_ZNSt8ios_base4InitD2Ev" => {
            plain!(|_: &mut Cx<'_>| -> Answer { Ok(Flow::void()) })
        }
        // Tells apart the ways in which libstdc++'s memory could be checked; no effect.
        "_ZSt21ios_base_library_initv" => plain!(|_: &mut Cx<'_>| -> Answer { Ok(Flow::void()) }),
        _ => return thrower(name),
    })
}

/// Throws an exception: what comes of it.
pub(crate) fn throw(cx: &Cx<'_>, what: &str) -> Flow {
    let text = match handler(cx) {
        Handler::None | Handler::Cleanup => format!("{what}, and nobody catches it"),
        Handler::Terminate => format!("{what}, and leaves a function that must not throw"),
        Handler::Catch => return Flow::Unsupported(format!("a C++ exception that may be caught ({what})")),
    };
    cx.fault(FaultKind::UncaughtException, text)
}

/// What the innermost of the thread's calls that does something with an exception does with it.
fn handler(cx: &Cx<'_>) -> Handler {
    let thread = cx.state.thread(cx.thread);
    let Some(suspended) = (thread.core.depth as usize).checked_sub(1) else {
        return Handler::None;
    };
    let callers = thread.frames[..suspended].iter().rev();
    let frames = std::iter::once(&thread.core.frame).chain(callers.clone());
    let present = at_its_call(cx, &thread.core.frame);
    let calls = frames.zip(callers).map(|(frame, caller)| match frame.call {
        // The machine has entered it: for a library function that the caller calls, or before the
        // caller begins.
        NO_CALL => at_its_call(cx, caller),
        call => handler_of(cx, caller, call),
    });
    let mut calls = std::iter::once(present).chain(calls);
    calls
        .find(|handler| matches!(handler, Handler::Terminate | Handler::Catch))
        .unwrap_or(Handler::None)
}

fn handler_of(cx: &Cx<'_>, caller: &Frame, call: u32) -> Handler {
    cx.program.code[caller.func.index()].calls[call as usize].handler
}

/// The handler of the call that a frame stands at, if it stands at one.
fn at_its_call(cx: &Cx<'_>, frame: &Frame) -> Handler {
    match cx.program.code[frame.func.index()].insts.get(frame.ip as usize) {
        Some(inst) if inst.op == Op::Call => handler_of(cx, frame, inst.long()),
        _ => Handler::None,
    }
}

fn terminate(cx: &mut Cx<'_>) -> Answer {
    Ok(cx.fault(
        FaultKind::UncaughtException,
        "an exception left a function that must not throw",
    ))
}

/// `std::__throw_<what>(...)`: one model a name, since a model does not know by which name it was
/// called.
fn thrower(name: &str) -> Option<Native> {
    macro_rules! throws {
        ($text:literal) => {
            plain!(|cx: &mut Cx<'_>| -> Answer { Ok(throw(cx, concat!($text, " is thrown"))) })
        };
    }
    let rest = name.strip_prefix("_ZSt")?;
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    let length: usize = rest.get(..digits)?.parse().ok()?;
    let function = rest.get(digits..digits.checked_add(length)?)?;
    Some(match function.strip_prefix("__throw_")? {
        "bad_exception" => throws!("std::bad_exception"),
        "bad_alloc" | "bad_array_new_length" => throws!("std::bad_alloc"),
        "bad_cast" => throws!("std::bad_cast"),
        "bad_typeid" => throws!("std::bad_typeid"),
        "bad_function_call" => throws!("std::bad_function_call"),
        "logic_error" => throws!("std::logic_error"),
        "domain_error" => throws!("std::domain_error"),
        "invalid_argument" => throws!("std::invalid_argument"),
        "length_error" => throws!("std::length_error"),
        "out_of_range" | "out_of_range_fmt" => throws!("std::out_of_range"),
        "runtime_error" => throws!("std::runtime_error"),
        "range_error" => throws!("std::range_error"),
        "overflow_error" => throws!("std::overflow_error"),
        "underflow_error" => throws!("std::underflow_error"),
        "system_error" => throws!("std::system_error"),
        "future_error" => throws!("std::future_error"),
        _ => throws!("an exception of the C++ library"),
    })
}

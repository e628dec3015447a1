//! Entry points of the C++ run-time library that headers only declare: termination by an exception,
//! throwing from native models, and the initialisation of streams.

use super::type_info::{Tables, Types};
use super::{Answer, plain};
use crate::memory::Site;
use crate::native::{Cx, Flow, Native};
use crate::program::Program;
use crate::value::Value;
use selvedge_base::{ContextId, StmtId};
use selvedge_model::FaultKind;
use smallvec::smallvec;

/// The models of this file.
pub fn find(name: &str) -> Option<Native> {
    Some(match name {
        "__selvedge_uncaught" => plain!(uncaught),
        "__dynamic_cast" => plain!(super::type_info::dynamic_cast),
        "_ZNSt8ios_base4InitC1Ev"
        | "_ZNSt8ios_base4InitD1Ev"
        | "_ZNSt8ios_base4InitC2Ev"
        | "_ZNSt8ios_base4InitD2Ev" => {
            plain!(|_: &mut Cx<'_>| -> Answer { Ok(Flow::void()) })
        }
        // Headers of newer versions of libstdc++ refer to this symbol so that the library
        // initialises its streams. It has no effect.
        "_ZSt21ios_base_library_initv" => plain!(|_: &mut Cx<'_>| -> Answer { Ok(Flow::void()) }),
        _ => return None,
    })
}

/// `__selvedge_uncaught(type, what, nobody)`: the end of the program by `std::terminate`. `type` is
/// the type of the current exception, if there is one. `nobody` is set if no active call catches
/// it.
fn uncaught(cx: &mut Cx<'_>) -> Answer {
    let (ty, what, nobody) = (cx.word(0)?, cx.word(1)?, cx.int(2)? != 0);
    if ty == 0 {
        return Ok(ends(cx, "std::terminate is called".to_owned()));
    }
    let tables = Tables::of(cx.program);
    let name = Types::new(cx, &tables).name(ty)?;
    let name = readable(&String::from_utf8_lossy(&name));
    let mut text = if nobody {
        format!("an exception of type {name} is thrown, and nobody catches it")
    } else {
        format!("std::terminate is called with an exception of type {name}")
    };
    if what != 0 {
        let what = cx.string(what)?;
        text += &format!(": {}", String::from_utf8_lossy(&what));
    }
    Ok(ends(cx, text))
}

/// The end of the program by an exception.
fn ends(cx: &mut Cx<'_>, text: String) -> Flow {
    fault_outside(cx, (FaultKind::UncaughtException, text), Program::in_library)
}

/// A fault at the place where the program's own code calls the library. `in_library`: whether a
/// statement is the library's.
pub(super) fn fault_outside(
    cx: &mut Cx<'_>,
    (kind, text): (FaultKind, String),
    in_library: impl Fn(&Program, StmtId) -> bool,
) -> Flow {
    let inside = cx.site;
    let mut context = inside.context;
    while in_library(cx.program, cx.site.stmt) && context != ContextId(0) {
        let (outer, stmt) = cx.state.caller(context);
        context = outer;
        cx.site = Site { stmt, context };
    }
    let flow = cx.fault(kind, text);
    cx.site = inside;
    flow
}

/// The name of a type in the notation of the source.
fn readable(mangled: &str) -> String {
    let symbol = cpp_demangle::Symbol::new(format!("_ZTS{mangled}"));
    let text = symbol.ok().and_then(|symbol| symbol.demangle().ok());
    let text = text
        .as_deref()
        .and_then(|text| text.strip_prefix("typeinfo name for "));
    text.unwrap_or(mangled).to_owned()
}

/// The function that throws a `std::system_error` for native models.
const THROWS_SYSTEM_ERROR: &str = "_ZSt20__throw_system_errori";

/// Throws a `std::system_error` with a code of `errno`.
pub(crate) fn throw_system_error(cx: &mut Cx<'_>, code: i32) -> Flow {
    match cx.program.module.function(THROWS_SYSTEM_ERROR) {
        Some(function) if cx.program.module.functions[function].is_defined() => {
            let address = cx.program.function_address(function);
            Flow::Call(address, smallvec![Value::new(code as u32 as u64)])
        }
        _ => Flow::Unsupported(format!("a std::system_error with code {code}")),
    }
}

/// The function that throws a `std::bad_alloc` for native models. It is linked only into programs
/// that have calls which may catch an exception, or where destructors run.
const THROWS_BAD_ALLOC: &str = "_ZSt17__throw_bad_allocv";

/// Throws a `std::bad_alloc`.
pub(super) fn throw_bad_alloc(cx: &mut Cx<'_>) -> Flow {
    match cx.program.module.function(THROWS_BAD_ALLOC) {
        Some(function) if cx.program.module.functions[function].is_defined() => {
            Flow::Call(cx.program.function_address(function), smallvec![])
        }
        _ => {
            let text = "an exception of type std::bad_alloc is thrown, and nobody catches it: std::bad_alloc";
            ends(cx, text.to_owned())
        }
    }
}

/// The function that unwinds a thread that ends.
const UNWINDS: &str = "__selvedge_unwind_thread";

/// Unwinds the thread because it ends.
pub(crate) fn unwind_thread(cx: &mut Cx<'_>) -> Flow {
    match cx.program.module.function(UNWINDS) {
        Some(function) if cx.program.module.functions[function].is_defined() => {
            Flow::Call(cx.program.function_address(function), smallvec![])
        }
        _ => Flow::Unsupported("the end of a thread that has something to unwind".into()),
    }
}

/// Whether a function that a native model calls is the end of the model: it throws.
pub(super) fn is_thrower(cx: &Cx<'_>, function: selvedge_ir::FuncId) -> bool {
    let name = cx.program.module.functions[function].name.as_str();
    matches!(name, THROWS_SYSTEM_ERROR | THROWS_BAD_ALLOC | UNWINDS)
}

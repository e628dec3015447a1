//! Entry points of the C++ run-time library that have no body in headers: exceptions and the start-up of streams.
//!
//! Throwing is unsupported. The `std::__throw_*` functions, which the library calls where the standard demands an exception that
//! hardly any program catches (`vector::at`, `std::function` without target), are findings.

use super::{Answer, plain};
use crate::native::{Cx, Flow, Native};
use selvedge_model::FaultKind;

/// The models of this file.
pub fn find(name: &str) -> Option<Native> {
    Some(match name {
        "__cxa_allocate_exception"
        | "__cxa_free_exception"
        | "__cxa_throw"
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

fn terminate(cx: &mut Cx<'_>) -> Answer {
    Ok(cx.fault(
        FaultKind::UncaughtException,
        "an exception left a function that must not throw",
    ))
}

/// `std::__throw_<what>(...)`: one model a name, since a model does not know by which name it was called.
fn thrower(name: &str) -> Option<Native> {
    macro_rules! throws {
        ($text:literal) => {
            plain!(|cx: &mut Cx<'_>| -> Answer {
                Ok(cx.fault(FaultKind::UncaughtException, concat!("throws ", $text)))
            })
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

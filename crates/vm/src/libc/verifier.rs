//! The intrinsics of verification tools: errors, assumptions, assertions. Inputs are fixed, so their *nondet* functions are
//! unsupported, by name.

use super::{Answer, by_element, bytes, plain};
use crate::native::{Cx, Flow, Native};
use selvedge_model::FaultKind;

/// The models of this file.
pub fn find(name: &str) -> Option<Native> {
    Some(match name {
        "reach_error" | "__VERIFIER_error" => plain!(reach_error),
        "__VERIFIER_assert" => plain!(assert),
        "__CPROVER_assert" => by_element!(assert_with_text),
        "klee_report_error" => by_element!(report_error),
        "klee_silent_exit" => plain!(|_: &mut Cx<'_>| -> Answer { Ok(Flow::Park) }),
        "__VERIFIER_assume" | "klee_assume" | "__CPROVER_assume" | "assume_abort_if_not" => plain!(assume),
        "klee_make_symbolic" | "klee_range" | "klee_int" | "klee_choose" => plain!(symbolic),
        _ if name.starts_with("__VERIFIER_nondet_") || name.starts_with("nondet_") => plain!(symbolic),
        _ => return None,
    })
}

fn reach_error(cx: &mut Cx<'_>) -> Answer {
    Ok(cx.fault(FaultKind::ErrorReached, "the error function was called"))
}

/// Whether argument 0, a C truth value of whatever integer type, is true.
fn truth(cx: &mut Cx<'_>) -> Result<bool, Flow> {
    let bits = cx.types.first().map_or(64, |t| t.bits().min(64));
    Ok(cx.word(0)? & (u64::MAX >> (64 - bits.max(1))) != 0)
}

fn assert(cx: &mut Cx<'_>) -> Answer {
    if truth(cx)? {
        return Ok(Flow::void());
    }
    Ok(cx.fault(FaultKind::AssertionFailed, "assertion failed"))
}

fn assert_with_text(cx: &mut Cx<'_>) -> Answer {
    if truth(cx)? {
        return Ok(Flow::void());
    }
    let text = cx.word(1)?;
    let text = bytes::string(cx, text, "text of an assertion")?;
    let message = format!("assertion \"{}\" failed", String::from_utf8_lossy(&text));
    Ok(cx.fault(FaultKind::AssertionFailed, message))
}

fn report_error(cx: &mut Cx<'_>) -> Answer {
    let text = cx.word(2)?;
    let text = bytes::string(cx, text, "text of an error")?;
    Ok(cx.fault(
        FaultKind::ErrorReached,
        format!("the program reports: {}", String::from_utf8_lossy(&text)),
    ))
}

fn assume(cx: &mut Cx<'_>) -> Answer {
    Ok(if truth(cx)? { Flow::void() } else { Flow::Park })
}

fn symbolic(_: &mut Cx<'_>) -> Answer {
    Ok(Flow::Unsupported("symbolic input (inputs are fixed)".into()))
}

//! The intrinsics of verification tools: errors, assumptions, assertions, inputs.

use super::{Answer, by_element, bytes, plain};
use crate::native::{Cx, Flow, Native};
use crate::symbolic::Source;
use selvedge_expr::{CmpOp, Expr};
use selvedge_model::{FaultKind, InputKind};

/// The models of this file.
pub fn find(name: &str) -> Option<Native> {
    Some(match name {
        "reach_error" | "__VERIFIER_error" => plain!(reach_error),
        "__VERIFIER_assert" => plain!(assert),
        "__CPROVER_assert" => by_element!(assert_with_text),
        "klee_report_error" => by_element!(report_error),
        "klee_silent_exit" => plain!(|_: &mut Cx<'_>| -> Answer { Ok(Flow::Park) }),
        "__VERIFIER_assume" | "klee_assume" | "__CPROVER_assume" | "assume_abort_if_not" => plain!(assume),
        "__selvedge_assumed" => plain!(assumed),
        "klee_make_symbolic" => plain!(make_symbolic),
        "__VERIFIER_nondet_memory" => plain!(nondet_memory),
        "klee_range" => plain!(range),
        "klee_int" => plain!(|cx: &mut Cx<'_>| -> Answer {
            let name = name_at(cx, 0)?;
            number(cx, &name, true)
        }),
        "klee_choose" => plain!(choose),
        // Which of `count` signals arrives, for sigwait.
        "__selvedge_packet_byte" => plain!(|cx: &mut Cx<'_>| number(cx, "packet", false)),
        "__selvedge_may_time_out" => {
            plain!(|cx: &mut Cx<'_>| -> Answer { Ok(Flow::int(cx.program.options.timeouts.into())) })
        }
        "sched_getcpu" => plain!(|cx: &mut Cx<'_>| between(cx, "sched_getcpu", 0, 2, 32)),
        "__selvedge_outside" => plain!(|cx: &mut Cx<'_>| {
            let count = cx.word(0)?;
            between(cx, "sigwait", 0, count as i64, 32)
        }),
        _ => return nondet(name),
    })
}

fn reach_error(cx: &mut Cx<'_>) -> Answer {
    Ok(cx.fault(FaultKind::ErrorReached, "the error function was called"))
}

/// The condition that argument 0, a C truth value of any integer type, is true.
fn truth(cx: &mut Cx<'_>) -> Result<Expr, Flow> {
    let bits = cx.types.first().map_or(64, |t| t.bits().min(64)).max(1);
    let Some(&value) = cx.args.first() else {
        return Err(Flow::Unsupported("a condition that is no argument".into()));
    };
    let tags = &cx.state.memory.tags;
    if !value.is_concrete() {
        match tags.symbol(value.tag) {
            Some(symbol) if symbol.undefined & (u64::MAX >> (64 - bits)) == 0 => {}
            _ => return Err(cx.undefined(value, "a condition")),
        }
    }
    let zero = tags.arena.constant(bits as u8, 0);
    Ok(tags.arena.compare(CmpOp::Ne, tags.expr(value, bits as u8), zero))
}

fn assert(cx: &mut Cx<'_>) -> Answer {
    let condition = truth(cx)?;
    if cx.holds(condition)? {
        return Ok(Flow::void());
    }
    Ok(cx.fault(FaultKind::AssertionFailed, "assertion failed"))
}

fn assert_with_text(cx: &mut Cx<'_>) -> Answer {
    let condition = truth(cx)?;
    if cx.holds(condition)? {
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

/// A condition that the compiler assumed: `__builtin_assume`, and facts that an optimiser has used.
fn assumed(cx: &mut Cx<'_>) -> Answer {
    if cx.word(0)? & 1 != 0 {
        return Ok(Flow::void());
    }
    Ok(cx.fault(
        FaultKind::Unreachable,
        "undefined behaviour: an assumption does not hold that the code was compiled under",
    ))
}

fn assume(cx: &mut Cx<'_>) -> Answer {
    Ok(Flow::Assume(truth(cx)?))
}

// ---- inputs
// -------------------------------------------------------------------------------------------------

/// The models of functions that return an input of their result's type. The name determines the
/// type.
fn nondet(name: &str) -> Option<Native> {
    let ty = name
        .strip_prefix("__VERIFIER_nondet_")
        .or_else(|| name.strip_prefix("nondet_"))
        .or_else(|| name.strip_prefix("__CPROVER_nondet_"))?;
    Some(match ty {
        "bool" | "_Bool" => plain!(|cx: &mut Cx<'_>| truth_value(cx)),
        "float" | "double" => plain!(|cx: &mut Cx<'_>| {
            let bits = cx.result_bits() as u16;
            let name = cx.callee_name();
            of_kind(cx, &name, InputKind::Float { bits })
        }),
        _ if ty.starts_with('u') || matches!(ty, "size_t" | "pointer" | "pchar") => {
            plain!(|cx: &mut Cx<'_>| {
                let name = cx.callee_name();
                number(cx, &name, false)
            })
        }
        _ => plain!(|cx: &mut Cx<'_>| {
            let name = cx.callee_name();
            number(cx, &name, true)
        }),
    })
}

/// An integer input with the type of the call's result.
fn number(cx: &mut Cx<'_>, name: &str, signed: bool) -> Answer {
    let bits = cx.result_bits() as u16;
    of_kind(cx, name, InputKind::Scalar { bits, signed })
}

fn of_kind(cx: &mut Cx<'_>, name: &str, kind: InputKind) -> Answer {
    let bits = cx.result_bits();
    if bits == 0 {
        return Ok(Flow::void());
    }
    let source = Source {
        name,
        kind,
        size: u64::from(bits.div_ceil(8)),
    };
    Ok(Flow::ReturnMany(cx.input(&source).into()))
}

/// 0 or 1, with the width of the call's result.
fn truth_value(cx: &mut Cx<'_>) -> Answer {
    let kind = InputKind::Scalar {
        bits: 1,
        signed: false,
    };
    let name = cx.callee_name();
    let source = Source {
        name: &name,
        kind,
        size: 1,
    };
    Ok(Flow::ReturnMany(cx.input(&source).into()))
}

/// The name of an input, given as a string.
fn name_at(cx: &mut Cx<'_>, i: usize) -> Result<String, Flow> {
    let at = cx.word(i)?;
    let name = bytes::string(cx, at, "name of an input")?;
    Ok(String::from_utf8_lossy(&name).into_owned())
}

fn make_symbolic(cx: &mut Cx<'_>) -> Answer {
    let (at, size) = (cx.word(0)?, cx.word(1)?);
    let name = name_at(cx, 2)?;
    whole_object(cx, at, size, &name)
}

fn nondet_memory(cx: &mut Cx<'_>) -> Answer {
    let (at, size) = (cx.word(0)?, cx.word(1)?);
    whole_object(cx, at, size, "__VERIFIER_nondet_memory")
}

fn whole_object(cx: &mut Cx<'_>, at: u64, size: u64, name: &str) -> Answer {
    cx.access_in_a_step(at, size, true, "inputs for memory")?;
    let (program, thread, site) = (cx.program, cx.thread, cx.site);
    cx.state.make_symbolic(program, thread, site, at, size, name);
    Ok(Flow::void())
}

/// An int that is at least the first argument and below the second.
fn range(cx: &mut Cx<'_>) -> Answer {
    let (least, end) = (cx.int(0)?, cx.int(1)?);
    let name = name_at(cx, 2)?;
    between(cx, &name, i64::from(least), i64::from(end), 32)
}

/// An unsigned number below the argument.
fn choose(cx: &mut Cx<'_>) -> Answer {
    let end = cx.word(0)?;
    between(cx, "klee_choose", 0, end as i64, 64)
}

/// A signed number of `bits` bits that is at least `least` and below `end`.
fn between(cx: &mut Cx<'_>, name: &str, least: i64, end: i64, bits: u16) -> Answer {
    if end <= least {
        return Ok(cx.fault(FaultKind::ErrorReached, "an empty range of inputs"));
    }
    let kind = InputKind::Scalar { bits, signed: true };
    let source = Source {
        name,
        kind,
        size: u64::from(bits / 8),
    };
    let value = cx.input(&source)[0];
    let tags = &cx.state.memory.tags;
    let Some(symbol) = tags.symbol(value.tag) else {
        return Ok(Flow::Return(value));
    };
    let (arena, width) = (&tags.arena, bits as u8);
    let number = |n: i64| arena.constant(width, n as u128 & (u128::MAX >> (128 - u32::from(width))));
    let inside = arena.and(
        arena.compare(CmpOp::Sge, symbol.expr, number(least)),
        arena.compare(CmpOp::Slt, symbol.expr, number(end)),
    );
    let first = arena.as_const(number(least)).unwrap_or(0);
    cx.state.restrict(cx.thread, symbol.expr, first, inside);
    Ok(Flow::Return(value))
}

//! Inputs that models make themselves, with limits on their values.

use crate::native::Cx;
use crate::value::Value;
use selvedge_expr::{CmpOp, Expr};

const BITS: u8 = 64;

/// The expression of a fresh input of 64 bits; `None` if inputs are fixed.
fn expression(cx: &Cx<'_>, value: Value) -> Option<Expr> {
    let tags = &cx.state.memory.tags;
    tags.symbol(value.tag).map(|symbol| symbol.expr)
}

/// Limits a fresh input of 64 bits to the numbers from `least` to `most`.
pub(super) fn within(cx: &mut Cx<'_>, value: Value, least: u64, most: u64) {
    let Some(number) = expression(cx, value) else {
        return;
    };
    let arena = &cx.state.memory.tags.arena;
    let inside = arena.and(
        arena.compare(CmpOp::Uge, number, arena.constant(BITS, u128::from(least))),
        arena.compare(CmpOp::Ule, number, arena.constant(BITS, u128::from(most))),
    );
    cx.state.restrict(cx.thread, number, u128::from(most), inside);
}

/// Limits seconds and nanoseconds, of which the second one is a fresh input, and the first one is
/// one unless it is 0, to the times that are positive and at most `most`.
pub(super) fn time(cx: &mut Cx<'_>, [seconds, fraction]: [Value; 2], most: [u64; 2]) {
    if most[0] == 0 {
        return within(cx, fraction, 1, most[1]);
    }
    within(cx, seconds, 0, most[0]);
    within(cx, fraction, 0, 999_999_999);
    let (Some(whole), Some(part)) = (expression(cx, seconds), expression(cx, fraction)) else {
        return;
    };
    let arena = &cx.state.memory.tags.arena;
    let number = |n: u64| arena.constant(BITS, u128::from(n));
    let shorter = arena.or(
        arena.compare(CmpOp::Ult, whole, number(most[0])),
        arena.compare(CmpOp::Ule, part, number(most[1])),
    );
    let positive = arena.compare(CmpOp::Ne, arena.or(whole, part), number(0));
    let both = arena.and(shorter, positive);
    // With the most seconds, which the model has, this many nanoseconds fit.
    cx.state.restrict(cx.thread, part, u128::from(most[1]), both);
}

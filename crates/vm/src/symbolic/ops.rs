//! Instructions on symbolic values, as expressions. Undefined bits are tracked by coarser rules
//! than for concrete values: a result is undefined as a whole if any of its bits might depend on an
//! undefined one. Only bitwise operations are more precise.

use crate::code::Op;
use crate::value::{Symbol, Tags, Value};
use selvedge_expr::{BinOp, CmpOp, Expr, FBinOp};

/// An operand of an expression.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Operand {
    /// Its value, of the operation's width.
    pub expr: Expr,
    /// Its undefined bits.
    pub undefined: u64,
}

impl Operand {
    /// A value, cut or zero-extended to a width of at most 64 bits.
    pub fn new(tags: &Tags, value: Value, width: u8) -> Operand {
        let undefined = match tags.symbol(value.tag) {
            Some(symbol) => symbol.undefined,
            None => tags.undefined_bits(value.tag),
        };
        Operand {
            expr: tags.expr(value, width),
            undefined: undefined & (u64::MAX >> (64 - width)),
        }
    }
}

const fn integer(op: Op) -> Option<BinOp> {
    Some(match op {
        Op::Add => BinOp::Add,
        Op::Sub => BinOp::Sub,
        Op::Mul => BinOp::Mul,
        Op::UDiv => BinOp::UDiv,
        Op::SDiv => BinOp::SDiv,
        Op::URem => BinOp::URem,
        Op::SRem => BinOp::SRem,
        Op::Shl => BinOp::Shl,
        Op::LShr => BinOp::LShr,
        Op::AShr => BinOp::AShr,
        Op::And => BinOp::And,
        Op::Or => BinOp::Or,
        Op::Xor => BinOp::Xor,
        _ => return None,
    })
}

const fn comparison(op: Op) -> Option<CmpOp> {
    Some(match op {
        Op::Eq => CmpOp::Eq,
        Op::Ne => CmpOp::Ne,
        Op::Ult => CmpOp::Ult,
        Op::Ule => CmpOp::Ule,
        Op::Ugt => CmpOp::Ugt,
        Op::Uge => CmpOp::Uge,
        Op::Slt => CmpOp::Slt,
        Op::Sle => CmpOp::Sle,
        Op::Sgt => CmpOp::Sgt,
        Op::Sge => CmpOp::Sge,
        _ => return None,
    })
}

/// An operation of which at least one operand is symbolic and none is poison.
#[cold]
pub(crate) fn binary(tags: &Tags, op: Op, width: u8, x: Value, y: Value) -> Value {
    let arena = &tags.arena;
    let (a, b) = (Operand::new(tags, x, width), Operand::new(tags, y, width));
    let all = u64::MAX >> (64 - width);
    if let Some(op) = comparison(op) {
        if a.undefined | b.undefined != 0 {
            return tags.value(0, 1);
        }
        return tags.of(arena.compare(op, a.expr, b.expr));
    }
    let either = a.undefined | b.undefined;
    let expr = match (integer(op), op) {
        (Some(op), _) => arena.binary(op, a.expr, b.expr),
        (None, Op::FAdd) => arena.fbinary(FBinOp::Add, a.expr, b.expr),
        (None, Op::FSub) => arena.fbinary(FBinOp::Sub, a.expr, b.expr),
        (None, Op::FMul) => arena.fbinary(FBinOp::Mul, a.expr, b.expr),
        _ => arena.fbinary(FBinOp::Div, a.expr, b.expr),
    };
    let undefined = if either == 0 {
        0
    } else {
        // A bit that is certainly 0 makes that bit of an `and` defined; one that is certainly 1
        // makes that bit of an `or` defined.
        let certain = |operand: Operand, one: bool| {
            let (zeros, ones) = arena.known_bits(operand.expr);
            (if one { ones } else { zeros }) as u64 & !operand.undefined
        };
        match op {
            Op::And => either & !certain(a, false) & !certain(b, false),
            Op::Or => either & !certain(a, true) & !certain(b, true),
            Op::Xor => either,
            Op::Shl | Op::LShr | Op::AShr if b.undefined == 0 => match arena.as_const(b.expr) {
                Some(by) => crate::arithmetic::shift(op, width, a.undefined, by as u64),
                None => all,
            },
            Op::Add | Op::Sub | Op::Mul => (u64::MAX << either.trailing_zeros()) & all,
            _ => all,
        }
    };
    tags.symbolic(Symbol {
        expr,
        undefined,
        home: 0,
    })
}

/// The condition that a shift's amount is below its width.
pub(crate) fn shift_in_range(tags: &Tags, width: u8, by: Value) -> Expr {
    let arena = &tags.arena;
    let by = tags.expr(by, width);
    // The width itself does not fit into so few bits only if it is 1; then an amount of 1 is too
    // large.
    let most = arena.constant(width, u128::from(width - 1));
    arena.compare(CmpOp::Ule, by, most)
}

/// The low bits of a symbolic value.
#[cold]
pub(crate) fn truncate(tags: &Tags, symbol: Symbol, width: u8) -> Value {
    let kept = tags.arena.width(symbol.expr) <= width;
    tags.symbolic(Symbol {
        expr: if kept {
            symbol.expr
        } else {
            tags.arena.truncate(symbol.expr, width)
        },
        undefined: symbol.undefined & (u64::MAX >> (64 - width)),
        home: if width == 64 { symbol.home } else { 0 },
    })
}

/// Sign extension of a symbolic value.
#[cold]
pub(crate) fn extend(tags: &Tags, symbol: Symbol, from: u8, to: u8) -> Value {
    let shift = 64 - u32::from(from);
    let undefined = ((symbol.undefined << shift) as i64 >> shift) as u64 & (u64::MAX >> (64 - to));
    let expr = tags.arena.sext(tags.fit(symbol.expr, from), to);
    tags.symbolic(Symbol {
        expr,
        undefined,
        home: 0,
    })
}

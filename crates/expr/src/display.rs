//! Expressions as text for people: infix, with the names of inputs; `in0.2[1]` is piece 1 of thread
//! 0's second input.
//!
//! `/`, `%`, `<`, `<=` and `>>` are unsigned; with an `s` they are signed. Long expressions are cut
//! with `…`.

use crate::arena::Arena;
use crate::node::{BinOp, CmpOp, Expr, FBinOp, FCmpOp, FUnOp, Node, UnOp};
use std::fmt;

/// Text of an expression; made by [`Arena::display`].
#[derive(Clone, Copy, Debug)]
pub struct Shown<'a> {
    arena: &'a Arena,
    e: Expr,
}

/// How deep an expression is shown.
const DEEPEST: u32 = 40;
/// How many nodes are shown.
const MOST: u32 = 400;

impl Arena {
    /// The expression as text for people.
    pub fn display(&self, e: Expr) -> Shown<'_> {
        Shown { arena: self, e }
    }
}

impl fmt::Display for Shown<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut left = MOST;
        show(self.arena, self.e, f, DEEPEST, &mut left)
    }
}

fn show(arena: &Arena, e: Expr, f: &mut fmt::Formatter<'_>, depth: u32, left: &mut u32) -> fmt::Result {
    if depth == 0 || *left == 0 {
        return f.write_str("…");
    }
    *left -= 1;
    let mut list = |f: &mut fmt::Formatter<'_>, name: &str, children: &[Expr]| {
        write!(f, "{name}(")?;
        for (i, &child) in children.iter().enumerate() {
            if i > 0 {
                f.write_str(", ")?;
            }
            show(arena, child, f, depth - 1, left)?;
        }
        f.write_str(")")
    };
    let width = arena.width(e);
    match arena.node(e) {
        Node::Const(value) => match (width, value) {
            (1, 0) => f.write_str("false"),
            (1, _) => f.write_str("true"),
            (_, value) if value < 1024 => write!(f, "{value}"),
            (_, value) => write!(f, "{value:#x}"),
        },
        Node::Input(id) => {
            let key = arena.input_key(id);
            write!(f, "in{}.{}[{}]", key.thread, key.ordinal, key.byte)
        }
        Node::Unary(UnOp::Not, a) if width == 1 => match arena.node(a) {
            Node::Compare(CmpOp::Eq, x, y) => infix(arena, [x, y], "!=", f, depth, left),
            Node::Binary(BinOp::And, x, y) => {
                infix(arena, [arena.not(x), arena.not(y)], "||", f, depth, left)
            }
            _ => {
                f.write_str("!")?;
                show(arena, a, f, depth - 1, left)
            }
        },
        Node::Unary(op, a) => {
            let name = match op {
                UnOp::Not => "~",
                UnOp::Neg => "-",
                UnOp::Ctpop => "ones",
                UnOp::Ctlz => "leading_zeros",
                UnOp::Cttz => "trailing_zeros",
                UnOp::Bswap => "swap_bytes",
                UnOp::BitReverse => "reverse_bits",
            };
            list(f, name, &[a])
        }
        Node::Binary(op, a, b) => infix(arena, [a, b], binary_symbol(op, width), f, depth, left),
        Node::Compare(op, a, b) => infix(arena, [a, b], compare_symbol(op), f, depth, left),
        Node::Ite(c, a, b) => {
            f.write_str("(")?;
            show(arena, c, f, depth - 1, left)?;
            f.write_str(" ? ")?;
            show(arena, a, f, depth - 1, left)?;
            f.write_str(" : ")?;
            show(arena, b, f, depth - 1, left)?;
            f.write_str(")")
        }
        Node::Extract(a, low) => {
            show(arena, a, f, depth - 1, left)?;
            match width {
                1 => write!(f, "[{low}]"),
                _ => write!(f, "[{}..{low}]", low + width - 1),
            }
        }
        Node::Concat(a, b) => infix(arena, [a, b], "++", f, depth, left),
        Node::Zext(a) => list(f, &format!("u{width}"), &[a]),
        Node::Sext(a) => list(f, &format!("s{width}"), &[a]),
        Node::Select(table, index) => {
            let table = arena.table(table);
            let shown = &table[..table.len().min(8)];
            list(f, "table", shown)?;
            if shown.len() < table.len() {
                write!(f, "…{}", table.len())?;
            }
            f.write_str("[")?;
            show(arena, index, f, depth - 1, left)?;
            f.write_str("]")
        }
        Node::MulOverflows(true, a, b) => list(f, "smul_overflows", &[a, b]),
        Node::MulOverflows(false, a, b) => list(f, "umul_overflows", &[a, b]),
        Node::FBinary(op, a, b) => {
            let symbol = match op {
                FBinOp::Add => "+.",
                FBinOp::Sub => "-.",
                FBinOp::Mul => "*.",
                FBinOp::Div => "/.",
                FBinOp::Rem => "%.",
            };
            infix(arena, [a, b], symbol, f, depth, left)
        }
        Node::FUnary(op, a) => {
            let name = match op {
                FUnOp::Sqrt => "sqrt",
                FUnOp::Floor => "floor",
                FUnOp::Ceil => "ceil",
                FUnOp::Trunc => "trunc",
                FUnOp::Round => "round",
                FUnOp::RoundEven => "rint",
            };
            list(f, name, &[a])
        }
        Node::FCompare(op, a, b) => {
            let symbol = match op {
                FCmpOp::Eq => "==.",
                FCmpOp::Lt => "<.",
                FCmpOp::Le => "<=.",
            };
            infix(arena, [a, b], symbol, f, depth, left)
        }
        Node::Fma(a, b, c) => list(f, "fma", &[a, b, c]),
        Node::FConvert(a) => list(f, &format!("f{width}"), &[a]),
        Node::ToInt(true, a) => list(f, &format!("to_s{width}"), &[a]),
        Node::ToInt(false, a) => list(f, &format!("to_u{width}"), &[a]),
        Node::FromInt(true, a) => list(f, &format!("f{width}_of_signed"), &[a]),
        Node::FromInt(false, a) => list(f, &format!("f{width}_of_unsigned"), &[a]),
    }
}

fn infix(
    arena: &Arena,
    [a, b]: [Expr; 2],
    symbol: &str,
    f: &mut fmt::Formatter<'_>,
    depth: u32,
    left: &mut u32,
) -> fmt::Result {
    f.write_str("(")?;
    show(arena, a, f, depth - 1, left)?;
    write!(f, " {symbol} ")?;
    show(arena, b, f, depth - 1, left)?;
    f.write_str(")")
}

fn binary_symbol(op: BinOp, width: u8) -> &'static str {
    match op {
        BinOp::Add => "+",
        BinOp::Sub => "-",
        BinOp::Mul => "*",
        BinOp::UDiv => "/",
        BinOp::URem => "%",
        BinOp::SDiv => "/s",
        BinOp::SRem => "%s",
        BinOp::Shl => "<<",
        BinOp::LShr => ">>",
        BinOp::AShr => ">>s",
        BinOp::And if width == 1 => "&&",
        BinOp::And => "&",
        BinOp::Or => "|",
        BinOp::Xor => "^",
    }
}

fn compare_symbol(op: CmpOp) -> &'static str {
    match op {
        CmpOp::Eq => "==",
        CmpOp::Ne => "!=",
        CmpOp::Ult => "<",
        CmpOp::Ule => "<=",
        CmpOp::Ugt => ">",
        CmpOp::Uge => ">=",
        CmpOp::Slt => "<s",
        CmpOp::Sle => "<=s",
        CmpOp::Sgt => ">s",
        CmpOp::Sge => ">=s",
    }
}

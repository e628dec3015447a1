//! Writing. Nodes are visited in the order of their names, children first, so nothing is recursive.

use super::helpers::{Helper, constant};
use crate::arena::Arena;
use crate::node::{BinOp, CmpOp, Expr, InputId, Node, UnOp};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeSet;
use std::fmt::Write;

/// How deep terms are nested before one gets a name.
const DEEPEST: u32 = 12;

/// The text of a term.
#[derive(Clone)]
struct Term {
    text: String,
    /// Its sort is Bool, not a bit-vector.
    is_bool: bool,
    depth: u32,
}

impl Term {
    fn bits(&self) -> String {
        if self.is_bool {
            format!("(ite {} #b1 #b0)", self.text)
        } else {
            self.text.clone()
        }
    }

    fn truth(&self) -> String {
        if self.is_bool {
            self.text.clone()
        } else {
            format!("(= {} #b1)", self.text)
        }
    }
}

/// The assertions (of width 1) as a script that ends with `check-sat`.
pub fn write(arena: &Arena, assertions: &[Expr]) -> String {
    let (order, uses) = reachable(arena, assertions);
    let mut terms: FxHashMap<Expr, Term> = FxHashMap::default();
    let mut inputs: BTreeSet<InputId> = BTreeSet::new();
    let mut helpers: Vec<Helper> = Vec::new();
    let mut known: FxHashSet<Helper> = FxHashSet::default();
    let mut definitions = String::new();
    let mut named = 0;
    for e in order {
        if let Node::Input(id) = arena.node(e) {
            inputs.insert(id);
        }
        if let Some(helper) = helper(arena, e)
            && known.insert(helper)
        {
            helpers.push(helper);
        }
        let mut term = term(arena, e, &terms);
        let leaf = matches!(arena.node(e), Node::Const(_) | Node::Input(_));
        if !leaf && (uses[&e] > 1 || term.depth > DEEPEST) {
            let sort = if term.is_bool {
                "Bool".to_owned()
            } else {
                format!("(_ BitVec {})", arena.width(e))
            };
            let _ = writeln!(definitions, "(define-fun n{named} () {sort} {})", term.text);
            term.text = format!("n{named}");
            term.depth = 1;
            named += 1;
        }
        terms.insert(e, term);
    }

    let float = assertions.iter().any(|&e| arena.contains_float(e));
    let mut text = format!("(set-logic {})\n", if float { "QF_FPBV" } else { "QF_BV" });
    let mut inputs: Vec<_> = inputs
        .iter()
        .map(|&id| (arena.input_key(id), arena.input_expr(id)))
        .collect();
    inputs.sort_unstable();
    for (key, e) in inputs {
        let (t, n, b, w) = (key.thread, key.ordinal, key.byte, arena.width(e));
        let _ = writeln!(text, "(declare-const i_{t}_{n}_{b} (_ BitVec {w}))");
    }
    for helper in helpers {
        text += &helper.definition();
    }
    text += &definitions;
    for e in assertions {
        let _ = writeln!(text, "(assert {})", terms[e].truth());
    }
    text += "(check-sat)\n";
    text
}

/// All nodes below, children first, with how often each is used.
fn reachable(arena: &Arena, roots: &[Expr]) -> (BTreeSet<Expr>, FxHashMap<Expr, u32>) {
    let mut order = BTreeSet::new();
    let mut uses: FxHashMap<Expr, u32> = FxHashMap::default();
    let mut stack: Vec<Expr> = roots.to_vec();
    while let Some(e) = stack.pop() {
        *uses.entry(e).or_default() += 1;
        if order.insert(e) {
            let node = arena.node(e);
            stack.extend(node.children());
            if let Node::Select(table, _) = node {
                stack.extend(arena.table(table).iter());
            }
        }
    }
    (order, uses)
}

/// The function that the node needs, if the theories have none.
fn helper(arena: &Arena, e: Expr) -> Option<Helper> {
    let width = arena.width(e);
    let of = |e| arena.width(e);
    Some(match arena.node(e) {
        Node::Unary(op, _) if !matches!(op, UnOp::Not | UnOp::Neg) => Helper::Unary(op, width),
        Node::MulOverflows(signed, a, _) => Helper::MulOverflows(signed, of(a)),
        Node::Select(table, index) => Helper::Select(arena.table(table).len(), width, of(index)),
        Node::FBinary(op, ..) => Helper::FBinary(op, width),
        Node::FUnary(op, _) => Helper::FUnary(op, width),
        Node::FCompare(op, a, _) => Helper::FCompare(op, of(a)),
        Node::Fma(..) => Helper::Fma(width),
        Node::FConvert(a) => Helper::FConvert(of(a), width),
        Node::ToInt(signed, a) => Helper::ToInt(signed, of(a), width),
        Node::FromInt(signed, a) => Helper::FromInt(signed, of(a), width),
        _ => return None,
    })
}

fn term(arena: &Arena, e: Expr, terms: &FxHashMap<Expr, Term>) -> Term {
    let width = arena.width(e);
    let node = arena.node(e);
    let bits = |e: Expr| terms[&e].bits();
    let truth = |e: Expr| terms[&e].truth();
    if let Some(helper) = helper(arena, e) {
        let mut children: Vec<Expr> = match node {
            Node::Select(table, _) => arena.table(table).to_vec(),
            _ => Vec::new(),
        };
        children.extend(node.children());
        let arguments: Vec<String> = children.iter().map(|&child| bits(child)).collect();
        return Term {
            text: format!("({} {})", helper.name(), arguments.join(" ")),
            is_bool: helper.is_bool(),
            depth: 1 + children.iter().map(|child| terms[child].depth).max().unwrap_or(0),
        };
    }
    let (text, is_bool) = match node {
        Node::Const(value) => (constant(value, width), false),
        Node::Input(id) => {
            let key = arena.input_key(id);
            (format!("i_{}_{}_{}", key.thread, key.ordinal, key.byte), false)
        }
        Node::Unary(UnOp::Not, a) if width == 1 => (format!("(not {})", truth(a)), true),
        Node::Unary(UnOp::Not, a) => (format!("(bvnot {})", bits(a)), false),
        Node::Unary(_, a) => (format!("(bvneg {})", bits(a)), false),
        Node::Binary(BinOp::And, a, b) if width == 1 => (format!("(and {} {})", truth(a), truth(b)), true),
        Node::Binary(op, a, b) => (format!("({} {} {})", binary_name(op), bits(a), bits(b)), false),
        Node::Compare(CmpOp::Eq, a, b) if terms[&a].is_bool || terms[&b].is_bool => {
            (format!("(= {} {})", truth(a), truth(b)), true)
        }
        Node::Compare(op, a, b) => (format!("({} {} {})", compare_name(op), bits(a), bits(b)), true),
        Node::Ite(c, a, b) if width == 1 => (format!("(ite {} {} {})", truth(c), truth(a), truth(b)), true),
        Node::Ite(c, a, b) => (format!("(ite {} {} {})", truth(c), bits(a), bits(b)), false),
        Node::Extract(a, low) => (
            format!("((_ extract {} {low}) {})", low + width - 1, bits(a)),
            false,
        ),
        Node::Concat(a, b) => (format!("(concat {} {})", bits(a), bits(b)), false),
        Node::Zext(a) => (
            format!("((_ zero_extend {}) {})", width - arena.width(a), bits(a)),
            false,
        ),
        Node::Sext(a) => (
            format!("((_ sign_extend {}) {})", width - arena.width(a), bits(a)),
            false,
        ),
        // The others have helpers.
        Node::Select(..)
        | Node::MulOverflows(..)
        | Node::FBinary(..)
        | Node::FUnary(..)
        | Node::FCompare(..)
        | Node::Fma(..)
        | Node::FConvert(_)
        | Node::ToInt(..)
        | Node::FromInt(..) => (String::new(), false),
    };
    let depth = 1 + node
        .children()
        .map(|child| terms[&child].depth)
        .max()
        .unwrap_or(0);
    Term { text, is_bool, depth }
}

/// The name of an operation of two operands.
pub(super) const fn binary_name(op: BinOp) -> &'static str {
    match op {
        BinOp::Add => "bvadd",
        BinOp::Sub => "bvsub",
        BinOp::Mul => "bvmul",
        BinOp::UDiv => "bvudiv",
        BinOp::URem => "bvurem",
        BinOp::SDiv => "bvsdiv",
        BinOp::SRem => "bvsrem",
        BinOp::Shl => "bvshl",
        BinOp::LShr => "bvlshr",
        BinOp::AShr => "bvashr",
        BinOp::And => "bvand",
        BinOp::Or => "bvor",
        BinOp::Xor => "bvxor",
    }
}

/// The name of a comparison.
pub(super) const fn compare_name(op: CmpOp) -> &'static str {
    match op {
        CmpOp::Eq => "=",
        CmpOp::Ne => "distinct",
        CmpOp::Ult => "bvult",
        CmpOp::Ule => "bvule",
        CmpOp::Ugt => "bvugt",
        CmpOp::Uge => "bvuge",
        CmpOp::Slt => "bvslt",
        CmpOp::Sle => "bvsle",
        CmpOp::Sgt => "bvsgt",
        CmpOp::Sge => "bvsge",
    }
}

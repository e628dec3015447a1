//! Which operands an instruction reads and which registers it assigns.

use crate::{Callee, Clause, InstKind, Operand, Pad, Reg, Terminator};

impl InstKind {
    /// Calls `f` with each operand, in the order of evaluation.
    pub fn for_each_operand(&self, mut f: impl FnMut(Operand)) {
        use InstKind as K;
        match self {
            K::Copy { value, .. } => f(*value),
            K::Bin { a, b, .. }
            | K::Cmp { a, b, .. }
            | K::FCmp { a, b, .. }
            | K::Overflow { a, b, .. }
            | K::Saturating { a, b, .. }
            | K::MinMax { a, b, .. } => {
                f(*a);
                f(*b);
            }
            K::Un { a, .. } | K::Cast { a, .. } => f(*a),
            K::Select {
                cond: a, a: b, b: c, ..
            }
            | K::Funnel { a, b, amount: c, .. }
            | K::Fma { a, b, c, .. }
            | K::MemCopy {
                dst: a,
                src: b,
                len: c,
                ..
            }
            | K::MemSet {
                dst: a,
                value: b,
                len: c,
            }
            | K::CompareExchange {
                ptr: a,
                expected: b,
                new: c,
                ..
            } => {
                f(*a);
                f(*b);
                f(*c);
            }
            K::Alloca { size, .. } => f(*size),
            K::StackRestore { token } => f(*token),
            K::Gep { base, terms, .. } => {
                f(*base);
                terms.iter().for_each(|t| f(t.index));
            }
            K::Load { ptr, .. } => f(*ptr),
            K::Store { ptr, value, .. } | K::Rmw { ptr, value, .. } => {
                f(*ptr);
                f(*value);
            }
            K::Call { callee, args, .. } => {
                if let Callee::Indirect(address) = callee {
                    f(*address);
                }
                args.iter().for_each(|a| f(*a));
            }
            K::VaStart { list } => f(*list),
            K::VaCopy { dst, src } => {
                f(*dst);
                f(*src);
            }
            K::LocalAddr { .. }
            | K::LifetimeStart { .. }
            | K::LifetimeEnd { .. }
            | K::StackSave { .. }
            | K::Fence { .. }
            | K::LandingPad { .. }
            | K::Pause
            | K::Unsupported { .. } => {}
        }
    }

    /// Calls `f` with each register that is assigned.
    pub fn for_each_result(&self, mut f: impl FnMut(Reg)) {
        use InstKind as K;
        match self {
            K::Copy { dst, .. }
            | K::Bin { dst, .. }
            | K::Un { dst, .. }
            | K::Cast { dst, .. }
            | K::Cmp { dst, .. }
            | K::FCmp { dst, .. }
            | K::Select { dst, .. }
            | K::Saturating { dst, .. }
            | K::MinMax { dst, .. }
            | K::Funnel { dst, .. }
            | K::Fma { dst, .. }
            | K::LocalAddr { dst, .. }
            | K::Alloca { dst, .. }
            | K::StackSave { dst }
            | K::Gep { dst, .. }
            | K::Load { dst, .. }
            | K::Rmw { dst, .. } => f(*dst),
            K::Overflow { dst, overflow, .. } => {
                f(*dst);
                f(*overflow);
            }
            K::CompareExchange { old, success, .. } => {
                f(*old);
                f(*success);
            }
            K::LandingPad { exception, selector } => {
                f(*exception);
                f(*selector);
            }
            K::Call { results, .. } => results.iter().for_each(|r| f(*r)),
            K::LifetimeStart { .. }
            | K::LifetimeEnd { .. }
            | K::StackRestore { .. }
            | K::Store { .. }
            | K::Fence { .. }
            | K::MemCopy { .. }
            | K::MemSet { .. }
            | K::VaStart { .. }
            | K::VaCopy { .. }
            | K::Pause
            | K::Unsupported { .. } => {}
        }
    }
}

impl Pad {
    /// Calls `f` with the address of each type that a clause names.
    pub fn for_each_type(&self, mut f: impl FnMut(Operand)) {
        for clause in &self.clauses {
            match clause {
                Clause::Catch { ty, .. } => f(*ty),
                Clause::Filter { types, .. } => types.iter().for_each(|ty| f(*ty)),
            }
        }
    }
}

impl Terminator {
    /// Calls `f` with each operand.
    pub fn for_each_operand(&self, mut f: impl FnMut(Operand)) {
        match self {
            Terminator::Branch { cond, .. } => f(*cond),
            Terminator::Switch { value, .. } => f(*value),
            Terminator::Indirect { address, .. } => f(*address),
            Terminator::Return(values) => values.iter().for_each(|v| f(*v)),
            Terminator::Invoke { pad, .. } => pad.for_each_type(f),
            Terminator::Jump(_) | Terminator::Unreachable | Terminator::Trap => {}
        }
    }
}

//! Checks the types of instructions and terminators.

use super::{Problem, Verifier};
use crate::{
    AtomicOrder, BinOp, Callee, CastOp, Clause, FuncId, Function, InstKind, LocalId, Operand, Reg, RmwOp,
    Terminator, Type, UnOp,
};
use std::collections::BTreeSet;

/// What a type must be.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Must {
    /// This one.
    Be(Type),
    /// An integer.
    Int,
    /// An integer of at least 8 bits.
    Byte,
    /// An integer of at most 64 bits.
    Word,
    /// A floating-point type.
    Float,
    /// An integer or a pointer.
    IntOrPtr,
    /// A pointer or a 64-bit integer.
    Token,
}

impl Must {
    fn allows(self, ty: Type) -> bool {
        match self {
            Must::Be(expected) => ty == expected,
            Must::Int => matches!(ty, Type::Int(_)),
            Must::Byte => matches!(ty, Type::Int(8..)),
            Must::Word => matches!(ty, Type::Int(..=64)),
            Must::Float => ty.is_float(),
            Must::IntOrPtr => !ty.is_float(),
            Must::Token => matches!(ty, Type::Ptr | Type::I64),
        }
    }

    fn problem(self, what: &'static str, found: Type) -> Problem {
        let expected = match self {
            Must::Be(expected) => {
                return Problem::TypeMismatch {
                    what,
                    expected,
                    found,
                };
            }
            Must::Int => "an integer",
            Must::Byte => "an integer of at least 8 bits",
            Must::Word => "an integer of at most 64 bits",
            Must::Float => "a floating-point number",
            Must::IntOrPtr => "an integer or a pointer",
            Must::Token => "a pointer or i64",
        };
        Problem::TypeClass {
            what,
            expected,
            found,
        }
    }
}

/// Checks one function's instructions.
struct Checker<'v, 'm> {
    verifier: &'v mut Verifier<'m>,
    id: FuncId,
    function: &'v Function,
}

impl<'m> Verifier<'m> {
    pub(super) fn inst(&mut self, id: FuncId, function: &Function, inst: &InstKind) {
        let verifier = self;
        Checker {
            verifier,
            id,
            function,
        }
        .inst(inst);
    }

    pub(super) fn terminator(&mut self, id: FuncId, function: &Function, term: &Terminator) {
        let verifier = self;
        Checker {
            verifier,
            id,
            function,
        }
        .terminator(term);
    }
}

impl Checker<'_, '_> {
    /// Checks an operand, and that its type satisfies `must`.
    fn read(&mut self, what: &'static str, operand: Operand, must: Must) {
        if let Some(found) = self.verifier.operand(self.function, operand) {
            self.verifier
                .require(must.allows(found), || must.problem(what, found));
        }
    }

    /// Checks an assigned register, and that its type satisfies `must`.
    fn write(&mut self, what: &'static str, reg: Reg, must: Must) {
        if let Some(found) = self.verifier.reg(self.function, reg) {
            self.verifier
                .require(must.allows(found), || must.problem(what, found));
        }
    }

    /// Checks a type that an instruction names.
    fn named_type(&mut self, what: &'static str, ty: Type, must: Must) {
        self.verifier.ty(ty);
        self.verifier.require(must.allows(ty), || must.problem(what, ty));
    }

    /// Checks that the result's type satisfies `must`, and that all operands have the same type.
    fn uniform(&mut self, dst: Reg, operands: &[Operand], must: Must) {
        self.write("the result", dst, must);
        match self.function.regs.get(dst).map(|info| info.ty) {
            Some(ty) => operands
                .iter()
                .for_each(|&operand| self.read("an operand", operand, Must::Be(ty))),
            None => operands.iter().for_each(|&operand| {
                self.verifier.operand(self.function, operand);
            }),
        }
    }

    fn distinct(&mut self, regs: &[Reg]) {
        for (i, &reg) in regs.iter().enumerate() {
            self.verifier
                .require(!regs[..i].contains(&reg), || Problem::SameResult(reg));
        }
    }

    /// Checks the order of an atomic access; plain accesses have none.
    fn order(&mut self, what: &'static str, order: Option<AtomicOrder>, forbidden: &[AtomicOrder]) {
        if let Some(order) = order {
            self.verifier
                .require(!forbidden.contains(&order), || Problem::Order { what, order });
        }
    }

    fn local(&mut self, local: LocalId) {
        self.verifier
            .require(self.function.locals.get(local).is_some(), || {
                Problem::NoLocal(local)
            });
    }

    fn scoped_local(&mut self, local: LocalId) {
        self.local(local);
        let scoped = self.function.locals.get(local).is_none_or(|info| info.scoped);
        self.verifier.require(scoped, || Problem::NotScoped(local));
    }

    fn inst(&mut self, inst: &InstKind) {
        use AtomicOrder::{AcqRel, Acquire, Relaxed, Release};
        let pointer = Must::Be(Type::Ptr);
        match *inst {
            InstKind::Copy { dst, value } => {
                if let Some(ty) = self.verifier.reg(self.function, dst) {
                    self.read("the value", value, Must::Be(ty));
                }
            }
            InstKind::Bin { op, dst, a, b, .. } => {
                let must = if is_float_op(op) {
                    Must::Float
                } else {
                    Must::IntOrPtr
                };
                self.uniform(dst, &[a, b], must);
            }
            InstKind::Un {
                op: UnOp::Freeze,
                dst,
                a,
            } => {
                if let Some(ty) = self.verifier.reg(self.function, dst) {
                    self.read("the operand", a, Must::Be(ty));
                }
            }
            InstKind::Un { op, dst, a } => {
                let must = if is_float_un(op) { Must::Float } else { Must::Int };
                self.uniform(dst, &[a], must);
            }
            InstKind::Cast { op, dst, a, from } => self.cast(op, dst, a, from),
            InstKind::Cmp { dst, a, b, ty, .. } => {
                self.named_type("the type compared", ty, Must::IntOrPtr);
                self.comparison(dst, a, b, ty);
            }
            InstKind::FCmp { dst, a, b, ty, .. } => {
                self.named_type("the type compared", ty, Must::Float);
                self.comparison(dst, a, b, ty);
            }
            InstKind::Select { dst, cond, a, b } => {
                self.read("the condition", cond, Must::Be(Type::I1));
                if let Some(ty) = self.verifier.reg(self.function, dst) {
                    self.read("an operand", a, Must::Be(ty));
                    self.read("an operand", b, Must::Be(ty));
                }
            }
            InstKind::Overflow {
                dst, overflow, a, b, ..
            } => {
                self.uniform(dst, &[a, b], Must::Int);
                self.write("the overflow flag", overflow, Must::Be(Type::I1));
                self.distinct(&[dst, overflow]);
            }
            InstKind::Saturating { dst, a, b, .. } | InstKind::MinMax { dst, a, b, .. } => {
                self.uniform(dst, &[a, b], Must::Int);
            }
            InstKind::Funnel {
                dst, a, b, amount, ..
            } => self.uniform(dst, &[a, b, amount], Must::Int),
            InstKind::Fma { dst, a, b, c } => self.uniform(dst, &[a, b, c], Must::Float),
            InstKind::LocalAddr { dst, local } => {
                self.write("the address", dst, pointer);
                self.local(local);
            }
            InstKind::LifetimeStart { local } | InstKind::LifetimeEnd { local } => self.scoped_local(local),
            InstKind::Alloca { dst, size, align } => {
                self.write("the address", dst, pointer);
                self.read("the size", size, Must::Word);
                self.verifier.alignment(align);
            }
            InstKind::StackSave { dst } => self.write("the token", dst, Must::Token),
            InstKind::StackRestore { token } => self.read("the token", token, Must::Token),
            InstKind::Gep {
                dst, base, ref terms, ..
            } => {
                self.write("the address", dst, pointer);
                self.read("the base", base, pointer);
                for term in terms {
                    self.read("the index", term.index, Must::Word);
                    self.index_width(term.index, term.bits);
                }
            }
            InstKind::Load {
                dst,
                ptr,
                ty,
                align,
                order,
                ..
            } => {
                self.verifier.ty(ty);
                self.write("the result", dst, Must::Be(ty));
                self.read("the address", ptr, pointer);
                self.verifier.alignment(align);
                self.order("a load", order, &[Release, AcqRel]);
            }
            InstKind::Store {
                ptr,
                value,
                ty,
                align,
                order,
                ..
            } => {
                self.verifier.ty(ty);
                self.read("the value", value, Must::Be(ty));
                self.read("the address", ptr, pointer);
                self.verifier.alignment(align);
                self.order("a store", order, &[Acquire, AcqRel]);
            }
            InstKind::Rmw {
                op,
                dst,
                ptr,
                value,
                ty,
                ..
            } => {
                match op {
                    RmwOp::Xchg => self.verifier.ty(ty),
                    _ if is_float_rmw(op) => self.named_type("the type", ty, Must::Float),
                    _ => self.named_type("the type", ty, Must::IntOrPtr),
                }
                self.write("the result", dst, Must::Be(ty));
                self.read("the address", ptr, pointer);
                self.read("the value", value, Must::Be(ty));
            }
            InstKind::CompareExchange {
                old,
                success,
                ptr,
                expected,
                new,
                ty,
                failure,
                ..
            } => {
                self.named_type("the type", ty, Must::IntOrPtr);
                self.write("the old value", old, Must::Be(ty));
                self.write("the success flag", success, Must::Be(Type::I1));
                self.distinct(&[old, success]);
                self.read("the address", ptr, pointer);
                self.read("the expected value", expected, Must::Be(ty));
                self.read("the new value", new, Must::Be(ty));
                self.order("a failing compare-and-swap", Some(failure), &[Release, AcqRel]);
            }
            InstKind::Fence { order, .. } => self.order("a fence", Some(order), &[Relaxed]),
            InstKind::MemCopy { dst, src, len, .. } => {
                self.read("the destination", dst, pointer);
                self.read("the source", src, pointer);
                self.read("the length", len, Must::Word);
            }
            InstKind::MemSet { dst, value, len } => {
                self.read("the destination", dst, pointer);
                self.read("the value", value, Must::Byte);
                self.read("the length", len, Must::Word);
            }
            InstKind::Call {
                ref results,
                callee,
                ref args,
                ref types,
            } => self.call(results, callee, args, types),
            InstKind::LandingPad { exception, selector } => {
                self.write("the exception", exception, Must::Be(Type::Ptr));
                self.write("the selector", selector, Must::Be(Type::I32));
                self.distinct(&[exception, selector]);
            }
            InstKind::VaStart { list } => {
                self.verifier
                    .require(self.function.varargs, || Problem::NotVariadic);
                self.read("the list", list, pointer);
            }
            InstKind::VaCopy { dst, src } => {
                self.read("the destination", dst, pointer);
                self.read("the source", src, pointer);
            }
            InstKind::Pause | InstKind::Unsupported { .. } => {}
        }
    }

    fn cast(&mut self, op: CastOp, dst: Reg, a: Operand, from: Type) {
        self.verifier.ty(from);
        self.read("the operand", a, Must::Be(from));
        let Some(to) = self.verifier.reg(self.function, dst) else {
            return;
        };
        let ints = matches!((from, to), (Type::Int(_), Type::Int(_)));
        let possible = match op {
            CastOp::Trunc => ints && to.bits() < from.bits(),
            CastOp::ZExt | CastOp::SExt => ints && to.bits() > from.bits(),
            CastOp::FToU | CastOp::FToS | CastOp::FToUSat | CastOp::FToSSat => {
                from.is_float() && matches!(to, Type::Int(_))
            }
            CastOp::UToF | CastOp::SToF => matches!(from, Type::Int(_)) && to.is_float(),
            CastOp::FTrunc => (from, to) == (Type::F64, Type::F32),
            CastOp::FExt => (from, to) == (Type::F32, Type::F64),
            CastOp::Bitcast => from.bits() == to.bits(),
        };
        self.verifier
            .require(possible, || Problem::Conversion { op, from, to });
    }

    fn comparison(&mut self, dst: Reg, a: Operand, b: Operand, ty: Type) {
        self.write("the result", dst, Must::Be(Type::I1));
        self.read("an operand", a, Must::Be(ty));
        self.read("an operand", b, Must::Be(ty));
    }

    fn index_width(&mut self, index: Operand, bits: u8) {
        let found = match index {
            Operand::Reg(reg) => self.function.regs.get(reg).map(|info| info.ty),
            _ => index.own_type(),
        };
        if let Some(found) = found {
            self.verifier
                .require(found.bits() == u32::from(bits), || Problem::IndexWidth {
                    found,
                    bits,
                });
        }
    }

    fn call(&mut self, results: &[Reg], callee: Callee, args: &[Operand], types: &[Type]) {
        let (found, expected) = (args.len(), types.len());
        self.verifier
            .require(found == expected, || Problem::ArgumentTypes {
                args: found,
                types: expected,
            });
        for (&arg, &ty) in args.iter().zip(types) {
            self.verifier.ty(ty);
            self.read("an argument", arg, Must::Be(ty));
        }
        for &result in results {
            self.verifier.reg(self.function, result);
        }
        self.distinct(results);
        match callee {
            Callee::Indirect(address) => self.read("the callee", address, Must::Be(Type::Ptr)),
            Callee::Direct(id) => match self.verifier.module.functions.get(id) {
                Some(callee) if callee.is_defined() => self.signature(results, callee, types),
                Some(_) => {}
                None => self.verifier.report(Problem::NoFunction(id)),
            },
        }
    }

    /// Checks a call against the callee's parameters and returns.
    fn signature(&mut self, results: &[Reg], callee: &Function, types: &[Type]) {
        let (expected, found) = (callee.params.len(), types.len());
        let fits = found == expected || callee.varargs && found > expected;
        self.verifier
            .require(fits, || Problem::ArgumentCount { expected, found });
        for (&param, &found) in callee.params.iter().zip(types) {
            if let Some(info) = callee.regs.get(param) {
                let must = Must::Be(info.ty);
                self.verifier
                    .require(must.allows(found), || must.problem("an argument", found));
            }
        }
        let (expected, found) = (callee.returns.len(), results.len());
        self.verifier
            .require(found == expected, || Problem::ResultCount { expected, found });
        for (&result, &ty) in results.iter().zip(&callee.returns) {
            // Another check reports registers that do not exist.
            if let Some(info) = self.function.regs.get(result) {
                let must = Must::Be(ty);
                self.verifier
                    .require(must.allows(info.ty), || must.problem("a result", info.ty));
            }
        }
    }

    fn terminator(&mut self, term: &Terminator) {
        match *term {
            Terminator::Jump(target) => self.verifier.block(self.id, target),
            Terminator::Branch {
                cond,
                then,
                otherwise,
            } => {
                self.read("the condition", cond, Must::Be(Type::I1));
                self.verifier.block(self.id, then);
                self.verifier.block(self.id, otherwise);
            }
            Terminator::Switch {
                value,
                ty,
                ref cases,
                default,
            } => {
                self.named_type("the type switched on", ty, Must::Int);
                self.read("the value", value, Must::Be(ty));
                let mut seen = BTreeSet::new();
                for &(case, target) in cases {
                    let fits = ty.bits() >= 128 || case >> ty.bits() == 0;
                    self.verifier.require(fits, || Problem::WideConstant(case, ty));
                    self.verifier
                        .require(seen.insert(case), || Problem::SameCase(case));
                    self.verifier.block(self.id, target);
                }
                self.verifier.block(self.id, default);
            }
            Terminator::Indirect { address, ref targets } => {
                self.read("the address", address, Must::Be(Type::Ptr));
                targets
                    .iter()
                    .for_each(|&target| self.verifier.block(self.id, target));
            }
            Terminator::Return(ref values) => {
                let (expected, found) = (self.function.returns.len(), values.len());
                self.verifier
                    .require(found == expected, || Problem::ResultCount { expected, found });
                for (&value, &ty) in values.iter().zip(&self.function.returns) {
                    self.read("the returned value", value, Must::Be(ty));
                }
            }
            Terminator::Invoke {
                normal,
                unwind,
                ref pad,
            } => {
                self.verifier.block(self.id, normal);
                self.verifier.block(self.id, unwind);
                pad.for_each_type(|ty| self.read("a type that is caught", ty, Must::Be(Type::Ptr)));
                for clause in &pad.clauses {
                    let (fits, selector) = match clause {
                        Clause::Catch { selector, .. } => (*selector > 0, *selector),
                        Clause::Filter { selector, .. } => (*selector < 0, *selector),
                    };
                    self.verifier.require(fits, || Problem::Selector(selector));
                }
            }
            Terminator::Unreachable | Terminator::Trap => {}
        }
    }
}

fn is_float_op(op: BinOp) -> bool {
    matches!(
        op,
        BinOp::FAdd
            | BinOp::FSub
            | BinOp::FMul
            | BinOp::FDiv
            | BinOp::FRem
            | BinOp::FMin
            | BinOp::FMax
            | BinOp::FCopySign
    )
}

fn is_float_un(op: UnOp) -> bool {
    matches!(
        op,
        UnOp::FNeg
            | UnOp::FAbs
            | UnOp::FSqrt
            | UnOp::FFloor
            | UnOp::FCeil
            | UnOp::FTrunc
            | UnOp::FRound
            | UnOp::FRoundEven
    )
}

fn is_float_rmw(op: RmwOp) -> bool {
    matches!(op, RmwOp::FAdd | RmwOp::FSub | RmwOp::FMax | RmwOp::FMin)
}

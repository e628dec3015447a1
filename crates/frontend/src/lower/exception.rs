//! Exceptions: `invoke`, `landingpad` and `resume`.
//!
//! The handler of an exception is found where the exception is thrown (`vm/src/libc/unwind.rs`),
//! from the clauses of the calls that it leaves. So the clauses of a landing pad are part of each
//! of its invokes. A selector is the number of the type's description in the program, which is also
//! the result of `llvm.eh.typeid.for`.

use super::function::{FnLower, Lower, Parts};
use crate::llvm::{self, TyKind, Value};
use selvedge_base::Id;
use selvedge_ir::{Callee, Clause, InstKind, Operand, Pad, Terminator, Type};
use smallvec::{SmallVec, smallvec};

impl<'m> FnLower<'_, 'm, '_> {
    /// Lowers an invoke.
    pub(super) fn invoke(&mut self, inst: Value<'m>) -> Lower<Terminator> {
        self.call(inst)?;
        if let Some(term) = self.ended.take() {
            return Ok(term);
        }
        let next = inst.normal_dest().ok_or("an invoke that does not continue")?;
        let calls = matches!(self.insts.last().map(|i| &i.kind), Some(InstKind::Call { .. }));
        // Inline assembly and most intrinsics throw nothing.
        let Some(to) = inst.unwind_dest().filter(|_| calls) else {
            return Ok(Terminator::Jump(self.last_edge(inst, next)?));
        };
        let pad = self.pad(to)?;
        let normal = self.edge(inst, next)?;
        let unwind = self.edge(inst, to)?;
        Ok(Terminator::Invoke { normal, unwind, pad })
    }

    fn pad(&mut self, block: llvm::Block<'m>) -> Lower<Pad> {
        let insts = block.instructions();
        let Some((values, cleanup)) = insts.iter().find_map(|i| i.landing_pad()) else {
            return Err("an exception handler of another kind than landing pads".to_owned());
        };
        let mut clauses = Vec::new();
        for value in values {
            let types = self.parts(value)?;
            clauses.push(if value.ty().kind() == TyKind::LLVMArrayTypeKind {
                let selector = -1 - clauses.len() as i32;
                let types = types.into_vec();
                Clause::Filter { types, selector }
            } else {
                let [ty] = types[..] else {
                    return Err("a handler for a type of unknown form".to_owned());
                };
                let selector = selector(ty)?;
                Clause::Catch { ty, selector }
            });
        }
        Ok(Pad { clauses, cleanup })
    }

    /// Lowers a landing pad.
    pub(super) fn landing_pad(&mut self, inst: Value<'m>) -> Lower<()> {
        let [exception, selector] = self.results(inst)?[..] else {
            return Err(format!("a landing pad of type {}", inst.ty().text()));
        };
        self.emit(InstKind::LandingPad { exception, selector });
        Ok(())
    }

    /// Lowers a `resume`.
    pub(super) fn resume(&mut self, inst: Value<'m>) -> Lower<Terminator> {
        let parts: Parts = self.operands(inst, 0)?;
        let exception = *parts.first().ok_or("a resume of nothing")?;
        let id = self.library_function("_Unwind_Resume", Vec::new(), &[Type::Ptr])?;
        self.emit(InstKind::Call {
            results: SmallVec::new(),
            callee: Callee::Direct(id),
            args: smallvec![exception],
            types: smallvec![Type::Ptr],
        });
        Ok(Terminator::Unreachable)
    }

    /// Lowers `llvm.eh.typeid.for`.
    pub(super) fn type_id(&mut self, inst: Value<'m>) -> Lower<()> {
        let ty = self.operand(inst, 0)?;
        let selector = selector(ty)?;
        self.constant_result(inst, selector as u128)
    }
}

/// The number of a type.
fn selector(ty: Operand) -> Lower<i32> {
    let number = match ty {
        Operand::Const(0, _) => 0,
        Operand::Global(global, 0) => 1 + global.index(),
        _ => return Err(format!("a handler for the type {ty}")),
    };
    i32::try_from(number + 1).map_err(|_| "a program with too many variables".to_owned())
}

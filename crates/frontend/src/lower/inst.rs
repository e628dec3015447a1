//! Instructions, one by one.

use super::flatten;
use super::function::{FnLower, Lower, Regs};
use crate::llvm::{IntPredicate, Opcode, RealPredicate, Ty, TyKind, Value};
use selvedge_ir::{BinOp, CastOp, FloatPred, InstKind, IntPred, Type, UnOp};

impl<'m> FnLower<'_, 'm, '_> {
    /// Lowers an instruction that is no terminator; `rest` follow it in its block.
    pub(super) fn instruction(&mut self, inst: Value<'m>, rest: &[Value<'m>]) -> Lower<()> {
        let opcode = inst.opcode().ok_or("a value that is no instruction")?;
        if let Some(done) = self.memory(opcode, inst, rest) {
            return done;
        }
        if let Some(done) = self.double(opcode, inst) {
            return done;
        }
        match opcode {
            // Assigned on the edges.
            Opcode::LLVMPHI => self.results(inst).map(|_| ()),
            Opcode::LLVMCall => self.call(inst),
            Opcode::LLVMExtractValue => {
                let from = inst.operand(0).ok_or("an aggregate")?;
                let (skip, ty) = flatten::select(self.unit.layout, from.ty(), inst.indices())?;
                let count = self.flat(ty)?.len();
                let parts = self.parts(from)?;
                let chosen = parts
                    .get(skip..skip + count)
                    .ok_or("an element outside of its aggregate")?;
                self.alias(inst, chosen.into())
            }
            Opcode::LLVMInsertValue => {
                let into = inst.operand(0).ok_or("an aggregate")?;
                let (skip, _) = flatten::select(self.unit.layout, into.ty(), inst.indices())?;
                let mut parts = self.parts(into)?;
                for (i, part) in self.operands(inst, 1)?.into_iter().enumerate() {
                    *parts
                        .get_mut(skip + i)
                        .ok_or("an element outside of its aggregate")? = part;
                }
                self.alias(inst, parts)
            }
            Opcode::LLVMLandingPad => self.landing_pad(inst),
            Opcode::LLVMCatchPad | Opcode::LLVMCleanupPad => {
                Err("an exception handler of another kind than landing pads".to_owned())
            }
            Opcode::LLVMGetElementPtr if is_no_step(inst) => {
                let parts = self.operands(inst, 0)?;
                self.alias(inst, parts)
            }
            Opcode::LLVMVAArg => Err("the instruction va_arg".to_owned()),
            _ => {
                let dst = self.results(inst)?;
                self.simple(opcode, inst, &dst)
            }
        }
    }

    /// Lowers an instruction or constant expression that computes values from values, lane by lane.
    pub(super) fn simple(&mut self, opcode: Opcode, inst: Value<'m>, dst: &Regs) -> Lower<()> {
        if let Some(op) = binary(opcode) {
            let (a, b) = (self.operands(inst, 0)?, self.operands(inst, 1)?);
            for ((&dst, a), b) in dst.iter().zip(a).zip(b) {
                self.arithmetic(inst, op, dst, [a, b]);
            }
            return Ok(());
        }
        match opcode {
            Opcode::LLVMFNeg | Opcode::LLVMFreeze => {
                let op = if opcode == Opcode::LLVMFNeg {
                    UnOp::FNeg
                } else {
                    UnOp::Freeze
                };
                for (&dst, a) in dst.iter().zip(self.operands(inst, 0)?) {
                    self.emit(InstKind::Un { op, dst, a });
                }
                Ok(())
            }
            Opcode::LLVMICmp => {
                let pred = int_predicate(inst.int_predicate());
                let (a, b) = (self.operands(inst, 0)?, self.operands(inst, 1)?);
                for ((&dst, a), b) in dst.iter().zip(a).zip(b) {
                    self.flagged_compare(inst, pred, dst, [a, b]);
                }
                Ok(())
            }
            Opcode::LLVMFCmp => {
                let pred = float_predicate(inst.real_predicate());
                let (a, b) = (self.operands(inst, 0)?, self.operands(inst, 1)?);
                for ((&dst, a), b) in dst.iter().zip(a).zip(b) {
                    let ty = self.type_of(a);
                    self.emit(InstKind::FCmp { pred, dst, a, b, ty });
                }
                Ok(())
            }
            Opcode::LLVMSelect => {
                let condition = inst.operand(0).ok_or("a choice without condition")?;
                let lanes = is_vector(condition.ty());
                let cond = self.parts(condition)?;
                let (a, b) = (self.operands(inst, 1)?, self.operands(inst, 2)?);
                for (i, ((&dst, a), b)) in dst.iter().zip(a).zip(b).enumerate() {
                    let cond = *cond
                        .get(if lanes { i } else { 0 })
                        .ok_or("a choice without condition")?;
                    self.emit(InstKind::Select { dst, cond, a, b });
                }
                Ok(())
            }
            Opcode::LLVMGetElementPtr => self.gep(inst, dst),
            Opcode::LLVMExtractElement | Opcode::LLVMInsertElement | Opcode::LLVMShuffleVector => {
                self.vector(opcode, inst, dst)
            }
            _ => self.conversion(opcode, inst, dst),
        }
    }

    fn conversion(&mut self, opcode: Opcode, inst: Value<'m>, dst: &Regs) -> Lower<()> {
        let op = match opcode {
            Opcode::LLVMTrunc => CastOp::Trunc,
            Opcode::LLVMZExt => CastOp::ZExt,
            Opcode::LLVMSExt => CastOp::SExt,
            Opcode::LLVMFPToUI => CastOp::FToU,
            Opcode::LLVMFPToSI => CastOp::FToS,
            Opcode::LLVMUIToFP => CastOp::UToF,
            Opcode::LLVMSIToFP => CastOp::SToF,
            Opcode::LLVMFPTrunc => CastOp::FTrunc,
            Opcode::LLVMFPExt => CastOp::FExt,
            Opcode::LLVMPtrToInt | Opcode::LLVMPtrToAddr => return self.pointer_to_int(inst, dst),
            Opcode::LLVMIntToPtr => return self.int_to_pointer(inst, dst),
            Opcode::LLVMAddrSpaceCast => CastOp::Bitcast,
            Opcode::LLVMBitCast => return self.bitcast(inst, dst),
            _ => return Err(format!("instruction {}", inst.text().trim())),
        };
        for (&dst, a) in dst.iter().zip(self.operands(inst, 0)?) {
            self.flagged_cast(inst, op, dst, a);
        }
        Ok(())
    }

    fn pointer_to_int(&mut self, inst: Value<'m>, dst: &Regs) -> Lower<()> {
        for (&dst, a) in dst.iter().zip(self.operands(inst, 0)?) {
            let bits = self.reg_type(dst).bits();
            if bits == 64 {
                self.emit(InstKind::Cast {
                    op: CastOp::Bitcast,
                    dst,
                    a,
                    from: Type::Ptr,
                });
            } else {
                let a = self.cast(CastOp::Bitcast, a, Type::I64);
                let op = if bits < 64 { CastOp::Trunc } else { CastOp::ZExt };
                self.emit(InstKind::Cast {
                    op,
                    dst,
                    a,
                    from: Type::I64,
                });
            }
        }
        Ok(())
    }

    fn int_to_pointer(&mut self, inst: Value<'m>, dst: &Regs) -> Lower<()> {
        for (&dst, a) in dst.iter().zip(self.operands(inst, 0)?) {
            let a = match self.type_of(a).bits() {
                64 => a,
                bits if bits < 64 => self.cast(CastOp::ZExt, a, Type::I64),
                _ => self.cast(CastOp::Trunc, a, Type::I64),
            };
            self.emit(InstKind::Cast {
                op: CastOp::Bitcast,
                dst,
                a,
                from: Type::I64,
            });
        }
        Ok(())
    }

    fn bitcast(&mut self, inst: Value<'m>, dst: &Regs) -> Lower<()> {
        let from = inst.operand(0).ok_or("a value to convert")?;
        let parts = self.parts(from)?;
        let lanewise = parts.len() == dst.len();
        if lanewise {
            for (&dst, a) in dst.iter().zip(parts) {
                let from = self.type_of(a);
                self.emit(InstKind::Cast {
                    op: CastOp::Bitcast,
                    dst,
                    a,
                    from,
                });
            }
            return Ok(());
        }
        self.repack(&parts, dst)
    }
}

/// Whether a type is a vector.
pub(super) fn is_vector(ty: Ty<'_>) -> bool {
    ty.kind() == TyKind::LLVMVectorTypeKind
}

/// Whether an address computation changes nothing: the address of a first field or element.
fn is_no_step(gep: Value<'_>) -> bool {
    (1..gep.num_operands()).all(|i| gep.operand(i).and_then(|v| v.int()) == Some(0))
}

fn binary(opcode: Opcode) -> Option<BinOp> {
    Some(match opcode {
        Opcode::LLVMAdd => BinOp::Add,
        Opcode::LLVMSub => BinOp::Sub,
        Opcode::LLVMMul => BinOp::Mul,
        Opcode::LLVMUDiv => BinOp::UDiv,
        Opcode::LLVMSDiv => BinOp::SDiv,
        Opcode::LLVMURem => BinOp::URem,
        Opcode::LLVMSRem => BinOp::SRem,
        Opcode::LLVMShl => BinOp::Shl,
        Opcode::LLVMLShr => BinOp::LShr,
        Opcode::LLVMAShr => BinOp::AShr,
        Opcode::LLVMAnd => BinOp::And,
        Opcode::LLVMOr => BinOp::Or,
        Opcode::LLVMXor => BinOp::Xor,
        Opcode::LLVMFAdd => BinOp::FAdd,
        Opcode::LLVMFSub => BinOp::FSub,
        Opcode::LLVMFMul => BinOp::FMul,
        Opcode::LLVMFDiv => BinOp::FDiv,
        Opcode::LLVMFRem => BinOp::FRem,
        _ => return None,
    })
}

fn int_predicate(pred: IntPredicate) -> IntPred {
    match pred {
        IntPredicate::LLVMIntEQ => IntPred::Eq,
        IntPredicate::LLVMIntNE => IntPred::Ne,
        IntPredicate::LLVMIntUGT => IntPred::Ugt,
        IntPredicate::LLVMIntUGE => IntPred::Uge,
        IntPredicate::LLVMIntULT => IntPred::Ult,
        IntPredicate::LLVMIntULE => IntPred::Ule,
        IntPredicate::LLVMIntSGT => IntPred::Sgt,
        IntPredicate::LLVMIntSGE => IntPred::Sge,
        IntPredicate::LLVMIntSLT => IntPred::Slt,
        IntPredicate::LLVMIntSLE => IntPred::Sle,
    }
}

fn float_predicate(pred: RealPredicate) -> FloatPred {
    match pred {
        RealPredicate::LLVMRealPredicateFalse => FloatPred::False,
        RealPredicate::LLVMRealOEQ => FloatPred::Oeq,
        RealPredicate::LLVMRealOGT => FloatPred::Ogt,
        RealPredicate::LLVMRealOGE => FloatPred::Oge,
        RealPredicate::LLVMRealOLT => FloatPred::Olt,
        RealPredicate::LLVMRealOLE => FloatPred::Ole,
        RealPredicate::LLVMRealONE => FloatPred::One,
        RealPredicate::LLVMRealORD => FloatPred::Ord,
        RealPredicate::LLVMRealUNO => FloatPred::Uno,
        RealPredicate::LLVMRealUEQ => FloatPred::Ueq,
        RealPredicate::LLVMRealUGT => FloatPred::Ugt,
        RealPredicate::LLVMRealUGE => FloatPred::Uge,
        RealPredicate::LLVMRealULT => FloatPred::Ult,
        RealPredicate::LLVMRealULE => FloatPred::Ule,
        RealPredicate::LLVMRealUNE => FloatPred::Une,
        RealPredicate::LLVMRealPredicateTrue => FloatPred::True,
    }
}

//! Constants as operands. A constant expression that is not a plain address is computed where it is
//! used.

use super::flatten::scalar;
use super::function::{FnLower, Lower, Parts};
use super::inst::is_vector;
use crate::llvm::{Ty, TyKind, Value, ValueKind};
use selvedge_base::Id;
use selvedge_ir::{BlockId, GepTerm, InstKind, Operand, Symbol, Type};
use smallvec::{SmallVec, smallvec};

impl<'m> FnLower<'_, 'm, '_> {
    /// The operands that a constant flattens to.
    pub(super) fn constant(&mut self, value: Value<'m>) -> Lower<Parts> {
        let ty = value.ty();
        match value.kind() {
            ValueKind::LLVMConstantIntValueKind => {
                let number = value
                    .int()
                    .ok_or_else(|| format!("values of type {}", ty.text()))?;
                Ok(smallvec![Operand::Const(number, scalar(ty)?)])
            }
            ValueKind::LLVMConstantPointerNullValueKind => Ok(smallvec![Operand::Const(0, Type::Ptr)]),
            ValueKind::LLVMConstantFPValueKind => {
                let double = value.double().unwrap_or_default();
                Ok(smallvec![match scalar(ty)? {
                    Type::F32 => Operand::Const(u128::from((double as f32).to_bits()), Type::F32),
                    other => Operand::Const(u128::from(double.to_bits()), other),
                }])
            }
            ValueKind::LLVMUndefValueValueKind => Ok(self
                .flat(ty)?
                .into_iter()
                .map(|(t, _)| Operand::Undef(t))
                .collect()),
            ValueKind::LLVMPoisonValueKind => Ok(self
                .flat(ty)?
                .into_iter()
                .map(|(t, _)| Operand::Poison(t))
                .collect()),
            ValueKind::LLVMConstantAggregateZeroValueKind => Ok(self
                .flat(ty)?
                .into_iter()
                .map(|(t, _)| Operand::Const(0, t))
                .collect()),
            ValueKind::LLVMConstantArrayValueKind
            | ValueKind::LLVMConstantStructValueKind
            | ValueKind::LLVMConstantVectorValueKind
            | ValueKind::LLVMConstantDataArrayValueKind
            | ValueKind::LLVMConstantDataVectorValueKind => {
                let mut parts = Parts::new();
                for i in 0..ty.elements() as u32 {
                    let element = value.element(i).ok_or("a constant without its element")?;
                    parts.extend(self.constant(element)?);
                }
                Ok(parts)
            }
            ValueKind::LLVMBlockAddressValueKind => Ok(smallvec![self.block_address(value)?]),
            ValueKind::LLVMFunctionValueKind
            | ValueKind::LLVMGlobalVariableValueKind
            | ValueKind::LLVMGlobalAliasValueKind => Ok(smallvec![self.address(value)?]),
            ValueKind::LLVMConstantExprValueKind => self.expression(value),
            ValueKind::LLVMGlobalIFuncValueKind => Err(format!("indirect function `{}`", value.name())),
            _ => Err(format!("constant {}", value.text())),
        }
    }

    fn address(&mut self, value: Value<'m>) -> Lower<Operand> {
        match self.unit.linear(value) {
            Some((symbol, offset)) => Ok(self.symbol_operand(symbol, offset, true)),
            None => Err(format!("the address of weak `{}`, defined or not", value.name())),
        }
    }

    /// The address of a symbol plus an offset. Outside of the object it is computed by an
    /// instruction, which marks it.
    fn symbol_operand(&mut self, symbol: Option<Symbol>, offset: i64, inbounds: bool) -> Operand {
        let base = match symbol {
            None => return Operand::Const(u128::from(offset as u64), Type::Ptr),
            Some(Symbol::Global(id)) => {
                self.refer(Symbol::Global(id));
                let global = &self.unit.program.module.globals[id];
                let inside = u64::try_from(offset).is_ok_and(|o| global.external || o <= global.size);
                if inside {
                    return Operand::Global(id, offset);
                }
                Operand::Global(id, 0)
            }
            Some(Symbol::Func(id)) => {
                self.refer(Symbol::Func(id));
                if offset == 0 {
                    return Operand::Func(id);
                }
                Operand::Func(id)
            }
        };
        let dst = self.reg(Type::Ptr);
        self.emit(InstKind::Gep {
            dst,
            base,
            offset,
            terms: SmallVec::<[GepTerm; 1]>::new(),
            inbounds,
        });
        Operand::Reg(dst)
    }

    fn expression(&mut self, value: Value<'m>) -> Lower<Parts> {
        if !converts_its_operand(value) {
            return Err(format!(
                "a constant that LLVM does not allow: {}",
                value.text().trim()
            ));
        }
        if let Some((symbol, offset)) = self.unit.linear(value) {
            if value.ty().kind() == TyKind::LLVMPointerTypeKind {
                // LLVM drops `inbounds` where a constant leaves its object, so whether the program
                // had it is not known. No object is reached from another one.
                let is_moved = value.opcode() == Some(crate::llvm::Opcode::LLVMGetElementPtr);
                return Ok(smallvec![self.symbol_operand(symbol, offset, is_moved)]);
            }
            if symbol.is_none() {
                return Ok(smallvec![Operand::Const(
                    u128::from(offset as u64),
                    scalar(value.ty())?
                )]);
            }
        }
        let opcode = value.opcode().ok_or("a constant expression without opcode")?;
        let dst = self.new_regs(value.ty())?;
        self.simple(opcode, value, &dst)?;
        Ok(dst.into_iter().map(Operand::Reg).collect())
    }

    fn block_address(&mut self, value: Value<'m>) -> Lower<Operand> {
        let (function, block) = value.block_address().ok_or("a block address")?;
        let Symbol::Func(id) = self.unit.symbol(function) else {
            return Err("a block of no function".to_owned());
        };
        // Blocks keep their order, and those made by the lowering come after all of them.
        let index = function
            .blocks()
            .iter()
            .position(|&b| b == block)
            .ok_or("a block of another function")?;
        self.refer(Symbol::Func(id));
        Ok(Operand::Block(id, BlockId::from_index(index)))
    }
}

/// Whether a constant expression, if it converts, converts what its opcode says. LLVM checks
/// instructions for that, and no constants.
pub(super) fn converts_its_operand(value: Value<'_>) -> bool {
    use crate::llvm::Opcode as Op;
    use TyKind::{LLVMIntegerTypeKind as Int, LLVMPointerTypeKind as Pointer};
    let element = |ty: Ty<'_>| {
        let lane = if is_vector(ty) { ty.element(0) } else { Some(ty) };
        lane.and_then(|lane| Some((lane.kind(), u64::from(scalar(lane).ok()?.bits()))))
    };
    let Some(opcode) = value.opcode() else {
        return true;
    };
    let converts = [
        Op::LLVMPtrToInt,
        Op::LLVMPtrToAddr,
        Op::LLVMIntToPtr,
        Op::LLVMAddrSpaceCast,
        Op::LLVMTrunc,
        Op::LLVMBitCast,
    ];
    if !converts.contains(&opcode) {
        return true;
    }
    let Some(from) = value.operand(0).map(|operand| operand.ty()) else {
        return false;
    };
    let to = value.ty();
    let lanes = |ty: Ty<'_>| if is_vector(ty) { ty.elements() } else { 1 };
    // What has no such types, as `x86_amx`, is refused elsewhere.
    let (Some((kind, bits)), Some((new_kind, new_bits))) = (element(from), element(to)) else {
        return true;
    };
    let same_lanes = lanes(from) == lanes(to);
    match opcode {
        Op::LLVMPtrToInt | Op::LLVMPtrToAddr => kind == Pointer && new_kind == Int && same_lanes,
        Op::LLVMIntToPtr => kind == Int && new_kind == Pointer && same_lanes,
        Op::LLVMAddrSpaceCast => kind == Pointer && new_kind == Pointer && same_lanes,
        Op::LLVMTrunc => kind == Int && new_kind == Int && bits >= new_bits && same_lanes,
        _ => (kind == Pointer) == (new_kind == Pointer) && bits * lanes(from) == new_bits * lanes(to),
    }
}

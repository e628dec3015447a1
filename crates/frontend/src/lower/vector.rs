//! Vectors, which are represented as several registers: shuffling, and reinterpreting them as
//! values of another shape.

use super::function::{FnLower, Lower, Regs};
use crate::llvm::{Opcode, Value};
use selvedge_ir::{BinOp, CastOp, InstKind, IntPred, Operand, Type};

impl<'m> FnLower<'_, 'm, '_> {
    pub(super) fn vector(&mut self, opcode: Opcode, inst: Value<'m>, dst: &Regs) -> Lower<()> {
        match opcode {
            Opcode::LLVMExtractElement => {
                let parts = self.operands(inst, 0)?;
                let index = self.operand(inst, 1)?;
                let [dst] = dst.as_slice() else {
                    return Err("a vector of vectors".to_owned());
                };
                let dst = *dst;
                if let Operand::Const(n, _) = index {
                    let ty = self.reg_type(dst);
                    let value = usize::try_from(n).ok().and_then(|n| parts.get(n).copied());
                    self.copy(dst, value.unwrap_or(Operand::Poison(ty)));
                    return Ok(());
                }
                // A chain of choices; outside of the vector it is poison.
                let ty = self.reg_type(dst);
                self.copy(dst, Operand::Poison(ty));
                for (i, part) in parts.into_iter().enumerate() {
                    let cond = self.is_index(index, i);
                    self.emit(InstKind::Select {
                        dst,
                        cond,
                        a: part,
                        b: Operand::Reg(dst),
                    });
                }
                Ok(())
            }
            Opcode::LLVMInsertElement => {
                let parts = self.operands(inst, 0)?;
                let value = self.operand(inst, 1)?;
                let index = self.operand(inst, 2)?;
                // Outside of the vector the whole result is poison.
                let lanes = parts.len() as u128;
                let outside = match index {
                    Operand::Const(n, _) if n < lanes => None,
                    Operand::Const(..) => Some(Operand::Const(1, Type::I1)),
                    // An index of few bits reaches all of its numbers.
                    _ if self.type_of(index).bits() < 64 && lanes >> self.type_of(index).bits() != 0 => None,
                    _ => {
                        let end = Operand::Const(lanes, self.type_of(index));
                        Some(self.compare(IntPred::Uge, index, end))
                    }
                };
                for (i, (part, &dst)) in parts.into_iter().zip(dst).enumerate() {
                    match index {
                        Operand::Const(n, _) => self.copy(dst, if n == i as u128 { value } else { part }),
                        _ => {
                            let cond = self.is_index(index, i);
                            self.emit(InstKind::Select {
                                dst,
                                cond,
                                a: value,
                                b: part,
                            });
                        }
                    }
                    if let Some(outside) = outside {
                        self.unless(dst, outside, Operand::Reg(dst));
                    }
                }
                Ok(())
            }
            _ => {
                if inst.parent().is_none() {
                    return Err(format!("constant {}", inst.text()));
                }
                let mut parts = self.operands(inst, 0)?;
                parts.extend(self.operands(inst, 1)?);
                for (lane, &dst) in inst.shuffle_mask().into_iter().zip(dst) {
                    let ty = self.reg_type(dst);
                    let value = lane
                        .and_then(|l| parts.get(l).copied())
                        .unwrap_or(Operand::Poison(ty));
                    self.copy(dst, value);
                }
                Ok(())
            }
        }
    }

    fn is_index(&mut self, index: Operand, i: usize) -> Operand {
        let ty = self.type_of(index);
        if ty.bits() < 64 && (i as u64) >> ty.bits() != 0 {
            return Operand::Const(0, Type::I1);
        }
        let dst = self.reg(Type::I1);
        self.emit(InstKind::Cmp {
            pred: IntPred::Eq,
            dst,
            a: index,
            b: Operand::Const(i as u128, ty),
            ty,
        });
        Operand::Reg(dst)
    }

    /// The bits of scalars side by side, the first lowest, as one integer.
    ///
    /// # Errors
    /// If that is wider than 128 bits.
    pub(super) fn pack(&mut self, parts: &[Operand]) -> Lower<Operand> {
        let total: u32 = parts.iter().map(|&p| self.type_of(p).bits()).sum();
        if total == 0 || total > 128 {
            return Err(format!("reinterpreting {total} bits"));
        }
        let whole = Type::Int(total as u8);
        let mut result = None;
        let mut shift = 0;
        for &part in parts {
            let bits = self.type_of(part).bits();
            let mut value = part;
            if !matches!(self.type_of(part), Type::Int(_)) {
                value = self.cast(CastOp::Bitcast, value, Type::Int(bits as u8));
            }
            if bits < total {
                value = self.cast(CastOp::ZExt, value, whole);
            }
            if shift > 0 {
                value = self.bin(BinOp::Shl, value, Operand::Const(u128::from(shift), whole));
            }
            result = Some(match result {
                None => value,
                Some(low) => self.bin(BinOp::Or, low, value),
            });
            shift += bits;
        }
        result.ok_or_else(|| "reinterpreting nothing".to_owned())
    }

    /// The reverse of [`FnLower::pack`], into registers.
    pub(super) fn unpack(&mut self, packed: Operand, dst: &[selvedge_ir::Reg]) {
        let whole = self.type_of(packed);
        let mut shift = 0;
        for &dst in dst {
            let ty = self.reg_type(dst);
            let mut value = packed;
            if shift > 0 {
                value = self.bin(BinOp::LShr, value, Operand::Const(u128::from(shift), whole));
            }
            let int = Type::Int(ty.bits() as u8);
            if int != whole {
                value = self.cast(CastOp::Trunc, value, int);
            }
            if ty == int {
                self.copy(dst, value);
            } else {
                self.emit(InstKind::Cast {
                    op: CastOp::Bitcast,
                    dst,
                    a: value,
                    from: int,
                });
            }
            shift += ty.bits();
        }
    }

    /// Reinterprets scalars side by side as other scalars; in groups of at most 128 bits where the
    /// borders meet.
    pub(super) fn repack(&mut self, parts: &[Operand], dst: &[selvedge_ir::Reg]) -> Lower<()> {
        let (mut parts, mut dst) = (parts, dst);
        while !parts.is_empty() && !dst.is_empty() {
            let (mut from, mut to) = (1, 1);
            loop {
                let have: u32 = parts[..from].iter().map(|&p| self.type_of(p).bits()).sum();
                let want: u32 = dst[..to].iter().map(|&r| self.reg_type(r).bits()).sum();
                match have.cmp(&want) {
                    std::cmp::Ordering::Equal => break,
                    std::cmp::Ordering::Less if from < parts.len() => from += 1,
                    std::cmp::Ordering::Greater if to < dst.len() => to += 1,
                    _ => return Err("reinterpreting values of another size".to_owned()),
                }
            }
            let packed = self.pack(&parts[..from])?;
            self.unpack(packed, &dst[..to]);
            parts = &parts[from..];
            dst = &dst[to..];
        }
        Ok(())
    }

    /// Emits arithmetic into a new register.
    pub(super) fn bin(&mut self, op: BinOp, a: Operand, b: Operand) -> Operand {
        let ty = self.type_of(a);
        let dst = self.reg(ty);
        self.emit(InstKind::Bin {
            op,
            dst,
            a,
            b,
            nsw: false,
            nuw: false,
        });
        Operand::Reg(dst)
    }
}

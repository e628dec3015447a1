//! Locals, loads, stores, atomics, addresses.

use super::flatten::{in_memory, scalar};
use super::function::{FnLower, Lower, Regs};
use super::promote::forwardable;
use crate::llvm::{Opcode, Ordering, RmwKind, TyKind, Value, ValueKind};
use selvedge_ir::{AtomicOrder, BinOp, CastOp, GepTerm, InstKind, Operand, OverflowOp, Reg, RmwOp, Type};
use smallvec::{SmallVec, smallvec};

/// The order of an atomic access; `None` if it is none.
fn order(ordering: Ordering) -> Option<AtomicOrder> {
    match ordering {
        Ordering::LLVMAtomicOrderingNotAtomic => None,
        Ordering::LLVMAtomicOrderingUnordered | Ordering::LLVMAtomicOrderingMonotonic => {
            Some(AtomicOrder::Relaxed)
        }
        Ordering::LLVMAtomicOrderingAcquire => Some(AtomicOrder::Acquire),
        Ordering::LLVMAtomicOrderingRelease => Some(AtomicOrder::Release),
        Ordering::LLVMAtomicOrderingAcquireRelease => Some(AtomicOrder::AcqRel),
        Ordering::LLVMAtomicOrderingSequentiallyConsistent => Some(AtomicOrder::SeqCst),
    }
}

impl<'m> FnLower<'_, 'm, '_> {
    pub(super) fn alloca(&mut self, inst: Value<'m>) -> Lower<()> {
        if let Some(&reg) = self.promoted.get(&inst) {
            // Registers begin undefined; one in a loop becomes so again.
            if !self.in_entry {
                let ty = self.reg_type(reg);
                self.copy(reg, Operand::Undef(ty));
            }
            return Ok(());
        }
        let dst = self.results(inst)?;
        let [dst] = dst.as_slice() else {
            return Err("an alloca of several addresses".to_owned());
        };
        let dst = *dst;
        if let Some(&local) = self.locals.get(&inst) {
            self.emit(InstKind::LocalAddr { dst, local });
            return Ok(());
        }
        let ty = inst.allocated_type();
        if !ty.is_sized() {
            return Err(format!("a local of type {}", ty.text()));
        }
        let element = self.unit.layout.size(ty);
        let mut count = self.operand(inst, 0)?;
        match self.type_of(count).bits() {
            64 => {}
            bits if bits < 64 => count = self.cast(CastOp::ZExt, count, Type::I64),
            _ => return Err("an alloca counted by a wide integer".to_owned()),
        }
        // A size that does not fit is one that no machine has, not what is left of it.
        let most = u128::from(u64::MAX);
        let size = match (count, element) {
            (count, 1) => count,
            (Operand::Const(n, _), _) => {
                Operand::Const(n.saturating_mul(u128::from(element)).min(most), Type::I64)
            }
            _ => {
                let (product, overflow) = (self.reg(Type::I64), self.reg(Type::I1));
                let b = Operand::Const(u128::from(element), Type::I64);
                self.emit(InstKind::Overflow {
                    op: OverflowOp::UMul,
                    dst: product,
                    overflow,
                    a: count,
                    b,
                });
                let size = self.reg(Type::I64);
                self.emit(InstKind::Select {
                    dst: size,
                    cond: Operand::Reg(overflow),
                    a: Operand::Const(most, Type::I64),
                    b: Operand::Reg(product),
                });
                Operand::Reg(size)
            }
        };
        self.emit(InstKind::Alloca {
            dst,
            size,
            align: inst.align().max(1),
        });
        Ok(())
    }

    /// A lifetime marker.
    pub(super) fn life(&mut self, starts: bool, of: Value<'m>) -> Lower<()> {
        if let Some(&reg) = self.promoted.get(&of) {
            // At the start and at the end: a value kept beyond the scope is no value.
            let ty = self.reg_type(reg);
            self.copy(reg, Operand::Undef(ty));
            return Ok(());
        }
        if let Some(&local) = self.locals.get(&of) {
            self.emit(if starts {
                InstKind::LifetimeStart { local }
            } else {
                InstKind::LifetimeEnd { local }
            });
            return Ok(());
        }
        match of.kind() {
            // Markers of poison mean nothing.
            ValueKind::LLVMPoisonValueKind | ValueKind::LLVMUndefValueValueKind => Ok(()),
            _ => Err("the scope of a local of variable size".to_owned()),
        }
    }

    /// `base + offset`, within the object that is accessed there.
    fn field(&mut self, base: Operand, offset: u64) -> Operand {
        if offset == 0 {
            return base;
        }
        let offset = offset as i64;
        let dst = self.reg(Type::Ptr);
        self.emit(InstKind::Gep {
            dst,
            base,
            offset,
            terms: SmallVec::new(),
            inbounds: true,
        });
        Operand::Reg(dst)
    }

    pub(super) fn load(&mut self, inst: Value<'m>, rest: &[Value<'m>]) -> Lower<()> {
        let from = inst.operand(0).ok_or("a load of nothing")?;
        if let Some(&reg) = self.promoted.get(&from) {
            let promises = inst.has_metadata("nonnull") || !inst.ranges().is_empty();
            let same = scalar(inst.ty()) == Ok(self.reg_type(reg)) && !promises;
            if same && !self.is_known(inst) && forwardable(inst, from, rest) {
                self.share(inst, smallvec![Operand::Reg(reg)]);
                return Ok(());
            }
            for dst in self.results(inst)? {
                self.copy_bits(dst, Operand::Reg(reg));
                self.promises(inst, dst)?;
            }
            return Ok(());
        }
        let ty = inst.ty();
        in_memory(ty)?;
        let flat = self.flat(ty)?;
        let ptr = self.part(from)?;
        let dst = self.results(inst)?;
        let order = order(inst.ordering());
        if order.is_some() && flat.len() != 1 {
            return Err(format!("atomic load of type {}", ty.text()));
        }
        let (align, volatile) = (inst.align().max(1), inst.volatile());
        for ((ty, offset), dst) in flat.into_iter().zip(dst) {
            let ptr = self.field(ptr, offset);
            let align = align_at(align, offset);
            self.emit(InstKind::Load {
                dst,
                ptr,
                ty,
                align,
                volatile,
                order,
            });
            self.promises(inst, dst)?;
        }
        Ok(())
    }

    pub(super) fn store_inst(&mut self, inst: Value<'m>) -> Lower<()> {
        let value = inst.operand(0).ok_or("a store of nothing")?;
        let to = inst.operand(1).ok_or("a store to nowhere")?;
        let parts = self.parts(value)?;
        if let Some(&reg) = self.promoted.get(&to) {
            for part in parts {
                let same = self.type_of(part) == self.reg_type(reg);
                if !same || !self.retarget(value, part, reg) {
                    self.copy_bits(reg, part);
                }
            }
            return Ok(());
        }
        let ty = value.ty();
        in_memory(ty)?;
        let flat = self.flat(ty)?;
        let ptr = self.part(to)?;
        let order = order(inst.ordering());
        if order.is_some() && flat.len() != 1 {
            return Err(format!("atomic store of type {}", ty.text()));
        }
        let (align, volatile) = (inst.align().max(1), inst.volatile());
        for ((ty, offset), value) in flat.into_iter().zip(parts) {
            let ptr = self.field(ptr, offset);
            let align = align_at(align, offset);
            let (ty, value) = self.whole_bytes(ty, value);
            self.emit(InstKind::Store {
                ptr,
                value,
                ty,
                align,
                volatile,
                order,
            });
        }
        Ok(())
    }

    /// A value as it is stored: of whole bytes. The bits that an integer of another width does not
    /// have are undefined in memory.
    fn whole_bytes(&mut self, ty: Type, value: Operand) -> (Type, Operand) {
        let bits = ty.bits();
        // Wide values have no undefined parts.
        if bits.is_multiple_of(8) || bits > 64 {
            return (ty, value);
        }
        let whole = Type::Int((ty.bytes() * 8) as u8);
        let low = self.cast(CastOp::ZExt, value, whole);
        let above = Operand::Const((u128::MAX >> (128 - whole.bits())) & !((1 << bits) - 1), whole);
        let padding = self.bin(BinOp::And, Operand::Undef(whole), above);
        (whole, self.bin(BinOp::Or, low, padding))
    }

    /// If `part` was computed by the instruction emitted last, and is only stored: computes it into
    /// the local at once.
    fn retarget(&mut self, value: Value<'m>, part: Operand, local: Reg) -> bool {
        let Operand::Reg(from) = part else { return false };
        if value.users().len() != 1 || value.parent().is_none() || self.aliases.contains(&value) {
            return false;
        }
        match self.insts.last_mut().and_then(|inst| single_dst(&mut inst.kind)) {
            Some(dst) if *dst == from => {
                *dst = local;
                true
            }
            _ => false,
        }
    }

    pub(super) fn rmw(&mut self, inst: Value<'m>) -> Lower<()> {
        let op = match inst.rmw() {
            RmwKind::LLVMAtomicRMWBinOpXchg => RmwOp::Xchg,
            RmwKind::LLVMAtomicRMWBinOpAdd => RmwOp::Add,
            RmwKind::LLVMAtomicRMWBinOpSub => RmwOp::Sub,
            RmwKind::LLVMAtomicRMWBinOpAnd => RmwOp::And,
            RmwKind::LLVMAtomicRMWBinOpNand => RmwOp::Nand,
            RmwKind::LLVMAtomicRMWBinOpOr => RmwOp::Or,
            RmwKind::LLVMAtomicRMWBinOpXor => RmwOp::Xor,
            RmwKind::LLVMAtomicRMWBinOpMax => RmwOp::Max,
            RmwKind::LLVMAtomicRMWBinOpMin => RmwOp::Min,
            RmwKind::LLVMAtomicRMWBinOpUMax => RmwOp::UMax,
            RmwKind::LLVMAtomicRMWBinOpUMin => RmwOp::UMin,
            RmwKind::LLVMAtomicRMWBinOpFAdd => RmwOp::FAdd,
            RmwKind::LLVMAtomicRMWBinOpFSub => RmwOp::FSub,
            RmwKind::LLVMAtomicRMWBinOpFMax => RmwOp::FMax,
            RmwKind::LLVMAtomicRMWBinOpFMin => RmwOp::FMin,
            _ => return Err(format!("atomic operation {}", inst.text().trim())),
        };
        let ty = scalar(inst.ty())?;
        let ptr = self.operand(inst, 0)?;
        let value = self.operand(inst, 1)?;
        let order = order(inst.ordering()).ok_or("an atomic operation without order")?;
        for dst in self.results(inst)? {
            self.emit(InstKind::Rmw {
                op,
                dst,
                ptr,
                value,
                ty,
                order,
            });
        }
        Ok(())
    }

    pub(super) fn compare_exchange(&mut self, inst: Value<'m>) -> Lower<()> {
        let ptr = self.operand(inst, 0)?;
        let expected = self.operand(inst, 1)?;
        let new = self.operand(inst, 2)?;
        let ty = self.type_of(new);
        let (success_order, failure_order) = inst.cmpxchg_orderings();
        let dst = self.results(inst)?;
        let [old, success] = dst.as_slice() else {
            return Err("a compare-and-exchange of unknown form".to_owned());
        };
        let (old, success) = (*old, *success);
        let order_of = |o| order(o).ok_or("a compare-and-exchange without order");
        let (order, failure) = (order_of(success_order)?, order_of(failure_order)?);
        let weak = inst.weak();
        self.emit(InstKind::CompareExchange {
            old,
            success,
            ptr,
            expected,
            new,
            ty,
            order,
            failure,
            weak,
        });
        Ok(())
    }

    pub(super) fn fence(&mut self, inst: Value<'m>) -> Lower<()> {
        let order = order(inst.ordering()).ok_or("a fence without order")?;
        self.emit(InstKind::Fence {
            order,
            single_thread: inst.single_thread(),
        });
        Ok(())
    }

    /// `getelementptr`, as an instruction or a constant expression.
    pub(super) fn gep(&mut self, value: Value<'m>, dst: &Regs) -> Lower<()> {
        let [dst] = dst.as_slice() else {
            return Err("addresses in vectors".to_owned());
        };
        let base = self.operand(value, 0)?;
        let mut offset = 0i64;
        let mut terms: SmallVec<[GepTerm; 1]> = SmallVec::new();
        let mut ty = value.gep_source();
        for i in 1..value.num_operands() {
            let index = value.operand(i).ok_or("an address without its index")?;
            if i > 1 && ty.kind() == TyKind::LLVMStructTypeKind {
                let field = index
                    .int()
                    .and_then(|n| u32::try_from(n).ok())
                    .ok_or("a field without number")?;
                offset = offset.wrapping_add(self.unit.layout.offset(ty, field) as i64);
                ty = ty.element(field).ok_or("a struct without its field")?;
                continue;
            }
            if i > 1 {
                ty = ty.element(0).ok_or("an array without elements")?;
            }
            if !ty.is_sized() {
                return Err(format!("an address among elements of type {}", ty.text()));
            }
            let stride = self.unit.layout.size(ty) as i64;
            let bits = index.ty().int_bits();
            if bits == 0 || bits > 64 {
                return Err(format!("an index of type {}", index.ty().text()));
            }
            match index.int() {
                Some(n) => {
                    let n = ((n as u64) << (64 - bits)) as i64 >> (64 - bits);
                    offset = offset.wrapping_add(n.wrapping_mul(stride));
                }
                None => {
                    let index = self.part(index)?;
                    terms.push(GepTerm {
                        index,
                        bits: bits as u8,
                        stride,
                    });
                }
            }
        }
        let inbounds = value.inbounds();
        self.emit(InstKind::Gep {
            dst: *dst,
            base,
            offset,
            terms,
            inbounds,
        });
        Ok(())
    }

    /// Whether an opcode works on memory or addresses; if so, lowers it.
    pub(super) fn memory(
        &mut self,
        opcode: Opcode,
        inst: Value<'m>,
        rest: &[Value<'m>],
    ) -> Option<Lower<()>> {
        Some(match opcode {
            Opcode::LLVMAlloca => self.alloca(inst),
            Opcode::LLVMLoad => self.load(inst, rest),
            Opcode::LLVMStore => self.store_inst(inst),
            Opcode::LLVMAtomicRMW => self.rmw(inst),
            Opcode::LLVMAtomicCmpXchg => self.compare_exchange(inst),
            Opcode::LLVMFence => self.fence(inst),
            _ => return None,
        })
    }
}

/// The alignment of a field at an offset of something aligned.
fn align_at(align: u32, offset: u64) -> u32 {
    if offset == 0 {
        align
    } else {
        align.min(1 << offset.trailing_zeros().min(16))
    }
}

/// The destination of an instruction that assigns exactly one register.
fn single_dst(kind: &mut InstKind) -> Option<&mut Reg> {
    match kind {
        InstKind::Copy { dst, .. }
        | InstKind::Bin { dst, .. }
        | InstKind::Un { dst, .. }
        | InstKind::Cast { dst, .. }
        | InstKind::Cmp { dst, .. }
        | InstKind::FCmp { dst, .. }
        | InstKind::Select { dst, .. }
        | InstKind::Saturating { dst, .. }
        | InstKind::MinMax { dst, .. }
        | InstKind::Funnel { dst, .. }
        | InstKind::Fma { dst, .. }
        | InstKind::Gep { dst, .. }
        | InstKind::Load { dst, .. }
        | InstKind::Rmw { dst, .. } => Some(dst),
        InstKind::Call { results, .. } if results.len() == 1 => results.first_mut(),
        _ => None,
    }
}

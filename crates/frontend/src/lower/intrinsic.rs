//! LLVM's intrinsics: memory, control, variable arguments.

use super::function::{FnLower, Lower};
use crate::llvm::Value;
use selvedge_ir::{AtomicOrder, CastOp, InstKind, Operand, Terminator, Type};
use smallvec::smallvec;

/// The name of an intrinsic without `llvm.` and without the types it is for.
fn base_name(name: &str) -> &str {
    let mut base = name.strip_prefix("llvm.").unwrap_or(name);
    while let Some((head, last)) = base.rsplit_once('.') {
        let rest = last.trim_start_matches(|c: char| c.is_ascii_lowercase());
        let kind = &last[..last.len() - rest.len()];
        let number = rest.chars().next().is_some_and(|c| c.is_ascii_digit());
        if !(number && matches!(kind, "p" | "i" | "f" | "bf" | "v" | "nxv" | "a" | "s")) {
            break;
        }
        base = head;
    }
    base
}

impl<'m> FnLower<'_, 'm, '_> {
    pub(super) fn intrinsic(&mut self, inst: Value<'m>, name: &str) -> Lower<()> {
        match base_name(name) {
            "memcpy" | "memcpy.inline" | "memmove" => {
                let overlap = name.starts_with("llvm.memmove");
                let (dst, src) = (self.operand(inst, 0)?, self.operand(inst, 1)?);
                let len = self.length(inst, 2)?;
                self.emit(InstKind::MemCopy {
                    dst,
                    src,
                    len,
                    overlap,
                });
                Ok(())
            }
            "memset" | "memset.inline" => {
                let (dst, value) = (self.operand(inst, 0)?, self.operand(inst, 1)?);
                let len = self.length(inst, 2)?;
                self.emit(InstKind::MemSet { dst, value, len });
                Ok(())
            }
            "va_start" => {
                let list = self.operand(inst, 0)?;
                self.emit(InstKind::VaStart { list });
                Ok(())
            }
            "va_copy" => {
                let (dst, src) = (self.operand(inst, 0)?, self.operand(inst, 1)?);
                self.emit(InstKind::VaCopy { dst, src });
                Ok(())
            }
            // Nothing happens at these.
            "va_end"
            | "donothing"
            | "sideeffect"
            | "prefetch"
            | "var.annotation"
            | "codeview.annotation"
            | "experimental.noalias.scope.decl"
            | "invariant.end"
            | "dbg.declare"
            | "dbg.value"
            | "dbg.label"
            | "dbg.assign"
            | "fake.use"
            | "pseudoprobe" => Ok(()),
            "assume" => self.assumption(inst),
            // These are their first argument.
            "expect"
            | "expect.with.probability"
            | "launder.invariant.group"
            | "strip.invariant.group"
            | "threadlocal.address"
            | "ptr.annotation"
            | "annotation"
            | "ssa.copy"
            | "arithmetic.fence"
            | "preserve.array.access.index" => {
                let parts = self.operands(inst, 0)?;
                self.alias(inst, parts)
            }
            "invariant.start" => {
                let ty = Type::Ptr;
                self.alias(inst, smallvec![Operand::Undef(ty)])
            }
            "trap" | "debugtrap" | "ubsantrap" => {
                self.ended = Some(Terminator::Trap);
                Ok(())
            }
            "stacksave" => {
                for dst in self.results(inst)? {
                    self.emit(InstKind::StackSave { dst });
                }
                Ok(())
            }
            "stackrestore" => {
                let token = self.operand(inst, 0)?;
                self.emit(InstKind::StackRestore { token });
                Ok(())
            }
            "objectsize" => {
                // What the program must expect without optimisation: unknown, which is 0 or −1.
                let least = inst.operand(1).and_then(|m| m.int()) == Some(1);
                self.constant_result(inst, if least { 0 } else { u128::MAX })
            }
            "is.constant" => self.constant_result(inst, 0),
            "get.rounding" | "flt.rounds" => self.constant_result(inst, 1),
            "x86.rdtsc" | "readcyclecounter" => {
                let cycles = self.cycles()?;
                self.alias(inst, smallvec![cycles])
            }
            // And the number of the processor.
            "x86.rdtscp" => {
                let cycles = self.cycles()?;
                self.alias(inst, smallvec![cycles, Operand::Const(0, Type::I32)])
            }
            "eh.typeid.for" => self.type_id(inst),
            "thread.pointer" => {
                let pointer = self.thread_pointer()?;
                self.alias(inst, smallvec![pointer])
            }
            "x86.sse2.pause" => {
                self.emit(InstKind::Pause);
                Ok(())
            }
            "x86.sse2.mfence" => self.full_fence(AtomicOrder::SeqCst),
            "x86.sse2.lfence" => self.full_fence(AtomicOrder::Acquire),
            "x86.sse.sfence" => self.full_fence(AtomicOrder::Release),
            base => self.scalar_intrinsic(inst, name, base),
        }
    }

    fn full_fence(&mut self, order: AtomicOrder) -> Lower<()> {
        self.barrier(order, false);
        Ok(())
    }

    /// A length argument as 64 bits.
    fn length(&mut self, inst: Value<'m>, index: u32) -> Lower<Operand> {
        let len = self.operand(inst, index)?;
        if self.type_of(len) == Type::I64 {
            return Ok(len);
        }
        if let Operand::Const(n, _) = len {
            return Ok(Operand::Const(n, Type::I64));
        }
        Ok(self.cast(CastOp::ZExt, len, Type::I64))
    }

    /// Gives an intrinsic a constant result.
    pub(super) fn constant_result(&mut self, inst: Value<'m>, value: u128) -> Lower<()> {
        let flat = self.flat(inst.ty())?;
        let parts = flat
            .into_iter()
            .map(|(ty, _)| {
                let bits = ty.bits();
                Operand::Const(
                    if bits >= 128 {
                        value
                    } else {
                        value & ((1 << bits) - 1)
                    },
                    ty,
                )
            })
            .collect();
        self.alias(inst, parts)
    }
}

#[cfg(test)]
mod tests {
    use super::base_name;

    #[test]
    fn types_are_no_part_of_the_name() {
        assert_eq!(base_name("llvm.memcpy.p0.p0.i64"), "memcpy");
        assert_eq!(base_name("llvm.uadd.with.overflow.i32"), "uadd.with.overflow");
        assert_eq!(base_name("llvm.vector.reduce.add.v4i32"), "vector.reduce.add");
        assert_eq!(base_name("llvm.fptosi.sat.i32.f64"), "fptosi.sat");
        assert_eq!(base_name("llvm.x86.sse2.pause"), "x86.sse2.pause");
        assert_eq!(base_name("llvm.va_start.p0"), "va_start");
    }
}

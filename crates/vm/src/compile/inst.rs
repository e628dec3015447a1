//! Instructions: register code for each, or one complex operation for the interpreter.

use super::{Compiler, simple};
use crate::code::{CallSite, ComplexOperands, NONE, Op};
use crate::models;
use crate::value::Value;
use crate::visible;
use selvedge_analysis::Fate;
use selvedge_base::Id;
use selvedge_ir::{BinOp, CastOp, InstKind, IntPred, Operand, Reg, Type};
use selvedge_model::MemoryOrder;

impl Compiler<'_> {
    pub(super) fn inst(&mut self, kind: &InstKind) {
        match kind {
            InstKind::Copy { dst, value } => self.copy(*dst, *value),
            InstKind::Bin {
                op, dst, a, b, nsw, ..
            } => {
                let ty = self.function.regs[*dst].ty;
                let checked = self.program.options.check_overflow && *nsw;
                match bin_op(*op).filter(|_| simple(ty) && !checked) {
                    Some(code) => {
                        let (a, b) = (self.word(*a), self.word(*b));
                        let dst = self.slots.define(*dst);
                        self.emit(code, ty.bits() as u8, dst, a, b);
                    }
                    None => self.complex(kind),
                }
            }
            InstKind::Cmp { pred, dst, a, b, ty } if simple(*ty) => {
                let (a, b) = (self.word(*a), self.word(*b));
                let dst = self.slots.define(*dst);
                self.emit(cmp_op(*pred), ty.bits() as u8, dst, a, b);
            }
            InstKind::Cast { op, dst, a, from } => {
                let to = self.function.regs[*dst].ty;
                if !simple(to) || !simple(*from) {
                    return self.complex(kind);
                }
                match op {
                    CastOp::Trunc => {
                        let a = self.word(*a);
                        let dst = self.slots.define(*dst);
                        self.emit(Op::Trunc, to.bits() as u8, dst, a, 0);
                    }
                    CastOp::ZExt | CastOp::Bitcast => self.copy(*dst, *a),
                    CastOp::SExt => {
                        let a = self.word(*a);
                        let dst = self.slots.define(*dst);
                        self.emit(Op::SExt, from.bits() as u8, dst, a, to.bits() as u16);
                    }
                    _ => self.complex(kind),
                }
            }
            InstKind::Select { dst, cond, a, b } if simple(self.function.regs[*dst].ty) => {
                let (cond, a, b) = (self.word(*cond), self.word(*a), self.word(*b));
                let dst = self.slots.define(*dst);
                self.emit(Op::Select, 0, dst, cond, a);
                self.emit(Op::Data, 0, b, 0, 0);
            }
            InstKind::LocalAddr { dst, local } => {
                let slot = self.code.locals[local.index()].slot;
                let dst = self.slots.define(*dst);
                self.emit(Op::Mov, 64, dst, slot, 0);
            }
            InstKind::LifetimeStart { local } => {
                let slot = self.code.locals[local.index()].slot;
                self.emit(Op::Begin, 0, 0, slot, 0);
            }
            InstKind::LifetimeEnd { local } => {
                let slot = self.code.locals[local.index()].slot;
                self.emit(Op::Leave, 0, 0, slot, 0);
            }
            InstKind::Gep {
                dst,
                base,
                offset,
                terms,
                inbounds,
            } if terms.len() <= 1 => {
                let base = self.word(*base);
                let offset = self.constant(Value::new(*offset as u64));
                if let [term] = terms.as_slice() {
                    let index = self.word(term.index);
                    let stride = self.constant(Value::new(term.stride as u64));
                    let dst = self.slots.define(*dst);
                    self.emit(Op::Index, u8::from(*inbounds), dst, base, u16::from(term.bits));
                    self.emit(Op::Data, 0, index, stride, offset);
                } else {
                    let dst = self.slots.define(*dst);
                    self.emit(Op::Offset, u8::from(*inbounds), dst, base, offset);
                }
            }
            InstKind::Load {
                dst,
                ptr,
                ty,
                order: None,
                ..
            } if simple(*ty) => {
                let ptr = self.word(*ptr);
                let dst = self.slots.define(*dst);
                let op = if self.visible_memory() {
                    Op::VisibleLoad
                } else {
                    Op::Load
                };
                self.emit(op, ty.bytes() as u8, dst, ptr, ty.bits() as u16);
            }
            InstKind::Store {
                ptr,
                value,
                ty,
                order: None,
                ..
            } if simple(*ty) => {
                let keeps = u16::from(self.is_vtable(*value));
                let (ptr, value) = (self.word(*ptr), self.word(*value));
                let op = if self.visible_memory() {
                    Op::VisibleStore
                } else {
                    Op::Store
                };
                self.emit(op, ty.bytes() as u8, ptr, value, keeps);
            }
            InstKind::Call {
                results,
                callee,
                args,
                types,
            } => self.call(results, callee, (args, types)),
            InstKind::MemCopy {
                dst,
                src,
                len,
                overlap,
            } if self.visible_memory() => {
                let name = if *overlap { "memmove" } else { "memcpy" };
                self.model(
                    name,
                    &[(*dst, Type::Ptr), (*src, Type::Ptr), (*len, Type::I64)],
                    kind,
                );
            }
            InstKind::MemSet { dst, value, len } if self.visible_memory() => {
                self.model(
                    "memset",
                    &[(*dst, Type::Ptr), (*value, Type::I32), (*len, Type::I64)],
                    kind,
                );
            }
            _ => self.complex(kind),
        }
    }

    /// An instruction that a library model executes.
    fn model(&mut self, name: &str, args: &[(Operand, Type)], kind: &InstKind) {
        let Some(native) = models::find(name) else {
            return self.complex(kind);
        };
        let args_words: Vec<u16> = args.iter().map(|(a, _)| self.word(*a)).collect();
        let index = self.code.calls.len() as u32;
        self.code.calls.push(CallSite {
            callee: None,
            native: Some(native),
            address: NONE,
            args: args_words,
            types: args.iter().map(|(_, ty)| *ty).collect(),
            results: Vec::new(),
            result_types: Vec::new(),
            used: false,
            fate: Fate::Read,
            pad: 0,
            landing: NONE,
        });
        self.emit_long(Op::Call, 0, index);
    }

    pub(super) fn visible_memory(&self) -> bool {
        visible::includes(self.program, MemoryOrder::NotAtomic, self.stmt)
    }

    /// Whether an operand is an address within a table of virtual functions, as compilers name
    /// them: of a class, or of a base while a class is constructed.
    fn is_vtable(&self, operand: Operand) -> bool {
        let Operand::Global(id, _) = operand else {
            return false;
        };
        let name = &self.program.module.globals[id].name;
        name.starts_with("_ZTV") || name.starts_with("_ZTC")
    }

    fn copy(&mut self, dst: Reg, value: Operand) {
        let (low, high) = self.words(value);
        let slot = self.slots.define(dst);
        self.emit(Op::Mov, 64, slot, low, 0);
        if high != NONE {
            self.emit(Op::Mov, 64, slot + 1, high, 0);
        }
    }

    fn complex(&mut self, kind: &InstKind) {
        let mut resolved = ComplexOperands::default();
        let mut operands: smallvec::SmallVec<[Operand; 4]> = smallvec::SmallVec::new();
        kind.for_each_operand(|o| operands.push(o));
        for o in operands {
            let words = self.words(o);
            resolved.operands.push(words);
            resolved.types.push(self.type_of(o));
        }
        let mut results: smallvec::SmallVec<[Reg; 2]> = smallvec::SmallVec::new();
        kind.for_each_result(|r| results.push(r));
        for &r in &results {
            resolved
                .results
                .push((self.slots.define(r), self.function.regs[r].ty));
        }
        resolved.fate = self.fate(&results);
        let index = self.code.complex.len() as u32;
        self.code.complex.push(kind.clone());
        self.code.operands.push(resolved);
        self.emit_long(Op::Complex, 0, index);
    }
}

fn bin_op(op: BinOp) -> Option<Op> {
    Some(match op {
        BinOp::Add => Op::Add,
        BinOp::Sub => Op::Sub,
        BinOp::Mul => Op::Mul,
        BinOp::UDiv => Op::UDiv,
        BinOp::SDiv => Op::SDiv,
        BinOp::URem => Op::URem,
        BinOp::SRem => Op::SRem,
        BinOp::Shl => Op::Shl,
        BinOp::LShr => Op::LShr,
        BinOp::AShr => Op::AShr,
        BinOp::And => Op::And,
        BinOp::Or => Op::Or,
        BinOp::Xor => Op::Xor,
        BinOp::FAdd => Op::FAdd,
        BinOp::FSub => Op::FSub,
        BinOp::FMul => Op::FMul,
        BinOp::FDiv => Op::FDiv,
        BinOp::FRem | BinOp::FMin | BinOp::FMax | BinOp::FCopySign => return None,
    })
}

fn cmp_op(pred: IntPred) -> Op {
    match pred {
        IntPred::Eq => Op::Eq,
        IntPred::Ne => Op::Ne,
        IntPred::Ult => Op::Ult,
        IntPred::Ule => Op::Ule,
        IntPred::Ugt => Op::Ugt,
        IntPred::Uge => Op::Uge,
        IntPred::Slt => Op::Slt,
        IntPred::Sle => Op::Sle,
        IntPred::Sgt => Op::Sgt,
        IntPred::Sge => Op::Sge,
    }
}

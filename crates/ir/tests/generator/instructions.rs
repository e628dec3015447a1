//! Instructions and terminators, with their operands.

use super::source::Source;
use super::{FLOATS, INTS, TYPES, WORDS};
use selvedge_ir::{
    AtomicOrder, BinOp, BlockId, Callee, CastOp, Clause, FloatPred, FuncId, GepTerm, GlobalId, InstKind,
    IntPred, LocalId, MinMax, Module, Operand, OverflowOp, Pad, Reg, RmwOp, SatOp, Terminator, Type, UnOp,
};
use smallvec::SmallVec;

impl Source<'_> {
    pub(super) fn reg(&mut self, ty: Type) -> Reg {
        let index = TYPES
            .iter()
            .position(|&other| other == ty)
            .expect("one of the types");
        Reg(index as u32 + if self.flag() { TYPES.len() as u32 } else { 0 })
    }

    pub(super) fn other_reg(&mut self, ty: Type, not: Reg) -> Reg {
        let reg = self.reg(ty);
        match reg == not {
            true => Reg((reg.0 + TYPES.len() as u32) % (2 * TYPES.len() as u32)),
            false => reg,
        }
    }

    pub(super) fn constant(&mut self, ty: Type) -> u128 {
        let value = u128::from(self.word()) << 64 | u128::from(self.word());
        value >> (128 - ty.bits())
    }

    pub(super) fn operand(&mut self, module: &Module, ty: Type) -> Operand {
        match self.below(8) {
            0..=2 => Operand::Reg(self.reg(ty)),
            3 => Operand::Undef(ty),
            4 => Operand::Poison(ty),
            5 if ty == Type::Ptr => self.address(module),
            _ => Operand::Const(self.constant(ty), ty),
        }
    }

    pub(super) fn address(&mut self, module: &Module) -> Operand {
        let func = FuncId(self.below(module.functions.len() as u32));
        let blocks = module.functions[func].blocks.len() as u32;
        match self.below(3) {
            0 if !module.globals.is_empty() => {
                let global = GlobalId(self.below(module.globals.len() as u32));
                Operand::Global(global, self.word() as i64)
            }
            1 if blocks > 0 => Operand::Block(func, BlockId(self.below(blocks))),
            _ => Operand::Func(func),
        }
    }

    pub(super) fn inst(&mut self, module: &Module, id: FuncId) -> InstKind {
        let function = &module.functions[id];
        let ty = self.pick(&TYPES);
        let int = self.pick(INTS);
        let float = self.pick(&FLOATS);
        let word = self.pick(WORDS);
        let local = LocalId(self.below(function.locals.len() as u32));
        macro_rules! read {
            ($ty:expr) => {
                self.operand(module, $ty)
            };
        }
        match self.below(33) {
            0 => InstKind::Copy {
                dst: self.reg(ty),
                value: read!(ty),
            },
            1 => {
                let op = self.pick(BinOp::ALL);
                let ty = if op.name().starts_with('f') { float } else { int };
                let (nsw, nuw) = (self.flag(), self.flag());
                InstKind::Bin {
                    op,
                    dst: self.reg(ty),
                    a: read!(ty),
                    b: read!(ty),
                    nsw,
                    nuw,
                }
            }
            2 => {
                let op = self.pick(UnOp::ALL);
                let float_op = op.name().starts_with('f') && op != UnOp::Freeze;
                let ty = if float_op { float } else { int };
                InstKind::Un {
                    op,
                    dst: self.reg(ty),
                    a: read!(ty),
                }
            }
            3 => {
                let (op, from, to) = self.conversion();
                InstKind::Cast {
                    op,
                    dst: self.reg(to),
                    a: read!(from),
                    from,
                }
            }
            4 => {
                let pred = self.pick(IntPred::ALL);
                InstKind::Cmp {
                    pred,
                    dst: self.reg(Type::I1),
                    a: read!(int),
                    b: read!(int),
                    ty: int,
                }
            }
            5 => {
                let pred = self.pick(FloatPred::ALL);
                InstKind::FCmp {
                    pred,
                    dst: self.reg(Type::I1),
                    a: read!(float),
                    b: read!(float),
                    ty: float,
                }
            }
            6 => InstKind::Select {
                dst: self.reg(ty),
                cond: read!(Type::I1),
                a: read!(ty),
                b: read!(ty),
            },
            7 => {
                let op = self.pick(OverflowOp::ALL);
                let dst = self.reg(int);
                let overflow = self.other_reg(Type::I1, dst);
                InstKind::Overflow {
                    op,
                    dst,
                    overflow,
                    a: read!(int),
                    b: read!(int),
                }
            }
            8 => {
                let op = self.pick(SatOp::ALL);
                InstKind::Saturating {
                    op,
                    dst: self.reg(int),
                    a: read!(int),
                    b: read!(int),
                }
            }
            9 => {
                let op = self.pick(MinMax::ALL);
                InstKind::MinMax {
                    op,
                    dst: self.reg(int),
                    a: read!(int),
                    b: read!(int),
                }
            }
            10 => {
                let left = self.flag();
                InstKind::Funnel {
                    left,
                    dst: self.reg(int),
                    a: read!(int),
                    b: read!(int),
                    amount: read!(int),
                }
            }
            11 => InstKind::Fma {
                dst: self.reg(float),
                a: read!(float),
                b: read!(float),
                c: read!(float),
            },
            12 => InstKind::LocalAddr {
                dst: self.reg(Type::Ptr),
                local,
            },
            13 => InstKind::LifetimeStart { local },
            14 => InstKind::LifetimeEnd { local },
            15 => InstKind::Alloca {
                dst: self.reg(Type::Ptr),
                size: read!(word),
                align: self.align(),
            },
            16 => InstKind::StackSave {
                dst: self.reg(Type::Ptr),
            },
            17 => InstKind::StackRestore {
                token: read!(Type::Ptr),
            },
            18 => {
                let mut terms = SmallVec::new();
                for _ in 0..self.below(3) {
                    let ty = self.pick(WORDS);
                    let (index, bits) = (read!(ty), ty.bits() as u8);
                    terms.push(GepTerm {
                        index,
                        bits,
                        stride: self.word() as i64,
                    });
                }
                let (offset, inbounds) = (self.word() as i64, self.flag());
                InstKind::Gep {
                    dst: self.reg(Type::Ptr),
                    base: read!(Type::Ptr),
                    offset,
                    terms,
                    inbounds,
                }
            }
            19 => {
                use AtomicOrder::{Acquire, Relaxed, SeqCst};
                let order = self.pick(&[None, Some(Relaxed), Some(Acquire), Some(SeqCst)]);
                let (align, volatile) = (self.align(), self.flag());
                InstKind::Load {
                    dst: self.reg(ty),
                    ptr: read!(Type::Ptr),
                    ty,
                    align,
                    volatile,
                    order,
                }
            }
            20 => {
                use AtomicOrder::{Relaxed, Release, SeqCst};
                let order = self.pick(&[None, Some(Relaxed), Some(Release), Some(SeqCst)]);
                let (align, volatile) = (self.align(), self.flag());
                InstKind::Store {
                    ptr: read!(Type::Ptr),
                    value: read!(ty),
                    ty,
                    align,
                    volatile,
                    order,
                }
            }
            21 => {
                let (op, order) = (self.pick(RmwOp::ALL), self.pick(AtomicOrder::ALL));
                let ty = if op.name().starts_with('f') { float } else { int };
                InstKind::Rmw {
                    op,
                    dst: self.reg(ty),
                    ptr: read!(Type::Ptr),
                    value: read!(ty),
                    ty,
                    order,
                }
            }
            22 => {
                let old = self.reg(int);
                InstKind::CompareExchange {
                    old,
                    success: self.other_reg(Type::I1, old),
                    ptr: read!(Type::Ptr),
                    expected: read!(int),
                    new: read!(int),
                    ty: int,
                    order: self.pick(AtomicOrder::ALL),
                    failure: self.pick(&[AtomicOrder::Relaxed, AtomicOrder::Acquire, AtomicOrder::SeqCst]),
                    weak: self.flag(),
                }
            }
            23 => InstKind::Fence {
                order: self.pick(&AtomicOrder::ALL[1..]),
                single_thread: self.flag(),
            },
            24 => {
                let overlap = self.flag();
                InstKind::MemCopy {
                    dst: read!(Type::Ptr),
                    src: read!(Type::Ptr),
                    len: read!(Type::I64),
                    overlap,
                }
            }
            25 => InstKind::MemSet {
                dst: read!(Type::Ptr),
                value: read!(Type::I8),
                len: read!(word),
            },
            26 | 27 => self.call(module),
            28 if function.varargs => InstKind::VaStart {
                list: read!(Type::Ptr),
            },
            29 => InstKind::VaCopy {
                dst: read!(Type::Ptr),
                src: read!(Type::Ptr),
            },
            30 => InstKind::Unsupported { what: self.text() },
            31 => InstKind::LandingPad {
                exception: self.reg(Type::Ptr),
                selector: self.reg(Type::I32),
            },
            _ => InstKind::Pause,
        }
    }

    pub(super) fn conversion(&mut self) -> (CastOp, Type, Type) {
        let op = self.pick(CastOp::ALL);
        let (narrow, wide) = self.pick(&[
            (Type::I1, Type::I8),
            (Type::I8, Type::I64),
            (Type::Int(7), Type::Int(128)),
            (Type::I64, Type::Int(65)),
        ]);
        let (int, float) = (self.pick(INTS), self.pick(&FLOATS));
        match op {
            CastOp::Trunc => (op, wide, narrow),
            CastOp::ZExt | CastOp::SExt => (op, narrow, wide),
            CastOp::FToU | CastOp::FToS | CastOp::FToUSat | CastOp::FToSSat => (op, float, int),
            CastOp::UToF | CastOp::SToF => (op, int, float),
            CastOp::FTrunc => (op, Type::F64, Type::F32),
            CastOp::FExt => (op, Type::F32, Type::F64),
            CastOp::Bitcast => {
                let equal = [Type::F64, Type::I64, Type::Ptr];
                (op, self.pick(&equal), self.pick(&equal))
            }
        }
    }

    pub(super) fn call(&mut self, module: &Module) -> InstKind {
        let id = FuncId(self.below(module.functions.len() as u32));
        let callee = &module.functions[id];
        let mut types: SmallVec<[Type; 4]> =
            callee.params.iter().map(|&param| callee.regs[param].ty).collect();
        let direct = self.flag();
        if callee.varargs || !direct {
            types.extend((0..self.below(3)).map(|_| self.pick(&TYPES)));
        }
        let mut results: SmallVec<[Reg; 1]> = SmallVec::new();
        for &ty in &callee.returns {
            results.push(self.reg(ty));
        }
        // At most two results. If both have the same type, they must be the two registers of that
        // type.
        if let [first, second] = results[..] {
            let count = TYPES.len() as u32;
            if first == second {
                results[1] = Reg((second.0 + count) % (2 * count));
            }
        }
        let args = types.iter().map(|&ty| self.operand(module, ty)).collect();
        let callee = match direct {
            true => Callee::Direct(id),
            false => Callee::Indirect(self.operand(module, Type::Ptr)),
        };
        InstKind::Call {
            results,
            callee,
            args,
            types,
        }
    }

    pub(super) fn invoke(&mut self, module: &Module, id: FuncId) -> Terminator {
        let blocks = module.functions[id].blocks.len() as u32;
        let clauses = (0..self.below(4)).map(|_| self.clause(module)).collect();
        Terminator::Invoke {
            normal: BlockId(self.below(blocks)),
            unwind: BlockId(self.below(blocks)),
            pad: Pad {
                clauses,
                cleanup: self.flag(),
            },
        }
    }

    pub(super) fn clause(&mut self, module: &Module) -> Clause {
        let selector = 1 + self.below(200) as i32;
        if self.flag() {
            return Clause::Catch {
                ty: self.operand(module, Type::Ptr),
                selector,
            };
        }
        let types = (0..self.below(3)).map(|_| self.operand(module, Type::Ptr));
        Clause::Filter {
            types: types.collect(),
            selector: -selector,
        }
    }

    pub(super) fn terminator(&mut self, module: &Module, id: FuncId) -> Terminator {
        let function = &module.functions[id];
        let blocks = function.blocks.len() as u32;
        match self.below(7) {
            0 => Terminator::Jump(BlockId(self.below(blocks))),
            1 => Terminator::Branch {
                cond: self.operand(module, Type::I1),
                then: BlockId(self.below(blocks)),
                otherwise: BlockId(self.below(blocks)),
            },
            2 => {
                let ty = self.pick(INTS);
                let mut cases: Vec<(u128, BlockId)> = Vec::new();
                for _ in 0..self.below(4) {
                    let case = self.constant(ty);
                    if cases.iter().all(|&(other, _)| other != case) {
                        cases.push((case, BlockId(self.below(blocks))));
                    }
                }
                Terminator::Switch {
                    value: self.operand(module, ty),
                    ty,
                    cases,
                    default: BlockId(self.below(blocks)),
                }
            }
            3 => Terminator::Indirect {
                address: self.operand(module, Type::Ptr),
                targets: (0..self.below(4)).map(|_| BlockId(self.below(blocks))).collect(),
            },
            4 => Terminator::Unreachable,
            5 => Terminator::Trap,
            _ => Terminator::Return(
                function
                    .returns
                    .iter()
                    .map(|&ty| self.operand(module, ty))
                    .collect(),
            ),
        }
    }
}

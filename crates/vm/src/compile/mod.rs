//! From the IR to compact register code, one function at a time.

mod cover;
mod escape;
pub(crate) mod liveness;
mod slots;

use crate::code::{CONST, CallSite, Code, ComplexOperands, Inst, LocalObject, NONE, Op, SwitchTable};
use crate::coverage::Point;
use crate::native;
use crate::program::{Binding, Program};
use crate::value::{Poison, Value};
use cover::Cover;
use rustc_hash::{FxHashMap, FxHashSet};
use selvedge_base::{Id, StmtId};
use selvedge_ir::{
    BinOp, BlockId, Callee, CastOp, FuncId, Function, Handler, InstKind, IntPred, LocalId, Operand, Reg,
    Terminator, Type,
};
use slots::Slots;

/// Compiles a function; a declaration gives empty code. Names of stack objects are added to
/// `names`, places whose reaching is noted to `points`.
pub(crate) fn function(
    program: &Program,
    func: FuncId,
    names: &mut Vec<String>,
    points: &mut Vec<Point>,
) -> Code {
    let function = &program.module.functions[func];
    if !function.is_defined() {
        return Code::default();
    }
    let jumps = returns_twice(program, function);
    let mut compiler = Compiler {
        program,
        function,
        slots: Slots::new(function, |reg| {
            jumps || program.options.leaks && is_variable(function, reg)
        }),
        code: Code {
            varargs: function.varargs,
            ..Code::default()
        },
        consts: FxHashMap::default(),
        patches: Vec::new(),
        stmt: StmtId(0),
        cover: Cover::new(program, func, points),
    };
    compiler.locals(names);
    compiler.params();
    for block in function.blocks.ids() {
        compiler.block(block);
    }
    compiler.ways();
    compiler.patch();
    compiler.variables();
    let slots = compiler.slots.count();
    if slots >= u32::from(NONE) || compiler.code.consts.len() >= usize::from(CONST) - 1 {
        return too_large(function);
    }
    compiler.code.slots = slots;
    compiler.code
}

/// Whether a function calls something that may return a second time.
fn returns_twice(program: &Program, function: &Function) -> bool {
    let insts = function.blocks.iter().flat_map(|block| &block.insts);
    insts.into_iter().any(|inst| match &inst.kind {
        InstKind::Call {
            callee: Callee::Direct(func),
            ..
        } => is_landing(program, *func),
        _ => false,
    })
}

/// Whether calls of a function may return a second time.
fn is_landing(program: &Program, func: FuncId) -> bool {
    matches!(program.bindings[func.index()], Binding::Native(_))
        && selvedge_ir::returns_twice(&program.module.functions[func].name)
}

/// Whether a register holds a variable of the program that may be a pointer.
fn is_variable(function: &Function, reg: Reg) -> bool {
    let info = &function.regs[reg];
    info.name.is_some() && matches!(info.ty, Type::Ptr | Type::I64)
}

/// The code of a function with more registers or constants than operands can name: reaching it is
/// unsupported.
fn too_large(function: &Function) -> Code {
    let what = format!("function {} with more than 32,000 live values", function.display);
    Code {
        insts: vec![Inst {
            op: Op::Complex,
            w: 0,
            a: 0,
            b: 0,
            c: 0,
        }],
        stmts: vec![
            function.blocks[BlockId(0)]
                .insts
                .first()
                .map_or(StmtId(0), |i| i.stmt),
        ],
        complex: vec![InstKind::Unsupported { what }],
        operands: vec![ComplexOperands::default()],
        ..Code::default()
    }
}

struct Compiler<'a> {
    program: &'a Program,
    function: &'a Function,
    slots: Slots,
    code: Code,
    consts: FxHashMap<(u64, u32), u16>,
    /// Jumps whose target is a block: instruction, block.
    patches: Vec<(usize, BlockId)>,
    stmt: StmtId,
    /// Only with coverage.
    cover: Option<Cover<'a>>,
}

/// What plain integer code can do directly.
fn simple(ty: Type) -> bool {
    !ty.is_wide()
}

impl Compiler<'_> {
    fn emit(&mut self, op: Op, w: u8, a: u16, b: u16, c: u16) -> usize {
        self.code.insts.push(Inst { op, w, a, b, c });
        self.code.stmts.push(self.stmt);
        self.code.insts.len() - 1
    }

    fn emit_long(&mut self, op: Op, a: u16, long: u32) -> usize {
        self.emit(op, 0, a, long as u16, (long >> 16) as u16)
    }

    fn constant(&mut self, value: Value) -> u16 {
        let consts = &mut self.code.consts;
        *self.consts.entry((value.bits, value.tag.0)).or_insert_with(|| {
            consts.push(value);
            CONST | (consts.len() - 1).min(usize::from(CONST) - 1) as u16
        })
    }

    fn type_of(&self, operand: Operand) -> Type {
        match operand {
            Operand::Reg(r) => self.function.regs[r].ty,
            Operand::Const(_, ty) | Operand::Undef(ty) | Operand::Poison(ty) => ty,
            Operand::Global(..) | Operand::Func(_) | Operand::Block(..) => Type::Ptr,
        }
    }

    /// The two words of an operand; the high one is `NONE` unless it is wide.
    fn words(&mut self, operand: Operand) -> (u16, u16) {
        let wide = self.type_of(operand).is_wide();
        let low = match operand {
            Operand::Reg(r) => {
                let mut slot = self.slots.get(r);
                if slot == NONE {
                    // Read but never assigned on any path: undefined.
                    slot = self.constant(Value::UNDEF);
                    return (slot, if wide { slot } else { NONE });
                }
                return (slot, if wide { slot + 1 } else { NONE });
            }
            Operand::Const(bits, ty) => {
                let mask = if ty.bits() >= 64 {
                    u64::MAX
                } else {
                    (1 << ty.bits()) - 1
                };
                let low = self.constant(Value::new(bits as u64 & mask));
                let high = if wide {
                    self.constant(Value::new((bits >> 64) as u64))
                } else {
                    NONE
                };
                return (low, high);
            }
            Operand::Global(g, offset) => {
                if self.program.module.globals[g].thread_local {
                    let number = self.program.globals[g.index()] as u16;
                    let slot = self.slots.fresh(1);
                    let offset = self.constant(Value::new(offset as u64));
                    self.emit(Op::ThreadLocal, 0, slot, number, offset);
                    return (slot, NONE);
                }
                self.constant(Value::new(
                    self.program.globals[g.index()].wrapping_add_signed(offset),
                ))
            }
            Operand::Func(f) => self.constant(Value::new(self.program.function_address(f))),
            Operand::Block(f, b) => self.constant(Value::new(self.program.block_address(f, b.index()))),
            Operand::Undef(_) => self.constant(Value::UNDEF),
            Operand::Poison(_) => self.constant(Value::poison(0, Poison::Constant)),
        };
        (low, if wide { low } else { NONE })
    }

    fn word(&mut self, operand: Operand) -> u16 {
        self.words(operand).0
    }

    /// Notes which slots keep variables, for a program whose lost memory is asked for. Without
    /// debug information any may.
    fn variables(&mut self) {
        if !self.program.options.leaks {
            return;
        }
        let (function, slots) = (self.function, &self.slots);
        self.code.variables = if function.span.line == 0 {
            (0..slots.count() as u16).collect()
        } else {
            let variables = function.regs.ids().filter(|&reg| is_variable(function, reg));
            variables
                .map(|reg| slots.get(reg))
                .filter(|&slot| slot != NONE)
                .collect()
        };
    }

    fn locals(&mut self, names: &mut Vec<String>) {
        let private = escape::private_locals(&self.program.module, self.function);
        let insts = || self.function.blocks.iter().flat_map(|block| &block.insts);
        let begins: FxHashSet<LocalId> = insts()
            .filter_map(|inst| match inst.kind {
                InstKind::LifetimeStart { local } => Some(local),
                _ => None,
            })
            .collect();
        for (id, local) in self.function.locals.iter_ids() {
            let slot = self.slots.fresh(1);
            let name = if local.name.is_empty() {
                0
            } else {
                names.push(local.name.clone());
                (names.len() - 1) as u32
            };
            self.code.locals.push(LocalObject {
                size: local.size,
                align: local.align,
                slot,
                begins: begins.contains(&id),
                private: private[id],
                name,
            });
        }
    }

    fn params(&mut self) {
        for &p in &self.function.params {
            let slot = self.slots.get(p);
            self.code.params.push(slot);
            if self.function.regs[p].ty.is_wide() {
                self.code.params.push(slot + 1);
            }
        }
    }

    fn block(&mut self, id: BlockId) {
        let block = &self.function.blocks[id];
        self.code.blocks.push(self.code.insts.len() as u32);
        if id.index() == 0 {
            self.stmt = block.insts.first().map_or(block.term_stmt, |i| i.stmt);
            for local in 0..self.code.locals.len() {
                self.emit(Op::Enter, 0, 0, local as u16, 0);
            }
        }
        self.begin_block();
        for (at, inst) in block.insts.iter().enumerate() {
            self.stmt = inst.stmt;
            self.line();
            self.inst(&inst.kind);
            let at = at as u32;
            let mut touched: smallvec::SmallVec<[Reg; 8]> = smallvec::SmallVec::new();
            inst.kind.for_each_operand(|o| {
                if let Operand::Reg(r) = o {
                    touched.push(r);
                }
            });
            inst.kind.for_each_result(|r| touched.push(r));
            for r in touched {
                self.slots.release(r, at);
            }
        }
        self.stmt = block.term_stmt;
        self.line();
        self.terminator(id, &block.term);
        let at = block.insts.len() as u32;
        block.term.for_each_operand(|o| {
            if let Operand::Reg(r) = o {
                self.slots.release(r, at);
            }
        });
    }

    fn inst(&mut self, kind: &InstKind) {
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
                let (ptr, value) = (self.word(*ptr), self.word(*value));
                let op = if self.visible_memory() {
                    Op::VisibleStore
                } else {
                    Op::Store
                };
                self.emit(op, ty.bytes() as u8, ptr, value, 0);
            }
            InstKind::Call {
                results,
                callee,
                args,
                types,
                handler,
            } => self.call(results, callee, (args, types), *handler),
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

    /// An instruction that is executed by a library model.
    fn model(&mut self, name: &str, args: &[(Operand, Type)], kind: &InstKind) {
        let Some(native) = native::find(name) else {
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
            used: false,
            handler: Handler::None,
            landing: NONE,
        });
        self.emit_long(Op::Call, 0, index);
    }

    fn visible_memory(&self) -> bool {
        self.program.options.visibility.includes_plain()
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
        for r in results {
            resolved
                .results
                .push((self.slots.define(r), self.function.regs[r].ty));
        }
        let index = self.code.complex.len() as u32;
        self.code.complex.push(kind.clone());
        self.code.operands.push(resolved);
        self.emit_long(Op::Complex, 0, index);
    }

    fn call(
        &mut self,
        results: &[Reg],
        callee: &Callee,
        (args, types): (&[Operand], &[Type]),
        handler: Handler,
    ) {
        let address = match callee {
            Callee::Indirect(address) => self.word(*address),
            Callee::Direct(_) => NONE,
        };
        let mut site = CallSite {
            callee: Some(*callee),
            native: None,
            address,
            args: Vec::new(),
            types: Vec::new(),
            results: Vec::new(),
            used: results.iter().any(|&r| self.slots.is_read(r)),
            handler,
            landing: NONE,
        };
        for (arg, ty) in args.iter().zip(types) {
            let (low, high) = self.words(*arg);
            site.args.push(low);
            site.types.push(*ty);
            if high != NONE {
                site.args.push(high);
                site.types.push(*ty);
            }
        }
        for &r in results {
            let slot = self.slots.define(r);
            let bits = self.function.regs[r].ty.bits();
            site.results.push((slot, bits.min(64) as u8));
            if bits > 64 {
                site.results.push((slot + 1, (bits - 64) as u8));
            }
        }
        if let Callee::Direct(func) = *callee
            && let Binding::Native(native) = self.program.bindings[func.index()]
            && !self.program.atomic[func.index()]
        {
            site.native = Some(native);
        }
        let landing = match *callee {
            Callee::Direct(func) => is_landing(self.program, func),
            Callee::Indirect(_) => false,
        };
        if landing {
            site.landing = self.slots.fresh(1);
            self.code.landings.push(self.code.insts.len() as u32);
        }
        let index = self.code.calls.len() as u32;
        self.code.calls.push(site);
        self.emit_long(Op::Call, 0, index);
    }

    fn jump(&mut self, op: Op, a: u16, target: BlockId) {
        let at = self.emit_long(op, a, 0);
        self.patches.push((at, target));
    }

    fn terminator(&mut self, block: BlockId, term: &Terminator) {
        match term {
            Terminator::Jump(target) => {
                if target.index() != block.index() + 1 {
                    self.jump(Op::Jump, 0, *target);
                }
            }
            Terminator::Branch {
                cond,
                then,
                otherwise,
            } => {
                let cond = self.word(*cond);
                let (then, otherwise) = (self.way(*then, 0), self.way(*otherwise, 1));
                self.jump(Op::Branch, cond, then);
                if otherwise.index() != block.index() + 1 {
                    self.jump(Op::Jump, 0, otherwise);
                }
            }
            Terminator::Switch {
                value,
                cases,
                default,
                ty,
            } => {
                if ty.is_wide() {
                    return self.unsupported("switch on a value of more than 64 bits");
                }
                let value = self.word(*value);
                let default = self.way(*default, 0).0;
                let ways = cases.iter().zip(1..);
                let mut table: Vec<(u64, u32)> = ways
                    .map(|((v, b), way)| (*v as u64, self.way(*b, way).0))
                    .collect();
                table.sort_unstable();
                let index = self.code.switches.len();
                self.code.switches.push(SwitchTable {
                    cases: table,
                    default,
                });
                self.emit(Op::Switch, 0, value, index as u16, 0);
            }
            Terminator::Indirect { address, .. } => {
                let address = self.word(*address);
                self.emit(Op::Switch, 1, address, 0, 0);
            }
            Terminator::Return(values) => {
                let mut words = Vec::new();
                for v in values {
                    let (low, high) = self.words(*v);
                    words.push(low);
                    if high != NONE {
                        words.push(high);
                    }
                }
                let index = self.code.returns.len();
                self.code.returns.push(words);
                self.emit(Op::Return, 0, 0, index as u16, 0);
            }
            Terminator::Unreachable => {
                self.emit(Op::Unreachable, 0, 0, 0, 0);
            }
            Terminator::Trap => {
                self.emit(Op::Trap, 0, 0, 0, 0);
            }
        }
    }

    fn unsupported(&mut self, what: &str) {
        let index = self.code.complex.len() as u32;
        self.code.complex.push(InstKind::Unsupported {
            what: what.to_owned(),
        });
        self.code.operands.push(ComplexOperands::default());
        self.emit_long(Op::Complex, 0, index);
    }

    fn patch(&mut self) {
        for &(at, block) in &self.patches {
            let target = self.code.blocks[block.index()];
            let inst = &mut self.code.insts[at];
            (inst.b, inst.c) = (target as u16, (target >> 16) as u16);
        }
        for table in &mut self.code.switches {
            table.default = self.code.blocks[table.default as usize];
            for case in &mut table.cases {
                case.1 = self.code.blocks[case.1 as usize];
            }
        }
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

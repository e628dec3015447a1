//! Functions: parameters, locals, statements, blocks.

mod edges;
mod named;
mod sink;

use super::phi::Phis;
use super::promote::{lifetime, promotable, returns_twice};
use super::signed_shift::ShiftChecks;
use super::{Unit, flatten};
use crate::llvm::{self, Opcode, Ty, Value, ValueKind};
use named::Variable;
use rustc_hash::{FxHashMap, FxHashSet};
use selvedge_base::{Id, Span, StmtId};
use selvedge_ir::{
    Block, BlockId, CastOp, FuncId, Function, GlobalId, Inst, InstKind, Local, LocalId, Operand, Reg,
    RegInfo, Stmt, Symbol, Terminator, Type,
};
use sink::Sunk;
use smallvec::SmallVec;
use std::rc::Rc;

/// The operands that a value flattens to.
pub(super) type Parts = SmallVec<[Operand; 2]>;
/// The registers that a value flattens to.
pub(super) type Regs = SmallVec<[Reg; 2]>;
/// A result, or a description of what cannot be expressed.
pub(super) type Lower<T> = Result<T, String>;

/// The lowering of one function.
pub(super) struct FnLower<'u, 'm, 'p> {
    pub(super) unit: &'u mut Unit<'m, 'p>,
    pub(super) id: FuncId,
    pub(super) function: Function,
    /// Registers and aliases of instructions and parameters.
    values: FxHashMap<Value<'m>, Parts>,
    /// Those of integers of 256 bits: the low bits first.
    pub(super) doubles: FxHashMap<Value<'m>, [Reg; 2]>,
    blocks: FxHashMap<llvm::Block<'m>, BlockId>,
    /// Locals that are registers.
    pub(super) promoted: FxHashMap<Value<'m>, Reg>,
    /// Locals that are stack objects.
    pub(super) locals: FxHashMap<Value<'m>, LocalId>,
    /// The registers of promoted locals: unlike others they are assigned at several places.
    mutable: FxHashSet<Reg>,
    /// Values whose operands belong to other values.
    pub(super) aliases: FxHashSet<Value<'m>>,
    pub(super) variables: FxHashMap<Value<'m>, Variable<'m>>,
    phis: FxHashMap<llvm::Block<'m>, Rc<Phis<'m>>>,
    /// The symbols to which this function refers, for `Program::refs`.
    referred: FxHashSet<Symbol>,
    /// The instructions of the current block so far.
    pub(super) insts: Vec<Inst>,
    pub(super) stmt: StmtId,
    /// Set when the block ends before its terminator.
    pub(super) ended: Option<Terminator>,
    pub(super) in_entry: bool,
    /// True if an optimiser may have moved the code.
    pub(super) speculated: bool,
    pub(super) shift_checks: ShiftChecks<'m>,
}

impl<'u, 'm, 'p> FnLower<'u, 'm, 'p> {
    pub(super) fn new(unit: &'u mut Unit<'m, 'p>, id: FuncId) -> Self {
        let declared = &unit.program.module.functions[id];
        let function = Function {
            name: declared.name.clone(),
            display: declared.display.clone(),
            library: declared.library,
            ..Function::default()
        };
        FnLower {
            unit,
            id,
            function,
            values: FxHashMap::default(),
            doubles: FxHashMap::default(),
            blocks: FxHashMap::default(),
            promoted: FxHashMap::default(),
            locals: FxHashMap::default(),
            mutable: FxHashSet::default(),
            aliases: FxHashSet::default(),
            variables: FxHashMap::default(),
            phis: FxHashMap::default(),
            referred: FxHashSet::default(),
            insts: Vec::new(),
            stmt: StmtId::default(),
            ended: None,
            in_entry: true,
            speculated: true,
            shift_checks: ShiftChecks::default(),
        }
    }

    // ---- helpers of all that lower instructions

    pub(super) fn flat(&self, ty: Ty<'m>) -> Lower<flatten::Flat> {
        flatten::flatten(self.unit.layout, ty)
    }

    pub(super) fn reg(&mut self, ty: Type) -> Reg {
        self.function.regs.push(RegInfo::unnamed(ty))
    }

    pub(super) fn new_regs(&mut self, ty: Ty<'m>) -> Lower<Regs> {
        Ok(self.flat(ty)?.into_iter().map(|(t, _)| self.reg(t)).collect())
    }

    pub(super) fn reg_type(&self, reg: Reg) -> Type {
        self.function.regs[reg].ty
    }

    pub(super) fn type_of(&self, operand: Operand) -> Type {
        match operand {
            Operand::Reg(reg) => self.reg_type(reg),
            Operand::Const(_, ty) | Operand::Undef(ty) | Operand::Poison(ty) => ty,
            Operand::Global(..) | Operand::Func(_) | Operand::Block(..) => Type::Ptr,
        }
    }

    pub(super) fn emit(&mut self, kind: InstKind) {
        self.insts.push(Inst {
            stmt: self.stmt,
            kind,
        });
    }

    pub(super) fn copy(&mut self, dst: Reg, value: Operand) {
        self.emit(InstKind::Copy { dst, value });
    }

    /// The same where one may be a pointer and the other an integer of its size.
    pub(super) fn copy_bits(&mut self, dst: Reg, a: Operand) {
        let from = self.type_of(a);
        if from == self.reg_type(dst) {
            return self.copy(dst, a);
        }
        let op = CastOp::Bitcast;
        self.emit(InstKind::Cast { op, dst, a, from });
    }

    /// Emits a conversion into a new register.
    pub(super) fn cast(&mut self, op: CastOp, a: Operand, to: Type) -> Operand {
        let from = self.type_of(a);
        let dst = self.reg(to);
        self.emit(InstKind::Cast { op, dst, a, from });
        Operand::Reg(dst)
    }

    /// Records that the function refers to a symbol.
    pub(super) fn refer(&mut self, symbol: Symbol) {
        if self.referred.insert(symbol) {
            self.unit.program.refs[self.id].push(symbol);
        }
    }

    /// The operands of a value.
    pub(super) fn parts(&mut self, value: Value<'m>) -> Lower<Parts> {
        match value.kind() {
            ValueKind::LLVMInstructionValueKind | ValueKind::LLVMArgumentValueKind => {
                if let Some(parts) = self.values.get(&value) {
                    return Ok(parts.clone());
                }
                let regs = self.new_regs(value.ty())?;
                let parts: Parts = regs.into_iter().map(Operand::Reg).collect();
                self.values.insert(value, parts.clone());
                Ok(parts)
            }
            ValueKind::LLVMInlineAsmValueKind => Err("inline assembly as a value".to_owned()),
            ValueKind::LLVMMetadataAsValueValueKind => Err("metadata as a value".to_owned()),
            _ => self.constant(value),
        }
    }

    /// The operand of a scalar value.
    pub(super) fn part(&mut self, value: Value<'m>) -> Lower<Operand> {
        match self.parts(value)?.as_slice() {
            [one] => Ok(*one),
            _ => Err(format!("values of type {} here", value.ty().text())),
        }
    }

    /// Operand `index` of an instruction.
    pub(super) fn operand(&mut self, user: Value<'m>, index: u32) -> Lower<Operand> {
        let value = user.operand(index).ok_or("an instruction without its operand")?;
        self.part(value)
    }

    /// The operands that operand `index` of an instruction flattens to.
    pub(super) fn operands(&mut self, user: Value<'m>, index: u32) -> Lower<Parts> {
        let value = user.operand(index).ok_or("an instruction without its operand")?;
        self.parts(value)
    }

    /// The registers that an instruction assigns.
    pub(super) fn results(&mut self, inst: Value<'m>) -> Lower<Regs> {
        self.parts(inst)?
            .into_iter()
            .map(|part| match part {
                Operand::Reg(reg) => Ok(reg),
                _ => Err("a value assigned twice".to_owned()),
            })
            .collect()
    }

    /// Makes an instruction's value another name of operands, unless these may change while it is
    /// used.
    pub(super) fn alias(&mut self, inst: Value<'m>, parts: Parts) -> Lower<()> {
        let changes = |part: &Operand| matches!(part, Operand::Reg(reg) if self.mutable.contains(reg));
        // Somebody (a φ of a loop) may have referred to it before: then it has registers.
        if self.values.contains_key(&inst) || parts.iter().any(changes) {
            let dst = self.results(inst)?;
            for (dst, value) in dst.into_iter().zip(parts) {
                self.copy(dst, value);
            }
        } else {
            self.share(inst, parts);
        }
        Ok(())
    }

    /// Makes an instruction's value another name of operands that the caller knows not to change
    /// while it is used.
    pub(super) fn share(&mut self, inst: Value<'m>, parts: Parts) {
        self.values.insert(inst, parts);
        self.aliases.insert(inst);
    }

    /// Whether an instruction has registers or another name already.
    pub(super) fn is_known(&self, inst: Value<'m>) -> bool {
        self.values.contains_key(&inst)
    }

    // ---- functions

    fn number_statements(&mut self, value: Value<'m>) -> Vec<Vec<(Value<'m>, StmtId)>> {
        let unit = &mut *self.unit;
        let default = unit
            .places
            .function(&mut unit.program.files, value)
            .unwrap_or_default();
        self.function.span = default;
        let mut ordinal = 0;
        let mut numbered = Vec::new();
        for block in value.blocks() {
            let mut list = Vec::new();
            for inst in block.instructions() {
                let span = unit
                    .places
                    .instruction(&mut unit.program.files, inst, default)
                    .unwrap_or(default);
                let id = unit.program.module.stmts.push(Stmt {
                    func: self.id,
                    ordinal,
                    span,
                });
                ordinal += 1;
                list.push((inst, id));
            }
            numbered.push(list);
        }
        for &(inst, _) in numbered.iter().flatten() {
            self.note_variables(inst);
        }
        numbered
    }

    fn body(&mut self, value: Value<'m>) {
        let numbered = self.number_statements(value);
        self.speculated = Self::may_be_moved(value);
        self.shift_checks = ShiftChecks::of(value);
        for (i, block) in value.blocks().into_iter().enumerate() {
            self.blocks.insert(block, BlockId::from_index(i));
            let empty = Block {
                insts: Vec::new(),
                term: Terminator::Unreachable,
                term_stmt: StmtId::default(),
            };
            self.function.blocks.push(empty);
        }
        if let Some(&(_, first)) = numbered.first().and_then(|l| l.first()) {
            self.stmt = first;
        }
        self.parameters(value);
        self.plan_locals(value, &numbered);
        for (i, (list, block)) in numbered.iter().zip(value.blocks()).enumerate() {
            if self.shift_checks.left_out.contains(&block) {
                let last = list.last().map_or(self.stmt, |&(_, stmt)| stmt);
                self.function.blocks[BlockId::from_index(i)].term_stmt = last;
                continue;
            }
            self.in_entry = i == 0;
            self.block(BlockId::from_index(i), list);
        }
    }

    fn parameters(&mut self, value: Value<'m>) {
        let Some((result, types, varargs)) = value.value_type().signature() else {
            return;
        };
        self.function.varargs = varargs;
        match self.flat(result) {
            Ok(flat) => self.function.returns = flat.into_iter().map(|(ty, _)| ty).collect(),
            // The return itself will say so.
            Err(_) => self.function.returns = Vec::new(),
        }
        for (i, param) in value.params().into_iter().enumerate() {
            match self.parts(param) {
                Ok(parts) => {
                    for part in &parts {
                        if let Operand::Reg(reg) = part {
                            self.function.params.push(*reg);
                        }
                    }
                    if let Some(ty) = value.param_type_attribute(i as u32, "byval") {
                        if !ty.is_sized() {
                            let what = format!("an argument of type {}", ty.text());
                            self.emit(InstKind::Unsupported { what });
                        }
                        self.copy_by_value(value, i as u32, param, ty, &parts);
                    }
                }
                Err(what) => self.emit(InstKind::Unsupported { what }),
            }
        }
        assert!(types.len() == value.params().len());
    }

    /// An argument passed as the address of an aggregate that the callee may change: it works on
    /// its own copy.
    fn copy_by_value(
        &mut self,
        function: Value<'m>,
        index: u32,
        param: Value<'m>,
        ty: Ty<'m>,
        parts: &Parts,
    ) {
        let [src] = parts.as_slice() else { return };
        let src = *src;
        let size = self.unit.layout.size(ty);
        let align = function
            .param_int_attribute(index, "align")
            .map_or(self.unit.layout.align(ty), |a| a as u32);
        let (name, shape) = self.variable(param).unwrap_or_else(|| (param.name(), None));
        let local = self.function.locals.push(Local {
            name,
            size,
            align: align.max(1),
            scoped: false,
            shape,
        });
        let dst = self.reg(Type::Ptr);
        self.emit(InstKind::LocalAddr { dst, local });
        let len = Operand::Const(u128::from(size), Type::I64);
        self.emit(InstKind::MemCopy {
            dst: Operand::Reg(dst),
            src,
            len,
            overlap: false,
        });
        self.values
            .insert(param, SmallVec::from_slice(&[Operand::Reg(dst)]));
    }

    /// Decides for each alloca of the entry block: register or stack object.
    fn plan_locals(&mut self, function: Value<'m>, numbered: &[Vec<(Value<'m>, StmtId)>]) {
        let is_alloca = |(v, _): &&(Value<'m>, StmtId)| v.opcode() == Some(Opcode::LLVMAlloca);
        let jumps = numbered.iter().flatten().any(|&(inst, _)| returns_twice(inst));
        let as_written = function.has_own_attribute(llvm::AS_WRITTEN);
        for (i, list) in numbered.iter().enumerate() {
            for &(alloca, _) in list.iter().filter(is_alloca) {
                if let Some(ty) = promotable(alloca, self.unit.layout, as_written).filter(|_| !jumps) {
                    let (name, shape) = self.variable(alloca).unzip();
                    let shape = shape.flatten();
                    let reg = self.function.regs.push(RegInfo { ty, name, shape });
                    self.promoted.insert(alloca, reg);
                    self.mutable.insert(reg);
                    continue;
                }
                let count = alloca.operand(0).and_then(|n| n.int());
                let ty = alloca.allocated_type();
                if i != 0 || !ty.is_sized() {
                    continue;
                }
                if let Some(count) = count.and_then(|c| u64::try_from(c).ok()) {
                    let size = self.unit.layout.size(ty).saturating_mul(count);
                    let scoped = alloca.users().iter().any(|u| {
                        u.opcode() == Some(Opcode::LLVMCall)
                            && lifetime(*u).is_some_and(|(_, of)| of == alloca)
                    });
                    let align = alloca.align().max(1);
                    let (name, shape) = self.variable(alloca).unwrap_or_default();
                    let local = self.function.locals.push(Local {
                        name,
                        size,
                        align,
                        scoped,
                        shape,
                    });
                    self.locals.insert(alloca, local);
                }
            }
        }
    }

    fn block(&mut self, mut id: BlockId, list: &[(Value<'m>, StmtId)]) {
        let values: Vec<Value<'m>> = list.iter().map(|&(v, _)| v).collect();
        let Some((&(last, last_stmt), body)) = list.split_last() else {
            return;
        };
        let sunk = if self.speculated {
            Sunk::of(list)
        } else {
            Sunk::default()
        };
        for (i, &(inst, stmt)) in body.iter().enumerate() {
            self.stmt = stmt;
            if sunk.is_moved(inst) {
                continue;
            }
            let lowered = match self.late_select(id, inst, &sunk) {
                Some(next) => next.map(|next| id = next),
                None => self.instruction(inst, &values[i + 1..]),
            };
            if let Err(what) = lowered {
                self.emit(InstKind::Unsupported { what });
            }
            if let Some(term) = self.ended.take() {
                self.finish(id, term);
                return;
            }
        }
        self.stmt = last_stmt;
        let term = self.terminator(last).unwrap_or_else(|what| {
            self.emit(InstKind::Unsupported { what });
            Terminator::Unreachable
        });
        self.finish(id, term);
    }

    pub(super) fn finish(&mut self, id: BlockId, term: Terminator) {
        let block = &mut self.function.blocks[id];
        block.insts = std::mem::take(&mut self.insts);
        block.term = term;
        block.term_stmt = self.stmt;
    }

    /// The body of the constructor that stores constants which depend on addresses.
    pub(super) fn store_constants(mut self, stores: Vec<(GlobalId, u64, Value<'m>)>) {
        let func = self.id;
        self.stmt = self.unit.program.module.stmts.push(Stmt {
            func,
            ordinal: 0,
            span: Span::default(),
        });
        for (global, offset, value) in stores {
            self.refer(Symbol::Global(global));
            let stored = self.parts(value).and_then(|parts| {
                let flat = self.flat(value.ty())?;
                for ((ty, at), part) in flat.into_iter().zip(parts) {
                    let ptr = Operand::Global(global, (offset + at) as i64);
                    self.emit(InstKind::Store {
                        ptr,
                        value: part,
                        ty,
                        align: 1,
                        volatile: false,
                        order: None,
                    });
                }
                Ok(())
            });
            if let Err(what) = stored {
                self.emit(InstKind::Unsupported { what });
            }
        }
        self.function.blocks.push(Block {
            insts: std::mem::take(&mut self.insts),
            term: Terminator::Return(SmallVec::new()),
            term_stmt: self.stmt,
        });
        let library = self.function.library;
        self.store(library);
    }

    fn store(self, library: bool) {
        let mut function = self.function;
        function.library = library;
        self.unit.program.module.functions[self.id] = function;
    }
}

impl<'m> Unit<'m, '_> {
    /// Lowers the body of a function.
    pub(super) fn define_function(&mut self, id: FuncId, value: Value<'m>) {
        let library = self.library;
        if library {
            value.read_body();
        }
        let mut lower = FnLower::new(self, id);
        lower.body(value);
        lower.store(library);
    }
}

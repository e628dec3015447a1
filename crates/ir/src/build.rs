//! Building modules by hand: for tests, and for front ends that do not start from bitcode.
//!
//! A [`FunctionBuilder`] builds one function. A [`ModuleBuilder`] assigns ids to the statements and
//! joins the functions. Neither checks anything; [`verify`](crate::verify) does.
//!
//! ```
//! use selvedge_ir::{BinOp, FunctionBuilder, ModuleBuilder, Operand, Type, verify};
//!
//! let mut module = ModuleBuilder::new();
//! let counter = module.global("counter", 4);
//! let mut main = FunctionBuilder::new("main");
//! main.returns(&[Type::I32]);
//! let old = main.load(Type::I32, counter);
//! let new = main.bin(BinOp::Add, Type::I32, old, Operand::int(Type::I32, 1));
//! main.store(Type::I32, new, counter);
//! main.ret(&[new.into()]);
//! module.define(main);
//! assert_eq!(verify(&module.finish()), Ok(()));
//! ```

use crate::{
    AtomicOrder, BinOp, Block, BlockId, Callee, CastOp, FuncId, Function, Global, GlobalId, Inst, InstKind,
    IntPred, Local, LocalId, Module, Operand, Reg, RegInfo, Stmt, Terminator, Type,
};
use selvedge_base::{FileId, IdVec, Span, StmtId};

/// The file in which lines set by [`FunctionBuilder::line`] lie.
const FILE: &str = "test.c";

impl Operand {
    /// The low bits of a number as a constant of the type.
    pub const fn int(ty: Type, value: i128) -> Operand {
        let beyond = 128u32.saturating_sub(ty.bits());
        match (u128::MAX).checked_shr(beyond) {
            Some(mask) => Operand::Const(value as u128 & mask, ty),
            None => Operand::Const(0, ty),
        }
    }

    /// The null pointer.
    pub const fn null() -> Operand {
        Operand::Const(0, Type::Ptr)
    }

    /// The type of the operand itself; `None` for a register, whose type its function knows.
    pub const fn own_type(self) -> Option<Type> {
        match self {
            Operand::Reg(_) => None,
            Operand::Const(_, ty) | Operand::Undef(ty) | Operand::Poison(ty) => Some(ty),
            Operand::Global(..) | Operand::Func(_) | Operand::Block(..) => Some(Type::Ptr),
        }
    }
}

impl From<Reg> for Operand {
    fn from(reg: Reg) -> Self {
        Operand::Reg(reg)
    }
}

impl From<GlobalId> for Operand {
    fn from(global: GlobalId) -> Self {
        Operand::Global(global, 0)
    }
}

impl From<FuncId> for Operand {
    fn from(func: FuncId) -> Self {
        Operand::Func(func)
    }
}

/// Builds a function. It starts with an entry block; [`block`](Self::block) adds more. Instructions
/// are appended to the current block. A block without a terminator ends in `Unreachable`.
#[derive(Clone, Debug)]
pub struct FunctionBuilder {
    /// Statement ids in here are indices into `spans`. They become ids of the module when the
    /// function is defined.
    function: Function,
    current: BlockId,
    spans: IdVec<StmtId, Span>,
    span: Span,
}

impl FunctionBuilder {
    /// A function without parameters and results; the current block is its entry.
    pub fn new(name: &str) -> Self {
        let mut builder = FunctionBuilder {
            function: Function {
                name: name.to_owned(),
                display: name.to_owned(),
                ..Function::default()
            },
            current: BlockId(0),
            spans: IdVec::new(),
            span: Span::default(),
        };
        builder.block();
        builder
    }

    /// Adds a parameter.
    pub fn param(&mut self, ty: Type) -> Reg {
        let reg = self.reg(ty);
        self.function.params.push(reg);
        reg
    }

    /// Sets the types of the result.
    pub fn returns(&mut self, types: &[Type]) {
        self.function.returns = types.to_vec();
    }

    /// Makes the function take variable arguments.
    pub fn varargs(&mut self) {
        self.function.varargs = true;
    }

    /// A new register.
    pub fn reg(&mut self, ty: Type) -> Reg {
        self.function.regs.push(RegInfo::unnamed(ty))
    }

    /// A new register that holds a source variable.
    pub fn named_reg(&mut self, ty: Type, name: &str) -> Reg {
        let name = Some(name.to_owned());
        self.function.regs.push(RegInfo {
            name,
            ..RegInfo::unnamed(ty)
        })
    }

    /// A new stack object that lives for the whole call.
    pub fn local(&mut self, size: u64, align: u32) -> LocalId {
        self.function.locals.push(Local {
            name: String::new(),
            size,
            align,
            scoped: false,
            shape: None,
        })
    }

    /// A new stack object that lives between its lifetime markers.
    pub fn scoped_local(&mut self, size: u64, align: u32) -> LocalId {
        let local = self.local(size, align);
        self.function.locals[local].scoped = true;
        local
    }

    /// A new block. The current block stays current.
    pub fn block(&mut self) -> BlockId {
        self.function.blocks.push(Block {
            insts: Vec::new(),
            term: Terminator::Unreachable,
            term_stmt: UNTERMINATED,
        })
    }

    /// Makes a block the current one.
    pub fn switch_to(&mut self, block: BlockId) {
        self.current = block;
    }

    /// The line of the instructions that follow; 0 for none.
    pub fn line(&mut self, line: u32) {
        self.span.line = line;
    }

    /// Appends an instruction to the current block, as a statement of its own.
    pub fn emit(&mut self, kind: InstKind) {
        let stmt = self.spans.push(self.span);
        self.function.blocks[self.current].insts.push(Inst { stmt, kind });
    }

    /// Ends the current block. A second call replaces the terminator.
    pub fn terminate(&mut self, term: Terminator) {
        let stmt = self.spans.push(self.span);
        let block = &mut self.function.blocks[self.current];
        block.term = term;
        block.term_stmt = stmt;
    }
}

/// The statement of a terminator that was not set yet.
const UNTERMINATED: StmtId = StmtId(u32::MAX);

// The common instructions, each with a new register for its result.
impl FunctionBuilder {
    /// `value`, copied.
    pub fn copy(&mut self, ty: Type, value: impl Into<Operand>) -> Reg {
        let (dst, value) = (self.reg(ty), value.into());
        self.emit(InstKind::Copy { dst, value });
        dst
    }

    /// `a op b`; overflow is defined.
    pub fn bin(&mut self, op: BinOp, ty: Type, a: impl Into<Operand>, b: impl Into<Operand>) -> Reg {
        let (dst, a, b) = (self.reg(ty), a.into(), b.into());
        self.emit(InstKind::Bin {
            op,
            dst,
            a,
            b,
            nsw: false,
            nuw: false,
        });
        dst
    }

    /// `a` of type `from`, converted to `to`.
    pub fn cast(&mut self, op: CastOp, from: Type, to: Type, a: impl Into<Operand>) -> Reg {
        let (dst, a) = (self.reg(to), a.into());
        self.emit(InstKind::Cast { op, dst, a, from });
        dst
    }

    /// `a pred b`; both of type `ty`.
    pub fn cmp(&mut self, pred: IntPred, ty: Type, a: impl Into<Operand>, b: impl Into<Operand>) -> Reg {
        let (dst, a, b) = (self.reg(Type::I1), a.into(), b.into());
        self.emit(InstKind::Cmp { pred, dst, a, b, ty });
        dst
    }

    /// The address of a stack object.
    pub fn local_addr(&mut self, local: LocalId) -> Reg {
        let dst = self.reg(Type::Ptr);
        self.emit(InstKind::LocalAddr { dst, local });
        dst
    }

    /// `base + offset`, without any promise to stay in bounds.
    pub fn offset(&mut self, base: impl Into<Operand>, offset: i64) -> Reg {
        let (dst, base) = (self.reg(Type::Ptr), base.into());
        self.emit(InstKind::Gep {
            dst,
            base,
            offset,
            terms: Default::default(),
            inbounds: false,
        });
        dst
    }

    /// A plain load, aligned to the size of the type.
    pub fn load(&mut self, ty: Type, ptr: impl Into<Operand>) -> Reg {
        self.load_with(ty, ptr.into(), None)
    }

    /// An atomic load.
    pub fn atomic_load(&mut self, ty: Type, ptr: impl Into<Operand>, order: AtomicOrder) -> Reg {
        self.load_with(ty, ptr.into(), Some(order))
    }

    fn load_with(&mut self, ty: Type, ptr: Operand, order: Option<AtomicOrder>) -> Reg {
        let dst = self.reg(ty);
        self.emit(InstKind::Load {
            dst,
            ptr,
            ty,
            align: natural_alignment(ty),
            volatile: false,
            order,
        });
        dst
    }

    /// A plain store, aligned to the size of the type.
    pub fn store(&mut self, ty: Type, value: impl Into<Operand>, ptr: impl Into<Operand>) {
        self.store_with(ty, value.into(), ptr.into(), None);
    }

    /// An atomic store.
    pub fn atomic_store(
        &mut self,
        ty: Type,
        value: impl Into<Operand>,
        ptr: impl Into<Operand>,
        order: AtomicOrder,
    ) {
        self.store_with(ty, value.into(), ptr.into(), Some(order));
    }

    fn store_with(&mut self, ty: Type, value: Operand, ptr: Operand, order: Option<AtomicOrder>) {
        self.emit(InstKind::Store {
            ptr,
            value,
            ty,
            align: natural_alignment(ty),
            volatile: false,
            order,
        });
    }

    /// A direct call; the registers of the results, of the types given.
    pub fn call(&mut self, callee: FuncId, args: &[(Operand, Type)], results: &[Type]) -> Vec<Reg> {
        self.call_any(Callee::Direct(callee), args, results)
    }

    /// A call through a pointer.
    pub fn call_indirect(&mut self, callee: Operand, args: &[(Operand, Type)], results: &[Type]) -> Vec<Reg> {
        self.call_any(Callee::Indirect(callee), args, results)
    }

    fn call_any(&mut self, callee: Callee, args: &[(Operand, Type)], results: &[Type]) -> Vec<Reg> {
        let results: Vec<Reg> = results.iter().map(|&ty| self.reg(ty)).collect();
        self.emit(InstKind::Call {
            results: results.as_slice().into(),
            callee,
            args: args.iter().map(|&(arg, _)| arg).collect(),
            types: args.iter().map(|&(_, ty)| ty).collect(),
        });
        results
    }

    /// Ends the current block with a jump.
    pub fn jump(&mut self, target: BlockId) {
        self.terminate(Terminator::Jump(target));
    }

    /// Ends the current block with a branch.
    pub fn branch(&mut self, cond: impl Into<Operand>, then: BlockId, otherwise: BlockId) {
        let cond = cond.into();
        self.terminate(Terminator::Branch {
            cond,
            then,
            otherwise,
        });
    }

    /// Ends the current block with a return.
    pub fn ret(&mut self, values: &[Operand]) {
        self.terminate(Terminator::Return(values.into()));
    }
}

fn natural_alignment(ty: Type) -> u32 {
    ty.bytes().next_power_of_two()
}

/// Collects a module.
#[derive(Clone, Debug, Default)]
pub struct ModuleBuilder {
    module: Module,
}

impl ModuleBuilder {
    /// An empty module.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a global of zeros, aligned to 16 bytes.
    pub fn global(&mut self, name: &str, size: u64) -> GlobalId {
        self.global_with(name, size, Vec::new())
    }

    /// Adds a global with initial bytes, aligned to 16 bytes.
    pub fn global_with(&mut self, name: &str, size: u64, init: Vec<u8>) -> GlobalId {
        self.add_global(Global {
            name: name.to_owned(),
            size,
            align: 16,
            init,
            relocations: Vec::new(),
            undefined: Vec::new(),
            thread_local: false,
            constant: false,
            external: false,
            span: Span::default(),
            shape: None,
        })
    }

    /// Adds any global.
    pub fn add_global(&mut self, global: Global) -> GlobalId {
        self.module.globals.push(global)
    }

    /// Adds a function without a body: one that is modelled, or one to be given a body with
    /// [`define_as`](Self::define_as) (for recursion, or to start it as a thread before it is
    /// built).
    pub fn declare(&mut self, name: &str, params: &[Type], returns: &[Type]) -> FuncId {
        let mut builder = FunctionBuilder::new(name);
        params.iter().for_each(|&ty| {
            builder.param(ty);
        });
        builder.returns(returns);
        builder.function.blocks.truncate(0);
        self.module.functions.push(builder.function)
    }

    /// Adds a function.
    pub fn define(&mut self, function: FunctionBuilder) -> FuncId {
        let id = self.module.functions.push(Function::default());
        self.define_as(id, function);
        id
    }

    /// Replaces a declaration by a function.
    ///
    /// # Panics
    /// If the declaration does not exist.
    pub fn define_as(&mut self, id: FuncId, builder: FunctionBuilder) {
        let FunctionBuilder {
            mut function,
            mut spans,
            ..
        } = builder;
        for block in function.blocks.iter_mut() {
            if block.term_stmt == UNTERMINATED {
                block.term_stmt = spans.push(Span::default());
            }
        }
        let first = self.module.stmts.len() as u32;
        let in_module = |stmt: StmtId| StmtId(first + stmt.0);
        for block in function.blocks.iter_mut() {
            block
                .insts
                .iter_mut()
                .for_each(|inst| inst.stmt = in_module(inst.stmt));
            block.term_stmt = in_module(block.term_stmt);
        }
        for (ordinal, span) in spans.iter().enumerate() {
            self.stmt(id, ordinal as u32, *span);
        }
        self.module.functions[id] = function;
    }

    /// Makes a function run before `main`.
    pub fn constructor(&mut self, func: FuncId) {
        self.module.constructors.push(func);
    }

    /// Makes a function run at exit.
    pub fn destructor(&mut self, func: FuncId) {
        self.module.destructors.push(func);
    }

    /// The module.
    pub fn finish(self) -> Module {
        self.module
    }

    fn stmt(&mut self, func: FuncId, ordinal: u32, span: Span) {
        if span.line != 0 && self.module.files.is_empty() {
            self.module.files.push(FILE.to_owned());
        }
        assert_eq!(span.file, FileId(0), "a builder knows one file");
        self.module.stmts.push(Stmt { func, ordinal, span });
    }
}

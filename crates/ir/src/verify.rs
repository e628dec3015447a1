//! Checks that modules are well-formed.
//!
//! Invariants, in addition to those that the types themselves enforce:
//!
//! - *Names.* Functions have names, and all of them differ. No two named globals have the same
//!   name.
//! - *Statements.* Their functions exist, and so do their files if the line is known. No two
//!   statements have the same function and ordinal. Instructions and terminators refer to existing
//!   statements of their own function.
//! - *Globals.* The alignment is a power of two. The initial bytes do not exceed the size.
//!   Relocations lie within the initial bytes, do not overlap, and refer to existing symbols.
//!   Undefined ranges are not empty and lie within the global.
//! - *Functions.* Parameters are distinct existing registers. Locals have alignments that are
//!   powers of two. Integer types have 1 to 128 bits. Constructors and destructors exist and take
//!   no parameters.
//! - *Operands.* Registers, globals, functions and blocks exist. Constants have no bits beyond the
//!   width of their type.
//! - *Instructions.* Operands and assigned registers have the types that the instruction says or
//!   implies (`inst.rs` has them in detail). Several results are distinct registers. Memory orders
//!   are those that C11 allows for the access. Alignments are powers of two. Lifetime markers name
//!   scoped locals. `va_start` occurs in variadic functions only.
//! - *Calls.* There are as many argument types as arguments. If the callee is known and defined,
//!   the arguments and the results agree in number (variadic: at least) and type with its
//!   parameters and returns.
//! - *Terminators.* Targets exist, conditions are `i1`, switch cases are distinct, and returns
//!   agree with the function. An `invoke` follows a call. Selectors of catch clauses are positive;
//!   those of filters are negative.
//!
//! A register need not be assigned before it is read: it is undefined then, and the machine reports
//! a use of it.

mod inst;

use crate::{BlockId, FuncId, Function, Global, GlobalId, LocalId, Module, Operand, Reg, Symbol, Type};
use selvedge_base::{FileId, Span, StmtId};
use std::collections::BTreeSet;
use std::fmt;

/// Where an invariant is broken.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Place {
    /// In the lists of constructors and destructors.
    Module,
    /// In a statement.
    Stmt(StmtId),
    /// In a global.
    Global(GlobalId),
    /// In the head of a function.
    Function(FuncId),
    /// In an instruction, numbered from 0 in its block.
    Inst(FuncId, BlockId, usize),
    /// In the terminator of a block.
    Terminator(FuncId, BlockId),
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Place::Module => f.write_str("module"),
            Place::Stmt(id) => write!(f, "{id}"),
            Place::Global(id) => write!(f, "{id}"),
            Place::Function(id) => write!(f, "{id}"),
            Place::Inst(func, block, number) => write!(f, "{func} {block} instruction {number}"),
            Place::Terminator(func, block) => write!(f, "{func} {block} terminator"),
        }
    }
}

/// What is wrong: one variant for each invariant.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Problem {
    /// A file that is not in the module.
    #[error("{0} does not exist")]
    NoFile(FileId),
    /// A statement that is not in the module.
    #[error("{0} does not exist")]
    NoStmt(StmtId),
    /// A global that is not in the module.
    #[error("{0} does not exist")]
    NoGlobal(GlobalId),
    /// A function that is not in the module.
    #[error("{0} does not exist")]
    NoFunction(FuncId),
    /// A block that is not in its function.
    #[error("{0}.{1} does not exist")]
    NoBlock(FuncId, BlockId),
    /// A register that is not in the function.
    #[error("{0} does not exist")]
    NoRegister(Reg),
    /// A local that is not in the function.
    #[error("{0} does not exist")]
    NoLocal(LocalId),
    /// A function without a name.
    #[error("the name is empty")]
    NoName,
    /// Two functions or two globals with the same name.
    #[error("another one is called {0:?} too")]
    SameName(String),
    /// Two statements of one function with the same ordinal.
    #[error("another statement of {func} has the ordinal {ordinal} too")]
    SameOrdinal {
        /// The function.
        func: FuncId,
        /// The ordinal.
        ordinal: u32,
    },
    /// The statement belongs to another function.
    #[error("{stmt} is a statement of {func}")]
    ForeignStmt {
        /// The statement.
        stmt: StmtId,
        /// Its function.
        func: FuncId,
    },
    /// Not a power of two.
    #[error("the alignment {0} is not a power of two")]
    Alignment(u32),
    /// More initial bytes than the global has.
    #[error("{length} initial bytes in {size}")]
    InitTooLong {
        /// How many initial bytes.
        length: usize,
        /// The size of the global.
        size: u64,
    },
    /// A relocation not within the initial bytes.
    #[error("the relocation at {0} is not within the initial bytes")]
    RelocationOutside(u64),
    /// Two relocations share bytes.
    #[error("the relocations at {0} and {1} overlap")]
    RelocationOverlap(u64, u64),
    /// An undefined range that is empty, reversed or not within the global.
    #[error("the undefined range {0}..{1} is empty or not within the global")]
    UndefinedRange(u64, u64),
    /// Two parameters in one register.
    #[error("two parameters in {0}")]
    SameParameter(Reg),
    /// A constructor or destructor that takes parameters.
    #[error("the constructor or destructor {0} takes parameters")]
    ConstructorParameters(FuncId),
    /// An integer type that does not have 1 to 128 bits.
    #[error("there is no integer type {0}")]
    IntWidth(Type),
    /// A constant with bits beyond its type's width.
    #[error("{0:#x} does not fit {1}")]
    WideConstant(u128, Type),
    /// A type that must equal another.
    #[error("{what} is {found}, must be {expected}")]
    TypeMismatch {
        /// Which operand or result.
        what: &'static str,
        /// What it must be.
        expected: Type,
        /// What it is.
        found: Type,
    },
    /// A type of the wrong kind.
    #[error("{what} is {found}, must be {expected}")]
    TypeClass {
        /// Which operand or result.
        what: &'static str,
        /// What it must be.
        expected: &'static str,
        /// What it is.
        found: Type,
    },
    /// A conversion that is not defined between these types.
    #[error("{op} does not convert {from} to {to}")]
    Conversion {
        /// The conversion.
        op: crate::CastOp,
        /// The operand's type.
        from: Type,
        /// The result's type.
        to: Type,
    },
    /// Two results in one register.
    #[error("two results in {0}")]
    SameResult(Reg),
    /// A memory order that the access cannot have.
    #[error("{what} cannot be {order}")]
    Order {
        /// The access.
        what: &'static str,
        /// Its order.
        order: crate::AtomicOrder,
    },
    /// An index whose width differs from the width that the term says.
    #[error("the index is {found}, the term says {bits} bits")]
    IndexWidth {
        /// The type of the index.
        found: Type,
        /// The width that the term says.
        bits: u8,
    },
    /// A lifetime marker for a local that lives for the whole call.
    #[error("{0} is not scoped")]
    NotScoped(LocalId),
    /// `va_start` in a function without variable arguments.
    #[error("va_start in a function without variable arguments")]
    NotVariadic,
    /// The numbers of argument types and of arguments differ.
    #[error("{args} arguments with {types} types")]
    ArgumentTypes {
        /// How many arguments.
        args: usize,
        /// How many types.
        types: usize,
    },
    /// The numbers of arguments and of the callee's parameters differ.
    #[error("{found} arguments for {expected} parameters")]
    ArgumentCount {
        /// How many parameters.
        expected: usize,
        /// How many arguments.
        found: usize,
    },
    /// The number of results differs from what the callee returns, or the number of operands of
    /// `return` from what the function returns.
    #[error("{found} results of {expected}")]
    ResultCount {
        /// How many the function returns.
        expected: usize,
        /// How many there are.
        found: usize,
    },
    /// An `invoke` that does not follow a call.
    #[error("an invoke without a call before it")]
    NoCall,
    /// A clause whose selector has the sign of the other kind of clause.
    #[error("{0} as the selector of this kind of clause")]
    Selector(i32),
    /// Two cases with the same value.
    #[error("two cases of {0}")]
    SameCase(u128),
}

/// A broken invariant.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{place}: {problem}")]
pub struct VerifyError {
    /// Where.
    pub place: Place,
    /// What.
    pub problem: Problem,
}

/// Checks the invariants at the head of `verify.rs`.
///
/// # Errors
/// All broken invariants, in the order of the module.
pub fn verify(module: &Module) -> Result<(), Vec<VerifyError>> {
    let mut verifier = Verifier {
        module,
        place: Place::Module,
        errors: Vec::new(),
    };
    verifier.module();
    if verifier.errors.is_empty() {
        Ok(())
    } else {
        Err(verifier.errors)
    }
}

struct Verifier<'m> {
    module: &'m Module,
    /// The place that is being checked.
    place: Place,
    errors: Vec<VerifyError>,
}

impl<'m> Verifier<'m> {
    fn report(&mut self, problem: Problem) {
        self.errors.push(VerifyError {
            place: self.place,
            problem,
        });
    }

    fn require(&mut self, holds: bool, problem: impl FnOnce() -> Problem) {
        if !holds {
            self.report(problem());
        }
    }

    fn module(&mut self) {
        self.stmts();
        let mut names = BTreeSet::new();
        for (id, global) in self.module.globals.iter_ids() {
            self.place = Place::Global(id);
            let new = global.name.is_empty() || names.insert(&global.name);
            self.require(new, || Problem::SameName(global.name.clone()));
            self.global(global);
        }
        let mut names = BTreeSet::new();
        for (id, function) in self.module.functions.iter_ids() {
            self.place = Place::Function(id);
            self.require(!function.name.is_empty(), || Problem::NoName);
            self.require(names.insert(&function.name), || {
                Problem::SameName(function.name.clone())
            });
            self.function(id, function);
        }
        self.place = Place::Module;
        for &func in self.module.constructors.iter().chain(&self.module.destructors) {
            match self.module.functions.get(func) {
                Some(function) => {
                    self.require(function.params.is_empty(), || {
                        Problem::ConstructorParameters(func)
                    });
                }
                None => self.report(Problem::NoFunction(func)),
            }
        }
    }

    fn stmts(&mut self) {
        let mut seen = BTreeSet::new();
        for (id, stmt) in self.module.stmts.iter_ids() {
            self.place = Place::Stmt(id);
            let (func, ordinal) = (stmt.func, stmt.ordinal);
            self.func(func);
            self.span(stmt.span);
            self.require(seen.insert((func, ordinal)), || Problem::SameOrdinal {
                func,
                ordinal,
            });
        }
    }

    fn global(&mut self, global: &Global) {
        self.alignment(global.align);
        self.span(global.span);
        let (length, size) = (global.init.len(), global.size);
        self.require(length as u64 <= size, || Problem::InitTooLong { length, size });
        let mut offsets = Vec::with_capacity(global.relocations.len());
        for relocation in &global.relocations {
            let end = relocation.offset.checked_add(8);
            let inside = end.is_some_and(|end| end <= length as u64);
            self.require(inside, || Problem::RelocationOutside(relocation.offset));
            match relocation.symbol {
                Symbol::Global(id) => self.global_id(id),
                Symbol::Func(id) => self.func(id),
            }
            offsets.push(relocation.offset);
        }
        offsets.sort_unstable();
        for pair in offsets.windows(2) {
            self.require(pair[1] - pair[0] >= 8, || {
                Problem::RelocationOverlap(pair[0], pair[1])
            });
        }
        for &(start, end) in &global.undefined {
            self.require(start < end && end <= size, || Problem::UndefinedRange(start, end));
        }
    }

    fn function(&mut self, id: FuncId, function: &Function) {
        self.span(function.span);
        for (i, &param) in function.params.iter().enumerate() {
            self.require(function.regs.get(param).is_some(), || Problem::NoRegister(param));
            self.require(!function.params[..i].contains(&param), || {
                Problem::SameParameter(param)
            });
        }
        for &ty in &function.returns {
            self.ty(ty);
        }
        for reg in function.regs.iter() {
            self.ty(reg.ty);
        }
        for local in function.locals.iter() {
            self.alignment(local.align);
        }
        for (block, body) in function.blocks.iter_ids() {
            for (number, inst) in body.insts.iter().enumerate() {
                self.place = Place::Inst(id, block, number);
                self.stmt(id, inst.stmt);
                self.inst(id, function, &inst.kind);
            }
            self.place = Place::Terminator(id, block);
            self.stmt(id, body.term_stmt);
            self.terminator(id, function, &body.term);
            if let crate::Terminator::Invoke { .. } = body.term {
                let last = body.insts.last().map(|inst| &inst.kind);
                let calls = matches!(last, Some(crate::InstKind::Call { .. }));
                self.require(calls, || Problem::NoCall);
            }
        }
    }

    /// The statement of an instruction or terminator of `func`.
    fn stmt(&mut self, func: FuncId, stmt: StmtId) {
        match self.module.stmts.get(stmt).map(|info| info.func) {
            Some(owner) if owner == func => {}
            Some(owner) => self.report(Problem::ForeignStmt { stmt, func: owner }),
            None => self.report(Problem::NoStmt(stmt)),
        }
    }

    fn span(&mut self, span: Span) {
        let known = span.line == 0 || self.module.files.get(span.file).is_some();
        self.require(known, || Problem::NoFile(span.file));
    }

    fn func(&mut self, id: FuncId) {
        self.require(self.module.functions.get(id).is_some(), || {
            Problem::NoFunction(id)
        });
    }

    fn global_id(&mut self, id: GlobalId) {
        self.require(self.module.globals.get(id).is_some(), || Problem::NoGlobal(id));
    }

    fn block(&mut self, func: FuncId, block: BlockId) {
        let exists = |function: &Function| function.blocks.get(block).is_some();
        let known = self.module.functions.get(func).is_some_and(exists);
        self.require(known, || Problem::NoBlock(func, block));
    }

    fn alignment(&mut self, align: u32) {
        self.require(align.is_power_of_two(), || Problem::Alignment(align));
    }

    fn ty(&mut self, ty: Type) {
        let exists = !matches!(ty, Type::Int(bits) if bits == 0 || bits > 128);
        self.require(exists, || Problem::IntWidth(ty));
    }

    /// Checks an operand on its own. Returns its type; `None` for a register that does not exist.
    fn operand(&mut self, function: &Function, operand: Operand) -> Option<Type> {
        match operand {
            Operand::Reg(reg) => return self.reg(function, reg),
            Operand::Const(value, ty) => {
                self.ty(ty);
                self.require(ty.bits() >= 128 || value >> ty.bits() == 0, || {
                    Problem::WideConstant(value, ty)
                });
            }
            Operand::Global(id, _) => self.global_id(id),
            Operand::Func(id) => self.func(id),
            Operand::Block(func, block) => self.block(func, block),
            Operand::Undef(ty) | Operand::Poison(ty) => self.ty(ty),
        }
        operand.own_type()
    }

    /// The type of a register, if it exists.
    fn reg(&mut self, function: &Function, reg: Reg) -> Option<Type> {
        let info = function.regs.get(reg);
        self.require(info.is_some(), || Problem::NoRegister(reg));
        info.map(|info| info.ty)
    }
}

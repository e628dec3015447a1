//! Compiles the ir to compact register code, one function at a time.

mod control;
mod cover;
mod inst;
pub(crate) mod liveness;
mod slots;
mod unassigned;

use crate::code::{CONST, Code, ComplexOperands, Inst, LocalObject, NONE, Op};
use crate::coverage::Point;
use crate::names::Name;
use crate::program::{Binding, Program};
use crate::value::{Poison, Value};
use cover::Cover;
use rustc_hash::{FxHashMap, FxHashSet};
use selvedge_analysis::{Fate, Place, PrivateLocals, fates};
use selvedge_base::{Id, IdVec, StmtId};
use selvedge_ir::{BlockId, Callee, FuncId, Function, InstKind, LocalId, Operand, Reg, Type};
use slots::Slots;
use unassigned::Unassigned;

/// Compiles a function; a declaration gives empty code. Adds names of stack objects to `names`, and
/// coverage points to `points`.
pub(crate) fn function(
    (program, private): (&Program, &PrivateLocals),
    func: FuncId,
    names: &mut Vec<Name>,
    points: &mut Vec<Point>,
) -> Code {
    let function = &program.module.functions[func];
    if !function.is_defined() {
        return Code::default();
    }
    let jumps = returns_twice(program, function);
    let mut compiler = Compiler {
        program,
        private,
        func,
        function,
        fates: fates(function),
        slots: Slots::new(function, |reg| {
            let named = function.regs[reg].name.is_some();
            jumps || program.options.leaks && is_variable(function, reg) || program.options.variables && named
        }),
        code: Code {
            varargs: function.varargs,
            ..Code::default()
        },
        consts: FxHashMap::default(),
        patches: Vec::new(),
        stmt: StmtId(0),
        cover: Cover::new(program, func, points),
        unassigned: match program.options.unwritten_inputs {
            true => Unassigned::of(function),
            false => Unassigned::default(),
        },
    };
    compiler.locals(names);
    compiler.params();
    for block in function.blocks.ids() {
        compiler.block(block);
    }
    compiler.ways();
    compiler.patch();
    compiler.variables();
    compiler.named();
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

/// Whether a register holds a variable of the program that can hold a pointer.
fn is_variable(function: &Function, reg: Reg) -> bool {
    let info = &function.regs[reg];
    info.name.is_some() && matches!(info.ty, Type::Ptr | Type::I64)
}

/// The code of a function with more registers or constants than operands can name. Reaching the
/// function is unsupported.
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
    private: &'a PrivateLocals,
    func: FuncId,
    function: &'a Function,
    /// What becomes of the values in its registers.
    fates: IdVec<Reg, Fate>,
    slots: Slots,
    code: Code,
    consts: FxHashMap<(u64, u32), u16>,
    /// Jumps to blocks: instruction and target block.
    patches: Vec<(usize, BlockId)>,
    stmt: StmtId,
    /// Present only with the coverage option.
    cover: Option<Cover<'a>>,
    /// The registers whose undefined values are inputs.
    unassigned: Unassigned,
}

/// Whether plain register code supports the type.
fn simple(ty: Type) -> bool {
    !ty.is_wide()
}

impl Compiler<'_> {
    /// What becomes of the results of an instruction.
    fn fate(&self, results: &[Reg]) -> Fate {
        let fates = results.iter().map(|&r| self.fates[r]);
        fates.max().unwrap_or(Fate::Unread)
    }

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

    /// The two words of an operand. The high word is `NONE` unless the operand is wide.
    fn words(&mut self, operand: Operand) -> (u16, u16) {
        let wide = self.type_of(operand).is_wide();
        let low = match operand {
            Operand::Reg(r) => {
                let mut slot = self.slots.get(r);
                if slot == NONE {
                    // The register is read but assigned on no path: undefined.
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

    /// Records which slots hold variables, for leak checking. Without debug information, any slot
    /// may.
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

    /// Records the slots of the variables that registers hold.
    fn named(&mut self) {
        if !self.program.options.variables {
            return;
        }
        let named = self.function.regs.iter_ids();
        let named = named.filter(|(_, info)| info.name.is_some());
        let placed = named.map(|(reg, _)| (reg, self.slots.get(reg)));
        self.code.named = placed.filter(|&(_, slot)| slot != NONE).collect();
    }

    fn locals(&mut self, names: &mut Vec<Name>) {
        let private = self.private.of_function(self.func);
        let insts = || self.function.blocks.iter().flat_map(|block| &block.insts);
        let begins: FxHashSet<LocalId> = insts()
            .filter_map(|inst| match inst.kind {
                InstKind::LifetimeStart { local } => Some(local),
                _ => None,
            })
            .collect();
        for (id, local) in self.function.locals.iter_ids() {
            let slot = self.slots.fresh(1);
            // With a number for each, the machine knows which object it is.
            let named = self.program.options.explained.is_some() || !local.name.is_empty();
            let name = if !named {
                0
            } else {
                names.push(Name {
                    text: local.name.clone(),
                    shape: local.shape,
                });
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
            let (slot, ty) = (self.slots.get(p), self.function.regs[p].ty);
            self.code.params.push(slot);
            self.code.param_types.push(ty);
            if ty.is_wide() {
                self.code.params.push(slot + 1);
                self.code.param_types.push(ty);
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
            for reg in std::mem::take(&mut self.unassigned.at_entry) {
                self.inst(&unassigned::input(self.function, reg));
            }
        }
        self.begin_block();
        for (at, inst) in block.insts.iter().enumerate() {
            self.stmt = inst.stmt;
            self.line();
            self.pointers(id, at);
            match inst.kind {
                InstKind::Copy { dst, .. } if self.unassigned.copies.contains(&(id, at)) => {
                    self.inst(&unassigned::input(self.function, dst));
                }
                _ => self.inst(&inst.kind),
            }
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

    /// The checks of the pointers of an instruction.
    fn pointers(&mut self, block: BlockId, index: usize) {
        let program = self.program;
        let Some(explained) = &program.options.explained else {
            return;
        };
        let place = Place {
            block: block.index() as u32,
            index: index as u32,
        };
        for &(operand, number) in explained.pointers(self.func, place) {
            let word = self.word(operand);
            self.emit_long(Op::Explain, word, number);
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
        for pad in &mut self.code.pads {
            pad.target = self.code.blocks[pad.target as usize];
        }
        for table in &mut self.code.switches {
            table.default = self.code.blocks[table.default as usize];
            for case in &mut table.cases {
                case.1 = self.code.blocks[case.1 as usize];
            }
        }
    }
}

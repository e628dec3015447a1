//! From the ir to constraints: each function once, when it may be called.
//!
//! A register is a variable, whatever its type, because an address may be stored in integers, split
//! into bytes and put together again. Arithmetic with an unknown result gives any byte of the
//! objects into which its operands point. There is one exception, by LLVM's rules for pointers
//! ("based on", LangRef, Pointer Aliasing Rules): the index of an address computation contributes
//! an offset and no object. A program that goes from one object to another by the difference of
//! their addresses has undefined behaviour, and facts do not cover it.

mod calls;

use super::object::{Library, Object};
use super::offset::Offset;
use super::solve::{Constraint, Limits, Solver, VarId};
use crate::Place;
use calls::Site;
use rustc_hash::FxHashMap;
use selvedge_base::Id;
use selvedge_ir::{
    BinOp, CastOp, FuncId, Function, InstKind, Module, Operand, Reg, RmwOp, Symbol, Terminator, Type,
};
use std::collections::{BTreeMap, BTreeSet};

/// The prefixes of functions that replace the library function named by the rest of their name.
const STAND_INS: [&str; 2] = ["__selvedge_symbolic_", "__selvedge_"];

/// The constraints of a program so far.
pub(super) struct Builder<'a> {
    module: &'a Module,
    /// True if the machine has a model of a library function.
    modelled: &'a dyn Fn(&str) -> bool,
    /// Functions of the model library that replace a library function, by its name.
    stand_ins: FxHashMap<&'a str, Vec<FuncId>>,
    pub solver: Solver,
    /// Variables that may be any number.
    pub numbers: Vec<VarId>,
    /// The variable of each function's first register.
    registers: Vec<VarId>,
    results: Vec<Vec<VarId>>,
    constants: FxHashMap<Operand, VarId>,
    sites: Vec<Site>,
    pub reached: Vec<bool>,
    work: Vec<FuncId>,
    linked: BTreeSet<(u32, FuncId)>,
    /// The functions that each call may run, including direct calls.
    pub callees: BTreeMap<(FuncId, Place), BTreeSet<FuncId>>,
    /// Functions that are not called by the program itself: start functions of threads, handlers.
    pub called_by_library: BTreeSet<FuncId>,
    /// Functions that may be called and whose effect is not known.
    pub unknown: BTreeSet<FuncId>,
    of_threads: VarId,
    under_keys: VarId,
    /// The values that landing pads get.
    thrown: VarId,
}

impl<'a> Builder<'a> {
    pub fn new(module: &'a Module, modelled: &'a dyn Fn(&str) -> bool, limits: Limits) -> Builder<'a> {
        let mut solver = Solver::with_limits(limits);
        let mut registers = Vec::new();
        let mut results = Vec::new();
        for function in module.functions.iter() {
            registers.push(VarId::from_index(solver.variables()));
            for _ in function.regs.ids() {
                solver.variable();
            }
            results.push(function.returns.iter().map(|_| solver.variable()).collect());
        }
        let [of_threads, under_keys, thrown] = [(); 3].map(|()| solver.variable());
        let mut stand_ins: FxHashMap<&str, Vec<FuncId>> = FxHashMap::default();
        for (id, function) in module.functions.iter_ids().filter(|(_, f)| f.is_defined()) {
            for prefix in STAND_INS {
                if let Some(name) = function.name.strip_prefix(prefix) {
                    stand_ins.entry(name).or_default().push(id);
                }
            }
        }
        let mut builder = Builder {
            module,
            modelled,
            stand_ins,
            solver,
            numbers: Vec::new(),
            registers,
            results,
            constants: FxHashMap::default(),
            sites: Vec::new(),
            reached: vec![false; module.functions.len()],
            work: Vec::new(),
            linked: BTreeSet::new(),
            callees: BTreeMap::new(),
            called_by_library: BTreeSet::new(),
            unknown: BTreeSet::new(),
            of_threads,
            under_keys,
            thrown,
        };
        builder.globals();
        // It is called wherever a thread may end.
        let unwinds = module.function("__selvedge_unwind_thread");
        builder
            .unknown
            .extend(unwinds.filter(|&f| module.functions[f].is_defined()));
        builder
    }

    /// Adds a root: the program runs this function with the arguments of `main`.
    pub fn root(&mut self, function: FuncId) {
        let arguments = self.address(Object::Library(Library::Arguments), Offset::ANY);
        for &parameter in &self.module.functions[function].params {
            let to = self.register(function, parameter);
            self.copy(arguments, to);
        }
        self.called_by_library.insert(function);
        self.reach(function);
    }

    /// Solves the constraints, including those of the functions that turn out to be called.
    pub fn solve(&mut self) {
        loop {
            while let Some(function) = self.work.pop() {
                self.function(function);
            }
            let calls = self.solver.solve();
            if calls.is_empty() && self.work.is_empty() {
                return;
            }
            for (site, target) in calls {
                let place = self.solver.targets.place(target);
                if let Object::Function(function) = self.solver.targets.what(place.object) {
                    self.link(site, function);
                }
            }
        }
    }

    /// The variable of a register.
    pub fn register(&self, function: FuncId, register: Reg) -> VarId {
        VarId::from_index(self.registers[function.index()].index() + register.index())
    }

    /// The variable of an operand; `None` if it is no address and nothing computed from one.
    pub fn operand(&mut self, function: FuncId, operand: Operand) -> Option<VarId> {
        let (object, offset) = match operand {
            Operand::Reg(register) => return Some(self.register(function, register)),
            Operand::Global(global, offset) => (Object::Global(global), offset),
            Operand::Func(function) => (Object::Function(function), 0),
            Operand::Const(value, _) if is_address(value) => {
                let number = self.solver.variable();
                self.numbers.push(number);
                return Some(number);
            }
            Operand::Const(..) | Operand::Block(..) | Operand::Undef(_) | Operand::Poison(_) => return None,
        };
        if let Some(&variable) = self.constants.get(&operand) {
            return Some(variable);
        }
        let variable = self.address(object, Offset::exact(offset));
        self.constants.insert(operand, variable);
        Some(variable)
    }

    fn address(&mut self, object: Object, offset: Offset) -> VarId {
        let to = self.solver.variable();
        let target = self.solver.place(object, offset);
        self.solver.add(Constraint::Address { to, target });
        to
    }

    fn copy(&mut self, from: VarId, to: VarId) {
        self.solver.add(Constraint::Copy { from, to });
    }

    fn shift(&mut self, from: VarId, to: VarId, offset: i64, stride: u64) {
        if (offset, stride) == (0, 0) {
            return self.copy(from, to);
        }
        self.solver.add(Constraint::Shift {
            from,
            to,
            offset,
            stride,
        });
    }

    fn load(&mut self, pointer: VarId, width: Option<u64>, to: VarId) {
        self.solver.add(Constraint::Load { pointer, width, to });
    }

    fn store(&mut self, pointer: VarId, width: u64, from: VarId) {
        self.solver.add(Constraint::Store { pointer, width, from });
    }

    /// Everything that is stored in the objects to which a pointer points.
    fn contents(&mut self, pointer: VarId) -> VarId {
        let to = self.solver.variable();
        self.load(pointer, None, to);
        to
    }

    /// Stores a value at any byte of the objects to which a pointer points.
    fn store_anywhere(&mut self, pointer: VarId, from: VarId) {
        let (any, bytes) = (self.solver.variable(), self.solver.variable());
        self.shift(pointer, any, 0, 1);
        self.shift(from, bytes, 0, 1);
        self.store(any, 1, bytes);
    }

    fn globals(&mut self) {
        for (id, global) in self.module.globals.iter_ids() {
            for relocation in &global.relocations {
                let at = self.address(Object::Global(id), Offset::exact(relocation.offset as i64));
                let object = match relocation.symbol {
                    Symbol::Global(other) => Object::Global(other),
                    Symbol::Func(function) => Object::Function(function),
                };
                let value = self.address(object, Offset::exact(relocation.addend));
                self.store(at, 8, value);
            }
            if global.external {
                let library = match global.name.as_str() {
                    "stdin" | "stdout" | "stderr" => Library::Files,
                    "environ" | "__environ" | "program_invocation_name" | "program_invocation_short_name" => {
                        Library::Arguments
                    }
                    _ => Library::Static,
                };
                let at = self.address(Object::Global(id), Offset::START);
                let value = self.address(Object::Library(library), Offset::ANY);
                self.store(at, 8, value);
            }
        }
        for library in [Library::Arguments, Library::Static] {
            let all = self.address(Object::Library(library), Offset::ANY);
            self.store(all, 1, all);
        }
    }

    fn reach(&mut self, function: FuncId) {
        if !std::mem::replace(&mut self.reached[function.index()], true) {
            self.work.push(function);
        }
    }

    fn function(&mut self, id: FuncId) {
        let function: &Function = &self.module.functions[id];
        for (block, what) in function.blocks.iter_ids() {
            for (index, inst) in what.insts.iter().enumerate() {
                let place = Place {
                    block: block.index() as u32,
                    index: index as u32,
                };
                self.instruction(id, place, &inst.kind);
            }
            if let Terminator::Return(values) = &what.term {
                for (i, &value) in values.iter().enumerate() {
                    let to = self.results[id.index()].get(i).copied();
                    if let (Some(from), Some(to)) = (self.operand(id, value), to) {
                        self.copy(from, to);
                    }
                }
            }
        }
    }

    fn instruction(&mut self, f: FuncId, place: Place, kind: &InstKind) {
        use InstKind as K;
        match kind {
            K::Copy { dst, value } => self.value(f, *value, *dst),
            K::Select { dst, a, b, .. } => {
                self.value(f, *a, *dst);
                self.value(f, *b, *dst);
            }
            K::Cast { op, dst, a, .. } => match op {
                CastOp::Bitcast | CastOp::ZExt | CastOp::SExt => self.value(f, *a, *dst),
                _ => self.computed(f, *a, *dst),
            },
            K::Bin { op, dst, a, b, .. } => self.arithmetic(f, *op, *dst, *a, *b),
            K::Un { op, dst, a } => match op {
                selvedge_ir::UnOp::Freeze => self.value(f, *a, *dst),
                _ => self.computed(f, *a, *dst),
            },
            K::Cmp { .. } | K::FCmp { .. } => {}
            K::Overflow { dst, a, b, .. } | K::Saturating { dst, a, b, .. } | K::MinMax { dst, a, b, .. } => {
                self.computed(f, *a, *dst);
                self.computed(f, *b, *dst);
            }
            K::Funnel { dst, a, b, .. } => {
                self.computed(f, *a, *dst);
                self.computed(f, *b, *dst);
            }
            K::Fma { dst, a, b, c } => [a, b, c].iter().for_each(|v| self.computed(f, **v, *dst)),
            K::LocalAddr { dst, local } => {
                let at = self.address(Object::Local(f, *local), Offset::START);
                let to = self.register(f, *dst);
                self.copy(at, to);
            }
            K::Alloca { dst, .. } => {
                let at = self.address(Object::Allocated(f, place), Offset::START);
                let to = self.register(f, *dst);
                self.copy(at, to);
            }
            K::Gep {
                dst,
                base,
                offset,
                terms,
                inbounds,
            } => {
                let constant = |o: Operand| match o {
                    Operand::Const(value, ty) => Some(signed(value, ty)),
                    _ => None,
                };
                let (mut offset, mut stride) = (*offset, 0);
                for term in terms {
                    match constant(term.index) {
                        Some(index) => {
                            offset = offset.wrapping_add(term.stride.wrapping_mul(index));
                        }
                        None => stride = super::offset::gcd(stride, term.stride.unsigned_abs()),
                    }
                }
                if let Some(from) = self.operand(f, *base) {
                    let to = self.register(f, *dst);
                    self.shift(from, to, offset, stride);
                }
                if !*inbounds || matches!(base, Operand::Const(..)) {
                    self.number(f, *dst);
                }
            }
            K::Load { dst, ptr, ty, .. } => {
                if let Some(pointer) = self.operand(f, *ptr) {
                    let to = self.register(f, *dst);
                    self.load(pointer, Some(u64::from(ty.bytes())), to);
                }
            }
            K::Store { ptr, value, ty, .. } => self.stored(f, *ptr, *value, *ty, true),
            K::Rmw {
                op,
                dst,
                ptr,
                value,
                ty,
                ..
            } => {
                if let Some(pointer) = self.operand(f, *ptr) {
                    let old = self.register(f, *dst);
                    self.load(pointer, Some(u64::from(ty.bytes())), old);
                    if *op != RmwOp::Xchg {
                        let new = self.solver.variable();
                        self.shift(old, new, 0, 1);
                        self.numbers.push(new);
                        self.store(pointer, u64::from(ty.bytes()), new);
                    }
                }
                self.stored(f, *ptr, *value, *ty, *op == RmwOp::Xchg);
            }
            K::CompareExchange {
                old, ptr, new, ty, ..
            } => {
                if let Some(pointer) = self.operand(f, *ptr) {
                    let to = self.register(f, *old);
                    self.load(pointer, Some(u64::from(ty.bytes())), to);
                }
                self.stored(f, *ptr, *new, *ty, true);
            }
            K::MemCopy { dst, src, len, .. } => {
                let length = match len {
                    Operand::Const(n, _) => u64::try_from(*n).ok(),
                    _ => None,
                };
                if let (Some(to), Some(from)) = (self.operand(f, *dst), self.operand(f, *src)) {
                    self.solver.add(Constraint::Move { to, from, length });
                }
            }
            K::MemSet { dst, value, .. } => {
                if let (Some(to), Some(from)) = (self.operand(f, *dst), self.operand(f, *value)) {
                    self.store_anywhere(to, from);
                }
            }
            K::Call {
                results,
                callee,
                args,
                ..
            } => self.call(f, place, results, *callee, args),
            K::VaStart { list } => {
                let area = self.address(Object::Arguments(f), Offset::START);
                if let Some(list) = self.operand(f, *list) {
                    for field in [8, 16] {
                        let at = self.solver.variable();
                        self.shift(list, at, field, 0);
                        self.store(at, 8, area);
                    }
                }
            }
            K::VaCopy { dst, src } => {
                if let (Some(to), Some(from)) = (self.operand(f, *dst), self.operand(f, *src)) {
                    let length = Some(24);
                    self.solver.add(Constraint::Move { to, from, length });
                }
            }
            K::LifetimeStart { .. }
            | K::LifetimeEnd { .. }
            | K::StackSave { .. }
            | K::StackRestore { .. }
            | K::Fence { .. }
            | K::Pause
            | K::Unsupported { .. } => {}
            K::LandingPad { exception, .. } => {
                let to = self.register(f, *exception);
                self.copy(self.thrown, to);
            }
        }
    }

    /// Assigns the value to the register without change.
    fn value(&mut self, f: FuncId, value: Operand, dst: Reg) {
        if let Some(from) = self.operand(f, value) {
            let to = self.register(f, dst);
            self.copy(from, to);
        }
    }

    /// The value of a register may be any number.
    fn number(&mut self, f: FuncId, dst: Reg) {
        let number = self.register(f, dst);
        self.numbers.push(number);
    }

    /// Assigns a value computed from the operand to the register.
    fn computed(&mut self, f: FuncId, value: Operand, dst: Reg) {
        self.number(f, dst);
        if let Some(from) = self.operand(f, value) {
            let to = self.register(f, dst);
            self.shift(from, to, 0, 1);
        }
    }

    fn arithmetic(&mut self, f: FuncId, op: BinOp, dst: Reg, a: Operand, b: Operand) {
        let constant = |o: Operand| match o {
            Operand::Const(value, ty) => Some(signed(value, ty)),
            _ => None,
        };
        let shifted = match (op, constant(a), constant(b)) {
            (BinOp::Add, None, Some(by)) => Some((a, by)),
            (BinOp::Add, Some(by), None) => Some((b, by)),
            (BinOp::Sub, None, Some(by)) => Some((a, by.wrapping_neg())),
            _ => None,
        };
        self.number(f, dst);
        if let Some((value, by)) = shifted {
            if let Some(from) = self.operand(f, value) {
                let to = self.register(f, dst);
                self.shift(from, to, by, 0);
            }
            return;
        }
        self.computed(f, a, dst);
        self.computed(f, b, dst);
    }

    fn stored(&mut self, f: FuncId, pointer: Operand, value: Operand, ty: Type, whole: bool) {
        let (Some(pointer), Some(mut from)) = (self.operand(f, pointer), self.operand(f, value)) else {
            return;
        };
        if !whole {
            let any = self.solver.variable();
            self.shift(from, any, 0, 1);
            from = any;
        }
        self.store(pointer, u64::from(ty.bytes()), from);
    }
}

/// Whether a constant looks like the address of an object of the machine.
pub(super) const fn is_address(value: u128) -> bool {
    value >= 1 << 32 && value < 1 << 63
}

/// A constant as a signed number.
fn signed(value: u128, ty: Type) -> i64 {
    let value = value as i64;
    match ty.bits() {
        bits @ 1..64 => value << (64 - bits) >> (64 - bits),
        _ => value,
    }
}

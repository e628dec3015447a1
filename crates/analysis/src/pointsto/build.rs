//! From the ir to constraints: each function once, when it may be called.
//!
//! A register is a variable, whatever its type, because an address may be stored in integers, split
//! into bytes and put together again. Arithmetic with an unknown result gives any byte of the
//! objects into which its operands point. There is one exception, by LLVM's rules for pointers
//! ("based on", LangRef, Pointer Aliasing Rules): the index of an address computation contributes
//! an offset and no object. A program that goes from one object to another by the difference of
//! their addresses has undefined behaviour, and facts do not cover it.

use super::object::{Library, Object};
use super::offset::Offset;
use super::solve::{Constraint, Solver, VarId};
use crate::Place;
use crate::library::{Effect, Returns, Special, effect, thrower};
use rustc_hash::FxHashMap;
use selvedge_base::Id;
use selvedge_ir::{
    BinOp, Callee, CastOp, FuncId, Function, InstKind, Module, Operand, Reg, RmwOp, Symbol, Terminator, Type,
};
use std::collections::{BTreeMap, BTreeSet};

/// The prefixes of functions that replace the library function named by the rest of their name.
const STAND_INS: [&str; 2] = ["__selvedge_symbolic_", "__selvedge_"];

/// A call whose callee is found while solving.
#[derive(Clone, Debug)]
struct Site {
    /// The calling function and the place of the call, if it is in the program.
    at: Option<(FuncId, Place)>,
    arguments: Vec<Option<VarId>>,
    results: Vec<VarId>,
}

/// The constraints of a program so far.
pub(super) struct Builder<'a> {
    module: &'a Module,
    /// True if the machine has a model of a library function.
    modelled: &'a dyn Fn(&str) -> bool,
    /// Functions of the model library that replace a library function, by its name.
    stand_ins: FxHashMap<&'a str, Vec<FuncId>>,
    pub solver: Solver,
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
    pub fn new(module: &'a Module, modelled: &'a dyn Fn(&str) -> bool) -> Builder<'a> {
        let mut solver = Solver::default();
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
                ..
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

    /// Assigns a value computed from the operand to the register.
    fn computed(&mut self, f: FuncId, value: Operand, dst: Reg) {
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

    fn call(&mut self, f: FuncId, place: Place, results: &[Reg], callee: Callee, args: &[Operand]) {
        let arguments = args.iter().map(|&a| self.operand(f, a)).collect();
        let results = results.iter().map(|&r| self.register(f, r)).collect();
        let site = self.site(Site {
            at: Some((f, place)),
            arguments,
            results,
        });
        match callee {
            Callee::Direct(function) => self.link(site, function),
            Callee::Indirect(address) => {
                if let Some(callee) = self.operand(f, address) {
                    self.solver.add(Constraint::Call { callee, site });
                }
            }
        }
    }

    fn site(&mut self, site: Site) -> u32 {
        self.sites.push(site);
        self.sites.len() as u32 - 1
    }

    /// The library calls the functions to which a variable points.
    fn call_back(&mut self, callee: Option<VarId>, arguments: Vec<Option<VarId>>, results: Vec<VarId>) {
        let site = self.site(Site {
            at: None,
            arguments,
            results,
        });
        if let Some(callee) = callee {
            self.solver.add(Constraint::Call { callee, site });
        }
    }

    /// Records that a call may run a function.
    fn link(&mut self, site: u32, callee: FuncId) {
        if !self.linked.insert((site, callee)) {
            return;
        }
        let Site {
            at,
            arguments,
            results,
        } = self.sites[site as usize].clone();
        match at {
            Some(at) => {
                self.callees.entry(at).or_default().insert(callee);
            }
            None => {
                self.called_by_library.insert(callee);
            }
        }
        let function = &self.module.functions[callee];
        for other in self
            .stand_ins
            .get(function.name.as_str())
            .cloned()
            .unwrap_or_default()
        {
            self.link(site, other);
        }
        if !function.is_defined() {
            match effect(&function.name) {
                Some(effect) => {
                    self.library(site, &effect);
                    if let Some(thrower) = thrower(&function.name).and_then(|name| self.module.function(name))
                    {
                        self.link(site, thrower);
                    }
                }
                None if (self.modelled)(&function.name) => {
                    self.unknown.insert(callee);
                }
                // The machine reports that it has no such function, and the verdict is unknown.
                None => {}
            }
            return;
        }
        self.reach(callee);
        for (i, argument) in arguments.iter().enumerate() {
            let Some(from) = *argument else { continue };
            match function.params.get(i) {
                Some(&parameter) => {
                    let to = self.register(callee, parameter);
                    self.copy(from, to);
                }
                None if function.varargs => {
                    let area = self.address(Object::Arguments(callee), Offset::ANY);
                    self.store(area, 8, from);
                }
                None => {}
            }
        }
        for (i, &to) in results.iter().enumerate() {
            if let Some(&from) = self.results[callee.index()].get(i) {
                self.copy(from, to);
            }
        }
    }

    fn library(&mut self, site: u32, effect: &Effect) {
        let Site {
            at,
            arguments,
            results,
        } = self.sites[site as usize].clone();
        let argument = |i: u8| arguments.get(usize::from(i)).copied().flatten();
        let fresh = match at {
            Some((function, place)) => Object::Allocated(function, place),
            None => Object::Library(Library::Static),
        };
        let result = match effect.result {
            Returns::Nothing => None,
            Returns::New => Some(self.address(fresh, Offset::START)),
            Returns::Within(i) => argument(i).map(|from| {
                let to = self.solver.variable();
                self.shift(from, to, 0, 1);
                to
            }),
            Returns::Argument(i) => argument(i),
            Returns::Errno => Some(self.address(Object::Library(Library::Errno), Offset::START)),
            Returns::Files => Some(self.address(Object::Library(Library::Files), Offset::ANY)),
            Returns::Environment => Some(self.address(Object::Library(Library::Arguments), Offset::ANY)),
            Returns::Static => Some(self.address(Object::Library(Library::Static), Offset::ANY)),
        };
        if let (Some(from), Some(&to)) = (result, results.first()) {
            self.copy(from, to);
        }
        let length = None;
        match effect.special {
            Special::Nothing => {}
            Special::Copies(to, from) => {
                if let (Some(to), Some(from)) = (argument(to), argument(from)) {
                    self.solver.add(Constraint::Move { to, from, length });
                }
            }
            Special::Renews(from) | Special::Duplicates(from) => {
                let Some(from) = argument(from) else { return };
                let to = self.address(fresh, Offset::START);
                self.solver.add(Constraint::Move { to, from, length });
                if let (Special::Renews(_), Some(&result)) = (effect.special, results.first()) {
                    self.copy(from, result);
                }
            }
            Special::Allocates(to) => {
                let from = self.address(fresh, Offset::START);
                if let Some(to) = argument(to) {
                    self.store(to, 8, from);
                }
            }
            Special::Ends(from, to) => {
                if let (Some(from), Some(to)) = (argument(from), argument(to)) {
                    let any = self.solver.variable();
                    self.shift(from, any, 0, 1);
                    self.store(to, 8, any);
                }
            }
            Special::Formats => {
                if let Some(to) = argument(0) {
                    let text = self.told(&arguments[1..]);
                    self.store_anywhere(to, text);
                }
            }
            Special::Prints => {
                let files = self.address(Object::Library(Library::Files), Offset::ANY);
                let text = self.told(&arguments);
                self.store_anywhere(files, text);
            }
            Special::Output(from) => {
                let files = self.address(Object::Library(Library::Files), Offset::ANY);
                if let Some(from) = argument(from) {
                    let text = self.contents(from);
                    self.store_anywhere(files, text);
                }
            }
            Special::Input(to) => {
                let files = self.address(Object::Library(Library::Files), Offset::ANY);
                if let Some(to) = argument(to) {
                    let text = self.contents(files);
                    self.store_anywhere(to, text);
                }
            }
            Special::Starts(callee, with) => {
                let result = self.of_threads;
                self.call_back(argument(callee), vec![argument(with)], vec![result]);
            }
            Special::StartsState => self.start_state(argument(1)),
            Special::Joins(to) => {
                if let Some(to) = argument(to) {
                    let from = self.of_threads;
                    self.store(to, 8, from);
                }
            }
            Special::EndsThread(with) => {
                if let Some(from) = argument(with) {
                    let to = self.of_threads;
                    self.copy(from, to);
                }
            }
            Special::Calls(callee) => self.call_back(argument(callee), Vec::new(), Vec::new()),
            Special::CallsWith(callee, with) => {
                self.call_back(argument(callee), vec![argument(with)], Vec::new());
            }
            Special::CallsStored(at) => {
                let callee = argument(at).map(|at| self.contents(at));
                self.call_back(callee, Vec::new(), Vec::new());
            }
            Special::CallsOnceCall => {
                if let Some(global) = self.module.global("_ZSt11__once_call") {
                    let at = self.address(Object::Global(global), Offset::START);
                    let callee = self.contents(at);
                    self.call_back(Some(callee), Vec::new(), Vec::new());
                }
            }
            Special::Throws(exception, object) => {
                if let (Some(exception), Some(object)) = (argument(exception), argument(object)) {
                    let to = self.thrown;
                    self.copy(exception, to);
                    let part = self.solver.variable();
                    self.shift(object, part, 0, 1);
                    let pointer = self.contents(object);
                    self.shift(pointer, part, 0, 1);
                    self.store_anywhere(exception, part);
                }
            }
            Special::MakesKey(callee) => {
                let kept = self.under_keys;
                self.call_back(argument(callee), vec![Some(kept)], Vec::new());
            }
            Special::SetsKey(value) => {
                if let Some(from) = argument(value) {
                    let to = self.under_keys;
                    self.copy(from, to);
                }
            }
            Special::GetsKey => {
                if let Some(&to) = results.first() {
                    let from = self.under_keys;
                    self.copy(from, to);
                }
            }
        }
    }

    /// The addresses that a text made of these arguments may contain: the arguments, and what they
    /// point to.
    fn told(&mut self, arguments: &[Option<VarId>]) -> VarId {
        let text = self.solver.variable();
        for argument in arguments.iter().flatten() {
            self.shift(*argument, text, 0, 1);
            // A list of variable arguments leads to the arguments, and these to their texts.
            let mut behind = *argument;
            for _ in 0..3 {
                behind = self.contents(behind);
                self.shift(behind, text, 0, 1);
            }
        }
        text
    }

    /// `std::thread::_State`: argument 1 points to a pointer to an object whose table of virtual
    /// functions has the two destructors and what the thread runs.
    fn start_state(&mut self, state: Option<VarId>) {
        let Some(state) = state else { return };
        let object = self.solver.variable();
        self.load(state, Some(8), object);
        let table = self.solver.variable();
        self.load(object, Some(8), table);
        let functions = self.contents(table);
        self.call_back(Some(functions), vec![Some(object)], Vec::new());
    }
}

/// A constant as a signed number.
fn signed(value: u128, ty: Type) -> i64 {
    let value = value as i64;
    match ty.bits() {
        bits @ 1..64 => value << (64 - bits) >> (64 - bits),
        _ => value,
    }
}

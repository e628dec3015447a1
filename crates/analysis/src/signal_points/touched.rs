//! What the handlers of signals may access, and what comes of them.
//!
//! What a handler may access is found without points-to sets: global variables by name, everything
//! else as one. A handler is each function whose address is taken and whose first parameter is a
//! number, if it has one; and what it calls, where a call through a pointer may run each function
//! whose address is taken. A plain access to any other object of the interrupted thread comes
//! before or after the handler with the same result.

use crate::Escape;
use crate::library::{is_local, may_set_error};
use rustc_hash::{FxHashMap, FxHashSet};
use selvedge_base::IdVec;
use selvedge_ir::{
    Callee, FuncId, Function, GlobalId, InstKind, LocalId, Module, Operand, Reg, Symbol, Type,
};

/// Functions that end a handler otherwise than by returning, and let code of the program go on.
const LEAVES: [&str; 13] = [
    "longjmp",
    "_longjmp",
    "siglongjmp",
    "__longjmp_chk",
    "pthread_exit",
    "thrd_exit",
    "exit",
    "quick_exit",
    "_Unwind_RaiseException",
    "_Unwind_Resume",
    "__cxa_throw",
    "__cxa_rethrow",
    "pthread_testcancel",
];
/// Library functions by which a handler tells others something and learns nothing, or that end the
/// process.
const TELLS: [&str; 13] = [
    "sem_post",
    "write",
    "pthread_kill",
    "_exit",
    "_Exit",
    "abort",
    "__assert_fail",
    "reach_error",
    "__VERIFIER_error",
    "getpid",
    "time",
    "clock_gettime",
    "__errno_location",
];
/// Functions of the model library that deliver signals, and never set the error number.
const KEEPS_ERROR: [&str; 1] = ["pthread_kill"];
/// Functions of the model library that wait.
const WAITING: [&str; 4] = ["pause", "sigsuspend", "sigwait", "sigwaitinfo"];

/// What an address is in.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Base {
    Global(GlobalId),
    /// A stack object of the function that nobody else reaches.
    Private,
    Anything,
}

/// What the registers of a function hold the address of, where one instruction decides it.
pub(super) struct Bases {
    from: FxHashMap<Reg, Option<Operand>>,
    locals: FxHashMap<Reg, LocalId>,
    /// The stack objects of the function that nobody else reaches.
    private: IdVec<LocalId, bool>,
}

impl Bases {
    /// Of a function, with which of its stack objects nobody else reaches.
    pub fn of(function: &Function, private: IdVec<LocalId, bool>) -> Bases {
        let (mut from, mut locals) = (FxHashMap::default(), FxHashMap::default());
        for &param in &function.params {
            from.insert(param, None);
        }
        for inst in function.blocks.iter().flat_map(|block| &block.insts) {
            let source = match &inst.kind {
                InstKind::Gep { base, .. } => Some(*base),
                InstKind::Copy { value, .. } => Some(*value),
                _ => None,
            };
            inst.kind.for_each_result(|reg| {
                let again = from.insert(reg, source).is_some();
                if again {
                    from.insert(reg, None);
                    locals.remove(&reg);
                } else if let InstKind::LocalAddr { local, .. } = inst.kind {
                    locals.insert(reg, local);
                }
            });
        }
        Bases {
            from,
            locals,
            private,
        }
    }

    /// What an address is in.
    pub fn base(&self, mut operand: Operand) -> Base {
        // A chain is not longer than there are registers.
        for _ in 0..=self.from.len() {
            match operand {
                Operand::Global(id, _) => return Base::Global(id),
                Operand::Reg(reg) => match (self.locals.get(&reg), self.from.get(&reg)) {
                    (Some(&local), _) if self.private[local] => return Base::Private,
                    (Some(_), _) => return Base::Anything,
                    (None, Some(Some(from))) => operand = *from,
                    _ => return Base::Anything,
                },
                _ => return Base::Anything,
            }
        }
        Base::Anything
    }
}

/// What handlers may access.
#[derive(Default)]
pub(super) struct Touched {
    read: FxHashSet<GlobalId>,
    written: FxHashSet<GlobalId>,
    /// Whether they may read, or write, what a pointer points to.
    reads_any: bool,
    writes_any: bool,
    /// Global variables whose addresses are used otherwise than in accesses.
    escaped: FxHashSet<GlobalId>,
    /// Whether one may end otherwise than by returning.
    leaves: bool,
    /// Whether one may learn of what other threads do.
    learns: bool,
    /// Whether one may call a library function that sets the error number, which is in no global
    /// variable.
    sets_error: bool,
    /// The functions whose addresses are taken.
    taken: FxHashSet<FuncId>,
}

impl Touched {
    /// Of all handlers of a module. `delivering`: the functions that deliver signals.
    pub fn by_handlers(module: &Module, delivering: &FxHashSet<FuncId>) -> Touched {
        let mut touched = Touched::default();
        let escape = Escape::of(module);
        let taken = touched.look_for_addresses(module);
        let is_handler = |id: &FuncId| {
            let function = &module.functions[*id];
            let first = function.params.first().map(|&reg| function.regs[reg].ty);
            let fits = first.is_none_or(|ty| ty != Type::Ptr && ty.bits() <= 64);
            function.is_defined() && !delivering.contains(id) && fits
        };
        // A library function may be a handler itself.
        for &id in taken.iter().filter(|&&id| !module.functions[id].is_defined()) {
            touched.note_call(&module.functions[id]);
        }
        let mut open: Vec<FuncId> = taken.iter().copied().filter(is_handler).collect();
        let mut all: FxHashSet<FuncId> = open.iter().copied().collect();
        while let Some(id) = open.pop() {
            let function = &module.functions[id];
            let bases = Bases::of(function, escape.private_locals(function));
            for inst in function.blocks.iter().flat_map(|block| &block.insts) {
                touched.note(&inst.kind, &bases);
                touched.note_others(module, &inst.kind);
                let InstKind::Call { callee, .. } = &inst.kind else {
                    continue;
                };
                let callees: Vec<FuncId> = match callee {
                    Callee::Direct(callee) if module.functions[*callee].is_defined() => vec![*callee],
                    // A library function that works on what it is given, or calls back.
                    Callee::Direct(_) => {
                        let mut given = Vec::new();
                        inst.kind.for_each_operand(|operand| match operand {
                            Operand::Func(id) => given.push(id),
                            Operand::Global(..) | Operand::Reg(_) => touched.note_given(operand, &bases),
                            _ => {}
                        });
                        given
                    }
                    Callee::Indirect(_) => taken.iter().copied().collect(),
                };
                for callee in callees {
                    // Their bodies are not looked at.
                    let name = module.functions[callee].name.as_str();
                    touched.sets_error |= delivering.contains(&callee) && !KEEPS_ERROR.contains(&name);
                    if module.functions[callee].is_defined()
                        && !delivering.contains(&callee)
                        && all.insert(callee)
                    {
                        open.push(callee);
                    }
                }
            }
        }
        touched.taken = taken;
        touched
    }

    /// The functions whose addresses are taken; and notes the global variables.
    fn look_for_addresses(&mut self, module: &Module) -> FxHashSet<FuncId> {
        let mut taken = FxHashSet::default();
        for global in module.globals.iter() {
            for relocation in &global.relocations {
                match relocation.symbol {
                    Symbol::Func(id) => _ = taken.insert(id),
                    Symbol::Global(id) => _ = self.escaped.insert(id),
                }
            }
        }
        for function in module.functions.iter() {
            for block in function.blocks.iter() {
                for inst in &block.insts {
                    let accessed = match &inst.kind {
                        InstKind::Load { ptr, .. }
                        | InstKind::Store { ptr, .. }
                        | InstKind::Rmw { ptr, .. } => Some(*ptr),
                        InstKind::CompareExchange { ptr, .. } => Some(*ptr),
                        _ => None,
                    };
                    let mut first = true;
                    inst.kind.for_each_operand(|operand| {
                        let is_access = std::mem::take(&mut first) && accessed == Some(operand);
                        match operand {
                            Operand::Func(id) => _ = taken.insert(id),
                            Operand::Global(id, _) if !is_access => _ = self.escaped.insert(id),
                            _ => {}
                        }
                    });
                }
                block.term.for_each_operand(|operand| match operand {
                    Operand::Func(id) => _ = taken.insert(id),
                    Operand::Global(id, _) => _ = self.escaped.insert(id),
                    _ => {}
                });
            }
        }
        taken
    }

    fn note(&mut self, kind: &InstKind, bases: &Bases) {
        accesses(kind, |operand, write| match bases.base(operand) {
            Base::Global(id) if write => _ = self.written.insert(id),
            Base::Global(id) => _ = self.read.insert(id),
            // Its own, or one whose address it was given.
            Base::Private => {}
            Base::Anything if write => self.writes_any = true,
            Base::Anything => self.reads_any = true,
        });
    }

    /// Notes whether an instruction of a handler leaves it, or learns of other threads.
    fn note_others(&mut self, module: &Module, kind: &InstKind) {
        match kind {
            InstKind::Load { order: Some(_), .. }
            | InstKind::Rmw { .. }
            | InstKind::CompareExchange { .. }
            | InstKind::Fence { .. } => self.learns = true,
            InstKind::Call {
                callee: Callee::Direct(callee),
                ..
            } => self.note_call(&module.functions[*callee]),
            _ => {}
        }
    }

    /// The same for a function that a handler calls, or is.
    fn note_call(&mut self, function: &Function) {
        let name = function.name.as_str();
        self.leaves |= LEAVES.contains(&name);
        let tells = function.is_defined() || is_local(name) || TELLS.contains(&name);
        self.sets_error |= !function.is_defined() && may_set_error(name);
        // Those of the library that wait have bodies.
        self.learns |= !tells || WAITING.contains(&name);
    }

    /// A library function that a handler calls may read and write what this points to.
    fn note_given(&mut self, operand: Operand, bases: &Bases) {
        match bases.base(operand) {
            Base::Global(id) => {
                self.written.insert(id);
                self.read.insert(id);
            }
            Base::Private => {}
            Base::Anything => {
                self.writes_any = true;
                self.reads_any = true;
            }
        }
    }

    /// Whether the address of a function is taken.
    pub fn is_taken(&self, function: FuncId) -> bool {
        self.taken.contains(&function)
    }

    /// Whether a handler may access the same, and one of the two writes.
    pub fn meets(&self, base: Base, write: bool) -> bool {
        let any = self.leaves || self.learns || self.writes_any || (write && self.reads_any);
        match base {
            Base::Private => self.leaves,
            Base::Global(id) => any || self.written.contains(&id) || (write && self.read.contains(&id)),
            Base::Anything => {
                let mut others = self.written.iter().chain(self.read.iter().filter(|_| write));
                any || self.sets_error || others.any(|id| self.escaped.contains(id))
            }
        }
    }
}

/// Calls `f` with the address of each plain access of an instruction, and whether it writes.
pub(super) fn accesses(kind: &InstKind, mut f: impl FnMut(Operand, bool)) {
    match kind {
        InstKind::Load { ptr, .. } => f(*ptr, false),
        InstKind::Store { ptr, .. } | InstKind::Rmw { ptr, .. } | InstKind::CompareExchange { ptr, .. } => {
            f(*ptr, true)
        }
        InstKind::MemCopy { dst, src, .. } | InstKind::VaCopy { dst, src } => {
            f(*dst, true);
            f(*src, false);
        }
        InstKind::MemSet { dst, .. } => f(*dst, true),
        _ => {}
    }
}

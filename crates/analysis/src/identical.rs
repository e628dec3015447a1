//! Whether a program can tell threads apart that run the same function with the same argument.
//!
//! Let two such threads be created one right after the other. If the program asks for nothing that
//! distinguishes them, an execution in which they have changed places is an execution, too. That
//! needs, beside what the machine sees while it runs (nothing visible between the creations, or
//! between the joins):
//!
//! - *The library.* Each function of it that is there is one of `is_blind`: it does not ask who
//!   calls it, what time it is, or for random numbers.
//! - *Handles.* What `pthread_create` stores is loaded only to be given to `pthread_join`.
//!   Attributes are the default ones, and nobody asks for results.
//! - *Addresses.* A thread's stack and what it allocates lie elsewhere than another's. Addresses
//!   are only used to access memory, compared for equality, and moved by numbers.

use crate::cfg::Cfg;
use crate::defuse::{DefUse, Definition, Place};
use crate::pointsto::{Object, ObjectId, PointsTo};
use selvedge_base::{Id, StmtId};
use selvedge_ir::{
    BinOp, Callee, CastOp, Comparison, FuncId, Function, InstKind, IntPred, Module, Operand, Reg, Terminator,
    Type,
};
use std::collections::{BTreeMap, BTreeSet};

/// What is known of threads that a program may start.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Facts {
    /// The functions that a thread may begin with: what they do with what they are given.
    pub starts: BTreeMap<FuncId, Given>,
    /// The statements that store handles of threads, or load them for joins.
    pub handles: BTreeSet<StmtId>,
}

/// What a start routine does with its argument.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Given {
    /// Anything.
    Used,
    /// It is moved about in local variables that nobody else sees, returned, and compared with
    /// numbers in these ways. Two arguments for which all comparisons have the same result cannot
    /// be told apart.
    Compared(Vec<Comparison>),
}

impl Given {
    /// The comparisons, if there is nothing else.
    pub fn compared(self) -> Option<Vec<Comparison>> {
        match self {
            Given::Used => None,
            Given::Compared(comparisons) => Some(comparisons),
        }
    }
}

/// Whether a library function does the same whichever of several identical threads calls it.
fn is_blind(name: &str) -> bool {
    let of = |prefix: &str, operations: &[&str]| {
        let operation = name.strip_prefix(prefix);
        operation.is_some_and(|operation| operations.contains(&operation))
    };
    matches!(
        name,
        "pthread_create"
            | "pthread_join"
            | "pthread_once"
            | "sched_yield"
            | "pthread_yield"
            | "malloc"
            | "calloc"
            | "free"
            | "abort"
            | "exit"
            | "_exit"
            | "memset"
            | "__assert_fail"
            | "__assert_rtn"
            | "__assert"
            | "reach_error"
            | "printf"
            | "puts"
            | "putchar"
            | "klee_assume"
    ) || of(
        "pthread_mutex_",
        &["init", "lock", "trylock", "unlock", "destroy"],
    ) || of(
        "pthread_cond_",
        &["init", "wait", "signal", "broadcast", "destroy"],
    ) || of("pthread_mutexattr_", &["init", "settype", "gettype", "destroy"])
        || of("pthread_spin_", &["init", "lock", "trylock", "unlock", "destroy"])
        || of("pthread_barrier_", &["init", "wait", "destroy"])
        || of(
            "pthread_rwlock_",
            &[
                "init",
                "rdlock",
                "wrlock",
                "tryrdlock",
                "trywrlock",
                "unlock",
                "destroy",
            ],
        )
        || of(
            "sem_",
            &["init", "wait", "trywait", "post", "getvalue", "destroy"],
        )
        || of("__VERIFIER_", &["assume", "error"])
        || name
            .strip_prefix("__VERIFIER_nondet_")
            .is_some_and(|kind| kind != "memory")
}

/// Whether a program may have identical threads that it cannot tell apart, by the names of the
/// functions in its module alone. This costs little, and refuses more than [`identical`] does.
///
/// # Errors
/// Why not, in words.
pub fn may_have_any(module: &Module) -> Result<(), String> {
    if module.function("pthread_create").is_none() {
        return Err("it creates no threads by pthread_create".to_owned());
    }
    for function in module.functions.iter() {
        if !function.is_defined() && !is_blind(&function.name) {
            return Err(format!("it uses {}", function.display));
        }
        if function.name.starts_with("__VERIFIER_atomic_") {
            return Err("it has atomic blocks".to_owned());
        }
    }
    Ok(())
}

/// What is known of a program's identical threads.
///
/// # Errors
/// Why the program may tell threads apart, in words.
pub fn identical(module: &Module, points_to: &PointsTo) -> Result<Facts, String> {
    if module.function("pthread_create").is_none() {
        return Err("it creates no threads by pthread_create".to_owned());
    }
    if points_to.unknown().next().is_some() {
        return Err("it uses library functions of which not all effects are known".to_owned());
    }
    let program = Look { module, points_to };
    let mut handles = BTreeSet::new();
    for (id, function) in program.running() {
        program.library(id, function)?;
        program.addresses(id, function)?;
        program.creations(id, function, &mut handles)?;
    }
    let mut found = Facts::default();
    for (id, function) in program.running() {
        program.joins(id, function, &handles, &mut found.handles)?;
        if let [parameter] = function.params[..] {
            found.starts.insert(id, program.given(function, parameter));
        }
    }
    Ok(found)
}

struct Look<'a> {
    module: &'a Module,
    points_to: &'a PointsTo,
}

/// The instructions of a function, with their places.
fn instructions(function: &Function) -> impl Iterator<Item = (Place, &selvedge_ir::Inst)> {
    let blocks = function.blocks.iter().enumerate();
    blocks.flat_map(|(block, code)| {
        let insts = code.insts.iter().enumerate();
        insts.map(move |(index, inst)| {
            let (block, index) = (block as u32, index as u32);
            (Place { block, index }, inst)
        })
    })
}

impl Look<'_> {
    /// The functions that may run, with their code.
    fn running(&self) -> impl Iterator<Item = (FuncId, &Function)> {
        let functions = self.module.functions.iter_ids();
        functions.filter(|(id, function)| function.is_defined() && self.points_to.may_run(*id))
    }

    /// Whether a function calls and mentions only functions that do not tell threads apart.
    fn library(&self, id: FuncId, function: &Function) -> Result<(), String> {
        if function.name.starts_with("__VERIFIER_atomic_") {
            return Err("it has atomic blocks".to_owned());
        }
        let mut used: BTreeSet<FuncId> = BTreeSet::new();
        let mention = |operand: Operand, used: &mut BTreeSet<FuncId>| {
            if let Operand::Func(function) = operand {
                used.insert(function);
            }
        };
        for (place, inst) in instructions(function) {
            inst.kind.for_each_operand(|operand| mention(operand, &mut used));
            if let InstKind::Call { callee, .. } = inst.kind {
                if let Callee::Direct(callee) = callee {
                    used.insert(callee);
                }
                used.extend(self.points_to.callees(id, place));
            }
        }
        for block in function.blocks.iter() {
            block.term.for_each_operand(|operand| mention(operand, &mut used));
        }
        let functions = used.into_iter().map(|used| &self.module.functions[used]);
        let mut others = functions.filter(|used| !used.is_defined() && !is_blind(&used.name));
        match others.next() {
            Some(other) => Err(format!("it uses {}", other.display)),
            None => Ok(()),
        }
    }

    fn name_of(&self, callee: Callee) -> Option<&str> {
        match callee {
            Callee::Direct(function) if !self.module.functions[function].is_defined() => {
                Some(&self.module.functions[function].name)
            }
            _ => None,
        }
    }

    /// Whether an operand may be an address that differs between identical threads.
    fn differs(&self, function: FuncId, operand: Operand) -> bool {
        let places = self.points_to.of_operand(function, operand);
        places.iter().any(|place| {
            let object = self.points_to.targets().what(place.object);
            match object {
                Object::Global(global) => self.module.globals[global].thread_local,
                Object::Function(_) => false,
                _ => true,
            }
        })
    }

    /// Whether addresses are used for nothing but what the module's documentation says.
    fn addresses(&self, id: FuncId, function: &Function) -> Result<(), String> {
        for (_, inst) in instructions(function) {
            let differs = |operand: &Operand| self.differs(id, *operand);
            let looks = match &inst.kind {
                InstKind::Bin { op, a, b, .. } => match op {
                    BinOp::Add => differs(a) && differs(b),
                    BinOp::Sub => differs(b),
                    _ => differs(a) || differs(b),
                },
                InstKind::Cmp { pred, a, b, .. } => {
                    !matches!(pred, IntPred::Eq | IntPred::Ne) && (differs(a) || differs(b))
                }
                InstKind::Cast { op, a, .. } => {
                    !matches!(op, CastOp::Bitcast | CastOp::ZExt | CastOp::SExt) && differs(a)
                }
                InstKind::Gep { terms, .. } => terms.iter().any(|term| differs(&term.index)),
                InstKind::Load { dst, ty, .. } => ty.bytes() < 8 && differs(&Operand::Reg(*dst)),
                InstKind::Rmw { op, value, ptr, .. } => {
                    // What is computed with an address in memory is one of these values, too.
                    *op != selvedge_ir::RmwOp::Xchg && (differs(value) || self.holds(id, *ptr))
                }
                InstKind::CompareExchange { .. }
                | InstKind::Store { .. }
                | InstKind::Copy { .. }
                | InstKind::Select { .. }
                | InstKind::LocalAddr { .. }
                | InstKind::LifetimeStart { .. }
                | InstKind::LifetimeEnd { .. }
                | InstKind::Alloca { .. }
                | InstKind::StackSave { .. }
                | InstKind::StackRestore { .. }
                | InstKind::Fence { .. }
                | InstKind::MemCopy { .. }
                | InstKind::MemSet { .. }
                | InstKind::Call { .. }
                | InstKind::Pause
                | InstKind::Unsupported { .. } => false,
                // Exceptions and variable arguments have addresses of their own.
                InstKind::LandingPad { .. } | InstKind::VaStart { .. } | InstKind::VaCopy { .. } => true,
                // All others compute.
                other => {
                    let mut any = false;
                    other.for_each_operand(|operand| any |= differs(&operand));
                    any
                }
            };
            if looks {
                return Err(format!("an address becomes a number in {}", function.display));
            }
        }
        for block in function.blocks.iter() {
            let on = match &block.term {
                Terminator::Switch { value, .. } => self.differs(id, *value),
                Terminator::Indirect { address, .. } => self.differs(id, *address),
                _ => false,
            };
            if on {
                return Err(format!("an address decides where {} goes on", function.display));
            }
        }
        Ok(())
    }

    /// Whether memory at an address may hold one that differs between identical threads.
    fn holds(&self, function: FuncId, pointer: Operand) -> bool {
        // Pointer-sized words that are exchanged are loaded somewhere: what matters is whether some
        // load from there gives such an address.
        let objects = self.objects(function, pointer);
        self.running().any(|(id, code)| {
            instructions(code).any(|(_, inst)| match &inst.kind {
                InstKind::Load { dst, ptr, .. } => {
                    self.differs(id, Operand::Reg(*dst)) && !self.objects(id, *ptr).is_disjoint(&objects)
                }
                _ => false,
            })
        })
    }

    fn objects(&self, function: FuncId, pointer: Operand) -> BTreeSet<ObjectId> {
        let places = self.points_to.of_operand(function, pointer);
        places.into_iter().map(|place| place.object).collect()
    }

    /// Whether threads are created as they should be; the objects that then hold their handles.
    fn creations(
        &self,
        id: FuncId,
        function: &Function,
        handles: &mut BTreeSet<ObjectId>,
    ) -> Result<(), String> {
        for (_, inst) in instructions(function) {
            let mut taken = false;
            let name = match &inst.kind {
                InstKind::Call { callee, args, .. } => {
                    for arg in args {
                        taken |= self.is_of_threads(*arg);
                    }
                    self.name_of(*callee).map(|name| (name, args))
                }
                other => {
                    other.for_each_operand(|operand| taken |= self.is_of_threads(operand));
                    None
                }
            };
            if taken {
                return Err("it calls pthread_create or pthread_join through a pointer".to_owned());
            }
            match name {
                Some(("pthread_create", args)) => {
                    if !is_null(args.get(1)) {
                        return Err("it creates threads with attributes".to_owned());
                    }
                    let Some(&out) = args.first() else {
                        return Err("it creates threads without a place for the handle".to_owned());
                    };
                    handles.extend(self.objects(id, out));
                }
                Some(("pthread_join", args)) if !is_null(args.get(1)) => {
                    return Err("it asks for what threads return".to_owned());
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn is_of_threads(&self, operand: Operand) -> bool {
        let Operand::Func(function) = operand else {
            return false;
        };
        let name = &self.module.functions[function].name;
        name == "pthread_create" || name == "pthread_join"
    }

    /// Whether handles are only joined; the statements that store or load them.
    fn joins(
        &self,
        id: FuncId,
        function: &Function,
        handles: &BTreeSet<ObjectId>,
        statements: &mut BTreeSet<StmtId>,
    ) -> Result<(), String> {
        let is_handle = |pointer: Operand| !self.objects(id, pointer).is_disjoint(handles);
        let mut uses = None;
        for (place, inst) in instructions(function) {
            let read = match &inst.kind {
                InstKind::Load { dst, ptr, .. } if is_handle(*ptr) => {
                    let uses = uses.get_or_insert_with(|| {
                        DefUse::of(function, &Cfg::of(self.module, function, |_| false))
                    });
                    statements.insert(inst.stmt);
                    !self.is_joined(function, uses, place, *dst)
                }
                InstKind::Rmw { ptr, .. } | InstKind::CompareExchange { ptr, .. } => is_handle(*ptr),
                InstKind::MemCopy { src, .. } => is_handle(*src),
                InstKind::Call { callee, args, .. } => match self.name_of(*callee) {
                    Some("pthread_create") => {
                        statements.insert(inst.stmt);
                        args.iter().skip(1).any(|&arg| is_handle(arg))
                    }
                    // What a function with a body does with it is looked at there.
                    Some(_) => args.iter().any(|&arg| is_handle(arg)),
                    None => false,
                },
                _ => false,
            };
            if read {
                return Err(format!(
                    "{} does more with a thread's handle than to join it",
                    function.display
                ));
            }
        }
        Ok(())
    }

    /// Whether what an instruction loads is used only as the first argument of joins.
    fn is_joined(&self, function: &Function, uses: &DefUse, place: Place, register: Reg) -> bool {
        uses.uses(Definition::At(place)).iter().all(|&(at, used)| {
            let block = function.blocks.iter().nth(at.block as usize);
            let inst = block.and_then(|block| block.insts.get(at.index as usize));
            let Some(InstKind::Call { callee, args, .. }) = inst.map(|inst| &inst.kind) else {
                return false;
            };
            let others = args.iter().skip(1).any(|&arg| arg == Operand::Reg(used));
            used == register && self.name_of(*callee) == Some("pthread_join") && !others
        })
    }

    /// What a start routine does with what it is given. `Compared` only if that is moved about in
    /// local variables that nobody else sees. Each of them has the low bits of the argument.
    fn given(&self, function: &Function, parameter: Reg) -> Given {
        let mut moved: BTreeSet<Reg> = BTreeSet::from([parameter]);
        let mut slots: BTreeSet<usize> = BTreeSet::new();
        let addresses: BTreeMap<Reg, usize> = instructions(function)
            .filter_map(|(_, inst)| match inst.kind {
                InstKind::LocalAddr { dst, local } => Some((dst, local.index())),
                _ => None,
            })
            .collect();
        let slot = |operand: &Operand| match operand {
            Operand::Reg(register) => addresses.get(register).copied(),
            _ => None,
        };
        let mut compared: Vec<Comparison> = Vec::new();
        loop {
            let before = (moved.len(), slots.len());
            for (_, inst) in instructions(function) {
                let is_moved = |operand: &Operand| matches!(operand, Operand::Reg(r) if moved.contains(r));
                match &inst.kind {
                    InstKind::Copy { dst, value } if is_moved(value) => {
                        moved.insert(*dst);
                    }
                    InstKind::Cast {
                        op: CastOp::Bitcast | CastOp::Trunc,
                        dst,
                        a,
                        ..
                    } if is_moved(a) && !is_float(function.regs[*dst].ty) => {
                        moved.insert(*dst);
                    }
                    InstKind::Cmp { pred, ty, a, b, .. } if is_moved(a) != is_moved(b) => {
                        let turned = is_moved(b);
                        let number = if turned { *a } else { *b };
                        match Comparison::with(*pred, number, *ty, turned) {
                            Some(found) if compared.contains(&found) => {}
                            Some(found) => compared.push(found),
                            None => return Given::Used,
                        }
                    }
                    InstKind::Store {
                        ptr,
                        value,
                        ty,
                        order: None,
                        ..
                    } if is_moved(value) && !is_moved(ptr) && slot(ptr).is_some() && ty.bytes() == 8 => {
                        slots.extend(slot(ptr));
                    }
                    InstKind::Load {
                        dst,
                        ptr,
                        ty,
                        order: None,
                        ..
                    } if slot(ptr).is_some_and(|slot| slots.contains(&slot)) && ty.bytes() == 8 => {
                        moved.insert(*dst);
                    }
                    InstKind::Load { ptr, .. } if slot(ptr).is_some_and(|slot| slots.contains(&slot)) => {
                        return Given::Used;
                    }
                    other => {
                        let mut used = false;
                        other.for_each_operand(|operand| used |= is_moved(&operand));
                        if used {
                            return Given::Used;
                        }
                    }
                }
            }
            if before == (moved.len(), slots.len()) {
                break;
            }
        }
        let is_moved = |operand: &Operand| matches!(operand, Operand::Reg(r) if moved.contains(r));
        let decides = function.blocks.iter().any(|block| {
            let mut used = false;
            if !matches!(block.term, Terminator::Return(_)) {
                block.term.for_each_operand(|operand| used |= is_moved(&operand));
            }
            used
        });
        // The slots' addresses are used for nothing but plain loads, whole stores, and their lives.
        let escapes = instructions(function).any(|(_, inst)| {
            let is_slot = |operand: &Operand| slot(operand).is_some_and(|slot| slots.contains(&slot));
            match &inst.kind {
                InstKind::Load { order: None, .. } => false,
                // A store of a part would leave a mixture there, which is not what is compared.
                InstKind::Store { ptr, value, ty, .. } => is_slot(value) || is_slot(ptr) && ty.bytes() != 8,
                other => {
                    let mut used = false;
                    other.for_each_operand(|operand| used |= is_slot(&operand));
                    used
                }
            }
        });
        let one_address = function.blocks.iter().all(|block| {
            let mut used = false;
            let is_slot = |operand: &Operand| slot(operand).is_some_and(|slot| slots.contains(&slot));
            block.term.for_each_operand(|operand| used |= is_slot(&operand));
            !used
        });
        // A register may be assigned at several places: one that holds an address, only there.
        let assigned_twice = instructions(function).any(|(_, inst)| {
            let mut twice = false;
            inst.kind.for_each_result(|register| {
                twice |= addresses.contains_key(&register)
                    && !matches!(inst.kind, InstKind::LocalAddr { local, .. } if addresses[&register] == local.index());
            });
            twice
        });
        match decides || escapes || !one_address || assigned_twice {
            true => Given::Used,
            false => Given::Compared(compared),
        }
    }
}

const fn is_float(ty: Type) -> bool {
    matches!(ty, Type::F32 | Type::F64)
}

fn is_null(operand: Option<&Operand>) -> bool {
    matches!(operand, Some(Operand::Const(0, Type::Ptr | Type::Int(_))))
}

//! The locks that a thread surely holds when it executes a statement.
//!
//! A forward analysis over all paths (`flow.rs`). A thread begins with none; at the entry of a
//! function those count that all its callers hold. Only a lock that is one concrete object has a
//! name here: a global variable, or a field of one, at a constant offset. What is taken through a
//! pointer counts if its points-to set is one such place.
//!
//! Dropped, which only loses locks: what is held where control comes by `longjmp`, by an exception
//! or by cancellation; everything after a call of an unknown function, or of one that calls back
//! later. Releasing through a pointer drops all locks to which it may point.
//!
//! Assumptions: those of points-to sets, and that nothing writes the memory of a lock that is held
//! but the functions for locks.

use crate::flow::{Effects, Flow, Meet, Members};
use crate::library::{self, Special};
use crate::pointsto::Object;
use crate::slice::Statement;
use crate::{Place, PointsTo};
use rustc_hash::FxHashMap;
use selvedge_base::Id;
use selvedge_ir::{BinOp, Block, FuncId, GlobalId, InstKind, IntPred, Module, Operand, Reg, Terminator};
use std::collections::{BTreeMap, BTreeSet};

/// A lock: a mutex, read-write lock or spin lock.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Lock {
    /// The variable.
    pub global: GlobalId,
    /// In bytes from the variable's start.
    pub offset: i64,
}

/// A lock that a thread holds.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Held {
    /// The lock.
    pub lock: Lock,
    /// True if it may be held for reading only.
    pub shared: bool,
}

/// The locks of a program.
pub struct Locks<'a> {
    flow: Flow<'a>,
    locks: Vec<Lock>,
    entries: FxHashMap<FuncId, Members>,
    known: bool,
}

impl<'a> Locks<'a> {
    /// Analyses a program. If something is unknown about its library functions
    /// ([`PointsTo::unknown`]), no lock counts as held.
    pub fn of(module: &'a Module, points_to: &'a PointsTo) -> Locks<'a> {
        let mut locking = Locking {
            module,
            points_to,
            robust: uses_robust_mutexes(module, points_to),
            numbers: BTreeMap::new(),
            effects: Effects::default(),
        };
        let functions = module
            .functions
            .iter_ids()
            .filter(|(id, _)| points_to.may_run(*id));
        let calls: Vec<(Statement, &[Operand])> = functions
            .flat_map(|(id, function)| calls(id, &function.blocks))
            .collect();
        // First all names of locks, then what is done to them.
        for (statement, args) in &calls {
            for role in locking.roles(*statement) {
                if let Some(&operand) = args.get(role.argument()) {
                    locking.number(statement.0, operand);
                }
            }
        }
        for (statement, args) in &calls {
            locking.call(*statement, args);
        }
        let mut locks: Vec<Lock> = locking.numbers.keys().copied().collect();
        locks.sort_unstable_by_key(|lock| locking.numbers[lock]);
        let all = (0..2 * locks.len() as u32).collect();
        let flow = Flow::of(module, points_to, Meet::Must, locking.effects, all);
        let roots = points_to
            .called_by_library()
            .chain(module.destructors.iter().copied());
        let roots: Vec<(FuncId, Members)> = roots.map(|f| (f, Members::new())).collect();
        Locks {
            entries: flow.entries(&roots),
            known: points_to.unknown().next().is_none(),
            flow,
            locks,
        }
    }

    /// The locks that a thread surely holds from the beginning to the end of a statement, in order.
    pub fn held(&self, statement: Statement) -> Vec<Held> {
        let entry = self.entries.get(&statement.0);
        let Some((entry, change)) = entry.zip(self.flow.before(statement)).filter(|_| self.known) else {
            return Vec::new();
        };
        let (before, given_up) = (change.of(entry), self.flow.during(statement));
        let held = |member: &u32| before.contains(member) && !given_up.contains(member);
        let numbered = self.locks.iter().zip(0..);
        let mut found: Vec<Held> = numbered
            .filter(|(_, number)| held(&shared(*number)))
            .map(|(&lock, number)| Held {
                lock,
                shared: !held(&exclusive(number)),
            })
            .collect();
        found.sort_unstable();
        found
    }
}

/// The member of a set that says that a lock is held for writing.
const fn exclusive(number: u32) -> u32 {
    2 * number
}

/// The member that says that it is held at all.
const fn shared(number: u32) -> u32 {
    2 * number + 1
}

/// What a function does to a lock.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Role {
    /// Takes it, or does not return.
    Takes { shared: bool },
    /// Takes it if it returns 0.
    Tries { shared: bool },
    /// Releases it, or makes it another one.
    Releases,
    /// Releases the mutex of argument 1, and takes it again before it returns.
    Waits,
    /// May release any lock.
    ReleasesAny,
}

impl Role {
    const fn argument(self) -> usize {
        match self {
            Role::Waits => 1,
            Role::Takes { .. } | Role::Tries { .. } | Role::Releases | Role::ReleasesAny => 0,
        }
    }
}

/// What a library function does to locks; none: nothing.
fn role(name: &str, robust: bool) -> Option<Role> {
    let family = ["pthread_mutex_", "pthread_rwlock_", "pthread_spin_", "mtx_"];
    Some(match name {
        "pthread_mutex_lock" if robust => Role::Tries { shared: false },
        "pthread_mutex_lock" | "mtx_lock" | "pthread_spin_lock" | "pthread_rwlock_wrlock" => {
            Role::Takes { shared: false }
        }
        "pthread_rwlock_rdlock" => Role::Takes { shared: true },
        "pthread_mutex_trylock"
        | "pthread_mutex_timedlock"
        | "pthread_mutex_clocklock"
        | "mtx_trylock"
        | "mtx_timedlock"
        | "pthread_spin_trylock"
        | "pthread_rwlock_trywrlock"
        | "pthread_rwlock_timedwrlock"
        | "pthread_rwlock_clockwrlock" => Role::Tries { shared: false },
        "pthread_rwlock_tryrdlock" | "pthread_rwlock_timedrdlock" | "pthread_rwlock_clockrdlock" => {
            Role::Tries { shared: true }
        }
        "pthread_cond_wait"
        | "pthread_cond_timedwait"
        | "pthread_cond_clockwait"
        | "cnd_wait"
        | "cnd_timedwait" => Role::Waits,
        _ if family.iter().any(|begin| name.starts_with(begin)) => Role::Releases,
        _ if name.starts_with("_ZNSt18condition_variable") => Role::ReleasesAny,
        _ => match library::effect(name)?.special {
            Special::Calls(_) | Special::CallsStored(_) | Special::CallsOnceCall => Role::ReleasesAny,
            _ => return None,
        },
    })
}

struct Locking<'a> {
    module: &'a Module,
    points_to: &'a PointsTo,
    /// Whether a mutex may be robust: then `pthread_mutex_lock` may fail.
    robust: bool,
    numbers: BTreeMap<Lock, u32>,
    effects: Effects,
}

impl Locking<'_> {
    /// What the library functions that a call may run do.
    fn roles(&self, call: Statement) -> Vec<Role> {
        let callees = self.points_to.callees(call.0, call.1);
        let functions = callees
            .map(|f| &self.module.functions[f])
            .filter(|f| !f.is_defined());
        functions.filter_map(|f| role(&f.name, self.robust)).collect()
    }

    /// The lock that an operand surely is.
    fn lock(&self, id: FuncId, operand: Operand) -> Option<Lock> {
        if self.points_to.is_wide(id, operand) || self.points_to.is_number(id, operand) {
            return None;
        }
        let [target] = self.points_to.of_operand(id, operand)[..] else {
            return None;
        };
        let Object::Global(global) = self.points_to.targets().what(target.object) else {
            return None;
        };
        let offset = target.offset.byte()?;
        (!self.module.globals[global].thread_local).then_some(Lock { global, offset })
    }

    fn number(&mut self, id: FuncId, operand: Operand) {
        if let Some(lock) = self.lock(id, operand) {
            let next = self.numbers.len() as u32;
            self.numbers.entry(lock).or_insert(next);
        }
    }

    /// The members of all locks that an operand may be.
    fn possible(&self, id: FuncId, operand: Operand) -> Members {
        let all = self.points_to.is_wide(id, operand) || self.points_to.is_number(id, operand);
        let targets = self.points_to.of_operand(id, operand);
        let is = |lock: &Lock| {
            all || targets.iter().any(|target| {
                let object = self.points_to.targets().what(target.object);
                let at = crate::pointsto::Offset::exact(lock.offset);
                object == Object::Global(lock.global) && target.offset.overlaps(Some(1), at, Some(1))
            })
        };
        let numbers = self.numbers.iter().filter(|(lock, _)| is(lock));
        numbers
            .flat_map(|(_, &number)| [exclusive(number), shared(number)])
            .collect()
    }

    fn call(&mut self, statement: Statement, args: &[Operand]) {
        let roles = self.roles(statement);
        let alone = self.points_to.callees(statement.0, statement.1).count() == 1;
        for role in roles {
            let operand = args.get(role.argument()).copied();
            let possible = match operand {
                Some(operand) if role != Role::ReleasesAny => self.possible(statement.0, operand),
                _ => (0..2 * self.numbers.len() as u32).collect(),
            };
            let number = operand.and_then(|operand| self.lock(statement.0, operand));
            let number = number.and_then(|lock| self.numbers.get(&lock).copied());
            match role {
                Role::Releases | Role::ReleasesAny => {
                    let step = self.effects.steps.entry(statement).or_default();
                    possible.into_iter().for_each(|member| step.take(member));
                }
                Role::Waits => {
                    self.effects
                        .meanwhile
                        .entry(statement)
                        .or_default()
                        .extend(possible);
                }
                Role::Takes { shared: only } => {
                    if let Some(number) = number.filter(|_| alone) {
                        let step = self.effects.steps.entry(statement).or_default();
                        given(number, only).for_each(|member| step.give(member));
                    }
                }
                Role::Tries { shared: only } => {
                    if let Some(number) = number.filter(|_| alone) {
                        self.on_success(statement, number, only);
                    }
                }
            }
        }
    }

    /// A lock is held along the edge that is taken if a call returns 0.
    fn on_success(&mut self, call: Statement, number: u32, only: bool) {
        let (id, place) = call;
        let block = &self.module.functions[id].blocks[Id::from_index(place.block as usize)];
        if let Some(to) = succeeds(block, place.index as usize) {
            let edge = self.effects.edges.entry((id, place.block, to)).or_default();
            given(number, only).for_each(|member| edge.give(member));
        }
    }
}

fn given(number: u32, only_shared: bool) -> impl Iterator<Item = u32> {
    let exclusive = (!only_shared).then_some(exclusive(number));
    exclusive.into_iter().chain([shared(number)])
}

/// The block to which control goes from a block if a call in it returned 0, and only then. The call
/// is the last one of the block.
fn succeeds(block: &Block, call: usize) -> Option<u32> {
    let InstKind::Call { results, .. } = &block.insts[call].kind else {
        return None;
    };
    let result = *results.first()?;
    let after = &block.insts[call + 1..];
    if after
        .iter()
        .any(|inst| matches!(inst.kind, InstKind::Call { .. }))
    {
        return None;
    }
    match &block.term {
        Terminator::Branch {
            cond: Operand::Reg(cond),
            then,
            otherwise,
        } if then != otherwise => {
            let to = match is_zero(block, block.insts.len(), *cond, (result, call))? {
                true => then,
                false => otherwise,
            };
            Some(to.index() as u32)
        }
        Terminator::Switch {
            value: Operand::Reg(value),
            cases,
            default,
            ..
        } if is_result(block, block.insts.len(), *value, (result, call)) => {
            let to = cases.iter().find(|(case, _)| *case == 0)?.1;
            let others = cases.iter().filter(|(case, _)| *case != 0).map(|(_, to)| *to);
            let only = others.chain([*default]).all(|other| other != to);
            only.then_some(to.index() as u32)
        }
        _ => None,
    }
}

/// The last assignment of a register before an instruction of a block.
fn assignment(block: &Block, before: usize, register: Reg) -> Option<usize> {
    (0..before).rev().find(|&index| {
        let mut assigns = false;
        block.insts[index]
            .kind
            .for_each_result(|r| assigns |= r == register);
        assigns
    })
}

/// Whether a register has what a call returned.
fn is_result(block: &Block, before: usize, register: Reg, (result, call): (Reg, usize)) -> bool {
    let Some(at) = assignment(block, before, register) else {
        return false;
    };
    match block.insts[at].kind {
        _ if at == call => register == result,
        InstKind::Copy {
            value: Operand::Reg(from),
            ..
        } => is_result(block, at, from, (result, call)),
        _ => false,
    }
}

/// Whether a register is true if what a call returned is 0 (`Some(true)`), or if it is not.
fn is_zero(block: &Block, before: usize, register: Reg, call: (Reg, usize)) -> Option<bool> {
    let at = assignment(block, before, register)?;
    match block.insts[at].kind {
        InstKind::Cmp {
            pred: pred @ (IntPred::Eq | IntPred::Ne),
            a: Operand::Reg(a),
            b: Operand::Const(0, _),
            ..
        } if is_result(block, at, a, call) => Some(pred == IntPred::Eq),
        InstKind::Bin {
            op: BinOp::Xor,
            a: Operand::Reg(a),
            b: Operand::Const(1, ty),
            ..
        } if ty.bits() == 1 => is_zero(block, at, a, call).map(|zero| !zero),
        InstKind::Copy {
            value: Operand::Reg(from),
            ..
        } => is_zero(block, at, from, call),
        _ => None,
    }
}

/// Whether the program may make a mutex robust.
fn uses_robust_mutexes(module: &Module, points_to: &PointsTo) -> bool {
    let running = module
        .functions
        .iter_ids()
        .filter(|(id, _)| points_to.may_run(*id));
    let called: BTreeSet<FuncId> = running
        .flat_map(|(id, function)| calls(id, &function.blocks))
        .flat_map(|(statement, ..)| points_to.callees(statement.0, statement.1))
        .collect();
    called.iter().any(|&f| {
        let name = module.functions[f].name.as_str();
        name.starts_with("pthread_mutexattr_setrobust") || name.starts_with("pthread_mutexattr_setpro")
    })
}

type Blocks = selvedge_base::IdVec<selvedge_ir::BlockId, Block>;

/// All calls of a function.
fn calls(id: FuncId, blocks: &Blocks) -> impl Iterator<Item = (Statement, &[Operand])> {
    blocks.iter_ids().flat_map(move |(number, what)| {
        let insts = what.insts.iter().enumerate();
        insts.filter_map(move |(index, inst)| match &inst.kind {
            InstKind::Call { args, .. } => {
                let place = Place {
                    block: number.index() as u32,
                    index: index as u32,
                };
                Some(((id, place), &args[..]))
            }
            _ => None,
        })
    })
}

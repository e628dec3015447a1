//! Global variables that are scratch space of atomic blocks: each block that reads one has assigned
//! it before. Programs that model a weaker memory order by instrumentation have them:
//!
//! ```text
//! __VERIFIER_atomic_begin();
//! flush = __VERIFIER_nondet_bool();
//! x = flush ? buffer : x;
//! __VERIFIER_atomic_end();
//! ```
//!
//! In memory, `flush` makes all blocks with this variable dependent on each other, and its last
//! value tells states apart that nothing else does. [`keep_in_registers`] puts such a variable into
//! a register of each function that uses it.
//!
//! # Why no behaviour is lost or added
//!
//! A block is never interrupted: no other thread runs between its begin and its end (the machine
//! supports no operation in a block that may wait). So a read within a block gives what the same
//! call of the function has assigned in the same block, and the register has that. Nothing else
//! reads the variable, because its address is used for nothing else. Two accesses in blocks are no
//! data race.
//!
//! # Conditions
//!
//! - The variable is an integer of at most 32 bits (a pointer to allocated memory in it would count
//!   for leaks), and neither thread-local nor constant.
//! - Its address is used by plain loads and stores of the whole variable only, all of one type.
//!   There is a load.
//! - Each access is in a block that the same function has begun, on each path to it. On each path
//!   from that begin to a load there is a store.
//! - Between the begin and the access, only functions are called that neither begin nor end a block
//!   ([`is_local`](crate::library::is_local), and what does no more than that).
//! - No signal handler is set: it could run within a block, and have blocks of its own.

use crate::blocks::{ATOMIC, BEGIN, END};
use crate::cfg::successors;
use crate::library;
use crate::signal_points::SETTERS;
use rustc_hash::{FxHashMap, FxHashSet};
use selvedge_base::Id;
use selvedge_ir::{
    BlockId, Callee, Function, GlobalId, Inst, InstKind, Module, Operand, Reg, RegInfo, Symbol, Type,
};

/// The widest variable, in bytes.
const WIDEST: u64 = 4;

/// Puts the scratch variables of atomic blocks into registers. Returns their number.
pub fn keep_in_registers(module: &mut Module) -> usize {
    let has = |name: &&str| module.function(name).is_some();
    let has_blocks = module.functions.iter().any(|f| f.name.starts_with(ATOMIC));
    if !has_blocks || SETTERS.iter().any(has) {
        return 0;
    }
    let mut types = plainly_used(module);
    if types.is_empty() {
        return 0;
    }
    let quiet = quiet(module);
    for (_, function) in module.functions.iter_ids() {
        let mut refused = FxHashSet::default();
        Walk::of(module, function, &quiet).each(|inst, inside| {
            let Some((global, is_load)) = access(&inst.kind) else {
                return;
            };
            let fulfils = inside.is_some_and(|assigned| !is_load || assigned.contains(&global));
            if !fulfils {
                refused.insert(global);
            }
        });
        types.retain(|global, _| !refused.contains(global));
    }
    let names: FxHashMap<GlobalId, RegInfo> = types
        .into_iter()
        .map(|(global, ty)| {
            let variable = &module.globals[global];
            let info = RegInfo {
                ty,
                name: Some(variable.name.clone()),
                shape: variable.shape,
            };
            (global, info)
        })
        .collect();
    for function in module.functions.iter_mut() {
        rewrite(function, &names);
    }
    names.len()
}

/// The variable that an instruction loads or stores at its beginning, and whether it loads.
const fn access(kind: &InstKind) -> Option<(GlobalId, bool)> {
    match kind {
        InstKind::Load {
            ptr: Operand::Global(global, 0),
            ..
        } => Some((*global, true)),
        InstKind::Store {
            ptr: Operand::Global(global, 0),
            ..
        } => Some((*global, false)),
        _ => None,
    }
}

/// The variables that are used by plain loads and stores of one type only, with this type. Each has
/// a load.
fn plainly_used(module: &Module) -> FxHashMap<GlobalId, Type> {
    let mut types: FxHashMap<GlobalId, Type> = FxHashMap::default();
    let mut refused: FxHashSet<GlobalId> = FxHashSet::default();
    let mut loaded: FxHashSet<GlobalId> = FxHashSet::default();
    let addresses = module.globals.iter().flat_map(|global| &global.relocations);
    refused.extend(addresses.filter_map(|relocation| match relocation.symbol {
        Symbol::Global(global) => Some(global),
        _ => None,
    }));
    for function in module.functions.iter() {
        for block in function.blocks.iter() {
            for inst in &block.insts {
                let plain = plain_access(&inst.kind);
                if let Some((global, ty)) = plain {
                    if *types.entry(global).or_insert(ty) != ty {
                        refused.insert(global);
                    }
                    if matches!(inst.kind, InstKind::Load { .. }) {
                        loaded.insert(global);
                    }
                }
                // The address may be used once, by the access.
                let mut own = plain.map(|(global, _)| global);
                inst.kind.for_each_operand(|operand| {
                    if let Some(global) = global_of(operand)
                        && own.take() != Some(global)
                    {
                        refused.insert(global);
                    }
                });
            }
            block
                .term
                .for_each_operand(|operand| refused.extend(global_of(operand)));
        }
    }
    types.retain(|&global, ty| {
        let variable = &module.globals[global];
        let is_whole = u64::from(ty.bytes()) == variable.size && variable.size <= WIDEST;
        let special = variable.thread_local || variable.constant || variable.external;
        matches!(ty, Type::Int(_))
            && is_whole
            && !special
            && loaded.contains(&global)
            && !refused.contains(&global)
    });
    types
}

const fn global_of(operand: Operand) -> Option<GlobalId> {
    match operand {
        Operand::Global(global, _) => Some(global),
        _ => None,
    }
}

/// The variable of a plain access to its first bytes, and the type of the access.
const fn plain_access(kind: &InstKind) -> Option<(GlobalId, Type)> {
    match kind {
        InstKind::Load {
            ptr: Operand::Global(global, 0),
            ty,
            volatile: false,
            order: None,
            ..
        }
        | InstKind::Store {
            ptr: Operand::Global(global, 0),
            ty,
            volatile: false,
            order: None,
            ..
        } => Some((*global, *ty)),
        _ => None,
    }
}

/// For each function, whether it neither begins nor ends a block, with all that it calls.
fn quiet(module: &Module) -> Vec<bool> {
    let mut quiet: Vec<bool> = module
        .functions
        .iter()
        .map(|function| {
            !function.name.starts_with(ATOMIC)
                && (function.is_defined()
                    || library::is_local(&function.name)
                    || library::ends_process(&function.name))
        })
        .collect();
    loop {
        let mut changed = false;
        for (id, function) in module.functions.iter_ids() {
            let calls_loudly = |inst: &Inst| match &inst.kind {
                InstKind::Call {
                    callee: Callee::Direct(callee),
                    ..
                } => !quiet[callee.index()],
                InstKind::Call { .. } => true,
                _ => false,
            };
            let mut insts = function.blocks.iter().flat_map(|block| &block.insts);
            if quiet[id.index()] && insts.any(calls_loudly) {
                quiet[id.index()] = false;
                changed = true;
            }
        }
        if !changed {
            return quiet;
        }
    }
}

/// The variables that a block has assigned up to a place; `None` outside of blocks.
type Inside = Option<FxHashSet<GlobalId>>;

/// What holds on all paths to the places of a function.
struct Walk<'a> {
    module: &'a Module,
    function: &'a Function,
    quiet: &'a [bool],
    /// At the beginning of each block that is reached.
    before: Vec<Option<Inside>>,
}

impl<'a> Walk<'a> {
    fn of(module: &'a Module, function: &'a Function, quiet: &'a [bool]) -> Walk<'a> {
        let mut walk = Walk {
            module,
            function,
            quiet,
            before: vec![None; function.blocks.len()],
        };
        if !function.is_defined() {
            return walk;
        }
        // The call of such a function is a block.
        let is_block = function.name.starts_with(ATOMIC);
        walk.before[0] = Some(is_block.then(FxHashSet::default));
        let mut work = vec![BlockId::from_index(0)];
        while let Some(id) = work.pop() {
            let Some(mut inside) = walk.before[id.index()].clone() else {
                continue;
            };
            let block = &function.blocks[id];
            block
                .insts
                .iter()
                .for_each(|inst| walk.through(inst, &mut inside));
            successors(&block.term, |next| {
                let known = &mut walk.before[next.index()];
                let joined = known
                    .as_ref()
                    .map_or_else(|| inside.clone(), |known| meet(known, &inside));
                if known.as_ref() != Some(&joined) {
                    *known = Some(joined);
                    work.push(next);
                }
            });
        }
        walk
    }

    /// What holds behind an instruction.
    fn through(&self, inst: &Inst, inside: &mut Inside) {
        match &inst.kind {
            InstKind::Call {
                callee: Callee::Direct(callee),
                ..
            } => {
                let function = &self.module.functions[*callee];
                *inside = match function.name.as_str() {
                    BEGIN if !function.is_defined() => Some(FxHashSet::default()),
                    END => None,
                    _ if self.quiet[callee.index()] => return,
                    _ => None,
                };
            }
            InstKind::Call { .. } => *inside = None,
            kind => {
                if let (Some((global, false)), Some(assigned)) = (access(kind), inside) {
                    assigned.insert(global);
                }
            }
        }
    }

    /// Calls `f` with each instruction and what holds before it. An instruction that is not reached
    /// is in no block.
    fn each(&self, mut f: impl FnMut(&Inst, Option<&FxHashSet<GlobalId>>)) {
        for (id, block) in self.function.blocks.iter_ids() {
            let mut inside = self.before[id.index()].clone().flatten();
            for inst in &block.insts {
                f(inst, inside.as_ref());
                self.through(inst, &mut inside);
            }
        }
    }
}

/// What holds behind two paths.
fn meet(one: &Inside, other: &Inside) -> Inside {
    Some(one.as_ref()?.intersection(other.as_ref()?).copied().collect())
}

/// Replaces the loads and stores of variables by copies from and to registers.
fn rewrite(function: &mut Function, variables: &FxHashMap<GlobalId, RegInfo>) {
    let mut registers: FxHashMap<GlobalId, Reg> = FxHashMap::default();
    let Function { blocks, regs, .. } = function;
    for inst in blocks.iter_mut().flat_map(|block| &mut block.insts) {
        let Some((global, _)) = access(&inst.kind) else {
            continue;
        };
        let Some(info) = variables.get(&global) else {
            continue;
        };
        let register = *registers.entry(global).or_insert_with(|| regs.push(info.clone()));
        inst.kind = match inst.kind {
            InstKind::Load { dst, .. } => InstKind::Copy {
                dst,
                value: Operand::Reg(register),
            },
            InstKind::Store { value, .. } => InstKind::Copy { dst: register, value },
            _ => continue,
        };
    }
}

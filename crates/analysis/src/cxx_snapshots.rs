//! `std::atomic<std::shared_ptr>` of libstdc++ 12: its lock is given back with the order that the
//! library should have.
//!
//! The pointer is protected by a lock, the lowest bit of a word (`bits/shared_ptr_atomic.h`).
//! Loading gives it back by a relaxed operation. So nothing orders the read of the pointer before
//! the write of the next thread that takes the lock: a data race by the letter, in each program
//! that loads and stores, and one that its author cannot mend. Here such an operation releases, and
//! the verdict says so ([`are_strengthened`]).

use selvedge_ir::{Callee, Function, InstKind, Module, Operand, Type};

/// How the function ends in which the lock is given back: `_Atomic_count::unlock(memory_order)`.
const UNLOCK: &str = "13_Atomic_count6unlockESt12memory_order";
/// The numbers of `std::memory_order`.
const RELAXED: u128 = 0;
const RELEASE: u128 = 3;

/// Lets each call that gives the lock back in relaxed order release. (In optimised code there is no
/// call, and all stays as it is.)
pub fn strengthen(module: &mut Module) {
    let is_unlock: Vec<bool> = module.functions.iter().map(unlocks).collect();
    if !is_unlock.contains(&true) {
        return;
    }
    for function in module.functions.iter_mut() {
        for block in function.blocks.iter_mut() {
            for inst in &mut block.insts {
                let InstKind::Call { callee, args, .. } = &mut inst.kind else {
                    continue;
                };
                if let Callee::Direct(id) = callee
                    && is_unlock[selvedge_base::Id::index(*id)]
                    && let Some(Operand::Const(order @ RELAXED, Type::I32)) = args.get_mut(1)
                {
                    *order = RELEASE;
                }
            }
        }
    }
}

fn unlocks(function: &Function) -> bool {
    function.is_defined() && function.name.ends_with(UNLOCK)
}

/// Whether a program has such a lock.
pub fn are_strengthened(module: &Module) -> bool {
    module.functions.iter().any(unlocks)
}

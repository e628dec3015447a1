//! Which stack objects can only be reached by the function that owns them: their address goes
//! nowhere but into the address of loads, stores, copies and further address computations. Nobody
//! else can hold such an address, so their accesses are never shared and their slots may be used
//! again at once.
//!
//! Library functions that only write there, and forget the address before they return, are no way
//! out either ([`forgets`]).

use selvedge_base::{Id, IdVec};
use selvedge_ir::{Callee, Function, InstKind, LocalId, Module, Operand};

/// Whether a library function (one without a body) only writes to what this argument points to, in
/// the calling thread and before it returns.
fn forgets(function: &Function, argument: usize) -> bool {
    function.blocks.is_empty()
        && matches!(
            (function.name.as_str(), argument),
            ("pthread_create" | "thrd_create", 0) | ("pthread_join" | "thrd_join", 1)
        )
}

/// For each stack object of the function whether it is private.
pub fn private_locals(module: &Module, function: &Function) -> IdVec<LocalId, bool> {
    // Which object's address a register may hold; objects that share a register count as escaping.
    let mut holds: Vec<Option<LocalId>> = vec![None; function.regs.len()];
    let mut private: IdVec<LocalId, bool> = function.locals.iter().map(|_| true).collect();
    // Address computations come after their bases in every path, but not in block order: iterate.
    let mut changed = true;
    while changed {
        changed = false;
        for inst in function.blocks.iter().flat_map(|b| &b.insts) {
            let (dst, from) = match &inst.kind {
                InstKind::LocalAddr { dst, local } => (*dst, Some(*local)),
                InstKind::Gep {
                    dst,
                    base: Operand::Reg(base),
                    ..
                } => (*dst, holds[base.index()]),
                _ => continue,
            };
            match (from, holds[dst.index()]) {
                (Some(local), None) => {
                    holds[dst.index()] = Some(local);
                    changed = true;
                }
                (Some(local), Some(other)) if local != other => {
                    private[local] = false;
                    private[other] = false;
                }
                _ => {}
            }
        }
    }
    let escape = |operand: Operand, private: &mut IdVec<LocalId, bool>| {
        if let Operand::Reg(r) = operand
            && let Some(local) = holds[r.index()]
        {
            private[local] = false;
        }
    };
    for block in function.blocks.iter() {
        for inst in &block.insts {
            match &inst.kind {
                InstKind::Load { .. } | InstKind::MemSet { .. } | InstKind::VaStart { .. } => {}
                InstKind::Store { value, .. } => escape(*value, &mut private),
                InstKind::MemCopy { len, .. } => escape(*len, &mut private),
                InstKind::Gep { terms, .. } => terms.iter().for_each(|t| escape(t.index, &mut private)),
                InstKind::Call {
                    callee: Callee::Direct(callee),
                    args,
                    ..
                } => {
                    let callee = &module.functions[*callee];
                    for (number, &argument) in args.iter().enumerate() {
                        if !forgets(callee, number) {
                            escape(argument, &mut private);
                        }
                    }
                }
                other => other.for_each_operand(|o| escape(o, &mut private)),
            }
        }
        block.term.for_each_operand(|o| escape(o, &mut private));
    }
    private
}

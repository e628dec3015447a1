//! Assumptions that a program writes out.

use rustc_hash::FxHashMap;
use selvedge_base::Id;
use selvedge_ir::{BlockId, Callee, Function, Inst, InstKind, IntPred, Module, Operand, Reg, Terminator};

/// Whether a function is `assume_abort_if_not` as SV-COMP's programs define it: it compares its
/// argument with zero, calls `abort` if they are equal, and else returns. It is no failure where
/// it ends the process. With any other body the function is what it does.
pub(super) fn is_assumption(module: &Module, function: &Function) -> bool {
    let ([argument], false) = (&function.params[..], function.blocks.is_empty()) else {
        return false;
    };
    if function.name != "assume_abort_if_not" {
        return false;
    }
    let entry = &function.blocks[BlockId::from_index(0)];
    let mut copies: FxHashMap<Reg, Operand> = FxHashMap::default();
    let mut compared = None;
    for inst in &entry.insts {
        match inst.kind {
            InstKind::Copy { dst, value } if compared.is_none() => {
                let known = |operand| match operand {
                    Operand::Reg(reg) => copies.get(&reg).copied().unwrap_or(operand),
                    other => other,
                };
                let value = known(value);
                copies.insert(dst, value);
            }
            InstKind::Cmp {
                pred: pred @ (IntPred::Eq | IntPred::Ne),
                dst,
                a: Operand::Reg(a),
                b: Operand::Const(0, _),
                ..
            } if compared.is_none() => {
                let of = copies.get(&a).copied().unwrap_or(Operand::Reg(a));
                if of != Operand::Reg(*argument) {
                    return false;
                }
                compared = Some((pred, dst));
            }
            _ => return false,
        }
    }
    let (
        Some((pred, dst)),
        &Terminator::Branch {
            cond,
            then,
            otherwise,
            ..
        },
    ) = (compared, &entry.term)
    else {
        return false;
    };
    let (if_zero, if_not) = match pred {
        IntPred::Eq => (then, otherwise),
        _ => (otherwise, then),
    };
    cond == Operand::Reg(dst) && aborts(module, function, if_zero) && returns(function, if_not)
}

/// Whether the first that a block does is to call `abort`.
fn aborts(module: &Module, function: &Function, block: BlockId) -> bool {
    let calls = |inst: &Inst| match inst.kind {
        InstKind::Call {
            callee: Callee::Direct(callee),
            ..
        } => module.functions[callee].name == "abort" && !module.functions[callee].is_defined(),
        _ => false,
    };
    function.blocks[block].insts.first().is_some_and(calls)
}

/// Whether the function returns from a block at once.
fn returns(function: &Function, block: BlockId) -> bool {
    let mut at = block;
    for _ in 0..function.blocks.len() {
        let block = &function.blocks[at];
        match block.term {
            _ if !block.insts.is_empty() => return false,
            Terminator::Jump(next) => at = next,
            Terminator::Return(_) => return true,
            _ => return false,
        }
    }
    false
}

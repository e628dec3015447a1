//! Which statements access memory at an address that their function computes with an index.

use rustc_hash::FxHashSet;
use selvedge_base::StmtId;
use selvedge_ir::{Function, InstKind, Module, Operand, Reg};

/// The statements that make accesses at addresses that are computed with an index.
pub(crate) fn indexed(module: &Module) -> FxHashSet<StmtId> {
    module.functions.iter().flat_map(statements).collect()
}

fn statements(function: &Function) -> Vec<StmtId> {
    let insts = || function.blocks.iter().flat_map(|block| &block.insts);
    let mut registers: FxHashSet<Reg> = FxHashSet::default();
    loop {
        let before = registers.len();
        let is = |operand: &Operand| matches!(operand, Operand::Reg(reg) if registers.contains(reg));
        let more: Vec<Reg> = insts()
            .filter_map(|inst| match &inst.kind {
                InstKind::Gep { dst, base, terms, .. } => (!terms.is_empty() || is(base)).then_some(*dst),
                InstKind::Copy { dst, value } => is(value).then_some(*dst),
                InstKind::Select { dst, a, b, .. } => (is(a) || is(b)).then_some(*dst),
                _ => None,
            })
            .collect();
        registers.extend(more);
        if registers.len() == before {
            break;
        }
    }
    let accesses = insts().filter(|inst| match &inst.kind {
        InstKind::Load { ptr, .. }
        | InstKind::Store { ptr, .. }
        | InstKind::Rmw { ptr, .. }
        | InstKind::CompareExchange { ptr, .. } => {
            matches!(ptr, Operand::Reg(reg) if registers.contains(reg))
        }
        _ => false,
    });
    accesses.map(|inst| inst.stmt).collect()
}

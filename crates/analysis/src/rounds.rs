//! Loops that count: each round computes a number or an address from that of the round before, by
//! an addition, a subtraction or an offset. They go through an array, retry at the next place, or
//! give up after a number of rounds.
//!
//! A loop that does not count sees nothing new in its next round but what other threads have
//! written meanwhile: it waits for them.

use crate::cfg::Loop;
use rustc_hash::{FxHashMap, FxHashSet};
use selvedge_ir::{BinOp, Function, InstKind, Operand, Reg};

/// Whether the rounds of a loop are counted.
pub fn counts(function: &Function, each: &Loop) -> bool {
    let mut becomes: FxHashMap<Reg, Vec<Reg>> = FxHashMap::default();
    let mut steps: Vec<(Reg, Reg)> = Vec::new();
    let blocks = each.blocks.iter().map(|&block| &function.blocks[block]);
    for kind in blocks.flat_map(|block| &block.insts).map(|inst| &inst.kind) {
        if !computes(kind) {
            continue;
        }
        kind.for_each_result(|result| {
            kind.for_each_operand(|operand| {
                if let Operand::Reg(from) = operand {
                    becomes.entry(from).or_default().push(result);
                    if changes(kind, from) {
                        steps.push((from, result));
                    }
                }
            });
        });
    }
    steps
        .into_iter()
        .any(|(from, result)| leads_to(&becomes, result, from))
}

/// Whether an instruction computes on registers only.
const fn computes(kind: &InstKind) -> bool {
    matches!(
        kind,
        InstKind::Copy { .. }
            | InstKind::Bin { .. }
            | InstKind::Un { .. }
            | InstKind::Cast { .. }
            | InstKind::Select { .. }
            | InstKind::MinMax { .. }
            | InstKind::Gep { .. }
    )
}

/// Whether an instruction moves the value of a register on. `1 - x` goes to and fro.
fn changes(kind: &InstKind, from: Reg) -> bool {
    match kind {
        InstKind::Bin { op: BinOp::Add, .. } | InstKind::Gep { .. } => true,
        InstKind::Bin {
            op: BinOp::Sub, a, ..
        } => *a == Operand::Reg(from),
        _ => false,
    }
}

fn leads_to(becomes: &FxHashMap<Reg, Vec<Reg>>, from: Reg, to: Reg) -> bool {
    let (mut seen, mut left) = (FxHashSet::default(), vec![from]);
    while let Some(reg) = left.pop() {
        if reg == to {
            return true;
        }
        if seen.insert(reg) {
            left.extend(becomes.get(&reg).into_iter().flatten());
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::counts;
    use crate::cfg::{Cfg, LoopForest};

    /// Whether the only loop of a function with these instructions counts. r1 is there before.
    fn of(body: &[&str]) -> bool {
        let body: String = body.iter().map(|line| format!("  s0 {line}\n")).collect();
        let text = format!(
            "func \"f\" (r0, r1) -> () {{\n  regs r0: i1, r1: i32, r2: i32, r3: i32\nb0:\n  s0 jump b1\n\
             b1:\n{body}  s0 branch r0, b1, b2\nb2:\n  s0 return\n}}\n"
        );
        let module = selvedge_ir::parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
        let function = module.functions.iter().next().expect("the function");
        let loops = LoopForest::of(&Cfg::of(&module, function, |_| false));
        let mut loops = loops.iter();
        counts(function, loops.next().expect("a loop"))
    }

    #[test]
    fn a_loop_counts_if_a_round_goes_on_from_the_one_before() {
        assert!(of(&["r1 = add r1, 1:i32"]));
        assert!(of(&[
            "r2 = add r1, 1:i32",
            "r3 = and r2, 127:i32",
            "r1 = copy r3"
        ]));
        assert!(of(&["r1 = sub r1, 1:i32"]));
    }

    #[test]
    fn a_loop_that_goes_to_and_fro_or_begins_anew_does_not_count() {
        assert!(!of(&[]));
        assert!(!of(&["r1 = sub 1:i32, r1"]));
        assert!(!of(&["r1 = xor r1, 1:i32"]));
        assert!(!of(&["r2 = add r1, 1:i32"]));
        assert!(!of(&["r2 = copy r1", "r1 = copy r3", "r3 = copy r2"]));
    }
}

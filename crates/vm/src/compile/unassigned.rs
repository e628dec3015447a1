//! Where registers get values that were never assigned, if those are inputs
//! (`Options::unwritten_inputs`).
//!
//! A register that holds a variable may be read before the variable is assigned. It has one value
//! until then. So it becomes an input where its life begins: at the entry of the function, or where
//! the undefined value is copied to it, which is the beginning of its scope. This is done only for
//! registers that may be read before they are assigned, which is what liveness says.

use rustc_hash::FxHashSet;
use selvedge_analysis::cfg::successors;
use selvedge_base::{Id, IdVec};
use selvedge_ir::{Block, BlockId, Function, InstKind, Operand, Reg, UnOp};

/// See the module's documentation.
#[derive(Default)]
pub(super) struct Unassigned {
    /// Registers that may be read before anything is assigned to them, in order.
    pub at_entry: Vec<Reg>,
    /// The copies of undefined values to registers that may be read afterwards: block and number.
    pub copies: FxHashSet<(BlockId, usize)>,
}

/// The instruction that makes a register an input.
pub(super) fn input(function: &Function, reg: Reg) -> InstKind {
    InstKind::Un {
        op: UnOp::Freeze,
        dst: reg,
        a: Operand::Undef(function.regs[reg].ty),
    }
}

impl Unassigned {
    pub fn of(function: &Function) -> Unassigned {
        let mut entering: IdVec<BlockId, FxHashSet<Reg>> =
            function.blocks.iter().map(|_| FxHashSet::default()).collect();
        let leaving = |entering: &IdVec<BlockId, FxHashSet<Reg>>, block: &Block| {
            let mut live = FxHashSet::default();
            successors(&block.term, |next| live.extend(&entering[next]));
            live
        };
        // Until nothing changes: the sets only grow.
        let mut changed = true;
        while changed {
            changed = false;
            for id in (0..function.blocks.len()).rev().map(BlockId::from_index) {
                let block = &function.blocks[id];
                let mut live = leaving(&entering, block);
                backwards(block, &mut live, &mut |_, _| {});
                changed |= live.len() > entering[id].len();
                entering[id] = live;
            }
        }
        let mut unassigned = Unassigned::default();
        for (id, block) in function.blocks.iter_ids() {
            let mut live = leaving(&entering, block);
            backwards(block, &mut live, &mut |at, live| {
                if let InstKind::Copy {
                    dst,
                    value: Operand::Undef(_),
                } = block.insts[at].kind
                    && live.contains(&dst)
                {
                    unassigned.copies.insert((id, at));
                }
            });
        }
        let mut first: Vec<Reg> = entering[BlockId(0)].iter().copied().collect();
        first.retain(|reg| !function.params.contains(reg));
        first.sort_unstable();
        unassigned.at_entry = first;
        unassigned
    }
}

/// Goes from the end of a block to its beginning. Calls `f` with the number of each instruction and
/// the registers that may be read after it.
fn backwards(block: &Block, live: &mut FxHashSet<Reg>, f: &mut dyn FnMut(usize, &FxHashSet<Reg>)) {
    let read = |operand: Operand, live: &mut FxHashSet<Reg>| {
        if let Operand::Reg(reg) = operand {
            live.insert(reg);
        }
    };
    block.term.for_each_operand(|operand| read(operand, live));
    for (at, inst) in block.insts.iter().enumerate().rev() {
        f(at, live);
        inst.kind.for_each_result(|reg| {
            live.remove(&reg);
        });
        inst.kind.for_each_operand(|operand| read(operand, live));
    }
}

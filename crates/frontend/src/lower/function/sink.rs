//! Loads that an optimiser has moved before the test that guards them.
//!
//! `if (ready) use(data)` becomes a load of `data` and a `select` that drops it if `ready` is
//! false. For LLVM this is no data race: a load that races gives undef, and its value is not used.
//! In the program's source it would be a race. So a load whose value goes only into one arm of a
//! `select` of its block is executed only if that arm is selected, as in the source. On its way,
//! the value may be used only by computations on values. Between the load and the `select`, nothing
//! may write memory or order threads, so the load reads the same value as before.

use super::{FnLower, Lower};
use crate::llvm::{Opcode, Ordering, Value, ValueKind};
use rustc_hash::{FxHashMap, FxHashSet};
use selvedge_base::StmtId;
use selvedge_ir::{Block, BlockId, InstKind, Terminator};

/// The loads of one block that are executed late.
#[derive(Default)]
pub(in crate::lower) struct Sunk<'m> {
    /// Instructions that are left out where they stand.
    moved: FxHashSet<Value<'m>>,
    /// For each `select`: the instructions that are executed when its arm is selected, in order;
    /// and whether this is the arm for true.
    arms: FxHashMap<Value<'m>, (Vec<(Value<'m>, StmtId)>, bool)>,
}

impl<'m> Sunk<'m> {
    /// Finds the loads of a block that can be made late.
    pub(in crate::lower) fn of(list: &[(Value<'m>, StmtId)]) -> Sunk<'m> {
        let mut sunk = Sunk::default();
        for (at, &(load, _)) in list.iter().enumerate() {
            if is_plain_load(load)
                && let Some((chain, select, when)) = way(&list[at..])
                && is_tested(select)
                && !sunk.arms.contains_key(&select)
                && !chain.iter().any(|link| sunk.arms.contains_key(&link.0))
            {
                sunk.moved.extend(chain.iter().map(|link| link.0));
                sunk.arms.insert(select, (chain, when));
            }
        }
        sunk
    }

    /// Whether an instruction is left out where it stands.
    pub(in crate::lower) fn is_moved(&self, inst: Value<'m>) -> bool {
        self.moved.contains(&inst)
    }
}

/// Whether a `select` chooses by something that was computed: one by undef joins its values.
fn is_tested(select: Value<'_>) -> bool {
    let computed = |value: Value<'_>| {
        matches!(
            value.kind(),
            ValueKind::LLVMInstructionValueKind | ValueKind::LLVMArgumentValueKind
        )
    };
    select.operand(0).is_some_and(computed)
}

fn is_plain_load(inst: Value<'_>) -> bool {
    inst.opcode() == Some(Opcode::LLVMLoad)
        && inst.ordering() == Ordering::LLVMAtomicOrderingNotAtomic
        && !inst.volatile()
}

/// Whether an instruction computes from values alone, and faults for none.
fn is_pure(inst: Value<'_>) -> bool {
    matches!(
        inst.opcode(),
        Some(
            Opcode::LLVMAdd
                | Opcode::LLVMSub
                | Opcode::LLVMMul
                | Opcode::LLVMAnd
                | Opcode::LLVMOr
                | Opcode::LLVMXor
                | Opcode::LLVMICmp
                | Opcode::LLVMFCmp
                | Opcode::LLVMTrunc
                | Opcode::LLVMZExt
                | Opcode::LLVMSExt
                | Opcode::LLVMBitCast
                | Opcode::LLVMPtrToInt
                | Opcode::LLVMIntToPtr
                | Opcode::LLVMGetElementPtr
                | Opcode::LLVMExtractValue
                | Opcode::LLVMFreeze
        )
    )
}

/// True if an instruction does not change memory or the order of threads.
fn leaves_memory(inst: Value<'_>) -> bool {
    match inst.opcode() {
        Some(Opcode::LLVMLoad) => is_plain_load(inst),
        Some(Opcode::LLVMCall) => inst.called().is_some_and(|callee| {
            let name = callee.name();
            let pure = [
                "llvm.dbg.",
                "llvm.smax",
                "llvm.smin",
                "llvm.umax",
                "llvm.umin",
                "llvm.abs",
                "llvm.expect",
            ];
            callee.is_intrinsic() && pure.iter().any(|intrinsic| name.starts_with(intrinsic))
        }),
        Some(Opcode::LLVMSelect | Opcode::LLVMPHI) => true,
        _ => is_pure(inst),
    }
}

/// From a load, which comes first in the list, to the `select` that uses it: the instructions in
/// between, the `select`, and whether the value is its arm for true.
#[expect(clippy::type_complexity, reason = "one caller takes it apart at once")]
fn way<'m>(list: &[(Value<'m>, StmtId)]) -> Option<(Vec<(Value<'m>, StmtId)>, Value<'m>, bool)> {
    let mut chain = vec![*list.first()?];
    for &(inst, stmt) in &list[1..] {
        let last = chain.last()?.0;
        let users = last.users();
        let [user] = users.as_slice() else { return None };
        if *user == inst {
            if inst.opcode() == Some(Opcode::LLVMSelect) {
                let scalar = inst.operand(0)?.ty().int_bits() == 1;
                let arms = [1, 2].map(|arm| inst.operand(arm) == Some(last));
                let alone = arms[0] != arms[1] && inst.operand(0) != Some(last);
                return (scalar && alone).then_some((chain, inst, arms[0]));
            }
            if !is_pure(inst) || uses(inst, last) != 1 {
                return None;
            }
            chain.push((inst, stmt));
        } else if !leaves_memory(inst) {
            return None;
        }
    }
    None
}

fn uses<'m>(inst: Value<'m>, value: Value<'m>) -> usize {
    (0..inst.num_operands())
        .filter(|&i| inst.operand(i) == Some(value))
        .count()
}

impl<'m> FnLower<'_, 'm, '_> {
    /// Lowers a `select` with sunk loads in one arm, as the branch that it was in the source. Ends
    /// the block `id`; returns the block that continues.
    pub(in crate::lower) fn late_select(
        &mut self,
        id: BlockId,
        inst: Value<'m>,
        sunk: &Sunk<'m>,
    ) -> Option<Lower<BlockId>> {
        let (chain, when) = sunk.arms.get(&inst)?;
        Some(self.branch_to_arm(id, inst, chain, *when))
    }

    fn branch_to_arm(
        &mut self,
        id: BlockId,
        inst: Value<'m>,
        chain: &[(Value<'m>, StmtId)],
        when: bool,
    ) -> Lower<BlockId> {
        let stmt = self.stmt;
        let (cond, dst) = (self.operand(inst, 0)?, self.results(inst)?);
        let other = self.operands(inst, if when { 2 } else { 1 })?;
        let [late, early, next] = [(); 3].map(|()| {
            self.function.blocks.push(Block {
                insts: Vec::new(),
                term: Terminator::Unreachable,
                term_stmt: stmt,
            })
        });
        let (then, otherwise) = if when { (late, early) } else { (early, late) };
        self.finish(
            id,
            Terminator::Branch {
                cond,
                then,
                otherwise,
            },
        );
        for (&dst, value) in dst.iter().zip(other) {
            self.copy(dst, value);
        }
        self.finish(early, Terminator::Jump(next));
        for &(link, at) in chain {
            self.stmt = at;
            if let Err(what) = self.instruction(link, &[]) {
                self.emit(InstKind::Unsupported { what });
            }
        }
        self.stmt = stmt;
        match self.operands(inst, if when { 1 } else { 2 }) {
            Ok(value) => {
                for (dst, value) in dst.into_iter().zip(value) {
                    self.copy(dst, value);
                }
            }
            Err(what) => self.emit(InstKind::Unsupported { what }),
        }
        self.finish(late, Terminator::Jump(next));
        Ok(next)
    }
}

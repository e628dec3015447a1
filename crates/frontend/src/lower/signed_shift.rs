//! Which shifts to the left are of signed numbers.
//!
//! LLVM's `shl` has no sign. So C sources are compiled with clang's check of the number that is
//! shifted (`-fsanitize=shift-base`), which signed shifts have and others do not. The check is left
//! out here: the machine has its own (`nsw`), where `overflow` is asked for.
//!
//! The check is this, where the second block and the condition before it may be constant:
//!
//! ```text
//! before:  br (amount <= width - 1), check, both
//! check:   (number >> (width - 1 - amount)) == 0; br both
//! both:    phi; br phi, after, trap
//! trap:    call llvm.ubsantrap(20); unreachable
//! after:   shl number, amount
//! ```

use crate::llvm::{Block, Opcode, Value};
use rustc_hash::{FxHashMap, FxHashSet};

/// What clang hands to the trap of a shift (its handler "shift out of bounds").
const SHIFT: u128 = 20;

/// The checks of shifts in a function.
#[derive(Default)]
pub(super) struct ShiftChecks<'m> {
    /// The shifts that have one.
    pub(super) signed: FxHashSet<Value<'m>>,
    /// Blocks that end with a check, and those that come after it.
    pub(super) skips: FxHashMap<Block<'m>, Block<'m>>,
    /// The blocks of checks. Nothing else leads there.
    pub(super) left_out: FxHashSet<Block<'m>>,
}

impl<'m> ShiftChecks<'m> {
    /// Finds them.
    pub(super) fn of(function: Value<'m>) -> ShiftChecks<'m> {
        let mut checks = ShiftChecks::default();
        let blocks = function.blocks();
        let traps: Vec<Block<'m>> = blocks.iter().copied().filter(|&block| traps(block)).collect();
        if traps.is_empty() {
            return checks;
        }
        let mut before: FxHashMap<Block<'m>, Vec<Block<'m>>> = FxHashMap::default();
        for &block in &blocks {
            for next in successors(block) {
                before.entry(next).or_default().push(block);
            }
        }
        let only = |block: Block<'m>| match before.get(&block).map(Vec::as_slice) {
            Some(&[one]) => Some(one),
            _ => None,
        };
        for trap in traps {
            checks.add(trap, &before, &only);
        }
        checks
    }

    fn add(
        &mut self,
        trap: Block<'m>,
        before: &FxHashMap<Block<'m>, Vec<Block<'m>>>,
        only: &dyn Fn(Block<'m>) -> Option<Block<'m>>,
    ) {
        let Some(both) = only(trap) else { return };
        let [after, other] = successors(both)[..] else {
            return;
        };
        let shift = after.instructions().first().copied();
        let shift = shift.filter(|shift| shift.opcode() == Some(Opcode::LLVMShl));
        let (Some(shift), true) = (shift, other == trap && only(after) == Some(both)) else {
            return;
        };
        self.signed.insert(shift);
        self.left_out.insert(trap);
        let ways: &[Block<'m>] = before.get(&both).map_or(&[], Vec::as_slice);
        let found = ways.iter().copied().find_map(|check| {
            let first = only(check)?;
            let whole = ways.len() == 2 && ways.contains(&first) && successors(check) == [both];
            (whole && successors(first) == [check, both]).then_some((first, check))
        });
        match found {
            Some((first, check)) => {
                self.skips.insert(first, after);
                self.left_out.extend([check, both]);
            }
            None => {
                self.skips.insert(both, after);
            }
        }
    }
}

fn successors<'m>(block: Block<'m>) -> Vec<Block<'m>> {
    let last = block.instructions().last().copied();
    last.map_or_else(Vec::new, |last| last.successors())
}

/// Whether a block is the trap of a shift.
fn traps(block: Block<'_>) -> bool {
    block.instructions().first().is_some_and(|first| {
        first.opcode() == Some(Opcode::LLVMCall)
            && first
                .called()
                .is_some_and(|called| called.name() == "llvm.ubsantrap")
            && first.operand(0).and_then(Value::int) == Some(SHIFT)
    })
}

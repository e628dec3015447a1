//! `Once` of Rust's standard library (also of `OnceLock`, `LazyLock` and the standard streams): how
//! a thread waits while another one runs the closure is left out.
//!
//! A `Once` is a word of memory: incomplete (3), poisoned (2), running (1) or complete (0), and a
//! bit that says that threads sleep. `call` reads it, and goes round until the word is complete:
//!
//! - incomplete or poisoned: it makes the word running (a weak compare-exchange; it goes round
//!   again if that fails), runs the closure, and swaps the word for the result;
//! - running: it sets the bit, unless it is set (if that fails, it goes round with what is there),
//!   sleeps as long as the word stays the same, reads the word again, and goes round.
//!
//! Where it would set the bit, a thread waits here until the word is not running any more, in one
//! step (a claim that adds nothing, [`selvedge_ir::CLAIM_BITS`]), reads the word, and goes round
//! with that.
//!
//! *Nothing is added.* Let the thread set the bit and sleep at the moment of its claim, but in the
//! library. There the word is not running, so setting the bit fails, and it goes round with what is
//! there.
//!
//! *Nothing is lost.* The bit decides whether the thread that ran the closure wakes others, and
//! nothing else. A thread that slept reads the word and goes round, as after the claim. It may also
//! be woken early, or not sleep, and find the word running: then it waits again. That the word is
//! not incomplete again once it was running follows from the library's code. A thread that sleeps
//! for ever is one whose claim is never possible, since whoever ends the closure wakes all.
//! (Who only waits, and runs no closure, sets the bit, too, and is executed. It is woken then.)
//!
//! *Weak compare-exchanges* that fail without a cause come back to the same state, so they are
//! strong here.
//!
//! *Happens-before* is that of the library: it reads the word with acquire before it goes round. A
//! claim acquires as well.

use super::rust_locks::declare;
use super::rust_start::plain_name;
use selvedge_ir::{
    AtomicOrder, CLAIM_BITS, Callee, FuncId, Function, Inst, InstKind, Module, Operand, RegInfo, Type,
};
use smallvec::smallvec;

const CALL: &str = "std::sys::sync::once::futex::Once::call";
/// The word while the closure runs, and nobody sleeps.
const RUNNING: u128 = 1;

/// Lets threads wait for the end of the closure in one step. Returns the number of functions
/// changed.
pub fn claim(module: &mut Module) -> usize {
    let functions = module.functions.iter_ids();
    let calls = functions.filter(|(_, f)| f.is_defined() && f.name.contains("4once5futex"));
    let found: Vec<FuncId> = calls
        .filter(|(_, f)| plain_name(f) == CALL && announcements(f).count() > 0)
        .map(|(id, _)| id)
        .collect();
    if found.is_empty() {
        return 0;
    }
    let parameters = [Type::Ptr, Type::I32, Type::I32, Type::Int(64), Type::I32];
    let callee = declare(module, CLAIM_BITS, &parameters);
    for &id in &found {
        replace(&mut module.functions[id], callee);
    }
    found.len()
}

/// The compare-exchanges that set the bit.
fn announcements(function: &Function) -> impl Iterator<Item = &Inst> {
    let insts = function.blocks.iter().flat_map(|block| &block.insts);
    insts.filter(|inst| announces(&inst.kind))
}

fn announces(kind: &InstKind) -> bool {
    matches!(
        kind,
        InstKind::CompareExchange {
            expected: Operand::Const(RUNNING, Type::I32),
            ty: Type::I32,
            ..
        }
    )
}

fn replace(function: &mut Function, callee: FuncId) {
    let answer = function.regs.push(RegInfo::unnamed(Type::I32));
    for block in function.blocks.iter_mut() {
        let mut at = 0;
        while at < block.insts.len() {
            let stmt = block.insts[at].stmt;
            let waits = announces(&block.insts[at].kind);
            at += 1;
            let InstKind::CompareExchange {
                old,
                success,
                ptr,
                weak,
                ..
            } = &mut block.insts[at - 1].kind
            else {
                continue;
            };
            if !waits {
                *weak = false;
                continue;
            }
            let (old, success, word) = (*old, *success, *ptr);
            let number = |n: u128, ty| Operand::Const(n, ty);
            let claim = InstKind::Call {
                results: smallvec![answer],
                callee: Callee::Direct(callee),
                // The word, the first bit and how many there are, what is added, the size.
                args: smallvec![
                    word,
                    number(0, Type::I32),
                    number(1, Type::I32),
                    number(0, Type::Int(64)),
                    number(4, Type::I32),
                ],
                types: smallvec![Type::Ptr, Type::I32, Type::I32, Type::Int(64), Type::I32],
            };
            let read = InstKind::Load {
                dst: old,
                ptr: word,
                ty: Type::I32,
                align: 4,
                volatile: false,
                order: Some(AtomicOrder::Acquire),
            };
            let fails = InstKind::Copy {
                dst: success,
                value: number(0, Type::I1),
            };
            let insts = [claim, read, fails].map(|kind| Inst { stmt, kind });
            block.insts.splice(at - 1..at, insts);
            at += 2;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use selvedge_ir::{FunctionBuilder, ModuleBuilder};

    const NAME: &str = "_RNvMs0_NtNtNtNtCsjrHSEGnQ3l9_3std3sys4sync4once5futexNtB5_4Once4call";
    const WAIT: &str = "_RNvMs0_NtNtNtNtCsjrHSEGnQ3l9_3std3sys4sync4once5futexNtB5_4Once4wait";

    /// The instructions of a function with this name that begins to run, or to wait.
    fn changed(name: &str) -> (usize, Vec<InstKind>) {
        let mut module = ModuleBuilder::new();
        let mut function = FunctionBuilder::new(name);
        let word = Operand::Reg(function.param(Type::Ptr));
        for expected in [3, RUNNING] {
            let (old, success) = (function.reg(Type::I32), function.reg(Type::I1));
            function.emit(InstKind::CompareExchange {
                old,
                success,
                ptr: word,
                expected: Operand::Const(expected, Type::I32),
                new: Operand::Const(expected | 4, Type::I32),
                ty: Type::I32,
                order: AtomicOrder::Acquire,
                failure: AtomicOrder::Acquire,
                weak: true,
            });
        }
        function.ret(&[]);
        let id = module.define(function);
        let mut module = module.finish();
        let count = claim(&mut module);
        selvedge_ir::verify(&module).expect("a valid module");
        let blocks = module.functions[id].blocks.iter();
        (
            count,
            blocks
                .flat_map(|b| b.insts.iter().map(|i| i.kind.clone()))
                .collect(),
        )
    }

    #[test]
    fn who_would_announce_itself_waits() {
        let (count, insts) = changed(NAME);
        assert_eq!(count, 1);
        assert!(matches!(
            insts[..],
            [
                InstKind::CompareExchange { weak: false, .. },
                InstKind::Call { .. },
                InstKind::Load { .. },
                InstKind::Copy { .. }
            ]
        ));
    }

    #[test]
    fn other_functions_are_kept() {
        for name in [WAIT, "call"] {
            let (count, insts) = changed(name);
            assert_eq!((count, insts.len()), (0, 2), "{name}");
        }
    }
}

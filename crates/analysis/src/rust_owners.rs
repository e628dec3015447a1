//! `ReentrantLock` of Rust's standard library, which the standard streams have: how a thread finds
//! out that it has the lock already is no action.
//!
//! Such a lock is a mutex and a word with the number of the thread that has it, 0 if none has. Who
//! locks it first reads the word, relaxed. If its own number is there, it has the lock already, and
//! counts; else it takes the mutex and stores its number. Who gives the lock back stores 0 before
//! it gives the mutex back.
//!
//! So the word is stored to only by the thread that has the mutex, and it stores its own number or
//! 0. Numbers of threads are never used again. Whether a thread reads its own number therefore
//! depends on its own stores only, and nothing depends on the other values. So the read is replaced
//! by [`selvedge_ir::OWNS`], which no other thread sees.
//!
//! *Happens-before.* Neither the read nor the stores order anything alone. With fences they could:
//! whoever reads a number or 0 that another thread has stored after a fence, and has a fence of its
//! own afterwards, is ordered after it. It then takes the mutex, which that thread gives back after
//! its store, before any code of the program comes. So it is ordered after that thread anyway. (A
//! `try_lock` that fails takes no mutex. The library has it at the end of the process only.)
//!
//! Only the library's own functions are changed: `ReentrantLock` is none of the types that programs
//! may use, and a program's function with the same code is left as it is. That the word belongs to
//! such a lock is seen from the function's code: a number is compared with what is read, and the
//! same number is stored there (relaxed).

use super::rust_locks::declare_returning;
use super::rust_start::plain_name;
use selvedge_ir::{
    AtomicOrder, BlockId, Callee, FuncId, Function, InstKind, IntPred, Module, OWNS, Operand, Reg, Type,
};
use smallvec::smallvec;

/// Makes threads ask whether they own such locks. Returns the number of reads replaced.
pub fn ask(module: &mut Module) -> usize {
    let functions = module.functions.iter_ids();
    let locks = |f: &Function| f.is_defined() && f.name.contains("3std") && is_of_library(f);
    let found: Vec<(FuncId, Vec<Read>)> = functions
        .filter(|(_, f)| locks(f))
        .map(|(id, f)| (id, reads(f)))
        .filter(|(_, reads)| !reads.is_empty())
        .collect();
    if found.is_empty() {
        return 0;
    }
    let callee = declare_returning(module, (OWNS, &[Type::Ptr, Type::I64]), Type::I64);
    let mut count = 0;
    for (id, reads) in found {
        count += reads.len();
        for Read { block, at, dst, args } in reads {
            module.functions[id].blocks[block].insts[at].kind = InstKind::Call {
                results: smallvec![dst],
                callee: Callee::Direct(callee),
                args: smallvec![args.0, args.1],
                types: smallvec![Type::Ptr, Type::I64],
            };
        }
    }
    count
}

fn is_of_library(function: &Function) -> bool {
    let name = plain_name(function);
    let name = name.trim_start_matches(['<', '&']);
    ["std::io::stdio::", "std::sync::reentrant_lock::"]
        .iter()
        .any(|path| name.starts_with(path))
}

/// A read of the word of such a lock.
struct Read {
    block: BlockId,
    at: usize,
    dst: Reg,
    /// The word, and the number with which it is compared.
    args: (Operand, Operand),
}

fn reads(function: &Function) -> Vec<Read> {
    let mut found = Vec::new();
    for (id, block) in function.blocks.iter_ids() {
        for (at, inst) in block.insts.iter().enumerate() {
            if let InstKind::Load {
                dst,
                ptr,
                ty: Type::I64,
                order: Some(AtomicOrder::Relaxed),
                ..
            } = inst.kind
                && let Some(number) = compared(function, (id, at), dst)
                && stores(function, (ptr, number))
            {
                found.push(Read {
                    block: id,
                    at,
                    dst,
                    args: (ptr, number),
                });
            }
        }
    }
    found
}

/// What the result of an instruction is compared with, if it is compared for equality right behind
/// it and used for nothing else.
fn compared(function: &Function, (block, at): (BlockId, usize), result: Reg) -> Option<Operand> {
    let own = Operand::Reg(result);
    let next = function.blocks[block].insts.get(at + 1)?;
    let InstKind::Cmp {
        pred: IntPred::Eq | IntPred::Ne,
        a,
        b,
        ..
    } = next.kind
    else {
        return None;
    };
    let number = match (a == own, b == own) {
        (true, false) => b,
        (false, true) => a,
        _ => return None,
    };
    let mut uses = 0;
    let mut count = |operand: Operand| uses += usize::from(operand == own);
    for block in function.blocks.iter() {
        block
            .insts
            .iter()
            .for_each(|inst| inst.kind.for_each_operand(&mut count));
        block.term.for_each_operand(&mut count);
    }
    (uses == 1).then_some(number)
}

/// Whether a function stores a number to a word, relaxed.
fn stores(function: &Function, place: (Operand, Operand)) -> bool {
    let mut insts = function.blocks.iter().flat_map(|block| &block.insts);
    insts.any(|inst| {
        matches!(inst.kind, InstKind::Store { ptr, value, order: Some(AtomicOrder::Relaxed), .. }
            if (ptr, value) == place)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use selvedge_ir::{FunctionBuilder, ModuleBuilder};

    const NAME: &str = "_RNvMsa_NtNtCsjrHSEGnQ3l9_3std2io5stdioNtB5_6Stdout4lock";
    const OTHER: &str = "_RNvMsa_NtNtCsjrHSEGnQ3l9_7program2io5stdioNtB5_6Stdout4lock";

    /// What a function that locks does otherwise than the library's.
    #[derive(Clone, Copy, PartialEq, Debug)]
    enum But {
        Nothing,
        /// It reads with acquire.
        Acquires,
        /// It compares otherwise than for equality.
        ComparesOrder,
        /// It returns what it has read.
        Returns,
        /// It stores another number.
        StoresAnother,
        /// It stores to another word.
        StoresElsewhere,
    }

    /// The number of reads that are replaced in a function, and whether a load is left.
    fn replaced(name: &str, but: But) -> (usize, bool) {
        let mut module = ModuleBuilder::new();
        let mut function = FunctionBuilder::new(name);
        let [word, other] = [Type::Ptr; 2].map(|ty| function.param(ty));
        let [number, another] = [Type::I64; 2].map(|ty| function.param(ty));
        function.returns(&[Type::I64]);
        let [mine, free, end] = [(); 3].map(|()| function.block());
        let order = match but {
            But::Acquires => AtomicOrder::Acquire,
            _ => AtomicOrder::Relaxed,
        };
        let owner = function.atomic_load(Type::I64, word, order);
        let pred = match but {
            But::ComparesOrder => IntPred::Ult,
            _ => IntPred::Eq,
        };
        let same = function.cmp(pred, Type::I64, number, owner);
        function.branch(same, mine, free);
        function.switch_to(mine);
        function.jump(end);
        function.switch_to(free);
        let value = if but == But::StoresAnother {
            another
        } else {
            number
        };
        let place = if but == But::StoresElsewhere { other } else { word };
        function.atomic_store(Type::I64, value, place, AtomicOrder::Relaxed);
        function.jump(end);
        function.switch_to(end);
        let result = if but == But::Returns { owner } else { number };
        function.ret(&[Operand::Reg(result)]);
        let id = module.define(function);
        let mut module = module.finish();
        let count = ask(&mut module);
        selvedge_ir::verify(&module).expect("a valid module");
        let mut insts = module.functions[id].blocks.iter().flat_map(|block| &block.insts);
        (
            count,
            insts.any(|inst| matches!(inst.kind, InstKind::Load { .. })),
        )
    }

    #[test]
    fn who_asks_for_the_owner_is_no_action() {
        assert_eq!(replaced(NAME, But::Nothing), (1, false));
    }

    #[test]
    fn other_reads_are_kept() {
        use But::*;
        for but in [Acquires, ComparesOrder, Returns, StoresAnother, StoresElsewhere] {
            assert_eq!(replaced(NAME, but), (0, true), "{but:?}");
        }
        for name in [OTHER, "lock"] {
            assert_eq!(replaced(name, Nothing), (0, true), "{name}");
        }
    }
}

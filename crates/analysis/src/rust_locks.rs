//! Locks of Rust's standard library: how a thread waits for one is left out.
//!
//! A mutex there is a word of memory: 0 is free, 1 is taken, and 2 is taken while somebody may
//! sleep. Who finds it taken calls `lock_contended`, which reads the word up to a hundred times,
//! makes it 2, sleeps in the kernel until somebody wakes it, and begins again. All of this can be
//! interleaved with other threads. What comes of it is one thing: at some moment the word was 0,
//! and since then it is not. So the function is replaced by a *claim* ([`selvedge_ir::CLAIM`]): one
//! step, which is possible once the word is 0, and makes it 1.
//!
//! *Nothing is lost.* Take an execution of the program as it is. Leave out what `lock_contended`
//! does, but for the exchange with which it gets the lock: let that write 1. The word is then 0
//! exactly where it was 0 before, and 1 where it was 1 or 2. Nobody else tells 1 from 2, except for
//! the owner when it gives the lock back: it wakes somebody if the word was 2. That wakes only
//! threads that sleep in `lock_contended`. So the rest is an execution with claims, in which all
//! other threads do the same. Both order the threads in the same way for data races: the exchange
//! acquires, and so does the claim.
//!
//! *Nothing is added.* In an execution with claims, let each thread call `lock_contended` at the
//! moment of its claim. It finds the word 0 and takes the lock at once. A thread that waits for
//! ever at a claim sleeps for ever in the library, since the word is never 0 again (or is, and
//! another thread is always faster; executions in which a thread is never scheduled are no
//! findings).
//!
//! *The first attempt.* Before the call stands `compare_exchange(word, 0, 1)`, and the call if it
//! fails. Where nothing else depends on how it ends, both together are one claim: an exchange that
//! fails changes nothing, and its thread claims the word next. Without this, the order of a failed
//! exchange and of what others do to the word would be explored.
//!
//! What is assumed is that the library's code is right: that a thread which sleeps is woken. It is
//! executed with `--rust-locks executed`. If a release of the library has the function under
//! another name, it is executed as well.

use selvedge_base::{Id, StmtId};
use selvedge_ir::{
    Block, BlockId, CLAIM, Callee, FuncId, Function, Inst, InstKind, Module, ModuleBuilder, Operand, Reg,
    RegInfo, TOUCH, Terminator, Type,
};
use smallvec::{SmallVec, smallvec};

/// The function that waits for a mutex.
const LOCK_CONTENDED: &str = "std::sys::sync::mutex::futex::Mutex::lock_contended";

/// What the word of a mutex holds.
pub(super) const FREE: u128 = 0;
pub(super) const TAKEN: u128 = 1;

/// Replaces the waiting of Rust's locks by claims. Returns the number of functions replaced.
pub fn claim(module: &mut Module) -> usize {
    let waits = |f: &Function| {
        f.is_defined()
            && f.name.contains("lock_contended")
            && super::rust_start::plain_name(f) == LOCK_CONTENDED
            && f.returns.is_empty()
            && f.params.len() == 1
    };
    let found: Vec<FuncId> = module
        .functions
        .iter_ids()
        .filter(|(_, f)| waits(f))
        .map(|(id, _)| id)
        .collect();
    if found.is_empty() {
        return 0;
    }
    let claim = Claim {
        callee: declare(module, CLAIM, &[Type::Ptr, Type::I32, Type::I32]),
        numbers: SmallVec::from_slice(&[FREE, TAKEN]),
    };
    Code::new(module, &found, (FREE, TAKEN), &claim).merge_first_attempts(module);
    for &id in &found {
        claim.replace(&mut module.functions[id]);
    }
    found.len()
}

/// The functions through which unoptimised code exchanges: `(word, expected, new, orders…)`.
const EXCHANGES: [&str; 2] = [
    "core::sync::atomic::atomic_compare_exchange",
    "core::sync::atomic::atomic_compare_exchange_weak",
];

fn is_exchange(function: &Function) -> bool {
    function.name.contains("atomic_compare_exchange")
        && EXCHANGES.contains(&super::rust_start::plain_name(function).as_str())
}

/// What takes a lock in one step: a call with the lock's word and these numbers.
pub(crate) struct Claim {
    pub(crate) callee: FuncId,
    pub(crate) numbers: SmallVec<[u128; 2]>,
}

impl Claim {
    /// The call, at a statement of a function.
    pub(crate) fn call(&self, function: &mut Function, word: Operand, stmt: StmtId) -> Inst {
        let answer = function.regs.push(RegInfo::unnamed(Type::I32));
        let numbers = self.numbers.iter().map(|&n| Operand::Const(n, Type::I32));
        let args: SmallVec<_> = std::iter::once(word).chain(numbers).collect();
        let types = std::iter::once(Type::Ptr)
            .chain(self.numbers.iter().map(|_| Type::I32))
            .collect();
        Inst {
            stmt,
            kind: InstKind::Call {
                results: smallvec![answer],
                callee: Callee::Direct(self.callee),
                args,
                types,
            },
        }
    }

    /// Makes a function whose parameter is the word of a lock claim it, and nothing else.
    pub(crate) fn replace(&self, function: &mut Function) {
        let (word, stmt) = (function.params[0], first_statement(function));
        let call = self.call(function, Operand::Reg(word), stmt);
        make_only(function, vec![call]);
    }
}

/// The first statement of a function.
pub(crate) fn first_statement(function: &Function) -> StmtId {
    let block = &function.blocks[BlockId::from_index(0)];
    block.insts.first().map_or(block.term_stmt, |inst| inst.stmt)
}

/// Makes a function without results do this and nothing else.
pub(crate) fn make_only(function: &mut Function, insts: Vec<Inst>) {
    let stmt = first_statement(function);
    let block = &mut function.blocks[BlockId::from_index(0)];
    block.insts = insts;
    block.term = Terminator::Return(SmallVec::new());
    block.term_stmt = stmt;
    function.blocks.truncate(1);
}

/// Attempts to take a lock before waiting for it.
pub(crate) struct Code<'a> {
    /// The functions that wait for a lock.
    contended: &'a [FuncId],
    /// By function, whether it exchanges.
    exchanges: Vec<bool>,
    /// What the word is if it is free, and taken.
    values: (u128, u128),
    claim: &'a Claim,
}

impl<'a> Code<'a> {
    pub(crate) fn new(
        module: &Module,
        contended: &'a [FuncId],
        values: (u128, u128),
        claim: &'a Claim,
    ) -> Code<'a> {
        Code {
            contended,
            exchanges: module.functions.iter().map(is_exchange).collect(),
            values,
            claim,
        }
    }

    /// Replaces each attempt to take a lock, with the call that follows if it fails, by a claim.
    pub(crate) fn merge_first_attempts(&self, module: &mut Module) {
        for function in module.functions.iter_mut() {
            self.merge_in(function);
        }
    }

    fn merge_in(&self, function: &mut Function) {
        let calls_any = function
            .blocks
            .iter()
            .any(|block| self.waits_for(block).is_some());
        if !calls_any {
            return;
        }
        for id in 0..function.blocks.len() {
            let id = BlockId::from_index(id);
            let Some((at, word, next)) = self.attempt(function, id) else {
                continue;
            };
            let stmt = function.blocks[id].insts[at].stmt;
            let call = self.claim.call(function, word, stmt);
            let block = &mut function.blocks[id];
            block.insts.truncate(at);
            block.insts.push(call);
            block.term = Terminator::Jump(next);
        }
    }

    /// The word for which a block waits, if it does that and nothing else.
    fn waits_for(&self, block: &Block) -> Option<Operand> {
        match &block.insts[..] {
            [
                Inst {
                    kind:
                        InstKind::Call {
                            callee: Callee::Direct(callee),
                            args,
                            ..
                        },
                    ..
                },
            ] if self.contended.contains(callee) => args.first().copied(),
            _ => None,
        }
    }

    /// An attempt at the end of a block: the index of its instruction, the word, and where it goes
    /// on when the word is taken. Everything that the block computes after the attempt decides
    /// only where it goes.
    fn attempt(&self, function: &Function, id: BlockId) -> Option<(usize, Operand, BlockId)> {
        let block = &function.blocks[id];
        let Terminator::Branch { then, otherwise, .. } = block.term else {
            return None;
        };
        let jumps = |id: BlockId| match function.blocks[id].term {
            Terminator::Jump(next) => Some(next),
            _ => None,
        };
        let waits = |id: BlockId| Some((self.waits_for(&function.blocks[id])?, jumps(id)?));
        let (word, next, other) = match (waits(then), waits(otherwise)) {
            (Some((word, next)), None) => (word, next, otherwise),
            (None, Some((word, next))) => (word, next, then),
            _ => return None,
        };
        let passes = function.blocks[other].insts.is_empty() && jumps(other) == Some(next);
        if other != next && !passes {
            return None;
        }
        let at = block.insts.iter().rposition(|inst| !is_computation(&inst.kind))?;
        if self.exchanged(&block.insts[at].kind)? != word {
            return None;
        }
        // What is left out may be read by the end of this block only.
        let mut assigned: Vec<Reg> = Vec::new();
        for inst in &block.insts[at..] {
            inst.kind.for_each_result(|reg| assigned.push(reg));
        }
        let mut read_elsewhere = false;
        let mut read = |operand: Operand| {
            read_elsewhere |= matches!(operand, Operand::Reg(reg) if assigned.contains(&reg));
        };
        for (_, block) in function.blocks.iter_ids().filter(|&(other, _)| other != id) {
            block
                .insts
                .iter()
                .for_each(|inst| inst.kind.for_each_operand(&mut read));
            block.term.for_each_operand(&mut read);
        }
        (!read_elsewhere).then_some((at, word, next))
    }

    /// The word that an instruction makes taken if it is free.
    fn exchanged(&self, kind: &InstKind) -> Option<Operand> {
        let [free, taken] = [self.values.0, self.values.1].map(|n| Operand::Const(n, Type::I32));
        match kind {
            InstKind::CompareExchange {
                ptr, expected, new, ..
            } if (*expected, *new) == (free, taken) => Some(*ptr),
            InstKind::Call {
                callee: Callee::Direct(callee),
                args,
                ..
            } if self.exchanges[callee.index()] && args.len() > 2 && (args[1], args[2]) == (free, taken) => {
                Some(args[0])
            }
            _ => None,
        }
    }
}

/// Whether an instruction only computes a register.
fn is_computation(kind: &InstKind) -> bool {
    matches!(
        kind,
        InstKind::Copy { .. }
            | InstKind::Bin { .. }
            | InstKind::Cast { .. }
            | InstKind::Cmp { .. }
            | InstKind::Select { .. }
    )
}

/// The declaration of a function of the machine, which returns an `i32`.
pub(crate) fn declare(module: &mut Module, name: &str, params: &[Type]) -> FuncId {
    declare_returning(module, (name, params), Type::I32)
}

/// The same, with another type of the result.
pub(crate) fn declare_returning(
    module: &mut Module,
    (name, params): (&str, &[Type]),
    result: Type,
) -> FuncId {
    if let Some(id) = module.function(name) {
        return id;
    }
    let mut builder = ModuleBuilder::new();
    let id = builder.declare(name, params, &[result]);
    let function = builder.finish().functions[id].clone();
    module.functions.push(function)
}

/// A touch of a word of so many bytes.
pub(crate) fn touching(touch: FuncId, answer: Reg, (word, size): (Operand, u32)) -> InstKind {
    InstKind::Call {
        results: smallvec![answer],
        callee: Callee::Direct(touch),
        args: smallvec![word, Operand::Const(size.into(), Type::I32)],
        types: smallvec![Type::Ptr, Type::I32],
    }
}

/// [`TOUCH`], declared.
pub(crate) fn declare_touch(module: &mut Module) -> FuncId {
    declare(module, TOUCH, &[Type::Ptr, Type::I32])
}

#[cfg(test)]
mod tests {
    use super::*;
    use selvedge_ir::{AtomicOrder, FunctionBuilder, IntPred};

    const WAITS: &str = "_RNvMNtNtNtNtCsjrHSEGnQ3l9_3std3sys4sync5mutex5futexNtB2_5Mutex14lock_contended";
    const OTHER: &str = "_RNvMNtNtNtNtCsjrHSEGnQ3l9_7program3sys4sync5mutex5futexNtB2_5Mutex14lock_contended";

    /// What a function that locks does otherwise than the library's.
    #[derive(Clone, Copy, PartialEq, Debug)]
    enum But {
        Nothing,
        /// It has another function with that name.
        CallsAnother,
        /// It waits for another word.
        WaitsForAnother,
        /// It tries with another value.
        TriesAnother,
        /// It reads afterwards what the word was.
        Reads,
        /// It does something if the attempt succeeds.
        Stores,
        /// It does something between the attempt and the branch.
        StoresBefore,
    }

    /// A function that locks, and its callee.
    fn module(but: But) -> Module {
        let mut module = ModuleBuilder::new();
        let name = if but == But::CallsAnother { OTHER } else { WAITS };
        let mut contended = FunctionBuilder::new(name);
        let word = contended.param(Type::Ptr);
        contended.atomic_store(Type::I32, Operand::Const(2, Type::I32), word, AtomicOrder::SeqCst);
        contended.ret(&[]);
        let contended = module.define(contended);
        let mut lock = FunctionBuilder::new("lock");
        let (word, second) = (lock.param(Type::Ptr), lock.param(Type::Ptr));
        let (old, success) = (lock.reg(Type::I32), lock.reg(Type::I1));
        let expected = u128::from(but == But::TriesAnother);
        lock.emit(InstKind::CompareExchange {
            old,
            success,
            ptr: Operand::Reg(word),
            expected: Operand::Const(expected, Type::I32),
            new: Operand::Const(1, Type::I32),
            ty: Type::I32,
            order: AtomicOrder::Acquire,
            failure: AtomicOrder::Relaxed,
            weak: false,
        });
        if but == But::StoresBefore {
            lock.store(Type::I32, Operand::Const(7, Type::I32), second);
        }
        let fails = lock.cmp(IntPred::Eq, Type::I1, success, Operand::Const(0, Type::I1));
        let (waits, passes, after) = (lock.block(), lock.block(), lock.block());
        lock.branch(fails, waits, passes);
        lock.switch_to(waits);
        let waited = if but == But::WaitsForAnother { second } else { word };
        lock.call(contended, &[(Operand::Reg(waited), Type::Ptr)], &[]);
        lock.jump(after);
        lock.switch_to(passes);
        if but == But::Stores {
            lock.store(Type::I32, Operand::Const(7, Type::I32), second);
        }
        lock.jump(after);
        lock.switch_to(after);
        if but == But::Reads {
            lock.store(Type::I32, old, second);
        }
        lock.ret(&[]);
        module.define(lock);
        module.finish()
    }

    /// How many functions are replaced, and whether an attempt is left.
    fn result(but: But) -> (usize, bool) {
        let mut module = module(but);
        let count = claim(&mut module);
        selvedge_ir::verify(&module).expect("a valid module");
        let lock = &module.functions[module.function("lock").expect("it is there")];
        let mut insts = lock.blocks.iter().flat_map(|block| &block.insts);
        let left = insts.any(|inst| matches!(inst.kind, InstKind::CompareExchange { .. }));
        (count, left)
    }

    #[test]
    fn an_attempt_and_the_wait_after_it_are_one_claim() {
        assert_eq!(result(But::Nothing), (1, false));
    }

    #[test]
    fn whatever_else_depends_on_the_attempt_keeps_it() {
        for but in [
            But::WaitsForAnother,
            But::TriesAnother,
            But::Reads,
            But::Stores,
            But::StoresBefore,
        ] {
            assert_eq!(result(but), (1, true), "{but:?}");
        }
    }

    #[test]
    fn functions_of_others_are_kept() {
        assert_eq!(result(But::CallsAnother), (0, true));
    }
}

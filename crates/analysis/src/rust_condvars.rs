//! Condition variables of Rust's standard library: how a thread waits for one is left out.
//!
//! A condition variable there is a word of memory that counts notifications. `notify_one` and
//! `notify_all` add one to it, and wake one or all of the threads that sleep in the kernel on the
//! word. A thread that waits reads the word, gives its lock back, sleeps if the word has the same
//! value still, and takes the lock again. Each notification gives the word a new value. So no state
//! ever returns, and each reading of the word is ordered with each notification. Where locks are
//! claims (`rust_locks.rs`), this becomes what POSIX does: a wait is one action, which gives the
//! lock back and joins a queue ([`selvedge_ir::WAIT_WITH_WORD`]), then the end of the wait, then a
//! claim of the lock. A notification wakes one thread in the queue, or all. Nobody counts.
//!
//! *Nothing is lost.* Take an execution of the library, and let each thread join the queue where it
//! gives its lock back. A thread that sleeps until a notification wakes it is woken by it here as
//! well. A thread that does not sleep, because the word has changed, ends its wait without being
//! woken: that is a spurious wakeup, which is explored for each wait. With `--spurious-wakeups off`
//! a thread goes on only if a notification wakes it, as in POSIX.
//!
//! *Nothing is added.* Let each thread read the word, give its lock back, and sleep, at the moment
//! of the one action here: nothing comes in between, so it finds the value that it has read. Which
//! of the threads that sleep is woken the system call leaves open, and the library does, too.
//! (Linux wakes the one that has slept longest.) That the word comes back to a value after 2³²
//! notifications while a thread goes to sleep is left out.
//!
//! *Happens-before.* The library orders nothing by the word. A notification orders its thread
//! before the thread that it wakes, as for the system call. What may race then also races where the
//! wait ends spuriously, without such an order.
//!
//! *Memory.* Each function still reads the word, as code without synchronisation does. So using a
//! condition variable that is gone is found, and so is a race with its end. A wait reads it after
//! it has given the lock back, as the library does before it sleeps: who takes the lock then and
//! frees the condition variable does that while the other thread may still look at it.
//!
//! Notifications are replaced only if all waits are that the module has under these names: a wait
//! that is executed needs the count. The reverse is not needed, since both use the queue of the
//! word. What is assumed is that the compiler has put no wait into another function. Such a wait
//! would not see a notification before its sleep: it could end spuriously only, and a deadlock
//! could be reported that there is not. The waits are neither generic nor inline in release 1.95.

use super::rust_locks::{FREE, TAKEN, declare};
use selvedge_base::{Id, StmtId};
use selvedge_ir::{
    BinOp, BlockId, CLAIM, Callee, CastOp, FuncId, Function, Inst, InstKind, IntPred, Module, Operand, Reg,
    RegInfo, Terminator, Type, WAIT_WITH_WORD, WAKE,
};
use smallvec::SmallVec;

/// What the functions of the library do whose names end so, behind [`SYSTEM`] or one of [`TYPES`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Role {
    /// `(word, lock)`.
    Wait,
    /// `(word, lock, seconds, nanoseconds)`: whether it did not time out.
    TimedWait,
    /// `(word)`.
    NotifyOne,
    NotifyAll,
}

const SYSTEM: &str = "std::sys::sync::condvar::futex::Condvar::";
const TYPES: [&str; 2] = [
    "std::sync::poison::condvar::Condvar::",
    "std::sync::nonpoison::condvar::Condvar::",
];

/// The number of nanoseconds that stands for "no time-out".
const NEVER: u128 = 1_000_000_000;
/// A time-out of as many seconds, or of more, is never over (2⁶² seconds are 146 billion years).
const FOREVER: u128 = 1 << 62;

fn role(name: &str) -> Option<Role> {
    let of_type = TYPES.iter().find_map(|prefix| name.strip_prefix(prefix));
    match (name.strip_prefix(SYSTEM), of_type) {
        (Some("wait"), _) => Some(Role::Wait),
        (Some("wait_timeout" | "wait_optional_timeout"), _) => Some(Role::TimedWait),
        (Some("notify_one"), _) | (_, Some("notify_one")) => Some(Role::NotifyOne),
        (Some("notify_all"), _) | (_, Some("notify_all")) => Some(Role::NotifyAll),
        _ => None,
    }
}

/// Whether a function has the parameters and results that its role asks for.
fn fits(function: &Function, role: Role) -> bool {
    let params = |types: &[Type]| {
        let found = function.params.iter().map(|&reg| function.regs[reg].ty);
        found.eq(types.iter().copied())
    };
    match role {
        Role::Wait => params(&[Type::Ptr, Type::Ptr]) && function.returns.is_empty(),
        Role::TimedWait => {
            params(&[Type::Ptr, Type::Ptr, Type::I64, Type::I32]) && function.returns[..] == [Type::I1]
        }
        Role::NotifyOne | Role::NotifyAll => params(&[Type::Ptr]) && function.returns.is_empty(),
    }
}

/// Replaces the waits and notifications of Rust's condition variables, in a module whose locks are
/// claims. Returns the number of functions replaced.
pub fn model(module: &mut Module) -> usize {
    let found: Vec<(FuncId, Role)> = (module.functions.iter_ids())
        .filter(|(_, f)| f.is_defined() && f.name.contains("condvar"))
        .filter_map(|(id, f)| Some((id, role(&super::rust_start::plain_name(f))?)))
        .collect();
    let waits = |role| matches!(role, Role::Wait | Role::TimedWait);
    let odd = |&&(id, role): &&(FuncId, Role)| !fits(&module.functions[id], role);
    if !found.iter().any(|&(_, role)| waits(role)) || found.iter().find(odd).is_some() {
        return 0;
    }
    let (ptr, int) = (Type::Ptr, Type::I32);
    let machine = Machine {
        wait: declare(module, WAIT_WITH_WORD, &[ptr, ptr, int]),
        claim: declare(module, CLAIM, &[ptr, int, int]),
        wake: WAKE.map(|name| declare(module, name, &[ptr, int, int, int])),
    };
    for &(id, role) in &found {
        machine.replace(&mut module.functions[id], role);
    }
    found.len()
}

/// The functions of the machine that replace the library's code.
struct Machine {
    wait: FuncId,
    claim: FuncId,
    wake: [FuncId; 2],
}

impl Machine {
    fn replace(&self, function: &mut Function, role: Role) {
        let params: SmallVec<[Operand; 4]> = function.params.iter().map(|&reg| Operand::Reg(reg)).collect();
        let entry = &function.blocks[BlockId::from_index(0)];
        // The statement is the first one of the function.
        let stmt = entry.insts.first().map_or(entry.term_stmt, |inst| inst.stmt);
        let mut code = Code {
            function,
            stmt,
            insts: Vec::new(),
        };
        let int = |n: u128| Operand::Const(n, Type::I32);
        let word = params[0];
        code.read(word);
        let mut results = SmallVec::new();
        match role {
            Role::Wait | Role::TimedWait => {
                let lock = params[1];
                let timed = match role {
                    Role::TimedWait => code.is_timed(params[2], params[3]),
                    _ => int(0),
                };
                let ended = code.call(
                    self.wait,
                    &[(word, Type::Ptr), (lock, Type::Ptr), (timed, Type::I32)],
                );
                let claim = [(lock, Type::Ptr), (int(FREE), Type::I32), (int(TAKEN), Type::I32)];
                code.call(self.claim, &claim);
                if role == Role::TimedWait {
                    results.push(code.compare(IntPred::Eq, Type::I32, ended, int(0)));
                }
            }
            Role::NotifyOne | Role::NotifyAll => {
                let (which, most) = match role {
                    Role::NotifyOne => (0, 1),
                    _ => (1, i32::MAX as u128),
                };
                let numbers = [most, 0, 1].map(|n| (int(n), Type::I32));
                let [most, timed, private] = numbers;
                code.call(self.wake[which], &[(word, Type::Ptr), most, timed, private]);
            }
        }
        let insts = code.insts;
        let block = &mut function.blocks[BlockId::from_index(0)];
        block.insts = insts;
        block.term = Terminator::Return(results);
        block.term_stmt = stmt;
        function.blocks.truncate(1);
    }
}

/// The new code of a function.
struct Code<'a> {
    function: &'a mut Function,
    stmt: StmtId,
    insts: Vec<Inst>,
}

impl Code<'_> {
    fn push(&mut self, ty: Type, kind: impl FnOnce(Reg) -> InstKind) -> Operand {
        let dst = self.function.regs.push(RegInfo::unnamed(ty));
        self.insts.push(Inst {
            stmt: self.stmt,
            kind: kind(dst),
        });
        Operand::Reg(dst)
    }

    /// Reads a word without synchronisation.
    fn read(&mut self, ptr: Operand) {
        self.push(Type::I32, |dst| InstKind::Load {
            dst,
            ptr,
            ty: Type::I32,
            align: 4,
            volatile: false,
            order: None,
        });
    }

    fn call(&mut self, callee: FuncId, args: &[(Operand, Type)]) -> Operand {
        self.push(Type::I32, |dst| InstKind::Call {
            results: SmallVec::from_slice(&[dst]),
            callee: Callee::Direct(callee),
            args: args.iter().map(|&(operand, _)| operand).collect(),
            types: args.iter().map(|&(_, ty)| ty).collect(),
        })
    }

    fn compare(&mut self, pred: IntPred, ty: Type, a: Operand, b: Operand) -> Operand {
        self.push(Type::I1, |dst| InstKind::Cmp { pred, dst, a, b, ty })
    }

    /// Whether a time-out is ever over, as a number.
    fn is_timed(&mut self, seconds: Operand, nanoseconds: Operand) -> Operand {
        let ends = Operand::Const(FOREVER, Type::I64);
        let ends = self.compare(IntPred::Ult, Type::I64, seconds, ends);
        let never = Operand::Const(NEVER, Type::I32);
        let given = self.compare(IntPred::Ne, Type::I32, nanoseconds, never);
        let both = self.push(Type::I1, |dst| InstKind::Bin {
            op: BinOp::And,
            dst,
            a: ends,
            b: given,
            nsw: false,
            nuw: false,
        });
        self.push(Type::I32, |dst| InstKind::Cast {
            op: CastOp::ZExt,
            dst,
            a: both,
            from: Type::I1,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use selvedge_ir::{AtomicOrder, FunctionBuilder, ModuleBuilder};

    const WAIT: &str = "_RNvMNtNtNtNtCsjrHSEGnQ3l9_3std3sys4sync7condvar5futexNtB2_7Condvar4wait";
    const TIMED: &str =
        "_RNvMNtNtNtNtCsjrHSEGnQ3l9_3std3sys4sync7condvar5futexNtB2_7Condvar21wait_optional_timeout";
    const ONE: &str = "_RNvMNtNtNtCsjrHSEGnQ3l9_3std4sync6poison7condvarNtB2_7Condvar10notify_one";
    const ALL: &str = "_RNvMNtNtNtCsjrHSEGnQ3l9_3std4sync9nonpoison7condvarNtB2_7Condvar10notify_all";
    const OTHER: &str = "_RNvMNtNtNtNtCsjrHSEGnQ3l9_7program3sys4sync7condvar5futexNtB2_7Condvar4wait";

    /// A function with these parameters and results whose code has an atomic store.
    fn define(module: &mut ModuleBuilder, name: &str, params: &[Type], returns: &[Type]) {
        let mut function = FunctionBuilder::new(name);
        let params: Vec<Reg> = params.iter().map(|&ty| function.param(ty)).collect();
        function.returns(returns);
        function.atomic_store(
            Type::I32,
            Operand::Const(1, Type::I32),
            params[0],
            AtomicOrder::SeqCst,
        );
        let zeros: Vec<Operand> = returns.iter().map(|&ty| Operand::Const(0, ty)).collect();
        function.ret(&zeros);
        module.define(function);
    }

    /// The number of functions that are replaced, and for each function of the module with code
    /// what it calls.
    fn replaced(functions: &[(&str, &[Type], &[Type])]) -> (usize, Vec<Vec<String>>) {
        let mut module = ModuleBuilder::new();
        for (name, params, returns) in functions {
            define(&mut module, name, params, returns);
        }
        let mut module = module.finish();
        let count = model(&mut module);
        selvedge_ir::verify(&module).expect("a valid module");
        let defined = module.functions.iter().filter(|f| f.is_defined());
        let called = |f: &Function| {
            let insts = f.blocks.iter().flat_map(|block| &block.insts);
            let names = insts.filter_map(|inst| match inst.kind {
                InstKind::Call {
                    callee: Callee::Direct(callee),
                    ..
                } => Some(module.functions[callee].name.clone()),
                _ => None,
            });
            names.collect()
        };
        (count, defined.map(called).collect())
    }

    const WORDS: &[Type] = &[Type::Ptr, Type::Ptr];
    const TIMED_PARAMS: &[Type] = &[Type::Ptr, Type::Ptr, Type::I64, Type::I32];

    #[test]
    fn waits_and_notifications_are_replaced() {
        let (count, called) = replaced(&[
            (WAIT, WORDS, &[]),
            (TIMED, TIMED_PARAMS, &[Type::I1]),
            (ONE, &[Type::Ptr], &[]),
            (ALL, &[Type::Ptr], &[]),
        ]);
        assert_eq!(count, 4);
        assert_eq!(called[0], [WAIT_WITH_WORD, CLAIM]);
        assert_eq!(called[1], [WAIT_WITH_WORD, CLAIM]);
        assert_eq!(called[2], [WAKE[0]]);
        assert_eq!(called[3], [WAKE[1]]);
    }

    #[test]
    fn all_is_kept_if_one_wait_is_another_one() {
        let kept = |functions: &[(&str, &[Type], &[Type])]| {
            let (count, called) = replaced(functions);
            assert_eq!(
                (count, called.concat()),
                (0, Vec::<String>::new()),
                "{functions:?}"
            );
        };
        let one: (&str, &[Type], &[Type]) = (ONE, &[Type::Ptr], &[]);
        kept(&[one]);
        kept(&[(OTHER, WORDS, &[]), one]);
        kept(&[(WAIT, WORDS, &[]), (TIMED, WORDS, &[Type::I1]), one]);
        kept(&[(WAIT, WORDS, &[Type::I1]), one]);
    }
}

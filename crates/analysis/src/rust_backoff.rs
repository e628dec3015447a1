//! How often crates of Rust look again before they park a thread: crossbeam's `Backoff`, and
//! parking_lot's `SpinWait`.
//!
//! These count how often a thread has looked in vain, and let some time pass each time. After ten
//! times the thread parks. The counter is part of the state, so each look is one more state for
//! each place where other threads may be. Here a thread has looked in vain often enough after the
//! first time, in functions of crates whose loops are known (`CRATES`).
//!
//! *Nothing is lost.* A look that fails has no effect but on the counter, in these crates. So an
//! execution in which the k-th look succeeds is one in which it is the only one, at the time of the
//! k-th; and one in which all fail is one in which the thread parks after the first, and does
//! everything else when it did.
//!
//! *Nothing is added.* Where the first look fails, the next ones do as well if no other thread
//! moves before them.
//!
//! Other programs may use `Backoff` for loops of their own, which may count themselves. There it
//! does what its code says: also where the compiler has put such a loop into a function of a crate,
//! which the file shows in which it stands. Where it has put the functions into others, too.

use super::rust_start::plain_name;
use selvedge_base::Id;
use selvedge_ir::{Callee, Function, Inst, InstKind, Module, Operand, Terminator, Type};

/// The crates that wait so.
const CRATES: [&str; 8] = [
    "crossbeam_channel::",
    "crossbeam_deque::",
    "crossbeam_epoch::",
    "crossbeam_queue::",
    "crossbeam_utils::",
    "parking_lot::",
    "parking_lot_core::",
    "dashmap::",
];

const BACKOFF: &str = "crossbeam_utils::backoff::Backoff::";
const SPIN_WAIT: &str = "parking_lot_core::spinwait::SpinWait::";

/// The greatest count of a [`BACKOFF`] that is not complete.
const LIMIT: u128 = 10;

/// What a function does with a counter.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Role {
    /// It counts one more.
    Snooze,
    /// It lets time pass, and decides nothing.
    Spin,
    /// It counts one more and returns whether that is not enough.
    SpinWait,
    /// It returns whether the count is enough.
    IsCompleted,
}

fn role(function: &Function) -> Option<Role> {
    if !function.name.contains("ackoff") && !function.name.contains("SpinWait") {
        return None;
    }
    let name = plain_name(function);
    let of_backoff = name.strip_prefix(BACKOFF).map(|rest| match rest {
        "snooze" => Some(Role::Snooze),
        "spin" => Some(Role::Spin),
        "is_completed" => Some(Role::IsCompleted),
        _ => None,
    });
    let of_spin_wait = || match name.strip_prefix(SPIN_WAIT)? {
        "spin" => Some(Role::SpinWait),
        "spin_no_yield" => Some(Role::Spin),
        _ => None,
    };
    of_backoff.unwrap_or_else(of_spin_wait)
}

/// Whether a module waits with these functions, so that [`look_once`] may have changed it.
pub fn has_counters(module: &Module) -> bool {
    module
        .functions
        .iter()
        .any(|f| f.is_defined() && role(f).is_some())
}

/// Lets the crates look once. Returns the number of calls that are replaced.
pub fn look_once(module: &mut Module) -> usize {
    let roles: Vec<Option<Role>> = module.functions.iter().map(role).collect();
    let limits = |f: &Function| {
        let mut insts = f.blocks.iter().flat_map(|block| &block.insts);
        insts.any(|inst| {
            matches!(
                inst.kind,
                InstKind::Cmp {
                    b: Operand::Const(LIMIT, Type::I32),
                    ..
                }
            )
        })
    };
    let mut completes = module.functions.iter().zip(&roles);
    let other_limit =
        completes.any(|(f, role)| *role == Some(Role::IsCompleted) && f.is_defined() && !limits(f));
    if other_limit || roles.iter().all(Option::is_none) {
        return 0;
    }
    let mut count = 0;
    let waits = |f: &&mut Function| {
        f.is_defined() && CRATES.iter().any(|name| f.name.contains(&name[..name.len() - 2])) && {
            let name = plain_name(f);
            CRATES.iter().any(|known| name.starts_with(known)) && !name.starts_with(BACKOFF)
        }
    };
    let stmts = &module.stmts;
    for function in module.functions.iter_mut().filter(waits) {
        let file = function.span.file;
        for block in function.blocks.iter_mut() {
            let last = block.insts.len().checked_sub(1);
            for at in 0..block.insts.len() {
                let Some(instead) = instead(&block.insts[at], &roles) else {
                    continue;
                };
                if stmts
                    .get(block.insts[at].stmt)
                    .is_none_or(|stmt| stmt.span.file != file)
                {
                    continue;
                }
                block.insts[at].kind = instead;
                count += 1;
                if let Terminator::Invoke { normal, .. } = block.term
                    && last == Some(at)
                {
                    block.term = Terminator::Jump(normal);
                }
            }
        }
    }
    count
}

/// What a call does instead of counting.
fn instead(inst: &Inst, roles: &[Option<Role>]) -> Option<InstKind> {
    let InstKind::Call {
        results,
        callee: Callee::Direct(callee),
        args,
        ..
    } = &inst.kind
    else {
        return None;
    };
    match (roles[callee.index()]?, &results[..], &args[..]) {
        (Role::Snooze, [], &[counter]) => Some(InstKind::Store {
            value: Operand::Const(LIMIT + 1, Type::I32),
            ptr: counter,
            ty: Type::I32,
            align: 4,
            volatile: false,
            order: None,
        }),
        (Role::Spin, [], [_]) => Some(InstKind::Pause),
        (Role::SpinWait, &[again], [_]) => Some(InstKind::Copy {
            dst: again,
            value: Operand::Const(0, Type::I1),
        }),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use selvedge_ir::{FuncId, FunctionBuilder, IntPred, ModuleBuilder};

    const SNOOZE: &str = "_ZN15crossbeam_utils7backoff7Backoff6snooze17h18ef983882eed018E";
    const COMPLETED: &str = "_ZN15crossbeam_utils7backoff7Backoff12is_completed17h085f0834521be54fE";
    const SPIN_WAIT: &str = "_ZN16parking_lot_core8spinwait8SpinWait4spin17h11e96add572ecf67E";
    const CHANNEL: &str = "_ZN17crossbeam_channel7flavors4list16Channel$LT$T$GT$4recv17h085f0834521be54fE";
    const PROGRAM: &str = "_ZN7program4wait17h085f0834521be54fE";

    /// How many calls are replaced in a function that calls both, where a count of `limit` is
    /// enough.
    fn replaced(caller: &str, limit: u64) -> usize {
        let mut module = ModuleBuilder::new();
        let mut define = |name: &str, returns: &[Type]| -> FuncId {
            let mut function = FunctionBuilder::new(name);
            function.returns(returns);
            let counter = function.param(Type::Ptr);
            let count = function.load(Type::I32, Operand::Reg(counter));
            let enough = Operand::Const(limit.into(), Type::I32);
            let answer = function.cmp(IntPred::Ugt, Type::I32, Operand::Reg(count), enough);
            match returns {
                [] => function.ret(&[]),
                _ => function.ret(&[Operand::Reg(answer)]),
            }
            module.define(function)
        };
        let (snooze, spin) = (define(SNOOZE, &[]), define(SPIN_WAIT, &[Type::I1]));
        define(COMPLETED, &[Type::I1]);
        let mut function = FunctionBuilder::new(caller);
        let counter = function.param(Type::Ptr);
        function.call(snooze, &[(Operand::Reg(counter), Type::Ptr)], &[]);
        function.call(spin, &[(Operand::Reg(counter), Type::Ptr)], &[Type::I1]);
        function.ret(&[]);
        module.define(function);
        let mut module = module.finish();
        let count = look_once(&mut module);
        selvedge_ir::verify(&module).expect("a valid module");
        count
    }

    #[test]
    fn only_known_crates_look_once() {
        assert_eq!(replaced(CHANNEL, 10), 2);
        assert_eq!(replaced(PROGRAM, 10), 0);
        assert_eq!(replaced(CHANNEL, 12), 0, "another release");
    }
}

//! Read-write locks of Rust's standard library: how a thread waits for one is left out.
//!
//! Such a lock is a word of memory. It counts the readers, or says that a writer has it. Two
//! further bits say that readers wait, and that writers wait. Who has to wait sets its bit and
//! sleeps in the kernel. Who gives the lock back and leaves it free removes the bits, one by one,
//! and wakes those that sleep. A reader that does not have the lock yet does not get it while a bit
//! is set. So a thread that reads twice waits for ever if a writer has said in between that it
//! waits. This has to be found, so a wait is not one step here, as it is for a mutex.
//!
//! # Where nobody tries
//!
//! In a module without `try_read`, `try_write` and `downgrade`, a read is a *claim*
//! ([`selvedge_ir::CLAIM_SHARED`]): one step, which is possible if the lock is free, or if
//! readers have it and no writer has announced itself; it counts one reader more. A write
//! ([`selvedge_ir::CLAIM_EXCLUSIVE`]) is one step if the lock is free. While readers have the
//! lock and no writer has announced itself, the step is possible, too, and announces the writer.
//! Then the claim goes on. Who gives the lock back only changes the count. A free lock is free
//! whatever the bits are: the next claim removes them.
//!
//! *Nothing is added.* Take an execution with claims. In the library, let each thread call the
//! function at the moment of its first claim, and stop before it sleeps. A reader takes the lock
//! at once, since it begins then only. A writer that announces itself sets its bit. A thread that
//! gives the lock back and leaves it free removes this bit at once, and finds nobody asleep. A
//! writer that has announced itself, and claims the lock again, looks whether it is free before
//! it sleeps, and takes it. A claim that is never possible is a thread that sleeps for ever: if
//! it is a read, because a writer has the lock, or has announced itself and readers have it; if
//! it is a write, because somebody has it.
//!
//! *Nothing is lost.* Take an execution of the library. Keep these steps, as claims: the exchanges
//! with which threads get the lock, the subtractions with which they give it back, and the
//! exchanges by which a writer announces itself while readers have the lock. Call a *period* the
//! time from a free lock that a reader gets to the next moment at which it is free.
//!
//! - The bit of writers is clear when a period begins, because a reader gets a free lock only if
//!   both bits are. Within the period it is set by the first announcement, and not removed: that
//!   happens only when the lock is free. So it is the same with claims, as long as readers have the
//!   lock. The bit of readers is clear as well, and set only after that of writers.
//! - A writer gets the lock if it is free, whatever the bits are.
//! - A reader gets the lock where the claim is possible, with one exception. One that has slept
//!   also gets it if readers have it and a writer has announced itself, but the bit of readers is
//!   clear. That bit was set when it went to sleep, so it was removed since then, before this
//!   period. So the reader waits for the whole period. Let it get the lock immediately before the
//!   announcement. Readers have the lock from there to its own place, so nobody sees a difference,
//!   and it has learned no more from others by then.
//! - If all threads wait for ever, those that wait for this lock sleep. Then somebody has it. For a
//!   reader, a writer has it, or has announced itself, since the bit of readers is set only then.
//!
//! So a writer that has been announced while a writer has the lock makes no difference, and nor do
//! the moments in which a lock is free and still has a bit: a reader that does not get it is later.
//!
//! *Memory.* Who gives the lock back while somebody waits accesses it once more, to remove the
//! bits. Whoever has waited may have the lock by then, and even end its memory: a use after free.
//! So a thread *touches* the lock there ([`selvedge_ir::TOUCH`]), which orders nothing and is no
//! step of its own. A reader does it where the library does, since the bit of writers is exact
//! while readers have the lock. A writer always does. Nobody can tell the difference: the first one
//! that has the lock after it has waited for it, as nobody tries, and may have begun to wait
//! before.
//!
//! # Where somebody does
//!
//! `try_write` asks for the count only. So that the bits say who waits, as for `try_read`, a module
//! with it is treated in the same way. `try_read` also fails where the lock is free, and a bit is
//! set. Mostly its thread could as well have come before the lock was given back. There is one
//! exception. If both bits are set, who gives the lock back removes that of writers, and wakes one.
//! If it was asleep, the bit of readers stays until that writer, or another one, has had the lock.
//! The thread that has given the lock back goes on, and its own `try_read` fails. In a module with
//! `try_read`, therefore, readers announce themselves, too, and both do it whoever has the lock.
//! They claim the lock again once their bit is removed. A writer that takes the lock removes the
//! bit of writers, which those that still wait may set again; so where it is set, some writer
//! waits. `wake_writer_or_readers` is one step ([`selvedge_ir::CLEAR_WAITING`]), and where both
//! bits are set, it has two outcomes: a writer was asleep and the bit of readers stays, or none
//! was. Whether one was is up to the threads: it sets its bit and sleeps, or has not got that far.
//! The argument is the same as above, but for the bit of readers, which is exact here.
//!
//! # What is executed
//!
//! A writer may make its lock one of a reader (`downgrade`), and the bit of writers may be set then
//! although nobody waits. A module with this function is executed as it is. So is one in which the
//! compiler has put any of these functions into others, since `try_read` may be among them; known
//! places in the library itself, for the environment and for the panic hook, are none of these.
//! What is assumed is that the library's code is right: that a thread that sleeps is woken.
//!
//! *Happens-before* is that of the library. A claim acquires from all that gave the lock back, as
//! the exchange does. Announcing is relaxed in the library; here it acquires, too, but what it
//! acquires its thread acquires before it goes on in any case, and it releases nothing.

use super::rust_locks::{Claim, Code, declare, declare_touch, first_statement, make_only, touching};
use selvedge_ir::{
    CLAIM_EXCLUSIVE, CLAIM_SHARED, CLEAR_WAITING, Callee, FuncId, Function, Inst, InstKind, Module, Operand,
    RegInfo, RmwOp, Type,
};
use smallvec::{SmallVec, smallvec};

/// What functions of the lock do.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Role {
    /// `(word)`.
    Read,
    ReadContended,
    Write,
    WriteContended,
    /// `wake_writer_or_readers`: `(word, found)`.
    Wake,
    /// It is executed.
    Kept,
    /// It is executed, and reads the bits.
    TryRead,
    /// It is executed, and gets the lock without waiting.
    TryWrite,
    /// Nothing is replaced in a module with such a function.
    Other,
}

const SYSTEM: &str = "std::sys::sync::rwlock::futex::RwLock::";
/// The modules of the types that programs use.
const TYPES: [&str; 2] = ["std::sync::poison::rwlock::", "std::sync::nonpoison::rwlock::"];
/// Where functions of the library itself have such code: for the panic hook and the environment.
const INSIDE: [&str; 5] = [
    "std::panicking::",
    "std::env::",
    "std::sys::env::",
    "std::process::",
    "std::sys::process::",
];
/// The end of such a function that gives the lock of the panic hook back.
const HOOK: &str = "rwlock::RwLockReadGuardstd::panicking::Hook";

/// The trait by which guards give their lock back.
const DROP: &str = " as core::ops::drop::Drop";

/// What the word is if the lock is free and nobody waits, and if a writer has it and nobody waits.
const VALUES: (u128, u128) = (0, (1 << 30) - 1);

/// The role of a function of the lock, by its name.
fn role(name: &str) -> Option<Role> {
    let of_type = |rest: &str, part| rest.split("::").any(|own| own == part);
    if let Some(rest) = TYPES.iter().find_map(|prefix| name.strip_prefix(prefix)) {
        let roles = [
            ("downgrade", Role::Other),
            ("try_read", Role::TryRead),
            ("try_write", Role::TryWrite),
        ];
        return roles
            .into_iter()
            .find_map(|(part, role)| of_type(rest, part).then_some(role));
    }
    Some(match name.strip_prefix(SYSTEM)? {
        "read" => Role::Read,
        "read_contended" => Role::ReadContended,
        "write" => Role::Write,
        "write_contended" => Role::WriteContended,
        "wake_writer_or_readers" => Role::Wake,
        "new" | "read_unlock" | "write_unlock" | "wake_writer" | "spin_until" | "spin_read"
        | "spin_write" => Role::Kept,
        rest => match rest.split("::").next() {
            Some("try_read") => Role::TryRead,
            Some("try_write") => Role::TryWrite,
            Some("spin_read" | "spin_write") => Role::Kept,
            _ => Role::Other,
        },
    })
}

/// Replaces the waiting of Rust's read-write locks by claims. Returns the number of functions
/// replaced.
pub fn claim(module: &mut Module) -> usize {
    let found: Vec<(FuncId, Role)> = (module.functions.iter_ids())
        .filter(|(_, f)| f.is_defined() && f.name.contains("rwlock"))
        .filter_map(|(id, f)| Some((id, role(&super::rust_start::plain_name(f))?)))
        .collect();
    let of = |role: Role| {
        let functions = found.iter().filter(move |&&(_, own)| own == role);
        functions.map(|&(id, _)| id).collect::<Vec<FuncId>>()
    };
    let waits = [of(Role::ReadContended), of(Role::WriteContended)];
    let inner = [&waits[0][..], &waits[1], &of(Role::Wake)].concat();
    let odd = |&(id, role): &(FuncId, Role)| !role.fits(&module.functions[id]);
    if waits.iter().all(Vec::is_empty)
        || found.iter().any(odd)
        || module.functions.iter().any(|f| is_mixed(f, &inner))
    {
        return 0;
    }
    let wakes = of(Role::Wake);
    let tries = !of(Role::TryRead).is_empty()
        || !of(Role::TryWrite).is_empty()
        || !touches_after_writes(module, &wakes, !waits[1].is_empty());
    let claims = [CLAIM_SHARED, CLAIM_EXCLUSIVE].map(|name| Claim {
        callee: declare(module, name, &[Type::Ptr, Type::I32]),
        numbers: SmallVec::from_slice(&[u128::from(tries)]),
    });
    let [shared, exclusive] = &claims;
    Code::new(module, &waits[1], VALUES, exclusive).merge_first_attempts(module);
    let mut count = 0;
    for &(id, role) in &found {
        match role {
            Role::Read | Role::ReadContended => shared.replace(&mut module.functions[id]),
            Role::Write | Role::WriteContended => exclusive.replace(&mut module.functions[id]),
            Role::Wake => give_back(module, id, tries),
            Role::Kept | Role::TryRead | Role::TryWrite | Role::Other => continue,
        }
        count += 1;
    }
    count
}

impl Role {
    /// Whether a function has the parameters and results that its role asks for. None has those of
    /// [`Role::Other`].
    fn fits(self, function: &Function) -> bool {
        let types: &[Type] = match self {
            Role::Kept | Role::TryRead | Role::TryWrite => return true,
            Role::Other => return false,
            Role::Wake => &[Type::Ptr, Type::I32],
            Role::Read | Role::ReadContended | Role::Write | Role::WriteContended => &[Type::Ptr],
        };
        let params = function.params.iter().map(|&reg| function.regs[reg].ty);
        params.eq(types.iter().copied()) && function.returns.is_empty()
    }
}

/// Whether a function that is not of the lock calls what only functions of the lock call: the
/// compiler has put one of these into it.
fn is_mixed(function: &Function, inner: &[FuncId]) -> bool {
    let mut insts = function.blocks.iter().flat_map(|block| &block.insts);
    let calls = insts.any(|inst| match &inst.kind {
        InstKind::Call {
            callee: Callee::Direct(callee),
            ..
        } => inner.contains(callee),
        _ => false,
    });
    calls && {
        let name = super::rust_start::plain_name(function);
        let begins = |prefixes: &[&str]| prefixes.iter().any(|prefix| name.starts_with(prefix));
        // A method of a trait may be the program's, also where its type is the library's.
        let is_method = name.contains(" as ") && !name.contains(DROP);
        let of_type = begins(&TYPES) && !is_method;
        !name.ends_with(HOOK) && !of_type && !begins(&[SYSTEM]) && !begins(&INSIDE)
    }
}

/// Lets each writer touch the lock after it has given it back. Returns false, and changes nothing,
/// if it cannot be seen where that is; `writes`: there are writers. `wakes`: what is called then if
/// somebody waits.
fn touches_after_writes(module: &mut Module, wakes: &[FuncId], writes: bool) -> bool {
    let calls = |inst: &Inst| match &inst.kind {
        InstKind::Call {
            callee: Callee::Direct(callee),
            ..
        } => wakes.contains(callee),
        _ => false,
    };
    let insts = |function: &Function| -> Vec<Inst> {
        let blocks = function.blocks.iter();
        blocks.flat_map(|block| block.insts.iter().cloned()).collect()
    };
    let functions = module.functions.iter_ids();
    let wakers: Vec<(FuncId, Vec<Inst>)> = functions.map(|(id, f)| (id, insts(f))).collect();
    let wakers: Vec<_> = wakers
        .into_iter()
        .filter(|(_, insts)| insts.iter().any(calls))
        .collect();
    let unclear = wakers
        .iter()
        .any(|(_, insts)| !insts.iter().any(|inst| given_back(inst).is_some()));
    let of_writers = |inst: &Inst| given_back(inst).is_some_and(|(_, count)| count == VALUES.1);
    let any = wakers.iter().any(|(_, insts)| insts.iter().any(of_writers));
    if unclear || writes && !any {
        return false;
    }
    let touch = declare_touch(module);
    for (id, _) in wakers {
        let function = &mut module.functions[id];
        let answer = function.regs.push(RegInfo::unnamed(Type::I32));
        for block in function.blocks.iter_mut() {
            let mut after = 0;
            while after < block.insts.len() {
                after += 1;
                let inst = &block.insts[after - 1];
                if let Some((word, count)) = given_back(inst)
                    && count == VALUES.1
                {
                    let (stmt, kind) = (inst.stmt, touching(touch, answer, (word, 4)));
                    block.insts.insert(after, Inst { stmt, kind });
                }
            }
        }
    }
    true
}

/// The word, and what is subtracted from it, if an instruction may give a lock back.
fn given_back(inst: &Inst) -> Option<(Operand, u128)> {
    match inst.kind {
        InstKind::Rmw {
            op: RmwOp::Sub,
            ptr,
            value: Operand::Const(count, Type::I32),
            ..
        } => Some((ptr, count)),
        _ => None,
    }
}

/// Replaces what a thread does after it has given the lock back, and somebody waits.
fn give_back(module: &mut Module, id: FuncId, tries: bool) {
    if !tries {
        let touch = declare_touch(module);
        let function = &mut module.functions[id];
        let (stmt, answer) = (
            first_statement(function),
            function.regs.push(RegInfo::unnamed(Type::I32)),
        );
        let kind = touching(touch, answer, (Operand::Reg(function.params[0]), 4));
        make_only(function, vec![Inst { stmt, kind }]);
        return;
    }
    let clear = declare(module, CLEAR_WAITING, &[Type::Ptr, Type::I32]);
    let function = &mut module.functions[id];
    let stmt = first_statement(function);
    let answer = function.regs.push(RegInfo::unnamed(Type::I32));
    let kind = InstKind::Call {
        results: smallvec![answer],
        callee: Callee::Direct(clear),
        args: function.params.iter().map(|&reg| Operand::Reg(reg)).collect(),
        types: smallvec![Type::Ptr, Type::I32],
    };
    make_only(function, vec![Inst { stmt, kind }]);
}

#[cfg(test)]
mod tests {
    use super::*;
    use selvedge_ir::{AtomicOrder, FunctionBuilder, ModuleBuilder, Reg, TOUCH};

    const LOCK: &str = "_RNvMNtNtNtNtCsjrHSEGnQ3l9_3std3sys4sync6rwlock5futexNtB2_6RwLock";
    const READ: &str = "_ZN3std3sys4sync6rwlock5futex6RwLock4read17hf9f0f0ec143e0d48E";
    const TRY: &str = "_ZN3std4sync6poison6rwlock15RwLock$LT$T$GT$8try_read17h05c1bd4c172af8d2E";
    const DOWN: &str = "_ZN3std4sync6poison6rwlock25RwLockWriteGuard$LT$T$GT$9downgrade17h05c1bd4c172af8d2E";
    const GUARD: &str = "_ZN93_$LT$std..sync..poison..rwlock..RwLockReadGuard$LT$T$GT$$u20$as$u20$core..ops..drop..Drop$GT$4drop17h0e23840d9985c356E";
    const GETENV: &str = "_RNCNvNtNtNtCsjrHSEGnQ3l9_3std3sys3env4unix6getenv0B9_";
    const METHOD: &str =
        "_RNvXs_CscSYwAIFpW9W_7programNtNtNtNtCsjrHSEGnQ3l9_3std4sync6poison6rwlock6RwLockNtB4_6Sleeps4doze";
    const OWN: &str = "_ZN7program4main17h05c1bd4c172af8d2E";

    fn inner(name: &str) -> String {
        format!("{LOCK}{}{name}", name.len())
    }

    /// A module with the three functions of a lock that are not inline, and further functions,
    /// each of which gives a writer's lock back. The result of [`claim`], and what each function
    /// calls.
    fn claimed(others: &[&str], wake: &[Type]) -> (usize, Vec<Vec<String>>) {
        claimed_as(others, wake, VALUES.1)
    }

    /// The same, if this is subtracted where the lock is given back.
    fn claimed_as(others: &[&str], wake: &[Type], count: u128) -> (usize, Vec<Vec<String>>) {
        let mut module = ModuleBuilder::new();
        let word: &[Type] = &[Type::Ptr];
        let mut last = None;
        for (name, types) in [
            ("read_contended", word),
            ("write_contended", word),
            ("wake_writer_or_readers", wake),
        ] {
            let mut function = FunctionBuilder::new(&inner(name));
            let params: Vec<Reg> = types.iter().map(|&ty| function.param(ty)).collect();
            let one = Operand::Const(1, Type::I32);
            function.atomic_store(Type::I32, one, params[0], AtomicOrder::SeqCst);
            function.ret(&[]);
            last = Some(module.define(function));
        }
        for name in others {
            let mut function = FunctionBuilder::new(name);
            let lock = Operand::Reg(function.param(Type::Ptr));
            let dst = function.reg(Type::I32);
            function.emit(InstKind::Rmw {
                op: RmwOp::Sub,
                dst,
                ptr: lock,
                value: Operand::Const(count, Type::I32),
                ty: Type::I32,
                order: AtomicOrder::Release,
            });
            let numbers = wake.iter().skip(1).map(|&ty| (Operand::Const(0, ty), ty));
            let args: Vec<(Operand, Type)> = std::iter::once((lock, Type::Ptr)).chain(numbers).collect();
            function.call(last.expect("it was defined"), &args, &[]);
            function.ret(&[]);
            module.define(function);
        }
        let mut module = module.finish();
        let count = claim(&mut module);
        selvedge_ir::verify(&module).expect("a valid module");
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
        let defined = module.functions.iter().filter(|f| f.is_defined());
        (count, defined.map(called).collect())
    }

    const WAKE: &[Type] = &[Type::Ptr, Type::I32];

    #[test]
    fn waits_are_claims_and_nobody_is_woken() {
        let (count, called) = claimed(&[READ, GUARD, GETENV], WAKE);
        assert_eq!(count, 4);
        assert_eq!(called[0], [CLAIM_SHARED]);
        assert_eq!(called[1], [CLAIM_EXCLUSIVE]);
        assert_eq!(called[2], [TOUCH]);
        assert_eq!(called[3], [CLAIM_SHARED]);
        assert_eq!(called[4], [TOUCH, &inner("wake_writer_or_readers")]);
        // Where no writer is seen to give it back, the bits have to say who waits.
        let (_, called) = claimed_as(&[GUARD], WAKE, 1);
        assert_eq!(called[2], [CLEAR_WAITING]);
    }

    #[test]
    fn who_only_tries_sees_the_bits() {
        for tries in [TRY, &TRY.replace("8try_read", "9try_write")] {
            let (count, called) = claimed(&[tries, GUARD], WAKE);
            assert_eq!(count, 3);
            assert_eq!(called[2], [CLEAR_WAITING]);
        }
    }

    #[test]
    fn what_is_not_understood_is_kept() {
        let others = inner("upgrade");
        for (others, wake) in [
            (&[DOWN][..], WAKE),
            (&[OWN], WAKE),
            (&[METHOD], WAKE),
            (&[&others], WAKE),
            (&[READ], &WAKE[..1]),
        ] {
            assert_eq!(claimed(others, wake).0, 0, "{others:?}");
        }
    }
}

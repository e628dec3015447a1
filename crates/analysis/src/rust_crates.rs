//! Locks of the crates that most programs in Rust lock with, parking_lot and dashmap: how a thread
//! waits for one is left out, as for the standard library's (`rust_locks.rs`).
//!
//! Such a lock is a word of memory, too. Some of its bits say that it is taken, others that threads
//! are parked. Who finds it taken reads the word some times, sets the bit of parked threads, and
//! joins a queue in a table that all such locks share, under a lock of the table's own. A function
//! that takes a lock is replaced by a claim ([`selvedge_ir::CLAIM_BITS`]): one step, which is
//! possible once no bit is set with which the function would wait, and sets what the function sets.
//!
//! *Nothing is lost, nothing is added*: as in `rust_locks.rs`. Who waits at a claim sets no bit of
//! parked threads, and so nobody wakes it. The other bits are those that the word would have.
//! Threads that wait in another way, for some time or on a condition variable, are executed as they
//! are, and set and use these bits among themselves. A lock that is handed over to a parked thread
//! is one that is free for a moment, in which only this thread takes it.
//!
//! A writer takes a lock of parking_lot for reading and writing in two steps: it keeps others off,
//! and then waits for the readers that are there. Where no reader is there the library does both at
//! once; here somebody may read the word in between, or fail to take the lock: both are possible in
//! the library as well, since the second of the steps changes nothing.
//!
//! *Memory.* A reader that gives a lock back while a writer is parked accesses it once more, when
//! the writer may have it and even end its memory. So it touches the lock there, as for the
//! standard library's (`rust_rwlocks.rs`).
//!
//! *What is executed.* Who tries to take a lock for writing fails also where it is free, and
//! threads are parked. Here none ever is, so locks for reading and writing are executed as they are
//! in a module that may call such a function. Who `bump`s a lock gives it back and takes it again
//! if its word says that threads are parked. Here it never does, so a module that may call such a
//! function is executed as it is. So is one with parking_lot's search for deadlocks, since locking
//! has more effects there.
//!
//! The bits are those of the releases of 2020 to 2026. Whether a module has these is checked where
//! a function exchanges: it must have the numbers of the table. Where the compiler has put these
//! functions into others, the library's code is executed. `--rust-locks executed` executes it, too.

use super::rust_locks::{declare, declare_touch, first_statement, make_only, touching};
use super::rust_start::plain_name;
use selvedge_base::Id;
use selvedge_ir::{
    BlockId, CLAIM_BITS, Callee, FuncId, Function, Inst, InstKind, Module, Operand, RegInfo, RmwOp, Symbol,
    Type,
};
use smallvec::smallvec;

/// A step of taking a lock.
#[derive(Clone, Copy)]
struct Step {
    /// The bits with which it waits: the first one, and how many there are.
    bits: (u64, u64),
    add: u64,
}

/// A function that takes a lock: its parameter is the lock, and there is no result.
struct Takes {
    name: &'static str,
    /// What the function expects and stores in the exchange that it tries first; `None` if it calls
    /// another function for that.
    exchange: Option<(u64, u64)>,
    /// The type of the word.
    word: Type,
    steps: &'static [Step],
}

const fn step(first: u64, count: u64, add: u64) -> Step {
    Step {
        bits: (first, count),
        add,
    }
}

/// Bit 0 of a mutex: it is taken. Bits of parking_lot's lock for reading and writing: 2, somebody
/// may become the writer; 3, a writer has it; from 4 on, the number of readers. The bits of
/// dashmap's from 2 on: the number of readers, or all of them for a writer.
const ALL: [Takes; 6] = [
    Takes {
        name: "parking_lot::raw_mutex::RawMutex as lock_api::mutex::RawMutex::lock",
        exchange: Some((0, 1)),
        word: Type::Int(8),
        steps: &[step(0, 1, 1)],
    },
    Takes {
        name: "parking_lot_core::word_lock::WordLock::lock",
        exchange: Some((0, 1)),
        word: Type::Int(64),
        steps: &[step(0, 1, 1)],
    },
    Takes {
        name: "parking_lot::raw_rwlock::RawRwLock as lock_api::rwlock::RawRwLock::lock_exclusive",
        exchange: Some((0, 8)),
        word: Type::Int(64),
        steps: &[step(2, 2, 8), step(4, 60, 0)],
    },
    Takes {
        name: "parking_lot::raw_rwlock::RawRwLock as lock_api::rwlock::RawRwLock::lock_shared",
        exchange: None,
        word: Type::Int(64),
        steps: &[step(3, 1, 16)],
    },
    Takes {
        name: "dashmap::lock::RawRwLock as lock_api::rwlock::RawRwLock::lock_exclusive",
        exchange: Some((0, !3)),
        word: Type::Int(64),
        steps: &[step(2, 62, !3)],
    },
    Takes {
        name: "dashmap::lock::RawRwLock as lock_api::rwlock::RawRwLock::lock_shared",
        exchange: None,
        word: Type::Int(64),
        steps: &[step(63, 1, 4)],
    },
];

/// The part of parking_lot that looks for deadlocks: locking it has effects of its own.
const DETECTION: &str = "deadlock_impl";

/// Whether a function is an exchange of the core library: `(word, expected, new, orders…)`.
fn is_exchange(function: &Function) -> bool {
    function.name.contains("compare_exchange") && plain_name(function).starts_with("core::sync::atomic::")
}

/// Functions that give a lock back for a moment if somebody waits for it.
const BUMPS: [&str; 4] = ["bump", "bump_shared", "bump_exclusive", "bump_upgradable"];

/// How a lock for reading and writing is taken without waiting, or given back by a reader.
const TRY: &str = "RawRwLock as lock_api::rwlock::RawRwLock::try_lock_exclusive";
const GIVE_BACK: &str = "RawRwLock as lock_api::rwlock::RawRwLock::unlock_shared";
/// The crates' own modules.
const OWN: [&str; 2] = ["parking_lot::raw_", "dashmap::lock"];

/// Whether anybody but the crate itself may call a function that bumps a lock.
fn bumps(module: &Module) -> bool {
    is_called(module, |f: &Function| {
        f.name.contains("bump") && f.name.contains("parking_lot") && {
            let name = plain_name(f);
            name.rsplit("::").next().is_some_and(|last| BUMPS.contains(&last))
        }
    })
}

/// Whether anybody but the crates themselves may call functions of which this holds.
fn is_called(module: &Module, is_it: impl Fn(&Function) -> bool) -> bool {
    let called: Vec<bool> = module.functions.iter().map(is_it).collect();
    if !called.contains(&true) {
        return false;
    }
    let named = |symbol: &Symbol| matches!(symbol, Symbol::Func(func) if called[func.index()]);
    let mut relocations = module.globals.iter().flat_map(|global| &global.relocations);
    let uses = |f: &Function| {
        let mut uses = false;
        for block in f.blocks.iter() {
            let mut note = |operand: Operand| {
                uses |= matches!(operand, Operand::Func(func) if called[func.index()]);
            };
            block
                .insts
                .iter()
                .for_each(|inst| inst.kind.for_each_operand(&mut note));
            block.term.for_each_operand(&mut note);
            uses |= block.insts.iter().any(|inst| {
                matches!(
                    inst.kind,
                    InstKind::Call { callee: Callee::Direct(callee), .. } if called[callee.index()]
                )
            });
        }
        uses
    };
    let others = module
        .functions
        .iter_ids()
        .filter(|(id, f)| f.is_defined() && !called[id.index()]);
    let mut others = others.map(|(_, f)| f);
    relocations.any(|relocation| named(&relocation.symbol))
        || others.any(|f| uses(f) && !OWN.iter().any(|own| plain_name(f).starts_with(own)))
}

/// Lets readers touch their lock after they have given it back. Returns false, and changes nothing,
/// if it cannot be seen where that is.
fn touch_after_reads(module: &mut Module) -> bool {
    let gives_back = |f: &Function| {
        f.is_defined() && f.name.contains("unlock_shared") && plain_name(f).ends_with(GIVE_BACK)
    };
    let functions = module.functions.iter_ids();
    let found: Vec<FuncId> = functions
        .filter(|(_, f)| gives_back(f))
        .map(|(id, _)| id)
        .collect();
    let subtracts: Vec<bool> = module.functions.iter().map(is_subtraction).collect();
    let word = |inst: &Inst| match &inst.kind {
        InstKind::Rmw {
            op: RmwOp::Sub, ptr, ..
        } => Some(*ptr),
        InstKind::Call {
            callee: Callee::Direct(callee),
            args,
            ..
        } if subtracts[callee.index()] => args.first().copied(),
        _ => None,
    };
    let places = |f: &Function| -> Vec<(BlockId, usize, Operand)> {
        let blocks = f.blocks.iter_ids();
        let insts = blocks.flat_map(|(id, block)| {
            block
                .insts
                .iter()
                .enumerate()
                .map(move |(at, inst)| (id, at, inst))
        });
        insts
            .filter_map(|(id, at, inst)| Some((id, at, word(inst)?)))
            .collect()
    };
    let all: Vec<(FuncId, Vec<_>)> = found
        .iter()
        .map(|&id| (id, places(&module.functions[id])))
        .collect();
    if all.is_empty() || all.iter().any(|(_, places)| places.is_empty()) {
        return false;
    }
    let touch = declare_touch(module);
    for (id, places) in all {
        let function = &mut module.functions[id];
        let answer = function.regs.push(RegInfo::unnamed(Type::I32));
        for (block, at, word) in places.into_iter().rev() {
            let stmt = function.blocks[block].insts[at].stmt;
            let kind = touching(touch, answer, (word, 8));
            function.blocks[block].insts.insert(at + 1, Inst { stmt, kind });
        }
    }
    true
}

/// Whether a function is a subtraction of the core library: `(word, number, orders…)`.
fn is_subtraction(function: &Function) -> bool {
    function.name.contains("fetch_sub") && plain_name(function).starts_with("core::sync::atomic::")
}

/// Replaces functions that take locks by claims. Returns their number.
pub fn claim(module: &mut Module) -> usize {
    let named = |f: &Function, part: &str| f.name.contains(part);
    let defined = || module.functions.iter_ids().filter(|(_, f)| f.is_defined());
    if !defined().any(|(_, f)| named(f, "parking_lot") || named(f, "dashmap"))
        || defined().any(|(_, f)| named(f, DETECTION))
    {
        return 0;
    }
    if bumps(module) {
        return 0;
    }
    let takes = |f: &Function| {
        let may = f.returns.is_empty() && f.params.len() == 1 && named(f, "lock");
        let name = may.then(|| plain_name(f))?;
        ALL.iter().position(|takes| takes.name == name)
    };
    let found: Vec<(FuncId, usize)> = defined().filter_map(|(id, f)| Some((id, takes(f)?))).collect();
    let exchanges: Vec<bool> = module.functions.iter().map(is_exchange).collect();
    let fits = |at: usize| {
        let mut of = found.iter().filter(|(_, takes)| *takes == at).peekable();
        of.peek().is_some() && of.all(|(id, _)| ALL[at].is_tried_by(&module.functions[*id], &exchanges))
    };
    // Of one type all functions have the bits of the table, or none has.
    let type_of = |at: usize| ALL[at].name.split("RawRwLock").next();
    let fitting: Vec<bool> = (0..ALL.len())
        .map(|at| match ALL[at].exchange {
            Some(_) => fits(at),
            None => (0..ALL.len())
                .any(|other| ALL[other].exchange.is_some() && type_of(other) == type_of(at) && fits(other)),
        })
        .collect();
    let mut found: Vec<(FuncId, usize)> = found.into_iter().filter(|(_, at)| fitting[*at]).collect();
    let is_rwlock = |&(_, at): &(FuncId, usize)| ALL[at].name.contains("RawRwLock");
    if found.iter().any(is_rwlock) {
        let reads = found.iter().any(|&(_, at)| ALL[at].name.ends_with("lock_shared"));
        let tries = |f: &Function| f.name.contains("try_lock_exclusive") && plain_name(f).ends_with(TRY);
        if is_called(module, tries) || reads && !touch_after_reads(module) {
            found.retain(|takes| !is_rwlock(takes));
        }
    }
    if found.is_empty() {
        return 0;
    }
    let parameters = [Type::Ptr, Type::I32, Type::I32, Type::Int(64), Type::I32];
    let callee = declare(module, CLAIM_BITS, &parameters);
    for &(id, at) in &found {
        ALL[at].replace(&mut module.functions[id], callee);
    }
    found.len()
}

impl Takes {
    /// Whether a function tries to take the lock in the form of the table.
    fn is_tried_by(&self, function: &Function, exchanges: &[bool]) -> bool {
        let Some((free, taken)) = self.exchange else {
            return true;
        };
        let numbers = [free, taken].map(|n| Operand::Const(n.into(), self.word));
        let mut insts = function.blocks.iter().flat_map(|block| &block.insts);
        insts.any(|inst| match &inst.kind {
            InstKind::CompareExchange { expected, new, .. } => [*expected, *new] == numbers,
            InstKind::Call {
                callee: Callee::Direct(callee),
                args,
                ..
            } => exchanges[callee.index()] && args.get(1..3) == Some(&numbers),
            _ => false,
        })
    }

    fn replace(&self, function: &mut Function, callee: FuncId) {
        let (word, stmt) = (Operand::Reg(function.params[0]), first_statement(function));
        let size = u128::from(self.word.bytes());
        let claim = |step: &Step| {
            let answer = function.regs.push(RegInfo::unnamed(Type::I32));
            let number = |n: u64| Operand::Const(n.into(), Type::I32);
            Inst {
                stmt,
                kind: InstKind::Call {
                    results: smallvec![answer],
                    callee: Callee::Direct(callee),
                    args: smallvec![
                        word,
                        number(step.bits.0),
                        number(step.bits.1),
                        Operand::Const(step.add.into(), Type::Int(64)),
                        Operand::Const(size, Type::I32),
                    ],
                    types: smallvec![Type::Ptr, Type::I32, Type::I32, Type::Int(64), Type::I32],
                },
            }
        };
        let claims = self.steps.iter().map(claim).collect();
        make_only(function, claims);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use selvedge_ir::{AtomicOrder, FunctionBuilder, ModuleBuilder};

    const MUTEX: &str = "_ZN78_$LT$parking_lot..raw_mutex..RawMutex$u20$as$u20$lock_api..mutex..RawMutex$GT$4lock17h2152a5305f08cb74E";
    const WRITE: &str = "_ZN82_$LT$parking_lot..raw_rwlock..RawRwLock$u20$as$u20$lock_api..rwlock..RawRwLock$GT$14lock_exclusive17hde0a75e5f784a923E";
    const READ: &str = "_ZN82_$LT$parking_lot..raw_rwlock..RawRwLock$u20$as$u20$lock_api..rwlock..RawRwLock$GT$11lock_shared17h066c145ed7063228E";
    const OTHER: &str = "_ZN74_$LT$program..raw_mutex..RawMutex$u20$as$u20$lock_api..mutex..RawMutex$GT$4lock17h2152a5305f08cb74E";
    const LOOKS: &str = "_ZN16parking_lot_core11parking_lot13deadlock_impl7recv_on17h36e4767477477f99E";

    const BUMP: &str = "_ZN82_$LT$parking_lot..raw_mutex..RawMutex$u20$as$u20$lock_api..mutex..RawMutexFair$GT$4bump17h2152a5305f08cb74E";
    const GUARD: &str = "_ZN8lock_api5mutex25MutexGuard$LT$R$C$T$GT$4bump17h2152a5305f08cb74E";

    /// The calls of claims in a module with functions of these names, which exchange so.
    fn claims(functions: &[(&str, Type, u128)]) -> (usize, usize) {
        claims_in(ModuleBuilder::new(), functions)
    }

    fn claims_in(mut module: ModuleBuilder, functions: &[(&str, Type, u128)]) -> (usize, usize) {
        for &(name, ty, taken) in functions {
            let mut function = FunctionBuilder::new(name);
            let word = function.param(Type::Ptr);
            let (old, success) = (function.reg(ty), function.reg(Type::I1));
            function.emit(InstKind::CompareExchange {
                old,
                success,
                ptr: Operand::Reg(word),
                expected: Operand::Const(0, ty),
                new: Operand::Const(taken, ty),
                ty,
                order: AtomicOrder::Acquire,
                failure: AtomicOrder::Relaxed,
                weak: true,
            });
            function.ret(&[]);
            module.define(function);
        }
        let mut module = module.finish();
        let replaced = claim(&mut module);
        selvedge_ir::verify(&module).expect("a valid module");
        let insts = module
            .functions
            .iter()
            .flat_map(|f| f.blocks.iter().flat_map(|b| &b.insts));
        let claim = module.function(CLAIM_BITS);
        let calls = insts.filter(|inst| {
            matches!(inst.kind, InstKind::Call { callee: Callee::Direct(callee), .. } if Some(callee) == claim)
        });
        (replaced, calls.count())
    }

    #[test]
    fn a_module_that_may_bump_a_lock_is_kept() {
        let with = |caller: &str| {
            let mut module = ModuleBuilder::new();
            let mut bump = FunctionBuilder::new(BUMP);
            bump.ret(&[]);
            let bump = module.define(bump);
            let mut function = FunctionBuilder::new(caller);
            function.call(bump, &[], &[]);
            function.ret(&[]);
            module.define(function);
            claims_in(module, &[(MUTEX, Type::Int(8), 1)])
        };
        assert_eq!(with(GUARD), (0, 0));
        assert_eq!(
            with("_ZN11parking_lot9raw_mutex8RawMutex5other17h2152a5305f08cb74E"),
            (1, 1)
        );
    }

    /// A module with how a reader gives a lock back.
    fn with_readers() -> ModuleBuilder {
        let mut module = ModuleBuilder::new();
        let mut function = FunctionBuilder::new(&READ.replace("11lock_shared", "13unlock_shared"));
        let (ptr, dst) = (function.param(Type::Ptr), function.reg(Type::Int(64)));
        function.emit(InstKind::Rmw {
            op: RmwOp::Sub,
            dst,
            ptr: Operand::Reg(ptr),
            value: Operand::Const(16, Type::Int(64)),
            ty: Type::Int(64),
            order: AtomicOrder::Release,
        });
        function.ret(&[]);
        module.define(function);
        module
    }

    #[test]
    fn functions_with_the_bits_of_the_table_are_claims() {
        let (byte, word) = (Type::Int(8), Type::Int(64));
        assert_eq!(claims(&[(MUTEX, byte, 1)]), (1, 1));
        let both = [(WRITE, word, 8), (READ, word, 16)];
        assert_eq!(claims_in(with_readers(), &both), (2, 3));
        // Nothing shows where readers have to touch the lock.
        assert_eq!(claims(&both), (0, 0));
        assert_eq!(claims(&[(WRITE, word, 8)]), (1, 2));
    }

    #[test]
    fn a_module_that_tries_to_write_is_kept() {
        let word = Type::Int(64);
        let mut module = with_readers();
        let mut tries = FunctionBuilder::new(&WRITE.replace("14lock_exclusive", "18try_lock_exclusive"));
        tries.ret(&[]);
        let tries = module.define(tries);
        let mut caller = FunctionBuilder::new("_ZN8lock_api6rwlock15RwLock$LT$T$GT$9try_write17h0E");
        caller.call(tries, &[], &[]);
        caller.ret(&[]);
        module.define(caller);
        let all = [(WRITE, word, 8), (READ, word, 16), (MUTEX, Type::Int(8), 1)];
        assert_eq!(claims_in(module, &all), (1, 1));
    }

    #[test]
    fn others_are_kept() {
        let (byte, word) = (Type::Int(8), Type::Int(64));
        assert_eq!(claims(&[(MUTEX, byte, 2)]), (0, 0));
        assert_eq!(claims(&[(MUTEX, word, 1)]), (0, 0));
        assert_eq!(claims(&[(OTHER, byte, 1)]), (0, 0));
        assert_eq!(claims(&[(READ, word, 16)]), (0, 0), "nothing shows the bits");
        assert_eq!(claims(&[(WRITE, word, 4), (READ, word, 16)]), (0, 0));
        assert_eq!(claims(&[(MUTEX, byte, 1), (LOOKS, byte, 1)]), (0, 0));
    }
}

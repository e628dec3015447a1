//! Which stack objects can only be reached by the function that owns them and by those that it
//! calls: their address goes nowhere but into the address of loads, stores, copies and further
//! address computations, here and in the functions that get it as an argument. When those return,
//! nobody else holds such an address. So accesses to the object are never shared, and its slot may
//! be used again as soon as the function has returned.
//!
//! What becomes of a parameter ([`Fate`]) depends on the functions to which it is passed. A
//! function may return it, as `std::move` does: then the caller holds the address that it passed
//! once more. All parameters are assumed to stay in their function, and each is followed until
//! nothing changes: the greatest solution, since a cycle of calls alone lets no address out.
//!
//! Two addresses in one object may be compared for equality: that tells nothing of where it is, if
//! neither can be anything else ([`certain`]). A guess that is compared with an address may find
//! it.
//!
//! Library functions that only read or write there, and forget the address before they return, are
//! no way out either ([`of_library`]).

use crate::library::{self, Returns};
use selvedge_base::{Id, IdVec};
use selvedge_ir::{
    Callee, FuncId, Function, InstKind, IntPred, LocalId, Module, Operand, Reg, Terminator, Type,
};
use smallvec::SmallVec;
use std::cell::LazyCell;

/// What becomes of the address that a parameter holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Fate {
    /// It goes nowhere but into accesses and results.
    stays: bool,
    /// The results that may hold it, as bits.
    returned: u64,
}

/// It stays where it is.
const IN: Fate = Fate {
    stays: true,
    returned: 0,
};
/// Anybody may have it.
const OUT: Fate = Fate {
    stays: false,
    returned: 0,
};

/// What becomes of an argument of a library function (one without a body).
fn of_library(name: &str, argument: usize) -> Fate {
    if library::only_touches(name) {
        return match library::effect(name).map(|effect| effect.result) {
            Some(Returns::Nothing) if !compares_threads(name) => IN,
            Some(Returns::Argument(from) | Returns::Within(from)) => Fate {
                returned: u64::from(usize::from(from) == argument),
                ..IN
            },
            _ => OUT,
        };
    }
    if forgets(name, argument) { IN } else { OUT }
}

/// Whether a function compares the numbers of threads, which may be anything.
fn compares_threads(name: &str) -> bool {
    name.starts_with("pthread_")
}

/// Whether a library function only reads or writes what this argument points to, in the calling
/// thread and before it returns.
fn forgets(name: &str, argument: usize) -> bool {
    matches!(
        (name, argument),
        ("pthread_create" | "thrd_create", 0)
            | ("pthread_join" | "thrd_join", 1)
            | ("nanosleep" | "thrd_sleep" | "timespec_get" | "gettimeofday", 0)
            | ("clock_gettime" | "sem_timedwait" | "mtx_timedlock", 1)
            | ("pthread_mutex_timedlock", 1)
            | ("pthread_rwlock_timedrdlock" | "pthread_rwlock_timedwrlock", 1)
            | ("sem_clockwait" | "pthread_mutex_clocklock" | "clock_nanosleep", 2)
            | ("pthread_rwlock_clockrdlock" | "pthread_rwlock_clockwrlock", 2)
            | (
                "pthread_cond_timedwait" | "cnd_timedwait" | "pthread_timedjoin_np",
                2
            )
            | ("pthread_cond_clockwait" | "pthread_clockjoin_np", 3)
            // The lock, in which the address of the mutex is.
            | ("_ZNSt18condition_variable4waitERSt11unique_lockISt5mutexE", 1)
    )
}

/// The objects whose address a register may hold, in order: the number of a local, or of a
/// parameter after all locals.
type Holds = SmallVec<[u32; 2]>;

/// Where the addresses of locals and the values of parameters go.
#[derive(Debug)]
pub struct Escape {
    /// For each function and each of its parameters, what becomes of it.
    fates: IdVec<FuncId, Vec<Fate>>,
}

impl Escape {
    /// Looks at all functions of a module.
    pub fn of(module: &Module) -> Escape {
        let all = module.functions.iter().map(|function| {
            let fate = |number| match function.is_defined() {
                true => IN,
                false => of_library(&function.name, number),
            };
            (0..function.params.len()).map(fate).collect()
        });
        let mut escape = Escape { fates: all.collect() };
        // Who passes a parameter on has to be looked at again.
        let mut callers: IdVec<FuncId, Vec<FuncId>> = module.functions.iter().map(|_| Vec::new()).collect();
        for (id, function) in module.functions.iter_ids() {
            for callee in callees(function) {
                if callers[callee].last() != Some(&id) {
                    callers[callee].push(id);
                }
            }
        }
        let mut open: Vec<FuncId> = module.functions.ids().collect();
        while let Some(id) = open.pop() {
            let function = &module.functions[id];
            if !function.is_defined() || !escape.fates[id].iter().any(|fate| fate.stays) {
                continue;
            }
            let all = escape.follow(function);
            let fates = &all[function.locals.len()..];
            if fates != escape.fates[id] {
                escape.fates[id] = fates.to_vec();
                open.extend(&callers[id]);
            }
        }
        escape
    }

    /// The same where each call of a function of the program lets the addresses out that it gets.
    pub fn at_calls(module: &Module) -> Escape {
        let all = module.functions.iter();
        let fates = all.map(|function| {
            let fate = |number| match function.is_defined() {
                true => OUT,
                false => of_library(&function.name, number),
            };
            (0..function.params.len()).map(fate).collect()
        });
        Escape {
            fates: fates.collect(),
        }
    }

    /// For each stack object of a function whether it is private.
    pub fn private_locals(&self, function: &Function) -> IdVec<LocalId, bool> {
        let all = self.follow(function);
        let locals = all.iter().take(function.locals.len());
        locals.map(|&fate| fate == IN).collect()
    }

    /// What becomes of the address of each local of a function, and then of each parameter, if the
    /// fates in other functions are as known.
    fn follow(&self, function: &Function) -> Vec<Fate> {
        let holds = self.holds(function);
        let none = Holds::new();
        let held = |operand: Operand| match operand {
            Operand::Reg(reg) => &holds[reg.index()],
            _ => &none,
        };
        let mut fates = vec![IN; function.locals.len() + function.params.len()];
        let mut lets = |operand: Operand, to: Fate| {
            for &object in held(operand) {
                let fate = &mut fates[object as usize];
                fate.stays &= to.stays;
                fate.returned |= to.returned;
            }
        };
        let certain = LazyCell::new(|| certain(function));
        let is_certain = |operand| matches!(operand, Operand::Reg(reg) if certain[reg.index()]);
        let in_one = |a, b| held(a).len() == 1 && held(a) == held(b) && is_certain(a) && is_certain(b);
        for block in function.blocks.iter() {
            if let Terminator::Return(results) = &block.term {
                for (number, &result) in results.iter().enumerate() {
                    let returned = 1_u64.checked_shl(number as u32);
                    lets(result, returned.map_or(OUT, |returned| Fate { returned, ..IN }));
                }
            }
            let mut escape = |operand: Operand| lets(operand, OUT);
            for inst in &block.insts {
                match &inst.kind {
                    InstKind::Load { .. }
                    | InstKind::MemSet { .. }
                    | InstKind::VaStart { .. }
                    | InstKind::Copy { .. }
                    | InstKind::Select { .. } => {}
                    InstKind::Cmp { a, b, .. } if is_null(*a) || is_null(*b) => {}
                    InstKind::Cmp {
                        pred: IntPred::Eq | IntPred::Ne,
                        a,
                        b,
                        ..
                    } if in_one(*a, *b) => {}
                    InstKind::Store { value, .. } => escape(*value),
                    InstKind::MemCopy { len, .. } => escape(*len),
                    InstKind::Gep { terms, .. } => terms.iter().for_each(|t| escape(t.index)),
                    InstKind::Rmw { value, .. } => escape(*value),
                    InstKind::CompareExchange { expected, new, .. } => {
                        escape(*expected);
                        escape(*new);
                    }
                    InstKind::Call {
                        callee: Callee::Direct(callee),
                        args,
                        ..
                    } => {
                        let known = &self.fates[*callee];
                        for (number, &argument) in args.iter().enumerate() {
                            if !known.get(number).is_some_and(|fate| fate.stays) {
                                escape(argument);
                            }
                        }
                    }
                    other => other.for_each_operand(&mut escape),
                }
            }
            if !matches!(block.term, Terminator::Return(_)) {
                block.term.for_each_operand(&mut escape);
            }
        }
        fates
    }

    /// What each register may hold the address of.
    fn holds(&self, function: &Function) -> Vec<Holds> {
        let mut holds: Vec<Holds> = vec![Holds::new(); function.regs.len()];
        let locals = function.locals.len() as u32;
        for (number, &reg) in (locals..).zip(&function.params) {
            add(&mut holds[reg.index()], number);
        }
        let pass = |holds: &mut Vec<Holds>, dst: Reg, from: Operand| match from {
            Operand::Reg(from) if from != dst && !holds[from.index()].is_empty() => {
                let from = holds[from.index()].clone();
                let known = &mut holds[dst.index()];
                let before = known.len();
                from.iter().for_each(|&object| _ = add(known, object));
                known.len() > before
            }
            _ => false,
        };
        // Address computations come after their bases in every path, but not in block order:
        // iterate.
        let mut changed = true;
        while changed {
            changed = false;
            for inst in function.blocks.iter().flat_map(|block| &block.insts) {
                match &inst.kind {
                    InstKind::Select { dst, a, b, .. } => {
                        changed |= pass(&mut holds, *dst, *a);
                        changed |= pass(&mut holds, *dst, *b);
                    }
                    InstKind::LocalAddr { dst, local } => {
                        changed |= add(&mut holds[dst.index()], local.index() as u32);
                    }
                    InstKind::Gep { dst, base: from, .. } | InstKind::Copy { dst, value: from } => {
                        changed |= pass(&mut holds, *dst, *from);
                    }
                    InstKind::Call {
                        callee: Callee::Direct(callee),
                        args,
                        results,
                        ..
                    } => {
                        for (fate, &argument) in self.fates[*callee].iter().zip(args) {
                            for (number, &result) in results.iter().enumerate().take(64) {
                                if fate.returned >> number & 1 == 1 {
                                    changed |= pass(&mut holds, result, argument);
                                }
                            }
                        }
                    }
                    _ => {}
                }
            }
        }
        holds
    }
}

/// Which registers hold nothing but addresses computed from one local or parameter on: no number,
/// no null, nothing that was loaded or that a call returned.
fn certain(function: &Function) -> Vec<bool> {
    let mut certain = vec![true; function.regs.len()];
    let mut changed = true;
    while changed {
        changed = false;
        for inst in function.blocks.iter().flat_map(|block| &block.insts) {
            let is_certain = |from: Operand| matches!(from, Operand::Reg(reg) if certain[reg.index()]);
            let stays = match inst.kind {
                InstKind::LocalAddr { .. } => true,
                InstKind::Gep { base: from, .. } | InstKind::Copy { value: from, .. } => is_certain(from),
                InstKind::Select { a, b, .. } => is_certain(a) && is_certain(b),
                _ => false,
            };
            if !stays {
                inst.kind
                    .for_each_result(|reg| changed |= std::mem::replace(&mut certain[reg.index()], false));
            }
        }
    }
    certain
}

/// Adds an object; true if it was not there.
fn add(holds: &mut Holds, object: u32) -> bool {
    let place = holds.binary_search(&object);
    if let Err(place) = place {
        holds.insert(place, object);
    }
    place.is_err()
}

/// Whether an operand is the null pointer, which is the address of no object.
fn is_null(operand: Operand) -> bool {
    operand == Operand::Const(0, Type::Ptr)
}

/// The functions that a function calls by name.
fn callees(function: &Function) -> impl Iterator<Item = FuncId> {
    let insts = function.blocks.iter().flat_map(|block| &block.insts);
    insts.filter_map(|inst| match inst.kind {
        InstKind::Call {
            callee: Callee::Direct(callee),
            ..
        } => Some(callee),
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use selvedge_ir::{BinOp, FunctionBuilder, ModuleBuilder, Terminator};

    /// What a function does with its parameter.
    #[derive(Clone, Copy, Debug)]
    enum Does {
        Loads,
        LoadsFromACopy,
        Returns,
        ReturnsAPart,
        StoresTheAddress,
        PassesToTheNext,
        PassesToUnknown,
        PassesToAPointer,
        PassesToItself,
        ReturnsWhatTheNextReturns,
        ReturnsItOrNull,
    }

    /// What `main` does with the result.
    #[derive(Clone, Copy, Debug)]
    enum Then {
        Forgets,
        Stores,
        PassesToUnknown,
        ComparesWithNull,
        ComparesWithIt,
        ComparesWithAnother,
        TakesTheDistance,
    }

    /// Whether a local is private whose address is passed to a function that does this; `next`:
    /// what the function does to which that one passes it; `then`: what becomes of the result.
    fn is_private_then(does: Does, next: Does, then: Then) -> bool {
        let mut module = ModuleBuilder::new();
        let unknown = module.declare("unknown", &[Type::Ptr], &[]);
        let first = module.declare("first", &[Type::Ptr], &[Type::Ptr]);
        let second = module.declare("second", &[Type::Ptr], &[Type::Ptr]);
        for (id, name, does, passes) in [(first, "first", does, second), (second, "second", next, first)] {
            let mut function = FunctionBuilder::new(name);
            function.returns(&[Type::Ptr]);
            let word = function.param(Type::Ptr);
            let mut result = Operand::Const(0, Type::Ptr);
            let given = [(Operand::Reg(word), Type::Ptr)];
            match does {
                Does::Loads => _ = function.load(Type::I32, word),
                Does::LoadsFromACopy => {
                    let copy = function.copy(Type::Ptr, word);
                    let part = function.offset(copy, 4);
                    function.load(Type::I32, part);
                }
                Does::Returns => result = Operand::Reg(word),
                Does::ReturnsAPart => {
                    let copy = function.copy(Type::Ptr, word);
                    result = Operand::Reg(function.offset(copy, 4));
                }
                Does::StoresTheAddress => function.store(Type::Ptr, word, word),
                Does::PassesToTheNext => _ = function.call(passes, &given, &[Type::Ptr]),
                Does::PassesToUnknown => _ = function.call(unknown, &given, &[]),
                Does::PassesToAPointer => _ = function.call_indirect(Operand::Func(unknown), &given, &[]),
                Does::ReturnsWhatTheNextReturns => {
                    result = Operand::Reg(function.call(passes, &given, &[Type::Ptr])[0]);
                }
                Does::ReturnsItOrNull => {
                    let is_null = function.cmp(IntPred::Eq, Type::Ptr, word, result);
                    let dst = function.reg(Type::Ptr);
                    function.emit(InstKind::Select {
                        dst,
                        cond: Operand::Reg(is_null),
                        a: result,
                        b: Operand::Reg(word),
                    });
                    result = Operand::Reg(dst);
                }
                Does::PassesToItself => _ = function.call(id, &given, &[Type::Ptr]),
            }
            function.terminate(Terminator::Return([result].into_iter().collect()));
            module.define_as(id, function);
        }
        let mut main = FunctionBuilder::new("main");
        let local = main.local(8, 8);
        let address = main.local_addr(local);
        let other = main.local(8, 8);
        let other = main.local_addr(other);
        let result = main.call(first, &[(Operand::Reg(address), Type::Ptr)], &[Type::Ptr])[0];
        let null = Operand::Const(0, Type::Ptr);
        match then {
            Then::Forgets => {}
            Then::Stores => main.store(Type::Ptr, result, other),
            Then::PassesToUnknown => _ = main.call(unknown, &[(Operand::Reg(result), Type::Ptr)], &[]),
            Then::ComparesWithNull => _ = main.cmp(IntPred::Eq, Type::Ptr, result, null),
            Then::ComparesWithIt => _ = main.cmp(IntPred::Eq, Type::Ptr, result, address),
            Then::ComparesWithAnother => _ = main.cmp(IntPred::Eq, Type::Ptr, result, other),
            Then::TakesTheDistance => _ = main.bin(BinOp::Sub, Type::I64, result, address),
        }
        main.ret(&[]);
        let main = module.define(main);
        let module = module.finish();
        Escape::of(&module).private_locals(&module.functions[main])[local]
    }

    fn is_private(does: Does, next: Does) -> bool {
        is_private_then(does, next, Then::Forgets)
    }

    #[test]
    fn what_comes_back_is_followed() {
        use Does::*;
        use Then::*;
        let ways = [
            (Returns, Loads),
            (ReturnsAPart, Loads),
            (ReturnsWhatTheNextReturns, Returns),
            (ReturnsItOrNull, Loads),
        ];
        for (does, next) in ways {
            for (then, private) in [
                (Forgets, true),
                (ComparesWithNull, true),
                (Stores, false),
                (Then::PassesToUnknown, false),
                // The result may be something else: null, or a number.
                (ComparesWithIt, false),
                (ComparesWithAnother, false),
                (TakesTheDistance, false),
            ] {
                assert_eq!(is_private_then(does, next, then), private, "{does:?} {then:?}");
            }
        }
        assert!(
            is_private_then(Loads, Loads, Stores),
            "another pointer comes back"
        );
    }

    /// A local's address, or one in it, is compared with what is chosen of two.
    #[test]
    fn equality_in_one_object_tells_nothing() {
        let is_private = |pred: IntPred, guesses: bool, distance: i64| {
            let mut module = ModuleBuilder::new();
            let mut main = FunctionBuilder::new("main");
            let number = Operand::Const(0x4000_0000, Type::Ptr);
            let local = main.local(8, 8);
            let address = main.local_addr(local);
            let part = main.offset(address, distance);
            let chosen = main.reg(Type::Ptr);
            let values = [Some(Operand::Reg(part)), guesses.then_some(number)];
            for value in values.into_iter().flatten() {
                main.emit(InstKind::Copy { dst: chosen, value });
            }
            main.cmp(pred, Type::Ptr, chosen, address);
            main.ret(&[]);
            let main = module.define(main);
            let module = module.finish();
            Escape::of(&module).private_locals(&module.functions[main])[local]
        };
        for distance in [0, 4] {
            assert!(is_private(IntPred::Eq, false, distance));
            assert!(is_private(IntPred::Ne, false, distance));
            assert!(!is_private(IntPred::Ult, false, distance), "a sum may wrap");
            assert!(!is_private(IntPred::Eq, true, distance), "a guess");
        }
    }

    /// A library function gets the address; what comes back may be stored.
    #[test]
    fn library_functions_that_only_touch_forget() {
        let is_private = |name: &str, argument: usize, stores: bool| {
            let mut module = ModuleBuilder::new();
            let library = module.declare(name, &[Type::Ptr; 3], &[Type::Ptr]);
            let mut main = FunctionBuilder::new("main");
            let local = main.local(8, 8);
            let address = main.local_addr(local);
            let mut given = [(Operand::Const(0, Type::Ptr), Type::Ptr); 3];
            given[argument].0 = Operand::Reg(address);
            let result = main.call(library, &given, &[Type::Ptr])[0];
            let other = main.local(8, 8);
            let other = main.local_addr(other);
            if stores {
                main.store(Type::Ptr, result, other);
            }
            main.ret(&[]);
            let main = module.define(main);
            let module = module.finish();
            Escape::of(&module).private_locals(&module.functions[main])[local]
        };
        let wait = "_ZNSt18condition_variable4waitERSt11unique_lockISt5mutexE";
        for (name, argument, forgets) in [
            ("memcmp", 0, true),
            ("memcmp", 1, true),
            ("memcpy", 1, true),
            ("strlen", 0, true),
            ("clock_gettime", 1, true),
            ("clock_gettime", 0, false),
            (wait, 1, true),
            (wait, 0, false),
            ("pthread_equal", 0, false),
            ("pthread_create", 2, false),
            ("pthread_mutex_lock", 0, false),
            ("unknown", 0, false),
        ] {
            assert_eq!(is_private(name, argument, false), forgets, "{name} {argument}");
            assert_eq!(is_private(name, argument, true), forgets, "{name} {argument}");
        }
        for name in ["memcpy", "memset", "memchr"] {
            assert!(is_private(name, 0, false), "{name}");
            assert!(!is_private(name, 0, true), "{name} returns it");
        }
    }

    #[test]
    fn an_address_that_is_stored_is_let_out() {
        use Does::*;
        for (does, private) in [
            (Loads, true),
            (LoadsFromACopy, true),
            (PassesToItself, true),
            (Returns, true),
            (StoresTheAddress, false),
            (PassesToUnknown, false),
            (PassesToAPointer, false),
        ] {
            assert_eq!(is_private(does, Loads), private, "{does:?}");
            assert_eq!(
                is_private(PassesToTheNext, does),
                private,
                "the next one {does:?}"
            );
        }
        assert!(
            is_private(PassesToTheNext, PassesToTheNext),
            "a cycle lets nothing out"
        );
    }
}

//! Which stack objects can only be reached by the function that owns them and by those that it
//! calls: their address goes nowhere but into the address of loads, stores, copies and further
//! address computations, here and in the functions that get it as an argument. When those return,
//! nobody else holds such an address. So accesses to the object are never shared, and its slot may
//! be used again as soon as the function has returned.
//!
//! An address may also be stored in such an object, as closures store the addresses of what they
//! capture, and be loaded from there ([`places`], [`flow`]). The object that holds it must not live
//! longer than the object that it points to, since who finds the address later would find another
//! object in its slot. So a local's address may be stored in a local of the same call, whose slots
//! are all kept until it returns. A callee may store what it was given in its own locals, and one
//! argument in what another one points to, which is then judged in the caller. It may not store the
//! address of its own local in what it was given. An address that is stored anywhere else, or where
//! it is not certain, is let out; and so are all addresses in an object whose own is let out. This
//! follows CGSSM99, with offsets in the objects.
//!
//! What becomes of parameters ([`Summary`]) depends on the functions to which they are passed. A
//! function may return one, as `std::move` does: then the caller holds the address that it passed
//! once more. All parameters are assumed to stay in their function, and each is followed until
//! nothing changes: the greatest solution, since a cycle of calls alone lets no address out.
//!
//! Two addresses in one object may be compared for equality: that tells nothing of where it is, if
//! neither can be anything else. A guess that is compared with an address may find it.
//!
//! Library functions that only read or write there, and forget the address before they return, are
//! no way out either ([`of_library`]).

mod flow;
mod places;
#[cfg(test)]
mod stored;

use crate::library::{self, Returns};
use flow::Flow;
use places::{ALL, Origin, Place, Value, Values};
use selvedge_base::IdVec;
use selvedge_ir::{Callee, FuncId, Function, InstKind, LocalId, Module};

/// A function is looked at so often until it is assumed to let everything out.
const ROUNDS: u32 = 50;

/// What becomes of an argument's address.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Fate {
    /// It goes nowhere but into accesses.
    Stays,
    /// The first result may hold it, too.
    Returned,
    /// Anybody may have it.
    Out,
}

/// What becomes of an argument of a library function (one without a body).
fn of_library(name: &str, argument: usize) -> Fate {
    if library::only_touches(name) {
        return match library::effect(name).map(|effect| effect.result) {
            Some(Returns::Nothing) if !compares_threads(name) => Fate::Stays,
            Some(Returns::Argument(from) | Returns::Within(from)) => match usize::from(from) == argument {
                true => Fate::Returned,
                false => Fate::Stays,
            },
            _ => Fate::Out,
        };
    }
    match forgets(name, argument) {
        true => Fate::Stays,
        false => Fate::Out,
    }
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
            | ("snprintf" | "vsnprintf" | "sprintf" | "vsprintf", 0)
            | ("__snprintf_chk" | "__vsnprintf_chk" | "__sprintf_chk" | "__vsprintf_chk", 0)
            | ("puts" | "fputs" | "perror" | "fwrite" | "fread", 0)
            | ("write" | "read", 1)
            // The lock, in which the address of the mutex is.
            | ("_ZNSt18condition_variable4waitERSt11unique_lockISt5mutexE", 1)
    )
}

/// What callers have to know of a function.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
struct Summary {
    /// What each parameter points to; then what is loaded from there, in this order.
    places: Vec<Place>,
    /// For each result the addresses that it may hold.
    results: Vec<Values>,
}

impl Summary {
    /// The number of parameters.
    fn params(&self) -> usize {
        let is_param = |place: &&Place| place.origin == Origin::Param;
        self.places.iter().take_while(is_param).count()
    }

    /// Nothing becomes of any parameter.
    fn nothing(function: &Function) -> Summary {
        Summary {
            places: vec![Place::new(Origin::Param, 0); function.params.len()],
            results: vec![Values::new(); function.returns.len()],
        }
    }

    /// Anybody may have each.
    fn out(function: &Function) -> Summary {
        let mut summary = Summary::nothing(function);
        for place in &mut summary.places {
            place.stays = false;
            place.known = vec![ALL];
        }
        summary
    }

    /// Of a function without a body. What it is given may have become known by its contents, which
    /// it compares or copies.
    fn of_library(function: &Function) -> Summary {
        let mut summary = Summary::nothing(function);
        let mut returned = Values::new();
        for (number, place) in summary.places.iter_mut().enumerate() {
            let fate = of_library(&function.name, number);
            place.stays = fate != Fate::Out;
            place.known = vec![ALL];
            if fate == Fate::Returned {
                let (place, offset) = (number as u32, None);
                places::add(&mut returned, Value { place, offset });
            }
        }
        summary.results = vec![returned];
        summary
    }
}

type Summaries = IdVec<FuncId, Summary>;

/// Where the addresses of locals and the values of parameters go.
#[derive(Debug)]
pub struct Escape {
    summaries: Summaries,
}

impl Escape {
    /// Looks at all functions of a module.
    pub fn of(module: &Module) -> Escape {
        let mut escape = Escape::with(module, Summary::nothing);
        // Who passes a parameter on has to be looked at again.
        let mut callers: IdVec<FuncId, Vec<FuncId>> = module.functions.iter().map(|_| Vec::new()).collect();
        for (id, function) in module.functions.iter_ids() {
            for callee in callees(function) {
                if callers[callee].last() != Some(&id) {
                    callers[callee].push(id);
                }
            }
        }
        let mut rounds: IdVec<FuncId, u32> = module.functions.iter().map(|_| 0).collect();
        let mut open: Vec<FuncId> = module.functions.ids().collect();
        let mut is_open: IdVec<FuncId, bool> = module.functions.iter().map(|_| true).collect();
        while let Some(id) = open.pop() {
            is_open[id] = false;
            let function = &module.functions[id];
            if !function.is_defined() || function.params.is_empty() || rounds[id] > ROUNDS {
                continue;
            }
            rounds[id] += 1;
            let summary = match rounds[id] <= ROUNDS {
                true => Flow::of(function, &escape.summaries).summary(function),
                false => Summary::out(function),
            };
            if summary != escape.summaries[id] {
                escape.summaries[id] = summary;
                let callers = callers[id].iter().copied();
                open.extend(callers.filter(|&caller| !std::mem::replace(&mut is_open[caller], true)));
            }
        }
        escape
    }

    /// The same where each call of a function of the program lets the addresses out that it gets.
    pub fn at_calls(module: &Module) -> Escape {
        Escape::with(module, Summary::out)
    }

    fn with(module: &Module, defined: impl Fn(&Function) -> Summary) -> Escape {
        let all = module
            .functions
            .iter()
            .map(|function| match function.is_defined() {
                true => defined(function),
                false => Summary::of_library(function),
            });
        Escape {
            summaries: all.collect(),
        }
    }

    /// For each stack object of a function whether it is private.
    pub fn private_locals(&self, function: &Function) -> IdVec<LocalId, bool> {
        let flow = Flow::of(function, &self.summaries);
        let locals = function.locals.ids();
        locals.map(|local| flow.places.is_private(local)).collect()
    }
}

/// For each function of a module which of its stack objects are private.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PrivateLocals {
    functions: IdVec<FuncId, IdVec<LocalId, bool>>,
}

impl PrivateLocals {
    /// Looks at all functions of a module.
    pub fn of(module: &Module) -> PrivateLocals {
        let escape = Escape::of(module);
        let functions = module.functions.iter();
        PrivateLocals {
            functions: functions
                .map(|function| escape.private_locals(function))
                .collect(),
        }
    }

    /// Those of a function.
    pub fn of_function(&self, function: FuncId) -> &IdVec<LocalId, bool> {
        &self.functions[function]
    }
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
    use selvedge_ir::{BinOp, FunctionBuilder, IntPred, ModuleBuilder, Operand, Terminator, Type};

    /// An address of which nothing is known.
    const ANYWHERE: Operand = Operand::Const(0x4000_0000, Type::Ptr);

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
                Does::StoresTheAddress => function.store(Type::Ptr, word, ANYWHERE),
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
            Then::Stores => main.store(Type::Ptr, result, ANYWHERE),
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
            if stores {
                main.store(Type::Ptr, result, ANYWHERE);
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

//! Which stack objects can only be reached by the function that owns them and by those that it
//! calls: their address goes nowhere but into the address of loads, stores, copies and further
//! address computations, here and in the functions that get it as an argument. When those return,
//! nobody holds such an address. So accesses to the object are never shared, and its slot may be
//! used again as soon as the function has returned.
//!
//! A parameter that is treated like this is *kept*. Whether it is kept depends on the functions to
//! which it is passed. All are assumed to be, and those that are not are taken out until no more
//! are found: the greatest solution, since a cycle of calls alone lets no address out.
//!
//! Library functions that only read or write there, and forget the address before they return, are
//! no way out either ([`forgets`]).

use selvedge_base::{Id, IdVec};
use selvedge_ir::{Callee, FuncId, Function, InstKind, LocalId, Module, Operand, Reg, Type};

/// Whether a library function (one without a body) only reads or writes what this argument points
/// to, in the calling thread and before it returns.
fn forgets(function: &Function, argument: usize) -> bool {
    function.blocks.is_empty()
        && matches!(
            (function.name.as_str(), argument),
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
        )
}

/// What a register may hold the address of: nothing that matters, one object (the number of a
/// local, or of a parameter after all locals), or several, none of which counts as private then.
type Holds = Option<u32>;

/// Where the addresses of locals and the values of parameters go.
#[derive(Debug)]
pub struct Escape {
    /// For each function and each of its parameters, whether it is kept.
    kept: IdVec<FuncId, Vec<bool>>,
}

impl Escape {
    /// Looks at all functions of a module.
    pub fn of(module: &Module) -> Escape {
        let all = module.functions.iter().map(|function| {
            let kept = !function.blocks.is_empty();
            vec![kept; function.params.len()]
        });
        let mut escape = Escape { kept: all.collect() };
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
            if !escape.kept[id].contains(&true) {
                continue;
            }
            let stays = escape.stays(module, function);
            let locals = function.locals.len();
            let kept: Vec<bool> = (0..function.params.len())
                .map(|number| escape.kept[id][number] && stays[locals + number])
                .collect();
            if kept != escape.kept[id] {
                escape.kept[id] = kept;
                open.extend(&callers[id]);
            }
        }
        escape
    }

    /// The same where no parameter is kept: an object is not private if its address goes to a
    /// function of the program.
    pub fn at_calls(module: &Module) -> Escape {
        let none = module
            .functions
            .iter()
            .map(|function| vec![false; function.params.len()]);
        Escape { kept: none.collect() }
    }

    /// For each stack object of a function whether it is private.
    pub fn private_locals(&self, module: &Module, function: &Function) -> IdVec<LocalId, bool> {
        let mut stays = self.stays(module, function);
        stays.truncate(function.locals.len());
        stays.into_iter().collect()
    }

    /// For each local of a function, and then for each parameter, whether its address stays, if the
    /// parameters of other functions are as known.
    fn stays(&self, module: &Module, function: &Function) -> Vec<bool> {
        let mut stays = vec![true; function.locals.len() + function.params.len()];
        let holds = holds(function, &mut stays);
        let mut escape = |operand: Operand| {
            if let Operand::Reg(reg) = operand
                && let Some(object) = holds[reg.index()]
            {
                stays[object as usize] = false;
            }
        };
        for block in function.blocks.iter() {
            for inst in &block.insts {
                match &inst.kind {
                    InstKind::Load { .. }
                    | InstKind::MemSet { .. }
                    | InstKind::VaStart { .. }
                    | InstKind::Copy { .. }
                    | InstKind::Select { .. } => {}
                    InstKind::Cmp { a, b, .. } if is_null(*a) || is_null(*b) => {}
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
                        let kept = &self.kept[*callee];
                        let callee = &module.functions[*callee];
                        for (number, &argument) in args.iter().enumerate() {
                            let stays = kept.get(number) == Some(&true) || forgets(callee, number);
                            if !stays {
                                escape(argument);
                            }
                        }
                    }
                    other => other.for_each_operand(&mut escape),
                }
            }
            block.term.for_each_operand(&mut escape);
        }
        stays
    }
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

/// What each register may hold the address of. Objects that share a register do not stay.
fn holds(function: &Function, stays: &mut [bool]) -> Vec<Holds> {
    let mut holds: Vec<Holds> = vec![None; function.regs.len()];
    let mut changed = true;
    let add = |holds: &mut Vec<Holds>, reg: Reg, from: Holds, stays: &mut [bool]| {
        let Some(object) = from else { return false };
        match holds[reg.index()] {
            None => {
                holds[reg.index()] = from;
                true
            }
            Some(other) => {
                if other != object {
                    stays[object as usize] = false;
                    stays[other as usize] = false;
                }
                false
            }
        }
    };
    let locals = function.locals.len() as u32;
    for (number, &reg) in (locals..).zip(&function.params) {
        add(&mut holds, reg, Some(number), stays);
    }
    // Address computations come after their bases in every path, but not in block order: iterate.
    while changed {
        changed = false;
        for inst in function.blocks.iter().flat_map(|block| &block.insts) {
            let (dst, from) = match &inst.kind {
                InstKind::Select {
                    dst,
                    a: one,
                    b: other,
                    ..
                } => {
                    for from in [one, other] {
                        if let Operand::Reg(from) = from {
                            let from = holds[from.index()];
                            changed |= add(&mut holds, *dst, from, stays);
                        }
                    }
                    continue;
                }
                InstKind::LocalAddr { dst, local } => (*dst, Some(local.index() as u32)),
                InstKind::Gep {
                    dst,
                    base: Operand::Reg(from),
                    ..
                }
                | InstKind::Copy {
                    dst,
                    value: Operand::Reg(from),
                } => (*dst, holds[from.index()]),
                _ => continue,
            };
            changed |= add(&mut holds, dst, from, stays);
        }
    }
    holds
}

#[cfg(test)]
mod tests {
    use super::*;
    use selvedge_ir::{FunctionBuilder, ModuleBuilder, Terminator};

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
    }

    /// Whether a local is private whose address is passed to a function that does this; `next`:
    /// what the function does to which that one passes it.
    fn is_private(does: Does, next: Does) -> bool {
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
                Does::PassesToItself => _ = function.call(id, &given, &[Type::Ptr]),
            }
            function.terminate(Terminator::Return([result].into_iter().collect()));
            module.define_as(id, function);
        }
        let mut main = FunctionBuilder::new("main");
        let local = main.local(8, 8);
        let address = main.local_addr(local);
        main.call(first, &[(Operand::Reg(address), Type::Ptr)], &[Type::Ptr]);
        main.ret(&[]);
        let main = module.define(main);
        let module = module.finish();
        Escape::of(&module).private_locals(&module, &module.functions[main])[local]
    }

    #[test]
    fn an_address_that_comes_back_or_is_stored_is_let_out() {
        use Does::*;
        for (does, private) in [
            (Loads, true),
            (LoadsFromACopy, true),
            (PassesToItself, true),
            (Returns, false),
            (ReturnsAPart, false),
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

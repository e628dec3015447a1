//! The model library: a libc in bitcode, built into Selvedge, linked on demand.
//!
//! Only the names that it defines are examined, unless the program reaches one that nothing else
//! defines. Then the library's declarations are parsed, and only the functions needed are read and
//! lowered, with the functions that they need themselves.
//!
//! A native model of NAME works on concrete values. For symbolic values the library has
//! `__selvedge_symbolic_NAME`, which the machine calls in its place. These *stand-ins* are linked
//! only into programs that have symbolic input, and only for functions that they reach.
//!
//! Where handlers of signals run at points ([`signal_points`]), `__selvedge_interrupted_NAME` is
//! linked for each function NAME that they may interrupt.

use super::{Program, Unit};
use crate::llvm::{Context, Value};
use crate::request::Refusal;
use rustc_hash::FxHashMap;
use selvedge_analysis::signal_points;
use selvedge_ir::{FuncId, Symbol, Terminator};

/// A module of the library.
struct Part {
    /// Empty if it has no sources.
    bitcode: &'static [u8],
    /// The names it defines, one a line, sorted.
    names: &'static str,
}

/// The parts, in the order in which they are linked: none needs an earlier one. The streams of C++
/// (`lib/streams`) are large, and read only if a program has some, and so is libc++ (`lib/libcxx`).
static PARTS: [Part; 3] = [
    Part {
        bitcode: include_bytes!(concat!(env!("OUT_DIR"), "/libcxx.bc")),
        names: include_str!(concat!(env!("OUT_DIR"), "/libcxx.names")),
    },
    Part {
        bitcode: include_bytes!(concat!(env!("OUT_DIR"), "/streams.bc")),
        names: include_str!(concat!(env!("OUT_DIR"), "/streams.names")),
    },
    Part {
        bitcode: include_bytes!(concat!(env!("OUT_DIR"), "/library.bc")),
        names: include_str!(concat!(env!("OUT_DIR"), "/library.names")),
    },
];

/// Native models that throw exceptions, and the functions that throw for them.
const THROWS: [(&str, &str); 2] = [
    ("_ZNSt6thread4joinEv", "_ZSt20__throw_system_errori"),
    ("_ZNSt6thread6detachEv", "_ZSt20__throw_system_errori"),
];
/// Operators new, which throw if no object of the size can exist, and the function that throws for
/// them if there is something to unwind.
const ALLOCATES: [&str; 4] = ["_Znwm", "_Znam", "_ZnwmSt11align_val_t", "_ZnamSt11align_val_t"];
const THROWS_BAD_ALLOC: &str = "_ZSt17__throw_bad_allocv";
/// Native models that end threads, and the function that unwinds them if there is something to
/// unwind.
const ENDS: [&str; 3] = ["pthread_exit", "thrd_exit", "pthread_cancel"];
const UNWINDS: &str = "__selvedge_unwind_thread";

/// The prefix of the name of a stand-in.
const STAND_IN: &str = "__selvedge_symbolic_";

/// Whether the model library defines a function or variable of this name.
pub fn library_has(name: &str) -> bool {
    PARTS
        .iter()
        .any(|part| part.names.lines().any(|line| line == name))
}

/// Whether the library defines a symbol of this name.
fn offers(names: &[&str], name: &str) -> bool {
    names.binary_search(&name).is_ok()
}

/// Lets calls of `listen` and `connect` go to the functions of the library that also start the
/// peers.
pub(crate) fn serve(program: &mut Program) {
    for (name, with_peers) in [
        ("listen", "__selvedge_serving_listen"),
        ("connect", "__selvedge_served_connect"),
    ] {
        if let Some(&Symbol::Func(id)) = program.names.get(name)
            && !program.module.functions[id].is_defined()
        {
            program.names.remove(name);
            program.names.insert(with_peers.to_owned(), Symbol::Func(id));
            with_peers.clone_into(&mut program.module.functions[id].name);
        }
    }
}

/// Defines the symbols that the program reaches and the library has. `symbolic`: the program has
/// symbolic input, whatever it calls.
pub(crate) fn link(program: &mut Program, entry: FuncId, symbolic: bool) -> Result<(), Refusal> {
    let symbolic = symbolic || has_input(program, entry);
    let reached = selvedge_analysis::reachable(&program.module, &program.refs, entry).functions;
    if signal_points::are_needed(&program.module, &reached) {
        program.declare(signal_points::NEEDED.to_owned());
    }
    PARTS
        .iter()
        .try_for_each(|part| link_part(program, entry, part, symbolic))
}

/// The same for one part of the library.
fn link_part(program: &mut Program, entry: FuncId, part: &Part, symbolic: bool) -> Result<(), Refusal> {
    let names: Vec<&str> = part.names.lines().collect();
    if missing(program, entry, &names).is_empty()
        && (!symbolic || replaceable(program, entry, &names).is_empty())
        && thrown(program, entry)
            .iter()
            .all(|(_, thrower)| !offers(&names, thrower))
    {
        return Ok(());
    }
    let context = Context::new().map_err(Refusal::NoLlvm)?;
    let module = context.parse_when_needed(part.bitcode);
    let module = module.map_err(Refusal::Library)?;
    module.mark_as_written();
    let mut defined: FxHashMap<String, Value<'_>> = FxHashMap::default();
    for value in module.functions().into_iter().chain(module.globals()) {
        if !value.is_declaration() && !value.name().starts_with("llvm.") {
            defined.insert(value.name(), value);
        }
    }
    // C++ has constructors and destructors with two names and one body.
    defined.extend(module.aliases().into_iter().map(|alias| (alias.name(), alias)));
    let mut unit = Unit::new(program, module.layout(), true);
    loop {
        let mut found = false;
        // Each is taken once, so this ends.
        for name in missing(unit.program, entry, &names) {
            if let Some(value) = defined.remove(&name) {
                match value.aliasee() {
                    Some(body) => unit.define_as(&name, body),
                    None => _ = unit.symbol(value),
                }
                found = true;
            }
        }
        if symbolic {
            for (id, name) in replaceable(unit.program, entry, &names) {
                if let Some(value) = defined.remove(&name) {
                    // From now on, code that reaches the function reaches its stand-in.
                    let stand_in = unit.symbol(value);
                    unit.program.refs[id].push(stand_in);
                    found = true;
                }
            }
        }
        for (id, name) in interruptible(unit.program, entry, &names) {
            if let Some(value) = defined.remove(&name) {
                let by = unit.symbol(value);
                unit.program.refs[id].push(by);
                found = true;
            }
        }
        for (id, name) in thrown(unit.program, entry) {
            if let Some(value) = defined.remove(name) {
                let thrower = unit.symbol(value);
                unit.program.refs[id].push(thrower);
                found = true;
            }
        }
        if !found {
            break;
        }
        // The symbols that the library's code refers to are pending now, and are defined in the
        // same round.
        unit.define_pending();
        unit.define_stores();
    }
    Ok(())
}

/// True if a function adds symbolic input to the program, if its call is left to the machine.
fn is_input(name: &str) -> bool {
    name.starts_with("__VERIFIER_nondet_")
        || name.starts_with("nondet_")
        || matches!(
            name,
            "klee_make_symbolic" | "klee_range" | "klee_int" | "klee_choose"
        )
}

/// The entry of a fuzz target: the start of a program without `main`.
pub(crate) const FUZZ_TARGET: &str = "LLVMFuzzerTestOneInput";

/// Whether the program has symbolic input: it reaches a function that makes it, or is a fuzz
/// target, whose buffer is symbolic.
fn has_input(program: &Program, entry: FuncId) -> bool {
    let functions = &program.module.functions;
    let fuzz_target = program
        .module
        .function(FUZZ_TARGET)
        .is_some_and(|id| functions[id].is_defined());
    fuzz_target
        || undefined(program, entry)
            .into_iter()
            .any(|id| is_input(&functions[id].name))
}

/// The functions without definition that the program reaches.
fn undefined(program: &Program, entry: FuncId) -> Vec<FuncId> {
    let mut reachable = selvedge_analysis::reachable(&program.module, &program.refs, entry).functions;
    reachable.retain(|&id| !program.module.functions[id].is_defined());
    reachable
}

/// The functions left to native models that have a stand-in, with its name.
fn replaceable(program: &Program, entry: FuncId, names: &[&str]) -> Vec<(FuncId, String)> {
    let stand_in = |id: FuncId| {
        let name = format!("{STAND_IN}{}", program.module.functions[id].name);
        offers(names, &name).then_some((id, name))
    };
    undefined(program, entry)
        .into_iter()
        .filter_map(stand_in)
        .collect()
}

/// What a program needs where handlers run at points: the functions that they may interrupt, with
/// the function that is called in their place; and those that send or block signals.
fn interruptible(program: &Program, entry: FuncId, names: &[&str]) -> Vec<(FuncId, String)> {
    let module = &program.module;
    if module.function(signal_points::NEEDED).is_none() {
        return Vec::new();
    }
    let reachable = selvedge_analysis::reachable(module, &program.refs, entry).functions;
    let by = |id: FuncId| {
        let called = module.functions[id].name.as_str();
        let name = match called {
            _ if signal_points::SENDERS.contains(&called) => signal_points::POINT.to_owned(),
            _ if signal_points::MASKS.contains(&called) => signal_points::UNBLOCKED.to_owned(),
            _ => format!("{}{called}", signal_points::INTERRUPTED),
        };
        offers(names, &name).then_some((id, name))
    };
    reachable.into_iter().filter_map(by).collect()
}

/// The functions left to native models that throw exceptions, with the function that throws for
/// them.
fn thrown(program: &Program, entry: FuncId) -> Vec<(FuncId, &'static str)> {
    let functions = &program.module.functions;
    let unwinds = functions.iter().flat_map(|function| function.blocks.iter());
    let unwinds = unwinds
        .into_iter()
        .any(|block| matches!(block.term, Terminator::Invoke { .. }));
    let thrower = |id: FuncId| {
        let name = functions[id].name.as_str();
        if unwinds && ENDS.contains(&name) {
            return Some((id, UNWINDS));
        }
        if unwinds && ALLOCATES.contains(&name) {
            return Some((id, THROWS_BAD_ALLOC));
        }
        let (_, thrower) = THROWS.iter().find(|(model, _)| *model == name)?;
        Some((id, *thrower))
    };
    undefined(program, entry)
        .into_iter()
        .filter_map(thrower)
        .collect()
}

/// The names of reachable symbols without definition that the library has.
fn missing(program: &Program, entry: FuncId, names: &[&str]) -> Vec<String> {
    let functions = undefined(program, entry);
    let globals = selvedge_analysis::reachable(&program.module, &program.refs, entry).globals;
    let wanted = functions
        .iter()
        .map(|&id| &program.module.functions[id].name)
        .chain(
            globals
                .iter()
                .map(|&id| &program.module.globals[id])
                .filter(|g| g.external)
                .map(|g| &g.name),
        );
    wanted
        .filter(|name| offers(names, name))
        .filter(|name| {
            // A local symbol may have the name of a library symbol, and is a different one.
            matches!(
                program.names.get(*name),
                Some(Symbol::Func(_) | Symbol::Global(_))
            )
        })
        .cloned()
        .collect()
}

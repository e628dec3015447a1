//! Who parks threads in a program in Rust, and who wakes them: the library, or the program itself.

use super::rust_start::plain_name;
use selvedge_ir::{Callee, FuncId, Function, Inst, InstKind, Module, Operand, Relocation, Symbol};
use std::collections::BTreeSet;

/// The functions that park threads, or wake those that park, begin and end so.
const OF_THREADS: &str = "std::thread::";
const PARKS: [&str; 3] = ["park", "park_timeout", "park_timeout_ms"];
const UNPARK: &str = "unpark";

/// Whether a function parks the thread that calls it.
pub(super) fn parks(function: &Function) -> bool {
    is_of_threads(function, |last| PARKS.contains(&last))
}

fn is_of_threads(function: &Function, is_it: impl Fn(&str) -> bool) -> bool {
    function.name.contains("park") && {
        let name = plain_name(function);
        name.starts_with(OF_THREADS) && name.rsplit("::").next().is_some_and(is_it)
    }
}

/// Whether code that is not the library's uses the functions that park threads and wake them.
pub(super) fn parks_itself(module: &Module) -> bool {
    is_used(module, |f| parks(f) || is_of_threads(f, |last| last == UNPARK))
}

/// Whether code that is not the library's uses functions of which this holds.
pub(super) fn is_used(module: &Module, is_it: impl Fn(&Function) -> bool) -> bool {
    let functions = module.functions.iter_ids();
    let used: BTreeSet<FuncId> = functions.filter(|(_, f)| is_it(f)).map(|(id, _)| id).collect();
    let uses = |function: &Function| {
        let mut found = false;
        let mut see = |operand: Operand| {
            found |= matches!(operand, Operand::Func(id) if used.contains(&id));
        };
        for block in function.blocks.iter() {
            for inst in &block.insts {
                inst.kind.for_each_operand(&mut see);
            }
            block.term.for_each_operand(&mut see);
        }
        let insts = function.blocks.iter().flat_map(|block| &block.insts);
        found |= insts.filter_map(called).any(|(callee, _)| used.contains(&callee));
        found && !is_of_library(function)
    };
    let in_data =
        |relocation: &Relocation| matches!(relocation.symbol, Symbol::Func(id) if used.contains(&id));
    let globals = &module.globals;
    globals
        .iter()
        .any(|global| global.relocations.iter().any(in_data))
        || module.functions.iter().any(uses)
}

/// Whether a function belongs to the library itself. A method of a trait may be the program's,
/// also where its type is the library's: `<std::thread::Thread as program::Wakes>::wake`.
fn is_of_library(function: &Function) -> bool {
    let name = plain_name(function);
    name.starts_with("std::") && !name.contains(" as ")
}

/// A call of a function by name, and its first argument.
pub(super) fn called(inst: &Inst) -> Option<(FuncId, Option<Operand>)> {
    match &inst.kind {
        InstKind::Call {
            callee: Callee::Direct(callee),
            args,
            ..
        } => Some((*callee, args.first().copied())),
        _ => None,
    }
}

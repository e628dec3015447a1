//! What a thread of Rust runs: the closure or function that the program gave to the library.
//!
//! All threads begin in one function of the library, with the closure in memory. By the time of a
//! report the closure may be gone. But the functions that created the thread are known, and those
//! that are generic exist once for each closure. So the code that they refer to is searched for the
//! library's function below which the closure runs; what that calls is the closure. If another
//! release has no such function, a report names the first function of the thread.

use crate::program::Program;
use crate::state::State;
use selvedge_base::{ContextId, ThreadId};
use selvedge_ir::{Callee, FuncId, InstKind, Module, Operand, Symbol};
use std::collections::{HashSet, VecDeque};

/// How the name of the function ends in which threads begin.
const BEGINS: &str = "Thread::new::thread_start";
/// The function that calls the closure.
const CALLS: &str = "__rust_begin_short_backtrace";
/// What the name of a function contains that calls a closure for another one.
const PASSES_ON: &str = "call_once";
/// The maximum number of functions that are looked at. The way to the closure is short.
const MOST: usize = 1000;

/// Whether a function is the library's in which threads begin.
pub(crate) fn begins(display: &str) -> bool {
    is_of_library(display) && display.replace(['<', '>'], "").ends_with(BEGINS)
}

/// What a thread runs that begins so, for people.
pub(crate) fn routine(program: &Program, state: &State, thread: ThreadId) -> Option<String> {
    let module = &program.module;
    let mut site = state.thread(thread).created;
    loop {
        let creator = module.stmts.get(site.stmt)?.func;
        let display = |id: FuncId| module.functions[id].display.as_str();
        let own = |id| (!is_of_library(display(id))).then_some(id);
        let passes_on = |display: &str| is_of_library(display) && display.contains(PASSES_ON);
        // The library calls functions of its own in the same way.
        let called = |id| {
            let calls = display(id).contains(CALLS);
            calls.then(|| search(module, id, passes_on, own)).flatten()
        };
        let closure = search(module, creator, is_of_library, called);
        if let Some(id) = closure {
            return Some(described(program, id));
        }
        if site.context == ContextId(0) || !is_of_library(&module.functions[creator].display) {
            return None;
        }
        let (context, stmt) = state.caller(site.context);
        (site.stmt, site.context) = (stmt, context);
    }
}

/// The name of a function; of a closure also where it begins, since all closures of a function have
/// one name.
fn described(program: &Program, id: FuncId) -> String {
    let function = &program.module.functions[id];
    let file = program.module.files.get(function.span.file);
    let file = file.and_then(|path| path.rsplit('/').next()).unwrap_or_default();
    if function.span.line == 0 || !function.display.contains("closure") {
        return function.display.clone();
    }
    format!("{} at {file}:{}", function.display, function.span.line)
}

/// Whether a function is of Rust's library, by its name.
fn is_of_library(display: &str) -> bool {
    let name = display.trim_start_matches(['<', '&']);
    ["std::", "core::", "alloc::", "__rustc::"]
        .iter()
        .any(|path| name.starts_with(path))
}

/// What is found first among the functions that a function refers to, directly or through functions
/// with such names. Functions that drop values lead to other code of the program, and are left out.
fn search(
    module: &Module,
    from: FuncId,
    through: impl Fn(&str) -> bool,
    found: impl Fn(FuncId) -> Option<FuncId>,
) -> Option<FuncId> {
    let mut seen = HashSet::from([from]);
    let mut work = VecDeque::from([from]);
    while let Some(id) = work.pop_front() {
        for next in referred(module, id) {
            let function = &module.functions[next];
            if !function.is_defined() || function.name.contains("drop_in_place") || !seen.insert(next) {
                continue;
            }
            if let Some(found) = found(next) {
                return Some(found);
            }
            if through(&function.display) && seen.len() < MOST {
                work.push_back(next);
            }
        }
    }
    None
}

/// The functions to which a function refers, in the order of its code, and those in the tables to
/// which it refers.
fn referred(module: &Module, id: FuncId) -> Vec<FuncId> {
    let mut all = Vec::new();
    for inst in module.functions[id].blocks.iter().flat_map(|block| &block.insts) {
        if let InstKind::Call {
            callee: Callee::Direct(callee),
            ..
        } = inst.kind
        {
            all.push(callee);
        }
        inst.kind.for_each_operand(|operand| match operand {
            Operand::Func(function) => all.push(function),
            Operand::Global(global, _) => {
                let relocations = module.globals[global].relocations.iter();
                all.extend(relocations.filter_map(|relocation| match relocation.symbol {
                    Symbol::Func(function) => Some(function),
                    Symbol::Global(_) => None,
                }));
            }
            _ => {}
        });
    }
    all
}

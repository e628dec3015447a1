//! What a program can reach from its entry.

use selvedge_base::{Id, IdVec};
use selvedge_ir::{FuncId, GlobalId, Module, Symbol};

/// Reachable symbols, in the order of their ids.
pub struct Reachable {
    /// Functions called or with their address taken.
    pub functions: Vec<FuncId>,
    /// Global variables referred to.
    pub globals: Vec<GlobalId>,
}

/// Follows references from the entry, the constructors and the destructors. `refs`: the symbols
/// that the code of each function refers to.
pub fn reachable(module: &Module, refs: &IdVec<FuncId, Vec<Symbol>>, entry: FuncId) -> Reachable {
    reachable_without(module, refs, entry, |_| false)
}

/// The same without what is reached only through functions that are left out. These are reached.
pub fn reachable_without(
    module: &Module,
    refs: &IdVec<FuncId, Vec<Symbol>>,
    entry: FuncId,
    left_out: impl Fn(FuncId) -> bool,
) -> Reachable {
    let mut functions = vec![false; module.functions.len()];
    let mut globals = vec![false; module.globals.len()];
    let mut work: Vec<Symbol> = vec![Symbol::Func(entry)];
    work.extend(
        module
            .constructors
            .iter()
            .chain(&module.destructors)
            .map(|&f| Symbol::Func(f)),
    );
    while let Some(symbol) = work.pop() {
        match symbol {
            Symbol::Func(id) => {
                if !std::mem::replace(&mut functions[id.index()], true) && !left_out(id) {
                    work.extend(refs[id].iter().copied());
                }
            }
            Symbol::Global(id) => {
                if !std::mem::replace(&mut globals[id.index()], true) {
                    work.extend(module.globals[id].relocations.iter().map(|r| r.symbol));
                }
            }
        }
    }
    Reachable {
        functions: module
            .functions
            .ids()
            .filter(|id| functions[id.index()])
            .collect(),
        globals: module.globals.ids().filter(|id| globals[id.index()]).collect(),
    }
}

//! The model library: a libc in bitcode, built into the program, linked on demand.
//!
//! Only the names it defines are looked at unless the program reaches one that nobody else defines; then the library is
//! parsed, and just the functions needed are lowered, with what they need themselves.

use crate::Error;
use crate::llvm::{Context, Value};
use crate::lower::{Program, Unit};
use crate::reach;
use rustc_hash::FxHashMap;
use selvedge_ir::{FuncId, Symbol};

/// Bitcode of all of `lib/*.c`; empty if there is none.
static BITCODE: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/library.bc"));
/// The names it defines, one a line, sorted.
static NAMES: &str = include_str!(concat!(env!("OUT_DIR"), "/library.names"));

/// Whether the library defines a symbol of this name.
fn offers(names: &[&str], name: &str) -> bool {
    names.binary_search(&name).is_ok()
}

/// Defines what the program reaches and the library has.
pub(crate) fn link(program: &mut Program, entry: FuncId) -> Result<(), Error> {
    let names: Vec<&str> = NAMES.lines().collect();
    if names.is_empty() || missing(program, entry, &names).is_empty() {
        return Ok(());
    }
    let context = Context::new();
    let module = context.parse(BITCODE).map_err(Error::Library)?;
    let mut defined: FxHashMap<String, Value<'_>> = FxHashMap::default();
    for value in module.functions().into_iter().chain(module.globals()) {
        if !value.is_declaration() && !value.name().starts_with("llvm.") {
            defined.insert(value.name(), value);
        }
    }
    let mut unit = Unit::new(program, module.layout(), true);
    loop {
        // Each is taken once, so this ends.
        let wanted = missing(unit.program, entry, &names);
        let found: Vec<Value<'_>> = wanted.iter().filter_map(|name| defined.remove(name)).collect();
        if found.is_empty() {
            break;
        }
        for value in found {
            unit.symbol(value);
        }
        // What the library's code refers to is pending now, and is defined in the same round.
        unit.define_pending();
        unit.define_stores();
    }
    Ok(())
}

/// The names of reachable symbols without definition that the library has.
fn missing(program: &Program, entry: FuncId, names: &[&str]) -> Vec<String> {
    let reachable = reach::reachable(program, entry);
    let functions = reachable
        .functions
        .iter()
        .map(|&id| &program.module.functions[id]);
    let globals = reachable.globals.iter().map(|&id| &program.module.globals[id]);
    let wanted = functions
        .filter(|f| !f.is_defined())
        .map(|f| &f.name)
        .chain(globals.filter(|g| g.external).map(|g| &g.name));
    wanted
        .filter(|name| offers(names, name))
        .filter(|name| {
            // A local symbol may have the name of a library one, and is not it.
            matches!(
                program.names.get(*name),
                Some(Symbol::Func(_) | Symbol::Global(_))
            )
        })
        .cloned()
        .collect()
}

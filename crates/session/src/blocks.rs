//! How the classes of atomic blocks reach the machine (docs/algorithms.md, "Atomic blocks").

use selvedge_analysis::blocks::block_classes;
use selvedge_analysis::{Escape, PointsTo};
use selvedge_ir::{FuncId, LocalId, Module};
use selvedge_model::BlockClass;
use selvedge_vm::{Blocks, models};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Programs with more statements have one class: finding more would take too long.
const MOST_STATEMENTS: usize = 100_000;

/// What is said when the classes turn out to be wrong.
pub(crate) const STRAYED: &str = "note: memory of atomic blocks is touched where that was not expected: \
    beginning anew, with all atomic blocks dependent on each other";

/// The classes of the atomic blocks of a program that starts with a function. `None`: one class, as
/// nothing more is known, or there are no blocks.
pub fn classes(module: &Module, entry: &str) -> Option<Arc<Blocks>> {
    let mut functions = module.functions.iter();
    let has_blocks = functions.any(|function| function.name.starts_with("__VERIFIER_atomic_"));
    if !has_blocks || module.stmts.len() > MOST_STATEMENTS {
        return None;
    }
    let entry = module.function(entry);
    let root = entry.or_else(|| module.function("LLVMFuzzerTestOneInput"));
    let modelled = |name: &str| models::find(name).is_some();
    let points_to = PointsTo::of(module, root, &modelled);
    let escape = Escape::of(module);
    let private = RefCell::new(BTreeMap::new());
    let is_private = |function: FuncId, local: LocalId| {
        let mut known = private.borrow_mut();
        let locals = known
            .entry(function)
            .or_insert_with(|| escape.private_locals(&module.functions[function]));
        locals[local]
    };
    let found = block_classes(module, &points_to, &is_private, root).ok()?;
    Some(Arc::new(Blocks {
        globals: named(found.globals),
        rest: BlockClass(found.rest),
        begins: named(found.begins),
        functions: named(found.functions),
        only: found.only,
    }))
}

fn named<K: Ord>(numbers: BTreeMap<K, u8>) -> BTreeMap<K, BlockClass> {
    let named = numbers.into_iter().map(|(key, number)| (key, BlockClass(number)));
    named.collect()
}

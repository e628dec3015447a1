//! What each function's name means: the program's own code, a native model, or nothing.

use super::assumption::is_assumption;
use super::binding::{Binding, FUZZ_TARGET, STAND_IN};
use crate::models;
use crate::options::Options;
use rustc_hash::FxHashMap;
use selvedge_ir::{FuncId, Function, Module};

/// The start function: a fuzz target if there is no main.
pub(super) fn entry_name<'a>(module: &Module, options: &'a Options) -> &'a str {
    let defined = |name: &str| {
        let function = module.function(name);
        function.is_some_and(|f| module.functions[f].is_defined())
    };
    if options.entry == "main" && !defined("main") && defined(FUZZ_TARGET) {
        return FUZZ_TARGET;
    }
    &options.entry
}

/// Functions `__selvedge_symbolic_NAME` by the NAME whose meaning they have.
pub(super) fn symbolic_bodies(module: &Module) -> Vec<Option<FuncId>> {
    let defined = module.functions.iter_ids().filter(|(_, f)| f.is_defined());
    let bodies: FxHashMap<&str, FuncId> = defined
        .filter_map(|(id, f)| Some((f.name.strip_prefix(STAND_IN)?, id)))
        .collect();
    let body = |f: &Function| bodies.get(f.name.as_str()).copied();
    module.functions.iter().map(body).collect()
}

/// Decides the meaning of each function name. A definition of the user has precedence over a model,
/// except for functions whose call is a requested property (`reach_error`), and for an assumption
/// that is written out.
pub(super) fn bind(module: &Module, options: &Options) -> Vec<Binding> {
    let by_name: FxHashMap<&str, FuncId> = module
        .functions
        .iter_ids()
        .filter(|(_, f)| f.is_defined())
        .map(|(id, f)| (f.name.as_str(), id))
        .collect();
    let bound = module.functions.iter().map(|f| {
        let is_point = options.error_calls && matches!(f.name.as_str(), "reach_error" | "__VERIFIER_error");
        if f.is_defined() && !is_point && !is_assumption(module, f) {
            return Binding::Code;
        }
        if options.visibility.includes_plain()
            && let Some(&other) = by_name.get(format!("{STAND_IN}{}", f.name).as_str())
        {
            return Binding::Other(other);
        }
        if options.visibility.includes_plain()
            && let Some(&other) = by_name.get(format!("__selvedge_{}", f.name).as_str())
        {
            return Binding::Other(other);
        }
        match models::find(&f.name) {
            Some(native) => Binding::Native(native),
            None if f.is_defined() => Binding::Code,
            None => Binding::Missing,
        }
    });
    bound.collect()
}

/// True if the absence of a function is reported: not for intrinsics, nor for the personality
/// routine that unwinding would use.
pub(super) fn is_reported(name: &str) -> bool {
    !name.starts_with("llvm.") && name != "__gxx_personality_v0"
}

//! Whether a program keeps the address of `errno`.
//!
//! Library calls set `errno` without a scheduling point and without a record, for only the calling
//! thread looks at its own. That holds while the program reads and writes `errno` by name, which is
//! `*__errno_location ()`. If it does anything else with the address, then another thread may have
//! it, and calls that set `errno` beside other threads are unsupported.
//!
//! Rust's standard library knows threads by this address: it stores and compares it
//! (`sys/exit.rs`, `sys/pal/unix/stack_overflow.rs`), and reads or writes nothing there.

use selvedge_base::StmtId;
use selvedge_ir::{Callee, FuncId, Function, InstKind, Module, Operand, Reg, Symbol};
use std::collections::BTreeSet;

/// Where the program does more with the address of `errno` than to read or write there. A use
/// outside of all functions is at no place.
pub(super) fn kept(module: &Module) -> Option<StmtId> {
    let location = module.function("__errno_location")?;
    let mut relocations = module.globals.iter().flat_map(|global| &global.relocations);
    if relocations.any(|relocation| relocation.symbol == Symbol::Func(location)) {
        return Some(StmtId::default());
    }
    module
        .functions
        .iter()
        .filter(|function| !is_of_rust(&function.name))
        .find_map(|function| kept_by(function, location))
}

/// Whether a function is one of the parts of Rust's standard library that know threads so, by its
/// mangled name, which no function of C++ has.
fn is_of_rust(name: &str) -> bool {
    let paths = ["3std3sys", "3std2rt"];
    let older = name
        .strip_prefix("_ZN")
        .is_some_and(|rest| paths.iter().any(|path| rest.starts_with(path)));
    // The path is the innermost: what stands before are the kinds of its parts.
    let newer = name.strip_prefix("_RN").is_some_and(|rest| {
        let parts = rest.find("Cs").map(|at| (&rest[..at], &rest[at..]));
        parts.is_some_and(|(kinds, rest)| {
            let named = rest.split_once('_').map(|(_, path)| path);
            kinds.bytes().all(|byte| matches!(byte, b'N' | b't' | b'v'))
                && named.is_some_and(|path| paths.iter().any(|known| path.starts_with(known)))
        })
    });
    older || newer
}

fn kept_by(function: &Function, location: FuncId) -> Option<StmtId> {
    let addresses = addresses(function, location);
    let is_kept = |operand: Operand| match operand {
        Operand::Reg(register) => addresses.contains(&register),
        Operand::Func(function) => function == location,
        _ => false,
    };
    for block in function.blocks.iter() {
        for inst in &block.insts {
            let mut keeps = false;
            match &inst.kind {
                InstKind::Load { .. }
                | InstKind::Copy {
                    value: Operand::Reg(_),
                    ..
                } => {}
                InstKind::Store { value, .. } => keeps = is_kept(*value),
                other => other.for_each_operand(|operand| keeps |= is_kept(operand)),
            }
            if keeps {
                return Some(inst.stmt);
            }
        }
        let mut keeps = false;
        block.term.for_each_operand(|operand| keeps |= is_kept(operand));
        if keeps {
            return Some(block.term_stmt);
        }
    }
    None
}

/// The registers that may have the address.
fn addresses(function: &Function, location: FuncId) -> BTreeSet<Reg> {
    let mut addresses = BTreeSet::new();
    loop {
        let before = addresses.len();
        for inst in function.blocks.iter().flat_map(|block| &block.insts) {
            match &inst.kind {
                InstKind::Call {
                    callee: Callee::Direct(callee),
                    results,
                    ..
                } if *callee == location => addresses.extend(results),
                InstKind::Copy {
                    dst,
                    value: Operand::Reg(from),
                    ..
                } if addresses.contains(from) => {
                    addresses.insert(*dst);
                }
                _ => {}
            }
        }
        if addresses.len() == before {
            return addresses;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::is_of_rust;

    #[test]
    fn only_rusts_library_knows_threads_so() {
        for name in [
            "_RNvNtNtCsjrHSEGnQ3l9_3std3sys4exit18unique_thread_exit",
            "_RNvNtCsjrHSEGnQ3l9_3std2rt19lang_start_internal",
            "_ZN3std3sys4exit18unique_thread_exit17h0123456789abcdefE",
        ] {
            assert!(is_of_rust(name), "{name}");
        }
        for name in [
            "_RNvNtCsjrHSEGnQ3l9_7program3std3sys",
            "_ZNSt3sys4exitEv",
            "_ZN7program3std3sysE",
            "std3sys",
        ] {
            assert!(!is_of_rust(name), "{name}");
        }
    }
}

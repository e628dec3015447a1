//! The guards of C++'s local static variables, for sets of schedules.
//!
//! The compiler puts a check before each call of `__cxa_guard_acquire`:
//!
//! ```text
//! if (load atomic i8 guard acquire == 0 && __cxa_guard_acquire(guard)) { … }
//! ```
//!
//! What this load reads is up to the order of threads, and it is no operation of a schedule.
//! [`ask`] replaces it by zero, so the function is always called. It says itself whether the
//! variable is initialised, and is an operation. Native programs get the same change
//! (`crates/instrument/src/module.rs`).

use selvedge_ir::{AtomicOrder, InstKind, Module, Operand, Type};

/// What the names of guards begin with (Itanium C++ ABI, 5.1.5.2).
const GUARD: &str = "_ZGV";

/// Lets all checks of guards call the function. Returns their number.
pub fn ask(module: &mut Module) -> usize {
    let Module {
        functions, globals, ..
    } = module;
    let mut count = 0;
    let insts = functions
        .iter_mut()
        .flat_map(|function| function.blocks.iter_mut())
        .flat_map(|block| &mut block.insts);
    for inst in insts {
        if let InstKind::Load {
            dst,
            ptr: Operand::Global(global, 0),
            ty: ty @ Type::Int(8),
            order: Some(AtomicOrder::Acquire),
            ..
        } = inst.kind
            && globals[global].name.starts_with(GUARD)
        {
            let value = Operand::Const(0, ty);
            inst.kind = InstKind::Copy { dst, value };
            count += 1;
        }
    }
    count
}

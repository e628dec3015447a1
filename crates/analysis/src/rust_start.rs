//! What Rust's standard library does that has no effect here, but costs schedules: functions are
//! made empty, and one kind of failure is left out. If another release does not have them, under
//! these names, more schedules are explored, and none is lost.
//!
//! *Signal stacks.* When a thread ends, it removes the note of its stack from a table under a lock.
//! The handlers of memory signals read this table. The machine starts such programs with these
//! signals ignored (`crates/vm/src/machine/rust_start.rs`), so no handler is set, no thread notes
//! its stack, and the table is empty. Removing a note that is not there does nothing, but all
//! orders of the threads at this lock would be explored. The lock also orders the ends of threads.
//! The library does not promise that, so nobody may rely on it; without it no race is hidden.
//!
//! *Busy waiting.* Channels wait for a short time in loops that read an atomic variable. A counter
//! says how long, and each round adds to it. So no round ends in a known state, and such a loop
//! would have no longest execution. The counter is private to two functions that let time pass; it
//! decides nothing else. If the type has further functions, which may read the counter, nothing is
//! changed.
//!
//! *Exchanges that fail spuriously.* `Once` changes its state with weak exchanges. If one fails,
//! the state that was found decides what comes next, and if that is the state as before, it is the
//! same exchange. So a failure without a cause changes nothing, and the exchanges are made strong.

use selvedge_base::Id;
use selvedge_ir::{BlockId, Function, InstKind, Module, Terminator};
use smallvec::SmallVec;

/// The function that gives a thread's signal stack back, if it has one, and removes its note.
const DROP_HANDLER: &str = "std::sys::pal::unix::stack_overflow::imp::drop_handler";

/// The function that runs what is to be run once, or waits for who does.
const ONCE: &str = "std::sys::sync::once::futex::Once::call";

/// The function that prints the backtrace of a panic.
const BACKTRACE: &str =
    "std::sys::backtrace::BacktraceLock::print::DisplayBacktrace as core::fmt::Display::fmt";

/// The type that lets time pass, and its functions that do.
const BACKOFF: &str = "std::sync::mpmc::utils::Backoff::";
const WAITS: [&str; 2] = ["spin_light", "spin_heavy"];
/// The function that makes one.
const NEW: &str = "new";

/// Whether a mangled name is that of the library's function which starts the program's `main`.
pub fn is_start(name: &str) -> bool {
    name.contains("lang_start_internal") && selvedge_ir::demangle(name) == "std::rt::lang_start_internal"
}

/// Whether a module has the start of Rust's standard library.
pub fn starts(module: &Module) -> bool {
    module.functions.iter().any(|f| is_start(&f.name))
}

/// Whether it is the library's function that prints the backtrace of a panic.
pub fn prints_backtrace(function: &Function) -> bool {
    function.name.contains("DisplayBacktrace") && plain_name(function) == BACKTRACE
}

/// Makes the functions empty that the module has. Returns their number.
pub fn make_empty(module: &mut Module) -> usize {
    let functions = || module.functions.iter().filter(|f| f.is_defined());
    let of_backoff: Vec<String> = functions()
        .filter(|f| f.name.contains("Backoff"))
        .filter_map(|f| Some(plain_name(f).strip_prefix(BACKOFF)?.to_owned()))
        .collect();
    let waits = |name: &str| WAITS.contains(&name);
    let counter_is_private = of_backoff.iter().all(|name| waits(name) || name == NEW);
    let is_empty = |f: &Function| {
        if f.name.contains("Backoff") && counter_is_private {
            return plain_name(f).strip_prefix(BACKOFF).is_some_and(waits);
        }
        f.name.contains("drop_handler") && plain_name(f) == DROP_HANDLER
    };
    let mut count = 0;
    for function in module.functions.iter_mut() {
        if !function.is_defined() || !function.returns.is_empty() || !is_empty(function) {
            continue;
        }
        function.blocks.truncate(1);
        let entry = &mut function.blocks[BlockId::from_index(0)];
        entry.insts.clear();
        entry.term = Terminator::Return(SmallVec::new());
        count += 1;
    }
    count
}

/// Makes the exchanges of `Once` strong. Returns their number.
pub fn strengthen(module: &mut Module) -> usize {
    let mut count = 0;
    for function in module.functions.iter_mut() {
        if !function.is_defined() || !function.name.contains("Once") || plain_name(function) != ONCE {
            continue;
        }
        for inst in function.blocks.iter_mut().flat_map(|block| &mut block.insts) {
            if let InstKind::CompareExchange { weak, .. } = &mut inst.kind {
                count += usize::from(std::mem::take(weak));
            }
        }
    }
    count
}

/// A function's name without the brackets around the type, which only one way of mangling has.
pub(crate) fn plain_name(function: &Function) -> String {
    selvedge_ir::demangle(&function.name).replace(['<', '>'], "")
}

#[cfg(test)]
mod tests {
    use super::*;
    use selvedge_ir::{FunctionBuilder, ModuleBuilder};

    const LIGHT: &str = "_ZN3std4sync4mpmc5utils7Backoff10spin_light17hdf5df73289d92b10E";
    const READS: &str = "_ZN3std4sync4mpmc5utils7Backoff12is_completed17hdf5df73289d92b10E";
    const DROP: &str = "_RNvNtNtNtNtNtCsjrHSEGnQ3l9_3std3sys3pal4unix14stack_overflow3imp12drop_handler";
    const OTHER: &str = "_ZN7program7Backoff10spin_light17hdf5df73289d92b10E";

    /// How many functions of a module with functions of these names are made empty.
    fn emptied(names: &[&str]) -> (usize, Vec<bool>) {
        let mut module = ModuleBuilder::new();
        for name in names {
            let mut function = FunctionBuilder::new(name);
            let local = function.local(4, 4);
            function.local_addr(local);
            function.ret(&[]);
            module.define(function);
        }
        let mut module = module.finish();
        let count = make_empty(&mut module);
        let entry = BlockId::from_index(0);
        let is_empty = |f: &Function| f.blocks[entry].insts.is_empty();
        (count, module.functions.iter().map(is_empty).collect())
    }

    #[test]
    fn functions_without_effect_are_made_empty_and_no_others() {
        assert_eq!(emptied(&[LIGHT, DROP, OTHER]), (2, vec![true, true, false]));
    }

    #[test]
    fn a_counter_that_others_may_read_is_kept() {
        assert_eq!(emptied(&[LIGHT, READS, DROP]), (1, vec![false, false, true]));
    }
}

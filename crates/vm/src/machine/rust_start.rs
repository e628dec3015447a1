//! What is fixed before Rust's standard library starts a program, so that fewer of its own steps
//! compete with each other. What the program itself does is the same in all these cases.
//!
//! The code of the library is executed, whatever it is. So if another release of it does not have
//! what is looked for here, or in another form, more schedules are explored, and none is lost.

use crate::program::Program;
use crate::state::State;
use crate::sync;
use crate::value::Value;
use crate::word::{SignalField, WordKey};
use selvedge_base::Id;
use selvedge_ir::{GlobalId, Symbol};

/// SIGBUS and SIGSEGV, and what ignores a signal.
const MEMORY_SIGNALS: [u32; 2] = [7, 11];
const SIG_IGN: u64 = 1;

/// The key whose destructor runs what a thread has to do at its end, and the function that is its
/// destructor: a number, then an address.
const GUARD: &str = "std::sys::thread_local::guard::key::enable::DTORS";
const GUARD_SIZE: u64 = 16;
const FUNCTION_AT: u64 = 8;

/// Changes the initial state of a program that the library starts.
pub(super) fn prepare(program: &Program, state: &mut State) {
    ignore_memory_signals(state);
    create_guard_key(program, state);
}

/// The library sets handlers of the signals for bad accesses to memory, unless the process that
/// started the program has set their actions. No such handler ever runs here, because a bad access
/// is a finding. But if they are set, each thread takes a lock at its start to note its stack for
/// them, and all orders of these sections would be explored. So the program is started by a process
/// that ignores these signals.
fn ignore_memory_signals(state: &mut State) {
    for number in MEMORY_SIGNALS {
        state.set_word(WordKey::SignalAction(number, SignalField::Handler), SIG_IGN);
    }
}

/// The first thread that needs the guard creates its key. Threads that start at the same time each
/// create one, and all but one delete theirs again. Which key it is makes no difference to anybody.
/// So the key is there from the start. What is lost by that is an order that the library does not
/// promise: a thread that finds the key comes after the thread that created it. So no race of the
/// program is hidden.
fn create_guard_key(program: &Program, state: &mut State) {
    let globals = &program.module.globals;
    let is_guard = |id: &GlobalId| {
        let name = &globals[*id].name;
        name.contains("DTORS") && selvedge_ir::demangle(name) == GUARD
    };
    let Some(id) = (0..globals.len()).map(GlobalId::from_index).find(is_guard) else {
        return;
    };
    let global = &globals[id];
    let [relocation] = &global.relocations[..] else {
        return;
    };
    let Symbol::Func(function) = relocation.symbol else {
        return;
    };
    let number = global.init.iter().take(FUNCTION_AT as usize);
    let fits = global.size == GUARD_SIZE
        && (relocation.offset, relocation.addend) == (FUNCTION_AT, 0)
        && !global.thread_local
        && number.into_iter().all(|&byte| byte == 0);
    if fits {
        let key = sync::create_key(state, program.function_address(function));
        let address = program.global_address(id);
        state.memory.poke_checked(address, FUNCTION_AT, Value::new(key));
    }
}

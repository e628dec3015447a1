//! Rust's standard output is made ready before the program's code begins.
//!
//! The library makes the buffer of standard output when it is used first, by a `OnceLock`. Which
//! thread does so is decided by the schedule: it allocates, the others may wait for it, and all
//! later states differ in whose block the buffer is. Three threads that print once have 28,251
//! events of `unfold`; with a buffer that is there already they have 186.
//!
//! So the library's own function is called at the beginning of `main`, as if the program had used
//! standard output there, without writing anything. Later uses find the lock complete.
//!
//! *Nothing is added but this.* The program cannot ask whether the buffer is there. What it could
//! observe is the allocation: programs with an allocator of their own are left as they are, and so
//! are those of which lost memory is asked.
//!
//! *Happens-before.* In the library, the thread that makes the buffer is ordered before every other
//! first use. The lock of standard output orders its uses anyway. What is left is who only asks for
//! the handle (`stdout()`) and takes no lock: that one such call is ordered before another one,
//! because it came first, is not promised by the library, so nobody may rely on it. No race is
//! hidden.

use super::rust_channels::has_own_allocator;
use super::rust_start;
use selvedge_base::Id;
use selvedge_ir::{BlockId, Callee, FuncId, Function, Inst, InstKind, Module};
use smallvec::SmallVec;

/// What the name of the function has in it that makes the buffer: parts of mangled names, of a
/// method of `OnceLock` for standard output and the closure in `stdout()`.
const PARTS: [&str; 4] = [
    "3std4sync9once_lock",
    "5stdio9StdoutRaw",
    "10initialize",
    "6stdout0",
];

/// The wrapper that calls the program's `main`.
const MAIN: &str = "main";

/// Makes standard output ready at the beginning. Returns whether the program uses it. A program
/// that Rust's library does not start is kept as it is.
pub fn open_first(module: &mut Module) -> bool {
    if !rust_start::starts(module) {
        return false;
    }
    let initializes = |f: &Function| {
        let is_method = f.name.starts_with("_RINv") && PARTS.iter().all(|part| f.name.contains(part));
        is_method && f.is_defined() && f.params.is_empty() && f.returns.is_empty()
    };
    let found: Option<FuncId> = {
        let mut functions = module.functions.iter_ids();
        functions.find(|(_, f)| initializes(f)).map(|(id, _)| id)
    };
    let main = module
        .function(MAIN)
        .filter(|&id| module.functions[id].is_defined());
    let (Some(initialize), Some(main)) = (found, main) else {
        return false;
    };
    if has_own_allocator(module) {
        return false;
    }
    let entry = &mut module.functions[main].blocks[BlockId::from_index(0)];
    let stmt = entry.insts.first().map_or(entry.term_stmt, |inst| inst.stmt);
    let kind = InstKind::Call {
        results: SmallVec::new(),
        callee: Callee::Direct(initialize),
        args: SmallVec::new(),
        types: SmallVec::new(),
    };
    entry.insts.insert(0, Inst { stmt, kind });
    true
}

#[cfg(test)]
mod tests {
    use super::*;
    use selvedge_ir::{FunctionBuilder, ModuleBuilder, Type};

    const OF_STDOUT: &str = "_RINvMNtNtCsjrHSEGnQ3l9_3std4sync9once_lockINtB3_8OnceLockINtNtB5_14reentrant_lock13ReentrantLockINtNtCsgEmfK2I1SDS_4core4cell7RefCellINtNtNtNtB7_2io8buffered10linewriter10LineWriterNtNtB2e_5stdio9StdoutRawEEEE10initializeNCINvB2_11get_or_initNCNvB2V_6stdout0E0zEB7_";
    const AT_THE_END: &str = "_RINvMNtNtCsjrHSEGnQ3l9_3std4sync9once_lockINtB3_8OnceLockINtNtB5_14reentrant_lock13ReentrantLockINtNtCsgEmfK2I1SDS_4core4cell7RefCellINtNtNtNtB7_2io8buffered10linewriter10LineWriterNtNtB2e_5stdio9StdoutRawEEEE10initializeNCINvB2_11get_or_initNCNvB2V_7cleanup0E0zEB7_";
    const ALLOCATES: &str = "_RNvCsfLfy6EI15iL_7___rustc12___rust_alloc";

    const STARTS: &str = "_RNvNtCsjrHSEGnQ3l9_3std2rt19lang_start_internal";

    /// The callee of `main`'s first instruction, in a module with this function, whose parameters
    /// are these, and with an allocator of the program.
    fn first_of_main(name: &str, params: &[Type], own: bool) -> Option<String> {
        first_of_main_with(STARTS, name, params, own)
    }

    fn first_of_main_with(starts: &str, name: &str, params: &[Type], own: bool) -> Option<String> {
        let mut module = ModuleBuilder::new();
        module.declare(starts, &[], &[]);
        let mut function = FunctionBuilder::new(name);
        for &ty in params {
            function.param(ty);
        }
        function.ret(&[]);
        module.define(function);
        let other = module.declare("counts", &[], &[]);
        if own {
            let mut function = FunctionBuilder::new(ALLOCATES);
            function.call(other, &[], &[]);
            function.ret(&[]);
            module.define(function);
        }
        let mut main = FunctionBuilder::new(MAIN);
        main.ret(&[]);
        let id = module.define(main);
        let mut module = module.finish();
        let opened = open_first(&mut module);
        selvedge_ir::verify(&module).expect("a valid module");
        let first = module.functions[id].blocks[BlockId::from_index(0)].insts.first();
        assert_eq!(first.is_some(), opened);
        first.map(|inst| match &inst.kind {
            InstKind::Call {
                callee: Callee::Direct(callee),
                ..
            } => module.functions[*callee].name.clone(),
            other => panic!("{other:?}"),
        })
    }

    #[test]
    fn main_begins_with_the_buffer() {
        assert_eq!(first_of_main(OF_STDOUT, &[], false).as_deref(), Some(OF_STDOUT));
    }

    #[test]
    fn other_programs_are_kept() {
        assert_eq!(first_of_main(AT_THE_END, &[Type::Ptr], false), None);
        assert_eq!(first_of_main(OF_STDOUT, &[Type::Ptr], false), None);
        assert_eq!(first_of_main("initialize", &[], false), None);
        assert_eq!(first_of_main(OF_STDOUT, &[], true), None);
        assert_eq!(first_of_main_with("starts", OF_STDOUT, &[], false), None);
    }
}

//! Weak symbols that the program does not define: whether their address is null.
//!
//! The command line gives the whole program, and nothing else defines its names. So the address is
//! null, and code tests for this. Symbols of libc are defined. For other names (those reserved for
//! implementations, and those of libm and libstdc++) it depends on how the program is linked, so
//! the address is not known.

/// Names without a leading underscore that glibc 2.36 defines in libc.so.6 and libm.so.6, one a
/// line, sorted.
const LIBC: &str = include_str!("../../data/libc.names");
const LIBM: &str = include_str!("../../data/libm.names");
/// Names with an underscore at their beginning that the libraries of C, C++ and the compiler
/// define.
const RESERVED: &str = include_str!("../../data/reserved.names");

/// The prefixes of the hooks of tools with which nothing here is built.
const TOOLS: [&str; 8] = [
    "__asan_",
    "__gcov_",
    "__lsan_",
    "__msan_",
    "__sanitizer_",
    "__tsan_",
    "__ubsan_",
    "__gmon_start__",
];

/// The reserved names that glibc, and the object files that each program begins with, define, and
/// that Rust's library tests.
const RUNTIME: [&str; 2] = ["__cxa_thread_atexit_impl", "__dso_handle"];

/// How names begin that linkers, compilers, checkers and other C libraries define.
const OTHERS: [&str; 27] = [
    "_DYNAMIC",
    "_GLOBAL_OFFSET_TABLE_",
    "_PROCEDURE_LINKAGE_TABLE_",
    "_IO_",
    "_dl_",
    "_edata",
    "_end",
    "_etext",
    "_fini",
    "_init",
    "_start",
    "__CPROVER_",
    "__ESBMC_",
    "__TMC_",
    "__VERIFIER_",
    "__bss_start",
    "__builtin_",
    "__libc_",
    "__data_start",
    "__ehdr_start",
    "__executable_start",
    "__fini_array_",
    "__init_array_",
    "__llvm_",
    "__selvedge_",
    "__start_",
    "__stop_",
];

/// The treatment of a weak symbol that the program does not define.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Weak {
    /// Not defined: null.
    Null,
    /// The C library defines it.
    Defined,
    /// It depends.
    Unknown,
}

/// What a symbol of this name is.
pub(super) fn weak(name: &str) -> Weak {
    let listed = |names: &str| names.lines().any(|line| line == name);
    if let Some(mangled) = name.strip_prefix("_Z") {
        return cxx(mangled);
    }
    if TOOLS.iter().any(|tool| name.starts_with(tool)) {
        return Weak::Null;
    }
    if listed(LIBC) || RUNTIME.contains(&name) {
        return Weak::Defined;
    }
    let of_checkers = name.starts_with("klee_") || name.starts_with("nondet_");
    let reserved = name.starts_with('_') && (OTHERS.iter().any(|o| name.starts_with(o)) || listed(RESERVED));
    if of_checkers || reserved || matches!(name, "end" | "edata" | "etext") || listed(LIBM) {
        return Weak::Unknown;
    }
    Weak::Null
}

/// A C++ name without `_Z`: the program's own, unless it could be one of the libraries.
fn cxx(mangled: &str) -> Weak {
    // The initialisation and the wrapper of a thread-local variable, which stand before its name.
    let entity = ["TH", "TW"]
        .iter()
        .find_map(|prefix| mangled.strip_prefix(prefix))
        .unwrap_or(mangled);
    let own = entity.starts_with(|c: char| c.is_ascii_digit())
        || entity
            .strip_prefix('N')
            .map(|nested| nested.strip_prefix('K').unwrap_or(nested))
            .is_some_and(|nested| nested.starts_with(|c: char| c.is_ascii_digit()));
    let library = ["St", "Sa", "Ss", "Sb", "__gnu_cxx", "__cxxabiv1", "_Unwind"]
        .iter()
        .any(|part| entity.contains(part));
    if own && !library {
        Weak::Null
    } else {
        Weak::Unknown
    }
}

#[cfg(test)]
mod tests {
    use super::{LIBC, LIBM, RESERVED, Weak, weak};

    #[test]
    fn names_by_who_could_define_them() {
        assert_eq!(weak("trace_begin"), Weak::Null);
        assert_eq!(weak("__asan_poison_memory_region"), Weak::Null);
        assert_eq!(weak("_ZTHN3app5valueE"), Weak::Null);
        assert_eq!(weak("_ZN3app4hookEv"), Weak::Null);
        assert_eq!(weak("_Z4hookv"), Weak::Null);
        assert_eq!(weak("pthread_create"), Weak::Defined);
        assert_eq!(weak("cos"), Weak::Unknown);
        assert_eq!(weak("__start_section"), Weak::Unknown);
        assert_eq!(weak("__TBB_hook"), Weak::Null);
        assert_eq!(weak("_dl_fini"), Weak::Unknown);
        assert_eq!(weak("__libc_enable_secure"), Weak::Unknown);
        assert_eq!(weak("__udivti3"), Weak::Unknown);
        assert_eq!(weak("klee_make_symbolic"), Weak::Unknown);
        assert_eq!(weak("_ZNSt6vectorIiE4sizeEv"), Weak::Unknown);
        assert_eq!(weak("_ZSt4cout"), Weak::Unknown);
        assert_eq!(weak("_ZdlPv"), Weak::Unknown);
    }

    #[test]
    fn names_are_sorted() {
        for names in [LIBC, LIBM] {
            assert!(names.lines().is_sorted());
            assert!(!names.lines().any(|name| name.starts_with('_')));
        }
        assert!(RESERVED.lines().is_sorted());
        assert!(RESERVED.lines().all(|name| name.starts_with('_')));
    }
}

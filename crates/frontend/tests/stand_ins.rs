//! Which programs get the stand-ins of native models for symbolic values, and which stand-ins.

use selvedge_frontend::{Loaded, Options, load};
use std::path::Path;

/// What the names of stand-ins begin with.
const STAND_IN: &str = "__selvedge_symbolic_";

fn program(test: &str, source: &str, symbolic: bool) -> Loaded {
    let options = Options {
        symbolic,
        ..Options::default()
    };
    let path = Path::new(env!("CARGO_TARGET_TMPDIR"))
        .join(test)
        .with_extension("c");
    std::fs::write(&path, source).expect("the temporary directory is writable");
    let loaded = load(&[path], &options).unwrap_or_else(|e| panic!("{test}: {e}"));
    if let Err(errors) = selvedge_ir::verify(&loaded.module) {
        panic!("{test}: malformed module: {errors:?}");
    }
    loaded
}

/// The stand-ins of a program that have a body, which must be marked as the library's.
fn stand_ins(loaded: &Loaded) -> Vec<&str> {
    let mut names: Vec<&str> = loaded
        .module
        .functions
        .iter()
        .filter(|f| f.is_defined())
        .filter_map(|f| f.name.strip_prefix(STAND_IN).inspect(|_| assert!(f.library)))
        .collect();
    names.sort();
    names
}

const USES_STRINGS: &str = "#include <string.h>\nint main(int c, char **v) { return strcmp(v[0], v[c]); }";

#[test]
fn none_without_symbolic_input() {
    let loaded = program("stand-ins-none", USES_STRINGS, false);
    assert_eq!(stand_ins(&loaded), [""; 0]);
}

#[test]
fn on_request_and_with_what_they_need() {
    let loaded = program("stand-ins-asked", USES_STRINGS, true);
    assert_eq!(stand_ins(&loaded), ["strcmp", "strncmp"]);
}

#[test]
fn of_functions_that_only_the_library_calls() {
    let source = "#define _GNU_SOURCE\n#include <string.h>\n\
                  int main(int c, char **v) { return memmem(v[0], 3, v[c], 2) != 0; }";
    let loaded = program("stand-ins-library", source, true);
    assert_eq!(stand_ins(&loaded), ["memcmp"]);
}

#[test]
fn with_every_source_of_input() {
    let sources = [
        "extern int __VERIFIER_nondet_int(void); int main(void) { USE return __VERIFIER_nondet_int(); }",
        "extern unsigned char nondet_uchar(void); int main(void) { USE return nondet_uchar(); }",
        "extern void klee_make_symbolic(void *, unsigned long, const char *); \
         int main(void) { USE int x; klee_make_symbolic(&x, 4, \"x\"); return x; }",
        "extern int klee_range(int, int, const char *); int main(void) { USE return klee_range(0, 4, \"x\"); }",
        "extern int klee_int(const char *); int main(void) { USE return klee_int(\"x\"); }",
        "extern unsigned long klee_choose(unsigned long); int main(void) { USE return (int)klee_choose(3); }",
        "extern int nondet_int(void); static int (*volatile f)(void) = nondet_int; int main(void) { USE return f(); }",
        "int LLVMFuzzerTestOneInput(const unsigned char *data, unsigned long size) { return size && *data; } \
         int main(void) { USE return 0; }",
    ];
    for (number, source) in sources.into_iter().enumerate() {
        let source = source.replace("USE", "char text[4] = \"abc\"; if (strlen(text) != 3) return 1;");
        let source = format!("#include <string.h>\n{source}");
        let loaded = program(&format!("stand-ins-source-{number}"), &source, false);
        assert_eq!(stand_ins(&loaded), ["strlen", "strnlen"], "{source}");
    }
}

#[test]
fn not_for_input_that_is_out_of_reach_or_the_programs_own() {
    let sources = [
        "extern int nondet_int(void); int unused(void) { return nondet_int(); }",
        "int nondet_int(void) { return 4; } int unused(void) { return 0; }",
    ];
    for (number, source) in sources.into_iter().enumerate() {
        let source = format!("{source}\n{USES_STRINGS}");
        let loaded = program(&format!("stand-ins-own-{number}"), &source, false);
        assert_eq!(stand_ins(&loaded), [""; 0], "{source}");
    }
}

#[test]
fn not_for_the_programs_own_functions() {
    let source = "extern int nondet_int(void); int strcmp(const char *a, const char *b) { return *a - *b; } \
                  int main(int c, char **v) { return strcmp(v[0], v[1]) + nondet_int(); }";
    let loaded = program("stand-ins-own-function", source, false);
    assert_eq!(stand_ins(&loaded), [""; 0]);
}

#[test]
fn every_native_model_of_strings_has_one() {
    let source = r#"
        #define _GNU_SOURCE
        #include <string.h>
        #include <strings.h>
        extern char *__stpcpy(char *, const char *), *__strdup(const char *), *__strndup(const char *, size_t);
        extern char *__strcpy_chk(char *, const char *, size_t), *__stpcpy_chk(char *, const char *, size_t);
        extern char *__strncpy_chk(char *, const char *, size_t, size_t), *__strcat_chk(char *, const char *, size_t);
        extern char *__strncat_chk(char *, const char *, size_t, size_t);
        int main(int c, char **v) {
            void *const functions[] = {
                memcmp, bcmp, memchr, memrchr, strlen, strnlen, strcpy, stpcpy, strncpy, strcat, strncat, strcmp, strcoll,
                strncmp, strchr, index, strrchr, rindex, strstr, strdup, strndup, __strdup, __strndup, __stpcpy,
                __strcpy_chk, __stpcpy_chk, __strncpy_chk, __strcat_chk, __strncat_chk,
            };
            return functions[c] == 0;
        }"#;
    let loaded = program("stand-ins-all", source, true);
    let with: Vec<&str> = stand_ins(&loaded);
    for &id in &loaded.undefined {
        let name = loaded.module.functions[id].name.as_str();
        // These only move bytes: the native models do that with symbolic ones, too.
        let moves = matches!(name, "memcpy" | "memmove" | "memset" | "malloc" | "__chk_fail");
        assert!(moves || with.contains(&name), "{name} has none: {with:?}");
    }
    assert!(with.len() > 20, "{with:?}");
}

//! Preprocessed C that gcc made: its atomic functions work on `_Atomic` objects, and its headers
//! use the names of C23's floating types.

use std::path::{Path, PathBuf};
use std::process::Command;

/// What `gcc -E -P` makes of a program with `<stdatomic.h>`, without what it does not use.
const PROGRAM: &str = r#"
extern _Float32 strtof32 (const char *text, char **end);
extern _Float64x strtof64x (const char *text, char **end);
extern void __assert_fail (const char *text, const char *file, unsigned int line, const char *function);
typedef unsigned long int pthread_t;
extern int pthread_create (pthread_t *thread, const void *attributes, void *(*start) (void *), void *argument);
extern int pthread_join (pthread_t thread, void **result);
typedef enum { memory_order_relaxed = 0, memory_order_seq_cst = 5 } memory_order;
typedef _Atomic int atomic_int;
typedef _Atomic struct
{
  _Bool __val;
} atomic_flag;
static atomic_int count, top = 3;
static atomic_flag taken = { 0 };
static _Atomic long int wide;
typedef _Atomic struct { short low, high; } pair;
static pair both;
static int unix, guarded;
static void *work(void *unused)
{
    while (__atomic_test_and_set ((&taken), 2))
        ;
    guarded++;
    __atomic_clear ((&taken), 3);
    __atomic_fetch_add ((&count), (1), 5);
    __atomic_fetch_or ((&wide), (4), 0);
    pair copy = both;
    both = copy;
    int expected = 3;
    __extension__ ({ __auto_type __ptr = (&top); __typeof__ ((void)0, *__ptr) __tmp = (4);
        __atomic_compare_exchange (__ptr, ((&expected)), &__tmp, 0, 5, 5); });
    return unused;
}
int main(void)
{
    pthread_t worker;
    __extension__ ({ __auto_type __ptr = (&count); __typeof__ ((void)0, *__ptr) __tmp = (1);
        __atomic_store (__ptr, &__tmp, (0)); });
    pthread_create(&worker, 0, work, 0);
    work(0);
    pthread_join(worker, 0);
    int sum = __extension__ ({ __auto_type __ptr = (&count); __typeof__ ((void)0, *__ptr) __val = (0);
        __typeof__ ((void)0, *__ptr) __tmp; __atomic_exchange (__ptr, &__val, &__tmp, 5); __tmp; });
    int last = __extension__ ({ __auto_type __ptr = (&top); __typeof__ ((void)0, *__ptr) __tmp;
        __atomic_load (__ptr, &__tmp, 5); __tmp; });
    if (guarded != 2 || sum != 3 || last != 4 || unix)
        __assert_fail ("as in gcc", "program.c", 1, "main");
    if (wide == EXPECTED)
        __assert_fail ("reached", "program.c", 2, "main");
    return 0;
}
"#;

/// Checks a text under a name, and returns the last line of the report and its diagnostics.
fn check(name: &str, text: &str) -> (String, String) {
    let path: PathBuf = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::write(&path, text).expect("a file");
    let output = Command::new(env!("CARGO_BIN_EXE_selvedge"))
        .arg("check")
        .arg(&path)
        .args(["--finding", "none"])
        .output()
        .expect("selvedge runs");
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    let last = said.lines().last().unwrap_or_default().to_owned();
    (last, format!("{said}{}", String::from_utf8_lossy(&output.stderr)))
}

#[test]
fn atomic_functions_of_gcc_work_on_atomic_objects() {
    for (value, verdict) in [("4", "false(unreach-call)"), ("6", "true")] {
        let text = PROGRAM.replace("EXPECTED", value);
        let (last, all) = check(&format!("by-gcc-{value}.i"), &text);
        assert_eq!(last, verdict, "{all}");
    }
}

/// Lines are those of the file, and what is wrong with a file is what clang says of it as it is.
#[test]
fn messages_are_about_the_file() {
    let text = PROGRAM.replace("EXPECTED", "4");
    let (_, all) = check("by-gcc-lines.i", &text);
    let line = 1 + text
        .lines()
        .position(|line| line.contains("\"reached\""))
        .expect("a line");
    assert!(all.contains(&format!("by-gcc-lines.i:{line}:")), "{all}");
    let (_, all) = check("by-gcc-wrong.i", "int main(void) { return missing; }\n");
    assert!(
        all.contains("by-gcc-wrong.i:1:25: error: use of undeclared identifier 'missing'"),
        "{all}"
    );
    // The header's names are not those of other sources.
    let (_, all) = check("by-gcc-not.c", "_Float32 x;\nint main(void) { return 0; }\n");
    assert!(all.contains("does not compile"), "{all}");
}

//! The C library's models: output and exit code as in native runs, faults, definedness.

use selvedge_base::{Id, ThreadId};
use selvedge_frontend as frontend;
use selvedge_model::{Choice, FaultKind, Machine, Notice, Undo};
use selvedge_vm::{Options, Program, Visibility, Vm};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

/// What a run of one thread came to.
struct Run {
    output: String,
    code: i32,
    notices: Vec<Notice>,
}

fn run(path: &Path) -> Run {
    let loaded =
        frontend::load(&[path.to_owned()], &frontend::Options::default()).unwrap_or_else(|e| panic!("{e}"));
    let program = Program::new(loaded.module, Options::default()).unwrap_or_else(|e| panic!("{e}"));
    let mut vm = Vm::new(program).unwrap_or_else(|e| panic!("{e}"));
    let mut notices = Vec::new();
    while vm.pending()[0].is_enabled() {
        vm.step(Choice {
            thread: ThreadId(0),
            alternative: 0,
        });
        notices.extend_from_slice(vm.notices());
    }
    Run {
        output: String::from_utf8_lossy(vm.state.output()).into_owned(),
        code: vm.state.thread(ThreadId(0)).core.result.bits as i32 & 0xff,
        notices,
    }
}

fn scratch(name: &str) -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join(name)
}

fn native(path: &Path) -> (String, i32) {
    let program = scratch(&format!("native-{}", path.file_stem().expect("name").display()));
    let plus = path.extension().is_some_and(|e| e == "cc");
    let compiled = Command::new(if plus { "clang++-22" } else { "clang-22" })
        .args(["-w", "-O0", "-lm", "-o"])
        .arg(&program)
        .arg(path)
        .status();
    assert!(compiled.expect("clang-22 runs").success());
    let shell = format!("exec {} 2>&1", program.display());
    let output = Command::new("sh")
        .args(["-c", &shell])
        .env_clear()
        .output()
        .expect("program runs");
    (
        String::from_utf8_lossy(&output.stdout).into_owned(),
        output.status.code().unwrap_or(-1),
    )
}

fn compare(name: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/libc")
        .join(name);
    let (ours, (output, code)) = (run(&path), native(&path));
    assert!(ours.notices.is_empty(), "{:?}\n{}", ours.notices, ours.output);
    for (line, (a, b)) in ours.output.lines().zip(output.lines()).enumerate() {
        assert_eq!(a, b, "line {} of {name}", line + 1);
    }
    assert_eq!(ours.output.lines().count(), output.lines().count());
    assert_eq!(ours.code, code);
}

#[test]
fn stand_ins_as_native_models() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/libc/stand_ins.c");
    let run = run(&path);
    assert!(run.notices.is_empty(), "{:?}", run.notices);
    assert_eq!(run.code, 0, "line {} modulo 128", run.code);
}

#[test]
fn printf_as_native() {
    compare("printf.c");
}

#[test]
fn strings_as_native() {
    compare("strings.c");
}

#[test]
fn mathematics_as_native() {
    compare("mathematics.c");
}

#[test]
fn wide_strings_as_native() {
    compare("wide.c");
}

#[test]
fn locale_and_messages_as_native() {
    compare("locale.c");
}

#[test]
fn dates_from_text_as_native() {
    compare("dates.c");
}

#[test]
fn process_as_native() {
    compare("process.c");
}

#[test]
fn streams_as_native() {
    compare("streams.cc");
}

#[test]
fn random_numbers_through_streams_as_native() {
    compare("random_streams.cc");
}

/// Runs the body of a `main`.
fn run_body(name: &str, body: &str) -> Run {
    let headers = ["assert", "stdarg", "stdio", "stdlib", "string", "time", "unistd"]
        .map(|h| format!("#include <{h}.h>\n"));
    let path = scratch(&format!("{name}.c"));
    std::fs::write(
        &path,
        format!("{}int main(void) {{ {body} return 0; }}\n", headers.concat()),
    )
    .expect("written");
    run(&path)
}

#[test]
fn faults() {
    use FaultKind::*;
    #[rustfmt::skip]
    let cases: &[(&str, &str, FaultKind, &str)] = &[
        ("double-free", "char *p = malloc(4); free(p); free(p);", DoubleFree, "free of a heap object of 4 bytes, which is free already"),
        ("free-inside", "char *p = malloc(4); free(p + 1);", InvalidFree, "1 bytes into a heap object"),
        ("free-local", "int x[2]; free(x);", InvalidFree, "which malloc did not make"),
        ("free-integer", "free((void *)123456789);", InvalidFree, "where no object was ever"),
        ("free-undefined", "char *p; free(p);", UninitializedValue, ""),
        ("realloc-freed", "char *p = malloc(4); free(p); p = realloc(p, 8);", DoubleFree, "realloc of"),
        ("use-after-free", "char *p = malloc(4); free(p); puts(p);", UseAfterFree, ""),
        ("use-after-realloc", "char *p = malloc(4), *q = realloc(p, 100); q[0] = 1; p[0] = 1;", UseAfterFree, ""),
        ("memcpy-overlap", "char t[20]; memset(t, 0, 20); memcpy(t, t + 3, 5);", OverlappingCopy, ""),
        ("strcpy-overlap", "char t[20] = \"abcdef\"; strcpy(t + 1, t);", OverlappingCopy, ""),
        ("memcpy-beyond", "char t[20], u[10]; memset(u, 0, 10); memcpy(t, u, 11);", OutOfBounds, "read of 11 bytes"),
        ("strcpy-beyond", "char *t = malloc(3); strcpy(t, \"abc\");", OutOfBounds, "write of 4 bytes"),
        ("strlen-beyond", "char t[3] = { 'a', 'b', 'c' }; return strlen(t);", OutOfBounds, ""),
        ("strlen-undefined", "char t[3]; t[0] = 'a'; return strlen(t);", UninitializedValue, ""),
        ("strlen-null", "char *volatile p = NULL; return strlen(p);", NullDereference, ""),
        ("memcmp-undefined", "char t[4], u[4]; t[0] = u[0] = 1; return memcmp(t, u, 2);", UninitializedValue, ""),
        ("memset-constant", "memset((char *)\"abc\", 0, 2);", WriteToConstant, ""),
        ("print-undefined", "int x; printf(\"%d\", x);", UninitializedValue, ""),
        ("print-undefined-string", "char t[4]; t[0] = 'a'; t[3] = 0; printf(\"%.2s\", t);", UninitializedValue, ""),
        ("print-too-few", "printf(\"%d %d\", 1);", UninitializedValue, "more arguments"),
        ("sprintf-beyond", "char t[4]; sprintf(t, \"%d\", 12345);", OutOfBounds, "write of 6 bytes"),
        ("assert", "int x = 0; assert(x > 0);", AssertionFailed, "assertion \"x > 0\" failed"),
        ("abort", "abort();", Abort, "abort was called"),
        ("reach-error", "void reach_error(void); reach_error();", ErrorReached, ""),
        ("verifier-assert", "void __VERIFIER_assert(int); __VERIFIER_assert(1); __VERIFIER_assert(0);", AssertionFailed, ""),
    ];
    for (name, body, kind, message) in cases {
        let run = run_body(name, body);
        match &run.notices[..] {
            [Notice::Fault(fault)] => {
                assert_eq!(fault.kind, *kind, "{name}: {}", fault.message);
                assert!(fault.message.contains(message), "{name}: {}", fault.message);
            }
            other => panic!("{name}: {other:?}"),
        }
    }
}

#[test]
fn no_faults() {
    #[rustfmt::skip]
    let cases: &[(&str, &str)] = &[
        ("copy-undefined", "char t[8], u[8]; t[0] = 1; memcpy(u, t, 8); memmove(t, u, 8); putchar('0' + t[0]);"),
        ("copy-nothing", "memcpy(NULL, NULL, 0); memset(NULL, 0, 0); putchar('0' + 1 + memcmp(NULL, NULL, 0));"),
        ("memset-undefined", "char t[8], c; memset(t, c, 8); t[0] = 1; putchar('0' + t[0]);"),
        ("strchr-before-undefined", "char t[8]; t[0] = 'a'; t[1] = 'b'; putchar('0' + (strchr(t, 'b') == t + 1));"),
        ("strncmp-before-undefined", "char t[8]; t[0] = 'a'; putchar('0' + (strncmp(t, \"b\", 8) < 0));"),
        ("strnlen-unterminated", "char t[3] = { 'a', 'b', 'c' }; putchar('0' + (strnlen(t, 3) == 3));"),
        ("realloc-undefined", "char *p = malloc(10); p[0] = 1; p = realloc(p, 20); putchar('0' + p[0]); free(p);"),
        ("free-null", "free(NULL); putchar('1');"),
        ("too-large", "putchar('0' + (malloc(-1) == NULL));"),
        ("assume", "void __VERIFIER_assume(int); putchar('1'); __VERIFIER_assume(0); putchar('2');"),
    ];
    for (name, body) in cases {
        let run = run_body(name, body);
        assert!(run.notices.is_empty(), "{name}: {:?}", run.notices);
        assert_eq!(run.output, "1", "{name}");
    }
}

#[test]
fn unsupported_by_name() {
    #[rustfmt::skip]
    let cases: &[(&str, &str, &str)] = &[
        ("popen", "popen(\"x\", \"r\");", "popen"),
        ("percent-n", "int n; printf(\"%n\", &n);", "printf conversion %n"),
        ("sysconf", "return sysconf(_SC_ARG_MAX);", "sysconf"),
    ];
    for (name, body, what) in cases {
        let run = run_body(name, body);
        assert!(
            matches!(&run.notices[..], [Notice::Unsupported(u)] if u.what.contains(what)),
            "{name}: {:?}",
            run.notices
        );
    }
}

#[test]
fn a_tebibyte_is_a_limit() {
    let run = run_body("tebibyte", "return malloc(1ul << 40) == NULL;");
    assert!(
        matches!(&run.notices[..], [Notice::Limit(_)]),
        "{:?}",
        run.notices
    );
}

/// Explores all schedules of a program of few steps; the messages of all faults found.
fn explore(name: &str, source: &str, visibility: Visibility) -> (usize, BTreeSet<String>) {
    let path = scratch(&format!("{name}.c"));
    std::fs::write(&path, source).expect("written");
    let loaded = frontend::load(&[path], &frontend::Options::default()).unwrap_or_else(|e| panic!("{e}"));
    let options = Options {
        visibility,
        ..Options::default()
    };
    let program = Program::new(loaded.module, options).unwrap_or_else(|e| panic!("{e}"));
    let mut vm = Vm::new(program).unwrap_or_else(|e| panic!("{e}"));
    let (mut executions, mut faults) = (0, BTreeSet::new());
    explore_from(&mut vm, &mut executions, &mut faults);
    (executions, faults)
}

fn explore_from(vm: &mut Vm, executions: &mut usize, faults: &mut BTreeSet<String>) {
    let pending = vm.pending().to_vec();
    let mut moved = false;
    for (i, next) in pending.iter().enumerate().filter(|(_, p)| p.is_enabled()) {
        moved = true;
        for alternative in 0..next.alternatives {
            let mark = vm.mark();
            vm.step(Choice {
                thread: ThreadId::from_index(i),
                alternative,
            });
            for notice in vm.notices() {
                match notice {
                    Notice::Fault(fault) => faults.insert(fault.message.clone()),
                    other => panic!("{other:?}"),
                };
            }
            explore_from(vm, executions, faults);
            vm.undo(mark);
            assert_eq!(vm.pending(), &pending[..]);
        }
    }
    *executions += usize::from(!moved);
}

const TORN: &str = r#"
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
long shared[2];
static void *writer(void *p) { long local[2] = { 7, 7 }; COPY; return p; }
int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, writer, NULL);
    long first = shared[0], second = shared[1];
    assert(first == second);
    pthread_join(t, NULL);
    assert(shared[0] == 7 && shared[1] == 7);
    return 0;
}
"#;

#[test]
fn elements_are_scheduling_points_under_visibility_memory() {
    let copies = [
        ("torn-memcpy", "memcpy(shared, local, sizeof shared)"),
        ("torn-memmove", "memmove(shared, local, sizeof shared)"),
    ];
    for (name, copy) in copies {
        let source = TORN.replace("COPY", copy);
        let (executions, faults) = explore(name, &source, Visibility::Memory);
        assert!(executions > 3, "{name}: {executions}");
        assert_eq!(
            faults.into_iter().collect::<Vec<_>>(),
            ["assertion \"first == second\" failed"],
            "{name}"
        );
        let (executions, faults) = explore(name, &source, Visibility::Sync);
        assert!(executions >= 1 && faults.is_empty(), "{name}: {faults:?}");
    }
}

#[test]
fn printing_reads_and_writes_shared_memory_step_by_step() {
    let source = r#"
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
char text[16] = "aaaaaaaaaaaaaaa";
char copy[16];
static void *writer(void *p) { memset(text, 'b', 15); return p; }
int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, writer, NULL);
    int length = snprintf(copy, sizeof copy, "%s", text);
    pthread_join(t, NULL);
    assert(length == 15 && strlen(copy) == 15);
    assert(copy[0] == copy[14]);
    puts(copy);
    return 0;
}
"#;
    let (executions, faults) = explore("torn-print", source, Visibility::Memory);
    assert!(executions > 10, "{executions}");
    assert_eq!(
        faults.into_iter().collect::<Vec<_>>(),
        ["assertion \"copy[0] == copy[14]\" failed"]
    );
}

#[test]
fn free_is_an_action_under_visibility_memory() {
    let source = r#"
#include <pthread.h>
#include <stdlib.h>
static void *reader(void *p) { return (void *)(long)*(int *)p; }
int main(void) {
    pthread_t t;
    int *p = calloc(1, sizeof *p);
    pthread_create(&t, NULL, reader, p);
    free(p);
    pthread_join(t, NULL);
    return 0;
}
"#;
    let (executions, faults) = explore("free-visible", source, Visibility::Memory);
    assert!(executions >= 2, "{executions}");
    assert_eq!(
        faults.into_iter().collect::<Vec<_>>(),
        ["read of 4 bytes of a heap object of 4 bytes (`int`) after it was freed"]
    );
}

#[test]
fn rand_is_shared() {
    let source = r#"
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
static void *other(void *p) { return (void *)(long)rand(); }
int main(void) {
    pthread_t t;
    pthread_create(&t, NULL, other, NULL);
    assert(rand() == 1804289383);
    pthread_join(t, NULL);
    assert(rand() == 1681692777);
    return 0;
}
"#;
    let (executions, faults) = explore("rand-shared", source, Visibility::Sync);
    assert!(executions >= 2, "{executions}");
    assert_eq!(
        faults.into_iter().collect::<Vec<_>>(),
        ["assertion \"rand() == 1804289383\" failed"]
    );
}

//! The real program on the schedule of a finding, or of a test case.

use crate::{STATS, found, run};
use std::os::unix::process::ExitStatusExt;
use std::path::Path;

/// A lost wakeup: nobody sees one in a hundred plain runs.
const LOST: &str = r#"#include <pthread.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static void *announce(void *p) {
    pthread_mutex_lock(&m);
    pthread_cond_signal(&c);
    pthread_mutex_unlock(&m);
    return p;
}
int main(void) {
    pthread_t a;
    pthread_create(&a, 0, announce, 0);
    pthread_mutex_lock(&m);
    pthread_cond_wait(&c, &m);
    pthread_mutex_unlock(&m);
    pthread_join(a, 0);
    return 0;
}
"#;

/// An assertion that fails for one input of one thread, and in one order.
const INPUT: &str = r#"#include <assert.h>
#include <pthread.h>
extern int __VERIFIER_nondet_int(void);
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int x;
static void *setter(void *p) {
    int k = __VERIFIER_nondet_int();
    pthread_mutex_lock(&m);
    x = k;
    pthread_mutex_unlock(&m);
    return p;
}
int main(void) {
    pthread_t a;
    pthread_create(&a, 0, setter, 0);
    pthread_mutex_lock(&m);
    int seen = x;
    pthread_mutex_unlock(&m);
    pthread_join(a, 0);
    assert(seen != -77);
    return 0;
}
"#;

/// An assertion that fails in the 47th round, each of which has a thread of its own.
const ROUNDS: &str = r#"#include <assert.h>
#include <pthread.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int n;
static void *adds(void *p) {
    pthread_mutex_lock(&m);
    n = (n + 1) % 50;
    pthread_mutex_unlock(&m);
    return p;
}
int main(void) {
    for (;;) {
        pthread_t a;
        pthread_create(&a, 0, adds, 0);
        pthread_mutex_lock(&m);
        assert(n != 47);
        pthread_mutex_unlock(&m);
        pthread_join(a, 0);
    }
}
"#;

/// A use after free that needs an order.
const FREED: &str = r#"#include <pthread.h>
#include <stdlib.h>
static pthread_mutex_t m;
static int *shared;
static void *frees(void *p) {
    pthread_mutex_lock(&m);
    free(shared);
    pthread_mutex_unlock(&m);
    return p;
}
int main(void) {
    pthread_t a;
    pthread_mutex_init(&m, 0); // what comes before threads is no step
    pthread_mutex_lock(&m);
    shared = malloc(sizeof *shared);
    *shared = 1;
    pthread_mutex_unlock(&m);
    pthread_create(&a, 0, frees, 0);
    pthread_mutex_lock(&m);
    int seen = *shared;
    pthread_mutex_unlock(&m);
    pthread_join(a, 0);
    return seen - 1;
}
"#;

/// Store buffering with atomics: `x` and `y` are both read before they are set in no order, and one
/// of them is in the order of this finding.
const ATOMIC: &str = r#"#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
static atomic_int x, y;
static int seen;
static void *set(void *p) { atomic_store(&x, 1); seen = atomic_load(&y); return p; }
int main(void) {
    pthread_t a;
    pthread_create(&a, 0, set, 0);
    atomic_fetch_add(&y, 1);
    int mine = atomic_load(&x);
    pthread_join(a, 0);
    assert(mine || !seen);
    return 0;
}
"#;

/// Plain accesses, each of which is a step: `in` is entered twice.
const PLAIN: &str = r#"#include <assert.h>
#include <pthread.h>
static int mine, other, in;
static void *enters(void *p) {
    other = 1;
    if (!mine) {
        in++;
        assert(in == 1);
        in--;
    }
    return p;
}
int main(void) {
    pthread_t a;
    pthread_create(&a, 0, enters, 0);
    if (!other) {
        mine = 1;
        in++;
        assert(in == 1);
        in--;
    }
    pthread_join(a, 0);
    return 0;
}
"#;

/// Functions that are atomic blocks.
const BLOCKS: &str = r#"#include <assert.h>
#include <pthread.h>
static int in;
static int __VERIFIER_atomic_next(void) {
    return ++in;
}
static void *next(void *p) {
    __VERIFIER_atomic_next();
    return p;
}
int main(void) {
    pthread_t a;
    pthread_create(&a, 0, next, 0);
    int mine = __VERIFIER_atomic_next();
    pthread_join(a, 0);
    assert(mine == 1);
    return 0;
}
"#;

/// `if` where `while` is needed, in C++.
const CXX: &str = r#"#include <cassert>
#include <condition_variable>
#include <mutex>
#include <thread>
struct Box {
    std::mutex m;
    std::condition_variable c;
    int items = 0;
    void put() {
        { std::lock_guard<std::mutex> lock(m); items++; }
        c.notify_one();
    }
    int take() {
        std::unique_lock<std::mutex> lock(m);
        if (items == 0)
            c.wait(lock);
        return --items;
    }
};
int main() {
    Box box;
    int left = 0;
    std::thread taker([&] { left = box.take(); });
    box.put();
    taker.join();
    assert(left == 0);
}
"#;

fn natively(directory: &Path) -> (i32, String) {
    let (code, out, err) = run(directory, &["replay", "FINDING.json", "--native"]);
    (code, format!("{out}{err}"))
}

#[test]
fn the_native_program_shows_the_finding() {
    for (program, says) in [
        (LOST, "all threads wait"),
        (INPUT, "Assertion `seen != -77' failed"),
        (ROUNDS, "Assertion `n != 47' failed"),
        (FREED, "heap-use-after-free"),
        (STATS, "ThreadSanitizer: data race"),
    ] {
        // The name of a thread is no call that is ordered.
        let program = program.replace("    prctl(PR_SET_NAME, \"reader with a long name\");\n", "");
        let (directory, _) = found(&program, &[]);
        let (code, text) = natively(directory.path());
        assert_eq!(code, 10, "{says}: {text}");
        assert!(text.contains(says), "{says}: {text}");
        assert!(text.contains("the native program shows it, too"), "{text}");
    }
}

#[test]
fn another_program_is_told_from_it() {
    let (directory, _) = found(INPUT, &[]);
    let file = directory.path().join("program.c");
    // The environment is empty in the machine, and is not for the native program.
    let native = INPUT.replace("seen != -77", "seen != -77 || getenv(\"PATH\")");
    let native = format!("#include <stdlib.h>\n{native}");
    std::fs::write(&file, native).unwrap();
    let (code, out, err) = run(directory.path(), &["check", "program.c"]);
    assert_eq!(code, 10, "{out}{err}");
    let (code, text) = natively(directory.path());
    assert_eq!(code, 5, "{text}");
    assert!(
        text.contains("unknown(the native program: it does not show the finding)\n"),
        "{text}"
    );
}

#[test]
fn accesses_to_memory_are_kept_in_their_order() {
    for (program, options, says) in [
        (ATOMIC, &[][..], "Assertion `mine || !seen' failed"),
        (PLAIN, &["--property", "assertion"], "Assertion `in == 1' failed"),
        (BLOCKS, &[], "Assertion `mine == 1' failed"),
    ] {
        let (directory, _) = found(program, options);
        let (code, text) = natively(directory.path());
        assert_eq!(code, 10, "{says}: {text}");
        assert!(text.contains(says), "{says}: {text}");
    }
}

/// How each of a number of runs of a program has ended.
fn ends(directory: &Path, program: &str, runs: usize) -> Vec<Option<i32>> {
    let run = |_| {
        let output = std::process::Command::new(directory.join(program)).output();
        output.unwrap().status.signal()
    };
    (0..runs).map(run).collect()
}

#[test]
fn programs_in_cxx_fail_each_time() {
    let directory = tempfile::tempdir().unwrap();
    let at = directory.path();
    std::fs::write(at.join("box.cc"), CXX).unwrap();
    let (code, out, err) = run(at, &["check", "--strategy", "dpor", "box.cc"]);
    assert_eq!(code, 10, "{out}{err}");
    // Main shows what the other thread did not do.
    let cause = "cause: thread 0.1 waits on `box.c` at box.cc:16, wakes without a signal, and does not test its \
                 condition again: `while` is needed";
    assert!(out.contains(cause), "{out}");
    let (code, out, err) = run(at, &["build", "--case", "FINDING.json", "-o", "fails"]);
    assert_eq!(code, 0, "{out}{err}");
    assert_eq!(ends(at, "fails", 100), [Some(libc::SIGABRT); 100]);
}

#[test]
fn each_test_case_is_kept_to_its_schedule() {
    let directory = tempfile::tempdir().unwrap();
    let at = directory.path();
    // Two ends, which only the order tells apart; without a finding that ends the search.
    let program = INPUT.replace("assert(seen != -77);", "return seen == 5;");
    let program = program.replace("int k = __VERIFIER_nondet_int();", "int k = 5;");
    std::fs::write(at.join("program.c"), program).unwrap();
    let arguments = [
        "check",
        "--strategy",
        "dpor",
        "--emit-tests",
        "cases",
        "program.c",
    ];
    let (code, out, err) = run(at, &arguments);
    assert_eq!(code, 0, "{out}{err}");
    let mut codes = Vec::new();
    for case in ["cases/test000001.json", "cases/test000002.json"] {
        let (code, out, err) = run(at, &["build", "--case", case, "-o", "kept"]);
        assert_eq!(code, 0, "{out}{err}");
        let text = std::fs::read_to_string(at.join(case)).unwrap();
        let json: serde_json::Value = serde_json::from_str(&text).unwrap();
        let expected = json["exit"]["code"].as_i64().unwrap();
        for _ in 0..50 {
            let status = std::process::Command::new(at.join("kept")).status().unwrap();
            assert_eq!(status.code().map(i64::from), Some(expected), "{case}");
        }
        codes.push(expected);
    }
    codes.sort_unstable();
    assert_eq!(codes, [0, 1]);
}

#[test]
fn what_cannot_be_ordered_is_named() {
    let weak = r#"#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
static atomic_int x;
static void *set(void *p) {
    int zero = 0;
    assert(atomic_compare_exchange_weak(&x, &zero, 1));
    return p;
}
int main(void) {
    pthread_t a;
    pthread_create(&a, 0, set, 0);
    pthread_join(a, 0);
    return 0;
}
"#;
    let (directory, _) = found(weak, &[]);
    let (code, text) = natively(directory.path());
    assert_eq!(code, 5, "{text}");
    let what = "unknown(a native run with a weak compare-exchange that fails without a cause (program.c:";
    assert!(text.contains(what), "{text}");
}

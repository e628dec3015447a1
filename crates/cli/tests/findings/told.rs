//! The schedule as people read it.

use crate::{STATS, found};

#[test]
fn threads_have_the_names_that_the_program_gives_them() {
    let (_, out) = found(STATS, &[]);
    assert!(out.contains("thread 0.2 \"writer\" (writer)"), "{out}");
    // Longer names are cut as Linux does.
    assert!(out.contains("thread 0.1 \"reader with a l\" (reader)"), "{out}");
}

#[test]
fn steps_that_do_not_matter_are_left_out() {
    let (directory, out) = found(STATS, &[]);
    assert!(!out.contains("`other`"), "{out}");
    let left_out = out
        .lines()
        .find(|line| line.contains("do not matter are left out"));
    let number: usize = left_out
        .and_then(|line| line.trim().split(' ').next()?.parse().ok())
        .unwrap_or_else(|| panic!("{out}"));
    let arguments = ["check", "--strategy", "dpor", "--trace", "all", "program.c"];
    let (_, all, _) = crate::run(directory.path(), &arguments);
    assert_eq!(all.matches("lock `other`").count(), 4, "{all}");
    assert!(!all.contains("left out"), "{all}");
    let steps = |text: &str| {
        text.lines()
            .filter(|line| line.starts_with("    program.c:"))
            .count()
    };
    assert_eq!(steps(&out) + number, steps(&all), "{out}{all}");
    // Each unlock is shown with its lock.
    let count = |word: &str| out.matches(&format!("  {word} `m`")).count();
    assert!(count("lock") >= count("unlock"), "{out}");
}

#[test]
fn the_cause_of_a_race_counts_the_places_with_the_lock() {
    let (_, out) = found(STATS, &[]);
    let cause = out
        .lines()
        .find(|line| line.starts_with("cause: "))
        .unwrap_or_default();
    assert!(
        cause.contains("of the 3 places that were seen to use it hold `m`")
            || cause.contains("holds no lock"),
        "{out}"
    );
    if out.contains("where it is used") {
        assert!(out.contains("holding no lock"), "{out}");
        assert!(out.contains("holding `m`"), "{out}");
    }
}

#[test]
fn a_read_that_comes_too_early_is_kept() {
    let text = "#include <assert.h>\n#include <pthread.h>\n#include <stdatomic.h>\natomic_int ready;\n\
        pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;\n\
        static void *setter(void *p) { atomic_store(&ready, 1); return p; }\n\
        int main(void) {\n  pthread_t t;\n  pthread_create(&t, 0, setter, 0);\n  int seen = atomic_load(&ready);\n\
        pthread_mutex_lock(&m);\n  pthread_mutex_unlock(&m);\n  pthread_join(t, 0);\n  assert(seen);\n  return 0;\n}\n";
    let (_, out) = found(text, &["--property", "assertion"]);
    assert!(
        out.contains("atomic read `ready`: 0") || out.contains("read `ready`: 0"),
        "{out}"
    );
    assert!(!out.contains("`m`"), "{out}");
}

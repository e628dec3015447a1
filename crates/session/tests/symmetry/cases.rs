//! Programs in which a thread is held while something else must not be said of the others: each
//! with the answer that it has by thought. By all strategies, with and without turns.

use crate::{Seen, seen, setup};
use selvedge_model::Verdict;
use selvedge_session::{Strategy, Symmetry};
use std::collections::BTreeSet;
use std::path::Path;

struct Case {
    name: &'static str,
    /// What the threads do, as the body of their function.
    work: &'static str,
    /// What main does after it has created two of them.
    main: &'static str,
    /// What the two threads are given.
    given: [&'static str; 2],
    /// A function `beside` of one more thread, created first.
    beside: &'static str,
    found: &'static [&'static str],
    /// Only explorations of states come to an end.
    endless: bool,
    /// Threads take turns; else the program has something that keeps them from it, or they are told
    /// apart.
    turns: bool,
}

const JOINS: &str = "pthread_join(t[0], 0); pthread_join(t[1], 0);";

const CASES: &[Case] = &[
    // The second thread is held at the lock, and the first waits for what the second posts.
    Case {
        name: "held_is_not_deadlocked",
        work: "if (sem_trywait(&first) == 0) sem_wait(&posted);
               pthread_mutex_lock(&m); c++; pthread_mutex_unlock(&m);
               sem_post(&posted);",
        main: JOINS,
        given: ["0", "0"],
        beside: "",
        found: &[],
        endless: false,
        turns: true,
    },
    // The same, and nobody joins: the process must not end while a thread is held.
    Case {
        name: "process_goes_on_while_one_is_held",
        work: "if (sem_trywait(&first) == 0) sem_wait(&posted);
               pthread_mutex_lock(&m); c++; pthread_mutex_unlock(&m);
               sem_post(&posted);",
        main: "pthread_exit(0);",
        given: ["0", "0"],
        beside: "",
        found: &[],
        endless: false,
        turns: false,
    },
    // As above, and whoever comes last after the other has waited fails.
    Case {
        name: "failure_behind_a_held_thread",
        work: "int waits = sem_trywait(&first) == 0; if (waits) sem_wait(&posted);
               pthread_mutex_lock(&m); c++; int mine = c; pthread_mutex_unlock(&m);
               assert(!(waits && mine == 2));
               sem_post(&posted);",
        main: JOINS,
        given: ["0", "0"],
        beside: "",
        found: &["assertion"],
        endless: false,
        turns: true,
    },
    // The first polls for what the second does after its turn.
    Case {
        name: "held_does_not_spin",
        work: "if (sem_trywait(&first) == 0) while (!atomic_load(&go)) {}
               pthread_mutex_lock(&m); c++; pthread_mutex_unlock(&m);
               atomic_store(&go, 1);",
        main: JOINS,
        given: ["0", "0"],
        beside: "",
        found: &[],
        endless: true,
        turns: true,
    },
    // Beside a thread that never ends, the first waits until the second had its turn.
    Case {
        name: "waits_for_a_held_thread_beside_an_endless_one",
        work: "if (sem_trywait(&first) == 0) sem_wait(&posted);
               pthread_mutex_lock(&m); c++; pthread_mutex_unlock(&m);
               sem_post(&posted);",
        main: JOINS,
        given: ["0", "0"],
        beside: "for (;;) { atomic_store(&ticks, 1); atomic_store(&ticks, 0); }",
        found: &[],
        endless: true,
        turns: false,
    },
    // The same with one post too few: whoever waits first waits for ever if it comes last.
    Case {
        name: "waits_for_nobody_beside_an_endless_one",
        work: "int waits = sem_trywait(&first) == 0; if (waits) sem_wait(&posted);
               pthread_mutex_lock(&m); c++; pthread_mutex_unlock(&m);
               if (waits) sem_post(&posted);",
        main: JOINS,
        given: ["0", "0"],
        beside: "for (;;) { atomic_store(&ticks, 1); atomic_store(&ticks, 0); }",
        found: &["deadlock.partial"],
        endless: true,
        turns: false,
    },
    // One takes another lock at the statement first, at which both take the same one later: both
    // add at once.
    Case {
        name: "another_object_at_the_same_statement",
        work: "in(sem_trywait(&first) == 0 ? &m : &n, given);
               in(&m, 0);",
        main: "pthread_join(t[0], 0); pthread_join(t[1], 0); assert(atomic_load(&left) == 4);",
        given: ["0", "0"],
        beside: "",
        found: &["assertion"],
        endless: false,
        turns: false,
    },
    // A turn that leaves no trace: the lock is taken and given back in a loop.
    Case {
        name: "turn_without_a_trace",
        work: "int r = atomic_load(&go);
               do {
                   pthread_mutex_lock(&m);
                   if (r == 1) assert(atomic_load(&left) == 0);
                   pthread_mutex_unlock(&m);
               } while (!atomic_load(&ticks));
               if (r == 0) atomic_store(&left, 1);",
        main: "atomic_store(&go, 1); atomic_store(&ticks, 1); pthread_join(t[0], 0); pthread_join(t[1], 0);",
        given: ["0", "0"],
        beside: "",
        found: &["assertion"],
        endless: true,
        turns: true,
    },
    // What is compared is not the argument: half of it was overwritten.
    Case {
        name: "half_of_the_argument",
        work: "union { void *all; int half; } u = { given };
               u.half = 7;
               int first = u.all == (void *)0x100000007;
               pthread_mutex_lock(&m); int mine = ++c; pthread_mutex_unlock(&m);
               if (first) assert(mine == 1);",
        main: JOINS,
        given: ["(void *)0x100000000", "0"],
        beside: "",
        found: &["assertion"],
        endless: false,
        turns: false,
    },
    // Arguments that no comparison tells apart, and one that does.
    Case {
        name: "arguments_of_one_role",
        work: "pthread_mutex_lock(&m); int mine = ++c; pthread_mutex_unlock(&m);
               if ((long)given < 4) assert(mine == 1);",
        main: JOINS,
        given: ["(void *)1", "(void *)3"],
        beside: "",
        found: &["assertion"],
        endless: false,
        turns: true,
    },
    Case {
        name: "arguments_of_two_roles",
        work: "pthread_mutex_lock(&m); int mine = ++c; pthread_mutex_unlock(&m);
               if ((long)given < 2) assert(mine == 1);",
        main: JOINS,
        given: ["(void *)1", "(void *)3"],
        beside: "",
        found: &["assertion"],
        endless: false,
        turns: false,
    },
];

fn text(case: &Case) -> String {
    let Case {
        work, main, beside, ..
    } = case;
    let [one, other] = case.given;
    let created = if beside.is_empty() {
        ""
    } else {
        "pthread_create(&o, 0, beside, 0);"
    };
    format!(
        "#include <assert.h>\n#include <pthread.h>\n#include <semaphore.h>\n#include <stdatomic.h>\n\
         static atomic_int go, ticks, left;\nstatic int c, d;\nstatic sem_t first, posted;\n\
         static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, n = PTHREAD_MUTEX_INITIALIZER;\nstatic pthread_t t[2], o;\n\
         __attribute__((noinline)) static void in(pthread_mutex_t *l, void *given) {{\n\
         pthread_mutex_lock(l); int was = atomic_load(&left); atomic_store(&left, was + 1); pthread_mutex_unlock(l);\n\
         if (given) c++; }}\n\
         static void *work(void *given) {{ {work} return given; }}\n\
         static void *beside(void *given) {{ {beside} return given; }}\n\
         int main(void) {{ (void)beside, (void)in, (void)o; sem_init(&first, 0, 1); sem_init(&posted, 0, 0); {created}\n\
         pthread_create(&t[0], 0, work, {one}); pthread_create(&t[1], 0, work, {other}); {main} return 0; }}\n"
    )
}

/// Checks all; says which are wrong.
pub fn check_all() -> Vec<String> {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("symmetry");
    std::fs::create_dir_all(&folder).expect("the temporary directory is writable");
    let mut wrong = Vec::new();
    for case in CASES {
        let path = folder.join(format!("{}.c", case.name));
        std::fs::write(&path, text(case)).expect("the temporary directory is writable");
        let program = setup(&path)
            .load()
            .unwrap_or_else(|e| panic!("{}: {e}", case.name));
        let mut taken = 0;
        for strategy in [Strategy::Stateful, Strategy::Unfold, Strategy::Dpor] {
            if case.endless && strategy == Strategy::Dpor {
                continue;
            }
            for symmetry in [Symmetry::Off, Symmetry::On] {
                let seen = seen(&path, &program, strategy, symmetry);
                let kinds: Option<(Verdict, BTreeSet<&str>)> = seen
                    .as_ref()
                    .map(|(Seen { verdict, found }, ..)| (*verdict, found.iter().map(|f| f.0).collect()));
                let expected: BTreeSet<&str> = case.found.iter().copied().collect();
                let verdict = match case.found.is_empty() {
                    true => Verdict::Verified,
                    false => Verdict::Violated,
                };
                if kinds != Some((verdict, expected)) {
                    wrong.push(format!(
                        "{}, {}, {symmetry:?}: {kinds:?}",
                        case.name,
                        strategy.word()
                    ));
                }
                taken += u32::from(seen.is_some_and(|(_, _, used)| used));
            }
        }
        if case.turns != (taken > 0) {
            wrong.push(format!("{}: {taken} explorations with turns", case.name));
        }
    }
    wrong
}

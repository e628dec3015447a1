//! One small program for each rule by which a slice could be too small. Each has two variants:
//! whatever order an exploration begins with, the rule matters in one of them.
//!
//! Guards of prints are left out: no program shows them. Where a slice leaves out what is printed,
//! nothing that is printed is read, and a print waits for nobody: to lock an output stream
//! (`flockfile`) is unsupported. The guard is there for the day on which it is not. That of a join
//! is in the slice twice: the thread's name is loaded behind it, unless the code is optimised.

/// What all of these programs begin with. `both` fails in one line or in the other one.
const START: &str = r"#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
static int a, b, c;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, n = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t o = PTHREAD_MUTEX_INITIALIZER;
static void both(int v)
{
    if (v)
        assert(0);
    else
        assert(v);
}
struct node { pthread_mutex_t lock; int value; };
static struct node *_Atomic shared;
static void *kept;
static void *publish(void *arg)
{
    if (a == K)
        kept = malloc(sizeof(struct node));
    struct node *n = malloc(sizeof *n);
    pthread_mutex_init(&n->lock, 0);
    n->value = 0;
    shared = n;
    pthread_mutex_lock(&n->lock);
    n->value = 1;
    n->value = 2;
    pthread_mutex_unlock(&n->lock);
    return arg;
}
static void fails(void) { assert(0); }
static int from(void) { return a; }
static int given(int v) { return v; }
static void *set_a(void *arg) { a = 1; return arg; }
static void *set_c(void *arg) { c = 1; return arg; }
static void *nothing(void *arg) { return arg; }
static void *section(void *arg)
{
    pthread_mutex_lock(&o);
    b = 1;
    pthread_mutex_unlock(&o);
    return arg;
}
static void *two_locks(void *arg)
{
    pthread_mutex_lock(&m);
    pthread_mutex_lock(&n);
    pthread_mutex_unlock(&n);
    pthread_mutex_unlock(&m);
    return arg;
}
";

/// One program: the threads that `main` starts, and what it does then. `K` is 0 or 1.
pub struct Case {
    pub name: &'static str,
    threads: &'static [&'static str],
    main: &'static str,
}

pub const CASES: &[Case] = &[
    Case {
        // The lock would never be seen held, and nobody ever waits for it.
        name: "a_trylock_refuses_a_leaf_lock",
        threads: &["section"],
        main: "if (pthread_mutex_trylock(&o) == 0) exit(0); assert(K == 2);",
    },
    Case {
        name: "parameters",
        threads: &["set_a"],
        main: "both(a == K);",
    },
    Case {
        name: "results",
        threads: &["set_a"],
        main: "if (from() == K)\n assert(0);\n else\n assert(K == 2);",
    },
    Case {
        name: "parameters_that_are_returned",
        threads: &["set_a"],
        main: "if (given(a) == K)\n assert(0);\n else\n assert(K == 2);",
    },
    Case {
        // The function has no parameter by which its call would be in the slice.
        name: "calls_of_what_fails",
        threads: &["set_a"],
        main: "if (a == K) fails();",
    },
    Case {
        name: "a_fault_that_nobody_asks_about",
        threads: &["set_a"],
        main: "if (a == K) *(volatile int *)0 = 1; assert(0);",
    },
    Case {
        name: "a_division_by_zero",
        threads: &["set_a"],
        main: "b = 4 / (a == K); assert(0);",
    },
    Case {
        name: "a_step_without_end",
        threads: &["set_a"],
        main: "if (a == K) for (int k = 0; k < 100000; k++) b = k; assert(0);",
    },
    Case {
        name: "guards_of_joins",
        threads: &["set_a", "set_c"],
        main: "if (a == K) pthread_join(id[1], 0); both(c);",
    },
    Case {
        name: "a_variable_that_is_perhaps_assigned_again",
        threads: &["set_a"],
        main: "int l = a; if (b) l = 3; both(l);",
    },
    Case {
        name: "a_variable_that_is_perhaps_assigned_at_all",
        threads: &["set_a"],
        main: "int l = 3; if (b == 0) l = a; both(l);",
    },
    Case {
        name: "a_variable_that_the_round_before_assigned",
        threads: &["set_a"],
        main: "int l = 3; for (int k = 0; k < 2; k++) { if (k) both(l); l = a; }",
    },
    Case {
        name: "a_variable_that_is_assigned_by_its_address",
        threads: &["set_a"],
        main: "int l = 3, *at = &l; *at = a; both(l);",
    },
    Case {
        // It is essential, unless the cases before it are all that there can be.
        name: "an_unreachable_statement",
        threads: &["set_a"],
        main: "int l = 0; if (a == K) l = 1; switch (l) { case 0: break; default: __builtin_unreachable(); }",
    },
    Case {
        // `unfold` names events by objects: the lock's address must not depend on `a`.
        name: "an_allocation_that_matters_to_nothing",
        threads: &["publish"],
        main: "struct node *n = shared; a = 1; if (!n) n = shared; if (n) { pthread_mutex_lock(&n->lock); assert(n->value != 2);\n\
               pthread_mutex_unlock(&n->lock); }",
    },
    Case {
        // Decisions on inputs are events of `unfold`.
        name: "a_decision_that_matters_to_nothing",
        threads: &["set_a", "set_c"],
        main: "int __VERIFIER_nondet_int(void); int l = __VERIFIER_nondet_int(); if (a == K && l > 3) b = 1; both(c);",
    },
    Case {
        name: "which_thread_is_joined",
        threads: &["set_a", "set_c", "nothing"],
        main: "pthread_join(id[1 + (a == K)], 0); both(c);",
    },
    Case {
        name: "objects_of_calls",
        threads: &["set_a", "two_locks"],
        main: "pthread_mutex_lock(&n); pthread_mutex_t *l = a == K ? &m : &o; pthread_mutex_lock(l);\n\
               pthread_mutex_unlock(l); pthread_mutex_unlock(&n);",
    },
];

impl Case {
    /// The text of a variant.
    pub fn program(&self, variant: u32) -> String {
        let starts: String = (0..)
            .zip(self.threads)
            .map(|(i, thread)| format!("    pthread_create(&id[{i}], 0, {thread}, 0);\n"))
            .collect();
        format!(
            "#define K {variant}\n{START}int main(void)\n{{\n    pthread_t id[3];\n{starts}    {}\n    return 0;\n}}\n",
            self.main
        )
    }
}

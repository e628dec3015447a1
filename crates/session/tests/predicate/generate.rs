//! Random programs of two or three threads whose assertions and uses of mutexes may depend on
//! shared data, or not: pointers, arrays, heap, calls, loops, copies, inputs, early ends, and
//! faults that nobody asks about. Most programs have a theme: much of one thing that may go wrong
//! in a slice.

use std::fmt::Write;

/// Writes one program.
struct Writer {
    random: fastrand::Rng,
    text: String,
    /// Statements that may still be written.
    left: u32,
    depth: usize,
    theme: Theme,
    /// In `main`, between the creation of threads and the last joins: how many threads there are.
    joinable: usize,
}

/// What a program has much of.
#[derive(Clone, Copy)]
enum Theme {
    Mixed,
    /// Parameters, results, pointers that are passed.
    Calls,
    /// Locks that guard little, tried or taken, and perhaps kept.
    Locks,
    /// Joins that depend on data, and what threads return.
    Joins,
    /// Faults of some orders, at which nobody looks.
    Faults,
    /// Condition variables.
    Conditions,
    /// Output.
    Prints,
    /// Arrays, pointers that are chosen, inputs.
    Places,
    /// Locks that guard little, and that are initialised and destroyed on the way.
    Lives,
    /// Loops that wait for other threads, perhaps for ever.
    Waits,
}

const THEMES: [Theme; 12] = [
    Theme::Mixed,
    Theme::Calls,
    Theme::Calls,
    Theme::Locks,
    Theme::Joins,
    Theme::Joins,
    Theme::Faults,
    Theme::Conditions,
    Theme::Prints,
    Theme::Places,
    Theme::Lives,
    Theme::Waits,
];

const START: &str = r#"#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
int __VERIFIER_nondet_int(void);
void __VERIFIER_assume(int);
static int a, b, c, d, e[2];
static struct { int x, y; } s;
static atomic_int u, v;
static int *p = &a;
static int *q;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, n = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t o = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t f[2];
static pthread_cond_t g = PTHREAD_COND_INITIALIZER;
static sem_t w;
static int twice(int n) { return n + n; }
static int next(int *at) { *at += 1; return *at; }
static int from(void) { return d; }
static void leave(int n) { if (n == 2) pthread_exit(0); }
static int chosen(int i, int j) { return i ? j : 1 - j; }
static int get(const int *at) { return *at; }
static void put(int *at, int n) { *at = n; }
static int is(int i, int j) { return i == j; }
static int down(int n) { return n > 0 && n < 4 ? down(n - 1) + 1 : n; }
static int *which(int n) { return n ? &a : &e[1]; }
static int (*const calls[2])(int) = {down, twice};
"#;

/// A program by its number.
pub fn program(seed: u64) -> String {
    let mut writer = Writer {
        random: fastrand::Rng::with_seed(seed),
        text: START.to_owned(),
        left: 12,
        depth: 1,
        theme: Theme::Mixed,
        joinable: 0,
    };
    writer.theme = writer.random.choice(THEMES).unwrap_or(Theme::Mixed);
    let threads = 1 + writer.random.usize(..8) / 6;
    for thread in 0..threads {
        let _ = writeln!(
            writer.text,
            "static void *t{thread}(void *arg)\n{{\n    int r = {thread}, k;"
        );
        writer.left = 8 - 2 * threads as u32;
        writer.block();
        writer.text += match writer.theme {
            Theme::Joins => "    return r == 1 ? &a : arg;\n}\n",
            _ => "    return arg;\n}\n",
        };
    }
    writer.text += "int main(void)\n{\n    pthread_t id[2];\n    void *got = 0;\n    int r = 3, k, gone[2] = {0, 0};\n    (void)got;\n    sem_init(&w, 0, 1);\n    q = malloc(sizeof(int));\n    *q = 0;\n";
    for thread in 0..threads {
        let _ = writeln!(writer.text, "    pthread_create(&id[{thread}], 0, t{thread}, 0);");
    }
    writer.left = 5 - 2 * threads as u32 + threads as u32 / 2;
    writer.joinable = threads;
    writer.block();
    writer.joinable = 0;
    for thread in 0..threads {
        if writer.random.u32(..4) > 0 {
            let _ = writeln!(
                writer.text,
                "    if (!gone[{thread}]) pthread_join(id[{thread}], 0);"
            );
        }
    }
    if writer.random.bool() {
        writer.left = 2;
        writer.block();
    }
    let value = writer.condition();
    let _ = writeln!(writer.text, "    assert({value});\n    return 0;\n}}");
    writer.text
}

impl Writer {
    fn pick<'a>(&mut self, among: &[&'a str]) -> &'a str {
        self.random.choice(among).copied().unwrap_or("a")
    }

    fn place(&mut self) -> &'static str {
        self.pick(&[
            "a", "b", "c", "d", "e[0]", "e[1]", "s.x", "s.y", "*p", "*q", "u", "v", "r", "a", "b", "u",
        ])
    }

    fn value(&mut self) -> String {
        match self.random.u32(..10) {
            0..3 => self.random.u32(..3).to_string(),
            3..8 => self.place().to_owned(),
            8 => format!("{} + {}", self.place(), self.random.u32(..3)),
            _ => format!("e[{} & 1]", self.place()),
        }
    }

    fn condition(&mut self) -> String {
        let (left, right) = (self.value(), self.random.u32(..3));
        let op = self.pick(&["==", "!=", "<", ">="]);
        format!("{left} {op} {right}")
    }

    fn block(&mut self) {
        let lines = 1 + self.random.u32(..4);
        for _ in 0..lines {
            if self.left == 0 {
                return;
            }
            self.left -= 1;
            self.statement();
        }
    }

    fn nested(&mut self, head: &str) {
        let indent = "    ".repeat(self.depth);
        let _ = writeln!(self.text, "{indent}{head} {{");
        self.depth += 1;
        self.block();
        self.depth -= 1;
        let _ = writeln!(self.text, "{indent}}}");
    }

    /// Something of the theme, if it has that here.
    fn of_theme(&mut self) -> Option<String> {
        let (place, value, condition) = (self.place(), self.value(), self.condition());
        let other = self.value();
        let target = self.pick(&["&a", "&b", "&e[1]", "&s.y", "q"]);
        let which = self.random.u32(..6);
        Some(match self.theme {
            Theme::Mixed => return None,
            Theme::Calls => match which {
                0 => format!("{place} = chosen({value}, {other});"),
                1 => format!("put({target}, {value});"),
                2 => format!("if (is({value}, {other})) {place} = get({target});"),
                3 => format!("assert(is(get({target}), {value}));"),
                4 => format!("{place} = calls[{value} & 1]({other});"),
                _ => format!("assert(down({value}) < 2);"),
            },
            Theme::Locks => match which {
                0..3 => format!("pthread_mutex_lock(&o); {place} = {value}; pthread_mutex_unlock(&o);"),
                3 => format!("if (pthread_mutex_trylock(&o)) {place} = {value};"),
                4 => match self.random.u32(..3) {
                    0 => "assert(pthread_mutex_trylock(&o) == 0);".to_owned(),
                    // Nobody waits for the lock afterwards.
                    _ => "if (pthread_mutex_trylock(&o) == 0) exit(0);".to_owned(),
                },
                _ => format!("if ({condition}) pthread_mutex_trylock(&o);"),
            },
            Theme::Joins if self.joinable > 0 => {
                let thread = self.random.usize(..self.joinable);
                let check = match which {
                    0..3 => format!(" assert({condition});"),
                    3 => format!(" {place} = {value};"),
                    _ => String::new(),
                };
                format!(
                    "if ({} && !gone[{thread}]) {{ gone[{thread}] = 1; pthread_join(id[{thread}], &got); }} r = got != 0;{check}",
                    self.condition()
                )
            }
            Theme::Joins => return None,
            Theme::Faults => match which {
                0 => format!("if ({condition}) *(volatile int *)0 = 1;"),
                1 => format!("r = 4 / ({value});"),
                2 => format!("e[{value}] = {other};"),
                3 => format!("{{ int *l = {condition} ? {target} : 0; *l = {value}; }}"),
                4 => format!("if ({condition}) *(volatile int *)0 = 1; assert({place} != {other});"),
                _ => format!("if ({condition}) free(&a);"),
            },
            Theme::Conditions => match which {
                0..2 => format!(
                    "pthread_mutex_lock(&m); if ({condition}) pthread_cond_wait(&g, &m); {place} = {value}; pthread_mutex_unlock(&m);"
                ),
                2 => "pthread_cond_signal(&g);".to_owned(),
                3 => format!("if ({condition}) pthread_cond_broadcast(&g);"),
                _ => format!(
                    "pthread_mutex_lock(&m); {place} = {value}; pthread_cond_signal(&g); pthread_mutex_unlock(&m);"
                ),
            },
            Theme::Prints => match which {
                0 => format!("if ({condition}) puts(\"one\");"),
                1 => format!("printf(\"%d\\n\", {value});"),
                2 => format!("r = printf(\"%d\\n\", {value} > 1 ? 10 : 1);"),
                3 => format!("if ({condition}) r = puts(\"\") < 0;"),
                4 => format!(
                    "pthread_mutex_lock(&m); if ({condition}) puts(\"two\"); pthread_mutex_unlock(&m);"
                ),
                _ => format!("assert({condition});"),
            },
            Theme::Places => match which {
                0 => format!("*which({value}) = {other};"),
                1 => format!("p = {condition} ? {target} : &b;"),
                2 => format!("e[__VERIFIER_nondet_int() & 1] = {value};"),
                3 => format!("r = __VERIFIER_nondet_int(); if (r == {value}) {place} = r;"),
                4 => format!("{{ int h[2] = {{{value}, {other}}}; {place} = h[{value} & 1]; }}"),
                _ => format!("memcpy(e, {target}, sizeof(int));"),
            },
            Theme::Lives => match which {
                0 => format!("pthread_mutex_lock(&f[0]); {place} = {value}; pthread_mutex_unlock(&f[0]);"),
                1 => format!(
                    "{{ int l = {value} & 1; pthread_mutex_lock(&f[l]); {place} += 1; pthread_mutex_unlock(&f[l]); }}"
                ),
                2 => format!(
                    "if ({condition}) pthread_mutex_init(&f[{}], 0);",
                    self.random.u32(..2)
                ),
                3 => format!(
                    "if ({condition}) pthread_mutex_destroy(&f[{}]);",
                    self.random.u32(..2)
                ),
                4 => format!(
                    "{{ pthread_mutex_t *l = &f[{condition}]; pthread_mutex_destroy(l); pthread_mutex_init(l, 0); }}"
                ),
                _ => format!("r = pthread_mutex_init(&f[{value} & 1], 0); {place} = {other};"),
            },
            Theme::Waits => match which {
                0 => format!("while (u == {});", self.random.u32(..3)),
                1 => format!("while (v != {});", self.random.u32(..2)),
                2 => format!("while (u != v && u == {});", self.random.u32(..3)),
                3 => "while (atomic_exchange(&v, 1)); v = 0;".to_owned(),
                _ => format!("u = {value};"),
            },
        })
    }

    fn statement(&mut self) {
        if self.random.u32(..5) < 2
            && let Some(line) = self.of_theme()
        {
            let _ = writeln!(self.text, "{}{line}", "    ".repeat(self.depth));
            return;
        }
        let (place, value, condition) = (self.place(), self.value(), self.condition());
        let target = self.pick(&["&a", "&b", "&e[1]", "&s.y", "q"]);
        let line = match self.random.u32(..30) {
            0..8 => format!("{place} = {value};"),
            8 | 9 => format!("{place} += {value};"),
            10..13 => return self.nested(&format!("if ({condition})")),
            13 | 14 => format!("assert({condition});"),
            15 => format!("p = {target};"),
            16 => format!("e[{value} & 1] = {value};"),
            17 => return self.nested("for (k = 0; k < 2; k++)"),
            18 => format!("{place} = twice({value});"),
            19 => format!("next({target});"),
            20 => format!("r = from(); c = next(&d) + {value};"),
            21 => {
                let lock = match self.random.u32(..4) {
                    0 => "&n".to_owned(),
                    1 => format!("({condition}) ? &m : &n"),
                    _ => "&m".to_owned(),
                };
                let _ = writeln!(
                    self.text,
                    "    {{ pthread_mutex_t *l = {lock}; pthread_mutex_lock(l);"
                );
                self.block();
                "pthread_mutex_unlock(l); }".to_owned()
            }
            22 => format!(
                "if (pthread_mutex_trylock(&m) == 0) {{ {place} = {value}; pthread_mutex_unlock(&m); }}"
            ),
            23 => format!("memcpy({target}, &s, sizeof(int));"),
            24 => match self.random.u32(..3) {
                0 => format!("atomic_fetch_add(&u, {value});"),
                1 => format!(
                    "r = {}; atomic_compare_exchange_strong(&v, &r, {value});",
                    self.random.u32(..2)
                ),
                _ => format!("atomic_exchange(&u, {value});"),
            },
            25 => match self.random.u32(..4) {
                0 => format!("if ({condition}) sem_post(&w);"),
                1 => format!("if ({condition}) sem_wait(&w);"),
                2 => format!("leave({value});"),
                _ => format!("if ({condition}) exit(0);"),
            },
            26 => match self.random.u32(..3) {
                0 => format!("if ({condition}) *(volatile int *)0 = 1;"),
                1 => format!("r = 4 / ({value});"),
                _ => format!("__VERIFIER_assume({condition});"),
            },
            27 => format!("for (k = 0; k < 2 && {condition}; k++) {place} = {value};"),
            28 => format!("{place} = __VERIFIER_nondet_int() & 1;"),
            _ => match self.random.u32(..3) {
                0 => "q = malloc(sizeof(int)); *q = 1;".to_owned(),
                1 => format!("{{ int *old = q; q = &a; if ({condition}) free(old == &a ? 0 : old); }}"),
                _ => format!("while ({condition}) if (++r > 2) break;"),
            },
        };
        let _ = writeln!(self.text, "{}{line}", "    ".repeat(self.depth));
    }
}

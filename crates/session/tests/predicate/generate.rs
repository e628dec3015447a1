//! Random programs of two or three threads whose assertions and uses of mutexes may depend on
//! shared data, or not: pointers, arrays, heap, calls, loops, copies, inputs, early ends, and
//! faults that nobody asks about.

use std::fmt::Write;

/// Writes one program.
struct Writer {
    random: fastrand::Rng,
    text: String,
    /// Statements that may still be written.
    left: u32,
    depth: usize,
}

const START: &str = r#"#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
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
static sem_t w;
static int twice(int n) { return n + n; }
static int next(int *at) { *at += 1; return *at; }
static int from(void) { return d; }
static void leave(int n) { if (n == 2) pthread_exit(0); }
"#;

/// A program by its number.
pub fn program(seed: u64) -> String {
    let mut writer = Writer {
        random: fastrand::Rng::with_seed(seed),
        text: START.to_owned(),
        left: 12,
        depth: 1,
    };
    let threads = 1 + writer.random.usize(..8) / 6;
    for thread in 0..threads {
        let _ = writeln!(
            writer.text,
            "static void *t{thread}(void *arg)\n{{\n    int r = {thread}, k;"
        );
        writer.left = 8 - 2 * threads as u32;
        writer.block();
        writer.text += "    return arg;\n}\n";
    }
    writer.text += "int main(void)\n{\n    pthread_t id[2];\n    int r = 3, k;\n    sem_init(&w, 0, 1);\n    q = malloc(sizeof(int));\n    *q = 0;\n";
    for thread in 0..threads {
        let _ = writeln!(writer.text, "    pthread_create(&id[{thread}], 0, t{thread}, 0);");
    }
    writer.left = 5 - 2 * threads as u32 + threads as u32 / 2;
    writer.block();
    for thread in 0..threads {
        if writer.random.u32(..4) > 0 {
            let _ = writeln!(writer.text, "    pthread_join(id[{thread}], 0);");
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

    fn statement(&mut self) {
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

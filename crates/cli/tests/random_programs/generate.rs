//! Random C programs of two to four threads, from a seed.
//!
//! A program takes a few *themes* (mutexes, condition variables, the heap, …), so that its threads
//! meet on the same objects; statements are drawn from the themes' tables. Programs may be wrong in
//! any way the themes allow: the point is what the checker says about them. Each statement has a
//! line of its own, for the places of faults.

use std::fmt::Write as _;

/// A small random number generator (SplitMix64): the same sequence on every machine, for ever.
pub struct Random(u64);

impl Random {
    /// From a seed.
    pub fn new(seed: u64) -> Self {
        Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x5e1f_ed6e)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Below `n`.
    pub fn below(&mut self, n: usize) -> usize {
        (self.next() % n as u64) as usize
    }

    fn one_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }

    fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len())]
    }
}

/// What the threads of a program meet on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Theme {
    Plain,
    Structs,
    Mutex,
    Try,
    Cond,
    TimedCond,
    RwLock,
    Semaphore,
    Barrier,
    Spin,
    Once,
    Atomics,
    Heap,
    Stack,
    Nested,
    Handles,
    Exits,
    Cancel,
    Block,
    Life,
    Library,
    Assume,
}

const THEMES: [Theme; 22] = [
    Theme::Plain,
    Theme::Structs,
    Theme::Mutex,
    Theme::Try,
    Theme::Cond,
    Theme::TimedCond,
    Theme::RwLock,
    Theme::Semaphore,
    Theme::Barrier,
    Theme::Spin,
    Theme::Once,
    Theme::Atomics,
    Theme::Heap,
    Theme::Stack,
    Theme::Nested,
    Theme::Handles,
    Theme::Exits,
    Theme::Cancel,
    Theme::Block,
    Theme::Life,
    Theme::Library,
    Theme::Assume,
];

/// A generated program.
pub struct Program {
    /// The C text.
    pub text: String,
    /// What it is about.
    pub themes: Vec<Theme>,
    /// It can run natively: without the checker's own functions, with an end in sight.
    pub native: bool,
}

const PRELUDE: &str = "#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
void __VERIFIER_atomic_begin(void);
void __VERIFIER_atomic_end(void);
void __VERIFIER_assume(int);
static const struct timespec later = { 1, 0 };
struct s { long a; int b; char c; };
static int x, y;
static struct s g, h;
static atomic_int a, b;
static pthread_mutex_t m, n;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static pthread_rwlock_t w = PTHREAD_RWLOCK_INITIALIZER;
static sem_t s;
static pthread_barrier_t br;
static pthread_spinlock_t sp;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static int *volatile p;
static int *q;
static char text[4] = \"abc\", other[4] = \"xyz\";
static pthread_t t1, t2, t3;
static void *f1(void *), *f2(void *), *f3(void *);
static void on_exit_print(void) { printf(\"exit %d\\n\", x); }
static void cleanup(void *arg) { x = 7; }
";

struct Generator {
    random: Random,
    themes: Vec<Theme>,
    /// Threads beside main.
    threads: usize,
    /// Whether f1 creates t2.
    nested: bool,
    asserts: bool,
    out: String,
    indent: usize,
    native: bool,
}

/// The program of a seed.
pub fn program(seed: u64) -> Program {
    let mut random = Random::new(seed);
    let count = 1 + random.below(3);
    let mut themes = Vec::new();
    while themes.len() < count {
        let theme = random.pick(&THEMES);
        if !themes.contains(&theme) {
            themes.push(theme);
        }
    }
    let nested = themes.contains(&Theme::Nested);
    let threads = if nested { 2 } else { 1 + random.below(2) } + usize::from(random.one_in(12));
    let asserts = random.one_in(2);
    let mut generator = Generator {
        random,
        themes,
        threads,
        nested,
        asserts,
        out: String::new(),
        indent: 0,
        native: true,
    };
    generator.write();
    Program {
        text: generator.out,
        themes: generator.themes,
        native: generator.native,
    }
}

impl Generator {
    fn line(&mut self, text: &str) {
        for _ in 0..self.indent {
            self.out.push_str("    ");
        }
        self.out.push_str(text);
        self.out.push('\n');
    }

    fn has(&self, theme: Theme) -> bool {
        self.themes.contains(&theme)
    }

    fn write(&mut self) {
        self.out.push_str(PRELUDE);
        self.line("static void init(void) {");
        self.indent += 1;
        let body = [
            "x = x + 1;",
            "pthread_mutex_lock(&m); x = 1; pthread_mutex_unlock(&m);",
            "a = a + 1;",
        ];
        let body = self.random.pick(&body);
        self.line(body);
        self.indent -= 1;
        self.line("}");
        let budget = 2 + self.random.below(if self.threads == 1 { 6 } else { 4 });
        for thread in 1..=self.threads {
            let _ = writeln!(self.out, "static void *f{thread}(void *arg) {{");
            self.body(thread, budget);
            self.line("}");
        }
        self.main(budget);
    }

    /// The function of a thread.
    fn body(&mut self, thread: usize, budget: usize) {
        self.indent = 1;
        self.line("int r = 0, v = 3; (void)v;");
        if thread == 1 && self.nested {
            self.line("pthread_create(&t2, NULL, f2, NULL);");
        }
        let guarded = self.has(Theme::Cancel) && self.random.one_in(3);
        if guarded {
            self.line("pthread_cleanup_push(cleanup, NULL);");
        }
        let count = 1 + self.random.below(budget);
        for _ in 0..count {
            self.statement(thread, 0);
        }
        if guarded {
            self.line("pthread_cleanup_pop(1);");
        }
        if thread == 1 && self.nested && self.random.one_in(2) {
            self.line("pthread_join(t2, NULL);");
        }
        let ends: &[&str] = if self.has(Theme::Exits) {
            &[
                "return (void *)(long)r;",
                "pthread_exit((void *)(long)r);",
                "exit(r);",
            ]
        } else {
            &["return (void *)(long)r;", "return NULL;"]
        };
        let end = self.random.pick(ends);
        self.line(end);
        self.indent = 0;
    }

    fn main(&mut self, budget: usize) {
        self.line("int main(void) {");
        self.indent = 1;
        self.line("int r = 0, v = 5; (void)v; void *result = NULL;");
        let kind = self
            .random
            .pick(&["NORMAL", "NORMAL", "RECURSIVE", "ERRORCHECK", "DEFAULT"]);
        let robust = self.random.one_in(8);
        self.line("pthread_mutexattr_t attr; pthread_mutexattr_init(&attr);");
        self.line(&format!(
            "pthread_mutexattr_settype(&attr, PTHREAD_MUTEX_{kind});"
        ));
        if robust {
            self.line("pthread_mutexattr_setrobust(&attr, PTHREAD_MUTEX_ROBUST);");
        }
        self.line("pthread_mutex_init(&m, &attr); pthread_mutex_init(&n, NULL);");
        let value = self.random.below(3);
        self.line(&format!(
            "sem_init(&s, 0, {value}); pthread_spin_init(&sp, PTHREAD_PROCESS_PRIVATE);"
        ));
        let parties = 1 + self.random.below(self.threads + 1);
        self.line(&format!("pthread_barrier_init(&br, NULL, {parties});"));
        if self.has(Theme::Heap) && self.random.one_in(2) {
            self.line("p = malloc(sizeof *p); *p = 1;");
        }
        if self.has(Theme::Exits) && self.random.one_in(2) {
            self.line("atexit(on_exit_print);");
        }
        let created: Vec<usize> = (1..=self.threads).filter(|&t| !(self.nested && t == 2)).collect();
        for &thread in &created {
            self.line(&format!("pthread_create(&t{thread}, NULL, f{thread}, NULL);"));
            if self.random.one_in(4) {
                self.statement(0, 0);
            }
        }
        for _ in 0..self.random.below(budget) {
            self.statement(0, 0);
        }
        let mut joined = true;
        for &thread in &created {
            match self
                .random
                .below(if self.has(Theme::Exits) || self.has(Theme::Handles) {
                    4
                } else {
                    24
                }) {
                0 => {
                    self.line(&format!("pthread_detach(t{thread});"));
                    joined = false;
                }
                1 => joined = false,
                2 => {
                    self.line(&format!("pthread_join(t{thread}, &result);"));
                    self.line("r += (int)(long)result;");
                }
                _ => self.line(&format!("pthread_join(t{thread}, NULL);")),
            }
        }
        if self.nested {
            if self.random.one_in(2) {
                self.line("pthread_join(t2, NULL);");
            } else {
                joined = false;
            }
        }
        if self.has(Theme::Exits) && self.random.one_in(3) {
            self.line("pthread_exit(NULL);");
        } else {
            if joined || self.random.one_in(2) {
                self.line(r#"printf("%d %d %ld %d %d %d %s %d\n", x, y, g.a, g.b, a, b, text, r);"#);
            }
            if self.asserts && self.random.one_in(2) {
                let condition = self.condition();
                self.line(&format!("assert({condition});"));
            }
            self.line("return 0;");
        }
        self.indent = 0;
        self.line("}");
    }

    fn condition(&mut self) -> String {
        let value = self.random.below(4);
        let left = self.random.pick(&["x", "y", "r", "a", "b", "x + y", "g.a"]);
        let op = self.random.pick(&["==", "!=", "<=", ">"]);
        format!("{left} {op} {value}")
    }

    /// A statement in braces after `head`.
    fn block(&mut self, thread: usize, depth: usize, head: &str, tail: &str) {
        self.line(head);
        self.indent += 1;
        for _ in 0..1 + self.random.below(2) {
            self.statement(thread, depth + 1);
        }
        self.indent -= 1;
        self.line(tail);
    }

    /// Statements between two lines, without a scope.
    fn between(&mut self, thread: usize, depth: usize, first: &str, last: &str) {
        self.line(first);
        for _ in 0..self.random.below(3) {
            self.statement(thread, depth + 1);
        }
        if !self.random.one_in(25) {
            self.line(last);
        }
    }

    fn statement(&mut self, thread: usize, depth: usize) {
        if depth > 2 || self.random.one_in(5) {
            return self.plain();
        }
        if self.random.one_in(10) && depth == 0 {
            return self.block(thread, depth + 1, "for (int i = 0; i < 2; i++) {", "}");
        }
        if self.random.one_in(8) {
            let condition = self.condition();
            return self.block(thread, depth, &format!("if ({condition}) {{"), "}");
        }
        if self.asserts && self.random.one_in(8) {
            let condition = self.condition();
            return self.line(&format!("assert({condition});"));
        }
        let theme = self.themes[self.random.below(self.themes.len())];
        self.themed(theme, thread, depth);
    }

    fn plain(&mut self) {
        let k = 1 + self.random.below(3);
        let line = match self.random.below(8) {
            0 => format!("x = {k};"),
            1 => "x++;".to_owned(),
            2 => format!("y = x + {k};"),
            3 => "r = x;".to_owned(),
            4 => "r += y;".to_owned(),
            5 => format!("y = {k};"),
            6 => "x = r;".to_owned(),
            _ => format!("r = r * 2 + {k};"),
        };
        self.line(&line);
    }

    fn table(&mut self, table: &[&str]) {
        let line = self.random.pick(table);
        self.line(line);
    }

    fn themed(&mut self, theme: Theme, thread: usize, depth: usize) {
        match theme {
            Theme::Plain => self.plain(),
            Theme::Structs => self.table(&[
                "g = h;",
                "h = g;",
                "g.a = 1;",
                "g.b = 2;",
                "h.a++;",
                "r += (int)g.a;",
                "{ struct s l = g; r = l.b; }",
                "h.c = 4;",
                "memset(&g, 0, sizeof g);",
            ]),
            Theme::Mutex | Theme::Try => {
                let l = self.random.pick(&["m", "m", "n"]);
                let unlock = format!("pthread_mutex_unlock(&{l});");
                if theme == Theme::Try && self.random.one_in(2) {
                    let call = if self.random.one_in(2) {
                        format!("pthread_mutex_timedlock(&{l}, &later)")
                    } else {
                        format!("pthread_mutex_trylock(&{l})")
                    };
                    self.block(
                        thread,
                        depth,
                        &format!("if ({call} == 0) {{"),
                        &format!("{unlock} }}"),
                    );
                    if self.random.one_in(2) {
                        self.line("else x = 5;");
                    }
                } else {
                    self.between(thread, depth, &format!("pthread_mutex_lock(&{l});"), &unlock);
                }
            }
            Theme::Cond | Theme::TimedCond => {
                let l = if self.random.one_in(10) { "n" } else { "m" };
                let timed = theme == Theme::TimedCond && self.random.one_in(2);
                let wait = if timed {
                    format!("pthread_cond_timedwait(&c, &{l}, &later)")
                } else {
                    format!("pthread_cond_wait(&c, &{l})")
                };
                match self.random.below(7) {
                    0 => self.line(&format!("pthread_mutex_lock(&{l}); {wait}; pthread_mutex_unlock(&{l});")),
                    1 => self.between(
                        thread,
                        depth,
                        &format!("pthread_mutex_lock(&{l}); if (!x) r = {wait};"),
                        &format!("pthread_mutex_unlock(&{l});"),
                    ),
                    2 => self.line(&format!(
                        "pthread_mutex_lock(&{l}); while (x == 0) if ({wait}) break; pthread_mutex_unlock(&{l});"
                    )),
                    3 => self.line("pthread_cond_signal(&c);"),
                    4 => self.line("pthread_cond_broadcast(&c);"),
                    5 => self.line(&format!(
                        "pthread_mutex_lock(&{l}); x = 1; pthread_cond_signal(&c); pthread_mutex_unlock(&{l});"
                    )),
                    _ => self.line(&format!(
                        "pthread_mutex_lock(&{l}); x++; pthread_cond_broadcast(&c); pthread_mutex_unlock(&{l});"
                    )),
                }
            }
            Theme::RwLock => {
                let unlock = "pthread_rwlock_unlock(&w);";
                match self.random.below(6) {
                    0 | 1 => self.between(thread, depth, "pthread_rwlock_rdlock(&w);", unlock),
                    2 | 3 => self.between(thread, depth, "pthread_rwlock_wrlock(&w);", unlock),
                    4 => {
                        let call = self.random.pick(&["tryrdlock(&w)", "trywrlock(&w)"]);
                        self.block(
                            thread,
                            depth,
                            &format!("if (!pthread_rwlock_{call}) {{"),
                            &format!("{unlock} }}"),
                        );
                    }
                    _ => {
                        let call = self
                            .random
                            .pick(&["timedrdlock(&w, &later)", "timedwrlock(&w, &later)"]);
                        self.block(
                            thread,
                            depth,
                            &format!("if (!pthread_rwlock_{call}) {{"),
                            &format!("{unlock} }}"),
                        );
                    }
                }
            }
            Theme::Semaphore => self.table(&[
                "sem_wait(&s);",
                "sem_wait(&s);",
                "sem_post(&s);",
                "sem_post(&s);",
                "if (sem_trywait(&s)) r = 9;",
                "if (sem_timedwait(&s, &later) == 0) x = 2;",
                "sem_getvalue(&s, &r);",
                "sem_getvalue(&s, &x);",
            ]),
            Theme::Barrier => self.table(&[
                "pthread_barrier_wait(&br);",
                "pthread_barrier_wait(&br);",
                "if (pthread_barrier_wait(&br)) x = 4;",
                "r = pthread_barrier_wait(&br) != 0;",
            ]),
            Theme::Spin => {
                if self.random.one_in(3) {
                    self.block(
                        thread,
                        depth,
                        "if (!pthread_spin_trylock(&sp)) {",
                        "pthread_spin_unlock(&sp); }",
                    );
                } else {
                    self.between(
                        thread,
                        depth,
                        "pthread_spin_lock(&sp);",
                        "pthread_spin_unlock(&sp);",
                    );
                }
            }
            Theme::Once => self.line("pthread_once(&once, init);"),
            Theme::Atomics => self.atomic(),
            Theme::Heap => self.table(&[
                "p = malloc(sizeof *p); *p = 2;",
                "free(p);",
                "free(p); p = NULL;",
                "if (p) *p = 3;",
                "if (p) r = *p;",
                "{ int *l = p; if (l) { (*l)++; r += *l; } }",
                "p = calloc(1, sizeof *p);",
                "{ int *l = malloc(sizeof *l); *l = 4; p = l; }",
                "{ int *l = p; p = NULL; free(l); }",
                "q = p;",
                "if (q) x = *q;",
            ]),
            Theme::Stack => self.table(&[
                "q = &v;",
                "q = &v;",
                "if (q) *q = 6;",
                "if (q) x = *q;",
                "{ int *l = q; q = NULL; if (l) r += *l; }",
                "{ int l = 2; q = &l; l++; r = l; q = NULL; }",
                "r += v;",
                "v++;",
            ]),
            Theme::Nested => self.plain(),
            Theme::Handles => {
                let t = 1 + self.random.below(self.threads);
                match self.random.below(6) {
                    0 => self.line(&format!("if (t{t}) y = 1;")),
                    1 if thread != t => {
                        self.line(&format!(
                            "if (t{t} && pthread_tryjoin_np(t{t}, NULL) == 0) y = 2;"
                        ));
                    }
                    2 if thread != t => {
                        self.line(&format!("{{ void *e; if (t{t}) pthread_join(t{t}, &e); }}"))
                    }
                    3 if thread != t => self.line(&format!("if (t{t}) pthread_detach(t{t});")),
                    4 => self.line("if (pthread_equal(pthread_self(), t1)) x = 3;"),
                    _ => self.plain(),
                }
            }
            Theme::Exits => {
                let rare = self.random.one_in(3);
                if rare {
                    self.table(&[
                        "if (x == 2) exit(1);",
                        "if (x == 1) pthread_exit(NULL);",
                        "if (y) abort();",
                        "atexit(on_exit_print);",
                    ]);
                } else {
                    self.plain();
                }
            }
            Theme::Cancel => {
                let t = 1 + self.random.below(self.threads);
                match self.random.below(6) {
                    0 | 1 if thread != t => self.line(&format!("if (t{t}) pthread_cancel(t{t});")),
                    2 => self.line("pthread_testcancel();"),
                    3 => self.line("pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, NULL);"),
                    4 => self.line("pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, NULL);"),
                    _ => self.plain(),
                }
            }
            Theme::Block => {
                self.native = false;
                self.between(
                    thread,
                    2,
                    "__VERIFIER_atomic_begin();",
                    "__VERIFIER_atomic_end();",
                );
            }
            Theme::Life => self.table(&[
                "pthread_mutex_destroy(&n);",
                "pthread_mutex_lock(&n); pthread_mutex_unlock(&n);",
                "pthread_mutex_destroy(&m);",
                "pthread_cond_destroy(&c);",
                "pthread_cond_signal(&c);",
                "sem_destroy(&s);",
                "sem_post(&s);",
                "sem_init(&s, 0, 1);",
                "pthread_rwlock_destroy(&w);",
                "pthread_rwlock_rdlock(&w); pthread_rwlock_unlock(&w);",
                "pthread_spin_destroy(&sp);",
                "pthread_barrier_destroy(&br);",
                "pthread_mutex_unlock(&m);",
                "pthread_mutex_lock(&m);",
            ]),
            Theme::Library => self.table(&[
                "memcpy(text, other, 3);",
                "r = (int)strlen(text);",
                "strcpy(text, \"de\");",
                "memset(other, 'q', 3);",
                "printf(\"%s\\n\", text);",
                "printf(\"%d\\n\", x);",
                "puts(\"hello\");",
                "r = text[1];",
                "other[1] = 'z';",
                "r = memcmp(text, other, 3) != 0;",
                "snprintf(other, 4, \"%d\", r & 7);",
            ]),
            Theme::Assume => {
                self.native = false;
                let condition = self.condition();
                self.line(&format!("__VERIFIER_assume({condition});"));
            }
        }
    }

    fn atomic(&mut self) {
        let v = self.random.pick(&["a", "b"]);
        let k = 1 + self.random.below(3);
        let read = self.random.pick(&["relaxed", "acquire", "seq_cst"]);
        let write = self.random.pick(&["relaxed", "release", "seq_cst"]);
        let both = self
            .random
            .pick(&["relaxed", "acquire", "release", "acq_rel", "seq_cst"]);
        let line = match self.random.below(9) {
            0 => format!("atomic_store_explicit(&{v}, {k}, memory_order_{write});"),
            1 => format!("r = atomic_load_explicit(&{v}, memory_order_{read});"),
            2 => format!("atomic_fetch_add_explicit(&{v}, {k}, memory_order_{both});"),
            3 => format!("r = atomic_exchange_explicit(&{v}, {k}, memory_order_{both});"),
            4 => format!(
                "{{ int e = {}; if (!atomic_compare_exchange_strong_explicit(&{v}, &e, {k}, memory_order_{both}, memory_order_{read})) r = e; }}",
                k - 1
            ),
            5 => format!("atomic_thread_fence(memory_order_{both});"),
            6 => format!("if (atomic_load_explicit(&{v}, memory_order_{read})) x = {k};"),
            7 => format!("{v} = b + 1;"),
            _ => format!("if ({v} == {k}) r = x;"),
        };
        self.line(&line);
    }
}

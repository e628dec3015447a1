//! Random programs that create threads in loops, in functions and in threads, join them or not, and
//! hold locks.

use std::fmt::Write;

struct Program {
    random: fastrand::Rng,
    text: String,
    /// Numbers of the variables that a function has declared.
    variables: usize,
}

/// A program.
pub fn random(seed: u64) -> String {
    let mut program = Program {
        random: fastrand::Rng::with_seed(seed),
        text: String::from(HEAD),
        variables: 0,
    };
    // Each thread function may create threads of the ones before it; so may helpers.
    // In each second program, they create none, and there are no helpers.
    let small = seed % 2 == 1;
    for number in 0..3 {
        let level = if small { 0 } else { number };
        program.function(&format!("static void *w{number}(void *a)"), level, "return a;");
    }
    program.function("static void helper(void)", 2, "return;");
    program.function(
        "static void starter(pthread_t *p)",
        0,
        "pthread_create(p, 0, w0, 0);",
    );
    program.line("static void jump(jmp_buf b) { pthread_t p; pthread_create(&p, 0, w0, 0); longjmp(b, 1); }");
    program.line("static void land(void) { jmp_buf b; if (!setjmp(b)) jump(b); x++; }");
    program.line("static void locked(void) { jmp_buf b; pthread_mutex_lock(&m); if (!setjmp(b)) { y = 1; drop(b); } z++; pthread_mutex_trylock(&m); pthread_mutex_unlock(&m); }");
    program.function("int main(void)", if small { 3 } else { 4 }, "return 0;");
    program.text
}

const HEAD: &str = "#include <pthread.h>
#include <setjmp.h>
void reach_error(void);
int seen[16];
int x, y, z;
pthread_t g, h[3];
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, two[2] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
pthread_rwlock_t r = PTHREAD_RWLOCK_INITIALIZER;
pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static void lock(pthread_mutex_t *p) { pthread_mutex_lock(p); }
static void drop(jmp_buf b) { pthread_mutex_unlock(&m); if (x != 1) longjmp(b, 1); pthread_mutex_lock(&m); }
static void unlock(pthread_mutex_t *p) { pthread_mutex_unlock(p); }
";

impl Program {
    fn line(&mut self, line: &str) {
        self.text.push_str(line);
        self.text.push('\n');
    }

    /// `level`: which thread functions it may create: those below. 4: it may call helpers, too.
    fn function(&mut self, head: &str, level: usize, end: &str) {
        self.variables = 0;
        let _ = writeln!(self.text, "{head} {{");
        let count = self.random.usize(1..3) + level;
        let is_main = head.contains("main");
        for number in 0..count {
            self.statement(level, 2);
            if is_main {
                let what = ["x == 1", "y > 1", "z == 1"][self.random.usize(..3)];
                // It never fails, so that the program goes on.
                let _ = writeln!(
                    self.text,
                    "{{ int v = 1 + ({what}); seen[{number}] = v; if (v > 2) reach_error(); }}"
                );
            }
        }
        self.line(end);
        self.line("}");
    }

    fn statement(&mut self, level: usize, depth: usize) {
        let shared = *self
            .random
            .choice(&["x++;", "y = x;", "z = 1;", "y += z;"])
            .unwrap_or(&"");
        match self.random.usize(0..12) {
            0 | 1 => self.line(shared),
            2 => self.locked(level, depth),
            3 if depth > 0 => {
                let condition = [
                    "if (x) {",
                    "if (y == 1) {",
                    "while (z++ < 2) {",
                    "for (int k = 0; k < 2; k++) {",
                ];
                let condition = condition[self.random.usize(..4)];
                self.line(condition);
                self.statement(level, depth - 1);
                self.line("}");
            }
            4 if level == 4 => {
                let call = ["helper();", "land();", "locked();"][self.random.usize(..3)];
                self.line(call);
            }
            5 if level == 4 => {
                let number = self.variables;
                self.variables += 1;
                let _ = writeln!(self.text, "pthread_t s{number}; starter(&s{number});");
                if self.random.bool() {
                    let _ = writeln!(self.text, "pthread_join(s{number}, 0);");
                }
            }
            _ if level > 0 => self.threads(level, depth),
            _ => self.line(shared),
        }
    }

    fn locked(&mut self, level: usize, depth: usize) {
        let pairs = [
            ("pthread_mutex_lock(&m);", "pthread_mutex_unlock(&m);"),
            ("lock(&m);", "unlock(&m);"),
            ("lock(&two[1]);", "unlock(&two[1]);"),
            (
                "pthread_mutex_lock(&two[x & 1]); {",
                "} pthread_mutex_unlock(&two[0]);",
            ),
            (
                "if (pthread_mutex_trylock(&two[0]) == 0) {",
                "pthread_mutex_unlock(&two[0]); }",
            ),
            ("if (!pthread_mutex_trylock(&m)) {", "pthread_mutex_unlock(&m); }"),
            (
                "if (pthread_mutex_trylock(&m)) { y = 3; } else {",
                "pthread_mutex_unlock(&m); }",
            ),
            (
                "pthread_mutex_lock(&m);",
                "pthread_mutex_unlock(x ? &m : &two[0]);",
            ),
            ("pthread_rwlock_rdlock(&r);", "pthread_rwlock_unlock(&r);"),
            ("pthread_rwlock_wrlock(&r);", "pthread_rwlock_unlock(&r);"),
            (
                "pthread_mutex_lock(&m); if (x == 7) pthread_cond_wait(&c, &m);",
                "pthread_mutex_unlock(&m);",
            ),
            (
                "pthread_mutex_lock(&m); if (x == 5) pthread_mutex_unlock(&m); else {",
                "pthread_mutex_unlock(&m); }",
            ),
        ];
        let (begin, end) = pairs[self.random.usize(..pairs.len())];
        self.line(begin);
        self.line("x = y + 1;");
        if depth > 0 && self.random.usize(..3) == 0 {
            self.statement(level, depth - 1);
        }
        self.line(end);
    }

    /// Creates threads, and joins them rightly, wrongly or not.
    fn threads(&mut self, level: usize, depth: usize) {
        let number = self.variables;
        self.variables += 1;
        let function = self.random.usize(..level.min(3));
        let create = |handle: &str| format!("pthread_create({handle}, 0, w{function}, 0);");
        let shape = self.random.usize(..9);
        let (most, joined) = (self.random.usize(1..4), self.random.usize(1..4));
        let global = self.random.usize(..4) == 0 && level == 4;
        let one = if global {
            "g".to_owned()
        } else {
            format!("t{number}")
        };
        let many = if global {
            "h".to_owned()
        } else {
            format!("a{number}")
        };
        if !global {
            let _ = writeln!(self.text, "pthread_t t{number}, a{number}[3];");
        }
        match shape {
            0 | 1 => {
                self.line(&create(&format!("&{one}")));
                if depth > 0 {
                    self.statement(level, depth - 1);
                }
                if shape == 0 {
                    let _ = writeln!(self.text, "pthread_join({one}, 0);");
                }
            }
            2 => {
                let create = create(&format!("&{one}"));
                let _ = writeln!(
                    self.text,
                    "for (int i = 0; i < {most}; i++) {{ {create} x++; pthread_join({one}, 0); }}"
                );
            }
            3 => {
                // All but the last handles are lost.
                let create = create(&format!("&{one}"));
                let _ = writeln!(
                    self.text,
                    "for (int i = 0; i < {most}; i++) {{ {create} }} pthread_join({one}, 0);"
                );
            }
            4 => {
                // Not all need to be joined.
                let create = create(&format!("&{many}[i]"));
                let joined = joined.min(most);
                let _ = writeln!(self.text, "for (int i = 0; i < {most}; i++) {{ {create} }}");
                let _ = writeln!(
                    self.text,
                    "for (int i = 0; i < {joined}; i++) {{ pthread_join({many}[i], 0); }}"
                );
            }
            5 => {
                let create = create(&format!("&{many}[i]"));
                let _ = writeln!(self.text, "for (int i = 0; i < {most}; i++) {{ {create} }}");
                if depth > 0 {
                    self.statement(level, depth - 1);
                }
                let leave = ["", " if (y == 9) break;"][self.random.usize(..2)];
                let _ = writeln!(
                    self.text,
                    "for (int i = 0; i < {most}; i++) {{ pthread_join({many}[i], 0);{leave} }}"
                );
            }
            6 => {
                // The first handle is lost.
                let create = create(&format!("&{one}"));
                let _ = writeln!(self.text, "{create} {create} pthread_join({one}, 0);");
            }
            7 => {
                let _ = writeln!(
                    self.text,
                    "{} {}",
                    create(&format!("&{many}[0]")),
                    create(&format!("&{many}[1]"))
                );
                let first = self.random.usize(..2);
                let _ = writeln!(
                    self.text,
                    "for (int i = {first}; i < 2; i++) {{ pthread_join({many}[i], 0); }}"
                );
            }
            _ => {
                let create = create(&format!("&{many}[i]"));
                let skip = ["", " if (i == 1) continue;", " i++;"][self.random.usize(..3)];
                let _ = writeln!(self.text, "for (int i = 0; i < 3; i++) {{ {create}{skip} }}");
                if skip.is_empty() {
                    let skip = ["", " if (i == 1) continue;"][self.random.usize(..2)];
                    let _ = writeln!(
                        self.text,
                        "for (int i = 0; i < 3; i++) {{{skip} pthread_join({many}[i], 0); }}"
                    );
                }
            }
        }
        let more = ["x = 2;", "y++;", ""][self.random.usize(..3)];
        self.line(more);
    }
}

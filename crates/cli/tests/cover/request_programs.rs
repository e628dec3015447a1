//! Random programs that serve requests: the main thread reads them, and two workers do a part of
//! the work. Values are bits, so states return.

use fastrand::Rng;
use std::fmt::Write;

const HEAD: &str = "#include <pthread.h>\n#include <semaphore.h>\n#include <unistd.h>\n\
    static pthread_mutex_t m[3] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};\n\
    static sem_t go[2], fin;\nstatic unsigned char v[3];\nstatic int stop;\n\
    static unsigned char hidden[3];\n";

/// `t`: what the block decides by. Locks are taken in their order only, but for those that cross.
fn block(rng: &mut Rng, text: &mut String, depth: u32, least: usize, crosses: bool) {
    for _ in 0..rng.usize(1..3) {
        let lock = rng.usize(least.min(2)..3).max(1);
        match rng.u32(0..if depth == 0 { 3 } else { 5 }) {
            0 | 1 => {
                let _ = write!(text, "pthread_mutex_lock(&m[{lock}]); ");
                match rng.bool() {
                    true => _ = write!(text, "v[{lock}] = (v[{lock}] + {}) & 1; ", rng.u32(0..2)),
                    false => _ = write!(text, "t = (t ^ v[{lock}]) & 3; "),
                }
                if lock == 1 && rng.bool() {
                    text.push_str("pthread_mutex_lock(&m[2]); v[2] = v[1]; pthread_mutex_unlock(&m[2]); ");
                }
                if crosses && lock == 2 && rng.bool() {
                    text.push_str("pthread_mutex_lock(&m[1]); v[1] = v[2]; pthread_mutex_unlock(&m[1]); ");
                }
                let _ = writeln!(text, "pthread_mutex_unlock(&m[{lock}]);");
            }
            2 => {
                let _ = writeln!(
                    text,
                    "if (!pthread_mutex_trylock(&m[{lock}])) {{ v[{lock}] ^= 1; pthread_mutex_unlock(&m[{lock}]); }}"
                );
            }
            _ => {
                let _ = writeln!(text, "if (t & {}) {{", rng.u32(1..3));
                block(rng, text, depth - 1, least, crosses);
                text.push_str("}\n");
            }
        }
    }
}

/// What a thread remembers for itself, and what it does by that. No operation shows what it is when
/// it changes.
fn remembers(rng: &mut Rng, text: &mut String, thread: usize, crosses: bool) {
    let change = ["^= 1", "= t & 1", "= !t"][rng.usize(..3)];
    let mut acts = |text: &mut String| {
        let _ = writeln!(text, "if (hidden[{thread}]) {{");
        block(rng, text, 0, 1, crosses);
        text.push_str("}\n");
    };
    let before = change.len() == 4;
    if before {
        acts(text);
    }
    let _ = writeln!(text, "if (t & 1) hidden[{thread}] {change};");
    if !before {
        let _ = writeln!(text, "if (t & 2)");
        acts(text);
    }
}

/// A program whose requests have one byte. `crosses`: locks may be taken in opposite orders.
pub fn program(rng: &mut Rng, crosses: bool) -> String {
    let remembering = rng.bool().then(|| rng.usize(..3));
    let mut text = HEAD.to_owned();
    for worker in 0..2 {
        let _ = writeln!(
            text,
            "static void *run{worker}(void *u) {{ for (;;) {{ sem_wait(&go[{worker}]);\n\
             pthread_mutex_lock(&m[0]); unsigned char t = v[0]; int last = stop; pthread_mutex_unlock(&m[0]);\n\
             if (last) return u;"
        );
        let early = rng.u32(0..3) == 0;
        if early {
            text.push_str("sem_post(&fin);\n");
        }
        if remembering == Some(worker) {
            remembers(rng, &mut text, worker, crosses);
        }
        block(rng, &mut text, 1, 1, crosses);
        if !early {
            text.push_str("sem_post(&fin);\n");
        }
        text.push_str("t = 0; } }\n");
    }
    text.push_str(
        "int main(void) { pthread_t a, b; sem_init(&go[0], 0, 0); sem_init(&go[1], 0, 0); sem_init(&fin, 0, 0);\n\
         pthread_create(&a, 0, run0, 0); pthread_create(&b, 0, run1, 0);\n\
         unsigned char c; int pending = 0;\nwhile (read(0, &c, 1) == 1) { unsigned char t = c & 3; c = 0;\n",
    );
    if rng.bool() {
        text.push_str("if (t == 3) continue;\n");
    }
    if remembering == Some(2) {
        remembers(rng, &mut text, 2, crosses);
    }
    block(rng, &mut text, 1, 1, crosses);
    text.push_str(
        "while (pending) { sem_wait(&fin); pending--; }\n\
         pthread_mutex_lock(&m[0]); v[0] = t; pthread_mutex_unlock(&m[0]);\n",
    );
    text.push_str(match rng.u32(0..3) {
        0 => "sem_post(&go[t & 1]); pending = 1;\n",
        1 => "sem_post(&go[0]); sem_post(&go[1]); pending = 2;\n",
        _ => "sem_post(&go[1]); pending = 1; if (t & 2) { sem_post(&go[0]); pending = 2; }\n",
    });
    block(rng, &mut text, 1, 1, crosses);
    if rng.bool() {
        text.push_str("if (t & 1) while (pending) { sem_wait(&fin); pending--; }\n");
    }
    text.push_str(
        "t = 0; }\nwhile (pending) { sem_wait(&fin); pending--; }\n\
         pthread_mutex_lock(&m[0]); stop = 1; pthread_mutex_unlock(&m[0]);\n\
         sem_post(&go[0]); sem_post(&go[1]); pthread_join(a, 0); pthread_join(b, 0); return 0; }\n",
    );
    text
}

//! Random programs with all values of their input: each native run must be the interpreter's, in
//! the order in which operations were done; and that order must be one of the set, always the same.

use crate::support::{Place, followed, keeps};
use fastrand::Rng;
use std::collections::BTreeMap;
use std::fmt::Write;

/// An instruction of a thread. Targets are instructions.
#[derive(Clone, Copy, Debug)]
enum Code {
    Lock(usize),
    Unlock(usize),
    /// Takes a lock, or goes there.
    Try(usize, usize),
    Post,
    Wait,
    /// `v[k] = v[k] * 3 + c`
    Update(usize, u32),
    /// `t = v[k]`
    Load(usize),
    /// Goes there unless a bit of the input is set.
    UnlessInput(u32, usize),
    /// Goes there unless a bit of `t` is set.
    UnlessLoaded(u32, usize),
    End,
}

const LOCKS: usize = 3;
/// The input has so many values.
const VALUES: u32 = 8;

fn block(rng: &mut Rng, code: &mut Vec<Code>, depth: u32, waits: &mut u32) {
    for _ in 0..rng.usize(1..4) {
        let lock = rng.usize(0..LOCKS);
        match rng.u32(0..if depth == 0 { 4 } else { 7 }) {
            0 | 1 => {
                code.extend([
                    Code::Lock(lock),
                    Code::Update(lock, rng.u32(1..9)),
                    Code::Load(lock),
                ]);
                if lock + 1 < LOCKS && rng.bool() {
                    let inner = rng.usize(lock + 1..LOCKS);
                    code.extend([
                        Code::Lock(inner),
                        Code::Update(inner, rng.u32(1..9)),
                        Code::Unlock(inner),
                    ]);
                }
                code.push(Code::Unlock(lock));
            }
            2 => {
                let at = code.len();
                code.extend([
                    Code::Try(lock, at + 3),
                    Code::Update(lock, rng.u32(1..9)),
                    Code::Unlock(lock),
                ]);
            }
            3 if rng.bool() => code.push(Code::Post),
            3 => {
                *waits += 1;
                code.push(Code::Wait);
            }
            kind => {
                let at = code.len();
                code.push(Code::End);
                block(rng, code, depth - 1, waits);
                let (bit, to) = (rng.u32(0..3), code.len());
                code[at] = match kind {
                    6 => Code::UnlessLoaded(bit, to),
                    _ => Code::UnlessInput(bit, to),
                };
            }
        }
    }
}

/// Threads, and the initial value of the semaphore: nobody can wait for ever.
fn generate(rng: &mut Rng) -> (Vec<Vec<Code>>, u32) {
    let mut waits = 0;
    let threads = (0..rng.usize(2..4)).map(|_| {
        let mut code = Vec::new();
        block(rng, &mut code, 2, &mut waits);
        code.push(Code::End);
        code
    });
    (threads.collect(), waits)
}

fn print(threads: &[Vec<Code>], semaphore: u32) -> String {
    let mut text = String::from(
        "#include <pthread.h>\n#include <semaphore.h>\n#include <stdio.h>\n\
         static pthread_mutex_t m[3] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};\n\
         static sem_t s;\nstatic unsigned v[3], in;\n",
    );
    for (thread, code) in threads.iter().enumerate() {
        let _ = writeln!(
            text,
            "static void *run{thread}(void *u) {{ unsigned t = 0; (void)t;"
        );
        for (at, code) in code.iter().enumerate() {
            let _ = write!(text, "L{at}: __attribute__((unused)); ");
            let _ = match *code {
                Code::Lock(k) => writeln!(text, "pthread_mutex_lock(&m[{k}]);"),
                Code::Unlock(k) => writeln!(text, "pthread_mutex_unlock(&m[{k}]);"),
                Code::Try(k, to) => writeln!(text, "if (pthread_mutex_trylock(&m[{k}])) goto L{to};"),
                Code::Post => writeln!(text, "sem_post(&s);"),
                Code::Wait => writeln!(text, "sem_wait(&s);"),
                Code::Update(k, c) => writeln!(text, "v[{k}] = v[{k}] * 3 + {c};"),
                Code::Load(k) => writeln!(text, "t = v[{k}];"),
                Code::UnlessInput(b, to) => writeln!(text, "if (!(in >> {b} & 1)) goto L{to};"),
                Code::UnlessLoaded(b, to) => writeln!(text, "if (!(t >> {b} & 1)) goto L{to};"),
                Code::End => writeln!(text, "return u; }}"),
            };
        }
    }
    let count = threads.len();
    let _ = writeln!(
        text,
        "int main(int argc, char **argv) {{ pthread_t t[{count}]; in = argv[1][0] & 7; v[0] = in; sem_init(&s, 0, {semaphore});"
    );
    (0..count).for_each(|i| {
        let _ = writeln!(text, "pthread_create(&t[{i}], 0, run{i}, 0);");
    });
    let _ = writeln!(
        text,
        "for (int i = 0; i < {count}; i++) pthread_join(t[i], 0);\nprintf(\"%u %u %u\\n\", v[0], v[1], v[2]); return 0; }}"
    );
    text
}

/// What the program prints if its operations are done in this order; none if they cannot be.
fn interpret(threads: &[Vec<Code>], input: u32, done: &[(String, u32, String)]) -> Option<String> {
    let mut values = [input, 0, 0];
    let mut held = [false; LOCKS];
    let mut at: BTreeMap<String, (usize, usize, u32)> = BTreeMap::new();
    let name = |lock: usize| match lock {
        0 => "m".to_owned(),
        lock => format!("m+{}", 40 * lock),
    };
    for (thread, _, text) in done {
        let Some(number) = thread.strip_prefix("0.") else {
            continue;
        };
        let number: usize = number.parse().ok()?;
        let (_, position, loaded) = at.entry(thread.clone()).or_insert((number, 0, 0));
        let code = &threads[number - 1];
        loop {
            let one = code[*position];
            *position += 1;
            match one {
                Code::Update(k, c) => values[k] = values[k].wrapping_mul(3).wrapping_add(c),
                Code::Load(k) => *loaded = values[k],
                Code::UnlessInput(b, to) if input >> b & 1 == 0 => *position = to,
                Code::UnlessLoaded(b, to) if *loaded >> b & 1 == 0 => *position = to,
                Code::UnlessInput(..) | Code::UnlessLoaded(..) => {}
                _ => {
                    let expected = match one {
                        Code::Lock(k) => {
                            if std::mem::replace(&mut held[k], true) {
                                return None;
                            }
                            format!("lock {}", name(k))
                        }
                        Code::Unlock(k) => {
                            held[k] = false;
                            format!("unlock {}", name(k))
                        }
                        Code::Try(k, to) => {
                            if std::mem::replace(&mut held[k], true) {
                                *position = to;
                            }
                            format!("try-lock {}", name(k))
                        }
                        Code::Post => "post s".to_owned(),
                        Code::Wait => "wait s".to_owned(),
                        _ => "end".to_owned(),
                    };
                    if expected != *text {
                        return None;
                    }
                    break;
                }
            }
        }
        // What it does before its next operation, under the locks that it holds.
        while let Code::Update(..) | Code::Load(_) = code[(*position).min(code.len() - 1)] {
            match code[*position] {
                Code::Update(k, c) => values[k] = values[k].wrapping_mul(3).wrapping_add(c),
                Code::Load(k) => *loaded = values[k],
                _ => {}
            }
            *position += 1;
        }
    }
    Some(format!("{} {} {}\n", values[0], values[1], values[2]))
}

fn count(name: &str, usual: u64) -> u64 {
    let given = std::env::var(name).ok();
    given.and_then(|count| count.parse().ok()).unwrap_or(usual)
}

#[test]
fn random_programs_keep_to_their_schedules_for_every_input() {
    let (programs, first) = (
        count("SELVEDGE_COVER_PROGRAMS", 8),
        count("SELVEDGE_COVER_SEED", 0),
    );
    for seed in first..first + programs {
        let (threads, semaphore) = generate(&mut Rng::with_seed(seed));
        let text = print(&threads, semaphore);
        let place = Place::new();
        let cover = place.cover_and_build(&text);
        assert!(cover.schedules.iter().all(keeps), "{seed}");
        let mut used = vec![false; cover.schedules.len()];
        for input in 0..VALUES {
            let word = String::from(char::from(b'h' + input as u8));
            let mut seen = None;
            for delays in 0..4 {
                let (ended, done) = place.native("program", &word, delays);
                assert_eq!(ended.code, Some(0), "{seed}, {input}: {ended:?}\n{text}");
                let schedule = followed(&cover, &done);
                let schedule =
                    schedule.unwrap_or_else(|| panic!("{seed}, {input}: no schedule\n{text}\n{done:?}"));
                assert_eq!(
                    interpret(&threads, input, &done).as_ref(),
                    Some(&ended.out),
                    "{seed}, {input}\n{text}"
                );
                assert_eq!(*seen.get_or_insert(schedule), schedule, "{seed}, {input}");
                used[schedule] = true;
            }
        }
        assert!(
            used.into_iter().all(|used| used),
            "{seed}: a schedule without an input\n{text}"
        );
    }
}

//! Random programs with all values of their input: each native run must be the interpreter's, in
//! the order in which operations were done; and that order must be one of the set, always the same.

use crate::support::{Place, followed, keeps};
use fastrand::Rng;
use selvedge_base::usual_or_long;
use selvedge_schedule::cover::{Cover, Object};
use std::collections::{BTreeMap, BTreeSet};
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
    /// Takes the read-write lock, for reading or writing.
    Read,
    Write,
    /// Takes it for reading, or goes there.
    TryRead(usize),
    GiveBack,
    /// Goes there if `flag[k]` is set.
    IfFlag(usize, usize),
    /// Begins to wait on the condition variable of lock `k`; and ends that.
    Sleep(usize),
    Wake(usize),
    /// `flag[k] = 1`
    Flag(usize),
    Signal(usize),
    Broadcast(usize),
    /// `v[k] = v[k] * 3 + c`
    Update(usize, u32),
    /// `t = v[k]`
    Load(usize),
    /// `t = atomic_fetch_add(&a[k], c)`
    Add(usize, u32),
    /// `t = a[k]`
    Peek(usize),
    /// `a[k] = c`
    Put(usize, u32),
    /// `a[k] = c + 1` if it is `c`; `t`: what it was
    Swap(usize, u32),
    /// `gate[k] = 1`
    Open(usize),
    /// Reads `gate[k]` until it is set.
    Await(usize),
    /// Prints `c`.
    Print(u32),
    /// Goes there unless a bit of the input is set.
    UnlessInput(u32, usize),
    /// Goes there unless a bit of `t` is set.
    UnlessLoaded(u32, usize),
    End,
}

const LOCKS: usize = 3;
/// The value that the read-write lock protects.
const TABLE: usize = LOCKS;
/// The input has so many values.
const VALUES: u32 = 8;

/// `crossed`: locks are taken in any order, so that threads may wait for each other for ever.
fn block(rng: &mut Rng, code: &mut Vec<Code>, depth: u32, waits: &mut u32, crossed: bool) {
    for _ in 0..rng.usize(1..4) {
        let lock = rng.usize(0..LOCKS);
        match rng.u32(0..if depth == 0 { 10 } else { 13 }) {
            8 => code.push(match rng.u32(0..6) {
                0 => Code::Add(lock % 2, rng.u32(1..4)),
                1 => Code::Peek(lock % 2),
                2 => Code::Put(lock % 2, rng.u32(0..4)),
                3 => Code::Swap(lock % 2, rng.u32(0..3)),
                4 => Code::Open(lock % 2),
                _ => Code::Await(lock % 2),
            }),
            9 => code.push(Code::Print(rng.u32(10..99))),
            0 | 1 => {
                code.extend([
                    Code::Lock(lock),
                    Code::Update(lock, rng.u32(1..9)),
                    Code::Load(lock),
                ]);
                let inner = match crossed {
                    true => Some((lock + rng.usize(1..LOCKS)) % LOCKS),
                    false if lock + 1 < LOCKS && rng.bool() => Some(rng.usize(lock + 1..LOCKS)),
                    false => None,
                };
                if let Some(inner) = inner {
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
            4 => {
                let at = code.len();
                code.extend([Code::Lock(lock), Code::IfFlag(lock, at + 4), Code::Sleep(lock)]);
                code.push(Code::Wake(lock));
                code.extend([Code::Update(lock, rng.u32(1..9)), Code::Unlock(lock)]);
            }
            5 => {
                let wakes = [Code::Signal(lock), Code::Broadcast(lock)][rng.usize(0..2)];
                code.extend([Code::Lock(lock), Code::Flag(lock)]);
                // With the mutex, or without: then only the signal orders the wakeup after it.
                code.extend(match rng.bool() {
                    true => [wakes, Code::Unlock(lock)],
                    false => [Code::Unlock(lock), wakes],
                });
            }
            6 => code.extend([Code::Write, Code::Update(TABLE, rng.u32(1..9)), Code::GiveBack]),
            7 if rng.bool() => code.extend([Code::Read, Code::Load(TABLE), Code::GiveBack]),
            7 => {
                let at = code.len();
                code.extend([Code::TryRead(at + 3), Code::Load(TABLE), Code::GiveBack]);
            }
            kind => {
                let at = code.len();
                code.push(Code::End);
                block(rng, code, depth - 1, waits, crossed);
                let (bit, to) = (rng.u32(0..3), code.len());
                code[at] = match kind {
                    12 => Code::UnlessLoaded(bit, to),
                    _ => Code::UnlessInput(bit, to),
                };
            }
        }
    }
}

/// Threads, and the initial value of the semaphore: nobody can wait for ever.
fn generate(rng: &mut Rng, crossed: bool) -> (Vec<Vec<Code>>, u32) {
    let mut waits = 0;
    let threads = (0..rng.usize(2..4)).map(|_| {
        let mut code = Vec::new();
        block(rng, &mut code, 2, &mut waits, crossed);
        code.push(Code::End);
        code
    });
    let mut threads: Vec<Vec<Code>> = threads.collect();
    let waits_on = |k: usize, code: &[Code]| code.iter().any(|c| matches!(c, Code::Sleep(on) if *on == k));
    let mut last = Vec::new();
    for k in (0..LOCKS).filter(|&k| threads.iter().any(|code| waits_on(k, code))) {
        last.extend([Code::Lock(k), Code::Flag(k), Code::Broadcast(k), Code::Unlock(k)]);
    }
    let awaits = |k: usize, code: &[Code]| code.iter().any(|c| matches!(c, Code::Await(on) if *on == k));
    for k in (0..2).filter(|&k| threads.iter().any(|code| awaits(k, code))) {
        last.push(Code::Open(k));
    }
    if !last.is_empty() {
        last.push(Code::End);
        threads.push(last);
    }
    (threads, waits)
}

fn print(threads: &[Vec<Code>], semaphore: u32) -> String {
    let mut text = String::from(
        "#include <pthread.h>\n#include <semaphore.h>\n#include <stdatomic.h>\n#include <stdio.h>\n\
         static pthread_mutex_t m[3] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};\n\
         static pthread_cond_t c[3] = {PTHREAD_COND_INITIALIZER, PTHREAD_COND_INITIALIZER, PTHREAD_COND_INITIALIZER};\n\
         static pthread_rwlock_t r = PTHREAD_RWLOCK_INITIALIZER;\n\
         static sem_t s;\nstatic unsigned v[4], flag[3], in;\nstatic atomic_uint a[2], gate[2];\n",
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
                Code::Read => writeln!(text, "pthread_rwlock_rdlock(&r);"),
                Code::Write => writeln!(text, "pthread_rwlock_wrlock(&r);"),
                Code::TryRead(to) => writeln!(text, "if (pthread_rwlock_tryrdlock(&r)) goto L{to};"),
                Code::GiveBack => writeln!(text, "pthread_rwlock_unlock(&r);"),
                Code::IfFlag(k, to) => writeln!(text, "if (flag[{k}]) goto L{to};"),
                Code::Sleep(k) => writeln!(text, "pthread_cond_wait(&c[{k}], &m[{k}]);"),
                Code::Wake(_) => writeln!(text, ";"),
                Code::Flag(k) => writeln!(text, "flag[{k}] = 1;"),
                Code::Signal(k) => writeln!(text, "pthread_cond_signal(&c[{k}]);"),
                Code::Broadcast(k) => writeln!(text, "pthread_cond_broadcast(&c[{k}]);"),
                Code::Update(k, c) => writeln!(text, "v[{k}] = v[{k}] * 3 + {c};"),
                Code::Load(k) => writeln!(text, "t = v[{k}];"),
                Code::Add(k, c) => writeln!(text, "t = atomic_fetch_add(&a[{k}], {c});"),
                Code::Peek(k) => writeln!(text, "t = atomic_load_explicit(&a[{k}], memory_order_relaxed);"),
                Code::Put(k, c) => writeln!(text, "atomic_store(&a[{k}], {c});"),
                Code::Swap(k, c) => writeln!(
                    text,
                    "t = {c}; atomic_compare_exchange_weak(&a[{k}], &t, {c} + 1);"
                ),
                Code::Open(k) => writeln!(
                    text,
                    "atomic_store_explicit(&gate[{k}], 1, memory_order_release);"
                ),
                Code::Await(k) => writeln!(text, "while (!atomic_load(&gate[{k}])) ;"),
                Code::Print(c) => writeln!(text, "printf(\"%d \", {c});"),
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
        "for (int i = 0; i < {count}; i++) pthread_join(t[i], 0);\nprintf(\"%u %u %u %u %u %u\\n\", v[0], v[1], v[2], v[3], a[0], a[1]); return 0; }}"
    );
    text
}

/// The lines of the instructions of each thread.
fn lines(text: &str) -> Vec<Vec<usize>> {
    let mut lines: Vec<Vec<usize>> = Vec::new();
    for (number, line) in text.lines().enumerate() {
        if line.starts_with("static void *run") {
            lines.push(Vec::new());
        } else if line.starts_with('L') {
            lines.last_mut().unwrap().push(number + 1);
        }
    }
    lines
}

/// Whether an instruction may be an operation by its place.
fn is_place(code: Code) -> bool {
    Places::default().does(code, &mut 0).is_some()
}

/// The atomic variables, what was printed, and whether a gate is open.
#[derive(Default)]
struct Places {
    atomics: [u32; 2],
    gates: [bool; 2],
    printed: String,
}

impl Places {
    /// Does what is at a place. True if the thread goes on behind it; none if this is no place.
    fn does(&mut self, code: Code, loaded: &mut u32) -> Option<bool> {
        match code {
            Code::Add(k, c) => {
                *loaded = self.atomics[k];
                self.atomics[k] += c;
            }
            Code::Peek(k) => *loaded = self.atomics[k],
            Code::Put(k, c) => self.atomics[k] = c,
            Code::Swap(k, c) => {
                *loaded = self.atomics[k];
                if *loaded == c {
                    self.atomics[k] = c + 1;
                }
            }
            Code::Open(k) => self.gates[k] = true,
            Code::Await(k) => return Some(self.gates[k]),
            Code::Print(c) => {
                let _ = write!(self.printed, "{c} ");
            }
            _ => return None,
        }
        Some(true)
    }
}

/// What the program prints if its operations are done in this order; none if they cannot be.
/// `ordered`: the lines with places that are operations.
fn interpret(
    (threads, lines, ordered): (&[Vec<Code>], &[Vec<usize>], &BTreeSet<usize>),
    input: u32,
    done: &[(String, u32, String)],
) -> Option<String> {
    let mut places = Places::default();
    let mut values = [input, 0, 0, 0];
    let mut held = [false; LOCKS];
    let mut flags = [false; LOCKS];
    let (mut readers, mut writer) = (0, false);
    // Who waits on which condition variable; and who was woken.
    let mut asleep: Vec<(usize, usize)> = Vec::new();
    let mut woken: Vec<usize> = Vec::new();
    let mut at: BTreeMap<String, (usize, usize, u32)> = BTreeMap::new();
    let name = |lock: usize| match lock {
        0 => "m".to_owned(),
        lock => format!("m+{}", 40 * lock),
    };
    let condition = |lock: usize| match lock {
        0 => "c".to_owned(),
        lock => format!("c+{}", 48 * lock),
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
            let line = lines[number - 1][*position];
            *position += 1;
            let is_place = is_place(one);
            if is_place && ordered.contains(&line) {
                if !text.starts_with("at ") || !text.contains(&format!(" program.c:{line}:")) {
                    return None;
                }
                if places.does(one, loaded) == Some(false) {
                    *position -= 1;
                }
                break;
            }
            if is_place {
                if places.does(one, loaded) != Some(true) {
                    return None;
                }
                continue;
            }
            match one {
                Code::Update(k, c) => values[k] = values[k].wrapping_mul(3).wrapping_add(c),
                Code::Load(k) => *loaded = values[k],
                Code::UnlessInput(b, to) if input >> b & 1 == 0 => *position = to,
                Code::UnlessLoaded(b, to) if *loaded >> b & 1 == 0 => *position = to,
                Code::IfFlag(k, to) if flags[k] => *position = to,
                Code::Flag(k) => flags[k] = true,
                Code::UnlessInput(..) | Code::UnlessLoaded(..) | Code::IfFlag(..) => {}
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
                        Code::Read => {
                            if writer {
                                return None;
                            }
                            readers += 1;
                            "read-lock r".to_owned()
                        }
                        Code::TryRead(to) => {
                            match writer {
                                true => *position = to,
                                false => readers += 1,
                            }
                            "try-read-lock r".to_owned()
                        }
                        Code::Write => {
                            if std::mem::replace(&mut writer, true) || readers > 0 {
                                return None;
                            }
                            "lock r".to_owned()
                        }
                        Code::GiveBack => {
                            match writer {
                                true => writer = false,
                                false => readers -= 1,
                            }
                            "unlock r".to_owned()
                        }
                        Code::Sleep(k) => {
                            held[k] = false;
                            asleep.push((number, k));
                            format!("sleep {} {}", condition(k), name(k))
                        }
                        Code::Wake(k) => {
                            let by = woken.iter().position(|&woken| woken == number)?;
                            woken.remove(by);
                            if std::mem::replace(&mut held[k], true) {
                                return None;
                            }
                            format!("wake {} {}", condition(k), name(k))
                        }
                        Code::Signal(k) | Code::Broadcast(k) => {
                            asleep.sort_unstable();
                            while let Some(first) = asleep.iter().position(|&(_, on)| on == k) {
                                woken.push(asleep.remove(first).0);
                                if matches!(one, Code::Signal(_)) {
                                    break;
                                }
                            }
                            let word = match one {
                                Code::Signal(_) => "signal",
                                _ => "broadcast",
                            };
                            format!("{word} {}", condition(k))
                        }
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
    let Places { atomics, printed, .. } = places;
    Some(format!(
        "{printed}{} {} {} {} {} {}\n",
        values[0], values[1], values[2], values[3], atomics[0], atomics[1]
    ))
}

pub fn count(name: &str, usual: u64) -> u64 {
    let given = std::env::var(name).ok();
    given.and_then(|count| count.parse().ok()).unwrap_or(usual)
}

/// Runs a built program with every input and some delays; which schedules were followed.
fn runs(place: &Place, cover: &Cover, threads: &[Vec<Code>], program: &str) -> Vec<bool> {
    let text = std::fs::read_to_string(place.path("program.c")).unwrap();
    let lines = lines(&text);
    let ordered = cover.objects.iter().filter_map(|object| match object {
        Object::Place(name) => name.rsplit(':').nth(1)?.parse().ok(),
        _ => None,
    });
    let ordered: BTreeSet<usize> = ordered.collect();
    let mut used = vec![false; cover.schedules.len()];
    for input in 0..VALUES {
        let word = String::from(char::from(b'h' + input as u8));
        let mut seen = None;
        for delays in 0..4 {
            let (ended, done) = place.native("program", &word, delays);
            assert_eq!(ended.code, Some(0), "{input}, {program}: {ended:?}");
            let schedule = followed(cover, &done);
            let schedule = schedule.unwrap_or_else(|| panic!("{input}: no schedule\n{program}\n{done:?}"));
            let out = interpret((threads, &lines, &ordered), input, &done);
            assert_eq!(out.as_ref(), Some(&ended.out), "{input}, {program}");
            let now = (schedule, ended.out);
            assert_eq!(
                *seen.get_or_insert_with(|| now.clone()),
                now,
                "{input}, {program}"
            );
            used[schedule] = true;
        }
    }
    used
}

/// Programs that deadlock in the first order, and not in the one that was found for them.
#[test]
fn random_programs_avoid_deadlocks_for_every_input() {
    let (programs, first) = (
        count("SELVEDGE_COVER_PROGRAMS", 4).div_ceil(2),
        count("SELVEDGE_COVER_SEED", 0),
    );
    let mut avoided = 0;
    for seed in first..first + 60 * programs {
        let (threads, semaphore) = generate(&mut Rng::with_seed(seed), true);
        let text = print(&threads, semaphore);
        let place = Place::new();
        place.write("program.c", &text);
        let words = ["cover", "program.c", "--symbolic-args", "1:1", "-o", "set"];
        let plain = place.selvedge(&words).code;
        assert!(matches!(plain, Some(0 | 10)), "{seed}\n{text}");
        if plain == Some(0) {
            continue;
        }
        let ended = place.selvedge(&[&words[..], &["--avoid"]].concat());
        assert!(matches!(ended.code, Some(0 | 10)), "{seed}: {ended:?}\n{text}");
        if ended.code == Some(10) {
            continue;
        }
        let cover = place.read("set");
        assert!(cover.schedules.iter().all(keeps), "{seed}\n{text}");
        place.build("set");
        runs(&place, &cover, &threads, &format!("{seed}\n{text}"));
        avoided += 1;
        if avoided == programs {
            return;
        }
    }
    panic!("too few programs that can deadlock: {avoided}");
}

/// Each time without another one.
#[test]
fn random_programs_without_an_optimisation_keep_to_their_schedules() {
    const LEFT_OUT: [&str; 6] = ["edges", "asked", "places", "late", "time", "barriers"];
    let (programs, first) = (
        count("SELVEDGE_COVER_PROGRAMS", usual_or_long(4, 12)),
        count("SELVEDGE_COVER_SEED", 0),
    );
    for seed in first..first + programs {
        let (threads, semaphore) = generate(&mut Rng::with_seed(seed), false);
        let text = print(&threads, semaphore);
        let without = LEFT_OUT[seed as usize % LEFT_OUT.len()];
        let of_program = matches!(without, "asked" | "late" | "barriers");
        let program = format!("{seed}, without {without}\n{text}");
        let place = Place::new();
        place.write("program.c", &text);
        let cover = ["cover", "program.c", "--symbolic-args", "1:1", "-o", "set"];
        let build = ["build", "program.c", "--schedules", "set", "-o", "program"];
        for (words, leaves_out) in [(cover, !of_program), (build, of_program)] {
            let left_out: &[&str] = if leaves_out { &["--without", without] } else { &[] };
            let ended = place.selvedge(&[&words[..], left_out].concat());
            assert_eq!(ended.code, Some(0), "{ended:?}\n{program}");
        }
        let cover = place.read("set");
        assert!(cover.schedules.iter().all(keeps), "{program}");
        let used = runs(&place, &cover, &threads, &program);
        assert!(used.into_iter().all(|used| used), "{program}");
    }
}

#[test]
fn random_programs_keep_to_their_schedules_for_every_input() {
    let (programs, first) = (
        count("SELVEDGE_COVER_PROGRAMS", usual_or_long(4, 8)),
        count("SELVEDGE_COVER_SEED", 0),
    );
    for seed in first..first + programs {
        let (threads, semaphore) = generate(&mut Rng::with_seed(seed), false);
        let text = print(&threads, semaphore);
        let place = Place::new();
        let cover = place.cover_and_build(&text);
        assert!(cover.schedules.iter().all(keeps), "{seed}");
        let used = runs(&place, &cover, &threads, &format!("{seed}\n{text}"));
        assert!(
            used.into_iter().all(|used| used),
            "{seed}: a schedule without an input\n{text}"
        );
    }
}

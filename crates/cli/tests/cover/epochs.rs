//! Sets for loops of any length (`--epochs`). A native program must find its schedule for every
//! number of rounds, with the same order and output whatever the delays are. If the set lacked a
//! schedule, or a general state stood for too little, it would stop with a deviation.

use crate::random::count;
use crate::support::Place;
use fastrand::Rng;
use selvedge_base::usual_or_long;
use selvedge_schedule::cover::Cover;
use std::fmt::Write;

const PROGRAMS: [(&str, &str); 5] = [
    ("barrier", include_str!("programs/epochs/barrier.c")),
    ("queue", include_str!("programs/epochs/queue.c")),
    ("pool", include_str!("programs/epochs/pool.c")),
    ("alternate", include_str!("programs/epochs/alternate.c")),
    ("diverge", include_str!("programs/epochs/diverge.c")),
];

pub const COVER: [&str; 6] = ["cover", "program.c", "--symbolic-args", "2:2", "--epochs", "-o"];

/// The order and the output for one input: the same with all delays.
pub fn one_order(place: &Place, words: &[&str], seeds: u64, program: &str) -> String {
    let mut seen = None;
    for seed in 0..seeds {
        let (ended, mut done) = place.native_of("program", words, seed);
        assert_eq!(ended.code, Some(0), "{words:?}, {seed}: {ended:?}\n{program}");
        // What is independent comes in any order.
        done.sort();
        let now = (done, ended.out);
        assert_eq!(
            *seen.get_or_insert_with(|| now.clone()),
            now,
            "{words:?}, {seed}\n{program}"
        );
    }
    seen.unwrap().1
}

#[test]
fn loops_of_any_length_follow_a_small_set() {
    for (name, text) in PROGRAMS {
        let place = Place::new();
        place.write("program.c", text);
        let ended = place.selvedge(&[&COVER[..], &["set"]].concat());
        assert_eq!(ended.code, Some(0), "{name}: {ended:?}");
        assert!(
            ended.out.contains("for any number of rounds of loops"),
            "{ended:?}"
        );
        place.build("set");
        place.build_plain();
        for rounds in ["0", "1", "2", "3", "7", "10", "33", "99"] {
            let words = [rounds, "Zq"];
            let out = one_order(&place, &words, 3, name);
            let plain = place.start_plain(&words);
            assert_eq!((plain.code, &plain.out), (Some(0), &out), "{name} {rounds}");
        }
        let verified = place.selvedge(&[
            "cover",
            "program.c",
            "--symbolic-args",
            "2:2",
            "--epochs",
            "--verify",
            "set",
        ]);
        assert_eq!(verified.code, Some(0), "{verified:?}");
        let last = "verified: the set is the one of this program; each schedule was explored again";
        assert_eq!(verified.out.lines().last(), Some(last));
    }
}

/// What `cover` says of a program with one argument of one byte, in one line.
fn said(text: &str, argument: &str) -> (Option<i32>, String) {
    let place = Place::new();
    place.write("program.c", text);
    let ended = place.selvedge(&["cover", "program.c", "--symbolic-args", argument, "--epochs"]);
    (ended.code, ended.out)
}

const RACE: &str = "#include <pthread.h>\n#include <stdlib.h>\n\
    static pthread_barrier_t b; static int n, shared;\n\
    static void *work(void *me) {\n\
      for (int i = 0; i < n; i++) { if (i == LATE && me) shared++; pthread_barrier_wait(&b);\n\
        if (i == LATE) shared++; pthread_barrier_wait(&b); }\n  return 0;\n}\n\
    int main(int c, char **v) { n = atoi(v[1]); pthread_barrier_init(&b, 0, 2); pthread_t t;\n\
      pthread_create(&t, 0, work, &t); work(0); pthread_join(t, 0); return 0; }\n";

#[test]
fn what_goes_wrong_in_a_late_round_is_never_proven_absent() {
    // A run shows it before numbers are left open.
    let (code, said_of) = said(&RACE.replace("LATE", "1"), "1:2");
    assert_eq!(code, Some(10), "{said_of}");
    // Only the general state shows it. It may stand for too much, so it is no finding.
    let (code, said_of) = said(&RACE.replace("LATE", "50"), "1:2");
    assert_eq!(code, Some(5), "{said_of}");
    assert!(
        said_of.contains("a general state from which this may come"),
        "{said_of}"
    );
}

#[test]
fn a_state_that_is_not_generalised_is_refused() {
    // A list that grows: its shape is a new one in each round.
    let text = "#include <pthread.h>\n#include <stdlib.h>\n\
        static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER; static int n; static void *list;\n\
        static void *work(void *unused) {\n  for (int i = 0; i < n; i++) { void **new = malloc(8);\n\
            pthread_mutex_lock(&m); *new = list; list = new; pthread_mutex_unlock(&m); }\n  return 0;\n}\n\
        int main(void) { n = 100000; pthread_t t;\n\
          pthread_create(&t, 0, work, 0); work(0); pthread_join(t, 0); return 0; }\n";
    let place = Place::new();
    place.write("program.c", text);
    let ended = place.selvedge(&["cover", "program.c", "--epochs"]);
    assert_eq!(ended.code, Some(5), "{ended:?}");
    assert!(
        ended
            .out
            .contains("a loop that does not return to a state of before"),
        "{ended:?}"
    );
}

const LOCKS: usize = 2;

/// What a thread does in a round: text, with `i` as the number of the round.
fn body(rng: &mut Rng, text: &mut String, depth: u32, crosses: bool) {
    for _ in 0..rng.usize(1..3) {
        let (lock, by) = (rng.usize(0..LOCKS), rng.u32(1..9));
        let (modulus, bit) = (rng.u32(2..4), rng.u32(0..2));
        let update = format!("v[{lock}] = v[{lock}] * 3 + {by};");
        let _ = match rng.u32(0..if depth == 0 { 9 } else { 4 }) {
            0 | 1 => write!(text, "lock(&m[{lock}]); {update} unlock(&m[{lock}]);\n    "),
            2 => write!(text, "lock(&m[{lock}]); y = v[{lock}]; unlock(&m[{lock}]);\n    "),
            3 if crosses && rng.bool() => write!(
                text,
                "lock(&m[1]); v[1]++; lock(&m[0]); v[0] += v[1]; unlock(&m[0]); unlock(&m[1]);\n    "
            ),
            3 => write!(
                text,
                "lock(&m[0]); v[0]++; lock(&m[1]); v[1] += v[0]; unlock(&m[1]); unlock(&m[0]);\n    "
            ),
            4 => block(rng, text, &format!("i % {modulus} == {bit}"), depth, crosses),
            5 => block(rng, text, &format!("in & {}", 1 << (modulus - 2)), depth, crosses),
            6 => block(rng, text, &format!("y & {}", 1 << bit), depth, crosses),
            7 => write!(text, "for (int k = 0; k < 3; k++) y += k;\n    "),
            _ => block(rng, text, "(in >> (i & 3)) & 1", depth, crosses),
        };
    }
}

fn block(rng: &mut Rng, text: &mut String, condition: &str, depth: u32, crosses: bool) -> std::fmt::Result {
    write!(text, "if ({condition}) {{ ")?;
    body(rng, text, depth + 1, crosses);
    if rng.bool() {
        write!(text, "}} else {{ ")?;
        body(rng, text, depth + 1, crosses);
    }
    write!(text, "}}\n    ")
}

/// `crosses`: locks may be taken in opposite orders.
pub fn generate(rng: &mut Rng, crosses: bool) -> String {
    let threads = rng.usize(2..4);
    let mut text = String::from(
        "#include <pthread.h>\n#include <semaphore.h>\n#include <stdio.h>\n#include <stdlib.h>\n\
         #define lock pthread_mutex_lock\n#define unlock pthread_mutex_unlock\n\
         static pthread_mutex_t m[2] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};\n\
         static pthread_barrier_t b;\nstatic sem_t s;\nstatic unsigned v[2];\nstatic int n, in;\n",
    );
    let (barrier, semaphore) = (rng.bool(), rng.bool());
    for thread in 0..threads {
        let _ = write!(
            text,
            "static void *work{thread}(void *unused) {{\n  unsigned y = 0;\n  for (int i = 0; i < n; i++) {{\n    "
        );
        body(rng, &mut text, 0, crosses);
        if barrier {
            text.push_str("pthread_barrier_wait(&b);\n    ");
            body(rng, &mut text, 0, crosses);
        }
        if semaphore && thread < 2 {
            text.push_str(["sem_post(&s);\n  ", "sem_wait(&s);\n  "][thread]);
        }
        text.push_str("}\n  return 0;\n}\n");
    }
    let _ = write!(
        text,
        "int main(int argc, char **argv) {{\n  n = atoi(argv[1]);\n  in = argv[2][0];\n  pthread_t t[{threads}];\n  \
         pthread_barrier_init(&b, 0, {threads});\n  sem_init(&s, 0, 0);\n"
    );
    for thread in 0..threads {
        let _ = writeln!(text, "  pthread_create(&t[{thread}], 0, work{thread}, 0);");
    }
    for thread in 0..threads {
        let _ = writeln!(text, "  pthread_join(t[{thread}], 0);");
    }
    text.push_str("  printf(\"%u %u\\n\", v[0], v[1]);\n  return 0;\n}\n");
    text
}

#[test]
fn random_loops_follow_their_sets_for_every_number_of_rounds() {
    let (programs, first) = (
        count("SELVEDGE_COVER_PROGRAMS", usual_or_long(3, 60)),
        count("SELVEDGE_COVER_SEED", 0),
    );
    let mut covered = 0;
    for seed in first..first + 4 * programs {
        let text = generate(&mut Rng::with_seed(seed), false);
        let place = Place::new();
        place.write("program.c", &text);
        let ended = place.selvedge(&[&COVER[..], &["set", "--max-time", "8"]].concat());
        assert!(matches!(ended.code, Some(0 | 5)), "{seed}: {ended:?}\n{text}");
        if ended.code == Some(5) {
            continue;
        }
        let set: Cover = place.read("set");
        // Loops without an operation are no parts.
        let operations = ["lock(", "barrier_wait(", "sem_post("];
        let operates = operations.iter().any(|name| text.contains(name));
        assert!(!operates || !set.parts.is_empty(), "{seed}\n{text}");
        place.build("set");
        for rounds in [0, 1, 2, 3, 5, 8, 13, 21] {
            for input in ["@", "C", "F", "O"] {
                one_order(
                    &place,
                    &[&rounds.to_string(), input],
                    2,
                    &format!("{seed}\n{text}"),
                );
            }
        }
        covered += 1;
        if covered == programs {
            return;
        }
    }
    panic!("too few programs have a set: {covered}");
}

#[test]
fn a_thread_that_waits_for_ever_is_no_proof() {
    let text = "#include <pthread.h>\n#include <semaphore.h>\n\
        static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER; static sem_t s;\n\
        static void *waits(void *unused) { sem_wait(&s); return 0; }\n\
        static void *goes(void *unused) {\n  for (;;) { pthread_mutex_lock(&m); pthread_mutex_unlock(&m); }\n}\n\
        int main(void) { pthread_t t; sem_init(&s, 0, 0);\n\
          pthread_create(&t, 0, waits, 0); goes(0); return 0; }\n";
    let place = Place::new();
    place.write("program.c", text);
    let ended = place.selvedge(&["cover", "program.c", "--epochs"]);
    assert_eq!(ended.code, Some(5), "{ended:?}");
    let said = "others may go round for ever while thread 0.1 waits before this: wait s";
    assert!(ended.out.contains(said), "{ended:?}");
}

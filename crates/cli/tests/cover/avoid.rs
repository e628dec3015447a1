//! `--avoid` where executions are divided into parts: what goes wrong in one order only, in the
//! first part or in a later one, is avoided, and the native program keeps to the orders that were
//! found.

use crate::epochs::{self, one_order};
use crate::random::count;
use crate::request_programs::program;
use crate::requests::{serves, tree};
use crate::support::{Place, keeps};
use fastrand::Rng;
use selvedge_base::usual_or_long;
use selvedge_schedule::cover::Cover;

const REQUESTS: [&str; 4] = ["cover", "program.c", "--symbolic-requests", "1"];

/// The main thread reads requests and gives each to a worker. `first`: what both do before that.
/// `main` and `worker`: what they do for a request `c`, side by side.
fn server([first_main, first_worker]: [&str; 2], main: &str, worker: &str) -> String {
    format!(
        "#include <assert.h>\n#include <pthread.h>\n#include <semaphore.h>\n#include <unistd.h>\n\
         static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, n = PTHREAD_MUTEX_INITIALIZER;\n\
         static sem_t go, done; static char r; static int stop, x, hidden;\n\
         static void nested(pthread_mutex_t *a, pthread_mutex_t *b) {{ pthread_mutex_lock(a); pthread_mutex_lock(b);\n\
         x = !x; pthread_mutex_unlock(b); pthread_mutex_unlock(a); }}\n\
         static void sets(int to) {{ pthread_mutex_lock(&m); x = to; pthread_mutex_unlock(&m); }}\n\
         static int gets(void) {{ pthread_mutex_lock(&m); int is = x; pthread_mutex_unlock(&m); return is; }}\n\
         static void *run(void *u) {{ {first_worker} sem_post(&done);\n\
         for (;;) {{ sem_wait(&go); if (stop) return u; char c = r; {worker} c = 0; sem_post(&done); }} }}\n\
         int main(void) {{ pthread_t t; sem_init(&go, 0, 0); sem_init(&done, 0, 0); pthread_create(&t, 0, run, 0);\n\
         {first_main} sem_wait(&done); char c;\n\
         while (read(0, &c, 1) == 1) {{ r = c; sem_post(&go); {main} sem_wait(&done); c = r = 0; }}\n\
         stop = 1; sem_post(&go); pthread_join(t, 0); return 0; }}\n"
    )
}

/// Covers a program that goes wrong in the usual order, and builds it with another one.
fn avoids(text: &str, kind: &str) -> (Place, Cover) {
    let place = Place::new();
    place.write("program.c", text);
    let plain = place.selvedge(&REQUESTS);
    assert_eq!(plain.code, Some(10), "{plain:?}");
    let ended = place.selvedge(&[&REQUESTS[..], &["--avoid", "-o", "set"]].concat());
    assert_eq!(ended.code, Some(0), "{ended:?}");
    let said = format!("avoided: {kind} at program.c:");
    assert!(ended.out.contains(&said), "{ended:?}");
    let graph = place.read("set");
    for order in tree(&graph, 2).schedules {
        assert!(keeps(&order));
    }
    let verify = [&REQUESTS[..], &["--avoid", "--verify", "set"]].concat();
    let verified = place.selvedge(&verify);
    assert_eq!(verified.code, Some(0), "{verified:?}");
    place.build("set");
    (place, graph)
}

const USUAL: [&str; 2] = ["", ""];
const NESTED: &str = "nested(&m, &n);";
const CROSSED: &str = "nested(&n, &m);";

#[test]
fn what_goes_wrong_before_the_first_request_is_avoided() {
    let (place, graph) = avoids(&server([NESTED, CROSSED], "", ""), "deadlock");
    let tree = tree(&graph, 3);
    for input in ["", "a", "ab", "aba"] {
        serves(&place, &tree, input.as_bytes(), 8);
    }
}

#[test]
fn what_goes_wrong_with_a_later_request_is_avoided_for_that() {
    let crossed = format!("if (c == 'x') {CROSSED} else {NESTED}");
    let (place, graph) = avoids(&server(USUAL, NESTED, &crossed), "deadlock");
    let tree = tree(&graph, 3);
    for input in ["", "x", "ax", "xx", "xab", "axa"] {
        serves(&place, &tree, input.as_bytes(), 6);
    }
}

/// The failure needs one request, and a state that an earlier one has made.
#[test]
fn a_failure_of_two_requests_is_avoided() {
    let main = "if (c == 'x') sets(1); if (c == 'y') sets(0);";
    let worker = "if (c == 'y') assert(!gets());";
    let (place, graph) = avoids(&server(USUAL, main, worker), "assertion");
    let tree = tree(&graph, 3);
    for input in ["y", "xy", "xay", "xyy", "axy"] {
        serves(&place, &tree, input.as_bytes(), 6);
    }
}

/// No operation shows whether `hidden` is set, and only then something goes wrong. So the other
/// order is kept where it is not set, too: a native program cannot tell these apart.
#[test]
fn an_order_is_changed_in_all_states_that_no_operation_tells_apart() {
    let main = "if (c == 'x') hidden = 1; if (c == 'y') nested(&m, &n);";
    let worker = "if (c == 'y') { if (hidden) nested(&n, &m); else nested(&m, &n); }";
    let (place, graph) = avoids(&server(USUAL, main, worker), "deadlock");
    let tree = tree(&graph, 3);
    for input in ["y", "xy", "ay", "xyy", "yxy", "axy"] {
        serves(&place, &tree, input.as_bytes(), 6);
    }
}

#[test]
fn what_no_order_avoids_is_a_finding() {
    let place = Place::new();
    for (first, main, worker, kind) in [
        (["", "assert(0);"], "", "", "assertion"),
        (
            USUAL,
            "",
            "if (c == 'x') hidden = 1; if (c == 'y') assert(!hidden);",
            "assertion",
        ),
        (USUAL, "hidden = 1;", "if (c == 'x') hidden = 2;", "data race"),
    ] {
        place.write("program.c", &server(first, main, worker));
        let ended = place.selvedge(&[&REQUESTS[..], &["--avoid", "-o", "set"]].concat());
        assert_eq!(ended.code, Some(10), "{ended:?}");
        assert!(ended.out.contains(kind), "{kind}: {ended:?}");
        assert!(!place.path("set").exists(), "no set is written");
    }
}

/// Servers that deadlock in the usual order, and not in the one that was found for them.
#[test]
fn random_servers_avoid_deadlocks_for_every_request() {
    let (programs, first) = (
        count("SELVEDGE_COVER_PROGRAMS", usual_or_long(2, 20)),
        count("SELVEDGE_COVER_SEED", 0),
    );
    let (mut avoided, mut none) = (0, 0);
    for seed in first..first + 60 * programs {
        let mut rng = Rng::with_seed(seed);
        let text = program(&mut rng, true);
        let place = Place::new();
        place.write("program.c", &text);
        let plain = place.selvedge(&REQUESTS);
        assert!(
            matches!(plain.code, Some(0 | 5 | 10)),
            "{seed}: {plain:?}\n{text}"
        );
        if plain.code != Some(10) {
            continue;
        }
        assert!(plain.out.contains("deadlock"), "{seed}: {plain:?}\n{text}");
        let words = ["--avoid", "-o", "set", "--max-time", "8"];
        let ended = place.selvedge(&[&REQUESTS[..], &words].concat());
        if ended.code == Some(10) {
            none += usize::from(!ended.out.contains("a limit"));
            continue;
        }
        if ended.code == Some(5) {
            let why = ["1000 states", "time"];
            assert!(
                why.iter().any(|why| ended.out.contains(why)),
                "{seed}: {ended:?}\n{text}"
            );
            continue;
        }
        assert_eq!(ended.code, Some(0), "{seed}: {ended:?}\n{text}");
        let verify = [&REQUESTS[..], &["--avoid", "--verify", "set"]].concat();
        let verified = place.selvedge(&verify);
        assert_eq!(verified.code, Some(0), "{seed}: {verified:?}\n{text}");
        place.build("set");
        let tree = tree(&place.read("set"), 3);
        assert!(tree.schedules.iter().all(keeps), "{seed}\n{text}");
        for length in [0, 1, 2, 2, 3, 3, 3] {
            let input: Vec<u8> = (0..length).map(|_| b"`abc"[rng.usize(0..4)]).collect();
            serves(&place, &tree, &input, 3);
        }
        avoided += 1;
        if avoided == programs {
            println!("{none} of {} fail in every order", seed + 1 - first);
            return;
        }
    }
    panic!("too few programs that can deadlock: {avoided}");
}

/// Two threads go round; with the input `C`, `F`, … (`in & 1` and so on) they take locks in
/// opposite orders.
#[test]
fn what_goes_wrong_in_rounds_is_avoided() {
    let text = "#include <pthread.h>\n#include <stdio.h>\n#include <stdlib.h>\n\
        static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, n = PTHREAD_MUTEX_INITIALIZER;\n\
        static int rounds, in; static unsigned x;\n\
        static void nested(pthread_mutex_t *a, pthread_mutex_t *b, unsigned by) { pthread_mutex_lock(a); pthread_mutex_lock(b);\n\
        x = x * by + 1; pthread_mutex_unlock(b); pthread_mutex_unlock(a); }\n\
        static void *run(void *u) { for (int i = 0; i < rounds; i++) { if (in & 1) nested(&n, &m, 3); else nested(&m, &n, 3); } return u; }\n\
        int main(int c, char **v) { rounds = atoi(v[1]); in = v[2][0]; pthread_t t; pthread_create(&t, 0, run, 0);\n\
        for (int i = 0; i < rounds; i++) nested(&m, &n, 5);\n\
        pthread_join(t, 0); printf(\"%u\\n\", x); return 0; }\n";
    let place = Place::new();
    place.write("program.c", text);
    let plain = place.selvedge(&[&epochs::COVER[..], &["set"]].concat());
    assert_eq!(plain.code, Some(10), "{plain:?}");
    let words = [&epochs::COVER[..], &["set", "--avoid"]].concat();
    let ended = place.selvedge(&words);
    assert_eq!(ended.code, Some(0), "{ended:?}");
    assert!(ended.out.contains("avoided: deadlock at program.c:"), "{ended:?}");
    place.build("set");
    for rounds in ["0", "1", "2", "3", "10", "57"] {
        for input in ["@", "A"] {
            one_order(&place, &[rounds, input], 8, input);
        }
    }
    let verify = ["cover", "program.c", "--symbolic-args", "2:2", "--epochs"];
    let verified = place.selvedge(&[&verify[..], &["--avoid", "--verify", "set"]].concat());
    assert_eq!(verified.code, Some(0), "{verified:?}");
    let other = place.selvedge(&[&verify[..], &["--verify", "set"]].concat());
    assert_eq!(other.code, Some(10), "{other:?}");
}

/// Loops that deadlock in the usual order, and not in the one that was found for them.
#[test]
fn random_loops_avoid_deadlocks_for_every_number_of_rounds() {
    let (programs, first) = (
        count("SELVEDGE_COVER_PROGRAMS", usual_or_long(2, 20)),
        count("SELVEDGE_COVER_SEED", 0),
    );
    let mut avoided = 0;
    for seed in first..first + 60 * programs {
        let text = epochs::generate(&mut Rng::with_seed(seed), true);
        let place = Place::new();
        place.write("program.c", &text);
        let words = [&epochs::COVER[..], &["set", "--max-time", "10"]].concat();
        if place.selvedge(&words).code != Some(10) {
            continue;
        }
        let ended = place.selvedge(&[&words[..], &["--avoid"]].concat());
        assert!(
            matches!(ended.code, Some(0 | 5 | 10)),
            "{seed}: {ended:?}\n{text}"
        );
        println!("{seed} {:?}", ended.code);
        if ended.code != Some(0) {
            continue;
        }
        place.build("set");
        for rounds in [0, 1, 2, 3, 5, 8, 21] {
            for input in ["@", "C", "F", "O"] {
                one_order(
                    &place,
                    &[&rounds.to_string(), input],
                    2,
                    &format!("{seed}\n{text}"),
                );
            }
        }
        avoided += 1;
        if avoided == programs {
            return;
        }
    }
    panic!("too few programs that can deadlock: {avoided}");
}

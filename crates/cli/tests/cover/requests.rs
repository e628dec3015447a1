//! Requests without end: the graph of parts has exactly the schedules that an exploration finds
//! which does not know any state again, for each small number of requests.

use crate::random::count;
use crate::request_programs::program;
use crate::support::{Place, followed, keeps};
use fastrand::Rng;
use selvedge_schedule::cover::{Cover, Operation, Order, Step, Target};
use std::collections::{BTreeMap, BTreeSet};

const SERVER: &str = include_str!("../../../../examples/served.c");
const ROUNDS: &str = include_str!("programs/rounds.c");

/// A schedule as text.
fn operations(cover: &Cover, steps: &[Step]) -> Vec<String> {
    let line = |step: &Step| {
        format!(
            "{} {} {}",
            step.thread,
            cover.text(&step.label),
            step.outcome.word()
        )
    };
    steps.iter().map(line).collect()
}

/// All paths through the graph with at most so many requests, each as one schedule. An operation of
/// it waits for all that follows from the graph, directly.
fn unrolled(cover: &Cover, most: usize) -> Vec<Order> {
    let mut found = Vec::new();
    let mut open = vec![(0, Vec::new())];
    while let Some((part, path)) = open.pop() {
        for order in cover.schedules.iter().filter(|order| order.from == part) {
            let path: Vec<&Order> = path.iter().copied().chain([order]).collect();
            match order.to {
                None => found.push(joined(&path)),
                // The last read finds the end.
                Some(to) if path.len() <= most + 1 => open.push((to, path)),
                Some(_) => {}
            }
        }
    }
    found
}

/// All paths of a graph with at most so many requests, as a set without parts.
pub fn tree(graph: &Cover, most: usize) -> Cover {
    Cover {
        schedules: unrolled(graph, most),
        parts: Vec::new(),
        ..graph.clone()
    }
}

fn joined(path: &[&Order]) -> Order {
    let mut steps: Vec<Step> = Vec::new();
    let mut place: BTreeMap<(String, u32), usize> = BTreeMap::new();
    // How many operations each thread has done before the part, and those of the path at all.
    let mut base: BTreeMap<String, u32> = BTreeMap::new();
    let mut before: Vec<BTreeSet<usize>> = Vec::new();
    let (mut all, mut numbers) = (0, Vec::new());
    for order in path {
        let begin = all;
        let mut count = base.clone();
        for step in &order.steps {
            let number = count.entry(step.thread.clone()).or_insert(0);
            *number += 1;
            let mut waits: BTreeSet<usize> = (0..begin).collect();
            let direct = step.after.iter().map(|(thread, after)| {
                let earlier = base.get(thread).copied().unwrap_or(0);
                place[&(thread.clone(), earlier + after)]
            });
            let own = (*number > 1).then(|| place[&(step.thread.clone(), *number - 1)]);
            let creates = |s: &Step| s.label.target == Target::Thread(step.thread.clone());
            let created = steps
                .iter()
                .position(|s| s.label.operation == Operation::Create && creates(s));
            for earlier in direct.chain(own).chain(created).collect::<Vec<_>>() {
                waits.insert(earlier);
                waits.extend(&before[earlier]);
            }
            place.insert((step.thread.clone(), *number), all);
            numbers.push(*number);
            before.push(waits);
            steps.push(step.clone());
            all += 1;
        }
        base = count;
    }
    let after = |at: usize| {
        let others = before[at]
            .iter()
            .filter(|&&other| steps[other].thread != steps[at].thread);
        others
            .map(|&other| (steps[other].thread.clone(), numbers[other]))
            .collect()
    };
    let steps = (0..all).map(|at| Step {
        after: after(at),
        ..steps[at].clone()
    });
    Order {
        steps: steps.collect(),
        ..Order::default()
    }
}

fn covered(place: &Place, requests: &str) -> Cover {
    let ended = place.selvedge(&["cover", "program.c", "--symbolic-requests", requests, "-o", "set"]);
    assert_eq!(ended.code, Some(0), "{requests}: {ended:?}");
    place.read("set")
}

/// The graph of a program is what its unrolled set is, for up to so many requests.
fn agrees(place: &Place, most: usize) -> Cover {
    let graph = covered(place, "1");
    unrolls(place, &graph, most);
    graph
}

fn unrolls(place: &Place, graph: &Cover, most: usize) {
    for most in 0..=most {
        let tree = covered(place, &format!("1:{most}"));
        assert!(tree.parts.is_empty());
        let paths = unrolled(graph, most);
        let ours: BTreeMap<Vec<String>, &Order> = paths
            .iter()
            .map(|order| (operations(graph, &order.steps), order))
            .collect();
        let theirs: BTreeSet<Vec<String>> = tree
            .schedules
            .iter()
            .map(|order| operations(&tree, &order.steps))
            .collect();
        assert_eq!(
            ours.keys().cloned().collect::<BTreeSet<_>>(),
            theirs,
            "{most} requests"
        );
        for order in &tree.schedules {
            assert!(keeps(order), "{most}");
            let mine = ours[&operations(&tree, &order.steps)];
            assert!(keeps(mine), "{most}");
            for (step, wide) in order.steps.iter().zip(&mine.steps) {
                for wait in &step.after {
                    assert!(wide.after.contains(wait), "{step:?}: {wide:?}");
                }
            }
        }
    }
}

/// The native program of a graph, with these requests: it follows the schedule of the unrolled set,
/// whatever the delays.
pub fn serves(place: &Place, tree: &Cover, input: &[u8], runs: u64) {
    let mut seen = None;
    for seed in 0..runs {
        let (ended, done) = place.serve("program", input, seed);
        assert!(ended.err.is_empty(), "{input:?}, {seed}: {ended:?}");
        let schedule = followed(tree, &done);
        let schedule = schedule.unwrap_or_else(|| panic!("{input:?}, {seed}: no schedule\n{done:?}"));
        let now = (schedule, ended);
        assert_eq!(*seen.get_or_insert_with(|| now.clone()), now, "{input:?}, {seed}");
    }
}

type Done = (String, u32, String);

fn requests(done: &[Done]) -> usize {
    done.iter().filter(|done| done.2 == "request").count()
}

/// Serves so many requests, and no more is known of it.
fn endures(place: &Place, rng: &mut Rng, many: usize) {
    let input: Vec<u8> = (0..many).map(|_| b"abcx"[rng.usize(0..4)]).collect();
    let (ended, done) = place.serve("program", &input, 0);
    assert!(ended.err.is_empty(), "{ended:?}");
    assert_eq!(requests(&done), many + 1);
}

#[test]
fn native_servers_follow_the_schedules_of_their_requests() {
    for text in [SERVER, ROUNDS] {
        let place = Place::new();
        place.write("program.c", text);
        covered(&place, "1");
        place.build("set");
        let tree = covered(&place, "1:3");
        for input in ["", "a", "b", "ab", "ba", "aab", "bxa"] {
            serves(&place, &tree, input.as_bytes(), 4);
        }
        endures(&place, &mut Rng::with_seed(3), 400);
    }
}

#[test]
fn a_part_of_a_request_is_a_deviation() {
    let place = Place::new();
    place.write("program.c", &counts("0", "read(0, c, 2) == 2"));
    let ended = place.selvedge(&["cover", "program.c", "--symbolic-requests", "2", "-o", "set"]);
    assert_eq!(ended.code, Some(0), "{ended:?}");
    place.build("set");
    // A request may come in pieces.
    let (ended, done) = place.serve("program", b"abab", 1);
    assert_eq!((ended.code, requests(&done)), (Some(0), 3), "{ended:?}");
    let (ended, _) = place.serve("program", b"aba", 1);
    assert_eq!(ended.code, Some(120), "{ended:?}");
    assert!(ended.err.contains("the input ends within a request"), "{ended:?}");
}

#[test]
fn the_graph_of_a_server_has_the_schedules_of_each_number_of_requests() {
    let place = Place::new();
    place.write("program.c", SERVER);
    let graph = agrees(&place, 3);
    assert!(graph.parts.len() > 1);
    let ended = place.selvedge(&[
        "cover",
        "program.c",
        "--symbolic-requests",
        "1",
        "--verify",
        "set",
    ]);
    assert_eq!(ended.code, Some(5), "{ended:?}");
    place.write("graph", &graph.to_string());
    let ended = place.selvedge(&[
        "cover",
        "program.c",
        "--symbolic-requests",
        "1",
        "--verify",
        "graph",
    ]);
    assert_eq!(ended.code, Some(0), "{ended:?}");
}

#[test]
fn what_the_last_request_was_counts_where_it_decides() {
    let place = Place::new();
    place.write("program.c", ROUNDS);
    agrees(&place, 3);
}

#[test]
fn graphs_of_random_programs_have_the_schedules_of_each_number_of_requests() {
    let mut rng = Rng::with_seed(11);
    let (mut parts, mut most, mut large) = (0, 0, 0);
    let programs = count("SELVEDGE_COVER_PROGRAMS", 5);
    for _ in 0..programs {
        let place = Place::new();
        place.write("program.c", &program(&mut rng, false));
        let ended = place.selvedge(&["cover", "program.c", "--symbolic-requests", "1", "-o", "set"]);
        if ended.code == Some(5) {
            println!("{ended:?}");
            assert!(ended.out.contains("1000 states"), "{ended:?}");
            large += 1;
            continue;
        }
        assert_eq!(ended.code, Some(0), "{ended:?}");
        let graph: Cover = place.read("set");
        unrolls(&place, &graph, 2);
        let tree = place.read("set");
        place.write("set", &graph.to_string());
        let verify = [
            "cover",
            "program.c",
            "--symbolic-requests",
            "1",
            "--verify",
            "set",
        ];
        let ended = place.selvedge(&verify);
        assert_eq!(ended.code, Some(0), "{ended:?}");
        place.build("set");
        for length in [0, 1, 2, 2] {
            let input: Vec<u8> = (0..length).map(|_| b"`abc"[rng.usize(0..4)]).collect();
            serves(&place, &tree, &input, 3);
        }
        endures(&place, &mut rng, 100);
        parts += graph.parts.len();
        most = most.max(graph.parts.len());
    }
    println!("{parts} {most} {large}");
    assert!(
        parts > 4 && most > 1 && 3 * large < programs,
        "{parts} {most} {large}"
    );
}

fn refused(text: &str, words: &[&str]) -> String {
    let place = Place::new();
    place.write("program.c", text);
    let ended = place.selvedge(&[&["cover", "program.c", "--symbolic-requests"], words].concat());
    assert_eq!(ended.code, Some(5), "{ended:?}");
    ended.out
}

const COUNTS: &str = "#include <fcntl.h>\n#include <pthread.h>\n#include <semaphore.h>\n#include <sys/uio.h>\n#include <stdio.h>\n#include <unistd.h>\n\
    static sem_t work, done; static int stop; static unsigned n;\n\
    static void *run(void *u) { for (;;) { sem_wait(&work); if (stop) return u; n += STEP; sem_post(&done); } }\n\
    int main(void) { pthread_t t; sem_init(&work, 0, 0); sem_init(&done, 0, 0); pthread_create(&t, 0, run, 0);\n\
    char c[2]; while (READ) { sem_post(&work); sem_wait(&done); }\n\
    stop = 1; sem_post(&work); pthread_join(t, 0); return 0; }\n";

fn counts(step: &str, read: &str) -> String {
    COUNTS.replace("STEP", step).replace("READ", read)
}

#[test]
fn what_is_no_stream_of_requests_is_refused_by_name() {
    let whole = "read(0, c, 1) == 1";
    let said = refused(&counts("1", whole), &["1"]);
    assert!(said.contains("does not return to a state of before"), "{said}");
    for (read, size, what) in [
        (whole, "2", "a read of 1 bytes of a stream of requests of 2 bytes"),
        (
            "read(0, c, 2) == 1",
            "1",
            "a read of 2 bytes of a stream of requests of 1 bytes",
        ),
        (
            "(c[0] = getchar()) != 0",
            "1",
            "a buffered read on a stream of requests",
        ),
        (
            "read(dup(0), c, 1) == 1",
            "1",
            "a read of a stream of requests, but by read() of one from descriptor 0",
        ),
        (
            "read(0, c, 0) == 0 && read(0, c, 1) == 1",
            "1",
            "a read of a stream of requests, but by read() of one from descriptor 0",
        ),
        (
            "readv(0, &(struct iovec){c, 1}, 1) == 1",
            "1",
            "a read of a stream of requests, but by read() of one from descriptor 0",
        ),
        (
            "close(0) == 0",
            "1",
            "closing it before its end on a stream of requests",
        ),
        (
            "fcntl(0, F_SETFL, O_NONBLOCK) == 0",
            "1",
            "fcntl on a stream of requests",
        ),
        ("lseek(0, 0, 0) == 0", "1", "lseek on a stream of requests"),
    ] {
        let said = refused(&counts("0", read), &[size]);
        assert!(said.contains(what), "{read}: {said}");
    }
    let joins = "#include <pthread.h>\n#include <unistd.h>\nstatic void *run(void *u) { return u; }\n\
        int main(void) { char c; pthread_t t; while (read(0, &c, 1) == 1) { pthread_create(&t, 0, run, 0); pthread_join(t, 0); } return 0; }";
    let said = refused(joins, &["1"]);
    assert!(
        said.contains("a thread that is created after the first request"),
        "{said}"
    );
    let place = Place::new();
    place.write("program.c", &counts("0", whole));
    for words in [
        &["cover", "program.c", "--symbolic-requests", "0"][..],
        &[
            "cover",
            "program.c",
            "--symbolic-requests",
            "1",
            "--symbolic-stdin",
            "1",
        ],
        &["check", "program.c", "--symbolic-requests", "1"],
    ] {
        assert_eq!(place.selvedge(words).code, Some(1), "{words:?}");
    }
}

/// What a request changes without an operation.
fn hidden(then: &str) -> String {
    format!(
        "#include <assert.h>\n#include <pthread.h>\n#include <unistd.h>\nstatic int n;\n\
         static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;\n\
         static void uses(pthread_mutex_t *m) {{ pthread_mutex_lock(m); pthread_mutex_unlock(m); }}\n\
         static void *run(void *u) {{ char r; while (read(0, &r, 1) == 1) {{ if (r == 'x') n = !n; {then} r = 0; }} return u; }}\n\
         int main(void) {{ pthread_t t; pthread_create(&t, 0, run, 0); pthread_join(t, 0); return 0; }}"
    )
}

#[test]
fn states_that_no_operation_tells_apart_are_one_part() {
    let place = Place::new();
    // It never shows: one schedule for all requests, and one for the end.
    place.write("program.c", &hidden(""));
    let graph = agrees(&place, 3);
    assert_eq!((graph.parts.len(), graph.schedules.len()), (1, 3));
    // It shows at a later request, and that one tells them apart.
    place.write("program.c", &hidden("if (r == 'y') uses(n ? &a : &b);"));
    let graph = agrees(&place, 3);
    assert_eq!(graph.parts.len(), 3);
    let tree = place.read("set");
    place.write("set", &graph.to_string());
    place.build("set");
    for input in ["", "y", "xy", "zy", "xyx", "yxy", "xxy"] {
        serves(&place, &tree, input.as_bytes(), 3);
    }
    // `z` may be `x`, but is not.
    let input: Vec<u8> = "zyxyxxyzxy".repeat(20).into_bytes();
    let (ended, done) = place.serve("program", &input, 0);
    assert!(ended.err.is_empty(), "{ended:?}");
    let mut on = false;
    let expected = input.iter().filter_map(|&request| {
        on ^= request == b'x';
        (request == b'y').then(|| format!("lock {}", if on { "a" } else { "b" }))
    });
    let locks = done
        .into_iter()
        .map(|done| done.2)
        .filter(|what| what.starts_with("lock"));
    assert_eq!(locks.collect::<Vec<_>>(), expected.collect::<Vec<_>>());
    // Each schedule has an input that was run along it, and the set is verified.
    assert!(
        graph
            .schedules
            .iter()
            .all(|order| order.from < 2 || !order.witness.is_empty())
    );
    place.write("graph", &graph.to_string());
    let words = [
        "cover",
        "program.c",
        "--symbolic-requests",
        "1",
        "--verify",
        "graph",
    ];
    let ended = place.selvedge(&words);
    assert_eq!(ended.code, Some(0), "{ended:?}");
    let mut twice = graph.clone();
    twice.schedules.push(graph.schedules[0].clone());
    place.write("graph", &twice.to_string());
    let ended = place.selvedge(&words);
    assert_eq!(ended.code, Some(5), "{ended:?}");
    assert!(
        ended.out.contains("one of its schedules is there twice"),
        "{ended:?}"
    );
    // Errors behind such states are found.
    place.write("program.c", &hidden("if (r == 'y') assert(!n);"));
    let found = place.selvedge(&["cover", "program.c", "--symbolic-requests", "1"]);
    assert_eq!(found.code, Some(10), "{found:?}");
}

/// The program comes back to a state, but other states are possible there: what follows is not
/// known from the first time. Without a comparison of combined parts a part has no schedules.
#[test]
fn a_state_with_others_beside_it_is_another_one() {
    let text = "#include <pthread.h>\n#include <unistd.h>\n\
        static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;\n\
        static void uses(pthread_mutex_t *m) { pthread_mutex_lock(m); pthread_mutex_unlock(m); }\n\
        int main(void) { int n = 0; char r = 0; uses(&a); uses(&b); uses(&a); uses(&b);\n\
        while (read(0, &r, 1) == 1) { if (r == 'x') n = !n;\n\
        if (r == 'y') { uses(&a); uses(&b); uses(n ? &a : &b); } r = 0; } return 0; }\n";
    let place = Place::new();
    place.write("program.c", text);
    let graph = agrees(&place, 3);
    assert_eq!(graph.parts.len(), 3);
    let tree = place.read("set");
    place.write("set", &graph.to_string());
    place.build("set");
    for input in ["yxy", "xxy", "xyx", "zyy"] {
        serves(&place, &tree, input.as_bytes(), 3);
    }
}

/// The program reads before any operation: part 0 has none.
#[test]
fn a_program_may_begin_with_a_request() {
    let text = "#include <pthread.h>\n#include <unistd.h>\n\
        static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER;\n\
        int main(void) { char c = 0; while (read(0, &c, 1) == 1) {\n\
        if (c == 'x') { pthread_mutex_lock(&a); pthread_mutex_unlock(&a); } c = 0; } return 0; }\n";
    let place = Place::new();
    place.write("program.c", text);
    let graph = agrees(&place, 3);
    let tree = place.read("set");
    place.write("set", &graph.to_string());
    place.build("set");
    for input in ["", "x", "yxx", "xyx"] {
        serves(&place, &tree, input.as_bytes(), 2);
    }
    endures(&place, &mut Rng::with_seed(5), 200);
}

/// No request needs the worker, or waits for it: it moves all the same, and the one that never
/// stops does not keep the reader from reading.
#[test]
fn requests_do_not_keep_others_from_moving() {
    let place = Place::new();
    let server = |end: &str| {
        format!(
            "#include <pthread.h>\n#include <unistd.h>\n\
             static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER; static int stop;\n\
             static void *run(void *u) {{ for (int i = 0, last = 0; {end}; i++) {{\n\
             pthread_mutex_lock(&m); last = stop; pthread_mutex_unlock(&m); (void)last; }} return u; }}\n\
             int main(void) {{ pthread_t t; pthread_create(&t, 0, run, 0); char c; while (read(0, &c, 1) == 1) c = 0;\n\
             pthread_mutex_lock(&m); stop = 1; pthread_mutex_unlock(&m); pthread_join(t, 0); return 0; }}"
        )
    };
    place.write("program.c", &server("i < 3"));
    let graph = agrees(&place, 2);
    // All that the worker does is done before the first request is needed.
    let begins = graph.schedules.iter().find(|order| order.from == 0).unwrap();
    assert_eq!(begins.steps.iter().filter(|step| step.thread == "0.1").count(), 7);
    place.write("program.c", &server("!last || (i = 0)"));
    let graph = agrees(&place, 2);
    place.write("set", &graph.to_string());
    place.build("set");
    endures(&place, &mut Rng::with_seed(9), 20);
}

/// A worker answers each request; the client waits for that before it sends the next one. `timeout`
/// ends a server that waits for more.
#[test]
fn a_client_may_wait_for_its_answer() {
    use std::io::{Read, Write};
    let text = "#include <pthread.h>\n\
        #include <semaphore.h>\n\
        #include <unistd.h>\n\
        static sem_t go, done; static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER; static char r; static int stop;\n\
        static void *run(void *u) { for (;;) { sem_wait(&go); pthread_mutex_lock(&m); char c = r; int s = stop; pthread_mutex_unlock(&m); if (s) return u; c ^= 32; write(1, &c, 1); c = 0; sem_post(&done); } }\n\
        int main(void) { pthread_t t; sem_init(&go, 0, 0); sem_init(&done, 0, 1); pthread_create(&t, 0, run, 0); char c;\n\
        while (read(0, &c, 1) == 1) { sem_wait(&done); pthread_mutex_lock(&m); r = c; pthread_mutex_unlock(&m); c = 0; sem_post(&go); }\n\
        sem_wait(&done); pthread_mutex_lock(&m); stop = 1; pthread_mutex_unlock(&m); sem_post(&go); pthread_join(t, 0); return 0; }\n";
    let place = Place::new();
    place.write("program.c", text);
    covered(&place, "1");
    place.build("set");
    let mut command = std::process::Command::new("timeout");
    command.arg("20").arg(place.path("program"));
    command
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::piped());
    let mut child = command.spawn().unwrap();
    let (mut to, mut from) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
    for request in b"abcabcbca" {
        to.write_all(&[*request]).unwrap();
        let mut answer = [0];
        from.read_exact(&mut answer).expect("an answer");
        assert_eq!(answer, [request ^ 32]);
    }
    drop(to);
    assert_eq!(child.wait().unwrap().code(), Some(0));
}

/// A semaphore's initial value decides whether the worker can go first, and no operation shows it.
/// So the worker goes first in neither of the two states.
#[test]
fn one_order_is_made_for_states_that_no_operation_tells_apart() {
    let text = "#include <pthread.h>\n\
        #include <semaphore.h>\n\
        #include <unistd.h>\n\
        static sem_t go, s, t, done; static int n, stop;\n\
        static void *run(void *u) { for (;;) { sem_wait(&go); if (stop) return u; sem_wait(&s); sem_post(&t); sem_post(&t); sem_post(&done); } }\n\
        int main(void) { pthread_t t1; sem_init(&go, 0, 0); sem_init(&t, 0, 0); sem_init(&done, 0, 0); pthread_create(&t1, 0, run, 0); char c = 0;\n\
        while (read(0, &c, 1) == 1) { if (c == 'w') continue; if (c == 'x') { n = 1; c = 0; continue; } c = 0;\n\
        sem_init(&s, 0, n); sem_post(&go); sem_getvalue(&go, &(int){0}); sem_getvalue(&go, &(int){0}); sem_getvalue(&go, &(int){0}); sem_post(&s); sem_wait(&t); sem_wait(&t); sem_wait(&done); if (n) sem_wait(&s); n = 0; sem_destroy(&s); }\n\
        stop = 1; sem_post(&go); pthread_join(t1, 0); return 0; }\n";
    let place = Place::new();
    place.write("program.c", text);
    let graph = covered(&place, "1");
    let verify = [
        "cover",
        "program.c",
        "--symbolic-requests",
        "1",
        "--verify",
        "set",
    ];
    let verified = place.selvedge(&verify);
    assert_eq!(verified.code, Some(0), "{verified:?}");
    place.build("set");
    let tree = tree(&graph, 3);
    for input in ["", "a", "x", "xa", "ax", "axa", "xaa", "wxa", "xwa"] {
        serves(&place, &tree, input.as_bytes(), 6);
    }
}

/// The worker writes after it has said that it is done, and the main thread reads at another
/// request. Nothing of the write is in the state, so only what the race detector remembers tells
/// the states apart.
#[test]
fn a_race_of_two_requests_is_found() {
    let text = "#include <pthread.h>\n#include <semaphore.h>\n#include <unistd.h>\n\
        static sem_t work, done; static char got; static int x;\n\
        static void *run(void *u) { for (;;) { sem_wait(&work); char mine = got; sem_post(&done);\n\
        if (mine == 's') return u; if (mine == 'w') x = 0; mine = 0; } }\n\
        int main(void) { pthread_t t; sem_init(&work, 0, 0); sem_init(&done, 0, 0); pthread_create(&t, 0, run, 0);\n\
        char c; int y = 0; while (read(0, &c, 1) == 1) { if (c == 's') continue; if (c == 'r') y = x;\n\
        got = c; c = 0; sem_post(&work); sem_wait(&done); got = 0; }\n\
        c = 0; got = 's'; sem_post(&work); pthread_join(t, 0); return y; }\n";
    let place = Place::new();
    place.write("program.c", text);
    let ended = place.selvedge(&["cover", "program.c", "--symbolic-requests", "1"]);
    assert_eq!(ended.code, Some(10), "{ended:?}");
    assert!(ended.out.contains("data race"), "{ended:?}");
}

/// A request decides what happens at the next one. When that is read, two classes of it differ in
/// what is known of its value, and in nothing else.
#[test]
fn what_is_known_of_a_request_counts_at_the_next_one() {
    let text = "#include <pthread.h>\n#include <semaphore.h>\n#include <unistd.h>\n\
        static sem_t s; static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER;\n\
        static void *run(void *u) { return u; }\n\
        int main(void) { pthread_t t; sem_init(&s, 0, 0); pthread_create(&t, 0, run, 0); pthread_join(t, 0);\n\
        pthread_mutex_lock(&a); pthread_mutex_unlock(&a);\n\
        unsigned char c = 0, old = 0; while (read(0, &c, 1) == 1) {\n\
        if (c < 10) { pthread_mutex_lock(&a); pthread_mutex_unlock(&a); }\n\
        if (old == 77) sem_wait(&s);\n\
        old = c; c = 0; }\n\
        return 0; }\n";
    let place = Place::new();
    place.write("program.c", text);
    let ended = place.selvedge(&["cover", "program.c", "--symbolic-requests", "1"]);
    assert_eq!(ended.code, Some(10), "{ended:?}");
    assert!(ended.out.contains("deadlock"), "{ended:?}");
}

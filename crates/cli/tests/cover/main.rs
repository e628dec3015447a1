//! Sets of schedules for all inputs, and the native programs that keep to them: built, run with
//! random delays, and compared with what the set says.

mod avoid;
mod epochs;
mod planted;
mod random;
mod refused;
mod request_programs;
mod requests;
mod sources;
mod standard_input;
mod support;
mod verify;
mod without;

use selvedge_schedule::cover::{Cover, Operation, Outcome};
use support::{Place, followed, keeps};

const PROGRAMS: [(&str, &str); 19] = [
    ("branch", include_str!("programs/branch.c")),
    ("handover", include_str!("programs/handover.c")),
    ("queue", include_str!("programs/queue.c")),
    ("nested", include_str!("programs/nested.c")),
    ("conditions", include_str!("programs/conditions.c")),
    ("timed", include_str!("programs/timed.c")),
    ("deadlines", include_str!("programs/deadlines.c")),
    ("monotonic", include_str!("programs/monotonic.c")),
    ("C11", include_str!("programs/c11.c")),
    ("keys", include_str!("programs/keys.c")),
    ("rounds of keys", include_str!("programs/rounds_of_keys.c")),
    ("others", include_str!("programs/others.c")),
    ("barriers", include_str!("programs/barriers.c")),
    ("partners", include_str!("programs/partners.c")),
    ("backs off", include_str!("programs/backs_off.c")),
    ("backs off longer", include_str!("programs/backs_off_longer.c")),
    ("atomics", include_str!("programs/atomics.c")),
    ("printing", include_str!("programs/printing.c")),
    ("one place", include_str!("programs/one_place.c")),
];

const ENDS: [(&str, &str); 2] = [
    ("ends", include_str!("programs/ends.c")),
    ("detached", include_str!("programs/detached.c")),
];

/// How often each program is run with each of its words; more with SELVEDGE_COVER_RUNS.
fn runs() -> u64 {
    let given = std::env::var("SELVEDGE_COVER_RUNS").ok();
    given.and_then(|runs| runs.parse().ok()).unwrap_or(12)
}

fn words(text: &str) -> Vec<&str> {
    let line = text.lines().find_map(|line| line.strip_prefix("// words: "));
    line.unwrap().split(' ').collect()
}

/// The input's order, whatever the delays: the same schedule and the same output.
fn follows(place: &Place, cover: &Cover, word: &str, runs: u64) -> (usize, String) {
    let mut seen = None;
    for seed in 0..runs {
        let (ended, done) = place.native("program", word, seed);
        assert_eq!(ended.code, Some(0), "{word}: {ended:?}");
        let schedule = followed(cover, &done);
        let schedule = schedule.unwrap_or_else(|| panic!("{word}, {seed}: no schedule\n{done:?}"));
        let now = (schedule, ended.out);
        assert_eq!(*seen.get_or_insert(now.clone()), now, "{word}, {seed}");
    }
    seen.unwrap()
}

#[test]
fn native_programs_follow_the_schedule_of_their_input() {
    for (name, text) in PROGRAMS.into_iter().chain(ENDS) {
        let place = Place::new();
        let cover = place.cover_and_build(text);
        let mut used = vec![false; cover.schedules.len()];
        for word in words(text) {
            used[follows(&place, &cover, word, runs()).0] = true;
        }
        assert!(
            used.into_iter().all(|used| used),
            "{name}: a schedule that no word has"
        );
    }
}

#[test]
fn what_operations_wait_for_is_enough_and_no_more_noticed() {
    for (name, text) in PROGRAMS {
        let place = Place::new();
        place.write("program.c", text);
        let ended = place.selvedge(&["cover", "program.c", "--symbolic-args", "1:1", "-o", "set"]);
        assert_eq!(ended.code, Some(0), "{name}: {ended:?}");
        let cover = place.read("set");
        for order in &cover.schedules {
            assert!(keeps(order), "{name}");
            // Each edge is needed: the oracle notices when one is left out.
            // Of what is done at a place it does not know what that depends on.
            let known = |&at: &usize| order.steps[at].label.operation != Operation::At;
            for at in (0..order.steps.len()).filter(known) {
                for edge in 0..order.steps[at].after.len() {
                    let mut less = order.clone();
                    less.steps[at].after.remove(edge);
                    assert!(
                        !keeps(&less),
                        "{name}: {:?} waits for more than it must",
                        order.steps[at]
                    );
                }
            }
        }
    }
}

#[test]
fn each_witness_is_an_input_of_its_schedule() {
    let (_, text) = PROGRAMS[2];
    let place = Place::new();
    let cover = place.cover_and_build(text);
    for (number, order) in cover.schedules.iter().enumerate() {
        let bytes: Vec<u8> = order.witness[0]
            .bytes
            .iter()
            .copied()
            .take_while(|&b| b != 0)
            .collect();
        if let Ok(word) = String::from_utf8(bytes) {
            assert_eq!(follows(&place, &cover, &word, 3).0, number, "{word:?}");
        }
    }
}

#[test]
fn a_missing_edge_is_noticed() {
    let (_, text) = PROGRAMS[0];
    let place = Place::new();
    let mut cover = place.cover_and_build(text);
    for order in &mut cover.schedules {
        let lock = order
            .steps
            .iter_mut()
            .find(|s| s.label.operation.word() == "lock" && !s.after.is_empty());
        lock.unwrap().after.clear();
    }
    place.write("less", &cover.to_string());
    place.build("less");
    let noticed = (0..400).any(|seed| {
        let (ended, done) = place.native("program", "x", seed);
        ended.code != Some(0) || followed(&cover, &done).is_none()
    });
    assert!(noticed);
}

#[test]
fn a_wrong_outcome_is_noticed() {
    let (_, text) = PROGRAMS[1];
    let place = Place::new();
    let mut cover = place.cover_and_build(text);
    for order in &mut cover.schedules {
        let tried = order
            .steps
            .iter_mut()
            .find(|s| s.label.operation.word() == "try-lock");
        tried.unwrap().outcome = Outcome::Failed;
    }
    place.write("wrong", &cover.to_string());
    place.build("wrong");
    let (ended, _) = place.native("program", "a", 1);
    assert_eq!(ended.code, Some(120), "{ended:?}");
    assert!(
        ended.err.contains("deviation from the schedules: thread 0.1"),
        "{ended:?}"
    );
}

#[test]
fn an_input_that_was_not_declared_is_noticed() {
    let (_, text) = PROGRAMS[0];
    let place = Place::new();
    place.write("program.c", text);
    // Only this argument, so that the branch is never taken.
    let ended = place.selvedge(&["cover", "program.c", "-o", "set", "--", "a"]);
    assert_eq!(ended.code, Some(0), "{ended:?}");
    place.build("set");
    assert_eq!(place.native("program", "a", 1).0.code, Some(0));
    let (ended, _) = place.native("program", "x", 1);
    assert_eq!(ended.code, Some(120), "{ended:?}");
    let says = "deviation from the schedules: thread 0.1, operation 1, program.c:11: lock:";
    assert!(ended.err.contains(says), "{ended:?}");
    let words = [
        "build",
        "program.c",
        "--schedules",
        "set",
        "-o",
        "program",
        "--on-deviation",
        "free",
    ];
    assert_eq!(place.selvedge(&words).code, Some(0));
    for seed in 0..20 {
        let (ended, _) = place.native("program", "x", seed);
        assert_eq!(ended.code, Some(0), "{ended:?}");
        assert!(
            ended.err.contains("deviation") && ended.out.ends_with(" 1\n"),
            "{ended:?}"
        );
    }
}

#[test]
fn a_class_left_out_of_the_set_is_noticed() {
    let (_, text) = PROGRAMS[2];
    let place = Place::new();
    let mut cover = place.cover_and_build(text);
    let lost = follows(&place, &cover, "3", 1).0;
    cover.schedules.remove(lost);
    place.write("less", &cover.to_string());
    place.build("less");
    let (ended, _) = place.native("program", "3", 1);
    assert_eq!(ended.code, Some(120), "{ended:?}");
    assert_eq!(place.native("program", "2", 1).0.code, Some(0));
}

#[test]
fn run_covers_builds_and_runs() {
    let (_, text) = PROGRAMS[2];
    let place = Place::new();
    place.write("program.c", text);
    let ended = place.selvedge(&["run", "program.c", "--symbolic-args", "1:1", "--", "3"]);
    assert_eq!(ended.code, Some(0), "{ended:?}");
    let again = place.selvedge(&["run", "program.c", "--", "3"]);
    assert_eq!((again.code, again.out), (Some(0), ended.out));
}

/// Locks are taken in opposite orders, if the input says so.
fn crossing() -> String {
    let nested = |a: &str, b: &str| {
        format!(
            "pthread_mutex_lock(&{a}); pthread_mutex_lock(&{b}); x++; pthread_mutex_unlock(&{b}); pthread_mutex_unlock(&{a});"
        )
    };
    let crossed = format!(
        "if (in == 'x') {{ {} }} else {{ {} }}",
        nested("n", "m"),
        nested("m", "n")
    );
    let text = two("static char in;", &nested("m", "n"), &crossed);
    text.replace(
        "int main(void) {",
        "int main(int argc, char **argv) { in = argc > 1 ? argv[1][0] : 0;",
    )
    .replace("return 0; }", "printf(\"%d\\n\", x); return 0; }")
}

#[test]
fn a_deadlock_is_avoided_for_its_input() {
    let place = Place::new();
    place.write("program.c", &crossing());
    let words = ["cover", "program.c", "--symbolic-args", "1:1", "-o", "set"];
    let ended = place.selvedge(&words);
    assert_eq!(ended.code, Some(10), "{ended:?}");
    let ended = place.selvedge(&[&words[..], &["--avoid"]].concat());
    assert_eq!(ended.code, Some(0), "{ended:?}");
    assert!(ended.out.contains("avoided: deadlock at program.c:"), "{ended:?}");
    assert!(ended.out.contains("argv[1] = \"x"), "{ended:?}");
    let cover = place.read("set");
    assert!(cover.schedules.iter().all(keeps));
    place.build("set");
    for word in ["x", "a"] {
        assert_eq!(follows(&place, &cover, word, runs()).1, "2\n");
    }
}

#[test]
fn what_goes_wrong_in_every_order_is_not_avoided() {
    let place = Place::new();
    place.write("program.c", &two("", "x++;", "x++;"));
    let ended = place.selvedge(&["cover", "program.c", "--avoid", "-o", "set"]);
    assert_eq!(ended.code, Some(10), "{ended:?}");
    assert!(!place.path("set").exists(), "no set is written");
}

#[test]
fn a_page_draws_each_schedule_and_what_is_proven_is_said() {
    let (_, text) = PROGRAMS[0];
    let place = Place::new();
    place.write("program.c", text);
    let words = ["cover", "program.c", "--symbolic-args", "1:1"];
    let ended = place.selvedge(&[&words[..], &["-o", "set", "--html", "page.html"]].concat());
    assert_eq!(ended.code, Some(0), "{ended:?}");
    let says = "along the schedules there is no failed assertion, no call of an error function, no deadlock, no data race,";
    assert!(ended.out.contains(says), "{ended:?}");
    assert!(ended.out.contains("assuming that:\n"), "{ended:?}");
    let (cover, page) = (
        place.read("set"),
        std::fs::read_to_string(place.path("page.html")).unwrap(),
    );
    let count = |what: &str| page.matches(what).count();
    let steps = || cover.schedules.iter().flat_map(|order| &order.steps);
    assert_eq!(count("<svg "), cover.schedules.len());
    assert_eq!(count("<rect "), steps().count());
    let edges: usize = steps().map(|step| step.after.len()).sum();
    assert_eq!(count("marker-end="), edges);
    assert!(page.contains("such as argv[1] = "), "{page}");
}

const HEAD: &str = "#include <pthread.h>\n#include <semaphore.h>\n#include <stdatomic.h>\n#include <stdio.h>\n\
    static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, n = PTHREAD_MUTEX_INITIALIZER;\nstatic int x;\n";

/// A program of two threads: what each does, and `main` before and after.
fn two(globals: &str, one: &str, other: &str) -> String {
    format!(
        "{HEAD}{globals}\nstatic void *one(void *u) {{ {one} return u; }}\nstatic void *other(void *u) {{ {other} return u; }}\n\
        int main(void) {{ pthread_t a, b; pthread_create(&a, 0, one, 0); pthread_create(&b, 0, other, 0);\n\
        pthread_join(a, 0); pthread_join(b, 0); return 0; }}\n"
    )
}

#[test]
fn what_goes_wrong_along_a_schedule_is_a_finding() {
    let lock = |a: &str, b: &str| {
        format!(
            "pthread_mutex_lock(&{a}); pthread_mutex_lock(&{b}); pthread_mutex_unlock(&{b}); pthread_mutex_unlock(&{a});"
        )
    };
    let cases = [
        (two("", "x++;", "x++;"), "false(no-data-race)"),
        (two("", &lock("m", "n"), &lock("n", "m")), "false(no-deadlock)"),
        (two("", "__builtin_trap();", ""), "false(unreach-call)"),
    ];
    for (text, verdict) in cases {
        let place = Place::new();
        place.write("program.c", &text);
        let ended = place.selvedge(&["cover", "program.c", "-o", "set"]);
        assert_eq!(ended.code, Some(10), "{ended:?}");
        assert_eq!(ended.out.lines().last(), Some(verdict), "{ended:?}");
        assert!(!place.path("set").exists(), "no set is written");
        assert_eq!(place.selvedge(&["replay", "FINDING.json"]).code, Some(10));
    }
}

#[test]
fn what_is_not_covered_yet_is_refused_by_name_and_place() {
    let cases = [
        (
            two("", "pthread_cancel(pthread_self());", ""),
            "a schedule with this operation",
        ),
        (
            two("static atomic_int f;", "while (!f) ;", ""),
            "a thread that goes round for long and only looks at memory",
        ),
        (
            two("", "x = 1;", "").replace("pthread_join(a", "pthread_exit(0); pthread_join(a"),
            "the end of the main thread while other threads go on",
        ),
    ];
    for (text, what) in cases {
        let place = Place::new();
        place.write("program.c", &text);
        let ended = place.selvedge(&["cover", "program.c", "-o", "set"]);
        assert_eq!(ended.code, Some(5), "{ended:?}\n{text}");
        let last = ended.out.lines().last().unwrap();
        assert!(
            last.starts_with("unknown(unsupported: ") && last.contains(what),
            "{last}"
        );
        assert!(last.contains("program.c:"), "{last}");
        assert!(!place.path("set").exists(), "no set is written");
    }
}

/// Without places the main thread would come first.
#[test]
fn what_goes_wrong_counts_along_schedules_only() {
    let text = two("static atomic_int f;", "f = 7;", "").replace(
        "pthread_join(a",
        "{ int now = f; if (now != 7) __builtin_trap(); } pthread_join(a",
    );
    let place = Place::new();
    let cover = place.cover_and_build(&text);
    follows(&place, &cover, "a", runs());
    // And what goes wrong in every order is found.
    place.write("program.c", &text.replace("now != 7", "now == 7"));
    let ended = place.selvedge(&["cover", "program.c", "-o", "set"]);
    assert_eq!(ended.code, Some(10), "{ended:?}");
}

#[test]
fn a_thread_that_never_ends_is_no_assumption() {
    let text = two("", "for (;;);", "");
    let place = Place::new();
    place.write("program.c", &text);
    let ended = place.selvedge(&["cover", "program.c", "-o", "set"]);
    assert_eq!(ended.code, Some(5), "{ended:?}");
    assert!(ended.out.contains("a loop goes round for ever"), "{ended:?}");
    assert!(!place.path("set").exists(), "no set is written");
}

/// A semaphore of this value, and a thread that waits for it. No operation shows the value.
fn waiting(value: &str, main: &str, worker: &str) -> String {
    format!(
        "{HEAD}static sem_t s, t; static int c;\nstatic void *one(void *u) {{ sem_wait(&s); {worker} return u; }}\n\
        int main(int argc, char **argv) {{ pthread_t a; int is = argv[1][0] == 'x'; sem_init(&s, 0, {value}); sem_init(&t, 0, !is);\n\
        pthread_create(&a, 0, one, 0);\n\
        {main} pthread_mutex_lock(&m); pthread_mutex_unlock(&m); pthread_join(a, 0); return 0; }}\n"
    )
}

/// The thread could move first with one input, and cannot with others: so it does not.
#[test]
fn an_order_that_all_inputs_can_keep_is_found() {
    let text = waiting("is", "sem_post(&s);", "");
    let place = Place::new();
    let cover = place.cover_and_build(&text);
    assert!(cover.schedules.iter().all(keeps));
    for word in ["x", "a"] {
        follows(&place, &cover, word, runs());
    }
    let words = ["cover", "program.c", "--symbolic-args", "1:1", "--verify", "set"];
    let verified = place.selvedge(&words);
    assert_eq!(verified.code, Some(0), "{verified:?}");
}

/// With one input only the main thread can move first, with others only the other one.
#[test]
fn an_order_that_no_operation_shows_is_refused() {
    let text = waiting("is", "sem_wait(&t); sem_post(&s);", "sem_post(&t);");
    let place = Place::new();
    place.write("program.c", &text);
    let ended = place.selvedge(&["cover", "program.c", "--symbolic-args", "1:1"]);
    assert_eq!(ended.code, Some(5), "{ended:?}");
    assert!(
        ended.out.contains("something that no operation shows"),
        "{ended:?}"
    );
}

#[test]
fn inputs_that_the_program_excludes_are_left_out() {
    let text = format!(
        "{HEAD}void __VERIFIER_assume(int);\nstatic void *one(void *u) {{ pthread_mutex_lock(&m); x++; pthread_mutex_unlock(&m); return u; }}\n\
        int main(int argc, char **argv) {{ pthread_t a; __VERIFIER_assume(argv[1][0] < 'c'); pthread_create(&a, 0, one, 0);\n\
        if (argv[1][0] == 'b') one(0); pthread_join(a, 0); return x; }}\n"
    );
    let place = Place::new();
    place.write("program.c", &text);
    let ended = place.selvedge(&["cover", "program.c", "--symbolic-args", "1:1", "-o", "set"]);
    assert_eq!(ended.code, Some(0), "{ended:?}");
    assert!(
        ended.out.contains("covered: 2 schedules for 2 classes"),
        "{ended:?}"
    );
}

#[test]
fn a_set_is_verified_against_its_program() {
    let (_, text) = PROGRAMS[0];
    let place = Place::new();
    let cover = place.cover_and_build(text);
    let verify = |set: &str, more: &[&str]| {
        let words = ["cover", "program.c", "--symbolic-args", "1:1", "--verify", set];
        let ended = place.selvedge(&[&words[..], more].concat());
        let last = ended.out.lines().last().unwrap_or_default().to_owned();
        (ended.code, last, ended.out)
    };
    let (code, last, out) = verify("set", &[]);
    assert_eq!(code, Some(0), "{out}");
    assert!(
        last.starts_with("verified: the set is the one of this program"),
        "{last}"
    );
    assert!(
        out.contains("schedule 1: run for 1 class of inputs, such as argv[1] = "),
        "{out}"
    );
    let refused = |set: &Cover, why: &str| {
        place.write("other", &set.to_string());
        let (code, last, _) = verify("other", &[]);
        assert_eq!(code, Some(5), "{last}");
        assert!(last.contains(why), "{last}");
    };
    let mut less = cover.clone();
    less.schedules.pop();
    refused(&less, "it has no schedule for 1 class of inputs");
    let mut more = cover.clone();
    more.schedules.push(more.schedules[0].clone());
    let moved = more.schedules[2]
        .steps
        .iter_mut()
        .find(|step| !step.after.is_empty());
    moved.unwrap().after.clear();
    refused(&more, "the program never follows its schedule 3");
    let mut wider = cover;
    wider.schedules[0].classes += 1;
    refused(&wider, "other inputs follow its schedule 1");
    let (code, last, _) = verify("set", &["-DOTHER"]);
    assert_eq!(code, Some(5));
    assert!(last.contains("option `define` differs"), "{last}");
}

#[test]
fn a_damaged_set_is_refused() {
    let place = Place::new();
    place.write("program.c", PROGRAMS[0].1);
    for text in [
        "",
        "selvedge-cover 9\n",
        "selvedge-cover 1\nschedule 1\nop 0 lock o3 done\n",
        "selvedge-cover 2\nschedule 1 from 0 to 1\n",
        "selvedge-cover 2\npart 2\n",
        "selvedge-cover 2\npart 1\nstands 0 request -\nschedule 1 from 0 to 1\nop 0 end - done\n",
        "selvedge-cover 2\npart 1\nstands 0 request -\nschedule 1 from 0 to 0\n",
    ] {
        place.write("set", text);
        let ended = place.selvedge(&["build", "program.c", "--schedules", "set", "-o", "program"]);
        assert_eq!(ended.code, Some(2), "{ended:?}");
    }
}

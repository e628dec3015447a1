//! Sets and programs from which an optimisation is left out (`--without`): as right as all others,
//! and different from them.

use super::PROGRAMS;
use super::support::{Place, followed, keeps};
use selvedge_cover::{Optimisation, Plan, Without};
use selvedge_schedule::cover::{Cover, Operation};

const ROUNDS: &str = include_str!("../../../../examples/rounds.c");
const SERVER: &str = include_str!("../../../../examples/served.c");

fn text_of(name: &str) -> &'static str {
    let found = PROGRAMS.into_iter().find(|program| program.0 == name);
    found.unwrap().1
}

const ONE: [&str; 2] = ["--symbolic-args", "1:1"];

/// The sets of a program with all and without one thing.
fn covered(place: &Place, text: &str, words: &[&str], without: Optimisation) -> [Cover; 2] {
    place.write("program.c", text);
    [&[][..], &["--without", without.word()]].map(|left_out| {
        let ended = place.selvedge(&[&["cover", "program.c", "-o", "set"], words, left_out].concat());
        assert_eq!(ended.code, Some(0), "{left_out:?}: {ended:?}");
        place.read("set")
    })
}

fn operations(cover: &Cover) -> usize {
    cover.schedules.iter().map(|order| order.steps.len()).sum()
}

fn waits(cover: &Cover) -> usize {
    let steps = cover.schedules.iter().flat_map(|order| &order.steps);
    steps.map(|step| step.after.len()).sum()
}

/// Builds the program of the set that was written last, and runs it with these words.
fn follows(place: &Place, cover: &Cover, words: &[&str], without: &[&str]) {
    let words_of_build = ["build", "program.c", "--schedules", "set", "-o", "program"];
    let ended = place.selvedge(&[&words_of_build, without].concat());
    assert_eq!(ended.code, Some(0), "{ended:?}");
    assert!(cover.schedules.iter().all(keeps));
    for word in words {
        for seed in 0..4 {
            let (ended, done) = place.native("program", word, seed);
            assert_eq!(ended.code, Some(0), "{word}: {ended:?}");
            assert!(followed(cover, &done).is_some(), "{word}, {seed}\n{done:?}");
        }
    }
}

#[test]
fn without_edges_that_follow_from_others_there_are_more_of_them() {
    let place = Place::new();
    let [all, more] = covered(&place, text_of("queue"), &ONE, Optimisation::Edges);
    assert_eq!(operations(&all), operations(&more));
    assert!(waits(&more) > waits(&all), "{} {}", waits(&more), waits(&all));
    follows(&place, &more, &["0", "3"], &[]);
}

/// A counter under a lock, and what is printed at the end: what happens there is ordered anyway.
const ORDERED: &str = "#include <pthread.h>\n#include <stdatomic.h>\n#include <stdio.h>\n\
    static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER; static atomic_int n;\n\
    static void *work(void *u) { pthread_mutex_lock(&m);\n  n++;\n  pthread_mutex_unlock(&m); return u; }\n\
    int main(int c, char **v) { (void)c; pthread_t t; pthread_create(&t, 0, work, 0);\n\
      if (v[1][0] == 'x') work(0);\n  pthread_join(t, 0); printf(\"%d\\n\", n); return 0; }\n";

#[test]
fn without_the_others_places_are_operations() {
    let place = Place::new();
    let [all, more] = covered(&place, ORDERED, &ONE, Optimisation::Places);
    let at = |cover: &Cover| {
        let steps = cover.schedules.iter().flat_map(|order| &order.steps);
        steps.filter(|step| step.label.operation == Operation::At).count()
    };
    // Two schedules: one and two additions; the load and the output in each.
    assert_eq!((at(&all), at(&more)), (0, 3 + 4));
    follows(&place, &more, &["a", "x"], &[]);
}

/// The younger thread comes first to the lock, since the older one computes.
const COMPUTES: &str = "#include <pthread.h>\n\
    static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER; static volatile int n[2];\n\
    static void *work(void *u) { long me = (long)u;\n  for (int i = 0; i < 3; i++) {\n\
        for (int k = 0; !me && k < 2000; k++) n[0]++;\n\
        pthread_mutex_lock(&m); n[1]++; pthread_mutex_unlock(&m);\n  }\n  return 0; }\n\
    int main(int c, char **v) { (void)c; (void)v; pthread_t t[2];\n\
      for (long i = 0; i < 2; i++) pthread_create(&t[i], 0, work, (void *)i);\n\
      for (int i = 0; i < 2; i++) pthread_join(t[i], 0);\n  return 0; }\n";

#[test]
fn without_time_threads_take_turns() {
    let place = Place::new();
    let [all, turns] = covered(&place, COMPUTES, &ONE, Optimisation::Time);
    let locks = |cover: &Cover| -> Vec<String> {
        let steps = cover.schedules[0].steps.iter();
        let locks = steps.filter(|step| step.label.operation == Operation::Lock);
        locks.map(|step| step.thread.clone()).collect()
    };
    let (one, other) = ("0.1".to_owned(), "0.2".to_owned());
    let turn = [one.clone(), other.clone()];
    assert_eq!(locks(&all)[..2], [other.clone(), other]);
    assert_eq!(locks(&turns), [&turn[..], &turn, &turn].concat());
    follows(&place, &turns, &["a"], &[]);
}

#[test]
fn programs_without_an_optimisation_follow_the_same_set() {
    let place = Place::new();
    place.write("program.c", text_of("queue"));
    let ended = place.selvedge(&[&["cover", "program.c", "-o", "set"][..], &ONE].concat());
    assert_eq!(ended.code, Some(0), "{ended:?}");
    let cover = place.read("set");
    let plan = Plan::of(&cover).unwrap();
    for one in [Optimisation::Asked, Optimisation::Late] {
        let other = Plan::without(&cover, &Without::one(one)).unwrap();
        assert_ne!(plan, other, "{one:?}");
        follows(&place, &cover, &["0", "1", "3"], &["--without", one.word()]);
    }
    let place = Place::new();
    let cover = place.cover_and_build(text_of("barriers"));
    follows(&place, &cover, &["a", "x"], &["--without", "barriers"]);
}

#[test]
fn servers_without_an_optimisation_serve() {
    let place = Place::new();
    let requests = ["--symbolic-requests", "1"];
    let [all, more] = covered(&place, SERVER, &requests, Optimisation::Parts);
    assert!(
        more.parts.len() > all.parts.len(),
        "{} {}",
        more.parts.len(),
        all.parts.len()
    );
    for without in ["", "asked", "late"] {
        let without = if without.is_empty() {
            vec![]
        } else {
            vec!["--without", without]
        };
        let words = ["build", "program.c", "--schedules", "set", "-o", "program"];
        let ended = place.selvedge(&[&words[..], &without].concat());
        assert_eq!(ended.code, Some(0), "{ended:?}");
        for seed in 0..3 {
            let (ended, done) = place.serve("program", &b"abaxab".repeat(20), seed);
            assert_eq!((ended.code, &*ended.err), (Some(0), ""), "{without:?} {seed}");
            assert_eq!(ended.out.matches("an a was served").count(), 60);
            assert_eq!(done.iter().filter(|done| done.2 == "request").count(), 121);
        }
    }
}

/// A flag that is set under no lock: whether it is set shows with the next request.
const HIDDEN: &str = "#include <pthread.h>\n#include <unistd.h>\n\
    static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;\n\
    int main(void) { int odd = 0; unsigned char c;\n\
      while (read(0, &c, 1) == 1) {\n\
        if (c == 'x' && odd) { pthread_mutex_lock(&m); pthread_mutex_unlock(&m); }\n\
        odd = c == 'a'; c = 0; }\n  return 0; }\n";

#[test]
fn without_combined_parts_such_a_program_is_refused() {
    let place = Place::new();
    place.write("program.c", HIDDEN);
    let words = ["cover", "program.c", "--symbolic-requests", "1", "-o", "set"];
    let ended = place.selvedge(&words);
    assert_eq!(ended.code, Some(0), "{ended:?}");
    let ended = place.selvedge(&[&words[..], &["--without", "combined"]].concat());
    assert_eq!(ended.code, Some(5), "{ended:?}");
    let said = "parts that no operation tells apart, where parts are not combined";
    assert!(ended.out.contains(said), "{ended:?}");
}

#[test]
fn without_facts_a_general_state_stands_for_too_much() {
    let place = Place::new();
    let sum = "sum[me] += i;";
    assert!(ROUNDS.contains(sum));
    let checks = ROUNDS.replace(sum, "assert(0 <= i && i < rounds);");
    place.write("program.c", &format!("#include <assert.h>\n{checks}"));
    let words = ["cover", "program.c", "--symbolic-args", "1:2", "--epochs"];
    let ended = place.selvedge(&words);
    assert_eq!(ended.code, Some(0), "{ended:?}");
    let ended = place.selvedge(&[&words[..], &["--without", "facts"]].concat());
    assert_eq!(ended.code, Some(5), "{ended:?}");
    let said = "a general state from which this may come, and no run that shows it: assertion";
    assert!(ended.out.contains(said), "{ended:?}");
}

#[test]
fn each_command_takes_what_it_can_leave_out() {
    let place = Place::new();
    place.write("program.c", "int main(void) { return 0; }\n");
    for (words, why) in [
        (
            &["cover", "program.c", "--without", "late"][..],
            "--without late is for `build` and `run`",
        ),
        (
            &[
                "build",
                "program.c",
                "--schedules",
                "set",
                "-o",
                "p",
                "--without",
                "edges",
            ],
            "--without edges is for `cover` and `run`",
        ),
        (
            &["cover", "program.c", "--without", "nothing"],
            "`nothing` is none of places, ",
        ),
    ] {
        let ended = place.selvedge(words);
        assert_eq!(ended.code, Some(1), "{ended:?}");
        assert!(ended.err.contains(why), "{ended:?}");
    }
    let ended = place.selvedge(&["run", "program.c", "--without", "late,edges"]);
    assert_eq!(ended.code, Some(0), "{ended:?}");
}

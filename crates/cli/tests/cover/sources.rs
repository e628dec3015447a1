//! Programs in C++ and of several sources: covered, built, run with random delays.

use super::support::{Place, keeps};
use super::{follows, words};
use selvedge_schedule::cover::{Cover, Object};

const SEEDS: u64 = 6;

/// Covers and builds a program, and runs it with its words: the set, and what it prints for each.
fn run(place: &Place, sources: &[(&str, &str)]) -> (Cover, Vec<String>) {
    let cover = place.cover_and_build_all(sources);
    // What is done at a place, or on an object that is named by one, may be done to any object:
    // only the runs show whether the order is kept.
    let is_place = |object: &Object| matches!(object, Object::Place(_));
    assert!(cover.objects.iter().any(is_place) || cover.schedules.iter().all(keeps));
    let mut used = vec![false; cover.schedules.len()];
    let mut printed = Vec::new();
    for word in words(sources[0].1) {
        let (schedule, out) = follows(place, &cover, word, SEEDS);
        used[schedule] = true;
        printed.push(out);
    }
    assert!(used.into_iter().all(|used| used), "a schedule that no word has");
    (cover, printed)
}

#[test]
fn threads_of_cxx_follow_the_schedule_of_their_input() {
    let text = include_str!("programs/threads.cpp");
    let (_, printed) = run(&Place::new(), &[("program.cpp", text)]);
    assert_eq!(printed.len(), 2);
    for out in printed {
        assert!(out.ends_with(" 1\n") && out.contains(" 0 2 "), "{out}");
    }
}

#[test]
fn a_thread_finds_its_handle_where_it_belongs() {
    let (_, printed) = run(
        &Place::new(),
        &[("program.cpp", include_str!("programs/handle.cpp"))],
    );
    assert!(printed.iter().all(|out| out == "1 0\n"), "{printed:?}");
}

#[test]
fn references_streams_and_exceptions_keep_to_the_schedule() {
    let text = include_str!("programs/shared.cpp");
    let (cover, printed) = run(&Place::new(), &[("program.cpp", text)]);
    let places = cover
        .objects
        .iter()
        .filter(|object| matches!(object, Object::Place(_)));
    assert!(places.count() > 3, "{:?}", cover.objects);
    let says = ["none\n", "17"].map(|what| printed.iter().filter(|out| out.contains(what)).count());
    assert_eq!(says, [1, 1], "{printed:?}");
}

#[test]
fn futures_are_waited_for() {
    let text = include_str!("programs/future.cpp");
    let (_, printed) = run(&Place::new(), &[("program.cpp", text)]);
    assert_eq!(printed, ["194\n103\n", "threw 7\n105\n", "threw 7\n108\n"]);
}

#[test]
fn waiting_of_cxx_20_keeps_to_the_schedule() {
    let text = include_str!("programs/waiting.cpp");
    let (_, printed) = run(&Place::new(), &[("program.cpp", text)]);
    assert!(printed.iter().all(|out| out.ends_with("all\n")), "{printed:?}");
}

#[test]
fn objects_where_earlier_ones_were_are_named_by_their_places() {
    let text = include_str!("programs/reused.cpp");
    let (cover, _) = run(&Place::new(), &[("program.cpp", text)]);
    let place =
        |object: &Object| matches!(object, Object::Place(name) if name.starts_with("call pthread_mutex"));
    assert!(cover.objects.iter().any(place), "{:?}", cover.objects);
}

#[test]
fn a_routine_that_runs_once_may_throw() {
    let text = include_str!("programs/thrown_once.cpp");
    let (_, printed) = run(&Place::new(), &[("program.cpp", text)]);
    assert!(printed.iter().all(|out| out == "2 1\n"), "{printed:?}");
}

#[test]
fn objects_of_a_thread_end_with_it() {
    let text = include_str!("programs/thread_local.cpp");
    let (_, printed) = run(&Place::new(), &[("program.cpp", text)]);
    assert_eq!(printed, ["21 21\n", "22 22\n11 33\n"]);
}

#[test]
fn lambdas_have_static_variables_and_destroy_what_they_captured() {
    let text = include_str!("programs/lambda.cpp");
    let (_, printed) = run(&Place::new(), &[("program.cpp", text)]);
    assert_eq!(printed, ["135\n", "105\n"]);
}

#[test]
fn a_local_static_variable_is_initialised_by_the_first_of_the_schedule() {
    let text = include_str!("programs/singleton.cpp");
    let (_, printed) = run(&Place::new(), &[("program.cpp", text)]);
    assert_eq!(printed.len(), 2);
}

#[test]
fn objects_that_no_call_initialises_are_known_by_their_first_operation() {
    let place = Place::new();
    let text = include_str!("programs/heap.cpp");
    let (cover, _) = run(&place, &[("program.cpp", text)]);
    let met = |object: &&Object| matches!(object, Object::Met(..));
    assert_eq!(cover.objects.iter().filter(met).count(), 2, "{:?}", cover.objects);
    // Another object than that of the first operation.
    let swapped = text
        .replace("std::mutex local;", "std::mutex local, more;")
        .replace(
            "            std::lock_guard<std::mutex> hold(local);",
            "            std::lock_guard<std::mutex> hold(more);",
        );
    assert_ne!(swapped, text);
    place.write("program.cpp", &swapped);
    let words = ["build", "program.cpp", "--schedules", "set", "-o", "program"];
    assert_eq!(place.selvedge(&words).code, Some(0));
    let (ended, _) = place.native("program", "a", 1);
    assert_eq!(ended.code, Some(120), "{ended:?}");
    assert!(ended.err.contains("the object is another one"), "{ended:?}");
}

/// Which of two such objects a thread takes is an input: nothing tells them apart before. Named by
/// their places they are one.
#[test]
fn objects_that_cannot_be_told_apart_are_refused() {
    let text = "#include <pthread.h>\n#include <stdlib.h>\n\
        struct cell { pthread_mutex_t lock; int value; };\n\
        static struct cell *cells;\nstatic int chosen;\n\
        static void *work(void *u) { struct cell *c = cells + chosen; pthread_mutex_lock(&c->lock); c->value++; pthread_mutex_unlock(&c->lock); return u; }\n\
        int main(int argc, char **argv) { pthread_t t; cells = calloc(2, sizeof *cells); chosen = argv[1][0] == 'x';\n\
        pthread_create(&t, 0, work, 0); pthread_mutex_lock(&cells[0].lock); cells[0].value++; pthread_mutex_unlock(&cells[0].lock);\n\
        pthread_join(t, 0); free(cells); return 0; }\n";
    let place = Place::new();
    place.write("program.c", text);
    let ended = place.selvedge(&["cover", "program.c", "--symbolic-args", "1:1", "-o", "set"]);
    assert_eq!(ended.code, Some(5), "{ended:?}");
    let last = ended.out.lines().last().unwrap();
    let says = "which thread goes first depends on something that no operation shows";
    assert!(last.contains(says) && last.contains("program.c:"), "{last}");
    assert!(!place.path("set").exists(), "no set is written");
}

#[test]
fn variables_of_two_sources_with_one_name_are_told_apart() {
    let place = Place::new();
    let sources = [
        ("main.c", include_str!("programs/sources_main.c")),
        ("other.c", include_str!("programs/sources_other.c")),
        ("sources.h", include_str!("programs/sources.h")),
    ];
    let (cover, _) = run(&place, &sources);
    let names: Vec<String> = cover.objects.iter().map(Object::to_string).collect();
    assert!(
        names.contains(&"lock#1/2".to_owned()) && names.contains(&"lock#2/2".to_owned()),
        "{names:?}"
    );
    // The other order of the sources is another program.
    let swapped = [
        "build",
        "other.c",
        "main.c",
        "--schedules",
        "set",
        "-o",
        "program",
    ];
    assert_eq!(place.selvedge(&swapped).code, Some(0));
    let (ended, _) = place.native("program", "a", 1);
    assert_eq!(ended.code, Some(120), "{ended:?}");
    let one = place.selvedge(&["build", "main.c", "--schedules", "set", "-o", "program"]);
    assert_eq!(one.code, Some(2), "{one:?}");
}

#[test]
fn run_takes_several_sources() {
    let place = Place::new();
    place.write("main.cc", "#include <cstdio>\nextern \"C\" int twice(int);\nint main(int, char **argv) { std::printf(\"%d\\n\", twice(argv[1][0])); }\n");
    place.write("twice.c", "int twice(int x) { return 2 * x; }\n");
    let ended = place.selvedge(&["run", "main.cc", "twice.c", "--symbolic-args", "1:1", "--", "0"]);
    assert_eq!((ended.code, &*ended.out), (Some(0), "96\n"), "{ended:?}");
}

//! What happens to processes and messages while a run is divided. Whatever happens, the report is
//! that of one machine.

use crate::processes::{Server, alone, long, of_threads, report};
use selvedge_cluster::nats::{Access, Server as Board};
use std::time::{Duration, Instant};

#[test]
fn whatever_happens_the_report_is_that_of_one_machine() {
    let (arguments, expected) = long();
    let mut server = Server::start();
    let mut workers = vec![server.worker(), server.worker()];
    let check = server.check(&arguments.each_ref().map(String::as_str));
    let pause = || std::thread::sleep(Duration::from_millis(400));
    pause();
    // It is killed, and another one begins.
    drop(workers.pop());
    workers.push(server.worker());
    pause();
    server.restart();
    pause();
    // It says nothing for so long that what it has goes to the other one, and answers then.
    workers[0].signal("-STOP");
    std::thread::sleep(Duration::from_secs(5));
    workers[0].signal("-CONT");
    let (report, said) = report(check);
    assert_eq!(report, *expected, "{said}");
    assert!(!said.contains("error"), "{said}");
}

#[test]
fn the_coordinator_is_killed_and_started_again() {
    let (arguments, expected) = long();
    let arguments = arguments.each_ref().map(String::as_str);
    let server = Server::start();
    let _workers = [server.worker(), server.worker()];
    let check = server.check(&arguments);
    // On a fast machine the search is over in a second, on one that is busy it begins after that.
    let begun = Instant::now();
    let board = Board::connect(&server.url(), &Access::default(), 1).unwrap();
    while !board.runs().unwrap().iter().any(|(_, record)| record.written > 0) {
        assert!(begun.elapsed() < Duration::from_secs(20), "{}", server.status());
        std::thread::sleep(Duration::from_millis(10));
    }
    std::thread::sleep(Duration::from_millis(100));
    drop(check);
    let (report, said) = report(server.check(&arguments));
    assert!(said.contains("was divided by"), "{said}");
    assert_eq!(report, *expected, "{said}");
}

#[test]
fn an_interrupted_run_goes_on_and_a_cancelled_one_does_not() {
    let server = Server::start();
    let _worker = server.worker();
    let arguments = of_threads("-DN=10");
    let arguments = arguments.each_ref().map(String::as_str);
    let check = server.check(&arguments);
    std::thread::sleep(Duration::from_millis(700));
    check.signal("-INT");
    let (interrupted, said) = report(check);
    assert_eq!(interrupted["verdict"], "unknown", "{said}");
    assert!(said.contains("is kept"), "{said}");

    let check = server.check(&arguments);
    let begun = Instant::now();
    let status = loop {
        let status = server.status();
        if status.contains("running: ") || begun.elapsed() > Duration::from_secs(10) {
            break status;
        }
    };
    assert!(
        status.contains("running: ") && status.contains("one_mutex.c"),
        "{status}"
    );
    let run = status.split_whitespace().nth(1).unwrap().to_owned();
    let started = Instant::now();
    let cancelled = server.selvedge(&["cluster", "cancel", &run]).status().unwrap();
    assert!(cancelled.success());
    let (report, said) = report(check);
    assert!(started.elapsed() < Duration::from_secs(4), "{said}");
    assert!(said.contains("going on with the run"), "{said}");
    assert_eq!(report["verdict"], "unknown", "{said}");
    assert!(report.to_string().contains("cluster cancel"), "{report}");
    let status = server.status();
    assert!(!status.contains("run "), "{status}");
}

/// The sixth thread must not be the first one: after the executions that come before that, what
/// others explore is of no use.
const SIXTH_FIRST: &str = "#include <assert.h>\n#include <pthread.h>\n\
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;\nstatic int count; static long first;\n\
    static void *add(void *p) { pthread_mutex_lock(&lock); if (!count++) first = (long)p;\n\
    assert(count < 9 || first != 5); pthread_mutex_unlock(&lock); return 0; }\n\
    int main(void) { pthread_t t[9]; for (long i = 0; i < 9; i++) pthread_create(t + i, 0, add, (void *)i);\n\
    for (int i = 0; i < 9; i++) pthread_join(t[i], 0); }\n";

#[test]
fn the_first_finding_stops_all_workers() {
    let server = Server::start();
    let path = server.directory().join("sixth.c");
    std::fs::write(&path, SIXTH_FIRST).unwrap();
    let arguments = [path.to_str().unwrap(), "--symmetry=off", "--recall=off"];
    let expected = alone(&arguments);
    let _workers = [server.worker(), server.worker(), server.worker()];
    let board = Board::connect(&server.url(), &Access::default(), 1).unwrap();
    let (found, said) = report(server.check(&arguments));
    let ended = Instant::now();
    assert_eq!(found["verdict"], "violated", "{said}");
    assert_eq!(found["statistics"], expected["statistics"], "{said}");
    let schedule = |report: &serde_json::Value| report["findings"][0]["schedule"].clone();
    assert_eq!(schedule(&found), schedule(&expected), "{said}");
    loop {
        let beats = board.beats_within(Duration::from_millis(1_100)).unwrap();
        let mut last = std::collections::BTreeMap::new();
        last.extend(beats.into_iter().map(|beat| (beat.worker.clone(), beat)));
        let idle = last
            .values()
            .filter(|beat| beat.has.is_none())
            .map(|beat| Duration::from_millis(beat.since));
        // The time since which all have nothing to do.
        if last.len() == 3 && idle.clone().count() == 3 {
            let all_idle = ended.elapsed().saturating_sub(idle.min().unwrap());
            assert!(all_idle < Duration::from_secs(2), "{all_idle:?}");
            return;
        }
        assert!(ended.elapsed() < Duration::from_secs(4), "{last:?}");
    }
}

//! Faults that are injected again and again while a search is divided: once each in the usual
//! tests, if no other test has them, and a hundred times with `SELVEDGE_LONG` (`cargo xtask
//! nightly`). After each search, the report is compared with that of one machine.

use crate::processes::{Process, Server, long, report};
use crate::proxy::Proxy;
use selvedge_cluster::nats::{Access, Server as Board};
use selvedge_cluster::wire::{Answer, Beat, Failing, Hand};
use selvedge_explore::kept::{Common, Done, GivenUnit, Part, Product, Progress, UnitState};
use selvedge_session::apart::{Made, Outcome, Task};
use std::process::Command;
use std::sync::Mutex;
use std::time::{Duration, Instant};

/// How often; 0 where the usual tests have the fault elsewhere.
fn times(usual: u32) -> u32 {
    match std::env::var_os("SELVEDGE_LONG") {
        Some(_) => 100,
        None => usual,
    }
}

fn pause(milliseconds: std::ops::Range<u64>) {
    std::thread::sleep(Duration::from_millis(fastrand::u64(milliseconds)));
}

/// A server and two workers, perhaps behind a proxy.
struct Scene {
    server: Server,
    proxy: Option<Proxy>,
    workers: Vec<Process>,
}

impl Scene {
    fn new() -> Scene {
        let server = Server::start();
        let workers = vec![server.worker(), server.worker()];
        Scene {
            server,
            proxy: None,
            workers,
        }
    }

    fn with_proxy() -> Scene {
        let server = Server::start();
        let proxy = Proxy::to(server.port());
        let worker = || server.worker_with(&["--cluster", &proxy.url()]);
        let workers = vec![worker(), worker()];
        Scene {
            server,
            proxy: Some(proxy),
            workers,
        }
    }

    fn check(&self) -> Process {
        let (arguments, _) = long();
        let mut arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        let url = self.proxy.as_ref().map(Proxy::url);
        arguments.extend(url.iter().flat_map(|url| ["--cluster", url]));
        self.server.check(&arguments)
    }

    /// Searches until the fault was injected so often. It says whether it was.
    fn inject(&mut self, what: &str, times: u32, fault: impl Fn(&mut Scene) -> bool) {
        self.inject_at_most(u32::MAX, what, times, fault);
    }

    /// The same, with so many faults in a search at most.
    fn inject_at_most(&mut self, most: u32, what: &str, times: u32, fault: impl Fn(&mut Scene) -> bool) {
        let (_, expected) = long();
        let (mut injected, mut searches, begun) = (0, 0, Instant::now());
        let board = Board::connect(&self.server.url(), &Access::default(), 1).unwrap();
        while injected < times {
            let mut check = self.check();
            // From when on it is divided.
            while board.runs().is_ok_and(|runs| runs.is_empty()) && check.0.try_wait().unwrap().is_none() {
                pause(20..30);
            }
            pause(0..300);
            let before = injected;
            while check.0.try_wait().unwrap().is_none() {
                if injected < most.saturating_add(before) {
                    injected += u32::from(fault(self));
                }
                pause(50..300);
            }
            let (found, said) = report(check);
            assert_eq!(found, *expected, "{what}: {said}");
            assert!(!said.contains("error"), "{what}: {said}");
            searches += 1;
        }
        if times > 0 {
            let seconds = begun.elapsed().as_secs();
            println!("{what}: {injected} times in {searches} searches, {seconds} s");
        }
    }
}

#[test]
fn a_worker_is_killed() {
    // A part that has lost three workers would be left out.
    Scene::new().inject_at_most(2, "a worker killed", times(0), |scene| {
        let number = fastrand::usize(0..2);
        scene.workers[number] = scene.server.worker();
        true
    });
}

#[test]
fn a_worker_is_stopped_until_others_have_its_part() {
    Scene::new().inject("a worker stopped for 5 s", times(0), |scene| {
        let worker = &scene.workers[fastrand::usize(0..2)];
        worker.signal("-STOP");
        pause(5_000..5_001);
        worker.signal("-CONT");
        true
    });
}

#[test]
fn a_worker_is_slow() {
    Scene::new().inject("a worker slow for 1 s", times(0), |scene| {
        for _ in 0..10 {
            scene.workers[0].signal("-STOP");
            pause(90..91);
            scene.workers[0].signal("-CONT");
            pause(10..11);
        }
        true
    });
}

#[test]
fn the_server_is_restarted() {
    Scene::new().inject("the server restarted", times(0), |scene| {
        scene.server.restart();
        pause(300..600);
        true
    });
}

#[test]
fn a_coordinator_is_killed() {
    let scene = Scene::new();
    let (_, expected) = long();
    for _ in 0..times(0) {
        let check = scene.check();
        pause(300..1_000);
        drop(check);
        let (found, said) = report(scene.check());
        assert_eq!(found, *expected, "{said}");
    }
    println!("the coordinator killed: {} times", times(0));
}

#[test]
fn connections_are_lost() {
    Scene::with_proxy().inject_at_most(3, "all connections cut", times(1), |scene| {
        scene.proxy.iter().for_each(Proxy::cut);
        pause(500..1_000);
        true
    });
}

#[test]
fn messages_are_repeated_and_late() {
    let mut scene = Scene::with_proxy();
    scene.proxy.iter().for_each(|proxy| {
        proxy.repeat();
        proxy.delay(30);
    });
    let sent = |scene: &Scene| scene.proxy.as_ref().map_or(0, Proxy::repeated);
    scene.inject("messages late, and answers and tasks twice", times(1), |scene| {
        let before = sent(scene);
        pause(100..200);
        sent(scene) > before
    });
    assert!(sent(&scene) >= u64::from(times(1)));
}

/// A worker that cannot write to any file: the first byte would end it.
#[test]
fn a_worker_needs_no_disk() {
    let mut scene = Scene::new();
    scene.workers.clear();
    for _ in 0..2 {
        let mut command = Command::new("sh");
        let run = "ulimit -f 0; exec \"$@\"";
        command
            .args(["-c", run, "sh", crate::SELVEDGE, "worker", "-j1"])
            .envs([("TMPDIR", "/nowhere"), ("HOME", "/nowhere")])
            .env("SELVEDGE_CLUSTER", scene.server.url())
            .current_dir(scene.server.directory())
            .stderr(std::process::Stdio::null());
        scene.workers.push(Process(command.spawn().unwrap()));
    }
    scene.inject("a search without a disk", times(1), |_| true);
    for worker in &mut scene.workers {
        assert!(worker.0.try_wait().unwrap().is_none(), "it wrote to a file");
    }
}

/// The server has no room for what a run needs: it ends, says why, and reports nothing.
#[test]
fn the_server_has_no_room() {
    if times(0) == 0 {
        return;
    }
    let server = Server::with_room(1_000);
    let worker = server.worker();
    let (arguments, _) = long();
    let mut check = server.check(&arguments.each_ref().map(String::as_str));
    let begun = Instant::now();
    while check.0.try_wait().unwrap().is_none() {
        assert!(begun.elapsed() < Duration::from_secs(60));
        pause(100..101);
    }
    let child = std::mem::replace(&mut check.0, Command::new("true").spawn().unwrap());
    let output = child.wait_with_output().unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    println!("{said}");
    assert_eq!(output.status.code(), Some(2), "{said}");
    assert!(output.stdout.is_empty());
    assert!(said.contains("error: ") && said.contains("resources"), "{said}");
    drop(worker);
}

/// What a worker of another version says, and answers of somebody who explores another program.
#[test]
fn others_take_part() {
    let mut scene = Scene::new();
    let board = Board::connect(&scene.server.url(), &Access::default(), 1).unwrap();
    let tasks = board.tasks().unwrap();
    // Three wrong answers about one part are the end of it.
    let answered = Mutex::new(Vec::new());
    scene.inject("another version, and another program's answer", times(1), |_| {
        board.beat(&Beat {
            worker: "stranger.1".to_owned(),
            tool: "0.0.0".to_owned(),
            has: None,
            since: 0,
        });
        let Ok(Some(turn)) = board.take(&tasks, Duration::from_millis(100)) else {
            return false;
        };
        let hand = turn.hand.clone().unwrap();
        let mut answered = answered.lock().unwrap();
        match &hand.task {
            Task::Part(Part::Unit(unit))
                if !answered.contains(&(hand.token.incarnation, unit.path.clone())) =>
            {
                answered.push((hand.token.incarnation, unit.path.clone()));
            }
            _ => {
                // It counts as a death to give a part back, and three are the end of it, too.
                let stopped = answer_of(&hand, Progress::Stopped, hand.common.clone());
                board.answer(&hand.run, &stopped).unwrap();
                board.done(turn);
                return false;
            }
        }
        let done = Progress::Done(Done {
            product: Product::default(),
            halt: None,
        });
        let common = Common {
            contended: vec![1, 2, 3],
            wide: !hand.common.wide,
            ..hand.common.clone()
        };
        let answer = answer_of(&hand, done, common);
        board.answer(&hand.run, &answer).unwrap();
        board.done(turn);
        true
    });
}

fn answer_of(hand: &Hand, progress: Progress, common: Common) -> Answer {
    Answer {
        token: hand.token,
        worker: "stranger.2".to_owned(),
        spent: 1,
        made: Ok(Made {
            outcome: Outcome::Part(progress),
            common,
            learned: Default::default(),
        }),
    }
}

/// The stored program is replaced by another one: workers refuse it, and say so.
#[test]
fn the_program_is_another_one() {
    let mut scene = Scene::new();
    scene.workers.clear();
    let (_, expected) = long();
    let board = Board::connect(&scene.server.url(), &Access::default(), 1).unwrap();
    let tasks = board.tasks().unwrap();
    let check = scene.check();
    let begun = Instant::now();
    let hand = loop {
        if let Some(turn) = board.take(&tasks, Duration::from_millis(200)).unwrap() {
            let hand = turn.hand.clone().unwrap();
            board.give_back(turn);
            break hand;
        }
        assert!(begun.elapsed() < Duration::from_secs(10));
    };
    let name = format!("{}-{}", hand.run, hand.module);
    let right = board.stored(&name).unwrap();
    board.store(&name, b"another one").unwrap();
    scene.workers.push(scene.server.worker());
    pause(1_200..1_201);
    board.store(&name, &right).unwrap();
    let (found, said) = report(check);
    assert!(said.contains("refuses: the task is of another program"), "{said}");
    assert_eq!(found, *expected, "{said}");
}

/// A part whose worker dies three times is left out, and can be explored alone.
#[test]
fn a_part_that_ends_its_workers_is_left_out() {
    let said = left_out(|part| matches!(part, Part::Unit(_)));
    assert!(!said.contains("given away"), "{said}");
}

/// The same of a part that had given units away: they are not explored with it.
#[test]
fn a_part_with_gaps_is_left_out() {
    if times(0) == 0 {
        return;
    }
    // What others have explored already comes with the part.
    let waits = |given: &GivenUnit| !matches!(given.unit.state, UnitState::Done(_));
    let said = left_out(|part| match part {
        Part::Rest(begun) => begun.given.iter().any(waits),
        Part::Unit(unit) => {
            matches!(&unit.state, UnitState::Begun(begun) if begun.given.iter().any(waits))
        }
        Part::Whole => false,
    });
    assert!(
        said.contains("not complete: parts that it had given away are not explored here"),
        "{said}"
    );
}

/// Leaves out a part of which something holds. What `cluster part` says of it.
fn left_out(is_it: impl Fn(&Part) -> bool) -> String {
    let mut scene = Scene::new();
    let board = Board::connect(&scene.server.url(), &Access::default(), 1).unwrap();
    let tasks = board.tasks().unwrap();
    // The workers may have taken all parts before the stranger gets one.
    let check = (0..20).find_map(|_| {
        let mut check = scene.check();
        while check.0.try_wait().unwrap().is_none() {
            let Some(turn) = board.take(&tasks, Duration::from_millis(100)).unwrap() else {
                continue;
            };
            let hand = turn.hand.clone().unwrap();
            if !matches!(&hand.task, Task::Part(part) if is_it(part)) {
                board.give_back(turn);
                continue;
            }
            // What the fourth worker says. Each of three needs four seconds to be missed.
            let answer = Answer {
                token: hand.token,
                worker: "stranger.1".to_owned(),
                spent: 0,
                made: Err(Failing::Kills(3)),
            };
            board.answer(&hand.run, &answer).unwrap();
            board.done(turn);
            return Some(check);
        }
        None
    });
    let check = check.expect("a part for the stranger");
    let (found, said) = report(check);
    assert_eq!(found["verdict"], "unknown", "{said}");
    // What is left of the first part begins where the program does.
    let place = ["threads ", "the beginning"].map(|place| format!("ended 3 workers: {place}"));
    let report = found.to_string();
    assert!(place.iter().any(|place| report.contains(place)), "{report}");
    let alone = explores_alone(&scene, &said);
    scene.workers.clear();
    alone
}

/// Runs the command that a message names. What it says.
fn explores_alone(scene: &Scene, said: &str) -> String {
    let (_, rest) = said.split_once("`selvedge cluster part ").expect("a command");
    let (part, _) = rest.split_once('`').unwrap();
    let run = |options: &[&str]| {
        let mut command = scene.server.selvedge(&["cluster", "part", part]);
        command.args(options).output().unwrap()
    };
    let explored = run(&[]);
    let text = String::from_utf8(explored.stdout).unwrap();
    let executions = text
        .split_whitespace()
        .next()
        .and_then(|word| word.parse::<u64>().ok());
    assert!(executions.is_some_and(|count| count > 0), "{text}");
    assert_eq!(run(&["--remove"]).status.code(), Some(0));
    assert_eq!(run(&[]).status.code(), Some(2));
    text
}

/// The same with workers that say nothing any more.
#[test]
fn a_part_is_left_out_after_three_deaths() {
    if times(0) == 0 {
        return;
    }
    let mut scene = Scene::new();
    scene.workers.clear();
    let board = Board::connect(&scene.server.url(), &Access::default(), 1).unwrap();
    let tasks = board.tasks().unwrap();
    let check = scene.check();
    let mut deaths = 0;
    while deaths < 3 {
        let turn = board.take(&tasks, Duration::from_millis(500)).unwrap();
        deaths += u32::from(turn.is_some());
    }
    scene.workers.push(scene.server.worker());
    let (found, said) = report(check);
    assert_eq!(found["verdict"], "unknown", "{said}");
    explores_alone(&scene, &said);
}

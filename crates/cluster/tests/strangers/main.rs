//! Messages of strangers. Whatever is in a message, who reads it neither panics nor waits nor takes
//! more memory than the message can account for, and a session has an end.
//!
//! `SELVEDGE_LONG` makes it long, and `SELVEDGE_SEED` decides what is changed.

mod change;
mod played;

use fastrand::Rng;
use played::{Played, subject};
use selvedge_base::StmtId;
use selvedge_cluster::wire::{Answer, Beat, Failing, Hand, Order};
use selvedge_cluster::{Coordinator, Left, Pace, Present, Saved};
use selvedge_explore::Stop;
use selvedge_model::Limit;
use selvedge_session::{Error, Options, Strategy, Symmetry, Unobserved, check_apart};
use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::time::{Duration, Instant};

/// The longest time for one session.
const LONGEST: Duration = Duration::from_secs(20);

/// The number of sessions in the usual test.
const USUAL: u64 = 200;

/// The most memory of all sessions, in KiB.
const MOST: u64 = 2 << 20;

fn number(name: &str, otherwise: u64) -> u64 {
    let text = std::env::var(name).ok();
    text.and_then(|text| text.parse().ok()).unwrap_or(otherwise)
}

fn is_long() -> bool {
    std::env::var_os("SELVEDGE_LONG").is_some()
}

fn time() -> Duration {
    match is_long() {
        true => Duration::from_secs(number("SELVEDGE_SECONDS", 300)),
        false => Duration::from_secs(1),
    }
}

/// The most memory that this process ever had, in KiB.
fn peak() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|line| line.starts_with("VmHWM:")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse().unwrap()
}

fn options(file: &str, strategy: Strategy) -> Options {
    let mut options = Options {
        strategy: Some(strategy),
        stop: Stop::Never,
        max_executions: (strategy == Strategy::Random).then_some(20),
        ..Options::default()
    };
    options.setup.frontend.define = vec![format!("N={}", if is_long() { 7 } else { 6 })];
    options.symmetry = Symmetry::Off;
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    options.setup.inputs = vec![root.join(file)];
    options
}

#[test]
fn no_message_of_a_session_does_harm() {
    let programs: Vec<_> = [
        ("examples/bank_transfer.c", Strategy::Dpor),
        ("benches/one_mutex.c", Strategy::Dpor),
        ("benches/one_mutex.c", Strategy::Dpor),
        ("corpus/c/safe/symbolic_input.c", Strategy::Dpor),
        ("examples/bank_transfer.c", Strategy::Random),
    ]
    .into_iter()
    .map(|(file, strategy)| {
        let options = options(file, strategy);
        let loaded = options.setup.load().unwrap();
        let played = Played::new(Rng::with_seed(0), usize::MAX);
        check_apart(&loaded, &options, &Unobserved, &played).unwrap();
        println!("{file}: {} messages", played.sent());
        (options, loaded, played.sent())
    })
    .collect();
    let seed = number("SELVEDGE_SEED", 0);
    let (begun, mut kinds) = (Instant::now(), BTreeMap::<&str, (u32, u32)>::new());
    let mut failed = Vec::new();
    for input in number("SELVEDGE_FIRST", 0).. {
        let is_over = match is_long() {
            true => begun.elapsed() > time(),
            false => input == USUAL,
        };
        if is_over || failed.len() > 20 {
            break;
        }
        let mut random = Rng::with_seed(seed.rotate_left(40) ^ input);
        let (options, loaded, messages) = &programs[random.usize(..programs.len())];
        let at = random.usize(..*messages);
        let played = Played::new(random, at);
        let started = Instant::now();
        let ended = catch_unwind(AssertUnwindSafe(|| {
            check_apart(loaded, options, &Unobserved, &played)
        }));
        let took = started.elapsed();
        let changed = played.changed.lock().unwrap().unwrap_or("nothing");
        let count = kinds.entry(changed).or_default();
        count.0 += 1;
        count.1 += u32::from(played.was_read.into_inner());
        let what = match ended {
            Err(panic) => {
                let text = panic.downcast_ref::<String>().cloned();
                let text = text.or_else(|| panic.downcast_ref::<&str>().map(|&text| text.to_owned()));
                format!("a panic: {}", text.unwrap_or_default())
            }
            Ok(_) if took > LONGEST => format!("it took {took:?}"),
            Ok(_) if peak() > MOST => format!("{} KiB of memory", peak()),
            // A state can be one from which nothing leads on. Then the user ends the run.
            Ok(Err(Error::Program(text))) if text == "it has no end" && changed == "task" => text,
            Ok(_) => continue,
        };
        println!("input {input} of seed {seed}: {changed}: {what}");
        failed.push(input);
    }
    println!("{kinds:?}");
    assert!(failed.is_empty(), "{failed:?}");
    // Enough of what is sent has to be read, although no worker and no coordinator would send it.
    for kind in ["task", "answer", "saved run", "program"] {
        let (all, read) = kinds.get(kind).copied().unwrap_or_default();
        assert!(all >= 5 && read > all / 8, "{kind}: {read} of {all} were read");
    }
}

/// A coordinator goes on with a run that somebody else has saved.
#[test]
fn no_saved_run_does_harm() {
    let options = options("benches/one_mutex.c", Strategy::Dpor);
    let loaded = options.setup.load().unwrap();
    let played = Played::new(Rng::with_seed(0), usize::MAX);
    check_apart(&loaded, &options, &Unobserved, &played).unwrap();
    let saved = played.kept.into_inner().unwrap().unwrap();
    let mut random = Rng::with_seed(number("SELVEDGE_SEED", 0));
    let (begun, mut read) = (Instant::now(), 0);
    while begun.elapsed() < time() / 3 {
        let Some(changed) = change::value(&mut random, &saved) else {
            continue;
        };
        let Ok(changed) = Saved::read(&changed.bytes().unwrap()) else {
            continue;
        };
        let Some(Present {
            mut plot, regions, ..
        }) = changed.present
        else {
            continue;
        };
        read += 1;
        plot.give_up_all();
        let mut coordinator = Coordinator::new(Pace::default(), subject(&[]), plot, regions, 1);
        for now in 0..4 {
            let (hands, _) = coordinator.tick(now);
            hands.iter().for_each(|hand| drop(hand.bytes()));
            for hand in hands {
                let answer = Answer {
                    token: hand.token,
                    worker: "worker".to_owned(),
                    spent: 1,
                    made: Err(Failing::Kills(3)),
                };
                coordinator.take(answer, now);
            }
        }
        let (plot, _) = coordinator.plot();
        plot.report(Limit::stopped(StmtId(0)));
        plot.statistics();
    }
    assert!(read > 20, "{read}");
}

#[test]
fn no_bytes_do_harm() {
    let mut random = Rng::with_seed(number("SELVEDGE_SEED", 0));
    let begun = Instant::now();
    while begun.elapsed() < time() / 5 {
        let mut bytes: Vec<u8> = (0..random.usize(..200)).map(|_| random.u8(..)).collect();
        // The version, and lengths that nothing follows.
        if random.bool() {
            bytes.insert(0, selvedge_cluster::wire::VERSION);
        }
        if random.bool() {
            bytes.extend([0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01]);
        }
        let _ = Hand::read(&bytes);
        let _ = Answer::read(&bytes);
        let _ = Beat::read(&bytes);
        let _ = Order::read(&bytes);
        let _ = Saved::read(&bytes);
        if let Ok(left) = Left::read(&bytes) {
            let _ = left.explore();
        }
    }
    assert!(peak() < MOST, "{} KiB", peak());
}

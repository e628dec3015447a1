//! The coordinator against a simulated queue and simulated workers, which lose, delay and repeat
//! messages and die: whatever happens, the report is that of one worker.

use selvedge_base::ContextId;
use selvedge_cluster::wire::{Answer, Beat, Failing, Hand, Order, Token};
use selvedge_cluster::{Coordinator, End, Left, Pace, Plot, Subject};
use selvedge_detect::DeadlockDetector;
use selvedge_explore::kept::{Common, Misfit, Part, Parts, Progress};
use selvedge_explore::{Config, Control, Findings, Report, Stop, dpor};
use selvedge_model::toy::{Toy, ToyMachine, mixed_toy, random_toy};
use selvedge_model::{StopReason, Verdict};
use selvedge_session::apart::{Made, Outcome, Task};
use selvedge_vm::Carried;
use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering::Relaxed};

struct One {
    part: Mutex<Option<Part>>,
    made: Mutex<Option<(Result<Progress, Misfit>, Common)>>,
    wanted: AtomicUsize,
    left: AtomicU64,
}

impl Parts for One {
    fn next(&self) -> Option<Part> {
        self.part.lock().unwrap().take()
    }
    fn made(&self, progress: Result<Progress, Misfit>, common: &Common) {
        *self.made.lock().unwrap() = Some((progress, common.clone()));
    }
    fn wanted(&self) -> usize {
        self.wanted.load(Relaxed)
    }
    fn gave(&self, units: usize) {
        let wanted = self.wanted.fetch_sub(units, Relaxed);
        assert!(
            wanted >= units,
            "{units} units were given away, and {wanted} wanted"
        );
    }
    fn is_due(&self) -> bool {
        self.left.fetch_sub(1, Relaxed) == 1
    }
}

fn explored(toy: &Toy, config: &Config, hand: &Hand, (wanted, executions): (usize, u64)) -> Made {
    let Task::Part(part) = &hand.task else {
        panic!("a part was asked for")
    };
    let one = One {
        part: Mutex::new(Some(part.clone())),
        made: Mutex::default(),
        wanted: AtomicUsize::new(wanted),
        left: AtomicU64::new(executions),
    };
    let machine = (ToyMachine::new(toy).unwrap(), DeadlockDetector::new());
    let config = Config {
        findings: Findings::new(),
        ..config.clone()
    };
    dpor::explore_parts(machine, &config, &Control::new(), &hand.common, &one);
    let (progress, common) = one.made.into_inner().unwrap().unwrap();
    Made {
        outcome: match progress {
            Ok(progress) => Outcome::Part(progress),
            Err(misfit) => Outcome::Misfit(misfit.to_string()),
        },
        common,
        learned: Carried {
            executed: 1,
            ..Carried::default()
        },
    }
}

fn without_contexts(mut report: Report) -> Report {
    for found in &mut report.faults {
        found.fault.context = ContextId(0);
        found.fault.related.iter_mut().for_each(|r| r.2 = ContextId(0));
    }
    report
}

fn whole(toy: &Toy, config: &Config) -> Report {
    let make = || (ToyMachine::new(toy).unwrap(), DeadlockDetector::new());
    without_contexts(dpor::explore(&make, config, &Control::new()))
}

/// How often something goes wrong: once in so many times; 0 is never.
#[derive(Clone, Copy, Debug, Default)]
struct Faults {
    repeats: u64,
    delays: u64,
    dies: u64,
    restarts: u64,
    loses: u64,
}

/// The simulated queue and workers.
struct World<'a> {
    toy: &'a Toy,
    config: &'a Config,
    random: fastrand::Rng,
    faults: Faults,
    now: u64,
    queue: Vec<(u64, Hand, u32)>,
    answers: Vec<(u64, Vec<u8>)>,
    workers: Vec<Option<(u64, Hand)>>,
    /// Units that end each worker that begins them, by the beginning of their path.
    deadly: Option<usize>,
    /// The answers that counted.
    learned: u64,
    deaths: u64,
}

impl World<'_> {
    fn happens(&mut self, rate: u64) -> bool {
        rate > 0 && self.random.u64(0..rate) == 0
    }

    fn send(&mut self, hand: Hand) {
        let bytes = hand.bytes().expect("it is short");
        let hand = Hand::read(&bytes).expect("it was just written");
        let copies = 1 + u32::from(self.happens(self.faults.repeats));
        for _ in 0..copies {
            if !self.happens(self.faults.loses) {
                self.queue.push((self.now, hand.clone(), 0));
            }
        }
    }

    fn answer(&mut self, worker: usize, token: Token, made: Result<Made, Failing>) {
        let answer = Answer {
            token,
            worker: worker.to_string(),
            spent: 50,
            made,
        };
        let bytes = answer.bytes().expect("it is short");
        let copies = 1 + u64::from(self.happens(self.faults.repeats));
        for _ in 0..copies {
            let late = self.happens(self.faults.delays);
            let at = self.now + if late { self.random.u64(0..60_000) } else { 1 };
            self.answers.push((at, bytes.clone()));
        }
    }

    fn work(&mut self, coordinator: &mut Coordinator, splits: &BTreeMap<Token, u32>) {
        for worker in 0..self.workers.len() {
            if let Some((until, hand)) = self.workers[worker].take() {
                let asked = splits.get(&hand.token).copied().unwrap_or_default();
                let Task::Part(part) = &hand.task else { continue };
                let path = match part {
                    Part::Unit(unit) => unit.path.len(),
                    _ => 0,
                };
                if self.deadly == Some(path) && path > 0 || self.happens(self.faults.dies) {
                    // The queue delivers it again.
                    self.deaths += 1;
                    let tries = 1 + self.deadly.map_or(0, |_| 1);
                    self.queue.push((self.now + 1_000, hand, tries));
                    continue;
                }
                if until > self.now && asked == 0 {
                    self.workers[worker] = Some((until, hand));
                } else {
                    let executions = self.random.u64(1..6);
                    let made = explored(self.toy, self.config, &hand, (asked as usize, executions));
                    self.answer(worker, hand.token, Ok(made));
                }
            } else if let Some(at) = self.queue.iter().position(|(at, ..)| *at <= self.now) {
                let (_, hand, tries) = self.queue.remove(at);
                if tries > 0 && self.deadly.is_some() {
                    self.answer(worker, hand.token, Err(Failing::Kills(3)));
                } else {
                    let time = self.random.u64(1..300);
                    self.workers[worker] = Some((self.now + time, hand));
                }
            }
            let has = self.workers[worker].as_ref();
            let beat = Beat {
                worker: worker.to_string(),
                tool: String::new(),
                has: has.map(|(_, hand)| ("run".to_owned(), hand.token)),
                since: 200,
            };
            coordinator.hear(&Beat::read(&beat.bytes().unwrap()).unwrap(), self.now);
        }
    }
}

fn coordinator(plot: Plot, regions: Option<Vec<(u32, u32)>>, incarnation: u64) -> Coordinator {
    let subject = Subject {
        run: "run".to_owned(),
        module: "m".to_owned(),
        terms: "t".to_owned(),
        splits: true,
    };
    Coordinator::new(Pace::default(), subject, plot, regions, incarnation)
}

struct Outcomes {
    report: Report,
    learned: u64,
    deaths: u64,
    restarts: u64,
}

fn simulate(toy: &Toy, config: &Config, seed: u64, faults: Faults, deadly: Option<usize>) -> Outcomes {
    let mut world = World {
        toy,
        config,
        random: fastrand::Rng::with_seed(seed),
        faults,
        now: 0,
        queue: Vec::new(),
        answers: Vec::new(),
        workers: vec![None; 3],
        deadly,
        learned: 0,
        deaths: 0,
    };
    let mut one = coordinator(Plot::search(Common::first(config.peek)), None, 1);
    let mut saved = (one.plot().0.clone(), None, 0);
    let mut restarts = 0;
    while world.now < 100_000_000 {
        world.now += 40;
        let (hands, orders) = one.tick(world.now);
        hands.into_iter().for_each(|hand| world.send(hand));
        let mut splits = BTreeMap::new();
        for order in orders {
            if let Order::Split(token, units) = order {
                splits.insert(token, units);
            }
        }
        world.work(&mut one, &splits);
        let now = world.now;
        let due: Vec<_> = world.answers.extract_if(.., |(at, _)| *at <= now).collect();
        for (_, bytes) in due {
            let taken = one.take(Answer::read(&bytes).expect("it was written"), world.now);
            world.learned += taken.learned.map_or(0, |learned| learned.executed);
            match taken.end {
                Some(End::Report(report)) => {
                    return Outcomes {
                        report: without_contexts(*report),
                        learned: world.learned,
                        deaths: world.deaths,
                        restarts,
                    };
                }
                Some(End::Failed(_)) => panic!("nothing is assumed"),
                None => {}
            }
        }
        if world.happens(20) {
            let (plot, regions) = one.plot();
            saved = (plot.clone(), regions.cloned(), world.learned);
        }
        if world.happens(faults.restarts) {
            restarts += 1;
            let (mut plot, regions, learned) = saved.clone();
            plot.give_up_all();
            one = coordinator(plot, regions, 1 + restarts);
            world.learned = learned;
        }
    }
    panic!("it does not come to its end: {faults:?}");
}

fn toys(seeds: std::ops::Range<u64>) -> impl Iterator<Item = (u64, Toy)> {
    let small = |(_, toy): &(u64, Toy)| {
        let config = Config {
            max_executions: Some(120),
            stop: Stop::Never,
            ..Config::default()
        };
        whole(toy, &config).stop == StopReason::Complete
    };
    seeds
        .flat_map(|seed| [(seed, random_toy(seed)), (seed, mixed_toy(seed))])
        .filter(small)
}

#[test]
fn whatever_happens_the_report_is_that_of_one_worker() {
    let often = Faults {
        repeats: 3,
        delays: 4,
        dies: 8,
        restarts: 40,
        loses: 10,
    };
    let (mut deaths, mut restarts) = (0, 0);
    for (seed, toy) in toys(0..40) {
        for (stop, faults) in [
            (Stop::Never, Faults::default()),
            (Stop::Never, often),
            (Stop::First, often),
        ] {
            let config = Config {
                stop,
                ..Config::default()
            };
            let outcomes = simulate(&toy, &config, seed, faults, None);
            assert_eq!(
                outcomes.report,
                whole(&toy, &config),
                "seed {seed}, {stop:?}, {faults:?}"
            );
            assert!(outcomes.learned > 0);
            deaths += outcomes.deaths;
            restarts += outcomes.restarts;
        }
    }
    assert!(deaths > 50 && restarts > 20, "{deaths} {restarts}");
}

#[test]
fn a_unit_that_ends_its_workers_is_left_out() {
    let mut left_out = 0;
    for (seed, toy) in toys(0..60) {
        let config = Config {
            stop: Stop::Never,
            ..Config::default()
        };
        let expected = whole(&toy, &config);
        for length in 1..6 {
            let outcomes = simulate(&toy, &config, seed, Faults::default(), Some(length));
            if outcomes.deaths == 0 {
                assert_eq!(outcomes.report, expected);
                continue;
            }
            left_out += 1;
            assert_ne!(outcomes.report.verdict(), Verdict::Verified);
            let details = outcomes.report.limits.iter().map(|limit| &limit.detail);
            assert!(
                details
                    .clone()
                    .any(|detail| detail.contains("ended 3 workers: threads "))
            );
        }
    }
    assert!(left_out > 3, "{left_out}");
}

#[test]
fn an_answer_counts_once_and_only_if_it_is_awaited() {
    let toy = random_toy(1);
    let config = Config {
        stop: Stop::Never,
        ..Config::default()
    };
    let mut one = coordinator(Plot::search(Common::default()), None, 7);
    let (hands, _) = one.tick(0);
    let [hand] = &hands[..] else {
        panic!("there is one unit")
    };
    let made = explored(&toy, &config, hand, (0, 1));
    let answer = |incarnation| Answer {
        token: Token {
            incarnation,
            ..hand.token
        },
        worker: "w".to_owned(),
        spent: 1,
        made: Ok(made.clone()),
    };
    let before = one.plot().0.clone();
    assert_eq!(one.take(answer(6), 1), selvedge_cluster::Taken::default());
    assert_eq!(*one.plot().0, before);
    assert!(one.take(answer(7), 2).learned.is_some());
    let after = one.plot().0.clone();
    assert_eq!(one.take(answer(7), 3).learned, None);
    assert_eq!(*one.plot().0, after);
}

/// Messages of a search of a toy: a part that was begun and has given units away, and its answer.
fn messages(toy: &Toy, config: &Config) -> Vec<(Vec<u8>, Vec<u8>)> {
    let mut one = coordinator(Plot::search(Common::default()), None, 7);
    let mut messages = Vec::new();
    for now in 0..40 {
        let (hands, _) = one.tick(now);
        for hand in hands {
            let made = explored(toy, config, &hand, (2, 2));
            let answer = Answer {
                token: hand.token,
                worker: "w".to_owned(),
                spent: 1,
                made: Ok(made),
            };
            messages.push((hand.bytes().unwrap(), answer.bytes().unwrap()));
            one.take(answer, now);
        }
    }
    messages
}

#[test]
fn changed_messages_are_refused_or_harmless() {
    let config = Config {
        stop: Stop::Never,
        max_executions: Some(200),
        ..Config::default()
    };
    let mut random = fastrand::Rng::with_seed(3);
    let (mut refused, mut explored_some, mut misfits) = (0, 0, 0);
    for (seed, toy) in toys(0..25) {
        for (hand, answer) in messages(&toy, &config) {
            assert_eq!(Hand::read(&hand).unwrap().bytes().unwrap(), hand, "seed {seed}");
            assert_eq!(
                Answer::read(&answer).unwrap().bytes().unwrap(),
                answer,
                "seed {seed}"
            );
            assert!(Hand::read(&hand[..hand.len() - 1]).is_err());
            for _ in 0..20 {
                let (mut hand, mut answer) = (hand.clone(), answer.clone());
                for bytes in [&mut hand, &mut answer] {
                    for _ in 0..random.usize(1..4) {
                        let at = random.usize(0..bytes.len());
                        bytes[at] = random.u8(..);
                    }
                }
                if let Ok(answer) = Answer::read(&answer) {
                    let mut one = coordinator(Plot::search(Common::default()), None, 7);
                    one.tick(0);
                    one.take(answer, 1);
                }
                match Hand::read(&hand) {
                    Ok(hand) => match explored(&toy, &config, &hand, (0, 4)).outcome {
                        Outcome::Misfit(_) => misfits += 1,
                        _ => explored_some += 1,
                    },
                    Err(_) => refused += 1,
                }
            }
        }
    }
    assert!(
        refused > 50 && misfits > 50 && explored_some > 50,
        "{refused} {misfits} {explored_some}"
    );
}

#[test]
fn messages_of_other_versions_and_long_ones_are_not_read() {
    use selvedge_cluster::wire::Unreadable;
    let beat = Beat {
        worker: "w".to_owned(),
        tool: "t".to_owned(),
        has: None,
        since: 1,
    };
    let mut bytes = beat.bytes().unwrap();
    assert_eq!(Beat::read(&bytes), Ok(beat));
    bytes[0] += 1;
    assert_eq!(Beat::read(&bytes), Err(Unreadable::OtherVersion));
    let long = vec![1; selvedge_cluster::wire::LONGEST + 1];
    assert_eq!(Beat::read(&long), Err(Unreadable::TooLong(long.len())));
    assert_eq!(Hand::read(&[]), Err(Unreadable::Damaged));
}

#[test]
fn changed_small_messages_are_read_or_refused() {
    let token = Token {
        incarnation: 1 << 40,
        number: 300,
    };
    let beat = Beat {
        worker: "host.1.2".to_owned(),
        tool: "0.1.0".to_owned(),
        has: Some(("run".to_owned(), token)),
        since: 5_000,
    };
    let left = Left {
        module: vec![1; 40],
        terms: vec![2; 40],
        hand: vec![3; 40],
    };
    let orders = [
        Order::Split(token, 3),
        Order::Drop(vec![token; 3]),
        Order::End("run".to_owned()),
        Order::EndOf(1 << 40),
        Order::Show,
    ];
    let mut messages = vec![beat.bytes().unwrap(), left.bytes().unwrap()];
    messages.extend(orders.iter().map(|order| order.bytes().unwrap()));
    for (order, bytes) in orders.iter().zip(&messages[2..]) {
        assert_eq!(Order::read(bytes).as_ref(), Ok(order));
    }
    assert_eq!(Left::read(&messages[1]), Ok(left));
    let mut random = fastrand::Rng::with_seed(5);
    let (mut known, mut refused) = (0, 0);
    for _ in 0..20_000 {
        let mut bytes = messages[random.usize(..messages.len())].clone();
        match random.u8(..3) {
            0 => bytes.truncate(random.usize(..bytes.len())),
            1 => bytes.push(random.u8(..)),
            _ => {
                for _ in 0..random.usize(1..4) {
                    let at = random.usize(..bytes.len());
                    bytes[at] = random.u8(..);
                }
            }
        }
        // Whatever is read can be written again.
        if let Ok(order) = Order::read(&bytes) {
            assert_eq!(Order::read(&order.bytes().unwrap()), Ok(order));
            known += 1;
        } else {
            refused += 1;
        }
        if let Ok(beat) = Beat::read(&bytes) {
            assert_eq!(Beat::read(&beat.bytes().unwrap()), Ok(beat));
        }
        if let Ok(left) = Left::read(&bytes) {
            assert!(left.explore().is_err(), "it has no program");
        }
    }
    assert!(known > 100 && refused > 100, "{known} {refused}");
}

//! A session whose exploration is divided as by the product, with a worker in this process and
//! messages as bytes. One of the messages is not the one that was sent.

use crate::change;
use fastrand::Rng;
use selvedge_cluster::wire::{Answer, Beat, Hand};
use selvedge_cluster::{Coordinator, End, Pace, Plot, Present, Saved, Subject};
use selvedge_explore::kept::{Common, Part, Progress};
use selvedge_session::apart::{Elsewhere, Explored, Made, Outcome, Phase, Task, Terms, hash};
use selvedge_session::{Error, PartsWorker, Source};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// A worker that is still busy after this is told to stop.
const SLICE: Duration = Duration::from_millis(200);

/// How a session is played.
pub struct Played {
    random: Mutex<Rng>,
    /// The number of the message that is changed, and how many there were.
    at: usize,
    sent: AtomicUsize,
    /// What was changed.
    pub changed: Mutex<Option<&'static str>>,
    /// True if what was changed was taken for a message.
    pub was_read: AtomicBool,
    /// The last state of the run that was saved.
    pub kept: Mutex<Option<Saved>>,
    /// Modules whose machines are ready.
    ready: Mutex<BTreeMap<(String, String), Arc<PartsWorker>>>,
}

/// A source of one part.
struct One {
    part: Mutex<Option<Part>>,
    made: Mutex<Option<Made>>,
    wanted: AtomicUsize,
    left: AtomicUsize,
}

impl Source for One {
    fn next(&self) -> Option<Part> {
        self.part.lock().unwrap().take()
    }
    fn made(&self, made: Made) {
        *self.made.lock().unwrap() = Some(made);
    }
    fn wanted(&self) -> usize {
        self.wanted.load(Relaxed)
    }
    fn gave(&self, units: usize) {
        self.wanted.fetch_sub(units, Relaxed);
    }
    fn is_due(&self) -> bool {
        self.left.fetch_sub(1, Relaxed) == 1
    }
}

impl Played {
    /// The message number `at` is changed, in a way that `random` decides.
    pub fn new(random: Rng, at: usize) -> Played {
        Played {
            random: Mutex::new(random),
            at,
            sent: AtomicUsize::new(0),
            changed: Mutex::default(),
            was_read: AtomicBool::new(false),
            kept: Mutex::default(),
            ready: Mutex::default(),
        }
    }

    /// The number of messages so far.
    pub fn sent(&self) -> usize {
        self.sent.load(Relaxed)
    }

    /// True if it is the turn of a message that has this name to be changed.
    fn is_turn(&self, name: &'static str) -> bool {
        let turn = self.sent.fetch_add(1, Relaxed) == self.at;
        if turn {
            *self.changed.lock().unwrap() = Some(name);
        }
        turn
    }

    fn hand(&self, hand: &Hand) -> Vec<u8> {
        let bytes = hand.bytes().unwrap();
        if !self.is_turn("task") {
            return bytes;
        }
        let mut random = self.random.lock().unwrap();
        if random.u8(..4) == 0 {
            return change::bytes(&mut random, bytes);
        }
        let mut hand = hand.clone();
        let parts = (&hand.task, &hand.common, &hand.regions, hand.slice);
        if let Some((task, common, regions, slice)) = change::value(&mut random, &owned(parts)) {
            (hand.task, hand.common, hand.regions, hand.slice) = (task, common, regions, slice);
        }
        // Units in units have no bytes.
        hand.bytes().unwrap_or(bytes)
    }

    fn answer(&self, answer: &Answer) -> Vec<u8> {
        let bytes = answer.bytes().unwrap();
        if !self.is_turn("answer") {
            return bytes;
        }
        let mut random = self.random.lock().unwrap();
        let mut answer = answer.clone();
        let Ok(made) = &answer.made else { return bytes };
        if random.u8(..4) == 0 {
            return change::bytes(&mut random, bytes);
        }
        if let Some((made, spent)) = change::value(&mut random, &(made.clone(), answer.spent)) {
            (answer.made, answer.spent) = (Ok(made), spent);
        }
        answer.bytes().unwrap_or(bytes)
    }

    fn saved(&self, saved: &Saved) -> Vec<u8> {
        let bytes = saved.bytes().unwrap();
        if !self.is_turn("saved run") {
            return bytes;
        }
        let mut random = self.random.lock().unwrap();
        if random.u8(..4) == 0 {
            return change::bytes(&mut random, bytes);
        }
        let changed = change::value(&mut random, saved);
        changed.map_or(bytes, |saved| saved.bytes().unwrap())
    }

    /// The module and the terms as a worker gets them.
    fn program(&self, module: &[u8], terms: &Terms) -> (Vec<u8>, Vec<u8>) {
        let (module, bytes) = (module.to_vec(), terms.bytes().unwrap());
        if !self.is_turn("program") {
            return (module, bytes);
        }
        let mut random = self.random.lock().unwrap();
        match random.u8(..4) {
            0 => (module, change::bytes(&mut random, bytes)),
            1 => {
                let terms = change::value(&mut random, terms);
                (module, terms.map_or(bytes, |terms| terms.bytes().unwrap()))
            }
            _ => {
                let module = match postcard::from_bytes::<selvedge_ir::Module>(&module) {
                    Ok(read) if random.u8(..8) > 0 => change::value(&mut random, &read)
                        .map_or(module, |other| Terms::module_bytes(&other).unwrap()),
                    _ => change::bytes(&mut random, module),
                };
                let mut value: Value = serde_json::to_value(terms).unwrap();
                value["program"] = json!(hash(&module));
                let terms: Terms = serde_json::from_value(value).unwrap();
                (module, terms.bytes().unwrap())
            }
        }
    }

    /// What a worker makes of a task, as the product's worker does.
    fn explored(&self, hand: &Hand, (module, terms): &(Vec<u8>, Vec<u8>)) -> Result<Made, Error> {
        let regions = format!("{:?}", hand.regions);
        let key = (hash(module) + &hash(terms), regions);
        let known = self.ready.lock().unwrap().get(&key).cloned();
        let worker = match known {
            Some(worker) => worker,
            None => {
                let new = Arc::new(PartsWorker::new(module, &Terms::read(terms)?, &hand.regions)?);
                self.ready.lock().unwrap().insert(key, Arc::clone(&new));
                new
            }
        };
        let begun = Instant::now();
        let (done, ended) = channel::<()>();
        std::thread::scope(|scope| {
            scope.spawn(|| {
                let ended = ended;
                while ended.recv_timeout(SLICE) == Err(RecvTimeoutError::Timeout) {
                    worker.stop();
                }
            });
            let _done = done;
            let made = match hand.task.clone() {
                Task::Sample(state) => Some(worker.sample(state, &|| begun.elapsed() > SLICE)),
                Task::Part(part) => {
                    let one = One {
                        part: Mutex::new(Some(part)),
                        made: Mutex::default(),
                        wanted: AtomicUsize::new(2),
                        left: AtomicUsize::new(150),
                    };
                    worker.explore(&hand.common, &one);
                    one.made.into_inner().unwrap()
                }
            };
            made.ok_or_else(|| Error::Program("nothing was made".to_owned()))
        })
    }
}

fn owned<A: Clone, B: Clone, C: Clone, D>((a, b, c, d): (&A, &B, &C, D)) -> (A, B, C, D) {
    (a.clone(), b.clone(), c.clone(), d)
}

impl Elsewhere for Played {
    fn explore(&self, phase: &Phase<'_>) -> Result<Explored, Error> {
        let module = Terms::module_bytes(phase.module)?;
        let program = self.program(&module, &phase.terms);
        let plot = match phase.samples() {
            true => Plot::sample(),
            false => Plot::search(phase.common()),
        };
        let mut coordinator = Coordinator::new(Pace::default(), subject(&module), plot, None, 1);
        let mut stopped = 0;
        for round in 0..400 {
            // Long enough that what is lost is missed.
            let now = round * 10_000;
            coordinator.hear(
                &Beat {
                    worker: "worker".to_owned(),
                    tool: String::new(),
                    has: None,
                    since: 0,
                },
                now,
            );
            for hand in coordinator.tick(now).0 {
                let Ok(hand) = Hand::read(&self.hand(&hand)) else {
                    coordinator.not_handed(hand.token);
                    continue;
                };
                self.note_read();
                let made = self.explored(&hand, &program);
                if self.at == 0 && made.is_ok() {
                    self.was_read.store(true, Relaxed);
                }
                let answer = Answer {
                    token: hand.token,
                    worker: "worker".to_owned(),
                    spent: 1,
                    made: made.map_err(|error| selvedge_cluster::wire::Failing::Refused(error.to_string())),
                };
                let Ok(answer) = Answer::read(&self.answer(&answer)) else {
                    continue;
                };
                self.note_read();
                let outcome = answer.made.as_ref().map(|made| &made.outcome);
                stopped += u32::from(outcome == Ok(&Outcome::Part(Progress::Stopped)));
                if stopped > 3 {
                    return Err(Error::Program("it was stopped".to_owned()));
                }
                let taken = coordinator.take(answer, now);
                if let Some(learned) = &taken.learned {
                    phase.learn(learned);
                }
                match taken.end {
                    Some(End::Failed(failure)) => return Ok(phase.fail(failure)),
                    Some(End::Report(report)) => return Ok(Explored::Report(report)),
                    None => {}
                }
            }
            if round % 2 == 1 {
                let (plot, regions) = coordinator.plot();
                let saved = Saved {
                    ended: Vec::new(),
                    present: Some(Present {
                        terms: "terms".to_owned(),
                        plot: plot.clone(),
                        regions: regions.cloned(),
                        learned: phase.learned(),
                    }),
                };
                *self.kept.lock().unwrap() = Some(saved.clone());
                let Ok(saved) = Saved::read(&self.saved(&saved)) else {
                    continue;
                };
                self.note_read();
                if let Some(Present {
                    mut plot,
                    regions,
                    learned,
                    ..
                }) = saved.present
                {
                    plot.give_up_all();
                    phase.learn(&learned);
                    coordinator = Coordinator::new(Pace::default(), subject(&module), plot, regions, round);
                }
            }
        }
        Err(Error::Program("it has no end".to_owned()))
    }
}

impl Played {
    /// The last message was taken for one.
    fn note_read(&self) {
        if self.sent().checked_sub(1) == Some(self.at) {
            self.was_read.store(true, Relaxed);
        }
    }
}

/// What a run of a module is about.
pub fn subject(module: &[u8]) -> Subject {
    Subject {
        run: "run".to_owned(),
        module: hash(module),
        terms: "terms".to_owned(),
        splits: true,
    }
}

/// What parts have in common, to be certain that it can be changed as a value.
const _: fn(&mut Rng, &Common) -> Option<Common> = change::value;

//! A run in virtual time: the coordinator of the product, a server with the latencies that were
//! measured, and workers that explore nothing. What the coordinator itself computes is measured and
//! counts, so a run is not the same each time.

use crate::clock::Clock;
use crate::latencies::Latencies;
use crate::shape::Shape;
use crate::work::Work;
use selvedge_cluster::wire::{Answer, Beat, Hand, Order, Token};
use selvedge_cluster::{Coordinator, End, Pace, Plot, Subject};
use selvedge_explore::kept::Common;
use selvedge_session::apart::Task;
use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap, VecDeque};

const MILLI: u64 = 1_000_000;
const BEATS: u64 = 1_000 * MILLI;
const LOOKS: u64 = 40 * MILLI;
const GATHERS: u64 = 3 * MILLI;
const MOST_ANSWERS: usize = 256;

/// How a run went.
#[derive(Clone, Copy, Debug, Default)]
pub struct Outcome {
    /// The time in which workers have explored what counts, over all of the time of all.
    pub efficiency: f64,
    /// The part of its time in which the coordinator computes or sends.
    pub coordinator: f64,
    /// The part of its time in which the server keeps messages.
    pub server: f64,
    /// The part of the time of workers in which they have nothing to do.
    pub idle: f64,
    /// Parts that were handed out.
    pub parts: u64,
}

enum Event {
    Turn(u64),
    Waits,
    Task(Box<Hand>),
    Ends(usize, u64),
    Answer(Box<Answer>),
    Beats(usize),
    Beat(Box<Beat>),
    Order(Order),
}

struct Busy<'a> {
    work: Work<'a>,
    hand: Box<Hand>,
    begun: u64,
    version: u64,
}

#[derive(Default)]
struct Worker<'a> {
    busy: Option<Busy<'a>>,
    idle_since: u64,
}

pub struct World<'a> {
    shape: &'a Shape,
    latencies: Latencies,
    events: BinaryHeap<Reverse<(u64, u64)>>,
    what: HashMap<u64, Event>,
    count: u64,
    workers: Vec<Worker<'a>>,
    idle: VecDeque<usize>,
    tasks: VecDeque<Box<Hand>>,
    has: HashMap<Token, usize>,
    answers: VecDeque<Box<Answer>>,
    beats: VecDeque<Box<Beat>>,
    /// True while the coordinator waits for answers.
    waits: bool,
    turns: u64,
    server_free: u64,
    clock: Clock,
    totals: Outcome,
    waited: u64,
    version: u64,
    saved: u64,
    shown: u64,
}

impl<'a> World<'a> {
    pub fn run(shape: &'a Shape, workers: usize, latencies: Latencies) -> Outcome {
        let mut world = World {
            shape,
            latencies,
            events: BinaryHeap::new(),
            what: HashMap::new(),
            count: 0,
            workers: (0..workers).map(|_| Worker::default()).collect(),
            idle: (0..workers).collect(),
            tasks: VecDeque::new(),
            has: HashMap::new(),
            answers: VecDeque::new(),
            beats: VecDeque::new(),
            waits: false,
            turns: 0,
            server_free: 0,
            clock: Clock::new(),
            totals: Outcome::default(),
            waited: 0,
            version: 0,
            saved: 0,
            shown: 0,
        };
        for worker in 0..workers {
            // They are asked to show themselves, and do so every second anyway.
            world.beat(worker, latencies.arrives);
            let phase = BEATS * (worker as u64 + 1) / workers as u64;
            world.at(phase, Event::Beats(worker));
        }
        let subject = Subject {
            run: "0123456789abcdef".to_owned(),
            module: "0123456789abcdef0123456789abcdef".to_owned(),
            terms: "0123456789abcdef0123456789abcdef".to_owned(),
            splits: true,
        };
        let plot = Plot::search(Common::default());
        let coordinator = Coordinator::new(Pace::default(), subject, plot, None, 1);
        world.at(0, Event::Turn(0));
        world.until_it_ends(coordinator)
    }

    fn at(&mut self, time: u64, event: Event) {
        self.count += 1;
        self.events.push(Reverse((time, self.count)));
        self.what.insert(self.count, event);
    }

    fn until_it_ends(&mut self, mut one: Coordinator) -> Outcome {
        while let Some(Reverse((now, number))) = self.events.pop() {
            let Some(event) = self.what.remove(&number) else {
                continue;
            };
            match event {
                Event::Turn(turn) if turn == self.turns => {
                    self.turns += 1;
                    self.waits = false;
                    if let Some(end) = self.turn(&mut one, now) {
                        return self.outcome(end, &one);
                    }
                }
                Event::Turn(_) => {}
                Event::Waits if self.answers.is_empty() => {
                    self.waits = true;
                    self.at(now + LOOKS, Event::Turn(self.turns));
                }
                Event::Waits => self.at(now + GATHERS, Event::Turn(self.turns)),
                Event::Task(hand) => {
                    self.tasks.push_back(hand);
                    self.take(now);
                }
                Event::Ends(worker, version) => {
                    let busy = self.workers[worker].busy.as_ref();
                    if busy.is_some_and(|busy| busy.version == version) {
                        self.answer(worker, now);
                    }
                }
                Event::Answer(answer) => {
                    self.answers.push_back(answer);
                    if std::mem::take(&mut self.waits) {
                        self.turns += 1;
                        self.at(now + GATHERS, Event::Turn(self.turns));
                    }
                }
                Event::Beats(worker) => {
                    self.beat(worker, now);
                    self.at(now + BEATS, Event::Beats(worker));
                }
                Event::Beat(beat) => self.beats.push_back(beat),
                Event::Order(order) => self.hear(&order, now),
            }
        }
        panic!("nothing is left to do")
    }

    /// A turn of the coordinator's loop.
    fn turn(&mut self, one: &mut Coordinator, now: u64) -> Option<u64> {
        let mut spent = 0;
        let milliseconds = now / MILLI;
        // What has come of answers is taken as the loop of the product does it.
        let mut taken = 0;
        while taken < MOST_ANSWERS
            && let Some(answer) = self.answers.pop_front()
        {
            taken += 1;
            let bytes = answer.bytes().expect("it is short");
            let took = self.clock.measure(&mut spent, || {
                let answer = Answer::read(&bytes).expect("it was written");
                one.take(answer, milliseconds)
            });
            spent += self.latencies.sends;
            for order in took.orders {
                spent += self.latencies.sends;
                self.at(now + spent + self.latencies.arrives, Event::Order(order));
            }
            assert!(took.notes.is_empty(), "{:?}", took.notes);
            match took.end {
                Some(End::Report(report)) => {
                    assert_eq!(report.statistics.executions, self.shape.size);
                    return Some(now + spent);
                }
                Some(End::Failed(_)) => panic!("nothing is assumed"),
                None => {}
            }
        }
        let beats: Vec<_> = self.beats.drain(..).collect();
        let shows = now >= self.shown + 200 * MILLI;
        if shows {
            self.shown = now;
        }
        self.clock.measure(&mut spent, || {
            if shows {
                let _ = (one.plot().0.statistics(), one.plot().0.counts());
            }
            beats.iter().for_each(|beat| one.hear(beat, milliseconds));
        });
        if now >= self.saved + 5_000 * MILLI {
            self.saved = now;
            self.clock
                .measure(&mut spent, || {
                    postcard::to_allocvec(&one.plot().0.clone()).map(|bytes| bytes.len())
                })
                .expect("there is room");
        }
        let (hands, orders) = self.clock.measure(&mut spent, || one.tick(milliseconds));
        let mut last = now + spent;
        for hand in hands {
            self.clock
                .measure(&mut spent, || hand.bytes())
                .expect("it is short");
            self.totals.parts += 1;
            let (kept, arrives) = self.keeps(now + spent);
            last = last.max(kept);
            spent += self.latencies.sends;
            self.at(arrives, Event::Task(Box::new(hand)));
        }
        spent = spent.max(last.saturating_sub(now));
        if self.latencies.is_none() {
            spent = 0;
        }
        for order in orders {
            spent += self.latencies.sends;
            self.at(now + spent + self.latencies.arrives, Event::Order(order));
        }
        self.totals.coordinator += spent as f64;
        // It is busy until then, and then waits for answers.
        self.at(now + spent, Event::Waits);
        None
    }

    /// The server keeps a message: when its sender knows, and when it can be taken.
    fn keeps(&mut self, now: u64) -> (u64, u64) {
        let begins = now.max(self.server_free);
        self.server_free = begins + self.latencies.server;
        self.totals.server += self.latencies.server as f64;
        (begins + self.latencies.kept, begins + self.latencies.arrives)
    }

    /// Idle workers take tasks.
    fn take(&mut self, now: u64) {
        while !self.tasks.is_empty()
            && let Some(worker) = self.idle.pop_front()
            && let Some(hand) = self.tasks.pop_front()
        {
            self.waited += now - self.workers[worker].idle_since;
            let Task::Part(part) = &hand.task else {
                panic!("it is a search")
            };
            // Its path is followed first, at the pace of an execution.
            let begun = now + self.shape.cost;
            let until = begun + u64::from(hand.slice) * MILLI;
            let work = Work::new(self.shape, part, begun, until);
            self.version += 1;
            let (ends, version) = (work.ends_at(), self.version);
            self.has.insert(hand.token, worker);
            self.workers[worker].busy = Some(Busy {
                work,
                hand,
                begun: now,
                version,
            });
            self.at(ends.max(begun), Event::Ends(worker, version));
            self.beat(worker, now);
        }
    }

    fn answer(&mut self, worker: usize, now: u64) {
        let Some(busy) = self.workers[worker].busy.take() else {
            return;
        };
        let Busy {
            work, hand, begun, ..
        } = busy;
        self.has.remove(&hand.token);
        let answer = Answer {
            token: hand.token,
            worker: worker.to_string(),
            spent: ((now - begun) / MILLI) as u32,
            made: Ok(work.answer(now, &hand.common)),
        };
        let (kept, arrives) = self.keeps(now);
        self.at(arrives, Event::Answer(Box::new(answer)));
        // It asks for the next one when the server has kept the answer.
        self.workers[worker].idle_since = now;
        self.idle.push_back(worker);
        self.beat(worker, kept);
        self.take(now);
    }

    fn beat(&mut self, worker: usize, now: u64) {
        let busy = self.workers[worker].busy.as_ref();
        let beat = Beat {
            worker: worker.to_string(),
            tool: String::new(),
            has: busy.map(|busy| (busy.hand.run.clone(), busy.hand.token)),
            since: busy.map_or(0, |busy| now.saturating_sub(busy.begun) / MILLI),
        };
        self.at(now + self.latencies.arrives, Event::Beat(Box::new(beat)));
    }

    fn hear(&mut self, order: &Order, now: u64) {
        let Order::Split(token, units) = order else { return };
        let Some(&worker) = self.has.get(token) else {
            return;
        };
        let Some(busy) = &mut self.workers[worker].busy else {
            return;
        };
        busy.work.wanted = (*units as usize).min(1_000);
        if busy.work.give(now) {
            self.answer(worker, now);
        } else {
            // It asks itself between any two executions; here this is often enough.
            self.at(now + 100 * self.shape.cost, Event::Order(order.clone()));
        }
    }

    fn outcome(&self, end: u64, one: &Coordinator) -> Outcome {
        let all = end as f64 * self.workers.len() as f64;
        let left = self.workers.iter().filter(|worker| worker.busy.is_none());
        let idle: u64 = left.map(|worker| end.saturating_sub(worker.idle_since)).sum();
        assert_eq!(one.awaited(), 0);
        Outcome {
            efficiency: self.shape.size as f64 * self.shape.cost as f64 / all,
            coordinator: self.totals.coordinator / end as f64,
            server: self.totals.server / end as f64,
            idle: (self.waited + idle) as f64 / all,
            parts: self.totals.parts,
        }
    }
}

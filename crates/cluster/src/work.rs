//! The process of workers: takes tasks from a server, one for each core, and answers.
//!
//! *Invariant*: it holds no state that anybody misses. It can end at any time.

use crate::divide::{here, object};
use crate::nats::{Fault, Server, Tasks, Turn};
use crate::wire::{Answer, Beat, Failing, Hand, Order, Token};
use selvedge_explore::kept::{Common, Part};
use selvedge_session::apart::{Made, Task, Terms, hash};
use selvedge_session::{Error, PartsWorker, Source};
use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// A task that has ended so many workers is not tried again.
const MOST_DEATHS: u32 = 3;

/// For how long a worker waits for a task before it looks whether it should end.
const LOOKS: Duration = Duration::from_millis(500);

/// How often a worker shows that it is alive.
const BEATS: Duration = Duration::from_secs(1);

/// How often it is looked whether a task should be returned. Workers themselves do not look at the
/// clock: they would do so after each execution.
const TICKS: Duration = Duration::from_millis(50);

/// The number of programs that are kept for further tasks.
const KEPT: usize = 4;

/// Workers of one process.
pub struct Workers<'a> {
    server: &'a Server,
    slots: Vec<Arc<Slot>>,
    /// Modules and terms, by name.
    objects: Mutex<VecDeque<(String, Arc<Vec<u8>>)>>,
    stop: &'a AtomicBool,
    note: &'a (dyn Fn(&str) + Sync),
}

/// One worker.
#[derive(Default)]
struct Slot {
    name: String,
    present: Mutex<Present>,
    /// Units that should be given away, and those that were since.
    wanted: AtomicUsize,
    gave: AtomicUsize,
    /// True if the present task should be returned.
    due: AtomicBool,
}

/// What a worker does.
#[derive(Default)]
struct Present {
    has: Option<(String, Token)>,
    since: Option<Instant>,
    /// When the task should be returned.
    until: Option<Instant>,
    worker: Option<Arc<PartsWorker>>,
    /// True if the result is of no use.
    dropped: bool,
    /// True if the machine was stopped since it has begun, perhaps for an earlier task.
    stopped: bool,
}

impl Slot {
    fn lock(&self) -> MutexGuard<'_, Present> {
        self.present.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn beat(&self) -> Beat {
        let present = self.lock();
        let since = present.since.map_or(0, |since| since.elapsed().as_millis());
        Beat {
            worker: self.name.clone(),
            tool: env!("CARGO_PKG_VERSION").to_owned(),
            has: present.has.clone(),
            since: u64::try_from(since).unwrap_or(u64::MAX),
        }
    }

    /// Looks at the clock for the worker.
    fn tick(&self) {
        let present = self.lock();
        if present.until.is_some_and(|until| until <= Instant::now()) {
            self.due.store(true, Relaxed);
        }
    }

    fn hear(&self, order: &Order) {
        let mut present = self.lock();
        let Some((run, token)) = &present.has else { return };
        match order {
            Order::Split(which, units) if which == token => {
                self.wanted.store((*units as usize).min(1_000), Relaxed);
            }
            Order::Drop(tokens) if tokens.contains(token) => present.give_up(),
            Order::End(which) if which == run => present.give_up(),
            Order::EndOf(which) if *which == token.incarnation => present.give_up(),
            _ => {}
        }
    }
}

impl Present {
    fn give_up(&mut self) {
        self.dropped = true;
        if let Some(worker) = &self.worker {
            self.stopped = true;
            worker.stop();
        }
    }
}

impl<'a> Workers<'a> {
    /// So many workers. They end when `stop` is set.
    pub fn new(
        server: &'a Server,
        count: usize,
        stop: &'a AtomicBool,
        note: &'a (dyn Fn(&str) + Sync),
    ) -> Workers<'a> {
        let process = here();
        let slot = |number: usize| {
            Arc::new(Slot {
                name: format!("{process}.{number}"),
                ..Slot::default()
            })
        };
        Workers {
            server,
            slots: (1..=count).map(slot).collect(),
            objects: Mutex::default(),
            stop,
            note,
        }
    }

    /// Works until it is told to stop.
    ///
    /// # Errors
    /// If the server has no JetStream, or if there are no threads.
    pub fn work(&self) -> Result<(), Fault> {
        let slots = self.slots.clone();
        let first = slots.first().map_or("", |slot| slot.name.as_str()).to_owned();
        let main = std::thread::current();
        let shows = Arc::new(AtomicBool::new(false));
        let show = Arc::clone(&shows);
        let listening = self.server.orders(&first, move |order| match order {
            Order::Show => {
                show.store(true, Relaxed);
                main.unpark();
            }
            order => slots.iter().for_each(|slot| slot.hear(&order)),
        })?;
        std::thread::scope(|scope| {
            for slot in &self.slots {
                let thread = std::thread::Builder::new().name("worker".to_owned());
                let tasks = self.server.tasks()?;
                let worker = Worker {
                    all: self,
                    slot,
                    tasks,
                };
                let started = thread.spawn_scoped(scope, move || worker.work());
                started.map_err(|error| Fault(format!("no thread: {error}")))?;
            }
            let mut shown: Option<Instant> = None;
            while !self.stop.load(Relaxed) {
                if shows.swap(false, Relaxed) || shown.is_none_or(|at| at.elapsed() >= BEATS) {
                    self.slots.iter().for_each(|slot| self.server.beat(&slot.beat()));
                    shown = Some(Instant::now());
                }
                self.slots.iter().for_each(|slot| slot.tick());
                std::thread::park_timeout(TICKS);
            }
            // What they have goes to others.
            self.slots.iter().for_each(|slot| slot.lock().give_up());
            Ok(())
        })?;
        drop(listening);
        Ok(())
    }

    /// A stored module or terms.
    fn object(&self, run: &str, name: &str) -> Result<Arc<Vec<u8>>, Fault> {
        let name = object(run, name);
        let lock = || self.objects.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, bytes)) = lock().iter().find(|(known, _)| *known == name) {
            return Ok(Arc::clone(bytes));
        }
        let bytes = Arc::new(self.server.stored(&name)?);
        let mut objects = lock();
        objects.push_back((name, Arc::clone(&bytes)));
        if objects.len() > 2 * KEPT {
            objects.pop_front();
        }
        Ok(bytes)
    }
}

impl Workers<'_> {
    fn forget_objects(&self) {
        let objects = self.objects.lock();
        objects.unwrap_or_else(PoisonError::into_inner).clear();
    }
}

/// A worker's thread.
struct Worker<'a> {
    all: &'a Workers<'a>,
    slot: &'a Slot,
    tasks: Tasks,
}

/// A program on whose machines tasks are explored.
struct Ready {
    run: String,
    terms: String,
    worker: Arc<PartsWorker>,
}

/// A task that is explored.
struct Begun {
    turn: Turn,
    hand: Hand,
    begun: Instant,
}

impl Worker<'_> {
    fn work(&self) {
        let mut ready: Option<Ready> = None;
        let mut next: Option<Begun> = None;
        loop {
            let Some(begun) = next.take().or_else(|| self.next_task()) else {
                return;
            };
            let hand = &begun.hand;
            let fits = |ready: &Ready| {
                ready.run == hand.run && ready.terms == hand.terms && ready.worker.has_regions(&hand.regions)
            };
            if !ready.as_ref().is_some_and(fits) {
                ready = match self.make_ready(hand) {
                    Ok(ready) => Some(ready),
                    Err(error) => {
                        (self.all.note)(&format!("a task is refused: {error}"));
                        // What is stored may be mended.
                        self.all.forget_objects();
                        self.answer(begun, Err(Failing::Refused(error.to_string())));
                        // Another worker may take it meanwhile.
                        std::thread::sleep(LOOKS);
                        continue;
                    }
                };
            }
            if let Some(ready) = &ready {
                next = self.explore(ready, begun);
            }
        }
    }

    fn make_ready(&self, hand: &Hand) -> Result<Ready, Error> {
        let fault = |fault: Fault| Error::Program(fault.0);
        let module = self.all.object(&hand.run, &hand.module).map_err(fault)?;
        let bytes = self.all.object(&hand.run, &hand.terms).map_err(fault)?;
        if hash(&bytes) != hand.terms {
            return Err(Error::Program(
                "the options are others than those of the task".to_owned(),
            ));
        }
        let terms = Terms::read(&bytes)?;
        let worker = PartsWorker::new(&module, &terms, &hand.regions)?;
        Ok(Ready {
            run: hand.run.clone(),
            terms: hand.terms.clone(),
            worker: Arc::new(worker),
        })
    }

    /// The next task that can be explored; `None` if the worker should end.
    fn next_task(&self) -> Option<Begun> {
        while !self.all.stop.load(Relaxed) {
            match self.all.server.take(&self.tasks, LOOKS) {
                Ok(Some(turn)) => {
                    if let Some(begun) = self.begin(turn) {
                        return Some(begun);
                    }
                }
                Ok(None) => {}
                Err(_) => std::thread::sleep(LOOKS),
            }
        }
        None
    }

    fn begin(&self, turn: Turn) -> Option<Begun> {
        let hand = match &turn.hand {
            Ok(hand) => hand.clone(),
            Err(error) => {
                (self.all.note)(&format!("a task is refused: {error}"));
                self.all.server.done(turn);
                return None;
            }
        };
        let begun = Instant::now();
        let deaths = turn.deliveries.saturating_sub(1);
        let task = Begun { turn, hand, begun };
        if deaths >= MOST_DEATHS {
            self.answer(task, Err(Failing::Kills(deaths)));
            return None;
        }
        let mut present = self.slot.lock();
        present.has = Some((task.hand.run.clone(), task.hand.token));
        present.since = Some(begun);
        present.until = Some(begun + Duration::from_millis(u64::from(task.hand.slice)));
        present.dropped = false;
        self.slot.due.store(false, Relaxed);
        self.slot.wanted.store(0, Relaxed);
        self.slot.gave.store(0, Relaxed);
        drop(present);
        self.all.server.beat(&self.slot.beat());
        Some(task)
    }

    /// Explores a task, and those after it that can use the same machine. Returns one that cannot.
    fn explore(&self, ready: &Ready, begun: Begun) -> Option<Begun> {
        let mut present = self.slot.lock();
        present.worker = Some(Arc::clone(&ready.worker));
        present.stopped = false;
        drop(present);
        let next = match begun.hand.task.clone() {
            Task::Sample(state) => {
                let is_due = || self.slot.due.load(Relaxed);
                let made = ready.worker.sample(state, &is_due);
                self.finish(begun, made);
                None
            }
            Task::Part(_) => {
                let feed = Feed {
                    worker: self,
                    ready,
                    common: begun.hand.common.clone(),
                    present: Mutex::new(Some(begun)),
                    taken: AtomicBool::new(false),
                    other: Mutex::new(None),
                };
                ready.worker.explore(&feed.common.clone(), &feed);
                feed.other.into_inner().unwrap_or_else(PoisonError::into_inner)
            }
        };
        self.slot.lock().worker = None;
        next
    }

    /// Answers, unless the result is of no use.
    fn finish(&self, begun: Begun, made: Made) {
        // What was made of it is not looked at: a machine that is stopped may leave its path.
        if self.slot.lock().dropped {
            self.idle();
            return match self.all.stop.load(Relaxed) {
                true => self.all.server.give_back(begun.turn),
                false => self.all.server.done(begun.turn),
            };
        }
        self.answer(begun, Ok(made));
    }

    fn is_stopped_for_another(&self) -> bool {
        let present = self.slot.lock();
        present.stopped && !present.dropped
    }

    fn idle(&self) {
        let mut present = self.slot.lock();
        present.has = None;
        present.since = Some(Instant::now());
        present.until = None;
        drop(present);
        self.all.server.beat(&self.slot.beat());
    }

    /// Answers, until the server has it. Nobody else gets the task meanwhile, unless the server
    /// cannot be reached for long.
    fn answer(&self, begun: Begun, made: Result<Made, Failing>) {
        let spent = begun.begun.elapsed().as_millis();
        let answer = Answer {
            token: begun.hand.token,
            worker: self.slot.name.clone(),
            spent: u32::try_from(spent).unwrap_or(u32::MAX),
            made,
        };
        while let Err(fault) = self.all.server.answer(&begun.hand.run, &answer) {
            if self.all.stop.load(Relaxed) {
                return;
            }
            (self.all.note)(&format!("warning: {fault}"));
            std::thread::sleep(LOOKS);
        }
        self.idle();
        self.all.server.done(begun.turn);
    }
}

/// Tasks for one machine.
struct Feed<'a> {
    worker: &'a Worker<'a>,
    ready: &'a Ready,
    common: Common,
    present: Mutex<Option<Begun>>,
    /// True if the present task was taken by the machine.
    taken: AtomicBool,
    other: Mutex<Option<Begun>>,
}

impl Feed<'_> {
    fn present(&self) -> MutexGuard<'_, Option<Begun>> {
        self.present.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Source for Feed<'_> {
    fn next(&self) -> Option<Part> {
        if self.taken.swap(true, Relaxed) {
            let begun = self.worker.next_task()?;
            let hand = &begun.hand;
            let fits = hand.run == self.ready.run
                && hand.terms == self.ready.terms
                && hand.common == self.common
                && self.ready.worker.has_regions(&hand.regions);
            // If the machine was stopped for the task before this one, it begins anew.
            if !fits || self.worker.is_stopped_for_another() {
                *self.other.lock().unwrap_or_else(PoisonError::into_inner) = Some(begun);
                return None;
            }
            *self.present() = Some(begun);
        }
        match &self.present().as_ref()?.hand.task {
            Task::Part(part) => Some(part.clone()),
            Task::Sample(_) => None,
        }
    }

    fn made(&self, made: Made) {
        if let Some(begun) = self.present().take() {
            self.worker.finish(begun, made);
        }
    }

    fn wanted(&self) -> usize {
        self.worker.slot.wanted.load(Relaxed)
    }

    fn gave(&self, units: usize) {
        let slot = self.worker.slot;
        let left = slot.wanted.load(Relaxed).saturating_sub(units);
        slot.wanted.store(left, Relaxed);
        slot.gave.fetch_add(units, Relaxed);
    }

    fn is_due(&self) -> bool {
        let slot = self.worker.slot;
        slot.due.load(Relaxed) || slot.gave.load(Relaxed) > 0
    }
}

//! Who divides an exploration: which units are handed out, and what becomes of answers. Without any
//! input or output, and with the time as a parameter, so that tests decide what happens when.
//!
//! - *Nothing counts twice.* Each hand-out has a token of its own. An answer is taken if its token
//!   is
//!   awaited, and the token is not awaited any more after that.
//! - *Nothing is lost.* A unit stays in the plot until an answer is taken. A hand-out of which
//!   nobody
//!   is heard while other workers have nothing to do is made again, with another token.
//! - *Splitting follows demand.* Workers give units away only if others have no work.

use crate::plot::Plot;
use crate::wire::{Answer, Beat, Failing, Hand, Order, Token};
use selvedge_base::StmtId;
use selvedge_explore::Report;
use selvedge_explore::kept::{Done, Misfit, Next, Part, Progress, UnitState};
use selvedge_model::{Limit, LimitKind};
use selvedge_session::apart::{Failure, Outcome, Task};
use selvedge_vm::Carried;
use std::collections::{BTreeMap, BTreeSet};

/// The times of a coordinator, in milliseconds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Pace {
    /// How long a worker explores before it returns a part.
    pub slice: u64,
    /// How long a unit is explored before it is asked to give something away, at least.
    pub least: u64,
    /// A worker of which nothing is heard for so long is gone.
    pub gone: u64,
    /// A hand-out of which nobody is heard for so long is made again if workers have nothing to do.
    pub lost: u64,
}

impl Default for Pace {
    fn default() -> Self {
        Pace {
            slice: 2_000,
            least: 100,
            gone: 5_000,
            lost: 30_000,
        }
    }
}

/// The most units that a worker is asked for at once. It gives away the highest entries first,
/// which are the largest ones mostly.
const MOST_AT_ONCE: u32 = 64;

/// The most units that are asked for in a second. Each costs the coordinator some tenths of a
/// millisecond, and if it cannot keep up, workers wait, for which even more would be asked for.
const MOST_A_SECOND: u64 = 2_000;

/// A hand-out that is awaited.
#[derive(Clone, Debug)]
struct Out {
    unit: u64,
    /// True if nobody had begun the unit.
    fresh: bool,
    /// The worker that has it, as far as it is known.
    worker: Option<String>,
    /// The last time that it was handed out or heard of.
    heard: u64,
    /// Since when a worker explores it.
    begun: Option<u64>,
    /// When it was last asked to give something away.
    asked: Option<u64>,
}

/// What is known of a worker.
#[derive(Clone, Debug)]
struct Heard {
    at: u64,
    has: Option<Token>,
}

/// What an answer has led to.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Taken {
    /// What was learned of the program, if the answer counts.
    pub learned: Option<Carried>,
    /// Requests to workers.
    pub orders: Vec<Order>,
    /// Messages for the user.
    pub notes: Vec<String>,
    /// A part that was left out.
    pub left_out: Option<Box<Hand>>,
    /// The end of the exploration.
    pub end: Option<End>,
}

/// The end of an exploration.
#[derive(Clone, PartialEq, Debug)]
pub enum End {
    /// With a report.
    Report(Box<Report>),
    /// An assumption has failed.
    Failed(Failure),
}

/// Divides one exploration.
pub struct Coordinator {
    pace: Pace,
    run: String,
    module: String,
    terms: String,
    plot: Plot,
    regions: Option<Vec<(u32, u32)>>,
    /// False if nothing may be given away.
    splits: bool,
    incarnation: u64,
    next: u64,
    out: BTreeMap<Token, Out>,
    workers: BTreeMap<String, Heard>,
    /// How many units a worker is asked for at once now, times 8.
    at_once: u32,
    /// The units that may be asked for now, in thousandths, and since when.
    allowance: (u64, u64),
    /// For how long units that are not done were explored before, in milliseconds.
    explored: BTreeMap<u64, u64>,
    /// How many answers about a unit did not fit.
    unfit: BTreeMap<u64, u32>,
    /// Workers that have refused something, of which the user was told.
    refusing: BTreeSet<String>,
}

/// What an exploration is about.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Subject {
    /// The run.
    pub run: String,
    /// The hash of the module.
    pub module: String,
    /// The hash of the terms.
    pub terms: String,
    /// False if nothing may be given away.
    pub splits: bool,
}

impl Coordinator {
    /// For a plot of which no part is handed out. `incarnation`: a random number.
    pub fn new(
        pace: Pace,
        subject: Subject,
        plot: Plot,
        regions: Option<Vec<(u32, u32)>>,
        incarnation: u64,
    ) -> Coordinator {
        Coordinator {
            pace,
            run: subject.run,
            module: subject.module,
            terms: subject.terms,
            plot,
            regions,
            splits: subject.splits,
            incarnation,
            next: 0,
            out: BTreeMap::new(),
            workers: BTreeMap::new(),
            at_once: 8 * 4,
            allowance: (1_000 * MOST_A_SECOND, 0),
            explored: BTreeMap::new(),
            unfit: BTreeMap::new(),
            refusing: BTreeSet::new(),
        }
    }

    /// The plot, and the regions where the search began.
    pub fn plot(&self) -> (&Plot, Option<&Vec<(u32, u32)>>) {
        (&self.plot, self.regions.as_ref())
    }

    /// The number of workers that are there.
    pub fn workers(&self) -> usize {
        self.workers.len()
    }

    /// The number of hand-outs that are awaited.
    pub fn awaited(&self) -> usize {
        self.out.len()
    }

    /// Takes a worker's sign of life.
    pub fn hear(&mut self, beat: &Beat, now: u64) {
        let has = beat.has.as_ref().filter(|(run, _)| *run == self.run);
        let has = has.map(|&(_, token)| token);
        if let Some(out) = has.and_then(|token| self.out.get_mut(&token)) {
            out.heard = now;
            out.worker = Some(beat.worker.clone());
            out.begun.get_or_insert(now.saturating_sub(beat.since));
        }
        // Who works for another run is no help here.
        if beat.has.is_some() && has.is_none() {
            self.workers.remove(&beat.worker);
            return;
        }
        self.workers.insert(beat.worker.clone(), Heard { at: now, has });
    }

    /// Takes an answer.
    pub fn take(&mut self, answer: Answer, now: u64) -> Taken {
        let mut taken = Taken::default();
        if let Some(worker) = self.workers.get_mut(&answer.worker) {
            worker.has = None;
            worker.at = now;
        }
        let Some(out) = self.out.get(&answer.token).cloned() else {
            return taken;
        };
        let unit = out.unit;
        let made = match answer.made {
            Ok(made) => made,
            Err(Failing::Refused(why)) => {
                let worker = answer.worker;
                if self.refusing.insert(worker.clone()) {
                    let note = format!("warning: the worker {worker} refuses: {why}");
                    taken.notes.push(note);
                }
                // Another one may take it.
                self.out.remove(&answer.token);
                self.plot.give_up(unit);
                return taken;
            }
            Err(Failing::Kills(times)) => {
                self.out.remove(&answer.token);
                let prefix = self.plot.prefix(unit);
                let detail = format!("a part that has ended {times} workers: {prefix}");
                let task = self.plot.task(unit);
                taken.left_out = task.map(|task| Box::new(self.hand(answer.token, task)));
                taken.notes.push(format!("warning: {detail}"));
                let next = self.plot.leave_out(unit, limit(LimitKind::Memory, detail));
                self.follow(next, &mut taken);
                return taken;
            }
        };
        if matches!(made.outcome, Outcome::Part(Progress::Stopped)) {
            self.out.remove(&answer.token);
            self.plot.give_up(unit);
            return taken;
        }
        self.out.remove(&answer.token);
        let done = matches!(
            made.outcome,
            Outcome::Part(Progress::Done(Done { halt: None, .. }))
        );
        let regions = made.learned.regions.clone();
        let next = match made.outcome {
            Outcome::Failed(failure) => {
                taken.end = Some(End::Failed(failure));
                return taken;
            }
            Outcome::Misfit(why) => {
                let note = format!("warning: a part does not fit where it was explored: {why}");
                taken.notes.push(note);
                self.plot.give_up(unit);
                self.refuse(unit)
            }
            outcome => match self.plot.put(unit, outcome, &made.common) {
                Ok(next) => {
                    self.unfit.remove(&unit);
                    taken.learned = Some(made.learned);
                    self.regions.get_or_insert(regions);
                    Ok(next)
                }
                Err(misfit) => {
                    taken
                        .notes
                        .push(format!("warning: an answer was not taken: {misfit}"));
                    self.refuse(unit)
                }
            },
        };
        match done {
            true => drop(self.explored.remove(&unit)),
            false => *self.explored.entry(unit).or_default() += u64::from(answer.spent),
        }
        // What was explored before says nothing of the size, and what is left is not small.
        match (out.fresh, done) {
            (true, true) => self.weigh(u64::from(answer.spent)),
            (true, false) => self.weigh(self.pace.least),
            (false, _) => {}
        }
        self.follow(next, &mut taken);
        taken
    }

    /// An answer about a unit was not taken. The unit is handed out again, unless that was in vain
    /// often.
    fn refuse(&mut self, unit: u64) -> Result<Next, Misfit> {
        const OFTEN: u32 = 3;
        let times = self.unfit.entry(unit).or_default();
        *times += 1;
        if *times < OFTEN || self.plot.hand_out(unit).is_none() {
            return Ok(Next::GoOn(Vec::new()));
        }
        let prefix = self.plot.prefix(unit);
        let detail = format!("a part of which no answer fits: {prefix}");
        self.plot.leave_out(unit, limit(LimitKind::Solver, detail))
    }

    fn follow(&mut self, next: Result<Next, Misfit>, taken: &mut Taken) {
        match next {
            Err(misfit) => taken
                .notes
                .push(format!("warning: an answer was not taken: {misfit}")),
            Ok(Next::GoOn(dropped)) if dropped.is_empty() => {}
            Ok(Next::GoOn(dropped)) => {
                let tokens = self.out.iter().filter(|(_, out)| dropped.contains(&out.unit));
                let tokens: Vec<Token> = tokens.map(|(&token, _)| token).collect();
                self.out.retain(|token, _| !tokens.contains(token));
                taken.orders.push(Order::Drop(tokens));
            }
            Ok(Next::Ended) => {
                let stop = limit(LimitKind::Interrupted, "stopped".to_owned());
                taken.end = Some(End::Report(Box::new(self.plot.report(stop))));
            }
            Ok(Next::Again(common)) => {
                taken.orders.push(Order::Drop(self.out.keys().copied().collect()));
                self.out.clear();
                self.plot = Plot::search(common);
                self.regions = None;
            }
        }
    }

    /// Learns from the time that a unit took how many should be given away at once: small units
    /// cost more than they bring.
    fn weigh(&mut self, spent: u64) {
        self.at_once = match spent < self.pace.least {
            true => self.at_once - self.at_once / 8,
            false => self.at_once + self.at_once / 8,
        };
        self.at_once = self.at_once.clamp(8, 8 * MOST_AT_ONCE);
    }

    /// What is to be done now: tasks to hand out, and requests.
    pub fn tick(&mut self, now: u64) -> (Vec<Hand>, Vec<Order>) {
        let gone = self.pace.gone;
        self.workers.retain(|_, worker| worker.at + gone > now);
        let idle = self
            .workers
            .values()
            .filter(|worker| worker.has.is_none())
            .count();
        if idle > 0 {
            self.look_for_lost(now);
        }
        let mut hands = Vec::new();
        let room = self.room().saturating_sub(self.out.len());
        for unit in self.plot.ready(room) {
            hands.extend(self.hand_out(unit, now));
        }
        let orders = match self.splits {
            true => self.ask_for_units(now),
            false => Vec::new(),
        };
        (hands, orders)
    }

    fn hand_out(&mut self, unit: u64, now: u64) -> Option<Hand> {
        let task = self.plot.hand_out(unit)?;
        let token = Token {
            incarnation: self.incarnation,
            number: self.next,
        };
        self.next += 1;
        let out = Out {
            unit,
            fresh: matches!(&task, Task::Part(Part::Unit(unit)) if unit.state == UnitState::Waiting),
            worker: None,
            heard: now,
            begun: None,
            asked: None,
        };
        self.out.insert(token, out);
        Some(self.hand(token, task))
    }

    fn hand(&self, token: Token, task: Task) -> Hand {
        Hand {
            run: self.run.clone(),
            token,
            module: self.module.clone(),
            terms: self.terms.clone(),
            regions: self.regions.clone().unwrap_or_default(),
            common: self.plot.common(),
            task,
            slice: u32::try_from(self.slice()).unwrap_or(u32::MAX),
        }
    }

    /// How many parts should be handed out: more than there are workers, so that none waits for the
    /// next one.
    fn room(&self) -> usize {
        (self.workers.len() + self.workers.len() / 4).max(1)
    }

    /// For how long a part is explored, in milliseconds: longer if there are more workers, so that
    /// all of them together do not answer more often.
    fn slice(&self) -> u64 {
        self.pace.slice.max(2 * self.workers.len() as u64)
    }

    /// The worker that has a hand-out, if it is known.
    pub fn holder(&self, token: Token) -> Option<&str> {
        self.out.get(&token)?.worker.as_deref()
    }

    /// The hand-out could not be made.
    pub fn not_handed(&mut self, token: Token) {
        if let Some(out) = self.out.remove(&token) {
            self.plot.give_up(out.unit);
        }
    }

    fn look_for_lost(&mut self, now: u64) {
        let lost = self.pace.lost;
        let lost: Vec<Token> = self
            .out
            .iter()
            .filter(|(_, out)| out.heard + lost <= now)
            .map(|(&token, _)| token)
            .collect();
        lost.into_iter().for_each(|token| self.not_handed(token));
    }

    /// Asks those who have explored for long enough for as many units as workers have nothing to
    /// do.
    fn ask_for_units(&mut self, now: u64) -> Vec<Order> {
        // An order may have been lost.
        const AGAIN: u64 = 500;
        let (allowed, since) = self.allowance;
        let more = MOST_A_SECOND * now.saturating_sub(since);
        let allowed = (allowed + more).min(1_000 * MOST_A_SECOND);
        self.allowance = (allowed, now);
        let waiting = self.room().saturating_sub(self.out.len());
        let waiting = waiting.min(usize::try_from(allowed / 1_000).unwrap_or(usize::MAX));
        if waiting == 0 {
            return Vec::new();
        }
        let least = self.pace.least;
        let explored = &self.explored;
        let may = |out: &Out| {
            let before = explored.get(&out.unit).copied().unwrap_or_default();
            out.begun.is_some_and(|begun| begun + least <= now + before)
                && out.asked.is_none_or(|asked| asked + AGAIN <= now)
        };
        // Few are asked for many, because each returns its part.
        let waiting = u32::try_from(waiting).unwrap_or(u32::MAX);
        let each = (self.at_once / 8).min(waiting);
        let most = waiting.div_ceil(each) as usize;
        let mut orders = Vec::new();
        for (&token, out) in &mut self.out {
            if orders.len() < most && may(out) {
                out.asked = Some(now);
                self.allowance.0 = self.allowance.0.saturating_sub(1_000 * u64::from(each));
                orders.push(Order::Split(token, each));
            }
        }
        orders
    }
}

fn limit(kind: LimitKind, detail: String) -> Limit {
    Limit {
        kind,
        detail,
        stmt: StmtId(0),
    }
}

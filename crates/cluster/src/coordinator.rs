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
use selvedge_explore::kept::{Done, Misfit, Next, Progress};
use selvedge_model::{Limit, LimitKind};
use selvedge_session::apart::{Failure, Outcome};
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

/// The longest time that a unit may be explored before it is asked to give something away, in
/// milliseconds.
const LONGEST_LEAST: u64 = 3_200;

/// A hand-out that is awaited.
#[derive(Clone, Copy, Debug)]
struct Out {
    unit: u64,
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
    /// How long a unit is explored now before it is asked to give something away.
    least: u64,
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
            least: pace.least,
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
        let Some(out) = self.out.get(&answer.token).copied() else {
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
                let detail = format!("a part does not fit where it was explored: {why}");
                self.plot.leave_out(unit, limit(LimitKind::Solver, detail))
            }
            outcome => match self.plot.put(unit, outcome, &made.common) {
                Ok(next) => {
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
        if done {
            self.weigh(u64::from(answer.spent));
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

    /// Learns from the time that a unit took how long the next ones should be explored before they
    /// give something away: small units cost more than they bring.
    fn weigh(&mut self, spent: u64) {
        if spent < self.pace.least {
            self.least = (self.least + self.least / 8 + 1).min(LONGEST_LEAST.max(self.pace.least));
        } else {
            self.least = (self.least - self.least / 8).max(self.pace.least);
        }
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
        // A few more than there are workers, so that none waits for the next one.
        let room = (self.workers.len() + self.workers.len() / 8).max(1);
        for unit in self.plot.ready() {
            if self.out.len() >= room {
                break;
            }
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
            heard: now,
            begun: None,
            asked: None,
        };
        self.out.insert(token, out);
        Some(Hand {
            run: self.run.clone(),
            token,
            module: self.module.clone(),
            terms: self.terms.clone(),
            regions: self.regions.clone().unwrap_or_default(),
            common: self.plot.common(),
            task,
            slice: u32::try_from(self.pace.slice).unwrap_or(u32::MAX),
        })
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
        let waiting = self.workers.len().saturating_sub(self.out.len());
        if waiting == 0 {
            return Vec::new();
        }
        let least = self.least;
        let may = |out: &Out| {
            out.begun.is_some_and(|begun| begun + least <= now)
                && out.asked.is_none_or(|asked| asked + AGAIN <= now)
        };
        let count = self.out.values().filter(|out| may(out)).count();
        if count == 0 {
            return Vec::new();
        }
        let each = u32::try_from(waiting.div_ceil(count)).unwrap_or(u32::MAX);
        let mut orders = Vec::new();
        for (&token, out) in &mut self.out {
            if orders.len() < waiting && may(out) {
                out.asked = Some(now);
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

//! `--strategy auto`: several explorations of one program take turns, and the first one with a
//! result decides.
//!
//! No strategy is the best for every program. `unfold` terminates if states return. `dpor` takes
//! ten times as many steps in a second. `stateful` terminates if threads spin and retry. The same
//! search in another order, or a sample, may find quickly what a depth-first search would reach
//! much later. So they take turns:
//!
//! 1. `unfold` alone, for some hundredths of a second. Most small programs end here.
//! 2. `stateful` alone, for three or four tenths of a second. Most small programs whose threads
//!    spin or retry end here. If threads write the same variables
//!    ([`may_pay`](reads::may_pay)), `reads-from` takes turns with it.
//! 3. Samples (`random` and `pct` in turns, short executions first), for about a second. Beside
//!    them `stateful` gets half of the work, and once some tenths of a second alone, when samples
//!    have had time to find what most of them find.
//! 4. `unfold` depth-first, `unfold` towards new code, `stateful`, and `dpor`, by shares, while
//!    sampling continues with a tenth.
//!
//! Where the machine cannot predict what threads will do
//! ([`can_predict`](selvedge_vm::can_predict): not in Rust, nor where signals are sent), `stateful`
//! rarely lets a thread go first. There `unfold` has twenty times as much at the beginning, and a
//! greater share later.
//!
//! *Shared results.* If a search shows that the program has data races, and races were not
//! requested, all searches start again with all accesses visible. If memory had to be reused
//! ([`Plan::after_reuse`]), later searches begin with reuse.
//!
//! *The same input gives the same answer.* Turns are counted in units of work ([`Budget`]), not in
//! time. A round gives each exploration some units. The result of a round is that of the first
//! exploration, in a fixed order, that has one. So the number of explorations that run at once does
//! not matter.
//!
//! *Samples check proofs.* After a search has verified the program, sampling continues for a tenth
//! of the work. A sample that violates a verified property is an internal error.
//!
//! *All findings.* With `--stop never`, a sample with a finding does not decide. If the first
//! search ends at a limit, the sample's findings are reported, and the limit is the reason why
//! there may be more.

mod proofs;
mod reads;

use crate::assumed::Failed;
use crate::error::Error;
use crate::explore::jobs;
use crate::explored::{Explored, Outcome};
use crate::job::Job;
use crate::options::{self, Dependence, Options, Strategy};
use crate::plan::{Plan, slices};
use crate::predicate;
use selvedge_base::StopFlag;
use selvedge_explore::unfold::Partial;
use selvedge_explore::{Budget, Found, Order, Stop};
use selvedge_model::{LimitKind, Property, StopReason, Verdict};
use selvedge_report::Turns;
use selvedge_vm::Visibility;
use std::collections::VecDeque;
use std::sync::Arc;
use std::thread::{self, Scope, ScopedJoinHandle};
use std::time::Duration;

/// The units of the first round: some hundredths of a second.
const FIRST: u64 = 4_000_000;

/// The same where `stateful` cannot predict what threads will do: there it visits the product of
/// all positions of all threads, also where they have nothing to do with each other.
const FIRST_OF_UNPREDICTED: u64 = 80_000_000;

/// The units of turns alone before samples. `stateful` gets all of them: three or four tenths of a
/// second.
const SECOND: [u64; 4] = [8_000_000, 16_000_000, 40_000_000, 80_000_000];

/// The units of a turn alone after samples had [`SHORT`]: some tenths of a second.
const THIRD: [u64; 1] = [160_000_000];

/// The units after which samples have found what most of them would find.
const SHORT: u64 = 40_000_000;

/// The units of samples before other searches begin: about a second.
const SAMPLES: u64 = 200_000_000;

/// A round has the units of all earlier rounds, divided by this.
const GROWTH: u64 = 4;

/// The share of each of the two samples in a round, in hundredths: until they had [`SAMPLES`], and
/// later.
const SAMPLE_SHARE: (u64, u64) = (20, 5);

/// The share of the first search beside others, in hundredths: until samples had [`SAMPLES`], and
/// later.
const FIRST_SHARE: (u64, u64) = (25, 30);

/// The same where `stateful` cannot predict what threads will do.
const FIRST_SHARE_OF_UNPREDICTED: (u64, u64) = (45, 45);

/// The share of `stateful` later, in hundredths. The two first searches are those that decide most
/// programs, and a unit of `stateful` takes half the time of one of others. The others share the
/// rest.
const STATEFUL_SHARE: u64 = 30;

/// The minimum units of samples that check a proof: some executions of a small program.
const CHECK: u64 = 60_000;

/// The time for which to wait for one exploration before checking the others.
const GLANCE: Duration = Duration::from_millis(5);

/// True if `auto` is a portfolio with these options. Some options are about a single exploration.
pub(crate) fn suits(options: &Options) -> bool {
    options.strategy.is_none()
        && !slices(options)
        && options.test_cases.is_none()
        && !options.checkpoints.are_wanted()
        && !options.apart
        && !options.coverage
        && !options.dump_unfolding
        && options.max_executions.is_none()
        && options.search == Order::DepthFirst
        && options.partial == Partial::Last(1)
}

/// Explores in turns.
pub(crate) fn run(job: &Job<'_>) -> Result<Outcome, Error> {
    thread::scope(|scope| {
        let mut portfolio = Portfolio {
            scope,
            job,
            members: Vec::new(),
            visibility: Plan::first(job.options).visibility,
            reuses: false,
            alone: VecDeque::new(),
            thrice: false,
            further: false,
            slices_again: false,
            unfinished: None,
            sampled: None,
            predicts: selvedge_vm::can_predict(job.module),
            spent: 0,
        };
        let decided = portfolio.decide();
        // Explorations that still wait or run end now.
        portfolio.members.iter().for_each(Member::stop);
        decided.map(|decided| Outcome {
            also: portfolio.also(&decided),
            decided,
            all: None,
        })
    })
}

/// An exploration of the portfolio.
struct Member<'scope> {
    plan: Plan,
    budget: Arc<Budget>,
    /// Stops it within a step.
    flag: StopFlag,
    /// The units spent in completed turns.
    spent: u64,
    /// The thread, until it has ended.
    handle: Option<ScopedJoinHandle<'scope, Result<Explored, Error>>>,
}

impl Member<'_> {
    /// Ends it, if it has not ended. Its findings are not replayed.
    fn stop(&self) {
        if self.handle.is_some() {
            self.flag.set();
            self.budget.close();
        }
    }
}

/// Ends the budget of an exploration together with its thread, even if that panics.
struct Ends(Arc<Budget>);

impl Drop for Ends {
    fn drop(&mut self) {
        self.0.end();
    }
}

/// The consequence of an exploration that has ended.
enum Step {
    /// Nothing.
    Open,
    /// It decides.
    Decides(Box<Explored>),
    /// Plain accesses have to be explored: an assumption about them has failed.
    Plain(Failed),
}

struct Portfolio<'scope, 'env> {
    scope: &'scope Scope<'scope, 'env>,
    job: &'env Job<'env>,
    /// In the order in which they decide: first search, samples, further searches.
    members: Vec<Member<'scope>>,
    visibility: Visibility,
    /// True if a search has reused memory.
    reuses: bool,
    /// The next turns alone, with their units.
    alone: VecDeque<(Strategy, u64)>,
    /// True if there were turns alone after samples.
    thrice: bool,
    /// True if all searches have begun.
    further: bool,
    /// True if an exploration under predicate dependence has found more essential statements.
    slices_again: bool,
    /// A search that ended without deciding.
    unfinished: Option<Box<Explored>>,
    /// A sample with a finding, if all findings are requested (`--stop never`).
    sampled: Option<Box<Explored>>,
    /// True if `stateful` can predict what threads will do.
    predicts: bool,
    /// The units of all turns so far.
    spent: u64,
}

impl<'scope, 'env> Portfolio<'scope, 'env> {
    fn decide(&mut self) -> Result<Explored, Error> {
        self.begin(Strategy::Unfold, Order::DepthFirst)?;
        let mut units = match self.predicts {
            true => FIRST,
            false => FIRST_OF_UNPREDICTED,
        };
        loop {
            let step = match self.alone.pop_front() {
                Some((strategy, units)) => {
                    let is_next =
                        |member: &Member<'_>| member.plan.strategy == strategy && member.handle.is_some();
                    let share = |member: &Member<'_>| if is_next(member) { units } else { 0 };
                    let shares: Vec<u64> = self.members.iter().map(share).collect();
                    self.turns(&shares)?
                }
                None => self.round(units)?,
            };
            match step {
                Step::Decides(explored) => {
                    return if explored.report.verdict() == Verdict::Verified {
                        self.check(*explored)
                    } else {
                        Ok(*explored)
                    };
                }
                Step::Plain(failed) => {
                    self.job.tell(failed);
                    self.visibility = Visibility::Memory;
                    self.members.retain(|member| {
                        let stays = member.plan.samples();
                        if !stays {
                            member.stop();
                        }
                        stays
                    });
                    self.unfinished = None;
                    self.further = false;
                    self.alone.clear();
                    self.begin(Strategy::Unfold, Order::DepthFirst)?;
                    self.members.rotate_right(1);
                    self.begin(Strategy::Stateful, Order::DepthFirst)?;
                }
                Step::Open => {}
            }
            if std::mem::take(&mut self.slices_again) {
                self.slice_again()?;
            }
            let searches = self.members.iter().filter(|member| !member.plan.samples());
            let active = searches.filter(|member| member.handle.is_some()).count();
            let stopped = self.job.control.is_stop_requested() || self.job.control.is_saving();
            // The first search cannot find more, and there is a finding. The reason for the end is
            // the search's limit.
            let found = self.sampled.is_some() && self.unfinished.is_some();
            if found || active == 0 && (self.further || stopped) {
                return self.best();
            }
            let sampled: u64 = self.samples().map(|member| member.spent).sum();
            if !self
                .members
                .iter()
                .any(|member| member.plan.strategy == Strategy::Stateful)
            {
                self.begin_alone()?;
                continue;
            }
            if !self.alone.is_empty() {
                continue;
            }
            if sampled >= SHORT && !std::mem::replace(&mut self.thrice, true) {
                self.take_turns(&THIRD);
                continue;
            }
            if self.samples().next().is_none() {
                self.begin(Strategy::Random, Order::DepthFirst)?;
                self.begin(Strategy::Pct, Order::DepthFirst)?;
            }
            if self.job.control.is_saving() {
                self.retire();
            } else if (sampled >= SAMPLES || active == 0) && !self.further {
                self.further = true;
                self.begin(Strategy::Unfold, Order::Coverage)?;
                self.begin(Strategy::Dpor, Order::DepthFirst)?;
                self.begin_reads()?;
                if predicate::may_pay(self.job.options, self.job.module) {
                    self.begin_plan(Plan::sliced(self.job.options))?;
                }
            }
            units = (self.spent / GROWTH).max(FIRST);
        }
    }

    /// The best result if no search has finished.
    fn best(&mut self) -> Result<Explored, Error> {
        let (unfinished, sampled) = (self.unfinished.take(), self.sampled.take());
        let is_asked = |found: &Found| self.job.options.properties.contains(&found.fault.kind.property());
        match (unfinished, sampled) {
            (None, None) => Err(Error::Stopped),
            (Some(unfinished), None) => Ok(*unfinished),
            (Some(unfinished), Some(_)) if unfinished.report.faults.iter().any(is_asked) => Ok(*unfinished),
            (unfinished, Some(mut sampled)) => {
                // There may be more findings, because the search did not finish.
                sampled.report.stop = match unfinished {
                    Some(unfinished) => unfinished.report.stop,
                    None => StopReason::Limit(self.job.control.limit()),
                };
                Ok(*sampled)
            }
        }
    }

    fn samples(&self) -> impl Iterator<Item = &Member<'scope>> {
        self.members.iter().filter(|member| member.plan.samples())
    }

    /// Adds an exploration. It waits for its first units.
    ///
    /// Samples have plain accesses visible, since a data race may be what leads to a failure. If
    /// races are requested, `random` leaves them out: its detector sees races all the same, and its
    /// executions have many times fewer events.
    fn begin(&mut self, strategy: Strategy, search: Order) -> Result<(), Error> {
        let asked = self.job.options.properties.contains(&Property::DataRace);
        let plain = match strategy {
            Strategy::Random => !asked,
            Strategy::Pct => true,
            _ => false,
        };
        let visibility = match self.job.options.visibility {
            options::Visibility::Auto if plain => Visibility::Memory,
            _ => self.visibility,
        };
        let mut plan = Plan {
            search,
            ..Plan::of(self.job.options, strategy, visibility)
        };
        if self.reuses {
            plan = plan.after_reuse().unwrap_or(plan);
        }
        self.begin_plan(plan)
    }

    fn begin_plan(&mut self, plan: Plan) -> Result<(), Error> {
        let budget = Arc::new(Budget::new());
        let flag = match self.members.is_empty() && self.spent == 0 {
            true => self.job.first.clone(),
            false => self.job.setup.vm.stop.part(),
        };
        let (job, mine, stop) = (self.job, Arc::clone(&budget), flag.clone());
        let explore = move || {
            let _ends = Ends(Arc::clone(&mine));
            job.explore(plan, Some(&mine), &stop)
        };
        let handle = thread::Builder::new()
            .spawn_scoped(self.scope, explore)
            .map_err(|error| Error::Output(format!("no thread can be started: {error}")))?;
        self.members.push(Member {
            plan,
            budget,
            flag,
            spent: 0,
            handle: Some(handle),
        });
        Ok(())
    }

    /// Ends the further searches, because their memory is needed.
    fn retire(&mut self) {
        let mut first = true;
        self.members.retain(|member| {
            let stays = member.plan.samples() || std::mem::take(&mut first);
            if !stays {
                member.stop();
            }
            stays
        });
    }

    /// The share of each exploration in a round.
    fn shares(&self, units: u64) -> Vec<u64> {
        let sampled: u64 = self.samples().map(|member| member.spent).sum();
        let active = |member: &&Member<'_>| member.handle.is_some();
        let samples = self.samples().filter(active).count() as u64;
        let searches = self.members.iter().filter(active).count() as u64 - samples;
        let first_share = match self.predicts {
            true => FIRST_SHARE,
            false => FIRST_SHARE_OF_UNPREDICTED,
        };
        let (for_sample, of_first) = match sampled < SAMPLES {
            true => (SAMPLE_SHARE.0, first_share.0),
            false => (SAMPLE_SHARE.1, first_share.1),
        };
        let left = 100 - samples * for_sample;
        let behind_first = self.members.iter().filter(|member| !member.plan.samples());
        let mut behind_first = behind_first.filter(active).skip(1);
        let has_stateful = behind_first.any(|member| member.plan.strategy == Strategy::Stateful);
        let left_of_first = left.saturating_sub(of_first);
        let of_stateful = match (has_stateful, searches) {
            (false, _) => 0,
            (true, 2) => left_of_first,
            (true, _) if sampled < SAMPLES => left_of_first / (searches - 1),
            (true, _) => STATEFUL_SHARE,
        };
        let others = searches.saturating_sub(1 + u64::from(has_stateful)).max(1);
        let of_other = left_of_first.saturating_sub(of_stateful) / others;
        let mut first = true;
        let share = |member: &Member<'_>| {
            if member.handle.is_none() {
                return 0;
            }
            if member.plan.samples() {
                return for_sample;
            }
            match (std::mem::take(&mut first), searches) {
                (_, 0 | 1) => left,
                (true, _) => of_first,
                (false, _) if member.plan.strategy == Strategy::Stateful => of_stateful,
                (false, _) => of_other,
            }
        };
        let hundredths: Vec<u64> = self.members.iter().map(share).collect();
        hundredths.into_iter().map(|share| units / 100 * share).collect()
    }

    /// Gives each exploration its share of some units, in order, as many at once as there are
    /// cores. Returns the consequence of the first one that has ended.
    fn round(&mut self, units: u64) -> Result<Step, Error> {
        let shares = self.shares(units);
        self.turns(&shares)
    }

    fn turns(&mut self, shares: &[u64]) -> Result<Step, Error> {
        let width = jobs(self.job.options).max(1);
        let (mut begun, mut settled) = (0, 0);
        while settled < self.members.len() {
            let running = |members: &[Member<'_>]| members.iter().filter(|m| !m.budget.is_done()).count();
            while begun < self.members.len() && running(&self.members[settled..begun]) < width {
                if shares[begun] > 0 {
                    self.members[begun].budget.grant(shares[begun]);
                }
                begun += 1;
            }
            if self.job.control.is_stop_requested() {
                // The flag of the whole run is set. The flags of the explorations are not, because
                // their findings may still be replayed.
                self.members.iter().for_each(|member| member.budget.close());
                begun = self.members.len();
            }
            let member = &mut self.members[settled];
            if !member.budget.wait(GLANCE) || (member.budget.is_closed() && !member.budget.has_ended()) {
                continue;
            }
            let spent = shares[settled].saturating_sub(member.budget.left());
            self.spent += spent;
            member.spent += spent;
            settled += 1;
            if member.budget.has_ended()
                && let Some(handle) = member.handle.take()
            {
                let explored = handle
                    .join()
                    .unwrap_or_else(|panic| std::panic::resume_unwind(panic));
                let explored = match explored {
                    Ok(explored) => explored,
                    // There is no program for it any more. The others continue, or have ended.
                    Err(Error::Stopped | Error::NoSlice(_) | Error::Uncovered(_)) => continue,
                    Err(stopped) => return Err(stopped),
                };
                let failed = self.job.failed(&explored);
                match self.judge(explored, failed) {
                    Step::Open => {}
                    step => return Ok(step),
                }
                self.slices_again |= failed == Some(Failed::Slice);
            }
        }
        Ok(Step::Open)
    }

    /// Explores once more under predicate dependence, with more essential statements.
    fn slice_again(&mut self) -> Result<(), Error> {
        let sliced = |member: &&Member<'_>| member.plan.dependence == Dependence::Predicate;
        if self.members.iter().filter(sliced).count() > predicate::ROUNDS as usize {
            return Ok(());
        }
        self.begin_plan(Plan::sliced(self.job.options))
    }

    /// The consequence of an exploration that has ended. `failed`: the assumption that it has shown
    /// to be wrong.
    fn judge(&mut self, explored: Explored, failed: Option<Failed>) -> Step {
        let (plan, report) = (explored.plan, &explored.report);
        let is_asked = |found: &Found| self.job.options.properties.contains(&found.fault.kind.property());
        if plan.samples() {
            return match (report.faults.iter().any(is_asked), self.job.options.stop) {
                (false, _) => Step::Open,
                (true, Stop::First) => Step::Decides(Box::new(explored)),
                (true, _) => {
                    self.sampled.get_or_insert(Box::new(explored));
                    Step::Open
                }
            };
        }
        self.reuses |= plan.quarantine.is_some() && !plan.keeps_dead;
        if let Some(failed @ (Failed::RaceFree | Failed::NoPlainWait)) = failed {
            return Step::Plain(failed);
        }
        let found = self.job.options.stop == Stop::First && report.faults.iter().any(is_asked);
        if plan.dependence == Dependence::Predicate {
            // The parts that it leaves open say less than the results of the others.
            let verified = report.verdict() == Verdict::Verified;
            return match found || verified {
                true => Step::Decides(Box::new(explored)),
                false => Step::Open,
            };
        }
        // Another search may not reach these limits.
        let others = [
            LimitKind::Depth,
            LimitKind::Events,
            LimitKind::Solver,
            LimitKind::Memory,
        ];
        let complete = report.stop == StopReason::Complete
            && !report.limits.iter().any(|limit| others.contains(&limit.kind));
        if found || complete {
            return Step::Decides(Box::new(explored));
        }
        // The first search gives the best description of what was covered.
        if self.unfinished.is_none() || (plan.strategy, plan.search) == (Strategy::Unfold, Order::DepthFirst)
        {
            self.unfinished = Some(Box::new(explored));
        }
        Step::Open
    }

    /// The work of the other explorations, besides the one that decides.
    fn also(&self, decided: &Explored) -> Vec<Turns> {
        let others = self
            .members
            .iter()
            .filter(|member| member.spent > 0 && member.plan != decided.plan);
        others
            .map(|member| Turns {
                strategy: member.plan.name(),
                visibility: member.plan.visibility_word().to_owned(),
                work: member.spent,
            })
            .collect()
    }
}

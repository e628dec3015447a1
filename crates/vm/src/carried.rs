//! What a program has learned from its machines, as data. Another process that continues an
//! exploration begins with it.

use crate::coverage::Reached;
use crate::program::{DIRECT_REGIONS, Program};
use crate::statistics::SolverStatistics;
use crate::vm::Vm;
use selvedge_base::StmtId;
use selvedge_model::{Property, Unsupported};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::sync::atomic::Ordering;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// What a program has learned from its machines.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Carried {
    /// Threads that got a region of memory on demand, as (region of the creator, number among its
    /// threads), in the order of the regions. Addresses depend on this.
    pub regions: Vec<(u32, u32)>,
    /// [`Program::executed`].
    pub executed: u64,
    /// [`Program::is_spoiled`].
    pub spoiled: bool,
    /// Whether all atomic blocks have one class. The order that is explored depends on it.
    pub one_block_class: bool,
    /// [`Program::open_questions`].
    pub open_questions: BTreeSet<(Property, Unsupported)>,
    /// [`Program::address_uses`].
    pub address_uses: BTreeSet<StmtId>,
    /// [`Program::handlers`].
    #[serde(default)]
    pub handlers: BTreeSet<StmtId>,
    /// Which peers have begun, one bit each.
    #[serde(default)]
    pub begun: u64,
    /// [`Program::has_ended`].
    #[serde(default)]
    pub ended: bool,
    /// [`Program::has_assumed`].
    #[serde(default)]
    pub assumed: bool,
    /// The places that were reached, if the options request this.
    pub reached: Reached,
    /// [`Program::solver_statistics`].
    pub solver: SolverStatistics,
}

impl Program {
    /// The statements that set handlers of signals.
    pub fn handlers(&self) -> BTreeSet<StmtId> {
        lock(&self.handlers).clone()
    }

    /// Records such a statement.
    pub(crate) fn note_handler(&self, stmt: StmtId) {
        lock(&self.handlers).insert(stmt);
    }

    /// Whether a peer has begun in some execution: it has a connection.
    pub fn has_begun(&self, peer: usize) -> bool {
        self.begun.load(Ordering::Relaxed) >> peer & 1 != 0
    }

    /// Records that a peer has begun.
    pub(crate) fn note_peer(&self, peer: usize) {
        self.begun.fetch_or(1 << peer, Ordering::Relaxed);
    }

    /// Whether a wait has timed out in some execution.
    pub fn has_timed_out(&self) -> bool {
        self.timed_out.load(Ordering::Relaxed)
    }

    /// Records that a wait has timed out.
    pub(crate) fn note_time_out(&self) {
        self.timed_out.store(true, Ordering::Relaxed);
    }

    /// Whether the process has come to its end in some execution.
    pub fn has_ended(&self) -> bool {
        self.ended.load(Ordering::Relaxed)
    }

    /// Records that the process has come to its end.
    pub(crate) fn note_end(&self) {
        if !self.has_ended() {
            self.ended.store(true, Ordering::Relaxed);
        }
    }

    /// Whether a thread has stopped at a false assumption in some execution.
    pub fn has_assumed(&self) -> bool {
        self.assumed.load(Ordering::Relaxed)
    }

    /// Records that a thread has stopped at a false assumption.
    pub(crate) fn note_false_assumption(&self) {
        self.assumed.store(true, Ordering::Relaxed);
    }

    /// The most seconds by which a clock has gone on in some execution.
    pub fn longest_time(&self) -> u64 {
        self.longest_time.load(Ordering::Relaxed)
    }

    /// Records how far a clock has gone on.
    pub(crate) fn note_clock(&self, seconds: u64) {
        self.longest_time.fetch_max(seconds, Ordering::Relaxed);
    }

    /// What was learned so far. Machines that still run contribute what they have
    /// [published](selvedge_model::Machine::publish_counts).
    pub fn carried(&self) -> Carried {
        let regions = lock(&self.regions);
        let mut ordered: Vec<_> = regions
            .iter()
            .map(|(&thread, &region)| (region, thread))
            .collect();
        drop(regions);
        ordered.sort_unstable();
        Carried {
            regions: ordered.into_iter().map(|(_, thread)| thread).collect(),
            executed: self.executed(),
            spoiled: self.is_spoiled(),
            one_block_class: self.options.blocks.is_none(),
            open_questions: self.open_questions(),
            address_uses: self.address_uses(),
            handlers: self.handlers(),
            begun: self.begun.load(Ordering::Relaxed),
            ended: self.has_ended(),
            assumed: self.has_assumed(),
            reached: self.reached(),
            solver: self.solver_statistics(),
        }
    }

    /// Begins with what the same program learned before. Must be called before machines are made.
    pub fn carry_on(&self, carried: &Carried) {
        let mut regions = lock(&self.regions);
        regions.clear();
        for (&thread, region) in carried.regions.iter().zip(DIRECT_REGIONS..) {
            regions.insert(thread, region);
        }
        drop(regions);
        self.executed.store(carried.executed, Ordering::Relaxed);
        self.spoiled.store(carried.spoiled, Ordering::Relaxed);
        self.note(carried);
    }
}

impl Program {
    /// Adds what machines of the same program have learned in another process. Regions are left
    /// out, because machines here may have others.
    pub fn learn(&self, carried: &Carried) {
        self.executed.fetch_add(carried.executed, Ordering::Relaxed);
        self.spoiled.fetch_or(carried.spoiled, Ordering::Relaxed);
        self.note(carried);
    }

    /// Adds everything that is no state of the exploration.
    fn note(&self, carried: &Carried) {
        for (property, what) in &carried.open_questions {
            self.leave_open(*property, what.clone());
        }
        for &stmt in &carried.address_uses {
            self.note_address_use(stmt);
        }
        for &stmt in &carried.handlers {
            self.note_handler(stmt);
        }
        self.begun.fetch_or(carried.begun, Ordering::Relaxed);
        self.ended.fetch_or(carried.ended, Ordering::Relaxed);
        self.assumed.fetch_or(carried.assumed, Ordering::Relaxed);
        self.add_reached(&carried.reached);
        self.add_solver_statistics(&carried.solver);
    }
}

impl Carried {
    /// Checks counts that come from elsewhere.
    ///
    /// # Errors
    /// Why it cannot have been learned.
    pub fn check(&self) -> Result<(), &'static str> {
        /// More than is ever counted. Sums of such counts do not overflow.
        const TOO_MANY: u64 = 1 << 56;
        match self.executed < TOO_MANY && self.solver.is_below(TOO_MANY) {
            true => Ok(()),
            false => Err("a count is too large"),
        }
    }

    /// What was learned since an earlier time: counts since then, and everything else.
    pub fn since(mut self, before: &Carried) -> Carried {
        self.executed = self.executed.saturating_sub(before.executed);
        self.solver.subtract(&before.solver);
        self
    }
}

impl Vm {
    /// Adds the counts since the last call to the program's counts.
    pub(crate) fn publish(&mut self) {
        let executed = std::mem::take(&mut self.instructions);
        self.program.executed.fetch_add(executed, Ordering::Relaxed);
        self.program.add_reached(&self.reached);
        if let Some(counts) = self.solver.counts() {
            let mut new = counts.clone();
            new.subtract(&self.published);
            self.program.add_solver_statistics(&new);
            self.published = counts;
        }
    }

    /// Drops the counts since the last call, without adding them to the program's counts.
    pub(crate) fn drop_unpublished(&mut self) {
        self.instructions = 0;
        self.published = self.solver.counts().unwrap_or_default();
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

//! Bounds of what comes from elsewhere. Data of strangers is checked before it is used.

use super::{Begun, GivenUnit, Misfit, Part, Product, Progress, RecordState, SampleState, Unit, UnitState};
use crate::Statistics;

/// More of anything than an exploration counts. Sums of such counts do not overflow.
const TOO_MANY: u64 = 1 << 48;

/// What is said of such a count.
const TOO_LARGE: Misfit = Misfit("a count is too large");

impl RecordState {
    /// Checks counts that come from elsewhere.
    ///
    /// # Errors
    /// If no exploration counts so many.
    pub fn check(&self) -> Result<(), Misfit> {
        let Statistics {
            executions,
            redundant_executions,
            bounded_executions,
            events,
            max_depth,
            threads,
            cut_executions,
            unfolding_events,
            cutoffs,
            states,
            forgotten_states,
            choices,
            thread_choices,
            necessary_choices,
        } = self.statistics;
        let counts = [
            executions,
            redundant_executions,
            bounded_executions,
            events,
            max_depth,
            threads,
            cut_executions,
            unfolding_events,
            cutoffs,
            states,
            forgotten_states,
            choices,
        ];
        let kinds = [thread_choices, necessary_choices];
        let kinds = kinds
            .iter()
            .flat_map(|kinds| [kinds.fields, kinds.elements, kinds.other]);
        let faults = self.faults.iter().map(|found| found.count);
        match counts
            .into_iter()
            .chain(kinds)
            .chain(faults)
            .all(|count| count < TOO_MANY)
        {
            true => Ok(()),
            false => Err(TOO_LARGE),
        }
    }
}

impl Product {
    fn check(&self) -> Result<(), Misfit> {
        self.record.check()
    }
}

impl Begun {
    /// As [`RecordState::check`].
    ///
    /// # Errors
    /// See there.
    pub fn check(&self) -> Result<(), Misfit> {
        let given = |given: &GivenUnit| given.unit.check();
        self.product.check()?;
        self.given.iter().try_for_each(given)
    }
}

impl Unit {
    /// As [`RecordState::check`].
    fn check(&self) -> Result<(), Misfit> {
        match &self.state {
            UnitState::Waiting => Ok(()),
            UnitState::Done(done) => done.product.check(),
            UnitState::Begun(begun) => begun.check(),
        }
    }
}

impl Part {
    /// As [`RecordState::check`].
    ///
    /// # Errors
    /// See there.
    pub fn check(&self) -> Result<(), Misfit> {
        match self {
            Part::Whole => Ok(()),
            Part::Rest(begun) => begun.check(),
            Part::Unit(unit) => unit.check(),
        }
    }
}

impl Progress {
    /// As [`RecordState::check`].
    ///
    /// # Errors
    /// See there.
    pub fn check(&self) -> Result<(), Misfit> {
        match self {
            Progress::Begun(begun) => begun.check(),
            Progress::Done(done) => done.product.check(),
            Progress::TooManyThreads | Progress::Stopped => Ok(()),
        }
    }
}

impl SampleState {
    /// As [`RecordState::check`].
    ///
    /// # Errors
    /// See there.
    pub fn check(&self) -> Result<(), Misfit> {
        self.record.check()?;
        match self.done.max(self.of_length) < TOO_MANY {
            true => Ok(()),
            false => Err(TOO_LARGE),
        }
    }
}

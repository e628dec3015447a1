//! Whether `reads-from` takes part.
//!
//! It explores fewer classes than `dpor` has traces only where threads write the same variable and
//! nobody reads their order, and it takes some fifty times as long for each. The first turn of
//! `unfold` shows how many of the known conflicts are of two such writes.

use super::{Portfolio, SECOND};
use crate::error::Error;
use crate::options::Strategy;
use selvedge_explore::Order;
use selvedge_model::Property;

/// One of so many conflicts has to be of two writes.
const ONE_OF: u64 = 8;

/// Fewer conflicts than these say nothing.
const FEW: u64 = 16;

/// Whether `reads-from` may pay, from the number of conflicts known, and of those between writes.
pub(super) fn may_pay((all, unread): (u64, u64)) -> bool {
    all >= FEW && unread.saturating_mul(ONE_OF) >= all
}

impl Portfolio<'_, '_> {
    /// Begins the searches that have turns alone after the first one.
    pub(super) fn begin_alone(&mut self) -> Result<(), Error> {
        self.begin_reads()?;
        self.begin(Strategy::Stateful, Order::DepthFirst)?;
        self.take_turns(&SECOND);
        Ok(())
    }

    /// Begins `reads-from`, if it may pay and has not begun.
    pub(super) fn begin_reads(&mut self) -> Result<(), Error> {
        let leaks = [Property::Leak, Property::Cleanup];
        let covered = !leaks.iter().any(|p| self.job.options.properties.contains(p));
        let pays = self
            .members
            .iter()
            .any(|member| may_pay(member.budget.conflicts()));
        if covered && pays && !self.reads() {
            self.begin(Strategy::ReadsFrom, Order::DepthFirst)?;
        }
        Ok(())
    }

    /// Lets `reads-from`, if it has begun, and `stateful` take turns alone with these units.
    pub(super) fn take_turns(&mut self, units: &[u64]) {
        let reads = self.reads();
        for &units in units {
            if reads {
                self.alone.push_back((Strategy::ReadsFrom, units));
            }
            self.alone.push_back((Strategy::Stateful, units));
        }
    }

    fn reads(&self) -> bool {
        let reads = |strategy| strategy == Strategy::ReadsFrom;
        self.members.iter().any(|member| reads(member.plan.strategy))
    }
}

//! What follows when an assumption of a plan has failed.

use crate::assumed::{Failed, Planned};
use crate::error::Error;
use crate::explored::Explored;
use crate::job::Job;
use crate::options::{Dependence, Strategy};
use crate::plan::Plan;
use crate::predicate;

impl Job<'_> {
    /// The assumption of a plan that its exploration has shown to be wrong.
    pub(crate) fn failed(&self, explored: &Explored) -> Option<Failed> {
        if explored.plan.dependence != Dependence::Predicate {
            let refuted = explored.plan.is_refuted(self.options, &explored.report);
            let waits = explored.plan.leaves_a_wait(self.options, &explored.report);
            return match refuted {
                true => Some(Failed::RaceFree),
                false => waits.then_some(Failed::NoPlainWait),
            };
        }
        if self.learns(explored) {
            Some(Failed::Slice)
        } else if predicate::strays(&explored.report) {
            Some(Failed::SameEvents)
        } else {
            None
        }
    }

    /// The next plan after a failed assumption of a plan.
    pub(crate) fn next_plan(
        &self,
        Planned { plan, rounds }: Planned,
        failed: Failed,
    ) -> Result<Planned, Error> {
        let plan = match failed {
            Failed::RaceFree | Failed::NoPlainWait => Plan::with_all_accesses(self.options),
            Failed::Slice if rounds < predicate::ROUNDS => {
                let rounds = rounds + 1;
                return Ok(Planned { plan, rounds });
            }
            Failed::Slice => {
                self.observer.note(predicate::GIVEN_UP);
                Plan::conflict(self.options)
            }
            Failed::SameEvents => Plan::sliced_with(self.options, Strategy::Dpor),
            _ => return Err(Error::Internal(format!("{failed:?} is no assumption of a plan"))),
        };
        Ok(Planned { plan, rounds })
    }
}

//! Samples check proofs.

use super::{CHECK, Portfolio, SAMPLE_SHARE, Step};
use crate::error::Error;
use crate::explored::Explored;
use crate::options::Strategy;
use selvedge_explore::{Found, Order};
use selvedge_model::Property;

impl Portfolio<'_, '_> {
    /// Samples after a proof. No sample may violate a verified property.
    pub(super) fn check(&mut self, verified: Explored) -> Result<Explored, Error> {
        let sampled = match self.sampled.take() {
            Some(sampled) => sampled,
            None => match self.sample()? {
                Some(sampled) => sampled,
                None => return Ok(verified),
            },
        };
        let again = verified.plan.quarantine.is_some() && !verified.plan.keeps_dead;
        let faults = sampled.report.faults.iter();
        let mut asked =
            faults.filter(|found| self.job.options.properties.contains(&found.fault.kind.property()));
        let of_memory = |found: &Found| {
            let property = found.fault.kind.property();
            matches!(property, Property::Memory | Property::Deref | Property::Free)
        };
        if again && asked.clone().all(of_memory) {
            // Samples never reuse memory, and so find more.
            return Ok(*sampled);
        }
        let what = asked.next().map_or("", |found| &found.fault.message);
        Err(Error::Internal(format!(
            "{} has verified the program, and a sample of {} violates it: {what}",
            verified.plan.strategy.word(),
            sampled.plan.strategy.word()
        )))
    }

    /// Samples beside a proof. Returns what they find.
    fn sample(&mut self) -> Result<Option<Box<Explored>>, Error> {
        if self.samples().next().is_none() {
            self.begin(Strategy::Random, Order::DepthFirst)?;
            self.begin(Strategy::Pct, Order::DepthFirst)?;
        }
        self.members.retain(|member| {
            let stays = member.plan.samples();
            if !stays {
                member.stop();
            }
            stays
        });
        let each = (self.spent / 100 * SAMPLE_SHARE.1).max(CHECK);
        let shares = vec![each; self.members.len()];
        match self.turns(&shares)? {
            Step::Decides(sampled) => Ok(Some(sampled)),
            _ => Ok(self.sampled.take()),
        }
    }
}

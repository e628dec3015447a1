//! Random sampling: at each state one of the enabled threads, all alike, from a seed.

use crate::sample::{self, Scheduler};
use crate::{Config, Control, Report};
use fastrand::Rng;
use selvedge_model::{Detector, Pending, Undo};

struct Uniform(Rng);

impl Scheduler for Uniform {
    fn begin(&mut self) {}

    fn thread(&mut self, pending: &[Pending]) -> usize {
        let enabled = || {
            pending
                .iter()
                .enumerate()
                .filter(|(_, p)| p.is_enabled())
                .map(|(thread, _)| thread)
        };
        enabled().nth(self.0.usize(0..enabled().count())).unwrap_or(0)
    }

    fn alternative(&mut self, alternatives: u16) -> u16 {
        self.0.u16(0..alternatives.max(1))
    }
}

/// Runs executions chosen at random. The verdict is never `Verified`.
pub fn explore<M, D, F>(make: &F, config: &Config, control: &Control) -> Report
where
    M: Undo,
    D: Detector<M>,
    F: Fn() -> (M, D),
{
    sample::explore(make(), &mut Uniform(Rng::with_seed(config.seed)), config, control)
}

//! Random sampling: in each state, selects one of the enabled threads uniformly, from a seed.

use crate::kept::{Kept, Misfit};
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

    fn state(&self) -> Vec<u64> {
        vec![self.0.get_seed()]
    }

    fn restore(&mut self, state: &[u64]) -> bool {
        let &[seed] = state else { return false };
        self.0.seed(seed);
        true
    }
}

/// Runs executions that are chosen at random. The verdict is never `Verified`.
pub fn explore<M, D, F>(make: &F, config: &Config, control: &Control) -> Report
where
    M: Undo,
    D: Detector<M>,
    F: Fn() -> (M, D),
{
    explore_kept(make, config, control, Kept::default()).unwrap_or_else(|misfit| misfit.never())
}

/// [`explore`], starting from a saved state or saving states.
///
/// # Errors
/// If the state does not belong to this exploration.
pub fn explore_kept<M, D, F>(
    make: &F,
    config: &Config,
    control: &Control,
    kept: Kept<'_>,
) -> Result<Report, Misfit>
where
    M: Undo,
    D: Detector<M>,
    F: Fn() -> (M, D),
{
    let mut uniform = Uniform(Rng::with_seed(config.seed));
    sample::explore(make(), &mut uniform, config, control, kept)
}

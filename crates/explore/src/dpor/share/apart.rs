//! A worker that has no memory in common with the others: it explores parts, one after another, on
//! one machine. [`Parts`] hands them out and takes back what was made of them.
//!
//! A part is at its end if it is explored, if it should be returned, or if it reaches a unit that
//! it has given away and whose result is not in it.

use super::{Shared, Shot, Worker};
use crate::dpor::contended::Contended;
use crate::dpor::peeking::Peeking;
use crate::dpor::search::{Halt, Job, Search};
use crate::dpor::set::Set;
use crate::dpor::weaken::Weaken;
use crate::kept::{Common, Done, Misfit, Part, Parts, Progress, UnitHalt, UnitState};
use crate::{Config, Control};
use selvedge_base::ForTests;
use selvedge_model::{Dependence, Detector, Undo};

/// Explores parts until there are no more, or until the search has to begin again.
pub(in crate::dpor) fn explore_parts<S, M, D, P>(
    machine: (M, D),
    relation: &P,
    (config, control, weaken): (&Config, &Control, ForTests<Weaken>),
    common: &Common,
    parts: &dyn Parts,
) where
    S: Set + Sync,
    M: Undo,
    D: Detector<M>,
    P: Dependence + Sync,
{
    let mut shared = Shared::<S>::new(1, control, None);
    shared.parts = Some(parts);
    let worker = Worker {
        shared: &shared,
        task: None,
        first: true,
    };
    let peeking = common.sections.clone().map(Peeking::of);
    let relation = (relation, peeking.as_ref());
    let mut search = Search::new(machine, relation, config, control, weaken, Some(worker));
    search.set_contended(Contended::of(common));
    while let Some(part) = parts.next() {
        let progress = search.explore_part(&part);
        let common = search.common();
        let ends = match &progress {
            Ok(Progress::TooManyThreads | Progress::Stopped) | Err(_) => true,
            Ok(Progress::Done(done)) => matches!(done.halt, Some(UnitHalt::Refused(_))),
            Ok(_) => false,
        };
        parts.made(progress, &common);
        if ends {
            return;
        }
    }
}

impl<S, M, D, P> Search<'_, S, M, D, P>
where
    S: Set,
    M: Undo,
    D: Detector<M>,
    P: Dependence,
{
    /// Explores a part for a while, from the initial state, and returns there.
    fn explore_part(&mut self, part: &Part) -> Result<Progress, Misfit> {
        let bottom = match part {
            Part::Whole | Part::Rest(_) => 0,
            Part::Unit(unit) => unit.path.len(),
        };
        let own = bottom + usize::from(matches!(part, Part::Unit(_)));
        self.job = Job::new(bottom, own);
        if !matches!(part, Part::Whole) {
            self.undo_nothing();
        }
        match part {
            Part::Whole => self.run_all(),
            Part::Rest(begun) => self.go_on_with_part(begun, None)?,
            Part::Unit(unit) => match &unit.state {
                UnitState::Waiting => {
                    self.begin_part(&unit.path, &unit.entry)?;
                    self.machine_counts_begin();
                    self.run();
                }
                UnitState::Begun(begun) => self.go_on_with_part(begun, Some(&unit.path))?,
                UnitState::Done(_) => return Err(Misfit("it is already explored")),
            },
        }
        self.note_depth();
        self.machine_counts_end();
        self.show();
        let halt = self.job.halt.take();
        let progress = match halt {
            // Machines may have left their paths.
            _ if self.is_stopped() => Progress::Stopped,
            Some(Halt::Paused { joins }) => {
                let shot: Shot<S> = self.present(joins);
                // Every task here is queued or done, so each can be written.
                shot.begun().map_or(Progress::Stopped, Progress::Begun)
            }
            Some(Halt::TooManyThreads) => Progress::TooManyThreads,
            // Nobody cancels the tasks of this worker.
            Some(Halt::Cancelled) => Progress::Stopped,
            halt => Progress::Done(Done {
                product: self.job.product(),
                halt: halt.and_then(|halt| match halt {
                    Halt::Finding => Some(UnitHalt::Finding),
                    Halt::Limit(limit) => Some(UnitHalt::Limit(limit)),
                    Halt::Refused => Some(UnitHalt::Refused(self.refused())),
                    _ => None,
                }),
            }),
        };
        self.job = Job::new(0, 0);
        self.leave_all();
        Ok(progress)
    }
}

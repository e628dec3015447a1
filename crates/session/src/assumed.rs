//! What explorations assume of a program, so that they have less to explore.
//!
//! For most programs these assumptions hold. Each of them is checked while the program is explored.
//! If one fails, the exploration begins again without it, by the protocol of
//! [`selvedge_explore::until_it_holds`]. This is the only place that says how a failure is
//! noticed, what the user is told, and what is assumed next.
//!
//! Some assumptions are about single machines ([`Assumed`]). The program's machines record if one
//! of them fails, and the exploration ends at the next event. The others are about a plan
//! (`Job::failed`, `replan.rs`). Its report shows whether they held.
//!
//! *Invariant*: no result of an exploration is used after one of its assumptions has failed.

use crate::blocks;
use crate::options::{Dependence, Options, Strategy};
use crate::plan::Plan;
use crate::predicate;
use crate::setup::Setup;
use crate::symmetry;
use selvedge_explore::Assumption;
use selvedge_explore::reads::Uncovered;
use selvedge_vm::Program;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::sync::Arc;

/// An assumption that has failed.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(crate) enum Failed {
    /// Atomic blocks touch only memory of their own class.
    BlockClasses,
    /// Nothing tells identical threads apart, so they may take turns.
    Identical,
    /// Threads that wait in loops may be held until what they read changes.
    Awaits,
    /// Times are only compared with other times of the same clock, so states are the same whatever
    /// the time is.
    RelativeClocks,
    /// Actions that are parts of other events (`dpor`), or that are taken first (`stateful`), need
    /// not be interleaved.
    Fused,
    /// Atomic variables that a few executions show to be confined need not be actions.
    Confined,
    /// Of a counter, a thread reads no addition without acquiring from it, or no addition acquires.
    Counted,
    /// No dead object's memory is reused.
    DeadMemory,
    /// There is no data race, so plain accesses need not be interleaved. It is assumed if races
    /// were not asked for.
    RaceFree,
    /// No thread waits for a plain variable for ever. It is assumed if deadlocks are asked for:
    /// where plain accesses are no actions, such a loop is not explored.
    NoPlainWait,
    /// Pointers point where points-to sets say it, on which predicate dependence rests.
    PointsTo,
    /// Only the accesses that predicate dependence has found can matter.
    Slice,
    /// An event is the same one when it is executed again (`unfold` under predicate dependence).
    SameEvents,
    /// The strategy covers everything that the program has (`reads-from`).
    Covered(Uncovered),
}

impl Failed {
    /// What the user is told.
    pub(crate) fn note(self) -> Option<Cow<'static, str>> {
        Some(Cow::Borrowed(match self {
            Failed::BlockClasses => blocks::STRAYED,
            Failed::Identical => symmetry::TOLD_APART,
            Failed::PointsTo => predicate::HIDDEN,
            Failed::RaceFree => GOING_ON,
            Failed::NoPlainWait => WAITS,
            Failed::SameEvents => predicate::STRAYED,
            Failed::Covered(what) => {
                let what = what.text();
                return Some(Cow::Owned(format!(
                    "note: --strategy reads-from does not cover {what}: going on with unfold"
                )));
            }
            Failed::Awaits
            | Failed::RelativeClocks
            | Failed::Fused
            | Failed::Confined
            | Failed::Counted
            | Failed::DeadMemory
            | Failed::Slice => return None,
        }))
    }
}

/// The message before all accesses become visible.
pub(crate) const GOING_ON: &str =
    "note: the program has data races, which were not asked about: going on with --visibility memory";

/// The message before a loop that reads plain variables is explored.
pub(crate) const WAITS: &str =
    "note: a thread may wait for a plain variable for ever: going on with --visibility memory";

/// What an exploration assumes of a program's machines. That blocks touch only memory of their
/// class is assumed always, and that points-to sets are right, where something rests on them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Assumed {
    /// See [`Failed::Identical`].
    pub(crate) turns: bool,
    /// See [`Failed::Awaits`].
    pub(crate) awaits: bool,
    /// See [`Failed::RelativeClocks`].
    pub(crate) relative_clocks: bool,
    /// See [`Failed::Fused`].
    pub(crate) fused: bool,
    /// See [`Failed::Confined`]. How often that has failed before; `None` if it is not assumed.
    pub(crate) confined: Option<u32>,
    /// See [`Failed::Counted`]. How often that has failed before; `None` if it is not assumed.
    pub(crate) counted: Option<u32>,
    /// See [`Failed::DeadMemory`].
    pub(crate) keeps_dead: bool,
}

impl Assumed {
    /// What a plan assumes, without what has already failed for the program.
    pub(crate) fn of(plan: Plan, options: &Options, program: &Program) -> Assumed {
        let fuses = plan.strategy == Strategy::Stateful || plan.fuses(options);
        let fused = fuses && !program.is_spoiled();
        Assumed {
            // Machines of `dpor` that fuse nothing show each visible action as an event.
            turns: plan.turns && program.takes_turns() && (fused || plan.strategy != Strategy::Dpor),
            // A machine that fuses nothing is for what others are compared with.
            awaits: plan.awaits && (fused || !plan.fuses(options)) && !program.refuses_awaits(),
            relative_clocks: plan.strategy.matches_states()
                && program.options.clock_steps.is_none()
                && !program.refuses_relative_clocks(),
            fused,
            confined: plan.confined.then(|| program.wrongly_confined()),
            counted: plan.additions.then(|| program.wrongly_counted()),
            keeps_dead: plan.keeps_dead,
        }
    }

    /// The assumption that has failed, if one has. `many_dead`: there were many dead objects.
    #[inline]
    pub(crate) fn failed(self, program: &Program, many_dead: bool) -> Option<Failed> {
        if program.has_strayed() {
            Some(Failed::BlockClasses)
        } else if program.has_hidden_addresses() {
            Some(Failed::PointsTo)
        } else if self.turns && program.told_apart() {
            Some(Failed::Identical)
        } else if self.awaits && program.refuses_awaits() {
            Some(Failed::Awaits)
        } else if self.relative_clocks && program.refuses_relative_clocks() {
            Some(Failed::RelativeClocks)
        } else if self.fused && program.is_spoiled() {
            Some(Failed::Fused)
        } else if self
            .confined
            .is_some_and(|before| program.wrongly_confined() != before)
        {
            Some(Failed::Confined)
        } else if self
            .counted
            .is_some_and(|before| program.wrongly_counted() != before)
        {
            Some(Failed::Counted)
        } else if self.keeps_dead && many_dead {
            Some(Failed::DeadMemory)
        } else {
            None
        }
    }
}

/// A plan with a program for its machines. The program records which assumptions have failed.
pub(crate) struct Made {
    pub(crate) plan: Plan,
    /// The options with which the program was made.
    pub(crate) setup: Setup,
    pub(crate) program: Arc<Program>,
}

impl Assumption for Made {
    fn weaker(&self) -> u32 {
        let Made { plan, setup, program } = self;
        // A new program has not recorded any failure.
        let of_programs = [plan.keeps_dead, setup.vm.blocks.is_some()];
        let of_machines = [
            plan.turns && !program.told_apart(),
            plan.awaits && !program.refuses_awaits(),
            !program.refuses_relative_clocks(),
            !program.is_spoiled(),
        ];
        let count = |all: &[bool]| all.iter().map(|&assumed| u32::from(assumed)).sum::<u32>();
        let of_machines = count(&of_machines) + program.may_confine() + program.may_count();
        let points_to = u32::from(setup.vm.explained.is_some());
        let reads = u32::from(plan.strategy == Strategy::ReadsFrom);
        96 * reads + 48 * points_to + 16 * count(&of_programs) + of_machines
    }
}

/// A plan, and how often predicate dependence has found more that matters.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Planned {
    pub(crate) plan: Plan,
    pub(crate) rounds: u32,
}

impl Assumption for Planned {
    fn weaker(&self) -> u32 {
        let of_visibility = u32::from(!self.plan.visibility.includes_plain());
        if self.plan.dependence != Dependence::Predicate {
            return of_visibility;
        }
        let again = u32::from(self.plan.strategy == Strategy::Unfold);
        2 + 2 * predicate::ROUNDS.saturating_sub(self.rounds) + again
    }
}

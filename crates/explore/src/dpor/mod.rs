//! Dynamic partial-order reduction (Flanagan and Godefroid, POPL 2005) with sleep sets, and source
//! sets (Abdulla, Aronis, Jonsson and Sagonas, POPL 2014) where these need them.
//!
//! **Without sleep sets**: Algorithm 1 of Käse's paper. At each new state, for each thread p, the
//! last event i is found that is dependent, and may be co-enabled, with p's next action and does
//! not happen before it; then some thread that leads to p's action must be tried before i. Only the
//! thread that moved, and threads whose pending action changed, are searched for; all others only
//! meet the new event, before it is taken: a later search could only find the same again.
//!
//! **With sleep sets** the same algorithm loses executions: a thread that is to be tried may be
//! asleep, and the races that its branch would have shown, which ask for a third thread, are never
//! seen. (The smallest toy: `x = 2 ∥ lock n; read x ∥ write y; read x`.) So all immediate races of
//! an event are reversed when it is taken, not only the last; and what is added is one of the
//! *initials* of what followed without the earlier event, unless one of them is there already.
//! Blocked threads are looked at where an execution ends. A race of a thread that was blocked when
//! the earlier event was taken may have no other order (a semaphore's post): then the events before
//! it are looked at, too.
//!
//! In both:
//!
//! - *Woken threads*: an event whose outcome names a thread (spawn, signal, broadcast, last arrival
//!   at a barrier) happens before that thread's next event. What the thread could have done instead
//!   (a time-out) is a race of its own.
//! - *Alternatives*: a thread with several alternatives (targets of a signal, data) takes all of
//!   them when it is tried. Sleeping threads sleep as a whole.
//! - *Local actions* are run at once, alone: nothing another thread does can be dependent on them
//!   (their thread's start included: its creation happens before it), so {p} is a persistent set,
//!   and no race ever asks for p's state to be visited again. Creating a thread is one of them.
//! - *Deadlocks*: blocked threads race like enabled ones.
//!
//! Sleep sets obey the same relation. Everything a branch does depends only on the prefix that
//! leads to it, the order of its node's backtrack list (first come, first served) and the list's
//! entries before it; `share` builds on that.

mod contended;
mod order;
mod search;
mod set;
mod share;

use crate::kept::{Kept, Misfit, State};
use crate::{Config, Control, Report};
use selvedge_base::ForTests;
use selvedge_model::{Conflict, Dependence, Detector, Limit, LimitKind, StopReason, Undo};
use set::{Set, Wide};

/// Explores every class of executions of the machines that `make` makes, all alike and at their
/// initial states.
pub fn explore<M, D, F>(make: &F, config: &Config, control: &Control) -> Report
where
    M: Undo,
    D: Detector<M>,
    F: Fn() -> (M, D) + Sync,
{
    explore_with(make, &Conflict, config, control)
}

/// The same under a relation of one's own.
pub fn explore_with<M, D, P, F>(make: &F, relation: &P, config: &Config, control: &Control) -> Report
where
    M: Undo,
    D: Detector<M>,
    P: Dependence + Sync,
    F: Fn() -> (M, D) + Sync,
{
    explore_all(
        make,
        relation,
        config,
        control,
        ForTests::default(),
        Kept::default(),
    )
    .unwrap_or_else(|misfit| misfit.never())
}

/// A deliberate mistake, to see that tests notice it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Weaken {
    /// As it should be.
    #[default]
    Nothing,
    /// Sleeping threads never wake up.
    Wakeups,
    /// Blocked threads are not searched for.
    BlockedSearch,
    /// Where no thread leads to the action, only the first enabled one is added.
    AddAll,
    /// Woken threads are not ordered after what woke them, and do not meet it.
    OldPending,
    /// Only the first alternative is taken.
    Alternatives,
    /// The search for races of the thread that moved is left out.
    OwnSearch,
}

/// [`explore`] from a state that was kept, or with states kept.
///
/// # Errors
/// If the state is none of this exploration.
pub fn explore_kept<M, D, F>(
    make: &F,
    config: &Config,
    control: &Control,
    kept: Kept<'_>,
) -> Result<Report, Misfit>
where
    M: Undo,
    D: Detector<M>,
    F: Fn() -> (M, D) + Sync,
{
    explore_all(make, &Conflict, config, control, ForTests::default(), kept)
}

/// [`explore_with`], with a mistake.
#[cfg(feature = "laboratory")]
pub fn explore_weakened<M, D, P, F>(
    make: &F,
    relation: &P,
    config: &Config,
    control: &Control,
    weaken: Weaken,
) -> Report
where
    M: Undo,
    D: Detector<M>,
    P: Dependence + Sync,
    F: Fn() -> (M, D) + Sync,
{
    explore_all(
        make,
        relation,
        config,
        control,
        ForTests::new(weaken),
        Kept::default(),
    )
    .unwrap_or_else(|misfit| misfit.never())
}

fn explore_all<M, D, P, F>(
    make: &F,
    relation: &P,
    config: &Config,
    control: &Control,
    weaken: ForTests<Weaken>,
    kept: Kept<'_>,
) -> Result<Report, Misfit>
where
    M: Undo,
    D: Detector<M>,
    P: Dependence + Sync,
    F: Fn() -> (M, D) + Sync,
{
    let from = match kept.from {
        None => None,
        Some(State::Search(search)) => Some(search),
        Some(State::Sample(_)) => return Err(Misfit("it is one of another strategy")),
    };
    let keeper = kept.keeper;
    let few = from.filter(|from| !from.wide);
    if from.is_none() || few.is_some() {
        let report =
            share::explore::<u64, _, _, _, _>(make, relation, config, control, weaken, (few, keeper))?;
        if let Some(report) = report {
            return Ok(report);
        }
    }
    let many = from.filter(|from| from.wide);
    let report = share::explore::<Wide, _, _, _, _>(make, relation, config, control, weaken, (many, keeper))?;
    Ok(report.unwrap_or_else(|| {
        let detail = format!("more than {} threads", Wide::CAPACITY);
        let limit = Limit {
            kind: LimitKind::Threads,
            detail,
            stmt: selvedge_base::StmtId(0),
        };
        crate::record::Record::default().finish(StopReason::Limit(limit))
    }))
}

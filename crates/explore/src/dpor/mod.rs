//! Dynamic partial-order reduction (Flanagan and Godefroid, POPL 2005) with sleep sets, and with
//! source sets (Abdulla, Aronis, Jonsson and Sagonas, POPL 2014), which sleep sets make necessary.
//!
//! **Without sleep sets**: Algorithm 1 of Käse's paper. At each new state, for each thread p, the
//! search finds the last event i that is dependent and may be co-enabled with p's next action, and
//! does not happen before it. Then it must explore, from the state before i, some thread that leads
//! to p's action. A full search is made only for the thread that moved and for threads whose
//! pending action changed. All other threads are only compared with the new event before it is
//! taken; a full search for them would find the same events as before.
//!
//! **With sleep sets** the same algorithm loses executions. A thread that should be explored may be
//! asleep. Then the races that its branch would have shown, which require a third thread to be
//! explored, are never seen. (The smallest toy: `x = 2 ∥ lock n; read x ∥ write y; read x`.)
//! Therefore all immediate races of an event are reversed when it is taken, not only the last one.
//! The thread that is added is one of the *initials* of the later events without the earlier event
//! of the race, unless the backtrack list contains one of them already. Blocked threads are handled
//! where an execution ends. If a thread was blocked when the earlier event was taken, the race may
//! have no other order (for example a semaphore's post). Then the events before that one are
//! considered, too.
//!
//! In both variants:
//!
//! - *Woken threads*: an event whose outcome names a thread (spawn, signal, broadcast, last arrival
//!   at a barrier) happens before that thread's next event. The other action that the thread could
//!   have taken (a time-out) is a race of its own. If a waiting thread is cancelled or interrupted,
//!   what would have let it go on may come later, independent of that; so all threads are explored
//!   from there.
//! - *Alternatives*: if a thread has several alternatives (targets of a signal, data), all of them
//!   are explored when the thread is. A sleeping thread sleeps with all its alternatives.
//! - *Local actions* are run at once, alone. No action of another thread can be dependent on them.
//!   (This includes a thread's start: its creation happens before it.) So {p} is a persistent set,
//!   and no race requires the state of p to be visited again. Creating a thread is a local action.
//! - *Deadlocks*: blocked threads race like enabled ones.
//!
//! Sleep sets use the same dependence relation. What a branch does depends only on the prefix that
//! leads to it, the order of its node's backtrack list (first come, first served) and the entries
//! before it in that list. `share` relies on this.

mod contended;
mod order;
mod peeking;
mod search;
mod set;
mod share;
mod weaken;

use crate::kept::{Common, Kept, Misfit, Parts, State};
use crate::{Assumption, Attempt, Config, Control, Report, until_it_holds};
use peeking::Peeking;
use selvedge_base::ForTests;
use selvedge_model::{Conflict, Dependence, Detector, Limit, LimitKind, StopReason, Undo, Unobserved};
use set::{Set, Wide};
use share::Ended;
pub use weaken::Weaken;

/// Explores every class of executions. `make` makes machines; all of them must be equal and at
/// their initial state.
pub fn explore<M, D, F>(make: &F, config: &Config, control: &Control) -> Report
where
    M: Undo,
    D: Detector<M>,
    F: Fn() -> (M, D) + Sync,
{
    explore_with(make, &Conflict, config, control)
}

/// Like [`explore`], with another dependence relation.
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

/// Like [`explore`], but the order of two writes counts only if a read tells it (write-write
/// pruning). It needs machines in which each access to memory that matters is an action, or one of
/// the step's [`accesses`](selvedge_model::Machine::accesses). Values that nothing reads may be
/// missing from what the executions end with.
pub fn explore_observed<M, D, F>(make: &F, config: &Config, control: &Control) -> Report
where
    M: Undo,
    D: Detector<M>,
    F: Fn() -> (M, D) + Sync,
{
    let config = Config {
        sleep_sets: false,
        ..config.clone()
    };
    explore_with(make, &Unobserved, &config, control)
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
    F: Fn() -> (M, D) + Sync,
{
    explore_all(make, &Conflict, config, control, ForTests::default(), kept)
}

/// Explores parts of a search that `parts` hands out, with one machine, until there are no more.
pub fn explore_parts<M, D>(
    machine: (M, D),
    config: &Config,
    control: &Control,
    common: &Common,
    parts: &dyn Parts,
) where
    M: Undo,
    D: Detector<M>,
{
    let how = (config, control, ForTests::default());
    match common.wide {
        false => share::explore_parts::<u64, _, _, _>(machine, &Conflict, how, common, parts),
        true => share::explore_parts::<Wide, _, _, _>(machine, &Conflict, how, common, parts),
    }
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
    let threads = match from {
        Some(from) if from.wide => Threads::Many,
        _ => Threads::Few,
    };
    // A saved search does not say which mutexes were refused.
    let sections = config.peek && config.sleep_sets && !relation.refines();
    let peeks = (sections || relation.published().is_some()) && from.is_none() && keeper.is_none();
    let first = Assumed {
        threads,
        peeking: peeks.then(Peeking::all),
    };
    until_it_holds(first, |Assumed { threads, peeking }, again| {
        let from = (from.filter(|_| !again), keeper);
        let relation = (relation, peeking.as_ref());
        let explored = match threads {
            Threads::Few => share::explore::<u64, _, _, _, _>(make, relation, config, control, weaken, from),
            Threads::Many => {
                share::explore::<Wide, _, _, _, _>(make, relation, config, control, weaken, from)
            }
        };
        Ok(match (explored?, threads) {
            (Ended::Report(report), _) => Attempt::Holds(report),
            (Ended::Refused(report), threads) => Attempt::Fails {
                next: Assumed {
                    threads,
                    peeking: peeking.and_then(Peeking::next),
                },
                findings: report.faults,
            },
            (Ended::TooManyThreads, Threads::Few) => Attempt::fails(Assumed {
                threads: Threads::Many,
                peeking,
            }),
            (Ended::TooManyThreads, Threads::Many) => Attempt::Holds(too_many_threads()),
        })
    })
}

/// What is assumed of the program.
struct Assumed {
    threads: Threads,
    /// The mutexes whose sections are one event each.
    peeking: Option<Peeking>,
}

impl Assumption for Assumed {
    fn weaker(&self) -> u32 {
        let threads = match self.threads {
            Threads::Few => 1,
            Threads::Many => 0,
        };
        threads + self.peeking.as_ref().map_or(0, Peeking::weaker)
    }
}

/// The number of threads that the program is assumed to have at most.
#[derive(Clone, Copy)]
enum Threads {
    /// As many as fit into a word.
    Few,
    /// As many as fit into the largest sets.
    Many,
}

#[cold]
fn too_many_threads() -> Report {
    let detail = format!("more than {} threads", Wide::CAPACITY);
    let limit = Limit {
        kind: LimitKind::Threads,
        detail,
        stmt: selvedge_base::StmtId(0),
    };
    crate::record::Record::default().finish(StopReason::Limit(limit))
}

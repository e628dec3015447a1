//! Quasi-optimal exploration of the unfolding, with cutoff events (Schemmel, Büning, Rodríguez,
//! Laprell and Wehrle, CAV 2020; Nguyen, Rodríguez, Sousa, Coti and Petrucci, CAV 2018; Rodríguez,
//! Sousa, Sharma and Kroening, CONCUR 2015).
//!
//! An event is an action with its causes (`event`); a set of events that is closed under causes and
//! free of conflicts, a configuration, is a partial-order run; the maximal ones are the
//! Mazurkiewicz traces, times data choices. They are enumerated by a binary tree (`tree`): with an
//! event, or without it. To be without it, another must be in its place: these are found as the
//! conflicting extensions of what was executed (`extensions`), and an alternative made of them
//! leads the way (`alternatives`). An event that reaches a state known from fewer events is a
//! cutoff: what comes after it is explored there.
//!
//! Departures from the paper:
//!
//! - *D as a sleep set.* An event of D that is not enabled any more, because something in conflict
//!   with it was added, is dropped: it can be in no configuration to come. So D is what sleep sets
//!   hold, and |D| ≤ threads × alternatives.
//! - *Conflicts are remembered.* Only immediate conflicts matter for alternatives, since every
//!   event of D is enabled at C; an event knows its own, found with the extensions.
//! - *Operations that ask.* Where what an extension does depends on the state (tries, semaphores,
//!   compare-and-swap, …) a second machine is asked, rather than a model of the primitive kept
//!   here.
//! - *Data choices* are taken right after the action that they belong to, and are events of their
//!   own.

mod alternatives;
mod between;
mod covered;
mod cutoff;
mod dump;
mod event;
mod explorer;
mod extensions;
mod footprint;
mod label;
#[cfg(feature = "laboratory")]
pub mod oracle;
mod order;
mod pairs;
mod path;
mod races;
mod reach;
mod relation;
mod tree;
mod unsynchronised;
mod weaken;

pub use alternatives::Partial;
pub use covered::Covered;
pub use dump::{Shown, Twin, Unfolding};
pub(crate) use weaken::Weaken;

use crate::{Config, Control, Report};
use cutoff::Past;
use explorer::{Explorer, Run};
use relation::Relation;
use selvedge_model::{Dependence, Detector, Fingerprint, Undo};
use std::rc::Rc;

/// Explores every maximal configuration of the machines that `make` makes, all alike and at their
/// initial states.
pub fn explore<M, D, F>(make: &F, config: &Config, control: &Control) -> Report
where
    M: Undo + Fingerprint,
    D: Detector<M>,
    F: Fn() -> (M, D),
{
    explored(make, config, control, &Relation::default(), |explorer| {
        explorer.run()
    })
    .report()
}

/// The same under a relation of one's own.
pub fn explore_with<M, D, F>(
    make: &F,
    relation: Rc<dyn Dependence>,
    config: &Config,
    control: &Control,
) -> Report
where
    M: Undo + Fingerprint,
    D: Detector<M>,
    F: Fn() -> (M, D),
{
    let relation = Relation::new(relation);
    explored(make, config, control, &relation, |explorer| explorer.run()).report()
}

/// [`explore`] with a mistake; also what it knew, if the whole of it can be executed again.
#[cfg(feature = "laboratory")]
pub fn explore_watched<M, D, F>(
    make: &F,
    config: &Config,
    control: &Control,
    weaken: Weaken,
) -> (Report, Option<oracle::Watched>)
where
    M: Undo + Fingerprint,
    D: Detector<M>,
    F: Fn() -> (M, D),
{
    let mut watched = None;
    let run = explored(make, config, control, &Relation::default(), |explorer| {
        explorer.watch(weaken);
        let run = explorer.run();
        watched = explorer.watched();
        run
    });
    (run.report(), watched)
}

/// [`explore`] as tests of the keys of cutoffs want it; and what came of these.
#[cfg(feature = "laboratory")]
pub fn explore_keyed<M, D, F>(
    make: &F,
    config: &Config,
    control: &Control,
    keys: oracle::Keys,
) -> (Report, oracle::Keyed)
where
    M: Undo + Fingerprint,
    D: Detector<M>,
    F: Fn() -> (M, D),
{
    let mut keyed = oracle::Keyed::default();
    let relation = Relation::default();
    let run = explored_from(
        Past::of_all_places(keys.from),
        make,
        config,
        control,
        &relation,
        |explorer| {
            explorer.key(keys);
            let run = explorer.run();
            keyed = explorer.keyed();
            run
        },
    );
    (run.report(), keyed)
}

/// Runs an exploration; again, if more of the past has to be a part of states.
fn explored<M, D, F>(
    make: &F,
    config: &Config,
    control: &Control,
    relation: &Relation,
    run: impl FnMut(&mut Explorer<'_, M, D>) -> Run,
) -> Run
where
    M: Undo + Fingerprint,
    D: Detector<M>,
    F: Fn() -> (M, D),
{
    explored_from(Past::default(), make, config, control, relation, run)
}

/// The same, where at least so much of the past is.
fn explored_from<M, D, F>(
    from: Past,
    make: &F,
    config: &Config,
    control: &Control,
    relation: &Relation,
    mut run: impl FnMut(&mut Explorer<'_, M, D>) -> Run,
) -> Run
where
    M: Undo + Fingerprint,
    D: Detector<M>,
    F: Fn() -> (M, D),
{
    let mut explored = run(&mut Explorer::new(make, config, control, relation, from));
    loop {
        let Run::Again(past, faults) = explored else {
            return explored;
        };
        let mut explorer = Explorer::new(make, config, control, relation, past);
        explorer.begin_anew();
        explored = run(&mut explorer);
        // A limit may end this run before it comes to them.
        explored.add_faults(faults);
    }
}

//! Quasi-optimal exploration of the unfolding, with cutoff events (Schemmel, Büning, Rodríguez,
//! Laprell and Wehrle, CAV 2020; Nguyen, Rodríguez, Sousa, Coti and Petrucci, CAV 2018; Rodríguez,
//! Sousa, Sharma and Kroening, CONCUR 2015).
//!
//! An event is an action with its causes (`event`). A configuration is a set of events that is
//! closed under causes and free of conflicts; it is a partial-order run. The maximal configurations
//! are the Mazurkiewicz traces, times data choices. A binary tree (`tree`) enumerates them: with an
//! event, or without it. A configuration without the event contains another event in its place.
//! These other events are the conflicting extensions of the executed configurations (`extensions`),
//! and an alternative made of them leads to such a configuration (`alternatives`). An event that
//! reaches a state known from fewer events is a cutoff: what comes after it is explored after the
//! other event.
//!
//! Departures from the paper:
//!
//! - *D as a sleep set.* An event of D may become disabled because an event in conflict with it was
//!   added. Then no later configuration contains it, and it is dropped. So D is what a sleep set
//!   holds, and |D| ≤ threads × alternatives.
//! - *Conflicts are stored.* Only immediate conflicts matter for alternatives, because every event
//!   of D is enabled at C. Each event stores its immediate conflicts, which are found with the
//!   extensions.
//! - *Queries to a machine.* If the effect of an extension depends on the state (tries, semaphores,
//!   compare-and-swap, …), a second machine is queried. There is no model of the primitive here.
//! - *Data choices* are taken right after the action that they belong to, and are events of their
//!   own.

mod alternatives;
mod ancestors;
mod between;
mod covered;
mod cutoff;
mod dump;
mod event;
mod explorer;
mod extensions;
mod footprint;
mod held_sets;
mod label;
#[cfg(feature = "laboratory")]
pub mod oracle;
mod order;
mod pairs;
mod past;
mod path;
mod races;
mod reach;
mod relation;
mod set_ups;
mod tree;
mod unsynchronised;
mod weaken;

pub use alternatives::Partial;
pub use covered::Covered;
pub use dump::{Shown, Twin, Unfolding};
pub(crate) use weaken::Weaken;

use crate::{Config, Control, Report, until_it_holds};

pub use explorer::DIFFERS;
use explorer::{Explorer, Run};
use past::Past;
use relation::Relation;
use selvedge_model::{Dependence, Detector, Fingerprint, Undo};
use std::convert::Infallible;
use std::rc::Rc;

/// Explores every maximal configuration. `make` makes machines; all of them must be equal and at
/// their initial state.
pub fn explore<M, D, F>(make: &F, config: &Config, control: &Control) -> Report
where
    M: Undo + Fingerprint,
    D: Detector<M>,
    F: Fn() -> (M, D),
{
    explored(make, config, control, &Relation::default(), |explorer| {
        explorer.run()
    })
}

/// Like [`explore`], with another dependence relation.
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
    explored(make, config, control, &relation, |explorer| explorer.run())
}

/// [`explore`] with a deliberate mistake. Also returns the events that the exploration knew, if all
/// of them can be executed again.
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
    let report = explored(make, config, control, &Relation::default(), |explorer| {
        explorer.watch(weaken);
        let run = explorer.run();
        watched = explorer.watched();
        run
    });
    (report, watched)
}

/// [`explore`] with the settings that tests of the keys of cutoffs need. Also returns the effect of
/// the keys.
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
    let report = explored_from(
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
    (report, keyed)
}

/// Runs an exploration, and repeats it while more of the past has to be a part of states.
fn explored<M, D, F>(
    make: &F,
    config: &Config,
    control: &Control,
    relation: &Relation,
    run: impl FnMut(&mut Explorer<'_, M, D>) -> Run,
) -> Report
where
    M: Undo + Fingerprint,
    D: Detector<M>,
    F: Fn() -> (M, D),
{
    explored_from(Past::default(), make, config, control, relation, run)
}

/// Like [`explored`], where at least `from` is a part of states.
fn explored_from<M, D, F>(
    from: Past,
    make: &F,
    config: &Config,
    control: &Control,
    relation: &Relation,
    mut run: impl FnMut(&mut Explorer<'_, M, D>) -> Run,
) -> Report
where
    M: Undo + Fingerprint,
    D: Detector<M>,
    F: Fn() -> (M, D),
{
    let Ok(report) = until_it_holds(from, |past, again| {
        let mut explorer = Explorer::new(make, config, control, relation, past);
        if again {
            explorer.begin_anew();
        }
        let run = run(&mut explorer);
        control.free(explorer);
        Ok::<_, Infallible>(run)
    });
    *report
}

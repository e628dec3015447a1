//! Each class of executions in which reads read from the same writes, once, under sequential
//! consistency.
//!
//! Two executions are in one class if they have the same *execution graph*: program order,
//! reads-from, and decisions. The order of two writes matters only where a read can tell it, so
//! there are fewer classes than traces: N threads that write one variable that is read once have N
//! classes, and N! traces. The search follows TruSt (Kokologiannakis, Marmanis, Gladstein,
//! Vafeiadis, *Truly Stateless, Optimal Dynamic Partial Order Reduction*, POPL 2022) in its idea:
//! events are added one after the other, and a write that comes late becomes a source of reads that
//! came before it. It differs in how a class is explored once.
//!
//! - *Nodes.* To add a read r to a graph F is to decide for its source. The source is known by its
//!   cone: the write with everything before it. Executions that contain F differ in the cone of r's
//!   source, so the children F ∪ cone ∪ {r} share no execution, and together they have all of
//!   them. It does not matter which thread is taken next.
//! - *Discovery.* Which cones there are is found while the children are explored: each write that
//!   is added, and does not follow r, is a source of r. All are found: let c be a cone, and w its
//!   write. In an order of F ∪ c, with w last, r may read what comes last before w. Its cone is
//!   smaller, so it is found; the graph of F ∪ c without w, and r after it, is among what is
//!   explored from there; and there w comes sometime.
//! - *Updates that cannot stay.* If r and w update what the same write has left, w cannot be added
//!   after r. It is added nevertheless, as far as r is to read from it.
//! - *Waiting.* If r is blocked when it reads s, and s may be the last write, the node has one more
//!   child: F, in which r's thread waits. Where nothing can be added, such threads are looked at
//!   again (`leaf.rs`).
//!
//! TruSt has no such sets of cones: it finds out from the graph which one of the graphs in which w
//! is discovered leads to F ∪ c ∪ {r}. That needs an order of writes in the graph. Here
//! memory grows with the number of sources of the reads of one execution, and no graph is
//! explored twice.
//!
//! *Data races* are those of one order of each graph's writes. Happens-before depends on that order
//! only where it decides which release sequences a write belongs to (`sequences.rs`).
//!
//! *Deliberately absent*: everything in [`Uncovered`]. There the search gives up with the reason,
//! and nothing that it found is a result, except for faults.

mod alone;
mod consistency;
mod graph;
#[cfg(test)]
mod graphs;
mod leaf;
mod order;
mod parts;
mod place;
mod reason;
mod runner;
mod saturate;
mod search;
mod sequences;
mod weaken;

pub use reason::Uncovered;
pub use weaken::Weaken;

use crate::{Config, Control, Found, Report};
use consistency::Sequential;
use runner::Runner;
use search::Search;
use selvedge_base::{Digest, ForTests};
use selvedge_model::{Detector, LimitKind, StopReason, Undo};

/// An exploration that was given up.
#[derive(Clone, Debug)]
pub struct GivenUp {
    /// Why.
    pub why: Uncovered,
    /// The faults found so far. They are faults of the program.
    pub findings: Vec<Found>,
}

/// Explores each class once. `make` makes a machine at its initial state, whose events do not
/// depend on independent events.
///
/// # Errors
/// If the program has something that this strategy does not cover.
pub fn explore<M, D, F>(make: &F, config: &Config, control: &Control) -> Result<Report, GivenUp>
where
    M: Undo,
    D: Detector<M>,
    F: Fn() -> (M, D),
{
    explored(make(), (config, control), ForTests::default(), None)
}

/// [`explore`] with a deliberate mistake. `ended` gets the name of each graph in which
/// an execution ends.
///
/// # Errors
/// As [`explore`].
#[cfg(feature = "laboratory")]
pub fn explore_weakened<M, D, F>(
    make: &F,
    config: &Config,
    control: &Control,
    weaken: Weaken,
    ended: &mut dyn FnMut(Digest),
) -> Result<Report, GivenUp>
where
    M: Undo,
    D: Detector<M>,
    F: Fn() -> (M, D),
{
    explored(make(), (config, control), ForTests::new(weaken), Some(ended))
}

fn explored<'a, M, D>(
    made: (M, D),
    (config, control): (&'a Config, &'a Control),
    weaken: ForTests<Weaken>,
    ended: Option<&'a mut dyn FnMut(Digest)>,
) -> Result<Report, GivenUp>
where
    M: Undo,
    D: Detector<M>,
{
    let runner = Runner::new(made, config, weaken);
    let model = Sequential {
        weaken,
        ..Sequential::default()
    };
    let mut search = Search::new(runner, model, (config, control), weaken);
    search.ended = ended;
    let stop = search.run();
    search.show();
    let record = std::mem::take(&mut search.runner.record);
    control.free(search);
    let report = record.finish(StopReason::Complete);
    // A machine that was told to stop leaves its thread anywhere, and the search cannot follow.
    let is_interrupted = report
        .limits
        .iter()
        .any(|limit| limit.kind == LimitKind::Interrupted);
    let stop = match stop {
        Err(_) if is_interrupted => Ok(StopReason::Limit(control.limit())),
        stop => stop,
    };
    match stop {
        Ok(stop) => Ok(Report { stop, ..report }),
        Err(why) => Err(GivenUp {
            why,
            findings: report.faults,
        }),
    }
}

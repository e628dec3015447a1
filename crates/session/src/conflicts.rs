//! Which options do not go together.

use crate::options::{Dependence, Options, Strategy, Visibility};
use crate::plan::{Plan, slices};
use crate::predicate::PROPERTIES;

impl Options {
    /// Checks that the options do not contradict each other.
    ///
    /// # Errors
    /// The contradiction, as text.
    pub fn verify(&self) -> Result<(), String> {
        let conflict = checkpoint_conflict(self)
            .or_else(|| apart_conflict(self))
            .or_else(|| predicate_conflict(self))
            .or_else(|| self.stateful_conflict())
            .or_else(|| reads_conflict(self));
        conflict.map_or(Ok(()), |what| Err(what.to_owned()))
    }

    fn stateful_conflict(&self) -> Option<&'static str> {
        let stateful = self.strategy == Some(Strategy::Stateful);
        if stateful && self.test_cases.is_some() {
            return Some(
                "--strategy stateful has no execution of its own for each test case: use dpor or unfold",
            );
        }
        let narrows = matches!(
            self.visibility,
            Visibility::Reachable | Visibility::Fields | Visibility::Hybrid
        );
        if !stateful && narrows {
            return Some(
                "--visibility reachable, fields and hybrid are available with --strategy stateful only",
            );
        }
        if !stateful && self.counts_choices {
            return Some("--statistics choices is available with --strategy stateful only");
        }
        None
    }
}

/// What does not go together with classes by reads-from, in words.
fn reads_conflict(options: &Options) -> Option<&'static str> {
    if options.strategy != Some(Strategy::ReadsFrom) {
        return None;
    }
    if options.jobs.is_some_and(|jobs| jobs > 1) {
        return Some("--strategy reads-from uses one core: leave --jobs out");
    }
    if options.test_cases.is_some() {
        return Some("--emit-tests is not available with --strategy reads-from: use dpor or unfold");
    }
    None
}

/// What does not go together with predicate dependence, in words.
fn predicate_conflict(options: &Options) -> Option<&'static str> {
    if !slices(options) {
        return None;
    }
    if !options.properties.iter().all(|p| PROPERTIES.contains(p)) {
        return Some(
            "--dependence predicate is about assertions, deadlocks and the use of threads: add --property assertion,deadlock,pthread",
        );
    }
    if !matches!(options.strategy, None | Some(Strategy::Dpor | Strategy::Unfold)) {
        return Some("--dependence predicate is available with --strategy dpor and unfold only");
    }
    if options.visibility == Visibility::Sync {
        return Some(
            "--dependence predicate decides itself which accesses are scheduling points: leave --visibility out",
        );
    }
    if options.checkpoints.are_wanted() {
        return Some("checkpoints of --dependence predicate are not available yet");
    }
    published_conflict(options)
}

/// What does not go together with its published rules, in words.
fn published_conflict(options: &Options) -> Option<&'static str> {
    if options.dependence != Dependence::PredicatePublished {
        return None;
    }
    if !matches!(options.strategy, None | Some(Strategy::Dpor)) {
        return Some("--dependence predicate-published is available with --strategy dpor only");
    }
    if options.jobs.is_some_and(|jobs| jobs > 1) {
        return Some("--dependence predicate-published uses one core: leave --jobs out");
    }
    if options.apart {
        return Some("--dependence predicate-published is not available with --cluster");
    }
    if options.test_cases.is_some() {
        return Some("--dependence predicate-published is not available with --emit-tests");
    }
    None
}

/// The part of a session with these options that cannot be saved, as text.
fn checkpoint_conflict(options: &Options) -> Option<&'static str> {
    if !options.checkpoints.are_wanted() {
        return None;
    }
    if Plan::first(options).strategy.is_canonical() {
        return Some(
            "checkpoints of --strategy unfold, stateful and reads-from are not available yet; dpor, random and pct have them",
        );
    }
    if options.test_cases.is_some() {
        return Some("--emit-tests cannot go on from checkpoints");
    }
    None
}

/// The part of a session with these options that several machines cannot explore, as text.
fn apart_conflict(options: &Options) -> Option<&'static str> {
    if !options.apart {
        return None;
    }
    if Plan::first(options).strategy.is_canonical() {
        return Some(
            "--strategy unfold, stateful and reads-from are not available with --cluster; dpor, random and pct are",
        );
    }
    if options.test_cases.is_some() {
        return Some("--emit-tests is not available with --cluster");
    }
    if options.checkpoints.are_wanted() {
        return Some(
            "--checkpoint and --resume are not available with --cluster, where the state is kept by the server",
        );
    }
    if options.write_write_pruning {
        return Some("--write-write-pruning is not available with --cluster");
    }
    if options.setup.vm.solver.log_queries.is_some() {
        return Some("--log-queries is not available with --cluster");
    }
    None
}

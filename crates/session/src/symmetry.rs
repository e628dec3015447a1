//! Identical threads (docs/algorithms.md, "Identical threads"): whether they take turns, so that
//! executions in which they have changed places are explored once.

use crate::options::{Options, Strategy, Symmetry};
use selvedge_analysis::PointsTo;
use selvedge_analysis::identical::{Facts, identical, may_have_any};
use selvedge_ir::Module;
use selvedge_model::Property;
use selvedge_vm::{Identical, Program, models};

/// Programs with more statements are not looked at unless that is asked for.
const MOST_STATEMENTS: usize = 20_000;

/// Why identical threads do not take turns in what is asked, if so, whatever the program.
fn conflict(options: &Options) -> Option<&'static str> {
    if options.setup.vm.inputs.is_some() {
        return Some("inputs are given for each thread");
    }
    if options.test_cases.is_some() || options.coverage || options.dump_unfolding {
        return Some("what is written is about every thread");
    }
    if options.checkpoints.are_wanted() {
        return Some("checkpoints do not have it");
    }
    let leaks = [Property::Leak, Property::Cleanup];
    if leaks.iter().any(|property| options.properties.contains(property)) {
        return Some("memory that is lost is asked for");
    }
    None
}

/// Whether explorations by a strategy let identical threads take turns.
pub(crate) fn suits(options: &Options, strategy: Strategy) -> bool {
    let searches = matches!(strategy, Strategy::Dpor | Strategy::Unfold | Strategy::Stateful);
    options.symmetry != Symmetry::Off && searches && conflict(options).is_none()
}

/// Whether explorations by a strategy hold threads that wait in loops.
pub(crate) fn holds(options: &Options, strategy: Strategy) -> bool {
    let searches = match strategy {
        Strategy::Unfold | Strategy::ReadsFrom => true,
        // What explores elsewhere does not hear of refusals.
        Strategy::Dpor => !options.apart,
        _ => false,
    };
    searches && conflict(options).is_none()
}

/// What is said where threads are not explored as identical, though that was asked for.
pub(crate) fn unused(identical: &Result<Identical, String>, program: &Program) -> String {
    let why = match identical {
        Err(why) => why,
        Ok(_) if program.told_apart() => {
            "something visible lies between the joins of such threads, or addresses are used as numbers"
        }
        Ok(_) => {
            "no threads with the same function and like arguments, created one after the other, were seen to do the same"
        }
    };
    format!("note: --symmetry on changes nothing: {why}")
}

/// What is said where threads were told apart after all.
pub(crate) const TOLD_APART: &str = "note: the program can tell threads apart that have the same function and like arguments: going on without symmetry";

/// What is known of a program's identical threads.
///
/// # Errors
/// Why nothing is, in words.
pub(crate) fn facts(options: &Options, module: &Module) -> Result<Identical, String> {
    if let Some(why) = conflict(options) {
        return Err(why.to_owned());
    }
    if options.symmetry == Symmetry::Auto {
        may_have_any(module)?;
        if module.stmts.len() > MOST_STATEMENTS {
            return Err("the program is large".to_owned());
        }
    }
    let entry = &options.setup.vm.entry;
    let modelled = |name: &str| models::find(name).is_some();
    let points_to = PointsTo::of(module, module.function(entry), &modelled);
    let Facts { starts, handles } = identical(module, &points_to)?;
    Ok(Identical {
        starts: starts
            .into_iter()
            .map(|(start, given)| (start, given.compared()))
            .collect(),
        handles,
        place: 0,
    })
}

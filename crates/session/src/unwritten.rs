//! Values that were never written, where nobody asks whether the program uses them.
//!
//! The use of such a value is a fault. Where that is asked for (the property `memory`), it is a
//! finding. Where it is not, the value is taken as an input: it may be any value, and stays the
//! same until it is written. Machines do so only if they are told to (`Options::unwritten_inputs`),
//! because values that only are copied need not be inputs. So a session begins without it, and
//! begins again with it if a value that was never written decided something.

use crate::explored::Explored;
use crate::options::Options;
use selvedge_explore::NOT_ASKED_FOR;
use selvedge_model::{FaultKind, StopReason};

/// The message before the exploration with these values as inputs.
pub(crate) const GOING_ON: &str = "note: the program uses a value that was never written, which was not asked about: \
                                   going on with any value in its place";

/// What such an exploration assumes.
pub(crate) const ASSUMPTION: &str = "a variable, or a byte of memory, that was never written has one value until it is written; any value is tried";

/// The options for an exploration with such values as inputs, if one has shown that the program
/// uses them, and nothing else decides the verdict.
pub(crate) fn as_inputs(options: &Options, explored: &Explored) -> Option<Options> {
    let kind = FaultKind::UninitializedValue;
    let report = &explored.report;
    let used = format!("{NOT_ASKED_FOR} ({})", kind.name());
    let is_asked = |property| options.properties.contains(&property);
    let vm = &options.setup.vm;
    let is_undecided = report.unsupported.iter().any(|found| found.what == used)
        && !report
            .faults
            .iter()
            .any(|found| is_asked(found.fault.kind.property()));
    // Fixed inputs say nothing of these values. Parts of a search elsewhere, and checkpoints, are
    // explored with the options that they began with.
    let can_begin_again = !vm.unwritten_inputs
        && vm.inputs.is_none()
        && !options.apart
        && !options.checkpoints.are_wanted()
        && !matches!(report.stop, StopReason::Limit(_))
        && !vm.stop.is_set();
    if is_asked(kind.property()) || !is_undecided || !can_begin_again {
        return None;
    }
    let mut again = options.clone();
    again.setup.vm.unwritten_inputs = true;
    Some(again)
}

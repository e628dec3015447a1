//! Calls told apart (Horwitz, Reps and Binkley, "Interprocedural slicing using dependence graphs",
//! TOPLAS 1990), on demand.
//!
//! A statement is in a slice for *all calls* of its function, or for those that asked for one
//! *outcome* of the function: a result, or whether it comes back. What an outcome depends on is
//! found once, within the function; calls in it ask for outcomes in their turn. If it depends on a
//! parameter, that goes on with the argument of each call that asked (their summary edges), and
//! with no other call. What is asked for directly, and what leads there over callers, is the first
//! of the two phases of the paper; outcomes are the second one.
//!
//! Memory is not told apart by calls: what is read may have been written in any call of the
//! writer's function and by any thread, so the writer is in the slice for all calls. Only a
//! variable whose address stays in its function is written by the same call that reads it. What a
//! thread gets from its creator, a joining thread from the joined one, and a landing pad from who
//! throws, is for all calls, too.

use super::{Found, Node, Reason, Slicer, Statement};
use rustc_hash::FxHashMap;
use selvedge_base::{IdVec, id_type};
use selvedge_ir::FuncId;
use std::collections::BTreeSet;

id_type! {
    /// An outcome of a function that was asked for.
    pub struct OutcomeId(u32), "e";
}

/// Calls of a function.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) enum Calls {
    /// All.
    All,
    /// Those that asked for an outcome.
    Asking(OutcomeId),
}

/// What can be asked of a function.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Part {
    /// A result, by number.
    Result(u32),
    /// Whether it comes back.
    Returning,
}

#[derive(Default)]
struct Outcome {
    /// The numbers of the parameters that it depends on.
    parameters: BTreeSet<u32>,
    /// The calls that asked for it, and for which calls of their own function.
    asking: BTreeSet<(Statement, Calls)>,
}

/// The outcomes in a slice.
#[derive(Default)]
pub(super) struct Outcomes {
    known: IdVec<OutcomeId, Outcome>,
    of: FxHashMap<(FuncId, Part), OutcomeId>,
}

impl Outcomes {
    /// The outcome, and whether nobody has asked for it before.
    fn find(&mut self, function: FuncId, part: Part) -> (OutcomeId, bool) {
        let known = self.known.len();
        let new = || self.known.push(Outcome::default());
        let id = *self.of.entry((function, part)).or_insert_with(new);
        (id, self.known.len() > known)
    }
}

impl Slicer<'_> {
    /// A call asks for an outcome of a function.
    pub(super) fn of_outcome(&mut self, function: FuncId, part: Part, call: Statement, found: &mut Found) {
        let (id, new) = self.outcomes.find(function, part);
        let mut calls = Calls::All;
        if self.callers_apart {
            calls = Calls::Asking(id);
            let outcome = &mut self.outcomes.known[id];
            if outcome.asking.insert((call, found.calls)) {
                for &number in &outcome.parameters {
                    found.push(Reason::Value, Node::Argument(call, number));
                }
            }
        }
        if new {
            found.within(calls, |found| match part {
                Part::Result(result) => self.of_returned(function, result, found),
                Part::Returning => self.of_returning(function, found),
            });
        }
    }

    /// An outcome depends on a parameter.
    pub(super) fn reach_parameter(&mut self, id: OutcomeId, number: u32, found: &mut Found) {
        let outcome = &mut self.outcomes.known[id];
        if outcome.parameters.insert(number) {
            for &(call, calls) in &outcome.asking {
                found.within(calls, |found| {
                    found.push(Reason::Value, Node::Argument(call, number))
                });
            }
        }
    }
}

//! Where identical threads take turns, and which threads are identical.

use crate::value::Value;
use rustc_hash::{FxHashMap, FxHashSet};
use selvedge_base::StmtId;
use selvedge_ir::{Comparison, FuncId};
use selvedge_model::{Action, ObjectId, Op};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::OnceLock;

/// What is known of identical threads from the program as a text.
#[derive(Clone, Debug, Default)]
pub struct Identical {
    /// The functions that a thread may begin with, and the comparisons that decide what they do
    /// with what they are given. `None` if that is not known.
    pub starts: BTreeMap<FuncId, Option<Vec<Comparison>>>,
    /// The statements that store handles of threads, or load them for joins.
    pub handles: BTreeSet<StmtId>,
    /// Which of the places where they can take turns is taken, from 0, as far as there are so many:
    /// any of them is right.
    pub place: usize,
}

/// Where identical threads take turns.
#[derive(Debug)]
pub(crate) struct Turns {
    /// By the address of a function: see [`Identical::starts`].
    pub(super) starts: FxHashMap<u64, Option<Vec<Comparison>>>,
    pub(super) handles: FxHashSet<StmtId>,
    /// By what threads begin with.
    pub(super) at: OnceLock<FxHashMap<Start, At>>,
}

/// What a thread begins with: the address of a function, and the results of the comparisons of its
/// argument. Equal for identical threads.
pub(super) type Start = (u64, u64);

impl Turns {
    /// What is known of arguments of a function, if it is a little.
    fn comparisons(&self, function: u64) -> Option<&[Comparison]> {
        let known = self.starts.get(&function)?.as_deref();
        known.filter(|known| known.len() <= 64)
    }

    pub(super) fn start(&self, (function, argument): (u64, Value)) -> Start {
        let known = self.comparisons(function).unwrap_or_default();
        let results = known.iter().map(|c| c.of(argument.bits));
        let results = results.fold(0, |all, result| all << 1 | u64::from(result));
        (function, if argument.is_concrete() { results } else { 0 })
    }

    /// Whether a function does the same with two arguments.
    pub(super) fn are_alike(&self, function: u64, one: Value, other: Value) -> bool {
        let concrete = one.is_concrete() && other.is_concrete();
        let same = concrete && one == other;
        same || self.comparisons(function).is_some_and(|known| {
            known.is_empty() || concrete && known.iter().all(|c| c.of(one.bits) == c.of(other.bits))
        })
    }
}

/// A statement and what it does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct At {
    pub(super) stmt: StmtId,
    pub(super) op: Op,
    pub(super) object: ObjectId,
}

impl At {
    pub(super) const fn of(action: &Action) -> At {
        At {
            stmt: action.stmt,
            op: action.op,
            object: action.object,
        }
    }
}

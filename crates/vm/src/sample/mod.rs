//! What a few executions show of the use of variables: which are confined, and to which threads
//! add. Explorations may rely on it as far as something checks it, or as it cannot be wrong.

pub(crate) mod sampled;

use crate::confined::variables::{Bytes, Use};
use crate::counters::{Counters, Word};
use crate::memory::Kind;
use crate::program::Program;
use crate::vm::Vm;
use rustc_hash::{FxHashMap, FxHashSet};
use sampled::Sampled;
use selvedge_base::{Id, ThreadId};
use selvedge_model::{Action, Choice, Machine, MemoryOrder, Op};
use std::sync::Arc;

/// Steps of each execution, and steps of one thread in a row.
const MOST_STEPS: usize = 4_000;
const MOST_IN_A_ROW: usize = 100;
/// Decisions on inputs: each takes longer than the one before.
const MOST_DECISIONS: usize = 50;
/// What an execution may cost, as [`Vm::work`] counts.
const MOST_WORK: u64 = 4_000_000;

/// How a variable was used while there were several threads.
#[derive(Clone, Copy, Default)]
struct Used {
    by_others: bool,
    written: bool,
    /// By an operation that is more than an access.
    otherwise: bool,
}

impl Used {
    fn join(self, other: Used) -> Used {
        Used {
            by_others: self.by_others || other.by_others,
            written: self.written || other.written,
            otherwise: self.otherwise || other.otherwise,
        }
    }

    fn confined(self) -> Option<Use> {
        match self {
            Used { otherwise: true, .. } => None,
            Used { written: false, .. } => Some(Use::Fixed),
            Used { by_others: false, .. } => Some(Use::OfMain),
            Used { .. } => None,
        }
    }
}

impl Program {
    /// What a few executions show. They are made once.
    pub(crate) fn sampled(self: &Arc<Program>) -> &Sampled {
        self.sampled.get_or_init(|| sampled(self).unwrap_or_default())
    }
}

/// Makes two executions. In one the earlier threads go first, in the other the later ones. `None`
/// if that was interrupted, or if no machine can be made: then the exploration says so.
fn sampled(program: &Arc<Program>) -> Option<Sampled> {
    let mut uses = Uses::default();
    for later_first in [false, true] {
        let vm = Vm::new(Arc::clone(program)).ok()?.with_all_counters();
        run(vm, later_first, &mut uses)?;
    }
    Some(Sampled {
        confined: confined(uses.of),
        counters: Counters::among(uses.additions),
    })
}

/// How variables were used.
#[derive(Default)]
struct Uses {
    /// Global atomic variables.
    of: FxHashMap<(u64, u64), Used>,
    /// The threads that added to a variable without looking.
    additions: FxHashMap<Word, FxHashSet<ThreadId>>,
}

fn confined(used: FxHashMap<(u64, u64), Used>) -> Vec<Bytes> {
    let mut all: Vec<((u64, u64), Used)> = used.into_iter().collect();
    all.sort_unstable_by_key(|&(bytes, _)| bytes);
    let mut joined: Vec<((u64, u64), Used)> = Vec::new();
    for ((start, end), how) in all {
        match joined.last_mut() {
            Some(((_, before), known)) if start < *before => {
                *before = end.max(*before);
                *known = known.join(how);
            }
            _ => joined.push(((start, end), how)),
        }
    }
    let confined = joined.into_iter().filter_map(|((start, end), how)| {
        let how = how.confined()?;
        Some(Bytes { start, end, how })
    });
    confined.collect()
}

/// Makes an execution, and adds how it uses variables. `None` if it was told to stop.
fn run(mut vm: Vm, later_first: bool, uses: &mut Uses) -> Option<()> {
    let (mut current, mut in_a_row, mut decisions) = (0, 0, 0);
    for _ in 0..MOST_STEPS {
        let pending = vm.pending();
        let is_enabled = |&t: &usize| pending[t].is_enabled();
        if in_a_row == MOST_IN_A_ROW || !pending.get(current).is_some_and(|p| p.is_enabled()) {
            let (before, after) = (0..current, current + 1..pending.len());
            let next = match later_first {
                false => after.chain(0..=current).find(is_enabled),
                true => before
                    .rev()
                    .chain((current..pending.len()).rev())
                    .find(is_enabled),
            };
            let Some(next) = next else { break };
            (current, in_a_row) = (next, 0);
        }
        in_a_row += 1;
        let event = vm.step(Choice {
            thread: ThreadId::from_index(current),
            alternative: 0,
        });
        if vm.has_to_stop() {
            return None;
        }
        decisions += usize::from(event.is_data_choice());
        if decisions > MOST_DECISIONS || vm.work() > MOST_WORK {
            break;
        }
        note(&vm, &event.action, uses);
    }
    // Nobody asked for the executions themselves.
    vm.drop_unpublished();
    Some(())
}

fn note(vm: &Vm, action: &Action, uses: &mut Uses) {
    if action.op == Op::Add {
        let word = Word {
            address: action.object.0,
            size: u64::from(action.size),
        };
        uses.additions.entry(word).or_default().insert(action.thread);
    }
    let is_global = |address: u64| {
        let object = vm.state.memory.object_at(address);
        object.is_some_and(|(_, object)| object.kind == Kind::Global)
    };
    let mut add = |address: u64, size: u64, how: Used| {
        if is_global(address) {
            let known = uses.of.entry((address, address + size)).or_default();
            *known = known.join(how);
        }
    };
    if matches!(action.op, Op::Read | Op::Write | Op::Rmw | Op::Add) && action.order != MemoryOrder::NotAtomic
    {
        let how = Used {
            by_others: action.thread.index() != 0,
            written: action.op != Op::Read,
            otherwise: false,
        };
        add(action.object.0, u64::from(action.size), how);
    } else {
        let otherwise = Used {
            otherwise: true,
            ..Used::default()
        };
        for object in [action.object, action.object2] {
            if object.is_address() {
                add(object.0, u64::from(action.size).max(1), otherwise);
            }
        }
    }
}

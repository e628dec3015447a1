//! Which thread choices are necessary, by brute force.
//!
//! A state has to have a thread choice if no thread may go first alone: for each enabled thread
//! some continuation in which it does not move has an action, or an access within a step, that
//! conflicts with its next action. All these continuations are explored, with every thread choice.
//! States are compared by fingerprint. What was found out of a state is kept, so the cost is at
//! most the number of states times the number of threads, if conflicts are found fast.
//!
//! A thread that goes first with an access to memory is compared, too: it must be one that may.

use crate::Control;
use crate::stuck::{digest, moves};
use rustc_hash::{FxHashMap, FxHashSet};
use selvedge_base::{Digest, Id, ThreadId};
use selvedge_model::{Action, Choice, Conflict, Dependence, Event, Fingerprint, Op, Undo};

/// The questions that were answered: by state and thread, whether there is a conflict.
#[derive(Debug, Default)]
pub(super) struct Necessary {
    known: FxHashMap<(Digest, ThreadId), bool>,
    /// The access of a thread that was taken alone, although another thread may conflict with it.
    refuted: Option<Action>,
}

/// A state of the search path.
struct Frame<T> {
    mark: T,
    print: Digest,
    choices: Vec<Choice>,
    next: usize,
}

impl Necessary {
    /// True if more than one thread is taken of the machine's state, and if that is necessary.
    /// `ample`: the number of first choices that are taken. `name`: a thread's name, equal in each
    /// interleaving. The machine is returned to its state.
    #[cold]
    pub(super) fn judge<M: Undo + Fingerprint>(
        &mut self,
        machine: &mut M,
        (choices, ample): (&[Choice], usize),
        name: impl Fn(ThreadId) -> ThreadId,
        control: &Control,
    ) -> bool {
        let Some(first) = choices.first().map(|choice| choice.thread) else {
            return false;
        };
        if choices[..ample].iter().any(|choice| choice.thread != first) {
            let mut threads: Vec<ThreadId> = choices.iter().map(|choice| choice.thread).collect();
            threads.dedup();
            return threads
                .iter()
                .all(|&thread| self.conflicts(machine, thread, name(thread), control));
        }
        let action = machine.pending()[first.index()].action;
        let accesses = matches!(
            action.op,
            Op::Read | Op::Write | Op::Rmw | Op::Add | Op::BarrierLeave
        ) || action.op == Op::Destroy && action.object.as_heap().is_some();
        let meets = ample < choices.len()
            && accesses
            && self.conflicts(machine, first, name(first), control)
            && !control.is_stopped();
        if meets {
            self.refuted.get_or_insert(action);
        }
        false
    }

    /// The end of a search that has explored everything and met nothing unsupported.
    ///
    /// # Panics
    /// If a thread was taken alone with an access that conflicts. (An address that was hidden in
    /// numbers may be the reason. Then the search has reported it as unsupported.)
    pub(super) fn conclude(&self) {
        let refuted = &self.refuted;
        assert!(refuted.is_none(), "a thread goes first that may not: {refuted:?}");
    }

    /// True if another thread may do something that conflicts with a thread's next action before
    /// that thread moves. True, too, if the search is told to stop.
    fn conflicts<M: Undo + Fingerprint>(
        &mut self,
        machine: &mut M,
        thread: ThreadId,
        name: ThreadId,
        control: &Control,
    ) -> bool {
        let action = machine.pending()[thread.index()].action;
        let start = machine.mark();
        let mut seen = FxHashSet::default();
        let mut path: Vec<Frame<M::Mark>> = Vec::new();
        let mut found = self.enter(machine, (thread, name), &mut seen, &mut path);
        while found != Some(true) {
            let Some(top) = path.last_mut() else { break };
            let Some(&choice) = top.choices.get(top.next) else {
                path.pop();
                continue;
            };
            if control.is_stopped() {
                machine.undo(start);
                return true;
            }
            top.next += 1;
            machine.undo(top.mark);
            let event = machine.step(choice);
            found = match meets(machine, &action, &event) {
                true => Some(true),
                false => self.enter(machine, (thread, name), &mut seen, &mut path),
            };
        }
        machine.undo(start);
        let found = found == Some(true);
        if found {
            let on_path = path.iter().map(|frame| ((frame.print, name), true));
            self.known.extend(on_path);
        } else {
            self.known
                .extend(seen.into_iter().map(|print| ((print, name), false)));
        }
        found
    }

    /// Adds the machine's state to the path, unless it was seen or its answer is known. Returns the
    /// answer.
    fn enter<M: Undo + Fingerprint>(
        &self,
        machine: &mut M,
        (thread, name): (ThreadId, ThreadId),
        seen: &mut FxHashSet<Digest>,
        path: &mut Vec<Frame<M::Mark>>,
    ) -> Option<bool> {
        let print = digest(machine);
        if let Some(&known) = self.known.get(&(print, name)) {
            return Some(known);
        }
        if !seen.insert(print) {
            return None;
        }
        let (choices, _) = moves(machine, 0, None, |_| false);
        let others = choices.into_iter().filter(|choice| choice.thread != thread);
        path.push(Frame {
            mark: machine.mark(),
            print,
            choices: others.collect(),
            next: 0,
        });
        None
    }
}

/// True if what the last step has done conflicts with an action.
fn meets<M: Undo>(machine: &M, action: &Action, event: &Event) -> bool {
    let within = || {
        let writes = action.op != Op::Read;
        let end = action.object.0 + u64::from(action.size);
        action.is_memory()
            && machine.accesses().iter().any(|access| {
                (writes || access.write)
                    && access.address < end
                    && action.object.0 < access.address + u64::from(access.size)
            })
    };
    Conflict.dependent(action, &event.action) || within()
}

//! Who has taken a lock that is a word of memory, by a claim ([`Op::Claim`]).
//!
//! Such a lock has no owner in the machine: who takes it changes the word, and who gives it back
//! changes it again. So a thread has the lock if its claim was the last change of the word. This is
//! asked only where another thread waits for the word and nobody can move, to say why. Whether that
//! is a deadlock does not depend on it.

use selvedge_base::{ContextId, StmtId, ThreadId};
use selvedge_model::{Action, ObjectId, Op, Outcome};
use std::collections::BTreeMap;

/// A claim.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Taken {
    pub thread: ThreadId,
    pub stmt: StmtId,
    pub context: ContextId,
}

/// The claims that were the last change of their word.
#[derive(Clone, Debug, Default)]
pub(crate) struct Takers {
    taken: BTreeMap<ObjectId, Taken>,
    /// What was there before each change.
    log: Vec<(ObjectId, Option<Taken>)>,
}

impl Takers {
    /// A position to which [`Takers::undo`] returns.
    pub fn mark(&self) -> usize {
        self.log.len()
    }

    pub fn undo(&mut self, mark: usize) {
        for (object, before) in self.log.drain(mark..).rev() {
            match before {
                Some(taken) => self.taken.insert(object, taken),
                None => self.taken.remove(&object),
            };
        }
    }

    /// An action was taken. A claim with another outcome has not got the lock, and gives none back.
    #[inline]
    pub fn see(&mut self, action: &Action, context: ContextId, outcome: Outcome) {
        match action.op {
            Op::Claim if outcome == Outcome::Done => {
                let taken = Taken {
                    thread: action.thread,
                    stmt: action.stmt,
                    context,
                };
                let before = self.taken.insert(action.object, taken);
                self.log.push((action.object, before));
            }
            Op::Write | Op::Rmw | Op::Add if !self.taken.is_empty() && outcome != Outcome::Failed => {
                if let Some(before) = self.taken.remove(&action.object) {
                    self.log.push((action.object, Some(before)));
                }
            }
            _ => {}
        }
    }

    /// Who has the lock for which a thread waits with this action.
    pub fn holder(&self, waits: &Action) -> Option<Taken> {
        let taken = self.taken.get(&waits.object).filter(|_| waits.op == Op::Claim);
        taken.copied()
    }
}

//! Work that goes from one worker to another: entries to give away, and paths to follow.

use super::keep::differs;
use super::{Halt, Search};
use crate::dpor::set::Set;
use selvedge_base::Id;
use selvedge_model::{Choice, Dependence, Detector, Undo};

impl<S, M, D, P> Search<'_, S, M, D, P>
where
    S: Set,
    M: Undo,
    D: Detector<M>,
    P: Dependence,
{
    /// The depth of the present state, and whether it has a node.
    pub fn position(&self) -> (usize, bool) {
        (self.choices.len(), self.nodes.len() > self.choices.len())
    }

    /// The choices of the present path.
    pub fn choices(&self) -> &[Choice] {
        &self.choices
    }

    /// The highest node of this job with an entry that no worker has begun and that is at least
    /// `height` events above the present state. Returns the node, the entry, its thread, and the
    /// sleep set when it is taken. The entry is marked as given away.
    pub fn offer(&mut self, height: usize) -> Option<(usize, u16, usize, S)> {
        let end = self.choices.len().checked_sub(height)?;
        self.offer_before(end)
    }

    /// The same at any node, where no execution is under way.
    pub fn offer_any(&mut self) -> Option<(usize, u16, usize, S)> {
        self.offer_before(self.nodes.len())
    }

    fn offer_before(&mut self, end: usize) -> Option<(usize, u16, usize, S)> {
        let end = end.min(self.nodes.len());
        let from = self.job.own;
        for at in from..end {
            let node = &self.nodes[at];
            if node.cursor + 1 >= node.len {
                continue;
            }
            let mut sleep = node.sleep;
            let original = node.sleep;
            for k in node.cursor..node.len {
                let thread = if k == node.cursor {
                    usize::from(node.thread)
                } else {
                    self.entry(at, k)
                };
                let free = k > node.cursor
                    && !original.contains(thread)
                    && !(node.given && self.job.given.iter().any(|g| g.node == at && g.entry == k));
                if free {
                    self.nodes[at].given = true;
                    return Some((at, k, thread, sleep));
                }
                if self.config.sleep_sets {
                    sleep.insert(thread);
                }
            }
        }
        None
    }

    /// Follows a path from the present state, and then adds a node of which only one entry is to be
    /// explored. Other workers explore the other branches of the path.
    pub fn follow(&mut self, path: &[Choice], thread: usize, sleep: S) {
        self.follow_path(path);
        if self.job.halt.is_some() {
            return;
        }
        match self.are_threads(sleep) {
            true => self.push_here(thread, sleep),
            false => self.job.halt = Some(Halt::Limit(differs())),
        }
    }

    /// Follows a path whose other branches other workers explore.
    pub fn follow_path(&mut self, path: &[Choice]) {
        for &choice in path {
            if self.nodes.len() == self.choices.len() {
                self.push_here(choice.thread.index(), S::default());
            }
            self.follow_one(choice);
            if matches!(self.job.halt, Some(Halt::Limit(_) | Halt::Refused)) {
                return;
            }
        }
    }

    /// True if the machine offers this choice now. A choice that another worker made may be missing
    /// here, because a solver's time limit can exclude an alternative on one of two machines.
    pub(super) fn can_take(&self, choice: Choice) -> bool {
        let pending = self.machine.pending().get(choice.thread.index());
        pending.is_some_and(|p| p.is_enabled() && choice.alternative < p.alternatives)
    }

    pub(super) fn push_here(&mut self, thread: usize, sleep: S) {
        self.push(self.enabled_now(), sleep, thread, false);
    }

    /// Removes the nodes from `len` on and returns to the state of the node at `len`. With `keep`,
    /// that node stays.
    pub fn leave(&mut self, len: usize, keep: bool) {
        self.go_back(len);
        while self.nodes.len() > len + usize::from(keep) {
            self.pop();
        }
    }
}

//! The known states: those of the path, and those whose exploration is finished.

use rustc_hash::FxHashSet;
use selvedge_base::Digest;

/// The number of states at which the oldest are forgotten: about 2 GiB.
const MOST: usize = 1 << 26;

/// See the module's documentation.
///
/// If there are too many states, the older half of the finished ones is forgotten. A forgotten
/// state is explored again if it is reached again, so only time is lost. States of the path are
/// never forgotten, because otherwise the path might not end.
#[derive(Debug)]
pub(super) struct Known {
    path: FxHashSet<Digest>,
    young: FxHashSet<Digest>,
    old: FxHashSet<Digest>,
    most: usize,
    /// True if the store was told to keep fewer states.
    saves: bool,
    forgotten: u64,
}

/// What is known of a state.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Seen {
    /// The state is new.
    New,
    /// The state is on the path: the path has a cycle.
    OnPath,
    /// Everything that follows the state was explored.
    Left,
}

impl Known {
    pub(super) fn new(most: Option<usize>) -> Self {
        Known {
            path: FxHashSet::default(),
            young: FxHashSet::default(),
            old: FxHashSet::default(),
            most: most.unwrap_or(MOST).max(2),
            saves: false,
            forgotten: 0,
        }
    }

    /// True if everything that follows a state was explored.
    pub(super) fn has_left(&self, state: Digest) -> bool {
        self.young.contains(&state) || self.old.contains(&state)
    }

    /// True if a state is on the path.
    pub(super) fn is_on_path(&self, state: Digest) -> bool {
        self.path.contains(&state)
    }

    /// Adds a state to the path, if it is new.
    pub(super) fn enter(&mut self, state: Digest) -> Seen {
        if self.has_left(state) {
            return Seen::Left;
        }
        match self.path.insert(state) {
            true => Seen::New,
            false => Seen::OnPath,
        }
    }

    /// Removes a state from the path: everything that follows was explored.
    pub(super) fn leave(&mut self, state: Digest) {
        self.path.remove(&state);
        if self.young.len() >= self.most / 2 {
            self.forget_old();
        }
        self.young.insert(state);
    }

    /// Forgets half of the finished states, and does not keep more from now on.
    pub(super) fn save(&mut self) {
        if std::mem::replace(&mut self.saves, true) {
            return;
        }
        let kept = self.young.len() + self.old.len();
        self.most = self.most.min((kept / 2).max(1 << 10));
        if self.young.len() >= self.most / 2 {
            self.forget_old();
        }
    }

    fn forget_old(&mut self) {
        let young = std::mem::take(&mut self.young);
        self.forgotten += self.old.len() as u64;
        self.old = young;
    }

    /// The number of forgotten states.
    pub(super) const fn forgotten(&self) -> u64 {
        self.forgotten
    }
}

//! The states that are known: those of the path, and those that were left with all that follows.

use rustc_hash::FxHashSet;
use selvedge_base::Digest;

/// States that are kept before the oldest are forgotten: about 2 GiB.
const MOST: usize = 1 << 26;

/// See the module's documentation.
///
/// When there are too many, the older half of those that were left is forgotten. They are explored
/// again if they are met again, so nothing is lost but time. States of the path are never
/// forgotten: the path would not end.
#[derive(Debug)]
pub(super) struct Known {
    path: FxHashSet<Digest>,
    young: FxHashSet<Digest>,
    old: FxHashSet<Digest>,
    most: usize,
    /// It was told to keep fewer.
    saves: bool,
    forgotten: u64,
}

/// What is known of a state.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Seen {
    /// Nothing.
    New,
    /// It is on the path: whoever came here went in a circle.
    OnPath,
    /// All that follows was explored.
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

    /// Whether all that follows a state was explored.
    pub(super) fn has_left(&self, state: Digest) -> bool {
        self.young.contains(&state) || self.old.contains(&state)
    }

    /// Whether a state is on the path.
    pub(super) fn is_on_path(&self, state: Digest) -> bool {
        self.path.contains(&state)
    }

    /// Enters a state.
    pub(super) fn enter(&mut self, state: Digest) -> Seen {
        if self.has_left(state) {
            return Seen::Left;
        }
        match self.path.insert(state) {
            true => Seen::New,
            false => Seen::OnPath,
        }
    }

    /// Leaves a state of the path: all that follows was explored.
    pub(super) fn leave(&mut self, state: Digest) {
        self.path.remove(&state);
        if self.young.len() >= self.most / 2 {
            self.forget_old();
        }
        self.young.insert(state);
    }

    /// Forgets half of what it may, and keeps no more from now on.
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

    /// How many states were forgotten.
    pub(super) const fn forgotten(&self) -> u64 {
        self.forgotten
    }
}

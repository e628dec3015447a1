//! What the relation of predicate dependence as Kusano and Wang print it (ASE 2014) stores: the
//! slice, and what executions show. It is there for the run counts of their tables: explorations
//! with it lose errors (docs/algorithms.md, "As published").

use crate::OpClass;
use selvedge_base::StmtId;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The statements that accessed each granule of 8 bytes, with the bytes.
type Seen = BTreeMap<u64, BTreeMap<StmtId, u8>>;

/// Predicate dependence by the published rules, on machines in which all accesses are actions:
/// those of statements outside of the slice depend on nothing. `dpor` takes its own published rules
/// with it; other strategies do not know of slices.
#[derive(Debug)]
pub struct Published {
    slice: BTreeSet<StmtId>,
    /// True if two writes are independent ([`PRUNED`](Self::PRUNED)), but for a later read by a
    /// third thread (write-write pruning, Theorem 3).
    pub prunes: bool,
    seen: Mutex<Seen>,
}

impl Published {
    /// The class of writes that are independent of each other. Uses of memory have no class of
    /// their own for that; this one is otherwise about threads, of which two cancellations are
    /// independent, too, by this relation.
    pub const PRUNED: OpClass = OpClass::Cancel;

    /// The relation before anything was seen.
    pub fn new(slice: BTreeSet<StmtId>, prunes: bool) -> Self {
        Published {
            slice,
            prunes,
            seen: Mutex::default(),
        }
    }

    /// Whether an access by a statement depends on others.
    pub fn has(&self, stmt: StmtId) -> bool {
        self.slice.contains(&stmt)
    }

    /// Notes that a statement has accessed these bytes in an execution.
    pub fn note(&self, address: u64, size: u32, stmt: StmtId) {
        let mut seen = self.seen();
        let end = address.saturating_add(u64::from(size));
        let mut granule = address & !7;
        while granule < end {
            let bytes = (granule..granule + 8).enumerate();
            let used = bytes.filter(|(_, byte)| (address..end).contains(byte));
            let mask = used.fold(0, |mask, (bit, _)| mask | 1 << bit);
            *seen.entry(granule).or_default().entry(stmt).or_default() |= mask;
            granule += 8;
        }
    }

    /// `UpdateSlice` (Algorithm 3) over the executions so far: the statements outside of the slice
    /// that have accessed what one in it has accessed, and so on.
    pub fn inserted(&self) -> BTreeSet<StmtId> {
        let seen = self.seen();
        let mut found = BTreeSet::new();
        loop {
            let before = found.len();
            for uses in seen.values() {
                let within = |stmt: &StmtId| self.has(*stmt) || found.contains(stmt);
                let sliced = uses.iter().filter(|(stmt, _)| within(stmt));
                let bytes = sliced.fold(0, |all, (_, bytes)| all | bytes);
                let more = uses.iter().filter(|(stmt, of)| *of & bytes != 0 && !within(stmt));
                let more: Vec<StmtId> = more.map(|(&stmt, _)| stmt).collect();
                found.extend(more);
            }
            if found.len() == before {
                return found;
            }
        }
    }

    fn seen(&self) -> MutexGuard<'_, Seen> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statements_that_share_bytes_are_inserted_one_after_another() {
        let s = StmtId;
        let relation = Published::new(BTreeSet::from([s(1)]), false);
        relation.note(16, 4, s(1));
        relation.note(20, 4, s(2));
        relation.note(18, 4, s(3));
        relation.note(32, 4, s(4));
        // 3 shares bytes with 1, and 2 only with 3.
        assert_eq!(relation.inserted(), BTreeSet::from([s(2), s(3)]));
    }
}

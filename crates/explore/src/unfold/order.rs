//! Search orders: which open node is visited next. Each order is complete, because the sweep
//! decides what is done.

use super::event::{EventId, Store};
use super::tree::{NodeId, Tree};
use crate::Order;
use rustc_hash::FxHashMap;
use selvedge_base::StmtId;
use std::collections::VecDeque;

/// [`Order::Coverage`] compares at most this number of open nodes, the newest ones.
const COMPARED: usize = 4096;

/// The number of times that each statement was executed as a visible action.
#[derive(Debug, Default)]
pub struct Visits(FxHashMap<StmtId, u64>);

impl Visits {
    /// Counts an executed action at a statement.
    pub fn note(&mut self, stmt: StmtId) {
        *self.0.entry(stmt).or_default() += 1;
    }

    /// The count of a statement.
    fn count(&self, stmt: StmtId) -> u64 {
        self.0.get(&stmt).copied().unwrap_or(0)
    }

    /// The count of the statement at the end of a node's lead. The node was opened for this event;
    /// the other events of the lead only lead to it. 0 without a lead.
    fn of(&self, store: &Store, lead: &[EventId]) -> u64 {
        lead.first().map_or(0, |&e| self.count(store[e].action.stmt))
    }
}

/// Takes the next node in the search order.
pub fn pick(
    open: &mut VecDeque<NodeId>,
    order: Order,
    tree: &Tree,
    store: &Store,
    visits: &Visits,
    random: &mut fastrand::Rng,
) -> Option<NodeId> {
    if open.is_empty() {
        return None;
    }
    match order {
        Order::DepthFirst => None,
        Order::BreadthFirst => open.pop_front(),
        Order::Random => open.swap_remove_back(random.usize(..open.len())),
        Order::Coverage => {
            let from = open.len().saturating_sub(COMPARED);
            let newest = (from..open.len()).rev();
            let least = newest.min_by_key(|&i| visits.of(store, &tree[open[i]].lead))?;
            open.swap_remove_back(least)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::label::Ending;
    use super::super::tree::{Child, Node};
    use super::*;
    use selvedge_base::ThreadId;
    use selvedge_model::{Action, Op};

    #[test]
    fn coverage_prefers_statements_that_were_executed_least() {
        let (mut store, mut tree, mut visits) = (Store::default(), Tree::default(), Visits::default());
        let mut open = VecDeque::new();
        for (stmt, executed) in [(7, 2), (8, 0), (9, 1), (10, 0)] {
            let action = Action {
                stmt: StmtId(stmt),
                ..Action::new(ThreadId(stmt as u16), Op::Yield)
            };
            let what = store.labels.of(&action, &Ending::default());
            let (event, _) = store.intern(EventId::NONE, &what, &[]);
            (0..executed).for_each(|_| visits.note(StmtId(stmt)));
            open.push_back(tree.add(node(event)));
        }
        let mut random = fastrand::Rng::with_seed(1);
        let mut order = Vec::new();
        while let Some(node) = pick(&mut open, Order::Coverage, &tree, &store, &visits, &mut random) {
            let stmt = store[tree[node].lead[0]].action.stmt;
            visits.note(stmt);
            order.push(stmt.0);
        }
        assert_eq!(
            order,
            [10, 8, 9, 7],
            "the newest of those never executed comes first"
        );
    }

    fn node(event: EventId) -> Node {
        Node {
            parent: None,
            is_right: false,
            serial: 0,
            depth: 0,
            event: EventId::NONE,
            disabled: Vec::new(),
            cut: Vec::new(),
            lead: vec![event],
            refused: 0,
            singly: false,
            left: Child::None,
            right: Child::None,
            open: true,
        }
    }
}

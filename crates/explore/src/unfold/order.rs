//! Which open node is next: the search orders. Each is complete, for the sweep decides what is
//! done.

use super::event::{EventId, Store};
use super::tree::{NodeId, Tree};
use crate::Order;
use rustc_hash::FxHashMap;
use selvedge_base::StmtId;
use std::collections::VecDeque;

/// At most so many of the open nodes, the newest ones, are compared by [`Order::Coverage`].
const COMPARED: usize = 4096;

/// How often each statement was executed as a visible action.
#[derive(Debug, Default)]
pub struct Visits(FxHashMap<StmtId, u64>);

impl Visits {
    /// An action at a statement was executed.
    pub fn note(&mut self, stmt: StmtId) {
        *self.0.entry(stmt).or_default() += 1;
    }

    /// How often that was so.
    fn count(&self, stmt: StmtId) -> u64 {
        self.0.get(&stmt).copied().unwrap_or(0)
    }

    /// How often the statement was executed at which the lead of a node ends, the event that it was
    /// opened for: what comes before it is on the way there. 0 without a lead.
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

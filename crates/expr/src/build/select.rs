//! Elements of tables: reads at a symbolic index.

use crate::arena::Arena;
use crate::bits::{self, mask};
use crate::node::{CmpOp, Expr, Node, TableId};

impl Arena {
    /// The element of a table of equally wide values with this index, as an unsigned number; beyond
    /// the end of the table it is the last element.
    ///
    /// # Panics
    /// If the table is empty or its elements differ in width.
    pub fn select(&self, table: &[Expr], index: Expr) -> Expr {
        assert!(!table.is_empty(), "an empty table");
        let width = self.width(table[0]);
        assert!(
            table.iter().all(|&e| self.width(e) == width),
            "the widths of a table"
        );
        let at = |i: u128| table[usize::try_from(i).map_or(table.len() - 1, |i| i.min(table.len() - 1))];
        if let Some(index) = self.as_const(index) {
            return at(index);
        }
        if let Some((c, x, y)) = self.two_valued(index) {
            return self.ite(c, at(x), at(y));
        }
        if let Node::Zext(inner) = self.node(index) {
            return self.select(table, inner);
        }
        // What the index cannot reach and what repeats the last element is left out.
        let reach = usize::try_from(self.facts(index).high).map_or(usize::MAX, |h| h.saturating_add(1));
        let reached = &table[..table.len().min(reach)];
        let last = reached[reached.len() - 1];
        let repeated = reached.iter().rev().take_while(|&&e| e == last).count();
        let table = &reached[..=reached.len() - repeated];
        let constant = |i: usize| self.constant(self.width(index), i as u128);
        match *table {
            [only] => only,
            [first, rest] => self.ite(self.compare(CmpOp::Eq, index, constant(0)), first, rest),
            [first, .., last] => {
                // One element among equal ones.
                let mut others = (0..table.len()).filter(|&i| table[i] != first);
                if let (Some(odd), None) = (others.next(), others.next())
                    && first == last
                {
                    return self.ite(self.compare(CmpOp::Eq, index, constant(odd)), table[odd], first);
                }
                let id = self.intern_table(table);
                self.intern(Node::Select(id, index), width)
            }
            [] => last,
        }
    }

    /// A comparison of an element of a table of constants with a constant, if at most two indexes
    /// decide it.
    pub(super) fn select_compared(
        &self,
        op: CmpOp,
        table: TableId,
        index: Expr,
        k: u128,
        swapped: bool,
    ) -> Option<Expr> {
        let elements = self.table(table);
        let width = self.width(elements[0]);
        let holds = |e: Expr| {
            let value = self.as_const(e)?;
            let (x, y) = if swapped { (k, value) } else { (value, k) };
            Some(bits::compare(op, width, x, y))
        };
        let results: Vec<bool> = elements.iter().map(|&e| holds(e)).collect::<Option<_>>()?;
        let true_at: Vec<usize> = (0..results.len()).filter(|&i| results[i]).collect();
        let false_at: Vec<usize> = (0..results.len()).filter(|&i| !results[i]).collect();
        let (few, holds) = if true_at.len() <= false_at.len() {
            (true_at, true)
        } else {
            (false_at, false)
        };
        if few.len() > 2 {
            return None;
        }
        let mut any = self.truth(false);
        for i in few {
            let i_expr = self.constant(self.width(index), i as u128);
            assert!(i as u128 <= mask(self.width(index)));
            // The last element stands for everything beyond it too.
            let op = if i + 1 == results.len() {
                CmpOp::Uge
            } else {
                CmpOp::Eq
            };
            any = self.or(any, self.compare(op, index, i_expr));
        }
        Some(if holds { any } else { self.not(any) })
    }
}

//! Following a path that grows and shrinks at its end.

use selvedge_expr::Expr;

/// The path of the last query.
#[derive(Default)]
pub(crate) struct Followed {
    constraints: Vec<Expr>,
}

impl Followed {
    /// Compares with the path of the next query. Returns how many of the first constraints stay,
    /// and the new constraints after them. The caller first drops what it stores for the others.
    pub(crate) fn turn<'a>(&mut self, path: &'a [Expr]) -> (usize, &'a [Expr]) {
        let most = self.constraints.len().min(path.len());
        // In most cases everything stays, and comparing everything at once is many times faster
        // than one by one.
        let same = if self.constraints[..most] == path[..most] {
            most
        } else {
            self.constraints
                .iter()
                .zip(path)
                .take_while(|(old, new)| old == new)
                .count()
        };
        self.constraints.truncate(same);
        self.constraints.extend_from_slice(&path[same..]);
        (same, &path[same..])
    }
}

//! Statements, and assertions that make outcomes visible.

use super::Generator;
use crate::program::{Binary, Block, Expr, Stmt};

impl Generator {
    /// One assertion for each value that one or two variables could have, so that all outcomes are
    /// compared. A failed assertion stops the thread; other executions still reach the other
    /// assertions.
    pub(super) fn observe(&mut self, body: &mut Block) {
        let two = self.random.one_in(2);
        for r in 0..1 + u8::from(two) {
            if self.random.one_in(5) {
                continue; // use the present value of the local
            }
            let place = self.place();
            body.push(match self.random.below(3) {
                0 => Stmt::AtomicLoad(r, place, self.read_order()).into(),
                _ => Stmt::Load(r, place).into(),
            });
        }
        let mut seen = Expr::Local(0);
        if two {
            let other = Expr::Binary(Binary::And, Box::new(Expr::Local(1)), Box::new(Expr::Const(1)));
            for _ in 0..4 {
                seen = Expr::sum(seen, other.clone());
            }
        }
        for value in 0..4 + 4 * i16::from(two) {
            let differs = Expr::Binary(Binary::Ne, Box::new(seen.clone()), Box::new(Expr::Const(value)));
            body.push(Stmt::Assert(differs).into());
        }
    }

    /// An assertion, perhaps after a read.
    pub(super) fn check(&mut self, body: &mut Block) {
        let condition = self.condition();
        if self.random.one_in(2) {
            let (Expr::Binary(_, r, _), place) = (&condition, self.place()) else {
                unreachable!("a condition is a comparison");
            };
            if let Expr::Local(r @ 0..3) = **r {
                body.push(match self.random.below(3) {
                    0 => Stmt::Load(r, place).into(),
                    _ => Stmt::AtomicLoad(r, place, self.read_order()).into(),
                });
            }
        }
        body.push(match self.random.below(8) {
            0..2 => Stmt::Reach(condition).into(),
            2 => Stmt::Abort(condition).into(),
            _ => Stmt::Assert(condition).into(),
        });
    }

    /// Some statements, nested one level deeper.
    pub(super) fn inner(&mut self, depth: u8) -> Block {
        let mut body = Vec::new();
        for _ in 0..1 + self.random.below(2) {
            self.statement(&mut body, depth + 1);
        }
        body
    }

    pub(super) fn statement(&mut self, body: &mut Block, depth: u8) {
        if depth > 2 {
            return self.plain(body);
        }
        if !self.handlers.is_empty() && depth == 0 && !self.main && !self.in_try && self.random.one_in(5) {
            let was = std::mem::replace(&mut self.in_cleanup, true);
            let inner = self.inner(depth);
            self.in_cleanup = was;
            return body.push(Stmt::Cleanup(0, inner).into());
        }
        match self.random.below(20) {
            0 | 1 => self.plain(body),
            2 | 3 => {
                let condition = self.condition();
                let yes = self.inner(depth);
                let no = if self.random.one_in(3) {
                    self.inner(depth)
                } else {
                    Vec::new()
                };
                body.push(Stmt::If(condition, yes, no).into());
            }
            4 if depth == 0 && self.counters < 2 && !self.endless => {
                let counter = self.counters;
                self.counters += 1;
                let inner = self.inner(depth);
                self.counters -= 1;
                body.push(Stmt::Repeat(counter, 2, inner).into());
            }
            5 => self.check(body),
            6 if self.counters < 2 && !self.endless => self.bounded_poll(body),
            _ => {
                let theme = self.themes[self.random.below(self.themes.len())];
                self.themed(theme, body, depth);
            }
        }
    }

    pub(super) fn plain(&mut self, body: &mut Block) {
        let (r, place) = (self.reg(), self.place());
        let stmt = match self.random.below(6) {
            0 | 1 => Stmt::Load(r, place),
            2 | 3 => Stmt::Store(place, self.expr(1)),
            4 => Stmt::Add(place, self.expr(0)),
            _ => Stmt::Set(r, self.expr(1)),
        };
        body.push(stmt.into());
    }
}

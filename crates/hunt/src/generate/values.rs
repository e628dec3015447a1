//! Values: expressions, conditions, places in memory, and memory orders.

use super::Generator;
use crate::program::{self, ARGUMENT, Binary, Expr, Local, Order, Place};

impl Generator {
    pub(super) fn reg(&mut self) -> Local {
        self.random.below(3) as Local
    }

    pub(super) fn small(&mut self) -> Expr {
        Expr::Const(self.random.below(4) as i16)
    }

    pub(super) fn expr(&mut self, depth: u8) -> Expr {
        match self.random.below(if depth == 0 { 7 } else { 9 }) {
            0 | 1 => self.small(),
            2..5 => Expr::Local(self.reg()),
            5 if !self.main => Expr::Local(ARGUMENT),
            6 if self.counters > 0 => Expr::Local(program::COUNTER + self.counters - 1),
            5 | 6 => Expr::Local(self.reg()),
            _ => {
                let op = self.random.pick(&[
                    Binary::Add,
                    Binary::Add,
                    Binary::Sub,
                    Binary::And,
                    Binary::Xor,
                    Binary::Eq,
                    Binary::Lt,
                ]);
                let (a, b) = (self.expr(depth - 1), self.expr(depth - 1));
                Expr::Binary(op, Box::new(a), Box::new(b))
            }
        }
    }

    pub(super) fn condition(&mut self) -> Expr {
        let op = self
            .random
            .pick(&[Binary::Eq, Binary::Ne, Binary::Lt, Binary::Le]);
        let a = if self.random.one_in(5) {
            self.expr(1)
        } else {
            Expr::Local(self.reg())
        };
        let b = if self.random.one_in(4) {
            self.expr(0)
        } else {
            self.small()
        };
        Expr::Binary(op, Box::new(a), Box::new(b))
    }

    pub(super) fn constant_place(&mut self) -> Place {
        let global = self.random.below(self.globals.len());
        let index = self.globals[global]
            .array
            .map(|len| Expr::Const(self.random.below(len) as i16));
        Place { global, index }
    }

    pub(super) fn place(&mut self) -> Place {
        let mut place = self.constant_place();
        if let Some(len) = self.globals[place.global].array
            && self.random.one_in(2)
            && !self.in_block
        {
            let inner = self.expr(1);
            // Mostly within the bounds.
            let masked = Expr::Binary(Binary::And, Box::new(inner.clone()), Box::new(Expr::Const(1)));
            let small = matches!(inner, Expr::Local(l) if l >= program::COUNTER) && len > 2;
            place.index = Some(if small || self.random.one_in(8) {
                inner
            } else {
                masked
            });
        }
        place
    }

    pub(super) fn read_order(&mut self) -> Order {
        self.random
            .pick(&[Order::Relaxed, Order::Acquire, Order::SeqCst, Order::SeqCst])
    }

    pub(super) fn write_order(&mut self) -> Order {
        self.random
            .pick(&[Order::Relaxed, Order::Release, Order::SeqCst, Order::SeqCst])
    }

    pub(super) fn rmw_order(&mut self) -> Order {
        self.random.pick(&[
            Order::Relaxed,
            Order::Acquire,
            Order::Release,
            Order::AcqRel,
            Order::SeqCst,
        ])
    }
}

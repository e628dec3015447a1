//! Questions about an expression at a point of a path, each with as few queries as possible.
//!
//! The hint answers half of them: its value of the expression is possible.

use crate::{Answer, Query, Reason, Solver};
use selvedge_expr::{Arena, Assignment, CmpOp, Evaluator, Expr};
use std::cell::RefCell;
use std::rc::Rc;

/// A point: a path, and values with which it holds, if known.
#[derive(Clone, Copy, Debug)]
pub struct At<'a> {
    /// The arena of the expressions.
    pub arena: &'a Arena,
    /// The constraints so far; satisfiable.
    pub path: &'a [Expr],
    /// Values with which the path holds.
    pub hint: Option<&'a Assignment>,
    /// Evaluates hints and models. Its scratch memory is reused from one question to the next.
    pub evaluator: &'a RefCell<Evaluator>,
}

/// The values that an expression can have.
#[derive(Clone, Debug)]
pub enum Values {
    /// Exactly these, in ascending order, each with values of the inputs for which the path holds
    /// and the expression has this value.
    All(Vec<(u128, Rc<Assignment>)>),
    /// More than the limit.
    TooMany,
}

impl<'a> At<'a> {
    fn query(&self, solver: &mut dyn Solver, goal: &[Expr]) -> Result<Option<Rc<Assignment>>, Reason> {
        let query = Query {
            path: self.path,
            goal,
            hint: self.hint,
        };
        match solver.check(self.arena, &query) {
            Answer::Sat(model) => Ok(Some(model)),
            Answer::Unsat => Ok(None),
            Answer::Unknown(reason) => Err(reason),
        }
    }

    fn eval(&self, e: Expr, model: &Assignment) -> u128 {
        match self.evaluator.try_borrow_mut() {
            Ok(mut evaluator) => evaluator.eval(self.arena, e, model),
            Err(_) => selvedge_expr::eval(self.arena, e, model),
        }
    }

    /// Some model of the path.
    fn model(&self, solver: &mut dyn Solver) -> Result<Rc<Assignment>, Reason> {
        match self.hint {
            Some(hint) => Ok(Rc::new(hint.clone())),
            None => self
                .query(solver, &[])?
                .ok_or(Reason::Contradiction("the path cannot hold")),
        }
    }
}

/// Whether `e`, of width 1, is true for some inputs with which the path holds.
///
/// # Errors
/// The reason if the solver does not decide it; so for all functions here.
pub fn may_be_true(solver: &mut dyn Solver, at: At<'_>, e: Expr) -> Result<bool, Reason> {
    if let Some(value) = at.arena.as_const(e) {
        return Ok(value != 0);
    }
    if at.hint.is_some_and(|hint| at.eval(e, hint) != 0) {
        return Ok(true);
    }
    Ok(at.query(solver, &[e])?.is_some())
}

/// Whether `e`, of width 1, is true for all inputs with which the path holds.
///
/// # Errors
/// As for [`may_be_true`].
pub fn must_be_true(solver: &mut dyn Solver, at: At<'_>, e: Expr) -> Result<bool, Reason> {
    Ok(!may_be_true(solver, at, at.arena.not(e))?)
}

/// The value of `e`, if it has the same one for all inputs with which the path holds.
///
/// # Errors
/// As for [`may_be_true`].
pub fn unique_value(solver: &mut dyn Solver, at: At<'_>, e: Expr) -> Result<Option<u128>, Reason> {
    if let Some(value) = at.arena.as_const(e) {
        return Ok(Some(value));
    }
    let value = at.eval(e, &*at.model(solver)?);
    let same = at
        .arena
        .compare(CmpOp::Eq, e, at.arena.constant(at.arena.width(e), value));
    Ok(must_be_true(solver, at, same)?.then_some(value))
}

/// All values of `e`, if there are at most `limit`: one query for each value, and one more.
///
/// # Errors
/// As for [`may_be_true`].
pub fn values(solver: &mut dyn Solver, at: At<'_>, e: Expr, limit: usize) -> Result<Values, Reason> {
    let arena = at.arena;
    let mut found: Vec<(u128, Rc<Assignment>)> = Vec::new();
    let mut others: Vec<Expr> = Vec::new();
    let mut next = Some(at.model(solver)?);
    while let Some(model) = next {
        if found.len() == limit {
            return Ok(Values::TooMany);
        }
        let value = at.eval(e, &model);
        found.push((value, model));
        others.push(arena.compare(CmpOp::Ne, e, arena.constant(arena.width(e), value)));
        next = at.query(solver, &others)?;
    }
    found.sort_unstable_by_key(|&(value, _)| value);
    Ok(Values::All(found))
}

/// The least value of `e`, as an unsigned number.
///
/// # Errors
/// As for [`may_be_true`].
pub fn min(solver: &mut dyn Solver, at: At<'_>, e: Expr) -> Result<u128, Reason> {
    let arena = at.arena;
    let mut low = arena.range(e).0;
    let mut best = at.eval(e, &*at.model(solver)?);
    // The bound itself first; in most cases it is reached.
    let mut middle = low;
    while low < best {
        let bound = arena.compare(CmpOp::Ule, e, arena.constant(arena.width(e), middle));
        match at.query(solver, &[bound])? {
            Some(model) => best = at.eval(e, &model),
            None => low = middle + 1,
        }
        middle = low + best.saturating_sub(low) / 2;
    }
    Ok(best)
}

/// The greatest value of `e`, as an unsigned number.
///
/// # Errors
/// As for [`may_be_true`].
pub fn max(solver: &mut dyn Solver, at: At<'_>, e: Expr) -> Result<u128, Reason> {
    let width = at.arena.width(e);
    let complement = at.arena.unary(selvedge_expr::UnOp::Not, e);
    let least = min(solver, at, complement)?;
    Ok(u128::MAX >> (128 - u32::from(width)) & !least)
}

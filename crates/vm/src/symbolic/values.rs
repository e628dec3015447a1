//! The values that an expression may have, where one is needed as a number.

use super::decide::Possible;
use super::path::Arm;
use crate::memory::Site;
use crate::vm::Vm;
use selvedge_expr::{Assignment, CmpOp, Expr};
use selvedge_model::{Limit, LimitKind, Notice};
use std::rc::Rc;

/// The maximum number of values of a symbolic value that is needed as a number.
const MOST_VALUES: usize = 256;
/// If there are more, so many of the least ones are explored, another one, and the greatest. The
/// verdict is then unknown. Mistakes often need few elements or few threads.
const LEAST: usize = 6;
/// Values that are further apart than this are not looked for.
const FURTHEST: u128 = 1 << 12;

/// The largest value that is explored as the end of a range: a larger one is nothing that the
/// program has bounded, and an allocation of that size would only be a further limit.
const LARGEST_END: u128 = 1 << 24;

/// An end of the range of values.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum End {
    Least,
    Greatest,
}

impl Vm {
    /// One arm for each value that an expression may have, the least value first, and true if these
    /// are all values. If there are too many, only some, with the least ones and the greatest, and
    /// a notice.
    pub(super) fn values(&mut self, expr: Expr, site: Site) -> (Vec<Arm>, bool) {
        let width = self.state.memory.tags.arena.width(expr);
        let mut found: Vec<(u128, Arm)> = Vec::new();
        let mut possible = Possible::With(self.state.path().model().clone());
        let mut others = self.state.memory.tags.arena.truth(true);
        while let Possible::With(with) = possible {
            let (value, arm) = self.arm_of(expr, with);
            let arena = &self.state.memory.tags.arena;
            others = arena.and(others, arena.not(arm.condition));
            found.push((value, arm));
            if found.len() > MOST_VALUES {
                found.sort_by_key(|(value, _)| *value);
                let greatest = self.at_end(expr, &found, End::Greatest, site);
                let mut some = vec![self.at_end(expr, &found, End::Least, site)];
                while some.len() < LEAST
                    && let Some(next) = self.above(expr, some[some.len() - 1].0, site)
                {
                    some.push(next);
                }
                found.truncate(1);
                found.extend(
                    some.into_iter()
                        .chain([greatest])
                        .filter(|(value, _)| *value <= LARGEST_END),
                );
                found.sort_by_key(|(value, _)| *value);
                found.dedup_by_key(|(value, _)| *value);
                possible = Possible::Unanswered;
                self.state.notify(Notice::Limit(Limit {
                    kind: LimitKind::Values,
                    detail: format!(
                        "a symbolic value of {width} bits that is needed as a number and may be more than {MOST_VALUES} different ones"
                    ),
                    stmt: site.stmt,
                }));
                break;
            }
            possible = self.ask(others, site);
        }
        found.sort_by_key(|(value, _)| *value);
        let arms = found.into_iter().map(|(_, arm)| arm).collect();
        (arms, matches!(possible, Possible::Never))
    }

    /// The value of an expression under a model, and the arm in which it has this value.
    fn arm_of(&mut self, expr: Expr, model: Rc<Assignment>) -> (u128, Arm) {
        let arena = &self.state.memory.tags.arena;
        let value = self.evaluator.eval(arena, expr, &model);
        let width = arena.width(expr);
        let condition = arena.compare(CmpOp::Eq, expr, arena.constant(width, value));
        let name = arena.hash(condition);
        let arm = Arm {
            condition,
            model,
            name,
            fact: Some((expr, value)),
            only: false,
        };
        (value, arm)
    }

    /// The least value above another one, if one is near.
    fn above(&mut self, expr: Expr, value: u128, site: Site) -> Option<(u128, Arm)> {
        let width = self.state.memory.tags.arena.width(expr);
        let greatest = u128::MAX >> (128 - width);
        let mut among = |most: u128| {
            let arena = &self.state.memory.tags.arena;
            let above = arena.compare(CmpOp::Ult, arena.constant(width, value), expr);
            let below = arena.compare(CmpOp::Ule, expr, arena.constant(width, most));
            match self.ask(arena.and(above, below), site) {
                Possible::With(model) => {
                    let (found, arm) = self.arm_of(expr, model);
                    (found > value && found <= most).then_some((found, arm))
                }
                Possible::Never | Possible::Unanswered => None,
            }
        };
        let mut step = 1;
        let mut best = loop {
            let most = value.saturating_add(step).min(greatest);
            match among(most) {
                Some(found) => break found,
                None if step >= FURTHEST || most == greatest => return None,
                None => step *= 2,
            }
        };
        // Nothing is at or below this.
        let mut none = value + step / 2;
        while none + 1 < best.0 {
            let middle = none + (best.0 - none) / 2;
            match among(middle) {
                Some(found) => best = found,
                None => none = middle,
            }
        }
        Some(best)
    }

    /// The least or the greatest value that an expression may have, as far as the solver answers:
    /// by halving the interval between what is possible and the end of all numbers. `found`: some
    /// values, in order.
    fn at_end(&mut self, expr: Expr, found: &[(u128, Arm)], end: End, site: Site) -> (u128, Arm) {
        let width = self.state.memory.tags.arena.width(expr);
        let known = match end {
            End::Least => &found[0],
            End::Greatest => &found[found.len() - 1],
        };
        let (mut best, mut arm) = known.clone();
        let mut bound = match end {
            End::Least => 0,
            End::Greatest => u128::MAX >> (128 - width),
        };
        while bound != best {
            // Rounded towards the bound, so that it comes closer each time.
            let (condition, middle) = match end {
                End::Least => {
                    let middle = bound + (best - bound) / 2;
                    let arena = &self.state.memory.tags.arena;
                    (
                        arena.compare(CmpOp::Ule, expr, arena.constant(width, middle)),
                        middle,
                    )
                }
                End::Greatest => {
                    let middle = bound - (bound - best) / 2;
                    let arena = &self.state.memory.tags.arena;
                    (
                        arena.compare(CmpOp::Ule, arena.constant(width, middle), expr),
                        middle,
                    )
                }
            };
            match (self.ask(condition, site), end) {
                (Possible::With(model), end) => {
                    let (value, of_value) = self.arm_of(expr, model);
                    let is_beyond = match end {
                        End::Least => value <= middle,
                        End::Greatest => value >= middle,
                    };
                    if !is_beyond {
                        // The model does not do what was asked for.
                        self.unknown(site, "an answer of the solver that does not fit its question");
                        break;
                    }
                    (best, arm) = (value, of_value);
                }
                (Possible::Never, End::Least) => bound = middle + 1,
                (Possible::Never, End::Greatest) => bound = middle - 1,
                (Possible::Unanswered, _) => break,
            }
        }
        (best, arm)
    }
}

//! Inputs that are constrained alone: their possible values, as sets of intervals.
//!
//! A program that reads bytes compares most of them with constants. A constraint over one input is
//! turned once into the set of the values that satisfy it (`values`). The path keeps the
//! intersection of these sets for each input. The sets give the exact answer without a search under
//! two conditions: the goal is over one input, and no constraint of the path links that input with
//! others or is over it without having a set. If the sets are disjoint, the goal is refuted in any
//! case.

mod values;

use crate::intervals::Intervals;
use crate::path::Followed;
use crate::{Answer, LayerStatistics, Query, Solver, Statistics};
use selvedge_expr::{Arena, Expr, InputId};
use std::rc::Rc;
use values::Valuation;

pub(crate) struct Domain<S> {
    inner: S,
    followed: Followed,
    valuation: Valuation,
    inputs: Vec<Input>,
    log: Vec<Change>,
    /// Length of the log before each constraint of the path.
    marks: Vec<usize>,
    answered: bool,
    statistics: LayerStatistics,
}

/// What the path says of an input.
#[derive(Clone, Default)]
struct Input {
    /// Values that its own constraints leave; none yet is all.
    values: Option<Rc<Intervals>>,
    /// The number of constraints that the values do not represent: they are over other inputs too,
    /// or have no set.
    others: u32,
}

/// How to go back.
enum Change {
    Values(InputId, Option<Rc<Intervals>>),
    Other(InputId),
}

impl<S: Solver> Domain<S> {
    pub(crate) fn new(inner: S) -> Domain<S> {
        Domain {
            inner,
            followed: Followed::default(),
            valuation: Valuation::default(),
            inputs: Vec::new(),
            log: Vec::new(),
            marks: Vec::new(),
            answered: false,
            statistics: LayerStatistics::new("domain"),
        }
    }

    fn follow(&mut self, arena: &Arena, path: &[Expr]) {
        let (same, new) = self.followed.turn(path);
        if let Some(&mark) = self.marks.get(same) {
            for change in self.log.drain(mark..).rev() {
                match change {
                    Change::Values(input, values) => self.inputs[input.0 as usize].values = values,
                    Change::Other(input) => self.inputs[input.0 as usize].others -= 1,
                }
            }
            self.marks.truncate(same);
        }
        for &e in new {
            self.marks.push(self.log.len());
            self.push(arena, e);
        }
    }

    fn push(&mut self, arena: &Arena, e: Expr) {
        let inputs = arena.inputs_of(e);
        let most = inputs.iter().map(|input| input.0 as usize + 1).max().unwrap_or(0);
        if self.inputs.len() < most {
            self.inputs.resize(most, Input::default());
        }
        if let [input] = inputs[..]
            && let Some(values) = self.valuation.of(arena, e, input)
        {
            let state = &mut self.inputs[input.0 as usize];
            let meet = match &state.values {
                Some(old) => Rc::new(old.intersection(&values)),
                None => values,
            };
            let old = state.values.replace(meet);
            self.log.push(Change::Values(input, old));
            return;
        }
        for &input in inputs.iter() {
            self.inputs[input.0 as usize].others += 1;
            self.log.push(Change::Other(input));
        }
    }

    /// The answer, if the sets tell it.
    fn decide(&mut self, arena: &Arena, query: &Query<'_>) -> Option<Answer> {
        let (&first, rest) = query.goal.split_first()?;
        let inputs = arena.inputs_of(first);
        let [input] = inputs[..] else { return None };
        let mut values = self.valuation.of(arena, first, input)?;
        for &e in rest {
            if arena.inputs_of(e)[..] != [input] {
                return None;
            }
            values = Rc::new(values.intersection(&*self.valuation.of(arena, e, input)?));
        }
        let known = self.inputs.get(input.0 as usize);
        if let Some(path) = known.and_then(|known| known.values.as_ref()) {
            values = Rc::new(values.intersection(path));
        }
        if values.is_empty() {
            return Some(Answer::Unsat);
        }
        if known.is_some_and(|known| known.others > 0) {
            return None;
        }
        let hint = query.hint?;
        let value = values.near(hint.get(input).unwrap_or(0))?;
        let mut model = hint.clone();
        model.set(input, value);
        Some(Answer::Sat(Rc::new(model)))
    }
}

impl<S: Solver> Solver for Domain<S> {
    fn check(&mut self, arena: &Arena, query: &Query<'_>) -> Answer {
        self.statistics.queries += 1;
        self.follow(arena, query.path);
        let answer = self.decide(arena, query);
        self.answered = answer.is_some();
        match answer {
            Some(answer) => self.statistics.answer(answer),
            None => self.inner.check(arena, query),
        }
    }

    fn core(&self) -> &[Expr] {
        if self.answered { &[] } else { self.inner.core() }
    }

    fn statistics(&self) -> Statistics {
        Statistics::above(&self.statistics, self.inner.statistics())
    }
}

//! Decisions on symbolic values: which outcomes are possible, and the data choice between them.
//!
//! The path's model shows one possible outcome without a query. Each other outcome costs one query,
//! and none if it is known already. If the solver gives no answer, the outcome is left out and a
//! notice says so; the verdict is then unknown.

use super::path::{Arm, Begun};
use super::{Operand, binary, shift_in_range};
use crate::arithmetic::partly::{DISTANCE, DIVIDEND};
use crate::code::Op as Code;
use crate::interp::stop::Stop;
use crate::memory::Site;
use crate::native::undefined_fault;
use crate::value::Value;
use crate::vm::Vm;
use selvedge_base::{Digest, Id, ThreadId};
use selvedge_expr::{Assignment, CmpOp, Expr};
use selvedge_ir::FuncId;
use selvedge_model::{Action, Fault, FaultKind, Limit, LimitKind, Notice, ObjectId, Op, Pending, Status};
use selvedge_solver::{Answer, Query, Reason};
use smallvec::SmallVec;
use std::rc::Rc;

/// Whether a condition can hold on the present path.
pub(crate) enum Possible {
    /// It can, with these inputs.
    With(Rc<Assignment>),
    /// It cannot.
    Never,
    /// The solver gave no answer; there is a notice.
    Unanswered,
}

impl Vm {
    /// Whether a condition can hold on the present path, and inputs for which it holds.
    pub(crate) fn ask(&mut self, condition: Expr, site: Site) -> Possible {
        let path = &self.state.path();
        let query = Query {
            path: path.constraints(),
            goal: &[condition],
            hint: Some(path.model().as_ref()),
        };
        let options = &self.program.solver_options;
        match self.solver.check(options, &self.state.memory.tags.arena, &query) {
            Answer::Sat(model) => Possible::With(model),
            Answer::Unsat => Possible::Never,
            Answer::Unknown(reason) => {
                self.state.notify(Notice::Limit(match reason {
                    Reason::Stopped => Limit::stopped(site.stmt),
                    reason => Limit {
                        kind: LimitKind::Solver,
                        detail: format!("a solver query without an answer: {reason}"),
                        stmt: site.stmt,
                    },
                }));
                Possible::Unanswered
            }
        }
    }

    /// The value of an expression with the inputs of the path's model.
    pub(crate) fn evaluate(&mut self, expr: Expr) -> u128 {
        let arena = &self.state.memory.tags.arena;
        self.evaluator.eval(arena, expr, self.state.path().model())
    }

    /// Decides which of several conditions holds; exactly one does. If several can hold, the thread
    /// stops before its present instruction, which is executed again after one was chosen.
    ///
    /// In a canonical machine the thread stops whenever it does not know the outcome itself, even
    /// if only one outcome is possible because of decisions by other threads.
    pub(crate) fn split(
        &mut self,
        thread: ThreadId,
        site: Site,
        performing: bool,
        conditions: &[Expr],
    ) -> Result<usize, Stop> {
        let arena = &self.state.memory.tags.arena;
        let names = conditions.iter().map(|&c| arena.hash(c)).collect();
        self.split_named(thread, site, performing, conditions, names)
    }

    /// Like [`split`](Self::split), with names for the outcomes. For conditions that depend on what
    /// is possible on this path.
    pub(crate) fn split_named(
        &mut self,
        thread: ThreadId,
        site: Site,
        performing: bool,
        conditions: &[Expr],
        names: SmallVec<[Digest; 4]>,
    ) -> Result<usize, Stop> {
        let arena = &self.state.memory.tags.arena;
        let mut open = 0;
        for (i, &condition) in conditions.iter().enumerate() {
            let constant = arena.as_const(condition);
            match constant.or_else(|| self.state.known(thread, condition)) {
                Some(0) => {}
                Some(_) => return Ok(i),
                None => open += 1,
            }
        }
        let mut holding = None;
        for (i, &condition) in conditions.iter().enumerate() {
            if holding.is_none() && self.evaluate(condition) == 1 {
                holding = Some(i);
            }
        }
        let Some(holding) = holding else {
            // There are fewer outcomes than expected: what decides would not be part of the path.
            return Err(self.unknown(site, "a decision without an outcome"));
        };
        let arm = |i: usize, model| Arm {
            condition: conditions[i],
            model,
            name: names[i],
            fact: None,
            only: false,
        };
        if open > 2 {
            // One query may be enough for all other outcomes.
            let other = self.state.memory.tags.arena.not(conditions[holding]);
            if matches!(self.ask(other, site), Possible::Never) {
                let only = arm(holding, self.state.path().model().clone());
                self.only(thread, site, performing, only, true)?;
                return Ok(holding);
            }
        }
        let (mut arms, mut complete) = (Vec::new(), true);
        for (i, &condition) in conditions.iter().enumerate() {
            let arena = &self.state.memory.tags.arena;
            let excluded = arena.is_false(condition) || self.state.known(thread, condition) == Some(0);
            let possible = if i == holding {
                Possible::With(self.state.path().model().clone())
            } else if excluded {
                Possible::Never
            } else {
                self.ask(condition, site)
            };
            match possible {
                Possible::With(model) => arms.push(arm(i, model)),
                Possible::Never => {}
                Possible::Unanswered => complete = false,
            }
        }
        if arms.len() > 1 {
            return Err(self.choose_from(thread, site, performing, arms));
        }
        let only = arm(holding, self.state.path().model().clone());
        self.only(thread, site, performing, only, complete)?;
        Ok(holding)
    }

    /// Continues with the only outcome. Either the path implies it, or (if not `complete`) the
    /// other outcomes are left out.
    fn only(
        &mut self,
        thread: ThreadId,
        site: Site,
        performing: bool,
        arm: Arm,
        complete: bool,
    ) -> Result<(), Stop> {
        let arm = Arm {
            only: complete,
            ..arm
        };
        if self.state.decides_alone() {
            return Err(self.choose_from(thread, site, performing, vec![arm]));
        }
        if complete {
            self.state.learn(thread, arm.condition, 1);
            if let Some((expr, value)) = arm.fact {
                self.state.learn(thread, expr, value);
            }
        } else {
            self.state.constrain(thread, &arm);
        }
        Ok(())
    }

    /// Stops before the present instruction at a data choice.
    fn choose_from(&mut self, thread: ThreadId, site: Site, performing: bool, arms: Vec<Arm>) -> Stop {
        self.solver.branches += u64::from(arms.len() > 1);
        let in_block = self.state.thread(thread).core.atomic != 0;
        let begun = (performing || in_block).then(|| Begun {
            action: self.state.pending()[thread.index()].action,
            alternative: self.alternative,
            undone: performing,
        });
        self.state.choose_from(thread, arms.into(), begun);
        // If an action is being performed, it is executed again after the choice.
        self.state.own_core(thread).before = !performing;
        Stop::Visible(Action {
            stmt: site.stmt,
            ..Action::new(thread, Op::Choose)
        })
    }

    /// Takes an alternative of a thread's pending data choice.
    pub(crate) fn choose(&mut self, thread: ThreadId, alternative: u16) {
        if let Some(arm) = self
            .state
            .path()
            .arms(thread)
            .get(usize::from(alternative))
            .cloned()
        {
            self.state.constrain(thread, &arm);
        }
    }

    /// The name of the decision that an alternative of a thread's pending data choice makes.
    pub(crate) fn arm_name(&self, thread: ThreadId, alternative: u16) -> Option<u128> {
        let arm = self.state.path().arms(thread).get(usize::from(alternative))?;
        let [low, high] = arm.name.words();
        Some((u128::from(high) << 64 | u128::from(low)).max(1))
    }

    /// Updates which outcomes of other threads' pending data choices are possible, after the path
    /// has got another condition.
    pub(crate) fn recheck_choices(&mut self, acting: ThreadId) {
        for i in 0..self.state.pending().len() {
            let thread = ThreadId::from_index(i);
            let Pending { action, status, .. } = self.state.pending()[i];
            if thread == acting || action.op != Op::Choose || status != Status::Enabled {
                continue;
            }
            let site = Site {
                stmt: action.stmt,
                ..Site::default()
            };
            let mut arms = Vec::new();
            for arm in self.state.path().arms(thread).to_vec() {
                let possible = if self.evaluate(arm.condition) == 1 {
                    Possible::With(self.state.path().model().clone())
                } else {
                    self.ask(arm.condition, site)
                };
                if let Possible::With(model) = possible {
                    arms.push(Arm {
                        model,
                        only: false,
                        ..arm
                    });
                }
            }
            let alternatives = arms.len() as u16;
            let begun = self.state.path().begun(thread);
            self.state.choose_from(thread, arms.into(), begun);
            let status = if alternatives > 0 {
                Status::Enabled
            } else {
                Status::Parked
            };
            self.state.set_pending(
                thread,
                Pending {
                    action,
                    status,
                    alternatives,
                },
            );
        }
    }

    /// Decides whether a truth value holds: its lowest bit.
    pub(crate) fn decide(
        &mut self,
        thread: ThreadId,
        site: Site,
        performing: bool,
        value: Value,
        what: &str,
    ) -> Result<bool, Stop> {
        if value.is_concrete() {
            return Ok(value.bits & 1 != 0);
        }
        let tags = &self.state.memory.tags;
        match tags.symbol(value.tag) {
            Some(symbol) if symbol.undefined & 1 == 0 => {
                let yes = tags.fit(symbol.expr, 1);
                let no = tags.arena.not(yes);
                Ok(self.split(thread, site, performing, &[yes, no])? == 0)
            }
            None if self.has_truth(value) => Ok(value.bits & 1 != 0),
            _ => Err(self.undefined(value, what, site)),
        }
    }

    /// Decides the number that a value is. If there are several possible numbers, the thread stops
    /// at a choice between them.
    pub(crate) fn settle(
        &mut self,
        thread: ThreadId,
        site: Site,
        performing: bool,
        value: Value,
        what: &str,
    ) -> Result<u64, Stop> {
        if value.is_concrete() {
            return Ok(value.bits);
        }
        let expr = match self.state.memory.tags.symbol(value.tag) {
            Some(symbol) if symbol.undefined == 0 => symbol.expr,
            _ => return Err(self.undefined(value, what, site)),
        };
        if let Some(bits) = self.state.known(thread, expr) {
            return Ok(bits as u64);
        }
        let (mut arms, complete) = self.values(expr, site);
        if arms.len() > 1 {
            return Err(self.choose_from(thread, site, performing, arms));
        }
        let value = self.evaluate(expr);
        if let Some(arm) = arms.pop() {
            self.only(thread, site, performing, arm, complete)?;
        }
        Ok(value as u64)
    }

    /// True if a condition has a truth value: it is neither undefined nor poison.
    pub(crate) fn has_truth(&self, condition: Value) -> bool {
        match self.state.memory.tags.symbol(condition.tag) {
            Some(symbol) => symbol.undefined & 1 == 0,
            None => condition.is_concrete() || self.state.memory.tags.undefined_bits(condition.tag) & 1 == 0,
        }
    }

    /// The result of a select whose condition is neither true nor false: poison if the condition is
    /// poison; otherwise one of the two values, so only the bits in which both agree are defined.
    /// This is no fault yet, because an optimiser makes such selects where it drops the result.
    pub(crate) fn join(&self, condition: Value, yes: Value, no: Value) -> Value {
        let tags = &self.state.memory.tags;
        if condition.tag.as_poison().is_some() {
            return condition;
        }
        let plain = |v: Value| !v.is_symbolic() && v.tag.as_poison().is_none();
        if yes == no {
            yes
        } else if plain(yes) && plain(no) {
            let undefined = tags.undefined_bits(yes.tag) | tags.undefined_bits(no.tag);
            tags.value(yes.bits, undefined | (yes.bits ^ no.bits))
        } else {
            Value::UNDEF
        }
    }

    /// The result of a select. Plain data become one expression; a value that may be an address
    /// stays one of the two.
    pub(crate) fn select(
        &mut self,
        thread: ThreadId,
        site: Site,
        performing: bool,
        condition: Value,
        yes: Value,
        no: Value,
    ) -> Result<Value, Stop> {
        if !self.has_truth(condition) {
            return Ok(self.join(condition, yes, no));
        }
        let tags = &self.state.memory.tags;
        let plain = |v: Value| match tags.symbol(v.tag) {
            Some(symbol) => symbol.undefined == 0 && symbol.home == 0,
            None => v.is_concrete() && v.bits >> 46 != 1,
        };
        if let Some(symbol) = tags.symbol(condition.tag)
            && symbol.undefined & 1 == 0
            && plain(yes)
            && plain(no)
        {
            let condition = tags.fit(symbol.expr, 1);
            if let Some(holds) = self.state.of_clocks(condition) {
                return Ok(if holds == 1 { yes } else { no });
            }
            return Ok(tags.of(tags.arena.ite(condition, tags.expr(yes, 64), tags.expr(no, 64))));
        }
        let holds = self.decide(thread, site, performing, condition, "the condition")?;
        Ok(if holds { yes } else { no })
    }

    /// A value that leads to the target of a switch: its own value, or another one with the same
    /// target. `cases`: the function and the number of the table; none for a computed goto.
    pub(crate) fn switch_value(
        &mut self,
        thread: ThreadId,
        site: Site,
        performing: bool,
        value: Value,
        cases: Option<(FuncId, u16)>,
    ) -> Result<u64, Stop> {
        let what = "a switch's value";
        let expr = match self.state.memory.tags.symbol(value.tag) {
            Some(symbol) if symbol.undefined == 0 => symbol.expr,
            _ => return Err(self.undefined(value, what, site)),
        };
        let Some((func, table)) = cases else {
            return self.settle(thread, site, performing, value, what);
        };
        let program = self.program.clone();
        let table = &program.code[func.index()].switches[usize::from(table)];
        let arena = &self.state.memory.tags.arena;
        let width = arena.width(expr);
        // One outcome for each target, in the order of first cases.
        let mut targets: Vec<(u32, u64, Expr)> = Vec::new();
        for &(case, target) in &table.cases {
            if width < 64 && case >> width != 0 {
                continue;
            }
            let is = arena.compare(CmpOp::Eq, expr, arena.constant(width, u128::from(case)));
            if target == table.default {
                continue;
            }
            match targets.iter_mut().find(|t| t.0 == target) {
                Some(known) => known.2 = arena.or(known.2, is),
                None => targets.push((target, case, is)),
            }
        }
        let elsewhere = targets
            .iter()
            .fold(arena.truth(true), |all, t| arena.and(all, arena.not(t.2)));
        let mut conditions: Vec<Expr> = targets.iter().map(|t| t.2).collect();
        conditions.push(elsewhere);
        let outcome = self.split(thread, site, performing, &conditions)?;
        match targets.get(outcome) {
            Some(&(_, case, _)) => Ok(case),
            // Any value without a case, or with the same target as such a value.
            None => Ok(self.evaluate(expr) as u64),
        }
    }

    /// A quotient or remainder of which an operand is symbolic.
    #[allow(clippy::too_many_arguments)]
    pub(crate) fn divide(
        &mut self,
        thread: ThreadId,
        site: Site,
        performing: bool,
        op: Code,
        width: u8,
        x: Value,
        y: Value,
    ) -> Result<Value, Stop> {
        let tags = &self.state.memory.tags;
        if y.tag.as_poison().is_some() || Operand::new(tags, y, width).undefined != 0 {
            return Err(self.undefined(
                if y.is_symbolic() { Value::UNDEF } else { y },
                "the divisor",
                site,
            ));
        }
        let signed = matches!(op, Code::SDiv | Code::SRem);
        let unknown = x.tag.as_poison().is_some() || Operand::new(tags, x, width).undefined != 0;
        let (a, b) = (tags.expr(x, width), tags.expr(y, width));
        if signed && unknown {
            self.divide_undefined(thread, site, performing, x, b)?;
        }
        self.check_divisor(thread, site, performing, signed, a, b)?;
        Ok(binary(&self.state.memory.tags, op, width, x, y))
    }

    /// Splits off division by zero and the one signed quotient that does not fit. These outcomes
    /// are faults.
    pub(crate) fn check_divisor(
        &mut self,
        thread: ThreadId,
        site: Site,
        performing: bool,
        signed: bool,
        a: Expr,
        b: Expr,
    ) -> Result<(), Stop> {
        let arena = &self.state.memory.tags.arena;
        let width = arena.width(b);
        let zero = arena.compare(CmpOp::Eq, b, arena.constant(width, 0));
        let mut overflow = arena.truth(false);
        if signed {
            let least = arena.constant(width, 1 << (width - 1));
            let minus_one = arena.constant(width, u128::MAX >> (128 - u32::from(width)));
            overflow = arena.and(
                arena.compare(CmpOp::Eq, a, least),
                arena.compare(CmpOp::Eq, b, minus_one),
            );
            if width == 1 {
                overflow = arena.and(overflow, arena.not(zero));
            }
        }
        let fine = arena.and(arena.not(zero), arena.not(overflow));
        let (kind, message) = match self.split(thread, site, performing, &[fine, zero, overflow])? {
            0 => return Ok(()),
            1 => (FaultKind::DivisionByZero, "division by zero"),
            _ => (
                self.program.options.division_overflow(),
                "division of the least integer by -1 overflows",
            ),
        };
        Err(self.arithmetic_fault(kind, message, site))
    }

    /// Splits off the division of an undefined number by -1, which may be the one that does not
    /// fit. This outcome is a fault.
    pub(crate) fn divide_undefined(
        &mut self,
        thread: ThreadId,
        site: Site,
        performing: bool,
        dividend: Value,
        divisor: Expr,
    ) -> Result<(), Stop> {
        let arena = &self.state.memory.tags.arena;
        let width = arena.width(divisor);
        let minus_one = arena.constant(width, u128::MAX >> (128 - u32::from(width)));
        let is_minus_one = arena.compare(CmpOp::Eq, divisor, minus_one);
        let fine = arena.not(is_minus_one);
        match self.split(thread, site, performing, &[fine, is_minus_one])? {
            0 => Ok(()),
            _ if dividend.tag.as_poison().is_some() => Err(self.undefined(dividend, DIVIDEND, site)),
            _ => Err(self.undefined(Value::UNDEF, DIVIDEND, site)),
        }
    }

    /// Splits off a shift amount that is too large. This outcome is a fault.
    pub(crate) fn shift_by(
        &mut self,
        thread: ThreadId,
        site: Site,
        performing: bool,
        width: u8,
        by: Value,
    ) -> Result<(), Stop> {
        let tags = &self.state.memory.tags;
        if Operand::new(tags, by, width).undefined != 0 {
            return Err(self.undefined(Value::UNDEF, DISTANCE, site));
        }
        let fine = shift_in_range(tags, width, by);
        let beyond = tags.arena.not(fine);
        if self.split(thread, site, performing, &[fine, beyond])? == 0 {
            return Ok(());
        }
        let text = format!("shift of a {width}-bit value by as many bits or more");
        Err(self.arithmetic_fault(FaultKind::ShiftOutOfRange, &text, site))
    }

    pub(crate) fn arithmetic_fault(&mut self, kind: FaultKind, message: &str, site: Site) -> Stop {
        self.report_fault(Fault {
            kind,
            message: message.to_owned(),
            stmt: site.stmt,
            context: site.context,
            related: Vec::new(),
            object: ObjectId::NONE,
        });
        Stop::Parked
    }

    /// Reports the use of an undefined value; the thread is parked.
    pub(crate) fn undefined(&mut self, value: Value, what: &str, site: Site) -> Stop {
        self.report_fault(undefined_fault(value, what, site));
        Stop::Parked
    }

    /// Reports that the machine cannot go on; the thread is parked.
    pub(crate) fn unknown(&mut self, site: Site, what: &str) -> Stop {
        self.state
            .notify(Notice::Unsupported(selvedge_model::Unsupported {
                what: what.to_owned(),
                stmt: site.stmt,
            }));
        Stop::Parked
    }
}

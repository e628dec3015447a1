//! Inputs of toys: numbers that a data choice decides. The choice is made by the first thread that
//! has to know the input.
//!
//! A register or variable that holds an input holds its name. Each thread's knowledge of an input
//! is stored separately, so that the change that an event makes depends on the event alone. The
//! value of an input follows from the knowledge of any thread. As in the machine for programs, a
//! thread decides for itself what another thread has decided already, with one alternative. Or it
//! needs no choice then, if the number of executions has to be small; see
//! [`ToyMachine::with_known_inputs`].
//!
//! If the choice belongs to a visible operation, the operation is *incomplete* until the choice is
//! taken. In an atomic block, the part before the choice has already been executed.

use super::compile::{Code, Slot, UNKNOWN, Value};
use super::machine::{ASKING, IN_BLOCK, INCOMPLETE, PARKED, Passed, RUN, ToyMachine};
use crate::{Action, Choice, Outcome};
use selvedge_base::{Id, ThreadId};

/// The name of input 0; the names of the others follow above. No toy counts so far down.
const FIRST: i32 = i32::MIN;

impl ToyMachine {
    /// The same toy, in which all threads know what one thread has decided about an input.
    #[must_use]
    pub fn with_known_inputs(mut self) -> ToyMachine {
        self.alone = false;
        self.refresh();
        self
    }

    /// The number of the input whose name a value is.
    fn input(&self, value: i32) -> Option<usize> {
        let input = value.wrapping_sub(FIRST) as u32 as usize;
        (input < self.toy.inputs.len()).then_some(input)
    }

    /// The slot for a thread's knowledge of an input.
    fn knowledge(&self, t: usize, input: usize) -> Slot {
        self.toy.known[input] + t as Slot
    }

    /// The value of an input, if any thread knows it.
    fn decided(&self, input: usize) -> Option<i32> {
        let threads = 0..self.toy.code.len();
        let mut known = threads.map(|t| self.get(self.knowledge(t, input)));
        known.find(|&value| value != UNKNOWN)
    }

    /// A value, as far as a thread knows it.
    ///
    /// # Errors
    /// The input that it has to decide.
    fn resolve(&self, t: usize, value: i32) -> Result<i32, usize> {
        let Some(input) = self.input(value) else {
            return Ok(value);
        };
        let own = self.get(self.knowledge(t, input));
        let known = match (own, self.alone) {
            (UNKNOWN, false) => self.decided(input),
            (UNKNOWN, true) => None,
            (known, _) => Some(known),
        };
        known.ok_or(input)
    }

    /// A value at the end of an execution.
    pub(super) fn shown(&self, value: i32) -> i32 {
        let decided = self.input(value).and_then(|input| self.decided(input));
        decided.unwrap_or(value)
    }

    /// The value of a slot, as far as the thread knows it; otherwise the input's name.
    pub(super) fn known(&self, t: usize, slot: Slot) -> i32 {
        let value = self.get(slot);
        self.resolve(t, value).unwrap_or(value)
    }

    /// An operand, as far as the thread knows it; otherwise the input's name.
    pub(super) fn operand(&self, t: usize, operand: Value) -> i32 {
        match operand {
            Value::Number(n) => n,
            Value::Register(slot) => self.known(t, slot),
        }
    }

    /// True if a variable equals an operand; `None` if this has to be decided.
    pub(super) fn are_equal(&self, t: usize, x: Slot, operand: Value) -> Option<bool> {
        let (one, other) = (self.known(t, x), self.operand(t, operand));
        let both = self.input(one).is_none() && self.input(other).is_none();
        (both || one == other).then_some(one == other)
    }

    /// The input that a thread has to decide before an operation.
    pub(super) fn asks(&self, t: usize, code: Code) -> Option<usize> {
        let value = match code {
            Code::If(r, ..) | Code::Assert(r, _) | Code::Assume(r, _) => Value::Register(r),
            Code::Write(_, v) | Code::Add(_, v, _) | Code::Cas(_, _, v, _) | Code::Send(_, v, _)
                if !self.toy.shares =>
            {
                v
            }
            _ => return None,
        };
        self.input(self.operand(t, value))
    }

    /// The input that a thread has to decide within an operation.
    pub(super) fn needs(&self, t: usize, code: Code) -> Option<usize> {
        let values = match code {
            Code::Cas(x, expected, ..) if self.are_equal(t, x, expected).is_none() => {
                [self.known(t, x), self.operand(t, expected)]
            }
            Code::Add(x, v, _) => [self.known(t, x), self.operand(t, v)],
            _ => return None,
        };
        values.into_iter().find_map(|value| self.input(value))
    }

    /// The number of alternatives, if a thread's pending action is a data choice on an input, or
    /// one within an atomic block; otherwise `None`.
    pub(super) fn decision_pending(&self, t: usize) -> Option<u16> {
        if !matches!(self.phase(t), ASKING | INCOMPLETE | IN_BLOCK) {
            return None;
        }
        let code = self.code(t, self.pc(t));
        match (self.undecided(t), code) {
            (Some(input), _) => Some(match self.decided(input) {
                Some(_) => 1,
                None => self.toy.inputs[input],
            }),
            (None, Code::Choose(k, _)) => Some(k),
            // Other threads have decided it meanwhile, and all threads know it.
            (None, _) => Some(1),
        }
    }

    fn undecided(&self, t: usize) -> Option<usize> {
        let code = self.code(t, self.pc(t));
        self.asks(t, code).or_else(|| self.needs(t, code))
    }

    /// The value that an alternative of a data choice decides.
    pub(super) fn chosen(&self, t: usize, alternative: u16) -> i32 {
        let decided = self.undecided(t).and_then(|input| self.decided(input));
        decided.unwrap_or(i32::from(alternative))
    }

    /// Takes such a data choice. Returns the action that continues, and its outcome.
    pub(super) fn decide(&mut self, t: usize, action: &Action, choice: Choice) -> (Action, Outcome) {
        let (pc, value) = (self.pc(t), self.chosen(t, choice.alternative));
        let mut next = pc;
        match (self.undecided(t), self.code(t, pc)) {
            (Some(input), _) => self.set(self.knowledge(t, input), value),
            (None, Code::Choose(_, r)) => {
                self.set(r, value);
                next += 1;
            }
            (None, _) => {}
        }
        let begun = self.begun_at(t, choice.thread);
        match self.phase(t) {
            INCOMPLETE => {
                let begun = begun.unwrap_or(*action);
                self.stand(t, pc, RUN);
                (begun, self.perform(t, begun.op, 0))
            }
            IN_BLOCK => {
                self.run_block_from(t, pc, next);
                (begun.unwrap_or(*action), Outcome::Done)
            }
            _ => {
                self.settle(t, pc);
                (*action, Outcome::Value(value as u16))
            }
        }
    }

    /// The action that a thread has begun and not completed.
    pub(super) fn begun_at(&self, t: usize, id: ThreadId) -> Option<Action> {
        let pc = match self.phase(t) {
            INCOMPLETE => self.pc(t),
            IN_BLOCK => self.block(t, self.pc(t))?.0,
            _ => return None,
        };
        Some(self.visible(t, id, pc, RUN).action)
    }

    /// Requests an input, which no thread knows.
    pub(super) fn ask_for(&mut self, t: usize, input: u32, r: Slot) {
        self.set(r, FIRST + input as i32);
        self.set(self.knowledge(t, input as usize), UNKNOWN);
    }

    /// The beginning of the block around an operation, and the operation after the block.
    fn block(&self, t: usize, pc: i32) -> Option<(i32, i32)> {
        let block = *self.toy.blocks[t].get(pc as usize)?;
        block.map(|(start, end)| (start as i32, end as i32))
    }

    /// Runs an atomic block from its first operation on.
    pub(super) fn run_block(&mut self, t: usize, pc: i32) {
        self.run_block_from(t, pc - 1, pc);
    }

    /// Runs the rest of the block around `inside` from `pc` on, or up to a data choice.
    fn run_block_from(&mut self, t: usize, inside: i32, mut pc: i32) {
        let (start, end) = self.block(t, inside).unwrap_or((pc, pc));
        for steps in 0.. {
            if pc <= start || pc >= end {
                return self.settle(t, pc);
            }
            let code = self.code(t, pc);
            let decides = self.asks(t, code).or_else(|| self.needs(t, code)).is_some();
            if decides || matches!(code, Code::Choose(..)) {
                return self.stand(t, pc, IN_BLOCK);
            }
            match self.pass(t, pc) {
                Passed::Next(next) => pc = next,
                Passed::Parked => return self.stand(t, pc, PARKED),
                Passed::Visible => {
                    self.stand(t, pc, RUN);
                    let op = self.visible(t, ThreadId::from_index(0), pc, RUN).action.op;
                    self.act(t, op, 0);
                    pc += 1;
                }
            }
            if steps == 1000 {
                self.loops(t, pc);
                return self.stand(t, pc, PARKED);
            }
        }
    }
}

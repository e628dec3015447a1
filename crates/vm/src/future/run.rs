//! Follows what threads may do, from where they stand: an abstract interpretation of register code.
//!
//! As long as each branch is decided, one instruction comes after the other, so that loops with
//! known bounds are followed round by round. From the first branch that is not, values are joined
//! where ways meet, and widened where that does not end.

use super::instructions::{Registers, Way, set_results};
use super::shared::Shared;
use super::value::Abstract;
use crate::program::Binding;
use crate::thread::{NO_CALL, Stage};
use crate::value::Value;
use crate::vm::Vm;
use crate::word::WordKey;
use rustc_hash::FxHashMap;
use selvedge_base::{Id, ThreadId};
use selvedge_ir::FuncId;
use selvedge_model::Op;
use std::collections::VecDeque;

/// Instructions that are followed for one question, at most.
const FUEL: u32 = 8_000;
/// Instructions of which each is decided, at most: what goes on longer may have no end.
const LONGEST: u32 = 1_000;
/// Calls within calls, at most.
const DEEPEST: u32 = 24;
/// Rounds until what is stored and what is loaded agree, at most.
const MOST_ROUNDS: u32 = 12;
/// After so many values have met at a place, they are widened.
const PATIENCE: u32 = 3;

/// How far elements of arrays are told apart.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Elements {
    /// All elements of an array are one.
    Together,
    /// By index.
    #[default]
    Apart,
}

/// What is returned, a word each; `None`: nothing ever is.
pub(super) type Returned = Option<Vec<Abstract>>;

/// Following all threads but one.
pub(super) struct Run<'a> {
    pub(super) vm: &'a Vm,
    /// The thread that does not move.
    pub(super) still: ThreadId,
    pub(super) elements: Elements,
    pub(super) shared: Shared,
    /// Locks that nobody takes since the thread that stands still holds them.
    pub(super) relied: Vec<u64>,
    /// Whose code is followed; `None`: of a thread that does not exist yet.
    pub(super) who: Option<ThreadId>,
    /// How many instructions may still be followed.
    pub(super) fuel: u32,
    depth: u32,
    known: FxHashMap<(Option<ThreadId>, FuncId, Vec<Abstract>), Returned>,
}

impl<'a> Run<'a> {
    /// What all other threads may do before a thread moves, `None`: anything; and how many
    /// instructions were followed.
    pub(super) fn of(vm: &'a Vm, still: ThreadId, elements: Elements) -> (Option<Shared>, u32) {
        let mut run = Run {
            vm,
            still,
            elements,
            shared: Shared::default(),
            relied: Vec::new(),
            who: None,
            fuel: FUEL,
            depth: 0,
            known: FxHashMap::default(),
        };
        let known = run.follow();
        let followed = FUEL - run.fuel;
        (known.then_some(run.shared), followed)
    }

    /// Follows all threads until nothing is added; whether anything is known then.
    fn follow(&mut self) -> bool {
        for _ in 0..MOST_ROUNDS {
            self.shared.begin_round();
            self.relied.clear();
            self.known.clear();
            self.all_threads();
            if self.shared.is_wild() {
                return false;
            }
            if !self.shared.stale {
                return !self.changes_locks();
            }
        }
        false
    }

    /// Whether a lock that is relied upon may become another object.
    fn changes_locks(&self) -> bool {
        let mut writes = self.shared.touches.iter().filter(|t| t.write && !t.sync);
        writes.any(|touch| self.relied.iter().any(|&lock| touch.meets(lock, 1)))
    }

    fn all_threads(&mut self) {
        for index in 0..self.vm.state.threads().len() {
            let thread = ThreadId::from_index(index);
            if thread != self.still && !self.shared.is_wild() {
                self.thread(thread);
            }
        }
    }

    /// From here on nothing is known.
    pub(super) fn everything(&mut self) {
        self.shared.write_anything();
    }

    /// What a thread may do from where it stands.
    fn thread(&mut self, thread: ThreadId) {
        let t = self.vm.state.thread(thread);
        match t.core.stage {
            Stage::Finished | Stage::Parked => return,
            Stage::Exiting => return self.everything(),
            Stage::Created | Stage::Running | Stage::Unwinding => {}
        }
        if t.core.atomic != 0 || t.core.stage == Stage::Unwinding && t.core.depth > 0 {
            return self.everything();
        }
        self.who = Some(thread);
        // What a thread holds changes when the thread ends: a robust mutex, what is set up once.
        for held in &t.held {
            self.uses(Abstract::one(held.object.0));
        }
        // They end with the thread.
        let errno = (t.core.errno != 0).then_some(t.core.errno);
        for base in t.tls.iter().copied().chain(errno) {
            self.writes_object(Abstract::one(base));
        }
        if t.core.stage == Stage::Created {
            return match self.vm.program.function_at(t.start.0) {
                Some(start) if thread.index() != 0 => {
                    let argument = self.value(t.start.1);
                    self.enter(start, &[argument]);
                    if self.vm.state.word(WordKey::CxxState(thread)) != 0 {
                        self.everything();
                    }
                }
                _ => self.everything(),
            };
        }
        if t.core.stage == Stage::Unwinding {
            if self.vm.state.pending()[thread.index()].action.op != Op::Exit {
                self.everything();
            }
            return; // all that is left is its end
        }
        if self.waits_for_still(thread) {
            return;
        }
        let depth = t.core.depth as usize;
        let mut returned: Option<(u32, Vec<Abstract>)> = None;
        for index in (0..depth).rev() {
            let frame = t.frame(index);
            let code = &self.vm.program.code[frame.func.index()];
            let slots = &t.regs[frame.base as usize..][..code.slots as usize];
            let mut registers: Registers = slots.iter().map(|&value| self.value(value)).collect();
            if let Some((call, values)) = returned {
                set_results(&mut registers, &code.calls[call as usize], &values);
            }
            let Some(values) = self.function(frame.func, frame.ip, registers) else {
                return;
            };
            let last = match index + 1 < depth {
                true => t.frame(index + 1).locals as usize,
                false => t.locals.len(),
            };
            for &base in &t.locals[frame.locals as usize..last] {
                self.writes_object(Abstract::one(base));
            }
            if frame.call == NO_CALL && index > 0 {
                return self.everything(); // a function that a model has called
            }
            returned = Some((frame.call, values));
        }
        // The process exits, or what a thread of C++ has run is deleted.
        if thread.index() == 0 || self.vm.state.word(WordKey::CxxState(thread)) != 0 {
            self.everything();
        }
    }

    /// Whether a thread is within a wait on a condition variable, and comes back from it only with
    /// a mutex that the thread that stands still holds. Before it has begun to wait, the thread may
    /// be refused and go on.
    fn waits_for_still(&mut self, thread: ThreadId) -> bool {
        let action = &self.vm.state.pending()[thread.index()].action;
        if !matches!(action.op, Op::WaitAcquire | Op::WaitTimeout) {
            return false;
        }
        let (cond, mutex) = (Abstract::one(action.object.0), Abstract::one(action.object2.0));
        self.uses(cond);
        self.uses(mutex);
        self.is_held(mutex, false)
    }

    /// A thread starts with a function.
    pub(super) fn starts(&mut self, start: FuncId, argument: Abstract) {
        let who = self.who.take();
        self.enter(start, &[argument]);
        self.who = who;
    }

    /// The value of a register.
    fn value(&self, value: Value) -> Abstract {
        if value.is_concrete() {
            Abstract::one(value.bits)
        } else {
            Abstract::Any
        }
    }

    /// Calls a function that has code, or may have.
    pub(super) fn enter(&mut self, func: FuncId, args: &[Abstract]) -> Returned {
        let program = &self.vm.program;
        let func = match program.bindings[func.index()] {
            Binding::Code => func,
            Binding::Other(other) => other,
            Binding::Native(_) | Binding::Missing => {
                self.everything();
                return None;
            }
        };
        let code = &program.code[func.index()];
        if program.atomic[func.index()] || code.varargs || !code.landings.is_empty() || self.depth >= DEEPEST
        {
            self.everything();
            return None;
        }
        let key = (self.who, func, args.to_vec());
        if let Some(known) = self.known.get(&key) {
            return known.clone();
        }
        let mut registers = vec![Abstract::Any; code.slots as usize];
        for (&slot, &arg) in code.params.iter().zip(args) {
            registers[slot as usize] = arg;
        }
        self.depth += 1;
        let returned = self.function(func, 0, registers);
        self.depth -= 1;
        self.known.insert(key, returned.clone());
        returned
    }

    /// Follows a function from an instruction to its returns.
    fn function(&mut self, func: FuncId, ip: u32, registers: Registers) -> Returned {
        let vm = self.vm;
        let code = &vm.program.code[func.index()];
        let (mut registers, mut ip, begun) = (registers, ip, self.fuel);
        let first = loop {
            match self.line(code, ip, &mut registers) {
                Way::Next(next) if begun - self.fuel > LONGEST => break vec![(next, registers)],
                Way::Next(next) => ip = next,
                Way::Return(values) => return Some(values),
                Way::Ends => return None,
                Way::Fork(ways) => break ways,
            }
        };
        let mut blocks: FxHashMap<u32, (Registers, u32)> = FxHashMap::default();
        let mut queue = VecDeque::new();
        let mut returned: Returned = None;
        for (at, registers) in first {
            self.meet(&mut blocks, &mut queue, at, registers);
        }
        while let Some(at) = queue.pop_front() {
            let mut registers = blocks[&at].0.clone();
            match self.line(code, at, &mut registers) {
                Way::Next(next) => self.meet(&mut blocks, &mut queue, next, registers),
                Way::Fork(ways) => {
                    for (at, registers) in ways {
                        self.meet(&mut blocks, &mut queue, at, registers);
                    }
                }
                Way::Return(values) => {
                    returned = Some(match returned {
                        None => values,
                        Some(others) => others.iter().zip(&values).map(|(a, b)| a.join(*b)).collect(),
                    });
                }
                Way::Ends => {}
            }
            if self.shared.is_wild() {
                return None;
            }
        }
        returned
    }

    /// Ways meet at an instruction.
    fn meet(
        &self,
        blocks: &mut FxHashMap<u32, (Registers, u32)>,
        queue: &mut VecDeque<u32>,
        at: u32,
        registers: Registers,
    ) {
        let Some((known, times)) = blocks.get_mut(&at) else {
            blocks.insert(at, (registers, 0));
            queue.push_back(at);
            return;
        };
        let mut changed = false;
        for (before, &now) in known.iter_mut().zip(&registers) {
            let joined = match *times < PATIENCE {
                true => before.join(now),
                false => before.widen(now, |at| self.end_of(at)),
            };
            changed |= joined != *before;
            *before = joined;
        }
        if changed {
            *times += 1;
            if !queue.contains(&at) {
                queue.push_back(at);
            }
        }
    }
}

//! Follows what a thread may do from its present position: an abstract interpretation of register
//! code.
//!
//! As long as each branch is decided, instructions are followed one after another, so loops with
//! known bounds are followed iteration by iteration. From the first undecided branch on, values are
//! joined where control-flow paths meet, and widened if that does not end.

mod instructions;
mod library;

pub(super) use library::is_elsewhere;

use super::effects::Effects;
use super::options::Elements;
use super::own::Own;
use super::remembered::{Asking, Look, Looks};
use super::shared::Shared;
use super::stores::Origin;
use super::touch::Goal;
use super::value::{Abstract, Span};
use super::weaken::Weaken;
use crate::program::Binding;
use crate::thread::{NO_CALL, Stage};
use crate::value::Value;
use crate::vm::Vm;
use crate::word::WordKey;
use instructions::{Registers, Way, set_results};
use rustc_hash::FxHashMap;
use selvedge_base::{ForTests, Id, ThreadId};
use selvedge_ir::FuncId;
use selvedge_model::Op;
use std::cell::RefCell;
use std::collections::BTreeSet;

/// The maximum number of instructions followed for one thread.
const FUEL: u32 = 8_000;
/// The maximum number of instructions with decided branches; a longer execution may have no end.
const LONGEST: u32 = 1_000;
/// The maximum depth of calls.
const DEEPEST: usize = 24;
/// The number of active calls of a function from which on the arguments of further ones are
/// widened.
const MOST_ACTIVE: usize = 3;
/// The maximum number of times that a thread is followed until it has loaded what it stores.
const MOST_TIMES: u32 = 12;
/// The number of joins at a place after which values are widened.
const PATIENCE: u32 = 3;

/// The returned words; `None` if the function never returns.
pub(super) type Returned = Option<Vec<Abstract>>;

/// Following a thread.
pub(super) struct Run<'a> {
    pub(super) vm: &'a Vm,
    pub(super) elements: Elements,
    pub(super) weaken: ForTests<Weaken>,
    /// The followed thread, the observed one, and what is known of others.
    pub(super) asking: Asking<'a>,
    pub(super) shared: Shared,
    /// The thread whose code is followed; `None` for a thread that does not exist yet.
    pub(super) who: Option<ThreadId>,
    /// True as long as the thread is followed on one path.
    pub(super) straight: bool,
    /// What the thread has stored on its one path.
    pub(super) own: Own,
    /// What was asked of the machine's state and of the others.
    pub(super) looks: RefCell<Looks>,
    /// The number of instructions that may still be followed.
    pub(super) fuel: u32,
    /// What it was when following the thread began, for the first time or again.
    begun: u32,
    /// The calls that are being followed, outermost first, and whether each began on the thread's
    /// one path.
    active: Vec<(Call, bool)>,
    /// What calls return.
    known: FxHashMap<Call, Returned>,
    /// What is assumed of active calls that are made again.
    recursive: FxHashMap<Call, Returned>,
}

/// What following has found out.
pub(super) struct Followed {
    pub(super) effects: Effects,
    /// What was asked.
    pub(super) looks: Vec<Look>,
    /// The number of instructions followed.
    pub(super) instructions: u32,
}

/// A call: for which thread, of what, with which arguments.
type Call = (Option<ThreadId>, FuncId, Vec<Abstract>);

/// The state of a followed thread at an instruction, on its one path.
struct Stand {
    at: u32,
    /// [`Own::changes`].
    changes: u32,
    /// The values of the live registers.
    live: Vec<Abstract>,
}

/// What a function may return if it may return both.
fn join_returned(one: Returned, other: Returned) -> Returned {
    match (one, other) {
        (Some(one), Some(other)) => Some(one.iter().zip(&other).map(|(a, b)| a.join(*b)).collect()),
        (one, other) => one.or(other),
    }
}

impl<'a> Run<'a> {
    /// What a thread may do before the observed thread moves, as long as the others do what is
    /// known of them. With a goal, following ends when this access meets one of the thread.
    pub(super) fn of(vm: &'a Vm, (elements, goal): (Elements, Option<Goal>), asking: Asking<'a>) -> Followed {
        let mut run = Run {
            vm,
            elements,
            weaken: asking.weaken,
            asking,
            shared: Shared::about(goal),
            who: None,
            straight: false,
            own: Own::default(),
            looks: RefCell::default(),
            fuel: FUEL,
            begun: FUEL,
            active: Vec::new(),
            known: FxHashMap::default(),
            recursive: FxHashMap::default(),
        };
        run.follow();
        Followed {
            effects: run.shared.finish(),
            instructions: FUEL - run.fuel,
            looks: run.looks.into_inner().into_list(),
        }
    }

    /// Follows the thread until it has loaded what it stores.
    fn follow(&mut self) {
        for _ in 0..MOST_TIMES {
            self.shared.begin();
            self.known.clear();
            self.follow_once();
            if self.shared.is_wild() || !self.shared.is_stale() || self.weaken.is(Weaken::Round) {
                return;
            }
        }
        self.everything();
    }

    /// Records that anything may happen.
    pub(super) fn everything(&mut self) {
        self.shared.do_anything();
    }

    /// Follows the thread from its present position.
    fn follow_once(&mut self) {
        let thread = self.asking.thread;
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
        self.own = Own::default();
        self.straight = true;
        self.begun = self.fuel;
        // The end of a thread changes the locks that it holds: a robust mutex, a once control.
        for held in &t.held {
            self.uses_held(held.object.0);
        }
        // These objects end with the thread.
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
            return; // only the thread's end is left
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
            let mut registers: Registers = match self.vm.program.live_slots(t, index) {
                None => slots.iter().map(|&value| self.value(value)).collect(),
                // What is not live is no part of what is remembered.
                Some(live) => {
                    let mut registers = vec![Abstract::Any; slots.len()];
                    let mut set = |slot| registers[slot] = self.value(slots[slot]);
                    live.iter().for_each(|&slot| set(usize::from(slot)));
                    registers
                }
            };
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
                if !self.weaken.is(Weaken::Locals) {
                    self.writes_object(Abstract::one(base));
                }
            }
            if frame.call == NO_CALL && index > 0 {
                return self.everything(); // a function that a model has called
            }
            returned = Some((frame.call, values));
        }
        // The process exits, or data of a C++ thread is deleted.
        if thread.index() == 0 || self.vm.state.word(WordKey::CxxState(thread)) != 0 {
            self.everything();
        }
    }

    /// True if a thread is within a wait on a condition variable and needs a mutex that the
    /// observed thread holds to return from it. Before the wait has begun, the thread may be
    /// refused and go on.
    fn waits_for_still(&mut self, thread: ThreadId) -> bool {
        let action = &self.vm.state.pending()[thread.index()].action;
        if !matches!(action.op, Op::WaitAcquire | Op::WaitTimeout) {
            return false;
        }
        let (cond, mutex) = (Abstract::one(action.object.0), Abstract::one(action.object2.0));
        self.uses(cond, library::CONDITION);
        self.uses(mutex, library::MUTEX);
        self.is_held(mutex, false)
    }

    /// Follows a thread that starts with a function.
    pub(super) fn starts(&mut self, start: FuncId, argument: Abstract) {
        let (who, own) = (self.who.take(), std::mem::take(&mut self.own));
        let straight = std::mem::take(&mut self.straight);
        self.enter(start, &[argument]);
        (self.who, self.own, self.straight) = (who, own, straight);
    }

    /// The value of a register.
    fn value(&self, value: Value) -> Abstract {
        if value.is_concrete() {
            Abstract::one(value.bits)
        } else {
            Abstract::Any
        }
    }

    /// Calls a function that has code, or may have code.
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
        if program.atomic[func.index()]
            || code.varargs
            || !code.landings.is_empty()
            || self.active.len() >= DEEPEST
        {
            self.everything();
            return None;
        }
        self.straight &= self.active.len() < DEEPEST / 2;
        let straight = self.straight;
        let args = match straight {
            true => args.to_vec(),
            false => self.widened(func, args),
        };
        let key = (self.who, func, args);
        if !straight {
            if let Some(known) = self.known.get(&key) {
                return known.clone();
            }
            if self
                .active
                .iter()
                .any(|(call, straight)| !straight && *call == key)
            {
                // What this call returns is found out in rounds, from nothing on.
                return self.recursive.entry(key).or_default().clone();
            }
        }
        let mut registers = vec![Abstract::Any; code.slots as usize];
        for (&slot, &arg) in code.params.iter().zip(&key.2) {
            registers[slot as usize] = arg;
        }
        self.active.push((key.clone(), straight));
        let returned = self.function(func, 0, registers);
        self.active.pop();
        if straight {
            return returned;
        }
        if let Some(assumed) = self.recursive.get_mut(&key) {
            let joined = join_returned(assumed.clone(), returned.clone());
            if !self.weaken.is(Weaken::Recursion) {
                if *assumed != joined {
                    self.shared.follow_again();
                }
                *assumed = joined;
            }
        }
        self.known.insert(key, returned.clone());
        returned
    }

    /// The arguments of a call; if calls of the function are active that have led to this one, the
    /// arguments of such a call that do for both.
    fn widened(&self, func: FuncId, args: &[Abstract]) -> Vec<Abstract> {
        let active = self.active.iter().rev().map(|(call, _)| call);
        let mut others = active.filter(|(_, active, _)| *active == func);
        let others: Vec<&Call> = others.by_ref().take(MOST_ACTIVE).collect();
        match others.first() {
            Some((_, _, before)) if others.len() == MOST_ACTIVE => {
                let both = before.iter().zip(args);
                both.map(|(before, now)| before.widen(*now, |at| self.end_of(at)))
                    .collect()
            }
            _ => args.to_vec(),
        }
    }

    /// Follows a function from an instruction to its returns.
    fn function(&mut self, func: FuncId, ip: u32, registers: Registers) -> Returned {
        let vm = self.vm;
        let code = &vm.program.code[func.index()];
        let (mut registers, mut ip, begun) = (registers, ip, self.fuel);
        // The last stands at targets of jumps backwards.
        let mut stands: Vec<Stand> = Vec::new();
        let first = loop {
            match self.line(code, ip, &mut registers) {
                Way::Next(next) if begun - self.fuel > LONGEST => break vec![(next, registers)],
                Way::Next(next) => {
                    if next <= ip && self.straight && self.has_stood(&mut stands, func, next, &registers) {
                        return None;
                    }
                    ip = next;
                }
                Way::Return(values) => return Some(values),
                Way::Ends => return None,
                Way::Fork(ways) => break ways,
            }
            self.straight &= self.begun - self.fuel <= LONGEST;
        };
        if !self.weaken.is(Weaken::Straight) {
            self.straight = false;
        }
        let mut blocks: FxHashMap<u32, (Registers, u32)> = FxHashMap::default();
        // Earlier code first: what comes after a loop waits until nothing is added in the loop.
        let mut queue = BTreeSet::new();
        let mut returned: Returned = None;
        for (at, registers) in first {
            self.meet(func, &mut blocks, &mut queue, at, registers);
        }
        while let Some(at) = queue.pop_first() {
            let mut registers = blocks[&at].0.clone();
            match self.line(code, at, &mut registers) {
                Way::Next(next) => self.meet(func, &mut blocks, &mut queue, next, registers),
                Way::Fork(ways) => {
                    for (at, registers) in ways {
                        self.meet(func, &mut blocks, &mut queue, at, registers);
                    }
                }
                Way::Return(values) => {
                    returned = join_returned(returned, Some(values));
                }
                Way::Ends => {}
            }
            if self.shared.is_wild() {
                return None;
            }
        }
        returned
    }

    /// True if the thread has been at an instruction in the same state, so that it goes round for
    /// ever. Else records its state.
    fn has_stood(&self, stands: &mut Vec<Stand>, func: FuncId, at: u32, registers: &Registers) -> bool {
        let Some(live) = self.vm.program.liveness(func).entering(at) else {
            return false;
        };
        let changes = self.own.changes;
        let mut values = live.iter().map(|&slot| registers[usize::from(slot)]);
        match stands.iter_mut().find(|stand| stand.at == at) {
            Some(stand) => {
                let unchanged = stand.changes == changes || self.weaken.is(Weaken::Stands);
                if unchanged && values.clone().eq(stand.live.iter().copied()) {
                    return true;
                }
                stand.changes = changes;
                stand.live.clear();
                stand.live.extend(values);
            }
            None => stands.push(Stand {
                at,
                changes,
                live: values.by_ref().collect(),
            }),
        }
        false
    }

    /// The values that may have been stored in `size` bytes at one of the addresses, by the thread
    /// or by others, without those that the thread itself knows; `None` if nothing was stored.
    pub(super) fn stored(&mut self, at: Span, size: u64) -> Option<Abstract> {
        if self.shared.is_wild() {
            return Some(Abstract::Any);
        }
        self.looks.borrow_mut().note(Look::Stored(at, size));
        let theirs = self.asking.others.load(self.asking.thread, (at, size));
        match (theirs, self.shared.load(self.origin(), (at, size))) {
            (Some(theirs), Some(mine)) => Some(theirs.join(mine)),
            (theirs, mine) => theirs.or(mine),
        }
    }

    /// Where what is done now is done.
    pub(super) const fn origin(&self) -> Origin {
        Origin {
            thread: self.who,
            straight: self.straight,
        }
    }

    /// Joins the values of two control-flow paths that meet at an instruction. What is not live
    /// there may have any value, so it never makes the code after it be followed again.
    fn meet(
        &self,
        func: FuncId,
        blocks: &mut FxHashMap<u32, (Registers, u32)>,
        queue: &mut BTreeSet<u32>,
        at: u32,
        mut registers: Registers,
    ) {
        if self.weaken.is(Weaken::Join) && blocks.contains_key(&at) {
            return;
        }
        let live = self.vm.program.liveness(func).entering(at);
        let Some((known, times)) = blocks.get_mut(&at) else {
            if let Some(live) = live {
                let mut values = vec![Abstract::Any; registers.len()];
                live.iter()
                    .for_each(|&slot| values[usize::from(slot)] = registers[usize::from(slot)]);
                registers = values;
            }
            blocks.insert(at, (registers, 0));
            queue.insert(at);
            return;
        };
        let joins = *times < PATIENCE;
        let mut changed = false;
        let mut join = |slot: usize| {
            let (before, now) = (known[slot], registers[slot]);
            let joined = match joins {
                true => before.join(now),
                false => before.widen(now, |at| self.end_of(at)),
            };
            changed |= joined != before;
            known[slot] = joined;
        };
        match live {
            Some(live) => live.iter().for_each(|&slot| join(usize::from(slot))),
            None => (0..registers.len()).for_each(join),
        }
        if changed {
            *times += 1;
            queue.insert(at);
        }
    }
}

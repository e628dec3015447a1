//! Follows what threads may do, from where they stand: an abstract interpretation of register code.
//!
//! As long as each branch is decided, one instruction comes after the other, so that loops with
//! known bounds are followed round by round. From the first branch that is not, values are joined
//! where ways meet, and widened where that does not end.

use super::library::{Call, Function};
use super::shared::Shared;
use super::value::{Abstract, Comparison, Relation, gcd};
use crate::code::{CONST, CallSite, Code, Inst, Op};
use crate::program::Binding;
use crate::thread::{NO_CALL, Stage};
use crate::value::Value;
use crate::vm::Vm;
use crate::word::WordKey;
use rustc_hash::FxHashMap;
use selvedge_base::{Id, ThreadId};
use selvedge_ir::{Callee, FuncId, InstKind};
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

type Registers = Vec<Abstract>;
/// What is returned, a word each; `None`: nothing ever is.
type Returned = Option<Vec<Abstract>>;

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
    fuel: u32,
    depth: u32,
    known: FxHashMap<(Option<ThreadId>, FuncId, Vec<Abstract>), Returned>,
}

/// Where a straight line of instructions ends.
enum Way {
    Next(u32),
    /// One of these.
    Fork(Vec<(u32, Registers)>),
    Return(Vec<Abstract>),
    Ends,
}

/// The comparison that was made last, as long as its operands are what they were.
#[derive(Clone, Copy)]
struct Condition {
    result: u16,
    left: u16,
    right: u16,
    comparison: Comparison,
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
        // They end with the thread.
        for &base in &t.tls {
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
            if self.vm.state.pending()[thread.index()].action.op != selvedge_model::Op::Exit {
                self.everything();
            }
            return; // all that is left is its end
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
    fn enter(&mut self, func: FuncId, args: &[Abstract]) -> Returned {
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

    // ---- instructions

    /// Follows instructions up to the next jump.
    fn line(&mut self, code: &Code, mut ip: u32, registers: &mut Registers) -> Way {
        let mut condition: Option<Condition> = None;
        loop {
            let Some(fuel) = self.fuel.checked_sub(1) else {
                self.everything();
                return Way::Ends;
            };
            self.fuel = fuel;
            let inst = code.insts[ip as usize];
            let get = |operand: u16| get(code, registers, operand);
            let (mut width, mut set) = (1, None);
            match inst.op {
                Op::Jump => return Way::Next(inst.long()),
                Op::Branch => {
                    let ways = self.branch(code, registers, inst, ip, condition);
                    return match <[_; 1]>::try_from(ways) {
                        Ok([(next, now)]) => {
                            *registers = now;
                            Way::Next(next)
                        }
                        Err(ways) if ways.is_empty() => Way::Ends,
                        Err(ways) => Way::Fork(ways),
                    };
                }
                Op::Switch => return self.switch(code, registers, inst),
                Op::Return => {
                    return Way::Return(code.returns[inst.b as usize].iter().map(|&w| get(w)).collect());
                }
                Op::Unreachable | Op::Trap => return Way::Ends,
                Op::Cover | Op::Data => {}
                Op::Load | Op::VisibleLoad => {
                    let value = self.load(get(inst.b), u64::from(inst.w));
                    let bits = (inst.c as u8).min(64);
                    set = Some((inst.a, value.trunc(bits)));
                }
                Op::Store | Op::VisibleStore => {
                    let (at, value) = (get(inst.a), get(inst.b));
                    self.writes(at, u64::from(inst.w), value.trunc((inst.w * 8).min(64)));
                }
                Op::Call => {
                    let site = &code.calls[inst.long() as usize];
                    let args: Vec<Abstract> = site.args.iter().map(|&a| get(a)).collect();
                    let callee = get(if site.address == crate::code::NONE {
                        CONST
                    } else {
                        site.address
                    });
                    let Some(values) = self.call(site, &args, callee) else {
                        return Way::Ends;
                    };
                    set_results(registers, site, &values);
                    condition = None;
                }
                Op::Complex => {
                    if !self.complex(code, registers, inst) {
                        return Way::Ends;
                    }
                    condition = None;
                }
                Op::ThreadLocal => {
                    let base = self.who.and_then(|who| {
                        let copies = &self.vm.state.thread(who).tls;
                        copies.get(inst.b as usize).copied()
                    });
                    let at = base.map(|base| Abstract::one(base.wrapping_add(constant(code, inst.c))));
                    set = Some((inst.a, at.unwrap_or(Abstract::New)));
                }
                Op::Enter => set = Some((code.locals[inst.b as usize].slot, Abstract::New)),
                Op::Begin | Op::Leave => {
                    let at = get(inst.b);
                    self.writes_object(at);
                }
                Op::Offset => {
                    let at = self.moved(get(inst.b), Abstract::one(constant(code, inst.c)), inst.w != 0);
                    set = Some((inst.a, at));
                }
                Op::Index => {
                    let data = code.insts[ip as usize + 1];
                    let scale = constant(code, data.b);
                    let by = self.scaled(get(data.a), inst.c as u8, scale);
                    let by = by.add(Abstract::one(constant(code, data.c)), 64);
                    let at = match by {
                        Abstract::Any => {
                            self.somewhere(get(inst.b), scale, constant(code, data.c), inst.w != 0)
                        }
                        by => self.moved(get(inst.b), by, inst.w != 0),
                    };
                    width = 2;
                    set = Some((inst.a, at));
                }
                Op::Select => {
                    let other = code.insts[ip as usize + 1].a;
                    let value = match get(inst.b).as_one() {
                        Some(0) => get(other),
                        Some(_) => get(inst.c),
                        None => get(inst.c).join(get(other)),
                    };
                    width = 2;
                    set = Some((inst.a, value));
                }
                _ => {
                    // The third field of these is no operand.
                    let second = match inst.op {
                        Op::Mov | Op::Trunc | Op::SExt => Abstract::Any,
                        _ => get(inst.c),
                    };
                    let value = compute(inst, get(inst.b), second);
                    set = Some((inst.a, value));
                }
            }
            if let Some((slot, value)) = set {
                registers[slot as usize] = value;
                condition = match comparison(inst) {
                    Some(comparison) if inst.b != slot && inst.c != slot => Some(Condition {
                        result: slot,
                        left: inst.b,
                        right: inst.c,
                        comparison,
                    }),
                    _ => condition.filter(|c| ![c.result, c.left, c.right].contains(&slot)),
                };
            }
            if self.shared.is_wild() {
                return Way::Ends;
            }
            ip += width;
        }
    }

    /// Where a branch may go, with what is known there.
    fn branch(
        &self,
        code: &Code,
        registers: &Registers,
        inst: Inst,
        ip: u32,
        condition: Option<Condition>,
    ) -> Vec<(u32, Registers)> {
        let value = get(code, registers, inst.a);
        if let Some(value) = value.as_one() {
            let next = if value & 1 != 0 { inst.long() } else { ip + 1 };
            return vec![(next, registers.clone())];
        }
        let condition = condition.filter(|c| c.result == inst.a);
        let way = |holds: bool| -> Option<(u32, Registers)> {
            let mut registers = registers.clone();
            if let Some(condition) = condition {
                let mut c = condition.comparison;
                if !holds {
                    c.relation = c.relation.negated();
                }
                let turned = Comparison {
                    relation: c.relation.turned(),
                    ..c
                };
                let (left, right) = (
                    get(code, &registers, condition.left),
                    get(code, &registers, condition.right),
                );
                let (new_left, new_right) = (c.restrict(left, right)?, turned.restrict(right, left)?);
                if condition.left & CONST == 0 {
                    registers[condition.left as usize] = new_left;
                }
                if condition.right & CONST == 0 {
                    registers[condition.right as usize] = new_right;
                }
            }
            Some((if holds { inst.long() } else { ip + 1 }, registers))
        };
        [way(true), way(false)].into_iter().flatten().collect()
    }

    fn switch(&mut self, code: &Code, registers: &mut Registers, inst: Inst) -> Way {
        if inst.w == 1 {
            self.everything();
            return Way::Ends;
        }
        let table = &code.switches[inst.b as usize];
        if let Some(value) = get(code, registers, inst.a).as_one() {
            let case = table.cases.iter().find(|(case, _)| *case == value);
            return Way::Next(case.map_or(table.default, |(_, target)| *target));
        }
        let mut ways = vec![(table.default, registers.clone())];
        for &(case, target) in &table.cases {
            let mut registers = registers.clone();
            if inst.a & CONST == 0 {
                registers[inst.a as usize] = Abstract::one(case);
            }
            ways.push((target, registers));
        }
        Way::Fork(ways)
    }

    /// What a call returns.
    fn call(&mut self, site: &CallSite, args: &[Abstract], callee: Abstract) -> Returned {
        let vm = self.vm;
        let program = &vm.program;
        let func = match site.callee {
            None => {
                // Copies and fills under visibility `memory`.
                let function = match args.len() {
                    3 if site.types[1] == selvedge_ir::Type::Ptr => Function::Copy,
                    3 => Function::Fill,
                    _ => Function::Other,
                };
                self.library(function, site, args);
                return Some(Vec::new());
            }
            Some(Callee::Direct(func)) => func,
            Some(Callee::Indirect(_)) => match callee.as_one().and_then(|at| program.function_at(at)) {
                Some(func) => func,
                None => {
                    self.everything();
                    return None;
                }
            },
        };
        let function = Function::named(&program.module.functions[func].name);
        let has_code = matches!(program.bindings[func.index()], Binding::Code | Binding::Other(_));
        if program.atomic[func.index()] || has_code && (site.native.is_none() || function == Function::Other)
        {
            return self.enter(func, args);
        }
        match self.library(function, site, args) {
            Call::Returns(value) => Some(vec![value]),
            Call::Ends => None,
        }
    }

    /// An instruction in the IR's form; whether the next one is come to.
    fn complex(&mut self, code: &Code, registers: &mut Registers, inst: Inst) -> bool {
        let index = inst.long() as usize;
        let operands = &code.operands[index];
        let operand = |n: usize| match operands.operands.get(n) {
            Some(&(low, crate::code::NONE)) => get(code, registers, low),
            _ => Abstract::Any,
        };
        let mut first = Abstract::Any;
        match &code.complex[index] {
            InstKind::Copy { .. }
            | InstKind::Bin { .. }
            | InstKind::Un { .. }
            | InstKind::Cast { .. }
            | InstKind::Cmp { .. }
            | InstKind::FCmp { .. }
            | InstKind::Select { .. }
            | InstKind::Overflow { .. }
            | InstKind::Saturating { .. }
            | InstKind::MinMax { .. }
            | InstKind::Funnel { .. }
            | InstKind::Fma { .. }
            | InstKind::StackSave { .. }
            | InstKind::Fence { .. }
            | InstKind::Pause => {}
            InstKind::Alloca { .. } => first = Abstract::New,
            InstKind::Gep {
                offset,
                terms,
                inbounds,
                ..
            } => {
                let mut by = Abstract::one(*offset as u64);
                for (n, term) in terms.iter().enumerate() {
                    by = by.add(self.scaled(operand(1 + n), term.bits, term.stride as u64), 64);
                }
                let base = operand(0);
                first = match by {
                    Abstract::Any => {
                        let scale = terms
                            .iter()
                            .fold(0, |all, term| gcd(all, term.stride.unsigned_abs()));
                        self.somewhere(base, scale, *offset as u64, *inbounds)
                    }
                    by => self.moved(base, by, *inbounds),
                };
            }
            InstKind::Load { ty, .. } => {
                let at = operand(0);
                let value = self.load(at, u64::from(ty.bytes()));
                if !ty.is_wide() {
                    first = value.trunc(ty.bits() as u8);
                }
            }
            InstKind::Store { ty, .. } => {
                let (at, value) = (operand(0), operand(1));
                self.writes(at, u64::from(ty.bytes()), value);
            }
            InstKind::Rmw { ty, .. } => {
                let at = operand(0);
                let value = self.load(at, u64::from(ty.bytes()));
                self.writes(at, u64::from(ty.bytes()), Abstract::Any);
                if !ty.is_wide() {
                    first = value.trunc(ty.bits() as u8);
                }
            }
            InstKind::CompareExchange { ty, .. } => {
                let (at, new) = (operand(0), operand(2));
                let value = self.load(at, u64::from(ty.bytes()));
                self.writes(at, u64::from(ty.bytes()), new);
                if !ty.is_wide() {
                    first = value.trunc(ty.bits() as u8);
                }
            }
            InstKind::Unsupported { .. } => return false,
            _ => {
                self.everything();
                return false;
            }
        }
        for (n, &(slot, ty)) in operands.results.iter().enumerate() {
            let value = if n == 0 {
                first
            } else {
                Abstract::all(ty.bits().min(64) as u8)
            };
            registers[slot as usize] = if ty.is_wide() { Abstract::Any } else { value };
            if ty.is_wide() {
                registers[slot as usize + 1] = Abstract::Any;
            }
        }
        !self.shared.is_wild()
    }
}

fn get(code: &Code, registers: &Registers, operand: u16) -> Abstract {
    if operand & CONST == 0 {
        return registers[operand as usize];
    }
    match code.consts.get((operand & !CONST) as usize) {
        Some(value) if value.is_concrete() => Abstract::one(value.bits),
        _ => Abstract::Any,
    }
}

/// A constant that is a number.
fn constant(code: &Code, operand: u16) -> u64 {
    code.consts[(operand & !CONST) as usize].bits
}

fn set_results(registers: &mut Registers, site: &CallSite, values: &[Abstract]) {
    for (n, &(slot, bits)) in site.results.iter().enumerate() {
        let value = values.get(n).copied().unwrap_or(Abstract::Any);
        registers[slot as usize] = value.trunc(bits);
    }
}

fn comparison(inst: Inst) -> Option<Comparison> {
    let (relation, signed) = match inst.op {
        Op::Eq => (Relation::Eq, false),
        Op::Ne => (Relation::Ne, false),
        Op::Ult => (Relation::Lt, false),
        Op::Ule => (Relation::Le, false),
        Op::Ugt => (Relation::Gt, false),
        Op::Uge => (Relation::Ge, false),
        Op::Slt => (Relation::Lt, true),
        Op::Sle => (Relation::Le, true),
        Op::Sgt => (Relation::Gt, true),
        Op::Sge => (Relation::Ge, true),
        _ => return None,
    };
    Some(Comparison {
        relation,
        signed,
        bits: inst.w,
    })
}

/// The result of arithmetic.
fn compute(inst: Inst, a: Abstract, b: Abstract) -> Abstract {
    let bits = inst.w;
    if let Some(comparison) = comparison(inst) {
        let decided = comparison
            .decide(a, b)
            .map(|holds| Abstract::one(u64::from(holds)));
        return decided.unwrap_or(Abstract::all(1));
    }
    match inst.op {
        Op::Mov => a,
        Op::Add => a.add(b, bits),
        Op::Sub => a.sub(b, bits),
        Op::Mul => a.mul(b, bits),
        Op::UDiv => a.divide(b, bits, false, false),
        Op::SDiv => a.divide(b, bits, true, false),
        Op::URem => a.divide(b, bits, false, true),
        Op::SRem => a.divide(b, bits, true, true),
        Op::Shl => a.shl(b, bits),
        Op::LShr => a.shr(b, bits, false),
        Op::AShr => a.shr(b, bits, true),
        Op::And => a.and(b, bits),
        Op::Or => a.or(b, bits, |a, b| a | b),
        Op::Xor => a.or(b, bits, |a, b| a ^ b),
        Op::Trunc => a.trunc(bits),
        Op::SExt => a.sext(bits, inst.c as u8),
        _ => Abstract::all(bits),
    }
}

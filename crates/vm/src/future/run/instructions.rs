//! The effects of instructions on registers and memory, and on the control flow.

use super::library::{Call, Function};
use super::{Returned, Run};
use crate::code::{CONST, CallSite, Code, Inst, Op};
use crate::future::comparison::{Comparison, Relation};
use crate::future::value::{Abstract, gcd};
use crate::future::weaken::Weaken;
use crate::program::Binding;
use selvedge_base::Id;
use selvedge_ir::{Callee, InstKind};
use smallvec::SmallVec;

pub(in crate::future) type Registers = Vec<Abstract>;

/// The end of a straight line of instructions.
pub(in crate::future) enum Way {
    Next(u32),
    /// One of these.
    Fork(Vec<(u32, Registers)>),
    Return(Vec<Abstract>),
    Ends,
}

/// The last comparison, while its operands are unchanged.
#[derive(Clone, Copy)]
struct Condition {
    result: u16,
    left: u16,
    right: u16,
    comparison: Comparison,
}

impl Run<'_> {
    /// Follows instructions up to the next jump.
    pub(in crate::future) fn line(&mut self, code: &Code, mut ip: u32, registers: &mut Registers) -> Way {
        let mut condition: Option<Condition> = None;
        // The registers that hold numbers of at most 32 bits, extended.
        let mut narrow: SmallVec<[u16; 4]> = SmallVec::new();
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
                    if let Some(value) = get(inst.a).as_one() {
                        return Way::Next(if value & 1 != 0 { inst.long() } else { ip + 1 });
                    }
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
                Op::Cover | Op::Explain | Op::Data => {}
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
                    if self.weaken.is(Weaken::Call) && site.native.is_none() {
                        ip += 1;
                        continue;
                    }
                    let Some(values) = self.call(site, &args, callee) else {
                        return Way::Ends;
                    };
                    set_results(registers, site, &values);
                    condition = None;
                    narrow.clear();
                }
                Op::Complex => {
                    if !self.complex(code, registers, inst) {
                        return Way::Ends;
                    }
                    condition = None;
                    narrow.clear();
                }
                Op::ThreadLocal => {
                    let base = self.who.and_then(|who| {
                        let copies = &self.vm.state.thread(who).tls;
                        copies.get(inst.b as usize).copied()
                    });
                    let at = base.map(|base| Abstract::one(base.wrapping_add(constant(code, inst.c))));
                    set = Some((inst.a, at.unwrap_or(Abstract::NEW)));
                }
                Op::Enter => set = Some((code.locals[inst.b as usize].slot, Abstract::NEW)),
                Op::Begin | Op::Leave => {
                    let at = get(inst.b);
                    if !self.weaken.is(Weaken::Locals) {
                        self.writes_object(at);
                    }
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
                            let bits = match narrow.contains(&data.a) {
                                true => 32,
                                false => inst.c as u8,
                            };
                            self.somewhere(get(inst.b), (scale, bits), constant(code, data.c), inst.w != 0)
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
                    // The third field of these instructions is no operand.
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
                narrow.retain(|&mut other| other != slot);
                if inst.op == Op::SExt && inst.c <= 32 {
                    narrow.push(slot);
                }
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

    /// The possible targets of a branch that is not decided, with what is known at each.
    fn branch(
        &self,
        code: &Code,
        registers: &Registers,
        inst: Inst,
        ip: u32,
        condition: Option<Condition>,
    ) -> Vec<(u32, Registers)> {
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
        let ways = [way(true), way(false)].into_iter().flatten();
        ways.take(if self.weaken.is(Weaken::Branch) { 1 } else { 2 })
            .collect()
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

    /// The result of a call.
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

    /// Executes an instruction in the form of the ir. Returns true if the next instruction is
    /// reached.
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
            InstKind::Alloca { .. } => first = Abstract::NEW,
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
                        let bits = terms.iter().map(|term| term.bits).max().unwrap_or_default();
                        self.somewhere(base, (scale, bits), *offset as u64, *inbounds)
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
                // It may fail.
                let new = if self.straight { new.join(value) } else { new };
                self.writes(at, u64::from(ty.bytes()), new);
                if !ty.is_wide() {
                    first = value.trunc(ty.bits() as u8);
                }
            }
            InstKind::MemCopy { .. } => {
                self.reads_bytes(operand(1), operand(2));
                self.writes_bytes(operand(0), operand(2));
            }
            InstKind::MemSet { .. } => self.writes_bytes(operand(0), operand(2)),
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

pub(in crate::future) fn set_results(registers: &mut Registers, site: &CallSite, values: &[Abstract]) {
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

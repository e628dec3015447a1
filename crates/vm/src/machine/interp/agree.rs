//! Branches on inputs whose sides come to the same: `x = flush ? buffer : x` where the two values
//! are equal. Programs that model a weaker memory order by instrumentation have several of them in
//! each atomic block, and mostly nothing is in the buffer. A data choice there would double the
//! executions for nothing.
//!
//! Both sides are followed, from the branch to the first block of the code that both enter. They
//! may load memory, compute, and branch. If each register that is live there has one value on both
//! sides, the thread goes on there, and nothing is decided: from there on, executions do not differ
//! in what the condition was. In all other cases the branch is executed as usual.
//!
//! # What the two sides read
//!
//! An execution reads what one side reads, so a race with the other side's reads must not be lost.
//! Therefore sides may read memory only that nothing but atomic blocks touches ([`blocks`]), and
//! only within a block: no access to it is in a race. All that both sides read is recorded, so the
//! block's class is checked for both, and an executed step that is recalled has read it, too.
//!
//! [`blocks`]: crate::blocks

use super::window::Window;
use crate::arithmetic::{self as arith, truncate};
use crate::code::{Code, Inst, Op};
use crate::memory::Site;
use crate::value::{Value, mask};
use crate::vm::Vm;
use selvedge_base::ThreadId;
use smallvec::SmallVec;

/// The largest number of instructions that are followed for one branch. An expression that models a
/// store buffer takes about 50.
const LONGEST: u32 = 400;

/// The largest number of undecided branches one within the other.
const DEEPEST: u32 = 4;

/// The registers that a side has written.
type Written = SmallVec<[(u16, Value); 16]>;

/// One side of a branch, while it is followed.
#[derive(Clone)]
struct Side {
    ip: u32,
    written: Written,
}

impl Side {
    fn get(&self, w: Window, operand: u16) -> Value {
        let own = self.written.iter().find(|(slot, _)| *slot == operand);
        own.map_or_else(|| w.get(operand), |&(_, value)| value)
    }

    fn set(&mut self, slot: u16, value: Value) {
        match self.written.iter_mut().find(|(other, _)| *other == slot) {
            Some(own) => own.1 = value,
            None => self.written.push((slot, value)),
        }
    }
}

/// Where sides are followed.
#[derive(Clone, Copy)]
struct Place<'a> {
    thread: ThreadId,
    code: &'a Code,
    w: Window,
}

impl Vm {
    /// If both sides of the branch at `ip`, which is not decided, come to the same, goes on where
    /// they meet: at the instruction that is returned.
    #[inline(never)]
    pub(super) fn agreement(&mut self, thread: ThreadId, code: &Code, w: Window, ip: u32) -> Option<u32> {
        let core = &self.state.thread(thread).core;
        if core.atomic == 0 || !self.program.classes.as_ref().is_some_and(|map| map.has_only) {
            return None;
        }
        let side = Side {
            ip,
            written: Written::new(),
        };
        let place = Place { thread, code, w };
        let met = self.meet(place, &side, 0, &mut { LONGEST })?;
        for (slot, value) in met.written {
            w.set(slot, value);
        }
        Some(met.ip)
    }

    /// Where both sides of the undecided branch before which `from` stands meet, if they come to
    /// the same there.
    fn meet(&mut self, place: Place<'_>, from: &Side, depth: u32, fuel: &mut u32) -> Option<Side> {
        let inst = place.w.inst(from.ip as usize);
        let condition = from.get(place.w, inst.a);
        if depth == DEEPEST || self.truth(place.thread, condition) != Some(None) {
            return None;
        }
        let mut first = Side {
            ip: inst.long(),
            ..from.clone()
        };
        let mut entered: SmallVec<[Side; 8]> = SmallVec::new();
        loop {
            if place.starts_block(self, first.ip) {
                entered.push(first.clone());
            }
            if !self.follow_side(place, &mut first, depth, fuel) {
                break;
            }
        }
        let mut second = Side {
            ip: from.ip + 1,
            ..from.clone()
        };
        loop {
            if let Some(first) = entered.iter().find(|first| first.ip == second.ip) {
                return self.is_same(place, first, &second).then_some(second);
            }
            if !self.follow_side(place, &mut second, depth, fuel) {
                return None;
            }
        }
    }

    /// Whether the live registers have the same values on both sides, which stand at one place.
    fn is_same(&self, place: Place<'_>, first: &Side, second: &Side) -> bool {
        let func = self.state.thread(place.thread).core.frame.func;
        let Some(live) = self.program.liveness(func).entering(first.ip) else {
            return false;
        };
        let mut written = first.written.iter().chain(&second.written);
        written.all(|&(slot, _)| {
            let is_live = live.contains(&slot);
            !is_live || first.get(place.w, slot) == second.get(place.w, slot)
        })
    }

    /// Follows a side by one instruction. Returns false if that instruction does more than a side
    /// may do.
    fn follow_side(&mut self, place: Place<'_>, side: &mut Side, depth: u32, fuel: &mut u32) -> bool {
        if *fuel == 0 {
            return false;
        }
        *fuel -= 1;
        let inst = place.w.inst(side.ip as usize);
        let value = match inst.op {
            Op::Jump => return side.jump(inst.long()),
            Op::Branch => {
                return match self.truth(place.thread, side.get(place.w, inst.a)) {
                    Some(Some(true)) => side.jump(inst.long()),
                    Some(Some(false)) => side.jump(side.ip + 1),
                    Some(None) => match self.meet(place, side, depth + 1, fuel) {
                        Some(met) => {
                            *side = met;
                            true
                        }
                        None => false,
                    },
                    None => false,
                };
            }
            Op::Load | Op::VisibleLoad => self.read_aside(place, side, inst),
            _ => self.computed(place.w, side, inst),
        };
        let Some(value) = value else { return false };
        side.set(inst.a, value);
        side.ip += 1;
        true
    }

    /// What a condition is: known (`Some(Some(_))`), an undecided condition on inputs, or no truth
    /// value (`None`).
    fn truth(&self, thread: ThreadId, condition: Value) -> Option<Option<bool>> {
        if condition.is_concrete() {
            return Some(Some(condition.bits & 1 != 0));
        }
        let tags = &self.state.memory.tags;
        let symbol = tags.symbol(condition.tag).filter(|s| s.undefined & 1 == 0)?;
        let holds = tags.fit(symbol.expr, 1);
        let known = tags
            .arena
            .as_const(holds)
            .or_else(|| self.state.known(thread, holds));
        Some(known.map(|known| known != 0))
    }

    /// The result of an instruction that only computes, from plain numbers.
    fn computed(&self, w: Window, side: &Side, inst: Inst) -> Option<Value> {
        let tags = &self.state.memory.tags;
        let plain = |operand: u16| {
            let value = side.get(w, operand);
            let fits = match tags.symbol(value.tag) {
                Some(symbol) => symbol.undefined == 0 && symbol.home == 0,
                None => value.is_concrete() && !super::placement::is_address(value.bits),
            };
            fits.then_some(value)
        };
        match inst.op {
            Op::Mov => Some(side.get(w, inst.b)),
            Op::Add
            | Op::Sub
            | Op::Mul
            | Op::And
            | Op::Or
            | Op::Xor
            | Op::Eq
            | Op::Ne
            | Op::Ult
            | Op::Ule
            | Op::Ugt
            | Op::Uge
            | Op::Slt
            | Op::Sle
            | Op::Sgt
            | Op::Sge => Some(arith::tagged(
                tags,
                inst.op,
                inst.w,
                plain(inst.b)?,
                plain(inst.c)?,
            )),
            Op::Trunc => Some(truncate(tags, plain(inst.b)?, inst.w)),
            Op::SExt => Some(arith::sign_extend(tags, plain(inst.b)?, inst.w, inst.c as u8)),
            _ => None,
        }
    }

    /// Loads from memory that only blocks touch. The access is recorded.
    fn read_aside(&mut self, place: Place<'_>, side: &Side, inst: Inst) -> Option<Value> {
        let (pointer, size) = (side.get(place.w, inst.b), u64::from(inst.w));
        let class = self.state.thread(place.thread).core.block;
        let map = self.program.classes.as_ref()?;
        let may_read = pointer.is_concrete()
            && map.is_wholly_only(pointer.bits, size)
            && map.allows(class, pointer.bits, size);
        if !may_read {
            return None;
        }
        let site = Site {
            stmt: place.code.stmts[side.ip as usize],
            context: self.state.thread(place.thread).core.frame.context,
        };
        let value = self.state.memory.load(pointer.bits, size, site).ok()?;
        let bits = inst.c as u8;
        if u64::from(bits) == size * 8 {
            return Some(value);
        }
        let is_whole = value.is_concrete() && value.bits & !mask(bits) == 0;
        (is_whole || value.is_symbolic()).then(|| truncate(&self.state.memory.tags, value, bits))
    }
}

impl Place<'_> {
    /// Whether a block of the code begins at an instruction.
    fn starts_block(self, vm: &Vm, ip: u32) -> bool {
        let func = vm.state.thread(self.thread).core.frame.func;
        vm.program.liveness(func).entering(ip).is_some()
    }
}

impl Side {
    /// Jumps forward.
    fn jump(&mut self, target: u32) -> bool {
        let is_forward = target > self.ip;
        self.ip = target;
        is_forward
    }
}

//! Instructions that stay in the IR's form: wide integers, rare arithmetic, atomics, ranges of memory, variable arguments.

use super::{Stop, arith, float};
use crate::code::Op;
use crate::code::{ComplexOperands, NONE};
use crate::memory::{Kind, Life, MemoryError, Object, Site};
use crate::native::{memory_fault, undefined_fault};
use crate::value::{Poison, Value};
use crate::vm::Vm;
use selvedge_base::{Id, ThreadId};
use selvedge_ir::{AtomicOrder, BinOp, CastOp, InstKind, IntPred, MinMax, OverflowOp, SatOp, Type, UnOp};
use selvedge_model::{Action, Fault, FaultKind, Op as Visible};

/// How a complex instruction ended.
pub(super) enum Done {
    /// The next instruction follows.
    Next,
    /// It is a scheduling point.
    Visible(Action),
    /// The thread was parked.
    Parked,
    /// A decision on a symbolic value is open, or one was a fault.
    Stopped(Stop),
}

/// Why an instruction could not be executed.
pub(crate) enum Trouble {
    /// The program is at fault.
    Fault(Box<Fault>),
    /// The machine has no meaning for it.
    Unsupported(String),
    /// It is a scheduling point.
    Visible(Action),
    /// The thread was parked.
    Parked,
    /// A symbolic value is needed as a number; what for.
    Symbolic(Value, &'static str),
    /// A decision on a symbolic value is open, or one was a fault.
    Stop(Stop),
}

impl From<Fault> for Trouble {
    fn from(fault: Fault) -> Self {
        Trouble::Fault(Box::new(fault))
    }
}

/// A value of up to 128 bits; `tagged` if any part is not concrete.
#[derive(Clone, Copy)]
pub(super) struct Wide {
    pub bits: u128,
    pub tagged: Option<Value>,
}

const fn mask(bits: u32) -> u128 {
    u128::MAX >> (128 - bits)
}

const fn signed(value: u128, bits: u32) -> i128 {
    let shift = 128 - bits;
    ((value << shift) as i128) >> shift
}

impl Vm {
    /// Executes complex instruction `index` of the thread's current function.
    pub(super) fn complex(&mut self, thread: ThreadId, index: usize, performing: bool) -> Done {
        let program = self.program.clone();
        let frame = self.state.thread(thread).core.frame;
        let code = &program.code[frame.func.index()];
        let operands = &code.operands[index];
        let site = Site {
            stmt: code.stmts[frame.ip as usize],
            context: frame.context,
        };
        loop {
            let trouble = match self.complex_inst(thread, &code.complex[index], operands, site, performing) {
                Ok(()) => return Done::Next,
                Err(trouble) => trouble,
            };
            match trouble {
                Trouble::Visible(action) => return Done::Visible(action),
                Trouble::Fault(fault) => self.report_fault(*fault),
                Trouble::Unsupported(what) => self.unsupported(thread, frame.ip, what),
                Trouble::Parked => {}
                Trouble::Stop(stop) => return Done::Stopped(stop),
                Trouble::Symbolic(value, what) => match self.settle(thread, site, performing, value, what) {
                    Ok(_) => continue,
                    Err(stop) => return Done::Stopped(stop),
                },
            }
            return Done::Parked;
        }
    }

    /// One word of the thread's current frame.
    pub(crate) fn slot(&self, thread: ThreadId, operand: u16) -> Value {
        let t = self.state.thread(thread);
        let frame = t.core.frame;
        if operand & crate::code::CONST != 0 {
            self.program.code[frame.func.index()].consts[(operand & !crate::code::CONST) as usize]
        } else {
            t.regs[frame.base as usize + operand as usize]
        }
    }

    pub(crate) fn set_slot(&mut self, thread: ThreadId, slot: u16, value: Value) {
        let t = &mut self.state.threads[thread.index()];
        let at = t.core.frame.base as usize + slot as usize;
        t.regs[at] = value;
    }

    pub(super) fn wide(&self, thread: ThreadId, operands: &ComplexOperands, i: usize) -> Wide {
        let (low, high) = operands.operands[i];
        let low = self.slot(thread, low);
        let high = if high == NONE {
            Value::new(0)
        } else {
            self.slot(thread, high)
        };
        let tagged = [low.as_number(), high].into_iter().find(|v| !v.is_concrete());
        Wide {
            bits: u128::from(low.bits) | u128::from(high.bits) << 64,
            tagged,
        }
    }

    /// A one-word operand that must be concrete.
    pub(super) fn defined(
        &self,
        thread: ThreadId,
        operands: &ComplexOperands,
        i: usize,
        what: &'static str,
        site: Site,
    ) -> Result<u64, Trouble> {
        let value = self.slot(thread, operands.operands[i].0);
        if value.is_concrete() {
            Ok(value.bits)
        } else if let Some(symbol) = self.state.memory.tags.symbol(value.tag) {
            match self.state.known(thread, symbol.expr) {
                Some(bits) if symbol.undefined == 0 => Ok(bits as u64),
                _ => Err(Trouble::Symbolic(value, what)),
            }
        } else {
            Err(undefined_fault(value, what, site).into())
        }
    }

    pub(super) fn set_wide(&mut self, thread: ThreadId, operands: &ComplexOperands, i: usize, value: Wide) {
        let (slot, ty) = operands.results[i];
        let bits = value.bits & mask(ty.bits());
        let tag = |word: u64, width: u32, vm: &Vm| match value.tagged {
            None => Value::new(word),
            Some(v) if v.tag.as_poison().is_some() => v,
            Some(_) => vm.state.memory.tags.value(0, u64::MAX >> (64 - width.min(64))),
        };
        let low = tag(bits as u64, ty.bits(), self);
        self.set_slot(thread, slot, low);
        if ty.is_wide() {
            let high = tag((bits >> 64) as u64, ty.bits() - 64, self);
            self.set_slot(thread, slot + 1, high);
        }
    }

    /// Copies the words of the second or third operand, with their tags.
    pub(crate) fn select_words(&mut self, thread: ThreadId, operands: &ComplexOperands, second: bool) {
        let (low, high) = operands.operands[if second { 1 } else { 2 }];
        let slot = operands.results[0].0;
        let value = self.slot(thread, low);
        self.set_slot(thread, slot, value);
        if high != NONE {
            let value = self.slot(thread, high);
            self.set_slot(thread, slot + 1, value);
        }
    }

    fn set_both(&mut self, thread: ThreadId, operands: &ComplexOperands, bits: u128, inputs: &[Wide]) {
        let tagged = inputs.iter().find_map(|w| w.tagged);
        self.set_wide(thread, operands, 0, Wide { bits, tagged });
    }

    pub(super) fn fault_at(&self, kind: FaultKind, message: impl Into<String>, site: Site) -> Trouble {
        let fault = Fault {
            kind,
            message: message.into(),
            stmt: site.stmt,
            context: site.context,
            related: Vec::new(),
            object: selvedge_model::ObjectId::NONE,
        };
        fault.into()
    }

    fn complex_inst(
        &mut self,
        thread: ThreadId,
        kind: &InstKind,
        operands: &ComplexOperands,
        site: Site,
        performing: bool,
    ) -> Result<(), Trouble> {
        if let Some(done) = self.compute_symbolic(thread, kind, operands, site, performing) {
            return done;
        }
        let wide = |vm: &Vm, i: usize| vm.wide(thread, operands, i);
        match kind {
            InstKind::Bin { op, nsw, .. } => {
                let (a, b) = (wide(self, 0), wide(self, 1));
                self.binary(thread, *op, *nsw, operands, a, b, site)
            }
            InstKind::Un { op, .. } => {
                let a = wide(self, 0);
                let ty = operands.types[0];
                if *op == UnOp::Freeze {
                    let bits = if a.tagged.is_some() { 0 } else { a.bits };
                    self.set_wide(thread, operands, 0, Wide { bits, tagged: None });
                    return Ok(());
                }
                let bits = match float::unary(*op, ty.bits(), a.bits as u64) {
                    Some(bits) => u128::from(bits),
                    None => integer_unary(*op, ty.bits(), a.bits),
                };
                self.set_both(thread, operands, bits, &[a]);
                Ok(())
            }
            InstKind::Cast { op, from, .. } => {
                let a = wide(self, 0);
                let to = operands.results[0].1;
                let value = cast(*op, *from, to, a);
                self.set_wide(thread, operands, 0, value);
                Ok(())
            }
            InstKind::Cmp { pred, ty, .. } => {
                let (a, b) = (wide(self, 0), wide(self, 1));
                let result = compare(*pred, ty.bits(), a.bits, b.bits);
                self.set_both(thread, operands, u128::from(result), &[a, b]);
                Ok(())
            }
            InstKind::FCmp { pred, ty, .. } => {
                let (a, b) = (wide(self, 0), wide(self, 1));
                let result = float::compare(*pred, ty.bits(), a.bits as u64, b.bits as u64);
                self.set_both(thread, operands, u128::from(result), &[a, b]);
                Ok(())
            }
            InstKind::Select { .. } => {
                let cond = self.defined(thread, operands, 0, "the condition", site)?;
                self.select_words(thread, operands, cond & 1 != 0);
                Ok(())
            }
            InstKind::Overflow { op, .. } => {
                let (a, b) = (wide(self, 0), wide(self, 1));
                let (bits, overflow) = overflowing(*op, operands.types[0].bits(), a.bits, b.bits);
                let tagged = a.tagged.or(b.tagged);
                self.set_wide(thread, operands, 0, Wide { bits, tagged });
                self.set_wide(
                    thread,
                    operands,
                    1,
                    Wide {
                        bits: u128::from(overflow),
                        tagged,
                    },
                );
                Ok(())
            }
            InstKind::Saturating { op, .. } => {
                let (a, b) = (wide(self, 0), wide(self, 1));
                let bits = saturating(*op, operands.types[0].bits(), a.bits, b.bits);
                self.set_both(thread, operands, bits, &[a, b]);
                Ok(())
            }
            InstKind::MinMax { op, .. } => {
                let (a, b) = (wide(self, 0), wide(self, 1));
                let width = operands.types[0].bits();
                let first = match op {
                    MinMax::SMin => signed(a.bits, width) <= signed(b.bits, width),
                    MinMax::SMax => signed(a.bits, width) >= signed(b.bits, width),
                    MinMax::UMin => a.bits <= b.bits,
                    MinMax::UMax => a.bits >= b.bits,
                };
                self.set_both(thread, operands, if first { a.bits } else { b.bits }, &[a, b]);
                Ok(())
            }
            InstKind::Funnel { left, .. } => {
                let (a, b, by) = (wide(self, 0), wide(self, 1), wide(self, 2));
                let width = operands.types[0].bits();
                let n = (by.bits % u128::from(width)) as u32;
                let bits = match (n, left) {
                    (0, true) => a.bits,
                    (0, false) => b.bits,
                    (n, true) => a.bits << n | b.bits >> (width - n),
                    (n, false) => a.bits << (width - n) | b.bits >> n,
                };
                self.set_both(thread, operands, bits, &[a, b, by]);
                Ok(())
            }
            InstKind::Fma { .. } => {
                let (a, b, c) = (wide(self, 0), wide(self, 1), wide(self, 2));
                let width = operands.types[0].bits();
                let bits = float::fma(width, a.bits as u64, b.bits as u64, c.bits as u64);
                self.set_both(thread, operands, u128::from(bits), &[a, b, c]);
                Ok(())
            }
            InstKind::Gep {
                offset,
                terms,
                inbounds,
                ..
            } => {
                let base = self.slot(thread, operands.operands[0].0);
                let mut address = base.bits.wrapping_add_signed(*offset);
                for (i, term) in terms.iter().enumerate() {
                    let index = self.slot(thread, operands.operands[i + 1].0);
                    if !index.is_concrete() {
                        self.set_slot(thread, operands.results[0].0, index);
                        return Ok(());
                    }
                    let index = super::signed(index.bits, term.bits);
                    address = address.wrapping_add_signed(index.wrapping_mul(term.stride));
                }
                self.set_slot(
                    thread,
                    operands.results[0].0,
                    super::moved(&self.state.memory.tags, base, address, *inbounds),
                );
                Ok(())
            }
            InstKind::Alloca { align, .. } => {
                let size = self.defined(thread, operands, 0, "the size of a local array", site)?;
                let ip = self.state.thread(thread).core.frame.ip;
                let object = Object {
                    size,
                    kind: Kind::Stack,
                    life: Life::Live,
                    zeroed: false,
                    name: 0,
                    made: site,
                    ended: Site::default(),
                };
                let base = self
                    .allocate_local(thread, ip, object, u64::from(*align))
                    .ok_or(Trouble::Parked)?;
                self.set_slot(thread, operands.results[0].0, Value::new(base));
                Ok(())
            }
            InstKind::StackSave { .. } => {
                let count = self.state.thread(thread).locals.len() as u64;
                self.set_slot(thread, operands.results[0].0, Value::new(count));
                Ok(())
            }
            InstKind::StackRestore { .. } => {
                let count = self.defined(thread, operands, 0, "a stack pointer", site)?;
                let least = u64::from(self.state.thread(thread).core.frame.locals);
                self.end_locals_early(thread, count.max(least) as usize, Life::OutOfScope, site);
                Ok(())
            }
            InstKind::Load { ty, order, .. } => {
                self.wide_or_atomic_load(thread, *ty, *order, operands, site, performing)
            }
            InstKind::Store { ty, order, .. } => {
                self.wide_or_atomic_store(thread, *ty, *order, operands, site, performing)
            }
            InstKind::Rmw { op, ty, order, .. } => {
                self.rmw(thread, *op, *ty, *order, operands, site, performing)
            }
            InstKind::CompareExchange {
                ty, order, failure, ..
            } => self.compare_exchange(thread, *ty, [*order, *failure], operands, site, performing),
            InstKind::Fence {
                single_thread: true, ..
            } => Ok(()),
            InstKind::Fence { order, .. } => {
                if performing || self.state.unjoined() == 0 {
                    return Ok(());
                }
                let action = Action::new(thread, Visible::Fence);
                Err(Trouble::Visible(Action {
                    stmt: site.stmt,
                    order: super::atomic::order_of(*order),
                    ..action
                }))
            }
            InstKind::Pause => {
                if performing || self.state.unjoined() == 0 {
                    return Ok(());
                }
                Err(Trouble::Visible(Action {
                    stmt: site.stmt,
                    ..Action::new(thread, Visible::Yield)
                }))
            }
            InstKind::MemCopy { overlap, .. } => {
                let to = self.defined(thread, operands, 0, "the destination of a copy", site)?;
                let from = self.defined(thread, operands, 1, "the source of a copy", site)?;
                let len = self.defined(thread, operands, 2, "the length of a copy", site)?;
                self.range(from, len, false, site)?;
                self.range(to, len, true, site)?;
                if !overlap && from != to && from < to.saturating_add(len) && to < from.saturating_add(len) {
                    return Err(self.fault_at(
                        FaultKind::OverlappingCopy,
                        "copy between overlapping ranges",
                        site,
                    ));
                }
                self.state.memory.copy(to, from, len);
                Ok(())
            }
            InstKind::MemSet { .. } => {
                let to = self.defined(thread, operands, 0, "the destination of a fill", site)?;
                let byte = self.slot(thread, operands.operands[1].0);
                let len = self.defined(thread, operands, 2, "the length of a fill", site)?;
                self.range(to, len, true, site)?;
                let byte = arith::truncate(&self.state.memory.tags, byte, 8);
                self.state.memory.fill(to, len, byte);
                Ok(())
            }
            InstKind::VaStart { .. } => {
                let list = self.defined(thread, operands, 0, "the address of a va_list", site)?;
                self.range(list, 24, true, site)?;
                let area = self.state.thread(thread).core.frame.varargs;
                self.state.memory.poke_checked(list, 4, Value::new(48));
                self.state.memory.poke_checked(list + 4, 4, Value::new(176));
                self.state.memory.poke_checked(list + 8, 8, Value::new(area));
                self.state.memory.poke_checked(list + 16, 8, Value::new(0));
                Ok(())
            }
            InstKind::VaCopy { .. } => {
                let to = self.defined(thread, operands, 0, "the address of a va_list", site)?;
                let from = self.defined(thread, operands, 1, "the address of a va_list", site)?;
                self.range(from, 24, false, site)?;
                self.range(to, 24, true, site)?;
                self.state.memory.copy(to, from, 24);
                Ok(())
            }
            InstKind::Unsupported { what } => Err(Trouble::Unsupported(what.clone())),
            InstKind::Copy { .. }
            | InstKind::LocalAddr { .. }
            | InstKind::LifetimeStart { .. }
            | InstKind::LifetimeEnd { .. }
            | InstKind::Call { .. } => Err(Trouble::Unsupported(
                "an instruction in an unexpected form".into(),
            )),
        }
    }

    /// Checks a range and records one access to all of it.
    fn range(&mut self, address: u64, len: u64, write: bool, site: Site) -> Result<(), Trouble> {
        if len == 0 {
            return Ok(());
        }
        match self.state.memory.check(address, len, write) {
            Ok((_, object)) => {
                if object.kind != Kind::PrivateStack {
                    self.state.memory.record(address, len, write, site);
                }
                Ok(())
            }
            Err(e) => Err(self.bad_access(e, address, len, write, site)),
        }
    }

    pub(super) fn bad_access(
        &self,
        e: MemoryError,
        address: u64,
        size: u64,
        write: bool,
        site: Site,
    ) -> Trouble {
        memory_fault(&self.program, e, address, size, write, site).into()
    }

    #[allow(clippy::too_many_arguments)]
    fn binary(
        &mut self,
        thread: ThreadId,
        op: BinOp,
        nsw: bool,
        operands: &ComplexOperands,
        a: Wide,
        b: Wide,
        site: Site,
    ) -> Result<(), Trouble> {
        let width = operands.results[0].1.bits();
        if operands.results[0].1.is_float() {
            let bits = float::rare(op, width, a.bits as u64, b.bits as u64).unwrap_or(0);
            self.set_both(thread, operands, u128::from(bits), &[a, b]);
            return Ok(());
        }
        let divides = matches!(op, BinOp::UDiv | BinOp::SDiv | BinOp::URem | BinOp::SRem);
        let shifts = matches!(op, BinOp::Shl | BinOp::LShr | BinOp::AShr);
        if divides {
            if let Some(value) = b.tagged {
                return Err(undefined_fault(value, "the divisor", site).into());
            }
            if b.bits == 0 {
                return Err(self.fault_at(FaultKind::DivisionByZero, "division by zero", site));
            }
        }
        if shifts && b.tagged.is_none() && b.bits >= u128::from(width) {
            let text = format!("shift of a {width}-bit value by {}", signed(b.bits, width));
            return Err(self.fault_at(FaultKind::ShiftOutOfRange, text, site));
        }
        let (x, y) = (signed(a.bits, width), signed(b.bits, width));
        if self.program.options.check_overflow && nsw && a.tagged.is_none() && b.tagged.is_none() {
            let exact = match op {
                BinOp::Add => x.checked_add(y),
                BinOp::Sub => x.checked_sub(y),
                BinOp::Mul => x.checked_mul(y),
                _ => Some(0),
            };
            if exact.is_none_or(|r| signed(r as u128 & mask(width), width) != r) {
                let word = match op {
                    BinOp::Add => "addition",
                    BinOp::Sub => "subtraction",
                    _ => "multiplication",
                };
                let text = format!("signed {word} of {x} and {y} overflows {width} bits");
                return Err(self.fault_at(FaultKind::SignedOverflow, text, site));
            }
        }
        if width <= 64
            && (a.tagged.is_some() || b.tagged.is_some())
            && let Some(simple) = simple_op(op)
        {
            // Narrow operations come here only to be checked for overflow: undefined bits as on the fast path.
            let (a, b) = (
                self.slot(thread, operands.operands[0].0),
                self.slot(thread, operands.operands[1].0),
            );
            let value = arith::tagged(&self.state.memory.tags, simple, width as u8, a, b);
            self.set_slot(thread, operands.results[0].0, value);
            return Ok(());
        }
        let bits = match op {
            BinOp::Add => a.bits.wrapping_add(b.bits),
            BinOp::Sub => a.bits.wrapping_sub(b.bits),
            BinOp::Mul => a.bits.wrapping_mul(b.bits),
            BinOp::UDiv => a.bits / b.bits,
            BinOp::URem => a.bits % b.bits,
            BinOp::SDiv | BinOp::SRem => {
                let least = i128::MIN >> (128 - width);
                if x == least && y == -1 {
                    let text = "division of the least integer by -1 overflows";
                    return Err(self.fault_at(FaultKind::DivisionByZero, text, site));
                }
                (if op == BinOp::SDiv { x / y } else { x % y }) as u128
            }
            BinOp::Shl => a.bits.checked_shl(b.bits as u32).unwrap_or(0),
            BinOp::LShr => a.bits.checked_shr(b.bits as u32).unwrap_or(0),
            BinOp::AShr => (x >> (b.bits as u32).min(127)) as u128,
            BinOp::And => a.bits & b.bits,
            BinOp::Or => a.bits | b.bits,
            BinOp::Xor => a.bits ^ b.bits,
            _ => {
                return Err(Trouble::Unsupported(
                    "floating-point arithmetic on integers".into(),
                ));
            }
        };
        self.set_both(thread, operands, bits, &[a, b]);
        Ok(())
    }
}

fn simple_op(op: BinOp) -> Option<Op> {
    Some(match op {
        BinOp::Add => Op::Add,
        BinOp::Sub => Op::Sub,
        BinOp::Mul => Op::Mul,
        BinOp::Shl => Op::Shl,
        BinOp::LShr => Op::LShr,
        BinOp::AShr => Op::AShr,
        BinOp::And => Op::And,
        BinOp::Or => Op::Or,
        BinOp::Xor => Op::Xor,
        _ => return None,
    })
}

fn integer_unary(op: UnOp, width: u32, a: u128) -> u128 {
    match op {
        UnOp::Ctpop => u128::from(a.count_ones()),
        UnOp::Ctlz => u128::from(a.leading_zeros() - (128 - width)),
        UnOp::Cttz => u128::from(a.trailing_zeros().min(width)),
        UnOp::Bswap => a.swap_bytes() >> (128 - width),
        UnOp::BitReverse => a.reverse_bits() >> (128 - width),
        UnOp::Abs => signed(a, width).wrapping_abs() as u128,
        _ => a,
    }
}

fn compare(pred: IntPred, width: u32, a: u128, b: u128) -> bool {
    let (x, y) = (signed(a, width), signed(b, width));
    match pred {
        IntPred::Eq => a == b,
        IntPred::Ne => a != b,
        IntPred::Ult => a < b,
        IntPred::Ule => a <= b,
        IntPred::Ugt => a > b,
        IntPred::Uge => a >= b,
        IntPred::Slt => x < y,
        IntPred::Sle => x <= y,
        IntPred::Sgt => x > y,
        IntPred::Sge => x >= y,
    }
}

fn overflowing(op: OverflowOp, width: u32, a: u128, b: u128) -> (u128, bool) {
    let (x, y) = (signed(a, width), signed(b, width));
    let fits = |r: Option<i128>| r.is_some_and(|r| signed(r as u128 & mask(width), width) == r);
    let fits_unsigned = |r: Option<u128>| r.is_some_and(|r| r & mask(width) == r);
    let (bits, fits) = match op {
        OverflowOp::SAdd => (a.wrapping_add(b), fits(x.checked_add(y))),
        OverflowOp::SSub => (a.wrapping_sub(b), fits(x.checked_sub(y))),
        OverflowOp::SMul => (a.wrapping_mul(b), fits(x.checked_mul(y))),
        OverflowOp::UAdd => (a.wrapping_add(b), fits_unsigned(a.checked_add(b))),
        OverflowOp::USub => (a.wrapping_sub(b), b <= a),
        OverflowOp::UMul => (a.wrapping_mul(b), fits_unsigned(a.checked_mul(b))),
    };
    (bits & mask(width), !fits)
}

fn saturating(op: SatOp, width: u32, a: u128, b: u128) -> u128 {
    let (x, y) = (signed(a, width), signed(b, width));
    let (least, most) = (i128::MIN >> (128 - width), i128::MAX >> (128 - width));
    let clamp = |r: Option<i128>, negative: bool| match r {
        Some(r) => r.clamp(least, most) as u128,
        None => (if negative { least } else { most }) as u128,
    };
    let bits = match op {
        SatOp::SAdd => clamp(x.checked_add(y), x < 0),
        SatOp::SSub => clamp(x.checked_sub(y), x < 0),
        SatOp::UAdd => a.checked_add(b).map_or(mask(width), |r| r.min(mask(width))),
        SatOp::USub => a.saturating_sub(b),
        SatOp::UShl => {
            let by = b as u32;
            if a == 0 || (by < width && a.leading_zeros() >= by + (128 - width)) {
                a << by.min(127)
            } else {
                mask(width)
            }
        }
        SatOp::SShl => {
            let by = (b as u32).min(127);
            let r = x << by;
            if r >> by == x && r >= least && r <= most {
                r as u128
            } else {
                clamp(None, x < 0)
            }
        }
    };
    bits & mask(width)
}

fn cast(op: CastOp, from: Type, to: Type, a: Wide) -> Wide {
    let keep = |bits: u128| Wide {
        bits,
        tagged: a.tagged,
    };
    let poison = || Wide {
        bits: 0,
        tagged: Some(Value::poison(0, Poison::FloatToInt)),
    };
    let width = to.bits();
    match op {
        CastOp::Trunc | CastOp::ZExt | CastOp::Bitcast => keep(a.bits & mask(width)),
        CastOp::SExt => keep(signed(a.bits, from.bits()) as u128 & mask(width)),
        CastOp::FToU | CastOp::FToS | CastOp::FToUSat | CastOp::FToSSat => {
            let value = float::widen(from.bits(), a.bits as u64).trunc();
            let is_signed = matches!(op, CastOp::FToS | CastOp::FToSSat);
            let saturate = matches!(op, CastOp::FToUSat | CastOp::FToSSat);
            if is_signed {
                let (least, most) = (i128::MIN >> (128 - width), i128::MAX >> (128 - width));
                let integer = value as i128;
                // 2^(width-1) is exact in a double; the cast of Rust saturates.
                let fits =
                    value >= least as f64 && value < (most as f64 + if width < 53 { 1.0 } else { 0.0 });
                if !fits && !saturate && a.tagged.is_none() {
                    return poison();
                }
                return keep(integer.clamp(least, most) as u128 & mask(width));
            }
            let integer = value as u128;
            let fits = value >= 0.0 && (width == 128 || value < 2f64.powi(width as i32));
            if !fits && !saturate && a.tagged.is_none() {
                return poison();
            }
            keep(integer.min(mask(width)))
        }
        CastOp::UToF => keep(u128::from(from_integer(a.bits, false, width))),
        CastOp::SToF => keep(u128::from(from_integer(
            signed(a.bits, from.bits()) as u128,
            true,
            width,
        ))),
        CastOp::FTrunc => keep(u128::from((f64::from_bits(a.bits as u64) as f32).to_bits())),
        CastOp::FExt => keep(u128::from(f64::from(f32::from_bits(a.bits as u32)).to_bits())),
    }
}

fn from_integer(bits: u128, is_signed: bool, width: u32) -> u64 {
    match (is_signed, width) {
        (false, 32) => u64::from((bits as f32).to_bits()),
        (false, _) => (bits as f64).to_bits(),
        (true, 32) => u64::from((bits as i128 as f32).to_bits()),
        (true, _) => (bits as i128 as f64).to_bits(),
    }
}

/// The order of an access, with plain ones for `None`.
pub(super) fn order_or_plain(order: Option<AtomicOrder>) -> selvedge_model::MemoryOrder {
    order.map_or(selvedge_model::MemoryOrder::NotAtomic, super::atomic::order_of)
}

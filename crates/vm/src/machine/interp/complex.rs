//! Instructions that keep the form of the ir: wide integers, rare arithmetic, atomics, ranges of
//! memory, variable arguments.

use super::stop::{Stop, Trouble, order_of};
use super::wide::{Wide, cast, integer_unary, mask, overflowing, saturating, signed};
use crate::arithmetic as arith;
use crate::arithmetic::float;
use crate::code::{ComplexOperands, NONE};
use crate::memory::{Kind, Life, Maker, MemoryError, Object, Site};
use crate::native::{Wrong, memory_fault, undefined_fault};
use crate::value::{Poison, Value};
use crate::vm::Vm;
use crate::word::{LandingField, WordKey};
use selvedge_base::{Id, ThreadId};
use selvedge_ir::{InstKind, MinMax, UnOp};
use selvedge_model::{Access, Action, Fault, FaultKind, Limit, MemoryOrder, Notice, Op as Visible};

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

impl Vm {
    /// A fence orders accesses of its thread, and nothing that others do depends on when: so it is
    /// recorded among the accesses. But a loop that waits in fences has to come to an action.
    fn fence(
        &mut self,
        thread: ThreadId,
        order: MemoryOrder,
        site: Site,
        performing: bool,
    ) -> Result<(), Trouble> {
        let core = &self.state.thread(thread).core;
        // A block is one action, which orders it with others by itself.
        let is_ordered = core.atomic != 0 && !core.is_within_channel();
        if is_ordered || self.state.unjoined() == 0 {
            return Ok(());
        }
        let mut accesses = self.state.memory.accesses().iter();
        if core.atomic == 0 && !performing && accesses.any(Access::is_fence) {
            return self.pause(thread, site, performing);
        }
        self.state
            .memory
            .record_fence(Access::fence(order, site.stmt, site.context));
        Ok(())
    }

    /// Lets others run.
    fn pause(&self, thread: ThreadId, site: Site, performing: bool) -> Result<(), Trouble> {
        let core = &self.state.thread(thread).core;
        if performing || core.atomic != 0 || self.state.unjoined() == 0 {
            return Ok(());
        }
        Err(Trouble::Visible(Action {
            stmt: site.stmt,
            ..Action::new(thread, Visible::Yield)
        }))
    }

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
        // Copying and filling may take long although there are few instructions.
        if !performing && self.has_to_stop() {
            self.forget_accesses();
            self.state.notify(Notice::Limit(Limit::stopped(site.stmt)));
            return Done::Parked;
        }
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
        let t = self.state.acting(thread);
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
                Some(bits) if symbol.undefined == 0 => {
                    match self.state.memory.tags.stray_of(symbol, bits as u64) {
                        None => Ok(bits as u64),
                        Some(stray) => Err(undefined_fault(stray, what, site).into()),
                    }
                }
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

    /// The result of a select whose condition is neither true nor false.
    pub(crate) fn join_words(&mut self, thread: ThreadId, operands: &ComplexOperands, condition: Value) {
        let ((low, high), (other_low, other_high)) = (operands.operands[1], operands.operands[2]);
        let slot = operands.results[0].0;
        let joined =
            |vm: &Vm, yes: u16, no: u16| vm.join(condition, vm.slot(thread, yes), vm.slot(thread, no));
        let value = joined(self, low, other_low);
        let above = (high != NONE).then(|| joined(self, high, other_high));
        self.set_slot(thread, slot, value);
        if let Some(value) = above {
            self.set_slot(thread, slot + 1, value);
        }
    }

    pub(super) fn set_both(
        &mut self,
        thread: ThreadId,
        operands: &ComplexOperands,
        bits: u128,
        inputs: &[Wide],
    ) {
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
        if let InstKind::Un { op: UnOp::Freeze, .. } = kind {
            self.freeze(thread, operands, site);
            return Ok(());
        }
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
                let result = pred.holds(ty.bits(), a.bits, b.bits);
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
                let condition = self.slot(thread, operands.operands[0].0);
                if self.has_truth(condition) {
                    self.select_words(thread, operands, condition.bits & 1 != 0);
                } else {
                    self.join_words(thread, operands, condition);
                }
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
                let mut moved_by = i128::from(*offset);
                let mut fits = true;
                for (i, term) in terms.iter().enumerate() {
                    let index = self.slot(thread, operands.operands[i + 1].0);
                    if !index.is_concrete() {
                        self.set_slot(thread, operands.results[0].0, index);
                        return Ok(());
                    }
                    let scaled = i128::from(arith::signed(index.bits, term.bits)) * i128::from(term.stride);
                    moved_by += scaled;
                    fits &= i64::try_from(scaled).is_ok();
                }
                fits &= i64::try_from(moved_by).is_ok();
                let address = base.bits.wrapping_add(moved_by as u64);
                let value = if *inbounds && !fits {
                    Value::poison(address, Poison::AddressOverflow)
                } else {
                    super::plain::moved(&self.state.memory.tags, base, address, *inbounds)
                };
                self.set_slot(thread, operands.results[0].0, value);
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
                    by: Maker::Other,
                    protection: 0,
                    name: 0,
                    made: site,
                    ended: Site::default(),
                    reborn: false,
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
                ty,
                order,
                failure,
                weak,
                ..
            } => {
                let orders = [*order, *failure];
                self.compare_exchange(thread, *ty, orders, *weak, operands, site, performing)
            }
            InstKind::Fence {
                single_thread: true, ..
            } => Ok(()),
            InstKind::Fence { order, .. } => self.fence(thread, order_of(*order), site, performing),
            InstKind::Pause => self.pause(thread, site, performing),
            InstKind::LandingPad { .. } => {
                let exception = WordKey::Landing(thread, LandingField::Exception);
                let selector = WordKey::Landing(thread, LandingField::Selector);
                let values = [exception, selector].map(|key| self.state.word(key));
                for (&(slot, _), bits) in operands.results.iter().zip(values) {
                    self.set_slot(thread, slot, Value::new(bits));
                }
                self.state.set_word(exception, 0);
                self.state.set_word(selector, 0);
                Ok(())
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
                self.state
                    .copy_with_inputs(&self.program, (thread, site), (to, from, len));
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
            Ok((_, &object)) => {
                if write {
                    self.state.memory.note_written(address, len, site);
                }
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
        match memory_fault(&self.program, e, address, size, write, site) {
            Wrong::Fault(fault) => Trouble::Fault(fault),
            Wrong::Unsupported(what) => Trouble::Unsupported(what),
        }
    }
}

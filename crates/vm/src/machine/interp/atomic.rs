//! Atomic accesses, and plain accesses of more than 8 bytes. All atomic accesses pass through here.
//!
//! They are sequentially consistent whatever their order is. The order only decides which of them
//! the race detector treats as synchronisation.

use super::stop::{Trouble, order_of, order_or_plain};
use super::wide::Wide;
use crate::arithmetic as arith;
use crate::code::{ComplexOperands, Op};
use crate::memory::{Kind, MemoryError, Site, has_left};
use crate::value::{Symbol, Tags, Value};
use crate::visible;
use crate::vm::Vm;
use selvedge_base::ThreadId;
use selvedge_ir::{AtomicOrder, BinOp, RmwOp, Type};
use selvedge_model::{
    Access, Action, FaultKind, MemoryOrder, Notice, ObjectId, Op as Visible, Outcome, Unsupported,
};

/// What an addition returns that nobody looks at: the same in all orders.
const NOTHING: [Value; 2] = [Value::new(0), Value::new(0)];

impl Vm {
    /// Stops before an access that is a scheduling point. Otherwise checks it and records it,
    /// unless it is the action being performed.
    #[allow(clippy::too_many_arguments)]
    fn enter_access(
        &mut self,
        thread: ThreadId,
        op: Visible,
        operands: &ComplexOperands,
        ty: Type,
        order: MemoryOrder,
        site: Site,
        performing: bool,
    ) -> Result<u64, Trouble> {
        self.begin_access(thread, op, operands, (ty, order), site, performing, true)
    }

    /// The same. `may_be_left_out`: an access to a [confined](crate::confined) variable is no
    /// scheduling point.
    #[allow(clippy::too_many_arguments)]
    fn begin_access(
        &mut self,
        thread: ThreadId,
        op: Visible,
        operands: &ComplexOperands,
        (ty, order): (Type, MemoryOrder),
        site: Site,
        performing: bool,
        may_be_left_out: bool,
    ) -> Result<u64, Trouble> {
        let write = op != Visible::Read;
        let what = if write {
            "the address written"
        } else {
            "the address read"
        };
        let address = self.defined(thread, operands, 0, what, site)?;
        let size = u64::from(ty.bytes());
        let visible = visible::includes(&self.program, order, site.stmt);
        let ip = self.state.thread(thread).core.frame.ip;
        if visible
            && !performing
            && let Some(action) = self.memory_action(thread, ip, op, address, size, order)
        {
            if !may_be_left_out || !self.is_confined(thread, order, (address, size), write) {
                return Err(Trouble::Visible(action));
            }
            self.left_out += 1;
        }
        // The outcome of a read-modify-write says whether its comparison failed.
        let says = performing && !matches!(op, Visible::Rmw | Visible::Add);
        let (_, object) = match self.state.memory.check(address, size, write) {
            Ok(found) => found,
            Err(e) => {
                self.note_failed(says);
                return Err(self.bad_access(e, address, size, write, site));
            }
        };
        if order != MemoryOrder::NotAtomic && !address.is_multiple_of(size.next_power_of_two()) {
            self.note_failed(says);
            let text = format!("atomic access of {size} bytes at an address that is no multiple of {size}");
            return Err(self.fault_at(FaultKind::Misaligned, text, site));
        }
        if !performing && object.kind != Kind::PrivateStack {
            let access = Access {
                address,
                context: site.context,
                stmt: site.stmt,
                size: size as u32,
                write,
                order,
            };
            if op == Visible::Rmw && self.state.thread(thread).core.is_within_channel() {
                self.state.memory.record_access(Access {
                    write: false,
                    ..access
                });
            }
            self.state.memory.record_access(access);
            if write && order.releases() {
                self.state.memory.begin_part();
            }
        }
        Ok(address)
    }

    /// Whether an access to an address is a scheduling point.
    fn is_visible(&self, thread: ThreadId, ip: u32, address: u64, ty: Type, order: MemoryOrder) -> bool {
        let size = u64::from(ty.bytes());
        let action = self.memory_action(thread, ip, Visible::Rmw, address, size, order);
        action.is_some() && !self.is_confined(thread, order, (address, size), true)
    }

    /// Whether a compare-exchange ends in one way, whatever the inputs are.
    fn is_certain(&self, thread: ThreadId, ty: Type, operands: &ComplexOperands) -> bool {
        let address = self.slot(thread, operands.operands[0].0);
        address.is_concrete() && self.compares_equal(thread, ty, operands, address.bits).is_some()
    }

    /// The words at an address: low and high.
    fn peek_words(&self, address: u64, ty: Type) -> [Value; 2] {
        let size = u64::from(ty.bytes());
        let mut low = self.state.memory.peek_checked(address, size.min(8));
        if ty.bits() < 64 {
            low = arith::truncate(&self.state.memory.tags, low, ty.bits() as u8);
        }
        let high = if size > 8 {
            self.state.memory.peek_checked(address + 8, size - 8)
        } else {
            Value::new(0)
        };
        [low, high]
    }

    /// The words at an address, as an atomic operation reads them that writes, too.
    fn read_words(&mut self, by: (ThreadId, Site), address: u64, ty: Type) -> [Value; 2] {
        let words = self.peek_words(address, ty);
        if ty.bits() > 64 || !ty.bits().is_multiple_of(8) {
            return words;
        }
        let place = (address, u64::from(ty.bytes()));
        let [low, high] = words;
        [self.state.with_shared_inputs(&self.program, by, place, low), high]
    }

    /// The words of an operand: low and high.
    fn words(&self, thread: ThreadId, operands: &ComplexOperands, i: usize) -> [Value; 2] {
        let (low, high) = operands.operands[i];
        let high = if high == crate::code::NONE {
            Value::new(0)
        } else {
            self.slot(thread, high)
        };
        [self.slot(thread, low), high]
    }

    /// Sets the first result to words of its type.
    fn set_words(&mut self, thread: ThreadId, operands: &ComplexOperands, [low, high]: [Value; 2]) {
        let (slot, ty) = operands.results[0];
        self.set_slot(thread, slot, low);
        if ty.is_wide() {
            self.set_slot(thread, slot + 1, high);
        }
    }

    fn poke_words(&mut self, (address, site): (u64, Site), ty: Type, low: Value, high: Value) {
        let size = u64::from(ty.bytes());
        self.state.memory.note_written(address, size, site);
        self.state.memory.poke_checked(address, size.min(8), low);
        if size > 8 {
            self.state.memory.poke_checked(address + 8, size - 8, high);
        }
    }

    /// A plain access of 16 bytes is two of the processor, between which another thread may come.
    /// If it is an action, that is not explored.
    fn refuse_torn(&mut self, ty: Type, order: MemoryOrder, site: Site, performing: bool) {
        let is_plain = order == MemoryOrder::NotAtomic;
        if performing && ty.bytes() > 8 && is_plain && !self.program.options.sees_races {
            let what = "a plain access of 16 bytes beside other threads, under visibility memory";
            let stmt = self.called_at(site);
            self.state.notify(Notice::Unsupported(Unsupported {
                what: what.into(),
                stmt,
            }));
        }
    }

    pub(super) fn wide_or_atomic_load(
        &mut self,
        thread: ThreadId,
        ty: Type,
        order: Option<AtomicOrder>,
        operands: &ComplexOperands,
        site: Site,
        performing: bool,
    ) -> Result<(), Trouble> {
        let order = order_or_plain(order);
        let address = self.enter_access(thread, Visible::Read, operands, ty, order, site, performing)?;
        self.refuse_torn(ty, order, site, performing);
        let slot = operands.results[0].0;
        let size = u64::from(ty.bytes());
        let mut low = self.state.memory.peek_checked(address, size.min(8));
        let by = (thread, site);
        low = self
            .state
            .with_inputs(&self.program, by, (address, size.min(8)), low);
        if ty.bits() < 64 {
            low = arith::truncate(&self.state.memory.tags, low, ty.bits() as u8);
        }
        self.set_slot(thread, slot, low);
        if size > 8 {
            let place = (address + 8, size - 8);
            let high = self.state.memory.peek_checked(place.0, place.1);
            let high = self.state.with_inputs(&self.program, by, place, high);
            self.set_slot(thread, slot + 1, high);
        }
        Ok(())
    }

    pub(super) fn wide_or_atomic_store(
        &mut self,
        thread: ThreadId,
        ty: Type,
        order: Option<AtomicOrder>,
        operands: &ComplexOperands,
        site: Site,
        performing: bool,
    ) -> Result<(), Trouble> {
        let order = order_or_plain(order);
        let address = self.enter_access(thread, Visible::Write, operands, ty, order, site, performing)?;
        self.refuse_torn(ty, order, site, performing);
        let (low, high) = operands.operands[1];
        let low = self.slot(thread, low);
        let high = if high == crate::code::NONE {
            Value::new(0)
        } else {
            self.slot(thread, high)
        };
        self.poke_words((address, site), ty, low, high);
        Ok(())
    }

    #[allow(clippy::too_many_arguments)]
    pub(super) fn rmw(
        &mut self,
        thread: ThreadId,
        op: RmwOp,
        ty: Type,
        order: AtomicOrder,
        operands: &ComplexOperands,
        site: Site,
        performing: bool,
    ) -> Result<(), Trouble> {
        let order = order_of(order);
        let blind = self.is_blind_addition(thread, (op, ty), operands);
        let visible = if blind { Visible::Add } else { Visible::Rmw };
        let address = self.enter_access(thread, visible, operands, ty, order, site, performing)?;
        let words = self.read_words((thread, site), address, ty);
        let given = self.words(thread, operands, 1);
        self.set_words(thread, operands, if blind { NOTHING } else { words });
        let [low, high] = match op {
            RmwOp::Xchg => given,
            _ => self.combined(op, ty, words, given),
        };
        self.poke_words((address, site), ty, low, high);
        Ok(())
    }

    /// What a read-modify-write stores that is no exchange.
    fn combined(&self, op: RmwOp, ty: Type, old: [Value; 2], given: [Value; 2]) -> [Value; 2] {
        let tags = &self.state.memory.tags;
        let words = self.combine_symbolic(op, ty, old, given);
        let [low, high] = words.unwrap_or_else(|| combine_words(tags, op, ty, old, given));
        let adds = matches!(op, RmwOp::Add | RmwOp::Sub) && ty.bits() == 64;
        if adds && tags.origin(given[0]) == 0 {
            return [moved(tags, self.home(old[0]), low), high];
        }
        [low, high]
    }

    /// The object of an address that is added to, dead or alive; 0 for a number. What is not marked
    /// and lies in no object is a number.
    fn home(&self, value: Value) -> u64 {
        let memory = &self.state.memory;
        let found = memory.check(value.bits, 0, false);
        match value.is_concrete() && matches!(found, Err(MemoryError::Null | MemoryError::Invalid)) {
            true => 0,
            false => memory.tags.origin(value),
        }
    }

    /// True if a compare-exchange at an address would store its new value, or if this is not known.
    pub(crate) fn would_succeed(
        &self,
        thread: ThreadId,
        ty: Type,
        operands: &ComplexOperands,
        address: u64,
    ) -> bool {
        if self
            .state
            .memory
            .check(address, u64::from(ty.bytes()), false)
            .is_err()
        {
            return false;
        }
        self.compares_equal(thread, ty, operands, address).unwrap_or(true)
    }

    /// Whether what lies at an address is what a compare-exchange expects there; `None` if that is
    /// not known.
    pub(crate) fn compares_equal(
        &self,
        thread: ThreadId,
        ty: Type,
        operands: &ComplexOperands,
        address: u64,
    ) -> Option<bool> {
        let memory = &self.state.memory;
        memory.check(address, u64::from(ty.bytes()), false).ok()?;
        let (old, expected) = (self.peek_words(address, ty), self.words(thread, operands, 1));
        let pairs = || old.iter().zip(&expected);
        let known = pairs().all(|(a, b)| a.is_concrete() && b.is_concrete());
        known.then(|| pairs().all(|(a, b)| a.bits == b.bits))
    }

    /// The action of a weak compare-exchange that no other thread can observe, if it may fail: its
    /// failure is a choice.
    fn weak_choice(
        &self,
        thread: ThreadId,
        ty: Type,
        order: MemoryOrder,
        operands: &ComplexOperands,
        (address, site): (u64, Site),
    ) -> Option<Result<Action, Trouble>> {
        let may_fail =
            self.program.options.weak_failures && self.would_succeed(thread, ty, operands, address);
        if !may_fail {
            return None;
        }
        let core = self.state.thread(thread).core;
        // The code of a channel tries again until it succeeds.
        if core.is_within_channel() {
            return None;
        }
        if core.atomic != 0 {
            let what = "a weak compare-exchange, which may fail, in an atomic block";
            return Some(Err(Trouble::Unsupported(what.into())));
        }
        Some(Ok(Action {
            stmt: site.stmt,
            size: ty.bytes(),
            order,
            may_fail: true,
            blocks: self.program.blocks_at(address),
            ..Action::on(thread, Visible::Rmw, ObjectId(address))
        }))
    }

    /// `orders`: on success and on failure. A failure is a read with an order of its own, which the
    /// race detector gets as the first access of the event. A `weak` one may fail although the
    /// values are equal: alternative 1.
    #[allow(clippy::too_many_arguments)]
    pub(super) fn compare_exchange(
        &mut self,
        thread: ThreadId,
        ty: Type,
        orders: [AtomicOrder; 2],
        weak: bool,
        operands: &ComplexOperands,
        site: Site,
        performing: bool,
    ) -> Result<(), Trouble> {
        let order = order_of(orders[0]);
        let ip = self.state.thread(thread).core.frame.ip;
        if weak && !performing {
            let address = self.defined(thread, operands, 0, "the address written", site)?;
            let is_action = self.is_visible(thread, ip, address, ty, order);
            if !is_action && let Some(choice) = self.weak_choice(thread, ty, order, operands, (address, site))
            {
                return Err(choice.map_or_else(|trouble| trouble, Trouble::Visible));
            }
        }
        let certain = self.is_certain(thread, ty, operands);
        let address = self
            .begin_access(
                thread,
                Visible::Rmw,
                operands,
                (ty, order),
                site,
                performing,
                certain,
            )
            .map_err(|trouble| match trouble {
                Trouble::Visible(action) => Trouble::Visible(Action {
                    may_fail: true,
                    ..action
                }),
                other => other,
            })?;
        let words = self.read_words((thread, site), address, ty);
        let (old, expected) = (wide(words), self.wide(thread, operands, 1));
        let given = self.words(thread, operands, 1);
        let fails = weak && performing && self.alternative > 0;
        let success = if fails {
            false
        } else if let Some(equal) = self.equal_symbolic(ty, words, given) {
            let differ = self.state.memory.tags.arena.not(equal);
            let outcome = self.split(thread, site, performing, &[equal, differ]);
            outcome.map_err(Trouble::Stop)? == 0
        } else if let Some(value) = old.tagged.or(expected.tagged) {
            let what = "a value compared by compare-and-exchange";
            let value = if value.is_symbolic() { Value::UNDEF } else { value };
            return Err(crate::native::undefined_fault(value, what, site).into());
        } else {
            old.bits == expected.bits
        };
        if success {
            let (low, high) = operands.operands[2];
            let low = self.slot(thread, low);
            let high = if high == crate::code::NONE {
                Value::new(0)
            } else {
                self.slot(thread, high)
            };
            self.poke_words((address, site), ty, low, high);
        } else if performing {
            self.outcome = Outcome::Failed;
            self.state.memory.record_access(Access {
                address,
                context: site.context,
                stmt: site.stmt,
                size: ty.bytes(),
                write: false,
                order: order_of(orders[1]),
            });
        }
        self.set_words(thread, operands, words);
        self.set_wide(
            thread,
            operands,
            1,
            Wide {
                bits: u128::from(success),
                tagged: None,
            },
        );
        Ok(())
    }
}

/// The sum of an address of an object and a number: an address of the same object, or one that
/// lies outside of it. `home`: 0 if it is a sum of numbers.
fn moved(tags: &Tags, home: u64, sum: Value) -> Value {
    match tags.symbol(sum.tag) {
        Some(symbol) => tags.symbolic(Symbol { home, ..symbol }),
        None if sum.is_concrete() && has_left(sum.bits, home) => tags.stray(sum.bits, home),
        None => sum,
    }
}

/// What is stored where no operand is an expression, or one has undefined bits.
fn combine_words(tags: &Tags, op: RmwOp, ty: Type, old: [Value; 2], given: [Value; 2]) -> [Value; 2] {
    let [old, given] = [old, given].map(|words| words.map(Value::as_number));
    let all = || old.iter().chain(&given);
    if all().all(|word| word.is_concrete()) {
        let [old, given] = [old, given].map(|[low, high]| u128::from(low.bits) | u128::from(high.bits) << 64);
        let bits = combine(op, ty, old, given);
        return [bits as u64, (bits >> 64) as u64].map(Value::new);
    }
    let width = ty.bits().min(64) as u8;
    let apart = |op: Op| [0, 1].map(|i| arith::tagged(tags, op, 64, old[i], given[i]));
    let one = |op: Op| [arith::tagged(tags, op, width, old[0], given[0]), Value::new(0)];
    match op {
        RmwOp::And => apart(Op::And),
        RmwOp::Or => apart(Op::Or),
        RmwOp::Xor => apart(Op::Xor),
        RmwOp::Nand => {
            let ones = Value::new(u64::MAX >> (64 - width));
            apart(Op::And).map(|word| arith::tagged(tags, Op::Xor, 64, word, ones))
        }
        RmwOp::Add if ty.bits() <= 64 => one(Op::Add),
        RmwOp::Sub if ty.bits() <= 64 => one(Op::Sub),
        _ => {
            let poison = all().find(|word| word.tag.as_poison().is_some());
            [poison.copied().unwrap_or(Value::UNDEF); 2]
        }
    }
}

fn combine(op: RmwOp, ty: Type, old: u128, value: u128) -> u128 {
    let width = ty.bits();
    let shift = 128 - width;
    let (x, y) = (
        ((old << shift) as i128) >> shift,
        ((value << shift) as i128) >> shift,
    );
    let bits = match op {
        RmwOp::Xchg => value,
        RmwOp::Add => old.wrapping_add(value),
        RmwOp::Sub => old.wrapping_sub(value),
        RmwOp::And => old & value,
        RmwOp::Nand => !(old & value),
        RmwOp::Or => old | value,
        RmwOp::Xor => old ^ value,
        RmwOp::Max => x.max(y) as u128,
        RmwOp::Min => x.min(y) as u128,
        RmwOp::UMax => old.max(value),
        RmwOp::UMin => old.min(value),
        RmwOp::FAdd | RmwOp::FSub | RmwOp::FMax | RmwOp::FMin => {
            let op = match op {
                RmwOp::FAdd => BinOp::FAdd,
                RmwOp::FSub => BinOp::FSub,
                RmwOp::FMax => BinOp::FMax,
                _ => BinOp::FMin,
            };
            u128::from(crate::arithmetic::float::rare(op, width, old as u64, value as u64).unwrap_or(0))
        }
    };
    bits & (u128::MAX >> shift)
}

/// A value of these words.
fn wide([low, high]: [Value; 2]) -> Wide {
    let tagged = [low, high].into_iter().find(|v| !v.is_concrete());
    Wide {
        bits: u128::from(low.bits) | u128::from(high.bits) << 64,
        tagged,
    }
}

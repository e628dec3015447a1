//! One instruction, whatever its operands are: undefined, poison or symbolic values, recorded
//! accesses, faults, limits.
//!
//! `plain` executes most instructions of a concrete program. This executes all instructions except
//! calls and returns.

use super::complex;
use super::placement;
use super::plain::moved;
use super::stop::Stop;
use super::window::Window;
use crate::arithmetic::partly::{DISTANCE, DIVIDEND, may_leave, may_not_divide};
use crate::arithmetic::{self as arith, signed, truncate};
use crate::code::{Code, Inst, Op};
use crate::memory::{Kind, Site};
use crate::native::{memory_fault, undefined_fault};
use crate::symbolic::Reached;
use crate::value::{Poison, Value, mask};
use crate::visible;
use crate::vm::Vm;
use selvedge_base::{Id, StmtId, ThreadId};
use selvedge_model::{Action, FaultKind, LimitKind, MemoryOrder, ObjectId, Op as Visible};

/// Where the thread is after an instruction.
pub(super) enum Next {
    /// Before this instruction.
    At(u32),
    /// Before this instruction. If an action was performed, it is complete.
    After(u32),
    /// Before this instruction; no instruction of the program was executed.
    Beside(u32),
    /// It stopped.
    Stopped(Stop),
}

impl Vm {
    /// Executes the instruction at `ip`. `performing`: it is the visible action that was chosen;
    /// `count`: how many instructions were executed in this step.
    #[inline(never)]
    pub(super) fn single(
        &mut self,
        thread: ThreadId,
        code: &Code,
        w: Window,
        ip: u32,
        performing: bool,
        count: u64,
    ) -> Next {
        macro_rules! stop_at {
            ($stop:expr) => {{
                self.state.own_core(thread).frame.ip = ip;
                return Next::Stopped($stop);
            }};
        }
        macro_rules! fault {
            ($fault:expr) => {{
                let fault = $fault;
                self.report_fault(fault);
                stop_at!(Stop::Parked)
            }};
        }
        let inst = w.inst(ip as usize);
        self.note_addresses(thread, w, ip, inst);
        match inst.op {
            Op::Load | Op::VisibleLoad => return self.load(thread, code, w, ip, inst, performing),
            Op::Store | Op::VisibleStore => return self.store(thread, code, w, ip, inst, performing),
            Op::Complex => {
                self.state.own_core(thread).frame.ip = ip;
                return match self.complex(thread, inst.long() as usize, performing) {
                    complex::Done::Next => Next::After(ip + 1),
                    complex::Done::Visible(action) => Next::Stopped(Stop::Visible(action)),
                    complex::Done::Parked => Next::Stopped(Stop::Parked),
                    complex::Done::Stopped(stop) => Next::Stopped(stop),
                };
            }
            Op::Mov => w.set(inst.a, w.get(inst.b)),
            Op::Add
            | Op::Sub
            | Op::Mul
            | Op::And
            | Op::Or
            | Op::Xor
            | Op::FAdd
            | Op::FSub
            | Op::FMul
            | Op::FDiv
            | Op::Eq
            | Op::Ne
            | Op::Ult
            | Op::Ule
            | Op::Ugt
            | Op::Uge
            | Op::Slt
            | Op::Sle
            | Op::Sgt
            | Op::Sge => {
                let (x, y) = (w.get(inst.b), w.get(inst.c));
                w.set(
                    inst.a,
                    arith::tagged(&self.state.memory.tags, inst.op, inst.w, x, y),
                );
            }
            Op::Shl | Op::LShr | Op::AShr => {
                let (x, y) = (w.get(inst.b), w.get(inst.c));
                if y.is_concrete() && y.bits >= u64::from(inst.w) {
                    let text = format!("shift of a {}-bit value by {}", inst.w, signed(y.bits, inst.w));
                    fault!(self.simple_fault(thread, ip, FaultKind::ShiftOutOfRange, text));
                }
                if y.is_symbolic()
                    && let Err(stop) = self.shift_by(thread, self.site(thread, ip), performing, inst.w, y)
                {
                    stop_at!(stop);
                }
                let undefined = !y.is_concrete() && !y.is_symbolic();
                if undefined && may_leave(u32::from(inst.w), self.partly(y)) {
                    fault!(undefined_fault(y, DISTANCE, self.site(thread, ip)));
                }
                w.set(
                    inst.a,
                    arith::tagged(&self.state.memory.tags, inst.op, inst.w, x, y),
                );
            }
            Op::UDiv | Op::SDiv | Op::URem | Op::SRem => {
                let (x, y) = (w.get(inst.b), w.get(inst.c));
                if x.is_symbolic() || y.is_symbolic() {
                    let site = self.site(thread, ip);
                    match self.divide(thread, site, performing, inst.op, inst.w, x, y) {
                        Ok(value) => w.set(inst.a, value),
                        Err(stop) => stop_at!(stop),
                    }
                    return Next::At(ip + 1);
                }
                if !y.is_concrete() {
                    fault!(undefined_fault(y, "the divisor", self.site(thread, ip)));
                }
                if y.bits == 0 {
                    fault!(self.simple_fault(thread, ip, FaultKind::DivisionByZero, "division by zero"));
                }
                let value = if x.is_concrete() {
                    match arith::quotient(inst.op, inst.w, x.bits, y.bits) {
                        Some(bits) => Value::new(bits),
                        None => fault!(self.simple_fault(
                            thread,
                            ip,
                            self.program.options.division_overflow(),
                            "division of the least integer by -1 overflows"
                        )),
                    }
                } else {
                    let signed = matches!(inst.op, Op::SDiv | Op::SRem);
                    if signed && may_not_divide(u32::from(inst.w), self.partly(x), self.partly(y)) {
                        fault!(undefined_fault(x, DIVIDEND, self.site(thread, ip)));
                    }
                    self.state.memory.tags.value(0, mask(inst.w))
                };
                w.set(inst.a, value);
            }
            Op::Trunc => {
                let value = w.get(inst.b);
                w.set(inst.a, truncate(&self.state.memory.tags, value, inst.w));
            }
            Op::SExt => {
                let value = w.get(inst.b);
                let to = inst.c as u8;
                let result = if value.is_concrete() {
                    Value::new(signed(value.bits, inst.w) as u64 & mask(to))
                } else {
                    arith::sign_extend(&self.state.memory.tags, value, inst.w, to)
                };
                w.set(inst.a, result);
            }
            Op::Select => {
                let cond = w.get(inst.b);
                let other = w.inst(ip as usize + 1).a;
                let chosen = if cond.is_concrete() {
                    w.get(if cond.bits & 1 != 0 { inst.c } else { other })
                } else {
                    let site = self.site(thread, ip);
                    match self.select(thread, site, performing, cond, w.get(inst.c), w.get(other)) {
                        Ok(value) => value,
                        Err(stop) => stop_at!(stop),
                    }
                };
                w.set(inst.a, chosen);
                return Next::At(ip + 2);
            }
            Op::Offset => {
                let base = w.get(inst.b);
                let by = w.get(inst.c).bits;
                let value = if base.is_symbolic() {
                    self.symbolic_address(base, &[], by, inst.w != 0)
                } else {
                    moved(
                        &self.state.memory.tags,
                        base,
                        base.bits.wrapping_add(by),
                        inst.w != 0,
                    )
                };
                w.set(inst.a, value);
            }
            Op::Index => {
                let data = w.inst(ip as usize + 1);
                let (base, index) = (w.get(inst.b), w.get(data.a));
                let (scaled, overflows) =
                    signed(index.bits, inst.c as u8).overflowing_mul(w.get(data.b).bits as i64);
                let address = base
                    .bits
                    .wrapping_add_signed(scaled)
                    .wrapping_add(w.get(data.c).bits);
                let value = if base.is_symbolic() || index.is_symbolic() {
                    let terms = [(index, inst.c as u8, w.get(data.b).bits)];
                    let fits = inst.w == 0
                        || match self.offsets_fit(thread, self.site(thread, ip), performing, &terms) {
                            Ok(fits) => fits,
                            Err(stop) => stop_at!(stop),
                        };
                    if fits {
                        self.symbolic_address(base, &terms, w.get(data.c).bits, inst.w != 0)
                    } else {
                        Value::poison(0, Poison::AddressOverflow)
                    }
                } else if index.is_concrete() && overflows && inst.w != 0 {
                    Value::poison(address, Poison::AddressOverflow)
                } else if index.is_concrete() {
                    moved(&self.state.memory.tags, base, address, inst.w != 0)
                } else {
                    index
                };
                w.set(inst.a, value);
                return Next::At(ip + 2);
            }
            Op::Jump => return self.jump(thread, ip, inst.long(), count),
            Op::Branch => {
                let cond = w.get(inst.a);
                let mut taken = cond.bits & 1 != 0;
                if !cond.is_concrete() {
                    if !performing && let Some(met) = self.agreement(thread, code, w, ip) {
                        return Next::At(met);
                    }
                    let site = self.site(thread, ip);
                    match self.decide(thread, site, performing, cond, "a branch condition") {
                        Ok(decided) => taken = decided,
                        Err(stop) => stop_at!(stop),
                    }
                }
                if taken {
                    return self.jump(thread, ip, inst.long(), count);
                }
            }
            Op::Switch => {
                let mut value = w.get(inst.a);
                let func = self.state.thread(thread).core.frame.func;
                if !value.is_concrete() {
                    let site = self.site(thread, ip);
                    let cases = if inst.w == 1 { None } else { Some((func, inst.b)) };
                    match self.switch_value(thread, site, performing, value, cases) {
                        Ok(bits) => value = Value::new(bits),
                        Err(stop) => stop_at!(stop),
                    }
                }
                let code = &self.program.code[func.index()];
                let target = if inst.w == 1 {
                    match self.program.block_at(func, value.bits) {
                        Some(block) => code.blocks[block],
                        None => fault!(self.simple_fault(
                            thread,
                            ip,
                            FaultKind::InvalidPointer,
                            "computed goto to an address that is no label of the function"
                        )),
                    }
                } else {
                    let table = &code.switches[inst.b as usize];
                    match table.cases.binary_search_by_key(&value.bits, |c| c.0) {
                        Ok(i) => table.cases[i].1,
                        Err(_) => table.default,
                    }
                };
                return self.jump(thread, ip, target, count);
            }
            Op::ThreadLocal => {
                let owner = match self.program.signals {
                    Some(_) => crate::arrived::acts_for(&self.state, thread),
                    None => thread,
                };
                let base = self.state.thread(owner).tls[inst.b as usize];
                w.set(inst.a, Value::new(base.wrapping_add(w.get(inst.c).bits)));
            }
            Op::Enter => match self.enter_local(thread, ip, inst.b as usize) {
                Some(base) => {
                    let func = self.state.thread(thread).core.frame.func;
                    let slot = self.program.code[func.index()].locals[inst.b as usize].slot;
                    w.set(slot, Value::new(base));
                }
                None => stop_at!(Stop::Parked),
            },
            Op::Begin => {
                let base = w.get(inst.b).bits;
                if !performing && let Some(action) = self.life_action(thread, ip, base) {
                    stop_at!(Stop::Visible(action));
                }
                let site = self.site(thread, ip);
                self.begin_life(base, site);
                self.state.bear_with_inputs(&self.program, (thread, site), base);
                return Next::After(ip + 1);
            }
            Op::Leave => {
                let base = w.get(inst.b).bits;
                if !performing && let Some(action) = self.end_action(thread, ip, base) {
                    stop_at!(Stop::Visible(action));
                }
                let site = self.site(thread, ip);
                self.end_life(base, site);
                return Next::After(ip + 1);
            }
            Op::Unreachable => fault!(self.simple_fault(
                thread,
                ip,
                FaultKind::Unreachable,
                "undefined behaviour: the end of a function that must return a value, or code that cannot be reached"
            )),
            Op::Cover => {
                self.reached.insert(inst.long());
                if self.watch.is_some() && self.watch(thread, inst.long()) {
                    stop_at!(Stop::Parked);
                }
                return Next::Beside(ip + 1);
            }
            Op::Trap => fault!(self.simple_fault(thread, ip, FaultKind::Abort, "the program traps")),
            Op::Call | Op::Return | Op::Explain => unreachable!("calls and returns are executed by the loop"),
            Op::Data => unreachable!("data is skipped by the instruction before"),
        }
        Next::At(ip + 1)
    }

    /// Reads memory.
    #[inline]
    fn load(
        &mut self,
        thread: ThreadId,
        code: &Code,
        w: Window,
        ip: u32,
        inst: Inst,
        performing: bool,
    ) -> Next {
        let pointer = w.get(inst.b);
        let (mut address, size) = (pointer.bits, u64::from(inst.w));
        if !pointer.is_concrete() {
            let site = self.site(thread, ip);
            match self.load_through(thread, site, performing, pointer, size) {
                Ok(Reached::Address(known)) => address = known,
                Ok(Reached::Done(value)) => {
                    w.set(inst.a, truncate(&self.state.memory.tags, value, inst.c as u8));
                    return Next::After(ip + 1);
                }
                Err(stop) => return self.stopped(thread, ip, stop),
            }
        }
        if inst.op == Op::VisibleLoad
            && !performing
            && let Some(action) =
                self.memory_action(thread, ip, Visible::Read, address, size, MemoryOrder::NotAtomic)
        {
            return self.stopped(thread, ip, Stop::Visible(action));
        }
        let site = self.site_in(thread, code, ip);
        let recording = self.silence(performing);
        let loaded = self.state.memory.load(address, size, site);
        self.state.memory.set_recording(recording);
        let value = match loaded {
            Ok(value) => self
                .state
                .with_inputs(&self.program, (thread, site), (address, size), value),
            Err(e) => {
                self.note_failed(performing);
                let wrong = memory_fault(&self.program, e, address, size, false, site);
                self.note_dead_access(&wrong, (address, size, false), site);
                self.report_access(wrong, site);
                return self.stopped(thread, ip, Stop::Parked);
            }
        };
        let bits = inst.c as u8;
        let whole = u64::from(bits) == size * 8;
        let value = if whole {
            value
        } else if !value.is_symbolic() && value.bits & !mask(bits) != 0 {
            Value::poison(0, Poison::OtherWidth)
        } else {
            truncate(&self.state.memory.tags, value, bits)
        };
        w.set(inst.a, value);
        Next::After(ip + 1)
    }

    /// Whether memory may be written and holds a certain value.
    fn holds(&self, address: u64, size: u64, value: Value) -> bool {
        let memory = &self.state.memory;
        memory.check(address, size, true).is_ok()
            && value.is_concrete()
            && memory.peek_checked(address, size) == value
    }

    /// Writes memory. The address of a virtual function table that is there already is only read:
    /// constructors and destructors store it for the compiler, not for the program, and in a
    /// destructor's body other threads may still call virtual functions of its class
    /// ([class.cdtor]).
    #[inline]
    fn store(
        &mut self,
        thread: ThreadId,
        code: &Code,
        w: Window,
        ip: u32,
        inst: Inst,
        performing: bool,
    ) -> Next {
        let (pointer, value) = (w.get(inst.a), w.get(inst.b));
        let (mut address, size) = (pointer.bits, u64::from(inst.w));
        if !pointer.is_concrete() {
            let site = self.site(thread, ip);
            match self.store_through(thread, site, performing, pointer, size, value) {
                Ok(Reached::Address(known)) => address = known,
                Ok(Reached::Done(())) => return Next::After(ip + 1),
                Err(stop) => return self.stopped(thread, ip, stop),
            }
        }
        if inst.op == Op::VisibleStore
            && !performing
            && let Some(action) =
                self.memory_action(thread, ip, Visible::Write, address, size, MemoryOrder::NotAtomic)
        {
            return self.stopped(thread, ip, Stop::Visible(action));
        }
        let site = self.site_in(thread, code, ip);
        if inst.c != 0 && self.holds(address, size, value) {
            // As an action it has written nothing; the read is recorded beside it.
            self.note_failed(performing);
            let _ = self.state.memory.load(address, size, site);
            return Next::After(ip + 1);
        }
        let recording = self.silence(performing);
        let stored = self.state.memory.store(address, size, value, site);
        self.state.memory.set_recording(recording);
        if let Err(e) = stored {
            self.note_failed(performing);
            let wrong = memory_fault(&self.program, e, address, size, true, site);
            self.note_dead_access(&wrong, (address, size, true), site);
            self.report_access(wrong, site);
            return self.stopped(thread, ip, Stop::Parked);
        }
        Next::After(ip + 1)
    }

    /// The statement and context of an instruction of the current frame, whose code this is.
    #[inline]
    fn site_in(&self, thread: ThreadId, code: &Code, ip: u32) -> Site {
        Site {
            stmt: code.stmts[ip as usize],
            context: self.state.thread(thread).core.frame.context,
        }
    }

    /// The thread stops before the instruction at `ip`.
    fn stopped(&mut self, thread: ThreadId, ip: u32, stop: Stop) -> Next {
        self.state.own_core(thread).frame.ip = ip;
        Next::Stopped(stop)
    }

    /// Records if the result depends on where the machine places objects.
    #[inline]
    fn note_addresses(&mut self, thread: ThreadId, w: Window, ip: u32, inst: Inst) {
        if !placement::concerns(inst.op) {
            return;
        }
        let certain = |operand| self.certain_number(w.get(operand));
        let first = certain(inst.b);
        // The second operand of a truncation is no register.
        let second = if inst.op == Op::Trunc {
            None
        } else {
            certain(inst.c)
        };
        // A hash may look like an address by chance.
        let is_in_object = |number: Option<u64>| {
            number.is_some_and(|bits| {
                placement::is_address(bits) && self.state.memory.object_at(bits).is_some()
            })
        };
        if placement::matters(inst, first, second) && (is_in_object(first) || is_in_object(second)) {
            self.note_address_use(self.site(thread, ip).stmt);
        }
    }

    /// A concrete value, or the address of the object that a value was computed from.
    fn certain_number(&self, value: Value) -> Option<u64> {
        let tags = &self.state.memory.tags;
        if value.is_concrete() {
            return Some(value.bits);
        }
        let home = match tags.symbol(value.tag) {
            Some(symbol) => symbol.home,
            None => tags.home(value.tag).unwrap_or(0),
        };
        (home != 0).then_some(home)
    }

    #[cold]
    pub(super) fn note_address_use(&mut self, stmt: StmtId) {
        if self.state.modes().turns {
            self.program.tell_apart();
        }
        if self.addresses.insert(stmt) {
            self.program.note_address_use(stmt);
        }
    }

    /// Takes a jump, unless a limit is exceeded.
    fn jump(&mut self, thread: ThreadId, ip: u32, target: u32, count: u64) -> Next {
        if target > ip {
            return Next::At(target);
        }
        if self.program.options.unroll.is_some() && self.unrolled(thread, ip) {
            return self.stopped(thread, ip, Stop::Parked);
        }
        let limit = self.program.options.max_steps;
        if count >= limit {
            let text = format!("a loop ran {limit} instructions without a visible action");
            self.limit(thread, ip, LimitKind::Steps, text);
            return self.stopped(thread, ip, Stop::Parked);
        }
        if self.long_step.is_on()
            && let Some(stop) = self.comes_round(thread, ip, target)
        {
            return self.stopped(thread, ip, stop);
        }
        Next::At(target)
    }

    /// Counts a backward jump. Returns true if it was taken more often in this step than `--unroll`
    /// allows.
    #[cold]
    pub(super) fn unrolled(&mut self, thread: ThreadId, ip: u32) -> bool {
        let Some(most) = self.program.options.unroll else {
            return false;
        };
        let place = (self.state.thread(thread).core.frame.func, ip);
        let taken = self.jumps.entry(place).or_insert(0);
        *taken += 1;
        if *taken > most {
            self.limit(
                thread,
                ip,
                LimitKind::Unroll,
                format!("a loop was taken more than {most} times within one step"),
            );
            return true;
        }
        false
    }

    /// The action of an access to memory, if it is a scheduling point: some other thread may reach
    /// the object.
    pub(super) fn memory_action(
        &self,
        thread: ThreadId,
        ip: u32,
        op: Visible,
        address: u64,
        size: u64,
        order: MemoryOrder,
    ) -> Option<Action> {
        if visible::runs_alone(&self.state, thread) {
            return None;
        }
        let mut object2 = ObjectId::NONE;
        if let Some((base, object)) = self.state.memory.object_at(address) {
            match object.kind {
                Kind::PrivateStack | Kind::Constant => return None,
                Kind::Heap | Kind::Stack => object2 = ObjectId::heap(base),
                _ => {}
            }
        }
        let site = self.site(thread, ip);
        Some(Action {
            object2,
            stmt: site.stmt,
            size: size as u32,
            order,
            blocks: self.program.blocks_at(address),
            ..Action::on(thread, op, ObjectId(address))
        })
    }

    /// Turns the recording of accesses off while the visible action itself is performed; returns
    /// the old setting.
    #[inline]
    fn silence(&mut self, performing: bool) -> bool {
        let recording = self.state.memory.is_recording();
        self.state.memory.set_recording(recording & !performing)
    }
}

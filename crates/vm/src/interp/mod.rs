//! The interpreter: runs one thread's code from one visible action to just before the next.
//!
//! The only `unsafe` here is access to registers and constants through raw pointers (`Window`). Argument: the compiler
//! emits only slots below `Code::slots` and constants below `Code::consts.len()`; a frame's registers are exactly
//! `regs[base..base + slots]`; and the window is made anew after everything that may move or resize the register stack
//! (calls, returns, models).

mod arith;
mod atomic;
mod call;
mod complex;
mod float;
mod leave;

pub(crate) use self::arith::{shift, truncate};
pub(crate) use call::Entered;
pub(crate) use complex::Trouble;

use crate::code::{CONST, Code, Inst, Op};
use crate::memory::{Kind, Life, Object, Parts, Site, slot_shift};
use crate::native::{memory_fault, undefined_fault};
use crate::options::Visibility;
use crate::symbolic::Reached;
use crate::value::{Tags, Value};
use crate::vm::Vm;
use selvedge_base::{Id, ThreadId};
use selvedge_model::{
    Action, Fault, FaultKind, Limit, LimitKind, MemoryOrder, Notice, ObjectId, Op as Visible, Unsupported,
};

/// Why a thread stopped running.
pub(crate) enum Stop {
    /// It stands before this visible action.
    Visible(Action),
    /// Its last frame is gone.
    Bottom,
    /// It was parked; a notice says why (or it was a false assumption).
    Parked,
}

/// Registers and constants of the current frame.
#[derive(Clone, Copy)]
struct Window {
    regs: *mut Value,
    consts: *const Value,
    insts: *const Inst,
}

impl Window {
    #[inline(always)]
    fn get(self, operand: u16) -> Value {
        // SAFETY: the module's argument.
        unsafe {
            if operand & CONST != 0 {
                *self.consts.add((operand & !CONST) as usize)
            } else {
                *self.regs.add(operand as usize)
            }
        }
    }

    #[inline(always)]
    fn set(self, slot: u16, value: Value) {
        // SAFETY: the module's argument; destinations are never constants.
        unsafe { *self.regs.add(slot as usize) = value }
    }

    #[inline(always)]
    fn inst(self, ip: u32) -> Inst {
        // SAFETY: every block ends in a terminator, and jump targets are blocks of the function.
        unsafe { *self.insts.add(ip as usize) }
    }
}

#[inline(always)]
const fn mask(width: u8) -> u64 {
    u64::MAX >> (64 - width as u32)
}

#[inline(always)]
const fn signed(bits: u64, width: u8) -> i64 {
    let shift = 64 - width as u32;
    ((bits << shift) as i64) >> shift
}

impl Vm {
    fn window(&mut self, thread: ThreadId) -> (Window, u32) {
        let t = &mut self.state.threads[thread.index()];
        let frame = t.core.frame;
        let code: &Code = &self.program.code[frame.func.index()];
        let window = Window {
            regs: t.regs[frame.base as usize..].as_mut_ptr(),
            consts: code.consts.as_ptr(),
            insts: code.insts.as_ptr(),
        };
        (window, frame.ip)
    }

    /// The statement and context of an instruction of the thread's current frame.
    pub(crate) fn site(&self, thread: ThreadId, ip: u32) -> Site {
        let frame = self.state.thread(thread).core.frame;
        let code = &self.program.code[frame.func.index()];
        Site {
            stmt: code.stmts[ip as usize],
            context: frame.context,
        }
    }

    /// Runs a thread until it stops. With `performing`, the first instruction is the visible action that was chosen.
    pub(crate) fn run(&mut self, thread: ThreadId, performing: bool) -> Stop {
        if self.program.options.unroll.is_some() {
            self.jumps.clear();
        }
        self.run_loop(thread, performing)
    }

    #[allow(clippy::cognitive_complexity)]
    fn run_loop(&mut self, thread: ThreadId, mut performing: bool) -> Stop {
        if self.state.thread(thread).core.depth == 0 {
            return Stop::Bottom;
        }
        let (mut w, mut ip) = self.window(thread);
        let limit = self.program.options.max_steps;
        let mut count = 0u64;
        macro_rules! stop {
            ($stop:expr) => {{
                self.instructions += count;
                return $stop;
            }};
        }
        macro_rules! stop_at {
            ($stop:expr) => {{
                self.state.own_core(thread).frame.ip = ip;
                stop!($stop)
            }};
        }
        macro_rules! fault {
            ($fault:expr) => {{
                let fault = $fault;
                self.report_fault(fault);
                stop_at!(Stop::Parked)
            }};
        }
        macro_rules! arith {
            ($inst:expr, |$a:ident, $b:ident, $width:ident| $result:expr) => {{
                let (x, y) = (w.get($inst.b), w.get($inst.c));
                let $width = $inst.w;
                if x.tag.0 | y.tag.0 == 0 {
                    let ($a, $b) = (x.bits, y.bits);
                    w.set($inst.a, Value::new($result));
                } else {
                    w.set(
                        $inst.a,
                        arith::tagged(&self.state.memory.tags, $inst.op, $width, x, y),
                    );
                }
                ip += 1;
            }};
        }
        macro_rules! divide {
            ($inst:expr, |$a:ident, $b:ident, $width:ident| $result:expr) => {{
                let (x, y) = (w.get($inst.b), w.get($inst.c));
                let $width = $inst.w;
                if x.is_symbolic() || y.is_symbolic() {
                    match self.divide(
                        thread,
                        self.site(thread, ip),
                        performing,
                        $inst.op,
                        $width,
                        x,
                        y,
                    ) {
                        Ok(value) => w.set($inst.a, value),
                        Err(stop) => stop_at!(stop),
                    }
                    ip += 1;
                    continue;
                }
                if !y.is_concrete() {
                    fault!(undefined_fault(y, "the divisor", self.site(thread, ip)));
                }
                if y.bits == 0 {
                    fault!(self.simple_fault(thread, ip, FaultKind::DivisionByZero, "division by zero"));
                }
                if x.is_concrete() {
                    let ($a, $b) = (x.bits, y.bits);
                    match $result {
                        Some(result) => w.set($inst.a, Value::new(result)),
                        None => fault!(self.simple_fault(
                            thread,
                            ip,
                            FaultKind::DivisionByZero,
                            "division of the least integer by -1 overflows"
                        )),
                    }
                } else {
                    w.set($inst.a, self.state.memory.tags.value(0, mask($width)));
                }
                ip += 1;
            }};
        }
        macro_rules! jump {
            ($target:expr) => {{
                let target: u32 = $target;
                if target <= ip && self.program.options.unroll.is_some() && self.unrolled(thread, ip) {
                    stop_at!(Stop::Parked);
                }
                if target <= ip && count >= limit {
                    self.limit(
                        thread,
                        ip,
                        LimitKind::Steps,
                        format!("a loop ran {limit} instructions without a visible action"),
                    );
                    stop_at!(Stop::Parked);
                }
                ip = target;
            }};
        }
        loop {
            let inst = w.inst(ip);
            count += 1;
            match inst.op {
                Op::Mov => {
                    w.set(inst.a, w.get(inst.b));
                    ip += 1;
                }
                Op::Add => arith!(inst, |a, b, width| a.wrapping_add(b) & mask(width)),
                Op::Sub => arith!(inst, |a, b, width| a.wrapping_sub(b) & mask(width)),
                Op::Mul => arith!(inst, |a, b, width| a.wrapping_mul(b) & mask(width)),
                Op::And => arith!(inst, |a, b, _width| a & b),
                Op::Or => arith!(inst, |a, b, _width| a | b),
                Op::Xor => arith!(inst, |a, b, _width| a ^ b),
                Op::Shl | Op::LShr | Op::AShr => {
                    let (x, y) = (w.get(inst.b), w.get(inst.c));
                    if y.is_concrete() && y.bits >= u64::from(inst.w) {
                        let text = format!("shift of a {}-bit value by {}", inst.w, signed(y.bits, inst.w));
                        fault!(self.simple_fault(thread, ip, FaultKind::ShiftOutOfRange, text));
                    }
                    if x.tag.0 | y.tag.0 == 0 {
                        w.set(inst.a, Value::new(shift(inst.op, inst.w, x.bits, y.bits)));
                    } else {
                        if y.is_symbolic() && let Err(stop) = self.shift_by(thread, self.site(thread, ip), performing, inst.w, y) {
                            stop_at!(stop);
                        }
                        w.set(inst.a, arith::tagged(&self.state.memory.tags, inst.op, inst.w, x, y));
                    }
                    ip += 1;
                }
                Op::UDiv => divide!(inst, |a, b, _width| Some(a / b)),
                Op::URem => divide!(inst, |a, b, _width| Some(a % b)),
                Op::SDiv => divide!(inst, |a, b, width| arith::divide(a, b, width).map(|(q, _)| q)),
                Op::SRem => divide!(inst, |a, b, width| arith::divide(a, b, width).map(|(_, r)| r)),
                Op::FAdd | Op::FSub | Op::FMul | Op::FDiv => {
                    arith!(inst, |a, b, width| float::binary(inst.op, width, a, b));
                }
                Op::Eq => arith!(inst, |a, b, _width| u64::from(a == b)),
                Op::Ne => arith!(inst, |a, b, _width| u64::from(a != b)),
                Op::Ult => arith!(inst, |a, b, _width| u64::from(a < b)),
                Op::Ule => arith!(inst, |a, b, _width| u64::from(a <= b)),
                Op::Ugt => arith!(inst, |a, b, _width| u64::from(a > b)),
                Op::Uge => arith!(inst, |a, b, _width| u64::from(a >= b)),
                Op::Slt => arith!(inst, |a, b, width| u64::from(signed(a, width) < signed(b, width))),
                Op::Sle => arith!(inst, |a, b, width| u64::from(signed(a, width) <= signed(b, width))),
                Op::Sgt => arith!(inst, |a, b, width| u64::from(signed(a, width) > signed(b, width))),
                Op::Sge => arith!(inst, |a, b, width| u64::from(signed(a, width) >= signed(b, width))),
                Op::Trunc => {
                    let value = w.get(inst.b);
                    w.set(inst.a, truncate(&self.state.memory.tags, value, inst.w));
                    ip += 1;
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
                    ip += 1;
                }
                Op::Select => {
                    let cond = w.get(inst.b);
                    let other = w.inst(ip + 1).a;
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
                    ip += 2;
                }
                Op::Offset => {
                    let base = w.get(inst.b);
                    let by = w.get(inst.c).bits;
                    let value = if base.is_symbolic() {
                        self.symbolic_address(base, &[], by, inst.w != 0)
                    } else {
                        moved(&self.state.memory.tags, base, base.bits.wrapping_add(by), inst.w != 0)
                    };
                    w.set(inst.a, value);
                    ip += 1;
                }
                Op::Index => {
                    let data = w.inst(ip + 1);
                    let (base, index) = (w.get(inst.b), w.get(data.a));
                    let scaled = signed(index.bits, inst.c as u8).wrapping_mul(w.get(data.b).bits as i64);
                    let address = base.bits.wrapping_add_signed(scaled).wrapping_add(w.get(data.c).bits);
                    let value = if base.is_symbolic() || index.is_symbolic() {
                        let term = (index, inst.c as u8, w.get(data.b).bits);
                        self.symbolic_address(base, &[term], w.get(data.c).bits, inst.w != 0)
                    } else if index.is_concrete() {
                        moved(&self.state.memory.tags, base, address, inst.w != 0)
                    } else {
                        index
                    };
                    w.set(inst.a, value);
                    ip += 2;
                }
                Op::Load | Op::VisibleLoad => {
                    let pointer = w.get(inst.b);
                    let (mut address, size) = (pointer.bits, u64::from(inst.w));
                    if !pointer.is_concrete() {
                        let site = self.site(thread, ip);
                        match self.load_through(thread, site, performing, pointer, size) {
                            Ok(Reached::Address(known)) => address = known,
                            Ok(Reached::Done(value)) => {
                                performing = false;
                                w.set(inst.a, truncate(&self.state.memory.tags, value, inst.c as u8));
                                ip += 1;
                                continue;
                            }
                            Err(stop) => stop_at!(stop),
                        }
                    }
                    if inst.op == Op::VisibleLoad
 && !performing
 && let Some(action) = self.memory_action(
                            thread,
                            ip,
                            Visible::Read,
                            address,
                            size,
                            MemoryOrder::NotAtomic,
                        )
 {
 stop_at!(Stop::Visible(action));
 }
                    let value = match self.state.memory.load_fast(address, size) {
                        Some(bits) => Value::new(bits),
                        None => {
                            let site = self.site(thread, ip);
                            let recording = self.silence(performing);
                            let loaded = self.state.memory.load(address, size, site);
                            self.state.memory.recording = recording;
                            match loaded {
                                Ok(value) => value,
                                Err(e) => fault!(memory_fault(&self.program, e, address, size, false, site)),
                            }
                        }
                    };
                    performing = false;
                    let bits = inst.c as u8;
                    let whole = u64::from(bits) == size * 8;
                    w.set(inst.a, if whole { value } else { truncate(&self.state.memory.tags, value, bits) });
                    ip += 1;
                }
                Op::Store | Op::VisibleStore => {
                    let (pointer, value) = (w.get(inst.a), w.get(inst.b));
                    let (mut address, size) = (pointer.bits, u64::from(inst.w));
                    if !pointer.is_concrete() {
                        let site = self.site(thread, ip);
                        match self.store_through(thread, site, performing, pointer, size, value) {
                            Ok(Reached::Address(known)) => address = known,
                            Ok(Reached::Done(())) => {
                                performing = false;
                                ip += 1;
                                continue;
                            }
                            Err(stop) => stop_at!(stop),
                        }
                    }
                    if inst.op == Op::VisibleStore
 && !performing
 && let Some(action) = self.memory_action(
                            thread,
                            ip,
                            Visible::Write,
                            address,
                            size,
                            MemoryOrder::NotAtomic,
                        )
 {
 stop_at!(Stop::Visible(action));
 }
                    if !(value.is_concrete() && self.state.memory.store_fast(address, size, value.bits)) {
                        let site = self.site(thread, ip);
                        let recording = self.silence(performing);
                        let stored = self.state.memory.store(address, size, value, site);
                        self.state.memory.recording = recording;
                        if let Err(e) = stored {
                            fault!(memory_fault(&self.program, e, address, size, true, site));
                        }
                    }
                    performing = false;
                    ip += 1;
                }
                Op::Jump => jump!(inst.long()),
                Op::Branch => {
                    let cond = w.get(inst.a);
                    let mut taken = cond.bits & 1 != 0;
                    if !cond.is_concrete() {
                        let site = self.site(thread, ip);
                        match self.decide(thread, site, performing, cond, "a branch condition") {
                            Ok(decided) => taken = decided,
                            Err(stop) => stop_at!(stop),
                        }
                    }
                    if taken {
                        jump!(inst.long());
                    } else {
                        ip += 1;
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
                    if inst.w == 1 {
                        match self.program.block_at(func, value.bits) {
                            Some(block) => jump!(code.blocks[block]),
                            None => fault!(self.simple_fault(
                                thread,
                                ip,
                                FaultKind::InvalidPointer,
                                "computed goto to an address that is no label of the function"
                            )),
                        }
                    } else {
                        let table = &code.switches[inst.b as usize];
                        let target = match table.cases.binary_search_by_key(&value.bits, |c| c.0) {
                            Ok(i) => table.cases[i].1,
                            Err(_) => table.default,
                        };
                        jump!(target);
                    }
                }
                Op::Call => {
                    if count >= limit {
                        let text = format!("{limit} instructions ran without a visible action");
                        self.limit(thread, ip, LimitKind::Steps, text);
                        stop_at!(Stop::Parked);
                    }
                    self.state.own_core(thread).frame.ip = ip;
                    match self.call(thread, inst.long() as usize, performing) {
                        Entered::Running => (w, ip) = self.window(thread),
                        Entered::Stopped(stop) => stop!(stop),
                    }
                    performing = false;
                }
                Op::Return => {
                    self.state.own_core(thread).frame.ip = ip;
                    if self.program.options.visibility == Visibility::Memory {
                        // Each local that others may know ends in an action of its own, the last one first.
                        let first = self.state.thread(thread).core.frame.locals as usize;
                        if performing && let Some(&base) = self.state.thread(thread).locals.get(first..).and_then(|l| l.last()) {
                            let site = self.site(thread, ip);
                            self.end_local(thread, base, Life::Returned, site);
                        }
                        performing = false;
                        self.end_private_locals(thread, first, ip);
                        if let Some(&base) = self.state.thread(thread).locals.get(first..).and_then(|l| l.last())
                            && let Some(action) = self.end_action(thread, ip, base)
                        {
                            stop!(Stop::Visible(action));
                        }
                    }
                    let atomic = self.state.thread(thread).core.atomic;
                    if !self.leave(thread, inst.b as usize) {
                        stop!(Stop::Bottom);
                    }
                    if atomic != self.state.thread(thread).core.atomic {
                        stop!(Stop::Visible(self.after_block(thread)));
                    }
                    (w, ip) = self.window(thread);
                }
                Op::Complex => {
                    self.state.own_core(thread).frame.ip = ip;
                    match self.complex(thread, inst.long() as usize, performing) {
                        complex::Done::Next => ip += 1,
                        complex::Done::Visible(action) => stop!(Stop::Visible(action)),
                        complex::Done::Parked => stop!(Stop::Parked),
                        complex::Done::Stopped(stop) => stop!(stop),
                    }
                    performing = false;
                }
                Op::ThreadLocal => {
                    let base = self.state.thread(thread).tls[inst.b as usize];
                    w.set(inst.a, Value::new(base.wrapping_add(w.get(inst.c).bits)));
                    ip += 1;
                }
                Op::Enter => match self.enter_local(thread, ip, inst.b as usize) {
                    Some(base) => {
                        let func = self.state.thread(thread).core.frame.func;
                        let slot = self.program.code[func.index()].locals[inst.b as usize].slot;
                        w.set(slot, Value::new(base));
                        ip += 1;
                    }
                    None => stop_at!(Stop::Parked),
                },
                Op::Leave => {
                    let func = self.state.thread(thread).core.frame.func;
                    let slot = self.program.code[func.index()].locals[inst.b as usize].slot;
                    let base = w.get(slot);
                    if base.is_concrete() {
                        if !performing && let Some(action) = self.end_action(thread, ip, base.bits) {
                            stop_at!(Stop::Visible(action));
                        }
                        performing = false;
                        let site = self.site(thread, ip);
                        self.end_object(thread, base.bits, Life::OutOfScope, site);
                        self.state.drop_local(thread, base.bits);
                    }
                    ip += 1;
                }
                Op::Unreachable => fault!(self.simple_fault(
                    thread,
                    ip,
                    FaultKind::Unreachable,
                    "undefined behaviour: the end of a function that must return a value, or code that cannot be reached"
                )),
                Op::Cover => {
                    count -= 1; // no instruction of the program
                    self.reached.insert(inst.long());
                    ip += 1;
                }
                Op::Trap => fault!(self.simple_fault(thread, ip, FaultKind::Abort, "the program traps")),
                Op::Data => unreachable!("data is skipped by the instruction before"),
            }
        }
    }

    /// Counts a backward jump; whether it was taken more often in this step than `--unroll` allows.
    #[cold]
    fn unrolled(&mut self, thread: ThreadId, ip: u32) -> bool {
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

    /// Makes the object of a local at the beginning of its life; `None` (and a notice) if there is no room.
    fn enter_local(&mut self, thread: ThreadId, ip: u32, local: usize) -> Option<u64> {
        let site = self.site(thread, ip);
        let func = self.state.thread(thread).core.frame.func;
        let program = self.program.clone();
        let local = &program.code[func.index()].locals[local];
        let kind = if local.private {
            Kind::PrivateStack
        } else {
            Kind::Stack
        };
        let object = Object {
            size: local.size,
            kind,
            life: Life::Live,
            zeroed: false,
            name: local.name,
            made: site,
            ended: Site::default(),
        };
        self.allocate_local(thread, ip, object, u64::from(local.align))
    }

    /// The action of a local's end, if it is a scheduling point: some other thread may know its address.
    fn end_action(&self, thread: ThreadId, ip: u32, base: u64) -> Option<Action> {
        let alone = self.state.unjoined() == 0 || self.state.thread(thread).core.atomic != 0;
        if self.program.options.visibility != Visibility::Memory || alone {
            return None;
        }
        let (base, object) = self.state.memory.object_at(base)?;
        let shared = object.kind == Kind::Stack && object.life == Life::Live;
        let stmt = self.site(thread, ip).stmt;
        shared.then(|| Action {
            stmt,
            atomic: self.program.atomic_blocks,
            ..Action::on(thread, Visible::Destroy, ObjectId::heap(base))
        })
    }

    /// Ends a thread's last locals as long as that concerns nobody else, down to `count`.
    fn end_private_locals(&mut self, thread: ThreadId, count: usize, ip: u32) {
        let site = self.site(thread, ip);
        while self.state.thread(thread).locals.len() > count
            && let Some(&base) = self.state.thread(thread).locals.last()
            && self.end_action(thread, ip, base).is_none()
        {
            self.end_local(thread, base, Life::Returned, site);
        }
    }

    /// Ends a stack object. If others may know its address, they must know from somewhere that they may not use it any
    /// more: for the race detector that is a write of all its bytes, as `free` is.
    fn end_object(&mut self, thread: ThreadId, base: u64, life: Life, site: Site) {
        if self.state.unjoined() > 0
            && let Some((base, object)) = self.state.memory.object_at(base)
            && object.kind == Kind::Stack
        {
            self.state.memory.record(base, object.size, true, site);
        }
        self.state.end_object(thread, base, life, site);
    }

    fn end_local(&mut self, thread: ThreadId, base: u64, life: Life, site: Site) {
        if self
            .state
            .memory
            .object_at(base)
            .is_some_and(|(_, o)| o.life == Life::Live)
        {
            self.end_object(thread, base, life, site);
        }
        self.state.pop_local(thread);
    }

    fn allocate_local(&mut self, thread: ThreadId, ip: u32, object: Object, align: u64) -> Option<u64> {
        let region = self.state.thread(thread).region;
        match self.state.allocate(region, object, align) {
            Ok(base) => {
                self.state.push_local(thread, base);
                Some(base)
            }
            Err(_) => {
                let text = format!("no room for a local object of {} bytes", object.size);
                self.limit(thread, ip, LimitKind::Memory, text);
                None
            }
        }
    }

    /// The action of an access to memory, if it is a scheduling point: some other thread may reach the object.
    fn memory_action(
        &self,
        thread: ThreadId,
        ip: u32,
        op: Visible,
        address: u64,
        size: u64,
        order: MemoryOrder,
    ) -> Option<Action> {
        if self.state.unjoined() == 0 || self.state.thread(thread).core.atomic != 0 {
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
            atomic: self.program.atomic_blocks,
            ..Action::on(thread, op, ObjectId(address))
        })
    }

    /// Turns the recording of accesses off while the visible action itself is performed; returns the old setting.
    #[inline]
    fn silence(&mut self, performing: bool) -> bool {
        let recording = self.state.memory.recording;
        self.state.memory.recording &= !performing;
        recording
    }

    pub(crate) fn simple_fault(
        &self,
        thread: ThreadId,
        ip: u32,
        kind: FaultKind,
        message: impl Into<String>,
    ) -> Fault {
        let site = self.site(thread, ip);
        Fault {
            kind,
            message: message.into(),
            stmt: site.stmt,
            context: site.context,
            related: Vec::new(),
            object: ObjectId::NONE,
        }
    }

    #[cold]
    pub(crate) fn report_fault(&mut self, mut fault: Fault) {
        (fault.stmt, fault.context) =
            crate::describe::shown(&self.program, &self.state, fault.stmt, fault.context);
        self.state.notices.push(Notice::Fault(fault));
    }

    #[cold]
    pub(crate) fn limit(&mut self, thread: ThreadId, ip: u32, kind: LimitKind, detail: String) {
        let stmt = self.site(thread, ip).stmt;
        self.state
            .notices
            .push(Notice::Limit(Limit { kind, detail, stmt }));
    }

    #[cold]
    pub(crate) fn unsupported(&mut self, thread: ThreadId, ip: u32, what: String) {
        let stmt = self.site(thread, ip).stmt;
        self.state
            .notices
            .push(Notice::Unsupported(Unsupported { what, stmt }));
    }
}

/// A pointer after an address computation from `base`: a stray one if an `inbounds` computation left the slot of its object. (Within
/// the slot the bounds check of the access finds it.)
#[inline(always)]
fn moved(tags: &Tags, base: Value, address: u64, inbounds: bool) -> Value {
    if !base.is_concrete() {
        return moved_stray(tags, base, address);
    }
    if inbounds && base.bits >> 46 == 1 && (base.bits ^ address) >> slot_shift(base.bits) != 0 {
        let home = Parts::of(base.bits).map_or(0, Parts::base);
        return tags.stray(address, home);
    }
    Value::new(address)
}

/// The same from an address that is already outside: it may come back.
#[cold]
fn moved_stray(tags: &Tags, base: Value, address: u64) -> Value {
    match tags.home(base.tag) {
        Some(home) if (address ^ home) >> slot_shift(home) == 0 => Value::new(address),
        Some(home) => tags.stray(address, home),
        None => base,
    }
}

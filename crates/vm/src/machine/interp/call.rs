//! Calls of functions of the program: their frames, and the callee.

use super::Stop;
use crate::code::{CONST, CallSite, Code};
use crate::memory::{Kind, Life, Maker, Object, Site};
use crate::program::{Binding, Program};
use crate::thread::{Frame, NO_CALL};
use crate::value::{Poison, Tags, Value};
use crate::vm::Vm;
use selvedge_base::{ContextId, Id, ThreadId};
use selvedge_ir::{Callee, FuncId, Type};
use selvedge_model::{Action, FaultKind, LimitKind, Op};

/// How a thread continues after a call or a model.
pub(crate) enum Entered {
    /// At its current frame's `ip`.
    Running,
    /// After the call, in the same frame.
    Next,
    /// At a call of another frame, or of an earlier place, to which it jumped back.
    Landed,
    /// It stopped.
    Stopped(Stop),
}

/// True if a function may be called with values of one type for another. Pointers are treated as
/// numbers of 64 bits, as in registers.
fn same(one: Type, other: Type) -> bool {
    let general = |ty| matches!(ty, Type::Ptr | Type::I64);
    one == other || (general(one) && general(other))
}

/// The value that a parameter of a type gets if a library model passes a number: the low bits,
/// because the callee reads no others. A floating-point parameter gets no value.
fn passed(tags: &Tags, value: Value, ty: Type) -> Value {
    match ty {
        Type::Int(bits) => crate::arithmetic::truncate(tags, value, bits.min(64)),
        Type::Ptr => value,
        Type::F32 | Type::F64 => Value::poison(0, Poison::NoArgument),
    }
}

/// Why a call site does not match a function of the program whose address it uses: a parameter or a
/// result has another type. C11 6.5.2.2p9 and LLVM leave such a call undefined, because the callee
/// would take the value from another register, or use bits of it that the caller did not set.
/// Arguments without a parameter are allowed, and a result that only one side declares. A parameter
/// without an argument has no value.
fn unfit(program: &Program, call: &CallSite, func: FuncId) -> Option<String> {
    let func = match program.bindings[func.index()] {
        Binding::Code => func,
        Binding::Other(other) => other,
        Binding::Native(_) | Binding::Missing => return None,
    };
    let given = call.types.iter().zip(&program.code[func.index()].param_types);
    if let Some((i, (given, taken))) = given.enumerate().find(|(_, (g, t))| !same(**g, **t)) {
        return Some(format!("parameter {} is {taken}, the argument {given}", i + 1));
    }
    let (returned, wanted) = (&program.module.functions[func].returns, &call.result_types);
    let agree = returned.len() == wanted.len() && returned.iter().zip(wanted).all(|(r, w)| same(*r, *w));
    if !call.used || returned.is_empty() || wanted.is_empty() || agree {
        return None;
    }
    let list = |types: &[Type]| types.iter().map(Type::to_string).collect::<Vec<_>>().join(", ");
    Some(format!(
        "it returns {}, the call takes {}",
        list(returned),
        list(wanted)
    ))
}

impl Vm {
    /// Executes call site `index` of the current function, whose `ip` is that of the call.
    #[inline]
    pub(super) fn call(&mut self, thread: ThreadId, code: &Code, index: usize, performing: bool) -> Entered {
        match code.calls[index].native {
            Some(native) => self.native(thread, native, index, performing),
            None => self.call_other(thread, index, performing),
        }
    }

    /// Executes a call whose callee is not a library model known before.
    #[inline(never)]
    fn call_other(&mut self, thread: ThreadId, index: usize, performing: bool) -> Entered {
        let program: &Program = &self.program;
        let frame = self.state.thread(thread).core.frame;
        let call = &program.code[frame.func.index()].calls[index];
        let func = match call.callee {
            Some(Callee::Direct(func)) => func,
            None => unreachable!("a call site calls something"),
            Some(Callee::Indirect(_)) => {
                let address = self.slot(thread, call.address);
                match address
                    .is_concrete()
                    .then(|| program.function_at(address.bits))
                    .flatten()
                {
                    Some(func) => match unfit(program, call, func) {
                        None => func,
                        Some(why) => return self.bad_type(thread, func, why, frame.ip),
                    },
                    None if address.is_symbolic() => {
                        let site = self.site(thread, frame.ip);
                        return match self.settle(thread, site, performing, address, "the function called") {
                            Ok(bits) => match self.program.function_at(bits) {
                                Some(func) => {
                                    let call = &self.program.code[frame.func.index()].calls[index];
                                    match unfit(&self.program, call, func) {
                                        None => self.call_function(thread, index, func, performing),
                                        Some(why) => self.bad_type(thread, func, why, frame.ip),
                                    }
                                }
                                None => self.bad_callee(thread, Value::new(bits), frame.ip),
                            },
                            Err(stop) => Entered::Stopped(stop),
                        };
                    }
                    None => return self.bad_callee(thread, address, frame.ip),
                }
            }
        };
        self.call_function(thread, index, func, performing)
    }

    /// Calls a function from call site `index` of the current one.
    #[inline]
    fn call_function(&mut self, thread: ThreadId, index: usize, func: FuncId, performing: bool) -> Entered {
        let program: &Program = &self.program;
        let frame = self.state.thread(thread).core.frame;
        if program.atomic[func.index()] && !self.state.is_lone() && self.state.thread(thread).core.atomic == 0
        {
            if !performing {
                let stmt = self.site(thread, frame.ip).stmt;
                return Entered::Stopped(Stop::Visible(Action {
                    stmt,
                    ..Action::on(thread, Op::AtomicBlock, program.called_block(func))
                }));
            }
            let entered = self.enter(thread, func, index);
            let action = self.state.pending()[thread.index()].action;
            let core = self.state.own_core(thread);
            core.enter_block(core.depth, action);
            return entered;
        }
        if program.atomic[func.index()] && self.state.is_lone() {
            let entered = self.enter(thread, func, index);
            let core = self.state.own_core(thread);
            if core.lone_block == 0 {
                core.lone_block = core.depth;
            }
            return entered;
        }
        match program.bindings[func.index()] {
            Binding::Code => self.enter(thread, func, index),
            Binding::Other(other) => self.enter(thread, other, index),
            Binding::Native(native) => self.native(thread, native, index, performing),
            Binding::Missing => {
                let what = format!("function {}", program.module.functions[func].display);
                self.unsupported(thread, frame.ip, what);
                Entered::Stopped(Stop::Parked)
            }
        }
    }

    #[cold]
    fn bad_type(&mut self, thread: ThreadId, func: FuncId, why: String, ip: u32) -> Entered {
        let name = &self.program.module.functions[func].display;
        let text = format!("call of {name} as a function of another type: {why}");
        let fault = self.simple_fault(thread, ip, FaultKind::InvalidPointer, text);
        self.report_fault(fault);
        Entered::Stopped(Stop::Parked)
    }

    #[cold]
    pub(super) fn bad_callee(&mut self, thread: ThreadId, address: Value, ip: u32) -> Entered {
        let site = self.site(thread, ip);
        let fault = if !address.is_concrete() {
            crate::native::undefined_fault(address, "the function called", site)
        } else if address.bits == 0 {
            self.simple_fault(
                thread,
                ip,
                FaultKind::NullDereference,
                "call through a null pointer",
            )
        } else {
            let text = format!("call of {:#x}, which is no function", address.bits);
            self.simple_fault(thread, ip, FaultKind::InvalidPointer, text)
        };
        self.report_fault(fault);
        Entered::Stopped(Stop::Parked)
    }

    /// Enters a function of the program from call site `index`.
    pub(super) fn enter(&mut self, thread: ThreadId, func: FuncId, index: usize) -> Entered {
        let ip = self.state.thread(thread).core.frame.ip;
        let site = self.site(thread, ip);
        let context = self.state.context(site);
        let program: &Program = &self.program;
        let t = self.state.acting(thread);
        let caller = t.core.frame;
        let from = &program.code[caller.func.index()];
        let (call, code) = (&from.calls[index], &program.code[func.index()]);
        if code.varargs || t.core.depth >= program.options.max_depth {
            return self.enter_slowly(thread, func, index, context);
        }
        let (base, suspended) = (t.regs.len(), t.core.depth as usize - 1);
        // Resume after the call.
        let below = Frame { ip: ip + 1, ..caller };
        match t.frames.get_mut(suspended) {
            Some(place) => *place = below,
            None => t.frames.push(below),
        }
        t.regs.resize(base + code.slots as usize, Value::UNDEF);
        for (i, &slot) in code.params.iter().enumerate() {
            t.regs[base + slot as usize] = match call.args.get(i) {
                Some(&word) if word & CONST != 0 => from.consts[(word & !CONST) as usize],
                Some(&word) => t.regs[caller.base as usize + word as usize],
                None => Value::poison(0, Poison::NoArgument),
            };
        }
        t.core.depth += 1;
        t.core.frame = Frame {
            func,
            ip: 0,
            base: base as u32,
            locals: t.locals.len() as u32,
            context,
            call: index as u32,
            varargs: 0,
        };
        Entered::Running
    }

    /// Enters a function with variable arguments, or without room on the register stack.
    #[cold]
    fn enter_slowly(&mut self, thread: ThreadId, func: FuncId, index: usize, context: ContextId) -> Entered {
        let program = self.program.clone();
        let caller = self.state.thread(thread).core.frame;
        let call = &program.code[caller.func.index()].calls[index];
        let args: Vec<Value> = call.args.iter().map(|&a| self.slot(thread, a)).collect();
        self.state.own_core(thread).frame.ip = caller.ip + 1;
        match self.push_frame(thread, func, &args, &call.types, index as u32, context) {
            true => Entered::Running,
            false => {
                self.state.own_core(thread).frame.ip = caller.ip;
                let text = format!(
                    "{} calls are active in one thread: recursion without end?",
                    program.options.max_depth
                );
                self.limit(thread, caller.ip, LimitKind::Recursion, text);
                Entered::Stopped(Stop::Parked)
            }
        }
    }

    /// Pushes a frame. Returns true if there was room.
    pub(crate) fn push_frame(
        &mut self,
        thread: ThreadId,
        func: FuncId,
        args: &[Value],
        types: &[Type],
        call: u32,
        context: ContextId,
    ) -> bool {
        let program = self.program.clone();
        let code = &program.code[func.index()];
        let (t, memory) = self.state.acting_and_memory(thread);
        let tags = &memory.tags;
        if t.core.depth >= program.options.max_depth {
            return false;
        }
        let base = t.regs.len();
        if t.core.depth > 0 {
            let suspended = t.core.depth as usize - 1;
            if suspended < t.frames.len() {
                t.frames[suspended] = t.core.frame
            } else {
                t.frames.push(t.core.frame)
            }
        }
        t.regs.resize(base + code.slots as usize, Value::UNDEF);
        for (i, &slot) in code.params.iter().enumerate() {
            let given = args.get(i).copied();
            let mut value = given.unwrap_or(Value::poison(0, Poison::NoArgument));
            if call == NO_CALL {
                value = passed(tags, value, code.param_types[i]);
            }
            t.regs[base + slot as usize] = value;
        }
        t.core.depth += 1;
        t.core.frame = Frame {
            func,
            ip: 0,
            base: base as u32,
            locals: t.locals.len() as u32,
            context,
            call,
            varargs: 0,
        };
        if code.varargs && args.len() > code.params.len() {
            let first = code.params.len();
            self.pass_varargs(thread, &args[first..], types.get(first..).unwrap_or(&[]));
        }
        true
    }

    /// Lays variable arguments out in memory as the ABI's overflow area.
    fn pass_varargs(&mut self, thread: ThreadId, args: &[Value], types: &[Type]) {
        let mut places = Vec::with_capacity(args.len());
        let (mut at, mut i) = (0u64, 0);
        while i < args.len() {
            let wide = types.get(i).is_some_and(|t| t.is_wide());
            if wide {
                at = at.next_multiple_of(16);
                places.push(at);
                places.push(at + 8);
                (at, i) = (at + 16, i + 2);
            } else {
                places.push(at);
                (at, i) = (at + 8, i + 1);
            }
        }
        let site = self.site(thread, 0);
        let object = Object {
            size: at,
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
        let region = self.state.thread(thread).region;
        if let Ok(base) = self.state.allocate(region, object, 16) {
            for (&place, &value) in places.iter().zip(args) {
                self.state.memory.poke_checked(base + place, 8, value);
            }
            self.state.push_local(thread, base);
            self.state.own_core(thread).frame.varargs = base;
        }
    }
}

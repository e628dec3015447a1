//! Calls, models, and how threads start.

use super::Stop;
use super::window::Window;
use crate::code::{CONST, Code};
use crate::libc::stepped::Replay;
use crate::memory::{Kind, Life, Object, Site};
use crate::native::{Cx, Flow, Native, Performed, Prepared, Visible};
use crate::phase::Phase;
use crate::program::{Binding, Program};
use crate::symbolic::{Arm, Possible};
use crate::sync::{fuse, join};
use crate::thread::{Frame, NO_CALL, Stage};
use crate::value::{Poison, Value};
use crate::vm::Vm;
use selvedge_base::{ContextId, Id, ThreadId};
use selvedge_expr::Expr;
use selvedge_ir::{Callee, FuncId, Type};
use selvedge_model::{Action, FaultKind, LimitKind, Notice, ObjectId, Op, Outcome, Unsupported};
use smallvec::SmallVec;

/// Where a call or a model left the thread.
pub(crate) enum Entered {
    /// It goes on at its current frame's `ip`.
    Running,
    /// It goes on behind the call, in the frame that it was in.
    Next,
    /// It jumped back to a call of another frame, or of an earlier place.
    Landed,
    /// It stopped.
    Stopped(Stop),
}

/// Which action comes first of a call of a visible model.
fn prepare(cx: &mut Cx<'_>, model: Visible) -> Prepared {
    match model.open_argument(cx) {
        None => (model.prepare)(cx),
        Some(value) => Prepared::Immediate(Flow::Symbolic(value)),
    }
}

/// Performs an action within the present step.
fn part(cx: &mut Cx<'_>, model: Visible, action: Action) -> Performed {
    fuse::begin(cx.state, action);
    let performed = (model.perform)(cx, 0);
    let last = cx.state.parts().len() - 1;
    if let (Performed::Done(_, Outcome::Failed), Some(part)) = (&performed, cx.state.part_mut(last)) {
        part.outcome = Outcome::Failed;
    }
    performed
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

    /// The same where what is called is not a library model known before.
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
                    Some(func) => func,
                    None if address.is_symbolic() => {
                        let site = self.site(thread, frame.ip);
                        return match self.settle(thread, site, performing, address, "the function called") {
                            Ok(bits) => match self.program.function_at(bits) {
                                Some(func) => self.call_function(thread, index, func, performing),
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
        if program.atomic[func.index()]
            && self.state.unjoined() > 0
            && self.state.thread(thread).core.atomic == 0
        {
            if !performing {
                let stmt = self.site(thread, frame.ip).stmt;
                return Entered::Stopped(Stop::Visible(Action {
                    stmt,
                    ..Action::on(thread, Op::AtomicBlock, ObjectId::ATOMIC)
                }));
            }
            let entered = self.enter(thread, func, index);
            let core = self.state.own_core(thread);
            core.atomic = core.depth;
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
    fn bad_callee(&mut self, thread: ThreadId, address: Value, ip: u32) -> Entered {
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
    fn enter(&mut self, thread: ThreadId, func: FuncId, index: usize) -> Entered {
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
        // Resume behind the call.
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
                None => Value::poison(0, Poison::NoResult),
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

    /// The same with variable arguments, or without room.
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

    /// Puts a frame on the stack; whether there was room.
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
        let t = self.state.acting(thread);
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
            let missing = Value::poison(0, Poison::NoResult);
            t.regs[base + slot as usize] = args.get(i).copied().unwrap_or(missing);
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
            name: 0,
            made: site,
            ended: Site::default(),
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

    /// Runs a library model for call site `index` of the current function.
    fn native(&mut self, thread: ThreadId, native: Native, index: usize, performing: bool) -> Entered {
        let program: &Program = &self.program;
        let t = self.state.acting(thread);
        let frame = &t.core.frame;
        let (ip, context) = (frame.ip, frame.context);
        let code = &program.code[frame.func.index()];
        let w = Window::on(code, &mut t.regs[frame.base as usize..]);
        let call = &code.calls[index];
        let site = Site {
            stmt: code.stmts[ip as usize],
            context,
        };
        // Few arguments, as almost always, need no memory of their own.
        let (one, two, three, four);
        let many: Vec<Value>;
        let args: &[Value] = match call.args[..] {
            [] => &[],
            [a] => {
                one = [w.get(a)];
                &one
            }
            [a, b] => {
                two = [w.get(a), w.get(b)];
                &two
            }
            [a, b, c] => {
                three = [w.get(a), w.get(b), w.get(c)];
                &three
            }
            [a, b, c, d] => {
                four = [w.get(a), w.get(b), w.get(c), w.get(d)];
                &four
            }
            _ => {
                many = call.args.iter().map(|&operand| w.get(operand)).collect();
                &many
            }
        };
        let mut cx = Cx {
            program,
            state: &mut self.state,
            thread,
            site,
            args,
            types: &call.types,
            replay: Replay::OFF,
        };
        let flow = match native {
            Native::Plain(model) => model(&mut cx),
            Native::Join(_) if !performing && cx.state.modes().fuses && join::join_at_once(&mut cx) => {
                Flow::int(0)
            }
            Native::Visible(_) | Native::Join(_)
                if performing && program.cancels && crate::sync::acts(cx.state, thread) =>
            {
                crate::sync::act(&mut cx)
            }
            Native::Visible(model) | Native::Join(model) if performing => {
                match (model.perform)(&mut cx, self.alternative) {
                    Performed::Done(flow, outcome) => {
                        self.outcome = outcome;
                        flow
                    }
                    Performed::Again(outcome) => {
                        let prepared = (model.prepare)(&mut cx);
                        self.outcome = outcome;
                        return self.prepared(thread, prepared, model, args, index, site);
                    }
                }
            }
            Native::Visible(model) | Native::Join(model) => match prepare(&mut cx, model) {
                Prepared::Visible(action) if cx.state.thread(thread).core.atomic == 0 => {
                    if !cx.state.modes().fuses || !fuse::fuses(cx.state, program.fusible, &action) {
                        return Entered::Stopped(Stop::Visible(action));
                    }
                    match part(&mut cx, model, action) {
                        Performed::Done(flow, _) => flow,
                        Performed::Again(_) => {
                            let prepared = (model.prepare)(&mut cx);
                            return self.prepared(thread, prepared, model, args, index, site);
                        }
                    }
                }
                prepared => return self.prepared(thread, prepared, model, args, index, site),
            },
        };
        let value = match flow {
            Flow::Return(value) => {
                // Nothing to drop in it, and said so to the compiler.
                std::mem::forget(flow);
                value
            }
            Flow::Symbolic(value) => return self.native_needs(thread, value, site, performing),
            Flow::Choose(conditions) => return self.native_splits(thread, &conditions, site, performing),
            flow => return self.follow(thread, flow, ip, site),
        };
        match call.results[..] {
            [] => {}
            // A model leaves the frame and the register stack of its thread as they are.
            [(slot, bits)] => {
                w.set(slot, super::arith::truncate(&self.state.memory.tags, value, bits));
            }
            _ => {
                self.finish_call(thread, &[value]);
                return Entered::Running;
            }
        }
        let core = self.state.own_core(thread);
        // What an operation kept between its parts is nothing to the next one.
        (core.phase, core.note) = (Phase::First, 0);
        core.frame.ip = ip + 1;
        Entered::Next
    }

    /// A model needs the number that a symbolic value is. If there is a body in code with the same
    /// meaning, that is executed instead, and branches where it must; else the call is made again
    /// for each number.
    #[cold]
    fn native_needs(&mut self, thread: ThreadId, value: Value, site: Site, performing: bool) -> Entered {
        let frame = self.state.thread(thread).core.frame;
        let program = self.program.clone();
        let code = &program.code[frame.func.index()];
        let index = self.call_index(thread);
        let function = match code.calls[index].callee {
            Some(Callee::Direct(func)) => program.symbolic_bodies[func.index()],
            _ => None,
        };
        if let Some(function) = function {
            self.state.own_core(thread).phase = Phase::First;
            return self.enter(thread, function, index);
        }
        match self.settle(
            thread,
            site,
            performing,
            value,
            "an argument of a library function",
        ) {
            Ok(_) => self.call_again(thread, performing),
            Err(stop) => Entered::Stopped(stop),
        }
    }

    /// A model must know which of these conditions holds; then the call is made again.
    #[cold]
    fn native_splits(
        &mut self,
        thread: ThreadId,
        conditions: &[Expr],
        site: Site,
        performing: bool,
    ) -> Entered {
        match self.split(thread, site, performing, conditions) {
            Ok(_) => self.call_again(thread, performing),
            Err(stop) => Entered::Stopped(stop),
        }
    }

    /// Makes the call at the current instruction, now that more is known of symbolic values.
    fn call_again(&mut self, thread: ThreadId, performing: bool) -> Entered {
        let program = self.program.clone();
        let func = self.state.thread(thread).core.frame.func;
        let index = self.call_index(thread);
        self.call(thread, &program.code[func.index()], index, performing)
    }

    fn call_index(&self, thread: ThreadId) -> usize {
        let frame = self.state.thread(thread).core.frame;
        let code = &self.program.code[frame.func.index()];
        code.insts[frame.ip as usize].long() as usize
    }

    /// Goes on only where a condition holds. Where it does not, the others run on, which matters
    /// only if there are any.
    fn assume(&mut self, thread: ThreadId, condition: Expr, site: Site) -> Entered {
        let parked = Entered::Stopped(Stop::Parked);
        let arena = &self.state.memory.tags.arena;
        let known = arena
            .as_const(condition)
            .or_else(|| self.state.known(thread, condition));
        let negation = arena.not(condition);
        if known.is_some() || self.state.unjoined() > 0 {
            match self.split(thread, site, false, &[condition, negation]) {
                Ok(0) => {}
                Ok(_) => return parked,
                Err(stop) => return Entered::Stopped(stop),
            }
        } else {
            let model = if self.evaluate(condition) == 1 {
                self.state.path().model().clone()
            } else {
                match self.ask(condition, site) {
                    Possible::With(model) => model,
                    Possible::Never | Possible::Unanswered => return parked,
                }
            };
            let arm = Arm {
                condition,
                model,
                name: self.state.memory.tags.arena.hash(condition),
                fact: None,
                only: false,
            };
            self.state.constrain(thread, &arm);
        }
        self.finish_simple_call(thread, Value::new(0));
        Entered::Running
    }

    /// Does what a visible model answered to the question what comes next.
    #[inline(never)]
    fn prepared(
        &mut self,
        thread: ThreadId,
        prepared: Prepared,
        model: Visible,
        args: &[Value],
        index: usize,
        site: Site,
    ) -> Entered {
        let core = &self.state.thread(thread).core;
        let func = core.frame.func;
        let (ip, in_block) = (core.frame.ip, core.atomic != 0);
        let flow = match prepared {
            Prepared::Immediate(flow) => flow,
            Prepared::Visible(action) if !in_block => return Entered::Stopped(Stop::Visible(action)),
            Prepared::Visible(action) if action.op == Op::Destroy => {
                let replay = Default::default();
                let mut cx = Cx {
                    program: &self.program,
                    state: &mut self.state,
                    thread,
                    site,
                    args,
                    types: &self.program.code[func.index()].calls[index].types,
                    replay,
                };
                match (model.perform)(&mut cx, 0) {
                    Performed::Done(flow, _) => flow,
                    Performed::Again(_) => Flow::Unsupported("blocking in an atomic block".into()),
                }
            }
            Prepared::Visible(_) => Flow::Unsupported("synchronisation in an atomic block".into()),
        };
        self.follow(thread, flow, ip, site)
    }

    /// Does what a model answered.
    #[inline(never)]
    fn follow(&mut self, thread: ThreadId, flow: Flow, ip: u32, site: Site) -> Entered {
        let parked = Entered::Stopped(Stop::Parked);
        match flow {
            Flow::Return(value) => {
                self.finish_call(thread, &[value]);
                Entered::Running
            }
            Flow::ReturnMany(values) => {
                self.finish_call(thread, &values);
                Entered::Running
            }
            Flow::Call(address, args) => {
                let Some(func) = self.program.function_at(address) else {
                    return self.bad_callee(thread, Value::new(address), ip);
                };
                let context = self.state.context(site);
                self.enter_from_model(thread, func, &args, context, ip)
            }
            Flow::ExitThread(result) => {
                let core = self.state.own_core(thread);
                core.result = result;
                core.phase = Phase::First;
                if core.stage == Stage::Running {
                    core.stage = Stage::Unwinding;
                }
                self.drop_frames(thread, true, site);
                Entered::Stopped(Stop::Bottom)
            }
            Flow::Resume { depth, ip, value } => {
                while self.state.thread(thread).core.depth > depth {
                    let first = self.state.thread(thread).core.frame.locals as usize;
                    self.end_locals_early(thread, first, Life::Returned, site);
                    if !self.pop_frame(thread) {
                        return Entered::Stopped(Stop::Bottom);
                    }
                }
                let core = self.state.own_core(thread);
                core.frame.ip = ip;
                // The frame whose return would have ended an atomic block is gone.
                let leaves_block = core.atomic != u32::MAX && core.atomic > depth;
                if leaves_block {
                    core.atomic = 0;
                }
                self.finish_call(thread, &[value]);
                if leaves_block {
                    return Entered::Stopped(Stop::Visible(self.after_block(thread)));
                }
                if self.unrolled(thread, ip) {
                    return Entered::Stopped(Stop::Parked);
                }
                Entered::Landed
            }
            Flow::ExitProcess { code, quick } => {
                let core = self.state.own_core(thread);
                core.result = Value::new(code as u32 as u64);
                core.phase = Phase::First;
                core.epilogue = if quick { u32::MAX } else { 0 };
                core.stage = Stage::Exiting;
                if self.program.options.leaks {
                    let program = self.program.clone();
                    self.state.keep_at_exit(&program, thread);
                }
                self.drop_frames(thread, false, site);
                Entered::Stopped(Stop::Bottom)
            }
            Flow::Fault(fault) => {
                self.report_fault(*fault);
                parked
            }
            Flow::Assume(condition) => self.assume(thread, condition, site),
            // What was performed is done; the next part of the operation comes after the choice.
            Flow::Symbolic(value) => self.native_needs(thread, value, site, false),
            Flow::Choose(conditions) => self.native_splits(thread, &conditions, site, false),
            Flow::Park => parked,
            Flow::Limit(kind, detail) => {
                self.limit(thread, ip, kind, detail);
                parked
            }
            Flow::Unsupported(what) => {
                self.unsupported(thread, ip, what);
                parked
            }
        }
    }

    /// The scheduling point behind an atomic function: what follows is not part of the block.
    pub(super) fn after_block(&mut self, thread: ThreadId) -> Action {
        let ip = self.state.thread(thread).core.frame.ip;
        self.state.own_core(thread).before = true;
        Action {
            stmt: self.site(thread, ip).stmt,
            ..Action::new(thread, Op::Yield)
        }
    }

    /// Ends the call at the current instruction with one word.
    fn finish_simple_call(&mut self, thread: ThreadId, value: Value) {
        self.finish_call(thread, &[value]);
    }

    /// Ends the call at the current instruction.
    fn finish_call(&mut self, thread: ThreadId, values: &[Value]) {
        let frame = self.state.thread(thread).core.frame;
        let code = &self.program.code[frame.func.index()];
        let call = code.insts[frame.ip as usize].long() as usize;
        self.set_results(thread, call, values);
        let core = self.state.own_core(thread);
        (core.phase, core.note) = (Phase::First, 0);
        core.frame.ip = frame.ip + 1;
    }

    fn enter_from_model(
        &mut self,
        thread: ThreadId,
        func: FuncId,
        args: &[Value],
        context: ContextId,
        ip: u32,
    ) -> Entered {
        match self.program.bindings[func.index()] {
            Binding::Code | Binding::Other(_) => {
                if self.push_frame(thread, func, args, &[], NO_CALL, context) {
                    return Entered::Running;
                }
                self.limit(thread, ip, LimitKind::Recursion, "recursion without end?".into());
            }
            Binding::Native(_) | Binding::Missing => {
                let what = format!(
                    "library function {} as a callback",
                    self.program.module.functions[func].display
                );
                self.unsupported(thread, ip, what);
            }
        }
        Entered::Stopped(Stop::Parked)
    }

    /// Starts a thread: its first frame. What stopped it, if it could not be started.
    pub(crate) fn start_thread(&mut self, thread: ThreadId) -> Option<Stop> {
        let (address, argument) = self.state.thread(thread).start;
        let created = self.state.thread(thread).created;
        self.outcome = Outcome::Done;
        let Some(func) = self.program.function_at(address) else {
            let text = format!("the start routine {address:#x} is no function");
            self.report_fault(selvedge_model::Fault {
                kind: FaultKind::InvalidPointer,
                message: text,
                stmt: created.stmt,
                context: created.context,
                related: Vec::new(),
                object: ObjectId::NONE,
            });
            return Some(Stop::Parked);
        };
        self.state.own_core(thread).stage = Stage::Running;
        let args: SmallVec<[Value; 3]> = if thread.index() == 0 {
            self.main_args.iter().copied().collect()
        } else {
            SmallVec::from_slice(&[argument])
        };
        let context = self.state.context(created);
        let context = if thread.index() == 0 {
            ContextId(0)
        } else {
            context
        };
        match self.program.bindings[func.index()] {
            Binding::Code | Binding::Other(_) => {
                self.push_frame(thread, func, &args, &[], NO_CALL, context);
                if thread.index() == 0 {
                    // Global constructors return into main: the first one lies on top.
                    let program = self.program.clone();
                    for &constructor in program.module.constructors.iter().rev() {
                        self.push_frame(thread, constructor, &args, &[], NO_CALL, context);
                    }
                }
                None
            }
            Binding::Native(_) | Binding::Missing => {
                let name = &self.program.module.functions[func].display;
                let what = format!("library function {name} as a start routine");
                self.state.notify(Notice::Unsupported(Unsupported {
                    what,
                    stmt: created.stmt,
                }));
                Some(Stop::Parked)
            }
        }
    }
}

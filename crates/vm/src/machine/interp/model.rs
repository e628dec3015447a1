//! Calls of library models: querying a model and executing its answer.

use super::Stop;
use super::call::Entered;
use super::window::Window;
use crate::memory::{Life, Site};
use crate::native::Replay;
use crate::native::{Cx, Flow, Native, Performed, Prepared, Visible};
use crate::phase::Phase;
use crate::program::{Binding, Program};
use crate::symbolic::{Arm, Possible};
use crate::sync::{fuse, join};
use crate::thread::{NO_CALL, Stage};
use crate::value::Value;
use crate::visible;
use crate::vm::Vm;
use selvedge_base::{ContextId, Id, ThreadId};
use selvedge_expr::Expr;
use selvedge_ir::{Callee, FuncId};
use selvedge_model::{Action, LimitKind, Op, Outcome, Status};

/// The first action of a call to a visible model.
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
    /// Runs a library model for call site `index` of the current function.
    pub(super) fn native(
        &mut self,
        thread: ThreadId,
        native: Native,
        index: usize,
        performing: bool,
    ) -> Entered {
        if self.state.memory.has_written() && !self.forget_overwritten() {
            return Entered::Stopped(Stop::Parked);
        }
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
        // Usually there are few arguments, and they need no allocation.
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
                Prepared::Visible(action)
                    if visible::hides_lock(program, site.stmt)
                        && crate::sync::status(cx.state, &action).0 == Status::Enabled =>
                {
                    match (model.perform)(&mut cx, 0) {
                        Performed::Done(flow, _) => flow,
                        Performed::Again(_) => {
                            let prepared = (model.prepare)(&mut cx);
                            return self.prepared(thread, prepared, model, args, index, site);
                        }
                    }
                }
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
                // There is nothing to drop in it; this tells the compiler so.
                std::mem::forget(flow);
                value
            }
            Flow::Symbolic(value) => return self.native_needs(thread, value, site, performing),
            Flow::Choose(conditions) => return self.native_splits(thread, &conditions, site, performing),
            flow => return self.follow(thread, flow, ip, site),
        };
        match call.results[..] {
            [] => {}
            // A model does not change the frame and the register stack of its thread.
            [(slot, bits)] => {
                w.set(
                    slot,
                    crate::arithmetic::truncate(&self.state.memory.tags, value, bits),
                );
            }
            _ => {
                self.finish_call(thread, &[value]);
                return Entered::Running;
            }
        }
        let core = self.state.own_core(thread);
        // Data that an operation kept between its actions must not reach the next operation.
        (core.phase, core.note) = (Phase::First, 0);
        core.frame.ip = ip + 1;
        Entered::Next
    }

    /// Handles a model that needs a symbolic value as a number. If there is a C body with the same
    /// meaning, it is executed instead and branches where necessary. Otherwise the call is made
    /// again for each number.
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

    /// Handles a model that needs to know which of these conditions holds; then the call is made
    /// again.
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

    /// Makes the call at the current instruction again, now that more is known of symbolic values.
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

    /// Continues only if a condition holds. If it does not hold, the other threads go on; this
    /// matters only if there are any.
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

    /// Executes a visible model's answer to the question for its next action.
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

    /// Executes a model's answer.
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
            Flow::Resume { depth, ip, value } => self.go_back(thread, depth, ip, Ok(value), site),
            Flow::Land { depth, ip, phase } => self.go_back(thread, depth, ip, Err(phase), site),
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
            Flow::Assume(condition) => {
                let entered = self.assume(thread, condition, site);
                if matches!(entered, Entered::Stopped(Stop::Parked)) {
                    self.program.note_false_assumption();
                }
                entered
            }
            // The present action is done; the next action of the operation comes after the choice.
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

    /// Unwinds to an active frame and continues at an instruction of it: after a call, which
    /// returns a value; or at a landing pad or model, in a phase.
    fn go_back(
        &mut self,
        thread: ThreadId,
        depth: u32,
        ip: u32,
        how: Result<Value, Phase>,
        site: Site,
    ) -> Entered {
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
            core.leave_block();
        }
        if core.lone_block != u32::MAX && core.lone_block > depth {
            core.lone_block = 0;
        }
        match how {
            Ok(value) => self.finish_call(thread, &[value]),
            Err(phase) => (core.phase, core.note) = (phase, 0),
        }
        if leaves_block {
            return Entered::Stopped(Stop::Visible(self.after_block(thread)));
        }
        if self.unrolled(thread, ip) {
            return Entered::Stopped(Stop::Parked);
        }
        Entered::Landed
    }

    /// The scheduling point after an atomic function: what follows is not part of the block.
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
        let stmt = self.site(thread, ip).stmt;
        if self.refuses_callback(thread, func, stmt) {
            return Entered::Stopped(Stop::Parked);
        }
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
}

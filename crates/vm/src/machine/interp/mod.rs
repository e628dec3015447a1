//! The interpreter: runs one thread's code from one visible action to just before the next.
//!
//! `plain` is the hot loop for the instructions of a concrete program. `single` executes one
//! instruction of any kind. Calls and returns are here, because they change the frame that the
//! others access through a `Window`.

mod agree;
mod atomic;
mod call;
mod complex;
mod endless;
mod leave;
mod locals;
mod model;
mod notices;
mod placement;
mod plain;
mod single;
mod start;
pub(crate) mod stop;
mod wide;
mod window;

pub(crate) use call::Entered;
pub(crate) use stop::Stop;

use crate::code::{Code, Op};
use crate::machine::long_step::LOOK;
use crate::memory::{Life, Site};
use crate::program::Program;
use crate::vm::Vm;
use selvedge_base::{Id, ThreadId};
use selvedge_model::{Limit, LimitKind, Notice};
use single::Next;
use window::Window;

/// The cost of a non-local jump, in instructions. So the step limit bounds a loop that is closed by
/// one.
const LANDING: u64 = 100;

impl Vm {
    /// The statement and context of an instruction of the thread's current frame.
    pub(crate) fn site(&self, thread: ThreadId, ip: u32) -> Site {
        let frame = &self.state.thread(thread).core.frame;
        let code = &self.program.code[frame.func.index()];
        Site {
            stmt: code.stmts[ip as usize],
            context: frame.context,
        }
    }

    /// The code and the window of the thread's current frame, and where it stands.
    #[inline]
    fn window<'a>(&mut self, program: &'a Program, thread: ThreadId) -> (&'a Code, Window, u32) {
        let t = self.state.acting(thread);
        let frame = &t.core.frame;
        let code = &program.code[frame.func.index()];
        let window = Window::on(code, &mut t.regs[frame.base as usize..]);
        (code, window, frame.ip)
    }

    /// Runs a thread until it stops. With `performing`, the first instruction is the visible action
    /// that was chosen.
    #[inline]
    pub(crate) fn run(&mut self, thread: ThreadId, performing: bool) -> Stop {
        match self.program.numbers_of_addresses {
            true => self.run_placed::<true>(thread, performing),
            false => self.run_placed::<false>(thread, performing),
        }
    }

    /// `PLACED`: as in [`plain::run`]. Two functions, since one with both loops would have too few
    /// registers of the processor.
    #[inline(never)]
    fn run_placed<const PLACED: bool>(&mut self, thread: ThreadId, mut performing: bool) -> Stop {
        if self.state.thread(thread).core.depth == 0 {
            return Stop::Bottom;
        }
        // Held here, so that the compiled code stays available whatever the steps do to the rest.
        let program = self.program.clone();
        let program: &Program = &program;
        let options = &program.options;
        let (limit, counts_jumps) = (options.max_steps, options.unroll.is_some());
        let plain_until = |next_look: u64| match counts_jumps {
            true => 0,
            false => next_look.min(limit.saturating_sub(1)),
        };
        let mut next_look = LOOK;
        let mut plain_jumps = plain_until(next_look);
        if counts_jumps {
            self.jumps.clear();
        }
        self.long_step.begins_step();
        let (mut code, mut w, mut ip) = self.window(program, thread);
        let mut count = 0u64;
        let stop = loop {
            if !performing {
                let memory = &mut self.state.memory;
                (ip, count) = plain::run::<PLACED>(memory, w, ip, count, plain_jumps);
                if count >= next_look {
                    if self.has_to_stop() {
                        break self.told_to_stop(thread, ip);
                    }
                    if !self.long_step.is_on() {
                        self.long_step.begins(next_look);
                    }
                    // While the thread is watched, each backward jump is looked at.
                    (next_look, plain_jumps) = match self.long_step.is_on() {
                        true => (next_look, 0),
                        false => (next_look + LOOK, plain_until(next_look + LOOK)),
                    };
                }
            }
            count += 1;
            let inst = w.inst(ip as usize);
            match inst.op {
                Op::Call => {
                    self.state.own_core(thread).frame.ip = ip;
                    if count >= limit {
                        let text = format!("{limit} instructions ran without a visible action");
                        self.limit(thread, ip, LimitKind::Steps, text);
                        break Stop::Parked;
                    }
                    // A model may do much work in one call.
                    if !performing && self.has_to_stop() {
                        break self.told_to_stop(thread, ip);
                    }
                    match self.call(thread, code, inst.long() as usize, performing) {
                        Entered::Next => {
                            self.long_step.forget();
                            ip += 1;
                        }
                        Entered::Running => (code, w, ip) = self.window(program, thread),
                        Entered::Landed => {
                            count += LANDING;
                            self.long_step.forget();
                            (code, w, ip) = self.window(program, thread);
                        }
                        Entered::Stopped(stop) => break stop,
                    }
                    performing = false;
                }
                Op::Return => {
                    self.state.own_core(thread).frame.ip = ip;
                    if let Err(stop) = self.return_from(thread, inst.b as usize, ip, &mut performing) {
                        break stop;
                    }
                    (code, w, ip) = self.window(program, thread);
                }
                Op::Explain => {
                    let value = w.get(inst.a);
                    if !value.is_concrete() || !self.state.memory.is_known(inst.long(), value.bits) {
                        self.check_pointer(code.stmts[ip as usize], inst.long(), value);
                    }
                    count -= 1;
                    ip += 1;
                }
                _ => match self.single(thread, code, w, ip, performing, count) {
                    Next::At(next) => ip = next,
                    Next::After(next) => {
                        performing = false;
                        ip = next;
                    }
                    Next::Beside(next) => {
                        count -= 1;
                        ip = next;
                    }
                    Next::Stopped(stop) => break stop,
                },
            }
        };
        self.instructions += count;
        stop
    }

    /// Leaves the thread before the instruction at `ip`.
    #[cold]
    fn told_to_stop(&mut self, thread: ThreadId, ip: u32) -> Stop {
        self.forget_accesses();
        self.state.own_core(thread).frame.ip = ip;
        let stmt = self.site(thread, ip).stmt;
        self.state.notify(Notice::Limit(Limit::stopped(stmt)));
        Stop::Parked
    }

    /// Returns from the current function.
    #[inline]
    fn return_from(
        &mut self,
        thread: ThreadId,
        returns: usize,
        ip: u32,
        performing: &mut bool,
    ) -> Result<(), Stop> {
        if self.program.options.visibility.includes_plain() {
            // Each local that other threads may know ends in an action of its own, the last one
            // first.
            let first = self.state.thread(thread).core.frame.locals as usize;
            if *performing && let Some(base) = self.last_local(thread, first) {
                let site = self.site(thread, ip);
                self.end_local(thread, base, Life::Returned, site);
            }
            *performing = false;
            self.end_private_locals(thread, first, ip);
            if let Some(base) = self.last_local(thread, first)
                && let Some(action) = self.end_action(thread, ip, base)
            {
                return Err(Stop::Visible(action));
            }
        }
        let atomic = self.state.thread(thread).core.atomic;
        if !self.leave(thread, returns) {
            return Err(Stop::Bottom);
        }
        if atomic != self.state.thread(thread).core.atomic {
            return Err(Stop::Visible(self.after_block(thread)));
        }
        Ok(())
    }
}

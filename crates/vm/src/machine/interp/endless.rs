//! Loops without end within one step.
//!
//! A thread stands at a backward jump. If it comes back to the same stand, with the same registers,
//! frames, locks and memory, and has called no model in between, it goes round for ever: nobody
//! else moves before its step ends. The step limit would end that, too, but a hundred million
//! instructions later. The stand to come back to is renewed after 1, 2, 4 and so on jumps (Brent
//! 1980), so any round is found that is short enough.
//!
//! Threads are watched only in long steps, and for a short time, so it costs hardly anything.

use super::stop::Stop;
use crate::fingerprint::{Keys, own_hash};
use crate::machine::long_step::Stand;
use crate::state::Undo;
use crate::vm::Vm;
use selvedge_base::{Digest, Id, ThreadId};
use selvedge_model::LimitKind;

impl Vm {
    /// A watched thread takes a backward jump. Returns why it stops, if it goes round for ever.
    #[cold]
    pub(super) fn comes_round(&mut self, thread: ThreadId, ip: u32, target: u32) -> Option<Stop> {
        self.long_step.jumps -= 1;
        self.long_step.since += 1;
        let core = self.state.own_core(thread);
        let place = (core.depth, core.frame.func.index() as u32, target);
        let at_stand = self.long_step.stand.filter(|stand| stand.place == place);
        let renews = self.long_step.stand.is_none() || self.long_step.since >= self.long_step.renew;
        if at_stand.is_none() && !renews {
            return None;
        }
        core.frame.ip = target;
        let own = own_hash(&self.program, &self.state, thread);
        if let Some(stand) = at_stand
            && stand.own == own
            && self.is_as_at(&stand, thread)
        {
            return Some(self.endless(thread, ip, &stand));
        }
        if renews {
            let long_step = &mut self.long_step;
            long_step.since = 0;
            long_step.renew = match long_step.stand {
                None => 1,
                Some(_) => long_step.renew.saturating_mul(2),
            };
            self.long_step.stand = Some(Stand {
                place,
                own,
                state: self.state.position(),
                memory: self.state.memory.mark(),
                accesses: self.state.memory.accesses().len(),
            });
            // What is written from here on is saved and what is read is recorded, whatever the step
            // has done before.
            self.state.memory.begin_round();
        }
        None
    }

    /// Whether all but the thread's registers and frames is as it was at a stand.
    fn is_as_at(&self, stand: &Stand, thread: ThreadId) -> bool {
        let own = |entry: &Undo| match *entry {
            Undo::Core(t) | Undo::Regs { thread: t, .. } | Undo::Frame { thread: t, .. } => t == thread,
            // Its frames determine its locals.
            Undo::LocalPushed(t) | Undo::LocalPopped(t, _) => t == thread,
            _ => false,
        };
        let memory = &self.state.memory;
        self.state.changes(stand.state).iter().all(own)
            && memory.changed_fragments(stand.memory, &Keys::SOUND) == Digest::EMPTY
            // Without an answer where it was told to stop.
            && !memory.is_told_to_stop()
    }

    /// The thread goes round for ever from a stand. It does nothing more, and this is no limit of
    /// the exploration, unless the loop reads what others might change, or writes, or a handler
    /// might interrupt it, or [`Options::must_end`](crate::Options::must_end) is set. An atomic
    /// block without an end is one, too: nobody else could go on.
    fn endless(&mut self, thread: ThreadId, ip: u32, stand: &Stand) -> Stop {
        let options = &self.program.options;
        let core = &self.state.thread(thread).core;
        let memory = &self.state.memory;
        // A thread that runs alone waits for ever, too, if it reads what nobody will change. Loops
        // that write, also to their own stack, are left to the limit.
        let only_computes = options.record_accesses
            && options.points.is_none()
            && memory.accesses().len() == stand.accesses
            && memory.mark() == stand.memory;
        if !only_computes || options.must_end || self.program.handles_signals || core.atomic != 0 {
            let text = "a loop goes round for ever without a visible action".to_owned();
            self.limit(thread, ip, LimitKind::Endless, text);
        }
        Stop::Parked
    }
}

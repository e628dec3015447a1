//! Threads of the program under test.

use crate::memory::Site;
use crate::phase::Phase;
use crate::value::Value;
use selvedge_base::{ContextId, Digest, StmtId, ThreadId};
use selvedge_ir::FuncId;
use selvedge_model::{Action, BlockClass, ObjectId};

/// A call of a function.
#[derive(Clone, Copy, Debug)]
pub struct Frame {
    /// The function.
    pub func: FuncId,
    /// The next instruction.
    pub ip: u32,
    /// The position on the thread's register stack at which its registers begin.
    pub base: u32,
    /// The number of stack objects of its callers; its own begin at this position in
    /// `Thread::locals`.
    pub locals: u32,
    /// The calling context.
    pub context: ContextId,
    /// The call in the caller's code whose results it returns; `NO_CALL` for a frame entered by the
    /// machine.
    pub call: u32,
    /// The object that holds its variable arguments, or 0.
    pub varargs: u64,
}

/// [`Frame::call`] of a frame that the machine entered itself (thread start, destructors, exit
/// handlers).
pub const NO_CALL: u32 = u32::MAX;

/// The stage of a thread's life.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum Stage {
    /// Created; its first action is `Start`.
    Created,
    /// Runs its own code.
    Running,
    /// Its start routine returned, or it called pthread_exit or was cancelled: cleanup handlers and
    /// key destructors run.
    Unwinding,
    /// The process exits through this thread: exit handlers and destructors run.
    Exiting,
    /// It has ended.
    Finished,
    /// It was stopped for good: by a fault, a false assumption, a limit, or something unsupported.
    Parked,
}

/// The part of a thread that is saved completely at every step. Small, Copy.
#[derive(Clone, Copy, Debug)]
pub struct Core {
    /// The current frame; meaningless while `depth` is 0.
    pub frame: Frame,
    /// Frames on the stack, the current one included.
    pub depth: u32,
    /// Where it stands in its life.
    pub stage: Stage,
    /// The next action of an operation of several actions. Owned by the model that set it.
    pub phase: Phase,
    /// Small data of the operation between its actions (the cause of its wakeup, whether a barrier
    /// releases it, …).
    pub note: u64,
    /// The objects on which it waits between actions: condition variable and mutex, barrier, futex,
    /// …
    pub wait: [ObjectId; 2],
    /// True if a deadline was given: it may time out.
    pub timed: bool,
    /// Until when it waits, in seconds of its clock (`libc/deadline.rs`). 0: that does not matter.
    pub deadline: u32,
    /// The least that its clock says next, in seconds.
    pub time: u32,
    /// How often its clock tells the same time once more, unless `time` is later.
    pub clock_stays: u8,
    /// True if its clock was to go on in its last step, and stood still because of
    /// `Options::clock_steps`.
    pub clock_stopped: bool,
    /// With relative clocks: it has joined a thread whose clock may be ahead of its own.
    pub clock_joined: bool,
    /// With relative clocks: its clock is not what it was at its creation.
    pub clock_moved: bool,
    /// How often its clock has gone on, if that is limited.
    pub clock_steps: u32,
    /// The position in the sequence of functions to run at its end (key destructors, exit
    /// handlers). Owned by `lifecycle`.
    pub epilogue: u32,
    /// The value that it returns to its joiner; for `Exiting` the exit code.
    pub result: Value,
    /// Number of threads it has created, without those that were begun again.
    pub children: u32,
    /// The ordinal of the thread that it has created last; 0: none.
    pub last_child: u32,
    /// Number of inputs it has requested.
    pub inputs: u32,
    /// The address of its errno; 0 before the first use.
    pub errno: u64,
    /// True if a thread has joined it.
    pub joined: bool,
    /// True if its creator has joined it, and may begin it again (`again.rs`).
    pub free: bool,
    /// True if it has ended with a lock.
    pub left_locks: bool,
    /// True if it was created or made detached.
    pub detached: bool,
    /// Not 0 within an atomic block: the depth of the frame whose return ends it, or `u32::MAX` up
    /// to `__VERIFIER_atomic_end`.
    pub atomic: u32,
    /// The class of this block.
    pub block: BlockClass,
    /// The same as `atomic` for a block that began while there was no other thread, and is no
    /// action.
    pub lone_block: u32,
    /// True if the thread has had its turn among identical threads (`turns.rs`).
    pub had_turn: bool,
    /// True if the last visible thing that the thread did was to create a thread.
    pub has_just_created: bool,
    /// True if the pending action comes before the next instruction and is not that instruction
    /// (the end of an atomic function).
    pub before: bool,
    /// The hash of the thread at the time of its last spurious failure or wakeup, if it has changed
    /// nothing since (`causeless`); otherwise 0.
    pub idle: Digest,
    /// The list of places to which it may return without an effect in between
    /// (`awaits.rs`); 0 if there is none.
    pub rounds: u32,
    /// Cancellation: disabled, asynchronous, requested, being acted upon.
    pub cancel: Cancel,
    /// Statement and context of the last visible action, for reports.
    pub site: Site,
}

/// Cancellation state of a thread.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Cancel {
    /// PTHREAD_CANCEL_DISABLE.
    pub disabled: bool,
    /// PTHREAD_CANCEL_ASYNCHRONOUS.
    pub asynchronous: bool,
    /// The type was asynchronous at some time. Acting at once is not modelled, so a request that
    /// comes before or after is unsupported in any order.
    pub was_asynchronous: bool,
    /// Someone called pthread_cancel.
    pub requested: bool,
    /// The start routine has returned, and what runs now at the thread's end (destructors of keys)
    /// may still be cancelled. After `pthread_exit` and a cancellation it may not (glibc).
    pub returned: bool,
}

impl Cancel {
    /// True if the thread's next cancellation point ends it.
    #[inline]
    pub const fn pending(self) -> bool {
        self.requested && !self.disabled
    }
}

/// A lock that a thread holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Held {
    /// The lock.
    pub object: ObjectId,
    /// The number of acquisitions (recursive mutexes, read locks).
    pub count: u32,
    /// Held for reading only.
    pub shared: bool,
    /// The place where it was taken.
    pub site: Site,
}

/// A thread.
#[derive(Clone, Debug)]
pub struct Thread {
    /// The creator; for main, main itself.
    pub parent: ThreadId,
    /// It is the `ordinal`-th thread (from 1) its parent created; 0 for main.
    pub ordinal: u32,
    /// The owner number of its memory.
    pub region: u32,
    /// The function it starts with (an address) and its argument.
    pub start: (u64, Value),
    /// The identical thread that comes before it, if there is one (`turns.rs`).
    pub twin: Option<ThreadId>,
    /// True if it has taken the place of one that has ended (`again.rs`).
    pub again: bool,
    /// The place where it was created.
    pub created: Site,
    /// The part that is saved completely at each step.
    pub core: Core,
    /// Register stack; the current frame's registers begin at `core.frame.base`.
    pub regs: Vec<Value>,
    /// Suspended callers, outermost first; valid up to `core.depth - 1`.
    pub frames: Vec<Frame>,
    /// Bases of the stack objects of all frames, outermost first.
    pub locals: Vec<u64>,
    /// Locks held, in the order of taking.
    pub held: Vec<Held>,
    /// Addresses of its copies of thread-local variables, by number.
    pub tls: Vec<u64>,
    /// Lowest depth in the present step: frames below it are as they were when the step began.
    pub low_depth: u32,
}

impl Thread {
    /// A frame, counted from the outermost one.
    pub(crate) fn frame(&self, index: usize) -> Frame {
        if index + 1 == self.core.depth as usize {
            self.core.frame
        } else {
            self.frames[index]
        }
    }
}

impl Core {
    /// Begins an atomic block by this action. `until`: see [`Core::atomic`].
    pub fn enter_block(&mut self, until: u32, action: Action) {
        self.atomic = until;
        self.block = action.object.as_blocks().unwrap_or_default();
    }

    /// Whether the thread is within an operation of a channel, which is a block of no class.
    pub const fn is_within_channel(&self) -> bool {
        self.atomic == u32::MAX && !self.block.is_some()
    }

    /// Whether a request to cancel the thread acts at its next cancellation point.
    pub fn is_cancelled(&self) -> bool {
        self.cancel.pending() && (self.stage == Stage::Running || self.cancel.returned)
    }

    /// Ends an atomic block.
    pub const fn leave_block(&mut self) {
        self.atomic = 0;
        self.block = BlockClass::NONE;
    }

    /// A thread that was just created.
    pub fn created(detached: bool) -> Core {
        Core {
            frame: Frame {
                func: FuncId(0),
                ip: 0,
                base: 0,
                locals: 0,
                context: ContextId(0),
                call: NO_CALL,
                varargs: 0,
            },
            depth: 0,
            stage: Stage::Created,
            phase: Phase::First,
            note: 0,
            wait: [ObjectId::NONE; 2],
            timed: false,
            deadline: 0,
            time: 0,
            clock_stays: 0,
            clock_stopped: false,
            clock_joined: false,
            clock_moved: false,
            clock_steps: 0,
            epilogue: 0,
            result: Value::new(0),
            children: 0,
            last_child: 0,
            inputs: 0,
            errno: 0,
            joined: false,
            free: false,
            left_locks: false,
            detached,
            atomic: 0,
            block: BlockClass::NONE,
            lone_block: 0,
            had_turn: false,
            has_just_created: false,
            before: false,
            idle: Digest::EMPTY,
            rounds: 0,
            cancel: Cancel::default(),
            site: Site {
                stmt: StmtId(0),
                context: ContextId(0),
            },
        }
    }
}

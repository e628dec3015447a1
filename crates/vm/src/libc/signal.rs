//! Signals: the mask of each thread, and the process's actions.
//!
//! No process outside sends a signal: this is an assumption of each program that sets a handler. A
//! signal that a thread sends to itself is delivered at once by C code (`raise` in
//! `crates/frontend/lib/signal.c`, which also has sets of signals). A mask says which signals may
//! not be sent to the thread. Each thread has its own mask; a new thread inherits the mask of its
//! creator. A thread that runs a handler is [marked](IN_HANDLER).
//!
//! Actions belong to the process. They may be read at any time, and may change only while there is
//! one thread.

use super::{Answer, by_element, bytes, plain, signal_order};
use crate::arrived::is_pending;
use crate::native::{Cx, Flow, Native, Stop};
use crate::program::{Program, Signals};
use crate::state::State;
use crate::value::Value;
use crate::word::{SignalField, WordKey};
use selvedge_analysis::signal_points;
use selvedge_base::{Id, ThreadId};

/// The models of this file.
pub fn find(name: &str) -> Option<Native> {
    Some(match name {
        "signal" => plain!(signal),
        "__selvedge_is_alone" => {
            plain!(|cx: &mut Cx<'_>| -> Answer { Ok(Flow::int((cx.state.unjoined() == 0).into())) })
        }
        "__selvedge_all_block" => plain!(all_block),
        "__selvedge_delivers" => {
            plain!(|cx: &mut Cx<'_>| -> Answer { Ok(Flow::int(cx.program.signals.is_some().into())) })
        }
        "__selvedge_sends_to_process" => plain!(|cx: &mut Cx<'_>| -> Answer {
            let sends = cx.program.signals.is_some_and(|signals| signals.to_process);
            Ok(Flow::int(sends.into()))
        }),
        "__selvedge_mask" => plain!(|cx: &mut Cx<'_>| -> Answer {
            let in_block = cx.state.thread(cx.thread).core.atomic != 0;
            let blocked = mask(cx.state, cx.thread) & !NEVER;
            Ok(Flow::word(if in_block { u64::MAX } else { blocked }))
        }),
        "__selvedge_act_for" => plain!(|cx: &mut Cx<'_>| -> Answer {
            let (region, handle) = (cx.state.thread(cx.thread).region, cx.word(0)?);
            cx.state.set_word(WordKey::ActsFor(region), handle);
            Ok(Flow::void())
        }),
        "__selvedge_set_mask" => plain!(|cx: &mut Cx<'_>| -> Answer {
            let (before, after) = (mask(cx.state, cx.thread), cx.word(0)?);
            set_mask(cx.state, cx.thread, after);
            Ok(Flow::word(before))
        }),
        "sigaction" => by_element!(sigaction),
        "pthread_sigmask" => by_element!(|cx: &mut Cx<'_>| change(cx, false)),
        "sigprocmask" => by_element!(|cx: &mut Cx<'_>| change(cx, true)),
        _ => return None,
    })
}

/// Whether a function may set the handler of a signal.
pub(crate) fn sets_handlers(name: &str) -> bool {
    matches!(
        name,
        "signal" | "sigaction" | "sigset" | "ssignal" | "bsd_signal" | "sysv_signal" | "__sysv_signal"
    )
}

const EINVAL: i32 = 22;

// ---- handlers that run at points
// -------------------------------------------------------------------------------------------------

/// Whether handlers run at points.
pub(crate) fn at_points(program: &Program) -> Option<Signals> {
    let module = &program.module;
    module.function(signal_points::DELIVERS)?;
    let defined = |name: &str| {
        let found = module.function(name);
        found.is_some_and(|id| module.functions[id].is_defined())
    };
    Some(Signals {
        table: program.global_address(module.global("__selvedge_signals")?),
        to_process: defined("__selvedge_send_to_process") || defined("__selvedge_arm"),
    })
}

// ---- masks
// -------------------------------------------------------------------------------------------------

/// Whether a thread blocks a signal for certain. Inside a handler, a thread blocks more signals
/// than before and after it, and the caller is not ordered with the start and end of the handler.
/// So the answer is then no.
pub(crate) fn blocks(state: &State, thread: ThreadId, number: i32) -> bool {
    let mask = mask(state, thread);
    (1..=64).contains(&number) && mask & IN_HANDLER == 0 && mask >> (number - 1) & 1 != 0
}

fn all_block(cx: &mut Cx<'_>) -> Answer {
    let number = cx.int(0)?;
    // Including threads that have ended, since this query is not ordered with their ends.
    let mut threads = 0..cx.state.threads().len();
    let all = threads.all(|i| blocks(cx.state, ThreadId::from_index(i), number));
    Ok(Flow::int(all.into()))
}
/// Signals that cannot be blocked: SIGKILL, SIGSTOP, and two that the C library reserves.
const NEVER: u64 = 1 << (9 - 1) | 1 << (19 - 1) | 1 << (32 - 1) | 1 << (33 - 1);
/// Marks the mask of a thread that runs a handler: the bit of signal 32, which no mask has.
const IN_HANDLER: u64 = 1 << (32 - 1);

fn mask_word(state: &State, thread: ThreadId) -> WordKey {
    WordKey::SignalMask(state.thread(thread).region)
}

/// A new thread inherits the mask of its creator, without the mark.
pub(crate) fn inherit(state: &mut State, parent: ThreadId, child: ThreadId) {
    let mask = state.word(mask_word(state, parent)) & !IN_HANDLER;
    if mask != 0 {
        state.set_word(mask_word(state, child), mask);
    }
}

/// The mask of a thread, with the mark if the thread runs a handler.
pub(crate) fn mask(state: &State, thread: ThreadId) -> u64 {
    state.word(mask_word(state, thread))
}

/// Sets the mask of a thread.
fn set_mask(state: &mut State, thread: ThreadId, mask: u64) {
    state.set_word(mask_word(state, thread), mask);
}

/// Sets the mask of the acting thread. A sender of a signal reads the masks of other threads and is
/// not ordered with this change. So the change is unsupported if the program has such senders and
/// several threads.
pub(crate) fn change_mask(cx: &mut Cx<'_>, after: u64) -> Result<(), Stop> {
    let sends = |name| cx.program.module.function(name).is_some();
    if after & !NEVER != mask(cx.state, cx.thread) & !NEVER
        && cx.state.threads().len() > 1
        && cx.program.signals.is_none()
        && (sends("__selvedge_blocks") || sends("__selvedge_all_block"))
    {
        let what = "a change of the signals that a thread blocks beside other threads, where threads send \
                    signals and the program sets no handler";
        return Err(Flow::Unsupported(what.into()));
    }
    set_mask(cx.state, cx.thread, after);
    Ok(())
}

fn change(cx: &mut Cx<'_>, by_errno: bool) -> Answer {
    let (how, new, old) = (cx.int(0)?, cx.word(1)?, cx.word(2)?);
    let before = mask(cx.state, cx.thread);
    if new != 0 {
        let bytes = bytes::range(cx, new, 8, "set of signals")?;
        let set = bytes
            .iter()
            .rev()
            .fold(0, |set, &byte| set << 8 | u64::from(byte));
        let after = match how {
            0 => before | set,  // SIG_BLOCK
            1 => before & !set, // SIG_UNBLOCK
            2 => set,           // SIG_SETMASK
            _ if by_errno => {
                cx.set_errno(EINVAL)?;
                return Ok(Flow::int(-1));
            }
            _ => return Ok(Flow::int(EINVAL)),
        };
        change_mask(cx, after & !NEVER | before & IN_HANDLER)?;
    }
    if old != 0 {
        super::stepped::store(cx, old, 8, Value::new(before & !NEVER))?;
    }
    Ok(Flow::int(0))
}

// ---- actions
// -------------------------------------------------------------------------------------------------

/// Signals by which a process ends itself: SIGILL, SIGTRAP, SIGABRT. A handler of them is
/// unsupported, since it would determine how the program continues. (The faults behind SIGBUS,
/// SIGFPE and SIGSEGV are findings, or the verdict is unknown, so handlers of these would not run.)
const ENDS: [i32; 3] = [4, 5, 6];
/// Signals that are ignored by default: SIGCHLD, SIGCONT, SIGURG, SIGWINCH.
const IGNORED: [i32; 4] = [17, 18, 23, 28];
const SIGKILL: i32 = 9;
pub(crate) const SIGPIPE: i32 = 13;
const SIGSTOP: i32 = 19;
const SA_RESTART: u64 = 0x1000_0000;
/// The flag that the C library adds to each action.
const SA_RESTORER: u64 = 0x0400_0000;
/// Offsets in `struct sigaction`.
const MASK_AT: u64 = 8;
const FLAGS_AT: u64 = 136;

/// The process's action for a signal.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Disposition {
    /// SIG_DFL, SIG_IGN, or the address of a function.
    handler: u64,
    /// Signals that are blocked while the handler runs.
    mask: u64,
    flags: u64,
}

fn disposition(state: &State, number: i32) -> Disposition {
    let word = |field| state.word(WordKey::SignalAction(number as u32, field));
    Disposition {
        handler: word(SignalField::Handler),
        mask: word(SignalField::Mask),
        flags: word(SignalField::Flags),
    }
}

/// The functions that set timers which send a signal.
const fn timer_of(number: i32) -> &'static [&'static str] {
    match number {
        14 => &["alarm", "setitimer"],
        26 | 27 => &["setitimer"],
        _ => &[],
    }
}

/// Changes the process's action for a signal.
fn set_disposition(cx: &mut Cx<'_>, number: i32, new: Disposition) -> Result<(), Stop> {
    if new.handler > 1 {
        if ENDS.contains(&number) {
            return Err(Flow::Unsupported(format!("a handler of signal {number}")));
        }
        if cx.program.signals.is_none()
            && let Some(timer) = timer_of(number)
                .iter()
                .find(|name| cx.program.module.function(name).is_some())
        {
            let what = format!("a handler of signal {number}, in a program that calls {timer}");
            return Err(Flow::Unsupported(what));
        }
        cx.program.note_handler(cx.site.stmt);
    }
    if disposition(cx.state, number) == new {
        return signal_order::look(cx.state, cx.thread, number);
    }
    // To ignore a signal ends what waits. What was sent while it was ignored may wait all the same.
    let ignores = new.handler == 1 || new.handler == 0 && IGNORED.contains(&number);
    if ignores && is_pending(cx.program.signals, cx.state, number) {
        return Err(Flow::Unsupported("ignoring a signal that was sent".into()));
    }
    let ignored = disposition(cx.state, number).handler == 1;
    if ignored && new.handler > 1 && signal_order::was_used(cx.state, number) {
        let what = "a handler of a signal that was ignored while there were several threads";
        return Err(Flow::Unsupported(what.into()));
    }
    signal_order::change(cx.state, cx.thread, number)?;
    for (field, value) in [
        (SignalField::Handler, new.handler),
        (SignalField::Mask, new.mask),
        (SignalField::Flags, new.flags),
    ] {
        cx.state
            .set_word(WordKey::SignalAction(number as u32, field), value);
    }
    if number == SIGPIPE {
        super::files::ignore_pipe_signal(cx.state, new.handler == 1);
    }
    Ok(())
}

/// Whether the signal exists and its action may be changed.
fn may_change(number: i32) -> bool {
    (1..=64).contains(&number) && !matches!(number, SIGKILL | SIGSTOP | 32 | 33)
}

fn signal(cx: &mut Cx<'_>) -> Answer {
    let (number, handler) = (cx.int(0)?, cx.word(1)?);
    if !may_change(number) {
        cx.set_errno(EINVAL)?;
        return Ok(Flow::word(u64::MAX));
    }
    let before = disposition(cx.state, number);
    let after = Disposition {
        handler,
        mask: 1 << (number - 1),
        flags: SA_RESTART | SA_RESTORER,
    };
    // The result shows only the handler. So setting the same handler again while there are several
    // threads changes nothing that matters.
    if before.handler != handler || cx.state.unjoined() == 0 {
        set_disposition(cx, number, after)?;
    } else {
        signal_order::look(cx.state, cx.thread, number)?;
    }
    Ok(Flow::word(before.handler))
}

fn sigaction(cx: &mut Cx<'_>) -> Answer {
    let (number, new, old) = (cx.int(0)?, cx.word(1)?, cx.word(2)?);
    if !may_change(number) && (new != 0 || !matches!(number, SIGKILL | SIGSTOP)) {
        cx.set_errno(EINVAL)?;
        return Ok(Flow::int(-1));
    }
    let before = disposition(cx.state, number);
    if new != 0 {
        let mut word = |at, size| -> Result<u64, Stop> {
            let bytes = bytes::range(cx, new + at, size, "action of a signal")?;
            Ok(bytes
                .iter()
                .rev()
                .fold(0, |word, &byte| word << 8 | u64::from(byte)))
        };
        let after = Disposition {
            handler: word(0, 8)?,
            mask: word(MASK_AT, 8)?,
            flags: word(FLAGS_AT, 4)? | SA_RESTORER,
        };
        set_disposition(cx, number, after)?;
    } else {
        signal_order::look(cx.state, cx.thread, number)?;
    }
    if old != 0 {
        // The kernel's set of signals has one word. The rest of the structure is not changed.
        super::stepped::store(cx, old, 8, Value::new(before.handler))?;
        super::stepped::store(cx, old + MASK_AT, 8, Value::new(before.mask))?;
        super::stepped::store(cx, old + FLAGS_AT, 4, Value::new(before.flags))?;
    }
    Ok(Flow::int(0))
}

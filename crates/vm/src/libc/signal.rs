//! Signals: which ones a thread blocks, and what the process does about each.
//!
//! Nobody outside sends a signal: that is an assumption of each program that sets a handler. What a
//! thread sends to itself is delivered at once, by C code (`raise`, `crates/frontend/lib/signal.c`,
//! which also has sets of signals). A mask says what may not be sent then; each thread has its own,
//! and a new thread has its creator's. While a handler runs, it has a [mark](IN_HANDLER). Actions
//! are the process's: they may be asked for at any time, and change only while there is one thread.

use super::{Answer, by_element, bytes, plain};
use crate::native::{Cx, Flow, Native, Stop};
use crate::state::State;
use crate::value::Value;
use crate::word::{SignalField, WordKey};
use selvedge_base::{Id, ThreadId};

/// The models of this file.
pub fn find(name: &str) -> Option<Native> {
    Some(match name {
        "signal" => plain!(signal),
        "__selvedge_is_alone" => {
            plain!(|cx: &mut Cx<'_>| -> Answer { Ok(Flow::int((cx.state.unjoined() == 0).into())) })
        }
        "__selvedge_all_block" => plain!(all_block),
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

const EINVAL: i32 = 22;

/// Whether a thread blocks a signal, and goes on to block it: within a handler more is blocked than
/// before and after it, and who asks is not ordered with its begin and end.
pub(crate) fn blocks(state: &State, thread: ThreadId, number: i32) -> bool {
    let mask = mask(state, thread);
    (1..=64).contains(&number) && mask & IN_HANDLER == 0 && mask >> (number - 1) & 1 != 0
}

fn all_block(cx: &mut Cx<'_>) -> Answer {
    let number = cx.int(0)?;
    // Those that have ended, too: this is not ordered with their ends.
    let mut threads = 0..cx.state.threads().len();
    let all = threads.all(|i| blocks(cx.state, ThreadId::from_index(i), number));
    Ok(Flow::int(all.into()))
}
/// What cannot be blocked: SIGKILL, SIGSTOP, and the two that the C library keeps for itself.
const NEVER: u64 = 1 << (9 - 1) | 1 << (19 - 1) | 1 << (32 - 1) | 1 << (33 - 1);
/// Marks the mask of a thread that runs a handler: the bit of signal 32, which no mask has.
const IN_HANDLER: u64 = 1 << (32 - 1);

fn mask_word(state: &State, thread: ThreadId) -> WordKey {
    WordKey::SignalMask(state.thread(thread).region)
}

/// A new thread blocks what its creator does.
pub(crate) fn inherit(state: &mut State, parent: ThreadId, child: ThreadId) {
    let mask = state.word(mask_word(state, parent)) & !IN_HANDLER;
    if mask != 0 {
        state.set_word(mask_word(state, child), mask);
    }
}

/// The signals that a thread blocks, and whether it runs a handler.
pub(crate) fn mask(state: &State, thread: ThreadId) -> u64 {
    state.word(mask_word(state, thread))
}

/// Makes a thread block these signals.
fn set_mask(state: &mut State, thread: ThreadId, mask: u64) {
    state.set_word(mask_word(state, thread), mask);
}

/// Makes the standing thread block these signals from now on. Who sends a signal asks what others
/// block, and is not ordered with who changes that.
pub(crate) fn change_mask(cx: &mut Cx<'_>, after: u64) -> Result<(), Stop> {
    let sends = |name| cx.program.module.function(name).is_some();
    if after & !NEVER != mask(cx.state, cx.thread) & !NEVER
        && cx.state.threads().len() > 1
        && (sends("__selvedge_blocks") || sends("__selvedge_all_block"))
    {
        let what = "a change of the signals that a thread blocks, where threads send each other signals";
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

/// What ends a process that ends itself: SIGILL, SIGTRAP, SIGABRT. What a handler makes of them
/// decides how the program goes on. (Other faults, of which SIGBUS, SIGFPE and SIGSEGV tell, are
/// findings, or the verdict is unknown: no handler of theirs would run.)
const ENDS: [i32; 3] = [4, 5, 6];
const SIGKILL: i32 = 9;
const SIGPIPE: i32 = 13;
const SIGSTOP: i32 = 19;
const SA_RESTART: u64 = 0x1000_0000;
/// What the C library adds to the flags of each action.
const SA_RESTORER: u64 = 0x0400_0000;
/// Where `struct sigaction` has its parts.
const MASK_AT: u64 = 8;
const FLAGS_AT: u64 = 136;

/// What the process does about a signal.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Disposition {
    /// SIG_DFL, SIG_IGN, or the address of a function.
    handler: u64,
    /// Signals that a handler would block.
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

/// Changes what the process does about a signal.
fn set_disposition(cx: &mut Cx<'_>, number: i32, new: Disposition) -> Result<(), Stop> {
    if new.handler > 1 {
        if ENDS.contains(&number) {
            return Err(Flow::Unsupported(format!("a handler of signal {number}")));
        }
        cx.program.note_handler(cx.site.stmt);
    }
    if disposition(cx.state, number) == new {
        return Ok(());
    }
    if cx.state.unjoined() > 0 {
        let what = "a change of a signal's action while there are several threads";
        return Err(Flow::Unsupported(what.into()));
    }
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

/// Whether there is such a signal, and its action may be changed.
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
    // Only the handler can be told from the answer: setting it again in several threads changes
    // nothing that matters.
    if before.handler != handler || cx.state.unjoined() == 0 {
        set_disposition(cx, number, after)?;
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
    }
    if old != 0 {
        // The kernel's set of signals has one word; the rest of the structure stays as it is.
        super::stepped::store(cx, old, 8, Value::new(before.handler))?;
        super::stepped::store(cx, old + MASK_AT, 8, Value::new(before.mask))?;
        super::stepped::store(cx, old + FLAGS_AT, 4, Value::new(before.flags))?;
    }
    Ok(Flow::int(0))
}

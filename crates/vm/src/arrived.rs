//! Signals that have arrived for threads, where handlers run at points: what the machine reads of
//! the table that the model library keeps (`crates/frontend/lib/signal_delivery.c`).

use crate::program::{DIRECT_REGIONS, Signals};
use crate::state::{State, thread_name};
use crate::word::WordKey;
use selvedge_base::{Id, ThreadId};
use selvedge_model::{Action, ObjectId};

/// The layout of `struct signals`: signals of a thread that were sent, those that have arrived,
/// what the thread is doing, and what it does not block meanwhile.
const SENT: u64 = 0;
const ARRIVED: u64 = 8;
const STATE: u64 = 16;
const SIZE: u64 = 32;
/// `RUNS`: it neither waits for a condition variable or the like, nor for a signal.
const RUNS: u64 = 0;
/// `SUSPENDED`: it waits for a signal.
const SUSPENDED: u64 = 3;
/// The number of threads, and the process, which comes first. Half of them are the first thread and
/// those that it creates.
const MOST: u64 = 256;
const DIRECT: u64 = MOST / 2;

fn field(signals: Signals, state: &State, of: u64, at: u64, size: u64) -> u64 {
    let address = signals.table + of * SIZE + at;
    match state.memory.check(address, size, false) {
        Ok(_) => state.memory.peek_checked(address, size).bits,
        Err(_) => 0,
    }
}

/// The place of a thread in the table.
fn place(state: &State, thread: ThreadId) -> Option<u64> {
    let handle = u64::from(state.thread(thread).region);
    match handle.checked_sub(u64::from(DIRECT_REGIONS)) {
        None => Some(handle).filter(|&handle| handle < DIRECT),
        Some(other) => Some(DIRECT + other).filter(|&place| place < MOST),
    }
}

/// The handle of the thread at a place.
fn handle_at(place: u64) -> u64 {
    match place.checked_sub(DIRECT) {
        None => place,
        Some(other) => u64::from(DIRECT_REGIONS) + other,
    }
}

/// Whether a thread whose action is blocked would run a handler now: a signal that it does not
/// block has arrived. It came after the point before this action. Had it come before, the thread
/// would have run the handler there, and all else would be the same. So that execution shows what
/// happens, and this one has not come to its end.
pub(crate) fn may_run_handler(signals: Option<Signals>, state: &State, action: &Action) -> bool {
    let Some(signals) = signals else { return false };
    let who = acts_for(state, action.thread);
    let Some(me) = place(state, who) else { return false };
    // In such a wait, the thread that brings the signal runs the handler.
    if who == action.thread && field(signals, state, me, STATE, 4) != RUNS {
        return false;
    }
    let open = !state.word(WordKey::SignalMask(state.thread(action.thread).region));
    let here = |of| field(signals, state, of, ARRIVED, 8) & field(signals, state, of, SENT, 8) & open != 0;
    here(me) || here(0)
}

/// Whether a signal waits for a thread or for the process.
pub(crate) fn is_pending(signals: Option<Signals>, state: &State, number: i32) -> bool {
    let bit = 1 << (number - 1);
    signals.is_some_and(|signals| (0..MOST).any(|of| field(signals, state, of, SENT, 8) & bit != 0))
}

/// The thread in whose place a thread runs a handler, or itself.
pub(crate) fn acts_for(state: &State, thread: ThreadId) -> ThreadId {
    let acts_for = state.word(WordKey::ActsFor(state.thread(thread).region));
    by_handle(state, acts_for).unwrap_or(thread)
}

fn by_handle(state: &State, wanted: u64) -> Option<ThreadId> {
    let found = state
        .threads()
        .iter()
        .position(|t| u64::from(t.region) == wanted && wanted != 0);
    found.map(ThreadId::from_index)
}

/// What an address in the table stands for.
pub(crate) fn name_at(signals: Option<Signals>, state: &State, object: ObjectId) -> Option<String> {
    let behind = object.0.checked_sub(signals?.table)?;
    if behind >= MOST * SIZE {
        return None;
    }
    let whose = match by_handle(state, handle_at(behind / SIZE)) {
        Some(thread) => format!("thread {}", thread_name(state, thread)),
        None => "the process".to_owned(),
    };
    Some(match behind % SIZE {
        SENT => format!("the signals sent to {whose}"),
        ARRIVED => format!("the signals that have arrived for {whose}"),
        STATE => format!("whether {whose} waits"),
        _ => format!("the signals that {whose} does not block while it waits"),
    })
}

/// What a thread waits for that is blocked at a place in the table.
pub(crate) fn blocked_text(signals: Option<Signals>, state: &State, action: &Action) -> Option<String> {
    name_at(signals, state, action.object)?;
    let suspended = match place(state, action.thread) {
        Some(me) => field(signals?, state, me, STATE, 4) == SUSPENDED,
        None => false,
    };
    Some(match suspended {
        true => "waits for a signal".into(),
        false => "waits for the end of a handler that runs in its place".into(),
    })
}

//! Threads as fragments.
//!
//! A thread's frames are written by itself only, so a whole frame is one fragment: nothing
//! independent can touch parts of it. What others write to a thread (that it was joined, detached
//! or asked to end) are fragments of their own. Calling contexts and places are for reports and
//! left out; threads go by their memory region, never by the number they got when created.

use super::{FragmentKind, Keys};
use crate::program::Program;
use crate::state::State;
use crate::thread::{Cancel, Core, Stage, Thread};
use crate::value::Value;
use selvedge_base::{Digest, Id, ThreadId};
use selvedge_expr::Expr;
use selvedge_model::ObjectId;
use smallvec::SmallVec;

/// Marks the region of a thread where an object is meant: no address and no number of an object has
/// it.
const THREAD: u64 = 7 << 61;

/// How many frames of a thread count: none once it will never move again; but what a parked thread
/// points to is not lost.
pub(super) fn depth(program: &Program, thread: &Thread) -> usize {
    match thread.core.stage {
        Stage::Finished => 0,
        Stage::Parked if !program.options.leaks => 0,
        _ => thread.core.depth as usize,
    }
}

/// What expressions are called in fragments.
pub(super) type Names<'a> = &'a dyn Fn(Expr) -> Digest;

/// How threads are written.
#[derive(Clone, Copy)]
pub(super) struct Style<'a> {
    /// With numbers of threads and calling contexts.
    pub named: bool,
    /// How many inputs a thread has asked for counts.
    pub counts_inputs: bool,
    /// Other names for expressions than their hashes.
    pub renamed: Option<Names<'a>>,
}

impl Style<'_> {
    /// The usual names.
    pub const fn exact(named: bool) -> Style<'static> {
        Style {
            named,
            counts_inputs: true,
            renamed: None,
        }
    }
}

/// A value: what it is, and as many words as that takes.
pub(super) fn value(state: &State, value: Value, style: Style<'_>) -> SmallVec<[u64; 5]> {
    let tags = &state.memory.tags;
    if let Some(symbol) = tags.symbol(value.tag) {
        let hash = match style.renamed {
            None => tags.arena.hash(symbol.expr),
            Some(name) => name(symbol.expr),
        };
        let [low, high] = hash.words();
        SmallVec::from_buf([1, symbol.undefined, symbol.home, low, high])
    } else if value.tag.as_poison().is_some() {
        let home = tags.home(value.tag).unwrap_or(0);
        SmallVec::from_slice(&[2 | value.tag.cause() << 8, value.bits, home])
    } else {
        SmallVec::from_slice(&[0, value.bits, tags.undefined_bits(value.tag)])
    }
}

/// Writes the words of frame `index` of a thread.
pub(super) fn frame(
    program: &Program,
    state: &State,
    (thread, index): (&Thread, usize),
    style: Style<'_>,
    words: &mut Vec<u64>,
) {
    let frame = thread.frame(index);
    let code = &program.code[frame.func.index()];
    let live = thread.live_slots(program, index);
    let is_top = index + 1 == thread.core.depth as usize;
    let last_local = if is_top {
        thread.locals.len()
    } else {
        thread.frame(index + 1).locals as usize
    };
    let locals = &thread.locals[frame.locals as usize..last_local];
    words.clear();
    words.extend([
        u64::from(thread.region) << 32 | index as u64,
        (frame.func.index() as u64) << 32 | u64::from(frame.ip),
        u64::from(frame.call),
        frame.varargs,
        locals.len() as u64,
    ]);
    words.extend_from_slice(locals);
    if style.named {
        words.push(frame.context.index() as u64);
    }
    let mut special: SmallVec<[(u64, Value); 4]> = SmallVec::new();
    let mut slot = |slot: usize| {
        let value = thread.regs[frame.base as usize + slot];
        if value.is_concrete() {
            words.push(value.bits);
        } else {
            words.push(0);
            special.push((slot as u64, value));
        }
    };
    match live {
        Some(live) => live.iter().for_each(|&s| slot(usize::from(s))),
        // Not a place where threads are expected to stand: everything counts.
        None => (0..code.slots as usize).for_each(slot),
    }
    // How many registers there are follows from the place. Those that are not concrete come after
    // all of them, so that the words can be read in one way only.
    for (slot, value) in special {
        words.push(slot);
        words.extend(self::value(state, value, style));
    }
}

/// Writes the words of who a thread is; if it is named with the place of its creation.
pub(super) fn birth(state: &State, index: usize, style: Style<'_>, words: &mut Vec<u64>) {
    let thread = &state.threads()[index];
    words.clear();
    if style.named {
        let created = thread.created;
        words.extend([
            index as u64,
            (created.stmt.index() as u64) << 32 | created.context.index() as u64,
        ]);
    }
    words.extend([
        u64::from(thread.region) | u64::from(thread.twin.is_some()) << 32,
        u64::from(state.thread(thread.parent).region) << 32 | u64::from(thread.ordinal),
        thread.start.0,
    ]);
    words.extend(value(state, thread.start.1, style));
}

/// Writes the words of a thread's core but for its frames and for what others write to it; if it is
/// named with the calling context that its last frame leaves behind.
pub(super) fn core(state: &State, thread: &Thread, style: Style<'_>, words: &mut Vec<u64>) {
    core_words(state, (thread, thread.core), style, words);
}

/// The same, without [`Core::idle`].
pub(super) fn core_without_idle(state: &State, thread: &Thread, style: Style<'_>, words: &mut Vec<u64>) {
    let mut own = thread.core;
    own.idle = Digest::EMPTY;
    core_words(state, (thread, own), style, words);
}

fn core_words(state: &State, (thread, core): (&Thread, Core), style: Style<'_>, words: &mut Vec<u64>) {
    // Named one by one, so that a new field cannot be forgotten here. `flags` has what is ignored
    // in `cancel` and below.
    let Core {
        frame,
        depth,
        stage,
        phase,
        note,
        wait,
        timed,
        epilogue,
        result,
        children,
        inputs,
        errno,
        joined: _,
        detached: _,
        atomic,
        had_turn,
        has_just_created,
        before,
        idle,
        cancel: Cancel {
            disabled,
            asynchronous,
            requested: _,
        },
        site: _,
    } = core;
    let object = |id: ObjectId| match id.as_thread() {
        Some(t) => state
            .threads()
            .get(t.index())
            .map_or(id.0, |t| THREAD | u64::from(t.region)),
        None => id.0,
    };
    let inputs = if style.counts_inputs { inputs } else { 0 };
    let bits = [had_turn, has_just_created, timed, disabled, asynchronous, before];
    let bits = bits.iter().fold(0, |all, &bit| all << 1 | u64::from(bit));
    words.clear();
    words.extend([
        u64::from(thread.region) << 32 | u64::from(depth),
        (stage as u64) << 16 | (phase as u64) << 8 | bits,
        note,
        object(wait[0]),
        object(wait[1]),
        u64::from(epilogue) << 32 | u64::from(children),
        errno,
        u64::from(inputs) << 32 | u64::from(atomic),
    ]);
    match result.is_concrete() {
        true => words.extend([0, result.bits, 0]),
        false => words.extend(value(state, result, style)),
    }
    if idle != Digest::EMPTY {
        words.extend(idle.words());
    }
    if style.named {
        words.push(frame.context.index() as u64);
    }
}

/// A hash of all that decides what a thread does, but for memory and what others do to it: its
/// core, its frames, its locks.
pub(crate) fn own_hash(program: &Program, state: &State, thread: ThreadId) -> Digest {
    let (keys, style) = (Keys::SOUND, Style::exact(false));
    let t = state.thread(thread);
    let mut words = Vec::new();
    core_without_idle(state, t, style, &mut words);
    let mut hash = keys.words(FragmentKind::Core, &words);
    for index in 0..t.core.depth as usize {
        frame(program, state, (t, index), style, &mut words);
        hash = hash.with(keys.words(FragmentKind::Frame, &words));
    }
    held(t, &mut words);
    hash.with(keys.words(FragmentKind::Held, &words))
}

/// What others do to a thread, as (region, which) of the flags that are set.
pub(super) fn flags(thread: &Thread) -> impl Iterator<Item = (u64, u64)> + use<> {
    let core = &thread.core;
    let region = u64::from(thread.region);
    let set = [core.joined, core.detached, core.cancel.requested];
    set.into_iter()
        .enumerate()
        .filter(|(_, set)| *set)
        .map(move |(i, _)| (region, i as u64))
}

/// Writes the words of the locks that a thread holds; none if it holds none.
pub(super) fn held(thread: &Thread, words: &mut Vec<u64>) {
    words.clear();
    if thread.held.is_empty() {
        return;
    }
    words.push(u64::from(thread.region));
    for held in &thread.held {
        words.extend([held.object.0, u64::from(held.count) << 1 | u64::from(held.shared)]);
    }
}

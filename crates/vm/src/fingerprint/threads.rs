//! Threads as fragments.
//!
//! Only a thread itself writes its frames. So a whole frame is one fragment: no independent action
//! can change parts of it. Changes of a thread by other threads (it was joined, detached or
//! cancelled) are fragments of their own. Calling contexts and places are for reports and are left
//! out. Threads are identified by their memory region, never by the number that they got when they
//! were created.

use super::{FragmentKind, Keys};
use crate::program::Program;
use crate::state::State;
use crate::thread::{Cancel, Core, Stage, Thread};
use crate::value::Value;
use selvedge_base::{Digest, Id, ThreadId};
use selvedge_expr::Expr;
use selvedge_model::ObjectId;
use smallvec::SmallVec;

/// Marks the region of a thread in place of an object: no address and no number of an object has
/// these bits.
const THREAD: u64 = 7 << 61;

/// The number of frames of a thread that count: none if it never moves again. An exception: what a
/// parked thread points to is not lost.
pub(super) fn depth(program: &Program, thread: &Thread) -> usize {
    match thread.core.stage {
        Stage::Finished => 0,
        Stage::Parked if !program.options.leaks => 0,
        _ => thread.core.depth as usize,
    }
}

/// The names of expressions in fragments.
pub(super) type Names<'a> = &'a dyn Fn(Expr) -> Digest;

/// How threads are written as words.
#[derive(Clone, Copy)]
pub(super) struct Style<'a> {
    /// If true, numbers of threads and calling contexts are included.
    pub named: bool,
    /// If true, the number of inputs that a thread has requested is included.
    pub counts_inputs: bool,
    /// If times are relative, what the thread's clock says next.
    pub now: Option<u64>,
    /// Names for expressions that replace their hashes.
    pub renamed: Option<Names<'a>>,
}

impl Style<'_> {
    /// The usual names.
    pub const fn exact(named: bool) -> Style<'static> {
        Style {
            named,
            counts_inputs: true,
            now: None,
            renamed: None,
        }
    }
}

/// A value as words: its kind, and its contents.
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

/// Whether frame `index` of a thread has a symbolic value among those that [`frame`] writes.
pub(super) fn has_symbolic(program: &Program, state: &State, thread: &Thread, index: usize) -> bool {
    let frame = thread.frame(index);
    let is_symbolic = |slot: usize| {
        let value = thread.regs[frame.base as usize + slot];
        !value.is_concrete() && state.memory.tags.symbol(value.tag).is_some()
    };
    match program.live_slots(thread, index) {
        Some(live) => live.iter().any(|&slot| is_symbolic(usize::from(slot))),
        None => (0..program.code[frame.func.index()].slots as usize).any(is_symbolic),
    }
}

/// Writes the words of frame `index` of a thread without its registers: its place and its stack
/// objects.
pub(super) fn frame_without_registers(thread: &Thread, index: usize, words: &mut Vec<u64>) {
    let frame = thread.frame(index);
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
    let live = program.live_slots(thread, index);
    frame_without_registers(thread, index, words);
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
        // Threads are not expected to be at this place: everything counts.
        None => (0..code.slots as usize).for_each(slot),
    }
    // The number of registers follows from the place. Those that are not concrete come after all
    // others, so the words can be read in one way only.
    for (slot, value) in special {
        words.push(slot);
        words.extend(self::value(state, value, style));
    }
}

/// Writes the identity of a thread as words. In named style, this includes the place of its
/// creation.
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

/// Writes a thread's core as words, without its frames and without what others write to it. In
/// named style, this includes the calling context that its last frame leaves.
pub(super) fn core(state: &State, thread: &Thread, style: Style<'_>, words: &mut Vec<u64>) {
    core_words(state, (thread, thread.core), style, words);
}

/// Writes a thread's core without [`Core::idle`] and [`Core::rounds`].
pub(super) fn core_without_idle(state: &State, thread: &Thread, style: Style<'_>, words: &mut Vec<u64>) {
    let mut own = thread.core;
    own.idle = Digest::EMPTY;
    own.rounds = 0;
    core_words(state, (thread, own), style, words);
}

fn core_words(state: &State, (thread, core): (&Thread, Core), style: Style<'_>, words: &mut Vec<u64>) {
    // All fields are named one by one, so that a new field cannot be forgotten here. `flags` has
    // those that are ignored in `cancel` and below.
    let Core {
        frame,
        depth,
        stage,
        phase,
        note,
        wait,
        timed,
        deadline,
        time,
        clock_stays,
        clock_stopped,
        clock_joined,
        clock_moved,
        clock_steps,
        epilogue,
        result,
        children,
        last_child,
        inputs,
        errno,
        joined: _,
        free: _,
        left_locks,
        detached: _,
        atomic,
        block,
        lone_block,
        had_turn,
        has_just_created,
        before,
        idle,
        rounds,
        cancel:
            Cancel {
                disabled,
                asynchronous,
                was_asynchronous,
                requested: _,
                returned,
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
    let bits = [
        had_turn,
        has_just_created,
        timed,
        disabled,
        asynchronous,
        was_asynchronous,
        returned,
        before,
        clock_stopped,
        clock_joined,
        clock_moved,
        left_locks,
    ];
    let bits = bits.iter().fold(0, |all, &bit| all << 1 | u64::from(bit));
    words.clear();
    words.extend([
        u64::from(thread.region) << 32 | u64::from(depth),
        u64::from(block.0) << 48 | (stage as u64) << 40 | (phase as u64) << 32 | bits,
        note,
        object(wait[0]),
        object(wait[1]),
        u64::from(epilogue) << 32 | u64::from(children),
        u64::from(last_child),
        errno,
        u64::from(lone_block),
        u64::from(inputs) << 32 | u64::from(atomic),
        u64::from(relative(deadline, style.now)) << 32 | u64::from(relative(time, style.now)),
        u64::from(clock_steps) << 8 | u64::from(clock_stays),
    ]);
    match result.is_concrete() {
        true => words.extend([0, result.bits, 0]),
        false => words.extend(value(state, result, style)),
    }
    if idle != Digest::EMPTY {
        words.extend(idle.words());
    }
    words.extend(state.stands().words(rounds));
    if style.named {
        words.push(frame.context.index() as u64);
    }
}

/// A time of a thread's clock, from `now` on if that is given. 0 and `u32::MAX` are no times.
fn relative(time: u32, now: Option<u64>) -> u32 {
    match now {
        Some(now) if time != 0 && time != u32::MAX => time.wrapping_sub(now as u32).wrapping_add(1 << 31),
        _ => time,
    }
}

/// A hash of everything that decides what a thread does, except for memory and changes by other
/// threads: its core, its frames, its locks.
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

/// The flags of a thread that others set, as (region, flag).
pub(super) fn flags(thread: &Thread) -> impl Iterator<Item = (u64, u64)> + use<> {
    let core = &thread.core;
    let region = u64::from(thread.region);
    let set = [core.joined, core.detached, core.cancel.requested, core.free];
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

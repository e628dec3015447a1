//! Library functions under visibility `memory`: each element that they access is a scheduling
//! point.
//!
//! A model is an ordinary function that reads, computes and writes. If every access to shared
//! memory is a scheduling point, a model must not do all of this at once. So the model is run
//! repeatedly. Accesses that were already performed are answered from a record. The next access
//! ends the run: the other effects of the run are undone, and the access becomes the thread's
//! visible action. When all accesses are performed, the last run has the model's other effects
//! (output, allocation, errno).
//!
//! Elements are aligned words of up to 8 bytes, as in real implementations. They are single bytes
//! where the contents of a byte determine whether the next one is read.
//!
//! The record belongs to the thread. It is stored in hidden words and removed at the end of the
//! call. `Core::note` is the number of its entries.

use super::Answer;
use crate::memory::Kind;
use crate::native::{Cx, Flow, Performed, Prepared, Replay, Stop, Wanted};
use crate::phase::Phase;
use crate::value::{Tag, Value};
use crate::visible;
use crate::word::{MAX_RECORDS, RecordField, WordKey};
use selvedge_model::{Action, LimitKind, ObjectId, Op, Outcome};

/// Like `plain`, for a model that accesses memory: see [`stepped`].
macro_rules! by_element {
    ($model:expr) => {
        crate::native::Native::Visible(crate::native::Visible {
            prepare: |cx| crate::libc::stepped::prepare(cx, |cx| $model(cx)),
            perform: |cx, _| crate::libc::stepped::perform(cx, |cx| $model(cx)),
            numbers: crate::native::NO_ARGUMENT,
        })
    };
}
pub(super) use by_element;

/// The maximum number of accesses in a record.
const LARGEST: u64 = MAX_RECORDS as u64;

// ---- the accesses of a model
// -------------------------------------------------------------------------------------

/// If an access to this address is a scheduling point, returns the heap or stack object that it
/// concerns, or `ObjectId::NONE` for other memory.
fn shared(cx: &Cx<'_>, address: u64) -> Option<ObjectId> {
    if !cx.replay.on {
        return None;
    }
    match cx.state.memory.object_at(address) {
        Some((_, object)) if matches!(object.kind, Kind::PrivateStack | Kind::Constant) => None,
        Some((base, object)) if matches!(object.kind, Kind::Heap | Kind::Stack) => Some(ObjectId::heap(base)),
        _ => Some(ObjectId::NONE),
    }
}

/// Whether an access to this address is a separate step.
pub fn is_step(cx: &Cx<'_>, address: u64) -> bool {
    shared(cx, address).is_some()
}

/// Whether the next shared access was already performed. Then its object may no longer exist.
fn replaying(cx: &Cx<'_>) -> bool {
    cx.replay.on && cx.replay.at < cx.replay.done
}

/// The number of readable bytes from an address on.
pub fn readable(cx: &Cx<'_>, address: u64) -> Result<u64, Stop> {
    if replaying(cx)
        && shared(cx, address).is_some()
        && let Some((base, object)) = cx.state.memory.object_at(address)
    {
        return Ok(base + object.size - address);
    }
    let readable = cx.state.memory.readable(address);
    readable.map_err(|error| cx.memory_fault(error, address, 1, false))
}

/// Checks a range and records one access to it. If the range is shared, only checks it: the caller
/// accesses it element by element.
pub fn access(cx: &mut Cx<'_>, address: u64, size: u64, write: bool) -> Result<(), Stop> {
    if size == 0 || (replaying(cx) && shared(cx, address).is_some()) {
        return Ok(());
    }
    if shared(cx, address).is_some() {
        let checked = cx.state.memory.check(address, size, write);
        return checked
            .map(|_| ())
            .map_err(|e| cx.memory_fault(e, address, size, write));
    }
    cx.access(address, size, write)
}

/// Reads an element of a checked range.
pub fn read(cx: &mut Cx<'_>, address: u64, size: u64) -> Result<Value, Stop> {
    let Some(object) = shared(cx, address) else {
        return Ok(cx.state.memory.peek_checked(address, size));
    };
    let number = cx.replay.at;
    cx.replay.at += 1;
    if number < cx.replay.done {
        return Ok(Value {
            bits: cx.state.word(record(cx, number, RecordField::Bits)),
            tag: Tag(cx.state.word(record(cx, number, RecordField::Tag)) as u32),
        });
    }
    cx.replay.wanted = Some(Wanted {
        op: Op::Read,
        address,
        size,
        value: Value::new(0),
        object,
    });
    Err(Flow::Park)
}

/// Writes an element of a checked range.
pub fn write(cx: &mut Cx<'_>, address: u64, size: u64, value: Value) -> Result<(), Stop> {
    let Some(object) = shared(cx, address) else {
        cx.state.memory.note_written(address, size, cx.site);
        cx.state.memory.poke_checked(address, size, value);
        return Ok(());
    };
    let number = cx.replay.at;
    cx.replay.at += 1;
    if number < cx.replay.done {
        return Ok(());
    }
    cx.state
        .memory
        .check(address, size, true)
        .map_err(|e| cx.memory_fault(e, address, size, true))?;
    cx.replay.wanted = Some(Wanted {
        op: Op::Write,
        address,
        size,
        value,
        object,
    });
    Err(Flow::Park)
}

/// The elements of a range, each with offset and size.
pub fn elements(address: u64, len: u64) -> impl Iterator<Item = (u64, u64)> {
    let mut at = 0;
    std::iter::from_fn(move || {
        let size = (8 - (address + at) % 8).min(len - at);
        at += size;
        (size > 0).then_some((at - size, size))
    })
}

/// Copies between checked ranges like memmove.
pub fn copy(cx: &mut Cx<'_>, to: u64, from: u64, len: u64) -> Result<(), Stop> {
    if !cx.replay.on {
        cx.state
            .copy_with_inputs(cx.program, (cx.thread, cx.site), (to, from, len));
        return Ok(());
    }
    let backwards = to > from && to - from < len;
    let mut pieces: Vec<(u64, u64)> = if to % 8 == from % 8 {
        elements(to, len).collect()
    } else {
        (0..len).map(|at| (at, 1)).collect()
    };
    if backwards {
        pieces.reverse();
    }
    for (at, size) in pieces {
        let value = read(cx, from + at, size)?;
        write(cx, to + at, size, value)?;
    }
    Ok(())
}

/// Fills a checked range with a byte.
pub fn fill(cx: &mut Cx<'_>, to: u64, len: u64, byte: Value) -> Result<(), Stop> {
    if !cx.replay.on {
        cx.state.memory.fill(to, len, byte);
        return Ok(());
    }
    if byte.is_symbolic() {
        for (at, size) in elements(to, len) {
            for i in 0..size {
                write(cx, to + at + i, 1, byte)?;
            }
        }
        return Ok(());
    }
    let undefined = cx.state.memory.tags.undefined_bits(byte.tag) & 0xff;
    const ALL: u64 = 0x0101_0101_0101_0101;
    let word = cx
        .state
        .memory
        .tags
        .value((byte.bits & 0xff) * ALL, undefined * ALL);
    for (at, size) in elements(to, len) {
        write(cx, to + at, size, word)?;
    }
    Ok(())
}

/// Stores a result through a pointer argument.
pub fn store(cx: &mut Cx<'_>, address: u64, size: u64, value: Value) -> Result<(), Stop> {
    access(cx, address, size, true)?;
    write(cx, address, size, value)
}

// ---- running
// -------------------------------------------------------------------------------------------------

/// The hidden word for a field of a record entry.
fn record(cx: &Cx<'_>, number: u64, field: RecordField) -> WordKey {
    WordKey::Record(cx.state.thread(cx.thread).region, number as u32, field)
}

/// The number of accesses performed so far in this call.
fn done(cx: &Cx<'_>) -> u64 {
    let core = &cx.state.thread(cx.thread).core;
    if core.phase == Phase::Accessing {
        core.note
    } else {
        0
    }
}

/// Runs the model up to the next access. Returns `Err` if there is such an access; then all changes
/// are undone.
fn attempt(cx: &mut Cx<'_>, model: fn(&mut Cx<'_>) -> Answer) -> Result<Flow, Wanted> {
    let core = cx.state.thread(cx.thread).core;
    let accesses = cx.state.memory.begin_attempt();
    let mark = (cx.state.position(), cx.state.memory.mark());
    cx.replay = Replay {
        on: true,
        done: done(cx),
        at: 0,
        wanted: None,
    };
    let flow = model(cx).unwrap_or_else(|stop| stop);
    let replay = std::mem::take(&mut cx.replay);
    let result = match replay.wanted {
        None => Ok(flow),
        Some(wanted) => {
            cx.state.take_back(cx.thread, core, mark.0, mark.1);
            Err(wanted)
        }
    };
    cx.state.memory.end_attempt(accesses);
    result
}

/// Returns the next access. The model runs at once without visibility `memory`, while there is only
/// one thread, or in an atomic block.
pub fn prepare(cx: &mut Cx<'_>, model: fn(&mut Cx<'_>) -> Answer) -> Prepared {
    if !visible::shows(cx.program, cx.state, cx.thread, cx.site.stmt) {
        return Prepared::Immediate(model(cx).unwrap_or_else(|stop| stop));
    }
    match attempt(cx, model) {
        Err(wanted) => Prepared::Visible(Action {
            object2: wanted.object,
            size: wanted.size as u32,
            blocks: cx.program.blocks_at(wanted.address),
            ..cx.action(wanted.op, wanted.address)
        }),
        // The model will be called again.
        Ok(flow @ (Flow::Symbolic(_) | Flow::Choose(_))) => Prepared::Immediate(flow),
        Ok(flow) => {
            forget(cx);
            Prepared::Immediate(flow)
        }
    }
}

/// Performs the next access.
pub fn perform(cx: &mut Cx<'_>, model: fn(&mut Cx<'_>) -> Answer) -> Performed {
    let number = done(cx);
    let wanted = match attempt(cx, model) {
        Err(wanted) if number < LARGEST => wanted,
        Err(_) => {
            let text = format!("a library function that makes more than {LARGEST} accesses");
            return Performed::Done(Flow::Limit(LimitKind::Memory, text), Outcome::Done);
        }
        // The access is no longer possible, for example because its object has ended.
        Ok(flow) => return Performed::Done(flow, Outcome::Failed),
    };
    if wanted.op == Op::Read {
        let value = cx.state.memory.peek_checked(wanted.address, wanted.size);
        cx.state
            .set_word(record(cx, number, RecordField::Bits), value.bits);
        cx.state
            .set_word(record(cx, number, RecordField::Tag), u64::from(value.tag.0));
    } else {
        let memory = &mut cx.state.memory;
        memory.note_written(wanted.address, wanted.size, cx.site);
        memory.poke_checked(wanted.address, wanted.size, wanted.value);
    }
    let core = cx.state.own_core(cx.thread);
    (core.phase, core.note) = (Phase::Accessing, number + 1);
    Performed::Again(Outcome::Done)
}

/// Clears the record.
fn forget(cx: &mut Cx<'_>) {
    for number in 0..done(cx) {
        for field in [RecordField::Bits, RecordField::Tag] {
            let word = record(cx, number, field);
            if cx.state.word(word) != 0 {
                cx.state.set_word(word, 0);
            }
        }
    }
    cx.state.own_core(cx.thread).note = 0;
}

//! Allocation: the malloc family, `strdup`, and C++'s `operator new` and `delete`.
//!
//! Allocation fails only for sizes that no machine has (more than `PTRDIFF_MAX`). Then C functions
//! return NULL and set ENOMEM as in glibc, and C++'s operators throw `std::bad_alloc` or, with
//! `nothrow`, return a null pointer. A size that a real machine may have but this one cannot hold
//! is a limit. Zero bytes give a separate object of size 0.
//!
//! `free` ends the object and counts as a write of all its bytes. Under visibility `memory` and
//! while there are other threads, `free` and `realloc` are visible actions on the object as a
//! whole. Objects made by C++'s `new` and `new[]` must be given to `delete` and `delete[]`, unless
//! the program defines its own operators.

use super::cxx::throw_bad_alloc;
use super::{Answer, by_element, bytes, plain};
use crate::memory::{Kind, Life, Maker, Object};
use crate::native::{ALL_ARGUMENTS, Cx, Flow, Native, Performed, Prepared, Stop, Visible};
use crate::value::Value;
use crate::visible;
use selvedge_base::{ContextId, StmtId};
use selvedge_model::{Action, Fault, FaultKind, ObjectId, Op, Outcome};

const ENOMEM: i32 = 12;
const EINVAL: i32 = 22;
/// The alignment that malloc guarantees on x86-64.
const ALIGN: u64 = 16;

/// The models of this file.
pub fn find(name: &str) -> Option<Native> {
    Some(match name {
        "malloc" | "valloc" => plain!(malloc),
        "calloc" => plain!(calloc),
        "realloc" => Native::Visible(Visible {
            prepare: prepare_realloc,
            perform: perform_realloc,
            numbers: ALL_ARGUMENTS,
        }),
        "reallocarray" => Native::Visible(Visible {
            prepare: prepare_realloc,
            perform: perform_reallocarray,
            numbers: ALL_ARGUMENTS,
        }),
        "free" | "cfree" => Native::Visible(Visible {
            prepare: prepare_free,
            perform: perform_free,
            numbers: 0b1,
        }),
        "aligned_alloc" | "memalign" => plain!(aligned_alloc),
        "posix_memalign" => by_element!(posix_memalign),
        "malloc_usable_size" => plain!(usable_size),
        "strdup" | "__strdup" => by_element!(strdup),
        "strndup" | "__strndup" => by_element!(strndup),
        // operator new and new[] of (size) and (size, align)
        "_Znwm" => plain!(|cx: &mut Cx<'_>| new(cx, Maker::New, throw_bad_alloc)),
        "_Znam" => plain!(|cx: &mut Cx<'_>| new(cx, Maker::NewArray, throw_bad_alloc)),
        "_ZnwmSt11align_val_t" => plain!(|cx: &mut Cx<'_>| new_aligned(cx, Maker::New, throw_bad_alloc)),
        "_ZnamSt11align_val_t" => plain!(|cx: &mut Cx<'_>| new_aligned(cx, Maker::NewArray, throw_bad_alloc)),
        // The same with nothrow as the last argument.
        "_ZnwmRKSt9nothrow_t" => plain!(|cx: &mut Cx<'_>| new(cx, Maker::New, null)),
        "_ZnamRKSt9nothrow_t" => plain!(|cx: &mut Cx<'_>| new(cx, Maker::NewArray, null)),
        "_ZnwmSt11align_val_tRKSt9nothrow_t" => plain!(|cx: &mut Cx<'_>| new_aligned(cx, Maker::New, null)),
        "_ZnamSt11align_val_tRKSt9nothrow_t" => {
            plain!(|cx: &mut Cx<'_>| new_aligned(cx, Maker::NewArray, null))
        }
        // operator delete and delete[] of (p), (p, size), (p, align), (p, size, align), each with
        // nothrow
        "_ZdlPv"
        | "_ZdlPvm"
        | "_ZdlPvSt11align_val_t"
        | "_ZdlPvmSt11align_val_t"
        | "_ZdlPvRKSt9nothrow_t"
        | "_ZdlPvSt11align_val_tRKSt9nothrow_t" => Native::Visible(Visible {
            prepare: |cx| {
                let address = cx.word(0);
                prepare(cx, address, delete)
            },
            perform: |cx, _| perform(cx, delete),
            // The size argument of C++'s operators is not used.
            numbers: 0b1,
        }),
        "_ZdaPv"
        | "_ZdaPvm"
        | "_ZdaPvSt11align_val_t"
        | "_ZdaPvmSt11align_val_t"
        | "_ZdaPvRKSt9nothrow_t"
        | "_ZdaPvSt11align_val_tRKSt9nothrow_t" => Native::Visible(Visible {
            prepare: |cx| {
                let address = cx.word(0);
                prepare(cx, address, delete_array)
            },
            perform: |cx, _| perform(cx, delete_array),
            numbers: 0b1,
        }),
        _ => return None,
    })
}

// ---- making
// -------------------------------------------------------------------------------------------------

/// Makes an object. Returns NULL and sets errno if it cannot.
fn make(cx: &mut Cx<'_>, size: Option<u64>, align: u64, zeroed: bool) -> Result<u64, Stop> {
    let object = match size {
        Some(size) if size <= i64::MAX as u64 => cx.malloc(size, align, zeroed)?,
        _ => None,
    };
    match object {
        Some(base) => Ok(base),
        None => {
            cx.set_errno(ENOMEM)?;
            Ok(0)
        }
    }
}

fn malloc(cx: &mut Cx<'_>) -> Answer {
    let size = cx.word(0)?;
    Ok(Flow::word(make(cx, Some(size), ALIGN, false)?))
}

fn calloc(cx: &mut Cx<'_>) -> Answer {
    let (count, size) = (cx.word(0)?, cx.word(1)?);
    Ok(Flow::word(make(cx, count.checked_mul(size), ALIGN, true)?))
}

/// What an operator new does if no object of the size can exist.
type Failure = fn(&mut Cx<'_>) -> Flow;

fn null(_: &mut Cx<'_>) -> Flow {
    Flow::word(0)
}

fn new(cx: &mut Cx<'_>, by: Maker, failure: Failure) -> Answer {
    let size = cx.word(0)?;
    make_new(cx, size, ALIGN, by, failure)
}

fn new_aligned(cx: &mut Cx<'_>, by: Maker, failure: Failure) -> Answer {
    let (size, align) = (cx.word(0)?, cx.word(1)?);
    make_new(cx, size, align.max(ALIGN), by, failure)
}

fn make_new(cx: &mut Cx<'_>, size: u64, align: u64, by: Maker, failure: Failure) -> Answer {
    let object = match size <= i64::MAX as u64 {
        true => cx.new_object(size, align, by)?,
        false => None,
    };
    Ok(match object {
        Some(base) => Flow::word(base),
        None => failure(cx),
    })
}

fn aligned_alloc(cx: &mut Cx<'_>) -> Answer {
    let (align, size) = (cx.word(0)?, cx.word(1)?);
    if !align.is_power_of_two() {
        cx.set_errno(EINVAL)?;
        return Ok(Flow::word(0));
    }
    Ok(Flow::word(make(cx, Some(size), align.max(ALIGN), false)?))
}

fn posix_memalign(cx: &mut Cx<'_>) -> Answer {
    let (out, align, size) = (cx.word(0)?, cx.word(1)?, cx.word(2)?);
    if !align.is_power_of_two() || align % 8 != 0 {
        return Ok(Flow::int(EINVAL));
    }
    if size > i64::MAX as u64 {
        return Ok(Flow::int(ENOMEM));
    }
    let base = make(cx, Some(size), align.max(ALIGN), false)?;
    super::stepped::store(cx, out, 8, Value::new(base))?;
    Ok(Flow::int(0))
}

fn usable_size(cx: &mut Cx<'_>) -> Answer {
    let address = cx.word(0)?;
    if address == 0 {
        return Ok(Flow::word(0));
    }
    let (_, object) = owned(cx, address, "malloc_usable_size")?;
    Ok(Flow::word(object.size))
}

fn strdup(cx: &mut Cx<'_>) -> Answer {
    let from = cx.word(0)?;
    duplicate(cx, from, u64::MAX)
}

fn strndup(cx: &mut Cx<'_>) -> Answer {
    let (from, limit) = (cx.word(0)?, cx.word(1)?);
    duplicate(cx, from, limit)
}

fn duplicate(cx: &mut Cx<'_>, from: u64, limit: u64) -> Answer {
    let mut text = bytes::bounded_string(cx, from, limit, "character of a string")?;
    text.push(0);
    let to = make(cx, Some(text.len() as u64), ALIGN, false)?;
    bytes::write_new(cx, to, &text)?;
    Ok(Flow::word(to))
}

// ---- ending
// -------------------------------------------------------------------------------------------------

/// The live heap object that begins at an address.
fn owned(cx: &Cx<'_>, address: u64, what: &str) -> Result<(u64, Object), Stop> {
    let Some((base, object)) = cx.state.memory.object_at(address) else {
        let message = format!("{what} of {address:#x}, where no object was ever");
        return Err(cx.fault_on(FaultKind::InvalidFree, message, ObjectId(address)));
    };
    let text = cx.program.object_text(&object);
    let made = ("the object was made here", object.made);
    if object.kind != Kind::Heap || object.name != 0 {
        let message = format!("{what} of {text}, which malloc did not make");
        return Err(fault(cx, FaultKind::InvalidFree, message, base, &[made]));
    }
    if base != address {
        let message = format!("{what} of the address {} bytes into {text}", address - base);
        return Err(fault(cx, FaultKind::InvalidFree, message, base, &[made]));
    }
    if object.life != Life::Live {
        let ended = ("it was freed before here", object.ended);
        return Err(fault(
            cx,
            FaultKind::DoubleFree,
            format!("{what} of {text}, which is free already"),
            base,
            &[made, ended],
        ));
    }
    Ok((base, object))
}

fn fault(
    cx: &Cx<'_>,
    kind: FaultKind,
    message: String,
    base: u64,
    places: &[(&str, crate::memory::Site)],
) -> Flow {
    let known = places
        .iter()
        .filter(|(_, site)| site.stmt != StmtId(0) || site.context != ContextId(0));
    Flow::Fault(Box::new(Fault {
        kind,
        message,
        stmt: cx.site.stmt,
        context: cx.site.context,
        related: known
            .map(|(text, site)| ((*text).to_owned(), site.stmt, site.context))
            .collect(),
        object: ObjectId(base),
    }))
}

/// Checks that the object was made by the function that belongs to this call.
fn check_maker(cx: &Cx<'_>, base: u64, object: &Object, by: Maker) -> Result<(), Stop> {
    let (made, ends) = match (object.by, by) {
        (made, ends) if made == ends || cx.program.own_operators => return Ok(()),
        (Maker::New, Maker::NewArray) => ("new", "delete[]"),
        (Maker::New, _) => ("new", "free or realloc"),
        (Maker::NewArray, Maker::New) => ("new[]", "delete"),
        (Maker::NewArray, _) => ("new[]", "free or realloc"),
        (Maker::Other, Maker::NewArray) => ("malloc or its like", "delete[]"),
        (Maker::Other, _) => ("malloc or its like", "delete"),
        (Maker::Anonymous, _) => ("mmap", "free or its like"),
    };
    let text = cx.program.object_text(object);
    let message = format!("{ends} of {text}, which was made by {made}");
    let at = ("the object was made here", object.made);
    Err(fault(cx, FaultKind::InvalidFree, message, base, &[at]))
}

/// Ends the object at an address. Does nothing for NULL.
fn release(cx: &mut Cx<'_>, address: u64, by: Maker) -> Result<(), Stop> {
    if address == 0 {
        return Ok(());
    }
    let (base, object) = owned(cx, address, "free")?;
    check_maker(cx, base, &object, by)?;
    let site = cx.site;
    cx.state.memory.record(base, object.size, true, site);
    cx.state.end_object(cx.thread, base, Life::Freed, site);
    if cx.program.options.leaks {
        cx.state.note_free(cx.thread);
    }
    Ok(())
}

/// The object of the visible action, if freeing or reallocating `address` must be one.
fn shared(cx: &Cx<'_>, address: u64) -> Option<ObjectId> {
    if !visible::shows_lives(cx.program, cx.state, cx.thread) {
        return None;
    }
    let (base, object) = cx.state.memory.object_at(address)?;
    (object.kind == Kind::Heap).then(|| ObjectId::heap(base))
}

/// Returns the visible action, or performs the call at once if it is invisible.
pub(super) fn prepare(
    cx: &mut Cx<'_>,
    address: Result<u64, Stop>,
    model: fn(&mut Cx<'_>) -> Answer,
) -> Prepared {
    match address {
        Err(stop) => Prepared::Immediate(stop),
        Ok(address) => match shared(cx, address) {
            Some(object) => Prepared::Visible(Action {
                blocks: cx.program.blocks_at(address),
                ..cx.action(Op::Destroy, object.0)
            }),
            None => Prepared::Immediate(model(cx).unwrap_or_else(|stop| stop)),
        },
    }
}

pub(super) fn perform(cx: &mut Cx<'_>, model: fn(&mut Cx<'_>) -> Answer) -> Performed {
    Performed::Done(model(cx).unwrap_or_else(|stop| stop), Outcome::Done)
}

fn free(cx: &mut Cx<'_>) -> Answer {
    let address = cx.word(0)?;
    release(cx, address, Maker::Other)?;
    Ok(Flow::void())
}

fn delete(cx: &mut Cx<'_>) -> Answer {
    let address = cx.word(0)?;
    release(cx, address, Maker::New)?;
    Ok(Flow::void())
}

fn delete_array(cx: &mut Cx<'_>) -> Answer {
    let address = cx.word(0)?;
    release(cx, address, Maker::NewArray)?;
    Ok(Flow::void())
}

fn prepare_free(cx: &mut Cx<'_>) -> Prepared {
    let address = cx.word(0);
    prepare(cx, address, free)
}

fn perform_free(cx: &mut Cx<'_>, _: u16) -> Performed {
    perform(cx, free)
}

// ---- changing the size
// -------------------------------------------------------------------------------------------------

fn resize(cx: &mut Cx<'_>, old: u64, size: Option<u64>) -> Answer {
    if old == 0 {
        return Ok(Flow::word(make(cx, size, ALIGN, false)?));
    }
    let (_, object) = owned(cx, old, "realloc")?;
    if size == Some(0) {
        // glibc frees the object and returns NULL.
        release(cx, old, Maker::Other)?;
        return Ok(Flow::word(0));
    }
    let new = make(cx, size, ALIGN, false)?;
    if new != 0 {
        super::string::copy(cx, new, old, object.size.min(size.unwrap_or(0)))?;
        release(cx, old, Maker::Other)?;
    }
    Ok(Flow::word(new))
}

fn realloc(cx: &mut Cx<'_>) -> Answer {
    let (old, size) = (cx.word(0)?, cx.word(1)?);
    resize(cx, old, Some(size))
}

fn reallocarray(cx: &mut Cx<'_>) -> Answer {
    let (old, count, size) = (cx.word(0)?, cx.word(1)?, cx.word(2)?);
    resize(cx, old, count.checked_mul(size))
}

fn prepare_realloc(cx: &mut Cx<'_>) -> Prepared {
    let address = cx.word(0);
    prepare(
        cx,
        address,
        if cx.args.len() > 2 { reallocarray } else { realloc },
    )
}

fn perform_realloc(cx: &mut Cx<'_>, _: u16) -> Performed {
    perform(cx, realloc)
}

fn perform_reallocarray(cx: &mut Cx<'_>, _: u16) -> Performed {
    perform(cx, reallocarray)
}

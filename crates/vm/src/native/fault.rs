//! Faults for invalid values and invalid accesses.

use crate::memory::{Kind, Life, MemoryError, Refused, Site};
use crate::program::Program;
use crate::value::{Poison, Value};
use selvedge_base::{ContextId, StmtId};
use selvedge_model::{Fault, FaultKind, ObjectId};

/// The fault of using an undefined or poison value.
pub fn undefined_fault(value: Value, what: &str, site: Site) -> Fault {
    let (kind, message) = match value.tag.as_poison() {
        Some(Poison::OutOfObject) => (
            FaultKind::OutOfBounds,
            format!("{what} is a pointer that was moved outside of its object"),
        ),
        Some(Poison::Shift) => (
            FaultKind::ShiftOutOfRange,
            format!("{what} comes from a shift by the width or more"),
        ),
        Some(Poison::FloatToInt) => (
            FaultKind::UninitializedValue,
            format!("{what} comes from a float that does not fit the integer type"),
        ),
        Some(Poison::NoResult) => (
            FaultKind::UninitializedValue,
            format!("{what} is the result of a function that returned none"),
        ),
        Some(Poison::NoArgument) => (
            FaultKind::UninitializedValue,
            format!("{what} is a parameter for which the call has no argument"),
        ),
        Some(Poison::AddressOverflow) => (
            FaultKind::OutOfBounds,
            format!("{what} is the result of an address computation that overflows"),
        ),
        Some(Poison::OtherWidth) => (
            FaultKind::UninitializedValue,
            format!("{what} was loaded from bytes that hold a value of another width"),
        ),
        Some(Poison::Constant) => (
            FaultKind::UninitializedValue,
            format!(
                "{what} is poison: it was computed from what has no value, or against what its code promises"
            ),
        ),
        None => (FaultKind::UninitializedValue, format!("{what} is uninitialised")),
    };
    Fault {
        kind,
        message,
        stmt: site.stmt,
        context: site.context,
        related: Vec::new(),
        object: ObjectId::NONE,
    }
}

/// Why an access to memory is invalid.
pub enum Wrong {
    /// The program is at fault.
    Fault(Box<Fault>),
    /// The contents are unknown.
    Unsupported(String),
}

/// Describes an invalid access to memory.
pub fn memory_fault(
    program: &Program,
    error: MemoryError,
    address: u64,
    size: u64,
    write: bool,
    site: Site,
) -> Wrong {
    let access = if write { "write" } else { "read" };
    let bytes = if size == 1 {
        "1 byte".to_owned()
    } else {
        format!("{size} bytes")
    };
    let mut related = Vec::new();
    let mut note = |text: &str, place: Site| {
        if place.stmt != StmtId(0) || place.context != ContextId(0) {
            related.push((text.to_owned(), place.stmt, place.context));
        }
    };
    let mut object_id = ObjectId(address);
    let (kind, message) = match error {
        MemoryError::Null => (
            FaultKind::NullDereference,
            format!("{access} of {bytes} through a null pointer"),
        ),
        MemoryError::Invalid => (
            FaultKind::InvalidPointer,
            format!("{access} of {bytes} at {address:#x}, where no object was ever"),
        ),
        MemoryError::OutOfBounds { base, object } => {
            note("the object was made here", object.made);
            object_id = ObjectId(base);
            let offset = address - base;
            (
                FaultKind::OutOfBounds,
                format!(
                    "{access} of {bytes} at offset {offset} of {}",
                    program.object_text(&object)
                ),
            )
        }
        MemoryError::Protected {
            base,
            object,
            refused,
        } => {
            object_id = ObjectId(base);
            note("the mapping was made here", object.made);
            let pages = match refused {
                Refused::All => "of a page that may not be accessed (PROT_NONE)",
                Refused::Writes => "of a page that may only be read (PROT_READ)",
            };
            let text = format!("{access} of {bytes} {pages}");
            (FaultKind::OutOfBounds, text)
        }
        MemoryError::Dead { base, object } => {
            object_id = ObjectId(base);
            note("the object was made here", object.made);
            let text = program.object_text(&object);
            let (kind, when) = match object.life {
                Life::Freed => (FaultKind::UseAfterFree, "after it was freed"),
                Life::OutOfScope => (FaultKind::UseAfterScope, "after its scope ended"),
                Life::Unborn => (FaultKind::UseAfterScope, "before its scope began"),
                _ if object.kind == Kind::ThreadLocal => {
                    (FaultKind::UseAfterReturn, "after its thread ended")
                }
                _ => (FaultKind::UseAfterReturn, "after its function returned"),
            };
            note(
                if kind == FaultKind::UseAfterFree {
                    "it was freed here"
                } else {
                    "its life ended here"
                },
                object.ended,
            );
            let part = match program.part(&object, address - base, size).path {
                path if path.is_empty() => String::new(),
                path => format!("`{path}` of "),
            };
            (kind, format!("{access} of {bytes} of {part}{text} {when}"))
        }
        MemoryError::Missing { object } => {
            let name = program.name(object.name);
            return Wrong::Unsupported(format!("{access} of variable `{name}`, which nothing defines"));
        }
        MemoryError::Constant { base, object } => {
            object_id = ObjectId(base);
            (
                FaultKind::WriteToConstant,
                format!("write of {bytes} to constant {}", program.object_text(&object)),
            )
        }
    };
    Wrong::Fault(Box::new(Fault {
        kind,
        message,
        stmt: site.stmt,
        context: site.context,
        related,
        object: object_id,
    }))
}

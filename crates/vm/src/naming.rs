//! How reports call the objects of a state.

use crate::hidden::HiddenObject;
use crate::memory::{Object, Site};
use crate::program::Program;
use crate::state::{State, thread_name};
use crate::sync;
use selvedge_base::{ContextId, Id, Location};
use selvedge_model::ObjectId;

/// Where the word of a lock or condition variable of Rust's standard library lies in it. Reports
/// name the whole.
const RUST_WORD: &str = ".inner.futex.v.value";

/// The name of an object.
pub fn object_name(program: &Program, state: &State, object: ObjectId) -> String {
    bytes_name(program, state, object, 1)
}

/// The name of so many bytes at an object.
pub(crate) fn bytes_name(program: &Program, state: &State, object: ObjectId, bytes: u64) -> String {
    if object == ObjectId::NONE {
        return "nothing".into();
    }
    if let Some(thread) = object.as_thread() {
        return format!("thread {}", thread_name(state, thread));
    }
    if let Some(base) = object.as_heap() {
        let whole = state
            .memory
            .object_at(base)
            .map_or(bytes, |(_, object)| object.size);
        return bytes_name(program, state, ObjectId(base), whole);
    }
    if let Some(word) = sync::futex_word(object) {
        return bytes_name(program, state, ObjectId(word), 4);
    }
    if let Some(class) = object.as_blocks() {
        return program.memory_of_class(class);
    }
    if object.as_place().is_some() || object == ObjectId::BEHIND {
        return "at a place of a schedule".to_owned();
    }
    if !object.is_address() {
        let known = HiddenObject::of(object).map(HiddenObject::text);
        return known.unwrap_or_else(|| "a hidden object of the library".into());
    }
    if let Some(name) = crate::arrived::name_at(program.signals, state, object) {
        return name;
    }
    let Some((base, found)) = state.memory.object_at(object.0) else {
        return format!("{:#x}", object.0);
    };
    let name = program.name(found.name);
    let found = match name.is_empty() && program.type_name(&found).is_empty() {
        true => through_wrappers(program, state, found),
        false => found,
    };
    let mut part = program.part(&found, object.0 - base, bytes);
    if part.path.ends_with(RUST_WORD) {
        part.path.truncate(part.path.len() - RUST_WORD.len());
    }
    let whole = if name.is_empty() {
        let place = made_at(program, state, found.made);
        let (of, what) = match (part.path.as_str(), program.type_name(&found)) {
            ("", "") => (String::new(), "object".to_owned()),
            ("", ty) => (String::new(), format!("`{ty}`")),
            (path, "") => (format!("`{path}` of "), "object".to_owned()),
            (path, ty) => (format!("`{path}` of "), format!("`{ty}`")),
        };
        match place.line {
            0 => format!("{of}an object of {} bytes", found.size),
            line => format!(
                "{of}the {what} made at {}:{line}",
                place.file.rsplit('/').next().unwrap_or_default()
            ),
        }
    } else {
        format!("`{}{}`", selvedge_ir::demangle(name), part.path)
    };
    if part.rest == 0 {
        whole
    } else {
        format!("{whole} + {}", part.rest)
    }
}

/// An object as its caller made it, if a function of the program allocates for others: the
/// innermost call whose result has a type of just this size.
fn through_wrappers(program: &Program, state: &State, found: Object) -> Object {
    let mut context = found.made.context;
    while context != ContextId(0) {
        let (outer, call) = state.caller(context);
        let made = Object {
            made: Site {
                stmt: call,
                context: outer,
            },
            ..found
        };
        if program.is_one_whole(&made) {
            return made;
        }
        context = outer;
    }
    found
}

/// The place where the program made an object: its call of the library function that did so.
fn made_at(program: &Program, state: &State, made: Site) -> Location {
    let at = program.location(made.stmt);
    if !at.is_of_system() {
        return at;
    }
    let callers = stack(program, state, made.context);
    callers
        .into_iter()
        .find(|place| !place.is_of_system())
        .unwrap_or(at)
}

/// The call stack of a context, innermost caller first.
pub fn stack(program: &Program, state: &State, mut context: ContextId) -> Vec<Location> {
    let mut places = Vec::new();
    while context != ContextId(0) && places.len() < 64 {
        let (outer, stmt) = state.caller(context);
        if stmt.index() < program.module.stmts.len() {
            places.push(program.location(stmt));
        }
        context = outer;
    }
    places
}

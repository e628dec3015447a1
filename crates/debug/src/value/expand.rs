//! The parts of values: members, elements, and targets of pointers.
//!
//! Shapes come from debug information, which is not verified: they may refer to each other in
//! cycles, and extend beyond the object. So all searches here are bounded, and each value is read
//! with the checks of the machine.

use super::{Term, content, is_array, shape_of};
use selvedge_ir::{Field, Parts, Scalar, ShapeId};
use selvedge_vm::Vm;
use selvedge_vm::inspect::{Content, Home};

/// The maximum depth of types within types.
const MOST_LEVELS: u32 = 32;

/// The displayed name of a member without a name.
const UNNAMED: &str = "(unnamed)";

/// A part of a value.
pub(crate) struct Part {
    /// The name of a member, or the index of an element in brackets.
    pub(crate) name: String,
    pub(crate) term: Term,
}

/// The number of parts of a value.
pub(crate) fn count(vm: &Vm, term: &Term) -> u64 {
    match kind(vm, term) {
        Kind::None => 0,
        Kind::Members(members) => members.len() as u64,
        Kind::Elements { count, .. } => count,
        Kind::Target(_) => 1,
    }
}

/// Whether the parts of a value are elements with indices.
pub(crate) fn has_elements(vm: &Vm, term: &Term) -> bool {
    matches!(kind(vm, term), Kind::Elements { .. })
}

/// At most `most` parts of a value, from index `start` on.
pub(crate) fn parts(vm: &Vm, term: &Term, start: u64, most: u64) -> impl Iterator<Item = Part> {
    let parts: Vec<Part> = match kind(vm, term) {
        Kind::None => Vec::new(),
        Kind::Members(members) => {
            let members = members.into_iter();
            members.skip(start as usize).take(most as usize).collect()
        }
        Kind::Elements {
            shape,
            first,
            stride,
            count,
        } => {
            let numbers = start.min(count)..start.saturating_add(most).min(count);
            let element = |number: u64| Part {
                name: format!("[{number}]"),
                term: Term {
                    path: behind(&term.path, &format!("[{number}]")),
                    shape: Some(shape),
                    home: Home::Memory(first + number * stride, stride),
                },
            };
            numbers.map(element).collect()
        }
        Kind::Target(target) => {
            let name = match term.path.as_str() {
                "" => "*".to_owned(),
                path => format!("*{path}"),
            };
            let target = Part { name, term: target };
            Some(target)
                .filter(|_| start == 0 && most > 0)
                .into_iter()
                .collect()
        }
    };
    parts.into_iter()
}

/// The member with this name.
pub(crate) fn member(vm: &Vm, term: &Term, name: &str) -> Option<Term> {
    let Kind::Members(members) = kind(vm, term) else {
        return None;
    };
    let found = members.into_iter().find(|part| part.name == name);
    found.map(|part| part.term)
}

/// The target of a pointer.
pub(crate) fn pointee(vm: &Vm, term: &Term) -> Option<Term> {
    match kind(vm, term) {
        Kind::Target(target) => Some(target),
        _ => None,
    }
}

/// The element with this index: of an array, or of the array that a pointer points to.
pub(crate) fn element(vm: &Vm, term: &Term, number: u64) -> Option<Term> {
    if has_elements(vm, term) {
        return parts(vm, term, number, 1).next().map(|part| part.term);
    }
    let target = pointee(vm, term)?;
    if has_elements(vm, &target) {
        return parts(vm, &target, number, 1).next().map(|part| part.term);
    }
    let Home::Memory(address, size) = target.home else {
        return None;
    };
    let address = address.checked_add(number.checked_mul(size)?)?;
    let object = vm.object(address)?;
    let is_within = object.base <= address && address + size <= object.base + object.size;
    is_within.then(|| Term {
        path: behind(&term.path, &format!("[{number}]")),
        shape: target.shape,
        home: Home::Memory(address, size),
    })
}

/// The expression for a part; empty if the whole has no expression.
fn behind(path: &str, part: &str) -> String {
    match path {
        "" => String::new(),
        path => format!("{path}{part}"),
    }
}

/// The value that is shown for a term: while a structure has exactly one member and this member has
/// no name (as library types do), the member replaces it.
pub(crate) fn settled(vm: &Vm, term: &Term) -> Term {
    let mut term = term.clone();
    for _ in 0..MOST_LEVELS {
        let Some(members) = members(vm, &term) else { break };
        match <[Part; 1]>::try_from(members) {
            Ok([only]) if only.name == UNNAMED => {
                let path = term.path;
                term = Term { path, ..only.term };
            }
            _ => break,
        }
    }
    term
}

/// The members of a structure.
fn members(vm: &Vm, term: &Term) -> Option<Vec<Part>> {
    let Parts::Fields(fields) = &shape_of(vm, term)?.parts else {
        return None;
    };
    let Home::Memory(address, size) = term.home else {
        return None;
    };
    let mut members = Vec::new();
    let prefix = behind(&term.path, ".");
    add_members(vm, fields, (address, size), &prefix, MOST_LEVELS, &mut members);
    Some(members)
}

enum Kind {
    None,
    Members(Vec<Part>),
    Elements {
        shape: ShapeId,
        first: u64,
        stride: u64,
        count: u64,
    },
    Target(Term),
}

fn kind(vm: &Vm, term: &Term) -> Kind {
    let term = &settled(vm, term);
    let is_pointer = matches!(term.home, Home::Register(selvedge_ir::Type::Ptr, _));
    let Some(shape) = shape_of(vm, term) else {
        return if is_pointer { pointed(vm, term) } else { Kind::None };
    };
    match (&shape.parts, term.home) {
        (Parts::Value(_), Home::Memory(first, size)) if is_array(vm, term) => match term.shape {
            Some(of) => Kind::Elements {
                shape: of,
                first,
                stride: shape.size,
                count: size / shape.size,
            },
            None => Kind::None,
        },
        (Parts::Value(Scalar::Pointer), _) => pointed(vm, term),
        (Parts::Fields(_), _) => members(vm, term).map_or(Kind::None, Kind::Members),
        (Parts::Elements { shape: of, stride }, Home::Memory(first, size)) if *stride > 0 => {
            let size = if shape.size == 0 {
                size
            } else {
                shape.size.min(size)
            };
            Kind::Elements {
                shape: *of,
                first,
                stride: *stride,
                count: size / stride,
            }
        }
        _ => Kind::None,
    }
}

fn add_members(
    vm: &Vm,
    fields: &[Field],
    (address, room): (u64, u64),
    prefix: &str,
    levels: u32,
    members: &mut Vec<Part>,
) {
    let shapes = &vm.program().module.shapes;
    for field in fields {
        let Some(shape) = shapes.get(field.shape) else {
            continue;
        };
        let Some(rest) = room.checked_sub(field.offset) else {
            continue;
        };
        // An array of unknown size contains all bytes after it.
        let is_open = shape.size == 0 && matches!(shape.parts, Parts::Elements { .. });
        let size = if is_open { rest } else { shape.size.min(rest) };
        let at = address + field.offset;
        match &shape.parts {
            Parts::Fields(inner) if field.name.is_empty() => {
                if levels > 0 {
                    add_members(vm, inner, (at, size), prefix, levels - 1, members);
                }
            }
            _ => members.push(Part {
                name: match field.name.as_str() {
                    "" => UNNAMED.to_owned(),
                    name => name.to_owned(),
                },
                term: Term {
                    path: match (prefix, field.name.as_str()) {
                        ("", _) | (_, "") => String::new(),
                        (prefix, name) => format!("{prefix}{name}"),
                    },
                    shape: Some(field.shape),
                    home: Home::Memory(at, size),
                },
            }),
        }
    }
}

fn pointed(vm: &Vm, term: &Term) -> Kind {
    match content(vm, term, 8) {
        Content::Bits(address) => {
            let path = match term.path.as_str() {
                "" => String::new(),
                path => format!("(*{path})"),
            };
            target(vm, address, &path).map_or(Kind::None, Kind::Target)
        }
        _ => Kind::None,
    }
}

fn is_char(vm: &Vm, shape: ShapeId) -> bool {
    let shape = vm.program().module.shapes.get(shape);
    shape.is_some_and(|shape| matches!(shape.parts, Parts::Value(Scalar::Char)))
}

/// The value to show at an address: the largest part of an object that begins there and is no
/// array. An array of characters counts as one value. `None` if the type is unknown.
pub(crate) fn target(vm: &Vm, address: u64, path: &str) -> Option<Term> {
    let object = vm.object(address).filter(|object| object.live)?;
    let shapes = &vm.program().module.shapes;
    let (mut at, mut size) = (object.shape?, object.size);
    let mut inner = address.checked_sub(object.base)?;
    for _ in 0..MOST_LEVELS {
        let shape = shapes.get(at)?;
        match &shape.parts {
            // One element: most likely the source has no array.
            Parts::Elements { shape: of, stride } if shape.size == 0 && size == *stride => at = *of,
            // A pointer to an array points to its first element, unless the elements are
            // characters.
            Parts::Elements { shape: of, stride } if inner == 0 && *stride > 0 && !is_char(vm, *of) => {
                (at, size) = (*of, *stride);
            }
            _ if inner == 0 => {
                return Some(Term {
                    path: path.to_owned(),
                    shape: Some(at),
                    home: Home::Memory(address, size),
                });
            }
            Parts::Elements { shape: of, stride } if *stride > 0 => {
                inner %= stride;
                (at, size) = (*of, *stride);
            }
            Parts::Fields(fields) => {
                let holds = |field: &&Field| {
                    let size = shapes.get(field.shape).map_or(0, |shape| shape.size);
                    inner.checked_sub(field.offset).is_some_and(|rest| rest < size)
                };
                let field = fields.iter().find(holds)?;
                inner -= field.offset;
                at = field.shape;
                size = shapes.get(at)?.size;
            }
            Parts::Value(_) if shape.size > 0 && size > shape.size && inner % shape.size == 0 => {
                (inner, size) = (0, shape.size);
            }
            _ => return None,
        }
    }
    None
}

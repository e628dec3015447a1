//! How the types of the source divide the bytes of an object: names of its parts, for people.
//!
//! Shapes come from debug information, which is not verified: they may refer to each other in
//! cycles, overlap, and extend beyond the object.
//!
//! *Invariant*: shapes are used only to produce text.

use crate::ShapeId;
use selvedge_base::IdVec;
use serde::{Deserialize, Serialize};
use std::fmt::Write;

/// A type of the source.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Shape {
    /// Its name in the source (`struct node`, `int`); may be empty.
    pub name: String,
    /// Size in bytes.
    pub size: u64,
    /// Its structure.
    pub parts: Parts,
}

/// The structure of a type.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Parts {
    /// No named parts: a union, an internal type of a library, or unknown.
    Opaque,
    /// One value.
    Value(Scalar),
    /// Members.
    Fields(Vec<Field>),
    /// An array.
    Elements {
        /// The type of each element.
        shape: ShapeId,
        /// The distance between two elements, in bytes.
        stride: u64,
    },
}

/// How the bits of one value are read.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Scalar {
    /// A signed integer.
    Signed,
    /// An unsigned integer.
    Unsigned,
    /// A boolean (C's `bool`).
    Bool,
    /// A character.
    Char,
    /// IEEE binary32 or binary64.
    Float,
    /// An address.
    Pointer,
}

/// A member of a structure.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Field {
    /// Where it begins, in bytes.
    pub offset: u64,
    /// Its name. It is empty if its own members are named like members of the outer structure: a
    /// base class, an anonymous structure, or an internal member of a library type.
    pub name: String,
    /// Its type.
    pub shape: ShapeId,
}

/// The maximum depth of types within types.
const MOST_LEVELS: usize = 32;

/// A place in an object, as the source names it.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Part {
    /// The text that follows the name of the object: `[1].lock`.
    pub path: String,
    /// Offset in bytes from the start of what the path names.
    pub rest: u64,
    /// The type of the part, if it is one value.
    pub value: Option<(Scalar, u64)>,
}

/// Whether an object of this size may be of this type. It may if the sizes are equal, if the object
/// may be an array of such values or the type is an array of unknown length, or if the last member
/// of the type is an array that may be longer than declared. A larger object is otherwise of
/// unknown type: another type may begin with this structure.
pub fn fits(shapes: &IdVec<ShapeId, Shape>, shape: ShapeId, size: u64) -> bool {
    shapes.get(shape).is_some_and(|shape| match &shape.parts {
        Parts::Elements { stride, .. } if shape.size == 0 => *stride != 0 && size.is_multiple_of(*stride),
        Parts::Value(_) => shape.size != 0 && size.is_multiple_of(shape.size),
        _ => size == shape.size || size > shape.size && may_go_on(shapes, shape),
    })
}

/// The smallest part of an object that contains the `bytes` bytes at `offset`. An object that is
/// larger than its scalar type is an array.
pub fn part(shapes: &IdVec<ShapeId, Shape>, shape: ShapeId, size: u64, offset: u64, bytes: u64) -> Part {
    let mut part = Part {
        rest: offset,
        ..Part::default()
    };
    // An empty range counts as one byte: a position at the end of one part belongs to the next one.
    let bytes = bytes.max(1);
    // Offset from the start of the current part, which need not have a name.
    let mut inner = offset;
    let mut at = shape;
    if !fits(shapes, shape, size) {
        return part;
    }
    if let Some(whole) = shapes.get(shape)
        && matches!(whole.parts, Parts::Value(_))
        && size > whole.size
        && inner % whole.size + bytes <= whole.size
    {
        let _ = write!(part.path, "[{}]", inner / whole.size);
        inner %= whole.size;
        part.rest = inner;
    }
    if let Some(whole) = shapes.get(shape)
        && let Parts::Elements { shape, stride } = &whole.parts
        && whole.size == 0
        && size == *stride
    {
        // One element: most likely the source has no array.
        at = *shape;
    }
    for _ in 0..MOST_LEVELS {
        let Some(shape) = shapes.get(at) else { break };
        match &shape.parts {
            Parts::Opaque => break,
            Parts::Value(scalar) => {
                let all = inner == 0 && bytes <= shape.size;
                part.value = all.then_some((*scalar, shape.size));
                break;
            }
            Parts::Elements { shape, stride } => {
                if *stride == 0 || inner % stride + bytes > *stride {
                    break;
                }
                let _ = write!(part.path, "[{}]", inner / stride);
                inner %= stride;
                part.rest = inner;
                at = *shape;
            }
            Parts::Fields(fields) => {
                let holds = |field: &&Field| {
                    let of = shapes.get(field.shape);
                    let size = of.map_or(0, |shape| shape.size);
                    // A last member that is an array of unknown size contains all bytes after it.
                    let is_last = fields.last().is_some_and(|last| last == *field);
                    let open = is_last && size == 0 && of.is_some_and(is_array);
                    inner
                        .checked_sub(field.offset)
                        .is_some_and(|inner| inner + bytes <= size || open)
                };
                let Some(field) = fields.iter().find(holds) else {
                    break;
                };
                inner -= field.offset;
                if !field.name.is_empty() {
                    let _ = write!(part.path, ".{}", field.name);
                    part.rest = inner;
                }
                at = field.shape;
            }
        }
    }
    part
}

fn is_array(shape: &Shape) -> bool {
    matches!(shape.parts, Parts::Elements { .. })
}

/// Whether objects of a structure may be larger than the structure: its last member is a flexible
/// array, or an array of one element (the idiom before C99).
fn may_go_on(shapes: &IdVec<ShapeId, Shape>, shape: &Shape) -> bool {
    let Parts::Fields(fields) = &shape.parts else {
        return false;
    };
    let last = fields.last().and_then(|field| shapes.get(field.shape));
    last.is_some_and(|last| match &last.parts {
        Parts::Elements { stride, .. } => last.size <= *stride,
        _ => false,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use selvedge_base::Id;

    fn shape(name: &str, size: u64, parts: Parts) -> Shape {
        Shape {
            name: name.into(),
            size,
            parts,
        }
    }

    fn field(offset: u64, name: &str, shape: usize) -> Field {
        Field {
            offset,
            name: name.into(),
            shape: ShapeId::from_index(shape),
        }
    }

    fn shapes() -> IdVec<ShapeId, Shape> {
        let id = ShapeId::from_index;
        let mut all = IdVec::new();
        all.push(shape("int", 4, Parts::Value(Scalar::Signed)));
        all.push(shape("pthread_mutex_t", 40, Parts::Opaque));
        let (hits, base) = (
            Parts::Elements {
                shape: id(0),
                stride: 4,
            },
            vec![field(0, "count", 0)],
        );
        all.push(shape("int[3]", 12, hits));
        all.push(shape("Base", 4, Parts::Fields(base)));
        all.push(shape(
            "struct account",
            64,
            Parts::Fields(vec![
                field(0, "lock", 1),
                field(40, "hits", 2),
                field(52, "", 3),
                field(56, "circle", 4),
            ]),
        ));
        all
    }

    #[test]
    fn parts_are_named_as_in_the_source() {
        let shapes = shapes();
        let named = |size, offset| {
            let part = part(&shapes, ShapeId::from_index(4), size, offset, 1);
            (part.path, part.rest)
        };
        assert_eq!(named(64, 0), (".lock".into(), 0));
        assert_eq!(named(64, 48), (".hits[2]".into(), 0));
        assert_eq!(named(64, 49), (".hits[2]".into(), 1));
        assert_eq!(named(64, 52), (".count".into(), 0));
        assert_eq!(named(64, 63), (".circle.lock".into(), 7));
        // A larger object may be of another type that begins with this one.
        assert_eq!(named(128, 72), (String::new(), 72));
        assert_eq!(named(72, 0), (String::new(), 0));
    }

    #[test]
    fn arrays_without_an_end_have_indexes() {
        let mut shapes = shapes();
        let elements = Parts::Elements {
            shape: ShapeId::from_index(4),
            stride: 64,
        };
        let array = shapes.push(shape("struct account", 0, elements));
        let named = |of, size, offset| part(&shapes, of, size, offset, 4).path;
        assert_eq!(named(array, 128, 72), "[1].lock");
        assert_eq!(named(array, 130, 72), "");
        assert_eq!(named(array, 64, 44), ".hits[1]");
        assert_eq!(named(ShapeId::from_index(0), 8, 4), "[1]");
        assert_eq!(named(ShapeId::from_index(0), 10, 4), "");
    }

    #[test]
    fn what_is_accessed_as_a_whole_is_named_as_a_whole() {
        let shapes = shapes();
        let named = |offset, bytes| part(&shapes, ShapeId::from_index(4), 64, offset, bytes).path;
        assert_eq!(named(0, 64), "");
        assert_eq!(named(0, 40), ".lock");
        assert_eq!(named(40, 8), ".hits");
        assert_eq!(named(44, 4), ".hits[1]");
        assert_eq!(named(48, 8), "");
        assert_eq!(named(40, 0), ".hits[0]");
    }

    #[test]
    fn values_have_their_types() {
        let part = part(&shapes(), ShapeId::from_index(4), 64, 44, 4);
        assert_eq!(part.value, Some((Scalar::Signed, 4)));
        let inner = super::part(&shapes(), ShapeId::from_index(4), 64, 45, 1);
        assert_eq!(inner.value, None);
    }

    #[test]
    fn arrays_without_a_size_have_what_comes_behind() {
        let mut shapes = shapes();
        let elements = Parts::Elements {
            shape: ShapeId::from_index(0),
            stride: 4,
        };
        let open = shapes.push(shape("int[]", 0, elements));
        let tail = Field {
            offset: 4,
            name: "tail".into(),
            shape: open,
        };
        let fields = vec![field(0, "n", 0), tail];
        let whole = shapes.push(shape("struct open", 4, Parts::Fields(fields)));
        let named = |offset| part(&shapes, whole, 24, offset, 4).path;
        assert_eq!([named(0), named(16)], [".n", ".tail[3]"]);
        // Bytes after the last whole element.
        let odd = part(&shapes, ShapeId::from_index(4), 130, 128, 1);
        assert_eq!((odd.path.as_str(), odd.rest), ("", 128));
    }

    #[test]
    fn circles_end() {
        let part = part(&shapes(), ShapeId::from_index(4), 64, 57, 1);
        assert_eq!(part.path, ".circle.lock");
        let unknown = super::part(&shapes(), ShapeId::from_index(99), 64, 57, 1);
        assert_eq!((unknown.path.as_str(), unknown.rest), ("", 57));
    }
}

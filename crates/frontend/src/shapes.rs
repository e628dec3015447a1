//! Types of the source, from debug information. They give the names of parts of objects.

use crate::llvm::{Layout, TypeKind, TypeNode};
use rustc_hash::FxHashMap;
use selvedge_base::IdVec;
use selvedge_ir::{Field, Parts, Scalar, Shape, ShapeId};

/// The maximum nesting depth of types.
const MOST_LEVELS: u32 = 32;

/// The requested types of one LLVM module.
#[derive(Default)]
pub(crate) struct Shapes<'m> {
    known: FxHashMap<TypeNode<'m>, ShapeId>,
}

impl<'m> Shapes<'m> {
    /// The shape of a type.
    pub(crate) fn shape(
        &mut self,
        all: &mut IdVec<ShapeId, Shape>,
        layout: Layout<'m>,
        ty: TypeNode<'m>,
    ) -> ShapeId {
        Reader {
            known: &mut self.known,
            all,
            layout,
        }
        .shape(ty, MOST_LEVELS)
    }

    /// The shape of an array of unknown length whose elements have a shape.
    pub(crate) fn array(all: &mut IdVec<ShapeId, Shape>, of: ShapeId) -> ShapeId {
        let Shape { name, size, .. } = &all[of];
        let array = Shape {
            name: name.clone(),
            size: 0,
            parts: Parts::Elements {
                shape: of,
                stride: *size,
            },
        };
        all.push(array)
    }

    /// The shape of what a pointer points to.
    pub(crate) fn pointee(
        &mut self,
        all: &mut IdVec<ShapeId, Shape>,
        layout: Layout<'m>,
        pointer: TypeNode<'m>,
    ) -> Option<ShapeId> {
        let pointer = plain(layout, pointer)?;
        let to = pointer
            .base(layout)
            .filter(|_| pointer.kind() == TypeKind::Pointer)?;
        // A character is what memory of unknown use is made of.
        let of = plain(layout, to)?;
        let known = of.size() != 0 && (of.kind() != TypeKind::Base || of.size() > 1);
        known.then(|| self.shape(all, layout, to))
    }
}

/// A type without its qualifiers and further names.
fn plain<'m>(layout: Layout<'m>, mut ty: TypeNode<'m>) -> Option<TypeNode<'m>> {
    for _ in 0..MOST_LEVELS {
        if !matches!(ty.kind(), TypeKind::Typedef | TypeKind::Qualified) {
            return Some(ty);
        }
        ty = ty.base(layout)?;
    }
    None
}

/// A name that C and C++ leave to the library.
fn is_reserved(name: &str) -> bool {
    let mut letters = name.chars();
    letters.next() == Some('_') && letters.next().is_some_and(|c| c == '_' || c.is_ascii_uppercase())
}

struct Reader<'s, 'm> {
    known: &'s mut FxHashMap<TypeNode<'m>, ShapeId>,
    all: &'s mut IdVec<ShapeId, Shape>,
    layout: Layout<'m>,
}

impl<'m> Reader<'_, 'm> {
    fn shape(&mut self, ty: TypeNode<'m>, levels: u32) -> ShapeId {
        if let Some(&known) = self.known.get(&ty) {
            return known;
        }
        let opaque = Shape {
            name: String::new(),
            size: ty.size(),
            parts: Parts::Opaque,
        };
        // It is known before its parts are: types may refer to each other in circles.
        let id = self.all.push(opaque);
        self.known.insert(ty, id);
        let inner = plain(self.layout, ty);
        if let Some(inner) = inner.filter(|_| levels > 0) {
            let shape = Shape {
                name: self.name(ty, inner),
                size: inner.size(),
                parts: self.parts(inner, levels - 1),
            };
            self.all[id] = shape;
        }
        id
    }

    /// What the source calls a type.
    fn name(&self, ty: TypeNode<'m>, inner: TypeNode<'m>) -> String {
        let own = ty.name();
        if ty.kind() == TypeKind::Typedef && !own.is_empty() {
            return own;
        }
        let name = inner.name();
        match inner.kind() {
            TypeKind::Pointer => "pointer".to_owned(),
            TypeKind::Record if !name.is_empty() && !inner.has_identifier(self.layout) => {
                format!("struct {name}")
            }
            _ => name,
        }
    }

    fn parts(&mut self, ty: TypeNode<'m>, levels: u32) -> Parts {
        match ty.kind() {
            TypeKind::Base => Parts::Value(scalar(&ty.name())),
            TypeKind::Enumeration => {
                let of = ty.base(self.layout).and_then(|of| plain(self.layout, of));
                Parts::Value(of.map_or(Scalar::Signed, |of| scalar(&of.name())))
            }
            TypeKind::Pointer => Parts::Value(Scalar::Pointer),
            TypeKind::Record => Parts::Fields(self.fields(ty, levels)),
            TypeKind::Array => self.elements(ty, levels),
            _ => Parts::Opaque,
        }
    }

    fn fields(&mut self, ty: TypeNode<'m>, levels: u32) -> Vec<Field> {
        let mut fields: Vec<Field> = Vec::new();
        for member in ty.members(self.layout) {
            let is_part = matches!(member.kind(), TypeKind::Member | TypeKind::Inheritance);
            let Some(of) = member
                .base(self.layout)
                .filter(|_| is_part && !member.is_static() && !member.is_virtual())
            else {
                continue;
            };
            let mut name = match member.kind() {
                TypeKind::Member => member.name(),
                _ => String::new(),
            };
            if is_reserved(&name) {
                name.clear();
            }
            let offset = member.offset(self.layout);
            match fields.last_mut() {
                // Bit-fields that share bytes are read and written together.
                Some(last) if last.offset == offset && !last.name.is_empty() && !name.is_empty() => {
                    last.name = format!("{}|{name}", last.name);
                }
                _ => fields.push(Field {
                    offset,
                    name,
                    shape: self.shape(of, levels),
                }),
            }
        }
        fields
    }

    fn elements(&mut self, ty: TypeNode<'m>, levels: u32) -> Parts {
        let Some(of) = ty.base(self.layout) else {
            return Parts::Opaque;
        };
        let mut shape = self.shape(of, levels);
        let dimensions = ty.dimensions(self.layout);
        let outer = dimensions.split_first().map_or(&[][..], |(_, rest)| rest);
        // The last index changes fastest.
        for &count in outer.iter().rev() {
            let Some(size) = count.and_then(|count| count.checked_mul(self.all[shape].size)) else {
                return Parts::Opaque;
            };
            let stride = self.all[shape].size;
            shape = self.all.push(Shape {
                name: String::new(),
                size,
                parts: Parts::Elements { shape, stride },
            });
        }
        let stride = self.all[shape].size;
        Parts::Elements { shape, stride }
    }
}

/// How a type of this name is read: the C API of LLVM does not give the encoding.
fn scalar(name: &str) -> Scalar {
    match name {
        "bool" | "_Bool" => Scalar::Bool,
        "char" | "signed char" => Scalar::Char,
        "float" | "double" => Scalar::Float,
        _ if name.contains("unsigned") => Scalar::Unsigned,
        _ => Scalar::Signed,
    }
}

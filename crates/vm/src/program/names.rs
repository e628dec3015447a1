//! The names and types that the source gives to objects.

use super::Program;
use crate::memory::Object;
use selvedge_base::Id;
use selvedge_ir::{FuncId, GlobalId, LocalId, Part, Parts, ShapeId, fits, part};

impl Program {
    /// The global variable that an object is.
    pub fn global_of(&self, object: &Object) -> Option<GlobalId> {
        // Names begin with those of the globals, after the empty one.
        let number = (object.name as usize).checked_sub(1)?;
        (number < self.module.globals.len()).then(|| GlobalId::from_index(number))
    }

    /// The local variable that an object on the stack is; only with `Options::explained`.
    pub(crate) fn local_of(&self, object: &Object) -> Option<(FuncId, LocalId)> {
        let first = self.names.len() - self.locals.len();
        self.locals
            .get((object.name as usize).checked_sub(first)?)
            .copied()
    }

    /// The type of an object in the source, if that is known and may be.
    pub(crate) fn shape(&self, object: &Object) -> Option<ShapeId> {
        let made = || self.module.made.get(&object.made.stmt).copied();
        let shape = match object.name {
            0 => made(),
            name => self.names[name as usize].shape,
        };
        shape.filter(|&shape| fits(&self.module.shapes, shape, object.size))
    }

    /// The smallest part of an object in which some bytes lie.
    pub(crate) fn part(&self, object: &Object, offset: u64, bytes: u64) -> Part {
        match self.shape(object) {
            Some(shape) => part(&self.module.shapes, shape, object.size, offset, bytes),
            None => Part {
                rest: offset,
                ..Part::default()
            },
        }
    }

    /// Of what type of the source an object without a name is; empty if that is not known.
    pub(crate) fn type_name(&self, object: &Object) -> &str {
        let shape = self.shape(object).and_then(|shape| self.module.shapes.get(shape));
        shape.map_or("", |shape| &shape.name)
    }

    /// Whether an object without a name is one structure of its type, and nothing more.
    pub(crate) fn is_one_whole(&self, object: &Object) -> bool {
        let shapes = &self.module.shapes;
        let shape = self.shape(object).and_then(|shape| shapes.get(shape));
        let one = shape.and_then(|shape| match shape.parts {
            Parts::Elements { shape, .. } => shapes.get(shape),
            _ => Some(shape),
        });
        one.is_some_and(|one| one.size == object.size && matches!(one.parts, Parts::Fields(_)))
    }
}

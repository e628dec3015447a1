//! The objects to which pointers point, and places in them. An object here represents one or more
//! objects of the machine.

use super::offset::Offset;
use crate::Place;
use rustc_hash::FxHashMap;
use selvedge_base::{Id, IdVec, id_type};
use selvedge_ir::{FuncId, GlobalId, LocalId};

id_type! {
    /// An object.
    pub struct ObjectId(u32), "o";
    /// A place in an object: a pair of an object and an offset.
    pub struct TargetId(u32), "t";
}

/// What an object is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Object {
    /// A global variable. For a thread-local variable, the copies of all threads.
    Global(GlobalId),
    /// A function.
    Function(FuncId),
    /// A stack object of fixed size, in all calls of its function.
    Local(FuncId, LocalId),
    /// Everything that an instruction allocates on the stack or on the heap.
    Allocated(FuncId, Place),
    /// The variable arguments of all calls of a function.
    Arguments(FuncId),
    /// Data of the library.
    Library(Library),
}

/// Objects of the library.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Library {
    /// The arguments of `main`, the environment, and the strings in them.
    Arguments,
    /// The contents of files and pipes, and streams.
    Files,
    /// The error number of each thread.
    Errno,
    /// Data that the library owns and returns: locales, texts of errors, …
    Static,
}

/// A place in an object.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Target {
    /// The object.
    pub object: ObjectId,
    /// The offset in the object.
    pub offset: Offset,
}

/// All objects and places that some pointer may have.
#[derive(Clone, Debug, Default)]
pub struct Targets {
    objects: IdVec<ObjectId, Object>,
    object_of: FxHashMap<Object, ObjectId>,
    targets: IdVec<TargetId, Target>,
    target_of: FxHashMap<Target, TargetId>,
}

impl Targets {
    /// The number of an object.
    pub fn object(&mut self, object: Object) -> ObjectId {
        *self
            .object_of
            .entry(object)
            .or_insert_with(|| self.objects.push(object))
    }

    /// The number of a place.
    pub fn target(&mut self, target: Target) -> TargetId {
        *self
            .target_of
            .entry(target)
            .or_insert_with(|| self.targets.push(target))
    }

    /// The object with a number.
    pub fn what(&self, id: ObjectId) -> Object {
        self.objects[id]
    }

    /// The number of an object, if some pointer may point to it.
    pub fn find(&self, object: Object) -> Option<ObjectId> {
        self.object_of.get(&object).copied()
    }

    /// The place with a number.
    pub fn place(&self, id: TargetId) -> Target {
        self.targets[id]
    }

    pub(super) fn is_function(&self, target: TargetId) -> bool {
        matches!(self.objects[self.targets[target].object], Object::Function(_))
    }

    /// How many objects there are.
    pub fn objects(&self) -> usize {
        self.objects.len()
    }

    /// All objects, in the order of their numbers.
    pub fn iter(&self) -> impl Iterator<Item = (ObjectId, Object)> + '_ {
        self.objects.iter_ids().map(|(id, &object)| (id, object))
    }

    /// How many places there are.
    pub fn len(&self) -> usize {
        self.targets.len()
    }

    /// Whether there is no place.
    pub fn is_empty(&self) -> bool {
        self.targets.len() == 0
    }

    pub(super) fn target_id(index: u32) -> TargetId {
        TargetId::from_index(index as usize)
    }
}

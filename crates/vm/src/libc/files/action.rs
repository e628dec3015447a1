//! The actions of operations on files.

use super::operation::Part;
use super::pin::keep_reached;
use super::table::Kind;
use crate::hidden::HiddenObject;
use crate::native::Cx;
use selvedge_model::{Action, MemoryOrder, ObjectId, Op};

/// An action on a hidden object.
pub(super) fn hidden(cx: &Cx<'_>, object: HiddenObject) -> Action {
    cx.action(Op::Hidden, object.id().0)
}

/// The action that looks up a descriptor.
pub(super) fn looking(cx: &Cx<'_>, fd: u32) -> Action {
    cx.action(Op::Look, HiddenObject::Descriptor(fd).id().0)
}

/// The object of actions on a file: the object whose actions wake waiting threads, or the file
/// itself if no thread ever waits for it.
pub(super) fn object_of(cx: &Cx<'_>, kind: Kind, file: u32) -> ObjectId {
    match kind.description().woken_by(file) {
        // A poll waits for many objects in one action.
        Some(_) if cx.program.polls => HiddenObject::Polled.id(),
        Some(object) => object,
        None => HiddenObject::File(file).id(),
    }
}

/// An action on a file. `order` is its memory order if it can wake threads.
pub(super) fn on_file(cx: &Cx<'_>, kind: Kind, file: u32, op: Op, order: MemoryOrder) -> Action {
    let object = object_of(cx, kind, file);
    let action = cx.action(op, object.0);
    match kind.description().woken_by(file) {
        None => action,
        Some(own) => Action {
            object2: if own == object { ObjectId::NONE } else { own },
            order,
            ..action
        },
    }
}

/// A releasing action on a file and, if there is one, on the file that it
/// [reaches](super::description::FileDescription::reaches), whose readers receive the data.
pub(super) fn on_reached(cx: &mut Cx<'_>, kind: Kind, file: u32, op: Op) -> Action {
    let reached = kind.description().reaches(cx.state, file);
    keep_reached(cx, reached);
    let action = on_file(cx, kind, file, op, MemoryOrder::Release);
    match reached {
        Some(other) => Action {
            object2: HiddenObject::File(other).id(),
            ..action
        },
        None => action,
    }
}

/// Makes an action a cancellation point.
pub(super) fn cancelable(cx: &Cx<'_>, action: Action) -> Part {
    Part::Act(Action {
        cancelable: cx.program.cancels,
        ..action
    })
}

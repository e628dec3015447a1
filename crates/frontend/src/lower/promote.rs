//! Which locals become registers.
//!
//! A local becomes a register if it is of scalar type, is only loaded and stored as a whole by
//! plain accesses, and its address is used for nothing else. rustc makes each local an array of
//! bytes; then its accesses tell the type. Volatile accesses count as plain. A
//! pointer may be accessed as an integer of 64 bits: clang does so around atomic accesses. A
//! local with a scope of its own stays an object, because accesses outside of its scope are faults;
//! but unoptimised code that was compiled here has no such accesses. Unlike LLVM's mem2reg this
//! makes no φ-nodes: the register is assigned where the local was stored to. So an uninitialised
//! local stays undefined on exactly the paths on which it was.
//!
//! In a function that calls `setjmp` no local becomes a register: after a `longjmp`, each of its
//! locals has the value in memory.

use super::flatten::scalar;
use crate::llvm::{Layout, Opcode, Ordering, TyKind, Value, ValueKind};
use selvedge_ir::Type;

/// Whether a call returns a second time when something jumps back to it.
pub(super) fn returns_twice(call: Value<'_>) -> bool {
    call.opcode() == Some(Opcode::LLVMCall)
        && call
            .called()
            .is_some_and(|callee| selvedge_ir::returns_twice(&callee.name()))
}

/// The register type of an alloca that can be a register.
pub(super) fn promotable<'m>(alloca: Value<'m>, layout: Layout<'m>, as_written: bool) -> Option<Type> {
    let ty = alloca.allocated_type();
    let register = match scalar(ty) {
        Ok(register) => register,
        Err(_) => {
            let accessed = alloca.users().into_iter().find_map(|user| match user.opcode()? {
                Opcode::LLVMLoad => Some(user.ty()),
                Opcode::LLVMStore => Some(user.operand(0)?.ty()),
                _ => None,
            })?;
            let is_whole = ty.kind() == TyKind::LLVMArrayTypeKind && layout.size(accessed) == layout.size(ty);
            scalar(accessed).ok().filter(|_| is_whole)?
        }
    };
    if alloca.operand(0).and_then(|n| n.int()) != Some(1) {
        return None;
    }
    let whole = |value: Value<'_>| {
        let used = value.ty();
        scalar(used).is_ok_and(|used| is_same_word(used, register))
    };
    let plain = |access: Value<'_>| access.ordering() == Ordering::LLVMAtomicOrderingNotAtomic;
    let fits = |user: Value<'_>| match user.opcode() {
        Some(Opcode::LLVMLoad) => whole(user) && plain(user),
        Some(Opcode::LLVMStore) => {
            let stored = user.operand(0);
            stored != Some(alloca) && stored.is_some_and(whole) && plain(user)
        }
        Some(Opcode::LLVMCall) => as_written && lifetime(user).is_some(),
        _ => false,
    };
    alloca
        .users()
        .into_iter()
        .all(|u| u.kind() == ValueKind::LLVMInstructionValueKind && fits(u))
        .then_some(register)
}

/// Whether a register of one type may hold the bits of another: a pointer, and an integer of its
/// size.
fn is_same_word(one: Type, other: Type) -> bool {
    one == other || matches!((one, other), (Type::Ptr, Type::I64) | (Type::I64, Type::Ptr))
}

/// If a call is a lifetime marker: whether life starts, and of what.
pub(super) fn lifetime(call: Value<'_>) -> Option<(bool, Value<'_>)> {
    let callee = call.called()?;
    if !callee.is_intrinsic() {
        return None;
    }
    let name = callee.name();
    let starts = name.starts_with("llvm.lifetime.start");
    if !starts && !name.starts_with("llvm.lifetime.end") {
        return None;
    }
    let last = call.num_args().checked_sub(1)?;
    Some((starts, call.operand(last)?))
}

/// Whether a load of a promoted local can be read from the local's register itself: all its uses
/// come in its own block, before the local changes. `rest` are the instructions after the load.
pub(super) fn forwardable(load: Value<'_>, alloca: Value<'_>, rest: &[Value<'_>]) -> bool {
    let users = load.users();
    if users.iter().any(|u| u.opcode() == Some(Opcode::LLVMPHI)) {
        return false;
    }
    let mut left = users.len();
    for &next in rest {
        if left == 0 {
            return true;
        }
        left -= users.iter().filter(|&&u| u == next).count();
        let changes = match next.opcode() {
            Some(Opcode::LLVMStore) => next.operand(1) == Some(alloca),
            Some(Opcode::LLVMCall) => lifetime(next).is_some_and(|(_, of)| of == alloca),
            _ => false,
        };
        if changes {
            break;
        }
    }
    left == 0
}

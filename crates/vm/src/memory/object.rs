//! Objects: what an address may belong to.

use selvedge_base::{ContextId, StmtId};

/// A place in the program with its calling context.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Site {
    /// The statement.
    pub stmt: StmtId,
    /// The calling context.
    pub context: ContextId,
}

/// What kind of storage an object is.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[repr(u8)]
pub enum Kind {
    /// A global variable.
    Global,
    /// A constant global: writes are faults.
    Constant,
    /// A thread's copy of a thread-local variable, errno, …
    ThreadLocal,
    /// A local whose address never leaves its function: no other thread can reach it.
    PrivateStack,
    /// A local that may be reached by others.
    Stack,
    /// Allocated by malloc and its family.
    Heap,
    /// A variable that the program declares but nothing defines: it has an address, and its
    /// contents are unknown.
    Missing,
}

/// Whether an object may be used.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[repr(u8)]
pub enum Life {
    /// It may be used.
    Live,
    /// Its scope has not begun yet.
    Unborn,
    /// It was freed.
    Freed,
    /// Its scope has ended.
    OutOfScope,
    /// Its function has returned.
    Returned,
}

/// What allocated a heap object. This decides how it must be freed and how it may be used.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum Maker {
    /// malloc and similar functions, for `free`; or it is no heap object.
    Other,
    /// C++'s `new`, for `delete`.
    New,
    /// C++'s `new[]`, for `delete[]`.
    NewArray,
    /// mmap, for munmap: new memory that no other process can see.
    Anonymous,
}

/// An object of memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Object {
    /// Size in bytes.
    pub size: u64,
    /// Storage.
    pub kind: Kind,
    /// Whether it may be used.
    pub life: Life,
    /// True if bytes that were never written are zero, not undefined.
    pub zeroed: bool,
    /// What allocated it.
    pub by: Maker,
    /// The number of a list of protected pages; 0: all may be read and written.
    pub protection: u32,
    /// Its name: an index into the program's names (globals, locals), or 0.
    pub name: u32,
    /// The place where it was made.
    pub made: Site,
    /// The place where its life ended.
    pub ended: Site,
    /// True if it is not the first object of its slot, or not its first life there, and bytes that
    /// were never written are inputs. Not noted for private stack objects.
    pub reborn: bool,
}

/// What a protected page refuses.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[repr(u8)]
pub enum Refused {
    /// Reading and writing.
    All,
    /// Writing.
    Writes,
}

/// Why an access is wrong.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MemoryError {
    /// Near address 0.
    Null,
    /// No object was ever there.
    Invalid,
    /// Outside the object whose slot the address lies in (or that it was computed from).
    OutOfBounds {
        /// First byte of the object.
        base: u64,
        /// The object.
        object: Object,
    },
    /// The object's life has ended, or not begun.
    Dead {
        /// First byte of the object.
        base: u64,
        /// The object.
        object: Object,
    },
    /// In a variable without a definition.
    Missing {
        /// The object.
        object: Object,
    },
    /// In a page that may not be accessed, or not be written.
    Protected {
        /// First byte of the object.
        base: u64,
        /// The object.
        object: Object,
        /// What the page refuses.
        refused: Refused,
    },
    /// A write to a constant.
    Constant {
        /// First byte of the object.
        base: u64,
        /// The object.
        object: Object,
    },
}

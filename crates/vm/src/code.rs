//! Compact register code, which the interpreter executes.
//!
//! An instruction is 8 bytes: an operation, a width, and three 16-bit fields that name frame slots
//! (below [`CONST`]) or constants of the function (from there on). Instructions that do not fit or
//! are rare keep the form of the ir and are executed by [`Op::Complex`].

use crate::native::Native;
use crate::value::Value;
use selvedge_analysis::Fate;
use selvedge_base::StmtId;
use selvedge_ir::{Callee, InstKind, Reg, Type};

/// Operands with this bit set name constants.
pub const CONST: u16 = 0x8000;
/// No operand.
pub const NONE: u16 = 0x7fff;

/// Operations. `w` is the width in bits unless the operation says otherwise.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
#[rustfmt::skip]
pub enum Op {
    /// a ← b.
    Mov,
    /// a ← b op c.
    Add, Sub, Mul, UDiv, SDiv, URem, SRem, Shl, LShr, AShr, And, Or, Xor,
    /// a ← b op c, floats of `w` bits.
    FAdd, FSub, FMul, FDiv,
    /// a ← b pred c.
    Eq, Ne, Ult, Ule, Ugt, Uge, Slt, Sle, Sgt, Sge,
    /// a ← low `w` bits of b.
    Trunc,
    /// a ← b sign-extended from `w` to c bits.
    SExt,
    /// a ← b ? c : next.a
    Select,
    /// a ← b + constant c; `w`: inbounds.
    Offset,
    /// a ← b + next.a · constant next.b + constant next.c; c: bits of the index; `w`: inbounds.
    Index,
    /// a ← memory at b; `w`: bytes, c: bits kept.
    Load,
    /// memory at a ← b; `w`: bytes, c: not 0 if it only reads where b is there already.
    Store,
    /// The same where the access may be a scheduling point.
    VisibleLoad, VisibleStore,
    /// Goes to b | c << 16.
    Jump,
    /// Goes to b | c << 16 if a.
    Branch,
    /// Goes where the table b says for a.
    Switch,
    /// Calls `calls[b | c << 16]`.
    Call,
    /// Returns; the values are `returns[b]`.
    Return,
    /// Executes `complex[b | c << 16]`.
    Complex,
    /// a ← address of the thread's copy of thread-local variable number b, plus constant c.
    ThreadLocal,
    /// Makes the stack object b and puts its address into its slot.
    Enter,
    /// Begins a life of the stack object at address b.
    Begin,
    /// Ends the life of the stack object at address b.
    Leave,
    /// Notes that place b | c << 16 was reached (`coverage`).
    Cover,
    /// Checks that pointer number b | c << 16, which is a, points where it may (`explained`).
    Explain,
    /// Undefined behaviour was reached.
    Unreachable,
    /// The program traps.
    Trap,
    /// Data of the instruction before.
    Data,
}

/// An instruction.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Inst {
    /// What it does.
    pub op: Op,
    /// Width.
    pub w: u8,
    /// First field, mostly the destination.
    pub a: u16,
    /// Second field.
    pub b: u16,
    /// Third field.
    pub c: u16,
}

const _: () = assert!(size_of::<Inst>() == 8);

impl Inst {
    /// The 32-bit number in b and c.
    #[inline(always)]
    pub const fn long(self) -> u32 {
        self.b as u32 | (self.c as u32) << 16
    }
}

/// A call site.
#[derive(Clone)]
pub struct CallSite {
    /// What is called; `None` for an instruction's model.
    pub callee: Option<Callee>,
    /// The model that is called, if that is known; also the one that an instruction stands for:
    /// copies and fills under visibility `memory`, element by element.
    pub native: Option<Native>,
    /// Slot of the address, for indirect calls.
    pub address: u16,
    /// One operand a word of each argument.
    pub args: Vec<u16>,
    /// Types of `args`.
    pub types: Vec<Type>,
    /// One slot a word of each result, with the bits it holds.
    pub results: Vec<(u16, u8)>,
    /// Types of `results`.
    pub result_types: Vec<Type>,
    /// Some result is read.
    pub used: bool,
    /// What becomes of the results.
    pub fate: Fate,
    /// What is done here with an exception that leaves what is called: one more than the index in
    /// [`Code::pads`]; 0: nothing.
    pub pad: u32,
    /// Of a `setjmp`: the slot that is 1 once the present activation has made the call; else
    /// [`NONE`].
    pub landing: u16,
}

/// What a call's landing pad asks about an exception.
#[derive(Clone, Debug)]
pub enum Clause {
    /// Whether a handler for the type (the address of its `std::type_info`; 0: any) catches it.
    Catch {
        /// The type.
        ty: u64,
        /// The answer if it does.
        selector: i32,
    },
    /// Whether it is none of these types.
    Filter {
        /// The types.
        types: Vec<u64>,
        /// The answer if so.
        selector: i32,
    },
}

/// What a call does with an exception.
#[derive(Clone, Debug)]
pub struct Pad {
    /// The questions, in order.
    pub clauses: Vec<Clause>,
    /// Entered in any case.
    pub cleanup: bool,
    /// Where it begins: a block, in the end its first instruction.
    pub target: u32,
}

/// A multi-way jump.
#[derive(Clone, Debug)]
pub struct SwitchTable {
    /// Sorted by value.
    pub cases: Vec<(u64, u32)>,
    /// Where else.
    pub default: u32,
}

/// A stack object of fixed size.
#[derive(Clone, Debug)]
pub struct LocalObject {
    /// Size in bytes.
    pub size: u64,
    /// Alignment.
    pub align: u32,
    /// The slot that holds its address.
    pub slot: u16,
    /// Its life begins by `Begin` rather than at function entry.
    pub begins: bool,
    /// Its address never leaves the function.
    pub private: bool,
    /// Number of its name in the program's table.
    pub name: u32,
}

/// A compiled function.
#[derive(Clone, Default)]
pub struct Code {
    /// Instructions.
    pub insts: Vec<Inst>,
    /// Their statements.
    pub stmts: Vec<StmtId>,
    /// Constants.
    pub consts: Vec<Value>,
    /// Frame slots.
    pub slots: u32,
    /// The slots of the parameters' words.
    pub params: Vec<u16>,
    /// Their types.
    pub param_types: Vec<Type>,
    /// Takes variable arguments.
    pub varargs: bool,
    /// Call sites.
    pub calls: Vec<CallSite>,
    /// Call instructions that a `longjmp` may come back to. If there are any, no two registers
    /// share a slot.
    pub landings: Vec<u32>,
    /// What calls do with exceptions.
    pub pads: Vec<Pad>,
    /// Jump tables.
    pub switches: Vec<SwitchTable>,
    /// Operands of returns, one a word.
    pub returns: Vec<Vec<u16>>,
    /// Instructions in the IR's form.
    pub complex: Vec<InstKind>,
    /// The first slot of each register, for `complex`; temporaries' slots are those at that
    /// instruction.
    pub operands: Vec<ComplexOperands>,
    /// Slots that keep variables of the program, in use or not; only with `Options::leaks`.
    pub variables: Vec<u16>,
    /// Registers that hold variables of the program, with their slots; only with
    /// `Options::variables`.
    pub named: Vec<(Reg, u16)>,
    /// Stack objects.
    pub locals: Vec<LocalObject>,
    /// First instruction of each block.
    pub blocks: Vec<u32>,
}

/// Resolved operands and results of a complex instruction, in the order of
/// `InstKind::for_each_operand`.
#[derive(Clone, Debug, Default)]
pub struct ComplexOperands {
    /// Operands: low word, high word ([`NONE`] if not wide).
    pub operands: Vec<(u16, u16)>,
    /// Their types.
    pub types: Vec<Type>,
    /// Results: first slot and type.
    pub results: Vec<(u16, Type)>,
    /// What becomes of the results.
    pub fate: Fate,
}

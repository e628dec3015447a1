//! Instructions, operands and terminators.

use crate::{BlockId, FuncId, GlobalId, LocalId, Reg, Type};
use selvedge_base::StmtId;
use serde::{Deserialize, Serialize};
use smallvec::SmallVec;

/// A value that an instruction reads.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub enum Operand {
    /// A register.
    Reg(Reg),
    /// A constant: the low `ty.bits()` bits are the value (of a float: its IEEE bits; of a pointer:
    /// the address, where 0 is null).
    Const(u128, Type),
    /// The address of a global (of the executing thread's copy, if it is thread-local) plus a byte
    /// offset.
    Global(GlobalId, i64),
    /// The address of a function.
    Func(FuncId),
    /// The address of a block, for computed goto.
    Block(FuncId, BlockId),
    /// An undefined value of the type.
    Undef(Type),
    /// A poison value of the type.
    Poison(Type),
}

/// Two-operand arithmetic; both operands and the result have one type.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[expect(
    missing_docs,
    reason = "names of SMT-LIB and LLVM; what they do not say has a line"
)]
pub enum BinOp {
    Add,
    Sub,
    Mul,
    UDiv,
    SDiv,
    URem,
    SRem,
    /// Shifts by the width or more give poison.
    Shl,
    LShr,
    AShr,
    And,
    Or,
    Xor,
    FAdd,
    FSub,
    FMul,
    FDiv,
    FRem,
    /// IEEE minNum / maxNum (`llvm.minnum`, `fmin`), copysign.
    FMin,
    FMax,
    FCopySign,
}

/// One-operand arithmetic; the result has the operand's type.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[expect(
    missing_docs,
    reason = "names of SMT-LIB and LLVM; what they do not say has a line"
)]
pub enum UnOp {
    FNeg,
    FAbs,
    FSqrt,
    FFloor,
    FCeil,
    FTrunc,
    FRound,
    FRoundEven,
    /// Population count, leading and trailing zeros (of 0: the width), byte and bit reversal.
    Ctpop,
    Ctlz,
    Cttz,
    Bswap,
    BitReverse,
    /// Absolute value of a signed integer (of the minimum: the minimum).
    Abs,
    /// Undefined or poison becomes an arbitrary value, the same at each use. It is an input of the
    /// program.
    Freeze,
}

/// Conversions.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[expect(
    missing_docs,
    reason = "names of SMT-LIB and LLVM; what they do not say has a line"
)]
pub enum CastOp {
    Trunc,
    ZExt,
    SExt,
    /// Float to integer, rounding towards zero; out of range gives poison.
    FToU,
    FToS,
    /// The same, but saturating; NaN becomes 0 (`llvm.fptoui.sat`).
    FToUSat,
    FToSSat,
    UToF,
    SToF,
    FTrunc,
    FExt,
    /// Same bits, other type (also int ↔ pointer).
    Bitcast,
}

/// Integer and pointer comparison.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[expect(
    missing_docs,
    reason = "names of SMT-LIB and LLVM; what they do not say has a line"
)]
pub enum IntPred {
    Eq,
    Ne,
    Ult,
    Ule,
    Ugt,
    Uge,
    Slt,
    Sle,
    Sgt,
    Sge,
}

/// Floating-point comparison: `O` is false, `U` true if an operand is a NaN.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[expect(
    missing_docs,
    reason = "names of SMT-LIB and LLVM; what they do not say has a line"
)]
pub enum FloatPred {
    False,
    Oeq,
    Ogt,
    Oge,
    Olt,
    Ole,
    One,
    Ord,
    Uno,
    Ueq,
    Ugt,
    Uge,
    Ult,
    Ule,
    Une,
    True,
}

/// Arithmetic that also returns whether it overflowed.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[expect(
    missing_docs,
    reason = "names of SMT-LIB and LLVM; what they do not say has a line"
)]
pub enum OverflowOp {
    SAdd,
    UAdd,
    SSub,
    USub,
    SMul,
    UMul,
}

/// Saturating arithmetic.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[expect(
    missing_docs,
    reason = "names of SMT-LIB and LLVM; what they do not say has a line"
)]
pub enum SatOp {
    SAdd,
    UAdd,
    SSub,
    USub,
    SShl,
    UShl,
}

/// Integer minimum and maximum.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[expect(
    missing_docs,
    reason = "names of SMT-LIB and LLVM; what they do not say has a line"
)]
pub enum MinMax {
    SMin,
    SMax,
    UMin,
    UMax,
}

/// Atomic read-modify-write.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[expect(
    missing_docs,
    reason = "names of SMT-LIB and LLVM; what they do not say has a line"
)]
pub enum RmwOp {
    Xchg,
    Add,
    Sub,
    And,
    Nand,
    Or,
    Xor,
    Max,
    Min,
    UMax,
    UMin,
    FAdd,
    FSub,
    FMax,
    FMin,
}

/// C11 memory order of an atomic access.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Serialize, Deserialize)]
#[expect(
    missing_docs,
    reason = "names of SMT-LIB and LLVM; what they do not say has a line"
)]
pub enum AtomicOrder {
    Relaxed,
    Acquire,
    Release,
    AcqRel,
    SeqCst,
}

/// One scaled index of an address computation.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub struct GepTerm {
    /// The index: an integer, sign-extended to 64 bits.
    pub index: Operand,
    /// The width of the index in bits.
    pub bits: u8,
    /// The distance in bytes between two consecutive indices.
    pub stride: i64,
}

/// What a call calls.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub enum Callee {
    /// A function known by name.
    Direct(FuncId),
    /// A function pointer.
    Indirect(Operand),
}

/// A clause of a landing pad. The clauses are tested in order.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub enum Clause {
    /// A handler for this type catches the exception. The operand is the address of the type's
    /// `std::type_info`; null catches everything.
    Catch {
        /// The type.
        ty: Operand,
        /// The result of `LandingPad` if this clause matches: positive, and different for different
        /// types.
        selector: i32,
    },
    /// The exception has none of these types (an exception specification).
    Filter {
        /// The types.
        types: Vec<Operand>,
        /// The result of `LandingPad` if this clause matches: negative.
        selector: i32,
    },
}

/// What the caller does with an exception that leaves the callee.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default, Serialize, Deserialize)]
pub struct Pad {
    /// The exception is caught here if a clause matches; the first match counts.
    pub clauses: Vec<Clause>,
    /// Whether the pad is also entered if no clause matches. Then the selector is 0, and the
    /// exception continues after the pad.
    pub cleanup: bool,
}

/// An instruction with the statement it came from.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Inst {
    /// The statement in the module as read.
    pub stmt: StmtId,
    /// What it does.
    pub kind: InstKind,
}

/// What an instruction does. `dst` is the register assigned.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[expect(
    missing_docs,
    reason = "names of SMT-LIB and LLVM; what they do not say has a line"
)]
pub enum InstKind {
    /// `dst = value`.
    Copy {
        dst: Reg,
        value: Operand,
    },
    /// `dst = a op b`. `nsw`/`nuw` say that signed / unsigned overflow is undefined (used by
    /// property `overflow` only).
    Bin {
        op: BinOp,
        dst: Reg,
        a: Operand,
        b: Operand,
        nsw: bool,
        nuw: bool,
    },
    Un {
        op: UnOp,
        dst: Reg,
        a: Operand,
    },
    Cast {
        op: CastOp,
        dst: Reg,
        a: Operand,
        from: Type,
    },
    /// `dst: i1 = a pred b`, both of type `ty`.
    Cmp {
        pred: IntPred,
        dst: Reg,
        a: Operand,
        b: Operand,
        ty: Type,
    },
    FCmp {
        pred: FloatPred,
        dst: Reg,
        a: Operand,
        b: Operand,
        ty: Type,
    },
    /// `dst = cond ? a : b`.
    Select {
        dst: Reg,
        cond: Operand,
        a: Operand,
        b: Operand,
    },
    /// `dst = a op b; overflow: i1 = it did not fit`.
    Overflow {
        op: OverflowOp,
        dst: Reg,
        overflow: Reg,
        a: Operand,
        b: Operand,
    },
    Saturating {
        op: SatOp,
        dst: Reg,
        a: Operand,
        b: Operand,
    },
    MinMax {
        op: MinMax,
        dst: Reg,
        a: Operand,
        b: Operand,
    },
    /// Funnel shift of `a:b` by `amount` modulo the width. The result is the high word if `left`,
    /// else the low word.
    Funnel {
        left: bool,
        dst: Reg,
        a: Operand,
        b: Operand,
        amount: Operand,
    },
    /// Fused multiply-add `a * b + c`.
    Fma {
        dst: Reg,
        a: Operand,
        b: Operand,
        c: Operand,
    },

    /// `dst = address of the stack object`, which is the same during the whole call. The object is
    /// alive from function entry (or its `LifetimeStart`) to return (or `LifetimeEnd`).
    LocalAddr {
        dst: Reg,
        local: LocalId,
    },
    /// The object's scope begins: the object is alive, and its bytes are undefined. An object with
    /// any `LifetimeStart` is dead until that runs.
    LifetimeStart {
        local: LocalId,
    },
    /// The object's scope ends; it may begin again.
    LifetimeEnd {
        local: LocalId,
    },
    /// `dst = address of a new stack object of `size` bytes` that lives until return or
    /// `StackRestore`.
    Alloca {
        dst: Reg,
        size: Operand,
        align: u32,
    },
    /// `dst = token of the dynamic stack objects alive now`.
    StackSave {
        dst: Reg,
    },
    /// Ends all dynamic stack objects made since the token.
    StackRestore {
        token: Operand,
    },

    /// `dst = base + offset + Σ index · stride`.
    Gep {
        dst: Reg,
        base: Operand,
        offset: i64,
        terms: SmallVec<[GepTerm; 1]>,
        inbounds: bool,
    },
    /// `dst = *ptr`; `order` makes it atomic.
    Load {
        dst: Reg,
        ptr: Operand,
        ty: Type,
        align: u32,
        volatile: bool,
        order: Option<AtomicOrder>,
    },
    /// `*ptr = value`.
    Store {
        ptr: Operand,
        value: Operand,
        ty: Type,
        align: u32,
        volatile: bool,
        order: Option<AtomicOrder>,
    },
    /// `dst = *ptr; *ptr = dst op value`, atomically.
    Rmw {
        op: RmwOp,
        dst: Reg,
        ptr: Operand,
        value: Operand,
        ty: Type,
        order: AtomicOrder,
    },
    /// `old = *ptr; success = old == expected; if success { *ptr = new }`, atomically. Never fails
    /// spuriously.
    CompareExchange {
        old: Reg,
        success: Reg,
        ptr: Operand,
        expected: Operand,
        new: Operand,
        ty: Type,
        order: AtomicOrder,
        failure: AtomicOrder,
        weak: bool,
    },
    /// A fence; `single_thread` (a compiler barrier) orders nothing between threads.
    Fence {
        order: AtomicOrder,
        single_thread: bool,
    },
    /// Copies `len` bytes; the ranges must not overlap unless `overlap` or they are the same.
    MemCopy {
        dst: Operand,
        src: Operand,
        len: Operand,
        overlap: bool,
    },
    /// Fills `len` bytes with the low byte of `value`.
    MemSet {
        dst: Operand,
        value: Operand,
        len: Operand,
    },

    /// Calls; `results` are the registers of the flattened result, in order. `types` are the
    /// arguments' types.
    Call {
        results: SmallVec<[Reg; 1]>,
        callee: Callee,
        args: SmallVec<[Operand; 4]>,
        types: SmallVec<[Type; 4]>,
    },
    /// Begins the handling of an exception in an `unwind` target: gives the exception in flight and
    /// the selector that the pad's clauses determined. It may run only where the executing thread
    /// came along an unwind edge.
    LandingPad {
        exception: Reg,
        selector: Reg,
    },
    /// Initialises the x86-64 `__va_list_tag` at `list` for the variable arguments of this call.
    /// All of them are in the overflow area (`gp_offset` = 48, `fp_offset` = 176): 8 bytes each, 16
    /// for wide integers.
    VaStart {
        list: Operand,
    },
    /// Copies a `__va_list_tag` (24 bytes).
    VaCopy {
        dst: Operand,
        src: Operand,
    },
    /// A hint to let other threads run (`pause`): a scheduling point without effect.
    Pause,
    /// Something that the front end cannot express. Reaching it gives the verdict *unknown* with
    /// this text.
    Unsupported {
        what: String,
    },
}

/// How a block ends.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[expect(
    missing_docs,
    reason = "names of SMT-LIB and LLVM; what they do not say has a line"
)]
pub enum Terminator {
    Jump(BlockId),
    Branch {
        cond: Operand,
        then: BlockId,
        otherwise: BlockId,
    },
    Switch {
        value: Operand,
        ty: Type,
        cases: Vec<(u128, BlockId)>,
        default: BlockId,
    },
    /// Computed goto to one of `targets`.
    Indirect {
        address: Operand,
        targets: Vec<BlockId>,
    },
    Return(SmallVec<[Operand; 1]>),
    /// The block's last instruction is a call. If the call returns, control goes to `normal`. If an
    /// exception that `pad` accepts leaves it, control goes to `unwind`, and the results of the
    /// call are not assigned.
    Invoke {
        normal: BlockId,
        unwind: BlockId,
        pad: Pad,
    },
    /// Reaching it is undefined behaviour.
    Unreachable,
    /// `llvm.trap`, `__builtin_trap`: the program aborts.
    Trap,
}

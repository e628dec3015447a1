//! Programs as trees: what the generator makes, the enumerator runs, the printer writes as C, and
//! the shrinker makes smaller.
//!
//! Each statement has at most one access to shared memory or one operation of a library, so that
//! the order in which C evaluates expressions leaves nothing open. Values are small: all that is
//! stored is taken modulo 4.

/// The greatest number of threads, main included.
pub const MAX_THREADS: usize = 4;
/// Local variables of a thread: three for anything, two loop counters, the argument, one that the
/// enumerator needs.
pub const LOCALS: usize = 7;
/// The first loop counter.
pub const COUNTER: u8 = 3;
/// The thread's argument.
pub const ARGUMENT: u8 = 5;
/// Used within one statement by the enumerator.
pub const SCRATCH: u8 = 6;

/// A local variable.
pub type Local = u8;
/// Statements in a row.
pub type Block = Vec<Node>;

/// A statement with its number, which is its line in the printed program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Node {
    /// From 0, in the order in which statements are printed; given by [`Program::number`].
    pub id: u32,
    /// What it does.
    pub stmt: Stmt,
}

/// An expression over local variables; it touches nothing that is shared.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Expr {
    /// A constant.
    Const(i16),
    /// A local variable.
    Local(Local),
    /// An operation of C on `int`s.
    Binary(Binary, Box<Expr>, Box<Expr>),
}

impl Expr {
    /// `local < limit`.
    pub fn less(local: Local, limit: u8) -> Expr {
        let limit = Expr::Const(i16::from(limit));
        Expr::Binary(Binary::Lt, Box::new(Expr::Local(local)), Box::new(limit))
    }

    /// `a + b`.
    pub fn sum(a: Expr, b: Expr) -> Expr {
        Expr::Binary(Binary::Add, Box::new(a), Box::new(b))
    }

    /// `a == b`.
    pub fn equal(a: Expr, b: Expr) -> Expr {
        Expr::Binary(Binary::Eq, Box::new(a), Box::new(b))
    }

    /// Its value.
    pub fn value(&self, locals: &[i16; LOCALS]) -> i16 {
        match self {
            Expr::Const(n) => *n,
            Expr::Local(l) => locals[usize::from(*l)],
            Expr::Binary(op, a, b) => {
                let (a, b) = (a.value(locals), b.value(locals));
                match op {
                    Binary::Add => a + b,
                    Binary::Sub => a - b,
                    Binary::And => a & b,
                    Binary::Xor => a ^ b,
                    Binary::Eq => i16::from(a == b),
                    Binary::Ne => i16::from(a != b),
                    Binary::Lt => i16::from(a < b),
                    Binary::Le => i16::from(a <= b),
                }
            }
        }
    }
}

/// Operators.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Binary {
    Add,
    Sub,
    And,
    Xor,
    Eq,
    Ne,
    Lt,
    Le,
}

/// A shared variable, or an element of a shared array: anything the index leads to, also beyond the
/// end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// Which of [`Program::globals`].
    pub global: usize,
    /// Which element; `None` for a scalar.
    pub index: Option<Expr>,
}

/// C11's orders of atomic operations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Order {
    Relaxed,
    Acquire,
    Release,
    AcqRel,
    SeqCst,
}

impl Order {
    /// Whether a read with this order acquires.
    pub fn acquires(self) -> bool {
        matches!(self, Order::Acquire | Order::AcqRel | Order::SeqCst)
    }

    /// Whether a write with this order releases.
    pub fn releases(self) -> bool {
        matches!(self, Order::Release | Order::AcqRel | Order::SeqCst)
    }
}

/// Read-modify-writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Rmw {
    Add,
    Xor,
    Exchange,
}

/// What a program does with an object of its own.
#[derive(Clone, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Stmt {
    /// `r = e & 3;`
    Set(Local, Expr),
    /// Any value from 0 to the number given, by a mask (1 or 3) or an assumption.
    Input(Local, u8),
    /// `r = place & 3;`
    Load(Local, Place),
    /// `place = e & 3;`
    Store(Place, Expr),
    /// `place = (place + e) & 3;`
    Add(Place, Expr),
    If(Expr, Block, Block),
    /// A loop of so many rounds; its counter is [`COUNTER`] plus the number.
    Repeat(u8, u8, Block),
    Forever(Block),
    Break,
    /// Leaves the function of the thread; in main that ends the process.
    Return,
    /// A failed one is a call of `__assert_fail`.
    Assert(Expr),
    /// A failed one is a call of `reach_error`.
    Reach(Expr),
    /// A failed one is a call of `abort`.
    Abort(Expr),
    /// A thread-local variable.
    SetLocal(Expr),
    GetLocal(Local),
    Assume(Expr),
    Lock(usize),
    /// Result: 1 if it was taken. Timed or not.
    TryLock(usize, Local, bool),
    Unlock(usize),
    /// Condition variable and mutex.
    Wait(usize, usize),
    /// Result: 1 if it timed out.
    TimedWait(usize, usize, Local),
    Signal(usize),
    Broadcast(usize),
    ReadLock(usize),
    WriteLock(usize),
    /// Write (or read), result, timed.
    TryRw(usize, bool, Local, bool),
    RwUnlock(usize),
    SemWait(usize),
    SemTry(usize, Local, bool),
    SemPost(usize),
    SemGet(usize, Local),
    /// Result, if it is asked for: 1 for the serial thread.
    Barrier(usize, Option<Local>),
    SpinLock(usize),
    SpinTry(usize, Local),
    SpinUnlock(usize),
    Once(usize),
    AtomicLoad(Local, Place, Order),
    AtomicStore(Place, Expr, Order),
    /// The result is the old value.
    AtomicRmw(Rmw, Local, Place, Expr, Order),
    /// Weak, place, expected, new, result, where the old value goes, orders of success and failure.
    Cas(bool, Place, Expr, Expr, Local, Local, Order, Order),
    Fence(Order),
    /// `__VERIFIER_atomic_begin` … `end`.
    Atomic(Block),
    Create(usize),
    Join(usize),
    /// The thread with the number of the value plus one. All threads but main have one function,
    /// and the value as argument.
    CreateAt(Expr),
    JoinAt(Expr),
    Detach(usize),
    ThreadExit,
    ProcessExit,
    /// `if (!setjmp) first else second`; `Throw` in the first block jumps.
    Try(Block, Block),
    /// `longjmp` to the innermost `Try`; directly, or from a function.
    Throw(bool),
    /// A loop by setjmp and longjmp: counter and rounds as [`Stmt::Repeat`].
    JumpRounds(u8, u8, Block),
    /// The thread's value of the key.
    SetKey(Expr),
    GetKey(Local),
    Yield,
    /// A new heap cell with this value, into the function's pointer.
    New(Expr),
    /// The function's pointer to a shared one, or back.
    PutPointer(usize),
    GetPointer(usize),
    /// Through the function's pointer.
    LoadThrough(Local),
    StoreThrough(Expr),
    Free,
    /// If the function's pointer is not null.
    IfPointer(Block),
    Cancel(usize),
    TestCancel,
    /// `pthread_setcancelstate`: enable or disable.
    CancelState(bool),
    /// One call whose object depends on a value: the second statement if it is not 0. The two
    /// differ in the object's number only.
    Either(Expr, Box<Stmt>, Box<Stmt>),
    /// `pthread_cleanup_push(handler)` … `pop(1)`: which handler, and what stands between.
    Cleanup(usize, Block),
}

/// C types of shared variables.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Type {
    Char,
    Short,
    Int,
    Long,
}

/// Where a shared variable lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Storage {
    /// A variable of its own.
    Static,
    /// A member of a structure, beside others. Not for arrays: an index beyond the end leads to the
    /// next member.
    Member,
    /// A local variable of main, that others reach by a pointer.
    Stack,
    /// A block of the heap, the same.
    Heap,
}

/// A shared variable.
#[derive(Clone, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub struct Global {
    pub kind: Type,
    /// Elements; `None`: a scalar.
    pub array: Option<usize>,
    pub volatile: bool,
    pub storage: Storage,
    /// Of each element.
    pub initial: i16,
}

impl Global {
    /// How many elements it has.
    pub fn len(&self) -> usize {
        self.array.unwrap_or(1)
    }

    /// Never: for clippy.
    pub fn is_empty(&self) -> bool {
        false
    }
}

/// Kinds of mutexes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum MutexKind {
    Normal,
    Recursive,
    ErrorCheck,
}

/// A function that threads run.
#[derive(Clone, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub struct Function {
    pub body: Block,
}

/// Where mutexes and the like lie.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Objects {
    /// Each is a variable.
    Plain,
    /// In arrays.
    Arrays,
    /// In arrays in a block of the heap, initialised by calls.
    Block,
}

/// A program.
#[derive(Clone, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub struct Program {
    pub globals: Vec<Global>,
    pub mutexes: Vec<MutexKind>,
    pub conds: usize,
    pub rwlocks: usize,
    /// Initial values.
    pub semaphores: Vec<u8>,
    /// How many threads each waits for.
    pub barriers: Vec<u8>,
    pub spins: usize,
    /// What each does once: stores and additions of constants.
    pub onces: Vec<Block>,
    /// Cleanup handlers, of the same kind.
    pub handlers: Vec<Block>,
    /// Shared pointers.
    pub pointers: usize,
    pub objects: Objects,
    /// The destructor of the key.
    pub destructor: Option<Block>,
    /// Main is the first.
    pub functions: Vec<Function>,
    /// Function and argument of each thread; main is the first.
    pub threads: Vec<(usize, i16)>,
}

impl Stmt {
    /// The blocks within.
    pub fn blocks(&self) -> Vec<&Block> {
        match self {
            Stmt::If(_, a, b) | Stmt::Try(a, b) => vec![a, b],
            Stmt::Repeat(_, _, a)
            | Stmt::Forever(a)
            | Stmt::Atomic(a)
            | Stmt::JumpRounds(_, _, a)
            | Stmt::Cleanup(_, a)
            | Stmt::IfPointer(a) => vec![a],
            _ => Vec::new(),
        }
    }

    /// The same, to be changed.
    pub fn blocks_mut(&mut self) -> Vec<&mut Block> {
        match self {
            Stmt::If(_, a, b) | Stmt::Try(a, b) => vec![a, b],
            Stmt::Repeat(_, _, a)
            | Stmt::Forever(a)
            | Stmt::Atomic(a)
            | Stmt::JumpRounds(_, _, a)
            | Stmt::Cleanup(_, a)
            | Stmt::IfPointer(a) => vec![a],
            _ => Vec::new(),
        }
    }
}

impl From<Stmt> for Node {
    fn from(stmt: Stmt) -> Node {
        Node { id: 0, stmt }
    }
}

impl Program {
    /// All bodies in the order in which they are printed.
    pub fn bodies_mut(&mut self) -> Vec<&mut Block> {
        let mut all: Vec<&mut Block> = self.destructor.iter_mut().collect();
        all.extend(self.onces.iter_mut());
        all.extend(self.handlers.iter_mut());
        all.extend(self.functions.iter_mut().rev().map(|f| &mut f.body));
        all
    }

    /// The same, to look at.
    pub fn bodies(&self) -> Vec<&Block> {
        let mut all: Vec<&Block> = self.destructor.iter().collect();
        all.extend(self.onces.iter());
        all.extend(self.handlers.iter());
        all.extend(self.functions.iter().rev().map(|f| &f.body));
        all
    }

    /// Gives each statement its number; how many there are.
    pub fn number(&mut self) -> u32 {
        fn go(block: &mut Block, next: &mut u32) {
            for node in block {
                node.id = *next;
                *next += 1;
                for inner in node.stmt.blocks_mut() {
                    go(inner, next);
                }
            }
        }
        let mut next = 0;
        for body in self.bodies_mut() {
            go(body, &mut next);
        }
        next
    }

    /// Whether a statement anywhere satisfies the predicate.
    pub fn any(&self, test: &dyn Fn(&Stmt) -> bool) -> bool {
        self.bodies().iter().any(|body| any(body, test))
    }

    /// Whether main's frame is there as long as another thread may reach it: main joins all threads
    /// that are created, and ends last.
    pub fn main_stays(&self) -> bool {
        let body = &self.functions[0].body;
        let joins = |t: usize| body.iter().any(|n| n.stmt == Stmt::Join(t));
        let creates = |t: usize| self.any(&|s| *s == Stmt::Create(t));
        let leaves = |s: &Stmt| matches!(s, Stmt::ThreadExit | Stmt::Return);
        let by_number = any(body, &|s| matches!(s, Stmt::CreateAt(_)));
        !by_number && (1..self.threads.len()).all(|t| joins(t) || !creates(t)) && !any(body, &leaves)
    }

    /// The statement of a number.
    pub fn statement(&self, id: u32) -> Option<&Stmt> {
        fn go(block: &Block, id: u32) -> Option<&Stmt> {
            block.iter().find_map(|node| {
                if node.id == id {
                    return Some(&node.stmt);
                }
                node.stmt.blocks().into_iter().find_map(|inner| go(inner, id))
            })
        }
        self.bodies().into_iter().find_map(|body| go(body, id))
    }
}

/// Whether a statement of a block, or within one, satisfies the predicate.
pub fn any(block: &Block, test: &dyn Fn(&Stmt) -> bool) -> bool {
    let shows = |stmt: &Stmt| match stmt {
        Stmt::Either(_, a, b) => test(a) || test(b),
        _ => test(stmt),
    };
    block
        .iter()
        .any(|node| shows(&node.stmt) || node.stmt.blocks().iter().any(|inner| any(inner, test)))
}

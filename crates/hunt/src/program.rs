//! Programs as trees. The generator makes them, the enumerator runs them, the printer writes them
//! as C, and the shrinker makes them smaller.
//!
//! Each statement has at most one access to shared memory or one operation of a library. So the
//! result does not depend on the order in which C evaluates expressions. Values are small: all
//! stored values are taken modulo 4.

/// The greatest number of threads, including main.
pub const MAX_THREADS: usize = 4;
/// Local variables of a thread: three for general use, two loop counters, the argument, and one for
/// the enumerator.
pub const LOCALS: usize = 7;
/// The first loop counter.
pub const COUNTER: u8 = 3;
/// The thread's argument.
pub const ARGUMENT: u8 = 5;
/// The enumerator uses it within one statement.
pub const SCRATCH: u8 = 6;

/// A local variable.
pub type Local = u8;
/// A sequence of statements.
pub type Block = Vec<Node>;

/// A statement with its number, which is its line in the printed program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Node {
    /// Counted from 0 in the order in which statements are printed; set by [`Program::number`].
    pub id: u32,
    /// The statement.
    pub stmt: Stmt,
}

/// An expression over local variables. It accesses no shared memory.
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

/// A shared variable, or an element of a shared array. The index may be out of bounds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// An index in [`Program::globals`].
    pub global: usize,
    /// The index of the element; `None` for a scalar.
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

/// A statement.
#[derive(Clone, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Stmt {
    /// `r = e & 3;`
    Set(Local, Expr),
    /// Assigns an arbitrary value from 0 to this number. A mask (1 or 3) or an assumption limits
    /// the value.
    Input(Local, u8),
    /// `r = place & 3;`
    Load(Local, Place),
    /// `place = e & 3;`
    Store(Place, Expr),
    /// `place = (place + e) & 3;`
    Add(Place, Expr),
    If(Expr, Block, Block),
    /// A loop: its counter is [`COUNTER`] plus the first number; the second is the number of
    /// iterations.
    Repeat(u8, u8, Block),
    Forever(Block),
    Break,
    /// Returns from the thread's function; in main, this ends the process.
    Return,
    /// If it fails, it calls `__assert_fail`.
    Assert(Expr),
    /// If it fails, it calls `reach_error`.
    Reach(Expr),
    /// If it fails, it calls `abort`.
    Abort(Expr),
    /// A thread-local variable.
    SetLocal(Expr),
    GetLocal(Local),
    Assume(Expr),
    Lock(usize),
    /// The result is 1 if the mutex was taken. The last field: whether it is a timed lock.
    TryLock(usize, Local, bool),
    Unlock(usize),
    /// Condition variable and mutex.
    Wait(usize, usize),
    /// The result is 1 after a timeout.
    TimedWait(usize, usize, Local),
    Signal(usize),
    Broadcast(usize),
    ReadLock(usize),
    WriteLock(usize),
    /// Whether for writing, the result, and whether it is timed.
    TryRw(usize, bool, Local, bool),
    RwUnlock(usize),
    SemWait(usize),
    SemTry(usize, Local, bool),
    SemPost(usize),
    SemGet(usize, Local),
    /// The result, if it is used: 1 for the serial thread.
    Barrier(usize, Option<Local>),
    SpinLock(usize),
    SpinTry(usize, Local),
    SpinUnlock(usize),
    Once(usize),
    AtomicLoad(Local, Place, Order),
    AtomicStore(Place, Expr, Order),
    /// The result is the old value.
    AtomicRmw(Rmw, Local, Place, Expr, Order),
    /// Weak, place, expected value, new value, result, local for the old value, orders of success
    /// and failure.
    Cas(bool, Place, Expr, Expr, Local, Local, Order, Order),
    Fence(Order),
    /// `__VERIFIER_atomic_begin` … `end`.
    Atomic(Block),
    Create(usize),
    Join(usize),
    /// Creates the thread whose number is the value plus one. All threads except main have the same
    /// function, and the value as argument.
    CreateAt(Expr),
    JoinAt(Expr),
    Detach(usize),
    ThreadExit,
    ProcessExit,
    /// `if (!setjmp) first else second`; `Throw` in the first block jumps.
    Try(Block, Block),
    /// `longjmp` to the innermost `Try`: directly, or from a called function.
    Throw(bool),
    /// A loop made of setjmp and longjmp; counter and iterations as in [`Stmt::Repeat`].
    JumpRounds(u8, u8, Block),
    /// The thread's value for the key.
    SetKey(Expr),
    GetKey(Local),
    Yield,
    /// Allocates a heap cell with this value and assigns it to the function's pointer.
    New(Expr),
    /// Copies the function's pointer to a shared one, or back.
    PutPointer(usize),
    GetPointer(usize),
    /// Accesses memory through the function's pointer.
    LoadThrough(Local),
    StoreThrough(Expr),
    Free,
    /// Runs the block if the function's pointer is not null.
    IfPointer(Block),
    Cancel(usize),
    TestCancel,
    /// `pthread_setcancelstate`: enable or disable.
    CancelState(bool),
    /// One call whose object depends on a value. If the value is not 0, it is the second statement,
    /// else the first. The two differ only in the number of the object.
    Either(Expr, Box<Stmt>, Box<Stmt>),
    /// `pthread_cleanup_push(handler)` … `pop(1)`: the handler, and the block between.
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

/// The storage of a shared variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Storage {
    /// A separate variable.
    Static,
    /// A member of a structure with other members. Not for arrays, since an index out of bounds
    /// would access the next member.
    Member,
    /// A local variable of main that other threads reach through a pointer.
    Stack,
    /// A heap block that other threads reach through a pointer.
    Heap,
}

/// A shared variable.
#[derive(Clone, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub struct Global {
    pub kind: Type,
    /// The number of elements; `None` for a scalar.
    pub array: Option<usize>,
    pub volatile: bool,
    pub storage: Storage,
    /// The initial value of each element.
    pub initial: i16,
}

impl Global {
    /// The number of elements.
    pub fn len(&self) -> usize {
        self.array.unwrap_or(1)
    }

    /// Always false; clippy requires it.
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

/// The storage of mutexes and other synchronisation objects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Objects {
    /// Each is a separate variable.
    Plain,
    /// In arrays.
    Arrays,
    /// In arrays in a heap block; calls initialise them.
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
    /// The number of threads that each barrier waits for.
    pub barriers: Vec<u8>,
    pub spins: usize,
    /// The routine of each control: stores and additions of constants.
    pub onces: Vec<Block>,
    /// Cleanup handlers, with the same kinds of statements.
    pub handlers: Vec<Block>,
    /// Shared pointers.
    pub pointers: usize,
    pub objects: Objects,
    /// The destructor of the key.
    pub destructor: Option<Block>,
    /// The first is main.
    pub functions: Vec<Function>,
    /// Function and argument of each thread; the first is main.
    pub threads: Vec<(usize, i16)>,
}

impl Stmt {
    /// The blocks inside the statement.
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

    /// The blocks inside the statement, mutable.
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
    /// All bodies in the order in which they are printed, mutable.
    pub fn bodies_mut(&mut self) -> Vec<&mut Block> {
        let mut all: Vec<&mut Block> = self.destructor.iter_mut().collect();
        all.extend(self.onces.iter_mut());
        all.extend(self.handlers.iter_mut());
        all.extend(self.functions.iter_mut().rev().map(|f| &mut f.body));
        all
    }

    /// All bodies in the order in which they are printed.
    pub fn bodies(&self) -> Vec<&Block> {
        let mut all: Vec<&Block> = self.destructor.iter().collect();
        all.extend(self.onces.iter());
        all.extend(self.handlers.iter());
        all.extend(self.functions.iter().rev().map(|f| &f.body));
        all
    }

    /// Numbers all statements and returns how many there are.
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

    /// Whether main's frame exists as long as other threads may access it: main joins all threads
    /// that are created, and ends last.
    pub fn main_stays(&self) -> bool {
        let body = &self.functions[0].body;
        let joins = |t: usize| body.iter().any(|n| n.stmt == Stmt::Join(t));
        let creates = |t: usize| self.any(&|s| *s == Stmt::Create(t));
        let leaves = |s: &Stmt| matches!(s, Stmt::ThreadExit | Stmt::Return);
        let by_number = any(body, &|s| matches!(s, Stmt::CreateAt(_)));
        !by_number && (1..self.threads.len()).all(|t| joins(t) || !creates(t)) && !any(body, &leaves)
    }

    /// The statement with this number.
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

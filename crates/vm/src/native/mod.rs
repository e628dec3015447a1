//! Native models of library functions: what they are given and what they answer.
//!
//! A *plain* model runs at once, as part of its thread's invisible actions. A *visible* one is a
//! scheduling point: when the thread reaches the call, `prepare` says which action comes next; the
//! explorer decides when it happens; `perform` does it. An operation of several actions (a
//! condition wait) answers `Performed::Again` with the next phase and is prepared anew.
//!
//! No model has hidden shared state: what two threads may share is in memory, in a `SyncObject`, or
//! in a hidden word that only visible actions touch.

mod fault;
mod replay;

pub use fault::{Wrong, memory_fault, undefined_fault};
pub(crate) use replay::{Replay, Wanted};

use crate::memory::{AllocError, Kind, Life, Maker, MemoryError, Object, Site};
use crate::phase::Phase;
use crate::program::Program;
use crate::state::State;
use crate::symbolic::Source;
use crate::value::Value;
use selvedge_base::{ContextId, Id, ThreadId};
use selvedge_expr::Expr;
use selvedge_ir::{Callee, Type};
use selvedge_model::{Action, Fault, FaultKind, LimitKind, ObjectId, Op, Outcome};
use smallvec::SmallVec;

/// A native model.
#[derive(Clone, Copy)]
pub enum Native {
    /// Runs at once.
    Plain(PlainFn),
    /// A scheduling point.
    Visible(Visible),
    /// The join of a thread: a scheduling point that is mostly a part of the step before it.
    Join(Visible),
}

/// What a plain model is: a function from the call to how the thread goes on.
pub type PlainFn = fn(&mut Cx<'_>) -> Flow;

/// A visible model.
#[derive(Clone, Copy)]
pub struct Visible {
    /// Which action comes next (the first one, or the next part after `Performed::Again`).
    pub prepare: fn(&mut Cx<'_>) -> Prepared,
    /// Performs the action with the chosen alternative.
    pub perform: fn(&mut Cx<'_>, u16) -> Performed,
    /// Which arguments, one bit each, must be numbers before anything visible happens. They are the
    /// thread's own, so that which numbers they may be is known when it comes to the call. What is
    /// left to `perform` (what lies in memory that others may write until then) is chosen within
    /// the action.
    pub numbers: u8,
}

/// [`Visible::numbers`]: all of them.
pub(crate) const ALL_ARGUMENTS: u8 = u8::MAX;
/// [`Visible::numbers`]: none; `prepare` asks for those that it needs, or the arguments are data.
pub(crate) const NO_ARGUMENT: u8 = 0;

impl Visible {
    /// The first of its arguments that must be a number, and is not known to be one.
    #[inline]
    pub(crate) fn open_argument(&self, cx: &Cx<'_>) -> Option<Value> {
        if cx.args.iter().all(|value| value.is_concrete()) {
            return None;
        }
        self.some_open_argument(cx)
    }

    #[cold]
    fn some_open_argument(&self, cx: &Cx<'_>) -> Option<Value> {
        let needed = cx.args.iter().take(8).enumerate();
        let mut needed = needed.filter(|(i, _)| self.numbers >> i & 1 == 1);
        let open = |value: Value| {
            let symbol = cx.state.memory.tags.symbol(value.tag);
            symbol.is_some_and(|s| s.undefined == 0 && cx.state.known(cx.thread, s.expr).is_none())
        };
        needed.find(|(_, value)| open(**value)).map(|(_, value)| *value)
    }
}

/// What `prepare` answers.
pub enum Prepared {
    /// The thread's next visible action. Whether it is enabled, now and later, says `sync::status`.
    Visible(Action),
    /// Nothing visible: the call is over.
    Immediate(Flow),
}

/// What `perform` answers.
pub enum Performed {
    /// The call is over.
    Done(Flow, Outcome),
    /// Another part follows; `Core::phase` (and `note`, `wait`) say which. `prepare` is asked
    /// again.
    Again(Outcome),
}

/// How a thread goes on after a model.
pub enum Flow {
    /// The call returns this value (ignored if the caller wants none).
    Return(Value),
    /// The call returns a wide or flattened value in several registers.
    ReturnMany(SmallVec<[Value; 2]>),
    /// Calls a function of the program first (its address, its arguments); its result is dropped,
    /// and then the model is asked again (`prepare` for visible models, the function itself for
    /// plain ones) with `Core::phase` as it set it.
    Call(u64, SmallVec<[Value; 2]>),
    /// The thread ends with this result, as pthread_exit does: its frames are unwound.
    ExitThread(Value),
    /// Goes back to an active frame of the thread: the call at instruction `ip` of its `depth`-th
    /// frame returns `value`. The frames above are unwound.
    Resume {
        /// Which frame, the outermost being 1.
        depth: u32,
        /// A call instruction of its function.
        ip: u32,
        /// What the call returns now.
        value: Value,
    },
    /// An exception goes on at a landing pad: instruction `ip` of the thread's `depth`-th frame.
    /// The frames above are unwound. What the pad is told lies in `WordKey::Landing`.
    Land {
        /// Which frame, the outermost being 1.
        depth: u32,
        /// The first instruction of the pad; or the call of a model, which is asked again.
        ip: u32,
        /// The phase of that model.
        phase: Phase,
    },
    /// The process exits with this code: exit handlers run (`quick`: none), then the visible
    /// `ProcessExit`.
    ExitProcess {
        /// Exit status.
        code: i32,
        /// Skip exit handlers (`_exit`, `abort` after its report, `quick_exit`).
        quick: bool,
    },
    /// The program is at fault; the thread is parked.
    Fault(Box<Fault>),
    /// A false assumption: the thread is parked.
    Park,
    /// This symbolic value is needed as a number. The model is asked again once it is known to be
    /// one (`Cx::concrete`). Nothing that cannot be done twice may have been done before.
    Symbolic(Value),
    /// Which of these conditions holds, of which exactly one does, must be known (`Cx::holds`); as
    /// for `Symbolic`.
    Choose(Vec<Expr>),
    /// The call returns nothing if this condition holds; where it does not, the thread is parked.
    Assume(Expr),
    /// A bound was hit; the thread is parked and the verdict unknown.
    Limit(LimitKind, String),
    /// Not modelled; the thread is parked and the verdict unknown. Says what.
    Unsupported(String),
}

impl Flow {
    /// Returns an int.
    pub const fn int(value: i32) -> Flow {
        Flow::Return(Value::new(value as u32 as u64))
    }

    /// Returns a long, size_t or pointer.
    pub const fn word(value: u64) -> Flow {
        Flow::Return(Value::new(value))
    }

    /// Returns nothing.
    pub const fn void() -> Flow {
        Flow::Return(Value::new(0))
    }
}

/// What a model may see and do: the call, the acting thread, and the whole state.
pub struct Cx<'a> {
    /// The program.
    pub program: &'a Program,
    /// The state; change it only through its logging methods.
    pub state: &'a mut State,
    /// The acting thread.
    pub thread: ThreadId,
    /// Where the call is.
    pub site: Site,
    /// The flattened arguments. Wide integers take two entries.
    pub args: &'a [Value],
    /// The types of `args`, for variadic models (one per entry; both halves of a wide integer have
    /// its type).
    pub types: &'a [Type],
    /// Used by models that access memory element by element.
    pub(crate) replay: Replay,
}

/// A model's early answer, for `?`: how the thread goes on instead.
pub type Stop = Flow;

impl Cx<'_> {
    // ---- arguments
    // ---------------------------------------------------------------------------------------------

    /// Argument `i` as 64 bits; an undefined or poison argument is a fault.
    #[inline(always)]
    pub fn word(&mut self, i: usize) -> Result<u64, Stop> {
        match self.args.get(i) {
            Some(value) if value.is_concrete() => Ok(value.bits),
            _ => self.other_word(i),
        }
    }

    #[cold]
    fn other_word(&mut self, i: usize) -> Result<u64, Stop> {
        match self.args.get(i) {
            Some(&value) => self.concrete(value, "argument of a library function"),
            None => Err(Flow::Unsupported(format!(
                "call with too few arguments ({})",
                self.args.len()
            ))),
        }
    }

    // ---- symbolic values
    // -----------------------------------------------------------------------------------------

    /// The number that a value is.
    pub fn concrete(&self, value: Value, what: &str) -> Result<u64, Stop> {
        if value.is_concrete() {
            return Ok(value.bits);
        }
        if let Some(symbol) = self.state.memory.tags.symbol(value.tag)
            && symbol.undefined == 0
            && let Some(bits) = self.state.known(self.thread, symbol.expr)
        {
            return Ok(bits as u64);
        }
        Err(self.undefined(value, what))
    }

    /// Bits of what the call's caller takes as its result; 0 if it takes none.
    pub fn result_bits(&self) -> u32 {
        let frame = self.state.thread(self.thread).core.frame;
        let code = &self.program.code[frame.func.index()];
        let call = &code.calls[code.insts[frame.ip as usize].long() as usize];
        call.results.iter().map(|&(_, bits)| u32::from(bits)).sum()
    }

    /// Whether the program reads what the call returns.
    pub fn result_is_used(&self) -> bool {
        let frame = self.state.thread(self.thread).core.frame;
        let code = &self.program.code[frame.func.index()];
        code.calls[code.insts[frame.ip as usize].long() as usize].used
    }

    /// The name of the function that is called.
    pub fn callee_name(&self) -> String {
        let frame = self.state.thread(self.thread).core.frame;
        let code = &self.program.code[frame.func.index()];
        match code.calls[code.insts[frame.ip as usize].long() as usize].callee {
            Some(Callee::Direct(func)) => self.program.module.functions[func].display.clone(),
            _ => "input".into(),
        }
    }

    /// A new input; its words.
    pub(crate) fn input(&mut self, source: &Source<'_>) -> Vec<Value> {
        let (thread, site) = (self.thread, self.site);
        self.state.input(self.program, thread, site, source)
    }

    /// Which of two conditions is known to hold on this path: the first (`true`) or its negation.
    pub fn holds(&self, condition: Expr) -> Result<bool, Stop> {
        let arena = &self.state.memory.tags.arena;
        match arena
            .as_const(condition)
            .or_else(|| self.state.known(self.thread, condition))
        {
            Some(value) => Ok(value != 0),
            None => Err(Flow::Choose(vec![condition, arena.not(condition)])),
        }
    }

    /// Argument `i` as an int.
    pub fn int(&mut self, i: usize) -> Result<i32, Stop> {
        Ok(self.word(i)? as u32 as i32)
    }

    /// Argument `i` as an address to be dereferenced: an `inbounds` computation that left its
    /// object is out of bounds.
    pub fn pointer(&mut self, i: usize) -> Result<u64, Stop> {
        self.word(i)
    }

    /// Runs a model on other arguments.
    pub fn with_args<T>(&mut self, args: &[Value], model: impl FnOnce(&mut Cx<'_>) -> T) -> T {
        let (program, thread, site, types) = (self.program, self.thread, self.site, self.types);
        let replay = Replay::default();
        model(&mut Cx {
            program,
            state: self.state,
            thread,
            site,
            args,
            types,
            replay,
        })
    }

    // ---- faults
    // ---------------------------------------------------------------------------------------------

    /// A fault at the call.
    pub fn fault(&self, kind: FaultKind, message: impl Into<String>) -> Flow {
        self.fault_on(kind, message, ObjectId::NONE)
    }

    /// A fault at the call that concerns an object.
    pub fn fault_on(&self, kind: FaultKind, message: impl Into<String>, object: ObjectId) -> Flow {
        Flow::Fault(Box::new(Fault {
            kind,
            message: message.into(),
            stmt: self.site.stmt,
            context: self.site.context,
            related: Vec::new(),
            object,
        }))
    }

    /// The fault of using a value that is undefined or poison. If the value is symbolic: the demand
    /// for its number.
    pub fn undefined(&self, value: Value, what: &str) -> Flow {
        if let Some(symbol) = self.state.memory.tags.symbol(value.tag) {
            return if symbol.undefined == 0 {
                Flow::Symbolic(value)
            } else {
                self.undefined(Value::UNDEF, what)
            };
        }
        Flow::Fault(Box::new(undefined_fault(value, what, self.site)))
    }

    /// The fault of a wrong access.
    pub fn memory_fault(&self, error: MemoryError, address: u64, size: u64, write: bool) -> Flow {
        match memory_fault(self.program, error, address, size, write, self.site) {
            Wrong::Fault(fault) => Flow::Fault(fault),
            Wrong::Unsupported(what) => Flow::Unsupported(what),
        }
    }

    // ---- memory
    // ---------------------------------------------------------------------------------------------

    /// Loads `size` ≤ 8 bytes, checked and recorded.
    pub fn load(&mut self, address: u64, size: u64) -> Result<Value, Stop> {
        match self.state.memory.load_fast(address, size) {
            Some(bits) => Ok(Value::new(bits)),
            None => {
                let site = self.site;
                self.state
                    .memory
                    .load(address, size, site)
                    .map_err(|e| self.memory_fault(e, address, size, false))
            }
        }
    }

    /// Loads `size` ≤ 8 bytes that must be defined.
    pub fn load_defined(&mut self, address: u64, size: u64, what: &str) -> Result<u64, Stop> {
        let value = self.load(address, size)?;
        self.concrete(value, what)
    }

    /// Reads `size` ≤ 8 bytes that must be defined, and of which it does not matter what they are.
    pub fn load_any(&mut self, address: u64, size: u64, what: &str) -> Result<(), Stop> {
        let value = self.load(address, size)?;
        let symbol = self.state.memory.tags.symbol(value.tag);
        if value.is_concrete() || symbol.is_some_and(|symbol| symbol.undefined == 0) {
            return Ok(());
        }
        Err(self.undefined(value, what))
    }

    /// Stores the low `size` ≤ 8 bytes, checked and recorded.
    pub fn store(&mut self, address: u64, size: u64, value: Value) -> Result<(), Stop> {
        if value.is_concrete() && self.state.memory.store_fast(address, size, value.bits) {
            return Ok(());
        }
        let site = self.site;
        self.state
            .memory
            .store(address, size, value, site)
            .map_err(|e| self.memory_fault(e, address, size, true))
    }

    /// Checks a range and records one access to all of it.
    pub fn access(&mut self, address: u64, size: u64, write: bool) -> Result<(), Stop> {
        if size == 0 {
            return Ok(());
        }
        match self.state.memory.check(address, size, write) {
            Ok((_, object)) => {
                if object.kind != Kind::PrivateStack {
                    let site = self.site;
                    self.state.memory.record(address, size, write, site);
                }
                Ok(())
            }
            Err(error) => Err(self.memory_fault(error, address, size, write)),
        }
    }

    /// The NUL-terminated string at an address, without the NUL; checked and recorded.
    pub fn string(&mut self, address: u64) -> Result<Vec<u8>, Stop> {
        let mut bytes = Vec::new();
        loop {
            let byte = self.load_defined(address + bytes.len() as u64, 1, "character of a string")? as u8;
            if byte == 0 {
                return Ok(bytes);
            }
            bytes.push(byte);
        }
    }

    /// Makes a heap object; `Ok(None)` if the program asked for more than any machine has (malloc
    /// returns NULL).
    pub fn malloc(&mut self, size: u64, align: u64, zeroed: bool) -> Result<Option<u64>, Stop> {
        self.make(size, align, zeroed, (0, Maker::Other))
    }

    /// The same for C++'s operators.
    pub(crate) fn new_object(&mut self, size: u64, align: u64, by: Maker) -> Result<Option<u64>, Stop> {
        self.make(size, align, false, (0, by))
    }

    /// A new mapping of zeros.
    pub(crate) fn map(&mut self, size: u64) -> Result<Option<u64>, Stop> {
        self.make(size, 4096, true, (self.program.mapping, Maker::Other))
    }

    fn make(
        &mut self,
        size: u64,
        align: u64,
        zeroed: bool,
        (name, by): (u32, Maker),
    ) -> Result<Option<u64>, Stop> {
        let object = Object {
            size,
            kind: Kind::Heap,
            life: Life::Live,
            zeroed,
            by,
            name,
            made: self.site,
            ended: Site::default(),
        };
        let region = self.state.thread(self.thread).region;
        match self.state.allocate(region, object, align) {
            Ok(base) => {
                if zeroed {
                    // The zeros are written like everything else.
                    self.state.memory.record(base, size, true, self.site);
                }
                Ok(Some(base))
            }
            Err(AllocError::TooLarge) => Err(Flow::Limit(
                LimitKind::Memory,
                format!("an allocation of {size} bytes is more than the machine can hold"),
            )),
            Err(AllocError::Full) => Err(Flow::Limit(
                LimitKind::Memory,
                format!("more objects of {size} bytes than the machine can hold"),
            )),
        }
    }

    /// Zeroed memory of the library's own, which the program does not free.
    pub fn own_memory(&mut self, size: u64) -> Result<u64, Stop> {
        let object = Object {
            size,
            kind: Kind::Global,
            life: Life::Live,
            zeroed: true,
            by: Maker::Other,
            name: 0,
            made: self.site,
            ended: Site::default(),
        };
        let region = self.state.thread(self.thread).region;
        let made = self.state.memory.allocate(region, object, 16);
        made.map_err(|_| Flow::Limit(LimitKind::Memory, "no room for an object of the library".into()))
    }

    /// The address of the calling thread's errno (made at its first use).
    pub fn errno(&mut self) -> Result<u64, Stop> {
        let thread = self.thread;
        let known = self.state.thread(thread).core.errno;
        if known != 0 {
            return Ok(known);
        }
        let object = Object {
            size: 4,
            kind: Kind::ThreadLocal,
            life: Life::Live,
            zeroed: true,
            by: Maker::Other,
            name: 0,
            made: self.site,
            ended: Site::default(),
        };
        let region = self.state.thread(thread).region;
        match self.state.memory.allocate(region, object, 4) {
            Ok(base) => {
                self.state.own_core(thread).errno = base;
                Ok(base)
            }
            Err(_) => Err(Flow::Limit(LimitKind::Memory, "no room for errno".into())),
        }
    }

    /// Sets errno.
    pub fn set_errno(&mut self, value: i32) -> Result<(), Stop> {
        let address = self.errno()?;
        self.state
            .memory
            .poke_checked(address, 4, Value::new(value as u32 as u64));
        Ok(())
    }

    // ---- actions
    // ---------------------------------------------------------------------------------------------

    /// An action of the acting thread on an object.
    #[inline]
    pub fn action(&self, op: Op, object: u64) -> Action {
        Action {
            stmt: self.site.stmt,
            ..Action::on(self.thread, op, ObjectId(object))
        }
    }

    /// The acting thread's pending action: the one that `perform` performs.
    pub fn pending(&self) -> Action {
        self.state.pending()[self.thread.index()].action
    }

    /// The number of the hidden context for a call made here.
    pub fn context(&mut self) -> ContextId {
        let site = self.site;
        self.state.context(site)
    }
}

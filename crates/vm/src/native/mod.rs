//! Native models of library functions: their arguments and their results.
//!
//! A *plain* model runs at once, as part of its thread's invisible steps. A *visible* model is a
//! scheduling point. When the thread reaches the call, `prepare` returns the next action. The
//! explorer decides when it happens, and `perform` performs it. An operation of several actions (a
//! condition wait) returns `Performed::Again` with the next phase and is prepared again.
//!
//! *Invariant*: no model has shared state outside of the machine's state. Data that two threads may
//! share is in memory, in a `SyncObject`, or in a hidden word that only visible actions access.

mod fault;
mod in_a_step;
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
    /// The join of a thread: a scheduling point, but usually a part of the step before it.
    Join(Visible),
}

/// A plain model: a function from the call to how the thread continues.
pub type PlainFn = fn(&mut Cx<'_>) -> Flow;

/// A visible model.
#[derive(Clone, Copy)]
pub struct Visible {
    /// Returns the next action: the first one, or the next part after `Performed::Again`.
    pub prepare: fn(&mut Cx<'_>) -> Prepared,
    /// Performs the action with the chosen alternative.
    pub perform: fn(&mut Cx<'_>, u16) -> Performed,
    /// The arguments that must be concrete numbers before anything visible happens, one bit each.
    /// They belong to the thread, so their possible values are known when the thread reaches the
    /// call. Other values are chosen in `perform`, within the action: they are in memory that other
    /// threads may write before it.
    pub numbers: u8,
}

/// [`Visible::numbers`]: all arguments.
pub(crate) const ALL_ARGUMENTS: u8 = u8::MAX;
/// [`Visible::numbers`]: no argument. `prepare` requests those that it needs, or the arguments are
/// data.
pub(crate) const NO_ARGUMENT: u8 = 0;

impl Visible {
    /// The first argument that must be a number but is not known to be a single one.
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

/// The result of `prepare`.
pub enum Prepared {
    /// The thread's next visible action. `sync::status` tells whether it is enabled, now and later.
    Visible(Action),
    /// No visible action: the call has ended.
    Immediate(Flow),
}

/// The result of `perform`.
pub enum Performed {
    /// The call has ended.
    Done(Flow, Outcome),
    /// Another part follows; `Core::phase` (with `note` and `wait`) identifies it. `prepare` is
    /// called again.
    Again(Outcome),
}

/// How a thread continues after a model.
pub enum Flow {
    /// The call returns this value. The value is ignored if the caller uses no result.
    Return(Value),
    /// The call returns a wide or flattened value in several registers.
    ReturnMany(SmallVec<[Value; 2]>),
    /// Calls a function of the program first (its address and arguments) and drops its result. Then
    /// the model is called again (`prepare` of a visible model, the function itself of a plain one)
    /// with `Core::phase` as the model has set it.
    Call(u64, SmallVec<[Value; 2]>),
    /// The thread ends with this result, like after pthread_exit: its frames are unwound.
    ExitThread(Value),
    /// Returns to an active frame of the thread: the call at instruction `ip` of its `depth`-th
    /// frame returns `value`. The frames above are unwound.
    Resume {
        /// The number of the frame, counted from 1 for the outermost one.
        depth: u32,
        /// A call instruction of the frame's function.
        ip: u32,
        /// The value that the call returns.
        value: Value,
    },
    /// An exception continues at a landing pad: instruction `ip` of the thread's `depth`-th frame.
    /// The frames above are unwound. `WordKey::Landing` holds the data for the pad.
    Land {
        /// The number of the frame, counted from 1 for the outermost one.
        depth: u32,
        /// The first instruction of the pad, or the call of a model, which is then called again.
        ip: u32,
        /// The phase of that model.
        phase: Phase,
    },
    /// The process exits with this code. First exit handlers run (none if `quick`), then the
    /// visible `ProcessExit`.
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
    /// The value must be known as a number. The model is called again once it is (`Cx::concrete`).
    /// Before this, a model must not do anything that cannot be repeated.
    Symbolic(Value),
    /// The model must know which of these conditions holds (`Cx::holds`); exactly one of them does.
    /// Otherwise like `Symbolic`.
    Choose(Vec<Expr>),
    /// The call returns nothing if this condition holds; otherwise the thread is parked.
    Assume(Expr),
    /// A limit was reached; the thread is parked and the verdict is unknown.
    Limit(LimitKind, String),
    /// Not modelled; the thread is parked and the verdict is unknown. The text says what is not
    /// modelled.
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

/// The context of a model: the call, the acting thread, and the whole state.
pub struct Cx<'a> {
    /// The program.
    pub program: &'a Program,
    /// The state. Change it only through its methods that log.
    pub state: &'a mut State,
    /// The acting thread.
    pub thread: ThreadId,
    /// The location of the call.
    pub site: Site,
    /// The flattened arguments. Wide integers take two entries.
    pub args: &'a [Value],
    /// The types of `args`, for variadic models (one per entry; both halves of a wide integer have
    /// its type).
    pub types: &'a [Type],
    /// Used by models that access memory element by element.
    pub(crate) replay: Replay,
}

/// An early result of a model, for `?`: how the thread continues instead.
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

    /// The value as a number. If it is symbolic and not known, asks for its number; if it is
    /// undefined, this is a fault.
    pub fn concrete(&self, value: Value, what: &str) -> Result<u64, Stop> {
        if value.is_concrete() {
            return Ok(value.bits);
        }
        if let Some(symbol) = self.state.memory.tags.symbol(value.tag)
            && symbol.undefined == 0
            && let Some(bits) = self.state.known(self.thread, symbol.expr)
        {
            return match self.state.memory.tags.stray_of(symbol, bits as u64) {
                None => Ok(bits as u64),
                Some(stray) => Err(self.undefined(stray, what)),
            };
        }
        Err(self.undefined(value, what))
    }

    /// The number of bits of the call's result; 0 if the caller takes no result.
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

    /// Makes a new input and returns its words.
    pub(crate) fn input(&mut self, source: &Source<'_>) -> Vec<Value> {
        let (thread, site) = (self.thread, self.site);
        self.state.input(self.program, thread, site, source)
    }

    /// Whether the condition holds (`true`) or its negation (`false`), if the path determines it;
    /// asks for a decision otherwise.
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

    /// Argument `i` as an address to be dereferenced. If an `inbounds` computation left its object,
    /// the argument is poison, and the fault is an access out of bounds.
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

    /// A fault at the call, with the object that it concerns.
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

    /// The fault of using an undefined or poison value. If the value is symbolic: a request for its
    /// number.
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

    /// The fault of an invalid access.
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
                let by = (self.thread, self.site);
                let loaded = self.state.memory.load(address, size, by.1);
                let value = loaded.map_err(|e| self.memory_fault(e, address, size, false))?;
                let place = (address, size);
                Ok(self.state.with_shared_inputs(self.program, by, place, value))
            }
        }
    }

    /// Loads `size` ≤ 8 bytes that must be defined.
    pub fn load_defined(&mut self, address: u64, size: u64, what: &str) -> Result<u64, Stop> {
        let value = self.load(address, size)?;
        self.concrete(value, what)
    }

    /// Reads `size` ≤ 8 bytes that must be defined; inputs may decide them.
    pub fn load_any(&mut self, address: u64, size: u64, what: &str) -> Result<Value, Stop> {
        let value = self.load(address, size)?;
        let symbol = self.state.memory.tags.symbol(value.tag);
        if value.is_concrete() || symbol.is_some_and(|symbol| symbol.undefined == 0) {
            return Ok(value);
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
            Ok((_, &object)) => {
                let site = self.site;
                if write {
                    self.state.memory.note_written(address, size, site);
                }
                if object.kind != Kind::PrivateStack {
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

    /// Makes a heap object. If the machine cannot hold it, the result is a limit.
    pub fn malloc(&mut self, size: u64, align: u64, zeroed: bool) -> Result<Option<u64>, Stop> {
        self.make(size, align, zeroed, (0, Maker::Other))
    }

    /// Makes a heap object for C++'s operators.
    pub(crate) fn new_object(&mut self, size: u64, align: u64, by: Maker) -> Result<Option<u64>, Stop> {
        self.make(size, align, false, (0, by))
    }

    /// Makes a mapping of zeros.
    pub(crate) fn map(&mut self, size: u64, by: Maker) -> Result<Option<u64>, Stop> {
        self.make(size, 4096, true, (self.program.mapping, by))
    }

    /// Makes a mapping for the bytes of a file.
    pub(crate) fn map_file(&mut self, size: u64, writable: bool) -> Result<Option<u64>, Stop> {
        let kind = if writable { Kind::Heap } else { Kind::Constant };
        self.make_kind(size, 4096, kind, true, (self.program.mapping, Maker::Other))
    }

    fn make(&mut self, size: u64, align: u64, zeroed: bool, by: (u32, Maker)) -> Result<Option<u64>, Stop> {
        self.make_kind(size, align, Kind::Heap, zeroed, by)
    }

    fn make_kind(
        &mut self,
        size: u64,
        align: u64,
        kind: Kind,
        zeroed: bool,
        (name, by): (u32, Maker),
    ) -> Result<Option<u64>, Stop> {
        let object = Object {
            size,
            kind,
            life: Life::Live,
            zeroed,
            by,
            protection: 0,
            name,
            made: self.site,
            ended: Site::default(),
            reborn: false,
        };
        let region = self.state.thread(self.thread).region;
        match self.state.allocate(region, object, align) {
            Ok(base) => {
                if zeroed {
                    // The zeros count as written.
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

    /// Zeroed memory that belongs to the library. The program does not free it.
    pub fn own_memory(&mut self, size: u64) -> Result<u64, Stop> {
        let object = Object {
            size,
            kind: Kind::Global,
            life: Life::Live,
            zeroed: true,
            by: Maker::Other,
            protection: 0,
            name: 0,
            made: self.site,
            ended: Site::default(),
            reborn: false,
        };
        let region = self.state.thread(self.thread).region;
        let made = self.state.memory.allocate(region, object, 16);
        made.map_err(|_| Flow::Limit(LimitKind::Memory, "no room for an object of the library".into()))
    }

    /// The address of the calling thread's errno. Allocates it at the first use.
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
            protection: 0,
            name: 0,
            made: self.site,
            ended: Site::default(),
            reborn: false,
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

    /// Sets errno. Nothing shows that, so no other thread may look at it.
    pub fn set_errno(&mut self, value: i32) -> Result<(), Stop> {
        if let Some(keeps) = self.program.errno_kept
            && !self.state.is_lone()
        {
            let place = self.program.location(keeps);
            return Err(Flow::Unsupported(format!(
                "a call that sets errno beside other threads, in a program that keeps the address of errno ({}:{})",
                place.file, place.line
            )));
        }
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

    /// The calling context of a call that is made here.
    pub fn context(&mut self) -> ContextId {
        let site = self.site;
        self.state.context(site)
    }
}

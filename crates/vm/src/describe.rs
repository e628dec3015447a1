//! Readable names: places, threads, objects, actions.

use crate::libc::holes;
use crate::memory::Kind;
use crate::names;
use crate::naming::bytes_name;
pub use crate::naming::{object_name, stack};
use crate::program::Program;
use crate::rust_threads;
pub use crate::state::thread_name;

use crate::state::State;
use crate::sync;
use crate::vm::Vm;
use selvedge_base::{ContextId, Location, StmtId, ThreadId};
use selvedge_model::{Action, Describe, Input, ObjectId, Op, Pending, Status};

/// True if a function belongs to the C++ library, by its name. The functions that it calls belong
/// to the program.
fn is_of_library(display: &str) -> bool {
    display.starts_with("std::") || display.starts_with("__")
}

/// The value of an object, if it is a single value that the source could write.
fn value_at(program: &Program, state: &State, object: ObjectId, bytes: u32) -> Option<String> {
    let (base, found) = state.memory.object_at(object.0).filter(|_| object.is_address())?;
    let offset = object.0 - base;
    let (scalar, size) = program.part(&found, offset, u64::from(bytes)).value?;
    let is_there = size == u64::from(bytes) && (1..=8).contains(&size) && offset + size <= found.size;
    if !is_there || state.memory.check(object.0, size, false).is_err() {
        return None;
    }
    let value = state.memory.peek_checked(object.0, size);
    value
        .is_concrete()
        .then(|| names::value_text(scalar, size, value.bits))?
}

/// The place that reports show for a statement: the program's call, if the statement is in the
/// stand-in of a library function, as for a native model.
pub(crate) fn shown(
    program: &Program,
    state: &State,
    stmt: StmtId,
    context: ContextId,
) -> (StmtId, ContextId) {
    let (mut shown, mut at) = ((stmt, context), (stmt, context));
    while at.1 != ContextId(0) {
        let (outer, call) = state.caller(at.1);
        if program.in_stand_in(at.0) {
            shown = (call, outer);
        }
        at = (call, outer);
    }
    shown
}

/// The program's call that led to a statement of the model library; the statement itself if it is
/// the program's.
pub(crate) fn outside_library(
    program: &Program,
    state: &State,
    stmt: StmtId,
    context: ContextId,
) -> (StmtId, ContextId) {
    let mut at = (stmt, context);
    while at.1 != ContextId(0) && program.in_library(at.0) {
        let (outer, call) = state.caller(at.1);
        at = (call, outer);
    }
    at
}

impl Vm {
    /// True if an action is an access to an element of an array: its address is computed with an
    /// index, or lies in an array by the type of its object. Through a pointer that is moved along
    /// an array of unknown type it counts as none.
    pub(crate) fn accesses_element(&self, action: &Action) -> bool {
        if !action.is_memory() || !action.object.is_address() {
            return false;
        }
        if self.program.indexed().contains(&action.stmt) {
            return true;
        }
        let Some((base, object)) = self.state.memory.object_at(action.object.0) else {
            return false;
        };
        let part = self
            .program
            .part(&object, action.object.0 - base, u64::from(action.size));
        part.path.contains('[')
    }

    /// The program's call that led to a statement of the model library; the statement itself if it
    /// is the program's.
    pub fn outside_library(&self, stmt: StmtId, context: ContextId) -> (StmtId, ContextId) {
        outside_library(&self.program, &self.state, stmt, context)
    }

    /// The calling context of the statement that created a thread.
    pub fn created_in(&self, thread: ThreadId) -> ContextId {
        self.state.thread(thread).created.context
    }

    /// The global variable that an object of actions lies in, by its name in the module, and how
    /// many bytes behind its begin.
    pub fn global_of(&self, object: ObjectId) -> Option<(String, u64)> {
        if !object.is_address() {
            return None;
        }
        let (base, found) = self.state.memory.object_at(object.0)?;
        let global = self
            .program
            .global_of(&found)
            .filter(|_| found.kind == Kind::Global)?;
        let name = self.program.module.globals[global].name.clone();
        Some((name, object.0 - base))
    }
}

impl Describe for Vm {
    fn location(&self, stmt: StmtId) -> Location {
        self.program.location(stmt)
    }

    fn stack(&self, context: ContextId) -> Vec<Location> {
        stack(&self.program, &self.state, context)
    }

    fn own_location(&self, stmt: StmtId, context: ContextId) -> Location {
        let (stmt, context) = self.outside_library(stmt, context);
        let at = self.location(stmt);
        if !at.is_of_system() {
            return at;
        }
        let own = self
            .stack(context)
            .into_iter()
            .find(|place| !place.is_of_system());
        own.unwrap_or(at)
    }

    fn thread_name(&self, thread: ThreadId) -> String {
        thread_name(&self.state, thread)
    }

    fn object_name(&self, object: ObjectId) -> String {
        object_name(&self.program, &self.state, object)
    }

    fn bytes_name(&self, object: ObjectId, bytes: u64) -> String {
        bytes_name(&self.program, &self.state, object, bytes)
    }

    fn action_text(&self, action: &Action) -> String {
        let name = action.op.info().text;
        if action.object == ObjectId::NONE {
            name.into()
        } else {
            format!(
                "{name} {}",
                self.bytes_name(action.object, u64::from(action.size))
            )
        }
    }

    fn value(&self, object: ObjectId, size: u32) -> Option<String> {
        value_at(&self.program, &self.state, object, size)
    }

    fn routine(&self, thread: ThreadId) -> String {
        let (start, _) = self.state.thread(thread).start;
        let function = self.program.function_at(start);
        let function = function.map(|id| &self.program.module.functions[id]);
        if function.is_some_and(|function| rust_threads::begins(&function.display))
            && let Some(closure) = rust_threads::routine(&self.program, &self.state, thread)
        {
            return closure;
        }
        let own = function.filter(|function| !function.library && !is_of_library(&function.display));
        own.map_or(String::new(), |function| function.display.clone())
    }

    fn label(&self, thread: ThreadId) -> String {
        self.state.label(thread).unwrap_or_default().to_owned()
    }

    fn locks_held(&self, thread: ThreadId) -> Vec<(ObjectId, StmtId, ContextId)> {
        let held = &self.state.thread(thread).held;
        let is_lock = |h: &&crate::thread::Held| {
            !matches!(self.state.sync(h.object.0), Some(sync::SyncObject::Once(_)))
        };
        held.iter()
            .filter(is_lock)
            .map(|h| (h.object, h.site.stmt, h.site.context))
            .collect()
    }

    fn blocked_on(&self, thread: ThreadId) -> String {
        sync::blocked_text(&self.program, &self.state, thread)
    }

    fn pending_context(&self, thread: ThreadId) -> ContextId {
        self.state.thread(thread).core.frame.context
    }

    fn inputs(&self) -> Vec<Input> {
        self.inputs_of_path()
    }

    fn inputs_asked(&self) -> usize {
        let asked = self.state.path().asked().iter();
        asked.filter(|asked| asked.is_of_thread()).count()
    }

    fn output(&self) -> Vec<u8> {
        let tags = &self.state.memory.tags;
        holes::fill(self.state.output(), self.state.holes(), |value| {
            tags.symbol(value.tag).map_or(value.bits, |symbol| {
                selvedge_expr::eval(&tags.arena, symbol.expr, self.state.path().model()) as u64
            })
        })
    }

    fn exit_code(&self) -> Option<i32> {
        let exited = |p: &Pending| p.action.op == Op::ProcessExit && p.status == Status::Finished;
        let thread = self.state.pending().iter().position(exited)?;
        let code = self.state.threads()[thread].core.result;
        match self.state.memory.tags.symbol(code.tag) {
            Some(symbol) => {
                let arena = &self.state.memory.tags.arena;
                Some(selvedge_expr::eval(arena, symbol.expr, self.state.path().model()) as i32)
            }
            None => code.is_concrete().then_some(code.bits as i32),
        }
    }
}

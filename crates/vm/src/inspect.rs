//! Reading the state for a debugger: frames, variables and their contents. Nothing here changes the
//! state.

use crate::coverage::Point;
use crate::describe;
use crate::memory::{Kind, Life};
use crate::names;
use crate::program::Program;
use crate::sync::{MutexKind, Once, SyncObject};
use crate::thread::Stage;
use crate::value::Value;
use crate::vm::Vm;
use selvedge_base::{ContextId, FileId, Id, StmtId, ThreadId};
use selvedge_ir::{FuncId, Reg, Scalar, ShapeId, Type};
use std::collections::BTreeSet;

pub use crate::names::value_text;

/// A call that is active.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct FrameView {
    /// Its number, counted from the outermost one.
    pub index: usize,
    /// The function.
    pub func: FuncId,
    /// What it executes next, or the call that is active in it.
    pub stmt: StmtId,
}

/// A variable of the program.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Variable {
    /// Its name in the source.
    pub name: String,
    /// Its type in the source, if that is known.
    pub shape: Option<ShapeId>,
    /// Where its value is.
    pub home: Home,
}

/// Where the value of a variable is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Home {
    /// In memory: address and size in bytes.
    Memory(u64, u64),
    /// In a register.
    Register(Type, Content),
    /// It has none yet.
    Nowhere,
}

/// What is known of up to eight bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Content {
    /// Their value.
    Bits(u64),
    /// An input may be any value here; this is the one that the finding's path takes.
    Input(u64),
    /// Nothing was ever written there, or not to all of them.
    Undefined,
    /// They lie in no object that may be used.
    Gone,
}

/// An object of memory.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ObjectView {
    /// Its first address.
    pub base: u64,
    /// Size in bytes.
    pub size: u64,
    /// Its type in the source, if that is known.
    pub shape: Option<ShapeId>,
    /// Whether it may be used.
    pub live: bool,
}

impl Program {
    /// The lines of the program's own code at which a machine can be stopped, by file. Only with
    /// `Options::coverage`.
    pub fn lines(&self) -> BTreeSet<(FileId, u32)> {
        let lines = self.points.iter().filter_map(|point| match *point {
            Point::Line(stmt) => Some(self.module.stmts[stmt].span),
            Point::Way { .. } => None,
        });
        lines.map(|span| (span.file, span.line)).collect()
    }

    /// Whether a function is one of the model library, or of a header of the system.
    pub fn is_of_library(&self, frame: &FrameView) -> bool {
        let library = |func: FuncId| self.module.functions.get(func).is_some_and(|f| f.library);
        library(frame.func) || self.location(frame.stmt).is_of_system()
    }
}

impl Vm {
    /// The calls that are active in a thread, innermost first. None if it has not begun or has
    /// ended.
    pub fn frames(&self, thread: ThreadId) -> Vec<FrameView> {
        let t = self.state.thread(thread);
        if matches!(t.core.stage, Stage::Created | Stage::Finished) {
            return Vec::new();
        }
        let depth = t.core.depth as usize;
        let view = |index: usize| {
            let frame = t.frame(index);
            let stmts = &self.program.code[frame.func.index()].stmts;
            // Suspended frames go on behind their calls.
            let ip = match index + 1 == depth {
                true => frame.ip as usize,
                false => (frame.ip as usize).saturating_sub(1),
            };
            let stmt = stmts.get(ip).or(stmts.last()).copied().unwrap_or_default();
            FrameView {
                index,
                func: frame.func,
                stmt,
            }
        };
        (0..depth).rev().map(view).collect()
    }

    /// The named variables of a call that is active, in the order of their declarations: of all
    /// blocks of the function, entered or not. Those that are kept in registers are there only with
    /// `Options::variables`.
    pub fn variables(&self, thread: ThreadId, frame: usize) -> Vec<Variable> {
        let t = self.state.thread(thread);
        if frame >= t.core.depth as usize {
            return Vec::new();
        }
        let frame = t.frame(frame);
        let function = &self.program.module.functions[frame.func];
        let code = &self.program.code[frame.func.index()];
        let slot = |slot: u16| t.regs.get(frame.base as usize + usize::from(slot)).copied();
        let in_register = |&(reg, at): &(Reg, u16)| {
            let info = &function.regs[reg];
            let content = match info.ty.is_wide() {
                true => Content::Undefined,
                false => self.content(slot(at).unwrap_or(Value::UNDEF)),
            };
            Some(Variable {
                name: info.name.clone()?,
                shape: info.shape,
                home: Home::Register(info.ty, content),
            })
        };
        let mut variables: Vec<Variable> = code.named.iter().filter_map(in_register).collect();
        for (local, object) in function.locals.iter().zip(&code.locals) {
            if local.name.is_empty() {
                continue;
            }
            let home = match slot(object.slot) {
                Some(address) if address.is_concrete() && address.bits != 0 => {
                    Home::Memory(address.bits, local.size)
                }
                _ => Home::Nowhere,
            };
            variables.push(Variable {
                name: local.name.clone(),
                shape: local.shape,
                home,
            });
        }
        variables
    }

    /// The program's own global variables with names and places in its source. The model library's
    /// have no shapes.
    pub fn globals(&self) -> Vec<Variable> {
        let module = &self.program.module;
        let own = module.globals.iter_ids().filter(|(_, global)| {
            let file = module.files.get(global.span.file).map_or("", String::as_str);
            let placed = global.span.line > 0 && !is_of_system(file);
            !global.thread_local && global.shape.is_some() && placed && is_named(&global.name)
        });
        own.map(|(id, global)| Variable {
            name: selvedge_ir::demangle(names::of_global(module, global)).to_string(),
            shape: global.shape,
            home: Home::Memory(self.program.globals[id.index()], global.size),
        })
        .collect()
    }

    /// A thread's copies of thread-local variables.
    pub fn thread_locals(&self, thread: ThreadId) -> Vec<Variable> {
        let module = &self.program.module;
        let copies = self
            .program
            .thread_locals
            .iter()
            .zip(&self.state.thread(thread).tls);
        copies
            .map(|(&id, &address)| (&module.globals[id], address))
            .filter(|(global, address)| global.shape.is_some() && *address != 0)
            .map(|(global, address)| Variable {
                name: selvedge_ir::demangle(names::of_global(module, global)).to_string(),
                shape: global.shape,
                home: Home::Memory(address, global.size),
            })
            .collect()
    }

    /// What `size` bytes (1 to 8) at an address hold.
    pub fn read(&self, address: u64, size: u64) -> Content {
        if !(1..=8).contains(&size) || self.state.memory.check(address, size, false).is_err() {
            return Content::Gone;
        }
        self.content(self.state.memory.peek_checked(address, size))
    }

    fn content(&self, value: Value) -> Content {
        let tags = &self.state.memory.tags;
        let value = value.as_number();
        match tags.symbol(value.tag) {
            _ if value.is_concrete() => Content::Bits(value.bits),
            Some(symbol) if symbol.undefined == 0 => {
                let value = selvedge_expr::eval(&tags.arena, symbol.expr, self.state.path().model());
                Content::Input(value as u64)
            }
            _ => Content::Undefined,
        }
    }

    /// The object in whose room an address lies.
    pub fn object(&self, address: u64) -> Option<ObjectView> {
        let (base, object) = self.state.memory.object_at(address)?;
        Some(ObjectView {
            base,
            size: object.size,
            shape: self.program.shape(&object),
            live: object.life == Life::Live && object.kind != Kind::Missing,
        })
    }

    /// The state of the synchronisation object at an address, if one was used there: `locked by
    /// thread 0.1`.
    pub fn synchronisation(&self, address: u64) -> Option<String> {
        let name = |thread: ThreadId| describe::thread_name(&self.state, thread);
        Some(match self.state.sync(address)? {
            SyncObject::Mutex(mutex) => {
                let kind = match mutex.kind {
                    MutexKind::Normal => "",
                    MutexKind::Recursive => "recursive ",
                    MutexKind::ErrorCheck => "error-checking ",
                };
                match mutex.owner {
                    Some(owner) => format!("{kind}mutex, held by thread {}", name(owner)),
                    None => format!("{kind}mutex, free"),
                }
            }
            SyncObject::Cond { waiters, .. } => format!("condition variable, {waiters} waiting"),
            SyncObject::RwLock {
                writer: Some(writer), ..
            } => format!("read-write lock, held for writing by thread {}", name(*writer)),
            SyncObject::RwLock { readers: 0, .. } => "read-write lock, free".to_owned(),
            SyncObject::RwLock { readers, .. } => {
                format!("read-write lock, held for reading {readers} times")
            }
            SyncObject::Barrier { count, arrived, .. } => {
                format!("barrier, {arrived} of {count} have arrived")
            }
            SyncObject::Spin { owner: Some(owner) } => format!("spin lock, held by thread {}", name(*owner)),
            SyncObject::Spin { owner: None } => "spin lock, free".to_owned(),
            SyncObject::Sem { value } => format!("semaphore, value {value}"),
            SyncObject::Once(Once::New) => "initialisation, not begun".to_owned(),
            SyncObject::Once(Once::Running(by)) => format!("initialisation, run by thread {}", name(*by)),
            SyncObject::Once(Once::Done) => "initialisation, done".to_owned(),
            SyncObject::Destroyed { kind } => format!("{}, destroyed", kind.name()),
        })
    }

    /// The calling context of a thread's last visible action, and its statement.
    pub fn last_site(&self, thread: ThreadId) -> (StmtId, ContextId) {
        let site = self.state.thread(thread).core.site;
        (site.stmt, site.context)
    }

    /// Whether a thread runs or can still run: it has begun, and has not ended.
    pub fn is_active(&self, thread: ThreadId) -> bool {
        !matches!(
            self.state.thread(thread).core.stage,
            Stage::Created | Stage::Finished
        )
    }

    /// The function that a thread begins with.
    pub fn begins_with(&self, thread: ThreadId) -> Option<FuncId> {
        self.program.function_at(self.state.thread(thread).start.0)
    }
}

/// Whether a global has a name in the source, rather than one of the compiler's for texts in quotes
/// and initial values.
fn is_named(name: &str) -> bool {
    let made = [
        ".str",
        "__const.",
        "__PRETTY_FUNCTION__.",
        "__func__.",
        "__FUNCTION__.",
    ];
    !name.starts_with('.') && !made.iter().any(|made| name.starts_with(made))
}

fn is_of_system(file: &str) -> bool {
    file.starts_with("/usr/")
}

/// How the bits of a register of a type are read where the source's type is not known.
pub fn scalar_of(ty: Type) -> (Scalar, u64) {
    match ty {
        Type::Int(1) => (Scalar::Bool, 1),
        Type::Int(_) => (Scalar::Signed, u64::from(ty.bytes())),
        Type::F32 | Type::F64 => (Scalar::Float, u64::from(ty.bytes())),
        Type::Ptr => (Scalar::Pointer, 8),
    }
}

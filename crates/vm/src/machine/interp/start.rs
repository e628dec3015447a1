//! How threads start.

use super::Stop;
use crate::program::Binding;
use crate::thread::{NO_CALL, Stage};
use crate::value::Value;
use crate::vm::Vm;
use selvedge_base::{ContextId, Id, ThreadId};
use selvedge_ir::FuncId;
use selvedge_model::{FaultKind, Notice, ObjectId, Outcome, Unsupported};
use smallvec::SmallVec;
use std::iter;

impl Vm {
    /// Starts a thread: its first frame. What stopped it, if it could not be started.
    pub(crate) fn start_thread(&mut self, thread: ThreadId) -> Option<Stop> {
        let (address, argument) = self.state.thread(thread).start;
        let created = self.state.thread(thread).created;
        self.outcome = Outcome::Done;
        let Some(func) = self.program.function_at(address) else {
            let text = format!("the start routine {address:#x} is no function");
            self.report_fault(selvedge_model::Fault {
                kind: FaultKind::InvalidPointer,
                message: text,
                stmt: created.stmt,
                context: created.context,
                related: Vec::new(),
                object: ObjectId::NONE,
            });
            return Some(Stop::Parked);
        };
        self.state.own_core(thread).stage = Stage::Running;
        let args: SmallVec<[Value; 3]> = if thread.index() == 0 {
            self.main_args.iter().copied().collect()
        } else {
            SmallVec::from_slice(&[argument])
        };
        let context = self.state.context(created);
        let context = if thread.index() == 0 {
            ContextId(0)
        } else {
            context
        };
        // Global constructors return into main: the first one lies on top.
        let program = self.program.clone();
        let constructors: &[FuncId] = match thread.index() {
            0 => &program.module.constructors,
            _ => &[],
        };
        let functions = iter::once(&func).chain(constructors.iter().rev());
        let has_code = |func: FuncId| {
            let binding = &program.bindings[func.index()];
            matches!(binding, Binding::Code | Binding::Other(_))
        };
        if let Some(&without) = functions.clone().find(|&&func| !has_code(func)) {
            let name = &program.module.functions[without].display;
            let role = match without == func {
                true => "a start routine",
                false => "a constructor",
            };
            self.state.notify(Notice::Unsupported(Unsupported {
                what: format!("library function {name} as {role}"),
                stmt: created.stmt,
            }));
            return Some(Stop::Parked);
        }
        if thread.index() > 0 && program.atomic[func.index()] {
            let name = &program.module.functions[func].display;
            self.state.notify(Notice::Unsupported(Unsupported {
                what: format!("the atomic function {name} as a start routine"),
                stmt: created.stmt,
            }));
            return Some(Stop::Parked);
        }
        for &func in functions {
            self.push_frame(thread, func, &args, &[], NO_CALL, context);
        }
        None
    }
}

//! Notices of the interpreter: faults, limits, and unsupported instructions.

use crate::memory::Site;
use crate::native::Wrong;
use crate::vm::Vm;
use selvedge_base::{Id, StmtId, ThreadId};
use selvedge_ir::FuncId;
use selvedge_model::{
    Access, Fault, FaultKind, Limit, LimitKind, MemoryOrder, Notice, ObjectId, Outcome, Unsupported,
};

impl Vm {
    pub(crate) fn simple_fault(
        &self,
        thread: ThreadId,
        ip: u32,
        kind: FaultKind,
        message: impl Into<String>,
    ) -> Fault {
        let site = self.site(thread, ip);
        Fault {
            kind,
            message: message.into(),
            stmt: site.stmt,
            context: site.context,
            related: Vec::new(),
            object: ObjectId::NONE,
        }
    }

    #[cold]
    pub(crate) fn report_fault(&mut self, mut fault: Fault) {
        let (stmt, context) = crate::describe::shown(&self.program, &self.state, fault.stmt, fault.context);
        (fault.stmt, fault.context) =
            crate::describe::outside_library(&self.program, &self.state, stmt, context);
        self.state.notify(Notice::Fault(fault));
    }

    /// Handles an access to memory that is a fault and does not happen. If it is the action being
    /// performed, its outcome says so.
    #[cold]
    pub(crate) fn note_failed(&mut self, performing: bool) {
        if performing {
            self.outcome = Outcome::Failed;
        }
    }

    /// Reports an invalid access to memory.
    #[cold]
    pub(crate) fn report_access(&mut self, wrong: Wrong, site: Site) {
        match wrong {
            Wrong::Fault(fault) => self.report_fault(*fault),
            Wrong::Unsupported(what) => {
                let stmt = self.called_at(site);
                self.state.notify(Notice::Unsupported(Unsupported { what, stmt }));
            }
        }
    }

    /// Lets the race detector see an access to freed memory, if that is no fault that is asked for.
    #[cold]
    pub(super) fn note_dead_access(
        &mut self,
        wrong: &Wrong,
        (address, size, write): (u64, u64, bool),
        site: Site,
    ) {
        let is_dead = matches!(wrong, Wrong::Fault(fault) if fault.kind == FaultKind::UseAfterFree);
        if is_dead && self.program.options.record_dead_accesses {
            self.state.memory.record_access(Access {
                address,
                context: site.context,
                stmt: site.stmt,
                size: size as u32,
                write,
                order: MemoryOrder::NotAtomic,
            });
        }
    }

    /// The program's own place: where it called the model library.
    pub(super) fn called_at(&self, site: Site) -> StmtId {
        crate::describe::outside_library(&self.program, &self.state, site.stmt, site.context).0
    }

    #[cold]
    pub(crate) fn limit(&mut self, thread: ThreadId, ip: u32, kind: LimitKind, detail: String) {
        let stmt = self.called_at(self.site(thread, ip));
        self.state.notify(Notice::Limit(Limit { kind, detail, stmt }));
    }

    #[cold]
    /// Refuses a function whose calls are atomic blocks, if the library calls it beside other
    /// threads: no action of the thread would be that block.
    pub(crate) fn refuses_callback(&mut self, thread: ThreadId, func: FuncId, stmt: StmtId) -> bool {
        let is_block = self.program.atomic[func.index()] && !self.state.is_lone();
        let refuses = is_block && self.state.thread(thread).core.atomic == 0;
        if refuses {
            let name = &self.program.module.functions[func].display;
            let what = format!("the atomic function {name} called by the library");
            self.state.notify(Notice::Unsupported(Unsupported { what, stmt }));
        }
        refuses
    }

    /// Forgets the synchronisation objects that the program has written over. False if one of them
    /// is in use, which is unsupported: then the thread stops.
    #[cold]
    pub(crate) fn forget_overwritten(&mut self) -> bool {
        let forgotten = self.state.forget_overwritten(&mut self.anew);
        let Err(in_use) = forgotten else { return true };
        let what = format!("writing over a {} that is in use", in_use.what);
        let stmt = self.called_at(in_use.site);
        self.state.notify(Notice::Unsupported(Unsupported { what, stmt }));
        false
    }

    pub(crate) fn unsupported(&mut self, thread: ThreadId, ip: u32, what: String) {
        let stmt = self.called_at(self.site(thread, ip));
        self.state.notify(Notice::Unsupported(Unsupported { what, stmt }));
    }
}

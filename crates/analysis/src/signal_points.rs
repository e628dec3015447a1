//! Points at which the handlers of signals run.
//!
//! In a program that sets handlers, and whose threads send signals to each other or to the process,
//! a thread looks for signals that have arrived at *points*: calls of [`POINT`], a function of the
//! model library (`crates/frontend/lib/signal_delivery.c`, which says what a point does and why
//! points are enough). So it does in a program without handlers whose threads send each other
//! signals and wait for none: what happens by default may end the process. This puts a point before
//! each statement that the order of a handler can matter to:
//!
//! - calls of library functions, unless they only work on memory that they are given
//!   ([`is_local`]);
//! - atomic accesses, fences and pauses;
//! - plain accesses to memory that a handler may access, too, if one of the two writes;
//! - all plain accesses, if a handler may end otherwise than by returning (`longjmp`,
//!   `pthread_exit`, `exit`): what it interrupts is seen as it is then. All but those to private
//!   stack objects, if a handler may learn of other threads (it waits, takes a lock, or reads an
//!   atomic variable): these may look at the memory, or change it, before it returns. Where it only
//!   tells others something, as `sem_post` does, what they see then is in a data race.
//!
//! A copy of several bytes is one access. A handler in the middle of one that accesses the same
//! memory is left out, and the module is marked ([`COPIES`]), so that a report can say so.
//!
//! Calls of functions that a handler may interrupt, and waits of several actions, go to functions
//! of the library whose names begin with [`INTERRUPTED`]. The code that delivers signals has no
//! points itself.
//!
//! Cancellation would leave such a wait without its end, so programs that cancel threads are not
//! changed, nor are those that take the address of a function that a handler may interrupt: sending
//! a signal that is not blocked is unsupported there.

mod touched;

use crate::Escape;
use crate::library::{computes_with_error, is_local};
use rustc_hash::{FxHashMap, FxHashSet};
use selvedge_base::StmtId;
use selvedge_ir::{Callee, FuncId, Inst, InstKind, Module, Operand, Terminator, Type, WAIT_WITH_WORD};
use smallvec::SmallVec;
use touched::{Base, Bases, Touched, accesses};

/// The function that runs the handlers of signals that have arrived.
pub const POINT: &str = "__selvedge_signal_point";
/// The prefix of functions that are called in the place of others.
pub const INTERRUPTED: &str = "__selvedge_interrupted_";
/// A function without a body that a module has if handlers have to run at points in it, so that the
/// library's functions for it were linked.
pub const NEEDED: &str = "__selvedge_handlers_need_points";
/// A function without a body that a module has if its handlers run at points.
pub const DELIVERS: &str = "__selvedge_handlers_run_at_points";
/// A function without a body that a module has if handlers may access what the interrupted thread
/// copies.
pub const COPIES: &str = "__selvedge_copies_are_not_interrupted";
/// Called after a thread has changed which signals it blocks.
pub const UNBLOCKED: &str = "__selvedge_signal_unblocked";

pub(crate) const SETTERS: [&str; 7] = [
    "sigaction",
    "signal",
    "sigset",
    "ssignal",
    "bsd_signal",
    "sysv_signal",
    "__sysv_signal",
];
/// The functions that send signals.
pub const SENDERS: [&str; 6] = ["pthread_kill", "kill", "killpg", "sigqueue", "alarm", "setitimer"];
/// The functions that wait for signals, or say which wait.
const TAKERS: [&str; 5] = ["sigwait", "sigwaitinfo", "sigtimedwait", "sigpending", "signalfd"];
/// The functions that change which signals a thread blocks.
pub const MASKS: [&str; 2] = ["pthread_sigmask", "sigprocmask"];
/// Waits of several actions: also the library's own go through [`INTERRUPTED`].
const WAITS: [&str; 8] = [
    "pthread_cond_wait",
    "pthread_cond_timedwait",
    "pthread_cond_clockwait",
    "cnd_wait",
    "cnd_timedwait",
    "pthread_barrier_wait",
    "__selvedge_futex_wait",
    "_ZNSt18condition_variable4waitERSt11unique_lockISt5mutexE",
];

/// Whether handlers have to run at points in a module: what the program reaches sets some, and
/// sends signals; or its threads send each other signals and wait for none, so that what happens by
/// default is all that they are for.
pub fn are_needed(module: &Module, reached: &[FuncId]) -> bool {
    let named = |names: &[&str]| -> FxHashSet<FuncId> {
        let found = names.iter().filter_map(|name| module.function(name));
        found.collect()
    };
    let (setters, senders, cancels) = (named(&SETTERS), named(&SENDERS), named(&["pthread_cancel"]));
    if senders.is_empty() {
        return false;
    }
    let (takers, to_threads) = (named(&TAKERS), module.function("pthread_kill"));
    let ignores = module.function("signal");
    let (mut sets, mut sends, mut cancelled) = (false, false, false);
    let (mut takes, mut sends_to_threads) = (false, false);
    let functions = reached.iter().map(|&id| &module.functions[id]);
    for function in functions.filter(|f| !f.library) {
        for inst in function.blocks.iter().flat_map(|block| &block.insts) {
            if let InstKind::Call { callee, args, .. } = &inst.kind
                && let Callee::Direct(callee) = callee
            {
                // SIG_DFL and SIG_IGN are no handlers.
                let harmless =
                    Some(*callee) == ignores && matches!(args.get(1), Some(Operand::Const(0 | 1, _)));
                sets |= setters.contains(callee) && !harmless;
                sends |= senders.contains(callee);
                // Signal 0 only asks whether the thread exists.
                let only_asks = matches!(args.get(1), Some(Operand::Const(0, _)));
                sends_to_threads |= to_threads == Some(*callee) && !only_asks;
                takes |= takers.contains(callee);
                cancelled |= cancels.contains(callee);
            }
            inst.kind.for_each_operand(|operand| {
                if let Operand::Func(id) = operand {
                    sets |= setters.contains(&id);
                    sends |= senders.contains(&id);
                    sends_to_threads |= to_threads == Some(id);
                    takes |= takers.contains(&id);
                    cancelled |= cancels.contains(&id);
                }
            });
        }
    }
    (sets && sends || sends_to_threads && !takes) && !cancelled
}

/// Puts points into a module that is marked as [`NEEDED`]. Returns their number.
pub fn insert(module: &mut Module) -> usize {
    let defined = |name: &str| {
        module
            .function(name)
            .filter(|&id| module.functions[id].is_defined())
    };
    let Some(point) = defined(POINT) else { return 0 };
    let unblocked = defined(UNBLOCKED);
    if module.function(NEEDED).is_none() {
        return 0;
    }
    let pass = Pass::of(module, point, unblocked);
    // A call through a pointer would not go to the function that stands for it; and the waits of
    // Rust's library have none.
    let hidden = pass.replaced.keys().any(|&id| pass.touched.is_taken(id));
    if hidden || module.function(WAIT_WITH_WORD).is_some() {
        return 0;
    }
    let (mut count, mut copies) = (0, false);
    for id in module.functions.ids() {
        count += pass.change(module, id, &mut copies);
    }
    crate::rust_locks::declare(module, DELIVERS, &[]);
    if copies {
        crate::rust_locks::declare(module, COPIES, &[]);
    }
    count
}

/// What the change of each function rests on.
struct Pass {
    point: FuncId,
    /// Missing if the program never changes which signals a thread blocks.
    unblocked: Option<FuncId>,
    /// The functions that deliver signals.
    without: FxHashSet<FuncId>,
    touched: Touched,
    escape: Escape,
    /// Library functions that other threads or handlers may notice.
    acting: FxHashSet<FuncId>,
    /// Library functions that nobody notices, but for the error number.
    errors: FxHashSet<FuncId>,
    /// Functions with a body.
    defined: FxHashSet<FuncId>,
    masks: Vec<FuncId>,
    replaced: FxHashMap<FuncId, (FuncId, bool)>,
    /// Functions that no other one calls directly: with their end, a thread may end.
    outermost: FxHashSet<FuncId>,
}

impl Pass {
    fn of(module: &Module, point: FuncId, unblocked: Option<FuncId>) -> Pass {
        let without = delivering(module);
        let touched = Touched::by_handlers(module, &without);
        let acting = module.functions.iter_ids();
        let acting = acting.filter(|(_, f)| !f.is_defined() && !is_local(&f.name));
        let errors = module.functions.iter_ids();
        let errors = errors.filter(|(_, f)| !f.is_defined() && computes_with_error(&f.name));
        let mut outermost: FxHashSet<FuncId> = (module.functions.iter_ids())
            .filter(|(_, f)| f.is_defined() && !f.library)
            .map(|(id, _)| id)
            .collect();
        for (id, function) in module.functions.iter_ids() {
            for inst in function.blocks.iter().flat_map(|block| &block.insts) {
                if let InstKind::Call {
                    callee: Callee::Direct(callee),
                    ..
                } = &inst.kind
                    && *callee != id
                    && !touched.is_taken(*callee)
                {
                    outermost.remove(callee);
                }
            }
        }
        Pass {
            point,
            unblocked,
            escape: Escape::of(module),
            acting: acting.map(|(id, _)| id).collect(),
            errors: errors.map(|(id, _)| id).collect(),
            defined: (module.functions.iter_ids())
                .filter(|(_, f)| f.is_defined())
                .map(|(id, _)| id)
                .collect(),
            masks: MASKS.iter().filter_map(|name| module.function(name)).collect(),
            replaced: replaced(module),
            outermost,
            without,
            touched,
        }
    }

    /// Changes a function. Returns the number of points.
    fn change(&self, module: &mut Module, id: FuncId, copies: &mut bool) -> usize {
        let function = &module.functions[id];
        if self.without.contains(&id) || function.name.starts_with("__VERIFIER_atomic") {
            return 0;
        }
        let bases = Bases::of(function, self.escape.private_locals(function));
        let function = &mut module.functions[id];
        let mut count = 0;
        for block in function.blocks.iter_mut() {
            let invoked = matches!(block.term, Terminator::Invoke { .. });
            let last = block.insts.len().wrapping_sub(1);
            let before = std::mem::take(&mut block.insts);
            for (at, mut inst) in before.into_iter().enumerate() {
                let stmt = inst.stmt;
                *copies |= self.is_touched_copy(&inst.kind, &bases);
                if self.needs_point(&inst.kind, &bases) {
                    block.insts.push(call(self.point, stmt));
                    count += 1;
                }
                let unblocks = matches!(&inst.kind, InstKind::Call { callee: Callee::Direct(callee), .. }
                    if self.masks.contains(callee));
                self.replace(&mut inst.kind, function.library);
                block.insts.push(inst);
                if let Some(unblocked) = self.unblocked.filter(|_| unblocks && !(invoked && at == last)) {
                    block.insts.push(call(unblocked, stmt));
                }
            }
            if self.outermost.contains(&id) && matches!(block.term, Terminator::Return(_)) {
                block.insts.push(call(self.point, block.term_stmt));
                count += 1;
            }
        }
        count
    }

    fn replace(&self, kind: &mut InstKind, library: bool) {
        if let InstKind::Call {
            callee: Callee::Direct(callee),
            ..
        } = kind
            && let Some(&(by, is_wait)) = self.replaced.get(callee)
            && (is_wait || !library)
        {
            *callee = by;
        }
    }

    /// Whether an instruction copies or fills bytes that a handler may access, too.
    fn is_touched_copy(&self, kind: &InstKind, bases: &Bases) -> bool {
        match kind {
            InstKind::MemCopy { .. } | InstKind::MemSet { .. } => {
                let mut meets = false;
                accesses(kind, |operand, write| {
                    meets |= self.touched.meets(bases.base(operand), write);
                });
                meets
            }
            InstKind::Call {
                callee: Callee::Direct(callee),
                args,
                ..
            } if !self.defined.contains(callee) && !self.acting.contains(callee) => {
                args.iter().any(|&arg| self.is_touched_argument(arg, bases))
            }
            _ => false,
        }
    }

    fn is_touched_argument(&self, arg: Operand, bases: &Bases) -> bool {
        let is_address = matches!(arg, Operand::Reg(_) | Operand::Global(..));
        is_address && self.touched.meets(bases.base(arg), true)
    }

    fn needs_point(&self, kind: &InstKind, bases: &Bases) -> bool {
        match kind {
            InstKind::Load { order: Some(_), .. }
            | InstKind::Store { order: Some(_), .. }
            | InstKind::Rmw { .. }
            | InstKind::CompareExchange { .. }
            | InstKind::Pause => return true,
            InstKind::Fence { single_thread, .. } => return !single_thread,
            InstKind::Call { callee, args, .. } => {
                return match callee {
                    Callee::Direct(callee) if self.acting.contains(callee) => true,
                    // It sends a signal; what waits for one has a point itself.
                    Callee::Direct(callee) if self.without.contains(callee) => true,
                    // A handler may look at the error number, or set it, too.
                    Callee::Direct(callee)
                        if self.errors.contains(callee) && self.touched.meets(Base::Anything, true) =>
                    {
                        true
                    }
                    // It may work on memory that it is given.
                    Callee::Direct(_) => args.iter().any(|&arg| self.is_touched_argument(arg, bases)),
                    // The function may be a library's.
                    Callee::Indirect(_) => true,
                };
            }
            _ => {}
        }
        let mut meets = false;
        accesses(kind, |operand, write| {
            meets |= self.touched.meets(bases.base(operand), write);
        });
        meets
    }
}

/// The functions that deliver signals, with what they call directly.
fn delivering(module: &Module) -> FxHashSet<FuncId> {
    let names = [
        "pthread_kill",
        "raise",
        "kill",
        "sigqueue",
        "killpg",
        "pause",
        "sigsuspend",
        "__selvedge_arm",
    ];
    let own = |id: &FuncId| module.functions[*id].library && module.functions[*id].is_defined();
    let named = names.iter().filter_map(|name| module.function(name));
    let wrappers = module.functions.iter_ids();
    let wrappers =
        wrappers.filter(|(_, f)| f.name.starts_with(INTERRUPTED) || f.name.starts_with("__selvedge_signal_"));
    let mut open: Vec<FuncId> = named.chain(wrappers.map(|(id, _)| id)).collect();
    open.retain(own);
    let mut all: FxHashSet<FuncId> = open.iter().copied().collect();
    while let Some(id) = open.pop() {
        for inst in module.functions[id].blocks.iter().flat_map(|block| &block.insts) {
            let mut found = Vec::new();
            if let InstKind::Call {
                callee: Callee::Direct(callee),
                ..
            } = &inst.kind
            {
                found.push(*callee);
            }
            // The start function of the thread that brings a signal.
            inst.kind.for_each_operand(|operand| {
                if let Operand::Func(callee) = operand {
                    found.push(callee);
                }
            });
            let of_wrapper = module.functions[id].name.starts_with(INTERRUPTED);
            for callee in found {
                // What a wrapper stands for is code like other code.
                let stands_for = of_wrapper
                    && module.functions[id]
                        .name
                        .ends_with(&module.functions[callee].name);
                if own(&callee) && !stands_for && all.insert(callee) {
                    open.push(callee);
                }
            }
        }
    }
    all
}

/// What is called in the place of what, and whether the library's own calls are, too.
fn replaced(module: &Module) -> FxHashMap<FuncId, (FuncId, bool)> {
    let functions = module.functions.iter_ids().filter(|(_, f)| f.is_defined());
    let pairs = functions.filter_map(|(id, f)| {
        let name = f.name.strip_prefix(INTERRUPTED)?;
        Some((module.function(name)?, (id, WAITS.contains(&name))))
    });
    pairs.collect()
}

fn call(callee: FuncId, stmt: StmtId) -> Inst {
    let kind = InstKind::Call {
        results: SmallVec::new(),
        callee: Callee::Direct(callee),
        args: SmallVec::new(),
        types: SmallVec::<[Type; 4]>::new(),
    };
    Inst { stmt, kind }
}

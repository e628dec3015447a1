//! Lost memory, and memory that is not freed when the process ends.
//!
//! A lost block stays lost, so it is enough to check the end of each execution; equivalent
//! executions end in equal states. Every end is checked: the end of the process, a deadlock,
//! threads that stopped at an assumption, or a state whose continuations are known. So losses in an
//! execution without an end are found, too. After another fault nothing is reported, because a
//! correct process would not have got there.

use selvedge_model::{Allocates, Blocks, Describe, Detector, Event, Fault, FaultKind, Notice, ObjectId};

/// Finds memory that is lost or not freed.
#[derive(Clone, Debug, Default)]
pub struct LeakDetector {
    /// True if the execution has shown another fault.
    faulty: bool,
}

impl LeakDetector {
    /// A detector at the beginning of an execution.
    pub fn new() -> Self {
        Self::default()
    }
}

impl<M: Allocates + Describe + ?Sized> Detector<M> for LeakDetector {
    type Mark = bool;

    #[inline]
    fn mark(&mut self) -> bool {
        self.faulty
    }

    #[inline]
    fn undo(&mut self, faulty: bool) {
        self.faulty = faulty;
    }

    #[inline]
    fn event(&mut self, machine: &M, _: &Event, _: &mut Vec<Fault>) {
        let is_fault = |notice: &Notice| matches!(notice, Notice::Fault(_));
        self.faulty |= machine.notices().iter().any(is_fault);
    }

    fn end(&mut self, machine: &M, faults: &mut Vec<Fault>) {
        if self.faulty {
            return;
        }
        let allocated = machine.allocated();
        for (kind, blocks) in [
            (FaultKind::Leak, &allocated.lost),
            (FaultKind::NotFreed, &allocated.left),
        ] {
            faults.extend(blocks.iter().map(|blocks| fault(machine, kind, blocks)));
        }
    }

    fn cut(&mut self, machine: &M, faults: &mut Vec<Fault>) {
        self.end(machine, faults);
    }
}

fn fault<M: Describe + ?Sized>(machine: &M, kind: FaultKind, found: &Blocks) -> Fault {
    let Blocks {
        stmt,
        context,
        thread,
        bytes,
        blocks,
    } = *found;
    let count = |number: u64, what: &str| match number {
        1 => format!("1 {what}"),
        _ => format!("{number} {what}s"),
    };
    let (bytes, blocks) = (count(bytes, "byte"), count(blocks, "block"));
    let who = machine.thread_name(thread);
    let what = match kind {
        FaultKind::Leak => "lost: no pointer leads there",
        _ => "not freed when the process ends",
    };
    Fault {
        kind,
        message: format!("{bytes} in {blocks} that thread {who} allocated here: {what}"),
        stmt,
        context,
        related: Vec::new(),
        object: ObjectId::NONE,
    }
}

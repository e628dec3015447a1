//! What the tests of these files make up: threads, events, and what a step accessed.

use selvedge_base::{ContextId, StmtId, ThreadId};
use selvedge_model::{
    Access, Action, Choice, Event, Machine, MemoryOrder, Notice, ObjectId, Op, Outcome, Pending, Status,
    Waiters,
};

/// So many threads that can move, and what the last step accessed.
pub struct Fake {
    pub pending: Vec<Pending>,
    pub accesses: Vec<Access>,
}

impl Machine for Fake {
    fn pending(&self) -> &[Pending] {
        &self.pending
    }
    fn step(&mut self, _: Choice) -> Event {
        unreachable!("nothing is executed")
    }
    fn accesses(&self) -> &[Access] {
        &self.accesses
    }
    fn notices(&self) -> &[Notice] {
        &[]
    }
    fn waiters(&self, _: Waiters) -> &[ThreadId] {
        &[]
    }
    fn waits_for(&self, _: ThreadId) -> selvedge_model::WaitsFor {
        selvedge_model::WaitsFor::new()
    }
}

pub const A: ThreadId = ThreadId(1);
pub const B: ThreadId = ThreadId(2);

pub fn action(thread: ThreadId, op: Op) -> Action {
    let object = match op {
        Op::Join => ObjectId::thread(A),
        Op::Yield => ObjectId::NONE,
        _ => ObjectId(0x1000),
    };
    Action::on(thread, op, object)
}

pub fn event(action: Action, outcome: Outcome) -> Event {
    Event {
        action,
        context: ContextId(0),
        alternative: 0,
        alternatives: 1,
        outcome,
        completes: false,
        silent: selvedge_model::Silent::No,
    }
}

pub fn pending(action: Action) -> Pending {
    Pending {
        action,
        status: Status::Enabled,
        alternatives: 1,
    }
}

/// Three threads, after a step that wrote there.
pub fn wrote(addresses: &[u64]) -> Fake {
    let access = |&address: &u64| Access {
        address,
        context: ContextId(0),
        stmt: StmtId(7),
        size: 4,
        write: true,
        order: MemoryOrder::NotAtomic,
    };
    Fake {
        pending: vec![pending(action(A, Op::Yield)); 3],
        accesses: addresses.iter().map(access).collect(),
    }
}

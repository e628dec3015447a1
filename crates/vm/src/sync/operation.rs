//! What the models of synchronisation share: how an operation is prepared, and how it answers.

use super::object::Kind;
use crate::native::{Cx, Flow, Performed, Prepared, Stop};
use crate::state::State;
use selvedge_base::ThreadId;
use selvedge_model::{Action, FaultKind, ObjectId, Op, Outcome};

/// The two functions of a visible model.
pub(super) type Model = (fn(&mut Cx<'_>) -> Prepared, fn(&mut Cx<'_>, u16) -> Performed);

/// What a performed operation answers: the C result and what came of it, or how the thread goes on
/// instead.
pub(super) type Answer = Result<(i32, Outcome), Stop>;

/// The answer of an operation that succeeded.
pub(super) const SUCCESS: (i32, Outcome) = (0, Outcome::Done);

/// The answer of an operation that failed with an error number.
pub(super) const fn failed(error: i32) -> (i32, Outcome) {
    (error, Outcome::Failed)
}

/// The end of a visible call.
pub(super) fn done(answer: Answer) -> Performed {
    match answer {
        Ok((code, outcome)) => Performed::Done(Flow::int(code), outcome),
        Err(flow) => Performed::Done(flow, Outcome::Failed),
    }
}

/// The end of a plain call.
pub(super) fn plain(result: Result<i32, Stop>) -> Flow {
    match result {
        Ok(code) => Flow::int(code),
        Err(flow) => flow,
    }
}

/// Prepares an operation on the object whose address is the first argument.
pub(super) fn prepare(cx: &mut Cx<'_>, op: Op) -> Prepared {
    match cx.word(0) {
        Ok(address) => Prepared::Visible(cx.action(op, address)),
        Err(flow) => Prepared::Immediate(flow),
    }
}

/// Prepares an `Init` or `Destroy`: no scheduling point while there is only one thread,
/// unless the options want that.
pub(super) fn prepare_whole(
    cx: &mut Cx<'_>,
    op: Op,
    kind: Kind,
    perform: fn(&mut Cx<'_>, u16) -> Performed,
) -> Prepared {
    if cx.state.unjoined() == 0
        && !cx.program.options.visible_setup
        && let Performed::Done(flow, _) = perform(cx, 0)
    {
        return Prepared::Immediate(flow);
    }
    match cx.word(0) {
        Ok(address) => {
            let action = cx.action(op, address);
            Prepared::Visible(Action {
                size: kind.size() as u32,
                ..action
            })
        }
        Err(flow) => Prepared::Immediate(flow),
    }
}

/// Giving back an object that the thread does not hold. It looks at the object.
pub(super) fn bad_unlock(cx: &Cx<'_>, address: u64, kind: Kind) -> Action {
    Action {
        size: kind.size() as u32,
        ..cx.action(Op::BadUnlock, address)
    }
}

/// A fault on an object, with where it was taken by the thread that holds it.
#[cold]
pub(super) fn held_fault(
    cx: &Cx<'_>,
    kind: FaultKind,
    text: &str,
    address: u64,
    holder: Option<ThreadId>,
) -> Stop {
    let mut flow = cx.fault_on(kind, text, ObjectId(address));
    if let (Flow::Fault(fault), Some(holder)) = (&mut flow, holder)
        && let Some(held) = find_held(cx.state, holder, address).map(|i| cx.state.thread(holder).held[i])
    {
        let name = crate::state::thread_name(cx.state, holder);
        fault.related.push((
            format!("taken here by thread {name}"),
            held.site.stmt,
            held.site.context,
        ));
    }
    flow
}

/// Where a lock stands among those that a thread holds.
#[inline]
pub(super) fn find_held(state: &State, thread: ThreadId, address: u64) -> Option<usize> {
    state
        .thread(thread)
        .held
        .iter()
        .rposition(|h| h.object.0 == address)
}

//! Operations on the channels of Rust's standard library, each in one action.
//!
//! `crates/analysis/src/rust_channels.rs` puts calls of [`selvedge_ir::CHANNEL`] around the code of
//! an operation. What is between them is executed at once: no other thread runs in the meantime.
//! The code is the library's own, on the library's memory. So the channel has no state beside that
//! memory, and what orders its accesses for data races is what the code does.
//!
//! The action uses the two words of the channel that say how far senders and receivers have come.
//! So it is dependent on all operations of the same channel, and on accesses to these words from
//! elsewhere. Disconnecting is such an operation, too: it sets a bit of the second word.
//!
//! *What an event has done* is finer ([`passed`]). Who receives a message that is there, and who
//! sends one into a free place, do not disturb each other unless it is the same place. So events
//! say which place it was. This is read from what the step has changed, not from what it should do,
//! and its accesses are looked at. Where the place alone does not tell what others may notice, the
//! event says nothing, and is dependent on all:
//!
//! - an attempt without success;
//! - in a channel without a limit, all from the end of the first block of 31 messages on: there a
//!   receiver looks whether senders have come to the next block, and blocks are made and freed.

use crate::native::{ALL_ARGUMENTS, Cx, Flow, NO_ARGUMENT, Native, Performed, Prepared, Stop, Visible};
use crate::state::State;
use selvedge_base::Id;
use selvedge_ir::{CHANNEL, CHANNEL_TAIL, Until};
use selvedge_model::{Access, Action, ObjectId, Op, Outcome, Passed, Status};

impl crate::program::Program {
    /// Whether operations on channels are one step each.
    pub fn joins_channels(&self) -> bool {
        self.module.function(CHANNEL[0]).is_some()
    }
}

/// The size of a word in bytes.
const WORD: u64 = 8;

/// Whether what an operation waits for has come. `mark`: the bit of `tail` that says that the
/// channel is disconnected; the bits below say where in a lap the position is.
const fn has_come(until: Until, head: u64, tail: u64, mark: u64) -> bool {
    let disconnected = tail & mark != 0;
    match until {
        Until::Now => true,
        Until::Message => disconnected || head >> 1 != tail >> 1,
        Until::LimitedMessage => disconnected || head != tail & !mark,
        Until::Room => disconnected || head.wrapping_add(2 * mark) != tail & !mark,
    }
}

/// The models of this file.
pub(super) fn find(name: &str) -> Option<Native> {
    let [begins, ends] = CHANNEL;
    Some(Native::Visible(match name {
        name if name == begins => Visible {
            prepare: begin_prepare,
            perform: begin,
            numbers: ALL_ARGUMENTS,
        },
        name if name == ends => Visible {
            prepare: end_prepare,
            perform: end,
            numbers: NO_ARGUMENT,
        },
        _ => return None,
    }))
}

/// A word of a channel, if it can be read.
fn word(state: &State, address: u64) -> Option<u64> {
    state.memory.check(address, WORD, false).ok()?;
    let value = state.memory.peek_checked(address, WORD);
    value.is_concrete().then_some(value.bits)
}

/// The positions of a block in a channel without a limit; the last one holds no message.
const LAP: u64 = 32;

/// How far receivers and senders have come, and the [mark](has_come), before an operation.
#[derive(Clone, Copy)]
pub(crate) struct Before {
    head: u64,
    tail: u64,
    mark: u64,
}

/// What is to be known before an operation, to say afterwards what it has [`passed`] on.
pub(crate) fn before(state: &State, action: &Action) -> Option<Before> {
    let channel = action.object.0;
    Some(Before {
        head: word(state, channel)?,
        tail: word(state, channel + CHANNEL_TAIL)?,
        mark: state.thread(action.thread).core.note >> 2,
    })
}

/// The message that an operation has passed on, with these accesses, if this is all that other
/// threads may notice of it.
pub(crate) fn passed(state: &State, action: &Action, before: Before, accesses: &[Access]) -> Option<Passed> {
    let (head_at, tail_at) = (action.object.0, action.object2.0);
    let (head, tail) = (word(state, head_at)?, word(state, tail_at)?);
    let of = |at: u64| {
        accesses
            .iter()
            .filter(move |a| a.address < at + WORD && at < a.address + u64::from(a.size))
    };
    if head == before.head && tail != before.tail {
        if tail == before.tail | before.mark {
            return of(head_at).next().is_none().then_some(Passed::Disconnected);
        }
        let number = place(before.tail, tail, [before.head, tail], before.mark)?;
        return of(head_at).next().is_none().then_some(Passed::Sent(number));
    }
    if head != before.head && tail == before.tail {
        // That there are no senders any more makes no difference to a message that is there.
        let number = place(before.head, head, [tail & !1, head], before.mark)?;
        let orders = |a: &Access| a.write || a.order.acquires();
        return (!of(tail_at).any(orders)).then_some(Passed::Received(number));
    }
    None
}

/// The place of the message at a position, from which its side has come to the next one. `None` if
/// it is a place of which more than its number counts. `words`: what must be in the first block.
fn place(position: u64, next: u64, words: [u64; 2], mark: u64) -> Option<u32> {
    let number = match mark {
        // A flag in the lowest bit, then the position.
        1 => {
            let in_first_block = |word: u64| word & 1 == 0 && word >> 1 < LAP - 1;
            let is_plain = next == position + 2 && words.into_iter().all(in_first_block);
            is_plain.then_some(position >> 1)?
        }
        // Beside the mark: the lap above, the place below.
        _ => position & (mark - 1),
    };
    u32::try_from(number).ok().filter(|&number| number < 1 << 30)
}

/// Whether an operation may go on. It may where a word cannot be read: the code then says why.
fn is_ready(state: &State, channel: u64, until: Until, mark: u64) -> bool {
    match (word(state, channel), word(state, channel + CHANNEL_TAIL)) {
        (Some(head), Some(tail)) => has_come(until, head, tail, mark),
        _ => true,
    }
}

/// The channel, what the operation waits for, and the mark.
fn arguments(cx: &mut Cx<'_>) -> Result<(u64, Until, u64), Stop> {
    let (channel, until, distance) = (cx.word(0)?, cx.word(1)?, cx.word(2)?);
    let Some(until) = Until::of(until) else {
        return Err(Flow::Unsupported("an unknown operation of a channel".into()));
    };
    let mark = match (distance, word(cx.state, channel + distance)) {
        (0, _) => 1,
        (_, Some(mark)) => mark,
        (_, None) if cx.state.memory.check(channel + distance, WORD, false).is_err() => 1,
        (_, None) => {
            let text = "a channel whose limit depends on inputs, unless --rust-locks is `executed`";
            return Err(Flow::Unsupported(text.into()));
        }
    };
    Ok((channel, until, mark))
}

fn begin_prepare(cx: &mut Cx<'_>) -> Prepared {
    let (channel, until, mark) = match arguments(cx) {
        Ok(arguments) => arguments,
        Err(flow) => return Prepared::Immediate(flow),
    };
    let core = cx.state.thread(cx.thread).core;
    let ready = is_ready(cx.state, channel, until, mark);
    if core.atomic != 0 {
        return Prepared::Immediate(Flow::Unsupported(
            "an operation of a channel in an atomic block".into(),
        ));
    }
    if cx.state.is_lone() && ready {
        return Prepared::Immediate(Flow::word(0));
    }
    cx.state.own_core(cx.thread).note = mark << 2 | until as u64;
    Prepared::Visible(Action {
        object2: ObjectId(channel + CHANNEL_TAIL),
        ..cx.action(Op::Channel, channel)
    })
}

/// Whether an operation of a channel is enabled.
pub(super) fn status(state: &State, action: &Action) -> Status {
    let note = state.thread(action.thread).core.note;
    let until = Until::of(note & 3).unwrap_or(Until::Now);
    match is_ready(state, action.object.0, until, note >> 2) {
        true => Status::Enabled,
        false => Status::Blocked,
    }
}

/// What a blocked operation waits for.
pub(super) fn blocked_text(state: &State, action: &Action, name: &str) -> String {
    match Until::of(state.thread(action.thread).core.note & 3) {
        Some(Until::Room) => format!("waits for room in the channel in {name}"),
        _ => format!("waits for a message of the channel in {name}"),
    }
}

fn begin(cx: &mut Cx<'_>, _: u16) -> Performed {
    let action = cx.state.pending()[cx.thread.index()].action;
    let core = cx.state.own_core(cx.thread);
    core.note = 0;
    core.enter_block(u32::MAX, action);
    Performed::Done(Flow::word(0), Outcome::Done)
}

fn end_prepare(cx: &mut Cx<'_>) -> Prepared {
    let core = cx.state.own_core(cx.thread);
    if core.is_within_channel() {
        core.leave_block();
    }
    Prepared::Immediate(Flow::word(0))
}

fn end(_: &mut Cx<'_>, _: u16) -> Performed {
    Performed::Done(Flow::word(0), Outcome::Done)
}

#[cfg(test)]
mod tests {
    use super::{Until, has_come};

    #[test]
    fn a_channel_with_a_limit_is_full_one_lap_behind() {
        // Two places: the mark is 4, and a lap has 8 positions.
        let mark = 4;
        for (head, tail, room, message) in [
            (0, 0, true, false),
            (0, 1, true, true),
            (0, 8, false, true),
            (1, 8, true, true),
            (8, 8, true, false),
            (0, 8 | mark, true, true),
            (8, 8 | mark, true, true),
        ] {
            assert_eq!(has_come(Until::Room, head, tail, mark), room, "{head} {tail}");
            assert_eq!(
                has_come(Until::LimitedMessage, head, tail, mark),
                message,
                "{head} {tail}"
            );
        }
    }

    #[test]
    fn a_channel_without_a_limit_has_flags_in_its_lowest_bits() {
        for (head, tail, message) in [
            (0, 0, false),
            (1, 0, false),
            (0, 2, true),
            (2, 2, false),
            (2, 3, true),
        ] {
            assert_eq!(has_come(Until::Message, head, tail, 1), message, "{head} {tail}");
        }
    }
}

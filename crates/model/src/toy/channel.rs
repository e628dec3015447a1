//! Channels of toys: queues with two places. As in Rust's library, who sends looks at the next
//! place and at how far senders have come, and who receives at the next place and at how far
//! receivers have come; the other side's word counts only where there is no message, or no room.

use super::compile::{Code, PLACES, Slot, Value};
use super::machine::ToyMachine;
use crate::{Action, Op, Passed};

/// How far receivers and senders of a channel had come.
#[derive(Clone, Copy)]
pub(super) struct Before {
    channel: Slot,
    head: i32,
    tail: i32,
    ended: i32,
}

impl ToyMachine {
    pub(super) fn has_ended(&self, channel: Slot) -> bool {
        self.get(channel + 2) != 0
    }

    pub(super) fn is_empty(&self, channel: Slot) -> bool {
        self.get(channel) == self.get(channel + 1)
    }

    pub(super) fn is_full(&self, channel: Slot) -> bool {
        (self.get(channel + 1) - self.get(channel)).rem_euclid(2 * PLACES) == PLACES
    }

    /// Returns whether the message was sent.
    pub(super) fn send(&mut self, t: usize, channel: Slot, message: Value) -> bool {
        if self.has_ended(channel) || self.is_full(channel) {
            return false;
        }
        let tail = self.get(channel + 1);
        self.set(place(channel, tail), self.operand(t, message));
        self.set(channel + 1, (tail + 1) % (2 * PLACES));
        true
    }

    /// The message, if there is one.
    pub(super) fn receive(&mut self, channel: Slot) -> Option<i32> {
        if self.is_empty(channel) {
            return None;
        }
        let head = self.get(channel);
        let message = self.get(place(channel, head));
        self.set(place(channel, head), 0);
        self.set(channel, (head + 1) % (2 * PLACES));
        Some(message)
    }

    /// What is to be known before an action, to say what it has passed on.
    pub(super) fn before_passing(&self, t: usize, action: &Action) -> Option<Before> {
        if action.op != Op::Channel {
            return None;
        }
        let (Code::Send(channel, ..) | Code::Receive(channel, ..) | Code::HangUp(channel)) =
            self.code(t, self.pc(t))
        else {
            return None;
        };
        Some(Before {
            channel,
            head: self.get(channel),
            tail: self.get(channel + 1),
            ended: self.get(channel + 2),
        })
    }

    /// The action, with the message that it has passed on.
    pub(super) fn having_passed(&self, action: Action, before: Before) -> Action {
        let (head, tail) = (self.get(before.channel), self.get(before.channel + 1));
        let number = |position: i32| (position % PLACES) as u32;
        if tail != before.tail {
            return action.having(Passed::Sent(number(before.tail)));
        }
        if head != before.head {
            return action.having(Passed::Received(number(before.head)));
        }
        if self.get(before.channel + 2) != before.ended {
            return action.having(Passed::Disconnected);
        }
        action
    }
}

/// The place of a channel at a position.
const fn place(channel: Slot, position: i32) -> Slot {
    channel + 3 + (position % PLACES) as Slot
}

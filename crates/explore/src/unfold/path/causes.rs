//! What comes before a thread's next action: its causes, and what its thread knows by
//! synchronisation.

use super::{Path, Used};
use crate::unfold::event::{Clock, EventId, Last, Store, join, last};
use crate::unfold::label::Label;
use selvedge_base::{Id, ThreadId};
use selvedge_model::{Detector, Effect, Event as Taken, Fingerprint, Op, Undo};
use smallvec::SmallVec;

impl<M: Undo + Fingerprint, D: Detector<M>> Path<M, D> {
    /// True if a thread that took this action after `causes` and other events can do nothing else
    /// after `causes` alone.
    pub(super) fn is_sole(&self, store: &Store, taken: &Taken, causes: &[Last]) -> bool {
        if taken.alternatives > 1 {
            return false;
        }
        match taken.action.op {
            Op::WaitTimeout => false,
            // No thread that waits there has gone meanwhile.
            Op::Signal => {
                let history = self.history_of(store, taken.action.object.0);
                history.iter().all(|used| {
                    let action = &store[used.event].action;
                    let stays = matches!(
                        action.op,
                        Op::WaitRelease
                            | Op::WaitAcquire
                            | Op::WaitReleaseWord
                            | Op::FutexWait
                            | Op::FutexWoken
                    );
                    !action.cancelable && (stays || Self::below(used, causes))
                })
            }
            _ => true,
        }
    }

    /// The causes of a thread's next action, and the last event that owned the same mutex.
    pub(super) fn causes(&self, store: &Store, thread: ThreadId, what: &Label) -> (Clock, EventId) {
        let mut clock = Clock::new();
        let before = last(&self.clock, thread).event();
        if before.is_some() {
            join(&mut clock, &store[before].clock);
        }
        let waker = self.woken[thread.index()];
        if waker.is_some() {
            join(&mut clock, &store[waker].clock);
        }
        let mut owner = EventId::NONE;
        let relation = &store.relation;
        for mine in &what.uses {
            let history = self.history(mine.slot);
            if mine.effect == Effect::Own && !owner.is_some() {
                owner = history
                    .iter()
                    .rev()
                    .find(|u| matches!(u.what.effect, Effect::Own | Effect::Total))
                    .map_or(EventId::NONE, |u| u.event);
            }
            for used in history.iter().rev() {
                let total = relation.is_total(used.what.effect) && mine.bytes & !used.what.bytes == 0;
                let labels = || (what, &*store[used.event].what);
                if !Self::below(used, &clock) && relation.uses_depend(mine, &used.what, labels) {
                    join(&mut clock, &store[used.event].clock);
                }
                if total {
                    break;
                }
            }
        }
        (clock, owner)
    }

    /// For each thread, the number of its events that are known by synchronisation to a thread that
    /// now takes an action. `incomplete`: the action takes effect only with the data choice that
    /// follows.
    pub(super) fn knows(
        &self,
        store: &Store,
        thread: ThreadId,
        what: &Label,
        incomplete: bool,
    ) -> Box<[u32]> {
        let mut knows: SmallVec<[u32; 8]> = SmallVec::new();
        let mut learn = |e: EventId, whole: bool| {
            if !e.is_some() {
                return;
            }
            let event = &store[e];
            let own = event.thread.index();
            let len = event.knows.len().max(own + 1);
            if knows.len() < len {
                knows.resize(len, 0);
            }
            for (mine, &theirs) in knows.iter_mut().zip(&event.knows) {
                *mine = (*mine).max(theirs);
            }
            if event.thread != thread {
                // Its accesses after its action came later.
                knows[own] = knows[own].max(event.depth - u32::from(!whole));
            }
        };
        learn(last(&self.clock, thread).event(), false);
        let waker = self.woken[thread.index()];
        if waker.is_some() && store[waker].action.op.teaches_named() {
            learn(waker, false);
        }
        // A failing operation neither acquires nor releases.
        for mine in what.uses.iter().filter(|_| !what.ending.failed && !incomplete) {
            let history = self.history(mine.slot);
            match mine.effect {
                Effect::Own | Effect::Share => {
                    for used in history.iter().rev() {
                        match used.what.effect {
                            _ if store[used.event].ending.failed || store[used.event].incomplete => {}
                            Effect::Own => {
                                learn(used.event, false);
                                break;
                            }
                            Effect::Share if mine.effect == Effect::Own => {
                                let gives_back = store[used.event].action.op == Op::RdUnlock;
                                learn(if gives_back { used.event } else { EventId::NONE }, false);
                            }
                            Effect::Share | Effect::Test => {}
                            _ => break,
                        }
                    }
                }
                Effect::Take => {
                    // Only posts since the semaphore was initialised.
                    let history = history.iter().rev();
                    let posts = history.take_while(|u| u.what.effect != Effect::Total);
                    let posts = posts.filter(|u| u.what.effect == Effect::Post);
                    posts.for_each(|u| learn(u.event, false));
                }
                // The last arrival acquires from those of its round.
                Effect::Arrive if !what.ending.named.is_empty() => {
                    let ends = |u: &&Used| {
                        u.what.effect == Effect::Total
                            || (u.what.effect == Effect::Arrive && !store[u.event].ending.named.is_empty())
                    };
                    let round = history.iter().rev().take_while(|u| !ends(u));
                    for used in round.filter(|u| u.what.effect == Effect::Arrive) {
                        learn(used.event, false);
                    }
                }
                Effect::Join => {
                    let ends = history.iter().filter(|u| u.what.effect == Effect::Exit);
                    ends.for_each(|u| learn(u.event, true));
                }
                _ => {}
            }
        }
        knows.as_slice().into()
    }
}

//! Sections of a mutex as one event: see `peeking.rs`.
//!
//! What a section will do in a state is found by doing it, and going back. That is also how a
//! section is compared that sleeps, so nothing has to be stored with sleep sets. The mutex itself
//! is used in a class that is independent of itself. So a section depends on another one only
//! through the accesses of both, and passes nothing on to it (neither dependence nor a clock). A
//! section of which the accesses are not known depends on each section of its mutex: one that
//! cannot be taken yet, or that stopped inside.

use super::contents::{Contents, KNOWN, UNKNOWN};
use super::{Halt, Search};
use crate::dpor::set::Set;
use crate::dpor::weaken::Weaken;
use selvedge_base::Id;
use selvedge_model::{
    Action, Choice, Dependence, Detector, Event, Op, OpClass, Outcome, Published, Status, Undo,
};
use std::rc::Rc;

/// The longest section, in actions.
const LONGEST: u32 = 10_000;

/// What comes after an action of a section.
enum Next {
    /// Another action of the section.
    Within,
    /// The section has ended.
    Ended,
    /// The thread stopped inside: a fault, a limit, an assumption that is false.
    Stopped,
    /// The section holds what it must not.
    Refused,
}

impl<S, M, D, P> Search<'_, S, M, D, P>
where
    S: Set,
    M: Undo,
    D: Detector<M>,
    P: Dependence,
{
    /// What the thread's next action does, if that is a section that is one event.
    pub(super) fn section_at(&mut self, thread: usize) -> Option<Rc<Contents>> {
        let peeking = self.peeking.filter(|_| self.config.peek)?;
        let pending = &self.machine.pending()[thread];
        let mutex = pending.action.object.0;
        let plain = pending.action.op == Op::Lock
            && pending.action.object2.0 == 0
            && !pending.action.cancelable
            && !pending.action.blocks.is_some();
        if !plain || !peeking.suits(mutex) {
            return None;
        }
        if pending.status != Status::Enabled {
            // As published, a section counts for what it is seen to do.
            let class = self.relation.published().map_or(UNKNOWN, |_| KNOWN);
            return Some(Rc::new(Contents::new(mutex, class)));
        }
        if let Some((_, known)) = self.peeked.iter().find(|(of, _)| *of == thread) {
            return Some(known.clone()).filter(|known| known.whole);
        }
        let contents = Rc::new(self.peek(thread, mutex));
        self.peeked.push((thread, contents.clone()));
        Some(contents).filter(|contents| contents.whole)
    }

    /// Takes a section, notes what it does, and goes back.
    fn peek(&mut self, thread: usize, mutex: u64) -> Contents {
        let mut contents = Contents::new(mutex, KNOWN);
        let mark = self.machine.mark();
        let mut actions = 0;
        loop {
            let pending = self.machine.pending()[thread];
            if actions > 0 && pending.action.op != Op::Unlock {
                let uses = self.uses_of(&pending.action);
                uses.into_iter().for_each(|used| contents.add(used));
            }
            actions += 1;
            let single = pending.alternatives == 1;
            let event = self.machine.step(only(&pending.action));
            match self.next_within(thread, mutex, &event) {
                Next::Within if single && actions < LONGEST => {}
                Next::Ended if single => break,
                Next::Stopped => {
                    let known = self.weaken.is(Weaken::SectionStops) || self.relation.published().is_some();
                    if !known {
                        contents.uses[0].2 = UNKNOWN;
                    }
                    break;
                }
                _ => {
                    match self.relation.published() {
                        Some(_) => contents.whole = false,
                        None => self.refuse(mutex),
                    }
                    break;
                }
            }
        }
        self.machine.undo(mark);
        contents
    }

    /// What comes after an action of a section that was just taken.
    fn next_within(&self, thread: usize, mutex: u64, event: &Event) -> Next {
        let gives_back = |action: &Action| {
            action.op == Op::Unlock && action.object.0 == mutex && action.thread.index() == thread
        };
        if event.outcome == Outcome::Failed && !event.action.is_memory() {
            return Next::Refused;
        }
        if gives_back(&event.action) || self.machine.parts().iter().any(|part| gives_back(&part.action)) {
            return Next::Ended;
        }
        let pending = &self.machine.pending()[thread];
        let action = &pending.action;
        let simple = match action.op {
            Op::Read | Op::Write | Op::Rmw | Op::Add => !action.blocks.is_some(),
            Op::Yield => true,
            Op::Unlock => action.object.0 == mutex,
            _ => false,
        };
        match pending.status {
            Status::Parked => Next::Stopped,
            Status::Enabled if simple && !action.cancelable => Next::Within,
            _ if self.weaken.is(Weaken::SectionContents) => Next::Ended,
            _ => Next::Refused,
        }
    }

    /// Ends the exploration, because the sections of a mutex must not be one event each.
    #[cold]
    fn refuse(&mut self, mutex: u64) {
        if let Some(peeking) = self.peeking {
            peeking.refuse(mutex);
            self.job.halt = Some(Halt::Refused);
        }
    }

    /// Takes the top node's child, which is a section. Returns as [`step`](Self::step).
    pub(super) fn step_section(&mut self, thread: usize, sleep: S, section: &Contents) -> (S, usize) {
        let asleep = self.still_asleep_after(sleep, None, &section.uses);
        self.look_at_section(thread, section);
        if self.job.halt.is_some() {
            return (asleep, thread);
        }
        match self.config.sleep_sets {
            true => self.reverse_races(thread),
            false => self.meet(self.nodes.len() - 1, thread, Some(section)),
        }
        if self.relation.published().is_some() {
            self.order.look_sections(section.mutex, KNOWN, thread);
        }
        self.take_section(thread, section, true);
        self.forget_peeked(asleep, thread);
        self.observe_published(thread, &section.uses);
        self.search(thread);
        if self.control.is_stopped() {
            self.job.halt = Some(Halt::Limit(self.control.limit()));
        }
        (asleep, thread)
    }

    /// Searches for the predecessors of a section.
    pub(super) fn look_at_section(&mut self, thread: usize, section: &Contents) {
        self.order.look_uses_of(self.relation, &section.uses, thread);
        if self.weaken.is(Weaken::SectionClocks) {
            self.order.look_sections(section.mutex, KNOWN, thread);
        }
        self.check_sections(thread, Some(section), &[]);
    }

    /// Checks that a section has no uncovered predecessor but sections of its mutex, and anything
    /// else no section.
    fn check_sections(&mut self, thread: usize, section: Option<&Contents>, uses: &[(u64, u8, OpClass)]) {
        if self.relation.published().is_some() {
            return;
        }
        let mutex = section.map_or(0, |section| section.mutex);
        let uses = section.map_or(uses, |section| &section.uses[..]);
        let mut refused = None;
        self.order
            .for_each_dependent(self.relation, uses, thread, |key, other| {
                let left_out = match mutex == key || other == key {
                    true => self.weaken.is(Weaken::SectionMutex),
                    false => self.weaken.is(Weaken::SectionAccesses),
                };
                if mutex != other && !left_out {
                    refused = Some((mutex, other));
                }
            });
        if let Some((one, other)) = refused {
            for mutex in [one, other] {
                if mutex != 0 {
                    self.refuse(mutex);
                }
            }
        }
    }

    /// Checks an action that is no section, after the search for its predecessors.
    pub(super) fn check_action(&mut self, thread: usize) {
        let uses = self.uses_of(&self.machine.pending()[thread].action);
        self.check_sections(thread, None, &uses);
    }

    /// Takes the actions of a section, and records them as one event. `counts`: what they report is
    /// of this search.
    pub(super) fn take_section(&mut self, thread: usize, section: &Contents, counts: bool) {
        let (mut ends, mut first) = (false, true);
        loop {
            let choice = only(&self.machine.pending()[thread].action);
            let event = self.machine.step(choice);
            self.schedule.push(choice);
            if std::mem::take(&mut first) {
                self.choices.push(choice);
            }
            ends |= event.action.ends;
            self.detector.event(&self.machine, &event, &mut self.faults);
            self.note_published(&event.action);
            let next = self.next_within(thread, section.mutex, &event);
            if counts {
                self.job.record.statistics.events += 1;
                self.unseen.events += 1;
                self.report();
            } else {
                self.faults.clear();
                self.job.record.stays_open(self.machine.notices());
            }
            if matches!(next, Next::Refused) && self.job.halt.is_none() {
                // It went another way when it was peeked at: a solver had an answer.
                self.refuse(section.mutex);
            }
            if !matches!(next, Next::Within) || self.job.halt.is_some() {
                break;
            }
        }
        self.count = self.machine.pending().len();
        self.enabled = self.enabled_now();
        self.record_section(thread, section, ends);
    }

    /// Adds a section to the order, and the parts of its last action.
    fn record_section(&mut self, thread: usize, section: &Contents, ends: bool) {
        self.note_moved(thread);
        self.order.record(self.relation, thread, ends);
        self.order.is_section_of(section.mutex);
        for part in self.machine.parts() {
            let action = &part.action;
            if action.op == Op::Unlock && action.object.0 == section.mutex {
                continue;
            }
            let mover = action.thread.index();
            self.order.record_part(self.relation, action, mover);
            if mover != thread {
                self.locals
                    .assign(mover, super::is_local(&self.machine.pending()[mover].action));
                self.known.remove(mover);
            }
        }
    }

    /// The members of `sleep` that an action about to be taken does not wake. Its uses are given,
    /// and the action itself if it is no section.
    pub(super) fn still_asleep_after(
        &mut self,
        sleep: S,
        action: Option<&Action>,
        uses: &[(u64, u8, OpClass)],
    ) -> S {
        let (mut left, mut asleep) = (sleep, sleep);
        while let Some(other) = left.pop() {
            let wakes = match (self.section_at(other), action) {
                (None, Some(action)) if self.relation.published().is_none() => self
                    .relation
                    .dependent(action, &self.machine.pending()[other].action),
                (None, _) => {
                    let theirs = self.uses_of(&self.machine.pending()[other].action);
                    self.share(uses, &theirs)
                }
                (Some(section), _) if self.weaken.is(Weaken::SectionSleep) => {
                    self.share(uses, &section.uses[..1])
                }
                (Some(section), _) => self.share(uses, &section.uses),
            };
            if wakes && !self.weaken.is(Weaken::Wakeups) {
                asleep.remove(other);
            }
        }
        asleep
    }

    /// Whether two lists have uses that may not commute.
    fn share(&self, ours: &[(u64, u8, OpClass)], theirs: &[(u64, u8, OpClass)]) -> bool {
        // What sleeps cannot be asked for by a later read.
        let pruned = |class: OpClass| match class {
            Published::PRUNED => class.bit(),
            _ => 0,
        };
        meet(ours, theirs, |class| {
            self.relation.dependent_classes(class) | self.relation.published().map_or(0, |_| pruned(class))
        })
    }

    /// After an event of `thread`: what is known of sections stays known of the threads that sleep,
    /// because the event was independent of them.
    pub(super) fn forget_peeked(&mut self, asleep: S, thread: usize) {
        self.peeked
            .retain(|(of, _)| *of != thread && asleep.contains(*of));
    }
}

/// The only alternative of an action.
fn only(action: &Action) -> Choice {
    Choice {
        thread: action.thread,
        alternative: 0,
    }
}

/// Whether two lists have uses of common bytes in classes that `classes` relates.
pub(super) fn meet(
    ours: &[(u64, u8, OpClass)],
    theirs: &[(u64, u8, OpClass)],
    classes: impl Fn(OpClass) -> u32,
) -> bool {
    ours.iter().any(|&(key, bytes, class)| {
        let related = classes(class);
        let meets = |other: &(u64, u8, OpClass)| {
            other.0 == key && other.1 & bytes != 0 && other.2.bit() & related != 0
        };
        theirs.iter().any(meets)
    })
}

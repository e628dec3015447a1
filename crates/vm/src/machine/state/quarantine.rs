//! Dead slots of heap objects and escaping locals, until they are reused (`Options::quarantine`).
//!
//! A slot belongs to the thread for which it was made, and only that thread reuses it. If more dead
//! slots of that size wait than the quarantine's length, the slot that has waited longest is
//! reused. If another thread frees an object, it carries the slot until it synchronises. An unlock
//! (or a post, or an atomic write) leaves the slots that its thread carries at the object. The next
//! thread that takes the lock takes them along (where the memory orders say that one synchronises
//! with the other). The join of a thread takes the slots that the joined thread still carries, and
//! one that is begun again gets its slots from its creator. So a
//! slot is reused only if the end of its object happens before. Each move is part of an event that
//! depends on all other events which use the same place; so what an event moves does not depend on
//! independent events. Slots may get lost on the way to their thread; then others are used.
//!
//! While no slot is reused (`Options::many_dead`), none is moved either: the arenas alone tell how
//! many are dead. So it makes no difference to a state which thread has freed an object.
//!
//! Reuse can hide one kind of error: the use of a dead object by a thread that does not synchronise
//! with the thread that reuses its slot. That is a data race, too.

use super::place::{DeadChange, Place};
use super::{State, Undo};
use crate::memory::{AllocError, Kind, Life, Object, Parts, Site, class_for};
use selvedge_base::ThreadId;
use selvedge_model::{Action, Needs, Op, Synchronises};
use std::rc::Rc;

impl State {
    /// See [`Vm::has_many_dead`](crate::Vm::has_many_dead).
    pub(crate) fn has_many_dead(&self) -> bool {
        self.many_dead
    }

    /// The first addresses of the dead slots at a place.
    pub(crate) fn dead(&self, place: Place) -> &[u64] {
        self.dead.get(&place).map_or(&[], Vec::as_slice)
    }

    /// All places with dead slots, in no particular order.
    pub(crate) fn all_dead(&self) -> impl Iterator<Item = (Place, &[u64])> {
        self.dead.iter().map(|(&place, slots)| (place, &slots[..]))
    }

    /// Changes the dead slots at a place.
    fn change_dead(&mut self, place: Place, change: impl FnOnce(&mut Vec<u64>) -> DeadChange) {
        let dead = Rc::make_mut(&mut self.dead);
        let slots = dead.entry(place).or_default();
        let change = change(slots);
        if slots.is_empty() {
            dead.remove(&place);
        }
        self.log.dead.push((place, change));
        self.log.entries.push(Undo::Dead);
    }

    fn set_dead(&mut self, place: Place, slots: Vec<u64>) {
        self.change_dead(place, |there| {
            DeadChange::Replaced(std::mem::replace(there, slots))
        });
    }

    /// Makes an object in a thread's region: in a slot that has waited long enough, or in a new
    /// slot.
    pub(crate) fn allocate(&mut self, owner: u32, object: Object, align: u64) -> Result<u64, AllocError> {
        if let Some(length) = self.modes.quarantine
            && matches!(object.kind, Kind::Heap | Kind::Stack)
            && let Some(class) = class_for(object.size, align)
            && let place = Place::Waiting(owner, class)
            && let Some((&base, rest)) = self.dead(place).split_first()
            && rest.len() as u64 >= u64::from(length)
        {
            self.change_dead(place, |slots| DeadChange::Taken(slots.remove(0)));
            self.forget_syncs(base, self.memory.slot_size(base));
            self.memory.reuse(base, object);
            return Ok(base);
        }
        let base = self.memory.allocate(owner, object, align)?;
        if let Some(many) = self.modes.many_dead
            && matches!(object.kind, Kind::Heap | Kind::Stack)
            && self.memory.has_many_dead(base, many)
        {
            self.many_dead = true;
        }
        Ok(base)
    }

    /// Ends an object for good. Its slot may be reused later.
    pub(crate) fn end_object(&mut self, thread: ThreadId, base: u64, life: Life, site: Site) {
        let known = self.memory.object_at(base);
        self.memory.end_object(base, life, site);
        if let Some((base, object)) = known
            && self.modes.quarantine.is_some()
            && matches!(object.kind, Kind::Heap | Kind::Stack)
        {
            self.receive(thread, &[base]);
        }
    }

    /// Gives a thread slots that were elsewhere, in order: its own slots wait, and it carries the
    /// others.
    fn receive(&mut self, thread: ThreadId, slots: &[u64]) {
        let region = self.thread(thread).region;
        for &base in slots {
            let Some(parts) = Parts::of(base).filter(|parts| parts.owner != 0) else {
                continue;
            };
            let place = if parts.owner == region {
                Place::Waiting(parts.owner, parts.class)
            } else {
                Place::Carried(region)
            };
            self.change_dead(place, |there| {
                // What waits is in the order of arrival, what is carried in the order of addresses.
                let index = match place == Place::Carried(region) {
                    true => there.partition_point(|&slot| slot < base),
                    false => there.len(),
                };
                there.insert(index, base);
                DeadChange::Added(index)
            });
        }
    }

    /// A thread gives another one the slots of that one which it carries.
    pub(super) fn hand_back(&mut self, from: ThreadId, to: ThreadId) {
        let carried = Place::Carried(self.thread(from).region);
        let region = self.thread(to).region;
        let is_theirs = |slot: &u64| Parts::of(*slot).is_some_and(|parts| parts.owner == region);
        let (theirs, others): (Vec<u64>, Vec<u64>) =
            self.dead(carried).iter().partition(|slot| is_theirs(slot));
        if !theirs.is_empty() {
            self.set_dead(carried, others);
            self.receive(to, &theirs);
        }
    }

    fn take_along(&mut self, thread: ThreadId, place: Place) {
        let slots = self.dead(place).to_vec();
        if !slots.is_empty() {
            self.set_dead(place, Vec::new());
            self.receive(thread, &slots);
        }
    }

    fn lose(&mut self, place: Place) {
        if !self.dead(place).is_empty() {
            self.set_dead(place, Vec::new());
        }
    }

    fn leave_at(&mut self, thread: ThreadId, object: u64) {
        let carried = Place::Carried(self.thread(thread).region);
        let slots = self.dead(carried).to_vec();
        if !slots.is_empty() {
            self.set_dead(carried, Vec::new());
            let place = Place::Left(object);
            let mut there = self.dead(place).to_vec();
            there.extend(slots);
            there.sort_unstable();
            self.set_dead(place, there);
        }
    }

    /// Moves slots at the beginning of a step with this action. An action that may not order
    /// anything moves none.
    pub(crate) fn pass_on(&mut self, action: &Action) {
        if self.dead.is_empty() {
            return;
        }
        let (thread, object) = (action.thread, action.object.0);
        let info = action.op.info();
        // An action that waits until it succeeds.
        let certain = info.needs == Needs::Object;
        match info.synchronises {
            Synchronises::Taken | Synchronises::TakenFromAll | Synchronises::Take if certain => {
                self.take_along(thread, Place::Left(object));
            }
            Synchronises::WaitEnds => self.take_along(thread, Place::Left(action.object2.0)),
            Synchronises::GivenBack | Synchronises::SharedGivenBack | Synchronises::Post => {
                self.leave_at(thread, object);
            }
            Synchronises::WordGivenBack => {
                self.lose(Place::Left(action.object2.0));
                self.leave_at(thread, action.object2.0);
            }
            Synchronises::WaitBegins => self.leave_at(thread, action.object2.0),
            // Reads move nothing, because they do not depend on each other.
            Synchronises::Memory if action.op != Op::Read && !action.may_fail => {
                // A write ends the release sequences there; a read-modify-write continues them. An
                // addition acquires nothing.
                if action.op == Op::Write {
                    self.lose(Place::Left(object));
                } else if action.op != Op::Add && action.order.acquires() {
                    self.take_along(thread, Place::Left(object));
                }
                if action.order.releases() {
                    self.leave_at(thread, object);
                }
            }
            Synchronises::ThreadEnd => {
                if let Some(joined) = action.object.as_thread() {
                    self.take_along(thread, Place::Carried(self.thread(joined).region));
                }
            }
            Synchronises::Nothing
            | Synchronises::Creation
            | Synchronises::Taken
            | Synchronises::TakenFromAll
            | Synchronises::Take
            | Synchronises::TakenShared
            | Synchronises::Notification
            | Synchronises::Arrival
            | Synchronises::Departure
            | Synchronises::Sleeps
            | Synchronises::OnceEntered
            | Synchronises::OnceDone
            | Synchronises::SetUp
            | Synchronises::Memory
            | Synchronises::Block
            | Synchronises::HandedOn => {}
        }
    }
}

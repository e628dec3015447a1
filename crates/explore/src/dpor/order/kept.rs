//! A list of all uses in the execution, for relations that refine. With such a relation, classes do
//! not determine on which of a thread's uses an action depends, and the last use does not make the
//! others redundant.

use super::{Looked, Tick, Use};
use selvedge_base::{Id, ThreadId};
use selvedge_model::{Action, Dependence, ObjectId, OpClass, Use as ModelUse};

/// The uses, in the order in which they were taken.
#[derive(Default)]
pub(super) struct Kept {
    uses: Vec<KeptUse>,
    /// The action of the last search.
    action: Option<Action>,
}

pub(super) struct KeptUse {
    pub tick: Tick,
    pub thread: u32,
    key: u64,
    bytes: u8,
    class: OpClass,
    pub action: Action,
}

impl Kept {
    /// The uses that write some of these bytes of an object, the latest first.
    pub fn writes(&self, key: u64, bytes: u8) -> impl Iterator<Item = &KeptUse> {
        let writes =
            move |used: &&KeptUse| used.key == key && used.bytes & bytes != 0 && is_write(used.class);
        self.uses.iter().rev().filter(writes)
    }

    /// True if the list is empty.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.uses.is_empty()
    }

    /// Sets the action that is recorded next.
    pub fn set_action(&mut self, action: &Action) {
        self.action = Some(*action);
    }

    /// Returns to the state after this number of events.
    #[inline]
    pub fn undo(&mut self, events: usize) {
        while self.uses.last().is_some_and(|used| used.tick as usize > events) {
            self.uses.pop();
        }
    }

    /// Records the uses of the action of the last search, and the thread's end if it ended with the
    /// action.
    #[cold]
    pub fn record(&mut self, uses: &[Use], ends: bool, thread: usize, tick: Tick) {
        let Some(action) = self.action else { return };
        let end = ends.then(|| {
            let object = ObjectId::thread(ThreadId::from_index(thread));
            (object.0, u8::MAX, OpClass::Exit)
        });
        let uses = uses.iter().map(|used| (used.key, used.bytes, used.class));
        for (key, bytes, class) in uses.chain(end) {
            self.uses.push(KeptUse {
                tick,
                thread: thread as u32,
                key,
                bytes,
                class,
                action,
            });
        }
    }

    /// Records the uses of another action.
    #[cold]
    pub fn record_action(&mut self, action: &Action, thread: usize, tick: Tick) {
        action.for_each_use(|key, bytes, class| {
            self.uses.push(KeptUse {
                tick,
                thread: thread as u32,
                key,
                bytes,
                class,
                action: *action,
            });
        });
    }

    /// Calls `f` with the uses before `end` on which an action depends and that the clock of its
    /// thread does not cover: the object's key, and the event that was found.
    #[cold]
    pub fn look<P: Dependence>(
        &self,
        relation: &P,
        action: &Action,
        (clock, end): (&[Tick], Tick),
        mut f: impl FnMut(u64, Looked),
    ) {
        action.for_each_use(|key, bytes, class| {
            let dependent = relation.dependent_classes(class);
            let racing = relation.racing_classes(class);
            let mine = ModelUse {
                action,
                ended: None,
                object: key,
                bytes,
            };
            for used in &self.uses {
                let theirs = ModelUse {
                    action: &used.action,
                    bytes: used.bytes,
                    ..mine
                };
                let depends = used.tick < end
                    && used.tick > clock[used.thread as usize]
                    && used.key == key
                    && used.bytes & bytes != 0
                    && dependent & used.class.bit() != 0
                    && relation.refine(&mine, &theirs);
                if depends {
                    let found = Looked {
                        tick: used.tick,
                        thread: used.thread,
                        races: racing & used.class.bit() != 0,
                    };
                    f(key, found);
                }
            }
        });
    }
}

/// Whether uses in a class write.
const fn is_write(class: OpClass) -> bool {
    matches!(class, OpClass::Write | OpClass::Add)
}

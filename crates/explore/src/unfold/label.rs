//! Labels: what events do, without their causes. Many events share a label.

use hashbrown::HashTable;
use rustc_hash::{FxHashMap, FxHasher};
use selvedge_base::{Id, ThreadId};
use selvedge_model::{Action, Effect, Op, for_each_effect};
use smallvec::SmallVec;
use std::hash::{Hash, Hasher};
use std::rc::Rc;

/// A use of an object by an event.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Use {
    /// The object.
    pub object: u64,
    /// Its number; see [`Labels::known_slot`].
    pub slot: u32,
    /// Its bytes.
    pub bytes: u8,
    /// The kind of use.
    pub effect: Effect,
}

/// How an action ended, in names that do not depend on the interleaving.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Ending {
    /// True if it failed: [`Outcome::Failed`](selvedge_model::Outcome::Failed).
    pub failed: bool,
    /// The chosen alternative, if there was a choice.
    pub decision: u128,
    /// The threads that its outcome names, sorted.
    pub named: SmallVec<[ThreadId; 2]>,
}

/// The action of an event, and how it ends.
#[derive(Debug)]
pub struct Label {
    /// The action. Threads have their names of the unfolding.
    pub action: Action,
    /// How it ended.
    pub ending: Ending,
    /// The effects on its objects.
    pub uses: SmallVec<[Use; 2]>,
    /// True if it is a data choice that completes another action. Then it has the effects of that
    /// action.
    pub continues: bool,
    /// A number that is the same wherever the label occurs; see [`weight`].
    pub weight: u64,
    /// A hash of the thread and of the parts that [`same_name`](Self::same_name) compares.
    pub(super) hash: u64,
}

impl Label {
    fn new(action: &Action, ending: &Ending, uses: SmallVec<[Use; 2]>) -> Label {
        let mut hasher = FxHasher::default();
        match action.op {
            Op::Choose => (action.thread, ending.decision).hash(&mut hasher),
            _ => (action.thread, ending).hash(&mut hasher),
        }
        Label {
            action: *action,
            ending: ending.clone(),
            uses,
            continues: false,
            weight: weight(action, ending),
            hash: hasher.finish(),
        }
    }

    /// True if two labels of one thread give events with the same causes the same name.
    ///
    /// For a data choice, the decision and the causes determine the rest: whether the action that
    /// it completes fails, and which threads it names. Alternatives get their names before they are
    /// executed, when only the decision is known.
    pub fn same_name(&self, other: &Label) -> bool {
        if self.action.op == Op::Choose && other.action.op == Op::Choose {
            return self.ending.decision == other.ending.decision;
        }
        self.ending == other.ending
    }
}

/// All labels, and numbers for the objects that they use.
#[derive(Debug, Default)]
pub struct Labels {
    index: HashTable<(u64, Rc<Label>)>,
    slots: FxHashMap<u64, u32>,
}

impl Labels {
    /// The label of an action that ended in this way.
    pub fn of(&mut self, action: &Action, ending: &Ending) -> Rc<Label> {
        let mut hasher = FxHasher::default();
        let Action {
            object,
            object2,
            stmt,
            op,
            thread,
            ends,
            ..
        } = *action;
        (object, object2, stmt, thread, (op, ends), ending).hash(&mut hasher);
        let hash = hasher.finish();
        let same =
            |(h, known): &(u64, Rc<Label>)| *h == hash && known.action == *action && known.ending == *ending;
        if let Some((_, known)) = self.index.find(hash, same) {
            return Rc::clone(known);
        }
        let label = Rc::new(Label::new(action, ending, self.uses(action, ending)));
        let entry = (hash, Rc::clone(&label));
        self.index.insert_unique(hash, entry, |&(h, _)| h);
        label
    }

    /// The label of a data choice on which the effect of another action depends. It has the uses of
    /// that action and its own uses, because its thread may end with it.
    pub fn continuing(&mut self, action: &Action, ending: &Ending, other: &Label) -> Rc<Label> {
        let mut uses = other.uses.clone();
        uses.extend(self.uses(action, ending));
        Rc::new(Label {
            continues: true,
            ..Label::new(action, ending, uses)
        })
    }

    /// The number of an object, from 0, in the order in which objects were found.
    fn slot(&mut self, object: u64) -> u32 {
        let next = self.slots.len() as u32;
        *self.slots.entry(object).or_insert(next)
    }

    /// The number of an object, if a label uses it.
    pub fn known_slot(&self, object: u64) -> Option<u32> {
        self.slots.get(&object).copied()
    }

    fn uses(&mut self, action: &Action, ending: &Ending) -> SmallVec<[Use; 2]> {
        let mut uses = SmallVec::new();
        for_each_effect(action, ending.failed, &ending.named, |object, bytes, effect| {
            uses.push(Use {
                object,
                slot: self.slot(object),
                bytes,
                effect,
            });
        });
        uses
    }
}

/// A number for an event's label. Threads that came first and first alternatives have smaller
/// numbers, so the events that are explored first tend to be the least. A hash decides between the
/// others.
///
/// The decision of a data choice is left out: if states are equal except for the names of their
/// inputs, equal events have different names. Everything that follows from the decision is left
/// out, too.
fn weight(action: &Action, ending: &Ending) -> u64 {
    let mut hasher = FxHasher::default();
    let Action {
        object,
        object2,
        stmt,
        op,
        thread,
        ..
    } = *action;
    let Ending {
        failed,
        decision,
        named,
    } = ending;
    let mut alternative = 0;
    if op == Op::Choose {
        (object, object2, stmt, op).hash(&mut hasher);
    } else {
        alternative = (*decision).min(u128::from(u8::MAX)) as u64;
        (object, object2, stmt, op, failed, decision, named).hash(&mut hasher);
    }
    (thread.index() as u64 + 1) << 48 | alternative << 40 | hasher.finish() >> 24
}

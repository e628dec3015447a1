//! What events do, apart from their causes: many do the same, and share it.

use hashbrown::HashTable;
use rustc_hash::{FxHashMap, FxHasher};
use selvedge_base::{Id, ThreadId};
use selvedge_model::{Action, Effect, Op, for_each_effect};
use smallvec::SmallVec;
use std::hash::{Hash, Hasher};
use std::rc::Rc;

/// A use of an object by an event: which, which of its bytes, how.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Use {
    /// The object.
    pub object: u64,
    /// Its number; see [`Labels::known_slot`].
    pub slot: u32,
    /// Its bytes.
    pub bytes: u8,
    /// How.
    pub effect: Effect,
}

/// How an action ended, in names that do not depend on the interleaving.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Ending {
    /// It failed: [`Outcome::Failed`](selvedge_model::Outcome::Failed).
    pub failed: bool,
    /// What was chosen, if there was a choice.
    pub decision: u128,
    /// The threads that it names, sorted.
    pub named: SmallVec<[ThreadId; 2]>,
}

/// What an event does, and how it ends.
#[derive(Debug)]
pub struct Label {
    /// What happens. Threads under their names of the unfolding.
    pub action: Action,
    /// How it ended.
    pub ending: Ending,
    /// What that does to which objects.
    pub uses: SmallVec<[Use; 2]>,
    /// It is a data choice that completes another action, and does to objects what that one does.
    pub continues: bool,
    /// A number for it, the same wherever it is done again.
    pub weight: u64,
    /// A hash of the thread and of what counts for [names](Self::same_name).
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

    /// Whether two labels of one thread give events with the same causes the same name.
    ///
    /// What a data choice decides and its causes say the rest: whether the action fails that it
    /// completes, whom that names. Alternatives have their names before they are executed, when
    /// only the decision is known.
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
    /// The label of an action that ended so.
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

    /// The label of a data choice on which the effect of another action depends: it does to objects
    /// what that one does, and what it does itself, for its thread may end with it.
    pub fn continuing(&mut self, action: &Action, ending: &Ending, other: &Label) -> Rc<Label> {
        let mut uses = other.uses.clone();
        uses.extend(self.uses(action, ending));
        Rc::new(Label {
            continues: true,
            ..Label::new(action, ending, uses)
        })
    }

    /// The number of an object, from 0, in the order in which they were met.
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

/// A number for what an event is, without its causes. Threads that came first have smaller ones,
/// and first alternatives have, so that what is explored first tends to be the least; between the
/// others a hash decides.
///
/// What a data choice decides is left out: where a state is known but for the names of its inputs,
/// the same event has another name. So is what follows from that.
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

//! The dependence relation on events.

use super::label::{Label, Use};
use selvedge_model::{Action, Conflict, Dependence, Effect, Ended, OpClass, Use as ModelUse};
use std::fmt;
use std::rc::Rc;

const ALL: u32 = (1 << Effect::COUNT) - 1;

/// A relation, with its table of effects cached.
#[derive(Clone)]
pub struct Relation {
    effects: [u32; Effect::COUNT],
    refines: bool,
    whole: Rc<dyn Dependence>,
}

impl Default for Relation {
    fn default() -> Relation {
        Relation::new(Rc::new(Conflict))
    }
}

impl fmt::Debug for Relation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Relation").finish_non_exhaustive()
    }
}

impl Relation {
    /// Wraps a relation.
    pub fn new(whole: Rc<dyn Dependence>) -> Relation {
        Relation {
            effects: Effect::ALL.map(|effect| whole.dependent_effects(effect)),
            refines: whole.refines(),
            whole,
        }
    }

    /// True if pairs that the tables relate may be independent.
    #[inline]
    pub const fn refines(&self) -> bool {
        self.refines
    }

    /// True if two uses by different threads are dependent. `labels`: the labels to which they
    /// belong.
    #[inline]
    pub fn uses_depend<'a>(&self, x: &Use, y: &Use, labels: impl FnOnce() -> (&'a Label, &'a Label)) -> bool {
        x.slot == y.slot
            && x.bytes & y.bytes != 0
            && self.effects[x.effect as usize] & y.effect.bit() != 0
            && (!self.refines || self.refine(labels(), x, y))
    }

    #[cold]
    fn refine(&self, (a, b): (&Label, &Label), x: &Use, y: &Use) -> bool {
        // A data choice that completes an action has the uses of that action, but its own name.
        let whole = |label: &Label| !label.continues;
        let of = |label, used| model_use(label, used);
        !whole(a) || !whole(b) || self.whole.refine(&of(a, x), &of(b, y))
    }

    /// True if two labels of different threads have dependent uses.
    pub fn labels_depend(&self, a: &Label, b: &Label) -> bool {
        let mut uses = a.uses.iter();
        uses.any(|x| b.uses.iter().any(|y| self.uses_depend(x, y, || (a, b))))
    }

    /// True if two actions of different threads are dependent, however they end.
    pub fn actions_depend(&self, a: &Action, b: &Action) -> bool {
        self.whole.dependent(a, b)
    }

    /// True if every other use of an object is dependent on one with this effect. Then these uses
    /// are totally ordered in a configuration, and all earlier uses of the object are below such a
    /// use.
    #[inline]
    pub const fn is_total(&self, effect: Effect) -> bool {
        !self.refines && self.effects[effect as usize] == ALL
    }

    /// True if each effect that a use in a class may have is dependent on an effect.
    pub fn always_depends(&self, effect: Effect, class: OpClass) -> bool {
        let total = self.is_total(effect) || class == OpClass::Total && self.is_total(Effect::Total);
        // One that has sent does not use the receivers' word.
        total && !matches!(class, OpClass::Local | OpClass::Notified | OpClass::Channel)
    }
}

fn model_use<'a>(label: &'a Label, used: &Use) -> ModelUse<'a> {
    ModelUse {
        action: &label.action,
        ended: Some(Ended {
            failed: label.ending.failed,
            decision: label.ending.decision,
        }),
        object: used.object,
        bytes: used.bytes,
    }
}

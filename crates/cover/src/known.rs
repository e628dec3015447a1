//! Objects that no call has initialised ([`Object::Met`]), and whether a native program can tell
//! them apart.
//!
//! Such an object has the address that its first operation finds. Before that operation its
//! address is unknown, and another thread may already arrive at its own operation on it. That
//! thread knows the addresses of the objects that it has used itself. If the address is none of
//! these, and it can arrive there at the operation on one unknown object only, then it is that
//! object; the runtime compares the addresses when the operation is done. With two unknown objects
//! the set is refused.
//!
//! Memory may be used again. A [`Recorder`](crate::Recorder) refuses an object that is first used
//! when an earlier one is no longer alive, so addresses of different objects differ.

use crate::plan::{Plan, State};
use selvedge_schedule::cover::{Cover, Label, Object, Target};
use std::collections::BTreeSet;

/// What a thread knows in a state, whatever led to it.
#[derive(Clone)]
struct Known {
    /// The objects on which it has done an operation.
    used: BTreeSet<usize>,
    /// The objects of the operation that it has arrived at.
    next: BTreeSet<usize>,
}

impl Known {
    fn meet(&mut self, other: &Known) {
        self.used.retain(|object| other.used.contains(object));
        self.next.retain(|object| other.next.contains(object));
    }
}

/// The objects of an operation that no call has initialised.
fn met<'a>(cover: &'a Cover, label: &Label) -> impl Iterator<Item = usize> + use<'a> {
    let objects = match label.target {
        Target::Object(object) => [Some(object), None],
        Target::Wait(condition, mutex) => [Some(condition), Some(mutex)],
        Target::Nothing | Target::Thread(_) => [None, None],
    };
    let is_met = |&object: &usize| matches!(cover.objects.get(object), Some(Object::Met(..)));
    objects.into_iter().flatten().filter(is_met)
}

impl Plan {
    /// Whether an operation is on an object that no call has initialised.
    pub fn has_met(&self, cover: &Cover) -> bool {
        self.met(cover).is_some()
    }

    /// An object that no call has initialised, and on which there is an operation.
    pub fn met(&self, cover: &Cover) -> Option<usize> {
        self.labels.iter().find_map(|label| met(cover, label).next())
    }

    /// An object of the set, which has one part, that a native program could confuse with another
    /// one.
    pub fn ambiguous(&self, cover: &Cover) -> Option<usize> {
        if !self.has_met(cover) {
            return None;
        }
        let mut known: Vec<Option<Known>> = vec![None; self.states.len()];
        let mut arrives = vec![false; self.states.len()];
        let learn = |known: &mut Vec<Option<Known>>, state: usize, what: Known| match &mut known[state] {
            Some(before) => before.meet(&what),
            none => *none = Some(what),
        };
        for &state in &self.start[0] {
            let nothing = Known {
                used: BTreeSet::new(),
                next: BTreeSet::new(),
            };
            learn(&mut known, state, nothing);
            arrives[state] = true;
        }
        // A state leads only to states with smaller numbers.
        for state in (0..self.states.len()).rev() {
            let Some(here) = known[state].clone() else {
                continue;
            };
            match &self.states[state] {
                State::End | State::Pass { .. } => {}
                State::Own(cases) => {
                    for &(label, next) in cases {
                        let mut there = here.clone();
                        there.next = met(cover, &self.labels[label]).collect();
                        learn(&mut known, next, there);
                    }
                }
                State::Ask(_, _, cases) => {
                    cases
                        .iter()
                        .for_each(|case| learn(&mut known, case.1, here.clone()));
                }
                State::Do { next, .. } => {
                    let there = Known {
                        used: here.used.union(&here.next).copied().collect(),
                        next: BTreeSet::new(),
                    };
                    learn(&mut known, *next, there);
                    arrives[*next] = true;
                }
            }
        }
        let arrivals = (0..self.states.len()).filter(|&state| arrives[state]);
        arrivals
            .filter_map(|state| Some((state, known[state].as_ref()?)))
            .find_map(|(state, known)| self.confused(cover, state, known))
    }

    /// An object that may be another one for a thread that arrives at an operation from a state.
    fn confused(&self, cover: &Cover, state: usize, known: &Known) -> Option<usize> {
        let mut labels = BTreeSet::new();
        self.arrivals(state, &mut labels);
        let labels: Vec<&Label> = labels.into_iter().map(|label| &self.labels[label]).collect();
        let unknown = |label: &&&Label| met(cover, label).find(|object| !known.used.contains(object));
        labels.iter().find_map(|label| {
            let alike = labels.iter().filter(|other| other.operation == label.operation);
            let unknowns = alike.filter_map(|other| unknown(&other)).count();
            unknown(&label).filter(|_| unknowns > 1)
        })
    }

    /// The labels that a thread may arrive at from a state.
    fn arrivals(&self, state: usize, labels: &mut BTreeSet<usize>) {
        match &self.states[state] {
            State::Own(cases) => labels.extend(cases.iter().map(|case| case.0)),
            State::Ask(_, _, cases) => cases.iter().for_each(|case| self.arrivals(case.1, labels)),
            State::Do { .. } | State::End | State::Pass { .. } => {}
        }
    }
}

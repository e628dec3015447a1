//! Explorations whose executions are divided where loops go round, with general states at the
//! begins of parts (`--epochs`).
//!
//! Expressions belong to a machine, and so do facts about states. So one machine is used for all
//! explorations of a program, and is undone between them.

use crate::machines::stepping_machine;
use selvedge_base::{Digest, Domain, Id, ThreadId};
use selvedge_cover::{Collector, Names, Optimisation, Recorder, Without, is_ordered};
use selvedge_explore::ordered::{self, Begins, Choosing, Decisions, Generalise, Junctions, Pace, Parts};
use selvedge_explore::{Config, Control, Report};
use selvedge_model::{Machine, Undo};
use selvedge_vm::{Generalised, Program, Vm};
use std::sync::Arc;

/// The exploration begins again at most so many times.
const MOST_TRIES: usize = 1000;

static STAND: Domain = Domain::new("operation that a thread is about to do");

/// What the operation is that a thread is about to do, as a schedule says it. Where in the program
/// it is makes no difference: no other thread of a native program knows that.
pub(crate) fn stand(vm: &Vm, thread: ThreadId) -> Digest {
    let action = vm.pending()[thread.index()].action;
    let words = [action.op as u64, action.object.0, action.object2.0];
    Digest::of_words(&STAND, &words)
}

/// A machine of a program, and what is known of its states.
pub(crate) struct Rounds {
    vm: Vm,
    general: General,
    /// No part begins before there are so many threads.
    pub(crate) threads: usize,
}

struct General {
    known: Generalised,
    /// Nothing more is generalised.
    is_fixed: bool,
}

impl Generalise<Vm> for General {
    fn arrive(&mut self, vm: &mut Vm) -> bool {
        vm.generalise(&mut self.known)
    }

    fn add(&mut self, vm: &Vm) -> bool {
        self.is_fixed || self.known.add(vm)
    }
}

impl Rounds {
    pub(crate) fn new(program: &Arc<Program>, threads: usize, without: &Without) -> Rounds {
        let known = match without.has(Optimisation::Facts) {
            true => Generalised::without_facts(),
            false => Generalised::default(),
        };
        Rounds {
            vm: stepping_machine(program).0,
            general: General {
                known,
                is_fixed: false,
            },
            threads,
        }
    }

    /// Explores until each state that was replaced is an instance of what was put in its place.
    /// `is_fixed`: nothing more is generalised, since another exploration has done that.
    pub(crate) fn explore(
        &mut self,
        (program, names): (&Arc<Program>, &dyn Names<Vm>),
        (collector, decisions, pace): (&Collector, &mut Decisions, &Pace),
        limits: (&Config, &Control),
        is_fixed: bool,
    ) -> Report {
        self.general.is_fixed = is_fixed;
        let mut tries = 0;
        loop {
            tries += 1;
            self.general.known.begin();
            let (_, detectors) = stepping_machine(program);
            let mut detectors = (
                detectors,
                Recorder::new(collector, names).of_rounds().of_general_states(),
            );
            let begins = Begins::Rounds {
                stand: &stand,
                threads: self.threads,
            };
            let mut junctions = Junctions::new(begins, Parts::Joined).generalised(&mut self.general);
            let mark = self.vm.mark();
            let choosing = Choosing {
                decisions: &mut *decisions,
                junctions: Some(&mut junctions),
                pace,
            };
            let machine = (&mut self.vm, &mut detectors);
            let report = ordered::explore(machine, &is_ordered, choosing, limits);
            let again = junctions.is_narrow() && tries < MOST_TRIES && !limits.1.is_stopped();
            self.threads = junctions.threads();
            self.vm.undo(mark);
            if !again {
                return report;
            }
            collector.forget();
        }
    }

    /// Whether states were generalised.
    pub(crate) fn are_general(&self) -> bool {
        self.general.known.is_used()
    }
}

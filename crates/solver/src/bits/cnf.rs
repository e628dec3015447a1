//! From a part of the circuit to clauses, and to batsat.
//!
//! Every query gets a new SAT solver with only the gates that its constraints need. Measurements
//! show that this is far faster than one solver that grows with the path. Clauses are Tseitin's. An
//! and-gate absorbs operands that are and-gates and are used nowhere else; an exclusive or absorbs
//! one such operand. So an equality of words is one gate, and a full adder two. Constraints are
//! assumptions, so a refutation names those that it used.

use super::gates::{Circuit, Gate, Lit};
use batsat::{Callbacks, ClauseKind, Lit as SatLit, Solver, SolverInterface, SolverOpts, Var, lbool};
use rustc_hash::FxHashMap;
use std::cell::Cell;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

/// When to give up.
#[derive(Clone, Default)]
pub(super) struct Budget {
    pub(super) conflicts: Option<u64>,
    pub(super) deadline: Option<Instant>,
    pub(super) stop: Option<Arc<AtomicBool>>,
}

/// The result of the SAT solver.
pub(super) enum Outcome {
    /// Values of the free gates that the constraints depend on.
    Satisfiable(FxHashMap<usize, bool>),
    /// Which of the constraints cannot hold together, as their numbers in ascending order.
    Unsatisfiable(Vec<usize>),
    /// The conflicts are used up.
    Conflicts,
    /// The time is used up.
    Late,
    /// It was told to stop.
    Stopped,
    /// The encoding is wrong: an error in this module.
    Broken,
}

/// Counts conflicts and checks the clock.
struct Watch {
    budget: Budget,
    conflicts: u64,
    asked: Cell<u32>,
    late: Cell<bool>,
    stopped: Cell<bool>,
}

impl Watch {
    fn new(budget: Budget) -> Watch {
        Watch {
            budget,
            conflicts: 0,
            asked: Cell::new(0),
            late: Cell::new(false),
            stopped: Cell::new(false),
        }
    }

    fn used_up(&self) -> bool {
        self.budget.conflicts.is_some_and(|most| self.conflicts >= most)
    }
}

impl Callbacks for Watch {
    fn on_new_clause(&mut self, _: &[SatLit], kind: ClauseKind) {
        if kind == ClauseKind::Learnt {
            self.conflicts += 1;
        }
    }

    fn stop(&self) -> bool {
        // This is called at every decision; the clock is read at some of them.
        let asked = self.asked.get().wrapping_add(1);
        self.asked.set(asked);
        if asked.is_multiple_of(256) {
            let late = self.budget.deadline.is_some_and(|end| Instant::now() >= end);
            let told = self
                .budget
                .stop
                .as_ref()
                .is_some_and(|stop| stop.load(Ordering::Relaxed));
            self.late.set(late);
            self.stopped.set(told);
        }
        self.used_up() || self.late.get() || self.stopped.get()
    }
}

/// The data of a gate while one query is encoded.
#[derive(Clone, Copy, Default)]
struct Note {
    /// The query to which this note belongs; a note of an older query is invalid.
    query: u32,
    /// The number of uses of the gate, plus `OWN` if it needs a variable in any case.
    uses: u32,
    /// Whether the gate gets a variable.
    needed: bool,
    variable: Option<Var>,
}

const OWN: u32 = 1 << 16;

/// Encodes queries; keeps its scratch space between them.
#[derive(Default)]
pub(super) struct Encoder {
    notes: Vec<Note>,
    query: u32,
    /// Gates of the query.
    cone: Vec<usize>,
    definitions: Vec<Lit>,
    leaves: Vec<Lit>,
    clause: Vec<SatLit>,
    conflicts: u64,
    /// True if an operand had no variable. This is an internal error.
    broken: Cell<bool>,
}

impl Encoder {
    /// Searches for values of the free gates with which all constraints hold. `phase` says which
    /// value of a free gate to try first.
    pub(super) fn solve(
        &mut self,
        circuit: &Circuit,
        constraints: &[Lit],
        phase: impl Fn(usize) -> Option<bool>,
        budget: &Budget,
    ) -> Outcome {
        if let Some(number) = constraints.iter().position(|&lit| lit == Lit::FALSE) {
            return Outcome::Unsatisfiable(vec![number]);
        }
        self.conflicts = 0;
        self.broken.set(false);
        self.collect(circuit, constraints);
        let mut sat = Solver::new(SolverOpts::default(), Watch::new(budget.clone()));
        if !self.encode(circuit, &mut sat, phase) {
            return if sat.cb().stopped.get() {
                Outcome::Stopped
            } else {
                Outcome::Late
            };
        }
        for number in 0..self.definitions.len() {
            let lit = self.sat_lit(self.definitions[number]);
            self.add(&mut sat, &[lit]);
        }
        if self.broken.get() {
            return Outcome::Broken;
        }
        let assumptions: Vec<SatLit> = constraints
            .iter()
            .filter(|lit| !lit.is_constant())
            .map(|&lit| self.sat_lit(lit))
            .collect();
        let answer = sat.solve_limited(&assumptions);
        self.conflicts = sat.num_conflicts();
        if answer == lbool::TRUE {
            let values = self.cone.iter().filter_map(|&gate| {
                let variable = self.notes[gate].variable?;
                (circuit.gate(gate) == Gate::Free).then(|| (gate, sat.value_var(variable) == lbool::TRUE))
            });
            Outcome::Satisfiable(values.collect())
        } else if answer == lbool::FALSE {
            let used = |lit: Lit| !lit.is_constant() && sat.unsat_core_contains_var(self.sat_lit(lit).var());
            let core = (0..constraints.len()).filter(|&number| used(constraints[number]));
            Outcome::Unsatisfiable(core.collect())
        } else if sat.cb().used_up() {
            Outcome::Conflicts
        } else if sat.cb().stopped.get() {
            Outcome::Stopped
        } else {
            Outcome::Late
        }
    }

    /// Conflicts of the last query.
    pub(super) fn conflicts(&self) -> u64 {
        self.conflicts
    }

    /// Finds the gates that the constraints and their definitions need, and decides which gates get
    /// variables.
    fn collect(&mut self, circuit: &Circuit, constraints: &[Lit]) {
        self.query += 1;
        self.notes.resize(circuit.len(), Note::default());
        self.cone.clear();
        self.definitions.clear();
        for &lit in constraints {
            self.visit(lit, OWN);
        }
        let mut next = 0;
        while let Some(&gate) = self.cone.get(next) {
            next += 1;
            if let Some(definition) = circuit.definition(gate)
                && definition != Lit::TRUE
                && !self.definitions.contains(&definition)
            {
                self.definitions.push(definition);
                self.visit(definition, OWN);
            }
            for lit in operands(circuit.gate(gate)).into_iter().flatten() {
                self.visit(lit, 1);
            }
        }
        // Operands come before the gates that use them.
        self.cone.sort_unstable();
        for index in (0..self.cone.len()).rev() {
            let gate = self.cone[index];
            let note = &mut self.notes[gate];
            note.needed |= note.uses >= OWN;
            if note.needed {
                self.find_leaves(circuit, gate);
                for index in 0..self.leaves.len() {
                    let leaf = self.leaves[index].gate();
                    self.notes[leaf].needed = true;
                }
            }
        }
    }

    fn visit(&mut self, lit: Lit, uses: u32) {
        if lit.is_constant() {
            return;
        }
        let note = &mut self.notes[lit.gate()];
        if note.query != self.query {
            *note = Note {
                query: self.query,
                ..Note::default()
            };
            self.cone.push(lit.gate());
        }
        note.uses = note.uses.saturating_add(uses);
    }

    /// The operands of a gate after it has absorbed those that only it uses.
    fn find_leaves(&mut self, circuit: &Circuit, gate: usize) {
        self.leaves.clear();
        let kind = circuit.gate(gate);
        match kind {
            Gate::And(..) => {
                let mut stack = vec![gate];
                while let Some(gate) = stack.pop() {
                    let Gate::And(a, b) = circuit.gate(gate) else {
                        continue;
                    };
                    for lit in [a, b] {
                        let inner = matches!(circuit.gate(lit.gate()), Gate::And(..));
                        if inner && !lit.is_negated() && self.notes[lit.gate()].uses == 1 {
                            stack.push(lit.gate());
                        } else {
                            self.leaves.push(lit);
                        }
                    }
                }
            }
            Gate::Xor(a, b) => {
                // At most three operands, because the number of clauses doubles with each.
                let inner = [(a, b), (b, a)].into_iter().find_map(|(inner, other)| {
                    match (circuit.gate(inner.gate()), self.notes[inner.gate()].uses) {
                        (Gate::Xor(x, y), 1) => Some([x, y, other]),
                        _ => None,
                    }
                });
                match inner {
                    Some(three) => self.leaves.extend(three),
                    None => self.leaves.extend([a, b]),
                }
            }
            _ => self.leaves.extend(operands(kind).into_iter().flatten()),
        }
    }

    /// Makes the clauses of all gates, unless time is up or it is told to stop.
    fn encode(
        &mut self,
        circuit: &Circuit,
        sat: &mut Solver<Watch>,
        phase: impl Fn(usize) -> Option<bool>,
    ) -> bool {
        for index in 0..self.cone.len() {
            if sat.cb().stop() {
                return false;
            }
            let gate = self.cone[index];
            if !self.notes[gate].needed {
                continue;
            }
            let kind = circuit.gate(gate);
            let first = match kind {
                Gate::Free => phase(gate).map_or(lbool::UNDEF, lbool::from),
                _ => lbool::UNDEF,
            };
            let variable = sat.new_var(first, true);
            self.notes[gate].variable = Some(variable);
            self.find_leaves(circuit, gate);
            let leaves: Vec<SatLit> = self.leaves.iter().map(|&lit| self.sat_lit(lit)).collect();
            self.gate_clauses(sat, kind, SatLit::new(variable, true), &leaves);
        }
        true
    }

    fn gate_clauses(&mut self, sat: &mut Solver<Watch>, kind: Gate, out: SatLit, leaves: &[SatLit]) {
        match (kind, leaves) {
            (Gate::And(..), _) => {
                for &leaf in leaves {
                    self.add(sat, &[!out, leaf]);
                }
                let mut clause: Vec<SatLit> = leaves.iter().map(|&leaf| !leaf).collect();
                clause.push(out);
                self.add(sat, &clause);
            }
            (Gate::Xor(..), _) => {
                // Forbid each assignment of the operands with the wrong result.
                for row in 0..1u32 << leaves.len() {
                    let mut clause: Vec<SatLit> = leaves
                        .iter()
                        .enumerate()
                        .map(|(bit, leaf)| leaf.apply_sign(row >> bit & 1 == 0))
                        .collect();
                    clause.push(out.apply_sign(row.count_ones() % 2 == 1));
                    self.add(sat, &clause);
                }
            }
            (Gate::Mux(..), &[condition, a, b]) => {
                self.add(sat, &[!condition, !a, out]);
                self.add(sat, &[!condition, a, !out]);
                self.add(sat, &[condition, !b, out]);
                self.add(sat, &[condition, b, !out]);
                // These are implied, but propagation finds them only if they are given.
                self.add(sat, &[!a, !b, out]);
                self.add(sat, &[a, b, !out]);
            }
            (Gate::Majority(..), &[a, b, c]) => {
                for (x, y) in [(a, b), (a, c), (b, c)] {
                    self.add(sat, &[!x, !y, out]);
                    self.add(sat, &[x, y, !out]);
                }
            }
            _ => {}
        }
    }

    fn add(&mut self, sat: &mut Solver<Watch>, clause: &[SatLit]) {
        self.clause.clear();
        self.clause.extend_from_slice(clause);
        // The result, whether the clauses can still hold, is checked when solving.
        sat.add_clause_reuse(&mut self.clause);
    }

    /// The SAT literal of a gate; every operand and constraint has a variable by the time it is
    /// asked for.
    fn sat_lit(&self, lit: Lit) -> SatLit {
        let note = self.notes[lit.gate()];
        let variable = note.variable.filter(|_| note.query == self.query);
        self.broken.set(self.broken.get() || variable.is_none());
        SatLit::new(variable.unwrap_or(Var::unsafe_from_idx(0)), !lit.is_negated())
    }
}

fn operands(gate: Gate) -> [Option<Lit>; 3] {
    match gate {
        Gate::False | Gate::Free => [None; 3],
        Gate::And(a, b) | Gate::Xor(a, b) => [Some(a), Some(b), None],
        Gate::Mux(a, b, c) | Gate::Majority(a, b, c) => [Some(a), Some(b), Some(c)],
    }
}

//! All schedules and inputs of a toy, each access a step of its own. It knows no independence: each
//! state that can be reached is entered once.

use super::{Number, Op, Place, REGISTERS, Toy};
use std::collections::{BTreeSet, HashSet};

/// Shared numbers: `a`, `f`, `g`, `d`, `n`, in this order.
const ARRAY: usize = 0;
const FIELD: usize = 4;
const IN_FIELD: usize = 6;
const MATRIX: usize = 10;
const SCALAR: usize = 14;
pub const SHARED: usize = 15;

#[derive(Clone, PartialEq, Eq, Hash)]
struct Thread {
    at: usize,
    started: bool,
    registers: [u8; REGISTERS],
    pointer: u8,
}

#[derive(Clone, PartialEq, Eq, Hash)]
struct State {
    shared: [u8; SHARED],
    pointer: u8,
    holders: [Option<usize>; 2],
    threads: Vec<Thread>,
}

/// What can come of a toy.
#[derive(Default, Debug)]
pub struct Outcomes {
    /// Thread and position of the assertions that can fail.
    pub failing: BTreeSet<(usize, usize)>,
    pub deadlock: bool,
    /// Threads can wait for each other's locks in a circle.
    pub circle: bool,
    /// The shared numbers, and the pointer as the last one, when all have ended.
    pub ends: BTreeSet<[u8; SHARED + 1]>,
    pub states: usize,
}

impl Outcomes {
    /// The outcomes, or `None` if the toy has more states than `most`.
    pub fn of(toy: &Toy, most: usize) -> Option<Outcomes> {
        let thread = |number| Thread {
            at: 0,
            started: number == 0,
            registers: [0; REGISTERS],
            pointer: 0,
        };
        let first = State {
            shared: [0; SHARED],
            pointer: 0,
            holders: [None; 2],
            threads: (0..toy.threads.len()).map(thread).collect(),
        };
        let (mut seen, mut todo) = (HashSet::from([first.clone()]), vec![first]);
        let mut outcomes = Outcomes::default();
        while let Some(state) = todo.pop() {
            if seen.len() > most {
                return None;
            }
            outcomes.circle |= (0..toy.threads.len()).any(|thread| state.is_in_circle(toy, thread));
            let (mut moved, mut ended) = (false, true);
            for thread in 0..toy.threads.len() {
                let at = state.threads[thread].at;
                let Some(&op) = toy.threads[thread].get(at) else {
                    continue;
                };
                ended = false;
                for next in state.after(toy, thread, op) {
                    moved = true;
                    match next {
                        None => {
                            outcomes.failing.insert((thread, at));
                        }
                        Some(next) => {
                            if seen.insert(next.clone()) {
                                todo.push(next);
                            }
                        }
                    }
                }
            }
            if ended {
                let mut end = [state.pointer; SHARED + 1];
                end[..SHARED].copy_from_slice(&state.shared);
                outcomes.ends.insert(end);
            } else if !moved {
                outcomes.deadlock = true;
            }
        }
        outcomes.states = seen.len();
        Some(outcomes)
    }
}

impl State {
    /// Whether a thread waits for a lock whose holder waits, and so on, back to the thread.
    fn is_in_circle(&self, toy: &Toy, thread: usize) -> bool {
        let waits_for = |thread: usize| {
            let me = &self.threads[thread];
            match toy.threads[thread].get(me.at) {
                Some(&Op::Lock(register)) if me.started => self.holders[usize::from(me.registers[register])],
                _ => None,
            }
        };
        let mut next = waits_for(thread);
        for _ in 0..toy.threads.len() {
            match next {
                Some(other) if other == thread => return true,
                Some(other) => next = waits_for(other),
                None => return false,
            }
        }
        false
    }

    /// The states to which a step of a thread leads, none if it is blocked; `None` where an
    /// assertion fails.
    fn after(&self, toy: &Toy, thread: usize, op: Op) -> Vec<Option<State>> {
        let me = &self.threads[thread];
        if !me.started {
            return Vec::new();
        }
        let mut next = self.clone();
        next.threads[thread].at += 1;
        let mine = &mut next.threads[thread];
        match op {
            Op::Set(register, number) => mine.registers[register] = me.number(number),
            Op::Input(register) => {
                let mut other = next.clone();
                other.threads[thread].registers[register] = 1;
                next.threads[thread].registers[register] = 0;
                return vec![Some(next), Some(other)];
            }
            Op::Load(register, place) => mine.registers[register] = self.shared[me.address(place)],
            Op::Store(place, number) => next.shared[me.address(place)] = me.number(number) & 3,
            Op::Put(register, number) => {
                next.shared[me.address(Place::Through(register))] = me.number(number) & 3;
            }
            Op::LoadPointer => mine.pointer = self.pointer,
            Op::SetPointer(number, first) => mine.pointer = me.number(number) + first,
            Op::StorePointer => next.pointer = me.pointer,
            Op::Lock(register) => {
                let lock = usize::from(me.registers[register]);
                if self.holders[lock].is_some() {
                    return Vec::new();
                }
                next.holders[lock] = Some(thread);
            }
            Op::Unlock(register) => next.holders[usize::from(me.registers[register])] = None,
            Op::Unless(register, number, to) => {
                if me.registers[register] != number {
                    mine.at = to;
                }
            }
            Op::Least(register, number, to) => {
                if me.registers[register] >= number {
                    mine.at = to;
                }
            }
            Op::Jump(to) => mine.at = to,
            Op::Assert(register, number) => {
                if me.registers[register] == number {
                    return vec![None];
                }
            }
            Op::Create(other) => next.threads[other].started = true,
            Op::Join(other) => {
                if self.threads[other].at < toy.threads[other].len() {
                    return Vec::new();
                }
            }
        }
        vec![Some(next)]
    }
}

impl Thread {
    fn number(&self, number: Number) -> u8 {
        let of = |register: usize| self.registers[register];
        match number {
            Number::Constant(n) => n,
            Number::Register(register) => of(register),
            Number::Plus(register, n) => of(register) + n,
            Number::And(register, mask) => of(register) & mask,
            Number::Twice(register, n) => (2 * of(register) + n) & 3,
        }
    }

    fn address(&self, place: Place) -> usize {
        let of = |register: usize| usize::from(self.registers[register]);
        match place {
            Place::Array(i) => ARRAY + of(i),
            Place::Field(i) => FIELD + of(i),
            Place::InField(i, j) => IN_FIELD + 2 * of(i) + of(j),
            Place::Matrix(i, j) => MATRIX + 2 * of(i) + of(j),
            Place::Scalar => SCALAR,
            Place::Through(i) => {
                of(i)
                    + match self.pointer {
                        within @ 0..3 => ARRAY + usize::from(within),
                        structure => IN_FIELD + 2 * usize::from(structure - 3),
                    }
            }
        }
    }
}

//! The solver of inclusion constraints against a fixpoint that is computed as naively as can be, on
//! random systems; where pointers walk for ever, each place that the naive one reaches must be in
//! what the solver says.

use selvedge_analysis::pointsto::{Constraint, Limits, Object, Offset, Solver, Target, TargetId, VarId};
use selvedge_base::Id;
use selvedge_ir::GlobalId;
use std::collections::{BTreeMap, BTreeSet};

const SYSTEMS: u64 = 20_000;
const VARIABLES: u32 = 7;
const OBJECTS: usize = 3;
/// Offsets beyond this are not looked at.
const FAR: i64 = 48;
/// With more pairs of variables or stored values and their members it stops: pointers walk.
const ENOUGH: usize = 250;

/// With more places in one object, some may have come about by more shifts than are told apart.
const MOST: usize = 6;

/// A place: object and offset.
type Place = (usize, Offset);

#[derive(Clone, Copy, Debug)]
enum Rule {
    Address(u32, usize, i64),
    Copy(u32, u32),
    Shift(u32, u32, i64, u64),
    Load(u32, u64, u32),
    Store(u32, u64, u32),
    Move(u32, u32, Option<u64>),
}

fn random(seed: u64) -> Vec<Rule> {
    let mut rng = fastrand::Rng::with_seed(seed);
    let count = rng.usize(3..16);
    let width = [8, 8, 8, 4, 1];
    let rules = (0..count).map(|_| {
        let (a, b) = (rng.u32(..VARIABLES), rng.u32(..VARIABLES));
        match rng.u32(..14) {
            0..4 => Rule::Address(a, rng.usize(..OBJECTS), 8 * rng.i64(0..3)),
            4..6 => Rule::Copy(a, b),
            6 => Rule::Shift(a, b, rng.i64(-8..17), 0),
            7 => Rule::Shift(
                a,
                b,
                8 * rng.i64(0..2),
                *rng.choice(&[0, 1, 8, 16, 24]).unwrap_or(&0),
            ),
            8..10 => Rule::Load(a, *rng.choice(&width).unwrap_or(&8), b),
            10..13 => Rule::Store(a, *rng.choice(&width).unwrap_or(&8), b),
            _ => Rule::Move(
                a,
                b,
                *rng.choice(&[None, Some(8), Some(16), Some(5)]).unwrap_or(&None),
            ),
        }
    });
    rules.collect()
}

#[derive(Clone, PartialEq, Default)]
struct Naive {
    sets: BTreeMap<u32, BTreeSet<Place>>,
    cells: BTreeMap<(usize, Offset, u64), BTreeSet<Place>>,
}

fn near(place: &Place) -> bool {
    place.1.parts().0.abs() <= FAR
}

/// Whether a load that overlaps with a stored value of its width reads all of it.
fn whole(load: Offset, cell: Offset, width: u64) -> bool {
    let ((a, s), (b, t)) = (load.parts(), cell.parts());
    // All pairs of bytes at which they may begin, near each other.
    let starts = |at: i64, stride: u64| (-60..60).map(move |k| at + k * stride as i64);
    starts(a, s).all(|x| starts(b, t).all(|y| x == y || (x - y).unsigned_abs() >= width))
}

impl Naive {
    fn of(rules: &[Rule]) -> (Naive, bool) {
        let (mut state, mut walks) = (Naive::default(), false);
        loop {
            let before = state.clone();
            for rule in rules {
                state.apply(*rule, &mut walks);
            }
            let members = state.sets.values().chain(state.cells.values());
            if members.map(BTreeSet::len).sum::<usize>() > ENOUGH {
                return (state, true);
            }
            if state == before {
                let walks = walks || (0..OBJECTS).any(|object| state.offsets(object) > MOST);
                return (state, walks);
            }
        }
    }

    /// How many places of an object there are.
    fn offsets(&self, object: usize) -> usize {
        let all = self.sets.values().chain(self.cells.values()).flatten();
        let offsets: BTreeSet<Offset> = all.filter(|p| p.0 == object).map(|p| p.1).collect();
        offsets.len()
    }

    fn set(&self, variable: u32) -> BTreeSet<Place> {
        self.sets.get(&variable).cloned().unwrap_or_default()
    }

    fn add(&mut self, variable: u32, places: BTreeSet<Place>, walks: &mut bool) {
        *walks |= !places.iter().all(near);
        let places = places.into_iter().filter(near);
        self.sets.entry(variable).or_default().extend(places);
    }

    fn apply(&mut self, rule: Rule, walks: &mut bool) {
        let any = |places: &BTreeSet<Place>| places.iter().map(|p| (p.0, Offset::ANY)).collect();
        match rule {
            Rule::Address(to, object, at) => self.add(to, [(object, Offset::exact(at))].into(), walks),
            Rule::Copy(from, to) => self.add(to, self.set(from), walks),
            Rule::Shift(from, to, offset, stride) => {
                let set = self.set(from);
                let shifted = set.iter().map(|p| (p.0, p.1.plus(offset, stride)));
                self.add(to, shifted.collect(), walks);
            }
            Rule::Load(pointer, width, to) => {
                for (object, offset) in self.set(pointer) {
                    for ((_, at, stored), values) in self.cells_of(object) {
                        if !offset.overlaps(Some(width), at, Some(stored)) {
                            continue;
                        }
                        match width == stored && whole(offset, at, width) {
                            true => self.add(to, values, walks),
                            false => self.add(to, any(&values), walks),
                        }
                    }
                }
            }
            Rule::Store(pointer, width, from) => {
                for (object, offset) in self.set(pointer) {
                    let values = self.set(from);
                    self.cells
                        .entry((object, offset, width))
                        .or_default()
                        .extend(values);
                }
            }
            Rule::Move(to, from, length) => {
                for (object, offset) in self.set(from) {
                    for ((_, at, stored), values) in self.cells_of(object) {
                        if !offset.overlaps(length, at, Some(stored)) {
                            continue;
                        }
                        let ((a, s), (b, t)) = (at.parts(), offset.parts());
                        let common = if s == 0 || t == 0 { s.max(t) } else { gcd(s, t) };
                        let stride = if common == 0 && a < b { 1 } else { common };
                        for (other, there) in self.set(to) {
                            let place = (other, there.plus(a - b, stride));
                            *walks |= !near(&place);
                            if near(&place) {
                                let key = (place.0, place.1, stored);
                                let values = if stride == 1 { any(&values) } else { values.clone() };
                                self.cells.entry(key).or_default().extend(values);
                            }
                        }
                    }
                }
            }
        }
    }

    fn cells_of(&self, object: usize) -> Vec<((usize, Offset, u64), BTreeSet<Place>)> {
        let of = |cell: &(&(usize, Offset, u64), _)| cell.0.0 == object;
        let cells = self.cells.iter().filter(of);
        cells.map(|(key, values)| (*key, values.clone())).collect()
    }
}

fn gcd(a: u64, b: u64) -> u64 {
    (1..=a.min(b))
        .rev()
        .find(|n| a.is_multiple_of(*n) && b.is_multiple_of(*n))
        .unwrap_or(1)
}

fn solve(rules: &[Rule], split: usize, limits: Limits) -> (Solver, Vec<VarId>) {
    let mut solver = Solver::with_limits(limits);
    let variables: Vec<VarId> = (0..VARIABLES).map(|_| solver.variable()).collect();
    for (i, rule) in rules.iter().enumerate() {
        if i == split {
            solver.solve();
        }
        let v = |n: u32| variables[n as usize];
        let constraint = match *rule {
            Rule::Address(to, object, at) => {
                let object = Object::Global(GlobalId::from_index(object));
                let target = solver.place(object, Offset::exact(at));
                Constraint::Address { to: v(to), target }
            }
            Rule::Copy(from, to) => Constraint::Copy {
                from: v(from),
                to: v(to),
            },
            Rule::Shift(from, to, offset, stride) => Constraint::Shift {
                from: v(from),
                to: v(to),
                offset,
                stride,
            },
            Rule::Load(pointer, width, to) => Constraint::Load {
                pointer: v(pointer),
                width: Some(width),
                to: v(to),
            },
            Rule::Store(pointer, width, from) => Constraint::Store {
                pointer: v(pointer),
                width,
                from: v(from),
            },
            Rule::Move(to, from, length) => Constraint::Move {
                to: v(to),
                from: v(from),
                length,
            },
        };
        solver.add(constraint);
    }
    solver.solve();
    (solver, variables)
}

fn places(solver: &Solver, variable: VarId) -> BTreeSet<Place> {
    let set = solver.set(variable).iter();
    set.map(|t| {
        let Target { object, offset } = solver.targets.place(TargetId::from_index(t as usize));
        match solver.targets.what(object) {
            Object::Global(global) => (global.index(), offset),
            other => panic!("{other:?} is in no system"),
        }
    })
    .collect()
}

#[test]
fn the_solution_is_the_naive_one() {
    let (mut equal, mut walking, mut members) = (0, 0, 0);
    for seed in 0..SYSTEMS {
        let rules = random(seed);
        let (naive, walks) = Naive::of(&rules);
        let split = seed as usize % (rules.len() + 1);
        let (solver, variables) = solve(&rules, split, Limits::default());
        for (number, &variable) in variables.iter().enumerate() {
            let expected = without_covered(naive.set(number as u32));
            let found = without_covered(places(&solver, variable));
            members += expected.len();
            if !walks {
                assert_eq!(found, expected, "seed {seed}, v{number}: {rules:#?}");
                continue;
            }
            for place in expected {
                assert!(
                    covers(&found, place),
                    "seed {seed}, v{number}: {place:?} is not in {found:?}: {rules:#?}"
                );
            }
        }
        equal += u64::from(!walks);
        walking += u64::from(walks);
    }
    assert!(
        equal > SYSTEMS / 2 && walking > SYSTEMS / 100,
        "{equal} {walking}"
    );
    assert!(members > 50_000, "{members}");
}

/// Sets of more than one object are one set here, so solutions are larger than the naive one.
#[test]
fn the_wide_set_has_what_the_naive_ones_have() {
    let (mut larger, mut members) = (0, 0);
    for seed in 0..SYSTEMS {
        let rules = random(seed);
        let (naive, walks) = Naive::of(&rules);
        let split = seed as usize % (rules.len() + 1);
        let (solver, variables) = solve(&rules, split, Limits { objects: 1 });
        for (number, &variable) in variables.iter().enumerate() {
            let expected = without_covered(naive.set(number as u32));
            let found = without_covered(places(&solver, variable));
            larger += u64::from(!walks && found != expected);
            members += expected.len();
            for place in expected {
                assert!(
                    covers(&found, place),
                    "seed {seed}, v{number}: {place:?} is not in {found:?}: {rules:#?}"
                );
            }
        }
    }
    assert!(larger > 1_000 && members > 50_000, "{larger} {members}");
}

/// Whether a set has all bytes of a place.
fn covers(set: &BTreeSet<Place>, (object, offset): Place) -> bool {
    set.iter().any(|p| p.0 == object && contains(p.1, offset))
}

/// Without the places in objects of which any byte is in the set.
fn without_covered(mut set: BTreeSet<Place>) -> BTreeSet<Place> {
    let all = set.clone();
    set.retain(|p| p.1 == Offset::ANY || !all.contains(&(p.0, Offset::ANY)));
    set
}

/// Whether one offset has all bytes of another.
fn contains(all: Offset, one: Offset) -> bool {
    let ((a, s), (b, t)) = (all.parts(), one.parts());
    match s {
        0 => (a, s) == (b, t),
        s => t % s == 0 && (a - b).rem_euclid(s as i64) == 0,
    }
}

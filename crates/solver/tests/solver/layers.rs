//! Every layer: random walks along paths that grow and shrink, by chains with and without it,
//! against truth tables.

use crate::random::{Generator, Tables, inputs};
use fastrand::Rng;
use selvedge_expr::{Arena, Assignment, Expr, eval};
use selvedge_solver::{Answer, At, Backend, Options, Query, Reason, Solver, Values, chain};
use selvedge_solver::{max, may_be_true, min, must_be_true, unique_value, values};

/// Each layer left out once, and used alone once.
fn variants() -> Vec<Options> {
    let all = Options::default();
    let none = Options {
        split: false,
        trivial: false,
        domain: false,
        independence: false,
        cache: false,
        ..Options::default()
    };
    let mut variants = vec![all.clone(), none.clone()];
    let layers: [fn(&mut Options) -> &mut bool; 5] = [
        |options| &mut options.split,
        |options| &mut options.trivial,
        |options| &mut options.domain,
        |options| &mut options.independence,
        |options| &mut options.cache,
    ];
    for layer in layers {
        for (base, on) in [(&all, false), (&none, true)] {
            let mut options = base.clone();
            *layer(&mut options) = on;
            variants.push(options);
        }
    }
    variants
}

/// One walk: constraints come and go at the end of the path, as in a depth-first search.
struct Walk<'a> {
    arena: &'a Arena,
    tables: Tables,
    path: Vec<Expr>,
    /// A model of the path at each of its lengths.
    hints: Vec<Assignment>,
}

impl Walk<'_> {
    fn hint(&self) -> &Assignment {
        &self.hints[self.path.len()]
    }

    /// Asks, compares with the table, and returns the model.
    fn ask(&mut self, solver: &mut dyn Solver, goal: &[Expr], with_hint: bool) -> Option<Assignment> {
        let all: Vec<Expr> = self.path.iter().chain(goal).copied().collect();
        let possible = self.tables.satisfying(self.arena, &all);
        let query = Query {
            path: &self.path,
            goal,
            hint: with_hint.then(|| self.hint()),
        };
        match solver.check(self.arena, &query) {
            Answer::Sat(model) => {
                assert!(!possible.is_empty(), "{all:?}");
                for &e in &all {
                    assert_ne!(eval(self.arena, e, &model), 0, "the model fails {e:?}");
                }
                Some((*model).clone())
            }
            Answer::Unsat => {
                assert!(possible.is_empty(), "{all:?}");
                let core = solver.core();
                if !core.is_empty() {
                    assert!(
                        self.tables.satisfying(self.arena, core).is_empty(),
                        "the core holds"
                    );
                }
                None
            }
            Answer::Unknown(reason) => panic!("{reason}"),
        }
    }
}

/// Calls `step` at each point of a random walk with the constraint to come.
fn walks(
    seed: u64,
    rounds: usize,
    mut start: impl FnMut(),
    mut step: impl FnMut(&mut Walk<'_>, Expr, &mut Rng, &mut Generator<'_>) -> Option<Assignment>,
) {
    let mut random = Rng::with_seed(seed);
    for round in 0..rounds {
        let arena = Arena::new();
        let widths: &[u8] = [
            &[2, 2, 2, 2, 1][..],
            &[8, 1],
            &[3, 3, 3],
            &[1; 9],
            &[9],
            &[4, 2, 1, 1, 1],
        ][round % 6];
        let pool = inputs(&arena, widths);
        let tables = Tables::new(&arena, &pool);
        let mut generator = Generator {
            arena: &arena,
            pool: pool.clone(),
            widths: vec![1, 2, 3, 4, 8, 9],
        };
        let mut walk = Walk {
            arena: &arena,
            tables,
            path: Vec::new(),
            hints: vec![Assignment::new()],
        };
        start();
        for _ in 0..30 {
            if random.u8(..4) == 0 {
                let keep = random.usize(..=walk.path.len());
                walk.path.truncate(keep);
                walk.hints.truncate(keep + 1);
            }
            // Mostly small constraints, over one input or two.
            match random.u8(..3) {
                0 => {
                    generator.grow(&mut random);
                }
                _ => generator.pool.truncate(pool.len() + 3),
            }
            let e = generator.truth(&mut random);
            if let Some(model) = step(&mut walk, e, &mut random, &mut generator) {
                walk.path.push(e);
                walk.hints.push(model);
            }
        }
    }
}

#[test]
fn chains_agree_with_truth_tables() {
    for (number, options) in (0..).zip(variants()) {
        let solver = std::cell::RefCell::new(chain(options.clone()));
        walks(
            number,
            60,
            || *solver.borrow_mut() = chain(options.clone()),
            |walk, e, random, _| {
                let mut solver = solver.borrow_mut();
                let hint = random.u8(..5) != 0;
                let other = walk.arena.not(e);
                if random.bool() {
                    walk.ask(&mut **solver, &[other], hint);
                }
                walk.ask(&mut **solver, &[e], hint)
            },
        );
    }
}

#[test]
fn goals_of_several_constraints() {
    let solver = std::cell::RefCell::new(chain(Options::default()));
    walks(
        100,
        150,
        || *solver.borrow_mut() = chain(Options::default()),
        |walk, e, random, generator| {
            let mut solver = solver.borrow_mut();
            let goal: Vec<Expr> = (0..random.usize(..3))
                .map(|_| generator.truth(random))
                .chain([e])
                .collect();
            walk.ask(&mut **solver, &goal, random.bool());
            walk.ask(&mut **solver, &[e], true)
        },
    );
}

#[test]
fn questions_about_values() {
    let solver = std::cell::RefCell::new(chain(Options::default()));
    let failed = |reason| -> ! { panic!("{reason}") };
    let evaluator = std::cell::RefCell::default();
    walks(
        200,
        120,
        || *solver.borrow_mut() = chain(Options::default()),
        |walk, e, random, generator| {
            let mut solver = solver.borrow_mut();
            let solver = &mut **solver;
            let asked = generator.pick(random);
            let rows = walk.tables.satisfying(walk.arena, &walk.path);
            let mut expected: Vec<u128> = rows
                .iter()
                .map(|&row| eval(walk.arena, asked, &walk.tables.assignments[row]))
                .collect();
            expected.sort_unstable();
            expected.dedup();
            let at = At {
                arena: walk.arena,
                path: &walk.path,
                hint: random.bool().then(|| walk.hint()),
                evaluator: &evaluator,
            };
            let least = min(solver, at, asked).unwrap_or_else(|reason| failed(reason));
            let greatest = max(solver, at, asked).unwrap_or_else(|reason| failed(reason));
            assert_eq!(
                (Some(&least), Some(&greatest)),
                (expected.first(), expected.last())
            );
            let unique = unique_value(solver, at, asked).unwrap_or_else(|reason| failed(reason));
            assert_eq!(unique, (expected.len() == 1).then_some(least));
            match values(solver, at, asked, 6).unwrap_or_else(|reason| failed(reason)) {
                Values::All(found) => {
                    let numbers: Vec<u128> = found.iter().map(|&(value, _)| value).collect();
                    assert_eq!(numbers, expected);
                    for (value, model) in found {
                        assert_eq!(eval(walk.arena, asked, &model), value);
                        assert!(walk.path.iter().all(|&e| eval(walk.arena, e, &model) != 0));
                    }
                }
                Values::TooMany => assert!(expected.len() > 6),
            }
            let holds = |e: Expr, row: &usize| eval(walk.arena, e, &walk.tables.assignments[*row]) != 0;
            let may = may_be_true(solver, at, e).unwrap_or_else(|reason| failed(reason));
            assert_eq!(may, rows.iter().any(|row| holds(e, row)));
            let must = must_be_true(solver, at, e).unwrap_or_else(|reason| failed(reason));
            assert_eq!(must, rows.iter().all(|row| holds(e, row)));
            walk.ask(solver, &[e], true)
        },
    );
}

/// Each refutation, and its core, by the other backend, too.
#[test]
fn backends_check_each_other() {
    for backend in [Backend::Both, Backend::Z3] {
        let options = Options {
            cross_check: true,
            backend,
            domain: false,
            ..Options::default()
        };
        let solver = std::cell::RefCell::new(chain(options.clone()));
        walks(
            300,
            10,
            || *solver.borrow_mut() = chain(options.clone()),
            |walk, e, _, _| walk.ask(&mut **solver.borrow_mut(), &[e], true),
        );
    }
}

#[test]
fn a_second_arena_is_noticed() {
    let mut solver = chain(Options::default());
    for (round, width) in [(0, 8), (1, 16)] {
        let arena = Arena::new();
        let input = inputs(&arena, &[width])[0];
        let goal = arena.compare(selvedge_expr::CmpOp::Ult, arena.constant(width, 7), input);
        let query = Query {
            path: &[],
            goal: &[goal],
            hint: Some(&Assignment::new()),
        };
        let answer = solver.check(&arena, &query);
        let noticed = matches!(answer, Answer::Unknown(Reason::Contradiction(_)));
        assert_eq!(noticed, round == 1, "{answer:?}");
    }
}

/// Inputs that have nothing to do with the goal keep the hint's values.
#[test]
fn the_hint_stays_where_it_can() {
    let arena = Arena::new();
    let pool = inputs(&arena, &[32, 32, 8]);
    let ten = arena.constant(32, 10);
    let path = [
        arena.compare(selvedge_expr::CmpOp::Ult, ten, pool[0]),
        arena.compare(selvedge_expr::CmpOp::Ne, pool[1], pool[0]),
    ];
    let hint: Assignment = [77, 5, 200]
        .into_iter()
        .zip(0..)
        .map(|(value, id)| (selvedge_expr::InputId(id), value))
        .collect();
    let goal = arena.compare(selvedge_expr::CmpOp::Eq, pool[2], arena.constant(8, 3));
    let query = Query {
        path: &path,
        goal: &[goal],
        hint: Some(&hint),
    };
    for options in variants().into_iter().filter(|options| options.independence) {
        let Answer::Sat(model) = chain(options).check(&arena, &query) else {
            panic!("not satisfied");
        };
        let values: Vec<u128> = model.iter().map(|(_, value)| value).collect();
        assert_eq!(values, [77, 5, 3]);
    }
}

//! The bit-blasting backend alone: against all values of narrow inputs, and against evaluation at
//! every width.

use crate::random::{Generator, Tables, compute_what_evaluation_does, inputs};
use fastrand::Rng;
use selvedge_base::usual_or_long;
use selvedge_expr::{Arena, CmpOp, Expr, eval};
use selvedge_solver::{Answer, Backend, Options, Query, Reason, Solver, chain};
use std::time::Duration;

fn bits() -> Box<dyn Solver> {
    chain(bare())
}

/// No layers.
pub(crate) fn bare() -> Options {
    Options {
        split: false,
        trivial: false,
        domain: false,
        independence: false,
        cache: false,
        backend: Backend::Bits,
        ..Options::default()
    }
}

#[test]
fn narrow_inputs_against_all_their_values() {
    let mut random = Rng::with_seed(11);
    let (mut sat, mut unsat) = (0, 0);
    for round in 0..usual_or_long(350, 700) as usize {
        let arena = Arena::new();
        let widths: &[u8] = [&[8][..], &[4, 4], &[3, 3, 2], &[1, 7], &[2, 2, 2, 1]][round % 5];
        let pool = inputs(&arena, widths);
        let mut tables = Tables::new(&arena, &pool);
        let mut generator = Generator {
            arena: &arena,
            pool,
            widths: vec![1, 2, 3, 4, 5, 8, 13],
        };
        let mut solver = bits();
        for _ in 0..25 {
            generator.grow(&mut random);
            generator.grow(&mut random);
            let path: Vec<Expr> = (0..random.usize(..4))
                .map(|_| generator.truth(&mut random))
                .collect();
            let goal = [generator.truth(&mut random)];
            let all: Vec<Expr> = path.iter().chain(&goal).copied().collect();
            let possible = tables.satisfying(&arena, &all);
            let query = Query {
                path: &path,
                goal: &goal,
                hint: None,
            };
            match solver.check(&arena, &query) {
                Answer::Sat(model) => {
                    assert!(!possible.is_empty(), "{all:?}");
                    assert!(all.iter().all(|&e| eval(&arena, e, &model) != 0));
                    sat += 1;
                }
                Answer::Unsat => {
                    assert!(possible.is_empty(), "{all:?}");
                    let core = solver.core();
                    assert!(!core.is_empty());
                    assert!(core.iter().all(|e| all.contains(e)));
                    assert!(tables.satisfying(&arena, core).is_empty(), "the core alone");
                    unsat += 1;
                }
                Answer::Unknown(reason) => panic!("{reason}"),
            }
        }
    }
    assert!(sat > 1_500 && unsat > 1_500, "{sat} {unsat}");
}

#[test]
fn circuits_compute_what_evaluation_does() {
    compute_what_evaluation_does(12, usual_or_long(24, 48), bits, |generator, random| {
        generator.grow(random)
    });
}

/// Two factors of a product of large primes.
fn factors(arena: &Arena) -> Vec<Expr> {
    let pool = inputs(arena, &[32, 32]);
    let wide: Vec<Expr> = pool.iter().map(|&e| arena.zext(e, 64)).collect();
    let product = arena.binary(selvedge_expr::BinOp::Mul, wide[0], wide[1]);
    let number = arena.constant(64, 2_654_435_761 * 3_266_489_917);
    let one = arena.constant(32, 1);
    vec![
        arena.compare(CmpOp::Eq, product, number),
        arena.compare(CmpOp::Ugt, pool[0], one),
        arena.compare(CmpOp::Ult, pool[0], pool[1]),
    ]
}

#[test]
fn a_limit_is_unknown() {
    let arena = Arena::new();
    let goal = factors(&arena);
    let query = Query {
        path: &[],
        goal: &goal,
        hint: None,
    };
    let time = Duration::from_millis(50);
    let mut solver = chain(Options {
        time: Some(time),
        ..bare()
    });
    let answer = solver.check(&arena, &query);
    assert!(matches!(answer, Answer::Unknown(Reason::Time(limit)) if limit == time));
    let mut solver = chain(Options {
        conflicts: Some(10),
        ..bare()
    });
    let answer = solver.check(&arena, &query);
    assert!(matches!(answer, Answer::Unknown(Reason::Conflicts(10))));
}

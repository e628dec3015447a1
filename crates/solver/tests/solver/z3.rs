//! Z3 alone: against evaluation, and against bit-blasting.

use crate::bits::bare;
use crate::random::{Generator, compute_what_evaluation_does, inputs};
use fastrand::Rng;
use selvedge_base::usual_or_long;
use selvedge_expr::{Arena, Expr, eval};
use selvedge_solver::{Answer, Backend, Options, Query, Reason, Solver, chain};
use std::time::Duration;

fn z3() -> Box<dyn Solver> {
    chain(Options {
        backend: Backend::Z3,
        ..bare()
    })
}

#[test]
fn terms_compute_what_evaluation_does() {
    compute_what_evaluation_does(31, usual_or_long(12, 30), z3, |generator, random| {
        generator.grow(random)
    });
}

#[test]
fn floats_compute_what_evaluation_does() {
    compute_what_evaluation_does(32, usual_or_long(16, 40), z3, |generator, random| {
        generator.grow_float(random)
    });
}

#[test]
fn z3_agrees_with_circuits() {
    let mut random = Rng::with_seed(33);
    let (mut sat, mut unsat) = (0, 0);
    for round in 0..usual_or_long(20, 40) as usize {
        let arena = Arena::new();
        let widths: &[u8] = [&[8, 8, 8][..], &[16, 16], &[12, 1, 20], &[32, 8]][round % 4];
        let mut generator = Generator {
            arena: &arena,
            pool: inputs(&arena, widths),
            widths: vec![1, 7, 8, 12, 16],
        };
        let limits = Options {
            time: Some(Duration::from_secs(2)),
            ..bare()
        };
        let mut solvers = [Backend::Bits, Backend::Z3].map(|backend| {
            chain(Options {
                backend,
                ..limits.clone()
            })
        });
        for _ in 0..12 {
            generator.grow(&mut random);
            let goal: Vec<Expr> = (0..random.usize(1..4))
                .map(|_| generator.truth(&mut random))
                .collect();
            let query = Query {
                path: &[],
                goal: &goal,
                hint: None,
            };
            let [first, second] = solvers.each_mut().map(|solver| solver.check(&arena, &query));
            for answer in [&first, &second] {
                if let Answer::Sat(model) = answer {
                    assert!(goal.iter().all(|&e| eval(&arena, e, model) != 0));
                }
            }
            match (first, second) {
                (Answer::Sat(_), Answer::Sat(_)) => sat += 1,
                (Answer::Unsat, Answer::Unsat) => unsat += 1,
                (Answer::Unknown(Reason::Time(_)), _) | (_, Answer::Unknown(Reason::Time(_))) => {}
                (first, second) => panic!("{first:?} and {second:?}: {goal:?}"),
            }
        }
    }
    assert!(sat > 50 && unsat > 25, "{sat} {unsat}");
}

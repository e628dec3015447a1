//! Queries as text: what is logged can be read and decided again.

use crate::random::{Generator, Tables, inputs};
use fastrand::Rng;
use selvedge_expr::{Arena, Expr};
use selvedge_solver::{Answer, Options, Query, Sink, chain, solve_text};
use std::sync::{Arc, Mutex};

#[test]
fn logged_queries_are_decided_alike() {
    let mut random = Rng::with_seed(51);
    let logged: Arc<Mutex<Vec<String>>> = Arc::default();
    let log = logged.clone();
    let sink = Sink::new(move |text| log.lock().expect("no panic before").push(text.to_owned()));
    let mut expected = Vec::new();
    for _ in 0..15 {
        let arena = Arena::new();
        let pool = inputs(&arena, &[4, 3, 1]);
        let mut tables = Tables::new(&arena, &pool);
        let mut generator = Generator {
            arena: &arena,
            pool,
            widths: vec![1, 3, 4, 8],
        };
        // Without layers, every query comes to the log.
        let mut solver = chain(Options {
            log: Some(sink.clone()),
            ..crate::bits::bare()
        });
        for _ in 0..10 {
            generator.grow(&mut random);
            let goal: Vec<Expr> = (0..3).map(|_| generator.truth(&mut random)).collect();
            let query = Query {
                path: &[],
                goal: &goal,
                hint: None,
            };
            assert!(!matches!(solver.check(&arena, &query), Answer::Unknown(_)));
            expected.push(!tables.satisfying(&arena, &goal).is_empty());
        }
    }
    let logged = logged.lock().expect("no panic before");
    assert_eq!(logged.len(), expected.len());
    for (text, possible) in logged.iter().zip(expected) {
        let said = text.strip_prefix("; ").and_then(|rest| rest.split(' ').next());
        assert_eq!(said, Some(if possible { "sat" } else { "unsat" }));
        let answer = solve_text(text, Options::default()).expect("what was written is read");
        assert_eq!(answer.lines().next(), said);
    }
}

#[test]
fn a_model_is_printed_as_definitions() {
    let text = "(declare-const i_1_2_3 (_ BitVec 8))\n(assert (= i_1_2_3 #x2a))\n(check-sat)\n";
    let answer = solve_text(text, Options::default());
    let expected = "sat\n(\n  (define-fun i_1_2_3 () (_ BitVec 8) #b00101010)\n)\n";
    assert_eq!(answer, Ok(expected.to_owned()));
    let error = solve_text("(assert", Options::default()).expect_err("not closed");
    assert!(error.to_string().starts_with("line 1"), "{error}");
}

#[test]
fn layers_are_chosen_by_name() {
    let names = |names: &[&str]| names.iter().map(|&name| name.to_owned()).collect::<Vec<String>>();
    let options = Options::default()
        .with_layers(&names(&["cache", "validate"]))
        .expect("names of layers");
    assert!(options.cache && options.validate && !options.domain && !options.cross_check);
    let error = Options::default().with_layers(&names(&["cash"]));
    assert!(error.is_err_and(|error| error.to_string().contains("`cash`")));
}

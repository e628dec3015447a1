//! Random operations built by the simplifying constructors against the plain meaning of the
//! operations as written.

mod generate;
mod naive;
mod text;

use generate::{Program, Step};
use selvedge_expr::{Arena, Assignment, Evaluator, Expr, Facts, InputKey, Node};

/// An arena with the expressions of a program, step by step.
fn build(arena: &Arena, program: &Program) -> Vec<Expr> {
    let mut built: Vec<Expr> = Vec::new();
    for (step, width) in &program.steps {
        let e = step.build(arena, *width, &built);
        assert_eq!(arena.width(e), *width, "the width of {step:?}");
        built.push(e);
    }
    built
}

fn assignments(program: &Program, arena: &Arena, rng: &mut fastrand::Rng) -> (Vec<u128>, Assignment) {
    let mut assignment = Assignment::new();
    let mut values = Vec::new();
    for (i, &width) in program.inputs.iter().enumerate() {
        let value = generate::interesting(rng, width);
        values.push(value);
        if let Some(id) = arena.find_input(generate::key(i)) {
            assignment.set(id, value);
        }
    }
    (values, assignment)
}

fn check_facts(arena: &Arena, e: Expr, value: u128, program: &Program) {
    let facts: Facts = arena.facts(e);
    assert!(
        facts.admits(value),
        "{facts:?} of {e:?} = {:?} exclude {value:#x}\n{program}",
        arena.node(e)
    );
    assert!(
        facts.low <= facts.high && facts.zeros & facts.ones == 0,
        "{facts:?}"
    );
}

/// What the documentation of the nodes promises about their form.
fn check_form(arena: &Arena, e: Expr) {
    use selvedge_expr::{BinOp::*, CmpOp::*, UnOp::*};
    let constant = |e| arena.as_const(e).is_some();
    let width = arena.width(e);
    let good = match arena.node(e) {
        Node::Unary(op, a) => op != Bswap && !constant(a) && (width > 1 || op == Not),
        Node::Binary(Or | Xor | Add | Sub | Mul | Shl | LShr | AShr, ..) if width == 1 => false,
        Node::Binary(Sub, a, b) => !constant(a) && !constant(b),
        Node::Binary(Shl | LShr | AShr, _, b) => !constant(b),
        Node::Binary(And | Or | Xor | Add | Mul, a, _) => !constant(a),
        Node::Binary(_, a, b) => !(constant(a) && constant(b)),
        Node::Compare(Eq, a, b) => !(constant(a) || constant(b) && arena.width(a) == 1),
        Node::Compare(Ult | Slt, a, b) => !(constant(a) && constant(b)) && arena.width(a) > 1,
        Node::Compare(Ule | Sle, a, b) => !constant(a) && !constant(b) && arena.width(a) > 1,
        Node::Compare(..) => false,
        Node::Ite(c, a, b) => !constant(c) && a != b && (width > 1 || !(constant(a) || constant(b))),
        Node::Extract(a, low) => {
            low + width <= arena.width(a)
                && width < arena.width(a)
                && !matches!(arena.node(a), Node::Extract(..) | Node::Concat(..))
        }
        Node::Concat(a, b) => {
            arena.width(a) + arena.width(b) == width
                && !matches!(arena.node(a), Node::Concat(..) | Node::Const(0))
        }
        Node::Zext(a) | Node::Sext(a) => arena.width(a) < width && !constant(a),
        _ => true,
    };
    assert!(good, "{:?} of width {width}", arena.node(e));
}

/// Runs programs until `count` expressions were checked, each under several assignments.
fn check(seed: u64, count: usize, widths: &[u8], kind: generate::Kind) {
    let mut rng = fastrand::Rng::with_seed(seed);
    let mut evaluator = Evaluator::new();
    let mut checked = 0;
    while checked < count {
        let program = generate::program(&mut rng, widths, kind);
        let arena = Arena::new();
        let built = build(&arena, &program);
        for _ in 0..6 {
            let (values, assignment) = assignments(&program, &arena, &mut rng);
            let expected = naive::run(&program, &values);
            evaluator.forget();
            for (i, &e) in built.iter().enumerate() {
                let value = evaluator.eval_same(&arena, e, &assignment);
                assert_eq!(
                    value,
                    expected[i],
                    "step {i} = {:?} under {values:x?}\n{}",
                    arena.node(e),
                    program
                );
                check_facts(&arena, e, value, &program);
            }
            // Inner nodes that the constructors made on the way.
            for i in 0..arena.size().nodes as u32 {
                let e = Expr::from_index(i);
                let value = evaluator.eval_same(&arena, e, &assignment);
                check_facts(&arena, e, value, &program);
            }
        }
        for i in 0..arena.size().nodes as u32 {
            check_form(&arena, Expr::from_index(i));
        }
        checked += built.len();
    }
}

#[test]
fn bit_vectors_mean_what_they_say() {
    check(
        1,
        40_000,
        &[1, 7, 8, 16, 32, 33, 64, 65, 128],
        generate::Kind::Bits,
    );
}

#[test]
fn narrow_bit_vectors_mean_what_they_say() {
    check(2, 120_000, &[1, 2, 3, 4, 5, 8], generate::Kind::Bits);
}

#[test]
fn bytes_and_words_mean_what_they_say() {
    check(3, 120_000, &[1, 8, 16, 32], generate::Kind::Memory);
}

#[test]
fn floats_mean_what_they_say() {
    check(4, 45_000, &[1, 8, 32, 64], generate::Kind::Floats);
}

/// Values cut into bytes and put together again, in any order, are themselves. It is a matter of
/// form, not of meaning, and in a few cases in 100,000 (concatenations at odd positions of parts
/// that depend on one bit) the form is another.
#[test]
fn bytes_put_together_are_the_value() {
    let mut rng = fastrand::Rng::with_seed(5);
    let (mut tried, mut others) = (0, Vec::new());
    while tried < 40_000 {
        let kind = [
            generate::Kind::Bits,
            generate::Kind::Memory,
            generate::Kind::Floats,
        ][rng.usize(..3)];
        let program = generate::program(&mut rng, &[1, 8, 16, 32, 64], kind);
        let arena = Arena::new();
        for e in build(&arena, &program) {
            let width = arena.width(e);
            if !width.is_multiple_of(8) || width == 8 {
                continue;
            }
            tried += 1;
            let mut pieces: Vec<Expr> = (0..width)
                .step_by(8)
                .map(|low| arena.extract(e, low, 8))
                .collect();
            while pieces.len() > 1 {
                // Any two neighbours next.
                let i = rng.usize(..pieces.len() - 1);
                let high = pieces.remove(i + 1);
                pieces[i] = arena.concat(high, pieces[i]);
            }
            if pieces[0] != e {
                others.push(format!(
                    "{} became {}",
                    arena.display(e),
                    arena.display(pieces[0])
                ));
            }
        }
    }
    assert!(
        others.len() * 5_000 < tried,
        "{} of {tried}\n{}",
        others.len(),
        others.join("\n")
    );
}

/// The same expressions in an arena where other things were made before, inputs in another order.
#[test]
fn hashes_do_not_depend_on_the_order_of_creation() {
    let mut rng = fastrand::Rng::with_seed(6);
    for _ in 0..2_000 {
        let widths = &[1, 7, 8, 32, 64];
        let program = generate::program(&mut rng, widths, generate::Kind::Bits);
        let (first, second) = (Arena::new(), Arena::new());
        for i in (0..program.inputs.len()).rev() {
            second.input(generate::key(i), program.inputs[i]);
        }
        build(
            &second,
            &generate::program(&mut rng, widths, generate::Kind::Memory).with_inputs_from(100),
        );
        let (a, b) = (build(&first, &program), build(&second, &program));
        for (&x, &y) in a.iter().zip(&b) {
            assert_eq!(
                first.hash(x),
                second.hash(y),
                "{:?} and {:?}\n{program}",
                first.node(x),
                second.node(y)
            );
        }
        let mut hashes: Vec<selvedge_expr::Digest> = (0..first.size().nodes)
            .map(|i| first.hash(Expr::from_index(i as u32)))
            .collect();
        hashes.sort_unstable();
        hashes.dedup();
        assert_eq!(hashes.len(), first.size().nodes, "two nodes with one hash");
    }
}

/// The inputs of a node are those that the walk finds, and only those can change its value.
#[test]
fn inputs_are_those_that_occur() {
    let mut rng = fastrand::Rng::with_seed(7);
    for _ in 0..2_000 {
        let program = generate::program(&mut rng, &[1, 8, 32], generate::Kind::Memory);
        let arena = Arena::new();
        for e in build(&arena, &program) {
            let mut found = Vec::new();
            let mut seen = std::collections::HashSet::new();
            let mut stack = vec![e];
            while let Some(e) = stack.pop() {
                if !seen.insert(e) {
                    continue;
                }
                match arena.node(e) {
                    Node::Input(id) => found.push(id),
                    Node::Select(table, _) => stack.extend(arena.table(table).iter()),
                    _ => {}
                }
                stack.extend(arena.node(e).children());
            }
            found.sort_unstable();
            assert_eq!(*arena.inputs_of(e), *found);
        }
    }
}

#[test]
fn a_step_is_built_once() {
    let arena = Arena::new();
    let key = InputKey {
        thread: 0,
        ordinal: 0,
        byte: 0,
    };
    let x = arena.input(key, 8);
    assert_eq!(x, arena.input(key, 8));
    let step = Step::Binary(selvedge_expr::BinOp::Add, 0, 0);
    assert_eq!(step.build(&arena, 8, &[x]), step.build(&arena, 8, &[x]));
}

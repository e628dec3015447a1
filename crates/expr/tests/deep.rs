//! Expressions a million nodes deep: nothing may be recursive in the depth.

use selvedge_expr::{Arena, Assignment, BinOp, CmpOp, Evaluator, Expr, InputKey, UnOp, smtlib};

const DEPTH: usize = 1_000_000;

fn input(arena: &Arena, n: u32, width: u8) -> Expr {
    let key = InputKey {
        thread: 0,
        ordinal: n,
        byte: 0,
    };
    arena.input(key, width)
}

/// In a thread with little stack.
fn small_stack(run: fn()) {
    let thread = std::thread::Builder::new().stack_size(256 << 10).spawn(run);
    assert!(thread.is_ok_and(|t| t.join().is_ok()));
}

fn all_ways(arena: &Arena, e: Expr, x: Expr, expected: u128) {
    let mut assignment = Assignment::new();
    let Some(&id) = arena.inputs_of(x).first() else {
        panic!("an input has no inputs");
    };
    assignment.set(id, 3);
    let mut evaluator = Evaluator::new();
    assert_eq!(evaluator.eval(arena, e, &assignment), expected);
    let three = arena.constant(arena.width(x), 3);
    let replaced = arena.substitute(e, &[(x, three)]);
    assert_eq!(evaluator.eval(arena, replaced, &assignment), expected);
    assert!(!arena.display(e).to_string().is_empty());
}

#[test]
fn a_chain_of_sums_and_products() {
    small_stack(|| {
        let arena = Arena::new();
        let (x, y) = (input(&arena, 0, 32), input(&arena, 1, 32));
        let (mut e, mut expected) = (x, 3u32);
        for i in 0..DEPTH {
            let op = if i % 2 == 0 { BinOp::Mul } else { BinOp::Xor };
            e = arena.binary(
                op,
                e,
                if i % 2 == 0 {
                    x
                } else {
                    arena.constant(32, i as u128)
                },
            );
            expected = if i % 2 == 0 {
                expected.wrapping_mul(3)
            } else {
                expected ^ i as u32
            };
        }
        assert!(arena.size().nodes > DEPTH / 2);
        all_ways(&arena, e, x, expected.into());
        // The rules that look below: comparisons, extractions, negations, alternatives on top.
        let compared = arena.compare(CmpOp::Eq, e, arena.constant(32, 77));
        let negated = arena.unary(UnOp::Neg, arena.not(e));
        let chosen = arena.ite(compared, negated, y);
        let byte = arena.extract(chosen, 8, 8);
        arena.truncate(arena.binary(BinOp::Add, arena.zext(e, 64), arena.zext(y, 64)), 16);
        arena.compare(CmpOp::Ult, arena.sext(byte, 32), arena.constant(32, 5));
    });
}

#[test]
fn a_chain_that_solving_walks_down() {
    small_stack(|| {
        let arena = Arena::new();
        let x = input(&arena, 0, 32);
        let mut e = x;
        for i in 0..DEPTH {
            let op = if i % 2 == 0 { BinOp::Add } else { BinOp::Xor };
            e = arena.binary(op, e, arena.constant(32, 0x1234_5677 ^ i as u128));
        }
        let equal = arena.compare(CmpOp::Eq, e, arena.constant(32, 77));
        assert!(matches!(arena.node(equal), selvedge_expr::Node::Compare(CmpOp::Eq, a, _) if a == x));
    });
}

#[test]
fn a_chain_of_alternatives_and_of_conditions() {
    small_stack(|| {
        let arena = Arena::new();
        let x = input(&arena, 0, 32);
        let (mut e, mut all) = (x, arena.truth(true));
        for i in 0..DEPTH / 4 {
            let k = arena.constant(32, i as u128 + 10);
            let other = arena.binary(BinOp::Mul, x, arena.constant(32, 2 * i as u128 + 7));
            let c = arena.compare(CmpOp::Ult, other, k);
            e = arena.ite(c, k, e);
            all = arena.and(all, arena.not(c));
        }
        arena.compare(CmpOp::Eq, e, arena.constant(32, 5));
        arena.not(all);
        let mut evaluator = Evaluator::new();
        evaluator.eval(&arena, e, &Assignment::new());
        evaluator.eval(&arena, all, &Assignment::new());
    });
}

#[test]
fn a_deep_text() {
    small_stack(|| {
        let arena = Arena::new();
        let x = input(&arena, 0, 32);
        let mut e = x;
        for i in 0..100_000 {
            e = arena.binary(BinOp::Mul, e, arena.binary(BinOp::Add, x, arena.constant(32, i)));
        }
        let equal = arena.compare(CmpOp::Ult, e, arena.constant(32, 77));
        let text = smtlib::write(&arena, &[equal]);
        assert_eq!(smtlib::parse(&text, &arena), Ok(vec![equal]));
        // Nested to the last.
        let nested = "(not ".repeat(100_000) + "true" + &")".repeat(100_000);
        assert_eq!(
            smtlib::parse(&format!("(assert {nested})"), &arena),
            Ok(vec![arena.truth(true)])
        );
    });
}

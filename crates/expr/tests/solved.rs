//! Equations that are solved when they are built have the solutions that they had.

use selvedge_expr::{Arena, Assignment, BinOp, CmpOp, Evaluator, InputKey};

/// `zext(x) * c = k` for all numbers of eight bits, of which x has three.
#[test]
fn products_with_constants() {
    let arena = Arena::new();
    let key = InputKey {
        thread: 0,
        ordinal: 0,
        byte: 0,
    };
    let x = arena.input(key, 3);
    let id = arena.inputs_of(x)[0];
    let wide = arena.zext(x, 8);
    let mut evaluator = Evaluator::new();
    for c in 0..=255u8 {
        let product = arena.binary(BinOp::Mul, wide, arena.constant(8, c.into()));
        for k in 0..=255u8 {
            let equal = arena.compare(CmpOp::Eq, product, arena.constant(8, k.into()));
            for value in 0..8u8 {
                let mut assignment = Assignment::new();
                assignment.set(id, value.into());
                let expected = value.wrapping_mul(c) == k;
                let found = evaluator.eval(&arena, equal, &assignment);
                assert_eq!(found, u128::from(expected), "{value} * {c} = {k}");
            }
        }
    }
}
